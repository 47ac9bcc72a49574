/* A flat face of A that ends, and a ball of B (in the plane a circle), radius r >= 0. a: middle of the face, A_1: its normal, to the side
 * of the ball; h_k: half of its length along the tangents t_k; b: center. A ball that is the corner of a body lies against the face only
 * while n is within the cone of its inward axes B_j.
 *
 *     gap = n . d - r,     p_b = -r n,     reach = min (h_k^2 - (t_k . d)^2) / h_k,  h_1 min_j (n . B_j + c_j) */
#include "joint/touch.h"

enum { RADIUS, HALF, CONE = HALF + 2 };

/* the other parts of the surface are where this is negative */
static bl_index inside(bl_touch_drawing *w, int k) {
    bl_tape *t = w->tape;
    bl_index s = bl_touch_dot(w, &w->t[k], &w->d), h = w->number[HALF + k];
    return bl_tape_op2(t, BL_TAPE_SUB, h, bl_tape_op2(t, BL_TAPE_DIV, bl_tape_op2(t, BL_TAPE_MUL, s, s), h));
}

static void draw(bl_touch_drawing *w) {
    bl_tape *t = w->tape;
    bl_index r = w->number[RADIUS], height = bl_touch_on_plane(w);
    w->gap = bl_tape_op2(t, BL_TAPE_SUB, height, r);
    w->p_b = bl_touch_times(w, bl_tape_op1(t, BL_TAPE_NEG, r), &w->n);
    for (int k = 0; k < w->dim - 1; k++)
        w->reach = bl_touch_least(w, w->reach, inside(w, k));
    bl_index cone = bl_touch_cone(w, &w->n, bl_tape_const(t, 1), w->B, CONE, w->dim == 3 ? 3 : 1);
    w->reach = bl_touch_least(w, w->reach, bl_tape_op2(t, BL_TAPE_MUL, w->number[HALF], cone));
}

const bl_touch_kind bl_touch_face_ball = {"face_ball", "a ball, a circle or a corner on a face that ends", draw, NULL};
