/* Measures biela. `bench stages [scene...]`: nanoseconds per evaluation of the accelerations, split into stages, and per step of a run.
 * `bench peers`: workloads at error targets, with the combination that `bench scan` found cheapest, error beside time.
 * CPU time; the first run warms up; medians and minima. CSV on standard output. */
#include "coords/coords.h"
#include "formulation/formulation.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void give_up(bl_context *ctx, const char *what, bl_status status) {
    fprintf(stderr, "bench: %s: %s: %s\n", what, bl_status_text(status), bl_context_error(ctx)->what);
    exit(1);
}

/* the process clock is a system call of half a microsecond; stages need a cheaper one */
static double tick(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* time that one reading of that clock adds to the interval it ends, s */
static double tick_cost(void) {
    double least = INFINITY;
    for (int round = 0; round < 20; round++) {
        double begin = tick(), end = begin;
        for (int k = 0; k < 1000; k++)
            end = tick();
        least = fmin(least, (end - begin) / 1000);
    }
    return least;
}

/* ---- stages: the slots of the system and of the linear solver are wrapped by functions that read the clock */

typedef enum stage { CONSTRAINTS, GAMMA, FORCES, OTHER, FACTOR, SOLVE, STAGES } stage;

static struct {
    double seconds[STAGES];
    double read_cost; /* of the clock, s */
    const bl_system_kind *system;
    const bl_linsol_kind *linsol;
} timing;

static void add_time(stage s, double begin) { timing.seconds[s] += tick() - begin - timing.read_cost; }

static bl_status timed_eval(const bl_system *sys, bl_eval *eval, uint32_t want) {
    const uint32_t part[] = {[CONSTRAINTS] = BL_PHI | BL_G, [GAMMA] = BL_B | BL_C, [FORCES] = BL_Q};
    bl_status status = BL_OK;
    for (stage s = CONSTRAINTS; s <= OTHER && status == BL_OK; s++) {
        uint32_t some = s == OTHER ? want : want & part[s];
        want &= ~some;
        if (!some)
            continue;
        double begin = tick();
        status = timing.system->eval(sys, eval, some);
        add_time(s, begin);
    }
    return status;
}

static bl_status timed_factor(bl_linsol *solver, const double *values) {
    double begin = tick();
    bl_status status = timing.linsol->factor(solver, values);
    add_time(FACTOR, begin);
    return status;
}

static bl_status timed_refactor(bl_linsol *solver, const double *values) {
    double begin = tick();
    bl_status status = timing.linsol->refactor(solver, values);
    add_time(FACTOR, begin);
    return status;
}

static bl_status timed_solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    double begin = tick();
    bl_status status = timing.linsol->solve(solver, transposed, nrhs, x);
    add_time(SOLVE, begin);
    return status;
}

enum { ROUNDS = 15, FEWEST = 40 };

typedef struct evaluation {
    double median, minimum; /* ns of one evaluation, without reading the clock inside */
    double split[STAGES];   /* ns, median, without the cost of reading the clock */
    bl_index nv, np;
    char linsol[32];
} evaluation;

