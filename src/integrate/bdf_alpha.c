/* BDF-alpha: two steps, order 2, one parameter between the trapezoidal rule (-1/2) and BDF2 (0),
 *
 *     (3/2 + alpha) y_{n+2} - (2 + 2 alpha) y_{n+1} + (1/2 + alpha) y_n = h ((1 + alpha) f_{n+2} - alpha f_{n+1}).
 *
 * A-stable when alpha >= -1/2; spectral radius at infinity |alpha| / (1 + alpha), so a desired radius r needs alpha = -r / (1 + r). */
#include "integrate/multistep.h"

#include <math.h>

static const bl_param params[] = {
    {.name = "alpha", .type = BL_P_NUMBER, .fallback = -0.35, .help = "-0.5: trapezoidal rule, undamped; 0: BDF2; above -1"},
    BL_START_PARAM("trapezoidal|exact"),
    BL_MULTISTEP_PARAMS,
    {0},
};

static bl_status bdf_alpha_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    long double alpha = (long double)value->number;
    if (!(alpha > -1)) {
        bl_fail(ctx, BL_E_ARG, NULL, "bdf_alpha: alpha must be above -1, found %g: otherwise the new rate has no weight", value->number);
        bl_advise(ctx, "use a value between -0.5 and 0");
        return BL_E_ARG;
    }
    *formula = (bl_formula){
        .shape = BL_FORMULA_MULTISTEP, .order = 2, .k = 2, .a = {0.5L + alpha, -2 - 2 * alpha, 1.5L + alpha}, .b = {0, -alpha, 1 + alpha}};
    return BL_OK;
}

static bl_status bdf_alpha_create(bl_integrator *integ) {
    BL_TRY(bl_multistep_create(integ));
    double alpha = integ->value[0].number;
    if (alpha < -0.5)
        bl_warn(integ->ctx, NAN, NULL, "bdf_alpha: alpha = %g is below -0.5: the method is not A-stable, fast modes may grow", alpha);
    return BL_OK;
}

const bl_integrator_kind bl_integrator_bdf_alpha = {
    .kind = {.name = "bdf_alpha",
             .help = "two-step method of order 2 with adjustable damping of fast modes, constant step",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE},
    .order = 2,
    .dense_order = 1,
    .create = bdf_alpha_create,
    BL_MULTISTEP_STEPPING,
    .formula = bdf_alpha_formula,
};
