/* Common part of iterative solvers: see iterative.h. Preconditioners M: none, the diagonal (jacobi), diagonal blocks of nodes
 * (block_jacobi), incomplete Cholesky factors on the pattern of the matrix (ic; Meijerink and van der Vorst, Math. Comp. 31 (1977)), with
 * the diagonal increased if a pivot breaks down (Manteuffel, Math. Comp. 34 (1980)). The norm of a residual is that of M^-1: it is natural
 * to these methods and independent of units. */
#include "linsol/iterative.h"

#include "linsol/linsol_limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { P_TOLERANCE, P_PRECONDITIONER, P_MOST, P_BLOCK, P_ORDERING, P_MATRIX };
static const double TOLERANCE = 1e-10; /* by default, as in the table */
enum { UNKNOWN_ROW = 100 };

const bl_param bl_iterative_params[] = {
    [P_TOLERANCE] = {"tolerance", BL_P_NUMBER, BL_NOT_NEGATIVE, 1e-10, NULL, NULL,
                     "largest residual, as a share of the right-hand side in the norm of the preconditioner; 0: down to rounding"},
    [P_PRECONDITIONER] = {"preconditioner", BL_P_CHOICE, 0, 0, "auto|none|jacobi|block_jacobi|ic", NULL,
                          "auto: ic for cg, block_jacobi for minres; ic: incomplete Cholesky factors without fill"},
    [P_MOST] = {"most", BL_P_INTEGER, BL_NOT_NEGATIVE, 0, NULL, NULL,
                "largest number of iterations of a solution; 0: 10 000, for small matrices 100 + 20 n"},
    [P_BLOCK] = {"block", BL_P_INTEGER, BL_NOT_NEGATIVE, 0, NULL, NULL, "unknowns of a node, 1 to 3; 0: found from the pattern"},
    [P_ORDERING] = {"ordering", BL_P_TEXT, 0, 0, NULL, NULL, "order of the nodes if the caller gives none; default rcm"},
    [P_MATRIX] =
        {"matrix", BL_P_CHOICE, 0, 0, "assembled|free", NULL,
         "free: no matrix, products come from the elements of a mesh; for linear bodies without constraints, preconditioner jacobi"},
    {0},
};

static const char *name_of(const bl_linsol *solver) { return solver->kind->kind.name; }
static const bl_iterative_slots *slots_of(const bl_linsol *solver) { return solver->kind->slots; }

/* ---- creation */

void bl_iterative_destroy(bl_linsol *solver) {
    bl_iterative *s = solver->own;
    bl_symmetric_free(&s->a);
    bl_free(solver->ctx, s->L.left);
    bl_free(solver->ctx, s->no_blocks);
    bl_free(solver->ctx, s->room);
    s->L = (bl_lower){0};
    s->room = NULL;
    s->no_blocks = NULL;
    s->weight = s->positive = s->row = s->user_vector[0] = s->user_vector[1] = NULL;
}

bl_status bl_iterative_create(bl_linsol *solver, const bl_value *values) {
    bl_iterative *s = solver->own;
    if (values[P_BLOCK].number > 3)
        return bl_fail(solver->ctx, BL_E_ARG, NULL, "%s: block must be at most 3 unknowns per node, found %g", name_of(solver),
                       values[P_BLOCK].number);
    s->tolerance = values[P_TOLERANCE].given ? values[P_TOLERANCE].number : NAN;
    s->requested = (bl_preconditioner)values[P_PRECONDITIONER].number;
    s->most = (long)values[P_MOST].number;
    s->block = (int)values[P_BLOCK].number;
    s->ordering = values[P_ORDERING].given ? values[P_ORDERING].text : "rcm";
    solver->matrix_free = values[P_MATRIX].number != 0;
    return BL_OK;
}

/* ---- analysis */

