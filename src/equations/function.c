/* A user's functions as a constrained system. Derivatives that the user does not give are central differences of fourth order,
 *
 *     g'  ~ (g(-2h) - 8 g(-h) + 8 g(h) - g(2h)) / 12 h               h = eps^(1/5) x size: about 1e-13 of the size of g / size
 *     g'' ~ (-g(-2h) + 16 g(-h) - 30 g(0) + 16 g(h) - g(2h)) / 12 h^2   h = eps^(1/6) x size: about 1e-10
 *
 * exact up to rounding if g is a polynomial of degree four (five). Tangents of Q and f are left to the formulation. */
#include "equations/equations_limits.h"
#include "equations/function_private.h"

#include "sparse/sparse.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double STEP_FIRST = 7.4e-4, STEP_SECOND = 2.5e-3;

typedef struct function {
    bl_function fn; /* arrays in the arena */
    bl_arena arena;
    bl_pattern pat_K;          /* if it has more entries than the user's */
    bl_index *slot;            /* positions of the user's entries of dx in pat_K; NULL: the same */
    bl_index nx, ndv, nM, nA;  /* entries of dx, dv, M, A */
    double *scale, time_scale; /* [n] */
    bl_row *row;
    bl_col *col;
} function;

typedef struct work {
    void *block;        /* holds the arrays */
    double *near, *far; /* [nq] evaluation points of inner and outer differences */
    double *dx;         /* [nx] if the patterns differ */
    double *term, *sum; /* [np] for inner differences */
    double *value, *D;  /* [entries of G or M] for outer differences */
    double *product;    /* [max(nq, np)] */
} work;

static const function *own_of(const bl_system *sys) { return sys->own; }

/* ---- return values and results of the user's functions */

static bl_status check_return(const bl_system *sys, int answer, const char *what, double t) {
    if (answer == 0)
        return BL_OK;
    bl_status status = answer > 0 ? BL_NOT_FINITE : BL_E_NUMERIC; /* > 0: not defined at this point */
    bl_fail(sys->ctx, status, NULL, "the user's function for %s %s at t = %.9g (it returned %d)", what,
            answer > 0 ? "is not defined" : "failed", t, answer);
    bl_blame(sys->ctx, what, NULL, t);
    return status;
}

/* x[n] belongs to columns first, first + 1, ..., or to constraints (first < 0) */
static bl_status check_vector(const bl_system *sys, const char *what, bl_index first, double t, bl_index n, const double *x) {
    bl_index i = bl_first_not_finite(n, x);
    if (i < 0)
        return BL_OK;
    char name[96], unused[8];
    if (first >= 0)
        bl_system_col_name(sys, first + i, name, sizeof name);
    else
        bl_system_row_name(sys, i, unused, sizeof unused, name, sizeof name);
    bl_fail(sys->ctx, BL_NOT_FINITE, NULL, "the user's function returned a %s of %s that is %s at t = %.9g", what, name,
            isnan(x[i]) ? "not a number" : "infinite", t);
    bl_blame(sys->ctx, name, what, t);
    return BL_NOT_FINITE;
}

static bl_status check_matrix(const bl_system *sys, const char *what, const bl_pattern *pattern, double t, bl_index n, const double *x) {
    bl_index k = bl_first_not_finite(n, x), j = 0;
    if (k < 0)
        return BL_OK;
    while (pattern->ptr[j + 1] <= k)
        j++;
    char entry[64];
    snprintf(entry, sizeof entry, "row %d, column %d", pattern->idx[k] + 1, j + 1);
    bl_fail(sys->ctx, BL_NOT_FINITE, NULL, "the user's function returned %s with an entry (%s) that is %s at t = %.9g", what, entry,
            isnan(x[k]) ? "not a number" : "infinite", t);
    bl_blame(sys->ctx, what, entry, t);
    return BL_NOT_FINITE;
}

/* ---- quantities at (t, q), also for differences */

typedef bl_status quantity(const bl_system *sys, work *w, double t, const double *q, double *out);

static bl_status phi_at(const bl_system *sys, work *w, double t, const double *q, double *phi) {
    (void)w;
    const bl_function *fn = &own_of(sys)->fn;
    BL_TRY(check_return(sys, fn->constraint(fn->user, t, q, phi), "the constraints", t));
    return check_vector(sys, "residual", -1, t, sys->np, phi);
}

static bl_status M_at(const bl_system *sys, work *w, double t, const double *q, double *M) {
    (void)w;
    const function *own = own_of(sys);
    memset(M, 0, (size_t)own->nM * sizeof *M);
    BL_TRY(check_return(sys, own->fn.mass(own->fn.user, t, q, M), "the mass matrix", t));
    return check_matrix(sys, "the mass matrix", &sys->pat_M, t, own->nM, M);
}

