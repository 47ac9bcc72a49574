/* smoothing: a measured curve as a spline of degree 5 that is as smooth as its noise allows. */
#ifndef BL_STUDY_SMOOTHING_H
#define BL_STUDY_SMOOTHING_H

#include "base/base.h"

typedef struct bl_smoothed {
    bl_context *ctx;
    bl_index n;      /* knots */
    double *t;       /* [n] of them: all times of the measurement, or every 2nd, 4th, ... */
    double *x;       /* [n][3] value, rate, second rate there */
    double residual; /* root mean square of what was smoothed away */
    double noise;    /* standard deviation, given or found by cross-validation */
} bl_smoothed;

/* The spline of degree 5 through or near y[n] at increasing times t[n], n >= 6. noise > 0: smoothed until the residual is that large; 0:
 * interpolated; NaN: smoothed by generalized cross-validation. */
bl_status bl_smoothed_create(bl_context *ctx, bl_index n, const double *t, const double *y, double noise, bl_smoothed *smooth);
void bl_smoothed_destroy(bl_smoothed *smooth);
/* value, rate and second rate at a time from t[0] to t[n-1]; slightly beyond, the ends are extended by parabolas */
void bl_smoothed_at(const bl_smoothed *smooth, double t, double out[3]);

#endif
