/* A mechanism as a power series: constraint equations are quadratic in the coordinates and the mass matrix is constant, so that each order
 * costs one Cauchy product of directions. Forces, angles and drivers are evaluated as tapes.
 *
 *     phi_k = ... + sum_i coef a_i b_{k-i},     (G^T lambda)_k = sum_l coef lambda_l (b_{k-l} da + a_{k-l} db) */
#include "coords/mech_series.h"

#include "series/taylor.h"

#include <stdio.h>
#include <string.h>

void bl_mech_not_analytic(const bl_system *sys, char *why, size_t nwhy, const char **advice) {
    const bl_mechanism *m = bl_mech(sys);
    bl_elastic_not_analytic(m, why, nwhy, advice);
    if (why[0])
        return;
    if (m->model->nreaction) {
        snprintf(why, nwhy, "laws read reactions");
        return;
    }
    for (bl_index l = 0; l < m->nload; l++) {
        const bl_force_def *def = m->load[l].record.def; /* also of actuators, which follow the forces of the model */
        if (m->load[l].normal < 0 && m->switches.law[l].analytic)
            continue;
        snprintf(why, nwhy, "the force of %s '%s' is not analytic everywhere", def->kind->kind.name, def->name ? def->name : "");
        return;
    }
    for (bl_index i = 0; i < m->nproduct; i++)
        if (m->product[i].function && !bl_function_row_analytic(m->product[i].function)) {
            const bl_joint_def *joint = &m->model->joint[m->row[m->product[i].row].owner];
            snprintf(why, nwhy, "the equation of %s '%s' is not analytic everywhere", joint->kind->kind.name, joint->name);
            return;
        }
    for (bl_index i = 0; i < m->nsignal; i++)
        if (!m->switches.law[m->nload + m->model->ndriver + i].analytic) {
            snprintf(why, nwhy, "the rate of state '%s' is not analytic everywhere", m->signal[i].def.name);
            return;
        }
    bl_index state = -1, d = bl_model_driver_of_state(m->model, &state);
    if (d >= 0)
        snprintf(why, nwhy, "the driver of %s follows state '%s'", m->model->variable[m->model->driver[d].variable].name,
                 m->model->signal[state].name);
}

/* ---- set-up */

static bool moves(const bl_mechanism *m, bl_index row) {
    for (bl_index i = m->form_ptr[row]; i < m->form_ptr[row + 1]; i++)
        if (m->form_entry[i] < m->nfree)
            return true;
    return false;
}

/* A row with a fixed direction is linear: it contributes nothing beyond G_0 q_k. Squares come first; they, and all lanes together, are
 * padded with zero lanes. */
static bl_status make_lanes(const bl_mechanism *m, bl_mech_series *s) {
    size_t most = (size_t)(m->nquad * m->dim) + 2 * BL_SERIES_WIDTH;
    BL_TRY(BL_NEW(m->ctx, s->a, most));
    BL_TRY(BL_NEW(m->ctx, s->b, most));
    BL_TRY(BL_NEW(m->ctx, s->row, most));
    BL_TRY(BL_NEW(m->ctx, s->coef, most));
    for (int squares = 1; squares >= 0; squares--) {
        for (bl_index t = 0; t < m->nquad; t++)
            for (int c = 0; c < m->dim; c++) {
                const struct bl_quad *q = &m->quad[t];
                bl_index a = q->a * m->dim + c, b = q->b * m->dim + c;
                if ((a == b) != squares || !moves(m, a) || !moves(m, b))
                    continue;
                s->a[s->nlane] = a;
                s->b[s->nlane] = b;
                s->row[s->nlane] = q->row;
                s->coef[s->nlane++] = q->coef;
            }
        if (squares) {
            s->nsquare = s->nlane;
            s->nlane = s->mixed = bl_series_padded(s->nsquare);
        }
    }
    s->room = bl_series_padded(s->nlane);
    size_t room = (size_t)s->room + 1, count = (size_t)s->order + 1;
    BL_TRY(BL_NEW(m->ctx, s->A, room * count));
    BL_TRY(BL_NEW(m->ctx, s->B, room * count));
    BL_TRY(BL_NEW(m->ctx, s->L, room * count));
    return BL_NEW(m->ctx, s->sum, 2 * room);
}

