/* The study of modes: scales of shapes, masses that take part, motions without mass, answers of every kind of damping against closed
 * solutions, corrections, refusals, sinks, memory. */
#include "biela/biela.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

typedef struct study {
    bl_context *ctx;
    bl_model *model;
    bl_modes_report report;
} study;

static bl_status try_find(const char *text, const bl_modes_options *options, study *s) {
    *s = (study){.ctx = test_context(NULL)};
    if (bl_model_read_text(s->ctx, "text", text, strlen(text), NULL, 0, &s->model) != BL_OK)
        fail_msg("%s", bl_context_error(s->ctx)->what);
    return bl_modes(s->ctx, s->model, options, NULL, 0, &s->report);
}

static void find(const char *text, const bl_modes_options *options, study *s) {
    if (try_find(text, options, s) != BL_OK)
        fail_msg("%s", bl_context_error(s->ctx)->what);
}

static void end(study *s) {
    bl_modes_report_destroy(s->ctx, &s->report);
    bl_model_destroy(s->model);
    test_context_end(s->ctx);
}

/* ---- shapes */

static const char three[] = "matrices:\n  M: [[2, 0.5, 0], [0.5, 3, 0], [0, 0, 1]]\n  K: [[30, -10, 0], [-10, 40, -20], [0, -20, 20]]\n"
                            "  initial: {positions: [1, -2, 0.5], velocities: [0.3, 0, 4]}\n";
static const double M3[9] = {2, 0.5, 0, 0.5, 3, 0, 0, 0, 1};

static double metric(const double *x, const double *y) {
    double sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum += x[i] * M3[3 * i + j] * y[j];
    return sum;
}

static void shapes__are_scaled_as_asked_and_orthogonal(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        study s;
        find(three, &(bl_modes_options){.scale = k ? BL_MODES_LARGEST : BL_MODES_MASS}, &s);
        assert_int_equal(s.report.nmode, 3);
        double start[3] = {0}, rate[3] = {0};
        for (int i = 0; i < 3; i++) {
            const bl_mode *m = &s.report.mode[i];
            double largest = 0, with_sign = 0;
            for (int j = 0; j < 3; j++)
                if (fabs(m->shape[j]) > largest) {
                    largest = fabs(m->shape[j]);
                    with_sign = m->shape[j];
                }
            assert_true(with_sign > 0);
            assert_near(k ? largest : metric(m->shape, m->shape), 1, 1e-13);
            assert_near(m->mass, metric(m->shape, m->shape), 1e-12);
            assert_true(m->residual < 1e-13);
            for (int j = 0; j < i; j++)
                assert_near(metric(m->shape, s.report.mode[j].shape), 0, 1e-13);
            for (int j = 0; j < 3; j++) { /* the start is the sum of its parts */
                start[j] += m->initial * m->shape[j];
                rate[j] += m->initial_rate * m->shape[j];
            }
            assert_true(isnan(m->participation[0]) && isnan(s.report.total_mass[2]));
        }
        for (int j = 0; j < 3; j++) {
            assert_near(start[j], ((const double[]){1, -2, 0.5})[j], 1e-12);
            assert_near(rate[j], ((const double[]){0.3, 0, 4})[j], 1e-12);
        }
        assert_string_equal(s.report.unknown[1], "d2");
        end(&s);
    }
}

/* three particles on springs in the plane: all their mass takes part along x, and along y */
static void masses_that_take_part__sum_up_to_all(void **unused) {
    (void)unused;
    static const char text[] = "model: particles\ndimension: 2\nbodies:\n"
                               "  - {name: a, points: [{mass: 1, at: [0, 0]}]}\n  - {name: b, points: [{mass: 2, at: [1, 0.3]}]}\n"
                               "  - {name: c, points: [{mass: 4, at: [2, 0]}]}\n"
                               "forces:\n"
                               "  - {type: spring, bodies: [ground, a], at: [-1, 0.5], to: [0, 0], stiffness: 100}\n"
                               "  - {type: spring, bodies: [ground, a], at: [0, -1], to: [0, 0], stiffness: 70}\n"
                               "  - {type: spring, bodies: [a, b], at: [0, 0], to: [1, 0.3], stiffness: 50}\n"
                               "  - {type: spring, bodies: [ground, b], at: [1, 2], to: [1, 0.3], stiffness: 80}\n"
                               "  - {type: spring, bodies: [b, c], at: [1, 0.3], to: [2, 0], stiffness: 60}\n"
                               "  - {type: spring, bodies: [ground, c], at: [2.5, -1], to: [2, 0], stiffness: 90}\n";
    study s;
    double mass[2] = {0};
    find(text, &(bl_modes_options){.coordinates = "natural"}, &s);
    assert_int_equal(s.report.nmode, 6);
    for (int k = 0; k < 6; k++)
        for (int c = 0; c < 2; c++) {
            const bl_mode *m = &s.report.mode[k];
            assert_near(m->effective_mass[c], m->participation[c] * m->participation[c] * m->mass, 1e-12);
            mass[c] += m->effective_mass[c];
        }
    for (int c = 0; c < 2; c++) {
        assert_near(s.report.total_mass[c], 7, 1e-12);
        assert_near(mass[c], 7, 1e-10);
    }
    assert_true(isnan(s.report.total_mass[2]));
    end(&s);
}

