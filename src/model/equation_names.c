/* Names and expressions of `equations:`. Expressions may refer to each other in any order: one that meets an unknown element
 * waits on an explicit stack until that one is known, so no text can exhaust the C stack. Parameters are constants here. */
#include "model/equation_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { UNREAD, OPEN, KNOWN };

/* ---- names */

bl_equation_family *bl_equation_family_of(const bl_equation_reader *q, bl_index ref) {
    return ref % NWHAT == EXPRESSION ? &q->expression[ref / NWHAT] : &q->state[ref / NWHAT];
}

bl_expr_name bl_equations_name(const bl_reader *r, const char *name, const char **nearest) {
    const bl_equation_reader *q = r->equations;
    bl_index ref = bl_names_find(&q->names, name);
    if (ref >= 0)
        return bl_equation_family_of(q, ref)->array ? BL_NAME_ARRAY : BL_NAME_NUMBER;
    const char *near[2] = {NULL, NULL};
    if (q->names.capacity)
        near[0] = bl_nearest(name, q->names.name, (size_t)q->names.capacity);
    if (r->parameters.capacity)
        near[1] = bl_nearest(name, r->parameters.name, (size_t)r->parameters.capacity);
    *nearest = bl_nearest(name, near, 2);
    return BL_NAME_UNKNOWN;
}

bl_status bl_equations_symbol(bl_reader *r, const char *name, bl_index index, const bl_place *place, bl_symbol *symbol) {
    static const bl_symbol_what what[] = {BL_SYM_VARIABLE, BL_SYM_RATE, BL_SYM_EXPRESSION};
    const bl_equation_reader *q = r->equations;
    bl_index ref = bl_names_find(&q->names, name);
    if (ref < 0)
        return BL_AGAIN;
    const bl_equation_family *f = bl_equation_family_of(q, ref);
    if (f->array && (index < 1 || index > f->count))
        return bl_fail(r->ctx, BL_E_MODEL, place, "%s[%d] does not exist: the index runs from 1 to %d", name, (int)index, (int)f->count);
    *symbol = (bl_symbol){.what = what[ref % NWHAT], .ref = f->first + (f->array ? index - 1 : 0)};
    return BL_OK;
}

/* ---- the scope of all expressions of the section */

static bl_status check_use(bl_equation_reader *q, const char *name, unsigned uses, const bl_place *place) {
    unsigned wrong = uses & ~q->allowed;
    q->used |= uses;
    if (!wrong)
        return BL_OK;
    static const char *const words[] = {"t", "a second-order state", "a rate", "a first-order or algebraic state"};
    const char *word = words[0];
    for (int k = 0; k < 4; k++)
        if (wrong & (1u << k))
            word = words[k];
    bl_fail(q->r->ctx, BL_E_MODEL, place, "'%s' cannot be used here: it is, or depends on, %s", name, word);
    bl_advise(q->r->ctx, "%s", q->where);
    return BL_E_MODEL;
}

static bl_status symbol_node(bl_equation_reader *q, bl_tape *tape, const char *name, bl_index index, const bl_place *place,
                             bl_index *node) {
    bl_symbol symbol = {0};
    BL_TRY(bl_equations_symbol(q->r, name, index, place, &symbol));
    if (symbol.what == BL_SYM_EXPRESSION) {
        if (q->known[symbol.ref] != KNOWN) {
            q->missing = symbol.ref;
            return BL_RESTART;
        }
        *node = q->node[symbol.ref];
        return check_use(q, name, q->uses[symbol.ref], place);
    }
    bool rate = symbol.what == BL_SYM_RATE;
    *node = bl_tape_input(tape, 1 + symbol.ref + (rate ? q->variables : 0));
    return check_use(q, name, rate ? USE_RATE : q->e->order[symbol.ref] == 2 ? USE_POSITION : USE_FIRST, place);
}

