/* Kutta's second method of order 4 (1901), the 3/8 rule, fixed step. The rate at the end of a step is the first of the next and gives cubic
 * Hermite dense output. */
#include "integrate/explicit_rk.h"

enum { STAGES = 4 };

static const long double A[STAGES + 1][STAGES] = {
    {0}, {1.0L / 3}, {-1.0L / 3, 1}, {1, -1, 1}, {1.0L / 8, 3.0L / 8, 3.0L / 8, 1.0L / 8}, /* the last row: weights */
};

static const bl_rk_table table = {.stages = STAGES, .A = A[0]};

const bl_integrator_kind bl_integrator_kutta38 = {
    .kind = {.name = "kutta38", .help = "Kutta's 3/8 rule, order 4, fixed step", .needs = BL_CAN_RATE, .gives = BL_DENSE},
    .order = 4,
    .dense_order = 3,
    .rk = &table,
    BL_RK_SLOTS,
};
