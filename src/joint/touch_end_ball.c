/* The flat round end of a cylinder of A and a ball of B: radii R, r >= 0. a: center of the end, A_1: its normal, outward; b: center.
 *
 *     gap = n . d - r,     p_b = -r n,     reach = (R^2 - |d|^2 + (n . d)^2) / R */
#include "joint/touch.h"

enum { END, RADIUS };

static void draw(bl_touch_drawing *w) {
    bl_tape *t = w->tape;
    bl_index r = w->number[RADIUS], R = w->number[END], height = bl_touch_on_plane(w);
    bl_touch_vector m = bl_touch_plus(w, &w->d, bl_tape_op1(t, BL_TAPE_NEG, height), &w->n);
    w->gap = bl_tape_op2(t, BL_TAPE_SUB, height, r);
    w->p_b = bl_touch_times(w, bl_tape_op1(t, BL_TAPE_NEG, r), &w->n);
    w->reach = bl_tape_op2(t, BL_TAPE_SUB, R, bl_tape_op2(t, BL_TAPE_DIV, bl_touch_dot(w, &m, &m), R));
}

const bl_touch_kind bl_touch_end_ball = {"end_ball", "the flat end of a cylinder and a ball", draw, NULL};
