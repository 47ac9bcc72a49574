/* A rounded corner of A and a ball or a rounded corner of B, radii r_A, r_B >= 0, at the points a and b: two balls where the normal is
 * between the normals of the faces about each corner, which is a cone about the outward axes A_j and the inward axes B_j.
 *
 *     gap = |d| - r_A - r_B,     n = d / |d|,     p_b = -r_B n,     reach = min (d . A_j + c_j |d|), (d . B_j + e_j |d|) */
#include "joint/touch.h"

enum { RADIUS_A, RADIUS_B, CONE_A, CONE_B = CONE_A + 3 };

static void draw(bl_touch_drawing *w) {
    bl_tape *t = w->tape;
    int axes = w->dim == 3 ? 3 : 1;
    bl_index length = bl_touch_normal_along(w, &w->d, 1);
    w->gap = bl_tape_op2(t, BL_TAPE_SUB, length, bl_tape_op2(t, BL_TAPE_ADD, w->number[RADIUS_A], w->number[RADIUS_B]));
    w->p_b = bl_touch_times(w, bl_tape_op1(t, BL_TAPE_NEG, w->number[RADIUS_B]), &w->n);
    bl_index of_a = bl_touch_cone(w, &w->d, length, w->A, CONE_A, axes);
    w->reach = bl_touch_least(w, of_a, bl_touch_cone(w, &w->d, length, w->B, CONE_B, axes));
}

const bl_touch_kind bl_touch_corner_ball = {"corner_ball", "a corner or an end and a ball or a circle", draw, NULL};
