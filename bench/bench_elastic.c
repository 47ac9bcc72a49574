/* Elastic bodies: time against error. An elastic slider-crank (deflection of the middle of its rod, relative to the largest one) and an
 * elastic double pendulum (largest distance of hinge and tip from their reference, m), one turn and one second: as beams by rotations and
 * by directors, as solids, as floating frames; several meshes, methods and steps. Then a step of a beam of 10 to 10 000 elements, and steps
 * of a body reduced to 20 modes and the motion of an interface beside those of a rigid body in its place.
 *
 *     bench_elastic [-r rounds]
 *
 * Minimum CPU time of the rounds, from the model in memory to the end of the run. real: time of the motion / CPU time. CSV on standard
 * output. References: motions of Reissner's model by another program (tests/verify/elastic/test_beam_motions.c). */
#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double PI = 3.14159265358979323846;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct setting {
    const char *formulation, *integrator;
    double tolerance, steps; /* steps: of a method with constant steps, in the whole run */
} setting;

static const setting settings[] = {
    {NULL, NULL, 0, 0},
    {"ggl", "trbdf2", 1e-2, 0},
    {"ggl", "trbdf2", 3e-3, 0},
    {"ggl", "trbdf2", 1e-4, 0},
    {"index3", "genalpha", 0, 80},
    {"index3", "genalpha", 0, 160},
    {"index3", "genalpha", 0, 320},
    {"index3", "genalpha", 0, 640},
    {"index3", "newmark", 0, 160},
    {"index3", "newmark", 0, 640},
    {"ggl", "bdf_alpha", 0, 320},
};

/* ---- slider-crank */

static double slider_crank_error; /* of the run at hand */

static bl_status measure_slider_crank(void *user, const bl_sample *s) {
    static const double across[] = {1.7906e-3, -2.170e-4, -1.364e-3, -3.289e-4};
    int quarter = (int)lround(s->t * 80 / PI);
    (void)user;
    if (quarter < 1 || quarter > 4)
        return BL_OK;
    const double *a = s->probe, *m = s->probe + 3, *b = s->probe + 6;
    double d = ((b[0] - a[0]) * (m[1] - a[1]) - (b[1] - a[1]) * (m[0] - a[0])) / hypot(b[0] - a[0], b[1] - a[1]);
    slider_crank_error = fmax(slider_crank_error, fabs(d - across[quarter - 1]) / across[0]);
    return BL_OK;
}

#define SLIDER_CRANK(rod, pin, end) CRANK(rod, pin, end, "rod")
#define FLOATING_CRANK CRANK(REDUCED, "rod.pin", "rod.end", "rod.middle")
#define CRANK(rod, pin, end, middle)                                                         \
    "dimension: 2\nparameters: {n: 8, h: =sqrt(12e-4), w: 0.01}\n"                           \
    "bodies:\n  - {name: crank, rod: {from: [0, 0], to: [0.1, 0]}, mass: 0.1}\n" rod         \
    "  - {name: slider, mass: 0.25, center: [0.6, 0], inertia: 0.001}\njoints:\n"            \
    "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"                   \
    "  - {name: B, type: revolute, bodies: [crank, " pin "], at: [0.1, 0]}\n"                \
    "  - {name: C, type: revolute, bodies: [" end ", slider], at: [0.6, 0]}\n"               \
    "  - {name: D, type: prismatic, bodies: [ground, slider], at: [0.6, 0], axis: [1, 0]}\n" \
    "drivers: [{variable: A.angle, value: =40*t}]\n"                                         \
    "probes: {pin: {body: crank, at: [0.1, 0]}, middle: {body: " middle ", at: [0.35, 0]}, end: {body: slider, at: [0.6, 0]}}\n"
#define BEAM(kind)                                                                                             \
    "  - {name: rod, beam: {from: [0.1, 0], to: [0.6, 0], elements: =n, degree: 2, interpolation: " kind "}, " \
    "stiffness: {EA: 2e5, GA: 8e4, EI: 20}, mass_per_length: {rhoA: 0.5, rhoI: 5e-5}}\n"
#define MESH(more)                                                                                                            \
    "  - {name: rod, mesh: {rectangle: {from: [0.1, =-h/2], to: [0.6, =h/2], n: [=n, 1]}, element: quad8}, material: light, " \
    "plane: stress, thickness: =w, interfaces: [{name: pin, set: left}, {name: end, set: right}" more "]}\n"
