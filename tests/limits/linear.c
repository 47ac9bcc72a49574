/* Modes, linear models, responses, modes over a parameter, stability of methods. An answer: eigenvalues, what is rigid, massless, stable,
 * what moves most, changes of stability, responses at given frequencies. */
#include "limits/limits.h"

#include "biela/linear.h"
#include "biela/modes.h"
#include "biela/stability.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double WITHIN = 1e-6; /* of eigenvalues and responses, relative to the largest */

/* the first word of a description: what moves most */
static double first_word(const char *text) {
    double hash = 0;
    for (size_t i = 0; text[i] && text[i] != ' '; i++)
        hash = fmod(31 * hash + text[i], 1e9);
    return hash;
}

/* ---- modes */

static void keep_response(bl_context *ctx, const bl_linear_model *lin, answer *a) {
    static const double omega[] = {0, 0.1, 0.7, 1, 3, 10, 40, 1000};
    enum { COUNT = sizeof omega / sizeof *omega };
    size_t pairs = (size_t)lin->noutput * (size_t)lin->ninput;
    double *H = calloc(2 * COUNT * pairs + 1, sizeof *H), *phase = calloc(COUNT, sizeof *phase), largest = 0;
    bl_frequencies at = {0};
    answer_exact(a, "states", lin->nstate);
    if (answer_status(a, ctx, bl_linear_response(ctx, lin, COUNT, omega, H)))
        for (size_t i = 0; i < 2 * COUNT * pairs; i++) {
            largest = isnan(H[i]) ? largest : fmax(largest, fabs(H[i]));
            answer_near(a, "response", H[i], WITHIN * fmax(fabs(H[i]), 1e-6 * largest));
        }
    for (bl_index p = 0; pairs > 0 && p < 1; p++) {
        bl_linear_phase(lin, COUNT, H, 0, 0, phase);
        for (int i = 0; i < COUNT; i++)
            answer_near(a, "phase", phase[i], 1e-3);
    }
    answer_status(a, ctx, bl_linear_frequencies(ctx, lin, 0, 0, 0, &at));
    if (at.n > 0) { /* points are chosen around peaks: the range and the peak */
        double *all = calloc(2 * (size_t)at.n * pairs + 1, sizeof *all), peak = 0;
        answer_near(a, "first frequency", at.omega[0], 1e-9 * at.omega[0]);
        answer_near(a, "last frequency", at.omega[at.n - 1], 1e-9 * at.omega[at.n - 1]);
        if (pairs > 0 && bl_linear_response(ctx, lin, at.n, at.omega, all) == BL_OK)
            for (bl_index i = 0; i < at.n; i++)
                peak = fmax(peak, hypot(all[2 * (size_t)i * pairs], all[2 * (size_t)i * pairs + 1]));
        if (peak < 1e3) /* damped: the peak is drawn to a share of its height */
            answer_near(a, "peak", peak, 1e-2 * peak);
        free(all);
    }
    bl_frequencies_destroy(ctx, &at);
    free(H);
    free(phase);
}

static void ask_modes(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    bl_modes_report r = {0};
    bl_status status = bl_modes(ctx, model, how, NULL, 0, &r);
    if (answer_status(a, ctx, status)) {
        double largest = 0;
        answer_exact(a, "modes", r.nmode);
        answer_exact(a, "rigid", r.nrigid);
        answer_exact(a, "massless", r.nmassless);
        answer_exact(a, "zero", r.nzero);
        answer_exact(a, "complex", r.is_complex);
        answer_exact(a, "moving", r.moving);
        answer_exact(a, "stability", r.stability);
        answer_exact(a, "unstable", r.nunstable);
        for (bl_index i = 0; i < r.nmode; i++)
            largest = fmax(largest, r.is_complex ? hypot(r.mode[i].re, r.mode[i].im) : fabs(r.mode[i].eigenvalue));
        for (bl_index i = 0; i < r.nmode; i++) {
            const bl_mode *m = &r.mode[i];
            answer_near(a, "eigenvalue", r.is_complex ? m->re : m->eigenvalue, WITHIN * largest);
            answer_near(a, "imaginary part", r.is_complex ? m->im : 0, WITHIN * largest);
            answer_exact(a, "is rigid", m->rigid);
            answer_exact(a, "group", m->group);
            if (m->group != i + 1 || (i + 1 < r.nmode && r.mode[i + 1].group == m->group))
                continue; /* shapes of multiple modes are any combination */
            answer_near(a, "damping", m->damping, 1e-5);
            answer_exact(a, "moves", first_word(m->bodies[0] ? m->bodies : m->moves));
        }
        for (bl_index i = 0; i < r.nvariable; i++)
            answer_near(a, "value", r.value[i], WITHIN * fmax(fabs(r.value[i]), 1));
        if (r.linear)
            keep_response(ctx, r.linear, a);
    }
    bl_modes_report_destroy(ctx, &r);
}

