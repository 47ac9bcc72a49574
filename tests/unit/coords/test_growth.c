/* Four times the mechanism takes four times the memory: models read, systems built in every kind of coordinates, runs of trees. */
#include "coords/coords.h"
#include "study/study.h"
#include "support/testing.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct meter {
    size_t now, most;
} meter;

enum { HEAD = 64 };

static void *metered(void *user, void *block, size_t bytes) {
    meter *m = user;
    char *old = block ? (char *)block - HEAD : NULL;
    if (old)
        m->now -= *(size_t *)(void *)old;
    if (bytes == 0) {
        free(old);
        return NULL;
    }
    char *fresh = realloc(old, bytes + HEAD);
    assert_non_null(fresh);
    *(size_t *)(void *)fresh = bytes;
    m->now += bytes;
    m->most = m->now > m->most ? m->now : m->most;
    return fresh + HEAD;
}

/* coordinates: built in them; NULL: a run by direct */
static size_t bytes_of(const char *scene, const char *name, int n, const char *coordinates) {
    meter m = {0};
    bl_context *ctx;
    bl_model *model;
    char file[512];
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_context_create(&(bl_context_options){.realloc = metered, .realloc_user = &m}, &ctx), BL_OK);
    const bl_override size = {name, n};
    bl_status status = bl_model_read(ctx, file, &size, 1, &model);
    if (status == BL_OK && coordinates) {
        bl_system *sys = NULL;
        status = bl_coords_build(ctx, model, coordinates, &sys);
        bl_system_destroy(sys);
    } else if (status == BL_OK) {
        double until = 1e-3;
        bl_run_options how = {.coordinates = "relative",
                              .formulation = "direct",
                              .integrator = "dop853",
                              .until = until,
                              .tolerance = 1e-2,
                              .at = &until,
                              .nat = 1};
        status = bl_simulate(ctx, model, &how, NULL, 0, NULL);
    }
    if (status != BL_OK)
        fail_msg("%s %d: %s", scene, n, bl_context_error(ctx)->what);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    return m.most;
}

static void check_growth(const char *scene, const char *name, int n, const char *coordinates) {
    size_t small = bytes_of(scene, name, n, coordinates), large = bytes_of(scene, name, 4 * n, coordinates);
    /* arrays that double have room for up to twice what they hold: their largest may just have grown */
    if ((double)large > 5.5 * (double)small)
        fail_msg("%s in %s: %zu bytes for %d, %zu for %d", scene, coordinates ? coordinates : "a run", small, n, large, 4 * n);
}

static void systems__grow_with_their_mechanism(void **unused) {
    (void)unused;
    static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};
    for (int k = 0; k < 4; k++) {
        check_growth("w3_chain", "n", 250, kinds[k]);
        check_growth("n_four_bar", "N", 250, kinds[k]);
    }
}

static void runs_of_trees__grow_with_their_mechanism(void **unused) {
    (void)unused;
    check_growth("w3_chain", "n", 250, NULL);
    check_growth("w4_chain", "n", 250, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(systems__grow_with_their_mechanism),
                                       cmocka_unit_test(runs_of_trees__grow_with_their_mechanism)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
