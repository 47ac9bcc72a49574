/* One angle, in the plane. */
#include "coords/orientation.h"

#include <math.h>

static void axes_of(const bl_orientation *kind, const double *o, double *r) {
    (void)kind;
    r[0] = cos(o[0]);
    r[1] = sin(o[0]);
}

static void axes_slope(const bl_orientation *kind, const double *o, double *X) {
    (void)kind;
    X[0] = -sin(o[0]);
    X[1] = cos(o[0]);
}

static void axes_slope_along(const bl_orientation *kind, const double *o, const double *a, double *V) {
    (void)kind;
    V[0] = -cos(o[0]) * a[0];
    V[1] = -sin(o[0]) * a[0];
}

static const bl_bilinear spin[] = {{0, -1, 0, 1}, {0, 0, 0, 0}};
static const char *const names[] = {"angle"};
static const double start[] = {0};

const bl_orientation bl_orientation_angle = {.name = "angle",
                                             .help = "the angle of a body in the plane",
                                             .names = names,
                                             .n = 1,
                                             .naxis = 2,
                                             .nspin = 1,
                                             .start = start,
                                             .spin = spin,
                                             .axes_of = axes_of,
                                             .axes_slope = axes_slope,
                                             .axes_slope_along = axes_slope_along};
