/* Drawings of touching surfaces: vectors on a tape; the equations that follow from a drawing, gap and slip (touch.h, (1)). In the plane,
 * where only the first axis u is given, the second is u turned by 90 degrees, and t . (u turned)' = (t turned back) . u'. */
#include "joint/joint_limits.h"
#include "joint/touch_form.h"

#include <string.h>

const bl_touch_kind *const bl_touch_kinds[] = {
#define BL_KIND(name) &bl_touch_##name,
#include "joint/touch_list.h"
#undef BL_KIND
};

const size_t bl_touch_kind_count = sizeof bl_touch_kinds / sizeof *bl_touch_kinds;

/* ---- vectors */

bl_index bl_touch_dot(bl_touch_drawing *w, const bl_touch_vector *a, const bl_touch_vector *b) {
    bl_index sum = bl_tape_const(w->tape, 0);
    for (int k = 0; k < w->dim; k++)
        sum = bl_tape_op2(w->tape, BL_TAPE_ADD, sum, bl_tape_op2(w->tape, BL_TAPE_MUL, a->k[k], b->k[k]));
    return sum;
}

bl_touch_vector bl_touch_times(bl_touch_drawing *w, bl_index factor, const bl_touch_vector *a) {
    bl_touch_vector out;
    for (int k = 0; k < 3; k++)
        out.k[k] = bl_tape_op2(w->tape, BL_TAPE_MUL, factor, a->k[k]);
    return out;
}

bl_touch_vector bl_touch_plus(bl_touch_drawing *w, const bl_touch_vector *a, bl_index factor, const bl_touch_vector *b) {
    bl_touch_vector out = bl_touch_times(w, factor, b);
    for (int k = 0; k < 3; k++)
        out.k[k] = bl_tape_op2(w->tape, BL_TAPE_ADD, a->k[k], out.k[k]);
    return out;
}

bl_touch_vector bl_touch_cross(bl_touch_drawing *w, const bl_touch_vector *a, const bl_touch_vector *b) {
    bl_touch_vector out;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        bl_index one = bl_tape_op2(w->tape, BL_TAPE_MUL, a->k[i], b->k[j]), other = bl_tape_op2(w->tape, BL_TAPE_MUL, a->k[j], b->k[i]);
        out.k[k] = bl_tape_op2(w->tape, BL_TAPE_SUB, one, other);
    }
    return out;
}

bl_touch_vector bl_touch_turned(bl_touch_drawing *w, const bl_touch_vector *a, double sign) {
    bl_index by = bl_tape_const(w->tape, sign), back = bl_tape_const(w->tape, -sign);
    return (bl_touch_vector){{bl_tape_op2(w->tape, BL_TAPE_MUL, back, a->k[1]), bl_tape_op2(w->tape, BL_TAPE_MUL, by, a->k[0]), a->k[2]}};
}

bl_index bl_touch_on_plane(bl_touch_drawing *w) {
    w->n = w->A[0];
    w->t[0] = w->dim == 3 ? w->A[1] : bl_touch_turned(w, &w->A[0], -1);
    w->t[1] = w->A[2];
    return bl_touch_dot(w, &w->n, &w->d);
}

/* In space tangents without a singular direction, which jump where n . A_3 changes its sign s (Duff and others 2017): n = (x, y, z) in A,
 *
 *     t_1 = (1 + s p x^2, s p x y, -s x),   t_2 = n x t_1,   p = -1 / (s + z) */
static void across(bl_touch_drawing *w) {
    bl_tape *t = w->tape;
    bl_index one = bl_tape_const(t, 1), minus = bl_tape_const(t, -1), c[3], none = bl_tape_const(t, 0);
    for (int j = 0; j < 3; j++)
        c[j] = bl_touch_dot(w, &w->n, &w->A[j]);
    bl_index s = bl_tape_if(t, bl_tape_op2(t, BL_TAPE_LESS, c[2], none), minus, one);
    bl_index by = bl_tape_op2(t, BL_TAPE_DIV, minus, bl_tape_op2(t, BL_TAPE_ADD, s, c[2])); /* p */
    bl_index xx = bl_tape_op2(t, BL_TAPE_MUL, bl_tape_op2(t, BL_TAPE_MUL, c[0], c[0]), bl_tape_op2(t, BL_TAPE_MUL, s, by));
    bl_index xy = bl_tape_op2(t, BL_TAPE_MUL, bl_tape_op2(t, BL_TAPE_MUL, c[0], c[1]), bl_tape_op2(t, BL_TAPE_MUL, s, by));
    bl_index part[3] = {bl_tape_op2(t, BL_TAPE_ADD, one, xx), xy, bl_tape_op2(t, BL_TAPE_MUL, bl_tape_op1(t, BL_TAPE_NEG, s), c[0])};
    w->t[0] = (bl_touch_vector){{none, none, none}};
    for (int j = 0; j < 3; j++)
        w->t[0] = bl_touch_plus(w, &w->t[0], part[j], &w->A[j]);
    w->t[1] = bl_touch_cross(w, &w->n, &w->t[0]);
}

