/* Every scene that reads: its joints give primitives, its forces record. */
#include "support/handmade.h"
#include "support/scene.h"

#include <stdio.h>

typedef struct tally {
    int joints, forces;
} tally;

static void record_parts(bl_context *ctx, const bl_model *model, const char *name, void *user) {
    tally *all = user;
    for (bl_index i = 0; i < model->njoint; i++, all->joints++) {
        bl_index count = bl_joint_forbids(model, &model->joint[i]);
        const bl_joint_kind *kind = model->joint[i].kind;
        assert_true(count == (model->dim == 2 ? kind->forbids_2d : kind->forbids_3d) || kind == &bl_joint_rod);
    }
    for (bl_index i = 0; i < model->nforce; i++, all->forces++) {
        bl_record record;
        if (bl_force_record(model->ctx, model, &model->force[i], NULL, 0, -1, &record) != BL_OK)
            fail_msg("%s: %s", name, bl_context_error(ctx)->what);
        bl_tape_destroy(record.tape);
    }
}

static void scenes__give_primitives_and_tapes(void **unused) {
    (void)unused;
    tally all = {0};
    bl_index models = scene_each(record_parts, &all);
    printf("%d scenes, %d joints, %d forces\n", (int)models, all.joints, all.forces);
    assert_true(models > 0 && all.joints > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(scenes__give_primitives_and_tapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
