/* How time and memory grow with the mechanism: N four-bars (W2), chains of n hinges (W3).
 * Every size runs in its own process: reading, set-up, time of a step, largest memory, and the additional time and memory of a result file
 * with three samples. CSV on standard output; scripts/bench growth prints exponents between successive sizes. */
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

enum { RUNS = 7 };

typedef struct numbers {
    double read, setup, again, full_run, with_file; /* s; again: set-up repeated in the same process, subtracted from the two that follow */
    double read_mb, run_mb, file_mb;
    long steps, few; /* of the full run, and of one that is hardly more than set-up */
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

/* the minimum of up to seven runs, since other programs use the machine */
static double least_time(bl_context *ctx, const bl_model *model, double until, long *steps) {
    double least = INFINITY, spent = 0;
    for (int k = 0; k < RUNS && spent < 1; k++) {
        double seconds = simulate(ctx, model, until, NULL, steps);
        least = fmin(least, seconds);
        spent += seconds;
    }
    return least;
}

/* Set-up is the time of a run over 1e-6 s, the first one in its process: later runs of small mechanisms reuse memory that the system has
 * already provided, those of large ones do not. The time of a step follows from the difference between a longer run and a later short
 * one. */
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
    m.setup = simulate(ctx, model, 1e-6, NULL, &m.few);
    if (f->until > 0) {
        m.again = least_time(ctx, model, 1e-6, &m.few);
        m.full_run = least_time(ctx, model, f->until, &m.steps);
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
        m.with_file = simulate(ctx, model, 1e-6, &sink, &steps);
        m.file_mb = peak_mb();
        unlink(file);
    }
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    return m;
}

/* measures in a child process; false: it failed */
static bool measure_in_process(const family *f, int size, numbers *m) {
    int ends[2], status;
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        numbers result = measure(f, size);
        _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
    }
    close(ends[1]);
    bool done = read(ends[0], m, sizeof *m) == sizeof *m;
    close(ends[0]);
    waitpid(child, &status, 0);
    return done;
}

/* the minimum of several processes */
static void row(const family *f, int size) {
    numbers least = {0}, m;
    double spent = 0;
    for (int k = 0; k < RUNS && spent < 2; k++) {
        if (!measure_in_process(f, size, &m))
            exit(1);
        spent += m.read + m.setup + m.again + m.full_run + m.with_file;
        if (k == 0)
            least = m;
        least.read = fmin(least.read, m.read);
        least.setup = fmin(least.setup, m.setup);
        least.again = fmin(least.again, m.again);
        least.full_run = fmin(least.full_run, m.full_run);
        least.with_file = fmin(least.with_file, m.with_file);
    }
    m = least;
    double step = m.steps > m.few ? (m.full_run - m.again) / (double)(m.steps - m.few) : 0, file = m.with_file - m.again;
    printf("%s,%d,%.2f,%.2f,%.4f,%ld,%.0f,%.0f,%.2f,%.0f\n", f->name, size, 1e3 * m.read, 1e3 * m.setup, 1e3 * step, m.steps, m.read_mb,
           m.run_mb, 1e3 * file, m.file_mb);
    fflush(stdout);
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
