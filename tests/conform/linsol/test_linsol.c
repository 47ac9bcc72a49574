/* Every linear solver compared with LAPACK on random sparse matrices. A solver in linsol_list.h is tested. Solvers for symmetric matrices
 * get symmetric ones, those for positive definite matrices get these; iterative ones must reach their tolerance, and need not identify
 * dependent rows; solvers that this build lacks are skipped. BIELA_LINSOL=name tests a single one. */
#include "linsol/linsol_limits.h"
#include "linsol/rank_decision.h"
#include "order/order.h"
#include "support/matrices.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };
static const double TOLERANCE = 1e-9;

static bl_linsol *make(bl_context *ctx, const bl_linsol_kind *kind) {
    bl_linsol *solver = NULL;
    assert_int_equal(bl_linsol_create(ctx, kind->kind.name, &solver), BL_OK);
    assert_ptr_equal(solver->kind, kind);
    return solver;
}

static bool tested(const bl_linsol_kind *kind) {
    const char *only = getenv("BIELA_LINSOL");
    if (only && strcmp(only, kind->kind.name) != 0)
        return false;
    bl_context *ctx = test_context(NULL);
    bl_linsol *solver = NULL;
    bl_status status = bl_linsol_create(ctx, kind->kind.name, &solver);
    assert_true(status == BL_OK || status == BL_E_ABILITY);
    bl_linsol_destroy(solver);
    test_context_end(ctx);
    return status == BL_OK;
}

static bool symmetric_only(const bl_linsol_kind *kind) { return kind->kind.needs & BL_LINSOL_SYMMETRIC; }
static bool definite_only(const bl_linsol_kind *kind) { return kind->kind.needs & BL_LINSOL_DEFINITE; }
static bool iterative(const bl_linsol_kind *kind) { return kind->kind.gives & BL_LINSOL_ITERATIVE; }

/* The upper triangle is decisive; diagonals of random sign dominate the rest of their row and column, so that no pivoting is needed. */
static void make_symmetric(const bl_linsol_kind *kind, bl_index n, double *a) {
    double sum[MOST] = {0};
    for (bl_index j = 0; j < n; j++)
        for (bl_index i = 0; i < j; i++) {
            a[j + i * n] = a[i + j * n];
            sum[i] += fabs(a[i + j * n]);
            sum[j] += fabs(a[i + j * n]);
        }
    for (bl_index i = 0; i < n; i++)
        a[i + i * n] = (a[i + i * n] < 0 && !definite_only(kind) ? -1 : 1) * (fabs(a[i + i * n]) + 0.2 + sum[i]);
}

static test_matrix random_matrix(bl_context *ctx, const bl_linsol_kind *kind, test_random *random, bl_index n, bl_index nnz) {
    test_matrix matrix = test_matrix_random(ctx, random, n, nnz);
    if (!symmetric_only(kind))
        return matrix;
    double a[MOST * MOST];
    test_matrix_dense(&matrix, a);
    make_symmetric(kind, n, a);
    test_matrix_free(&matrix);
    return test_matrix_from(ctx, n, a, NULL);
}

static void refill(const bl_linsol_kind *kind, test_matrix *matrix, test_random *random) {
    double a[MOST * MOST];
    test_matrix_fill(matrix, random);
    if (!symmetric_only(kind))
        return;
    test_matrix_dense(matrix, a);
    make_symmetric(kind, matrix->n, a);
    for (bl_index j = 0; j < matrix->n; j++)
        for (bl_index k = matrix->pattern.ptr[j]; k < matrix->pattern.ptr[j + 1]; k++)
            matrix->values[k] = a[matrix->pattern.idx[k] + j * matrix->n];
}

/* Iterative solvers stop at 1e-10 of the right-hand side in the norm of M^-1; diagonals of M are between 0.2 and 2 n, and largest entries
 * are at least 1 / sqrt(n) of a norm: sqrt(10 n) sqrt(n) times as much. */
static double left_over(const bl_linsol_kind *kind, bl_index n) { return iterative(kind) ? 1e-10 * 4 * (n + 1) : 0; }

/* Backward error of elimination: n eps, times the growth of threshold pivoting (a hundred is generous for random matrices). */
static double backward(const bl_linsol_kind *kind, bl_index n) { return 100 * DBL_EPSILON * (n + 1) + left_over(kind, n); }

/* With pivots kept from other values, growth may reach 1 / linsol_decay before new ones are chosen. */
static double backward_kept(const bl_linsol_kind *kind, bl_index n) { return DBL_EPSILON * (n + 1) / linsol_decay + left_over(kind, n); }

static void check_solve(bl_linsol *solver, const test_matrix *matrix, bool transposed, double bound, test_random *random) {
    bl_index n = matrix->n, nrhs = 1 + test_random_below(random, 6);
    double b[6 * MOST], x[6 * MOST];
    for (bl_index i = 0; i < n * nrhs; i++)
        x[i] = b[i] = test_random_symmetric(random);
    assert_int_equal(bl_linsol_solve(solver, transposed, nrhs, x), BL_OK);
    for (bl_index c = 0; c < nrhs; c++)
        if (!(test_matrix_residual(matrix, transposed, x + c * n, b + c * n) <= bound))
            fail_msg("%s: n %d, right-hand side %d of %d%s: residual %g", solver->kind->kind.name, n, c, nrhs,
                     transposed ? ", transposed" : "", test_matrix_residual(matrix, transposed, x + c * n, b + c * n));
}

