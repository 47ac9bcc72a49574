/* Preassigned pivot procedure: lower triangular but for spikes. Columns are taken as in p5 and stacked; every row that runs empty takes
 * the column stacked last, so that columns still waiting become spikes (entries above the diagonal) further right. Hellerman and Rarick,
 * Math. Programming 1 (1971). Blocks are the finest lower triangular ones the order allows, spikes lie inside them; a diagonal place may
 * be no entry. Columns and rows that never meet go to border and band. */
#include "order/active.h"

/* furthest place of a column met by the rows up to here: where it is this very place, a block ends */
static void find_blocks(const bl_pattern *p, bl_index n, const bl_index *row_place, bl_index *reach, bl_ordering *out) {
    for (bl_index k = 0; k < n; k++)
        reach[k] = k;
    for (bl_index k = 0; k < n; k++) {
        bool spike = false;
        for (bl_index e = p->ptr[out->col[k]]; e < p->ptr[out->col[k] + 1]; e++) {
            bl_index place = row_place[p->idx[e]];
            if (place >= 0 && place < k) {
                spike = true;
                reach[place] = k; /* columns come in ascending order */
            }
        }
        out->spikes += spike;
    }
    bl_index far = 0;
    out->nblock = 0;
    for (bl_index k = 0; k < n; k++) {
        far = reach[k] > far ? reach[k] : far;
        if (far == k)
            out->block[++out->nblock] = k + 1;
    }
}

static bl_status p3_order(const bl_order_input *in, bl_ordering *out) {
    const bl_pattern *p = in->pattern;
    bl_active active = {0}, *a = &active;
    bl_index *stack, *row_place, nstack = 0;
    BL_TRY(bl_active_create(in, out, a));
    BL_TRY(BL_ARENA_ARRAYS(in->arena, BL_ARRAY(stack, p->ncol), BL_ARRAY(row_place, p->nrow)));
    for (bl_index i = 0; i < p->nrow; i++)
        row_place[i] = -1;
    for (bl_index count; (count = bl_active_least(a)) >= 0;) {
        if (count > 0) {
            stack[nstack++] = bl_active_best(a, count);
            bl_active_drop_col(a, stack[nstack - 1]);
            continue;
        }
        bl_index n = bl_active_rows(a, 0);
        for (bl_index k = 0; k < n; k++) {
            bl_index row = a->scratch[k];
            if (nstack > 0) {
                row_place[row] = a->placed;
                bl_active_block(a, 1, &row, &stack[--nstack]);
            } else {
                bl_active_to_band(a, row);
            }
        }
    }
    for (bl_index k = 0; k < nstack; k++)
        bl_active_to_border(a, stack[k]);
    bl_active_finish(a);
    find_blocks(p, a->placed, row_place, a->scratch, out);
    return BL_OK;
}

const bl_order_kind bl_order_p3 = {
    .kind = {.name = "p3",
             .help = "lower triangular with spikes inside, from the rows with fewest entries (P3)",
             .gives = BL_ORDER_RECTANGULAR | BL_ORDER_BLOCKS | BL_ORDER_BORDER},
    .order = p3_order,
};
