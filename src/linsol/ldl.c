/* Sparse solver for symmetric matrices: P S A S P^T = L D L^T with diagonal D and no pivoting, by LDL of SuiteSparse.
 * Davis, Algorithm 849, ACM TOMS 31 (2005). It is meant for [M G^T; G 0] with M positive definite: there every pivot exists if a row
 * without diagonal comes after all its neighbors that have one; the order is changed accordingly (de Niet and Wubs 2009 use the same rule).
 * Other symmetric matrices may lead to a pivot that is too small: BL_SINGULAR, and another solver has to take over. */
#include "linsol/direct_solver.h"
#include "linsol/ldl_isa.h"
#include "linsol/linsol_limits.h"

#include <ldl.h>
#include <math.h>
#include <string.h>

typedef struct ldl {
    bl_direct direct; /* must be first: the shell knows only this */
    const char *ordering;
    /* [kept.n + 1] LDL's own: column starts and lengths of L, tree, work, order and its inverse */
    bl_index *l_ptr, *parent, *l_len, *flag, *stack, *order, *position;
    bl_index *group, ngroup; /* columns processed together in a solution */
    const bl_ldl_kernels *kernels;
    bl_index *l_idx, room;
    int64_t entries;                        /* of L below the diagonal */
    double products;                        /* of the factorization */
    double *l_val;                          /* [room] */
    double *d, *y, *work, *rhs;             /* [kept.n] */
    uint8_t *no_diagonal, *had_no_diagonal; /* [kept.n] rows of the part without a diagonal: at present, when the order was computed */
    bool refine;
} ldl;

static const bl_param ldl_params[] = {
    {"ordering", BL_P_TEXT, 0, 0, NULL, NULL, "symmetric order if the caller gives none; default amd"},
    {0},
};

static void release(bl_linsol *solver) {
    ldl *s = solver->own;
    bl_free(solver->ctx, s->l_idx);
    bl_free(solver->ctx, s->l_val);
    s->l_idx = NULL;
    s->l_val = NULL;
    s->room = 0;
}

static bl_status not_symmetric(bl_linsol *solver, bl_index row, bl_index col) {
    if (row < 0)
        bl_fail(solver->ctx, BL_E_ABILITY, NULL, "ldl needs a symmetric matrix, and this one is not symmetric");
    else
        bl_fail(solver->ctx, BL_E_ABILITY, NULL, "ldl needs a symmetric matrix, but the entry at row %d, column %d has no mirrored entry",
                row, col);
    bl_advise(solver->ctx, "choose the linear solver klu");
    return BL_E_ABILITY;
}

static bl_status analyze(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                         double rank_tolerance) {
    ldl *s = solver->own;
    bl_index n = pattern->ncol, n1 = n + 1;
    BL_TRY(bl_direct_analyze(solver, pattern, ordering, deficient, rank_tolerance));
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = pattern->ptr[j]; k < pattern->ptr[j + 1]; k++)
            if (s->direct.mate[k] < 0)
                return not_symmetric(solver, pattern->idx[k], j);
    s->kernels = BL_ISA_PICK(solver->ctx, bl_ldl_kernels);
    return BL_NEW_ARRAYS(solver->ctx, s->direct.own, BL_ARRAY(s->d, n), BL_ARRAY(s->y, n), BL_ARRAY(s->work, n), BL_ARRAY(s->rhs, n),
                         BL_ARRAY(s->l_ptr, n1), BL_ARRAY(s->parent, n1), BL_ARRAY(s->l_len, n1), BL_ARRAY(s->flag, n1),
                         BL_ARRAY(s->stack, n1), BL_ARRAY(s->order, n1), BL_ARRAY(s->position, n1), BL_ARRAY(s->group, n1),
                         BL_ARRAY(s->no_diagonal, n), BL_ARRAY(s->had_no_diagonal, n));
}

/* ---- order */

