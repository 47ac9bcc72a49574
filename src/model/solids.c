/* Solids: `materials:`, bodies with a `mesh:`, `fields:`, `supports:`, `loads:`, `masses:`, their probes and initial fields. Names of sets
 * are resolved here: the model holds lists of nodes, faces and elements. */
#include "model/model_limits.h"
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct material_def {
    const char *name;
    const bl_item *item;
    const bl_material_kind *kind;
    bl_value value[BL_MAX_PARAMS];
} material_def;

typedef struct bl_solid_reader {
    material_def *material;
    bl_index nmaterial;
    bl_names materials, solids;
} solids;

bool bl_has_solids(const bl_reader *r) {
    for (bl_index d = 0; d < r->norder; d++) {
        if (bl_section(r, d, "fields"))
            return true;
        const bl_item *bodies = bl_section(r, d, "bodies");
        for (bl_index i = 0; bodies && bodies->kind == BL_ITEM_LIST && i < bodies->count; i++)
            if (bodies->value[i]->kind == BL_ITEM_MAP && bl_item_get(bodies->value[i], "mesh"))
                return true;
    }
    return false;
}

/* a number, or a law of t and position; a law of parameters only is a number */
static bl_status read_law(bl_reader *r, const bl_item *node, const char *what, unsigned use, bl_number_law *law) {
    BL_TRY(bl_laws_read(r, node, what, use, &law->law, &law->number));
    if (isfinite(law->number))
        law->law = -1;
    return BL_OK;
}

static bl_status read_laws(bl_reader *r, const bl_item *node, const char *what, unsigned use, int n, bl_number_law *law) {
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

static const char *set_kind(bl_set_what what) { return what == BL_SET_NODES ? "nodes" : what == BL_SET_FACES ? "faces" : "elements"; }

static bl_status find_set(bl_reader *r, const bl_solid *solid, const bl_item *item, bl_set_what what, const bl_mesh_set **set) {
    const char *name;
    BL_TRY(bl_item_text(r, item, "set", &name));
    *set = bl_mesh_set_of(&solid->mesh, name, what);
    if (*set && (*set)->count > 0)
        return BL_OK;
    if (*set) {
        bl_fail(r->ctx, BL_E_MODEL, &item->place, "the set '%s' of %s has no %s", name, solid->name, set_kind(what));
        if (what == BL_SET_FACES)
            bl_advise(r->ctx, "this load acts on boundary faces: the set must contain all nodes of a face; `force` acts on nodes");
        return BL_E_MODEL;
    }
    const char *names[256];
    size_t n = 0;
    for (bl_index k = 0; k < solid->mesh.nset && n < 256; k++)
        if (solid->mesh.set[k].what == what)
            names[n++] = solid->mesh.set[k].name;
    bl_fail(r->ctx, BL_E_MODEL, &item->place, "the mesh of %s has no set of %s '%s'", solid->name, set_kind(what), name);
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
        BL_TRY(find_set(r, solid, set, BL_SET_ELEMENTS, &section->set));
        BL_TRY(prepare(r, s, solid, material, section));
        BL_TRY(read_thickness(r, more->value[i], solid, &section->thickness));
    }
    solid->nsection = n;
    return need_area(r, entry, solid);
}

