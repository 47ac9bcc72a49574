/* Rigid contacts against contacts that yield: distances of motions in closed form, restitution by independent values of the law of Hunt and
 * Crossley, order of convergence, and where the law cannot follow. */
#include "study/compare_contacts_private.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81, PI = 3.14159265358979323846;

static bl_model *read_text(bl_context *ctx, const char *text) {
    bl_model *model;
    if (bl_model_read_text(ctx, "model", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    return model;
}

typedef struct compared {
    bl_context *ctx;
    bl_model *model;
    bl_compare_contacts_report report;
} compared;

static const bl_compare_contacts_report *compare(compared *c, const char *text, const bl_run_options *run, int levels) {
    *c = (compared){.ctx = test_context(NULL), .report.size = sizeof c->report};
    c->model = read_text(c->ctx, text);
    bl_compare_contacts_options options = {.run = run, .levels = levels};
    if (bl_compare_contacts(c->ctx, c->model, &options, &c->report) != BL_OK)
        fail_msg("%s", bl_context_error(c->ctx)->what);
    return &c->report;
}

static void end(compared *c) {
    bl_compare_contacts_report_destroy(c->ctx, &c->report);
    bl_model_destroy(c->model);
    test_context_end(c->ctx);
}

/* values of case C12, found by another program */
static void law__has_the_restitution_of_hunt_and_crossley(void **state) {
    static const double x[] = {0.1, 0.3, 0.6}, e[] = {0.9374755799, 0.8328697923, 0.7119501796};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (double speed = 1e-3; speed < 1e3; speed *= 37) {
            assert_true(fabs(bl_yield_restitution(x[k] / speed, speed) - e[k]) < 1e-10);
            assert_true(fabs(bl_yield_damping(e[k], speed) * speed - x[k]) < 1e-9);
        }
    assert_true(bl_yield_damping(1, 3) == 0 && bl_yield_restitution(0, 3) == 1);
    for (double small = 1e-12; small < 0.1; small *= 7) /* e = 1 - 2/3 x + 4/9 x^2 ... */
        assert_true(fabs(1 - bl_yield_restitution(small, 1) - 2.0 / 3 * small) < 0.5 * small * small + 1e-15);
    assert_true(bl_yield_restitution(1e3, 1) < 1e-3 && bl_yield_restitution(1e3, 1) > 0.99e-3); /* v1 -> 1 / chi */
}

#define BALL(e, until)                                                                                                             \
    "dimension: 2\ngravity: [0, -9.81]\npoints: {O: [0, 0], C: [0, 1.1]}\n"                                                        \
    "bodies: [{name: ball, disc: {center: C, radius: 0.1}, mass: 2}]\n"                                                            \
    "contacts: [{name: floor, between: [ground, ball], shapes: [{plane: {at: O, normal: [0, 1]}}, {disc: {at: C, radius: 0.1}}], " \
    "restitution: " e "}]\nsimulate: {until: " until "}\n"

/* gap of a ball from 1 m on a spring k without damping, which leaves with the speed of its fall, and on a rigid floor */
static double soft_gap(double t, double k) {
    double v = sqrt(2 * G), w = sqrt(k / 2), fall = sqrt(2 / G), sag = G / (w * w), reach = hypot(sag, v / w);
    double touch = 2 / w * (PI - atan2(v / w, sag)); /* of y = -sag + reach cos(w t - ...) from 0 to 0 */
    t -= fall;
    if (t < 0)
        return 1 - 0.5 * G * (t + fall) * (t + fall);
    if (t < touch)
        return -sag + reach * cos(w * (t - 0.5 * touch) + PI);
    t -= touch;
    return v * t - 0.5 * G * t * t;
}

static double hard_gap(double t) {
    double v = sqrt(2 * G), fall = sqrt(2 / G);
    t -= fall;
    return t < 0 ? 1 - 0.5 * G * (t + fall) * (t + fall) : v * t - 0.5 * G * t * t;
}

/* Time steps see an impact up to a step late: distances of at most the change of speed times a step, smaller with the step. */
static void time_steps__converge_with_the_first_order(void **state) {
    static const char *const kinds[] = {"natural", "reference"};
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        compared c;
        bl_run_options run = {.tolerance = 1e-10, .coordinates = kinds[kind]};
        const bl_compare_contacts_report *r = compare(&c, BALL("0.5", "1"), &run, 5);
        assert_true(r->steps_converge && r->nstepped == 5);
        for (bl_index i = 0; i < r->nstepped; i++) {
            const bl_contacts_stepped *e = &r->stepped[i];
            assert_true(fabs(e->step - ldexp(r->compared / 2000, -(int)i)) < 1e-12 && e->reason[0] == '\0');
            assert_true(e->distance > 0 && e->distance * r->length < 3 * 1.5 * sqrt(2 * G) * e->step);
        }
        end(&c);
    }
}

static void time_steps__are_left_out_with_a_reason(void **state) {
    compared c;
    (void)state;
    const bl_compare_contacts_report *r =
        compare(&c,
                "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: a, mass: 1, center: [0, 0], inertia: 1}]\n"
                "joints: [{name: A, type: prismatic, bodies: [ground, a], at: [0, 0], axis: [0, 1]}]\n"
                "contacts: [{name: c, gap: =A.distance + 1, restitution: 0.5}]\nsimulate: {until: 1}\n",
                NULL, 2);
    assert_true(r->nstepped == 1 && r->stepped[0].step == 0 && strstr(r->stepped[0].reason, "stepping") && !r->steps_converge);
    end(&c);
}

/* one bounce without loss: the distances of both motions are known in closed form */
static void distance__of_a_bounce_is_that_of_the_closed_solution(void **state) {
    static const char *const kinds[] = {"natural", "reference", "relative"};
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        compared c;
        bl_run_options run = {.tolerance = 1e-10, .coordinates = kinds[kind]};
        const bl_compare_contacts_report *r = compare(&c, BALL("1", "1.2"), &run, 4);
        assert_true(r->converges && r->nentry == 4 && r->nspring == 1 && r->compared == 1.2 && r->nnote == 0);
        assert_true(r->spring[0].damping == 0 && r->spring[0].impacts == 1);
        assert_true(fabs(r->spring[0].mass - 2) < 1e-6 && fabs(r->spring[0].speed - sqrt(2 * G)) < 1e-6);
        double most = 0, least = 1;
        for (int k = 0; k <= BL_CONTACT_INTERVALS; k++) {
            most = fmax(most, hard_gap(1.2 * k / BL_CONTACT_INTERVALS));
            least = fmin(least, hard_gap(1.2 * k / BL_CONTACT_INTERVALS));
        }
        assert_true(fabs(r->length - (most - least)) < 1e-6);
        for (bl_index i = 0; i < r->nentry; i++) {
            double want = 0;
            for (int k = 0; k <= BL_CONTACT_INTERVALS; k++) {
                double t = 1.2 * k / BL_CONTACT_INTERVALS;
                want = fmax(want, fabs(soft_gap(t, r->entry[i].stiffness) - hard_gap(t)) / r->length);
            }
            assert_true(fabs(r->entry[i].distance - want) < 1e-6);
            assert_string_equal(r->entry[i].worst, "ball");
        }
        assert_true(fabs(r->entry[3].order - 0.5) < 0.02);
        end(&c);
    }
}

