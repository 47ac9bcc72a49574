/* Reduction of a mesh: matrices at rest, shapes, inertia integrals. */
#include "reduction/reduction.h"

#include "dense/dense.h"
#include "fem/part.h"
#include "reduction/component_modes.h"
#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

typedef struct reducing {
    bl_context *ctx;
    const bl_solid *solid;
    const bl_reduction *ask;
    int dim;
    bl_index nnode, n, nshape, nmotion, inner; /* nodes, unknowns, shapes, those of interfaces, inner functions 1, X_k, Psi_mk */
    bl_fem_part part;
    bl_pattern pattern;
    double *K, *M;
    uint8_t *held;
    double *motion, *shape, *value;
    double *phi, *room; /* [inner][nnode], [inner][nnode] */
    bool split;
    void *values, *shapes, *functions;
} reducing;

static int rotations(int dim) { return dim == 3 ? 3 : 1; }

/* ---- matrices */

static bl_status find_pattern(reducing *s) {
    const bl_mesh *mesh = &s->solid->mesh;
    size_t members = 0;
    for (bl_index b = 0; b < mesh->nblock; b++)
        members += (size_t)mesh->block[b].count * mesh->block[b].kind->nnode;
    bl_index *first, *member, count = 0;
    size_t *start;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(s->ctx, block, BL_ARRAY(start, mesh->nelement + 1), BL_ARRAY(first, s->nnode + 1), BL_ARRAY(member, members)));
    for (bl_index i = 0; i <= s->nnode; i++)
        first[i] = i * s->dim;
    for (bl_index b = 0; b < mesh->nblock; b++)
        for (bl_index e = 0; e < mesh->block[b].count; e++) {
            size_t nn = mesh->block[b].kind->nnode;
            memcpy(member + start[count], mesh->block[b].node + (size_t)e * nn, nn * sizeof *member);
            start[count + 1] = start[count] + nn;
            count++;
        }
    bl_status status = bl_pattern_of_nodes(s->ctx, s->nnode, first, count, start, member, &s->pattern);
    bl_free(s->ctx, block);
    return status;
}

static bl_status add_element(reducing *s, const bl_fem_group *group, bl_index number, bl_element_work *w, double *mass) {
    const bl_index *node = group->node + (size_t)number * group->kind->nnode;
    int nn = group->kind->nnode, dim = s->dim;
    bl_index point = 0;
    for (int a = 0; a < nn; a++)
        memcpy(w->x[a], s->solid->mesh.x[node[a]], sizeof w->x[a]);
    memset(w->u, 0, (size_t)(nn * dim) * sizeof *w->u);
    bl_status status = bl_part_solid(&s->part, group, BL_PART_FORCE | BL_PART_TANGENT, NULL, NULL, w, &point);
    if (status != BL_OK) {
        bl_index element = group->element[number];
        bl_fail(s->ctx, BL_E_MODEL, &s->solid->place, "%s: element %d is inverted or has no volume at its integration point %d",
                s->solid->name, (int)(s->solid->mesh.element_label ? s->solid->mesh.element_label[element] : element + 1), (int)point + 1);
        return BL_E_MODEL;
    }
    bl_part_mass(&s->part, group, w, mass, s->solid->lumped);
    for (int b = 0; b < nn; b++)
        for (int a = 0; a < nn; a++) {
            bl_index col = node[b] * dim, at = bl_pattern_find(&s->pattern, node[a] * dim, col) - s->pattern.ptr[col];
            double m = s->solid->lumped ? (a == b ? mass[a] : 0) : mass[a * nn + b];
            for (int d = 0; d < dim; d++)
                for (int c = 0; c < dim; c++) {
                    bl_index entry = s->pattern.ptr[col + d] + at + c;
                    s->K[entry] += w->K[(a * dim + c) * nn * dim + b * dim + d];
                    s->M[entry] += c == d ? m : 0;
                }
        }
    return BL_OK;
}