/* a direction in (q, t): q + s v, t + s; v NULL: only coordinate j, or only time (j < 0) */
typedef struct direction {
    const double *v;
    bl_index j;
    bool in_time;
    double h; /* step in s */
} direction;

static void move(bl_index nq, const direction *along, double s, const double *q, double *moved) {
    if (along->v)
        for (bl_index i = 0; i < nq; i++)
            moved[i] = q[i] + s * along->v[i];
    else if (along->j >= 0)
        moved[along->j] = q[along->j] + s;
}

/* out[m] = derivative of g along a direction; moved[nq], term[m]: scratch that g does not use */
static bl_status first_difference(const bl_system *sys, work *w, double t, const double *q, const direction *along, quantity *g, bl_index m,
                                  double *moved, double *term, double *out) {
    static const double offset[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
    memset(out, 0, (size_t)m * sizeof *out);
    memcpy(moved, q, (size_t)sys->nq * sizeof *moved);
    for (int k = 0; k < 4; k++) {
        double s = offset[k] * along->h;
        move(sys->nq, along, s, q, moved);
        BL_TRY(g(sys, w, along->in_time ? t + s : t, moved, term));
        for (bl_index i = 0; i < m; i++)
            out[i] += weight[k] / (12 * along->h) * term[i];
    }
    return BL_OK;
}

/* a step along coordinate j */
static direction along_coordinate(const bl_system *sys, const double *q, bl_index j) {
    return (direction){.j = j, .h = STEP_FIRST * fmax(fabs(q[j]), own_of(sys)->scale[j])};
}

static bl_status G_at(const bl_system *sys, work *w, double t, const double *q, double *G) {
    const bl_function *fn = &own_of(sys)->fn;
    const bl_pattern *pat = &sys->pat_G;
    bl_index n = pat->ptr[sys->nv];
    memset(G, 0, (size_t)n * sizeof *G);
    if (fn->jacobian) {
        BL_TRY(check_return(sys, fn->jacobian(fn->user, t, q, G), "the Jacobian of the constraints", t));
        return check_matrix(sys, "the Jacobian of the constraints", pat, t, n, G);
    }
    for (bl_index j = 0; j < sys->nv; j++) {
        direction along = along_coordinate(sys, q, j);
        BL_TRY(first_difference(sys, w, t, q, &along, phi_at, sys->np, w->near, w->term, w->sum));
        for (bl_index k = pat->ptr[j]; k < pat->ptr[j + 1]; k++)
            G[k] = w->sum[pat->idx[k]];
    }
    return BL_OK;
}

static bl_status phi_t_at(const bl_system *sys, work *w, double t, const double *q, double *phi_t) {
    const function *own = own_of(sys);
    if (own->fn.rate) {
        BL_TRY(check_return(sys, own->fn.rate(own->fn.user, t, q, phi_t), "the rate of the constraints", t));
        return check_vector(sys, "rate", -1, t, sys->np, phi_t);
    }
    direction time = {.j = -1, .in_time = true, .h = STEP_FIRST * own->time_scale};
    return first_difference(sys, w, t, q, &time, phi_at, sys->np, w->near, w->term, phi_t);
}

/* ---- velocities and accelerations on the constraints */

static bl_status eval_b(const bl_system *sys, bl_eval *e) {
    memset(e->b, 0, (size_t)sys->np * sizeof *e->b);
    if (sys->facts & BL_RHEONOMIC)
        BL_TRY(phi_t_at(sys, e->own, e->t, e->q, e->b));
    for (bl_index i = 0; i < sys->np; i++)
        e->b[i] = -e->b[i];
    return BL_OK;
}

/* the time in which (q, t) changes by its own size along (v, 1); infinite at rest */
static double typical_time(const bl_system *sys, const bl_eval *e) {
    const function *own = own_of(sys);
    double time = sys->facts & BL_RHEONOMIC ? own->time_scale : INFINITY;
    for (bl_index j = 0; j < sys->nq; j++)
        time = fmin(time, fmax(fabs(e->q[j]), own->scale[j]) / fabs(e->v[j]));
    return time;
}

/* second derivative of phi along (v, 1), from values of phi only */
static bl_status second_difference(const bl_system *sys, bl_eval *e, double h, double *out) {
    static const double weight[] = {-1, 16, -30, 16, -1};
    work *w = e->own;
    direction along = {.v = e->v};
    for (int k = 0; k < 5; k++) {
        double s = (k - 2) * h;
        move(sys->nq, &along, s, e->q, w->near);
        BL_TRY(phi_at(sys, w, e->t + s, w->near, w->term));
        for (bl_index i = 0; i < sys->np; i++)
            out[i] += weight[k] / (12 * h * h) * w->term[i];
    }
    return BL_OK;
}

/* c = -(G' v + phi_t'), the derivatives along (v, 1) */
static bl_status eval_c(const bl_system *sys, bl_eval *e) {
    const bl_function *fn = &own_of(sys)->fn;
    work *w = e->own;
    bool driven = sys->facts & BL_RHEONOMIC;
    memset(e->c, 0, (size_t)sys->np * sizeof *e->c);
    if (fn->curvature) {
        BL_TRY(check_return(sys, fn->curvature(fn->user, e->t, e->q, e->v, e->c), "the curvature of the constraints", e->t));
        return check_vector(sys, "curvature", -1, e->t, sys->np, e->c);
    }
    double time = typical_time(sys, e);
    if (!(time < INFINITY))
        return BL_OK;
    if (!fn->jacobian || (driven && !fn->rate)) {
        BL_TRY(second_difference(sys, e, STEP_SECOND * time, e->c));
    } else {
        direction along = {.v = e->v, .in_time = true, .h = STEP_FIRST * time};
        if (driven)
            BL_TRY(first_difference(sys, w, e->t, e->q, &along, phi_t_at, sys->np, w->far, w->product, e->c));
        BL_TRY(first_difference(sys, w, e->t, e->q, &along, G_at, sys->pat_G.ptr[sys->nv], w->far, w->value, w->D));
        bl_csc_multiply(&sys->pat_G, w->D, e->v, e->c);
    }
    for (bl_index i = 0; i < sys->np; i++)
        e->c[i] = -e->c[i];
    return BL_OK;
}

/* ---- tangents */

static bl_status eval_tangent(const bl_system *sys, bl_eval *e) {
    const function *own = own_of(sys);
    const bl_function *fn = &own->fn;
    if (!fn->tangent)
        return BL_OK; /* C holds only A, which is set */
    double *dx = own->slot ? ((work *)e->own)->dx : e->K;
    memset(dx, 0, (size_t)own->nx * sizeof *dx);
    memset(e->C, 0, (size_t)own->ndv * sizeof *e->C);
    BL_TRY(check_return(sys, fn->tangent(fn->user, e->t, e->q, e->v, e->z, dx, e->C), "tangents", e->t));
    if (own->slot) {
        memset(e->K, 0, (size_t)sys->pat_K.ptr[sys->pat_K.ncol] * sizeof *e->K);
        for (bl_index k = 0; k < own->nx; k++)
            e->K[own->slot[k]] = -dx[k];
    } else {
        for (bl_index k = 0; k < own->nx; k++)
            dx[k] = -dx[k];
    }
    for (bl_index k = 0; k < own->ndv; k++)
        e->C[k] = -e->C[k];
    BL_TRY(check_matrix(sys, "the derivative by (q, z)", &sys->pat_K, e->t, sys->pat_K.ptr[sys->pat_K.ncol], e->K));
    return check_matrix(sys, "the derivative by v", &sys->pat_C, e->t, own->ndv, e->C);
}

/* d(M a)/dx, column by column */
static bl_status eval_Ma_x(const bl_system *sys, bl_eval *e) {
    work *w = e->own;
    for (bl_index j = 0; j < sys->nv; j++) {
        direction along = along_coordinate(sys, e->q, j);
        BL_TRY(first_difference(sys, w, e->t, e->q, &along, M_at, own_of(sys)->nM, w->far, w->value, w->D));
        memset(w->product, 0, (size_t)sys->nv * sizeof *w->product);
        for (bl_index i = 0; i < sys->nv; i++)
            for (bl_index k = sys->pat_M.ptr[i]; k < sys->pat_M.ptr[i + 1]; k++)
                w->product[sys->pat_M.idx[k]] += w->D[k] * e->a[i];
        for (bl_index k = sys->pat_K.ptr[j]; k < sys->pat_K.ptr[j + 1]; k++)
            e->Ma_x[k] = sys->pat_K.idx[k] < sys->nv ? w->product[sys->pat_K.idx[k]] : 0;
    }
    return BL_OK;
}

/* d(G^T lambda)/dx and d(G v)/dx, column by column from D = dG/dx_j */
static bl_status eval_G_x(const bl_system *sys, bl_eval *e, bool of_lambda, bool of_v) {
    const bl_pattern *G = &sys->pat_G, *K = &sys->pat_K;
    work *w = e->own;
    for (bl_index j = 0; j < sys->nv; j++) {
        direction along = along_coordinate(sys, e->q, j);
        BL_TRY(first_difference(sys, w, e->t, e->q, &along, G_at, G->ptr[sys->nv], w->far, w->value, w->D));
        if (of_lambda) {
            memset(w->product, 0, (size_t)sys->nv * sizeof *w->product);
            bl_csc_multiply_transposed(G, w->D, e->lambda, w->product);
            for (bl_index k = K->ptr[j]; k < K->ptr[j + 1]; k++)
                e->GTl_x[k] = K->idx[k] < sys->nv ? w->product[K->idx[k]] : 0;
        }
        if (of_v) {
            memset(w->product, 0, (size_t)sys->np * sizeof *w->product);
            bl_csc_multiply(G, w->D, e->v, w->product);
            for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++)
                e->Gv_x[k] = w->product[G->idx[k]];
        }
    }
    return BL_OK;
}

