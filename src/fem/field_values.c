/* Output fields of meshes: unknowns and their rates with three components each, reactions, stresses and fluxes at nodes (smooth.c) and at
 * the centers of elements, history variables.
 *
 * Reactions: what supports exert on prescribed nodes, r = internal forces + M a + C v - loads; zero at the others. The accelerations a of
 * free nodes solve M a = Q, unless the evaluation already has them; rates of fields of first order likewise. */
#include "fem/fields_private.h"

#include <math.h>
#include <string.h>

/* ---- rates of free nodes: in p->a, of fields of first order in p->v */

/* the text does not change from sample to sample, so that it is shown once */
static void warn_inexact(const bl_fem *fem, const bl_eval *e, const char *part, const char *what, double left) {
    if (left > 0)
        bl_warn(fem->ctx, e->t, part,
                "%s%s%s are inexact: the iteration for them did not converge (badly shaped elements, or nodes tied with very different "
                "coefficients)",
                what, part ? " of " : "", part ? part : "");
}

static bl_status find_rates(const bl_fem *fem, bl_eval *e) {
    bl_fem_eval *p = e->own;
    double *x = p->field_work, *work = x + fem->n, left = 0;
    BL_TRY(bl_system_eval(fem->sys, e, BL_Q));
    memcpy(x, e->Q, (size_t)fem->n * sizeof *x);
    if (e->a)
        memcpy(x, e->a, (size_t)fem->nv * sizeof *x);
    else if (fem->M)
        left = bl_mass_solve(&fem->M_pattern, fem->M, 0, fem->nv, 1, x, work);
    if (fem->C)
        left = fmax(left, bl_mass_solve(&fem->C_pattern, fem->C, fem->nv, fem->n - fem->nv, 1, x + fem->nv, work));
    warn_inexact(fem, e, NULL, "accelerations, rates and reactions at nodes", left);
    BL_TRY(bl_fem_spread_at(fem, e));
    for (bl_index k = 0; k < fem->nfull; k++) {
        bl_index col = fem->column[k];
        if (col >= 0)
            *(col < fem->nv ? &p->a[k] : &p->v[k]) = x[col];
    }
    bl_fem_tie_values(fem, p->a);
    bl_fem_tie_values(fem, p->v);
    return BL_OK;
}

/* ---- reactions */

static bool supported(const bl_fem *fem, bl_index p, const bl_fem_group *group, bl_index e) {
    int nn = group->kind->nnode, nc = fem->part[p].ncomponent;
    const bl_index *node = group->node + (size_t)e * (size_t)nn;
    for (int a = 0; a < nn; a++)
        for (int i = 0; i < nc; i++)
            if (fem->column[fem->full0[p] + node[a] * nc + i] < 0)
                return true;
    return false;
}

/* f += M (a + alpha v) + beta K v of an element, K in the reference configuration; for first order M v */
static bl_status add_inertia(const bl_fem *fem, bl_index p, const bl_fem_group *group, bl_index e, bl_fem_eval *eval, double *f) {
    const bl_fem_part *part = &fem->part[p];
    const bl_solid *solid = part->solid;
    bl_element_work *w = eval->element;
    int nn = group->kind->nnode, nc = part->ncomponent, n = nn * nc;
    const bl_index *node = group->node + (size_t)e * (size_t)nn;
    double rate[BL_ELEMENT_UNKNOWNS], v[BL_ELEMENT_UNKNOWNS];
    for (int a = 0; a < nn; a++)
        for (int i = 0; i < nc; i++) {
            bl_index k = fem->full0[p] + node[a] * nc + i;
            v[a * nc + i] = eval->v[k];
            rate[a * nc + i] = solid->order == 1 ? eval->v[k] : eval->a[k] + solid->damping_mass * eval->v[k];
        }
    bl_fem_gather(fem, p, group, e, eval, w);
    bl_part_mass(part, group, w, w->K, solid->lumped);
    for (int a = 0; a < nn; a++)
        for (int b = solid->lumped ? a : 0; b < (solid->lumped ? a + 1 : nn); b++)
            for (int i = 0; i < nc; i++)
                f[fem->full0[p] + node[a] * nc + i] += w->K[solid->lumped ? a : a * nn + b] * rate[b * nc + i];
    if (solid->order != 2 || solid->damping_stiffness == 0)
        return BL_OK;
    bl_index point;
    memset(w->u, 0, (size_t)n * sizeof *w->u);
    BL_TRY(solid->strain ? bl_part_solid(part, group, BL_PART_FORCE | BL_PART_TANGENT, NULL, NULL, w, &point)
                         : bl_part_scalar(part, group, BL_PART_FORCE | BL_PART_TANGENT, w, &point));
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
            f[fem->full0[p] + node[k / nc] * nc + k % nc] += solid->damping_stiffness * w->K[(size_t)k * (size_t)n + (size_t)l] * v[l];
    return BL_OK;
}

