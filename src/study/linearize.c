/* A system linearized about a state (linearize.h; docs/theory/modes.md, section 6). */
#include "study/linearize.h"

#include "signal/signal.h"
#include "study/linear_limits.h"

#include <math.h>
#include <string.h>

/* Step of differences: geometry moves by this share of its scale. Rates of angles have poles where the vectors that define them vanish, at
 * a distance of r such scales: order 16 leaves an error of (8!)^2 (STEP / r)^16, 2e-13 for r = 1/4; rounding of second differences is 1e-16
 * / STEP^2. */
static const double STEP = 0.01;
enum { POINTS = 8 }; /* on each side */

/* ---- creation */

static bl_status make_arrays(bl_linearize *l) {
    const bl_system *sys = l->sys;
    size_t n = (size_t)l->n, np = (size_t)l->np, nq = (size_t)sys->nq, nG = np ? (size_t)sys->pat_G.ptr[sys->nv] : 0;
    double *at;
    BL_TRY(BL_NEW(l->ctx, at, 6 * n + 3 * np + nq + (size_t)sys->nu + 2 * nG + (size_t)sys->pat_K.ptr[n] + 1));
    l->block = at;
    l->a = at;
    l->Q = l->a + n;
    l->row = l->Q + n;
    l->moved = l->row + np;
    l->Ga_x = l->moved + nq + 4 * n + 2 * np + (size_t)sys->nu;
    l->Gv_x = l->Ga_x + nG;
    l->zero = l->Gv_x + nG;
    return BL_OK;
}

/* variables among `independent:` */
static bl_status find_independent(bl_linearize *l) {
    const bl_model *model = l->model;
    BL_TRY(BL_NEW(l->ctx, l->independent, model ? model->nindependent + 1 : 1));
    for (bl_index i = 0; model && i < model->nindependent; i++) {
        bl_index v = bl_model_variable(model, model->independent[i]);
        if (v >= 0)
            l->independent[l->nindependent++] = v;
    }
    return BL_OK;
}

static bl_status make(bl_linearize *l) {
    const bl_system *sys = l->sys;
    uint32_t uses =
        BL_M | BL_KC | BL_Q | (sys->np ? BL_G | BL_C | BL_GTL_X | BL_GV_X : 0) | BL_MA_X | (sys->nu ? BL_U : 0) | (l->nz ? BL_SIGNAL_X : 0);
    BL_TRY(bl_state_create(sys, 0, &l->state));
    BL_TRY(bl_eval_create(sys, uses & ~sys->zero, &l->eval));
    BL_TRY(bl_eval_create(sys, 0, &l->beside));
    bl_kkt_setup setup = {.dense_most = l->n, .mass = &sys->pat_M}, positions = {.dense_most = l->n, .positions = true};
    BL_TRY(bl_kkt_create(sys, &setup, &l->kkt));
    if (bl_system_rolls(sys))
        BL_TRY(bl_kkt_create(sys, &positions, &l->whole));
    else
        l->whole = l->kkt;
    BL_TRY(find_independent(l));
    return make_arrays(l);
}

bl_status bl_linearize_create(const bl_system *sys, const bl_model *model, bl_linearize **out) {
    bl_linearize *l;
    *out = NULL;
    bool states = sys->nv > 0 && bl_signal_has(sys) && sys->nz > 0;
    if ((sys->nz > 0 && !states) || sys->nv == 0) {
        bl_fail(sys->ctx, BL_E_ABILITY, NULL, "modes need equations of one order: this model has %d of second order and %d of first order",
                (int)sys->nv, (int)sys->nz);
        return BL_E_ABILITY;
    }
    BL_TRY(bl_model_refuse_following(sys->ctx, model, "a linearization is"));
    BL_TRY(bl_model_refuse_reactions(sys->ctx, model, "a linearization is"));
    BL_TRY(BL_NEW(sys->ctx, l, 1));
    *out = l;
    l->ctx = sys->ctx;
    l->outer = states ? sys : NULL;
    l->nz = sys->nz;
    l->sys = states ? bl_signal_inner(sys) : sys;
    l->model = model;
    l->n = sys->nv;
    l->np = sys->np;
    return make(l);
}