/* Every other mass missing: springs of half the stiffness between those that are left. */
static void motions_without_mass__follow_the_others(void **unused) {
    (void)unused;
    static const char small[] = "matrices:\n  size: 21\n  names: u\n  M: {diagonal: \"=mod(i, 2) == 0 ? 3 : 0\"}\n"
                                "  K: {tridiagonal: {lower: -200, diagonal: 400}}\n";
    static const char large[] = "matrices:\n  size: 2001\n  names: u\n  M: {diagonal: \"=mod(i, 2) == 0 ? 3 : 0\"}\n"
                                "  K: {tridiagonal: {lower: -200, diagonal: 400}}\n";
    for (int k = 0; k < 2; k++) {
        study s;
        int n = k ? 1000 : 10;
        bl_status status = try_find(k ? large : small, &(bl_modes_options){.count = 8}, &s);
        if (k && status == BL_E_ABILITY) {
            end(&s);
            continue; /* no ARPACK */
        }
        assert_int_equal(status, BL_OK);
        for (int j = 1; j <= 8; j++) {
            assert_near(s.report.mode[j - 1].omega, 2 * sqrt(100 / 3.0) * sin(j * PI / (2 * n + 2)), 1e-9 * s.report.mode[j - 1].omega);
            const double *x = s.report.mode[j - 1].shape;
            assert_near(x[2], (x[1] + x[3]) / 2, 1e-9);
        }
        if (k == 0)
            assert_int_equal(s.report.nmassless, 11);
        end(&s);
    }
    study s;
    assert_int_equal(try_find("matrices: {size: 2, M: {diagonal: [1, 0]}, K: {diagonal: [4, 0]}}\n", NULL, &s), BL_E_NUMERIC);
    assert_non_null(strstr(bl_context_error(s.ctx)->what, "neither mass nor stiffness are undetermined: d2 (1)"));
    end(&s);
    assert_int_equal(try_find("matrices: {size: 2, M: 0, K: 4}\n", NULL, &s), BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(s.ctx)->what, "nothing that can move has mass"));
    end(&s);
}

/* ---- answers */

typedef struct watch {
    double (*exact)(double t);
    double worst, last_t;
    long samples;
} watch;

static bl_status compare(void *user, const bl_sample *sample) {
    watch *w = user;
    w->samples++;
    w->last_t = sample->t;
    if (w->exact)
        w->worst = fmax(w->worst, fabs(sample->variable[0] - w->exact(sample->t)));
    return BL_OK;
}

static double answer(const char *text, const bl_modes_answer_options *options, double (*exact)(double)) {
    study s;
    watch w = {.exact = exact};
    bl_sink sink = {.user = &w, .sample = compare};
    find(text, &(bl_modes_options){.count = -1}, &s);
    if (bl_modes_answer(s.ctx, &s.report, options, &sink, 1, NULL) != BL_OK)
        fail_msg("%s", bl_context_error(s.ctx)->what);
    assert_true(w.samples > 1);
    end(&s);
    return w.worst;
}

/* x'' + c x' + 25 x = 3 + 2 t from (0.4, -1): particular solution (3 - 2 c / 25)/25 + 2 t / 25 */
static double damped(double t, double c) {
    double b = 2 / 25.0, a = (3 - c * b) / 25, y = 0.4 - a, v = -1 - b, half = c / 2, d = 25 - half * half;
    double w = sqrt(fabs(d)), C = d > 0 ? cos(w * t) : cosh(w * t), S = d == 0 ? t : d > 0 ? sin(w * t) / w : sinh(w * t) / w;
    return a + b * t + exp(-half * t) * (y * C + (v + half * y) * S);
}
static double none_of(double t) { return damped(t, 0); }
static double under(double t) { return damped(t, 1); }
static double critical(double t) { return damped(t, 10); }
static double over(double t) { return damped(t, 26); }
/* x'' + 0.5 x' = 3 + 2 t from (0.4, 0), free: x' = 4 t - 2 + 2 e^{-t/2} */
static double rigid(double t) { return 0.4 + 2 * t * t - 2 * t + 4 * (1 - exp(-t / 2)); }
/* x' = -4 x + 3 + 2 t */
static double first(double t) { return 0.625 + t / 2 + (0.4 - 0.625) * exp(-4 * t); }

