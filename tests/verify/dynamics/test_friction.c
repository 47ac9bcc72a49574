/* Dry friction from the reaction of its joint: motions with known or independently integrated solutions, the same with every formulation
 * and in all coordinates; and refusals: reactions that are not determined, joints that jam, unsuitable formulations. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const rates[] = {"partition",  "partition:index=2",    "lagrange",
                                    "matrix_r",   "range_space",          "null_space",
                                    "baumgarte",  "projection",           "projection:at=stage",
                                    "correction", "auglag:project=stage", "penalty"};
enum { NRATE = sizeof rates / sizeof *rates };

typedef struct seen {
    double until, variable[8], rate[8], energy_error, kinetic, work;
    bl_wrench reaction[8];
    char log[1024];
} seen;

static bl_status look(void *user, const bl_sample *s) {
    seen *run = user;
    run->energy_error = fmax(run->energy_error, fabs(s->energy_error));
    run->kinetic = fmax(run->kinetic, s->kinetic);
    run->work = s->work;
    run->until = s->t;
    return BL_OK;
}

static bl_index joints, variables;

static bl_status begin(void *user, const bl_run_info *info) {
    (void)user;
    joints = info->njoint;
    variables = info->nvariable;
    return BL_OK;
}

static bl_status keep(void *user, const bl_sample *s) {
    seen *run = user;
    for (bl_index i = 0; i < variables && i < 8; i++) {
        run->variable[i] = s->variable[i];
        run->rate[i] = s->variable_rate[i];
    }
    for (bl_index i = 0; i < joints && i < 8; i++)
        run->reaction[i] = s->reaction[i];
    return look(user, s);
}

static void hear(void *user, bl_log_level level, const char *message) {
    seen *run = user;
    size_t used = strlen(run->log);
    if (level == BL_LOG_WARNING)
        snprintf(run->log + used, sizeof run->log - used, "%s\n", message);
}

/* runs the text; *error (may be NULL) receives the message of a failure */
static bl_status simulate(const char *text, const bl_run_options *options, seen *run, bl_error *error) {
    memset(run, 0, sizeof *run);
    bl_context *ctx = NULL;
    bl_model *model = NULL;
    bl_context_options def = {.log = hear, .log_user = run, .log_level = BL_LOG_WARNING};
    assert_int_equal(bl_context_create(&def, &ctx), BL_OK);
    bl_sink sink = {.user = run, .begin = begin, .sample = keep};
    bl_status status = bl_model_read_text(ctx, "friction", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, options, &sink, 1, NULL);
    if (error)
        *error = *bl_context_error(ctx);
    else if (status != BL_OK)
        fail_msg("%s: %s", options->formulation ? options->formulation : "default", bl_context_error(ctx)->what);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    return status;
}

/* ---- block on an incline: s'' = g (sin th - mu cos th) at speeds far above the smoothing one, and the reaction is m g cos th */

