/* Solids: `materials:`, bodies with a `mesh:`, `fields:`. Names of sets are resolved here: the model holds lists of nodes, faces and
 * elements. */
#include "model/solid_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef bl_material_def material_def;
typedef bl_solid_reader solids;

/* whether an entry of a list, or one that a repeat makes, has the property */
static bool any_entry(const bl_item *list, bool (*has)(const bl_item *entry), int depth) {
    const bl_item *repeat = list->kind == BL_ITEM_MAP ? bl_item_get(list, "repeat") : NULL;
    if (repeat) {
        const bl_item *made = repeat->kind == BL_ITEM_MAP && depth < BL_TREE_DEPTH ? bl_item_get(repeat, "do") : NULL;
        return made && any_entry(made, has, depth + 1);
    }
    for (bl_index i = 0; list->kind == BL_ITEM_LIST && depth < BL_TREE_DEPTH && i < list->count; i++)
        if (any_entry(list->value[i], has, depth + 1))
            return true;
    return list->kind == BL_ITEM_MAP && has(list);
}

static bool any_body(const bl_reader *r, bool (*has)(const bl_item *entry)) {
    for (bl_index d = 0; d < r->norder; d++) {
        const bl_item *bodies = bl_section(r, d, "bodies");
        if (bodies && any_entry(bodies, has, 0))
            return true;
    }
    return false;
}

static bool is_meshed(const bl_item *entry) { return bl_item_get(entry, "mesh") != NULL; }
static bool is_part(const bl_item *entry) {
    return !bl_item_get(entry, "mesh") || bl_item_get(entry, "interfaces") || bl_item_get(entry, "coordinates");
}

bool bl_has_solids(const bl_reader *r) {
    for (bl_index d = 0; d < r->norder; d++)
        if (bl_section(r, d, "fields"))
            return true;
    return any_body(r, is_meshed);
}

bool bl_solids_move(const bl_reader *r) {
    static const char *const sections[] = {"joints", "drivers"};
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) {
        const bl_item *item = bl_section_last(r, sections[k]);
        if (item && !bl_item_null(item) && any_body(r, is_meshed))
            return true;
    }
    return any_body(r, is_meshed) && any_body(r, is_part);
}

/* a number, or a law of t and position; a law of parameters only is a number */
static bl_status read_law(bl_reader *r, const bl_item *node, const char *what, unsigned use, bl_number_law *law) {
    BL_TRY(bl_laws_read(r, node, what, use, &law->law, &law->number));
    if (isfinite(law->number))
        law->law = -1;
    return BL_OK;
}

bl_status bl_number_laws_read(bl_reader *r, const bl_item *node, const char *what, unsigned use, int n, bl_number_law *law) {
    if (n == 1 && node->kind == BL_ITEM_TEXT)
        return read_law(r, node, what, use, law);
    if (node->kind != BL_ITEM_LIST || node->count != n)
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s must be a list of %d numbers or expressions", what, n);
    for (int k = 0; k < n; k++)
        BL_TRY(read_law(r, node->value[k], what, use, &law[k]));
    return BL_OK;
}

/* ---- materials */

static bl_status add_material(bl_reader *r, solids *s, const char *name, const bl_place *place, const bl_item *item) {
    material_def *m = &s->material[s->nmaterial];
    static const char *const own[] = {"name", "type"};
    bl_index which;
    r->part = name;
    *m = (material_def){.name = name, .item = item};
    BL_TRY(bl_item_map(r, item, "a material"));
    BL_TRY(bl_names_add(r, &s->materials, "material", name, s->nmaterial++, place));
    BL_TRY(bl_params_kind(r, item, "material", (const void *const *)bl_material_kinds, bl_material_kind_count, &which));
    m->kind = bl_material_kinds[which];
    BL_TRY(bl_params_read(r, item, &m->kind->kind, "material", own, 2, 0, m->value));
    BL_TRY(bl_params_required(r, item, &m->kind->kind, "material", m->value));
    r->part = NULL;
    return BL_OK;
}

