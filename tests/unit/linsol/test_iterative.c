/* Conjugate gradients and MINRES: products, preconditioners and solutions on matrices of meshes, against plain sums and direct solvers;
 * what they refuse, and in which words. */
#include "linsol/iterative.h"
#include "support/boxes.h"
#include "support/matrices.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bl_linsol *made(bl_context *ctx, const char *spec, const bl_pattern *pattern) {
    bl_linsol *solver = NULL;
    assert_int_equal(bl_linsol_create(ctx, spec, &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, pattern, NULL, BL_REFUSE, 1e-12), BL_OK);
    return solver;
}

static bl_linsol *factored(bl_context *ctx, const char *spec, const test_box *box) {
    bl_linsol *solver = made(ctx, spec, &box->pattern);
    assert_int_equal(bl_linsol_factor(solver, box->values), BL_OK);
    return solver;
}

static double *random_vector(bl_index n, test_random *random) {
    double *x = malloc((size_t)n * sizeof *x);
    for (bl_index i = 0; i < n; i++)
        x[i] = test_random_symmetric(random);
    return x;
}

static double norm(bl_index n, const double *x) {
    double sum = 0;
    for (bl_index i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* |b - A x| / |b| */
static double residual(const test_box *box, const double *x, const double *b) {
    bl_index n = box->pattern.ncol;
    double *r = calloc((size_t)n, sizeof *r);
    bl_csc_multiply(&box->pattern, box->values, x, r);
    for (bl_index i = 0; i < n; i++)
        r[i] = b[i] - r[i];
    double share = norm(n, r) / norm(n, b);
    free(r);
    return share;
}

/* the solver's answer for random b; its true residual in *share where that is not NULL */
static double *answer(bl_linsol *solver, const test_box *box, uint64_t seed, double *share) {
    test_random random = {seed};
    bl_index n = box->pattern.ncol;
    double *b = random_vector(n, &random), *x = malloc((size_t)n * sizeof *x);
    memcpy(x, b, (size_t)n * sizeof *x);
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
    if (share)
        *share = residual(box, x, b);
    free(b);
    return x;
}

static double apart(bl_index n, const double *x, const double *y) {
    double most = 0, size = 0;
    for (bl_index i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    return most / size;
}

/* ---- products */

static void check_product(bl_context *ctx, const char *spec, const bl_pattern *pattern, const double *values, int block, uint64_t seed) {
    test_random random = {seed};
    bl_linsol *solver = made(ctx, spec, pattern);
    bl_index n = pattern->ncol;
    double *x = random_vector(n, &random), *y = calloc((size_t)n, sizeof *y), *sum = calloc((size_t)n, sizeof *sum), curvature,
           expected = 0, size = 0;
    assert_int_equal(bl_linsol_factor(solver, values), BL_OK);
    bl_iterative *s = solver->own;
    if (block)
        assert_int_equal(s->a.blocks.d, block);
    for (bl_index i = 0; i < n; i++)
        s->vector[1][s->a.slot[i]] = x[i];
    assert_int_equal(bl_iterative_product(solver, s->vector[1], s->vector[2], &curvature), BL_OK);
    bl_csc_multiply(pattern, values, x, y);
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = pattern->ptr[j]; k < pattern->ptr[j + 1]; k++)
            sum[pattern->idx[k]] += fabs(values[k] * x[j]);
    for (bl_index i = 0; i < n; i++) { /* every sum of m terms is off by at most m eps of their sizes, in either order */
        assert_true(fabs(s->vector[2][s->a.slot[i]] - y[i]) <= 2 * (s->a.entries + 1) * DBL_EPSILON * sum[i]);
        expected += x[i] * y[i];
        size += fabs(x[i]) * sum[i];
    }
    assert_true(fabs(curvature - expected) <= 2 * (n + s->a.entries) * DBL_EPSILON * size);
    /* what no unknown has stays zero */
    double all = 0, own = 0;
    for (size_t i = 0; i < s->length; i++)
        all += fabs(s->vector[2][i]);
    for (bl_index i = 0; i < n; i++)
        own += fabs(s->vector[2][s->a.slot[i]]);
    assert_true(fabs(all - own) <= 1e-12 * own);
    free(x);
    free(y);
    free(sum);
    bl_linsol_destroy(solver);
}

static const struct mesh {
    test_box_input input;
    int block;
} meshes[] = {
    {{.dim = 1, .side = {50}}, 1},
    {{.dim = 2, .side = {9, 14}}, 1},
    {{.dim = 3, .side = {5, 6, 7}}, 1},
    {{.dim = 2, .side = {12, 7}, .elastic = true}, 2},
    {{.dim = 2, .side = {12, 7}, .elastic = true, .rollers = true}, 2},
    {{.dim = 3, .side = {5, 4, 6}, .elastic = true}, 3},
    {{.dim = 3, .side = {6, 4, 5}, .elastic = true, .rollers = true}, 3},
};
enum { MESHES = sizeof meshes / sizeof *meshes };

static void product__equals_the_plain_sum_on_every_instruction_set(void **unused) {
    (void)unused;
    uint64_t seed = test_seed(501);
    for (int isa = 0; isa < BL_ISA_COUNT; isa++) {
        bl_context *ctx = test_context(NULL);
        if (bl_context_use_isa(ctx, (bl_isa)isa))
            for (int k = 0; k < MESHES; k++) {
                test_box box = test_box_make(&meshes[k].input);
                check_product(ctx, "cg:preconditioner=jacobi", &box.pattern, box.values, meshes[k].block, seed);
                check_product(ctx, "minres:preconditioner=none,block=2,ordering=natural", &box.pattern, box.values, 2, seed);
                check_product(ctx, "cg:preconditioner=block_jacobi,block=3,ordering=amd", &box.pattern, box.values, 3, seed);
                test_box_free(&box);
            }
        test_context_end(ctx);
    }
}

/* patterns without nodes, with entries at random positions and prescribed blocks */
static void product__takes_any_symmetric_pattern(void **unused) {
    (void)unused;
    test_random random = {test_seed(502)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 200; trial++) {
        static double a[40 * 40];
        bl_index n = 1 + test_random_below(&random, 40);
        memset(a, 0, sizeof a);
        for (bl_index j = 0; j < n; j++) {
            for (bl_index i = 0; i < j; i++)
                a[i + j * n] = a[j + i * n] = test_random_below(&random, 5) ? 0 : test_random_symmetric(&random);
            a[j + j * n] = 1 + test_random_unit(&random);
        }
        test_matrix matrix = test_matrix_from(ctx, n, a, NULL);
        char spec[64];
        snprintf(spec, sizeof spec, "minres:preconditioner=jacobi,block=%d", trial % 4);
        check_product(ctx, spec, &matrix.pattern, matrix.values, 0, test_random_bits(&random));
        test_matrix_free(&matrix);
    }
    test_context_end(ctx);
}

/* ---- preconditioners */

/* no entry of a tridiagonal matrix is left out: L L^T is the matrix, but for rounding to single precision */
static void incomplete_factor__of_a_tridiagonal_matrix_is_its_cholesky_factor(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_box box = test_box_make(&(test_box_input){.dim = 1, .side = {400}, .mass = 3}),
             stiff = test_box_make(&(test_box_input){.dim = 1, .side = {1000}});
    bl_linsol *solver = factored(ctx, "cg", &box), *exact = factored(ctx, "ldl", &box);
    bl_iterative *s = solver->own;
    assert_int_equal(s->preconditioner, BL_PRE_IC);
    assert_true(s->shift == 0);
    bl_index n = box.pattern.ncol;
    test_random random = {test_seed(503)};
    double *b = random_vector(n, &random), *x = malloc((size_t)n * sizeof *x);
    for (bl_index i = 0; i < n; i++)
        s->vector[0][s->a.slot[i]] = b[i];
    double square = bl_iterative_forward(s, s->vector[0], s->vector[2]), expected = 0;
    bl_iterative_backward(s, 0, s->vector[2], s->vector[1]);
    memcpy(x, b, (size_t)n * sizeof *x);
    assert_int_equal(bl_linsol_solve(exact, false, 1, x), BL_OK);
    for (bl_index i = 0; i < n; i++)
        expected += b[i] * x[i];
    /* eigenvalues between 3 and 5 (the mass matrix has 1/3 to 1 of 3, the stiffness 0 to 4): entries of L are off by 2^-24 of theirs */
    double bound = 4 * ldexp(1, -24) * 5.0 / 1;
    for (bl_index i = 0; i < n; i++)
        assert_true(fabs(s->vector[1][s->a.slot[i]] - x[i]) <= bound * norm(n, x));
    assert_true(fabs(square - expected) <= bound * expected);
    bl_linsol_destroy(solver);
    bl_linsol_destroy(exact);
    /* a condition of 2e5 and errors of 6e-8: a few per cent are left after each iteration, at worst */
    solver = factored(ctx, "cg", &stiff);
    double share;
    free(answer(solver, &stiff, 11, &share));
    assert_true(share <= 1e-9);
    assert_in_range(solver->stats.iterations, 1, 8);
    bl_linsol_destroy(solver);
    free(b);
    free(x);
    test_box_free(&box);
    test_box_free(&stiff);
    test_context_end(ctx);
}

/* r^T M^-1 r by the first half is r . z of both; p = z + beta p */
static void preconditioner__halves_fit_together(void **unused) {
    (void)unused;
    static const char *const specs[] = {"none", "jacobi", "block_jacobi", "ic"};
    test_random random = {test_seed(504)};
    for (int isa = 0; isa < BL_ISA_COUNT; isa++) {
        bl_context *ctx = test_context(NULL);
        for (int k = 0; k < 4 * MESHES && bl_context_use_isa(ctx, (bl_isa)isa); k++) {
            char spec[64];
            snprintf(spec, sizeof spec, "cg:preconditioner=%s", specs[k % 4]);
            test_box box = test_box_make(&meshes[k / 4].input);
            bl_linsol *solver = factored(ctx, spec, &box);
            bl_iterative *s = solver->own;
            bl_index n = s->a.n;
            for (bl_index i = 0; i < n; i++)
                s->vector[0][s->a.slot[i]] = test_random_symmetric(&random);
            double square = bl_iterative_forward(s, s->vector[0], s->vector[2]);
            bl_iterative_backward(s, 0, s->vector[2], s->vector[3]);
            double both = s->vectors->dot(s->length, s->vector[0], s->vector[3]);
            assert_true(fabs(square - both) <= 1e-12 * square); /* rounding of some hundred terms, condition of M below 1e3 */
            memcpy(s->vector[4], s->vector[3], s->length * sizeof(double));
            bl_iterative_forward(s, s->vector[0], s->vector[2]);
            bl_iterative_backward(s, 0.5, s->vector[2], s->vector[4]);
            for (bl_index i = 0; i < n; i++)
                assert_true(fabs(s->vector[4][s->a.slot[i]] - 1.5 * s->vector[3][s->a.slot[i]]) <= 1e-15 * norm(n, s->vector[3]) * 10);
            bl_linsol_destroy(solver);
            test_box_free(&box);
        }
        test_context_end(ctx);
    }
}

/* block (i, k) of L, k <= i: entry (r, c) */
static double entry_of_L(const bl_lower *L, bl_index i, bl_index k, int r, int c) {
    size_t d = (size_t)L->d, dd = d * d;
    for (bl_index e = L->ptr[i]; e < L->ptr[i + 1] && k < i; e++)
        if (L->idx[e] == k)
            return L->left[dd * (size_t)e + (size_t)r * d + (size_t)c];
    if (k < i || c > r)
        return 0;
    const double *w = L->inverse + dd * (size_t)i; /* lower triangle, to be inverted again */
    double x[3] = {0};
    for (int t = c; t <= r; t++) {
        x[t] = t == c;
        for (int u = c; u < t; u++)
            x[t] -= w[(size_t)t * d + (size_t)u] * x[u];
        x[t] /= w[(size_t)t * d + (size_t)t];
    }
    return x[r];
}

/* M - A vanishes on the pattern: L L^T has the entries of A there (Meijerink and van der Vorst 1977) */
static void incomplete_factor__has_the_entries_of_the_matrix_on_its_pattern(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    for (int k = 1; k < MESHES; k++) {
        test_box box = test_box_make(&meshes[k].input);
        bl_linsol *solver = factored(ctx, "cg", &box);
        bl_iterative *s = solver->own;
        int d = s->a.blocks.d;
        assert_true(s->shift == 0);
        for (bl_index j = 0; j < s->a.n; j += 3)
            for (bl_index e = box.ptr[j]; e < box.ptr[j + 1]; e++) {
                bl_index one = s->a.slot[j], other = s->a.slot[box.idx[e]], p = one / s->a.width, q = other / s->a.width;
                double sum = 0;
                for (bl_index f = s->L.ptr[p]; f <= s->L.ptr[p + 1]; f++) /* blocks of row p, and its diagonal */
                    for (int c = 0; c < d; c++) {
                        bl_index i = f < s->L.ptr[p + 1] ? s->L.idx[f] : p;
                        sum += i > q ? 0 : entry_of_L(&s->L, p, i, one % s->a.width, c) * entry_of_L(&s->L, q, i, other % s->a.width, c);
                    }
                assert_true(fabs(sum - box.values[e]) <= 1e-6 * s->a.scale[j]); /* 2^-24 of some products */
            }
        bl_linsol_destroy(solver);
        test_box_free(&box);
    }
    test_context_end(ctx);
}

/* a matrix on which IC without a shift breaks down: Kershaw's (J. Comp. Phys. 26 (1978)), positive definite */
static void incomplete_factor__raises_the_diagonal_where_it_breaks_down(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    double a[16] = {3, -2, 0, 2, -2, 3, -2, 0, 0, -2, 3, -2, 2, 0, -2, 3}, x[4] = {1, 2, 3, 4};
    test_matrix matrix = test_matrix_from(ctx, 4, a, NULL);
    bl_linsol *solver = made(ctx, "cg:preconditioner=ic,ordering=natural,block=1", &matrix.pattern);
    assert_int_equal(bl_linsol_factor(solver, matrix.values), BL_OK);
    assert_true(((bl_iterative *)solver->own)->shift > 0);
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
    assert_true(test_matrix_residual(&matrix, false, x, (double[]){1, 2, 3, 4}) <= 1e-9);
    bl_linsol_destroy(solver);
    test_matrix_free(&matrix);
    test_context_end(ctx);
}

/* ---- solutions */

static void every_preconditioner__gives_the_direct_solution(void **unused) {
    (void)unused;
    static const char *const specs[] = {"cg:preconditioner=none",
                                        "cg:preconditioner=jacobi",
                                        "cg:preconditioner=block_jacobi",
                                        "cg:preconditioner=ic",
                                        "cg",
                                        "minres:preconditioner=none",
                                        "minres:preconditioner=jacobi",
                                        "minres:preconditioner=block_jacobi",
                                        "minres:preconditioner=ic",
                                        "minres",
                                        "cg:ordering=natural,block=1"};
    bl_context *ctx = test_context(NULL);
    for (int k = 0; k < MESHES; k++) {
        test_box box = test_box_make(&meshes[k].input);
        bl_linsol *direct = factored(ctx, "ldl", &box);
        double *reference = answer(direct, &box, 21, NULL);
        for (size_t m = 0; m < sizeof specs / sizeof *specs; m++) {
            bl_linsol *solver = factored(ctx, specs[m], &box);
            double share, *x = answer(solver, &box, 21, &share);
            /* norms of M^-1 and of vectors differ by the root of the condition of M, below 30 here; conditions of A are below 4000 */
            assert_true(share <= 30 * 1e-10);
            assert_true(apart(box.pattern.ncol, x, reference) <= 4000 * 30 * 1e-10);
            assert_true(solver->stats.residual <= 1e-10);
            assert_true(solver->stats.iterations > 0);
            assert_int_equal(solver->stats.solves, 1);
            free(x);
            bl_linsol_destroy(solver);
        }
        free(reference);
        bl_linsol_destroy(direct);
        test_box_free(&box);
    }
    test_context_end(ctx);
}

/* iterations grow with the length of the mesh, by IC about a third of those without */
static void iterations__grow_as_the_length_of_the_mesh(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    long jacobi[2], ic[2];
    for (int k = 0; k < 2; k++) {
        test_box box = test_box_make(&(test_box_input){.dim = 2, .side = {k ? 40 : 20}});
        bl_linsol *one = factored(ctx, "cg:preconditioner=jacobi", &box), *other = factored(ctx, "cg", &box);
        free(answer(one, &box, 22, NULL));
        free(answer(other, &box, 22, NULL));
        jacobi[k] = one->stats.iterations;
        ic[k] = other->stats.iterations;
        bl_linsol_destroy(one);
        bl_linsol_destroy(other);
        test_box_free(&box);
    }
    /* the root of the condition, which is four times as large: twice as many, not more than a quarter above */
    assert_true(jacobi[1] <= 2.5 * (double)jacobi[0] && ic[1] <= 2.5 * (double)ic[0]);
    assert_true(2 * ic[1] < jacobi[1]);
    test_context_end(ctx);
}

static void indefinite_matrix__is_refused_by_cg_and_taken_by_minres(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    for (int dim = 1; dim <= 3; dim++) {
        test_box box = test_box_make(&(test_box_input){.dim = dim,
                                                       .side = {dim == 1   ? 60
                                                                : dim == 2 ? 12
                                                                           : 6},
                                                       .elastic = true,
                                                       .mass = -0.3});
        bl_linsol *cg = factored(ctx, "cg", &box), *minres = factored(ctx, "minres", &box), *direct = factored(ctx, "klu", &box);
        bl_index n = box.pattern.ncol;
        test_random random = {31};
        double *b = random_vector(n, &random), share;
        bl_context_clear_error(ctx);
        assert_int_equal(bl_linsol_solve(cg, false, 1, b), BL_NO_CONVERGENCE);
        assert_non_null(strstr(bl_context_error(ctx)->what, "not positive definite"));
        assert_non_null(strstr(bl_context_error(ctx)->advice, "minres"));
        double *x = answer(minres, &box, 32, &share), *y = answer(direct, &box, 32, NULL);
        assert_true(share <= 30 * 1e-10);
        assert_true(apart(n, x, y) <= 1e5 * 30 * 1e-10); /* conditions as klu's solution shows them: below 1e5 */
        free(b);
        free(x);
        free(y);
        bl_linsol_destroy(cg);
        bl_linsol_destroy(minres);
        bl_linsol_destroy(direct);
        test_box_free(&box);
    }
    /* a negative diagonal entry: found before anything is solved */
    double a[9] = {2, 1, 0, 1, -3, 1, 0, 1, 2};
    test_matrix matrix = test_matrix_from(ctx, 3, a, NULL);
    bl_linsol *cg = made(ctx, "cg", &matrix.pattern);
    assert_int_equal(bl_linsol_factor(cg, matrix.values), BL_SINGULAR);
    assert_non_null(strstr(bl_context_error(ctx)->what, "row 1 is -3"));
    assert_non_null(strstr(bl_context_error(ctx)->advice, "minres"));
    bl_linsol_destroy(cg);
    test_matrix_free(&matrix);
    test_context_end(ctx);
}

/* a free body: no solution for a resultant force or moment, a solution for loads in equilibrium */
static void singular_matrix__answers_what_is_in_its_range(void **unused) {
    (void)unused;
    static const char *const specs[] = {"cg:preconditioner=jacobi,most=500", "minres:most=500", "minres:preconditioner=none,most=500"};
    bl_context *ctx = test_context(NULL);
    for (int dim = 1; dim <= 3; dim++)
        for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
            test_box box = test_box_make(&(test_box_input){.dim = dim,
                                                           .side = {dim == 1   ? 20
                                                                    : dim == 2 ? 7
                                                                               : 4},
                                                           .elastic = true,
                                                           .free = true});
            bl_linsol *solver = factored(ctx, specs[k], &box);
            bl_index n = box.pattern.ncol;
            test_random random = {41};
            double *y = random_vector(n, &random), *b = calloc(2 * (size_t)n, sizeof *b), *x = b + n;
            bl_csc_multiply(&box.pattern, box.values, y, b);
            memcpy(x, b, (size_t)n * sizeof *x);
            assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
            assert_true(residual(&box, x, b) <= 30 * 1e-10);
            for (bl_index i = 0; i < n; i++)
                x[i] = 1;
            bl_context_clear_error(ctx);
            bl_status status = bl_linsol_solve(solver, false, 1, x);
            assert_int_equal(status, BL_NO_CONVERGENCE);
            assert_true(strlen(bl_context_error(ctx)->what) > 20);
            assert_true(strlen(bl_context_error(ctx)->advice) > 20);
            free(b);
            free(y);
            bl_linsol_destroy(solver);
            test_box_free(&box);
        }
    test_context_end(ctx);
}

/* ---- tolerances */

static void tolerance__is_the_option_then_the_callers_accuracy_then_1e_10(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_box box = test_box_make(&(test_box_input){.dim = 3, .side = {6}, .elastic = true});
    static const struct {
        const char *spec;
        double accuracy, tolerance;
    } cases[] = {{"cg", 0, 1e-10}, {"cg", 1e-4, 1e-4}, {"cg:1e-6", 1e-3, 1e-6}, {"cg:tolerance=1e-12", 0, 1e-12}, {"minres", 1e-5, 1e-5}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bl_linsol *solver = factored(ctx, cases[k].spec, &box);
        solver->accuracy = cases[k].accuracy;
        double share;
        free(answer(solver, &box, 51, &share));
        assert_true(solver->stats.residual <= cases[k].tolerance);
        assert_true(solver->stats.residual >= 1e-3 * cases[k].tolerance); /* an iteration gains less than that here: no more was done */
        assert_true(share <= 30 * cases[k].tolerance);
        bl_linsol_destroy(solver);
    }
    test_box_free(&box);
    test_context_end(ctx);
}

/* tolerance 0, and a condition with which 1e-10 of the right-hand side is out of reach: rounding is what is left, and that is enough */
static void tolerance__below_rounding_ends_at_rounding(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    static const char *const specs[] = {"cg:0", "cg", "minres:0", "cg:0,preconditioner=jacobi"};
    for (int k = 0; k < 4; k++) {
        /* a bar of 3000 elements: condition 4e6; residuals of direct solutions are eps |A| |x| / |b|, some 1e-10 */
        test_box box = test_box_make(&(test_box_input){.dim = k < 2 ? 1 : 2, .side = {k < 2 ? 3000 : 20}});
        bl_linsol *solver = factored(ctx, specs[k], &box);
        bl_index n = box.pattern.ncol;
        double *x = answer(solver, &box, 52, NULL), *r = calloc(2 * (size_t)n, sizeof *r), *sum = r + n, most = 0, size = 0;
        test_random random = {52};
        double *b = random_vector(n, &random);
        for (bl_index j = 0; j < n; j++)
            for (bl_index e = box.ptr[j]; e < box.ptr[j + 1]; e++) {
                r[box.idx[e]] += box.values[e] * x[j];
                sum[box.idx[e]] += fabs(box.values[e] * x[j]);
            }
        for (bl_index i = 0; i < n; i++) {
            most += (b[i] - r[i]) * (b[i] - r[i]);
            size += sum[i] * sum[i];
        }
        assert_true(sqrt(most) <= fmax(8 * 9 * DBL_EPSILON * sqrt(size) * 2, k == 1 ? 30 * 1e-10 * norm(n, b) : 0));
        free(b);
        free(r);
        free(x);
        bl_linsol_destroy(solver);
        test_box_free(&box);
    }
    test_context_end(ctx);
}

static void too_few_iterations__are_a_numerical_status_with_numbers(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_box box = test_box_make(&(test_box_input){.dim = 2, .side = {30}});
    static const char *const specs[] = {"cg:preconditioner=jacobi,most=7", "minres:most=7"};
    for (int k = 0; k < 2; k++) {
        bl_linsol *solver = factored(ctx, specs[k], &box);
        test_random random = {61};
        double *b = random_vector(box.pattern.ncol, &random);
        assert_int_equal(bl_linsol_solve(solver, false, 1, b), BL_NO_CONVERGENCE);
        assert_non_null(strstr(bl_context_error(ctx)->what, "after 7 iterations"));
        assert_non_null(strstr(bl_context_error(ctx)->what, "1.0e-10"));
        assert_non_null(strstr(bl_context_error(ctx)->advice, "most"));
        assert_true(solver->stats.residual > 1e-10 && solver->stats.residual < 1);
        free(b);
        bl_linsol_destroy(solver);
    }
    test_box_free(&box);
    test_context_end(ctx);
}

static void right_hand_side__that_is_not_finite_is_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_box box = test_box_make(&(test_box_input){.dim = 1, .side = {10}});
    bl_linsol *solver = factored(ctx, "cg", &box);
    double x[10] = {1, NAN}, zero[10] = {0}, tiny[10], huge[10];
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_NOT_FINITE);
    x[1] = INFINITY;
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_NOT_FINITE);
    assert_int_equal(bl_linsol_solve(solver, false, 1, zero), BL_OK);
    for (int i = 0; i < 10; i++) {
        assert_true(zero[i] == 0);
        x[i] = i + 1;
        tiny[i] = ldexp(i + 1, -1000); /* squares would vanish, or overflow */
        huge[i] = ldexp(i + 1, 900);
    }
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
    assert_int_equal(bl_linsol_solve(solver, false, 1, tiny), BL_OK);
    assert_int_equal(bl_linsol_solve(solver, false, 1, huge), BL_OK);
    for (int i = 0; i < 10; i++)
        assert_true(ldexp(tiny[i], 1000) == x[i] && ldexp(huge[i], -900) == x[i]);
    bl_linsol_destroy(solver);
    test_box_free(&box);
    test_context_end(ctx);
}