/* ---- system interface */

static bl_status eval_force(const bl_system *sys, bl_eval *e) {
    const bl_function *fn = &own_of(sys)->fn;
    BL_TRY(check_return(sys, fn->force(fn->user, e->t, e->q, e->v, e->z, e->Q, e->f), "forces and derivatives", e->t));
    BL_TRY(check_vector(sys, "force", 0, e->t, sys->nq, e->Q));
    BL_TRY(check_vector(sys, "derivative", sys->nq, e->t, sys->nz, e->f));
    e->power = 0;
    if (fn->energy)
        BL_TRY(check_return(sys, fn->energy(fn->user, e->t, e->q, e->v, &e->kinetic, &e->potential, &e->power), "energy", e->t));
    e->have |= BL_Q | BL_F;
    return BL_OK;
}

static bl_status function_eval(const bl_system *sys, bl_eval *e, uint32_t want) {
    const bl_function *fn = &own_of(sys)->fn;
    if (want & (BL_Q | BL_F))
        BL_TRY(eval_force(sys, e));
    if (want & BL_M)
        BL_TRY(M_at(sys, e->own, e->t, e->q, e->M));
    if ((want & BL_PHI) && sys->np)
        BL_TRY(phi_at(sys, e->own, e->t, e->q, e->phi));
    if ((want & BL_G) && sys->np)
        BL_TRY(G_at(sys, e->own, e->t, e->q, e->G));
    if ((want & BL_B) && sys->np)
        BL_TRY(eval_b(sys, e));
    if ((want & BL_C) && sys->np)
        BL_TRY(eval_c(sys, e));
    if (want & BL_KC)
        BL_TRY(eval_tangent(sys, e));
    if (want & BL_MA_X)
        BL_TRY(eval_Ma_x(sys, e));
    if ((want & (BL_GTL_X | BL_GV_X)) && sys->np)
        BL_TRY(eval_G_x(sys, e, want & BL_GTL_X, want & BL_GV_X));
    if ((want & BL_ENERGY) && fn->energy) {
        double power;
        BL_TRY(check_return(sys, fn->energy(fn->user, e->t, e->q, e->v, &e->kinetic, &e->potential, &power), "energy", e->t));
    }
    if ((want & BL_EVENTS) && sys->nevent) {
        BL_TRY(check_return(sys, fn->event(fn->user, e->t, e->q, e->v, e->z, e->event), "events", e->t));
        BL_TRY(bl_check_finite(sys->ctx, "event", e->t, sys->nevent, e->event));
    }
    return BL_OK;
}

