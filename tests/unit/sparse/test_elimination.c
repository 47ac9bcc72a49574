/* Sparse elimination against singular values (LAPACK) and ranks of the first rows, on random sparse matrices whose rank is known. */
#include "sparse/elimination.h"
#include "sparse/sparse.h"
#include "support/matrices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40 };

typedef struct sparse {
    bl_pattern pattern;
    double *value, *dense; /* dense[m][n], column-major */
    bl_index rank;
} sparse;

static sparse sparse_of(bl_context *ctx, bl_index m, bl_index n, const double *dense) {
    sparse a = {0};
    bl_index row[MOST * MOST] = {0}, col[MOST * MOST] = {0}, count = 0;
    for (bl_index j = 0; j < n; j++)
        for (bl_index i = 0; i < m; i++)
            if (dense[i + j * m] != 0) {
                row[count] = i;
                col[count++] = j;
            }
    assert_int_equal(bl_pattern_build(ctx, m, n, count, row, col, &a.pattern, NULL), BL_OK);
    assert_int_equal(BL_NEW(ctx, a.value, count + 1), BL_OK);
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = a.pattern.ptr[j]; k < a.pattern.ptr[j + 1]; k++)
            a.value[k] = dense[a.pattern.idx[k] + j * m];
    return a;
}

static void sparse_free(bl_context *ctx, sparse *a) {
    bl_pattern_free(ctx, &a->pattern);
    bl_free(ctx, a->value);
}

/* about `per_row` entries in each of m - extra rows, then rows that are combinations of two or three of them, all shuffled */
static void random_dense(test_random *random, bl_index m, bl_index n, bl_index extra, int per_row, double *a) {
    bl_index at[MOST];
    memset(a, 0, (size_t)m * (size_t)n * sizeof *a);
    for (bl_index i = 0; i < m; i++) {
        bl_index k = test_random_below(random, i + 1);
        at[i] = at[k];
        at[k] = i;
    }
    for (bl_index i = 0; i < m - extra; i++)
        for (int k = 0; k < per_row; k++)
            a[at[i] + test_random_below(random, n) * m] = test_random_symmetric(random);
    for (bl_index i = m - extra; i < m && m > extra; i++)
        for (int k = 0; k < 3; k++) {
            bl_index from = at[test_random_below(random, m - extra)];
            double share = (double)(1 + test_random_below(random, 4)) / 2;
            for (bl_index j = 0; j < n; j++)
                a[at[i] + j * m] += share * a[from + j * m];
        }
    for (bl_index i = 0; i < m; i++) { /* rows come scaled */
        double largest = 0;
        for (bl_index j = 0; j < n; j++)
            largest = fmax(largest, fabs(a[i + j * m]));
        for (bl_index j = 0; j < n && largest > 0; j++)
            a[i + j * m] /= largest;
    }
}

/* a random matrix whose rank no threshold could dispute: no singular value between 1e-11 and 1e-4 of the largest */
static bool clear_rank(bl_index m, bl_index n, const double *a, bl_index *rank) {
    double s[MOST], copy[MOST * MOST];
    bl_index least = m < n ? m : n;
    memcpy(copy, a, (size_t)m * (size_t)n * sizeof *a);
    test_singular_values(m, n, copy, s);
    *rank = 0;
    for (bl_index k = 0; k < least; k++) {
        *rank += s[k] > 1e-9 * s[0];
        if (s[k] > 1e-11 * s[0] && s[k] < 1e-4 * s[0])
            return false;
    }
    return s[0] > 0;
}

/* rank of some rows; *clear becomes false where a threshold could dispute it */
static bl_index rank_of_rows(bl_index m, bl_index n, const double *a, const bl_index *rows, bl_index count, bool *clear) {
    double part[MOST * MOST];
    bl_index rank = 0;
    for (bl_index j = 0; j < n; j++)
        for (bl_index i = 0; i < count; i++)
            part[i + j * count] = a[rows[i] + j * m];
    bool zero = true;
    for (bl_index k = 0; k < count * n; k++)
        zero = zero && part[k] == 0;
    if (!zero && !clear_rank(count, n, part, &rank))
        *clear = false;
    return zero ? 0 : rank;
}

static void assert_permutation(bl_index n, const bl_index *order) {
    uint8_t seen[MOST] = {0};
    for (bl_index i = 0; i < n; i++) {
        assert_in_range(order[i], 0, n - 1);
        assert_false(seen[order[i]]++);
    }
}

