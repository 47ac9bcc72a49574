/* Boxes against boxes in space: rest, sliding on a slope, edges that cross, a box that tips over an edge; closed solutions in several
 * coordinates. */
#include "support/contact_run.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;
static contact_run run;
static const char *const kinds[] = {"natural", "reference", "relative"};
enum { NKIND = sizeof kinds / sizeof *kinds };

/* shares of the corners in space are not unique: a warning */
static const contact_sample *follow(const char *text, const char *kind, double until) {
    double at[] = {until};
    bl_run_options options = {.coordinates = kind, .until = until, .tolerance = 1e-10, .at = at, .nat = 1};
    contact_run_text(text, NULL, &options, &run);
    if (run.status != BL_OK)
        fail_msg("%s: %s", run.label, run.error.what);
    if (run.nwarning > 0 && !strstr(run.warning, "undetermined"))
        fail_msg("%s: warning: %s", run.label, run.warning);
    contact_expect_close(&run, "energy", run.energy_error, 0, 1e-7);
    return contact_at(&run, until);
}

/* in the middle, beyond one edge, and beyond a corner of the lower box, where edges cross and its corner meets the face above */
static void box__rests_and_slides_on_a_box(void **state) {
    (void)state;
    static const char *const places[] = {"0.1, 0.05", "0.3, 0.1", "0.3, 0.35"};
    for (int k = 0; k < NKIND; k++)
        for (int moves = k != 0; moves < 2; moves++) {
            char text[1024];
            double x, v = moves ? 0.3 : 0;
            snprintf(
                text, sizeof text,
                "gravity: [0, 0, -9.81]\nbodies: [{name: p, box: {center: [%s, 0.7], size: [0.6, 0.5, 0.4]}, mass: 2}]\n"
                "contacts: [{name: c, between: [ground, p], shapes: [{box: {at: [0, 0, 0], size: [1, 1, 1]}}, {box: {at: [%s, 0.7], size: "
                "[0.6, 0.5, 0.4]}}], friction: 0.5}]\ninitial: {p: {velocity: [%g, 0, 0]}}\n",
                places[k], places[k], v);
            sscanf(places[k], "%lf", &x);
            const contact_sample *end = follow(text, kinds[k], 0.5);
            contact_expect_close(&run, "x", end->body[0].position[0], x + v * v / (2 * 0.5 * G), 1e-8);
            contact_expect_close(&run, "height", end->body[0].position[2], 0.7, 1e-8);
        }
}

/* thrown up a slope of 20 degrees with 2 m/s: it stops and slides back */
static void box__slides_on_an_inclined_box(void **state) {
    (void)state;
    const double a = 20 * acos(-1) / 180;
    for (int k = 0; k < NKIND; k += 2) { /* natural, relative */
        char text[1024];
        double mu = 0.3, halt = 2 / (G * (sin(a) + mu * cos(a))), back = G * (sin(a) - mu * cos(a));
        snprintf(
            text, sizeof text,
            "gravity: [0, 0, -9.81]\nparameters: {a: 0.34906585039886592}\n"
            "bodies: [{name: p, box: {center: [=-0.7*sin(a), 0, =0.7*cos(a)], size: [0.6, 0.5, 0.4], axes: [[=cos(a), 0, =sin(a)], [0, 1, "
            "0]]}, mass: 2}]\n"
            "contacts: [{name: c, between: [ground, p], shapes: [{box: {at: [0, 0, 0], size: [4, 1, 1], axes: [[=cos(a), 0, =sin(a)], [0, "
            "1, 0]]}}, {box: {at: [=-0.7*sin(a), 0, =0.7*cos(a)], size: [0.6, 0.5, 0.4], axes: [[=cos(a), 0, =sin(a)], [0, 1, 0]]}}], "
            "friction: %g}]\ninitial: {p: {velocity: [=2*cos(a), 0, =2*sin(a)]}}\n",
            mu);
        const contact_sample *end = follow(text, kinds[k], 2);
        double way = halt - back * (2 - halt) * (2 - halt) / 2; /* 2 m/s: the way to the halt in m is its time in s */
        contact_expect_close(&run, "x", end->body[0].position[0], -0.7 * sin(a) + way * cos(a), 1e-7);
        contact_expect_close(&run, "z", end->body[0].position[2], 0.7 * cos(a) + way * sin(a), 1e-7);
    }
}