static bl_status choose_preconditioner(bl_linsol *solver, const bl_pattern *pattern) {
    bl_iterative *s = solver->own;
    bool nothing = solver->product && pattern->ptr[pattern->ncol] == 0 && pattern->ncol > 0;
    s->preconditioner = s->requested != BL_PRE_AUTO ? s->requested : nothing ? BL_PRE_NONE : slots_of(solver)->preferred;
    if (!nothing || s->preconditioner == BL_PRE_NONE)
        return BL_OK;
    bl_fail(solver->ctx, BL_E_ABILITY, NULL, "%s: this preconditioner needs a matrix, and there is none", name_of(solver));
    bl_advise(solver->ctx, "choose preconditioner=none");
    return BL_E_ABILITY;
}

static double *take(double **from, size_t count) {
    double *taken = *from;
    *from += count;
    return taken;
}

static bl_status reserve(bl_linsol *solver) {
    bl_iterative *s = solver->own;
    size_t n = (size_t)s->a.n, nodes = (size_t)s->a.blocks.n, d = (size_t)s->a.blocks.d, blocks = nodes * d * d, line = BL_KRYLOV_ROUND;
    bool triangle = s->preconditioner == BL_PRE_BLOCK_JACOBI || s->preconditioner == BL_PRE_IC,
         copy = triangle && !slots_of(solver)->definite;
    s->length = (nodes * (size_t)s->a.width + line - 1) / line * line;
    size_t count = (size_t)slots_of(solver)->vectors * s->length + (triangle ? blocks + 12 * ((size_t)s->a.longest + 1) : s->length) +
                   (copy ? blocks : 0) + (solver->product ? 2 * n : 0) + line;
    double *at = s->room = bl_alloc(solver->ctx, count, sizeof *at);
    if (!at)
        return BL_E_MEMORY;
    at += (line - (uintptr_t)at / sizeof *at % line) % line; /* vectors are aligned to cache lines */
    for (int k = 0; k < slots_of(solver)->vectors; k++)
        s->vector[k] = take(&at, s->length);
    if (triangle) {
        s->L = (bl_lower){s->a.blocks.n, s->a.blocks.d, s->a.ptr, s->a.idx, NULL, take(&at, blocks), linsol_incomplete_pivot};
        s->row = take(&at, 12 * ((size_t)s->a.longest + 1));
    } else {
        s->weight = take(&at, s->length);
    }
    if (copy)
        s->positive = take(&at, blocks);
    for (int k = 0; k < 2 && solver->product; k++)
        s->user_vector[k] = take(&at, n);
    if (s->preconditioner == BL_PRE_BLOCK_JACOBI) {
        BL_TRY(BL_NEW(solver->ctx, s->no_blocks, nodes + 1));
        s->L.ptr = s->no_blocks;
    }
    if (triangle)
        BL_TRY(BL_NEW(solver->ctx, s->L.left, (size_t)s->L.ptr[nodes] * d * d + 8));
    return BL_OK;
}

bl_status bl_iterative_analyze(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                               double rank_tolerance) {
    bl_iterative *s = solver->own;
    (void)deficient, (void)rank_tolerance;
    bl_iterative_destroy(solver);
    BL_TRY(choose_preconditioner(solver, pattern));
    bl_symmetric_input in = {.pattern = pattern,
                             .order = ordering ? ordering->col : NULL,
                             .ordering = s->ordering,
                             .block = s->block,
                             .bundle = solver->hints ? solver->hints->bundle : NULL,
                             .largest_nodes = s->preconditioner == BL_PRE_BLOCK_JACOBI};
    bl_status status = bl_symmetric_analyze(solver->ctx, &in, &s->a);
    if (status == BL_E_ABILITY)
        bl_advise(solver->ctx, "%s needs a symmetric matrix: choose the linear solver klu", name_of(solver));
    BL_TRY(status);
    BL_TRY(reserve(solver));
    s->blocks = BL_ISA_PICK(solver->ctx, bl_symmetric_kernels);
    s->vectors = BL_ISA_PICK(solver->ctx, bl_krylov_kernels);
    double length = s->a.reach > 0 ? (double)s->a.blocks.n / s->a.reach : 1;
    s->iterations = fmin(s->a.n, 10 + 3 * length);
    solver->stats.fill =
        (int64_t)(s->a.ptr[s->a.blocks.n] + s->a.blocks.n) * s->a.blocks.d * s->a.blocks.d * (s->preconditioner == BL_PRE_IC ? 2 : 1);
    return BL_OK;
}

