/* Rolling and blades against closed solutions, in all coordinates: down a slope, an ellipse along a line, a leaning wheel in steady motion,
 * a sleigh in space; the scenes that roll; models that cannot. */
#include "support/contact_run.h"
#include "support/every_way.h"
#include "support/scene.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;

/* ---- down a slope: acceleration g sin / (1 + J / (m r^2)), and the force of friction on the way up */

typedef struct slope {
    const char *shape; /* of radius 0.2 */
    int dim;
    double inertia; /* about the axis that turns */
} slope;

static const double MASS = 3, RADIUS = 0.2, TILT = 0.3;

static void check_slope(const bl_sample *s, const test_ending *run, void *user) {
    const slope *c = user;
    double a = G * sin(TILT) / (1 + c->inertia / (MASS * RADIUS * RADIUS)), x = a * s->t * s->t / 2;
    int up = c->dim - 1;
    test_close(run, "the way", s->probe[0], x, 1e-9);
    test_close(run, "the speed", s->probe_rate[0], a * s->t, 1e-9);
    test_close(run, "the height", s->probe[up], RADIUS, 1e-9);
    test_close(run, "the turn", cos(2 * acos(fmin(1, fabs(s->body[0].quaternion[0])))), cos(x / RADIUS), 1e-8);
    test_close(run, "the friction", s->reaction[0].force[0], MASS * (a - G * sin(TILT)), 1e-8);
    test_close(run, "the pressure", s->reaction[0].force[up], MASS * G * cos(TILT), 1e-8);
    test_close(run, "the moment", s->reaction[0].moment[c->dim == 3 ? 1 : 2], (c->dim == 3 ? 1 : -1) * c->inertia * a / RADIUS, 1e-8);
    test_close(run, "the slip", s->velocity_drift, 0, 1e-9);
}

static void check_ending(const test_ending *e, void *user) {
    (void)user;
    test_no_warning(e);
    test_close(e, "the drift", e->drift, 0, 1e-9);
    test_close(e, "the energy error", e->energy_error, 0, 1e-7);
}

static void wheels__roll_down_a_slope(void **unused) {
    (void)unused;
    static const slope cases[] = {{"disc: 0.2", 2, 0.05},
                                  {"ball: 0.2", 2, 0.01},
                                  {"ellipsoid: [0.2, 0.2]", 2, 0.05},
                                  {"disc: 0.2, axis: [0, 1, 0]", 3, 0.05},
                                  {"disc: 0.2, tire: 0.05, axis: [0, -2, 0]", 3, 0.05},
                                  {"ball: 0.2", 3, 0.05},
                                  {"ellipsoid: [0.2, 0.2, 0.2], axis: [1, 2, 3], reference: [1, 0, 0]", 3, 0.05}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const slope *c = &cases[i];
        const char *z = c->dim == 3 ? "0, " : "";
        char text[1024], inertia[64];
        snprintf(inertia, sizeof inertia, c->dim == 3 ? "[0.04, %g, 0.045]" : "%g", c->inertia);
        snprintf(text, sizeof text,
                 "dimension: %d\ngravity: [%.17g, %s%.17g]\nbodies: [{name: wheel, mass: %g, center: [0, %s%g], inertia: %s}]\n"
                 "joints: [{name: roll, type: rolling, bodies: [ground, wheel], %s}]\nprobes: {C: {body: wheel, at: [0, %s%g]}}\n",
                 c->dim, G * sin(TILT), z, -G * cos(TILT), MASS, z, RADIUS, inertia, c->shape, z, RADIUS);
        test_every_way(text, &(bl_run_options){.until = 1, .tolerance = 1e-10, .every = 0.25}, check_slope, check_ending, (void *)c);
    }
}

/* ---- an ellipse along a line: its center, at the height h(a) = sqrt(p^2 sin^2 a + q^2 cos^2 a), moves by -h da (Simpson's rule) */

