/* Which rows are reported as redundant: those that depend on rows before them in a given order, for any choice of pivots.
 *
 * Each row after the pivots is a combination of pivot rows, y^T A = 0, found by backward substitution with L. Row i depends on rows before
 * it if and only if some combination of these y ends at i. So the y are brought to echelon form from the end of the order: if several end
 * at the same row, the one with the largest entry there is kept and eliminated from the others. Only rows involved are visited. */
#include "sparse/elimination.h"
#include "sparse/sparse_limits.h"

#include <math.h>
#include <string.h>

typedef struct combination {
    bl_index count, room, next; /* next: in the list of those that end at the same row */
    bl_index *at;               /* [count] positions in the order, descending */
    double *value;              /* [count] */
} combination;

typedef struct naming {
    bl_context *ctx;
    bl_elimination *e;
    const bl_index *position; /* [m] position of a row in the order */
    double negligible;
    combination *y, merged; /* [m - rank]; room for the result of a merge */
    bl_index *ends;         /* [m] first of the list, -1: none */
    bl_index *heap;         /* [rank] pivot numbers, the last first */
    double *w;              /* [rank] */
    uint8_t *in_heap;       /* [rank] */
} naming;

/* ---- L by rows */

static bl_status rows_of_L(bl_elimination *e) {
    size_t m = (size_t)e->m, count = 0;
    if (e->l_block)
        return BL_OK;
    for (bl_index k = 0; k < e->rank; k++)
        count += (size_t)e->col_count[e->col[k]];
    BL_TRY(BL_NEW_ARRAYS(e->ctx, e->l_block, BL_ARRAY(e->l_value, count), BL_ARRAY(e->l_ptr, m + 2), BL_ARRAY(e->row_position, m),
                         BL_ARRAY(e->l_of, count)));
    for (bl_index i = 0; i < e->m; i++)
        e->row_position[e->row[i]] = i < e->rank ? i : -1;
    for (bl_index k = 0; k < e->rank; k++)
        for (bl_index at = e->col_first[e->col[k]]; at >= 0; at = e->entry[at].down)
            e->l_ptr[e->entry[at].row + 2]++;
    for (bl_index i = 0; i < e->m; i++)
        e->l_ptr[i + 2] += e->l_ptr[i + 1];
    for (bl_index k = 0; k < e->rank; k++)
        for (bl_index at = e->col_first[e->col[k]]; at >= 0; at = e->entry[at].down) {
            bl_index where = e->l_ptr[e->entry[at].row + 1]++;
            e->l_of[where] = k;
            e->l_value[where] = e->entry[at].value;
        }
    return BL_OK;
}

/* ---- a heap of pivots, the last first */