static bl_status read_materials(bl_reader *r, solids *s) {
    bl_index count = 0;
    for (bl_index d = 0; d < r->norder; d++) {
        const bl_item *list = bl_section(r, d, "materials");
        if (list && list->kind != BL_ITEM_MAP)
            return bl_fail(r->ctx, BL_E_MODEL, &list->place,
                           "materials must be a map (name: properties), for example `materials: {steel: {type: elastic, ...}}`");
        count += list ? list->count : 0;
    }
    BL_TRY(BL_ARENA_NEW(&r->scratch, s->material, count));
    BL_TRY(bl_names_reserve(r, &s->materials, count));
    for (bl_index d = 0; d < r->norder; d++) {
        const bl_item *list = bl_section(r, d, "materials");
        for (bl_index i = 0; list && i < list->count; i++)
            BL_TRY(add_material(r, s, list->key[i]->text, &list->key[i]->place, list->value[i]));
    }
    return BL_OK;
}

/* ---- bodies and fields */

const char *bl_set_kind(bl_set_what what) { return what == BL_SET_NODES ? "nodes" : what == BL_SET_FACES ? "faces" : "elements"; }

bl_status bl_solid_find_set(bl_reader *r, const bl_solid *solid, const bl_item *item, bl_set_what what, const bl_mesh_set **set) {
    const char *name;
    BL_TRY(bl_item_text(r, item, "set", &name));
    *set = bl_mesh_set_of(&solid->mesh, name, what);
    if (*set && (*set)->count > 0)
        return BL_OK;
    if (*set) {
        bl_fail(r->ctx, BL_E_MODEL, &item->place, "the set '%s' of %s has no %s", name, solid->name, bl_set_kind(what));
        if (what == BL_SET_FACES)
            bl_advise(r->ctx, "this load acts on boundary faces: the set must contain all nodes of a face; `force` acts on nodes");
        return BL_E_MODEL;
    }
    const char *names[256];
    size_t n = 0;
    for (bl_index k = 0; k < solid->mesh.nset && n < 256; k++)
        if (solid->mesh.set[k].what == what)
            names[n++] = solid->mesh.set[k].name;
    bl_fail(r->ctx, BL_E_MODEL, &item->place, "the mesh of %s has no set of %s '%s'", solid->name, bl_set_kind(what), name);
    const char *nearest = bl_nearest(name, names, n);
    if (nearest)
        bl_advise(r->ctx, "did you mean '%s'?", nearest);
    return BL_E_MODEL;
}

static bl_status prepare(bl_reader *r, solids *s, const bl_solid *solid, const bl_item *item, bl_section_def *section) {
    const char *name;
    BL_TRY(bl_item_text(r, item, "material", &name));
    bl_index which = bl_names_find(&s->materials, name);
    if (which < 0) {
        bl_fail(r->ctx, BL_E_MODEL, &item->place, "there is no material '%s'", name);
        bl_names_advise(r, name, (const bl_names *const[]){&s->materials, NULL});
        return BL_E_MODEL;
    }
    const material_def *m = &s->material[which];
    bool scalar = m->kind->kind.needs & BL_OF_GRADIENT;
    if (scalar != !solid->strain)
        return bl_fail(r->ctx, BL_E_MODEL, &item->place, "the material '%s' (%s) is for %s, but %s is %s", name, m->kind->kind.name,
                       scalar ? "scalar fields" : "bodies", solid->name, solid->strain ? "a body" : "a field");
    const char *why = bl_material_refuses(m->kind, solid->strain, solid->plane);
    if (why)
        return bl_fail(r->ctx, BL_E_MODEL, &item->place, "%s with material '%s': %s", solid->name, name, why);
    if (!(section->name = bl_arena_text(&r->model->arena, name, strlen(name))))
        return BL_E_MEMORY;
    section->nu = NAN;
    for (bl_index i = 0; i < bl_param_count(m->kind->kind.params); i++)
        if (strcmp(m->kind->kind.params[i].name, "nu") == 0)
            section->nu = m->value[i].number;
    return bl_material_prepare(r->ctx, m->kind, m->value, solid->plane, &section->material);
}

