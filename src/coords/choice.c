#include "coords/choice.h"

#include <stdio.h>
#include <string.h>

enum { MOST_KINDS = 16 };

/* the kind named by the specification of the model or of a body, and its options */
static bl_status read_spec(bl_context *ctx, bl_coords_choice *c, const char *spec, bool of_body, const bl_coords_kind **kind,
                           bl_body_choice *out) {
    const bl_kind *list[MOST_KINDS], *found = NULL;
    const bl_coords_kind *of[MOST_KINDS];
    size_t n = 0;
    const char *options;
    bl_value value[BL_MAX_PARAMS];
    for (size_t i = 0; i < bl_coords_kind_count && n < MOST_KINDS; i++) {
        of[n] = bl_coords_kinds[i];
        list[n] = of_body ? of[n]->of_body : &of[n]->kind;
        n += list[n] != NULL;
    }
    BL_TRY(bl_kind_find(ctx, "coordinates", list, n, spec, &found, &options));
    while (list[n - 1] != found)
        n--;
    *kind = of[n - 1];
    BL_TRY(bl_kind_options(ctx, &c->arena, found, options, value));
    out->how = (*kind)->bodies;
    return found->params && (*kind)->choose ? (*kind)->choose(ctx, value, c, out) : BL_OK;
}

/* repeats the error at the location of the body's coordinates, or of the body */
static bl_status fail_at_body(bl_context *ctx, const bl_body *body) {
    bl_error why = *bl_context_error(ctx);
    bl_fail(ctx, BL_E_MODEL, body->coordinates ? &body->coordinates_at : &body->place, "body '%s': %s", body->name, why.what);
    bl_advise(ctx, "%s", why.advice);
    return BL_E_MODEL;
}

static bl_status choose_body(bl_context *ctx, bl_coords_choice *c, const bl_body *body, bl_body_choice *out) {
    const bl_body_choice usual = *out;
    const bl_coords_kind *kind = NULL;
    *out = (bl_body_choice){0};
    bl_status status = read_spec(ctx, c, body->coordinates, true, &kind, out);
    if (status == BL_E_ARG && !kind) {
        bl_fail(ctx, status, NULL, "unknown coordinates '%s' of a body", body->coordinates);
        bl_advise(ctx, "use natural, relative or reference; reference may name an orientation: reference:angles");
    }
    if (status == BL_E_ARG)
        return fail_at_body(ctx, body);
    BL_TRY(status);
    if (out->how == usual.how && !out->chosen) /* the same orientation as the other bodies */
        *out = usual;
    out->from_body = true;
    if (out->how == BL_COORDS_NATURAL || body->ncarry == 0)
        return BL_OK;
    bl_fail(ctx, BL_E_MODEL, &body->coordinates_at, "body '%s': carry needs natural coordinates, but the body has %s ones", body->name,
            kind->kind.name);
    bl_advise(ctx, "remove carry, or set coordinates: natural");
    return BL_E_MODEL;
}

/* in a tree a floating body is oriented by a rotation vector */
static bl_status check_tree(bl_context *ctx, const bl_coords_choice *c) {
    const bl_model *model = c->model;
    for (bl_index b = 1; c->count[BL_COORDS_RELATIVE] > 0 && b < model->nbody; b++) {
        const bl_body_choice *body = &c->body[b];
        if (body->how != BL_COORDS_REFERENCE || !body->chosen)
            continue;
        bl_fail(ctx, BL_E_ARG, NULL, "its orientation cannot be chosen: it floats in a model with relative coordinates");
        bl_advise(ctx, "write reference without an orientation, or make no body relative");
        return fail_at_body(ctx, &model->body[b]);
    }
    return BL_OK;
}

static void log_choice(bl_context *ctx, const bl_coords_choice *c) {
    static const char *const word[BL_COORDS_COUNT] = {"natural", "reference", "relative"};
    char text[160] = "";
    size_t used = 0;
    for (int k = 0; k < BL_COORDS_COUNT; k++)
        if (c->count[k] > 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%d %s", used ? ", " : "", (int)c->count[k], word[k]);
    bl_log(ctx, BL_LOG_INFO, "coordinates of bodies: %s", text);
}

bl_status bl_coords_choose(bl_context *ctx, const bl_model *model, const char *spec, bl_coords_choice *c) {
    bl_body_choice usual = {0};
    bool differs = false;
    *c = (bl_coords_choice){.model = model, .arena = {.ctx = ctx}};
    BL_TRY(read_spec(ctx, c, spec, false, &c->kind, &usual));
    BL_TRY(BL_ARENA_NEW(&c->arena, c->body, model->nbody));
    for (bl_index b = 1; b < model->nbody; b++) {
        c->body[b] = model->body[b].what == BL_BODY_RIGID ? usual : (bl_body_choice){0}; /* parts of elastic bodies are natural */
        if (model->body[b].coordinates)
            BL_TRY(choose_body(ctx, c, &model->body[b], &c->body[b]));
        c->count[c->body[b].how]++;
        differs =
            differs || c->body[b].how != usual.how || c->body[b].orientation != usual.orientation || c->body[b].sequence != usual.sequence;
    }
    BL_TRY(check_tree(ctx, c));
    if (differs)
        log_choice(ctx, c);
    return BL_OK;
}

void bl_coords_choice_free(bl_coords_choice *c) { bl_arena_destroy(&c->arena); }
