/* Stops: bounds of joint variables, in the section `stops` or as `lower` and `upper` of a joint with one variable. Each becomes a one-sided
 * constraint whose geometry is behind the joints of the model (joint/stop.c). */
#include "force/force.h"
#include "joint/joint.h"
#include "model/reader.h"

#include <math.h>
#include <string.h>

bl_status bl_contacts_add(bl_reader *r, const char *name, const bl_place *place, const bl_joint_kind *kind, bl_contact_def **contact,
                          bl_joint_def **joint) {
    BL_TRY(BL_RESERVE(r->ctx, r->contact, r->contact_capacity, r->ncontact + 1));
    BL_TRY(BL_RESERVE(r->ctx, r->contact_joint, r->contact_joint_capacity, r->ncontact + 1));
    *contact = &r->contact[r->ncontact];
    *joint = &r->contact_joint[r->ncontact++];
    **contact = (bl_contact_def){.name = name, .place = *place, .force = -1, .group = -1, .near = {-1, -1, -1, -1, -1, -1}, .solid = -1};
    **joint = (bl_joint_def){.name = name, .place = *place, .kind = kind, .body = {-1, -1}, .first_var = -1};
    return BL_OK;
}

bl_status bl_contacts_append(bl_reader *r) {
    bl_model *model = r->model;
    bl_joint_def *all;
    if (r->ncontact == 0)
        return BL_OK;
    BL_TRY(BL_ARENA_NEW(&model->arena, all, (size_t)model->njoint + (size_t)r->ncontact));
    BL_TRY(BL_ARENA_NEW(&model->arena, model->contact, r->ncontact));
    if (model->njoint)
        memcpy(all, model->joint, (size_t)model->njoint * sizeof *all);
    memcpy(all + model->njoint, r->contact_joint, (size_t)r->ncontact * sizeof *all);
    memcpy(model->contact, r->contact, (size_t)r->ncontact * sizeof *r->contact);
    model->joint = all;
    model->ncontact = r->ncontact;
    return BL_OK;
}

bl_status bl_contacts_restitution(bl_reader *r, const bl_item *map, double *restitution) {
    const bl_item *item = bl_item_get(map, "restitution");
    *restitution = 0;
    if (!item)
        return BL_OK;
    BL_TRY(bl_item_number(r, item, "restitution", restitution));
    if (*restitution >= 0 && *restitution <= 1)
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &item->place, "restitution must be between 0 and 1, found %g", *restitution);
    bl_advise(r->ctx, "it is the speed after an impact as a share of the speed before: 0: no rebound, 1: no loss");
    return BL_E_MODEL;
}

bl_status bl_contacts_friction(bl_reader *r, const bl_item *map, double *friction, double *sticking) {
    const bl_item *sliding = bl_item_get(map, "friction"), *rest = bl_item_get(map, "static");
    *friction = 0;
    if (sliding) {
        BL_TRY(bl_item_number(r, sliding, "friction", friction));
        BL_TRY(bl_item_range(r, &sliding->place, "friction", BL_NOT_NEGATIVE, *friction));
    }
    *sticking = *friction;
    if (!rest)
        return BL_OK;
    BL_TRY(bl_item_number(r, rest, "static", sticking));
    BL_TRY(bl_item_range(r, &rest->place, "static", BL_NOT_NEGATIVE, *sticking));
    if (*sticking >= *friction)
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &rest->place, "static = %g is less than friction = %g", *sticking, *friction);
    bl_advise(r->ctx, "static is the coefficient at rest: friction starts to slide there and is then smaller or the same");
    return BL_E_MODEL;
}

bl_status bl_contacts_claim(bl_reader *r, const char *name, const bl_place *place) {
    return bl_names_add(r, &r->contacts, "contact or stop", name, 0, place);
}

typedef struct bounds {
    const bl_item *of[2]; /* lower, upper; NULL: not given */
    double value[2], restitution;
    const bl_force_def *buffer; /* NULL: rigid */
} bounds;

