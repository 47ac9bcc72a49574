/* Friction in joints that sticks: blocks on guides and belts, hinges that come to rest, joints that hold each other; closed solutions in
 * all coordinates and formulations, limits of smoothed friction. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 64, VARIABLES = 4 };

typedef struct seen {
    bl_index n, variables, drivers;
    double t[SAMPLES], x[SAMPLES][VARIABLES], v[SAMPLES][VARIABLES], drive[SAMPLES], work, energy_error;
} seen;

static bl_status begin(void *user, const bl_run_info *info) {
    seen *run = user;
    run->variables = info->nvariable < VARIABLES ? info->nvariable : VARIABLES;
    run->drivers = info->ndriver;
    return BL_OK;
}

static bl_status keep(void *user, const bl_sample *s) {
    seen *run = user;
    run->energy_error = fmax(run->energy_error, fabs(s->energy_error));
    run->work = s->work;
    if (s->side != 0)
        return BL_OK;
    bl_index i = run->n < SAMPLES ? run->n++ : SAMPLES - 1;
    run->t[i] = s->t;
    memcpy(run->x[i], s->variable, (size_t)run->variables * sizeof(double));
    memcpy(run->v[i], s->variable_rate, (size_t)run->variables * sizeof(double));
    run->drive[i] = run->drivers ? s->driver_force[0] : 0;
    return BL_OK;
}

static bl_status simulate(const char *text, const bl_run_options *options, seen *run, bl_error *error) {
    memset(run, 0, sizeof *run);
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_sink sink = {.user = run, .begin = begin, .sample = keep};
    bl_status status = bl_model_read_text(ctx, "sticking", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, options, &sink, 1, NULL);
    if (error)
        *error = *bl_context_error(ctx);
    else if (status != BL_OK)
        fail_msg("%s, %s: %s", options->coordinates ? options->coordinates : "", options->formulation ? options->formulation : "",
                 bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
    return status;
}

static const char *const coordinates[] = {"natural", "mixed", "reference", "relative"};
static const char *const formulations[] = {NULL, "partition", "lagrange", "matrix_r", "null_space", "projection", "baumgarte"};
enum { COORDINATES = 4, FORMULATIONS = sizeof formulations / sizeof *formulations };

static void near(double found, double expected, double limit, const char *what, int c, const char *formulation) {
    if (!(fabs(found - expected) < limit))
        fail_msg("%s, %s: %s = %.12g, expected %.12g", coordinates[c], formulation ? formulation : "default", what, found, expected);
}

/* ---- one slider */

#define SLIDER(gravity, friction, rest)                                                                \
    "dimension: 2\ngravity: " gravity "\nbodies: [{name: b, mass: 2, inertia: 0.1, center: [0, 0]}]\n" \
    "joints: [{name: j, type: prismatic, bodies: [ground, b], at: [0, 0], axis: [1, 0]" rest "}]\n"    \
    "forces: [{type: joint_friction, joint: j, stick: true, " friction "}"

/* on a slope it stays where mu >= tan(angle), and else slides with g (sin - mu cos) */
static void incline__decides_by_the_angle_of_friction(void **unused) {
    (void)unused;
    for (int c = 0; c < COORDINATES; c++)
        for (int f = 0; f < FORMULATIONS; f++)
            for (int steep = 0; steep < 2; steep++) {
                char text[512];
                seen run;
                double angle = atan(0.4) + (steep ? 1e-3 : -1e-3);
                snprintf(text, sizeof text, SLIDER("[%.17g, %.17g]", "coefficient: 0.4", "") "]\n", 9.81 * sin(angle), -9.81 * cos(angle));
                bl_run_options options = {.coordinates = coordinates[c], .formulation = formulations[f], .tolerance = 1e-9, .until = 2};
                simulate(text, &options, &run, NULL);
                double a = steep ? 9.81 * (sin(angle) - 0.4 * cos(angle)) : 0, limit = steep ? 1e-8 : 1e-15;
                near(run.x[run.n - 1][0], 2 * a, limit, "distance", c, formulations[f]);
                near(run.v[run.n - 1][0], 2 * a, limit, "rate", c, formulations[f]);
            }
}

