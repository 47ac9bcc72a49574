/* Random mechanisms built by adding known groups to links already solved, then renumbered and shuffled: the construction is recovered, in
 * the order of the rule; both methods, a third one implemented here from the definition, and the block triangular form of the matrix of
 * equations (another library) agree. With inputs removed and added, the methods still agree on solved and remaining links. */
#include "biela/structure.h"
#include "order/order.h"
#include "sparse/sparse.h"
#include "support/patterns.h"
#include "support/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_LINKS = 10010, MOST_PAIRS = 40000, SMALL = 12 };

typedef struct mechanism {
    bl_index nlink, npair, ngroup;
    bl_chain_pair pair[MOST_PAIRS];
    bl_index group_of[MOST_LINKS]; /* as built, from 1 */
} mechanism;

static void add_pair(mechanism *m, bl_index i, bl_index j, int code) {
    static const int ndof[] = {0, 1, 2, 1, 2, 2}, inputs[] = {0, 0, 0, 1, 1, 2};
    assert_true(m->npair < MOST_PAIRS);
    bl_chain_pair *pair = &m->pair[m->npair++];
    *pair = (bl_chain_pair){.link = {i, j}, .via = {-1, -1, -1, -1}, .dof = ndof[code], .inputs = inputs[code]};
    pair->letter = ndof[code] == 1 ? 'L' : 'X';
}

/* a link that is already solved; the last ones more often, so that chains become long */
static bl_index any(const mechanism *m, test_random *random, bl_index solved) {
    bl_index near = solved < 6 ? solved : 6;
    (void)m;
    return test_random_below(random, 2) ? test_random_below(random, (int)solved) : solved - 1 - test_random_below(random, (int)near);
}

static bl_index other(const mechanism *m, test_random *random, bl_index solved, bl_index one, bl_index two) {
    bl_index link;
    do
        link = any(m, random, solved);
    while (link == one || link == two);
    return link;
}

/* adds one group of at most `most` links; every smaller set has fewer equations than unknowns by construction */
static void add_group(mechanism *m, test_random *random, bl_index most) {
    bl_index s = m->nlink, a = s, b = s + 1, c = s + 2, d = s + 3, n = 1;
    bl_index p = any(m, random, s), q = s > 1 ? other(m, random, s, p, -1) : 0, r = s > 2 ? other(m, random, s, p, q) : 0;
    int what = test_random_below(random, 12);
    if (what >= 5 && what <= 8 && most < 2)
        what = 0;
    if (what == 9 && most < 3)
        what = 0;
    if (what >= 10 && most < 4)
        what = most >= 2 ? 5 : 0;
    if ((what == 2 || what == 3) && s < 2)
        what = 1;
    if (what == 4 && s < 3)
        what = 1;
    switch (what) {
    case 0: add_pair(m, p, a, 3); break; /* driven link */
    case 1: add_pair(m, p, a, 5); break; /* higher pair, both degrees of freedom driven */
    case 2:                              /* higher pair with an input, and a contact */
        add_pair(m, p, a, 4);
        add_pair(m, q, a, 2);
        break;
    case 3: /* cam follower */
        add_pair(m, p, a, 1);
        add_pair(m, q, a, 2);
        break;
    case 4: /* three contacts */
        add_pair(m, p, a, 2);
        add_pair(m, q, a, 2);
        add_pair(m, r, a, 2);
        break;
    case 5:
    case 6: /* dyad */
        n = 2;
        add_pair(m, p, a, 1);
        add_pair(m, a, b, 1);
        add_pair(m, b, any(m, random, s), 1);
        break;
    case 7: /* epicyclic: as group I of figure 4 */
        n = 2;
        add_pair(m, p, a, 4);
        add_pair(m, a, b, 1);
        add_pair(m, b, any(m, random, s), 1);
        break;
    case 8: /* driven pin between two links, the second one on a cam */
        n = 2;
        add_pair(m, p, a, 1);
        add_pair(m, a, b, 3);
        add_pair(m, b, any(m, random, s), 2);
        break;
    case 9: /* chain of n links between two solved ones, n - 2 of its inner pairs driven; n = 3: cylinder group of an excavator */
        n = 3 + test_random_below(random, (int)(most < 8 ? most - 2 : 6));
        for (bl_index k = 0, plain = test_random_below(random, (int)n - 1); k + 1 < n; k++)
            add_pair(m, a + k, a + k + 1, k == plain ? 1 : 3);
        add_pair(m, p, a, 1);
        add_pair(m, a + n - 1, any(m, random, s), 1);
        break;
    case 10: /* triad: three legs on one link */
        n = 4;
        for (bl_index k = 1; k < 4; k++) {
            add_pair(m, a, a + k, 1);
            add_pair(m, a + k, any(m, random, s), 1);
        }
        break;
    default: /* tetrad: a ring */
        n = 4;
        add_pair(m, a, b, 1);
        add_pair(m, b, c, 1);
        add_pair(m, c, d, 1);
        add_pair(m, d, a, 1);
        add_pair(m, a, p, 1);
        add_pair(m, c, any(m, random, s), 1);
    }
    m->ngroup++;
    for (bl_index k = 0; k < n; k++)
        m->group_of[a + k] = m->ngroup;
    m->nlink += n;
}

