/* Smoothing splines of degree 5: of all splines with knots at the measured times the one that minimizes
 *
 *     sum (f(t_i) - y_i)^2  +  p^2 sum (h^5 jump of f^(5) at inner knots)^2                                   (Dierckx 1975)
 *
 * for a strength p that makes the first sum as large as the noise. Polynomials of degree 5 are not penalized, so the ends are as accurate
 * as the middle: natural splines (f''' = 0 at the ends) with the same noise have several times that error there. With B-splines both sums
 * are rows of at most seven entries, reduced to one triangular matrix by rotations: O(n). */
#include "study/smoothing.h"

#include "study/inverse_limits.h"

#include <math.h>
#include <string.h>

enum { DEGREE = 5, ORDER = DEGREE + 1, BAND = 7, SEARCH = 100 };
static const double STRENGTH_FOUND = 1e-5; /* relative accuracy of the strength, and so of the residual */

typedef struct fit {
    bl_index n; /* measured */
    const double *t, *y;
    bl_index k, nc; /* knots; coefficients, k + 4 */
    double *knot;   /* [k + 10], five beyond each end */
    double step;    /* mean distance of knots */
    double *R, *z;  /* [nc][BAND] upper triangle, [nc] right-hand side */
    double *c;      /* [nc] coefficients */
    double *V;      /* [nc][BAND] of the inverse of R^T R, for cross-validation */
} fit;

/* ---- rows */

/* B-splines of a degree that are nonzero at x in [knot[m], knot[m + 1]]: value[0] is that of number m - degree, ... */
static void basis(const double *knot, bl_index m, int degree, double x, double *value) {
    value[0] = 1;
    for (int d = 1; d <= degree; d++) {
        double before = 0;
        for (int r = 0; r < d; r++) {
            double right = knot[m + r + 1], left = knot[m + r + 1 - d], share = value[r] / (right - left);
            value[r] = before + (right - x) * share;
            before = (x - left) * share;
        }
        value[d] = before;
    }
}

/* The fifth derivative in [knot[m], knot[m + 1]] is sum w_r c_{m - 5 + r}. */
static void fifth(const double *knot, bl_index m, double *w) {
    double row[ORDER] = {0};
    row[DEGREE] = 1; /* the last difference is number m alone; expanded degree by degree */
    for (int k = DEGREE; k >= 1; k--) {
        double wider[ORDER] = {0};
        for (int r = k; r <= DEGREE; r++) { /* difference r of order k is (6 - k) (c_r - c_{r-1}) / (knots) of order k - 1 */
            bl_index j = m - DEGREE + r;
            double factor = (ORDER - k) * row[r] / (knot[j + ORDER - k] - knot[j]);
            wider[r] += factor;
            wider[r - 1] -= factor;
        }
        memcpy(row, wider, sizeof row);
    }
    memcpy(w, row, sizeof row);
}

/* adds a row that begins at `column` to the triangle; rows come with ascending columns */
static void rotate_in(fit *f, bl_index column, double row[BAND], double right) {
    for (bl_index j = column; j < f->nc; j++) {
        double *R = f->R + (size_t)j * BAND, head = row[0];
        if (head != 0) {
            double length = hypot(R[0], head), cosine = R[0] / length, sine = head / length;
            for (int k = 0; k < BAND; k++) {
                double a = R[k], b = row[k];
                R[k] = cosine * a + sine * b;
                row[k] = cosine * b - sine * a;
            }
            double a = f->z[j];
            f->z[j] = cosine * a + sine * right;
            right = cosine * right - sine * a;
        }
        memmove(row, row + 1, (BAND - 1) * sizeof *row);
        row[BAND - 1] = 0;
        bool empty = true;
        for (int k = 0; k < BAND; k++)
            empty = empty && row[k] == 0;
        if (empty)
            return;
    }
}

/* interval of a time: the index of its left knot */
static bl_index interval(const fit *f, double t, bl_index from) {
    while (from + 1 < f->k - 1 && t >= f->knot[DEGREE + from + 1])
        from++;
    return from;
}

/* coefficients for a strength; returns the root mean square residual */
static double solve(fit *f, double p) {
    bl_index at = 0;
    memset(f->R, 0, (size_t)f->nc * BAND * sizeof(double));
    memset(f->z, 0, (size_t)f->nc * sizeof(double));
    double unit = p * pow(f->step, DEGREE);
    for (bl_index i = 0; i + 1 < f->k; i++) {
        double row[BAND] = {0};
        if (i > 0) { /* jump at knot i: columns i - 1 ... i + 5 */
            double w[ORDER];
            fifth(f->knot, DEGREE + i - 1, row);
            fifth(f->knot, DEGREE + i, w);
            for (int r = 0; r < BAND; r++)
                row[r] = unit * ((r > 0 ? w[r - 1] : 0) - (r < ORDER ? row[r] : 0));
            rotate_in(f, i - 1, row, 0);
        }
        for (; at < f->n && interval(f, f->t[at], i) == i; at++) {
            memset(row, 0, sizeof row);
            basis(f->knot, DEGREE + i, DEGREE, f->t[at], row);
            rotate_in(f, i, row, f->y[at]);
        }
    }
    for (bl_index j = f->nc - 1; j >= 0; j--) {
        const double *R = f->R + (size_t)j * BAND;
        double sum = f->z[j];
        for (int k = 1; k < BAND && j + k < f->nc; k++)
            sum -= R[k] * f->c[j + k];
        f->c[j] = R[0] != 0 ? sum / R[0] : 0;
    }
    double square = 0;
    at = 0;
    for (bl_index i = 0; i < f->n; i++) {
        double row[ORDER], value = -f->y[i];
        at = interval(f, f->t[i], at);
        basis(f->knot, DEGREE + at, DEGREE, f->t[i], row);
        for (int r = 0; r < ORDER; r++)
            value += row[r] * f->c[at + r];
        square += value * value;
    }
    return sqrt(square / (double)f->n);
}

