/* Supports and loads of a step: active entries with the same variation in time become one load with a number for each of its nodes, faces
 * or elements. */
#include "model/deck_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- entries sorted into groups */

static int compare_numbers(double a, double b) { return (a > b) - (a < b); }

static int compare_when(const bl_deck_when *a, const bl_deck_when *b) {
    return a->amplitude != b->amplitude ? (a->amplitude > b->amplitude) - (a->amplitude < b->amplitude)
                                        : compare_numbers(a->delay, b->delay);
}

static int course_in_time(const bl_deck_acting *a, const bl_deck_acting *b) {
    int differ = compare_when(&a->when, &b->when);
    return differ ? differ : compare_when(&a->film_when, &b->film_when);
}

static int by_item(const bl_deck_acting *a, const bl_deck_acting *b) {
    return a->item != b->item ? (a->item > b->item) - (a->item < b->item) : (a->part > b->part) - (a->part < b->part);
}

/* nodes: by component first */
static int compare_on_nodes(const void *left, const void *right) {
    const bl_deck_acting *a = *(const bl_deck_acting *const *)left, *b = *(const bl_deck_acting *const *)right;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    int differ = course_in_time(a, b);
    return differ ? differ : by_item(a, b);
}

static int compare_on_elements(const void *left, const void *right) {
    const bl_deck_acting *a = *(const bl_deck_acting *const *)left, *b = *(const bl_deck_acting *const *)right;
    int differ = course_in_time(a, b);
    return differ ? differ : by_item(a, b);
}

/* films: both numbers are the same within a group */
static int compare_films(const void *left, const void *right) {
    const bl_deck_acting *a = *(const bl_deck_acting *const *)left, *b = *(const bl_deck_acting *const *)right;
    int differ = course_in_time(a, b);
    if (!differ)
        differ = compare_numbers(a->value, b->value);
    if (!differ)
        differ = compare_numbers(a->film, b->film);
    return differ ? differ : by_item(a, b);
}

static bool same_group(bl_deck_acting_what what, const bl_deck_acting *a, const bl_deck_acting *b) {
    if (course_in_time(a, b))
        return false;
    if (what == BL_ACT_FILM)
        return a->value == b->value && a->film == b->film;
    return (what != BL_ACT_SUPPORT && what != BL_ACT_FORCE) || a->part == b->part;
}

typedef struct groups { /* group k: entry[first[k]] .. entry[first[k + 1] - 1] */
    bl_index n, count;
    const bl_deck_acting **entry;
    bl_index *first;
} groups;

static bl_status sort(bl_deck_reader *d, bl_deck_acting_what what, groups *g) {
    const bl_deck_list *list = &d->acting[what];
    *g = (groups){.entry = bl_arena_alloc(&d->scratch, (size_t)list->n, sizeof *g->entry),
                  .first = bl_arena_alloc(&d->scratch, (size_t)list->n + 1, sizeof *g->first)};
    if (!g->entry || !g->first)
        return BL_E_MEMORY;
    for (bl_index i = 0; i < list->n; i++)
        if (list->entry[i].on)
            g->entry[g->n++] = &list->entry[i];
    bool nodes = what == BL_ACT_SUPPORT || what == BL_ACT_FORCE;
    qsort(g->entry, (size_t)g->n, sizeof *g->entry, nodes ? compare_on_nodes : what == BL_ACT_FILM ? compare_films : compare_on_elements);
    for (bl_index i = 0; i < g->n; i++)
        if (i == 0 || !same_group(what, g->entry[i - 1], g->entry[i]))
            g->first[g->count++] = i;
    g->first[g->count] = g->n;
    return BL_OK;
}

static bl_status set_of(bl_deck_reader *d, const bl_deck_acting *const *entry, bl_index n, bl_set_what what, const bl_mesh_set **out) {
    bl_mesh_set *set = bl_arena_alloc(d->keep, 1, sizeof *set);
    bl_index *item = bl_arena_alloc(d->keep, (size_t)n, sizeof *item);
    uint8_t *face = what == BL_SET_FACES ? bl_arena_alloc(d->keep, (size_t)n, 1) : NULL;
    if (!set || !item || (what == BL_SET_FACES && !face))
        return BL_E_MEMORY;
    for (bl_index i = 0; i < n; i++) {
        item[i] = entry[i]->item;
        if (face)
            face[i] = (uint8_t)entry[i]->part;
    }
    *set = (bl_mesh_set){.name = "", .what = what, .count = n, .item = item, .face = face};
    *out = set;
    return BL_OK;
}