/* f: internal forces in, reactions out */
static bl_status find_reactions(const bl_fem *fem, double t, bl_fem_eval *eval) {
    for (bl_index p = 0; p < fem->npart; p++)
        for (bl_index g = 0; !eval->slow && fem->part[p].solid->order > 0 && g < fem->part[p].ngroup; g++) {
            const bl_fem_group *group = &fem->part[p].group[g];
            for (bl_index e = 0; e < group->count; e++)
                if (supported(fem, p, group, e))
                    BL_TRY(add_inertia(fem, p, group, e, eval, eval->f));
        }
    bl_fem_mass_inertia(fem, eval->a, eval->v, eval->f);
    memset(eval->follower, 0, (size_t)fem->nfull * sizeof *eval->follower);
    if (fem->has_follower)
        BL_TRY(bl_fem_pressure(fem, t, eval, eval->follower, NULL));
    for (bl_index k = 0; k < fem->nfull; k++)
        eval->f[k] -= eval->load[k] + eval->follower[k];
    bl_fem_tie_forces(fem, eval->f);
    for (bl_index k = 0; k < fem->nfull; k++)
        eval->f[k] = fem->column[k] < 0 ? eval->f[k] : 0;
    return BL_OK;
}

/* ---- values at integration points */

/* destination of point values, [node or cell][components] */
typedef struct target {
    double *nodes, *cells; /* either may be NULL */
    int components;
} target;

static double *array_of(const bl_fem *fem, const bl_eval *e, bl_index part, bl_field_what of, const char *name) {
    const bl_fem_fields *f = fem->fields;
    for (bl_index i = 0; i < f->n; i++)
        if (f->own[i].of == of && f->own[i].part == part && (!name || strcmp(f->field[i].name, name) == 0))
            return e->field[i];
    return NULL;
}

typedef struct collecting {
    bl_index part, ntarget;
    target to[1 + BL_SMOOTH_MOST]; /* stress or flux, then histories */
    const char *shown[1 + BL_SMOOTH_MOST];
} collecting;

static void list_targets(const bl_fem *fem, const bl_eval *e, bl_index part, collecting *on) {
    const bl_fem_fields *f = fem->fields;
    bool body = fem->part[part].solid->strain;
    bl_fem_eval *p = e->own;
    *on = (collecting){.part = part};
    double *nodes = array_of(fem, e, part, body ? BL_FIELD_STRESS : BL_FIELD_FLUX, NULL),
           *cells = array_of(fem, e, part, body ? BL_FIELD_CELL_STRESS : BL_FIELD_CELL_FLUX, NULL);
    if (!nodes && bl_fem_hidden_nodes(fem, part) > 0)
        nodes = p->field_work;
    if (!cells && bl_fem_hidden_cells(fem, part) > 0)
        cells = p->field_work + bl_fem_hidden_nodes(fem, part);
    on->to[on->ntarget++] = (target){nodes, cells, body ? bl_tensor_components(&fem->part[part]) : 3};
    for (bl_index i = 0; i < f->n; i++)
        if (f->own[i].of == BL_FIELD_HISTORY && f->own[i].part == part) {
            on->shown[on->ntarget] = f->field[i].name;
            on->to[on->ntarget++] = (target){e->field[i], NULL, 1};
        }
}

/* value[points][m] from the results of an element evaluation; returns m */
static int take_points(const collecting *on, const bl_fem_group *group, const double *trial, const bl_element_work *w,
                       double (*value)[BL_SMOOTH_MOST]) {
    int m = 0;
    for (bl_index t = 0; t < on->ntarget; t++) {
        const bl_history_shown *s = NULL;
        bool given = t > 0 && bl_shows(group, on->shown[t], &s);
        bl_index at = given ? group->nhistory - group->material->kind->nhistory + s->at : 0;
        for (bl_index k = 0; k < group->rule.n; k++)
            for (int c = 0; c < on->to[t].components; c++)
                value[k][m + c] = t == 0 ? w->stress[k][c] : given ? trial[(size_t)k * (size_t)group->nhistory + (size_t)at] : 0;
        m += on->to[t].components;
    }
    return m;
}