static bl_status read_word(bl_reader *r, const bl_item *entry, const char *key, const char *const *words, int n, int *which) {
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

static bl_status read_number(bl_reader *r, const bl_item *entry, const char *key, uint32_t flags, double *value) {
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
    BL_TRY(read_number(r, item, "mass", BL_NOT_NEGATIVE, &solid->damping_mass));
    return read_number(r, item, "stiffness", BL_NOT_NEGATIVE, &solid->damping_stiffness);
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
    BL_TRY(read_word(r, entry, "plane", plane_words, 4, &which));
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
    BL_TRY(read_word(r, entry, "strain", words, n, &which));
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
    BL_TRY(read_number(r, entry, "scale", BL_POSITIVE, &solid->scale));
    BL_TRY(read_word(r, entry, "mass", masses, 2, &mass));
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

static bl_status read_body(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const keys[] = {"name", "mesh",      "material", "sections", "plane",   "strain", "bbar",
                                       "mass", "thickness", "area",     "points",   "damping", "scale",  "hourglass"};
    solids *s = user;
    bl_solid *solid;
    BL_TRY(bl_item_map(r, entry, "a body"));
    if (!bl_item_get(entry, "mesh")) {
        bl_fail(r->ctx, BL_E_MODEL, &entry->place, "a model cannot have both rigid bodies and meshed bodies; this body has no mesh");
        bl_advise(r->ctx, "give every body a mesh, or give none a mesh");
        return BL_E_MODEL;
    }
    BL_TRY(bl_item_keys(r, entry, "a meshed body", keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(begin_solid(r, s, entry, "body", &solid));
    BL_TRY(read_strain(r, entry, solid));
    BL_TRY(read_plane(r, entry, solid));
    BL_TRY(read_common(r, entry, solid));
    BL_TRY(read_number(r, entry, "hourglass", BL_NOT_NEGATIVE, &solid->hourglass));
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
    BL_TRY(read_word(r, entry, "equation", equations, 3, &order));
    solid->order = (uint8_t)order;
    BL_TRY(read_plane(r, entry, solid));
    BL_TRY(read_common(r, entry, solid));
    const bl_item *convection = bl_item_get(entry, "convection"), *absorption = bl_item_get(entry, "absorption"),
                  *source = bl_item_get(entry, "source");
    if (convection)
        BL_TRY(read_laws(r, convection, "convection", BL_USE_POSITION, r->model->dim, solid->convection));
    if (absorption)
        BL_TRY(read_law(r, absorption, "absorption", BL_USE_POSITION, &solid->absorption));
    if (source)
        BL_TRY(read_law(r, source, "source", BL_USE_POSITION | BL_USE_TIME | BL_USE_FIELD, &solid->source));
    BL_TRY(read_sections(r, s, entry, solid));
    r->part = NULL;
    return BL_OK;
}

/* ---- supports and loads */

static bl_status find_solid(bl_reader *r, solids *s, const bl_item *entry, bl_index *which) {
    const bl_item *body = bl_item_get(entry, "body"), *item = body ? body : bl_item_get(entry, "field");
    const char *name;
    *which = 0;
    if (!item && r->model->nsolid == 1)
        return BL_OK;
    if (!item)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "the model has %d bodies and fields: give `body: NAME` or `field: NAME`",
                       (int)r->model->nsolid);
    BL_TRY(bl_item_text(r, item, "body", &name));
    *which = bl_names_find(&s->solids, name);
    if (*which >= 0)
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &item->place, "there is no meshed body or field '%s'", name);
    bl_names_advise(r, name, (const bl_names *const[]){&s->solids, NULL});
    return BL_E_MODEL;
}

/* a node by its number */
static bl_status find_node(bl_reader *r, const bl_solid *solid, const bl_item *item, bl_index *node) {
    double number;
    BL_TRY(bl_item_number(r, item, "node", &number));
    *node = -1;
    for (bl_index i = 0; i < solid->mesh.nnode && *node < 0; i++)
        if ((double)(solid->mesh.label ? solid->mesh.label[i] : i + 1) == number)
            *node = i;
    if (*node >= 0)
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &item->place, "%s has no node %g", solid->name, number);
    if (solid->mesh.label)
        bl_advise(r->ctx, "nodes of the mesh file that belong to no element are left out");
    return BL_E_MODEL;
}

/* the node at a point */
static bl_status node_at(bl_reader *r, const bl_solid *solid, const bl_item *item, bl_index *node) {
    double at[3] = {0}, least = INFINITY;
    BL_TRY(bl_item_point(r, item, "at", at));
    for (bl_index i = 0; i < solid->mesh.nnode; i++) {
        double d = hypot(hypot(solid->mesh.x[i][0] - at[0], solid->mesh.x[i][1] - at[1]), solid->mesh.x[i][2] - at[2]);
        if (d < least) {
            least = d;
            *node = i;
        }
    }
    if (least <= model_node_near * fmax(1, hypot(hypot(at[0], at[1]), at[2])))
        return BL_OK;
    return bl_fail(r->ctx, BL_E_MODEL, &item->place, "%s has no node at (%g, %g, %g): the nearest is %.3g away", solid->name, at[0], at[1],
                   at[2], least);
}

/* where: set, node or at */
static bl_status read_where(bl_reader *r, const bl_item *entry, const bl_solid *solid, bl_set_what what, const bl_mesh_set **set,
                            bl_index *node) {
    const bl_item *named = bl_item_get(entry, "set"), *number = bl_item_get(entry, "node"), *at = bl_item_get(entry, "at");
    *set = NULL;
    *node = -1;
    if ((named != NULL) + (number != NULL) + (at != NULL) > 1)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "give only one of 'set', 'node' and 'at'");
    if ((number || at) && what != BL_SET_NODES)
        return bl_fail(r->ctx, BL_E_MODEL, &(number ? number : at)->place, "this load needs a 'set' of %s, not a node", set_kind(what));
    if (named)
        return find_set(r, solid, named, what, set);
    if (number)
        return find_node(r, solid, number, node);
    return at ? node_at(r, solid, at, node) : BL_OK;
}

