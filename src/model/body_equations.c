/* `equations:` beside bodies. First-order states become signals, as those of `states:`; a second-order one becomes two, NAME and NAME.rate;
 * expressions become outputs. So laws of forces use them, and they use variables, rates, probes and other signals. What has no such form
 * (algebraic states, matrices of masses, constraints, arrays) is refused with an alternative. */
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool bl_equations_with_bodies(const bl_reader *r) { return bl_section_last(r, "equations") && bl_section_last(r, "bodies"); }

static bl_status refuse(bl_reader *r, const bl_place *place, const char *what, const char *advice) {
    bl_fail(r->ctx, BL_E_MODEL, place, "%s cannot be used in equations beside bodies", what);
    bl_advise(r->ctx, "%s", advice);
    return BL_E_MODEL;
}

typedef bl_status visit_entry(bl_reader *r, const char *name, const bl_place *place, const bl_item *entry);

/* ---- the entries */

typedef struct visitor {
    visit_entry *state;
} visitor;

static bl_status visit_state(bl_reader *r, const bl_item *entry, void *user) {
    const bl_item *node;
    const char *name;
    BL_TRY(bl_item_map(r, entry, "a state"));
    BL_TRY(bl_item_need(r, entry, "a state", "name", &node));
    BL_TRY(bl_item_keep(r, node, "the name of a state", &name));
    r->part = name;
    BL_TRY(((const visitor *)user)->state(r, name, &node->place, entry));
    r->part = NULL;
    return BL_OK;
}

static bl_status visit_section(bl_reader *r, const bl_item *section, visit_entry *expression, visit_entry *state) {
    static const char *const keys[] = {"states", "expressions", "mass", "constraints"};
    visitor v = {state};
    BL_TRY(bl_item_map(r, section, "equations"));
    BL_TRY(bl_item_keys(r, section, "equations", keys, sizeof keys / sizeof *keys, NULL));
    const bl_item *states = bl_item_get(section, "states"), *map = bl_item_get(section, "expressions");
    const bl_item *mass = bl_item_get(section, "mass"), *constraints = bl_item_get(section, "constraints");
    if (mass)
        return refuse(r, &mass->place, "a list of masses", "solve for the accelerations: `acceleration: ...` of each state");
    if (constraints)
        return refuse(r, &constraints->place, "'constraints'",
                      "constrain bodies by joints; eliminate a state, or let a stiff spring hold it: `acceleration: =-1e6*(...)`");
    if (map && !bl_item_null(map))
        BL_TRY(bl_item_map(r, map, "expressions"));
    for (bl_index i = 0; map && i < map->count; i++) {
        const char *name = bl_arena_text(&r->model->arena, map->key[i]->text, map->key[i]->length);
        if (!name)
            return BL_E_MEMORY;
        r->part = name;
        BL_TRY(expression(r, name, &map->key[i]->place, map->value[i]));
        r->part = NULL;
    }
    return states && !bl_item_null(states) ? bl_each(r, states, "states", visit_state, &v) : BL_OK;
}

static bl_status visit_all(bl_reader *r, visit_entry *expression, visit_entry *state) {
    for (bl_index d = 0; d < r->norder; d++) {
        const bl_item *section = bl_section(r, d, "equations");
        if (section)
            BL_TRY(visit_section(r, section, expression, state));
    }
    return BL_OK;
}

/* ---- names */

static const char *const no_arrays = "write its elements as entries of their own: `- repeat: {count: 3, index: i, do: [{name: u$i, ...}]}`";

static bl_status name_expression(bl_reader *r, const char *name, const bl_place *place, const bl_item *entry) {
    bl_index which;
    if (entry->kind == BL_ITEM_LIST || (entry->kind == BL_ITEM_MAP && bl_item_get(entry, "count")))
        return refuse(r, place, "an array", "write its elements as expressions of their own");
    BL_TRY(bl_symbols_reserved(r, name, "an expression", place));
    return bl_signals_add(r, BL_SIGNAL_OUTPUT, "an expression", name, place, &which);
}

