/* Structural groups of known mechanisms, by both methods. Among them is the worked example (figure 4) of the paper on computational
 * structural analysis of planar multibody systems from the adjacency matrix, with its parameters, diagram and matrix of results; the
 * others are textbook linkages whose groups follow from the law S_C - n_C = 3 (P - N_m) by hand. */
#include "biela/structure.h"
#include "support/mechanisms.h"
#include "support/testing.h"

#include <stdio.h>
#include <string.h>

static const char *const figure_4 = "1 2 4\n1 3 1\n1 4 1\n2 3 1\n3 4 2\n4 5 3";

static void read_pairs(bl_context *ctx, const char *pairs, bl_chain *chain) {
    assert_int_equal(bl_chain_read_text(ctx, "pairs", pairs, strlen(pairs), "pairs", chain), BL_OK);
}

static void write_groups(const bl_structure_report *report, char *text, size_t room) {
    size_t used = 0;
    text[0] = '\0';
    for (bl_index k = 0; k < report->ngroup; k++)
        for (bl_index i = 0; i < report->group[k].nlink; i++)
            used += (size_t)snprintf(text + used, room - used, "%s%d", i ? "," : k ? "|" : "", report->group[k].link[i] + 1);
}

static void structure__known_mechanisms_have_their_groups(void **unused) {
    (void)unused;
    static test_chain made;
    for (int k = 0; k < test_nmechanism; k++)
        for (int search = 0; search < 2; search++) {
            bl_context *ctx = test_context(NULL);
            const test_mechanism *known = &test_mechanisms[k];
            bl_structure_report report = {0};
            bl_structure_options options = {.method = search ? BL_STRUCTURE_SEARCH : BL_STRUCTURE_FAST};
            char found[128];
            test_chain_make(&made, known->name, known->pairs);
            assert_int_equal(bl_structure(ctx, &made.chain, &options, &report), BL_OK);
            write_groups(&report, found, sizeof found);
            if (strcmp(found, known->groups) != 0)
                fail_msg("%s: %s, not %s", known->name, found, known->groups);
            assert_true(report.complete);
            assert_int_equal(report.mobility, report.inputs);
            assert_int_equal(report.nremaining, 0);
            assert_int_equal(report.nremain, 0);
            assert_int_equal(report.method, options.method);
            for (bl_index g = 0; g < report.ngroup; g++)
                assert_int_equal(report.group[g].mobility, report.group[g].inputs);
            bl_structure_report_destroy(ctx, &report);
            test_context_end(ctx);
        }
}

/* (N_m, L_C) = (2,1) (1,0) (1,1); diagram 0-1, 0-2, 1-2, 2-3; the matrix of results as printed */
static void structure__figure_4_has_its_parameters_diagram_and_matrix(void **unused) {
    (void)unused;
    static const int parameters[3][2] = {{2, 1}, {1, 0}, {1, 1}}, from[3][3] = {{1, 0}, {2, 0, 1}, {1, 2}};
    static const int matrix[5][5] = {{0, 1, 1, 2, 3}, {0, 1, 1, 1, 0}, {0, 0, 0, 3, 0}, {0, 0, 0, 0, 4}, {0, 0, 0, 0, 0}};
    bl_context *ctx = test_context(NULL);
    bl_chain chain = {0};
    bl_structure_report report = {0};
    read_pairs(ctx, figure_4, &chain);
    assert_int_equal(bl_structure(ctx, &chain, NULL, &report), BL_OK);
    assert_int_equal(report.mobility, 2);
    for (int g = 0; g < 3; g++) {
        assert_int_equal(report.group[g].nlink, parameters[g][0]);
        assert_int_equal(report.group[g].mobility, parameters[g][1]);
        assert_int_equal(report.group[g].nfrom, from[g][0]);
        for (int i = 0; i < from[g][0]; i++)
            assert_int_equal(report.group[g].from[i], from[g][i + 1]);
    }
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            assert_int_equal(report.result[5 * i + j], matrix[i][j]);
    /* group I: P = 3, S = 1 + 2 + 1, n = 1, N_m = 2 */
    int ndof = 0;
    for (bl_index i = 0; i < report.group[0].npair; i++)
        ndof += chain.pair[report.group[0].pair[i]].dof;
    assert_int_equal(report.group[0].npair, 3);
    assert_int_equal(ndof, 4);
    assert_int_equal(report.group[0].inputs, 1);
    bl_structure_report_destroy(ctx, &report);
    bl_chain_destroy(ctx, &chain);
    test_context_end(ctx);
}

static const char *kind_of(bl_context *ctx, const char *pairs, bl_index group, char *out, size_t room) {
    bl_chain chain = {0};
    bl_structure_report report = {0};
    read_pairs(ctx, pairs, &chain);
    assert_int_equal(bl_structure(ctx, &chain, NULL, &report), BL_OK);
    snprintf(out, room, "%s", report.group[group - 1].kind);
    bl_structure_report_destroy(ctx, &report);
    bl_chain_destroy(ctx, &chain);
    return out;
}

