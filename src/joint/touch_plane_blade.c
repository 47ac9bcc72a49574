/* A plane of A and a blade of B: a point b that slips along B_1 only. The first tangent is across the blade. In space a is on the plane,
 * A_1 its normal; in the plane there is no gap.
 *
 *     space: gap = n . d, t_1 = n x B_1 / |n x B_1|        plane: t_1 = B_1 turned by 90 degrees */
#include "joint/touch.h"

static void draw(bl_touch_drawing *w) {
    bl_tape *t = w->tape;
    bl_index none = bl_tape_const(t, 0);
    w->p_b = (bl_touch_vector){{none, none, none}};
    if (w->dim == 2) {
        w->gap = none;
        w->n = w->B[0];
        w->t[0] = w->B[1];
        return;
    }
    w->gap = bl_touch_on_plane(w);
    bl_touch_vector across = bl_touch_cross(w, &w->n, &w->B[0]);
    bl_index size = bl_tape_op1(t, BL_TAPE_SQRT, bl_touch_dot(w, &across, &across));
    w->t[0] = bl_touch_times(w, bl_tape_op2(t, BL_TAPE_DIV, bl_tape_const(t, 1), size), &across);
    w->t[1] = bl_touch_cross(w, &w->n, &w->t[0]);
}

const bl_touch_kind bl_touch_plane_blade = {"plane_blade", "a blade on a plane", draw, NULL};
