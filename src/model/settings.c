/* Settings: the head of the file, settings of the run, and variables wanted as coordinates. Names of methods are
 * kept as text; the module that has the methods checks them. */
#include "model/option_limits.h"
#include "model/reader.h"

#include "base/crew.h"

#include "system/system_limits.h"

#include <math.h>
#include <string.h>

/* A model has bodies, or one section that defines a complete system. */
static bl_status check_kinds(bl_reader *r) {
    const bl_item *equations = bl_equations_with_bodies(r) ? NULL : bl_section_last(r, "equations"),
                  *matrices = bl_section_last(r, "matrices");
    const bl_item *closure = bl_section_last(r, "closure");
    if (closure && (equations || matrices))
        return bl_fail(r->ctx, BL_E_MODEL, &closure->place, "'closure' applies to mechanisms: it cannot be used together with '%s'",
                       equations ? "equations" : "matrices");
    const bl_item *ground = bl_section_last(r, "ground");
    if (ground && (equations || matrices || bl_has_solids(r)))
        return bl_fail(r->ctx, BL_E_MODEL, &ground->place,
                       "'ground' can only be used in models with rigid bodies: it describes how the ground is drawn");
    if (equations && matrices)
        return bl_fail(r->ctx, BL_E_MODEL, &matrices->place,
                       "'matrices' cannot be used together with 'equations': a model has one of them");
    return BL_OK;
}

/* an entry of `bodies`, or those that it repeats */
static bool has_beam(const bl_item *item) {
    const bl_item *repeat = bl_item_get(item, "repeat"), *entries = item->kind == BL_ITEM_LIST ? item : NULL;
    if (bl_item_get(item, "beam"))
        return true;
    if (repeat)
        entries = bl_item_get(repeat, "do");
    for (bl_index i = 0; entries && entries->kind == BL_ITEM_LIST && i < entries->count; i++)
        if (has_beam(entries->value[i]))
            return true;
    return false;
}

static bool has_beams(const bl_reader *r) {
    for (bl_index d = 0; d < r->norder; d++) {
        const bl_item *bodies = bl_section(r, d, "bodies");
        if (bodies && has_beam(bodies))
            return true;
    }
    return false;
}

/* Sections for meshes are refused in models with rigid bodies, contacts in models of meshes. */
static bl_status check_meshes(bl_reader *r) {
    static const char *const rigid[] = {"contacts", "stops"};
    for (size_t k = 0; k < sizeof rigid / sizeof *rigid && bl_has_solids(r); k++) {
        const bl_item *item = bl_section_last(r, rigid[k]);
        if (item && !bl_item_null(item))
            return bl_fail(r->ctx, BL_E_MODEL, &item->place, "'%s' cannot be used in models with meshes: they need rigid bodies", rigid[k]);
    }
    static const char *const words[][2] = {{"loads", "forces"}, {"supports", "joints"}, {"materials", "bodies"}, {"masses", "bodies"}};
    for (size_t k = 0; k < sizeof words / sizeof *words && !bl_has_solids(r); k++) {
        const bl_item *item = bl_section_last(r, words[k][0]);
        bool materials = strcmp(words[k][0], "materials") == 0;
        if (!item || (materials && has_beams(r)))
            continue;
        bl_fail(r->ctx, BL_E_MODEL, &item->place, "'%s' can only be used in models with meshes%s", words[k][0],
                materials ? " or beams" : "");
        bl_advise(r->ctx, "did you mean '%s'?", words[k][1]);
        return BL_E_MODEL;
    }
    return BL_OK;
}

/* An included file is a model if all its keys are keys of a model; until that is known, messages do not quote it. */
static bl_status check_included(bl_reader *r, const bl_item *root, const char *const *keys, size_t nkey) {
    for (bl_index i = 0; i < root->count; i++) {
        bool known = false;
        for (size_t k = 0; k < nkey && !known; k++)
            known = strcmp(root->key[i]->text, keys[k]) == 0;
        if (known)
            continue;
        bl_fail(r->ctx, BL_E_MODEL, &root->key[i]->place, "the included file is not a model, or has an unknown key at its top level");
        const char *nearest = bl_nearest(root->key[i]->text, keys, nkey);
        if (nearest)
            bl_advise(r->ctx, "did you mean '%s'?", nearest);
        return BL_E_MODEL;
    }
    return BL_OK;
}

