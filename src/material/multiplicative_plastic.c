/* J2 plasticity for large strains, F = Fe Fp (Simo and Hughes 1998, boxes 9.1 and 9.2), isotropic hardening; (M40) to (M43):
 *
 *     tau = kappa/2 (J^2 - 1) 1 + mu dev be,     be = J^(-2/3) F Cp^-1 F^T,     |dev tau|/J <= sqrt(2/3) yield stress
 *
 * The yield stress is a Cauchy stress. The history contains Cp^-1 - 1: the last configuration is not needed. Return along n = s/|s| of the
 * trial stress at constant trace of be. */
#include "material/hardening.h"

#include <math.h>

static const bl_param params[] = {
    BL_SOLID_PARAMS,
    {"yield", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "N/m^2", "true (Cauchy) stress at which yielding begins in a tension test"},
    {"hardening", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "N/m^2", "increase of the yield stress per plastic strain (0: perfectly plastic)"},
    {0},
};
enum { YIELD = BL_SOLID_OWN, HARDENING };
enum { CP, A = 6, LN_F33, DISSIPATED, NHISTORY }; /* Cp^-1 - 1, equivalent plastic strain, ln F33, work */

static bl_status multiplicative_plastic_prepare(bl_context *ctx, const bl_value *value, bl_material *m) {
    double yield = value[YIELD].number, H = value[HARDENING].number;
    BL_TRY(bl_solid_prepare(ctx, value, m));
    BL_TRY(
        bl_material_must(ctx, m, value, YIELD, yield > 0 && isfinite(yield), "positive", "use `neo_hookean` for a body that never yields"));
    BL_TRY(bl_material_must(ctx, m, value, HARDENING, H >= 0 && isfinite(H), "zero or positive",
                            "softening has no unique solution; 0 is perfectly plastic"));
    m->number[BL_YIELD] = yield;
    m->number[BL_ISOTROPIC] = H;
    m->number[BL_KINEMATIC] = 0;
    return BL_OK;
}

/* (be - 1) of F and Cp^-1 - 1, without cancellation near 1: J^(-2/3) (F F^T - 1 + F (Cp^-1 - 1) F^T) + J^(-2/3) - 1 */
static void trial_be(const double F[9], const double cp[6], double J, double be[6]) {
    double T[36], half[6], plastic[6], factor = pow(J, -2.0 / 3);
    half_square_minus_one(F, 0, half);
    congruence6(F, T);
    apply6(T, cp, plastic);
    for (int k = 0; k < 6; k++)
        be[k] = factor * (2 * half[k] + plastic[k]) + (k < 3 ? factor - 1 : 0);
}

typedef struct flow {
    double s[6], n[6], norm; /* trial stress, its direction and norm */
    double dg, slope;        /* plastic multiplier, slope of the yield stress after the flow */
    double mean;             /* tr be / 3 */
} flow;

/* (M43); components of a stress times those of a strain rate */
static void tangent(const bl_material *m, const flow *f, double J, double c[36]) {
    double kappa = m->bulk, mu = m->number[BL_MU], mu_bar = mu * f->mean, square[6], N[9];
    double p = 0.5 * kappa * (J * J - 1);
    double b1 = f->dg > 0 ? 2 * mu_bar * f->dg / f->norm : 0;
    /* kappa J^2 1 (x) 1 - 2 p I + (1 - b1) (2 mu_bar dev - 2/3 |s| (n (x) 1 + 1 (x) n)) */
    bl_isotropic(kappa * J * J - (1 - b1) * 2 * mu_bar / 3, -p + (1 - b1) * mu_bar, c);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 3; j++) {
            c[6 * i + j] -= (1 - b1) * 2.0 / 3 * f->s[i];
            c[6 * j + i] -= (1 - b1) * 2.0 / 3 * f->s[i];
        }
    if (!(f->dg > 0))
        return;
    double b0 = 1 + J * f->slope / (3 * mu_bar), b2 = (1 - 1 / b0) * 2.0 / 3 * f->norm / mu * f->dg / f->mean;
    double b3 = 1 / b0 - b1 + b2, b4 = (1 / b0 - b1) * f->norm / mu_bar;
    stress_matrix(f->n, N);
    for (int k = 0; k < 6; k++) {
        int i = bl_first[k], j = bl_second[k];
        square[k] = N[3 * i] * N[j] + N[3 * i + 1] * N[3 + j] + N[3 * i + 2] * N[6 + j];
    }
    double third = (square[0] + square[1] + square[2]) / 3,
           size = f->norm - 2 * mu_bar * f->dg; /* norm of dev tau, which is proportional to J */
    for (int k = 0; k < 3; k++)
        square[k] -= third;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            c[6 * i + j] -= f->n[i] * (2 * mu_bar * (b3 * f->n[j] + b4 * square[j]) - (j < 3 ? size / b0 : 0));
}

/* det(be)^(1/3) - 1 from be - 1 */
static double scale_minus_one(const double be[6]) {
    double B[9];
    stress_matrix(be, B);
    double first = be[0] + be[1] + be[2];
    double square = be[0] * be[0] + be[1] * be[1] + be[2] * be[2] + 2 * (be[3] * be[3] + be[4] * be[4] + be[5] * be[5]);
    return expm1(log1p(first + 0.5 * (first * first - square) + det3(B)) / 3);
}

