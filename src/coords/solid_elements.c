/* Elements of meshes: the directions of an element are its nodes (fem/part.h). */
#include "coords/mechanism.h"
#include "fem/part.h"

#include <stdio.h>
#include <string.h>

_Static_assert((int)BL_ELASTIC_LOCAL >= (int)BL_ELEMENT_UNKNOWNS && (int)BL_ELASTIC_LOCAL >= (int)BL_BEAM_LOCAL, "components of elements");

/* ---- one element */

static bl_status blame(const bl_elastic_element *e, double t, bl_index point, bl_status status) {
    const bl_solid *solid = e->mesh->solid;
    bl_context *ctx = e->mesh->part->arena.ctx;
    bl_index element = e->group->element[e->number];
    char part[96];
    snprintf(part, sizeof part, "%.60s, element %d", solid->name,
             (int)(solid->mesh.element_label ? solid->mesh.element_label[element] : element + 1));
    if (status == BL_NOT_FINITE)
        bl_fail(ctx, status, NULL, "%s is inverted at its integration point %d, at t = %.9g: its volume there is no longer positive", part,
                (int)point + 1, t);
    else if (status == BL_NO_CONVERGENCE)
        bl_fail(ctx, status, NULL, "%s: the stress iteration of material %s did not converge at integration point %d, at t = %.9g", part,
                e->group->material->kind->kind.name, (int)point + 1, t);
    else
        return status;
    bl_advise(ctx, "take shorter time steps or smaller load increments, or refine the mesh and improve element shapes there");
    bl_blame(ctx, part, "stress", t);
    return status;
}

/* nodes in the model configuration */
static void reference(const bl_elastic_element *e, double x[][3]) {
    const bl_index *node = e->group->node + (size_t)e->number * e->group->kind->nnode;
    for (int a = 0; a < e->group->kind->nnode; a++)
        memcpy(x[a], e->mesh->solid->mesh.x[node[a]], sizeof x[a]);
}

static void displacements(const bl_element_work *w, int dim, int nnode, const double *x, double *u) {
    for (int a = 0; a < nnode; a++)
        for (int k = 0; k < dim; k++)
            u[a * dim + k] = x[a * dim + k] - w->x[a][k];
}

static bl_status eval_solid(const bl_elastic_element *e, double t, uint32_t want, bool between, double chi, bl_elastic_room *room) {
    const bl_fem_part *part = e->mesh->part;
    int nnode = e->group->kind->nnode, dim = part->dim;
    size_t n = (size_t)nnode * (size_t)dim;
    bl_element_work *w = room->solid;
    bl_index point = 0;
    bl_status status = BL_OK;
    uint32_t of_state = (want & BL_ENERGY ? BL_PART_ENERGY : 0) | (between ? 0 : BL_PART_FORCE | (want & BL_KC ? BL_PART_TANGENT : 0));
    reference(e, w->x);
    displacements(w, dim, nnode, room->x, w->u);
    room->lost = 0;
    if (!between || (want & BL_ENERGY)) {
        if ((status = bl_part_solid(part, e->group, of_state, NULL, NULL, w, &point)) != BL_OK)
            return blame(e, t, point, status);
        room->energy = w->energy;
    }
    if (between) {
        displacements(w, dim, nnode, room->from, w->u_from);
        displacements(w, dim, nnode, room->to, w->u_to);
        status = bl_part_solid_between(part, e->group, BL_PART_FORCE | (want & BL_KC ? BL_PART_TANGENT : 0), chi, w, &point);
        if (status != BL_OK)
            return blame(e, t, point, status);
    }
    memcpy(room->f, w->f, n * sizeof *room->f);
    if (want & BL_KC) {
        memcpy(room->K, w->K, n * n * sizeof *room->K);
        memset(room->C, 0, n * n * sizeof *room->C);
    }
    if (e->viscous && (want & (BL_Q | BL_KC))) {
        bool tangent = want & BL_KC;
        double b = e->mesh->solid->damping_stiffness;
        BL_TRY(bl_part_solid_viscous(part, e->group, b, room->v, w, tangent ? room->C : NULL, &room->lost));
        for (size_t i = 0; i < n; i++)
            room->f[i] += w->f[i];
        for (size_t i = 0; tangent && i < n * n; i++)
            room->K[i] += w->K[i];
    }
    return BL_OK;
}

static double solid_inertia(const bl_elastic_element *e, bl_index i, bl_index j) {
    if (e->mesh->solid->lumped)
        return i == j ? e->mass[i] : 0;
    return e->mass[i * e->ndir + j];
}

static bool is_position(const bl_elastic_element *e, bl_index i) {
    (void)e, (void)i;
    return true;
}

/* ---- power series */

static size_t series_room(const bl_elastic_element *e, int order) {
    return bl_part_series_room(e->mesh->part, e->group, order, e->viscous);
}