static bl_status scope_name(void *user, bl_tape *tape, const char *name, const bl_place *place, bl_index *node, const char **nearest) {
    bl_equation_reader *q = user;
    (void)nearest; /* set by bl_equations_name before */
    for (const bl_binding *b = q->r->binding; b; b = b->outer)
        if (strcmp(b->name, name) == 0) {
            *node = bl_tape_const(tape, b->value);
            return BL_OK;
        }
    bl_index parameter = bl_names_find(&q->r->parameters, name);
    if (parameter >= 0) {
        *node = bl_tape_const(tape, q->r->model->parameter[parameter].value);
        return BL_OK;
    }
    if (strcmp(name, "t") == 0) {
        *node = bl_tape_input(tape, 0);
        return check_use(q, name, USE_TIME, place);
    }
    return symbol_node(q, tape, name, -1, place, node);
}

static bl_status scope_element(void *user, bl_tape *tape, const char *name, bl_index index, const bl_place *place, bl_index *node) {
    return symbol_node(user, tape, name, index, place, node);
}

static bl_expr_name scope_what(void *user, const char *name, const char **nearest) {
    bl_equation_reader *q = user;
    for (const bl_binding *b = q->r->binding; b; b = b->outer)
        if (strcmp(b->name, name) == 0)
            return BL_NAME_NUMBER;
    if (!strcmp(name, "t") || bl_names_find(&q->r->parameters, name) >= 0)
        return BL_NAME_NUMBER;
    return bl_equations_name(q->r, name, nearest);
}

static bl_status scope_table(void *user, const char *file, const bl_place *place, bl_index *n, const double **x, const double **y) {
    return bl_source_table(((bl_equation_reader *)user)->r, file, place, n, x, y);
}

bl_status bl_equation_parse(bl_equation_reader *q, const bl_item *item, const char *what, unsigned allowed, const char *where,
                            bl_index *node) {
    bl_expr_scope scope = {.user = q,
                           .name = scope_name,
                           .table = scope_table,
                           .element = scope_element,
                           .what = scope_what,
                           .terms = &q->terms,
                           .most_terms = (size_t)bl_reader_most(q->r, BL_EQUATION_TERMS)};
    q->allowed = allowed;
    q->used = 0;
    q->where = where;
    q->missing = -1;
    return bl_laws_parse(q->r, item, what, &scope, q->e->tape, node);
}

bl_status bl_equation_number(bl_equation_reader *q, const bl_item *item, const char *what, double *value) {
    bl_index node;
    BL_TRY(bl_equation_parse(q, item, what, 0,
                             "this value is fixed: it can use only parameters, indices, constants and expressions of these", &node));
    if (!bl_tape_known(q->e->tape, node, value) || !isfinite(*value))
        return bl_fail(q->r->ctx, BL_E_MODEL, &item->place, "%s is not a finite number", what);
    return BL_OK;
}

/* ---- families */

/* letters, digits and _; not reserved and not a parameter */
bl_status bl_equation_check_name(bl_equation_reader *q, const char *name, const char *what, const bl_place *place) {
    bool used_in_forces = !strcmp(name, "x") || !strcmp(name, "xd");
    if (!used_in_forces)
        BL_TRY(bl_symbols_reserved(q->r, name, what, place));
    if (bl_names_find(&q->r->parameters, name) >= 0)
        return bl_fail(q->r->ctx, BL_E_MODEL, place, "duplicate name: there is already a parameter '%s'", name);
    return BL_OK;
}

/* count and index of an entry */
bl_status bl_equation_extent(bl_equation_reader *q, const bl_item *entry, const char *what, bl_equation_family *f, bl_index *total) {
    bl_reader *r = q->r;
    const bl_item *count = bl_item_get(entry, "count"), *index = bl_item_get(entry, "index");
    f->count = 1;
    f->index = "i";
    bl_index most = bl_reader_most(r, BL_EQUATION_ELEMENTS);
    if (index && !count)
        return bl_fail(r->ctx, BL_E_MODEL, &index->place, "%s has 'index' but no 'count'", what);
    if (count) {
        double n;
        BL_TRY(bl_item_number(r, count, "count", &n));
        if (n != floor(n) || n < 1)
            return bl_fail(r->ctx, BL_E_MODEL, &count->place, "count must be an integer, at least 1, found %g", n);
        if (n > most)
            return bl_fail(r->ctx, BL_E_MODEL, &count->place, "a count of %.0f is too large: at most %d elements are allowed", n,
                           (int)most);
        f->count = (bl_index)n;
        f->array = true;
    }
    if (index) {
        BL_TRY(bl_item_text(r, index, "the index", &f->index));
        BL_TRY(bl_equation_check_name(q, f->index, "an index", &index->place));
    }
    f->first = *total;
    *total += f->count;
    if (*total > most)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "the equations have more than %d elements", (int)most);
    return BL_OK;
}

