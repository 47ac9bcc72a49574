/* A rounded straight edge of A, as the side of a capsule, and a ball of B: radii r_A, r_B >= 0. a: middle of the edge, A_1: along it,
 * h: half of its length; b: center. A_2, A_3: outward, perpendicular to the edge, each along one of its faces; c_j = 2: there is none.
 *
 *     v = d - (d . A_1) A_1,   gap = |v| - r_A - r_B,   n = v / |v|,   p_b = -r_B n,
 *     reach = min (h^2 - (d . A_1)^2) / h, (v . A_j + c_j |v|) */
#include "joint/touch.h"

enum { RADIUS_A, RADIUS_B, HALF, CONE };

static void draw(bl_touch_drawing *w) {
    bl_tape *t = w->tape;
    bl_index sum = bl_tape_op2(t, BL_TAPE_ADD, w->number[RADIUS_A], w->number[RADIUS_B]), h = w->number[HALF];
    bl_index s = bl_touch_dot(w, &w->d, &w->A[0]);
    bl_touch_vector v = bl_touch_plus(w, &w->d, bl_tape_op1(t, BL_TAPE_NEG, s), &w->A[0]);
    bl_index length = bl_touch_length(w, &v, sum);
    w->n = bl_touch_times(w, bl_tape_op2(t, BL_TAPE_DIV, bl_tape_const(t, 1), length), &v);
    w->t[0] = w->dim == 3 ? w->A[0] : bl_touch_turned(w, &w->n, -1);
    if (w->dim == 3)
        w->t[1] = bl_touch_cross(w, &w->n, &w->t[0]);
    w->gap = bl_tape_op2(t, BL_TAPE_SUB, length, sum);
    w->p_b = bl_touch_times(w, bl_tape_op1(t, BL_TAPE_NEG, w->number[RADIUS_B]), &w->n);
    w->reach = bl_tape_op2(t, BL_TAPE_SUB, h, bl_tape_op2(t, BL_TAPE_DIV, bl_tape_op2(t, BL_TAPE_MUL, s, s), h));
    if (w->dim == 3)
        w->reach = bl_touch_least(w, w->reach, bl_touch_cone(w, &v, length, w->A + 1, CONE, 2));
}

const bl_touch_kind bl_touch_edge_ball = {"edge_ball", "a straight edge or the side of a capsule and a ball", draw, NULL};