static double condition(const test_matrix *matrix) {
    static double a[MOST * MOST], s[MOST];
    test_matrix_dense(matrix, a);
    test_singular_values(matrix->n, matrix->n, a, s);
    return s[0] / s[matrix->n - 1];
}

static void every_solver__solves_random_sparse_systems(void **unused) {
    (void)unused;
    uint64_t seed = test_seed(101);
    bl_context *ctx = test_context(NULL);
    for (size_t k = 0; k < bl_linsol_kind_count; k++) {
        if (!tested(bl_linsol_kinds[k]))
            continue;
        test_random random = {seed};
        for (int trial = 0; trial < 1500; trial++) {
            bl_index n = 1 + test_random_below(&random, trial % 10 ? 25 : MOST);
            test_matrix matrix = random_matrix(ctx, bl_linsol_kinds[k], &random, n, n + test_random_below(&random, 5 * n + 1));
            bl_linsol *solver = make(ctx, bl_linsol_kinds[k]);
            double first = condition(&matrix);
            assert_int_equal(bl_linsol_analyze(solver, &matrix.pattern, NULL, BL_REFUSE, TOLERANCE), BL_OK);
            bl_status status = bl_linsol_factor(solver, matrix.values);
            if (status == BL_OK || first < 1e6) { /* worse ones may be refused legitimately */
                assert_int_equal(status, BL_OK);
                assert_int_equal(solver->stats.rank, n);
                assert_int_equal(solver->stats.ndependent, 0);
                assert_true(solver->stats.worst_pivot > 0 && solver->stats.worst_pivot <= 1);
                check_solve(solver, &matrix, false, backward(solver->kind, n), &random);
                if (solver->kind->kind.gives & BL_LINSOL_TRANSPOSED)
                    check_solve(solver, &matrix, true, backward(solver->kind, n), &random);
                /* other values on the same pattern */
                for (int again = 0; again < 3; again++) {
                    refill(bl_linsol_kinds[k], &matrix, &random);
                    status = bl_linsol_update(solver, matrix.values);
                    if (status != BL_OK && condition(&matrix) > 1e6)
                        break;
                    assert_int_equal(status, BL_OK);
                    check_solve(solver, &matrix, false, backward_kept(solver->kind, n), &random);
                    check_solve(solver, &matrix, true, backward_kept(solver->kind, n), &random);
                }
            }
            bl_linsol_destroy(solver);
            test_matrix_free(&matrix);
        }
    }
    test_context_end(ctx);
}

static void every_solver__agrees_with_lapack(void **unused) {
    (void)unused;
    uint64_t seed = test_seed(102);
    bl_context *ctx = test_context(NULL);
    for (size_t k = 0; k < bl_linsol_kind_count; k++) {
        if (!tested(bl_linsol_kinds[k]))
            continue;
        test_random random = {seed};
        for (int trial = 0; trial < 300; trial++) {
            bl_index n = 1 + test_random_below(&random, 30);
            test_matrix matrix = random_matrix(ctx, bl_linsol_kinds[k], &random, n, 4 * n);
            double a[MOST * MOST], x[MOST], reference[MOST], size = 0, kappa = condition(&matrix);
            lapack_int swap[MOST];
            for (bl_index i = 0; i < n; i++)
                x[i] = reference[i] = test_random_symmetric(&random);
            test_matrix_dense(&matrix, a);
            bl_linsol *solver = make(ctx, bl_linsol_kinds[k]);
            assert_int_equal(bl_linsol_analyze(solver, &matrix.pattern, NULL, BL_REFUSE, TOLERANCE), BL_OK);
            if (kappa < 1e6) {
                assert_int_equal(bl_linsol_factor(solver, matrix.values), BL_OK);
                assert_int_equal(LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, swap), 0);
                assert_int_equal(LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, a, n, swap, reference, n), 0);
                assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
                for (bl_index i = 0; i < n; i++)
                    size = fmax(size, fabs(reference[i]));
                for (bl_index i = 0; i < n; i++)
                    assert_true(fabs(x[i] - reference[i]) <= backward(solver->kind, n) * sqrt(n) * kappa * size);
                /* the same values again, with kept pivots: the same solution up to rounding */
                double y[MOST];
                assert_int_equal(bl_linsol_refactor(solver, matrix.values), BL_OK);
                memcpy(y, x, sizeof y);
                bl_csc_multiply(&matrix.pattern, matrix.values, x, memset(y, 0, sizeof y));
                assert_int_equal(bl_linsol_solve(solver, false, 1, y), BL_OK);
                for (bl_index i = 0; i < n; i++)
                    assert_true(fabs(x[i] - y[i]) <= backward(solver->kind, n) * sqrt(n) * kappa * size);
            }
            bl_linsol_destroy(solver);
            test_matrix_free(&matrix);
        }
    }
    test_context_end(ctx);
}

