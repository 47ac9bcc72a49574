/* *NODE, *ELEMENT, *NSET, *ELSET. Nodes and elements are read before sets, wherever they are in the deck. */
#include "model/deck_reader.h"

#include <string.h>

static uint64_t key_of(bl_index label) { return bl_hash_mix(BL_HASH_START, (uint64_t)label); }

bl_index bl_deck_node_of(const bl_deck_reader *d, bl_index label) {
    bl_index i = bl_hash_find(&d->node_of, key_of(label));
    while (i >= 0 && d->node[i].label != label)
        i = bl_hash_next(&d->node_of, i);
    return i;
}

bl_index bl_deck_element_of(const bl_deck_reader *d, bl_index label) {
    bl_index i = bl_hash_find(&d->element_of, key_of(label));
    while (i >= 0 && d->element[i].label != label)
        i = bl_hash_next(&d->element_of, i);
    return i;
}

static bl_status too_many(const bl_deck_line *line, const char *what) {
    return bl_fail(line->deck->ctx, BL_E_MODEL, &line->place, "the deck has more than %d %s", BL_MESH_MOST, what);
}

/* ---- sets */

static bl_status set_for(bl_deck_reader *d, const bl_card *card, const char *name, bool of_elements, bl_index *which) {
    uint64_t key = bl_hash_mix(bl_deck_hash(name), of_elements);
    for (bl_index i = bl_hash_find(&d->set_of, key); i >= 0; i = bl_hash_next(&d->set_of, i))
        if (d->set[i].of_elements == of_elements && bl_deck_same(d->set[i].name, name)) {
            *which = i;
            return BL_OK;
        }
    if (bl_deck_is_count(name))
        return bl_fail(d->ctx, BL_E_MODEL, &card->place, "a set cannot be named %s: numbers refer to %s", name,
                       of_elements ? "elements" : "nodes");
    BL_TRY(BL_RESERVE(d->ctx, d->set, d->set_room, d->nset + 1));
    *which = d->nset;
    d->set[d->nset++] = (bl_deck_set){.of_elements = of_elements, .name = bl_arena_text(&d->scratch, name, strlen(name))};
    return d->set[*which].name ? bl_hash_put(d->ctx, &d->set_of, key) : BL_E_MEMORY;
}

/* duplicates are removed when the set has grown too large */
static bl_status add_to(bl_deck_reader *d, bl_index which, bl_index item) {
    bl_deck_set *set = &d->set[which];
    if (set->count >= 2 * (set->of_elements ? d->nelement : d->nnode)) {
        bl_sort_indices(set->item, (size_t)set->count);
        set->count = bl_drop_repeated(set->item, set->count);
    }
    BL_TRY(BL_RESERVE(d->ctx, set->item, set->room, set->count + 1));
    set->item[set->count++] = item;
    return BL_OK;
}

static bl_status no_such_set(const bl_deck_reader *d, const bl_place *place, const char *name, bool of_elements) {
    const char *names[256];
    size_t n = 0;
    bl_fail(d->ctx, BL_E_MODEL, place, "there is no set of %s '%.80s'", of_elements ? "elements" : "nodes", name);
    for (bl_index k = 0; k < d->nset && n < 256; k++)
        if (d->set[k].of_elements == of_elements)
            names[n++] = d->set[k].name;
    const char *nearest = bl_nearest(name, names, n);
    if (nearest)
        bl_advise(d->ctx, "did you mean '%s'?", nearest);
    return BL_E_MODEL;
}

static bl_index find_set(const bl_deck_reader *d, const char *name, bool of_elements) {
    uint64_t key = bl_hash_mix(bl_deck_hash(name), of_elements);
    bl_index i = bl_hash_find(&d->set_of, key);
    while (i >= 0 && !(d->set[i].of_elements == of_elements && bl_deck_same(d->set[i].name, name)))
        i = bl_hash_next(&d->set_of, i);
    return i;
}