static void renumber(mechanism *m, test_random *random) {
    static bl_index fresh[MOST_LINKS], group[MOST_LINKS];
    test_shuffle(random, m->nlink - 1, fresh + 1);
    for (bl_index i = 1; i < m->nlink; i++)
        fresh[i]++;
    fresh[0] = 0;
    for (bl_index i = 0; i < m->nlink; i++)
        group[fresh[i]] = m->group_of[i];
    memcpy(m->group_of, group, (size_t)m->nlink * sizeof *group);
    for (bl_index p = 0; p < m->npair; p++) {
        int turn = test_random_below(random, 2);
        bl_index i = fresh[m->pair[p].link[turn]], j = fresh[m->pair[p].link[!turn]];
        m->pair[p].link[0] = i;
        m->pair[p].link[1] = j;
    }
    for (bl_index p = m->npair - 1; p > 0; p--) {
        bl_index q = test_random_below(random, (int)p + 1);
        bl_chain_pair keep = m->pair[p];
        m->pair[p] = m->pair[q];
        m->pair[q] = keep;
    }
}

static void build(mechanism *m, test_random *random, bl_index nlink) {
    m->nlink = 1;
    m->npair = m->ngroup = 0;
    m->group_of[0] = 0;
    while (m->nlink < nlink)
        add_group(m, random, nlink - m->nlink);
    renumber(m, random);
}

static bl_chain chain_of(const mechanism *m) { return (bl_chain){.dim = 2, .nlink = m->nlink, .npair = m->npair, .pair = m->pair}; }

/* ---- expected results */

/* the rule: of the groups that depend on solved links only, the smallest, then that with the smallest link; number[k]: position of group
 * k */
static void order_of_solution(const mechanism *m, bl_index *number) {
    static bl_index size[MOST_LINKS], first[MOST_LINKS];
    static bool done[MOST_LINKS];
    for (bl_index k = 1; k <= m->ngroup; k++) {
        size[k] = 0;
        done[k] = false;
    }
    for (bl_index i = m->nlink - 1; i > 0; i--) {
        size[m->group_of[i]]++;
        first[m->group_of[i]] = i;
    }
    done[0] = true;
    for (bl_index place = 1; place <= m->ngroup; place++) {
        static bool waits[MOST_LINKS];
        memset(waits, 0, sizeof waits);
        for (bl_index p = 0; p < m->npair; p++) {
            bl_index a = m->group_of[m->pair[p].link[0]], b = m->group_of[m->pair[p].link[1]];
            waits[a > b ? a : b] |= !done[a < b ? a : b] && a != b; /* as built: later groups depend on earlier ones */
        }
        bl_index best = 0;
        for (bl_index k = 1; k <= m->ngroup; k++)
            if (!done[k] && !waits[k] && (!best || size[k] < size[best] || (size[k] == size[best] && first[k] < first[best])))
                best = k;
        assert_true(best > 0);
        done[best] = true;
        number[best] = place;
    }
}

static void assert_construction(const mechanism *m, const bl_structure_report *report) {
    static bl_index number[MOST_LINKS];
    order_of_solution(m, number);
    assert_true(report->complete);
    assert_int_equal(report->mobility, report->inputs);
    assert_int_equal(report->ngroup, m->ngroup);
    for (bl_index i = 1; i < m->nlink; i++)
        assert_int_equal(report->group_of[i], number[m->group_of[i]]);
}

/* groups are numbered so that each depends on earlier ones only, is balanced, and is listed as in group_of; remaining links are listed
 * once */
