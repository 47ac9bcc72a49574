/* Points of meshes. A node is a point of the body and a coordinate, or, at a rigid interface, fixed in its frame. A point elsewhere follows
 * the shape functions of its element. Directions do not exist: they are refused, with an interface as the way to have one. */
#include "base/vector3.h"
#include "coords/coords_limits.h"
#include "coords/mechanism.h"
#include "fem/part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- plan */

static bl_status plan_nodes(bl_mechanism *m, bl_mesh_body *mesh) {
    const bl_mesh *nodes = &mesh->solid->mesh;
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(mesh->frame, nodes->nnode), BL_ARRAY(mesh->seat, nodes->nnode),
                           BL_ARRAY(mesh->dir, nodes->nnode)));
    for (bl_index k = 0; k < mesh->def->nframe; k++)
        for (bl_index i = 0; mesh->def->interface[k].rigid && i < mesh->def->interface[k].set->count; i++)
            mesh->frame[mesh->def->interface[k].set->item[i]] = mesh->def->frame + k;
    for (bl_index i = 0; i < nodes->nnode; i++) {
        bl_mark mark = bl_model_mark_point(m->model, mesh->def->body, nodes->x[i]);
        char name[48];
        snprintf(name, sizeof name, "%.36s.%d", mesh->def->name, (int)(nodes->label ? nodes->label[i] : i + 1));
        if (mesh->frame[i] == 0)
            BL_TRY(bl_plan_point(m, &mark, name, &mesh->seat[i]));
    }
    return BL_OK;
}

bl_status bl_mesh_plan(bl_mechanism *m) {
    const bl_model *model = m->model;
    BL_TRY(BL_ARENA_NEW(&m->arena, m->mesh, model->nelastic));
    for (bl_index i = 0; i < model->nelastic; i++) {
        if (model->elastic[i].what != BL_ELASTIC_MESH)
            continue;
        m->mesh[i].def = &model->elastic[i];
        m->mesh[i].solid = &model->solid[model->elastic[i].solid];
        BL_TRY(plan_nodes(m, &m->mesh[i]));
    }
    return BL_OK;
}

void bl_mesh_bodies_destroy(bl_mechanism *m) {
    for (bl_index i = 0; m->mesh && i < m->model->nelastic; i++) {
        if (m->mesh[i].part)
            bl_fem_part_destroy(m->mesh[i].part);
        bl_free(m->ctx, m->mesh[i].point);
    }
}

/* ---- what a mesh cannot carry */

static void place_of(const bl_mechanism *m, const bl_mark *mark, double at[3]) {
    for (int k = 0; k < 3; k++)
        at[k] = m->model->body[mark->body].center[k] + mark->s[k];
}

static bl_status check_mark(const bl_mechanism *m, const bl_mark *mark, const bl_place *place, const char *what, const char *name) {
    const bl_mesh_body *mesh = bl_mesh_of(m, mark->body);
    double at[3], xi[3], distance;
    if (!mesh)
        return BL_OK;
    if (mark->is_vector) {
        bl_fail(m->ctx, BL_E_MODEL, place, "%s%s%s needs a direction of the body '%s', but a mesh has only points", what, name ? " " : "",
                name ? name : "", mesh->def->name);
        bl_advise(m->ctx, "make an interface, `interfaces: [{name: bore, set: SET}]`, and name '%s.bore' instead", mesh->def->name);
        return BL_E_MODEL;
    }
    place_of(m, mark, at);
    if (bl_mesh_locate(&mesh->solid->mesh, at, xi) >= 0)
        return BL_OK;
    bl_index nearest = bl_mesh_nearest(&mesh->solid->mesh, at, &distance);
    bl_fail(m->ctx, BL_E_MODEL, place, "%s%s%s: the point (%g, %g, %g) is outside the mesh of '%s'; its nearest element, %d, is %.3g away",
            what, name ? " " : "", name ? name : "", at[0], at[1], at[2], mesh->def->name,
            (int)(mesh->solid->mesh.element_label ? mesh->solid->mesh.element_label[nearest] : nearest + 1), distance);
    bl_advise(m->ctx, "move the point into the mesh, or make an interface, whose `at` may be anywhere");
    return BL_E_MODEL;
}