#define LIGHT "materials: {light: {type: st_venant_kirchhoff, E: =2e5/(w*h), nu: =1/24, density: =0.5/(w*h)}}\n"

/* modes: n; frames at the ends and in the middle */
#define REDUCED                                                                                                                    \
    "  - {name: rod, mesh: {rectangle: {from: [0.1, =-h/2], to: [0.6, =h/2], n: [20, 2]}, element: quad8, "                        \
    "sets: {middle: \"abs(x - 0.35) < 1e-6\"}}, material: light, plane: stress, thickness: =w, coordinates: floating, modes: =n, " \
    "stiffening: linear, interfaces: [{name: pin, set: left}, {name: end, set: right}, {name: middle, set: middle}]}\n"

/* ---- double pendulum */

static double pendulum_error;

static bl_status measure_pendulum(void *user, const bl_sample *s) {
    static const double at[4][4] = {{0.93230, -0.36121, 1.92922, -0.28220},
                                    {0.43569, -0.90024, 1.30466, -1.39499},
                                    {-0.09334, -0.99588, -0.74280, -1.75614},
                                    {-0.92935, -0.36968, -1.67410, -1.03708}};
    int quarter = (int)lround(s->t * 4);
    (void)user;
    for (int p = 0; p < 2 && quarter >= 1 && quarter <= 4; p++)
        pendulum_error =
            fmax(pendulum_error, hypot(s->probe[3 * p] - at[quarter - 1][2 * p], s->probe[3 * p + 1] - at[quarter - 1][2 * p + 1]));
    return BL_OK;
}

#define ROD(name, from, to, kind)                                                                                           \
    "  - {name: " name ", beam: {from: [" from ", 0], to: [" to ", 0], elements: =n, degree: 2, interpolation: " kind "}, " \
    "stiffness: {EA: 1e5, GA: 4e4, EI: 10}, mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
#define PENDULUM(kind)                                                                                               \
    "dimension: 2\nparameters: {n: 8}\ngravity: [0, -9.81]\nbodies:\n" ROD("upper", "0", "1", kind)                  \
        ROD("lower", "1", "2", kind) "joints:\n  - {name: A, type: revolute, bodies: [ground, upper], at: [0, 0]}\n" \
                                     "  - {name: B, type: revolute, bodies: [upper, lower], at: [1, 0]}\n"           \
                                     "probes: {hinge: {body: upper, at: [1, 0]}, tip: {body: lower, at: [2, 0]}}\n"
#define BAR(name, from, to)                                                                                                                \
    "  - {name: " name ", mesh: {rectangle: {from: [" from ", =-h/2], to: [" to ", =h/2], n: [=n, 1]}, element: quad8}, material: light, " \
    "plane: stress, thickness: =w, interfaces: [{name: from, set: left}, {name: to, set: right}]}\n"
#define BARS                                                                                                        \
    "dimension: 2\nparameters: {n: 8, h: =sqrt(12e-4), w: 0.01}\ngravity: [0, -9.81]\n"                             \
    "materials: {light: {type: st_venant_kirchhoff, E: =1e5/(w*h), nu: =1/24, density: =1/(w*h)}}\n"                \
    "bodies:\n" BAR("upper", "0", "1")                                                                              \
        BAR("lower", "1", "2") "joints:\n  - {name: A, type: revolute, bodies: [ground, upper.from], at: [0, 0]}\n" \
                               "  - {name: B, type: revolute, bodies: [upper.to, lower.from], at: [1, 0]}\n"        \
                               "probes: {hinge: {body: upper.to, at: [1, 0]}, tip: {body: lower.to, at: [2, 0]}}\n"

/* ---- all of them */

typedef struct workload {
    const char *name, *way, *text;
    int meshes[3];
    double until;
    bl_status (*measure)(void *, const bl_sample *);
    double *error;
} workload;

static const workload workloads[] = {
    {"slider-crank", "rotations", SLIDER_CRANK(BEAM("rotations"), "rod", "rod"), {2, 4, 8}, 0, measure_slider_crank, &slider_crank_error},
    {"slider-crank", "directors", SLIDER_CRANK(BEAM("directors"), "rod", "rod"), {2, 4, 8}, 0, measure_slider_crank, &slider_crank_error},
    {"slider-crank",
     "solids",
     LIGHT SLIDER_CRANK(MESH(""), "rod.pin", "rod.end"),
     {4, 8, 12},
     0,
     measure_slider_crank,
     &slider_crank_error},
    {"slider-crank", "floating frame", LIGHT FLOATING_CRANK, {0, 2, 6}, 0, measure_slider_crank, &slider_crank_error},
    {"double pendulum", "rotations", PENDULUM("rotations"), {4, 8, 16}, 1, measure_pendulum, &pendulum_error},
    {"double pendulum", "directors", PENDULUM("directors"), {4, 8, 16}, 1, measure_pendulum, &pendulum_error},
    {"double pendulum", "solids", BARS, {8, 16, 32}, 1, measure_pendulum, &pendulum_error},
};

