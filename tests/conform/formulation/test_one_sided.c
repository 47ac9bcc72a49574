/* One-sided rows switched on and off between steps, with every formulation: inactive rows are not counted, carry nothing, drift nothing. */
#include "support/bilinear.h"
#include "support/testing.h"

#include "study/simulation.h"

#include <math.h>
#include <string.h>

enum { X, Y, U };
enum { FIRST, SECOND, TRACK, TWICE };

/* A point on a circle about (0, 0) with unit speed until t = 1, then free, until it touches a circle of radius 2 at t = 2.5, where it moves
 * on. Another column is moved with the speed 0.4 (a row of velocities), is free under a force from t = 1 to 2.5 and then moved again. */
static const double LEAVES = 1, ARRIVES = 2.5, END = 4, SPEED = 0.4, PUSH = 0.3, WIDE = 2;

static void circle(test_bilinear *def, double x, double y, double radius) {
    test_bilinear_row *row = test_bilinear_add(def, BL_AT_POSITION);
    row->law = BL_LAW_UNILATERAL;
    test_bilinear_term_add(row, 0.5, X, X);
    test_bilinear_term_add(row, 0.5, Y, Y);
    test_bilinear_term_add(row, -x, -1, X);
    test_bilinear_term_add(row, -y, -1, Y);
    test_bilinear_term_add(row, 0.5 * (x * x + y * y - radius * radius), -1, -1);
}

static double speed_after(double t) { return SPEED + PUSH * (fmin(t, ARRIVES) - LEAVES); }

static test_bilinear subject(void) {
    test_bilinear def = {.n = 3, .mass = {1, 1, 0.5}, .force = {0, 0, 0.5 * PUSH}, .q = {1, 0, 0}, .v = {0, 1, SPEED}};
    /* the second center lies to the left of the motion */
    double from[2] = {cos(LEAVES), sin(LEAVES)}, along[2] = {-sin(LEAVES), cos(LEAVES)}, run = ARRIVES - LEAVES;
    circle(&def, 0, 0, 1);
    circle(&def, from[0] + run * along[0] - WIDE * along[1], from[1] + run * along[1] + WIDE * along[0], WIDE);
    test_bilinear_row *row = test_bilinear_add(&def, BL_AT_VELOCITY);
    row->law = BL_LAW_FRICTION;
    row->speed = SPEED;
    test_bilinear_term_add(row, 1, -1, U);
    circle(&def, 0, 0, 1); /* redundant as long as the first one is active */
    def.inactive[SECOND] = true;
    return def;
}

static void exact(double t, double *q, double *v) {
    double first = fmin(t, LEAVES), free = fmax(fmin(t, ARRIVES) - LEAVES, 0), last = fmax(t - ARRIVES, 0), turned = first + last / WIDE;
    double along[2] = {-sin(first), cos(first)};
    q[X] = cos(first) + free * along[0];
    q[Y] = sin(first) + free * along[1];
    /* on the second circle: center plus radius across the direction */
    if (last > 0) {
        q[X] += -WIDE * along[1] + WIDE * cos(turned);
        q[Y] += WIDE * along[0] + WIDE * sin(turned);
    }
    v[X] = -sin(turned);
    v[Y] = cos(turned);
    q[U] = SPEED * first + free * SPEED + 0.5 * PUSH * free * free + last * (SPEED + PUSH * free);
    v[U] = SPEED + PUSH * free;
}

/* multipliers there: centripetal force, force that holds the speed */
static void exact_multipliers(double t, double *lambda) {
    memset(lambda, 0, 4 * sizeof *lambda);
    if (t < LEAVES)
        lambda[FIRST] = lambda[TWICE] = 0.5; /* shared by equal rows; times G = q */
    if (t > ARRIVES)
        lambda[SECOND] = 1 / (WIDE * WIDE);
    if (t < LEAVES || t > ARRIVES)
        lambda[TRACK] = 0.5 * PUSH;
}

typedef struct switching {
    bl_context *ctx;
    bl_system *sys;
    bl_state start;
    bl_simulation *sim;
} switching;

static void activate(switching *s, bool first, bool second, bool track) {
    test_bilinear_activate(s->sys, FIRST, first);
    test_bilinear_activate(s->sys, TWICE, first);
    test_bilinear_activate(s->sys, SECOND, second);
    test_bilinear_activate(s->sys, TRACK, track);
    s->sim->setup_due = s->sim->restart_due = true;
    s->sim->integ->h_next = 0;
}

static void fail_with(const switching *s, const bl_simulation_setup *setup, const char *where) {
    fail_msg("%s, %s, %s: %s", setup->formulation, setup->integrator, where, bl_context_error(s->ctx)->what);
}