static bl_status function_exact(const bl_system *sys, double t, double *q, double *v, double *z) {
    const bl_function *fn = &own_of(sys)->fn;
    return check_return(sys, fn->exact(fn->user, t, q, v, z), "the exact solution", t);
}

static bl_status function_eval_create(const bl_system *sys, bl_eval *e) {
    const function *own = own_of(sys);
    work *w;
    BL_TRY(BL_NEW(sys->ctx, w, 1));
    e->own = w;
    size_t nq = (size_t)sys->nq, np = (size_t)sys->np, nG = (size_t)sys->pat_G.ptr[sys->nv];
    size_t entries = nG > (size_t)own->nM ? nG : (size_t)own->nM, nx = own->slot ? (size_t)own->nx : 0, longest = nq > np ? nq : np;
    return BL_NEW_ARRAYS(sys->ctx, w->block, BL_ARRAY(w->near, nq), BL_ARRAY(w->far, nq), BL_ARRAY(w->term, np), BL_ARRAY(w->sum, np),
                         BL_ARRAY(w->value, entries), BL_ARRAY(w->D, entries), BL_ARRAY(w->dx, nx), BL_ARRAY(w->product, longest));
}

static bl_status function_eval_room(const bl_system *sys, bl_eval *e, uint32_t fresh) {
    const function *own = own_of(sys);
    if (fresh & BL_KC)
        memcpy(e->C + own->ndv, own->fn.A, (size_t)own->nA * sizeof *e->C);
    if ((fresh & BL_M) && !own->fn.mass)
        memcpy(e->M, own->fn.M, (size_t)own->nM * sizeof *e->M);
    if (!own->fn.mass)
        e->constant |= fresh & (BL_M | BL_MA_X);
    return BL_OK;
}

