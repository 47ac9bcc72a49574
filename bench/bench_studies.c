/* Times of statics and small motions: modes of the vehicle about its equilibrium, which is found first; the load path of an arch of 200
 * points past its limit points.
 *
 *     bench_studies [-r rounds]
 *
 * Minimum CPU time of the rounds; models are read before. error: of modes, the difference from the published frequencies, Hz; of the arch,
 * the residual of its forces. CSV on standard output. */
#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(bl_context *ctx, bl_status status, const char *what) {
    if (status == BL_OK)
        return;
    fprintf(stderr, "bench_studies: %s: %s\n", what, bl_context_error(ctx)->what);
    exit(1);
}

static bl_model *scene(bl_context *ctx, const char *name, const bl_override *set, bl_index nset) {
    char path[512];
    bl_model *model;
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, name);
    check(ctx, bl_model_read(ctx, path, set, nset, &model), name);
    return model;
}

/* besides three rigid motions of zero frequency */
static void vehicle(bl_context *ctx, const char *coordinates, int rounds) {
    static const double known[] = {1.3660137411, 1.5895072116, 1.6891196461, 11.80267401, 11.81418959, 11.82303901, 11.83360944};
    bl_model *model = scene(ctx, "vehicle", NULL, 0);
    double least = INFINITY, error = 0;
    for (int k = 0; k < rounds; k++) {
        bl_modes_report report = {0};
        double begin = now();
        check(ctx, bl_modes(ctx, model, &(bl_modes_options){.count = -1, .coordinates = coordinates}, NULL, 0, &report), "modes");
        least = fmin(least, now() - begin);
        error = 0;
        for (bl_index i = 0; i < 7 && report.nmode == 10; i++)
            error = fmax(error, fabs(report.mode[3 + i].frequency - known[i]));
        error = report.nmode == 10 ? error : INFINITY;
        bl_modes_report_destroy(ctx, &report);
    }
    printf("vehicle modes,%s,10,%.4f,5,%.1e\n", coordinates, 1e3 * least, error);
    bl_model_destroy(model);
}

static void arch(bl_context *ctx, int rounds) {
    bl_override size = {"n", 101}; /* 2 x 100 free points */
    bl_model *model = scene(ctx, "truss_arch", &size, 1);
    double least = INFINITY;
    bl_equilibrium_summary found = {0};
    for (int k = 0; k < rounds; k++) {
        double begin = now();
        bl_equilibrium_options options = {.parameter = "P", .from = 0, .until = 400, .increments = 40};
        check(ctx, bl_equilibrium(ctx, model, &options, NULL, 0, NULL, &found), "path");
        least = fmin(least, now() - begin);
    }
    printf("arch load path,natural,%ld,%.4f,1000,%.1e\n", found.found, 1e3 * least, found.residual);
    bl_model_destroy(model);
}

int main(int argc, char **argv) {
    int rounds = 20, option;
    while ((option = getopt(argc, argv, "r:")) != -1)
        rounds = option == 'r' ? atoi(optarg) : rounds;
    bl_context *ctx;
    if (bl_context_create(NULL, &ctx) != BL_OK)
        return 1;
    printf("study,coordinates,count,ms,aim_ms,error\n");
    static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};
    for (int k = 0; k < 4; k++)
        vehicle(ctx, kinds[k], rounds);
    arch(ctx, rounds);
    bl_context_destroy(ctx);
    return 0;
}
