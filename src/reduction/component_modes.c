/* Component modes of sparse matrices: K_ii is factored once, for the static responses and for the iteration (K_ii^-1 M_ii). A count of
 * negative pivots of K_ii - tau M_ii (Sylvester) shows whether the iteration has missed an eigenvalue, as happens with multiple ones. */
#include "reduction/component_modes.h"

#include "dense/dense.h"
#include "linsol/linsol.h"
#include "order/order.h"
#include "reduction/reduction_limits.h"
#include "sparse/eigen.h"
#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

enum { STARTS = 3, MORE = 4 }; /* starts of the iteration; eigenvalues beyond those wanted */

typedef struct inside {
    const bl_component *of;
    bl_context *ctx;
    bl_index n, *at, *row_at; /* unknowns inside; [n] their numbers; [all] and back, -1: boundary */
    bl_index *ptr, *idx, *from;
    bl_pattern pattern;
    double *K, *M;
    bl_linsol *solver;
    void *block, *values;
} inside;

static bl_status take_inside(inside *in) {
    const bl_component *of = in->of;
    bl_index all = of->pattern->ncol;
    BL_TRY(BL_NEW_ARRAYS(in->ctx, in->block, BL_ARRAY(in->at, all), BL_ARRAY(in->row_at, all), BL_ARRAY(in->ptr, all + 1)));
    for (bl_index i = 0; i < all; i++) {
        in->row_at[i] = of->held[i] ? -1 : in->n;
        if (!of->held[i])
            in->at[in->n++] = i;
    }
    bl_index entries = of->pattern->ptr[all];
    BL_TRY(BL_NEW_ARRAYS(in->ctx, in->values, BL_ARRAY(in->idx, entries), BL_ARRAY(in->from, entries), BL_ARRAY(in->K, entries),
                         BL_ARRAY(in->M, entries)));
    bl_pattern_cut(of->pattern, in->row_at, in->n, in->at, in->ptr, in->idx, in->from);
    in->pattern = (bl_pattern){in->n, in->n, in->ptr, in->idx};
    for (bl_index k = 0; k < in->ptr[in->n]; k++) {
        in->K[k] = of->K[in->from[k]];
        in->M[k] = of->M[in->from[k]];
    }
    return BL_OK;
}

static bl_status refuse_loose(const inside *in) {
    bl_fail(in->ctx, BL_E_MODEL, in->of->place, "%s can move without deforming when its interfaces are fixed", in->of->name);
    bl_advise(in->ctx, "choose an interface with more nodes, and check that all parts of the mesh are connected");
    return BL_E_MODEL;
}

/* Of the orders for symmetric matrices the one with the fewest products: bands for slender meshes, dissection, where the build has METIS,
 * for others. */
static bl_status least_fill(const inside *in, bl_ordering *best) {
    static const char *const orders[] = {"amd", "rcm", "nd"};
    double least = INFINITY;
    for (size_t k = 0; k < (in->n > reduction_dense ? 3 : 1); k++) {
        bl_ordering made = {0};
        int64_t entries;
        double products;
        bl_status status = bl_order_pattern(in->ctx, orders[k], &in->pattern, &made);
        if (status == BL_OK)
            status = bl_order_fill(in->ctx, &in->pattern, made.col, &entries, &products);
        if (status == BL_OK && products < least) {
            bl_ordering old = *best;
            *best = made;
            made = old;
            least = products;
        }
        bl_ordering_free(in->ctx, &made);
        if (status == BL_E_ABILITY)
            bl_context_clear_error(in->ctx);
        else if (status != BL_OK)
            return status;
    }
    return BL_OK;
}

static bl_status factor(inside *in) {
    bl_ordering best = {0};
    bl_status status = least_fill(in, &best);
    if (status == BL_OK)
        status = bl_linsol_create(in->ctx, "ldl", &in->solver);
    if (status == BL_OK)
        status = bl_linsol_analyze(in->solver, &in->pattern, &best, BL_REFUSE, reduction_pivot);
    bl_ordering_free(in->ctx, &best);
    if (status == BL_OK)
        status = bl_linsol_factor(in->solver, in->K);
    if (status == BL_SINGULAR || (status == BL_OK && bl_linsol_negative(in->solver) > 0)) {
        bl_context_clear_error(in->ctx);
        return refuse_loose(in);
    }
    return status;
}

/* ---- static responses */

