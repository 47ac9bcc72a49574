/* Repeat: lists whose entries may be `repeat: {count, index, from, do}`. Nothing is copied: the entries are
 * visited once per value of the index, and `$i`, `$(i+1)` in text are replaced when it is read. */
#include "model/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 16 };

static bl_status too_many(bl_reader *r, const bl_place *place) {
    return bl_fail(r->ctx, BL_E_MODEL, place, "the repeats of the model create more than %d entries",
                   (int)bl_reader_most(r, BL_REPEAT_ENTRIES));
}

static const bl_item *repeat_of(const bl_item *entry) { return entry->kind == BL_ITEM_MAP ? bl_item_get(entry, "repeat") : NULL; }

static bl_status read_integer(bl_reader *r, const bl_item *node, const char *what, double *value) {
    r->parameter_use = BL_PARAMETER_IN_SHAPE;
    bl_status status = bl_item_number(r, node, what, value);
    r->parameter_use = 0;
    BL_TRY(status);
    if (*value != floor(*value) || fabs(*value) > 1e9)
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s must be an integer, found %g", what, *value);
    return BL_OK;
}

static bl_status walk(bl_reader *r, const bl_item *list, int depth, bl_visit visit, void *user);

static bl_status expand(bl_reader *r, const bl_item *entry, const bl_item *repeat, int depth, bl_visit visit, void *user) {
    static const char *const keys[] = {"count", "index", "from", "do"};
    BL_TRY(bl_item_keys(r, entry, "an entry with 'repeat'", (const char *const[]){"repeat"}, 1, NULL));
    BL_TRY(bl_item_map(r, repeat, "repeat"));
    BL_TRY(bl_item_keys(r, repeat, "repeat", keys, 4, NULL));
    if (depth >= DEEPEST)
        return bl_fail(r->ctx, BL_E_MODEL, &repeat->place, "repeats are nested more than %d deep", DEEPEST);
    const bl_item *count, *body, *index = bl_item_get(repeat, "index"), *from = bl_item_get(repeat, "from");
    double n, first = 0;
    BL_TRY(bl_item_need(r, repeat, "repeat", "count", &count));
    BL_TRY(read_integer(r, count, "the count of a repeat", &n));
    BL_TRY(bl_item_range(r, &count->place, "the count of a repeat", BL_NOT_NEGATIVE, n));
    if (n > bl_reader_most(r, BL_REPEAT_ENTRIES))
        return bl_fail(r->ctx, BL_E_MODEL, &count->place, "a repeat count of %.0f is too large: all repeats together may create %d entries",
                       n, (int)bl_reader_most(r, BL_REPEAT_ENTRIES));
    if (from)
        BL_TRY(read_integer(r, from, "the start of a repeat", &first));
    BL_TRY(bl_item_need(r, repeat, "repeat", "do", &body));
    bl_binding binding = {.name = "i", .outer = r->binding};
    if (index) {
        BL_TRY(bl_item_text(r, index, "the index of a repeat", &binding.name));
        BL_TRY(bl_symbols_reserved(r, binding.name, "an index", &index->place));
    }
    for (bl_index k = 0; k < (bl_index)n; k++) {
        bl_index before = r->generated;
        binding.value = first + k;
        r->binding = &binding;
        bl_status status = walk(r, body, depth + 1, visit, user);
        r->binding = binding.outer;
        BL_TRY(status);
        if (r->generated == before &&
            ++r->generated > bl_reader_most(r, BL_REPEAT_ENTRIES)) /* an empty repetition counts too: it takes time */
            return too_many(r, &repeat->place);
    }
    return BL_OK;
}

static bl_status walk(bl_reader *r, const bl_item *list, int depth, bl_visit visit, void *user) {
    bool single = list->kind != BL_ITEM_LIST;
    for (bl_index i = 0; i < (single ? 1 : list->count); i++) {
        const bl_item *entry = single ? list : list->value[i], *repeat = repeat_of(entry);
        if (repeat) {
            BL_TRY(expand(r, entry, repeat, depth, visit, user));
            continue;
        }
        if (r->binding && ++r->generated > bl_reader_most(r, BL_REPEAT_ENTRIES))
            return too_many(r, &entry->place);
        BL_TRY(bl_go_on(r->ctx));
        BL_TRY(visit(r, entry, user));
    }
    return BL_OK;
}

bl_status bl_each(bl_reader *r, const bl_item *list, const char *what, bl_visit visit, void *user) {
    if (what && list->kind != BL_ITEM_LIST)
        return bl_fail(r->ctx, BL_E_MODEL, &list->place, "%s must be a list", what);
    return walk(r, list, 0, visit, user);
}

static bl_status count_one(bl_reader *r, const bl_item *entry, void *user) {
    (void)r;
    (void)entry;
    ++*(bl_index *)user;
    return BL_OK;
}

bl_status bl_each_count(bl_reader *r, const bl_item *list, const char *what, bl_index *count) {
    bl_index before = r->generated, n = 0;
    bl_status status = bl_each(r, list, what, count_one, &n);
    r->generated = before; /* counting creates nothing */
    *count += n;
    return status;
}

bl_status bl_section_count(bl_reader *r, const char *key, bl_index *count) {
    *count = 0;
    for (bl_index d = 0; d < r->norder; d++) {
        const bl_item *list = bl_section(r, d, key);
        if (list)
            BL_TRY(bl_each_count(r, list, key, count));
    }
    return BL_OK;
}