/* ---- values */

static double diagonal(const bl_symmetric *a, bl_index unknown) {
    bl_index slot = a->slot[unknown], d = a->blocks.d, node = slot / a->width, c = slot % a->width;
    return a->diag[((size_t)node * (size_t)d + (size_t)c) * (size_t)d + (size_t)c];
}

/* refuses rows without entries, and for cg diagonals that are not positive */
static bl_status check_diagonal(bl_linsol *solver) {
    bl_iterative *s = solver->own;
    bl_index n = s->a.n, zeros = 0;
    if (s->preconditioner == BL_PRE_NONE && solver->product)
        return BL_OK;
    for (bl_index i = 0; i < n; i++)
        if (s->a.scale[i] == 0)
            s->a.list[zeros++] = i;
    solver->stats.dependent = s->a.list;
    solver->stats.ndependent = zeros;
    solver->stats.rank = n - zeros;
    if (zeros > 0)
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "matrix of order %d has no entries in row %d%s", n, s->a.list[0],
                       zeros > 1 ? ", and others" : "");
    for (bl_index i = 0; i < n && slots_of(solver)->definite; i++)
        if (!(diagonal(&s->a, i) > 0)) {
            bl_fail(solver->ctx, BL_SINGULAR, NULL, "%s needs a positive definite matrix, but the diagonal of row %d is %g",
                    name_of(solver), i, diagonal(&s->a, i));
            bl_advise(solver->ctx, "choose the linear solver minres, or ldl");
            return BL_SINGULAR;
        }
    return BL_OK;
}

static bool positive_definite(int d, const double *m) {
    double a = m[0], b = d > 1 ? m[d + 1] - m[d] / m[0] * m[1] : 1, c = 1;
    if (d == 3) {
        double e = m[5] - m[3] / m[0] * m[2];
        c = m[8] - m[6] / m[0] * m[2] - e / b * e;
        b = b > linsol_definite * m[4] ? b : 0;
        c = c > linsol_definite * m[8] ? c : 0;
    }
    return a > 0 && b > 0 && c > 0;
}

/* diagonal blocks if they are positive definite, else the absolute values of their diagonals */
static void make_positive(bl_iterative *s) {
    int d = s->a.blocks.d;
    size_t dd = (size_t)(d * d);
    memcpy(s->positive, s->a.diag, (size_t)s->a.blocks.n * dd * sizeof *s->positive);
    for (bl_index i = 0; i < s->a.blocks.n; i++) {
        double *m = s->positive + dd * (size_t)i;
        if (positive_definite(d, m))
            continue;
        memset(m, 0, dd * sizeof *m);
        for (int c = 0; c < d; c++)
            m[c * (d + 1)] = c < s->a.size[i] ? s->a.scale[s->a.unknown[i] + c] : 1;
    }
}

static bl_status make_triangle(bl_linsol *solver) {
    bl_iterative *s = solver->own;
    double least, most = s->preconditioner == BL_PRE_IC ? linsol_shift_last : 0;
    if (s->positive)
        make_positive(s);
    while ((least = s->blocks->incomplete(&s->a.blocks, s->positive ? s->positive : s->a.diag, s->shift, s->a.mark, s->row, &s->L)) == 0) {
        s->shift = s->shift > 0 ? 2 * s->shift : linsol_shift_first;
        if (s->shift <= most)
            continue;
        bl_fail(solver->ctx, BL_SINGULAR, NULL, "%s: the diagonal blocks of the matrix are not positive definite", name_of(solver));
        bl_advise(solver->ctx, "choose preconditioner=jacobi, or the linear solver minres or ldl");
        return BL_SINGULAR;
    }
    solver->stats.worst_pivot = least;
    return BL_OK;
}

