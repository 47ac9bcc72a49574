/* Smoothing splines as least squares over a chain of states. The curve f that minimizes
 *
 *     sum (f(t_i) - y_i)^2 / s^2  +  integral (f''')^2
 *
 * is the natural spline of degree 5 (Schoenberg 1964), and the mean of a triply integrated white noise seen through noise s (Wahba 1978):
 * with x_i = (f, f', f'') at t_i,
 *
 *     (x_i[0] - y_i) / s = 0,    L(h)^-1 (x_{i+1} - F(h) x_i) = 0,    L L^T = integral over the step of the noise
 *
 * in the sense of least squares. Elimination by reflections along the chain takes O(n) and loses half the digits that normal equations
 * would. Every state is measured in powers of the mean step, so that all numbers have one unit. */
#include "study/smoothing.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 7, ROWS = 6, SEARCH = 200 };
/* noise relative to the step's own intensity that counts as none: residuals fall below rounding */
static const double NO_NOISE = 1e-9;
/* the stronger it is, the nearer to one parabola; beyond this share of the span nothing changes any more */
static const double MOST_STRENGTH = 1e3;
static const double STRENGTH_FOUND = 1e-6; /* relative, of a strength that is looked for: residuals change by less */

/* one link of the chain after elimination: R x_i + S x_{i+1} = z */
typedef struct link_row {
    double R[3][3], S[3][3], z[3];
} link_row;

typedef struct chain {
    bl_index n;
    const double *t, *y;
    double unit, size; /* mean step; largest |y| */
    link_row *link;
    double *x; /* [n][3] in units of the step */
} chain;

/* upper triangle by reflections of a[rows][WIDTH], the last column being the right-hand side; `lead` columns are eliminated */
static void reflect(int rows, int lead, double a[][WIDTH]) {
    for (int k = 0; k < lead && k < rows; k++) {
        double length = 0;
        for (int i = k; i < rows; i++)
            length = hypot(length, a[i][k]);
        if (!(length > 0))
            continue;
        double head = a[k][k] > 0 ? -length : length, v[ROWS + 1], square = 0;
        for (int i = k; i < rows; i++) {
            v[i] = a[i][k] - (i == k ? head : 0);
            square += v[i] * v[i];
        }
        for (int j = k; j < WIDTH && square > 0; j++) {
            double along = 0;
            for (int i = k; i < rows; i++)
                along += v[i] * a[i][j];
            for (int i = k; i < rows; i++)
                a[i][j] -= 2 * along / square * v[i];
        }
    }
}

/* rows of L(h)^-1 [-F, 1] for a step of h units: white noise of intensity 1, integrated three times, has the covariance
 * h^(5-i-j) / ((2-i)! (2-j)! (5-i-j)) */
