/* A height profile of A, the curve y = f(x) in axes A_1, A_2 at the point a, and a ball of B, radius r >= 0, center b. The nearest point of
 * the curve, distance D, normal n and curvature k come from a search (curve.h), which leaves their expansion about the present position p_0
 * of the center, p = (d . A_1, d . A_2), to the order that derivatives need:
 *
 *     D = D_0 + g . (p - p_0) + (p - p_0)^T H (p - p_0) / 2,     n = g + H (p - p_0),     gap = D - r,     p_b = -r n
 *
 * A corner lies against the curve only while n is within the cone of its inward axis: reach = h (n . B_1 + c). */
#include "joint/touch.h"

enum { RADIUS, CONE, LENGTH };

/* p - p_0 and n; returns the gap */
static bl_index expand(bl_touch_drawing *w) {
    bl_tape *t = w->tape;
    const bl_index *local = w->number + BL_TOUCH_LOCAL;
    bl_index delta[2], bent[2], along[2], height = local[0];
    for (int i = 0; i < 2; i++)
        delta[i] = bl_tape_op2(t, BL_TAPE_SUB, bl_touch_dot(w, &w->d, &w->A[i]), local[6 + i]);
    for (int i = 0; i < 2; i++) {
        bl_index x = bl_tape_op2(t, BL_TAPE_MUL, local[3 + i], delta[0]), y = bl_tape_op2(t, BL_TAPE_MUL, local[4 + i], delta[1]);
        bent[i] = bl_tape_op2(t, BL_TAPE_ADD, x, y);
        along[i] = bl_tape_op2(t, BL_TAPE_ADD, local[1 + i], bent[i]);
    }
    for (int i = 0; i < 2; i++) {
        bl_index half = bl_tape_op2(t, BL_TAPE_MUL, bl_tape_const(t, 0.5), bent[i]);
        bl_index slope = bl_tape_op2(t, BL_TAPE_ADD, local[1 + i], half);
        height = bl_tape_op2(t, BL_TAPE_ADD, height, bl_tape_op2(t, BL_TAPE_MUL, slope, delta[i]));
    }
    w->n = bl_touch_times(w, along[0], &w->A[0]);
    w->n = bl_touch_plus(w, &w->n, along[1], &w->A[1]);
    w->t[0] = bl_touch_turned(w, &w->n, -1);
    w->p_b = bl_touch_times(w, bl_tape_op1(t, BL_TAPE_NEG, w->number[RADIUS]), &w->n);
    return bl_tape_op2(t, BL_TAPE_SUB, height, w->number[RADIUS]);
}

static void draw(bl_touch_drawing *w) { w->gap = expand(w); }

static void draw_corner(bl_touch_drawing *w) {
    w->gap = expand(w);
    bl_index cone = bl_touch_cone(w, &w->n, bl_tape_const(w->tape, 1), w->B, CONE, 1);
    w->reach = bl_tape_op2(w->tape, BL_TAPE_MUL, w->number[LENGTH], cone);
}

static void locate(const bl_prim *prim, const double *vector, double *local) {
    const double *d = vector, *u = vector + 2;
    bl_curve_value at;
    double p[2] = {d[0] * u[0] + d[1] * u[1], d[1] * u[0] - d[0] * u[1]};
    bl_curve_distance(&prim->curve, p, &at);
    const double all[] = {at.value, at.slope[0], at.slope[1], at.bend[0], at.bend[1], at.bend[2], p[0], p[1]};
    for (int i = 0; i < 8; i++)
        local[i] = all[i];
}

const bl_touch_kind bl_touch_curve_ball = {"curve_ball", "a ball or a circle on a height profile", draw, locate};
const bl_touch_kind bl_touch_curve_corner = {"curve_corner", "a corner of a body on a height profile", draw_corner, locate};
