/* Every integrator of the list with every formulation that accepts it: stops at events, satisfies the constraints between steps,
 * continues after the event, and can be divided into two runs. Refusals have a reason.
 *
 * The pendulum of length 1 falls from rest at (-1, 0): x = 0 at odd multiples of a quarter of the period T = 4 K(1/2) / sqrt(g), with
 * K(1/2) = Gamma(1/4)^2 / (4 sqrt(pi)) = 1.8540746773013719. */
#include "study/run.h"
#include "study/simulation.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char pendulum_text[] =
    "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: bob, points: [{mass: 1, at: [-1, 0]}]}]\n"
    "joints: [{name: pivot, type: revolute, bodies: [ground, bob], at: [0, 0]}]\nprobes: {P: {body: bob, at: [-1, 0]}}\n"
    "simulate: {until: 4, stop: P.x}\n";
static const double quarter = 1.8540746773013719 / 3.1320919526731650; /* K / sqrt(9.81) */

typedef struct swing {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_simulation *sim;
} swing;

static void swing_begin(swing *s) {
    *s = (swing){.ctx = test_context(NULL)};
    assert_int_equal(bl_model_read_text(s->ctx, "pendulum", pendulum_text, strlen(pendulum_text), NULL, 0, &s->model), BL_OK);
    assert_int_equal(bl_run_prepare(s->ctx, s->model, "natural", &s->sys, &s->state), BL_OK);
}

static void swing_end(swing *s) {
    bl_simulation_destroy(s->sim);
    bl_state_destroy(s->sys, &s->state);
    bl_system_destroy(s->sys);
    bl_model_destroy(s->model);
    test_context_end(s->ctx);
}

/* the kind with parameters if they are required */
static const char *spec_of(const bl_integrator_kind *kind) {
    return kind == &bl_integrator_multistep ? "multistep:a=1/2;-2;3/2,b=0;0;1" : kind->kind.name;
}

static bl_simulation_setup setup_of(const bl_integrator_kind *kind, const char *formulation, double step) {
    bool adaptive = kind->kind.gives & BL_ADAPTIVE;
    return (bl_simulation_setup){
        .formulation = formulation, .integrator = spec_of(kind), .t_end = 4, .tolerance = 1e-8, .step = adaptive ? 0 : step};
}

/* false: refused, with a reason and advice */
static bool possible(swing *s, const bl_integrator_kind *kind, const char *formulation, double step) {
    bl_simulation_setup setup = setup_of(kind, formulation, step);
    bl_status status = bl_simulation_create(s->sys, &s->state, &setup, &s->sim);
    if (status == BL_OK)
        return true;
    const bl_error *e = bl_context_error(s->ctx);
    if (status != BL_E_ABILITY)
        fail_msg("%s, %s: %s", kind->kind.name, formulation, e->what);
    if ((!strstr(e->what, kind->kind.name) && !strstr(e->what, formulation)) || !e->advice[0])
        fail_msg("%s, %s is refused with '%s' and the advice '%s'", kind->kind.name, formulation, e->what, e->advice);
    return false;
}

#define FOR_ALL(kind, formulation)                                                                \
    for (size_t k_ = 0; k_ < bl_integrator_kind_count; k_++)                                      \
        for (size_t f_ = 0; f_ < bl_formulation_kind_count; f_++)                                 \
            if (!(bl_formulation_kinds[f_]->kind.gives & BL_COMPLIANT))                           \
                for (const bl_integrator_kind *kind = bl_integrator_kinds[k_]; kind; kind = NULL) \
                    for (const char *formulation = bl_formulation_kinds[f_]->kind.name; formulation; formulation = NULL)

/* ---- events */

typedef struct passage {
    double t[2];            /* of the first and second event */
    double off;             /* largest error of positions between steps */
    double drift, velocity; /* largest between steps */
    double energy;
    long restarts;
} passage;

/* the pendulum by a method of order 8 with a small tolerance, examined together with another one */
typedef struct reference {
    swing s;
} reference;

static void reference_begin(reference *r) {
    swing_begin(&r->s);
    bl_simulation_setup setup = {.formulation = "partition", .integrator = "dop853", .t_end = 4, .tolerance = 1e-13};
    assert_int_equal(bl_simulation_create(r->s.sys, &r->s.state, &setup, &r->s.sim), BL_OK);
}

