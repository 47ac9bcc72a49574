/* The study `reduce`: bodies that were reduced while their model was read, as text from which models read them again
 * (model/reduced_bodies.c). */
#include "model/model.h"

#include "biela/reduce.h"

#include <string.h>

static bl_status find_body(bl_context *ctx, const bl_model *model, const char *body, const bl_elastic_def **found) {
    const char *only = NULL, *first = NULL;
    bl_index count = 0;
    *found = NULL;
    for (const bl_elastic_def *e = model->elastic; e < model->elastic + model->nelastic; e++) {
        if (!e->floating)
            continue;
        first = first ? first : e->name;
        count++;
        if (body ? strcmp(body, e->name) == 0 : count == 1)
            *found = e;
    }
    only = count == 1 ? first : NULL;
    if (*found && (body || only))
        return BL_OK;
    if (count == 0) {
        bl_fail(ctx, BL_E_MODEL, NULL, "the model has no reduced body");
        bl_advise(ctx, "a meshed body with `coordinates: floating`, `modes` and `interfaces` is reduced");
    } else if (body) {
        bl_fail(ctx, BL_E_MODEL, NULL, "the model has no reduced body '%s'", body);
        bl_advise(ctx, "the first one is '%s'", first);
    } else {
        bl_fail(ctx, BL_E_MODEL, NULL, "the model has %d reduced bodies: choose one by its name", (int)count);
        bl_advise(ctx, "the first one is '%s'", first);
    }
    return BL_E_MODEL;
}

static void write_interfaces(const bl_model *model, const bl_elastic_def *e, bl_json *json) {
    bl_json_open(json, "interfaces", '[');
    for (bl_index i = 0; i < e->nframe; i++) {
        const bl_body *frame = &model->body[e->frame + i];
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "name", frame->name + strlen(e->name) + 1);
        bl_json_numbers(json, "at", frame->center, model->dim);
        if (i > 0)
            bl_json_numbers(json, "shape", e->floating->end[i - 1].shape, (model->dim == 3 ? 6 : 3) * e->floating->n);
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
}

bl_status bl_reduced_json(bl_context *ctx, const bl_model *model, const char *body, bl_json *json) {
    const bl_elastic_def *e;
    if (!ctx || !model || !json)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_reduced_json needs a context, a model and a writer");
    BL_TRY(find_body(ctx, model, body, &e));
    const bl_floating_def *f = e->floating;
    bl_index inner = 1 + model->dim * (1 + f->n);
    bl_json_open(json, NULL, '{');
    bl_json_text(json, "reduced_body", e->name);
    bl_json_integer(json, "version", 1);
    bl_json_integer(json, "dimension", model->dim);
    write_interfaces(model, e, json);
    bl_json_texts(json, "shapes", f->name, f->n);
    bl_json_numbers(json, "scale", f->scale, f->n);
    bl_json_numbers(json, "damping", f->damping, 2);
    bl_json_numbers(json, "mass", f->mass, inner * inner);
    bl_json_numbers(json, "stiffness", f->stiffness, f->n * f->n);
    if (f->stiffening) {
        bl_json_numbers(json, "flexibility", f->flexibility, f->n * f->n);
        bl_json_numbers(json, "stiffening", f->stiffening, f->n * f->n * f->n);
    }
    bl_json_close(json, '}');
    return json->status;
}
