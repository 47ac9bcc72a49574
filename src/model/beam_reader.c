/* Beams: entries of `bodies:` with `beam:`. Each becomes frames, which are bodies in succession, and the elements between them. */
#include "model/beam_reader.h"
#include "model/model_limits.h"
#include "model/solid_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- stiffness and mass per length */

/* `material: steel`, of the section `materials` */
static bl_status find_material(bl_reader *r, const bl_item **node) {
    const char *name;
    const bl_item *found = NULL;
    BL_TRY(bl_item_text(r, *node, "material", &name));
    for (bl_index d = 0; d < r->norder; d++) {
        const bl_item *map = bl_section(r, d, "materials");
        if (map && bl_item_get(map, name))
            found = bl_item_get(map, name);
    }
    if (!found) {
        bl_fail(r->ctx, BL_E_MODEL, &(*node)->place, "there is no material '%s'", name);
        bl_advise(r->ctx, "write material: {E: ..., nu: ..., density: ...}, or define it: `materials: {%s: {type: elastic, ...}}`", name);
        return BL_E_MODEL;
    }
    BL_TRY(bl_item_map(r, found, name));
    const bl_item *type = bl_item_get(found, "type");
    if (type && strcmp(type->text, "elastic") != 0)
        return bl_fail(r->ctx, BL_E_MODEL, &(*node)->place, "a beam needs a material of type elastic, but '%s' is of type %s", name,
                       type->kind == BL_ITEM_TEXT ? type->text : "?");
    *node = found;
    return BL_OK;
}

static bl_status read_number(bl_reader *r, const bl_item *map, const char *owner, const char *key, uint32_t flags, double *value) {
    const bl_item *node;
    BL_TRY(bl_item_need(r, map, owner, key, &node));
    BL_TRY(bl_item_number(r, node, key, value));
    return bl_item_range(r, &node->place, key, flags, *value);
}

/* E, nu or G, density */
static bl_status read_material(bl_reader *r, const bl_item *node, double *E, double *G, double *density) {
    static const char *const keys[] = {"type", "E", "nu", "G", "density"};
    const char *owner = "the material of a beam";
    double nu;
    if (node->kind == BL_ITEM_TEXT)
        BL_TRY(find_material(r, &node));
    else
        BL_TRY(bl_item_keys(r, node, owner, keys + 1, sizeof keys / sizeof *keys - 1, NULL));
    BL_TRY(bl_item_map(r, node, "material"));
    BL_TRY(read_number(r, node, owner, "E", BL_POSITIVE, E));
    *density = 0;
    if (bl_item_get(node, "density"))
        BL_TRY(read_number(r, node, owner, "density", BL_NOT_NEGATIVE, density));
    const bl_item *shear = bl_item_get(node, "G"), *poisson = bl_item_get(node, "nu");
    if (!shear == !poisson) {
        bl_fail(r->ctx, BL_E_MODEL, shear ? &shear->place : &node->place, "%s needs 'nu' (Poisson's ratio) or 'G' (shear modulus)%s", owner,
                shear ? ", not both" : "");
        bl_advise(r->ctx, "G = E / (2 (1 + nu)); of steel nu is 0.3");
        return BL_E_MODEL;
    }
    if (shear)
        return read_number(r, node, owner, "G", BL_POSITIVE, G);
    BL_TRY(bl_item_number(r, poisson, "nu", &nu));
    if (!(nu > -1 && nu <= 0.5))
        return bl_fail(r->ctx, BL_E_MODEL, &poisson->place, "nu must be above -1 and at most 0.5, found %g", nu);
    *G = *E / (2 * (1 + nu));
    return BL_OK;
}

static bl_status from_section(bl_reader *r, const bl_item *entry, const bl_item *beam, const char *what, bl_beam_def *def) {
    const bl_item *section, *material;
    bl_beam_section s;
    double E, G, density;
    BL_TRY(bl_item_need(r, beam, "beam", "section", &section));
    BL_TRY(bl_item_need(r, entry, what, "material", &material));
    BL_TRY(bl_beam_section_read(r, section, what, &s));
    BL_TRY(read_material(r, material, &E, &G, &density));
    const double stiffness[6] = {E * s.area, G * s.area * s.shear[0], G * s.area * s.shear[1], G * s.torsion, E * s.I[0], E * s.I[1]};
    const double mass[3] = {density * s.area, density * s.I[1], density * s.I[0]};
    memcpy(def->stiffness, stiffness, sizeof stiffness);
    memcpy(def->mass, mass, sizeof mass);
    memcpy(def->outline, s.outline, sizeof s.outline);
    def->round = s.round;
    return BL_OK;
}