static const char *const component_words[] = {"x", "y", "z"};

static bl_status read_support(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const keys[] = {"body", "field", "set", "node", "at", "x", "y", "z", "all", "value"};
    solids *s = user;
    bl_model *model = r->model;
    bl_support base = {.place = entry->place, .node = -1};
    BL_TRY(bl_item_map(r, entry, "a support"));
    BL_TRY(bl_item_keys(r, entry, "a support", keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(find_solid(r, s, entry, &base.solid));
    const bl_solid *solid = &model->solid[base.solid];
    BL_TRY(read_where(r, entry, solid, BL_SET_NODES, &base.set, &base.node));
    if (!base.set && base.node < 0)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "a support needs 'set', 'node' or 'at' (a point)");
    int parts = solid->strain ? model->dim : 1, given = 0;
    const bl_item *all = bl_item_get(entry, solid->strain ? "all" : "value");
    for (int c = 0; c < 3; c++) {
        const bl_item *item = bl_item_get(entry, component_words[c]);
        if (item && (c >= parts || !solid->strain))
            return bl_fail(r->ctx, BL_E_MODEL, &item->place, "%s has no component %s", solid->name, component_words[c]);
        if (!item)
            item = c < parts ? all : NULL;
        if (!item)
            continue;
        bl_support *support = &model->support[model->nsupport++];
        *support = base;
        support->part = c;
        given++;
        BL_TRY(read_law(r, item, component_words[c], BL_USE_TIME | BL_USE_POSITION, &support->value));
    }
    if (given == 0)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place,
                       solid->strain ? "a support needs components, for example `x: 0`, `y: 0` or `all: 0`"
                                     : "a support of a field needs 'value'");
    return BL_OK;
}

typedef struct load_word {
    const char *word;
    bl_solid_load_what what;
    bl_set_what on;
    bool body, field, everywhere; /* for bodies; for fields; may be given without a set */
    int laws;                     /* 0: one for each component */
} load_word;
static const load_word load_words[] = {
    {"traction", BL_LOAD_TRACTION, BL_SET_FACES, true, false, false, 0},
    {"normal", BL_LOAD_NORMAL, BL_SET_FACES, true, false, false, 1},
    {"pressure", BL_LOAD_PRESSURE, BL_SET_FACES, true, false, false, 1},
    {"body_force", BL_LOAD_VOLUME, BL_SET_ELEMENTS, true, false, true, 0},
    {"acceleration", BL_LOAD_MASS, BL_SET_ELEMENTS, true, false, true, 0},
    {"force", BL_LOAD_NODE, BL_SET_NODES, true, false, false, 0},
    {"temperature", BL_LOAD_TEMPERATURE, BL_SET_NODES, true, false, true, 1},
    {"flux", BL_LOAD_FLUX, BL_SET_FACES, false, true, false, 1},
    {"film", BL_LOAD_FILM, BL_SET_FACES, false, true, false, 2},
    {"source", BL_LOAD_VOLUME, BL_SET_ELEMENTS, false, true, true, 1},
    {"inflow", BL_LOAD_NODE, BL_SET_NODES, false, true, false, 1},
};
enum { LOAD_WORDS = sizeof load_words / sizeof *load_words };