static void loads_linear_in_time__are_answered_exactly(void **unused) {
    (void)unused;
    char text[256];
    static const struct {
        double c;
        double (*exact)(double);
    } cases[] = {{0, none_of}, {1, under}, {10, critical}, {26, over}};
    for (int k = 0; k < 4; k++) {
        snprintf(text, sizeof text,
                 "matrices: {size: 1, M: 2, C: %g, K: 50, load: [=2*(3 + 2*t)], initial: {positions: 0.4, velocities: -1}}\n",
                 2 * cases[k].c);
        /* by long steps and by short ones */
        assert_true(answer(text, &(bl_modes_answer_options){.until = 5, .every = 2.5}, cases[k].exact) < 1e-13);
        assert_true(answer(text, &(bl_modes_answer_options){.until = 5, .every = 0.01}, cases[k].exact) < 1e-11);
        /* the same damping given differently: alpha M + beta K with beta 0 */
        assert_true(answer(text, &(bl_modes_answer_options){.until = 5, .every = 1, .rayleigh = true, .alpha = cases[k].c},
                           cases[k].exact) < 1e-12);
        assert_true(answer(text, &(bl_modes_answer_options){.until = 5, .every = 1, .rayleigh = true, .beta = cases[k].c / 25},
                           cases[k].exact) < 1e-12);
    }
    static const char loose[] = "matrices: {size: 1, C: 0.5, K: 0, load: [=3 + 2*t], initial: {positions: 0.4, velocities: 0}}\n";
    assert_true(answer(loose, &(bl_modes_answer_options){.until = 4, .every = 0.5}, rigid) < 1e-11);
    static const char order_1[] = "matrices: {size: 1, A: -4, load: [=3 + 2*t], initial: {values: 0.4}}\n";
    assert_true(answer(order_1, &(bl_modes_answer_options){.until = 2, .every = 0.5}, first) < 1e-13);
}

/* sin t in steps: an error of their square, a quarter for half the step */
static double driven(double t) { return (sin(t) - sin(3 * t) / 3) / 8; } /* x'' + 9 x = sin t */

static void other_loads__are_linear_over_steps(void **unused) {
    (void)unused;
    static const char text[] = "matrices: {size: 1, K: 9, load: [=sin(t)]}\n";
    double coarse = answer(text, &(bl_modes_answer_options){.until = 6, .every = 0.2}, driven);
    double fine = answer(text, &(bl_modes_answer_options){.until = 6, .every = 0.2, .step = 0.1}, driven);
    assert_near(coarse / fine, 4, 0.1);
    assert_true(fine < 0.1 * 0.1 / 12);
}

/* ---- few of many modes */

static const char line[] = "parameters: {n: 40, h: =1/n}\nmatrices:\n  size: =n-1\n  names: u\n  M: =h\n"
                           "  K: {tridiagonal: {lower: =-1/h, diagonal: =2/h}}\n";

typedef struct last {
    double u[39];
    bl_index dof;
} last;

static bl_status begin_last(void *user, const bl_run_info *info) {
    ((last *)user)->dof = info->dof;
    return BL_OK;
}

static bl_status keep_last(void *user, const bl_sample *sample) {
    memcpy(((last *)user)->u, sample->variable, sizeof((last *)user)->u);
    return BL_OK;
}

static void answer_last(const char *extra, const bl_modes_answer_options *options, last *l) {
    char text[512];
    study s;
    bl_sink sink = {.user = l, .begin = begin_last, .sample = keep_last};
    snprintf(text, sizeof text, "%s%s", line, extra);
    find(text, &(bl_modes_options){.count = -1}, &s);
    if (bl_modes_answer(s.ctx, &s.report, options, &sink, 1, NULL) != BL_OK)
        fail_msg("%s", bl_context_error(s.ctx)->what);
    end(&s);
}

