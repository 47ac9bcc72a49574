/* Steppers at 1 kHz.
 *
 *     bench_stepper [-r rounds]
 *
 * bricard: CPU time of two seconds with a sample every millisecond: by bl_simulate, by a stepper that is stopped as often, by bl_simulate
 * whose input (a moment on a rod) follows a table with as many rows, each of which starts the method again, and by a stepper whose input
 * is changed as often, also with series of a lower order; ratio to the run that does the same, minimum of the rounds. error: largest
 * difference of positions from a run at a tolerance 1000 times smaller, m. vehicle: latency of one millisecond, CPU time and wall
 * clock. CSV on standard output. */
#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 2000, MOST_BODIES = 64, MOST_TEXT = 65536 };
static const double MILLISECOND = 0.001;

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(bl_context *ctx, bl_status status, const char *what) {
    if (status == BL_OK)
        return;
    fprintf(stderr, "bench_stepper: %s: %s\n", what, bl_context_error(ctx)->what);
    exit(1);
}

/* the scene with an input `push`, a moment about z on its first moving body */
static bl_model *scene_with_input(bl_context *ctx, const char *name, const char *body) {
    static char text[MOST_TEXT];
    char path[512];
    bl_model *model;
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, name);
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, sizeof text - 1024, file) : 0;
    if (file)
        fclose(file);
    n += (size_t)snprintf(text + n, 1024, "\ninputs: {push: 0}\nforces: [{type: torque, body: %s, torque: [0, 0, '=push']}]\n", body);
    check(ctx, bl_model_read_text(ctx, path, text, n, NULL, 0, &model), name);
    return model;
}

typedef struct positions {
    double (*at)[MOST_BODIES][3]; /* [SAMPLES + 1] */
    bl_index nbody;
    long n;
} positions;

static bl_status keep(void *user, const bl_sample *sample) {
    positions *p = user;
    for (bl_index b = 0; b < p->nbody && p->n <= SAMPLES; b++)
        memcpy(p->at[p->n][b], sample->body[b].position, sizeof p->at[0][0]);
    p->n++;
    return BL_OK;
}

static bl_status begin(void *user, const bl_run_info *info) {
    positions *p = user;
    p->nbody = info->nbody;
    p->n = 0;
    return BL_OK;
}

static double difference(const positions *a, const positions *b) {
    double most = 0;
    for (long k = 0; k <= SAMPLES; k++)
        for (bl_index i = 0; i < a->nbody; i++)
            for (int c = 0; c < 3; c++)
                most = fmax(most, fabs(a->at[k][i][c] - b->at[k][i][c]));
    return most;
}

static double push_at(long k) { return 1e-3 * sin(0.01 * (double)k); }

/* the moments of a stepper as a table: from millisecond k on, push_at(k) */
static const bl_inputs *push_table(void) {
    static double t[SAMPLES], value[SAMPLES];
    static const char *const name[] = {"push"};
    static const bl_inputs table = {.n = SAMPLES, .ninput = 1, .name = name, .t = t, .value = value, .hold = true};
    for (long k = 0; k < SAMPLES; k++) {
        t[k] = (double)k * MILLISECOND;
        value[k] = push_at(k);
    }
    return &table;
}

static double run(bl_context *ctx, const bl_model *model, double tolerance, bool pushed, positions *p) {
    bl_sink sink = {.user = p, .begin = begin, .sample = keep};
    bl_run_options options = {
        .until = SAMPLES * MILLISECOND, .every = MILLISECOND, .tolerance = tolerance, .inputs = pushed ? push_table() : NULL};
    double from = seconds(CLOCK_PROCESS_CPUTIME_ID);
    check(ctx, bl_simulate(ctx, model, &options, &sink, 1, NULL), "run");
    return seconds(CLOCK_PROCESS_CPUTIME_ID) - from;
}

static double step(bl_context *ctx, const bl_model *model, double tolerance, bool pushed, const char *method, positions *p) {
    bl_stepper *s;
    const bl_sample *sample;
    bl_run_options options = {.until = SAMPLES * MILLISECOND, .tolerance = tolerance, .integrator = method};
    double from = seconds(CLOCK_PROCESS_CPUTIME_ID);
    check(ctx, bl_stepper_create(ctx, model, &options, &s), "stepper");
    begin(p, bl_stepper_info(s));
    for (long k = 0; k <= SAMPLES; k++) {
        check(ctx, bl_stepper_reach(s, k == SAMPLES ? options.until : (double)k * MILLISECOND), "reach");
        check(ctx, bl_stepper_sample(s, 0, &sample), "sample");
        keep(p, sample);
        check(ctx, bl_stepper_set_input(s, 0, pushed ? push_at(k) : 0, 0), "input");
    }
    bl_stepper_destroy(s);
    return seconds(CLOCK_PROCESS_CPUTIME_ID) - from;
}