typedef struct trial {
    bl_index m, n, rank;
    double a[MOST * MOST];
    sparse s;
} trial;

static bool next_trial(bl_context *ctx, test_random *random, trial *t) {
    t->m = 1 + test_random_below(random, MOST);
    t->n = 1 + test_random_below(random, MOST);
    bl_index extra = test_random_below(random, 1 + t->m / 2);
    random_dense(random, t->m, t->n, extra, 1 + test_random_below(random, 4), t->a);
    if (!clear_rank(t->m, t->n, t->a, &t->rank))
        return false;
    t->s = sparse_of(ctx, t->m, t->n, t->a);
    return true;
}

static void rank__equals_the_number_of_singular_values(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(21)};
    int judged = 0;
    for (int count = 0; count < 4000; count++) {
        trial t;
        if (!next_trial(ctx, &random, &t))
            continue;
        judged++;
        bl_elimination e;
        bl_elimination_input in = {.pattern = &t.s.pattern, .value = t.s.value, .tolerance = 1e-9};
        assert_int_equal(bl_elimination_run(ctx, &in, &e), BL_OK);
        assert_int_equal(e.rank, t.rank);
        assert_permutation(t.m, e.row);
        assert_permutation(t.n, e.col);
        /* pivot rows and columns: independent, and not much worse than all */
        double kept[MOST * MOST], s[MOST], all[MOST];
        for (bl_index j = 0; j < e.rank; j++)
            for (bl_index i = 0; i < e.rank; i++)
                kept[i + j * e.rank] = t.a[e.row[i] + e.col[j] * t.m];
        if (e.rank > 0) {
            memcpy(all, t.a, sizeof all);
            double copy[MOST * MOST];
            memcpy(copy, t.a, sizeof copy);
            test_singular_values(t.m, t.n, copy, all);
            test_singular_values(e.rank, e.rank, kept, s);
            assert_true(s[e.rank - 1] > all[e.rank - 1] / (8.0 * t.m * t.n));
        }
        /* every motion that is left fulfills all rows */
        double x[MOST];
        for (bl_index j = 0; j < t.n; j++)
            x[j] = test_random_symmetric(&random);
        bl_elimination_motion(&e, x);
        for (bl_index i = 0; i < t.m; i++) {
            double sum = 0, size = 0;
            for (bl_index j = 0; j < t.n; j++) {
                sum += t.a[i + j * t.m] * x[j];
                size += fabs(t.a[i + j * t.m] * x[j]);
            }
            assert_true(fabs(sum) <= 1e-8 * size + 1e-12);
        }
        bl_elimination_free(&e);
        sparse_free(ctx, &t.s);
    }
    assert_true(judged > 2000);
    test_context_end(ctx);
}

static void redundant__are_rows_that_depend_on_earlier_ones(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(22)};
    int judged = 0;
    for (int count = 0; count < 1500; count++) {
        trial t;
        if (!next_trial(ctx, &random, &t))
            continue;
        bl_index order[MOST], priority[MOST], named[MOST], expected = 0;
        for (bl_index i = 0; i < t.m; i++) {
            bl_index k = test_random_below(&random, i + 1);
            order[i] = order[k];
            order[k] = i;
        }
        for (bl_index i = 0; i < t.m; i++)
            priority[order[i]] = i;
        bl_elimination e;
        bl_elimination_input in = {.pattern = &t.s.pattern, .value = t.s.value, .tolerance = 1e-9};
        assert_int_equal(bl_elimination_run(ctx, &in, &e), BL_OK);
        assert_int_equal(bl_elimination_redundant(&e, priority, named), BL_OK);
        bool clear = true;
        bl_index rank = 0;
        for (bl_index i = 0; i < t.m && clear; i++) {
            bl_index next = rank_of_rows(t.m, t.n, t.a, order, i + 1, &clear);
            if (clear && next == rank)
                assert_int_equal(named[expected++], order[i]);
            rank = next;
        }
        if (clear)
            assert_int_equal(expected, t.m - e.rank);
        judged += clear && expected > 0;
        bl_elimination_free(&e);
        sparse_free(ctx, &t.s);
    }
    assert_true(judged > 300);
    test_context_end(ctx);
}

