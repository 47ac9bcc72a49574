/* Velocities and accelerations in one configuration: closed forms of the four-bar and the slider-crank, differences of displacements, the
 * study `kinematics` as a second computation, ratios that are inverse to each other, and refusals. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct rated {
    bl_context *ctx;
    bl_model *model;
    bl_rates_report report;
} rated;

static rated begin(const char *text) {
    rated r = {.ctx = test_context(NULL)};
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, text);
    bl_status status = strchr(text, '\n') ? bl_model_read_text(r.ctx, "test", text, strlen(text), NULL, 0, &r.model)
                                          : bl_model_read(r.ctx, path, NULL, 0, &r.model);
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(r.ctx)->what);
    return r;
}

static void end(rated *r) {
    bl_rates_report_destroy(r->ctx, &r->report);
    bl_model_destroy(r->model);
    test_context_end(r->ctx);
}

/* input NULL: the default; at NULL: the start */
static bl_status rate(rated *r, const bl_move_target *at, const bl_rate_input *input, bl_index ninput, const char *output) {
    bl_rates_report_destroy(r->ctx, &r->report);
    return bl_rates(
        r->ctx, r->model,
        &(bl_rates_options){
            .target = at, .ntarget = at ? 1 : 0, .input = input, .ninput = ninput, .output = &output, .noutput = output ? 1 : 0},
        &r->report);
}

static void must(rated *r, bl_status status) {
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(r->ctx)->what);
}

static const bl_rate_row *row(const rated *r, const char *name) {
    for (bl_index i = 0; i < r->report.nvariable; i++)
        if (strcmp(r->report.variable[i].name, name) == 0)
            return &r->report.variable[i];
    for (bl_index i = 0; i < r->report.nprobe * r->report.dim; i++)
        if (strcmp(r->report.probe[i].name, name) == 0)
            return &r->report.probe[i];
    fail_msg("no row %s", name);
    return NULL;
}

static void near(double now, double exact, double tolerance) {
    if (!(fabs(now - exact) <= tolerance))
        fail_msg("%.17g is not %.17g: off by %.3g", now, exact, fabs(now - exact));
}

static void refuses(rated *r, bl_status now, bl_status status, const char *words) {
    const bl_error *error = bl_context_error(r->ctx);
    assert_int_equal(now, status);
    if (!strstr(error->what, words))
        fail_msg("'%s' does not say '%s'", error->what, words);
    assert_null(r->report.own);
}

/* ---- closed forms */

/* loop of complex numbers: crank, coupler, rocker at angles t2, t3, t4; rates by Cramer's rule, second rates likewise */
static void four_bar__rates_and_transmission(void **state) {
    (void)state;
    rated r = begin("four_bar");
    double a = 0.2, b = 0.5, c = 0.4, base = 0.5;
    for (double turn = 0; turn < 7; turn += 0.83) {
        double t2 = pi / 2 + turn, w2 = 3, e2 = -2;
        must(&r, rate(&r, &(bl_move_target){"A.angle", turn}, &(bl_rate_input){"A.angle", w2, e2}, 1, "D.angle"));
        double Bx = a * cos(t2), By = a * sin(t2), Cx = row(&r, "C.x")->value, Cy = row(&r, "C.y")->value;
        double t3 = atan2(Cy - By, Cx - Bx), t4 = atan2(Cy, Cx - base);
        double w3 = a * w2 * sin(t4 - t2) / (b * sin(t3 - t4)), w4 = a * w2 * sin(t3 - t2) / (c * sin(t3 - t4));
        near(row(&r, "D.angle")->rate, w4, 1e-11);
        near(row(&r, "D.angle")->ratio[0], w4 / w2, 1e-12);
        near(r.report.body[1].pose.angular_velocity[2], w3, 1e-11);
        double p = a * e2 * sin(t2 - t3) + a * w2 * w2 * cos(t2 - t3) + b * w3 * w3 - c * w4 * w4 * cos(t4 - t3);
        near(row(&r, "D.angle")->acceleration, p / (c * sin(t4 - t3)), 1e-9);
        double dd = (base - Bx) * (base - Bx) + By * By;
        assert_int_equal(r.report.ntransmission, 1);
        assert_string_equal(r.report.transmission[0].joint, "C");
        assert_string_equal(r.report.transmission[0].form, "RRR");
        near(r.report.transmission[0].angle, acos((b * b + c * c - dd) / (2 * b * c)), 1e-11);
        near(r.report.output[0].factor[0] * w4, w2, 1e-10); /* no power is lost */
    }
    end(&r);
}

