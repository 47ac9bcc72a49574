/* Comparison of the explicit methods: evaluations and CPU time to reach an error, in one run on one machine.
 * W1 Bricard (10 s) and W5 Andrews (0.05 s): largest error of a coordinate at the end, scaled, against dop853 at 1e-13; Pleiades (test
 * set for initial value problem solvers): largest error of a position at the end. Output is not included. CSV on standard output. */
#include "coords/coords.h"
#include "study/simulation.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FINEST = 52, REPEAT = 7, MOST_COORDINATES = 256 }; /* tolerances 10^(-k/4) */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void give_up(bl_context *ctx, const char *what) {
    fprintf(stderr, "bench_explicit: %s: %s\n", what, bl_context_error(ctx)->what);
    exit(1);
}

typedef struct outcome {
    double seconds, end[MOST_COORDINATES];
    long steps, rejections, evaluations;
    int n;
    bool reached;
} outcome;

typedef struct workload {
    const char *name;
    void (*run)(bl_context *ctx, const char *formulation, const char *integrator, double tolerance, outcome *out);
    const char *formulation;
} workload;

/* ---- mechanisms */

static void run_scene(bl_context *ctx, const char *scene, double until, const char *formulation, const char *integrator, double tolerance,
                      outcome *out) {
    bl_model *model;
    bl_system *sys;
    bl_state state = {0};
    bl_simulation *sim;
    char file[512];
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene);
    bl_simulation_setup setup = {.formulation = formulation, .integrator = integrator, .t_end = until, .tolerance = tolerance};
    if (bl_model_read(ctx, file, NULL, 0, &model) != BL_OK || bl_coords_build(ctx, model, "natural", &sys) != BL_OK ||
        bl_state_create(sys, 0, &state) != BL_OK || bl_coords_initial(sys, &state) != BL_OK ||
        bl_assemble_positions(sys, model, &state) != BL_OK || bl_assemble_velocities(sys, model, &state) != BL_OK ||
        bl_simulation_create(sys, &state, &setup, &sim) != BL_OK)
        give_up(ctx, scene);
    double begin = now();
    bl_status status = BL_OK;
    while (status == BL_OK && *sim->state.t < until)
        status = bl_simulation_advance(sim);
    out->seconds = now() - begin;
    bl_run_summary summary = {0};
    bl_simulation_summary(sim, &summary);
    out->steps = summary.steps;
    out->rejections = summary.rejections;
    out->evaluations = summary.evaluations;
    out->reached = status == BL_OK;
    out->n = sys->nv < MOST_COORDINATES ? sys->nv : MOST_COORDINATES;
    for (int i = 0; i < out->n; i++)
        out->end[i] = sim->state.q[i] / sys->col[i].scale;
    bl_simulation_destroy(sim);
    bl_state_destroy(sys, &state);
    bl_system_destroy(sys);
    bl_model_destroy(model);
}

static void run_bricard(bl_context *ctx, const char *formulation, const char *integrator, double tolerance, outcome *out) {
    run_scene(ctx, "bricard", 10, formulation, integrator, tolerance, out);
}

static void run_andrews(bl_context *ctx, const char *formulation, const char *integrator, double tolerance, outcome *out) {
    run_scene(ctx, "andrews", 0.05, formulation, integrator, tolerance, out);
}

/* ---- Pleiades, as a formulation of its own */

static bl_status pleiades_rate(bl_formulation *form, double t, const double *y, double *rate) {
    (void)t;
    form->stats.evaluations++;
    for (int i = 0; i < 7; i++) {
        double ax = 0, ay = 0;
        for (int j = 0; j < 7; j++)
            if (j != i) {
                double dx = y[j] - y[i], dy = y[7 + j] - y[7 + i], r2 = dx * dx + dy * dy, r3 = r2 * sqrt(r2);
                ax += (j + 1) * dx / r3;
                ay += (j + 1) * dy / r3;
            }
        rate[i] = y[14 + i];
        rate[7 + i] = y[21 + i];
        rate[14 + i] = ax;
        rate[21 + i] = ay;
    }
    return BL_OK;
}