static void function_eval_destroy(const bl_system *sys, bl_eval *e) {
    work *w = e->own;
    if (w)
        bl_free(sys->ctx, w->block);
    bl_free(sys->ctx, w);
}

static void function_row_name(const bl_system *sys, bl_index row, char *part, size_t npart, char *equation, size_t nequation) {
    (void)sys;
    (void)part;
    (void)npart;
    snprintf(equation, nequation, "constraint %d", row + 1);
}

static void function_col_name(const bl_system *sys, bl_index col, char *name, size_t nname) {
    const bl_function *fn = &own_of(sys)->fn;
    if (fn->name)
        snprintf(name, nname, "%s", fn->name[col]);
    else
        snprintf(name, nname, "%c%d", col < sys->nq ? 'q' : 'z', (col < sys->nq ? col : col - sys->nq) + 1);
}

static void function_destroy(bl_system *sys) {
    function *own = sys->own;
    bl_pattern_free(sys->ctx, &own->pat_K);
    bl_arena_destroy(&own->arena);
}

#define FUNCTION_KIND(known)                                                                                         \
    {                                                                                                                \
        .kind = {.name = "function", .help = "a user's functions"}, .eval = function_eval, .exact = known,           \
        .eval_create = function_eval_create, .eval_room = function_eval_room, .eval_destroy = function_eval_destroy, \
        .row_name = function_row_name, .col_name = function_col_name, .destroy = function_destroy                    \
    }
static const bl_system_kind plain_kind = FUNCTION_KIND(NULL), exact_kind = FUNCTION_KIND(function_exact);

/* ---- build */

static bl_status refuse(bl_context *ctx, const char *advice, const char *what, bl_index a, bl_index b) {
    bl_fail(ctx, BL_E_ARG, NULL, what, (int)a, (int)b);
    bl_advise(ctx, "%s", advice);
    return BL_E_ARG;
}

static bl_status check_pattern(bl_context *ctx, const char *what, bl_index nrow, bl_index ncol, const bl_csc *csc) {
    if (!csc->ptr) {
        if ((double)nrow * ncol <= equations_dense * equations_dense)
            return BL_OK;
        bl_fail(ctx, BL_E_ARG, NULL, "%s: a dense matrix of %d x %d is too large", what, nrow, ncol);
        bl_advise(ctx, "give its sparsity pattern; explicit methods work with an empty one");
        return BL_E_ARG;
    }
    if (csc->ptr[0] != 0)
        return bl_fail(ctx, BL_E_ARG, NULL, "%s: ptr[0] must be 0, found %d", what, csc->ptr[0]);
    for (bl_index j = 0; j < ncol; j++) {
        if (csc->ptr[j + 1] < csc->ptr[j] || csc->ptr[j + 1] - csc->ptr[j] > nrow)
            return bl_fail(ctx, BL_E_ARG, NULL, "%s: ptr of column %d is invalid: it goes from %d to %d", what, j, csc->ptr[j],
                           csc->ptr[j + 1]);
        for (bl_index k = csc->ptr[j]; k < csc->ptr[j + 1]; k++)
            if (!csc->idx || csc->idx[k] < 0 || csc->idx[k] >= nrow || (k > csc->ptr[j] && csc->idx[k] <= csc->idx[k - 1]))
                return bl_fail(ctx, BL_E_ARG, NULL, "%s: the rows of column %d must be ascending and between 0 and %d", what, j, nrow - 1);
    }
    return BL_OK;
}

enum shape { GIVEN, DIAGONAL, EMPTY };

static bl_index count_entries(enum shape shape, bl_index nrow, bl_index ncol, const bl_csc *csc) {
    return shape == EMPTY ? 0 : shape == DIAGONAL ? ncol : csc->ptr ? csc->ptr[ncol] : nrow * ncol;
}

