/* Stabilized index 2 as a power series (Benhammouda 2018; the order of the steps and s_k as corrected in docs/theory/series.md),
 *
 *     q' = v - G^T mu,   M v' = Q - G^T lambda,   phi = 0,   G v + phi_t = 0,   A z' = f.
 *
 * The derivatives of both constraints are satisfied, the constraints themselves keep their violation at the start: mu is due to the
 * violation of the velocities there. Rows that restrict velocities alone have no mu. */
#include "formulation/index1.h"

#include "dense/dense.h"
#include "sparse/sparse.h"

#include <string.h>

struct bl_index2 {
    int order;
    double *G;                      /* [order + 1][entries] coefficients */
    double *gram;                   /* [r][r] Cholesky factor of G_0 G_0^T of scaled rows */
    double *push, *flow, *rows, *x; /* [nv], [nv], [np], [r] */
    void *block;
};

void bl_index2_free(bl_formulation *form) {
    bl_index1 *own = form->own;
    if (own->index2)
        bl_free(form->ctx, own->index2->block);
    bl_free(form->ctx, own->index2);
    own->index2 = NULL;
}

/* once: orders do not change in a run */
static bl_status make_memory(bl_formulation *form, int order) {
    bl_index1 *own = form->own;
    if (own->index2 && own->index2->order == order)
        return BL_OK;
    bl_index2_free(form);
    size_t nG = own->np ? (size_t)form->sys->pat_G.ptr[own->nv] : 0, r = (size_t)own->rows.r, nv = (size_t)own->nv;
    struct bl_index2 *s;
    BL_TRY(BL_NEW(form->ctx, s, 1));
    own->index2 = s;
    s->order = order;
    return BL_NEW_ARRAYS(form->ctx, s->block, BL_ARRAY(s->G, ((size_t)order + 1) * nG), BL_ARRAY(s->gram, r * r), BL_ARRAY(s->push, nv),
                         BL_ARRAY(s->flow, nv), BL_ARRAY(s->rows, own->np), BL_ARRAY(s->x, r));
}

/* ---- products with coefficient k of G */

static const double *values(const bl_formulation *form, int k) {
    const bl_index1 *own = form->own;
    return own->index2->G + (size_t)k * (size_t)form->sys->pat_G.ptr[own->nv];
}

static bl_status take_G(bl_formulation *form, bl_expansion *ex, int k) {
    bl_index1 *own = form->own;
    size_t n = (size_t)form->sys->pat_G.ptr[own->nv];
    BL_TRY(bl_system_series(form->sys, ex, k, BL_G));
    memcpy(own->index2->G + (size_t)k * n, ex->G, n * sizeof(double));
    return BL_OK;
}

static bool has_mu(const bl_formulation *form, bl_index row) { return form->sys->row[row].level == BL_AT_POSITION; }

/* G_0 G_0^T of the kept rows of positions, scaled, factored; 1 in the others */
static bl_status factor_gram(bl_formulation *form) {
    bl_index1 *own = form->own;
    const bl_pattern *pattern = &form->sys->pat_G;
    const double *G = values(form, 0);
    double *gram = own->index2->gram;
    memset(gram, 0, (size_t)own->rows.r * (size_t)own->rows.r * sizeof *gram);
    for (bl_index i = 0; i < own->rows.r; i++)
        gram[i * own->rows.r + i] = has_mu(form, own->rows.kept[i]) ? 0 : 1;
    for (bl_index j = 0; j < own->nv; j++)
        for (bl_index p = pattern->ptr[j]; p < pattern->ptr[j + 1]; p++)
            for (bl_index o = pattern->ptr[j]; o < pattern->ptr[j + 1]; o++) {
                bl_index a = own->rows.slot[pattern->idx[p]], b = own->rows.slot[pattern->idx[o]];
                if (a >= 0 && b >= 0 && b <= a && has_mu(form, pattern->idx[p]) && has_mu(form, pattern->idx[o]))
                    gram[b * own->rows.r + a] += G[p] * own->rows.by[pattern->idx[p]] * G[o] * own->rows.by[pattern->idx[o]];
            }
    bl_index bad;
    return bl_cholesky(own->rows.r, gram, &bad);
}

/* ---- the recursion */

/* mu_{k-1} and q_k: G_0 q_k = -phi_k without q_k, k q_k = v_{k-1} - sum_{l < k} G_{k-1-l}^T mu_l */
static bl_status next_position(bl_formulation *form, bl_expansion *ex, int k) {
    bl_index1 *own = form->own;
    struct bl_index2 *s = own->index2;
    size_t nv = (size_t)own->nv, np = (size_t)own->np;
    const bl_pattern *G = &form->sys->pat_G;
    const double *v = ex->v + (size_t)(k - 1) * nv;
    double *q = ex->q + (size_t)k * nv, *mu = ex->mu + (size_t)(k - 1) * np;
    memcpy(s->flow, v, nv * sizeof *v);
    if (np) {
        BL_TRY(bl_system_series(form->sys, ex, k, BL_PHI));
        memset(s->push, 0, nv * sizeof *s->push);
        for (int l = 0; l < k - 1; l++)
            bl_csc_multiply_transposed(G, values(form, k - 1 - l), ex->mu + (size_t)l * np, s->push);
        for (size_t j = 0; j < nv; j++)
            s->flow[j] -= s->push[j];
        for (size_t i = 0; i < np; i++)
            s->rows[i] = k * ex->phi[i];
        bl_csc_multiply(G, values(form, 0), s->flow, s->rows);
        for (bl_index i = 0; i < own->rows.r; i++)
            s->x[i] = has_mu(form, own->rows.kept[i]) ? s->rows[own->rows.kept[i]] * own->rows.by[own->rows.kept[i]] : 0;
        bl_cholesky_solve(own->rows.r, s->gram, s->x);
        memset(mu, 0, np * sizeof *mu);
        for (bl_index i = 0; i < own->rows.r; i++)
            mu[own->rows.kept[i]] = s->x[i] * own->rows.by[own->rows.kept[i]];
        memset(s->push, 0, nv * sizeof *s->push);
        bl_csc_multiply_transposed(G, values(form, 0), mu, s->push);
        for (size_t j = 0; j < nv; j++)
            s->flow[j] -= s->push[j];
    }
    for (size_t j = 0; j < nv; j++)
        q[j] = s->flow[j] / k;
    return BL_OK;
}

