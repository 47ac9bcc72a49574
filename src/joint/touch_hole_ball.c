/* A ball of B in a spherical hole of A (in the plane a circle in a circular one: a pin with clearance), radii R > r, centers a and b.
 *
 *     gap = R - r - |d|,     n = -d / |d|,     p_b = -r n */
#include "joint/touch.h"

enum { HOLE, RADIUS };

static void draw(bl_touch_drawing *w) {
    bl_tape *t = w->tape;
    bl_index length = bl_touch_normal_along(w, &w->d, -1);
    w->gap = bl_tape_op2(t, BL_TAPE_SUB, bl_tape_op2(t, BL_TAPE_SUB, w->number[HOLE], w->number[RADIUS]), length);
    w->p_b = bl_touch_times(w, bl_tape_op1(t, BL_TAPE_NEG, w->number[RADIUS]), &w->n);
}

const bl_touch_kind bl_touch_hole_ball = {"hole_ball", "a ball or a circle in a round hole", draw, NULL};
