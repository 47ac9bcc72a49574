/* Preassigned pivot procedure: lower triangular except for spikes. Columns are removed as in p5 and stacked; every row that becomes empty
 * is paired with the column stacked last, so that remaining columns become spikes (entries above the diagonal) further right. Hellerman and
 * Rarick, Math. Programming 1 (1971). Blocks are the finest lower triangular ones the order allows, spikes are inside them; a diagonal
 * position may have no entry. Unpaired columns and rows go to border and band. */
#include "order/active.h"

/* reach[k]: last column position of an entry in row k. A block ends at the position that the furthest reach of the rows so far equals */
static void find_blocks(const bl_pattern *p, bl_index n, const bl_index *row_position, bl_index *reach, bl_ordering *out) {
    for (bl_index k = 0; k < n; k++)
        reach[k] = k;
    for (bl_index k = 0; k < n; k++) {
        bool spike = false;
        for (bl_index e = p->ptr[out->col[k]]; e < p->ptr[out->col[k] + 1]; e++) {
            bl_index position = row_position[p->idx[e]];
            if (position >= 0 && position < k) {
                spike = true;
                reach[position] = k; /* columns are visited in ascending order */
            }
        }
        out->spikes += spike;
    }
    bl_index furthest = 0;
    out->nblock = 0;
    for (bl_index k = 0; k < n; k++) {
        furthest = reach[k] > furthest ? reach[k] : furthest;
        if (furthest == k)
            out->block[++out->nblock] = k + 1;
    }
}

static bl_status p3_order(const bl_order_input *in, bl_ordering *out) {
    const bl_pattern *p = in->pattern;
    bl_active active = {0}, *a = &active;
    bl_index *stack, *row_position, nstack = 0;
    BL_TRY(bl_active_create(in, out, a));
    BL_TRY(BL_ARENA_ARRAYS(in->arena, BL_ARRAY(stack, p->ncol), BL_ARRAY(row_position, p->nrow)));
    for (bl_index i = 0; i < p->nrow; i++)
        row_position[i] = -1;
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
                row_position[row] = a->placed;
                bl_active_block(a, 1, &row, &stack[--nstack]);
            } else {
                bl_active_to_band(a, row);
            }
        }
    }
    for (bl_index k = 0; k < nstack; k++)
        bl_active_to_border(a, stack[k]);
    bl_active_finish(a);
    find_blocks(p, a->placed, row_position, a->scratch, out);
    return BL_OK;
}

const bl_order_kind bl_order_p3 = {
    .kind = {.name = "p3",
             .help = "lower triangular with spikes inside, from the rows with fewest entries (P3)",
             .gives = BL_ORDER_RECTANGULAR | BL_ORDER_BLOCKS | BL_ORDER_BORDER},
    .order = p3_order,
};