/* elements of an SVG file: curves, marks and their labels */
static double parts_of(const char *path) {
    FILE *file = fopen(path, "r");
    double parts = 0;
    for (int c; file && (c = getc(file)) != EOF;)
        parts += c == '<';
    if (file)
        fclose(file);
    return parts;
}

static void ask_path(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    bl_modes_path_report r = {0};
    bl_status status = bl_modes_path(ctx, model, how, &r);
    if (answer_status(a, ctx, status)) {
        bl_mode_crossing found[8];
        answer_exact(a, "changes of stability", r.ncrossing);
        for (bl_index i = 0; i < r.ncrossing; i++) {
            answer_near(a, "at", r.crossing[i].value, WITHIN * fmax(fabs(r.crossing[i].value), 1));
            answer_near(a, "frequency", r.crossing[i].omega, 1e-4 * fmax(r.crossing[i].omega, 1));
            answer_exact(a, "becomes unstable", r.crossing[i].unstable);
        }
        bl_mode_path drawn = *r.path;
        drawn.crossing = NULL;
        drawn.ncrossing = 0;
        answer_exact(a, "crossings of curves", bl_mode_path_crossings(&drawn, 8, found));
        char file[] = "/tmp/biela_limits_XXXXXX";
        int made = mkstemp(file);
        if (answer_status(a, ctx, made < 0 ? BL_E_FILE : bl_linear_locus(ctx, &drawn, file)))
            answer_exact(a, "parts of the root locus", parts_of(file));
        if (answer_status(a, ctx, made < 0 ? BL_E_FILE : bl_linear_campbell(ctx, &drawn, file)))
            answer_exact(a, "parts of the Campbell diagram", parts_of(file));
        close(made);
        unlink(file);
    }
    bl_modes_path_report_destroy(ctx, &r);
}

/* ---- modal responses */

static void ask_superposition(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    bl_modes_report r = {0};
    answer_sink s;
    bl_sink sink = answer_sink_of(&s, a, WITHIN, BL_WANT_VARIABLES | BL_WANT_PROBES);
    bl_status status = bl_modes(ctx, model, &(bl_modes_options){.count = -1}, NULL, 0, &r);
    if (answer_status(a, ctx, status))
        answer_status(a, ctx, bl_modes_answer(ctx, &r, how, &sink, 1, NULL));
    bl_modes_report_destroy(ctx, &r);
}

/* ---- methods */

static void ask_methods(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    (void)model;
    bl_stability_report r = {0};
    bl_status status = bl_stability_study(ctx, how, &r);
    if (answer_status(a, ctx, status))
        for (bl_index i = 0; i < r.nentry; i++) {
            const bl_stability_entry *e = &r.entry[i];
            answer_exact(a, e->name, e->order);
            answer_exact(a, "zero-stable", e->zero_stable);
            answer_exact(a, "A-stable", e->a_stable);
            answer_near(a, "angle", e->angle, 0.01);
            answer_near(a, "error constant", e->error_constant, 1e-6 * fabs(e->error_constant) + 1e-9);
            answer_near(a, "rho at infinity", e->rho_infinity, 1e-6);
            answer_near(a, "real interval", e->real_interval, 1e-6 * e->real_interval);
            answer_near(a, "imaginary interval", e->imaginary_interval, 1e-6 * e->imaginary_interval);
            answer_near(a, "critical Omega", e->omega_critical, 1e-6 * e->omega_critical);
            answer_near(a, "bifurcation", e->omega_bifurcation, 1e-6);
            answer_exact(a, "has a boundary", e->nline > 0);
        }
    bl_stability_report_destroy(ctx, &r);
}

