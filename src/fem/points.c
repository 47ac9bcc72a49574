/* Nodes and integration points of meshes one by one. */
#include "fem/assembly.h"

#include <string.h>

static bl_index part_of(const bl_fem *fem, bl_index solid) {
    bl_index p = 0;
    while (fem->part[p].solid != &fem->model->solid[solid])
        p++;
    return p;
}

bl_index bl_fem_components(const bl_system *sys, bl_index solid) {
    const bl_fem *fem = sys->own;
    return fem->part[part_of(fem, solid)].ncomponent;
}

static size_t length_of(const bl_fem *fem, bl_index p) { return (size_t)(fem->full0[p + 1] - fem->full0[p]); }

bl_status bl_fem_nodes(const bl_system *sys, bl_eval *e, bl_index solid, double *u, double *v) {
    const bl_fem *fem = sys->own;
    bl_fem_eval *eval = e->own;
    bl_index p = part_of(fem, solid);
    BL_TRY(bl_fem_spread_at(fem, e));
    memcpy(u, eval->u + fem->full0[p], length_of(fem, p) * sizeof *u);
    if (v)
        memcpy(v, eval->v + fem->full0[p], length_of(fem, p) * sizeof *v);
    return BL_OK;
}

/* values of all nodes and temperatures for the state of e */
static bl_status spread_nodes(const bl_system *sys, bl_eval *e) {
    const bl_fem *fem = sys->own;
    bl_fem_eval *eval = e->own;
    e->have &= ~(uint32_t)BL_OWN_POSITION; /* its forces are overwritten */
    BL_TRY(bl_fem_spread_at(fem, e));
    return bl_fem_load_at(fem, e->t, eval, eval->load);
}

bl_status bl_fem_node_forces(const bl_system *sys, bl_eval *e, bl_index solid, double *f) {
    const bl_fem *fem = sys->own;
    bl_fem_eval *eval = e->own;
    bl_index p = part_of(fem, solid);
    const double *history = (const double *)(const void *)e->history;
    BL_TRY(spread_nodes(sys, e));
    BL_TRY(bl_fem_inner(fem, e->t, BL_PART_FORCE, history, NULL, eval, eval->f, NULL, NULL));
    memcpy(f, eval->f + fem->full0[p], length_of(fem, p) * sizeof *f);
    return BL_OK;
}

void bl_fem_set_nodes(const bl_system *sys, bl_index solid, const double *u, const double *v, bl_state *state) {
    const bl_fem *fem = sys->own;
    bl_index p = part_of(fem, solid);
    for (bl_index k = fem->full0[p]; k < fem->full0[p + 1]; k++) {
        bl_index col = fem->column[k], at = k - fem->full0[p];
        if (col >= 0 && col < fem->nv) {
            state->q[col] = u[at];
            state->v[col] = v ? v[at] : 0;
        } else if (col >= 0)
            state->z[col - fem->nv] = u[at];
    }
}

/* rotates diag(s[0], s[1], s[1]) in the axes of a bar to global axes; shear: 1 for stresses, 2 for strains */
static void rotate_to_global(const double along[3], double shear, double s[6]) {
    static const unsigned char first[6] = {0, 1, 2, 0, 1, 0}, second[6] = {0, 1, 2, 1, 2, 2};
    double difference = s[0] - s[1], across = s[1];
    for (int k = 0; k < 6; k++)
        s[k] = (k < 3 ? 1 : shear) * difference * along[first[k]] * along[second[k]] + (k < 3 ? across : 0);
}

static bl_status points_of(const bl_fem *fem, const bl_eval *e, bl_index p, const bl_fem_group *group, bl_index k, bl_index item,
                           bl_fem_visit *visit, void *user) {
    const bl_fem_part *part = &fem->part[p];
    bl_fem_eval *eval = e->own;
    bl_element_work *w = eval->element;
    bl_fem_point point[BL_ELEMENT_POINTS];
    const double *all = (const double *)(const void *)e->history, *history = NULL;
    bl_index at = 0;
    if (fem->nhistory)
        history = all + fem->history0[p] + group->history + (size_t)k * (size_t)group->rule.n * (size_t)group->nhistory;
    bl_fem_gather(fem, p, group, k, eval, w);
    w->t = e->t;
    uint32_t want = BL_PART_FORCE | BL_PART_ENERGY | BL_PART_STRESS;
    bl_status status =
        part->solid->strain ? bl_part_solid(part, group, want, history, NULL, w, &at) : bl_part_scalar(part, group, want, w, &at);
    if (status != BL_OK)
        return bl_fail(fem->ctx, status, NULL, "%s: stresses at integration point %d of an element are not finite", part->solid->name,
                       (int)at + 1);
    for (bl_index i = 0; i < group->rule.n; i++) {
        point[i] =
            (bl_fem_point){.volume = w->volume[i], .history = group->nhistory ? history + (size_t)i * (size_t)group->nhistory : NULL};
        memcpy(point[i].stress, w->stress[i], sizeof point[i].stress);
        point[i].at = group->rule.at[i];
        point[i].tensor = group->kind->shape == BL_QUAD || group->kind->shape == BL_HEXA;
        if (part->solid->strain) {
            memcpy(point[i].strain, w->strain[i], sizeof point[i].strain);
            point[i].energy = w->point_energy[i];
            if (part->bars) {
                rotate_to_global(w->along[i][1], 1, point[i].stress);
                rotate_to_global(w->along[i][0], 2, point[i].strain);
            }
        }
    }
    return visit(user, item, group->material, group->rule.n, point);
}

double bl_fem_shown(const bl_material *material, const bl_strain_kind *strain, const bl_fem_point *point, const char *name) {
    for (const bl_history_shown *s = material->kind->shown; s && s->name && point->history; s++)
        if (strcmp(s->name, name) == 0)
            return point->history[strain->nhistory + s->at];
    return 0;
}

size_t bl_fem_points_history(const bl_system *sys) {
    const bl_fem *fem = sys->own;
    return bl_switches_kept(&fem->switches) * sizeof(double);
}

bl_status bl_fem_points(const bl_system *sys, bl_eval *e, bl_index solid, const bl_mesh_set *set, bl_fem_visit *visit, void *user) {
    const bl_fem *fem = sys->own;
    bl_index p = part_of(fem, solid);
    BL_TRY(spread_nodes(sys, e));
    for (bl_index g = 0; g < fem->part[p].ngroup; g++) {
        const bl_fem_group *group = &fem->part[p].group[g];
        bl_index at = 0;
        for (bl_index k = 0; k < group->count; k++) {
            bl_index element = group->element[k];
            while (set && at < set->count && set->item[at] < element)
                at++;
            if (!set || (at < set->count && set->item[at] == element))
                BL_TRY(points_of(fem, e, p, group, k, set ? at : element, visit, user));
        }
    }
    return BL_OK;
}
