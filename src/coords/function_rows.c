/* Rows whose value is a function of its own: a relation y - f(x) of two variables that are coordinates; the contact of a point or a plane
 * with a curve, a function of the vector between two bodies and of axes of both (joint/primitive.h). */
#include "coords/mechanism.h"

#include <string.h>

bl_status bl_function_row(bl_mechanism *m, const bl_prim *prim, bl_product *p) {
    p->function = prim;
    if (prim->what == BL_FUNCTION) {
        p->nscalar = 2;
        for (int k = 0; k < 2; k++)
            p->scalar[k] = m->gauge[prim->var[k]].entry;
        return BL_OK;
    }
    BL_TRY(bl_direction_between(m, &prim->a, &prim->b, &p->dir[p->ndir++]));
    for (int k = 2; k < bl_prim_marks(prim); k++)
        BL_TRY(bl_direction_mark(m, &prim->mark[k], &p->dir[p->ndir++]));
    return BL_OK;
}

void bl_function_row_eval(const bl_prim *prim, int dim, const double *x, double *value, double *grad, double *hess) {
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

bool bl_function_row_analytic(const bl_prim *prim) { return prim->what == BL_FUNCTION && prim->profile->tape; }

bl_status bl_function_row_record(const bl_prim *prim, bl_tape *tape, bl_index *node) {
    bl_index x = bl_tape_input(tape, 0), y = bl_tape_input(tape, 1), f;
    BL_TRY(bl_tape_splice(tape, prim->profile->tape, &x, &f));
    *node = bl_tape_op2(tape, BL_TAPE_SUB, y, f);
    return bl_tape_status(tape);
}
