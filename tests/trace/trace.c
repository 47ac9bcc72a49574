/* Reads and simulates a model as `biela run` does and prints which functions of instrumented files (-finstrument-functions) were entered,
 * each once, in the order of their first entry: "address of the function, of those that were active then". check_walk.py compares that
 * with docs/ARCHITECTURE.md. usage: trace MODEL.yaml RESULT.h5 */
#include <biela/biela.h>

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4096 };

static void *active[MOST], *seen[MOST];
static int nactive, nseen;

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site) {
    (void)site;
    if (nactive == MOST || nseen == MOST)
        abort();
    active[nactive++] = function;
    for (int i = 0; i < nseen; i++)
        if (seen[i] == function)
            return;
    seen[nseen++] = function;
    for (int i = nactive - 1; i >= 0; i--)
        printf("%p ", active[i]);
    printf("\n");
}

void __cyg_profile_func_exit(void *function, void *site) {
    (void)function, (void)site;
    nactive--;
}

int main(int argc, char **argv) {
    bl_context *ctx;
    bl_model *model = NULL;
    bl_sink sink = {0};
    if (argc != 3 || bl_context_create(NULL, &ctx) != BL_OK)
        return 2;
    printf("main %p\n", (void *)(size_t)main);
    bl_status status = bl_model_read(ctx, argv[1], NULL, 0, &model);
    if (status == BL_OK)
        status = bl_sink_hdf5(ctx, argv[2], &sink);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &(bl_run_options){0}, &sink, 1, NULL);
    if (status != BL_OK)
        fprintf(stderr, "%s\n", bl_context_error(ctx)->what);
    bl_sink_destroy(&sink);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    return status != BL_OK;
}
