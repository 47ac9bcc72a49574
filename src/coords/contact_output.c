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

static double sum(const bl_prim *prim, const double *variable) {
    double value = 0;
    for (int k = 0; k < 3; k++)
        if (prim->var[k] >= 0)
            value += prim->coef[k] * variable[prim->var[k]];
    return value;
}

/* a stop, or another contact of variables */
static void show_stop(const bl_eval *e, const bl_joint_def *joint, bl_contact_sample *out) {
    out->gap = sum(&joint->prim[0], e->variable) - joint->prim[0].value;
    for (bl_index k = 1; k < joint->nprim; k++)
        out->sliding[k - 1] = sum(&joint->prim[k], e->variable_rate);
}

/* friction inside a joint: speeds of its surfaces */
static void show_rub(const bl_eval *e, const bl_joint_def *joint, bl_contact_sample *out) {
    for (bl_index k = 0; k < joint->nprim; k++)
        out->sliding[k] = sum(&joint->prim[k], e->variable_rate);
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

static void show_force(const bl_mechanism *m, const bl_contact *contact, const bl_contact_state *now, const double *lambda,
                       const double *load, bl_contact_sample *out) {
    double side[2];
    if (now->mode == BL_CONTACT_OPEN || contact->percussion)
        return;
    if (contact->normal >= 0)
        out->force[0] = lambda ? -lambda[contact->normal] : NAN;
    else
        out->force[0] = load && contact->load >= 0 ? load[contact->load] : NAN;
    find_side(m, contact, now, out->sliding, side);
    for (int k = 0; k < contact->nslip; k++)
        out->force[1 + k] = now->mode == BL_CONTACT_SLIDE ? -contact->friction * out->force[0] * side[k]
                            : lambda                      ? -lambda[contact->slip[k]]
                                                          : NAN;
}

void bl_contacts_show(const bl_mechanism *m, const bl_contact *contact, const bl_eval *e, const double *lambda, bl_contact_sample *out) {
    static const bl_contact_state open;
    const bl_model *model = m->model;
    const bl_contact_state *states = e->history ? (const bl_contact_state *)(const void *)(e->history + m->contact_at) : NULL;
    for (bl_index c = 0; c < model->ncontact; c++) {
        const bl_joint_def *joint = &model->joint[model->njoint + c];
        const bl_contact_state *now = states ? &states[c] : &open;
        bl_touch_place place = {0};
        out[c] = (bl_contact_sample){.state = now->mode};
        if (contact[c].percussion)
            continue;
        if (model->contact[c].touch)
            show_surfaces(e, joint, &out[c], &place);
        else if (contact[c].normal < 0)
            show_rub(e, joint, &out[c]);
        else
            show_stop(e, joint, &out[c]);
        show_force(m, &contact[c], now, lambda, e->load, &out[c]);
        for (int k = 0; k < 3; k++)
            out[c].total[k] = out[c].force[0] * place.n[k] + out[c].force[1] * place.t[0][k] + out[c].force[2] * place.t[1][k];
    }
}
