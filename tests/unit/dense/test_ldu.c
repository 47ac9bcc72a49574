/* bl_ldu: random matrices of a known rank, rows of very different sizes, against what defines the results and against singular values. */
#include "dense/dense.h"
#include "sparse/sparse.h"
#include "support/matrices.h"
#include "support/testing.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, ROUNDS = 400 };

typedef struct problem {
    bl_index m, n, r;
    double a[MOST * MOST], size; /* column-major; largest entry */
    bl_ldu ldu;
    double *block;
    bl_index order[2 * MOST];
} problem;

static double entry(const problem *p, bl_index i, bl_index j) { return p->a[j * p->m + i]; }

/* a product of integers, so that the rank is exact; then every row times 10^u, u in [-3, 3] */
static void make(test_random *random, bool scaled, problem *p) {
    p->m = 1 + test_random_below(random, MOST);
    p->n = 1 + test_random_below(random, MOST);
    bl_index least = p->m < p->n ? p->m : p->n;
    memset(p->a, 0, sizeof p->a);
    p->r = test_random_below(random, least + 1);
    for (bl_index k = 0; k < p->r; k++) {
        double left[MOST], right[MOST];
        for (bl_index i = 0; i < p->m; i++)
            left[i] = i == k ? 9 : test_random_below(random, 9) - 4;
        for (bl_index j = 0; j < p->n; j++)
            right[j] = j == k ? 9 : test_random_below(random, 9) - 4;
        for (bl_index j = 0; j < p->n; j++)
            for (bl_index i = 0; i < p->m; i++)
                p->a[j * p->m + i] += left[i] * right[j];
    }
    p->size = 0;
    for (bl_index i = 0; i < p->m; i++) {
        double factor = scaled ? pow(10, 3 * test_random_symmetric(random)) : 1;
        for (bl_index j = 0; j < p->n; j++) {
            p->a[j * p->m + i] *= factor;
            p->size = fmax(p->size, fabs(entry(p, i, j)));
        }
    }
    p->block = calloc(bl_ldu_doubles(p->m, p->n) + 1, sizeof(double));
    assert_non_null(p->block);
    p->block[bl_ldu_doubles(p->m, p->n)] = 42; /* nothing is written behind */
    bl_ldu_place(&p->ldu, p->m, p->n, p->block, p->order);
    bl_ldu_factor(&p->ldu, p->a, 0);
    assert_int_equal(p->ldu.rank, p->r);
}

static void drop(problem *p) {
    assert_true(p->block[bl_ldu_doubles(p->m, p->n)] == 42);
    free(p->block);
}

static void factors__give_the_matrix_back_and_are_at_most_one(void **state) {
    (void)state;
    test_random random = {test_seed(11)};
    double worst = 0;
    for (int round = 0; round < ROUNDS; round++) {
        problem p;
        make(&random, true, &p);
        const bl_ldu *f = &p.ldu;
        for (bl_index i = 0; i < p.m; i++)
            for (bl_index j = 0; j < p.n; j++) {
                double sum = 0;
                for (bl_index k = 0; k < p.r && k <= i && k <= j; k++) {
                    double l = i == k ? 1 : f->lu[k * p.m + i], u = j == k ? 1 : f->lu[j * p.m + k];
                    assert_true(fabs(l) <= 1 && fabs(u) <= 1);
                    sum += l * f->lu[k * p.m + k] * u;
                }
                worst = fmax(worst, fabs(sum - entry(&p, f->row[i], f->col[j])) / fmax(p.size, DBL_MIN));
            }
        for (bl_index k = 1; k < p.r; k++) /* of complete pivoting: pivots hardly grow */
            assert_true(fabs(f->lu[k * p.m + k]) <= 4 * p.size);
        drop(&p);
    }
    print_message("largest |A - L D U| / max |A|: %.2e\n", worst);
    assert_true(worst < 1e-15);
}

