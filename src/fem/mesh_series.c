/* Meshes alone as power series: internal forces by elements whose law is linear in Green's strain (part_series.c), or by the constant
 * matrix of linear ones; damping by constant matrices; loads that are factors of time times constant distributions. */
#include "fem/assembly.h"

#include "base/vectors.h"
#include "model/law_inputs.h"
#include "system/expansion.h"

#include <stdio.h>
#include <string.h>

typedef struct mesh_series {
    double *block;
    size_t *first;         /* [groups of all parts] coefficients of its elements in the block, of the same length each */
    double *u, *f;         /* full vectors of one order */
    double *load;          /* [order + 1][nfull] */
    double *given;         /* [order + 1][nv] loads minus damping, for the work */
    double *in, *out, *by; /* of the factors of the loads */
    bl_element_work *element;
} mesh_series;

/* ---- whether there is one */

static bool time_laws_smooth(const bl_fem *fem) {
    for (bl_index s = 0; s < fem->nshape; s++) {
        bl_index law = fem->shape[s].factor.law;
        if (law >= 0 && !bl_tape_smooth(fem->model->law[law].tape))
            return false;
    }
    return fem->switches.n == 0;
}

static bool supports_follow_laws(const bl_fem *fem) {
    for (bl_index g = 0; g < fem->ngiven; g++)
        if (fem->given[g].value.law >= 0)
            return true;
    return false;
}

static const bl_fem_part *without_series(const bl_fem *fem) {
    for (const bl_fem_part *part = fem->part; part < fem->part + fem->npart; part++)
        if (!part->polynomial || part->solid->strain->small || part->dim < 2 || part->bars || part->solid->plane == BL_PLANE_AXISYMMETRIC)
            return part;
    return NULL;
}

/* NULL: it has a power series */
static const char *reason(const bl_fem *fem) {
    if (fem->n > fem->nv)
        return "it has fields of first order in time";
    if (fem->has_temperatures)
        return "temperatures are given";
    if (fem->has_follower || fem->nvariable_load)
        return "loads follow the deformation, or depend on position and time";
    if (!time_laws_smooth(fem))
        return "a load uses a function that is not analytic everywhere (for example abs, min, max or a table)";
    if (supports_follow_laws(fem))
        return "supports move by laws of time";
    if (fem->linear)
        return fem->supports_move ? "supports prescribe displacements of a linear mesh" : NULL;
    return NULL;
}

bool bl_fem_has_series(const bl_fem *fem) { return !reason(fem) && (fem->linear || !without_series(fem)); }

void bl_fem_not_analytic(const bl_system *sys, char *why, size_t nwhy, const char **advice) {
    const bl_fem *fem = sys->own;
    const char *text = reason(fem);
    const bl_fem_part *part = text || fem->linear ? NULL : without_series(fem);
    if (text)
        snprintf(why, nwhy, "%s", text);
    else if (part)
        snprintf(why, nwhy, "the internal forces of %s are not those of a law linear in Green's strain, in the plane or in space",
                 part->solid->name);
    *advice = "use the integrator dop853 or an implicit one";
}

/* ---- set-up */

static size_t room_of(const bl_fem_part *part, const bl_fem_group *group, int order) {
    return bl_part_series_room(part, group, order, false);
}

static bl_status begin_elements(const bl_fem *fem, int order, mesh_series *s) {
    size_t at = 0;
    bl_index g = 0;
    for (const bl_fem_part *part = fem->part; part < fem->part + fem->npart; part++)
        for (const bl_fem_group *group = part->group; group < part->group + part->ngroup; group++) {
            s->first[g++] = at;
            at += (size_t)group->count * room_of(part, group, order);
        }
    BL_TRY(BL_NEW(fem->ctx, s->block, at + 1));
    g = 0;
    for (const bl_fem_part *part = fem->part; part < fem->part + fem->npart; part++)
        for (const bl_fem_group *group = part->group; group < part->group + part->ngroup; group++, g++)
            for (bl_index e = 0; e < group->count; e++) {
                const bl_index *node = group->node + (size_t)e * group->kind->nnode;
                for (int a = 0; a < group->kind->nnode; a++)
                    memcpy(s->element->x[a], part->solid->mesh.x[node[a]], sizeof s->element->x[a]);
                BL_TRY(bl_part_series_begin(part, group, order, false, s->element,
                                            s->block + s->first[g] + (size_t)e * room_of(part, group, order)));
            }
    return BL_OK;
}

