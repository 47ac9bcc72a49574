/* The system of index 1 where the system provides M^-1 x, so that M is never formed. With rows G of the kept constraints and
 * W W^T = G M^-1 G^T (BL_W of the system)
 *
 *     W W^T lambda = G M^-1 Q - c,     a = M^-1 (Q - G^T lambda).
 *
 * A chain of n links with r rows takes O(n r + n r^2) instead of O(n^3); rows on different trees are not coupled in W W^T. */
#include "formulation/index1.h"

#include "sparse/sparse.h"
#include "system/system_limits.h"

#include <math.h>
#include <string.h>

/* Instructions of a rate that only one of the two needs, fitted to chains with a loop at the tip, chains closed by rods, separate four-bars
 * and four-bars in a row, and Bricard's mechanism: an entry of the full matrix above its diagonal, a product of its factorization; for the
 * recursion: per rate, a column, an entry of W, a product of W W^T, an entry of W W^T. */
static const double MATRIX_ENTRY = 340, MATRIX_PRODUCT = 0.55;
static const double ONCE = 7000, COLUMN = 900, ANSWER_ENTRY = 30, ANSWER_PRODUCT = 4, ROWS_ENTRY = 250;

struct bl_recursion {
    bl_index *mirror;   /* [entries of W W^T] index of the transposed entry */
    double *wide, *rhs; /* [nv] one row of W, else zero; [r] */
    double *best;       /* [r] largest diagonal entries at accepted states */
    void *block;
};

static void recursion_free(bl_formulation *form) {
    bl_index1 *own = form->own;
    if (own->recursion)
        bl_free(form->ctx, own->recursion->block);
    bl_free(form->ctx, own->recursion);
}

/* ---- the choice */

static const bl_row_choice *rows_of(const bl_formulation *form) { return &((const bl_index1 *)form->own)->rows; }