static void incline__acceleration_is_coulombs(void **unused) {
    (void)unused;
    static const char plane[] =
        "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: block, mass: 2, inertia: 0.1, center: [0, 0]}]\n"
        "joints: [{name: j, type: prismatic, bodies: [ground, block], at: [0, 0], axis: [=cos(0.5), =-sin(0.5)]}]\n"
        "forces: [{type: joint_friction, joint: j, coefficient: 0.3}]\ninitial: {j.rate: 0.2}\nmeasure: [j.distance]\n";
    static const char space[] =
        "gravity: [0, -9.81, 0]\nbodies: [{name: block, mass: 2, inertia: [0.1, 0.2, 0.3], center: [0, 0, 0]}]\n"
        "joints: [{name: j, type: prismatic, bodies: [ground, block], at: [0, 0, 0], axis: [=cos(0.5)*0.6, =-sin(0.5), =cos(0.5)*0.8]}]\n"
        "forces: [{type: joint_friction, joint: j, coefficient: 0.3}]\ninitial: {j.rate: 0.2}\nmeasure: [j.distance]\n";
    static const char tube[] = /* rotation and sliding share the friction: without rotation it is that of a slider */
        "gravity: [0, -9.81, 0]\nbodies: [{name: block, mass: 2, inertia: [0.1, 0.2, 0.3], center: [0, 0, 0]}]\n"
        "joints: [{name: j, type: cylindrical, bodies: [ground, block], at: [0, 0, 0], axis: [=cos(0.5), =-sin(0.5), 0]}]\n"
        "forces: [{type: joint_friction, joint: j, coefficient: 0.3, radius: 0.05}]\ninitial: {j.distance_rate: 0.2}\n";
    static const char *const models[] = {plane, space, tube};
    double a = 9.81 * (sin(0.5) - 0.3 * cos(0.5)), until = 0.7;
    for (int m = 0; m < 3; m++)
        for (int f = 0; f <= NRATE; f++) { /* the last one: by the tree itself */
            seen run;
            bool tree = f == NRATE;
            bl_run_options options = {
                .coordinates = tree ? "relative" : NULL, .formulation = tree ? "direct" : rates[f], .tolerance = 1e-10, .until = until};
            simulate(models[m], &options, &run, NULL);
            bool soft = strcmp(options.formulation, "penalty") == 0;
            int slide = m == 2; /* the tube's angle comes first */
            double limit = soft ? 1e-5 : 1e-9;
            double across = sqrt(run.reaction[0].force[0] * run.reaction[0].force[0] + run.reaction[0].force[1] * run.reaction[0].force[1] +
                                 run.reaction[0].force[2] * run.reaction[0].force[2]);
            if (!(fabs(run.rate[slide] - 0.2 - a * until) < limit) ||
                !(fabs(run.variable[slide] - 0.2 * until - a * until * until / 2) < limit) ||
                !(fabs(across - 2 * 9.81 * cos(0.5)) < 100 * limit) || !(run.energy_error < 100 * limit))
                fail_msg("model %d, %s: rate off by %g, way by %g, reaction by %g, energy by %g", m, options.formulation,
                         run.rate[slide] - 0.2 - a * until, run.variable[slide] - 0.2 * until - a * until * until / 2,
                         across - 2 * 9.81 * cos(0.5), run.energy_error);
        }
}

/* the guides transmit a moment: pulled at the distance e from the axis, N = 2 P e / arm */
static void guides__carry_moments(void **unused) {
    (void)unused;
    static const char text[] =
        "dimension: 2\ngravity: [0, 0]\nbodies: [{name: drawer, mass: 3, inertia: 0.1, center: [0, 0]}]\n"
        "joints: [{name: j, type: prismatic, bodies: [ground, drawer], at: [0, 0], axis: [1, 0]}]\n"
        "forces: [{type: joint_friction, joint: j, coefficient: 0.2, arm: 0.4, viscous: 0},\n"
        "  {type: force, body: drawer, at: [0, 0.25], force: [12, 0]}]\ninitial: {j.rate: 0.5}\nmeasure: [j.distance]\n";
    static const char *const coordinates[] = {"natural", "reference", "relative"};
    for (int c = 0; c < 3; c++) {
        seen run;
        bl_run_options options = {.coordinates = coordinates[c], .tolerance = 1e-10, .until = 0.5};
        simulate(text, &options, &run, NULL);
        double a = (12 - 0.2 * 2 * 12 * 0.25 / 0.4) / 3;
        assert_true(fabs(run.rate[0] - 0.5 - 0.5 * a) < 1e-9);
        assert_true(fabs(fabs(run.reaction[0].moment[2]) - 3) < 1e-9);
    }
}

/* ---- rod on a pin: I th'' = -m g L/2 cos th - mu r N tanh(r th' / v), N = |m (a - g)| with a the acceleration of its center */

enum { PIN_STEPS = 20000 };

static double pin_acceleration(double th, double w) {
    const double m = 1.5, L = 1, g = 9.81, mu = 0.3, r = 0.2, v = 0.05, I = m * L * L / 3;
    double low = -1000, high = 1000;
    for (int k = 0; k < 100; k++) { /* monotone: mu r m L / 2 < I */
        double x = 0.5 * (low + high);
        double fx = m * L / 2 * (-x * sin(th) - w * w * cos(th)), fy = m * (L / 2 * (x * cos(th) - w * w * sin(th)) + g);
        double left = I * x + m * g * L / 2 * cos(th) + mu * r * hypot(fx, fy) * tanh(r * w / v);
        *(left > 0 ? &high : &low) = x;
    }
    return 0.5 * (low + high);
}

static void pin_rate(const double *y, double *d) {
    d[0] = y[1];
    d[1] = pin_acceleration(y[0], y[1]);
}

