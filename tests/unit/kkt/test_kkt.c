/* A matrix and constraint rows as one linear system: full and sparse matrices against a dense solution by LAPACK of the complete system,
 * multipliers against the normal equations, signs of eigenvalues, motions without stiffness. */
#include "kkt/kkt.h"
#include "sparse/sparse.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 24 };

/* H and G are full and constant; the last rows of G may be sums of the first two */
typedef struct toy {
    bl_index n, np, ptr[MOST + 1], idx[MOST * MOST], ptr_G[MOST + 1], idx_G[MOST * MOST];
    double H[MOST * MOST], G[MOST * MOST];
    bl_col col[MOST];
    bl_row row[MOST];
    bl_system sys;
    bl_eval eval;
    bl_state state;
} toy;

static bl_status toy_eval(const bl_system *sys, bl_eval *eval, uint32_t want) {
    const toy *t = sys->own;
    if (want & BL_KC)
        memcpy(eval->K, t->H, (size_t)t->n * (size_t)t->n * sizeof(double));
    if (want & BL_G)
        memcpy(eval->G, t->G, (size_t)t->n * (size_t)t->np * sizeof(double));
    if (want & BL_GTL_X) /* as if rows were curved: lambda_0 on the diagonal */
        for (bl_index j = 0; j < t->n; j++)
            eval->GTl_x[j * (t->n + 1)] = eval->lambda[0];
    return BL_OK;
}

static const bl_system_kind toy_kind = {.kind = {.name = "toy"}, .eval = toy_eval};

static void toy_make(toy *t, bl_context *ctx, bl_index n, bl_index np, bl_index dependent, test_random *random) {
    *t = (toy){.n = n, .np = np};
    for (bl_index j = 0; j < n; j++) {
        t->ptr[j + 1] = (j + 1) * n;
        t->ptr_G[j + 1] = (j + 1) * np;
        t->col[j] = (bl_col){.what = BL_COL_DISTANCE, .order = 2, .scale = exp(2 * test_random_symmetric(random))};
        for (bl_index i = 0; i < n; i++)
            t->idx[j * n + i] = i;
        for (bl_index i = 0; i < np; i++) {
            t->idx_G[j * np + i] = i;
            t->G[j * np + i] = test_random_symmetric(random) / t->col[j].scale;
        }
        for (bl_index i = np - dependent; i < np; i++)
            t->G[j * np + i] = t->G[j * np] + t->G[j * np + 1];
    }
    for (bl_index j = 0; j < n; j++)
        for (bl_index i = 0; i <= j; i++)
            t->H[j * n + i] = t->H[i * n + j] = test_random_symmetric(random);
    for (bl_index i = 0; i < np; i++)
        t->row[i] = (bl_row){.what = BL_ROW_EQUATION, .scale = 1 + i % 3};
    t->sys = (bl_system){.kind = &toy_kind,
                         .ctx = ctx,
                         .can = BL_CAN_TANGENT,
                         .facts = BL_FLAT,
                         .nq = n,
                         .nv = n,
                         .np = np,
                         .pat_M = {n, n, t->ptr, t->idx},
                         .pat_C = {n, n, t->ptr, t->idx},
                         .pat_K = {n, n, t->ptr, t->idx},
                         .pat_G = {np, n, t->ptr_G, t->idx_G},
                         .col = t->col,
                         .row = t->row,
                         .own = t};
    assert_int_equal(bl_state_create(&t->sys, 0, &t->state), BL_OK);
    assert_int_equal(bl_eval_create(&t->sys, BL_KC | BL_G | BL_GTL_X, &t->eval), BL_OK);
    bl_eval_at(&t->eval, &t->state);
}

static void toy_end(toy *t) {
    bl_eval_destroy(&t->sys, &t->eval);
    bl_state_destroy(&t->sys, &t->state);
}

/* [H G^T; G 0] with the first r rows, by LAPACK */
static void dense_solution(const toy *t, bl_index r, const double *Q, const double *c, double *x, double *lambda) {
    bl_index n = t->n, m = n + r;
    double A[4 * MOST * MOST] = {0}, b[2 * MOST] = {0};
    lapack_int pivot[2 * MOST];
    for (bl_index j = 0; j < n; j++) {
        for (bl_index i = 0; i < n; i++)
            A[j * m + i] = t->H[j * n + i];
        for (bl_index i = 0; i < r; i++)
            A[j * m + n + i] = A[(n + i) * m + j] = t->G[j * t->np + i];
        b[j] = Q[j];
    }
    for (bl_index i = 0; i < r; i++)
        b[n + i] = c[i];
    assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, m, 1, A, m, pivot, b, m), 0);
    memcpy(x, b, (size_t)n * sizeof *x);
    memcpy(lambda, b + n, (size_t)r * sizeof *lambda);
}

