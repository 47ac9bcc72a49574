/* A plane of A and a ball of B (in the plane a line and a circle), radius r >= 0: a point. a: on the plane, A_1: its normal, to the side of
 * the ball; b: center.
 *
 *     gap = n . d - r,     p_b = -r n */
#include "joint/touch.h"

enum { RADIUS };

static void draw(bl_touch_drawing *w) {
    bl_index r = w->number[RADIUS], minus = bl_tape_op1(w->tape, BL_TAPE_NEG, r);
    w->gap = bl_tape_op2(w->tape, BL_TAPE_SUB, bl_touch_on_plane(w), r);
    w->p_b = bl_touch_times(w, minus, &w->n);
}

const bl_touch_kind bl_touch_plane_ball = {"plane_ball", "a ball or a circle on a plane", draw, NULL};