/* symmetric matrices: eigenvalues by LAPACK. A solver that does not know them must report that. */
static void signs__are_those_of_eigenvalues(void **unused) {
    (void)unused;
    uint64_t seed = test_seed(109);
    bl_context *ctx = test_context(NULL);
    for (size_t k = 0; k < bl_linsol_kind_count; k++) {
        const bl_linsol_kind *kind = bl_linsol_kinds[k];
        if (!tested(kind) || (!kind->negative && !kind->sign))
            continue;
        test_random random = {seed};
        for (int trial = 0; trial < 200; trial++) {
            bl_index n = 1 + test_random_below(&random, 30), below = 0;
            test_matrix made = test_matrix_random(ctx, &random, n, 4 * n);
            double a[MOST * MOST], w[MOST];
            test_matrix_dense(&made, a);
            make_symmetric(kind, n, a);
            test_matrix matrix = test_matrix_from(ctx, n, a, NULL);
            bl_linsol *solver = make(ctx, kind);
            assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', n, a, n, w), 0);
            for (bl_index i = 0; i < n; i++)
                below += w[i] < 0;
            assert_int_equal(bl_linsol_analyze(solver, &matrix.pattern, NULL, BL_REFUSE, TOLERANCE), BL_OK);
            for (int again = 0; again < 2; again++) {
                assert_int_equal(bl_linsol_update(solver, matrix.values), BL_OK);
                bl_index negative = kind->negative ? kind->negative(solver) : -1;
                int sign = kind->sign ? kind->sign(solver) : 0;
                assert_true(negative == below || (negative == -1 && !symmetric_only(kind)));
                assert_true(sign == (below % 2 ? -1 : 1) || (sign == 0 && strcmp(kind->kind.name, "auto") == 0));
            }
            bl_linsol_destroy(solver);
            test_matrix_free(&matrix);
            test_matrix_free(&made);
        }
    }
    test_context_end(ctx);
}

static void every_solver__takes_a_given_column_order(void **unused) {
    (void)unused;
    uint64_t seed = test_seed(103);
    bl_context *ctx = test_context(NULL);
    for (size_t k = 0; k < bl_linsol_kind_count; k++) {
        if (!tested(bl_linsol_kinds[k]))
            continue;
        test_random random = {seed};
        for (int trial = 0; trial < 200; trial++) {
            bl_index n = 1 + test_random_below(&random, 30), order[MOST];
            test_matrix matrix = random_matrix(ctx, bl_linsol_kinds[k], &random, n, 3 * n);
            for (bl_index i = 0; i < n; i++) {
                bl_index j = test_random_below(&random, i + 1);
                order[i] = order[j];
                order[j] = i;
            }
            bl_ordering ordering = {.nrow = n, .ncol = n, .col = order};
            bl_linsol *solver = make(ctx, bl_linsol_kinds[k]);
            assert_int_equal(bl_linsol_analyze(solver, &matrix.pattern, &ordering, BL_REFUSE, TOLERANCE), BL_OK);
            if (condition(&matrix) < 1e6) {
                assert_int_equal(bl_linsol_factor(solver, matrix.values), BL_OK);
                check_solve(solver, &matrix, false, backward(solver->kind, n), &random);
                check_solve(solver, &matrix, true, backward(solver->kind, n), &random);
            }
            bl_linsol_destroy(solver);
            test_matrix_free(&matrix);
        }
    }
    test_context_end(ctx);
}

/* one row is made a combination of two others; only those three may be reported, and without the reported one the rest has full rank */
static void every_solver__refuses_a_singular_matrix_and_names_the_row(void **unused) {
    (void)unused;
    uint64_t seed = test_seed(104);
    bl_context *ctx = test_context(NULL);
    for (size_t k = 0; k < bl_linsol_kind_count; k++) {
        if (!tested(bl_linsol_kinds[k]) || iterative(bl_linsol_kinds[k]))
            continue;
        test_random random = {seed};
        for (int trial = 0; trial < 500; trial++) {
            bl_index n = 3 + test_random_below(&random, 20);
            test_matrix matrix = random_matrix(ctx, bl_linsol_kinds[k], &random, n, 4 * n);
            double a[MOST * MOST], s[MOST];
            test_matrix_dense(&matrix, a);
            test_singular_values(n, n, a, s);
            bl_index one = test_random_below(&random, n), two = (one + 1) % n, made = (one + 2) % n;
            for (bl_index j = 0; j < n; j++)
                a[made + j * n] = 0.7 * a[one + j * n] - 1.3 * a[two + j * n];
            for (bl_index i = 0; symmetric_only(bl_linsol_kinds[k]) && i < n; i++)
                a[i + made * n] = 0.7 * a[i + one * n] - 1.3 * a[i + two * n];
            double t[MOST];
            test_singular_values(n, n, a, t);
            bool clear = t[n - 2] > 1e-5 * t[0];
            test_matrix singular = test_matrix_from(ctx, n, a, NULL);
            bl_linsol *solver = make(ctx, bl_linsol_kinds[k]);
            assert_int_equal(bl_linsol_analyze(solver, &singular.pattern, NULL, BL_REFUSE, TOLERANCE), BL_OK);
            if (clear) {
                bl_context_clear_error(ctx);
                assert_int_equal(bl_linsol_factor(solver, singular.values), BL_SINGULAR);
                assert_int_equal(solver->stats.rank, n - 1);
                assert_int_equal(solver->stats.ndependent, 1);
                bl_index row = solver->stats.dependent[0];
                assert_true(row == one || row == two || row == made);
                char number[16];
                snprintf(number, sizeof number, " %d", row);
                assert_non_null(strstr(bl_context_error(ctx)->what, number));
                /* it is refused until the values are regular */
                double x[MOST] = {0};
                assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_E_ARG);
                assert_int_equal(bl_linsol_refactor(solver, singular.values), BL_SINGULAR);
            }
            bl_linsol_destroy(solver);
            test_matrix_free(&singular);
            test_matrix_free(&matrix);
        }
    }
    test_context_end(ctx);
}