static void push(const toy *t, const double *lambda, double *Q) {
    for (bl_index j = 0; j < t->n; j++)
        for (bl_index i = 0; i < t->np; i++)
            Q[j] += t->G[j * t->np + i] * lambda[i];
}

/* solutions of both kinds of matrices: x is unique, G^T lambda too */
static void solutions__are_those_of_the_dense_system(void **unused) {
    (void)unused;
    test_random random = {test_seed(5)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 60; trial++) {
        bl_index n = 1 + test_random_below(&random, MOST - 1), np = test_random_below(&random, n > 8 ? n - 4 : n);
        bl_index dependent = np > 4 ? test_random_below(&random, 3) : 0;
        toy t;
        double Q[MOST], c[MOST], x[MOST], lambda[MOST] = {0}, y[MOST], mu[MOST], force[MOST], other[MOST];
        toy_make(&t, ctx, n, np, dependent, &random);
        for (bl_index j = 0; j < n; j++)
            Q[j] = test_random_symmetric(&random);
        for (bl_index i = 0; i < np; i++)
            c[i] = i >= np - dependent ? c[0] + c[1] : test_random_symmetric(&random);
        dense_solution(&t, np - dependent, Q, c, x, lambda);
        double size = 1;
        for (bl_index j = 0; j < n; j++)
            size = fmax(size, fabs(x[j]));
        for (int sparse = 0; sparse < 2; sparse++) {
            bl_kkt *kkt;
            bl_kkt_setup setup = {.linsol = "klu", .dense_most = sparse ? -1 : MOST};
            assert_int_equal(bl_kkt_create(&t.sys, &setup, &kkt), BL_OK);
            assert_true(kkt->dense != (bool)sparse);
            assert_int_equal(bl_kkt_move_to(kkt, &t.eval), BL_OK);
            assert_int_equal(kkt->r, np - dependent);
            assert_int_equal(bl_kkt_factor(kkt, t.H, 0, NULL, 0), BL_OK);
            assert_int_equal(bl_kkt_solve(kkt, Q, c, y, mu), BL_OK);
            memset(force, 0, sizeof force);
            memset(other, 0, sizeof other);
            push(&t, lambda, force);
            push(&t, mu, other);
            for (bl_index j = 0; j < n; j++) { /* conditions of random matrices of this order reach 1e4, scales e^4 */
                assert_near(y[j], x[j], 1e-9 * size);
                assert_near(other[j], force[j], 1e-8 * size * MOST);
            }
            bl_kkt_destroy(kkt);
        }
        toy_end(&t);
    }
    test_context_end(ctx);
}

/* of all multipliers with the least |S (Q - G^T lambda)| the least |D lambda|: normal equations, and orthogonal to what moves nothing */
static void multipliers__fit_best_and_are_least(void **unused) {
    (void)unused;
    test_random random = {test_seed(6)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 40; trial++) {
        bl_index n = 6 + test_random_below(&random, MOST - 6), np = 3 + test_random_below(&random, 3), dependent = trial % 2;
        toy t;
        double Q[MOST], lambda[MOST], rho[MOST];
        toy_make(&t, ctx, n, np, dependent, &random);
        for (bl_index j = 0; j < n; j++)
            Q[j] = test_random_symmetric(&random);
        for (int sparse = 0; sparse < 2; sparse++) {
            bl_kkt *kkt;
            bl_kkt_setup setup = {.dense_most = sparse ? -1 : MOST};
            assert_int_equal(bl_kkt_create(&t.sys, &setup, &kkt), BL_OK);
            assert_int_equal(bl_kkt_move_to(kkt, &t.eval), BL_OK);
            assert_int_equal(bl_kkt_multipliers(kkt, Q, lambda), BL_OK);
            memset(rho, 0, sizeof rho);
            push(&t, lambda, rho);
            for (bl_index i = 0; i < np; i++) { /* G S^2 (Q - G^T lambda) = 0 */
                double sum = 0;
                for (bl_index j = 0; j < n; j++)
                    sum += t.G[j * np + i] * t.col[j].scale * t.col[j].scale * (Q[j] - rho[j]);
                assert_near(sum, 0, 1e-9 * MOST);
            }
            if (dependent && !sparse) { /* row_{np-1} - row_0 - row_1 = 0 pushes nothing */
                double none = lambda[np - 1] * t.row[np - 1].scale * t.row[np - 1].scale - lambda[0] * t.row[0].scale * t.row[0].scale -
                              lambda[1] * t.row[1].scale * t.row[1].scale;
                assert_near(none, 0, 1e-8);
            }
            bl_kkt_destroy(kkt);
        }
        toy_end(&t);
    }
    test_context_end(ctx);
}

