/* Verifies the forces found: simulates the mechanism under them, without drivers, from the first state of the motion. The deviation at the
 * same times grows with the instability of the mechanism itself, so its growth rate is reported too. The simulation evaluates the forces at
 * any time from a course of its own. */
#include "model/variant.h"
#include "study/inverse_limits.h"
#include "study/inverse_private.h"
#include "study/plan.h"
#include "study/simulation.h"

#include <math.h>
#include <string.h>

static const double TOLERANCE = 1e-10; /* of the run */

/* one course for all actuators, with the forces at the time last requested */
typedef struct source {
    bl_course *course;
    bl_effort *effort;
    double t;
    bl_status failed; /* out of memory: reported whatever the run returns */
} source;

typedef struct curve {
    source *from;
    bl_index k;
} curve;

typedef struct check {
    bl_inverse_run *r;
    bl_model *released; /* NULL: the moved model has no drivers */
    const bl_model *model;
    source source;
    curve *curve;
    bl_held *held;
    bl_system *sys;
    bl_state state;
    bl_simulation *sim;
    bl_pose *pose;
    double *angle;
    double sum[5]; /* sums for a line fitted to the logarithms of deviations: 1, t, t^2, y, t y */
} check;

/* NaN where no force is defined: the run then ends there */
static double force_at(const void *user, double t) {
    const curve *c = user;
    source *s = c->from;
    if (s->t != t) {
        s->t = t;
        bl_status status = bl_course_move(s->course, t);
        if (status == BL_OK)
            status = bl_effort_at(s->effort, &s->course->state, s->course->a);
        if (status != BL_OK || s->course->singular)
            s->t = NAN;
        s->failed = status == BL_E_MEMORY ? status : s->failed;
    }
    return isnan(s->t) ? NAN : s->effort->u[c->k];
}

static bl_status make_curves(check *c) {
    bl_inverse_run *r = c->r;
    BL_TRY(BL_NEW(r->ctx, c->curve, r->nactuator));
    BL_TRY(BL_NEW(r->ctx, c->held, r->nactuator));
    BL_TRY(bl_course_move(r->course, r->begin));
    const char *lacks = "actuator";
    BL_TRY(bl_course_create(r->sys, r->moved, r->recording, &r->course->state, lacks, &c->source.course));
    BL_TRY(bl_effort_create(r->sys, r->moved, r->actuator, r->nactuator, r->bounded, &c->source.effort));
    c->source.effort->rank_most = r->effort->rank_most;
    c->source.t = NAN;
    for (bl_index k = 0; k < r->nactuator; k++) {
        const bl_actuator *a = &r->actuator[k];
        c->curve[k] = (curve){&c->source, k};
        c->held[k] = (bl_held){.what = a->variable >= 0 ? BL_HELD_VARIABLE : BL_HELD_FORCE,
                               .ref = a->variable >= 0 ? a->variable : a->force,
                               .replaces = a->variable < 0,
                               .at = force_at,
                               .curve = &c->curve[k]};
    }
    return BL_OK;
}

/* the state of the released system at the beginning of the motion */
static bl_status set_start(check *c) {
    bl_inverse_run *r = c->r;
    bl_eval *e = &r->course->eval;
    BL_TRY(BL_NEW(r->ctx, c->pose, r->sys->nbody));
    BL_TRY(BL_NEW(r->ctx, c->angle, r->sys->nbody));
    bl_eval_at(e, &r->course->state);
    BL_TRY(bl_system_eval(r->sys, e, BL_POSE | BL_VARIABLES));
    memcpy(c->pose, e->pose, (size_t)r->sys->nbody * sizeof *c->pose);
    for (bl_index b = 0; b < r->sys->nbody; b++)
        c->angle[b] = 2 * atan2(c->pose[b].quaternion[3], c->pose[b].quaternion[0]);
    bl_body_states at = {c->pose, c->angle, e->variable};
    *c->state.t = r->begin;
    BL_TRY(bl_coords_set_positions(c->sys, &at, &c->state));
    BL_TRY(bl_assemble_nearby(c->sys, &c->state));
    return bl_coords_set_velocities(c->sys, &at, &c->state);
}

