/* A crest of a height profile of A, the curve y = f(x) in axes A_1, A_2 at the point a, and a flat face of B, the side of a box or a
 * capsule, with its middle b, outward normal B_1 and half length h. The point c of the crest that is farthest along the normal n = -B_1
 * comes from a search (curve.h) with its expansion about the present direction m_0 of n in the axes of A, m = (n . A_1, n . A_2):
 *
 *     S = max c . m = S_0 + c_0 . (m - m_0) + (m - m_0)^T H (m - m_0) / 2,     c = c_0 + H (m - m_0)
 *     gap = n . d - S,     p_b = c - d,     reach = min ((h^2 - (t . p_b)^2) / h, h e)
 *
 * e > 0 while c is within the crest, the angle between n and the normal at the nearer end of it. */
#include "joint/touch.h"

enum { HALF };

static void draw(bl_touch_drawing *w) {
    bl_tape *t = w->tape;
    const bl_index *local = w->number + BL_TOUCH_LOCAL;
    bl_index delta[2], bent[2], point[2], support = local[0], h = w->number[HALF];
    w->n = bl_touch_times(w, bl_tape_const(t, -1), &w->B[0]);
    w->t[0] = bl_touch_turned(w, &w->n, -1);
    for (int i = 0; i < 2; i++)
        delta[i] = bl_tape_op2(t, BL_TAPE_SUB, bl_touch_dot(w, &w->n, &w->A[i]), local[6 + i]);
    for (int i = 0; i < 2; i++) {
        bl_index x = bl_tape_op2(t, BL_TAPE_MUL, local[3 + i], delta[0]), y = bl_tape_op2(t, BL_TAPE_MUL, local[4 + i], delta[1]);
        bent[i] = bl_tape_op2(t, BL_TAPE_ADD, x, y);
        point[i] = bl_tape_op2(t, BL_TAPE_ADD, local[1 + i], bent[i]);
    }
    for (int i = 0; i < 2; i++) {
        bl_index half = bl_tape_op2(t, BL_TAPE_MUL, bl_tape_const(t, 0.5), bent[i]);
        bl_index slope = bl_tape_op2(t, BL_TAPE_ADD, local[1 + i], half);
        support = bl_tape_op2(t, BL_TAPE_ADD, support, bl_tape_op2(t, BL_TAPE_MUL, slope, delta[i]));
    }
    w->gap = bl_tape_op2(t, BL_TAPE_SUB, bl_touch_dot(w, &w->n, &w->d), support);
    w->p_b = bl_touch_times(w, bl_tape_const(t, -1), &w->d);
    for (int i = 0; i < 2; i++)
        w->p_b = bl_touch_plus(w, &w->p_b, point[i], &w->A[i]);
    bl_index s = bl_touch_dot(w, &w->t[0], &w->p_b);
    bl_index side = bl_tape_op2(t, BL_TAPE_SUB, h, bl_tape_op2(t, BL_TAPE_DIV, bl_tape_op2(t, BL_TAPE_MUL, s, s), h));
    w->reach = bl_touch_least(w, side, bl_tape_op2(t, BL_TAPE_MUL, h, local[8]));
}

static void locate(const bl_prim *prim, const double *vector, double *local) {
    const double *u = vector + 2, *b = vector + 4;
    bl_curve_value at;
    double m[2] = {-b[0] * u[0] - b[1] * u[1], b[0] * u[1] - b[1] * u[0]}, within;
    bl_curve_crest(&prim->curve, m, &at, &within);
    const double all[] = {at.value, at.slope[0], at.slope[1], at.bend[0], at.bend[1], at.bend[2], m[0], m[1], within};
    for (int i = 0; i < 9; i++)
        local[i] = all[i];
}

const bl_touch_kind bl_touch_curve_face = {"curve_face", "a flat face on a crest of a height profile", draw, locate};
