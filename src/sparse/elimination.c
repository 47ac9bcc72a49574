/* Gauss elimination of the scaled matrix with threshold complete pivoting: a pivot is at least half of the largest remaining entry, so that
 * all remaining entries are small when it falls below the tolerance, as with complete pivoting; among those the one with the least fill is
 * chosen, from the shortest columns (Markowitz 1957; the threshold as in LUSOL: Gill, Murray, Saunders and Wright 1987, Saunders 2005). If
 * only the rank matters (`loose`), an eighth of the largest entry is sufficient, and half of the largest in its column: then there are
 * short columns to choose from, and factors of trees do not fill. Columns are in lists by the size of their largest entry, up to a factor
 * of 2, and by their count; the next pivot comes from those of the largest sizes. If pivots are also for later matrices (`share`), they are
 * compared only with their columns: all columns are in one class. Bodies that carry many others have long columns and rows, which are
 * updated with each of these others: they are not searched completely. A long column counts its entries by size, entries of a long row are
 * found by a table. L and U are kept in the linked lists of columns and rows. */
#include "sparse/elimination.h"
#include "sparse/entry_table.h"
#include "sparse/sparse_limits.h"

#include "system/system_limits.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
    SIZES = 96,         /* classes of sizes, a factor of 2 each; the first is 2^GROWTH times the largest initial entry */
    GROWTH = 16,        /* entries that grow further share its class */
    NEAR = 3,           /* classes searched for pivots if `loose` */
    COUNTS = 16,        /* columns with this many entries or more share a list */
    SEARCHED = 4,       /* columns that are searched for the pivot of least fill */
    SEARCHED_LONG = 16, /* the same if the pivots will serve many matrices */
    LISTS = SIZES * COUNTS,
    LONG = 64, /* entries from which a column has counts and a row has a table: the counts take as much memory as so many entries */
    FAR = 4,   /* if a long row has FAR times as many entries as the pivot row, the latter are looked up in it; else the row is traversed */
    NO_LIST = -1
};

/* entries of a long column by size, in rows that may be pivots now */
typedef struct size_counts {
    bl_index count[SIZES];
    bl_index infinite; /* a column with such an entry has no pivot */
    int top;           /* no entry is in an earlier class */
} size_counts;

typedef struct eliminator {
    const bl_elimination_input *in;
    bl_elimination *e;
    double threshold, noise, inspected;      /* inspected: number of entries */
    int base;                                /* exponent of the largest entry */
    bool late, last;                         /* row_late and col_last are admitted */
    bl_index *next, *previous;               /* [n] neighbors of a column in its list */
    bl_index *list;                          /* [n] its list: class * COUNTS + count of entries - 1, or NO_LIST */
    bl_index *head;                          /* [LISTS] first column of a list */
    bl_index *mark;                          /* [n] entry of the pivot row, -1: none */
    bl_index *updated;                       /* [n] the row that was updated last */
    uint8_t *class_of, *done_col, *done_row; /* [n], [n], [m] */
    bl_index columns_in[SIZES];              /* columns of a class */
    int top;                                 /* least class with columns, SIZES: none */
    size_counts *size_counts;                /* [ncounts], with room for counts_room */
    bl_index ncounts, counts_room;
    bl_index *counts_of;    /* [n] 1 + index of the counts of a column, 0: none */
    bl_entry_table table;   /* entries of long rows */
    uint8_t *row_has_table; /* [m] all its entries are in the table */
} eliminator;

/* ---- entries */

static bl_status new_entry(bl_elimination *e, bl_index row, bl_index col, double value) {
    bl_index at = e->spare;
    if (at >= 0) {
        e->spare = e->entry[at].right;
    } else {
        if (e->nentry == e->room) {
            if (e->room > INT32_MAX / 2)
                return bl_fail(e->ctx, BL_E_MEMORY, NULL, "rank: the factors have more than %d entries", INT32_MAX / 2);
            bl_index room = e->room + e->room / 2 + 64;
            bl_elimination_entry *entry = bl_resize(e->ctx, e->entry, (size_t)room, sizeof *entry);
            if (!entry)
                return BL_E_MEMORY;
            e->entry = entry;
            e->room = room;
        }
        at = e->nentry++;
    }
    e->entry[at] = (bl_elimination_entry){.value = value, .row = row, .col = col, .left = -1, .up = -1};
    e->entry[at].right = e->row_first[row];
    e->entry[at].down = e->col_first[col];
    if (e->row_first[row] >= 0)
        e->entry[e->row_first[row]].left = at;
    if (e->col_first[col] >= 0)
        e->entry[e->col_first[col]].up = at;
    e->row_first[row] = e->col_first[col] = at;
    e->row_count[row]++;
    e->col_count[col]++;
    return BL_OK;
}