/* 1 or 2; the key of the right-hand side */
static bl_status order_of(bl_reader *r, const bl_item *entry, const char *name, int *order, const char **side) {
    static const char *const sides[] = {"rate", "acceleration", "force"};
    const bl_item *algebraic = bl_item_get(entry, "algebraic"), *node = bl_item_get(entry, "order");
    double number = 2;
    *side = NULL;
    if (algebraic)
        return refuse(r, &algebraic->place, "an algebraic state",
                      "write its solution under `expressions`, or let the state follow it within a short time: `rate: =(... - NAME)/1e-3`");
    for (int k = 0; k < 3; k++) {
        if (!bl_item_get(entry, sides[k]))
            continue;
        if (*side)
            return bl_fail(r->ctx, BL_E_MODEL, &bl_item_get(entry, sides[k])->place, "state '%s' has both '%s' and '%s'", name, *side,
                           sides[k]);
        *side = sides[k];
    }
    if (!*side) {
        bl_fail(r->ctx, BL_E_MODEL, &entry->place, "state '%s' has no equation", name);
        bl_advise(r->ctx, "give one of rate (x' = ...), acceleration (x'' = ...) or force (with mass)");
        return BL_E_MODEL;
    }
    if (node)
        BL_TRY(bl_item_number(r, node, "order", &number));
    if (node && (strcmp(*side, "force") != 0 || (number != 1 && number != 2)))
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "order must be 1 or 2, and needs 'force': otherwise the equation determines it");
    *order = strcmp(*side, "rate") == 0 || number == 1 ? 1 : 2;
    return BL_OK;
}

static bl_status name_state(bl_reader *r, const char *name, const bl_place *place, const bl_item *entry) {
    static const char *const keys[] = {"name", "start", "rate_start", "rate",  "acceleration", "force", "algebraic",
                                       "mass", "order", "scale",      "count", "index",        "exact", "unit"};
    const bl_item *count = bl_item_get(entry, "count"), *exact = bl_item_get(entry, "exact");
    bl_index which;
    char what[128];
    const char *side;
    int order;
    snprintf(what, sizeof what, "state '%.80s'", name);
    BL_TRY(bl_item_keys(r, entry, what, keys, sizeof keys / sizeof *keys, NULL));
    if (count)
        return refuse(r, &count->place, "an array", no_arrays);
    if (exact)
        return refuse(r, &exact->place, "a known solution", "leave out 'exact'");
    BL_TRY(order_of(r, entry, name, &order, &side));
    BL_TRY(bl_symbols_reserved(r, name, "a state", place));
    BL_TRY(bl_signals_add(r, BL_SIGNAL_STATE, "a state", name, place, &which));
    if (order == 1)
        return BL_OK;
    const char *rate = bl_arena_printf(&r->model->arena, "%s.rate", name), *also = bl_arena_printf(&r->scratch, "%s_rate", name);
    if (!rate || !also)
        return BL_E_MEMORY;
    BL_TRY(bl_signals_add(r, BL_SIGNAL_STATE, "a state", rate, place, &which));
    BL_TRY(bl_signals_free_name(r, also, "a rate", place));
    return bl_names_put(r, &r->signals, also, which);
}

bl_status bl_body_equations_name(bl_reader *r) { return bl_equations_with_bodies(r) ? visit_all(r, name_expression, name_state) : BL_OK; }

/* ---- laws */

static bl_status read_expression(bl_reader *r, const char *name, const bl_place *place, const bl_item *entry) {
    double number;
    bl_index law;
    (void)place;
    if (entry->kind == BL_ITEM_MAP) {
        BL_TRY(bl_item_keys(r, entry, "an expression", (const char *const[]){"value"}, 1, NULL));
        BL_TRY(bl_item_need(r, entry, "an expression", "value", &entry));
    }
    BL_TRY(bl_laws_read(r, entry, name, BL_USE_TIME | BL_USE_STATE | BL_USE_ALWAYS, &law, &number));
    r->model->signal[bl_names_find(&r->signals, name)].law = law;
    return BL_OK;
}

