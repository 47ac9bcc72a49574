/* finite_rotation: a rotation exp(psi) by its vector psi, its changes, and their derivatives (docs/theory/beams.md, section 10). All are
 * polynomials in psi with the coefficients
 *
 *     c_k = sum_j (-t)^j / (k + 2 j)!,  t = psi . psi:    c_0 = cos |psi|,  c_1 = sin |psi| / |psi|, ...
 *     dc_k = D_k psi . dpsi,  D_k = k c_(k+2) - c_(k+1),   dD_k = S_k psi . dpsi
 *
 * which are smooth everywhere. Vectors and matrices have three rows; functions named add_ add to their last argument. */
#ifndef BL_ELASTIC_FINITE_ROTATION_H
#define BL_ELASTIC_FINITE_ROTATION_H

#include "base/vector3.h"

#include <math.h>
#include <string.h>

#define BL_INLINE static inline __attribute__((always_inline))

typedef double bl_mat3[3][3];

/* ---- products */

/* out += factor A B */
BL_INLINE void add_product3(double factor, const bl_mat3 A, const bl_mat3 B, bl_mat3 out) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] += factor * (A[i][0] * B[0][j] + A[i][1] * B[1][j] + A[i][2] * B[2][j]);
}

/* out += A^T B */
BL_INLINE void add_transposed3(const bl_mat3 A, const bl_mat3 B, bl_mat3 out) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] += A[0][i] * B[0][j] + A[1][i] * B[1][j] + A[2][i] * B[2][j];
}

BL_INLINE void product3(const bl_mat3 A, const bl_mat3 B, bl_mat3 out) {
    memset(out, 0, sizeof(bl_mat3));
    add_product3(1, A, B, out);
}

/* out += A v, out += A^T v */
BL_INLINE void add_applied3(const bl_mat3 A, const double v[3], double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] += A[i][0] * v[0] + A[i][1] * v[1] + A[i][2] * v[2];
}
BL_INLINE void add_applied_transposed3(const bl_mat3 A, const double v[3], double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] += A[0][i] * v[0] + A[1][i] * v[1] + A[2][i] * v[2];
}

/* out += factor a b^T */
BL_INLINE void add_outer3(double factor, const double a[3], const double b[3], bl_mat3 out) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] += factor * a[i] * b[j];
}

/* out += factor [v], the matrix of v x */
BL_INLINE void add_cross3(double factor, const double v[3], bl_mat3 out) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[k][j] += factor * v[i];
        out[j][k] -= factor * v[i];
    }
}

/* out += factor [v][w] = factor (w v^T - (v . w) 1) */
BL_INLINE void add_crosses3(double factor, const double v[3], const double w[3], bl_mat3 out) {
    double d = factor * dot3(v, w);
    add_outer3(factor, w, v, out);
    for (int i = 0; i < 3; i++)
        out[i][i] -= d;
}

BL_INLINE void identity3(bl_mat3 out) {
    memset(out, 0, sizeof(bl_mat3));
    out[0][0] = out[1][1] = out[2][2] = 1;
}

/* ---- coefficients */

enum { BL_ROTATION_COEFFICIENTS = 8 };

/* (1 - t/(first (first + 1)) (1 - t/((first + 2) (first + 3)) (...))) with n terms */
BL_INLINE double rotation_series(int n, int first, double t) {
    double sum = 1;
    for (int j = n - 1; j >= 0; j--)
        sum = 1 - sum * (t * (1.0 / ((first + 2 * j) * (first + 2 * j + 1))));
    return sum;
}

BL_INLINE void rotation_coefficients(const double psi[3], double c[BL_ROTATION_COEFFICIENTS]) {
    /* the two highest by their series, to rounding (below half a turn and more); then c_k = 1/k! - t c_(k+2) */
    const double t = dot3(psi, psi);
    c[6] = (t < 1 ? rotation_series(8, 7, t) : rotation_series(15, 7, t)) / 720;
    c[7] = (t < 1 ? rotation_series(8, 8, t) : rotation_series(15, 8, t)) / 5040;
    c[5] = 1.0 / 120 - t * c[7];
    c[4] = 1.0 / 24 - t * c[6];
    c[3] = 1.0 / 6 - t * c[5];
    c[2] = 0.5 - t * c[4];
    c[1] = 1 - t * c[3];
    c[0] = 1 - t * c[2];
}

