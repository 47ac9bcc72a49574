/* Active loads and supports: *BOUNDARY, *CLOAD, *DLOAD, *TEMPERATURE, *FILM, *DFLUX, kept from step to step until OP=NEW, and *INITIAL
 * CONDITIONS. A new entry replaces that of an earlier step; forces and pressures given twice in one step add up. */
#include "model/deck_reader.h"

#include <math.h>
#include <string.h>

/* ---- lists */

static bl_status entry_for(bl_deck_reader *d, bl_deck_acting_what what, bl_index item, bl_index part, bl_deck_acting **entry) {
    bl_deck_list *list = &d->acting[what];
    uint64_t key = bl_hash_mix(bl_hash_mix(BL_HASH_START, (uint64_t)item), (uint64_t)part);
    bl_index i = bl_hash_find(&list->of, key);
    while (i >= 0 && !(list->entry[i].item == item && list->entry[i].part == part))
        i = bl_hash_next(&list->of, i);
    if (i < 0) {
        BL_TRY(BL_RESERVE(d->ctx, list->entry, list->room, list->n + 1));
        i = list->n++;
        list->entry[i] = (bl_deck_acting){.item = item, .part = part};
        BL_TRY(bl_hash_put(d->ctx, &list->of, key));
    }
    *entry = &list->entry[i];
    return BL_OK;
}

/* given->was: the previous value if there is no earlier entry. adds: to an entry of the same step */
static bl_status set_entry(bl_deck_reader *d, bl_deck_acting_what what, bl_index item, bl_index part, const bl_deck_acting *given,
                           bool adds) {
    bl_deck_acting *entry;
    BL_TRY(entry_for(d, what, item, part, &entry));
    bl_deck_acting was = *entry;
    if (adds && was.on && was.fresh && (was.when.amplitude != given->when.amplitude || was.when.delay != given->when.delay)) {
        bl_fail(d->ctx, BL_E_MODEL, &given->place, "this load is given twice in the step, with different amplitudes (first in line %d)",
                was.place.line);
        bl_advise(d->ctx, "give both with the same amplitude, or combine them in one load");
        return BL_E_MODEL;
    }
    *entry = *given;
    entry->item = item;
    entry->part = part;
    entry->on = entry->fresh = true;
    entry->was = was.on ? was.was : given->was;
    if (adds && was.on && was.fresh)
        entry->value += was.value;
    return BL_OK;
}

/* OP=NEW: removes the entries of earlier steps */
static bl_status operation(bl_deck_reader *d, const bl_card *card, const bl_deck_acting_what *what, int n) {
    static const char *const words[] = {"MOD", "NEW"};
    int which = 0;
    BL_TRY(bl_card_choice(d, card, "OP", words, 2, &which));
    if (which == 0)
        return BL_OK;
    for (int k = 0; k < n; k++) {
        if (d->given[what[k]]) {
            bl_fail(d->ctx, BL_E_MODEL, &card->place, "OP=NEW must be in the first *%s of a step", card->name);
            return BL_E_MODEL;
        }
        for (bl_index i = 0; i < d->acting[what[k]].n; i++)
            d->acting[what[k]].entry[i].on = false;
    }
    return BL_OK;
}

/* ---- nodes */

typedef struct node_card {
    bl_deck_acting_what what;
    bl_deck_acting given;
    bool fixed;
} node_card;

bl_status bl_deck_component(const bl_deck_reader *d, const bl_deck_line *line, int k, bl_index *part) {
    bl_place place = bl_line_place(line, k);
    bl_index number;
    BL_TRY(bl_line_int(line, k, "the component", 1, 11, &number));
    *part = d->heats ? number - 11 : number - 1;
    if (*part >= 0 && *part < d->ncomponent)
        return BL_OK;
    bl_fail(d->ctx, BL_E_MODEL, &place, "*%s: component %d does not exist here", line->card->name, (int)number);
    bl_advise(d->ctx, d->heats ? "the temperature is component 11" : "displacements are components 1, 2 and 3 (planar elements: 1 and 2)");
    return BL_E_MODEL;
}

