/* Fuzz target: any bytes as a model, and what can be read is closed, set up and moved by one step. Large models are passed over: the
 * reader's target has seen them, and what is looked for here does not need them. */
#include "fuzz/fuzz.h"

#include "model/model.h"

static bl_status two_samples(void *user, const bl_sample *sample) {
    (void)sample;
    return ++*(int *)user < 2 ? BL_OK : BL_STOPPED;
}

static bool small(const bl_model *model) {
    enum { MOST_BODIES = 12, MOST_UNKNOWNS = 60, MOST_LAWS = 60 };
    return model->nbody <= MOST_BODIES && model->njoint <= 2 * MOST_BODIES && model->nforce <= 2 * MOST_BODIES &&
           model->nlaw <= MOST_LAWS && model->nvariable <= MOST_UNKNOWNS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bl_context *ctx = fuzz_context();
    bl_model *model = NULL;
    bl_status status = bl_model_open_text(ctx, "fuzz.yaml", (const char *)data, size, &fuzz_options, &model);
    if (status == BL_OK && small(model)) {
        int samples = 0;
        bl_sink sink = {.user = &samples, .sample = two_samples};
        bl_run_summary summary = {0};
        status = bl_simulate(ctx, model, &(bl_run_options){.every_step = true}, &sink, 1, &summary);
        if (status != BL_OK && status != BL_STOPPED && status != BL_EVENT)
            fuzz_check_error(ctx, status);
    }
    bl_model_destroy(model);
    fuzz_context_end(ctx);
    return 0;
}
