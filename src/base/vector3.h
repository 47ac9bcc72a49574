/* vector3: products, rotations and eigenvalues in three dimensions. The output of cross3 may be one of its inputs. */
#ifndef BL_VECTOR3_H
#define BL_VECTOR3_H

#include <math.h>

static inline double dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline double norm3(const double *a) { return sqrt(dot3(a, a)); }

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

/* s rotated by the unit quaternion q = (w, u): s + 2 w (u x s) + 2 u x (u x s); out is a different array */
static inline void turn3(const double q[4], const double s[3], double out[3]) {
    double first[3], second[3];
    cross3(q + 1, s, first);
    cross3(q + 1, first, second);
    for (int k = 0; k < 3; k++)
        out[k] = s[k] + 2 * (q[0] * first[k] + second[k]);
}

/* C = the inverse of the transpose of A, times the determinant; returns that. */
double cofactors3(const double A[3][3], double C[3][3]);

/* The rotation R of the polar decomposition A = R H; in the plane (dim 2) about the third axis. The identity where A reflects or vanishes.
 */
void polar3(int dim, const double A[3][3], double R[3][3]);

/* A symmetric; its diagonal becomes the eigenvalues, in any order, columns of V (may be NULL) the eigenvectors. A must be scaled so that
 * squares of its entries do not overflow. */
void eigen3(double A[3][3], double V[3][3]);

#endif