/* components by their numbers in decks: 1 to 3 displacements, 11 the temperature */
static bl_status read_components(bl_deck_reader *d, const bl_deck_line *line, int k, bool range, bl_index *first, bl_index *last) {
    bl_place place = bl_line_place(line, k);
    BL_TRY(bl_line_int(line, k, "the component", 1, 11, first));
    *last = *first;
    if (range)
        BL_TRY(bl_line_int_or(line, k + 1, "the last component", 1, 11, last));
    bl_index low = d->heats ? 11 : 1, high = d->heats ? 11 : 3;
    if (*first >= low && *last <= high && *first <= *last)
        return BL_OK;
    bl_fail(d->ctx, BL_E_MODEL, &place, "*%s: component %d does not exist here", line->card->name, (int)(*first < low ? *first : *last));
    bl_advise(d->ctx, d->heats ? "the temperature is component 11" : "displacements are components 1, 2 and 3");
    return BL_E_MODEL;
}

static bl_status set_node_entries(bl_deck_reader *d, const bl_deck_line *line, const node_card *card, bl_index node, bl_index first,
                                  bl_index last) {
    bool support = card->what == BL_ACT_SUPPORT;
    bl_index mesh = d->node[node].mesh;
    if (mesh < 0 && support) /* such a node has no unknowns */
        return BL_OK;
    if (mesh < 0)
        return bl_fail(d->ctx, BL_E_MODEL, &line->place, "*%s: node %d does not belong to an element", line->card->name,
                       (int)d->node[node].label);
    for (bl_index part = first; part <= last; part++) {
        bl_index own = d->heats ? 0 : part - 1;
        if (own >= d->ncomponent) { /* planar elements have no third displacement */
            if (card->given.value != 0)
                return bl_fail(d->ctx, BL_E_MODEL, &line->place, "*%s: component %d must be 0 for planar elements, found %g",
                               line->card->name, (int)part, card->given.value);
            continue;
        }
        if (support && d->plane == BL_PLANE_AXISYMMETRIC && own > 1)
            continue;
        BL_TRY(set_entry(d, card->what, mesh, own, &card->given, !support));
    }
    return BL_OK;
}

static bl_status node_line(bl_deck_reader *d, const bl_deck_line *line, node_card *card) {
    bool support = card->what == BL_ACT_SUPPORT;
    bl_index one, count, first, last;
    const bl_index *items;
    BL_TRY(bl_line_most(line, support ? 4 : 3));
    BL_TRY(bl_deck_items(line, 0, false, &one, &items, &count));
    BL_TRY(read_components(d, line, 1, support, &first, &last));
    card->given.value = 0;
    card->given.place = line->place;
    if (support)
        BL_TRY(bl_line_number_or(line, 3, "the value", &card->given.value));
    else
        BL_TRY(bl_line_number(line, 2, "the force", &card->given.value));
    if (card->fixed)
        card->given.value = NAN;
    if (support && !d->in_step && card->given.value != 0) {
        bl_fail(d->ctx, BL_E_MODEL, &line->place, "*BOUNDARY before the first step must have the value 0, found %g", card->given.value);
        bl_advise(d->ctx, "give other values in a step");
        return BL_E_MODEL;
    }
    for (bl_index i = 0; i < count; i++)
        BL_TRY(set_node_entries(d, line, card, items[i], first, last));
    return BL_OK;
}

static bl_status read_on_nodes(bl_deck_reader *d, const bl_card *card, bl_deck_acting_what what) {
    node_card on = {.what = what, .fixed = bl_card_value(card, "FIXED")};
    bl_deck_line line;
    bool more;
    if (on.fixed && !d->in_step)
        return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*BOUNDARY, FIXED can only be used in a step");
    BL_TRY(operation(d, card, &what, 1));
    BL_TRY(bl_deck_when_of(d, card, "AMPLITUDE", "TIMEDELAY", &on.given.when));
    d->given[what] = true;
    bl_line_begin(&line, d, card);
    for (;;) {
        BL_TRY(bl_line_next(&line, &more));
        if (!more)
            return BL_OK;
        BL_TRY(node_line(d, &line, &on));
    }
}

