/* Equations: the section of a model without bodies. States, masses and constraints are recorded on one tape, arrays element by element. */
#include "model/equation_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- states */

static const char *const sides[] = {"rate", "acceleration", "force", "algebraic"};
enum { SIDE_RATE, SIDE_ACCELERATION, SIDE_FORCE, SIDE_ALGEBRAIC, NSIDE };

/* finds the one that the entry has */
static bl_status find_side(bl_equation_reader *q, const bl_item *entry, const char *what, int *side) {
    *side = -1;
    for (int k = 0; k < NSIDE; k++) {
        const bl_item *item = bl_item_get(entry, sides[k]);
        if (item && *side >= 0)
            return bl_fail(q->r->ctx, BL_E_MODEL, &item->place, "%s has both '%s' and '%s'", what, sides[*side], sides[k]);
        if (item)
            *side = k;
    }
    if (*side >= 0)
        return BL_OK;
    bl_fail(q->r->ctx, BL_E_MODEL, &entry->place, "%s has no equation", what);
    bl_advise(q->r->ctx, "give one of rate (x' = ...), acceleration (x'' = ...), force (with mass) or algebraic (0 = ...)");
    return BL_E_MODEL;
}

/* a second-order state has a rate: x_rate, x.rate */
bl_status bl_equation_add_rates(bl_equation_reader *q, const bl_equation_family *f, bl_index which) {
    for (int k = 0; k < 2; k++) {
        const char *name = bl_arena_printf(&q->r->scratch, k ? "%s.rate" : "%s_rate", f->name);
        if (!name)
            return BL_E_MEMORY;
        BL_TRY(bl_names_add(q->r, &q->names, "name", name, NWHAT * which + RATE, &f->place));
    }
    return BL_OK;
}