/* powers of two on rows and columns change no digit: units do not matter */
static void units__change_neither_iterations_nor_digits(void **unused) {
    (void)unused;
    static const char *const specs[] = {"cg:preconditioner=jacobi", "cg:preconditioner=ic", "minres"};
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(505)};
    for (int k = 0; k < 3; k++) {
        test_box box = test_box_make(&(test_box_input){.dim = 2, .side = {9}, .elastic = true});
        bl_index n = box.pattern.ncol;
        bl_linsol *plain = factored(ctx, specs[k], &box);
        double *b = random_vector(n, &random), *x = malloc(2 * (size_t)n * sizeof *x), *y = x + n, *by = malloc((size_t)n * sizeof *by);
        for (bl_index i = 0; i < n; i++) {
            x[i] = b[i];
            by[i] = ldexp(1, test_random_below(&random, 30) - 15);
            y[i] = b[i] * by[i];
        }
        assert_int_equal(bl_linsol_solve(plain, false, 1, x), BL_OK);
        for (bl_index j = 0; j < n; j++)
            for (bl_index e = box.ptr[j]; e < box.ptr[j + 1]; e++)
                box.values[e] *= by[box.idx[e]] * by[j];
        bl_linsol *scaled = factored(ctx, specs[k], &box);
        assert_int_equal(bl_linsol_solve(scaled, false, 1, y), BL_OK);
        assert_int_equal(scaled->stats.iterations, plain->stats.iterations);
        for (bl_index i = 0; i < n; i++)
            assert_true(fabs(y[i] * by[i] - x[i]) <= 1e-9 * norm(n, x)); /* sums in lanes see other sizes of b: not the same bits */
        free(b);
        free(x);
        free(by);
        bl_linsol_destroy(plain);
        bl_linsol_destroy(scaled);
        test_box_free(&box);
    }
    test_context_end(ctx);
}

