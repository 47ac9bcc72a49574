/* Rank by complete pivoting against LAPACK's singular values, on random matrices made with a known rank. */
#include "dense/dense.h"
#include "sparse/sparse.h"
#include "support/testing.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 30 };

/* singular values, descending; a is kept */
static void singular_values(int m, int n, const double *a, double *s) {
    double copy[MOST * MOST], work[20 * MOST], none;
    memcpy(copy, a, (size_t)m * (size_t)n * sizeof *a);
    assert_int_equal(LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'N', 'N', m, n, copy, m, s, &none, 1, &none, 1, work, 20 * MOST), 0);
}

/* a = B C, B m x r, C r x n, entries in [-1, 1) */
static void random_of_rank(test_random *random, int m, int n, int r, double *a) {
    double b[MOST * MOST], c[MOST * MOST];
    for (int i = 0; i < m * r; i++)
        b[i] = test_random_symmetric(random);
    for (int i = 0; i < r * n; i++)
        c[i] = test_random_symmetric(random);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int k = 0; k < r; k++)
                sum += b[i + k * m] * c[k + j * r];
            a[i + j * m] = sum;
        }
}

static void assert_permutation(int n, const bl_index *order) {
    uint8_t seen[MOST] = {0};
    for (int i = 0; i < n; i++) {
        assert_in_range(order[i], 0, n - 1);
        assert_false(seen[order[i]]++);
    }
}

static void rank__equals_the_number_of_singular_values(void **unused) {
    (void)unused;
    test_random random = {test_seed(11)};
    for (int trial = 0; trial < 3000; trial++) {
        int m = 1 + test_random_below(&random, MOST), n = 1 + test_random_below(&random, MOST);
        int least = m < n ? m : n, r = test_random_below(&random, least + 1);
        double a[MOST * MOST], copy[MOST * MOST], s[MOST], pivot[MOST];
        random_of_rank(&random, m, n, r, a);
        memcpy(copy, a, sizeof a);
        singular_values(m, n, a, s);
        /* a random product may come out ill-conditioned: the two criteria may then differ rightly */
        if (r > 0 && s[r - 1] < 1e-6 * s[0])
            continue;
        bl_index rows[MOST], cols[MOST], rank;
        bl_rank_reveal(m, n, copy, NULL, NULL, NULL, 1e-9, rows, cols, &rank, pivot);
        assert_int_equal(rank, r);
        assert_permutation(m, rows);
        assert_permutation(n, cols);
        /* the kept rows and columns are independent, not much worse conditioned than the full matrix (factor n of complete pivoting) */
        double kept[MOST * MOST], t[MOST];
        for (int j = 0; j < r; j++)
            for (int i = 0; i < r; i++)
                kept[i + j * r] = a[rows[i] + cols[j] * m];
        if (r > 0) {
            singular_values(r, r, kept, t);
            assert_true(t[r - 1] > s[r - 1] / (4.0 * m * n));
        }
        for (int i = 0; i < r; i++)
            assert_true(pivot[i] > 0 && pivot[i] >= 1e-9 * pivot[0]);
        if (r < least)
            assert_true(pivot[r] <= 1e-9 * (r ? pivot[0] : 1));
    }
}

static void scaling__makes_the_answer_free_of_units(void **unused) {
    (void)unused;
    test_random random = {test_seed(12)};
    for (int trial = 0; trial < 300; trial++) {
        int m = 2 + test_random_below(&random, 15), n = 2 + test_random_below(&random, 15);
        int r = 1 + test_random_below(&random, m < n ? m : n);
        double a[MOST * MOST], b[MOST * MOST], row[MOST], col[MOST], pa[MOST], pb[MOST];
        bl_index ra[MOST], ca[MOST], rb[MOST], cb[MOST], rank_a, rank_b;
        random_of_rank(&random, m, n, r, a);
        /* powers of two: the scaled matrix is the same to the bit */
        for (int i = 0; i < m; i++)
            row[i] = ldexp(1, test_random_below(&random, 60) - 30);
        for (int j = 0; j < n; j++)
            col[j] = ldexp(1, test_random_below(&random, 60) - 30);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++)
                b[i + j * m] = a[i + j * m] * row[i] / col[j];
        bl_rank_reveal(m, n, a, NULL, NULL, NULL, 1e-9, ra, ca, &rank_a, pa);
        bl_rank_reveal(m, n, b, row, col, NULL, 1e-9, rb, cb, &rank_b, pb);
        assert_int_equal(rank_a, rank_b);
        assert_memory_equal(ra, rb, (size_t)m * sizeof *ra);
        assert_memory_equal(ca, cb, (size_t)n * sizeof *ca);
        assert_memory_equal(pa, pb, (size_t)(m < n ? m : n) * sizeof *pa);
    }
}

static void marked_columns__are_pivots_only_where_needed(void **unused) {
    (void)unused;
    test_random random = {test_seed(13)};
    for (int trial = 0; trial < 500; trial++) {
        /* m rows; `plain` columns span p dimensions, the marked ones the rest */
        int m = 4 + test_random_below(&random, 12), p = test_random_below(&random, m), plain = p + test_random_below(&random, 5);
        int n = plain + m + 2;
        double a[MOST * 2 * MOST], span[MOST * MOST];
        random_of_rank(&random, m, plain, p, a);
        random_of_rank(&random, m, m + 2, m, span);
        for (int i = 0; i < m * (m + 2); i++)
            a[m * plain + i] = 1e3 * span[i]; /* larger, so that plain complete pivoting would take them */
        uint8_t last[2 * MOST] = {0};
        for (int j = plain; j < n; j++)
            last[j] = 1;
        bl_index rows[MOST], cols[2 * MOST], rank;
        double pivot[MOST];
        bl_rank_reveal(m, n, a, NULL, NULL, last, 1e-9, rows, cols, &rank, pivot);
        assert_int_equal(rank, m);
        int taken = 0;
        for (int k = 0; k < rank; k++)
            taken += !last[cols[k]];
        assert_int_equal(taken, p);
    }
}

