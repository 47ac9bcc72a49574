/* Green's strain: E = (F^T F - 1)/2; the law gives S, and tau = F S F^T, c = F F F F : C (M8). */
#include "material/law.h"

#include <math.h>

static bl_status green_at(const bl_material *m, double F[9], const double thermal[6], double dilatation, const double *history,
                          double *trial, double tau[6], double *c, double *energy, double *dissipated) {
    (void)dilatation;
    double f[9], S[6], T[36];
    bl_material_point p = {.history = history, .trial = trial, .stress = S, .tangent = c, .energy = energy, .dissipated = dissipated};
    memcpy(f, F, sizeof f);
    if (m->plane == BL_PLANE_BAR)
        f[4] = f[8] = 1;
    if (m->plane == BL_PLANE_STRESS)
        f[8] = 1; /* stress 33 is zero in both configurations: the law determines E33 */
    if (!(det3(f) > 0))
        return BL_NOT_FINITE;
    half_square_minus_one(f, 1, p.strain);
    for (int k = 0; k < 6; k++)
        p.strain[k] = (k < 3 ? 1 : 2) * p.strain[k] - thermal[k];
    BL_TRY(bl_material_at(m, &p));
    if (m->plane == BL_PLANE_STRESS || m->plane == BL_PLANE_BAR)
        F[8] = sqrt(1 + 2 * (p.strain[BL_33] + thermal[BL_33]));
    if (m->plane == BL_PLANE_BAR)
        F[4] = F[8];
    congruence6(f, T);
    apply6(T, S, tau);
    if (c)
        push6(T, c, 1, c);
    return BL_OK;
}

const bl_strain_kind bl_strain_green = {
    .kind = {"green", "Green's strain: large rotations", NULL, 0, BL_OF_GREEN},
    .at = green_at,
};
