/* Bogacki and Shampine's embedded pair 3(2) (A 3(2) pair of Runge-Kutta formulas, Applied Mathematics Letters 2, 1989, 321-325), first same
 * as last, local extrapolation, as a table of explicit_rk.c: three evaluations in a step, for rough tolerances and forces that are not
 * smooth (ode23 of Shampine and Reichelt 1997). The cubic of both ends is of order 3, like the formula. */
#include "integrate/explicit_rk.h"

enum { STAGES = 4 };

static const long double C[STAGES] = {0, 1.0L / 2, 3.0L / 4, 1};
static const long double A[STAGES][STAGES - 1] = {{0}, {1.0L / 2}, {0, 3.0L / 4}, {2.0L / 9, 1.0L / 3, 4.0L / 9}};
/* weights of order 3 less those of order 2: 7/24, 1/4, 1/3, 1/8 */
static const long double E[STAGES] = {-5.0L / 72, 1.0L / 12, 1.0L / 9, -1.0L / 8};

static const bl_rk_table table = {
    .stages = STAGES,
    .order = 3,
    .c = C,
    .A = A[0],
    .E = E,
    .exponent = 1.0 / 3,
    /* stable up to sqrt(3) on the imaginary axis and 2.51 on the negative one; the error of y' = lambda y is (h lambda)^3 / 48 */
    .held = {1.5, 2},
    .seen = 3.6,
};

static bl_status bs23_create(bl_integrator *integ) { return bl_rk_create(integ, &table); }

static bl_status bs23_formula(bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)ctx;
    (void)value;
    bl_rk_formula(&table, formula);
    return BL_OK;
}

const bl_integrator_kind bl_integrator_bs23 = {
    .kind = {.name = "bs23",
             .help = "Bogacki-Shampine pair of orders 3 and 2, adaptive step, for rough tolerances (ode23)",
             .needs = BL_CAN_RATE,
             .gives = BL_ADAPTIVE | BL_DENSE},
    .order = 3,
    .dense_order = 3,
    .create = bs23_create,
    BL_RK_SLOTS,
    .formula = bs23_formula,
    .stages = STAGES - 1,
    .held = {1.7, 2.5},
};