/* stiffness and mass_per_length, directly */
static bl_status from_numbers(bl_reader *r, const bl_item *stiffness, const bl_item *mass, bl_beam_def *def) {
    static const char *const keys[] = {"EA", "GA", "EI", "GJ"};
    double *S = def->stiffness;
    const bl_item *node;
    BL_TRY(bl_item_map(r, stiffness, "stiffness"));
    BL_TRY(bl_item_keys(r, stiffness, "stiffness", keys, r->model->dim == 2 ? 3 : 4, NULL));
    BL_TRY(read_number(r, stiffness, "stiffness", "EA", BL_POSITIVE, &S[0]));
    BL_TRY(bl_item_need(r, stiffness, "stiffness", "GA", &node));
    BL_TRY(bl_beam_pair_read(r, node, "GA", false, &S[1]));
    BL_TRY(bl_item_need(r, stiffness, "stiffness", "EI", &node));
    BL_TRY(bl_beam_pair_read(r, node, "EI", false, &S[4]));
    if (r->model->dim == 3)
        BL_TRY(read_number(r, stiffness, "stiffness", "GJ", BL_POSITIVE, &S[3]));
    if (!mass)
        return BL_OK;
    double inertia[2];
    BL_TRY(bl_item_map(r, mass, "mass_per_length"));
    BL_TRY(bl_item_keys(r, mass, "mass_per_length", (const char *const[]){"rhoA", "rhoI"}, 2, NULL));
    BL_TRY(read_number(r, mass, "mass_per_length", "rhoA", BL_NOT_NEGATIVE, &def->mass[0]));
    BL_TRY(bl_item_need(r, mass, "mass_per_length", "rhoI", &node));
    BL_TRY(bl_beam_pair_read(r, node, "rhoI", true, inertia));
    def->mass[1] = inertia[1];
    def->mass[2] = inertia[0];
    return BL_OK;
}

static bl_status check_numbers(bl_reader *r, const bl_item *entry, const char *what, bl_beam_def *def) {
    bool plane = r->model->dim == 2, fine = true;
    if (plane)
        def->stiffness[2] = def->stiffness[3] = def->stiffness[4] = def->mass[2] = 0;
    for (int k = 0; k < 6; k++)
        fine = fine && isfinite(def->stiffness[k]) && (def->stiffness[k] > 0 || (plane && k > 1 && k < 5));
    for (int k = 0; k < 3; k++)
        fine = fine && isfinite(def->mass[k]);
    return fine ? BL_OK : bl_fail(r->ctx, BL_E_MODEL, &entry->place, "%s: a stiffness or mass is too large or too small for numbers", what);
}

static bl_status read_damping(bl_reader *r, const bl_item *node, bl_beam_def *def) {
    static const char *const keys[] = {"mass", "stiffness"};
    if (!node)
        return BL_OK;
    BL_TRY(bl_item_map(r, node, "damping"));
    BL_TRY(bl_item_keys(r, node, "damping", keys, 2, NULL));
    for (int k = 0; k < 2; k++)
        if (bl_item_get(node, keys[k]))
            BL_TRY(read_number(r, node, "damping", keys[k], BL_NOT_NEGATIVE, &def->damping[k]));
    return BL_OK;
}

static bl_status read_properties(bl_reader *r, const bl_item *entry, const bl_item *beam, const char *what, bl_beam_def *def) {
    const bl_item *stiffness = bl_item_get(entry, "stiffness"), *mass = bl_item_get(entry, "mass_per_length");
    const bl_item *material = bl_item_get(entry, "material"), *section = bl_item_get(beam, "section");
    if (stiffness && (material || section)) {
        bl_fail(r->ctx, BL_E_MODEL, &stiffness->place, "%s is described twice, by '%s' and by 'stiffness'", what,
                material ? "material" : "section");
        bl_advise(r->ctx, "give either 'section' and 'material', or 'stiffness' and 'mass_per_length'");
        return BL_E_MODEL;
    }
    if (mass && !stiffness) {
        bl_fail(r->ctx, BL_E_MODEL, &mass->place, "'mass_per_length' belongs to 'stiffness', which %s does not have", what);
        bl_advise(r->ctx, "with 'section' and 'material' the mass follows from the density of the material");
        return BL_E_MODEL;
    }
    if (!stiffness && !material && !section) {
        bl_fail(r->ctx, BL_E_MODEL, &entry->place, "%s has neither a section nor stiffnesses", what);
        bl_advise(r->ctx, "give 'section' (in `beam`) and 'material', or 'stiffness' and 'mass_per_length'");
        return BL_E_MODEL;
    }
    BL_TRY(stiffness ? from_numbers(r, stiffness, mass, def) : from_section(r, entry, beam, what, def));
    BL_TRY(read_damping(r, bl_item_get(entry, "damping"), def));
    return check_numbers(r, entry, what, def);
}