bl_status bl_deck_find_set(const bl_deck_reader *d, const bl_card *card, const bl_place *place, const char *name, bool of_elements,
                           bl_index *which) {
    *which = find_set(d, name, of_elements);
    if (*which < 0)
        return no_such_set(d, place, name, of_elements);
    if (d->set[*which].count == 0)
        return bl_fail(d->ctx, BL_E_MODEL, place, "the set '%s' is empty", d->set[*which].name);
    bl_index last = d->set[*which].last_card;
    if (last <= (bl_index)(card - d->card))
        return BL_OK;
    bl_fail(d->ctx, BL_E_MODEL, place, "the set '%s' is used here, but line %d adds to it later", d->set[*which].name,
            d->card[last].place.line);
    bl_advise(d->ctx, "move *%s before its use", d->card[last].name);
    return BL_E_MODEL;
}

/* from, to, by: numbers that do not exist are skipped, as in CalculiX */
static bl_status generate(bl_deck_reader *d, const bl_deck_line *line, bl_index set, bool of_elements) {
    bl_index from, to, by = 1, n = of_elements ? d->nelement : d->nnode;
    BL_TRY(bl_line_most(line, 3));
    BL_TRY(bl_line_int(line, 0, "the first number", 1, BL_DECK_MOST, &from));
    to = from;
    BL_TRY(bl_line_int_or(line, 1, "the last number", 1, BL_DECK_MOST, &to));
    BL_TRY(bl_line_int_or(line, 2, "the increment", 1, BL_DECK_MOST, &by));
    if (to < from)
        return bl_fail(d->ctx, BL_E_MODEL, &line->place, "*%s, GENERATE: the last number %d is below the first, %d", line->card->name,
                       (int)to, (int)from);
    if ((to - from) / by < n) { /* fewer numbers than items: try each number */
        for (int64_t label = from; label <= to; label += by) {
            bl_index i = of_elements ? bl_deck_element_of(d, (bl_index)label) : bl_deck_node_of(d, (bl_index)label);
            if (i >= 0)
                BL_TRY(add_to(d, set, i));
        }
        return BL_OK;
    }
    for (bl_index i = 0; i < n; i++) {
        bl_index label = of_elements ? d->element[i].label : d->node[i].label;
        if (label >= from && label <= to && (label - from) % by == 0)
            BL_TRY(add_to(d, set, i));
    }
    return BL_OK;
}

bl_status bl_deck_items(const bl_deck_line *line, int k, bool of_elements, bl_index *one, const bl_index **items, bl_index *count) {
    const bl_deck_reader *d = line->deck;
    bl_place place = bl_line_place(line, k);
    if (!bl_line_has(line, k))
        return bl_fail(d->ctx, BL_E_MODEL, &place, "*%s: entry %d of the line is missing: %s or the name of a set", line->card->name, k + 1,
                       of_elements ? "an element" : "a node");
    if (!bl_deck_is_count(line->field[k])) {
        bl_index set;
        BL_TRY(bl_deck_find_set(d, line->card, &place, line->field[k], of_elements, &set));
        *items = d->set[set].item;
        *count = d->set[set].count;
        return BL_OK;
    }
    bl_index label;
    BL_TRY(bl_line_int(line, k, of_elements ? "the element" : "the node", 1, BL_DECK_MOST, &label));
    *one = of_elements ? bl_deck_element_of(d, label) : bl_deck_node_of(d, label);
    if (*one < 0)
        return bl_fail(d->ctx, BL_E_MODEL, &place, "*%s: there is no %s %d", line->card->name, of_elements ? "element" : "node",
                       (int)label);
    *items = one;
    *count = 1;
    return BL_OK;
}

