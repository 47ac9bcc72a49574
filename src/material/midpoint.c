/* Increments by the gradient in the mid-configuration: G = d(du)/dx_(n+1/2) = 2 (f - 1)(f + 1)^-1, d = sym G, w = skew G,
 * rotation R = (1 - w/2)^-1 (1 + w/2); sigma = R sigma_n R^T + R^(1/2) d sigma R^(T/2) (M33). Hughes and Winget (1980), with the half
 * rotation, which makes it second-order accurate. A rigid rotation in an increment rotates the stress exactly; combined with a deformation
 * the error is of third order, so that the tangent also has columns for the spin (M35). */
#include "base/vector3.h"
#include "material/increment.h"

#include <math.h>

typedef struct middle {
    bl_increment increment;
    double G[9], d[9];                /* G and its symmetric part */
    double omega[3];                  /* w x = omega x x */
    double norm_squared;              /* of the quaternion (1, omega/2) of R: 1 + |omega|^2/4 */
    double half[3];                   /* tan(angle/4) about the axis of R */
    double q[4];                      /* axes in the present state */
    double to_middle[36], to_end[36]; /* T of R^(1/2) Q and of R Q: from rotating to global axes */
} middle;

static bl_status middle_of(const double F[9], const double *history, middle *mid) {
    bl_increment *increment = &mid->increment;
    double sum[9], X[9], E[6], T[36], d[6], P[9];
    BL_TRY(bl_increment_begin(F, history, increment));
    for (int k = 0; k < 9; k++)
        sum[k] = increment->f[k] + (k % 4 == 0);
    double det = inverse3(sum, X);
    if (!isfinite(1 / det)) /* rotation by half a revolution */
        return BL_NOT_FINITE;
    for (int k = 0; k < 9; k++)
        mid->G[k] = 2 * ((k % 4 == 0) - 2 * X[k]); /* (f - 1)(f + 1)^-1 = 1 - 2 (f + 1)^-1 */
    /* d = 4 X^T E X with E of f, which is sym G without cancellation if f is a rotation */
    half_square_minus_one(increment->f, 1, E);
    for (int k = 3; k < 6; k++)
        E[k] *= 2;
    congruence6(X, T);
    apply6_t(T, E, d);
    for (int k = 0; k < 6; k++)
        d[k] *= 4;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            mid->d[3 * i + j] = (i == j ? 1 : 0.5) * d[bl_pair[i][j]];
    double *omega = mid->omega;
    omega[0] = 0.5 * (mid->G[7] - mid->G[5]), omega[1] = 0.5 * (mid->G[2] - mid->G[6]), omega[2] = 0.5 * (mid->G[3] - mid->G[1]);
    mid->norm_squared = 1 + 0.25 * dot3(omega, omega);
    double norm = sqrt(mid->norm_squared), R[4] = {1, 0.5 * omega[0], 0.5 * omega[1], 0.5 * omega[2]}, r[4] = {1 + norm, R[1], R[2], R[3]};
    for (int k = 0; k < 3; k++)
        mid->half[k] = 0.5 * omega[k] / (1 + norm);
    bl_quaternion_product(R, increment->q, mid->q);
    bl_quaternion_product(r, increment->q, r);
    bl_quaternion_matrix(r, P);
    congruence6(P, mid->to_middle);
    bl_quaternion_matrix(mid->q, P);
    congruence6(P, mid->to_end);
    apply6_t(mid->to_middle, d, E);
    for (int k = 0; k < 6; k++)
        increment->strain[k] += E[k];
    return BL_OK;
}