static bl_status respond(inside *in, const double *motion, double *shape, double *x) {
    const bl_component *of = in->of;
    const bl_pattern *p = of->pattern;
    memset(x, 0, (size_t)in->n * sizeof *x);
    for (bl_index j = 0; j < p->ncol; j++) {
        shape[j] = of->held[j] ? motion[j] : 0;
        for (bl_index k = p->ptr[j]; shape[j] != 0 && k < p->ptr[j + 1]; k++)
            if (in->row_at[p->idx[k]] >= 0)
                x[in->row_at[p->idx[k]]] -= of->K[k] * shape[j];
    }
    if (in->n > 0)
        BL_TRY(bl_linsol_solve(in->solver, false, 1, x));
    for (bl_index i = 0; i < in->n; i++)
        shape[in->at[i]] = x[i];
    return BL_OK;
}

/* ---- modes */

static bl_status solve(void *user, double *x) {
    inside *in = user;
    return bl_linsol_solve(in->solver, false, 1, x);
}

static bl_status metric(void *user, const double *x, double *y) {
    const inside *in = user;
    memset(y, 0, (size_t)in->n * sizeof *y);
    for (bl_index j = 0; j < in->n; j++)
        for (bl_index k = in->ptr[j]; k < in->ptr[j + 1]; k++)
            y[in->idx[k]] += in->M[k] * x[j];
    return BL_OK;
}

static bl_status refuse_massless(const inside *in) {
    bl_fail(in->ctx, BL_E_MODEL, in->of->place, "%s: parts of its mesh have no mass, so that it has no modes", in->of->name);
    bl_advise(in->ctx, "add `density` to the material");
    return BL_E_MODEL;
}

/* value[count] ascending, of all modes or of more than those wanted */
static void note_split(const inside *in, bl_index count, const double *value) {
    bl_index n = in->of->nmode;
    if (in->of->split)
        *in->of->split = n > 0 && n < count && value[n] - value[n - 1] < reduction_separate * value[n];
}

static bl_status modes_dense(inside *in, double *vector, double *value) {
    size_t n = (size_t)in->n, nwork = bl_dense_eigen_work(in->n);
    double *K, *M, *all, *work;
    bl_index *iwork;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(in->ctx, block, BL_ARRAY(K, n * n), BL_ARRAY(M, n * n), BL_ARRAY(all, n), BL_ARRAY(work, nwork),
                         BL_ARRAY(iwork, 5 * n + 3)));
    for (size_t j = 0; j < n; j++)
        for (bl_index k = in->ptr[j]; k < in->ptr[j + 1]; k++) {
            K[j * n + (size_t)in->idx[k]] = in->K[k];
            M[j * n + (size_t)in->idx[k]] = in->M[k];
        }
    bl_status status = BL_OK;
    if (bl_dense_eigen_pair(in->n, K, M, all, work, nwork, iwork)) {
        memcpy(vector, K, (size_t)in->of->nmode * n * sizeof *vector);
        memcpy(value, all, (size_t)in->of->nmode * sizeof *value);
        note_split(in, in->n, all);
    } else {
        status = refuse_massless(in);
    }
    bl_free(in->ctx, block);
    return status;
}

/* ascending, vectors follow */
static void sort(bl_index n, bl_index count, double *value, double *vector, double *room) {
    size_t bytes = (size_t)n * sizeof *vector;
    for (bl_index i = 0; i < count; i++) {
        bl_index least = i;
        for (bl_index k = i + 1; k < count; k++)
            least = value[k] < value[least] ? k : least;
        double swap = value[i];
        value[i] = value[least];
        value[least] = swap;
        double *a = vector + (size_t)i * (size_t)n, *b = vector + (size_t)least * (size_t)n;
        if (least != i) {
            memcpy(room, a, bytes);
            memcpy(a, b, bytes);
            memcpy(b, room, bytes);
        }
    }
}

/* how many eigenvalues below one of those found, at least the wanted ones, are not among them; spoils the factors */
static bl_status count_missing(inside *in, bl_index found, const double *value, double *shifted, bl_index *missing) {
    bl_index last = in->of->nmode - 1;
    *missing = 0;
    while (last + 1 < found && value[last + 1] - value[last] < reduction_separate * value[last + 1])
        last++;
    if (last + 1 >= found)
        return BL_OK;
    double tau = 0.5 * (value[last] + value[last + 1]);
    for (bl_index k = 0; k < in->ptr[in->n]; k++)
        shifted[k] = in->K[k] - tau * in->M[k];
    bl_status status = bl_linsol_factor(in->solver, shifted);
    if (status < 0)
        return status;
    bl_index below = status == BL_OK ? bl_linsol_negative(in->solver) : -1;
    bl_context_clear_error(in->ctx);
    *missing = below > last + 1 ? below - last - 1 : 0;
    return BL_OK;
}

