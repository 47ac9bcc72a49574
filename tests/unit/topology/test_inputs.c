/* Inputs at other pairs give the known groups; every choice occurs once, in the documented order. */
#include "support/mechanisms.h"
#include "support/testing.h"

#include <stdio.h>
#include <string.h>

/* "2|3,4" */
static void write_groups(const bl_structure_choice *choice, char *out, size_t room) {
    size_t used = 0;
    out[0] = 0;
    for (bl_index g = 0; g < choice->ngroup; g++)
        for (bl_index i = choice->group_ptr[g]; i < choice->group_ptr[g + 1]; i++)
            used += (size_t)snprintf(out + used, room - used, "%s%d",
                                     i == 0                      ? ""
                                     : i == choice->group_ptr[g] ? "|"
                                                                 : ",",
                                     choice->link[i] + 1);
}

static int compare_pairs(const bl_structure_choice *x, const bl_structure_choice *y) {
    for (bl_index k = 0; k < x->ninput; k++)
        if (x->pair[k] != y->pair[k])
            return x->pair[k] < y->pair[k] ? -1 : 1;
    return 0;
}

/* ascending, distinct, ranked; each is the structure of the chain with these inputs */
static void expect_ranked(const bl_chain *chain, const bl_structure_choices *choices) {
    for (bl_index c = 0; c < choices->nchoice; c++) {
        const bl_structure_choice *x = &choices->choice[c], *y = x + 1;
        bl_index largest = 0;
        for (bl_index g = 0; g < x->ngroup; g++)
            largest = x->group_ptr[g + 1] - x->group_ptr[g] > largest ? x->group_ptr[g + 1] - x->group_ptr[g] : largest;
        assert_int_equal(x->largest, largest);
        assert_int_equal(x->complete, x->group_ptr[x->ngroup] == chain->nlink - 1);
        for (bl_index k = 0; k + 1 < x->ninput; k++)
            assert_true(x->pair[k] <= x->pair[k + 1]);
        if (c + 1 == choices->nchoice)
            break;
        assert_true(x->sound >= y->sound && x->complete >= x->sound);
        if (x->sound != y->sound)
            continue;
        assert_true(x->complete >= y->complete);
        if (x->complete != y->complete)
            continue;
        assert_true(x->largest <= y->largest);
        if (x->largest == y->largest)
            assert_true(x->ngroup > y->ngroup || (x->ngroup == y->ngroup && compare_pairs(x, y) < 0));
    }
}

/* the choice with its only input at pair p (from 0) */
static const bl_structure_choice *driven_at(const bl_structure_choices *choices, bl_index p) {
    for (bl_index c = 0; c < choices->nchoice; c++)
        if (choices->choice[c].ninput == 1 && choices->choice[c].pair[0] == p)
            return &choices->choice[c];
    fail_msg("no choice drives pair %d", (int)p);
    return NULL;
}

static void expect_driven_at(const char *name, bl_index pair, const char *groups) {
    char found[256];
    test_chain c;
    bl_structure_choices choices = {0};
    bl_context *ctx = test_context(NULL);
    test_chain_make(&c, name, test_mechanism_find(name)->pairs);
    assert_int_equal(bl_structure_inputs(ctx, &c.chain, &choices), BL_OK);
    assert_int_equal(choices.nchoice, c.chain.npair);
    assert_true(choices.all);
    expect_ranked(&c.chain, &choices);
    const bl_structure_choice *choice = driven_at(&choices, pair);
    write_groups(choice, found, sizeof found);
    assert_string_equal(found, groups);
    assert_true(choice->complete);
    bl_structure_choices_destroy(ctx, &choices);
    test_context_end(ctx);
}