/* ---- frames */

bl_status bl_bodies_reserve(bl_reader *r, bl_index count) {
    bl_model *model = r->model;
    bl_body *all;
    if (count <= r->body_capacity)
        return BL_OK;
    bl_index room = count > 2 * r->body_capacity ? count : 2 * r->body_capacity;
    BL_TRY(BL_ARENA_NEW(&model->arena, all, room));
    if (model->nbody)
        memcpy(all, model->body, (size_t)model->nbody * sizeof *all);
    model->body = all;
    r->body_capacity = room;
    return BL_OK;
}

bl_status bl_elastic_add(bl_reader *r, const bl_elastic_def *def) {
    bl_model *model = r->model;
    if (model->nelastic == r->elastic_capacity) {
        bl_elastic_def *all;
        bl_index room = r->elastic_capacity ? 2 * r->elastic_capacity : 8;
        BL_TRY(BL_ARENA_NEW(&model->arena, all, room));
        if (model->nelastic)
            memcpy(all, model->elastic, (size_t)model->nelastic * sizeof *all);
        model->elastic = all;
        r->elastic_capacity = room;
    }
    model->elastic[model->nelastic++] = *def;
    return BL_OK;
}

static bl_status add_frame(bl_reader *r, const bl_elastic_def *beam, bl_index number, const bl_place *name_at, const bl_beam_node *node) {
    bl_model *model = r->model;
    /* vectors on which its elements depend: d1 in the plane, d2 and d3 by rotations, else all */
    bool two = model->dim == 3 && beam->beam->rotations;
    bl_index which = model->nbody, vectors = model->dim == 2 ? 1 : two ? 2 : 3;
    bl_body *body = &model->body[which];
    *body = (bl_body){.place = beam->place, .what = BL_BODY_FRAME, .elastic = model->nelastic - 1, .ncarry = 1 + vectors};
    if (!(body->name = bl_arena_printf(&model->arena, "%s.%d", beam->name, (int)number)))
        return BL_E_MEMORY;
    memcpy(body->center, node->at, sizeof body->center);
    BL_TRY(BL_ARENA_NEW(&model->arena, body->carry, body->ncarry));
    body->carry[0] = (bl_mark){.body = which};
    for (bl_index k = 0; k < vectors; k++)
        body->carry[1 + k] = bl_model_mark_vector(model, which, node->axes[two ? k + 1 : k]);
    model->nbody++;
    return bl_names_add(r, &r->bodies, "body", body->name, which, name_at);
}

static bl_status add_end(bl_reader *r, const char *name, const char *end, bl_index body, const bl_place *place) {
    const char *alias = bl_arena_printf(&r->model->arena, "%s.%s", name, end);
    return alias ? bl_names_add(r, &r->bodies, "body", alias, body, place) : BL_E_MEMORY;
}

/* the beam that was just added */
static bl_status add_frames(bl_reader *r, const bl_place *name_at) {
    bl_model *model = r->model;
    const bl_elastic_def *beam = &model->elastic[model->nelastic - 1];
    const bl_beam_def *def = beam->beam;
    BL_TRY(bl_bodies_reserve(r, model->nbody + beam->nframe));
    for (bl_index i = 0; i < beam->nframe; i++) {
        bl_index e = i == 0 ? 0 : (i - 1) / def->degree; /* the first element that has it */
        BL_TRY(bl_go_on(r->ctx));
        BL_TRY(add_frame(r, beam, i, name_at, &def->node[e * (def->degree + 1) + i - e * def->degree]));
    }
    BL_TRY(add_end(r, beam->name, "from", beam->frame, name_at));
    return add_end(r, beam->name, "to", model->nbody - 1, name_at);
}

/* ---- point masses */

typedef struct masses {
    const char *what;
    bl_index elastic;
    double sum;
} masses;

/* a node by its name, or at a point */
static bl_status find_node(bl_reader *r, const bl_item *at, bl_index elastic, bl_index *body) {
    const bl_model *model = r->model;
    const char *name = NULL;
    double point[3];
    if (at->kind == BL_ITEM_TEXT)
        BL_TRY(bl_item_text(r, at, "at", &name));
    if (name && bl_names_find(&r->points, name) < 0) {
        *body = bl_names_find(&r->bodies, name);
        if (*body > 0 && model->body[*body].what == BL_BODY_FRAME && model->body[*body].elastic == elastic)
            return BL_OK;
    }
    BL_TRY(bl_item_point(r, at, "at", point));
    return bl_beam_frame_at(r, elastic, point, &at->place, body);
}