static double way(int i, bl_context *ctx, const bl_model *model, double tolerance, positions *p) {
    return i % 2 == 0 && i < 4 ? run(ctx, model, tolerance, i == 2, p)
                               : step(ctx, model, tolerance, i > 1, i == 4 ? "series:order=5" : NULL, p);
}

static void bricard(bl_context *ctx, int rounds) {
    enum { WAYS = 5 };
    static const char *const names[WAYS] = {"run with samples", "stepper with samples", "run with a table of inputs",
                                            "stepper with changing input", "stepper with changing input and series:order=5"};
    bl_model *model = scene_with_input(ctx, "bricard", "rod1");
    positions p = {.at = calloc(SAMPLES + 1, sizeof *p.at)}, exact = {.at = calloc(SAMPLES + 1, sizeof *exact.at)};
    double least[WAYS] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY}, error[WAYS];
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < WAYS; i++)
            least[i] = fmin(least[i], way(i, ctx, model, 1e-6, &p));
    for (int i = 0; i < WAYS; i++) {
        way(i, ctx, model, 1e-6, &p);
        way(i < 4 ? i : 3, ctx, model, 1e-9, &exact);
        error[i] = difference(&p, &exact);
    }
    for (int i = 0; i < WAYS; i++)
        printf("bricard,%s,%.2f us,%.2f,%.1e\n", names[i], 1e6 * least[i] / SAMPLES, least[i] / least[i < 2 ? 0 : 2], error[i]);
    free(p.at);
    free(exact.at);
    bl_model_destroy(model);
}

static int ascending(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static void vehicle(bl_context *ctx) {
    enum { COUNT = 5000 };
    static double latency[COUNT], work[COUNT];
    bl_model *model;
    char path[512];
    snprintf(path, sizeof path, "%s/vehicle.yaml", SCENES);
    check(ctx, bl_model_read(ctx, path, NULL, 0, &model), "vehicle");
    bl_stepper *s;
    const bl_sample *sample;
    check(ctx, bl_stepper_create(ctx, model, &(bl_run_options){.until = COUNT * MILLISECOND}, &s), "vehicle");
    for (long k = 0; k < COUNT; k++) {
        double from = seconds(CLOCK_MONOTONIC), worked = seconds(CLOCK_PROCESS_CPUTIME_ID);
        check(ctx, bl_stepper_reach(s, (double)(k + 1) * MILLISECOND), "vehicle");
        check(ctx, bl_stepper_sample(s, BL_WANT_BODIES | BL_WANT_VARIABLES, &sample), "vehicle");
        work[k] = seconds(CLOCK_PROCESS_CPUTIME_ID) - worked;
        latency[k] = seconds(CLOCK_MONOTONIC) - from;
    }
    const struct {
        const char *name;
        double *time;
    } clock[] = {{"CPU time", work}, {"latency", latency}};
    for (int i = 0; i < 2; i++) {
        double *time = clock[i].time;
        qsort(time, COUNT, sizeof *time, ascending);
        printf("vehicle,%s of 1 ms: median; 99.9 %%; largest,%.1f us; %.1f us; %.1f us,,\n", clock[i].name, 1e6 * time[COUNT / 2],
               1e6 * time[COUNT * 999 / 1000], 1e6 * time[COUNT - 1]);
    }
    bl_stepper_destroy(s);
    bl_model_destroy(model);
}

int main(int argc, char **argv) {
    bl_context *ctx;
    int rounds = argc > 2 && strcmp(argv[1], "-r") == 0 ? atoi(argv[2]) : 5;
    if (bl_context_create(NULL, &ctx) != BL_OK)
        return 1;
    printf("model,what,per millisecond,ratio,error\n");
    bricard(ctx, rounds > 0 ? rounds : 1);
    vehicle(ctx);
    bl_context_destroy(ctx);
    return 0;
}