/* writes the columns of a block of a matrix, with rows shifted by `offset` */
static void write_columns(enum shape shape, bl_index nrow, bl_index ncol, const bl_csc *csc, bl_index offset, bl_index first, bl_index *ptr,
                          bl_index *idx) {
    bl_index at = ptr[first];
    for (bl_index j = 0; j < ncol; j++) {
        if (shape == DIAGONAL)
            idx[at++] = offset + j;
        else if (shape == GIVEN && csc->ptr)
            for (bl_index k = csc->ptr[j]; k < csc->ptr[j + 1]; k++)
                idx[at++] = offset + csc->idx[k];
        else if (shape == GIVEN)
            for (bl_index i = 0; i < nrow; i++)
                idx[at++] = offset + i;
        ptr[first + j + 1] = at;
    }
}

/* pattern nrow x ncol with one block at the left and one at the lower right (may be EMPTY); allocated from the arena */
static bl_status make_pattern(bl_arena *arena, bl_index nrow, bl_index ncol, enum shape left, bl_index left_rows, bl_index left_cols,
                              const bl_csc *left_csc, enum shape right, const bl_csc *right_csc, bl_pattern *out) {
    bl_index right_cols = ncol - left_cols, offset = nrow - right_cols;
    bl_index n = count_entries(left, left_rows, left_cols, left_csc) + count_entries(right, right_cols, right_cols, right_csc);
    bl_index *ptr = bl_arena_alloc(arena, (size_t)ncol + 1, sizeof *ptr), *idx = bl_arena_alloc(arena, (size_t)n, sizeof *idx);
    if (!ptr || !idx)
        return BL_E_MEMORY;
    write_columns(left, left_rows, left_cols, left_csc, 0, 0, ptr, idx);
    write_columns(right, right_cols, right_cols, right_csc, offset, left_cols, ptr, idx);
    *out = (bl_pattern){nrow, ncol, ptr, idx};
    return BL_OK;
}

/* Adds the entries of d(G^T lambda)/dq to the user's pattern: the columns of one constraint are coupled. */
static bl_status widen_K(bl_system *sys, function *own) {
    const bl_pattern *K = &sys->pat_K, *G = &sys->pat_G;
    bl_context *ctx = sys->ctx;
    bl_index n = K->ncol, nv = sys->nv, *row = NULL;
    if (sys->np == 0 || !own->fn.pattern_x.ptr)
        return BL_OK;
    /* columns of each constraint */
    bl_index nG = G->ptr[nv], *start, *col;
    BL_TRY(BL_NEW(ctx, start, sys->np + 2 + nG));
    col = start + sys->np + 2;
    for (bl_index k = 0; k < nG; k++)
        start[G->idx[k] + 2]++;
    for (bl_index i = 0; i < sys->np; i++)
        start[i + 2] += start[i + 1];
    for (bl_index j = 0; j < nv; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++)
            col[start[G->idx[k] + 1]++] = j;
    size_t npair = (size_t)own->nx;
    bool dense = !own->fn.pattern_G.ptr;
    for (bl_index i = 0; i < (dense ? 1 : sys->np); i++)
        npair += (size_t)(start[i + 1] - start[i]) * (size_t)(start[i + 1] - start[i]);
    bl_status status = npair > INT32_MAX / 2 ? bl_fail(ctx, BL_E_ARG, NULL, "the constraints couple too many coordinates") : BL_OK;
    if (status == BL_OK)
        status = BL_NEW(ctx, row, 3 * npair);
    if (status == BL_OK) {
        bl_index *column = row + npair, *slot = column + npair, at = 0;
        for (bl_index j = 0; j < n; j++)
            for (bl_index k = K->ptr[j]; k < K->ptr[j + 1]; k++, at++) {
                row[at] = K->idx[k];
                column[at] = j;
            }
        for (bl_index i = 0; i < (dense ? 1 : sys->np); i++)
            for (bl_index a = start[i]; a < start[i + 1]; a++)
                for (bl_index b = start[i]; b < start[i + 1]; b++, at++) {
                    row[at] = col[a];
                    column[at] = col[b];
                }
        status = bl_pattern_build(ctx, n, n, at, row, column, &own->pat_K, slot);
        if (status == BL_OK)
            own->slot = bl_arena_alloc(&own->arena, (size_t)own->nx, sizeof *own->slot);
        if (status == BL_OK && !own->slot)
            status = BL_E_MEMORY;
        if (status == BL_OK) {
            memcpy(own->slot, slot, (size_t)own->nx * sizeof *slot);
            sys->pat_K = own->pat_K;
        }
    }
    bl_free(ctx, row);
    bl_free(ctx, start);
    return status;
}