static void run_pleiades(bl_context *ctx, const char *formulation, const char *integrator, double tolerance, outcome *out) {
    static const double start[28] = {3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4, 0, 0, 0, 0, 0, 1.75, -1.5, 0, 0, 0, -1.25, 1, 0, 0};
    static const bl_formulation_kind kind = {.kind = {.name = "pleiades", .gives = BL_CAN_RATE}, .rate = pleiades_rate};
    double weight[28];
    bl_formulation form = {.kind = &kind, .ctx = ctx, .ny = 28, .weight = weight};
    bl_integrator *integ;
    (void)formulation;
    for (int i = 0; i < 28; i++)
        weight[i] = 1;
    if (bl_integrator_create(ctx, integrator, &form, &(bl_step_control){.t_end = 3, .tolerance = tolerance}, &integ) != BL_OK)
        give_up(ctx, "pleiades");
    double begin = now();
    bl_status status = bl_integrator_start(integ, 0, start);
    while (status == BL_OK && integ->t < 3)
        status = bl_integrator_step(integ, NULL);
    out->seconds = now() - begin;
    out->steps = integ->stats.steps;
    out->rejections = integ->stats.rejections;
    out->evaluations = form.stats.evaluations;
    out->reached = status == BL_OK;
    out->n = 14;
    memcpy(out->end, integ->y, 14 * sizeof(double));
    bl_integrator_destroy(integ);
}

static double distance(const outcome *a, const outcome *b) {
    double worst = 0;
    for (int i = 0; i < a->n; i++)
        worst = fmax(worst, fabs(a->end[i] - b->end[i]));
    return a->reached ? worst : INFINITY;
}

int main(void) {
    static const workload workloads[] = {{"W1 bricard", run_bricard, "partition"},
                                         {"W1 bricard", run_bricard, "lagrange"},
                                         {"W5 andrews", run_andrews, "partition"},
                                         {"W5 andrews", run_andrews, "lagrange"},
                                         {"pleiades", run_pleiades, "-"}};
    static const char *const integrators[] = {"dopri45", "dop853", "abm"};
    static const double targets[] = {1e-3, 1e-6, 1e-9};
    bl_context *ctx;
    if (bl_context_create(NULL, &ctx) != BL_OK)
        return 1;
    printf("workload,formulation,target,integrator,tolerance,steps,rejected,evaluations,error,least_us\n");
    for (size_t w = 0; w < sizeof workloads / sizeof workloads[0]; w++) {
        static outcome exact, tried;
        const workload *work = &workloads[w];
        work->run(ctx, work->formulation, "dop853", 1e-13, &exact);
        for (size_t d = 0; d < sizeof targets / sizeof targets[0]; d++)
            for (size_t k = 0; k < sizeof integrators / sizeof integrators[0]; k++) {
                /* the loosest tolerance from which on all tighter ones reach the target: a lucky run does not count */
                int best = -1;
                for (int e = FINEST; e >= 4; e--) {
                    work->run(ctx, work->formulation, integrators[k], pow(10, -0.25 * e), &tried);
                    if (!(distance(&tried, &exact) <= targets[d]))
                        break;
                    best = e;
                }
                if (best < 0)
                    continue;
                double least = INFINITY;
                for (int r = 0; r < REPEAT; r++) {
                    work->run(ctx, work->formulation, integrators[k], pow(10, -0.25 * best), &tried);
                    least = fmin(least, tried.seconds);
                }
                printf("%s,%s,%g,%s,%.2g,%ld,%ld,%ld,%.1e,%.0f\n", work->name, work->formulation, targets[d], integrators[k],
                       pow(10, -0.25 * best), tried.steps, tried.rejections, tried.evaluations, distance(&tried, &exact), 1e6 * least);
                fflush(stdout);
            }
    }
    bl_context_destroy(ctx);
    return 0;
}
