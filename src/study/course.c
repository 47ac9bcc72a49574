/* Known motions: followed from time to time by prediction and assembly, in steps that stay on their branch. */
#include "study/course.h"

#include "dense/dense.h"
#include "study/inverse_limits.h"
#include "study/motion_names.h"
#include "study/recorded.h"
#include "study/simulation.h"
#include "study/study_limits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- motions that the constraints leave open */

static double mass_along(bl_course *c, const double *x, bl_status *status) {
    double sum = 0;
    *status = bl_system_apply(c->sys, &c->eval, BL_OP_M, 1, x, c->y);
    for (bl_index j = 0; j < c->sys->nv; j++)
        sum += x[j] * c->y[j];
    return sum;
}

bl_status bl_course_judge(bl_course *c, bl_index open, const double *motions, const char *lacks) {
    size_t n = (size_t)c->kkt->n;
    double largest = 0;
    bl_status status;
    for (bl_index j = 0; j < c->sys->nv; j++) {
        memset(c->x, 0, n * sizeof(double));
        c->x[j] = c->kkt->scale[j];
        largest = fmax(largest, mass_along(c, c->x, &status));
        BL_TRY(status);
    }
    for (bl_index k = 0; k < open; k++) {
        double mass = mass_along(c, motions + (size_t)k * n, &status);
        BL_TRY(status);
        if (mass <= study_course_no_mass * largest)
            continue;
        char names[256];
        BL_TRY(bl_motions_apart(c->model, c->sys, &c->eval, open, motions, names, sizeof names));
        bl_fail(c->ctx, BL_E_ABILITY, NULL, "%d motion%s without %s: %s", (int)open, open == 1 ? "" : "s", lacks, names);
        bl_advise(c->ctx, c->recording ? "add measured columns to the table: those given do not determine this motion"
                                       : "give a driver for each motion, or a table of the measured motion (--from)");
        return BL_E_ABILITY;
    }
    c->idle = open;
    return BL_OK;
}

/* ---- velocities and accelerations by drivers */

static bl_status least(bl_course *c, const double *right, double *x) {
    if (c->kkt->dense) {
        bl_kkt_least(c->kkt, right, x);
        return BL_OK;
    }
    BL_TRY(bl_kkt_factor(c->kkt, NULL, 0, NULL, 1));
    return bl_kkt_solve(c->kkt, c->zero, right, x, NULL);
}

/* At the trial state, whose positions are assembled: G, rank, v and a. */
static bl_status rates_by_drivers(bl_course *c) {
    const bl_system *sys = c->sys;
    bl_state *s = &c->trial;
    size_t bytes = (size_t)sys->nv * sizeof(double);
    bl_eval_at(&c->eval, s);
    BL_TRY(bl_kkt_move_to(c->kkt, &c->eval));
    c->singular = c->kkt->r < c->rank_most;
    if (c->singular) /* v and a are not determined: the predicted ones are kept */
        return BL_OK;
    BL_TRY(bl_system_eval(sys, &c->eval, BL_B));
    BL_TRY(least(c, c->eval.b, c->x));
    if (c->rolls)
        BL_TRY(bl_course_contradiction(c, c->eval.b, c->x));
    memcpy(s->v, c->x, bytes);
    c->eval.have &= BL_OF_POSITION | c->eval.constant;
    BL_TRY(bl_system_eval(sys, &c->eval, BL_C));
    BL_TRY(least(c, c->eval.c, c->x));
    memcpy(c->trial_a, c->x, bytes);
    return BL_OK;
}

/* ---- one step */

static double largest_scaled(const bl_course *c, const double *x) {
    double most = 0;
    for (bl_index j = 0; j < c->sys->nv; j++)
        if (!(fabs(x[j]) / c->kkt->scale[j] <= most))
            most = fabs(x[j]) / c->kkt->scale[j];
    return most;
}

/* the largest rate of an angle at the state */
static bl_status turning(bl_course *c, double *most) {
    bl_eval_at(&c->eval, &c->state);
    *most = 0;
    BL_TRY(bl_system_eval(c->sys, &c->eval, BL_VARIABLES));
    for (bl_index i = 0; i < c->sys->nvariable; i++)
        if (c->model->variable[i].is_angle)
            *most = fmax(*most, fabs(c->eval.variable_rate[i]));
    return BL_OK;
}

/* From the state by h: the assembled trial state, with rates. BL_AGAIN: it cannot be assembled, or is so far from the prediction that it
 * may have left the branch. */
