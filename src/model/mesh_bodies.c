/* Meshed bodies of a mechanism: each is a body with the mass of its mesh, and every interface a massless body behind it, NAME.INTERFACE.
 * What such a body cannot be is refused here. */
#include "model/model_limits.h"
#include "model/solid_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* sections of models of meshes alone */
static bl_status refuse_sections(bl_reader *r) {
    static const char *const section[] = {"supports", "masses", "fields"};
    static const char *const advice[] = {
        "connect an interface to ground by a joint: `interfaces: [{name: root, set: left}]`, then `joints: "
        "- {type: fixed, bodies: [ground, BODY.root]}`",
        "attach a rigid body to an interface by a fixed joint",
        "remove it, or keep the meshes in a model of "
        "their own"};
    for (int k = 0; k < 3; k++) {
        const bl_item *item = bl_section_last(r, section[k]);
        if (!item || bl_item_null(item))
            continue;
        bl_fail(r->ctx, BL_E_MODEL, &item->place,
                "'%s' can only be used in models of meshes alone, but here they are bodies of a mechanism", section[k]);
        bl_advise(r->ctx, "%s", advice[k]);
        return BL_E_MODEL;
    }
    return BL_OK;
}

bl_status bl_mesh_bodies_begin(bl_reader *r) {
    BL_TRY(refuse_sections(r));
    BL_TRY(BL_ARENA_NEW(&r->scratch, r->solids, 1));
    r->solids->moving = true;
    return bl_solids_begin(r, r->solids);
}

/* dead loads, constant in time */
static bl_status check_load(bl_reader *r, const bl_solid_load *load) {
    if (load->what == BL_LOAD_PRESSURE || load->what == BL_LOAD_TEMPERATURE) {
        bl_fail(r->ctx, BL_E_MODEL, &load->place, "%s cannot act on a meshed body of a mechanism",
                load->what == BL_LOAD_PRESSURE ? "'pressure', which follows the deformed face," : "'temperature'");
        bl_advise(r->ctx, "loads that can: traction, normal, force, body_force, acceleration");
        return BL_E_MODEL;
    }
    for (int c = 0; c < 3; c++) {
        const bl_law *law = load->value[c].law >= 0 ? &r->model->law[load->value[c].law] : NULL;
        for (bl_index i = 0; law && i < law->ninput; i++)
            if (law->input[i].what == BL_SYM_TIME) {
                bl_fail(r->ctx, BL_E_MODEL, &law->place, "a load on a meshed body of a mechanism cannot depend on time");
                bl_advise(r->ctx, "use `forces`: on an interface or on a point of the body they may depend on everything");
                return BL_E_MODEL;
            }
    }
    return BL_OK;
}

bl_status bl_mesh_bodies_loads(bl_reader *r) {
    const bl_item *item = bl_section_last(r, "loads");
    if (!r->solids && item && !bl_item_null(item))
        return bl_fail(r->ctx, BL_E_MODEL, &item->place, "'loads' act on meshed bodies, and the model has none: use `forces`");
    if (!r->solids)
        return BL_OK;
    BL_TRY(bl_read_solid_loads(r, r->solids));
    for (bl_index l = 0; l < r->model->nsolid_load; l++)
        BL_TRY(check_load(r, &r->model->solid_load[l]));
    return BL_OK;
}

/* ---- what is possible */

/* reduced: its strains are small relative to a frame */
static bl_status check_law(bl_reader *r, const bl_item *entry, const bl_solid *solid, bool reduced) {
    const bl_item *strain = bl_item_get(entry, "strain"), *material = bl_item_get(entry, "material");
    const bl_place *place = strain ? &strain->place : material ? &material->place : &entry->place;
    if (bl_mesh_of_bars(&solid->mesh))
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "%s is made of bars, which cannot be a body of a mechanism", solid->name);
    if (solid->plane == BL_PLANE_AXISYMMETRIC)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "%s is axisymmetric, which a body of a mechanism cannot be", solid->name);
    if (solid->strain->small && !reduced) {
        bl_fail(r->ctx, BL_E_MODEL, place, "%s has small strains, but a body of a mechanism rotates by any angle", solid->name);
        bl_advise(r->ctx,
                  "use the material st_venant_kirchhoff (linear in Green's strain, with the same E and nu), neo_hookean or hencky; or "
                  "`coordinates: floating`");
        return BL_E_MODEL;
    }
    for (bl_index s = 0; s < solid->nsection; s++) {
        const bl_section_def *section = &solid->section[s];
        if (solid->strain->nhistory + section->material.kind->nhistory > 0) {
            bl_fail(r->ctx, BL_E_MODEL, place,
                    "%s: the material '%s' with strain %s has a history, which bodies of a mechanism cannot have yet", solid->name,
                    section->name, solid->strain->kind.name);
            bl_advise(r->ctx, "use an elastic material: st_venant_kirchhoff, neo_hookean or hencky");
            return BL_E_MODEL;
        }
        if (!(section->material.density > 0)) {
            bl_fail(r->ctx, BL_E_MODEL, &entry->place, "%s has no mass: the material '%s' has no density", solid->name, section->name);
            bl_advise(r->ctx, "add `density` to the material");
            return BL_E_MODEL;
        }
    }
    return BL_OK;
}

