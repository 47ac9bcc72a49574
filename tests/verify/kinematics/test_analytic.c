/* Mechanisms with formulas: four-bar and slider-crank with velocities and accelerations, several revolutions, gears, branches of dyads,
 * dead points at known times. */
#include "support/driven.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static bl_index body_of(const bl_model *model, const char *name) { return bl_model_body(model, name); }

/* rotation of a body of the plane from the model configuration */
static double turn_of(const bl_kinematics *k, bl_index b) {
    const double *R = bl_kinematics_body(k, b)->rotation;
    return atan2(R[3], R[0]);
}

/* ---- four-bar: Freudenstein's equation K1 cos(r) - K2 cos(c) + K3 = cos(c - r), its first and second derivative */

typedef struct four_bar {
    double a, b, c, d; /* crank, coupler, rocker, ground */
} four_bar;

static void freudenstein(const four_bar *f, double crank, double rate, double second, double near, double rocker[3]) {
    double k1 = f->d / f->a, k2 = f->d / f->c, k3 = (f->a * f->a - f->b * f->b + f->c * f->c + f->d * f->d) / (2 * f->a * f->c);
    /* A sin r + B cos r = C */
    double A = sin(crank), B = cos(crank) - k1, C = k3 - k2 * cos(crank), r = 0;
    for (int branch = -1; branch <= 1; branch += 2) {
        double x = atan2(A, B) + branch * acos(C / hypot(A, B));
        if (branch < 0 || fabs(remainder(x - near, 2 * pi)) < fabs(remainder(r - near, 2 * pi)))
            r = x;
    }
    /* f = k3 - k2 cos c + k1 cos r - cos(c - r) */
    double s = sin(crank - r), cs = cos(crank - r);
    double fc = k2 * sin(crank) + s, fr = -k1 * sin(r) - s, fcc = k2 * cos(crank) + cs, frr = -k1 * cos(r) + cs, fcr = -cs;
    rocker[0] = r;
    rocker[1] = -fc * rate / fr;
    rocker[2] = -(fc * second + fcc * rate * rate + 2 * fcr * rate * rocker[1] + frr * rocker[1] * rocker[1]) / fr;
}