static void check_multipliers(switching *s, const bl_simulation_setup *setup, double tolerance) {
    double lambda[4] = {NAN, NAN, NAN, NAN}, a[3], expected[4];
    double t = *s->sim->state.t;
    bl_formulation *sampler;
    assert_int_equal(bl_formulation_sampler(s->sim->form, &s->sim->state, &sampler), BL_OK);
    assert_int_equal(sampler->kind->accelerations(sampler, &s->sim->state, a, lambda), BL_OK);
    exact_multipliers(t, expected);
    for (int i = 0; i < 4; i++) {
        if (test_bilinear_def(s->sys)->inactive[i] ? lambda[i] != 0 : !(fabs(lambda[i] - expected[i]) < tolerance))
            fail_msg("%s, %s: multiplier %d at t = %g: %g, expected %g", setup->formulation, setup->integrator, i, t, lambda[i],
                     expected[i]);
    }
}

/* steps to t and compares there */
static void advance(switching *s, const bl_simulation_setup *setup, double t, double tolerance) {
    double q[3], v[3], error = 0;
    bl_simulation_set_end(s->sim, t);
    while (*s->sim->state.t < t) {
        bl_status status = bl_simulation_advance(s->sim);
        if (status != BL_OK)
            fail_with(s, setup, "step");
        bl_sample sample;
        assert_int_equal(bl_simulation_sample(s->sim, 0.5 * (s->sim->t_from + *s->sim->state.t), &sample), BL_OK);
        assert_true(sample.drift < 0.1 * tolerance);
        if (s->sim->state.t[0] - s->sim->t_from > 1e-6 && t - *s->sim->state.t > 1e-6)
            check_multipliers(s, setup, 100 * tolerance);
    }
    exact(t, q, v);
    for (int i = 0; i < 3; i++)
        error = fmax(error, fmax(fabs(s->sim->state.q[i] - q[i]), fabs(s->sim->state.v[i] - v[i])));
    if (!(error < tolerance))
        fail_msg("%s, %s: error %g at t = %g", setup->formulation, setup->integrator, error, t);
}

static void run(const char *formulation, const char *integrator, double step, double tolerance) {
    switching s = {.ctx = test_context(NULL)};
    test_bilinear def = subject();
    bl_simulation_setup setup = {.formulation = formulation,
                                 .integrator = integrator,
                                 .t_end = END,
                                 .tolerance = 1e-9,
                                 .step = step,
                                 .h_max = step,
                                 .singular = BL_PASS};
    assert_int_equal(test_bilinear_create(s.ctx, &def, &s.sys, &s.start), BL_OK);
    if (bl_simulation_create(s.sys, &s.start, &setup, &s.sim) != BL_OK)
        fail_with(&s, &setup, "start");
    assert_int_equal(s.sim->form->dof, 1);
    assert_int_equal(s.sim->form->dof_position, 2);
    assert_int_equal(s.sim->form->redundant, 1);
    advance(&s, &setup, LEAVES, tolerance);
    activate(&s, false, false, false);
    advance(&s, &setup, ARRIVES, 2 * tolerance);
    assert_int_equal(s.sim->form->dof, 3);
    assert_int_equal(s.sim->form->dof_position, 3);
    assert_int_equal(s.sim->form->redundant, 0);
    test_bilinear_def(s.sys)->row[TRACK].speed = speed_after(ARRIVES);
    activate(&s, false, true, true);
    advance(&s, &setup, END, 4 * tolerance);
    assert_int_equal(s.sim->form->dof, 1);
    assert_int_equal(s.sim->form->redundant, 0);
    const bl_warning *first;
    bl_index more, warnings = bl_context_warnings(s.ctx, &first, &more);
    if (warnings > 0)
        fail_msg("%s, %s: %s", formulation, integrator, first->text);
    bl_simulation_destroy(s.sim);
    bl_state_destroy(s.sys, &s.start);
    bl_system_destroy(s.sys);
    test_context_end(s.ctx);
}