static bl_status make_preconditioner(bl_linsol *solver) {
    bl_iterative *s = solver->own;
    if (!s->weight)
        return make_triangle(solver);
    double least = INFINITY, most = 0;
    for (bl_index i = 0; i < s->a.n; i++) {
        double scale = s->preconditioner == BL_PRE_NONE ? 1 : s->a.scale[i];
        s->weight[s->a.slot[i]] = 1 / scale;
        least = fmin(least, scale);
        most = fmax(most, scale);
    }
    solver->stats.worst_pivot = s->a.n ? least / most : 1;
    return BL_OK;
}

/* u . A v = v . A u for two pseudo-random vectors, always the same ones */
static bl_status check_product(bl_linsol *solver) {
    bl_iterative *s = solver->own;
    double *u = s->vector[0], *v = s->vector[1], *w = s->vector[2], unused;
    uint32_t bits = 12345;
    for (int k = 0; k < 2; k++)
        for (bl_index i = 0; i < s->a.n; i++) {
            bits = bits * 1664525u + 1013904223u;
            s->vector[k][s->a.slot[i]] = bits / 4294967296.0 - 0.5;
        }
    BL_TRY(bl_iterative_product(solver, v, w, &unused));
    double one = s->vectors->dot(s->length, u, w), size = sqrt(s->vectors->dot(s->length, w, w) * s->vectors->dot(s->length, u, u));
    BL_TRY(bl_iterative_product(solver, u, w, &unused));
    double other = s->vectors->dot(s->length, v, w);
    if (fabs(one - other) <= linsol_skew * size)
        return BL_OK;
    bl_fail(solver->ctx, BL_E_ABILITY, NULL, "%s needs a symmetric matrix, but products give u.Av = %.17g and v.Au = %.17g",
            name_of(solver), one, other);
    bl_advise(solver->ctx, "choose the linear solver klu, which needs a matrix");
    return BL_E_ABILITY;
}

static bl_status take_values(bl_linsol *solver, const double *values, bl_status unsymmetric) {
    bl_iterative *s = solver->own;
    bl_index row, col;
    BL_TRY(bl_symmetric_load(&s->a, values, &row, &col));
    if (row >= 0) {
        bl_fail(solver->ctx, unsymmetric, NULL,
                "%s needs a symmetric matrix, but the entry at row %d, column %d differs from the mirrored one", name_of(solver), row, col);
        bl_advise(solver->ctx, "choose the linear solver klu");
        return unsymmetric;
    }
    BL_TRY(check_diagonal(solver));
    return make_preconditioner(solver);
}

bl_status bl_iterative_factor(bl_linsol *solver, const double *values) {
    bl_iterative *s = solver->own;
    s->shift = 0;
    BL_TRY(take_values(solver, values, BL_E_ABILITY));
    if (solver->product)
        BL_TRY(check_product(solver));
    solver->stats.rank = s->a.n;
    solver->stats.ndependent = 0;
    return BL_OK;
}

bl_status bl_iterative_refactor(bl_linsol *solver, const double *values) { return take_values(solver, values, BL_SINGULAR); }

/* ---- pieces of an iteration */

