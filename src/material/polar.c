/* Increments by polar decomposition: f = F F_n^-1 = R U, strain increment ln U in the axes of the last accepted state, sigma = R (sigma_n +
 * d sigma) R^T (M31); second-order accurate and exactly objective for any combined rotation and deformation (Hughes 1984; Simo and Hughes
 * 1998, 8.3). */
#include "material/increment.h"
#include "material/stretch.h"

/* In the axes n_a = R N_a, where s is sigma: c : d = J (tr(d) s + A : (g d) - y s - s y^T), g_ab = x / sinh x, y_ab = d_ab (1 + tanh(x/2)),
 * x = ln lambda_a - ln lambda_b (M32); y accounts for the rotation of the axes relative to the material. c is A on input. */
static void spatial_tangent(const double e[3], const double s[6], double c[36]) {
    double S[9], y[9], ys[9];
    stress_matrix(s, S);
    for (int k = 0; k < 6; k++) {
        int a = bl_first[k], b = bl_second[k];
        double x = e[a] - e[b], g = x_over_sinh(x), tanh_half = tanh(0.5 * x);
        memset(y, 0, sizeof y); /* a shear angle 1 is d_ab = d_ba = 1/2; on the diagonal the halves add up */
        y[3 * a + b] += 0.5 * (1 + tanh_half);
        y[3 * b + a] += 0.5 * (1 - tanh_half);
        multiply3(y, S, ys);
        for (int i = 0; i < 6; i++) {
            int p = bl_first[i], q = bl_second[i];
            c[6 * i + k] = g * c[6 * i + k] + (k < 3 ? s[i] : 0) - ys[3 * p + q] - ys[3 * q + p];
        }
    }
}

static bl_status polar_measure(const bl_material *m, const double F[9], const double thermal[6], const double *history, double *trial,
                               double tau[6], double *c, double *spin, double *energy, double *dissipated) {
    (void)spin;
    bl_increment increment;
    double e[3], N[9], n[9], M[9], R[9], Q[9], q[4], T[36], s[6], stress[6];
    BL_TRY(bl_increment_begin(F, history, &increment));
    if (!bl_stretch(increment.f, BL_STRETCH_RIGHT, e, N))
        return BL_NOT_FINITE;
    /* n_a = f N_a / lambda_a, R = n N^T, axes N in Q: M = Q^T N */
    multiply3(increment.f, N, n);
    for (int k = 0; k < 9; k++)
        n[k] *= exp(-e[k % 3]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[3 * i + j] = n[3 * i] * N[3 * j] + n[3 * i + 1] * N[3 * j + 1] + n[3 * i + 2] * N[3 * j + 2];
    multiply3(R, increment.Q, Q);
    bl_quaternion_of(Q, q);
    multiply3_tn(increment.Q, N, M);
    congruence6(M, T);
    for (int k = 0; k < 6; k++)
        increment.strain[k] += (k < 3 ? 1 : 2) * (T[6 * k] * e[0] + T[6 * k + 1] * e[1] + T[6 * k + 2] * e[2]);
    BL_TRY(bl_increment_law(m, &increment, F, q, thermal, trial, stress, c, energy, dissipated));
    double back[36], Mt[9];
    transpose3(M, Mt);
    congruence6(Mt, back);
    apply6(back, stress, s);
    congruence6(n, T);
    apply6(T, s, tau);
    for (int k = 0; k < 6; k++)
        tau[k] *= increment.J;
    if (c) {
        if (!(m->gives & BL_MATERIAL_LINEAR)) /* an isotropic tangent is the same in all axes */
            push6(back, c, 1, c);
        spatial_tangent(e, s, c);
        push6(T, c, increment.J, c);
    }
    return BL_OK;
}

static bl_status polar_at(const bl_material *m, double F[9], const double thermal[6], double dilatation, const double *history,
                          double *trial, double tau[6], double *c, double *energy, double *dissipated) {
    (void)dilatation;
    return bl_increment_at(polar_measure, m, F, thermal, history, trial, tau, c, NULL, energy, dissipated);
}

const bl_strain_kind bl_strain_polar = {
    .kind = {"polar", "increments by polar decomposition: large strains with rate laws", NULL, 0,
             BL_OF_INCREMENT | BL_MATERIAL_UNSYMMETRIC},
    .nhistory = BL_INCREMENT_HISTORY,
    .at = polar_at,
};