static void slider_crank__rates_and_toggle(void **state) {
    (void)state;
    rated r = begin("slider_crank");
    double a = 0.2, b = 0.5;
    for (double turn = -2; turn < 5; turn += 0.71) {
        double f = pi / 3 + turn, s = sin(f), c = cos(f), q = sqrt(b * b - a * a * s * s), w = 4, e = 1.5;
        double first = -a * s - a * a * s * c / q;
        double second = -a * c - a * a * (c * c - s * s) / q - a * a * a * a * s * s * c * c / (q * q * q);
        must(&r, rate(&r, &(bl_move_target){"A.angle", turn}, &(bl_rate_input){"A.angle", w, e}, 1, "guide.distance"));
        near(row(&r, "guide.distance")->rate, first * w, 1e-12);
        near(row(&r, "C.x")->acceleration, second * w * w + first * e, 1e-11);
        near(r.report.body[2].acceleration.acceleration[0], second * w * w + first * e, 1e-11);
        near(r.report.output[0].factor[0], 1 / first, 1e-10 / (first * first));
        assert_string_equal(r.report.transmission[0].form, "RRP");
        near(r.report.transmission[0].angle, acos(a * fabs(s) / b), 1e-12);
    }
    double d = 1e-4; /* near the dead point the slider is loaded with 1 / (a (1 + a/b) d) */
    must(&r, rate(&r, &(bl_move_target){"A.angle", d - pi / 3}, NULL, 0, "guide.distance"));
    near(r.report.output[0].factor[0] * -a * (1 + a / b) * d, 1, 1e-7);
    near(r.report.input[0].rate, 1, 1e-14);
    must(&r, rate(&r, &(bl_move_target){"A.angle", -pi / 3}, NULL, 0, "guide.distance")); /* the crank may move it there, */
    assert_true(fabs(r.report.output[0].factor[0]) > 1e12);
    refuses(&r, rate(&r, &(bl_move_target){"A.angle", -pi / 3}, &(bl_rate_input){"guide.distance", 1, 0}, 1, NULL), BL_E_NUMERIC,
            "input guide.distance is at its extreme value"); /* the slider may not */
    assert_string_equal(bl_context_error(r.ctx)->part, "B");
    end(&r);
}

/* ---- a second computation */

#define DRIVEN                                                                                                                          \
    "model: x\ndimension: 2\npoints: {A: [0,0], B: [0.3,0], C: [0.7,0.3], D: [0.9,0]}\nbodies:\n"                                       \
    "  - {name: crank, rod: {from: A, to: B}, mass: 1}\n  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n"                          \
    "  - {name: rocker, rod: {from: C, to: D}, mass: 1}\njoints:\n  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"      \
    "  - {name: B, type: revolute, bodies: [crank, coupler], at: B}\n  - {name: C, type: revolute, bodies: [coupler, rocker], at: C}\n" \
    "  - {name: D, type: revolute, bodies: [ground, rocker], at: D}\ndrivers: [{variable: A.angle, value: =0.1 + 2*t + 3*t^2}]\n"

static void drivers__are_the_inputs_as_kinematics_has_them(void **state) {
    (void)state;
    rated r = begin(DRIVEN);
    bl_kinematics *k = NULL;
    must(&r, rate(&r, NULL, NULL, 0, NULL));
    near(r.report.input[0].value, 0.1, 1e-12);
    near(r.report.input[0].rate, 2, 1e-13);
    near(r.report.input[0].acceleration, 6, 1e-12);
    assert_int_equal(bl_kinematics_create(r.ctx, r.model, NULL, &k), BL_OK);
    assert_int_equal(bl_kinematics_at(k, 0, BL_ACCELERATIONS), BL_OK);
    for (bl_index b = 0; b < r.report.nbody; b++) {
        const bl_body_motion *body = bl_kinematics_body(k, b + 1);
        for (int i = 0; i < 3; i++) {
            near(r.report.body[b].pose.velocity[i], body->velocity[i], 1e-11);
            near(r.report.body[b].pose.angular_velocity[i], body->angular_velocity[i], 1e-11);
            near(r.report.body[b].acceleration.acceleration[i], body->acceleration[i], 1e-10);
            near(r.report.body[b].acceleration.angular_acceleration[i], body->angular_acceleration[i], 1e-10);
        }
    }
    bl_kinematics_destroy(k);
    end(&r);
}

/* all variables and probes at a value of the input */
static void read_at(rated *r, const char *name, double value, double *out) {
    bl_move_report report = {0};
    bl_move_target target = {name, value};
    must(r, bl_move(r->ctx, r->model, &(bl_move_options){.target = &target, .ntarget = 1}, NULL, 0, &report, NULL));
    bl_index n = 0;
    for (bl_index i = 0; i < report.nvariable; i++)
        out[n++] = report.variable[i].value;
    for (bl_index i = 0; i < report.nprobe; i++)
        for (int c = 0; c < r->report.dim; c++)
            out[n++] = report.probe_at[3 * i + c];
    bl_move_report_destroy(r->ctx, &report);
}

