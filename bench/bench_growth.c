/* How time and memory grow with the mechanism: N four-bars (W2), chains of n hinges (W3).
 * Every size in a process of its own: reading, set-up, time of a step, memory at most, and what a result file of three samples adds. CSV on
 * standard output; scripts/bench growth prints exponents between neighbors. */
#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double peak_mb(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

typedef struct family {
    const char *name, *scene, *parameter;
    double until; /* s, of the run whose steps are timed */
    int sizes[8];
} family;

static const family families[] = {
    {"W2", "n_four_bar", "N", 10, {160, 320, 640, 1280, 2560}},
    {"W3", "w3_chain", "n", 1, {500, 1250, 2500, 5000, 10000, 20000}},
    {"loops set up", "n_four_bar", "N", 0, {2500, 5000, 10000}},
};

typedef struct numbers {
    double read, setup, step, read_mb, run_mb, file, file_mb;
    long steps;
} numbers;

static double simulate(bl_context *ctx, const bl_model *model, double until, bl_sink *sink, long *steps) {
    double at[3] = {0, 0.5 * until, until}, begin = now();
    bl_run_summary summary = {0};
    bl_run_options options = {.until = until, .tolerance = 1e-6, .at = at, .nat = 3};
    if (bl_simulate(ctx, model, &options, sink, sink ? 1 : 0, &summary) != BL_OK) {
        fprintf(stderr, "bench_growth: %s\n", bl_context_error(ctx)->what);
        exit(1);
    }
    *steps = summary.steps;
    return now() - begin;
}

/* the least of up to seven runs: small mechanisms take a few milliseconds, of which others on the machine may take as much again */
static double least_time(bl_context *ctx, const bl_model *model, double until, long *steps) {
    double least = INFINITY, spent = 0;
    for (int k = 0; k < 7 && spent < 1; k++) {
        double took = simulate(ctx, model, until, NULL, steps);
        least = fmin(least, took);
        spent += took;
    }
    return least;
}

/* set-up is what a run of hardly any time takes, a step the difference to a longer one */
static numbers measure(const family *f, int size) {
    numbers m = {0};
    char path[512];
    bl_context *ctx = NULL;
    bl_model *model = NULL;
    bl_override set = {f->parameter, size};
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, f->scene);
    double begin = now();
    if (bl_context_create(NULL, &ctx) != BL_OK || bl_model_read(ctx, path, &set, 1, &model) != BL_OK)
        exit(1);
    m.read = now() - begin;
    m.read_mb = peak_mb();
    long few = 0;
    m.setup = least_time(ctx, model, 1e-6, &few);
    if (f->until > 0) {
        double whole = least_time(ctx, model, f->until, &m.steps);
        m.step = m.steps > few ? (whole - m.setup) / (double)(m.steps - few) : NAN;
    }
    m.run_mb = peak_mb();
    if (f->until > 0) {
        bl_sink sink = {0};
        long steps;
        char file[] = "/tmp/bench_growth_XXXXXX";
        int descriptor = mkstemp(file);
        if (descriptor < 0 || bl_sink_hdf5(ctx, file, &sink) != BL_OK)
            exit(1);
        close(descriptor);
        double with = simulate(ctx, model, 1e-6, &sink, &steps);
        m.file = with - m.setup;
        m.file_mb = peak_mb();
        unlink(file);
    }
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    return m;
}

static void row(const family *f, int size) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        numbers m = measure(f, size);
        printf("%s,%d,%.2f,%.2f,%.4f,%ld,%.0f,%.0f,%.2f,%.0f\n", f->name, size, 1e3 * m.read, 1e3 * m.setup, 1e3 * m.step, m.steps,
               m.read_mb, m.run_mb, 1e3 * m.file, m.file_mb);
        fflush(stdout);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
}

int main(int argc, char **argv) {
    puts("family,size,read_ms,setup_ms,step_ms,steps,read_mb,run_mb,file_ms,file_mb");
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        bool wanted = argc == 1;
        for (int k = 1; k < argc; k++)
            wanted = wanted || strcmp(argv[k], families[i].name) == 0;
        for (int k = 0; wanted && k < 8 && families[i].sizes[k]; k++)
            row(&families[i], families[i].sizes[k]);
    }
    return 0;
}
