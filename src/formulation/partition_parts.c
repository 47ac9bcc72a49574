/* partition with many degrees of freedom: no matrix couples all of them. Columns that share no row of G or M, directly or through others,
 * belong to parts that move independently:
 *
 *     small parts   their columns of R, the first of every part in one right-hand side, the second in the next, and R^T M R of each part
 *     large parts   R is not formed: R w by a solution with J, R (R^T M R)^-1 R^T z as the a of [M G^T; G 0] [a; .] = [z; 0]
 *
 * so memory and time are proportional to the entries of G and M. */
#include "formulation/partition.h"
#include "kkt/kkt_matrix.h"

#include "dense/dense.h"
#include "sparse/sparse.h"
#include "system/system_limits.h"

#include <math.h>
#include <string.h>

enum { MOST_PASSES = 4, MOST_ROUNDS = 16 };

struct bl_partition_parts {
    bl_index nsmall, nlarge;
    bl_index *of;           /* [nv] part of a column: small ones first, then large ones */
    bl_index *slot;         /* [f] the right-hand side that contains this column of R; -1: in a large part */
    bl_index *of_row;       /* [r] part of a row of J */
    bl_index *col_at, *col; /* [nsmall + 1], columns of the small parts */
    bl_index *ind_at, *ind; /* their indices in own->ind, a slot each */
    bl_index *dep_at, *dep; /* and in own->dep */
    size_t *A_at;           /* [nsmall + 1] */
    double *z, *y, *w;      /* [nv], [r], [f] */
    /* all large parts together */
    bl_index n, r;         /* columns, kept rows */
    bl_index *index, *row; /* [nv] of a column, -1: in a small part; [np] of a kept row, -1 */
    bl_index *column;      /* [n] */
    bl_index *former;      /* [r of J] row of the last analysis */
    bl_kkt_matrix saddle;  /* [M G^T; G 0] */
    double *x;             /* [n + r] */
    bl_linsol *solver;
    /* [nlarge] the largest entry of R known in each large part; then the previous ones */
    bl_index *best_row, *best_col;
    double *best;
    void *lists, *found, *matrices; /* blocks: of all arrays above except the last three; of these; of R and matrices as wide */
};

void bl_partition_parts_free(bl_formulation *form) {
    bl_partition *own = form->own;
    bl_partition_parts *p = own->parts;
    if (!p)
        return;
    bl_linsol_destroy(p->solver);
    bl_kkt_matrix_free(&p->saddle);
    void *blocks[] = {p->lists, p->x, p->found, p->matrices};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        bl_free(form->ctx, blocks[i]);
    bl_free(form->ctx, p);
    own->parts = NULL;
    own->R = NULL;
}

/* ---- which columns are coupled */

static bl_index root(bl_index *parent, bl_index i) {
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* parent[nv]: columns with a common row of G or M have the same root. first[np]: scratch */
static void join(const bl_system *sys, bl_index *parent, bl_index *first) {
    for (bl_index i = 0; i < sys->np; i++)
        first[i] = -1;
    for (bl_index j = 0; j < sys->nv; j++)
        parent[j] = j;
    for (bl_index j = 0; j < sys->nv; j++) {
        for (bl_index k = sys->pat_G.ptr[j]; k < sys->pat_G.ptr[j + 1]; k++) {
            bl_index *of = &first[sys->pat_G.idx[k]];
            if (*of < 0)
                *of = j;
            parent[root(parent, j)] = root(parent, *of);
        }
        for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++)
            parent[root(parent, j)] = root(parent, sys->pat_M.idx[k]);
    }
}

/* numbers the parts: small ones in the order of their first column, then large ones. count[nv], number[nv]: scratch */
static void number_parts(const bl_formulation *form, bl_index *parent, bl_index *count, bl_index *number) {
    const bl_partition *own = form->own;
    bl_partition_parts *p = own->parts;
    bl_index nv = form->sys->nv;
    p->nsmall = p->nlarge = 0;
    memset(count, 0, (size_t)nv * sizeof *count);
    for (bl_index j = 0; j < nv; j++)
        count[root(parent, j)] += own->is_independent[j];
    for (bl_index j = 0; j < nv; j++)
        number[j] = -1;
    for (int large = 0; large < 2; large++)
        for (bl_index j = 0; j < nv; j++) {
            bl_index of = root(parent, j);
            if ((count[of] > own->dense) != large)
                continue;
            if (number[of] < 0)
                number[of] = large ? p->nsmall + p->nlarge++ : p->nsmall++;
            p->of[j] = number[of];
        }
}

