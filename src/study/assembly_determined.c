/* Systems that determine their columns group by group: a group of rows in which all columns but a few are known determines these, which
 * may let other groups determine theirs. The result is the only solution, hence also the least one; every entry is visited once. */
#include "study/assembly_private.h"
#include "system/system_limits.h"

#include <math.h>
#include <string.h>

enum { MOST_FIXED = 6 }; /* columns that a group may determine */

typedef struct rows {
    const bl_index *group;       /* [m] first row of the group */
    bl_index m, n, *start, *col; /* [m + 1] start of each row in col and coef */
    double *coef;                /* rows of length 1 */
    double *b, *x;               /* [m] right-hand side; [n] solution */
    bl_index *left;              /* [m] number of columns not determined yet */
    bl_index *at, *user;         /* [n + 1] start of each column in user: the rows that contain it */
    bool *fixed, *waiting;       /* [n]; [m] by first row: in the queue */
    bl_index *queue;             /* [m] groups to examine, a ring buffer */
    bl_index first, count;
} rows;

/* values by rows; duplicate entries, which are consecutive in a column, are added */
static void transpose(rows *r, const bl_pattern *A, const double *values) {
    bl_index *next = r->left;
    for (bl_index p = 0; p < A->ptr[A->ncol]; p++)
        r->start[A->idx[p] + 1]++;
    for (bl_index i = 0; i < r->m; i++) {
        r->start[i + 1] += r->start[i];
        next[i] = r->start[i];
    }
    for (bl_index j = 0; j < A->ncol; j++)
        for (bl_index p = A->ptr[j]; p < A->ptr[j + 1]; p++) {
            bl_index i = A->idx[p], *to = &next[i];
            if (*to > r->start[i] && r->col[*to - 1] == j) {
                r->coef[*to - 1] += values[p];
            } else {
                r->col[*to] = j;
                r->coef[(*to)++] = values[p];
            }
        }
}

/* scales rows to length 1, removes zero entries, and lists the rows of each column */
static void tidy(rows *r) {
    bl_index kept = 0;
    for (bl_index i = 0; i < r->m; i++) {
        bl_index begin = r->start[i], end = r->left[i];
        double square = 0;
        for (bl_index p = begin; p < end; p++)
            square += r->coef[p] * r->coef[p];
        double size = square > 0 ? 1 / sqrt(square) : 0;
        r->b[i] *= size;
        r->start[i] = kept;
        for (bl_index p = begin; p < end; p++)
            if (r->coef[p] != 0) {
                r->col[kept] = r->col[p];
                r->coef[kept++] = r->coef[p] * size;
            }
        r->left[i] = kept - r->start[i];
    }
    r->start[r->m] = kept;
    for (bl_index p = 0; p < kept; p++)
        r->at[r->col[p]]++;
    for (bl_index j = 0; j < r->n; j++)
        r->at[j + 1] += r->at[j];
    for (bl_index i = r->m - 1; i >= 0; i--) /* at[j] goes back from the end of its rows to their beginning */
        for (bl_index p = r->start[i]; p < r->start[i + 1]; p++)
            r->user[--r->at[r->col[p]]] = i;
}

static void put(rows *r, bl_index group) {
    if (r->waiting[group])
        return;
    r->waiting[group] = true;
    r->queue[(r->first + r->count++) % r->m] = group;
}

/* columns of the group that are not determined yet, at most MOST_FIXED; -1: more */
static bl_index open_columns(const rows *r, bl_index group, bl_index *open) {
    bl_index n = 0;
    for (bl_index i = group; i < r->m && r->group[i] == group; i++) {
        if (r->left[i] > MOST_FIXED)
            return -1;
        for (bl_index p = r->start[i], seen = 0; seen < r->left[i] && p < r->start[i + 1]; p++) {
            bl_index k = 0;
            if (r->fixed[r->col[p]])
                continue;
            seen++;
            while (k < n && open[k] != r->col[p])
                k++;
            if (k == MOST_FIXED)
                return -1;
            if (k == n)
                open[n++] = r->col[p];
        }
    }
    return n;
}

/* R [n][n + 1]: triangular factor of the rows so far and their right-hand sides; one more row is rotated into it */
static void rotate_in(bl_index n, double R[][MOST_FIXED + 1], double *row) {
    for (bl_index k = 0; k < n; k++) {
        double length = hypot(R[k][k], row[k]);
        if (row[k] == 0)
            continue;
        double c = R[k][k] / length, s = row[k] / length;
        for (bl_index l = k; l <= n; l++) {
            double upper = R[k][l];
            R[k][l] = c * upper + s * row[l];
            row[l] = c * row[l] - s * upper;
        }
    }
}

