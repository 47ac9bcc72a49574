/* The study `integrate`: builds a system from the user's functions and integrates it, calling the visitor along the way. */
#include "biela/function.h"

#include "base/sized.h"
#include "equations/function_private.h"
#include "model/option_limits.h"
#include "study/defaults.h"
#include "study/plan.h"
#include "study/run.h"
#include "study/simulation.h"
#include "study/study_limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct march {
    bl_context *ctx;
    const bl_integrate_options *options;
    bl_system *sys;
    bl_state state;
    bl_simulation *sim;
    bl_integrate_visit *visit;
    void *user;
    double visited; /* time of the last visit; NaN: none yet */
    bl_index next;  /* of the times asked for */
} march;

static bl_status check_options(bl_context *ctx, const bl_integrate_options *o) {
    if (!isfinite(o->from) || !isfinite(o->until) || !(o->until > o->from))
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_integrate needs from < until, found from = %g and until = %g", o->from, o->until);
    const double number[] = {o->tolerance, o->absolute, o->step, o->step_max};
    static const char *const name[] = {"tolerance", "absolute", "step", "step_max"};
    for (int i = 0; i < 4; i++)
        if (!(number[i] >= 0 && number[i] <= DBL_MAX))
            return bl_fail(ctx, BL_E_ARG, NULL, "%s must be finite and not negative, found %g", name[i], number[i]);
    if (o->tolerance > 0)
        BL_TRY(bl_limit_check(ctx, NULL, "tolerance", o->tolerance, 0));
    if (o->nat < 0 || (o->nat > 0 && !o->at))
        return bl_fail(ctx, BL_E_ARG, NULL, "nat is %d, but the list of times `at` is missing or nat is negative", o->nat);
    for (bl_index i = 0; o->at && i < o->nat; i++)
        if (!(o->at[i] >= o->from && o->at[i] <= o->until) || (i > 0 && !(o->at[i] > o->at[i - 1])))
            return bl_fail(ctx, BL_E_ARG, NULL, "times to visit must increase and be between %g and %g: at[%d] = %g does not", o->from,
                           o->until, (int)i, o->at[i]);
    return BL_OK;
}

/* copies one part of the start */
static bl_status fill(bl_context *ctx, const char *what, bl_index n, const double *from, bool needed, double *to) {
    if (n > 0 && !from && needed)
        return bl_fail(ctx, BL_E_ARG, NULL, "%s is missing: %d numbers are needed for the start", what, n);
    if (from)
        memcpy(to, from, (size_t)n * sizeof *to);
    for (bl_index i = 0; i < n; i++)
        if (!isfinite(to[i]))
            return bl_fail(ctx, BL_E_ARG, NULL, "%s[%d] is %g: the start must be finite", what, i, to[i]);
    return BL_OK;
}

static bl_status refuse_start(const march *m, const char *what, bl_index row, double by) {
    char part[96], equation[96];
    bl_system_row_name(m->sys, row, part, sizeof part, equation, sizeof equation);
    bl_fail(m->ctx, BL_E_ARG, NULL, "the start violates %s: the error of its %s is %.3g (at most %g)", equation, what, by,
            study_function_start);
    bl_advise(m->ctx, "q0 must satisfy phi = 0, and v0 the time derivative of phi = 0");
    bl_blame(m->ctx, part, equation, m->options->from);
    return BL_E_ARG;
}

static bl_status check_start(const march *m) {
    const bl_system *sys = m->sys;
    if (sys->np == 0)
        return BL_OK;
    bl_eval e = {0};
    bl_index row;
    double drift;
    BL_TRY(bl_eval_create(sys, BL_G, &e));
    bl_eval_at(&e, &m->state);
    bl_status status = bl_system_eval(sys, &e, BL_PHI | BL_G | BL_B);
    if (status == BL_OK && (drift = bl_system_drift(sys, e.phi, &row)) > study_function_start)
        status = refuse_start(m, "position", row, drift);
    if (status == BL_OK) {
        for (bl_index i = 0; i < sys->np; i++)
            e.c[i] = -e.b[i];
        bl_csc_multiply(&sys->pat_G, e.G, m->state.v, e.c);
        if ((drift = bl_system_drift(sys, e.c, &row)) > study_function_start)
            status = refuse_start(m, "velocity", row, drift);
    }
    bl_eval_destroy(sys, &e);
    return status;
}