bl_status bl_fem_expansion_create(const bl_system *sys, bl_expansion *ex) {
    const bl_fem *fem = sys->own;
    mesh_series *s;
    size_t nfull = (size_t)fem->nfull, nv = (size_t)fem->nv, count = (size_t)ex->order + 1, ngroup = 0, inputs = 0, work = 0;
    for (bl_index p = 0; p < fem->npart; p++)
        ngroup += (size_t)fem->part[p].ngroup;
    for (bl_index l = 0; l < fem->model->nlaw; l++) {
        size_t of_law = bl_tape_series_work(fem->model->law[l].tape, ex->order), of_inputs = (size_t)fem->model->law[l].ninput * count;
        work = of_law > work ? of_law : work;
        inputs = of_inputs > inputs ? of_inputs : inputs;
    }
    BL_TRY(BL_NEW(sys->ctx, s, 1));
    ex->own = s;
    BL_TRY(BL_NEW(sys->ctx, s->first, ngroup + 1));
    BL_TRY(BL_NEW(sys->ctx, s->element, 1));
    BL_TRY(BL_NEW(sys->ctx, s->u, (2 + count) * nfull + count * nv + inputs + count + work + 1));
    s->f = s->u + nfull;
    s->load = s->f + nfull;
    s->given = s->load + count * nfull;
    s->in = s->given + count * nv;
    s->out = s->in + inputs;
    s->by = s->out + count;
    return fem->linear ? sys->kind->patterns(sys, BL_KC) : begin_elements(fem, ex->order, s);
}

void bl_fem_expansion_destroy(const bl_system *sys, bl_expansion *ex) {
    mesh_series *s = ex->own;
    bl_free(sys->ctx, s->block);
    bl_free(sys->ctx, s->first);
    bl_free(sys->ctx, s->element);
    bl_free(sys->ctx, s->u);
    bl_free(sys->ctx, s);
    ex->own = NULL;
}

/* ---- one order */

/* loads of all orders, from the factors at the evaluation point */
static void expand_loads(const bl_fem *fem, const bl_expansion *ex, mesh_series *s) {
    static const double origin[3] = {0};
    size_t nfull = (size_t)fem->nfull;
    memset(s->load, 0, ((size_t)ex->order + 1) * nfull * sizeof *s->load);
    memcpy(s->load, fem->dead, nfull * sizeof *s->load);
    for (const bl_fem_shape *shape = fem->shape; shape < fem->shape + fem->nshape; shape++) {
        memset(s->out, 0, ((size_t)ex->order + 1) * sizeof *s->out);
        s->out[0] = shape->factor.number;
        if (shape->factor.law >= 0) {
            const bl_law *law = &fem->model->law[shape->factor.law];
            bl_law_read_series(fem->model, law, &(bl_instant){.t = ex->t, .place = origin}, ex->order, s->in);
            bl_tape_series(law->tape, ex->order, s->in, s->out, s->by);
        }
        for (int k = 0; k <= ex->order; k++)
            for (bl_index i = 0; i < shape->n; i++)
                s->load[(size_t)k * nfull + (size_t)shape->at[i]] += s->out[k] * shape->value[i];
    }
}

/* displacements of all nodes, of order k */
static void spread(const bl_fem *fem, int k, const double *q, double *u) {
    for (bl_index i = 0; i < fem->nfull; i++)
        u[i] = fem->column[i] >= 0 ? q[fem->column[i]] : 0;
    for (const bl_fem_given *given = fem->given; k == 0 && given < fem->given + fem->ngiven; given++)
        u[given->at] = given->base + given->factor * given->value.number;
    bl_fem_tie_values(fem, u);
}