static void spin_matrix(const double a[3], double A[9]) {
    const double S[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
    memcpy(A, S, sizeof S);
}

/* tau' - l tau - tau l^T for the velocity gradient l at the end of the increment; K = d sigma / d(strain in the middle), S = sigma (M34) */
static void rate(const middle *mid, const double K[36], const double S[9], const double l[9], double out[6]) {
    double left[9], right[9], dG[9], half[9], spin[3], rho[3], cross[3], W[9], WS[9], lS[9], dd[6], ds[6];
    for (int k = 0; k < 9; k++) {
        left[k] = (k % 4 == 0) - 0.5 * mid->G[k];
        right[k] = (k % 4 == 0) + 0.5 * mid->G[k];
    }
    multiply3(left, l, half);
    multiply3(half, right, dG); /* G' = (1 - G/2) l (1 + G/2) */
    const double omega[3] = {0.5 * (dG[7] - dG[5]), 0.5 * (dG[2] - dG[6]), 0.5 * (dG[3] - dG[1])};
    /* spin of R, and of R^(1/2) */
    cross3(mid->omega, omega, cross);
    for (int k = 0; k < 3; k++)
        spin[k] = (omega[k] + 0.5 * cross[k]) / mid->norm_squared;
    cross3(mid->half, spin, cross);
    for (int k = 0; k < 3; k++)
        rho[k] = 0.5 * (spin[k] - cross[k]);
    /* d' without the rotation by R^(1/2): d' + d rho - rho d, a strain */
    spin_matrix(rho, W);
    multiply3(mid->d, W, half);
    for (int k = 0; k < 6; k++) {
        int i = bl_first[k], j = bl_second[k];
        dd[k] = (k < 3 ? 0.5 : 1) * (dG[3 * i + j] + dG[3 * j + i] + 2 * (half[3 * i + j] + half[3 * j + i]));
    }
    apply6(K, dd, ds);
    spin_matrix(spin, W);
    multiply3(W, S, WS);
    multiply3(l, S, lS);
    for (int k = 0; k < 6; k++) {
        int i = bl_first[k], j = bl_second[k];
        double rotation = WS[3 * i + j] + WS[3 * j + i] - lS[3 * i + j] - lS[3 * j + i];
        out[k] = mid->increment.J * (ds[k] + rotation + (l[0] + l[4] + l[8]) * S[3 * i + j]);
    }
}

/* columns of c by the six symmetric gradients, of spin by the three skew ones */
static void columns(const middle *mid, const double A[36], const double S[9], double *c, double *spin) {
    double K[36], X[36], out[6];
    for (int i = 0; i < 6; i++) /* to_end A to_middle^T */
        for (int j = 0; j < 6; j++)
            X[6 * i + j] = contract6(A + 6 * i, mid->to_middle + 6 * j);
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 6; i++) {
            K[6 * i + j] = 0;
            for (int k = 0; k < 6; k++)
                K[6 * i + j] += mid->to_end[6 * i + k] * X[6 * k + j];
        }
    for (int k = 0; k < 6 && c; k++) {
        double l[9] = {0};
        l[3 * bl_first[k] + bl_second[k]] += 0.5;
        l[3 * bl_second[k] + bl_first[k]] += 0.5;
        rate(mid, K, S, l, out);
        for (int i = 0; i < 6; i++)
            c[6 * i + k] = out[i];
    }
    for (int k = 0; k < 3 && spin; k++) {
        double axis[3] = {k == 0, k == 1, k == 2}, l[9];
        spin_matrix(axis, l);
        rate(mid, K, S, l, out);
        for (int i = 0; i < 6; i++)
            spin[3 * i + k] = out[i];
    }
}

static bl_status midpoint_measure(const bl_material *m, const double F[9], const double thermal[6], const double *history, double *trial,
                                  double tau[6], double *c, double *spin, double *energy, double *dissipated) {
    middle mid;
    double stress[6], A[36], S[9];
    BL_TRY(middle_of(F, history, &mid));
    BL_TRY(bl_increment_law(m, &mid.increment, F, mid.q, thermal, trial, stress, c || spin ? A : NULL, energy, dissipated));
    apply6(mid.to_end, stress, tau);
    stress_matrix(tau, S);
    if (c || spin)
        columns(&mid, A, S, c, spin);
    for (int k = 0; k < 6; k++)
        tau[k] *= mid.increment.J;
    return BL_OK;
}

static bl_status midpoint_at(const bl_material *m, double F[9], const double thermal[6], double dilatation, const double *history,
                             double *trial, double tau[6], double *c, double *energy, double *dissipated) {
    (void)dilatation;
    return bl_increment_at(midpoint_measure, m, F, thermal, history, trial, tau, c, NULL, energy, dissipated);
}

static bl_status midpoint_spin(const bl_material *m, const double F[9], const double thermal[6], const double *history, double spin[18]) {
    double tau[6], f[9];
    memcpy(f, F, sizeof f);
    return bl_increment_at(midpoint_measure, m, f, thermal, history, NULL, tau, NULL, spin, NULL, NULL);
}

const bl_strain_kind bl_strain_midpoint = {
    .kind = {"midpoint", "increments by the mid-configuration: large strains with rate laws", NULL, 0,
             BL_OF_INCREMENT | BL_MATERIAL_UNSYMMETRIC},
    .nhistory = BL_INCREMENT_HISTORY,
    .at = midpoint_at,
    .spin = midpoint_spin,
};
