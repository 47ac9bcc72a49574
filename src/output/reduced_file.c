/* Files of reduced bodies, see biela/reduce.h. */
#include "output/text_file.h"

#include "biela/reduce.h"

static void write(bl_text_file *file, void *user) {
    const bl_json *json = user;
    bl_put_bytes(file, json->text, json->length);
    bl_put_bytes(file, "\n", 1);
}

bl_status bl_reduced_file(bl_context *ctx, const struct bl_model *model, const char *body, const char *path) {
    bl_json json = {.ctx = ctx};
    bl_status status = bl_reduced_json(ctx, model, body, &json);
    if (status == BL_OK)
        status = bl_text_file_write(ctx, path, true, write, &json);
    bl_json_destroy(&json);
    return status;
}