/* a start made of modes 3 and 20: the two that take part are all there is, the two lowest are nothing */
static void modes_that_take_part_most__are_chosen(void **unused) {
    (void)unused;
    static const char start[] = "  initial: {positions: \"=sin(3*pi*i/n) + 0.2*sin(20*pi*i/n)\"}\n";
    last all, most, lowest;
    answer_last(start, &(bl_modes_answer_options){.until = 0.7, .every = 0.7}, &all);
    answer_last(start, &(bl_modes_answer_options){.until = 0.7, .every = 0.7, .take = 2, .most = true}, &most);
    answer_last(start, &(bl_modes_answer_options){.until = 0.7, .every = 0.7, .take = 2}, &lowest);
    assert_int_equal(most.dof, 2);
    assert_int_equal(all.dof, 39);
    for (int i = 0; i < 39; i++) {
        assert_near(most.u[i], all.u[i], 1e-11);
        assert_near(lowest.u[i], 0, 1e-11);
    }
}

/* A force that is there from the start, heavily damped: what remains is its statical answer, a triangle, which few modes round off. */
static void correction__adds_what_the_others_carry(void **unused) {
    (void)unused;
    static const char load[] = "  load: {u20: 1}\n";
    bl_modes_answer_options options = {.until = 400, .every = 100, .take = 3, .rayleigh = true, .alpha = 3};
    last plain, corrected;
    answer_last(load, &options, &plain);
    options.correction = true;
    answer_last(load, &options, &corrected);
    double off = 0;
    for (int i = 1; i < 40; i++) {
        double exact = i <= 20 ? i / 80.0 : (40 - i) / 80.0; /* F l / 4 in the middle */
        assert_near(corrected.u[i - 1], exact, 1e-10);
        off = fmax(off, fabs(plain.u[i - 1] - exact));
    }
    assert_true(off > 0.01 && off < 0.05); /* the sum over odd k from 5 on of 2 / (k pi)^2 */
}

/* damping at one end couples modes, which is reported */
static void coupled_damping__is_warned_of(void **unused) {
    (void)unused;
    study s;
    find("matrices: {M: [[1, 0], [0, 1]], C: [[1, 0], [0, 0]], K: [[2, -1], [-1, 2]]}\n", NULL, &s);
    const bl_warning *warning;
    assert_int_equal(bl_modes_answer(s.ctx, &s.report, &(bl_modes_answer_options){.until = 1}, NULL, 0, NULL), BL_OK);
    assert_int_equal(bl_context_warnings(s.ctx, &warning, NULL), 1);
    assert_non_null(strstr(warning->text, "damping couples the modes"));
    end(&s);
    find("matrices: {M: [[1, 0], [0, 1]], C: {rayleigh: [0.1, 0.2]}, K: [[2, -1], [-1, 2]]}\n", NULL, &s);
    assert_int_equal(bl_modes_answer(s.ctx, &s.report, &(bl_modes_answer_options){.until = 1}, NULL, 0, NULL), BL_OK);
    assert_int_equal(bl_context_warnings(s.ctx, &warning, NULL), 0);
    assert_near(s.report.mode[0].damping, (0.1 + 0.2 * 1) / 2, 1e-13);
    end(&s);
}

/* forces without potential: complex modes of plain matrices too, lambda^2 = -2 +- i sqrt(3); with damping the roots of one mass each */
static void matrices_that_are_not_symmetric__have_complex_modes(void **unused) {
    (void)unused;
    study s;
    find("matrices: {M: [[1, 0], [0, 1]], K: [[2, -1], [3, 2]]}\n", NULL, &s);
    assert_true(s.report.is_complex);
    assert_int_equal(s.report.stability, BL_UNSTABLE);
    assert_near(s.report.mode[0].re, sqrt((sqrt(7) - 2) / 2), 1e-12);
    assert_near(s.report.mode[0].im, sqrt((sqrt(7) + 2) / 2), 1e-12);
    assert_int_equal(bl_modes_answer(s.ctx, &s.report, &(bl_modes_answer_options){.until = 1}, NULL, 0, NULL), BL_E_ABILITY);
    end(&s);
    static const char damped[] = "matrices: {M: [[1, 0], [0, 2]], C: [[0.4, 0], [0, 20]], K: [[25, 0], [0, 8]]}\n";
    find(damped, NULL, &s); /* real ones, which can answer */
    assert_false(s.report.is_complex);
    end(&s);
    find(damped, &(bl_modes_options){.damping = BL_MODES_DAMPED}, &s);
    assert_int_equal(s.report.nmode, 3);
    assert_near(s.report.mode[0].re, -5 + sqrt(21), 1e-12);
    assert_near(s.report.mode[1].im, sqrt(25 - 0.04), 1e-12);
    assert_near(s.report.mode[2].re, -5 - sqrt(21), 1e-12);
    end(&s);
}

