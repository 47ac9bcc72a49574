/* `integrator: auto` compared with every single method on stiff and smooth models: work and error for a series of tolerances, as CSV.
 *
 *     bench_auto [-p PROBLEM] [-m METHOD,METHOD...] [-r ROUNDS] [-l SECONDS]
 *
 *     bench_auto -n                    names of the problems
 *
 * Error: largest over 64 times and over the variables, |x - reference| / max(|reference|, scale), as the tolerance is defined. Time:
 * bl_simulate with one sample, the minimum of the rounds. `scripts/bench BUILD auto` counts instructions instead: every row is two calls of
 * bl_simulate (one if the method fails), after two for each problem, so that the counts can be assigned to rows. */
#include "biela/biela.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

enum { TIMES = 64, VARIABLES = 64, FIRST = 7, LAST = 18, METHODS = 10 }; /* 10^(-k/2) */

static const double SLOWER = 10; /* times the time of auto: slower methods are stopped */

typedef struct problem {
    const char *name, *file; /* file: in SCENES or MODELS */
    double until;            /* 0: the model's */
    double scale;            /* of the second variable; 0: 1 */
    const char *reference;   /* method */
    double exact;            /* its tolerance */
    bool smooth;
} problem;

static const problem problems[] = {{"hires", "hires", 0, 0, "radau:13", 1e-13, false},
                                   {"robertson", "robertson", 0, 1e-5, "radau:13", 1e-13, false},
                                   {"beam", "beam_ode", 1, 0, "radau:13", 1e-13, false},
                                   {"beads", "beads", 0, 0, "radau:13", 1e-12, false},
                                   {"governor", "flyball_governor", 2, 0, "series", 1e-12, false},
                                   {"bushing", "bushing", 0, 0, "series", 1e-12, false},
                                   {"ladder", "ladder", 0, 0, "radau:13", 1e-13, false},
                                   {"rectifier", "rectifier", 0, 0, "radau:13", 1e-12, false},
                                   {"inverters", "inverters", 0, 0, "radau:13", 1e-12, false},
                                   {"van_der_pol", "van_der_pol", 0, 0, "radau:13", 1e-13, false},
                                   {"van_der_pol_2", "van_der_pol_second", 0, 0, "radau:13", 1e-13, false},
                                   {"oregonator", "oregonator", 0, 0, "radau:13", 1e-13, false},
                                   {"nagumo", "nagumo", 0, 0, "radau:13", 1e-13, false},
                                   {"brusselator", "brusselator", 0, 0, "radau:13", 1e-13, false},
                                   {"pleiades", "pleiades", 0, 0, "dop853", 1e-13, true},
                                   {"double_pendulum", "double_pendulum", 2, 0, "series", 1e-13, true},
                                   {"four_bar", "four_bar", 0, 0, "series", 1e-13, true},
                                   {"bricard", "bricard", 2, 0, "series", 1e-13, true},
                                   {"andrews", "andrews", 0, 0, "series", 1e-13, true},
                                   {"slewing_linkage", "slewing_linkage", 0, 0, "dop853", 1e-13, true},
                                   {"rotating_spring", "rotating_spring", 0, 0, "dop853", 1e-13, true}};
enum { PROBLEMS = sizeof problems / sizeof *problems };
static const char *const methods[METHODS] = {"auto",  "dopri45",  "dop853",   "abm",        "series",
                                             "radau", "ndf_auto", "bdf_auto", "mebdf_auto", "stiff_auto"};

typedef struct motion {
    double x[TIMES][VARIABLES];
    int samples, n;
} motion;

static bl_context *running; /* stopped by a signal */