/* numbers, and names of sets, whose present items are copied */
static bl_status list(bl_deck_reader *d, const bl_deck_line *line, bl_index set, bool of_elements) {
    for (int k = 0; k < line->n; k++) {
        if (!bl_line_has(line, k))
            continue;
        if (!bl_deck_is_count(line->field[k])) {
            bl_place place = bl_line_place(line, k);
            bl_index other = find_set(d, line->field[k], of_elements);
            if (other < 0)
                return no_such_set(d, &place, line->field[k], of_elements);
            bl_index n = other == set ? 0 : d->set[other].count;
            if ((d->copied += (size_t)n) > BL_DECK_COPIES)
                return bl_fail(d->ctx, BL_E_MODEL, &place, "sets copy more than %d items from other sets", BL_DECK_COPIES);
            for (bl_index i = 0; i < n; i++)
                BL_TRY(add_to(d, set, d->set[other].item[i]));
            continue;
        }
        bl_index one, count;
        const bl_index *items;
        BL_TRY(bl_deck_items(line, k, of_elements, &one, &items, &count));
        BL_TRY(add_to(d, set, one));
    }
    return BL_OK;
}

static bl_status read_set(bl_deck_reader *d, const bl_card *card, bool of_elements) {
    const char *name;
    bl_index set;
    bool more;
    bl_deck_line line;
    BL_TRY(bl_card_need(d, card, of_elements ? "ELSET" : "NSET", &name));
    BL_TRY(set_for(d, card, name, of_elements, &set));
    bool ranges = bl_card_value(card, "GENERATE");
    bl_line_begin(&line, d, card);
    for (;;) {
        BL_TRY(bl_line_next(&line, &more));
        if (!more)
            break;
        BL_TRY(ranges ? generate(d, &line, set, of_elements) : list(d, &line, set, of_elements));
    }
    d->set[set].last_card = (bl_index)(card - d->card);
    return BL_OK;
}

/* adds the items first .. last - 1 defined by the card to the set that it names, if any */
static bl_status into_set(bl_deck_reader *d, const bl_card *card, bool of_elements, bl_index first, bl_index last) {
    const char *name = bl_card_value(card, of_elements ? "ELSET" : "NSET");
    bl_index set;
    if (!name)
        return BL_OK;
    BL_TRY(set_for(d, card, name, of_elements, &set));
    for (bl_index i = first; i < last; i++)
        BL_TRY(add_to(d, set, i));
    d->set[set].last_card = (bl_index)(card - d->card);
    return BL_OK;
}

/* ---- nodes and elements */

static bl_status read_node(bl_deck_reader *d, const bl_deck_line *line) {
    bl_deck_node node = {.place = line->place, .mesh = -1};
    static const char *const what[] = {"x", "y", "z"};
    BL_TRY(bl_line_most(line, 7)); /* after the coordinates there may be normals, for shells and beams */
    BL_TRY(bl_line_int(line, 0, "the number of the node", 1, BL_DECK_MOST, &node.label));
    for (int k = 0; k < 3; k++)
        BL_TRY(bl_line_number_or(line, k + 1, what[k], &node.x[k]));
    bl_index before = bl_deck_node_of(d, node.label);
    if (before >= 0)
        return bl_fail(d->ctx, BL_E_MODEL, &line->place, "node %d is defined twice: the first time in line %d", (int)node.label,
                       d->node[before].place.line);
    if (d->nnode == BL_MESH_MOST)
        return too_many(line, "nodes");
    BL_TRY(BL_RESERVE(d->ctx, d->node, d->node_room, d->nnode + 1));
    d->node[d->nnode++] = node;
    return bl_hash_put(d->ctx, &d->node_of, key_of(node.label));
}

static bl_status read_nodes(bl_deck_reader *d, const bl_card *card) {
    bl_deck_line line;
    bool more;
    bl_line_begin(&line, d, card);
    for (;;) {
        BL_TRY(bl_line_next(&line, &more));
        if (!more)
            return BL_OK;
        BL_TRY(read_node(d, &line));
    }
}

