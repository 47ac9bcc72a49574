/* Two balls (in the plane circles), radii r_A, r_B >= 0, at the points a and b.
 *
 *     gap = |d| - r_A - r_B,     n = d / |d|,     p_b = -r_B n */
#include "joint/touch.h"

enum { RADIUS_A, RADIUS_B };

static void draw(bl_touch_drawing *w) {
    bl_tape *t = w->tape;
    bl_index length = bl_touch_normal_along(w, &w->d, 1);
    bl_index reach = bl_tape_op2(t, BL_TAPE_ADD, w->number[RADIUS_A], w->number[RADIUS_B]);
    w->gap = bl_tape_op2(t, BL_TAPE_SUB, length, reach);
    w->p_b = bl_touch_times(w, bl_tape_op1(t, BL_TAPE_NEG, w->number[RADIUS_B]), &w->n);
}

const bl_touch_kind bl_touch_ball_ball = {"ball_ball", "two balls or circles", draw, NULL};
