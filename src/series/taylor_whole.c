/* Whole series: the recurrences of taylor.c run through, and what needs no recurrence: composition, reversion, calculus, evaluation. */
#include "series/taylor.h"

#include <math.h>

/* ---- the operations of taylor.c */

void bl_taylor_add(int order, const double *a, const double *b, double *y) {
    for (int k = 0; k <= order; k++)
        y[k] = a[k] + b[k];
}

void bl_taylor_sub(int order, const double *a, const double *b, double *y) {
    for (int k = 0; k <= order; k++)
        y[k] = a[k] - b[k];
}

void bl_taylor_scale(int order, double factor, const double *u, double *y) {
    for (int k = 0; k <= order; k++)
        y[k] = factor * u[k];
}

void bl_taylor_mul(int order, const double *a, const double *b, double *y) {
    for (int k = 0; k <= order; k++)
        bl_taylor_mul_next(a, b, y, k);
}

void bl_taylor_div(int order, const double *a, const double *b, double *y) {
    for (int k = 0; k <= order; k++)
        bl_taylor_div_next(a, b, y, k);
}

void bl_taylor_sqrt(int order, const double *u, double *y) {
    for (int k = 0; k <= order; k++)
        bl_taylor_sqrt_next(u, y, k);
}

void bl_taylor_exp(int order, const double *u, double *y) {
    for (int k = 0; k <= order; k++)
        bl_taylor_exp_next(u, y, k);
}

void bl_taylor_log(int order, const double *u, double *y) {
    for (int k = 0; k <= order; k++)
        bl_taylor_log_next(u, y, k);
}

void bl_taylor_sincos(int order, const double *u, double *s, double *c) {
    for (int k = 0; k <= order; k++)
        bl_taylor_sincos_next(u, s, c, k);
}

void bl_taylor_sinhcosh(int order, const double *u, double *s, double *c) {
    for (int k = 0; k <= order; k++)
        bl_taylor_sinhcosh_next(u, s, c, k);
}

void bl_taylor_tan(int order, const double *u, double *y, double *work) {
    for (int k = 0; k <= order; k++)
        bl_taylor_tan_next(u, y, work, k);
}

void bl_taylor_tanh(int order, const double *u, double *y, double *work) {
    for (int k = 0; k <= order; k++)
        bl_taylor_tanh_next(u, y, work, k);
}

void bl_taylor_asin(int order, const double *u, double *y, double *work) {
    for (int k = 0; k <= order; k++)
        bl_taylor_asin_next(u, y, work, work + order + 1, k);
}

void bl_taylor_acos(int order, const double *u, double *y, double *work) {
    for (int k = 0; k <= order; k++)
        bl_taylor_acos_next(u, y, work, work + order + 1, k);
}

void bl_taylor_atan(int order, const double *u, double *y, double *work) {
    for (int k = 0; k <= order; k++)
        bl_taylor_atan_next(u, y, work, k);
}

void bl_taylor_atan2(int order, const double *y, const double *x, double *angle, double *work) {
    for (int k = 0; k <= order; k++)
        bl_taylor_atan2_next(y, x, angle, work, k);
}

size_t bl_taylor_pow_work(int order, double p) { return (size_t)bl_taylor_whole_extra(bl_taylor_whole(p)) * ((size_t)order + 1); }

void bl_taylor_pow(int order, const double *u, double p, double *y, double *work) {
    int n = bl_taylor_whole(p);
    for (int k = 0; k <= order; k++)
        if (n)
            bl_taylor_whole_next(u, n, y, work, order + 1, k);
        else
            bl_taylor_pow_next(u, p, y, k);
}

void bl_taylor_power(int order, const double *u, const double *b, double *y, double *work) {
    for (int k = 0; k <= order; k++)
        bl_taylor_power_next(u, b, y, work, work + order + 1, k);
}

/* ---- composition and reversion */

/* Horner in h = g - g_0: y becomes y h + f_j. h has no constant term, so coefficients from the top down can be replaced in place, and
 * those above order - j fall off the end in the products to come. */
void bl_taylor_compose(int order, const double *f, const double *g, double *y) {
    y[0] = f[order];
    for (int j = order - 1; j >= 0; j--) {
        for (int k = order - j; k > 0; k--)
            y[k] = bl_taylor_convolve(g, y, 1, k, k);
        y[0] = f[j];
    }
}

/* Lagrange: k y_k is coefficient k - 1 of (h / t)^-k, h = u - u_0 */
void bl_taylor_revert(int order, const double *u, double *y, double *work) {
    y[0] = 0;
    for (int k = 1; k <= order; k++) {
        for (int j = 0; j < k; j++)
            bl_taylor_pow_next(u + 1, -k, work, j);
        y[k] = work[k - 1] / k;
    }
}