static void pendulum__follows_the_implicit_equation(void **unused) {
    (void)unused;
    static const char text[] = "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: rod, rod: {from: [0, 0], to: [1, 0]}, mass: 1.5}]\n"
                               "joints: [{name: pin, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n"
                               "forces: [{type: joint_friction, joint: pin, coefficient: 0.3, radius: 0.2, velocity: 0.05}]\n"
                               "initial: {pin.rate: -1}\nmeasure: [pin.angle]\n";
    double y[2] = {0, -1}, h = 2.0 / PIN_STEPS, k[4][2], at[2];
    for (int i = 0; i < PIN_STEPS; i++) { /* classical Runge-Kutta, h = 1e-4: error about 1e-12 */
        pin_rate(y, k[0]);
        for (int s = 1; s < 4; s++) {
            for (int c = 0; c < 2; c++)
                at[c] = y[c] + (s == 3 ? 1 : 0.5) * h * k[s - 1][c];
            pin_rate(at, k[s]);
        }
        for (int c = 0; c < 2; c++)
            y[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
    }
    static const char *const coordinates[] = {"natural", "mixed", "relative"};
    for (int c = 0; c < 3; c++)
        for (int f = 0; f < NRATE + (c == 2); f++) { /* the last one: by the tree itself */
            seen run;
            const char *way = f < NRATE ? rates[f] : "direct";
            bl_run_options options = {.coordinates = coordinates[c], .formulation = way, .tolerance = 1e-10, .until = 2};
            simulate(text, &options, &run, NULL);
            double limit = strcmp(way, "penalty") == 0 ? 1e-4 : strcmp(way, "baumgarte") == 0 ? 1e-7 : 2e-8;
            if (!(fabs(run.variable[0] - y[0]) < limit) || !(fabs(run.rate[0] - y[1]) < 10 * limit))
                fail_msg("%s, %s: angle off by %g, rate by %g", coordinates[c], way, run.variable[0] - y[0], run.rate[0] - y[1]);
        }
    static const char *const implicit[] = {"ndf_auto", "radau"}; /* the default formulation must be suitable */
    for (int i = 0; i < 2; i++) {
        seen run;
        bl_run_options options = {.integrator = implicit[i], .tolerance = 1e-9, .until = 2};
        simulate(text, &options, &run, NULL);
        if (!(fabs(run.variable[0] - y[0]) < 1e-6))
            fail_msg("%s: angle off by %g", implicit[i], run.variable[0] - y[0]);
    }
}

/* ---- in space, with first and second body exchanged, about an inclined axis: a plane motion, tilted */

static void slanted_pendulum__moves_like_the_plane_one(void **unused) {
    (void)unused;
    static const char plane[] = "dimension: 2\ngravity: [0, =-9.81*0.8]\nbodies: [{name: rod, mass: 1.5, center: [0.5, 0], inertia: 0.2}]\n"
                                "joints: [{name: pin, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n"
                                "forces: [{type: joint_friction, joint: pin, coefficient: 0.3, radius: 0.2, velocity: 0.05}]\n"
                                "initial: {pin.rate: -1}\nmeasure: [pin.angle]\n";
    /* the axis is tilted by asin 0.6 from the horizontal: 0.8 g perpendicular to it, 0.6 g along it, which a revolute joint transmits
     * without friction */
    static const char space[] = "gravity: [0, -9.81, 0]\nbodies: [{name: rod, mass: 1.5, center: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2]}]\n"
                                "joints: [{name: pin, type: revolute, bodies: [rod, ground], at: [0, 0, 0], axis: [0, 0.6, 0.8]}]\n"
                                "forces: [{type: joint_friction, joint: pin, coefficient: 0.3, radius: 0.2, velocity: 0.05}]\n"
                                "initial: {pin.rate: 1}\nmeasure: [pin.angle]\n";
    seen flat, tilted;
    bl_run_options options = {.tolerance = 1e-10, .until = 1};
    simulate(plane, &options, &flat, NULL);
    static const char *const coordinates[] = {"natural", "reference:angles", "relative"};
    for (int c = 0; c < 3; c++) {
        options.coordinates = coordinates[c];
        simulate(space, &options, &tilted, NULL);
        if (!(fabs(flat.variable[0] + tilted.variable[0]) < 1e-7))
            fail_msg("plane %.12g, space in %s %.12g", flat.variable[0], coordinates[c], tilted.variable[0]);
    }
}

/* ---- slider-crank with friction everywhere */

static bl_status scene(const char *coordinates, const char *formulation, double tolerance, seen *run) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    memset(run, 0, sizeof *run);
    assert_int_equal(bl_model_read(ctx, SCENES "/friction_slider_crank.yaml", NULL, 0, &model), BL_OK);
    bl_sink sink = {.user = run, .begin = begin, .sample = keep};
    bl_run_options options = {.coordinates = coordinates, .formulation = formulation, .tolerance = tolerance, .until = 0.5};
    bl_status status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
    bl_model_destroy(model);
    test_context_end(ctx);
    return status;
}