static bl_status measure_rate(bl_context *ctx, bl_system *sys, const bl_state *state, const char *formulation, evaluation *out) {
    bl_formulation *form = NULL;
    double *y = NULL;
    bl_status status = bl_formulation_create(sys, formulation, NULL, NULL, &form);
    if (status == BL_OK)
        status = form->kind->setup(form, state);
    if (status == BL_OK)
        status = BL_NEW(ctx, y, 2 * form->ny);
    if (status == BL_OK)
        status = form->kind->to_y(form, state, y);
    bl_system_kind system_kind = *sys->kind;
    bl_linsol_kind linsol_kind = {0};
    if (status == BL_OK && form->linsol)
        linsol_kind = *form->linsol->kind;
    timing.read_cost = tick_cost();
    timing.system = sys->kind;
    timing.linsol = form && form->linsol ? form->linsol->kind : NULL;
    system_kind.eval = timed_eval;
    linsol_kind.factor = timed_factor;
    linsol_kind.refactor = timed_refactor;
    linsol_kind.solve = timed_solve;
    double t = *state->t, total[ROUNDS], split[STAGES][ROUNDS];
    int count = FEWEST;
    for (int round = -1; round < ROUNDS && status == BL_OK; round++) { /* round -1 warms up and finds how many evaluations take 2 ms */
        double begin = now();
        for (int k = 0; k < count && status == BL_OK; k++) {
            double moved = t + 1e-9 * (k % 2); /* another time in each evaluation, so that no result can be reused */
            status = form->kind->rate(form, moved, y, y + form->ny);
        }
        double used = now() - begin;
        if (round < 0)
            count = used > 0 ? (int)fmin(1e5, FEWEST * (1 + 2e-3 / used)) : FEWEST;
        else
            total[round] = used / count;
    }
    sys->kind = &system_kind;
    if (timing.linsol)
        form->linsol->kind = &linsol_kind;
    for (int round = 0; round < ROUNDS && status == BL_OK; round++) {
        memset(timing.seconds, 0, sizeof timing.seconds);
        for (int k = 0; k < count && status == BL_OK; k++)
            status = form->kind->rate(form, t + 1e-9 * (k % 2), y, y + form->ny);
        for (int s = 0; s < STAGES; s++)
            split[s][round] = fmax(0, timing.seconds[s]) / count;
    }
    sys->kind = timing.system;
    if (timing.linsol)
        form->linsol->kind = timing.linsol;
    if (status == BL_OK) {
        qsort(total, ROUNDS, sizeof *total, compare);
        out->median = 1e9 * total[ROUNDS / 2];
        out->minimum = 1e9 * total[0];
        for (int s = 0; s < STAGES; s++) {
            qsort(split[s], ROUNDS, sizeof *split[s], compare);
            out->split[s] = 1e9 * split[s][ROUNDS / 2];
        }
        out->nv = sys->nv;
        out->np = sys->np;
        const bl_linsol *solver = form->linsol;
        snprintf(out->linsol, sizeof out->linsol, "%s", !solver ? "none" : solver->uses ? solver->uses : solver->kind->kind.name);
    }
    bl_free(ctx, y);
    bl_formulation_destroy(form);
    return status;
}

static bl_status first_state(bl_system *sys, const bl_model *model, bl_state *state) {
    BL_TRY(bl_state_create(sys, 0, state));
    BL_TRY(bl_coords_initial(sys, state));
    BL_TRY(bl_assemble_positions(sys, model, state));
    return bl_assemble_velocities(sys, model, state);
}

static void stages_of(const char *scene, const bl_override *set, bl_index nset, double until) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    static const char *const formulations[] = {"lagrange", "partition"};
    for (int f = 0; f < 2; f++) {
        bl_context *ctx = NULL;
        bl_model *model = NULL;
        bl_system *sys = NULL;
        bl_state state = {0};
        evaluation e = {0};
        bl_run_summary summary = {0};
        double runs[5];
        bl_status status = bl_context_create(NULL, &ctx);
        if (status == BL_OK)
            status = bl_model_read(ctx, path, set, nset, &model);
        if (status == BL_OK)
            status = bl_coords_build(ctx, model, NULL, &sys);
        if (status == BL_OK)
            status = first_state(sys, model, &state);
        if (status == BL_OK)
            status = measure_rate(ctx, sys, &state, formulations[f], &e);
        for (int k = 0; k < 5 && status == BL_OK; k++) {
            bl_run_options options = {.formulation = formulations[f], .tolerance = 1e-6, .until = until, .at = &until, .nat = 1};
            double begin = now();
            status = bl_simulate(ctx, model, &options, NULL, 0, &summary);
            runs[k] = now() - begin;
        }
        if (status == BL_OK) {
            qsort(runs, 5, sizeof *runs, compare);
            double inside = 0;
            for (int s = 0; s < STAGES; s++)
                inside += e.split[s];
            printf("%s,%s,%s,%d,%d,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%ld,%ld,%.0f,%.3f,%.3f,%.2g\n", scene, formulations[f],
                   e.linsol, (int)e.nv, (int)e.np, e.median, e.minimum, e.split[CONSTRAINTS], e.split[GAMMA], e.split[FORCES],
                   e.split[OTHER], e.split[FACTOR], e.split[SOLVE], fmax(0, e.median - inside), summary.steps, summary.evaluations,
                   1e9 * runs[2] / (double)(summary.steps ? summary.steps : 1), 1e3 * runs[2], 1e3 * runs[0], summary.largest_energy_error);
            fflush(stdout);
        } else {
            fprintf(stderr, "bench: %s, %s: %s: %s\n", scene, formulations[f], bl_status_text(status),
                    ctx ? bl_context_error(ctx)->what : "");
        }
        if (sys)
            bl_state_destroy(sys, &state);
        bl_system_destroy(sys);
        bl_model_destroy(model);
        bl_context_destroy(ctx);
    }
}

