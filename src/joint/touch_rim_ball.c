/* The rim between the side and an end of a cylinder of A and a ball of B, radii R and r: the distance of a point from a circle. a: center
 * of the end, A_1: axis, outward; b: center. With m the part of d across the axis,
 *
 *     m = d - (d . A_1) A_1,   v = d - R m / |m|,   gap = |v| - r,   n = v / |v|,   p_b = -r n,   reach = min (d . A_1), (|m| - R) */
#include "joint/touch.h"

enum { RIM, RADIUS };

static void draw(bl_touch_drawing *w) {
    bl_tape *t = w->tape;
    bl_index r = w->number[RADIUS], R = w->number[RIM], one = bl_tape_const(t, 1);
    bl_index height = bl_touch_dot(w, &w->d, &w->A[0]);
    bl_touch_vector m = bl_touch_plus(w, &w->d, bl_tape_op1(t, BL_TAPE_NEG, height), &w->A[0]);
    bl_index size = bl_touch_length(w, &m, R);
    bl_touch_vector v = bl_touch_plus(w, &w->d, bl_tape_op1(t, BL_TAPE_NEG, bl_tape_op2(t, BL_TAPE_DIV, R, size)), &m);
    bl_index length = bl_touch_length(w, &v, r);
    w->n = bl_touch_times(w, bl_tape_op2(t, BL_TAPE_DIV, one, length), &v);
    bl_touch_vector round = bl_touch_cross(w, &w->A[0], &m);
    w->t[0] = bl_touch_times(w, bl_tape_op2(t, BL_TAPE_DIV, one, size), &round);
    w->t[1] = bl_touch_cross(w, &w->n, &w->t[0]);
    w->gap = bl_tape_op2(t, BL_TAPE_SUB, length, r);
    w->p_b = bl_touch_times(w, bl_tape_op1(t, BL_TAPE_NEG, r), &w->n);
    w->reach = bl_touch_least(w, height, bl_tape_op2(t, BL_TAPE_SUB, size, R));
}

const bl_touch_kind bl_touch_rim_ball = {"rim_ball", "the rim of a cylinder and a ball", draw, NULL};