static void structure__groups_are_called_by_their_names(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    char text[64];
    assert_string_equal(kind_of(ctx, "1 2 3\n2 3 1\n3 4 1\n4 1 1", 1, text, sizeof text), "driven link");
    assert_string_equal(kind_of(ctx, "1 2 3\n2 3 1\n3 4 1\n4 1 1", 2, text, sizeof text), "dyad");
    assert_string_equal(kind_of(ctx, "1 2 3\n2 3 2\n1 3 1", 2, text, sizeof text), "follower");
    assert_string_equal(kind_of(ctx, "1 2 3\n1 3 3\n1 4 3\n2 5 1\n3 6 1\n4 7 1\n5 8 1\n6 8 1\n7 8 1", 4, text, sizeof text), "triad");
    /* 3, 4, 5, 6 in a ring, 3 and 5 held by the crank and the frame */
    assert_string_equal(kind_of(ctx, "1 2 3\n3 4 1\n4 5 1\n5 6 1\n6 3 1\n2 3 1\n5 1 1", 2, text, sizeof text), "tetrad");
    assert_string_equal(kind_of(ctx, "1 2 1\n2 3 3\n3 4 1\n4 1 1", 1, text, sizeof text), "driven group of 3 links");
    test_context_end(ctx);
}

/* remaining links with the reason: which links, how many inputs are missing or too many */
static void structure__tells_what_is_left_over(void **unused) {
    (void)unused;
    static const struct {
        const char *pairs, *groups;
        int mobility, inputs;
        bl_link_state state; /* of the first remaining set */
        int amount, nlink;
        bl_index link[4];
    } cases[] = {
        {"1 2 1\n2 3 1\n3 4 1\n4 1 1", "", 1, 0, BL_LINK_UNDER, 1, 3, {2, 3, 4}},             /* four-bar without input */
        {"1 2 3\n2 3 1\n3 4 1\n4 1 3", "2|4", 1, 2, BL_LINK_OVER, 1, 1, {3}},                 /* with two */
        {"1 2 3\n2 3 1\n3 4 1\n4 5 1\n5 1 1", "2", 2, 1, BL_LINK_UNDER, 1, 3, {3, 4, 5}},     /* five-bar with one */
        {"1 2 3\n1 3 1\n1 4 1\n2 5 1\n3 5 1\n4 5 1", "2|3,5", 0, 1, BL_LINK_OVER, 1, 1, {4}}, /* driven parallelogram with a third crank */
        {"1 2 3\n2 3 2", "2", 3, 1, BL_LINK_UNDER, 2, 1, {3}},                                /* a cam and a follower without guide */
        {"1 2 3\n3 4 1", "2", 5, 1, BL_LINK_UNDER, 4, 2, {3, 4}},                             /* two links not connected to the frame */
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (int search = 0; search < 2; search++) {
            bl_context *ctx = test_context(NULL);
            bl_chain chain = {0};
            bl_structure_report report = {0};
            bl_structure_options options = {.method = search ? BL_STRUCTURE_SEARCH : BL_STRUCTURE_FAST};
            char found[64];
            read_pairs(ctx, cases[k].pairs, &chain);
            assert_int_equal(bl_structure(ctx, &chain, &options, &report), BL_OK);
            write_groups(&report, found, sizeof found);
            assert_string_equal(found, cases[k].groups);
            assert_false(report.complete);
            assert_int_equal(report.mobility, cases[k].mobility);
            assert_int_equal(report.inputs, cases[k].inputs);
            assert_true(report.nremain >= 1);
            const bl_structure_remain *remain = &report.remain[0];
            if (remain->state != cases[k].state || remain->amount != cases[k].amount || remain->nlink != cases[k].nlink)
                fail_msg("%zu: %s", k, remain->text);
            for (int i = 0; i < cases[k].nlink; i++)
                assert_int_equal(remain->link[i] + 1, cases[k].link[i]);
            bl_structure_report_destroy(ctx, &report);
            bl_chain_destroy(ctx, &chain);
            test_context_end(ctx);
        }
}

/* a rigid triangle of pinned links without a pair to the frame is balanced by an input, and still floats */
static void structure__what_nothing_ties_to_the_frame_is_not_solved(void **unused) {
    (void)unused;
    for (int search = 0; search < 2; search++) {
        bl_context *ctx = test_context(NULL);
        bl_chain chain = {0};
        bl_structure_report report = {0};
        bl_structure_options options = {.method = search ? BL_STRUCTURE_SEARCH : BL_STRUCTURE_FAST};
        read_pairs(ctx, "1 2 3\n3 4 3\n4 5 3\n5 3 3", &chain); /* 9 equations between 3 links */
        assert_int_equal(bl_structure(ctx, &chain, &options, &report), BL_OK);
        assert_int_equal(report.ngroup, 1);
        assert_int_equal(report.npiece, 2);
        assert_int_equal(report.nremaining, 3);
        assert_int_equal(report.remain[0].state, BL_LINK_LOOSE);
        bl_structure_report_destroy(ctx, &report);
        bl_chain_destroy(ctx, &chain);
        test_context_end(ctx);
    }
}

/* Euler: as many independent loops as pairs minus links plus one; each pair of a loop shares a link with the next */
static void structure__loops_run_around(void **unused) {
    (void)unused;
    static test_chain made;
    for (int k = 0; k < test_nmechanism; k++) {
        bl_context *ctx = test_context(NULL);
        bl_structure_report report = {0};
        test_chain_make(&made, test_mechanisms[k].name, test_mechanisms[k].pairs);
        const bl_chain *chain = &made.chain;
        assert_int_equal(bl_structure(ctx, chain, NULL, &report), BL_OK);
        assert_int_equal(report.nloop, chain->npair - chain->nlink + 1);
        for (bl_index l = 0; l < report.nloop; l++) {
            bl_index begin = report.loop_ptr[l], n = report.loop_ptr[l + 1] - begin;
            assert_true(n >= 3);
            bl_index degree[16] = {0};
            for (bl_index i = 0; i < n; i++) {
                const bl_index *a = chain->pair[report.loop[begin + i]].link, *b = chain->pair[report.loop[begin + (i + 1) % n]].link;
                assert_true(a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]);
                degree[a[0]]++;
                degree[a[1]]++;
            }
            for (bl_index i = 0; i < chain->nlink; i++)
                assert_true(degree[i] == 0 || degree[i] == 2);
        }
        bl_structure_report_destroy(ctx, &report);
        test_context_end(ctx);
    }
}