/* Ratio of dissipated work to yield stress times plastic strain, (M44): 1 except for elastic strains. be: minus 1, after the flow. */
static double dissipation_ratio(const bl_material *m, const flow *f, const double be[6], double a) {
    double B[9], inverse[9], sum = 0;
    stress_matrix(be, B);
    B[0] += 1;
    B[4] += 1;
    B[8] += 1;
    inverse3(B, inverse);
    for (int k = 0; k < 6; k++)
        sum += (k < 3 ? 1 : 2) * inverse[3 * bl_first[k] + bl_second[k]] * f->n[k];
    return -m->number[BL_MU] * f->mean * (1 + scale_minus_one(be)) * sum / (sqrt(2.0 / 3) * bl_yield_stress(m, a, NULL));
}

/* Cp^-1 - 1 = J^(2/3) F^-1 be F^-T - 1 */
static void store_plastic_metric(const double F[9], double J, const double be[6], double cp[6]) {
    double inverse[9], T[36], half[6], elastic[6], factor = pow(J, 2.0 / 3);
    inverse3(F, inverse);
    half_square_minus_one(inverse, 0, half);
    congruence6(inverse, T);
    apply6(T, be, elastic);
    for (int k = 0; k < 6; k++)
        cp[k] = factor * (2 * half[k] + elastic[k]) + (k < 3 ? factor - 1 : 0);
}

static bl_status multiplicative_plastic_point(const bl_material *m, bl_material_point *p) {
    static const double zero[NHISTORY];
    const double *old = p->history ? p->history : zero, root = sqrt(2.0 / 3);
    double J = det3(p->F), mu = m->number[BL_MU], be[6], dev_tau[6];
    flow f;
    if (!(J > 0) || !isfinite(J))
        return BL_NOT_FINITE;
    trial_be(p->F, old + CP, J, be);
    double third = (be[0] + be[1] + be[2]) / 3;
    f.mean = 1 + third;
    if (!(f.mean > 0))
        return BL_NOT_FINITE;
    for (int k = 0; k < 6; k++)
        f.s[k] = mu * (be[k] - (k < 3 ? third : 0));
    f.norm = norm6(f.s);
    f.dg = bl_flow(m, f.norm / J, old[A], 2 * mu * f.mean / J, &f.slope);
    for (int k = 0; k < 6; k++) {
        f.n[k] = f.dg > 0 ? f.s[k] / f.norm : 0;
        dev_tau[k] = f.s[k] - 2 * mu * f.mean * f.dg * f.n[k];
    }
    double pressure = 0.5 * m->bulk * (J * J - 1), a = old[A] + root * f.dg;
    double dissipated = old[DISSIPATED];
    if (f.dg > 0) {
        for (int k = 0; k < 6; k++)
            be[k] = dev_tau[k] / mu + (k < 3 ? third : 0);
        double hardening_energy = bl_hardening_energy(m, a) - bl_hardening_energy(m, old[A]);
        dissipated += dissipation_ratio(m, &f, be, a) * (m->number[BL_YIELD] * root * f.dg + hardening_energy) - hardening_energy;
    }
    for (int k = 0; k < 6 && p->stress; k++)
        p->stress[k] = dev_tau[k] + (k < 3 ? pressure : 0);
    if (p->tangent)
        tangent(m, &f, J, p->tangent);
    if (p->trial) {
        if (f.dg > 0)
            store_plastic_metric(p->F, J, be, p->trial + CP);
        else
            memcpy(p->trial + CP, old + CP, 6 * sizeof *old);
        p->trial[A] = a;
        p->trial[LN_F33] = log(p->F[8]);
        p->trial[DISSIPATED] = dissipated;
    }
    if (p->energy)
        *p->energy = 0.5 * m->bulk * (0.5 * (J * J - 1) - log(J)) + 1.5 * mu * (third - scale_minus_one(be)) + bl_hardening_energy(m, a);
    if (p->dissipated)
        *p->dissipated = dissipated;
    return isfinite(f.norm) ? BL_OK : BL_NOT_FINITE;
}

static const bl_history_shown shown[] = {
    {"equivalent_plastic_strain", "1", "equivalent plastic strain, smoothed", A},
    {"dissipated_work", "J/m^3", "dissipated work per volume, smoothed", DISSIPATED},
    {0},
};

const bl_material_kind bl_material_multiplicative_plastic = {
    .kind = {"multiplicative_plastic", "J2 plasticity for large strains, F = Fe Fp, isotropic hardening", params, BL_OF_LEFT,
             BL_MATERIAL_HISTORY | BL_MATERIAL_ENERGY | BL_MATERIAL_UNSYMMETRIC},
    .nhistory = NHISTORY,
    .prepare = multiplicative_plastic_prepare,
    .point = multiplicative_plastic_point,
    .stiffness = bl_solid_stiffness,
    .shown = shown,
};
