/* turn: rotation matrices as three columns one after another. */
#ifndef BL_TURN_H
#define BL_TURN_H

#include <math.h>

/* out may be y */
static inline void bl_turn_times(const double *R, const double *y, double *out) {
    double x = R[0] * y[0] + R[3] * y[1] + R[6] * y[2], v = R[1] * y[0] + R[4] * y[1] + R[7] * y[2],
           z = R[2] * y[0] + R[5] * y[1] + R[8] * y[2];
    out[0] = x, out[1] = v, out[2] = z;
}

static inline void bl_turn_times_matrix(const double *R, const double *C, double *out) {
    for (int k = 0; k < 3; k++)
        bl_turn_times(R, C + 3 * k, out + 3 * k);
}

static inline void bl_turn_about(const double *a, double angle, double *C) {
    double c = cos(angle), s = sin(angle), f = 1 - c;
    double x = f * a[0], y = f * a[1], z = f * a[2];
    C[0] = c + x * a[0], C[1] = x * a[1] + s * a[2], C[2] = x * a[2] - s * a[1];
    C[3] = x * a[1] - s * a[2], C[4] = c + y * a[1], C[5] = y * a[2] + s * a[0];
    C[6] = x * a[2] + s * a[1], C[7] = y * a[2] - s * a[0], C[8] = c + z * a[2];
}

#endif