static void slider_crank__formulations_and_coordinates_agree(void **unused) {
    (void)unused;
    seen want, run;
    assert_int_equal(scene("natural", "partition", 1e-11, &want), BL_OK);
    assert_true(want.work < 5 && want.kinetic > 1);
    for (int f = 0; f < NRATE; f++)
        for (int c = 0; c < 3; c++) {
            static const char *const coordinates[] = {"natural", "mixed", "relative"};
            if (c == 1 && f > 3)
                continue;
            assert_int_equal(scene(coordinates[c], rates[f], 1e-9, &run), BL_OK);
            bool soft = strcmp(rates[f], "penalty") == 0 || strcmp(rates[f], "baumgarte") == 0;
            double limit = soft ? 1e-3 : 1e-6;
            double force = 0;
            for (int k = 0; k < 3; k++)
                force = fmax(force, fabs(run.reaction[3].force[k] - want.reaction[3].force[k]));
            if (!(fabs(run.variable[0] - want.variable[0]) < limit) || !(force < 1000 * limit) || !(run.energy_error < 100 * limit))
                fail_msg("%s, coordinates %d: angle off by %g, reaction by %g, energy by %g", rates[f], c,
                         run.variable[0] - want.variable[0], force, run.energy_error);
        }
}

/* ---- refusals */

/* Crank 0.2 driven at 1 rad/s, rod 0.25: friction f at the slider causes f / cos(beta) in the rod and f tan(beta) on the guide, so that N =
 * N0 + mu tan(beta) N has no solution if mu tan(beta) >= 1. */
static void driven_crank__jams_where_the_friction_angle_says(void **unused) {
    (void)unused;
    static const char text[] =
        "dimension: 2\ngravity: [0, 0]\nparameters: {start: 0.2, reach: =0.2*cos(start) + sqrt(0.0625 - 0.04*sin(start)^2)}\n"
        "bodies:\n  - {name: crank, rod: {from: [0,0], to: [=0.2*cos(start),=0.2*sin(start)]}, mass: 1}\n"
        "  - {name: rod, rod: {from: [=0.2*cos(start),=0.2*sin(start)], to: [=reach,0]}, mass: 0.01}\n"
        "  - {name: slider, mass: 1, center: [=reach,0], inertia: 0.1}\njoints:\n"
        "  - {name: a, type: revolute, bodies: [ground, crank], at: [0,0]}\n"
        "  - {name: b, type: revolute, bodies: [crank, rod], at: [=0.2*cos(start),=0.2*sin(start)]}\n"
        "  - {name: c, type: revolute, bodies: [rod, slider], at: [=reach,0]}\n"
        "  - {name: guide, type: prismatic, bodies: [ground, slider], at: [=reach,0], axis: [1,0]}\n"
        "drivers: [{variable: a.angle, value: =t}]\nforces: [{type: joint_friction, joint: guide, coefficient: 1.5}]\n";
    double jam = asin(0.25 / 0.2 * sin(atan(1 / 1.5))) - 0.2;
    static const char *const some[] = {"partition", "lagrange", "null_space", "projection"};
    for (int f = 0; f < 8; f++) {
        seen run;
        bl_error error;
        bl_run_options options = {.coordinates = f < 4 ? "natural" : "relative", .tolerance = 1e-8, .until = 2, .every = 0.01};
        options.formulation = some[f % 4];
        assert_int_equal(simulate(text, &options, &run, &error), BL_E_NUMERIC);
        if (!strstr(error.what, "prismatic 'guide' jams") || !strstr(error.part, "guide") || !strstr(error.advice, "self-locking"))
            fail_msg("%s: %s (%s)", some[f % 4], error.what, error.advice);
        /* steps approach it as closely as the tolerance */
        if (!(fabs(error.time - jam) < 1e-4) || !(run.until > jam - 0.02 && run.until <= jam + options.tolerance))
            fail_msg("%s: jams at %.9g, last sample %g, the friction angle says %.9g", some[f % 4], error.time, run.until, jam);
    }
}

