/* Symbols: names that can be used in expressions. Parameters may refer to each other in any order: an evaluation that
 * meets an unknown one waits on an explicit stack until that one is known, so no text can exhaust the C stack. */
#include "joint/joint.h"
#include "model/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { UNREAD, OPEN, KNOWN };

bl_status bl_symbols_reserved(bl_reader *r, const char *name, const char *what, const bl_place *place) {
    bool word = isalpha((unsigned char)name[0]) || name[0] == '_';
    for (const char *s = name; *s && word; s++)
        word = isalnum((unsigned char)*s) || *s == '_';
    if (!word)
        return bl_fail(r->ctx, BL_E_MODEL, place, "'%s' cannot be the name of %s: use only letters, digits and _, beginning with a letter",
                       name, what);
    if (bl_expr_reserved(name) || !strcmp(name, "t") || !strcmp(name, "x") || !strcmp(name, "xd"))
        return bl_fail(r->ctx, BL_E_MODEL, place, "'%s' cannot be the name of %s: it already has a meaning in expressions", name, what);
    return BL_OK;
}

/* ---- parameters */

static bl_status collect_parameters(bl_reader *r) {
    bl_model *model = r->model;
    bl_index total = 0;
    for (bl_index d = 0; d < r->norder; d++) {
        const bl_item *map = bl_section(r, d, "parameters");
        if (!map)
            continue;
        BL_TRY(bl_item_map(r, map, "parameters"));
        total += map->count;
    }
    model->parameter = bl_arena_alloc(&model->arena, (size_t)total, sizeof *model->parameter);
    r->parameter_node = bl_arena_alloc(&r->scratch, (size_t)total, sizeof *r->parameter_node);
    r->parameter_state = bl_arena_alloc(&r->scratch, (size_t)total, sizeof *r->parameter_state);
    if (!model->parameter || !r->parameter_node || !r->parameter_state)
        return BL_E_MEMORY;
    for (bl_index d = 0; d < r->norder; d++) {
        const bl_item *map = bl_section(r, d, "parameters");
        for (bl_index i = 0; map && i < map->count; i++) {
            const char *name = map->key[i]->text;
            BL_TRY(bl_symbols_reserved(r, name, "a parameter", &map->key[i]->place));
            /* a file may override a parameter of a file it includes */
            bl_index which = bl_names_find(&r->parameters, name);
            if (which < 0) {
                which = model->nparameter++;
                name = bl_arena_text(&model->arena, name, strlen(name));
                if (!name)
                    return BL_E_MEMORY;
                model->parameter[which].name = name;
                BL_TRY(bl_names_put(r, &r->parameters, name, which));
            }
            model->parameter[which].place = map->key[i]->place;
            r->parameter_node[which] = map->value[i];
        }
    }
    return BL_OK;
}

static bl_status apply_overrides(bl_reader *r) {
    for (bl_index i = 0; i < r->noverride; i++) {
        const char *name = r->override[i].name ? r->override[i].name : "";
        bl_index which = bl_names_find(&r->parameters, name);
        if (which < 0) {
            bl_fail(r->ctx, BL_E_ARG, NULL, "the model has no parameter '%s' to set", name);
            bl_names_advise(r, name, (const bl_names *const[]){&r->parameters, NULL});
            return BL_E_ARG;
        }
        if (!isfinite(r->override[i].value))
            return bl_fail(r->ctx, BL_E_ARG, NULL, "parameter '%s' must be set to a finite number", name);
        r->model->parameter[which].value = r->override[i].value;
        r->parameter_state[which] = KNOWN;
    }
    return BL_OK;
}

