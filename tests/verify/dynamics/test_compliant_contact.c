/* Contacts and stops that yield: rebounds known in closed form, in all coordinates and with all families of methods; balances of energy and
 * momentum; the rigid contact as their limit; Coulomb's sliding ball; refusals. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct seen {
    double v[4][3], w[4][3], at[4][3], rate, angle, energy_error, work, kinetic, before; /* of the last sample; before: energy at first */
    char log[512];
    bl_index nbody;
} seen;

static bl_status begin(void *user, const bl_run_info *info) {
    ((seen *)user)->nbody = info->nbody < 4 ? info->nbody : 4;
    return BL_OK;
}

static bl_status keep(void *user, const bl_sample *s) {
    seen *run = user;
    for (bl_index i = 0; i < run->nbody; i++) { /* the sample is without ground */
        memcpy(run->at[i], s->body[i].position, sizeof run->at[i]);
        memcpy(run->v[i], s->body[i].velocity, sizeof run->v[i]);
        memcpy(run->w[i], s->body[i].angular_velocity, sizeof run->w[i]);
    }
    run->rate = s->variable_rate ? s->variable_rate[0] : 0;
    run->angle = s->variable ? s->variable[0] : 0;
    run->before = s->t == 0 ? s->kinetic + s->potential : run->before;
    run->kinetic = s->kinetic;
    run->work = s->work;
    run->energy_error = fmax(run->energy_error, fabs(s->energy_error));
    return BL_OK;
}

static void hear(void *user, bl_log_level level, const char *message) {
    seen *run = user;
    size_t used = strlen(run->log);
    if (level == BL_LOG_WARNING)
        snprintf(run->log + used, sizeof run->log - used, "%s\n", message);
}

static bl_status simulate(const char *text, const bl_run_options *options, seen *run, bl_error *error) {
    memset(run, 0, sizeof *run);
    bl_context *ctx = NULL;
    bl_model *model = NULL;
    bl_context_options def = {.log = hear, .log_user = run, .log_level = BL_LOG_WARNING};
    assert_int_equal(bl_context_create(&def, &ctx), BL_OK);
    bl_sink sink = {.user = run, .begin = begin, .sample = keep};
    bl_status status = bl_model_read_text(ctx, "compliant", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, options, &sink, 1, NULL);
    if (error)
        *error = *bl_context_error(ctx);
    else if (status != BL_OK)
        fail_msg("%s, %s: %s", options->coordinates ? options->coordinates : "default",
                 options->integrator ? options->integrator : "default", bl_context_error(ctx)->what);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    return status;
}

static const char *const coordinates[] = {"natural", "mixed", "reference", "relative"};

/* ---- rebound: e = v1 / v0 from v0/chi - ln(1 + chi v0)/chi^2 = -v1/chi - ln(1 - chi v1)/chi^2, whatever k, n and m; here found by
 * bisection, and compared with its digits for three chi v0 */

static double rebound(double chi, double v0) {
    double low = 0, high = fmin(v0, 0.999999999999 / chi), in = v0 / chi - log(1 + chi * v0) / (chi * chi);
    for (int i = 0; i < 200; i++) {
        double v = 0.5 * (low + high), out = -v / chi - log(1 - chi * v) / (chi * chi);
        *(out < in ? &low : &high) = v;
    }
    return low / v0;
}

static const char ball[] = "dimension: 2\nbodies: [{name: ball, disc: {center: [0, 0.2], radius: 0.1}, mass: %g}]\n"
                           "contacts: [{name: floor, between: [ground, ball], shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, "
                           "{disc: {at: [0, 0.2], radius: 0.1}}], law: hunt_crossley, stiffness: %.17g, exponent: %g, damping: %g}]\n"
                           "initial: {ball: {velocity: [0, %g]}}\n";