/* not padding */
static bool is_lane(const bl_mech_series *s, bl_index lane) { return lane < s->nsquare || lane >= s->mixed; }

/* sums of lanes into rows of phi */
static bl_status make_rows(const bl_mechanism *m, bl_mech_series *s) {
    BL_TRY(BL_NEW(m->ctx, s->phi_sum, (size_t)s->nlane + 1));
    for (bl_index lane = 0; lane < s->nlane; lane++)
        if (is_lane(s, lane))
            s->phi_sum[s->nphi_sum++] = (struct bl_lane_sum){lane, s->row[lane], s->coef[lane]};
    return BL_OK;
}

/* sums of lanes into Q: lanes that multiply direction b act on direction a and are in the first half; in a square they count twice */
static bl_status make_pushes(const bl_mechanism *m, bl_mech_series *s) {
    for (int write = 0; write < 2; write++) {
        if (write)
            BL_TRY(BL_NEW(m->ctx, s->Q_sum, (size_t)s->nQ_sum + 1));
        s->nQ_sum = 0;
        for (bl_index lane = 0; lane < s->nlane; lane++)
            for (int side = 0; is_lane(s, lane) && side < (lane < s->nsquare ? 1 : 2); side++) {
                bl_index row = side ? s->b[lane] : s->a[lane];
                double twice = lane < s->nsquare ? 2 : 1;
                for (bl_index i = m->form_ptr[row]; i < m->form_ptr[row + 1]; i++) {
                    if (m->form_entry[i] >= m->nfree)
                        continue;
                    if (write)
                        s->Q_sum[s->nQ_sum] = (struct bl_lane_sum){lane + side * s->room, m->form_entry[i], twice * m->form_coef[i]};
                    s->nQ_sum++;
                }
            }
    }
    return BL_OK;
}

/* Beyond order 0 most directions are one coordinate or the difference of two: those come first, as pairs. */
static bl_status make_pairs(const bl_mechanism *m, bl_mech_series *s) {
    BL_TRY(BL_NEW(m->ctx, s->pair, (size_t)s->nneeded + 1));
    for (bl_index i = 0; i < s->nneeded; i++) {
        bl_index row = s->needed[i], count = 0;
        struct bl_series_pair pair = {.row = row};
        for (bl_index j = m->form_ptr[row]; j < m->form_ptr[row + 1]; j++)
            if (m->form_entry[j] < m->nfree) {
                pair.entry[count & 1] = m->form_entry[j];
                pair.coef[count++ & 1] = m->form_coef[j];
            }
        if (count > 2)
            continue;
        s->pair[s->npair] = pair;
        s->needed[i] = s->needed[s->npair];
        s->needed[s->npair++] = row;
    }
    return BL_OK;
}

static bl_status make_needed(const bl_mechanism *m, bl_mech_series *s) {
    bl_index n = m->ndir * m->dim;
    bool *need;
    BL_TRY(BL_NEW(m->ctx, need, (size_t)n + 1));
    bl_status status = BL_NEW(m->ctx, s->needed, (size_t)n + 1);
    for (bl_index lane = 0; lane < s->nlane; lane++)
        if (is_lane(s, lane))
            need[s->a[lane]] = need[s->b[lane]] = true;
    for (bl_index l = 0; l < m->nload; l++)
        for (bl_index i = 0; i < m->load[l].record.nmark * m->dim; i++)
            need[m->load[l].mark_dir[i / m->dim] * m->dim + i % m->dim] = true;
    for (bl_index l = 0; l < m->nsignal; l++)
        for (bl_index i = 0; i < m->signal[l].load.record.nmark * m->dim; i++)
            need[m->signal[l].load.mark_dir[i / m->dim] * m->dim + i % m->dim] = true;
    for (bl_index p = 0; p < m->nproduct; p++)
        for (bl_index i = 0; i < m->product[p].ndir * m->dim; i++)
            need[m->product[p].dir[i / m->dim] * m->dim + i % m->dim] = true;
    for (bl_index e = 0; e < m->nelastic; e++)
        for (bl_index i = 0; i < m->elastic[e].ndir * m->dim; i++)
            need[m->elastic[e].dir[i / m->dim] * m->dim + i % m->dim] = true;
    for (bl_index row = 0; row < n && status == BL_OK; row++)
        if (need[row])
            s->needed[s->nneeded++] = row;
    bl_free(m->ctx, need);
    BL_TRY(status);
    return make_pairs(m, s);
}

