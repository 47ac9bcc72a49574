/* Initial state: values by name. A name is a variable or its rate, else a body, a probe or a point; a point must
 * be at a joint or carried by a body. */
#include "model/model_limits.h"
#include "model/reader.h"

#include "joint/joint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct target {
    bool body;
    bl_mark mark;
} target;

static bool near(const double a[3], const double b[3], double distance) {
    return fabs(a[0] - b[0]) <= distance && fabs(a[1] - b[1]) <= distance && fabs(a[2] - b[2]) <= distance;
}

/* joints first, in their order, on the second body unless that is ground; then carried points */
static bl_status list_spots(bl_reader *r) {
    const bl_model *model = r->model;
    bl_index count = model->njoint;
    for (bl_index i = 0; i < model->nbody; i++)
        count += model->body[i].ncarry;
    BL_TRY(BL_ARENA_NEW(&r->scratch, r->spot, count));
    for (bl_index j = 0; j < model->njoint; j++) {
        const bl_joint_def *joint = &model->joint[j];
        const bl_param *table = joint->kind->kind.params;
        for (bl_index i = 0; i < bl_param_count(table); i++)
            if (table[i].type == BL_P_POINT && !strcmp(table[i].name, "at") && joint->value[i].given && joint->body[1] >= 0) {
                bl_spot *spot = &r->spot[r->nspot++];
                memcpy(spot->at, joint->value[i].vector, sizeof spot->at);
                spot->body = joint->body[1] ? joint->body[1] : joint->body[0];
            }
    }
    for (bl_index i = 0; i < model->nbody; i++)
        for (bl_index k = 0; k < model->body[i].ncarry; k++)
            if (!model->body[i].carry[k].is_vector) {
                bl_spot *spot = &r->spot[r->nspot++];
                for (int c = 0; c < 3; c++)
                    spot->at[c] = model->body[i].center[c] + model->body[i].carry[k].s[c];
                spot->body = i;
            }
    return BL_OK;
}

static bool point_mark(const bl_reader *r, const double at[3], double distance, bl_mark *mark) {
    for (bl_index i = 0; i < r->nspot; i++)
        if (near(r->spot[i].at, at, distance)) {
            *mark = bl_model_mark_point(r->model, r->spot[i].body, at);
            return true;
        }
    return false;
}

static bl_status find_target(bl_reader *r, const bl_item *key, const char *name, double distance, target *out) {
    const bl_place *place = &key->place;
    bl_index which = bl_names_find(&r->bodies, name);
    if (which > 0) {
        *out = (target){.body = true, .mark = {.body = which}};
        return BL_OK;
    }
    if (bl_names_find(&r->beams, name) >= 0)
        return bl_item_body(r, key, "initial", &which); /* the message */
    if ((which = bl_names_find(&r->probes, name)) >= 0) {
        out->mark = r->model->probe[which].mark;
        return BL_OK;
    }
    if ((which = bl_names_find(&r->points, name)) >= 0) {
        if (point_mark(r, r->model->point[which].at, distance, &out->mark))
            return BL_OK;
        bl_fail(r->ctx, BL_E_MODEL, place, "initial: there is no joint at point '%s', so the body it moves with is unknown", name);
        bl_advise(r->ctx, "use a probe at this point instead, or list the point under 'carry' of its body");
        return BL_E_MODEL;
    }
    bl_fail(r->ctx, BL_E_MODEL, place, "initial: there is no variable, body, probe or point '%s'", name);
    bl_names_advise(r, name, (const bl_names *const[]){&r->variables, &r->bodies, &r->beams, &r->probes, &r->points, NULL});
    return BL_E_MODEL;
}

static bl_status add(bl_reader *r, bl_initial entry) {
    r->model->initial[r->model->ninitial++] = entry;
    return BL_OK;
}

static bl_status read_variable(bl_reader *r, const bl_item *value, const char *name, bl_index variable, bool rate) {
    bl_initial entry = {.what = rate ? BL_INITIAL_RATE : BL_INITIAL_VARIABLE, .ref = variable, .place = value->place};
    if (value->kind == BL_ITEM_MAP) {
        const bl_item *guess = bl_item_get(value, "guess");
        BL_TRY(bl_item_keys(r, value, name, (const char *const[]){"value", "guess"}, 2, NULL));
        if (guess)
            BL_TRY(bl_item_flag(r, guess, "guess", &entry.guess));
        BL_TRY(bl_item_need(r, value, name, "value", &value));
    }
    BL_TRY(bl_item_number(r, value, name, &entry.value[0]));
    return add(r, entry);
}

/* in planar models a rotation is one number, about z */
static bl_status read_rotation(bl_reader *r, const bl_item *value, const char *what, double out[3]) {
    return r->model->dim == 2 ? bl_item_number(r, value, what, &out[2]) : bl_item_vector(r, value, what, out);
}