void bl_linearize_destroy(bl_linearize *l) {
    if (!l)
        return;
    if (l->whole != l->kkt)
        bl_kkt_destroy(l->whole);
    bl_kkt_destroy(l->kkt);
    bl_eval_destroy(l->sys, &l->eval);
    bl_eval_destroy(l->sys, &l->beside);
    bl_state_destroy(l->sys, &l->state);
    bl_free(l->ctx, l->block);
    bl_free(l->ctx, l->chart_block);
    bl_free(l->ctx, l->independent);
    bl_free(l->ctx, l->carried);
    bl_free(l->ctx, l);
}

/* ---- the state */

/* M a + G^T lambda = Q, G a = c at the state; also the derivatives of G a and G v by x */
static bl_status accelerate(bl_linearize *l) {
    const bl_system *sys = l->sys;
    bl_eval *e = &l->eval;
    BL_TRY(bl_system_eval(sys, e, BL_Q | (l->np ? BL_C : 0)));
    BL_TRY(bl_kkt_solve(l->kkt, e->Q, l->np ? e->c : NULL, l->a, l->state.lambda));
    if (l->np == 0 || (sys->zero & BL_GV_X))
        return BL_OK;
    size_t bytes = (size_t)sys->pat_G.ptr[sys->nv] * sizeof(double);
    BL_TRY(bl_system_eval(sys, e, BL_GV_X));
    memcpy(l->Gv_x, e->Gv_x, bytes);
    bl_eval_at(&l->beside, &l->state);
    l->beside.v = l->a;
    BL_TRY(bl_system_eval(sys, &l->beside, BL_GV_X));
    memcpy(l->Ga_x, l->beside.Gv_x, bytes);
    return BL_OK;
}

static bl_status refuse_massless(bl_linearize *l) {
    bl_fail(l->ctx, BL_E_ABILITY, NULL, "some motions have no mass: they have no state equations");
    bl_advise(l->ctx, "give mass to everything that can move; modes about an equilibrium are possible without it");
    return BL_E_ABILITY;
}

bl_status bl_linearize_at(bl_linearize *l, const bl_state *state, bool rest) {
    const bl_system *sys = l->sys;
    bl_eval *e = &l->eval;
    l->rest = rest;
    if (l->nz && !rest) {
        bl_fail(l->ctx, BL_E_ABILITY, NULL, "linearization about a motion is not available with states (%d here)", (int)l->nz);
        bl_advise(l->ctx, "linearize about an equilibrium");
        return BL_E_ABILITY;
    }
    if (l->outer && bl_signal_moves(l->outer, state)) {
        bl_fail(l->ctx, BL_E_ABILITY, NULL, "linearization is not available while drivers follow inputs that move");
        bl_advise(l->ctx, "set the inputs to constant values");
        return BL_E_ABILITY;
    }
    if (l->outer)
        bl_signal_inner_state(l->outer, state, &l->state);
    else if (state->block != l->state.block)
        bl_state_copy(sys, &l->state, state);
    if (rest)
        memset(l->state.v, 0, (size_t)sys->nv * sizeof(double));
    bl_eval_at(e, &l->state);
    BL_TRY(bl_system_eval(sys, e, BL_M | BL_KC));
    BL_TRY(bl_kkt_move_to(l->kkt, e));
    if (l->whole != l->kkt)
        BL_TRY(bl_kkt_move_to(l->whole, e));
    bl_status status = bl_kkt_factor(l->kkt, l->zero, -1, e->M, 0);
    if (status == BL_SINGULAR || (status == BL_OK && bl_kkt_pivots(l->kkt) < study_linear_massless))
        return refuse_massless(l);
    BL_TRY(status);
    memset(l->a, 0, (size_t)l->n * sizeof *l->a);
    if (rest) {
        BL_TRY(bl_system_eval(sys, e, BL_Q));
        BL_TRY(bl_kkt_multipliers(l->kkt, e->Q, l->state.lambda));
        memset(l->Gv_x, 0, (l->np ? (size_t)sys->pat_G.ptr[sys->nv] : 0) * sizeof(double));
        memset(l->Ga_x, 0, (l->np ? (size_t)sys->pat_G.ptr[sys->nv] : 0) * sizeof(double));
    } else {
        BL_TRY(accelerate(l));
    }
    e->a = l->a;
    e->lambda = l->state.lambda;
    uint32_t more = (l->np ? BL_GTL_X : 0) | (rest ? 0 : BL_MA_X) | (sys->nu ? BL_U : 0) | (l->nz ? BL_SIGNAL_X : 0);
    e->have &= ~more;
    BL_TRY(bl_system_eval(sys, e, more & ~sys->zero));
    double speed = 0;
    for (bl_index j = 0; j < l->n; j++)
        speed = fmax(speed, fabs(l->state.v[j]) / l->kkt->scale[j]);
    l->span = speed > 0 ? STEP / speed : 1;
    return BL_OK;
}

