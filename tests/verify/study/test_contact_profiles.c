/* Contacts with height profiles: closed motions on parabolas and arcs, and the same motions on a disc of the same shape. */
#include "support/contact_run.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;
static contact_run run, other;
static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};

static void follow(const char *text, const char *kind, double until, const double *at, bl_index nat, contact_run *out) {
    bl_run_options options = {.coordinates = kind, .until = until, .tolerance = 1e-10, .at = at, .nat = nat};
    contact_run_text(text, NULL, &options, out);
    contact_expect(out, 1e-7);
}

/* Integral over a quarter of a period of a smooth periodic function: the trapezoidal rule converges exponentially. */
static double quarter(double (*f)(double angle, double a), double a) {
    enum { N = 200 };
    double sum = 0, pi = acos(-1);
    for (int k = 0; k < N; k++)
        sum += f(0.5 * pi * (k + 0.5) / N, a);
    return sum * 0.5 * pi / N;
}

/* A bead on y = x^2, x = a sin u: (1 + 4 x^2) x'^2 / 2 = g (a^2 - x^2), so dt = sqrt((1 + 4 a^2 sin^2 u) / (2 g)) du. */
static double of_bead(double u, double a) { return sqrt((1 + 4 * a * a * sin(u) * sin(u)) / (2 * G)); }

static void bead__has_its_period_on_a_parabola(void **state) {
    (void)state;
    const char *text =
        "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: p, mass: 3, center: [0.3, 0.09], inertia: 0.01}]\n"
        "contacts: [{name: bowl, between: [ground, p], shapes: [{profile: {height: \"=x^2\", from: -2, to: 2}}, {point: {at: "
        "[0.3, 0.09]}}]}]\n";
    double period = 4 * quarter(of_bead, 0.3), at[] = {period / 4, 3 * period};
    for (int k = 0; k < 4; k++) {
        follow(text, kinds[k], at[1], at, 2, &run);
        contact_expect_close(&run, "x", contact_at(&run, at[0])->body[0].position[0], 0, 1e-8);
        contact_expect_close(&run, "the speed", contact_at(&run, at[0])->body[0].velocity[0], -sqrt(2 * G) * 0.3, 1e-8);
        contact_expect_close(&run, "x", contact_at(&run, at[1])->body[0].position[0], 0.3, 1e-7);
        contact_expect_close(&run, "y", contact_at(&run, at[1])->body[0].position[1], 0.09, 1e-7);
    }
}

/* Released at an angle, a pendulum of length l turns with dt = sqrt(l / g) du / sqrt(1 - sin^2(angle / 2) sin^2 u). */
static double of_pendulum(double u, double angle) { return 1 / sqrt(1 - pow(sin(angle / 2) * sin(u), 2)); }

/* A disc on an arc of radius 1 m is a pendulum of length R - r; where it rolls, its inertia adds half of its mass. */
static void disc__is_a_pendulum_on_an_arc(void **state) {
    (void)state;
    const char *text =
        "dimension: 2\ngravity: [0, -9.81]\nparameters: {r: 0.2, px: =0.8*sin(0.6), py: =-0.8*cos(0.6)}\n"
        "bodies: [{name: p, disc: {center: [=px, =py], radius: =r}, mass: 2}]\n"
        "contacts: [{name: bowl, between: [ground, p], shapes: [{profile: {height: \"=%s\", from: -0.95, to: 0.95%s}}, {disc: "
        "{at: [=px, =py], radius: =r}}], friction: %d}]\n";
    for (int k = 0; k < 8; k++) {
        bool rolls = k >= 4, turned = k % 2; /* the same arc from the axes of an inclined profile */
        char full[1024];
        double period = 4 * quarter(of_pendulum, 0.6) * sqrt(0.8 / G * (rolls ? 1.5 : 1)), at[] = {period / 2, 2 * period};
        snprintf(full, sizeof full, text, "-sqrt(1 - x^2)", turned ? ", angle: 0.3" : "", rolls ? 2 : 0);
        follow(full, kinds[k % 4], at[1], at, 2, &run);
        contact_expect_close(&run, "x", contact_at(&run, at[0])->body[0].position[0], -0.8 * sin(0.6), 1e-7);
        contact_expect_close(&run, "x", contact_at(&run, at[1])->body[0].position[0], 0.8 * sin(0.6), 1e-7);
        contact_expect_close(&run, "y", contact_at(&run, at[1])->body[0].position[1], -0.8 * cos(0.6), 1e-7);
    }
}

