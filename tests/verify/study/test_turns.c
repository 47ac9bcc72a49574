/* Full revolutions of angles belong to the motion, independent of coordinates, method, step size and output times. Motions known by hand,
 * in every kind of coordinates. */
#include "support/testing.h"

#include "biela/biela.h"
#include "coords/coords.h"
#include "study/run.h"
#include "study/simulation.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double W = 300; /* rad/s */
#ifndef TURNS_UNTIL
#define TURNS_UNTIL 0.09 /* s; the long test has more */
#endif

/* one angle of a motion; off: allowed error in 1 s, at the tolerances below */
typedef struct motion {
    const char *name, *text, *variable;
    double (*exact)(double t);
} motion;

static double turning(double t) { return W * t; }
static double slowed(double t) { return W / 2 * (1 - exp(-2 * t)); }
static double returning(double t) { return W / 8 * sin(8 * t); } /* a torsion spring */
static double opposite(double t) { return -3 * W * t; }
static double apart(double t) { return 1.5 * W * t; }
static double geared(double t) { return -2.5 * W * t; }

/* radius of inertia^2 0.02, mass 2 on a pitch of 0.05 */
static double jacked(double t) {
    double h = 0.05 / (2 * PI);
    return -0.5 * 2 * 90 * h / (0.02 + 2 * h * h) * t * t;
}

/* tan(out) = cos 40 deg tan(in) with the arm of the first shaft normal to the plane of both, with the same full revolutions as `in` */
static double hooked(double t) {
    double in = 0.5 * W * t, turns = floor(in / (2 * PI) + 0.5);
    return 2 * PI * turns + atan2(cos(40 * PI / 180) * sin(in - 2 * PI * turns), cos(in - 2 * PI * turns));
}

#define DISC2 "dimension: 2\nbodies: [{name: d, mass: 1, inertia: 2, center: [0.3, 0.1]}]\n"
#define HINGE2 "joints: [{name: h, type: revolute, bodies: [ground, d], at: [0.3, 0.1]}]\n"
#define DISC3 "bodies: [{name: d, mass: 1, inertia: [1, 1.2, 1.5], center: [0.3, 0.1, 0.2]}]\n"
#define HINGE3 "joints: [{name: h, type: revolute, bodies: [ground, d], at: [0.3, 0.1, 0.2], axis: [0, 0, 1]}]\n"
#define AXLES \
    "bodies: [{name: a, mass: 1, inertia: [1, 1.2, 1.5], center: [0, 0, 0]}, {name: b, mass: 1, inertia: [1, 1, 2], center: [0, 0, 1]}]\n"