static void leave_row(bl_elimination *e, bl_index at) {
    const bl_elimination_entry *x = &e->entry[at];
    if (x->left >= 0)
        e->entry[x->left].right = x->right;
    else
        e->row_first[x->row] = x->right;
    if (x->right >= 0)
        e->entry[x->right].left = x->left;
    e->row_count[x->row]--;
}

static void leave_col(bl_elimination *e, bl_index at) {
    const bl_elimination_entry *x = &e->entry[at];
    if (x->up >= 0)
        e->entry[x->up].down = x->down;
    else
        e->col_first[x->col] = x->down;
    if (x->down >= 0)
        e->entry[x->down].up = x->up;
    e->col_count[x->col]--;
}

/* ---- long columns */

static bool may_be_pivot(const eliminator *s, bl_index row) { return s->late || !s->in->row_late || !s->in->row_late[row]; }

static int class_by_size(const eliminator *s, double size) {
    int class = GROWTH - (ilogb(size) - s->base);
    return class < 0 ? 0 : class >= SIZES ? SIZES - 1 : class;
}

/* an entry of this value is added to a column (by 1) or removed (by -1) */
static void count_entry(eliminator *s, bl_index col, bl_index row, double value, int by) {
    double size = fabs(value);
    if (s->counts_of[col] == 0 || !(size > 0) || !may_be_pivot(s, row))
        return;
    size_counts *c = &s->size_counts[s->counts_of[col] - 1];
    if (isinf(size)) {
        c->infinite += by;
        return;
    }
    int class = class_by_size(s, size);
    c->count[class] += by;
    c->top = class < c->top ? class : c->top;
}

static bl_status count_sizes(eliminator *s, bl_index col) {
    const bl_elimination *e = s->e;
    BL_TRY(BL_RESERVE(e->ctx, s->size_counts, s->counts_room, s->ncounts + 1));
    s->size_counts[s->ncounts] = (size_counts){.top = SIZES};
    s->counts_of[col] = ++s->ncounts;
    for (bl_index at = e->col_first[col]; at >= 0; at = e->entry[at].down)
        count_entry(s, col, e->entry[at].row, e->entry[at].value, 1);
    return BL_OK;
}

/* counts are obsolete when more rows are admitted */
static void discard_counts(eliminator *s) {
    memset(s->counts_of, 0, (size_t)s->e->n * sizeof *s->counts_of);
    s->ncounts = 0;
}

/* ---- lists of columns */

static void unlist(eliminator *s, bl_index j) {
    if (s->list[j] == NO_LIST)
        return;
    if (s->previous[j] >= 0)
        s->next[s->previous[j]] = s->next[j];
    else
        s->head[s->list[j]] = s->next[j];
    if (s->next[j] >= 0)
        s->previous[s->next[j]] = s->previous[j];
    s->list[j] = NO_LIST;
}

static void enlist(eliminator *s, bl_index j, bl_index list) {
    s->list[j] = list;
    s->previous[j] = -1;
    s->next[j] = s->head[list];
    if (s->head[list] >= 0)
        s->previous[s->head[list]] = j;
    s->head[list] = j;
}

static void remove_column(eliminator *s, bl_index j) {
    if (s->list[j] != NO_LIST)
        s->columns_in[s->class_of[j]]--;
    unlist(s, j);
}

static double largest_in(const eliminator *s, bl_index j) {
    const bl_elimination *e = s->e;
    double largest = 0;
    for (bl_index at = e->col_first[j]; at >= 0; at = e->entry[at].down) {
        double size = fabs(e->entry[at].value);
        if (size > largest && may_be_pivot(s, e->entry[at].row))
            largest = size;
    }
    return largest;
}

/* class of the largest entry of a column; SIZES: none is above the threshold, or one is not finite */
static int class_of_column(eliminator *s, bl_index j) {
    if (s->counts_of[j] > 0) {
        size_counts *c = &s->size_counts[s->counts_of[j] - 1];
        while (c->top < SIZES && c->count[c->top] == 0)
            c->top++;
        if (c->infinite > 0 || c->top == SIZES)
            return SIZES;
        if (s->threshold <= 0 || (c->top < SIZES - 1 && ldexp(1, s->base + GROWTH - c->top) > s->threshold))
            return c->top;
        if (c->top > 0 && ldexp(1, s->base + GROWTH - c->top + 1) <= s->threshold)
            return SIZES;
        /* the threshold is inside the class */
    }
    double largest = largest_in(s, j);
    return largest > s->threshold && isfinite(largest) ? class_by_size(s, largest) : SIZES;
}