/* [M G^T; G 0] with redundant rows of G: accelerations are those of the independent rows alone, forces G^T lambda too */
static void check_kkt(bl_linsol *solver, bl_deficient deficient, const test_kkt *kkt, const double *values, test_random *random) {
    bl_index nv = kkt->nv, np = kkt->np, r = kkt->rank, n = nv + np, m = nv + r;
    double small[MOST * MOST] = {0}, reference[MOST], x[MOST], b[MOST] = {0}, truth[MOST];
    lapack_int swap[MOST];
    for (bl_index j = 0; j < nv; j++) {
        truth[j] = test_random_symmetric(random);
        reference[j] = b[j] = test_random_symmetric(random);
        memcpy(small + j * m, kkt->M + j * nv, (size_t)nv * sizeof *small);
        for (bl_index i = 0; i < r; i++)
            small[nv + i + j * m] = small[j + (nv + i) * m] = kkt->G[i + j * np];
    }
    for (bl_index i = 0; i < np; i++) { /* consistent: right-hand sides of the rows follow from some acceleration */
        b[nv + i] = 0;
        for (bl_index j = 0; j < nv; j++)
            b[nv + i] += kkt->G[i + j * np] * truth[j];
        if (i < r)
            reference[nv + i] = b[nv + i];
    }
    assert_int_equal(LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, m, m, small, m, swap), 0);
    assert_int_equal(LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', m, 1, small, m, swap, reference, m), 0);
    memcpy(x, b, sizeof x);
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
    double tolerance = 1e-10; /* condition below 1e4 by construction, checked by the caller */
    for (bl_index j = 0; j < nv; j++) {
        assert_true(fabs(x[j] - reference[j]) <= tolerance);
        double force = 0, expected = 0;
        for (bl_index i = 0; i < np; i++)
            force += kkt->G[i + j * np] * x[nv + i];
        for (bl_index i = 0; i < r; i++)
            expected += kkt->G[i + j * np] * reference[nv + i];
        assert_true(fabs(force - expected) <= tolerance);
    }
    if (deficient == BL_DROP) {
        for (bl_index k = 0; k < solver->stats.ndependent; k++) {
            assert_in_range(solver->stats.dependent[k], nv, n - 1);
            assert_true(x[solver->stats.dependent[k]] == 0);
        }
    } else {
        double a[MOST * MOST], shortest[MOST];
        for (int transposed = 0; transposed < 2; transposed++) {
            test_matrix_dense(&(test_matrix){.n = n, .pattern = kkt->matrix.pattern, .values = (double *)values}, a);
            test_pseudo_inverse(n, a, 1e-8, transposed, b, shortest);
            memcpy(x, b, sizeof x);
            assert_int_equal(bl_linsol_solve(solver, transposed, 1, x), BL_OK);
            for (bl_index i = 0; i < n; i++)
                assert_true(fabs(x[i] - shortest[i]) <= tolerance * 10);
        }
    }
}

