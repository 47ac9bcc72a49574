/* The studies of lines, string and block as scenes with meshes: closed forms, published numbers and recomputed ones (a second
 * implementation, to its printed digits). Numbers that only need probes are in test_motions.c and test_modes.c. */
#include "biela/modes.h"
#include "support/solid_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

enum { MOST = 1001 };

/* ---- a scene with parameters: its last field, or the history of its first probe */

typedef struct study {
    bl_run_options options;
    bl_override set[3];
    bl_index nset;
    double value[MOST]; /* of nodes at the end, if options.fields is "value" */
    bl_index nvalue;
    double *t, *u; /* [samples] first component of the first probe, and second */
    double *w;
    long samples, room;
    bl_run_summary summary;
} study;

static bl_status begin(void *user, const bl_run_info *info) {
    study *s = user;
    s->nvalue = info->nfield ? info->field[0].items : 0;
    assert_true(s->nvalue <= MOST);
    return BL_OK;
}

static bl_status sample(void *user, const bl_sample *at) {
    study *s = user;
    if (s->nvalue)
        memcpy(s->value, at->field[0], (size_t)s->nvalue * sizeof *s->value);
    if (s->samples == s->room) {
        s->room = 2 * s->room + 64;
        s->t = realloc(s->t, (size_t)s->room * sizeof *s->t);
        s->u = realloc(s->u, (size_t)s->room * sizeof *s->u);
        s->w = realloc(s->w, (size_t)s->room * sizeof *s->w);
        assert_true(s->t && s->u && s->w);
    }
    s->t[s->samples] = at->t;
    s->u[s->samples] = at->probe[0];
    s->w[s->samples++] = at->probe[1];
    return BL_OK;
}

static bl_model *open_scene(bl_context *ctx, const char *scene, const bl_override *set, bl_index nset) {
    char path[1024];
    bl_model *model;
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    if (bl_model_read(ctx, path, set, nset, &model) != BL_OK)
        fail_msg("%s: %s", scene, bl_context_error(ctx)->what);
    return model;
}

static bl_sink sink_of(study *s) {
    return (bl_sink){.user = s, .begin = begin, .sample = sample, .want = BL_WANT_PROBES | (s->options.fields ? BL_WANT_FIELDS : 0)};
}

static void run(const char *scene, study *s) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = open_scene(ctx, scene, s->set, s->nset);
    bl_sink sink = sink_of(s);
    if (bl_simulate(ctx, model, &s->options, &sink, 1, &s->summary) != BL_OK)
        fail_msg("%s by %s: %s", scene, s->options.integrator, bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void end(study *s) {
    free(s->t);
    free(s->u);
    free(s->w);
}

/* ---- the line: eigenvalues, steps, ripple */

/* the j-th of n linear elements on 8 with consistent mass between fixed ends */
static double line_eigenvalue(int n, int j) {
    double h = 8.0 / n, c = cos(j * pi / n);
    return 6 / (h * h) * (1 - c) / (2 + c);
}

/* all of them, and the printed extremes; rates of diffusion, squares of the frequencies of waves. 800 and 1000 elements: tests/long */
static void lines__have_the_eigenvalues_of_their_elements(void **state) {
    (void)state;
    static const struct {
        int n;
        double most, digit;
    } cases[] = {
        {50, 467.37, 0.005}, {100, 1873.61, 0.005},    {200, 7498.6, 0.05},
#ifdef LONG
        {800, 1.2e5, 5},     {1000, 187498.61, 0.005},
#endif
    };
    static const char *const scenes[] = {"diffusion_field", "wave_field"};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int k = 0; k < 2; k++) {
            int n = cases[c].n;
            bl_context *ctx = test_context(NULL);
            bl_model *model = open_scene(ctx, scenes[k], &(bl_override){"N", n}, 1);
            bl_modes_report report = {0};
            assert_int_equal(bl_modes(ctx, model, &(bl_modes_options){.count = -1}, NULL, 0, &report), BL_OK);
            assert_int_equal(report.nmode, n - 1);
            assert_int_equal(report.first_order, k == 0);
            for (int j = 1; j < n; j++)
                if (fabs(report.mode[j - 1].eigenvalue - line_eigenvalue(n, j)) > 1e-12 * line_eigenvalue(n, n - 1))
                    fail_msg("%s, %d elements, mode %d: %.12g, not %.12g", scenes[k], n, j, report.mode[j - 1].eigenvalue,
                             line_eigenvalue(n, j));
            assert_true(fabs(report.mode[n - 2].eigenvalue - cases[c].most) <= cases[c].digit);
            assert_true(fabs(report.mode[0].eigenvalue - 0.1542) <= (n == 50 ? 2e-4 : 5e-5)); /* (pi/8)^2 (1 + (pi/n)^2/12) */
            bl_modes_report_destroy(ctx, &report);
            bl_model_destroy(model);
            test_context_end(ctx);
        }
}