/* pulled by 2 t N it slips when that exceeds the static friction, 10 N at 5 s, and then feels 6 N */
static void slider__slips_at_its_static_friction(void **unused) {
    (void)unused;
    for (int c = 0; c < COORDINATES; c++) {
        seen run;
        simulate(SLIDER("[0, -10]", "coefficient: 0.3, static: 0.5", "") ", {type: force, body: b, force: [=2*t, 0]}]\n",
                 &(bl_run_options){.coordinates = coordinates[c], .tolerance = 1e-10, .until = 7, .every = 0.5}, &run, NULL);
        for (bl_index i = 0; i < run.n && run.t[i] < 5; i++)
            near(run.x[i][0], 0, 1e-15, "distance", c, NULL);
        near(run.x[run.n - 1][0], 16.0 / 3, 1e-8, "distance", c, NULL);
        near(run.v[run.n - 1][0], 6, 1e-8, "rate", c, NULL);
    }
}

/* thrown up a slope of 20 degrees with 2 m/s (C2): slides back with mu = 0.3, stays with 0.4 */
static void slope__throw(void **unused) {
    (void)unused;
    for (int c = 0; c < COORDINATES; c++)
        for (int stays = 0; stays < 2; stays++) {
            char text[512];
            seen run;
            double s = sin(acos(-1) / 9), k = cos(acos(-1) / 9);
            snprintf(text, sizeof text, SLIDER("[%.17g, %.17g]", "coefficient: %g", "") "]\ninitial: {j.rate: 2}\n", -9.81 * s, -9.81 * k,
                     stays ? 0.4 : 0.3);
            simulate(text, &(bl_run_options){.coordinates = coordinates[c], .tolerance = 1e-10, .until = 2, .every = 0.5}, &run, NULL);
            near(run.x[4][0], stays ? 0.2839871791 : -0.4987475978, 1e-9, "distance", c, NULL);
            near(run.v[4][0], stays ? 0 : -0.5897022231 * (2 - 0.3267582500), stays ? 1e-14 : 1e-9, "rate", c, NULL);
            assert_true(run.energy_error < 1e-9);
            if (stays)
                assert_true(run.x[1][0] == run.x[4][0]); /* exactly */
        }
}

/* on a belt of 0.1 m/s, held by a spring (C3): slips at 0.3924 s for 0.4731570623 s, sticks for 0.1962 s */
static void belt__stick_slip(void **unused) {
    (void)unused;
    static const char text[] = "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: belt, mass: 1, inertia: 1, center: [0, 0]}, "
                               "{name: b, mass: 1, inertia: 1, center: [0, "
                               "0]}]\njoints:\n  - {name: drive, type: prismatic, bodies: [ground, belt], at: [0, 0], axis: [1, 0]}\n"
                               "  - {name: j, type: prismatic, bodies: [belt, b], at: [0, 0], axis: [1, 0]}\n"
                               "drivers: [{variable: drive.distance, value: =0.1*t}]\n"
                               "forces:\n  - {type: joint_friction, joint: j, coefficient: 0.3, static: 0.4, stick: true}\n"
                               "  - {type: spring, bodies: [ground, b], at: [-2, 0], to: [0, 0], stiffness: 100, length: 2}\n";
    for (int c = 0; c < COORDINATES; c++) {
        seen run;
        double slips = 0.3924, sticks = slips + 0.4731570623, again = sticks + 0.1962;
        simulate(text, &(bl_run_options){.coordinates = coordinates[c], .tolerance = 1e-11, .until = 1.1, .every = 0.02}, &run, NULL);
        for (bl_index i = 1; i < run.n; i++) { /* on the belt its distance from there is constant */
            double t = run.t[i], x = run.x[i][0] + run.x[i][1];
            if (t < slips)
                near(run.x[i][1], 0, 1e-13, "distance", c, NULL);
            else if (t < sticks) /* about 0.02943 with w = 10 */
                near(x, 0.02943 + (0.03924 - 0.02943) * cos(10 * (t - slips)) + 0.01 * sin(10 * (t - slips)), 1e-9, "place", c, NULL);
            else if (t < again)
                near(run.v[i][1], 0, 1e-12, "rate", c, NULL);
            else
                assert_true(run.v[i][1] < 0);
        }
    }
}