/* updates class and list of a column */
static bl_status update_column(eliminator *s, bl_index j) {
    const bl_elimination *e = s->e;
    remove_column(s, j);
    if (s->done_col[j] || (!s->last && s->in->col_last && s->in->col_last[j]))
        return BL_OK;
    if (e->col_count[j] >= LONG && s->counts_of[j] == 0)
        BL_TRY(count_sizes(s, j));
    int class = class_of_column(s, j);
    if (class == SIZES)
        return BL_OK;
    s->class_of[j] = (uint8_t)(s->in->share > 0 ? GROWTH : class);
    s->columns_in[s->class_of[j]]++;
    if (s->class_of[j] < s->top)
        s->top = s->class_of[j];
    bl_index count = e->col_count[j] < COUNTS ? e->col_count[j] : COUNTS;
    enlist(s, j, s->class_of[j] * COUNTS + count - 1);
    return BL_OK;
}

/* class of the largest remaining entries; false: none is above the threshold */
static bool find_top_class(eliminator *s) {
    while (s->top < SIZES && s->columns_in[s->top] == 0)
        s->top++;
    return s->top < SIZES;
}

/* ---- pivots */

/* Columns with few entries first, among them those with larger ones. */
static bl_index find_pivot(eliminator *s) {
    const bl_elimination *e = s->e;
    double best_cost = INFINITY, best_size = 0;
    bl_index best = -1, searched = 0, most = s->in->share > 0 ? SEARCHED_LONG : SEARCHED, classes = s->in->loose ? NEAR : 1;
    bl_index ends = s->top + classes < SIZES ? s->top + classes : SIZES;
    for (bl_index count = 0; count < COUNTS; count++)
        for (bl_index size_class = s->top; size_class < ends && searched < most && best_cost > 0; size_class++) {
            double least = ldexp(1, s->base + GROWTH - (int)size_class);
            for (bl_index j = s->head[size_class * COUNTS + count]; j >= 0 && searched < most; j = s->next[j], searched++) {
                least = s->in->share > 0 ? s->in->share * largest_in(s, j) : least;
                for (bl_index at = e->col_first[j]; at >= 0; at = e->entry[at].down) {
                    const bl_elimination_entry *x = &e->entry[at];
                    double size = fabs(x->value), cost = (double)(e->row_count[x->row] - 1) * (double)(e->col_count[j] - 1);
                    if (!(size >= least) || (!s->late && s->in->row_late && s->in->row_late[x->row]))
                        continue;
                    if (cost < best_cost || (cost <= best_cost && size > best_size)) {
                        best = at;
                        best_cost = cost;
                        best_size = size;
                    }
                }
            }
        }
    return best;
}

/* entry -= by; removed if it cancels */
static void change(eliminator *s, bl_index at, double by) {
    bl_elimination *e = s->e;
    bl_elimination_entry *x = &e->entry[at];
    double old = x->value;
    x->value -= by;
    count_entry(s, x->col, x->row, old, -1);
    if (!(fabs(x->value) <= s->noise)) {
        count_entry(s, x->col, x->row, x->value, 1);
        return;
    }
    leave_row(e, at);
    leave_col(e, at);
    if (s->row_has_table[x->row])
        bl_entry_table_remove(&s->table, x->row, x->col);
    x->right = e->spare;
    e->spare = at;
}

static bl_status tabulate_row(eliminator *s, bl_index i) {
    const bl_elimination *e = s->e;
    for (bl_index at = e->row_first[i]; at >= 0; at = e->entry[at].right)
        BL_TRY(bl_entry_table_add(&s->table, i, e->entry[at].col, at));
    s->row_has_table[i] = 1;
    return BL_OK;
}