static bl_status make_tape(const bl_mechanism *m, const bl_tape *tape, bl_index nin, bl_index nout, int order, bl_series_tape *t) {
    size_t stride = (size_t)order + 1;
    t->tape = tape;
    t->nout = nout;
    BL_TRY(BL_NEW(m->ctx, t->in, (size_t)nin * stride + 1));
    BL_TRY(BL_NEW(m->ctx, t->out, (size_t)nout * stride + 1));
    return BL_NEW(m->ctx, t->work, bl_tape_series_work(tape, order) + 1);
}

bl_status bl_mech_series_create(const bl_system *sys, bl_expansion *ex) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_series *s;
    BL_TRY(BL_NEW(sys->ctx, s, 1));
    ex->own = s;
    s->order = ex->order;
    s->kernels = BL_ISA_PICK(sys->ctx, bl_series_kernels);
    BL_TRY(make_lanes(m, s));
    BL_TRY(make_rows(m, s));
    BL_TRY(make_pushes(m, s));
    BL_TRY(make_needed(m, s));
    BL_TRY(BL_NEW(m->ctx, s->x, (size_t)m->nx + 1));
    BL_TRY(BL_NEW(m->ctx, s->D, (size_t)(m->ndir * m->dim) + 1));
    BL_TRY(BL_NEW(m->ctx, s->product, (size_t)m->nproduct + 1));
    BL_TRY(BL_NEW(m->ctx, s->driver, (size_t)m->model->ndriver + 1));
    s->x_read = m->nproduct > 0;
    BL_TRY(bl_series_forces_create(m, s));
    for (bl_index d = 0; d < m->model->ndriver; d++) {
        const bl_pieces *law = &m->switches.law[m->nload + d];
        BL_TRY(make_tape(m, bl_driver_tape(m, d), law->ninput + law->count, 1, s->order, &s->driver[d]));
    }
    for (bl_index p = 0; p < m->nproduct; p++)
        BL_TRY(bl_series_product_create(m, &m->product[p], false, s->order, &s->product[p]));
    return bl_elastic_series_create(m, s->order, &s->elastic);
}

static void free_tapes(bl_context *ctx, bl_series_tape *t, bl_index n) {
    for (bl_index i = 0; t && i < n; i++) {
        bl_tape_destroy(t[i].made);
        void *blocks[] = {t[i].in, t[i].out, t[i].work, t[i].out_local};
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
            bl_free(ctx, blocks[k]);
    }
    bl_free(ctx, t);
}

void bl_mech_series_destroy(const bl_system *sys, bl_expansion *ex) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_series *s = ex->own;
    bl_series_forces_destroy(m, s);
    bl_elastic_series_destroy(m, s->elastic);
    free_tapes(sys->ctx, s->product, m->nproduct);
    free_tapes(sys->ctx, s->driver, m->model->ndriver);
    void *blocks[] = {s->a, s->b, s->row, s->coef, s->A, s->B, s->L, s->sum, s->phi_sum, s->Q_sum, s->needed, s->pair, s->x, s->D};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        bl_free(sys->ctx, blocks[i]);
    bl_free(sys->ctx, s);
    ex->own = NULL;
}

/* ---- one order */

/* over the first n entries */
static double form_value(const bl_mechanism *m, bl_index row, bl_index n, const double *x) {
    double sum = 0;
    for (bl_index j = m->form_ptr[row]; j < m->form_ptr[row + 1]; j++)
        if (m->form_entry[j] < n)
            sum += m->form_coef[j] * x[m->form_entry[j]];
    return sum;
}