bl_status bl_section_each(bl_reader *r, const char *key, bl_visit visit, void *user) {
    for (bl_index d = 0; d < r->norder; d++) {
        const bl_item *list = bl_section(r, d, key);
        if (list)
            BL_TRY(bl_each(r, list, key, visit, user));
    }
    return BL_OK;
}

bl_status bl_section_read(bl_reader *r, const char *key, void *array, size_t size, bl_visit visit) {
    bl_index count;
    BL_TRY(bl_section_count(r, key, &count));
    void *made = bl_arena_alloc(&r->model->arena, (size_t)count, size);
    if (!made)
        return BL_E_MEMORY;
    memcpy(array, &made, sizeof made); /* any type of pointer */
    return bl_section_each(r, key, visit, NULL);
}

bl_status bl_section_name(bl_reader *r, const bl_item *entry, const char *what, bl_names *names, bl_index number, const char **name) {
    const bl_item *given = bl_item_get(entry, "name");
    if (given)
        BL_TRY(bl_item_keep(r, given, "name", name));
    else if (!(*name = bl_arena_printf(&r->model->arena, "%c%d", what[0], (int)number + 1)))
        return BL_E_MEMORY;
    r->part = *name;
    return bl_names_add(r, names, what, *name, number, given ? &given->place : &entry->place);
}

/* ---- $i in text */

typedef struct buffer {
    char *text;
    bl_index used, capacity;
} buffer;

static bl_status append(bl_reader *r, buffer *out, const char *text, size_t n) {
    BL_TRY(BL_RESERVE(r->ctx, out->text, out->capacity, out->used + (bl_index)n + 1));
    memcpy(out->text + out->used, text, n);
    out->used += (bl_index)n;
    return BL_OK;
}

/* the bound index whose name is the longest that s starts with */
static const bl_binding *bound(const bl_reader *r, const char *s) {
    const bl_binding *best = NULL;
    for (const bl_binding *b = r->binding; b; b = b->outer)
        if (strncmp(s, b->name, strlen(b->name)) == 0 && (!best || strlen(b->name) > strlen(best->name)))
            best = b;
    return best;
}

/* the parenthesis that closes the one at s, NULL if there is none */
static const char *closing_parenthesis(const char *s) {
    int depth = 0;
    for (; *s; s++) {
        depth += (*s == '(') - (*s == ')');
        if (depth == 0)
            return s;
    }
    return NULL;
}

static bl_status replace(bl_reader *r, const bl_item *node, buffer *out) {
    for (const char *s = node->text; *s;) {
        const char *dollar = strchr(s, '$');
        if (!dollar)
            return append(r, out, s, strlen(s));
        BL_TRY(append(r, out, s, (size_t)(dollar - s)));
        double value;
        const bl_binding *index = bound(r, dollar + 1);
        if (dollar[1] == '(') {
            const char *end = closing_parenthesis(dollar + 1);
            if (!end)
                return bl_fail(r->ctx, BL_E_MODEL, &node->place, "'$(' in '%.80s' has no closing ')'", node->text);
            bl_place place = node->place;
            if (node->exact)
                place.column += (int)(dollar + 2 - node->text) + !node->plain;
            BL_TRY(bl_laws_evaluate(r, dollar + 2, (size_t)(end - dollar - 2), &place, &value));
            s = end + 1;
        } else if (index) {
            value = index->value;
            s = dollar + 1 + strlen(index->name);
        } else if (isalpha((unsigned char)dollar[1])) {
            bl_fail(r->ctx, BL_E_MODEL, &node->place, "'%.80s': '$' must be followed by the index of a repeat", node->text);
            bl_advise(r->ctx, "did you mean '$%s'?", r->binding->name);
            return BL_E_MODEL;
        } else {
            BL_TRY(append(r, out, "$", 1));
            s = dollar + 1;
            continue;
        }
        char number[32];
        value += 0.0; /* avoid -0 */
        int n = value == floor(value) && fabs(value) < 1e15 ? snprintf(number, sizeof number, "%.0f", value)
                                                            : snprintf(number, sizeof number, "%.15g", value);
        BL_TRY(append(r, out, number, (size_t)n));
    }
    return BL_OK;
}

bl_status bl_repeat_text(bl_reader *r, const bl_item *node, const char **text) {
    *text = node->text;
    if (!r->binding || !strchr(node->text, '$'))
        return BL_OK;
    if (node->length > BL_LAW_LENGTH)
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "a text with an index ($) must not be longer than %d characters", BL_LAW_LENGTH);
    buffer out = {0};
    bl_status status = replace(r, node, &out);
    r->repeat_text += (size_t)out.used;
    if (status == BL_OK && r->repeat_text > (size_t)bl_reader_most(r, BL_REPEAT_TEXT))
        status = bl_fail(r->ctx, BL_E_MODEL, &node->place, "the repeats of the model create more than %d characters of text",
                         (int)bl_reader_most(r, BL_REPEAT_TEXT));
    if (status == BL_OK) {
        *text = bl_arena_text(&r->scratch, out.text ? out.text : "", (size_t)out.used);
        if (!*text)
            status = BL_E_MEMORY;
    }
    bl_free(r->ctx, out.text);
    return status;
}