static const motion motions[] = {
    {"disc in the plane", DISC2 HINGE2 "initial: {h.rate: 300}\n", "h.angle", turning},
    {"disc in space", DISC3 HINGE3 "initial: {h.rate: 300}\n", "h.angle", turning},
    {"disc about a tilted axis",
     "bodies: [{name: d, mass: 1, inertia: [1.3, 1.3, 1.3], center: [0, 0, 0]}]\n"
     "joints: [{name: h, type: revolute, bodies: [d, ground], at: [0, 0, 0], axis: [1, 2, -2]}]\ninitial: {h.rate: 300}\n",
     "h.angle", turning},
    {"slowed disc", DISC3 HINGE3 "forces: [{type: friction, variable: h.angle, viscous: 3}]\ninitial: {h.rate: 300}\n", "h.angle", slowed},
    {"slowed disc by a torque that reads no angle",
     DISC3 HINGE3 "forces: [{type: torque, body: d, torque: [0, 0, =-900*exp(-2*t)]}]\ninitial: {h.rate: 300}\n", "h.angle", slowed},
    {"disc on a torsion spring",
     DISC2 HINGE2 "forces: [{type: rotational_spring, variable: h.angle, stiffness: 128}]\ninitial: {h.rate: 300}\n", "h.angle", returning},
    {"two axles and a hinge between them",
     AXLES "joints: [{name: h, type: revolute, bodies: [ground, a], at: [0,0,0], axis: [0,0,1]},\n"
           " {name: g, type: revolute, bodies: [ground, b], at: [0,0,1], axis: [0,0,1]},\n"
           " {name: k, type: revolute, bodies: [a, b], at: [0,0,1], axis: [0,0,1], cut: true}]\ninitial: {h.rate: 600, g.rate: -300}\n",
     "k.angle", opposite},
    {"a disc on a disc in the plane",
     "dimension: 2\nbodies: [{name: a, mass: 1, inertia: 1, center: [0,0]}, {name: b, mass: 1, inertia: 2, center: [0,0]}]\n"
     "joints: [{name: h, type: revolute, bodies: [ground, a], at: [0,0]}, {name: k, type: revolute, bodies: [b, a], at: [0,0]}]\n"
     "initial: {h.rate: 600, k.rate: 450}\n",
     "k.angle", apart},
    {"gears",
     AXLES "joints: [{name: h, type: revolute, bodies: [ground, a], at: [0,0,0], axis: [0,0,1]},\n"
           " {name: g, type: revolute, bodies: [ground, b], at: [0,0,1], axis: [0,0,1]},\n"
           " {name: k, type: gear, first: h.angle, second: g.angle, ratio: -2.5}]\ninitial: {h.rate: 300}\n",
     "g.angle", geared},
    {"screw jack",
     "gravity: [0, 0, -90]\nbodies: [{name: s, mass: 1, inertia: [0.1, 0.1, 0.02], center: [0,0,0]},\n"
     " {name: n, mass: 2, inertia: [1, 1, 1], center: [0,0,0.5]}]\n"
     "joints: [{name: h, type: revolute, bodies: [s, ground], at: [0,0,0], axis: [0,0,1]},\n"
     " {name: p, type: prismatic, bodies: [ground, n], at: [0,0,0.5], axis: [0,0,1]},\n"
     " {name: k, type: screw, bodies: [s, n], at: [0,0,0.5], axis: [0,0,1], pitch: 0.05}]\n",
     "h.angle", jacked},
    {"three angles of a ball joint",
     "bodies: [{name: b, mass: 1, inertia: [1, 1, 1.7], center: [0, 0, 0]}]\n"
     "joints: [{name: s, type: spherical, bodies: [ground, b], at: [0,0,0], angles: true}]\n"
     "initial: {b: {angular_velocity: [0, 0, 300]}}\n",
     "s.angle1", turning},
    {"universal joint",
     "parameters: {c: =cos(40*deg), s: =sin(40*deg)}\n"
     "bodies: [{name: a, mass: 1, inertia: [1, 1, 2], center: [0, 0, -1]},\n"
     " {name: b, mass: 1, inertia: [1, 1, 1], center: [0, =s, =c]}]\n"
     "joints: [{name: h, type: revolute, bodies: [ground, a], at: [0,0,-1], axis: [0,0,1]},\n"
     " {name: u, type: universal, bodies: [a, b], at: [0,0,0], axis: [1,0,0], axis_b: [0, =c, =-s]},\n"
     " {name: k, type: cylindrical, bodies: [ground, b], at: [0, =s, =c], axis: [0, =s, =c]}]\n"
     "drivers: [{variable: h.angle, value: =150*t}]\n",
     "k.angle", hooked},
};
enum { MOTIONS = sizeof motions / sizeof *motions };

/* ---- runs */

typedef struct watch {
    const motion *m;
    bl_index variable;
    long samples;
    double worst, at, last;
} watch;

static bl_status begin(void *user, const bl_run_info *info) {
    watch *w = user;
    w->variable = -1;
    for (bl_index i = 0; i < info->nvariable; i++)
        if (strcmp(info->variable[i], w->m->variable) == 0)
            w->variable = i;
    assert_true(w->variable >= 0);
    return BL_OK;
}

static bl_status see(void *user, const bl_sample *sample) {
    watch *w = user;
    double off = fabs(sample->variable[w->variable] - w->m->exact(sample->t));
    if (!(off <= w->worst)) {
        w->worst = off;
        w->at = sample->t;
    }
    w->last = sample->t;
    w->samples++;
    return BL_OK;
}

static bl_model *read_text(bl_context *ctx, const char *text) {
    bl_model *model = NULL;
    if (bl_model_read_text(ctx, "turns", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    return model;
}

/* impossible combinations are refused; in all others every revolution is counted */
static bool counts(const motion *m, const bl_run_options *options, double allowed) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, m->text);
    watch w = {.m = m};
    bl_sink sink = {.user = &w, .begin = begin, .sample = see};
    bl_status status = bl_simulate(ctx, model, options, &sink, 1, NULL);
    const char *words = bl_context_error(ctx)->what;
    if (status != BL_OK && status != BL_E_ABILITY)
        fail_msg("%s, %s, %s: %s", m->name, options->coordinates, options->integrator, words);
    if (status == BL_OK && !(w.worst < allowed))
        fail_msg("%s, %s, %s, %s: off by %g at t = %g", m->name, options->coordinates, options->formulation ? options->formulation : "",
                 options->integrator, w.worst, w.at);
    bl_model_destroy(model);
    test_context_end(ctx);
    return status == BL_OK;
}

