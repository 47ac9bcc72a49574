/* The default integrator changes between explicit and implicit methods. Stiff models end at published or independent values, and cost about
 * as much as the best single method; smooth ones are not affected. Work is counted in evaluations. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VARIABLES = 16 };

typedef struct outcome {
    bl_status status;
    double end[VARIABLES];
    int n;
    bl_run_summary summary;
} outcome;

typedef struct keeper {
    outcome *o;
    bl_index n;
} keeper;

static bl_status keep_begin(void *user, const bl_run_info *info) {
    ((keeper *)user)->n = info->nvariable;
    return BL_OK;
}

static bl_status keep_sample(void *user, const bl_sample *sample) {
    keeper *k = user;
    k->o->n = k->n < VARIABLES ? (int)k->n : VARIABLES;
    memcpy(k->o->end, sample->variable, (size_t)k->o->n * sizeof(double));
    return BL_OK;
}

static bl_status run_in(bl_context *ctx, bl_model *model, const bl_run_options *options, outcome *o) {
    keeper k = {.o = o};
    bl_sink sink = {.user = &k, .begin = keep_begin, .sample = keep_sample};
    return bl_simulate(ctx, model, options, &sink, 1, &o->summary);
}

static outcome run(const char *scene, const char *text, const bl_run_options *options) {
    outcome o = {0};
    char path[256];
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene ? scene : "");
    o.status = scene ? bl_model_read(ctx, path, NULL, 0, &model) : bl_model_read_text(ctx, "model", text, strlen(text), NULL, 0, &model);
    if (o.status == BL_OK)
        o.status = run_in(ctx, model, options, &o);
    if (o.status != BL_OK)
        fail_msg("%s, %s: %s", scene ? scene : text, options->integrator ? options->integrator : "auto", bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
    return o;
}

#define VAN_DER_POL(mu, until)                                                                                       \
    "equations: {states: [{name: x, start: 2, rate: =y}, {name: y, start: 0, rate: \"=" mu "*(1 - x^2)*y - x\"}]}\n" \
    "simulate: {until: " until "}\n"
static const char relaxation[] = VAN_DER_POL("1000", "2000"), gentle[] = VAN_DER_POL("5", "100"), mild[] = VAN_DER_POL("100", "200");
static const char second_order[] = "equations: {states: [{name: x, start: 2, acceleration: \"=1000*(1 - x^2)*x_rate - x\"}]}\n"
                                   "simulate: {until: 2000}\n";
static const char oregonator[] = "equations:\n  states:\n    - {name: a, start: 1, rate: \"=77.27*(b + a*(1 - 8.375e-6*a - b))\"}\n"
                                 "    - {name: b, start: 2, rate: \"=(c - (1 + a)*b)/77.27\"}\n"
                                 "    - {name: c, start: 3, rate: \"=0.161*(a - c)\"}\nsimulate: {until: 360}\n";
static const char ladder[] =
    "parameters: {n: 30}\nequations:\n  states:\n    - {name: u, count: =n, index: i, start: 0, rate: \"=2e4*((i > 1 "
    "? u[i-1] : sin(2*pi*50*t)) - 2*u[i] + (i < n ? u[i+1] : u[i]))\"}\nsimulate: {until: 0.1}\n";
/* a diode and a resistor of 1 Ohm charge a capacitor; steep where it conducts */
static const char rectifier[] = "equations:\n  expressions: {i: \"=1e-9*(exp((10*sin(314.159*t) - u - w)/0.026) - 1)\"}\n"
                                "  states:\n    - {name: u, start: 0, rate: =(i - u/1000)/1e-5}\n"
                                "    - {name: w, start: 0, rate: =(10*i - w)/1e-6}\nsimulate: {until: 0.1}\n";