/* the open columns by least squares of the group's rows; false: the rows do not determine them */
static bool fix(rows *r, bl_index group, bl_index n, const bl_index *open) {
    double R[MOST_FIXED][MOST_FIXED + 1] = {{0}};
    for (bl_index i = group; i < r->m && r->group[i] == group; i++) {
        double row[MOST_FIXED + 1] = {0}, rest = r->b[i];
        for (bl_index p = r->start[i]; p < r->start[i + 1]; p++) {
            bl_index k = 0;
            if (r->fixed[r->col[p]]) {
                rest -= r->coef[p] * r->x[r->col[p]];
                continue;
            }
            while (open[k] != r->col[p])
                k++;
            row[k] = r->coef[p];
        }
        row[n] = rest;
        rotate_in(n, R, row);
    }
    for (bl_index k = 0; k < n; k++)
        if (!(fabs(R[k][k]) > system_assembly_clear))
            return false;
    for (bl_index k = n - 1; k >= 0; k--) {
        double sum = R[k][n];
        for (bl_index l = k + 1; l < n; l++)
            sum -= R[k][l] * r->x[open[l]];
        r->x[open[k]] = sum / R[k][k];
    }
    return true;
}

/* determines columns group after group; a group is queued again when another one has determined one of its columns */
static void fix_all(rows *r) {
    for (bl_index i = 0; i < r->m; i++)
        if (r->left[i] <= MOST_FIXED)
            put(r, r->group[i]);
    while (r->count > 0) {
        bl_index group = r->queue[r->first], open[MOST_FIXED], n;
        r->first = (r->first + 1) % r->m;
        r->count--;
        r->waiting[group] = false;
        n = open_columns(r, group, open);
        if (n <= 0 || !fix(r, group, n, open))
            continue;
        for (bl_index k = 0; k < n; k++)
            r->fixed[open[k]] = true;
        for (bl_index k = 0; k < n; k++)
            for (bl_index p = r->at[open[k]]; p < r->at[open[k] + 1]; p++) {
                bl_index i = r->user[p];
                if (--r->left[i] <= MOST_FIXED && r->left[i] > 0)
                    put(r, r->group[i]);
            }
    }
}

static bool all_met(const rows *r) {
    double largest = 0;
    for (bl_index i = 0; i < r->m; i++)
        largest = fmax(largest, fabs(r->b[i]));
    for (bl_index i = 0; i < r->m; i++) {
        double rest = r->b[i];
        for (bl_index p = r->start[i]; p < r->start[i + 1]; p++) {
            if (!r->fixed[r->col[p]])
                return false;
            rest -= r->coef[p] * r->x[r->col[p]];
        }
        if (!(fabs(rest) <= system_assembly_consistent * (1 + largest)))
            return false;
    }
    return true;
}

static bl_status lay_out(bl_arena *arena, const bl_pattern *A, rows *r) {
    size_t m = (size_t)A->nrow, n = (size_t)A->ncol, entries = (size_t)A->ptr[n];
    return BL_ARENA_ARRAYS(arena, BL_ARRAY(r->start, m + 1), BL_ARRAY(r->left, m), BL_ARRAY(r->queue, m), BL_ARRAY(r->at, n + 1),
                           BL_ARRAY(r->col, entries), BL_ARRAY(r->user, entries), BL_ARRAY(r->coef, entries), BL_ARRAY(r->b, m),
                           BL_ARRAY(r->x, n), BL_ARRAY(r->fixed, n), BL_ARRAY(r->waiting, m));
}

bl_status bl_assembly_determined(bl_context *ctx, const bl_pattern *pattern, const double *values, const bl_index *group, double *b,
                                 bool *solved) {
    bl_arena arena = {.ctx = ctx};
    rows r = {.group = group, .m = pattern->nrow, .n = pattern->ncol};
    *solved = false;
    bl_status status = lay_out(&arena, pattern, &r);
    if (status == BL_OK) {
        memcpy(r.b, b, (size_t)r.m * sizeof *b);
        transpose(&r, pattern, values);
        tidy(&r);
        fix_all(&r);
        *solved = all_met(&r);
        if (*solved)
            memcpy(b, r.x, (size_t)r.n * sizeof *b);
    }
    bl_arena_destroy(&arena);
    return status;
}
