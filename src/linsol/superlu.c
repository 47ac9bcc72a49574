/* Sparse solver: SuperLU (supernodes, partial pivoting) on the scaled matrix, columns by COLAMD or as given.
 * Demmel, Eisenstat, Gilbert, Li and Liu, SIAM J. Matrix Anal. Appl. 20 (1999). SuperLU chooses pivots and patterns; refactoring and
 * solving are done here on its supernodes, since its own routines allocate (and end the process if memory is short). */
#include "base/library.h"
#include "linsol/direct_solver.h"

#include "order/order.h"

#include <math.h>
#include <string.h>
#include <superlu/slu_ddefs.h>

enum { P_ORDERING, P_PIVOT };

/* loaded when a solver is created: it depends on a BLAS */
#define FUNCTIONS(X)       \
    X(set_default_options) \
    X(StatInit)            \
    X(StatFree) X(sp_preorder) X(sp_ienv) X(dgstrf) X(Destroy_SuperNode_Matrix) X(Destroy_CompCol_Matrix) X(Destroy_CompCol_Permuted)
#define DECLARE(name) __typeof__(&(name)) name;
#define NAME(name) #name,
typedef struct functions {
    FUNCTIONS(DECLARE)
} functions;
static const char *const function_names[] = {FUNCTIONS(NAME) NULL};
static const bl_library library = {"SuperLU", BIELA_SUPERLU_FILE, "install libsuperlu5, or choose the linear solver klu", function_names};

typedef struct superlu {
    bl_direct direct; /* must be first: the shell knows only this */
    functions call;
    const char *ordering;
    superlu_options_t options;
    NCformat store;
    SuperMatrix L, U;
    bool has_factors;
    /* [n]: pivot number of row and column, column tree, column of a pivot */
    bl_index *perm_r, *perm_c, *tree, *column;
    bl_index *seg_ptr; /* [n + 1] */
    struct segment {
        bl_index at, count;
    } * segment;           /* of each column of U: consecutive rows inside a supernode, ascending */
    double *dense, *below; /* [n] each */
} superlu;

static const bl_param superlu_params[] = {
    [P_ORDERING] = {"ordering", BL_P_TEXT, 0, 0, NULL, NULL, "order of the columns if the caller gives none; default colamd"},
    [P_PIVOT] = {"pivot", BL_P_NUMBER, BL_POSITIVE, 1, NULL, NULL,
                 "a diagonal pivot is used if it reaches this fraction of the largest entry of its column"},
    {0},
};

static void drop_factors(bl_linsol *solver) {
    superlu *s = solver->own;
    if (s->has_factors) {
        s->call.Destroy_SuperNode_Matrix(&s->L);
        s->call.Destroy_CompCol_Matrix(&s->U);
    }
    bl_free(solver->ctx, s->segment);
    s->segment = NULL;
    s->has_factors = false;
}

/* ---- loops over supernodes; all indices are pivot numbers */

/* a supernode: columns first .. first + width - 1, `height` rows, the first `width` of them its own */
typedef struct node {
    bl_index first, width, height;
    const int *row;
    double *a; /* column-major, leading dimension height: U on and above the diagonal, L below */
} node;

static inline node node_at(const SCformat *L, bl_index k) {
    bl_index first = L->sup_to_col[k], start = L->rowind_colptr[first];
    return (node){first, L->sup_to_col[k + 1] - first, L->rowind_colptr[first + 1] - start, L->rowind + start,
                  (double *)L->nzval + L->nzval_colptr[first]};
}

/* x[from .. to) of a supernode's columns: solve with its unit triangle, then apply them to the rows from `to` on */
static inline void eliminate(const node *s, bl_index from, bl_index to, double *x, double *below) {
    bl_index h = s->height, rest = h - to;
    memset(below, 0, (size_t)rest * sizeof *below);
    for (bl_index c = from; c < to; c++) {
        const double *a = s->a + (size_t)c * (size_t)h;
        double value = x[c];
        if (value == 0)
            continue;
        for (bl_index r = c + 1; r < to; r++)
            x[r] -= a[r] * value;
        for (bl_index r = 0; r < rest; r++)
            below[r] += a[to + r] * value;
    }
}