static bl_status prepare(march *m, const bl_function *function, const double *q0, const double *v0, const double *z0) {
    const bl_integrate_options *o = m->options;
    BL_TRY(bl_function_build(m->ctx, function, &m->sys));
    BL_TRY(bl_state_create(m->sys, 0, &m->state));
    *m->state.t = o->from;
    BL_TRY(fill(m->ctx, "q0", m->sys->nq, q0, true, m->state.q));
    BL_TRY(fill(m->ctx, "v0", m->sys->nv, v0, false, m->state.v));
    BL_TRY(fill(m->ctx, "z0", m->sys->nz, z0, true, m->state.z));
    BL_TRY(check_start(m));
    const char *asked = o->integrator && strcmp(o->integrator, BL_AUTO_INTEGRATOR) == 0 ? NULL : o->integrator;
    bl_simulation_setup setup = {.linsol = o->linsol,
                                 .ordering = o->ordering,
                                 .t_end = o->until,
                                 .tolerance = o->tolerance,
                                 .absolute = o->absolute,
                                 .step = o->step,
                                 .h_max = o->step_max};
    bl_plan_methods(m->sys, o->formulation, asked, o->tolerance > 0 ? o->tolerance : BL_DEFAULT_TOLERANCE, &setup);
    return bl_simulation_create(m->sys, &m->state, &setup, &m->sim);
}

static bl_status visit(march *m, double t) {
    const bl_state *state;
    m->visited = t;
    if (!m->visit)
        return BL_OK;
    BL_TRY(bl_simulation_state(m->sim, t, &state));
    return m->visit(m->user, t, state->q, state->v, state->z) == 0 ? BL_OK : BL_STOPPED;
}

/* visits all times up to the current state */
static bl_status visit_due(march *m) {
    const bl_integrate_options *o = m->options;
    double now = *m->sim->state.t;
    if (!o->at)
        return visit(m, now);
    for (; m->next < o->nat && o->at[m->next] <= now; m->next++)
        BL_TRY(visit(m, o->at[m->next]));
    return BL_OK;
}

static bl_status go(march *m) {
    BL_TRY(visit_due(m));
    while (*m->sim->state.t < m->options->until) {
        if (bl_context_stopped(m->ctx))
            return BL_STOPPED;
        bl_status status = bl_simulation_advance(m->sim);
        if (status != BL_OK && status != BL_EVENT)
            return status;
        BL_TRY(visit_due(m));
        if (status == BL_EVENT)
            return BL_EVENT;
    }
    return BL_OK;
}

/* visits the state where the run ended early, whatever the requested times; the first failure is the reported one */
static void visit_last(march *m, bl_status status) {
    if (status == BL_OK || status == BL_STOPPED || status == BL_E_MEMORY || !m->sim || *m->sim->state.t <= m->visited)
        return;
    bl_error kept = *bl_context_error(m->ctx);
    visit(m, *m->sim->state.t);
    if (status < 0)
        bl_fail_again(m->ctx, kept.status, &kept);
}

bl_status bl_integrate(bl_context *ctx, const bl_function *function, const bl_integrate_options *given, const double *q0, const double *v0,
                       const double *z0, bl_integrate_visit *visitor, void *visit_user, bl_run_summary *summary) {
    if (!ctx || !function || !given)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_integrate needs a context, a function and options");
    bl_function own;
    bl_integrate_options options;
    BL_TRY(BL_TAKE(ctx, bl_function, function, &own));
    BL_TRY(BL_TAKE(ctx, bl_integrate_options, given, &options));
    BL_TRY(BL_FITS(ctx, bl_run_summary, summary));
    double begin = bl_clock_seconds();
    march m = {.ctx = ctx, .options = &options, .visit = visitor, .user = visit_user, .visited = NAN};
    bl_context_clear_warnings(ctx);
    bl_status status = check_options(ctx, &options);
    if (status == BL_OK)
        status = prepare(&m, &own, q0, v0, z0);
    if (status == BL_OK)
        status = go(&m);
    visit_last(&m, status);
    bl_run_summary made = {.size = sizeof made, .status = status, .t = options.from};
    if (m.sim)
        bl_simulation_summary(m.sim, &made);
    made.wall_seconds = bl_clock_seconds() - begin;
    made.real_time_factor = made.wall_seconds > 0 ? (made.t - options.from) / made.wall_seconds : 0;
    BL_GIVE(bl_run_summary, summary, &made);
    bl_simulation_destroy(m.sim);
    bl_run_release(m.sys, &m.state, NULL);
    return status;
}