static bl_status read_temperatures(bl_deck_reader *d, const bl_card *card) {
    bl_deck_acting_what what = BL_ACT_TEMPERATURE;
    bl_deck_acting given = {0};
    bl_deck_line line;
    bool more;
    BL_TRY(operation(d, card, &what, 1));
    BL_TRY(bl_deck_when_of(d, card, "AMPLITUDE", "TIMEDELAY", &given.when));
    d->given[what] = true;
    bl_line_begin(&line, d, card);
    for (;;) {
        bl_index one, count;
        const bl_index *items;
        BL_TRY(bl_line_next(&line, &more));
        if (!more)
            return BL_OK;
        BL_TRY(bl_line_most(&line, 2));
        BL_TRY(bl_deck_items(&line, 0, false, &one, &items, &count));
        BL_TRY(bl_line_number(&line, 1, "the temperature", &given.value));
        given.place = line.place;
        for (bl_index i = 0; i < count; i++) {
            bl_index node = d->node[items[i]].mesh;
            if (node < 0)
                continue;
            if (!d->temperature || isnan(d->temperature[node])) {
                bl_fail(d->ctx, BL_E_MODEL, &line.place, "*TEMPERATURE: node %d has no initial temperature", (int)d->node[items[i]].label);
                bl_advise(d->ctx, "give it by *INITIAL CONDITIONS, TYPE=TEMPERATURE: thermal strains are zero there");
                return BL_E_MODEL;
            }
            given.was = d->temperature[node];
            BL_TRY(set_entry(d, what, node, 0, &given, false));
        }
    }
}

/* ---- elements */

static bl_status face_of(bl_deck_reader *d, const bl_deck_line *line, bl_index element, const char *digit, bl_index *face) {
    bl_place place = bl_line_place(line, 1);
    const bl_element_kind *kind = d->element[element].type->kind;
    *face = digit[0] >= '1' && digit[0] <= '9' && !digit[1] ? digit[0] - '1' : -1;
    if (d->plane == BL_PLANE_BAR)
        return bl_fail(d->ctx, BL_E_MODEL, &place, "*%s: element %d (%s) is a bar, which has no faces", line->card->name,
                       (int)d->element[element].label, d->element[element].type->name);
    if (*face >= 0 && *face < kind->nface)
        return BL_OK;
    if (*face >= 0)
        return bl_fail(d->ctx, BL_E_MODEL, &place, "*%s: element %d (%s) has no face %d: it has faces 1 to %d", line->card->name,
                       (int)d->element[element].label, d->element[element].type->name, (int)*face + 1, kind->nface);
    return bl_fail(d->ctx, BL_E_MODEL, &place, "*%s: loads of type %.40s are not supported", line->card->name, line->field[1]);
}

/* the same elements have the same list */
static bl_status list_of(bl_deck_reader *d, const bl_index *items, bl_index count, bl_index *which) {
    bl_index *list = bl_arena_alloc(d->keep, (size_t)count, sizeof *list);
    if (!list)
        return BL_E_MEMORY;
    for (bl_index i = 0; i < count; i++)
        list[i] = d->element[items[i]].mesh;
    bl_sort_indices(list, (size_t)count);
    bl_index n = bl_drop_repeated(list, count);
    uint64_t key = BL_HASH_START;
    for (bl_index i = 0; i < n; i++)
        key = bl_hash_mix(key, (uint64_t)list[i]);
    for (bl_index k = bl_hash_find(&d->list_of, key); k >= 0; k = bl_hash_next(&d->list_of, k))
        if (d->list_count[k] == n && memcmp(d->list[k], list, (size_t)n * sizeof *list) == 0) {
            *which = k;
            return BL_OK;
        }
    BL_TRY(BL_RESERVE(d->ctx, d->list, d->list_room, d->nlist + 1));
    BL_TRY(BL_RESERVE(d->ctx, d->list_count, d->list_count_room, d->nlist + 1));
    *which = d->nlist;
    d->list_count[d->nlist] = n;
    d->list[d->nlist++] = list;
    return bl_hash_put(d->ctx, &d->list_of, key);
}

static bl_status unit(const bl_deck_line *line, const double v[3], double out[3]) {
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(length > 0) || !isfinite(length))
        return bl_fail(line->deck->ctx, BL_E_MODEL, &line->place, "*%s: the direction (%g, %g, %g) must not be zero", line->card->name,
                       v[0], v[1], v[2]);
    for (int k = 0; k < 3; k++)
        out[k] = v[k] / length;
    return BL_OK;
}

/* loads on axisymmetric bodies must be axisymmetric */
static bl_status fits_axis(bl_deck_reader *d, const bl_deck_line *line, const double vector[6], bool spin) {
    if (d->plane != BL_PLANE_AXISYMMETRIC)
        return BL_OK;
    bool along = vector[spin ? 3 : 0] == 0 && vector[spin ? 5 : 2] == 0, through = !spin || (vector[0] == 0 && vector[2] == 0);
    if (along && through)
        return BL_OK;
    return bl_fail(d->ctx, BL_E_MODEL, &line->place,
                   "*DLOAD: on axisymmetric elements GRAV must act along y, and CENTRIF about the y axis");
}