static bl_status declare_state(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const keys[] = {"name",  "count",     "index", "start", "rate_start", "rate", "acceleration",
                                       "force", "algebraic", "mass",  "order", "scale",      "exact"};
    bl_equation_reader *q = user;
    bl_equation_family *f = &q->state[q->nstate];
    const bl_item *name, *order = bl_item_get(entry, "order");
    char what[128];
    int side;
    BL_TRY(bl_item_map(r, entry, "a state"));
    BL_TRY(bl_item_need(r, entry, "a state", "name", &name));
    BL_TRY(bl_item_keep(r, name, "the name of a state", &f->name));
    snprintf(what, sizeof what, "state '%.80s'", f->name);
    f->place = name->place;
    BL_TRY(bl_item_keys(r, entry, what, keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(bl_equation_check_name(q, f->name, "a state", &f->place));
    BL_TRY(bl_equation_extent(q, entry, what, f, &q->variables));
    BL_TRY(find_side(q, entry, what, &side));
    f->order = side == SIDE_RATE ? 1 : side == SIDE_ALGEBRAIC ? 0 : 2;
    if (order) {
        double value;
        BL_TRY(bl_item_number(r, order, "order", &value));
        if (side != SIDE_FORCE || (value != 1 && value != 2))
            return bl_fail(r->ctx, BL_E_MODEL, &order->place,
                           side == SIDE_FORCE ? "order must be 1 or 2, found %g"
                                              : "'order' can only be used with 'force': otherwise the equation determines it",
                           value);
        f->order = (uint8_t)value;
    }
    BL_TRY(bl_names_add(r, &q->names, "name", f->name, NWHAT * q->nstate + STATE, &f->place));
    if (f->order == 2)
        BL_TRY(bl_equation_add_rates(q, f, q->nstate));
    q->nstate++;
    return BL_OK;
}

static bl_status declare_states(bl_equation_reader *q, const bl_item *section) {
    bl_model *model = q->r->model;
    bl_equations *e = q->e;
    bl_index count = 0;
    BL_TRY(bl_each_count(q->r, section, "states", &count));
    BL_TRY(BL_ARENA_NEW(&q->r->scratch, q->state, count));
    BL_TRY(bl_each(q->r, section, "states", declare_state, q));
    if (q->variables == 0)
        return bl_fail(q->r->ctx, BL_E_MODEL, &section->place, "equations need at least one state");
    size_t n = (size_t)q->variables;
    model->nvariable = q->variables;
    model->variable = bl_arena_alloc(&model->arena, n, sizeof *model->variable);
    e->order = bl_arena_alloc(&model->arena, n, sizeof *e->order);
    e->start = bl_arena_alloc(&model->arena, 3 * n, sizeof *e->start);
    q->side = bl_arena_alloc(&q->r->scratch, 2 * n, sizeof *q->side);
    if (!model->variable || !e->order || !e->start || !q->side)
        return BL_E_MEMORY;
    e->rate_start = e->start + n;
    e->scale = e->rate_start + n;
    q->exact = q->side + n;
    for (bl_index k = 0; k < q->nstate; k++) {
        const bl_equation_family *f = &q->state[k];
        for (bl_index i = 0; i < f->count; i++) {
            bl_variable *variable = &model->variable[f->first + i];
            variable->joint = -1;
            variable->name = f->array ? bl_arena_printf(&model->arena, "%s[%d]", f->name, (int)i + 1) : f->name;
            if (!variable->name)
                return BL_E_MEMORY;
            e->order[f->first + i] = f->order;
        }
    }
    return BL_OK;
}

bl_status bl_equation_add_mass(bl_equation_reader *q, bl_index row, bl_index column, bl_index node, const bl_place *place) {
    bl_equations *e = q->e;
    BL_TRY(BL_RESERVE(q->r->ctx, q->mass, q->mass_room, q->mass_nodes + 1));
    BL_TRY(BL_RESERVE(q->r->ctx, q->mass_entry, q->mass_entry_room, e->nmass + 1));
    q->mass[q->mass_nodes++] = node;
    q->mass_entry[e->nmass++] = (bl_equation_mass){row, column, *place};
    return BL_OK;
}

static const char *const mass_may[] = {"", "the mass of a first-order state must be constant",
                                       "a mass can depend only on second-order states"};

/* a number of element k under a key, or the fallback; NaN: the key is required */
static bl_status read_number(bl_equation_reader *q, const bl_item *entry, const bl_equation_family *f, bl_index k, const char *key,
                             double fallback, double *value) {
    const bl_item *item = bl_item_get(entry, key);
    char what[160];
    snprintf(what, sizeof what, "%s of '%.80s'", key, f->name);
    *value = fallback;
    if (item && !bl_item_null(item)) {
        BL_TRY(bl_equation_element(q, item, f, k, what, &item));
        return bl_equation_number(q, item, what, value);
    }
    if (!isnan(fallback))
        return BL_OK;
    return bl_fail(q->r->ctx, BL_E_MODEL, item ? &item->place : &entry->place, "state '%s' needs '%s'", f->name, key);
}

static bl_status read_element(bl_equation_reader *q, const bl_item *entry, const bl_equation_family *f, bl_index k, int side) {
    bl_reader *r = q->r;
    bl_equations *e = q->e;
    bl_index i = f->first + k, node;
    const bl_item *item = bl_item_get(entry, sides[side]), *mass = bl_item_get(entry, "mass"), *exact = bl_item_get(entry, "exact");
    const bl_item *rate_start = bl_item_get(entry, "rate_start"), *scale = bl_item_get(entry, "scale");
    char what[160];
    snprintf(what, sizeof what, "%s of '%.80s'", sides[side], f->name);
    BL_TRY(bl_equation_element(q, item, f, k, what, &item));
    BL_TRY(bl_equation_parse(q, item, what, USE_ANY, "", &q->side[i]));
    BL_TRY(read_number(q, entry, f, k, "start", f->order == 0 ? 0 : NAN, &e->start[i]));
    if (rate_start && f->order != 2)
        return bl_fail(r->ctx, BL_E_MODEL, &rate_start->place, "'%s' is not a second-order state, so it has no 'rate_start'", f->name);
    BL_TRY(read_number(q, entry, f, k, "rate_start", 0, &e->rate_start[i]));
    BL_TRY(read_number(q, entry, f, k, "scale", 1, &e->scale[i]));
    if (scale)
        BL_TRY(bl_item_range(r, &scale->place, "scale", BL_POSITIVE, e->scale[i]));
    if (mass && side != SIDE_FORCE) {
        bl_fail(r->ctx, BL_E_MODEL, &mass->place, "state '%s' has 'mass', but no 'force'", f->name);
        bl_advise(r->ctx, "write 'force' for the right-hand side of mass * x'' = ...; for mass * x' = ... add order: 1");
        return BL_E_MODEL;
    }
    if (mass) {
        BL_TRY(bl_equation_element(q, mass, f, k, "mass", &mass));
        BL_TRY(bl_equation_parse(q, mass, "mass", f->order == 2 ? USE_POSITION : 0, mass_may[f->order], &node));
        BL_TRY(bl_equation_add_mass(q, i, i, node, &mass->place));
    } else if (side == SIDE_RATE || side == SIDE_ACCELERATION) {
        BL_TRY(bl_equation_add_mass(q, i, i, bl_tape_const(e->tape, 1), &entry->place));
    }
    if (exact) {
        BL_TRY(bl_equation_element(q, exact, f, k, "exact", &exact));
        BL_TRY(bl_equation_parse(q, exact, "exact", USE_TIME, "a known solution can use only t and parameters", &q->exact[i]));
        q->nexact++;
    }
    return bl_tape_status(e->tape);
}

static bl_status read_state(bl_reader *r, const bl_item *entry, void *user) {
    bl_equation_reader *q = user;
    const bl_equation_family *f = &q->state[q->at++];
    char what[128];
    int side;
    snprintf(what, sizeof what, "state '%.80s'", f->name);
    BL_TRY(find_side(q, entry, what, &side));
    BL_TRY(bl_equation_check_index(q, f));
    bl_status status = BL_OK;
    for (bl_index k = 0; status == BL_OK && k < f->count; k++) {
        bl_binding binding = {.name = f->index, .value = k + 1, .outer = r->binding};
        r->binding = f->array ? &binding : binding.outer;
        status = bl_equation_blame(q, read_element(q, entry, f, k, side), f, k);
        r->binding = binding.outer;
    }
    return status;
}

/* ---- the list `mass:` of the section */

/* "x" or "th[i+1]" as a variable */
static bl_status find_variable(bl_equation_reader *q, const bl_item *item, const char *what, bl_index *variable) {
    bl_reader *r = q->r;
    const char *text;
    BL_TRY(bl_item_text(r, item, what, &text));
    size_t n = strcspn(text, "[ ");
    const char *open = strchr(text, '[');
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)(n < 255 ? n : 255), text);
    bl_index ref = bl_names_find(&q->names, name);
    if (ref < 0 || ref % NWHAT != STATE) {
        bl_fail(r->ctx, BL_E_MODEL, &item->place, "%s: there is no state '%s'", what, name);
        bl_names_advise(r, name, (const bl_names *const[]){&q->names, NULL});
        return BL_E_MODEL;
    }
    const bl_equation_family *f = bl_equation_family_of(q, ref);
    double index = 1;
    if (f->array != (open != NULL))
        return bl_fail(r->ctx, BL_E_MODEL, &item->place, f->array ? "%s: '%s' is an array: write %s[i]" : "%s: '%s' is not an array", what,
                       name, name);
    if (open) {
        const char *close = strrchr(text, ']');
        if (!close || close < open || close[1])
            return bl_fail(r->ctx, BL_E_MODEL, &item->place, "%s: '%s' is not a state", what, text);
        BL_TRY(bl_laws_evaluate(r, open + 1, (size_t)(close - open - 1), &item->place, &index));
        if (index != floor(index) || index < 1 || index > f->count)
            return bl_fail(r->ctx, BL_E_MODEL, &item->place, "%s[%g] does not exist: the index runs from 1 to %d", name, index,
                           (int)f->count);
    }
    *variable = f->first + (bl_index)index - 1;
    return BL_OK;
}

