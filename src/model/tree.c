/* Tree: libfyaml's events to nodes. The event parser is a state machine without recursion, so depth, number
 * of nodes and aliases are limited and duplicate keys refused here while reading. Aliases share nodes; the
 * weight of a node is its size with all aliases expanded. libfyaml prints nothing: its messages are collected. */
#include "model/reader.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

typedef struct anchor {
    const char *name;
    bl_item *node; /* NULL until the node is complete */
} anchor;

typedef struct frame {
    bl_item *node;
    bl_index first;  /* its children in items[] */
    bl_index anchor; /* to be set when it closes, -1 */
} frame;

typedef struct builder {
    bl_reader *r;
    const char *file, *text;
    size_t bytes;
    bool included; /* it may not be a model: messages do not quote it */
    struct fy_parser *parser;
    struct fy_diag *diag;
    bl_place last; /* of the newest event that had one */
    bl_index depth;
    frame stack[BL_TREE_DEPTH];
    bl_item **items;
    bl_index nitem, item_capacity;
    anchor *anchors;
    bl_index nanchor, anchor_capacity;
    bl_names anchor_names; /* a later anchor of the same name hides the earlier one */
    bl_item *root;
    bool done;
} builder;

/* where the event starts, including quotes and the star of an alias */
static void locate(builder *b, struct fy_event *event, size_t *offset) {
    const struct fy_mark *mark = fy_event_start_mark(event);
    if (!mark)
        return;
    b->last.line = mark->line + 1;
    b->last.column = mark->column + 1;
    *offset = mark->input_pos;
    bool before = event->type == FYET_ALIAS;
    if (event->type == FYET_SCALAR) {
        enum fy_scalar_style style = fy_token_scalar_style(event->scalar.value);
        before = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
    }
    if (before && b->last.column > 1)
        b->last.column--;
}

static bl_status new_node(builder *b, bl_item_kind kind, bl_item **node) {
    if (++b->r->nodes > BL_TREE_NODES)
        return bl_fail(b->r->ctx, BL_E_MODEL, &b->last, "the model has more than %d values", BL_TREE_NODES);
    *node = bl_arena_alloc(&b->r->scratch, 1, sizeof **node);
    if (!*node)
        return BL_E_MEMORY;
    (*node)->kind = (uint8_t)kind;
    (*node)->place = b->last;
    (*node)->text = "";
    (*node)->weight = 1;
    return BL_OK;
}

/* adds a complete node to its parent, or makes it the root */
static bl_status attach(builder *b, bl_item *node) {
    if (b->depth == 0) {
        b->root = node;
        return BL_OK;
    }
    BL_TRY(BL_RESERVE(b->r->ctx, b->items, b->item_capacity, b->nitem + 1));
    b->items[b->nitem++] = node;
    return BL_OK;
}

static bl_status name_anchor(builder *b, struct fy_token *token, bl_item *node, bl_index *which) {
    *which = -1;
    if (!token)
        return BL_OK;
    size_t length = 0;
    const char *name = fy_token_get_text(token, &length);
    BL_TRY(BL_RESERVE(b->r->ctx, b->anchors, b->anchor_capacity, b->nanchor + 1));
    b->anchors[b->nanchor].name = bl_arena_text(&b->r->scratch, name ? name : "", name ? length : 0);
    if (!b->anchors[b->nanchor].name)
        return BL_E_MEMORY;
    b->anchors[b->nanchor].node = node;
    *which = b->nanchor++;
    return bl_names_put(b->r, &b->anchor_names, b->anchors[*which].name, *which);
}

static bl_status refuse_tag(builder *b, struct fy_token *tag) {
    if (!tag)
        return BL_OK;
    return bl_fail(b->r->ctx, BL_E_MODEL, &b->last, "YAML tags (!name) are not allowed in a model");
}