bl_status bl_read_head(bl_reader *r) {
    static const char *const keys[] = {"model",     "dimension",   "include",   "gravity",  "parameters",  "points",      "bodies",
                                       "joints",    "drivers",     "forces",    "probes",   "measure",     "independent", "initial",
                                       "simulate",  "coordinates", "equations", "matrices", "closure",     "materials",   "fields",
                                       "supports",  "loads",       "masses",    "ground",   "equilibrium", "linearize",   "inverse",
                                       "linearise", "inputs",      "held",      "states",   "events",      "controllers", "reactions",
                                       "stops",     "contacts",    "quantities"};
    bl_model *model = r->model;
    for (bl_index d = 0; d < r->norder; d++) {
        const bl_document *document = &r->document[r->order[d]];
        if (document->included)
            BL_TRY(check_included(r, document->root, keys, sizeof keys / sizeof *keys));
        BL_TRY(bl_item_keys(r, document->root, "the model", keys, sizeof keys / sizeof *keys, NULL));
    }
    BL_TRY(check_kinds(r));
    BL_TRY(check_meshes(r));
    const bl_item *name = bl_section_last(r, "model"), *dimension = bl_section_last(r, "dimension");
    const char *shown = model->file;
    if (name)
        BL_TRY(bl_item_text(r, name, "model", &shown));
    char *line = bl_arena_text(&model->arena, shown, strlen(shown)); /* one line, even if a file name has several */
    if (!(model->name = line))
        return BL_E_MEMORY;
    bl_text_clean(line, NULL);
    model->dim = 3;
    if (dimension) {
        double value;
        BL_TRY(bl_item_number(r, dimension, "dimension", &value));
        bool one_dimension = value == 1 && bl_has_solids(r);
        if (value != 2 && value != 3 && !one_dimension)
            return bl_fail(r->ctx, BL_E_MODEL, &dimension->place, "dimension must be 2 or 3 (or 1, in models with meshes), found %g",
                           value);
        model->dim = (int)value;
    }
    return BL_OK;
}

/* ---- lists of names */

static bl_status add_measure(bl_reader *r, const bl_item *entry, void *user) {
    (void)user;
    const char *name;
    bool rate;
    BL_TRY(bl_item_text(r, entry, "measure", &name));
    bl_index variable = bl_symbols_variable(r, name, &rate);
    if (variable < 0 || rate) {
        bl_fail(r->ctx, BL_E_MODEL, &entry->place,
                rate ? "measure needs variables, but '%s' is a rate" : "measure: there is no variable '%s'", name);
        if (rate)
            bl_advise(r->ctx, "did you mean '%s'?", r->model->variable[variable].name);
        else
            bl_names_advise(r, name, (const bl_names *const[]){&r->variables, NULL});
        return BL_E_MODEL;
    }
    BL_TRY(bl_symbols_once(r, variable, BL_SEEN_MEASURED, "measure:", &entry->place));
    r->model->measure[r->model->nmeasure++] = variable;
    return BL_OK;
}

static bl_status add_independent(bl_reader *r, const bl_item *entry, void *user) {
    (void)user;
    bl_model *model = r->model;
    BL_TRY(bl_item_keep(r, entry, "independent", &model->independent[model->nindependent]));
    model->independent_place[model->nindependent++] = entry->place;
    return BL_OK;
}