static double height(double a) { return hypot(0.5 * sin(a), 0.2 * cos(a)); }

static void check_ellipse(const bl_sample *s, const test_ending *run, void *user) {
    enum { PARTS = 2000 };
    double angle = 2 * atan2(s->body[0].quaternion[3], s->body[0].quaternion[0]), sum = 0;
    (void)user;
    angle -= 6.28318530717958647692 * round((angle + s->probe[0] / 0.36) / 6.28318530717958647692); /* the circumference is 2 pi 0.36 */
    for (int i = 0; i <= PARTS; i++)
        sum += (i % PARTS == 0 ? 1 : i % 2 ? 4 : 2) * height(angle * i / PARTS);
    test_close(run, "the way", s->probe[0], -sum * angle / (3 * PARTS), 1e-9);
    test_close(run, "the height", s->probe[1], height(angle), 1e-9);
}

static void an_ellipse__rolls_by_its_arc(void **unused) {
    (void)unused;
    const char *text = "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: wheel, mass: 2, center: [0, 0.2], inertia: 0.1}]\n"
                       "joints: [{name: roll, type: rolling, bodies: [ground, wheel], ellipsoid: [0.5, 0.2]}]\n"
                       "probes: {C: {body: wheel, at: [0, 0.2]}}\ninitial: {wheel: {velocity: [2, 0], angular_velocity: -10}}\n";
    test_every_way(text, &(bl_run_options){.until = 2, .tolerance = 1e-10, .every = 0.1}, check_ellipse, check_ending, NULL);
}

/* ---- a wheel that leans and goes in a circle: everything turns at the rate W about the vertical. With w = W z + k a, a its axis, the
 * component of  W z x L = p x m (W z x v + g z)  along the path is linear in k. */

typedef struct circle {
    double tire, rate, spin, p[3], v[3], a[3];
} circle;

