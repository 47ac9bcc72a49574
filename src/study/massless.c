/* Massless motions: G x = 0 and M x = 0, since x^T M x = 0 implies M x = 0 if no mass is negative. Both are eliminated as one sparse
 * matrix. Rows of M are scaled to size 1, like those of G, by powers of two: a point shared by many bodies has a mass, and a row, far
 * larger than theirs, and as the largest pivot would couple all of them. Rows below system_massless of the largest are not scaled: they are
 * massless. */
#include "study/check.h"

#include "joint/joint.h"
#include "sparse/sparse.h"
#include "system/system_limits.h"

#include <math.h>
#include <string.h>

enum { MOST_SHOWN = 20 }; /* motions described one by one */

/* Gauss-Jordan elimination on the k columns of b[n][k]: each column gets a component that is zero in all others */
static void make_local(bl_index n, bl_index k, double *b) {
    for (bl_index c = 0; c < k; c++) {
        bl_index row = 0, col = c;
        double best = -1;
        for (bl_index j = c; j < k; j++)
            for (bl_index i = 0; i < n; i++)
                if (fabs(b[(size_t)j * (size_t)n + (size_t)i]) > best * (1 + 1e-9)) {
                    best = fabs(b[(size_t)j * (size_t)n + (size_t)i]);
                    row = i;
                    col = j;
                }
        double *own = b + (size_t)c * (size_t)n, *other = b + (size_t)col * (size_t)n;
        for (bl_index i = 0; i < n; i++) {
            double keep = own[i];
            own[i] = other[i];
            other[i] = keep;
        }
        double pivot = own[row];
        for (bl_index i = 0; i < n; i++)
            own[i] /= pivot;
        for (bl_index j = 0; j < k; j++) {
            double *x = b + (size_t)j * (size_t)n, f = x[row];
            for (bl_index i = 0; j != c && i < n; i++)
                x[i] -= f * own[i];
        }
    }
}

/* whether every motion of a body has kinetic energy: positive mass and, by Cholesky, positive definite inertia */
static bool has_inertia(const bl_model *model, const bl_body *body) {
    const double(*J)[3] = body->inertia;
    if (body->what != BL_BODY_RIGID && model->elastic[body->elastic].what == BL_ELASTIC_MESH)
        return true; /* meshes have a density everywhere; their frames move with nodes */
    double least = system_massless * (J[0][0] + J[1][1] + J[2][2]);
    if (!(body->mass > 0))
        return false;
    if (model->dim == 2)
        return J[2][2] > 0;
    double l10 = J[1][0] / J[0][0], l20 = J[2][0] / J[0][0], d1 = J[1][1] - l10 * J[1][0], l21 = (J[2][1] - l20 * J[1][0]) / d1;
    return J[0][0] > least && d1 > least && J[2][2] - l20 * J[2][0] - l21 * l21 * d1 > least;
}

/* Whether a column of natural coordinates is at rest when all bodies are. Angles of body orientation (parts after the first) may be
 * singular, and where the length of a rod is zero, its equation does not determine it. */
static bool follows_bodies(const bl_model *model, const bl_col *col) {
    switch (col->what) {
    case BL_COL_POINT:
    case BL_COL_VECTOR: return true;
    case BL_COL_ANGLE: return col->part == 0;
    case BL_COL_DISTANCE: return col->part == 0 && col->owner >= 0 && model->joint[model->variable[col->owner].joint].kind != &bl_joint_rod;
    default: return false;
    }
}

/* All coordinates are joint variables, or points and vectors of bodies and quantities measured between them, and every body has mass and
 * inertia: a motion without kinetic energy moves no body, and then none of these coordinates. M, which may be full, need not be
 * examined. */
static bool cannot_be(const bl_checking *c) {
    bool joints = true, entities = true;
    for (bl_index j = 0; j < c->sys->nv; j++) {
        const bl_col *col = &c->sys->col[j];
        joints = joints && (col->what == BL_COL_ANGLE || col->what == BL_COL_DISTANCE);
        entities = entities && follows_bodies(c->model, col);
    }
    if (!joints && !entities)
        return false;
    for (bl_index b = 1; b < c->model->nbody; b++)
        if (!has_inertia(c->model, &c->model->body[b]))
            return false;
    return true;
}

