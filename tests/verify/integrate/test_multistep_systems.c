/* Multistep methods on systems in the run loop: second order directly and reduced to first order, constraints, events, one factorization
 * per matrix if equations are linear. */
#include "equations/function_private.h"
#include "study/simulation.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct subject {
    bl_context *ctx;
    bl_system *sys;
    bl_state state;
    bl_simulation *sim;
} subject;

static void begin(subject *s, const bl_function *function, const double *q0, const double *v0, const double *z0,
                  const bl_simulation_setup *setup) {
    memset(s, 0, sizeof *s);
    s->ctx = test_context(NULL);
    assert_int_equal(bl_function_build(s->ctx, function, &s->sys), BL_OK);
    assert_int_equal(bl_state_create(s->sys, 0, &s->state), BL_OK);
    for (bl_index i = 0; i < function->nq; i++) {
        s->state.q[i] = q0[i];
        s->state.v[i] = v0[i];
    }
    for (bl_index i = 0; i < function->nz; i++)
        s->state.z[i] = z0[i];
    if (bl_simulation_create(s->sys, &s->state, setup, &s->sim) != BL_OK)
        fail_msg("%s: %s", setup->integrator, bl_context_error(s->ctx)->what);
}

static void end(subject *s) {
    bl_simulation_destroy(s->sim);
    bl_state_destroy(s->sys, &s->state);
    bl_system_destroy(s->sys);
    test_context_end(s->ctx);
}

static void advance_to_end(subject *s, double t_end) {
    while (*s->sim->state.t < t_end)
        if (bl_simulation_advance(s->sim) != BL_OK)
            fail_msg("t = %g: %s", *s->sim->state.t, bl_context_error(s->ctx)->what);
}

/* ---- (q, v) directly and as four first-order states: an elastic pendulum with damping and a driven point */

static int pendulum_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user;
    (void)z;
    (void)f;
    double x = q[0] - 0.1 * sin(3 * t), length = hypot(x, q[1]), pull = 40 * (length - 1) / length;
    Q[0] = -pull * x - 0.2 * v[0];
    Q[1] = -pull * q[1] - 9.81 - 0.2 * v[1];
    return 0;
}

static int reduced_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)q;
    (void)v;
    (void)Q;
    f[0] = z[2];
    f[1] = z[3];
    return pendulum_force(user, t, z, z + 2, NULL, f + 2, NULL);
}

static void second_order_systems__step_as_their_reduction(void **state) {
    (void)state;
    static const char *const specs[] = {
        "trapezoidal:newton_tolerance=1e-13",         "bdf:3,newton_tolerance=1e-13",           "ndf:2,start=ramp,newton_tolerance=1e-13",
        "ebdf:4,start=ramp,newton_tolerance=1e-13",   "mebdf:3,newton_tolerance=1e-13",         "mendf:4,newton_tolerance=1e-13",
        "menbdf:3,start=ramp,newton_tolerance=1e-13", "bdf_alpha:-0.35,newton_tolerance=1e-13", "park:newton_tolerance=1e-13"};
    const double q0[] = {0.8, -0.7}, v0[] = {0, 0.5}, z0[] = {0.8, -0.7, 0, 0.5};
    bl_function two = {.nq = 2, .force = pendulum_force}, four = {.nz = 4, .force = reduced_force};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        subject a, b;
        bl_simulation_setup setup = {.formulation = "plain", .integrator = specs[i], .t_end = 2, .step = 0.02};
        begin(&a, &two, q0, v0, NULL, &setup);
        begin(&b, &four, NULL, NULL, z0, &setup);
        double worst = 0;
        for (int step = 0; step < 100; step++) {
            assert_int_equal(bl_simulation_advance(a.sim), BL_OK);
            assert_int_equal(bl_simulation_advance(b.sim), BL_OK);
            for (int c = 0; c < 2; c++) {
                worst = fmax(worst, fabs(a.sim->state.q[c] - b.sim->state.z[c]));
                worst = fmax(worst, fabs(a.sim->state.v[c] - b.sim->state.z[2 + c]) / 5);
            }
        }
        if (!(worst < 1e-10)) /* 100 steps, each with Newton to 1e-13 of values up to 5, twice */
            fail_msg("%s: differs by %.3g", specs[i], worst);
        assert_int_equal(a.sim->integ->stats.rejections + b.sim->integ->stats.rejections, 0);
        end(&a);
        end(&b);
    }
}

