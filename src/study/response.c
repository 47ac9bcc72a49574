/* Response of a linearized mechanism to harmonic inputs, H(omega) = C (i omega - A)^-1 B + D: one reduction, then n^2 operations for every
 * frequency (dense/hessenberg.c). docs/theory/response.md. */
#include "base/linearized.h"
#include "base/sized.h"
#include "dense/dense.h"
#include "study/linear_limits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct response {
    bl_context *ctx;
    const bl_linear_model *lin;
    double *h, *b, *c; /* of the reduced states; h row by row */
    double *probe;     /* [nstate] an irregular vector of length about 1: its solution is large near any pole */
    double *x, *lu;    /* complex pairs: [ninput + 1][nstate], the last of the probe; [nstate][nstate] */
    double *near;      /* complex pairs: four times [noutput][ninput], beside a pole */
    double norm;       /* of h, Frobenius */
    double slowest;    /* size of the smallest pole that is not zero, found where it is needed; 0: not yet */
} response;

/* Distance from a pole at which a pair is evaluated, relative to its frequency: eps^(1/3) balances rounding, eps/d, and curvature, d^2. */
static const double STEP_ASIDE = 6e-6;

static double *copy(bl_context *ctx, const double *from, bl_index rows, bl_index columns) {
    size_t count = (size_t)rows * (size_t)columns;
    double *to = bl_alloc(ctx, count, sizeof *to);
    if (to && count > 0)
        memcpy(to, from, count * sizeof *to);
    return to;
}

static bl_status prepare(response *r) {
    const bl_linear_model *lin = r->lin;
    bl_index n = lin->nstate, ni = lin->ninput, no = lin->noutput;
    size_t nwork = bl_dense_hessenberg_work(n, ni, no);
    double *work = NULL;
    if (!(r->h = copy(r->ctx, lin->A, n, n)) || !(r->b = copy(r->ctx, lin->B, n, ni)) || !(r->c = copy(r->ctx, lin->C, no, n)))
        return BL_E_MEMORY;
    BL_TRY(BL_NEW(r->ctx, r->x, 2 * (size_t)n * ((size_t)ni + 1)));
    BL_TRY(BL_NEW(r->ctx, r->probe, n));
    for (bl_index k = 0; k < n; k++)
        r->probe[k] = (0.5 + fmod((k + 1) * 0.6180339887498949, 1)) * (k % 3 == 1 ? -1 : 1) / sqrt(n);
    BL_TRY(BL_NEW(r->ctx, r->lu, 2 * (size_t)n * (size_t)n));
    BL_TRY(BL_NEW(r->ctx, r->near, 8 * (size_t)no * (size_t)ni));
    BL_TRY(BL_NEW(r->ctx, work, nwork));
    bool good = bl_dense_hessenberg(n, r->h, ni, r->b, no, r->c, work, nwork);
    bl_free(r->ctx, work);
    for (size_t k = 0; k < (size_t)n * (size_t)n; k++)
        r->norm = hypot(r->norm, r->h[k]);
    return good ? BL_OK
                : bl_fail(r->ctx, BL_E_NUMERIC, NULL, "the matrix A of the linearized mechanism cannot be reduced to Hessenberg form");
}

/* The smallest |b| / |x| of inputs and probe: the smallest singular value, up to a factor of the square root of the order. */
static double gain(const response *r) {
    size_t n = (size_t)r->lin->nstate, ni = (size_t)r->lin->ninput;
    double least = INFINITY;
    for (size_t i = 0; i <= ni; i++) {
        const double *b = i < ni ? r->b + i * n : r->probe, *x = r->x + 2 * n * i;
        double in = 0, out = 0;
        for (size_t k = 0; k < n; k++) {
            in += b[k] * b[k];
            out += x[2 * k] * x[2 * k] + x[2 * k + 1] * x[2 * k + 1];
        }
        if (in > 0)
            least = fmin(least, sqrt(in / out));
    }
    return least;
}