static void null_spaces__are_complete_and_annihilated(void **state) {
    (void)state;
    test_random random = {test_seed(12)};
    double worst = 0;
    for (int round = 0; round < ROUNDS; round++) {
        problem p;
        double N[MOST * MOST], NL[MOST * MOST], s[MOST];
        make(&random, true, &p);
        bl_ldu_null(&p.ldu, N);
        bl_ldu_left_null(&p.ldu, NL);
        for (bl_index f = 0; f < p.n - p.r; f++)
            for (bl_index i = 0; i < p.m; i++) {
                double sum = 0;
                for (bl_index j = 0; j < p.n; j++)
                    sum += entry(&p, i, j) * N[f * p.n + j];
                worst = fmax(worst, fabs(sum) / p.size);
            }
        for (bl_index f = 0; f < p.m - p.r; f++) {
            double length = 0; /* rows of a small A are combined with large factors */
            for (bl_index i = 0; i < p.m; i++)
                length = fmax(length, fabs(NL[f * p.m + i]));
            for (bl_index j = 0; j < p.n; j++) {
                double sum = 0;
                for (bl_index i = 0; i < p.m; i++)
                    sum += entry(&p, i, j) * NL[f * p.m + i];
                assert_true(fabs(sum) <= 1e-14 * length * fmax(p.size, DBL_MIN));
            }
        }
        /* each basis holds a unit matrix: its smallest singular value is 1 at least */
        if (p.n > p.r) {
            test_singular_values(p.n, p.n - p.r, N, s);
            assert_true(s[p.n - p.r - 1] > 1 - 1e-12);
        }
        if (p.m > p.r) {
            test_singular_values(p.m, p.m - p.r, NL, s);
            assert_true(s[p.m - p.r - 1] > 1 - 1e-12);
        }
        drop(&p);
    }
    print_message("largest |A N| / max |A|: %.2e\n", worst);
    assert_true(worst < 1e-14);
}

/* x = A^+ b by LAPACK's singular values; returns how much larger than eps its relative error may be: condition + condition^2 times the
 * residual over |A| |x| (Bjorck 1996, section 1.4) */
static double by_singular_values(const problem *p, const double *b, double *x) {
    double a[MOST * MOST], s[MOST], both[MOST] = {0};
    lapack_int rank, m = p->m, n = p->n;
    memcpy(a, p->a, sizeof a);
    memcpy(both, b, (size_t)p->m * sizeof *b);
    assert_int_equal(LAPACKE_dgelss(LAPACK_COL_MAJOR, m, n, 1, a, m, both, m > n ? m : n, s, 1e-13, &rank), 0);
    assert_int_equal(rank, p->r);
    memcpy(x, both, (size_t)p->n * sizeof *x);
    if (p->r == 0)
        return 1;
    double condition = s[0] / s[p->r - 1], residual = 0, length = 0;
    for (bl_index i = 0; i < p->m; i++) {
        double sum = b[i];
        for (bl_index j = 0; j < p->n; j++)
            sum -= entry(p, i, j) * x[j];
        residual += sum * sum;
    }
    for (bl_index j = 0; j < p->n; j++)
        length += x[j] * x[j];
    return condition + condition * condition * sqrt(residual / length) / s[0];
}