static bl_status body_load(bl_deck_reader *d, const bl_deck_line *line, bool spin, const bl_index *items, bl_index count,
                           bl_deck_acting *given) {
    double v[6] = {0};
    bl_index list;
    int n = spin ? 6 : 3;
    if (d->heats)
        return bl_fail(d->ctx, BL_E_MODEL, &line->place, "*DLOAD cannot be used in a heat transfer analysis");
    BL_TRY(bl_line_most(line, 3 + n));
    for (int k = 0; k < n; k++)
        BL_TRY(bl_line_number(line, 3 + k, spin ? "the axis: a point and its direction" : "the direction", &v[k]));
    memcpy(given->vector, v, sizeof v);
    BL_TRY(unit(line, v + n - 3, given->vector + n - 3));
    BL_TRY(fits_axis(d, line, given->vector, spin));
    BL_TRY(list_of(d, items, count, &list));
    bl_deck_acting *entry;
    bl_deck_acting_what what = spin ? BL_ACT_SPIN : BL_ACT_GRAVITY;
    /* each direction is a separate load, up to a limit */
    for (bl_index part = 0; part < 64; part++) {
        BL_TRY(entry_for(d, what, list, part, &entry));
        if (!entry->on || memcmp(entry->vector, given->vector, sizeof given->vector) == 0)
            return set_entry(d, what, list, part, given, true);
    }
    return bl_fail(d->ctx, BL_E_MODEL, &line->place, "*DLOAD: the same elements have loads along more than 64 directions");
}

/* element or set, kind of load, value, ... */
static bl_status element_line(bl_deck_reader *d, const bl_deck_line *line, bl_deck_acting *given) {
    bl_index one, count, face = 0;
    const bl_index *items;
    bl_deck_key key = line->card->word->key;
    bl_place place = bl_line_place(line, 1);
    BL_TRY(bl_deck_items(line, 0, true, &one, &items, &count));
    const char *label = bl_line_has(line, 1) ? line->field[1] : "";
    given->place = line->place;
    BL_TRY(bl_line_number(line, 2, key == BL_KEY_FILM ? "the ambient temperature" : "the value", &given->value));
    if (key == BL_KEY_DLOAD && (bl_deck_same(label, "GRAV") || bl_deck_same(label, "CENTRIF")))
        return body_load(d, line, bl_deck_same(label, "CENTRIF"), items, count, given);
    if (key == BL_KEY_FILM)
        BL_TRY(bl_line_number(line, 3, "the film coefficient", &given->film));
    BL_TRY(bl_line_most(line, key == BL_KEY_FILM ? 4 : 3));
    bool inside = key == BL_KEY_DFLUX && bl_deck_same(label, "BF");
    char letter = key == BL_KEY_DLOAD ? 'P' : key == BL_KEY_FILM ? 'F' : 'S';
    if (!inside && (label[0] & ~32) != letter)
        return bl_fail(d->ctx, BL_E_MODEL, &place, "*%s: loads of type '%.40s' are not supported", line->card->name, label);
    bl_deck_acting_what what = inside                ? BL_ACT_HEAT
                               : key == BL_KEY_DLOAD ? BL_ACT_PRESSURE
                               : key == BL_KEY_FILM  ? BL_ACT_FILM
                                                     : BL_ACT_FLUX;
    if (d->heats != (what != BL_ACT_PRESSURE))
        return bl_fail(d->ctx, BL_E_MODEL, &line->place, "*%s cannot be used in a %s analysis", line->card->name,
                       d->heats ? "heat transfer" : "mechanical");
    for (bl_index i = 0; i < count; i++) {
        if (!inside)
            BL_TRY(face_of(d, line, items[i], label + 1, &face));
        BL_TRY(set_entry(d, what, d->element[items[i]].mesh, face, given, what != BL_ACT_FILM));
    }
    return BL_OK;
}

