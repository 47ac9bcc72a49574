/* Newton's method for the balance of forces at a fixed load (docs/theory/equilibrium.md, Q3 to Q6):
 *
 *     [ H  G^T ] [ x      ]   [ (Q, f) ]
 *     [ G   0  ] [ lambda ] = [ -phi   ],   H = K + d(G^T lambda)/dx
 *
 * Full steps are taken first, since near an equilibrium the forces of thin bodies grow before they fall. After a few steps without
 * progress, the step from the best state so far is halved until the forces fall. */
#include "study/equilibrium_private.h"
#include "study/statics_limits.h"
#include "study/study.h"

#include <float.h>
#include <math.h>
#include <string.h>

double bl_statics_largest(const bl_statics *s, const double *x) {
    double most = 0;
    for (bl_index j = 0; j < s->n; j++)
        most = fmax(most, fabs(x[j]) / s->kkt->scale[j]);
    return most;
}

double bl_statics_length(const bl_statics *s, const double *x) {
    double sum = 0;
    for (bl_index j = 0; j < s->n; j++)
        sum += x[j] / s->kkt->scale[j] * (x[j] / s->kkt->scale[j]);
    return sqrt(sum);
}

/* ---- forces at the state */

/* prepares the evaluation; the history of the state must select the active branches of piecewise laws */
static bl_status prepare(bl_statics *s) {
    BL_TRY(bl_statics_use_load(s, &s->state));
    const bl_system *sys = s->sys;
    bl_eval_at(&s->eval, &s->state);
    if (!sys->kind->hold)
        return BL_OK;
    BL_TRY(sys->kind->hold(sys, &s->eval, &s->state));
    bl_eval_at(&s->eval, &s->state);
    return BL_OK;
}

static void subtract_constraint_forces(bl_statics *s) {
    const bl_pattern *G = &s->sys->pat_G;
    memcpy(s->rho, s->force, (size_t)s->n * sizeof *s->rho);
    for (bl_index j = 0; s->np && j < s->sys->nv; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++)
            s->rho[j] -= s->eval.G[k] * s->state.lambda[G->idx[k]];
}

static void measure(bl_statics *s) {
    double sum = 0;
    s->residual = 0;
    s->worst = 0;
    for (bl_index j = 0; j < s->n; j++) {
        double size = fabs(s->rho[j]) * s->kkt->scale[j];
        sum += size * size;
        if (size > s->residual) {
            s->residual = size;
            s->worst = j;
        }
    }
    s->merit = sqrt(sum);
    s->gap = s->np ? bl_system_drift(s->sys, s->eval.phi, NULL) : 0;
}

/* coordinates smaller than this have the rounding error of numbers of this size */
static double rounded_size(const bl_statics *s) {
    return s->sys->kind->rounded ? s->sys->kind->rounded(s->sys, &s->eval) : s->sys->rounded;
}

/* rounding error of the forces: that of stiffness times coordinates, which cancel */
static double rounding_of_forces(const bl_statics *s) {
    const bl_system *sys = s->sys;
    const bl_pattern *K = &sys->pat_K;
    double most = 0, least = rounded_size(s);
    memset(s->y, 0, (size_t)s->n * sizeof *s->y);
    for (bl_index j = 0; j < s->n; j++) {
        double size = j >= sys->nv ? fabs(s->state.z[j - sys->nv]) : sys->facts & BL_FLAT ? fabs(s->state.q[j]) : s->kkt->scale[j];
        size = j < sys->nv ? fmax(size, least) : size;
        for (bl_index k = K->ptr[j]; k < K->ptr[j + 1]; k++)
            s->y[K->idx[k]] += fabs(s->H[k]) * size;
    }
    for (bl_index j = 0; j < s->n; j++)
        most = fmax(most, s->y[j] * s->kkt->scale[j]);
    return study_newton_force_rounding * most;
}