/* ---- differences */

/* weight[k - 1] of f(k h) - f(-k h), by h: (-1)^(k+1) (m!)^2 / (k (m-k)! (m+k)!); times 2 / k of second differences, by h^2 */
static const double weight[POINTS] = {8. / 9, -14. / 45, 56. / 495, -7. / 198, 56. / 6435, -2. / 1287, 8. / 45045, -1. / 102960};

bl_status bl_difference(bl_along *value, void *user, double h, bl_index count, double *out, double *work) {
    memset(out, 0, (size_t)count * sizeof *out);
    for (int k = 0; k < POINTS; k++)
        for (int side = 1; side >= -1; side -= 2) {
            BL_TRY(value(user, side * (k + 1) * h, work));
            for (bl_index i = 0; i < count; i++)
                out[i] += side * weight[k] / h * work[i];
        }
    return BL_OK;
}

double bl_linearize_step(const bl_linearize *l, const bl_direction *d) {
    double far = 0, fast = 0, speed = 0;
    for (bl_index j = 0; j < l->n; j++) {
        far = fmax(far, fabs(d->x[j]) / l->kkt->scale[j]);
        fast = fmax(fast, fabs(d->dv[j]) / l->kkt->scale[j]);
        speed = fmax(speed, fabs(l->state.v[j]) / l->kkt->scale[j]);
    }
    if (far > 0)
        return STEP / far;
    return fast > 0 ? (speed > 0 ? speed : 1) / (16 * fast) : 1;
}

bl_status bl_linearize_beside(bl_linearize *l, const bl_direction *d, double s) {
    const bl_system *sys = l->sys;
    bl_eval *e = &l->beside;
    size_t n = (size_t)l->n;
    double *x = l->moved, *v = x + n, *a = v + n, *q = a + n, *lambda = q + sys->nq, *u = lambda + l->np;
    for (size_t j = 0; j < n; j++) {
        x[j] = s * d->x[j];
        v[j] = l->state.v[j] + s * d->dv[j];
        a[j] = l->a[j] + s * d->da[j];
    }
    for (bl_index i = 0; i < l->np; i++)
        lambda[i] = l->state.lambda[i] + s * d->dl[i];
    bl_eval_at(e, &l->state);
    for (bl_index i = 0; i < sys->nu; i++)
        u[i] = l->state.u[i] + (i == d->held ? s : 0);
    BL_TRY(bl_system_retract(sys, l->state.q, x, q));
    e->q = q;
    e->v = v;
    e->a = a;
    e->lambda = lambda;
    e->u = sys->nu ? u : NULL;
    return BL_OK;
}

typedef struct beside {
    bl_linearize *l;
    const bl_direction *d;
} beside;

static bl_status c_beside(void *user, double s, double *out) {
    const beside *b = user;
    bl_linearize *l = b->l;
    BL_TRY(bl_linearize_beside(l, b->d, s));
    BL_TRY(bl_system_eval(l->sys, &l->beside, BL_C));
    memcpy(out, l->beside.c, (size_t)l->np * sizeof *out);
    return BL_OK;
}

static bl_status speeds_beside(void *user, double s, double *out) {
    const beside *b = user;
    bl_linearize *l = b->l;
    BL_TRY(bl_linearize_beside(l, b->d, s));
    return bl_linearize_rates(l, l->beside.q, l->beside.v, out, NULL);
}

static bl_status rates_beside(void *user, double s, double *out) {
    const beside *b = user;
    bl_linearize *l = b->l;
    BL_TRY(bl_linearize_beside(l, b->d, s));
    return bl_linearize_rates(l, l->beside.q, l->beside.v, NULL, out);
}

/* ---- rates of the speeds: their derivatives along the motion */

