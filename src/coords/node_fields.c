/* Fields of meshed bodies: positions and velocities of all nodes from the coordinates, everything else by fem (moved meshes). Nodes of a
 * body with shapes are at r = P + sum_k (X_k + sum_m Psi_mk eta_m) d_k. Its stresses follow from the shapes with the amplitudes that its
 * stiffness acts on: eta, or with stiffening q = eta + K^-1 r(eta) (docs/theory/floating_frame.md, F7). */
#include "coords/mechanism.h"

#include "fem/fem.h"

#include <string.h>

bl_status bl_mesh_fields_choose(bl_system *sys, const char *choice) {
    bl_mechanism *m = sys->own;
    bl_index n = bl_model_meshes(m->model);
    const bl_solid **solid;
    bl_fem_shapes *shapes;
    bl_system_destroy(m->meshes);
    m->meshes = NULL;
    sys->nfield = 0;
    if (n == 0)
        return BL_OK;
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(solid, n), BL_ARRAY(shapes, n)));
    for (bl_index k = 0; k < n; k++) {
        bl_index elastic;
        solid[k] = bl_model_mesh(m->model, k, &elastic);
        const bl_floating_def *def = m->model->elastic[elastic].floating;
        if (def)
            shapes[k] = (bl_fem_shapes){def->n, def->displacement};
    }
    BL_TRY(bl_fem_build_moved(sys->ctx, m->model, n, solid, shapes, &m->meshes));
    BL_TRY(bl_fem_choose_fields(m->meshes, choice));
    sys->field = m->meshes->field;
    sys->nfield = m->meshes->nfield;
    sys->lends |= BL_FIELDS;
    return BL_OK;
}

bl_status bl_mesh_fields_room(const bl_system *sys, bl_eval *e) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_work *w = e->own;
    size_t most = 0;
    for (const bl_floating_body *b = m->floating; b < m->floating + m->nfloating; b++) {
        size_t need = b->f.room + bl_floating_stretch_work(&b->f);
        most = need > most ? need : most;
    }
    bl_free(sys->ctx, w->shapes);
    BL_TRY(BL_NEW(sys->ctx, w->shapes, most + 1));
    bl_eval_destroy(m->meshes, &w->fields);
    BL_TRY(bl_eval_create(m->meshes, BL_FIELDS, &w->fields));
    e->field = w->fields.field;
    return BL_OK;
}

/* ---- nodes */

static void take_nodes(const bl_mechanism *m, const bl_mech_work *w, const bl_mesh_body *mesh, bl_fem_moved *to) {
    for (bl_index i = 0, at = 0; i < mesh->solid->mesh.nnode; i++) {
        const double *r = w->D + mesh->dir[i] * m->dim, *v = w->Dd + mesh->dir[i] * m->dim;
        for (int k = 0; k < m->dim; k++, at++) {
            to->strain[at] = to->u[at] = r[k] - mesh->solid->mesh.x[i][k];
            to->v[at] = v[k];
        }
    }
}

/* sum_m amplitude_m Psi_m of all nodes */
static void combine(const bl_floating_def *def, size_t size, const double *amplitude, double *out) {
    memset(out, 0, size * sizeof *out);
    for (bl_index n = 0; n < def->n; n++)
        for (size_t i = 0; i < size; i++)
            out[i] += amplitude[n] * def->displacement[(size_t)n * size + i];
}

static void take_shapes(const bl_mechanism *m, bl_mech_work *w, const bl_floating_body *b, bl_fem_moved *to) {
    const bl_floating_def *def = b->f.def;
    const bl_mesh *mesh = &def->solid->mesh;
    const double *center = m->model->body[m->model->elastic[b->elastic].frame].center;
    size_t size = (size_t)mesh->nnode * (size_t)m->dim;
    const double *d[4] = {0}, *rate[4] = {0}; /* P, d_k */
    for (int k = 0; k <= m->dim; k++) {
        d[k] = w->D + b->dir[k] * m->dim;
        rate[k] = w->Dd + b->dir[k] * m->dim;
    }
    combine(def, size, w->x + b->first, to->u);
    combine(def, size, w->xd + b->first, to->v);
    memset(w->shapes, 0, b->f.room * sizeof *w->shapes);
    memcpy(w->shapes, w->x + b->first, (size_t)def->n * sizeof *w->shapes);
    bl_floating_stretched(&b->f, w->shapes, to->amplitude, w->shapes + b->f.room);
    for (bl_index i = 0; i < mesh->nnode; i++) {
        double *u = to->u + i * m->dim, *v = to->v + i * m->dim, r[3], s[3];
        for (int k = 0; k < m->dim; k++) {
            r[k] = d[0][k];
            s[k] = rate[0][k];
            for (int l = 0; l < m->dim; l++) {
                double at = mesh->x[i][l] - center[l] + u[l];
                r[k] += at * d[1 + l][k];
                s[k] += at * rate[1 + l][k] + v[l] * d[1 + l][k];
            }
        }
        for (int k = 0; k < m->dim; k++) {
            u[k] = r[k] - mesh->x[i][k];
            v[k] = s[k];
        }
    }
    memset(to->turn, 0, sizeof to->turn);
    to->turn[2][2] = 1;
    for (int l = 0; l < m->dim; l++)
        for (int k = 0; k < m->dim; k++)
            to->turn[k][l] = d[1 + l][k];
}

bl_status bl_mesh_fields_eval(const bl_system *sys, bl_eval *e) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_work *w = e->own;
    bl_index elastic;
    for (bl_index k = 0; k < bl_model_meshes(m->model); k++) {
        bl_model_mesh(m->model, k, &elastic);
        bl_fem_moved *to = bl_fem_moved_nodes(m->meshes, &w->fields, k);
        if (m->mesh[elastic].def)
            take_nodes(m, w, &m->mesh[elastic], to);
        for (const bl_floating_body *b = m->floating; b < m->floating + m->nfloating; b++)
            if (b->elastic == elastic)
                take_shapes(m, w, b, to);
    }
    w->fields.t = e->t;
    w->fields.have = w->fields.constant;
    return bl_system_eval(m->meshes, &w->fields, BL_FIELDS);
}