/* the nodes of the element continue on the next lines */
static bl_status read_element(bl_deck_reader *d, bl_deck_line *line, const bl_deck_type *type) {
    bl_deck_element element = {.place = line->place, .mesh = -1, .first = d->ncorner, .type = type};
    BL_TRY(bl_line_int(line, 0, "the number of the element", 1, BL_DECK_MOST, &element.label));
    bl_index before = bl_deck_element_of(d, element.label);
    if (before >= 0)
        return bl_fail(d->ctx, BL_E_MODEL, &line->place, "element %d is defined twice: the first time in line %d", (int)element.label,
                       d->element[before].place.line);
    if (d->nelement == BL_MESH_MOST || d->ncorner > INT32_MAX - BL_ELEMENT_NODES)
        return too_many(line, "elements");
    BL_TRY(BL_RESERVE(d->ctx, d->corner, d->corner_room, d->ncorner + type->kind->nnode));
    int k = 1;
    for (int a = 0; a < type->kind->nnode; a++, k++) {
        if (k == line->n) {
            char what[64];
            snprintf(what, sizeof what, "node %d of %d of element %d", a + 1, type->kind->nnode, (int)element.label);
            BL_TRY(bl_line_need(line, what));
            k = 0;
        }
        BL_TRY(bl_line_int(line, k, "a node of the element", 1, BL_DECK_MOST, &d->corner[d->ncorner + a]));
    }
    BL_TRY(bl_line_most(line, k));
    d->ncorner += type->kind->nnode;
    BL_TRY(BL_RESERVE(d->ctx, d->element, d->element_room, d->nelement + 1));
    d->element[d->nelement++] = element;
    return bl_hash_put(d->ctx, &d->element_of, key_of(element.label));
}

static bl_status read_elements(bl_deck_reader *d, const bl_card *card) {
    const char *name;
    bl_deck_line line;
    bool more;
    BL_TRY(bl_card_need(d, card, "TYPE", &name));
    const bl_deck_type *type = bl_deck_type_of(name);
    if (!type) {
        bl_fail(d->ctx, BL_E_MODEL, &card->place, "elements of type %.40s are not supported", name);
        bl_advise(d->ctx, "docs/DECKS.md lists the supported types");
        return BL_E_MODEL;
    }
    if (type->refused && !d->mesh_only)
        return bl_fail(d->ctx, BL_E_MODEL, &card->place, "elements of type %s are not supported: %s", type->name, type->refused);
    bl_line_begin(&line, d, card);
    for (;;) {
        BL_TRY(bl_line_next(&line, &more));
        if (!more)
            return BL_OK;
        BL_TRY(read_element(d, &line, type));
    }
}

/* replaces the labels of corners by indices */
static bl_status connect(bl_deck_reader *d) {
    for (bl_index e = 0; e < d->nelement; e++)
        for (int a = 0; a < d->element[e].type->kind->nnode; a++) {
            bl_index *corner = &d->corner[d->element[e].first + a], label = *corner;
            *corner = bl_deck_node_of(d, label);
            if (*corner < 0)
                return bl_fail(d->ctx, BL_E_MODEL, &d->element[e].place, "element %d refers to node %d, which is not defined",
                               (int)d->element[e].label, (int)label);
        }
    return BL_OK;
}

bl_status bl_deck_read_numbers(bl_deck_reader *d) {
    bl_index *nodes, *elements; /* how many there are after each card */
    BL_TRY(BL_ARENA_ARRAYS(&d->scratch, BL_ARRAY(nodes, d->ncard + 1), BL_ARRAY(elements, d->ncard + 1)));
    for (bl_index k = 0; k < d->ncard; k++) {
        if (d->card[k].word->key == BL_KEY_NODE)
            BL_TRY(read_nodes(d, &d->card[k]));
        if (d->card[k].word->key == BL_KEY_ELEMENT)
            BL_TRY(read_elements(d, &d->card[k]));
        nodes[k + 1] = d->nnode;
        elements[k + 1] = d->nelement;
    }
    BL_TRY(connect(d));
    for (bl_index k = 0; k < d->ncard; k++)
        switch (d->card[k].word->key) {
        case BL_KEY_NODE: BL_TRY(into_set(d, &d->card[k], false, nodes[k], nodes[k + 1])); break;
        case BL_KEY_ELEMENT: BL_TRY(into_set(d, &d->card[k], true, elements[k], elements[k + 1])); break;
        case BL_KEY_NSET: BL_TRY(read_set(d, &d->card[k], false)); break;
        case BL_KEY_ELSET: BL_TRY(read_set(d, &d->card[k], true)); break;
        default: break;
        }
    return BL_OK;
}
