/* Laws that jump or bend, in time and in the state, against closed forms: every adaptive integrator at three tolerances, every fixed-step
 * method under refinement, every kind of coordinates, every formulation that gives a rate; mechanisms, equations and matrices alike.
 *
 * What a method may be off is what it is off on a smooth oscillator over the same time, tenfold: switches cost it nothing. */
#include "study/run.h"
#include "study/simulation.h"
#include "support/testing.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct task {
    const char *law; /* x'' = law of x, v, t */
    double start, until, exact;
} task;

/* 1, 1/2, 0, ... : x'' = floor(t) until T */
static double by_floor(double T) {
    double x = 0, v = 0;
    for (double t = 0; t < T; t += 1) {
        double h = fmin(1, T - t), a = floor(t);
        x += v * h + 0.5 * a * h * h;
        v += a * h;
    }
    return x;
}

/* x'' = 1 and 0 by turns, for w each */
static double by_turns(double T, double w) {
    double x = 0, v = 0;
    for (int k = 0; k * w < T; k++) {
        double h = fmin(w, T - k * w), a = k % 2 == 0;
        x += v * h + 0.5 * a * h * h;
        v += a * h;
    }
    return x;
}

/* Two springs, of frequencies 2 and 1: from 1 at rest, back there after 3 pi / 2. Rubbing 0.13: amplitudes fall by 0.26 each half
 * period. -|x|: cos, then -sinh. */
enum { TASKS = 12, IN_TIME = 6 };
static void tasks(task *list) {
    const task all[TASKS] = {
        {"t <= 5 ? 5 : 0", 0, 10, 187.5},
        {"5*step(t - 1)", 0, 3, 10},
        {"floor(t)", 0, 3.5, by_floor(3.5)},
        {"mod(t, 1) < 0.5 ? 1 : 0", 0, 3.3, by_turns(3.3, 0.5)},
        {"sin(10*t) > 0", 0, 5, by_turns(5, pi / 10)},
        {"abs(t - 2) < 0.25 ? 4 : 0", 0, 4, 4},
        {"x > 0 ? -4*x : -x", 1, 4.5 * pi + 0.3, cos(0.6)},
        {"-4*max(x, 0) - min(x, 0)", 1, 4.5 * pi + 0.3, cos(0.6)},
        {"-4*ramp(x) + ramp(-x)", 1, 4.5 * pi + 0.3, cos(0.6)},
        {"-abs(x)", 1, pi / 2 + 1, -sinh(1)},
        {"-x - 0.13*sign(v)", 1, 3 * pi - 0.5, 0.13 + 0.35 * cos(3 * pi - 0.5)},
        {"-x - 0.13*sign(v)", -1, 3 * pi - 0.5, -(0.13 + 0.35 * cos(3 * pi - 0.5))},
    };
    memcpy(list, all, sizeof all);
}

/* the law with names of its own in place of x and v */
static void write_law(const char *law, const char *x, const char *v, char *out, size_t n) {
    size_t at = 0;
    for (const char *c = law; *c && at + 16 < n; c++) {
        bool word = (c > law && ((c[-1] >= 'a' && c[-1] <= 'z'))) || (c[1] >= 'a' && c[1] <= 'z');
        const char *name = !word && *c == 'x' ? x : !word && *c == 'v' ? v : NULL;
        if (name)
            at += (size_t)snprintf(out + at, n - at, "%s", name);
        else
            out[at++] = *c;
    }
    out[at] = '\0';
}

typedef enum shape { SECOND, FIRST, CART, DISC } shape;