/* thickness of planar bodies, area of bars; in one dimension either key */
static bl_status read_thickness(bl_reader *r, const bl_item *entry, const bl_solid *solid, double *value) {
    const bl_item *thickness = bl_item_get(entry, "thickness"), *area = bl_item_get(entry, "area"), *item = area ? area : thickness;
    bool bars = bl_mesh_of_bars(&solid->mesh);
    if (thickness && area)
        return bl_fail(r->ctx, BL_E_MODEL, &area->place, "%s has both thickness and area; give only one of them", solid->name);
    if (area && r->model->dim > 1 && !bars)
        return bl_fail(r->ctx, BL_E_MODEL, &area->place, "'area' can only be used for bars, but %s is made of %s", solid->name,
                       solid->mesh.block[0].kind->kind.name);
    if (thickness && bars)
        return bl_fail(r->ctx, BL_E_MODEL, &thickness->place, "%s is made of bars: give 'area' instead of 'thickness'", solid->name);
    if (thickness && (r->model->dim == 3 || solid->plane == BL_PLANE_AXISYMMETRIC))
        return bl_fail(r->ctx, BL_E_MODEL, &thickness->place,
                       "'thickness' can only be used in planar models that are not axisymmetric; bars have an 'area'");
    if (!item || bl_item_null(item))
        return BL_OK;
    BL_TRY(bl_item_number(r, item, area ? "area" : "thickness", value));
    return bl_item_range(r, &item->place, area ? "area" : "thickness", BL_POSITIVE, *value);
}

/* segments without a cross section: perhaps bars were not intended */
static bl_status need_area(bl_reader *r, const bl_item *entry, const bl_solid *solid) {
    bool all = true;
    for (bl_index s = 0; s < solid->nsection; s++)
        all = all && solid->section[s].thickness > 0;
    if (!bl_mesh_of_bars(&solid->mesh) || !solid->strain || bl_item_get(entry, "area") || all)
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &entry->place, "%s is made of segments, which are bars in dimension %d: they need 'area'", solid->name,
            r->model->dim);
    bl_advise(r->ctx, "write `area: 1e-4` (m^2); for a solid body use a mesh of %s",
              r->model->dim == 2 ? "triangles or quadrilaterals" : "volumes");
    return BL_E_MODEL;
}

/* material: steel, or sections: [{set: core, material: copper}, ...] over it */
static bl_status read_sections(bl_reader *r, solids *s, const bl_item *entry, bl_solid *solid) {
    const bl_item *first = bl_item_get(entry, "material"), *more = bl_item_get(entry, "sections");
    bl_index count = more && more->kind == BL_ITEM_LIST ? more->count : 0, n = 0;
    if (more && more->kind != BL_ITEM_LIST)
        return bl_fail(r->ctx, BL_E_MODEL, &more->place, "sections must be a list, for example `[{set: core, material: copper}]`");
    if (!first && count == 0)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "%s needs 'material' or 'sections'", solid->name);
    BL_TRY(BL_ARENA_NEW(&r->model->arena, solid->section, count + 1));
    if (first)
        BL_TRY(prepare(r, s, solid, first, &solid->section[n++]));
    for (bl_index i = 0; i < count; i++) {
        const bl_item *set, *material;
        bl_section_def *section = &solid->section[n++];
        BL_TRY(bl_item_keys(r, more->value[i], "a section", (const char *const[]){"set", "material", "thickness", "area"}, 4, NULL));
        BL_TRY(bl_item_need(r, more->value[i], "a section", "set", &set));
        BL_TRY(bl_item_need(r, more->value[i], "a section", "material", &material));
        BL_TRY(bl_solid_find_set(r, solid, set, BL_SET_ELEMENTS, &section->set));
        BL_TRY(prepare(r, s, solid, material, section));
        BL_TRY(read_thickness(r, more->value[i], solid, &section->thickness));
    }
    solid->nsection = n;
    return need_area(r, entry, solid);
}