/* A plank of half thickness h that rocks on the top of a cylinder, radius of gyration k: w^2 = g (R - h) / (k^2 + h^2). */
static void plank__rocks_on_a_crest(void **state) {
    (void)state;
    const char *text =
        "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: p, mass: 1, center: [0, 0.1], inertia: 0.09}]\n"
        "contacts: [{name: top, between: [ground, p], shapes: [{profile: {height: \"=sqrt(1 - x^2) - 1\", from: -0.9, to: 0.9}}, "
        "{%s}], friction: 1}]\ninitial: {p: {angular_velocity: 1e-3, velocity: [-1e-4, 0]}}\n";
    const char *const shapes[] = {"box: {at: [0, 0.1], size: [1, 0.2]}", "capsule: {from: [-0.5, 0.1], to: [0.5, 0.1], radius: 0.1}"};
    double rate = sqrt(G * 0.9 / (0.09 + 0.01)), pi = acos(-1), at[] = {pi / rate, 2 * pi / rate};
    for (int k = 0; k < 8; k++) {
        char full[1024];
        snprintf(full, sizeof full, text, shapes[k / 4]);
        follow(full, kinds[k % 4], at[1], at, 2, &run);
        contact_expect_close(&run, "the angular velocity", contact_at(&run, at[0])->body[0].angular_velocity[2], -1e-3, 1e-8);
        contact_expect_close(&run, "the angular velocity", contact_at(&run, at[1])->body[0].angular_velocity[2], 1e-3, 1e-8);
    }
}

/* Falling bodies that bounce, slide, stick, and pass from faces to ends move alike on a profile and on a disc; above and below. */
static void profile__is_the_disc_of_its_shape(void **state) {
    (void)state;
    static const double at[] = {0.3, 0.5, 0.8};
    const char *text = "dimension: 2\ngravity: [0, %s]\nbodies: [{name: p, mass: 1, center: [0.1, %s], inertia: 0.06}]\n"
                       "contacts: [{name: c, between: [ground, p], shapes: [{%s}, {%s}], friction: 0.5, restitution: 0.3}]\n";
    const char *const shapes[] = {"box: {at: [0.1, 1.25], size: [0.8, 0.3], angle: 0.2}",
                                  "capsule: {from: [-0.3, 1.2], to: [0.5, 1.3], radius: 0.1}",
                                  "polyline: {points: [[-0.2, 1.1], [0.4, 1.1], [0.3, 1.3], [-0.1, 1.4]], closed: true}"},
                      *const below[] = {"box: {at: [0.1, -1.25], size: [0.8, 0.3], angle: -0.2}",
                                        "capsule: {from: [-0.3, -1.2], to: [0.5, -1.3], radius: 0.1}"};
    for (int k = 0; k < 5; k++) {
        char full[2][1024];
        bool down = k >= 3;
        const char *profile = down ? "profile: {height: \"=-sqrt(1 - x^2)\", from: -0.95, to: 0.95, side: below}"
                                   : "profile: {height: \"=sqrt(1 - x^2)\", from: -0.95, to: 0.95}";
        for (int i = 0; i < 2; i++)
            snprintf(full[i], sizeof full[i], text, down ? "9.81" : "-9.81", down ? "-1.25" : "1.25",
                     i ? profile : "disc: {at: [0, 0], radius: 1}", down ? below[k - 3] : shapes[k]);
        follow(full[0], kinds[k % 4], 0.8, at, 3, &run);
        follow(full[1], kinds[k % 4], 0.8, at, 3, &other);
        assert_true(run.nevent > 5);
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < 2; c++)
                contact_expect_close(&other, "the position", contact_at(&other, at[i])->body[0].position[c],
                                     contact_at(&run, at[i])->body[0].position[c], 1e-7);
    }
}

