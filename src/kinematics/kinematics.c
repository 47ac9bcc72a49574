/* Group after group to a time. Closed forms go there at once; Newton follows the motion in steps that double while they succeed and halve
 * where a group cannot be placed, or is placed far from where it was expected. */
#include "kinematics/kinematics.h"

#include "biela/structure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double FARTHEST_TURN = 1.5; /* of an angle whose turns count, in one step */

/* ---- drivers */

static void give(bl_kinematics *k, double t, bl_kinematics_order order) {
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
    }
}

/* ---- one time */

static bl_status go(bl_kinematics *k, double t, double ahead, bl_kinematics_order order, const bl_link_group **failed) {
    give(k, t, order);
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
    bl_fail(k->ctx, BL_E_NUMERIC, NULL, "%s {%s} cannot close at t = %.6g s: %s", group->kind, links, t,
            k->trouble[0] ? k->trouble : bl_status_text(status));
    bl_advise(k->ctx,
              "the drivers lead the group out of its reach there; check its lengths, the range of its drivers, or drive another joint");
    bl_blame(k->ctx, group->npair ? k->model->joint[group->joint[0]].name : NULL, group->kind, t);
    return BL_E_NUMERIC;
}

/* ---- closed forms only: anywhere at once */

static bl_status go_direct(bl_kinematics *k, double t, bl_kinematics_order order) {
    const bl_link_group *failed = NULL, *ignored = NULL;
    k->trouble[0] = 0;
    bl_status status = go(k, t, 0, order, &failed);
    if (status == BL_OK) {
        k->t = t;
        k->known = order;
        return BL_OK;
    }
    double good = k->t, bad = t;
    for (int i = 0; i < 60 && status > 0; i++) { /* where it happens */
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
    char trouble[sizeof k->trouble];
    memcpy(trouble, k->trouble, sizeof trouble);
    bl_status back = go(k, k->t, 0, k->known, &ignored);
    memcpy(k->trouble, trouble, sizeof trouble);
    (void)back;
    return fail(k, failed, bad, status);
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

/* turns of the angles in relations; false: one has turned so far that half a turn could have been missed */
static bool count_turns(bl_kinematics *k) {
    for (bl_index i = 0; i < k->ntrack; i++) {
        bl_gradient g;
        bl_measure *m = &k->measure[k->track[i]];
        bl_measure_at(k, k->track[i], &g);
        if (!(fabs(g.value - k->kept_value[k->track[i]]) < FARTHEST_TURN))
            return false;
        m->last = g.value;
    }
    return true;
}

static bl_status follow(bl_kinematics *k, double t) {
    const bl_link_group *failed = NULL;
    double least = 1e-12 * (fabs(t) + fabs(k->t)) + 1e-14 * fabs(t - k->t);
    k->trouble[0] = 0;
    while (k->t != t) {
        double left = t - k->t, h = fabs(k->step) < fabs(left) && k->step != 0 ? copysign(k->step, left) : left;
        keep(k);
        bl_status status = go(k, k->t + h, h, BL_ACCELERATIONS, &failed);
        if (status == BL_OK && !count_turns(k)) {
            status = BL_REJECTED;
            failed = &k->group[0];
            snprintf(k->trouble, sizeof k->trouble, "an angle turns too fast to be followed");
        }
        if (status == BL_OK) {
            k->t = h == left ? t : k->t + h;
            k->step = 2 * fabs(h);
            continue;
        }
        restore(k);
        k->step = fabs(h) / 4;
        if (status < 0)
            return status;
        if (!(k->step > least)) {
            k->step = 0;
            return fail(k, failed, k->t, status);
        }
    }
    return BL_OK;
}

bl_status bl_kinematics_start(bl_kinematics *k) {
    const bl_link_group *failed = NULL;
    bl_status status = go(k, 0, 0, BL_ACCELERATIONS, &failed);
    k->known = BL_ACCELERATIONS;
    return status == BL_OK ? BL_OK : fail(k, failed, 0, status);
}

bl_status bl_kinematics_at(bl_kinematics *k, double t, bl_kinematics_order order) {
    if (!isfinite(t))
        return bl_fail(k->ctx, BL_E_ARG, NULL, "the time is not a number");
    if (!k->follows)
        return go_direct(k, t, order);
    return follow(k, t);
}

/* ---- what is asked of it */

const bl_body_motion *bl_kinematics_body(const bl_kinematics *k, bl_index body) { return &k->body[body]; }

void bl_kinematics_variable(const bl_kinematics *k, bl_index variable, double out[3]) {
    bl_gradient g;
    bl_measure_at(k, variable, &g);
    out[0] = g.value;
    out[1] = 0;
    out[2] = g.centripetal;
    for (bl_index b = 0; b < g.n; b++) {
        const bl_body_motion *body = &k->body[g.body[b]];
        for (int c = 0; c < 3; c++) {
            out[1] += g.by[b][c] * body->velocity[c] + g.by[b][3 + c] * body->angular_velocity[c];
            out[2] += g.by[b][c] * body->acceleration[c] + g.by[b][3 + c] * body->angular_acceleration[c];
        }
    }
}

void bl_kinematics_summarise(const bl_kinematics *k, bl_kinematics_summary *summary) { *summary = k->count; }
