/* Transient steps of decks, with increments h. Displacements by the alpha method (Hilber, Hughes and Taylor 1977) with forces weighted
 * at both ends of an increment, as in Dhondt (2004), section 2.11:
 *
 *     M a1 = (1 + alpha) Q(u1, t1) - alpha Q(u0, t0),     beta = (1 - alpha)^2 / 4,     gamma = 1/2 - alpha,
 *     u1 = u0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1),   v1 = v0 + h ((1 - gamma) a0 + gamma a1).
 *
 * Accelerations at the beginning of a step are those after a tenth of the first increment, (M + beta (1 + alpha) (h/10)^2 K) a = Q, as
 * there, which suppresses fast modes of the mesh. Temperatures by backward Euler: A (z1 - z0) = h f(z1, t1). */
#include "study/deck_private.h"

#include "kkt/kkt.h"
#include "sparse/sparse.h"
#include "study/statics_limits.h"

#include <math.h>
#include <string.h>

typedef struct motion {
    bl_deck_run *run;
    const bl_system *sys;
    bl_kkt *kkt;
    bl_eval eval;
    bl_state state, kept; /* iterate; end of the last increment */
    bl_index n;
    bool second, linear;
    double *H, *M;
    double *a, *a1, *Q0, *rest, *x; /* [n] */
    double factored;                /* M / factored + K is factored; 0: nothing */
    double alpha, beta, gamma;
    void *block;
} motion;

static bl_status create(motion *m) {
    const bl_system *sys = m->sys;
    m->n = sys->nv + sys->nz;
    m->second = sys->nv > 0;
    m->linear = sys->facts & BL_CK_CONST;
    m->alpha = m->run->step->alpha;
    m->beta = (1 - m->alpha) * (1 - m->alpha) / 4;
    m->gamma = 0.5 - m->alpha;
    BL_TRY(bl_eval_create(sys, BL_KC | (m->second ? BL_M : 0), &m->eval));
    BL_TRY(bl_state_create(sys, 0, &m->state));
    BL_TRY(bl_state_create(sys, 0, &m->kept));
    bl_kkt_setup setup = {.linsol = m->run->options.linsol, .mass = m->second ? &sys->pat_M : &sys->pat_C};
    BL_TRY(bl_kkt_create(sys, &setup, &m->kkt));
    BL_TRY(BL_NEW_ARRAYS(sys->ctx, m->block, BL_ARRAY(m->H, sys->pat_K.ptr[m->n]), BL_ARRAY(m->a, m->n), BL_ARRAY(m->a1, m->n),
                         BL_ARRAY(m->Q0, m->n), BL_ARRAY(m->rest, m->n), BL_ARRAY(m->x, m->n)));
    bl_state_copy(sys, &m->kept, &m->run->state);
    *m->kept.t = 0;
    bl_eval_at(&m->eval, &m->kept);
    BL_TRY(bl_system_eval(sys, &m->eval, BL_KC | (m->second ? BL_M : 0)));
    m->M = m->second ? m->eval.M : m->eval.C; /* constant */
    return BL_OK;
}

static void destroy(motion *m) {
    bl_context *ctx = m->sys->ctx;
    bl_kkt_destroy(m->kkt);
    bl_eval_destroy(m->sys, &m->eval);
    bl_state_destroy(m->sys, &m->state);
    bl_state_destroy(m->sys, &m->kept);
    bl_free(ctx, m->block);
}

/* forces at a state */
static bl_status forces(motion *m, bl_state *state, const double **Q) {
    BL_TRY(bl_deck_state(m->run, &m->eval, state));
    BL_TRY(bl_system_eval(m->sys, &m->eval, m->second ? BL_Q : BL_F));
    *Q = m->second ? m->eval.Q : m->eval.f;
    return bl_check_finite(m->sys->ctx, "forces", *state->t, m->n, *Q);
}

/* H += by C: damping, since velocities depend on the displacements */
static void add_damping(const motion *m, double by) {
    const bl_pattern *C = &m->sys->pat_C, *K = &m->sys->pat_K;
    for (bl_index j = 0; m->second && m->eval.C && C->ptr && j < m->n; j++)
        for (bl_index k = C->ptr[j]; k < C->ptr[j + 1]; k++)
            m->H[bl_pattern_find(K, C->idx[k], j)] += by * m->eval.C[k];
}

/* factors M / share + K + damping C at the state of eval */
static bl_status factor(motion *m, double share, double damping) {
    if (m->linear && fabs(m->factored - share) <= study_deck_same * share)
        return BL_OK;
    m->factored = 0;
    BL_TRY(bl_kkt_tangent(m->sys, &m->eval, m->state.lambda, m->H));
    add_damping(m, damping);
    BL_TRY(bl_kkt_move_to(m->kkt, &m->eval));
    BL_TRY(bl_kkt_factor(m->kkt, m->H, -1 / share, m->M, 0));
    m->factored = share;
    return BL_OK;
}