/* rows whose diagonal is missing or only a rounding error */
static void find_missing_diagonals(ldl *s) {
    const bl_direct *p = &s->direct;
    for (bl_index j = 0; j < p->n; j++) {
        s->no_diagonal[j] = 1;
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++)
            if (p->idx[k] == j && fabs(p->values[k]) > linsol_diagonal)
                s->no_diagonal[j] = 0;
    }
}

/* The requested order, with each row without diagonal moved behind its neighbors that have one. The part eliminated up to any position is
 * then [M_S G_T^T; G_T 0] with all entries of G_T in S: regular, as M_S is definite and the rows are independent. Rows with no such
 * neighbor (coordinates without mass) come after those found so far, and so on: they get a diagonal by elimination, but not necessarily a
 * large one. */
static bl_status make_order(bl_linsol *solver) {
    ldl *s = solver->own;
    const bl_direct *p = &s->direct;
    bl_index n = p->n, *requested = s->stack, *first = s->flag, *next = s->parent, *after = s->l_len, *queue = s->l_ptr, used = 0, end = 0;
    BL_TRY(bl_direct_order(solver, s->ordering, requested));
    for (bl_index k = 0; k < n; k++) {
        s->position[requested[k]] = k;
        first[k] = -1;
    }
    for (bl_index j = 0; j < n; j++) { /* after: position that it follows; -1: not reached yet */
        after[j] = s->no_diagonal[j] ? -1 : s->position[j];
        if (!s->no_diagonal[j])
            queue[end++] = j;
    }
    for (bl_index from = 0, to = end; from < to; from = to, to = end) { /* neighbors of those found in the last round */
        for (bl_index k = from; k < to; k++)
            for (bl_index e = p->ptr[queue[k]]; e < p->ptr[queue[k] + 1]; e++) {
                bl_index i = p->idx[e];
                if (after[i] == -1)
                    queue[end++] = i, after[i] = -2;
            }
        for (bl_index k = to; k < end; k++) {
            bl_index j = queue[k], last = s->position[j];
            for (bl_index e = p->ptr[j]; e < p->ptr[j + 1]; e++)
                if (after[p->idx[e]] > last)
                    last = after[p->idx[e]];
            next[j] = last; /* temporary: other rows of this round must not use it */
        }
        for (bl_index k = to; k < end; k++)
            after[queue[k]] = next[queue[k]];
    }
    for (bl_index j = 0; j < n; j++)
        if (after[j] == -1) /* rows without entries outside the diagonal: they have no pivot anyway */
            queue[end++] = j, after[j] = s->position[j];
    for (bl_index k = n - 1; k >= 0; k--) { /* lists by position, those found first at the front */
        bl_index j = queue[k];
        next[j] = first[after[j]];
        if (s->no_diagonal[j])
            first[after[j]] = j;
    }
    for (bl_index k = 0; k < n; k++) {
        if (!s->no_diagonal[requested[k]])
            s->order[used++] = requested[k];
        for (bl_index j = first[k]; j >= 0; j = next[j])
            s->order[used++] = j;
    }
    memcpy(s->had_no_diagonal, s->no_diagonal, (size_t)n);
    return BL_OK;
}

/* ---- the part */

/* Rounding errors grow by max |L||D||L^T|, compared with entries of size one. Its largest entry is on the diagonal: (|L||D||L^T|)_ij^2 <=
 * (..)_ii (..)_jj */
static double growth(const ldl *s) {
    double most = 0;
    for (bl_index i = 0; i < s->direct.n; i++)
        s->work[i] = fabs(s->d[i]);
    for (bl_index j = 0; j < s->direct.n; j++)
        for (bl_index k = s->l_ptr[j]; k < s->l_ptr[j + 1]; k++)
            s->work[s->l_idx[k]] += s->l_val[k] * s->l_val[k] * fabs(s->d[j]);
    for (bl_index i = 0; i < s->direct.n; i++)
        most = fmax(most, s->work[i]);
    return most;
}

