/* Extended families of order k + 1: two predictors of order k, the second one step ahead, and a corrector that uses the rate there.
 * EBDF and MEBDF are Cash's (1980, 1983); with NDF in place of the first, the second or both predictors come six more, all A-stable up to
 * k = 3 (order 4). Modified ones (M) give the corrector the predictors' iteration matrix. One engine steps them all: multistep.c. */
#include "integrate/multistep.h"

#define PARAMS(range)                                                                                               \
    {                                                                                                               \
        {.name = "k", .type = BL_P_INTEGER, .fallback = 2, .help = "steps, " range "; order k + 1; A-stable to 3"}, \
            BL_START_PARAM("trapezoidal|ramp|richardson|exact"), BL_MULTISTEP_PARAMS, {                             \
            0                                                                                                       \
        }                                                                                                           \
    }

static const bl_param params_4[] = PARAMS("1 to 4");
static const bl_param params_8[] = PARAMS("1 to 8");

static bl_status extended(bl_context *ctx, const bl_value *value, const char *name, bool ndf1, bool ndf2, bool modified,
                          bl_formula *formula) {
    int k;
    BL_TRY(bl_multistep_steps(ctx, name, value, ndf1 || ndf2 ? BL_NDF_STEPS : BL_BDF_STEPS, &k));
    bl_formula_extended(k, ndf1, ndf2, modified, formula);
    return BL_OK;
}

static bl_status ebdf_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    return extended(ctx, value, "ebdf", false, false, false, formula);
}
static bl_status ebndf_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    return extended(ctx, value, "ebndf", false, true, false, formula);
}
static bl_status enbdf_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    return extended(ctx, value, "enbdf", true, false, false, formula);
}
static bl_status endf_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    return extended(ctx, value, "endf", true, true, false, formula);
}
static bl_status mebdf_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    return extended(ctx, value, "mebdf", false, false, true, formula);
}
static bl_status mebndf_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    return extended(ctx, value, "mebndf", false, true, true, formula);
}
static bl_status menbdf_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    return extended(ctx, value, "menbdf", true, false, true, formula);
}
static bl_status mendf_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    return extended(ctx, value, "mendf", true, true, true, formula);
}

/* name, table of parameters, words */
#define EXTENDED(family, table, words)                                                                                         \
    const bl_integrator_kind bl_integrator_##family = {                                                                        \
        .kind = {.name = #family, .help = words ", constant step", .params = table, .needs = BL_CAN_STAGE, .gives = BL_DENSE}, \
        .order = 3,                                                                                                            \
        .dense_order = 2,                                                                                                      \
        BL_MULTISTEP_SLOTS,                                                                                                    \
        .formula = family##_formula}

EXTENDED(ebdf, params_8, "extended BDF, predictors BDF and BDF");
EXTENDED(ebndf, params_4, "extended BDF, predictors BDF and NDF");
EXTENDED(enbdf, params_4, "extended BDF, predictors NDF and BDF");
EXTENDED(endf, params_4, "extended BDF, predictors NDF and NDF");
EXTENDED(mebdf, params_8, "modified extended BDF, predictors BDF and BDF");
EXTENDED(mebndf, params_4, "modified extended BDF, predictors BDF and NDF");
EXTENDED(menbdf, params_4, "modified extended BDF, predictors NDF and BDF");
EXTENDED(mendf, params_4, "modified extended BDF, predictors NDF and NDF");
