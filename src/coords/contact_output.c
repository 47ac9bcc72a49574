/* Contacts as they are reported: gap, force, sliding, state. Geometry and speeds follow from the poses of the bodies, in whatever
 * coordinates these are; forces from the multipliers of the rows,
 *
 *     N = -lambda of the gap;   sticking: T_k = -lambda of slip k;   sliding along d: T_k = -mu N d_k. */
#include "coords/coords_limits.h"
#include "coords/mechanism.h"
#include "joint/touch.h"

#include <math.h>
#include <string.h>

/* gap, where the surfaces are nearest, speeds of sliding; directions: normal, tangents */
static void show_surfaces(const bl_eval *e, const bl_joint_def *joint, bl_contact_sample *out, bl_touch_place *place) {
    bl_prim_motion at = {0};
    bl_prim_reading reading;
    bl_pose_read(e, &joint->prim[0], 0, &at, &reading);
    bl_touch_at(&joint->prim[0], &at, place);
    out->gap = place->gap;
    for (int k = 0; k < 3; k++)
        out->point[k] = at.mark[1].r[k] + place->from_b[k];
    for (bl_index k = 1; k < joint->nprim; k++) {
        bl_pose_read(e, &joint->prim[k], 0, &at, &reading);
        out->sliding[k - 1] = reading.rate;
    }
}

static void show_stop(const bl_eval *e, const bl_prim *prim, bl_contact_sample *out) {
    out->gap = prim->coef[0] * e->variable[prim->var[0]] - prim->value;
}

/* friction inside a joint that may stick: speeds by its variables */
static void show_rub(const bl_eval *e, const bl_joint_def *joint, bl_contact_sample *out) {
    for (bl_index k = 0; k < joint->nprim && k < 2; k++)
        out->sliding[k] = joint->prim[k].coef[0] * e->variable_rate[joint->prim[k].var[0]];
}

/* direction of sliding: in space that of the speed, as in contact_rows.c */
static void find_side(const bl_mechanism *m, const bl_contact *contact, const bl_contact_state *now, const double sliding[2],
                      double side[2]) {
    double along[2], size, small = coords_sliding_begins * m->length;
    memcpy(side, now->side, 2 * sizeof *side);
    for (int k = 0; k < 2; k++)
        along[k] = sliding[k] + small * now->side[k];
    size = hypot(along[0], along[1]);
    for (int k = 0; k < 2 && contact->nslip == 2 && size > 0; k++)
        side[k] = along[k] / size;
}

/* The normal force of friction in a joint is its normal load, which is known where forces are. */
static double normal_force(const bl_contact *contact, const bl_eval *e, const double *lambda) {
    if (!lambda)
        return NAN;
    return contact->normal >= 0 ? -lambda[contact->normal] : e->load ? e->load[contact->load] : NAN;
}

static void show_force(const bl_mechanism *m, const bl_contact *contact, const bl_contact_state *now, const bl_eval *e, const double *lambda,
                       bl_contact_sample *out) {
    double side[2];
    if (now->mode == BL_CONTACT_OPEN)
        return;
    out->force[0] = normal_force(contact, e, lambda);
    find_side(m, contact, now, out->sliding, side);
    for (int k = 0; k < contact->nslip; k++)
        out->force[1 + k] = now->mode == BL_CONTACT_SLIDE ? -contact->friction * out->force[0] * side[k]
                            : lambda                      ? -lambda[contact->slip[k]]
                                                          : NAN;
}

static void show(const bl_mechanism *m, bl_index c, const bl_contact *contact, const bl_contact_state *now, const bl_eval *e,
                 const double *lambda, bl_contact_sample *out) {
    const bl_joint_def *joint = &m->model->joint[m->model->njoint + c];
    bl_touch_place place = {0};
    *out = (bl_contact_sample){.state = now->mode};
    if (m->model->contact[c].touch)
        show_surfaces(e, joint, out, &place);
    else if (contact->normal >= 0)
        show_stop(e, &joint->prim[0], out);
    else
        show_rub(e, joint, out);
    show_force(m, contact, now, e, lambda, out);
    for (int k = 0; k < 3 && m->model->contact[c].touch; k++)
        out->total[k] = out->force[0] * place.n[k] + out->force[1] * place.t[0][k] + out->force[2] * place.t[1][k];
}

void bl_contacts_show(const bl_mechanism *m, const bl_contact *contact, const bl_eval *e, const double *lambda, bl_contact_sample *out) {
    static const bl_contact_state open;
    const bl_contact_state *states = e->history ? (const bl_contact_state *)(const void *)(e->history + m->contact_at) : NULL;
    for (bl_index c = 0; c < m->model->ncontact; c++)
        if (!contact[c].percussion)
            show(m, c, &contact[c], states ? &states[c] : &open, e, lambda, out++);
}