/* against a stop with restitution 0.5: v^2 = 4 - 6 * 0.1 there, comes to rest v^2 / 24 before it */
static void stop__rebound_with_friction(void **unused) {
    (void)unused;
    for (int c = 0; c < COORDINATES; c++) {
        seen run;
        simulate(SLIDER("[0, -10]", "coefficient: 0.3", ", upper: 0.1, restitution: 0.5") "]\ninitial: {j.rate: 2}\n",
                 &(bl_run_options){.coordinates = coordinates[c], .tolerance = 1e-10, .until = 1}, &run, NULL);
        near(run.x[run.n - 1][0], 0.1 - 3.4 / 24, 1e-9, "distance", c, NULL);
        near(run.v[run.n - 1][0], 0, 1e-14, "rate", c, NULL);
    }
}

/* a driver overcomes friction whose sign follows its motion: F = m a + mu m g sign(v) */
static void driver__overcomes_friction(void **unused) {
    (void)unused;
    for (int c = 0; c < COORDINATES; c++) {
        seen run;
        simulate(SLIDER("[0, -10]", "coefficient: 0.3", "") "]\ndrivers: [{variable: j.distance, value: =0.1*sin(t)}]\n",
                 &(bl_run_options){.coordinates = coordinates[c], .tolerance = 1e-9, .until = 7, .every = 0.3}, &run, NULL);
        for (bl_index i = 1; i < run.n; i++)
            near(run.drive[i], -0.2 * sin(run.t[i]) + (cos(run.t[i]) > 0 ? 6 : -6), 1e-8, "force of the driver", c, NULL);
    }
}

/* ---- hinges */

/* a pendulum comes to rest beside its lowest position, within the friction of its hinge, and stays there exactly */
static void pendulum__rests_beside_the_vertical(void **unused) {
    (void)unused;
    static const char plane[] = "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: p, mass: 2, inertia: 0.1, center: [0.5, 0]}]\n"
                                "joints: [{name: j, type: revolute, bodies: [ground, p], at: [0, 0]}]\n"
                                "forces: [{type: joint_friction, joint: j, coefficient: 0.5, radius: 0.05, stick: true}]\n";
    static const char space[] = "gravity: [0, -9.81, 0]\nbodies: [{name: p, mass: 2, inertia: [0.1, 0.1, 0.1], center: [0.5, 0, 0]}]\n"
                                "joints: [{name: j, type: revolute, bodies: [ground, p], at: [0, 0, 0], axis: [0, 0, 1]}]\n"
                                "forces: [{type: joint_friction, joint: j, coefficient: 0.5, radius: 0.05, stick: true}]\n";
    double rest = 0;
    for (int m = 0; m < 2; m++)
        for (int c = 0; c < COORDINATES; c++) {
            seen run;
            simulate(m ? space : plane, &(bl_run_options){.coordinates = coordinates[c], .tolerance = 1e-9, .until = 12, .every = 1}, &run,
                     NULL);
            double angle = run.x[12][0];
            rest = m + c == 0 ? angle : rest;
            near(angle, rest, 1e-7, "angle", c, NULL);
            near(run.v[12][0], 0, 1e-14, "rate", c, NULL);
            near(run.x[9][0], angle, 1e-14, "angle before", c, NULL);
            assert_true(fabs(0.5 * cos(angle)) > 1e-3 && fabs(0.5 * cos(angle)) < 0.5 * 0.05);
        }
}