/* stores the directions of order k in all tables */
static void store_order(const bl_system *sys, bl_expansion *ex, int k) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_series *s = ex->own;
    const double *x = ex->q + (size_t)k * (size_t)sys->nv;
    if (k == 0) {
        memcpy(s->x, x, (size_t)m->nfree * sizeof(double));
        memcpy(s->x + m->nfree, m->x_start + m->nfree, (size_t)(m->nx - m->nfree) * sizeof(double));
        for (bl_index i = 0; i < s->nneeded; i++)
            s->D[s->needed[i]] = form_value(m, s->needed[i], m->nx, s->x);
    } else {
        if (s->x_read) {
            memcpy(s->x, x, (size_t)m->nfree * sizeof(double));
            for (bl_index i = m->nfree; i < m->nx && k == 1; i++)
                s->x[i] = 0;
        }
        for (bl_index i = 0; i < s->npair; i++) {
            const struct bl_series_pair *p = &s->pair[i];
            s->D[p->row] = p->coef[0] * x[p->entry[0]] + p->coef[1] * x[p->entry[1]];
        }
        for (bl_index i = s->npair; i < s->nneeded; i++)
            s->D[s->needed[i]] = form_value(m, s->needed[i], m->nfree, x);
    }
    double *A = s->A + (size_t)k * (size_t)s->room, *B = s->B + (size_t)k * (size_t)s->room;
    for (bl_index lane = 0; lane < s->nsquare; lane++)
        A[lane] = s->D[s->a[lane]];
    for (bl_index lane = s->mixed; lane < s->nlane; lane++) {
        A[lane] = s->D[s->a[lane]];
        B[lane] = s->D[s->b[lane]];
    }
    bl_series_forces_take(s, k, ex->v + (size_t)(k > 0 ? k - 1 : 0) * (size_t)sys->nv);
    for (bl_index p = 0; p < m->nproduct; p++)
        bl_series_product_take(m, &m->product[p], &s->product[p], s->order, k, s->D, s->x);
    bl_elastic_series_take(m, s, k);
    s->known = k;
}

static void begin(const bl_system *sys, bl_expansion *ex) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_series *s = ex->own;
    const double *piece = bl_law_pieces_selected(m, ex->history);
    bl_series_forces_begin(m, s, ex->t, piece, ex->u);
    store_order(sys, ex, 0);
    for (bl_index d = 0; d < m->model->ndriver; d++) {
        bl_series_tape *t = &s->driver[d];
        bl_driver_inputs(m, d, ex->t, piece, ex->u, s->order, s->order, t->in);
        bl_tape_series(t->tape, s->order, t->in, t->out, t->work);
    }
}

static void series_phi(const bl_system *sys, bl_expansion *ex, int k) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_series *s = ex->own;
    size_t room = (size_t)s->room, mixed = (size_t)s->mixed;
    double *phi = ex->phi;
    s->kernels->sum_phi(mixed, room, k, s->A, s->B, s->sum);
    for (bl_index i = 0; i < m->nrow; i++)
        phi[i] = 0;
    for (bl_index i = 0; i < s->nphi_sum; i++) {
        const struct bl_lane_sum *t = &s->phi_sum[i];
        phi[t->entry] += t->coef * s->sum[t->lane];
    }
    for (bl_index p = 0; p < m->nproduct; p++)
        phi[m->product[p].row] += bl_series_product_phi(m, &m->product[p], &s->product[p], s->order, k);
    for (bl_index d = 0; d < m->model->ndriver; d++)
        phi[m->driver_row[d]] -= s->driver[d].out[k];
}

