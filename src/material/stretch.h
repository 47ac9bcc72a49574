/* stretch: principal logarithmic stretches, for strains that are logarithms. */
#ifndef BL_STRETCH_H
#define BL_STRETCH_H

#include "material/tensor.h"

#include <math.h>
#include <stdbool.h>

enum { BL_STRETCH_LEFT, BL_STRETCH_RIGHT };

/* e[a] = ln lambda_a, half the logarithm of an eigenvalue of F F^T (left) or F^T F (right), and the axes as columns of N. They are computed
 * from F F^T - 1, so that small strains keep their accuracy. false: F is singular or not finite. */
static inline bool bl_stretch(const double F[9], int side, double e[3], double N[9]) {
    double half[6];
    half_square_minus_one(F, side == BL_STRETCH_RIGHT, half);
    bl_eigen3(half, e, N);
    bool good = true;
    for (int a = 0; a < 3; a++) {
        e[a] = 0.5 * log1p(2 * e[a]);
        good = good && isfinite(e[a]);
    }
    return good;
}

/* Divided differences of the two axes of a shear component, x = ln lambda_a - ln lambda_b, without cancellation at equal stretches:
 *   (ln la - ln lb) (la^2 + lb^2) / (la^2 - lb^2) = x / tanh x,   2 la lb (ln la - ln lb) / (la^2 - lb^2) = x / sinh x */
static inline double x_over_tanh(double x) { return x == 0 ? 1 : x / tanh(x); }
static inline double x_over_sinh(double x) { return x == 0 ? 1 : x / sinh(x); }

#endif