/* ---- auto */

/* Boxes in space fill: at order 10 000 elimination is predicted to cost more than ten times as much. Plates stay with direct
 * solvers. */
static void auto__takes_cg_for_boxes_and_factors_for_plates(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_box box = test_box_make(&(test_box_input){.dim = 3, .side = {15}, .elastic = true});
    test_box plate = test_box_make(&(test_box_input){.dim = 2, .side = {72}, .elastic = true});
    double share;
    assert_true(box.pattern.ncol >= 10000 && plate.pattern.ncol >= 10000);
    bl_linsol *solver = factored(ctx, "auto", &box);
    assert_string_equal(solver->uses, "cg");
    assert_int_equal(solver->stats.solves, 0);
    free(answer(solver, &box, 101, &share));
    assert_true(share <= 30 * 1e-10);
    assert_true(solver->stats.iterations > 0);
    long before = solver->stats.iterations;
    solver->accuracy = 1e-3;
    free(answer(solver, &box, 101, &share));
    assert_true(share > 1e-8 && solver->stats.iterations - before < before);
    assert_int_equal(bl_linsol_refactor(solver, box.values), BL_OK);
    bl_linsol_destroy(solver);
    solver = factored(ctx, "auto", &plate);
    assert_string_not_equal(solver->uses, "cg");
    bl_linsol_destroy(solver);
    test_box_free(&box);
    test_box_free(&plate);
    test_context_end(ctx);
}