static void stages(int argc, char **argv) {
    static const struct {
        const char *scene;
        bl_override set;
        double until;
    } all[] = {{"pendulum", {0}, 10},
               {"four_bar", {0}, 5},
               {"slider_crank", {0}, 5},
               {"bricard", {0}, 10},
               {"five_bar_pendulum", {0}, 5},
               {"tether", {0}, 3},
               {"n_four_bar", {"N", 10}, 1},
               {"n_four_bar", {"N", 40}, 1},
               {"andrews", {0}, 0.05},
               {"flyball_governor", {0}, 0.5},
               {"spatial_slider_crank", {0}, 5},
               {"heavy_top", {0}, 1},
               {"w3_chain", {"n", 5}, 5},
               {"w3_chain", {"n", 50}, 1}};
    printf("scene,formulation,linsol,nv,np,evaluation_ns,evaluation_min_ns,phi_G_ns,gamma_ns,forces_ns,other_ns,factor_ns,solve_ns,rest_ns,"
           "steps,evaluations,step_ns,run_ms,run_min_ms,energy_error_J\n");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        bool selected = argc == 0;
        for (int k = 0; k < argc; k++)
            selected = selected || strcmp(argv[k], all[i].scene) == 0;
        if (selected)
            stages_of(all[i].scene, &all[i].set, all[i].set.name ? 1 : 0, all[i].until);
    }
}

/* ---- peers: the cheapest settings that meet a target; scan: the search that found them */

typedef struct settings {
    const char *coordinates, *formulation, *integrator;
    double tolerance, step;
} settings;

typedef enum measure { ENERGY, BRANCH, PROBE, VARIABLE } measure;

typedef struct workload {
    const char *name, *scene, *column; /* column: probe or variable */
    bl_override set;
    double until, target, aim_ms; /* aim: longest time that a run should take */
    measure error;
    int nsample; /* samples of the published reference, every `every` seconds: the reference on the grid must agree with them */
    double every;
    const double (*expected)[3];
    settings best;      /* found by `bench scan` */
    settings reference; /* computes the motion on a grid of GRID seconds, or of a 25th of the published interval if that is shorter */
} workload;

enum { MOST_SAMPLES = 1001 };
static const double GRID = 0.01;        /* s */
static const double BRANCH_LEFT = 1e-2; /* m */

typedef struct reader {
    const workload *w;
    bl_index ref;
    double error;
    int next;
    double t, psi, rate; /* BRANCH: the exact motion at the last sample */
    int ngrid;
    double (*grid)[3]; /* [ngrid] PROBE, VARIABLE: reference values, or computed ones if `fills` */
    bool fills;
} reader;

static bl_status peers_begin(void *user, const bl_run_info *info) {
    reader *r = user;
    measure m = r->w->error;
    for (bl_index i = 0; (m == PROBE || m == BRANCH) && i < info->nprobe; i++)
        if (strcmp(info->probe[i], r->w->column) == 0)
            r->ref = i;
    for (bl_index i = 0; m == VARIABLE && i < info->nvariable; i++)
        if (strcmp(info->variable[i], r->w->column) == 0)
            r->ref = i;
    return BL_OK;
}

