/* Joints and drivers: bodies, type, values of the parameter table; variables are numbered after all joints are known. */
#include "joint/joint.h"
#include "model/reader.h"

#include <stdio.h>
#include <string.h>

/* the two bodies, or none for a relation of variables */
static bl_status read_pair(bl_reader *r, const bl_item *entry, bl_joint_def *joint) {
    const bl_item *bodies = bl_item_get(entry, "bodies"), *cut = bl_item_get(entry, "cut");
    joint->body[0] = joint->body[1] = -1;
    if (cut)
        BL_TRY(bl_item_flag(r, cut, "cut", &joint->cut));
    if (joint->kind->nbody == 0) {
        if (bodies)
            return bl_fail(r->ctx, BL_E_MODEL, &bodies->place, "a %s joint relates variables: it has no 'bodies'", joint->kind->kind.name);
        return BL_OK;
    }
    BL_TRY(bl_item_need(r, entry, "a joint", "bodies", &bodies));
    if (bodies->kind != BL_ITEM_LIST || bodies->count != 2)
        return bl_fail(r->ctx, BL_E_MODEL, &bodies->place, "bodies must be a list of two names: [first, second]");
    for (int k = 0; k < 2; k++)
        BL_TRY(bl_item_body_at(r, bodies->value[k], "bodies", bl_params_point(&joint->kind->kind, joint->value, k), &joint->body[k]));
    if (joint->body[0] == joint->body[1])
        return bl_fail(r->ctx, BL_E_MODEL, &bodies->value[1]->place, "the joint connects body '%s' with itself",
                       r->model->body[joint->body[0]].name);
    return BL_OK;
}

static bl_status read_joint(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const own[] = {"name", "type", "bodies", "cut", "lower", "upper", "restitution"};
    (void)user;
    bl_model *model = r->model;
    bl_joint_def *joint = &model->joint[model->njoint];
    bl_index which;
    BL_TRY(bl_item_map(r, entry, "a joint"));
    BL_TRY(bl_section_name(r, entry, "joint", &r->joints, model->njoint, &joint->name));
    joint->place = entry->place;
    BL_TRY(bl_params_kind(r, entry, "joint", (const void *const *)bl_joint_kinds, bl_joint_kind_count, &which));
    joint->kind = bl_joint_kinds[which];
    const bl_kind *kind = &joint->kind->kind;
    if (!(kind->gives & (model->dim == 2 ? BL_IN_PLANE : BL_IN_SPACE)))
        return bl_fail(r->ctx, BL_E_MODEL, &bl_item_get(entry, "type")->place, "a %s joint can only be used in %s", kind->name,
                       model->dim == 2 ? "spatial models (dimension: 3)" : "planar models (dimension: 2)");
    BL_TRY(bl_params_read(r, entry, kind, "joint", own, sizeof own / sizeof *own, 0, joint->value));
    BL_TRY(read_pair(r, entry, joint));
    BL_TRY(bl_params_required(r, entry, kind, "joint", joint->value));
    bool has = joint->kind->variables && joint->kind->variables[0] && (!joint->kind->has_variables || joint->kind->has_variables(joint));
    joint->first_var = has ? 0 : -1; /* numbered after all joints are read */
    model->njoint++;
    r->part = NULL;
    return BL_OK;
}

bl_status bl_read_joints(bl_reader *r) { return BL_SECTION_READ(r, "joints", r->model->joint, read_joint); }

/* ---- drivers */

static bl_status read_driver(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const keys[] = {"name", "variable", "value"};
    (void)user;
    bl_model *model = r->model;
    bl_driver *driver = &model->driver[model->ndriver];
    const bl_item *name = bl_item_get(entry, "name"), *variable, *value;
    const char *text;
    bool rate;
    double number;
    BL_TRY(bl_item_map(r, entry, "a driver"));
    BL_TRY(bl_item_keys(r, entry, "a driver", keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(bl_item_need(r, entry, "a driver", "variable", &variable));
    BL_TRY(bl_item_need(r, entry, "a driver", "value", &value));
    BL_TRY(bl_item_text(r, variable, "variable", &text));
    driver->variable = bl_symbols_variable(r, text, &rate);
    if (driver->variable < 0) {
        bl_fail(r->ctx, BL_E_MODEL, &variable->place, "there is no variable '%s' to drive", text);
        bl_names_advise(r, text, (const bl_names *const[]){&r->variables, NULL});
        return BL_E_MODEL;
    }
    if (rate) {
        bl_fail(r->ctx, BL_E_MODEL, &variable->place, "a driver prescribes a variable, but '%s' is a rate", text);
        bl_advise(r->ctx, "did you mean '%s'?", model->variable[driver->variable].name);
        return BL_E_MODEL;
    }
    driver->name = model->variable[driver->variable].name;
    if (name)
        BL_TRY(bl_item_keep(r, name, "name", &driver->name));
    BL_TRY(bl_symbols_once(r, driver->variable, BL_SEEN_DRIVEN, "the driver of", &variable->place));
    driver->place = entry->place;
    BL_TRY(bl_laws_read(r, value, "value", BL_USE_TIME | BL_USE_SIGNAL | BL_USE_ALWAYS, &driver->law, &number));
    model->ndriver++;
    return BL_OK;
}

bl_status bl_read_drivers(bl_reader *r) { return BL_SECTION_READ(r, "drivers", r->model->driver, read_driver); }
