/* Every integrator of the list on every class of system, with the formulation that is chosen for it: it runs and ends where another method
 * ends, or it is refused with a reason, and then every other formulation refuses it too. */
#include "study/plan.h"
#include "study/run.h"
#include "study/simulation.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct system_class {
    const char *name, *scene, *text; /* scene: in SCENES; otherwise the text itself */
    double until;
} system_class;

static const char with_filter[] = "equations:\n  states:\n    - {name: x, start: 1, acceleration: 0}\n"
                                  "    - {name: y, start: 0, acceleration: -9.81}\n    - {name: f, start: 0, rate: \"=30*(x - f)\"}\n"
                                  "  constraints:\n    - {name: rod, value: \"=x^2 + y^2 - 1\"}\n";
static const char with_algebraic[] = "equations:\n  states:\n    - {name: x, start: 1, acceleration: 0}\n"
                                     "    - {name: y, start: 0, acceleration: -9.81}\n    - {name: f, start: 1, algebraic: \"=x - f^3\"}\n"
                                     "  constraints:\n    - {name: rod, value: \"=x^2 + y^2 - 1\"}\n";
static const char algebraic[] =
    "equations:\n  states:\n    - {name: x, start: 1, rate: =-y}\n    - {name: y, start: 1, algebraic: =y - x^2}\n";
static const char falling[] =
    "bodies: [{name: stone, mass: 1, center: [0, 0, 0], inertia: [1, 2, 2.5]}]\ngravity: [0, 0, -9.81]\n"
    "forces: [{type: spring, bodies: [ground, stone], at: [1, 1, 1], to: [0.1, 0, 0], stiffness: 50, length: 1}]\n";
/* a crank of 0.3 m at 5 rad/s, a coupler of 1 m: the slider is at 0.3 cos 5t + sqrt(1 - 0.09 sin^2 5t) */
static const char driven[] = "bodies:\n  - {name: crank, rod: {from: [0, 0, 0], to: [0.3, 0, 0]}, mass: 1}\n"
                             "  - {name: coupler, rod: {from: [0.3, 0, 0], to: [1.3, 0, 0]}, mass: 1}\n"
                             "  - {name: slider, mass: 1, center: [1.3, 0, 0], inertia: [1, 1, 1]}\njoints:\n"
                             "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                             "  - {name: B, type: revolute, bodies: [crank, coupler], at: [0.3, 0, 0], axis: [0, 0, 1]}\n"
                             "  - {name: C, type: revolute, bodies: [coupler, slider], at: [1.3, 0, 0], axis: [0, 0, 1]}\n"
                             "  - {name: D, type: prismatic, bodies: [ground, slider], at: [1.3, 0, 0], axis: [1, 0, 0]}\n"
                             "drivers: [{variable: A.angle, value: =5*t}]\nmeasure: [D.distance]\n";
static const char linear[] = "matrices: {K: [[4, -1], [-1, 3]], initial: {positions: [1, 0]}}\n";
static const char filter[] = "equations:\n  states:\n    - {name: x, start: 1, rate: \"=-3*x + sin(5*t)\"}\n";
static const char oscillator[] = "equations:\n  states:\n    - {name: x, start: 1, acceleration: =-4*x^3}\n";

static const system_class classes[] = {{"plane loop", "four_bar", NULL, 0.05},
                                       {"redundant loop in space", "bricard", NULL, 0.1},
                                       {"loop in space", "spatial_slider_crank", NULL, 0.02},
                                       {"tree in the plane", "double_pendulum", NULL, 0.1},
                                       {"top", "heavy_top", NULL, 0.005},
                                       {"friction by reactions", "friction_slider_crank", NULL, 0.02},
                                       {"free body", NULL, falling, 0.05},
                                       {"constraints and states", NULL, with_filter, 0.05},
                                       {"constraints and algebraic states", NULL, with_algebraic, 0.05},
                                       {"algebraic states", NULL, algebraic, 0.1},
                                       {"first order", NULL, filter, 0.1},
                                       {"second order", NULL, oscillator, 0.1},
                                       {"matrices", NULL, linear, 0.1},
                                       {"constraints of equations", "andrews_equations", NULL, 1e-4}};
static const char *const coordinates[] = {
    "natural", "mixed", "reference", "relative", "reference:angles", "reference:quaternion,view=tangent"};