static bl_status analyze(bl_context *ctx, void *user) {
    const char *pairs = ((const char *const *)user)[0];
    bl_structure_options options = {.method = ((const char *const *)user)[1] ? BL_STRUCTURE_SEARCH : BL_STRUCTURE_FAST};
    bl_chain chain = {0};
    bl_structure_report report = {0};
    bl_status status = bl_chain_read_text(ctx, "pairs", pairs, strlen(pairs), "pairs", &chain);
    if (status == BL_OK)
        status = bl_structure(ctx, &chain, &options, &report);
    bl_structure_report_destroy(ctx, &report);
    bl_chain_destroy(ctx, &chain);
    return status;
}

static void structure__survives_every_failing_allocation(void **unused) {
    (void)unused;
    const char *cases[][2] = {{figure_4, NULL},
                              {figure_4, "search"},
                              {"1 2 3\n2 3 1\n3 4 1\n4 1 3", NULL},
                              {"1 2 3\n2 3 1\n3 4 1\n4 1 3", "search"},
                              {"1 2 1\n2 3 1\n3 4 1\n4 1 1", NULL}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        assert_true(test_failing_allocations(analyze, cases[k]) > 5);
        test_failing_once(analyze, cases[k]);
    }
}

static void structure__refuses_chains_that_make_no_sense(void **unused) {
    (void)unused;
    bl_chain_pair pair = {.link = {0, 1}, .via = {-1, -1, -1, -1}, .dof = 1, .letter = 'L'};
    bl_structure_report report = {0};
    bl_context *ctx = test_context(NULL);
    bl_chain chain = {.dim = 2, .nlink = 2, .npair = 1, .pair = &pair};
#define REFUSED(change, back)                                             \
    change;                                                               \
    assert_int_equal(bl_structure(ctx, &chain, NULL, &report), BL_E_ARG); \
    back
    REFUSED(chain.dim = 4, chain.dim = 2);
    REFUSED(chain.nlink = 0, chain.nlink = 2);
    REFUSED(chain.npair = -1, chain.npair = 1);
    REFUSED(chain.pair = NULL, chain.pair = &pair);
    REFUSED(pair.link[1] = 2, pair.link[1] = 1);
    REFUSED(pair.link[1] = -1, pair.link[1] = 1);
    REFUSED(pair.via[0] = 7, pair.via[0] = -1);
    REFUSED(pair.dof = 4, pair.dof = 1);
    REFUSED(pair.dof = -1, pair.dof = 1);
    REFUSED(pair.inputs = -1, pair.inputs = 0);
    assert_int_equal(bl_structure(ctx, &chain, NULL, &report), BL_OK);
    bl_structure_report_destroy(ctx, &report);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structure__known_mechanisms_have_their_groups),
        cmocka_unit_test(structure__figure_4_has_its_parameters_diagram_and_matrix),
        cmocka_unit_test(structure__groups_are_called_by_their_names),
        cmocka_unit_test(structure__tells_what_is_left_over),
        cmocka_unit_test(structure__what_nothing_ties_to_the_frame_is_not_solved),
        cmocka_unit_test(structure__loops_run_around),
        cmocka_unit_test(structure__survives_every_failing_allocation),
        cmocka_unit_test(structure__refuses_chains_that_make_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