/* the damping is that of the law, and ends the comparison at the second impact, sqrt(2/g) (1 + 2 e), whose speed is e times the first */
static void damping__fits_one_speed(void **state) {
    compared c;
    bl_run_options run = {.tolerance = 1e-9, .until = 3};
    double e = 0.8328697923;
    (void)state;
    const bl_compare_contacts_report *r = compare(&c, BALL("0.8328697923", "3"), &run, 0);
    assert_true(fabs(r->spring[0].damping * sqrt(2 * G) - 0.3) < 1e-6);
    assert_true(fabs(r->compared - sqrt(2 / G) * (1 + 2 * e)) < 1e-6 && r->until == 3);
    assert_non_null(strstr(r->reason, "'floor'"));
    assert_true(r->converges && r->nentry == 5);
    for (bl_index i = 1; i < r->nentry; i++)
        assert_true(fabs(r->entry[i].order - 0.5) < 0.05);
    end(&c);
}

/* a rod whose angle bounces between two stops, without loss: springs of angles */
static void stops__converge_too(void **state) {
    static const char text[] = "dimension: 2\ngravity: [0, 0]\n"
                               "bodies: [{name: rod, rod: {from: [0, 0], to: [1, 0]}, mass: 3}]\n"
                               "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0], lower: -0.4, upper: 0.6, "
                               "restitution: 1}]\ninitial: {A.rate: 2}\nsimulate: {until: 1.1}\n";
    compared c;
    bl_run_options run = {.tolerance = 1e-10};
    (void)state;
    const bl_compare_contacts_report *r = compare(&c, text, &run, 3);
    assert_true(r->nspring == 2 && r->spring[0].is_angle && r->converges);
    assert_true(fabs(r->spring[1].mass - 1) < 1e-9 && fabs(r->spring[1].speed - 2) < 1e-9); /* m l^2 / 3 */
    assert_true(fabs(r->spring[1].stiffness - 4 / 1e-4) < 1e-3);                            /* J w^2 / depth^2 */
    /* impacts at 0.3 and 0.8 s: each lasts pi sqrt(J / k), by which the rod is late, with 2 rad/s */
    for (bl_index i = 0; i < 3; i++) {
        double angle = 2 * 2 * PI / sqrt(r->entry[i].stiffness), chord = 2 * 0.5 * sin(0.5 * angle);
        assert_true(fabs(r->entry[i].distance - fmax(angle, chord / r->length)) < 1e-6);
    }
    end(&c);
}

