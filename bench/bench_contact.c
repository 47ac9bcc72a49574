/* Mechanisms with contact by biela, compared with the references of contact_peers.hpp; rows beside those of other codes.
 *
 *     bench_contact run [workload...]     CSV as of the other programs: best settings and, as `default`, nothing but a tolerance
 *     bench_contact scan [workload...]    coordinates, formulations, methods and tolerances, for the settings below
 *     bench_contact once WORKLOAD COORDINATES FORMULATION METHOD TOLERANCE REPEAT      coordinates `default`: all by default
 *
 * Times are those of bl_simulate, from the model in memory to the end of the run. Errors as error_at in contact_peers.hpp. */
#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COLUMNS = 11, ROWS = 50, BODIES = 5, MOST_RUNS = 400 };

static const double woodpecker[][7] = {
#include "contact_woodpecker.inc"
};
static const double slider_crank[][7] = {
#include "contact_slider_crank.inc"
};
static const double slider_crank_friction[][7] = {
#include "contact_slider_crank_friction.inc"
};
static const double chain[][11] = {
#include "contact_chain.inc"
};

typedef enum measure { WOODPECKER, SLIDER_CRANK, CHAIN } measure;

typedef struct workload {
    const char *name, *model;
    bl_override set;
    double until;
    measure error;
    const double *reference; /* rows: time, coordinates, rates */
    int columns, rows;
    const char *body[BODIES]; /* in the order of the coordinates */
} workload;

static const workload workloads[] = {
    {"woodpecker", "contact_woodpecker", {0}, 0.5, WOODPECKER, woodpecker[0], 7, 50, {"sleeve", "bird"}},
    {"slider_crank", "contact_slider_crank", {0}, 0.00895, SLIDER_CRANK, slider_crank[0], 7, 9, {"crank", "rod"}},
    {"slider_crank_mu", "contact_slider_crank", {"mu", 0.01}, 0.00895, SLIDER_CRANK, slider_crank_friction[0], 7, 9, {"crank", "rod"}},
    {"chain_1.35", "contact_chain", {0}, 1.35, CHAIN, chain[0], 11, 27, {"rod1", "rod2", "rod3", "rod4", "rod5"}},
    {"chain", "contact_chain", {0}, 2, CHAIN, chain[0], 11, 40, {"rod1", "rod2", "rod3", "rod4", "rod5"}},
};
enum { WORKLOADS = sizeof workloads / sizeof *workloads };

static const double targets[] = {1e-2, 1e-3, 1e-4};

typedef struct settings {
    const char *coordinates, *formulation, *method; /* NULL: by default */
    double tolerance;
} settings;