/* The parallelogram motion of N four-bars that start upright with 1 m/s: ((N+1)/3 + N) psi'' = g ((N+1)/2 + N) sin psi, by the classical
 * Runge-Kutta method with steps so short that only rounding errors remain. */
static void exact_branch(reader *r, double t) {
    double N = r->w->set.value, k = 9.81 * ((N + 1) / 2 + N) / ((N + 1) / 3 + N);
    int steps = (int)ceil((t - r->t) / 5e-4);
    double h = steps ? (t - r->t) / steps : 0;
    for (int i = 0; i < steps; i++) {
        double p = r->psi, w = r->rate;
        double a1 = k * sin(p), w2 = w + h / 2 * a1, a2 = k * sin(p + h / 2 * w), w3 = w + h / 2 * a2, a3 = k * sin(p + h / 2 * w2);
        double w4 = w + h * a3, a4 = k * sin(p + h * w3);
        r->psi = p + h / 6 * (w + 2 * w2 + 2 * w3 + w4);
        r->rate = w + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    r->t = t;
}

static bl_status peers_sample(void *user, const bl_sample *s) {
    reader *r = user;
    const workload *w = r->w;
    if (w->error == ENERGY || w->error == BRANCH) {
        r->error = fmax(r->error, fabs(s->energy_error));
        if (w->error == ENERGY)
            return BL_OK;
        exact_branch(r, s->t);
        if (!(hypot(s->probe[3 * r->ref] - sin(r->psi), s->probe[3 * r->ref + 1] - cos(r->psi)) <= BRANCH_LEFT))
            r->error = INFINITY;
    } else if (r->next < r->ngrid) {
        double sum = 0;
        for (int k = 0; k < (w->error == PROBE ? 3 : 1); k++) {
            double got = w->error == PROBE ? s->probe[3 * r->ref + k] : s->variable[r->ref], *expected = &r->grid[r->next][k];
            if (r->fills)
                *expected = got;
            sum += (got - *expected) * (got - *expected);
        }
        r->error = fmax(r->error, sqrt(sum));
        r->next++;
    }
    return BL_OK;
}

typedef struct outcome {
    double median, minimum, error;
    bl_run_summary summary;
} outcome;

/* times of the grid: the complete run, or until the end of the published reference */
static int grid_times(const workload *w, double *sample) {
    double every = fmin(GRID, w->nsample ? w->every / 25 : GRID), until = w->nsample ? w->every * w->nsample : w->until;
    int n = (int)floor(until / every + 0.5);
    for (int k = 0; k < n; k++)
        sample[k] = k == n - 1 ? until : every * (k + 1);
    return n;
}

static double grid_of[MOST_SAMPLES][3];

/* The motion on the grid with the workload's reference settings, once for each workload; compared with the published one. */
static void make_grid(bl_context *ctx, const bl_model *model, const workload *w) {
    static const workload *made;
    static double sample[MOST_SAMPLES];
    if (made == w || !w->nsample)
        return;
    int n = grid_times(w, sample);
    reader r = {.w = w, .ngrid = n, .grid = grid_of, .fills = true};
    bl_sink sink = {.user = &r, .begin = peers_begin, .sample = peers_sample, .want = BL_WANT_PROBES | BL_WANT_VARIABLES};
    bl_run_options options = {.coordinates = w->reference.coordinates,
                              .formulation = w->reference.formulation,
                              .integrator = w->reference.integrator,
                              .tolerance = w->reference.tolerance,
                              .until = sample[n - 1],
                              .at = sample,
                              .nat = n};
    bl_status status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
    if (status != BL_OK)
        give_up(ctx, w->name, status);
    for (int i = 0, each = n / w->nsample; i < w->nsample; i++)
        for (int k = 0; k < (w->error == PROBE ? 3 : 1); k++)
            if (!(fabs(grid_of[each * (i + 1) - 1][k] - w->expected[i][k]) <= 0.02 * w->target))
                fprintf(stderr, "bench: %s: the reference is off by %g at sample %d\n", w->name,
                        fabs(grid_of[each * (i + 1) - 1][k] - w->expected[i][k]), i);
    made = w;
}

/* Error from one run with samples, time from `repeat` runs without samples, or more if they are short: a processor takes some milliseconds
 * to reach its full speed. false: failed, or error above `most`, or much slower than `best` seconds. */
static bool try_settings(bl_context *ctx, const bl_model *model, const workload *w, const settings *used, int repeat, double most,
                         double best, outcome *out) {
    static double sample[MOST_SAMPLES];
    int ngrid = grid_times(w, sample);
    make_grid(ctx, model, w);
    bl_run_options options = {.coordinates = used->coordinates,
                              .formulation = used->formulation,
                              .integrator = used->integrator,
                              .tolerance = used->tolerance,
                              .step = used->step,
                              .until = w->until,
                              .at = sample,
                              .nat = ngrid};
    reader r = {.w = w, .rate = 1, .ngrid = ngrid, .grid = grid_of};
    bl_sink sink = {.user = &r, .begin = peers_begin, .sample = peers_sample};
    enum { MOST_RUNS = 1000 };
    static const double AT_LEAST = 0.2; /* s */
    double begin = now(), times[MOST_RUNS];
    repeat = repeat < MOST_RUNS ? repeat : MOST_RUNS;
    if (bl_simulate(ctx, model, &options, &sink, 1, NULL) != BL_OK || !(r.error <= most) || now() - begin > 5 * best)
        return false;
    options.at = &w->until;
    options.nat = 1;
    int runs = 0;
    double started = now();
    for (int k = -1; k < repeat || (repeat > 1 && k < MOST_RUNS && now() - started < AT_LEAST); k++) {
        begin = now();
        if (bl_simulate(ctx, model, &options, NULL, 0, &out->summary) != BL_OK)
            return false;
        if (k >= 0)
            times[runs++] = now() - begin;
    }
    qsort(times, (size_t)runs, sizeof *times, compare);
    out->median = times[runs / 2];
    out->minimum = times[0];
    out->error = r.error;
    return true;
}

static void print_outcome(const workload *w, const settings *used, const outcome *o) {
    char size[64];
    snprintf(size, sizeof size, used->step > 0 ? "step=%g" : "tolerance=%g", used->step > 0 ? used->step : used->tolerance);
    bool chosen = !used->coordinates; /* by default: only the tolerance is given */
    printf("%s,%g,%s,%s %s %s %s,%.3f,%.3f,%.3g,%ld,%ld\n", w->name, w->target, chosen ? "default" : "biela",
           chosen ? "by" : used->coordinates, chosen ? "default" : used->formulation, chosen ? o->summary.method : used->integrator, size,
           1e3 * o->median, 1e3 * o->minimum, o->error, o->summary.steps, o->summary.evaluations);
    fflush(stdout);
}

static void read_workload(const workload *w, bl_context **ctx, bl_model **model) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, w->scene);
    bl_status status = bl_context_create(NULL, ctx);
    if (status == BL_OK)
        status = bl_model_read(*ctx, path, &w->set, w->set.name ? 1 : 0, model);
    if (status != BL_OK)
        give_up(*ctx, w->scene, status);
}