static bl_status read_mass_element(bl_equation_reader *q, const bl_item *entry) {
    bl_reader *r = q->r;
    const bl_item *row, *column, *value;
    bl_index i, j, node;
    BL_TRY(bl_item_need(r, entry, "an entry of mass", "row", &row));
    BL_TRY(bl_item_need(r, entry, "an entry of mass", "column", &column));
    BL_TRY(bl_item_need(r, entry, "an entry of mass", "value", &value));
    BL_TRY(find_variable(q, row, "row", &i));
    BL_TRY(find_variable(q, column, "column", &j));
    const uint8_t *order = q->e->order;
    if (order[i] == 0 || order[i] != order[j])
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place,
                       "a mass must couple two second-order or two first-order states, but '%s' and '%s' differ or are algebraic",
                       q->r->model->variable[i].name, q->r->model->variable[j].name);
    BL_TRY(bl_equation_parse(q, value, "value", order[i] == 2 ? USE_POSITION : 0, mass_may[order[i]], &node));
    return bl_equation_add_mass(q, i, j, node, &entry->place);
}

static bl_status read_mass(bl_reader *r, const bl_item *entry, void *user) {
    bl_equation_reader *q = user;
    bl_equation_family f = {.name = "mass", .place = entry->place};
    bl_index total = 0;
    BL_TRY(bl_item_map(r, entry, "an entry of mass"));
    BL_TRY(bl_item_keys(r, entry, "an entry of mass", (const char *const[]){"row", "column", "value", "count", "index"}, 5, NULL));
    BL_TRY(bl_equation_extent(q, entry, "an entry of mass", &f, &total));
    BL_TRY(bl_equation_check_index(q, &f));
    bl_status status = BL_OK;
    for (bl_index k = 0; status == BL_OK && k < f.count; k++) {
        bl_binding binding = {.name = f.index, .value = k + 1, .outer = r->binding};
        r->binding = f.array ? &binding : binding.outer;
        status = bl_equation_blame(q, read_mass_element(q, entry), &f, k);
        r->binding = binding.outer;
    }
    return status;
}

