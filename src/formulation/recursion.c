/* See recursion.h. */
#include "formulation/recursion.h"

#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

/* Instructions of a rate that go one way only, fitted to chains with a loop at the tip, chains closed by rods, four-bars apart and in a
 * row, and Bricard's mechanism: an entry of the whole matrix above its diagonal, a product of its factorisation; against that all in all,
 * a column, an entry of W, a product of W W^T, an entry of W W^T. */
static const double WHOLE_ENTRY = 340, WHOLE_PRODUCT = 0.55;
static const double ONCE = 7000, COLUMN = 900, ANSWER_ENTRY = 30, ANSWER_PRODUCT = 4, ROWS_ENTRY = 250;

void bl_recursion_free(bl_context *ctx, bl_recursion *by) {
    bl_free(ctx, by->mirror);
    bl_free(ctx, by->wide);
    *by = (bl_recursion){0};
}

/* ---- the choice */

/* kept rows that have each column in W: [ptr[c], ptr[c + 1]) of `row`, ascending */
static bl_status list_kept(const bl_formulation *form, const bl_recursion *by, bl_index **ptr, bl_index **row) {
    const bl_system *sys = form->sys;
    const bl_pattern *W = &sys->pat_W;
    BL_TRY(BL_NEW(form->ctx, *ptr, (size_t)sys->nv + 2 + (size_t)W->ptr[sys->np]));
    bl_index *p = *ptr;
    *row = p + sys->nv + 2;
    for (bl_index i = 0; i < by->r; i++)
        for (bl_index k = W->ptr[by->kept[i]]; k < W->ptr[by->kept[i] + 1]; k++)
            p[W->idx[k] + 2]++;
    for (bl_index c = 0; c < sys->nv; c++)
        p[c + 2] += p[c + 1];
    for (bl_index i = 0; i < by->r; i++)
        for (bl_index k = W->ptr[by->kept[i]]; k < W->ptr[by->kept[i] + 1]; k++)
            (*row)[p[W->idx[k] + 1]++] = i;
    return BL_OK;
}

/* rows j <= i that share a column with row i, each once; mark[r] is i afterwards for them, and differs before */
static bl_index list_sharing(const bl_formulation *form, const bl_recursion *by, bl_index i, const bl_index *ptr, const bl_index *row,
                             bl_index *mark, bl_index *with) {
    const bl_pattern *W = &form->sys->pat_W;
    bl_index n = 0;
    for (bl_index k = W->ptr[by->kept[i]]; k < W->ptr[by->kept[i] + 1]; k++)
        for (bl_index m = ptr[W->idx[k]]; m < ptr[W->idx[k] + 1] && row[m] <= i; m++)
            if (mark[row[m]] != i) {
                mark[row[m]] = i;
                with[n++] = row[m];
            }
    return n;
}

typedef struct counts {
    double whole,
        recursive;  /* products of a factorisation of the whole matrix from the tips of the chains; of W W^T, its factors, M^-1 x */
    double entries; /* of W W^T */
} counts;

static void count_work(const bl_formulation *form, const bl_recursion *by, const bl_index *ptr, const bl_index *row, bl_index *mark,
                       bl_index *with, counts *n) {
    const bl_system *sys = form->sys;
    *n = (counts){.recursive = ONCE + COLUMN * sys->nv};
    for (bl_index c = 0; c < sys->nv; c++) {
        double meets = (double)sys->mass_above[c] + (ptr[c + 1] - ptr[c]);
        n->whole += WHOLE_ENTRY * meets + WHOLE_PRODUCT * meets * meets / 2;
    }
    for (bl_index i = 0; i < by->r; i++)
        mark[i] = -1;
    for (bl_index i = 0; i < by->r; i++) {
        double length = sys->pat_W.ptr[by->kept[i] + 1] - sys->pat_W.ptr[by->kept[i]];
        double sharing = list_sharing(form, by, i, ptr, row, mark, with);
        n->entries += 2 * sharing - 1;
        n->recursive +=
            ANSWER_ENTRY * length + ANSWER_PRODUCT * sharing * length + ROWS_ENTRY * sharing + WHOLE_PRODUCT * sharing * sharing / 2;
    }
}

/* ---- the matrix */

static bl_status build_matrix(const bl_formulation *form, bl_recursion *by, const bl_index *ptr, const bl_index *row, bl_index *mark,
                              bl_index *with, size_t entries, bl_pattern *pattern) {
    bl_index *pair, n = 0;
    size_t nv = (size_t)form->sys->nv, r = (size_t)by->r;
    BL_TRY(BL_NEW(form->ctx, pair, 3 * entries + 1));
    bl_index *col = pair + entries, *slot = col + entries;
    for (bl_index i = 0; i < by->r; i++)
        mark[i] = -1;
    for (bl_index i = 0; i < by->r; i++) {
        bl_index found = list_sharing(form, by, i, ptr, row, mark, with);
        for (bl_index k = 0; k < found; k++) {
            pair[n] = i;
            col[n++] = with[k];
            if (with[k] < i) { /* beside it its transposed */
                pair[n] = with[k];
                col[n++] = i;
            }
        }
    }
    bl_status status = bl_pattern_build(form->ctx, by->r, by->r, n, pair, col, pattern, slot);
    if (status == BL_OK)
        status = BL_NEW(form->ctx, by->mirror, n + 1);
    for (bl_index k = 0; status == BL_OK && k < n; k++) {
        by->mirror[slot[k]] = slot[k];
        if (pair[k] != col[k]) {
            by->mirror[slot[k]] = slot[k + 1];
            by->mirror[slot[k + 1]] = slot[k];
            k++;
        }
    }
    bl_free(form->ctx, pair);
    BL_TRY(status);
    by->matrix = *pattern;
    BL_TRY(BL_NEW(form->ctx, by->wide, nv + 2 * r + 1));
    by->rhs = by->wide + nv;
    by->best = by->rhs + r;
    return BL_OK;
}