/* Q_k - sum_{l < k} G_{k-l}^T lambda_l */
static void series_Q(const bl_system *sys, bl_expansion *ex, int k) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_series *s = ex->own;
    size_t room = (size_t)s->room, mixed = (size_t)s->mixed, np = (size_t)sys->np;
    double *Q = ex->Q;
    if (k == 0)
        memcpy(Q, m->Q_gravity, (size_t)m->nfree * sizeof *Q);
    else
        memset(Q, 0, (size_t)m->nfree * sizeof *Q);
    bl_series_forces_push(m, s, k, Q);
    bl_elastic_series_push(m, s, k, ex->v + (size_t)k * (size_t)sys->nv, Q);
    if (k == 0)
        return;
    double *L = s->L + (size_t)(k - 1) * room;
    const double *lambda = ex->lambda + (size_t)(k - 1) * np;
    for (bl_index lane = 0; lane < s->nsquare; lane++)
        L[lane] = s->coef[lane] * lambda[s->row[lane]];
    for (bl_index lane = s->mixed; lane < s->nlane; lane++)
        L[lane] = s->coef[lane] * lambda[s->row[lane]];
    s->kernels->sum_Q(mixed, room, k, s->L, s->A, s->B, s->sum);
    for (bl_index i = 0; i < s->nQ_sum; i++) {
        const struct bl_lane_sum *t = &s->Q_sum[i];
        Q[t->entry] -= t->coef * s->sum[t->lane];
    }
    for (bl_index p = 0; p < m->nproduct; p++)
        bl_series_product_push(&m->product[p], &s->product[p], s->order, k, sys->np, ex->lambda, Q);
}

static void series_G(const bl_system *sys, bl_expansion *ex, int k) {
    const bl_mechanism *m = bl_mech(sys);
    const bl_mech_series *s = ex->own;
    size_t bytes = (size_t)sys->pat_G.ptr[m->nfree] * sizeof(double);
    if (k == 0)
        memcpy(ex->G, m->G_constant, bytes);
    else
        memset(ex->G, 0, bytes);
    /* fixed directions are not among the needed ones: they contribute at order 0 only */
    for (bl_index i = 0; i < m->nG_op; i++)
        ex->G[m->G_op[i].slot] += m->G_op[i].w * (k == 0 ? form_value(m, m->G_op[i].source, m->nx, s->x) : s->D[m->G_op[i].source]);
    for (bl_index p = 0; p < m->nproduct; p++)
        bl_series_product_G(&m->product[p], &s->product[p], s->order, k, ex->G);
}

/* work of forces without potential and of drivers, of the polynomials of this order */
static void series_work(const bl_system *sys, bl_expansion *ex, int order) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_series *s = ex->own;
    size_t np = (size_t)sys->np;
    int last = order - 2;
    memset(ex->work, 0, (2 * (size_t)s->order + 1) * sizeof *ex->work);
    bl_series_forces_work(m, s, order, (size_t)sys->nv, ex->v, ex->work);
    for (bl_index d = 0; d < m->model->ndriver; d++)
        for (int k = 0; k <= 2 * last - 2; k++)
            for (int j = k < last ? 0 : k - last + 1; j <= k && j < last; j++) {
                double b = (k - j + 1) * s->driver[d].out[k - j + 1];
                ex->work[k + 1] -= ex->lambda[(size_t)j * np + (size_t)m->driver_row[d]] * b / (k + 1);
            }
}

bl_status bl_mech_series_next(const bl_system *sys, bl_expansion *ex, int k, uint32_t want) {
    bl_mech_series *s = ex->own;
    if (want & (BL_Q | BL_SIGNALS)) {
        if (k == 0)
            begin(sys, ex);
        store_order(sys, ex, k + 1);
        bl_series_forces_hold(bl_mech(sys), s, k, ex->u ? ex->u + (size_t)k * (size_t)sys->nu : NULL);
    }
    if (want & BL_Q)
        series_Q(sys, ex, k);
    if (want & BL_SIGNALS)
        bl_series_signals(bl_mech(sys), s, k, ex->signal);
    if (want & BL_PHI) {
        while (s->known < k - 1)
            store_order(sys, ex, s->known + 1);
        series_phi(sys, ex, k);
    }
    if (want & BL_G) {
        if (k == 0)
            begin(sys, ex);
        else if (s->known != k)
            store_order(sys, ex, k);
        series_G(sys, ex, k);
    }
    if (want & BL_M && k == 0)
        memcpy(ex->M, bl_mech(sys)->M_values, (size_t)sys->pat_M.ptr[sys->nv] * sizeof(double));
    else if (want & BL_M)
        memset(ex->M, 0, (size_t)sys->pat_M.ptr[sys->nv] * sizeof(double));
    if (want & BL_ENERGY)
        series_work(sys, ex, k);
    return BL_OK;
}