typedef struct trial {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state;
} trial;

static void trial_begin(trial *t, const system_class *c, const char *kind) {
    char path[256];
    *t = (trial){.ctx = test_context(NULL)};
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, c->scene ? c->scene : "");
    bl_status status = c->scene ? bl_model_read(t->ctx, path, NULL, 0, &t->model)
                                : bl_model_read_text(t->ctx, c->name, c->text, strlen(c->text), NULL, 0, &t->model);
    if (status == BL_OK)
        status = bl_run_prepare(t->ctx, t->model, kind, &t->sys, &t->state);
    if (status != BL_OK)
        fail_msg("%s, %s: %s", c->name, kind, bl_context_error(t->ctx)->what);
}

static void trial_end(trial *t) {
    bl_state_destroy(t->sys, &t->state);
    bl_system_destroy(t->sys);
    bl_model_destroy(t->model);
    test_context_end(t->ctx);
}

static const char *spec_of(const bl_integrator_kind *kind) {
    return kind == &bl_integrator_multistep ? "multistep:a=1/2;-2;3/2,b=0;0;1" : kind->kind.name;
}

enum { VARIABLES = 64 };

/* variables at the end; a refusal is returned */
static bl_status run(trial *t, const system_class *c, const char *formulation, const char *integrator, double tolerance, double *end) {
    const bl_integrator_kind *kind = bl_integrator_kind_of(integrator);
    bl_simulation_setup setup = {.formulation = formulation, .integrator = integrator, .t_end = c->until, .tolerance = tolerance};
    setup.step = kind->kind.gives & BL_ADAPTIVE ? 0 : c->until / 50;
    bl_simulation *sim;
    bl_status status = bl_simulation_create(t->sys, &t->state, &setup, &sim);
    if (status != BL_OK)
        return status;
    while (status == BL_OK && *sim->state.t < c->until)
        status = bl_simulation_advance(sim);
    bl_sample sample;
    if (status == BL_OK)
        status = bl_simulation_sample(sim, c->until, &sample);
    for (bl_index i = 0; status == BL_OK && i < t->model->nvariable && i < VARIABLES; i++)
        end[i] = sample.variable[i];
    bl_simulation_destroy(sim);
    return status;
}

/* whether some formulation of the list accepts it */
static bool any_takes(trial *t, const system_class *c, const char *integrator, const char **which) {
    double end[VARIABLES];
    bl_error kept = *bl_context_error(t->ctx);
    for (size_t f = 0; f < bl_formulation_kind_count; f++) {
        *which = bl_formulation_kinds[f]->kind.name;
        if (!(bl_formulation_kinds[f]->kind.gives & BL_COMPLIANT) && run(t, c, *which, integrator, 1e-6, end) == BL_OK)
            return true;
    }
    bl_fail(t->ctx, kept.status, NULL, "%s", kept.what);
    return false;
}

static int runs, refusals;

static void every_integrator(trial *t, const system_class *c, const char *kind_of_coordinates) {
    double reference[VARIABLES] = {0}, end[VARIABLES] = {0};
    const char *by = bl_plan_integrator(t->sys, NULL, NULL, 1e-10), *form = bl_plan_formulation(t->sys, NULL, by, 1e-10);
    if (run(t, c, form, by, 1e-10, reference) != BL_OK)
        fail_msg("%s, %s: %s", c->name, kind_of_coordinates, bl_context_error(t->ctx)->what);
    for (size_t k = 0; k < bl_integrator_kind_count; k++) {
        const char *integrator = spec_of(bl_integrator_kinds[k]), *formulation, *other = NULL;
        formulation = bl_plan_formulation(t->sys, NULL, bl_plan_integrator(t->sys, integrator, NULL, 1e-7), 1e-7);
        bl_status status = run(t, c, formulation, integrator, 1e-7, end);
        const bl_error *e = bl_context_error(t->ctx);
        if (status != BL_OK && status != BL_E_ABILITY)
            fail_msg("%s, %s, %s, %s: %s", c->name, kind_of_coordinates, formulation, integrator, e->what);
        if (status == BL_E_ABILITY) {
            refusals++;
            if (!e->what[0] || !e->advice[0])
                fail_msg("%s, %s, %s: refused with '%s', advice '%s'", c->name, kind_of_coordinates, integrator, e->what, e->advice);
            if (any_takes(t, c, integrator, &other))
                fail_msg("%s, %s: %s is refused with %s, but %s takes it", c->name, kind_of_coordinates, integrator, formulation, other);
            continue;
        }
        runs++;
        /* fifty steps of order 1, the lowest of all, over parts of motions with second derivatives of 1 in units of the variables */
        for (bl_index i = 0; i < t->model->nvariable && i < VARIABLES; i++)
            if (!(fabs(end[i] - reference[i]) <= 5e-3 * fmax(1, fabs(reference[i]))))
                fail_msg("%s, %s, %s, %s: variable %d ends at %.9g, not %.9g", c->name, kind_of_coordinates, formulation, integrator,
                         (int)i, end[i], reference[i]);
    }
}

