/* Complete simulations with the dense matrix and with the reordered one, as in tables 5.2, 5.4, 5.7 and 5.9 of the thesis that introduced
 * the orderings (integration times in seconds of an older machine and language: only the ratio can be compared).
 * CSV on standard output: mechanism, settings, evaluations, ms with dense, klu and block, ratios, energy error, printed ratio. */
#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct task {
    const char *name, *scene, *coordinates, *formulation;
    double until, tolerance, printed_full, printed_ordered;
} task;

static const task tasks[] = {
    {"five-bar pendulum (5.2)", "five_bar_pendulum", "mixed", "partition:index=2", 10, 1e-6, 5.82, 2.80},
    {"tether (5.4)", "tether", "mixed", "partition:index=2", 3, 1e-6, 124.29, 31.33},
    {"Bricard (5.7)", "bricard", "mixed", "partition:index=2", 15, 1e-6, 1.72, 1.25},
    {"vehicle (5.9)", "vehicle", "natural", "partition:index=3", 1, 1e-5, 33.25, 12.09},
};
static const char *const solvers[] = {"dense", "klu", "block"};
enum { RUNS = 5, NSOLVER = 3 };

static double cpu_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void) {
    puts("mechanism,settings,evaluations,dense_ms,klu_ms,block_ms,dense_by_klu,dense_by_block,energy_error_J,printed_ratio");
    for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++) {
        const task *t = &tasks[k];
        double median[NSOLVER];
        bl_run_summary summary = {0};
        for (int s = 0; s < NSOLVER; s++) {
            double time[RUNS];
            for (int r = -1; r < RUNS; r++) { /* one to warm up */
                bl_context *ctx;
                bl_model *model;
                char file[512];
                snprintf(file, sizeof file, "%s/%s.yaml", SCENES, t->scene);
                bl_run_options options = {.coordinates = t->coordinates,
                                          .formulation = t->formulation,
                                          .linsol = solvers[s],
                                          .until = t->until,
                                          .tolerance = t->tolerance,
                                          .every = t->until};
                if (bl_context_create(NULL, &ctx) != BL_OK || bl_model_read(ctx, file, NULL, 0, &model) != BL_OK)
                    return 1;
                double begin = cpu_ms();
                if (bl_simulate(ctx, model, &options, NULL, 0, &summary) != BL_OK) {
                    fprintf(stderr, "%s, %s: %s\n", t->name, solvers[s], bl_context_error(ctx)->what);
                    return 1;
                }
                if (r >= 0)
                    time[r] = cpu_ms() - begin;
                bl_model_destroy(model);
                bl_context_destroy(ctx);
            }
            qsort(time, RUNS, sizeof *time, ascending);
            median[s] = time[RUNS / 2];
        }
        printf("%s,%s %s dopri45 %g over %g s,%ld,%.3f,%.3f,%.3f,%.2f,%.2f,%.2g,%.2f\n", t->name, t->coordinates, t->formulation,
               t->tolerance, t->until, summary.evaluations, median[0], median[1], median[2], median[0] / median[1], median[0] / median[2],
               summary.largest_energy_error, t->printed_full / t->printed_ordered);
    }
    return 0;
}
