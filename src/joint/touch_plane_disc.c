/* A plane of A and a disc of B with a round rim (a torus): r radius of the circle in the middle of the rim, s that of its section, 0 for a
 * thin disc. a: on the plane, A_1: its normal; b: center, B_1: axis of the disc. With m the part of n across the axis,
 *
 *     m = n - (n . B_1) B_1,     gap = n . d - r |m| - s,     p_b = -r m / |m| - s n */
#include "joint/touch.h"

enum { RADIUS, SECTION };

static void draw(bl_touch_drawing *w) {
    bl_tape *t = w->tape;
    bl_index height = bl_touch_on_plane(w), r = w->number[RADIUS], s = w->number[SECTION];
    bl_index along = bl_tape_op1(t, BL_TAPE_NEG, bl_touch_dot(w, &w->n, &w->B[0]));
    bl_touch_vector m = bl_touch_plus(w, &w->n, along, &w->B[0]);
    bl_index size = bl_tape_op1(t, BL_TAPE_SQRT, bl_touch_dot(w, &m, &m));
    w->gap = bl_tape_op2(t, BL_TAPE_SUB, bl_tape_op2(t, BL_TAPE_SUB, height, bl_tape_op2(t, BL_TAPE_MUL, r, size)), s);
    bl_touch_vector down = bl_touch_times(w, bl_tape_op1(t, BL_TAPE_NEG, bl_tape_op2(t, BL_TAPE_DIV, r, size)), &m);
    w->p_b = bl_touch_plus(w, &down, bl_tape_op1(t, BL_TAPE_NEG, s), &w->n);
}

const bl_touch_kind bl_touch_plane_disc = {"plane_disc", "the rim of a disc on a plane", draw, NULL};