static void inputs__elsewhere_give_the_groups_known_for_them(void **state) {
    (void)state;
    expect_driven_at("four-bar", 0, "2|3,4");
    expect_driven_at("four-bar", 1, "2,3,4");
    expect_driven_at("four-bar", 3, "4|2,3");
    expect_driven_at("Watt I", 5, "2,3,4,5,6");
    expect_driven_at("Watt I driven at 5-6", 0, "2|3,4|5,6");
    expect_driven_at("Watt II", 6, "6|4,5|2,3");
    expect_driven_at("Stephenson II", 1, "3|2,4,5,6");
    expect_driven_at("Stephenson II driven at 1-3", 0, "2|3,4,5,6");
    expect_driven_at("Stephenson III", 6, "6|2,3,4,5");
}

/* groups and the given choice of every mechanism of the table; as many choices as there are distributions of the inputs */
static void inputs__given_ones_are_among_them(void **state) {
    (void)state;
    for (int k = 0; k < test_nmechanism; k++) {
        char found[256];
        test_chain c;
        bl_structure_choices choices = {0};
        bl_context *ctx = test_context(NULL);
        test_chain_make(&c, test_mechanisms[k].name, test_mechanisms[k].pairs);
        assert_int_equal(bl_structure_inputs(ctx, &c.chain, &choices), BL_OK);
        expect_ranked(&c.chain, &choices);
        assert_true(choices.all && choices.given >= 0);
        const bl_structure_choice *given = &choices.choice[choices.given];
        write_groups(given, found, sizeof found);
        assert_string_equal(found, test_mechanisms[k].groups);
        /* multisets with at most f inputs at a pair of f degrees of freedom: coefficients of the product of 1 + x + .. + x^f */
        long ways[8] = {1};
        for (bl_index p = 0; p < c.chain.npair; p++)
            for (int n = 7; n > 0; n--)
                for (int f = 1; f <= c.pair[p].dof && f <= n; f++)
                    ways[n] += ways[n - f];
        assert_int_equal(choices.nchoice, ways[given->ninput]);
        bl_structure_choices_destroy(ctx, &choices);
        test_context_end(ctx);
    }
}

/* as many equations as unknowns, and no set of links with more equations: Hall's condition, checked for all sets */
static bool is_balanced(const test_chain *c) {
    bool balanced = false;
    for (unsigned set = 1; set < 1U << (c->chain.nlink - 1); set++) {
        int less = 0;
        for (bl_index i = 1; i < c->chain.nlink; i++)
            less += set >> (i - 1) & 1 ? 3 : 0;
        for (bl_index p = 0; p < c->chain.npair; p++) {
            bool inside = true;
            for (int side = 0; side < 2; side++)
                inside = inside && (c->pair[p].link[side] == 0 || set >> (c->pair[p].link[side] - 1) & 1);
            less -= inside ? 3 - c->pair[p].dof + c->pair[p].inputs : 0;
        }
        if (less < 0)
            return false;
        balanced = less == 0; /* the last set is the complete one */
    }
    return balanced;
}

/* balanced, and no set of moving links has more equations between its links than relative degrees of freedom, checked for all sets */
static bool is_sound(const test_chain *c) {
    for (unsigned set = 1; set < 1U << (c->chain.nlink - 1); set++) {
        int less = -3;
        for (bl_index i = 1; i < c->chain.nlink; i++)
            less += set >> (i - 1) & 1 ? 3 : 0;
        for (bl_index p = 0; p < c->chain.npair; p++) {
            bool inside = true;
            for (int side = 0; side < 2; side++)
                inside = inside && c->pair[p].link[side] != 0 && set >> (c->pair[p].link[side] - 1) & 1;
            less -= inside ? 3 - c->pair[p].dof + c->pair[p].inputs : 0;
        }
        if (less < 0)
            return false;
    }
    return is_balanced(c);
}

