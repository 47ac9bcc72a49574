/* Params: values of joints and forces according to the parameter table of their kind. No kind is treated by name here. */
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool exists(const bl_reader *r, const bl_param *param) {
    return !(param->flags & (r->model->dim == 2 ? BL_SPACE_ONLY : BL_PLANE_ONLY));
}

static bl_status read_choice(bl_reader *r, const bl_item *node, const char *what, const bl_param *param, bl_value *value) {
    BL_TRY(bl_item_keep(r, node, what, &value->text));
    char words[256];
    const char *list[32];
    size_t n = 0;
    snprintf(words, sizeof words, "%s", param->choices ? param->choices : "");
    for (char *word = words; word && n < 32;) {
        char *bar = strchr(word, '|');
        if (bar)
            *bar = '\0';
        if (strcmp(word, value->text) == 0) {
            value->number = (double)n;
            return BL_OK;
        }
        list[n++] = word;
        word = bar ? bar + 1 : NULL;
    }
    bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s must be one of %s, found '%s'", what, param->choices, value->text);
    const char *nearest = bl_nearest(value->text, list, n);
    if (nearest)
        bl_advise(r->ctx, "did you mean '%s'?", nearest);
    return BL_E_MODEL;
}

/* in planar models a single number is the z component */
static bool about_z(const bl_reader *r, const bl_param *param, const bl_item *node) {
    return (param->flags & BL_ABOUT_Z) && r->model->dim == 2 && node->kind == BL_ITEM_TEXT;
}

static bl_status read_law3(bl_reader *r, const bl_item *node, const char *what, const bl_param *param, unsigned use, bl_value *value) {
    use &= ~(unsigned)BL_USE_OWN; /* vectors have no x and xd */
    if (about_z(r, param, node))
        return bl_laws_read(r, node, what, use, &value->law[2], &value->vector[2]);
    bl_index n = r->model->dim;
    if (node->kind != BL_ITEM_LIST || (param->flags & BL_ABOUT_Z && n == 2))
        return bl_fail(r->ctx, BL_E_MODEL, &node->place,
                       (param->flags & BL_ABOUT_Z) && n == 2 ? "%s must be one number or expression (about z)"
                                                             : "%s must be a list of %d numbers or expressions",
                       what, (int)n);
    if (node->count != n)
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s needs %d components, found %d", what, (int)n, (int)node->count);
    for (bl_index k = 0; k < n; k++)
        BL_TRY(bl_laws_read(r, node->value[k], what, use, &value->law[k], &value->vector[k]));
    return BL_OK;
}

static bl_status read_vector(bl_reader *r, const bl_item *node, const char *what, const bl_param *param, bl_value *value) {
    if (!about_z(r, param, node))
        return bl_item_direction(r, node, what, value->vector);
    double z;
    BL_TRY(bl_item_number(r, node, what, &z));
    if (z == 0)
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s must not be zero: it has no direction", what);
    value->vector[2] = z > 0 ? 1 : -1;
    return BL_OK;
}

/* 4, or [4, 2, 1] */
static bl_status read_numbers(bl_reader *r, const bl_item *node, const bl_param *param, bl_value *value) {
    bool list = node->kind == BL_ITEM_LIST;
    bl_index n = list ? node->count : 1;
    if (n < 1 || n > 3)
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s must be a number or a list of up to 3 numbers, found %d", param->name, (int)n);
    for (bl_index k = 0; k < n; k++) {
        const bl_item *one = list ? node->value[k] : node;
        BL_TRY(bl_item_number(r, one, param->name, &value->vector[k]));
        BL_TRY(bl_item_range(r, &one->place, param->name, param->flags, value->vector[k]));
    }
    value->number = n;
    return BL_OK;
}

/* {j.angle: 3, j.rate: 2}: the law 3 j.angle + 2 j.rate */
static bl_status read_terms(bl_reader *r, const bl_item *node, const char *what, unsigned use, bl_value *value) {
    bl_index *law;
    double *factor, number;
    BL_TRY(bl_item_map(r, node, what));
    if (node->count == 0)
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s is empty", what);
    BL_TRY(BL_ARENA_ARRAYS(&r->scratch, BL_ARRAY(law, node->count), BL_ARRAY(factor, node->count)));
    for (bl_index i = 0; i < node->count; i++) {
        BL_TRY(bl_laws_read(r, node->key[i], what, use | BL_USE_BARE | BL_USE_ALWAYS, &law[i], &number));
        BL_TRY(bl_item_number(r, node->value[i], node->key[i]->text, &factor[i]));
    }
    value->number = NAN;
    return bl_laws_combine(r, node->count, law, factor, &node->place, &value->law[0]);
}

