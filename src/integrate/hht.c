/* The alpha method of Hilber, Hughes and Taylor (1977): the generalized-alpha engine with am = 0, af = alpha; gamma = 1/2 + alpha,
 * beta = (1 + alpha)^2 / 4. Spectral radius for large steps (1 - alpha) / (1 + alpha). Here alpha >= 0; part of the literature writes
 * its negative. */
#include "integrate/genalpha.h"

#include <math.h>

static const bl_param params[] = {
    {.name = "alpha", .type = BL_P_NUMBER, .fallback = 0.3, .help = "dissipation, 0 (none) to 1/3"},
    {.name = "gamma", .type = BL_P_NUMBER, .help = "default 1/2 + alpha: order 2"},
    {.name = "beta", .type = BL_P_NUMBER, .help = "default (1 + alpha)^2 / 4"},
    BL_SECOND_PARAMS(1e-12),
    {0},
};
enum { ALPHA, GAMMA, BETA };

static bl_status hht_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    double alpha = value[ALPHA].number;
    BL_TRY(
        bl_second_range(ctx, kind, "alpha", alpha, 0, 0.5,
                        alpha < 0 ? "alpha is positive here: write 0.3 where the literature has -0.3" : "useful values are from 0 to 1/3"));
    bl_genalpha_numbers n = {.af = alpha,
                             .gamma = value[GAMMA].given ? value[GAMMA].number : 0.5 + alpha,
                             .beta = value[BETA].given ? value[BETA].number : 0.25 * (1 + alpha) * (1 + alpha)};
    return bl_genalpha_formula(kind, ctx, &n, formula);
}

static bl_status hht_create(bl_integrator *integ) {
    BL_TRY(bl_genalpha_create(integ));
    double alpha = integ->value[ALPHA].number;
    if (alpha > 1.0 / 3 + 1e-12)
        bl_warn(integ->ctx, NAN, NULL, "integrator hht: alpha = %g is above 1/3: high frequencies are damped less, not more", alpha);
    return BL_OK;
}

const bl_integrator_kind bl_integrator_hht = {
    .kind = {.name = "hht",
             .help = "alpha method of Hilber, Hughes and Taylor, order 2, damps high frequencies",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE | BL_SECOND_ORDER | BL_ON_GROUPS},
    .create = hht_create,
    .formula = hht_formula,
    BL_GENALPHA_SLOTS,
};
