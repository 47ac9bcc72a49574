/* Group after group to a time. Closed forms go there at once; Newton follows the motion in steps that double while they succeed and halve
 * where a group cannot be placed, or is placed far from where it was expected. */
#include "kinematics/kinematics.h"

#include "biela/structure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double FARTHEST_TURN = 1.5; /* of an angle whose turns count, in one step */

/* ---- drivers */

/* the driver that is not a number then, -1: none */
static bl_index give(bl_kinematics *k, double t, bl_kinematics_order order) {
    bl_index bad = -1;
    for (bl_index d = 0; d < k->ngiven; d++) {
        bl_given *g = &k->given[d];
        for (bl_index i = 0; i < g->law->ninput; i++)
            if (g->law->input[i].what == BL_SYM_TIME)
                g->in[i] = g->series[3 * i] = t;
        if (order == BL_POSITIONS)
            bl_tape_eval(g->law->tape, g->in, g->at, k->tape_work);
        else {
            bl_tape_series(g->law->tape, 2, g->series, g->at, k->tape_work);
            g->at[2] *= 2;
        }
        k->measure[k->model->driver[d].variable].last = g->at[0];
        for (int level = 0; level <= (int)order; level++)
            if (!isfinite(g->at[level]))
                bad = d;
    }
    return bad;
}

static bl_status blame_driver(bl_kinematics *k, bl_index driver, const bl_link_group **failed) {
    const bl_variable *variable = &k->model->variable[k->model->driver[driver].variable];
    const bl_index *ends = k->model->joint[variable->joint].body;
    bl_index group = ends[1] > 0 ? k->group_of[ends[1]] : ends[0] > 0 ? k->group_of[ends[0]] : 1;
    *failed = &k->group[group - 1];
    k->trouble_joint = variable->joint;
    snprintf(k->trouble, sizeof k->trouble, "the driver of %.60s is not a finite number", variable->name);
    return BL_NOT_FINITE;
}

/* ---- one time */

static bl_status go(bl_kinematics *k, double t, double ahead, bl_kinematics_order order, const bl_link_group **failed) {
    k->trouble[0] = 0;
    k->trouble_joint = -1;
    bl_index bad = give(k, t, order);
    if (bad >= 0)
        return blame_driver(k, bad, failed);
    for (bl_index i = 0; i < k->ngroup; i++) {
        bl_link_group *group = &k->group[i];
        bl_status status = group->solver->place(k, group, ahead);
        if (status == BL_OK && order >= BL_VELOCITIES)
            status = group->solver->velocity(k, group);
        if (status == BL_OK && order == BL_ACCELERATIONS)
            status = group->solver->acceleration(k, group);
        if (status != BL_OK) {
            *failed = group;
            return status;
        }
    }
    k->count.positions++;
    return BL_OK;
}

/* ---- failures */

static void name_links(const bl_kinematics *k, const bl_link_group *group, char *out, size_t room) {
    size_t used = 0;
    for (bl_index b = 0; b < group->nbody && used < room; b++) {
        if (b == 6 && group->nbody > 7) {
            snprintf(out + used, room - used, " and %d more", group->nbody - b);
            return;
        }
        used += (size_t)snprintf(out + used, room - used, "%s%.24s", b ? ", " : "", k->model->body[group->body[b]].name);
    }
}

static bl_status fail(bl_kinematics *k, const bl_link_group *group, double t, bl_status status) {
    char links[220];
    if (status < 0)
        return status;
    name_links(k, group, links, sizeof links);
    bl_fail(k->ctx, BL_E_NUMERIC, NULL, "%s {%s} cannot close at t = %.9g s: %s", group->kind, links, t,
            k->trouble[0] ? k->trouble : bl_status_text(status));
    bl_advise(k->ctx,
              "the drivers lead the group out of its reach there; check its lengths, the range of its drivers, or drive another joint");
    bl_blame(k->ctx, k->trouble_joint >= 0 ? k->model->joint[k->trouble_joint].name : NULL, group->kind, t);
    return BL_E_NUMERIC;
}

/* ---- closed forms only: anywhere at once */

static bl_status go_direct(bl_kinematics *k, double t, bl_kinematics_order order) {
    const bl_link_group *failed = NULL, *ignored = NULL;
    bl_status status = go(k, t, 0, order, &failed);
    if (status == BL_OK) {
        k->t = t;
        k->known = order;
        return BL_OK;
    }
    double good = k->t, bad = t;
    while (status > 0) { /* where it happens */
        double middle = good + (bad - good) / 2;
        if (middle == good || middle == bad)
            break;
        const bl_link_group *now = NULL;
        if (go(k, middle, 0, order, &now) == BL_OK)
            good = middle;
        else {
            bad = middle;
            failed = now;
        }
    }
    go(k, bad, 0, order, &failed); /* its words */
    bl_status told = fail(k, failed, bad, status);
    go(k, k->t, 0, k->known, &ignored);
    return told;
}

