/* Decks: text to a model with steps, or to a mesh; the model of one step. */
#include "model/deck_model.h"

#include "model/deck_reader.h"

#include <math.h>
#include <string.h>

/* a deck begins with an asterisk, which a YAML model cannot, or has a name that ends in .inp */
bool bl_is_deck(const char *name, const char *text, size_t bytes) {
    size_t i = 0, n = name ? strlen(name) : 0;
    while (i < bytes && strchr(" \t\r\n", text[i]) && text[i])
        i++;
    return (i < bytes && text[i] == '*') || (n > 4 && bl_deck_same(name + n - 4, ".inp"));
}

void bl_deck_reader_destroy(bl_deck_reader *d) {
    bl_context *ctx = d->ctx;
    for (bl_index k = 0; k < d->ncard; k++)
        bl_free(ctx, d->card[k].chunk);
    for (bl_index k = 0; k < d->nset; k++)
        bl_free(ctx, d->set[k].item);
    for (bl_index k = 0; k < d->namplitude; k++) {
        bl_free(ctx, d->amplitude[k].t);
        bl_free(ctx, d->amplitude[k].value);
    }
    for (bl_index k = 0; k < d->nmaterial; k++) {
        bl_free(ctx, d->material[k].yield);
        bl_free(ctx, d->material[k].elastic_rows.row);
        bl_free(ctx, d->material[k].expansion_rows.row);
        bl_free(ctx, d->material[k].conductivity_rows.row);
    }
    for (int k = 0; k < BL_ACTS; k++) {
        bl_free(ctx, d->acting[k].entry);
        bl_hash_free(ctx, &d->acting[k].of);
    }
    void *blocks[] = {d->card,    d->node, d->element, d->corner, d->set,        d->amplitude, d->material,
                      d->section, d->list, d->load,    d->print,  d->list_count, d->tie};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        bl_free(ctx, blocks[k]);
    bl_hash_free(ctx, &d->node_of);
    bl_hash_free(ctx, &d->element_of);
    bl_hash_free(ctx, &d->set_of);
    bl_hash_free(ctx, &d->list_of);
    bl_arena_destroy(&d->scratch);
}

/* ---- only the mesh */

static bl_status read_mesh(bl_deck_reader *d, const char *file, const char *text, size_t bytes, bl_mesh_builder *b) {
    BL_TRY(bl_deck_scan(d, file, text, bytes));
    BL_TRY(bl_deck_read_numbers(d));
    return bl_deck_build(d, b);
}

bl_status bl_read_deck_mesh(bl_reader *r, const char *file, const char *text, size_t bytes, bl_mesh_builder *b) {
    bl_deck_reader d = {.r = r, .ctx = r->ctx, .keep = &r->model->arena, .scratch.ctx = r->ctx, .mesh_only = true};
    bl_status status = read_mesh(&d, file, text, bytes, b);
    bl_deck_reader_destroy(&d);
    return status;
}

/* ---- complete deck */

/* all elements must be of one dimension and one kind of plane */
static bl_status find_plane(bl_deck_reader *d) {
    if (d->nelement == 0)
        return bl_fail(d->ctx, BL_E_MODEL, &(bl_place){d->r->model->file, 1, 1}, "the deck has no elements");
    const bl_deck_type *first = d->element[0].type;
    for (bl_index e = 1; e < d->nelement; e++)
        if (d->element[e].type->plane != first->plane || d->element[e].type->kind->dim != first->kind->dim)
            return bl_fail(d->ctx, BL_E_MODEL, &d->element[e].place, "a deck cannot contain elements of both types %s and %s", first->name,
                           d->element[e].type->name);
    d->dim = first->plane == BL_PLANE_BAR ? 3 : first->kind->dim;
    d->plane = first->plane;
    return BL_OK;
}

/* the unknowns of all steps are displacements, or of all steps temperatures */
static bl_status find_unknowns(bl_deck_reader *d) {
    const bl_card *heat = NULL, *other = NULL;
    for (bl_index k = 0; k < d->ncard; k++) {
        bl_deck_key key = d->card[k].word->key;
        heat = key == BL_KEY_HEAT ? &d->card[k] : heat;
        other = key == BL_KEY_STATIC || key == BL_KEY_DYNAMIC || key == BL_KEY_FREQUENCY ? &d->card[k] : other;
    }
    if (heat && other)
        return bl_fail(d->ctx, BL_E_MODEL, &heat->place,
                       "*HEAT TRANSFER cannot be combined with *%s in line %d: a deck computes either temperatures or displacements",
                       other->name, other->place.line);
    d->heats = heat;
    d->ncomponent = d->heats ? 1 : d->dim;
    return BL_OK;
}

