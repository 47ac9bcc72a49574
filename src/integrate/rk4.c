/* Classical Runge-Kutta method, 4 stages, order 4, fixed step, as a table of explicit_rk.c. The rate at the end of a step checks the end
 * point and is used for cubic Hermite dense output. */
#include "integrate/explicit_rk.h"

enum { STAGES = 4 };

static const long double A[STAGES + 1][STAGES] = {{0}, {0.5L}, {0, 0.5L}, {0, 0, 1}, {1.0L / 6, 1.0L / 3, 1.0L / 3, 1.0L / 6}};

static const bl_rk_table table = {.stages = STAGES, .A = A[0]};

const bl_integrator_kind bl_integrator_rk4 = {
    .kind = {.name = "rk4", .help = "classical Runge-Kutta method, order 4, fixed step", .needs = BL_CAN_RATE, .gives = BL_DENSE},
    .order = 4,
    .dense_order = 3,
    .rk = &table,
    BL_RK_SLOTS,
};