/* speeds at the state moved by s along d (NULL: not moved), a time t later */
static bl_status speeds_after(bl_linearize *l, const bl_direction *d, double s, double t, double *room, double *out) {
    double *v = room, *x = v + l->n, *q = x + l->n;
    const double *from = l->state.q, *speed = l->state.v, *a = l->a;
    if (d) {
        BL_TRY(bl_linearize_beside(l, d, s));
        from = l->beside.q, speed = l->beside.v, a = l->beside.a;
    }
    for (bl_index j = 0; j < l->n; j++) {
        x[j] = t * speed[j];
        v[j] = speed[j] + t * a[j];
    }
    BL_TRY(bl_system_retract(l->sys, from, x, q));
    return bl_linearize_rates(l, q, v, out, NULL);
}

/* Mixed derivative by s and t from second differences along the two diagonals: [S(r, r) - S(r, -r)]'' / 4 */
static bl_status mixed(bl_linearize *l, bl_direction *d, double *room, double *rate) {
    double hs = bl_linearize_step(l, d), ht = l->span;
    memset(d->second, 0, (size_t)l->f * sizeof *d->second);
    for (int k = 1; k <= POINTS; k++)
        for (int corner = 0; corner < 4; corner++) {
            int s = corner & 1 ? -k : k, t = corner & 2 ? -k : k;
            BL_TRY(speeds_after(l, d, s * hs, t * ht, room, rate));
            double by = (s == t ? 1 : -1) * weight[k - 1] * 2 / k / (4 * hs * ht);
            for (bl_index i = 0; i < l->f; i++)
                d->second[i] += by * rate[i];
        }
    return BL_OK;
}

static bl_status second_along(bl_linearize *l, bl_direction *d) {
    double *room;
    if (l->rest)
        return bl_linearize_rates(l, l->state.q, d->da, d->second, NULL);
    BL_TRY(BL_NEW(l->ctx, room, (size_t)l->sys->nq + 2 * (size_t)l->n + (size_t)l->f + 1));
    bl_status status = mixed(l, d, room, room + l->sys->nq + 2 * l->n);
    bl_free(l->ctx, room);
    return status;
}

typedef struct onward {
    bl_linearize *l;
    double *room;
} onward;

static bl_status rates_later(void *user, double t, double *out) {
    const onward *o = user;
    return speeds_after(o->l, NULL, 0, t, o->room, out);
}

/* ---- directions */

size_t bl_linearize_direction_size(const bl_linearize *l) {
    return 3 * (size_t)l->n + (size_t)l->np + (size_t)l->f + (size_t)l->nz + (size_t)l->fp;
}

void bl_linearize_lay_out(const bl_linearize *l, double *at, bl_direction *d) {
    size_t n = (size_t)l->n;
    *d = (bl_direction){.x = at, .dv = at + n, .da = at + 2 * n, .dl = at + 3 * n, .second = at + 3 * n + l->np, .held = -1};
    d->state_rate = d->second + l->f;
    d->rate = d->state_rate + l->nz;
}

bl_status bl_linearize_room(bl_linearize *l, bl_arena *arena, bl_direction *d) {
    double *at;
    BL_TRY(BL_ARENA_NEW(arena, at, bl_linearize_direction_size(l) + 1));
    bl_linearize_lay_out(l, at, d);
    return BL_OK;
}

void bl_linearize_clear(const bl_linearize *l, bl_direction *d) {
    memset(d->x, 0, bl_linearize_direction_size(l) * sizeof *d->x); /* one block */
    d->held = -1;
}

/* x += the combination of count motions whose rates of the chart are y, overwritten; A: factored rates of the motions */
static void combine(const bl_linearize *l, bl_index count, const double *A, const bl_index *pivot, const double *motion, double *y,
                    double *x) {
    if (count > 0)
        bl_dense_lu_solve(count, 1, A, pivot, false, y);
    for (bl_index i = 0; i < count; i++)
        for (bl_index j = 0; j < l->n; j++)
            x[j] += y[i] * motion[(size_t)i * (size_t)l->n + (size_t)j];
}

void bl_linearize_unit(const bl_linearize *l, bl_index k, bool velocity, double *x) {
    double *y = l->chart_work;
    memset(y, 0, (size_t)l->fp * sizeof *y);
    memset(x, 0, (size_t)l->n * sizeof *x);
    y[k] = 1;
    if (velocity)
        combine(l, l->f, l->W, l->pivot, l->motion, y, x);
    else
        combine(l, l->fp, l->V, l->turn, l->shift, y, x);
}

