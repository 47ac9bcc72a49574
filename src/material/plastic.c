/* J2 plasticity (von Mises) with mixed linear hardening, stress by radial return: Krieg and Key (1976), Simo and Hughes (1998), boxes
 * 3.1 and 3.2; (M20) to (M25). The back stress is (2/3) H2 (kinematic modulus) times the plastic strain, so that it needs no history of its
 * own. */
#include "material/hardening.h"

#include <math.h>

static const bl_param params[] = {
    BL_SOLID_PARAMS,
    {"yield", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "N/m^2", "stress at which yielding begins in a tension test"},
    {"hardening", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "N/m^2", "increase of the yield stress per plastic strain (0: perfectly plastic)"},
    {"kinematic", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, NULL,
     "fraction of the hardening that moves the yield surface, 0 to 1; the rest enlarges it"},
    {"tangent", BL_P_CHOICE, 0, 0, "consistent|continuum|elastic", NULL,
     "tangent for Newton's method: of the computed stress, of the rate equations, or of the elastic law"},
    {0},
};
enum { YIELD = BL_SOLID_OWN, HARDENING, KINEMATIC, TANGENT };
enum { CONSISTENT, CONTINUUM, ELASTIC };
enum { EP, A = 6, E33, DISSIPATED, NHISTORY }; /* plastic strain, equivalent plastic strain, strain 33, work */

static bl_status plastic_prepare(bl_context *ctx, const bl_value *value, bl_material *m) {
    double yield = value[YIELD].number, H = value[HARDENING].number, beta = value[KINEMATIC].number;
    BL_TRY(bl_solid_prepare(ctx, value, m));
    BL_TRY(bl_material_must(ctx, m, value, YIELD, yield > 0 && isfinite(yield), "positive", "use `elastic` for a body that never yields"));
    BL_TRY(bl_material_must(ctx, m, value, HARDENING, H >= 0 && isfinite(H), "zero or positive",
                            "softening has no unique solution; 0 is perfectly plastic"));
    BL_TRY(bl_material_must(ctx, m, value, KINEMATIC, beta >= 0 && beta <= 1, "from 0 to 1",
                            "0: isotropic hardening, 1: kinematic hardening"));
    m->number[BL_YIELD] = yield;
    m->number[BL_ISOTROPIC] = (1 - beta) * H;
    m->number[BL_KINEMATIC] = beta * H;
    m->number[BL_TANGENT_CHOICE] = value[TANGENT].number;
    return BL_OK;
}

/* (M24): n[6] the direction of flow, dg its amount, norm of the trial stress */
static void tangent(const bl_material *m, const double n[6], double dg, double norm, double H, double D[36]) {
    double mu = m->number[BL_MU], choice = m->number[BL_TANGENT_CHOICE];
    bool flows = dg > 0 && choice != ELASTIC;
    double theta = flows && choice == CONSISTENT ? 1 - 2 * mu * dg / norm : 1;
    double bar = 1 / (1 + (H + m->number[BL_KINEMATIC]) / (3 * mu)) - (1 - theta);
    bl_isotropic(m->bulk - 2 * mu * theta / 3, mu * theta, D);
    for (int k = 0; k < 36 && flows; k++)
        D[k] -= 2 * mu * bar * (n[k / 6] * n[k % 6]);
}

static bl_status plastic_point(const bl_material *m, bl_material_point *p) {
    static const double zero[NHISTORY];
    const double *old = p->history ? p->history : zero, *e = p->strain, third = 1.0 / 3, root = sqrt(2.0 / 3);
    double mu = m->number[BL_MU], volume = e[0] + e[1] + e[2], s[6], n[6], ep[6], H;
    for (int k = 0; k < 6; k++) { /* trial: s, and s minus the back stress */
        double elastic = k < 3 ? e[k] - third * volume - old[EP + k] : 0.5 * (e[k] - old[EP + k]);
        s[k] = 2 * mu * elastic;
        n[k] = s[k] - 2 * third * m->number[BL_KINEMATIC] * (k < 3 ? 1 : 0.5) * old[EP + k];
    }
    double norm = norm6(n), dg = bl_flow(m, norm, old[A], 2 * mu + 2 * third * m->number[BL_KINEMATIC], &H);
    for (int k = 0; k < 6; k++) {
        n[k] = dg > 0 ? n[k] / norm : 0;
        s[k] -= 2 * mu * dg * n[k];
        ep[k] = old[EP + k] + (k < 3 ? 1 : 2) * dg * n[k];
    }
    double a = old[A] + root * dg, dissipated = old[DISSIPATED] + m->number[BL_YIELD] * root * dg;
    for (int k = 0; k < 6 && p->stress; k++)
        p->stress[k] = s[k] + (k < 3 ? m->bulk * volume : 0);
    if (p->tangent)
        tangent(m, n, dg, norm, H, p->tangent);
    if (p->trial) {
        memcpy(p->trial + EP, ep, sizeof ep);
        p->trial[A] = a;
        p->trial[E33] = e[BL_33];
        p->trial[DISSIPATED] = dissipated;
    }
    if (p->energy) { /* of elastic strain and of hardening (M25) */
        double back = ep[0] * ep[0] + ep[1] * ep[1] + ep[2] * ep[2] + 0.5 * (ep[3] * ep[3] + ep[4] * ep[4] + ep[5] * ep[5]),
               size = norm6(s);
        *p->energy =
            0.5 * m->bulk * volume * volume + 0.25 * size * size / mu + bl_hardening_energy(m, a) + third * m->number[BL_KINEMATIC] * back;
    }
    if (p->dissipated)
        *p->dissipated = dissipated;
    return isfinite(norm) ? BL_OK : BL_NOT_FINITE;
}

static const bl_history_shown shown[] = {
    {"equivalent_plastic_strain", "1", "equivalent plastic strain, smoothed", A},
    {"dissipated_work", "J/m^3", "dissipated work per volume, smoothed", DISSIPATED},
    {0},
};

const bl_material_kind bl_material_plastic = {
    .kind = {"plastic", "J2 plasticity with isotropic and kinematic hardening", params, BL_OF_LINEAR | BL_OF_INCREMENT,
             BL_MATERIAL_HISTORY | BL_MATERIAL_ENERGY},
    .nhistory = NHISTORY,
    .prepare = plastic_prepare,
    .point = plastic_point,
    .stiffness = bl_solid_stiffness,
    .shown = shown,
};