static void reference_at(reference *r, double t, double *position) {
    bl_sample sample;
    while (*r->s.sim->state.t < t)
        assert_true(bl_simulation_advance(r->s.sim) >= 0);
    assert_int_equal(bl_simulation_sample(r->s.sim, t, &sample), BL_OK);
    memcpy(position, sample.probe, 3 * sizeof *position);
}

/* to the second event; samples at an irregular position in every step. false: refused */
static bool pass(const bl_integrator_kind *kind, const char *formulation, double step, passage *found) {
    swing s;
    reference r;
    swing_begin(&s);
    *found = (passage){0};
    bool can = possible(&s, kind, formulation, step);
    if (can)
        reference_begin(&r);
    for (int event = 0; can && event < 2;) {
        bl_status status = bl_simulation_advance(s.sim);
        if (status != BL_OK && status != BL_EVENT)
            fail_msg("%s, %s: %s", kind->kind.name, formulation, bl_context_error(s.ctx)->what);
        double t = s.sim->t_from + 0.37 * (*s.sim->state.t - s.sim->t_from), position[3];
        bl_sample sample;
        assert_int_equal(bl_simulation_sample(s.sim, t, &sample), BL_OK);
        reference_at(&r, t, position);
        found->off = fmax(found->off, fmax(fabs(sample.probe[0] - position[0]), fabs(sample.probe[1] - position[1])));
        found->drift = fmax(found->drift, sample.drift);
        found->velocity = fmax(found->velocity, sample.velocity_drift);
        found->energy = fmax(found->energy, fabs(sample.energy_error));
        if (status != BL_EVENT)
            continue;
        assert_int_equal(bl_simulation_sample(s.sim, *s.sim->state.t, &sample), BL_OK);
        assert_true(fabs(sample.probe[0]) < 1e-10); /* just after the change of sign, located to 1e-13 */
        assert_true(sample.drift < 1e-8);
        found->t[event++] = *s.sim->state.t;
    }
    if (can) {
        found->restarts = s.sim->integ->stats.restarts;
        swing_end(&r.s);
    }
    swing_end(&s);
    return can;
}

/* Error that a method of this order, and a formulation that may reduce it, makes in a step: errors of times of the pendulum, whose
 * derivatives have the size (g / l)^(p / 2), 30 for order 2. Index 3 has velocities, and therefore the effect of restarts, of order 2. */
static double allowed(const bl_integrator_kind *kind, const char *formulation, double step) {
    static const double constant[] = {0, 0.3, 30, 150, 150};
    if (kind->kind.gives &
        BL_ADAPTIVE) /* a hundred tolerances; steps of order 2 have h^3 = tolerance, and their errors accumulate to tolerance / h */
        return kind->order == 2 ? 10 * pow(1e-8, 2.0 / 3) : 1e-6;
    int most = strcmp(formulation, "index3") == 0 ? 2 : 4, order = kind->order < most ? kind->order : most;
    return constant[order] * pow(step, order);
}

static void events__are_met_as_accurately_as_the_method_moves(void **unused) {
    (void)unused;
    int met = 0;
    FOR_ALL(kind, formulation) {
        for (double step = 0.01; step > 0.004; step /= 2) {
            passage p;
            if (!pass(kind, formulation, step, &p))
                break;
            met += step == 0.01;
            double off = fmax(fabs(p.t[0] - quarter), fabs(p.t[1] - 3 * quarter)), most = allowed(kind, formulation, step);
            if (!(off <= most && p.off <= 5 * most)) /* the bob moves with up to sqrt(2 g) = 4.4 */
                fail_msg("%s, %s, step %g: events off by %g, places by %g", kind->kind.name, formulation, step, off, p.off);
            if (!(p.drift <= 1e-8 && p.velocity <= 1e-8)) /* the tolerance: larger violations are projected, between steps too */
                fail_msg("%s, %s, step %g: drift %g and %g between steps", kind->kind.name, formulation, step, p.drift, p.velocity);
            assert_true(p.restarts >= 1); /* after the first event */
            if (kind->kind.gives & BL_ADAPTIVE)
                break;
        }
    }
    assert_true(met >= 90);
}

