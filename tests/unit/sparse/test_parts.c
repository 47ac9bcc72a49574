/* Parts of bundles of unknowns and equations: small cases by hand; random ones against the block triangular form of the matrix written out
 * with one row and column for each, and against the largest assignment that paths over single equations find. */
#include "order/order.h"
#include "sparse/parts.h"
#include "sparse/sparse.h"
#include "support/testing.h"

#include <string.h>

enum { MOST_NODES = 24, MOST_EDGES = 60, MOST_TOUCHED = 4 };

typedef struct problem {
    bl_index nnode, nedge, room[MOST_NODES], weight[MOST_EDGES], ptr[MOST_EDGES + 1], node[MOST_EDGES * MOST_TOUCHED];
} problem;

static bl_parts_input input_of(const problem *p) {
    return (bl_parts_input){.nnode = p->nnode, .nedge = p->nedge, .room = p->room, .weight = p->weight, .ptr = p->ptr, .node = p->node};
}

static void add_edge(problem *p, bl_index weight, bl_index n, const bl_index *node) {
    bl_index at = p->ptr[p->nedge];
    if (n > 0)
        memcpy(p->node + at, node, (size_t)n * sizeof *node);
    p->weight[p->nedge++] = weight;
    p->ptr[p->nedge] = at + n;
}

static problem random_problem(test_random *random, bool square) {
    problem p = {.nnode = 1 + test_random_below(random, square ? 12 : MOST_NODES)};
    int unknowns = 0, equations = 0;
    for (bl_index i = 0; i < p.nnode; i++)
        unknowns += p.room[i] = 1 + test_random_below(random, 3);
    bl_index most = square ? MOST_EDGES : test_random_below(random, MOST_EDGES);
    while (p.nedge < most && (!square || equations < unknowns)) {
        bl_index touched[MOST_TOUCHED], n = 0, wanted = 1 + test_random_below(random, MOST_TOUCHED);
        for (bl_index k = 0; k < wanted; k++) {
            bl_index one = test_random_below(random, (int)p.nnode), i = 0;
            while (i < n && touched[i] != one)
                i++;
            if (i == n)
                touched[n++] = one;
        }
        int weight = test_random_below(random, 4);
        if (square && weight > unknowns - equations)
            weight = unknowns - equations;
        equations += weight;
        add_edge(&p, weight, n, touched);
    }
    return p;
}

/* every equation with an unknown of a node it touches or reported as surplus; rooms respected; numbers of parts follow what stands on what
 * */
static void assert_consistent(const problem *p, const bl_parts *parts) {
    bl_index used[MOST_NODES] = {0}, nspare = 0, nsurplus = 0;
    for (bl_index e = 0; e < p->nedge; e++) {
        bl_index placed = 0;
        for (bl_index s = p->ptr[e]; s < p->ptr[e + 1]; s++) {
            assert_true(parts->units[s] >= 0);
            assert_int_equal(parts->edge[s], e);
            placed += parts->units[s];
            used[p->node[s]] += parts->units[s];
            for (bl_index r = p->ptr[e]; parts->units[s] > 0 && r < p->ptr[e + 1]; r++)
                assert_true(parts->part[p->node[r]] <= parts->part[p->node[s]]);
        }
        assert_int_equal(placed + parts->surplus[e], p->weight[e]);
        nsurplus += parts->surplus[e];
    }
    for (bl_index i = 0; i < p->nnode; i++) {
        assert_true(parts->part[i] >= 0 && parts->part[i] < parts->npart);
        assert_int_equal(used[i] + parts->spare[i], p->room[i]);
        nspare += parts->spare[i];
        for (bl_index k = parts->begin[i]; k < parts->begin[i + 1]; k++)
            assert_int_equal(p->node[parts->slot[k]], i);
    }
    assert_int_equal(parts->nspare, nspare);
    assert_int_equal(parts->nsurplus, nsurplus);
}

/* one row for each equation, one column for each unknown */
static bl_pattern write_out(bl_context *ctx, const problem *p) {
    static bl_index row[MOST_EDGES * 4 * MOST_TOUCHED * 4], col[MOST_EDGES * 4 * MOST_TOUCHED * 4];
    bl_index first[MOST_NODES + 1] = {0}, nrow = 0, n = 0;
    for (bl_index i = 0; i < p->nnode; i++)
        first[i + 1] = first[i] + p->room[i];
    for (bl_index e = 0; e < p->nedge; e++)
        for (bl_index k = 0; k < p->weight[e]; k++, nrow++)
            for (bl_index s = p->ptr[e]; s < p->ptr[e + 1]; s++)
                for (bl_index c = first[p->node[s]]; c < first[p->node[s] + 1]; c++, n++) {
                    row[n] = nrow;
                    col[n] = c;
                }
    bl_pattern pattern = {0};
    assert_int_equal(bl_pattern_build(ctx, nrow, first[p->nnode], n, row, col, &pattern, NULL), BL_OK);
    return pattern;
}

static bl_parts find(bl_context *ctx, const problem *p) {
    bl_parts parts;
    bl_parts_input in = input_of(p);
    assert_int_equal(bl_parts_find(ctx, &in, &parts), BL_OK);
    assert_consistent(p, &parts);
    return parts;
}

