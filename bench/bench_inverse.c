/* Inverse dynamics of a chain (forces for given accelerations) compared with forward dynamics (accelerations for given forces) in the same
 * configurations.
 *
 *     bench_inverse [-r rounds]
 *
 * Scene w3_chain in relative coordinates, 5, 50 and 500 links, random configurations. Forward: free accelerations, by the kernels of plain
 * trees (`kernel`) and, with an actuator in the chain for which they cannot be used, by articulated bodies in general (`general`). Inverse:
 * M a - Q (bl_system_demand) by the same kernels or in general; nothing is allocated. error: forces computed from the accelerations of
 * forward dynamics, which should be zero, relative to the largest term. Minimum CPU time of the rounds. CSV on standard output. */
#include "biela/biela.h"

#include "coords/coords.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CONFIGURATIONS = 20 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(bl_context *ctx, bl_status status) {
    if (status == BL_OK)
        return;
    fprintf(stderr, "bench_inverse: %s\n", bl_context_error(ctx)->what);
    exit(1);
}

static void measure(bl_context *ctx, int links, bool general, int rounds) {
    bl_model *model;
    bl_system *sys = NULL;
    bl_state state = {0};
    bl_eval e = {0};
    bl_override set = {"n", links};
    check(ctx, bl_model_read(ctx, SCENES "/w3_chain.yaml", &set, 1, &model));
    bl_held held = {.what = BL_HELD_VARIABLE, .ref = 0};
    check(ctx, bl_coords_build_held(ctx, model, "relative", &held, general, &sys));
    check(ctx, bl_state_create(sys, 0, &state));
    check(ctx, bl_coords_initial(sys, &state));
    check(ctx, bl_eval_create(sys, BL_Q | BL_FREE_ACC, &e));
    size_t n = (size_t)sys->nv;
    double *q = calloc(4 * n, sizeof *q), *a = q + n, *force = a + n, *Ma = force + n, forward = INFINITY, back = INFINITY, error = 0;
    unsigned long seed = 12345;
    for (int r = 0; r < rounds; r++) {
        double times[2] = {0, 0};
        for (int k = 0; k < CONFIGURATIONS; k++) {
            for (size_t j = 0; j < n; j++) {
                seed = seed * 6364136223846793005ul + 1442695040888963407ul;
                state.q[j] = (double)(seed >> 40) / (1 << 24) - 0.5;
                seed = seed * 6364136223846793005ul + 1442695040888963407ul;
                state.v[j] = (double)(seed >> 40) / (1 << 24) - 0.5;
            }
            int times_each = links > 100 ? 10 : 100;
            for (int inverse = 0; inverse < 2; inverse++) {
                double begin = now();
                for (int i = 0; i < times_each; i++) {
                    bl_eval_at(&e, &state);
                    check(ctx, inverse ? bl_system_demand(sys, &e, a, force) : bl_system_eval(sys, &e, BL_FREE_ACC));
                    if (!inverse && i == 0)
                        memcpy(a, e.a_free, n * sizeof *a);
                }
                times[inverse] += (now() - begin) / times_each;
            }
            double largest = 0, largest_force = 0;
            check(ctx, bl_system_eval(sys, &e, BL_Q));
            check(ctx, bl_system_apply(sys, &e, BL_OP_M, 1, a, Ma));
            for (size_t j = 0; j < n; j++) {
                largest = fmax(largest, fmax(fabs(Ma[j]), fabs(e.Q[j])));
                largest_force = fmax(largest_force, fabs(force[j]));
            }
            error = fmax(error, largest_force / largest);
        }
        forward = fmin(forward, times[0] / CONFIGURATIONS);
        back = fmin(back, times[1] / CONFIGURATIONS);
    }
    printf("w3_chain,%d,%s,%.3f,%.3f,%.2f,%.1e\n", links, general ? "general" : "kernel", 1e6 * forward, 1e6 * back, back / forward, error);
    fflush(stdout);
    free(q);
    bl_eval_destroy(sys, &e);
    bl_state_destroy(sys, &state);
    bl_system_destroy(sys);
    bl_model_destroy(model);
}

int main(int argc, char **argv) {
    int rounds = argc > 2 && strcmp(argv[1], "-r") == 0 ? atoi(argv[2]) : 20;
    static const int links[] = {5, 50, 500};
    bl_context *ctx;
    if (bl_context_create(NULL, &ctx) != BL_OK)
        return 1;
    printf("scene,links,forward_method,forward_us,inverse_us,ratio,error\n");
    for (int k = 0; k < 3; k++)
        for (int general = 0; general < 2; general++)
            measure(ctx, links[k], general, rounds);
    bl_context_destroy(ctx);
    return 0;
}
