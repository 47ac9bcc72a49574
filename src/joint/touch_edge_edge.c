/* Two rounded straight edges, as the sides of capsules, radii r_A, r_B: the shortest connection of two lines. a, b: their middles, A_1,
 * B_1: along them, h_A, h_B halves of their lengths. With c = A_1 . B_1, and s_A, s_B from the middles to the nearest points,
 *
 *     s_A = (d . A_1 - c d . B_1) / (1 - c^2),   s_B = (c d . A_1 - d . B_1) / (1 - c^2),   v = d + s_B B_1 - s_A A_1,
 *     gap = |v| - r_A - r_B,   n = v / |v|,   p_b = s_B B_1 - r_B n
 *
 * Edges that are nearly parallel touch with their ends, and are out of reach here. A_2, A_3, if they bound the edge, as in edge_ball.
 *
 * Sharp edges of two boxes, between faces with the outward normals A_2, A_3 and B_2, B_3, touch inside each other's angles. The normal is
 * the common perpendicular that points out of A, so that the gap has a sign:
 *
 *     n = +- A_1 x B_1 / |A_1 x B_1|,  n . (A_2 + A_3) > 0,     gap = n . d,     p_b = s_B B_1,
 *     reach = min of h_A n . A_2, h_A n . A_3, -h_B n . B_2, -h_B n . B_3, and within the lengths as above */
#include "joint/joint_limits.h"
#include "joint/touch.h"

enum { RADIUS_A, RADIUS_B, HALF_A, HALF_B, CONE };
enum { SHARP_HALF_A, SHARP_HALF_B };

/* half length of an edge within which its nearest point lies */
static bl_index inside(bl_touch_drawing *w, bl_index s, bl_index h) {
    bl_tape *t = w->tape;
    return bl_tape_op2(t, BL_TAPE_SUB, h, bl_tape_op2(t, BL_TAPE_DIV, bl_tape_op2(t, BL_TAPE_MUL, s, s), h));
}

/* nearest points of the lines; returns 1 - c^2 */
static bl_index nearest(bl_touch_drawing *w, bl_index *s_a, bl_index *s_b) {
    bl_tape *t = w->tape;
    bl_index c = bl_touch_dot(w, &w->A[0], &w->B[0]), da = bl_touch_dot(w, &w->d, &w->A[0]), db = bl_touch_dot(w, &w->d, &w->B[0]);
    bl_touch_vector normal = bl_touch_cross(w, &w->A[0], &w->B[0]);
    bl_index sine = bl_touch_dot(w, &normal, &normal);
    bl_index by = bl_tape_op2(t, BL_TAPE_ADD, sine, bl_tape_const(t, joint_touch_least * joint_touch_least));
    bl_index a = bl_tape_op2(t, BL_TAPE_SUB, da, bl_tape_op2(t, BL_TAPE_MUL, c, db));
    bl_index b = bl_tape_op2(t, BL_TAPE_SUB, bl_tape_op2(t, BL_TAPE_MUL, c, da), db);
    *s_a = bl_tape_op2(t, BL_TAPE_DIV, a, by);
    *s_b = bl_tape_op2(t, BL_TAPE_DIV, b, by);
    return sine;
}

static void draw(bl_touch_drawing *w) {
    bl_tape *t = w->tape;
    bl_index sum = bl_tape_op2(t, BL_TAPE_ADD, w->number[RADIUS_A], w->number[RADIUS_B]), s_a, s_b;
    bl_index sine = nearest(w, &s_a, &s_b);
    bl_touch_vector v = bl_touch_plus(w, &w->d, s_b, &w->B[0]);
    v = bl_touch_plus(w, &v, bl_tape_op1(t, BL_TAPE_NEG, s_a), &w->A[0]);
    bl_index length = bl_touch_length(w, &v, sum);
    w->n = bl_touch_times(w, bl_tape_op2(t, BL_TAPE_DIV, bl_tape_const(t, 1), length), &v);
    w->t[0] = w->A[0];
    w->t[1] = bl_touch_cross(w, &w->n, &w->t[0]);
    w->gap = bl_tape_op2(t, BL_TAPE_SUB, length, sum);
    bl_touch_vector at = bl_touch_times(w, s_b, &w->B[0]);
    w->p_b = bl_touch_plus(w, &at, bl_tape_op1(t, BL_TAPE_NEG, w->number[RADIUS_B]), &w->n);
    bl_index ends = bl_touch_least(w, inside(w, s_a, w->number[HALF_A]), inside(w, s_b, w->number[HALF_B]));
    bl_index crossing = bl_tape_op2(t, BL_TAPE_SUB, sine, bl_tape_const(t, joint_touch_parallel));
    w->reach = bl_touch_least(w, ends, bl_tape_op2(t, BL_TAPE_MUL, sum, crossing));
    w->reach = bl_touch_least(w, w->reach, bl_touch_cone(w, &v, length, w->A + 1, CONE, 2));
}

static void draw_sharp(bl_touch_drawing *w) {
    bl_tape *t = w->tape;
    bl_index h_a = w->number[SHARP_HALF_A], h_b = w->number[SHARP_HALF_B], s_a, s_b, one = bl_tape_const(t, 1);
    bl_index sine = nearest(w, &s_a, &s_b);
    bl_touch_vector across = bl_touch_cross(w, &w->A[0], &w->B[0]), out = bl_touch_plus(w, &w->A[1], one, &w->A[2]);
    bl_index inward = bl_tape_op2(t, BL_TAPE_LESS, bl_touch_dot(w, &across, &out), bl_tape_const(t, 0));
    bl_index sign = bl_tape_if(t, inward, bl_tape_const(t, -1), one);
    bl_index square = bl_tape_op2(t, BL_TAPE_ADD, sine, bl_tape_const(t, joint_touch_least * joint_touch_least));
    w->n = bl_touch_times(w, bl_tape_op2(t, BL_TAPE_DIV, sign, bl_tape_op1(t, BL_TAPE_SQRT, square)), &across);
    w->t[0] = w->A[0];
    w->t[1] = bl_touch_cross(w, &w->n, &w->t[0]);
    w->gap = bl_touch_dot(w, &w->n, &w->d);
    w->p_b = bl_touch_times(w, s_b, &w->B[0]);
    bl_index crossing = bl_tape_op2(t, BL_TAPE_SUB, sine, bl_tape_const(t, joint_touch_parallel));
    w->reach = bl_touch_least(w, inside(w, s_a, h_a), inside(w, s_b, h_b));
    w->reach = bl_touch_least(w, w->reach, bl_tape_op2(t, BL_TAPE_MUL, h_a, crossing));
    for (int j = 1; j < 3; j++) {
        bl_index of_a = bl_touch_dot(w, &w->n, &w->A[j]), of_b = bl_tape_op1(t, BL_TAPE_NEG, bl_touch_dot(w, &w->n, &w->B[j]));
        w->reach = bl_touch_least(w, w->reach, bl_tape_op2(t, BL_TAPE_MUL, h_a, of_a));
        w->reach = bl_touch_least(w, w->reach, bl_tape_op2(t, BL_TAPE_MUL, h_b, of_b));
    }
}

const bl_touch_kind bl_touch_edge_edge = {"edge_edge", "two straight edges or sides of capsules", draw, NULL};
const bl_touch_kind bl_touch_sharp_edges = {"sharp_edges", "edges of two boxes", draw_sharp, NULL};