/* Steps of ode15s and ode45 with relative tolerance 1e-3 and absolute 1e-6. If rounding excites the fast modes, counts depend on it:
 * recomputed ones vary by 3 percent. */
static void lines__take_the_published_steps(void **state) {
    (void)state;
    static const struct {
        const char *scene, *integrator;
        int n, shape;
        long steps, about;
    } cases[] = {
        {"wave_field", "ndf_auto", 100, 1, 32, 0},
        {"wave_field", "ndf_auto", 200, 1, 32, 0},
        {"wave_field", "ndf_auto", 1000, 1, 32, 0},
        {"wave_field", "dopri45", 100, 2, 999, 0},
        {"wave_field", "dopri45", 200, 2, 2078, 0},
        {"wave_field", "dopri45", 100, 3, 1101, 0},
        {"diffusion_field", "dopri45", 100, 2, 9033, 0},
        {"diffusion_field", "dopri45", 100, 3, 9045, 0},
        {"wave_field", "ndf_auto", 100, 2, 2414, 72},
        {"wave_field", "ndf_auto", 200, 2, 4964, 149},
        {"wave_field", "ndf_auto", 100, 3, 2857, 86},
        {"wave_field", "ndf_auto:order=4", 100, 3, 3282, 98},
        {"wave_field", "ndf_auto:order=3", 100, 3, 4899, 147},
        {"wave_field", "ndf_auto:order=2", 100, 3, 12169, 365},
#ifdef LONG
        {"wave_field", "ndf_auto:order=1", 100, 3, 56210, 1686},
#endif
    };
    const double last = 16;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        study s = {.options = {.integrator = cases[k].integrator, .tolerance = 1e-3, .absolute = 1e-6, .at = &last, .nat = 1},
                   .set = {{"N", cases[k].n}, {"shape", cases[k].shape}},
                   .nset = 2};
        run(cases[k].scene, &s);
        if (labs(s.summary.steps - cases[k].steps) > cases[k].about)
            fail_msg("%s, %d elements, shape %d by %s: %ld steps, not %ld", cases[k].scene, cases[k].n, cases[k].shape, cases[k].integrator,
                     s.summary.steps, cases[k].steps);
        end(&s);
    }
}

static double variation(const study *s) {
    double sum = 0;
    for (bl_index i = 1; i < s->nvalue; i++)
        sum += fabs(s->value[i] - s->value[i - 1]);
    return sum;
}

/* 400 elements at t = 2; steps over 16 s; the exact solution has 2. Two digits after the decimal point are known. */
static void pulse__has_the_variations_of_all_methods(void **state) {
    (void)state;
    static const struct {
        const char *integrator;
        double steps, want;
    } cases[] = {{"bdf_alpha:-0.475065", 1400, 3.70},
                 {"bdf:2", 1400, 2.93},
                 {"ebdf:3", 1400, 3.93},
                 {"endf:3", 1400, 4.28},
                 {"mendf:3", 1400, 4.33},
                 {"hht:0.3", 2000, 4.68},
                 {"hht:0", 1400, 13.16},
                 {"bdf_alpha:-0.5", 1400, 13.16}};
    enum { COUNT = sizeof cases / sizeof *cases };
    static study s[COUNT];
    const double last = 2;
    for (int k = 0; k < COUNT; k++) {
        s[k] =
            (study){.options = {.integrator = cases[k].integrator, .step = 16 / cases[k].steps, .fields = "value", .at = &last, .nat = 1}};
        run("pulse", &s[k]);
        assert_int_equal(s[k].nvalue, 401);
        if (fabs(variation(&s[k]) - cases[k].want) > 0.005)
            fail_msg("%s, %g steps: total variation %.4f, not %.2f", cases[k].integrator, cases[k].steps, variation(&s[k]), cases[k].want);
        end(&s[k]);
    }
    for (int i = 0; i <= 400; i++) /* the last two are one method in two forms */
        assert_true(fabs(s[COUNT - 1].value[i] - s[COUNT - 2].value[i]) < 1e-11);
}