/* each choice is the structure of the chain driven there */
static void inputs__agree_with_the_structure_of_the_chain_driven_so(void **state) {
    (void)state;
    test_chain c;
    bl_structure_choices choices = {0};
    bl_context *ctx = test_context(NULL);
    test_chain_make(&c, "excavator", test_mechanism_find("excavator")->pairs);
    assert_int_equal(bl_structure_inputs(ctx, &c.chain, &choices), BL_OK);
    assert_int_equal(choices.nchoice, 220); /* 3 of 12 */
    bl_index twos = 0, threes = 0, sound = 0;
    for (bl_index k = 0; k < choices.nchoice; k++) {
        const bl_structure_choice *choice = &choices.choice[k];
        bl_structure_report report = {0};
        for (bl_index p = 0; p < c.chain.npair; p++)
            c.pair[p].inputs = 0;
        for (bl_index i = 0; i < choice->ninput; i++)
            c.pair[choice->pair[i]].inputs++;
        assert_int_equal(bl_structure(ctx, &c.chain, NULL, &report), BL_OK);
        assert_int_equal(report.complete, choice->complete);
        assert_int_equal(report.ngroup, choice->ngroup);
        for (bl_index g = 0; g < report.ngroup; g++)
            assert_memory_equal(report.group[g].link, choice->link + choice->group_ptr[g],
                                (size_t)report.group[g].nlink * sizeof *report.group[g].link);
        assert_int_equal(choice->complete, is_balanced(&c));
        assert_int_equal(choice->sound, is_sound(&c));
        sound += choice->sound;
        twos += choice->complete && choice->largest == 2;
        threes += choice->complete && choice->largest == 3;
        bl_structure_report_destroy(ctx, &report);
    }
    assert_int_equal(sound, 4 * 4 * 4); /* one input in each of the three loops: what can be driven */
    /* at the two pairs with the link that carries the loop, a link and a dyad remain */
    assert_int_equal(twos, 2 * 2 * 2);
    assert_int_equal(threes, 4 * 4 * 4 - 2 * 2 * 2);
    bl_structure_choices_destroy(ctx, &choices);
    test_context_end(ctx);
}

/* redundant equations restore degrees of freedom: a four-bar with a second, parallel coupler moves although 3 N - sum (3 - f) is 0 */
static void inputs__count_repeated_equations_once(void **state) {
    (void)state;
    test_chain c;
    bl_structure_choices choices = {0};
    bl_context *ctx = test_context(NULL);
    test_chain_make(&c, "double parallelogram", "1,2,1 2,3,1 3,4,1 4,1,1 2,5,1 5,4,1");
    assert_int_equal(bl_structure_inputs(ctx, &c.chain, &choices), BL_OK);
    assert_int_equal(choices.nchoice, 1);
    assert_int_equal(choices.choice[0].ninput, 0);
    assert_int_equal(choices.given, 0);
    bl_structure_choices_destroy(ctx, &choices);
    c.pair[5].repeated = 1;
    assert_int_equal(bl_structure_inputs(ctx, &c.chain, &choices), BL_OK);
    assert_int_equal(choices.nchoice, 6);
    assert_int_equal(choices.choice[0].ninput, 1);
    assert_int_equal(choices.given, -1);
    bl_structure_choices_destroy(ctx, &choices);
    test_context_end(ctx);
}

/* twelve five-bars side by side: 24 inputs at 60 pairs are too many choices */
static void make_many(test_chain *c, bool driven) {
    test_chain_start(c, "five-bars side by side");
    for (int k = 0; k < 12; k++) {
        int first = 2 + 4 * k;
        test_chain_pair(c, 1, first, driven ? 3 : 1);
        for (int i = 0; i < 3; i++)
            test_chain_pair(c, first + i, first + i + 1, 1);
        test_chain_pair(c, first + 3, 1, driven ? 3 : 1);
    }
}