static void redundant_constraints(bl_deficient deficient, uint32_t gives, uint64_t seed) {
    bl_context *ctx = test_context(NULL);
    for (size_t k = 0; k < bl_linsol_kind_count; k++) {
        test_random random = {seed};
        if (!(bl_linsol_kinds[k]->kind.gives & gives) || !tested(bl_linsol_kinds[k]))
            continue;
        int checked = 0;
        for (int trial = 0; trial < 400; trial++) {
            bl_index nv = 4 + test_random_below(&random, 20), rank = 1 + test_random_below(&random, nv - 2);
            bl_index np = rank + test_random_below(&random, 5);
            test_kkt kkt = test_kkt_random(ctx, &random, nv, np, rank);
            double s[MOST];
            test_singular_values(np, nv, kkt.G, s);
            bl_linsol *solver = make(ctx, bl_linsol_kinds[k]);
            assert_int_equal(bl_linsol_analyze(solver, &kkt.matrix.pattern, NULL, deficient, TOLERANCE), BL_OK);
            if (s[rank - 1] > 1e-2 * s[0]) {
                checked++;
                assert_int_equal(bl_linsol_factor(solver, kkt.matrix.values), BL_OK);
                assert_int_equal(solver->stats.rank, nv + rank);
                assert_int_equal(solver->stats.ndependent, np - rank);
                check_kkt(solver, deficient, &kkt, kkt.matrix.values, &random);
                /* all masses doubled: the kept rows are used again */
                for (bl_index j = 0; j < nv; j++)
                    for (bl_index p = kkt.matrix.pattern.ptr[j]; p < kkt.matrix.pattern.ptr[j + 1]; p++)
                        if (kkt.matrix.pattern.idx[p] < nv)
                            kkt.matrix.values[p] *= 2;
                for (bl_index i = 0; i < nv * nv; i++)
                    kkt.M[i] *= 2;
                assert_int_equal(bl_linsol_refactor(solver, kkt.matrix.values), BL_OK);
                check_kkt(solver, deficient, &kkt, kkt.matrix.values, &random);
            }
            bl_linsol_destroy(solver);
            test_kkt_free(&kkt);
        }
        assert_true(checked > 200);
    }
    test_context_end(ctx);
}

static void redundant_constraints__dropped_give_the_right_accelerations(void **unused) {
    (void)unused;
    redundant_constraints(BL_DROP, BL_LINSOL_DROP, test_seed(105));
}

static void redundant_constraints__minimum_norm_gives_the_shortest_multipliers(void **unused) {
    (void)unused;
    redundant_constraints(BL_MIN_NORM, BL_LINSOL_MIN_NORM, test_seed(106));
}

static void unable_policy__is_refused_with_a_solver_that_can(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {1};
    static const uint32_t needs[] = {BL_LINSOL_REFUSE, BL_LINSOL_DROP, BL_LINSOL_MIN_NORM};
    for (size_t k = 0; k < bl_linsol_kind_count; k++)
        for (int policy = 0; policy < 3 && tested(bl_linsol_kinds[k]); policy++) {
            test_matrix matrix = random_matrix(ctx, bl_linsol_kinds[k], &random, 5, 10);
            bl_linsol *solver = make(ctx, bl_linsol_kinds[k]);
            bool can = bl_linsol_kinds[k]->kind.gives & needs[policy];
            bl_status status = bl_linsol_analyze(solver, &matrix.pattern, NULL, (bl_deficient)policy, TOLERANCE);
            assert_int_equal(status, can ? BL_OK : BL_E_ABILITY);
            if (!can)
                assert_non_null(strstr(bl_context_error(ctx)->advice, "dense"));
            bl_linsol_destroy(solver);
            test_matrix_free(&matrix);
        }
    test_context_end(ctx);
}

/* a diagonal 1, 1, e: rows dropped while e = 0 must return when e grows */
static void dropped_rows__are_noticed_when_they_become_independent(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    double a[9] = {2, 1, 1, 1, 2, 1, 3, 3, 2};    /* third row is a third of the sum of the first two */
    double both[9] = {2, 1, 3, 1, 2, 3, 3, 3, 6}; /* third row and column are the sum of the first two */
    for (size_t k = 0; k < bl_linsol_kind_count; k++)
        for (int policy = BL_DROP; policy <= BL_MIN_NORM && tested(bl_linsol_kinds[k]); policy++) {
            test_matrix matrix = test_matrix_from(ctx, 3, symmetric_only(bl_linsol_kinds[k]) ? both : a, NULL);
            bl_linsol *solver = make(ctx, bl_linsol_kinds[k]);
            if (solver->kind->kind.gives & (policy == BL_DROP ? BL_LINSOL_DROP : BL_LINSOL_MIN_NORM)) {
                assert_int_equal(bl_linsol_analyze(solver, &matrix.pattern, NULL, (bl_deficient)policy, TOLERANCE), BL_OK);
                assert_int_equal(bl_linsol_factor(solver, matrix.values), BL_OK);
                assert_int_equal(solver->stats.rank, 2);
                matrix.values[8] += 1e-12; /* still zero */
                assert_int_equal(bl_linsol_refactor(solver, matrix.values), BL_OK);
                matrix.values[8] += 0.5;
                assert_int_equal(bl_linsol_refactor(solver, matrix.values), BL_SINGULAR);
                assert_int_equal(bl_linsol_factor(solver, matrix.values), BL_OK);
                assert_int_equal(solver->stats.rank, 3);
                double x[3] = {1, 2, 3}, b[3] = {1, 2, 3};
                assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
                assert_true(test_matrix_residual(&matrix, false, x, b) <= backward(solver->kind, 3));
            }
            bl_linsol_destroy(solver);
            test_matrix_free(&matrix);
        }
    test_context_end(ctx);
}