bl_status bl_iterative_product(bl_linsol *solver, const double *x, double *y, double *curvature) {
    bl_iterative *s = solver->own;
    const bl_index *slot = s->a.slot;
    if (solver->product) {
        for (bl_index i = 0; i < s->a.n; i++)
            s->user_vector[0][i] = x[slot[i]];
        BL_TRY(solver->product(solver->product_user, s->user_vector[0], s->user_vector[1]));
        for (bl_index i = 0; i < s->a.n; i++)
            y[slot[i]] = s->user_vector[1][i];
        *curvature = s->vectors->dot(s->length, x, y);
    } else {
        *curvature = s->blocks->product(&s->a.blocks, x, y);
    }
    if (isfinite(*curvature))
        return BL_OK;
    return bl_fail(solver->ctx, BL_NOT_FINITE, NULL, "%s: a product with the matrix is not finite", name_of(solver));
}

double bl_iterative_forward(const bl_iterative *s, const double *r, double *z) {
    return s->weight ? s->vectors->precondition(s->length, s->weight, r, z) : s->blocks->forward(&s->L, r, z);
}

void bl_iterative_backward(const bl_iterative *s, double beta, double *z, double *p) {
    if (s->weight)
        s->vectors->direction(s->length, beta, z, p);
    else
        s->blocks->backward(&s->L, beta, z, p);
}

/* ---- solution */

const char bl_iterative_advice[] =
    "check that no part of the structure is free to move; raise `most` or `tolerance`, try another preconditioner or a direct solver "
    "(ldl, mumps)";

double bl_iterative_tolerance(const bl_linsol *solver, double given) {
    return !isnan(given) ? given : solver->accuracy > 0 ? solver->accuracy : TOLERANCE;
}

long bl_iterative_most(long given, bl_index n) { return given > 0 ? given : (long)fmin(100 + 20.0 * n, linsol_iterations); }

double bl_iterative_unit(bl_index n, const double *b) {
    double largest = 0;
    int exponent;
    for (bl_index i = 0; i < n; i++)
        largest = fmax(largest, fabs(b[i]));
    frexp(largest, &exponent);
    return largest > 0 ? ldexp(1, exponent - 1) : 0;
}

/* r = b / unit - A x, its norm in *size; uses vector[2] */
static bl_status find_residual(bl_linsol *solver, const double *b, double unit, double *size) {
    bl_iterative *s = solver->own;
    double *r = s->vector[0], *y = s->vector[2], unused;
    BL_TRY(bl_iterative_product(solver, s->vector[1], y, &unused));
    for (bl_index i = 0; i < s->a.n; i++)
        r[s->a.slot[i]] = b[i] / unit - y[s->a.slot[i]];
    *size = sqrt(bl_iterative_forward(s, r, y));
    return BL_OK;
}

/* With rows of size s_i and columns of size 1 / s_j, the norm of the scaled matrix is at most the number of entries of a row, which bounds
 * the rounding error of a product. A smaller residual cannot be reached; direct solvers do no better. share: of the right-hand side; a
 * singular matrix whose equations contradict each other has solutions so large that all of it is rounding. */
static bool only_rounding(const bl_linsol *solver, double share) {
    const bl_iterative *s = solver->own;
    double left = 0, size = 0, entries = solver->product ? UNKNOWN_ROW : s->a.entries;
    if (share > linsol_rounding_left || (s->preconditioner == BL_PRE_NONE && solver->product))
        return false; /* without a matrix, scales are unknown */
    for (bl_index i = 0; i < s->a.n; i++) {
        double r = s->vector[0][s->a.slot[i]], x = s->vector[1][s->a.slot[i]];
        left += r * r / s->a.scale[i];
        size += x * x * s->a.scale[i];
    }
    return sqrt(left) <= linsol_product_rounding * entries * sqrt(size);
}

static bl_status not_converged(bl_linsol *solver, double share, double tolerance, long spent) {
    bl_fail(solver->ctx, BL_NO_CONVERGENCE, NULL,
            "%s: no convergence: residual %.1e of the right-hand side after %ld iterations, tolerance %.1e", name_of(solver), share, spent,
            tolerance);
    bl_advise(solver->ctx, "%s", bl_iterative_advice);
    return BL_NO_CONVERGENCE;
}

