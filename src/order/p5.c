/* Precautionary partitioned preassigned pivot procedure: bordered block lower triangular form, built from the rows with fewest
 * entries. Columns are removed, each time the one with most entries in the rows of smallest count, until rows become empty; these and the
 * removed columns are matched: pairs form a diagonal block, the others go to band or border. Erisman, Grimes, Lewis and Poole, SIAM J.
 * Numer. Anal. 22 (1985); reducible and rectangular patterns are accepted too. */
#include "order/active.h"

#include <string.h>

typedef struct matching {
    bl_index *entry_ptr, *entry; /* empty rows x removed columns, by index; in each row the column removed last comes first */
    bl_index *next_entry;        /* [rows] next entry of the search */
    bl_index *row_of, *col_of;   /* partners by index, -1: none */
    bl_index *visit;             /* [columns] the last search that visited it */
    bl_index *path;              /* [rows] */
    bl_index *row_index;         /* [nrow] index of an empty row */
} matching;

typedef struct p5 {
    bl_active active;
    matching match;
    bl_index *removed, *empty, *block_row, *block_col;
    bl_index nremoved, nempty;
} p5;

static bl_status reserve(const bl_order_input *in, p5 *p) {
    bl_index nrow = in->pattern->nrow, ncol = in->pattern->ncol;
    matching *m = &p->match;
    BL_TRY(BL_ARENA_ARRAYS(in->arena, BL_ARRAY(m->entry_ptr, nrow + 1), BL_ARRAY(m->entry, in->pattern->ptr[ncol]),
                           BL_ARRAY(m->next_entry, nrow), BL_ARRAY(m->row_of, ncol), BL_ARRAY(m->col_of, nrow), BL_ARRAY(m->visit, ncol),
                           BL_ARRAY(m->path, nrow + 1), BL_ARRAY(m->row_index, nrow), BL_ARRAY(p->removed, ncol), BL_ARRAY(p->empty, nrow),
                           BL_ARRAY(p->block_row, ncol), BL_ARRAY(p->block_col, ncol)));
    memset(m->row_index, -1, (size_t)nrow * sizeof *m->row_index);
    return BL_OK;
}

static void list_entries(p5 *p) {
    const bl_pattern *pattern = p->active.pattern;
    matching *m = &p->match;
    for (bl_index i = 0; i < p->nempty; i++)
        m->row_index[p->empty[i]] = i;
    memset(m->entry_ptr, 0, ((size_t)p->nempty + 1) * sizeof *m->entry_ptr);
    for (bl_index pass = 0; pass < 2; pass++) {
        for (bl_index j = p->nremoved; j-- > 0;)
            for (bl_index k = pattern->ptr[p->removed[j]]; k < pattern->ptr[p->removed[j] + 1]; k++) {
                bl_index i = m->row_index[pattern->idx[k]];
                if (i < 0)
                    continue;
                if (pass == 0)
                    m->entry_ptr[i + 1]++;
                else
                    m->entry[m->next_entry[i]++] = j;
            }
        for (bl_index i = 0; i < p->nempty; i++) {
            if (pass == 0)
                m->entry_ptr[i + 1] += m->entry_ptr[i];
            m->next_entry[i] = m->entry_ptr[i];
        }
    }
    for (bl_index i = 0; i < p->nempty; i++)
        m->row_index[p->empty[i]] = -1;
}

/* depth-first search for an augmenting path from row `start` */
static void augment(matching *m, bl_index start) {
    bl_index depth = 0;
    m->path[0] = start;
    m->next_entry[start] = m->entry_ptr[start];
    while (depth >= 0) {
        bl_index i = m->path[depth];
        if (m->next_entry[i] == m->entry_ptr[i + 1]) {
            depth--;
            continue;
        }
        bl_index j = m->entry[m->next_entry[i]++];
        if (m->visit[j] == start + 1)
            continue;
        m->visit[j] = start + 1;
        if (m->row_of[j] >= 0) {
            m->path[++depth] = m->row_of[j];
            m->next_entry[m->row_of[j]] = m->entry_ptr[m->row_of[j]];
            continue;
        }
        for (; depth >= 0; depth--) { /* free column: every row of the path is paired with the column it reached */
            bl_index row = m->path[depth], col = m->entry[m->next_entry[row] - 1];
            m->row_of[col] = row;
            m->col_of[row] = col;
        }
    }
}

/* matches empty rows with removed columns: pairs form a block, the others go to border and band */
static void form_block(p5 *p) {
    bl_active *a = &p->active;
    matching *m = &p->match;
    list_entries(p);
    memset(m->row_of, -1, (size_t)p->nremoved * sizeof *m->row_of);
    memset(m->col_of, -1, (size_t)p->nempty * sizeof *m->col_of);
    memset(m->visit, 0, (size_t)p->nremoved * sizeof *m->visit);
    for (bl_index i = 0; i < p->nempty; i++)
        augment(m, i);
    bl_index size = 0;
    for (bl_index i = 0; i < p->nempty; i++)
        if (m->col_of[i] >= 0) {
            p->block_row[size] = p->empty[i];
            p->block_col[size++] = p->removed[m->col_of[i]];
        }
    bl_active_block(a, size, p->block_row, p->block_col);
    for (bl_index j = 0; j < p->nremoved; j++)
        if (m->row_of[j] < 0)
            bl_active_to_border(a, p->removed[j]);
    for (bl_index i = 0; i < p->nempty; i++)
        if (m->col_of[i] < 0)
            bl_active_to_band(a, p->empty[i]);
}

static bl_status p5_order(const bl_order_input *in, bl_ordering *out) {
    p5 own = {0}, *p = &own;
    bl_active *a = &p->active;
    BL_TRY(bl_active_create(in, out, a));
    BL_TRY(reserve(in, p));
    for (bl_index count; (count = bl_active_least(a)) >= 0;) {
        p->nremoved = 0;
        for (; count > 0; count = bl_active_least(a)) {
            bl_index col = bl_active_best(a, count);
            p->removed[p->nremoved++] = col;
            bl_active_drop_col(a, col);
        }
        p->nempty = bl_active_rows(a, 0);
        memcpy(p->empty, a->scratch, (size_t)p->nempty * sizeof *p->empty);
        if (p->nremoved > 0)
            form_block(p);
        else
            for (bl_index i = 0; i < p->nempty; i++)
                bl_active_to_band(a, p->empty[i]);
    }
    bl_active_finish(a);
    return BL_OK;
}

const bl_order_kind bl_order_p5 = {
    .kind = {.name = "p5",
             .help = "bordered block lower triangular form from the rows with fewest entries (P5)",
             .gives = BL_ORDER_RECTANGULAR | BL_ORDER_BLOCKS | BL_ORDER_BORDER},
    .order = p5_order,
};