BL_INLINE double rotation_first(const double *c, int k) { return k * c[k + 2] - c[k + 1]; }
BL_INLINE double rotation_second(const double *c, int k) { return k * (k + 2) * c[k + 4] - (2 * k + 1) * c[k + 3] + c[k + 2]; }

/* ---- rotation, and vector of a rotation */

/* out = v + a psi x v + b psi x (psi x v), the form of all matrices here */
BL_INLINE void rotation_apply(const double psi[3], double a, double b, const double v[3], double out[3]) {
    double across[3], twice[3];
    cross3(psi, v, across);
    cross3(psi, across, twice);
    for (int k = 0; k < 3; k++)
        out[k] = v[k] + a * across[k] + b * twice[k];
}

BL_INLINE void rotation_of(const double psi[3], const double *c, bl_mat3 out) {
    identity3(out);
    add_cross3(c[1], psi, out);
    add_crosses3(c[2], psi, psi, out);
}

/* Of the rotation M, shorter than half a turn: (1 + tr M, axial vector of M) is its quaternion times four times the scalar part. */
BL_INLINE void rotation_vector(const bl_mat3 M, double psi[3]) {
    const double v[3] = {M[2][1] - M[1][2], M[0][2] - M[2][0], M[1][0] - M[0][1]}, s = 1 + M[0][0] + M[1][1] + M[2][2];
    double n = sqrt(dot3(v, v)), x = n / s, factor;
    if (n < 1e-3 * s) /* the term left out is of the order of x^6 */
        factor = 2 / s * (1 - x * x / 3 + x * x * x * x / 5);
    else
        factor = 2 * atan2(n, s) / n;
    for (int k = 0; k < 3; k++)
        psi[k] = factor * v[k];
}

/* ---- changes: exp(psi + dpsi) = exp(psi) (1 + [T dpsi]) */

/* sign -1: T, sign +1: its transpose */
BL_INLINE void rotation_tangent(double sign, const double psi[3], const double *c, bl_mat3 out) {
    identity3(out);
    add_cross3(sign * c[2], psi, out);
    add_crosses3(c[3], psi, psi, out);
}

/* derivative of f = w + a psi x w + b psi x (psi x w) by psi, for da = A psi . dpsi, db = B psi . dpsi */
BL_INLINE void rotation_slope(const double psi[3], const double w[3], double a, double A, double b, double B, bl_mat3 out) {
    double pw[3], ppw[3], along[3];
    cross3(psi, w, pw);
    cross3(psi, pw, ppw);
    for (int k = 0; k < 3; k++)
        along[k] = A * pw[k] + B * ppw[k];
    memset(out, 0, sizeof(bl_mat3));
    add_cross3(-a, w, out);
    add_cross3(-b, pw, out);
    add_crosses3(-b, psi, w, out);
    add_outer3(1, along, psi, out);
}

/* derivative of T w (sign -1) or T^T w (sign +1) by psi */
BL_INLINE void rotation_tangent_slope(double sign, const double psi[3], const double *c, const double w[3], bl_mat3 out) {
    rotation_slope(psi, w, sign * c[2], sign * rotation_first(c, 2), c[3], rotation_first(c, 3), out);
}

/* ---- L = T^-1 = 1 + [psi]/2 + e [psi]^2, where e = (1 - |psi|/2 cot(|psi|/2)) / t; de = e1 psi . dpsi */

BL_INLINE double rotation_inverse(const double *c, double *e1) {
    double e = (c[3] - 2 * c[4]) / (2 * c[2]);
    *e1 = (5 * c[5] - c[4] - 8 * c[6]) / (2 * c[2]) + 2 * e * e;
    return e;
}

/* rate of a matrix 1 + a [psi] + b [psi]^2 */
BL_INLINE void rotation_rate(const double psi[3], const double rate[3], double a, double A, double b, double B, bl_mat3 out) {
    double along = dot3(psi, rate);
    memset(out, 0, sizeof(bl_mat3));
    add_cross3(A * along, psi, out);
    add_cross3(a, rate, out);
    add_crosses3(B * along, psi, psi, out);
    add_crosses3(b, rate, psi, out);
    add_crosses3(b, psi, rate, out);
}

#endif