static void push(naming *s, bl_index *count, bl_index k) {
    bl_index at = (*count)++;
    while (at > 0 && s->heap[(at - 1) / 2] < k) {
        s->heap[at] = s->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    s->heap[at] = k;
    s->in_heap[k] = 1;
}

static bl_index pop(naming *s, bl_index *count) {
    bl_index top = s->heap[0], last = s->heap[--(*count)], at = 0;
    for (bl_index child = 1; child < *count; child = 2 * at + 1) {
        child += child + 1 < *count && s->heap[child + 1] > s->heap[child];
        if (s->heap[child] <= last)
            break;
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = last;
    s->in_heap[top] = 0;
    return top;
}

/* ---- combinations */

static bl_status add(naming *s, combination *y, bl_index at, double value) {
    if (y->count == y->room) {
        bl_index room = y->room ? 2 * y->room : 8;
        bl_index *grown = bl_resize(s->ctx, y->at, (size_t)room, sizeof *grown);
        if (!grown)
            return BL_E_MEMORY;
        y->at = grown;
        double *values = bl_resize(s->ctx, y->value, (size_t)room, sizeof *values);
        if (!values)
            return BL_E_MEMORY;
        y->value = values;
        y->room = room;
    }
    y->at[y->count] = at;
    y->value[y->count++] = value;
    return BL_OK;
}

/* scales the largest entry to 1 and removes rounding errors */
static void normalize(combination *y, double negligible) {
    double largest = 0;
    bl_index count = 0;
    for (bl_index k = 0; k < y->count; k++)
        largest = fmax(largest, fabs(y->value[k]));
    for (bl_index k = 0; k < y->count; k++)
        if (fabs(y->value[k]) > negligible * largest) {
            y->at[count] = y->at[k];
            y->value[count++] = y->value[k] / largest;
        }
    y->count = count;
}

static void sort(combination *y) { /* by heaps: descending */
    for (bl_index n = y->count, start = n / 2; n > 1;) {
        bl_index at;
        double value;
        if (start > 0) {
            at = y->at[--start];
            value = y->value[start];
        } else {
            n--;
            at = y->at[n];
            value = y->value[n];
            y->at[n] = y->at[0];
            y->value[n] = y->value[0];
        }
        bl_index hole = start;
        for (bl_index child = 2 * hole + 1; child < n; child = 2 * hole + 1) {
            child += child + 1 < n && y->at[child + 1] < y->at[child];
            if (y->at[child] >= at)
                break;
            y->at[hole] = y->at[child];
            y->value[hole] = y->value[child];
            hole = child;
        }
        y->at[hole] = at;
        y->value[hole] = value;
    }
}

/* y of a row after the pivots: 1 for itself, minus its combination of pivot rows */
static bl_status combine(naming *s, bl_index row, combination *y) {
    const bl_elimination *e = s->e;
    bl_index count = 0;
    BL_TRY(add(s, y, s->position[row], 1));
    for (bl_index p = e->l_ptr[row]; p < e->l_ptr[row + 1]; p++) {
        s->w[e->l_of[p]] = e->l_value[p];
        push(s, &count, e->l_of[p]);
    }
    while (count > 0) {
        bl_index k = pop(s, &count), i = e->row[k];
        double w = s->w[k];
        s->w[k] = 0;
        BL_TRY(add(s, y, s->position[i], -w));
        for (bl_index p = e->l_ptr[i]; p < e->l_ptr[i + 1]; p++) {
            s->w[e->l_of[p]] -= w * e->l_value[p];
            if (!s->in_heap[e->l_of[p]])
                push(s, &count, e->l_of[p]);
        }
    }
    normalize(y, s->negligible);
    sort(y);
    return BL_OK;
}

/* y minus the multiple of x that cancels their common first entry */
static bl_status cancel_first(naming *s, combination *y, const combination *x) {
    combination *sum = &s->merged;
    double share = y->value[0] / x->value[0];
    sum->count = 0;
    for (bl_index i = 1, k = 1; i < y->count || k < x->count;) {
        bool from_y = i < y->count && (k == x->count || y->at[i] >= x->at[k]), both = from_y && k < x->count && y->at[i] == x->at[k];
        double value = (from_y ? y->value[i] : 0) - (!from_y || both ? share * x->value[k] : 0);
        BL_TRY(add(s, sum, from_y ? y->at[i] : x->at[k], value));
        i += from_y;
        k += !from_y || both;
    }
    normalize(sum, s->negligible);
    bl_index next = y->next;
    combination keep = *y;
    *y = *sum;
    *sum = keep;
    y->next = next;
    return BL_OK;
}

static bl_status echelon(naming *s, bl_index *named) {
    bl_index count = 0, nd = s->e->m - s->e->rank;
    for (bl_index end = s->e->m - 1; end >= 0; end--) {
        bl_index best = s->ends[end], next;
        for (bl_index k = best; k >= 0; k = s->y[k].next)
            best = fabs(s->y[k].value[0]) > fabs(s->y[best].value[0]) ? k : best;
        if (best < 0)
            continue;
        named[nd - 1 - count++] = end;
        for (bl_index k = s->ends[end]; k >= 0; k = next) {
            combination *y = &s->y[k];
            next = y->next;
            if (k == best)
                continue;
            BL_TRY(cancel_first(s, y, &s->y[best]));
            if (y->count == 0) /* impossible without rounding, since they are independent; detected by the count below */
                continue;
            y->next = s->ends[y->at[0]];
            s->ends[y->at[0]] = k;
        }
    }
    if (count < nd)
        return bl_fail(s->ctx, BL_E_NUMERIC, NULL, "rank: %d of %d dependent rows cannot be distinguished from rounding errors",
                       (int)(nd - count), (int)nd);
    return BL_OK;
}

static bl_status find_redundant(naming *s, const bl_index *row_at, bl_index *named) {
    const bl_elimination *e = s->e;
    bl_index nd = e->m - e->rank;
    for (bl_index i = 0; i < e->m; i++)
        s->ends[i] = -1;
    for (bl_index k = 0; k < nd; k++) {
        combination *y = &s->y[k];
        BL_TRY(combine(s, e->row[e->rank + k], y));
        y->next = s->ends[y->at[0]];
        s->ends[y->at[0]] = k;
    }
    BL_TRY(echelon(s, named));
    for (bl_index k = 0; k < nd; k++)
        named[k] = row_at[named[k]];
    return BL_OK;
}

bl_status bl_elimination_redundant(bl_elimination *e, const bl_index *priority, bl_index *named) {
    bl_context *ctx = e->ctx;
    size_t m = (size_t)e->m, rank = (size_t)e->rank;
    naming s = {.ctx = ctx, .e = e, .negligible = fmax(sparse_combination, e->tolerance)};
    bl_index *block = NULL;
    if (m == rank)
        return BL_OK;
    bl_status status = rows_of_L(e);
    if (status == BL_OK)
        status = BL_NEW(ctx, block, 3 * m + rank);
    if (status == BL_OK)
        status = BL_NEW(ctx, s.w, rank + 1);
    if (status == BL_OK)
        status = BL_NEW(ctx, s.in_heap, rank + 1);
    if (status == BL_OK)
        status = BL_NEW(ctx, s.y, m - rank);
    if (status == BL_OK) {
        bl_index *position = block, *row_at = block + m;
        s.ends = row_at + m;
        s.heap = s.ends + m;
        for (bl_index i = 0; i < e->m; i++) {
            position[i] = priority ? priority[i] : i;
            row_at[position[i]] = i;
        }
        s.position = position;
        status = find_redundant(&s, row_at, named);
    }
    for (size_t k = 0; k < m - rank && s.y; k++) {
        bl_free(ctx, s.y[k].at);
        bl_free(ctx, s.y[k].value);
    }
    bl_free(ctx, s.merged.at);
    bl_free(ctx, s.merged.value);
    bl_free(ctx, s.y);
    bl_free(ctx, s.w);
    bl_free(ctx, s.in_heap);
    bl_free(ctx, block);
    return status;
}
