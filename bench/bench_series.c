/* Work and precision of mechanisms: error at the end against CPU time, `series`, the other explicit methods and SUNDIALS in one process.
 *
 *     bench_series [-s scene]... [-r rounds] [-l longest run in seconds]
 *
 * Tolerances 1e-3 .. 1e-14, two per decade. Every (scene, method, tolerance) runs once in each round; the minimum time counts. Only the
 * steps are timed: system, formulation and solver are created before. Error: of a position divided by its scale, compared with the mean of
 * dop853 at 1e-13 and series at 1e-14, which differ by `spread`. CSV on standard output, then `best` rows: time at equal error,
 * interpolated on each curve. */
#include "curve.h"
#include "motion.h"

#include "study/run.h"
#include "study/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TOLERANCES = 23, METHODS = 32, WORDS = 8, SLOW = 3 };

double motion_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double energy_of(motion *m, const bl_state *state) {
    bl_eval_at(&m->eval, state);
    return bl_system_eval(m->sys, &m->eval, BL_ENERGY) == BL_OK ? m->eval.kinetic + m->eval.potential - *state->work : NAN;
}

bool motion_measure(motion *m, const bl_state *state, motion_end *end) {
    for (bl_index i = 0; i < m->sys->nv; i++)
        end->q[i] = state->q[i] / m->sys->col[i].scale;
    end->energy_error = fabs(energy_of(m, state) - m->energy);
    return isfinite(end->energy_error);
}

static bool run(motion *m, const motion_method *method, double tolerance, double longest, motion_end *end) {
    bl_simulation *sim;
    bl_simulation_setup setup = {
        .formulation = method->formulation, .integrator = method->integrator, .t_end = m->until, .tolerance = tolerance};
    if (bl_simulation_create(m->sys, &m->start, &setup, &sim) != BL_OK)
        return false;
    bl_status status = BL_OK;
    double begin = motion_now();
    for (long step = 1; status == BL_OK && *sim->state.t < m->until; step++) {
        status = bl_simulation_advance(sim);
        if (step % 256 == 0 && motion_now() - begin > longest)
            status = BL_E_NUMERIC;
    }
    end->seconds = motion_now() - begin;
    end->steps = sim->integ->stats.steps;
    end->evaluations = sim->form->stats.evaluations;
    bool good = status == BL_OK && motion_measure(m, &sim->state, end);
    bl_simulation_destroy(sim);
    return good;
}

#define OURS(formulation, integrator) \
    { "biela", formulation " " integrator, formulation, integrator, 0, run }
static const motion_method ours[] = {OURS("partition", "series"), OURS("lagrange", "series"),  OURS("partition", "dopri45"),
                                     OURS("lagrange", "dopri45"), OURS("partition", "dop853"), OURS("lagrange", "dop853"),
                                     OURS("partition", "abm"),    OURS("lagrange", "abm"),     {0}};

static void open_scene(motion *m) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, m->scene);
    if (bl_context_create(NULL, &m->ctx) != BL_OK || bl_model_read(m->ctx, path, NULL, 0, &m->model) != BL_OK ||
        bl_run_prepare(m->ctx, m->model, "natural", &m->sys, &m->start) != BL_OK || bl_eval_create(m->sys, BL_ALL, &m->eval) != BL_OK ||
        m->sys->nv > MOTION_MOST) {
        fprintf(stderr, "bench_series: %s: %s\n", m->scene, m->ctx ? bl_context_error(m->ctx)->what : "no memory");
        exit(1);
    }
    m->energy = energy_of(m, &m->start);
}

static void close_scene(motion *m) {
    bl_eval_destroy(m->sys, &m->eval);
    bl_state_destroy(m->sys, &m->start);
    bl_system_destroy(m->sys);
    bl_model_destroy(m->model);
    bl_context_destroy(m->ctx);
}

static double distance(const motion *m, const motion_end *a, const motion_end *b) {
    double worst = 0;
    for (bl_index i = 0; i < m->sys->nv; i++)
        worst = fmax(worst, fabs(a->q[i] - b->q[i]));
    return worst;
}

/* the mean of two unrelated methods; returns their difference */
static double find_reference(motion *m, motion_end *reference) {
    static const motion_method runge_kutta = OURS("partition", "dop853"), series = OURS("partition", "series");
    motion_end other;
    if (!run(m, &runge_kutta, 1e-13, INFINITY, reference) || !run(m, &series, 1e-14, INFINITY, &other)) {
        fprintf(stderr, "bench_series: %s: no reference: %s\n", m->scene, bl_context_error(m->ctx)->what);
        exit(1);
    }
    double spread = distance(m, reference, &other);
    for (bl_index i = 0; i < m->sys->nv; i++)
        reference->q[i] = 0.5 * (reference->q[i] + other.q[i]);
    return spread;
}