static void eliminate(bl_linsol *solver, double *ratio) {
    ldl *s = solver->own;
    bl_direct *p = &s->direct;
    bl_index n = p->n;
    *ratio = 0;
    if (ldl_numeric(n, p->ptr, p->idx, p->values, s->l_ptr, s->parent, s->l_len, s->l_idx, s->l_val, s->d, s->y, s->stack, s->flag,
                    s->order, s->position) < n)
        return;
    double grown = growth(s);
    if (!(grown <= linsol_growth_ldl))
        return;
    s->refine = grown > linsol_refine_growth;
    *ratio = bl_direct_ratio(n, s->d, 1);
}

static bl_status refactor(bl_linsol *solver, const double *values, double *ratio) {
    BL_TRY(bl_direct_load(solver, values));
    eliminate(solver, ratio);
    return BL_OK;
}

/* Groups of adjacent columns with the same rows: the next column is the parent, and differs only by its own row. */
static void find_groups(ldl *s) {
    bl_index n = s->direct.n, used = 0;
    for (bl_index j = 0; j < n; used++) {
        s->group[used] = j++;
        while (j < n && j - s->group[used] < BL_LDL_WIDTH && s->parent[j - 1] == j && s->l_len[j - 1] == s->l_len[j] + 1)
            j++;
    }
    s->group[used] = n;
    s->ngroup = used;
}

/* order and pattern of L: lengths of its columns */
static bl_status count_entries(bl_linsol *solver) {
    ldl *s = solver->own;
    bl_direct *p = &s->direct;
    BL_TRY(make_order(solver));
    ldl_symbolic(p->n, p->ptr, p->idx, s->l_ptr, s->parent, s->l_len, s->flag, s->order, s->position);
    s->entries = 0;
    s->products = 0;
    for (bl_index k = 0; k < p->n; k++) {
        s->entries += s->l_len[k];
        s->products += (double)s->l_len[k] * (s->l_len[k] + 1.0) / 2;
    }
    find_groups(s);
    return BL_OK;
}

static bl_status factor_part(bl_linsol *solver, const double *values, double *ratio) {
    bl_context *ctx = solver->ctx;
    ldl *s = solver->own;
    bl_direct *p = &s->direct;
    (void)values; /* scaled in p->values */
    if (!p->symmetric)
        return not_symmetric(solver, -1, -1);
    find_missing_diagonals(s);
    if (p->changed || memcmp(s->no_diagonal, s->had_no_diagonal, (size_t)p->n) != 0) {
        p->changed = true;
        BL_TRY(count_entries(solver));
    }
    if (s->entries > INT32_MAX)
        return bl_fail(ctx, BL_E_MEMORY, NULL, "ldl: the factor of order %d has %lld entries; the limit is %d", p->n, (long long)s->entries,
                       INT32_MAX);
    bl_index lnz = (bl_index)s->entries;
    if (lnz > s->room || !s->l_idx || !s->l_val) {
        bl_free(ctx, s->l_idx);
        bl_free(ctx, s->l_val);
        s->room = 0;
        s->l_val = NULL;
        BL_TRY(BL_NEW(ctx, s->l_idx, lnz));
        BL_TRY(BL_NEW(ctx, s->l_val, lnz));
        s->room = lnz;
    }
    solver->stats.fill = 2 * s->entries + p->n;
    eliminate(solver, ratio);
    return BL_OK;
}

static void solve_once(ldl *s, const double *b, double *x) {
    bl_index n = s->direct.n;
    for (bl_index k = 0; k < n; k++)
        s->work[k] = b[s->order[k]];
    s->kernels->solve(&(bl_ldl_factor){s->ngroup, s->group, s->l_ptr, s->l_idx, s->l_val, s->d}, s->work);
    for (bl_index k = 0; k < n; k++)
        x[s->order[k]] = s->work[k];
}

