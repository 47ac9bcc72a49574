/* The active matrix: counts, rows by count, heaps of columns. Every change costs the length of the rows and columns it touches,
 * times the logarithm of a heap, so that long chains are ordered in nearly linear time. */
#include "order/active.h"

#include "sparse/sparse.h"

#include <string.h>

void bl_sort_index(bl_index n, bl_index *x) {
    if (n > 1)
        bl_sort_indices(x, (size_t)n);
}

/* ---- heaps */

static bool better(const bl_active *a, bl_index level, bl_index c, bl_index d) {
    const bl_index *score = a->heap[level].score;
    if (score[c] != score[d] && !(level == 1 && a->busiest_first))
        return score[c] > score[d];
    if (a->col_count[c] != a->col_count[d])
        return a->col_count[c] > a->col_count[d];
    return c < d;
}

static void put(bl_active_heap *heap, bl_index position, bl_index col) {
    heap->item[position] = col;
    heap->at[col] = position;
}

static void sift(bl_active *a, bl_index level, bl_index position) {
    bl_active_heap *heap = &a->heap[level];
    bl_index col = heap->item[position];
    while (position > 0 && better(a, level, col, heap->item[(position - 1) / 2])) {
        put(heap, position, heap->item[(position - 1) / 2]);
        position = (position - 1) / 2;
    }
    for (bl_index child; (child = 2 * position + 1) < heap->size; position = child) {
        if (child + 1 < heap->size && better(a, level, heap->item[child + 1], heap->item[child]))
            child++;
        if (!better(a, level, heap->item[child], col))
            break;
        put(heap, position, heap->item[child]);
    }
    put(heap, position, col);
}

void bl_active_hide(bl_active *a, bl_index level, bl_index col) {
    bl_active_heap *heap = &a->heap[level];
    bl_index position = heap->at[col];
    if (position < 0)
        return;
    heap->at[col] = -1;
    bl_index last = heap->item[--heap->size];
    if (last != col) {
        put(heap, position, last);
        sift(a, level, position);
    }
}

void bl_active_show(bl_active *a, bl_index level, bl_index col) {
    bl_active_heap *heap = &a->heap[level];
    if (heap->at[col] >= 0 || !a->col_live[col] || heap->score[col] == 0)
        return;
    put(heap, heap->size, col);
    sift(a, level, heap->size++);
}

static void change_score(bl_active *a, bl_index level, bl_index col, bl_index change) {
    bl_active_heap *heap = &a->heap[level];
    bl_index before = heap->score[col];
    heap->score[col] += change;
    if (heap->score[col] == 0)
        bl_active_hide(a, level, col);
    else if (before == 0)
        bl_active_show(a, level, col);
    else if (heap->at[col] >= 0)
        sift(a, level, heap->at[col]);
}

/* ---- rows by count */

static void link_row(bl_active *a, bl_index row) {
    bl_index count = a->row_count[row], first = a->head[count];
    a->next[row] = first;
    a->prev[row] = -1;
    if (first >= 0)
        a->prev[first] = row;
    a->head[count] = row;
    if (count < a->least)
        a->least = count;
}

static void unlink_row(bl_active *a, bl_index row) {
    bl_index before = a->prev[row], after = a->next[row];
    if (before >= 0)
        a->next[before] = after;
    else
        a->head[a->row_count[row]] = after;
    if (after >= 0)
        a->prev[after] = before;
}

bl_index bl_active_least(bl_active *a) {
    if (a->nlive == 0)
        return -1;
    while (a->head[a->least] < 0)
        a->least++;
    return a->least;
}

bl_index bl_active_rows(bl_active *a, bl_index count) {
    bl_index n = 0;
    for (bl_index row = a->head[count]; row >= 0; row = a->next[row])
        a->scratch[n++] = row;
    bl_sort_index(n, a->scratch);
    return n;
}

bl_index bl_active_best(bl_active *a, bl_index count) {
    if (count <= BL_ACTIVE_LEVELS)
        return a->heap[count].size ? a->heap[count].item[0] : -1;
    bl_index *score = a->heap[0].score, best = -1; /* count 0 has no columns: its score array is used as scratch and reset to zero */
    for (bl_index row = a->head[count]; row >= 0; row = a->next[row])
        for (bl_index k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++)
            score[a->row_col[k]]++;
    for (bl_index row = a->head[count]; row >= 0; row = a->next[row])
        for (bl_index k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++)
            if (a->col_live[a->row_col[k]] && (best < 0 || better(a, 0, a->row_col[k], best)))
                best = a->row_col[k];
    for (bl_index row = a->head[count]; row >= 0; row = a->next[row])
        for (bl_index k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++)
            score[a->row_col[k]] = 0;
    return best;
}

/* ---- removing rows and columns */

void bl_active_drop_col(bl_active *a, bl_index col) {
    const bl_pattern *p = a->pattern;
    if (!a->col_live[col])
        return;
    a->col_live[col] = 0;
    for (bl_index level = 1; level <= BL_ACTIVE_LEVELS; level++)
        bl_active_hide(a, level, col);
    for (bl_index k = p->ptr[col]; k < p->ptr[col + 1]; k++) {
        bl_index row = p->idx[k];
        if (!a->row_live[row])
            continue;
        bl_index from = a->row_count[row], to = from - 1;
        unlink_row(a, row);
        a->row_count[row] = to;
        link_row(a, row);
        if (to <= BL_ACTIVE_LEVELS)
            for (bl_index e = a->row_ptr[row]; e < a->row_ptr[row + 1]; e++)
                if (a->col_live[a->row_col[e]]) {
                    if (from <= BL_ACTIVE_LEVELS)
                        change_score(a, from, a->row_col[e], -1);
                    change_score(a, to, a->row_col[e], 1);
                }
        if (a->moved)
            a->moved(a->user, row, from, to);
    }
}