static bl_status read_number(bl_reader *r, const bl_item *entry, const char *key, double *value) {
    const bl_item *node = bl_item_get(entry, key);
    return node && !bl_item_null(node) ? bl_item_number(r, node, key, value) : BL_OK;
}

/* the right-hand side, divided by the mass */
static bl_status read_side(bl_reader *r, const bl_item *entry, const char *name, const char *side, bl_index *law) {
    const bl_item *mass = bl_item_get(entry, "mass");
    double number, m = 1;
    BL_TRY(bl_laws_read(r, bl_item_get(entry, side), side, BL_USE_TIME | BL_USE_STATE | BL_USE_REACTION | BL_USE_ALWAYS, law, &number));
    bool forced = strcmp(side, "force") == 0;
    if (forced != (mass != NULL)) {
        bl_fail(r->ctx, BL_E_MODEL, mass ? &mass->place : &entry->place, "state '%s' has '%s', but no '%s'", name, mass ? "mass" : "force",
                mass ? "force" : "mass");
        bl_advise(r->ctx, "mass and force belong together: mass * x'' = force");
        return BL_E_MODEL;
    }
    if (!mass)
        return BL_OK;
    BL_TRY(bl_item_number(r, mass, "mass", &m));
    BL_TRY(bl_item_range(r, &mass->place, "mass", BL_POSITIVE, m));
    return bl_laws_combine(r, 1, law, &(double){1 / m}, &mass->place, law);
}

static void set_state(bl_reader *r, bl_index which, double value, double scale, bl_index law) {
    bl_signal_def *signal = &r->model->signal[which];
    signal->value = value;
    signal->scale = scale > 0 ? scale : fmax(1, fabs(value));
    signal->law = law;
}

static bl_status read_state(bl_reader *r, const char *name, const bl_place *place, const bl_item *entry) {
    const bl_item *start, *scale_node = bl_item_get(entry, "scale"), *rate_start = bl_item_get(entry, "rate_start");
    const bl_item *unit = bl_item_get(entry, "unit");
    bl_index which = bl_names_find(&r->signals, name), law, rate;
    double value = 0, rate_value = 0, scale = 0, number;
    const char *side;
    char what[128];
    int order;
    snprintf(what, sizeof what, "state '%.80s'", name);
    BL_TRY(order_of(r, entry, name, &order, &side));
    bl_status status = bl_item_need(r, entry, what, "start", &start);
    if (status == BL_E_MODEL)
        bl_advise(r->ctx, "give its value at the start: `start: 0`");
    BL_TRY(status);
    BL_TRY(bl_item_number(r, start, "start", &value));
    if (rate_start && order == 1)
        return bl_fail(r->ctx, BL_E_MODEL, &rate_start->place, "'%s' is not a second-order state, so it has no 'rate_start'", name);
    BL_TRY(read_number(r, entry, "rate_start", &rate_value));
    BL_TRY(read_number(r, entry, "scale", &scale));
    if (scale_node)
        BL_TRY(bl_item_range(r, &scale_node->place, "scale", BL_POSITIVE, scale));
    if (unit && !bl_item_null(unit))
        BL_TRY(bl_item_keep(r, unit, "unit", &r->model->signal[which].unit));
    BL_TRY(read_side(r, entry, name, side, &law));
    if (order == 1) {
        set_state(r, which, value, scale, law);
        return BL_OK;
    }
    const char *text = bl_arena_printf(&r->scratch, "=%s.rate", name);
    if (!text)
        return BL_E_MEMORY;
    bl_item its_rate = {.kind = BL_ITEM_TEXT, .plain = true, .place = *place, .text = text, .length = (uint32_t)strlen(text)};
    BL_TRY(bl_laws_read(r, &its_rate, "rate", BL_USE_TIME | BL_USE_STATE | BL_USE_ALWAYS, &rate, &number));
    set_state(r, which, value, scale, rate);
    set_state(r, bl_names_find(&r->signals, text + 1), rate_value, scale, law);
    return BL_OK;
}

bl_status bl_body_equations_read(bl_reader *r) { return bl_equations_with_bodies(r) ? visit_all(r, read_expression, read_state) : BL_OK; }