/* temperature: {field: NAME}, a field whose mesh has the same nodes */
static bl_status read_field_of(bl_reader *r, solids *s, const bl_item *item, const bl_solid *solid, bl_index *field) {
    const bl_item *name;
    const char *text;
    BL_TRY(bl_item_keys(r, item, "a temperature", (const char *const[]){"field"}, 1, NULL));
    BL_TRY(bl_item_need(r, item, "a temperature", "field", &name));
    BL_TRY(bl_item_text(r, name, "field", &text));
    bl_index which = bl_names_find(&s->solids, text);
    if (which < 0 || r->model->solid[which].strain) {
        bl_fail(r->ctx, BL_E_MODEL, &name->place, "there is no field '%s'", text);
        bl_names_advise(r, text, (const bl_names *const[]){&s->solids, NULL});
        return BL_E_MODEL;
    }
    const bl_mesh *a = &solid->mesh, *b = &r->model->solid[which].mesh;
    bl_index node = 0;
    double size = 0;
    for (bl_index i = 0; i < a->nnode; i++)
        size = fmax(size, fmax(fabs(a->x[i][0]), fmax(fabs(a->x[i][1]), fabs(a->x[i][2]))));
    bool same = a->nnode == b->nnode;
    for (; same && node < a->nnode; node++)
        for (int k = 0; k < 3; k++)
            same = same && fabs(a->x[node][k] - b->x[node][k]) <= model_same_nodes * size;
    if (!same) {
        bl_fail(r->ctx, BL_E_MODEL, &name->place, "%s and the field %s must have the same nodes, found %d and %d nodes%s", solid->name,
                text, (int)a->nnode, (int)b->nnode, a->nnode == b->nnode ? " at different positions" : "");
        bl_advise(r->ctx, "give both the same `mesh`, for example with an anchor: `mesh: &m {...}` and `mesh: *m`");
        return BL_E_MODEL;
    }
    *field = which + 1;
    return BL_OK;
}

static bl_status read_load(bl_reader *r, const bl_item *entry, void *user) {
    solids *s = user;
    bl_model *model = r->model;
    bl_solid_load *load = &model->solid_load[model->nsolid_load];
    const load_word *word = NULL;
    const bl_item *value = NULL;
    const char *keys[LOAD_WORDS + 5] = {"body", "field", "set", "node", "at"};
    *load = (bl_solid_load){.place = entry->place, .node = -1, .value = {{-1, 0}, {-1, 0}, {-1, 0}}};
    BL_TRY(bl_item_map(r, entry, "a load"));
    for (int k = 0; k < LOAD_WORDS; k++) {
        const bl_item *item = bl_item_get(entry, load_words[k].word);
        keys[5 + k] = load_words[k].word;
        if (item && word)
            return bl_fail(r->ctx, BL_E_MODEL, &item->place, "a load can have only one kind, found both '%s' and '%s'", load_words[k].word,
                           word->word);
        if (item) {
            word = &load_words[k];
            value = item;
        }
    }
    BL_TRY(bl_item_keys(r, entry, "a load", keys, LOAD_WORDS + 5, NULL));
    if (!word)
        return bl_fail(
            r->ctx, BL_E_MODEL, &entry->place,
            "a load needs a kind: traction, normal, pressure, force, body_force, acceleration, temperature, flux, film, source or inflow");
    BL_TRY(find_solid(r, s, entry, &load->solid));
    const bl_solid *solid = &model->solid[load->solid];
    if (!(solid->strain ? word->body : word->field))
        return bl_fail(r->ctx, BL_E_MODEL, &value->place, "'%s' is not a load of a %s", word->word, solid->strain ? "body" : "field");
    if (word->what == BL_LOAD_PRESSURE && solid->strain->small) {
        bl_fail(r->ctx, BL_E_MODEL, &value->place, "'pressure' follows the deformed face, but %s has small strains", solid->name);
        bl_advise(r->ctx, "use `normal: -p`, which acts on the undeformed face, or a strain for large deformations");
        return BL_E_MODEL;
    }
    if (word->what == BL_LOAD_PRESSURE && solid->mesh.block[0].kind->dim == 1) {
        bl_fail(r->ctx, BL_E_MODEL, &value->place, "%s is made of segments, which have no faces for a pressure", solid->name);
        bl_advise(r->ctx, "use `force` on nodes, or `traction` on the ends");
        return BL_E_MODEL;
    }
    load->what = word->what;
    BL_TRY(read_where(r, entry, solid, word->on, &load->set, &load->node));
    if (!load->set && load->node < 0 && !word->everywhere)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "the load '%s' needs a set of %s", word->word, set_kind(word->on));
    int n = word->laws ? word->laws : model->dim;
    if (word->what == BL_LOAD_TEMPERATURE && value->kind == BL_ITEM_MAP)
        BL_TRY(read_field_of(r, s, value, solid, &load->field));
    else
        BL_TRY(read_laws(r, value, word->word, BL_USE_TIME | BL_USE_POSITION, n, load->value));
    model->nsolid_load++;
    return BL_OK;
}

/* ---- masses */