/* ten beads on springs of 1e7 N/m that hang from a moving support: vibrations of 2e4 /s, never excited */
static const char beads[] =
    "parameters: {n: 10, k: 1e8, g: 9.81, L: 0.1}\nequations:\n  expressions:\n    s: \"=0.05*sin(4*t)^3\"\n"
    "    dx: {count: =n, index: i, value: \"=x[i] - (i > 1 ? x[i-1] : s)\"}\n"
    "    dy: {count: =n, index: i, value: \"=y[i] - (i > 1 ? y[i-1] : 0)\"}\n"
    "    p: {count: =n, index: i, value: \"=k*(1 - L/sqrt(dx[i]^2 + dy[i]^2))\"}\n  states:\n"
    "    - {name: x, count: =n, index: i, start: 0, acceleration: \"=-p[i]*dx[i] + (i < n ? p[i+1]*dx[i+1] : 0)\"}\n"
    "    - {name: y, count: =n, index: i, start: \"=-sum(j, 1, i, L + (n + 1 - j)*g/k)\",\n"
    "       acceleration: \"=-p[i]*dy[i] + (i < n ? p[i+1]*dy[i+1] : 0) - g\"}\nsimulate: {until: 0.5}\n";

/* ---- equations */

typedef struct stiff_case {
    const char *name, *scene, *text;
    double until;
    double off; /* allowed differences at the end, relative to 1 or the value: a hundred tolerances times the condition of the problem */
} stiff_case;

static const stiff_case stiff[] = {{"HIRES", "hires", NULL, 0, 1e-5},
                                   {"Robertson", "robertson", NULL, 0, 1e-5},
                                   {"van der Pol", NULL, relaxation, 0, 1e-4},
                                   {"van der Pol, second order", NULL, second_order, 0, 1e-4},
                                   {"van der Pol, mu 100", NULL, mild, 0, 1e-4},
                                   {"Oregonator", NULL, oregonator, 0, 1e-3},
                                   {"ladder", NULL, ladder, 0, 1e-5},
                                   {"rectifier", NULL, rectifier, 0, 1e-5},
                                   {"beads", NULL, beads, 0, 1e-5},
                                   {"beam", "beam_ode", NULL, 1, 1e-5}};

static void stiff_equations__cost_about_as_much_as_by_the_best_single_method(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof stiff / sizeof *stiff; i++) {
        const stiff_case *c = &stiff[i];
        bl_run_options o = {.integrator = "auto", .tolerance = 1e-6, .until = c->until}, tight = o;
        outcome by_turns = run(c->scene, c->text, &o), again = run(c->scene, c->text, &o);
        o.integrator = "radau";
        outcome implicit = run(c->scene, c->text, &o);
        tight.tolerance = 1e-9;
        tight.integrator = "radau";
        outcome reference = run(c->scene, c->text, &tight);
        double worst = 0;
        for (int k = 0; k < by_turns.n; k++)
            worst = fmax(worst, fabs(by_turns.end[k] - reference.end[k]) / fmax(1, fabs(reference.end[k])));
        print_message("%-26s %ld evaluations, radau %ld, off by %.1e: %s\n", c->name, by_turns.summary.evaluations,
                      implicit.summary.evaluations, worst, by_turns.summary.method);
        if (!(worst <= c->off))
            fail_msg("%s ends %g off", c->name, worst);
        assert_true(by_turns.summary.method_changes >= 1);
        assert_true(by_turns.summary.evaluations <= 1.5 * (double)implicit.summary.evaluations);
        /* work is counted, so runs must agree to the last bit */
        assert_memory_equal(by_turns.end, again.end, sizeof again.end);
        assert_int_equal(by_turns.summary.evaluations, again.summary.evaluations);
    }
}

