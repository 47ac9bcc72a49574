/* Frequencies at which a response is worth knowing: equal ratios around the poles, and closer together near those that are lightly damped,
 * whose peaks are as narrow as |Re|. docs/theory/response.md. */
#include "base/linear.h"
#include "dense/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PER_DECADE = 60, MANY_PEAKS = 50, MOST_POINTS = 1000000 };

/* Nearer than this, relative to its frequency, a pole has no damping that numbers could show: its flanks are followed up to UNDAMPED_NEAR. */
static const double UNDAMPED = 1e-9, UNDAMPED_NEAR = 1e-4;

typedef struct grid {
    bl_context *ctx;
    bl_index n, room, npole;
    double *omega;
    double *re, *im; /* [npole] */
    double norm;
} grid;

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bl_status add(grid *g, double omega) {
    BL_TRY(BL_RESERVE(g->ctx, g->omega, g->room, g->n + 1));
    g->omega[g->n++] = omega;
    return BL_OK;
}

/* eigenvalues of A; block is the caller's */
static bl_status find_poles(grid *g, const bl_linear_model *lin, double **block) {
    size_t n = (size_t)lin->nstate;
    BL_TRY(BL_NEW(g->ctx, *block, n * n + 6 * n));
    double *work = *block + n * n;
    g->re = work + 4 * n;
    g->im = work + 5 * n;
    g->npole = lin->nstate;
    if (n == 0)
        return BL_OK;
    memcpy(*block, lin->A, n * n * sizeof **block);
    if (!bl_dense_eigenvalues(lin->nstate, *block, g->re, g->im, work, 4 * n))
        return bl_fail(g->ctx, BL_E_NUMERIC, NULL, "the eigenvalues of the linearised mechanism were not found");
    for (bl_index k = 0; k < g->npole; k++)
        g->norm = fmax(g->norm, hypot(g->re[k], g->im[k]));
    return BL_OK;
}

/* Decades around the poles that are not zero. Zeros of a double pole come out as sqrt(eps) of the largest. */
static void find_range(const grid *g, double *from, double *to) {
    double low = INFINITY, high = 0;
    for (bl_index k = 0; k < g->npole; k++) {
        double size = hypot(g->re[k], g->im[k]);
        if (size > 3 * sqrt(DBL_EPSILON) * g->norm) {
            low = fmin(low, size);
            high = fmax(high, size);
        }
    }
    if (!(high > 0))
        low = high = 1;
    if (!(*from > 0))
        *from = *to > 0 && *to <= low / 2 ? *to / 100 : pow(10, floor(log10(low / 2)));
    if (!(*to > 0))
        *to = high * 2 <= *from ? *from * 100 : pow(10, ceil(log10(high * 2)));
}

/* both flanks of a peak, from its tip outwards until the plain points are as close */
static bl_status add_peak(grid *g, double sigma, double omega, double from, double to, double growth) {
    bool undamped = sigma < UNDAMPED * omega;
    double spacing = omega * (pow(10, 1.0 / PER_DECADE) - 1), step = undamped ? UNDAMPED_NEAR * omega : sigma / 8;
    double tip = sigma < omega ? sqrt((omega - sigma) * (omega + sigma)) : omega; /* of a displacement */
    const double center[2] = {omega, undamped ? omega : tip};
    for (int k = 0; k < 2; k++)
        if (center[k] >= from && center[k] <= to)
            BL_TRY(add(g, center[k]));
    for (double aside = step; aside * (growth - 1) < spacing; aside *= growth)
        for (int side = -1; side <= 1; side += 2) {
            double at = omega + side * aside;
            if (at > from && at < to)
                BL_TRY(add(g, at));
        }
    return BL_OK;
}

static bl_status add_peaks(grid *g, double from, double to) {
    const double light = 4 * (pow(10, 1.0 / PER_DECADE) - 1); /* wider ones have plain points enough */
    bl_index peaks = 0;
    for (int round = 0; round < 2; round++)
        for (bl_index k = 0; k < g->npole; k++) {
            double sigma = fabs(g->re[k]), omega = g->im[k];
            if (!(omega > 3 * sqrt(DBL_EPSILON) * g->norm) || sigma > light * omega || omega < from || omega > to)
                continue;
            if (round == 0)
                peaks++;
            else
                BL_TRY(add_peak(g, sigma, omega, from, to, peaks > MANY_PEAKS ? 2 : 1.25));
        }
    return BL_OK;
}

static bl_status fill(grid *g, double from, double to, bl_index count) {
    bl_index n = count > 0 ? count : (bl_index)ceil(PER_DECADE * log10(to / from)) + 1;
    if (count == 0 && n < PER_DECADE)
        n = PER_DECADE;
    for (bl_index k = 0; k < n; k++)
        BL_TRY(add(g, k == 0 ? from : k + 1 == n ? to : from * pow(to / from, k / (double)(n - 1))));
    if (count == 0)
        BL_TRY(add_peaks(g, from, to));
    qsort(g->omega, (size_t)g->n, sizeof *g->omega, ascending);
    bl_index kept = 1;
    for (bl_index k = 1; k < g->n; k++)
        if (g->omega[k] > g->omega[kept - 1])
            g->omega[kept++] = g->omega[k];
    g->n = kept;
    return BL_OK;
}

bl_status bl_linear_frequencies(bl_context *ctx, const bl_linear_model *lin, double from, double to, bl_index count, bl_frequencies *at) {
    BL_TRY(bl_linear_check(ctx, lin));
    if (!at)
        return bl_fail(ctx, BL_E_ARG, NULL, "there is no room for frequencies");
    *at = (bl_frequencies){0};
    if (!isfinite(from) || !isfinite(to) || from < 0 || to < 0 || (from > 0 && to > 0 && to <= from))
        return bl_fail(ctx, BL_E_ARG, NULL, "frequencies go from a positive one to a larger one, not from %g to %g rad/s", from, to);
    if (count < 0 || count == 1 || count > MOST_POINTS)
        return bl_fail(ctx, BL_E_ARG, NULL, "the number of frequencies is between 2 and %d, not %d", (int)MOST_POINTS, (int)count);
    grid g = {.ctx = ctx};
    double *block = NULL;
    bl_status status = find_poles(&g, lin, &block);
    if (status == BL_OK) {
        find_range(&g, &from, &to);
        status = fill(&g, from, to, count);
    }
    bl_free(ctx, block);
    if (status == BL_OK)
        *at = (bl_frequencies){g.n, g.omega};
    else
        bl_free(ctx, g.omega);
    return status;
}

void bl_frequencies_destroy(bl_context *ctx, bl_frequencies *at) {
    bl_free(ctx, at->omega);
    *at = (bl_frequencies){0};
}