static const char *const all[] = {"natural",          "mixed",
                                  "reference",        "reference:matrix",
                                  "reference:angles", "reference:view=tangent",
                                  "relative",         "reference:matrix,view=tangent"};
enum { ALL = sizeof all / sizeof *all };

/* In 1 s, 300 rad: the phase of a rotating vector has an error of about 300 times the tolerance per radian. */
static void angle__counts_turns_in_every_coordinates(void **state) {
    const motion *m = *state;
    for (int c = 0; c < ALL; c++) {
        static const double every[] = {1, 0.013};
        for (int k = 0; k < 2; k++) {
            bl_run_options options = {
                .coordinates = all[c], .integrator = "dopri45", .until = TURNS_UNTIL, .tolerance = 1e-6, .every = every[k]};
            assert_true(counts(m, &options, 0.1));
        }
        bl_run_options steps = {.coordinates = all[c], .integrator = "dop853", .until = TURNS_UNTIL, .tolerance = 1e-8, .every_step = true};
        assert_true(counts(m, &steps, 1e-2));
    }
}

/* If the coordinates rotate with the body fixed steps must be short: h^2/12 of the phase, with cubed rates of gears. */
static void angle__counts_turns_by_every_method(void **state) {
    const motion *m = *state;
    int done = 0;
    for (int c = 0; c < ALL; c++) {
        bl_run_options options = {.coordinates = all[c], .until = TURNS_UNTIL, .tolerance = 1e-7, .every = 0.007};
        static const char *const methods[] = {"series", "abm", "radau"};
        for (int i = 0; i < (m->exact == hooked ? 2 : 3); i++) { /* radau needs a motion to integrate: this one is prescribed */
            options.integrator = methods[i];
            done += counts(m, &options, 0.05);
        }
        bool curved = strstr(all[c], "view");
        options = (bl_run_options){.coordinates = all[c], .integrator = "genalpha", .until = 0.3 * TURNS_UNTIL, .every = 0.007};
        options.step = curved && m->exact != hooked ? 0.015 : 1e-4; /* 4.5 rad, or 0.03 */
        done += counts(m, &options, 0.3);
    }
    assert_true(done >= 2 * ALL);
}

static void angle__counts_turns_in_every_formulation(void **state) {
    const motion *m = *state;
    static const char *const formulations[] = {"lagrange", "partition", "projection", "baumgarte", "matrix_r", "null_space", "range_space"};
    for (int c = 0; c < ALL; c++)
        for (size_t f = 0; f < sizeof formulations / sizeof *formulations; f++) {
            bl_run_options options = {.coordinates = all[c],
                                      .formulation = formulations[f],
                                      .integrator = "dop853",
                                      .until = 0.4 * TURNS_UNTIL,
                                      .tolerance = 1e-8,
                                      .every = 0.03};
            counts(m, &options, 1e-2);
        }
}

/* ---- events, restarts */

/* the run ends where the angle passes 20.5, at a known time */
static void stop__fires_at_the_angle(void **unused) {
    (void)unused;
    const struct {
        int motion;
        double t;
    } where[] = {{0, 20.5 / 300}, {1, 20.5 / 300}, {4, -0.5 * log(1 - 20.5 / 150)}};
    static const char *const methods[] = {"dopri45", "dop853", "abm", "series"};
    for (size_t i = 0; i < sizeof where / sizeof *where; i++)
        for (int c = 0; c < ALL; c++)
            for (int k = 0; k < 4; k++) {
                const motion *m = &motions[where[i].motion];
                char text[1024];
                snprintf(text, sizeof text, "%ssimulate: {until: 1, stop: h.angle - 20.5}\n", m->text);
                bl_context *ctx = test_context(NULL);
                bl_model *model = read_text(ctx, text);
                bl_run_options options = {.coordinates = all[c], .integrator = methods[k], .tolerance = 1e-8, .every = k % 2 ? 1 : 0.001};
                bl_run_summary summary = {0};
                bl_status status = bl_simulate(ctx, model, &options, NULL, 0, &summary);
                if (status != BL_E_ABILITY && !((status == BL_OK || status == BL_EVENT) && fabs(summary.t - where[i].t) < 1e-6))
                    fail_msg("%s, %s, %s: ends at %.9g instead of %.9g: %s", m->name, all[c], methods[k], summary.t, where[i].t,
                             bl_context_error(ctx)->what);
                bl_model_destroy(model);
                test_context_end(ctx);
            }
}

