/* Least forces within limits. In weighted forces, w = sqrt(weight) u, all solutions of A u = b are w = w0 + N y, w0 the least one, and
 *
 *     least |y|  such that  -limit <= u(y) <= limit
 *
 * is a problem of least distance. Its dual has only sign constraints: with E = [G^T; h^T] for constraints G y >= h and
 * e = (0, ..., 0, 1), the x >= 0 of least |E x - e| has the residual r = E x - e, and y = -r_j / r_last; r = 0: there is no y. (Lawson and
 * Hanson, Solving least squares problems, 1974, chapter 23; x by their active set.) */
#include "study/effort.h"

#include "dense/dense.h"
#include "study/inverse_limits.h"

#include <math.h>
#include <string.h>

typedef struct positive {
    bl_context *ctx;
    bl_index m, n;
    const double *E; /* [m][n] columns */
    double *x, *trial, *gradient, *rest, *matrix, *work;
    bool *in;
} positive;

/* least squares over the active columns: trial, zero elsewhere */
static bl_status fit(positive *p) {
    bl_index k = 0, rank;
    size_t m = (size_t)p->m;
    memset(p->rest, 0, (size_t)(p->m > p->n ? p->m : p->n) * sizeof(double));
    p->rest[p->m - 1] = 1;
    for (bl_index j = 0; j < p->n; j++)
        if (p->in[j])
            memcpy(p->matrix + (size_t)k++ * m, p->E + (size_t)j * m, m * sizeof(double));
    BL_TRY(bl_least_norm(p->ctx, p->m, k, p->matrix, study_effort_fit, p->rest, &rank, p->work));
    k = 0;
    for (bl_index j = 0; j < p->n; j++)
        p->trial[j] = p->in[j] ? p->rest[k++] : 0;
    return BL_OK;
}

/* rest = E x - e; gradient = -E^T rest */
static void evaluate(positive *p) {
    memset(p->rest, 0, (size_t)p->m * sizeof(double));
    p->rest[p->m - 1] = -1;
    for (bl_index j = 0; j < p->n; j++)
        for (bl_index i = 0; i < p->m; i++)
            p->rest[i] += p->E[(size_t)j * (size_t)p->m + (size_t)i] * p->x[j];
    for (bl_index j = 0; j < p->n; j++) {
        p->gradient[j] = 0;
        for (bl_index i = 0; i < p->m; i++)
            p->gradient[j] -= p->E[(size_t)j * (size_t)p->m + (size_t)i] * p->rest[i];
    }
}

/* toward the trial as far as signs allow; columns that reach zero become inactive */
static bool step(positive *p) {
    double share = 1;
    for (bl_index j = 0; j < p->n; j++)
        if (p->in[j] && p->trial[j] <= 0)
            share = fmin(share, p->x[j] / (p->x[j] - p->trial[j]));
    for (bl_index j = 0; j < p->n; j++) {
        p->x[j] += share * (p->trial[j] - p->x[j]);
        if (p->in[j] && share < 1 && p->x[j] <= study_effort_active) {
            p->x[j] = 0;
            p->in[j] = false;
        }
    }
    return share >= 1;
}

static bl_status solve(positive *p) {
    for (bl_index round = 0; round < study_effort_rounds * p->n; round++) {
        bl_index best = -1;
        evaluate(p);
        for (bl_index j = 0; j < p->n; j++)
            if (!p->in[j] && p->gradient[j] > study_effort_nothing && (best < 0 || p->gradient[j] > p->gradient[best]))
                best = j;
        if (best < 0)
            return BL_OK;
        p->in[best] = true;
        do
            BL_TRY(fit(p));
        while (!step(p));
    }
    evaluate(p);
    return BL_OK;
}

/* E from the basis N[n][k] and the least forces: rows of G y >= h are +-N y / sqrt(weight) >= -limit -+ u0 */
static void make_dual(bl_index n, bl_index k, const double *N, const double *weight, const double *limit, const double *u, double *E,
                      bl_index *count) {
    *count = 0;
    for (bl_index i = 0; i < n; i++)
        for (int side = -1; side <= 1 && isfinite(limit[i]); side += 2) {
            double *column = E + (size_t)(*count)++ * (size_t)(k + 1);
            for (bl_index j = 0; j < k; j++)
                column[j] = side * N[(size_t)j * (size_t)n + (size_t)i] / sqrt(weight[i]) / limit[i];
            column[k] = (-limit[i] - side * u[i]) / limit[i];
        }
}

bl_status bl_least_bounded(bl_context *ctx, bl_index m, bl_index n, const double *A, const double *weight, const double *limit, double *u,
                           bool *possible) {
    bl_index rank = 0, k, big = 2 * n > n + 1 ? 2 * n : n + 1;
    double *block = NULL, *weighted = NULL;
    bool *in = NULL;
    size_t square = (size_t)n * (size_t)n;
    *possible = false;
    bl_status status = BL_NEW(ctx, weighted, (size_t)m * (size_t)n + square + 2 * (size_t)n + 1);
    if (status == BL_OK)
        status = BL_NEW(ctx, in, 2 * (size_t)n + 1);
    for (bl_index j = 0; j < n && status == BL_OK; j++)
        for (bl_index i = 0; i < m; i++)
            weighted[(size_t)j * (size_t)m + (size_t)i] = A[(size_t)j * (size_t)m + (size_t)i] / sqrt(weight[j]);
    double *N = status == BL_OK ? weighted + (size_t)m * (size_t)n : NULL, *kept = status == BL_OK ? N + square : NULL;
    if (status == BL_OK)
        status = bl_null_space(ctx, m, n, weighted, study_effort_rank, N, &rank);
    k = n - rank;
    size_t rows = (size_t)(k + 1), columns = 2 * (size_t)n;
    if (status == BL_OK)
        status = BL_NEW(ctx, block, 2 * rows * columns + 3 * columns + 2 * (size_t)big + bl_least_norm_work((bl_index)rows, 2 * n));
    if (status == BL_OK && k > 0) {
        positive p = {.ctx = ctx, .m = (bl_index)rows, .E = block, .in = in};
        p.matrix = block + rows * columns;
        p.x = p.matrix + rows * columns;
        p.trial = p.x + columns;
        p.gradient = p.trial + columns;
        p.rest = p.gradient + columns;
        p.work = p.rest + 2 * big;
        make_dual(n, k, N, weight, limit, u, block, &p.n);
        status = solve(&p);
        double last = p.rest[k];
        *possible = status == BL_OK && fabs(last) > study_effort_nothing;
        memcpy(kept, u, (size_t)n * sizeof(double));
        for (bl_index i = 0; i < n && *possible; i++)
            for (bl_index j = 0; j < k; j++)
                u[i] += N[(size_t)j * (size_t)n + (size_t)i] * (-p.rest[j] / last) / sqrt(weight[i]);
        for (bl_index i = 0; i < n && *possible; i++)
            *possible = fabs(u[i]) <= limit[i] * (1 + study_effort_within);
        if (!*possible)
            memcpy(u, kept, (size_t)n * sizeof(double));
    }
    bl_free(ctx, block);
    bl_free(ctx, in);
    bl_free(ctx, weighted);
    return status;
}
