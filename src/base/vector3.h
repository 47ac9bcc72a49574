/* vector3: what every room of geometry needs of vectors. Inputs of the products may be the output. */
#ifndef BL_VECTOR3_H
#define BL_VECTOR3_H

#include <math.h>

static inline double dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void cross3(const double *a, const double *b, double *c) {
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    c[0] = x, c[1] = y, c[2] = z;
}

/* u x the global axis farthest from it: perpendicular to u, at least 0.8 |u| long */
static inline void perpendicular3(const double *u, double *w) {
    int least = fabs(u[1]) < fabs(u[0]) ? 1 : 0;
    least = fabs(u[2]) < fabs(u[least]) ? 2 : least;
    cross3(u, (const double[3]){least == 0, least == 1, least == 2}, w);
}

/* s turned by the unit quaternion q: s + 2 w (u x s) + 2 u x (u x s); another array than s */
static inline void turn3(const double q[4], const double s[3], double out[3]) {
    double first[3], second[3];
    cross3(q + 1, s, first);
    cross3(q + 1, first, second);
    for (int k = 0; k < 3; k++)
        out[k] = s[k] + 2 * (q[0] * first[k] + second[k]);
}

#endif