/* ---- the rest */

static void options__out_of_range_are_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_linsol *solver;
    assert_int_equal(bl_linsol_create(ctx, "cg:block=4", &solver), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->what, "at most 3"));
    assert_true(bl_linsol_create(ctx, "cg:preconditioner=ilu", &solver) < 0);
    assert_true(bl_linsol_create(ctx, "minres:tolerance=-1", &solver) < 0);
    test_context_end(ctx);
}

static void stop__ends_an_iteration(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_box box = test_box_make(&(test_box_input){.dim = 2, .side = {10}});
    bl_linsol *cg = factored(ctx, "cg", &box), *minres = factored(ctx, "minres", &box);
    test_random random = {81};
    double *b = random_vector(box.pattern.ncol, &random);
    bl_context_stop(ctx);
    assert_int_equal(bl_linsol_solve(cg, false, 1, b), BL_STOPPED);
    assert_int_equal(bl_linsol_solve(minres, false, 1, b), BL_STOPPED);
    free(b);
    bl_linsol_destroy(cg);
    bl_linsol_destroy(minres);
    test_box_free(&box);
    test_context_end(ctx);
}

static void solutions__repeat_to_the_last_bit(void **unused) {
    (void)unused;
    static const char *const specs[] = {"cg", "minres"};
    bl_context *ctx = test_context(NULL);
    for (int k = 0; k < 2; k++) {
        test_box box = test_box_make(&(test_box_input){.dim = 3, .side = {5}, .elastic = true});
        bl_linsol *one = factored(ctx, specs[k], &box), *other = factored(ctx, specs[k], &box);
        double *x = answer(one, &box, 91, NULL), *y = answer(other, &box, 91, NULL);
        assert_memory_equal(x, y, (size_t)box.pattern.ncol * sizeof *x);
        free(y);
        assert_int_equal(bl_linsol_refactor(one, box.values), BL_OK);
        y = answer(one, &box, 91, NULL);
        assert_memory_equal(x, y, (size_t)box.pattern.ncol * sizeof *x);
        free(x);
        free(y);
        bl_linsol_destroy(one);
        bl_linsol_destroy(other);
        test_box_free(&box);
    }
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product__equals_the_plain_sum_on_every_instruction_set),
        cmocka_unit_test(product__takes_any_symmetric_pattern),
        cmocka_unit_test(incomplete_factor__of_a_tridiagonal_matrix_is_its_cholesky_factor),
        cmocka_unit_test(preconditioner__halves_fit_together),
        cmocka_unit_test(incomplete_factor__has_the_entries_of_the_matrix_on_its_pattern),
        cmocka_unit_test(incomplete_factor__raises_the_diagonal_where_it_breaks_down),
        cmocka_unit_test(every_preconditioner__gives_the_direct_solution),
        cmocka_unit_test(iterations__grow_as_the_length_of_the_mesh),
        cmocka_unit_test(indefinite_matrix__is_refused_by_cg_and_taken_by_minres),
        cmocka_unit_test(singular_matrix__answers_what_is_in_its_range),
        cmocka_unit_test(tolerance__is_the_option_then_the_callers_accuracy_then_1e_10),
        cmocka_unit_test(tolerance__below_rounding_ends_at_rounding),
        cmocka_unit_test(too_few_iterations__are_a_numerical_status_with_numbers),
        cmocka_unit_test(right_hand_side__that_is_not_finite_is_refused),
        cmocka_unit_test(units__change_neither_iterations_nor_digits),
        cmocka_unit_test(auto__takes_cg_for_boxes_and_factors_for_plates),
        cmocka_unit_test(options__out_of_range_are_refused),
        cmocka_unit_test(stop__ends_an_iteration),
        cmocka_unit_test(solutions__repeat_to_the_last_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