static bl_status on_alias(builder *b, struct fy_token *token) {
    size_t length = 0;
    const char *text = fy_token_get_text(token, &length), *name = bl_arena_text(&b->r->scratch, text ? text : "", text ? length : 0);
    if (!name)
        return BL_E_MEMORY;
    bl_index which = bl_names_find(&b->anchor_names, name);
    if (which < 0 && b->included)
        return bl_fail(b->r->ctx, BL_E_MODEL, &b->last, "this alias (*name) refers to an anchor (&name) that does not exist");
    if (which < 0) {
        bl_fail(b->r->ctx, BL_E_MODEL, &b->last, "the alias '*%s' refers to an anchor that does not exist", name);
        bl_names_advise(b->r, name, (const bl_names *const[]){&b->anchor_names, NULL});
        return BL_E_MODEL;
    }
    bl_item *node = b->anchors[which].node;
    if (!node && b->included)
        return bl_fail(b->r->ctx, BL_E_MODEL, &b->last, "recursive alias: it is used inside its own anchor");
    if (!node)
        return bl_fail(b->r->ctx, BL_E_MODEL, &b->last, "recursive alias: '*%s' is used inside '&%s' itself", name, name);
    if (b->r->nodes >= BL_TREE_NODES || node->weight > BL_TREE_NODES - b->r->nodes)
        return bl_fail(b->r->ctx, BL_E_MODEL, &b->last, "aliases expand the model to more than %d values", BL_TREE_NODES);
    b->r->nodes += node->weight;
    return attach(b, node);
}

/* Names and words are shown on terminals, so control characters, for example from an escape ("\\e") in quotes, are refused. */
static bl_status refuse_controls(builder *b, const char *text, size_t length) {
    for (size_t i = 0; i < length;) {
        bool control;
        size_t n = bl_utf8(text + i, length - i, &control);
        if (n == 0)
            return bl_fail(b->r->ctx, BL_E_MODEL, &b->last, "the text is not valid UTF-8");
        if (control && text[i] != '\n' && text[i] != '\t')
            return bl_fail(b->r->ctx, BL_E_MODEL, &b->last, "the text contains a control character");
        i += n;
    }
    return BL_OK;
}

static bl_status on_scalar(builder *b, struct fy_event *event, size_t offset) {
    bl_item *node = NULL;
    BL_TRY(new_node(b, BL_ITEM_TEXT, &node));
    size_t length = 0;
    const char *text = fy_token_get_text(event->scalar.value, &length);
    enum fy_scalar_style style = fy_token_scalar_style(event->scalar.value);
    node->text = bl_arena_text(&b->r->scratch, text ? text : "", text ? length : 0);
    if (!node->text)
        return BL_E_MEMORY;
    if (strlen(node->text) != length) /* "\0" in quotes */
        return bl_fail(b->r->ctx, BL_E_MODEL, &b->last, "the text contains a zero character");
    BL_TRY(refuse_controls(b, node->text, length));
    node->length = (uint32_t)length;
    node->plain = style == FYSS_PLAIN;
    node->exact = length && offset <= b->bytes && length <= b->bytes - offset && memcmp(b->text + offset, node->text, length) == 0 &&
                  !memchr(node->text, '\n', length);
    bl_index which;
    BL_TRY(name_anchor(b, event->scalar.anchor, node, &which));
    return attach(b, node);
}

static bl_status open_frame(builder *b, bl_item_kind kind, struct fy_token *name) {
    if (b->depth >= BL_TREE_DEPTH)
        return bl_fail(b->r->ctx, BL_E_MODEL, &b->last, "nested deeper than %d levels", BL_TREE_DEPTH);
    bl_item *node = NULL;
    BL_TRY(new_node(b, kind, &node));
    frame *top = &b->stack[b->depth];
    BL_TRY(name_anchor(b, name, NULL, &top->anchor));
    top->node = node;
    top->first = b->nitem;
    b->depth++;
    return BL_OK;
}