/* q'' = -4 q from rest at 1: q = cos 2t is 0 at pi/4 and 3 pi/4 */
static void events__of_systems_without_constraints_are_met_by_every_method(void **unused) {
    (void)unused;
    static const char text[] = "matrices: {K: [[4]], initial: {positions: [1]}}\nsimulate: {until: 4, stop: d1}\n";
    for (size_t k = 0; k < bl_integrator_kind_count; k++) {
        const bl_integrator_kind *kind = bl_integrator_kinds[k];
        swing s = {.ctx = test_context(NULL)};
        bl_sample sample;
        assert_int_equal(bl_model_read_text(s.ctx, "oscillator", text, strlen(text), NULL, 0, &s.model), BL_OK);
        assert_int_equal(bl_run_prepare(s.ctx, s.model, NULL, &s.sys, &s.state), BL_OK);
        if (!possible(&s, kind, "plain", 0.01))
            fail_msg("%s does not step a linear system", kind->kind.name);
        double most = allowed(kind, "plain", 0.01), off = 0;
        for (int event = 0; event < 2;) {
            bl_status status = bl_simulation_advance(s.sim);
            assert_true(status == BL_OK || status == BL_EVENT);
            double t = s.sim->t_from + 0.37 * (*s.sim->state.t - s.sim->t_from);
            assert_int_equal(bl_simulation_sample(s.sim, t, &sample), BL_OK);
            off = fmax(off, fmax(fabs(sample.variable[0] - cos(2 * t)), 0.5 * fabs(sample.variable_rate[0] + 2 * sin(2 * t))));
            if (status == BL_EVENT)
                off = fmax(off, 2 * fabs(*s.sim->state.t - (2 * event++ + 1) * atan(1)));
        }
        if (!(off <= 2 * most))
            fail_msg("%s is off by %g", kind->kind.name, off);
        swing_end(&s);
    }
}

/* if the unknowns are independent coordinates, they change during the run (BL_RESTART): x and y alternate */
static void restarts__of_other_coordinates_keep_the_accuracy(void **unused) {
    (void)unused;
    for (size_t k = 0; k < bl_integrator_kind_count; k++) {
        const bl_integrator_kind *kind = bl_integrator_kinds[k];
        passage p;
        if (!pass(kind, "partition:state=independent", 0.01, &p))
            continue;
        double off = fmax(fabs(p.t[0] - quarter), fabs(p.t[1] - 3 * quarter)), most = allowed(kind, "partition", 0.01);
        assert_true(p.restarts >= 3); /* the event, and at least one change before each */
        if (!(off <= most && p.off <= 5 * most))
            fail_msg("%s: events off by %g, places by %g, %ld restarts", kind->kind.name, off, p.off, p.restarts);
    }
}

/* ---- divided into two runs */

static void go(swing *s, const bl_integrator_kind *kind, const char *formulation, double until, double step) {
    bl_simulation_setup setup = setup_of(kind, formulation, step);
    setup.t_end = until;
    assert_int_equal(bl_simulation_create(s->sys, &s->state, &setup, &s->sim), BL_OK);
    while (*s->sim->state.t < until)
        if (bl_simulation_advance(s->sim) < 0)
            fail_msg("%s, %s: %s", kind->kind.name, formulation, bl_context_error(s->ctx)->what);
    bl_state_copy(s->sys, &s->state, &s->sim->state);
    bl_simulation_destroy(s->sim);
    s->sim = NULL;
}

/* positions at `until` by a run that stops and restarts at `cut` (0: never) */
static void end_of(const bl_integrator_kind *kind, const char *formulation, double cut, double until, double *q) {
    swing s;
    swing_begin(&s);
    if (cut > 0)
        go(&s, kind, formulation, cut, 0.01);
    go(&s, kind, formulation, until, 0.01);
    memcpy(q, s.state.q, 2 * sizeof *q);
    swing_end(&s);
}

static void runs__cut_in_two_end_where_they_end_in_one(void **unused) {
    (void)unused;
    FOR_ALL(kind, formulation) {
        swing s;
        swing_begin(&s);
        bool can = possible(&s, kind, formulation, 0.01);
        swing_end(&s);
        if (!can)
            continue;
        double whole[2], halves[2], most = 5 * allowed(kind, formulation, 0.01);
        end_of(kind, formulation, 0, 1, whole);
        for (double cut = 0.137; cut < 1; cut += 0.31) {
            end_of(kind, formulation, cut, 1, halves);
            double off = hypot(whole[0] - halves[0], whole[1] - halves[1]);
            if (!(off <= most))
                fail_msg("%s, %s, cut at %g: %g apart", kind->kind.name, formulation, cut, off);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events__are_met_as_accurately_as_the_method_moves),
        cmocka_unit_test(events__of_systems_without_constraints_are_met_by_every_method),
        cmocka_unit_test(restarts__of_other_coordinates_keep_the_accuracy),
        cmocka_unit_test(runs__cut_in_two_end_where_they_end_in_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