/* rows = k G_0 v_k = -k (sum_{l < k} G_{k-l} v_l + (phi_t)_k), where on the motion (phi_t)_k = -(G q')_k, and the part G_0 (k + 1) q_{k+1}
 * follows from phi. Rows of velocities have -b for phi_t, and G q' - b for the rate of phi. */
static bl_status next_target(bl_formulation *form, bl_expansion *ex, int k) {
    bl_index1 *own = form->own;
    struct bl_index2 *s = own->index2;
    size_t nv = (size_t)own->nv, np = (size_t)own->np;
    bool driven = form->sys->facts & BL_RHEONOMIC;
    memset(s->rows, 0, np * sizeof *s->rows);
    if (driven) {
        BL_TRY(bl_system_series(form->sys, ex, k + 1, BL_PHI));
        for (size_t i = 0; i < np; i++)
            s->rows[i] = -(double)k * (k + 1) * ex->phi[i];
    }
    for (int l = 0; l < k; l++) {
        const double *v = ex->v + (size_t)l * nv, *q = ex->q + (size_t)(l + 1) * nv;
        for (size_t j = 0; j < nv; j++)
            s->flow[j] = -k * (driven ? v[j] - (l + 1) * q[j] : v[j]);
        bl_csc_multiply(&form->sys->pat_G, values(form, k - l), s->flow, s->rows);
    }
    return BL_OK;
}

static bl_status recursion(bl_formulation *form, double t, const double *q, const double *v, const double *z, bl_order_solution solve,
                           bl_expansion *ex) {
    bl_index1 *own = form->own;
    const bl_system *sys = form->sys;
    size_t nv = (size_t)own->nv, np = (size_t)own->np, nz = (size_t)own->nz;
    BL_TRY(make_memory(form, ex->order));
    form->stats.evaluations++;
    ex->t = t;
    ex->history = form->history;
    ex->v_order = ex->order - (np && (sys->facts & BL_RHEONOMIC) ? 1 : 0); /* the last one would need one more order of phi */
    memcpy(ex->q, q, nv * sizeof *q);
    memcpy(ex->v, v, nv * sizeof *v);
    memcpy(ex->z, z, nz * sizeof *z);
    if (np) {
        BL_TRY(take_G(form, ex, 0));
        BL_TRY(factor_gram(form));
    }
    for (int k = 1; k <= ex->order; k++) {
        BL_TRY(next_position(form, ex, k));
        bool moves = k <= ex->v_order; /* the last order may concern positions and states only */
        if (np && moves) {
            BL_TRY(take_G(form, ex, k));
            BL_TRY(next_target(form, ex, k));
        }
        BL_TRY(bl_system_series(sys, ex, k - 1, (moves ? BL_Q : 0) | (nz ? BL_F : 0)));
        if (moves)
            BL_TRY(solve(form, ex->Q, own->index2->rows, ex->a, ex->lambda + (size_t)(k - 1) * np));
        for (size_t j = 0; j < nv && moves; j++)
            ex->v[(size_t)k * nv + j] = ex->a[j] / k;
        if (nz)
            BL_TRY(bl_state_rates_solve(form, ex->f, ex->zd));
        for (size_t i = 0; i < nz; i++)
            ex->z[(size_t)k * nz + i] = ex->zd[i] / k;
    }
    return bl_system_series(sys, ex, ex->order, BL_ENERGY);
}

static bl_status index2_setup(bl_formulation *form, const bl_state *state) {
    return bl_index1_setup(form, state, &(bl_index1_options){.drifts = true, .expand = recursion});
}

const bl_formulation_kind bl_formulation_index2 = {
    .kind = {.name = "index2",
             .help = "stabilized index 2 for power series: positions and velocities have separate series",
             .needs = BL_CAN_MASS,
             .gives = BL_CAN_COEFFICIENT | BL_TAKES_VELOCITY_ROWS | BL_REFUSES_SINGULAR},
    .uses = BL_USES_MATRICES,
    .index = 2,
    .redundant = BL_INDEX1_REDUNDANT,
    .singular = BL_INDEX1_SINGULAR,
    .setup = index2_setup,
    .review = bl_index1_review,
    BL_INDEX1_SLOTS,
    .expand = bl_index1_expand,
};