/* units: rows in newtons and micrometers, columns likewise, over ten decades; neither rank nor accuracy may suffer */
static void badly_scaled__systems_keep_rank_and_accuracy(void **unused) {
    (void)unused;
    uint64_t seed = test_seed(107);
    bl_context *ctx = test_context(NULL);
    for (size_t k = 0; k < bl_linsol_kind_count; k++) {
        if (!tested(bl_linsol_kinds[k]))
            continue;
        test_random random = {seed};
        for (int trial = 0; trial < 200; trial++) {
            bl_index n = 2 + test_random_below(&random, 20);
            test_matrix matrix = random_matrix(ctx, bl_linsol_kinds[k], &random, n, 3 * n);
            double row[MOST], col[MOST], b[MOST], x[MOST], y[MOST], size = 0, kappa = condition(&matrix);
            for (bl_index i = 0; i < n; i++) {
                row[i] = trial % 3 == 0 ? 1 : ldexp(1, trial % 3 == 1 ? test_random_below(&random, 36) : test_random_below(&random, 18));
                col[i] = trial % 3 == 1 ? 1 : ldexp(1, trial % 3 == 0 ? test_random_below(&random, 36) : test_random_below(&random, 18));
                if (symmetric_only(bl_linsol_kinds[k]))
                    col[i] = 1 / (row[i] = ldexp(1, test_random_below(&random, 18)));
                b[i] = x[i] = test_random_symmetric(&random);
                y[i] = b[i] * row[i];
            }
            bl_linsol *plain = make(ctx, bl_linsol_kinds[k]), *scaled = make(ctx, bl_linsol_kinds[k]);
            if (kappa < 1e5) {
                assert_int_equal(bl_linsol_analyze(plain, &matrix.pattern, NULL, BL_REFUSE, TOLERANCE), BL_OK);
                assert_int_equal(bl_linsol_factor(plain, matrix.values), BL_OK);
                assert_int_equal(bl_linsol_solve(plain, false, 1, x), BL_OK);
                for (bl_index j = 0; j < n; j++)
                    for (bl_index p = matrix.pattern.ptr[j]; p < matrix.pattern.ptr[j + 1]; p++)
                        matrix.values[p] *= row[matrix.pattern.idx[p]] / col[j];
                assert_int_equal(bl_linsol_analyze(scaled, &matrix.pattern, NULL, BL_REFUSE, TOLERANCE), BL_OK);
                assert_int_equal(bl_linsol_factor(scaled, matrix.values), BL_OK);
                assert_int_equal(bl_linsol_solve(scaled, false, 1, y), BL_OK);
                for (bl_index i = 0; i < n; i++)
                    size = fmax(size, fabs(x[i]));
                for (bl_index i = 0; i < n; i++)
                    assert_true(fabs(y[i] / col[i] - x[i]) <= 100 * backward(bl_linsol_kinds[k], n) * kappa * size);
            }
            bl_linsol_destroy(plain);
            bl_linsol_destroy(scaled);
            test_matrix_free(&matrix);
        }
    }
    test_context_end(ctx);
}

/* a row that decreases is compared with its earlier size; one of rounding errors only is zero from the start */
static void vanishing_row__is_named(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    for (size_t k = 0; k < bl_linsol_kind_count; k++) {
        if (!tested(bl_linsol_kinds[k]) || iterative(bl_linsol_kinds[k]))
            continue;
        double a[9] = {3, 1, 1, 1, 4, 1, 1, 1, 5};
        test_matrix matrix = test_matrix_from(ctx, 3, a, NULL);
        bl_linsol *solver = make(ctx, bl_linsol_kinds[k]);
        assert_int_equal(bl_linsol_analyze(solver, &matrix.pattern, NULL, BL_REFUSE, TOLERANCE), BL_OK);
        assert_int_equal(bl_linsol_factor(solver, matrix.values), BL_OK);
        for (int fade = 0; fade < 2; fade++) {
            for (bl_index p = 0; p < 9; p++)
                if (matrix.pattern.idx[p] == 1 || (p / 3 == 1 && symmetric_only(bl_linsol_kinds[k])))
                    matrix.values[p] *= fade ? 1e-4 : 1e-11;
            if (fade) /* a new solver has no memory of the row */
                assert_int_equal(bl_linsol_analyze(solver, &matrix.pattern, NULL, BL_REFUSE, TOLERANCE), BL_OK);
            assert_int_equal(bl_linsol_factor(solver, matrix.values), BL_SINGULAR);
            assert_int_equal(solver->stats.ndependent, 1);
            assert_int_equal(solver->stats.dependent[0], 1);
        }
        bl_linsol_destroy(solver);
        test_matrix_free(&matrix);
    }
    test_context_end(ctx);
}