/* ---- following */

static void keep(bl_kinematics *k) {
    memcpy(k->kept, k->body, (size_t)k->model->nbody * sizeof *k->body);
    for (bl_index i = 0; i < k->nvariable; i++)
        k->kept_value[i] = k->measure[i].last;
}

static void restore(bl_kinematics *k) {
    memcpy(k->body, k->kept, (size_t)k->model->nbody * sizeof *k->body);
    for (bl_index i = 0; i < k->nvariable; i++)
        k->measure[i].last = k->kept_value[i];
}

static double rate_of(const bl_kinematics *k, const bl_gradient *g) {
    double rate = 0;
    for (bl_index b = 0; b < g->n; b++) {
        const bl_body_motion *body = &k->body[g->body[b]];
        for (int c = 0; c < 3; c++)
            rate += g->by[b][c] * body->velocity[c] + g->by[b][3 + c] * body->angular_velocity[c];
    }
    return rate;
}

/* Turns of the tracked angles after a step h. false: one has turned, or turns now, so fast that half a turn could have been missed. */
static bool count_turns(bl_kinematics *k, double h) {
    k->turning = 0;
    for (bl_index d = 0; k->ntrack > 0 && d < k->ngiven; d++)
        if (k->measure[k->model->driver[d].variable].is_angle)
            k->turning = fmax(k->turning, fabs(k->given[d].at[1]));
    for (bl_index i = 0; i < k->ntrack; i++) {
        bl_gradient g;
        bl_measure_at(k, k->track[i], &g);
        if (!(fabs(g.value - k->kept_value[k->track[i]]) < FARTHEST_TURN))
            return false;
        k->measure[k->track[i]].last = g.value;
        k->turning = fmax(k->turning, fabs(rate_of(k, &g)));
    }
    return !(k->turning * fabs(h) > 2 * FARTHEST_TURN);
}

/* whether the margin went through zero and back within h: a cubic has its values and rates at both ends */
static bool may_have_vanished(const double from[2], const double to[2], double h) {
    double r = from[0], d = from[1] * h, rise = to[0] - r, end = to[1] * h;
    if (!(d < 0 && end > 0))
        return false;
    double b = 3 * rise - 2 * d - end, c = d + end - 2 * rise; /* r + d x + b x^2 + c x^3 */
    double x = -d / (b + sqrt(fmax(b * b - 3 * c * d, 0)));
    return !(r + x * (d + x * (b + x * c)) > 0.1 * fmin(r, to[0])); /* shorter steps tell for sure */
}

/* Dead points between here and the last place, that closed forms would leap over. false: there may be one; *failed: where. */
static bool no_dead_point_between(bl_kinematics *k, double h, const bl_link_group **failed) {
    for (int keep_them = 0; keep_them < 2; keep_them++)
        for (bl_index i = 0; i < k->ngroup; i++) {
            double now[2];
            if (!k->group[i].solver->margin)
                continue;
            k->group[i].solver->margin(&k->group[i], now);
            if (keep_them)
                memcpy(k->margin[i], now, sizeof now);
            else if (may_have_vanished(k->margin[i], now, h)) {
                *failed = &k->group[i];
                return false;
            }
        }
    return true;
}

/* accelerations that lead to the next place, where nobody asked for better ones */
static void guess_accelerations(bl_kinematics *k, double h) {
    for (bl_index b = 1; b < k->model->nbody; b++)
        for (int i = 0; i < 3; i++) {
            bl_body_motion *body = &k->body[b];
            body->acceleration[i] = (body->velocity[i] - k->kept[b].velocity[i]) / h;
            body->angular_acceleration[i] = (body->angular_velocity[i] - k->kept[b].angular_velocity[i]) / h;
        }
}

/* as far as the last step was good, and no angle turns far */
static double next_step(const bl_kinematics *k, double left) {
    double h = fabs(left);
    if (k->step > 0)
        h = fmin(h, k->step);
    if (k->turning > 0)
        h = fmin(h, 1 / k->turning);
    return h < fabs(left) ? copysign(h, left) : left;
}