/* lists[at[k]] .. : the items of each small part, in order; part_of[i] of item i */
static void list_items(bl_index nsmall, bl_index n, const bl_index *part_of, bl_index *at, bl_index *list) {
    memset(at, 0, ((size_t)nsmall + 1) * sizeof *at);
    for (bl_index i = 0; i < n; i++)
        if (part_of[i] < nsmall)
            at[part_of[i] + 1]++;
    for (bl_index k = 0; k < nsmall; k++)
        at[k + 1] += at[k];
    for (bl_index i = 0; i < n; i++)
        if (part_of[i] < nsmall)
            list[at[part_of[i]]++] = i;
    for (bl_index k = nsmall; k > 0; k--)
        at[k] = at[k - 1];
    at[0] = 0;
}

static bl_status find_parts(bl_formulation *form) {
    bl_partition *own = form->own;
    bl_partition_parts *p = own->parts;
    const bl_system *sys = form->sys;
    bl_context *ctx = form->ctx;
    size_t nv = (size_t)sys->nv, np = (size_t)sys->np, r = (size_t)own->r, f = (size_t)own->f;
    if (!p->of) { /* at most as many parts as columns */
        BL_TRY(BL_NEW_ARRAYS(ctx, p->lists, BL_ARRAY(p->A_at, nv + 1), BL_ARRAY(p->z, nv), BL_ARRAY(p->y, r), BL_ARRAY(p->w, f),
                             BL_ARRAY(p->of, nv), BL_ARRAY(p->slot, f), BL_ARRAY(p->of_row, r), BL_ARRAY(p->col_at, nv + 1),
                             BL_ARRAY(p->col, nv), BL_ARRAY(p->ind_at, nv + 1), BL_ARRAY(p->ind, f), BL_ARRAY(p->dep_at, nv + 1),
                             BL_ARRAY(p->dep, r), BL_ARRAY(p->index, nv), BL_ARRAY(p->row, np), BL_ARRAY(p->former, r),
                             BL_ARRAY(p->column, nv)));
        for (size_t i = 0; i < r; i++)
            p->former[i] = -2;
    }
    bl_index *work;
    BL_TRY(BL_NEW(ctx, work, 3 * nv + np));
    join(sys, work, work + 3 * nv);
    number_parts(form, work, work + nv, work + 2 * nv);
    for (size_t k = 0; k < f; k++)
        p->w[k] = 0;
    list_items(p->nsmall, sys->nv, p->of, p->col_at, p->col);
    bl_index *part_of = work; /* of an index in ind, in dep */
    for (size_t k = 0; k < f; k++)
        part_of[k] = p->of[own->ind[k]];
    list_items(p->nsmall, own->f, part_of, p->ind_at, p->ind);
    for (size_t i = 0; i < r; i++)
        p->of_row[i] = p->of[own->dep[i]];
    list_items(p->nsmall, own->r, p->of_row, p->dep_at, p->dep);
    bl_free(ctx, work);
    own->width = 0;
    memset(p->slot, -1, f * sizeof *p->slot);
    p->A_at[0] = 0;
    for (bl_index k = 0; k < p->nsmall; k++) {
        bl_index wide = p->ind_at[k + 1] - p->ind_at[k];
        for (bl_index c = 0; c < wide; c++)
            p->slot[p->ind[p->ind_at[k] + c]] = c;
        own->width = wide > own->width ? wide : own->width;
        p->A_at[k + 1] = p->A_at[k] + (size_t)wide * (size_t)wide;
    }
    return BL_OK;
}

/* ---- [M G^T; G 0] of the large parts */

