/* Power series need memory in proportion to their order. */
#include "study/run.h"
#include "study/simulation.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* an allocator that knows how many bytes are out */
typedef struct bytes {
    size_t live;
} bytes;

enum { HEADER = 64 }; /* room for the length, aligned as malloc aligns */

static void *counted(void *user, void *block, size_t length) {
    bytes *b = user;
    size_t *old = block ? (size_t *)(void *)((char *)block - HEADER) : NULL;
    if (old)
        b->live -= *old;
    if (length == 0) {
        free(old);
        return NULL;
    }
    size_t *fresh = realloc(old, length + HEADER);
    if (!fresh)
        return NULL;
    *fresh = length;
    b->live += length;
    return (char *)fresh + HEADER;
}

/* bytes a simulation holds, besides those of the system */
static size_t simulation_bytes(const char *scene, const char *formulation, int order) {
    bytes count = {0};
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state = {0};
    bl_simulation *sim;
    char path[512], integrator[32];
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    snprintf(integrator, sizeof integrator, "series:order=%d", order);
    assert_int_equal(bl_context_create(&(bl_context_options){.realloc = counted, .realloc_user = &count}, &ctx), BL_OK);
    assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_OK);
    assert_int_equal(bl_run_prepare(ctx, model, NULL, &sys, &state), BL_OK);
    size_t before = count.live;
    bl_simulation_setup setup = {.formulation = formulation, .integrator = integrator, .t_end = 0.05, .tolerance = 1e-8};
    assert_int_equal(bl_simulation_create(sys, &state, &setup, &sim), BL_OK);
    size_t created = count.live;
    bl_simulation_destroy(sim);
    assert_int_equal(count.live, before);
    bl_state_destroy(sys, &state);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    assert_int_equal(count.live, 0);
    return created - before;
}

/* arrays are padded, and the rest of a simulation does not depend on the order */
static void series__memory_grows_with_the_order_along_a_line(void **unused) {
    (void)unused;
    static const struct {
        const char *scene, *formulation;
    } all[] = {
        {"bricard", "partition"}, {"andrews", "partition"}, {"andrews", "lagrange"}, {"n_four_bar", "partition"}, {"pleiades", "plain"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        double at[4];
        static const int order[4] = {8, 16, 32, 60};
        for (int k = 0; k < 4; k++)
            at[k] = (double)simulation_bytes(all[i].scene, all[i].formulation, order[k]);
        double slope = (at[3] - at[0]) / (order[3] - order[0]);
        print_message("%-12s %-10s %6.0f %6.0f %6.0f %6.0f bytes, %.0f per order\n", all[i].scene, all[i].formulation, at[0], at[1], at[2],
                      at[3], slope);
        assert_true(slope > 0);
        for (int k = 1; k < 3; k++)
            assert_true(fabs(at[k] - at[0] - slope * (order[k] - order[0])) < 0.01 * at[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(series__memory_grows_with_the_order_along_a_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