/* ---- variation in time */

static bool ramps(const bl_deck_step *step, const bl_deck_acting *a) { return step->ramps && a->when.amplitude < 0; }

/* time factor of a group */
static bl_status law_of(bl_deck_reader *d, const bl_deck_step *step, const bl_deck_acting *a, bl_number_law *law) {
    if (a->when.amplitude >= 0)
        return bl_deck_amplitude_law(d, &a->when, step, law);
    if (ramps(step, a))
        return bl_deck_ramp(d, step, law);
    *law = (bl_number_law){-1, 1};
    return BL_OK;
}

/* base + by x factor, both times `sign`, minus `zero` of each node */
static bl_status numbers_of(bl_deck_reader *d, const bl_deck_step *step, const bl_deck_acting *const *entry, bl_index n, double sign,
                            const double *zero, bl_solid_load *load) {
    double *base = bl_arena_alloc(d->keep, (size_t)n, sizeof *base), *by = bl_arena_alloc(d->keep, (size_t)n, sizeof *by);
    if (!base || !by)
        return BL_E_MEMORY;
    for (bl_index i = 0; i < n; i++) {
        bool ramp = ramps(step, entry[i]);
        base[i] = sign * (ramp ? entry[i]->was : 0) - (zero ? zero[entry[i]->item] : 0);
        by[i] = sign * (entry[i]->value - (ramp ? entry[i]->was : 0));
    }
    load->base = base;
    load->by = by;
    return BL_OK;
}

/* ---- supports and loads */

static bl_status make_supports(bl_deck_reader *d, bl_deck_step *step) {
    groups g;
    BL_TRY(sort(d, BL_ACT_SUPPORT, &g));
    BL_TRY(BL_ARENA_NEW(d->keep, step->support, g.count));
    for (bl_index k = 0; k < g.count; k++) {
        const bl_deck_acting *const *entry = g.entry + g.first[k];
        bl_index n = g.first[k + 1] - g.first[k];
        bl_deck_support *s = &step->support[step->nsupport++];
        double *target;
        BL_TRY(BL_ARENA_NEW(d->keep, target, n));
        for (bl_index i = 0; i < n; i++)
            target[i] = entry[i]->value;
        *s = (bl_deck_support){.place = entry[0]->place, .part = (int)entry[0]->part, .target = target};
        s->course = entry[0]->when.amplitude >= 0 ? BL_DECK_BY_LAW : step->ramps ? BL_DECK_RAMP : BL_DECK_AT;
        BL_TRY(set_of(d, entry, n, BL_SET_NODES, &s->set));
        BL_TRY(law_of(d, step, entry[0], &s->law));
    }
    return BL_OK;
}

static bl_status add_load(bl_deck_reader *d, const bl_solid_load *load) {
    BL_TRY(BL_RESERVE(d->ctx, d->load, d->load_room, d->nload + 1));
    d->load[d->nload++] = *load;
    return BL_OK;
}

typedef struct load_kind {
    bl_deck_acting_what what;
    bl_solid_load_what load;
    bl_set_what on;
    double sign;
} load_kind;

static bl_status make_loads(bl_deck_reader *d, bl_deck_step *step, const load_kind *kind) {
    groups g;
    BL_TRY(sort(d, kind->what, &g));
    for (bl_index k = 0; k < g.count; k++) {
        const bl_deck_acting *const *entry = g.entry + g.first[k];
        bl_index n = g.first[k + 1] - g.first[k];
        bl_solid_load made = {.place = entry[0]->place, .what = kind->load, .node = -1, .value = {{-1, 0}, {-1, 0}, {-1, 0}}};
        bl_number_law law;
        BL_TRY(set_of(d, entry, n, kind->on, &made.set));
        BL_TRY(law_of(d, step, entry[0], &law));
        made.value[kind->what == BL_ACT_FORCE ? entry[0]->part : 0] = law;
        BL_TRY(numbers_of(d, step, entry, n, kind->sign,
                          kind->what == BL_ACT_TEMPERATURE && !bl_deck_by_temperature(d) ? d->temperature : NULL, &made));
        BL_TRY(add_load(d, &made));
    }
    return BL_OK;
}

