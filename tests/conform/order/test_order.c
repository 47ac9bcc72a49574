/* Every ordering: a permutation, the same one each time; minimum-degree orderings avoid fill-in where that is possible. */
#include "order/order.h"
#include "support/matrices.h"
#include "support/patterns.h"

#include <string.h>

enum { MOST = 80 };

/* nd is listed in every build, and orders only if METIS was found */
static bool usable(const bl_order_kind *kind) {
#ifdef BIELA_METIS
    (void)kind;
    return true;
#else
    return strcmp(kind->kind.name, "nd") != 0;
#endif
}

/* entries of the Cholesky factor of A + A^T, eliminated in this order, by symbolic elimination */
static bl_index fill(const bl_pattern *p, const bl_index *order) {
    static uint8_t linked[MOST][MOST];
    bl_index n = p->ncol, place[MOST], total = 0;
    memset(linked, 0, sizeof linked);
    for (bl_index k = 0; k < n; k++)
        place[order[k]] = k;
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++)
            linked[place[j]][place[p->idx[k]]] = linked[place[p->idx[k]]][place[j]] = 1;
    for (bl_index k = 0; k < n; k++)
        for (bl_index i = k + 1; i < n; i++)
            if (linked[k][i]) {
                total++;
                for (bl_index j = k + 1; j < n; j++)
                    linked[i][j] |= linked[k][j];
            }
    return total + n;
}

static void every_ordering__is_a_permutation_and_repeats(void **unused) {
    (void)unused;
    test_random random = {test_seed(201)};
    bl_context *ctx = test_context(NULL);
    for (size_t k = 0; k < bl_order_kind_count; k++)
        for (int trial = 0; trial < 300; trial++) {
            const bl_order_kind *kind = bl_order_kinds[k];
            if (!usable(kind))
                continue;
            bl_index n = 1 + test_random_below(&random, 40);
            test_matrix matrix = test_matrix_random(ctx, &random, n, 3 * n);
            bl_ordering one, two;
            assert_int_equal(bl_order_pattern(ctx, kind->kind.name, &matrix.pattern, &one), BL_OK);
            assert_int_equal(bl_order_pattern(ctx, kind->kind.name, &matrix.pattern, &two), BL_OK);
            test_permutation(n, one.col);
            assert_memory_equal(one.col, two.col, (size_t)n * sizeof *one.col);
            if (one.row)
                test_permutation(n, one.row);
            if (kind->kind.gives & BL_ORDER_SYMMETRIC)
                assert_memory_equal(one.row, one.col, (size_t)n * sizeof *one.col);
            bl_ordering_free(ctx, &one);
            bl_ordering_free(ctx, &two);
            test_matrix_free(&matrix);
        }
    test_context_end(ctx);
}

static void every_ordering__takes_empty_and_rectangular_patterns(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_index ptr[] = {0, 1, 2, 3}, idx[] = {0, 1, 0};
    for (size_t k = 0; k < bl_order_kind_count; k++) {
        const bl_order_kind *kind = bl_order_kinds[k];
        if (!usable(kind))
            continue;
        bl_ordering out;
        bl_pattern none = {0, 0, ptr, idx}, wide = {2, 3, ptr, idx};
        assert_int_equal(bl_order_pattern(ctx, kind->kind.name, &none, &out), BL_OK);
        bl_ordering_free(ctx, &out);
        bool can = kind->kind.gives & BL_ORDER_RECTANGULAR;
        assert_int_equal(bl_order_pattern(ctx, kind->kind.name, &wide, &out), can ? BL_OK : BL_E_ABILITY);
        if (can)
            test_permutation(3, out.col);
        bl_ordering_free(ctx, &out);
    }
    test_context_end(ctx);
}

/* An arrow matrix with its full row first fills completely in natural order, and not at all if that row is last. */
static void minimum_degree__leaves_an_arrow_unfilled(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    enum { N = 20 };
    double a[N * N] = {0};
    for (int i = 0; i < N; i++)
        a[i + i * N] = a[i] = a[i * N] = 1;
    test_matrix arrow = test_matrix_from(ctx, N, a, NULL);
    bl_ordering natural, amd;
    assert_int_equal(bl_order_pattern(ctx, "natural", &arrow.pattern, &natural), BL_OK);
    assert_int_equal(bl_order_pattern(ctx, "amd", &arrow.pattern, &amd), BL_OK);
    assert_int_equal(natural.bandwidth, N - 1);
    assert_int_equal(fill(&arrow.pattern, natural.col), N * (N + 1) / 2);
    assert_int_equal(fill(&arrow.pattern, amd.col), 2 * N - 1);
    bl_ordering_free(ctx, &natural);
    bl_ordering_free(ctx, &amd);
    test_matrix_free(&arrow);
    test_context_end(ctx);
}

