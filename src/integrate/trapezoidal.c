/* Trapezoidal rule, y_1 = y_0 + (h/2) (f_0 + f_1): order 2, A-stable, no algorithmic damping at all (error constant -1/12, the smallest of
 * any A-stable multistep formula; Dahlquist 1963). Dense output by the cubic of values and rates at both ends. */
#include "integrate/multistep.h"

static const bl_param params[] = {BL_MULTISTEP_PARAMS, {0}};

static bl_status trapezoidal_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    (void)ctx;
    (void)value;
    *formula = (bl_formula){.shape = BL_FORMULA_MULTISTEP, .order = 2, .k = 1, .a = {-1, 1}, .b = {0.5L, 0.5L}};
    return BL_OK;
}

const bl_integrator_kind bl_integrator_trapezoidal = {
    .kind = {.name = "trapezoidal",
             .help = "trapezoidal rule, order 2, A-stable, undamped, constant step",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE | BL_UNDAMPED},
    .order = 2,
    .dense_order = 1,
    BL_MULTISTEP_SLOTS,
    .formula = trapezoidal_formula,
};