static void write_model(shape form, const task *t, char *text, size_t n) {
    char law[200];
    if (form == SECOND) {
        write_law(t->law, "x", "x_rate", law, sizeof law);
        snprintf(text, n, "equations:\n  states: [{name: x, start: %.17g, acceleration: \"=%s\"}]\n", t->start, law);
    } else if (form == FIRST) {
        write_law(t->law, "x", "v", law, sizeof law);
        snprintf(text, n, "equations:\n  states: [{name: x, start: %.17g, rate: =v}, {name: v, start: 0, rate: \"=%s\"}]\n", t->start, law);
    } else if (form == CART) {
        write_law(t->law, "P.x", "P.vx", law, sizeof law);
        snprintf(text, n,
                 "dimension: 2\nbodies: [{name: cart, mass: 1, center: [0, 0], inertia: 1}]\nprobes: {P: {body: cart, at: [0, 0]}}\n"
                 "joints: [{name: s, type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}]\n"
                 "forces: [{name: f, type: force, body: cart, at: [0, 0], force: [\"=%s\", 0]}]\ninitial: {s.distance: %.17g}\n",
                 law, t->start);
    } else {
        write_law(t->law, "x", "xd", law, sizeof law);
        snprintf(text, n,
                 "bodies: [{name: d, mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}]\n"
                 "joints: [{name: s, type: revolute, bodies: [ground, d], at: [0, 0, 0], axis: [0, 0, 1]}]\n"
                 "forces: [{name: f, type: rotational_spring, variable: s.angle, torque: \"=%s\"}]\ninitial: {s.angle: %.17g}\n",
                 law, t->start);
    }
}

typedef struct last {
    double x, energy;
} last;

static bl_status keep_last(void *user, const bl_sample *sample) {
    last *l = user;
    l->x = sample->variable[0];
    l->energy = fmax(l->energy, fabs(sample->energy_error));
    return BL_OK;
}

/* x at the end; NaN, and why, when the run failed */
static double run_text(const char *text, const bl_run_options *options, bl_run_summary *summary, char *why, size_t nwhy) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    last l = {NAN, 0};
    bl_run_summary own;
    bl_sink sink = {.user = &l, .sample = keep_last};
    bl_status status = bl_model_read_text(ctx, "switches", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, options, &sink, 1, summary ? summary : &own);
    snprintf(why, nwhy, "%s", status == BL_OK ? "" : bl_context_error(ctx)->what);
    double x = status == BL_OK ? l.x : NAN;
    bl_model_destroy(model);
    test_context_end(ctx);
    return x;
}

static double error_of(shape form, const task *t, bl_run_options options, char *why, size_t nwhy) {
    char text[1200];
    write_model(form, t, text, sizeof text);
    options.until = t->until;
    options.every = t->until;
    return fabs(run_text(text, &options, NULL, why, nwhy) - t->exact) / fmax(1, fabs(t->exact));
}

/* ---- adaptive methods */

static const char *const adaptive[] = {"dopri45", "dop853", "abm", "radau", "ndf_auto", "bdf_auto", "mebdf_auto", "stiff_auto", "series"};
enum { ADAPTIVE = sizeof adaptive / sizeof *adaptive };

static void adaptive_methods(shape form, const char *formulation) {
    task list[TASKS];
    char why[512];
    tasks(list);
    for (int i = 0; i < ADAPTIVE; i++)
        for (double tolerance = 1e-6; tolerance > 5e-13; tolerance *= 1e-3) {
            bl_run_options o = {.integrator = adaptive[i], .tolerance = tolerance, .formulation = formulation};
            for (int k = 0; k < TASKS; k++) {
                task smooth = {"-4*x", 1, list[k].until, cos(2 * list[k].until)};
                double plain = error_of(form, &smooth, o, why, sizeof why), error = error_of(form, &list[k], o, why, sizeof why);
                if (!(error <= 10 * plain + 20 * tolerance))
                    fail_msg("%s at %g, x'' = %s: error %.3g, on a smooth law %.3g %s", adaptive[i], tolerance, list[k].law, error, plain,
                             why);
            }
        }
}

static void equations_of_second_order(void **state) {
    (void)state;
    adaptive_methods(SECOND, NULL);
}

static void equations_of_first_order(void **state) {
    (void)state;
    adaptive_methods(FIRST, NULL);
}

static void mechanism(void **state) {
    (void)state;
    adaptive_methods(CART, "partition");
}

/* ---- methods with a fixed step: jumps between the places of the grid are met, so errors fall with the step */

