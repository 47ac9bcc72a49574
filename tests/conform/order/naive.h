/* Orderings implemented a second time, directly from their rules on a full matrix, with all counts recomputed in each step. */
#ifndef BL_TEST_NAIVE_H
#define BL_TEST_NAIVE_H

#include "support/patterns.h"

#include <string.h>

enum { NAIVE_MOST = 64 };

typedef struct naive {
    bl_index nrow, ncol;
    uint8_t a[NAIVE_MOST][NAIVE_MOST];
    bool row_live[NAIVE_MOST], col_live[NAIVE_MOST];
    bl_index nblock, size[NAIVE_MOST], row[NAIVE_MOST], col[NAIVE_MOST], placed;
    bl_index border[NAIVE_MOST], band[NAIVE_MOST], nborder, nband;
} naive;

static void naive_begin(naive *n, const bl_pattern *p) {
    memset(n, 0, sizeof *n);
    n->nrow = p->nrow;
    n->ncol = p->ncol;
    memset(n->row_live, 1, (size_t)p->nrow);
    memset(n->col_live, 1, (size_t)p->ncol);
    for (bl_index j = 0; j < p->ncol; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++)
            n->a[p->idx[k]][j] = 1;
}

static bl_index naive_row_count(const naive *n, bl_index i) {
    bl_index count = 0;
    for (bl_index j = 0; j < n->ncol; j++)
        count += n->col_live[j] && n->a[i][j];
    return count;
}

/* entries of a column in live rows of this count (-1: any) */
static bl_index naive_col_count(const naive *n, bl_index j, bl_index count) {
    bl_index sum = 0;
    for (bl_index i = 0; i < n->nrow; i++)
        sum += n->row_live[i] && n->a[i][j] && (count < 0 || naive_row_count(n, i) == count);
    return sum;
}

static bl_index naive_least(const naive *n) {
    bl_index least = -1;
    for (bl_index i = 0; i < n->nrow; i++)
        if (n->row_live[i] && (least < 0 || naive_row_count(n, i) < least))
            least = naive_row_count(n, i);
    return least;
}

static bl_index naive_best(const naive *n, bl_index count, bool by_entries_only) {
    bl_index best = -1, best_low = 0, best_all = 0;
    for (bl_index j = 0; j < n->ncol; j++) {
        bl_index low = n->col_live[j] ? naive_col_count(n, j, count) : 0, all = naive_col_count(n, j, -1);
        if (low == 0)
            continue;
        if (by_entries_only)
            low = 1;
        if (best < 0 || low > best_low || (low == best_low && all > best_all)) {
            best = j;
            best_low = low;
            best_all = all;
        }
    }
    return best;
}

static void naive_block(naive *n, bl_index size, const bl_index *row, const bl_index *col) {
    n->size[n->nblock++] = size;
    for (bl_index k = 0; k < size; k++) {
        n->row[n->placed] = row[k];
        n->col[n->placed++] = col[k];
        n->row_live[row[k]] = n->col_live[col[k]] = false;
    }
}

static void naive_to_border(naive *n, bl_index j) {
    n->col_live[j] = false;
    n->border[n->nborder++] = j;
}

static void naive_to_band(naive *n, bl_index i) {
    n->row_live[i] = false;
    n->band[n->nband++] = i;
}

static void naive_finish(naive *n) {
    for (bl_index j = 0; j < n->ncol; j++)
        if (n->col_live[j])
            naive_to_border(n, j);
}

/* ---- P5 */

static bool naive_augment(const naive *n, bl_index i, bl_index ntaken, const bl_index *taken, bool *seen, bl_index *row_of) {
    for (bl_index k = ntaken; k-- > 0;) {
        if (!n->a[i][taken[k]] || seen[k])
            continue;
        seen[k] = true;
        if (row_of[k] < 0 || naive_augment(n, row_of[k], ntaken, taken, seen, row_of)) {
            row_of[k] = i;
            return true;
        }
    }
    return false;
}

