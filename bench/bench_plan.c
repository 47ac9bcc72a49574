/* Default settings compared with fixed combinations on random mechanisms (`bench_plan random COUNT SEED [MOST_BODIES]`, or
 * `bench_plan seed SEED MOST_BODIES` for the text of one). CPU time of bl_simulate without samples, the minimum of several runs; CSV on
 * standard output. scripts/bench plan prints the ratios. */
#include "biela/biela.h"
#include "random_model.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

typedef struct settings {
    const char *coordinates, *formulation, *integrator;
} settings;

static const settings combinations[] = {
    {NULL, NULL, NULL}, /* the default */
    {"natural", "partition", "series"},
    {"natural", "lagrange", "series"},
    {"natural", "partition", "dopri45"},
    {"natural", "lagrange", "dopri45"},
    {"natural", "lagrange", "dop853"},
    {"mixed", "partition", "series"},
    {"relative", NULL, "dopri45"}, /* direct if there are no loops */
    {"relative", NULL, "dop853"},
    {"relative", NULL, "abm"},
    {"reference", "lagrange", "dopri45"},
    {"relative", NULL, "series"},
};
enum { COMBINATIONS = sizeof combinations / sizeof combinations[0], ROOM = 400000, ROUNDS = 4 };
enum { REPEATS = 2 };             /* successive runs: in the first one the caches contain data of another combination */
static const double SHORT = 0.02; /* s: shorter runs are repeated */