/* The band of V = (R^T R)^-1, from the last row up (Takahashi, Fagan and Chin 1973). */
static void invert_band(fit *f) {
    for (bl_index i = f->nc - 1; i >= 0; i--) {
        const double *R = f->R + (size_t)i * BAND;
        for (int k = BAND - 1; k >= 0; k--) {
            bl_index j = i + k;
            if (j >= f->nc)
                continue;
            double sum = k == 0 ? 1 / R[0] : 0;
            for (int m = 1; m < BAND && i + m < f->nc; m++) {
                bl_index a = i + m < j ? i + m : j, b = i + m < j ? j : i + m;
                sum -= R[m] * f->V[(size_t)a * BAND + (size_t)(b - a)];
            }
            f->V[(size_t)i * BAND + (size_t)k] = sum / R[0];
        }
    }
}

/* sum of the derivatives of f(t_i) by y_i at the strength last used: the effective number of parameters */
static double influence(fit *f) {
    double sum = 0;
    bl_index at = 0;
    invert_band(f);
    for (bl_index i = 0; i < f->n; i++) {
        double row[ORDER];
        at = interval(f, f->t[i], at);
        basis(f->knot, DEGREE + at, DEGREE, f->t[i], row);
        for (int a = 0; a < ORDER; a++)
            for (int b = 0; b < ORDER; b++) {
                int low = a < b ? a : b, high = a < b ? b : a;
                sum += row[a] * row[b] * f->V[(size_t)(at + low) * BAND + (size_t)(high - low)];
            }
    }
    return sum;
}

/* ---- the strength */

/* residuals grow with the strength: bisection of its logarithm. False: even the strongest leaves less than the noise. */
static bool find_strength(fit *f, double noise, double *p) {
    double low = log(study_smooth_weakest), high = log(study_smooth_strongest);
    *p = study_smooth_strongest;
    if (solve(f, study_smooth_strongest) <= noise)
        return f->k <= study_smooth_few_knots;
    for (int k = 0; k < SEARCH && high - low > STRENGTH_FOUND; k++) {
        double middle = 0.5 * (low + high);
        if (solve(f, exp(middle)) < noise)
            low = middle;
        else
            high = middle;
    }
    *p = exp(0.5 * (low + high));
    return true;
}

/* residual / (1 - influence / n) (Craven and Wahba 1979); infinite where both are rounding */
static double validated(fit *f, double p) {
    double residual = solve(f, p), rest = 1 - influence(f) / (double)f->n;
    return rest > study_smooth_validated ? residual / rest : INFINITY;
}

/* minimum by a scan over half decades, then golden section; where it falls to the weakest that can be judged, the table is exact. False:
 * the strongest is the best. */
static bool validate(fit *f, double *p) {
    const double golden = 0.6180339887498949;
    double low = log(study_smooth_weakest), high = log(study_smooth_strongest), stride = log(10) / 2, least = INFINITY, first = NAN;
    double best = NAN;
    for (double s = low; s <= high + 0.1; s += stride) {
        double value = validated(f, exp(s));
        first = isnan(first) && value < INFINITY ? s : first;
        if (value < least) {
            least = value;
            best = s;
        }
    }
    if (isnan(best) || best == first) {
        *p = study_smooth_weakest;
        return true;
    }
    if (best > high - stride) {
        *p = study_smooth_strongest;
        return f->k <= study_smooth_few_knots;
    }
    low = best - stride, high = best + stride;
    double a = high - golden * (high - low), b = low + golden * (high - low), fa = validated(f, exp(a)), fb = validated(f, exp(b));
    while (high - low > 1e-2) {
        if (fa < fb) {
            high = b, b = a, fb = fa;
            a = high - golden * (high - low);
            fa = validated(f, exp(a));
        } else {
            low = a, a = b, fa = fb;
            b = low + golden * (high - low);
            fb = validated(f, exp(b));
        }
    }
    *p = exp(0.5 * (low + high));
    return true;
}

/* ---- the curve */