static int by_text(const void *a, const void *b) {
    const bl_item *x = *(bl_item *const *)a, *y = *(bl_item *const *)b;
    int order = strcmp(x->text, y->text);
    if (order == 0)
        order = x->place.line != y->place.line ? (x->place.line < y->place.line ? -1 : 1) : x->place.column - y->place.column;
    return order;
}

static bl_status check_keys(builder *b, const bl_item *map) {
    for (bl_index i = 0; i < map->count; i++) {
        if (map->key[i]->kind != BL_ITEM_TEXT)
            return bl_fail(b->r->ctx, BL_E_MODEL, &map->key[i]->place, "a key must be a word, not a list or map");
        if (map->key[i]->length == 0)
            return bl_fail(b->r->ctx, BL_E_MODEL, &map->key[i]->place, "a key is empty");
    }
    if (map->count < 2)
        return BL_OK;
    bl_item **sorted;
    BL_TRY(BL_NEW(b->r->ctx, sorted, map->count));
    memcpy(sorted, map->key, (size_t)map->count * sizeof *sorted);
    qsort(sorted, (size_t)map->count, sizeof *sorted, by_text);
    bl_status status = BL_OK;
    for (bl_index i = 1; i < map->count && status == BL_OK; i++)
        if (strcmp(sorted[i - 1]->text, sorted[i]->text) == 0)
            status =
                bl_fail(b->r->ctx, BL_E_MODEL, &sorted[i]->place, "duplicate key%s%s%s: it is already given in line %d",
                        b->included ? "" : " '", b->included ? "" : sorted[i]->text, b->included ? "" : "'", sorted[i - 1]->place.line);
    bl_free(b->r->ctx, sorted);
    return status;
}

static bl_status close_frame(builder *b) {
    frame *top = &b->stack[--b->depth];
    bl_item *node = top->node;
    bl_index n = b->nitem - top->first, step = node->kind == BL_ITEM_MAP ? 2 : 1;
    bl_item **items = b->items ? b->items + top->first : NULL; /* NULL: nothing was ever attached */
    node->count = n / step;
    node->value = bl_arena_alloc(&b->r->scratch, (size_t)node->count, sizeof *node->value);
    if (node->kind == BL_ITEM_MAP)
        node->key = bl_arena_alloc(&b->r->scratch, (size_t)node->count, sizeof *node->key);
    if (!node->value || (node->kind == BL_ITEM_MAP && !node->key))
        return BL_E_MEMORY;
    for (bl_index i = 0; i < node->count; i++) {
        if (step == 2)
            node->key[i] = items[2 * i];
        node->value[i] = items[step * i + step - 1];
        node->weight += node->value[i]->weight; /* bounded by the check of aliases */
    }
    b->nitem = top->first;
    if (step == 2) {
        BL_TRY(check_keys(b, node));
        node->weight += (uint32_t)node->count;
        /* an implicit map starts at its first key */
        if (node->count && node->key[0]->place.line == node->place.line && node->key[0]->place.column < node->place.column)
            node->place = node->key[0]->place;
    }
    if (top->anchor >= 0)
        b->anchors[top->anchor].node = node;
    return attach(b, node);
}

static bl_status on_event(builder *b, struct fy_event *event) {
    size_t offset = 0;
    locate(b, event, &offset);
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (b->done)
            return bl_fail(b->r->ctx, BL_E_MODEL, &b->last, "a second YAML document starts here (---); a model is one document");
        return BL_OK;
    case FYET_DOCUMENT_END: b->done = true; return BL_OK;
    case FYET_MAPPING_START:
        BL_TRY(refuse_tag(b, event->mapping_start.tag));
        return open_frame(b, BL_ITEM_MAP, event->mapping_start.anchor);
    case FYET_SEQUENCE_START:
        BL_TRY(refuse_tag(b, event->sequence_start.tag));
        return open_frame(b, BL_ITEM_LIST, event->sequence_start.anchor);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END: return close_frame(b);
    case FYET_SCALAR: BL_TRY(refuse_tag(b, event->scalar.tag)); return on_scalar(b, event, offset);
    case FYET_ALIAS: return on_alias(b, event->alias.anchor);
    default: return BL_OK;
    }
}