/* H[noutput][ninput] at s; returns a measure of the distance of s from a pole, as a rate; 0: H does not exist */
static double evaluate(response *r, double re, double im, double *H) {
    const bl_linear_model *lin = r->lin;
    size_t n = (size_t)lin->nstate, ni = (size_t)lin->ninput, no = (size_t)lin->noutput;
    for (size_t k = 0; k < n * (ni + 1); k++) {
        r->x[2 * k] = k < n * ni ? r->b[k] : r->probe[k - n * ni];
        r->x[2 * k + 1] = 0;
    }
    double least = bl_dense_hessenberg_solve(lin->nstate, r->h, re, im, lin->ninput + 1, r->x, r->lu);
    if (!(least > 0))
        return 0;
    for (size_t o = 0; o < no; o++)
        for (size_t i = 0; i < ni; i++) {
            double sum[2] = {lin->D[o + no * i], 0};
            for (size_t k = 0; k < n; k++) {
                sum[0] += r->c[o + no * k] * r->x[2 * (i * n + k)];
                sum[1] += r->c[o + no * k] * r->x[2 * (i * n + k) + 1];
            }
            H[2 * (o * ni + i)] = sum[0];
            H[2 * (o * ni + i) + 1] = sum[1];
        }
    return fmin(least, gain(r));
}

/* at omega = 0 distances are relative to the slowest nonzero pole; the smallest pivot is no measure there */
static bl_status find_slowest(response *r) {
    bl_index n = r->lin->nstate;
    double *block;
    if (r->slowest > 0)
        return BL_OK;
    size_t order = (size_t)n;
    BL_TRY(BL_NEW(r->ctx, block, order * order + 6 * order));
    memcpy(block, r->lin->A, order * order * sizeof *block);
    double *re = block + order * order, *im = re + order, *work = im + order;
    r->slowest = r->norm > 0 ? r->norm : 1;
    if (bl_dense_eigenvalues(n, block, re, im, work, 4 * order))
        for (bl_index k = 0; k < n; k++) {
            double size = hypot(re[k], im[k]);
            if (size > study_response_zero * r->norm)
                r->slowest = fmin(r->slowest, size);
        }
    bl_free(r->ctx, block);
    return BL_OK;
}

/* |c| |b| of a pair */
static double pair_size(const response *r, size_t output, size_t input) {
    size_t n = (size_t)r->lin->nstate, no = (size_t)r->lin->noutput;
    double c = 0, b = 0;
    for (size_t k = 0; k < n; k++) {
        c = hypot(c, r->c[output + no * k]);
        b = hypot(b, r->b[k + n * input]);
    }
    return c * b;
}

static void warn(response *r, double omega, bl_index output, bl_index input, bl_index count) {
    char more[48] = "";
    const bl_linear_model *lin = r->lin;
    if (count > 1)
        snprintf(more, sizeof more, " (and %d more responses)", (int)count - 1);
    if (omega > 0)
        bl_warn(r->ctx, NAN, lin->output[output], "the response to '%s'%s is infinite at %.9g rad/s: an undamped pole", lin->input[input],
                more, omega);
    else
        bl_warn(r->ctx, NAN, lin->output[output], "the response to '%s'%s is infinite at 0 rad/s: a constant input moves it without bound",
                lin->input[input], more);
}

/* Size of the residue of pair p, from values at -2, -1, 1, 2 times the distance: of a simple pole from the odd part, in which the slope of
 * the regular part cancels; of a double one, if the even part at twice the distance is less than half as large, from that part. */
static double residue(double *const at[4], size_t p, double aside) {
    double simple = 0, even[2] = {0, 0};
    for (size_t k = 2 * p; k < 2 * p + 2; k++) {
        simple = hypot(simple, (at[2][k] - at[1][k]) - (at[3][k] - at[0][k]) / 2);
        even[0] = hypot(even[0], at[2][k] + at[1][k]);
        even[1] = hypot(even[1], at[3][k] + at[0][k]);
    }
    return aside * (even[0] > 2 * even[1] ? fmax(simple, even[0]) : simple) * 2 / 3;
}

