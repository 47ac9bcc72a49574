/* Operations on power series with all coefficients at once, by those of series/taylor.h; composition, reversion, calculus, evaluation.
 * Results are other arrays than arguments unless it says otherwise. */
#ifndef SUPPORT_POWER_SERIES_H
#define SUPPORT_POWER_SERIES_H

#include "series/taylor.h"

/* `work` holds order + 1 numbers unless it says otherwise */

void bl_taylor_add(int order, const double *a, const double *b, double *y); /* y may be a or b */
void bl_taylor_sub(int order, const double *a, const double *b, double *y); /* y may be a or b */
void bl_taylor_scale(int order, double factor, const double *u, double *y); /* y may be u */
void bl_taylor_mul(int order, const double *a, const double *b, double *y); /* a may be b */
void bl_taylor_div(int order, const double *a, const double *b, double *y); /* a may be b */
void bl_taylor_sqrt(int order, const double *u, double *y);
void bl_taylor_exp(int order, const double *u, double *y);
void bl_taylor_log(int order, const double *u, double *y);
void bl_taylor_sincos(int order, const double *u, double *s, double *c);
void bl_taylor_sinhcosh(int order, const double *u, double *s, double *c);
void bl_taylor_tan(int order, const double *u, double *y, double *work);
void bl_taylor_tanh(int order, const double *u, double *y, double *work);
void bl_taylor_asin(int order, const double *u, double *y, double *work); /* work: 2 (order + 1) */
void bl_taylor_acos(int order, const double *u, double *y, double *work); /* work: 2 (order + 1) */
void bl_taylor_atan(int order, const double *u, double *y, double *work);
void bl_taylor_atan2(int order, const double *y, const double *x, double *angle, double *work);
void bl_taylor_pow(int order, const double *u, double p, double *y, double *work); /* work: bl_taylor_pow_work */
size_t bl_taylor_pow_work(int order, double p);
void bl_taylor_power(int order, const double *u, const double *b, double *y, double *work); /* u^b; work: 2 (order + 1) */

/* y(t) = f(g(t)), f a series in powers of (s - g_0); third power of order */
void bl_taylor_compose(int order, const double *f, const double *g, double *y);
/* y with u(y(s)) = s in powers of (s - u_0), y_0 = 0; needs u_1 != 0; third power of order */
void bl_taylor_revert(int order, const double *u, double *y, double *work);

void bl_taylor_differentiate(int order, const double *u, double *y);              /* y[0..order-1] = u'; y may be u */
void bl_taylor_integrate(int order, const double *u, double constant, double *y); /* y[0..order] from u[0..order-1]; y may be u */
double bl_taylor_value(int order, const double *u, double t);                     /* Horner */
double bl_taylor_value_rate(int order, const double *u, double t, double *rate);  /* also the derivative */
void bl_taylor_shift(int order, const double *u, double center, double *y);       /* y(s) = u(center + s), exactly so; y may be u */

#endif
