/* Every scene that reads: its joints give primitives, its forces record. */
#include "support/handmade.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static void scenes__give_primitives_and_tapes(void **unused) {
    (void)unused;
    DIR *folder = opendir(SCENES);
    assert_non_null(folder);
    int models = 0, joints = 0, forces = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".yaml") != 0)
            continue;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", SCENES, entry->d_name);
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        if (bl_model_read(ctx, path, NULL, 0, &model) != BL_OK) {
            const bl_error *error = bl_context_error(ctx);
            fail_msg("%s:%d:%d: %s", error->file, error->line, error->column, error->what);
        }
        models++;
        for (bl_index i = 0; i < model->njoint; i++, joints++) {
            bl_index count = 0;
            if (bl_joint_forbids(model, &model->joint[i], &count) != BL_OK)
                fail_msg("%s: %s", path, bl_context_error(ctx)->what);
            const bl_joint_kind *kind = model->joint[i].kind;
            assert_true(count == (model->dim == 2 ? kind->forbids_2d : kind->forbids_3d) || kind == &bl_joint_rod);
        }
        for (bl_index i = 0; i < model->nforce; i++, forces++) {
            bl_record record;
            if (bl_force_record(model, &model->force[i], &record) != BL_OK)
                fail_msg("%s: %s", path, bl_context_error(ctx)->what);
            bl_tape_destroy(record.tape);
        }
        bl_model_destroy(model);
        test_context_end(ctx);
    }
    closedir(folder);
    printf("%d scenes, %d joints, %d forces\n", models, joints, forces);
    assert_true(models > 0 && joints > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(scenes__give_primitives_and_tapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