bl_status bl_statics_evaluate(bl_statics *s) {
    s->known = false;
    BL_TRY(prepare(s));
    const bl_system *sys = s->sys;
    BL_TRY(bl_system_eval(sys, &s->eval, (sys->nv ? BL_Q : 0) | (sys->nz ? BL_F : 0) | (s->np ? BL_PHI | BL_G : 0)));
    memcpy(s->force, s->eval.Q, (size_t)sys->nv * sizeof *s->force);
    memcpy(s->force + sys->nv, s->eval.f, (size_t)sys->nz * sizeof *s->force);
    BL_TRY(bl_check_finite(s->ctx, "forces", *s->state.t, s->n, s->force));
    BL_TRY(bl_kkt_move_to(s->kkt, &s->eval));
    if (s->np && (s->kkt->dense || s->fit))
        BL_TRY(bl_kkt_multipliers(s->kkt, s->force, s->state.lambda));
    subtract_constraint_forces(s);
    measure(s);
    if (s->tangents)
        s->rounding = rounding_of_forces(s);
    return BL_OK;
}

static double force_size(const bl_statics *s) {
    double most = 0;
    for (bl_index j = 0; j < s->n; j++)
        most = fmax(most, fabs(s->force[j]) * s->kkt->scale[j]);
    return most;
}

/* Forces are compared with those at the start of each search; with constraints also with the present constraint forces. */
static double reference(const bl_statics *s) { return s->np ? fmax(s->reference, force_size(s)) : s->reference; }

bool bl_statics_balanced(const bl_statics *s) {
    const bl_system *sys = s->sys;
    double size = 0, least = rounded_size(s);
    for (bl_index i = 0; i < sys->nq; i++)
        size = fmax(size, fmax(fabs(s->state.q[i]), least) / bl_system_q_scale(sys, i));
    for (bl_index i = 0; i < sys->nz; i++)
        size = fmax(size, fabs(s->state.z[i]) / s->kkt->scale[sys->nv + i]);
    double most = s->options.tolerance * reference(s) + s->rounding;
    bool small_step = s->step <= s->options.tolerance * s->traveled + study_newton_step_rounding * size,
         small_force = s->residual <= most && s->gap <= study_newton_closed;
    bool rounded = s->step > 0 && s->step <= study_newton_rounded * size && s->gap <= study_newton_closed; /* cannot be improved */
    if (s->linear && small_force)
        return true;
    switch (s->options.criterion) {
    case BL_CRITERION_RESIDUAL: return small_force || rounded;
    case BL_CRITERION_INCREMENT: return s->step > 0 ? small_step && s->gap <= study_newton_closed : small_force;
    case BL_CRITERION_BOTH: break;
    }
    return (small_force && small_step) || rounded;
}

/* ---- steps */

/* H at the state, factored. BL_SINGULAR: it is. */
static bl_status factor_tangent(bl_statics *s) {
    if (s->linear && s->factored)
        return BL_OK;
    s->tangents++;
    s->factored = false;
    BL_TRY(bl_kkt_tangent(s->sys, &s->eval, s->state.lambda, s->H));
    BL_TRY(bl_kkt_factor(s->kkt, s->H, 0, NULL, 0));
    if (bl_kkt_pivots(s->kkt) < study_newton_suspect)
        return BL_SINGULAR;
    s->factored = true;
    return BL_OK;
}

static double since_start(const bl_statics *s) {
    const bl_system *sys = s->sys;
    double most = 0;
    for (bl_index i = 0; i < sys->nq; i++)
        most = fmax(most, fabs(s->state.q[i] - s->q_start[i]) / bl_system_q_scale(sys, i));
    for (bl_index i = 0; i < sys->nz; i++)
        most = fmax(most, fabs(s->state.z[i] - s->q_start[sys->nq + i]) / s->kkt->scale[sys->nv + i]);
    return most;
}

/* largest extent of the points along an axis */
static double extent(const bl_statics *s) {
    const bl_system *sys = s->sys;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, most = 0;
    for (bl_index j = 0; (sys->facts & BL_FLAT) && j < sys->nv; j++)
        if (sys->col[j].what == BL_COL_POINT && sys->col[j].part < 3) {
            low[sys->col[j].part] = fmin(low[sys->col[j].part], s->state.q[j]);
            high[sys->col[j].part] = fmax(high[sys->col[j].part], s->state.q[j]);
        }
    for (int c = 0; c < 3; c++)
        most = fmax(most, high[c] - low[c]);
    return most;
}

