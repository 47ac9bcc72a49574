/* radau: coefficients of the Radau IIA methods with 3, 5 and 7 stages (order 5, 9, 13), computed from their definition. */
#ifndef BL_RADAU_H
#define BL_RADAU_H

enum { BL_RADAU_STAGES = 7, BL_RADAU_PAIRS = 3 };

/* A^-1 T = T D, D made of `real` and blocks [alpha beta; -beta alpha]: columns 2k+1, 2k+2 of T belong to pair k. */
typedef struct bl_radau {
    int s;
    double c[BL_RADAU_STAGES];
    double A[BL_RADAU_STAGES][BL_RADAU_STAGES], inverse[BL_RADAU_STAGES][BL_RADAU_STAGES];
    double T[BL_RADAU_STAGES][BL_RADAU_STAGES], T_inverse[BL_RADAU_STAGES][BL_RADAU_STAGES];
    double real, alpha[BL_RADAU_PAIRS], beta[BL_RADAU_PAIRS];
    double error[BL_RADAU_STAGES]; /* the embedded solution of order s: (real / h - J) err = f(y0) + sum error_i Z_i / h */
} bl_radau;

void bl_radau_make(int s, bl_radau *table); /* s = 3, 5, 7 */

#endif
