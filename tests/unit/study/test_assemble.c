/* Assembling: least change, exact values, guesses, what is named when it does not close; and the study that shows the result. */
#include "biela/biela.h"
#include "coords/coords.h"
#include "kkt/row_choice.h"
#include "study/run.h"
#include "study/study.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- helpers */

static bl_model *read_model(bl_context *ctx, const char *text) {
    bl_model *model = NULL;
    if (bl_model_read_text(ctx, "test.yaml", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    return model;
}

/* keeps the sample */
typedef struct shown {
    int begun, samples, ended;
    bl_status status;
    bl_run_info info;
    bl_sample sample;
    bl_pose body[16];
    double variable[64], rate[64], probe[3], probe_rate[3];
    bl_wrench reaction[16];
    char model_name[64];
} shown;

static bl_status shown_begin(void *user, const bl_run_info *info) {
    shown *s = user;
    s->begun++;
    s->info = *info;
    return BL_OK;
}

static bl_status shown_sample(void *user, const bl_sample *sample) {
    shown *s = user;
    s->samples++;
    s->sample = *sample;
    for (bl_index i = 0; i < s->info.nbody && i < 16; i++)
        s->body[i] = sample->body[i];
    for (bl_index i = 0; i < s->info.nvariable && i < 64; i++) {
        s->variable[i] = sample->variable[i];
        s->rate[i] = sample->variable_rate[i];
    }
    for (int k = 0; s->info.nprobe && k < 3; k++) {
        s->probe[k] = sample->probe[k];
        s->probe_rate[k] = sample->probe_rate[k];
    }
    for (bl_index i = 0; i < s->info.njoint && i < 16; i++)
        s->reaction[i] = sample->reaction[i];
    return BL_OK;
}

static bl_status shown_end(void *user, const bl_run_summary *summary) {
    shown *s = user;
    s->ended++;
    s->status = summary->status;
    return BL_OK;
}

static bl_status assemble(bl_context *ctx, const bl_model *model, const char *coordinates, shown *s) {
    bl_sink sink = {.user = s, .begin = shown_begin, .sample = shown_sample, .end = shown_end};
    bl_run_options options = {.coordinates = coordinates};
    memset(s, 0, sizeof *s);
    return bl_assemble(ctx, model, &options, &sink, 1, NULL);
}

static void assemble_text(const char *text, const char *coordinates, shown *s) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx, text);
    if (assemble(ctx, model, coordinates, s) != BL_OK)
        fail_msg("%s: %s", bl_context_error(ctx)->file, bl_context_error(ctx)->what);
    assert_true(s->sample.drift < 1e-11);
    assert_true(s->sample.velocity_drift < 1e-10);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static bl_error failure(const char *text) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx, text);
    shown s;
    assert_int_equal(assemble(ctx, model, NULL, &s), BL_E_NUMERIC);
    assert_int_equal(s.begun + s.samples + s.ended, 0);
    bl_error error = *bl_context_error(ctx);
    bl_model_destroy(model);
    test_context_end(ctx);
    return error;
}

static void near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.15g is not %.15g: off by %.2g", got, want, got - want);
}

/* ---- least change */

#define FOUR_BAR(dimension, tail, axis, at_b)                                                  \
    dimension "bodies:\n"                                                                      \
              "  - {name: crank, rod: {from: A, to: B}, mass: 1}\n"                            \
              "  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n"                          \
              "  - {name: rocker, rod: {from: R, to: D}, mass: 1}\n"                           \
              "joints:\n"                                                                      \
              "  - {name: A, type: revolute, bodies: [ground, crank], at: A" axis "}\n"        \
              "  - {name: B, type: revolute, bodies: [crank, coupler], at: B" axis "}\n"       \
              "  - {name: C, type: revolute, bodies: [coupler, rocker], at: C" axis at_b "}\n" \
              "  - {name: D, type: revolute, bodies: [ground, rocker], at: D" axis "}\n" tail