static bl_status check_function(bl_context *ctx, const bl_function *fn) {
    if (fn->nq < 0 || fn->nz < 0 || fn->np < 0 || fn->nevent < 0 || fn->nq > INT32_MAX / 4 || fn->nz > INT32_MAX / 4)
        return refuse(ctx, "sizes must not be negative", "a function cannot have %d coordinates and %d states", fn->nq, fn->nz);
    if (fn->nq + fn->nz == 0)
        return refuse(ctx, "set nz for y' = f(t, y), nq for M q'' = Q", "a function with %d coordinates and %d states has no unknowns",
                      fn->nq, fn->nz);
    if (!fn->force)
        return refuse(ctx, "set it to a function that computes Q and f", "`force` of a function with %d coordinates and %d states is NULL",
                      fn->nq, fn->nz);
    if (fn->np > 0 && !fn->constraint)
        return refuse(ctx, "set it to a function that computes phi(q, t)",
                      "the function has %d constraints of %d coordinates, but `constraint` is NULL", fn->np, fn->nq);
    if (fn->np > 0 && fn->nq == 0)
        return refuse(ctx, "write algebraic equations between states as rows of zeros in A",
                      "the function has %d constraints, but %d coordinates", fn->np, fn->nq);
    if (fn->nevent > 0 && !fn->event)
        return refuse(ctx, "set it to a function that computes the events", "the function has %d events (%d states), but `event` is NULL",
                      fn->nevent, fn->nz);
    if (fn->M && fn->mass)
        return refuse(ctx, "use M for a constant matrix, else mass", "both `M` and `mass` are given (%d coordinates, %d states)", fn->nq,
                      fn->nz);
    bl_index n = fn->nq + fn->nz;
    BL_TRY(check_pattern(ctx, "pattern_x", n, n, &fn->pattern_x));
    if (!(fn->promise & BL_FN_NO_V) || fn->pattern_v.ptr)
        BL_TRY(check_pattern(ctx, "pattern_v", n, fn->nq, &fn->pattern_v));
    BL_TRY(check_pattern(ctx, "pattern_G", fn->np, fn->nq, &fn->pattern_G));
    if (fn->M || fn->mass)
        BL_TRY(check_pattern(ctx, "pattern_M", fn->nq, fn->nq, &fn->pattern_M));
    if (fn->A)
        BL_TRY(check_pattern(ctx, "pattern_A", fn->nz, fn->nz, &fn->pattern_A));
    for (bl_index i = 0; fn->scale && i < n; i++)
        if (!(fn->scale[i] > 0 && fn->scale[i] <= DBL_MAX))
            return bl_fail(ctx, BL_E_ARG, NULL, "scale[%d] must be positive and finite, found %g", i, fn->scale[i]);
    for (bl_index i = 0; fn->row_scale && i < fn->np; i++)
        if (!(fn->row_scale[i] > 0 && fn->row_scale[i] <= DBL_MAX))
            return bl_fail(ctx, BL_E_ARG, NULL, "row_scale[%d] must be positive and finite, found %g", i, fn->row_scale[i]);
    if (!(fn->time_scale >= 0 && fn->time_scale <= DBL_MAX))
        return bl_fail(ctx, BL_E_ARG, NULL, "time_scale must be finite and not negative, found %g", fn->time_scale);
    return BL_OK;
}

/* n numbers in the arena: a copy of `given`, or all equal */
static double *copy_numbers(bl_arena *arena, bl_index n, const double *given, double otherwise) {
    double *copy = bl_arena_alloc(arena, (size_t)n, sizeof *copy);
    for (bl_index i = 0; copy && i < n; i++)
        copy[i] = given ? given[i] : otherwise;
    return copy;
}

static bl_status copy_names(function *own, bl_index n, const char *const *given) {
    const char **name = bl_arena_alloc(&own->arena, (size_t)n, sizeof *name);
    if (!name)
        return BL_E_MEMORY;
    for (bl_index i = 0; i < n; i++) {
        const char *text = given[i] ? given[i] : "";
        name[i] = bl_arena_text(&own->arena, text, strlen(text));
        if (!name[i])
            return BL_E_MEMORY;
    }
    own->fn.name = name;
    return BL_OK;
}