static void step_rows(double h, double rows[3][6]) {
    static const double factorial[3] = {2, 1, 1};
    double C[3][3], L[3][3] = {{0}}, right[3][6] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[i][j] = pow(h, 5 - i - j) / (factorial[i] * factorial[j] * (5 - i - j));
    for (int j = 0; j < 3; j++)
        for (int i = j; i < 3; i++) {
            double sum = C[i][j];
            for (int k = 0; k < j; k++)
                sum -= L[i][k] * L[j][k];
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    const double F[3][3] = {{1, h, h * h / 2}, {0, 1, h}, {0, 0, 1}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            right[i][j] = -F[i][j];
        right[i][3 + i] = 1;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 6; j++) {
            double sum = right[i][j];
            for (int k = 0; k < i; k++)
                sum -= L[i][k] * rows[k][j];
            rows[i][j] = sum / L[i][i];
        }
}

/* All states for one strength s, measured in steps^(5/2): observations weigh 1/s. Returns the root of the mean square residual. */
static double smooth_with(chain *c, double s) {
    double head[3][4] = {{0}}; /* what is known of x_i from before: upper triangle, right-hand side */
    for (bl_index i = 0; i < c->n; i++) {
        double a[4][WIDTH] = {{0}};
        for (int r = 0; r < 3; r++) {
            memcpy(a[r], head[r], 3 * sizeof(double));
            a[r][WIDTH - 1] = head[r][3];
        }
        a[3][0] = 1 / s;
        a[3][WIDTH - 1] = c->y[i] / s;
        reflect(4, 3, a);
        link_row *link = &c->link[i];
        if (i + 1 == c->n) {
            for (int r = 0; r < 3; r++) {
                memcpy(link->R[r], a[r], 3 * sizeof(double));
                link->z[r] = a[r][WIDTH - 1];
            }
            break;
        }
        double b[ROWS][WIDTH] = {{0}}, rows[3][6];
        step_rows((c->t[i + 1] - c->t[i]) / c->unit, rows);
        for (int r = 0; r < 3; r++) {
            memcpy(b[r], a[r], 3 * sizeof(double));
            b[r][WIDTH - 1] = a[r][WIDTH - 1];
            memcpy(b[3 + r], rows[r], 6 * sizeof(double));
        }
        reflect(ROWS, 3, b);
        for (int r = 0; r < 3; r++) {
            memcpy(link->R[r], b[r], 3 * sizeof(double));
            memcpy(link->S[r], b[r] + 3, 3 * sizeof(double));
            link->z[r] = b[r][WIDTH - 1];
            memcpy(head[r], b[3 + r] + 3, 3 * sizeof(double));
            head[r][3] = b[3 + r][WIDTH - 1];
        }
    }
    double square = 0;
    for (bl_index i = c->n - 1; i >= 0; i--) {
        const link_row *link = &c->link[i];
        double *x = c->x + 3 * i;
        for (int r = 2; r >= 0; r--) {
            double sum = link->z[r];
            for (int k = r + 1; k < 3; k++)
                sum -= link->R[r][k] * x[k];
            for (int k = 0; k < 3 && i + 1 < c->n; k++)
                sum -= link->S[r][k] * x[3 + k];
            x[r] = sum / link->R[r][r];
        }
        square += (x[0] - c->y[i]) * (x[0] - c->y[i]);
    }
    return sqrt(square / (double)c->n);
}

/* R^-1 B for an upper triangle */
static void solve_columns(const double R[3][3], double B[3][3]) {
    for (int j = 0; j < 3; j++)
        for (int r = 2; r >= 0; r--) {
            for (int k = r + 1; k < 3; k++)
                B[r][j] -= R[r][k] * B[k][j];
            B[r][j] /= R[r][r];
        }
}

/* Sum of the derivatives of f(t_i) by y_i for the strength last used: variances of the states by the chain, backwards */
static double influence(const chain *c, double s) {
    double P[3][3] = {{0}}, sum = 0;
    for (bl_index i = c->n - 1; i >= 0; i--) {
        const link_row *link = &c->link[i];
        double root[3][6] = {{0}}, one[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, over[3][3];
        solve_columns(link->R, one);
        memcpy(over, link->S, sizeof over);
        if (i + 1 < c->n)
            solve_columns(link->R, over);
        for (int r = 0; r < 3; r++)
            memcpy(root[r], one[r], sizeof one[r]);
        double next[3][3];
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 3; k++) {
                double value = 0;
                for (int m = 0; m < 3; m++)
                    value += root[r][m] * root[k][m];
                for (int m = 0; m < 3 && i + 1 < c->n; m++)
                    for (int l = 0; l < 3; l++)
                        value += over[r][m] * P[m][l] * over[k][l];
                next[r][k] = value;
            }
        memcpy(P, next, sizeof P);
        sum += P[0][0] / (s * s);
    }
    return sum;
}

/* ---- which strength */

static double most_strength(const chain *c) { return MOST_STRENGTH * pow((c->t[c->n - 1] - c->t[0]) / c->unit, 3); }

/* residuals grow with the strength: bisection of its logarithm */
static double strength_for(chain *c, double noise) {
    double low = log(NO_NOISE), high = log(most_strength(c));
    if (smooth_with(c, exp(high)) <= noise)
        return exp(high);
    for (int k = 0; k < SEARCH && high - low > STRENGTH_FOUND; k++) {
        double middle = 0.5 * (low + high);
        if (smooth_with(c, exp(middle)) < noise)
            low = middle;
        else
            high = middle;
    }
    return exp(0.5 * (low + high));
}

/* n residual^2 / (1 - influence / n)^2 (Craven and Wahba 1979) */
static double validated(chain *c, double s) {
    double residual = smooth_with(c, s), rest = 1 - influence(c, s) / (double)c->n;
    return rest > 0 ? residual / rest : INFINITY;
}

/* least by a walk over decades, then golden section */
static double strength_by_validation(chain *c) {
    const double golden = 0.6180339887498949;
    double low = log(NO_NOISE), high = log(most_strength(c)), best = low, least = INFINITY, stride = log(10) / 2;
    for (double s = low; s <= high; s += stride) {
        double value = validated(c, exp(s));
        if (value < least) {
            least = value;
            best = s;
        }
    }
    low = best - stride, high = best + stride;
    double a = high - golden * (high - low), b = low + golden * (high - low), fa = validated(c, exp(a)), fb = validated(c, exp(b));
    while (high - low > 1e-3) {
        if (fa < fb) {
            high = b, b = a, fb = fa;
            a = high - golden * (high - low);
            fa = validated(c, exp(a));
        } else {
            low = a, a = b, fa = fb;
            b = low + golden * (high - low);
            fb = validated(c, exp(b));
        }
    }
    return exp(0.5 * (low + high));
}

bl_status bl_smoothed_create(bl_context *ctx, bl_index n, const double *t, const double *y, double noise, bl_smoothed *out) {
    chain c = {.n = n, .t = t, .y = y, .unit = (t[n - 1] - t[0]) / (double)(n - 1)};
    *out = (bl_smoothed){.ctx = ctx, .n = n, .t = t};
    bl_status status = BL_NEW(ctx, c.link, n);
    if (status == BL_OK)
        status = BL_NEW(ctx, out->x, 3 * (size_t)n);
    if (status == BL_OK) {
        c.x = out->x;
        double s = noise == 0 ? NO_NOISE : noise > 0 ? strength_for(&c, noise) : strength_by_validation(&c);
        out->residual = smooth_with(&c, s);
        out->strength = s * pow(c.unit, 2.5);
        double rest = 1 - influence(&c, s) / (double)n;
        out->noise = noise >= 0 ? noise : rest > 0 ? out->residual / sqrt(rest) : 0;
        for (bl_index i = 0; i < n; i++) {
            out->x[3 * i + 1] /= c.unit;
            out->x[3 * i + 2] /= c.unit * c.unit;
        }
        for (bl_index i = 0; i < 3 * n && status == BL_OK; i++)
            if (!isfinite(out->x[i]))
                status = bl_fail(ctx, BL_E_NUMERIC, NULL, "a measured curve cannot be smoothed: its times lie too unevenly");
    }
    bl_free(ctx, c.link);
    return status;
}

void bl_smoothed_destroy(bl_smoothed *s) {
    if (s->ctx)
        bl_free(s->ctx, s->x);
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
    parabola(a, h, from); /* what is missing at the end is made up by powers 3, 4, 5 */
    double p = b[0] - from[0], q = (b[1] - from[1]) * h, r = (b[2] - from[2]) * h * h;
    double c3 = 10 * p - 4 * q + 0.5 * r, c4 = -15 * p + 7 * q - r, c5 = 6 * p - 3 * q + 0.5 * r;
    parabola(a, d * h, out);
    out[0] += d * d * d * (c3 + d * (c4 + d * c5));
    out[1] += d * d * (3 * c3 + d * (4 * c4 + 5 * d * c5)) / h;
    out[2] += d * (6 * c3 + d * (12 * c4 + 20 * d * c5)) / (h * h);
}