static bl_status start(motion *m, double h) {
    const double *Q;
    double share = m->beta * (1 + m->alpha) * (h / 10) * (h / 10);
    BL_TRY(forces(m, &m->kept, &Q));
    if (!m->second)
        return BL_OK;
    for (bl_index i = 0; i < m->n; i++)
        m->x[i] = Q[i] / share;
    bl_state_copy(m->sys, &m->state, &m->kept);
    BL_TRY(factor(m, share, 0));
    return bl_kkt_solve(m->kkt, m->x, NULL, m->a, NULL);
}

/* rest += by M x */
static void add_mass(const motion *m, double by, const double *x, double *rest) {
    const bl_pattern *p = m->second ? &m->sys->pat_M : &m->sys->pat_C;
    for (bl_index j = 0; j < m->n; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++)
            rest[p->idx[k]] += by * m->M[k] * x[j];
}

/* Newton's method for u1 or z1, from a prediction in m->state */
static bl_status iterate(motion *m, double h) {
    double *y = m->second ? m->state.q : m->state.z;
    const double *before = m->second ? m->kept.q : m->kept.z, *Q;
    double share = m->second ? m->beta * (1 + m->alpha) * h * h : h;
    for (int k = 0; k < study_deck_iterations; k++) {
        BL_TRY(bl_go_on(m->sys->ctx));
        for (bl_index i = 0; m->second && i < m->n; i++)
            m->state.v[i] = m->kept.v[i] + h * ((1 - m->gamma) * m->a[i] + m->gamma * m->a1[i]);
        BL_TRY(forces(m, &m->state, &Q));
        for (bl_index i = 0; i < m->n; i++) {
            m->rest[i] = m->second ? Q[i] - m->alpha / (1 + m->alpha) * m->Q0[i] : Q[i];
            m->x[i] = m->second ? m->a1[i] : y[i] - before[i];
        }
        add_mass(m, m->second ? -1 / (1 + m->alpha) : -1 / h, m->x, m->rest);
        BL_TRY(factor(m, share, m->gamma / (m->beta * h)));
        BL_TRY(bl_kkt_solve(m->kkt, m->rest, NULL, m->x, NULL));
        BL_TRY(bl_check_finite(m->sys->ctx, "displacements", *m->state.t, m->n, m->x));
        double step = 0, size = 0;
        for (bl_index i = 0; i < m->n; i++) {
            y[i] += m->x[i];
            m->a1[i] += m->second ? m->x[i] / (m->beta * h * h) : 0;
            step = fmax(step, fabs(m->x[i]));
            size = fmax(size, fabs(y[i] - before[i]));
        }
        m->run->made.iterations++;
        if (m->linear || step <= study_deck_converged * size)
            return BL_OK;
    }
    return BL_NO_CONVERGENCE;
}

/* from m->kept to m->state */
static bl_status increment(motion *m, double t) {
    double h = t - *m->kept.t;
    const double *Q;
    bl_state_copy(m->sys, &m->state, &m->kept);
    *m->state.t = t;
    if (m->second) {
        BL_TRY(forces(m, &m->kept, &Q));
        memcpy(m->Q0, Q, (size_t)m->n * sizeof *m->Q0);
    }
    for (bl_index i = 0; m->second && i < m->n; i++) { /* prediction with the last acceleration */
        m->a1[i] = m->a[i];
        m->state.q[i] += h * (m->kept.v[i] + 0.5 * h * m->a[i]);
    }
    BL_TRY(iterate(m, h));
    for (bl_index i = 0; m->second && i < m->n; i++)
        m->state.v[i] = m->kept.v[i] + h * ((1 - m->gamma) * m->a[i] + m->gamma * m->a1[i]);
    if (!m->sys->kind->accept || !(m->sys->facts & BL_HISTORY))
        return BL_OK;
    BL_TRY(forces(m, &m->state, &Q));
    bl_status status = m->sys->kind->accept(m->sys, &m->eval, &m->state);
    return status == BL_RESTART ? BL_OK : status;
}

static bl_status march(motion *m) {
    bl_deck_run *r = m->run;
    bl_deck_clock clock = bl_deck_clock_start(r->step);
    BL_TRY(start(m, clock.dt));
    while (clock.t < r->step->time) {
        double t = bl_deck_clock_next(&clock);
        BL_TRY(bl_go_on(r->ctx));
        bl_status status = increment(m, t);
        if (status != BL_OK) {
            BL_TRY(bl_deck_clock_failed(r->ctx, &clock, status));
            continue;
        }
        bl_state_copy(m->sys, &m->kept, &m->state);
        if (m->second)
            memcpy(m->a, m->a1, (size_t)m->n * sizeof *m->a);
        BL_TRY(bl_deck_increment_done(r, &m->kept, t >= r->step->time));
        BL_TRY(bl_deck_clock_done(r->ctx, &clock, t));
    }
    return bl_deck_keep(r, &m->kept);
}

bl_status bl_deck_move(bl_deck_run *r) {
    motion m = {.run = r, .sys = r->sys};
    bl_status status = create(&m);
    if (status == BL_OK)
        status = march(&m);
    destroy(&m);
    return status;
}
