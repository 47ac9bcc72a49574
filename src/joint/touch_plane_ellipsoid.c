/* A plane of A and an ellipsoid of B (in the plane an ellipse) with semi-axes a_j along B_j. a: on the plane, A_1: its normal; b: center.
 * The support function h is the distance of the center from the tangent plane with the normal n:
 *
 *     h^2 = sum_j a_j^2 (n . B_j)^2,     gap = n . d - h,     p_b = -sum_j a_j^2 (n . B_j) B_j / h */
#include "joint/touch.h"

static void draw(bl_touch_drawing *w) {
    bl_tape *t = w->tape;
    bl_index height = bl_touch_on_plane(w), sum = bl_tape_const(t, 0);
    bl_touch_vector far = {{sum, sum, sum}};
    for (int j = 0; j < w->dim; j++) {
        bl_index along = bl_touch_dot(w, &w->n, &w->B[j]);
        bl_index by = bl_tape_op2(t, BL_TAPE_MUL, bl_tape_op2(t, BL_TAPE_MUL, w->number[j], w->number[j]), along);
        sum = bl_tape_op2(t, BL_TAPE_ADD, sum, bl_tape_op2(t, BL_TAPE_MUL, by, along));
        far = bl_touch_plus(w, &far, by, &w->B[j]);
    }
    bl_index h = bl_tape_op1(t, BL_TAPE_SQRT, sum);
    w->gap = bl_tape_op2(t, BL_TAPE_SUB, height, h);
    w->p_b = bl_touch_times(w, bl_tape_op2(t, BL_TAPE_DIV, bl_tape_const(t, -1), h), &far);
}

const bl_touch_kind bl_touch_plane_ellipsoid = {"plane_ellipsoid", "an ellipsoid or an ellipse on a plane", draw, NULL};