/* an oscillation and a decay, not coupled: i and -1 */
static void equations_of_both_orders__have_modes(void **unused) {
    (void)unused;
    study s;
    find("equations:\n  states:\n    - {name: x, start: 0, acceleration: =-x}\n    - {name: y, start: 0, rate: =-y}\n", NULL, &s);
    assert_int_equal(s.report.nmode, 2);
    int oscillates = s.report.mode[0].im > 0.5 ? 0 : 1;
    assert_near(s.report.mode[oscillates].im, 1, 1e-12);
    assert_near(s.report.mode[oscillates].re, 0, 1e-12);
    assert_near(s.report.mode[1 - oscillates].re, -1, 1e-12);
    end(&s);
}

/* ---- refusals */

static void expect_refusal(const char *text, const bl_modes_options *options, bl_status status, const char *what) {
    study s;
    bl_status came = try_find(text, options, &s);
    if (came != status || !strstr(bl_context_error(s.ctx)->what, what))
        fail_msg("status %d, %s, not %d with %s", came, bl_context_error(s.ctx)->what, status, what);
    assert_null(s.report.own);
    end(&s);
}

static void what_has_no_modes__is_refused(void **unused) {
    (void)unused;
    static const char hanging[] = "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: b, rod: {from: [0, 0], to: [1, 0]}, mass: 1}]\n"
                                  "joints: [{name: A, type: revolute, bodies: [ground, b], at: [0, 0]}]\n";
    expect_refusal(hanging, &(bl_modes_options){.at = BL_MODES_AT_START}, BL_E_NUMERIC, "the start is not in equilibrium");
    expect_refusal("matrices: {size: 40, K: 3}\n", &(bl_modes_options){.method = BL_MODES_ARPACK, .count = 30}, BL_E_ABILITY,
                   "computes only a few of the modes, not 30 of 40");
    expect_refusal("matrices: {size: 2, K: 3}\n", &(bl_modes_options){.amplitude = -1}, BL_E_ARG, "amplitude");
    expect_refusal("matrices: {size: 2, K: 3}\n", &(bl_modes_options){.equilibrium = &(bl_equilibrium_options){.tolerance = 7}}, BL_E_ARG,
                   "at most 0.1, found 7");
    bl_context *ctx = test_context(NULL);
    assert_int_equal(bl_modes(ctx, NULL, NULL, NULL, 0, NULL), BL_E_ARG);
    assert_int_equal(bl_modes_answer(ctx, NULL, NULL, NULL, 0, NULL), BL_E_ARG);
    test_context_end(ctx);
    study s; /* the same start, if wanted: K is what the weight makes of a rod held level, 0 */
    find(hanging, &(bl_modes_options){.at = BL_MODES_AT_START, .anyway = true, .coordinates = "relative"}, &s);
    assert_near(s.report.mode[0].eigenvalue, 0, 1e-12);
    assert_true(s.report.residual > 0.5);
    bl_modes_answer_options bad = {.until = -1};
    assert_int_equal(bl_modes_answer(s.ctx, &s.report, &bad, NULL, 0, NULL), BL_E_ARG);
    bad = (bl_modes_answer_options){.until = 1, .correction = true};
    assert_int_equal(bl_modes_answer(s.ctx, &s.report, &bad, NULL, 0, NULL), BL_E_ABILITY);
    bad = (bl_modes_answer_options){.until = 1, .every = 1e-12};
    assert_int_equal(bl_modes_answer(s.ctx, &s.report, &bad, NULL, 0, NULL), BL_E_ARG);
    end(&s);
    find(hanging, &(bl_modes_options){.coordinates = "natural"}, &s);
    assert_int_equal(bl_modes_answer(s.ctx, &s.report, &(bl_modes_answer_options){.until = 1}, NULL, 0, NULL), BL_E_ABILITY);
    assert_non_null(strstr(bl_context_error(s.ctx)->what, "without constraints"));
    end(&s);
}

/* ---- sinks: shapes as samples */

typedef struct shapes {
    long count;
    double t[4], x[4][3];
    long nevent;
    double event_time[4], event_frequency[4]; /* frequencies, from the texts of events */
} shapes;