static bl_status report_cycle(bl_reader *r, const bl_index *stack, bl_index depth, bl_index again) {
    const bl_parameter *parameter = r->model->parameter;
    char text[400];
    size_t used = 0;
    bl_index from = depth;
    while (from > 0 && stack[from - 1] != again)
        from--;
    for (bl_index i = from - 1; i < depth && used < sizeof text - 80; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%.60s -> ", parameter[stack[i]].name);
    snprintf(text + used, sizeof text - used, "%.60s", parameter[again].name);
    return bl_fail(r->ctx, BL_E_MODEL, &r->parameter_node[stack[depth - 1]]->place, "recursive parameter: %s", text);
}

static bl_status evaluate_parameter(bl_reader *r, bl_index first, bl_index *stack) {
    bl_parameter *parameter = r->model->parameter;
    bl_index depth = 0;
    stack[depth++] = first;
    r->parameter_state[first] = OPEN;
    while (depth > 0) {
        bl_index top = stack[depth - 1];
        char what[128];
        snprintf(what, sizeof what, "parameter '%.80s'", parameter[top].name);
        r->parameter_missing = -1;
        bl_status status = bl_item_number(r, r->parameter_node[top], what, &parameter[top].value);
        bl_index missing = r->parameter_missing;
        if (status == BL_OK) {
            r->parameter_state[top] = KNOWN;
            depth--;
        } else if (missing < 0) {
            return status;
        } else if (r->parameter_state[missing] == OPEN) {
            return report_cycle(r, stack, depth, missing);
        } else {
            r->parameter_state[missing] = OPEN;
            stack[depth++] = missing;
        }
    }
    return BL_OK;
}

bl_status bl_symbols_parameters(bl_reader *r) {
    BL_TRY(collect_parameters(r));
    BL_TRY(apply_overrides(r));
    bl_index *stack;
    BL_TRY(BL_ARENA_NEW(&r->scratch, stack, r->model->nparameter));
    for (bl_index i = 0; i < r->model->nparameter; i++)
        if (r->parameter_state[i] == UNREAD)
            BL_TRY(evaluate_parameter(r, i, stack));
    return BL_OK;
}

/* ---- sections that are a map by name or a list of entries with a name */

typedef struct named {
    bl_named_visit *visit;
    void *user;
} named;

static bl_status named_entry(bl_reader *r, const bl_item *entry, void *user) {
    const named *each = user;
    const bl_item *node;
    const char *name;
    BL_TRY(bl_item_map(r, entry, "an entry of the list"));
    BL_TRY(bl_item_need(r, entry, "the entry", "name", &node));
    BL_TRY(bl_item_keep(r, node, "the name", &name));
    return each->visit(r, name, &node->place, entry, each->user);
}

bl_status bl_named_count(bl_reader *r, const char *section, bl_index *count) {
    *count = 0;
    for (bl_index d = 0; d < r->norder; d++) {
        const bl_item *node = bl_section(r, d, section);
        if (node && node->kind == BL_ITEM_MAP)
            *count += node->count;
        else if (node)
            BL_TRY(bl_each_count(r, node, section, count));
    }
    return BL_OK;
}

bl_status bl_named_each(bl_reader *r, const char *section, bl_named_visit *visit, void *user) {
    named each = {visit, user};
    for (bl_index d = 0; d < r->norder; d++) {
        const bl_item *node = bl_section(r, d, section);
        if (node && node->kind == BL_ITEM_MAP) {
            for (bl_index i = 0; i < node->count; i++) {
                const char *name = bl_arena_text(&r->model->arena, node->key[i]->text, node->key[i]->length);
                if (!name)
                    return BL_E_MEMORY;
                BL_TRY(visit(r, name, &node->key[i]->place, node->value[i], user));
            }
        } else if (node) {
            BL_TRY(bl_each(r, node, section, named_entry, &each));
        }
    }
    return BL_OK;
}

/* ---- points */

static bl_status add_point(bl_reader *r, const char *name, const bl_place *place, const bl_item *value, void *unused) {
    (void)unused;
    bl_point *point = &r->model->point[r->model->npoint];
    char what[128];
    snprintf(what, sizeof what, "point '%.80s'", name);
    if (value->kind == BL_ITEM_MAP) {
        BL_TRY(bl_item_keys(r, value, what, (const char *const[]){"name", "at"}, 2, NULL));
        BL_TRY(bl_item_need(r, value, what, "at", &value));
    }
    BL_TRY(bl_item_point(r, value, what, point->at));
    point->name = name;
    point->place = *place;
    return bl_names_add(r, &r->points, "point", name, r->model->npoint++, place);
}

bl_status bl_symbols_points(bl_reader *r) {
    bl_index count;
    BL_TRY(bl_named_count(r, "points", &count));
    BL_TRY(BL_ARENA_NEW(&r->model->arena, r->model->point, count));
    return bl_named_each(r, "points", add_point, NULL);
}

/* ---- probes */

static bl_status add_probe(bl_reader *r, const char *name, const bl_place *place, const bl_item *value, void *unused) {
    (void)unused;
    bl_model *model = r->model;
    bl_probe *probe = &model->probe[model->nprobe];
    char what[128];
    snprintf(what, sizeof what, "probe '%.80s'", name);
    BL_TRY(bl_item_map(r, value, what));
    BL_TRY(bl_item_keys(r, value, what, (const char *const[]){"name", "body", "at"}, 3, NULL));
    const bl_item *body_node, *at_node = bl_item_get(value, "at");
    bl_index body;
    double at[3];
    BL_TRY(bl_item_need(r, value, what, "body", &body_node));
    if (at_node)
        BL_TRY(bl_item_point(r, at_node, what, at));
    BL_TRY(bl_item_body_at(r, body_node, what, at_node ? at : NULL, &body));
    if (!at_node)
        memcpy(at, model->body[body].center, sizeof at);
    probe->name = name;
    probe->place = *place;
    probe->mark = bl_model_mark_point(model, body, at);
    return bl_names_add(r, &r->probes, "probe", name, model->nprobe++, place);
}

bl_status bl_symbols_probes(bl_reader *r) {
    bl_index count;
    BL_TRY(bl_named_count(r, "probes", &count));
    BL_TRY(BL_ARENA_NEW(&r->model->arena, r->model->probe, count));
    return bl_named_each(r, "probes", add_probe, NULL);
}

/* ---- variables: the reference in the table is 2 times the variable, plus 1 for its rate */

bl_index bl_symbols_variable(const bl_reader *r, const char *name, bool *rate) {
    bl_index found = bl_names_find(&r->variables, name);
    *rate = found >= 0 && found % 2 == 1;
    return found < 0 ? -1 : found / 2;
}

bl_status bl_symbols_once(bl_reader *r, bl_index variable, uint8_t bit, const char *what, const bl_place *place) {
    if (r->seen[variable] & bit)
        return bl_fail(r->ctx, BL_E_MODEL, place, "%s variable '%s' is given twice", what, r->model->variable[variable].name);
    r->seen[variable] |= bit;
    return BL_OK;
}

static bl_status name_variable(bl_reader *r, const char *joint, const char *part, const char *suffix, bl_index ref, const bl_place *place,
                               const char **name) {
    *name = bl_arena_printf(&r->model->arena, "%s.%s%s", joint, part, suffix);
    return *name ? bl_names_add(r, &r->variables, "variable", *name, ref, place) : BL_E_MEMORY;
}

bl_status bl_symbols_variables(bl_reader *r) {
    bl_model *model = r->model;
    for (bl_index j = 0; j < model->njoint; j++)
        if (model->joint[j].first_var >= 0)
            for (const char *const *part = model->joint[j].kind->variables; *part; part++)
                model->nvariable++;
    model->variable = bl_arena_alloc(&model->arena, (size_t)model->nvariable, sizeof *model->variable);
    r->seen = bl_arena_alloc(&r->scratch, (size_t)model->nvariable, sizeof *r->seen);
    if (!model->variable || !r->seen)
        return BL_E_MEMORY;
    bl_index v = 0;
    for (bl_index j = 0; j < model->njoint; j++) {
        bl_joint_def *joint = &model->joint[j];
        if (joint->first_var < 0)
            continue;
        joint->first_var = v;
        for (const char *const *part = joint->kind->variables; *part; part++, v++) {
            const char *name;
            BL_TRY(name_variable(r, joint->name, *part, "", 2 * v, &joint->place, &model->variable[v].name));
            BL_TRY(name_variable(r, joint->name, *part, "_rate", 2 * v + 1, &joint->place, &name));
            model->variable[v].joint = j;
            model->variable[v].is_angle = strncmp(*part, "angle", 5) == 0;
        }
        const char *name, *only = joint->kind->variables[0];
        if (v - joint->first_var == 1 && (!strcmp(only, "angle") || !strcmp(only, "distance")))
            BL_TRY(name_variable(r, joint->name, "rate", "", 2 * joint->first_var + 1, &joint->place, &name));
    }
    return BL_OK;
}