static bl_status modes_sparse(inside *in, double *vector, double *value) {
    size_t n = (size_t)in->n;
    bl_index most = in->of->nmode + STARTS * (MORE + in->of->nmode), want = in->of->nmode + MORE, found = 0, missing = 1;
    double *all, *values, *shifted, *room;
    void *block = NULL;
    most = most < in->n - 1 ? most : in->n - 1;
    BL_TRY(BL_NEW_ARRAYS(in->ctx, block, BL_ARRAY(all, (size_t)most * n), BL_ARRAY(values, most), BL_ARRAY(shifted, in->ptr[in->n]),
                         BL_ARRAY(room, n)));
    bl_status status = BL_OK;
    for (int k = 0; status == BL_OK && missing > 0 && k < STARTS; k++) {
        want = want < most ? want : most;
        bl_eigen ask = {.ctx = in->ctx, .n = in->n, .wanted = want, .seed = (uint64_t)k + 1, .user = in, .solve = solve, .metric = metric};
        if (k > 0)
            status = bl_linsol_factor(in->solver, in->K);
        if (status == BL_OK)
            status = bl_eigen_nearest(&ask, values, all, &found);
        if (status == BL_OK) {
            sort(in->n, found, values, all, room);
            missing = found < in->of->nmode ? in->of->nmode : 0;
        }
        if (status == BL_OK && missing == 0)
            status = count_missing(in, found, values, shifted, &missing);
        want += missing < MORE + in->of->nmode ? missing + 2 : MORE + in->of->nmode;
    }
    if (status == BL_OK && missing > 0)
        status = bl_fail(in->ctx, BL_E_NUMERIC, in->of->place, "%s: %d of its lowest modes with fixed interfaces were not found",
                         in->of->name, (int)missing);
    if (status == BL_OK) {
        memcpy(vector, all, (size_t)in->of->nmode * n * sizeof *vector);
        memcpy(value, values, (size_t)in->of->nmode * sizeof *value);
        note_split(in, found, values);
    }
    bl_free(in->ctx, block);
    return status > 0 && status != BL_STOPPED ? BL_E_NUMERIC : status;
}

static bl_status find_modes(inside *in, double *shape, double *value) {
    const bl_component *of = in->of;
    size_t all = (size_t)of->pattern->ncol, n = (size_t)in->n, count = (size_t)of->nmode;
    double *vector;
    if (of->nmode == 0)
        return BL_OK;
    BL_TRY(BL_NEW(in->ctx, vector, count * n));
    bool full = in->n <= reduction_dense || in->n < 4 * (of->nmode + MORE);
    bl_status status = full ? modes_dense(in, vector, value) : modes_sparse(in, vector, value);
    for (size_t k = 0; status == BL_OK && k < count; k++)
        for (size_t i = 0; i < n; i++)
            shape[((size_t)of->nmotion + k) * all + (size_t)in->at[i]] = vector[k * n + i];
    bl_free(in->ctx, vector);
    return status;
}

/* ---- */

static bl_status check_masses(const inside *in) {
    for (bl_index j = 0; in->of->nmode > 0 && j < in->n; j++) {
        bl_index k = bl_pattern_find(&in->pattern, j, j);
        if (k < 0 || !(in->M[k] > 0))
            return refuse_massless(in);
    }
    return BL_OK;
}

static bl_status find_shapes(inside *in, double *shape, double *value) {
    const bl_component *of = in->of;
    size_t all = (size_t)of->pattern->ncol;
    double *x;
    BL_TRY(take_inside(in));
    if (of->nmode > in->n) {
        bl_fail(in->ctx, BL_E_MODEL, of->place, "%s cannot have %d modes: its mesh has %d unknowns apart from its interfaces", of->name,
                (int)of->nmode, (int)in->n);
        return BL_E_MODEL;
    }
    memset(shape, 0, (size_t)(of->nmotion + of->nmode) * all * sizeof *shape);
    BL_TRY(check_masses(in));
    if (in->n > 0)
        BL_TRY(factor(in));
    BL_TRY(BL_NEW(in->ctx, x, in->n));
    bl_status status = BL_OK;
    for (size_t k = 0; status == BL_OK && k < (size_t)of->nmotion; k++)
        status = respond(in, of->motion + k * all, shape + k * all, x);
    bl_free(in->ctx, x);
    return status == BL_OK ? find_modes(in, shape, value) : status;
}

bl_status bl_component_shapes(bl_context *ctx, const bl_component *component, double *shape, double *value) {
    inside in = {.of = component, .ctx = ctx};
    bl_status status = find_shapes(&in, shape, value);
    bl_linsol_destroy(in.solver);
    bl_free(ctx, in.block);
    bl_free(ctx, in.values);
    return status;
}