/* The step x of a mechanism relative to the longest one allowed: study_newton_longest of the scale of each coordinate; for points,
 * study_newton_longest of the size of the mechanism, as long as no body rotates by more than study_newton_longest with them. */
double bl_statics_longest(bl_statics *s, const double *x) {
    const bl_system *sys = s->sys;
    double size = extent(s), most = 0, turn = 0;
    bool points = false;
    if (sys->kind->turning) {
        bl_eval_at(&s->eval, &s->state);
        s->eval.v = x;
        turn = sys->kind->turning(sys, &s->eval) / 2; /* of two bodies */
        bl_eval_at(&s->eval, &s->state);
    }
    for (bl_index j = 0; j < s->n; j++) {
        bool point = turn < INFINITY && j < sys->nv && sys->col[j].what == BL_COL_POINT;
        most = fmax(most, fabs(x[j]) / (point ? fmax(size, s->kkt->scale[j]) : s->kkt->scale[j]));
        points = points || point;
    }
    return (points ? fmax(most, turn) : most) / study_newton_longest;
}

/* Assembles again. If the assembly moves by more than half of the step itself, it may have reached another assembly mode of the mechanism:
 * the step was too long. */
static bl_status close_step(bl_statics *s) {
    const bl_system *sys = s->sys;
    double step = bl_statics_largest(s, s->y);
    memcpy(s->q_open, s->state.q, (size_t)sys->nq * sizeof *s->q_open);
    BL_TRY(bl_assemble_nearby(sys, &s->state));
    BL_TRY(bl_system_local(sys, s->q_open, s->state.q, s->moved));
    double closed = bl_statics_largest(s, s->moved);
    return closed > study_newton_small_closing && closed > 0.5 * step ? BL_NO_CONVERGENCE : BL_OK;
}

bl_status bl_statics_move(bl_statics *s, const double *x, double share) {
    BL_TRY(bl_statics_use_load(s, &s->state));
    const bl_system *sys = s->sys;
    double longest = s->mechanism ? bl_statics_longest(s, x) * share : 0;
    if (!(bl_statics_largest(s, x) < INFINITY) || !(longest < INFINITY))
        return BL_NO_CONVERGENCE;
    double by = longest > 1 ? share / longest : share;
    for (bl_index j = 0; j < s->n; j++)
        s->y[j] = by * x[j];
    BL_TRY(s->rolls && s->kkt->dense ? bl_statics_roll(s) : bl_system_retract(sys, s->state.q, s->y, s->state.q));
    for (bl_index i = 0; i < sys->nz; i++)
        s->state.z[i] += s->y[sys->nv + i];
    for (bl_index i = 0; i < s->np; i++)
        s->state.lambda[i] += by * (s->lambda[i] - s->state.lambda[i]);
    if (s->np)
        BL_TRY(close_step(s));
    if ((sys->facts & BL_REVOLUTIONS_ONLY) && sys->kind->accept && !s->path) { /* arc lengths need the coordinates at the start */
        bl_eval_at(&s->eval, &s->state);
        bl_status status = sys->kind->accept(sys, &s->eval, &s->state);
        if (status != BL_OK && status != BL_RESTART)
            return status;
    }
    s->step = bl_statics_largest(s, s->y);
    s->traveled = fmax(s->traveled, since_start(s));
    return BL_OK;
}

/* x and lambda of the step at the state */
static bl_status find_step(bl_statics *s) {
    bl_status status = factor_tangent(s);
    if (status == BL_SINGULAR) {
        status = bl_statics_refuse_free(s);
        if (status != BL_SINGULAR)
            return status;
        bl_context_clear_error(s->ctx);
        BL_TRY(bl_kkt_factor(s->kkt, s->H, 0, NULL, 0)); /* every motion has a stiffness, though a small one */
    }
    BL_TRY(status == BL_SINGULAR ? BL_OK : status);
    double *c = NULL;
    for (bl_index i = 0; i < s->np; i++)
        s->eval.phi[i] = -s->eval.phi[i];
    c = s->np ? s->eval.phi : NULL;
    /* the solution contains the full multipliers, not their change */
    status = bl_kkt_solve(s->kkt, s->force, c, s->x, s->np ? s->lambda : NULL);
    for (bl_index i = 0; i < s->np; i++)
        s->eval.phi[i] = -s->eval.phi[i];
    BL_TRY(status);
    return bl_check_finite(s->ctx, "displacements", *s->state.t, s->n, s->x);
}