static void stage_formulations__are_refused_by_name(void **unused) {
    (void)unused;
    static const char *const stage[] = {"index3", "ggl", "ali3p"};
    for (int f = 0; f < 3; f++) {
        seen run;
        bl_error error;
        bl_run_options options = {.formulation = stage[f], .integrator = "trapezoidal", .step = 0.01, .until = 0.1};
        bl_status status = simulate("dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: rod, rod: {from: [0, 0], to: [1, 0]}, mass: 1.5}]\n"
                                    "joints: [{name: pin, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n"
                                    "forces: [{type: joint_friction, joint: pin, coefficient: 0.3, radius: 0.2}]\n",
                                    &options, &run, &error);
        assert_int_equal(status, BL_E_ABILITY);
        if (!strstr(error.what, stage[f]) || !strstr(error.what, "'pin'") || !strstr(error.advice, "partition"))
            fail_msg("%s: %s (%s)", stage[f], error.what, error.advice);
    }
}

/* a plane four-bar in space: forces of its revolute joints perpendicular to the axes are determined in the plane, moments perpendicular to
 * the axes are not */
static void redundant_constraints__are_reported_where_they_matter(void **unused) {
    (void)unused;
    static const char four_bar[] =
        "gravity: [0, -9.81, 0]\nbodies:\n  - {name: a, rod: {from: [0,0,0], to: [0,1,0]}, mass: 1}\n"
        "  - {name: b, rod: {from: [0,1,0], to: [1.5,1.2,0]}, mass: 1}\n  - {name: c, rod: {from: [1.5,1.2,0], to: [1.5,0,0]}, mass: 1}\n"
        "joints:\n  - {name: A, type: revolute, bodies: [ground, a], at: [0,0,0], axis: [0,0,1]}\n"
        "  - {name: B, type: revolute, bodies: [a, b], at: [0,1,0], axis: [0,0,1]}\n"
        "  - {name: C, type: revolute, bodies: [b, c], at: [1.5,1.2,0], axis: [0,0,1]}\n"
        "  - {name: D, type: revolute, bodies: [c, ground], at: [1.5,0,0], axis: [0,0,1]%s}\n"
        "forces: [{type: joint_friction, joint: B, coefficient: 0.2, radius: 0.05, velocity: 0.05%s}]\ninitial: {A.rate: 3}\n";
    static const char *const some[] = {"partition", "lagrange", "range_space", "correction"};
    for (int cut = 0; cut < 2; cut++)
        for (int arm = 0; arm < 2; arm++)
            for (int f = 0; f < 8; f++) {
                char text[2000];
                seen run;
                snprintf(text, sizeof text, four_bar, cut ? ", cut: true" : "", arm ? ", arm: 0.1" : "");
                bl_run_options options = {.coordinates = f < 4 ? "natural" : "relative", .tolerance = 1e-6, .until = 0.1};
                options.formulation = some[f % 4];
                simulate(text, &options, &run, NULL);
                const char *said = strstr(run.log, "normal load of revolute 'B'");
                if ((said != NULL) != (arm == 1) || (said && strstr(said + 1, "normal load")))
                    fail_msg("%s, %s, cut %d, arm %d: '%s'", options.coordinates, some[f % 4], cut, arm, run.log);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incline__acceleration_is_coulombs),
        cmocka_unit_test(guides__carry_moments),
        cmocka_unit_test(pendulum__follows_the_implicit_equation),
        cmocka_unit_test(slanted_pendulum__moves_like_the_plane_one),
        cmocka_unit_test(slider_crank__formulations_and_coordinates_agree),
        cmocka_unit_test(driven_crank__jams_where_the_friction_angle_says),
        cmocka_unit_test(stage_formulations__are_refused_by_name),
        cmocka_unit_test(redundant_constraints__are_reported_where_they_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