/* RSSR: the rod between two spherical joints may rotate about itself */
#define RSSR                                                                                                                      \
    "model: rssr\ndimension: 3\npoints: {A: [0, 0, 0], B: [0.2, 0, 0], C: [0.6, 0.5, 0.3], D: [0.6, 0.2, 0]}\nbodies:\n"          \
    "  - {name: crank, mass: 1, center: [0.1, 0, 0], inertia: [1e-3, 1e-2, 1e-2]}\n"                                              \
    "  - {name: rod, mass: 1, center: [0.4, 0.25, 0.15], inertia: [1e-2, 1e-2, 1e-2]}\n"                                          \
    "  - {name: rocker, mass: 1, center: [0.6, 0.3, 0.1], inertia: [1e-2, 1e-2, 1e-2]}\njoints:\n"                                \
    "  - {name: A, type: revolute, bodies: [ground, crank], at: A, axis: [0, 0, 1]}\n"                                            \
    "  - {name: B, type: spherical, bodies: [crank, rod], at: B}\n  - {name: C, type: spherical, bodies: [rod, rocker], at: C}\n" \
    "  - {name: D, type: revolute, bodies: [ground, rocker], at: D, axis: [1, 0, 0]}\nprobes: {C: {body: rocker, at: C}}\n"

static void ratios__are_differences_of_displacements(void **state) {
    (void)state;
    static const struct {
        const char *model, *name;
        double at;
        bl_index passive;
    } one[] = {{"four_bar", "A.angle", 0.7, 0},
               {"four_bar", "C.x", 0.4, 0},
               {"jansen_leg", "O.angle", 2.1, 0},
               {"bricard", "j1.angle", 0.8, 0},
               {"spatial_slider_crank", "crank.angle", 1.3, 0},
               {"quick_return", "crank.angle", 0.6, 0},
               {RSSR, "A.angle", -0.3, 1}};
    for (size_t k = 0; k < sizeof one / sizeof *one; k++) {
        rated r = begin(one[k].model);
        double f[5][64], h = 2e-3;
        bl_rate_input input = {one[k].name, 1, 0};
        bl_status status = rate(&r, &(bl_move_target){one[k].name, one[k].at}, &input, 1, NULL);
        if (status != BL_OK)
            fail_msg("%.20s: %s", one[k].model, bl_context_error(r.ctx)->what);
        assert_int_equal(r.report.passive, one[k].passive);
        for (int i = 0; i < 5; i++)
            read_at(&r, one[k].name, one[k].at + (i - 2) * h, f[i]);
        bl_index n = r.report.nvariable + r.report.nprobe * r.report.dim;
        for (bl_index i = 0; i < n; i++) {
            const bl_rate_row *row = i < r.report.nvariable ? &r.report.variable[i] : &r.report.probe[i - r.report.nvariable];
            double first = (f[0][i] - 8 * f[1][i] + 8 * f[3][i] - f[4][i]) / (12 * h);
            double second = (-f[0][i] + 16 * f[1][i] - 30 * f[2][i] + 16 * f[3][i] - f[4][i]) / (12 * h * h);
            near(row->value, f[2][i], 1e-9);
            near(row->ratio[0], first, 1e-8 * (1 + fabs(first)));
            near(row->rate, first, 1e-8 * (1 + fabs(first)));
            near(row->acceleration, second, 3e-6 * (1 + fabs(second) + first * first));
        }
        end(&r);
    }
}

#define FIVE_BAR                                                                                                         \
    "model: five\ndimension: 2\npoints: {A: [0, 0], B: [0, 0.4], P: [0.35, 0.8], C: [0.7, 0.4], D: [0.7, 0]}\nbodies:\n" \
    "  - {name: a, rod: {from: A, to: B}, mass: 1}\n  - {name: b, rod: {from: B, to: P}, mass: 1}\n"                     \
    "  - {name: c, rod: {from: P, to: C}, mass: 1}\n  - {name: d, rod: {from: C, to: D}, mass: 1}\njoints:\n"            \
    "  - {name: A, type: revolute, bodies: [ground, a], at: A}\n  - {name: B, type: revolute, bodies: [a, b], at: B}\n"  \
    "  - {name: P, type: revolute, bodies: [b, c], at: P}\n  - {name: C, type: revolute, bodies: [c, d], at: C}\n"       \
    "  - {name: D, type: revolute, bodies: [ground, d], at: D}\nprobes: {P: {body: b, at: P}}\n"