static void cross(const double a[3], const double b[3], double c[3]) {
    for (int k = 0; k < 3; k++)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double unbalanced(circle *c, double spin) {
    double w[3], L[3], left[3], force[3], right[3], along, z[3] = {0, 0, 1}, W[3] = {0, 0, c->rate};
    for (int k = 0; k < 3; k++)
        w[k] = W[k] + spin * c->a[k];
    cross(w, c->p, c->v);
    along = w[0] * c->a[0] + w[1] * c->a[1] + w[2] * c->a[2];
    for (int k = 0; k < 3; k++) {
        c->v[k] = -c->v[k];
        L[k] = 0.05 * w[k] + (0.09 - 0.05) * along * c->a[k];
    }
    cross(W, L, left);
    cross(W, c->v, force);
    for (int k = 0; k < 3; k++)
        force[k] = 2 * (force[k] + G * z[k]);
    cross(c->p, force, right);
    return left[0] - right[0];
}

static void check_circle(const bl_sample *s, const test_ending *run, void *user) {
    const circle *c = user;
    double turn = c->rate * s->t, radius = c->v[0] / c->rate; /* about (0, y + radius) */
    test_close(run, "x", s->probe[0], radius * sin(turn), 1e-7);
    test_close(run, "y", s->probe[1], radius * (1 - cos(turn)), 1e-7);
    test_close(run, "the height", s->probe[2], -c->p[2], 1e-8);
    double axis[3] = {s->probe[3] - s->probe[0], s->probe[4] - s->probe[1], s->probe[5] - s->probe[2]};
    test_close(run, "the lean", axis[2], c->a[2], 1e-7);
    test_close(run, "the heading", axis[0], -c->a[1] * sin(turn) + c->a[0] * cos(turn), 1e-7);
}

static void leaning_wheels__go_in_circles(void **unused) {
    (void)unused;
    const double R = 0.4, lean = -0.25;
    for (int i = 0; i < 2; i++) {
        circle c = {.tire = i ? 0.1 : 0, .rate = 1.7, .a = {0, -cos(lean), -sin(lean)}};
        /* p = -(R - s) u - s z, u the upward direction in the wheel */
        double u[3] = {0, -sin(lean), cos(lean)};
        for (int k = 0; k < 3; k++)
            c.p[k] = -(R - c.tire) * u[k] - (k == 2 ? c.tire : 0);
        double at_zero = unbalanced(&c, 0), at_one = unbalanced(&c, 1);
        c.spin = -at_zero / (at_one - at_zero);
        unbalanced(&c, c.spin);
        char text[1500];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\nbodies: [{name: wheel, mass: 2, center: [0, 0, %.17g], inertia: [0.05, 0.05, 0.09], "
                 "axes: [[1, 0, 0], [%.17g, %.17g, %.17g]]}]\n"
                 "joints: [{name: roll, type: rolling, bodies: [ground, wheel], disc: 0.4, tire: %g, axis: [%.17g, %.17g, %.17g], "
                 "through: [0, 0, 0]}]\n"
                 "probes: {C: {body: wheel, at: [0, 0, %.17g]}, A: {body: wheel, at: [%.17g, %.17g, %.17g]}}\n"
                 "initial: {wheel: {velocity: [%.17g, %.17g, %.17g], angular_velocity: [%.17g, %.17g, %.17g]}}\n",
                 -c.p[2], u[0], u[1], u[2], c.tire, c.a[0], c.a[1], c.a[2], -c.p[2], c.a[0], c.a[1], c.a[2] - c.p[2], c.v[0], c.v[1],
                 c.v[2], c.spin * c.a[0], c.spin * c.a[1], c.rate + c.spin * c.a[2]);
        test_every_way(text, &(bl_run_options){.until = 3, .tolerance = 1e-11, .every = 0.5}, check_circle, check_ending, &c);
    }
}

/* ---- a sleigh in space on two supports: the plane of scene `sleigh`, tilted */

static void check_sleigh(const test_ending *e, void *user) {
    (void)user;
    double c = 0.2, k2 = c * c + 0.1, s = sqrt(1 + 4 * k2), x = c * s / k2 * e->t + atanh(1 / s);
    const double *v = e->probe_rate[0];
    test_close(e, "the speed", sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), s * tanh(x), 1e-8);
    test_close(e, "the rate of turning", e->body[0].angular_velocity[0], s / sqrt(k2) / cosh(x), 1e-8);
    test_close(e, "its plane", e->probe[0][0], 0, 1e-10);
    test_close(e, "y", e->probe[0][1], 2.838248180456209, 1e-7); /* as the plane model at 5 s */
    test_close(e, "z", e->probe[0][2], 5.281653959322654, 1e-7);
    check_ending(e, NULL);
}

static void a_sleigh__moves_alike_in_space(void **unused) {
    (void)unused;
    const char *text = "gravity: [0, 0, 0]\nbodies: [{name: sleigh, mass: 1, center: [0, 0.2, 0], inertia: [0.1, 0.06, 0.06]}]\njoints:\n"
                       "  - {name: edge, type: blade, bodies: [ground, sleigh], at: [0, 0, 0], along: [0, 3, 0], normal: [2, 0, 0]}\n"
                       "  - {name: left, type: point_on_plane, bodies: [ground, sleigh], at: [0, 0.4, 0.2], axis: [1, 0, 0]}\n"
                       "  - {name: right, type: point_on_plane, bodies: [ground, sleigh], at: [0, 0.4, -0.2], axis: [1, 0, 0]}\n"
                       "probes: {P: {body: sleigh, at: [0, 0, 0]}}\n"
                       "initial: {sleigh: {velocity: [0, 1, 0.4], angular_velocity: [2, 0, 0]}}\n";
    test_every_way(text, &(bl_run_options){.until = 5, .tolerance = 1e-10}, NULL, check_sleigh, NULL);
}

/* ---- scenes in other coordinates and formulations */

static void scenes__roll_alike_in_all_coordinates(void **unused) {
    (void)unused;
    static const char *const scenes[] = {"sleigh", "turntable_ball", "rolling_disc", "rattleback", "two_wheel_cart"};
    static const char *const kinds[] = {"mixed",
                                        "reference",
                                        "reference:matrix",
                                        "reference:angles,sequence=zxz",
                                        "reference:view=tangent",
                                        "reference:matrix,view=tangent",
                                        "relative"};
    static const char *const formulations[] = {"lagrange", "partition", "projection", "null_space", "baumgarte"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        scene_case *cases;
        bl_index n = scene_cases_read(scenes[i], &cases);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            for (size_t f = 0; f < sizeof formulations / sizeof *formulations; f++) {
                bool long_run = strcmp(scenes[i], "rattleback") == 0;
                if ((f > 1 && (long_run || k % 3 != 1)) || (long_run && f == 0 && k % 3 != 1)) /* the others hardly differ by coordinates */
                    continue;
                scene_settings settings = {.coordinates = kinds[k], .formulation = formulations[f], .tolerance = 1e-10};
                scene_result result;
                scene_run(scenes[i], &cases[0], &settings, &result);
                scene_expect(scenes[i], &cases[0], &settings, &result);
                scene_result_free(&result);
            }
        scene_cases_free(cases, n);
    }
}

/* formulations that iterate on positions, with methods of the second order */
static void a_disc__rolls_alike_by_index_3_and_ggl(void **unused) {
    (void)unused;
    static const char *const kinds[] = {"natural", "mixed", "reference", "relative"}, *const formulations[] = {"index3", "ggl"};
    static const char *const methods[] = {"genalpha", "bdf"};
    static const double at[] = {1}, center[] = {2.8691992648, -1.0360194746, 0.4677962929};
    static contact_run run;
    for (int n = 0; n < 16; n++) {
        double error[2] = {0, 0};
        for (int fine = 0; fine < 2; fine++) {
            bl_run_options options = {.coordinates = kinds[n / 4],
                                      .formulation = formulations[n / 2 % 2],
                                      .integrator = methods[n % 2],
                                      .tolerance = 1e-7,
                                      .step = fine ? 1e-3 : 2e-3,
                                      .until = 1,
                                      .at = at,
                                      .nat = 1};
            contact_run_scene("rolling_disc", NULL, &options, &run);
            if (run.status != BL_OK)
                fail_msg("%s: %s", run.label, run.error.what);
            for (int k = 0; k < 3; k++)
                error[fine] = fmax(error[fine], fabs(contact_at(&run, 1)->probe[0][k] - center[k]));
        }
        if (!(error[1] < 1e-4) || !(error[0] / error[1] > 3))
            fail_msg("%s: errors %g and %g", run.label, error[0], error[1]);
    }
}

static void scenes__roll_alike_as_power_series(void **unused) {
    (void)unused;
    static const char *const scenes[] = {"sleigh", "turntable_ball", "rolling_disc", "rattleback", "two_wheel_cart"};
    static const char *const kinds[] = {"natural", "mixed"}, *const formulations[] = {"index2", "partition", "lagrange"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        scene_case *cases;
        bl_index n = scene_cases_read(scenes[i], &cases);
        for (int k = 0; k < 6; k++) {
            scene_settings settings = {
                .coordinates = kinds[k % 2], .formulation = formulations[k / 2], .integrator = "series", .tolerance = 1e-10};
            scene_result result;
            scene_run(scenes[i], &cases[0], &settings, &result);
            scene_expect(scenes[i], &cases[0], &settings, &result);
            scene_result_free(&result);
        }
        scene_cases_free(cases, n);
    }
}

/* ---- the start: the gap is closed by positions, slip by velocities that are not given */

static void check_start(const bl_sample *s, const test_ending *run, void *user) {
    (void)user;
    if (s->t > 0)
        return;
    test_close(run, "the height", s->body[0].position[2], 0.3, 1e-12);
    test_close(run, "the way", hypot(s->body[0].position[0], s->body[0].position[1]), 0, 1e-12);
    test_close(run, "the speed", s->body[0].velocity[0], 1.2, 1e-12);
    test_close(run, "the rate", s->body[0].angular_velocity[1], 4, 1e-11);
    test_close(run, "the spin", s->body[0].angular_velocity[2], 0, 1e-11);
}

static void starts__close_the_gap_and_do_not_slip(void **unused) {
    (void)unused;
    static const char *const given[] = {"velocity: [1.2, 0, 0]", "angular_velocity: [0, 4, 0]"};
    for (int i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\nbodies: [{name: b, mass: 1, center: [0, 0, 0.35], inertia: [0.04, 0.04, 0.04]}]\n"
                 "joints: [{name: roll, type: rolling, bodies: [ground, b], ball: 0.3, through: [1, 2, 0]}]\ninitial: {b: {%s}}\n",
                 given[i]);
        test_every_way(text, &(bl_run_options){.until = 0.1}, check_start, check_ending, NULL);
    }
}