bl_status bl_linearize_solve_position(bl_linearize *l, const double *p, const double *r, double *x) {
    double *y = l->chart_work;
    memset(x, 0, (size_t)l->n * sizeof *x);
    if (p && l->np)
        bl_kkt_least(l->whole, p, x);
    BL_TRY(bl_linearize_rates(l, l->state.q, x, NULL, y));
    for (bl_index k = 0; k < l->fp; k++)
        y[k] = (r ? r[k] : 0) - y[k];
    combine(l, l->fp, l->V, l->turn, l->shift, y, x);
    return BL_OK;
}

bl_status bl_linearize_solve_velocity(bl_linearize *l, const double *p, const double *r, double *v) {
    double *y = l->chart_work;
    memset(v, 0, (size_t)l->n * sizeof *v);
    if (p && l->np)
        bl_kkt_least(l->kkt, p, v);
    BL_TRY(bl_linearize_rates(l, l->state.q, v, y, NULL));
    for (bl_index k = 0; k < l->f; k++)
        y[k] = (r ? r[k] : 0) - y[k];
    combine(l, l->f, l->W, l->pivot, l->motion, y, v);
    return BL_OK;
}

bl_status bl_linearize_set_speeds(bl_linearize *l, const double *speeds) {
    if (l->np) {
        bl_eval_at(&l->eval, &l->state);
        BL_TRY(bl_system_eval(l->sys, &l->eval, BL_B | BL_G));
    }
    return bl_linearize_solve_velocity(l, l->np ? l->eval.b : NULL, speeds, l->state.v);
}

/* dv such that the speeds do not change */
static bl_status follow(bl_linearize *l, bl_direction *d) {
    const bl_system *sys = l->sys;
    size_t f = (size_t)l->f;
    double *change = l->chart_work + 2 * (size_t)l->fp, *work = change + f;
    memset(d->dv, 0, (size_t)l->n * sizeof *d->dv);
    if (l->rest)
        return BL_OK;
    BL_TRY(bl_difference(speeds_beside, &(beside){.l = l, .d = d}, bl_linearize_step(l, d), l->f, change, work));
    for (size_t k = 0; k < f; k++)
        change[k] = -change[k];
    memset(l->row, 0, (size_t)l->np * sizeof *l->row);
    if (l->np)
        bl_csc_multiply(&sys->pat_G, l->Gv_x, d->x, l->row);
    for (bl_index i = 0; i < l->np; i++)
        l->row[i] = -l->row[i];
    return bl_linearize_solve_velocity(l, l->np ? l->row : NULL, change, d->dv);
}

/* rates of the coordinates along a direction; those that are speeds are known */
static bl_status rates_of_coordinates(bl_linearize *l, bl_direction *d, bool moves) {
    double *work = l->chart_work + 2 * (size_t)l->fp;
    memset(d->rate, 0, (size_t)l->fp * sizeof *d->rate);
    if (l->whole == l->kkt || (moves && l->rest))
        return BL_OK;
    if (moves)
        BL_TRY(bl_difference(rates_beside, &(beside){.l = l, .d = d}, bl_linearize_step(l, d), l->fp, d->rate, work));
    else
        BL_TRY(bl_linearize_rates(l, l->state.q, d->dv, NULL, d->rate));
    for (bl_index k = 0; k < l->fp; k++)
        d->rate[k] = l->pair[k] >= 0 ? 0 : d->rate[k];
    return BL_OK;
}

/* Q -= A x */
static void subtract_product(const bl_pattern *pattern, const double *A, const double *x, double *Q) {
    for (bl_index j = 0; A && j < pattern->ncol; j++)
        for (bl_index k = pattern->ptr[j]; k < pattern->ptr[j + 1]; k++)
            Q[pattern->idx[k]] -= A[k] * x[j];
}

/* rates of the states along a direction, by their exact derivatives */
static void rates_of_states(const bl_linearize *l, bl_direction *d) {
    const bl_pattern *pat = &l->sys->pat_S;
    for (bl_index i = 0; i < l->nz; i++) {
        double sum = d->held >= 0 ? l->eval.signal_u[(size_t)d->held * (size_t)l->nz + (size_t)i] : 0;
        for (bl_index p = pat->ptr[i]; p < pat->ptr[i + 1]; p++)
            sum += l->eval.signal_x[p] * d->x[pat->idx[p]] + l->eval.signal_v[p] * d->dv[pat->idx[p]];
        d->state_rate[i] = sum;
    }
}

