/* Force of surfaces that yield, at the depth d = -gap >= 0:
 *
 *     F = k d^n max(0, 1 + chi d'),     potential k d^(n+1) / (n+1),     0 where d < 0
 *
 * A step that crosses d = 0 evaluates the law of one side beyond it (series/pieces.h). So d^n of a broken n is d (d^2 + e^2)^((n-1)/2),
 * smooth everywhere, with a depth e below any that matters, and the potential likewise. */
#include "force/compliant_law.h"

#include "force/force_limits.h"
#include "force/ops.h"

#include <math.h>

static bl_index power(bl_record *r, bl_index x, double n) { return bl_tape_op2(r->tape, BL_TAPE_POW, x, bl_node(r, n)); }

/* d^n, and its integral */
static void record_powers(bl_record *r, bl_index d, double n, bl_index *value, bl_index *integral) {
    if (n == floor(n)) {
        *value = power(r, d, n);
        *integral = bl_node_scale(r, 1 / (n + 1), power(r, d, n + 1));
        return;
    }
    double e = force_compliant_depth;
    bl_index square = bl_node_add(r, bl_node_mul(r, d, d), bl_node(r, e * e));
    bl_index above = bl_node_sub(r, power(r, square, 0.5 * (n + 1)), bl_node(r, pow(e, n + 1)));
    *value = bl_node_mul(r, d, power(r, square, 0.5 * (n - 1)));
    *integral = bl_node_scale(r, 1 / (n + 1), above);
}

bl_index bl_record_compliant(bl_record *r, bl_index gap, bl_index rate, bl_index within) {
    const bl_value *value = r->def->value;
    double k = value[BL_COMPLIANT_STIFFNESS].number, chi = value[BL_COMPLIANT_DAMPING].number;
    bl_index zero = bl_node(r, 0), one = bl_node(r, 1), depth = bl_node_neg(r, gap), force, stored;
    bl_index closed = bl_tape_op2(r->tape, BL_TAPE_LESS, zero, depth);
    closed = within < 0 ? closed : bl_tape_op2(r->tape, BL_TAPE_AND, closed, within);
    record_powers(r, depth, value[BL_COMPLIANT_EXPONENT].number, &force, &stored);
    bl_record_potential(r, bl_tape_if(r->tape, closed, bl_node_scale(r, k, stored), zero));
    bl_index elastic = bl_tape_if(r->tape, closed, bl_node_scale(r, k, force), zero);
    if (chi == 0)
        return elastic;
    /* surfaces do not attract each other; while they are apart this decides nothing */
    bl_index damped = bl_tape_if(r->tape, closed, bl_node_sub(r, one, bl_node_scale(r, chi, rate)), one);
    return bl_node_mul(r, elastic, bl_tape_op2(r->tape, BL_TAPE_MAX, zero, damped));
}