/* 21 discs get relative coordinates by default */
static void stop__fires_with_the_coordinates_of_many_bodies(void **unused) {
    (void)unused;
    static const char text[] =
        "bodies: [repeat: {count: 21, index: i, do: [{name: \"d$i\", mass: 1, inertia: [1, 1, 2], center: [=i, 0, 0]}]}]\n"
        "joints: [repeat: {count: 21, index: i, do: [{name: \"h$i\", type: revolute, bodies: [ground, \"d$i\"], at: [=i, 0, 0], "
        "axis: [0, 0, 1]}]}]\n"
        "initial: [repeat: {count: 21, index: i, do: [{\"h$i.rate\": 1000}]}]\nsimulate: {until: 10, stop: h3.angle - 500}\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, text);
    bl_run_summary summary = {0};
    bl_status status = bl_simulate(ctx, model, &(bl_run_options){0}, NULL, 0, &summary);
    assert_true(status == BL_OK || status == BL_EVENT);
    assert_true(fabs(summary.t - 0.5) < 1e-9);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* A run that is interrupted after every few steps and continued from a copy of its state counts correctly. */
static void turns__are_part_of_the_state(void **state) {
    const motion *m = *state;
    for (int c = 0; c < ALL; c++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = read_text(ctx, m->text);
        bl_system *sys;
        bl_state now = {0};
        assert_int_equal(bl_coords_build(ctx, model, all[c], &sys), BL_OK);
        assert_int_equal(bl_state_create(sys, 0, &now), BL_OK);
        assert_int_equal(bl_coords_initial(sys, &now), BL_OK);
        assert_int_equal(bl_assemble_positions(sys, model, &now), BL_OK);
        assert_int_equal(bl_assemble_velocities(sys, model, &now), BL_OK);
        bl_index variable = bl_model_variable(model, m->variable);
        double until = 0.5 * TURNS_UNTIL;
        for (long steps = 1; *now.t < until; steps = steps % 5 + 1) {
            bl_simulation *sim;
            bl_sample sample;
            bl_simulation_setup setup = {.formulation = "partition", .integrator = "dop853", .t_end = until, .tolerance = 1e-8};
            assert_int_equal(bl_simulation_create(sys, &now, &setup, &sim), BL_OK);
            for (long k = 0; k < steps && *sim->state.t < until; k++)
                assert_int_equal(bl_simulation_advance(sim), BL_OK);
            assert_int_equal(bl_simulation_sample(sim, *sim->state.t, &sample), BL_OK);
            if (!(fabs(sample.variable[variable] - m->exact(sample.t)) < 0.02))
                fail_msg("%s, %s: %.9g instead of %.9g at t = %g", m->name, all[c], sample.variable[variable], m->exact(sample.t),
                         sample.t);
            bl_state_copy(sys, &now, &sim->state);
            bl_simulation_destroy(sim);
        }
        bl_state_destroy(sys, &now);
        bl_system_destroy(sys);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    struct CMUnitTest tests[4 * MOTIONS + 2];
    int n = 0;
    for (int i = 0; i < MOTIONS; i++) {
        void *m = (void *)(uintptr_t)&motions[i];
        tests[n++] =
            (struct CMUnitTest){.name = motions[i].name, .test_func = angle__counts_turns_in_every_coordinates, .initial_state = m};
        tests[n++] = (struct CMUnitTest){.name = motions[i].name, .test_func = angle__counts_turns_by_every_method, .initial_state = m};
        tests[n++] =
            (struct CMUnitTest){.name = motions[i].name, .test_func = angle__counts_turns_in_every_formulation, .initial_state = m};
        tests[n++] = (struct CMUnitTest){.name = motions[i].name, .test_func = turns__are_part_of_the_state, .initial_state = m};
    }
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(stop__fires_at_the_angle);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(stop__fires_with_the_coordinates_of_many_bodies);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