static void naive_p5(naive *n) {
    for (bl_index least; (least = naive_least(n)) >= 0;) {
        bl_index taken[NAIVE_MOST], row_of[NAIVE_MOST], rows[NAIVE_MOST], cols[NAIVE_MOST], ntaken = 0, size = 0;
        for (; least > 0; least = naive_least(n)) {
            taken[ntaken] = naive_best(n, least, false);
            n->col_live[taken[ntaken++]] = false;
        }
        memset(row_of, -1, sizeof row_of);
        bool empty[NAIVE_MOST] = {false}, paired[NAIVE_MOST] = {false};
        for (bl_index i = 0; i < n->nrow; i++)
            if (n->row_live[i] && naive_row_count(n, i) == 0) {
                bool seen[NAIVE_MOST] = {false};
                empty[i] = true;
                naive_augment(n, i, ntaken, taken, seen, row_of);
            }
        for (bl_index i = 0; i < n->nrow; i++)
            for (bl_index k = 0; k < ntaken; k++)
                if (row_of[k] == i) {
                    paired[i] = true;
                    rows[size] = i;
                    cols[size++] = taken[k];
                }
        if (size > 0)
            naive_block(n, size, rows, cols);
        for (bl_index k = 0; k < ntaken; k++)
            if (row_of[k] < 0)
                naive_to_border(n, taken[k]);
        for (bl_index i = 0; i < n->nrow; i++)
            if (empty[i] && !paired[i])
                naive_to_band(n, i);
    }
    naive_finish(n);
}

/* ---- P3: one pair after another in row, col; blocks are found by the test */

static void naive_p3(naive *n) {
    bl_index stack[NAIVE_MOST], nstack = 0;
    for (bl_index least; (least = naive_least(n)) >= 0;) {
        if (least > 0) {
            stack[nstack] = naive_best(n, least, false);
            n->col_live[stack[nstack++]] = false;
            continue;
        }
        for (bl_index i = 0; i < n->nrow; i++)
            if (n->row_live[i] && naive_row_count(n, i) == 0) {
                if (nstack > 0)
                    naive_block(n, 1, &i, &stack[--nstack]);
                else
                    naive_to_band(n, i);
            }
    }
    for (bl_index k = 0; k < nstack; k++)
        naive_to_border(n, stack[k]);
    naive_finish(n);
}

/* ---- mechanism */

static bool naive_cycles(naive *n) {
    bool in_row[NAIVE_MOST], in_col[NAIVE_MOST], changed = true, taken = false;
    for (bl_index i = 0; i < n->nrow; i++)
        in_row[i] = n->row_live[i] && naive_row_count(n, i) == 2;
    for (bl_index j = 0; j < n->ncol; j++)
        in_col[j] = n->col_live[j];
    while (changed) {
        changed = false;
        for (int pass = 0; pass < 3; pass++) { /* columns with more than two, rows with fewer, columns with fewer */
            bool drop[NAIVE_MOST] = {false};
            bl_index most = pass == 1 ? n->nrow : n->ncol;
            for (bl_index x = 0; x < most; x++) {
                bl_index count = 0;
                if (pass == 1)
                    for (bl_index j = 0; j < n->ncol; j++)
                        count += in_col[j] && n->a[x][j];
                else
                    for (bl_index i = 0; i < n->nrow; i++)
                        count += in_row[i] && n->a[i][x];
                drop[x] = (pass == 1 ? in_row : in_col)[x] && (pass == 0 ? count > 2 : count < 2);
            }
            for (bl_index x = 0; x < most; x++)
                if (drop[x]) {
                    (pass == 1 ? in_row : in_col)[x] = false;
                    changed = true;
                }
        }
    }
    for (bl_index first = 0; first < n->nrow; first++) {
        if (!in_row[first])
            continue;
        bool mine[NAIVE_MOST] = {false}, grown = true;
        mine[first] = true;
        while (grown) {
            grown = false;
            for (bl_index i = 0; i < n->nrow; i++)
                for (bl_index k = 0; k < n->nrow; k++)
                    for (bl_index j = 0; j < n->ncol; j++)
                        if (mine[i] && in_row[k] && !mine[k] && in_col[j] && n->a[i][j] && n->a[k][j])
                            mine[k] = grown = true;
        }
        bl_index rows[NAIVE_MOST], cols[NAIVE_MOST], nr = 0, nc = 0;
        for (bl_index j = 0; j < n->ncol; j++)
            for (bl_index i = 0; i < n->nrow; i++)
                if (mine[i] && in_col[j] && n->a[i][j] && (nc == 0 || cols[nc - 1] != j))
                    cols[nc++] = j;
        for (bl_index i = 0; i < n->nrow; i++)
            if (mine[i]) {
                rows[nr++] = i;
                in_row[i] = false;
            }
        if (nr <= 3) {
            assert_int_equal(nr, nc);
            naive_block(n, nr, rows, cols);
            taken = true;
        }
    }
    return taken;
}