static void rebound__is_the_closed_one(void **unused) {
    (void)unused;
    static const struct { double chi, v0, e; } known[] = {{0.3, 1, 0.8328697923}, {0.3, 2, 0.7119501796}, {0.2, 0.5, 0.9374755799}};
    static const double mass[] = {1, 0.02, 30}, exponent[] = {1, 1.5, 2, 2.2, 3};
    for (int c = 0; c < 3; c++) {
        assert_true(fabs(rebound(known[c].chi, known[c].v0) - known[c].e) < 1e-10);
        for (int n = 0; n < 5; n++) {
            char text[512];
            seen run;
            double until = 0.1 / known[c].v0 + 0.2, stiffness = mass[(c + n) % 3] * pow(10, 3 * exponent[n] + 1);
            snprintf(text, sizeof text, ball, mass[(c + n) % 3], stiffness, exponent[n], known[c].chi, -known[c].v0);
            simulate(text, &(bl_run_options){.coordinates = coordinates[(c + n) % 4], .tolerance = 1e-10, .until = until}, &run, NULL);
            if (!(fabs(run.v[0][1] / known[c].v0 - known[c].e) < 1e-8) || run.log[0])
                fail_msg("n = %g, chi = %g: rebound %.12g, expected %.12g %s", exponent[n], known[c].chi, run.v[0][1] / known[c].v0,
                         known[c].e, run.log);
            assert_true(run.energy_error < 1e-8 * run.before);
            double lost = run.before * (1 - known[c].e * known[c].e);
            assert_true(fabs(run.work + lost) < 1e-7 * run.before); /* all of it dissipated */
        }
    }
}

/* T = 2 d/v0 sqrt(pi) Gamma(1 + 1/(n+1)) / Gamma(1/2 + 1/(n+1)), with the greatest depth d; n = 1.5: Hertz's 2.9432751 d/v0 */
static void contact__lasts_as_long_as_hertz_found(void **unused) {
    (void)unused;
    static const double exponent[] = {1, 1.5, 2.5, 3}, depth[] = {1e-3, 1e-6};
    for (int n = 0; n < 4; n++)
        for (int d = 0; d < 2; d++) {
            char text[512];
            seen run;
            double p = 1 / (exponent[n] + 1), lasts = 2 * depth[d] * sqrt(acos(-1)) * tgamma(1 + p) / tgamma(0.5 + p);
            snprintf(text, sizeof text, ball, 1.0, 0.5 / p * pow(depth[d], -1 / p), exponent[n], 0.0, -1.0);
            simulate(text, &(bl_run_options){.coordinates = coordinates[n], .tolerance = 1e-12, .until = 0.2}, &run, NULL);
            double found = 0.2 - 0.1 - (run.at[0][1] - 0.1);                /* at speed 1 before and after it */
            if (!(fabs(found - lasts) < (1e-8 + 1e-11 / depth[d]) * lasts)) /* positions have the tolerance */
                fail_msg("n = %g, depth %g m: %.9g s, expected %.9g s", exponent[n], depth[d], found, lasts);
        }
}

static void rebound__is_the_same_with_all_methods(void **unused) {
    (void)unused;
    static const struct {
        const char *integrator, *formulation;
        double tolerance, limit;
    } by[] = {{"dopri45", NULL, 1e-10, 1e-7},
              {"dop853", NULL, 1e-10, 1e-7},
              {"abm", NULL, 1e-10, 1e-7},
              {"radau", NULL, 1e-10, 1e-7},
              {"ndf_auto", NULL, 1e-10, 1e-7},
              {"bdf", NULL, 1e-9, 1e-3},
              {"rk4", NULL, 1e-10, 1e-5},
              {"genalpha", "index3", 1e-9, 1e-3},
              {"hht", "index3", 1e-9, 1e-2},
              {"radau", "ggl", 1e-9, 1e-6},
              {"trapezoidal", NULL, 1e-9, 1e-4},
              {"rosenbrock23", NULL, 1e-9, 1e-5},
              {"dopri45", "projection", 1e-10, 1e-7},
              {"dopri45", "null_space", 1e-10, 1e-7},
              {"edmc1", NULL, 1e-9, 1e-2}};
    char text[512];
    snprintf(text, sizeof text, ball, 1.0, 1e5, 1.5, 0.3, -1.0);
    for (size_t b = 0; b < sizeof by / sizeof *by; b++)
        for (int c = 0; c < 4; c++) {
            seen run;
            bl_error error;
            bl_run_options options = {.coordinates = coordinates[c],
                                      .integrator = by[b].integrator,
                                      .formulation = by[b].formulation,
                                      .tolerance = by[b].tolerance,
                                      .until = 0.2};
            bl_status status = simulate(text, &options, &run, &error);
            if (status == BL_E_ABILITY) /* of coordinates and methods that do not fit together */
                continue;
            if (status != BL_OK)
                fail_msg("%s, %s: %s", coordinates[c], by[b].integrator, error.what);
            if (!(fabs(run.v[0][1] - 0.8328697923) < by[b].limit))
                fail_msg("%s, %s: rebound %.12g", coordinates[c], by[b].integrator, run.v[0][1]);
        }
}

