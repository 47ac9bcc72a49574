/* L U with known pivots and 1 on the diagonal of U, by one of two methods. By steps: step k divides row k by its pivot and subtracts L(i,k)
 * U(k,j) for all its entries. A table has the target index of each product, so that entries are updated in place, and all products of a
 * step are independent of each other. Columns of L and rows of U are padded with zeros to multiples of four, so that inner loops have no
 * remainder; a step goes by rows or by columns, whichever needs less padding. By entries (lu_program.c): each entry is a sum of its own;
 * for matrices with few products, most of which are not contiguous. */
#include "linsol/lu.h"

#include <string.h>

void bl_lu_free(bl_lu *lu) {
    bl_free(lu->ctx, lu->target);
    bl_arena_destroy(&lu->arena);
    memset(lu, 0, sizeof *lu);
}

/* ---- tables */

static void sort(bl_index n, bl_index *x) {
    for (bl_index i = 1; i < n; i++) {
        bl_index value = x[i], j = i;
        for (; j > 0 && x[j - 1] > value; j--)
            x[j] = x[j - 1];
        x[j] = value;
    }
}

static bl_index round_up_to_four(bl_index n) { return (n + 3) / 4 * 4; }

/* offsets of rows of U and columns of L, and their indices */
static bl_status build_steps(const bl_lu_plan *plan, bl_lu *lu) {
    bl_index n = plan->n, spare = 0;
    int64_t at = 0;
    BL_TRY(BL_ARENA_ARRAYS(&lu->arena, BL_ARRAY(lu->u_start, n + 1), BL_ARRAY(lu->l_start, n + 1), BL_ARRAY(lu->nu, n), BL_ARRAY(lu->nl, n),
                           BL_ARRAY(lu->by_rows, n)));
    for (bl_index p = 0; p < plan->u_ptr[n]; p++)
        lu->nu[plan->u_idx[p]]++;
    for (bl_index k = 0; k < n; k++) {
        lu->nu[k]--; /* the diagonal is stored separately */
        bl_index nl = 0;
        for (bl_index p = plan->l_ptr[k]; p < plan->l_ptr[k + 1]; p++)
            nl += plan->l_idx[p] != k;
        lu->nl[k] = nl;
        lu->by_rows[k] = (int64_t)nl * round_up_to_four(lu->nu[k]) < (int64_t)lu->nu[k] * round_up_to_four(nl);
        lu->u_start[k] = (bl_index)at + 1;
        lu->l_start[k] = lu->u_start[k] + round_up_to_four(lu->nu[k]);
        at = (int64_t)lu->l_start[k] + round_up_to_four(nl);
        if (at > INT32_MAX - 8 * (int64_t)n)
            return bl_fail(lu->ctx, BL_E_MEMORY, NULL, "factors of order %d have too many entries", n);
    }
    lu->u_start[n] = (bl_index)at + 1;
    lu->l_start[n] = (bl_index)at;
    BL_TRY(BL_ARENA_NEW(&lu->arena, lu->idx, at));
    for (bl_index k = 0; k < n; k++) {
        bl_index used = lu->l_start[k];
        for (bl_index p = plan->l_ptr[k]; p < plan->l_ptr[k + 1]; p++)
            if (plan->l_idx[p] != k)
                lu->idx[used++] = plan->l_idx[p];
        sort(used - lu->l_start[k], lu->idx + lu->l_start[k]);
        while (used < lu->u_start[k + 1] - 1)
            lu->idx[used++] = n + spare++ % BL_LU_SPARE;
        for (used = lu->u_start[k] + lu->nu[k]; used < lu->l_start[k]; used++)
            lu->idx[used] = n + spare++ % BL_LU_SPARE;
    }
    return BL_OK;
}

typedef struct scratch {
    bl_index *position;     /* [n] index of row i in the present column */
    bl_index *seen;         /* [n] columns of row k of U so far */
    bl_index *first;        /* [n] product of step k */
    bl_index *pivot_of_row; /* [n] */
} scratch;