/* found by `scan`; target 0: the smallest error */
static const struct {
    const char *workload;
    double target;
    settings used;
} best[] = {
    {"woodpecker", 1e-2, {"natural", "lagrange", "dop853", 1e-2}},       {"woodpecker", 1e-3, {"natural", "lagrange", "dopri45", 5.6e-4}},
    {"woodpecker", 1e-4, {"natural", "lagrange", "dopri45", 5.6e-5}},    {"woodpecker", 0, {"natural", "lagrange", "series", 1e-11}},
    {"slider_crank", 1e-2, {"natural", "lagrange", "bs23", 3e-2}},       {"slider_crank", 1e-3, {"natural", "lagrange", "bs23", 3e-2}},
    {"slider_crank", 1e-4, {"natural", "lagrange", "dopri45", 3e-2}},    {"slider_crank", 0, {"natural", "lagrange", "series", 1e-11}},
    {"slider_crank_mu", 1e-2, {"natural", "lagrange", "bs23", 3e-2}},    {"slider_crank_mu", 1e-3, {"natural", "lagrange", "bs23", 3e-2}},
    {"slider_crank_mu", 1e-4, {"natural", "lagrange", "dopri45", 3e-2}}, {"slider_crank_mu", 0, {"natural", "lagrange", "series", 1e-11}},
    {"chain_1.35", 1e-2, {"natural", "lagrange", "dopri45", 3.1e-3}},    {"chain_1.35", 1e-3, {"natural", "lagrange", "dop853", 1.7e-3}},
    {"chain_1.35", 1e-4, {"natural", "lagrange", "dop853", 1.7e-4}},     {"chain_1.35", 0, {"natural", "lagrange", "series", 1e-11}},
    {"chain", 1e-2, {"natural", "lagrange", "dopri45", 1.7e-3}},         {"chain", 1e-3, {"natural", "lagrange", "dop853", 1e-2}},
    {"chain", 1e-4, {"natural", "lagrange", "dop853", 5.6e-5}},          {"chain", 0, {"natural", "lagrange", "series", 1e-11}},
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- errors */

typedef struct reader {
    const workload *w;
    bl_index body[BODIES];
    int row;
    double error;
} reader;

static bl_status begin(void *user, const bl_run_info *info) {
    reader *r = user;
    for (int k = 0; k < BODIES && r->w->body[k]; k++)
        for (bl_index i = 0; i < info->nbody; i++)
            if (strcmp(info->body[i], r->w->body[k]) == 0)
                r->body[k] = i;
    return BL_OK;
}

static void count(reader *r, double error) { r->error = isfinite(error) ? fmax(r->error, fabs(error)) : INFINITY; }

static double angle(const bl_pose *p) { return 2 * atan2(p->quaternion[3], p->quaternion[0]); }

static bl_status sample(void *user, const bl_sample *s) {
    reader *r = user;
    const bl_pose *body[BODIES];
    const double *row = r->w->reference + r->row * r->w->columns, *expected = row + 1;
    double here[2] = {0}, there[2] = {0};
    if (r->row >= r->w->rows || !(fabs(s->t - row[0]) <= 1e-9 * r->w->until))
        return BL_OK;
    r->row++;
    for (int k = 0; k < BODIES; k++)
        body[k] = &s->body[r->body[k]];
    switch (r->w->error) {
    case WOODPECKER:
        count(r, (body[0]->position[1] - expected[0]) / 0.0194);
        count(r, remainder(angle(body[0]) - expected[1], 2 * acos(-1)));
        count(r, remainder(angle(body[1]) - expected[2], 2 * acos(-1)));
        break;
    case SLIDER_CRANK:
        count(r, remainder(angle(body[0]) - expected[0], 2 * acos(-1)));
        count(r, remainder(angle(body[1]) - expected[1], 2 * acos(-1)));
        count(r, (body[0]->angular_velocity[2] - expected[3]) / 150);
        break;
    case CHAIN:
        for (int k = 0; k < BODIES; k++) {
            double a = angle(body[k]);
            here[0] += cos(a), here[1] += sin(a);
            there[0] += cos(expected[k]), there[1] += sin(expected[k]);
            count(r, hypot(here[0] - there[0], here[1] - there[1]));
        }
    }
    return BL_OK;
}

/* ---- runs */

typedef struct outcome {
    double median, minimum, error;
    bl_run_summary summary;
} outcome;

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Error from one run with samples, times from at least `repeat` runs without. false: failed, or not within `longest` seconds. */
static bool try(bl_context *ctx, const bl_model *model, const workload *w, const settings *used, int repeat, double longest, outcome *out) {
    static const double AT_LEAST = 0.1; /* s: a processor takes some milliseconds to reach its full speed */
    double at[ROWS], times[MOST_RUNS];
    for (int k = 0; k < w->rows; k++)
        at[k] = w->reference[k * w->columns];
    reader r = {.w = w};
    bl_sink sink = {.user = &r, .begin = begin, .sample = sample, .want = BL_WANT_BODIES};
    bl_run_options options = {.coordinates = used->coordinates,
                              .formulation = used->formulation,
                              .integrator = used->method,
                              .tolerance = used->tolerance,
                              .until = w->until,
                              .at = at,
                              .nat = w->rows};
    double from = now();
    bl_status status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
    if (status != BL_OK || now() - from > longest)
        return false;
    out->error = r.row == w->rows ? r.error : INFINITY;
    options.at = &w->until;
    options.nat = 1;
    int runs = 0;
    double started = now();
    for (int k = -1; k < repeat || (repeat > 1 && k < MOST_RUNS && now() - started < AT_LEAST); k++) {
        from = now();
        if (bl_simulate(ctx, model, &options, NULL, 0, &out->summary) != BL_OK)
            return false;
        if (k >= 0)
            times[runs++] = now() - from;
    }
    qsort(times, (size_t)runs, sizeof *times, ascending);
    out->median = times[runs / 2];
    out->minimum = times[0];
    return true;
}

static void print(const workload *w, double target, const settings *used, const outcome *o) {
    bool chosen = !used->coordinates;
    const char *method = chosen ? o->summary.method : used->method, *quote = strchr(method, ',') ? "\"" : "";
    printf("%s,%g,%s,%s%s %s %s tolerance=%.4g%s,%.3f,%.3f,%.3g,%ld,%ld\n", w->name, target, chosen ? "default" : "biela", quote,
           chosen ? "by" : used->coordinates, chosen ? "default" : used->formulation, method, used->tolerance, quote, 1e3 * o->median,
           1e3 * o->minimum, o->error, o->summary.steps, o->summary.evaluations);
    fflush(stdout);
}

static void read_model(const workload *w, bl_context **ctx, bl_model **model) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", MODELS, w->model);
    if (bl_context_create(NULL, ctx) == BL_OK && bl_model_read(*ctx, path, &w->set, w->set.name ? 1 : 0, model) == BL_OK)
        return;
    fprintf(stderr, "bench_contact: %s: %s\n", path, *ctx ? bl_context_error(*ctx)->what : "no memory");
    exit(1);
}

/* ---- what the tolerance gives: 10^(-2 - k/4) */

enum { TRIES = 37, SURE = 3 };

static double tolerance_of(int k) { return pow(10, -2 - 0.25 * k); }

typedef struct curve {
    bool did[TRIES];
    outcome o[TRIES];
} curve;