static bl_status check_joint(const bl_mechanism *m, const bl_joint_def *joint) {
    char name[96];
    snprintf(name, sizeof name, "'%.90s'", joint->name);
    for (const bl_prim *prim = joint->prim; prim < joint->prim + joint->nprim; prim++) {
        bool measured = !bl_prim_is_relation(prim) && prim->var[0] >= 0 && !m->wanted[prim->var[0]];
        for (int k = 0; k < bl_prim_marks(prim); k++)
            if (!(measured && prim->mark[k].is_vector) && !(prim->what == BL_ANGLE && k == 2 && m->dim == 2))
                BL_TRY(check_mark(m, &prim->mark[k], &joint->place, joint->kind->kind.name, name));
    }
    return BL_OK;
}

bl_status bl_mesh_check_marks(const bl_mechanism *m) {
    const bl_model *model = m->model;
    bool any = false;
    for (bl_index b = 1; b < model->nbody; b++)
        any = any || bl_mesh_of(m, b);
    for (bl_index j = 0; any && j < bl_model_joints(model); j++)
        BL_TRY(check_joint(m, &model->joint[j]));
    for (bl_index i = 0; any && i < m->nload; i++)
        for (bl_index k = 0; k < m->load[i].record.nmark; k++) {
            const bl_force_def *def = m->load[i].record.def;
            BL_TRY(check_mark(m, &m->load[i].record.mark[k], def ? &def->place : NULL, "force", def ? def->name : NULL));
        }
    for (bl_index i = 0; any && i < m->nsignal; i++)
        for (bl_index k = 0; k < m->signal[i].load.record.nmark; k++)
            BL_TRY(check_mark(m, &m->signal[i].load.record.mark[k], NULL, "an expression", NULL));
    for (bl_index i = 0; any && i < model->nprobe; i++)
        BL_TRY(check_mark(m, &model->probe[i].mark, &model->probe[i].place, "probe", model->probe[i].name));
    return BL_OK;
}

/* ---- forms */

bl_status bl_mesh_node_form(const bl_mechanism *m, const bl_mesh_body *mesh, bl_index node, bl_form *f) {
    if (mesh->frame[node] == 0) {
        bl_form_entity(m, m->seat[mesh->seat[node]].entity, 1, f);
        return BL_OK;
    }
    bl_mark mark = bl_model_mark_point(m->model, mesh->frame[node], mesh->solid->mesh.x[node]);
    return bl_form_mark(m, &mark, f);
}

/* Nodes and weights that a point follows; returns their number, 0: the point is outside. */
static int nodes_at(const bl_mesh *mesh, const double at[3], bl_index node[BL_ELEMENT_NODES], double weight[BL_ELEMENT_NODES]) {
    double xi[3] = {0}, N[BL_ELEMENT_NODES];
    bl_index element = bl_mesh_locate(mesh, at, xi), in_block;
    int n = 0;
    if (element < 0)
        return 0;
    const bl_mesh_block *block = bl_mesh_block_of(mesh, element, &in_block);
    const bl_index *own = block->node + (size_t)in_block * block->kind->nnode;
    block->kind->functions(xi, N, NULL);
    for (int a = 0; a < block->kind->nnode; a++)
        if (fabs(N[a] - 1) < coords_same) { /* a node itself */
            node[0] = own[a];
            weight[0] = 1;
            return 1;
        }
    for (int a = 0; a < block->kind->nnode; a++)
        if (fabs(N[a]) > coords_same) {
            node[n] = own[a];
            weight[n++] = N[a];
        }
    return n;
}

bl_status bl_mesh_form(const bl_mechanism *m, const bl_mark *mark, double coef, bl_form *f) {
    const bl_mesh_body *mesh = bl_mesh_of(m, mark->body);
    bl_index node[BL_ELEMENT_NODES];
    double weight[BL_ELEMENT_NODES], at[3];
    place_of(m, mark, at);
    int n = mark->is_vector ? 0 : nodes_at(&mesh->solid->mesh, at, node, weight);
    if (n == 0) /* refused before, by bl_mesh_check_marks */
        return bl_fail(m->ctx, BL_E_MODEL, &mesh->def->place, "a mark of the mesh '%s' is not a point of it", mesh->def->name);
    for (int a = 0; a < n; a++) {
        bl_form g;
        bl_form_clear(&g);
        BL_TRY(bl_mesh_node_form(m, mesh, node[a], &g));
        BL_TRY(bl_form_add(m->ctx, f, coef * weight[a], &g));
    }
    return BL_OK;
}

