/* formula: the coefficients of a method as data, used by the engines and by the stability analysis. Long double, so that measured orders
 * are not hidden by the rounding of coefficients. */
#ifndef BL_METHOD_COEFFICIENTS_H
#define BL_METHOD_COEFFICIENTS_H

#include "base/kind.h"

enum { BL_FORMULA_STEPS = 12, BL_FORMULA_STAGES = 16 };

typedef enum bl_formula_shape {
    BL_FORMULA_MULTISTEP,   /* sum a_j y_{n+j} = h sum b_j f_{n+j}, j = 0..k */
    BL_FORMULA_EXTENDED,    /* two predictors, the second one step ahead, and a corrector (see below) */
    BL_FORMULA_RUNGE_KUTTA, /* explicit or diagonally implicit, c is the row sum of A; linearly implicit methods on linear equations */
    BL_FORMULA_OSCILLATOR   /* second-order methods: amplification on u'' + 2 xi w u' + w^2 u = 0 */
} bl_formula_shape;

typedef struct bl_formula {
    bl_formula_shape shape;
    int order; /* nominal */
    int k;     /* steps */
    long double a[BL_FORMULA_STEPS + 1], b[BL_FORMULA_STEPS + 1];
    /* EXTENDED: predictors sum_{i=0..k+1} p_i y_{n-1+i} = h f at the newest of them; p[0] = 0 for BDF. Predictor 1 gives ybar_{n+k},
     * predictor 2, shifted by one and with ybar_{n+k} as newest value, ybar_{n+k+1}. Corrector: sum a_j y_{n+j} = h (g f_{n+k} +
     * g_ahead f(ybar_{n+k+1}) + g_first f(ybar_{n+k})); b is not used. */
    long double p1[BL_FORMULA_STEPS + 2], p2[BL_FORMULA_STEPS + 2], g, g_ahead, g_first;
    int stages;
    long double A[BL_FORMULA_STAGES][BL_FORMULA_STAGES], weight[BL_FORMULA_STAGES];
    /* OSCILLATOR: size n and real matrix A(Omega = h w, xi)[n][n], row by row, n <= 6, that advances the method's memory by one step */
    int n;
    double parameter[6];
    void (*amplify)(const struct bl_formula *, double Omega, double xi, double *A);
} bl_formula;

/* ---- coefficients shared by several kinds (method_coefficients.c) */

enum { BL_BDF_STEPS = 8, BL_NDF_STEPS = 4 };

/* gamma_k = 1 + 1/2 + ... + 1/k, k = 1..8: the leading coefficient of BDF. */
long double bl_formula_gamma(int k);
/* Klopfenstein's and Shampine's kappa_k of NDF, k = 1..4; 0 for other k, where NDF is BDF. */
long double bl_formula_kappa(int k);
/* k-step BDF, k = 1..8, as MULTISTEP with b_k = 1. Zero-unstable for k = 7, 8: predictors only. */
void bl_formula_bdf(int k, bl_formula *formula);
/* NDF of order k = 1..4 as a (k+1)-step formula with leading b = 1. */
void bl_formula_ndf(int k, bl_formula *formula);
/* Extended family: predictors by NDF or BDF, corrector of type EBDF or (modified) MEBDF; k = 1..8 for BDF, BDF, else 1..4. */
void bl_formula_extended(int k, bool ndf1, bool ndf2, bool modified, bl_formula *formula);

/* C_q = (1/q!) sum j^q a_j - (1/(q-1)!) sum j^(q-1) b_j of a MULTISTEP formula: of order p when C_0 .. C_p vanish. For an EXTENDED one: the
 * same for its corrector with exact predictors. */
long double bl_formula_condition(const bl_formula *formula, int q);

#endif