/* friction that is smoothed over a small speed has the same motion, up to that speed times the time */
static void compare_with_smoothed(const char *text, double until, double limit, bool rests) {
    char model[2048];
    seen smooth, run;
    snprintf(model, sizeof model, text, "velocity: 1e-6", "velocity: 1e-6", "velocity: 1e-6", "velocity: 1e-6");
    simulate(model, &(bl_run_options){.coordinates = "relative", .integrator = "radau", .tolerance = 1e-8, .until = until}, &smooth, NULL);
    snprintf(model, sizeof model, text, "stick: true", "stick: true", "stick: true", "stick: true");
    for (int c = 0; c < COORDINATES; c++) {
        simulate(model, &(bl_run_options){.coordinates = coordinates[c], .tolerance = 1e-9, .until = until}, &run, NULL);
        for (bl_index v = 0; v < run.variables; v++) {
            near(run.x[run.n - 1][v], smooth.x[smooth.n - 1][v], limit, "variable", c, NULL);
            near(run.v[run.n - 1][v], rests ? 0 : smooth.v[smooth.n - 1][v], rests ? 1e-12 : 10 * limit, "rate", c, NULL);
        }
        near(run.work, smooth.work, 10 * limit, "work", c, NULL);
        assert_true(run.energy_error < 1e-6);
    }
}

static void two_hinges__are_the_limit_of_smoothed_friction(void **unused) {
    (void)unused;
    compare_with_smoothed(
        "dimension: 2\ngravity: [0, -9.81]\n"
        "bodies: [{name: p, mass: 2, inertia: 0.1, center: [0.5, 0]}, {name: q, mass: 1, inertia: 0.1, center: [1.5, 0]}]\n"
        "joints:\n  - {name: j, type: revolute, bodies: [ground, p], at: [0, 0]}\n"
        "  - {name: k, type: revolute, bodies: [p, q], at: [1, 0]}\n"
        "forces:\n  - {type: joint_friction, joint: j, coefficient: 0.5, radius: 0.1, %s}\n"
        "  - {type: joint_friction, joint: k, coefficient: 0.5, radius: 0.1, %s}\n",
        9, 1e-5, false);
}

/* Four hinges of a linkage with one degree of freedom: when it comes to rest, any of them could hold it. */
static void linkage__comes_to_rest_with_redundant_friction(void **unused) {
    (void)unused;
    compare_with_smoothed(
        "dimension: 2\ngravity: [0, -9.81]\n"
        "points: {A: [0, 0], B: [0, 0.2], C: [0.3, 0.4], D: [0.5, 0]}\n"
        "bodies: [{name: a, rod: {from: A, to: B}, mass: 0.5}, {name: b, rod: {from: B, to: C}, mass: 1}, {name: c, rod: "
        "{from: C, to: D}, mass: 0.8}]\n"
        "joints:\n  - {name: A, type: revolute, bodies: [ground, a], at: A}\n  - {name: B, type: revolute, bodies: [a, b], at: "
        "B}\n  - {name: C, type: revolute, bodies: [b, c], at: C}\n  - {name: D, type: revolute, bodies: [ground, c], at: D}\n"
        "initial: {A.rate: 12}\nforces:\n"
        "  - {type: joint_friction, joint: A, coefficient: 0.3, radius: 0.02, %s}\n"
        "  - {type: joint_friction, joint: B, coefficient: 0.3, radius: 0.02, %s}\n"
        "  - {type: joint_friction, joint: C, coefficient: 0.3, radius: 0.02, %s}\n"
        "  - {type: joint_friction, joint: D, coefficient: 0.3, radius: 0.02, %s}\n",
        8, 5e-4, true); /* 8 s at 1e-6 m/s on a radius of 0.02 m */
}