/* the cheapest tolerance or step of every combination that meets the target */
static void scan(const workload *w) {
    static const char *const coordinates[] = {"natural", "mixed", "relative"}, *const formulations[] = {"partition", "lagrange", "direct"},
                             *const integrators[] = {"dop853", "abm", "dopri45", "rk4", "series"};
    bl_context *ctx = NULL;
    bl_model *model = NULL;
    read_workload(w, &ctx, &model);
    for (int c = 0; c < 3; c++)
        for (int f = 0; f < 3; f++)
            for (int m = 0; m < 5; m++) {
                if (f == 2 && c != 2) /* direct needs relative coordinates of a tree */
                    continue;
                settings best = {0};
                outcome found = {.minimum = INFINITY};
                for (int k = 0; k < 24; k++) {
                    settings used = {.coordinates = coordinates[c], .formulation = formulations[f], .integrator = integrators[m]};
                    if (strcmp(used.integrator, "rk4") == 0)
                        used.step = w->until / floor(20 * pow(1.25, k));
                    else
                        used.tolerance = pow(10, -2 - 0.25 * k);
                    outcome o = {0};
                    if (try_settings(ctx, model, w, &used, 3, w->target, found.minimum, &o) && o.minimum < found.minimum) {
                        found = o;
                        best = used;
                    }
                }
                if (best.formulation)
                    print_outcome(w, &best, &found);
            }
    bl_model_destroy(model);
    bl_context_destroy(ctx);
}