/* rows and columns multiplied by powers of ten: with the scales given, nothing changes */
static void scaling__makes_the_answer_free_of_units(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(23)};
    for (int count = 0; count < 500; count++) {
        trial t;
        if (!next_trial(ctx, &random, &t))
            continue;
        double row_scale[MOST], col_scale[MOST];
        for (bl_index i = 0; i < t.m; i++)
            row_scale[i] = pow(2, 40 * test_random_symmetric(&random));
        for (bl_index j = 0; j < t.n; j++) {
            col_scale[j] = pow(2, 40 * test_random_symmetric(&random));
            for (bl_index k = t.s.pattern.ptr[j]; k < t.s.pattern.ptr[j + 1]; k++)
                t.s.value[k] *= row_scale[t.s.pattern.idx[k]] / col_scale[j];
        }
        bl_elimination e;
        bl_elimination_input in = {
            .pattern = &t.s.pattern, .value = t.s.value, .row_scale = row_scale, .col_scale = col_scale, .tolerance = 1e-9};
        assert_int_equal(bl_elimination_run(ctx, &in, &e), BL_OK);
        assert_int_equal(e.rank, t.rank);
        bl_elimination_free(&e);
        sparse_free(ctx, &t.s);
    }
    test_context_end(ctx);
}

static void preferences__of_rows_and_columns_are_kept(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(24)};
    for (int count = 0; count < 1000; count++) {
        trial t;
        if (!next_trial(ctx, &random, &t))
            continue;
        uint8_t late[MOST], last[MOST];
        bl_index early[MOST], nearly = 0, plain = 0, rank_early, rank_plain = 0;
        double part[MOST * MOST];
        for (bl_index i = 0; i < t.m; i++)
            if (!(late[i] = test_random_below(&random, 3) == 0))
                early[nearly++] = i;
        for (bl_index j = 0; j < t.n; j++)
            if (!(last[j] = test_random_below(&random, 3) == 0))
                memcpy(part + (size_t)plain++ * (size_t)t.m, t.a + (size_t)j * (size_t)t.m, (size_t)t.m * sizeof *part);
        bool clear_rows = true;
        rank_early = rank_of_rows(t.m, t.n, t.a, early, nearly, &clear_rows);
        bool clear = plain == 0 || clear_rank(t.m, plain, part, &rank_plain);
        bl_elimination e;
        bl_elimination_input in = {.pattern = &t.s.pattern, .value = t.s.value, .row_late = late, .tolerance = 1e-9};
        assert_int_equal(bl_elimination_run(ctx, &in, &e), BL_OK);
        assert_int_equal(e.rank, t.rank);
        for (bl_index k = 0; k < e.rank && clear_rows; k++) /* all rows of the first kind that are independent, then others */
            assert_int_equal(late[e.row[k]], k >= rank_early);
        bl_elimination_free(&e);
        in.row_late = NULL;
        in.col_last = last;
        assert_int_equal(bl_elimination_run(ctx, &in, &e), BL_OK);
        assert_int_equal(e.rank, t.rank);
        bl_index used = 0;
        for (bl_index k = 0; k < e.rank; k++)
            used += last[e.col[k]];
        if (clear)
            assert_int_equal(used, t.rank - rank_plain);
        bl_elimination_free(&e);
        sparse_free(ctx, &t.s);
    }
    test_context_end(ctx);
}

/* a ladder: row i touches columns i, i + 1 and i + 2; every third row twice */
static bl_status ladder(bl_context *ctx, void *user) {
    bl_index n = *(bl_index *)user, m = n - 2 + n / 3, count = 0, *row = NULL, *col = NULL, *named = NULL;
    bl_pattern pattern = {0};
    double *value = NULL;
    bl_elimination e = {0};
    bl_status status = BL_NEW(ctx, row, 3 * m);
    if (status == BL_OK)
        status = BL_NEW(ctx, col, 3 * m);
    if (status == BL_OK)
        status = BL_NEW(ctx, value, 3 * m);
    if (status == BL_OK)
        status = BL_NEW(ctx, named, m);
    for (bl_index i = 0; i < m && status == BL_OK; i++)
        for (bl_index k = 0; k < 3; k++) {
            row[count] = i;
            col[count++] = (i < n - 2 ? i : (i - n + 2) * 3 % (n - 2)) + k;
        }
    if (status == BL_OK)
        status = bl_pattern_build(ctx, m, n, count, row, col, &pattern, NULL);
    for (bl_index j = 0; j < n && status == BL_OK; j++)
        for (bl_index k = pattern.ptr[j]; k < pattern.ptr[j + 1]; k++) {
            bl_index i = pattern.idx[k], first = i < n - 2 ? i : (i - n + 2) * 3 % (n - 2);
            value[k] = j == first ? 1 : j == first + 1 ? -0.3 * (1 + first % 5) : 0.7;
        }
    bl_elimination_input in = {.pattern = &pattern, .value = value, .tolerance = 1e-9};
    if (status == BL_OK)
        status = bl_elimination_run(ctx, &in, &e);
    if (status == BL_OK) {
        assert_int_equal(e.rank, n - 2);
        assert_true(e.nentry < 8 * n); /* fill: a few entries per row */
        status = bl_elimination_redundant(&e, NULL, named);
    }
    for (bl_index k = 0; k < n / 3 && status == BL_OK; k++)
        assert_int_equal(named[k], n - 2 + k);
    bl_elimination_free(&e);
    bl_pattern_free(ctx, &pattern);
    bl_free(ctx, row);
    bl_free(ctx, col);
    bl_free(ctx, value);
    bl_free(ctx, named);
    return status;
}