/* two pins between crank and frame, coupler, rocker: the crank alone, then both others */
static void parts__four_bar_falls_into_crank_and_dyad(void **unused) {
    (void)unused;
    problem p = {.nnode = 3, .room = {3, 3, 3}};
    add_edge(&p, 3, 1, (bl_index[]){0}); /* pin to the frame, driven */
    add_edge(&p, 2, 2, (bl_index[]){0, 1});
    add_edge(&p, 2, 2, (bl_index[]){1, 2});
    add_edge(&p, 2, 1, (bl_index[]){2});
    bl_context *ctx = test_context(NULL);
    bl_parts parts = find(ctx, &p);
    assert_int_equal(parts.npart, 2);
    assert_int_equal(parts.part[0], 0);
    assert_int_equal(parts.part[1], 1);
    assert_int_equal(parts.part[2], 1);
    assert_int_equal(parts.nspare + parts.nsurplus, 0);
    bl_parts_free(ctx, &parts);
    test_context_end(ctx);
}

static void parts__nothing_and_edges_that_touch_nothing_are_fine(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    problem none = {0}, odd = {.nnode = 2, .room = {0, 3}};
    bl_parts parts = find(ctx, &none);
    assert_int_equal(parts.npart, 0);
    bl_parts_free(ctx, &parts);
    add_edge(&odd, 2, 0, NULL); /* equations on nothing: too many */
    add_edge(&odd, 0, 2, (bl_index[]){0, 1});
    add_edge(&odd, 1, 1, (bl_index[]){0}); /* a node without unknowns */
    parts = find(ctx, &odd);
    assert_int_equal(parts.npart, 2);
    assert_int_equal(parts.nsurplus, 3);
    assert_int_equal(parts.nspare, 3);
    bl_parts_free(ctx, &parts);
    test_context_end(ctx);
}

/* with too many equations the earlier edges keep theirs */
static void parts__earlier_edges_are_served_first(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    problem p = {.nnode = 2, .room = {1, 1}};
    add_edge(&p, 1, 2, (bl_index[]){0, 1});
    add_edge(&p, 1, 1, (bl_index[]){0}); /* the first one moves over */
    add_edge(&p, 1, 1, (bl_index[]){1});
    bl_parts parts = find(ctx, &p);
    assert_int_equal(parts.surplus[0], 0);
    assert_int_equal(parts.surplus[1], 0);
    assert_int_equal(parts.surplus[2], 1);
    bl_parts_free(ctx, &parts);
    test_context_end(ctx);
}

/* the number of equations that find an unknown is the structural rank of the matrix written out */
static void parts__assign_as_many_as_the_structural_rank(void **unused) {
    (void)unused;
    test_random random = {test_seed(31)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 1500; trial++) {
        problem p = random_problem(&random, trial % 2);
        bl_parts parts = find(ctx, &p);
        bl_pattern pattern = write_out(ctx, &p);
        bl_ordering order = {0};
        assert_int_equal(bl_order_pattern(ctx, "btf", &pattern, &order), BL_OK);
        assert_int_equal(order.border, parts.nspare);
        assert_int_equal(order.band, parts.nsurplus);
        bl_ordering_free(ctx, &order);
        bl_pattern_free(ctx, &pattern);
        bl_parts_free(ctx, &parts);
    }
    test_context_end(ctx);
}

/* square and regular: the parts are the diagonal blocks */
static void parts__are_the_blocks_of_the_triangular_form(void **unused) {
    (void)unused;
    test_random random = {test_seed(32)};
    bl_context *ctx = test_context(NULL);
    int regular = 0, several = 0;
    for (int trial = 0; trial < 6000; trial++) {
        problem p = random_problem(&random, true);
        bl_parts parts = find(ctx, &p);
        if (parts.nspare == 0 && parts.nsurplus == 0) {
            bl_pattern pattern = write_out(ctx, &p);
            bl_ordering order = {0};
            bl_index owner[MOST_NODES * 3], n = 0;
            for (bl_index i = 0; i < p.nnode; i++)
                for (bl_index k = 0; k < p.room[i]; k++)
                    owner[n++] = parts.part[i];
            assert_int_equal(bl_order_pattern(ctx, "btf", &pattern, &order), BL_OK);
            assert_int_equal(order.nblock, parts.npart);
            for (bl_index b = 0; b < order.nblock; b++)
                for (bl_index k = order.block[b]; k < order.block[b + 1]; k++)
                    assert_int_equal(owner[order.col[k]], owner[order.col[order.block[b]]]);
            regular++;
            several += parts.npart > 1;
            bl_ordering_free(ctx, &order);
            bl_pattern_free(ctx, &pattern);
        }
        bl_parts_free(ctx, &parts);
    }
    print_message("%d regular ones, %d of them in several parts\n", regular, several);
    assert_true(several > 100);
    test_context_end(ctx);
}

static bl_status find_once(bl_context *ctx, void *user) {
    bl_parts parts;
    bl_parts_input in = input_of(user);
    bl_status status = bl_parts_find(ctx, &in, &parts);
    bl_parts_free(ctx, &parts);
    return status;
}

static void parts__survive_every_failing_allocation(void **unused) {
    (void)unused;
    test_random random = {33};
    problem p = random_problem(&random, false);
    assert_true(test_failing_allocations(find_once, &p) >= 2);
    test_failing_once(find_once, &p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts__four_bar_falls_into_crank_and_dyad),
        cmocka_unit_test(parts__nothing_and_edges_that_touch_nothing_are_fine),
        cmocka_unit_test(parts__earlier_edges_are_served_first),
        cmocka_unit_test(parts__assign_as_many_as_the_structural_rank),
        cmocka_unit_test(parts__are_the_blocks_of_the_triangular_form),
        cmocka_unit_test(parts__survive_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