/* 8 x 8 grid numbered at random */
static void minimum_degree_and_dissection__beat_a_random_order_on_a_grid(void **unused) {
    (void)unused;
    test_random random = {test_seed(202)};
    bl_context *ctx = test_context(NULL);
    enum { SIDE = 8, N = SIDE * SIDE };
    for (int trial = 0; trial < 20; trial++) {
        static double a[N * N];
        int number[N];
        memset(a, 0, sizeof a);
        for (int i = 0; i < N; i++) {
            int j = test_random_below(&random, i + 1);
            number[i] = number[j];
            number[j] = i;
        }
        for (int x = 0; x < SIDE; x++)
            for (int y = 0; y < SIDE; y++) {
                int me = number[x * SIDE + y], right = x + 1 < SIDE ? number[(x + 1) * SIDE + y] : me;
                int up = y + 1 < SIDE ? number[x * SIDE + y + 1] : me;
                a[me + me * N] = a[me + right * N] = a[right + me * N] = a[me + up * N] = a[up + me * N] = 1;
            }
        test_matrix grid = test_matrix_from(ctx, N, a, NULL);
        const bl_order_kind *kinds[] = {&bl_order_amd, &bl_order_nd};
        bl_ordering natural, better;
        assert_int_equal(bl_order_pattern(ctx, "natural", &grid.pattern, &natural), BL_OK);
        for (int k = 0; k < 2; k++) {
            if (!usable(kinds[k]))
                continue;
            assert_int_equal(bl_order_pattern(ctx, kinds[k]->kind.name, &grid.pattern, &better), BL_OK);
            assert_true(fill(&grid.pattern, better.col) < fill(&grid.pattern, natural.col));
            assert_true(fill(&grid.pattern, better.col) < N * (SIDE + 1)); /* fill-in of row-by-row numbering */
            bl_ordering_free(ctx, &better);
        }
        bl_ordering_free(ctx, &natural);
        test_matrix_free(&grid);
    }
    test_context_end(ctx);
}

/* edges of an undirected graph, in both directions, and the diagonal */
static bl_pattern graph_pattern(bl_context *ctx, bl_index n, bl_index nlink, const bl_index (*link)[2]) {
    static bl_index row[1000], col[1000];
    bl_index npair = 0;
    assert_true(2 * nlink + n <= 1000);
    for (bl_index k = 0; k < nlink; k++)
        for (int way = 0; way < 2; way++) {
            row[npair] = link[k][way];
            col[npair++] = link[k][!way];
        }
    for (bl_index k = 0; k < n; k++)
        row[npair + k] = col[npair + k] = k;
    bl_pattern p;
    assert_int_equal(bl_pattern_build(ctx, n, n, npair + n, row, col, &p, NULL), BL_OK);
    return p;
}

static bl_index bandwidth(const bl_pattern *p, const bl_index *order) {
    bl_index place[200], most = 0;
    for (bl_index k = 0; k < p->ncol; k++)
        place[order[k]] = k;
    for (bl_index j = 0; j < p->ncol; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++) {
            bl_index away = place[p->idx[k]] - place[j];
            away = away < 0 ? -away : away;
            most = away > most ? away : most;
        }
    return most;
}