static void compare(problem *p, const double *b, double *worst_dot) {
    double x[MOST], basic[MOST], expected[MOST], N[MOST * MOST], largest = DBL_MIN;
    double condition = by_singular_values(p, b, expected);
    bl_ldu_solve(&p->ldu, BL_LDU_MINIMUM_NORM, b, x);
    bl_ldu_solve(&p->ldu, BL_LDU_BASIC, b, basic);
    for (bl_index j = 0; j < p->n; j++)
        largest = fmax(largest, fabs(expected[j]));
    for (bl_index j = 0; j < p->n; j++)
        assert_true(fabs(x[j] - expected[j]) <= 200 * DBL_EPSILON * condition * largest);
    for (bl_index j = p->r; j < p->n; j++)
        assert_true(basic[p->ldu.col[j]] == 0);
    for (bl_index i = 0; i < p->m; i++) { /* both fit equally well */
        double difference = 0, length = 0;
        for (bl_index j = 0; j < p->n; j++) {
            difference += entry(p, i, j) * (x[j] - basic[j]);
            length += fabs(entry(p, i, j)) * (fabs(x[j]) + fabs(basic[j]));
        }
        assert_true(fabs(difference) <= 1e-12 * length);
    }
    bl_ldu_null(&p->ldu, N);
    for (bl_index f = 0; f < p->n - p->r; f++) {
        double dot = 0;
        for (bl_index j = 0; j < p->n; j++)
            dot += N[f * p->n + j] * x[j];
        *worst_dot = fmax(*worst_dot, fabs(dot) / largest);
    }
}

static void solutions__are_those_of_the_pseudo_inverse(void **state) {
    (void)state;
    test_random random = {test_seed(13)};
    double dot_scaled = 0, dot_any = 0;
    for (int round = 0; round < ROUNDS; round++) {
        problem p;
        double b[MOST] = {0}, x[MOST];
        make(&random, true, &p); /* rows of all sizes with a right-hand side that fits */
        for (bl_index j = 0; j < p.n; j++)
            x[j] = test_random_symmetric(&random);
        for (bl_index j = 0; j < p.n; j++)
            for (bl_index i = 0; i < p.m; i++)
                b[i] += entry(&p, i, j) * x[j];
        compare(&p, b, &dot_scaled);
        drop(&p);
        make(&random, false, &p); /* any right-hand side */
        for (bl_index i = 0; i < p.m; i++)
            b[i] = test_random_symmetric(&random);
        compare(&p, b, &dot_any);
        drop(&p);
    }
    print_message("largest |N^T x| / |x|: %.2e with rows of all sizes, %.2e with any b\n", dot_scaled, dot_any);
    assert_true(dot_scaled < 1e-14 && dot_any < 1e-14);
}

static void transposed_solution__fits_what_rows_can_make(void **state) {
    (void)state;
    test_random random = {test_seed(14)};
    for (int round = 0; round < ROUNDS; round++) {
        problem p;
        double y[MOST], b[MOST] = {0}, x[MOST];
        make(&random, false, &p);
        for (bl_index i = 0; i < p.m; i++)
            y[i] = test_random_symmetric(&random);
        for (bl_index j = 0; j < p.n; j++)
            for (bl_index i = 0; i < p.m; i++)
                b[j] += entry(&p, i, j) * y[i];
        bl_ldu_solve_transposed(&p.ldu, b, x);
        for (bl_index i = p.r; i < p.m; i++)
            assert_true(x[p.ldu.row[i]] == 0);
        for (bl_index j = 0; j < p.n; j++) {
            double sum = 0;
            for (bl_index i = 0; i < p.m; i++)
                sum += entry(&p, i, j) * x[i];
            assert_true(fabs(sum - b[j]) <= 1e-11 * p.size);
        }
        drop(&p);
    }
}

