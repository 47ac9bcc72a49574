/* Rows whose value is a function of its own: a relation y - f(x) of two variables that are coordinates; the contact of a point or a plane
 * with a curve, a function of the vector between two bodies and of axes of both (joint/primitive.h); the gap of two surfaces, and their
 * slip, which has coefficients but no value (joint/touch.h). */
#include "coords/mechanism.h"
#include "joint/touch.h"

#include <string.h>

bl_status bl_function_row(bl_mechanism *m, const bl_prim *prim, bl_product *p) {
    p->function = prim;
    if (prim->what == BL_FUNCTION) {
        p->nscalar = 2;
        for (int k = 0; k < 2; k++)
            p->scalar[k] = m->gauge[prim->var[k]].entry;
        return BL_OK;
    }
    if (prim->touch) {
        const int8_t *which;
        for (int i = 0, n = bl_touch_vectors(prim, &which); i < n; i++)
            BL_TRY(which[i] == 0 ? bl_direction_between(m, &prim->a, &prim->b, &p->dir[p->ndir++])
                                 : bl_direction_mark(m, &prim->mark[1 + which[i]], &p->dir[p->ndir++]));
        return BL_OK;
    }
    BL_TRY(bl_direction_between(m, &prim->a, &prim->b, &p->dir[p->ndir++]));
    for (int k = 2; k < bl_prim_marks(prim); k++)
        BL_TRY(bl_direction_mark(m, &prim->mark[k], &p->dir[p->ndir++]));
    return BL_OK;
}

void bl_function_row_eval(const bl_prim *prim, int dim, const double *x, double *value, double *grad, double *hess) {
    if (prim->touch) {
        bl_touch_eval(prim, x, value, grad, hess);
        return;
    }
    if (prim->what != BL_FUNCTION) {
        bl_prim_contact(prim, dim, x, value, grad, hess);
        return;
    }
    bl_prim_relation at;
    bl_prim_relate(prim, (double[3]){x[0], x[1]}, &at);
    *value = at.gap;
    if (grad)
        memcpy(grad, at.coef, 2 * sizeof *grad);
    if (hess) {
        memset(hess, 0, 4 * sizeof *hess);
        hess[0] = at.bend;
    }
}

bool bl_function_row_analytic(const bl_prim *prim) {
    return prim->touch ? !prim->touch->locate : prim->what == BL_FUNCTION && prim->profile->tape;
}

bl_status bl_function_row_record(const bl_prim *prim, bl_tape *tape, bl_index *node, bl_index *grad) {
    if (prim->touch)
        return bl_touch_record(prim, tape, node, grad);
    bl_index x = bl_tape_input(tape, 0), y = bl_tape_input(tape, 1), f;
    bl_tape_gradients d;
    BL_TRY(bl_tape_splice(tape, prim->profile->tape, &x, &f));
    *node = bl_tape_op2(tape, BL_TAPE_SUB, y, f);
    grad[0] = grad[1] = -1;
    BL_TRY(bl_tape_differentiate(tape, 1, node, &d));
    for (bl_index e = 0; e < d.start[1]; e++)
        grad[d.input[e]] = d.node[e];
    bl_tape_gradients_destroy(tape, &d);
    return bl_tape_status(tape);
}