bl_status bl_linearize_along(bl_linearize *l, bl_direction *d, const double *p2) {
    const bl_system *sys = l->sys;
    bl_eval *e = &l->eval;
    bool moves = false, speeds = false;
    for (bl_index j = 0; j < l->n; j++) {
        moves = moves || d->x[j] != 0;
        speeds = speeds || d->dv[j] != 0;
    }
    if (moves)
        BL_TRY(follow(l, d));
    BL_TRY(rates_of_coordinates(l, d, moves));
    rates_of_states(l, d);
    memset(l->Q, 0, (size_t)l->n * sizeof *l->Q);
    if (d->held >= 0)
        memcpy(l->Q, e->Q_u + (size_t)d->held * (size_t)l->n, (size_t)l->n * sizeof *l->Q);
    subtract_product(&sys->pat_K, e->K, d->x, l->Q);
    subtract_product(&sys->pat_C, e->C, d->dv, l->Q);
    if (!l->rest && !(sys->zero & BL_MA_X))
        subtract_product(&sys->pat_K, e->Ma_x, d->x, l->Q);
    if (l->np && !(sys->zero & BL_GTL_X))
        subtract_product(&sys->pat_K, e->GTl_x, d->x, l->Q);
    double *dl = l->loads ? d->dl : NULL, *c = NULL;
    bool turns = !l->rest && (moves || speeds);
    if (l->np == 0 || (!turns && !p2)) {
        BL_TRY(bl_kkt_solve(l->kkt, l->Q, NULL, d->da, dl));
        return second_along(l, d);
    }
    BL_TRY(BL_NEW(l->ctx, c, 2 * (size_t)l->np));
    bl_status status = BL_OK;
    if (turns) {
        status = bl_difference(c_beside, &(beside){.l = l, .d = d}, bl_linearize_step(l, d), l->np, c, c + l->np);
        subtract_product(&sys->pat_G, l->Ga_x, d->x, c);
    }
    for (bl_index i = 0; p2 && i < l->np; i++)
        c[i] += p2[i];
    if (status == BL_OK)
        status = bl_kkt_solve(l->kkt, l->Q, c, d->da, dl);
    bl_free(l->ctx, c);
    BL_TRY(status);
    return second_along(l, d);
}

/* ---- all states */

static bl_status second_of_state(bl_linearize *l) {
    size_t n = (size_t)l->n, nq = (size_t)l->sys->nq;
    double *room;
    memset(l->second, 0, (size_t)l->f * sizeof *l->second);
    BL_TRY(bl_linearize_rates(l, l->state.q, l->state.v, l->rate, l->coordinate_rate));
    if (l->rest)
        return BL_OK;
    BL_TRY(BL_NEW(l->ctx, room, nq + 2 * n + (size_t)l->f + 1));
    bl_status status = bl_difference(rates_later, &(onward){l, room}, l->span, l->f, l->second, room + nq + 2 * n);
    bl_free(l->ctx, room);
    return status;
}

bl_status bl_linearize_differentiate(bl_linearize *l) {
    size_t f = (size_t)l->f, fp = (size_t)l->fp;
    BL_TRY(second_of_state(l));
    for (size_t k = 0; k < fp + f; k++) {
        bl_direction *d = &l->direction[k];
        bool velocity = k >= fp;
        size_t column = velocity ? k - fp : k;
        BL_TRY(bl_go_on(l->ctx));
        bl_linearize_clear(l, d);
        bl_linearize_unit(l, (bl_index)column, velocity, velocity ? d->dv : d->x);
        BL_TRY(bl_linearize_along(l, d, NULL));
        memcpy((velocity ? l->damp : l->stiff) + column * f, d->second, f * sizeof *d->second);
        memcpy((velocity ? l->lift : l->flow) + column * fp, d->rate, fp * sizeof *d->rate);
        for (size_t i = 0; i < fp && velocity; i++)
            if (l->pair[i] == (bl_index)column)
                l->lift[column * fp + i] = 1;
    }
    return BL_OK;
}