/* ---- models */

/* two equal oscillators, one damped by forces without potential, beside a free and a massless body */
static const char mixed[] =
    "dimension: 2\nbodies:\n  - {name: a, mass: 1, center: [0, 0], inertia: 1}\n  - {name: b, mass: 1, center: [0, 1], inertia: 1}\n"
    "  - {name: c, mass: 2, center: [0, 2], inertia: 1}\njoints:\n"
    "  - {name: a, type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}\n"
    "  - {name: b, type: prismatic, bodies: [ground, b], at: [0, 1], axis: [1, 0]}\n"
    "  - {name: c, type: prismatic, bodies: [ground, c], at: [0, 2], axis: [1, 0]}\nforces:\n"
    "  - {type: rotational_spring, variable: a.distance, stiffness: 9}\n"
    "  - {type: rotational_spring, variable: b.distance, stiffness: 9, damping: 0.3}\n";
/* a massless slider between springs and a damper, beside a mass; a rotor whose speed is a parameter */
static const char weightless[] =
    "dimension: 2\nbodies:\n  - {name: a, mass: 1, center: [0, 0], inertia: 1}\n  - {name: b, mass: 0, center: [0, 1]}\njoints:\n"
    "  - {name: a, type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}\n"
    "  - {name: b, type: prismatic, bodies: [a, b], at: [0, 1], axis: [1, 0]}\nforces:\n"
    "  - {type: rotational_spring, variable: a.distance, stiffness: 9}\n"
    "  - {type: rotational_spring, variable: b.distance, stiffness: 5, damping: 0.3}\n";
static const char rotor[] = "parameters: {speed: 20}\nbodies:\n  - {name: shaft, mass: 1, center: [0, 0, 0], inertia: [1, 1, 2]}\n"
                            "  - {name: arm, mass: 1, center: [0.5, 0, -0.5], inertia: [0.1, 0.1, 0.1]}\njoints:\n"
                            "  - {name: s, type: revolute, bodies: [ground, shaft], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                            "  - {name: h, type: revolute, bodies: [shaft, arm], at: [0.2, 0, 0], axis: [0, 1, 0]}\n"
                            "drivers: [{variable: s.angle, value: =speed*t}]\ngravity: [0, 0, -9.81]\nlinearize: {at: steady}\n";

/* a free beam and one held at its end */
#define BEAM                                                                          \
    "dimension: 2\nmaterials: {m: {type: elastic, E: 1e6, nu: 0.3, density: 1000}}\n" \
    "bodies: [{name: b, mesh: {rectangle: {to: [4, 1], n: [8, 2]}, element: quad4}, material: m, plane: stress}]\n"
static const char free_beam[] = BEAM;
static const char held_beam[] = BEAM "supports: [{set: left, all: 0}]\nloads: [{set: right, force: [0, -10]}]\nprobes: {p: {at: [4, 1]}}\n";

static const char upright_disc[] = "gravity: [0, 0, -9.81]\nparameters: {R: 0.5, m: 2, v: 3}\n"
                                   "bodies: [{name: disc, mass: =m, center: [0, 0, =R], inertia: [=m*R^2/4, =m*R^2/2, =m*R^2/4]}]\n"
                                   "joints: [{name: roll, type: rolling, bodies: [ground, disc], disc: =R, axis: [0, 1, 0]}]\n"
                                   "initial: {disc: {velocity: [=v, 0, 0], angular_velocity: [0, =v/R, 0]}}\n";

#define MODES(...) \
    .ask = ask_modes, .how = &(const bl_modes_options) { __VA_ARGS__ }
#define METHODS(...)                                                                                                          \
    .ask = ask_methods, .how = &(const bl_stability_options) {                                                                \
        .method = (const char *const[]){__VA_ARGS__}, .nmethod = sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), \
        .region = true                                                                                                        \
    }

