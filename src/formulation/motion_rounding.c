/* Rounding errors in the rows of a stage. A row is a sum of terms of q, v, a, z and multipliers, each known to one unit in its last
 * place: the row is known to
 *
 *     eps (|Q| + |M| |a| + |G|^T |lambda| + |K| |q| + |C| |v|)      equilibrium
 *     eps |G| |q|,  eps (|G| |v| + |(G v)_x| |q| + |b|)              constraints of positions and of velocities
 *
 * with the derivatives of the last tangent, entry by entry. */
#include "formulation/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* r += |A| |x| over columns first .. last */
static void add(const bl_pattern *pattern, const double *values, bl_index first, bl_index last, const double *x, double *r) {
    for (bl_index j = first; j < last; j++) {
        double xj = fabs(x[j - first]);
        for (bl_index k = pattern->ptr[j]; k < pattern->ptr[j + 1]; k++)
            r[pattern->idx[k]] += fabs(values[k]) * xj;
    }
}

/* size of the position of column j */
static double position(const bl_formulation *form, bl_index j) {
    const bl_motion *own = form->own;
    return form->sys->facts & BL_FLAT ? fabs(own->q[j]) : form->sys->col[j].scale;
}

static void add_constraints(const bl_formulation *form, const bl_stage *s, const double *x, double *r) {
    const bl_motion *own = form->own;
    const bl_pattern *G = &form->sys->pat_G;
    const bl_eval *e = &form->at_e;
    bool prescribed = e->have & BL_B;
    for (bl_index k = 0; own->velocity_rows && !own->stabilized && prescribed && k < own->r; k++)
        if (bl_motion_at_velocity(form, own->at.rows.kept[k]))
            r[own->ol + k] = fabs(e->b[own->at.rows.kept[k]] * own->at.rows.by[own->at.rows.kept[k]] / s->cvc);
    for (bl_index k = 0; own->stabilized && prescribed && k < own->r; k++)
        r[own->om + k] = fabs(e->b[own->at.rows.kept[k]] * own->at.rows.by[own->at.rows.kept[k]] / s->cvc);
    for (bl_index j = 0; j < own->nv; j++) {
        double q = position(form, j), v = fabs(own->v[j]);
        if (own->stabilized)
            r[own->ow + j] = fabs(x[own->ow + j]) + fabs(x[j]);
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++) {
            bl_index row = G->idx[k], slot = own->at.rows.slot[row];
            if (slot < 0)
                continue;
            double factor = own->at.rows.by[row], g = fabs(own->G_c[k]) * factor;
            r[j] += fabs(own->G_e[k] * own->lambda[row]) / s->ca;
            double of_speed = (g * v + fabs(own->Gv_x[k]) * factor * q) / s->cvc;
            bool at_velocity = own->velocity_rows && bl_motion_at_velocity(form, row);
            if (!at_velocity)
                r[own->ol + slot] += g * q / s->cc;
            else if (!own->stabilized)
                r[own->ol + slot] += of_speed;
            if (own->stabilized) {
                r[own->ow + j] += fabs(own->G_c[k] * own->mu[row]);
                r[own->om + slot] += of_speed;
            }
        }
    }
}

bl_status bl_motion_rounding(bl_formulation *form, const bl_stage *s, const double *x, double *r) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    bl_index nv = own->nv, nz = own->nz;
    memset(r, 0, (size_t)form->nx * sizeof *r);
    if (nv && sys->kind->demand) /* the residual may have taken Q together with M a */
        BL_TRY(bl_system_eval(sys, e, BL_Q));
    for (bl_index i = 0; i < nv && (e->have & BL_Q); i++)
        r[i] = fabs(e->Q[i]);
    for (bl_index i = 0; i < nz && (e->have & BL_F); i++)
        r[nv + i] = fabs(e->f[i]);
    add(&sys->pat_M, own->M, 0, nv, own->a_now, r);
    if (!own->held) {
        add(&sys->pat_C, own->C, 0, nv, own->v, r);
        add(&sys->pat_C, own->C, nv, own->n, own->zd_now, r);
        add(&sys->pat_K, own->K, nv, own->n, own->z, r);
    }
    for (bl_index j = 0; j < (own->held ? 0 : nv); j++) {
        double q = position(form, j);
        for (bl_index k = sys->pat_K.ptr[j]; k < sys->pat_K.ptr[j + 1]; k++)
            r[sys->pat_K.idx[k]] += fabs(own->K[k]) * q;
    }
    for (bl_index i = 0; i < nv; i++)
        r[i] /= s->ca;
    for (bl_index i = nv; i < own->n; i++)
        r[i] *= bl_motion_state_factor(own, s, i - nv);
    if (own->np)
        add_constraints(form, s, x, r);
    for (bl_index i = 0; i < form->nx; i++)
        r[i] *= DBL_EPSILON;
    return BL_OK;
}