static bl_status read_carriers(bl_reader *r, const bl_item *entry, const bl_solid *solid, bl_point_mass *mass) {
    const bl_mesh_set *set;
    bl_index node;
    BL_TRY(read_where(r, entry, solid, BL_SET_NODES, &set, &node));
    if (!set && node < 0)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "a mass needs 'set', 'node' or 'at' (a point)");
    if (set && set->count > model_mass_nodes) {
        bl_fail(r->ctx, BL_E_MODEL, &entry->place, "the set '%s' has %d nodes, but at most %.0f can carry a mass", set->name,
                (int)set->count, model_mass_nodes);
        bl_advise(r->ctx, "define a smaller set in the mesh by an expression: `sets: {tip: \"x > 9.9 and abs(y) < 0.1\"}`");
        return BL_E_MODEL;
    }
    mass->nnode = set ? set->count : 1;
    bl_index *carrier;
    BL_TRY(BL_ARENA_NEW(&r->model->arena, carrier, mass->nnode));
    for (bl_index k = 0; k < mass->nnode; k++)
        carrier[k] = set ? set->item[k] : node;
    mass->node = carrier;
    return BL_OK;
}

static bl_status read_mass(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const keys[] = {"body", "set", "node", "at", "mass", "offset"};
    solids *s = user;
    bl_point_mass *mass = &r->model->mass[r->model->nmass];
    const bl_item *value, *offset = bl_item_get(entry, "offset");
    double arm[3] = {0};
    *mass = (bl_point_mass){.place = entry->place};
    BL_TRY(bl_item_map(r, entry, "a mass"));
    BL_TRY(bl_item_keys(r, entry, "a mass", keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(bl_item_need(r, entry, "a mass", "mass", &value));
    BL_TRY(read_number(r, entry, "mass", BL_NOT_NEGATIVE, &mass->mass));
    BL_TRY(find_solid(r, s, entry, &mass->solid));
    const bl_solid *solid = &r->model->solid[mass->solid];
    if (!solid->strain)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "%s is a field; only bodies can carry masses", solid->name);
    BL_TRY(read_carriers(r, entry, solid, mass));
    if (offset)
        BL_TRY(bl_item_vector(r, offset, "offset", arm));
    if (offset && (r->model->dim == 1 || solid->plane == BL_PLANE_AXISYMMETRIC))
        return bl_fail(r->ctx, BL_E_MODEL, &offset->place, "'offset' cannot be used in dimension 1 or for axisymmetric bodies such as %s",
                       solid->name);
    if (offset && !solid->strain->small)
        return bl_fail(r->ctx, BL_E_MODEL, &offset->place, "'offset' of a mass is only valid for small rotations, but %s has strain: %s",
                       solid->name, solid->strain->kind.name);
    const bl_item *set = bl_item_get(entry, "set");
    BL_TRY(bl_masses_arm(r, &solid->mesh, arm, set ? set->text : solid->name, mass));
    r->model->nmass++;
    return BL_OK;
}

/* ---- probes and starts */

static bl_status read_probe(bl_reader *r, const char *name, const bl_place *place, const bl_item *value, void *user) {
    solids *s = user;
    bl_model *model = r->model;
    bl_solid_probe *probe = &model->solid_probe[model->nprobe];
    bl_probe *plain = &model->probe[model->nprobe];
    BL_TRY(bl_item_map(r, value, "a probe"));
    BL_TRY(bl_item_keys(r, value, "a probe", (const char *const[]){"name", "body", "field", "at", "node"}, 5, NULL));
    BL_TRY(find_solid(r, s, value, &probe->solid));
    const bl_solid *solid = &model->solid[probe->solid];
    const bl_item *number = bl_item_get(value, "node"), *at = bl_item_get(value, "at");
    if (!number == !at)
        return bl_fail(r->ctx, BL_E_MODEL, &value->place, "a probe on a mesh needs either 'node' or 'at' (a point)");
    plain->name = name;
    plain->place = *place;
    probe->node = probe->element = -1;
    if (number)
        BL_TRY(find_node(r, solid, number, &probe->node));
    else {
        double point[3] = {0};
        BL_TRY(bl_item_point(r, at, "at", point));
        probe->element = bl_mesh_locate(&solid->mesh, point, probe->xi);
        if (probe->element < 0)
            return bl_fail(r->ctx, BL_E_MODEL, &at->place, "the point (%g, %g, %g) is outside %s", point[0], point[1], point[2],
                           solid->name);
    }
    return bl_names_add(r, &r->probes, "probe", name, model->nprobe++, place);
}

static bl_status read_probes(bl_reader *r, solids *s) {
    bl_index count;
    bl_model *model = r->model;
    BL_TRY(bl_named_count(r, "probes", &count));
    BL_TRY(BL_ARENA_ARRAYS(&model->arena, BL_ARRAY(model->probe, count), BL_ARRAY(model->solid_probe, count)));
    BL_TRY(bl_names_reserve(r, &r->probes, count));
    return bl_named_each(r, "probes", read_probe, s);
}

static bl_status read_start(bl_reader *r, solids *s, const bl_item *key, const bl_item *value) {
    bl_index which = bl_names_find(&s->solids, key->text);
    if (which < 0 && strcmp(key->text, "equilibrium") == 0)
        return BL_OK; /* bl_read_rest */
    if (which < 0) {
        bl_fail(r->ctx, BL_E_MODEL, &key->place, "initial: there is no meshed body or field '%s'", key->text);
        bl_names_advise(r, key->text, (const bl_names *const[]){&s->solids, NULL});
        return BL_E_MODEL;
    }
    bl_solid *solid = &r->model->solid[which];
    const char *initial = solid->strain ? "displacement" : "value", *rate = solid->strain ? "velocity" : "rate";
    const char *const keys[] = {initial, rate, "mode", "amplitude"};
    BL_TRY(bl_item_map(r, value, key->text));
    BL_TRY(bl_item_keys(r, value, key->text, keys, 4, NULL));
    int n = solid->strain ? r->model->dim : 1;
    const bl_item *at = bl_item_get(value, initial), *moving = bl_item_get(value, rate), *mode = bl_item_get(value, "mode");
    if (moving && solid->order != 2)
        return bl_fail(r->ctx, BL_E_MODEL, &moving->place, "%s is of order %d in time, so it has no initial %s", solid->name, solid->order,
                       rate);
    if (at)
        BL_TRY(read_laws(r, at, initial, BL_USE_POSITION, n, solid->start));
    if (moving)
        BL_TRY(read_laws(r, moving, rate, BL_USE_POSITION, n, solid->start_rate));
    if (!mode)
        return BL_OK;
    double number;
    BL_TRY(bl_item_number(r, mode, "mode", &number));
    if (!(number >= 1) || number != floor(number))
        return bl_fail(r->ctx, BL_E_MODEL, &mode->place, "mode must be an integer from 1 on, found %g", number);
    solid->start_mode = (bl_index)number;
    solid->start_amplitude = 1;
    return read_number(r, value, "amplitude", 0, &solid->start_amplitude);
}

static bl_status read_starts(bl_reader *r, solids *s) {
    for (bl_index d = 0; d < r->norder; d++) {
        const bl_item *list = bl_section(r, d, "initial");
        if (list)
            BL_TRY(bl_item_map(r, list, "initial"));
        for (bl_index i = 0; list && i < list->count; i++)
            BL_TRY(read_start(r, s, list->key[i], list->value[i]));
    }
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

bl_status bl_read_solids(bl_reader *r) {
    bl_model *model = r->model;
    solids s = {0};
    bl_index bodies, fields, count, loads, masses;
    BL_TRY(refuse_others(r));
    BL_TRY(bl_symbols_points(r));
    BL_TRY(read_materials(r, &s));
    BL_TRY(bl_section_count(r, "bodies", &bodies));
    BL_TRY(bl_section_count(r, "fields", &fields));
    BL_TRY(bl_section_count(r, "supports", &count));
    BL_TRY(bl_section_count(r, "loads", &loads));
    BL_TRY(bl_section_count(r, "masses", &masses));
    BL_TRY(BL_ARENA_ARRAYS(&model->arena, BL_ARRAY(model->solid, bodies + fields), BL_ARRAY(model->support, 3 * (size_t)count),
                           BL_ARRAY(model->solid_load, loads + 1), BL_ARRAY(model->mass, masses)));
    BL_TRY(bl_names_reserve(r, &s.solids, bodies + fields));
    BL_TRY(bl_section_each(r, "bodies", read_body, &s));
    BL_TRY(bl_section_each(r, "fields", read_field, &s));
    BL_TRY(bl_section_each(r, "supports", read_support, &s));
    BL_TRY(bl_section_each(r, "loads", read_load, &s));
    BL_TRY(bl_section_each(r, "masses", read_mass, &s));
    BL_TRY(read_probes(r, &s));
    return read_starts(r, &s);
}
