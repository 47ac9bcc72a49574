/* Descent of mechanisms with elastic bodies (docs/theory/equilibrium.md, Q7a): the way of a body that creeps downhill in a viscous fluid,
 * in implicit steps from x_k to x,
 *
 *     rho(x) = mu S^-2 (x - x_k),
 *
 * solved by full steps of Newton's method: in between, thin bodies are stretched and their forces grow, which would stop a descent that
 * tests its steps. A fluid that is dense enough (mu) makes every step a minimum of the potential with that drag; as it becomes thin, steps
 * become those of Newton's method. */
#include "study/equilibrium_private.h"
#include "study/linear_limits.h"
#include "study/statics_limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LOOK = 4 }; /* solutions in a step that converges as it should */

typedef struct flow {
    double mu;
    double least;       /* mu from which steps are plain Newton steps */
    double lowest;      /* eigenvalue of the tangent; sparse: not known, 0 */
    double needed;      /* mu that makes the tangent positive definite */
    double left;        /* unbalanced force with drag, in scaled columns */
    double moved;       /* by the last step, largest */
    double drag;        /* of it, the drag */
    bool balanced;      /* but for the drag */
    bool creeps;        /* with drag, and the last step was shorter than the one before but not small */
    double soft;        /* stiffness along the first Newton step */
    double *y;          /* [n] of free motions */
    long steps, solves; /* solves: Newton steps in them */
} flow;

/* length in scaled columns of a force, without what constraints carry */
static double free_part(const bl_statics *s, const flow *f, const double *force) {
    double sum = 0;
    if (s->kkt->dense) {
        bl_kkt_reduce_force(s->kkt, force, f->y);
        for (bl_index k = 0; k < s->kkt->f; k++)
            sum += f->y[k] * f->y[k];
        return sqrt(sum);
    }
    for (bl_index j = 0; j < s->n; j++)
        sum += force[j] * s->kkt->scale[j] * (force[j] * s->kkt->scale[j]);
    return sqrt(sum);
}

/* drag at the state in s->y, in columns; its length and that of what is left */
static bl_status measure(bl_statics *s, flow *f) {
    const bl_system *sys = s->sys;
    BL_TRY(bl_system_local(sys, s->best.q, s->state.q, s->moved));
    for (bl_index j = 0; j < s->n; j++) {
        double scale = s->kkt->scale[j], moved = j < sys->nv ? s->moved[j] : s->state.z[j - sys->nv] - s->best.z[j - sys->nv];
        s->y[j] = f->mu * moved / (scale * scale);
        s->x[j] = s->rho[j] - s->y[j];
    }
    f->drag = free_part(s, f, s->y);
    f->left = free_part(s, f, s->x);
    return BL_OK;
}

/* step x and multipliers at the state, from the forces with drag in s->y and the factors there */
static bl_status solve(bl_statics *s, flow *f) {
    f->solves++;
    s->iterations++;
    s->found.iterations++;
    for (bl_index j = 0; j < s->n; j++)
        s->y[j] = s->force[j] - s->y[j];
    for (bl_index i = 0; i < s->np; i++)
        s->eval.phi[i] = -s->eval.phi[i];
    bl_status status = bl_kkt_solve(s->kkt, s->y, s->np ? s->eval.phi : NULL, s->x, s->np ? s->lambda : NULL);
    for (bl_index i = 0; i < s->np; i++)
        s->eval.phi[i] = -s->eval.phi[i];
    BL_TRY(status);
    return bl_check_finite(s->ctx, "displacements", *s->state.t, s->n, s->x);
}

/* At a state where steps begin or end: the tangent and the drag that it needs to be positive definite. Sparse: from the factors, in
 * `factor_first`. */
static bl_status examine(bl_statics *s, flow *f) {
    bool symmetric;
    f->needed = f->lowest = 0;
    if (!s->full) {
        BL_TRY(bl_kkt_tangent(s->sys, &s->eval, s->state.lambda, s->H));
        s->tangents++;
        f->least = study_flow_thin * bl_kkt_mean_stiffness(s->kkt, s->H);
        return BL_OK;
    }
    BL_TRY(bl_statics_spectrum(s, &symmetric));
    bl_index m = s->full->f;
    double most = 0;
    f->lowest = m ? INFINITY : 0;
    for (bl_index k = 0; k < m; k++) {
        most = fmax(most, fabs(s->value[k]));
        f->lowest = fmin(f->lowest, s->value[k]);
    }
    f->least = study_flow_thin * most;
    if (f->lowest < f->least) /* without stiffness only drag determines the position */
        f->needed = fmax(f->least, (1 + study_flow_margin) * -f->lowest);
    return BL_OK;
}

static bl_status factor_first(bl_statics *s, flow *f) {
    double mean = bl_kkt_mean_stiffness(s->kkt, s->H);
    for (int k = 0; k < study_descent_shifts; k++) {
        bl_status status = bl_kkt_factor(s->kkt, s->H, 0, NULL, f->mu);
        if (status < 0 || (status == BL_OK && (s->full || bl_kkt_negative(s->kkt) <= 0)))
            return status;
        bl_context_clear_error(s->ctx);
        f->mu = f->mu > 0 ? 10 * f->mu : study_flow_thin * mean;
        f->needed = f->mu;
    }
    return BL_NO_CONVERGENCE;
}

