#include "support/stiff.h"

#include "integrate/backward.h"

#include <math.h>

static void hires(double t, const double *y, double *rate, void *user) {
    (void)t;
    (void)user;
    double both = 280 * y[5] * y[7];
    rate[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
    rate[1] = 1.71 * y[0] - 8.75 * y[1];
    rate[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
    rate[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
    rate[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
    rate[5] = -both + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
    rate[6] = both - 1.81 * y[6];
    rate[7] = -rate[6];
}

const test_stiff test_hires = {.name = "hires",
                               .ny = 8,
                               .t_end = 321.8122,
                               .weight = 1e-4,
                               .start = {1, 0, 0, 0, 0, 0, 0, 0.0057},
                               .end = {0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
                                       0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2},
                               .f = hires};

static void robertson(double t, const double *y, double *rate, void *user) {
    (void)t;
    (void)user;
    rate[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    rate[2] = 3e7 * y[1] * y[1];
    rate[1] = -rate[0] - rate[2];
}

/* the end by 60000 steps of Taylor's series of order 24 in quadruple precision */
const test_stiff test_robertson = {.name = "robertson",
                                   .ny = 3,
                                   .t_end = 40,
                                   .weight = 1e-6,
                                   .start = {1, 0, 0},
                                   .end = {0.71582706871940505, 9.1855347645577643e-06, 0.28416374574583037},
                                   .f = robertson};

static void van_der_pol(double t, const double *y, double *rate, void *user) {
    (void)t;
    (void)user;
    rate[0] = y[1];
    rate[1] = 1e3 * (1 - y[0] * y[0]) * y[1] - y[0];
}

const test_stiff test_van_der_pol = {.name = "van der pol",
                                     .ny = 2,
                                     .t_end = 2000,
                                     .weight = 1e-3,
                                     .start = {2, 0},
                                     .end = {0.1706167732170483e1, -0.8928097010247975e-3},
                                     .f = van_der_pol};

static void kaps(double t, const double *y, double *rate, void *user) {
    double fast = 1e6;
    (void)t;
    (void)user;
    rate[0] = -(fast + 2) * y[0] + fast * y[1] * y[1];
    rate[1] = y[0] - y[1] * (1 + y[1]);
}

const test_stiff test_kaps = {
    .name = "kaps", .ny = 2, .t_end = 1, .weight = 1, .start = {1, 1}, .end = {0.13533528323661270, 0.36787944117144233}, .f = kaps};

static void shaken(double t, const double *y, double *rate, void *user) {
    (void)user;
    double a = y[0] - sin(t), b = y[1] - sin(t);
    rate[0] = cos(t) - a - 1000 * b;
    rate[1] = cos(t) + 1000 * a - b;
}

const test_stiff test_shaken = {
    .name = "shaken", .ny = 2, .t_end = 10, .weight = 1, .start = {0, 0}, .end = {-0.54402111088936981, -0.54402111088936981}, .f = shaken};

static void pushed(double t, const double *y, double *rate, void *user) {
    (void)user;
    double a = y[0] - sin(t), b = y[1] - sin(t);
    rate[0] = cos(t) - 10 * a - 1000 * b;
    rate[1] = cos(t) + 1000 * a - 10 * b;
}

const test_stiff test_pushed = {.name = "pushed",
                                .ny = 2,
                                .t_end = 10,
                                .weight = 1,
                                .start = {1e-3, 0},
                                .end = {-0.54402111088936981, -0.54402111088936981},
                                .f = pushed};

static void b5(double t, const double *y, double *rate, void *user) {
    (void)t;
    (void)user;
    rate[0] = -10 * y[0] + 1000 * y[1];
    rate[1] = -1000 * y[0] - 10 * y[1];
    rate[2] = -4 * y[2];
    rate[3] = -y[3];
    rate[4] = -0.5 * y[4];
    rate[5] = -0.1 * y[5];
}

/* e^-200, twice, and e^-80, e^-20, e^-10, e^-2 */
const test_stiff test_b5 = {.name = "B5",
                            .ny = 6,
                            .t_end = 20,
                            .weight = 1e-3,
                            .start = {1, 1, 1, 1, 1, 1},
                            .end = {0, 0, 1.8048513878454153e-35, 2.0611536224385579e-9, 4.5399929762484854e-5, 0.13533528323661270},
                            .f = b5};

/* the fourth derivative by differences; beyond a support the deflection goes on mirrored with the other sign */
static void beam(double t, const double *y, double *rate, void *user) {
    enum { POINTS = 20 };
    (void)user;
    double spacing = 1.0 / (POINTS + 1), stiffness = pow(spacing, -4), load = t < 1 ? t * t * (3 - 2 * t) : 1;
    static const double row[5] = {1, -4, 6, -4, 1};
    for (int i = 0; i < POINTS; i++) {
        double sum = 0;
        for (int k = -2; k <= 2; k++) {
            int j = i + k;
            if (j == -1 || j == POINTS)
                continue;
            sum += row[k + 2] * (j < -1 ? -y[-2 - j] : j > POINTS ? -y[2 * POINTS - j] : y[j]);
        }
        rate[i] = y[POINTS + i];
        rate[POINTS + i] = -stiffness * sum + (i == POINTS / 2 ? 100 * load : 0);
    }
}

const test_stiff test_beam = {.name = "beam", .ny = 40, .t_end = 3, .weight = 0.1, .start = {0}, .end = {0}, .f = beam};

static void swing(double t, const double *y, double *rate, void *user) {
    (void)t;
    (void)user;
    rate[0] = y[1];
    rate[1] = -y[0];
}

const test_stiff test_swing = {
    .name = "swing", .ny = 2, .t_end = 20, .weight = 1, .start = {1, 0}, .end = {0.40808206181339196, -0.91294525072762767}, .f = swing};

static void stiff_pendulum(double t, const double *y, double *rate, void *user) {
    (void)t;
    (void)user;
    double length = hypot(y[0], y[1]), pull = 1e6 * (length - 1) / length;
    rate[0] = y[2];
    rate[1] = y[3];
    rate[2] = -pull * y[0];
    rate[3] = -pull * y[1] - 9.81;
}

/* the end by extrapolation of order 12 in extended precision with 20000, 40000 and 80000 steps, that agree to 1e-13 */
const test_stiff test_stiff_pendulum = {.name = "stiff pendulum",
                                        .ny = 4,
                                        .t_end = 2,
                                        .weight = 1e-2,
                                        .start = {1, 0, 0, 0},
                                        .end = {0.79350278087262, -0.60859605452638, 2.10288886699398, 2.74193220658771},
                                        .f = stiff_pendulum};

test_stiff_result test_stiff_run(bl_context *ctx, const test_stiff *problem, const char *spec, double tolerance) {
    test_ode ode;
    bl_integrator *integ = NULL;
    test_stiff_result result = {.status = test_ode_create(ctx, problem->ny, problem->weight, problem->f, NULL, &ode)};
    bl_step_control control = {.t_end = problem->t_end, .tolerance = tolerance};
    if (result.status == BL_OK)
        result.status = bl_integrator_create(ctx, spec, &ode.form, &control, &integ);
    if (result.status == BL_OK)
        result.status = bl_integrator_start(integ, 0, problem->start);
    while (result.status == BL_OK && integ->t < problem->t_end) {
        result.status = bl_integrator_step(integ, NULL);
        int order = integ->kind->kind.gives & BL_VARIABLE_ORDER ? ((const bl_backward *)integ->own)->order_dense : integ->kind->order;
        result.of_order[order]++;
        result.highest = order > result.highest ? order : result.highest;
        result.last = order;
    }
    for (bl_index i = 0; integ && i < problem->ny; i++)
        result.error = fmax(result.error, fabs(integ->y[i] - problem->end[i]) / fmax(fabs(problem->end[i]), problem->weight));
    if (integ) {
        result.steps = integ->stats.steps;
        result.rejections = integ->stats.rejections;
        result.bounded = integ->stats.bounded;
    }
    result.evaluations = ode.form.stats.evaluations;
    result.tangents = ode.form.stats.tangents;
    result.factors = ode.form.stats.factors;
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    return result;
}
