/* The given order of rows and columns. */
#include "order/order.h"

static bl_status natural_order(const bl_order_input *in, bl_ordering *out) {
    const bl_pattern *p = in->pattern;
    for (bl_index j = 0; j < p->ncol; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++) {
            bl_index distance = p->idx[k] > j ? p->idx[k] - j : j - p->idx[k];
            out->bandwidth = distance > out->bandwidth ? distance : out->bandwidth;
        }
    return BL_OK;
}

const bl_order_kind bl_order_natural = {
    .kind = {.name = "natural", .help = "rows and columns in the given order", .gives = BL_ORDER_RECTANGULAR | BL_ORDER_BANDWIDTH},
    .order = natural_order,
};