static void tangent__has_the_curvature_of_the_rows(void **unused) {
    (void)unused;
    test_random random = {3};
    bl_context *ctx = test_context(NULL);
    toy t;
    double H[MOST * MOST], lambda[MOST] = {2.5};
    toy_make(&t, ctx, 5, 2, 0, &random);
    assert_int_equal(bl_kkt_tangent(&t.sys, &t.eval, lambda, H), BL_OK);
    for (bl_index i = 0; i < 25; i++)
        assert_near(H[i], t.H[i] + (i % 6 == 0 ? 2.5 : 0), 0);
    lambda[0] = -1; /* a second call must use the new values */
    assert_int_equal(bl_kkt_tangent(&t.sys, &t.eval, lambda, H), BL_OK);
    assert_near(H[0], t.H[0] - 1, 0);
    toy_end(&t);
    test_context_end(ctx);
}

/* on R from a null space by LAPACK's singular values: signs of eigenvalues, sign of the determinant */
static void signs__are_those_of_the_reduced_matrix(void **unused) {
    (void)unused;
    test_random random = {test_seed(8)};
    bl_context *ctx = test_context(NULL);
    int known = 0;
    for (int trial = 0; trial < 40; trial++) {
        bl_index n = 4 + test_random_below(&random, 12), np = test_random_below(&random, n / 2);
        toy t;
        toy_make(&t, ctx, n, np, 0, &random);
        double A[MOST * MOST] = {0}, s[MOST], U[MOST * MOST], VT[MOST * MOST], super[MOST], R[MOST * MOST], w[MOST];
        for (bl_index j = 0; j < n; j++)
            for (bl_index i = 0; i < np; i++)
                A[j * (np ? np : 1) + i] = t.G[j * np + i];
        memset(VT, 0, sizeof VT);
        for (bl_index j = 0; j < n; j++)
            VT[j * n + j] = 1;
        if (np)
            assert_int_equal(LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'A', np, n, A, np, s, U, 1, VT, n, super), 0);
        bl_index f = n - np, negative = 0;
        for (bl_index k = 0; k < f; k++)
            for (bl_index l = 0; l < f; l++) {
                double sum = 0;
                for (bl_index i = 0; i < n; i++)
                    for (bl_index j = 0; j < n; j++)
                        sum += VT[i * n + np + k] * t.H[j * n + i] * VT[j * n + np + l];
                R[l * f + k] = sum;
            }
        assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', f, R, f, w), 0);
        for (bl_index k = 0; k < f; k++)
            negative += w[k] < 0;
        for (int sparse = 0; sparse < 2; sparse++) {
            bl_kkt *kkt;
            bl_kkt_setup setup = {.linsol = "ldl", .dense_most = sparse ? -1 : MOST};
            assert_int_equal(bl_kkt_create(&t.sys, &setup, &kkt), BL_OK);
            assert_int_equal(bl_kkt_move_to(kkt, &t.eval), BL_OK);
            if (bl_kkt_factor(kkt, t.H, 0, NULL, 0) == BL_OK) { /* ldl does not pivot: it may refuse */
                known += sparse;
                if (sparse)
                    assert_int_equal(bl_kkt_negative(kkt), negative);
                assert_int_equal(bl_kkt_sign(kkt), negative % 2 ? -1 : 1);
            } else {
                assert_true(sparse);
                bl_context_clear_error(ctx);
            }
            bl_kkt_destroy(kkt);
        }
        toy_end(&t);
    }
    assert_true(known >= 20);
    test_context_end(ctx);
}