static bl_status add_pending(bl_reader *r, const bl_item *node, const char *what, const bl_param *param, bl_value *value) {
    const char *text;
    BL_TRY(bl_item_text(r, node, what, &text));
    BL_TRY(BL_RESERVE(r->ctx, r->pending, r->pending_capacity, r->npending + 1));
    r->pending[r->npending++] = (bl_pending){param, value, text, r->part};
    return BL_OK;
}

static bl_status read_value(bl_reader *r, const bl_item *node, const bl_param *param, unsigned use, bl_value *value) {
    const char *what = param->name;
    bool flag = false;
    value->given = true;
    value->place = node->place;
    switch (param->type) {
    case BL_P_NUMBER:
    case BL_P_INTEGER:
        BL_TRY(bl_item_number(r, node, what, &value->number));
        if (param->type == BL_P_INTEGER && value->number != floor(value->number))
            return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s must be an integer, found %g", what, value->number);
        return bl_item_range(r, &node->place, what, param->flags, value->number);
    case BL_P_FLAG:
        BL_TRY(bl_item_flag(r, node, what, &flag));
        value->number = flag;
        return BL_OK;
    case BL_P_CHOICE: return read_choice(r, node, what, param, value);
    case BL_P_TEXT: return bl_item_keep(r, node, what, &value->text);
    case BL_P_POINT: return bl_item_point(r, node, what, value->vector);
    case BL_P_VECTOR: return read_vector(r, node, what, param, value);
    case BL_P_LAW:
        BL_TRY(bl_laws_read(r, node, what, use, &value->law[0], &value->number));
        return isnan(value->number) ? BL_OK : bl_item_range(r, &node->place, what, param->flags, value->number);
    case BL_P_LAW3: return read_law3(r, node, what, param, use, value);
    case BL_P_BODY: return BL_OK; /* read_body */
    case BL_P_VARIABLE:
    case BL_P_JOINT: return add_pending(r, node, what, param, value);
    case BL_P_NUMBERS: return read_numbers(r, node, param, value);
    case BL_P_TERMS: return read_terms(r, node, what, use, value);
    case BL_P_PROFILE: return bl_profile_read(r, node, what, &value->profile[0]);
    case BL_P_CURVE: return bl_curve_read(r, node, what, value->profile);
    case BL_P_END: break;
    }
    return bl_fail(r->ctx, BL_E_ARG, &node->place, "%s has a parameter type unknown to the reader", what);
}

const double *bl_params_point(const bl_kind *kind, const bl_value *values, int side) {
    const double *point[2] = {NULL, NULL}, *first = NULL;
    int n = 0;
    for (bl_index i = 0; i < bl_param_count(kind->params) && i < BL_MAX_PARAMS; i++) {
        if (kind->params[i].type != BL_P_POINT || !values[i].given)
            continue;
        if (kind->params[i].flags & BL_OF_FIRST)
            first = values[i].vector;
        else if (n < 2)
            point[n++] = values[i].vector;
    }
    if (side == 0)
        return first ? first : point[0];
    return point[1] && !first ? point[1] : point[0];
}

/* bodies of an entry whose points have been read */
static bl_status read_bodies(bl_reader *r, const bl_item *entry, const bl_kind *kind, bl_value *values) {
    int side = 0;
    for (bl_index i = 0; i < bl_param_count(kind->params) && i < BL_MAX_PARAMS; i++) {
        const bl_param *param = &kind->params[i];
        if (param->type != BL_P_BODY)
            continue;
        if (values[i].given)
            BL_TRY(bl_item_body_at(r, bl_item_get(entry, param->name), param->name, bl_params_point(kind, values, side), &values[i].ref));
        side = 1;
    }
    return BL_OK;
}

bl_status bl_params_read(bl_reader *r, const bl_item *entry, const bl_kind *kind, const char *room, const char *const *own, size_t nown,
                         unsigned use, bl_value *values) {
    char owner[128];
    snprintf(owner, sizeof owner, "%s of type %s", room, kind->name);
    BL_TRY(bl_item_keys(r, entry, owner, own, nown, kind->params));
    for (bl_index i = 0; i < bl_param_count(kind->params) && i < BL_MAX_PARAMS; i++) {
        const bl_param *param = &kind->params[i];
        const bl_item *node = bl_item_get(entry, param->name);
        values[i].number = param->fallback;
        values[i].ref = values[i].law[0] = values[i].law[1] = values[i].law[2] = -1;
        values[i].place = entry->place;
        if (param->type == BL_P_CHOICE && param->choices) {
            values[i].number = 0;
            values[i].text = bl_arena_text(&r->model->arena, param->choices, strcspn(param->choices, "|"));
            if (!values[i].text)
                return BL_E_MEMORY;
        }
        if (!node || bl_item_null(node))
            continue;
        if (!exists(r, param))
            return bl_fail(r->ctx, BL_E_MODEL, &node->place, "'%s' of a %s can only be used in %s", param->name, owner,
                           r->model->dim == 2 ? "spatial models (dimension: 3)" : "planar models (dimension: 2)");
        BL_TRY(read_value(r, node, param, use, &values[i]));
    }
    return read_bodies(r, entry, kind, values);
}