/* reports libfyaml's first message */
static bl_status syntax_error(builder *b) {
    void *at = NULL;
    struct fy_diag_error *error = fy_diag_errors_iterate(b->diag, &at);
    bl_place place = b->last;
    if (error && error->line > 0) {
        place.line = error->line;
        place.column = error->column > 0 ? error->column : 1;
    }
    bool quotes = b->included && error && error->msg && strpbrk(error->msg, "'=(");
    bl_fail(b->r->ctx, BL_E_MODEL, &place, "not valid YAML: %s", error && error->msg && !quotes ? error->msg : "the text cannot be read");
    if (error && error->msg && strstr(error->msg, "missing comma"))
        bl_advise(b->r->ctx, "inside { }, put an expression with brackets in quotes: \"=u[1]\"");
    else if (error && error->msg && strstr(error->msg, "tab character"))
        bl_advise(b->r->ctx, "indent with spaces instead of tabs");
    else if (error && error->msg && strstr(error->msg, "expected '-' indicator"))
        bl_advise(b->r->ctx, "check the indentation: keys of one entry must begin in the same column");
    return BL_E_MODEL;
}

static void discard(struct fy_diag *diag, void *user, const char *text, size_t length) {
    (void)diag;
    (void)user;
    (void)text;
    (void)length;
}

static bl_status run(builder *b) {
    struct fy_diag_cfg messages;
    fy_diag_cfg_default(&messages);
    messages.fp = NULL;
    messages.output_fn = discard;
    messages.level = FYET_ERROR;
    messages.colorize = false;
    b->diag = fy_diag_create(&messages);
    if (!b->diag)
        return bl_fail(b->r->ctx, BL_E_MEMORY, NULL, "out of memory for the YAML parser");
    fy_diag_set_collect_errors(b->diag, true);
    struct fy_parse_cfg config = {.flags = FYPCF_QUIET | FYPCF_JSON_NONE | FYPCF_DEFAULT_VERSION_1_2, .diag = b->diag};
    b->parser = fy_parser_create(&config);
    if (!b->parser || fy_parser_set_string(b->parser, b->text, b->bytes) != 0)
        return bl_fail(b->r->ctx, BL_E_MEMORY, NULL, "out of memory for the YAML parser");
    bl_status status = BL_OK;
    struct fy_event *event;
    while (status == BL_OK && (event = fy_parser_parse(b->parser))) {
        status = on_event(b, event);
        fy_parser_event_free(b->parser, event);
        if (status == BL_OK)
            status = bl_go_on(b->r->ctx);
    }
    if (status == BL_OK && fy_parser_get_stream_error(b->parser))
        status = syntax_error(b);
    if (status == BL_OK && b->depth != 0)
        status = bl_fail(b->r->ctx, BL_E_MODEL, &b->last, "not valid YAML: the text ends before a list or map is complete");
    return status;
}

bl_status bl_tree_build(bl_reader *r, const char *file, const char *text, size_t bytes, bool included, bl_item **root) {
    builder *b;
    *root = NULL;
    BL_TRY(BL_NEW(r->ctx, b, 1));
    b->r = r;
    b->file = file;
    b->text = text;
    b->bytes = bytes;
    b->included = included;
    b->last = (bl_place){file, 1, 1};
    bl_status status = run(b);
    if (b->parser)
        fy_parser_destroy(b->parser);
    if (b->diag)
        fy_diag_destroy(b->diag);
    bl_free(r->ctx, b->items);
    bl_free(r->ctx, b->anchors);
    *root = b->root;
    bl_free(r->ctx, b);
    return status;
}