static bl_status build_saddle(bl_formulation *form) {
    bl_partition *own = form->own;
    bl_partition_parts *p = own->parts;
    const bl_system *sys = form->sys;
    bl_free(form->ctx, p->x);
    p->x = NULL;
    BL_TRY(bl_kkt_matrix_build(
        &(bl_kkt_form){
            .ctx = form->ctx, .n = p->n, .r = p->r, .block = {{.of = &sys->pat_M}}, .G = &sys->pat_G, .row = p->row, .column = p->index},
        &p->saddle));
    BL_TRY(BL_NEW(form->ctx, p->x, (size_t)p->n + (size_t)p->r));
    if (!p->solver)
        BL_TRY(bl_linsol_create(form->ctx, form->linsol_spec, &p->solver));
    p->solver->many = form->many;
    p->solver->brief = form->sampler_of != NULL;
    return bl_linsol_analyze(p->solver, &p->saddle.pattern, NULL, BL_REFUSE, form->rank_tolerance * system_rank_kept);
}

/* maps of the large parts; their matrix is analyzed anew where rows or columns have changed */
static bl_status find_saddle(bl_formulation *form) {
    bl_partition *own = form->own;
    bl_partition_parts *p = own->parts;
    const bl_system *sys = form->sys;
    bl_index n = 0, r = 0;
    bool same = p->solver != NULL;
    for (bl_index j = 0; j < sys->nv; j++) {
        bl_index at = p->of[j] >= p->nsmall ? n : -1;
        same = same && at == p->index[j];
        p->index[j] = at;
        if (at >= 0)
            p->column[n++] = j;
    }
    memset(p->row, -1, (size_t)sys->np * sizeof *p->row);
    for (bl_index k = 0; k < n; k++) {
        bl_index j = p->column[k];
        for (bl_index e = sys->pat_G.ptr[j]; e < sys->pat_G.ptr[j + 1]; e++)
            if (own->rows.slot[sys->pat_G.idx[e]] >= 0)
                p->row[sys->pat_G.idx[e]] = 0;
    }
    for (bl_index i = 0; i < own->r; i++) {
        bl_index *number = &p->row[own->rows.kept[i]], row = *number < 0 ? -1 : own->rows.kept[i];
        same = same && p->former[i] == row;
        p->former[i] = row;
        if (row >= 0)
            *number = r++;
    }
    same = same && p->n == n && p->r == r;
    p->n = n;
    p->r = r;
    return n == 0 || same ? BL_OK : build_saddle(form);
}

bl_status bl_partition_parts_build(bl_formulation *form) {
    bl_partition *own = form->own;
    bl_context *ctx = form->ctx;
    bl_index width = own->width, nlarge = own->parts ? own->parts->nlarge : 0;
    size_t entries = own->parts && own->parts->A_at ? own->parts->A_at[own->parts->nsmall] : 0;
    if (!own->parts)
        BL_TRY(BL_NEW(ctx, own->parts, 1));
    bl_partition_parts *p = own->parts;
    BL_TRY(find_parts(form));
    if (!own->R || width != own->width || entries != p->A_at[p->nsmall]) {
        size_t r = (size_t)own->r, wide = (size_t)own->width;
        BL_TRY(BL_NEW_ARRAYS(ctx, p->matrices, BL_ARRAY(own->R, r * wide), BL_ARRAY(own->full, wide * (size_t)form->sys->nv),
                             BL_ARRAY(own->A, p->A_at[p->nsmall])));
    }
    if (!p->best || nlarge != p->nlarge) {
        size_t twice = 2 * (size_t)p->nlarge;
        BL_TRY(BL_NEW_ARRAYS(ctx, p->found, BL_ARRAY(p->best, twice), BL_ARRAY(p->best_row, twice), BL_ARRAY(p->best_col, twice)));
    }
    for (bl_index k = 0; k < p->nlarge; k++)
        p->best_row[k] = p->best_col[k] = -1;
    return find_saddle(form);
}

void bl_partition_parts_log(bl_formulation *form) {
    const bl_partition *own = form->own;
    const bl_partition_parts *p = own->parts;
    bl_log(form->ctx, form->repeated ? BL_LOG_DEBUG : BL_LOG_INFO,
           "partition: %d parts move independently, %d of them with more than %d degrees of freedom", (int)(p->nsmall + p->nlarge),
           (int)p->nlarge, (int)own->dense);
}

/* ---- R */