static void inputs__too_many_choices_move_one_at_a_time(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    for (int driven = 1; driven >= 0; driven--) {
        test_chain c;
        bl_structure_choices choices = {0};
        make_many(&c, driven);
        assert_int_equal(bl_structure_inputs(ctx, &c.chain, &choices), BL_OK);
        assert_false(choices.all);
        assert_int_equal(choices.nchoice, 1 + 24 * 36); /* each of 24 inputs to 36 free pairs */
        expect_ranked(&c.chain, &choices);
        bl_index complete = 0;
        for (bl_index k = 0; k < choices.nchoice; k++) {
            assert_int_equal(choices.choice[k].ninput, 24);
            complete += choices.choice[k].complete;
        }
        assert_int_equal(complete, 1 + 24 * 3); /* an input stays in its five-bar */
        assert_int_equal(choices.given >= 0, driven);
        assert_int_equal(choices.choice[0].largest, 2);
        if (driven) /* two cranks and a dyad each */
            assert_int_equal(choices.choice[choices.given].ngroup, 36);
        bl_structure_choices_destroy(ctx, &choices);
    }
    test_context_end(ctx);
}

static void inputs__stop_at_the_limit_and_where_there_is_no_place(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_chain c;
    bl_structure_choices choices = {0};
    test_chain_start(&c, "arm of 100 links");
    for (int i = 1; i < 100; i++)
        test_chain_pair(&c, i, i + 1, i % 2 ? 1 : 2); /* 149 degrees of freedom, all driven: one choice */
    assert_int_equal(bl_structure_inputs(ctx, &c.chain, &choices), BL_OK);
    assert_int_equal(choices.nchoice, 1);
    assert_int_equal(choices.choice[0].ninput, 50 + 2 * 49);
    assert_true(choices.choice[0].complete && choices.all);
    assert_int_equal(choices.choice[0].ngroup, 99);
    bl_structure_choices_destroy(ctx, &choices);
    test_chain_make(&c, "a link that nothing holds", "1,2,3");
    c.chain.nlink = 3;
    assert_int_equal(bl_structure_inputs(ctx, &c.chain, &choices), BL_OK);
    assert_int_equal(choices.nchoice, 1);
    assert_int_equal(choices.choice[0].ninput, 1);
    assert_false(choices.choice[0].complete);
    assert_int_equal(choices.given, 0);
    bl_structure_choices_destroy(ctx, &choices);
    c.chain.nlink = 1;
    assert_int_equal(bl_structure_inputs(ctx, &c.chain, &choices), BL_E_ARG);
    assert_int_equal(bl_structure_inputs(ctx, NULL, &choices), BL_E_ARG);
    bl_structure_choices_destroy(ctx, &choices);
    bl_structure_choices_destroy(ctx, NULL);
    test_context_end(ctx);
}

static bl_status choose(bl_context *ctx, void *user) {
    bl_structure_choices choices = {0};
    bl_status status = bl_structure_inputs(ctx, user, &choices);
    bl_structure_choices_destroy(ctx, &choices);
    return status;
}

static void inputs__survive_failing_allocations(void **state) {
    (void)state;
    test_chain c;
    test_chain_make(&c, "four-bar", test_mechanism_find("four-bar")->pairs);
    assert_true(test_failing_allocations(choose, &c.chain) > 8);
    assert_true(test_failing_once(choose, &c.chain) > 8);
    make_many(&c, false); /* inputs must be found first; then each choice is examined */
    for (long k = 1; k <= 120; k++) {
        test_allocator allocator = {0};
        bl_context *ctx = test_context(&allocator);
        allocator.calls = 0;
        allocator.fail_at = k;
        assert_int_equal(choose(ctx, &c.chain), BL_E_MEMORY);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs__elsewhere_give_the_groups_known_for_them),
        cmocka_unit_test(inputs__given_ones_are_among_them),
        cmocka_unit_test(inputs__agree_with_the_structure_of_the_chain_driven_so),
        cmocka_unit_test(inputs__count_repeated_equations_once),
        cmocka_unit_test(inputs__too_many_choices_move_one_at_a_time),
        cmocka_unit_test(inputs__stop_at_the_limit_and_where_there_is_no_place),
        cmocka_unit_test(inputs__survive_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