static void a_ladder__costs_what_its_length_costs(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_index n = 300000;
    assert_int_equal(ladder(ctx, &n), BL_OK);
    test_context_end(ctx);
}

/* A binary tree: three rows for a node, on its four columns and on those of the node above; sizes of entries differ as lever arms do.
 * Entries at most, over those of the matrix. */
static double filled_tree(bl_context *ctx, bl_index n, double *share) {
    enum { ROWS = 3, COLS = 4 };
    size_t most = (size_t)n * ROWS * 2 * COLS;
    bl_index *row = calloc(most, sizeof *row), *col = calloc(most, sizeof *col), count = 0;
    double *value = malloc(most * sizeof *value);
    test_random random = {3};
    for (bl_index i = 1; i <= n; i++)
        for (bl_index r = 0; r < ROWS; r++)
            for (bl_index c = 0; c < 2 * COLS; c++)
                if (c < COLS || i > 1) {
                    row[count] = (i - 1) * ROWS + r;
                    col[count] = ((c < COLS ? i : i / 2) - 1) * COLS + c % COLS;
                    count++;
                }
    bl_pattern pattern = {0};
    assert_int_equal(bl_pattern_build(ctx, ROWS * n, COLS * n, count, row, col, &pattern, NULL), BL_OK);
    for (bl_index k = 0; k < count; k++)
        value[k] = (test_random_below(&random, 2) ? 1 : -1) * pow(10, -test_random_unit(&random));
    bl_elimination e;
    bl_elimination_input in = {.pattern = &pattern, .value = value, .tolerance = 1e-9, .loose = true};
    assert_int_equal(bl_elimination_run(ctx, &in, &e), BL_OK);
    assert_int_equal(e.rank, ROWS * n);
    double entries = e.nentry;
    *share = entries / count;
    bl_elimination_free(&e);
    bl_pattern_free(ctx, &pattern);
    free(row);
    free(col);
    free(value);
    return entries;
}

static void a_tree__costs_what_its_size_costs(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    double share[2], small = filled_tree(ctx, 1000, &share[0]), large = filled_tree(ctx, 4000, &share[1]);
    if (large > 5 * small || share[1] > 2) /* pivots of the largest size alone: 11 times, 13 times the matrix */
        fail_msg("%.0f entries for 1000 nodes (%.2f of the matrix), %.0f for 4000 (%.2f)", small, share[0], large, share[1]);
    test_context_end(ctx);
}

/* Leaves on one hub: two rows and two columns each, beside the two columns of the hub, which all leaves touch; a row with entries of all
 * leaves, which are small: the row does not grow as they are eliminated; behind it, for every third leaf, the sum of its two rows. user:
 * the number of leaves. */