bl_status bl_recursion_plan(bl_formulation *form, bl_recursion *by, bl_index r, const bl_index *kept, const bl_index *place,
                            bl_recursion_way way, bl_pattern *pattern, bool *singular) {
    const bl_system *sys = form->sys;
    bl_index *ptr = NULL, *row = NULL, *mark = NULL;
    counts n = {0};
    *by = (bl_recursion){.r = r, .kept = kept, .place = place};
    *singular = false;
    if (!(sys->can & BL_CAN_MSOLVE) || !sys->mass_above || r == 0 || way == BL_BY_MATRIX)
        return BL_OK;
    BL_TRY(bl_eval_room(sys, BL_W, &form->at_e));
    bl_status status = list_kept(form, by, &ptr, &row);
    if (status == BL_OK)
        status = BL_NEW(form->ctx, mark, 2 * (size_t)r);
    if (status == BL_OK) {
        count_work(form, by, ptr, row, mark, mark + r, &n);
        by->taken = (way == BL_BY_RECURSION || n.recursive < n.whole) && n.entries < INT32_MAX;
    }
    if (by->taken) {
        status = bl_system_eval(sys, &form->at_e, BL_W);
        *singular = status == BL_SINGULAR;
        by->taken = status == BL_OK;
        status = *singular ? BL_OK : status;
    }
    if (by->taken)
        status = build_matrix(form, by, ptr, row, mark, mark + r, (size_t)n.entries, pattern);
    bl_free(form->ctx, ptr);
    bl_free(form->ctx, mark);
    bl_log(form->ctx, BL_LOG_DEBUG, "%s: predicted work %.3g with a mass matrix, %.3g by recursion: %s", form->kind->kind.name, n.whole,
           n.recursive,
           *singular   ? "matrix, since M has no inverse"
           : by->taken ? "recursion"
                       : "matrix");
    return status;
}

void bl_recursion_matrix(const bl_formulation *form, bl_recursion *by, const double *row_by, double *values) {
    const bl_pattern *W = &form->sys->pat_W, *A = &by->matrix;
    const double *value = form->at_e.W;
    double *restrict wide = by->wide;
    for (bl_index i = 0; i < by->r; i++) {
        bl_index first = W->ptr[by->kept[i]], end = W->ptr[by->kept[i] + 1];
        double factor = row_by[by->kept[i]];
        for (bl_index k = first; k < end; k++)
            wide[W->idx[k]] = factor * value[k];
        for (bl_index p = A->ptr[i]; p < A->ptr[i + 1]; p++) {
            bl_index row = by->kept[A->idx[p]];
            double sum = 0;
            if (A->idx[p] < i)
                continue;
            for (bl_index k = W->ptr[row]; k < W->ptr[row + 1]; k++)
                sum += wide[W->idx[k]] * value[k];
            values[p] = values[by->mirror[p]] = row_by[row] * sum;
        }
        for (bl_index k = first; k < end; k++)
            wide[W->idx[k]] = 0;
    }
}

bl_status bl_recursion_solve(bl_formulation *form, bl_recursion *by, const double *row_by, double *x) {
    const bl_system *sys = form->sys;
    const bl_pattern *G = &sys->pat_G;
    const double *g = form->at_e.G;
    double *y = by->wide, *lambda = x + sys->nv;
    bl_status status = bl_system_apply(sys, &form->at_e, BL_OP_MINV, 1, x, y);
    for (bl_index k = 0; k < by->r; k++)
        by->rhs[k] = -lambda[k];
    for (bl_index j = 0; j < sys->nv && status == BL_OK; j++)
        for (bl_index p = G->ptr[j]; p < G->ptr[j + 1]; p++)
            if (by->place[G->idx[p]] >= 0)
                by->rhs[by->place[G->idx[p]]] += g[p] * row_by[G->idx[p]] * y[j];
    memset(y, 0, (size_t)sys->nv * sizeof *y);
    BL_TRY(status);
    BL_TRY(bl_linsol_solve(form->linsol, false, 1, by->rhs));
    memcpy(lambda, by->rhs, (size_t)by->r * sizeof *lambda);
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index p = G->ptr[j]; p < G->ptr[j + 1]; p++)
            if (by->place[G->idx[p]] >= 0)
                x[j] -= g[p] * row_by[G->idx[p]] * lambda[by->place[G->idx[p]]];
    return bl_system_apply(sys, &form->at_e, BL_OP_MINV, 1, x, x);
}

/* ---- how near dependent rows are */

static double diagonal(const bl_recursion *by, const double *values, bl_index i) {
    bl_index p = by->matrix.ptr[i];
    while (by->matrix.idx[p] != i)
        p++;
    return values[p];
}

double bl_recursion_left(const bl_recursion *by, const double *values) {
    double left = 1;
    for (bl_index i = 0; i < by->r; i++)
        if (by->best[i] > 0) /* known */
            left = fmin(left, diagonal(by, values, i) / by->best[i]);
    return left;
}

void bl_recursion_best(bl_recursion *by, const double *values) {
    for (bl_index i = 0; by->taken && i < by->r; i++)
        by->best[i] = fmax(by->best[i], diagonal(by, values, i));
}