/* every `every`-th time and the last one */
static void place_knots(fit *f, bl_index every) {
    double *inner = f->knot + DEGREE;
    f->k = 0;
    for (bl_index i = 0; i + every / 2 < f->n - 1 || i == 0; i += every)
        inner[f->k++] = f->t[i];
    inner[f->k++] = f->t[f->n - 1];
    f->nc = f->k + DEGREE - 1;
    f->step = (f->t[f->n - 1] - f->t[0]) / (double)(f->k - 1);
    for (int i = 0; i < DEGREE; i++) {
        f->knot[i] = f->t[0] - (DEGREE - i) * f->step;
        f->knot[DEGREE + f->k + i] = f->t[f->n - 1] + (i + 1) * f->step;
    }
}

/* value, rate, second rate at knots: coefficients of derivatives are differences */
static void keep(fit *f, bl_smoothed *out) {
    double *c = f->c;
    out->n = f->k;
    memcpy(out->t, f->knot + DEGREE, (size_t)f->k * sizeof(double));
    for (int d = 0; d < 3; d++) {
        for (bl_index i = 0; i < f->k; i++) {
            double row[ORDER], value = 0;
            bl_index m = i + 1 < f->k ? i : i - 1;
            basis(f->knot, DEGREE + m, DEGREE - d, out->t[i], row);
            for (int r = 0; r <= DEGREE - d; r++)
                value += row[r] * c[m + d + r];
            out->x[3 * i + d] = value;
        }
        for (bl_index j = f->nc - 1; j > d; j--)
            c[j] = (DEGREE - d) * (c[j] - c[j - 1]) / (f->knot[j + DEGREE - d] - f->knot[j]);
    }
}

static bl_status choose(fit *f, double noise, bl_smoothed *out) {
    double p = study_smooth_weakest;
    for (bl_index every = 1;; every *= 2) {
        place_knots(f, every);
        if (noise == 0 || (noise > 0 ? find_strength(f, noise, &p) : validate(f, &p)))
            break;
    }
    out->residual = solve(f, p);
    double rest = noise >= 0 ? 1 : 1 - influence(f) / (double)f->n;
    out->noise = noise >= 0 ? noise : rest > 0 ? out->residual / sqrt(rest) : 0;
    keep(f, out);
    for (bl_index i = 0; i < 3 * out->n; i++)
        if (!isfinite(out->x[i]))
            return bl_fail(out->ctx, BL_E_NUMERIC, NULL, "a measured curve cannot be smoothed: its times are spaced too unevenly");
    return BL_OK;
}

bl_status bl_smoothed_create(bl_context *ctx, bl_index n, const double *t, const double *y, double noise, bl_smoothed *out) {
    fit f = {.n = n, .t = t, .y = y};
    size_t most = (size_t)n + 2 * DEGREE;
    void *block = NULL;
    *out = (bl_smoothed){.ctx = ctx};
    BL_TRY(BL_NEW(ctx, out->x, 3 * (size_t)n));
    BL_TRY(BL_NEW(ctx, out->t, n));
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(f.knot, most), BL_ARRAY(f.z, most), BL_ARRAY(f.c, most), BL_ARRAY(f.R, most * BAND),
                         BL_ARRAY(f.V, most * BAND)));
    bl_status status = choose(&f, noise, out);
    bl_free(ctx, block);
    return status;
}

void bl_smoothed_destroy(bl_smoothed *s) {
    if (s->ctx) {
        bl_free(s->ctx, s->x);
        bl_free(s->ctx, s->t);
    }
    *s = (bl_smoothed){0};
}

static void parabola(const double *x, double d, double out[3]) {
    out[0] = x[0] + d * (x[1] + 0.5 * d * x[2]);
    out[1] = x[1] + d * x[2];
    out[2] = x[2];
}

/* the polynomial of degree 5 with values, rates and second rates of both ends */
void bl_smoothed_at(const bl_smoothed *s, double t, double out[3]) {
    bl_index low = 0, high = s->n - 1;
    if (t <= s->t[0] || t >= s->t[high]) {
        bl_index end = t <= s->t[0] ? 0 : high;
        parabola(s->x + 3 * end, t - s->t[end], out);
        return;
    }
    while (high - low > 1) {
        bl_index middle = (low + high) / 2;
        if (t < s->t[middle])
            high = middle;
        else
            low = middle;
    }
    const double *a = s->x + 3 * low, *b = a + 3;
    double h = s->t[high] - s->t[low], d = (t - s->t[low]) / h, from[3];
    parabola(a, h, from); /* powers 3, 4, 5 correct the difference at the end */
    double p = b[0] - from[0], q = (b[1] - from[1]) * h, r = (b[2] - from[2]) * h * h;
    double c3 = 10 * p - 4 * q + 0.5 * r, c4 = -15 * p + 7 * q - r, c5 = 6 * p - 3 * q + 0.5 * r;
    parabola(a, d * h, out);
    out[0] += d * d * d * (c3 + d * (c4 + d * c5));
    out[1] += d * d * (3 * c3 + d * (4 * c4 + 5 * d * c5)) / h;
    out[2] += d * (6 * c3 + d * (12 * c4 + 20 * d * c5)) / (h * h);
}
