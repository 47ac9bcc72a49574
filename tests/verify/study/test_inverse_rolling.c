/* Inverse dynamics of what rolls, in every kind of coordinates, in closed form: a cart with two driven wheels, with and without a motor at
 * one of them; a trailer pulled along a line; a wheel whose slip row drivers repeat. Its positions follow from the path, which a run agrees
 * with. What cannot be followed is named; so is rolling in studies that know positions alone. */
#include "biela/biela.h"
#include "biela/inverse.h"
#include "biela/kinematics.h"
#include "biela/rates.h"
#include "support/failing.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const every_kind[] = {"natural", "mixed", "reference", "reference:angles,sequence=zxz", "reference:matrix,view=tangent",
                                         "relative"};
enum { KINDS = sizeof every_kind / sizeof *every_kind, MOST = 64 };

typedef struct record {
    long samples;
    double t[MOST], force[MOST][2], probe[MOST][3];
    bl_index nactuator;
    bl_inverse_summary found;
    char what[512], part[96];
} record;

static bl_status begin(void *user, const bl_run_info *info) {
    record *r = user;
    r->nactuator = info->nactuator;
    assert_true(info->nactuator <= 2);
    return BL_OK;
}

static bl_status take(void *user, const bl_sample *sample) {
    record *r = user;
    assert_true(r->samples < MOST);
    r->t[r->samples] = sample->t;
    memcpy(r->force[r->samples], sample->actuator_force, (size_t)r->nactuator * sizeof(double));
    if (sample->probe)
        memcpy(r->probe[r->samples], sample->probe, sizeof *r->probe);
    r->samples++;
    return BL_OK;
}

static bl_status solve(const char *text, const char *coordinates, bl_inverse_options options, record *r) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_sink sink = {.user = r, .begin = begin, .sample = take, .want = BL_WANT_PROBES};
    bl_run_options run = {.until = 2, .every = 0.25, .coordinates = coordinates};
    memset(r, 0, sizeof *r);
    options.run = &run;
    bl_status status = bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_inverse(ctx, model, &options, &sink, 1, NULL, &r->found);
    const bl_error *error = bl_context_error(ctx);
    snprintf(r->what, sizeof r->what, "%s", status == BL_OK ? "" : error->what);
    snprintf(r->part, sizeof r->part, "%s", status == BL_OK ? "" : error->part);
    bl_inverse_summary_destroy(ctx, &r->found);
    bl_model_destroy(model);
    test_context_end(ctx);
    return status;
}

static void expect_solved(bl_status status, const char *coordinates, const record *r) {
    if (status != BL_OK)
        fail_msg("%s: %s", coordinates, r->what);
}

/* ---- a cart: M v' - m d w^2 = F_l + F_r,   I w' + m d v w = b (F_r - F_l),   moments J w_k' + R F_k */

static const double R = 0.1, b = 0.2, d = 0.08, J = 0.0025;

#define CART                                                                                                    \
    "model: cart\ngravity: [0, 0, -9.81]\nparameters: {R: 0.1, b: 0.2, d: 0.08}\n"                              \
    "bodies:\n  - {name: frame, mass: 6, center: [=d, 0, 0.12], inertia: [0.1, 0.15, 0.2]}\n"                   \
    "  - {name: wheel_l, mass: 0.5, center: [0, =b, =R], inertia: [0.0014, 0.0025, 0.0014]}\n"                  \
    "  - {name: wheel_r, mass: 0.5, center: [0, =-b, =R], inertia: [0.0014, 0.0025, 0.0014]}\n"                 \
    "joints:\n  - {name: axle_l, type: revolute, bodies: [frame, wheel_l], at: [0, =b, =R], axis: [0, 1, 0]}\n" \
    "  - {name: axle_r, type: revolute, bodies: [frame, wheel_r], at: [0, =-b, =R], axis: [0, 1, 0]}\n"         \
    "  - {name: roll_l, type: rolling, bodies: [ground, wheel_l], disc: =R, axis: [0, 1, 0]}\n"                 \
    "  - {name: roll_r, type: rolling, bodies: [ground, wheel_r], disc: =R, axis: [0, 1, 0]}\n"                 \
    "  - {name: caster, type: point_on_plane, bodies: [ground, frame], at: [0.25, 0, 0], axis: [0, 0, 1]}\n"    \
    "probes: {A: {body: frame, at: [0, 0, =R]}}\n"
#define LEFT "  - {name: left, variable: axle_l.angle, value: \"=3*t + t^2\"}\n"
#define RIGHT "  - {name: right, variable: axle_r.angle, value: \"=5*t + 2*t^2 + 0.5*sin(2*t)\"}\n"
static const char cart[] = CART "drivers:\n" LEFT RIGHT;