static bl_status assemble(reducing *s) {
    bl_element_work *w;
    double *mass;
    void *block = NULL;
    BL_TRY(find_pattern(s));
    BL_TRY(BL_NEW_ARRAYS(s->ctx, s->values, BL_ARRAY(s->K, s->pattern.ptr[s->n]), BL_ARRAY(s->M, s->pattern.ptr[s->n]),
                         BL_ARRAY(s->held, s->n)));
    BL_TRY(BL_NEW_ARRAYS(s->ctx, block, BL_ARRAY(w, 1), BL_ARRAY(mass, BL_ELEMENT_NODES * BL_ELEMENT_NODES)));
    bl_status status = BL_OK;
    for (bl_index g = 0; g < s->part.ngroup; g++)
        for (bl_index e = 0; status == BL_OK && e < s->part.group[g].count; e++) {
            status = bl_go_on(s->ctx);
            if (status == BL_OK)
                status = add_element(s, &s->part.group[g], e, w, mass);
        }
    bl_free(s->ctx, block);
    return status;
}

/* ---- shapes */

/* displacement of a node of interface `frame` for its unit motion k: along an axis, then about one (in the plane about z) */
static void move_node(const reducing *s, bl_index frame, int k, bl_index node, double *u) {
    const double *x = s->solid->mesh.x[node], *c = s->ask->center[frame];
    double r[3] = {x[0] - c[0], x[1] - c[1], x[2] - c[2]}, moved[3] = {0, 0, 0};
    int about = s->dim == 3 ? k - 3 : 2;
    if (k < s->dim) {
        moved[k] = 1;
    } else { /* e x r */
        moved[(about + 1) % 3] = -r[(about + 2) % 3];
        moved[(about + 2) % 3] = r[(about + 1) % 3];
    }
    memcpy(u + node * s->dim, moved, (size_t)s->dim * sizeof *u);
}

static void set_boundary(reducing *s) {
    int per = s->dim + rotations(s->dim);
    for (bl_index f = 0; f < s->ask->nframe; f++)
        for (bl_index i = 0; i < s->ask->interface[f].set->count; i++) {
            bl_index node = s->ask->interface[f].set->item[i];
            memset(s->held + node * s->dim, 1, (size_t)s->dim);
            for (int k = 0; f > 0 && k < per; k++)
                move_node(s, f, k, node, s->motion + ((size_t)(f - 1) * (size_t)per + (size_t)k) * (size_t)s->n);
        }
}

/* modes with a largest displacement of +1 */
static void scale_modes(reducing *s) {
    for (bl_index m = s->nmotion; m < s->nshape; m++) {
        double *shape = s->shape + (size_t)m * (size_t)s->n, most = 0;
        for (bl_index i = 0; i < s->n; i++)
            most = fabs(shape[i]) > fabs(most) ? shape[i] : most;
        for (bl_index i = 0; i < s->n; i++)
            shape[i] /= most;
        s->value[m - s->nmotion] /= most * most; /* stiffness of the scaled mode */
    }
}

static bl_status find_shapes(reducing *s) {
    size_t n = (size_t)s->n;
    BL_TRY(BL_NEW_ARRAYS(s->ctx, s->shapes, BL_ARRAY(s->motion, (size_t)s->nmotion * n), BL_ARRAY(s->shape, (size_t)s->nshape * n),
                         BL_ARRAY(s->value, s->ask->nmode)));
    set_boundary(s);
    bl_component component = {.name = s->solid->name,
                              .place = &s->solid->place,
                              .pattern = &s->pattern,
                              .K = s->K,
                              .M = s->M,
                              .held = s->held,
                              .split = &s->split,
                              .nmotion = s->nmotion,
                              .nmode = s->ask->nmode,
                              .motion = s->motion};
    BL_TRY(bl_component_shapes(s->ctx, &component, s->shape, s->value));
    scale_modes(s);
    return BL_OK;
}

/* ---- integrals */