/* an index that is also a name of the equations would hide it */
bl_status bl_equation_check_index(bl_equation_reader *q, const bl_equation_family *f) {
    if (f->array && bl_names_find(&q->names, f->index) >= 0)
        return bl_fail(q->r->ctx, BL_E_MODEL, &f->place, "the index '%s' of '%s' is already the name of a state or expression", f->index,
                       f->name);
    return BL_OK;
}

/* the value of element k: an entry of a list, or one text for all */
bl_status bl_equation_element(bl_equation_reader *q, const bl_item *item, const bl_equation_family *f, bl_index k, const char *what,
                              const bl_item **value) {
    *value = item;
    if (item->kind != BL_ITEM_LIST)
        return BL_OK;
    if (!f->array)
        return bl_fail(q->r->ctx, BL_E_MODEL, &item->place, "%s must be one value: '%s' is not an array", what, f->name);
    if (item->count != f->count)
        return bl_fail(q->r->ctx, BL_E_MODEL, &item->place, "%s has %d values, but there are %d elements of '%s'", what, (int)item->count,
                       (int)f->count, f->name);
    *value = item->value[k];
    return BL_OK;
}

bl_status bl_equation_blame(bl_equation_reader *q, bl_status status, const bl_equation_family *f, bl_index k) {
    if (status == BL_E_MODEL)
        q->r->part = bl_arena_printf(&q->r->scratch, f->array ? "%s[%d]" : "%s", f->name, (int)k + 1);
    return status;
}

/* ---- expressions */

static bl_status declare_expression(bl_equation_reader *q, const bl_item *key, const bl_item *value) {
    bl_reader *r = q->r;
    bl_equation_family *f = &q->expression[q->nexpression];
    char what[128];
    snprintf(what, sizeof what, "expression '%.80s'", key->text);
    f->name = key->text;
    f->place = key->place;
    f->value = value;
    BL_TRY(bl_equation_check_name(q, f->name, "an expression", &f->place));
    if (value->kind == BL_ITEM_MAP) {
        BL_TRY(bl_item_keys(r, value, what, (const char *const[]){"count", "index", "value"}, 3, NULL));
        BL_TRY(bl_item_need(r, value, what, "value", &f->value));
        BL_TRY(bl_equation_extent(q, value, what, f, &q->elements));
        if (!f->array)
            return bl_fail(r->ctx, BL_E_MODEL, &value->place, "%s needs 'count'", what);
    } else if (value->kind == BL_ITEM_LIST) {
        if (value->count == 0)
            return bl_fail(r->ctx, BL_E_MODEL, &value->place, "%s is an empty list", what);
        *f = (bl_equation_family){
            .name = f->name, .place = f->place, .value = value, .first = q->elements, .count = value->count, .array = true, .index = "i"};
        q->elements += value->count;
    } else {
        f->first = q->elements++;
        f->count = 1;
    }
    return bl_names_add(r, &q->names, "name", f->name, NWHAT * q->nexpression++ + EXPRESSION, &f->place);
}

bl_status bl_equation_declare(bl_equation_reader *q, const bl_item *section) {
    if (!section)
        return BL_OK;
    BL_TRY(bl_item_map(q->r, section, "expressions"));
    BL_TRY(BL_ARENA_NEW(&q->r->scratch, q->expression, section->count));
    for (bl_index i = 0; i < section->count; i++)
        BL_TRY(declare_expression(q, section->key[i], section->value[i]));
    q->node = bl_arena_alloc(&q->r->scratch, (size_t)q->elements, sizeof *q->node);
    q->known = bl_arena_alloc(&q->r->scratch, (size_t)q->elements, 2);
    if (!q->node || !q->known)
        return BL_E_MEMORY;
    q->uses = q->known + q->elements;
    return BL_OK;
}