/* a tube on an inclined rod: at rest as a slider, turning it slides down however rough it is */
static void tube__sticks_and_screws(void **unused) {
    (void)unused;
    static const char text[] =
        "gravity: [=9.81*sin(0.3), =-9.81*cos(0.3), 0]\nbodies: [{name: b, mass: 2, inertia: [0.1, 0.2, 0.3], center: "
        "[0, 0, 0]}]\njoints: [{name: j, type: cylindrical, bodies: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}]\n"
        "forces: [{type: joint_friction, joint: j, coefficient: %g, radius: 0.05, %s}]\ninitial: {j.angle_rate: %g}\n";
    for (int c = 0; c < COORDINATES; c++) {
        char model[768];
        seen run, smooth;
        bl_run_options options = {.coordinates = coordinates[c], .tolerance = 1e-10, .until = 1};
        snprintf(model, sizeof model, text, 0.31, "stick: true", 0.0); /* tan(0.3) = 0.30934 */
        simulate(model, &options, &run, NULL);
        near(run.x[run.n - 1][1], 0, 1e-15, "distance", c, NULL);
        snprintf(model, sizeof model, text, 0.31, "stick: true", 10.0);
        simulate(model, &options, &run, NULL);
        snprintf(model, sizeof model, text, 0.31, "velocity: 1e-7", 10.0);
        simulate(model, &options, &smooth, NULL);
        for (int v = 0; v < 2; v++) {
            near(run.x[run.n - 1][v], smooth.x[smooth.n - 1][v], 1e-7, "variable", c, NULL);
            near(run.v[run.n - 1][v], smooth.v[smooth.n - 1][v], 1e-7, "rate", c, NULL);
        }
        assert_true(run.x[run.n - 1][1] > 0.1);
    }
}

/* studies without steps evaluate reactions of such joints as well */
static void assembled_joints__have_reactions(void **unused) {
    (void)unused;
    static const char text[] = SLIDER("[0, -10]", "coefficient: 0.3", "") "]\n";
    for (int c = 0; c < COORDINATES; c++) {
        seen run = {0};
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        bl_sink sink = {.user = &run, .begin = begin, .sample = keep};
        assert_int_equal(bl_model_read_text(ctx, "sticking", text, strlen(text), NULL, 0, &model), BL_OK);
        assert_int_equal(bl_assemble(ctx, model, &(bl_run_options){.coordinates = coordinates[c]}, &sink, 1, NULL), BL_OK);
        assert_int_equal(run.n, 1);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static void wrong_coefficients__are_refused(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *expected;
    } wrong[] = {{SLIDER("[0, -10]", "coefficient: 0.3, static: 0.2", "") "]\n", "static = 0.2 is less than coefficient = 0.3"},
                 {SLIDER("[0, -10]", "coefficient: 0.3, velocity: 1", "") "]\n", "'velocity' belongs to friction that is smoothed"},
                 {"dimension: 2\nbodies: [{name: b, mass: 2, inertia: 0.1, center: [0, 0]}]\njoints: [{name: j, type: prismatic, bodies: "
                  "[ground, b], at: [0, 0], axis: [1, 0]}]\nforces: [{type: joint_friction, joint: j, coefficient: 0.1, static: 0.2}]\n",
                  "'static' is the coefficient of a joint that sticks"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        seen run;
        bl_error error;
        assert_int_equal(simulate(wrong[i].text, &(bl_run_options){.until = 1}, &run, &error), BL_E_MODEL);
        if (!strstr(error.what, wrong[i].expected))
            fail_msg("'%s' does not contain '%s'", error.what, wrong[i].expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incline__decides_by_the_angle_of_friction),
        cmocka_unit_test(slider__slips_at_its_static_friction),
        cmocka_unit_test(slope__throw),
        cmocka_unit_test(belt__stick_slip),
        cmocka_unit_test(stop__rebound_with_friction),
        cmocka_unit_test(driver__overcomes_friction),
        cmocka_unit_test(pendulum__rests_beside_the_vertical),
        cmocka_unit_test(two_hinges__are_the_limit_of_smoothed_friction),
        cmocka_unit_test(linkage__comes_to_rest_with_redundant_friction),
        cmocka_unit_test(tube__sticks_and_screws),
        cmocka_unit_test(assembled_joints__have_reactions),
        cmocka_unit_test(wrong_coefficients__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