/* friction that slides and stops */
static void friction__converges(void **state) {
    static const char text[] =
        "dimension: 2\ngravity: [=-9.81*sin(20*pi/180), =-9.81*cos(20*pi/180)]\npoints: {O: [0, 0], C: [0, 0.1]}\n"
        "bodies: [{name: block, box: {center: C, size: [0.4, 0.2]}, mass: 1}]\n"
        "contacts: [{name: floor, between: [ground, block], shapes: [{plane: {at: O, normal: [0, 1]}}, {box: {at: C, size: [0.4, 0.2]}}], "
        "friction: 0.4}]\ninitial: {block: {velocity: [2, 0]}}\nsimulate: {until: 0.5}\n";
    compared c;
    bl_run_options run = {.tolerance = 1e-8};
    (void)state;
    const bl_compare_contacts_report *r = compare(&c, text, &run, 4);
    assert_true(r->converges && r->entry[3].distance < 2e-3);
    assert_int_equal(r->nnote, 1);
    assert_non_null(strstr(r->note[0], "creeps"));
    end(&c);
}

/* Three balls that touch in a row, without gaps: by Newton's law the impact of the first is shared, (-1/3, 2/3, 2/3); by springs the last
 * one takes nearly all. The study says that they differ. */
static void balls__in_a_row_do_not_converge(void **state) {
    char text[2048];
    size_t n = (size_t)snprintf(text, sizeof text, "dimension: 2\ngravity: [0, 0]\nbodies:\n");
    for (int i = 0; i < 3; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "- {name: b%d, disc: {center: [%g, 0], radius: 0.1}, mass: 1}\n", i,
                              i == 0 ? -0.3 : 0.2 * i - 0.2);
    n += (size_t)snprintf(text + n, sizeof text - n, "contacts:\n");
    for (int i = 0; i < 2; i++)
        n +=
            (size_t)snprintf(text + n, sizeof text - n,
                             "- {name: c%d, between: [b%d, b%d], shapes: [{disc: {at: [%g, 0], radius: 0.1}}, {disc: {at: [%g, 0], radius: "
                             "0.1}}], restitution: 1}\n",
                             i, i, i + 1, i == 0 ? -0.3 : 0.0, i == 0 ? 0.0 : 0.2);
    n += (size_t)snprintf(text + n, sizeof text - n, "initial: {b0: {velocity: [1, 0]}}\nsimulate: {until: 0.3, impact: newton}\n");
    compared c;
    bl_run_options run = {.tolerance = 1e-9};
    (void)state;
    const bl_compare_contacts_report *r = compare(&c, text, &run, 3);
    assert_false(r->converges);
    assert_int_equal(r->nnote, 1);
    assert_non_null(strstr(r->note[0], "'c0' and 'c1' are struck at the same instant, 0.1 s"));
    end(&c);
}

static void refusals__say_why(void **state) {
    static const struct {
        const char *text, *what;
        bl_compare_contacts_options options;
        bl_status status;
    } set[] = {{"dimension: 2\nbodies: [{name: b, mass: 1, inertia: 1, center: [0, 0]}]\nsimulate: {until: 1}\n",
                "no rigid contacts",
                {0},
                BL_E_MODEL},
               {BALL("0.5", "0.2"), "no contact of the model touches until 0.2 s", {0}, BL_E_MODEL},
               {BALL("0.5", "1"), "exponent must be 1 or more", {.exponent = 0.5}, BL_E_ARG},
               {BALL("0.5", "1"), "more than 1", {.factor = 1}, BL_E_ARG},
               {BALL("0.5", "1"), "between 1 and 20", {.levels = 21}, BL_E_ARG},
               {"dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: a, mass: 1, inertia: 1, center: [0, 0.5]}]\n"
                "contacts: [{name: e, between: [ground, a], shapes: [{box: {at: [0, -0.1], size: [1, 0.2]}}, {point: {at: [0, 0.5]}}]}]\n"
                "simulate: {until: 1}\n",
                "no potential where their surfaces end",
                {0},
                BL_E_MODEL}};
    (void)state;
    for (size_t k = 0; k < sizeof set / sizeof *set; k++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = read_text(ctx, set[k].text);
        bl_compare_contacts_report report = {.size = sizeof report};
        assert_int_equal(bl_compare_contacts(ctx, model, &set[k].options, &report), set[k].status);
        if (!strstr(bl_context_error(ctx)->what, set[k].what))
            fail_msg("%s", bl_context_error(ctx)->what);
        bl_compare_contacts_report_destroy(ctx, &report);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law__has_the_restitution_of_hunt_and_crossley),
        cmocka_unit_test(distance__of_a_bounce_is_that_of_the_closed_solution),
        cmocka_unit_test(damping__fits_one_speed),
        cmocka_unit_test(stops__converge_too),
        cmocka_unit_test(time_steps__converge_with_the_first_order),
        cmocka_unit_test(time_steps__are_left_out_with_a_reason),
        cmocka_unit_test(friction__converges),
        cmocka_unit_test(balls__in_a_row_do_not_converge),
        cmocka_unit_test(refusals__say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