#define PLANE "dimension: 2\npoints: {A: [0,0], B: [0,1], C: [2,2], D: [3,0], R: [2.3,2.2]}\n"
#define SPACE "points: {A: [0,0,0], B: [0,1,0], C: [2,2,0], D: [3,0,0], R: [2.3,2.2,0]}\n"

/* integral of |change|^2 over a rod of mass 1 whose ends move by a and b */
static double rod_change(double ax, double ay, double bx, double by) {
    return (ax * ax + ay * ay + ax * bx + ay * by + bx * bx + by * by) / 3;
}

/* that of all rods when the crank stands at angle t and the loop is closed; C on the right branch */
static double change(double t, double *B, double *C) {
    double coupler = sqrt(5), rocker = sqrt(0.7 * 0.7 + 2.2 * 2.2);
    B[0] = cos(t), B[1] = sin(t);
    double dx = 3 - B[0], dy = -B[1], d2 = dx * dx + dy * dy;
    double along = (coupler * coupler - rocker * rocker + d2) / (2 * d2), across = sqrt(coupler * coupler / d2 - along * along);
    C[0] = B[0] + along * dx - across * dy;
    C[1] = B[1] + along * dy + across * dx;
    return rod_change(0, 0, B[0], B[1] - 1) + rod_change(B[0], B[1] - 1, C[0] - 2, C[1] - 2) + rod_change(C[0] - 2.3, C[1] - 2.2, 0, 0);
}

/* the nearest closed configuration is found by a search over the crank angle */
static void assemble__rough_four_bar_closes_with_the_least_change(void **state) {
    (void)state;
    double B[2], C[2], low = 1.2, high = 1.9;
    for (int k = 0; k < 200; k++) { /* golden section */
        double a = high - 0.6180339887498949 * (high - low), b = low + 0.6180339887498949 * (high - low);
        if (change(a, B, C) < change(b, B, C))
            high = b;
        else
            low = a;
    }
    change(0.5 * (low + high), B, C);
    static const char *const kinds[] = {"natural", "mixed", "reference", "reference:matrix", "reference:angles", "relative"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        shown s;
        assemble_text(FOUR_BAR(PLANE, "probes: {C: {body: coupler, at: C}}\n", "", ", at_b: R"), kinds[k], &s);
        near(s.probe[0], C[0], 1e-7); /* a minimum is known to half the digits */
        near(s.probe[1], C[1], 1e-7);
        near(s.body[0].position[0], B[0] / 2, 1e-7);
        near(s.body[0].position[1], B[1] / 2, 1e-7);
        /* three redundant rows in space: the same configuration */
        assemble_text(FOUR_BAR(SPACE, "probes: {C: {body: coupler, at: C}}\n", ", axis: [0,0,1]", ", at_b: R"), kinds[k], &s);
        near(s.probe[0], C[0], 1e-7);
        near(s.probe[1], C[1], 1e-7);
        near(s.probe[2], 0, 1e-12);
    }
}

static void assemble__leaves_a_closed_model_as_it_is(void **state) {
    (void)state;
    shown s;
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    assert_int_equal(bl_model_read(ctx, SCENES "/four_bar.yaml", NULL, 0, &model), BL_OK);
    assert_int_equal(assemble(ctx, model, NULL, &s), BL_OK);
    for (bl_index b = 1; b < model->nbody; b++)
        for (int k = 0; k < 3; k++)
            near(s.body[b - 1].position[k], model->body[b].center[k], 1e-15);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- exact values */

static const char pendulum[] = "dimension: 2\n"
                               "bodies:\n  - {name: rod, rod: {from: [0,0], to: [1,0]}, mass: 1}\n"
                               "joints:\n  - {name: j, type: revolute, bodies: [ground, rod], at: [0,0]}\n"
                               "probes: {tip: {body: rod, at: [1,0]}}\n";

static void assemble__exact_angles_are_reached_over_any_distance(void **state) {
    (void)state;
    static const double angles[] = {0.5, -2, 3.1, 3.2, 7, -25};
    static const char *const kinds[] = {"natural", "mixed", "mixed:angle=switching"};
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++)
        for (size_t k = 0; k < 3; k++) {
            char text[1024];
            shown s;
            snprintf(text, sizeof text, "%smeasure: [j.angle]\ninitial: {j.angle: %g, j.rate: 3}\n", pendulum, angles[i]);
            assemble_text(text, kinds[k], &s);
            near(s.variable[0], angles[i], 1e-11);
            near(s.rate[0], 3, 1e-11);
            near(s.probe[0], cos(angles[i]), 1e-11);
            near(s.probe[1], sin(angles[i]), 1e-11);
            near(s.probe_rate[0], -3 * sin(angles[i]), 1e-10);
            near(s.sample.kinetic, 0.5 * 9 / 3, 1e-10);
        }
}