/* oscillating modes limit explicit steps to half the length that decaying ones allow: known before one occurs */
static void undamped_modes__are_left_to_the_implicit_method_at_every_tolerance(void **unused) {
    (void)unused;
    for (double tolerance = 1e-4; tolerance > 0.5e-8; tolerance *= 0.1) {
        outcome by_turns = run("beam_ode", NULL, &(bl_run_options){.integrator = "auto", .tolerance = tolerance, .until = 1});
        outcome implicit = run("beam_ode", NULL, &(bl_run_options){.integrator = "radau", .tolerance = tolerance, .until = 1});
        print_message("beam, %.0e: %ld evaluations, radau %ld\n", tolerance, by_turns.summary.evaluations, implicit.summary.evaluations);
        assert_true((double)by_turns.summary.evaluations <= 1.5 * (double)implicit.summary.evaluations);
    }
}

/* slow branches and jumps alternate: a decision made in a jump does not hold for the branches */
static void relaxation_oscillations__cost_as_much_at_every_tolerance(void **unused) {
    (void)unused;
    static const char nerve[] = "equations: {states: [{name: v, start: -1, rate: \"=2000*(v - v^3/3 - w + 0.5)\"}, "
                                "{name: w, start: 1, rate: \"=v + 0.7 - 0.8*w\"}]}\nsimulate: {until: 10}\n";
    static const char *const texts[] = {nerve, relaxation, second_order, mild, oregonator};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (double tolerance = 1e-3; tolerance > 0.5e-8; tolerance *= 0.1) {
            outcome by_turns = run(NULL, texts[i], &(bl_run_options){.integrator = "auto", .tolerance = tolerance});
            outcome implicit = run(NULL, texts[i], &(bl_run_options){.integrator = "radau", .tolerance = tolerance});
            print_message("%zu, %.0e: %ld evaluations, radau %ld\n", i, tolerance, by_turns.summary.evaluations,
                          implicit.summary.evaluations);
            assert_true((double)by_turns.summary.evaluations <= 1.5 * (double)implicit.summary.evaluations);
        }
}

/* Hairer and Wanner's values at t = 2000 and 321.8122 (IVP test set) */
static void published_values__are_met(void **unused) {
    (void)unused;
    bl_run_options o = {.tolerance = 1e-7, .integrator = "auto"};
    outcome v = run(NULL, relaxation, &o);
    assert_true(fabs(v.end[0] - 0.1706167732170483e1) < 1e-5);
    outcome h = run("hires", NULL, &o);
    static const double wanted[8] = {0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
                                     0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2};
    for (int k = 0; k < 8; k++)
        assert_true(fabs(h.end[k] - wanted[k]) < 1e-5);
}

/* x' = -L (x - cos t) with rates that explicit methods could not follow: x = cos t + O(1 / L) */
static void rates_beyond_explicit_steps__are_taken(void **unused) {
    (void)unused;
    static const char *const rate[] = {"1e6", "1e12", "1e17"};
    for (size_t i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text, "equations: {states: [{name: x, start: 1, rate: \"=-%s*(x - cos(t))\"}]}\nsimulate: {until: 3}\n",
                 rate[i]);
        outcome o = run(NULL, text, &(bl_run_options){.tolerance = 1e-8});
        assert_true(fabs(o.end[0] - cos(3)) < 1e-5);
        assert_true(o.summary.steps < 500);
    }
}

/* x' = -L (x - sin w t) from rest: the rate is zero at the start and at every half period, of which first steps may be multiples */
static void forces_that_begin_at_zero__are_seen_by_every_method(void **unused) {
    (void)unused;
    static const char text[] = "equations: {states: [{name: x, start: 0, rate: \"=-1000*(x - sin(100*pi*t))\"}]}\nsimulate: {until: 0.1}\n";
    static const char *const integrator[] = {"ndf_auto", "bdf_auto", "mebdf_auto", "stiff_auto", "radau", "dopri45", "auto"};
    const double L = 1000, w = 314.15926535897932;
    double exact = (L * L * sin(0.1 * w) - L * w * cos(0.1 * w) + L * w * exp(-0.1 * L)) / (L * L + w * w);
    for (size_t i = 0; i < sizeof integrator / sizeof *integrator; i++) {
        outcome o = run(NULL, text, &(bl_run_options){.tolerance = 1e-7, .integrator = integrator[i]});
        if (!(fabs(o.end[0] - exact) < 1e-5))
            fail_msg("%s: %.9g, not %.9g", integrator[i], o.end[0], exact);
    }
}

