/* Fuzz target: any bytes as a model. Whatever they are, the reader gives a model or an error with words that a terminal may show, gives all
 * memory back, and opens no file. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bl_context *ctx = fuzz_context();
    bl_model *model = NULL;
    bl_status status = bl_model_open_text(ctx, "fuzz.yaml", (const char *)data, size, &fuzz_options, &model);
    fuzz_expect((status == BL_OK) == (model != NULL));
    if (status != BL_OK)
        fuzz_check_error(ctx, status);
    bl_model_destroy(model);
    fuzz_context_end(ctx);
    return 0;
}
