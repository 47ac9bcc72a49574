/* A first program: simulates a model and prints the force in its first joint. usage: first MODEL.yaml */
#include <biela/biela.h>

#include <math.h>
#include <stdio.h>

static bl_status print(void *user, const bl_sample *s) {
    (void)user;
    const double *f = s->reaction[0].force;
    printf("t = %.1f s   angle %8.4f rad   force %7.3f N\n", s->t, s->variable[0], hypot(f[0], f[1]));
    return BL_OK;
}

int main(int argc, char **argv) {
    bl_sink sink = {.sample = print, .want = BL_WANT_VARIABLES | BL_WANT_REACTIONS};
    bl_run_options options = {.until = 1, .every = 0.2, .tolerance = 1e-9};
    bl_context *ctx;
    bl_model *model = NULL;
    if (argc != 2 || bl_context_create(NULL, &ctx) != BL_OK)
        return 2;
    bl_status status = bl_model_read(ctx, argv[1], NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
    if (status < 0)
        fprintf(stderr, "%s: %s\n", argv[1], bl_context_error(ctx)->what);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    return status < 0;
}