/* to k->t + h; the last step gives what was asked for, others what leads on */
static bl_status step_to(bl_kinematics *k, double t, double h, bl_kinematics_order order, const bl_link_group **failed) {
    keep(k);
    double turning = k->turning;
    k->rough = order == BL_POSITIONS;
    bl_status status = go(k, t, h, order == BL_POSITIONS ? BL_VELOCITIES : order, failed);
    k->rough = false;
    if (status == BL_OK && !count_turns(k, h)) {
        status = BL_REJECTED;
        *failed = &k->group[0];
        snprintf(k->trouble, sizeof k->trouble, "an angle turns too fast to be followed");
    }
    if (status == BL_OK && !no_dead_point_between(k, h, failed)) {
        status = BL_REJECTED;
        snprintf(k->trouble, sizeof k->trouble, "dead point");
    }
    if (status == BL_OK) {
        if (order < BL_ACCELERATIONS)
            guess_accelerations(k, h);
        k->t = t;
        k->known = order;
    } else {
        restore(k);
        k->turning = turning;
    }
    return status;
}

/* rates of the present place that were not asked for when it went there */
static bl_status complete(bl_kinematics *k, bl_kinematics_order order) {
    const bl_link_group *failed = NULL;
    keep(k);
    bl_status status = go(k, k->t, 0, order, &failed);
    if (status != BL_OK) {
        restore(k);
        return fail(k, failed, k->t, status);
    }
    k->known = order;
    return BL_OK;
}

static bl_status follow(bl_kinematics *k, double t, bl_kinematics_order order) {
    const bl_link_group *failed = NULL;
    double least = 1e-13 * (fabs(t) + fabs(k->t)) + 1e-14 * fabs(t - k->t);
    if (k->t == t)
        return order > k->known ? complete(k, order) : BL_OK;
    while (k->t != t) {
        if (bl_context_stopped(k->ctx))
            return BL_STOPPED;
        double left = t - k->t, h = next_step(k, left);
        bool last = h == left;
        bl_status status = step_to(k, last ? t : k->t + h, h, last ? order : BL_POSITIONS, &failed);
        if (status < 0)
            return status;
        k->step = status == BL_OK ? 2 * fabs(h) : fabs(h) / 4;
        if (status != BL_OK && !(k->step > least)) {
            k->step = 0;
            status = fail(k, failed, k->t, status);
            if (go(k, k->t, 0, order, &failed) == BL_OK) /* rates that were asked for, where it stays */
                k->known = order;
            else
                restore(k);
            return status;
        }
    }
    return BL_OK;
}

bl_status bl_kinematics_start(bl_kinematics *k) {
    const bl_link_group *failed = NULL;
    keep(k);
    bl_status status = go(k, 0, 0, BL_ACCELERATIONS, &failed);
    if (status != BL_OK)
        return fail(k, failed, 0, status);
    k->known = BL_ACCELERATIONS;
    count_turns(k, 0);
    no_dead_point_between(k, 0, &failed);
    return BL_OK;
}

bl_status bl_kinematics_at(bl_kinematics *k, double t, bl_kinematics_order order) {
    if (!isfinite(t))
        return bl_fail(k->ctx, BL_E_ARG, NULL, "the time is not a number");
    return k->follows ? follow(k, t, order) : go_direct(k, t, order);
}

/* ---- what is asked of it */

const bl_body_motion *bl_kinematics_body(const bl_kinematics *k, bl_index body) { return &k->body[body]; }

void bl_kinematics_variable(const bl_kinematics *k, bl_index variable, double out[3]) {
    bl_gradient g;
    const bl_measure *m = &k->measure[variable];
    if (m->given >= 0) {
        memcpy(out, k->given[m->given].at, 3 * sizeof *out);
        return;
    }
    bl_measure_at(k, variable, &g);
    out[0] = g.value;
    out[1] = rate_of(k, &g);
    out[2] = g.centripetal;
    for (bl_index b = 0; b < g.n; b++) {
        const bl_body_motion *body = &k->body[g.body[b]];
        for (int c = 0; c < 3; c++)
            out[2] += g.by[b][c] * body->acceleration[c] + g.by[b][3 + c] * body->angular_acceleration[c];
    }
}

void bl_kinematics_drift(const bl_kinematics *k, double *positions, double *velocities) {
    *positions = *velocities = 0;
    for (bl_index i = 0; i < k->ngroup; i++)
        for (bl_index r = 0; r < k->group[i].nrow; r++) {
            const bl_joint_row *row = &k->group[i].row[r];
            bl_gradient g;
            bl_row_at(k, row, &g);
            double scale = bl_row_scale(k, row);
            *positions = fmax(*positions, fabs(g.value) / scale);
            *velocities = fmax(*velocities, fabs(rate_of(k, &g) - bl_row_given(k, row, 1)) / scale);
        }
}

void bl_kinematics_summarise(const bl_kinematics *k, bl_kinematics_summary *summary) { *summary = k->count; }
