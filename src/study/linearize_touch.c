/* Coordinates and speeds of what rolls, for charts about a motion (linearize.h): quantities of the contact, on which equations depend
 * where those of global axes rotate. With n the normal of the plane, w the axis of a disc, u = n x w / c the direction of its track and
 * omega the angular velocity relative to the plane,
 *
 *     heading' = n . (w x w') / c^2,   lean' = n . w' / c,   spin' = omega . w - (n . w) heading',   w' = omega x w,   c = |n x w| */
#include "base/vector3.h"
#include "coords/coords.h"
#include "joint/joint.h"
#include "joint/touch.h"
#include "study/linearize.h"

static const bl_prim *touch_of(const bl_model *model, bl_index joint) { return bl_joint_prim(&model->joint[joint], BL_SLIP); }

int bl_linearize_touch_parts(const bl_model *model, bl_index joint, int *first) {
    const bl_prim *prim = touch_of(model, joint);
    bool disc = prim && prim->touch == &bl_touch_plane_disc, blade = prim && prim->touch == &bl_touch_plane_blade;
    *first = disc ? BL_TOUCH_HEADING : BL_TOUCH_SPEED;
    return disc ? 3 : blade ? 1 : 0;
}

const char *bl_linearize_touch_word(int part) {
    static const char *const word[] = {"heading", "lean", "spin", "speed"};
    return word[part];
}

typedef struct contact {
    double n[3], w[3], c;        /* c: |n x w| */
    double turning[3], omega[3]; /* angular velocity of the first body, and of the second relative to it */
} contact;

static void look(const bl_system *sys, const bl_prim *prim, const bl_eval *e, contact *k) {
    double across[3], rate[3];
    bl_coords_mark(sys, e, &prim->mark[2], k->n, rate);
    bl_coords_mark(sys, e, &prim->mark[2 + prim->axes], k->w, rate);
    cross3(k->n, k->w, across);
    k->c = norm3(across);
    for (int i = 0; i < 3; i++) {
        k->turning[i] = e->pose[prim->a.body].angular_velocity[i];
        k->omega[i] = e->pose[prim->b.body].angular_velocity[i] - k->turning[i];
    }
}

/* relative to the first body, of the point of a blade along it, in the plane */
static double speed_along(const bl_system *sys, const bl_prim *prim, const bl_eval *e, const contact *k) {
    double a[3], a_rate[3], b[3], b_rate[3], arm[3], carried[3], sum = 0;
    bool space = prim->axes == 3;
    bl_coords_mark(sys, e, &prim->a, a, a_rate);
    bl_coords_mark(sys, e, &prim->b, b, b_rate);
    for (int i = 0; i < 3; i++)
        arm[i] = b[i] - a[i];
    cross3(k->turning, arm, carried);
    double height = space ? dot3(k->n, k->w) : 0, length = space ? k->c : 1;
    for (int i = 0; i < 3; i++)
        sum += (k->w[i] - height * k->n[i]) / length * (b_rate[i] - a_rate[i] - carried[i]);
    return sum;
}

double bl_linearize_touch_rate(const bl_linearize *l, const bl_chart_item *item, const bl_eval *e) {
    const bl_prim *prim = touch_of(l->model, item->ref);
    contact k;
    double turning[3], around[3];
    look(l->sys, prim, e, &k);
    if (item->part == BL_TOUCH_SPEED)
        return speed_along(l->sys, prim, e, &k);
    cross3(k.omega, k.w, turning);
    cross3(k.w, turning, around);
    double heading = dot3(k.n, around) / (k.c * k.c);
    return item->part == BL_TOUCH_HEADING ? heading
           : item->part == BL_TOUCH_LEAN  ? dot3(k.n, turning) / k.c
                                          : dot3(k.omega, k.w) - dot3(k.n, k.w) * heading;
}

double bl_linearize_touch_value(const bl_linearize *l, const bl_chart_item *item, const bl_eval *e) {
    const bl_prim *prim = touch_of(l->model, item->ref);
    contact k;
    double track[3], from[3], aside[3], unused[3];
    if (item->part == BL_TOUCH_SPEED)
        return 0;
    look(l->sys, prim, e, &k);
    if (item->part == BL_TOUCH_LEAN)
        return atan2(dot3(k.n, k.w), k.c);
    cross3(k.n, k.w, track);
    bool spin = item->part == BL_TOUCH_SPIN;
    /* from the track to a direction of the disc, or from one of the plane to the track */
    bl_coords_mark(l->sys, e, &prim->mark[spin ? 3 + prim->axes : 3], from, unused);
    cross3(spin ? track : from, spin ? from : track, aside);
    return atan2(dot3(spin ? k.w : k.n, aside), dot3(track, from));
}