static void assert_sound(const bl_chain *chain, const bl_structure_report *report) {
    bl_index counted = 0;
    for (bl_index k = 0; k < report->ngroup; k++) {
        const bl_structure_group *group = &report->group[k];
        int equations = 0;
        for (bl_index i = 0; i < group->nlink; i++) {
            assert_int_equal(report->group_of[group->link[i]], k + 1);
            assert_true(i == 0 || group->link[i] > group->link[i - 1]);
        }
        for (bl_index i = 0; i < group->npair; i++) {
            const bl_chain_pair *pair = &chain->pair[group->pair[i]];
            equations += 3 - pair->dof + pair->inputs;
        }
        assert_int_equal(equations, 3 * group->nlink);
        assert_int_equal(group->mobility, group->inputs);
        assert_true(group->nfrom > 0);
        for (bl_index i = 0; i < group->nfrom; i++)
            assert_true(group->from[i] <= k && (i == 0 || group->from[i] > group->from[i - 1]));
        counted += group->nlink;
    }
    assert_int_equal(counted + report->nremaining, chain->nlink - 1);
    assert_int_equal(report->complete, report->nremaining == 0);
    bl_index told = 0;
    for (bl_index k = 0; k < report->nremain; k++) {
        told += report->remain[k].nlink;
        for (bl_index i = 0; i < report->remain[k].nlink; i++)
            assert_int_equal(report->group_of[report->remain[k].link[i]], -1);
        assert_true(report->remain[k].state != BL_LINK_SOLVED && report->remain[k].text[0]);
    }
    assert_int_equal(told, report->nremaining);
}

static void analyze(bl_context *ctx, const bl_chain *chain, bl_structure_method method, bl_structure_report *report) {
    bl_structure_options options = {.method = method};
    assert_int_equal(bl_structure(ctx, chain, &options, report), BL_OK);
    assert_sound(chain, report);
}

/* ---- a third method, from the definition: all sets of links as bits, the law evaluated pair by pair */

static int excess(const bl_chain *chain, unsigned set, unsigned unsolved) {
    int sum = -3 * __builtin_popcount(set);
    for (bl_index p = 0; p < chain->npair; p++) {
        unsigned ends = (1u << chain->pair[p].link[0]) | (1u << chain->pair[p].link[1]);
        if ((ends & set) && !(ends & unsolved & ~set))
            sum += 3 - chain->pair[p].dof + chain->pair[p].inputs;
    }
    return sum;
}

static bool connected(const bl_chain *chain, unsigned set) {
    unsigned reached = set & (~set + 1);
    for (unsigned before = 0; before != reached;) {
        before = reached;
        for (bl_index p = 0; p < chain->npair; p++) {
            unsigned ends = (1u << chain->pair[p].link[0]) | (1u << chain->pair[p].link[1]);
            if (!(ends & ~set) && (ends & reached))
                reached |= ends;
        }
    }
    return reached == set;
}

static bool touches(const bl_chain *chain, unsigned set, unsigned unsolved) {
    for (bl_index p = 0; p < chain->npair; p++) {
        unsigned ends = (1u << chain->pair[p].link[0]) | (1u << chain->pair[p].link[1]);
        if ((ends & set) && (ends & ~unsolved))
            return true;
    }
    return false;
}

static bool holds_excess(const bl_chain *chain, unsigned set, unsigned unsolved) {
    for (unsigned part = set; part; part = (part - 1) & set)
        if (excess(chain, part, unsolved) > 0)
            return true;
    return false;
}

/* lists of the same length: the one with the first link that the other lacks comes first */
static bool before(unsigned a, unsigned b) { return ((a ^ b) & (~(a ^ b) + 1) & a) != 0; }

static bl_index by_definition(const bl_chain *chain, bl_index *group_of) {
    unsigned unsolved = (1u << chain->nlink) - 2;
    bl_index ngroup = 0;
    for (bl_index i = 0; i < chain->nlink; i++)
        group_of[i] = i == 0 ? 0 : -1;
    while (unsolved) {
        unsigned best = 0;
        for (unsigned set = unsolved; set; set = (set - 1) & unsolved) {
            int n = __builtin_popcount(set), m = __builtin_popcount(best);
            if (best && (n > m || (n == m && !before(set, best))))
                continue;
            if (excess(chain, set, unsolved) == 0 && touches(chain, set, unsolved) && connected(chain, set) &&
                !holds_excess(chain, set, unsolved))
                best = set;
        }
        if (!best)
            break;
        ngroup++;
        for (bl_index i = 1; i < chain->nlink; i++)
            if (best & (1u << i))
                group_of[i] = ngroup;
        unsolved &= ~best;
    }
    return ngroup;
}