/* The first Newton step from s->best; the drag is increased until the step is no longer than any other step of a mechanism. */
static bl_status begin_step(bl_statics *s, flow *f) {
    for (int k = 0; k < study_descent_halvings; k++) {
        BL_TRY(factor_first(s, f));
        BL_TRY(measure(s, f));
        BL_TRY(solve(s, f));
        double longest = bl_statics_longest(s, s->x), length = bl_statics_length(s, s->x), work = 0;
        for (bl_index j = 0; j < s->n; j++)
            work += s->rho[j] * s->x[j];
        f->soft = isfinite(length) && length > 0 ? fabs(work) / (length * length) : 0;
        if (longest <= 1)
            return BL_OK;
        f->mu = fmax(fmax(2 * f->mu, f->least), f->soft * (longest - 1) + f->mu);
    }
    return BL_NO_CONVERGENCE;
}

/* From s->best to the end of a step. Positive: it does not converge. */
static bl_status take_step(bl_statics *s, flow *f, int *count) {
    double began = s->merit, last = INFINITY;
    memcpy(s->lambda, s->state.lambda, (size_t)s->np * sizeof *s->lambda);
    BL_TRY(begin_step(s, f));
    for (*count = 1;; ++*count) {
        BL_TRY(bl_statics_move(s, s->x, 1));
        BL_TRY(bl_statics_evaluate(s));
        BL_TRY(measure(s, f));
        bool closed = s->gap <= study_newton_closed;
        f->balanced = closed && (bl_statics_balanced(s) || (s->residual <= s->rounding && s->step > last / 2));
        if (f->balanced || (closed && (f->left <= study_flow_exact * f->drag || s->merit <= study_flow_exact * began)))
            return BL_OK;
        if (*count >= study_flow_iterations)
            return BL_NO_CONVERGENCE;
        last = s->step;
        BL_TRY(bl_kkt_tangent(s->sys, &s->eval, s->state.lambda, s->H));
        s->tangents++;
        BL_TRY(bl_kkt_factor(s->kkt, s->H, 0, NULL, f->mu));
        BL_TRY(solve(s, f));
    }
}

static bl_status begin(bl_statics *s, flow *f) {
    s->iterations = 0;
    s->step = 0;
    s->factored = false;
    s->fit = true; /* multipliers of the start */
    bl_status status = bl_statics_evaluate(s);
    s->fit = false;
    BL_TRY(status);
    for (bl_index j = 0; j < s->n; j++)
        s->reference = fmax(s->reference, fabs(s->force[j]) * s->kkt->scale[j]);
    s->started = s->merit;
    f->balanced = bl_statics_balanced(s);
    return f->balanced ? BL_OK : examine(s, f);
}

/* A step whose drag is increased until it converges, to a minimum: Newton's method may also have found a saddle point. */
static bl_status make_step(bl_statics *s, flow *f, int *count) {
    for (;;) {
        bl_status status = s->iterations < s->search_iterations ? take_step(s, f, count) : BL_NO_CONVERGENCE;
        if (status == BL_OK) {
            double moved = bl_statics_largest(s, s->moved);
            BL_TRY(examine(s, f));
            f->moved = moved;
            if (f->lowest + f->mu >= -f->least)
                return BL_OK;
            status = BL_NO_CONVERGENCE;
        }
        if (status < 0 || status == BL_STOPPED)
            return status;
        bl_state_copy(s->sys, &s->state, &s->best);
        bl_context_clear_error(s->ctx);
        BL_TRY(bl_statics_evaluate(s));
        if (s->iterations >= s->search_iterations || s->traveled > study_statics_far)
            return BL_NO_CONVERGENCE;
        BL_TRY(examine(s, f));
        f->mu = fmax(fmax(study_flow_thicker * f->mu, f->least), f->soft);
    }
}

static bl_status creep(bl_statics *s, flow *f) {
    BL_TRY(begin(s, f));
    double last = INFINITY;
    while (!f->balanced || f->mu > f->needed || f->creeps) {
        int count = 0;
        BL_TRY(bl_go_on(s->ctx));
        bl_state_copy(s->sys, &s->best, &s->state);
        f->mu = fmax(f->mu > f->least && !f->balanced ? f->mu : 0, f->needed);
        BL_TRY(make_step(s, f, &count));
        f->steps++;
        if (s->traveled > study_statics_far)
            return BL_NO_CONVERGENCE;
        f->creeps = f->mu > 0 && f->moved > s->options.tolerance * s->traveled && f->moved < last;
        last = f->moved;
        f->mu /= count <= LOOK ? study_flow_thicker : 1;
    }
    return BL_OK;
}

bl_status bl_statics_flow(bl_statics *s) {
    flow f = {0};
    BL_TRY(BL_NEW(s->ctx, f.y, s->n));
    bl_status status = creep(s, &f);
    bl_free(s->ctx, f.y);
    if (status >= 0 && status != BL_STOPPED)
        bl_log(s->ctx, BL_LOG_INFO, "elastic bodies: %s after %ld implicit steps of descent, %ld solutions",
               status == BL_OK ? "balanced" : "not balanced", f.steps, f.solves);
    return status;
}