/* row i minus l times the pivot row, whose entries are marked */
static bl_status update_row(eliminator *s, bl_index p, bl_index i, double l) {
    bl_elimination *e = s->e;
    bool far = e->row_count[i] >= LONG && e->row_count[i] > FAR * e->row_count[p];
    s->inspected += (far ? 0 : e->row_count[i]) + e->row_count[p];
    if (far && !s->row_has_table[i])
        BL_TRY(tabulate_row(s, i));
    for (bl_index u = far ? e->row_first[p] : -1; u >= 0; u = e->entry[u].right) {
        bl_index at = bl_entry_table_find(&s->table, i, e->entry[u].col);
        if (at >= 0) {
            s->updated[e->entry[u].col] = i;
            change(s, at, l * e->entry[u].value);
        }
    }
    for (bl_index at = far ? -1 : e->row_first[i]; at >= 0;) {
        bl_index next = e->entry[at].right, col = e->entry[at].col;
        if (s->mark[col] >= 0) {
            s->updated[col] = i;
            change(s, at, l * e->entry[s->mark[col]].value);
        }
        at = next;
    }
    for (bl_index at = e->row_first[p]; at >= 0; at = e->entry[at].right) {
        bl_index col = e->entry[at].col;
        double value = -l * e->entry[at].value;
        if (s->updated[col] != i && !(fabs(value) <= s->noise)) {
            BL_TRY(new_entry(e, i, col, value));
            count_entry(s, col, i, value, 1);
            if (s->row_has_table[i])
                BL_TRY(bl_entry_table_add(&s->table, i, col, e->row_first[i]));
        }
        s->updated[col] = -1;
    }
    return BL_OK;
}

static bl_status eliminate(eliminator *s, bl_index at) {
    bl_elimination *e = s->e;
    bl_index p = e->entry[at].row, c = e->entry[at].col;
    double pivot = e->entry[at].value;
    remove_column(s, c);
    s->done_col[c] = s->done_row[p] = 1;
    e->pivot[e->rank] = pivot;
    e->row[e->rank] = p;
    e->col[e->rank++] = c;
    leave_row(e, at);
    leave_col(e, at);
    e->entry[at].right = e->spare;
    e->spare = at;
    for (bl_index u = e->row_first[p]; u >= 0; u = e->entry[u].right) {
        leave_col(e, u);
        count_entry(s, e->entry[u].col, p, e->entry[u].value, -1);
        s->mark[e->entry[u].col] = u;
    }
    for (bl_index l = e->col_first[c]; l >= 0; l = e->entry[l].down) {
        e->entry[l].value /= pivot;
        leave_row(e, l);
        if (s->row_has_table[e->entry[l].row])
            bl_entry_table_remove(&s->table, e->entry[l].row, c);
        BL_TRY(update_row(s, p, e->entry[l].row, e->entry[l].value));
    }
    for (bl_index u = e->row_first[p]; u >= 0; u = e->entry[u].right) {
        s->mark[e->entry[u].col] = -1;
        s->inspected += s->counts_of[e->entry[u].col] > 0 ? 1 : e->col_count[e->entry[u].col];
        BL_TRY(update_column(s, e->entry[u].col));
    }
    return BL_OK;
}

/* ---- complete elimination */

static double largest_of(const bl_elimination_input *in) {
    const bl_pattern *A = in->pattern;
    double largest = 0;
    for (bl_index j = 0; j < A->ncol; j++)
        for (bl_index k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
            double size = fabs(in->value[k]) / (in->row_scale ? in->row_scale[A->idx[k]] : 1) * (in->col_scale ? in->col_scale[j] : 1);
            if (size > largest && !(in->row_out && in->row_out[A->idx[k]]))
                largest = size;
        }
    return largest;
}

static bl_status allocate(bl_context *ctx, const bl_elimination_input *in, bl_elimination *e) {
    const bl_pattern *A = in->pattern;
    size_t m = (size_t)A->nrow, n = (size_t)A->ncol;
    *e = (bl_elimination){.ctx = ctx, .m = A->nrow, .n = A->ncol, .spare = -1};
    bl_index nnz = A->ptr[A->ncol];
    e->room = nnz + nnz / 2 + 16;
    BL_TRY(BL_NEW_ARRAYS(ctx, e->block, BL_ARRAY(e->pivot, m < n ? m : n), BL_ARRAY(e->row, m), BL_ARRAY(e->col, n),
                         BL_ARRAY(e->row_first, m), BL_ARRAY(e->row_count, m), BL_ARRAY(e->col_first, n), BL_ARRAY(e->col_count, n)));
    BL_TRY(BL_NEW(ctx, e->entry, e->room));
    for (size_t i = 0; i < m; i++)
        e->row_first[i] = -1;
    for (size_t j = 0; j < n; j++)
        e->col_first[j] = -1;
    return BL_OK;
}

static bl_status enter_entries(const bl_elimination_input *in, bl_elimination *e) {
    const bl_pattern *A = in->pattern;
    for (bl_index j = A->ncol - 1; j >= 0; j--)
        for (bl_index k = A->ptr[j + 1] - 1; k >= A->ptr[j]; k--) {
            bl_index i = A->idx[k];
            double value = in->value[k] / (in->row_scale ? in->row_scale[i] : 1) * (in->col_scale ? in->col_scale[j] : 1);
            if ((in->share > 0 || fabs(value) > sparse_canceled * e->largest) && isfinite(value) && !(in->row_out && in->row_out[i]))
                BL_TRY(new_entry(e, i, j, value));
        }
    return BL_OK;
}