static bl_status add_mass(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const keys[] = {"at", "mass", "inertia"};
    masses *all = user;
    const bl_item *at, *inertia = bl_item_get(entry, "inertia");
    double mass, about[3][3] = {{0}};
    bl_index which = 0;
    BL_TRY(bl_item_map(r, entry, "a point mass"));
    BL_TRY(bl_item_keys(r, entry, "a point mass", keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(bl_item_need(r, entry, "a point mass", "at", &at));
    BL_TRY(read_number(r, entry, "a point mass", "mass", BL_NOT_NEGATIVE, &mass));
    BL_TRY(find_node(r, at, all->elastic, &which));
    if (inertia)
        BL_TRY(bl_read_inertia(r, inertia, all->what, about));
    bl_body *body = &r->model->body[which];
    body->mass += mass;
    all->sum += mass;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            body->inertia[i][j] += about[i][j];
    return BL_OK;
}

static bl_status read_masses(bl_reader *r, const bl_item *entry, const char *what) {
    bl_index elastic = r->model->nelastic - 1;
    const bl_item *list = bl_item_get(entry, "masses");
    masses all = {.what = what, .elastic = elastic};
    if (list)
        BL_TRY(bl_each(r, list, "masses", add_mass, &all));
    if (!isfinite(all.sum))
        return bl_fail(r->ctx, BL_E_MODEL, &list->place, "%s: the sum of the masses is not finite", what);
    if (all.sum > 0 || r->model->elastic[elastic].beam->mass[0] > 0)
        return BL_OK;
    const bl_item *mass = bl_item_get(entry, "mass_per_length"), *material = bl_item_get(entry, "material");
    bl_fail(r->ctx, BL_E_MODEL, mass ? &mass->place : material ? &material->place : &entry->place, "%s has no mass", what);
    bl_advise(r->ctx, material ? "give the density of its material, or `masses` on its nodes"
                               : "give `mass_per_length: {rhoA: ..., rhoI: ...}`, or `masses` on its nodes");
    return BL_E_MODEL;
}

/* ---- one beam */

static bl_status read_interpolation(bl_reader *r, const bl_item *beam, bl_beam_def *def) {
    static const char *const words[] = {"rotations", "directors"};
    int which = 0;
    BL_TRY(bl_solid_word(r, beam, "interpolation", words, 2, &which));
    def->rotations = which == 0;
    return BL_OK;
}

bl_status bl_read_beam(bl_reader *r, const bl_item *entry) {
    static const char *const keys[] = {"name", "beam", "material", "stiffness", "mass_per_length", "damping", "masses"};
    bl_model *model = r->model;
    const bl_item *name, *beam = bl_item_get(entry, "beam");
    bl_elastic_def def = {.place = entry->place, .what = BL_ELASTIC_BEAM, .frame = model->nbody, .solid = -1, .body = -1};
    bl_beam_axis axis;
    char what[128];
    BL_TRY(bl_item_keys(r, entry, "a beam", keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(bl_item_need(r, entry, "a body", "name", &name));
    BL_TRY(bl_item_keep(r, name, "name", &def.name));
    r->part = def.name;
    snprintf(what, sizeof what, "beam '%.80s'", def.name);
    if (bl_names_find(&r->bodies, def.name) >= 0)
        return bl_fail(r->ctx, BL_E_MODEL, &name->place, "duplicate name: there is already a body '%s'", def.name);
    BL_TRY(bl_names_add(r, &r->beams, "beam", def.name, model->nelastic, &name->place));
    BL_TRY(BL_ARENA_NEW(&model->arena, def.beam, 1));
    BL_TRY(bl_beam_axis_read(r, beam, what, &axis));
    BL_TRY(read_interpolation(r, beam, def.beam));
    BL_TRY(read_properties(r, entry, beam, what, def.beam));
    def.nframe = axis.nelement * axis.degree + 1;
    if (def.nframe > bl_reader_most(r, BL_BEAM_FRAMES) - r->frames)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "the beams of the model have more than %d nodes in total",
                       (int)bl_reader_most(r, BL_BEAM_FRAMES));
    r->frames += def.nframe;
    def.beam->degree = axis.degree;
    def.beam->nelement = axis.nelement;
    BL_TRY(BL_ARENA_NEW(&model->arena, def.beam->node, axis.nelement * (axis.degree + 1)));
    bl_beam_axis_nodes(&axis, model->dim == 2, def.beam->node);
    BL_TRY(bl_elastic_add(r, &def));
    BL_TRY(add_frames(r, &name->place));
    BL_TRY(read_masses(r, entry, what));
    r->part = NULL;
    return BL_OK;
}