/* Columns are processed in ascending order: the entries of U in a column (rows above) get their indices, and with them the products. */
static void build_column(const bl_lu_plan *plan, bl_lu *lu, scratch *w, bl_index j, bl_index block) {
    const bl_pattern *a = plan->a;
    bl_index n = plan->n;
    for (bl_index p = lu->l_start[j]; p < lu->u_start[j + 1] - 1; p++)
        if (lu->idx[p] < n)
            w->position[lu->idx[p]] = p;
    w->position[j] = lu->u_start[j] - 1;
    for (bl_index p = plan->u_ptr[j]; p < plan->u_ptr[j + 1]; p++) {
        bl_index k = plan->u_idx[p];
        if (k == j)
            continue;
        w->position[k] = lu->u_start[k] + w->seen[k];
        lu->idx[w->position[k]] = j;
    }
    for (bl_index p = plan->u_ptr[j]; p < plan->u_ptr[j + 1]; p++) {
        bl_index k = plan->u_idx[p];
        if (k == j)
            continue;
        bl_index nl = lu->u_start[k + 1] - 1 - lu->l_start[k], nu = lu->l_start[k] - lu->u_start[k], seen = w->seen[k]++;
        bl_index *target = lu->target + w->first[k] + (lu->by_rows[k] ? seen : seen * nl), stride = lu->by_rows[k] ? nu : 1;
        for (bl_index q = 0; q < nl; q++) {
            bl_index i = lu->idx[lu->l_start[k] + q];
            if (i < n)
                target[q * stride] = w->position[i];
        }
    }
    for (bl_index p = a->ptr[plan->col[j]]; p < a->ptr[plan->col[j] + 1]; p++) {
        bl_index i = w->pivot_of_row[a->idx[p]];
        if (i >= block) {
            lu->to[p] = w->position[i];
            continue;
        }
        bl_index q = plan->f_ptr[j];
        while (plan->f_idx[q] != i)
            q++;
        lu->to[p] = lu->l_start[n] + q;
    }
}

int64_t bl_lu_products(const bl_lu *lu, bl_index k) {
    int64_t nu = lu->l_start[k] - lu->u_start[k], nl = lu->u_start[k + 1] - 1 - lu->l_start[k];
    return lu->by_rows[k] ? lu->nl[k] * nu : lu->nu[k] * nl;
}

static bl_status build_tables(const bl_lu_plan *plan, bl_lu *lu, scratch *w) {
    bl_index n = plan->n, nf = plan->f_ptr ? plan->f_ptr[n] : 0;
    int64_t products = 0;
    for (bl_index k = 0; k < n; k++) {
        w->first[k] = (bl_index)products;
        w->pivot_of_row[plan->row[k]] = k;
        products += bl_lu_products(lu, k);
        if (products > INT32_MAX)
            return bl_fail(lu->ctx, BL_E_MEMORY, NULL, "factors of order %d need more than %d products", n, INT32_MAX);
    }
    lu->nlu = (size_t)lu->l_start[n] + (size_t)nf + BL_LU_SPARE;
    lu->na = plan->a->ptr[n];
    BL_TRY(BL_NEW(lu->ctx, lu->target, products));
    for (int64_t p = 0; p < products; p++) /* entries not set below are padding */
        lu->target[p] = (bl_index)(lu->nlu - BL_LU_SPARE) + (bl_index)(p % BL_LU_SPARE);
    BL_TRY(BL_ARENA_ARRAYS(&lu->arena, BL_ARRAY(lu->to, lu->na), BL_ARRAY(lu->lu, lu->nlu + (size_t)lu->na + 1), BL_ARRAY(lu->f_idx, nf),
                           BL_ARRAY(lu->f_at, nf), BL_ARRAY(lu->f_ptr, n + 1)));
    for (bl_index k = 0; k < nf; k++)
        lu->f_idx[k] = plan->f_idx[k];
    for (bl_index k = 0; k <= n && plan->f_ptr; k++)
        lu->f_ptr[k] = plan->f_ptr[k];
    for (bl_index b = 0; b < plan->nblock; b++)
        for (bl_index j = plan->block[b]; j < plan->block[b + 1]; j++)
            build_column(plan, lu, w, j, plan->block[b]);
    return BL_OK;
}

/* Groups of four contiguous targets are marked by the complement of the first index. Padding adds zero times a number, so that it may go to
 * any following entries. */