/* every state with a force needs a mass; no entry may be given twice */
static bl_status check_masses(bl_equation_reader *q) {
    bl_reader *r = q->r;
    bl_equations *e = q->e;
    bl_index n = q->variables, *first, *next;
    BL_TRY(BL_NEW(r->ctx, first, (size_t)n + (size_t)e->nmass));
    next = first + n;
    bl_status status = BL_OK;
    for (bl_index k = 0; status == BL_OK && k < e->nmass; k++) {
        bl_equation_mass *m = &e->mass[k];
        if (e->order[m->row] == 2 && m->column > m->row) { /* stored once, in the lower triangle */
            bl_index row = m->row;
            m->row = m->column;
            m->column = row;
        }
        for (bl_index other = first[m->row]; status == BL_OK && other; other = next[other - 1])
            if (e->mass[other - 1].column == m->column)
                status = bl_fail(r->ctx, BL_E_MODEL, &m->place, "the mass of '%s' and '%s' is given twice", r->model->variable[m->row].name,
                                 r->model->variable[m->column].name);
        next[k] = first[m->row];
        first[m->row] = k + 1;
    }
    for (bl_index k = 0; status == BL_OK && k < e->nmass; k++) {
        first[e->mass[k].row] = -1; /* it has a mass */
        first[e->mass[k].column] = -1;
    }
    for (bl_index s = 0; status == BL_OK && s < q->nstate; s++)
        for (bl_index i = 0; status == BL_OK && i < q->state[s].count; i++)
            if (e->order[q->state[s].first + i] && first[q->state[s].first + i] != -1) {
                status = bl_fail(r->ctx, BL_E_MODEL, &q->state[s].place, "state '%s' has 'force', but no 'mass'",
                                 r->model->variable[q->state[s].first + i].name);
                bl_advise(r->ctx, "add 'mass' to the state, or an entry to the list 'mass' of the equations");
            }
    bl_free(r->ctx, first);
    return status;
}

/* a first-order state whose rate appears nowhere is algebraic */
static bl_status find_algebraic(bl_equation_reader *q) {
    bl_equations *e = q->e;
    uint8_t *moves;
    BL_TRY(BL_NEW(q->r->ctx, moves, q->variables));
    for (bl_index k = 0; k < e->nmass; k++) {
        double value = 1;
        bl_tape_known(e->tape, q->mass[k], &value);
        if (value != 0)
            moves[e->mass[k].row] = moves[e->mass[k].column] = 1;
    }
    for (bl_index i = 0; i < q->variables; i++)
        if (e->order[i] == 1 && !moves[i])
            e->order[i] = 0;
    bl_free(q->r->ctx, moves);
    return BL_OK;
}

/* ---- constraints */

