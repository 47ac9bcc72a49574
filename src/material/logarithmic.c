/* Logarithmic strain: e = ln V = sum ln lambda_a n_a n_a^T, in global axes; an isotropic law gives tau and A = d tau / d e. In
 * principal axes the spatial tangent is c : d = A : (k d) - d tau - tau d, with k_aa = 1 and k_ab = x / tanh x, x = ln lambda_a - ln
 * lambda_b (M16). */
#include "material/law.h"
#include "material/stretch.h"

#include <math.h>

static void spatial_tangent(const bl_material *m, const double e[3], const double N[9], const double tau[6], double c[36]) {
    double T[36], back[36], Nt[9], s[6];
    transpose3(N, Nt);
    congruence6(N, T);
    congruence6(Nt, back);
    apply6(back, tau, s); /* diagonal: stress and strain of isotropic laws are coaxial */
    if (!(m->gives & BL_MATERIAL_LINEAR))
        push6(back, c, 1, c);
    for (int k = 3; k < 6; k++) {
        double stretch = x_over_tanh(e[bl_first[k]] - e[bl_second[k]]);
        for (int i = 0; i < 6; i++)
            c[6 * i + k] *= stretch;
        c[7 * k] -= 0.5 * (s[bl_first[k]] + s[bl_second[k]]);
    }
    for (int k = 0; k < 3; k++)
        c[7 * k] -= 2 * s[k];
    push6(T, c, 1, c);
    if (m->plane == BL_PLANE_STRESS)
        flatten6(NULL, c);
    if (m->plane == BL_PLANE_BAR)
        axial6(NULL, c);
}

static bl_status logarithmic_at(const bl_material *m, double F[9], const double thermal[6], double dilatation, const double *history,
                                double *trial, double tau[6], double *c, double *energy, double *dissipated) {
    (void)dilatation;
    double f[9], e[3], N[9], T[36];
    bl_material_point p = {.history = history, .trial = trial, .stress = tau, .tangent = c, .energy = energy, .dissipated = dissipated};
    memcpy(f, F, sizeof f);
    if (m->plane == BL_PLANE_BAR)
        f[4] = f[8] = 1;
    if (m->plane == BL_PLANE_STRESS)
        f[8] = 1; /* the law determines ln V33 */
    if (!(det3(f) > 0) || !bl_stretch(f, BL_STRETCH_LEFT, e, N))
        return BL_NOT_FINITE;
    congruence6(N, T);
    for (int k = 0; k < 6; k++)
        p.strain[k] = (k < 3 ? 1 : 2) * (T[6 * k] * e[0] + T[6 * k + 1] * e[1] + T[6 * k + 2] * e[2]) - thermal[k];
    BL_TRY(bl_material_at(m, &p));
    if (m->plane == BL_PLANE_STRESS || m->plane == BL_PLANE_BAR)
        F[8] = exp(p.strain[BL_33] + thermal[BL_33]);
    if (m->plane == BL_PLANE_BAR)
        F[4] = F[8];
    if (c)
        spatial_tangent(m, e, N, tau, c);
    return BL_OK;
}

const bl_strain_kind bl_strain_logarithmic = {
    .kind = {"logarithmic", "logarithmic strain: large strains", NULL, 0, BL_OF_LOGARITHM},
    .at = logarithmic_at,
};