static bl_status read_wanted(bl_reader *r) {
    bl_model *model = r->model;
    const bl_item *measure = bl_section_last(r, "measure"), *independent = bl_section_last(r, "independent");
    bl_index count = 0;
    if (measure) {
        BL_TRY(bl_each_count(r, measure, NULL, &count));
        BL_TRY(BL_ARENA_NEW(&model->arena, model->measure, count));
        BL_TRY(bl_each(r, measure, NULL, add_measure, NULL));
    }
    count = 0;
    if (independent) {
        BL_TRY(bl_each_count(r, independent, NULL, &count));
        BL_TRY(BL_ARENA_ARRAYS(&model->arena, BL_ARRAY(model->independent, count), BL_ARRAY(model->independent_place, count)));
        BL_TRY(bl_each(r, independent, NULL, add_independent, NULL));
    }
    return BL_OK;
}

/* ---- simulate */

static bl_status add_stop(bl_reader *r, const bl_item *entry, void *user) {
    (void)user;
    bl_model *model = r->model;
    bl_stop *stop = &model->stop[model->nstop];
    double number = NAN;
    BL_TRY(bl_laws_read(r, entry, "stop", BL_USE_TIME | BL_USE_STATE | BL_USE_BARE, &stop->law, &number));
    if (stop->law < 0 || isfinite(number))
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "the stop expression is constant: it must use t, a variable or a probe");
    stop->name = model->law[stop->law].text;
    stop->place = entry->place;
    model->nstop++;
    return BL_OK;
}

static bl_status read_positive(bl_reader *r, const bl_item *map, const char *key, double *value) {
    const bl_item *node = bl_item_get(map, key);
    if (!node || bl_item_null(node))
        return BL_OK;
    BL_TRY(bl_item_number(r, node, key, value));
    return bl_item_range(r, &node->place, key, BL_POSITIVE, *value);
}

static bl_status read_word(bl_reader *r, const bl_item *map, const char *key, const char **word, bl_place *place) {
    const bl_item *node = bl_item_get(map, key);
    if (!node || bl_item_null(node))
        return BL_OK;
    *place = node->place;
    return bl_item_keep(r, node, key, word);
}

/* one of two words */
static bl_status read_either(bl_reader *r, const bl_item *map, const char *key, const char *first, const char *second, const char **word) {
    const bl_item *node = bl_item_get(map, key);
    if (!node || bl_item_null(node))
        return BL_OK;
    BL_TRY(bl_item_keep(r, node, key, word));
    if (strcmp(*word, first) == 0 || strcmp(*word, second) == 0)
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s must be %s or %s, found '%s'", key, first, second, *word);
    const char *near = bl_nearest(*word, (const char *const[]){first, second}, 2);
    if (near)
        bl_advise(r->ctx, "did you mean '%s'?", near);
    return BL_E_MODEL;
}

static bl_status read_contact_settings(bl_reader *r, const bl_item *map) {
    bl_settings *s = &r->model->settings;
    BL_TRY(read_either(r, map, "impact", "newton", "poisson", &s->impact));
    BL_TRY(read_either(r, map, "contact", "events", "stepping", &s->contact));
    BL_TRY(read_either(r, map, "painleve", "refuse", "impact", &s->painleve));
    return read_positive(r, map, "rest", &s->rest);
}