/* coefficients of the elements: take those of order k of u, or add their forces of order k to f */
static void over_elements(const bl_fem *fem, const bl_expansion *ex, mesh_series *s, int k, bool take) {
    bl_index g = 0;
    double local[BL_ELEMENT_UNKNOWNS];
    for (bl_index p = 0; p < fem->npart; p++)
        for (bl_index i = 0; i < fem->part[p].ngroup; i++, g++) {
            const bl_fem_part *part = &fem->part[p];
            const bl_fem_group *group = &part->group[i];
            int dim = part->dim, n = group->kind->nnode * dim;
            size_t room = room_of(part, group, ex->order);
            for (bl_index e = 0; e < group->count; e++) {
                const bl_index *node = group->node + (size_t)e * group->kind->nnode;
                double *keep = s->block + s->first[g] + (size_t)e * room;
                if (!take)
                    bl_part_series_force(part, group, ex->order, false, k, keep, local);
                for (int c = 0; c < n; c++) {
                    bl_index full = fem->full0[p] + node[c / dim] * dim + c % dim;
                    if (take)
                        local[c] = s->u[full];
                    else
                        s->f[full] += local[c];
                }
                if (take)
                    bl_part_series_take(part, group, ex->order, false, k, local, keep);
            }
        }
}

static void take_order(const bl_fem *fem, bl_expansion *ex, int k) {
    mesh_series *s = ex->own;
    spread(fem, k, ex->q + (size_t)k * (size_t)fem->nv, s->u);
    over_elements(fem, ex, s, k, true);
}

static void series_Q(const bl_fem *fem, bl_expansion *ex, int k) {
    mesh_series *s = ex->own;
    size_t nfull = (size_t)fem->nfull, nv = (size_t)fem->nv;
    double *given = s->given + (size_t)k * nv;
    if (k == 0)
        expand_loads(fem, ex, s);
    memcpy(s->f, s->load + (size_t)k * nfull, nfull * sizeof *s->f);
    bl_fem_tie_forces(fem, s->f);
    for (bl_index i = 0; i < fem->nfull; i++)
        if (fem->column[i] >= 0)
            given[fem->column[i]] = s->f[i];
    if (fem->damped) {
        memset(s->u, 0, nv * sizeof *s->u);
        bl_csc_multiply(&(bl_pattern){fem->nv, fem->nv, fem->C_pattern.ptr, fem->C_pattern.idx}, fem->C, ex->v + (size_t)k * nv, s->u);
        for (size_t j = 0; j < nv; j++)
            given[j] -= s->u[j];
    }
    memset(s->f, 0, nfull * sizeof *s->f);
    if (fem->linear) {
        bl_csc_multiply(&(bl_pattern){fem->nv, fem->nv, fem->pattern.ptr, fem->pattern.idx}, fem->K, ex->q + (size_t)k * nv, s->f);
        for (size_t j = 0; j < nv; j++)
            ex->Q[j] = given[j] - s->f[j];
        return;
    }
    if (k == 0)
        take_order(fem, ex, 0);
    over_elements(fem, ex, s, k, false);
    bl_fem_tie_forces(fem, s->f);
    for (bl_index i = 0; i < fem->nfull; i++)
        if (fem->column[i] >= 0)
            ex->Q[fem->column[i]] = given[fem->column[i]] - s->f[i];
    if (k < ex->order)
        take_order(fem, ex, k + 1);
}

bl_status bl_fem_series(const bl_system *sys, bl_expansion *ex, int k, uint32_t want) {
    const bl_fem *fem = sys->own;
    const mesh_series *s = ex->own;
    size_t nv = (size_t)fem->nv;
    if (want & BL_Q)
        series_Q(fem, ex, k);
    if (want & BL_M) {
        memset(ex->M, 0, (size_t)sys->pat_M.ptr[fem->nv] * sizeof *ex->M);
        if (k == 0)
            memcpy(ex->M, fem->M, (size_t)sys->pat_M.ptr[fem->nv] * sizeof *ex->M);
    }
    if (!(want & BL_ENERGY))
        return BL_OK;
    int last = k - 2;
    memset(ex->work, 0, (2 * (size_t)ex->order + 1) * sizeof *ex->work);
    for (int j = 0; j <= 2 * last - 2; j++)
        for (int i = j < last ? 0 : j - last + 1; i <= j && i < last; i++)
            ex->work[j + 1] += bl_dot(nv, s->given + (size_t)i * nv, ex->v + (size_t)(j - i) * nv) / (j + 1);
    return BL_OK;
}