/* coefficient and ambient temperature, each with its amplitude; they are not ramped: a film has no previous value */
static bl_status make_films(bl_deck_reader *d, bl_deck_step *step) {
    static const double nowhere[3] = {0};
    groups g;
    BL_TRY(sort(d, BL_ACT_FILM, &g));
    for (bl_index k = 0; k < g.count; k++) {
        const bl_deck_acting *const *entry = g.entry + g.first[k], *first = entry[0];
        bl_solid_load made = {
            .place = first->place, .what = BL_LOAD_FILM, .node = -1, .value = {{-1, first->film}, {-1, first->value}, {-1, 0}}};
        BL_TRY(set_of(d, entry, g.first[k + 1] - g.first[k], BL_SET_FACES, &made.set));
        if (first->film_when.amplitude >= 0)
            BL_TRY(bl_deck_position_law(d, &first->film_when, step, false, 0, first->film, 1, nowhere, &first->place, &made.value[0]));
        if (first->when.amplitude >= 0)
            BL_TRY(bl_deck_position_law(d, &first->when, step, false, 0, first->value, 1, nowhere, &first->place, &made.value[1]));
        BL_TRY(add_load(d, &made));
    }
    return BL_OK;
}

/* acceleration along a direction: value n */
static bl_status gravity(bl_deck_reader *d, bl_deck_step *step, const bl_deck_acting *a, int c, bl_number_law *law) {
    static const double nowhere[3] = {0};
    return bl_deck_position_law(d, &a->when, step, step->ramps, a->was, a->value, a->vector[c], nowhere, &a->place, law);
}

/* value (x - p - n (n . (x - p))) */
static bl_status spin(bl_deck_reader *d, bl_deck_step *step, const bl_deck_acting *a, int c, bl_number_law *law) {
    const double *p = a->vector, *n = a->vector + 3;
    double slope[3], offset = 0;
    for (int k = 0; k < 3; k++) {
        slope[k] = (k == c) - n[c] * n[k];
        offset -= slope[k] * p[k];
    }
    return bl_deck_position_law(d, &a->when, step, step->ramps, a->was, a->value, offset, slope, &a->place, law);
}

static bl_status make_body_loads(bl_deck_reader *d, bl_deck_step *step, bl_deck_acting_what what) {
    for (bl_index i = 0; i < d->acting[what].n; i++) {
        const bl_deck_acting *a = &d->acting[what].entry[i];
        if (!a->on)
            continue;
        bl_solid_load made = {.place = a->place, .what = BL_LOAD_MASS, .node = -1, .value = {{-1, 0}, {-1, 0}, {-1, 0}}};
        bl_mesh_set *set;
        BL_TRY(BL_ARENA_NEW(d->keep, set, 1));
        *set = (bl_mesh_set){.name = "", .what = BL_SET_ELEMENTS, .count = d->list_count[a->item], .item = d->list[a->item]};
        made.set = set;
        for (int c = 0; c < d->dim; c++)
            BL_TRY((what == BL_ACT_SPIN ? spin : gravity)(d, step, a, c, &made.value[c]));
        BL_TRY(add_load(d, &made));
    }
    return BL_OK;
}

bl_status bl_deck_make_acting(bl_deck_reader *d, bl_deck_step *step) {
    const load_kind kinds[] = {
        {BL_ACT_FORCE, BL_LOAD_NODE, BL_SET_NODES, 1},
        {BL_ACT_TEMPERATURE, BL_LOAD_TEMPERATURE, BL_SET_NODES, 1},
        {BL_ACT_PRESSURE, step->large ? BL_LOAD_PRESSURE : BL_LOAD_NORMAL, BL_SET_FACES, step->large ? 1 : -1},
        {BL_ACT_FLUX, BL_LOAD_FLUX, BL_SET_FACES, 1},
        {BL_ACT_HEAT, BL_LOAD_VOLUME, BL_SET_ELEMENTS, 1},
    };
    d->ramp = (bl_number_law){-1, NAN};
    d->nload = 0;
    BL_TRY(make_supports(d, step));
    BL_TRY(bl_deck_hold_bars(d, step));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        BL_TRY(make_loads(d, step, &kinds[k]));
    BL_TRY(make_films(d, step));
    BL_TRY(make_body_loads(d, step, BL_ACT_GRAVITY));
    BL_TRY(make_body_loads(d, step, BL_ACT_SPIN));
    BL_TRY(BL_ARENA_NEW(d->keep, step->load, d->nload));
    if (d->nload)
        memcpy(step->load, d->load, (size_t)d->nload * sizeof *step->load);
    step->nload = d->nload;
    return BL_OK;
}