static bl_status keep_shape(void *user, const bl_sample *sample) {
    shapes *s = user;
    s->t[s->count] = sample->t;
    memcpy(s->x[s->count++], sample->variable, 3 * sizeof(double));
    return BL_OK;
}

static bl_status keep_frequency(void *user, const bl_event_mark *event) {
    shapes *s = user;
    assert_string_equal(bl_event_kind_text(event->kind), "mode");
    s->event_time[s->nevent] = event->t;
    assert_int_equal(sscanf(event->text, "%lf Hz", &s->event_frequency[s->nevent++]), 1);
    return BL_OK;
}

static void sinks__get_the_shapes(void **unused) {
    (void)unused;
    study s = {.ctx = test_context(NULL)};
    shapes got = {0};
    bl_sink sink = {.user = &got, .sample = keep_shape, .event = keep_frequency};
    assert_int_equal(bl_model_read_text(s.ctx, "text", three, strlen(three), NULL, 0, &s.model), BL_OK);
    assert_int_equal(bl_modes(s.ctx, s.model, &(bl_modes_options){.amplitude = 3}, &sink, 1, &s.report), BL_OK);
    assert_int_equal(got.count, 3);
    assert_int_equal(got.nevent, 3);
    for (int k = 0; k < 3; k++) {
        assert_near(got.t[k], k + 1, 0);
        assert_near(got.event_time[k], k + 1, 0);
        assert_near(got.event_frequency[k], s.report.mode[k].frequency, 5e-6 * s.report.mode[k].frequency); /* six digits */
        for (int j = 0; j < 3; j++)
            assert_near(got.x[k][j], 3 * s.report.mode[k].shape[j], 1e-14);
    }
    end(&s);
}

/* ---- memory */

typedef struct life {
    const char *text;
    bl_modes_options options;
    bool answers;
} life;

static bl_status whole_life(bl_context *ctx, void *user) {
    const life *l = user;
    bl_model *model = NULL;
    bl_modes_report report = {0};
    bl_status status = bl_model_read_text(ctx, "text", l->text, strlen(l->text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_modes(ctx, model, &l->options, NULL, 0, &report);
    if (status == BL_OK && l->answers)
        status = bl_modes_answer(
            ctx, &report, &(bl_modes_answer_options){.until = 1, .every = 0.5, .take = 2, .most = true, .correction = true}, NULL, 0, NULL);
    bl_modes_report_destroy(ctx, &report);
    bl_model_destroy(model);
    if (status == BL_E_ABILITY) { /* no ARPACK */
        bl_context_clear_error(ctx);
        return BL_OK;
    }
    return status;
}

static void memory__comes_back_whatever_fails(void **unused) {
    (void)unused;
    static const char pendulum[] = "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: b, rod: {from: [0, 0], to: [1, 0]}, mass: 1}]\n"
                                   "joints: [{name: A, type: revolute, bodies: [ground, b], at: [0, 0]}]\n";
    static const char massless[] = "matrices:\n  size: 5\n  M: {diagonal: \"=mod(i, 2)\"}\n  K: {tridiagonal: {lower: -2, diagonal: 4}}\n";
    static const char chain[] = "matrices:\n  size: 80\n  K: {tridiagonal: {lower: -2, diagonal: \"=i == 1 or i == 80 ? 2 : 4\"}}\n";
    life lives[] = {{three, {0}, true},
                    {pendulum, {.coordinates = "natural"}, false},
                    {massless, {0}, false},
                    {chain, {.method = BL_MODES_ARPACK, .count = 3}, false}};
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
        test_failing_allocations(whole_life, &lives[i]);
        test_failing_once(whole_life, &lives[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes__are_scaled_as_asked_and_orthogonal),
        cmocka_unit_test(masses_that_take_part__sum_up_to_all),
        cmocka_unit_test(motions_without_mass__follow_the_others),
        cmocka_unit_test(loads_linear_in_time__are_answered_exactly),
        cmocka_unit_test(other_loads__are_linear_over_steps),
        cmocka_unit_test(modes_that_take_part_most__are_chosen),
        cmocka_unit_test(correction__adds_what_the_others_carry),
        cmocka_unit_test(coupled_damping__is_warned_of),
        cmocka_unit_test(matrices_that_are_not_symmetric__have_complex_modes),
        cmocka_unit_test(equations_of_both_orders__have_modes),
        cmocka_unit_test(what_has_no_modes__is_refused),
        cmocka_unit_test(sinks__get_the_shapes),
        cmocka_unit_test(memory__comes_back_whatever_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