/* nodal values of 1, X_k, Psi_mk */
static void set_functions(reducing *s) {
    bl_index nnode = s->nnode;
    for (bl_index i = 0; i < nnode; i++) {
        s->phi[i] = 1;
        for (int k = 0; k < s->dim; k++) {
            s->phi[(1 + k) * nnode + i] = s->solid->mesh.x[i][k] - s->ask->center[0][k];
            for (bl_index m = 0; m < s->nshape; m++)
                s->phi[(size_t)(1 + s->dim * (1 + m) + k) * (size_t)nnode + (size_t)i] =
                    s->shape[(size_t)m * (size_t)s->n + (size_t)(i * s->dim + k)];
        }
    }
}

static double dot(bl_index n, const double *a, const double *b) {
    double sum = 0;
    for (bl_index i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* masses of one component of the nodes: every dim-th row and column of M */
static void times_mass(const reducing *s, const double *x, double *y) {
    memset(y, 0, (size_t)s->nnode * sizeof *y);
    for (bl_index j = 0; j < s->nnode; j++)
        for (bl_index k = s->pattern.ptr[j * s->dim]; k < s->pattern.ptr[j * s->dim + 1]; k += s->dim)
            y[s->pattern.idx[k] / s->dim] += s->M[k] * x[j];
}

static void times_stiffness(const reducing *s, const double *x, double *y) {
    memset(y, 0, (size_t)s->n * sizeof *y);
    for (bl_index j = 0; j < s->n; j++)
        for (bl_index k = s->pattern.ptr[j]; k < s->pattern.ptr[j + 1]; k++)
            y[s->pattern.idx[k]] += s->K[k] * x[j];
}

static bl_status integrate(reducing *s, bl_floating_def *def) {
    size_t nnode = (size_t)s->nnode, n = (size_t)s->n;
    double *force;
    BL_TRY(BL_NEW_ARRAYS(s->ctx, s->functions, BL_ARRAY(s->phi, (size_t)s->inner * nnode), BL_ARRAY(s->room, nnode), BL_ARRAY(force, n)));
    set_functions(s);
    for (bl_index a = 0; a < s->inner; a++) {
        BL_TRY(bl_go_on(s->ctx));
        times_mass(s, s->phi + (size_t)a * nnode, s->room);
        for (bl_index b = 0; b <= a; b++)
            def->mass[a * s->inner + b] = def->mass[b * s->inner + a] = dot(s->nnode, s->phi + (size_t)b * nnode, s->room);
    }
    for (bl_index m = 0; m < s->nmotion; m++) { /* modes are not coupled with static shapes nor with each other */
        times_stiffness(s, s->shape + (size_t)m * n, force);
        for (bl_index p = 0; p <= m; p++)
            def->stiffness[m * s->nshape + p] = def->stiffness[p * s->nshape + m] = dot(s->n, s->shape + (size_t)p * n, force);
    }
    for (bl_index m = s->nmotion; m < s->nshape; m++)
        def->stiffness[m * (s->nshape + 1)] = s->value[m - s->nmotion];
    return BL_OK;
}

/* ---- the result */

static bl_status name_shapes(const reducing *s, bl_arena *arena, bl_floating_def *def) {
    static const char axes[] = "xyz";
    int per = s->dim + rotations(s->dim);
    for (bl_index m = 0; m < s->nshape; m++) {
        const char *of = m < s->nmotion ? s->ask->name[1 + m / per] : "";
        int k = (int)(m % per);
        bool shift = k < s->dim;
        if (m >= s->nmotion)
            def->name[m] = bl_arena_printf(arena, "mode %d", (int)(m - s->nmotion + 1));
        else
            def->name[m] = bl_arena_printf(arena, "%s of %s %c", shift ? "shift" : "turn", of, axes[shift ? k : s->dim == 3 ? k - 3 : 2]);
        if (!def->name[m])
            return BL_E_MEMORY;
        def->scale[m] = m < s->nmotion && !shift ? 1 : s->part.length;
    }
    return BL_OK;
}

/* the inverse of the stiffness, and what stresses change */
static bl_status stiffen(reducing *s, bl_arena *arena, bl_floating_def *def) {
    size_t n = (size_t)s->nshape;
    double *factor;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(def->stiffening, n * n * n), BL_ARRAY(def->flexibility, n * n)));
    BL_TRY(bl_reduction_stiffening(s->ctx, &s->part, s->nshape, s->shape, def->stiffening));
    BL_TRY(BL_NEW(s->ctx, factor, n * n));
    memcpy(factor, def->stiffness, n * n * sizeof *factor);
    bl_status status = BL_OK;
    if (!bl_dense_llt(s->nshape, factor))
        status = bl_fail(s->ctx, BL_E_MODEL, &s->solid->place, "%s: the stiffness of its shapes is not positive definite", s->solid->name);
    for (size_t k = 0; status == BL_OK && k < n; k++) {
        def->flexibility[k * (n + 1)] = 1;
        bl_dense_llt_solve(s->nshape, factor, def->flexibility + k * n);
    }
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < k; l++)
            def->flexibility[k * n + l] = def->flexibility[l * n + k] = 0.5 * (def->flexibility[k * n + l] + def->flexibility[l * n + k]);
    bl_free(s->ctx, factor);
    return status;
}