/* kept rows with an entry of W in each column: [ptr[c], ptr[c + 1]) of `row`, ascending */
static bl_status list_kept(const bl_formulation *form, bl_index **ptr, bl_index **row) {
    const bl_system *sys = form->sys;
    const bl_row_choice *by = rows_of(form);
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

/* rows j <= i that share a column with row i, each once; sets mark[r] to i for them, which it must not be before */
static bl_index list_sharing(const bl_formulation *form, bl_index i, const bl_index *ptr, const bl_index *row, bl_index *mark,
                             bl_index *with) {
    const bl_pattern *W = &form->sys->pat_W;
    const bl_row_choice *by = rows_of(form);
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
    /* products of a factorization of the full matrix from the tips of the chains; of W W^T, its factors, M^-1 x */
    double full_matrix, recursive;
    double entries; /* of W W^T */
} counts;

static void count_work(const bl_formulation *form, const bl_index *ptr, const bl_index *row, bl_index *mark, bl_index *with, counts *n) {
    const bl_system *sys = form->sys;
    const bl_row_choice *by = rows_of(form);
    *n = (counts){.recursive = ONCE + COLUMN * sys->nv};
    for (bl_index c = 0; c < sys->nv; c++) {
        double meets = (double)sys->mass_above[c] + (ptr[c + 1] - ptr[c]);
        n->full_matrix += MATRIX_ENTRY * meets + MATRIX_PRODUCT * meets * meets / 2;
    }
    for (bl_index i = 0; i < by->r; i++)
        mark[i] = -1;
    for (bl_index i = 0; i < by->r; i++) {
        double length = sys->pat_W.ptr[by->kept[i] + 1] - sys->pat_W.ptr[by->kept[i]];
        double sharing = list_sharing(form, i, ptr, row, mark, with);
        n->entries += 2 * sharing - 1;
        n->recursive +=
            ANSWER_ENTRY * length + ANSWER_PRODUCT * sharing * length + ROWS_ENTRY * sharing + MATRIX_PRODUCT * sharing * sharing / 2;
    }
}

/* ---- the matrix */

static bl_status build_matrix(bl_formulation *form, const bl_index *ptr, const bl_index *row, bl_index *mark, bl_index *with,
                              size_t entries) {
    bl_index1 *own = form->own;
    bl_index r = own->rows.r;
    bl_pairs pairs;
    struct bl_recursion *by;
    own->matrix.form.ctx = form->ctx; /* so that it is freed */
    BL_TRY(BL_NEW(form->ctx, by, 1));
    own->recursion = by;
    BL_TRY(BL_NEW_ARRAYS(form->ctx, by->block, BL_ARRAY(by->mirror, entries + 1), BL_ARRAY(by->wide, own->nv), BL_ARRAY(by->rhs, r),
                         BL_ARRAY(by->best, r)));
    BL_TRY(bl_pairs_begin(form->ctx, entries + 1, &pairs));
    for (bl_index i = 0; i < r; i++)
        mark[i] = -1;
    for (bl_index i = 0; i < r; i++) {
        bl_index found = list_sharing(form, i, ptr, row, mark, with);
        for (bl_index k = 0; k < found; k++) {
            bl_pairs_add(&pairs, i, with[k]);
            if (with[k] < i) /* and its transposed */
                bl_pairs_add(&pairs, with[k], i);
        }
    }
    BL_TRY(bl_pairs_end(&pairs, r, &own->matrix.pattern, 0, NULL));
    const bl_pattern *A = &own->matrix.pattern;
    for (bl_index j = 0; j < r; j++)
        for (bl_index p = A->ptr[j]; p < A->ptr[j + 1]; p++)
            by->mirror[p] = bl_pattern_find(A, j, A->idx[p]);
    return BL_NEW(form->ctx, own->matrix.values, A->ptr[r]);
}

/* decides, at the configuration of at_e, and builds the matrix where recursion is chosen */
static bl_status plan(bl_formulation *form, bool *taken) {
    bl_index1 *own = form->own;
    const bl_system *sys = form->sys;
    bl_index *ptr = NULL, *row = NULL, *mark = NULL, r = own->rows.r;
    counts n = {0};
    bl_masses masses = own->options.masses;
    *taken = false;
    if (own->matrix_only || !(sys->can & BL_CAN_MSOLVE) || !sys->mass_above || r == 0 || masses == BL_MASSES_MATRIX)
        return BL_OK;
    BL_TRY(bl_eval_room(sys, BL_W, &form->at_e));
    bl_status status = list_kept(form, &ptr, &row);
    if (status == BL_OK)
        status = BL_NEW(form->ctx, mark, 2 * (size_t)r);
    if (status == BL_OK) {
        count_work(form, ptr, row, mark, mark + r, &n);
        *taken = (masses == BL_MASSES_RECURSION || n.recursive < n.full_matrix) && n.entries < INT32_MAX;
    }
    if (*taken) {
        status = bl_system_eval(sys, &form->at_e, BL_W);
        own->matrix_only = status == BL_SINGULAR;
        *taken = status == BL_OK;
        status = own->matrix_only ? BL_OK : status;
    }
    if (*taken)
        status = build_matrix(form, ptr, row, mark, mark + r, (size_t)n.entries);
    bl_free(form->ctx, ptr);
    bl_free(form->ctx, mark);
    bl_log(form->ctx, BL_LOG_DEBUG, "%s: predicted work %.3g with a mass matrix, %.3g by recursion: %s", form->kind->kind.name,
           n.full_matrix, n.recursive,
           own->matrix_only ? "matrix, since M is singular"
           : *taken         ? "recursion"
                            : "matrix");
    return status;
}

static bl_status recursion_make(bl_formulation *form) {
    bl_index1 *own = form->own;
    bool taken;
    BL_TRY(plan(form, &taken));
    if (!taken) {
        own->solver = &bl_index1_sparse;
        return own->solver->make(form);
    }
    own->first_row = 0;
    BL_TRY(bl_formulation_analyze(form, &own->matrix.pattern, NULL, BL_REFUSE, form->rank_tolerance * system_rank_kept));
    own->linsol = form->linsol;
    return BL_OK;
}

static void fill_matrix(const bl_formulation *form) {
    bl_index1 *own = form->own;
    const bl_row_choice *rows = &own->rows;
    const struct bl_recursion *by = own->recursion;
    const bl_pattern *W = &form->sys->pat_W, *A = &own->matrix.pattern;
    const double *value = form->at_e.W;
    double *restrict wide = by->wide, *values = own->matrix.values;
    for (bl_index i = 0; i < rows->r; i++) {
        bl_index first = W->ptr[rows->kept[i]], end = W->ptr[rows->kept[i] + 1];
        double factor = rows->by[rows->kept[i]];
        for (bl_index k = first; k < end; k++)
            wide[W->idx[k]] = factor * value[k];
        for (bl_index p = A->ptr[i]; p < A->ptr[i + 1]; p++) {
            bl_index row = rows->kept[A->idx[p]];
            double sum = 0;
            if (A->idx[p] < i)
                continue;
            for (bl_index k = W->ptr[row]; k < W->ptr[row + 1]; k++)
                sum += wide[W->idx[k]] * value[k];
            values[p] = values[by->mirror[p]] = rows->by[row] * sum;
        }
        for (bl_index k = first; k < end; k++)
            wide[W->idx[k]] = 0;
    }
}

/* ---- nearness of dependent rows */

static double diagonal(const bl_index1 *own, bl_index i) {
    const bl_pattern *A = &own->matrix.pattern;
    bl_index p = A->ptr[i];
    while (A->idx[p] != i)
        p++;
    return own->matrix.values[p];
}

/* smallest remaining share of a row relative to its best value; pivots do not show it, since solvers scale rows */
static double left_over(const bl_index1 *own) {
    double left = 1;
    for (bl_index i = 0; i < own->rows.r; i++)
        if (own->recursion->best[i] > 0) /* known */
            left = fmin(left, diagonal(own, i) / own->recursion->best[i]);
    return left;
}

void bl_recursion_accept(bl_formulation *form) {
    const bl_index1 *own = form->own;
    for (bl_index i = 0; own->recursion && i < own->rows.r; i++)
        own->recursion->best[i] = fmax(own->recursion->best[i], diagonal(own, i));
}

/* ---- the solver */

static bl_status recursion_factor(bl_formulation *form) {
    bl_index1 *own = form->own;
    bool anew = !own->factored;
    BL_TRY(bl_system_eval(form->sys, &form->at_e, BL_G | BL_W));
    fill_matrix(form);
    own->factored = false;
    bl_status status = bl_formulation_factor(form, anew, own->matrix.values);
    own->linsol = form->linsol; /* another solver may have been substituted */
    BL_TRY(status);
    own->factored = true;
    own->quality = own->linsol->stats.worst_pivot * left_over(own);
    return BL_OK;
}

static bl_status solve_one(bl_formulation *form, double *x) {
    const bl_index1 *own = form->own;
    const bl_system *sys = form->sys;
    const bl_row_choice *rows = &own->rows;
    const bl_pattern *G = &sys->pat_G;
    const double *g = form->at_e.G;
    double *y = own->recursion->wide, *rhs = own->recursion->rhs, *lambda = x + sys->nv;
    bl_status status = bl_system_apply(sys, &form->at_e, BL_OP_MINV, 1, x, y);
    for (bl_index k = 0; k < rows->r; k++)
        rhs[k] = -lambda[k];
    for (bl_index j = 0; j < sys->nv && status == BL_OK; j++)
        for (bl_index p = G->ptr[j]; p < G->ptr[j + 1]; p++)
            if (rows->slot[G->idx[p]] >= 0)
                rhs[rows->slot[G->idx[p]]] += g[p] * rows->by[G->idx[p]] * y[j];
    memset(y, 0, (size_t)sys->nv * sizeof *y);
    BL_TRY(status);
    BL_TRY(bl_linsol_solve(own->linsol, false, 1, rhs));
    memcpy(lambda, rhs, (size_t)rows->r * sizeof *lambda);
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index p = G->ptr[j]; p < G->ptr[j + 1]; p++)
            if (rows->slot[G->idx[p]] >= 0)
                x[j] -= g[p] * rows->by[G->idx[p]] * lambda[rows->slot[G->idx[p]]];
    return bl_system_apply(sys, &form->at_e, BL_OP_MINV, 1, x, x);
}

static bl_status recursion_solve(bl_formulation *form, bl_index nrhs, double *x) {
    const bl_index1 *own = form->own;
    for (bl_index k = 0; k < nrhs; k++)
        BL_TRY(solve_one(form, x + (size_t)k * (size_t)(own->nv + own->rows.r)));
    return BL_OK;
}

const bl_index1_solver bl_index1_recursion = {
    .uses = BL_G, .make = recursion_make, .factor = recursion_factor, .solve = recursion_solve, .free = recursion_free};
