/* Variants of a model: other drivers, other values of parameters. */
#include "model/variant.h"

#include "model/reader.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

bl_index bl_model_parameter(const bl_model *model, const char *name) {
    for (bl_index i = 0; i < model->nparameter; i++)
        if (strcmp(model->parameter[i].name, name) == 0)
            return i;
    return -1;
}

/* ---- drivers */

static bl_status constant_law(bl_model *variant, double value, bl_index *law) {
    bl_tape *tape;
    BL_TRY(bl_tape_create(variant->ctx, &tape));
    bl_tape_output(tape, bl_tape_const(tape, value));
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    bl_law made = {.tape = tape, .text = bl_arena_text(&variant->arena, text, strlen(text)), .place = {variant->file, 0, 0}};
    bl_status status = bl_tape_finish(tape);
    if (status != BL_OK || !made.text) {
        bl_tape_destroy(tape);
        return status != BL_OK ? status : BL_E_MEMORY;
    }
    *law = variant->nlaw;
    variant->law[variant->nlaw++] = made;
    return BL_OK;
}

static bl_status add_driver(bl_model *variant, bl_index variable, double value) {
    const char *name = variant->variable[variable].name;
    for (bl_index d = 0; d < variant->ndriver; d++)
        if (variant->driver[d].variable == variable)
            return bl_fail(variant->ctx, BL_E_ARG, &variant->driver[d].place, "variable '%s' cannot be held: it is already driven or held",
                           name);
    bl_driver driver = {.name = name, .place = {variant->file, 0, 0}, .variable = variable};
    BL_TRY(constant_law(variant, value, &driver.law));
    variant->driver[variant->ndriver++] = driver;
    return BL_OK;
}

static bl_status vary(bl_context *ctx, const bl_model *model, const bl_variant_ask *ask, bl_model *v) {
    *v = *model;
    v->ctx = ctx;
    v->arena = (bl_arena){.ctx = ctx};
    v->law = NULL;
    v->nlaw = 0;
    v->ndriver = 0;
    v->base = model;
    BL_TRY(BL_NEW(ctx, v->law, (size_t)(model->nlaw + ask->nhold)));
    if (model->nlaw)
        memcpy(v->law, model->law, (size_t)model->nlaw * sizeof *v->law);
    v->nlaw = model->nlaw;
    BL_TRY(BL_ARENA_NEW(&v->arena, v->driver, model->ndriver + ask->nhold));
    if (!ask->release && model->ndriver) {
        memcpy(v->driver, model->driver, (size_t)model->ndriver * sizeof *v->driver);
        v->ndriver = model->ndriver;
    }
    if (ask->begin) {
        v->initial = (bl_initial *)(uintptr_t)ask->initial; /* a model is never modified after reading */
        v->ninitial = ask->ninitial;
    }
    for (bl_index i = 0; i < ask->nhold; i++)
        BL_TRY(add_driver(v, ask->hold[i], ask->value[i]));
    return BL_OK;
}

bl_status bl_model_vary(bl_context *ctx, const bl_model *model, const bl_variant_ask *ask, bl_model **out) {
    bl_model *v;
    *out = NULL;
    BL_TRY(BL_NEW(ctx, v, 1));
    bl_status status = vary(ctx, model, ask, v);
    if (status == BL_OK)
        *out = v;
    else
        bl_model_unvary(v);
    return status;
}

void bl_model_unvary(bl_model *v) {
    if (!v)
        return;
    bl_context *ctx = v->ctx;
    for (bl_index i = v->base->nlaw; i < v->nlaw; i++)
        bl_tape_destroy(v->law[i].tape);
    bl_free(ctx, v->law);
    bl_arena_destroy(&v->arena);
    bl_free(ctx, v);
}

/* ---- parameters */

bl_status bl_model_revalue(bl_context *ctx, const bl_model *model, const bl_override *override, bl_index noverride, bl_model **out) {
    *out = NULL;
    if (model->deck)
        return bl_fail(ctx, BL_E_ABILITY, NULL, "'%s' is a deck (.inp), which has no parameters", model->file);
    for (bl_index i = 0; i < noverride; i++) {
        bl_index which = bl_model_parameter(model, override[i].name);
        if (which < 0 || !(model->parameter[which].use & BL_PARAMETER_IN_SHAPE))
            continue;
        bl_fail(ctx, BL_E_ABILITY, &model->parameter[which].place, "parameter '%s' is used in a count, which cannot change during a study",
                override[i].name);
        bl_advise(ctx, "run one study for each value: --set %s=NUMBER", override[i].name);
        return BL_E_ABILITY;
    }
    bl_override *all;
    BL_TRY(BL_NEW(ctx, all, (size_t)(model->noverride + noverride)));
    if (model->noverride)
        memcpy(all, model->override, (size_t)model->noverride * sizeof *all);
    if (noverride)
        memcpy(all + model->noverride, override, (size_t)noverride * sizeof *all);
    bl_read_options options = {.size = sizeof options,
                               .override = all,
                               .noverride = model->noverride + noverride,
                               .files = model->files,
                               .share = model->share,
                               .contact = model->contact_option};
    bl_status status = bl_model_open_text(ctx, model->file, model->source, model->source_bytes, &options, out);
    bl_free(ctx, all);
    if (status == BL_OK)
        (*out)->settings.closure = model->settings.closure;
    return status;
}

/* ---- contacts that yield */

bl_status bl_model_yield(bl_context *ctx, const bl_model *model, const bl_yield *list, bl_index n, bl_model **out) {
    bl_read_options options = {
        .size = sizeof options, .override = model->override, .noverride = model->noverride, .files = model->files, .share = model->share};
    *out = NULL;
    BL_TRY(bl_model_open_yielding(ctx, model->file, model->source, model->source_bytes, &options, list, n, out));
    (*out)->settings.closure = model->settings.closure;
    return BL_OK;
}

/* ---- contacts by time stepping */

bl_status bl_model_stepping(bl_context *ctx, const bl_model *model, bl_model **out) {
    bl_read_options options = {.size = sizeof options,
                               .override = model->override,
                               .noverride = model->noverride,
                               .files = model->files,
                               .share = model->share,
                               .contact = "stepping"};
    *out = NULL;
    BL_TRY(bl_model_open_text(ctx, model->file, model->source, model->source_bytes, &options, out));
    (*out)->settings.closure = model->settings.closure;
    return BL_OK;
}