/* Paths have bandwidth 1, closed rings 2, narrow grids of w columns at least w (Chvatalova 1975) and, numbered by levels, at most w + 1. */
static void rcm__finds_the_band_of_paths_rings_and_narrow_grids(void **unused) {
    (void)unused;
    test_random random = {test_seed(203)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 60; trial++) {
        bl_index n = 3 + test_random_below(&random, 90), wide = 2 + test_random_below(&random, 4), nlink = 0, link[400][2];
        bl_index high = n / wide + wide, number[200];
        int what = trial % 3;
        n = what == 2 ? wide * high : n;
        test_shuffle(&random, n, number);
        for (bl_index k = 0; what < 2 && k + (what == 0) < n; k++, nlink++) {
            link[nlink][0] = number[k];
            link[nlink][1] = number[(k + 1) % n];
        }
        for (bl_index k = 0; what == 2 && k < n; k++) {
            if (k % wide + 1 < wide) {
                link[nlink][0] = number[k];
                link[nlink++][1] = number[k + 1];
            }
            if (k + wide < n) {
                link[nlink][0] = number[k];
                link[nlink++][1] = number[k + wide];
            }
        }
        bl_pattern p = graph_pattern(ctx, n, nlink, (const bl_index(*)[2])link);
        bl_ordering o;
        assert_int_equal(bl_order_pattern(ctx, "rcm", &p, &o), BL_OK);
        assert_int_equal(o.bandwidth, bandwidth(&p, o.col));
        if (what < 2)
            assert_int_equal(o.bandwidth, what + 1);
        else
            assert_in_range(o.bandwidth, wide, wide + 1);
        bl_ordering_free(ctx, &o);
        bl_pattern_free(ctx, &p);
    }
    test_context_end(ctx);
}

static void rcm__reports_the_bandwidth_of_any_pattern(void **unused) {
    (void)unused;
    test_random random = {test_seed(204)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 500; trial++) { /* unsymmetric, of several parts, with empty rows */
        bl_index n = 1 + test_random_below(&random, 60);
        bl_pattern p = test_pattern_random(ctx, &random, n, n, test_random_below(&random, 3 * n), trial % 2);
        bl_ordering o;
        assert_int_equal(bl_order_pattern(ctx, "rcm", &p, &o), BL_OK);
        test_permutation(n, o.col);
        assert_int_equal(o.bandwidth, bandwidth(&p, o.col));
        bl_ordering_free(ctx, &o);
        bl_pattern_free(ctx, &p);
    }
    test_context_end(ctx);
}

#ifndef BIELA_METIS
static void nd__says_that_the_build_lacks_it(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_index zero[1] = {0};
    bl_ordering out;
    assert_int_equal(bl_order_pattern(ctx, "nd", &(bl_pattern){0, 0, zero, zero}, &out), BL_E_ABILITY);
    assert_string_equal(bl_context_error(ctx)->what, "nd: this build has no METIS");
    bl_ordering_free(ctx, &out);
    test_context_end(ctx);
}
#endif

static void unknown_names_and_options__are_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_index zero[1] = {0};
    bl_pattern none = {0, 0, zero, zero};
    bl_ordering out;
    assert_int_equal(bl_order_pattern(ctx, "colmad", &none, &out), BL_E_ARG);
    assert_string_equal(bl_context_error(ctx)->advice, "did you mean 'colamd'?");
    assert_int_equal(bl_order_pattern(ctx, "amd:7", &none, &out), BL_E_ARG);
    bl_ordering_free(ctx, &out);
    test_context_end(ctx);
}

static bl_status order_once(bl_context *ctx, void *user) {
    const bl_order_kind *kind = user;
    static const bl_index ptr[] = {0, 2, 3, 5}, idx[] = {0, 1, 1, 0, 2};
    bl_ordering out;
    bl_status status = bl_order_pattern(ctx, kind->kind.name, &(bl_pattern){3, 3, ptr, idx}, &out);
    bl_ordering_free(ctx, &out);
    return status;
}

static void failing_allocations__leak_nothing(void **unused) {
    (void)unused;
    for (size_t k = 0; k < bl_order_kind_count; k++)
        if (usable(bl_order_kinds[k]))
            assert_true(test_failing_allocations(order_once, (void *)bl_order_kinds[k]) >= 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_ordering__is_a_permutation_and_repeats),
        cmocka_unit_test(every_ordering__takes_empty_and_rectangular_patterns),
        cmocka_unit_test(minimum_degree__leaves_an_arrow_unfilled),
        cmocka_unit_test(minimum_degree_and_dissection__beat_a_random_order_on_a_grid),
        cmocka_unit_test(rcm__finds_the_band_of_paths_rings_and_narrow_grids),
        cmocka_unit_test(rcm__reports_the_bandwidth_of_any_pattern),
#ifndef BIELA_METIS
        cmocka_unit_test(nd__says_that_the_build_lacks_it),
#endif
        cmocka_unit_test(unknown_names_and_options__are_refused),
        cmocka_unit_test(failing_allocations__leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