static void two_inputs__are_inverse_to_their_outputs(void **state) {
    (void)state;
    rated r = begin(FIVE_BAR);
    double there[2][2], second[2];
    const bl_rate_input cranks[] = {{"A.angle", 1.5, 0.3}, {"D.angle", -0.7, 2}};
    must(&r, rate(&r, NULL, cranks, 2, NULL));
    const bl_rate_input tip[] = {{"P.x", row(&r, "P.x")->rate, row(&r, "P.x")->acceleration},
                                 {"P.y", row(&r, "P.y")->rate, row(&r, "P.y")->acceleration}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            there[i][j] = row(&r, i ? "P.y" : "P.x")->ratio[j];
    assert_string_equal(r.report.transmission[0].joint, "P");
    must(&r, rate(&r, NULL, tip, 2, NULL));
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const double *back = row(&r, i ? "D.angle" : "A.angle")->ratio;
            near(back[0] * there[0][j] + back[1] * there[1][j], i == j, 1e-12);
        }
    second[0] = row(&r, "A.angle")->acceleration;
    second[1] = row(&r, "D.angle")->acceleration;
    near(row(&r, "A.angle")->rate, 1.5, 1e-12);
    near(second[0], 0.3, 1e-11);
    near(second[1], 2, 1e-11);
    assert_int_equal(r.report.ntransmission, 0); /* inputs that no joint has */
    end(&r);
}

static void open_chain__is_forward_kinematics(void **state) {
    (void)state;
    rated r = begin("model: c\ndimension: 2\npoints: {O: [0, 0], P: [1, 0], Q: [2, 0]}\nbodies:\n"
                    "  - {name: a, rod: {from: O, to: P}, mass: 1}\n  - {name: b, rod: {from: P, to: Q}, mass: 1}\njoints:\n"
                    "  - {name: p, type: revolute, bodies: [ground, a], at: O}\n  - {name: q, type: revolute, bodies: [a, b], at: P}\n"
                    "probes: {Q: {body: b, at: Q}}\n");
    const bl_rate_input input[] = {{"p.angle", 2, 1}, {"q.angle", -3, 5}};
    must(&r, rate(&r, &(bl_move_target){"q.angle", 0.5}, input, 2, NULL));
    double p = row(&r, "p.angle")->value, s = p + row(&r, "q.angle")->value, w = -1, e = 6;
    near(row(&r, "Q.x")->rate, -2 * sin(p) - w * sin(s), 1e-13);
    near(row(&r, "Q.y")->acceleration, cos(p) - 4 * sin(p) + e * cos(s) - w * w * sin(s), 1e-12);
    refuses(&r, rate(&r, NULL, input, 1, NULL), BL_E_ARG, "1 input for 2 degrees of freedom: the motion of q.angle");
    refuses(&r, rate(&r, NULL, NULL, 0, NULL), BL_E_ARG, "1 input for 2 degrees of freedom");
    end(&r);
}

/* ---- refusals */

static void inputs__that_make_no_sense_are_named(void **state) {
    (void)state;
    rated r = begin("four_bar");
    const bl_rate_input both[] = {{"A.angle", 1, 0}, {"D.angle", 1, 0}}, twice[] = {{"A.angle", 1, 0}, {"A.angle", 1, 0}};
    refuses(&r, rate(&r, NULL, both, 2, NULL), BL_E_ARG, "input D.angle depends on the others: with A.angle given");
    refuses(&r, rate(&r, NULL, twice, 2, NULL), BL_E_ARG, "input A.angle is given twice");
    refuses(&r, rate(&r, NULL, &(bl_rate_input){"A.angel", 1, 0}, 1, NULL), BL_E_ARG, "unknown variable or probe coordinate 'A.angel'");
    refuses(&r, rate(&r, NULL, &(bl_rate_input){"A.angle", NAN, 0}, 1, NULL), BL_E_ARG, "finite");
    refuses(&r, rate(&r, NULL, NULL, 0, "E.angle"), BL_E_ARG, "'E.angle'");
    end(&r);
    rated p = begin("change_point_four_bar");
    refuses(&p, rate(&p, &(bl_move_target){"A.angle", pi / 2}, NULL, 0, NULL), BL_E_NUMERIC, "the configuration is singular");
    assert_string_equal(bl_context_error(p.ctx)->part, "D");
    refuses(&p, rate(&p, &(bl_move_target){"A.angle", 2}, NULL, 0, NULL), BL_E_NUMERIC, "branches of the motion meet");
    end(&p);
    rated o = begin("oscillator");
    refuses(&o, rate(&o, NULL, NULL, 0, NULL), BL_E_ABILITY, "is not a mechanism");
    end(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_bar__rates_and_transmission),
        cmocka_unit_test(slider_crank__rates_and_toggle),
        cmocka_unit_test(drivers__are_the_inputs_as_kinematics_has_them),
        cmocka_unit_test(ratios__are_differences_of_displacements),
        cmocka_unit_test(two_inputs__are_inverse_to_their_outputs),
        cmocka_unit_test(open_chain__is_forward_kinematics),
        cmocka_unit_test(inputs__that_make_no_sense_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
