/* tensor: small fixed-size algebra of laws and strains. Matrices [9] and [36] are stored by rows; symmetric tensors have the components
 * [11, 22, 33, 12, 23, 13], strains with engineering shear (2 e12). Outputs must not overlap inputs unless stated. */
#ifndef BL_TENSOR_H
#define BL_TENSOR_H

#include <string.h>

enum { BL_11, BL_22, BL_33, BL_12, BL_23, BL_13 };

/* component of the pair (i, j), and the pair of a component */
static const unsigned char bl_pair[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}}, bl_first[6] = {0, 1, 2, 0, 1, 0},
                           bl_second[6] = {0, 1, 2, 1, 2, 2};

static inline double det3(const double A[9]) {
    return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) + A[2] * (A[3] * A[7] - A[4] * A[6]);
}

/* Returns the determinant; B is undefined if it is zero. */
static inline double inverse3(const double A[9], double B[9]) {
    double c0 = A[4] * A[8] - A[5] * A[7], c1 = A[5] * A[6] - A[3] * A[8], c2 = A[3] * A[7] - A[4] * A[6];
    double det = A[0] * c0 + A[1] * c1 + A[2] * c2, r = 1 / det;
    B[0] = c0 * r, B[1] = (A[2] * A[7] - A[1] * A[8]) * r, B[2] = (A[1] * A[5] - A[2] * A[4]) * r;
    B[3] = c1 * r, B[4] = (A[0] * A[8] - A[2] * A[6]) * r, B[5] = (A[2] * A[3] - A[0] * A[5]) * r;
    B[6] = c2 * r, B[7] = (A[1] * A[6] - A[0] * A[7]) * r, B[8] = (A[0] * A[4] - A[1] * A[3]) * r;
    return det;
}

/* C = A B */
static inline void multiply3(const double A[9], const double B[9], double C[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/* C = A^T B */
static inline void multiply3_tn(const double A[9], const double B[9], double C[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}

static inline void transpose3(const double A[9], double B[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            B[3 * j + i] = A[3 * i + j];
}

/* (A A^T - 1)/2 of A = 1 + H without cancellation near A = 1; `right`: (A^T A - 1)/2. Components of a stress. */
static inline void half_square_minus_one(const double A[9], int right, double e[6]) {
    double H[9];
    for (int k = 0; k < 9; k++)
        H[k] = A[k] - (k % 4 == 0);
    for (int k = 0; k < 6; k++) {
        int i = bl_first[k], j = bl_second[k];
        double product = 0;
        for (int m = 0; m < 3; m++)
            product += right ? H[3 * m + i] * H[3 * m + j] : H[3 * i + m] * H[3 * j + m];
        e[k] = 0.5 * (H[3 * i + j] + H[3 * j + i] + product);
    }
}

/* ---- symmetric tensors as six components */

static inline void stress_matrix(const double s[6], double S[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            S[3 * i + j] = s[bl_pair[i][j]];
}

/* s : e, stress and strain */
static inline double contract6(const double s[6], const double e[6]) {
    return s[0] * e[0] + s[1] * e[1] + s[2] * e[2] + s[3] * e[3] + s[4] * e[4] + s[5] * e[5];
}

static inline void apply6(const double T[36], const double x[6], double y[6]) {
    for (int i = 0; i < 6; i++)
        y[i] = contract6(T + 6 * i, x);
}

/* y = T^T x */
static inline void apply6_t(const double T[36], const double x[6], double y[6]) {
    memset(y, 0, 6 * sizeof *y);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            y[j] += T[6 * i + j] * x[i];
}

/* The map S -> A S A^T on components of stresses: s = T S. Strains transform by its transpose: T^T e are the components of A^T e A. */
static inline void congruence6(const double A[9], double T[36]) {
    for (int r = 0; r < 6; r++) {
        const double *a = A + 3 * bl_first[r], *b = A + 3 * bl_second[r];
        for (int k = 0; k < 3; k++)
            T[6 * r + k] = a[k] * b[k];
        T[6 * r + BL_12] = a[0] * b[1] + a[1] * b[0];
        T[6 * r + BL_23] = a[1] * b[2] + a[2] * b[1];
        T[6 * r + BL_13] = a[0] * b[2] + a[2] * b[0];
    }
}

/* c = factor T C T^T; c may be C */
static inline void push6(const double T[36], const double C[36], double factor, double c[36]) {
    double X[36];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            X[6 * i + j] = factor * contract6(C + 6 * i, T + 6 * j);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double sum = 0;
            for (int k = 0; k < 6; k++)
                sum += T[6 * i + k] * X[6 * k + j];
            c[6 * i + j] = sum;
        }
}

/* Sets components 33, 23, 13 of a stress and of a tangent (either may be NULL) to 0: plane stress. */
static inline void flatten6(double *s, double *c) {
    static const unsigned char out[3] = {BL_33, BL_23, BL_13};
    for (int k = 0; k < 3; k++) {
        if (s)
            s[out[k]] = 0;
        for (int i = 0; i < 6 && c; i++)
            c[6 * out[k] + i] = c[6 * i + out[k]] = 0;
    }
}

/* Sets all components except 11 to 0: bars. */
static inline void axial6(double *s, double *c) {
    if (s)
        memset(s + 1, 0, 5 * sizeof *s);
    if (c)
        memset(c + 1, 0, 35 * sizeof *c);
}

/* ---- eigenvalues */

/* Of a symmetric tensor (components of a stress), by Jacobi's rotations: value[3] in no order, vectors as columns of V[9], a rotation.
 * Absolute errors are a few rounding units of the largest value; the vectors are orthonormal up to rounding for any values; axes that
 * decouple (plane states) are exact. */
void bl_eigen3(const double s[6], double value[3], double V[9]);

#endif