static bl_status solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    (void)transposed; /* symmetric */
    ldl *s = solver->own;
    const bl_direct *p = &s->direct;
    bl_index n = p->n;
    for (bl_index c = 0; c < nrhs; c++, x += n) {
        if (!s->refine) {
            solve_once(s, x, x);
            continue;
        }
        memcpy(s->rhs, x, (size_t)n * sizeof *x);
        solve_once(s, x, x);
        for (bl_index j = 0; j < n; j++)
            for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++)
                s->rhs[p->idx[k]] -= p->values[k] * x[j];
        solve_once(s, s->rhs, s->rhs);
        for (bl_index i = 0; i < n; i++)
            x[i] += s->rhs[i];
    }
    return BL_OK;
}

static const bl_direct_slots slots = {.wants = BL_DIRECT_TABLES | BL_DIRECT_MIRROR | BL_DIRECT_TRANSVERSAL,
                                      .factor = factor_part,
                                      .refactor = refactor,
                                      .solve = solve,
                                      .release = release};

/* ---- the slots */

static bl_status create(bl_linsol *solver, const bl_value *values) {
    ldl *s = solver->own;
    s->ordering = values[0].given ? values[0].text : "amd";
    return BL_OK;
}

static bl_status factor(bl_linsol *solver, const double *values) {
    const bl_direct *p = solver->own;
    bl_status status = bl_direct_factor(solver, values);
    if (status == BL_SINGULAR && p->kept.rank == p->kept.n)
        bl_advise(solver->ctx, "ldl does not pivot, and a pivot is too small; choose the linear solver klu");
    return status;
}

/* Constants fitted to plates, chains and the scenes (bench/README.md): within a factor 1.5 */
static double cost(const bl_linsol *solver, bl_index nrhs) {
    const ldl *s = solver->own;
    double n = s->direct.n, nnz = s->direct.ptr[s->direct.n], one = 15 * n + 2.2 * (double)s->entries;
    return 60 + 6 * nnz + 15 * n + 8 * (double)s->entries + 0.65 * s->products + nrhs * (s->refine ? 2 * one + 2 * nnz : one);
}

static bl_status forecast(bl_linsol *solver, const double *values, bl_index nrhs, double *nanoseconds) {
    ldl *s = solver->own;
    bool ready;
    *nanoseconds = INFINITY;
    BL_TRY(bl_direct_begin(solver, values, &ready));
    if (!ready || !s->direct.symmetric)
        return BL_OK;
    find_missing_diagonals(s);
    BL_TRY(count_entries(solver));
    if (s->entries <= INT32_MAX)
        *nanoseconds = cost(solver, nrhs);
    return BL_OK;
}

/* signs of D, which are not changed by equal scaling of rows and columns */
static bl_index negative(const bl_linsol *solver) {
    const ldl *s = solver->own;
    bl_index count = 0;
    if (s->direct.n < s->direct.kept.n)
        return -1;
    for (bl_index k = 0; k < s->direct.n; k++)
        count += s->d[k] < 0;
    return count;
}

static int sign(const bl_linsol *solver) {
    bl_index count = negative(solver);
    return count < 0 ? 0 : count % 2 ? -1 : 1;
}

const bl_linsol_kind bl_linsol_ldl = {
    .kind = {.name = "ldl",
             .help = "sparse L D L^T of symmetric matrices without pivoting; for [M G^T; G 0] with M positive definite",
             .params = ldl_params,
             .needs = BL_LINSOL_SYMMETRIC,
             .gives = BL_LINSOL_REFUSE | BL_LINSOL_DROP | BL_LINSOL_TRANSPOSED},
    .size = sizeof(ldl),
    .slots = &slots,
    .create = create,
    .destroy = bl_direct_destroy,
    .analyze = analyze,
    .factor = factor,
    .refactor = bl_direct_refactor,
    .solve = bl_direct_solve,
    .cost = cost,
    .forecast = forecast,
    .sign = sign,
    .negative = negative,
};