static bl_status try_step(bl_course *c, double h) {
    const bl_system *sys = c->sys;
    bl_state *s = &c->trial;
    bl_state_copy(sys, s, &c->state);
    *s->t = *c->state.t + h;
    for (bl_index j = 0; j < sys->nv; j++) {
        c->x[j] = h * (c->state.v[j] + 0.5 * h * c->a[j]);
        s->v[j] = c->state.v[j] + h * c->a[j];
    }
    BL_TRY(bl_system_retract(sys, c->state.q, c->x, s->q));
    memcpy(c->predicted, s->q, (size_t)sys->nq * sizeof(double));
    bl_status status = c->recording ? bl_recorded_close(c) : bl_assemble_nearby(sys, s);
    if (status == BL_NO_CONVERGENCE || status == BL_SINGULAR)
        return BL_AGAIN;
    BL_TRY(status);
    BL_TRY(bl_system_local(sys, c->predicted, s->q, c->y));
    if (!(largest_scaled(c, c->y) <= study_course_correction))
        return BL_AGAIN;
    memcpy(c->predicted, s->v, (size_t)sys->nv * sizeof(double));
    memcpy(c->trial_a, c->a, (size_t)sys->nv * sizeof(double));
    status = c->recording ? bl_recorded_rates(c) : rates_by_drivers(c);
    if (status > 0 && status != BL_STOPPED)
        return BL_AGAIN;
    BL_TRY(status);
    for (bl_index j = 0; j < sys->nv; j++)
        c->y[j] = h * (s->v[j] - c->predicted[j]);
    return c->singular || largest_scaled(c, c->y) <= study_course_velocity * study_course_correction ? BL_OK : BL_AGAIN;
}

static bl_status take_over(bl_course *c) {
    bl_state_copy(c->sys, &c->state, &c->trial);
    memcpy(c->a, c->trial_a, (size_t)c->sys->nv * sizeof(double));
    c->rank_most = c->kkt->r > c->rank_most ? c->kkt->r : c->rank_most;
    c->steps++;
    if (!c->sys->kind->accept)
        return BL_OK;
    bl_eval_at(&c->eval, &c->state);
    bl_status status = c->sys->kind->accept(c->sys, &c->eval, &c->state);
    return status == BL_RESTART ? BL_OK : status;
}

static bl_status roll_to(bl_course *c, double t) {
    if (*c->state.t == t)
        return BL_OK;
    BL_TRY(bl_course_roll(c, t));
    bl_status status = bl_assemble_nearby(c->sys, &c->trial);
    if (status > 0 && status != BL_STOPPED)
        return bl_fail(c->ctx, BL_E_NUMERIC, NULL, "the mechanism cannot be assembled at t = %.9g", t);
    BL_TRY(status);
    BL_TRY(rates_by_drivers(c));
    return take_over(c);
}

static bl_status cannot_go_on(bl_course *c, double t) {
    char part[96] = "", equation[128] = "";
    bl_index worst = -1;
    bl_eval_at(&c->eval, &c->trial);
    if (bl_system_eval(c->sys, &c->eval, BL_PHI) == BL_OK && c->sys->np > 0) {
        bl_system_drift(c->sys, c->eval.phi, &worst);
        bl_system_row_name(c->sys, worst, part, sizeof part, equation, sizeof equation);
    }
    bl_fail(c->ctx, BL_E_NUMERIC, NULL, "the motion cannot be followed beyond t = %.9g (towards %.9g): %s cannot be assembled", *c->state.t,
            t, part[0] ? part : "the mechanism");
    bl_advise(c->ctx, "%s",
              c->recording ? "the table leads where the mechanism cannot go; check its columns at this time"
                           : "the drivers lead where the mechanism cannot go, or through a singular configuration; end the study before");
    bl_blame(c->ctx, part, equation, *c->state.t);
    return BL_E_NUMERIC;
}

bl_status bl_course_move(bl_course *c, double t) {
    double span = t - *c->state.t, h = span;
    if (c->rolls)
        return roll_to(c, t);
    while (*c->state.t != t) {
        double rate, left = t - *c->state.t;
        BL_TRY(bl_go_on(c->ctx));
        BL_TRY(turning(c, &rate));
        if (fabs(h) * rate > study_course_turn)
            h = copysign(study_course_turn / rate, span);
        bool last = fabs(h) >= fabs(left) * (1 - study_same_time);
        bl_status status = try_step(c, last ? left : h);
        if (status == BL_OK) {
            if (last)
                *c->trial.t = t;
            BL_TRY(take_over(c));
            h *= 2;
            continue;
        }
        if (status != BL_AGAIN)
            return status;
        h = 0.5 * (last ? left : h);
        if (fabs(h) <= study_course_least_step * fabs(span) || *c->state.t + h == *c->state.t)
            return cannot_go_on(c, t);
    }
    return BL_OK;
}