/* lists rows and columns without pivots after the others, ascending */
static void list_rest(eliminator *s) {
    bl_elimination *e = s->e;
    bl_index row = e->rank, col = e->rank;
    for (bl_index i = 0; i < e->m; i++)
        if (!s->done_row[i])
            e->row[row++] = i;
    for (bl_index j = 0; j < e->n; j++)
        if (!s->done_col[j]) {
            e->col[col++] = j;
            for (bl_index at = e->col_first[j]; at >= 0; at = e->entry[at].down)
                e->left = fmax(e->left, fabs(e->entry[at].value));
        }
}

static bl_status run(eliminator *s) {
    bl_elimination *e = s->e;
    bool some_last = false, some_late = false;
    for (bl_index j = 0; j < e->n && s->in->col_last; j++)
        some_last = some_last || s->in->col_last[j];
    for (bl_index i = 0; i < e->m && s->in->row_late; i++)
        some_late = some_late || s->in->row_late[i];
    for (int late = 0; late <= (int)some_late; late++)
        for (int last = 0; last <= (int)some_last; last++) {
            s->late = late;
            s->last = last;
            s->top = SIZES;
            discard_counts(s);
            for (bl_index j = e->n - 1; j >= 0; j--)
                BL_TRY(update_column(s, j));
            while (find_top_class(s) && !(s->in->budget > 0 && s->inspected > s->in->budget)) {
                bl_index at = find_pivot(s);
                if (at < 0)
                    break;
                BL_TRY(eliminate(s, at));
            }
            for (bl_index j = 0; j < e->n; j++)
                remove_column(s, j);
        }
    list_rest(s);
    return BL_OK;
}

bl_status bl_elimination_run(bl_context *ctx, const bl_elimination_input *in, bl_elimination *out) {
    BL_TRY(allocate(ctx, in, out));
    size_t m = (size_t)out->m, n = (size_t)out->n;
    eliminator s = {.in = in, .e = out, .table = {.ctx = ctx}};
    out->largest = largest_of(in);
    double reference = fmax(out->largest, system_rank_least * in->size);
    out->tolerance = out->largest > 0 ? in->tolerance * reference / out->largest : in->tolerance;
    s.threshold = in->tolerance * reference;
    s.noise = in->share > 0 ? -1 : sparse_canceled * out->largest; /* -1: canceled entries are kept */
    s.base = out->largest > 0 && isfinite(out->largest) ? ilogb(out->largest) : 0;
    void *block = NULL;
    bl_status status = BL_NEW_ARRAYS(ctx, block, BL_ARRAY(s.next, n), BL_ARRAY(s.previous, n), BL_ARRAY(s.list, n), BL_ARRAY(s.mark, n),
                                     BL_ARRAY(s.updated, n), BL_ARRAY(s.head, LISTS), BL_ARRAY(s.counts_of, n), BL_ARRAY(s.class_of, n),
                                     BL_ARRAY(s.done_col, n), BL_ARRAY(s.done_row, m), BL_ARRAY(s.row_has_table, m));
    if (status == BL_OK)
        status = enter_entries(in, out);
    if (status == BL_OK) {
        memset(s.list, -1, n * sizeof *s.list); /* NO_LIST */
        memset(s.mark, -1, n * sizeof *s.mark);
        memset(s.updated, -1, n * sizeof *s.updated);
        memset(s.head, -1, LISTS * sizeof *s.head);
        status = run(&s);
    }
    bl_free(ctx, block);
    bl_free(ctx, s.size_counts);
    bl_entry_table_free(&s.table);
    return status;
}

void bl_elimination_free(bl_elimination *e) {
    if (!e->ctx)
        return;
    bl_free(e->ctx, e->block);
    bl_free(e->ctx, e->entry);
    bl_free(e->ctx, e->l_block);
    *e = (bl_elimination){0};
}

void bl_elimination_limit(bl_elimination *e, bl_index most) {
    for (; e->rank > most; e->rank--)
        e->left = fmax(e->left, fabs(e->pivot[e->rank - 1]));
}

void bl_elimination_motion(const bl_elimination *e, double *x) {
    for (bl_index k = e->rank - 1; k >= 0; k--) {
        double sum = 0;
        for (bl_index u = e->row_first[e->row[k]]; u >= 0; u = e->entry[u].right)
            sum -= e->entry[u].value * x[e->entry[u].col];
        x[e->col[k]] = sum / e->pivot[k];
    }
}