bl_status bl_solid_word(bl_reader *r, const bl_item *entry, const char *key, const char *const *words, int n, int *which) {
    const bl_item *item = bl_item_get(entry, key);
    const char *word;
    if (!item || bl_item_null(item))
        return BL_OK;
    BL_TRY(bl_item_text(r, item, key, &word));
    for (int k = 0; k < n; k++)
        if (strcmp(word, words[k]) == 0) {
            *which = k;
            return BL_OK;
        }
    bl_fail(r->ctx, BL_E_MODEL, &item->place, "%s: unknown value '%s'", key, word);
    const char *nearest = bl_nearest(word, words, (size_t)n);
    char all[200] = "";
    size_t used = 0;
    for (int k = 0; k < n && used < sizeof all; k++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", k ? ", " : "", words[k]);
    if (nearest)
        bl_advise(r->ctx, "did you mean '%s'?", nearest);
    else
        bl_advise(r->ctx, "accepted values: %s", all);
    return BL_E_MODEL;
}

bl_status bl_solid_number(bl_reader *r, const bl_item *entry, const char *key, uint32_t flags, double *value) {
    const bl_item *item = bl_item_get(entry, key);
    if (!item || bl_item_null(item))
        return BL_OK;
    BL_TRY(bl_item_number(r, item, key, value));
    return bl_item_range(r, &item->place, key, flags, *value);
}

static bl_status read_points(bl_reader *r, const bl_item *entry, bl_solid *solid) {
    const bl_item *item = bl_item_get(entry, "points");
    double value[3] = {0};
    if (!item || bl_item_null(item))
        return BL_OK;
    bl_index n = item->kind == BL_ITEM_LIST ? item->count : 1;
    if (n > 3)
        return bl_fail(r->ctx, BL_E_MODEL, &item->place,
                       "points must be a number or a list of up to 3 numbers, one per direction, found %d", (int)n);
    if (item->kind == BL_ITEM_LIST)
        BL_TRY(bl_item_numbers(r, item, "points", n, value));
    else
        BL_TRY(bl_item_number(r, item, "points", value));
    for (int k = 0; k < 3; k++) {
        double of = value[k < n ? k : n - 1];
        if (!(of >= 1 && of <= 15 && of == floor(of)))
            return bl_fail(r->ctx, BL_E_MODEL, &item->place, "points must be integers from 1 to 15, found %g", of);
        solid->points[k] = (int)of;
    }
    return BL_OK;
}

static bl_status read_damping(bl_reader *r, const bl_item *entry, bl_solid *solid) {
    const bl_item *item = bl_item_get(entry, "damping");
    if (!item || bl_item_null(item))
        return BL_OK;
    BL_TRY(bl_item_map(r, item, "damping"));
    BL_TRY(bl_item_keys(r, item, "damping", (const char *const[]){"mass", "stiffness"}, 2, NULL));
    BL_TRY(bl_solid_number(r, item, "mass", BL_NOT_NEGATIVE, &solid->damping_mass));
    return bl_solid_number(r, item, "stiffness", BL_NOT_NEGATIVE, &solid->damping_stiffness);
}

static const char *const plane_words[] = {"none", "strain", "stress", "axisymmetric"};

static bl_status read_plane(bl_reader *r, const bl_item *entry, bl_solid *solid) {
    const bl_item *item = bl_item_get(entry, "plane");
    int which = r->model->dim == 2 && solid->strain ? -1 : 0;
    if (solid->mesh.block[0].kind->dim == 1) { /* also in one dimension: the lateral contraction is free */
        solid->plane = solid->strain ? BL_PLANE_BAR : BL_PLANE_NONE;
        if (!item || bl_item_null(item))
            return BL_OK;
        bl_fail(r->ctx, BL_E_MODEL, &item->place, "%s is made of segments, which are bars: 'plane' cannot be used", solid->name);
        bl_advise(r->ctx, "omit it, or use a mesh of triangles or quadrilaterals for a solid body (Gmsh: option -2)");
        return BL_E_MODEL;
    }
    BL_TRY(bl_solid_word(r, entry, "plane", plane_words, 4, &which));
    if (which < 0) {
        bl_fail(r->ctx, BL_E_MODEL, &entry->place,
                "%s: a body in a planar model needs `plane: strain`, `plane: stress` or `plane: axisymmetric`", solid->name);
        return BL_E_MODEL;
    }
    if (which > 0 && r->model->dim != 2)
        return bl_fail(r->ctx, BL_E_MODEL, &item->place, "plane: %s can only be used in planar models (dimension: 2)", plane_words[which]);
    solid->plane = (bl_plane)which;
    return BL_OK;
}

static bl_status read_strain(bl_reader *r, const bl_item *entry, bl_solid *solid) {
    const char *words[16];
    int n = 0, which = 0;
    for (; n < (int)bl_strain_kind_count && n < 16; n++)
        words[n] = bl_strain_kinds[n]->kind.name;
    BL_TRY(bl_solid_word(r, entry, "strain", words, n, &which));
    solid->strain = bl_strain_kinds[which];
    return BL_OK;
}

static bl_status begin_solid(bl_reader *r, solids *s, const bl_item *entry, const char *what, bl_solid **out) {
    const bl_item *name, *mesh;
    bl_solid *solid = &r->model->solid[r->model->nsolid];
    *out = solid;
    BL_TRY(bl_item_need(r, entry, what, "name", &name));
    BL_TRY(bl_item_keep(r, name, "name", &solid->name));
    r->part = solid->name;
    solid->place = entry->place;
    solid->thickness = 1;
    solid->hourglass = -1;
    solid->order = 2;
    for (int k = 0; k < 3; k++)
        solid->convection[k].law = solid->start[k].law = solid->start_rate[k].law = -1;
    solid->absorption.law = solid->source.law = -1;
    if (s->reducing)
        BL_TRY(bl_names_add(r, &s->reduced, what, solid->name, 0, &name->place));
    else
        BL_TRY(bl_names_add(r, &s->solids, what, solid->name, r->model->nsolid++, &name->place));
    BL_TRY(bl_item_need(r, entry, solid->name, "mesh", &mesh));
    BL_TRY(bl_read_mesh(r, mesh, &solid->mesh));
    if (solid->mesh.nelement == 0)
        return bl_fail(r->ctx, BL_E_MODEL, &mesh->place, "the mesh of %s has no elements", solid->name);
    return BL_OK;
}

static bl_status read_common(bl_reader *r, const bl_item *entry, bl_solid *solid) {
    int mass = 0;
    static const char *const masses[] = {"consistent", "lumped"};
    BL_TRY(read_points(r, entry, solid));
    BL_TRY(read_thickness(r, entry, solid, &solid->thickness));
    BL_TRY(bl_solid_number(r, entry, "scale", BL_POSITIVE, &solid->scale));
    BL_TRY(bl_solid_word(r, entry, "mass", masses, 2, &mass));
    solid->lumped = mass == 1;
    return read_damping(r, entry, solid);
}

/* Averaged dilatations must affect the stress: with small strains, or with a law that computes its pressure from them. */
static bl_status check_averaged(bl_reader *r, const bl_item *entry, const bl_solid *solid) {
    if (!solid->bbar)
        return BL_OK;
    const bl_place *place = &bl_item_get(entry, "bbar")->place;
    for (bl_index k = 0; k < solid->nsection && !solid->strain->small; k++)
        if (!(solid->section[k].material.kind->kind.gives & BL_MATERIAL_DILATATION)) {
            bl_fail(r->ctx, BL_E_MODEL, place,
                    "bbar has no effect on material '%s': with strain %s it needs a material law with separate pressure",
                    solid->section[k].name, solid->strain->kind.name);
            bl_advise(r->ctx, "use the material nearly_incompressible, strain linear, or quadratic elements without bbar");
            return BL_E_MODEL;
        }
    return BL_OK;
}

/* In mechanisms rotations are large: by default the strain of the material, if it can follow them. */
static void choose_strain(const solids *s, const bl_item *entry, bl_solid *solid) {
    const bl_item *material = bl_item_get(entry, "material"), *given = bl_item_get(entry, "strain");
    bl_index which = material && material->kind == BL_ITEM_TEXT ? bl_names_find(&s->materials, material->text) : -1;
    for (size_t k = 0; which >= 0 && s->moving && (!given || bl_item_null(given)) && k < bl_strain_kind_count; k++) {
        const bl_strain_kind *strain = bl_strain_kinds[k];
        if (!strain->small && (strain->kind.gives & s->material[which].kind->kind.needs)) {
            solid->strain = strain;
            return;
        }
    }
}

bl_status bl_solid_read_body(bl_reader *r, solids *s, const bl_item *entry, bl_solid **out) {
    enum { OF_MOVING = 3 }; /* the last keys */
    static const char *const keys[] = {"name",  "mesh",      "material",   "sections",    "plane",  "strain",
                                       "bbar",  "mass",      "thickness",  "area",        "points", "damping",
                                       "scale", "hourglass", "interfaces", "coordinates", "modes",  "stiffening"};
    bl_solid *solid;
    BL_TRY(bl_item_map(r, entry, "a body"));
    BL_TRY(bl_item_keys(r, entry, "a meshed body", keys, sizeof keys / sizeof *keys - (s->moving ? 0 : OF_MOVING), NULL));
    BL_TRY(begin_solid(r, s, entry, "body", &solid));
    *out = solid;
    BL_TRY(read_strain(r, entry, solid));
    choose_strain(s, entry, solid);
    BL_TRY(read_plane(r, entry, solid));
    BL_TRY(read_common(r, entry, solid));
    BL_TRY(bl_solid_number(r, entry, "hourglass", BL_NOT_NEGATIVE, &solid->hourglass));
    if (bl_item_get(entry, "bbar"))
        BL_TRY(bl_item_flag(r, bl_item_get(entry, "bbar"), "bbar", &solid->bbar));
    if (solid->bbar && (solid->plane == BL_PLANE_STRESS || solid->plane == BL_PLANE_BAR))
        return bl_fail(r->ctx, BL_E_MODEL, &bl_item_get(entry, "bbar")->place,
                       "bbar cannot be used with %s: it averages volume changes, which are free there",
                       solid->plane == BL_PLANE_BAR ? "bars" : "plane stress");
    BL_TRY(read_sections(r, s, entry, solid));
    BL_TRY(check_averaged(r, entry, solid));
    r->part = NULL;
    return BL_OK;
}

static bl_status read_body(bl_reader *r, const bl_item *entry, void *user) {
    bl_solid *solid;
    return bl_solid_read_body(r, user, entry, &solid);
}

static bl_status read_field(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const keys[] = {"name",      "mesh", "material", "sections", "equation",   "plane",      "mass",  "points",
                                       "thickness", "area", "scale",    "damping",  "convection", "absorption", "source"};
    static const char *const equations[] = {"stationary", "diffusion", "wave"};
    solids *s = user;
    bl_solid *solid;
    int order = 0;
    BL_TRY(bl_item_map(r, entry, "a field"));
    BL_TRY(bl_item_keys(r, entry, "a field", keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(begin_solid(r, s, entry, "field", &solid));
    BL_TRY(bl_solid_word(r, entry, "equation", equations, 3, &order));
    solid->order = (uint8_t)order;
    BL_TRY(read_plane(r, entry, solid));
    BL_TRY(read_common(r, entry, solid));
    const bl_item *convection = bl_item_get(entry, "convection"), *absorption = bl_item_get(entry, "absorption"),
                  *source = bl_item_get(entry, "source");
    if (convection)
        BL_TRY(bl_number_laws_read(r, convection, "convection", BL_USE_POSITION, r->model->dim, solid->convection));
    if (absorption)
        BL_TRY(read_law(r, absorption, "absorption", BL_USE_POSITION, &solid->absorption));
    if (source)
        BL_TRY(read_law(r, source, "source", BL_USE_POSITION | BL_USE_TIME | BL_USE_FIELD, &solid->source));
    BL_TRY(read_sections(r, s, entry, solid));
    r->part = NULL;
    return BL_OK;
}

/* sections that only mechanisms have */
static bl_status refuse_others(bl_reader *r) {
    static const char *const others[] = {"joints", "drivers", "forces", "measure", "independent", "coordinates"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        const bl_item *item = bl_section_last(r, others[k]);
        if (item && !bl_item_null(item))
            return bl_fail(r->ctx, BL_E_MODEL, &item->place, "'%s' can only be used for mechanisms, not in a model with meshes", others[k]);
    }
    return BL_OK;
}

bl_status bl_solids_begin(bl_reader *r, solids *s) {
    bl_model *model = r->model;
    bl_index bodies, fields, count, loads, masses;
    BL_TRY(read_materials(r, s));
    BL_TRY(bl_section_count(r, "bodies", &bodies));
    BL_TRY(bl_section_count(r, "fields", &fields));
    BL_TRY(bl_section_count(r, "supports", &count));
    BL_TRY(bl_section_count(r, "loads", &loads));
    BL_TRY(bl_section_count(r, "masses", &masses));
    BL_TRY(BL_ARENA_ARRAYS(&model->arena, BL_ARRAY(model->solid, bodies + fields), BL_ARRAY(model->support, 3 * (size_t)count),
                           BL_ARRAY(model->solid_load, loads + 1), BL_ARRAY(model->mass, masses)));
    BL_TRY(bl_names_reserve(r, &s->reduced, bodies));
    return bl_names_reserve(r, &s->solids, bodies + fields);
}

bl_status bl_read_solids(bl_reader *r) {
    solids s = {0};
    BL_TRY(refuse_others(r));
    BL_TRY(bl_symbols_points(r));
    BL_TRY(bl_solids_begin(r, &s));
    BL_TRY(bl_section_each(r, "bodies", read_body, &s));
    BL_TRY(bl_section_each(r, "fields", read_field, &s));
    BL_TRY(bl_read_supports(r, &s));
    BL_TRY(bl_read_solid_loads(r, &s));
    BL_TRY(bl_read_solid_masses(r, &s));
    BL_TRY(bl_read_solid_probes(r, &s));
    return bl_read_solid_starts(r, &s);
}