static bl_status star(bl_context *ctx, void *user) {
    bl_index leaves = *(const bl_index *)user, n = 2 * leaves + 2, extra = (leaves + 2) / 3, m = 2 * leaves + 1 + extra, count = 0;
    bl_index *row = NULL, *col = NULL, *named = NULL, room = 8 * leaves + 2 * leaves + 2 + 4 * extra;
    bl_pattern pattern = {0};
    double *value = NULL;
    bl_elimination e = {0};
    bl_status status = BL_NEW(ctx, row, room);
    if (status == BL_OK)
        status = BL_NEW(ctx, col, room);
    if (status == BL_OK)
        status = BL_NEW(ctx, value, room);
    if (status == BL_OK)
        status = BL_NEW(ctx, named, m);
    for (bl_index i = 0; i < m && status == BL_OK; i++) {
        bl_index leaf = i < 2 * leaves ? i / 2 : 3 * (i - 2 * leaves - 1), first = i == 2 * leaves ? 0 : 2 * leaf;
        for (bl_index k = 0; k < (i == 2 * leaves ? n : 4); k++) {
            row[count] = i;
            col[count++] = i == 2 * leaves || k < 2 ? first + k : n - 4 + k;
        }
    }
    if (status == BL_OK)
        status = bl_pattern_build(ctx, m, n, count, row, col, &pattern, NULL);
    for (bl_index j = 0; j < n && status == BL_OK; j++)
        for (bl_index p = pattern.ptr[j]; p < pattern.ptr[j + 1]; p++) {
            bl_index i = pattern.idx[p], leaf = i < 2 * leaves ? i / 2 : 3 * (i - 2 * leaves - 1);
            double hub = 0.5 + 0.4 * sin(leaf), first[4] = {1, 0.3, hub, -0.2}, second[4] = {-0.4, 0.9, 0.1, hub};
            bl_index k = j >= n - 2 ? j - n + 4 : j % 2;
            value[p] = i == 2 * leaves  ? (0.6 + 0.3 * cos(j)) / (j < n - 2 ? leaves : 1)
                       : i > 2 * leaves ? first[k] + second[k]
                       : i % 2 == 0     ? first[k]
                                        : second[k];
        }
    /* entries visited: a few times the number of entries */
    bl_elimination_input in = {.pattern = &pattern, .value = value, .tolerance = 1e-9, .budget = 20.0 * room};
    if (status == BL_OK)
        status = bl_elimination_run(ctx, &in, &e);
    if (status == BL_OK) {
        assert_int_equal(e.rank, 2 * leaves + 1);
        assert_true(e.nentry < 2 * room);
        status = bl_elimination_redundant(&e, NULL, named);
    }
    for (bl_index k = 0; k < extra && status == BL_OK; k++)
        assert_int_equal(named[k], 2 * leaves + 1 + k);
    bl_elimination_free(&e);
    bl_pattern_free(ctx, &pattern);
    bl_free(ctx, row);
    bl_free(ctx, col);
    bl_free(ctx, value);
    bl_free(ctx, named);
    return status;
}

static void a_star__costs_what_its_leaves_cost(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_index n = 100000;
    assert_int_equal(star(ctx, &n), BL_OK);
    test_context_end(ctx);
}

static void failing_allocations__are_survived(void **unused) {
    (void)unused;
    bl_index n = 30;
    assert_true(test_failing_allocations(ladder, &n) > 10);
    test_failing_once(ladder, &n);
    n = 100; /* long columns and rows */
    assert_true(test_failing_allocations(star, &n) > 12);
    test_failing_once(star, &n);
}

static void nothing__has_rank_0(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    double zero[6] = {0}, bad[4] = {NAN, 1, 0, INFINITY};
    bl_index named[3];
    for (bl_index m = 0; m <= 3; m++) {
        sparse s = sparse_of(ctx, m, 2, zero);
        bl_elimination e;
        bl_elimination_input in = {.pattern = &s.pattern, .value = s.value, .tolerance = 1e-9, .size = 1};
        assert_int_equal(bl_elimination_run(ctx, &in, &e), BL_OK);
        assert_int_equal(e.rank, 0);
        assert_int_equal(bl_elimination_redundant(&e, NULL, named), BL_OK);
        for (bl_index i = 0; i < m; i++)
            assert_int_equal(named[i], i);
        bl_elimination_free(&e);
        sparse_free(ctx, &s);
    }
    sparse s = sparse_of(ctx, 2, 2, bad);
    bl_elimination e;
    bl_elimination_input in = {.pattern = &s.pattern, .value = s.value, .tolerance = 1e-9};
    assert_int_equal(bl_elimination_run(ctx, &in, &e), BL_OK);
    assert_true(e.rank <= 1);
    bl_elimination_free(&e);
    sparse_free(ctx, &s);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank__equals_the_number_of_singular_values),
        cmocka_unit_test(redundant__are_rows_that_depend_on_earlier_ones),
        cmocka_unit_test(scaling__makes_the_answer_free_of_units),
        cmocka_unit_test(preferences__of_rows_and_columns_are_kept),
        cmocka_unit_test(a_ladder__costs_what_its_length_costs),
        cmocka_unit_test(a_tree__costs_what_its_size_costs),
        cmocka_unit_test(a_star__costs_what_its_leaves_cost),
        cmocka_unit_test(failing_allocations__are_survived),
        cmocka_unit_test(nothing__has_rank_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