/* ---- creation */

static bl_status make_room(bl_course *c) {
    const bl_system *sys = c->sys;
    size_t n = (size_t)(sys->nv + sys->nz), nq = (size_t)sys->nq, columns = c->recording ? (size_t)c->recording->ncolumn : 0;
    size_t wide = columns > n ? columns : n, big = nq > n ? nq : n, work = columns ? bl_least_norm_work((bl_index)columns, (bl_index)n) : 0;
    return BL_NEW_ARRAYS(c->ctx, c->block, BL_ARRAY(c->a, n), BL_ARRAY(c->trial_a, n), BL_ARRAY(c->x, n), BL_ARRAY(c->y, n),
                         BL_ARRAY(c->zero, n), BL_ARRAY(c->predicted, big), BL_ARRAY(c->scratch, big), BL_ARRAY(c->matrix, columns * n),
                         BL_ARRAY(c->right, wide), BL_ARRAY(c->work, work), BL_ARRAY(c->value, columns), BL_ARRAY(c->row, sys->np));
}

/* motions that constraints and drivers leave open, [f][n] */
static bl_status open_motions(bl_course *c, const char *lacks) {
    size_t n = (size_t)c->kkt->n, f = (size_t)c->kkt->f;
    double *motion = NULL, *z = NULL;
    if (f == 0)
        return BL_OK;
    if (!c->kkt->dense)
        return bl_fail(c->ctx, BL_E_ABILITY, NULL, "%d motion%s without %s", (int)f, f == 1 ? "" : "s", lacks);
    bl_status status = BL_NEW(c->ctx, motion, n * f);
    if (status == BL_OK)
        status = BL_NEW(c->ctx, z, f);
    for (size_t k = 0; k < f && status == BL_OK; k++) {
        memset(z, 0, f * sizeof *z);
        z[k] = 1;
        bl_kkt_motion(c->kkt, z, motion + k * n);
    }
    if (status == BL_OK)
        status = bl_course_judge(c, c->kkt->f, motion, lacks);
    bl_free(c->ctx, z);
    bl_free(c->ctx, motion);
    return status;
}

static bl_status begin(bl_course *c, const bl_state *start, const char *lacks) {
    const bl_system *sys = c->sys;
    bl_state_copy(sys, &c->trial, start);
    if (c->recording) {
        *c->trial.t = c->recording->t[0];
        bl_status status = bl_recorded_begin(c, lacks);
        BL_TRY(status);
    } else {
        BL_TRY(rates_by_drivers(c));
        BL_TRY(open_motions(c, lacks));
    }
    if (c->rolls)
        bl_state_copy(sys, &c->start, &c->trial);
    return take_over(c);
}

bl_status bl_course_create(const bl_system *sys, const bl_model *model, const bl_recording *recording, const bl_state *start,
                           const char *lacks, bl_course **out) {
    bl_course *c;
    *out = NULL;
    if (bl_system_rolls(sys) && recording) /* measured positions that are not on one path would slip */
        return bl_system_refuse_velocity_rows(sys, "a motion from a table of positions",
                                              "prescribe its velocities by drivers, which may follow splines of the measured values");
    BL_TRY(BL_NEW(sys->ctx, c, 1));
    *out = c;
    c->ctx = sys->ctx;
    c->sys = sys;
    c->model = model;
    c->recording = recording;
    c->rolls = bl_system_rolls(sys);
    BL_TRY(make_room(c));
    BL_TRY(bl_eval_create(sys, BL_PHI | BL_G | BL_B | BL_C | BL_SEEN, &c->eval));
    BL_TRY(bl_state_create(sys, 0, &c->state));
    BL_TRY(bl_state_create(sys, 0, &c->trial));
    if (c->rolls)
        BL_TRY(bl_state_create(sys, 0, &c->start));
    BL_TRY(bl_kkt_create(sys, &(bl_kkt_setup){.dense_most = recording ? (bl_index)study_course_dense : 0}, &c->kkt));
    return begin(c, start, lacks);
}

void bl_course_destroy(bl_course *c) {
    if (!c)
        return;
    bl_simulation_destroy(c->sim);
    bl_kkt_destroy(c->kkt);
    bl_eval_destroy(c->sys, &c->eval);
    bl_state_destroy(c->sys, &c->state);
    bl_state_destroy(c->sys, &c->trial);
    bl_state_destroy(c->sys, &c->start);
    bl_free(c->ctx, c->block);
    bl_free(c->ctx, c);
}