/* ---- buffers: the same law on a variable; also of a hinge, where chi is in s/rad */

static void buffer__rebounds_alike(void **unused) {
    (void)unused;
    static const char slider[] = "dimension: 2\nbodies: [{name: b, mass: 2, inertia: 1, center: [0, 0]}]\n"
                                 "joints: [{name: j, type: prismatic, bodies: [ground, b], at: [0, 0], axis: [1, 0]}]\n"
                                 "stops: [{variable: j.distance, %s: %s, stiffness: 1e4, damping: 0.3, exponent: 1}]\n"
                                 "initial: {j.rate: %s}\nmeasure: [j.distance]\n";
    static const char hinge[] = "bodies: [{name: b, mass: 2, inertia: [2, 2, 3], center: [0.2, 0, 0]}]\n"
                                "joints: [{name: j, type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}]\n"
                                "stops: [{variable: j.angle, %s: %s, stiffness: 1e4, damping: 0.3, exponent: 1}]\n"
                                "initial: {j.rate: %s}\nmeasure: [j.angle]\n";
    for (int m = 0; m < 2; m++)
        for (int upper = 0; upper < 2; upper++)
            for (int c = 0; c < 4; c++) {
                char text[512];
                seen run;
                snprintf(text, sizeof text, m ? hinge : slider, upper ? "upper" : "lower", upper ? "0.1" : "-0.1", upper ? "2" : "-2");
                simulate(text, &(bl_run_options){.coordinates = coordinates[c], .tolerance = 1e-10, .until = 0.3}, &run, NULL);
                double v = 0.7119501796 * 2 * (upper ? -1 : 1);
                if (!(fabs(run.rate - v) < 1e-7) || !(run.energy_error < 1e-7))
                    fail_msg("model %d, %s: rate %.12g, expected %.12g, energy off by %g", m, coordinates[c], run.rate, v,
                             run.energy_error);
            }
}

/* a pendulum lies down on its buffer: k d = m g l cos(angle) there */
static void buffer__carries_the_weight(void **unused) {
    (void)unused;
    static const char text[] = "dimension: 2\ngravity: [0, -10]\nbodies: [{name: b, mass: 2, inertia: 1, center: [0.5, 0]}]\n"
                               "joints: [{name: j, type: revolute, bodies: [ground, b], at: [0, 0]}]\n"
                               "stops: [{name: rest, variable: j.angle, lower: -0.3, stiffness: 1e3, damping: 40, exponent: 1}]\n";
    seen run;
    simulate(text, &(bl_run_options){.tolerance = 1e-10, .until = 20}, &run, NULL);
    assert_true(fabs(run.rate) < 1e-5 && run.angle < -0.3);
    assert_true(fabs(1e3 * (-0.3 - run.angle) - 10 * cos(run.angle)) < 1e-3);
}

/* ---- the rigid contact is the limit of stiffness: third bounce of a ball that falls 1 m. Contact lasts, and postpones it, as k^(-1/2) */

static double third_bounce(const char *law) {
    char text[640];
    seen run;
    snprintf(text, sizeof text,
             "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: ball, disc: {center: [0, 1.1], radius: 0.1}, mass: 1}]\n"
             "contacts: [{between: [ground, ball], shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {disc: {at: [0, 1.1], radius: 0.1}}], "
             "%s}]\ninitial: {ball: {velocity: [0, 0]}}\n",
             law);
    simulate(text, &(bl_run_options){.tolerance = 1e-10, .until = 1.5}, &run, NULL);
    return run.at[0][1];
}