static double pivot_ratio(const superlu *s) {
    const SCformat *L = s->L.Store;
    double *pivot = s->below;
    for (bl_index k = 0; k <= L->nsuper; k++) {
        node sn = node_at(L, k);
        for (bl_index c = 0; c < sn.width; c++)
            pivot[sn.first + c] = sn.a[(size_t)c * (size_t)sn.height + (size_t)c];
    }
    return bl_direct_ratio(s->direct.n, pivot, 1);
}

/* Left-looking, one column at a time: with the pivots and patterns of SuperLU. */
static bl_status refactor(bl_linsol *solver, const double *values, double *ratio) {
    superlu *s = solver->own;
    const bl_direct *p = &s->direct;
    const SCformat *L = s->L.Store;
    const NCformat *U = s->U.Store;
    double *u = U->nzval, *x = s->dense;
    BL_TRY(bl_direct_load(solver, values));
    for (bl_index k = 0; k <= L->nsuper; k++) {
        node own = node_at(L, k);
        for (bl_index c = 0; c < own.width; c++) {
            bl_index position = own.first + c, j = s->column[position];
            for (bl_index e = p->ptr[j]; e < p->ptr[j + 1]; e++)
                x[s->perm_r[p->idx[e]]] = p->values[e];
            for (bl_index q = s->seg_ptr[position]; q < s->seg_ptr[position + 1]; q++) {
                bl_index e = s->segment[q].at, count = s->segment[q].count, row = U->rowind[e];
                node other = node_at(L, L->col_to_sup[row]);
                bl_index from = row - other.first, to = from + count;
                eliminate(&other, from, to, x + other.first, s->below);
                for (bl_index r = to; r < other.height; r++)
                    x[other.row[r]] -= s->below[r - to];
                memcpy(u + e, x + row, (size_t)count * sizeof *u);
                memset(x + row, 0, (size_t)count * sizeof *x);
            }
            double *a = own.a + (size_t)c * (size_t)own.height;
            eliminate(&own, 0, c, x + own.first, s->below);
            for (bl_index r = 0; r < own.height; r++) {
                a[r] = x[own.row[r]] - (r < c ? 0 : s->below[r - c]);
                x[own.row[r]] = 0;
            }
            double inverse = 1 / a[c];
            for (bl_index r = c + 1; r < own.height; r++)
                a[r] *= inverse;
        }
    }
    *ratio = pivot_ratio(s);
    return BL_OK;
}

static void solve_plain(const superlu *s, double *x) {
    const SCformat *L = s->L.Store;
    const NCformat *U = s->U.Store;
    const double *u = U->nzval;
    for (bl_index k = 0; k <= L->nsuper; k++) {
        node sn = node_at(L, k);
        eliminate(&sn, 0, sn.width, x + sn.first, s->below);
        for (bl_index r = sn.width; r < sn.height; r++)
            x[sn.row[r]] -= s->below[r - sn.width];
    }
    for (bl_index k = L->nsuper; k >= 0; k--) {
        node sn = node_at(L, k);
        for (bl_index c = sn.width - 1; c >= 0; c--) {
            const double *a = sn.a + (size_t)c * (size_t)sn.height;
            bl_index position = sn.first + c;
            double value = x[position] /= a[c];
            for (bl_index r = 0; r < c; r++)
                x[sn.first + r] -= a[r] * value;
            for (bl_index e = U->colptr[position]; e < U->colptr[position + 1]; e++)
                x[U->rowind[e]] -= u[e] * value;
        }
    }
}

static void solve_transposed(const superlu *s, double *x) {
    const SCformat *L = s->L.Store;
    const NCformat *U = s->U.Store;
    const double *u = U->nzval;
    for (bl_index k = 0; k <= L->nsuper; k++) {
        node sn = node_at(L, k);
        for (bl_index c = 0; c < sn.width; c++) {
            const double *a = sn.a + (size_t)c * (size_t)sn.height;
            bl_index position = sn.first + c;
            double sum = x[position];
            for (bl_index e = U->colptr[position]; e < U->colptr[position + 1]; e++)
                sum -= u[e] * x[U->rowind[e]];
            for (bl_index r = 0; r < c; r++)
                sum -= a[r] * x[sn.first + r];
            x[position] = sum / a[c];
        }
    }
    for (bl_index k = L->nsuper; k >= 0; k--) {
        node sn = node_at(L, k);
        for (bl_index r = sn.width; r < sn.height; r++)
            s->below[r] = x[sn.row[r]];
        for (bl_index c = sn.width - 1; c >= 0; c--) {
            const double *a = sn.a + (size_t)c * (size_t)sn.height;
            double sum = x[sn.first + c];
            for (bl_index r = c + 1; r < sn.width; r++)
                sum -= a[r] * x[sn.first + r];
            for (bl_index r = sn.width; r < sn.height; r++)
                sum -= a[r] * s->below[r];
            x[sn.first + c] = sum;
        }
    }
}