/* crank angle and third joint of Bricard's mechanism, two columns of the published motion (IFToMM A04, error 1e-9) */
static void assemble__bricard_follows_its_crank(void **state) {
    (void)state;
    static const double known[][4] = {{0.253047855, 0.774302631, -0.979749387, -0.200227718},
                                      {1.037163113, 0.273333916, -0.886544001, -0.462644285},
                                      {2.118363334, -0.280835726, -0.887625644, -0.460565647},
                                      {2.895583292, -0.779947228, -0.980635630, -0.195841161}};
    static const char *const scenes[] = {"bricard", "bricard_cut"};
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 2; k++) {
            bl_context *ctx = test_context(NULL);
            bl_model *model = NULL;
            char file[512], text[600];
            const double *row = known[i / 2];
            snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scenes[i % 2]);
            snprintf(text, sizeof text, "include: %s\ninitial: {j1.angle: %.9f}\n", file, row[0]);
            if (bl_model_read_text(ctx, "held.yaml", text, strlen(text), NULL, 0, &model) != BL_OK)
                fail_msg("%s", bl_context_error(ctx)->what);
            shown s;
            if (assemble(ctx, model, k ? "mixed" : "natural", &s) != BL_OK)
                fail_msg("%s at %g: %s", scenes[i % 2], row[0], bl_context_error(ctx)->what);
            for (int c = 0; c < 3; c++)
                near(s.probe[c], row[1 + c], 3e-9);
            bl_model_destroy(model);
            test_context_end(ctx);
        }
}

static void assemble__exact_points_and_orientations_are_held(void **state) {
    (void)state;
    char text[1024];
    shown s;
    snprintf(text, sizeof text, "%sinitial: {tip: {position: [-0.6, 0.8], velocity: [-1.6, -1.2]}}\n", pendulum);
    assemble_text(text, NULL, &s);
    near(s.probe[0], -0.6, 1e-12);
    near(s.probe[1], 0.8, 1e-12);
    near(s.rate[0], 2, 1e-11); /* v = rate (-y, x) */
    assemble_text("bodies: [{name: top, mass: 1, center: [0,1,0], inertia: [1,2,3]}]\n"
                  "joints: [{name: pivot, type: spherical, bodies: [ground, top], at: [0,0,0]}]\n"
                  "initial: {top: {orientation: [0, 0, 0.7], angular_velocity: [1, 2, 3]}}\n",
                  NULL, &s);
    near(s.body[0].quaternion[0], cos(0.35), 1e-11);
    near(s.body[0].quaternion[3], sin(0.35), 1e-11);
    near(s.body[0].position[0], -sin(0.7), 1e-11);
    near(s.body[0].angular_velocity[0], 1, 1e-10);
    near(s.body[0].angular_velocity[1], 2, 1e-10);
    near(s.body[0].angular_velocity[2], 3, 1e-10);
}