/* ---- constraints: a bead on a circle, x^2 + y^2 = 1, with a known solution that the formula does not reproduce exactly */

static const double TURN = 1.3;

static int bead_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user;
    (void)t;
    (void)q;
    (void)v;
    (void)z;
    (void)f;
    Q[0] = Q[1] = 0;
    return 0;
}

static int bead_constraint(void *user, double t, const double *q, double *phi) {
    (void)user;
    (void)t;
    phi[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1);
    return 0;
}

static int bead_jacobian(void *user, double t, const double *q, double *G) {
    (void)user;
    (void)t;
    G[0] = q[0];
    G[1] = q[1];
    return 0;
}

static int bead_exact(void *user, double t, double *q, double *v, double *z) {
    (void)user;
    (void)z;
    q[0] = cos(TURN * t);
    q[1] = sin(TURN * t);
    v[0] = -TURN * q[1];
    v[1] = TURN * q[0];
    return 0;
}

/* largest errors of positions at the end, and of the constraint during the run */
static double bead_error(const char *formulation, const char *integrator, double h, double *drift) {
    bl_function bead = {.nq = 2,
                        .np = 1,
                        .promise = BL_FN_NO_T | BL_FN_NO_V | BL_FN_STATIC,
                        .force = bead_force,
                        .constraint = bead_constraint,
                        .jacobian = bead_jacobian,
                        .exact = bead_exact};
    const double q0[] = {1, 0}, v0[] = {0, TURN};
    bl_simulation_setup setup = {.formulation = formulation, .integrator = integrator, .t_end = 2, .step = h};
    subject s;
    double q[2], v[2], error = 0;
    begin(&s, &bead, q0, v0, NULL, &setup);
    *drift = 0;
    while (*s.sim->state.t < 2) {
        assert_int_equal(bl_simulation_advance(s.sim), BL_OK);
        *drift = fmax(*drift, fabs(hypot(s.sim->state.q[0], s.sim->state.q[1]) - 1));
        bead_exact(NULL, *s.sim->state.t, q, v, NULL);
        error = fmax(error, hypot(s.sim->state.q[0] - q[0], s.sim->state.q[1] - q[1]));
    }
    end(&s);
    return error;
}

/* ggl: the orders of plain equations. index3: velocities along the gradients are differences of positions, so the rates at the predictors
 * are an order worse, and the extended families have order k. lagrange: the history survives projections. */
static void constrained_systems__keep_the_order_and_the_constraint(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        int index3, ggl;
    } cases[] = {{"bdf:1", 1, 1},    {"bdf:2", 2, 2},    {"bdf:3", 3, 3},   {"bdf:4", 4, 4},   {"ndf:2", 2, 2},
                 {"ndf:3", 3, 3},    {"ebdf:2", 2, 3},   {"ebdf:3", 3, 4},  {"mebdf:2", 2, 3}, {"mebdf:3", 3, 4},
                 {"mebndf:3", 3, 4}, {"menbdf:3", 3, 4}, {"mendf:2", 2, 3}, {"mendf:3", 3, 4}, {"park", 2, 2}};
    static const char *const formulations[] = {"index3", "ggl", "lagrange"};
    for (size_t f = 0; f < 3; f++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            char spec[80];
            snprintf(spec, sizeof spec, "%s%sstart=exact,newton_tolerance=1e-13", cases[i].spec, strchr(cases[i].spec, ':') ? "," : ":");
            double drift, coarse = bead_error(formulations[f], spec, 0.04, &drift), fine = bead_error(formulations[f], spec, 0.02, &drift);
            double order = log2(coarse / fine);
            print_message("%s %s: order %.2f, error %.2g, drift %.2g\n", formulations[f], cases[i].spec, order, fine, drift);
            assert_true(order > (f ? cases[i].ggl : cases[i].index3) - 0.3);
            assert_true(drift < (f < 2 ? 1e-11 : 1.01e-6)); /* lagrange drifts until it is projected */
        }
}