/* a steep law far from its solution makes one matrix very large, in a row or completely: the next ones are regular again */
static void huge_matrix__leaves_no_scales_behind(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    for (size_t k = 0; k < bl_linsol_kind_count; k++) {
        if (!tested(bl_linsol_kinds[k]))
            continue;
        for (int whole = symmetric_only(bl_linsol_kinds[k]); whole < 2; whole++) {
            double a[9] = {3, 1, 1, 1, 4, 1, 1, 1, 5}, b[3] = {5, 6, 7};
            test_matrix matrix = test_matrix_from(ctx, 3, a, NULL), huge = test_matrix_from(ctx, 3, a, NULL);
            for (bl_index p = 0; p < 9; p++)
                huge.values[p] *= whole || huge.pattern.idx[p] == 1 ? 1e43 : 1;
            bl_linsol *solver = make(ctx, bl_linsol_kinds[k]);
            solver->rescales = true;
            assert_int_equal(bl_linsol_analyze(solver, &matrix.pattern, NULL, BL_REFUSE, TOLERANCE), BL_OK);
            assert_int_equal(bl_linsol_factor(solver, matrix.values), BL_OK);
            bl_linsol_factor(solver, huge.values); /* any result is accepted */
            assert_int_equal(bl_linsol_factor(solver, matrix.values), BL_OK);
            assert_int_equal(bl_linsol_solve(solver, false, 1, b), BL_OK);
            for (int i = 0; i < 3; i++)
                assert_true(fabs(b[i] - 1) < 1e-14 + 10 * left_over(bl_linsol_kinds[k], 3));
            bl_linsol_destroy(solver);
            test_matrix_free(&matrix);
            test_matrix_free(&huge);
        }
    }
    test_context_end(ctx);
}

static void not_a_number__is_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {7};
    for (size_t k = 0; k < bl_linsol_kind_count; k++) {
        if (!tested(bl_linsol_kinds[k]))
            continue;
        test_matrix matrix = random_matrix(ctx, bl_linsol_kinds[k], &random, 12, 40);
        bl_linsol *solver = make(ctx, bl_linsol_kinds[k]);
        assert_int_equal(bl_linsol_analyze(solver, &matrix.pattern, NULL, BL_REFUSE, TOLERANCE), BL_OK);
        assert_int_equal(bl_linsol_factor(solver, matrix.values), BL_OK);
        for (bl_index i = 0; i < matrix.pattern.ptr[12]; i++) {
            double keep = matrix.values[i];
            matrix.values[i] = i % 2 ? NAN : -INFINITY;
            assert_int_equal(bl_linsol_refactor(solver, matrix.values), BL_NOT_FINITE);
            assert_int_equal(bl_linsol_factor(solver, matrix.values), BL_NOT_FINITE);
            double x[12] = {0};
            assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_E_ARG);
            matrix.values[i] = keep;
            assert_int_equal(bl_linsol_factor(solver, matrix.values), BL_OK);
        }
        bl_linsol_destroy(solver);
        test_matrix_free(&matrix);
    }
    test_context_end(ctx);
}

static void empty_and_zero__matrices_are_answered(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    for (size_t k = 0; k < bl_linsol_kind_count; k++) {
        if (!tested(bl_linsol_kinds[k]))
            continue;
        const bl_linsol_kind *kind = bl_linsol_kinds[k];
        bl_linsol *solver = make(ctx, kind);
        double x[3] = {1, 2, 3};
        /* no rows at all */
        bl_index zero[4] = {0};
        bl_pattern none = {0, 0, zero, zero};
        assert_int_equal(bl_linsol_analyze(solver, &none, NULL, BL_REFUSE, TOLERANCE), BL_OK);
        assert_int_equal(bl_linsol_factor(solver, x), BL_OK);
        assert_int_equal(bl_linsol_refactor(solver, x), BL_OK);
        assert_int_equal(bl_linsol_solve(solver, false, 2, x), BL_OK);
        assert_true(x[0] == 1 && x[1] == 2);
        /* three rows without entries: refused, or dropped completely */
        bl_pattern empty = {3, 3, zero, zero};
        assert_int_equal(bl_linsol_analyze(solver, &empty, NULL, BL_REFUSE, TOLERANCE), BL_OK);
        assert_int_equal(bl_linsol_factor(solver, x), BL_SINGULAR);
        assert_int_equal(solver->stats.ndependent, 3);
        for (int policy = BL_DROP; policy <= BL_MIN_NORM; policy++) {
            if (!(kind->kind.gives & (policy == BL_DROP ? BL_LINSOL_DROP : BL_LINSOL_MIN_NORM)))
                continue;
            for (int i = 0; i < 3; i++)
                x[i] = 1;
            assert_int_equal(bl_linsol_analyze(solver, &empty, NULL, (bl_deficient)policy, TOLERANCE), BL_OK);
            assert_int_equal(bl_linsol_factor(solver, x), BL_OK);
            assert_int_equal(solver->stats.rank, 0);
            assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
            assert_true(x[0] == 0 && x[1] == 0 && x[2] == 0);
        }
        /* not square */
        bl_pattern wide = {2, 3, zero, zero};
        assert_int_equal(bl_linsol_analyze(solver, &wide, NULL, BL_REFUSE, TOLERANCE), BL_E_ARG);
        bl_linsol_destroy(solver);
    }
    test_context_end(ctx);
}