static void mark_groups(bl_lu *lu) {
    bl_index *target = lu->target, spare = (bl_index)(lu->nlu - BL_LU_SPARE);
    for (bl_index k = 0; k < lu->n; k++) {
        bl_index outer = lu->by_rows[k] ? lu->nl[k] : lu->nu[k], inner = lu->by_rows[k] ? lu->nu[k] : lu->nl[k];
        for (bl_index i = 0; i < outer; i++)
            for (bl_index j = 0; j < inner; j += 4, target += 4) {
                bool contiguous = target[0] + 3 < spare + BL_LU_SPARE;
                for (bl_index c = 1; c < 4 && j + c < inner; c++)
                    contiguous = contiguous && target[c] == target[0] + c;
                target[0] = contiguous ? ~target[0] : target[0];
            }
    }
}

/* Instructions of both methods of factorization, by counts of the loops of lu_isa.c: a group of four contiguous products takes 6, others
 * 22, ... */
static bool cheaper_by_entries(const bl_lu *lu, size_t *nproduct) {
    const bl_index *target = lu->target;
    double steps = 6 * (double)lu->na, products = 0, entries = 0;
    for (bl_index k = 0; k < lu->n; k++) {
        bl_index outer = lu->by_rows[k] ? lu->nl[k] : lu->nu[k], inner = lu->by_rows[k] ? lu->nu[k] : lu->nl[k];
        steps += 35 + 5 * (double)outer;
        products += (double)outer * inner;
        entries += 1 + (double)outer + inner;
        for (bl_index g = 0; g < outer * (round_up_to_four(inner) / 4); g++, target += 4)
            steps += target[0] < 0 ? 6 : 22;
    }
    *nproduct = (size_t)products;
    return lu->na + 7 * entries + 5 * products < steps;
}

/* frees the tables of steps */
static bl_status switch_to_entries(bl_lu *lu, size_t nproduct) {
    BL_TRY(bl_lu_build_factor(lu, nproduct));
    bl_free(lu->ctx, lu->target);
    lu->target = NULL;
    lu->by_entries = true;
    return BL_OK;
}

bl_status bl_lu_build(bl_context *ctx, const bl_lu_plan *plan, bl_lu *lu) {
    bl_lu_free(lu);
    bl_index n = plan->n;
    scratch w;
    lu->ctx = lu->arena.ctx = ctx;
    lu->kernels = BL_ISA_PICK(ctx, bl_lu_kernels);
    lu->n = n;
    lu->nblock = plan->nblock;
    BL_TRY(BL_ARENA_ARRAYS(&lu->arena, BL_ARRAY(lu->block, plan->nblock + 1), BL_ARRAY(lu->row, n), BL_ARRAY(lu->col, n),
                           BL_ARRAY(lu->inverse, n), BL_ARRAY(lu->x, 4 * ((size_t)n + BL_LU_SPARE))));
    memcpy(lu->block, plan->block, ((size_t)plan->nblock + 1) * sizeof *lu->block);
    memcpy(lu->row, plan->row, (size_t)n * sizeof *lu->row);
    memcpy(lu->col, plan->col, (size_t)n * sizeof *lu->col);
    BL_TRY(build_steps(plan, lu));
    bl_arena arena = {.ctx = ctx};
    bl_status status =
        BL_ARENA_ARRAYS(&arena, BL_ARRAY(w.position, n), BL_ARRAY(w.seen, n), BL_ARRAY(w.first, n), BL_ARRAY(w.pivot_of_row, n));
    if (status == BL_OK)
        status = build_tables(plan, lu, &w);
    bl_arena_destroy(&arena);
    BL_TRY(status);
    mark_groups(lu);
    size_t nproduct;
    if (cheaper_by_entries(lu, &nproduct))
        BL_TRY(switch_to_entries(lu, nproduct));
    for (bl_index p = 0; p < lu->na; p++)
        if (lu->to[p] >= lu->l_start[n])
            lu->f_at[lu->to[p] - lu->l_start[n]] = lu->by_entries ? (bl_index)lu->nlu + p : lu->to[p];
    return bl_lu_build_solve(lu);
}

bool bl_lu_factor(bl_lu *lu, const double *values, const bl_index *from, const double *scale) {
    return lu->kernels->factor(lu, values, from, scale);
}

void bl_lu_solve(bl_lu *lu, bool transposed, bl_index nrhs) { lu->kernels->solve(lu, transposed, nrhs); }

void bl_lu_solve_one(bl_lu *lu) { lu->kernels->solve_one(lu); }