static void assert_all_methods(bl_context *ctx, const bl_chain *chain) {
    bl_structure_report fast = {0}, search = {0};
    bl_index group_of[SMALL + 1];
    analyze(ctx, chain, BL_STRUCTURE_FAST, &fast);
    analyze(ctx, chain, BL_STRUCTURE_SEARCH, &search);
    bl_index ngroup = by_definition(chain, group_of);
    assert_int_equal(fast.ngroup, ngroup);
    assert_int_equal(search.ngroup, ngroup);
    assert_memory_equal(fast.group_of, group_of, (size_t)chain->nlink * sizeof *group_of);
    assert_memory_equal(search.group_of, group_of, (size_t)chain->nlink * sizeof *group_of);
    bl_structure_report_destroy(ctx, &fast);
    bl_structure_report_destroy(ctx, &search);
}

/* ---- block triangular form of the equations: 3 columns for each moving link, one row for each equation of a pair */

static void assert_blocks(bl_context *ctx, const bl_chain *chain, const bl_structure_report *report) {
    static bl_index row[MOST_PAIRS * 18], col[MOST_PAIRS * 18];
    bl_index nrow = 0, n = 0;
    for (bl_index p = 0; p < chain->npair; p++)
        for (int e = 0; e < 3 - chain->pair[p].dof + chain->pair[p].inputs; e++, nrow++)
            for (int side = 0; side < 2; side++)
                for (int k = 0; k < 3 && chain->pair[p].link[side] > 0; k++, n++) {
                    row[n] = nrow;
                    col[n] = 3 * (chain->pair[p].link[side] - 1) + k;
                }
    bl_pattern pattern = {0};
    bl_ordering order = {0};
    assert_int_equal(nrow, 3 * (chain->nlink - 1));
    assert_int_equal(bl_pattern_build(ctx, nrow, nrow, n, row, col, &pattern, NULL), BL_OK);
    assert_int_equal(bl_order_pattern(ctx, "btf", &pattern, &order), BL_OK);
    test_block_form(&pattern, &order);
    assert_int_equal(order.border, 0);
    assert_int_equal(order.nblock, report->ngroup);
    for (bl_index b = 0; b < order.nblock; b++) {
        bl_index group = report->group_of[order.col[order.block[b]] / 3 + 1];
        assert_int_equal(order.block[b + 1] - order.block[b], 3 * report->group[group - 1].nlink);
        for (bl_index k = order.block[b]; k < order.block[b + 1]; k++)
            assert_int_equal(report->group_of[order.col[k] / 3 + 1], group);
    }
    bl_ordering_free(ctx, &order);
    bl_pattern_free(ctx, &pattern);
}

/* ---- tests */

static mechanism mech;

static void structure__construction_is_found_again(void **unused) {
    (void)unused;
    test_random random = {test_seed(20260515)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 3000; trial++) {
        bl_structure_report report = {0};
        build(&mech, &random, 2 + test_random_below(&random, trial % 10 ? 40 : 199));
        bl_chain chain = chain_of(&mech);
        analyze(ctx, &chain, BL_STRUCTURE_FAST, &report);
        assert_construction(&mech, &report);
        if (trial % 5 == 0)
            assert_blocks(ctx, &chain, &report);
        bl_structure_report_destroy(ctx, &report);
    }
    test_context_end(ctx);
}

static void structure__all_methods_agree_on_small_mechanisms(void **unused) {
    (void)unused;
    test_random random = {test_seed(20260516)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 2000; trial++) {
        build(&mech, &random, 2 + test_random_below(&random, SMALL - 1));
        bl_chain chain = chain_of(&mech);
        assert_all_methods(ctx, &chain);
    }
    test_context_end(ctx);
}

/* removes (-1) or adds (1) an input somewhere; false: impossible */
static bool change_input(mechanism *m, test_random *random, int by) {
    bl_index start = test_random_below(random, (int)m->npair);
    for (bl_index k = 0; k < m->npair; k++) {
        bl_chain_pair *pair = &m->pair[(start + k) % m->npair];
        if (by < 0 ? pair->inputs > 0 : pair->inputs < pair->dof) {
            pair->inputs += by;
            return true;
        }
    }
    return false;
}