static bl_status series_begin(const bl_elastic_element *e, int order, bl_elastic_room *room, double *keep) {
    reference(e, room->solid->x);
    return bl_part_series_begin(e->mesh->part, e->group, order, e->viscous, room->solid, keep);
}

static void series_take(const bl_elastic_element *e, int order, int k, const double *x, double *keep) {
    double start[BL_ELEMENT_NODES][3], u[BL_ELEMENT_UNKNOWNS];
    int dim = e->mesh->part->dim;
    if (k == 0) {
        reference(e, start);
        for (int i = 0; i < e->ndir * dim; i++)
            u[i] = x[i] - start[i / dim][i % dim];
    }
    bl_part_series_take(e->mesh->part, e->group, order, e->viscous, k, k == 0 ? u : x, keep);
}

static void series_force(const bl_elastic_element *e, int order, int k, double *keep, double *f) {
    bl_part_series_force(e->mesh->part, e->group, order, e->viscous, k, keep, f);
}

static void series_viscous(const bl_elastic_element *e, int order, int k, const double *v, double *keep, double *f) {
    bl_part_series_viscous(e->mesh->part, e->group, order, k, e->mesh->solid->damping_stiffness, v, keep, f);
}

static const bl_elastic_kind solid_kind = {.eval = eval_solid,
                                           .inertia = solid_inertia,
                                           .is_position = is_position,
                                           .series_room = series_room,
                                           .series_begin = series_begin,
                                           .series_take = series_take,
                                           .series_force = series_force,
                                           .series_viscous = series_viscous};

/* ---- set-up */

static bl_status add_group(bl_mechanism *m, bl_mesh_body *mesh, const bl_fem_group *group, bl_element_work *w) {
    int nnode = group->kind->nnode;
    bool lumped = mesh->solid->lumped;
    bl_index *dir, of_one = nnode * (lumped ? 1 : nnode);
    double *mass;
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(dir, (size_t)group->count * (size_t)nnode),
                           BL_ARRAY(mass, (size_t)group->count * (size_t)of_one)));
    for (bl_index k = 0; k < group->count; k++, dir += nnode, mass += of_one) {
        const bl_index *node = group->node + (size_t)k * (size_t)nnode;
        for (int a = 0; a < nnode; a++) {
            memcpy(w->x[a], mesh->solid->mesh.x[node[a]], sizeof w->x[a]);
            dir[a] = mesh->dir[node[a]];
        }
        bl_part_mass(mesh->part, group, w, mass, lumped);
        for (bl_index i = 0; i < of_one; i++)
            mesh->share[node[lumped ? i : i / nnode]] += mass[i];
        m->elastic[m->nelastic++] = (bl_elastic_element){.kind = &solid_kind,
                                                         .mesh = mesh,
                                                         .group = group,
                                                         .number = k,
                                                         .mass = mass,
                                                         .damping = mesh->solid->damping_mass,
                                                         .viscous = mesh->solid->damping_stiffness > 0,
                                                         .ndir = nnode,
                                                         .dir = dir};
    }
    return BL_OK;
}

static bl_status sum_loads(bl_mechanism *m, bl_mesh_body *mesh) {
    const bl_model *model = m->model;
    for (bl_index l = 0; l < model->nsolid_load; l++) {
        if (&model->solid[model->solid_load[l].solid] != mesh->solid)
            continue;
        if (!mesh->load)
            BL_TRY(BL_ARENA_NEW(&m->arena, mesh->load, (size_t)mesh->solid->mesh.nnode * (size_t)m->dim));
        BL_TRY(bl_part_dead_load(mesh->part, &model->solid_load[l], mesh->load));
    }
    return BL_OK;
}

bl_status bl_solid_elements(bl_mechanism *m, bl_mesh_body *mesh) {
    bl_element_work *work;
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(mesh->part, 1), BL_ARRAY(mesh->share, mesh->solid->mesh.nnode)));
    BL_TRY(bl_fem_part_create(m->ctx, m->model, mesh->solid, mesh->part));
    if (mesh->solid->damping_stiffness > 0 && !mesh->part->discrete) {
        bl_fail(m->ctx, BL_E_MODEL, &mesh->solid->place, "%s: damping by the stiffness needs a law that is linear in Green's strain",
                mesh->solid->name);
        bl_advise(m->ctx,
                  "use the material st_venant_kirchhoff, without bbar and with the usual integration points; or damping: {mass: ...}");
        return BL_E_MODEL;
    }
    BL_TRY(BL_NEW(m->ctx, work, 1));
    bl_status status = BL_OK;
    for (bl_index g = 0; g < mesh->part->ngroup && status == BL_OK; g++)
        status = add_group(m, mesh, &mesh->part->group[g], work);
    bl_free(m->ctx, work);
    for (bl_index i = 0; i < mesh->solid->mesh.nnode; i++)
        mesh->mass += mesh->share[i];
    return status == BL_OK ? sum_loads(m, mesh) : status;
}
