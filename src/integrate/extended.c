/* Extended families of order k + 1: two predictors of order k, the second one step ahead, and a corrector that uses the rate there.
 * EBDF and MEBDF are Cash's (1980, 1983); NDF as the first, the second or both predictors gives six more, all A-stable up to
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

static bl_status extended(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bool ndf1, bool ndf2, bool modified,
                          bl_formula *formula) {
    int k;
    BL_TRY(bl_multistep_steps(ctx, kind, value, ndf1 || ndf2 ? BL_NDF_STEPS : BL_BDF_STEPS, &k));
    bl_formula_extended(k, ndf1, ndf2, modified, formula);
    return BL_OK;
}

/* name; table of parameters; whether the first and the second predictor are NDF, and the corrector is modified; help */
#define EXTENDED(family, table, ndf1, ndf2, modified, words)                                                                         \
    static bl_status family##_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) { \
        return extended(kind, ctx, value, ndf1, ndf2, modified, formula);                                                            \
    }                                                                                                                                \
    const bl_integrator_kind bl_integrator_##family = {                                                                              \
        .kind = {.name = #family, .help = words ", constant step", .params = table, .needs = BL_CAN_STAGE, .gives = BL_DENSE},       \
        .order = 3,                                                                                                                  \
        .dense_order = 2,                                                                                                            \
        BL_MULTISTEP_SLOTS,                                                                                                          \
        .formula = family##_formula}

EXTENDED(ebdf, params_8, false, false, false, "extended BDF, predictors BDF and BDF");
EXTENDED(ebndf, params_4, false, true, false, "extended BDF, predictors BDF and NDF");
EXTENDED(enbdf, params_4, true, false, false, "extended BDF, predictors NDF and BDF");
EXTENDED(endf, params_4, true, true, false, "extended BDF, predictors NDF and NDF");
EXTENDED(mebdf, params_8, false, false, true, "modified extended BDF, predictors BDF and BDF");
EXTENDED(mebndf, params_4, false, true, true, "modified extended BDF, predictors BDF and NDF");
EXTENDED(menbdf, params_4, true, false, true, "modified extended BDF, predictors NDF and BDF");
EXTENDED(mendf, params_4, true, true, true, "modified extended BDF, predictors NDF and NDF");