/* as many inputs are missing as the mobility exceeds the inputs, unless there are too many equations elsewhere */
static void structure__missing_inputs_are_counted(void **unused) {
    (void)unused;
    test_random random = {test_seed(20260517)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 2000; trial++) {
        bl_structure_report report = {0};
        int missing = 0, told = 0;
        build(&mech, &random, 2 + test_random_below(&random, trial % 2 ? SMALL - 1 : 60));
        for (int k = 1 + test_random_below(&random, 3); k > 0; k--)
            missing += change_input(&mech, &random, -1);
        bl_chain chain = chain_of(&mech);
        analyze(ctx, &chain, BL_STRUCTURE_FAST, &report);
        assert_int_equal(report.mobility - report.inputs, missing);
        assert_int_equal(report.complete, missing == 0);
        for (bl_index k = 0; k < report.nremain; k++) {
            assert_true(report.remain[k].state == BL_LINK_UNDER || report.remain[k].state == BL_LINK_BLOCKED);
            told += report.remain[k].state == BL_LINK_UNDER ? report.remain[k].amount : 0;
        }
        assert_int_equal(told, missing);
        bl_structure_report_destroy(ctx, &report);
        if (chain.nlink <= SMALL)
            assert_all_methods(ctx, &chain);
    }
    test_context_end(ctx);
}

static void structure__methods_agree_with_inputs_too_many_or_misplaced(void **unused) {
    (void)unused;
    test_random random = {test_seed(20260518)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 2000; trial++) {
        bl_structure_report report = {0};
        build(&mech, &random, 2 + test_random_below(&random, SMALL - 1));
        int balance = 0;
        for (int k = 1 + test_random_below(&random, 3); k > 0; k--) {
            int by = trial % 2 && test_random_below(&random, 2) ? -1 : 1;
            balance += change_input(&mech, &random, by) ? by : 0;
        }
        bl_chain chain = chain_of(&mech);
        assert_all_methods(ctx, &chain);
        analyze(ctx, &chain, BL_STRUCTURE_FAST, &report);
        assert_int_equal(report.inputs - report.mobility, balance);
        if (balance != 0)
            assert_false(report.complete);
        bool over = false;
        for (bl_index k = 0; k < report.nremain; k++)
            over = over || report.remain[k].state == BL_LINK_OVER;
        if (balance > 0)
            assert_true(over);
        bl_structure_report_destroy(ctx, &report);
    }
    test_context_end(ctx);
}

/* ---- size */

static double seconds_of(bl_context *ctx, const bl_chain *chain, bl_structure_report *report) {
    clock_t start = clock();
    assert_int_equal(bl_structure(ctx, chain, NULL, report), BL_OK);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void structure__ten_thousand_links_take_less_than_a_second(void **unused) {
    (void)unused;
    enum { LINKS = 10000 };
    test_random random = {test_seed(20260519)};
    bl_context *ctx = test_context(NULL);
    for (int shape = 0; shape < 5; shape++) {
        static const char *const name[] = {"dyads to the frame", "dyads on the last two links", "random groups",
                                           "one closed ring, all inner pairs but one driven", "dyads to the frame, driven at the far end"};
        bl_structure_report report = {0};
        mech = (mechanism){.nlink = 1};
        add_pair(&mech, 0, 1, shape == 4 ? 1 : 3);
        mech.nlink = 2;
        for (bl_index i = 2; shape != 2 && shape != 3 && i + 1 < LINKS; i += 2, mech.nlink += 2) {
            bool far = shape == 4 && i + 3 >= LINKS;
            add_pair(&mech, i - 1, i, 1);
            add_pair(&mech, i, i + 1, 1);
            add_pair(&mech, i + 1, shape == 1 && i > 2 ? i - 2 : 0, far ? 3 : 1);
        }
        if (shape == 3) {
            mech.nlink = LINKS;
            mech.pair[0].inputs = 0;
            for (bl_index i = 2; i < LINKS; i++)
                add_pair(&mech, i - 1, i, i == 2 ? 1 : 3);
            add_pair(&mech, LINKS - 1, 0, 1);
        }
        if (shape == 2)
            build(&mech, &random, LINKS);
        else
            renumber(&mech, &random);
        bl_chain chain = chain_of(&mech);
        double seconds = seconds_of(ctx, &chain, &report);
        print_message("%s: %d links, %d groups in %.1f ms\n", name[shape], chain.nlink, report.ngroup, 1e3 * seconds);
        assert_true(report.complete);
        assert_sound(&chain, &report);
        if (shape == 2)
            assert_int_equal(report.ngroup, mech.ngroup);
        else
            assert_int_equal(report.ngroup, shape == 3 ? 1 : LINKS / 2);
        assert_true(seconds < 1);
        bl_structure_report_destroy(ctx, &report);
    }
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structure__construction_is_found_again),
        cmocka_unit_test(structure__all_methods_agree_on_small_mechanisms),
        cmocka_unit_test(structure__missing_inputs_are_counted),
        cmocka_unit_test(structure__methods_agree_with_inputs_too_many_or_misplaced),
        cmocka_unit_test(structure__ten_thousand_links_take_less_than_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