/* A point on a plane that sticks (gap and slip rows active), slides under a force, lifts off. */
static void stick_slide_lift(const char *formulation, const char *integrator, double step, double tolerance) {
    enum { GAP, SLIP };
    switching s = {.ctx = test_context(NULL)};
    test_bilinear def = {.n = 2, .mass = {2, 2}, .force = {3, -20}};
    test_bilinear_row *row = test_bilinear_add(&def, BL_AT_POSITION);
    row->law = BL_LAW_UNILATERAL;
    test_bilinear_term_add(row, 1, -1, Y);
    row = test_bilinear_add(&def, BL_AT_VELOCITY);
    row->law = BL_LAW_FRICTION;
    test_bilinear_term_add(row, 1, -1, X);
    bl_simulation_setup setup = {.formulation = formulation,
                                 .integrator = integrator,
                                 .t_end = 3,
                                 .tolerance = 1e-9,
                                 .step = step,
                                 .h_max = step,
                                 .singular = BL_PASS};
    assert_int_equal(test_bilinear_create(s.ctx, &def, &s.sys, &s.start), BL_OK);
    if (bl_simulation_create(s.sys, &s.start, &setup, &s.sim) != BL_OK)
        fail_with(&s, &setup, "start");
    const struct {
        double end, force_y, x, y, gap, slip;
        bl_index dof;
        bool stuck, closed;
    } phase[] = {{1, -20, 0, 0, -20, 3, 0, true, true}, {2, -20, 0.75, 0, -20, 0, 1, false, true}, {3, 4, 3, 1, 0, 0, 2, false, false}};
    for (int k = 0; k < 3; k++) {
        double a[2], lambda[2];
        test_bilinear_def(s.sys)->force[Y] = phase[k].force_y;
        test_bilinear_activate(s.sys, SLIP, phase[k].stuck);
        test_bilinear_activate(s.sys, GAP, phase[k].closed);
        if (k > 0) {
            s.sim->setup_due = s.sim->restart_due = true;
            s.sim->integ->h_next = 0;
        }
        bl_simulation_set_end(s.sim, phase[k].end);
        while (*s.sim->state.t < phase[k].end)
            if (bl_simulation_advance(s.sim) != BL_OK)
                fail_with(&s, &setup, "step");
        assert_int_equal(s.sim->form->dof, phase[k].dof);
        assert_int_equal(s.sim->form->redundant, 0);
        assert_float_equal(s.sim->state.q[X], phase[k].x, tolerance);
        assert_float_equal(s.sim->state.q[Y], phase[k].y, tolerance);
        assert_int_equal(s.sim->form->kind->accelerations(s.sim->form, &s.sim->state, a, lambda), BL_OK);
        assert_float_equal(lambda[GAP], phase[k].gap, 1e-4);
        assert_float_equal(lambda[SLIP], phase[k].slip, 1e-4);
        assert_true(phase[k].closed || lambda[GAP] == 0);
        assert_true(phase[k].stuck || lambda[SLIP] == 0);
    }
    bl_simulation_destroy(s.sim);
    bl_state_destroy(s.sys, &s.start);
    bl_system_destroy(s.sys);
    test_context_end(s.ctx);
}

static void contacts__stick_slide_and_lift(void **state) {
    (void)state;
    for (size_t f = 0; f < bl_formulation_kind_count; f++) {
        const bl_formulation_kind *kind = bl_formulation_kinds[f];
        if (kind->index == 0 || !(kind->kind.gives & BL_TAKES_VELOCITY_ROWS))
            continue;
        if (kind->kind.gives & BL_CAN_RATE)
            stick_slide_lift(kind->kind.name, "dop853", 0, 1e-6);
        else if (!(kind->kind.gives & BL_CAN_STAGE))
            stick_slide_lift(kind->kind.name, "series", 0, 1e-6);
        else
            stick_slide_lift(kind->kind.name, "genalpha", 0.01, 1e-6);
    }
}

static void rows__come_and_go_in_every_formulation(void **state) {
    (void)state;
    static const char *const options[] = {"partition:state=independent",
                                          "partition:index=2",
                                          "partition:dense=0",
                                          "projection:at=stage",
                                          "auglag:project=stage",
                                          "auglag:project=step,rows=raw",
                                          "penalty:rows=raw",
                                          "partition:independent=qr",
                                          "partition:independent=svd",
                                          "matrix_r:qr",
                                          "matrix_r:svd",
                                          "projection:weight=identity"};
    for (size_t f = 0; f < bl_formulation_kind_count; f++) {
        const bl_formulation_kind *kind = bl_formulation_kinds[f];
        if (kind->index == 0 || !(kind->kind.gives & BL_TAKES_VELOCITY_ROWS))
            continue;
        const char *name = kind->kind.name;
        print_message("%s\n", name);
        if (kind->kind.gives & BL_CAN_RATE)
            run(name, "dop853", 0, 1e-7);
        if (kind->kind.gives & BL_CAN_COEFFICIENT)
            run(name, "series", 0, 1e-7);
        if (kind->kind.gives & BL_CAN_RATE) {
            run(name, "radau", 0, 1e-7);
        } else if (kind->kind.gives & BL_CAN_STAGE) {
            run(name, "genalpha", 0.005, 1e-3);
            run(name, "bdf", 0.005, 1e-3);
            run(name, "ndf_auto", 0, 1e-5);
        }
    }
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        print_message("%s\n", options[k]);
        run(options[k], "dop853", 0, 1e-7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows__come_and_go_in_every_formulation),
        cmocka_unit_test(contacts__stick_slide_and_lift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