/* the sum of all modes has no error in time: the remaining error is that of the elements */
static void pulse__by_all_modes_has_the_ripple_of_the_elements(void **state) {
    (void)state;
    static study s = {.options = {.fields = "value"}};
    bl_context *ctx = test_context(NULL);
    bl_model *model = open_scene(ctx, "pulse", NULL, 0);
    bl_modes_report report = {0};
    bl_sink sink = sink_of(&s);
    assert_int_equal(bl_modes(ctx, model, &(bl_modes_options){.count = -1}, NULL, 0, &report), BL_OK);
    assert_int_equal(bl_modes_answer(ctx, &report, &(bl_modes_answer_options){.until = 2, .every = 2}, &sink, 1, NULL), BL_OK);
    if (fabs(variation(&s) - 15.30) > 0.005)
        fail_msg("total variation %.4f, not 15.30", variation(&s));
    bl_modes_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
    end(&s);
}

/* Amplitudes of the first modes in an initial shape: sums over nodes instead of the integrals of the Fourier coefficients, which differ by
 * (k pi/N)^2/12 of their size if the shape is continuous; the pulse counts the nodes at its ends fully instead of half. */
static void starts__have_their_fourier_coefficients(void **state) {
    (void)state;
    enum { N = 400, MODES = 5 }; /* a node is where each of them is largest */
    for (int shape = 1; shape <= 3; shape++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = open_scene(ctx, "wave_field", (bl_override[]){{"N", N}, {"shape", shape}}, 2);
        bl_modes_report report = {0};
        assert_int_equal(bl_modes(ctx, model, &(bl_modes_options){.count = MODES, .scale = BL_MODES_LARGEST}, NULL, 0, &report), BL_OK);
        for (int k = 1; k <= MODES; k++) {
            double a = k * pi / 8, ends = (sin(3 * a) + sin(5 * a)) / N;
            double want = shape == 1   ? k == 1
                          : shape == 2 ? 32 / (3 * k * k * pi * pi) * sin(3 * k * pi / 4)
                                       : 2 / (k * pi) * (cos(3 * a) - cos(5 * a)) + ends;
            if (fabs(fabs(report.mode[k - 1].initial) - fabs(want)) > pow(k * pi / N, 2) / 6)
                fail_msg("shape %d, mode %d: %.7f, not %.7f", shape, k, report.mode[k - 1].initial, want);
        }
        bl_modes_report_destroy(ctx, &report);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

#ifdef LONG
/* |lambda| max = 1873.61 (diffusion, 100 elements): stable up to h |lambda| = 2.785; 433.01 rad/s (wave, 1000 elements): up to 2 sqrt 2 */
static void rk4__is_stable_with_the_published_steps(void **state) {
    (void)state;
    static const struct {
        const char *scene;
        double n, enough, too_few;
    } cases[] = {{"diffusion_field", 100, 10792, 10600}, {"wave_field", 1000, 2457, 2380}};
    const double last = 16;
    for (int c = 0; c < 2; c++)
        for (int few = 0; few < 2; few++) {
            study s = {.options = {.integrator = "rk4", .at = &last, .nat = 1, .fields = "value"},
                       .set = {{"N", cases[c].n}, {"shape", 3}}};
            s.options.step = last / (few ? cases[c].too_few : cases[c].enough);
            bl_context *ctx = test_context(NULL);
            bl_model *model = open_scene(ctx, cases[c].scene, s.set, 2);
            bl_sink sink = sink_of(&s);
            bl_status status = bl_simulate(ctx, model, &s.options, &sink, 1, NULL);
            if (few ? status == BL_OK && variation(&s) < 1e6 : status != BL_OK || variation(&s) > 1000)
                fail_msg("%s with steps of %g: status %d, total variation %g", cases[c].scene, s.options.step, status, variation(&s));
            bl_model_destroy(model);
            test_context_end(ctx);
            end(&s);
        }
}
#endif

/* ---- central differences at Courant number 1 with lumped masses: errors of space and time cancel */

static void central_differences__solve_the_pulse_exactly(void **state) {
    (void)state;
    static char text[40000];
    enum { N = 400 };
    const double last = 2;
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "dimension: 1\nmaterials: {m: {type: conducting, conductivity: 1, density: 1}}\n"
                                   "fields: [{name: u, mesh: {segment: {to: 8, n: %d}, element: segment2}, material: m, equation: wave,\n"
                                   "          mass: lumped}]\n"
                                   "supports: [{set: left, value: 0}, {set: right, value: 0}]\n"
                                   "initial: {u: {value: \"=abs(x - 4) < 1 + 1e-9 ? 1 : 0\"}}\nprobes:\n",
                                   N);
    for (int k = 0; k <= N; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "  p%d: {node: %d}\n", k, k + 1);
    solid_run run_it = {.options = {.at = &last, .nat = 1, .until = last, .integrator = "central", .step = 8.0 / N}};
    solid_run_text(&run_it, text);
    for (int k = 0; k <= N; k++) {
        double x = 8.0 * k / N, want = 0.5 * (fabs(x - 2) < 1 + 1e-9) + 0.5 * (fabs(x - 6) < 1 + 1e-9);
        if (fabs(solid_run_probe(&run_it, 0, k, 0) - want) > 1e-12) /* 100 steps of sums of four terms */
            fail_msg("x = %g: %.15g, not %g", x, solid_run_probe(&run_it, 0, k, 0), want);
    }
    solid_run_end(&run_it);
}

/* A bar of unit stiffness, density and length, pulled at its end by 1 from t = 0 on: its end moves by t until the wave returns at 2, then
 * by 4 - t; its middle follows from d'Alembert, 0 until 1/2, then t - 1/2 until 3/2 and 1 until 5/2. */
static void central_differences__solve_the_bar_exactly(void **state) {
    (void)state;
    static const char text[] =
        "dimension: 1\nmaterials: {m: {type: elastic, E: 1, nu: 0, density: 1}}\n"
        "bodies: [{name: bar, mesh: {segment: {to: 1, n: 50}, element: segment2}, material: m, mass: lumped}]\n"
        "supports: [{set: left, x: 0}]\nloads: [{set: right, force: [1]}]\n"
        "probes: {end: {at: [1]}, middle: {at: [0.5]}}\nsimulate: {until: 3.5, every: 0.02, integrator: central, step: 0.02}\n";
    solid_run r = {.options = {0}};
    solid_run_text(&r, text);
    assert_int_equal(r.samples, 176);
    for (int k = 0; k < r.samples; k++) {
        double t = 0.02 * k, tip = t < 2 ? t : 4 - t, middle = t < 0.5 ? 0 : t < 1.5 ? t - 0.5 : t < 2.5 ? 1 : 3.5 - t;
        if (fabs(solid_run_probe(&r, k, 0, 0) - 1 - tip) > 1e-11 || fabs(solid_run_probe(&r, k, 1, 0) - 0.5 - middle) > 1e-11)
            fail_msg("t = %g: %.12g and %.12g, not %g and %g", t, solid_run_probe(&r, k, 0, 0) - 1, solid_run_probe(&r, k, 1, 0) - 0.5, tip,
                     middle);
    }
    solid_run_end(&r);
}

/* ---- the string */

static const double PERIOD = 1 / 329.0; /* of the string with constant tension */

/* times at which the middle passes its rest position, linear between steps */
static long crossings(const study *s, double *at, long room) {
    long n = 0;
    for (long k = 1; k < s->samples; k++)
        if (s->u[k - 1] * s->u[k] < 0 && n < room)
            at[n++] = s->t[k - 1] + (s->t[k] - s->t[k - 1]) * s->u[k - 1] / (s->u[k - 1] - s->u[k]);
    return n;
}

static long pluck(int elements, double E, const char *integrator, double periods, study *s, double *at, long room) {
    *s = (study){.options = {.integrator = integrator, .until = periods * PERIOD, .step = periods * PERIOD / 1000, .every_step = true},
                 .set = {{"N", elements}, {"E", E}},
                 .nset = 2};
    run("guitar_string", s);
    return crossings(s, at, room);
}

/* Two elements are an oscillator M u'' = -V'(u) of the middle, M = 2/3 of the string's half, with the energy of both elements: cycles per
 * linear period by quadrature of the quarter period, u = A sin q (smooth up to its end). */
static double oscillator_cycles(double E) {
    const double L = 0.648, section = pi * 0.41e-3 * 0.41e-3 / 4, line = 7500 * section, T = line * pow(2 * L * 329, 2), A = L / 10,
                 h = L / 2;
    const double M = 2 * line * h / 3;
    enum { N = 20000 };
    double quarter = 0;
    for (int k = 0; k < N; k++) {
        double q = (k + 0.5) * pi / 2 / N, u = A * sin(q), energy[2];
        for (int i = 0; i < 2; i++) { /* T s^2/2 + ES ((1 + s^2)^(3/2)/3 - s^2/2) of slopes s */
            double slope = (i ? A : u) / h;
            energy[i] = 2 * h * (T * slope * slope / 2 + E * section * (pow(1 + slope * slope, 1.5) / 3 - slope * slope / 2));
        }
        quarter += A * cos(q) / sqrt(2 * (energy[1] - energy[0]) / M) * pi / 2 / N;
    }
    return PERIOD / (4 * quarter);
}

/* Over five linear periods: published slightly more than 5, and 9 instead of 5; recomputed 5.513, 1.001 per period, 9.74, 2.12 per period.
 * The trapezoidal rule with 1000 steps lengthens periods by (omega h)^2/12, up to 4e-4 if the stiffening string is twice as fast. */
static void string__cycles_as_published(void **state) {
    (void)state;
    static const struct {
        int elements;
        double E, periods, want, digit;
    } cases[] = {{2, 0, 5, 5.513, 5e-4}, {20, 0, 5, 5 * 1.001, 5 * 5e-4}, {2, 2e11, 5, 9.74, 5e-3}, {20, 2e11, 1, 2.12, 5e-3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        study s;
        double at[64], h = 1 / (double)cases[k].elements;
        long n = pluck(cases[k].elements, cases[k].E, "trapezoidal", cases[k].periods, &s, at, 64);
        double cycles = cases[k].periods * PERIOD * (double)(n - 1) / (2 * (at[n - 1] - at[0]));
        if (fabs(cycles - cases[k].want) > cases[k].digit)
            fail_msg("%d elements, E = %g: %.4f cycles, not %.3f", cases[k].elements, cases[k].E, cycles, cases[k].want);
        double c = cos(pi * h), exact = cases[k].E == 0          ? sqrt(6 * (1 - c) / (2 + c)) / (pi * h)
                                        : cases[k].elements == 2 ? oscillator_cycles(cases[k].E)
                                                                 : NAN;
        if (fabs(cycles / cases[k].periods - exact) > 4e-4 * exact)
            fail_msg("%d elements, E = %g: %.6f cycles a period, exactly %.6f", cases[k].elements, cases[k].E, cycles / cases[k].periods,
                     exact);
        end(&s);
    }
}

/* 20 elements, 1000 steps, five periods. Methods that damp fast modes agree; too much damping loses amplitude, without damping fast modes
 * grow from the nonlinear terms: the middle then passes its rest position more often (25 times as recomputed; 21 with a tension that
 * differs by 1e-5). */
static void string__crosses_its_rest_as_recomputed(void **state) {
    (void)state;
    static const struct {
        const char *integrator;
        long want;
        double late; /* largest displacement of the last fifth; 0: not known */
    } cases[] = {{"hht:0.3", 19, 0},
                 {"bdf_alpha:-0.35", 19, 0.0605},
                 {"hht:0.05", 19, 0},
                 {"bdf_alpha:-0.475065", 19, 0},
                 {"bdf_alpha:1.17", 18, 0.0535},
                 {"trapezoidal", -21, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        study s;
        double at[200], late = 0;
        long n = pluck(20, 2e11, cases[k].integrator, 5, &s, at, 200);
        for (long i = 0; i < s.samples; i++)
            late = s.t[i] > 4 * PERIOD ? fmax(late, fabs(s.u[i])) : late;
        if (cases[k].want > 0 ? n != cases[k].want : n < -cases[k].want)
            fail_msg("%s: %ld times, not %ld", cases[k].integrator, n, cases[k].want);
        if (cases[k].late > 0 && fabs(late - cases[k].late) > 5e-5)
            fail_msg("%s: %.5f at the end, not %.4f", cases[k].integrator, late, cases[k].late);
        end(&s);
    }
}

/* ---- the block */

static void block__moves_as_recomputed(void **state) {
    (void)state;
    static const struct {
        const char *integrator;
        int steps;
        double want;
    } cases[] = {{"endf:3", 1000, -0.262219},
                 {"mendf:3", 1000, -0.262584},
                 {"bdf_alpha:-0.35", 2000, -0.265896},
                 {"hht:0.3", 2000, -0.263937},
                 {"trapezoidal", 10000, -0.263253}};
    const double last = 0.5;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        study s = {.options = {.integrator = cases[k].integrator, .step = last / cases[k].steps, .at = &last, .nat = 1}};
        run("elastic_block", &s);
        if (fabs(s.w[0] - 1 - cases[k].want) > 6e-7)
            fail_msg("%s, %d steps: %.7f, not %.6f", cases[k].integrator, cases[k].steps, s.w[0] - 1, cases[k].want);
        end(&s);
    }
}

/* frequencies printed 44.78, 51.79, 60.60, 89.10, of modes 1, 5, 8, 13; their amplitudes in the initial shape, with largest entries 1:
 * 0.33037 as printed, the others as recomputed; the initial shape is symmetric, so that the modes between have none. The sum of all at the
 * top. */
static void block__starts_with_the_published_modes(void **state) {
    (void)state;
    static const int mode[] = {1, 5, 8, 13};
    static const double omega[] = {44.777, 51.794, 60.596, 89.098}, part[] = {0.33037, 0.22957, 0.16937, 0.04497};
    bl_context *ctx = test_context(NULL);
    bl_model *model = open_scene(ctx, "elastic_block", NULL, 0);
    bl_modes_report report = {0};
    bl_modes_options options = {.count = -1, .at = BL_MODES_AT_START, .anyway = true, .scale = BL_MODES_LARGEST};
    assert_int_equal(bl_modes(ctx, model, &options, NULL, 0, &report), BL_OK);
    assert_int_equal(report.nmode, 220);
    for (int k = 0; k < 4; k++) {
        const bl_mode *m = &report.mode[mode[k] - 1];
        if (fabs(m->omega - omega[k]) > 6e-4 || fabs(fabs(m->initial) - part[k]) > 6e-6)
            fail_msg("mode %d: %.4f rad/s, %.6f of the start, not %.3f, %.5f", mode[k], m->omega, m->initial, omega[k], part[k]);
    }
    for (int k = 1; k <= 13; k++)
        if (k != 1 && k != 5 && k != 8 && k != 13)
            assert_true(fabs(report.mode[k - 1].initial) < 1e-10);
    study s = {.options = {0}};
    bl_sink sink = sink_of(&s);
    assert_int_equal(bl_modes_answer(ctx, &report, &(bl_modes_answer_options){.until = 0.5, .every = 0.5}, &sink, 1, NULL), BL_OK);
    if (fabs(s.w[s.samples - 1] - 1 + 0.263352) > 6e-7)
        fail_msg("by all modes %.7f, not -0.263352", s.w[s.samples - 1] - 1);
    end(&s);
    bl_modes_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines__have_the_eigenvalues_of_their_elements),
        cmocka_unit_test(lines__take_the_published_steps),
        cmocka_unit_test(pulse__has_the_variations_of_all_methods),
        cmocka_unit_test(pulse__by_all_modes_has_the_ripple_of_the_elements),
        cmocka_unit_test(starts__have_their_fourier_coefficients),
#ifdef LONG
        cmocka_unit_test(rk4__is_stable_with_the_published_steps),
#endif
        cmocka_unit_test(central_differences__solve_the_pulse_exactly),
        cmocka_unit_test(central_differences__solve_the_bar_exactly),
        cmocka_unit_test(string__cycles_as_published),
        cmocka_unit_test(string__crosses_its_rest_as_recomputed),
        cmocka_unit_test(block__moves_as_recomputed),
        cmocka_unit_test(block__starts_with_the_published_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