static void distribute(const collecting *on, const bl_fem_group *group, bl_index e, int m, const double *b, const double *center) {
    int nn = group->kind->nnode, from = 0;
    const bl_index *node = group->node + (size_t)e * (size_t)nn;
    for (bl_index t = 0; t < on->ntarget; from += on->to[t].components, t++)
        for (int c = 0; c < on->to[t].components; c++) {
            int components = on->to[t].components;
            for (int a = 0; on->to[t].nodes && a < nn; a++)
                on->to[t].nodes[(size_t)node[a] * (size_t)components + (size_t)c] += b[a * m + from + c];
            if (on->to[t].cells)
                on->to[t].cells[(size_t)group->element[e] * (size_t)components + (size_t)c] = center[from + c];
        }
}

static bl_status blame(const bl_fem *fem, bl_index p, bl_index element, double t, bl_status status) {
    const bl_solid *solid = fem->part[p].solid;
    if (status > 0)
        bl_fail(fem->ctx, status, NULL, "stresses of %s, element %d cannot be computed at t = %.9g: %s", solid->name,
                (int)(solid->mesh.element_label ? solid->mesh.element_label[element] : element + 1), t, bl_status_text(status));
    return status;
}

/* Internal forces of a part into p->f, and right-hand sides of smoothed fields into their arrays. */
static bl_status evaluate_elements(const bl_fem *fem, bl_eval *e, collecting *on) {
    const bl_fem_part *part = &fem->part[on->part];
    bl_fem_eval *p = e->own;
    bl_element_work *w = p->element;
    const double *history = (const double *)(const void *)e->history;
    double *trials = (double *)(void *)e->trial, b[BL_ELEMENT_NODES * BL_SMOOTH_MOST], center[BL_SMOOTH_MOST];
    double value[BL_ELEMENT_POINTS][BL_SMOOTH_MOST];
    int nc = part->ncomponent;
    w->t = e->t;
    for (bl_index g = 0; g < part->ngroup; g++) {
        const bl_fem_group *group = &part->group[g];
        size_t stride = (size_t)group->rule.n * (size_t)group->nhistory;
        for (bl_index k = 0; k < group->count; k++) {
            size_t own = fem->history0[on->part] + group->history + (size_t)k * stride;
            double *trial = group->nhistory ? trials + own : NULL;
            bl_index point;
            bl_fem_gather(fem, on->part, group, k, p, w);
            bl_status status = part->solid->strain ? bl_part_solid(part, group, BL_PART_FORCE | BL_PART_STRESS,
                                                                   history && group->nhistory ? history + own : NULL, trial, w, &point)
                                                   : bl_part_scalar(part, group, BL_PART_FORCE | BL_PART_STRESS, w, &point);
            if (status != BL_OK)
                return blame(fem, on->part, group->element[k], e->t, status);
            const bl_index *node = group->node + (size_t)k * group->kind->nnode;
            for (int a = 0; a < group->kind->nnode; a++)
                for (int i = 0; i < nc; i++)
                    p->f[fem->full0[on->part] + node[a] * nc + i] += w->f[a * nc + i];
            int m = take_points(on, group, trial, w, value);
            bl_smooth_element(part, group, w, m, (const double(*)[BL_SMOOTH_MOST])value, b, center);
            distribute(on, group, k, m, b, center);
        }
    }
    return BL_OK;
}

/* ---- derived fields */

static double von_mises(int components, const double *s) {
    double s22 = components > 1 ? s[1] : 0, s33 = components > 1 ? s[2] : 0, shear = components > 1 ? s[3] * s[3] : 0;
    if (components == 6)
        shear += s[4] * s[4] + s[5] * s[5];
    double a = s[0] - s22, b = s22 - s33, c = s33 - s[0];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3 * shear);
}

static void equivalents(bl_index n, int components, bool stress, const double *from, double *to) {
    for (bl_index i = 0; to && i < n; i++, from += components)
        to[i] = stress ? von_mises(components, from) : sqrt(from[0] * from[0] + from[1] * from[1] + from[2] * from[2]);
}

static void zero_targets(const bl_fem_part *part, const collecting *on) {
    for (bl_index t = 0; t < on->ntarget; t++)
        if (on->to[t].nodes)
            memset(on->to[t].nodes, 0, (size_t)part->solid->mesh.nnode * (size_t)on->to[t].components * sizeof(double));
}

/* values of the elements, smoothed to nodes */
static bl_status collect(const bl_fem *fem, bl_eval *e, collecting *on, double *work) {
    const bl_fem_part *part = &fem->part[on->part];
    const bl_smooth *smooth = &fem->fields->smooth;
    double left = 0;
    zero_targets(part, on);
    BL_TRY(evaluate_elements(fem, e, on));
    for (bl_index t = 0; t < on->ntarget; t++)
        if (on->to[t].nodes)
            left = fmax(left, bl_mass_solve(&smooth->pattern, smooth->M, fem->node0[on->part], part->solid->mesh.nnode,
                                            on->to[t].components, on->to[t].nodes, work));
    warn_inexact(fem, e, part->solid->name, part->solid->strain ? "nodal stresses" : "nodal fluxes", left);
    return BL_OK;
}