static bl_status begin(check *c) {
    bl_inverse_run *r = c->r;
    if (r->moved->ndriver > 0)
        BL_TRY(bl_model_vary(r->ctx, r->moved, &(bl_variant_ask){.release = true}, &c->released));
    c->model = c->released ? c->released : r->moved;
    BL_TRY(make_curves(c));
    BL_TRY(bl_run_prepare_held(r->ctx, c->model, r->run.options.coordinates, r->run.options.closure, c->held, r->nactuator, &c->sys,
                               &c->state));
    BL_TRY(set_start(c));
    double tolerance = r->asked.tolerance > 0 ? r->asked.tolerance : TOLERANCE;
    const char *integrator = bl_plan_integrator(c->sys, NULL, NULL, tolerance);
    bl_simulation_setup setup = {.integrator = integrator,
                                 .formulation = bl_plan_formulation(c->sys, NULL, integrator, tolerance),
                                 .t_end = r->run.options.until,
                                 .tolerance = tolerance};
    return bl_simulation_create(c->sys, &c->state, &setup, &c->sim);
}

/* deviation of the run at a time of its last step: variables and mass centers */
static bl_status compare(check *c, double t) {
    bl_inverse_run *r = c->r;
    bl_eval *e = &r->course->eval;
    bl_sample sample;
    double off = 0;
    BL_TRY(bl_simulation_sample_of(c->sim, t, BL_WANT_BODIES | BL_WANT_VARIABLES, &sample));
    BL_TRY(bl_course_move(r->course, t));
    bl_eval_at(e, &r->course->state);
    BL_TRY(bl_system_eval(r->sys, e, BL_POSE | BL_VARIABLES));
    for (bl_index i = 0; i < r->sys->nvariable; i++)
        off = fmax(off, fabs(sample.variable[i] - e->variable[i]));
    for (bl_index b = 1; b < r->sys->nbody; b++)
        for (int k = 0; k < 3; k++)
            off = fmax(off, fabs(sample.body[b - 1].position[k] - e->pose[b].position[k]));
    r->found.deviation = off;
    r->found.check_time = t;
    if (off > study_check_visible) {
        double y = log(off);
        const double term[5] = {1, t, t * t, y, t * y};
        for (int k = 0; k < 5; k++)
            c->sum[k] += term[k];
    }
    return BL_OK;
}

/* near configurations that are singular for the actuators forces grow without bound, and steps shrink */
static bl_status give_up(check *c) {
    double t = *c->sim->state.t;
    return bl_fail(c->r->ctx, BL_E_NUMERIC, NULL, "step size became too small at t = %.9g s: the forces probably grow without bound there",
                   t);
}

static bl_status follow(check *c) {
    bl_inverse_run *r = c->r;
    double t, since = r->begin;
    int steps = 0;
    for (long n = 0; (t = bl_run_output_time(&r->run.options, n)) <= r->run.options.until;) {
        if (t <= *c->sim->state.t) {
            if (t > r->begin)
                BL_TRY(compare(c, t));
            n++;
            continue;
        }
        if (bl_context_stopped(r->ctx))
            return BL_STOPPED;
        bl_status status = bl_simulation_advance(c->sim);
        if (*c->sim->state.t > since + study_check_stuck * (r->run.options.until - r->begin)) {
            since = *c->sim->state.t;
            steps = 0;
        } else if (++steps > study_check_patience) {
            return give_up(c);
        }
        if (status == BL_EVENT)
            return BL_OK;
        BL_TRY(status);
    }
    return BL_OK;
}

bl_status bl_inverse_check(bl_inverse_run *r) {
    check c = {.r = r};
    bl_status status = r->found.singular > 0 ? BL_OK : begin(&c);
    if (status == BL_OK && r->found.singular == 0)
        status = follow(&c);
    if (c.source.failed != BL_OK)
        status = bl_fail(r->ctx, c.source.failed, NULL, "out of memory in the check run");
    if (status == BL_E_NUMERIC || (status > 0 && status != BL_STOPPED)) {
        bl_warn(r->ctx, r->found.check_time, NULL, "the check run under the computed forces ended early: %s",
                bl_context_error(r->ctx)->what);
        bl_context_clear_error(r->ctx);
        status = BL_OK;
    }
    r->found.checked = status == BL_OK && c.sim;
    double bottom = c.sum[0] * c.sum[2] - c.sum[1] * c.sum[1];
    if (c.sum[0] > 2 && bottom > 0)
        r->found.deviation_rate = (c.sum[0] * c.sum[4] - c.sum[1] * c.sum[3]) / bottom;
    bl_simulation_destroy(c.sim);
    bl_run_release(c.sys, &c.state, NULL);
    bl_effort_destroy(c.source.effort);
    bl_course_destroy(c.source.course);
    bl_model_unvary(c.released);
    bl_free(r->ctx, c.pose);
    bl_free(r->ctx, c.angle);
    bl_free(r->ctx, c.curve);
    bl_free(r->ctx, c.held);
    return status;
}
