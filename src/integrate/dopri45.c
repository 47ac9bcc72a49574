/* Dormand and Prince's embedded pair 5(4) (1980), as a table of explicit_rk.c. Dense output of
 * order 4 (Shampine 1986; Hairer, Norsett and Wanner, Solving ODEs I, II.6). */
#include "integrate/explicit_rk.h"

#include <math.h>

enum { STAGES = 6 };

static const long double A[STAGES + 1][STAGES] = {{0},
                                                  {1.0L / 5},
                                                  {3.0L / 40, 9.0L / 40},
                                                  {44.0L / 45, -56.0L / 15, 32.0L / 9},
                                                  {19372.0L / 6561, -25360.0L / 2187, 64448.0L / 6561, -212.0L / 729},
                                                  {9017.0L / 3168, -355.0L / 33, 46732.0L / 5247, 49.0L / 176, -5103.0L / 18656},
                                                  {35.0L / 384, 0, 500.0L / 1113, 125.0L / 192, -2187.0L / 6784, 11.0L / 84}};
/* weights of order 5 minus those of order 4 */
static const long double E[STAGES + 1] = {71.0L / 57600, 0, -71.0L / 16695, 71.0L / 1920, -17253.0L / 339200, 22.0L / 525, -1.0L / 40};
/* of the dense output beyond the cubic */
static const long double D[STAGES + 1] = {-12715105075.0L / 11282082432,  0,
                                          87487479700.0L / 32700410799,   -10690763975.0L / 1880347072,
                                          701980252875.0L / 199316789632, -1453857185.0L / 822651844,
                                          69997945.0L / 29380423};

static const bl_rk_table table = {
    .stages = STAGES,
    .A = A[0],
    .error = {{.order = 4, .difference = E}},
    .bends = 1,
    .D = D,
    /* stable up to 1 on the imaginary axis and 3.3 on the negative one */
    .held = {0.9, 2},
    .seen = 4,
};

/* medians of random mechanisms (bench/README.md): 4.9 at 1e-3, 12.7 at 1e-6, 74.6 at 1e-10 */
static double dopri45_effort(double tolerance) { return 1.5 + 0.745 * pow(tolerance, -0.2); }

const bl_integrator_kind bl_integrator_dopri45 = {
    .kind = {.name = "dopri45",
             .help = "Dormand-Prince pair of orders 5 and 4, adaptive step",
             .needs = BL_CAN_RATE,
             .gives = BL_ADAPTIVE | BL_DENSE},
    .order = 5,
    .dense_order = 4,
    .rk = &table,
    BL_RK_SLOTS,
    .fast = bl_rk_fast,
    .effort = dopri45_effort,
    .own_ns = 4,
    .stages = STAGES,
    .held = {1, 2},
};