static bl_status solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    superlu *s = solver->own;
    bl_index n = s->direct.n;
    const bl_index *in = transposed ? s->perm_c : s->perm_r, *out = transposed ? s->perm_r : s->perm_c;
    for (bl_index c = 0; c < nrhs; c++, x += n) {
        for (bl_index i = 0; i < n; i++)
            s->dense[in[i]] = x[i];
        if (transposed)
            solve_transposed(s, s->dense);
        else
            solve_plain(s, s->dense);
        for (bl_index i = 0; i < n; i++)
            x[i] = s->dense[out[i]];
    }
    memset(s->dense, 0, (size_t)n * sizeof *s->dense); /* refactor needs zeros */
    return BL_OK;
}

/* ---- factorization by SuperLU */

static bl_status reserve(bl_linsol *solver) {
    superlu *s = solver->own;
    bl_index n = s->direct.kept.n;
    if (s->direct.own)
        return BL_OK;
    return BL_NEW_ARRAYS(solver->ctx, s->direct.own, BL_ARRAY(s->dense, n), BL_ARRAY(s->below, n), BL_ARRAY(s->perm_r, n),
                         BL_ARRAY(s->perm_c, n), BL_ARRAY(s->tree, n), BL_ARRAY(s->column, n), BL_ARRAY(s->seg_ptr, n + 1));
}

/* SuperLU stores segments in the order of its panels; in ascending order each one comes after those it depends on. */
static bl_status find_segments(bl_linsol *solver) {
    superlu *s = solver->own;
    const SCformat *L = s->L.Store;
    const NCformat *U = s->U.Store;
    const int *row = U->rowind;
    bl_index n = s->direct.n, used = 0;
    for (int fill = 0; fill < 2; fill++) {
        used = 0;
        for (bl_index j = 0; j < n; j++) {
            s->seg_ptr[j] = used;
            for (bl_index e = U->colptr[j], count; e < U->colptr[j + 1]; e += count) {
                bl_index k = used++, end = L->sup_to_col[L->col_to_sup[row[e]] + 1];
                for (count = 1; e + count < U->colptr[j + 1] && row[e + count] == row[e] + count && row[e + count] < end;)
                    count++;
                for (; fill && k > s->seg_ptr[j] && row[s->segment[k - 1].at] > row[e]; k--)
                    s->segment[k] = s->segment[k - 1];
                if (fill)
                    s->segment[k] = (struct segment){e, count};
            }
        }
        if (!fill)
            BL_TRY(BL_NEW(solver->ctx, s->segment, used));
    }
    s->seg_ptr[n] = used;
    return BL_OK;
}

static bl_status factor(bl_linsol *solver, const double *values, double *ratio) {
    (void)values; /* scaled in p->values */
    superlu *s = solver->own;
    const bl_direct *p = &s->direct;
    bl_index n = p->n;
    *ratio = 0;
    drop_factors(solver);
    BL_TRY(reserve(solver));
    BL_TRY(bl_direct_order(solver, s->ordering, s->column));
    for (bl_index k = 0; k < n; k++)
        s->perm_c[s->column[k]] = k;
    s->store = (NCformat){p->ptr[n], p->values, p->idx, p->ptr};
    SuperMatrix A = {SLU_NC, SLU_D, SLU_GE, n, n, &s->store}, ordered;
    SuperLUStat_t stat;
    GlobalLU_t space;
    int info = 0;
    s->call.StatInit(&stat);
    s->call.sp_preorder(&s->options, &A, s->perm_c, s->tree, &ordered); /* postorders the column tree */
    s->call.dgstrf(&s->options, &ordered, s->call.sp_ienv(2), s->call.sp_ienv(1), s->tree, NULL, 0, s->perm_c, s->perm_r, &s->L, &s->U,
                   &space, &stat, &info);
    s->call.Destroy_CompCol_Permuted(&ordered);
    s->call.StatFree(&stat);
    if (info > n || info < 0)
        return bl_fail(solver->ctx, BL_E_MEMORY, NULL, "superlu: not enough memory for the factors");
    s->has_factors = true;
    for (bl_index j = 0; j < n; j++)
        s->column[s->perm_c[j]] = j;
    const SCformat *L = s->L.Store;
    solver->stats.fill = (int64_t)L->nnz + ((NCformat *)s->U.Store)->nnz - n;
    BL_TRY(find_segments(solver));
    *ratio = pivot_ratio(s);
    return BL_OK;
}