static void stiff_contact__tends_to_the_rigid_one(void **unused) {
    (void)unused;
    double rigid = third_bounce("restitution: 1"), gap[3];
    static const double k[] = {1e6, 1e8, 1e10};
    for (int i = 0; i < 3; i++) {
        char law[96];
        snprintf(law, sizeof law, "law: hunt_crossley, stiffness: %g, exponent: 1", k[i]);
        gap[i] = third_bounce(law) - rigid;
        if (i > 0 && !(fabs(gap[i - 1] / gap[i] - 10) < 0.2)) /* first order in k^(-1/2) */
            fail_msg("heights above the rigid one: %g, %g", gap[i - 1], gap[i]);
    }
    assert_true(fabs(gap[2]) < 2e-4);
}

/* ---- friction: a ball that slides rolls in the end with 5/7 of its speed (2/3 for a disc); two balls keep their momenta */

static void sliding_ball__rolls_in_the_end(void **unused) {
    (void)unused;
    static const char space[] =
        "gravity: [0, 0, -9.81]\nbodies: [{name: ball, sphere: {center: [0, 0, 0.1], radius: 0.1}, mass: 2}]\n"
        "contacts: [{between: [ground, ball], shapes: [{plane: {at: [0, 0, 0], normal: [0, 0, 1]}}, {sphere: {at: [0, 0, 0.1], radius: "
        "0.1}}], law: hunt_crossley, stiffness: 1e7, damping: 1, friction: 0.3}]\ninitial: {ball: {velocity: [0.6, 0.8, 0]}}\n";
    static const char plane[] =
        "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: ball, disc: {center: [0, 0.1], radius: 0.1}, mass: 2}]\n"
        "contacts: [{between: [ball, ground], shapes: [{disc: {at: [0, 0.1], radius: 0.1}}, {plane: {at: [0, 0], normal: [0, 1]}}], "
        "law: hunt_crossley, stiffness: 1e7, damping: 1, friction: 0.3}]\ninitial: {ball: {velocity: [1, 0]}}\n";
    for (int c = 0; c < 4; c++) {
        seen run;
        bl_run_options options = {.coordinates = coordinates[c], .tolerance = 1e-8, .until = 0.5};
        simulate(space, &options, &run, NULL);
        assert_true(fabs(run.v[0][0] - 0.6 * 5 / 7) < 1e-6 && fabs(run.v[0][1] - 0.8 * 5 / 7) < 1e-6);
        assert_true(fabs(run.w[0][1] - 6 * 5.0 / 7) < 1e-5 && fabs(run.w[0][0] + 8 * 5.0 / 7) < 1e-5);
        simulate(plane, &options, &run, NULL);
        assert_true(fabs(run.v[0][0] - 2.0 / 3) < 1e-6 && fabs(run.w[0][2] + 20.0 / 3) < 1e-5);
        options.until = 0.05; /* Coulomb's law as long as it slides fast: m v_x' = -mu N, m v_y' = N - m g */
        simulate(plane, &options, &run, NULL);
        assert_true(fabs(run.v[0][0] + 0.3 * run.v[0][1] - (1 - 0.3 * 9.81 * 0.05)) < 1e-7);
    }
}

static void free_bodies__keep_their_momenta(void **unused) {
    (void)unused;
    static const char text[] =
        "bodies:\n  - {name: A, sphere: {center: [0, 0, 0], radius: 0.1}, mass: 1}\n"
        "  - {name: B, mass: 3, inertia: [0.1, 0.2, 0.3], center: [0.3, 0.05, 0.02]}\n"
        "contacts: [{name: pair, between: [A, B], shapes: [{sphere: {at: [0, 0, 0], radius: 0.1}}, {%s}], law: hunt_crossley, "
        "stiffness: 1e4, damping: 0.5, friction: 0.5}]\n"
        "initial: {A: {velocity: [2, 0.3, 0.1], angular_velocity: [1, 5, 3]}, B: {angular_velocity: [0.3, 0.1, 0.7]}}\n";
    static const char *const shapes[] = {"sphere: {at: [0.3, 0.05, 0.02], radius: 0.12}",
                                         "plane: {at: [0.2, 0, 0], normal: [-1, 0.1, 0.2]}"};
    for (int s = 0; s < 2; s++)
        for (int c = 0; c < 3; c++) {
            char model[768];
            seen run;
            snprintf(model, sizeof model, text, shapes[s]);
            simulate(model, &(bl_run_options){.coordinates = coordinates[c], .tolerance = 1e-9, .until = 0.3}, &run, NULL);
            assert_true(run.v[1][0] > 0.1); /* they met */
            for (int k = 0; k < 3; k++)
                assert_true(fabs(run.v[0][k] + 3 * run.v[1][k] - (double[]){2, 0.3, 0.1}[k]) < 1e-7);
            assert_true(run.energy_error < 1e-6 && run.work < -0.01);
            if (run.log[0]) /* the check of momenta and moments of momentum is silent */
                fail_msg("%s: %s", coordinates[c], run.log);
        }
}