/* ---- refusals */

static void refuse_3d(const char *joint, const char *what, const char *advice) {
    char text[1024];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\nbodies: [{name: b, mass: 1, center: [0, 0, 0.3], inertia: [1, 1, 1]}]\njoints:\n"
             "  - {name: roll, type: rolling, bodies: [ground, b], %s}\n",
             joint);
    test_refused(text, what, advice);
}

static void rolling__that_cannot_be_is_refused(void **unused) {
    (void)unused;
    refuse_3d("center: [0, 0, 0.3]", "nothing says what shape rolls", "ellipsoid");
    refuse_3d("ball: ~0.3, disc: 0.3, axis: [0, 1, 0]", "more than one shape", NULL);
    refuse_3d("disc: ~0.3", "a disc needs an axis", "axis: [x, y, z]");
    refuse_3d("disc: 0.3, axis: ~[0, 0, 1]", "lies flat", "tilt the disc");
    refuse_3d("disc: 0.3, tire: ~0.4, axis: [0, 1, 0]", "tire = 0.4", "smaller section");
    refuse_3d("ellipsoid: ~[0.3, 0.2]", "needs 3 positive semi-axes", "ellipsoid: [");
    refuse_3d("ellipsoid: ~[0.3, 0.2, -0.1]", "needs 3 positive semi-axes", NULL);
    refuse_3d("ball: ~-0.3", "ball", NULL);
    refuse_3d("ball: 0.3, through: ~[0, 0, -0.4]", "0.4 m above the plane", "move the body or the plane");
    refuse_3d("ball: 0.3, normal: [0, 0, -1], through: ~[0, 0, 0]", "0.6 m below the plane", "the normal points to the side of the body");
    refuse_3d("ball: 0.3, normal: ~[0, 0, 0]", "zero vector", NULL);
    test_refused("bodies: [{name: b, mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}]\njoints:\n"
                 "  - {name: edge, type: blade, bodies: [ground, b], at: [0, 0, 0], along: ~[0, 0, 1]}\n",
                 "perpendicular to the plane", "a direction in the plane");
    test_refused("bodies: [{name: b, mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}]\njoints:\n"
                 "  - {name: roll, type: rolling, bodies: [b, ~b], ball: 1}\n",
                 "connects body 'b' with itself", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wheels__roll_down_a_slope),
        cmocka_unit_test(an_ellipse__rolls_by_its_arc),
        cmocka_unit_test(leaning_wheels__go_in_circles),
        cmocka_unit_test(a_sleigh__moves_alike_in_space),
        cmocka_unit_test(scenes__roll_alike_in_all_coordinates),
        cmocka_unit_test(a_disc__rolls_alike_by_index_3_and_ggl),
        cmocka_unit_test(scenes__roll_alike_as_power_series),
        cmocka_unit_test(starts__close_the_gap_and_do_not_slip),
        cmocka_unit_test(rolling__that_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