/* rows of count 3 with these columns */
static bl_index naive_same(const naive *n, const bl_index col[3], bl_index *rows) {
    bl_index count = 0;
    for (bl_index i = 0; i < n->nrow; i++)
        if (n->row_live[i] && naive_row_count(n, i) == 3 && n->a[i][col[0]] && n->a[i][col[1]] && n->a[i][col[2]])
            rows[count++] = i;
    return count;
}

static bool naive_triples(naive *n, bool literal) {
    bl_index best[3] = {0}, best_rows = 0, best_weight = 0;
    bl_index c[3], rows[NAIVE_MOST];
    for (c[0] = 0; c[0] < n->ncol; c[0]++)
        for (c[1] = c[0] + 1; n->col_live[c[0]] && c[1] < n->ncol; c[1]++)
            for (c[2] = c[1] + 1; n->col_live[c[1]] && c[2] < n->ncol; c[2]++) {
                bl_index same = n->col_live[c[2]] ? naive_same(n, c, rows) : 0, weight = 0;
                if (same < 2)
                    continue;
                for (int k = 0; k < 3; k++)
                    weight += naive_col_count(n, c[k], -1);
                if (same > 2)
                    weight = 0; /* the number of rows decides, then the smallest columns */
                if (same > best_rows || (same == best_rows && weight > best_weight)) {
                    memcpy(best, c, sizeof best);
                    best_rows = same;
                    best_weight = weight;
                }
            }
    if (best_rows >= 3) {
        naive_same(n, best, rows);
        naive_block(n, 3, rows, best);
        return true;
    }
    if (best_rows < 2 || literal)
        return false;
    naive_same(n, best, rows);
    int out = 0;
    for (int k = 1; k < 3; k++)
        if (naive_col_count(n, best[k], -1) > naive_col_count(n, best[out], -1))
            out = k;
    bl_index two[2], m = 0;
    for (int k = 0; k < 3; k++)
        if (k != out)
            two[m++] = best[k];
    naive_to_border(n, best[out]);
    naive_block(n, 2, rows, two);
    return true;
}

static void naive_single(naive *n, bl_index count) {
    bl_index col = naive_best(n, count, count == 1), row = 0;
    while (!n->row_live[row] || !n->a[row][col] || naive_row_count(n, row) != count)
        row++;
    naive_block(n, 1, &row, &col);
    for (bl_index j = 0; j < n->ncol; j++)
        if (n->col_live[j] && n->a[row][j])
            naive_to_border(n, j);
}

static void naive_mechanism(naive *n, bool literal) {
    for (bl_index least; (least = naive_least(n)) >= 0;) {
        if (least == 0) {
            for (bl_index i = 0; i < n->nrow; i++)
                if (n->row_live[i] && naive_row_count(n, i) == 0)
                    naive_to_band(n, i);
        } else if (least == 1) {
            naive_single(n, 1);
        } else if (least > 3) {
            naive_to_border(n, naive_best(n, least, false));
        } else if (least == 3 || !naive_cycles(n)) {
            bool threes = false;
            for (bl_index i = 0; i < n->nrow; i++)
                threes = threes || (n->row_live[i] && naive_row_count(n, i) == 3);
            if (!threes || !naive_triples(n, literal))
                naive_single(n, threes ? 3 : 2);
        }
    }
    naive_finish(n);
}

#endif