static bl_status make(reducing *s, bl_arena *arena, bl_floating_def **out) {
    size_t inner = (size_t)s->inner, nshape = (size_t)s->nshape, per = (size_t)(s->dim + rotations(s->dim));
    bl_floating_def *def;
    BL_TRY(BL_ARENA_NEW(arena, def, 1));
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(def->mass, inner * inner), BL_ARRAY(def->stiffness, nshape * nshape),
                           BL_ARRAY(def->scale, nshape), BL_ARRAY(def->name, nshape), BL_ARRAY(def->end, s->ask->nframe),
                           BL_ARRAY(def->displacement, nshape * (size_t)s->n)));
    memcpy(def->displacement, s->shape, nshape * (size_t)s->n * sizeof *def->displacement);
    def->n = s->nshape;
    def->split = s->split;
    def->damping[0] = s->solid->damping_mass;
    def->damping[1] = s->solid->damping_stiffness;
    BL_TRY(integrate(s, def));
    if (s->ask->stiffening)
        BL_TRY(stiffen(s, arena, def));
    BL_TRY(name_shapes(s, arena, def));
    for (size_t f = 0; f + 1 < (size_t)s->ask->nframe; f++) { /* motions of interfaces are amplitudes themselves */
        BL_TRY(BL_ARENA_NEW(arena, def->end[f].shape, per * nshape));
        for (size_t k = 0; k < per; k++)
            def->end[f].shape[k * nshape + f * per + k] = 1;
    }
    *out = def;
    return BL_OK;
}

bl_status bl_reduce_mesh(bl_context *ctx, bl_arena *arena, const bl_model *model, const bl_solid *solid, const bl_reduction *ask,
                         bl_floating_def **out) {
    reducing s = {.ctx = ctx, .solid = solid, .ask = ask, .dim = solid->mesh.dim, .nnode = solid->mesh.nnode};
    s.n = s.nnode * s.dim;
    s.nmotion = (ask->nframe - 1) * (s.dim + rotations(s.dim));
    s.nshape = s.nmotion + ask->nmode;
    s.inner = 1 + s.dim * (1 + s.nshape);
    bl_status status = bl_fem_part_create(ctx, model, solid, &s.part);
    if (status == BL_OK)
        status = assemble(&s);
    if (status == BL_OK)
        status = find_shapes(&s);
    if (status == BL_OK)
        status = make(&s, arena, out);
    bl_pattern_free(ctx, &s.pattern);
    bl_fem_part_destroy(&s.part);
    bl_free(ctx, s.values);
    bl_free(ctx, s.shapes);
    bl_free(ctx, s.functions);
    return status;
}