bl_status bl_params_required(bl_reader *r, const bl_item *entry, const bl_kind *kind, const char *room, const bl_value *values) {
    for (bl_index i = 0; i < bl_param_count(kind->params) && i < BL_MAX_PARAMS; i++) {
        const bl_param *param = &kind->params[i];
        if ((param->flags & BL_REQUIRED) && exists(r, param) && !values[i].given)
            return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "a %s of type %s needs '%s' (%s)", room, kind->name, param->name,
                           param->help ? param->help : "");
    }
    return BL_OK;
}

/* a variable that must be an angle, or a distance */
static bl_status check_measure(bl_reader *r, const bl_pending *p) {
    uint32_t only = p->param->flags & (BL_ANGLE_ONLY | BL_DISTANCE_ONLY);
    if (p->param->type != BL_P_VARIABLE || !only || (only == BL_ANGLE_ONLY) == r->model->variable[p->value->ref].is_angle)
        return BL_OK;
    bool angle = only == BL_ANGLE_ONLY;
    bl_fail(r->ctx, BL_E_MODEL, &p->value->place, "%s must be %s, but '%s' is %s", p->param->name, angle ? "an angle" : "a distance",
            p->text, angle ? "a distance" : "an angle");
    bl_advise(r->ctx, angle ? "angles belong to joints that rotate: joint.angle" : "distances belong to joints that slide: joint.distance");
    return BL_E_MODEL;
}

bl_status bl_params_resolve(bl_reader *r) {
    for (bl_index i = 0; i < r->npending; i++) {
        const bl_pending *p = &r->pending[i];
        bool variable = p->param->type == BL_P_VARIABLE, rate = false;
        const bl_names *table = variable ? &r->variables : &r->joints;
        r->part = p->part;
        p->value->ref = variable ? bl_symbols_variable(r, p->text, &rate) : bl_names_find(table, p->text);
        if (p->value->ref < 0) {
            bl_fail(r->ctx, BL_E_MODEL, &p->value->place, "%s: there is no %s '%s'", p->param->name, variable ? "variable" : "joint",
                    p->text);
            bl_names_advise(r, p->text, (const bl_names *const[]){table, NULL});
            return BL_E_MODEL;
        }
        if (rate)
            return bl_fail(r->ctx, BL_E_MODEL, &p->value->place, "%s must be a variable, but '%s' is a rate", p->param->name, p->text);
        BL_TRY(check_measure(r, p));
        p->value->text = NULL;
    }
    r->npending = 0;
    r->part = NULL;
    return BL_OK;
}

bl_status bl_params_kind(bl_reader *r, const bl_item *entry, const char *room, const void *const *list, size_t count, bl_index *which) {
    const bl_item *node;
    const char *name, *names[128];
    char owner[64];
    snprintf(owner, sizeof owner, "a %s", room);
    bl_status status = bl_item_need(r, entry, owner, "type", &node);
    if (status == BL_E_MODEL && !bl_context_error(r->ctx)->advice[0])
        bl_advise(r->ctx, "`biela list` shows all types");
    BL_TRY(status);
    BL_TRY(bl_item_text(r, node, "type", &name));
    for (size_t i = 0; i < count; i++)
        if (strcmp(((const bl_kind *)list[i])->name, name) == 0) {
            *which = (bl_index)i;
            return BL_OK;
        }
    size_t n = count < 128 ? count : 128;
    for (size_t i = 0; i < n; i++)
        names[i] = ((const bl_kind *)list[i])->name;
    bl_fail(r->ctx, BL_E_MODEL, &node->place, "there is no %s of type '%s'", room, name);
    const char *nearest = bl_nearest(name, names, n);
    if (nearest)
        bl_advise(r->ctx, "did you mean '%s'?", nearest);
    else
        bl_advise(r->ctx, "`biela list` shows all types");
    return BL_E_MODEL;
}