static bl_status make_patterns(bl_system *sys, function *own) {
    bl_function *fn = &own->fn;
    bl_index nq = fn->nq, nz = fn->nz, n = nq + nz;
    enum shape mass = fn->M || fn->mass ? GIVEN : DIAGONAL, states = fn->A ? GIVEN : DIAGONAL;
    enum shape damping = fn->promise & BL_FN_NO_V && !fn->pattern_v.ptr ? EMPTY : GIVEN;
    BL_TRY(make_pattern(&own->arena, n, n, mass, nq, nq, &fn->pattern_M, EMPTY, NULL, &sys->pat_M));
    BL_TRY(make_pattern(&own->arena, n, n, damping, n, nq, &fn->pattern_v, states, &fn->pattern_A, &sys->pat_C));
    BL_TRY(make_pattern(&own->arena, n, n, GIVEN, n, n, &fn->pattern_x, EMPTY, NULL, &sys->pat_K));
    BL_TRY(make_pattern(&own->arena, fn->np, nq, GIVEN, fn->np, nq, &fn->pattern_G, EMPTY, NULL, &sys->pat_G));
    own->nM = sys->pat_M.ptr[nq];
    own->ndv = sys->pat_C.ptr[nq];
    own->nA = sys->pat_C.ptr[n] - own->ndv;
    own->nx = sys->pat_K.ptr[n];
    BL_TRY(widen_K(sys, own));
    if (!fn->mass && !(fn->M = copy_numbers(&own->arena, own->nM, fn->M, 1)))
        return BL_E_MEMORY;
    fn->A = copy_numbers(&own->arena, own->nA, fn->A, 1);
    return fn->A ? BL_OK : BL_E_MEMORY;
}

static bl_status make_rows_and_columns(bl_system *sys, function *own) {
    bl_function *fn = &own->fn;
    bl_index nq = fn->nq, n = nq + fn->nz;
    own->scale = copy_numbers(&own->arena, n, fn->scale, 1);
    own->col = bl_arena_alloc(&own->arena, (size_t)n, sizeof *own->col);
    own->row = bl_arena_alloc(&own->arena, (size_t)fn->np, sizeof *own->row);
    if (!own->scale || !own->col || !own->row)
        return BL_E_MEMORY;
    own->time_scale = fn->time_scale > 0 ? fn->time_scale : 1;
    for (bl_index j = 0; j < n; j++) {
        uint8_t order = j < nq ? 2 : 0; /* a state whose column of A is zero is algebraic */
        for (bl_index k = sys->pat_C.ptr[j]; j >= nq && k < sys->pat_C.ptr[j + 1]; k++)
            if (fn->A[k - own->ndv] != 0)
                order = 1;
        own->col[j] = (bl_col){.what = j < nq ? BL_COL_DISTANCE : BL_COL_STATE, .order = order, .owner = j, .scale = own->scale[j]};
    }
    for (bl_index i = 0; i < fn->np; i++)
        own->row[i] = (bl_row){.what = BL_ROW_CLOSURE, .owner = i, .partner = -1, .scale = fn->row_scale ? fn->row_scale[i] : 1};
    sys->col = own->col;
    sys->row = own->row;
    if (fn->name)
        BL_TRY(copy_names(own, n, fn->name));
    fn->scale = fn->row_scale = NULL; /* copied to col and row */
    return BL_OK;
}

static bl_status make(bl_system *sys, const bl_function *given) {
    function *own = sys->own;
    own->arena.ctx = sys->ctx;
    own->fn = *given;
    uint32_t promise = given->promise;
    bool identity = !given->M && !given->mass && !given->A;
    sys->nq = sys->nv = given->nq;
    sys->nz = given->nz;
    sys->np = given->np;
    sys->nevent = given->nevent;
    sys->can = BL_CAN_MASS | (given->tangent ? BL_CAN_TANGENT : 0) | (given->energy ? BL_CAN_ENERGY : 0);
    sys->facts = BL_FLAT | (given->mass ? 0 : BL_M_CONST) | (promise & BL_FN_LINEAR ? BL_CK_CONST : 0) |
                 (promise & BL_FN_NO_V || given->nq == 0 ? 0 : BL_Q_OF_V) | (promise & BL_FN_NO_T ? 0 : BL_Q_OF_T) |
                 (given->np > 0 && !(promise & BL_FN_STATIC) ? BL_RHEONOMIC : 0) | (promise & BL_FN_SMOOTH ? BL_SMOOTH : 0) |
                 (identity ? BL_IDENTITY : 0) | (given->nz && !given->A ? BL_A_IDENTITY : 0);
    BL_TRY(make_patterns(sys, own));
    BL_TRY(make_rows_and_columns(sys, own));
    /* the user's patterns have been copied */
    own->fn.pattern_x = own->fn.pattern_v = own->fn.pattern_M = own->fn.pattern_A = own->fn.pattern_G = (bl_csc){NULL, NULL};
    return BL_OK;
}

bl_status bl_function_build(bl_context *ctx, const bl_function *given, bl_system **out) {
    *out = NULL;
    BL_TRY(check_function(ctx, given));
    BL_TRY(bl_system_create(ctx, given->exact ? &exact_kind : &plain_kind, sizeof(function), out));
    return bl_system_made(make(*out, given), out);
}