static const bl_direct_slots slots = {
    .wants = BL_DIRECT_TABLES | BL_DIRECT_TRANSVERSAL, .factor = factor, .refactor = refactor, .solve = solve, .release = drop_factors};

static bl_status create(bl_linsol *solver, const bl_value *values) {
    superlu *s = solver->own;
    BL_TRY(bl_library_load(solver->ctx, &library, &s->call));
    s->call.set_default_options(&s->options);
    s->options.ColPerm = MY_PERMC;
    s->options.DiagPivotThresh = fmin(values[P_PIVOT].number, 1);
    s->options.PrintStat = NO;
    s->ordering = values[P_ORDERING].given ? values[P_ORDERING].text : "colamd";
    return BL_OK;
}

/* products of a refactorization */
static double count_products(const superlu *s) {
    const SCformat *L = s->L.Store;
    const NCformat *U = s->U.Store;
    double products = 0;
    for (bl_index k = 0; k <= L->nsuper; k++) {
        node own = node_at(L, k);
        for (bl_index c = 0; c < own.width; c++) {
            products += (double)c * (own.height - 0.5 * c);
            for (bl_index q = s->seg_ptr[own.first + c]; q < s->seg_ptr[own.first + c + 1]; q++) {
                bl_index row = U->rowind[s->segment[q].at], count = s->segment[q].count;
                node other = node_at(L, L->col_to_sup[row]);
                products += (double)count * (other.height - (row - other.first) - 0.5 * count);
            }
        }
    }
    return products;
}

/* Constants fitted to plates and the scenes (bench/README.md): within a factor 1.5 */
static double price(double n, double nnz, double entries, double products, bl_index nrhs) {
    return 200 + 3 * nnz + 50 * n + 4 * entries + 0.35 * products + nrhs * (40 * n + 1.3 * entries);
}

static double cost(const bl_linsol *solver, bl_index nrhs) {
    const superlu *s = solver->own;
    return price(s->direct.n, s->direct.ptr[s->direct.n], (double)solver->stats.fill, s->has_factors ? count_products(s) : 0, nrhs);
}

/* assuming pivots on the diagonal, as for nearly symmetric patterns */
static bl_status forecast(bl_linsol *solver, const double *values, bl_index nrhs, double *nanoseconds) {
    superlu *s = solver->own;
    const bl_direct *p = &s->direct;
    bool ready;
    int64_t entries;
    double products;
    *nanoseconds = INFINITY;
    BL_TRY(bl_direct_begin(solver, values, &ready));
    if (!ready)
        return BL_OK;
    BL_TRY(reserve(solver));
    BL_TRY(bl_direct_order(solver, s->ordering, s->column));
    bl_pattern part = {p->n, p->n, p->ptr, p->idx};
    BL_TRY(bl_order_fill(solver->ctx, &part, s->column, &entries, &products));
    if (entries <= INT32_MAX)
        *nanoseconds = price(p->n, p->ptr[p->n], 2.0 * (double)entries + p->n, 2 * products, nrhs);
    return BL_OK;
}

const bl_linsol_kind bl_linsol_superlu = {
    .kind = {.name = "superlu",
             .help = "sparse LU with supernodes and partial pivoting; for large matrices with much fill",
             .params = superlu_params,
             .gives = BL_LINSOL_REFUSE | BL_LINSOL_DROP | BL_LINSOL_TRANSPOSED},
    .size = sizeof(superlu),
    .slots = &slots,
    .create = create,
    .destroy = bl_direct_destroy,
    .analyze = bl_direct_analyze,
    .factor = bl_direct_factor,
    .refactor = bl_direct_refactor,
    .solve = bl_direct_solve,
    .cost = cost,
    .forecast = forecast,
};