static void fixed_steps__converge(void **state) {
    (void)state;
    const task list[] = {{"t <= 1.0371 ? 5 : 0", 0, 2, 0.5 * 5 * 1.0371 * 1.0371 + 5 * 1.0371 * (2 - 1.0371)},
                         {"x > 0 ? -4*x : -x", 1, 1.5 * pi + 0.3, cos(0.6)}};
    char why[512];
    for (size_t k = 0; k < bl_integrator_kind_count; k++) {
        const bl_integrator_kind *kind = bl_integrator_kinds[k];
        if ((kind->kind.gives & BL_ADAPTIVE) || kind == &bl_integrator_multistep)
            continue;
        for (int i = 0; i < 2; i++) {
            double error[2];
            for (int h = 0; h < 2; h++)
                error[h] =
                    error_of(SECOND, &list[i], (bl_run_options){.integrator = kind->kind.name, .step = h ? 0.005 : 0.01}, why, sizeof why);
            if (strstr(why, "linear system"))
                continue;
            if (!(error[1] < 0.6 * error[0] || error[1] < 1e-9))
                fail_msg("%s, x'' = %s: errors %.3g, then %.3g %s", kind->kind.name, list[i].law, error[0], error[1], why);
        }
    }
}

/* ---- coordinates and formulations */

static void every_kind_of_coordinates(void **state) {
    (void)state;
    static const char *const coordinates[] = {"natural",          "mixed",   "reference", "reference:quaternion", "reference:matrix",
                                              "reference:angles", "relative"};
    static const char *const rates[] = {NULL,         "partition", "partition:index=2", "lagrange",   "baumgarte", "projection",
                                        "correction", "matrix_r",  "range_space",       "null_space", "index2"};
    task list[TASKS];
    char why[512];
    tasks(list);
    const int chosen[] = {0, 3, 6, 9, 11};
    for (size_t c = 0; c < sizeof coordinates / sizeof *coordinates; c++)
        for (size_t f = 0; f < sizeof rates / sizeof *rates; f++)
            for (int k = 0; k < 5; k++) {
                bl_run_options o = {.coordinates = coordinates[c],
                                    .formulation = rates[f],
                                    .integrator = rates[f] ? "dop853" : NULL,
                                    .tolerance = 1e-9,
                                    .every = 1};
                double error = error_of(DISC, &list[chosen[k]], o, why, sizeof why);
                if (strstr(why, "needs") || strstr(why, "refuse")) /* what the pair cannot do for other reasons */
                    continue;
                if (!(error < 2e-7))
                    fail_msg("%s, %s, x'' = %s: error %.3g %s", coordinates[c], rates[f] ? rates[f] : "default", list[chosen[k]].law, error,
                             why);
            }
}

/* ---- the default: power series by pieces; the balance of energy */

static void default__is_series_by_pieces(void **state) {
    (void)state;
    task list[TASKS];
    tasks(list);
    for (int k = 0; k < TASKS; k++) {
        char text[1200], why[512];
        bl_run_summary summary;
        write_model(CART, &list[k], text, sizeof text);
        double x = run_text(text, &(bl_run_options){.until = list[k].until}, &summary, why, sizeof why);
        if (!(fabs(x - list[k].exact) < 1e-7 * fmax(1, fabs(x))) || summary.steps > 60)
            fail_msg("x'' = %s: %.12g, not %.12g, after %ld steps %s", list[k].law, x, list[k].exact, summary.steps, why);
    }
}

/* work takes what laws without a potential give, on both sides of a jump */
static void energy__is_balanced(void **state) {
    (void)state;
    task list[TASKS];
    tasks(list);
    for (int k = 0; k < TASKS; k++) {
        char text[1200], why[512];
        bl_run_summary summary;
        write_model(CART, &list[k], text, sizeof text);
        bl_run_options o = {.integrator = "dop853", .tolerance = 1e-10, .until = list[k].until};
        double x = run_text(text, &o, &summary, why, sizeof why);
        if (!(summary.largest_energy_error < 1e-7 * fmax(1, x * x)))
            fail_msg("x'' = %s: energy error %.3g %s", list[k].law, summary.largest_energy_error, why);
    }
}

