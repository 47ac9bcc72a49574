/* Backward differentiation formulas of order k (Curtiss and Hirschfelder 1952; Gear 1971), and numerical differentiation formulas, which
 * trade a little stability for a smaller error constant (Klopfenstein 1971; Shampine and Reichelt 1997). Coefficients:
 * method_coefficients.c. */
#include "integrate/multistep.h"

static const bl_param params_bdf[] = {
    {.name = "k", .type = BL_P_INTEGER, .fallback = 2, .help = "steps and order, 1 to 6; A-stable to 2"},
    BL_START_PARAM("trapezoidal|ramp|richardson|exact"),
    BL_MULTISTEP_PARAMS,
    {0},
};

static const bl_param params_ndf[] = {
    {.name = "k", .type = BL_P_INTEGER, .fallback = 2, .help = "order, 1 to 4, with k + 1 steps; A-stable to 2"},
    BL_START_PARAM("trapezoidal|ramp|richardson|exact"),
    BL_MULTISTEP_PARAMS,
    {0},
};

static bl_status bdf_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    int k;
    BL_TRY(bl_multistep_steps(ctx, kind, value, 6, &k)); /* zero-unstable beyond */
    bl_formula_bdf(k, formula);
    return BL_OK;
}

static bl_status ndf_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    int k;
    BL_TRY(bl_multistep_steps(ctx, kind, value, BL_NDF_STEPS, &k));
    bl_formula_ndf(k, formula);
    return BL_OK;
}

const bl_integrator_kind bl_integrator_bdf = {
    .kind = {.name = "bdf",
             .help = "backward differentiation formulas, constant step",
             .params = params_bdf,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE},
    .order = 2,
    .dense_order = 1,
    BL_MULTISTEP_SLOTS,
    .formula = bdf_formula,
};

const bl_integrator_kind bl_integrator_ndf = {
    .kind = {.name = "ndf",
             .help = "numerical differentiation formulas, constant step: BDF with a smaller error",
             .params = params_ndf,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE},
    .order = 2,
    .dense_order = 1,
    BL_MULTISTEP_SLOTS,
    .formula = ndf_formula,
};