static void moments(double t, double *left, double *right) {
    double wl = 3 + 2 * t, wr = 5 + 4 * t + cos(2 * t), al = 2, ar = 4 - 2 * sin(2 * t);
    double v = R * (wl + wr) / 2, w = R * (wr - wl) / (2 * b), a = R * (al + ar) / 2, aw = R * (ar - al) / (2 * b);
    double I = 0.2 + 6 * d * d + 2 * (0.0014 + 0.5 * b * b), sum = 7 * a - 6 * d * w * w, difference = (I * aw + 6 * d * v * w) / b;
    *left = J * al + R * (sum - difference) / 2;
    *right = J * ar + R * (sum + difference) / 2;
}

/* where the axle is: x' = v cos(heading), by Simpson's rule; heading = R (right - left) / 2 b */
static void place(double t, double *x, double *y) {
    enum { PARTS = 4000 };
    *x = *y = 0;
    for (int i = 0; i <= PARTS; i++) {
        double s = t * i / PARTS, by = (i % PARTS == 0 ? 1 : i % 2 ? 4 : 2) * t / (3 * PARTS);
        double v = R * (8 + 6 * s + cos(2 * s)) / 2, heading = R * (2 * s + s * s + 0.5 * sin(2 * s)) / (2 * b);
        *x += by * v * cos(heading);
        *y += by * v * sin(heading);
    }
}

static void driven_cart__needs_its_moments(void **unused) {
    (void)unused;
    for (int k = 0; k < KINDS; k++) {
        record r;
        expect_solved(solve(cart, every_kind[k], (bl_inverse_options){.check = true}, &r), every_kind[k], &r);
        assert_int_equal(r.samples, 9);
        for (long i = 0; i < r.samples; i++) {
            double left, right, x, y;
            moments(r.t[i], &left, &right);
            place(r.t[i], &x, &y);
            assert_near(r.force[i][0], left, 1e-9);
            assert_near(r.force[i][1], right, 1e-9);
            assert_near(r.probe[i][0], x, 1e-9);
            assert_near(r.probe[i][1], y, 1e-9);
        }
        assert_true(r.found.residual < 1e-12);
        assert_true(r.found.local < 1e-10);    /* accelerations that the forces make */
        assert_true(r.found.deviation < 1e-8); /* of a run under the forces, without drivers */
    }
}

/* the same with the forces of named actuators: moments on both wheels */
static void named_actuators__do_the_same(void **unused) {
    (void)unused;
    static const char text[] = CART "drivers:\n" LEFT RIGHT "inverse: {actuators: [axle_r.angle, axle_l.angle]}\n";
    for (int k = 0; k < KINDS; k++) {
        record r;
        expect_solved(solve(text, every_kind[k], (bl_inverse_options){0}, &r), every_kind[k], &r);
        for (long i = 0; i < r.samples; i++) {
            double left, right;
            moments(r.t[i], &left, &right);
            assert_near(r.force[i][0], right, 1e-9);
            assert_near(r.force[i][1], left, 1e-9);
        }
    }
    record r;
    static const char one[] = CART "drivers:\n" LEFT RIGHT "inverse: {actuators: [axle_r.angle]}\n";
    assert_int_equal(solve(one, NULL, (bl_inverse_options){0}, &r), BL_E_ABILITY);
    assert_non_null(strstr(r.what, "axle_l.angle"));
}

/* ---- a trailer on a blade, pulled along a line at v: tan(a/2) = tan(a_0/2) e^(-v t/L); the force is the rate of kinetic energy by v */

static void trailer__is_pulled(void **unused) {
    (void)unused;
    const double L = 2, v = 1.5, start = 2.5, m = 10, I = 3;
    char text[1200];
    snprintf(text, sizeof text,
             "model: trailer\ndimension: 2\nbodies:\n  - {name: hook, mass: 100, center: [0, 0], inertia: 1}\n"
             "  - {name: trailer, mass: %g, center: [%.17g, %.17g], inertia: %g}\njoints:\n"
             "  - {name: guide, type: prismatic, bodies: [ground, hook], at: [0, 0], axis: [1, 0]}\n"
             "  - {name: hitch, type: revolute, bodies: [hook, trailer], at: [0, 0]}\n"
             "  - {name: axle, type: blade, bodies: [ground, trailer], at: [%.17g, %.17g], along: [%.17g, %.17g]}\n"
             "drivers: [{name: pull, variable: guide.distance, value: \"=%g*t\"}]\nprobes: {P: {body: trailer, at: [%.17g, %.17g]}}\n",
             m, -L * cos(start), -L * sin(start), I, -L * cos(start), -L * sin(start), cos(start), sin(start), v, -L * cos(start),
             -L * sin(start));
    for (int k = 0; k < 4; k++) {
        record r;
        expect_solved(solve(text, every_kind[k], (bl_inverse_options){.check = true}, &r), every_kind[k], &r);
        for (long i = 0; i < r.samples; i++) {
            double t = r.t[i], a = 2 * atan(tan(start / 2) * exp(-v * t / L));
            assert_near(r.probe[i][0], v * t - L * cos(a), 1e-9);
            assert_near(r.probe[i][1], -L * sin(a), 1e-9);
            assert_near(r.force[i][0], v * v / L * (m - I / (L * L)) * sin(a) * sin(a) * cos(a), 1e-8);
        }
        assert_true(r.found.deviation < 1e-6);
    }
}

