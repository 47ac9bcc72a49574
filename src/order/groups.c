/* Structural groups: the block triangular form whose blocks consist of complete bundles, the components of a point or all coordinates of a
 * body. Applied to the constraints without the independent columns, this divides the mechanism, driven by its independent coordinates, into
 * groups in order of solution (docs/theory/structure.md). Without bundles it is btf. */
#include "order/order.h"

static bl_status groups_slot(const bl_order_input *in, bl_ordering *out) { return bl_order_triangular(in, in->bundle, false, out); }

const bl_order_kind bl_order_groups = {
    .kind = {.name = "groups",
             .help = "structural groups in order of solution: block triangular, blocks of complete points, vectors or bodies",
             .gives = BL_ORDER_RECTANGULAR | BL_ORDER_BLOCKS | BL_ORDER_BORDER},
    .order = groups_slot,
};