/* y[r] = R w, w[f] scaled */
bl_status bl_partition_parts_expand(bl_formulation *form, const double *w, double *y) {
    bl_partition *own = form->own;
    memset(y, 0, (size_t)own->r * sizeof *y);
    for (bl_index k = 0; k < own->ni; k++)
        y[own->i_row[k]] -= own->i_factor[k] * form->at_e.G[own->i_from[k]] * w[own->i_col[k]];
    return bl_partition_solve(form, false, 1, y);
}

/* largest entries of the columns best_col, of all large parts at once, set best_row; *better: one grew */
static bl_status search_column(bl_formulation *form, bool *better) {
    bl_partition *own = form->own;
    bl_partition_parts *p = own->parts;
    for (bl_index k = 0; k < p->nlarge; k++)
        if (p->best_col[k] >= 0)
            p->w[p->best_col[k]] = 1;
    BL_TRY(bl_partition_parts_expand(form, p->w, p->y));
    for (bl_index k = 0; k < p->nlarge; k++)
        if (p->best_col[k] >= 0)
            p->w[p->best_col[k]] = 0;
    for (bl_index i = 0; i < own->r; i++) {
        bl_index k = p->of_row[i] - p->nsmall;
        if (k < 0 || fabs(p->y[i]) <= p->best[k])
            continue;
        p->best[k] = fabs(p->y[i]);
        p->best_row[k] = i;
        *better = true;
    }
    return BL_OK;
}

/* the same along the rows best_row: row i of R is -G_i^T J^-T e_i */
static bl_status search_row(bl_formulation *form, bool *better) {
    bl_partition *own = form->own;
    bl_partition_parts *p = own->parts;
    memset(p->y, 0, (size_t)own->r * sizeof *p->y);
    for (bl_index k = 0; k < p->nlarge; k++)
        if (p->best_row[k] >= 0)
            p->y[p->best_row[k]] = 1;
    BL_TRY(bl_partition_solve(form, true, 1, p->y));
    for (bl_index k = 0; k < own->ni; k++)
        p->w[own->i_col[k]] -= own->i_factor[k] * form->at_e.G[own->i_from[k]] * p->y[own->i_row[k]];
    for (bl_index c = 0; c < own->f; c++) {
        bl_index k = p->of[own->ind[c]] - p->nsmall;
        double size = fabs(p->w[c]);
        p->w[c] = 0;
        if (k < 0 || size <= p->best[k])
            continue;
        p->best[k] = size;
        p->best_col[k] = c;
        *better = true;
    }
    return BL_OK;
}

/* starting points: the row of each large part that moves most under velocities +1 and -1 in a fixed, irregular order */
static bl_status search_start(bl_formulation *form) {
    bl_partition *own = form->own;
    bl_partition_parts *p = own->parts;
    uint32_t bits = 2463534242u;
    for (bl_index c = 0; c < own->f; c++) {
        bits ^= bits << 13, bits ^= bits >> 17, bits ^= bits << 5;
        p->w[c] = bits & 1 ? 1 : -1;
    }
    BL_TRY(bl_partition_parts_expand(form, p->w, p->y));
    memset(p->w, 0, (size_t)own->f * sizeof *p->w);
    memset(p->best, 0, (size_t)p->nlarge * sizeof *p->best);
    for (bl_index i = 0; i < own->r; i++) {
        bl_index k = p->of_row[i] - p->nsmall;
        if (k >= 0 && fabs(p->y[i]) > p->best[k]) {
            p->best[k] = fabs(p->y[i]);
            p->best_row[k] = i;
        }
    }
    return BL_OK;
}

/* Large entries of R in the large parts: from one, the largest of its row, then of its column, until neither is larger. Between reviews a
 * single pass from the last one; `thorough`: also from rows that move much. Like a condition estimator, it may miss the largest of all. */
static bl_status search_large(bl_formulation *form, bool thorough) {
    bl_partition *own = form->own;
    bl_partition_parts *p = own->parts;
    for (int start = 0; start < (thorough ? 2 : 1) && p->nlarge > 0; start++) {
        bool around = start == 1, better = true;
        for (bl_index k = 0; k < p->nlarge; k++)
            around = around || p->best_row[k] < 0;
        if (around)
            BL_TRY(search_start(form));
        memset(p->best, 0, (size_t)p->nlarge * sizeof *p->best);
        for (int pass = 0; pass < (thorough ? MOST_PASSES : 1) && better; pass++) {
            better = false;
            BL_TRY(search_row(form, &better));
            BL_TRY(search_column(form, &better));
        }
        for (bl_index k = 0, before = p->nlarge; k < p->nlarge; k++, before++) {
            if (start == 1 && p->best[before] > p->best[k]) {
                p->best[k] = p->best[before];
                p->best_row[k] = p->best_row[before];
                p->best_col[k] = p->best_col[before];
            }
            p->best[before] = p->best[k];
            p->best_row[before] = p->best_row[k];
            p->best_col[before] = p->best_col[k];
            own->largest_R = p->best[k] <= own->largest_R ? own->largest_R : p->best[k];
        }
    }
    return BL_OK;
}