static const limit_case cases[] = {
    {.name = "modes of rotating_blade", .scene = "rotating_blade", MODES(.count = 4)},
    {.name = "modes of mass_chain", .scene = "mass_chain", MODES(.count = -1)},
    {.name = "modes of a thin rod", .scene = "cantilever_elastica", .set = {{"P", 0}, {"n", 6}, {"stiff", 1e7}}, MODES(.count = 3)},
    {.name = "modes of double_pendulum", .scene = "double_pendulum", MODES(.coordinates = "natural")},
    {.name = "modes of bricard", .scene = "bricard", MODES(.linear = true)},
    {.name = "modes of damped_four_bar", .scene = "damped_four_bar", MODES(.linear = true)},
    {.name = "modes of quarter_car", .scene = "quarter_car", MODES(.linear = true)},
    {.name = "modes of inverted_pendulum", .scene = "inverted_pendulum", MODES(.linear = true)},
    {.name = "modes of ziegler_column", .scene = "ziegler_column", .set = {{"P", 2}}, MODES(.count = -1)},
    {.name = "modes of ziegler_column, flutter", .scene = "ziegler_column", .set = {{"P", 2.2}}, MODES(.count = -1)},
    {.name = "modes of watt_governor", .scene = "watt_governor", MODES(.count = -1)},
    {.name = "modes of flyball_governor", .scene = "flyball_governor", MODES(.at = BL_MODES_AT_STEADY)},
    {.name = "modes of an upright disc", .text = upright_disc, MODES(.at = BL_MODES_AT_STEADY, .linear = true)},
    {.name = "modes of turntable_ball", .scene = "turntable_ball", MODES(.at = BL_MODES_AT_STEADY)},
    {.name = "modes of sleeping_top, fast", .scene = "sleeping_top", .set = {{"spin", 80}}, MODES(.count = -1)},
    {.name = "modes of sleeping_top, slow", .scene = "sleeping_top", .set = {{"spin", 40}}, MODES(.count = -1)},
    {.name = "modes of turntable", .scene = "turntable", MODES(.count = -1)},
    {.name = "modes of vehicle", .scene = "vehicle", MODES(.count = -1)},
    {.name = "modes of equal oscillators", .text = mixed, MODES(.count = -1)},
    {.name = "modes of equal oscillators, undamped", .text = mixed, MODES(.damping = BL_MODES_UNDAMPED)},
    {.name = "modes of a free beam", .text = free_beam, MODES(.count = 8)},
    {.name = "modes of a free beam, sparse", .text = free_beam, MODES(.count = 6, .method = BL_MODES_ARPACK)},
    {.name = "modes of a held beam, sparse", .text = held_beam, MODES(.count = 6, .method = BL_MODES_ARPACK)},
    {.name = "modes of diffusion_1d", .scene = "diffusion_1d", MODES(.count = 4)},
    {.name = "modal response of a held beam",
     .text = held_beam,
     .ask = ask_superposition,
     .how = &(const bl_modes_answer_options){.until = 0.5, .every = 0.1, .step = 0.05}},
    {.name = "modes over P",
     .scene = "ziegler_column",
     .ask = ask_path,
     .how = &(const bl_modes_path_options){.parameter = "P", .from = 1, .to = 3, .points = 9}},
    {.name = "modes of a massless slider", .text = weightless, MODES(.count = -1)},
    {.name = "modes over a speed",
     .text = rotor,
     .ask = ask_path,
     .how = &(const bl_modes_path_options){.parameter = "speed", .from = 5, .to = 20, .points = 4}},
    {.name = "modes over a spin",
     .scene = "sleeping_top",
     .ask = ask_path,
     .how = &(const bl_modes_path_options){.parameter = "spin", .from = 40, .to = 80, .points = 4},
     .is_long = true},
    {.name = "methods of first order", METHODS("bdf:3")},
    {.name = "methods of second order", METHODS("hht:0.3")},
};

limit_cases limit_cases_linear(void) { return LIMIT_CASES(cases); }