static bl_equation_family *expression_of(const bl_equation_reader *q, bl_index element) {
    bl_index low = 0, high = q->nexpression;
    while (high - low > 1) {
        bl_index middle = low + (high - low) / 2;
        if (q->expression[middle].first <= element)
            low = middle;
        else
            high = middle;
    }
    return &q->expression[low];
}

static bl_status read_expression(bl_equation_reader *q, bl_index element) {
    const bl_equation_family *f = expression_of(q, element);
    bl_index k = element - f->first;
    const bl_item *item;
    char what[128];
    snprintf(what, sizeof what, "expression '%.80s'", f->name);
    BL_TRY(bl_equation_element(q, f->value, f, k, what, &item));
    bl_binding binding = {.name = f->index, .value = k + 1, .outer = q->r->binding};
    q->r->binding = f->array ? &binding : binding.outer;
    bl_status status = bl_equation_parse(q, item, what, USE_ANY, "", &q->node[element]);
    q->r->binding = binding.outer;
    if (status == BL_OK) {
        q->known[element] = KNOWN;
        q->uses[element] = (uint8_t)q->used;
    }
    return bl_equation_blame(q, status, f, k);
}

static int element_name(const bl_equation_reader *q, bl_index element, char *text, size_t size) {
    const bl_equation_family *f = expression_of(q, element);
    return snprintf(text, size, f->array ? "%.60s[%d]" : "%.60s", f->name, (int)(element - f->first) + 1);
}

static bl_status report_cycle(bl_equation_reader *q, const bl_index *stack, bl_index depth, bl_index again) {
    char text[400];
    size_t used = 0;
    bl_index from = depth;
    while (from > 0 && stack[from - 1] != again)
        from--;
    for (bl_index i = from - 1; i < depth && used < sizeof text - 100; i++) {
        used += (size_t)element_name(q, stack[i], text + used, sizeof text - used);
        used += (size_t)snprintf(text + used, sizeof text - used, " -> ");
    }
    element_name(q, again, text + used, sizeof text - used);
    return bl_fail(q->r->ctx, BL_E_MODEL, &expression_of(q, stack[depth - 1])->value->place, "circular expression: %s", text);
}

/* an element and all elements it depends on */
static bl_status settle_expression(bl_equation_reader *q, bl_index first, bl_index **stack, bl_index *room) {
    bl_index depth = 0;
    bl_context *ctx = q->r->ctx;
    BL_TRY(BL_RESERVE(ctx, *stack, *room, 1));
    (*stack)[depth++] = first;
    q->known[first] = OPEN;
    while (depth > 0) {
        bl_status status = read_expression(q, (*stack)[depth - 1]);
        if (status == BL_OK) {
            depth--;
        } else if (status != BL_RESTART || q->missing < 0) {
            return status;
        } else if (q->known[q->missing] == OPEN) {
            return report_cycle(q, *stack, depth, q->missing);
        } else {
            q->known[q->missing] = OPEN;
            BL_TRY(BL_RESERVE(ctx, *stack, *room, depth + 1));
            (*stack)[depth++] = q->missing;
        }
    }
    return BL_OK;
}

bl_status bl_equation_expressions(bl_equation_reader *q) {
    bl_index *stack = NULL, room = 0;
    bl_status status = BL_OK;
    for (bl_index k = 0; status == BL_OK && k < q->nexpression; k++)
        status = bl_equation_check_index(q, &q->expression[k]);
    for (bl_index i = 0; status == BL_OK && i < q->elements; i++)
        if (q->known[i] == UNREAD)
            status = settle_expression(q, i, &stack, &room);
    bl_free(q->r->ctx, stack);
    return status;
}
