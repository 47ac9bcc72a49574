/* Response of a linearized mechanism to harmonic inputs, H(omega) = C (i omega - A)^-1 B + D: one reduction, then n^2 operations for every
 * frequency (dense/hessenberg.c). docs/theory/response.md. */
#include "base/linear.h"
#include "dense/dense.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct response {
    bl_context *ctx;
    const bl_linear_model *lin;
    double *h, *b, *c; /* of the reduced states; h row by row */
    double *x, *lu;    /* complex pairs: [ninput][nstate], [nstate][nstate] */
    double *near;      /* complex pairs: four times [noutput][ninput] */
    double norm;       /* of h, Frobenius */
    double slowest;    /* size of the smallest pole that is not zero, found where it is needed; 0: not yet */
} response;

/* A pivot below this many roundings of |A| times its order means a pole within rounding: the reduction itself is that uncertain. */
static const double SINGULAR_ROUNDINGS = 4;
/* Distance from a pole at which a pair is looked at, relative to its frequency: eps^(1/3) balances rounding, eps/d, and curvature, d^2. */
static const double STEP_ASIDE = 6e-6;
/* Twice as far from a pole the response is half as large or less; of a pair that does not have the pole it stays as it is. */
static const double POLE_RATIO = 1.5;
/* A residue below this many roundings of |c| |b| is one of the reduction, which mixes motions that have nothing to do with each other. */
static const double RESIDUE_ROUNDINGS = 1000;

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
    BL_TRY(BL_NEW(r->ctx, r->x, 2 * (size_t)n * (size_t)ni));
    BL_TRY(BL_NEW(r->ctx, r->lu, 2 * (size_t)n * (size_t)n));
    BL_TRY(BL_NEW(r->ctx, r->near, 8 * (size_t)no * (size_t)ni));
    BL_TRY(BL_NEW(r->ctx, work, nwork));
    bool good = bl_dense_hessenberg(n, r->h, ni, r->b, no, r->c, work, nwork);
    bl_free(r->ctx, work);
    for (size_t k = 0; k < (size_t)n * (size_t)n; k++)
        r->norm = hypot(r->norm, r->h[k]);
    return good ? BL_OK : bl_fail(r->ctx, BL_E_NUMERIC, NULL, "the matrix A of the linearized mechanism cannot be reduced");
}

/* H[noutput][ninput] at s; returns the smallest pivot, 0: there is no H */
static double evaluate(response *r, double re, double im, double *H) {
    const bl_linear_model *lin = r->lin;
    size_t n = (size_t)lin->nstate, ni = (size_t)lin->ninput, no = (size_t)lin->noutput;
    for (size_t k = 0; k < n * ni; k++) {
        r->x[2 * k] = r->b[k];
        r->x[2 * k + 1] = 0;
    }
    double least = bl_dense_hessenberg_solve(lin->nstate, r->h, re, im, lin->ninput, r->x, r->lu);
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
    return least;
}

/* at omega = 0 the distance is measured by the slowest pole that is not zero; the smallest pivot tells nothing there */
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
            if (size > 3 * sqrt(DBL_EPSILON) * r->norm)
                r->slowest = fmin(r->slowest, size);
        }
    bl_free(r->ctx, block);
    return BL_OK;
}

/* size of c and b of a pair */
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
        snprintf(more, sizeof more, " (and of %d more)", (int)count - 1);
    if (omega > 0)
        bl_warn(r->ctx, NAN, lin->output[output], "the response to '%s'%s is infinite at %.9g rad/s: a pole without damping",
                lin->input[input], more, omega);
    else
        bl_warn(r->ctx, NAN, lin->output[output], "the response to '%s'%s is infinite at 0 rad/s: a constant input moves it without end",
                lin->input[input], more);
}

/* A pole at i omega within rounding: pairs that have it are infinite, those that do not have the value between both sides of it. */
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
        double d = lin->D[p / ni + (size_t)lin->noutput * (p % ni)], inner = 0, outer = 0;
        double rounding = RESIDUE_ROUNDINGS * lin->nstate * DBL_EPSILON * pair_size(r, p / ni, p % ni);
        for (int k = 0; k < 4; k++) {
            double size = hypot(at[k][2 * p] - d, at[k][2 * p + 1]);
            double *of = k == 1 || k == 2 ? &inner : &outer;
            *of = fmax(*of, size);
        }
        bool pole = !good || !isfinite(inner) || (inner > POLE_RATIO * outer && inner * aside > rounding);
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
    double floor = SINGULAR_ROUNDINGS * lin->nstate * DBL_EPSILON * r->norm;
    double least = evaluate(r, 0, omega, H);
    bool good = least > floor || lin->nstate == 0;
    for (size_t k = 0; good && k < 2 * (size_t)lin->noutput * (size_t)lin->ninput; k++)
        good = isfinite(H[k]);
    return good ? BL_OK : beside_pole(r, omega, H);
}

bl_status bl_linear_response(bl_context *ctx, const bl_linear_model *lin, bl_index nomega, const double *omega, double *H) {
    BL_TRY(bl_linear_check(ctx, lin));
    size_t pairs = (size_t)lin->noutput * (size_t)lin->ninput;
    if (nomega < 0 || (nomega > 0 && (!omega || (!H && pairs > 0))))
        return bl_fail(ctx, BL_E_ARG, NULL, "a response needs frequencies, and room for its numbers");
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
    bl_free(ctx, r.lu);
    bl_free(ctx, r.near);
    return status;
}