/* a matrix near the last one needs no search; bad old pivots are reported, and a new search does not depend on them */
static void kept_pivots__serve_while_they_are_good(void **state) {
    (void)state;
    test_random random = {test_seed(15)};
    for (int round = 0; round < ROUNDS; round++) {
        problem p;
        double near[MOST * MOST], far[MOST * MOST], N[MOST * MOST];
        make(&random, false, &p);
        for (bl_index k = 0; k < p.m * p.n; k++)
            near[k] = p.a[k] * (1 + 1e-3 * test_random_symmetric(&random));
        bool kept = bl_ldu_refactor(&p.ldu, near, 8);
        if (p.r < p.m) {
            assert_false(kept);
            drop(&p);
            continue;
        }
        assert_true(kept && p.ldu.rank == p.m);
        bl_ldu_null(&p.ldu, N);
        for (bl_index f = 0; f < p.n - p.r; f++)
            for (bl_index i = 0; i < p.m; i++) {
                double sum = 0;
                for (bl_index j = 0; j < p.n; j++)
                    sum += near[j * p.m + i] * N[f * p.n + j];
                assert_true(fabs(sum) < 1e-13 * p.size);
            }
        memcpy(far, near, sizeof far);
        for (bl_index j = 0; j < p.n; j++)
            far[j * p.m + p.ldu.row[0]] *= j == p.ldu.col[0] ? 1e-9 : 1; /* the first pivot fades */
        if (p.n > 1 && p.m > 0) {
            double rest = 0;
            for (bl_index j = 0; j < p.n; j++)
                rest = j == p.ldu.col[0] ? rest : fmax(rest, fabs(far[j * p.m + p.ldu.row[0]]));
            bool refused = !bl_ldu_refactor(&p.ldu, far, 8);
            assert_true(refused || rest < 1e-7 * p.size);
            if (refused)
                assert_int_equal(p.ldu.rank, 0);
        }
        drop(&p);
    }
}

/* at o = (1, 1, 1, 1) / 2 the row 2 o^T of a quaternion, by hand: N = [-1 -1 -1; I], minimum norm of 2 o.x = c is c o / 2 */
static void quaternion_row__by_hand(void **state) {
    (void)state;
    double a[4] = {1, 1, 1, 1}, b = 0.895, block[64], N[12], x[4];
    bl_index order[5];
    bl_ldu ldu;
    assert_true(bl_ldu_doubles(1, 4) <= 64);
    bl_ldu_place(&ldu, 1, 4, block, order);
    bl_ldu_factor(&ldu, a, 0);
    assert_int_equal(ldu.rank, 1);
    bl_ldu_null(&ldu, N);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++)
            assert_true(N[4 * k + i] == (i == 0 ? -1 : i == k + 1));
    double minus = -b; /* H o'' = -(H' o'): the particular acceleration of the worked example */
    bl_ldu_solve(&ldu, BL_LDU_MINIMUM_NORM, &minus, x);
    for (int i = 0; i < 4; i++)
        assert_true(fabs(x[i] + 0.22375) < 1e-16);
}

static void zero_and_not_finite__have_a_rank(void **state) {
    (void)state;
    double zero[6] = {0}, broken[4] = {1, NAN, INFINITY, 1}, block[128], N[9], b[2] = {1, 2}, x[3];
    bl_index order[6];
    bl_ldu ldu;
    assert_true(bl_ldu_doubles(2, 3) <= 128);
    bl_ldu_place(&ldu, 2, 3, block, order);
    bl_ldu_factor(&ldu, zero, 0);
    assert_int_equal(ldu.rank, 0);
    bl_ldu_null(&ldu, N);
    bl_ldu_solve(&ldu, BL_LDU_MINIMUM_NORM, b, x);
    for (int k = 0; k < 9; k++)
        assert_true(N[k] == (k % 4 == 0));
    assert_true(x[0] == 0 && x[1] == 0 && x[2] == 0);
    bl_ldu_place(&ldu, 2, 2, block, order);
    bl_ldu_factor(&ldu, broken, 0);
    assert_int_equal(ldu.rank, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors__give_the_matrix_back_and_are_at_most_one),
        cmocka_unit_test(null_spaces__are_complete_and_annihilated),
        cmocka_unit_test(solutions__are_those_of_the_pseudo_inverse),
        cmocka_unit_test(transposed_solution__fits_what_rows_can_make),
        cmocka_unit_test(kept_pivots__serve_while_they_are_good),
        cmocka_unit_test(quaternion_row__by_hand),
        cmocka_unit_test(zero_and_not_finite__have_a_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