/* The recursive residual drifts from the true one: the latter is computed when the former has converged, and if it is larger the iteration
 * is restarted, as long as that helps. */
static bl_status solve_scaled(bl_linsol *solver, const double *b, double unit, double tolerance) {
    bl_iterative *s = solver->own;
    long most = bl_iterative_most(s->most, s->a.n), left = most;
    double initial, size, before = INFINITY;
    memset(s->vector[1], 0, s->length * sizeof *s->vector[1]);
    for (bl_index i = 0; i < s->a.n; i++)
        s->vector[0][s->a.slot[i]] = b[i] / unit;
    initial = size = sqrt(bl_iterative_forward(s, s->vector[0], s->vector[2]));
    bl_status status = BL_OK;
    while (status == BL_OK && size > tolerance * initial && left > 0) {
        bl_status kept = slots_of(solver)->iterate(solver, tolerance * initial, &size, &left);
        if (kept != BL_OK && kept != BL_NO_CONVERGENCE)
            status = kept;
        if (status == BL_OK)
            status = find_residual(solver, b, unit, &size);
        if (status != BL_OK || size <= tolerance * initial)
            break;
        if (only_rounding(solver, size / initial))
            break;
        if (kept != BL_OK || size > before / 2)
            status = kept != BL_OK ? kept : not_converged(solver, size / initial, tolerance, most - left);
        before = size;
    }
    if (status == BL_OK && left <= 0 && size > tolerance * initial && !only_rounding(solver, size / initial))
        status = not_converged(solver, size / initial, tolerance, most - left);
    solver->stats.iterations += most - left;
    solver->stats.residual = initial > 0 ? size / initial : 0;
    return status;
}

bl_status bl_iterative_solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    (void)transposed; /* symmetric */
    bl_iterative *s = solver->own;
    bl_index n = s->a.n;
    double tolerance = bl_iterative_tolerance(solver, s->tolerance);
    for (bl_index c = 0; c < nrhs; c++, x += n) {
        BL_TRY(bl_check_finite(solver->ctx, "right-hand side", NAN, n, x));
        double unit = bl_iterative_unit(n, x);
        if (unit == 0)
            continue;
        BL_TRY(solve_scaled(solver, x, unit, tolerance));
        for (bl_index i = 0; i < n; i++)
            x[i] = unit * s->vector[1][s->a.slot[i]];
    }
    s->iterations = (double)solver->stats.iterations / (double)solver->stats.solves;
    return BL_OK;
}

/* ---- cost */

double bl_iterative_cost(const bl_linsol *solver, bl_index nrhs) {
    const bl_iterative *s = solver->own;
    double dd = s->a.blocks.d * s->a.blocks.d, nodes = s->a.blocks.n, left = s->a.ptr[s->a.blocks.n], nnz = s->a.pattern->ptr[s->a.n];
    double load = 3 * nnz, factor = 0, once = left * (8 * dd + 4) + nodes * 8 * dd, length = (double)s->length;
    if (s->preconditioner == BL_PRE_IC) {
        factor = left * (left / fmax(1, nodes)) * (1 + 0.4 * dd);
        once += 2 * (left * (4 * dd + 4) + nodes * 8 * dd);
    }
    return 1000 + load + factor + nrhs * (10 * length + s->iterations * (0.06 * once + 8 * length));
}

bl_status bl_iterative_forecast(bl_linsol *solver, const double *values, bl_index nrhs, double *nanoseconds) {
    bl_iterative *s = solver->own;
    bl_index row, col;
    *nanoseconds = INFINITY;
    BL_TRY(bl_symmetric_load(&s->a, values, &row, &col));
    bool possible = row < 0;
    for (bl_index i = 0; i < s->a.n && possible; i++)
        possible = s->a.scale[i] > 0 && (!slots_of(solver)->definite || diagonal(&s->a, i) > 0);
    if (possible)
        *nanoseconds = bl_iterative_cost(solver, nrhs);
    return BL_OK;
}
