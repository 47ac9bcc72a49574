/* Inverse dynamics. An answer: forces of the actuators, their peaks, energy and period, what is singular; smoothed measurements. */
#include "limits/limits.h"

#include "biela/inverse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct way {
    bl_inverse_options options;
    double noise; /* of a table of 0.5 sin 3t, rounded to it; 0: no table */
} way;

static bl_status keep_forces(void *user, const bl_sample *sample) {
    answer_sink *s = user;
    for (bl_index i = 0; i < s->info.nactuator; i++) {
        s->largest[0] = isfinite(sample->actuator_force[i]) ? fmax(s->largest[0], fabs(sample->actuator_force[i])) : s->largest[0];
        answer_near(s->to, "force", sample->actuator_force[i], s->within * fmax(s->largest[0], 1));
    }
    return BL_OK;
}

static void write_table(const char *path, double noise) {
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    fprintf(file, "time,A.angle\n");
    for (int k = 0; k <= 100; k++)
        fprintf(file, "%.17g,%.17g\n", 0.02 * k, noise * round(0.5 * sin(0.06 * k) / noise));
    fclose(file);
}

static void ask_inverse(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    const way *w = how;
    bl_inverse_options o = w->options;
    bl_inverse_summary found = {0};
    answer_sink s;
    double within = w->noise > 0 ? 1e-3 : 1e-6; /* a spline follows its noise to the accuracy of the search for its strength */
    bl_sink sink = answer_sink_of(&s, a, within, BL_WANT_REACTIONS);
    sink.sample = keep_forces;
    char path[] = "/tmp/biela_limits_XXXXXX";
    int file = w->noise > 0 ? mkstemp(path) : -1;
    if (file >= 0) {
        write_table(path, w->noise);
        o.table = path;
    }
    bl_status status = bl_inverse(ctx, model, &o, &sink, 1, NULL, &found);
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    answer_status(a, ctx, status);
    answer_exact(a, "actuators", found.nactuator);
    answer_exact(a, "singular samples", (double)found.singular);
    answer_exact(a, "degrees of freedom", found.dof);
    answer_exact(a, "rank", found.rank);
    answer_near(a, "period", found.period, 1e-6);
    for (bl_index i = 0; status == BL_OK && i < found.nactuator; i++) {
        const bl_actuator_summary *u = &found.actuator[i];
        answer_near(a, "largest", u->largest, 10 * within * fmax(u->largest, 1));
        answer_near(a, "rms", u->rms, 10 * within * fmax(u->rms, 1));
        answer_near(a, "energy", u->energy, 10 * within * fmax(u->largest, 1));
        answer_near(a, "energy per period", u->energy_per_period, 1e-5 * fmax(u->largest, 1));
        answer_exact(a, "exceeds its limit", !isnan(u->over_time));
    }
    if (status == BL_OK && o.check) {
        answer_exact(a, "forces agree", found.local < 1e-8);
        answer_exact(a, "a run agrees", found.deviation < 1e-5);
    }
    bl_inverse_summary_destroy(ctx, &found);
}

/* two actuators for one degree of freedom, one with a limit; the slider alone, which is useless at dead points */
#define SHARED                                                                                                      \
    "dimension: 2\ngravity: [0, -9.81]\npoints: {A: [0, 0], B: [0.2, 0], C: [0.7, 0]}\nbodies:\n"                   \
    "  - {name: crank, rod: {from: A, to: B}, mass: 0.5}\n  - {name: rod, rod: {from: B, to: C}, mass: 1}\n"        \
    "  - {name: slider, mass: 2, center: C, inertia: 0.01}\njoints:\n"                                              \
    "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n  - {name: B, type: revolute, bodies: [crank, " \
    "rod], at: B}\n  - {name: C, type: revolute, bodies: [rod, slider], at: C}\n"                                   \
    "  - {name: guide, type: prismatic, bodies: [ground, slider], at: C, axis: [1, 0]}\n"                           \
    "drivers: [{variable: A.angle, value: =10*t}]\nsimulate: {until: 1}\n"
static const char shared[] = SHARED "inverse: {actuators: [A.angle, {variable: guide.distance, weight: 0.01}]}\n";
static const char bounded[] = SHARED "inverse: {actuators: [{variable: A.angle, limit: 3}, guide.distance], bounded: true}\n";
static const char bounded_more[] =
    SHARED "inverse: {actuators: [{variable: A.angle, limit: 3}, {variable: guide.distance, limit: 20}, B.angle], bounded: true}\n";
static const char by_slider[] = SHARED "inverse: {actuators: [guide.distance]}\n";
static const char rod[] = "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: rod, rod: {from: [0, 0], to: [0, -1]}, mass: 1}]\n"
                          "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n";

static const char rolls[] = "dimension: 2\nbodies:\n  - {name: hook, mass: 100, center: [0, 0], inertia: 1}\n"
                            "  - {name: trailer, mass: 10, center: [-2, 0.1], inertia: 3}\n"
                            "joints:\n  - {name: guide, type: prismatic, bodies: [ground, hook], at: [0, 0], axis: [1, 0]}\n"
                            "  - {name: hitch, type: revolute, bodies: [hook, trailer], at: [0, 0]}\n"
                            "  - {name: axle, type: blade, bodies: [ground, trailer], at: [-2, 0.1], along: [1, 1]}\n"
                            "drivers: [{name: pull, variable: guide.distance, value: =1.5*t}]\nsimulate: {until: 1}\n";

#define INVERSE(...)                                                             \
    .ask = ask_inverse, .how = &(const way) {                                    \
        .options = {.run = &(const bl_run_options){.every = 0.05}, __VA_ARGS__ } \
    }

static const limit_case cases[] = {
    {.name = "inverse of slider_crank_motor",
     .scene = "slider_crank_motor",
     .ask = ask_inverse,
     .how = &(const way){.options = {.run = &(const bl_run_options){.every = 0.05, .until = 0.7}, .check = true}}},
    {.name = "inverse of slider_crank_motor, natural",
     .scene = "slider_crank_motor",
     .ask = ask_inverse,
     .how = &(const way){.options = {.run = &(const bl_run_options){.every = 0.05, .coordinates = "natural"}}}},
    {.name = "inverse of a trailer on a blade", .text = rolls, INVERSE(.check = false)},
    {.name = "inverse of five_bar_robot", .scene = "five_bar_robot", INVERSE(.check = false)},
    {.name = "inverse of planar_3rrr", .scene = "planar_3rrr", INVERSE(.check = false), .is_long = true},
    {.name = "inverse of shared actuators", .text = shared, INVERSE(.check = false)},
    {.name = "inverse of bounded actuators", .text = bounded, INVERSE(.check = false)},
    {.name = "inverse of three bounded actuators", .text = bounded_more, INVERSE(.check = false)},
    {.name = "inverse of a coarse table",
     .text = rod,
     .ask = ask_inverse,
     .how = &(const way){.options = {.noise_given = true, .noise = 0.2}, .noise = 0.05}},
    {.name = "inverse by the slider", .text = by_slider, INVERSE(.check = false)},
    {.name = "inverse of a table", .text = rod, .ask = ask_inverse, .how = &(const way){.noise = 1e-4}},
    {.name = "inverse of a table with known noise",
     .text = rod,
     .ask = ask_inverse,
     .how = &(const way){.options = {.noise_given = true, .noise = 1e-4 / 3.4641016151377544}, .noise = 1e-4}},
};

limit_cases limit_cases_inverse(void) { return LIMIT_CASES(cases); }