/* a bound with a stiffness: a force */
static bl_status add_buffer(bl_reader *r, const char *name, bl_index variable, const bounds *at, int upper, const bl_force_def *buffer) {
    bl_force_def force = *buffer;
    bl_value *variables = &force.value[BL_BUFFER_VARIABLE], *bound = &force.value[BL_BUFFER_BOUND], *side = &force.value[BL_BUFFER_SIDE];
    force.name = name;
    force.place = at->of[upper]->place;
    *variables = *bound = *side = (bl_value){.given = true, .ref = variable, .law = {-1, -1, -1}, .place = force.place};
    bound->number = at->value[upper];
    side->number = upper ? -1 : 1;
    return bl_compliant_add(r, &force);
}

static bl_status add_stop(bl_reader *r, const char *name, bl_index variable, const bounds *at, int upper) {
    enum { VARIABLE, BOUND, SIDE };
    bl_contact_def *contact;
    bl_joint_def *joint;
    const char *full = bl_arena_printf(&r->model->arena, "%s.%s", name, upper ? "upper" : "lower");
    if (!full)
        return BL_E_MEMORY;
    if (at->buffer)
        return add_buffer(r, full, variable, at, upper, at->buffer);
    bl_force_def yielding = {.kind = &bl_force_buffer};
    if (bl_compliant_yields(r, full, &at->of[upper]->place, yielding.value))
        return add_buffer(r, full, variable, at, upper, &yielding);
    BL_TRY(bl_contacts_claim(r, full, &at->of[upper]->place));
    BL_TRY(bl_contacts_add(r, full, &at->of[upper]->place, &bl_joint_stop, &contact, &joint));
    contact->restitution = at->restitution;
    joint->value[VARIABLE] = (bl_value){.given = true, .ref = variable, .place = at->of[upper]->place};
    joint->value[BOUND] = (bl_value){.given = true, .number = at->value[upper], .place = at->of[upper]->place};
    joint->value[SIDE] = (bl_value){.given = true, .number = upper ? -1 : 1};
    return BL_OK;
}

static bl_status read_bounds(bl_reader *r, const bl_item *map, bounds *at) {
    static const char *const keys[2] = {"lower", "upper"};
    for (int k = 0; k < 2; k++) {
        at->of[k] = bl_item_get(map, keys[k]);
        if (at->of[k])
            BL_TRY(bl_item_number(r, at->of[k], keys[k], &at->value[k]));
    }
    BL_TRY(bl_contacts_restitution(r, map, &at->restitution));
    if (!at->of[0] || !at->of[1] || at->value[0] < at->value[1])
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &at->of[1]->place, "the stops cross: upper = %g is not above lower = %g", at->value[1], at->value[0]);
    bl_advise(r->ctx, "the variable moves between lower and upper; to hold it at one value use a driver");
    return BL_E_MODEL;
}

static bl_status add_stops(bl_reader *r, const char *name, bl_index variable, const bounds *at) {
    for (int k = 0; k < 2; k++)
        if (at->of[k])
            BL_TRY(add_stop(r, name, variable, at, k));
    return BL_OK;
}

/* ---- bounds of joints */

static bl_status read_joint_bounds(bl_reader *r, const bl_item *entry, void *user) {
    bl_index *number = user;
    const bl_joint_def *joint = &r->model->joint[(*number)++];
    bounds at = {.buffer = NULL};
    bl_index first = joint->first_var, n = 0;
    r->part = joint->name;
    BL_TRY(read_bounds(r, entry, &at));
    const bl_item *any = at.of[0] ? at.of[0] : at.of[1] ? at.of[1] : bl_item_get(entry, "restitution");
    r->part = NULL;
    if (!any)
        return BL_OK;
    while (first >= 0 && joint->kind->variables[n])
        n++;
    if (n != 1) {
        bl_fail(r->ctx, BL_E_MODEL, &any->place,
                n ? "joint '%s' has %d variables: lower and upper do not say which one they bound"
                  : "joint '%s' has no variable that could be bounded",
                joint->name, (int)n);
        bl_advise(r->ctx, "use the section `stops: [{variable: NAME, lower: ..., upper: ...}]`");
        return BL_E_MODEL;
    }
    if (!at.of[0] && !at.of[1])
        return bl_fail(r->ctx, BL_E_MODEL, &any->place, "joint '%s': restitution is that of stops, but neither lower nor upper is given",
                       joint->name);
    return add_stops(r, joint->name, first, &at);
}

