/* taylor: arithmetic of truncated power series u(t) = u_0 + u_1 t + ... + u_order t^order.
 *
 * A series is an array of order + 1 numbers. Functions ending in _next set coefficient k of their results from coefficients 0..k of the
 * arguments and 0..k-1 of the results, called for k = 0, 1, 2, ...: for recurrences that feed results back. Results must not alias
 * arguments unless stated otherwise. Nothing is allocated. Where a function has no power series (log of -1, sqrt at 0, 1/0) one or all
 * further coefficients are NaN or infinite. Equations: docs/theory/series.md. */
#ifndef BL_TAYLOR_H
#define BL_TAYLOR_H

#include "base/base.h"

void bl_taylor_mul_next(const double *a, const double *b, double *y, int k); /* a == b: a square, at half the cost */
void bl_taylor_div_next(const double *a, const double *b, double *y, int k);
void bl_taylor_sqrt_next(const double *u, double *y, int k);
void bl_taylor_exp_next(const double *u, double *y, int k);
void bl_taylor_log_next(const double *u, double *y, int k);
void bl_taylor_sincos_next(const double *u, double *s, double *c, int k);
void bl_taylor_sinhcosh_next(const double *u, double *s, double *c, int k);
/* w = 1 + tan^2 u, 1 - tanh^2 u, 1 + u^2, x^2 + y^2: auxiliary series, kept by the caller */
void bl_taylor_tan_next(const double *u, double *y, double *w, int k);
void bl_taylor_tanh_next(const double *u, double *y, double *w, int k);
void bl_taylor_atan_next(const double *u, double *y, double *w, int k);
void bl_taylor_atan2_next(const double *y, const double *x, double *angle, double *w, int k);
/* square = 1 - u^2 and root = sqrt(1 - u^2) likewise */
void bl_taylor_asin_next(const double *u, double *y, double *root, double *square, int k);
void bl_taylor_acos_next(const double *u, double *y, double *root, double *square, int k);
/* u^p. A base t^m w(t), w(0) != 0, m > 0, gives t^(mp) w^p where p > 1 and mp is an integer, else the known coefficients, then NaN. */
void bl_taylor_pow_next(const double *u, double p, double *y, int k);
/* u^n by squaring and multiplying, without division by a base near zero. powers: bl_taylor_integer_power_extra(n) series, `stride`
 * apart */
void bl_taylor_integer_power_next(const double *u, int n, double *y, double *powers, int stride, int k);
int bl_taylor_integer_power(double p);    /* p as the n of bl_taylor_integer_power_next (1..1024); 0: use bl_taylor_pow_next */
int bl_taylor_integer_power_extra(int n); /* number of auxiliary series that its products need */
/* u^b with a series as exponent; logarithm = log u and product = b log u are kept by the caller */
void bl_taylor_power_next(const double *u, const double *b, double *y, double *logarithm, double *product, int k);
/* sum of a_j b_{k-j} over j = first..last, 0 <= first, last <= k; 0 when there are none; used by the recurrences */
double bl_taylor_convolve(const double *a, const double *b, int first, int last, int k);
int bl_taylor_leading(const double *u, int k); /* first coefficient up to k that is not zero; k + 1: none */

/* Radius of convergence, estimated from the last coefficients. Infinite: those of the upper half are all zero. */
typedef struct bl_taylor_radius {
    double root;   /* root test: smallest |u_k|^(-1/k) of the last max(5, order/8) coefficients, or of the last that is not zero */
    double fitted; /* R of |u_k| = C k^power R^-k, or of the oscillating coefficients of a complex pair; equal to `root` if neither fits */
    double power;  /* p - 1 at a pole of order p, -3/2 at a square root, -1 at a logarithm; NaN: nothing was fitted */
} bl_taylor_radius;
void bl_taylor_find_radius(int order, const double *u, bl_taylor_radius *radius);

#endif