static void four_bar__follows_freudenstein(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = driven_model(ctx, "four_bar");
    bl_kinematics *k = driven_begin(ctx, model, NULL, false);
    const four_bar f = {0.2, hypot(0.41, 0.28), hypot(0.09, 0.48), 0.5};
    double start = pi / 2, rocker_start = atan2(0.48, 0.41 - 0.5), near = rocker_start, worst = 0;
    bl_index rocker = body_of(model, "rocker");
    for (int i = 0; i <= 720; i++) {
        double t = i / 360.0, r[3];
        driven_at(ctx, k, t, BL_ACCELERATIONS);
        freudenstein(&f, start + 2 * pi * t, 2 * pi, 0, near, r);
        near = r[0];
        const bl_body_motion *m = bl_kinematics_body(k, rocker);
        worst = fmax(worst, fabs(remainder(turn_of(k, rocker) - (r[0] - rocker_start), 2 * pi)));
        worst = fmax(worst, fabs(m->angular_velocity[2] - r[1]) / 2 / pi);
        worst = fmax(worst, fabs(m->angular_acceleration[2] - r[2]) / 4 / pi / pi);
    }
    print_message("four-bar against Freudenstein: %.1e\n", worst);
    assert_true(worst < 1e-12);
    bl_kinematics_destroy(k);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- slider-crank: x = r cos c + sqrt(l^2 - (e - r sin c)^2) */

static void slider_crank__follows_its_formula(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = driven_model(ctx, "slider_crank");
    const double r = 0.2, l = 0.7, e = 0.05, w = 5;
    for (int solver = 0; solver < DRIVEN_SOLVERS; solver++) {
        bl_kinematics *k = driven_begin(ctx, model, driven_solver[solver], false);
        double worst = 0, out[3];
        bl_index guide = bl_model_variable(model, "guide.distance");
        for (int i = 0; i <= 500; i++) {
            double t = i * 0.01, c = w * t, y = e - r * sin(c), dy = -r * cos(c) * w, ddy = r * sin(c) * w * w;
            double root = sqrt(l * l - y * y), droot = -y * dy / root, ddroot = -(dy * dy + y * ddy + droot * droot) / root;
            driven_at(ctx, k, t, BL_ACCELERATIONS);
            bl_kinematics_variable(k, guide, out);
            worst = fmax(worst, fabs(out[0] - (r * cos(c) + root - r - sqrt(l * l - e * e))));
            worst = fmax(worst, fabs(out[1] - (-r * sin(c) * w + droot)) / w);
            worst = fmax(worst, fabs(out[2] - (-r * cos(c) * w * w + ddroot)) / w / w);
        }
        print_message("slider-crank, %s: %.1e\n", driven_solver[solver], worst);
        assert_true(worst < 1e-12);
        bl_kinematics_destroy(k);
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- revolutions */

static const char planetary[] = "model: gears\ndimension: 2\nbodies:\n"
                                "  - {name: sun, mass: 1, center: [0, 0], inertia: 1}\n"
                                "  - {name: carrier, mass: 1, center: [0.1, 0], inertia: 1}\n"
                                "  - {name: planet, mass: 1, center: [0.3, 0], inertia: 1}\n"
                                "  - {name: side, mass: 1, center: [1, 0], inertia: 1}\n"
                                "  - {name: rack, mass: 1, center: [2, 0], inertia: 1}\n"
                                "joints:\n"
                                "  - {name: S, type: revolute, bodies: [ground, sun], at: [0, 0]}\n"
                                "  - {name: C, type: revolute, bodies: [ground, carrier], at: [0, 0]}\n"
                                "  - {name: P, type: revolute, bodies: [carrier, planet], at: [0.3, 0]}\n"
                                "  - {name: Z, type: revolute, bodies: [side, ground], at: [1, 0]}\n"
                                "  - {name: X, type: prismatic, bodies: [ground, rack], at: [2, 0], axis: [1, 0]}\n"
                                "  - {name: g1, type: gear, first: S.angle, second: C.angle, ratio: 0.25}\n"
                                "  - {name: g2, type: gear, first: C.angle, second: P.angle, ratio: -3.5}\n"
                                "  - {name: g3, type: gear, first: P.angle, second: Z.angle, ratio: 0.75, offset: 0.4}\n"
                                "  - {name: g4, type: gear, first: Z.angle, second: X.distance, ratio: 0.1, offset: 0.02}\n"
                                "drivers: [{variable: S.angle, value: =40*t}]\n";

static void gears__count_turns_over_many_revolutions(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = driven_text(ctx, planetary);
    for (int solver = 0; solver < DRIVEN_SOLVERS; solver++) {
        bl_kinematics *k = driven_begin(ctx, model, driven_solver[solver], true);
        double worst = 0;
        const double times[] = {0.7, 3, 1.1, 0}; /* also backward, and far in one step: 19 revolutions of the sun gear */
        for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
            double t = times[i], s = 40 * t, z = 0.75 * (-3.5 * 0.25 * s) + 0.4, out[3];
            driven_at(ctx, k, t, BL_ACCELERATIONS);
            const char *const name[] = {"S.angle", "C.angle", "P.angle", "Z.angle", "X.distance"};
            const double value[] = {s, 0.25 * s, -3.5 * 0.25 * s, z, 0.1 * z + 0.02};
            const double rate[] = {40, 10, -35, -26.25, -2.625};
            for (int v = 0; v < 5; v++) {
                bl_kinematics_variable(k, bl_model_variable(model, name[v]), out);
                worst = fmax(worst, fmax(fabs(out[0] - value[v]) / 100, fabs(out[1] - rate[v]) / 40));
                worst = fmax(worst, fabs(out[2]) / 1600);
            }
        }
        print_message("gears, %s: %.1e\n", driven_solver[solver], worst);
        assert_true(worst < 1e-11);
        bl_kinematics_destroy(k);
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* the crank angle of a four-bar increases; the rocker's returns */
static void angles__count_turns_when_asked(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = driven_model(ctx, "four_bar");
    bl_kinematics *k = driven_begin(ctx, model, NULL, true);
    double out[3];
    driven_at(ctx, k, 5, BL_POSITIONS);
    bl_kinematics_variable(k, bl_model_variable(model, "A.angle"), out);
    assert_true(out[0] == 10 * pi);
    bl_kinematics_variable(k, bl_model_variable(model, "B.angle"), out); /* coupler relative to crank: as many revolutions backward */
    assert_true(fabs(out[0] + 10 * pi) < 1e-11);
    bl_kinematics_variable(k, bl_model_variable(model, "D.angle"), out);
    assert_true(fabs(out[0]) < 1e-11);
    bl_kinematics_destroy(k);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- branches: a triangle A B C with the third joint above or below the line, joints given in both directions */

static void dyads__stay_on_their_branch(void **state) {
    (void)state;
    for (int below = 0; below < 2; below++)
        for (int written = 0; written < 2; written++) {
            char text[1200];
            double y = below ? -0.3 : 0.3;
            snprintf(
                text, sizeof text,
                "model: branch\ndimension: 2\nbodies:\n  - {name: crank, rod: {from: [0, 0], to: [0.1, 0]}, mass: 1}\n"
                "  - {name: one, rod: {from: [0.1, 0], to: [0.4, %g]}, mass: 1}\n  - {name: two, rod: {from: [0.4, %g], to: [0.6, 0]}, "
                "mass: 1}\njoints:\n  - {name: A, type: revolute, bodies: [%s], at: [0, 0]}\n"
                "  - {name: B, type: revolute, bodies: [%s], at: [0.1, 0]}\n  - {name: C, type: revolute, bodies: [%s], at: [0.4, %g]}\n"
                "  - {name: D, type: revolute, bodies: [%s], at: [0.6, 0]}\ndrivers: [{variable: A.angle, value: =t}]\n",
                y, y, written ? "crank, ground" : "ground, crank", written ? "one, crank" : "crank, one", written ? "two, one" : "one, two",
                y, written ? "two, ground" : "ground, two");
            bl_context *ctx = test_context(NULL);
            bl_model *model = driven_text(ctx, text);
            bl_kinematics *k = driven_begin(ctx, model, NULL, false);
            double worst = 0;
            for (int i = 0; i <= 100; i++) {
                double t = 7 * i / 100.0, c = written ? -t : t, bx = 0.1 * cos(c), by = 0.1 * sin(c);
                double l1 = 0.3 * sqrt(2), l2 = hypot(0.2, 0.3), dx = 0.6 - bx, dy = -by, d = hypot(dx, dy);
                double along = (l1 * l1 - l2 * l2 + d * d) / (2 * d), across = (below ? -1 : 1) * sqrt(l1 * l1 - along * along);
                double cx = bx + (along * dx - across * dy) / d, cy = by + (along * dy + across * dx) / d;
                driven_at(ctx, k, t, BL_POSITIONS);
                const double *p = bl_kinematics_body(k, body_of(model, "two"))->position;
                worst = fmax(worst, hypot(p[0] - (cx + 0.6) / 2, p[1] - cy / 2));
            }
            assert_true(worst < 1e-15 * 10);
            bl_kinematics_destroy(k);
            bl_model_destroy(model);
            test_context_end(ctx);
        }
}

/* ---- dead points */

/* crank a, coupler b, rocker c, ground d, that cannot rotate fully: stretched when the distance of the outer pins is b + c, cos(crank) =
 * (a^2 + d^2 - (b + c)^2) / (2 a d); the crank starts at 90 degrees and rotates outward uniformly */
static const char double_rocker[] = "model: double rocker\ndimension: 2\nparameters: {speed: 1, a: 0.4, b: 0.3, c: 0.35, d: 0.5}\nbodies:\n"
                                    "  - {name: crank, rod: {from: [0, 0], to: [0, 0.4]}, mass: 1}\n"
                                    "  - {name: coupler, rod: {from: [0, 0.4], to: [=cx, =cy]}, mass: 1}\n"
                                    "  - {name: rocker, rod: {from: [=cx, =cy], to: [0.5, 0]}, mass: 1}\n"
                                    "joints:\n  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
                                    "  - {name: B, type: revolute, bodies: [crank, coupler], at: [0, 0.4]}\n"
                                    "  - {name: C, type: revolute, bodies: [coupler, rocker], at: [=cx, =cy]}\n"
                                    "  - {name: D, type: revolute, bodies: [rocker, ground], at: [0.5, 0]}\n"
                                    "drivers: [{variable: A.angle, value: =speed*t}]\n";

static char *with_corner(char *out, size_t room) {
    double b = 0.3, c = 0.35, dx = 0.5, dy = -0.4, d = hypot(dx, dy), along = (b * b - c * c + d * d) / (2 * d);
    double across = sqrt(b * b - along * along), x = (along * dx - across * dy) / d, y = 0.4 + (along * dy + across * dx) / d;
    const char *from = strstr(double_rocker, "d: 0.5") + 6;
    snprintf(out, room, "%.*s, cx: %.17g, cy: %.17g%s", (int)(from - double_rocker), double_rocker, x, y, from);
    return out;
}

static void dead_point__is_reported_with_group_joint_and_time(void **state) {
    (void)state;
    char text[2000];
    double reach = 0.65, exact = acos((0.4 * 0.4 + 0.5 * 0.5 - reach * reach) / (2 * 0.4 * 0.5)) - pi / 2;
    for (int solver = 0; solver < DRIVEN_SOLVERS; solver++)
        for (int turns = 0; turns < 2; turns++) {
            bl_context *ctx = test_context(NULL);
            bl_model *model = driven_text(ctx, with_corner(text, sizeof text));
            bl_kinematics *k = driven_begin(ctx, model, driven_solver[solver], turns);
            driven_at(ctx, k, exact / 2, BL_ACCELERATIONS);
            assert_int_equal(bl_kinematics_at(k, 3, BL_POSITIONS), BL_E_NUMERIC);
            const bl_error *error = bl_context_error(ctx);
            print_message("%s: %s (off by %.1e)\n", driven_solver[solver], error->what, error->time - exact);
            assert_true(fabs(error->time - exact) < 1e-12);
            assert_non_null(strstr(error->what, solver == 2 ? "mechanism {crank, coupler, rocker}" : "dyad RRR {coupler, rocker}"));
            assert_non_null(strstr(error->what, "cannot close at t = 0.03125"));
            assert_true(error->part[0] != 0);
            if (solver == 0)
                assert_non_null(strstr(error->what, "dead point of coupler, joints B, C and D"));
            /* it stays at the last good position, and continues from there */
            double drift, ignored;
            bl_kinematics_drift(k, &drift, &ignored);
            assert_true(drift < 1e-9);
            driven_at(ctx, k, 0, BL_ACCELERATIONS);
            assert_true(fabs(turn_of(k, body_of(model, "rocker"))) < 1e-9);
            driven_at(ctx, k, exact * (1 - 1e-6), BL_ACCELERATIONS); /* close to it everything is regular */
            bl_kinematics_destroy(k);
            bl_model_destroy(model);
            test_context_end(ctx);
        }
}

/* the crank moves out and back between two reachable positions; whether it passed the dead point in between is detected */
static void dead_point_between_two_places__is_not_leapt_over(void **state) {
    (void)state;
    double reach = 0.65, dead = acos((0.4 * 0.4 + 0.5 * 0.5 - reach * reach) / (2 * 0.4 * 0.5)) - pi / 2;
    for (int beyond = 0; beyond < 2; beyond++)
        for (int n = 3; n <= 7; n += 2) {
            char corner[2000], text[2100];
            double swing = dead * (beyond ? 1 + pow(10, -n) : 1 - pow(10, -n));
            with_corner(corner, sizeof corner);
            *strstr(corner, "drivers:") = 0;
            snprintf(text, sizeof text, "%sdrivers: [{variable: A.angle, value: =%.17g*sin(t)}]\n", corner, swing);
            bl_context *ctx = test_context(NULL);
            bl_model *model = driven_text(ctx, text);
            for (int solver = 0; solver < DRIVEN_SOLVERS; solver++) {
                bl_kinematics *k = driven_begin(ctx, model, driven_solver[solver], true);
                driven_at(ctx, k, 1, BL_POSITIONS);
                bl_status status = bl_kinematics_at(k, 2, BL_POSITIONS);
                if (status != (beyond ? BL_E_NUMERIC : BL_OK))
                    fail_msg("%s, swing %g of the dead point: %s", driven_solver[solver], swing / dead, bl_status_text(status));
                if (beyond)
                    assert_true(fabs(bl_context_error(ctx)->time - asin(dead / swing)) < 1e-12 * pow(10, n / 2.0));
                bl_kinematics_destroy(k);
            }
            bl_model_destroy(model);
            test_context_end(ctx);
        }
}

/* a crank that rotates fully by a small margin: a + d = b + c - gap; no method may change the branch there */
static void passing_close_to_a_dead_point__keeps_the_branch(void **state) {
    (void)state;
    for (int n = 2; n <= 8; n += 2) {
        double gap = pow(10, -n);
        char text[1500];
        double a = 0.2, d = 0.5, b = 0.35, c = a + d + gap - b;
        double dx = d, dy = -a, far = hypot(dx, dy), along = (b * b - c * c + far * far) / (2 * far), across = sqrt(b * b - along * along);
        double x = (along * dx - across * dy) / far, y = a + (along * dy + across * dx) / far;
        snprintf(text, sizeof text,
                 "model: nearly stretched\ndimension: 2\nparameters: {cx: %.17g, cy: %.17g}\nbodies:\n"
                 "  - {name: crank, rod: {from: [0, 0], to: [0, 0.2]}, mass: 1}\n"
                 "  - {name: coupler, rod: {from: [0, 0.2], to: [=cx, =cy]}, mass: 1}\n"
                 "  - {name: rocker, rod: {from: [=cx, =cy], to: [0.5, 0]}, mass: 1}\njoints:\n"
                 "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
                 "  - {name: B, type: revolute, bodies: [crank, coupler], at: [0, 0.2]}\n"
                 "  - {name: C, type: revolute, bodies: [coupler, rocker], at: [=cx, =cy]}\n"
                 "  - {name: D, type: revolute, bodies: [rocker, ground], at: [0.5, 0]}\ndrivers: [{variable: A.angle, value: =t}]\n",
                 x, y);
        bl_context *ctx = test_context(NULL);
        bl_model *model = driven_text(ctx, text);
        driven_difference apart = {0};
        bl_kinematics *k[DRIVEN_SOLVERS];
        for (int solver = 0; solver < DRIVEN_SOLVERS; solver++)
            k[solver] = driven_begin(ctx, model, driven_solver[solver], false);
        for (int i = 1; i <= 40; i++)
            for (int solver = 0; solver < DRIVEN_SOLVERS; solver++) {
                driven_at(ctx, k[solver], 0.2 * i, BL_POSITIONS);
                driven_compare(k[0], k[solver], &apart);
            }
        print_message("gap %.0e: positions apart by %.1e\n", gap, apart.position);
        assert_true(apart.position < 1e-11 / sqrt(gap));
        for (int solver = 0; solver < DRIVEN_SOLVERS; solver++)
            bl_kinematics_destroy(k[solver]);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_bar__follows_freudenstein),
        cmocka_unit_test(slider_crank__follows_its_formula),
        cmocka_unit_test(gears__count_turns_over_many_revolutions),
        cmocka_unit_test(angles__count_turns_when_asked),
        cmocka_unit_test(dyads__stay_on_their_branch),
        cmocka_unit_test(dead_point__is_reported_with_group_joint_and_time),
        cmocka_unit_test(dead_point_between_two_places__is_not_leapt_over),
        cmocka_unit_test(passing_close_to_a_dead_point__keeps_the_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