/* Two free bars, turned by 45 degrees about their lengths, so that edges meet crosswise, at distances from their centers: the impulse along
 * z is (1 + e) v / (1/m_1 + x^2/I_1 + 1/m_2 + y^2/I_2). */
static void edges__exchange_momentum(void **state) {
    (void)state;
    static const double offset[][2] = {{0, 0}, {0.3, 0}, {0.3, -0.4}};
    const double half = 0.1 * sqrt(2), I1 = 2 * (4 + 0.04) / 12, I2 = 3 * (4 + 0.04) / 12, e = 0.5, v = 1;
    for (int k = 0; k < NKIND; k++) {
        char text[1500];
        const double *x = offset[k];
        double h = 2 * half + 0.2, P = (1 + e) * v / (1. / 2 + x[0] * x[0] / I1 + 1. / 3 + x[1] * x[1] / I2);
        snprintf(text, sizeof text,
                 "parameters: {s: =sqrt(0.5)}\nbodies:\n"
                 "  - {name: a, box: {center: [%.17g, 0, 0], size: [2, 0.2, 0.2], axes: [[1, 0, 0], [0, =s, =s]]}, mass: 2}\n"
                 "  - {name: b, box: {center: [0, %.17g, %.17g], size: [0.2, 2, 0.2], axes: [[=s, 0, =s], [0, 1, 0]]}, mass: 3}\n"
                 "contacts: [{name: c, between: [a, b], shapes: [{box: {at: [%.17g, 0, 0], size: [2, 0.2, 0.2], axes: [[1, 0, 0], [0, =s, "
                 "=s]]}}, {box: {at: [0, %.17g, %.17g], size: [0.2, 2, 0.2], axes: [[=s, 0, =s], [0, 1, 0]]}}], restitution: 0.5}]\n"
                 "initial: {b: {velocity: [0, 0, -1]}}\n",
                 x[0], x[1], h, x[0], x[1], h);
        const contact_sample *end = follow(text, kinds[k], 0.25);
        contact_expect_close(&run, "the impact", run.event[0], 0.2, 1e-9);
        contact_expect_close(&run, "v of a", end->body[0].velocity[2], -P / 2, 1e-9);
        contact_expect_close(&run, "v of b", end->body[1].velocity[2], -1 + P / 3, 1e-9);
        contact_expect_close(&run, "w of a", end->body[0].angular_velocity[1], -x[0] * P / I1, 1e-9); /* r x P = (-x, 0, 0) x (0, 0, -P) */
        contact_expect_close(&run, "w of b", end->body[1].angular_velocity[0], -x[1] * P / I2, 1e-9); /* (0, -y, 0) x (0, 0, P) */
    }
}

/* Its center 5 cm beyond the edge of a smooth table, a box begins to turn with m g d / (I + m d^2). */
static void box__tips_over_an_edge(void **state) {
    (void)state;
    const char *text =
        "gravity: [0, 0, -9.81]\nbodies: [{name: p, box: {center: [0.55, 0.03, 0.7], size: [0.6, 0.5, 0.4]}, mass: 2}]\n"
        "contacts: [{name: c, between: [ground, p], shapes: [{box: {at: [0, 0, 0], size: [1, 2, 1]}}, {box: {at: [0.55, 0.03, "
        "0.7], size: [0.6, 0.5, 0.4]}}]}]\n";
    const double inertia = 2 * (0.36 + 0.16) / 12, d = 0.05, t = 0.01, rate = 2 * G * d / (inertia + 2 * d * d);
    for (int k = 0; k < NKIND; k++) { /* its rate changes by the order of rate^2 t^2 */
        const contact_sample *end = follow(text, kinds[k], t);
        contact_expect_close(&run, "the angular velocity", end->body[0].angular_velocity[1], rate * t, 1e-2 * rate * t);
        contact_expect_close(&run, "the angular velocity", end->body[0].angular_velocity[0], 0, 1e-10);
        contact_expect_close(&run, "the path", end->body[0].position[2], 0.7 - d * rate * t * t / 2, 1e-2 * d * rate * t * t / 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box__rests_and_slides_on_a_box),
        cmocka_unit_test(box__slides_on_an_inclined_box),
        cmocka_unit_test(edges__exchange_momentum),
        cmocka_unit_test(box__tips_over_an_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