/* either by the pattern, in the analysis, or by the values */
static void symmetric_solver__refuses_unsymmetric_matrices(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    double pattern[9] = {3, 1, 0, 0, 4, 1, 0, 1, 5}, values[9] = {3, 1, 0, 2, 4, 1, 0, 1, 5};
    for (size_t k = 0; k < bl_linsol_kind_count; k++) {
        if (!tested(bl_linsol_kinds[k]) || !symmetric_only(bl_linsol_kinds[k]))
            continue;
        test_matrix by_pattern = test_matrix_from(ctx, 3, pattern, NULL), by_value = test_matrix_from(ctx, 3, values, NULL);
        bl_linsol *solver = make(ctx, bl_linsol_kinds[k]);
        assert_int_equal(bl_linsol_analyze(solver, &by_pattern.pattern, NULL, BL_REFUSE, TOLERANCE), BL_E_ABILITY);
        assert_non_null(strstr(bl_context_error(ctx)->what, "symmetric"));
        assert_int_equal(bl_linsol_analyze(solver, &by_value.pattern, NULL, BL_REFUSE, TOLERANCE), BL_OK);
        assert_int_equal(bl_linsol_factor(solver, by_value.values), BL_E_ABILITY);
        assert_non_null(strstr(bl_context_error(ctx)->what, "symmetric"));
        bl_linsol_destroy(solver);
        test_matrix_free(&by_pattern);
        test_matrix_free(&by_value);
    }
    test_context_end(ctx);
}

/* ---- failed allocations: every policy, with deficient rank */

typedef struct case_of {
    const bl_linsol_kind *kind;
    bl_deficient deficient;
    bl_index *order;
    const test_matrix *matrix;
} case_of;

static bl_status whole_life(bl_context *ctx, void *user) {
    const case_of *c = user;
    bl_linsol *solver = NULL;
    double x[MOST] = {1};
    bl_ordering ordering = {.nrow = c->matrix->n, .ncol = c->matrix->n, .col = c->order};
    bl_status status = bl_linsol_create(ctx, c->kind->kind.name, &solver);
    if (status == BL_OK)
        status = bl_linsol_analyze(solver, &c->matrix->pattern, c->order ? &ordering : NULL, c->deficient, TOLERANCE);
    if (status == BL_OK)
        status = bl_linsol_factor(solver, c->matrix->values);
    if (status == BL_OK)
        status = bl_linsol_refactor(solver, c->matrix->values);
    if (status == BL_OK)
        status = bl_linsol_solve(solver, false, 1, x);
    bl_linsol_destroy(solver);
    return status;
}

static void failing_allocations__leak_nothing(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {3};
    test_kkt full = test_kkt_random(ctx, &random, 10, 4, 4), redundant = test_kkt_random(ctx, &random, 10, 6, 4);
    test_matrix definite = random_matrix(ctx, &bl_linsol_cg, &random, 14, 40);
    bl_index order[16];
    for (bl_index i = 0; i < 16; i++)
        order[i] = 15 - i;
    for (size_t k = 0; k < bl_linsol_kind_count; k++) {
        if (!tested(bl_linsol_kinds[k]))
            continue;
        const bl_linsol_kind *kind = bl_linsol_kinds[k];
        assert_true(
            test_failing_allocations(whole_life, &(case_of){kind, BL_REFUSE, NULL, definite_only(kind) ? &definite : &full.matrix}) > 3);
        if (kind->kind.gives & BL_LINSOL_DROP) {
            assert_true(test_failing_allocations(whole_life, &(case_of){kind, BL_DROP, NULL, &redundant.matrix}) > 3);
            assert_true(test_failing_allocations(whole_life, &(case_of){kind, BL_DROP, order, &redundant.matrix}) > 3);
        }
        if (kind->kind.gives & BL_LINSOL_MIN_NORM)
            assert_true(test_failing_allocations(whole_life, &(case_of){kind, BL_MIN_NORM, NULL, &redundant.matrix}) > 3);
    }
    test_kkt_free(&full);
    test_kkt_free(&redundant);
    test_matrix_free(&definite);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_solver__solves_random_sparse_systems),
        cmocka_unit_test(every_solver__agrees_with_lapack),
        cmocka_unit_test(signs__are_those_of_eigenvalues),
        cmocka_unit_test(every_solver__takes_a_given_column_order),
        cmocka_unit_test(every_solver__refuses_a_singular_matrix_and_names_the_row),
        cmocka_unit_test(redundant_constraints__dropped_give_the_right_accelerations),
        cmocka_unit_test(redundant_constraints__minimum_norm_gives_the_shortest_multipliers),
        cmocka_unit_test(unable_policy__is_refused_with_a_solver_that_can),
        cmocka_unit_test(dropped_rows__are_noticed_when_they_become_independent),
        cmocka_unit_test(badly_scaled__systems_keep_rank_and_accuracy),
        cmocka_unit_test(vanishing_row__is_named),
        cmocka_unit_test(huge_matrix__leaves_no_scales_behind),
        cmocka_unit_test(not_a_number__is_refused),
        cmocka_unit_test(empty_and_zero__matrices_are_answered),
        cmocka_unit_test(symmetric_solver__refuses_unsymmetric_matrices),
        cmocka_unit_test(failing_allocations__leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