bl_status bl_partition_parts_directions(bl_formulation *form) {
    bl_partition *own = form->own;
    const bl_partition_parts *p = own->parts;
    size_t r = (size_t)own->r, n = r * (size_t)own->width;
    memset(own->R, 0, n * sizeof(double));
    for (bl_index k = 0; k < own->ni; k++)
        if (p->slot[own->i_col[k]] >= 0)
            own->R[(size_t)p->slot[own->i_col[k]] * r + (size_t)own->i_row[k]] = -own->i_factor[k] * form->at_e.G[own->i_from[k]];
    BL_TRY(bl_partition_solve(form, false, own->width, own->R));
    own->largest_R = 0;
    for (size_t i = 0; i < n; i++)
        if (!(fabs(own->R[i]) <= own->largest_R))
            own->largest_R = fabs(own->R[i]);
    return search_large(form, false);
}

/* ---- R^T M R */

static double dot_at(bl_index n, const bl_index *at, const double *x, const double *y) {
    double sum = 0;
    for (bl_index i = 0; i < n; i++)
        sum += x[at[i]] * y[at[i]];
    return sum;
}

/* *bad: column of a motion without mass */
static bl_status factor_small(bl_formulation *form, bl_index *bad) {
    bl_partition *own = form->own;
    const bl_partition_parts *p = own->parts;
    const bl_system *sys = form->sys;
    size_t nv = (size_t)sys->nv;
    memset(own->full, 0, nv * (size_t)own->width * sizeof *own->full);
    for (bl_index c = 0; c < own->width; c++)
        for (bl_index i = 0; i < own->r; i++)
            own->full[(size_t)c * nv + (size_t)own->dep[i]] = own->col_by[i] * own->R[(size_t)c * (size_t)own->r + (size_t)i];
    for (bl_index k = 0; k < own->f; k++)
        if (p->slot[k] >= 0)
            own->full[(size_t)p->slot[k] * nv + (size_t)own->ind[k]] = own->scale[own->ind[k]];
    for (bl_index c = 0; c < own->width; c++) {
        memset(p->z, 0, nv * sizeof *p->z);
        bl_csc_multiply(&sys->pat_M, form->at_e.M, own->full + (size_t)c * nv, p->z);
        for (bl_index k = 0; k < p->nsmall; k++) {
            bl_index wide = p->ind_at[k + 1] - p->ind_at[k], count = p->col_at[k + 1] - p->col_at[k];
            double *A = own->A + p->A_at[k] + (size_t)c * (size_t)wide;
            for (bl_index l = c; l < wide; l++)
                A[l] = dot_at(count, p->col + p->col_at[k], own->full + (size_t)l * nv, p->z);
        }
    }
    for (bl_index k = 0; k < p->nsmall; k++) {
        bl_index wide = p->ind_at[k + 1] - p->ind_at[k], at = 0;
        double *A = own->A + p->A_at[k], *diagonal = own->zdd + p->ind_at[k];
        for (bl_index c = 0; c < wide; c++)
            diagonal[c] = A[(size_t)c * (size_t)wide + (size_t)c];
        bl_status status = bl_cholesky(wide, A, &at);
        for (bl_index c = 0; c < wide && status == BL_OK; c++) {
            double pivot = A[(size_t)c * (size_t)wide + (size_t)c];
            if (pivot * pivot < system_massless * diagonal[c]) {
                status = BL_SINGULAR;
                at = c;
            }
        }
        if (status != BL_OK) {
            *bad = own->ind[p->ind[p->ind_at[k] + at]];
            return BL_SINGULAR;
        }
    }
    return BL_OK;
}

