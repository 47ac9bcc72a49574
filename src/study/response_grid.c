/* Frequencies for a response curve: equal ratios around the poles, and denser near lightly damped ones, whose peaks are as narrow as |Re|.
 * docs/theory/response.md. */
#include "base/linearized.h"
#include "base/sized.h"
#include "dense/dense.h"
#include "study/linear_limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PER_DECADE = 60, MANY_PEAKS = 50, MOST_POINTS = 1000000 };

typedef struct grid {
    bl_context *ctx;
    bl_index n, room, npole;
    double *omega;
    double *re, *im; /* [npole] */
    double norm;
} grid;

static bl_status add(grid *g, double omega) {
    BL_TRY(BL_RESERVE(g->ctx, g->omega, g->room, g->n + 1));
    g->omega[g->n++] = omega;
    return BL_OK;
}

/* eigenvalues of A; the caller frees *block */
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
        return bl_fail(g->ctx, BL_E_NUMERIC, NULL, "the eigenvalues of the linearized mechanism do not converge");
    for (bl_index k = 0; k < g->npole; k++)
        g->norm = fmax(g->norm, hypot(g->re[k], g->im[k]));
    return BL_OK;
}

/* Decades around the nonzero poles. A double pole at zero is computed as sqrt(eps) of the largest. */
static void find_range(const grid *g, double *from, double *to) {
    double low = INFINITY, high = 0;
    for (bl_index k = 0; k < g->npole; k++) {
        double size = hypot(g->re[k], g->im[k]);
        if (size > study_response_zero * g->norm) {
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

/* both flanks of a peak, from its tip outward until the regular points are as dense */
static bl_status add_peak(grid *g, double sigma, double omega, double from, double to, double growth) {
    bool undamped = sigma < study_response_undamped * omega;
    double spacing = omega * (pow(10, 1.0 / PER_DECADE) - 1), step = undamped ? study_response_flank * omega : sigma / 8;
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
    const double light = 4 * (pow(10, 1.0 / PER_DECADE) - 1); /* wider peaks have enough regular points */
    bl_index peaks = 0;
    for (int round = 0; round < 2; round++)
        for (bl_index k = 0; k < g->npole; k++) {
            double sigma = fabs(g->re[k]), omega = g->im[k];
            if (!(omega > study_response_zero * g->norm) || sigma > light * omega || omega < from || omega > to)
                continue;
            if (round == 0)
                peaks++;
            else
                BL_TRY(add_peak(g, sigma, omega, from, to, peaks > MANY_PEAKS ? 2 : 1.25));
        }
    return BL_OK;
}

/* ---- notches: minima of |H| between points, refined */

enum { NOTCH_PAIRS = 16, MOST_NOTCHES = 200, NOTCH_ROUNDS = 12, NOTCH_STATES = 400 };

typedef struct notch {
    size_t pair;
    double omega[5], size[5]; /* 0, 2, 4: low in the middle */
} notch;

static double size_at(const double *H, size_t pairs, size_t k, size_t pair) {
    return hypot(H[2 * (k * pairs + pair)], H[2 * (k * pairs + pair) + 1]);
}

static bl_index find_notches(const grid *g, const double *H, size_t pairs, notch *at) {
    bl_index n = 0;
    for (size_t p = 0; p < pairs && p < NOTCH_PAIRS; p++)
        for (bl_index k = 1; k + 1 < g->n && n < MOST_NOTCHES; k++) {
            double a = size_at(H, pairs, (size_t)k - 1, p), b = size_at(H, pairs, (size_t)k, p), c = size_at(H, pairs, (size_t)k + 1, p);
            if (b <= a && b < c)
                at[n++] = (notch){p, {g->omega[k - 1], 0, g->omega[k], 0, g->omega[k + 1]}, {a, 0, b, 0, c}};
        }
    return n;
}

/* keeps the lowest of five points between its neighbors */
static void narrow(notch *at) {
    int low = at->size[1] < at->size[2] ? 1 : 2;
    low = at->size[3] < at->size[low] ? 3 : low;
    notch next = {.pair = at->pair};
    for (int k = -1; k <= 1; k++) {
        next.omega[2 + 2 * k] = at->omega[low + k];
        next.size[2 + 2 * k] = at->size[low + k];
    }
    *at = next;
}

static bool deep(const notch *at) { return fmin(at->size[0], at->size[4]) > (1 + study_response_notch) * at->size[2]; }

/* H, omega: room for all points and for two of every notch */
static bl_status follow_notches(grid *g, const bl_linear_model *lin, notch *at, double *omega, double *H) {
    size_t pairs = (size_t)lin->noutput * (size_t)lin->ninput;
    BL_TRY(bl_linear_response(g->ctx, lin, g->n, g->omega, H));
    bl_index n = find_notches(g, H, pairs, at), active = n;
    for (int round = 0; round < NOTCH_ROUNDS && active > 0; round++) {
        active = 0;
        for (bl_index k = 0; k < n; k++)
            if (deep(&at[k])) {
                notch kept = at[k];
                at[k] = at[active];
                at[active++] = kept;
            }
        for (bl_index k = 0; k < 2 * active; k++) {
            double *own = at[k / 2].omega + (k % 2 ? 3 : 1);
            omega[k] = own[0] = sqrt(own[-1] * own[1]);
            BL_TRY(add(g, omega[k]));
        }
        BL_TRY(bl_linear_response(g->ctx, lin, 2 * active, omega, H));
        for (bl_index k = 0; k < 2 * active; k++)
            at[k / 2].size[k % 2 ? 3 : 1] = size_at(H, pairs, (size_t)k, at[k / 2].pair);
        for (bl_index k = 0; k < active; k++)
            narrow(&at[k]);
    }
    return BL_OK;
}

static bl_status add_notches(grid *g, const bl_linear_model *lin) {
    size_t pairs = (size_t)lin->noutput * (size_t)lin->ninput, room = (size_t)g->n + 2 * MOST_NOTCHES;
    double *numbers;
    notch *at = NULL;
    if (pairs == 0 || lin->nstate == 0 || lin->nstate > NOTCH_STATES)
        return BL_OK;
    BL_TRY(BL_NEW(g->ctx, numbers, room * (2 * pairs + 1)));
    bl_status status = BL_NEW(g->ctx, at, MOST_NOTCHES);
    bl_log_pause(g->ctx, true); /* poles are reported with the response itself */
    if (status == BL_OK)
        status = follow_notches(g, lin, at, numbers, numbers + room);
    bl_log_pause(g->ctx, false);
    bl_free(g->ctx, at);
    bl_free(g->ctx, numbers);
    return status;
}

static void sort(grid *g) {
    bl_index kept = 1;
    bl_sort_numbers(g->omega, (size_t)g->n);
    for (bl_index k = 1; k < g->n; k++)
        if (g->omega[k] > g->omega[kept - 1])
            g->omega[kept++] = g->omega[k];
    g->n = kept;
}

static bl_status fill(grid *g, const bl_linear_model *lin, double from, double to, bl_index count) {
    bl_index n = count > 0 ? count : (bl_index)ceil(PER_DECADE * log10(to / from)) + 1;
    if (count == 0 && n < PER_DECADE)
        n = PER_DECADE;
    for (bl_index k = 0; k < n; k++)
        BL_TRY(add(g, k == 0 ? from : k + 1 == n ? to : from * pow(to / from, k / (double)(n - 1))));
    if (count == 0) {
        BL_TRY(add_peaks(g, from, to));
        sort(g);
        BL_TRY(add_notches(g, lin));
    }
    sort(g);
    return BL_OK;
}

bl_status bl_linear_frequencies(bl_context *ctx, const bl_linear_model *given, double from, double to, bl_index count, bl_frequencies *at) {
    bl_linear_model own, *lin = given ? &own : NULL;
    BL_TRY(BL_TAKE(ctx, bl_linear_model, given, &own));
    BL_TRY(bl_linear_check(ctx, lin));
    if (!at)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_linear_frequencies needs a result to fill");
    *at = (bl_frequencies){0};
    if (!isfinite(from) || !isfinite(to) || from < 0 || to < 0 || (from > 0 && to > 0 && to <= from))
        return bl_fail(ctx, BL_E_ARG, NULL, "frequencies must go from a positive value to a larger one, found %g to %g rad/s", from, to);
    if (count < 0 || count == 1 || count > MOST_POINTS)
        return bl_fail(ctx, BL_E_ARG, NULL, "the number of frequencies must be 2 to %d, found %d", (int)MOST_POINTS, (int)count);
    grid g = {.ctx = ctx};
    double *block = NULL;
    bl_status status = find_poles(&g, lin, &block);
    if (status == BL_OK) {
        find_range(&g, &from, &to);
        status = fill(&g, lin, from, to, count);
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
