/* Bogacki and Shampine's embedded pair 3(2) (A 3(2) pair of Runge-Kutta formulas, Applied Mathematics Letters 2, 1989, 321-325), as a table
 * of explicit_rk.c: three evaluations in a step, for rough tolerances and forces that are not smooth (ode23 of Shampine and Reichelt
 * 1997). The cubic of both ends is of order 3, like the formula. */
#include "integrate/explicit_rk.h"

enum { STAGES = 3 };

static const long double A[STAGES + 1][STAGES] = {{0}, {1.0L / 2}, {0, 3.0L / 4}, {2.0L / 9, 1.0L / 3, 4.0L / 9}};
/* weights of order 3 minus those of order 2: 7/24, 1/4, 1/3, 1/8 */
static const long double E[STAGES + 1] = {-5.0L / 72, 1.0L / 12, 1.0L / 9, -1.0L / 8};

static const bl_rk_table table = {
    .stages = STAGES,
    .A = A[0],
    .error = {{.order = 2, .difference = E}},
    /* stable up to sqrt(3) on the imaginary axis and 2.51 on the negative one; the error of y' = lambda y is (h lambda)^3 / 48 */
    .held = {1.5, 2},
    .seen = 3.6,
};

const bl_integrator_kind bl_integrator_bs23 = {
    .kind = {.name = "bs23",
             .help = "Bogacki-Shampine pair of orders 3 and 2, adaptive step, for rough tolerances (ode23)",
             .needs = BL_CAN_RATE,
             .gives = BL_ADAPTIVE | BL_DENSE},
    .order = 3,
    .dense_order = 3,
    .rk = &table,
    BL_RK_SLOTS,
    .fast = bl_rk_fast,
    .stages = STAGES,
    .held = {1.7, 2.5},
};