/* ---- calculus */

void bl_taylor_differentiate(int order, const double *u, double *y) {
    for (int k = 0; k < order; k++)
        y[k] = (k + 1) * u[k + 1];
}

void bl_taylor_integrate(int order, const double *u, double constant, double *y) {
    for (int k = order; k > 0; k--)
        y[k] = u[k - 1] / k;
    y[0] = constant;
}

double bl_taylor_value(int order, const double *u, double t) {
    double value = 0;
    for (int k = order; k >= 0; k--)
        value = value * t + u[k];
    return value;
}

double bl_taylor_value_rate(int order, const double *u, double t, double *rate) {
    double value = 0, slope = 0;
    for (int k = order; k >= 0; k--) {
        slope = slope * t + value;
        value = value * t + u[k];
    }
    *rate = slope;
    return value;
}

/* Synthetic division by (t - centre), again and again: pass i leaves coefficient i behind. */
void bl_taylor_shift(int order, const double *u, double centre, double *y) {
    for (int k = 0; k <= order; k++)
        y[k] = u[k];
    for (int i = 0; i < order; i++)
        for (int k = order - 1; k >= i; k--)
            y[k] += centre * y[k + 1];
}

/* ---- radius of convergence */

static double root_test(int order, const double *u) {
    int window = order / 8 > 5 ? order / 8 : 5, k = order;
    double largest = 0; /* of |u_k|^(1/k) */
    for (; k > order - window && k > 0; k--)
        largest = fmax(largest, pow(fabs(u[k]), 1.0 / k));
    for (; k > order / 2 && k > 0 && largest == 0; k--)
        largest = pow(fabs(u[k]), 1.0 / k);
    return 1 / largest;
}

/* k^3 |u_k|: the hull is taken of its logarithm, which is concave for every k^p R^-k with p > -3 */
static double lifted(const double *u, int k) { return log(fabs(u[k])) + 3 * log(k); }

/* The next corner of the upper hull after `from`, -1 when nothing is left: the one that is seen under the steepest slope. */
static int next_corner(int order, const double *u, int from) {
    int corner = -1;
    double steepest = -INFINITY;
    for (int k = from + 1; k <= order; k++) {
        double slope = (lifted(u, k) - lifted(u, from)) / (k - from);
        if (u[k] != 0 && slope >= steepest) {
            steepest = slope;
            corner = k;
        }
    }
    return corner;
}

/* Between two corners stand only zeros and rounding. Else the coefficients go in waves, as those of a complex pair of singularities do,
 * and corners are not always crests. */
static bool regular(const double *u, int from, int to) {
    const double touching = 0.05, negligible = 14; /* logarithms: 5 per cent, a millionth */
    double slope = (lifted(u, to) - lifted(u, from)) / (to - from);
    for (int k = from + 1; k < to; k++) {
        double below = lifted(u, from) + slope * (k - from) - lifted(u, k);
        if (below > touching && below < negligible)
            return false;
    }
    return true;
}

void bl_taylor_find_radius(int order, const double *u, bl_taylor_radius *radius) {
    double root = root_test(order, u);
    *radius = (bl_taylor_radius){.root = root, .fitted = root, .power = NAN};
    if (!(root > 0 && root < INFINITY))
        return;
    int first = order / 2 > 1 ? order / 2 : 1;
    while (first <= order && u[first] == 0)
        first++;
    /* least squares of log |u_k| = c + slope k + power log k on the corners, means taken off */
    double n = 0, mean[3] = {0}, s[3][3] = {{0}};
    for (int pass = 0; pass < 2; pass++)
        for (int k = first, next; k >= 0 && k <= order; k = next) {
            next = next_corner(order, u, k);
            if (next > 0 && !regular(u, k, next))
                return;
            double row[3] = {k, log(k), log(fabs(u[k]))};
            n += pass == 0;
            for (int i = 0; i < 3; i++) {
                mean[i] += pass == 0 ? row[i] : 0;
                for (int j = 0; j < 3 && pass == 1; j++)
                    s[i][j] += (row[i] - mean[i] / n) * (row[j] - mean[j] / n);
            }
        }
    double det = s[0][0] * s[1][1] - s[0][1] * s[0][1];
    if (n < 3 || !(det > 0))
        return;
    double slope = (s[0][2] * s[1][1] - s[1][2] * s[0][1]) / det;
    radius->power = (s[0][0] * s[1][2] - s[0][1] * s[0][2]) / det;
    radius->fitted = exp(-slope);
}
