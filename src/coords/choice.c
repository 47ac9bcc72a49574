/* See choice.h. */
#include "coords/choice.h"

#include <stdio.h>
#include <string.h>

static const bl_kind body_natural = {"natural", "points and unit vectors, shared with other natural bodies", NULL, 0, 0};
static const bl_kind *const body_kinds[] = {&body_natural, &bl_coords_reference, &bl_coords_relative};

static bl_held_way way_of(const bl_kind *kind) {
    return kind == &bl_coords_reference ? BL_WAY_REFERENCE : kind == &bl_coords_relative ? BL_WAY_RELATIVE : BL_WAY_NATURAL;
}

enum { ORIENTATION, SEQUENCE, VIEW }; /* parameters of reference coordinates */

static bl_status choose_turns(bl_context *ctx, const bl_model *model, const bl_value *value, bl_body_choice *c) {
    if (model->dim == 2) { /* one angle, whatever turns in space */
        c->turns = &bl_orientation_angle;
        return BL_OK;
    }
    c->chosen = value[ORIENTATION].given || value[SEQUENCE].given || value[VIEW].given;
    c->turns = bl_orientation_named(value[ORIENTATION].text);
    c->sequence = value[SEQUENCE].given ? value[SEQUENCE].text : NULL;
    if (c->sequence && !c->turns->sequence) {
        bl_fail(ctx, BL_E_ARG, NULL, "reference: a sequence says how angles turn, not %s", c->turns->name);
        bl_advise(ctx, "reference:angles,sequence=%s", c->sequence);
        return BL_E_ARG;
    }
    if (value[VIEW].number != 1)
        return BL_OK;
    if (!c->turns->tangent) {
        bl_fail(ctx, BL_E_ARG, NULL, "reference: %s have no tangent view, they are not redundant", c->turns->name);
        bl_advise(ctx, "reference:quaternion,view=tangent");
        return BL_E_ARG;
    }
    c->turns = c->turns->tangent;
    return BL_OK;
}

static bl_status read_spec(bl_context *ctx, bl_coords_choice *c, const char *room, const bl_kind *const *list, size_t count,
                           const char *spec, const bl_kind **kind, bl_value *value, bl_body_choice *out) {
    const char *options;
    BL_TRY(bl_kind_find(ctx, room, list, count, spec, kind, &options));
    BL_TRY(bl_kind_options(ctx, &c->arena, *kind, options, value));
    out->how = way_of(*kind);
    return out->how == BL_WAY_REFERENCE ? choose_turns(ctx, c->model, value, out) : BL_OK;
}

/* the error again, at the place of the body's word, or of the body */
static bl_status blame(bl_context *ctx, const bl_body *body) {
    bl_error why = *bl_context_error(ctx);
    bl_fail(ctx, BL_E_MODEL, body->coordinates ? &body->coordinates_at : &body->place, "body '%s': %s", body->name, why.what);
    bl_advise(ctx, "%s", why.advice);
    return BL_E_MODEL;
}

static bl_status choose_body(bl_context *ctx, bl_coords_choice *c, const bl_body *body, bl_body_choice *out) {
    const bl_body_choice usual = *out;
    const bl_kind *kind = NULL;
    bl_value value[BL_MAX_PARAMS];
    *out = (bl_body_choice){0};
    bl_status status =
        read_spec(ctx, c, "coordinates", body_kinds, sizeof body_kinds / sizeof *body_kinds, body->coordinates, &kind, value, out);
    if (status == BL_E_ARG && !kind) {
        bl_fail(ctx, status, NULL, "there are no coordinates '%s' for one body", body->coordinates);
        bl_advise(ctx, "a body says natural, relative or reference, that with an orientation if wanted: reference:angles");
    }
    if (status == BL_E_ARG)
        return blame(ctx, body);
    BL_TRY(status);
    if (out->how == usual.how && !out->chosen) /* as the others turn */
        *out = usual;
    out->said = true;
    if (out->how == BL_WAY_NATURAL || body->ncarry == 0)
        return BL_OK;
    bl_fail(ctx, BL_E_MODEL, &body->coordinates_at, "body '%s' cannot carry points or vectors as coordinates when it is %s", body->name,
            kind->name);
    bl_advise(ctx, "leave out carry, or say coordinates: natural");
    return BL_E_MODEL;
}

/* in a tree a floating body turns by a rotation vector */
static bl_status check_tree(bl_context *ctx, const bl_coords_choice *c) {
    const bl_model *model = c->model;
    for (bl_index b = 1; c->count[BL_WAY_RELATIVE] > 0 && b < model->nbody; b++) {
        const bl_body_choice *body = &c->body[b];
        if (body->how != BL_WAY_REFERENCE || !body->chosen)
            continue;
        bl_fail(ctx, BL_E_ARG, NULL, "in reference coordinates it floats beside relative ones, where no orientation can be chosen");
        bl_advise(ctx, "say reference alone, or let no body be relative");
        return blame(ctx, &model->body[b]);
    }
    return BL_OK;
}

static void tell(bl_context *ctx, const bl_coords_choice *c) {
    static const char *const word[BL_WAYS] = {"natural", "reference", "relative"};
    char text[160] = "";
    size_t used = 0;
    for (int k = 0; k < BL_WAYS; k++)
        if (c->count[k] > 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%d %s", used ? ", " : "", (int)c->count[k], word[k]);
    bl_log(ctx, BL_LOG_INFO, "coordinates of bodies: %s", text);
}

bl_status bl_coords_choose(bl_context *ctx, const bl_model *model, const char *spec, bl_coords_choice *c) {
    bl_value value[BL_MAX_PARAMS];
    bl_body_choice usual = {0};
    bool differs = false;
    *c = (bl_coords_choice){.model = model, .arena = {.ctx = ctx}};
    BL_TRY(read_spec(ctx, c, "coordinates", bl_coords_kinds, bl_coords_kind_count, spec, &c->kind, value, &usual));
    c->mixed = c->kind == &bl_coords_mixed;
    c->switching = usual.how == BL_WAY_NATURAL && value[0].number == 1;
    c->inputs = c->mixed && value[1].number == 1;
    c->body = bl_arena_alloc(&c->arena, (size_t)model->nbody, sizeof *c->body);
    if (!c->body)
        return BL_E_MEMORY;
    for (bl_index b = 1; b < model->nbody; b++) {
        c->body[b] = usual;
        if (model->body[b].coordinates)
            BL_TRY(choose_body(ctx, c, &model->body[b], &c->body[b]));
        c->count[c->body[b].how]++;
        differs = differs || c->body[b].how != usual.how || c->body[b].turns != usual.turns || c->body[b].sequence != usual.sequence;
    }
    BL_TRY(check_tree(ctx, c));
    if (differs)
        tell(ctx, c);
    return BL_OK;
}

void bl_coords_choice_free(bl_coords_choice *c) { bl_arena_destroy(&c->arena); }