static void drop_row(bl_active *a, bl_index row) {
    if (!a->row_live[row])
        return;
    bl_index count = a->row_count[row];
    a->row_live[row] = 0;
    a->nlive--;
    unlink_row(a, row);
    for (bl_index k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++) {
        bl_index col = a->row_col[k];
        a->col_count[col]--;
        if (!a->col_live[col])
            continue;
        if (count <= BL_ACTIVE_LEVELS)
            change_score(a, count, col, -1);
        for (bl_index level = 1; level <= BL_ACTIVE_LEVELS; level++)
            if (a->heap[level].at[col] >= 0)
                sift(a, level, a->heap[level].at[col]);
    }
    if (a->moved)
        a->moved(a->user, row, count, -1);
}

void bl_active_to_border(bl_active *a, bl_index col) {
    bl_active_drop_col(a, col);
    a->border[a->out->border++] = col;
}

void bl_active_to_band(bl_active *a, bl_index row) {
    drop_row(a, row);
    a->band[a->out->band++] = row;
}

void bl_active_block(bl_active *a, bl_index size, const bl_index *row, const bl_index *col) {
    bl_ordering *out = a->out;
    for (bl_index k = 0; k < size; k++) {
        out->row[a->placed] = row[k];
        out->col[a->placed++] = col[k];
    }
    out->block[++out->nblock] = a->placed;
    for (bl_index k = 0; k < size; k++)
        drop_row(a, row[k]);
    for (bl_index k = 0; k < size; k++)
        bl_active_drop_col(a, col[k]);
}

void bl_active_finish(bl_active *a) {
    a->moved = NULL;
    for (bl_index row = 0; row < a->pattern->nrow; row++)
        if (a->row_live[row])
            bl_active_to_band(a, row);
    for (bl_index col = 0; col < a->pattern->ncol; col++)
        if (a->col_live[col])
            bl_active_to_border(a, col);
    memcpy(a->out->row + a->placed, a->band, (size_t)a->out->band * sizeof *a->band);
    memcpy(a->out->col + a->placed, a->border, (size_t)a->out->border * sizeof *a->border);
}

/* ---- storage */

static bl_status reserve(const bl_order_input *in, bl_active *a) {
    bl_index nrow = in->pattern->nrow, ncol = in->pattern->ncol, nnz = in->pattern->ptr[ncol];
    BL_TRY(BL_ARENA_ARRAYS(in->arena, BL_ARRAY(a->row_ptr, nrow + 1), BL_ARRAY(a->row_col, nnz), BL_ARRAY(a->row_count, nrow),
                           BL_ARRAY(a->col_count, ncol), BL_ARRAY(a->head, ncol + BL_ACTIVE_LEVELS + 1), BL_ARRAY(a->next, nrow),
                           BL_ARRAY(a->prev, nrow), BL_ARRAY(a->scratch, nrow > ncol ? nrow : ncol), BL_ARRAY(a->border, ncol),
                           BL_ARRAY(a->band, nrow), BL_ARRAY(a->row_live, nrow), BL_ARRAY(a->col_live, ncol)));
    for (bl_index level = 0; level <= BL_ACTIVE_LEVELS; level++) {
        bl_active_heap *heap = &a->heap[level];
        bl_index room = level ? ncol : 0;
        BL_TRY(BL_ARENA_ARRAYS(in->arena, BL_ARRAY(heap->score, ncol), BL_ARRAY(heap->item, room), BL_ARRAY(heap->at, room)));
        memset(heap->at, -1, (size_t)room * sizeof *heap->at);
    }
    return BL_OK;
}

bl_status bl_active_create(const bl_order_input *in, bl_ordering *out, bl_active *a) {
    const bl_pattern *p = in->pattern;
    bl_index nrow = p->nrow, ncol = p->ncol;
    a->pattern = p;
    a->out = out;
    a->nlive = nrow;
    a->least = ncol;
    BL_TRY(BL_NEW(in->ctx, out->block, (nrow < ncol ? nrow : ncol) + 1));
    BL_TRY(reserve(in, a));
    bl_pattern_rows(p, a->row_ptr, a->row_col, NULL);
    for (bl_index j = 0; j < ncol; j++) {
        a->col_live[j] = 1;
        a->col_count[j] = p->ptr[j + 1] - p->ptr[j];
    }
    for (bl_index count = 0; count <= ncol + BL_ACTIVE_LEVELS; count++)
        a->head[count] = -1;
    for (bl_index i = nrow; i-- > 0;) {
        bl_index count = a->row_count[i] = a->row_ptr[i + 1] - a->row_ptr[i];
        a->row_live[i] = 1;
        link_row(a, i);
        if (count <= BL_ACTIVE_LEVELS)
            for (bl_index k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
                change_score(a, count, a->row_col[k], 1);
    }
    return BL_OK;
}