bl_status bl_statics_try(bl_statics *s, double share) {
    bl_state_copy(s->sys, &s->state, &s->best);
    BL_TRY(bl_statics_move(s, s->x, share));
    return bl_statics_evaluate(s);
}

/* the quantity to reduce: unbalanced forces, and constraint violations in units of force */
static double merit(const bl_statics *s) { return s->merit + s->gap * reference(s); }

/* from the best state: shorter and shorter steps until the forces fall */
static bl_status shorten(bl_statics *s) {
    double before = merit(s);
    BL_TRY(find_step(s));
    bl_state_copy(s->sys, &s->best, &s->state);
    double share = 1;
    for (int k = 0; k < study_newton_halvings; k++, share /= 2) {
        bl_status status = bl_statics_try(s, share);
        if (status < 0)
            return status;
        if (status == BL_OK && merit(s) <= (1 - 1e-4 * share) * before)
            return BL_OK;
        if (status != BL_OK && k + 1 >= study_newton_halvings)
            return status; /* with its message */
        bl_context_clear_error(s->ctx);
    }
    return BL_NO_CONVERGENCE;
}

/* Required accuracy of a step found by an iterative solver: low far from balance, near it high enough to keep Newton's method quadratic
 * (Eisenstat and Walker 1996, choice 2). `before`: merit of the step before, infinite at the first one. */
static double wanted_accuracy(const bl_statics *s, double before) {

    double fell = merit(s) / before;
    return s->sys->facts & BL_CK_CONST ? 0 : fmax(study_newton_exact, fmin(study_newton_rough, 0.5 * fell * fell));
}

static bl_status one_step(bl_statics *s, double before) {
    bl_kkt_accuracy(s->kkt, isinf(before) ? wanted_accuracy(s, merit(s)) : wanted_accuracy(s, before));
    bl_status status = find_step(s);
    bl_kkt_accuracy(s->kkt, 0);
    BL_TRY(status);
    BL_TRY(bl_statics_move(s, s->x, 1));
    return bl_statics_evaluate(s);
}

/* Forces that cancel leave a rounding error, which soft motions turn into steps that never become short (stiff volumes). */
static bool only_rounding(const bl_statics *s) {
    return s->sys->rounded > 0 && s->residual <= s->rounding && s->gap <= study_newton_closed;
}

bl_status bl_statics_settle(bl_statics *s) {
    double best = INFINITY, last = INFINITY;
    int idle = 0;
    s->iterations = 0;
    s->step = 0;
    s->fit = s->found.found == 0;
    bl_status first = bl_statics_evaluate(s);
    s->fit = false;
    BL_TRY(first);
    s->reference = fmax(s->reference, force_size(s));
    s->started = s->merit;
    while (!bl_statics_balanced(s)) {
        BL_TRY(bl_go_on(s->ctx));
        if (s->iterations == s->options.iterations)
            return BL_NO_CONVERGENCE;
        s->iterations++;
        s->found.iterations++;
        bl_status status = BL_OK;
        if (merit(s) < (1 - study_newton_progress) * best || isinf(best)) {
            best = merit(s);
            idle = 0;
            bl_state_copy(s->sys, &s->best, &s->state);
        } else if (merit(s) > (1 - study_newton_falling) * last) {
            idle++;
        }
        double before = last;
        last = merit(s);
        if (idle > 0 && only_rounding(s))
            return BL_OK;
        if (idle < study_newton_patience)
            status = one_step(s, before);
        if (idle >= study_newton_patience || status > 0) {
            if (status == BL_STOPPED)
                return status;
            bl_context_clear_error(s->ctx);
            bl_state_copy(s->sys, &s->state, &s->best);
            BL_TRY(bl_statics_evaluate(s));
            BL_TRY(shorten(s));
            best = last = INFINITY;
            idle = 0;
            status = BL_OK;
        }
        BL_TRY(status);
    }
    return BL_OK;
}