bl_index bl_touch_length(bl_touch_drawing *w, const bl_touch_vector *v, bl_index size) {
    bl_tape *t = w->tape;
    bl_index small = bl_tape_op2(t, BL_TAPE_MUL, size, bl_tape_const(t, joint_touch_least));
    bl_index square = bl_tape_op2(t, BL_TAPE_ADD, bl_touch_dot(w, v, v), bl_tape_op2(t, BL_TAPE_MUL, small, small));
    return bl_tape_op1(t, BL_TAPE_SQRT, square);
}

bl_index bl_touch_normal_along(bl_touch_drawing *w, const bl_touch_vector *v, double sign) {
    bl_tape *t = w->tape;
    bl_index length = bl_tape_op1(t, BL_TAPE_SQRT, bl_touch_dot(w, v, v));
    w->n = bl_touch_times(w, bl_tape_op2(t, BL_TAPE_DIV, bl_tape_const(t, sign), length), v);
    if (w->dim == 2)
        w->t[0] = bl_touch_turned(w, &w->n, -1);
    else
        across(w);
    return length;
}

bl_index bl_touch_least(bl_touch_drawing *w, bl_index a, bl_index b) { return a < 0 ? b : bl_tape_op2(w->tape, BL_TAPE_MIN, a, b); }

bl_index bl_touch_cone(bl_touch_drawing *w, const bl_touch_vector *v, bl_index length, const bl_touch_vector *axis, int first, int axes) {
    bl_index least = -1;
    for (int j = 0; j < axes; j++) {
        bl_index bound = bl_tape_op2(w->tape, BL_TAPE_MUL, w->number[first + j], length);
        least = bl_touch_least(w, least, bl_tape_op2(w->tape, BL_TAPE_ADD, bl_touch_dot(w, v, &axis[j]), bound));
    }
    return least;
}

/* ---- equations */

static bl_touch_vector given(bl_touch_drawing *w, bl_index vector) {
    bl_index none = bl_tape_const(w->tape, 0);
    bl_touch_vector out = {{none, none, none}};
    for (int k = 0; k < w->dim && w->input[vector] >= 0; k++) {
        bl_index component = w->input[vector] * w->dim + k;
        out.k[k] = bl_tape_input(w->tape, component);
        if (w->rates > 0) {
            bl_index way = bl_tape_op2(w->tape, BL_TAPE_MUL, bl_tape_input(w->tape, w->time), bl_tape_input(w->tape, w->rates + component));
            out.k[k] = bl_tape_op2(w->tape, BL_TAPE_ADD, out.k[k], way);
        }
    }
    return out;
}

static void given_axes(bl_touch_drawing *w, bl_index first, bl_touch_vector axis[3]) {
    bl_index none = bl_tape_const(w->tape, 0);
    for (int j = 0; j < (w->dim == 3 ? 3 : 1); j++)
        axis[j] = given(w, first + j);
    if (w->dim == 2) {
        axis[1] = bl_touch_turned(w, &axis[0], 1);
        axis[2] = (bl_touch_vector){{none, none, none}};
    }
}

void bl_touch_draw(const bl_touch_kind *kind, int dim, bl_touch_drawing *w) {
    w->dim = dim;
    w->d = given(w, 0);
    given_axes(w, 1, w->A);
    given_axes(w, dim == 3 ? 4 : 2, w->B);
    bl_index none = bl_tape_const(w->tape, 0);
    w->n = w->t[0] = w->t[1] = w->p_b = (bl_touch_vector){{none, none, none}};
    w->reach = -1;
    kind->draw(w);
}

/* coefficients of the rates of the axes of one body, whose material point at p moves with them: sign sum_j (p . X_j) t . X_j' */
static void carry(bl_touch_drawing *w, double sign, const bl_touch_vector *p, const bl_touch_vector axis[3], const bl_touch_vector *t,
                  bl_index *grad) {
    bl_index by = bl_tape_const(w->tape, sign);
    bl_touch_vector sum[3];
    for (int j = 0; j < w->dim; j++)
        sum[j] = bl_touch_times(w, bl_tape_op2(w->tape, BL_TAPE_MUL, by, bl_touch_dot(w, p, &axis[j])), t);
    if (w->dim == 2) {
        bl_touch_vector back = bl_touch_turned(w, &sum[1], -1);
        sum[0] = bl_touch_plus(w, &sum[0], bl_tape_const(w->tape, 1), &back);
    }
    for (int j = 0; j < (w->dim == 3 ? 3 : 1); j++)
        memcpy(grad + j * w->dim, sum[j].k, (size_t)w->dim * sizeof *grad);
}

void bl_touch_slip(bl_touch_drawing *w, int tangent, bl_index *grad) {
    const bl_touch_vector *t = &w->t[tangent];
    bl_touch_vector p_a = bl_touch_plus(w, &w->d, bl_tape_const(w->tape, 1), &w->p_b);
    memcpy(grad, t->k, (size_t)w->dim * sizeof *grad);
    carry(w, -1, &p_a, w->A, t, grad + w->dim);
    carry(w, 1, &w->p_b, w->B, t, grad + w->dim * (w->dim == 3 ? 4 : 2));
}