static bl_place element_place(const void *user, bl_index label) {
    const bl_deck_reader *d = user;
    bl_index e = bl_deck_element_of(d, label);
    return e >= 0 ? d->element[e].place : (bl_place){d->r->model->file, 1, 1};
}

/* the model owns the solid and its mesh from the beginning, so that they are destroyed with it */
static bl_status make_mesh(bl_deck_reader *d) {
    bl_model *model = d->r->model;
    bl_mesh_builder b = {
        .ctx = d->ctx, .place = {model->file, 1, 1}, .element_place = element_place, .user = d, .dim = d->dim, .loose = d->ntie > 0};
    BL_TRY(BL_ARENA_NEW(d->keep, model->solid, 1));
    bl_status status = bl_deck_build(d, &b);
    if (status == BL_OK)
        status = bl_mesh_finish(&b, &model->solid->mesh);
    bl_mesh_builder_destroy(&b);
    BL_TRY(status);
    model->nsolid = 1;
    d->mesh = &model->solid->mesh;
    return BL_OK;
}

static bl_status read_all(bl_deck_reader *d, const char *text, size_t bytes) {
    bl_model *model = d->r->model;
    bl_deck *deck = bl_arena_alloc(d->keep, 1, sizeof *deck);
    bl_model view;
    if (!deck)
        return BL_E_MEMORY;
    BL_TRY(bl_deck_scan(d, model->file, text, bytes));
    BL_TRY(bl_deck_check_words(d));
    BL_TRY(bl_deck_read_numbers(d));
    BL_TRY(find_plane(d));
    BL_TRY(find_unknowns(d));
    model->dim = d->dim;
    BL_TRY(bl_deck_read_equations(d));
    BL_TRY(make_mesh(d));
    bl_deck_number_equations(d);
    BL_TRY(bl_deck_read_materials(d));
    BL_TRY(bl_deck_read_sections(d));
    BL_TRY(bl_deck_read_amplitudes(d));
    BL_TRY(bl_deck_read_steps(d, deck));
    deck->start = d->start;
    deck->start_rate = d->start_rate;
    model->deck = deck;
    BL_TRY(bl_deck_view(model, 0, NULL, d->keep, &view));
    *model->solid = *view.solid;
    model->support = view.support;
    model->nsupport = view.nsupport;
    model->solid_load = view.solid_load;
    model->nsolid_load = view.nsolid_load;
    model->tie = view.tie;
    model->ntie = view.ntie;
    return BL_OK;
}

bl_status bl_read_deck(bl_reader *r, const char *text, size_t bytes) {
    bl_deck_reader d = {.r = r, .ctx = r->ctx, .keep = &r->model->arena, .scratch.ctx = r->ctx};
    bl_settings *s = &r->model->settings;
    s->until = s->tolerance = s->absolute = s->step = s->every = NAN;
    r->model->name = bl_arena_text(&r->model->arena, r->model->file, strlen(r->model->file));
    bl_status status = r->model->name ? read_all(&d, text, bytes) : BL_E_MEMORY;
    bl_deck_reader_destroy(&d);
    return status;
}

/* ---- one step */

static bl_status view_support(const bl_deck_support *from, const double *u, int nc, bl_arena *arena, bl_support *to) {
    bl_index n = from->set->count;
    double *base = bl_arena_alloc(arena, (size_t)n, sizeof *base), *by = bl_arena_alloc(arena, (size_t)n, sizeof *by);
    if (!base || !by)
        return BL_E_MEMORY;
    for (bl_index i = 0; i < n; i++) {
        double now = u ? u[(size_t)from->set->item[i] * (size_t)nc + (size_t)from->part] : 0;
        double target = isnan(from->target[i]) ? now : from->target[i];
        bool ramp = from->course == BL_DECK_RAMP || isnan(from->target[i]);
        base[i] = ramp ? now : 0;
        by[i] = target - base[i];
    }
    *to = (bl_support){.place = from->place, .set = from->set, .node = -1, .part = from->part, .value = from->law, .base = base, .by = by};
    return BL_OK;
}

bl_status bl_deck_view(const bl_model *model, bl_index which, const double *u, bl_arena *arena, bl_model *view) {
    const bl_deck_step *step = &model->deck->step[which];
    *view = *model;
    bl_solid *solid;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(solid, 1), BL_ARRAY(view->support, step->nsupport)));
    *solid = step->solid;
    view->solid = solid;
    view->nsupport = step->nsupport;
    view->solid_load = step->load;
    view->nsolid_load = step->nload;
    view->tie = step->tie;
    view->ntie = step->ntie;
    int nc = solid->strain ? model->dim : 1;
    for (bl_index s = 0; s < step->nsupport; s++)
        BL_TRY(view_support(&step->support[s], u ? u : model->deck->start, nc, arena, &view->support[s]));
    return BL_OK;
}
