/* All coefficients of a series: the recurrences of taylor.c run through, and what needs no recurrence: composition, reversion, calculus,
 * evaluation. */
#include "support/power_series.h"

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

size_t bl_taylor_pow_work(int order, double p) {
    return (size_t)bl_taylor_integer_power_extra(bl_taylor_integer_power(p)) * ((size_t)order + 1);
}

void bl_taylor_pow(int order, const double *u, double p, double *y, double *work) {
    int n = bl_taylor_integer_power(p);
    for (int k = 0; k <= order; k++)
        if (n)
            bl_taylor_integer_power_next(u, n, y, work, order + 1, k);
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

/* Synthetic division by (t - center), again and again: pass i leaves coefficient i behind. */
void bl_taylor_shift(int order, const double *u, double center, double *y) {
    for (int k = 0; k <= order; k++)
        y[k] = u[k];
    for (int i = 0; i < order; i++)
        for (int k = order - 1; k >= i; k--)
            y[k] += center * y[k + 1];
}