typedef struct curve {
    const motion_method *method;
    curve_point point[TOLERANCES];
    motion_end end[TOLERANCES];
    int slow; /* runs that took too long: after SLOW of them tighter tolerances are not tried */
} curve;

static void measure(motion *m, int rounds, double longest) {
    static curve all[METHODS];
    static motion_end reference;
    int n = 0;
    const motion_method *const lists[] = {
#ifdef BENCH_SUNDIALS
        motion_sundials_methods,
#endif
        ours};
    open_scene(m);
    double spread = find_reference(m, &reference);
    for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++)
        for (const motion_method *method = lists[l]; method->code && n < METHODS; method++) {
            curve *c = &all[n++];
            memset(c, 0, sizeof *c);
            c->method = method;
            for (int i = 0; i < TOLERANCES; i++)
                c->point[i] = (curve_point){.tolerance = pow(10, -3 - 0.5 * i), .error = INFINITY, .seconds = INFINITY};
        }
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < TOLERANCES; i++)
            for (int k = 0; k < n; k++) {
                curve *c = &all[k];
                curve_point *at = &c->point[i];
                motion_end end = {0};
                if (round == 0 ? c->slow >= SLOW : !(at->seconds < INFINITY) || (round > 1 && at->seconds > 0.05 * longest))
                    continue;
                bool good = c->method->run(m, c->method, at->tolerance, longest, &end);
                c->slow += end.seconds > 0.5 * longest;
                if (!good)
                    continue;
                at->seconds = fmin(at->seconds, end.seconds);
                at->error = distance(m, &end, &reference);
                c->end[i] = end;
            }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < TOLERANCES; i++) {
            const curve_point *at = &all[k].point[i];
            if (at->seconds < INFINITY)
                printf("%s,%s,%s,%.1e,%.3e,%.4f,%ld,%ld,%.1e,%.1e\n", m->scene, all[k].method->code, all[k].method->name, at->tolerance,
                       at->error, 1e3 * at->seconds, all[k].end[i].steps, all[k].end[i].evaluations, all[k].end[i].energy_error, spread);
        }
    static const double targets[] = {1e-6, 1e-9, 1e-11};
    for (int k = 0; k < n; k++)
        curve_smooth(all[k].point, TOLERANCES);
    for (size_t e = 0; e < sizeof targets / sizeof targets[0]; e++)
        for (int k = 0; k < n; k++) {
            double tolerance = 0, seconds = curve_time_at(all[k].point, TOLERANCES, targets[e], &tolerance);
            if (seconds < INFINITY && spread < 0.5 * targets[e]) /* else the reference is not accurate enough */
                printf("%s,%s,%s,%.1e,%.0e,%.4f,best,,,%.1e\n", m->scene, all[k].method->code, all[k].method->name, tolerance, targets[e],
                       1e3 * seconds, spread);
        }
    fflush(stdout);
    close_scene(m);
}

int main(int argc, char **argv) {
    /* the double pendulum until neighboring motions diverge */
    motion all[] = {{.scene = "pendulum", .until = 10},
                    {.scene = "double_pendulum", .until = 5},
                    {.scene = "four_bar", .until = 5},
                    {.scene = "andrews", .until = 0.05},
                    {.scene = "bricard", .until = 10}};
    const char *word[WORDS];
    int nword = 0, rounds = 7;
    double longest = 1;
    if (!getenv("OPENBLAS_NUM_THREADS")) { /* read when the library is loaded: restart with one thread for all codes */
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        execv("/proc/self/exe", argv);
    }
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "-s") == 0 && nword < WORDS)
            word[nword++] = argv[i + 1];
        else if (strcmp(argv[i], "-r") == 0)
            rounds = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "-l") == 0)
            longest = atof(argv[i + 1]);
        else {
            fprintf(stderr, "bench_series: unknown option %s (-s scene, -r rounds, -l seconds)\n", argv[i]);
            return 2;
        }
    }
    printf("scene,code,method,tolerance,error,ms,steps,evaluations,energy_error_J,spread\n");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        bool wanted = nword == 0;
        for (int k = 0; k < nword; k++)
            wanted = wanted || strcmp(word[k], all[i].scene) == 0;
        if (wanted)
            measure(&all[i], rounds, longest);
    }
    return 0;
}