/* H = sum over some v of v v^T: what is orthogonal to all of them meets nothing */
static void free_motions__are_the_null_space(void **unused) {
    (void)unused;
    test_random random = {test_seed(9)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 20; trial++) {
        bl_index n = 6 + test_random_below(&random, 10), loose = test_random_below(&random, 5), count = 0;
        toy t;
        double x[MOST * 7], Hx[MOST];
        toy_make(&t, ctx, n, 0, 0, &random);
        memset(t.H, 0, sizeof t.H);
        for (bl_index k = 0; k < n - loose; k++) {
            double v[MOST];
            for (bl_index j = 0; j < n; j++)
                v[j] = test_random_symmetric(&random) / t.col[j].scale;
            for (bl_index j = 0; j < n; j++)
                for (bl_index i = 0; i < n; i++)
                    t.H[j * n + i] += v[i] * v[j];
        }
        for (int sparse = 0; sparse < 2; sparse++) {
            bl_kkt *kkt;
            bl_kkt_setup setup = {.dense_most = sparse ? -1 : MOST};
            assert_int_equal(bl_kkt_create(&t.sys, &setup, &kkt), BL_OK);
            assert_int_equal(bl_kkt_move_to(kkt, &t.eval), BL_OK);
            assert_int_equal(bl_kkt_free_motions(kkt, t.H, 1e-11, 7, x, &count), BL_OK);
            assert_int_equal(count, loose);
            for (bl_index k = 0; k < count; k++) {
                double most = 0;
                memset(Hx, 0, sizeof Hx);
                bl_csc_multiply(&t.sys.pat_K, t.H, x + k * n, Hx);
                for (bl_index j = 0; j < n; j++) {
                    most = fmax(most, fabs(x[k * n + j]) / t.col[j].scale);
                    assert_near(Hx[j] * t.col[j].scale, 0, 1e-7); /* forces along them, in scaled columns: shift 1e-10, 8 rounds */
                }
                assert_true(most > 1 - 1e-6);
                bl_index alone = 0; /* columns that it has alone, with 1 */
                for (bl_index j = 0; j < n; j++) {
                    double others = 0;
                    for (bl_index i = 0; i < count; i++)
                        others += i == k ? 0 : fabs(x[i * n + j]) / t.col[j].scale;
                    alone += others < 1e-9 && fabs(x[k * n + j] / t.col[j].scale - 1) < 1e-9;
                }
                assert_true(alone >= 1);
            }
            bl_kkt_destroy(kkt);
        }
        toy_end(&t);
    }
    test_context_end(ctx);
}

/* ---- memory */

static bl_status whole_life(bl_context *ctx, void *user) {
    bool sparse = *(bool *)user;
    test_random random = {11};
    toy t;
    double Q[MOST] = {1, 2, 3}, c[MOST] = {1}, x[MOST * 7], lambda[MOST];
    bl_index count;
    bl_kkt *kkt = NULL;
    t = (toy){0};
    bl_context *other = test_context(NULL); /* the toy's own memory does not count */
    toy_make(&t, other, 9, 3, 1, &random);
    t.sys.ctx = ctx;
    bl_kkt_setup setup = {.dense_most = sparse ? -1 : MOST, .linsol = "klu", .mass = &t.sys.pat_M};
    bl_status status = bl_kkt_create(&t.sys, &setup, &kkt);
    if (status == BL_OK)
        status = bl_kkt_move_to(kkt, &t.eval);
    if (status == BL_OK)
        status = bl_kkt_multipliers(kkt, Q, lambda);
    if (status == BL_OK)
        status = bl_kkt_factor(kkt, t.H, 0.1, t.H, 0.3);
    if (status == BL_OK)
        status = bl_kkt_solve(kkt, Q, c, x, lambda);
    if (status == BL_OK)
        status = bl_kkt_free_motions(kkt, t.H, 1e-11, 2, x, &count);
    bl_kkt_destroy(kkt);
    t.sys.ctx = other;
    toy_end(&t);
    test_context_end(other);
    return status;
}

static void memory__comes_back_whatever_fails(void **unused) {
    (void)unused;
    for (int sparse = 0; sparse < 2; sparse++) {
        bool is = sparse;
        assert_true(test_failing_allocations(whole_life, &is) > 5);
        assert_true(test_failing_once(whole_life, &is) > 5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions__are_those_of_the_dense_system), cmocka_unit_test(multipliers__fit_best_and_are_least),
        cmocka_unit_test(tangent__has_the_curvature_of_the_rows),   cmocka_unit_test(signs__are_those_of_the_reduced_matrix),
        cmocka_unit_test(free_motions__are_the_null_space),         cmocka_unit_test(memory__comes_back_whatever_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
