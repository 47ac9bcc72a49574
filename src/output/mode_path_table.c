/* Eigenvalues over a parameter as a table (CSV, RFC 4180). */
#include "output/output.h"

#include <stdio.h>
#include <string.h>

static void put_number(bl_target *target, double value) {
    char text[BL_NUMBER_BYTES + 1] = ",";
    bl_target_append(target, text, 1 + bl_number_text(value, text + 1));
}

static void write_table(bl_target *target, const bl_mode_path *path) {
    char text[BL_NUMBER_BYTES];
    const char *name = path->parameter ? path->parameter : "parameter";
    bl_target_append(target, name, strlen(name));
    for (bl_index k = 0; k < path->nmode; k++) {
        char heading[64];
        int n = snprintf(heading, sizeof heading, ",re%d,im%d", (int)k + 1, (int)k + 1);
        bl_target_append(target, heading, (size_t)n);
    }
    bl_target_append(target, "\n", 1);
    for (bl_index p = 0; p < path->npoint; p++) {
        bl_target_append(target, text, bl_number_text(path->value[p], text));
        for (bl_index k = 0; k < path->nmode; k++) {
            size_t at = (size_t)p * (size_t)path->nmode + (size_t)k;
            put_number(target, path->re[at]);
            put_number(target, path->im[at]);
        }
        bl_target_append(target, "\n", 1);
    }
}

bl_status bl_mode_path_csv(bl_context *ctx, const bl_mode_path *path, const char *file) {
    bl_target target;
    if (!path || !file || path->npoint < 0 || path->nmode < 0)
        return bl_fail(ctx, BL_E_ARG, NULL, "a table of modes needs a path and a file");
    BL_TRY(bl_target_create(ctx, file, &target));
    bl_status status = bl_target_open(&target, true);
    if (status == BL_OK) {
        write_table(&target, path);
        status = bl_target_close(&target, true);
    }
    bl_target_destroy(&target);
    return status;
}