/* nothing moves by itself: stages of a too large first step do not converge, and a shorter one is needed */
static void fully_driven_loops__are_followed_by_coupled_stages(void **unused) {
    (void)unused;
    static const char *const formulations[] = {"partition", "lagrange", "projection"};
    const system_class c = {"driven loop", NULL, driven, 1};
    double exact = 0.3 * cos(5) + sqrt(1 - 0.09 * sin(5) * sin(5)) - 1.3, end[VARIABLES] = {0};
    for (size_t k = 0; k < sizeof coordinates / sizeof *coordinates; k++)
        for (size_t f = 0; f < 3; f++) {
            trial t;
            trial_begin(&t, &c, coordinates[k]);
            if (run(&t, &c, formulations[f], "radau", 1e-6, end) != BL_OK)
                fail_msg("%s, %s: %s", coordinates[k], formulations[f], bl_context_error(t.ctx)->what);
            bl_index distance = 0;
            while (distance < t.model->nvariable && strcmp(t.model->variable[distance].name, "D.distance") != 0)
                distance++;
            if (!(fabs(end[distance] - exact) <= 1e-4))
                fail_msg("%s, %s: the slider ends at %.9g, not %.9g", coordinates[k], formulations[f], end[distance], exact);
            trial_end(&t);
        }
}

static void every_integrator__works_with_the_formulation_chosen_for_it(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const system_class *c = &classes[i];
        bool bodies = !c->text || c->text == falling;
        bodies = bodies && !(c->scene && strstr(c->scene, "equations"));
        for (size_t k = 0; k < (bodies ? sizeof coordinates / sizeof *coordinates : 1); k++) {
            trial t;
            trial_begin(&t, c, coordinates[k]);
            every_integrator(&t, c, coordinates[k]);
            trial_end(&t);
        }
    }
    print_message("%d runs, %d refusals\n", runs, refusals);
    assert_true(runs > 900);
}

/* the automatic choice refused it on every mechanism with joints */
static void radau__takes_constrained_mechanisms_in_every_kind_of_coordinates(void **unused) {
    (void)unused;
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < sizeof coordinates / sizeof *coordinates; k++) {
            trial t;
            double end[VARIABLES], reference[VARIABLES];
            trial_begin(&t, &classes[i], coordinates[k]);
            const char *formulation = bl_plan_formulation(t.sys, NULL, "radau", 1e-9);
            if (run(&t, &classes[i], formulation, "radau", 1e-9, end) != BL_OK)
                fail_msg("%s, %s, %s: %s", classes[i].name, coordinates[k], formulation, bl_context_error(t.ctx)->what);
            assert_int_equal(run(&t, &classes[i], "lagrange", "dop853", 1e-11, reference), BL_OK);
            for (bl_index j = 0; j < t.model->nvariable && j < VARIABLES; j++)
                if (!(fabs(end[j] - reference[j]) <= 1e-7 * fmax(1, fabs(reference[j]))))
                    fail_msg("%s, %s: variable %d ends at %.12g, not %.12g", classes[i].name, coordinates[k], (int)j, end[j], reference[j]);
            trial_end(&t);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fully_driven_loops__are_followed_by_coupled_stages),
                                       cmocka_unit_test(every_integrator__works_with_the_formulation_chosen_for_it),
                                       cmocka_unit_test(radau__takes_constrained_mechanisms_in_every_kind_of_coordinates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