/* a run that takes far longer than the best one is stopped */
static bl_context *running;
static void stop_run(int signal) {
    (void)signal;
    bl_context_stop(running);
}
static void set_time_limit(double seconds) {
    struct itimerval timer = {.it_value = {.tv_sec = (time_t)seconds, .tv_usec = (suseconds_t)(1e6 * fmod(seconds, 1))}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct chosen {
    char coordinates[64], formulation[64], integrator[64];
    long dof;
} chosen;

static bl_status begin(void *user, const bl_run_info *info) {
    chosen *c = user;
    snprintf(c->coordinates, sizeof c->coordinates, "%s", info->coordinates);
    snprintf(c->formulation, sizeof c->formulation, "%s", info->formulation ? info->formulation : "");
    snprintf(c->integrator, sizeof c->integrator, "%s", info->integrator ? info->integrator : "");
    c->dof = info->dof;
    return BL_OK;
}

/* positions of all bodies at the end */
typedef struct end {
    bl_index nbody;
    double *x;
} end;

static bl_status keep_names(void *user, const bl_run_info *info) {
    end *e = user;
    e->nbody = info->nbody;
    return BL_OK;
}

static bl_status keep_end(void *user, const bl_sample *s) {
    end *e = user;
    for (bl_index i = 0; i < e->nbody && s->t > 0; i++)
        for (int k = 0; k < 3; k++)
            e->x[3 * i + k] = s->body[i].position[k];
    return BL_OK;
}

static bl_run_options options_of(const settings *used, double tolerance, const double *until) {
    return (bl_run_options){.coordinates = used->coordinates,
                            .formulation = used->formulation,
                            .integrator = used->integrator,
                            .tolerance = tolerance,
                            .until = *until,
                            .at = until,
                            .nat = 1};
}

static bool end_positions(bl_context *ctx, const bl_model *model, const settings *used, double tolerance, double until, double *x) {
    end e = {.x = x};
    bl_sink sink = {.user = &e, .begin = keep_names, .sample = keep_end};
    bl_run_options options = options_of(used, tolerance, &until);
    return bl_simulate(ctx, model, &options, &sink, 1, NULL) == BL_OK;
}

static double distance(int n, const double *a, const double *b) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

typedef struct run {
    bl_status status;
    chosen chosen;
    bl_run_summary summary;
    double least, all; /* s */
} run;

static void first_run(bl_context *ctx, const bl_model *model, const settings *used, double tolerance, double until, double best, run *r) {
    bl_run_options options = options_of(used, tolerance, &until);
    bl_sink sink = {.user = &r->chosen, .begin = begin};
    r->chosen.dof = -1;
    double from = now();
    set_time_limit(isfinite(best) ? 20 * best + 0.2 : 60);
    r->status = bl_simulate(ctx, model, &options, &sink, 1, &r->summary);
    set_time_limit(0);
    bl_context_resume(ctx);
    r->all = r->least = now() - from;
}

static void repeat_run(bl_context *ctx, const bl_model *model, const settings *used, double tolerance, double until, run *r) {
    bl_run_options options = options_of(used, tolerance, &until);
    for (int k = 0; k < REPEATS && r->status == BL_OK; k++) {
        double from = now();
        r->status = bl_simulate(ctx, model, &options, NULL, 0, &r->summary);
        r->least = fmin(r->least, now() - from);
        r->all += now() - from;
    }
}

static void measure(const random_model *m, const char *text, size_t length, double until, double tolerance) {
    bl_context *ctx = NULL;
    bl_model *model = NULL;
    double *x = calloc(6 * (size_t)m->nbody + 6, sizeof *x), *y = x ? x + 3 * m->nbody + 3 : NULL;
    if (!x || bl_context_create(NULL, &ctx) != BL_OK || bl_model_read_text(ctx, "random", text, length, NULL, 0, &model) != BL_OK) {
        fprintf(stderr, "bench_plan: seed %llu: %s\n", (unsigned long long)m->seed, ctx ? bl_context_error(ctx)->what : "no memory");
        bl_context_destroy(ctx);
        free(x);
        return;
    }
    running = ctx;
    bool known = end_positions(ctx, model, &combinations[0], 1e-3 * tolerance, until, y);
    double best = INFINITY;
    run runs[COMBINATIONS] = {0};
    for (int w = 0; w < COMBINATIONS; w++) {
        first_run(ctx, model, &combinations[w], tolerance, until, best, &runs[w]);
        if (runs[w].status == BL_OK)
            best = fmin(best, runs[w].least);
    }
    for (int k = 1; k < ROUNDS; k++) /* alternating, so that other activity on the machine affects all of them */
        for (int w = 0; w < COMBINATIONS; w++)
            if (runs[w].status == BL_OK && runs[w].all < SHORT * ROUNDS && runs[w].least < 4 * best + SHORT) {
                repeat_run(ctx, model, &combinations[w], tolerance, until, &runs[w]);
                best = fmin(best, runs[w].least);
            }
    for (int w = 0; w < COMBINATIONS; w++) {
        const run *r = &runs[w];
        double error = known && r->status == BL_OK && end_positions(ctx, model, &combinations[w], tolerance, until, x)
                           ? distance(3 * m->nbody, x, y)
                           : NAN;
        printf("%llu,%s,%d,%d,%d,%d,%ld,%g,%s,%s,%s,%s,%s,%.4f,%ld,%ld,%.3g,%.3g\n", (unsigned long long)m->seed, shape_name[m->shape],
               m->dim, m->nbody, m->nclosing, m->nspring, r->chosen.dof, tolerance, w ? "fixed" : "default", r->chosen.coordinates,
               r->chosen.formulation, r->chosen.integrator, r->status == BL_OK ? "done" : bl_status_text(r->status), 1e3 * r->least,
               r->summary.steps, r->summary.evaluations, error, r->summary.largest_energy_error);
        fflush(stdout);
    }
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    free(x);
}

int main(int argc, char **argv) {
    static char text[ROOM];
    random_model m;
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    int most = argc > 4 ? (int)strtol(argv[4], NULL, 10) : 200;
    double tolerance = argc > 5 ? strtod(argv[5], NULL) : 1e-6;
    if (argc > 2 && strcmp(argv[1], "seed") == 0) {
        size_t length = random_model_write(strtoull(argv[2], NULL, 10), argc > 3 ? (int)strtol(argv[3], NULL, 10) : 200, &m, text, ROOM);
        return fwrite(text, 1, length, stdout) == length ? 0 : 1;
    }
    if (argc < 3 || strcmp(argv[1], "random") != 0) {
        fprintf(stderr, "usage: bench_plan random COUNT [SEED [MOST_BODIES [TOLERANCE]]] | seed SEED [MOST_BODIES]\n");
        return 2;
    }
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = stop_run, .sa_flags = SA_RESTART}, NULL);
    printf("seed,shape,dim,bodies,closings,springs,dof,tolerance,choice,coordinates,formulation,integrator,status,ms,steps,evaluations,"
           "error_m,energy_error_J\n");
    for (long k = 0; k < strtol(argv[2], NULL, 10); k++) {
        size_t length = random_model_write(seed + (uint64_t)k, most, &m, text, ROOM);
        if (length)
            measure(&m, text, length, 1, tolerance);
    }
    return 0;
}