/* ---- tables, loads of matrices */

static void matrices__meet_jumps_of_their_loads(void **state) {
    (void)state;
    char why[512];
    /* x'' + 4 x = 8 until t = 2, then 0: x = 2 - 2 cos 2t, then the free motion that follows */
    double x2 = 2 - 2 * cos(4), v2 = 4 * sin(4), exact = x2 * cos(6) + v2 / 2 * sin(6);
    const char *text = "matrices:\n  M: [[1]]\n  K: [[4]]\n  load: [\"=t < 2 ? 8 : 0\"]\n";
    for (int i = 0; i < ADAPTIVE; i++)
        for (double tolerance = 1e-6; tolerance > 5e-13; tolerance *= 1e-3) {
            bl_run_options o = {.integrator = adaptive[i], .tolerance = tolerance, .until = 5, .every = 5};
            double x = run_text(text, &o, NULL, why, sizeof why);
            if (!(fabs(x - exact) < 3000 * tolerance)) /* what backward differences lose on oscillations */
                fail_msg("%s at %g: %.15g, not %.15g %s", adaptive[i], tolerance, x, exact, why);
        }
}

/* ---- chattering */

/* a block that rubs comes to rest and stays: amplitudes 1, 0.74, 0.48, 0.22, then less than the friction holds */
static void friction_by_sign__holds_at_rest(void **state) {
    (void)state;
    static const char *const all[] = {NULL, "dopri45", "dop853", "abm", "radau", "stiff_auto", "ndf_auto"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (shape form = SECOND; form <= DISC; form++) {
            const task t = {"-x - 0.13*sign(v)", 1, 40, -0.04};
            char text[1200], why[512];
            bl_run_summary summary;
            write_model(form, &t, text, sizeof text);
            bl_run_options o = {.integrator = all[i], .until = 40, .every = 40, .tolerance = 1e-8};
            if (form >= CART && all[i])
                o.formulation = "partition";
            double x = run_text(text, &o, &summary, why, sizeof why);
            if (!(fabs(x - t.exact) < 1e-4) || summary.steps > 5000)
                fail_msg("%s, form %d: %.12g, not %.12g, after %ld steps %s", all[i] ? all[i] : "default", (int)form, x, t.exact,
                         summary.steps, why);
        }
}

/* a relay that steers x' = u - sign(x), u = 0.5 sin t: x stays 0 as long as |u| < 1, for ever */
static void relay__slides(void **state) {
    (void)state;
    static const char *const all[] = {"series", "dopri45", "dop853", "radau"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *text = "equations:\n  states: [{name: x, start: 1, rate: \"=0.5*sin(t) - sign(x)\"}, {name: y, start: 0, rate: =x}]\n";
        char why[512];
        bl_run_summary summary;
        bl_run_options o = {.integrator = all[i], .until = 20, .every = 20, .tolerance = 1e-6};
        double x = run_text(text, &o, &summary, why, sizeof why);
        if (!(fabs(x) < 1e-3) || summary.steps > 20000)
            fail_msg("%s: x = %.6g after %ld steps %s", all[i], x, summary.steps, why);
    }
}

/* the warning says what, where and what to do */
static void chattering__is_said(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    const task t = {"-x - 0.13*sign(v)", 1, 40, -0.04};
    char text[1200];
    bl_run_summary summary;
    write_model(CART, &t, text, sizeof text);
    assert_int_equal(bl_model_read_text(ctx, "rubs", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_simulate(ctx, model, &(bl_run_options){.until = 40}, NULL, 0, &summary), BL_OK);
    const bl_warning *warning = NULL;
    bl_index more;
    bl_index count = bl_context_warnings(ctx, &warning, &more);
    assert_int_equal(count, 1);
    assert_non_null(strstr(warning[0].text, "both sides"));
    assert_non_null(strstr(warning[0].text, "'f'"));
    assert_float_equal(warning[0].time, 4 * pi, 1e-4);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- drivers */

static void drivers__that_jump_are_named(void **state) {
    (void)state;
    const struct {
        const char *value, *word;
    } all[] = {{"t < 1 ? t : t + 1", "value"}, {"t < 1 ? t : 2*t - 1", "rate"}, {"abs(t - 1)", "rate"}};
    for (size_t i = 0; i < 3; i++) {
        char text[600], why[512];
        snprintf(text, sizeof text,
                 "dimension: 2\nbodies: [{name: c, mass: 1, center: [0, 0], inertia: 1}]\n"
                 "joints: [{name: s, type: prismatic, bodies: [ground, c], at: [0, 0], axis: [1, 0]}, ]\n"
                 "drivers: [{variable: s.distance, value: \"=%s\"}]\n",
                 all[i].value);
        double x = run_text(text, &(bl_run_options){.until = 2}, NULL, why, sizeof why);
        assert_true(isnan(x));
        if (!strstr(why, "s.distance") || !strstr(why, "t = 1") || !strstr(why, all[i].word))
            fail_msg("%s: %s", all[i].value, why);
    }
}

/* a kink in the rate is a jump of the force: allowed, and met */
static void driver__with_a_jump_in_acceleration_is_followed(void **state) {
    (void)state;
    const char *text =
        "dimension: 2\nbodies: [{name: c, mass: 1, center: [0, 0], inertia: 1}, {name: d, mass: 1, center: [0, 0], inertia: 1}]\n"
        "joints: [{name: s, type: prismatic, bodies: [ground, c], at: [0, 0], axis: [1, 0]},\n"
        "         {name: r, type: prismatic, bodies: [c, d], at: [0, 0], axis: [1, 0]}]\n"
        "drivers: [{variable: s.distance, value: \"=t < 1 ? 0 : (t - 1)^2\"}]\n";
    static const char *const all[] = {NULL, "dopri45", "dop853", "radau"};
    for (size_t i = 0; i < 4; i++) {
        char why[512];
        bl_run_options o = {.integrator = all[i], .until = 3, .every = 3, .tolerance = 1e-9, .formulation = all[i] ? "partition" : NULL};
        double x = run_text(text, &o, NULL, why, sizeof why);
        if (!(fabs(x - 4) < 1e-9))
            fail_msg("%s: %.12g %s", all[i] ? all[i] : "default", x, why);
    }
}

/* ---- what has no switch */

static void smooth_models__have_no_events(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_system *sys;
    bl_state start = {0};
    const task t = {"-4*x + 0.1*sin(t)", 1, 1, 0};
    for (shape form = SECOND; form <= DISC; form++) {
        char text[1200];
        write_model(form, &t, text, sizeof text);
        assert_int_equal(bl_model_read_text(ctx, "smooth", text, strlen(text), NULL, 0, &model), BL_OK);
        assert_int_equal(bl_run_prepare(ctx, model, NULL, &sys, &start), BL_OK);
        double next;
        assert_int_equal(sys->nevent, 0);
        assert_int_equal(sys->kind->next_time(sys, &start, &next), BL_OK);
        assert_true(next == INFINITY);
        bl_state_destroy(sys, &start);
        bl_system_destroy(sys);
        bl_model_destroy(model);
    }
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_of_second_order),
        cmocka_unit_test(equations_of_first_order),
        cmocka_unit_test(mechanism),
        cmocka_unit_test(fixed_steps__converge),
        cmocka_unit_test(every_kind_of_coordinates),
        cmocka_unit_test(default__is_series_by_pieces),
        cmocka_unit_test(energy__is_balanced),
        cmocka_unit_test(matrices__meet_jumps_of_their_loads),
        cmocka_unit_test(friction_by_sign__holds_at_rest),
        cmocka_unit_test(relay__slides),
        cmocka_unit_test(chattering__is_said),
        cmocka_unit_test(drivers__that_jump_are_named),
        cmocka_unit_test(driver__with_a_jump_in_acceleration_is_followed),
        cmocka_unit_test(smooth_models__have_no_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