static bl_status read_on_elements(bl_deck_reader *d, const bl_card *card) {
    static const bl_deck_acting_what dload[] = {BL_ACT_PRESSURE, BL_ACT_GRAVITY, BL_ACT_SPIN}, dflux[] = {BL_ACT_FLUX, BL_ACT_HEAT},
                                     film[] = {BL_ACT_FILM};
    bl_deck_key key = card->word->key;
    const bl_deck_acting_what *what = key == BL_KEY_DLOAD ? dload : key == BL_KEY_DFLUX ? dflux : film;
    int n = key == BL_KEY_DLOAD ? 3 : key == BL_KEY_DFLUX ? 2 : 1;
    bl_deck_acting given = {0};
    bl_deck_line line;
    bool more;
    BL_TRY(operation(d, card, what, n));
    BL_TRY(bl_deck_when_of(d, card, "AMPLITUDE", "TIMEDELAY", &given.when));
    given.film_when.amplitude = -1;
    if (key == BL_KEY_FILM)
        BL_TRY(bl_deck_when_of(d, card, "FILMAMPLITUDE", "FILMTIMEDELAY", &given.film_when));
    for (int k = 0; k < n; k++)
        d->given[what[k]] = true;
    bl_line_begin(&line, d, card);
    for (;;) {
        BL_TRY(bl_line_next(&line, &more));
        if (!more)
            return BL_OK;
        BL_TRY(element_line(d, &line, &given));
    }
}

bl_status bl_deck_read_acting(bl_deck_reader *d, const bl_card *card) {
    switch (card->word->key) {
    case BL_KEY_BOUNDARY: return read_on_nodes(d, card, BL_ACT_SUPPORT);
    case BL_KEY_CLOAD:
        if (d->heats)
            return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*CLOAD cannot be used in a heat transfer analysis");
        return read_on_nodes(d, card, BL_ACT_FORCE);
    case BL_KEY_TEMPERATURE:
        if (d->heats)
            return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*TEMPERATURE cannot be used in a heat transfer analysis");
        return read_temperatures(d, card);
    default: return read_on_elements(d, card);
    }
}

void bl_deck_end_acting(bl_deck_reader *d, const bl_deck_step *step) {
    for (int what = 0; what < BL_ACTS; what++) {
        d->given[what] = false;
        for (bl_index i = 0; i < d->acting[what].n; i++) {
            bl_deck_acting *entry = &d->acting[what].entry[i];
            entry->was = entry->value * bl_deck_factor(d, &entry->when, step, step->time);
            entry->fresh = false;
        }
    }
}

/* ---- initial conditions */

static bl_status initial_line(bl_deck_reader *d, const bl_deck_line *line, int what) {
    bl_index one, count, part = 0;
    const bl_index *items;
    double value;
    double *to = what == 0 ? (d->heats ? d->start : d->temperature) : what == 1 ? d->start : d->start_rate;
    BL_TRY(bl_deck_items(line, 0, false, &one, &items, &count));
    BL_TRY(bl_line_most(line, what == 0 ? 2 : 3));
    if (what) {
        BL_TRY(bl_line_int(line, 1, "the component", 1, 3, &part));
        if (part > d->ncomponent)
            return bl_fail(d->ctx, BL_E_MODEL, &line->place, "*INITIAL CONDITIONS: component %d does not exist for planar elements",
                           (int)part);
        part--;
    }
    BL_TRY(bl_line_number(line, what ? 2 : 1, "the value", &value));
    for (bl_index i = 0; i < count; i++) {
        bl_index node = d->node[items[i]].mesh;
        if (node >= 0)
            to[what ? node * d->ncomponent + part : node] = value;
    }
    return BL_OK;
}

bl_status bl_deck_read_initial(bl_deck_reader *d, const bl_card *card) {
    static const char *const words[] = {"TEMPERATURE", "DISPLACEMENT", "VELOCITY"};
    const char *type;
    int which = 0;
    bl_deck_line line;
    bool more;
    BL_TRY(bl_card_need(d, card, "TYPE", &type));
    BL_TRY(bl_card_choice(d, card, "TYPE", words, 3, &which));
    if (which && d->heats)
        return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*INITIAL CONDITIONS, TYPE=%s cannot be used in a heat transfer analysis", type);
    size_t n = (size_t)d->mesh->nnode;
    if (which == 0 && !d->heats && !d->temperature) {
        BL_TRY(BL_ARENA_NEW(d->keep, d->temperature, n));
        for (size_t i = 0; i < n; i++)
            d->temperature[i] = NAN;
    }
    double **to = which == 2 ? &d->start_rate : &d->start;
    if ((which || d->heats) && !*to && !(*to = bl_arena_alloc(d->keep, n * (size_t)d->ncomponent, sizeof **to)))
        return BL_E_MEMORY;
    bl_line_begin(&line, d, card);
    for (;;) {
        BL_TRY(bl_line_next(&line, &more));
        if (!more)
            return BL_OK;
        BL_TRY(initial_line(d, &line, which));
    }
}