static void once(const workload *w, const settings *used, int repeat, double most) {
    bl_context *ctx = NULL;
    bl_model *model = NULL;
    outcome found = {0};
    read_workload(w, &ctx, &model);
    if (try_settings(ctx, model, w, used, repeat, most, INFINITY, &found))
        print_outcome(w, used, &found);
    else
        fprintf(stderr, "bench: %s: %s %s %s misses %g\n", w->name, used->coordinates, used->formulation, used->integrator, w->target);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
}

/* tests/reference/w3_chain.json: the free tip every 0.25 s; tests/reference/andrews.json: the crank angle */
static const double tip_5[20][3] = {
#include "w3_chain_tip.inc"
};
static const double tip_50[20][3] = {
#include "w3_chain_50_tip.inc"
};
static const double tip_500[20][3] = {
#include "w3_chain_500_tip.inc"
};
static const double tip_balls[20][3] = {
#include "w4_chain_100_tip.inc"
};
static const double crank[4][3] = {{4.366642192750019}, {12.168863124461934}, {22.13378479927467}, {33.887581656968795}};

#define W1 .scene = "bricard", .until = 10, .error = ENERGY
#define W2 .scene = "n_four_bar", .column = "B0", .until = 10, .target = 0.1, .error = BRANCH
#define TREE .reference = {"relative", "direct", "dop853", 1e-12, 0}
#define W3 .scene = "w3_chain", .column = "tip", .until = 10, .error = PROBE, .nsample = 20, .every = 0.25, TREE
#define W4                                                                                                                    \
    .scene = "w4_chain", .column = "tip", .set = {"n", 100}, .until = 10, .error = PROBE, .nsample = 20, .every = 0.25, TREE, \
    .expected = tip_balls
#define W5                                                                                                                           \
    .scene = "andrews", .column = "crank.angle", .until = 0.05, .error = VARIABLE, .nsample = 4, .every = 0.0125, .expected = crank, \
    .reference = {"natural", "partition", "series", 1e-12, 0}
static const workload workloads[] = {
    {.name = "W1", W1, .target = 1e-3, .aim_ms = 0.5, .best = {"natural", "partition", "series:order=17", 3.1e-3, 0}},
    {.name = "W1", W1, .target = 1e-9, .aim_ms = 0.8, .best = {"natural", "partition", "series:order=25", 5e-9, 0}},
    {.name = "W2-10", W2, .set = {"N", 10}, .aim_ms = 2, .best = {"natural", "partition", "series:order=20", 1e-4, 0}},
    {.name = "W2-40", W2, .set = {"N", 40}, .aim_ms = 5, .best = {"natural", "partition", "series:order=20", 1e-4, 0}},
    {.name = "W2-160", W2, .set = {"N", 160}, .aim_ms = 20, .best = {"natural", "partition", "series:order=20", 1e-4, 0}},
    {.name = "W3-5", W3, .target = 1e-2, .aim_ms = 2.25, .expected = tip_5, .best = {"relative", "direct", "dop853", 3e-5, 0}},
    {.name = "W3-5", W3, .target = 1e-4, .expected = tip_5, .best = {"relative", "direct", "dop853", 3e-6, 0}},
    {.name = "W3-50",
     W3,
     .set = {"n", 50},
     .target = 1e-2,
     .aim_ms = 24,
     .expected = tip_50,
     .best = {"relative", "direct", "dop853", 3e-3, 0}},
    {.name = "W3-50", W3, .set = {"n", 50}, .target = 1e-4, .expected = tip_50, .best = {"relative", "direct", "dop853", 3e-5, 0}},
    {.name = "W3-500",
     W3,
     .set = {"n", 500},
     .target = 1e-2,
     .aim_ms = 240,
     .expected = tip_500,
     .best = {"relative", "direct", "dop853", 1e-2, 0}},
    {.name = "W4-100", W4, .target = 1e-2, .aim_ms = 102, .best = {"relative", "direct", "dop853", 1e-2, 0}},
    {.name = "W4-100", W4, .target = 1e-4, .aim_ms = 323, .best = {"relative", "direct", "dop853", 1e-3, 0}},
    {.name = "W5", W5, .target = 1e-2, .aim_ms = 0.6, .best = {"natural", "partition", "series:order=16", 5e-3, 0}},
    {.name = "W5", W5, .target = 1e-4, .aim_ms = 0.8, .best = {"natural", "partition", "series:order=20", 1e-4, 0}},
};