/* A pole at i omega within rounding: pairs that have it are infinite, the others get the mean of both sides. */
static bl_status beside_pole(response *r, double omega, double *H) {
    const bl_linear_model *lin = r->lin;
    size_t ni = (size_t)lin->ninput, pairs = (size_t)lin->noutput * ni;
    if (!(omega > 0))
        BL_TRY(find_slowest(r));
    double aside = fmax(STEP_ASIDE * (omega > 0 ? omega : r->slowest), 1e3 * DBL_EPSILON * r->norm);
    double *at[4] = {r->near, r->near + 2 * pairs, r->near + 4 * pairs, r->near + 6 * pairs};
    static const double where[4] = {-2, -1, 1, 2};
    bool good = true;
    for (int k = 0; k < 4; k++)
        good = evaluate(r, where[k] * aside, omega, at[k]) > 0 && good;
    bl_index infinite = 0;
    size_t first = 0;
    for (size_t p = 0; p < pairs; p++) {
        double rounding = study_response_residue * lin->nstate * DBL_EPSILON * pair_size(r, p / ni, p % ni);
        bool pole = !good || !(residue(at, p, aside) <= rounding);
        for (int part = 0; part < 2; part++)
            H[2 * p + (size_t)part] = pole ? NAN : (at[1][2 * p + (size_t)part] + at[2][2 * p + (size_t)part]) / 2;
        if (pole && infinite++ == 0)
            first = p;
    }
    if (infinite > 0)
        warn(r, omega, (bl_index)(first / ni), (bl_index)(first % ni), infinite);
    return BL_OK;
}

static bl_status respond(response *r, double omega, double *H) {
    const bl_linear_model *lin = r->lin;
    double floor = study_response_pole * lin->nstate * DBL_EPSILON * r->norm;
    double least = evaluate(r, 0, omega, H);
    bool good = least > floor || lin->nstate == 0;
    for (size_t k = 0; good && k < 2 * (size_t)lin->noutput * (size_t)lin->ninput; k++)
        good = isfinite(H[k]);
    return good ? BL_OK : beside_pole(r, omega, H);
}

bl_status bl_linear_response(bl_context *ctx, const bl_linear_model *given, bl_index nomega, const double *omega, double *H) {
    bl_linear_model own, *lin = given ? &own : NULL;
    BL_TRY(BL_TAKE(ctx, bl_linear_model, given, &own));
    BL_TRY(bl_linear_check(ctx, lin));
    size_t pairs = (size_t)lin->noutput * (size_t)lin->ninput;
    if (nomega < 0 || (nomega > 0 && (!omega || (!H && pairs > 0))))
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_linear_response needs frequencies and an array for the results");
    for (bl_index k = 0; k < nomega; k++)
        if (!isfinite(omega[k]) || omega[k] < 0)
            return bl_fail(ctx, BL_E_ARG, NULL, "frequency %d is %g rad/s: it must be finite and not negative", (int)k + 1, omega[k]);
    if (pairs == 0 || nomega == 0)
        return BL_OK;
    response r = {.ctx = ctx, .lin = lin};
    bl_status status = prepare(&r);
    for (bl_index k = 0; k < nomega && status == BL_OK; k++) {
        status = bl_go_on(ctx);
        if (status == BL_OK)
            status = respond(&r, omega[k], H + 2 * pairs * (size_t)k);
    }
    bl_free(ctx, r.h);
    bl_free(ctx, r.b);
    bl_free(ctx, r.c);
    bl_free(ctx, r.x);
    bl_free(ctx, r.probe);
    bl_free(ctx, r.lu);
    bl_free(ctx, r.near);
    return status;
}