/* A table is a spline through its rows: one of a parabola is that parabola. Motions of one cam segment are tables, too. */
static void table__is_the_curve_through_its_rows(void **state) {
    (void)state;
    static const double at[] = {0.4, 1.5};
    const char *text =
        "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: p, disc: {center: [0.5, 0.8], radius: 0.1}, mass: 1}]\n"
        "contacts: [{name: c, between: [ground, p], shapes: [{profile: {height: %s}}, {disc: {at: [0.5, 0.8], radius: 0.1}}], "
        "friction: 0.2, restitution: 0.5}]\n";
    const char *const heights[] = {"\"=x^2\", from: -2, to: 2", "[[-2, 4], [-1, 1], [0, 0], [0.7, 0.49], [1.5, 2.25], [2, 4]]"};
    for (int k = 0; k < 2; k++) {
        char full[1024];
        snprintf(full, sizeof full, text, heights[k]);
        follow(full, NULL, 1.5, at, 2, k ? &other : &run);
    }
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 2; c++)
            contact_expect_close(&other, "the position", contact_at(&other, at[i])->body[0].position[c],
                                 contact_at(&run, at[i])->body[0].position[c], 1e-8);
}

static void profile__is_refused_where_it_does_not_fit(void **state) {
    (void)state;
    static const struct {
        const char *dimension, *profile, *other, *error;
    } bad[] = {
        {"2", "{profile: {height: \"=x^2\", from: -1, to: 1}}", "{disc: {at: [0, 3], radius: 0.6}}",
         "a hollow with a radius of 0.5 m at x = 0"},
        {"2", "{profile: {height: \"=x^2\"}}", "{disc: {at: [0, 3], radius: 0.1}}", "needs 'from'"},
        {"2", "{profile: {height: \"=x^2\", from: 1, to: 1}}", "{disc: {at: [0, 3], radius: 0.1}}",
         "from = 1 of a profile is not below to = 1"},
        {"2", "{profile: {height: \"=abs(x)\", from: -1, to: 1}}", "{disc: {at: [0, 3], radius: 0.1}}", "must be smooth"},
        {"2", "{profile: {height: \"=x^2\", from: -1, to: 1, side: up}}", "{disc: {at: [0, 3], radius: 0.1}}",
         "must be 'above' or 'below'"},
        {"2", "{profile: {height: \"=x^2\", from: -1, to: 1}}", "{plane: {at: [0, 3], normal: [0, -1]}}", "cannot touch each other"},
        {"3", "{profile: {height: \"=x^2\", from: -1, to: 1}}", "{sphere: {at: [0, 3, 0], radius: 0.1}}", "only be used in planar models"},
        {"2", "{profile: {height: \"=x^2\", from: -1, to: 1}}", "{disc: {at: [0, 0.05], radius: 0.1}}", "starts inside by 0.05 m"},
        {"2", "{profile: {height: \"=x^2\", from: -1, to: 1}}", "{box: {at: [0, 0.1], size: [0.4, 0.4]}}", "starts inside by"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[512];
        bl_run_options options = {.until = 0.01};
        snprintf(text, sizeof text,
                 "dimension: %s\nbodies: [{name: p, mass: 1, center: [0, 3%s], inertia: %s}]\n"
                 "contacts: [{name: c, between: [ground, p], shapes: [%s, %s]}]\n",
                 bad[k].dimension, bad[k].dimension[0] == '3' ? ", 0" : "", bad[k].dimension[0] == '3' ? "[1, 1, 1]" : "1", bad[k].profile,
                 bad[k].other);
        contact_run_text(text, NULL, &options, &run);
        assert_int_equal(run.status, BL_E_MODEL);
        if (!strstr(run.error.what, bad[k].error))
            fail_msg("expected '%s', found '%s'", bad[k].error, run.error.what);
        assert_true(run.error.line > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bead__has_its_period_on_a_parabola),
        cmocka_unit_test(disc__is_a_pendulum_on_an_arc),
        cmocka_unit_test(plank__rocks_on_a_crest),
        cmocka_unit_test(profile__is_the_disc_of_its_shape),
        cmocka_unit_test(table__is_the_curve_through_its_rows),
        cmocka_unit_test(profile__is_refused_where_it_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