/* ---- linear equations: one factorization for each distinct coefficient of y' */

static int chain_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user;
    (void)z;
    (void)f;
    for (int i = 0; i < 3; i++)
        Q[i] = -20 * (2 * q[i] - (i ? q[i - 1] : 0) - (i < 2 ? q[i + 1] : 0)) - 0.1 * v[i] + (i == 0 ? sin(3 * t) : 0);
    return 0;
}

static int chain_tangent(void *user, double t, const double *q, const double *v, const double *z, double *dx, double *dv) {
    (void)user;
    (void)t;
    (void)q;
    (void)v;
    (void)z;
    for (int i = 0; i < 3; i++) {
        dx[3 * i + i] = -40;
        dv[3 * i + i] = -0.1;
        if (i < 2)
            dx[3 * i + i + 1] = dx[3 * (i + 1) + i] = 20;
    }
    return 0;
}

static void linear_systems__need_one_factorization_per_matrix(void **state) {
    (void)state;
    /* distinct matrices of the formula; one more for the trapezoidal start */
    static const struct {
        const char *spec;
        long matrices, solves; /* solves per step */
    } cases[] = {{"trapezoidal", 1, 1}, {"bdf:1", 1, 1},   {"bdf:3", 2, 1},   {"ndf:2", 2, 1},  {"bdf_alpha:-0.35", 2, 1},
                 {"park", 2, 1},        {"mebdf:3", 2, 3}, {"mebdf:1", 1, 3}, {"ebdf:3", 3, 3}, {"mendf:3", 3, 3},
                 {"endf:3", 3, 3},      {"ebndf:3", 4, 3}, {"enbdf:4", 4, 3}};
    bl_function chain = {.nq = 3, .promise = BL_FN_LINEAR, .force = chain_force, .tangent = chain_tangent};
    const double q0[] = {0.1, 0, 0}, v0[] = {0, 0, 1};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bl_simulation_setup setup = {.formulation = "plain", .integrator = cases[i].spec, .t_end = 2, .step = 0.02};
        subject s;
        begin(&s, &chain, q0, v0, NULL, &setup);
        assert_true(s.sim->form->linear);
        bl_formulation_stats before = s.sim->form->stats;
        advance_to_end(&s, 2);
        const bl_formulation_stats *after = &s.sim->form->stats;
        long factors = after->factors + after->refactors - before.factors - before.refactors, solves = after->solves - before.solves;
        if (factors != cases[i].matrices)
            fail_msg("%s: %ld factorizations instead of %ld", cases[i].spec, factors, cases[i].matrices);
        assert_true(solves <= cases[i].solves * 100);
        end(&s);
    }
}

/* ---- events and dense output: an oscillator cos t, with events where it passes zero */

static int swing_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user;
    (void)t;
    (void)v;
    (void)z;
    (void)f;
    Q[0] = -q[0];
    return 0;
}

static int swing_event(void *user, double t, const double *q, const double *v, const double *z, double *event) {
    (void)user;
    (void)t;
    (void)v;
    (void)z;
    event[0] = q[0];
    return 0;
}

static int swing_exact(void *user, double t, double *q, double *v, double *z) {
    (void)user;
    (void)z;
    q[0] = cos(t);
    v[0] = -sin(t);
    return 0;
}

/* error of the time of the first event, and of the state at t = 2.5 after the restart there */
static void swing_errors(const char *integrator, double h, double *of_event, double *after) {
    bl_function swing = {.nq = 1, .force = swing_force, .event = swing_event, .nevent = 1, .exact = swing_exact};
    const double q0[] = {1}, v0[] = {0};
    bl_simulation_setup setup = {.formulation = "plain", .integrator = integrator, .t_end = 2.5, .step = h};
    subject s;
    int events = 0;
    begin(&s, &swing, q0, v0, NULL, &setup);
    while (*s.sim->state.t < 2.5) {
        bl_status status = bl_simulation_advance(s.sim);
        assert_true(status == BL_OK || status == BL_EVENT);
        if (status == BL_EVENT) {
            *of_event = fabs(*s.sim->state.t - acos(0));
            assert_true(fabs(s.sim->state.q[0]) < 1e-10);
            events++;
        }
    }
    assert_int_equal(events, 1);
    assert_int_equal(s.sim->integ->stats.restarts, 1);
    *after = hypot(s.sim->state.q[0] - cos(2.5), s.sim->state.v[0] + sin(2.5));
    end(&s);
}