static void follow(bl_context *ctx, const bl_model *model, const workload *w, const settings *of, double longest, curve *c) {
    for (int k = 0; k < TRIES; k++) {
        settings used = *of;
        used.tolerance = tolerance_of(k);
        c->did[k] = try(ctx, model, w, &used, 1, longest, &c->o[k]);
    }
}

/* the loosest tolerance that meets the target, as do the next tighter ones (SURE in all); target 0: that of the smallest error; -1: none */
static int found(const curve *c, double target) {
    int least = -1, met = 0;
    for (int k = 0; k < TRIES; k++) {
        if (!c->did[k]) {
            met = 0;
            continue;
        }
        least = least < 0 || c->o[k].error < c->o[least].error ? k : least;
        met = c->o[k].error <= target ? met + 1 : 0;
        if (met == SURE)
            return k - SURE + 1;
    }
    return target > 0 ? -1 : least;
}

static void by_default(bl_context *ctx, const bl_model *model, const workload *w) {
    static curve c;
    settings used = {0};
    follow(ctx, model, w, &used, INFINITY, &c);
    for (int t = 0; t <= 3; t++) {
        outcome o = {0};
        double target = t < 3 ? targets[t] : 0;
        int k = found(&c, target);
        if (k < 0)
            continue;
        used.tolerance = tolerance_of(k);
        if (try(ctx, model, w, &used, 15, INFINITY, &o))
            print(w, target, &used, &o);
    }
}

static void run(const workload *w) {
    bl_context *ctx = NULL;
    bl_model *model = NULL;
    read_model(w, &ctx, &model);
    for (size_t i = 0; i < sizeof best / sizeof *best; i++) {
        outcome o = {0};
        if (strcmp(best[i].workload, w->name) == 0 && try(ctx, model, w, &best[i].used, 15, INFINITY, &o))
            print(w, best[i].target, &best[i].used, &o);
    }
    by_default(ctx, model, w);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
}

static void scan(const workload *w) {
    static const char *const coordinates[] = {"natural", "mixed", "reference:angles", "relative"},
                             *const formulations[] = {"lagrange", "partition", "projection"},
                             *const methods[] = {"dopri45", "dop853", "abm", "bs23", "series"};
    static curve c;
    bl_context *ctx = NULL;
    bl_model *model = NULL;
    read_model(w, &ctx, &model);
    for (int t = 0; t <= 3; t++)
        fprintf(stderr, "%s to %g\n", w->name, t < 3 ? targets[t] : 0.0);
    for (int i = 0; i < 4; i++)
        for (int f = 0; f < 3; f++)
            for (int m = 0; m < 5; m++) {
                settings used = {coordinates[i], formulations[f], methods[m], 0};
                follow(ctx, model, w, &used, 1, &c);
                for (int t = 0; t <= 3; t++) {
                    outcome o = {0};
                    double target = t < 3 ? targets[t] : 0;
                    int k = found(&c, target);
                    used.tolerance = k < 0 ? 0 : tolerance_of(k);
                    if (k >= 0 && try(ctx, model, w, &used, 5, INFINITY, &o))
                        print(w, target, &used, &o);
                }
            }
    bl_model_destroy(model);
    bl_context_destroy(ctx);
}

static int once(char **argv) {
    bool chosen = strcmp(argv[1], "default") == 0;
    settings used = {chosen ? NULL : argv[1], chosen ? NULL : argv[2], chosen ? NULL : argv[3], strtod(argv[4], NULL)};
    for (int i = 0; i < WORKLOADS; i++) {
        bl_context *ctx = NULL;
        bl_model *model = NULL;
        outcome o = {0};
        if (strcmp(workloads[i].name, argv[0]) != 0)
            continue;
        read_model(&workloads[i], &ctx, &model);
        bool good = try(ctx, model, &workloads[i], &used, atoi(argv[5]), INFINITY, &o);
        if (good)
            print(&workloads[i], 0, &used, &o);
        else
            fprintf(stderr, "bench_contact: %s: %s\n", argv[0], bl_context_error(ctx)->what);
        bl_model_destroy(model);
        bl_context_destroy(ctx);
        return good ? 0 : 1;
    }
    return 2;
}

int main(int argc, char **argv) {
    if (argc == 8 && strcmp(argv[1], "once") == 0)
        return once(argv + 2);
    if (argc < 2 || (strcmp(argv[1], "run") != 0 && strcmp(argv[1], "scan") != 0)) {
        fprintf(stderr, "usage: bench_contact run|scan [workload...], or once WORKLOAD COORDINATES FORMULATION METHOD TOLERANCE REPEAT\n");
        return 2;
    }
    for (int i = 0; i < WORKLOADS; i++) {
        bool wanted = argc == 2;
        for (int k = 2; k < argc; k++)
            wanted = wanted || strcmp(argv[k], workloads[i].name) == 0;
        if (wanted)
            (argv[1][0] == 's' ? scan : run)(&workloads[i]);
    }
    return 0;
}
