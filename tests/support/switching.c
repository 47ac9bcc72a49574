/* Tasks with known ends, as models, and their runs. */
#include "support/switching.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* x'' = floor(t) until T */
static double by_floor(double T) {
    double x = 0, v = 0;
    for (double t = 0; t < T; t += 1) {
        double h = fmin(1, T - t), a = floor(t);
        x += v * h + 0.5 * a * h * h;
        v += a * h;
    }
    return x;
}

/* x'' = 1 and 0 alternately, each for a time w */
static double by_turns(double T, double w) {
    double x = 0, v = 0;
    for (int k = 0; k * w < T; k++) {
        double h = fmin(w, T - k * w), a = k % 2 == 0;
        x += v * h + 0.5 * a * h * h;
        v += a * h;
    }
    return x;
}

/* Two springs, of frequencies 2 and 1: from 1 at rest, back there after 3 pi / 2. Friction 0.13: amplitudes fall by 0.26 each half
 * period. -|x|: cos, then -sinh. */
void switching_tasks(switching list[SWITCHING_TASKS]) {
    const switching all[SWITCHING_TASKS] = {
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

/* writes the law with these names for x and v */
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

void switching_model(switching_as form, const switching *t, char *text, size_t n) {
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

double switching_run(const char *text, const bl_run_options *options, bl_run_summary *summary, char why[512]) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    last l = {NAN, 0};
    bl_run_summary own = {0};
    bl_sink sink = {.user = &l, .sample = keep_last};
    bl_status status = bl_model_read_text(ctx, "switches", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, options, &sink, 1, summary ? summary : &own);
    snprintf(why, 512, "%s", status == BL_OK ? "" : bl_context_error(ctx)->what);
    double x = status == BL_OK ? l.x : NAN;
    bl_model_destroy(model);
    test_context_end(ctx);
    return x;
}

double switching_error(switching_as form, const switching *t, bl_run_options options, char why[512]) {
    char text[1200];
    switching_model(form, t, text, sizeof text);
    options.until = t->until;
    options.every = t->until;
    return fabs(switching_run(text, &options, NULL, why) - t->exact) / fmax(1, fabs(t->exact));
}

const char *const switching_adaptive[] = {"dopri45",  "dop853",     "abm",        "radau", "ndf_auto",
                                          "bdf_auto", "mebdf_auto", "stiff_auto", "series"};
const int switching_adaptive_count = sizeof switching_adaptive / sizeof *switching_adaptive;

void switching_adaptive_methods(switching_as form, const char *formulation) {
    switching list[SWITCHING_TASKS];
    char why[512];
    switching_tasks(list);
    for (int i = 0; i < switching_adaptive_count; i++)
        for (double tolerance = 1e-6; tolerance > 5e-13; tolerance *= 1e-3) {
            bl_run_options o = {.integrator = switching_adaptive[i], .tolerance = tolerance, .formulation = formulation};
            for (int k = 0; k < SWITCHING_TASKS; k++) {
                switching smooth = {"-4*x", 1, list[k].until, cos(2 * list[k].until)};
                double plain = switching_error(form, &smooth, o, why), error = switching_error(form, &list[k], o, why);
                if (!(error <= 10 * plain + 20 * tolerance))
                    fail_msg("%s at %g, x'' = %s: error %.3g, on a smooth law %.3g %s", switching_adaptive[i], tolerance, list[k].law,
                             error, plain, why);
            }
        }
}