/* the scaled rows of G, then those of M */
static bl_status stack(bl_checking *c, bl_arena *arena, bl_pattern *pattern, double **values) {
    const bl_system *sys = c->sys;
    const bl_pattern *G = &sys->pat_G, *M = &sys->pat_M;
    size_t entries = (size_t)G->ptr[sys->nv] + (size_t)M->ptr[sys->nv];
    bl_index *ptr = bl_arena_alloc(arena, (size_t)sys->nv + 1, sizeof *ptr), *idx = bl_arena_alloc(arena, entries, sizeof *idx), at = 0;
    double *value = bl_arena_alloc(arena, entries, sizeof *value), largest = 0;
    double *size = bl_arena_alloc(arena, (size_t)sys->nv, sizeof *size); /* of a row of M */
    if (!ptr || !idx || !value || !size)
        return BL_E_MEMORY;
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index p = M->ptr[j]; p < M->ptr[j + 1]; p++) {
            double *row = &size[M->idx[p]];
            *row = fmax(*row, fabs(c->eval.M[p]) * sys->col[j].scale * sys->col[M->idx[p]].scale);
            largest = fmax(largest, *row);
        }
    for (bl_index j = 0; j < sys->nv; j++)
        size[j] = size[j] > system_massless * largest ? ldexp(largest, ilogb(size[j] / largest)) : largest;
    for (bl_index j = 0; j < sys->nv; j++) {
        for (bl_index p = G->ptr[j]; p < G->ptr[j + 1]; p++, at++) {
            idx[at] = G->idx[p];
            value[at] = c->eval.G[p] * sys->col[j].scale / sys->row[G->idx[p]].scale;
        }
        for (bl_index p = M->ptr[j]; p < M->ptr[j + 1]; p++, at++) {
            idx[at] = sys->np + M->idx[p];
            value[at] = largest > 0 ? c->eval.M[p] * sys->col[j].scale * sys->col[M->idx[p]].scale / size[M->idx[p]] : 0;
        }
        ptr[j + 1] = at;
    }
    *pattern = (bl_pattern){.nrow = sys->np + sys->nv, .ncol = sys->nv, .ptr = ptr, .idx = idx};
    *values = value;
    return BL_OK;
}

/* velocities, one for each column without a pivot */
static bl_status take(bl_checking *c, const bl_elimination *e) {
    const bl_system *sys = c->sys;
    size_t n = (size_t)sys->nv;
    bl_index found = e->n - e->rank;
    c->nmassless = found < MOST_SHOWN ? found : MOST_SHOWN;
    c->more_massless = found - c->nmassless;
    if (c->nmassless == 0)
        return BL_OK;
    BL_TRY(BL_NEW(c->ctx, c->massless, n * (size_t)c->nmassless));
    for (bl_index k = 0; k < c->nmassless; k++) {
        double *x = c->massless + (size_t)k * n;
        x[e->col[e->rank + k]] = 1;
        bl_elimination_motion(e, x);
    }
    make_local(sys->nv, c->nmassless, c->massless);
    for (bl_index k = 0; k < c->nmassless; k++)
        for (bl_index j = 0; j < sys->nv; j++)
            c->massless[(size_t)k * n + (size_t)j] *= sys->col[j].scale;
    return BL_OK;
}

bl_status bl_checking_massless(bl_checking *c) {
    const bl_system *sys = c->sys;
    if (c->dof == 0 || cannot_be(c))
        return BL_OK;
    bl_arena arena = {.ctx = c->ctx};
    bl_elimination e = {0};
    bl_elimination_input in = {.tolerance = system_massless, .loose = true};
    bl_pattern pattern;
    double *values = NULL;
    bl_eval_at(&c->eval, &c->regular);
    BL_TRY(bl_system_eval(sys, &c->eval, BL_M | BL_G));
    BL_TRY(bl_check_finite(c->ctx, "mass matrix", NAN, sys->pat_M.ptr[sys->nv], c->eval.M));
    bl_status status = stack(c, &arena, &pattern, &values);
    uint8_t *out = bl_arena_alloc(&arena, (size_t)sys->np + (size_t)sys->nv, sizeof *out);
    if (status == BL_OK && !out)
        status = BL_E_MEMORY;
    if (status == BL_OK) {
        for (bl_index i = c->motions.rank; i < sys->np; i++) /* constraints redundant within rounding or the closure tolerance */
            out[c->motions.row[i]] = 1;
        in.pattern = &pattern;
        in.value = values;
        in.row_out = out;
        status = bl_elimination_run(c->ctx, &in, &e);
    }
    if (status == BL_OK)
        status = take(c, &e);
    bl_elimination_free(&e);
    bl_arena_destroy(&arena);
    return status;
}
