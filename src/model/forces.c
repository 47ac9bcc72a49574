/* Forces: type and values of the parameter table; `bodies: [a, b]` fills the body parameters in order. */
#include "force/force.h"
#include "model/reader.h"

#include <stdio.h>
#include <string.h>

static bl_status fill_bodies(bl_reader *r, const bl_item *bodies, const bl_kind *kind, bl_value *values) {
    bl_index next = 0;
    int side = 0;
    bl_index nparam = bl_param_count(kind->params);
    if (bodies->kind != BL_ITEM_LIST)
        return bl_fail(r->ctx, BL_E_MODEL, &bodies->place, "bodies must be a list of body names");
    for (bl_index i = 0; i < bodies->count; i++) {
        side += i > 0;
        while (next < nparam && kind->params[next].type != BL_P_BODY)
            next++;
        if (next >= nparam) {
            char most[32];
            snprintf(most, sizeof most, i == 0 ? "no bodies" : i == 1 ? "one body" : "%d bodies", (int)i);
            return bl_fail(r->ctx, BL_E_MODEL, &bodies->value[i]->place, "a force of type %s takes %s, found %d", kind->name, most,
                           (int)bodies->count);
        }
        if (values[next].given)
            return bl_fail(r->ctx, BL_E_MODEL, &bodies->value[i]->place, "the body is given twice: in 'bodies' and as '%s'",
                           kind->params[next].name);
        BL_TRY(bl_item_body_at(r, bodies->value[i], "bodies", bl_params_point(kind, values, side), &values[next].ref));
        values[next].given = true;
        values[next++].place = bodies->value[i]->place;
    }
    return BL_OK;
}

static bl_status read_force(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const own[] = {"name", "type", "bodies"};
    (void)user;
    bl_model *model = r->model;
    bl_force_def *force = &model->force[model->nforce];
    const bl_item *bodies = bl_item_get(entry, "bodies");
    bl_index which;
    BL_TRY(bl_item_map(r, entry, "a force"));
    BL_TRY(bl_section_name(r, entry, "force", &r->forces, model->nforce, &force->name));
    force->place = entry->place;
    BL_TRY(bl_params_kind(r, entry, "force", (const void *const *)bl_force_kinds, bl_force_kind_count, &which));
    force->kind = bl_force_kinds[which];
    const bl_kind *kind = &force->kind->kind;
    BL_TRY(bl_params_read(r, entry, kind, "force", own, sizeof own / sizeof *own, BL_USE_TIME | BL_USE_STATE | BL_USE_OWN | BL_USE_REACTION,
                          force->value));
    if (bodies)
        BL_TRY(fill_bodies(r, bodies, kind, force->value));
    BL_TRY(bl_params_required(r, entry, kind, "force", force->value));
    BL_TRY(bl_params_resolve(r));
    model->nforce++;
    r->part = NULL;
    return BL_OK;
}

bl_status bl_read_forces(bl_reader *r) { return BL_SECTION_READ(r, "forces", r->model->force, read_force); }