/* one body on one joint, every variable and rate given: they read back, in all coordinates */
static void assemble__every_kind_of_variable_can_be_held(void **state) {
    (void)state;
    static const struct {
        const char *joint;
        int n;
        const char *name[3];
    } kinds[] = {{"type: revolute, at: [0.2,0,0], axis: [1,2,0]", 1, {"angle"}},
                 {"type: prismatic, at: [0.2,0,0], axis: [1,2,0]", 1, {"distance"}},
                 {"type: cylindrical, at: [0.2,0,0], axis: [1,2,0]", 2, {"angle", "distance"}},
                 {"type: universal, at: [0.2,0,0], axis: [1,0,0], axis_b: [0,1,0]", 2, {"angle1", "angle2"}},
                 {"type: planar, at: [0.2,0,0], axis: [1,2,0]", 3, {"distance1", "distance2", "angle"}},
                 {"type: spherical, at: [0.2,0,0], angles: true", 3, {"angle1", "angle2", "angle3"}},
                 {"type: point_on_line, at: [0.2,0,0], axis: [1,2,0]", 1, {"distance"}},
                 {"type: rod, at: [0,0,0], to: [0.5,0.8,0], free: true", 1, {"distance"}}};
    static const double value[] = {0.4, -0.3, 0.7}, rate[] = {1.5, -2, 0.5};
    static const char *const coordinates[] = {"natural", "mixed", "mixed:angle=switching"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t k = 0; k < 3; k++) {
            char text[2048];
            shown s;
            size_t used = (size_t)snprintf(text, sizeof text,
                                           "bodies: [{name: b, mass: 1, center: [0.5,0.8,0], inertia: [1,2,2.5]}]\n"
                                           "joints: [{name: j, bodies: [ground, b], %s}]\ninitial:\n",
                                           kinds[i].joint);
            for (int v = 0; v < kinds[i].n; v++) /* the rod reads its length, not 0, in the given configuration */
                used += (size_t)snprintf(text + used, sizeof text - used, "  j.%s: %g\n  j.%s_rate: %g\n", kinds[i].name[v], value[v],
                                         kinds[i].name[v], rate[v]);
            used += (size_t)snprintf(text + used, sizeof text - used, "measure: [");
            for (int v = 0; v < kinds[i].n; v++)
                used += (size_t)snprintf(text + used, sizeof text - used, "%sj.%s", v ? ", " : "", kinds[i].name[v]);
            snprintf(text + used, sizeof text - used, "]\n");
            assemble_text(text, coordinates[k], &s);
            for (int v = 0; v < kinds[i].n; v++) {
                near(s.variable[v], value[v], 1e-10);
                near(s.rate[v], rate[v], 1e-9);
            }
        }
}

static void assemble__drivers_position_the_mechanism(void **state) {
    (void)state;
    shown s;
    assemble_text(FOUR_BAR(PLANE, "drivers: [{variable: A.angle, value: =0.4+2*t}]\n", "", ", at_b: R"), NULL, &s);
    near(s.body[0].position[0], -0.5 * sin(0.4), 1e-11);
    near(s.body[0].position[1], 0.5 * cos(0.4), 1e-11);
    near(s.body[0].angular_velocity[2], 2, 1e-11);
}

/* ---- guesses */

static void assemble__guesses_are_followed_as_far_as_joints_allow(void **state) {
    (void)state;
    char text[1024];
    shown s;
    snprintf(text, sizeof text, "%sinitial: {j.angle: {value: 2.2, guess: true}, j.rate: {value: -4, guess: true}}\n", pendulum);
    assemble_text(text, NULL, &s); /* nothing hinders */
    near(s.variable[0], 2.2, 1e-7);
    near(s.rate[0], -4, 1e-7);
    /* out of reach: the nearest point of the circle, and the part of the velocity along it */
    snprintf(text, sizeof text, "%sinitial: {tip: {position: [3, 4], velocity: [1, 0], guess: true}}\n", pendulum);
    assemble_text(text, NULL, &s);
    near(s.probe[0], 0.6, 1e-8);
    near(s.probe[1], 0.8, 1e-8);
    near(s.rate[0], -0.8, 1e-7);
    /* an exact value wins against a guess */
    snprintf(text, sizeof text, "%sinitial: {tip: {position: [0, 1], guess: true}, j.angle: 0.3}\n", pendulum);
    assemble_text(text, NULL, &s);
    near(s.variable[0], 0.3, 1e-11);
}