/* ---- refusals */

static void refused(const char *contact, const char *expected) {
    char text[640];
    seen run;
    bl_error error;
    snprintf(text, sizeof text,
             "dimension: 2\nbodies: [{name: ball, mass: 1, inertia: 1, center: [0, 1]}]\n"
             "joints: [{name: j, type: prismatic, bodies: [ground, ball], at: [0, 0], axis: [1, 0]}]\n"
             "%s\n",
             contact);
    assert_int_equal(simulate(text, &(bl_run_options){.until = 0.1}, &run, &error), BL_E_MODEL);
    if (!strstr(error.what, expected))
        fail_msg("'%s' does not contain '%s'", error.what, expected);
}

static void mixed_laws__are_refused(void **unused) {
    (void)unused;
#define PAIR "contacts: [{between: [ground, ball], shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {point: {at: [0, 1]}}], "
    refused(PAIR "stiffness: 1e5}]", "a rigid contact has neither stiffness nor damping");
    refused(PAIR "law: hertz, stiffness: 1e5}]", "law must be rigid or hunt_crossley, found 'hertz'");
    refused(PAIR "law: hunt_crossley}]", "needs 'stiffness'");
    refused(PAIR "law: hunt_crossley, stiffness: -1}]", "stiffness must be positive");
    refused(PAIR "law: hunt_crossley, stiffness: 1, exponent: 0.5}]", "exponent must be 1 or more, found 0.5");
    refused(PAIR "law: hunt_crossley, stiffness: 1, restitution: 0.5}]", "has no 'restitution'");
    refused(PAIR "law: hunt_crossley, stiffness: 1, friction: 0.1, static: 0.5}]", "has no 'static'");
    refused(PAIR "law: hunt_crossley, stiffness: 1, name: f}]\nforces: [{name: f, type: force, body: ball, force: [1, 0]}]",
            "there is already a force 'f'");
#define YIELDS(a, b) "contacts: [{between: [ground, ball], shapes: [" a ", " b "], law: hunt_crossley, stiffness: 1e5}]"
    refused(YIELDS("{box: {at: [0, -1], size: [1, 1]}}", "{box: {at: [0, 1], size: [1, 1]}}"), "has no potential where their surfaces end");
    refused(YIELDS("{box: {at: [0, -1], size: [1, 1]}}", "{point: {at: [0, 1]}}"), "has no potential where their surfaces end");
    refused(YIELDS("{polyline: {points: [[-1, 0], [0, -1], [1, 0]]}}", "{sphere: {at: [0, 1], radius: 0.1}}"),
            "has no potential where their surfaces end");
    refused(YIELDS("{profile: {height: \"=0.1*x^2\", from: -1, to: 1}}", "{sphere: {at: [0, 1], radius: 0.1}}"),
            "has no potential where their surfaces end");
    refused("stops: [{variable: j.distance, upper: 1, damping: 1}]", "needs 'stiffness'");
    refused("stops: [{variable: j.distance, upper: 1, stiffness: 1, restitution: 0.2}]", "has no 'restitution'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rebound__is_the_closed_one),
        cmocka_unit_test(contact__lasts_as_long_as_hertz_found),
        cmocka_unit_test(rebound__is_the_same_with_all_methods),
        cmocka_unit_test(buffer__rebounds_alike),
        cmocka_unit_test(buffer__carries_the_weight),
        cmocka_unit_test(stiff_contact__tends_to_the_rigid_one),
        cmocka_unit_test(sliding_ball__rolls_in_the_end),
        cmocka_unit_test(free_bodies__keep_their_momenta),
        cmocka_unit_test(mixed_laws__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