static bl_status factor_large(bl_formulation *form, bl_index *bad) {
    bl_partition *own = form->own;
    bl_partition_parts *p = own->parts;
    const bl_eval *e = &form->at_e;
    bl_kkt_matrix_clear(&p->saddle);
    bl_kkt_matrix_add(&p->saddle, 0, 1, e->M);
    bl_kkt_matrix_rows(&p->saddle, e->G, own->rows.by);
    bl_status status = bl_linsol_update(p->solver, p->saddle.values);
    if (status != BL_SINGULAR)
        return status;
    /* a dependent row of the matrix names the motion, where the solver reports one */
    const bl_linsol_stats *stats = &p->solver->stats;
    *bad = own->ind[0];
    for (bl_index k = 0; k < own->f; k++)
        if (p->slot[k] < 0) {
            *bad = own->ind[k];
            break;
        }
    for (bl_index k = 0; k < stats->ndependent; k++)
        if (stats->dependent[k] < p->n) {
            *bad = p->column[stats->dependent[k]];
            break;
        }
    return BL_SINGULAR;
}

bl_status bl_partition_parts_mass(bl_formulation *form, bl_index *bad) {
    const bl_partition *own = form->own;
    BL_TRY(factor_small(form, bad));
    return own->parts->n > 0 ? factor_large(form, bad) : BL_OK;
}

/* out = R (R^T M R)^-1 R^T z */
static bl_status respond(bl_formulation *form, const double *z, double *out) {
    bl_partition *own = form->own;
    const bl_partition_parts *p = own->parts;
    size_t nv = (size_t)form->sys->nv;
    for (bl_index k = 0; k < p->nsmall; k++) {
        bl_index wide = p->ind_at[k + 1] - p->ind_at[k], count = p->col_at[k + 1] - p->col_at[k];
        const bl_index *col = p->col + p->col_at[k];
        double *w = own->zdd + p->ind_at[k];
        for (bl_index c = 0; c < wide; c++)
            w[c] = dot_at(count, col, own->full + (size_t)c * nv, z);
        bl_cholesky_solve(wide, own->A + p->A_at[k], w);
        for (bl_index i = 0; i < count; i++)
            out[col[i]] = 0;
        for (bl_index c = 0; c < wide; c++)
            for (bl_index i = 0; i < count; i++)
                out[col[i]] += own->full[(size_t)c * nv + (size_t)col[i]] * w[c];
    }
    if (p->n == 0)
        return BL_OK;
    for (bl_index k = 0; k < p->n; k++)
        p->x[k] = z[p->column[k]];
    memset(p->x + p->n, 0, (size_t)p->r * sizeof *p->x);
    form->stats.solves++;
    BL_TRY(bl_linsol_solve(p->solver, false, 1, p->x));
    for (bl_index k = 0; k < p->n; k++)
        out[p->column[k]] = p->x[k];
    /* dependent ones again from the independent ones, so that constraints hold to the accuracy of J */
    for (bl_index k = 0; k < own->f; k++)
        p->w[k] = p->slot[k] < 0 ? out[own->ind[k]] / own->scale[own->ind[k]] : 0;
    BL_TRY(bl_partition_parts_expand(form, p->w, p->y));
    memset(p->w, 0, (size_t)own->f * sizeof *p->w);
    for (bl_index i = 0; i < own->r; i++)
        if (p->of_row[i] >= p->nsmall)
            out[own->dep[i]] = own->col_by[i] * p->y[i];
    return BL_OK;
}

bl_status bl_partition_parts_keep_allowed(bl_formulation *form, double *x) {
    const bl_partition *own = form->own;
    double *z = own->parts->z;
    memset(z, 0, (size_t)form->sys->nv * sizeof *z);
    bl_csc_multiply(&form->sys->pat_M, form->at_e.M, x, z);
    return respond(form, z, x);
}

bl_status bl_partition_parts_add_motion(bl_formulation *form, const double *Q, double *a) {
    const bl_partition *own = form->own;
    const bl_pattern *M = &form->sys->pat_M;
    bl_index nv = form->sys->nv;
    double *z = own->parts->z, *more = own->move; /* not in use here: an increment of positions */
    for (bl_index j = 0; j < nv; j++) {           /* rows of M are its columns */
        z[j] = Q[j];
        for (bl_index k = M->ptr[j]; k < M->ptr[j + 1]; k++)
            z[j] -= form->at_e.M[k] * a[M->idx[k]];
    }
    BL_TRY(respond(form, z, more));
    for (bl_index j = 0; j < nv; j++)
        a[j] += more[j];
    return BL_OK;
}