static bl_status read_simulate(bl_reader *r, const bl_item *map) {
    static const char *const keys[] = {"until",  "tolerance", "absolute", "step",    "every",  "stop", "formulation", "integrator",
                                       "linsol", "ordering",  "singular", "threads", "impact", "rest", "painleve",    "contact"};
    bl_settings *s = &r->model->settings;
    BL_TRY(bl_item_map(r, map, "simulate"));
    BL_TRY(bl_item_keys(r, map, "simulate", keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(read_positive(r, map, "until", &s->until));
    BL_TRY(read_positive(r, map, "tolerance", &s->tolerance));
    BL_TRY(read_positive(r, map, "absolute", &s->absolute));
    BL_TRY(read_positive(r, map, "step", &s->step));
    BL_TRY(read_positive(r, map, "every", &s->every));
    const struct {
        const char *key;
        double value;
    } limited[] = {{"tolerance", s->tolerance}, {"absolute", s->absolute}, {"step", s->step}, {"every", s->every}};
    for (int i = 0; i < 4; i++)
        if (!isnan(limited[i].value))
            BL_TRY(bl_limit_check(r->ctx, &bl_item_get(map, limited[i].key)->place, limited[i].key, limited[i].value, s->until));
    const bl_item *threads = bl_item_get(map, "threads");
    if (threads && !bl_item_null(threads)) {
        double n;
        BL_TRY(bl_item_number(r, threads, "threads", &n));
        if (!(n >= 1 && n <= BL_CREW_MOST) || n != floor(n))
            return bl_fail(r->ctx, BL_E_MODEL, &threads->place, "threads must be an integer from 1 to %d, found %g", BL_CREW_MOST, n);
        s->threads = (int)n;
    }
    BL_TRY(read_word(r, map, "formulation", &s->formulation, &s->formulation_at));
    BL_TRY(read_word(r, map, "integrator", &s->integrator, &s->integrator_at));
    BL_TRY(read_word(r, map, "linsol", &s->linsol, &s->linsol_at));
    BL_TRY(read_word(r, map, "ordering", &s->ordering, &s->ordering_at));
    BL_TRY(read_word(r, map, "singular", &s->singular, &s->singular_at));
    BL_TRY(read_contact_settings(r, map));
    const bl_item *stop = bl_item_get(map, "stop");
    if (!stop || bl_item_null(stop))
        return BL_OK;
    bl_index count = 0;
    BL_TRY(bl_each_count(r, stop, NULL, &count));
    r->model->stop = bl_arena_alloc(&r->model->arena, (size_t)count, sizeof *r->model->stop);
    return r->model->stop ? bl_each(r, stop, NULL, add_stop, NULL) : BL_E_MEMORY;
}

bl_status bl_model_check_closure(bl_context *ctx, const bl_place *place, double closure) {
    bl_status status = place ? BL_E_MODEL : BL_E_ARG;
    if (closure >= 0 && closure <= system_closure_most)
        return BL_OK;
    bl_fail(ctx, status, place, "closure must be a fraction of the size of the mechanism between 0 and %g, found %g", system_closure_most,
            closure);
    bl_advise(ctx, "use 1e-5 for dimensions given with five digits; by default dimensions are taken as exact");
    return status;
}

bl_status bl_model_set_closure(bl_context *ctx, bl_model *model, double closure) {
    if (!model)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_model_set_closure: model is NULL");
    BL_TRY(bl_model_check_closure(ctx, NULL, closure));
    model->settings.closure = closure;
    return BL_OK;
}

bl_status bl_read_settings(bl_reader *r) {
    const bl_item *gravity = bl_section_last(r, "gravity"), *simulate = bl_section_last(r, "simulate"),
                  *coordinates = bl_section_last(r, "coordinates"), *closure = bl_section_last(r, "closure");
    r->model->settings = (bl_settings){.until = NAN, .tolerance = NAN, .absolute = NAN, .step = NAN, .every = NAN, .rest = NAN};
    if (gravity && gravity->kind != BL_ITEM_LIST) {
        bl_item_vector(r, gravity, "gravity", r->model->gravity);
        bl_advise(r->ctx, "give its components in m/s^2: `gravity: %s`", r->model->dim == 2 ? "[0, -9.81]" : "[0, 0, -9.81]");
        return BL_E_MODEL;
    }
    if (gravity)
        BL_TRY(bl_item_vector(r, gravity, "gravity", r->model->gravity));
    if (coordinates) {
        r->model->settings.coordinates_at = coordinates->place;
        BL_TRY(bl_item_keep(r, coordinates, "coordinates", &r->model->settings.coordinates));
    }
    if (closure && !bl_item_null(closure)) {
        BL_TRY(bl_item_number(r, closure, "closure", &r->model->settings.closure));
        BL_TRY(bl_model_check_closure(r->ctx, &closure->place, r->model->settings.closure));
    }
    if (simulate)
        BL_TRY(read_simulate(r, simulate));
    return read_wanted(r);
}
