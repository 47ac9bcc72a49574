/* The last row and column first. */
#include "order/order.h"

static bl_status reverse_order(const bl_order_input *in, bl_ordering *out) {
    for (bl_index i = 0; i < in->pattern->nrow; i++)
        out->row[i] = in->pattern->nrow - 1 - i;
    for (bl_index j = 0; j < in->pattern->ncol; j++)
        out->col[j] = in->pattern->ncol - 1 - j;
    return BL_OK;
}

const bl_order_kind bl_order_reverse = {
    .kind = {.name = "reverse", .help = "the last row and column first", .gives = BL_ORDER_RECTANGULAR},
    .order = reverse_order,
};