/* ---- what does not close */

static void assemble__joint_that_cannot_close_is_named(void **state) {
    (void)state;
    /* the rocker is drawn 20 long, the other bars reach 3 + 1 + 2.3 at most */
    bl_error error =
        failure("dimension: 2\npoints: {A: [0,0], B: [0,1], C: [2,2], D: [3,0], R: [3,20]}\n" FOUR_BAR("", "", "", ", at_b: R"));
    assert_non_null(strstr(error.what, "does not close"));
    assert_true(!strcmp(error.part, "C") || !strcmp(error.part, "D"));
    assert_string_equal(error.file, "test.yaml");
    assert_true(error.line == 10 || error.line == 11);
    assert_true(error.advice[0] != '\0');
    /* redundant joints that fit to four digits only */
    error = failure("bodies: [{name: door, box: {center: [0.5,0,1], size: [1,0.05,2]}, mass: 20}]\n"
                    "joints:\n"
                    "  - {name: lower, type: revolute, bodies: [ground, door], at: [0,0,0.3], axis: [0,0,1]}\n"
                    "  - {name: upper, type: revolute, bodies: [ground, door], at: [0,0,1.7], at_b: [0,0.0001,1.7], axis: [0,0,1]}\n");
    assert_non_null(strstr(error.what, "does not close"));
    assert_string_equal(error.part, "upper");
}

static void assemble__contradicting_initial_values_are_named_with_their_position(void **state) {
    (void)state;
    bl_error error = failure(FOUR_BAR(PLANE, "initial:\n  A.angle: 0.2\n  D.angle: 0.4\n", "", ", at_b: R"));
    assert_non_null(strstr(error.what, "D.angle = 0.4 contradicts an earlier exact value"));
    assert_int_equal(error.line, 14);
    error = failure(FOUR_BAR(PLANE, "initial:\n  A.rate: 1\n  D.rate: 30\n", "", ", at_b: R"));
    assert_non_null(strstr(error.what, "D.angle rate = 30 contradicts an earlier exact value"));
    assert_int_equal(error.line, 14);
    char text[1024];
    snprintf(text, sizeof text, "%sinitial:\n  tip: {position: [3, 4]}\n", pendulum);
    error = failure(text);
    assert_non_null(strstr(error.what, "position on body 'rod' cannot be met: the joints prevent it"));
    assert_int_equal(error.line, 8);
}

static void assemble__drivers_that_cannot_be_followed_are_named(void **state) {
    (void)state;
    bl_error error = failure(FOUR_BAR(PLANE, "drivers:\n  - {variable: D.angle, value: -0.5}\n", "", ", at_b: R"));
    assert_string_equal(error.part, "driver of D.angle"); /* C would be 4.1 away from A, crank and coupler reach 3.24 */
    assert_int_equal(error.line, 13);
    assert_non_null(strstr(error.what, "the joints prevent it"));
}

/* ---- the sample */