static void odd_input__is_answered(void **unused) {
    (void)unused;
    bl_index rows[3], cols[3], rank = -1;
    double zero[9] = {0}, pivot[3];
    bl_rank_reveal(3, 3, zero, NULL, NULL, NULL, 1e-9, rows, cols, &rank, pivot);
    assert_int_equal(rank, 0);
    bl_rank_reveal(0, 3, zero, NULL, NULL, NULL, 1e-9, rows, cols, &rank, NULL);
    assert_int_equal(rank, 0);
    double bad[9] = {NAN, 1, 0, 0, INFINITY, 0, 0, 0, 1};
    bl_rank_reveal(3, 3, bad, NULL, NULL, NULL, 1e-9, rows, cols, &rank, pivot);
    assert_in_range(rank, 0, 3);
}

static void least_norm__is_the_shortest_of_the_best(void **unused) {
    (void)unused;
    test_random random = {test_seed(14)};
    for (int trial = 0; trial < 500; trial++) {
        int m = 1 + test_random_below(&random, 20), n = 1 + test_random_below(&random, 20), least = m < n ? m : n;
        int r = 1 + test_random_below(&random, least);
        double a[MOST * MOST], copy[MOST * MOST], b[MOST], x[MOST], s[MOST], work[4000];
        random_of_rank(&random, m, n, r, a);
        memcpy(copy, a, sizeof a);
        singular_values(m, n, a, s);
        if (s[r - 1] < 1e-4 * s[0])
            continue;
        for (int i = 0; i < m; i++)
            x[i] = b[i] = test_random_symmetric(&random);
        bl_index rank;
        assert_true(bl_least_norm_work(m, n) <= sizeof work / sizeof work[0]);
        assert_int_equal(bl_least_norm(NULL, m, n, copy, 1e-9, x, &rank, work), BL_OK);
        assert_int_equal(rank, r);
        /* reference: x = sum_k v_k (u_k . b) / s_k */
        double u[MOST * MOST], vt[MOST * MOST], w[2000], ref[MOST] = {0};
        memcpy(copy, a, sizeof a);
        assert_int_equal(LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', m, n, copy, m, s, u, m, vt, n, w, 2000), 0);
        double size = 0;
        for (int k = 0; k < r; k++) {
            double c = 0;
            for (int i = 0; i < m; i++)
                c += u[i + k * m] * b[i];
            for (int j = 0; j < n; j++)
                ref[j] += vt[k + j * n] * c / s[k];
        }
        for (int j = 0; j < n; j++)
            size = fmax(size, fabs(ref[j]));
        double condition = s[0] / s[r - 1];
        for (int j = 0; j < n; j++)
            assert_true(fabs(x[j] - ref[j]) <= 1e-14 * (m + n) * condition * condition * (size + 1 / s[r - 1]));
    }
    double none[2] = {3, 4}, work[100];
    bl_index rank;
    assert_int_equal(bl_least_norm(NULL, 0, 2, NULL, 1e-9, none, &rank, work), BL_OK);
    assert_true(none[0] == 0 && none[1] == 0);
}

static void cholesky__reproduces_the_matrix_and_finds_the_bad_pivot(void **unused) {
    (void)unused;
    test_random random = {test_seed(15)};
    static double f[100 * 100], a[100 * 100], l[100 * 100];
    for (int n = 0; n <= 100; n += n < 20 ? 1 : 16) {
        for (int i = 0; i < n * n; i++)
            f[i] = test_random_symmetric(&random);
        double x[100], b[100] = {0};
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                double sum = i == j ? 1 : 0; /* F F^T + I: condition below n^2 */
                for (int k = 0; k < n; k++)
                    sum += f[i + k * n] * f[j + k * n];
                a[i + j * n] = l[i + j * n] = sum;
            }
        for (int j = 0; j < n; j++)
            x[j] = test_random_symmetric(&random);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                b[i] += a[i + j * n] * x[j];
        bl_index bad = -1;
        assert_int_equal(bl_cholesky(n, l, &bad), BL_OK);
        bl_cholesky_solve(n, l, b);
        for (int i = 0; i < n; i++)
            assert_true(fabs(b[i] - x[i]) <= 1e-15 * (n + 1) * (n + 1) * (n + 1));
        if (n < 3)
            continue;
        /* a negative pivot at k: the leading part is untouched, so the factorization stops exactly there */
        int k = n / 2;
        memcpy(l, a, sizeof l);
        l[k + k * n] = -1;
        assert_int_equal(bl_cholesky(n, l, &bad), BL_SINGULAR);
        assert_int_equal(bad, k);
        memcpy(l, a, sizeof l);
        l[k + k * n] = NAN;
        assert_int_equal(bl_cholesky(n, l, &bad), BL_SINGULAR);
        assert_int_equal(bad, k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank__equals_the_number_of_singular_values),
        cmocka_unit_test(scaling__makes_the_answer_free_of_units),
        cmocka_unit_test(marked_columns__are_pivots_only_where_needed),
        cmocka_unit_test(odd_input__is_answered),
        cmocka_unit_test(least_norm__is_the_shortest_of_the_best),
        cmocka_unit_test(cholesky__reproduces_the_matrix_and_finds_the_bad_pivot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
