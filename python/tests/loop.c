/* The loop of test_speed.py in C: advances a model by steps of 1 ms and reads one output each time; prints seconds of processor time, and the last output.
 * usage: loop MODEL OUTPUT STEPS */
#define _POSIX_C_SOURCE 199309L
#include <biela/biela.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    bl_context *ctx = NULL;
    bl_model *model = NULL;
    bl_stepper *s = NULL;
    bl_index output = -1;
    double value = 0, began = 0;
    if (argc != 4 || bl_context_create(NULL, &ctx) != BL_OK)
        return 2;
    bl_status status = bl_model_read(ctx, argv[1], NULL, 0, &model);
    if (status == BL_OK)
        status = bl_stepper_create(ctx, model, NULL, &s);
    if (status == BL_OK)
        status = bl_stepper_output(s, argv[2], &output);
    began = now();
    for (long k = 1; k <= atol(argv[3]) && status == BL_OK; k++) {
        status = bl_stepper_reach(s, (double)k * 0.001);
        if (status == BL_OK)
            status = bl_stepper_read(s, 1, &output, &value);
    }
    printf("%.9f %.17g\n", now() - began, value);
    bl_stepper_destroy(s);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    return status == BL_OK ? 0 : 1;
}