static bl_status read_motion(bl_reader *r, const bl_item *map, const char *name, const target *on) {
    static const char *const keys[] = {"position", "velocity", "guess", "orientation", "angular_velocity"};
    static const bl_initial_what what[] = {BL_INITIAL_POSITION, BL_INITIAL_VELOCITY, BL_INITIAL_POSITION, BL_INITIAL_ORIENTATION,
                                           BL_INITIAL_ANGULAR_VELOCITY};
    const bl_item *guess = bl_item_get(map, "guess");
    bl_initial entry = {.mark = on->mark, .ref = on->body ? on->mark.body : -1};
    BL_TRY(bl_item_map(r, map, name));
    for (int k = 3; k < 5 && !on->body; k++)
        if (bl_item_get(map, keys[k]))
            return bl_fail(r->ctx, BL_E_MODEL, &bl_item_get(map, keys[k])->place, "'%s' can only be given for bodies, but '%s' is a point",
                           keys[k], name);
    BL_TRY(bl_item_keys(r, map, name, keys, on->body ? 5 : 3, NULL));
    if (guess)
        BL_TRY(bl_item_flag(r, guess, "guess", &entry.guess));
    for (int k = 0; k < 5; k++) {
        const bl_item *value = k == 2 ? NULL : bl_item_get(map, keys[k]);
        if (!value)
            continue;
        entry.what = what[k];
        entry.place = value->place;
        memset(entry.value, 0, sizeof entry.value);
        if (k > 2)
            BL_TRY(read_rotation(r, value, keys[k], entry.value));
        else if (k == 0)
            BL_TRY(bl_item_point(r, value, keys[k], entry.value));
        else
            BL_TRY(bl_item_vector(r, value, keys[k], entry.value));
        BL_TRY(add(r, entry));
    }
    return BL_OK;
}

/* "equilibrium: true", unless a body, probe or point has that name */
static bool is_equilibrium_key(const bl_reader *r, const char *name) {
    return strcmp(name, "equilibrium") == 0 && bl_names_find(&r->bodies, name) < 0 && bl_names_find(&r->probes, name) < 0 &&
           bl_names_find(&r->points, name) < 0;
}

static bl_status read_rest(bl_reader *r, const bl_item *value) {
    r->model->rests_at = value->place;
    return bl_item_flag(r, value, "equilibrium", &r->model->rests);
}

static bl_status read_map(bl_reader *r, const bl_item *map, void *user) {
    const double distance = *(const double *)user;
    BL_TRY(bl_item_map(r, map, "initial"));
    for (bl_index i = 0; i < map->count; i++) {
        const char *name;
        bool rate;
        target on = {0};
        BL_TRY(bl_item_text(r, map->key[i], "the name", &name));
        bl_index variable = bl_symbols_variable(r, name, &rate);
        if (is_equilibrium_key(r, name)) {
            BL_TRY(read_rest(r, map->value[i]));
        } else if (variable >= 0) {
            BL_TRY(bl_symbols_once(r, variable, rate ? BL_SEEN_INITIAL_RATE : BL_SEEN_INITIAL,
                                   rate ? "the initial rate of" : "the initial value of", &map->key[i]->place));
            BL_TRY(read_variable(r, map->value[i], name, variable, rate));
        } else {
            bl_status status = find_target(r, map->key[i], name, distance, &on);
            if (status == BL_E_MODEL && bl_item_cut_decimals(map, i))
                bl_advise(r->ctx, "write decimals with a point: %s.%s", map->value[i - 1]->text, name);
            BL_TRY(status);
            BL_TRY(read_motion(r, map->value[i], name, &on));
        }
    }
    return BL_OK;
}

static bl_status count_map(bl_reader *r, const bl_item *map, void *user) {
    BL_TRY(bl_item_map(r, map, "initial"));
    for (bl_index i = 0; i < map->count; i++)
        *(bl_index *)user += 4; /* at most: position, velocity, orientation, angular velocity */
    return BL_OK;
}

bl_status bl_read_rest(bl_reader *r) {
    const bl_item *map = bl_section_last(r, "initial");
    if (!map || bl_item_null(map))
        return BL_OK;
    BL_TRY(bl_item_map(r, map, "initial"));
    const bl_item *value = bl_item_get(map, "equilibrium"); /* fields are read with their meshes */
    return value ? read_rest(r, value) : BL_OK;
}

bl_status bl_read_initial(bl_reader *r) {
    bl_index count = 0, before = r->generated;
    for (bl_index d = 0; d < r->norder; d++) {
        const bl_item *node = bl_section(r, d, "initial");
        if (node)
            BL_TRY(bl_each(r, node, NULL, count_map, &count));
    }
    r->generated = before;
    BL_TRY(BL_ARENA_NEW(&r->model->arena, r->model->initial, count));
    if (count == 0)
        return BL_OK;
    double distance = model_same_point * bl_reader_extent(r);
    BL_TRY(list_spots(r));
    for (bl_index d = 0; d < r->norder; d++) {
        const bl_item *node = bl_section(r, d, "initial");
        if (node)
            BL_TRY(bl_each(r, node, NULL, read_map, &distance));
    }
    return BL_OK;
}