static void assemble__every_scene_gives_one_sample(void **state) {
    (void)state;
    static const char *const scenes[] = {"pendulum",    "double_pendulum", "four_bar",   "slider_crank",     "five_bar_pendulum",
                                         "tether",      "bricard",         "n_four_bar", "flyball_governor", "spatial_slider_crank",
                                         "bricard_cut", "andrews",         "heavy_top",  "w3_chain"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        char file[512];
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        shown s;
        snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scenes[i]);
        assert_int_equal(bl_model_read(ctx, file, NULL, 0, &model), BL_OK);
        if (assemble(ctx, model, NULL, &s) != BL_OK)
            fail_msg("%s: %s", scenes[i], bl_context_error(ctx)->what);
        assert_int_equal(s.begun, 1);
        assert_int_equal(s.samples, 1);
        assert_int_equal(s.ended, 1);
        assert_int_equal(s.status, BL_OK);
        assert_true(s.sample.t == 0 && s.sample.energy_error == 0 && s.sample.work == 0);
        assert_true(s.sample.drift < 1e-11 && s.sample.velocity_drift < 1e-10);
        for (bl_index j = 0; j < s.info.njoint && j < 16; j++)
            assert_true(isfinite(s.reaction[j].force[0]) && isfinite(s.reaction[j].moment[2]));
        if (!strcmp(scenes[i], "bricard")) { /* mass centers at y = 0, -1/2, -1, -1, -1/2 */
            near(s.sample.potential, -3 * 9.81, 1e-12);
            near(s.sample.kinetic, 0, 1e-20);
        }
        if (!strcmp(scenes[i], "tether")) /* last body: (1/2)(m/3 + 2 m w^2/12) + axial m w^2/6, w = 0.2: published 0.171666667 */
            near(s.sample.kinetic, 0.515 / 3, 1e-9);
        if (!strcmp(scenes[i], "heavy_top")) /* about the fixed point */
            near(s.sample.kinetic, 0.5 * (0.46875 * 150 * 150 + 15.234375 * 4.61538 * 4.61538), 1e-9);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* a body welded to ground: the joint carries its weight */
static void assemble__reactions_carry_the_weight(void **state) {
    (void)state;
    shown s;
    assemble_text("dimension: 2\ngravity: [0, -10]\n"
                  "bodies: [{name: beam, rod: {from: [0,0], to: [2,0]}, mass: 3}]\n"
                  "joints: [{name: wall, type: fixed, bodies: [ground, beam], at: [0,0]}]\n",
                  NULL, &s);
    near(s.reaction[0].force[0], 0, 1e-10);
    near(s.reaction[0].force[1], 30, 1e-10);
    near(s.reaction[0].moment[2], 30, 1e-10); /* on the beam at the wall, against its weight one meter out */
    /* a rod released from the horizontal: the pivot carries a quarter of the weight */
    char text[1024];
    snprintf(text, sizeof text, "%sgravity: [0, -10]\n", pendulum);
    assemble_text(text, NULL, &s);
    near(s.reaction[0].force[1], 2.5, 1e-10);
}

typedef struct warning_log {
    int warnings;
    char text[256];
} warning_log;

static void keep_warning(void *user, bl_log_level level, const char *message) {
    warning_log *t = user;
    if (level == BL_LOG_WARNING) {
        t->warnings++;
        snprintf(t->text, sizeof t->text, "%s", message);
    }
}

/* positions are reported even where accelerations are not determined */
static void assemble__massless_motion_leaves_reactions_out(void **state) {
    (void)state;
    warning_log t = {0};
    bl_context *ctx = NULL;
    bl_context_options options = {.log = keep_warning, .log_user = &t, .log_level = BL_LOG_WARNING};
    assert_int_equal(bl_context_create(&options, &ctx), BL_OK);
    bl_model *model = read_model(ctx, "dimension: 2\n"
                                      "bodies:\n"
                                      "  - {name: a, mass: 0, center: [0,0], inertia: 0}\n"
                                      "  - {name: b, mass: 1, center: [1,0], inertia: 0}\n"
                                      "joints:\n"
                                      "  - {name: j1, type: prismatic, bodies: [ground, a], at: [0,0], axis: [1,0]}\n"
                                      "  - {name: j2, type: prismatic, bodies: [a, b], at: [1,0], axis: [1,0]}\n");
    shown s;
    assert_int_equal(assemble(ctx, model, NULL, &s), BL_OK);
    assert_int_equal(s.samples, 1);
    near(s.body[1].position[0], 1, 1e-12);
    assert_true(isnan(s.reaction[0].force[0]));
    assert_int_equal(t.warnings, 1);
    assert_non_null(strstr(t.text, "no reactions"));
    assert_int_equal(bl_context_error(ctx)->status, BL_OK);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- robustness */

static bl_status refuse_begin(void *user, const bl_run_info *info) {
    (void)user;
    (void)info;
    return BL_E_FILE;
}

static void assemble__a_sink_that_refuses_ends_it(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx, pendulum);
    shown s = {0};
    bl_sink sinks[2] = {{.size = sizeof *sinks, .user = &s, .begin = shown_begin, .sample = shown_sample, .end = shown_end},
                        {.begin = refuse_begin}};
    bl_run_summary summary = {0};
    assert_int_equal(bl_assemble(ctx, model, NULL, sinks, 2, &summary), BL_E_FILE);
    assert_int_equal(s.begun, 1);
    assert_int_equal(s.samples, 0);
    assert_int_equal(s.ended, 1); /* what began is ended, and reported why */
    assert_int_equal(s.status, BL_E_FILE);
    assert_int_equal(summary.status, BL_E_FILE);
    assert_int_equal(bl_assemble(ctx, NULL, NULL, NULL, 0, NULL), BL_E_ARG);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static bl_status assemble_once(bl_context *ctx, void *user) {
    const char *text = user;
    bl_model *model = NULL;
    shown s = {0};
    bl_status status = bl_model_read_text(ctx, "test.yaml", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = assemble(ctx, model, NULL, &s);
    bl_model_destroy(model);
    return status;
}

static void assemble__gives_back_memory_when_allocation_fails(void **state) {
    (void)state;
    static char text[] = FOUR_BAR(PLANE, "initial: {A.angle: 0.1, A.rate: {value: 2, guess: true}}\n", "", ", at_b: R");
    assert_true(test_failing_allocations(assemble_once, text) > 30);
}

/* a failure is reported with what could be allocated: contradictions, with the search for who is to blame */
static bl_status fail_once(bl_context *ctx, void *user) {
    bl_status status = assemble_once(ctx, user);
    if (status != BL_E_NUMERIC)
        return status;
    bl_context_clear_error(ctx);
    return BL_OK;
}

static void assemble__blaming_gives_back_memory_when_allocation_fails(void **state) {
    (void)state;
    static char values[] = FOUR_BAR(PLANE, "initial: {A.angle: 0.2, D.angle: 0.4}\n", "", ", at_b: R");
    static char drivers[] = FOUR_BAR(PLANE, "drivers: [{variable: D.angle, value: -0.5}]\n", "", ", at_b: R");
    static char joints[] = "dimension: 2\npoints: {A: [0,0], B: [0,1], C: [2,2], D: [3,0], R: [3,20]}\n" FOUR_BAR("", "", "", ", at_b: R");
    assert_true(test_failing_allocations(fail_once, values) > 30);
    assert_true(test_failing_allocations(fail_once, drivers) > 30);
    assert_true(test_failing_allocations(fail_once, joints) > 30);
}

/* ---- near a closed configuration */

/* how far the rows are open, relative to their scales; marks those that depend on others where requested */
static double gap_at(const bl_system *sys, const bl_state *state, uint8_t *follows) {
    bl_eval e = {0};
    bl_index *order = calloc((size_t)(sys->np + sys->nv), sizeof *order), rank = 0;
    assert_non_null(order);
    assert_int_equal(bl_eval_create(sys, BL_G | BL_SEEN, &e), BL_OK);
    bl_eval_at(&e, state);
    assert_int_equal(bl_system_eval(sys, &e, BL_PHI | BL_G), BL_OK);
    bl_rows_ask ask = {.sys = sys, .G = e.G, .tolerance = 1e-9};
    assert_int_equal(bl_rows_choose(&ask, order, order + sys->np, &rank), BL_OK);
    for (bl_index i = 0; follows && i < sys->np; i++)
        follows[order[i]] = i >= rank;
    double gap = bl_system_drift(sys, e.phi, NULL);
    bl_eval_destroy(sys, &e);
    free(order);
    return gap;
}

/* Rows that follow from others may be left to them; marks that are wrong change nothing. */
static void beside__all_rows_are_closed_whatever_is_marked(void **unused) {
    (void)unused;
    static const char *const kinds[] = {"natural", "mixed", "reference", "reference:matrix", "reference:angles", "relative"};
    test_random random = {test_seed(605)};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        bl_system *sys = NULL;
        bl_state start = {0}, nearby[3] = {{0}};
        assert_int_equal(bl_model_read(ctx, SCENES "/bricard.yaml", NULL, 0, &model), BL_OK);
        assert_int_equal(bl_run_prepare(ctx, model, kinds[k], &sys, &start), BL_OK);
        uint8_t *follows = calloc((size_t)sys->np, 1);
        double *x = calloc((size_t)sys->nv, sizeof *x);
        assert_true(follows && x);
        gap_at(sys, &start, follows);
        for (bl_index j = 0; j < sys->nv; j++)
            x[j] = 0.01 * test_random_symmetric(&random) * sys->col[j].scale;
        for (int i = 0; i < 3; i++) {
            assert_int_equal(bl_state_create(sys, 0, &nearby[i]), BL_OK);
            bl_state_copy(sys, &nearby[i], &start);
            assert_int_equal(bl_system_retract(sys, nearby[i].q, x, nearby[i].q), BL_OK);
        }
        bool redundant = memchr(follows, 1, (size_t)sys->np) != NULL;
        assert_true(redundant);
        assert_int_equal(bl_assemble_nearby(sys, &nearby[0]), BL_OK);
        assert_int_equal(bl_assemble_beside(sys, follows, &nearby[1]), BL_OK);
        for (bl_index i = 0; i < sys->np; i++)
            follows[i] = !follows[i];
        assert_int_equal(bl_assemble_beside(sys, follows, &nearby[2]), BL_OK);
        for (int i = 0; i < 3; i++)
            if (!(gap_at(sys, &nearby[i], NULL) < 1e-9))
                fail_msg("%s, configuration %d: open by %g", kinds[k], i, gap_at(sys, &nearby[i], NULL));
        assert_memory_equal(nearby[0].q, nearby[2].q, (size_t)sys->nq * sizeof(double));
        free(follows);
        free(x);
        for (int i = 0; i < 3; i++)
            bl_state_destroy(sys, &nearby[i]);
        bl_state_destroy(sys, &start);
        bl_system_destroy(sys);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assemble__rough_four_bar_closes_with_the_least_change),
        cmocka_unit_test(assemble__leaves_a_closed_model_as_it_is),
        cmocka_unit_test(assemble__exact_angles_are_reached_over_any_distance),
        cmocka_unit_test(assemble__bricard_follows_its_crank),
        cmocka_unit_test(assemble__exact_points_and_orientations_are_held),
        cmocka_unit_test(assemble__every_kind_of_variable_can_be_held),
        cmocka_unit_test(assemble__drivers_position_the_mechanism),
        cmocka_unit_test(assemble__guesses_are_followed_as_far_as_joints_allow),
        cmocka_unit_test(assemble__joint_that_cannot_close_is_named),
        cmocka_unit_test(assemble__contradicting_initial_values_are_named_with_their_position),
        cmocka_unit_test(assemble__drivers_that_cannot_be_followed_are_named),
        cmocka_unit_test(assemble__every_scene_gives_one_sample),
        cmocka_unit_test(assemble__reactions_carry_the_weight),
        cmocka_unit_test(assemble__massless_motion_leaves_reactions_out),
        cmocka_unit_test(assemble__a_sink_that_refuses_ends_it),
        cmocka_unit_test(beside__all_rows_are_closed_whatever_is_marked),
        cmocka_unit_test(assemble__gives_back_memory_when_allocation_fails),
        cmocka_unit_test(assemble__blaming_gives_back_memory_when_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
