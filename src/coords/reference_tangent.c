/* The tangent view of the complete system: T, retract, local and normalization of the parameters, body by body (orientation_tangent.c).
 * Mass centers, points of rods and variables are vectors. */
#include "coords/reference.h"

#include "base/vector3.h"
#include "coords/derived_coords.h"
#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

/* columns are in order: one entry, or `stored` entries of a body with axes, so values are written in order */
bl_status bl_reference_tangent_build(bl_reference_system *r, bl_system *sys) {
    bl_pairs p = {.ctx = sys->ctx};
    bl_index *slot = NULL;
    r->q_scale = bl_arena_alloc(&r->on.arena, (size_t)sys->nq + 1, sizeof *r->q_scale);
    bl_status status = r->q_scale ? BL_OK : BL_E_MEMORY;
    for (const bl_oriented *b = r->body; b < r->body + r->nbody && status == BL_OK; b++)
        for (bl_index k = 0; k < r->on.m->dim + b->kind->n && status == BL_OK; k++) {
            bool turns = k >= r->on.m->dim && b->kind->rate;
            for (bl_index i = 0; i < (turns ? b->kind->stored : 1) && status == BL_OK; i++) {
                bl_index q = turns ? b->o_q + i : b->q + k;
                status = bl_pairs_add(&p, q, b->col + k);
                r->q_scale[q] = sys->col[b->col + k].scale;
            }
        }
    for (bl_index j = r->nbody_v; j < sys->nv && status == BL_OK; j++) {
        bl_index q = j - r->nbody_v + r->nbody_q;
        status = bl_pairs_add(&p, q, j);
        r->q_scale[q] = sys->col[j].scale;
    }
    if (status == BL_OK)
        status = bl_pairs_build(&p, sys->nq, sys->nv, &sys->pat_T, &slot);
    bl_free(sys->ctx, slot);
    bl_pairs_free(&p);
    sys->q_scale = r->q_scale;
    return status;
}

void bl_reference_eval_T(const bl_system *sys, bl_eval *e) {
    const bl_reference_system *r = bl_ref(sys);
    double *out = e->T;
    if (sys->facts & BL_FLAT)
        return;
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        int n = b->kind->n;
        double T[3 * BL_MOST_PARAMETERS];
        for (bl_index k = 0; k < r->on.m->dim + (b->kind->rate ? 0 : n); k++)
            *out++ = 1;
        if (!b->kind->rate)
            continue;
        b->kind->rate(e->q + b->o_q, T);
        for (int k = 0; k < n; k++)
            for (int i = 0; i < b->kind->stored; i++)
                *out++ = T[i * n + k];
    }
    for (bl_index j = r->nbody_v; j < sys->nv; j++)
        *out++ = 1;
}

bl_status bl_reference_retract(const bl_system *sys, const double *q, const double *x, double *q_new) {
    const bl_reference_system *r = bl_ref(sys);
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        for (bl_index k = 0; k < r->on.m->dim + (b->kind->retract ? 0 : b->kind->n); k++)
            q_new[b->q + k] = q[b->q + k] + x[b->col + k];
        if (b->kind->retract)
            b->kind->retract(q + b->o_q, x + b->o, q_new + b->o_q);
    }
    for (bl_index j = r->nbody_v, i = r->nbody_q; j < sys->nv; i++, j++)
        q_new[i] = q[i] + x[j];
    return BL_OK;
}

/* of the rotation vectors that differ from x by full revolutions the one nearest to `near` */
static void add_turns(const double *near, double *x) {
    static const double turn = 6.283185307179586477;
    double size = sqrt(dot3(x, x)), wanted = sqrt(dot3(near, near));
    const double *along = size > 0 ? x : near;
    if (!(wanted > 0.5 * turn))
        return;
    double unit = size > 0 ? size : wanted, more = turn * round((dot3(near, along) / unit - size) / turn);
    for (int k = 0; k < 3; k++)
        x[k] += more * along[k] / unit;
}

bl_status bl_reference_local(const bl_system *sys, const double *q, const double *q_new, const double *near, double *x) {
    const bl_reference_system *r = bl_ref(sys);
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        for (bl_index k = 0; k < r->on.m->dim + (b->kind->local ? 0 : b->kind->n); k++)
            x[b->col + k] = q_new[b->q + k] - q[b->q + k];
        if (b->kind->local)
            b->kind->local(q + b->o_q, q_new + b->o_q, x + b->o);
        if (b->kind->local && near)
            add_turns(near + b->o, x + b->o);
    }
    for (bl_index j = r->nbody_v, i = r->nbody_q; j < sys->nv; i++, j++)
        x[j] = q_new[i] - q[i];
    return BL_OK;
}

void bl_reference_normalize(const bl_system *sys, double *q) {
    const bl_reference_system *r = bl_ref(sys);
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++)
        if (b->kind->normalize)
            b->kind->normalize(q + b->o_q);
}
