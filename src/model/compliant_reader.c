/* Compliant contacts and buffers: contacts and stops with a stiffness. They are forces (force/compliant_contact.c, force/buffer.c),
 * collected while contacts and stops are read and then put behind the forces of the model, whose names they share. */
#include "force/force.h"
#include "model/reader.h"
#include "model/variant.h"

#include <string.h>

const bl_item *bl_compliant_key(const bl_item *entry, const bl_force_kind *kind) {
    for (const bl_param *param = kind->kind.params; param->name; param++) {
        const bl_item *item = bl_item_get(entry, param->name);
        if (item)
            return item;
    }
    return NULL;
}

static bl_status refuse_key(bl_reader *r, const bl_item *entry, const char *key, const char *what, const char *advice) {
    const bl_item *item = bl_item_get(entry, key);
    if (!item)
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &item->place, "%s with a stiffness has no '%s'", what, key);
    bl_advise(r->ctx, "%s", advice);
    return BL_E_MODEL;
}

bl_status bl_compliant_read(bl_reader *r, const bl_item *entry, const char *what, const bl_force_kind *kind, const char *const *own,
                            size_t nown, bl_value value[BL_MAX_PARAMS]) {
    const bl_item *exponent = bl_item_get(entry, "exponent");
    double n = 1;
    BL_TRY(bl_item_keys(r, entry, what, own, nown, kind->kind.params));
    BL_TRY(refuse_key(r, entry, "restitution", what, "its damping determines how fast it separates: 0: no loss"));
    BL_TRY(refuse_key(r, entry, "static", what, "its friction is smoothed over a speed, so that it creeps; use a rigid contact to stick"));
    BL_TRY(bl_params_read(r, entry, &kind->kind, what, own, nown, 0, value));
    BL_TRY(bl_params_required(r, entry, &kind->kind, what, value));
    if (exponent)
        BL_TRY(bl_item_number(r, exponent, "exponent", &n));
    if (n >= 1)
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &exponent->place, "exponent must be 1 or more, found %g", n);
    bl_advise(r->ctx, "1: proportional to the depth; 1.5: two round surfaces (Hertz)");
    return BL_E_MODEL;
}

bool bl_compliant_yields(const bl_reader *r, const char *name, const bl_place *place, bl_value value[BL_MAX_PARAMS]) {
    for (bl_index i = 0; i < r->nyield; i++) {
        const bl_yield *y = &r->yield[i];
        if (strcmp(y->name, name) != 0)
            continue;
        const double number[] = {y->stiffness, y->exponent, y->damping, y->velocity};
        for (int k = 0; k < 4; k++) /* in the order of the table, velocity last */
            value[k] = (bl_value){.given = true, .number = number[k], .law = {-1, -1, -1}, .place = *place};
        return true;
    }
    return false;
}

bl_status bl_compliant_add(bl_reader *r, const bl_force_def *def) {
    BL_TRY(BL_RESERVE(r->ctx, r->compliant, r->compliant_capacity, r->ncompliant + 1));
    r->compliant[r->ncompliant++] = *def;
    return BL_OK;
}

bl_status bl_compliant_append(bl_reader *r) {
    bl_model *model = r->model;
    bl_force_def *all;
    if (r->ncompliant == 0)
        return BL_OK;
    BL_TRY(BL_ARENA_NEW(&model->arena, all, (size_t)model->nforce + (size_t)r->ncompliant));
    if (model->nforce)
        memcpy(all, model->force, (size_t)model->nforce * sizeof *all);
    memcpy(all + model->nforce, r->compliant, (size_t)r->ncompliant * sizeof *all);
    for (bl_index i = model->nforce; i < model->nforce + r->ncompliant; i++)
        BL_TRY(bl_names_add(r, &r->forces, "force", all[i].name, i, &all[i].place));
    model->force = all;
    model->nforce += r->ncompliant;
    return BL_OK;
}
