/* Park's three-step formula of order 2 (1975), A-stable: the mean of BDF2 and BDF3, scaled to leading coefficient 1,
 *
 *     y_{n+3} - 1.5 y_{n+2} + 0.6 y_{n+1} - 0.1 y_n = 0.6 h f_{n+3}. */
#include "integrate/multistep.h"

static const bl_param params[] = {BL_START_PARAM("trapezoidal|exact"), BL_MULTISTEP_PARAMS, {0}};

static bl_status park_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    (void)ctx;
    (void)value;
    *formula = (bl_formula){
        .shape = BL_FORMULA_MULTISTEP, .order = 2, .k = 3, .a = {-1.0L / 10, 6.0L / 10, -15.0L / 10, 1}, .b = {0, 0, 0, 6.0L / 10}};
    return BL_OK;
}

const bl_integrator_kind bl_integrator_park = {
    .kind = {.name = "park",
             .help = "Park's stiffly stable method, order 2, A-stable, constant step",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE},
    .order = 2,
    .dense_order = 1,
    BL_MULTISTEP_SLOTS,
    .formula = park_formula,
};