bl_status bl_equation_add_row(bl_equation_reader *q, const bl_equation_row *row, bl_index node) {
    bl_equations *e = q->e;
    BL_TRY(BL_RESERVE(q->r->ctx, q->row, q->row_room, q->row_nodes + 1));
    BL_TRY(BL_RESERVE(q->r->ctx, q->constraint, q->constraint_room, e->nconstraint + 1));
    q->row[q->row_nodes++] = node;
    q->constraint[e->nconstraint++] = *row;
    return BL_OK;
}

static bl_status read_constraint_element(bl_equation_reader *q, const bl_item *value, const bl_item *scale, const bl_equation_family *f,
                                         bl_index k) {
    bl_reader *r = q->r;
    bl_index node;
    bl_equation_row row = {.place = value->place, .scale = NAN, .contact = -1};
    BL_TRY(bl_equation_element(q, value, f, k, "value", &value));
    BL_TRY(bl_equation_parse(q, value, "value", USE_TIME | USE_POSITION, "a constraint can use only second-order states and t", &node));
    if (!(q->used & USE_POSITION)) {
        bl_fail(r->ctx, BL_E_MODEL, &value->place, "constraint '%s' must use at least one second-order state", f->name);
        bl_advise(r->ctx, "write an equation of first-order states as an algebraic state: {name: ..., algebraic: ...}");
        return BL_E_MODEL;
    }
    if (scale) {
        BL_TRY(bl_equation_element(q, scale, f, k, "scale", &scale));
        BL_TRY(bl_equation_number(q, scale, "scale", &row.scale));
        BL_TRY(bl_item_range(r, &scale->place, "scale", BL_POSITIVE, row.scale));
    }
    row.name = bl_arena_printf(&r->model->arena, f->array ? "%s[%d]" : "%s", f->name, (int)k + 1);
    row.text = bl_arena_text(&r->model->arena, value->text, strlen(value->text));
    if (!row.name || !row.text)
        return BL_E_MEMORY;
    return bl_equation_add_row(q, &row, node);
}

static bl_status read_constraint(bl_reader *r, const bl_item *entry, void *user) {
    bl_equation_reader *q = user;
    bl_equation_family f = {.place = entry->place};
    bl_index total = q->e->nconstraint;
    char word[24], what[128];
    BL_TRY(bl_item_map(r, entry, "a constraint"));
    const bl_item *name = bl_item_get(entry, "name"), *value, *scale = bl_item_get(entry, "scale");
    snprintf(word, sizeof word, "c%d", (int)q->e->nconstraint + 1);
    if (name)
        BL_TRY(bl_item_text(r, name, "the name of a constraint", &f.name));
    else if (!(f.name = bl_arena_text(&r->scratch, word, strlen(word))))
        return BL_E_MEMORY;
    BL_TRY(bl_names_add(r, &q->rows, "constraint", f.name, 0, name ? &name->place : &entry->place));
    snprintf(what, sizeof what, "constraint '%.80s'", f.name);
    BL_TRY(bl_item_keys(r, entry, what, (const char *const[]){"name", "value", "count", "index", "scale"}, 5, NULL));
    BL_TRY(bl_item_need(r, entry, what, "value", &value));
    BL_TRY(bl_equation_extent(q, entry, what, &f, &total));
    BL_TRY(bl_equation_check_index(q, &f));
    bl_status status = BL_OK;
    for (bl_index k = 0; status == BL_OK && k < f.count; k++) {
        bl_binding binding = {.name = f.index, .value = k + 1, .outer = r->binding};
        r->binding = f.array ? &binding : binding.outer;
        status = bl_equation_blame(q, read_constraint_element(q, value, scale, &f, k), &f, k);
        r->binding = binding.outer;
    }
    return status;
}

/* ---- the section */

static bl_status put_outputs(bl_equation_reader *q, bl_index n, const bl_index *node) {
    for (bl_index i = 0; i < n; i++)
        BL_TRY(bl_tape_output(q->e->tape, node[i]));
    return BL_OK;
}