/* ---- what cannot be followed */

#define CARRIAGE                                                                                                                 \
    "model: carriage\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n  - {name: wheel, mass: 2, center: [0, 0.2], inertia: 0.04}\n" \
    "  - {name: frame, mass: 10, center: [0, 0.2], inertia: 1}\njoints:\n"                                                       \
    "  - {name: axle, type: revolute, bodies: [frame, wheel], at: [0, 0.2]}\n"                                                   \
    "  - {name: guide, type: prismatic, bodies: [ground, frame], at: [0, 0.2], axis: [1, 0]}\n"                                  \
    "  - {name: roll, type: rolling, bodies: [ground, wheel], disc: 0.2}\n"
static const char carriage[] = CARRIAGE "drivers: [{name: turn, variable: axle.angle, value: \"=-5*t\"}]\n";

static void motions_that_cannot_be__are_named(void **unused) {
    (void)unused;
    record r;
    assert_int_equal(solve(CART "drivers:\n" LEFT, NULL, (bl_inverse_options){0}, &r), BL_E_ABILITY);
    assert_non_null(strstr(r.what, "1 motion without actuator: axle_r.angle"));
    /* a second driver may repeat the slip row, and may not contradict it later */
    static const char repeats[] = CARRIAGE "drivers:\n  - {name: turn, variable: axle.angle, value: \"=-5*t\"}\n"
                                           "  - {name: go, variable: guide.distance, value: \"=t\"}\n";
    static const char contradicts[] = CARRIAGE "drivers:\n  - {name: turn, variable: axle.angle, value: \"=-5*t\"}\n"
                                               "  - {name: go, variable: guide.distance, value: \"=t + 0.1*t^3\"}\n";
    for (int k = 0; k < 4; k++) {
        expect_solved(solve(carriage, every_kind[k], (bl_inverse_options){0}, &r), every_kind[k], &r);
        expect_solved(solve(repeats, every_kind[k], (bl_inverse_options){0}, &r), every_kind[k], &r);
        assert_true(solve(contradicts, every_kind[k], (bl_inverse_options){0}, &r) < 0);
        assert_true(strlen(r.part) > 0);
    }
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    assert_int_equal(bl_model_read_text(ctx, "text", carriage, strlen(carriage), NULL, 0, &model), BL_OK);
    bl_kinematics *kinematics;
    assert_int_equal(bl_kinematics_create(ctx, model, NULL, &kinematics), BL_E_ABILITY);
    const bl_error *error = bl_context_error(ctx);
    assert_non_null(strstr(error->what, "rolling 'roll' restricts velocities (slipping on the plane)"));
    assert_non_null(strstr(error->advice, "biela inverse"));
    bl_rates_report rates = {0};
    assert_int_equal(bl_rates(ctx, model, NULL, &rates), BL_E_ABILITY);
    assert_non_null(strstr(bl_context_error(ctx)->what, "rolling 'roll'"));
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void table_of_positions__is_refused(void **unused) {
    (void)unused;
    char path[] = "/tmp/biela_inverse_XXXXXX";
    int descriptor = mkstemp(path);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    assert_non_null(file);
    fprintf(file, "t,axle.angle\n");
    for (int k = 0; k <= 20; k++)
        fprintf(file, "%g,%g\n", 0.1 * k, -0.5 * k);
    fclose(file);
    record r;
    assert_int_equal(solve(carriage, NULL, (bl_inverse_options){.table = path}, &r), BL_E_ABILITY);
    assert_non_null(strstr(r.what, "a motion from a table of positions"));
    assert_non_null(strstr(r.what, "rolling 'roll'"));
    remove(path);
}

/* ---- memory */

static bl_status body(bl_context *ctx, void *user) {
    bl_model *model = NULL;
    bl_inverse_options options = {.run = &(const bl_run_options){.until = 0.2, .every = 0.1}};
    (void)user;
    bl_status status = bl_model_read_text(ctx, "text", carriage, strlen(carriage), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_inverse(ctx, model, &options, NULL, 0, NULL, NULL);
    bl_model_destroy(model);
    return status;
}

static void missing_memory__is_an_error(void **unused) {
    (void)unused;
    static test_paths paths;
    test_failing_paths(&paths, body, NULL, 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(driven_cart__needs_its_moments),
        cmocka_unit_test(named_actuators__do_the_same),
        cmocka_unit_test(trailer__is_pulled),
        cmocka_unit_test(motions_that_cannot_be__are_named),
        cmocka_unit_test(table_of_positions__is_refused),
        cmocka_unit_test(missing_memory__is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