/* exact starts, also after the event, keep the method's order; halving h twice makes it visible despite the irregular position of the last
 * step */
static void events__are_found_at_the_order_of_the_method(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        int order;
    } cases[] = {{"trapezoidal:newton_tolerance=1e-13", 2},
                 {"bdf:3,start=exact,newton_tolerance=1e-13", 3},
                 {"ebdf:2,start=exact,newton_tolerance=1e-13", 3},
                 {"mendf:3,start=exact,newton_tolerance=1e-13", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double event[2], after[2];
        swing_errors(cases[i].spec, 0.04, &event[0], &after[0]);
        swing_errors(cases[i].spec, 0.01, &event[1], &after[1]);
        double order = log2(event[0] / event[1]) / 2, order_after = log2(after[0] / after[1]) / 2;
        print_message("%s: event %.2g, order %.2f; after it %.2g, order %.2f\n", cases[i].spec, event[1], order, after[1], order_after);
        assert_true(order > cases[i].order - 0.4);
        assert_true(order_after > cases[i].order - 0.4);
    }
}

/* without a known solution a restart costs the order of the trapezoidal start, 3, and no more */
static void restarts__behind_events_keep_the_order_of_the_start(void **state) {
    (void)state;
    double event[2], after[2];
    swing_errors("mendf:3,newton_tolerance=1e-13", 0.04, &event[0], &after[0]);
    swing_errors("mendf:3,newton_tolerance=1e-13", 0.01, &event[1], &after[1]);
    assert_true(log2(after[0] / after[1]) / 2 > 2.6);
}

/* ---- z2' = z2^2 is infinite at t = 1: no step reaches it, and the message names the equation */

static int growth_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user;
    (void)t;
    (void)q;
    (void)v;
    (void)Q;
    f[0] = -z[0];
    f[1] = z[1] * z[1];
    return 0;
}

static void equations__without_a_solution_are_named(void **state) {
    (void)state;
    static const char *const names[] = {"calm", "flood"}, *const specs[] = {"bdf:2", "mebdf:3", "trapezoidal", "endf:2,start=ramp"};
    bl_function growth = {.nz = 2, .force = growth_force, .name = names};
    const double z0[] = {1, 1};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        subject s;
        begin(&s, &growth, NULL, NULL, z0,
              &(bl_simulation_setup){.formulation = "plain", .integrator = specs[i], .t_end = 3, .step = 0.05});
        bl_status status = BL_OK;
        while (status == BL_OK && *s.sim->state.t < 3)
            status = bl_simulation_advance(s.sim);
        assert_int_equal(status, BL_E_NUMERIC);
        assert_true(*s.sim->state.t > 0.8 && *s.sim->state.t < 1.2);
        const bl_error *error = bl_context_error(s.ctx);
        print_message("%s: %s [%s: %s]\n", specs[i], error->what, error->part, error->equation);
        assert_non_null(strstr(error->what, "Newton"));
        assert_true(strstr(error->part, "flood") || strstr(error->equation, "flood"));
        assert_float_equal(error->time, 1, 0.2);
        end(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_order_systems__step_as_their_reduction),
        cmocka_unit_test(constrained_systems__keep_the_order_and_the_constraint),
        cmocka_unit_test(linear_systems__need_one_factorization_per_matrix),
        cmocka_unit_test(equations__without_a_solution_are_named),
        cmocka_unit_test(events__are_found_at_the_order_of_the_method),
        cmocka_unit_test(restarts__behind_events_keep_the_order_of_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