static void bench(bl_context *ctx, const workload *w, int n, int rounds) {
    double until = w->until > 0 ? w->until : PI / 20;
    bl_override set = {"n", n};
    bl_model *model;
    if (bl_model_read_text(ctx, w->name, w->text, strlen(w->text), &set, 1, &model) != BL_OK) {
        fprintf(stderr, "bench_elastic: %s, %s: %s\n", w->name, w->way, bl_context_error(ctx)->what);
        return;
    }
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const setting *s = &settings[i];
        double least = INFINITY;
        bl_run_summary summary = {0};
        for (int k = 0; k < rounds; k++) {
            bl_run_options options = {.until = until,
                                      .every = until / 4,
                                      .formulation = s->formulation,
                                      .integrator = s->integrator,
                                      .tolerance = s->tolerance,
                                      .step = s->steps > 0 ? until / s->steps : 0};
            bl_sink sink = {.sample = w->measure, .want = BL_WANT_PROBES};
            *w->error = 0;
            double begin = now();
            bl_status status = bl_simulate(ctx, model, &options, &sink, 1, &summary);
            if (status != BL_OK)
                *w->error = INFINITY;
            least = fmin(least, now() - begin);
        }
        char how[64];
        snprintf(how, sizeof how, s->integrator ? s->steps > 0 ? "%s %s %g" : "%s %s %g" : "default", s->formulation, s->integrator,
                 s->steps > 0 ? s->steps : s->tolerance);
        printf("%s,%s,%d,%s,%.3f,%.2f,%.2e\n", w->name, w->way, n, how, 1e3 * least, until / least, *w->error);
        fflush(stdout);
    }
    bl_model_destroy(model);
}

/* a beam of n elements that falls, 100 steps */
static void chain(bl_context *ctx, int n, int rounds) {
    static const char text[] = "dimension: 2\nparameters: {n: 10}\ngravity: [0, -9.81]\nbodies:\n"
                               "  - {name: rod, beam: {from: [0, 0], to: [=n/10, 0], elements: =n, degree: 1}, "
                               "stiffness: {EA: 1e5, GA: 4e4, EI: 10}, mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
                               "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n";
    bl_override set = {"n", n};
    bl_model *model;
    double least = INFINITY, energy = 0;
    if (bl_model_read_text(ctx, "chain", text, strlen(text), &set, 1, &model) != BL_OK)
        return;
    for (int k = 0; k < rounds; k++) {
        bl_run_options options = {.until = 0.01, .every = 0.01, .formulation = "index3", .integrator = "genalpha", .step = 1e-4};
        bl_run_summary summary = {.size = sizeof summary};
        double begin = now();
        if (bl_simulate(ctx, model, &options, NULL, 0, &summary) != BL_OK)
            fprintf(stderr, "bench_elastic: chain: %s\n", bl_context_error(ctx)->what);
        least = fmin(least, now() - begin);
        energy = summary.largest_energy_error;
    }
    printf("chain,us per element and step,%d,genalpha 100,%.3f,%.3f,%.2e\n", n, 1e3 * least, 1e6 * least / 100 / n, energy);
    fflush(stdout);
    bl_model_destroy(model);
}

/* ---- a body of 20 modes in place of a rigid one, with a load at its end; in space, falling */

static const char meshed_arm[] =
    "dimension: 3\nparameters: {n: 10}\ngravity: [0, 0, -9.81]\n"
    "materials: {soft: {type: elastic, E: 2e9, nu: 0.3, density: 1200}}\nbodies:\n"
    "  - {name: arm, mesh: {box: {from: [0, -0.03, -0.02], to: [1, 0.03, 0.02], n: [=n, 3, 2]}, element: hexa20}, material: soft,"
    " coordinates: floating, modes: 20, damping: {stiffness: 1e-5}, interfaces: [{name: root, set: left}, {name: tip, set: right}]}\n"
    "  - {name: load, mass: 1, center: [1.2, 0, 0], inertia: [0.01, 0.02, 0.03]}\njoints:\n"
    "  - {name: hinge, type: spherical, bodies: [ground, arm.root], at: [0, 0, 0]}\n"
    "  - {name: tip, type: revolute, bodies: [arm.tip, load], at: [1, 0, 0], axis: [0, 1, 0]}\n";