static bl_index part_of(bl_index *up, bl_index i) {
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

static bl_index node_number(const bl_mesh *mesh, bl_index node) { return mesh->label ? mesh->label[node] : node + 1; }

/* all elements are connected by nodes */
static bl_status check_connected(bl_reader *r, const bl_item *entry, const bl_solid *solid) {
    const bl_mesh *mesh = &solid->mesh;
    bl_index *up, parts = 0, other = 0;
    BL_TRY(BL_NEW(r->ctx, up, mesh->nnode));
    for (bl_index i = 0; i < mesh->nnode; i++)
        up[i] = i;
    for (bl_index b = 0; b < mesh->nblock; b++)
        for (bl_index e = 0; e < mesh->block[b].count; e++) {
            int n = mesh->block[b].kind->nnode;
            const bl_index *node = mesh->block[b].node + (size_t)e * (size_t)n;
            for (int a = 1; a < n; a++)
                up[part_of(up, node[a])] = part_of(up, node[0]);
        }
    for (bl_index i = 0; i < mesh->nnode; i++)
        parts += up[i] == i;
    while (other < mesh->nnode - 1 && part_of(up, other) == part_of(up, 0))
        other++;
    bl_free(r->ctx, up);
    if (parts == 1)
        return BL_OK;
    const double *a = mesh->x[0], *b = mesh->x[other];
    bl_fail(r->ctx, BL_E_MODEL, &entry->place,
            "the mesh of %s consists of %d parts that are not connected: node %d at (%g, %g, %g) and node %d at (%g, %g, %g) "
            "belong to different ones",
            solid->name, (int)parts, (int)node_number(mesh, 0), a[0], a[1], a[2], (int)node_number(mesh, other), b[0], b[1], b[2]);
    bl_advise(r->ctx,
              "merge coinciding nodes in the program that made the mesh, or give each part a body of its own and connect them by joints");
    return BL_E_MODEL;
}

/* ---- mass */

/* section of an element: the last one that contains it; NULL: none */
static const bl_section_def *section_of(const bl_solid *solid, bl_index element) {
    for (bl_index s = solid->nsection - 1; s >= 0; s--) {
        const bl_section_def *section = &solid->section[s];
        bl_index low = 0, high = section->set ? section->set->count : 0;
        while (low < high) {
            bl_index middle = low + (high - low) / 2;
            if (section->set->item[middle] < element)
                low = middle + 1;
            else
                high = middle;
        }
        if (!section->set || (low < section->set->count && section->set->item[low] == element))
            return section;
    }
    return NULL;
}

/* integrals of 1, r, r r^T over the mass, r from `about` */
typedef struct moments {
    double about[3], mass, first[3], second[3][3];
} moments;

static bl_status add_elements(const bl_solid *solid, const bl_mesh_block *block, moments *m) {
    const bl_element_kind *kind = block->kind;
    bl_quadrature rule;
    BL_TRY(bl_quadrature_of(kind->shape, kind->mass_points, &rule));
    for (bl_index e = 0; e < block->count; e++) {
        const bl_section_def *section = section_of(solid, block->first + e);
        const bl_index *node = block->node + (size_t)e * kind->nnode;
        double x[BL_ELEMENT_NODES][3], N[BL_ELEMENT_NODES], dN[BL_ELEMENT_NODES][3], g[3 * BL_ELEMENT_NODES];
        if (!section)
            continue; /* named when the elements are set up */
        double thickness = section->thickness > 0 ? section->thickness : solid->thickness;
        for (int a = 0; a < kind->nnode; a++)
            memcpy(x[a], solid->mesh.x[node[a]], sizeof x[a]);
        for (bl_index k = 0; k < rule.n; k++) {
            kind->functions(rule.at[k], N, dN);
            double det = bl_element_gradients(solid->mesh.dim, kind->nnode, (const double(*)[3])x, (const double(*)[3])dN, g), at[3];
            double dm = rule.weight[k] * det * section->material.density * (solid->mesh.dim == 2 ? thickness : 1);
            for (int c = 0; c < 3; c++) {
                at[c] = -m->about[c];
                for (int a = 0; a < kind->nnode; a++)
                    at[c] += N[a] * x[a][c];
            }
            m->mass += dm;
            for (int i = 0; i < 3; i++) {
                m->first[i] += dm * at[i];
                for (int j = 0; j < 3; j++)
                    m->second[i][j] += dm * at[i] * at[j];
            }
        }
    }
    return BL_OK;
}

static bl_status take_mass(const bl_solid *solid, int dim, bl_body *body) {
    moments m = {0};
    memcpy(m.about, solid->mesh.x[0], sizeof m.about);
    for (bl_index b = 0; b < solid->mesh.nblock; b++)
        BL_TRY(add_elements(solid, &solid->mesh.block[b], &m));
    body->mass = m.mass;
    for (int k = 0; k < 3; k++)
        body->center[k] = m.about[k] + m.first[k] / m.mass;
    double trace = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m.second[i][j] -= m.first[i] * m.first[j] / m.mass;
    for (int i = 0; i < 3; i++)
        trace += m.second[i][i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            body->inertia[i][j] = dim == 2 && (i < 2 || j < 2) ? 0 : (i == j ? trace : 0) - m.second[i][j];
    return BL_OK;
}

/* ---- interfaces */

typedef struct reading {
    bl_elastic_def *def;
    const bl_solid *solid;
    bl_index *of; /* [nodes] 1 + number of the interface that a node belongs to; 0: none */
} reading;

/* The nodes define a frame: in the plane two of them, in space three that are not on a line. */
static bl_status check_extent(bl_reader *r, const bl_item *set, const char *name, const bl_solid *solid, const bl_mesh_set *nodes,
                              const double center[3]) {
    double second[3][3] = {{0}}, spread[3];
    for (bl_index i = 0; i < nodes->count; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                second[j][k] +=
                    (solid->mesh.x[nodes->item[i]][j] - center[j]) * (solid->mesh.x[nodes->item[i]][k] - center[k]) / nodes->count;
    bl_inertia_principal(second, spread); /* ascending */
    bool space = r->model->dim == 3;
    double least = model_interface_thin * model_interface_thin * (space ? spread[2] : 0);
    if (space ? spread[1] > least : spread[2] > 0)
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &set->place, "interface '%s': its %d node%s %s, but a frame in %s needs %s", name, (int)nodes->count,
            nodes->count == 1 ? "" : "s",
            nodes->count == 1 ? "is one point"
            : space           ? "lie on a line"
                              : "are one point",
            space ? "space" : "the plane", space ? "three that do not" : "two at least");
    bl_advise(r->ctx, "choose a larger set of nodes; joints that need only a point can be attached to a node of the body itself");
    return BL_E_MODEL;
}

static bl_status claim_nodes(bl_reader *r, const bl_item *set, const char *name, const reading *at, bl_index number) {
    const bl_interface_def *own = &at->def->interface[number];
    for (bl_index i = 0; i < own->set->count; i++) {
        bl_index *of = &at->of[own->set->item[i]];
        const bl_interface_def *other = *of > 0 ? &at->def->interface[*of - 1] : NULL;
        if (other && (own->rigid || other->rigid))
            return bl_fail(r->ctx, BL_E_MODEL, &set->place,
                           "interface '%s': node %d belongs to the interface '%s', too; nodes of a rigid interface belong to it alone",
                           name, (int)node_number(&at->solid->mesh, own->set->item[i]), r->model->body[at->def->frame + *of - 1].name);
        *of = number + 1;
    }
    return BL_OK;
}

static bl_status read_interface(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const keys[] = {"name", "set", "kind", "at"}, *const kinds[] = {"rigid", "average"};
    const reading *to = user;
    bl_model *model = r->model;
    bl_elastic_def *def = to->def;
    bl_index number = def->nframe;
    bl_interface_def *interface = &def->interface[number];
    bl_body *body = &model->body[model->nbody];
    const bl_item *name, *set, *at = bl_item_get(entry, "at");
    const char *word;
    char full[192];
    int kind = 0;
    BL_TRY(bl_item_map(r, entry, "an interface"));
    BL_TRY(bl_item_keys(r, entry, "an interface", keys, 4, NULL));
    BL_TRY(bl_item_need(r, entry, "an interface", "name", &name));
    BL_TRY(bl_item_need(r, entry, "an interface", "set", &set));
    BL_TRY(bl_item_text(r, name, "name", &word));
    snprintf(full, sizeof full, "%.90s.%.90s", def->name, word);
    *body = (bl_body){.place = entry->place, .what = BL_BODY_FRAME, .elastic = model->nelastic};
    if (!(body->name = bl_arena_text(&model->arena, full, strlen(full))))
        return BL_E_MEMORY;
    interface->place = entry->place;
    BL_TRY(bl_solid_word(r, entry, "kind", kinds, 2, &kind));
    interface->rigid = kind == 0;
    BL_TRY(bl_solid_find_set(r, to->solid, set, BL_SET_NODES, &interface->set));
    for (bl_index i = 0; i < interface->set->count; i++)
        for (int k = 0; k < 3; k++)
            body->center[k] += to->solid->mesh.x[interface->set->item[i]][k] / interface->set->count;
    BL_TRY(check_extent(r, set, word, to->solid, interface->set, body->center));
    BL_TRY(claim_nodes(r, set, word, to, number));
    if (at)
        BL_TRY(bl_item_point(r, at, "at", body->center));
    BL_TRY(bl_names_add(r, &r->bodies, "body", body->name, model->nbody, &name->place));
    model->nbody++;
    def->nframe++;
    return BL_OK;
}

bl_status bl_read_interfaces(bl_reader *r, const bl_item *list, bl_elastic_def *def, const bl_solid *solid) {
    reading to = {.def = def, .solid = solid};
    bl_index count = 0;
    if (!list || bl_item_null(list))
        return BL_OK;
    BL_TRY(bl_each_count(r, list, "interfaces", &count));
    BL_TRY(bl_bodies_reserve(r, r->model->nbody + count));
    BL_TRY(BL_ARENA_NEW(&r->model->arena, def->interface, count));
    BL_TRY(BL_NEW(r->ctx, to.of, solid->mesh.nnode));
    bl_status status = bl_each(r, list, "interfaces", read_interface, &to);
    bl_free(r->ctx, to.of);
    return status;
}

/* ---- one body */

bl_status bl_solid_check_body(bl_reader *r, const bl_item *entry, const bl_solid *solid) {
    BL_TRY(check_law(r, entry, solid, true));
    return check_connected(r, entry, solid);
}

bl_status bl_mesh_body_read(bl_reader *r, const bl_item *entry) {
    bl_model *model = r->model;
    bl_solid *solid;
    bool floating;
    BL_TRY(bl_floating_wanted(r, entry, &floating));
    if (floating)
        return bl_floating_body_read(r, entry);
    BL_TRY(bl_solid_read_body(r, r->solids, entry, &solid));
    r->part = solid->name;
    BL_TRY(check_law(r, entry, solid, false));
    BL_TRY(check_connected(r, entry, solid));
    BL_TRY(bl_bodies_reserve(r, model->nbody + 1));
    bl_body *body = &model->body[model->nbody];
    bl_elastic_def def = {.name = solid->name,
                          .place = solid->place,
                          .what = BL_ELASTIC_MESH,
                          .solid = (bl_index)(solid - model->solid),
                          .body = model->nbody,
                          .frame = model->nbody + 1};
    BL_TRY(bl_names_add(r, &r->bodies, "body", solid->name, model->nbody, &solid->place));
    *body = (bl_body){.name = solid->name, .place = solid->place, .what = BL_BODY_MESH, .elastic = model->nelastic};
    BL_TRY(take_mass(solid, model->dim, body));
    BL_TRY(bl_mesh_look(r, &solid->mesh, body));
    model->nbody++;
    BL_TRY(bl_read_interfaces(r, bl_item_get(entry, "interfaces"), &def, solid));
    r->part = NULL;
    return bl_elastic_add(r, &def);
}