/* ---- directions */

static bl_status keep_point(bl_mechanism *m, const bl_mark *mark) {
    if (mark->is_vector || !bl_mesh_of(m, mark->body))
        return BL_OK;
    bl_mesh_body *mesh = &m->mesh[m->model->body[mark->body].elastic];
    for (bl_index i = 0; i < mesh->npoint; i++)
        if (memcmp(mesh->point[i].s, mark->s, sizeof mark->s) == 0)
            return BL_OK;
    BL_TRY(BL_RESERVE(m->ctx, mesh->point, mesh->point_room, mesh->npoint + 1));
    memcpy(mesh->point[mesh->npoint].s, mark->s, sizeof mark->s);
    return bl_direction_mark(m, mark, &mesh->point[mesh->npoint++].dir);
}

bl_status bl_mesh_directions(bl_mechanism *m) {
    const bl_model *model = m->model;
    bool any = false;
    for (bl_index i = 0; i < model->nelastic; i++) {
        bl_mesh_body *mesh = &m->mesh[i];
        any = any || mesh->def;
        for (bl_index k = 0; mesh->def && k < mesh->solid->mesh.nnode; k++) {
            bl_form f;
            bl_form_clear(&f);
            BL_TRY(bl_mesh_node_form(m, mesh, k, &f));
            BL_TRY(bl_direction_of(m, &f, mesh->frame[k] > 0 ? mesh->frame[k] : mesh->def->body, false, &mesh->dir[k]));
        }
    }
    for (bl_index j = 0; any && j < bl_model_joints(model); j++)
        for (const bl_prim *prim = model->joint[j].prim; prim < model->joint[j].prim + model->joint[j].nprim; prim++)
            for (int k = 0; k < bl_prim_marks(prim); k++)
                BL_TRY(keep_point(m, &prim->mark[k]));
    for (bl_index i = 0; any && i < model->nprobe; i++)
        BL_TRY(keep_point(m, &model->probe[i].mark));
    return BL_OK;
}

/* ---- values */

static void form_now(const bl_mechanism *m, bl_index dir, const double *x, double *out) {
    for (int k = 0; k < 3; k++) {
        out[k] = 0;
        for (bl_index i = m->form_ptr[dir * m->dim + k]; k < m->dim && i < m->form_ptr[dir * m->dim + k + 1]; i++)
            out[k] += m->form_coef[i] * x[m->form_entry[i]];
    }
}

void bl_mesh_mark_now(const bl_mech_work *w, const bl_mark *mark, double *at, double *rate) {
    const bl_mechanism *m = w->m;
    const bl_mesh_body *mesh = bl_mesh_of(m, mark->body);
    for (bl_index i = 0; i < mesh->npoint; i++)
        if (memcmp(mesh->point[i].s, mark->s, sizeof mark->s) == 0) {
            form_now(m, mesh->point[i].dir, w->x, at);
            form_now(m, mesh->point[i].dir, w->xd, rate);
            return;
        }
    bl_index node[BL_ELEMENT_NODES];
    double weight[BL_ELEMENT_NODES], start[3];
    place_of(m, mark, start);
    int n = nodes_at(&mesh->solid->mesh, start, node, weight);
    if (n == 0) /* the mass center of a body with a hole, for example: as a point of the mean motion */
        bl_mesh_mean_now(w, mark, at, rate);
    else
        memset(at, 0, 3 * sizeof *at), memset(rate, 0, 3 * sizeof *rate);
    for (int a = 0; a < n; a++) {
        double r[3], v[3];
        form_now(m, mesh->dir[node[a]], w->x, r);
        form_now(m, mesh->dir[node[a]], w->xd, v);
        for (int k = 0; k < 3; k++) {
            at[k] += weight[a] * r[k];
            rate[k] += weight[a] * v[k];
        }
    }
}