/* guesses too far along the diode's exponential cause matrix entries of 1e40, which are irrelevant for the next ones: with them updates are
 * small without being accurate. The end is that of radau, of order 13 at 1e-12, after five periods that do not influence each other */
static void steep_laws__are_followed_by_multistep_methods(void **unused) {
    (void)unused;
    static const char *const integrator[] = {"ndf_auto", "bdf_auto", "mebdf_auto", "stiff_auto"};
    outcome reference = run(NULL, rectifier, &(bl_run_options){.tolerance = 1e-12, .integrator = "radau:13"});
    for (size_t i = 0; i < sizeof integrator / sizeof *integrator; i++)
        for (double tolerance = 1e-4; tolerance > 0.5e-8; tolerance *= 0.1) {
            outcome o = run(NULL, rectifier, &(bl_run_options){.tolerance = tolerance, .integrator = integrator[i]});
            if (!(fabs(o.end[0] - reference.end[0]) < 100 * tolerance))
                fail_msg("%s, %g: %.9g, not %.9g", integrator[i], tolerance, o.end[0], reference.end[0]);
        }
}

/* a switch in time and one in the state, with a rate of 1e4: the other method starts after them, on their new branch */
static void jumps_in_stiff_phases__are_met(void **unused) {
    (void)unused;
    static const char in_time[] =
        "equations: {states: [{name: u, start: 0, rate: \"=((t < 1 ? 5 : 2) - u)/1e-4\"}]}\nsimulate: {until: 2}\n";
    static const char in_state[] = "equations:\n  states:\n    - {name: x, start: 1, rate: =-1}\n"
                                   "    - {name: u, start: 0, rate: \"=1e4*((x > 0.25 ? 3 : -1) - u)\"}\nsimulate: {until: 2}\n";
    outcome o = run(NULL, in_time, &(bl_run_options){.tolerance = 1e-7});
    assert_true(fabs(o.end[0] - 2) < 1e-5);
    o = run(NULL, in_state, &(bl_run_options){.tolerance = 1e-7});
    assert_true(fabs(o.end[0] + 1) < 1e-9 && fabs(o.end[1] + 1) < 1e-5);
}

/* ---- smooth ones */

static void smooth_models__are_left_to_one_method(void **unused) {
    (void)unused;
    static const struct {
        const char *scene, *text, *integrator;
    } smooth[] = {{"pleiades", NULL, "dopri45"},
                  {NULL, gentle, "dopri45"},
                  {"four_bar", NULL, "series"},
                  {"double_pendulum", NULL, "dop853"},
                  {"bricard", NULL, "series"},
                  {"heavy_top", NULL, "dop853"},
                  {"andrews", NULL, "series"},
                  {"slewing_linkage", NULL, "dopri45"},
                  {"spatial_slider_crank", NULL, "series"},
                  {"tether", NULL, "series"},
                  {"rotating_spring", NULL, "dopri45"}};
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++) {
        bl_run_options o = {.tolerance = 1e-6, .integrator = smooth[i].integrator};
        outcome single = run(smooth[i].scene, smooth[i].text, &o);
        o.integrator = "auto";
        outcome by_turns = run(smooth[i].scene, smooth[i].text, &o);
        if (by_turns.summary.method_changes || strcmp(by_turns.summary.method, smooth[i].integrator) != 0)
            fail_msg("%s: %s", smooth[i].scene ? smooth[i].scene : "van der Pol", by_turns.summary.method);
        /* three at the start, three for every check; an expansion is one evaluation and about fifteen solutions */
        double extra = (double)(by_turns.summary.evaluations - single.summary.evaluations);
        double work = (double)single.summary.evaluations + 0.125 * (double)single.summary.solves;
        print_message("%-22s %.1f %% more\n", smooth[i].scene ? smooth[i].scene : "van der Pol, mu 5", 100 * extra / work);
        assert_true(extra <= 3 + 0.05 * work);
        for (int k = 0; k < single.n; k++)
            assert_true(fabs(single.end[k] - by_turns.end[k]) <= 1e-12 * fmax(1, fabs(single.end[k])));
    }
}