/* the loosest tolerance at which the default meets the target, as do the next tighter ones (SURE in all) */
static void by_default(const workload *w) {
    enum { TRIES = 17, SURE = 3 };
    bl_context *ctx = NULL;
    bl_model *model = NULL;
    outcome found = {0}, first = {0};
    settings used = {0}, good = {0};
    int met = 0;
    read_workload(w, &ctx, &model);
    for (int k = 0; k < TRIES && met < SURE; k++) {
        used.tolerance = pow(10, -2 - 0.5 * k);
        if (!try_settings(ctx, model, w, &used, 1, w->target, INFINITY, &found))
            met = 0;
        else if (met++ == 0)
            good = used;
    }
    if (met && try_settings(ctx, model, w, &good, 15, w->target, INFINITY, &first))
        print_outcome(w, &good, &first);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
}

static void run_best_and_default(const workload *w) {
    once(w, &w->best, 15, w->target);
    by_default(w);
}

static void aim(const workload *w) { printf("%s,%g,%g\n", w->name, w->target, w->aim_ms); }

/* workloads named in argv, or all */
static void each_workload(int argc, char **argv, void (*act)(const workload *)) {
    puts(act == aim ? "workload,target,aim_ms" : "workload,target,code,settings,median_ms,min_ms,error,steps,evaluations");
    for (size_t i = 0; i < sizeof workloads / sizeof workloads[0]; i++) {
        bool selected = argc == 0;
        for (int k = 0; k < argc; k++)
            selected = selected || strcmp(argv[k], workloads[i].name) == 0;
        if (selected)
            act(&workloads[i]);
    }
}

/* bench once WORKLOAD COORDINATES FORMULATION INTEGRATOR TOLERANCE REPEAT; a negative tolerance is a step, coordinates `default` leave
 * everything else open */
static int run_named(char **argv) {
    double size = strtod(argv[4], NULL);
    bool chosen = strcmp(argv[1], "default") == 0;
    settings used = {chosen ? NULL : argv[1], chosen ? NULL : argv[2], chosen ? NULL : argv[3], size > 0 ? size : 0, size < 0 ? -size : 0};
    for (size_t i = 0; i < sizeof workloads / sizeof workloads[0]; i++)
        if (strcmp(workloads[i].name, argv[0]) == 0) {
            once(&workloads[i], &used, atoi(argv[5]), INFINITY);
            return 0;
        }
    return 2;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "stages") == 0)
        stages(argc - 2, argv + 2);
    else if (argc > 1 && strcmp(argv[1], "peers") == 0)
        each_workload(argc - 2, argv + 2, run_best_and_default);
    else if (argc > 1 && strcmp(argv[1], "scan") == 0)
        each_workload(argc - 2, argv + 2, scan);
    else if (argc > 1 && strcmp(argv[1], "aims") == 0)
        each_workload(argc - 2, argv + 2, aim);
    else if (argc != 8 || strcmp(argv[1], "once") != 0 || run_named(argv + 2) != 0) {
        fprintf(stderr, "usage: bench stages [scene...] | peers [workload...] | scan [workload...] | aims\n"
                        "       bench once WORKLOAD COORDINATES FORMULATION INTEGRATOR TOLERANCE|-STEP REPEAT\n");
        return 2;
    }
    return 0;
}