static void stop(int signal) {
    (void)signal;
    bl_context_stop(running);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bl_status motion_begin(void *user, const bl_run_info *info) {
    motion *m = user;
    m->n = info->nvariable < VARIABLES ? (int)info->nvariable : VARIABLES;
    m->samples = 0;
    return BL_OK;
}

static bl_status motion_sample(void *user, const bl_sample *sample) {
    motion *m = user;
    if (m->samples < TIMES)
        memcpy(m->x[m->samples++], sample->variable, (size_t)m->n * sizeof(double));
    return BL_OK;
}

static bl_model *read_model(bl_context *ctx, const problem *p) {
    char file[512];
    bl_model *model;
    snprintf(file, sizeof file, "%s/%s.yaml", MODELS, p->file);
    FILE *file_in_models = fopen(file, "r");
    if (file_in_models)
        fclose(file_in_models);
    else
        snprintf(file, sizeof file, "%s/%s.yaml", SCENES, p->file);
    if (bl_model_read(ctx, file, NULL, 0, &model) != BL_OK) {
        fprintf(stderr, "bench_auto: %s: %s\n", file, bl_context_error(ctx)->what);
        exit(1);
    }
    return model;
}

static double until_of(bl_context *ctx, const bl_model *model, const problem *p) {
    bl_run_summary summary = {0};
    if (p->until > 0)
        return p->until;
    double at = 0;
    motion *m = calloc(1, sizeof *m);
    bl_run_options o = {.at = &at, .nat = 1, .tolerance = 1e-3};
    bl_sink sink = {.user = m, .begin = motion_begin, .sample = motion_sample};
    bl_status status = bl_simulate(ctx, model, &o, &sink, 1, &summary);
    free(m);
    return status == BL_OK ? summary.t : NAN;
}

/* seconds; NaN: refused, failed, or longer than `longest` (0: no limit) */
static double run(bl_context *ctx, const bl_model *model, const char *method, double until, double tolerance, int samples, double longest,
                  motion *m, bl_run_summary *summary) {
    double at[TIMES];
    for (int i = 0; i < samples; i++)
        at[i] = until * (i + 1) / samples;
    bl_run_options o = {.integrator = method, .tolerance = tolerance, .until = until, .at = at, .nat = samples};
    bl_sink sink = {.user = m, .begin = motion_begin, .sample = motion_sample};
    struct itimerval limit = {.it_value = {(time_t)longest, (suseconds_t)(1e6 * fmod(longest, 1))}};
    running = ctx;
    signal(SIGVTALRM, stop);
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
    double begin = now();
    bl_status status = bl_simulate(ctx, model, &o, &sink, 1, summary);
    double seconds = now() - begin;
    limit = (struct itimerval){0};
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
    bl_context_resume(ctx);
    return status == BL_OK && m->samples == samples ? seconds : NAN;
}

static double error_of(const problem *p, const motion *a, const motion *b) {
    double worst = 0;
    for (int k = 0; k < TIMES; k++)
        for (int i = 0; i < a->n; i++) {
            double scale = i == 1 && p->scale > 0 ? p->scale : 1;
            worst = fmax(worst, fabs(a->x[k][i] - b->x[k][i]) / fmax(fabs(b->x[k][i]), scale));
        }
    return worst;
}

/* rows of auto and the methods named in `only` (NULL: all) for decreasing tolerances, until a run fails or takes too long */
static void measure(const problem *p, const char *only, int rounds, double longest) {
    bl_context *ctx;
    static motion exact, m;
    bl_run_summary summary = {0};
    if (bl_context_create(NULL, &ctx) != BL_OK)
        exit(1);
    bl_model *model = read_model(ctx, p);
    double until = until_of(ctx, model, p);
    if (isnan(run(ctx, model, p->reference, until, p->exact, TIMES, 0, &exact, &summary))) {
        fprintf(stderr, "bench_auto: %s: reference: %s\n", p->name, bl_context_error(ctx)->what);
        exit(1);
    }
    double auto_seconds[LAST + 1] = {0}; /* time of auto at each tolerance */
    for (int i = 0; i < METHODS; i++)
        for (int k = FIRST; k <= LAST; k++) {
            if (i > 0 && only && !strstr(only, methods[i]))
                break;
            double tolerance = pow(10, -0.5 * k), least = INFINITY,
                   limit = i == 0 ? longest : fmin(longest, 0.02 + SLOWER * auto_seconds[k]);
            double seconds = run(ctx, model, methods[i], until, tolerance, TIMES, limit, &m, &summary);
            if (i == 0)
                auto_seconds[k] = isnan(seconds) ? longest : seconds;
            if (isnan(seconds)) {
                printf("%s,%d,%s,%.1e,,,,,\n", p->name, p->smooth, methods[i], tolerance);
                break;
            }
            double error = error_of(p, &m, &exact);
            for (int r = 0; r < rounds && (r == 0 || r * least < 0.3); r++)
                least = fmin(least, run(ctx, model, methods[i], until, tolerance, 1, 0, &m, &summary));
            printf("%s,%d,%s,%.1e,%.2e,%.4f,%ld,%ld,%s\n", p->name, p->smooth, methods[i], tolerance, error, 1e3 * least, summary.steps,
                   summary.evaluations, summary.method);
            fflush(stdout);
        }
    bl_model_destroy(model);
    bl_context_destroy(ctx);
}

int main(int argc, char **argv) {
    const char *only = NULL, *wanted = NULL;
    int rounds = 15;
    double longest = 2;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "-p") == 0)
            only = argv[i + 1];
        else if (strcmp(argv[i], "-m") == 0)
            wanted = argv[i + 1];
        else if (strcmp(argv[i], "-r") == 0)
            rounds = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "-l") == 0)
            longest = atof(argv[i + 1]);
    }
    if (argc == 2 && strcmp(argv[1], "-n") == 0) {
        for (int i = 0; i < PROBLEMS; i++)
            printf("%s\n", problems[i].name);
        return 0;
    }
    printf("problem,smooth,method,tolerance,error,ms,steps,evaluations,acted\n");
    for (int i = 0; i < PROBLEMS; i++)
        if (!only || strcmp(problems[i].name, only) == 0)
            measure(&problems[i], wanted, rounds, longest);
    return 0;
}