/* ---- exchanges */

static void exchange(bl_formulation *form, bl_index p, bl_index k) {
    bl_partition *own = form->own;
    bl_partition_log_exchange(form, p, k);
    bl_index column = own->dep[p];
    own->is_independent[column] = 1;
    own->is_independent[own->ind[k]] = 0;
    own->dep[p] = own->ind[k];
    own->ind[k] = column;
}

/* the rows row[high] of R, columns r apart, solved for column k instead of row p */
static void pivot(bl_index high, const bl_index *row, bl_index wide, double *R, size_t r, bl_index p, bl_index k) {
    double *column_k = R + (size_t)k * r, inverse = 1 / column_k[p];
    for (bl_index l = 0; l < wide; l++) {
        double *column = R + (size_t)l * r;
        if (l == k || column[p] == 0)
            continue;
        double factor = column[p] * inverse;
        for (bl_index i = 0; i < high; i++)
            if (row[i] != p)
                column[row[i]] -= column_k[row[i]] * factor;
        column[p] = -factor;
    }
    for (bl_index i = 0; i < high; i++)
        column_k[row[i]] *= inverse;
    column_k[p] = inverse;
}

/* the tableau of small part k: exchanges until no entry is above the goal */
static bool exchange_in(bl_formulation *form, bl_index k, double goal) {
    bl_partition *own = form->own;
    const bl_partition_parts *p = own->parts;
    size_t r = (size_t)own->r;
    bl_index wide = p->ind_at[k + 1] - p->ind_at[k], high = p->dep_at[k + 1] - p->dep_at[k], count = 0;
    const bl_index *dep = p->dep + p->dep_at[k], *ind = p->ind + p->ind_at[k];
    for (; count < 2 * wide + 10; count++) {
        double best = goal;
        bl_index row = -1, col = -1;
        for (bl_index c = 0; c < wide; c++)
            for (bl_index i = 0; i < high; i++)
                if (fabs(own->R[(size_t)c * r + (size_t)dep[i]]) > best) {
                    best = fabs(own->R[(size_t)c * r + (size_t)dep[i]]);
                    row = dep[i];
                    col = c;
                }
        if (row < 0)
            break;
        pivot(high, dep, wide, own->R, r, row, col);
        exchange(form, row, ind[col]);
    }
    return count > 0;
}

/* new factors at this configuration, and the large entries of R. false: *status, or no factors: the caller factors again with the same
 * result */
static bool factor_and_search(bl_formulation *form, bl_status *status) {
    *status = bl_partition_factor(form, true);
    if (*status > 0) {
        *status = BL_OK;
        return false;
    }
    if (*status == BL_OK)
        *status = bl_partition_directions(form);
    if (*status == BL_OK)
        *status = search_large(form, true);
    return *status == BL_OK;
}

bl_status bl_partition_parts_exchange(bl_formulation *form, double goal, bool *changed) {
    bl_partition *own = form->own;
    const bl_partition_parts *p = own->parts;
    bl_status status = BL_OK;
    *changed = false;
    if (own->factored)
        BL_TRY(search_large(form, true));
    else if (!factor_and_search(form, &status)) /* rows were exchanged before */
        return status;
    double limit = own->exchange;
    for (int round = 0; round < MOST_ROUNDS && own->largest_R > limit; round++, limit = goal) {
        own->stage = 0;
        for (bl_index k = 0; k < p->nsmall; k++)
            *changed = exchange_in(form, k, goal) || *changed;
        for (bl_index k = 0; k < p->nlarge; k++)
            if (p->best[k] > goal) {
                exchange(form, p->best_row[k], p->best_col[k]);
                *changed = true;
            }
        if (!*changed)
            break;
        if (round == 0)
            BL_TRY(bl_formulation_rebase(form));
        BL_TRY(bl_partition_build(form));
        if (p->nlarge == 0)
            break;
        if (!factor_and_search(form, &status))
            return status;
    }
    return BL_OK;
}