/* copies the collected arrays to the model's arena */
bl_status bl_equation_keep(bl_equation_reader *q) {
    bl_equations *e = q->e;
    bl_arena *arena = &q->r->model->arena;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(e->mass, e->nmass), BL_ARRAY(e->constraint, e->nconstraint), BL_ARRAY(e->contact, e->ncontact)));
    if (e->nmass)
        memcpy(e->mass, q->mass_entry, (size_t)e->nmass * sizeof *e->mass);
    if (e->nconstraint)
        memcpy(e->constraint, q->constraint, (size_t)e->nconstraint * sizeof *e->constraint);
    if (e->ncontact)
        memcpy(e->contact, q->contact, (size_t)e->ncontact * sizeof *e->contact);
    BL_TRY(check_masses(q));
    BL_TRY(find_algebraic(q));
    e->exact = q->nexact == q->variables;
    e->nexpression = q->elements;
    BL_TRY(put_outputs(q, q->variables, q->side));
    BL_TRY(put_outputs(q, e->nmass, q->mass));
    BL_TRY(put_outputs(q, e->nconstraint, q->row));
    if (e->exact)
        BL_TRY(put_outputs(q, q->variables, q->exact));
    return put_outputs(q, q->elements, q->node);
}

static bl_status read_section(bl_equation_reader *q, const bl_item *section) {
    static const char *const keys[] = {"states", "expressions", "mass", "constraints"};
    bl_reader *r = q->r;
    const bl_item *states, *mass = bl_item_get(section, "mass"), *constraints = bl_item_get(section, "constraints");
    BL_TRY(bl_item_map(r, section, "equations"));
    BL_TRY(bl_item_keys(r, section, "equations", keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(bl_item_need(r, section, "equations", "states", &states));
    BL_TRY(bl_tape_create(r->ctx, &q->e->tape));
    BL_TRY(declare_states(q, states));
    BL_TRY(bl_equation_declare(q, bl_item_get(section, "expressions")));
    BL_TRY(bl_equation_expressions(q));
    BL_TRY(bl_each(r, states, "states", read_state, q));
    if (mass)
        BL_TRY(bl_each(r, mass, "mass", read_mass, q));
    if (constraints)
        BL_TRY(bl_each(r, constraints, "constraints", read_constraint, q));
    BL_TRY(bl_equation_contacts(q));
    return bl_equation_keep(q);
}

static bl_status refuse_bodies(bl_reader *r) {
    static const char *const others[] = {"joints",      "drivers", "forces",      "probes",  "points", "measure",
                                         "independent", "initial", "coordinates", "gravity", "stops"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        const bl_item *node = bl_section_last(r, others[k]);
        if (!node)
            continue;
        bl_fail(r->ctx, BL_E_MODEL, &node->place, "'%s' cannot be used together with 'equations'", others[k]);
        bl_advise(r->ctx, strcmp(others[k], "initial") == 0 ? "give 'start' of each state instead"
                          : strcmp(others[k], "stops") == 0 ? "write a contact of its state: `contacts: [{gap: =x - lower}]`"
                                                            : "a model without bodies has equations alone");
        return BL_E_MODEL;
    }
    return BL_OK;
}

void bl_equation_end(bl_equation_reader *q) {
    bl_context *ctx = q->r->ctx;
    bl_free(ctx, q->mass);
    bl_free(ctx, q->row);
    bl_free(ctx, q->mass_entry);
    bl_free(ctx, q->constraint);
    bl_free(ctx, q->contact);
    q->mass = q->row = NULL;
    q->mass_entry = NULL;
    q->constraint = NULL;
    q->contact = NULL;
}

bl_status bl_read_equations(bl_reader *r) {
    const bl_item *section = bl_section_last(r, "equations");
    BL_TRY(refuse_bodies(r));
    bl_equation_reader *q = bl_arena_alloc(&r->scratch, 1, sizeof *q);
    r->model->equations = bl_arena_alloc(&r->model->arena, 1, sizeof *r->model->equations);
    if (!q || !r->model->equations)
        return BL_E_MEMORY;
    *q = (bl_equation_reader){.r = r, .e = r->model->equations};
    q->e->place = section->place;
    r->equations = q;
    bl_status status = read_section(q, section);
    bl_equation_end(q);
    if (status > 0) /* BL_RESTART must not reach the caller */
        status = bl_fail(r->ctx, BL_E_MODEL, &section->place, "the expressions of the equations depend on each other in a cycle");
    return status;
}