static const char rigid_arm[] = "dimension: 3\nparameters: {n: 0}\ngravity: [0, 0, -9.81]\nbodies:\n"
                                "  - {name: arm, mass: 2.88, center: [0.5, 0, 0], inertia: [0.0013, 0.2404, 0.2409]}\n"
                                "  - {name: load, mass: 1, center: [1.2, 0, 0], inertia: [0.01, 0.02, 0.03]}\njoints:\n"
                                "  - {name: hinge, type: spherical, bodies: [ground, arm], at: [0, 0, 0]}\n"
                                "  - {name: tip, type: revolute, bodies: [arm, load], at: [1, 0, 0], axis: [0, 1, 0]}\n";

/* CPU time of a run and its steps, rejected ones included; the least of the rounds */
static double timed(bl_context *ctx, const bl_model *model, const bl_run_options *options, int rounds, double *steps, double *energy) {
    double least = INFINITY;
    for (int k = 0; k < rounds; k++) {
        bl_run_summary summary = {.size = sizeof summary};
        double begin = now();
        if (bl_simulate(ctx, model, options, NULL, 0, &summary) != BL_OK)
            fprintf(stderr, "bench_elastic: reduced body: %s\n", bl_context_error(ctx)->what);
        least = fmin(least, now() - begin);
        *steps = (double)(summary.steps + summary.rejections);
        *energy = summary.largest_energy_error;
    }
    return least;
}

/* Microseconds per step, from the difference of two runs, so that setting up does not count. elements: along the arm; 0: it is rigid.
 * *rigid: the time of that, set by it. */
static void reduced_body(bl_context *ctx, int elements, const char *integrator, double tolerance, double step, int rounds, double *rigid) {
    const char *text = elements ? meshed_arm : rigid_arm;
    bl_override set = {"n", elements};
    bl_model *model;
    double seconds[2], steps[2], energy = NAN;
    if (bl_model_read_text(ctx, "arm", text, strlen(text), &set, 1, &model) != BL_OK) {
        fprintf(stderr, "bench_elastic: reduced body: %s\n", bl_context_error(ctx)->what);
        return;
    }
    for (int k = 0; k < 2; k++) {
        double until = (elements ? 0.4 : 10) * (k ? 1 : 0.05);
        bl_run_options options = {.until = until,
                                  .every = until,
                                  .formulation = integrator[0] == 'g' ? "index3" : "ggl",
                                  .integrator = integrator,
                                  .tolerance = tolerance,
                                  .step = step};
        seconds[k] = timed(ctx, model, &options, rounds, &steps[k], &energy);
    }
    double us = 1e6 * (seconds[1] - seconds[0]) / (steps[1] - steps[0]);
    *rigid = elements ? *rigid : us;
    printf("reduced body,us per step (real: times the rigid one),%d,%s %g,%.3f,%.2f,%.2e\n", elements, integrator,
           step > 0 ? step : tolerance, us, us / *rigid, energy);
    fflush(stdout);
    bl_model_destroy(model);
}

static void reduced_bodies(bl_context *ctx, int rounds) {
    static const struct method {
        const char *integrator;
        double tolerance, step;
    } methods[] = {{"trbdf2", 1e-3, 0}, {"trbdf2", 1e-5, 0}, {"genalpha", 0, 1e-3}};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        double rigid = NAN;
        for (int k = 0; k < 3; k++)
            reduced_body(ctx, (int[]){0, 10, 100}[k], methods[i].integrator, methods[i].tolerance, methods[i].step, rounds, &rigid);
    }
}

int main(int argc, char **argv) {
    int rounds = 5, option;
    while ((option = getopt(argc, argv, "r:")) != -1)
        rounds = option == 'r' ? atoi(optarg) : rounds;
    bl_context *ctx;
    if (bl_context_create(NULL, &ctx) != BL_OK)
        return 1;
    printf("workload,way,elements,method,ms,real,error\n");
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
        for (int k = 0; k < 3; k++)
            bench(ctx, &workloads[i], workloads[i].meshes[k], rounds);
    for (int n = 10; n <= 10000; n *= 10)
        chain(ctx, n, n > 1000 ? 1 : rounds);
    reduced_bodies(ctx, rounds);
    bl_context_destroy(ctx);
    return 0;
}
