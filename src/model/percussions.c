/* Percussions of events: `percussion: {body, at, impulse}` or `{variable, impulse}`. Their directions are needed with the geometry
 * of contacts, before expressions can be read; the impulses are read with the events. */
#include "joint/joint.h"
#include "model/reader.h"

#include <math.h>

enum { AT, VARIABLE }; /* parameters of joint/percussion_directions.c */

static bl_status place_of(bl_reader *r, const bl_item *map, bl_joint_def *joint) {
    const bl_item *body, *at = bl_item_get(map, "at");
    BL_TRY(bl_item_need(r, map, "a percussion", "body", &body));
    joint->body[0] = 0;
    if (at)
        BL_TRY(bl_item_point(r, at, "at", joint->value[AT].vector));
    BL_TRY(bl_item_body_at(r, body, "body", at ? joint->value[AT].vector : NULL, &joint->body[1]));
    if (joint->body[1] == 0)
        return bl_fail(r->ctx, BL_E_MODEL, &body->place, "a percussion acts on a body that moves, not on ground");
    joint->value[AT].given = true;
    for (int k = 0; k < 3 && !at; k++)
        joint->value[AT].vector[k] = r->model->body[joint->body[1]].center[k];
    return BL_OK;
}

static bl_status variable_of(bl_reader *r, const bl_item *item, bl_joint_def *joint) {
    const char *text;
    bool rate;
    BL_TRY(bl_item_text(r, item, "variable", &text));
    bl_index which = bl_symbols_variable(r, text, &rate);
    if (which < 0 || rate) {
        bl_fail(r->ctx, BL_E_MODEL, &item->place, "there is no variable '%s' for a percussion", text);
        bl_names_advise(r, text, (const bl_names *const[]){&r->variables, NULL});
        return BL_E_MODEL;
    }
    joint->value[VARIABLE] = (bl_value){.given = true, .ref = which, .place = item->place};
    return BL_OK;
}

static bl_status add_directions(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const keys[] = {"body", "at", "variable", "impulse"};
    const bl_item *map = entry->kind == BL_ITEM_MAP ? bl_item_get(entry, "percussion") : NULL, *variable;
    bl_contact_def *contact;
    bl_joint_def *joint;
    bl_index *number = user;
    if (!map)
        return BL_OK;
    if (bl_contacts_step(r))
        return bl_fail(r->ctx, BL_E_MODEL, &map->place, "percussions belong to `contact: events`: with `contact: stepping` there are none");
    BL_TRY(bl_item_map(r, map, "a percussion"));
    BL_TRY(bl_item_keys(r, map, "a percussion", keys, sizeof keys / sizeof *keys, NULL));
    const char *name = bl_arena_printf(&r->model->arena, "percussion %d", (int)++*number);
    if (!name)
        return BL_E_MEMORY;
    BL_TRY(bl_contacts_add(r, name, &map->place, &bl_joint_percussion, &contact, &joint));
    contact->percussion = true;
    variable = bl_item_get(map, "variable");
    if (variable && bl_item_get(map, "body"))
        return bl_fail(r->ctx, BL_E_MODEL, &variable->place, "a percussion acts on a body or on a variable, not on both");
    return variable ? variable_of(r, variable, joint) : place_of(r, map, joint);
}

bl_status bl_read_percussions(bl_reader *r) {
    bl_index number = 0;
    return bl_section_each(r, "events", add_directions, &number);
}

/* the directions that add_directions made for the next event with a percussion */
static bl_index next_directions(bl_reader *r) {
    const bl_model *model = r->model;
    bl_index contact = model->npercussion ? model->percussion[model->npercussion - 1].contact + 1 : 0;
    while (contact < model->ncontact && !model->contact[contact].percussion)
        contact++;
    return contact;
}

bl_status bl_percussion_read(bl_reader *r, const bl_item *map, bl_index *which) {
    bl_model *model = r->model;
    const bl_item *impulse;
    unsigned use = BL_USE_TIME | BL_USE_STATE;
    bl_percussion_def def = {.place = map->place, .contact = next_directions(r), .law = {-1, -1, -1}};
    bool variable = bl_item_get(map, "variable") != NULL;
    def.n = variable ? 1 : model->dim;
    BL_TRY(bl_item_need(r, map, "a percussion", "impulse", &impulse));
    if (variable)
        BL_TRY(bl_laws_read(r, impulse, "impulse", use, &def.law[0], &def.value[0]));
    else if (impulse->kind != BL_ITEM_LIST || impulse->count != def.n)
        return bl_fail(r->ctx, BL_E_MODEL, &impulse->place, "impulse must be a list of %d numbers or expressions", (int)def.n);
    for (bl_index k = 0; k < def.n && !variable; k++)
        BL_TRY(bl_laws_read(r, impulse->value[k], "impulse", use, &def.law[k], &def.value[k]));
    bl_percussion_def *all;
    BL_TRY(BL_ARENA_NEW(&model->arena, all, (size_t)model->npercussion + 1));
    for (bl_index k = 0; k < model->npercussion; k++)
        all[k] = model->percussion[k];
    all[ *which = model->npercussion++] = def;
    model->percussion = all;
    return BL_OK;
}
