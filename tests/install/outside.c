/* A program outside the tree, in C and in C++: reads a model, simulates it, prints where a joint is. */
#include <biela/biela.h>
#include <biela/figure.h>
#include <biela/formula.h>
#include <biela/plot.h>
#include <biela/report.h>

#include <stdio.h>
#include <string.h>

static const char model_text[] = "model: pendulum\n"
                                 "dimension: 2\n"
                                 "gravity: [0, -9.81]\n"
                                 "bodies: [{name: b, rod: {from: [0, 0], to: [1, 0]}, mass: 1}]\n"
                                 "joints: [{name: A, type: revolute, bodies: [ground, b], at: [0, 0]}]\n";

static bl_status keep(void *user, const bl_sample *sample) {
    *(double *)user = sample->variable[0];
    return BL_OK;
}

int main(void) {
    bl_context *ctx = NULL;
    bl_model *model = NULL;
    double angle = 0;
    static bl_sink sink;
    static bl_run_options options;
    sink.size = sizeof sink;
    options.size = sizeof options;
    sink.user = &angle;
    sink.sample = keep;
    options.until = 0.5;
    options.tolerance = 1e-10;
    bl_status status = bl_context_create(NULL, &ctx);
    if (status == BL_OK)
        status = bl_model_read_text(ctx, "pendulum", model_text, strlen(model_text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
    if (status < 0)
        fprintf(stderr, "%s\n", bl_context_error(ctx)->what);
    printf("%.6f\n", angle);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    return status < 0;
}
