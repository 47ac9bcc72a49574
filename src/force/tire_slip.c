/* Slip laws of tires (docs/theory/vocabulary.md). With the speed v of the wheel center along the wheel and the sliding velocity (s, y) of
 * the contact point along and across it:
 *
 *     kappa = -s / d(v),  tan(alpha) = -y / d(v),  d(v) = v tanh(v / e) + e (1 - tanh(v / e)^2)
 *     linear:  f = C slip / (1 + ((f_x / mu_x)^2 + (f_y / mu_y)^2)^2)^(1/4)
 *     magic:   f = D sin(C atan(B x - E (B x - atan(B x)))) / sqrt(1 + (f_other / D_other)^2),  x = kappa or alpha */
#include "force/ops.h"
#include "force/tire.h"

/* |v| for |v| >> speed, at least `speed`, smooth: v tanh(v / s) + s (1 - tanh(v / s)^2). */
static bl_index smooth_speed(bl_record *r, double speed, bl_index v) {
    bl_index t = bl_node_tanh(r, bl_node_scale(r, 1 / speed, v));
    bl_index flat = bl_node_scale(r, speed, bl_node_sub(r, bl_node(r, 1), bl_node_mul(r, t, t)));
    return bl_node_add(r, bl_node_mul(r, v, t), flat);
}

/* Pacejka's magic formula */
static bl_index magic(bl_record *r, const bl_tire_slip *slip, int k, bl_index x) {
    bl_index b = bl_node_scale(r, slip->B[k], x);
    bl_index bent = bl_node_sub(r, b, bl_node_scale(r, slip->E[k], bl_node_sub(r, b, bl_node_atan(r, b))));
    return bl_node_scale(r, slip->friction[k], bl_node_sin(r, bl_node_scale(r, slip->C[k], bl_node_atan(r, bent))));
}

void bl_tire_shares(bl_record *r, const bl_tire_slip *slip, bl_index ahead, const bl_index slide[2], bl_index share[2]) {
    bl_index speed = smooth_speed(r, slip->speed, ahead), one = bl_node(r, 1), used[2];
    for (int k = 0; k < 2; k++) {
        bl_index x = bl_node_neg(r, bl_node_div(r, slide[k], speed));
        if (k == 0 && slip->rolls_freely)
            share[k] = bl_node(r, 0);
        else if (slip->magic)
            share[k] = magic(r, slip, k, k == 0 ? x : bl_node_atan(r, x));
        else
            share[k] = bl_node_scale(r, slip->stiffness[k], x);
        bl_index part = bl_node_scale(r, 1 / slip->friction[k], share[k]);
        used[k] = bl_node_mul(r, part, part);
    }
    if (slip->magic) {
        for (int k = 0; k < 2; k++)
            share[k] = bl_node_div(r, share[k], bl_node_sqrt(r, bl_node_add(r, one, used[1 - k])));
        return;
    }
    bl_index both = bl_node_add(r, used[0], used[1]);
    bl_index limit = bl_node_sqrt(r, bl_node_sqrt(r, bl_node_add(r, one, bl_node_mul(r, both, both))));
    for (int k = 0; k < 2; k++)
        share[k] = bl_node_div(r, share[k], limit);
}