bl_status bl_fem_stresses_at(const bl_fem *fem, bl_fem_eval *p, bl_index part, double *nodes, double *cells, double *work) {
    bl_eval e = {.own = p};
    collecting on = {.part = part, .ntarget = 1, .to = {{nodes, cells, bl_tensor_components(&fem->part[part])}}};
    return collect(fem, &e, &on, work);
}

static bl_status eval_points(const bl_fem *fem, bl_eval *e, bl_index p) {
    const bl_mesh *mesh = &fem->part[p].solid->mesh;
    bool body = fem->part[p].solid->strain;
    double *work = ((bl_fem_eval *)e->own)->field_work + bl_fem_hidden_nodes(fem, p) + bl_fem_hidden_cells(fem, p);
    collecting on;
    list_targets(fem, e, p, &on);
    if (fem->moved && fem->shapes[p].n > 0)
        bl_fem_moved_stresses(fem, e->own, p, on.to[0].nodes, on.to[0].cells);
    else
        BL_TRY(collect(fem, e, &on, work));
    if (on.to[0].cells)
        equivalents(mesh->nelement, on.to[0].components, body, on.to[0].cells, array_of(fem, e, p, BL_FIELD_CELL_VON_MISES, NULL));
    if (on.to[0].nodes)
        equivalents(mesh->nnode, on.to[0].components, body, on.to[0].nodes,
                    array_of(fem, e, p, body ? BL_FIELD_VON_MISES : BL_FIELD_FLUX_MODULUS, NULL));
    return BL_OK;
}

/* ---- all */

/* a full vector of a part as [node][width] */
static void take_nodes(const bl_fem *fem, bl_index p, const double *full, int width, double *to) {
    int nc = fem->part[p].ncomponent;
    const double *from = full + fem->full0[p];
    for (bl_index i = 0; i < fem->part[p].solid->mesh.nnode; i++, from += nc)
        for (int c = 0; c < width; c++)
            *to++ = c < nc ? from[c] : 0;
}

static bool of_points(const bl_fem_fields *f, bl_index p) {
    return bl_fem_smooths(f, p) || bl_fem_has_field(f, p, BL_FIELD_CELL_STRESS) || bl_fem_has_field(f, p, BL_FIELD_CELL_VON_MISES) ||
           bl_fem_has_field(f, p, BL_FIELD_CELL_FLUX) || bl_fem_has_reactions(f);
}

static bl_status find_nodes(const bl_fem *fem, bl_eval *e) {
    bl_fem_eval *p = e->own;
    if (fem->moved)
        return BL_OK;
    BL_TRY(bl_fem_needs_rates(fem->fields) ? find_rates(fem, e) : bl_fem_spread_at(fem, e));
    return bl_fem_load_at(fem, e->t, p, p->load); /* temperatures too */
}

bl_status bl_fem_fields_eval(const bl_fem *fem, bl_eval *e) {
    const bl_fem_fields *f = fem->fields;
    bl_fem_eval *p = e->own;
    BL_TRY(find_nodes(fem, e));
    memset(p->f, 0, (size_t)fem->nfull * sizeof *p->f);
    for (bl_index part = 0; part < fem->npart; part++)
        if (of_points(f, part))
            BL_TRY(eval_points(fem, e, part));
    if (bl_fem_has_reactions(f))
        BL_TRY(find_reactions(fem, e->t, p));
    for (bl_index i = 0; i < f->n; i++) {
        bl_index part = f->own[i].part;
        int width = f->field[i].components;
        switch (f->own[i].of) {
        case BL_FIELD_DISPLACEMENT:
        case BL_FIELD_VALUE: take_nodes(fem, part, fem->moved ? p->u_to : p->u, width, e->field[i]); break;
        case BL_FIELD_VELOCITY:
        case BL_FIELD_RATE: take_nodes(fem, part, p->v, width, e->field[i]); break;
        case BL_FIELD_ACCELERATION: take_nodes(fem, part, p->a, width, e->field[i]); break;
        case BL_FIELD_REACTION:
        case BL_FIELD_FLOW: take_nodes(fem, part, p->f, width, e->field[i]); break;
        case BL_FIELD_TEMPERATURE:
            memcpy(e->field[i], p->temperature + fem->node0[part], (size_t)f->field[i].items * sizeof(double));
            break;
        default: break; /* fields of integration points */
        }
    }
    return BL_OK;
}