/* ---- the section */

static bl_status read_stop(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const keys[] = {"name", "variable", "lower", "upper", "restitution"};
    const bl_item *variable, *given;
    const char *text, *name;
    bl_force_def buffer = {.kind = &bl_force_buffer};
    bounds at = {.buffer = NULL};
    bool rate;
    (void)user;
    BL_TRY(bl_item_map(r, entry, "a stop"));
    BL_TRY(bl_item_keys(r, entry, "a stop", keys, sizeof keys / sizeof *keys, bl_force_buffer.kind.params));
    if (bl_compliant_key(entry, &bl_force_buffer)) {
        BL_TRY(bl_compliant_read(r, entry, "a stop", &bl_force_buffer, keys, sizeof keys / sizeof *keys, buffer.value));
        at.buffer = &buffer;
    }
    BL_TRY(bl_item_need(r, entry, "a stop", "variable", &variable));
    BL_TRY(bl_item_text(r, variable, "variable", &text));
    bl_index which = bl_symbols_variable(r, text, &rate);
    if (which < 0) {
        bl_fail(r->ctx, BL_E_MODEL, &variable->place, "there is no variable '%s' to bound", text);
        bl_names_advise(r, text, (const bl_names *const[]){&r->variables, NULL});
        return BL_E_MODEL;
    }
    if (rate)
        return bl_fail(r->ctx, BL_E_MODEL, &variable->place, "a stop bounds a variable, but '%s' is a rate", text);
    name = r->model->variable[which].name;
    if ((given = bl_item_get(entry, "name")))
        BL_TRY(bl_item_keep(r, given, "name", &name));
    BL_TRY(read_bounds(r, entry, &at));
    if (at.of[0] || at.of[1])
        return add_stops(r, name, which, &at);
    return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "the stop of '%s' needs 'lower', 'upper' or both", name);
}

/* bounds of one variable that come from different entries */
static bl_status check_crossing(bl_reader *r) {
    enum { VARIABLE, BOUND, SIDE };
    for (bl_index i = 0; i < r->ncontact; i++)
        for (bl_index j = 0; j < r->ncontact; j++) {
            const bl_value *low = r->contact_joint[i].value, *high = r->contact_joint[j].value;
            if (low[SIDE].number < 0 || high[SIDE].number > 0 || low[VARIABLE].ref != high[VARIABLE].ref ||
                low[BOUND].number < high[BOUND].number)
                continue;
            bl_fail(r->ctx, BL_E_MODEL, &r->contact[i > j ? i : j].place,
                    "the stops '%s' and '%s' cross: upper = %g is not above lower = %g", r->contact[i].name, r->contact[j].name,
                    high[BOUND].number, low[BOUND].number);
            bl_advise(r->ctx, "the variable moves between lower and upper; to hold it at one value use a driver");
            return BL_E_MODEL;
        }
    return BL_OK;
}

bl_status bl_read_stops(bl_reader *r) {
    bl_index number = 0;
    BL_TRY(bl_section_each(r, "joints", read_joint_bounds, &number));
    BL_TRY(bl_section_each(r, "stops", read_stop, NULL));
    return check_crossing(r); /* only stops have been read so far */
}

void bl_model_without_contacts(bl_context *ctx, const bl_model *model, const char *study) {
    const bl_surfaces *s = model->surfaces;
    if (s && s->nlaw) {
        bl_warn(ctx, NAN, s->law[0].name, "contacts are left out of %s: nothing stops at '%s'%s", study, s->law[0].name,
                s->nlaw > 1 ? " and others" : "");
        return;
    }
    const bl_equations *e = model->equations;
    if (e && e->ncontact)
        bl_warn(ctx, NAN, e->contact[0].name, "contacts are left out of %s: nothing stops at '%s'%s", study, e->contact[0].name,
                e->ncontact > 1 ? " and others" : "");
    for (bl_index c = 0; c < model->ncontact; c++)
        if (!model->contact[c].percussion) {
            bl_warn(ctx, NAN, model->contact[c].name, "contacts and stops are left out of %s: nothing stops at '%s'%s", study,
                    model->contact[c].name, model->ncontact > 1 ? " and others" : "");
            return;
        }
}