/* ---- mechanisms */

static void stiff_mechanisms__change_in_every_kind_of_coordinates(void **unused) {
    (void)unused;
    static const char *const coordinates[] = {"natural", "mixed", "reference", "relative", "reference:angles"};
    bl_run_options o = {.tolerance = 1e-6, .until = 1, .coordinates = "natural", .integrator = "series"};
    o.tolerance = 1e-9;
    outcome reference = run("flyball_governor", NULL, &o);
    for (size_t i = 0; i < sizeof coordinates / sizeof *coordinates; i++) {
        o = (bl_run_options){.tolerance = 1e-6, .until = 1, .coordinates = coordinates[i]};
        outcome by_turns = run("flyball_governor", NULL, &o);
        o.integrator = strstr(by_turns.summary.method, "radau") ? "radau" : "ndf_auto";
        outcome single = run("flyball_governor", NULL, &o);
        print_message("%-16s %ld evaluations, %s alone %ld: %s\n", coordinates[i], by_turns.summary.evaluations, o.integrator,
                      single.summary.evaluations, by_turns.summary.method);
        assert_true(by_turns.summary.method_changes >= 1);
        assert_true(by_turns.summary.evaluations <= 1.5 * (double)single.summary.evaluations);
        for (int k = 0; k < reference.n; k++)
            assert_true(fabs(by_turns.end[k] - reference.end[k]) < 1e-4);
    }
}

/* ---- messages, memory */

static void formulations_asked_for__stay(void **unused) {
    (void)unused;
    outcome o = run("flyball_governor", NULL, &(bl_run_options){.formulation = "lagrange", .until = 0.2, .tolerance = 1e-6});
    assert_true(o.status == BL_OK);
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    assert_int_equal(bl_model_read_text(ctx, "m", gentle, strlen(gentle), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_simulate(ctx, model, &(bl_run_options){.integrator = "autom"}, NULL, 0, NULL), BL_E_ARG);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static bl_status short_run(bl_context *ctx, void *user) {
    bl_model *model = NULL;
    outcome o = {0};
    (void)user;
    bl_status status = bl_model_read_text(ctx, "m", mild, strlen(mild), NULL, 0, &model);
    if (status == BL_OK)
        status = run_in(ctx, model, &(bl_run_options){.until = 100}, &o);
    bl_model_destroy(model);
    return status;
}

static void changes__survive_failing_allocations(void **unused) {
    (void)unused;
    test_failing_allocations(short_run, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stiff_equations__cost_about_as_much_as_by_the_best_single_method),
                                       cmocka_unit_test(undamped_modes__are_left_to_the_implicit_method_at_every_tolerance),
                                       cmocka_unit_test(relaxation_oscillations__cost_as_much_at_every_tolerance),
                                       cmocka_unit_test(published_values__are_met),
                                       cmocka_unit_test(rates_beyond_explicit_steps__are_taken),
                                       cmocka_unit_test(forces_that_begin_at_zero__are_seen_by_every_method),
                                       cmocka_unit_test(steep_laws__are_followed_by_multistep_methods),
                                       cmocka_unit_test(jumps_in_stiff_phases__are_met),
                                       cmocka_unit_test(smooth_models__are_left_to_one_method),
                                       cmocka_unit_test(stiff_mechanisms__change_in_every_kind_of_coordinates),
                                       cmocka_unit_test(formulations_asked_for__stay),
                                       cmocka_unit_test(changes__survive_failing_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
