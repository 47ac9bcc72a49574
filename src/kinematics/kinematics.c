/* Solves group after group at a given time. Closed forms are evaluated at that time directly; Newton's method follows the motion in steps
 * that double while they succeed and are halved if a group cannot be solved, or is found far from its predicted position. */
#include "base/sized.h"
#include "kinematics/kinematics_limits.h"
#include "kinematics/kinematics_private.h"

#include "base/vector3.h"

#include "biela/structure.h"
#include "model/law_inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- drivers */

bl_index bl_kinematics_eval_drivers(bl_kinematics *k, double t, bl_kinematics_order order) {
    bl_index bad = -1;
    for (bl_index d = 0; d < k->ndriver; d++) {
        bl_driver_value *g = &k->driver[d];
        bl_law_read_series(k->model, g->law, &(bl_instant){.t = t}, order == BL_POSITIONS ? 0 : 2, g->in);
        if (order == BL_POSITIONS)
            bl_tape_eval(g->law->tape, g->in, g->at, k->tape_work);
        else {
            bl_tape_series(g->law->tape, 2, g->in, g->at, k->tape_work);
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
    k->failed_joint = variable->joint;
    snprintf(k->failure, sizeof k->failure, "the driver of %.60s is not a finite number", variable->name);
    return BL_NOT_FINITE;
}

/* ---- one time */

static bl_status solve_groups(bl_kinematics *k, double t, double ahead, bl_kinematics_order order, const bl_link_group **failed) {
    k->failure[0] = 0;
    k->failed_joint = -1;
    bl_index bad = bl_kinematics_eval_drivers(k, t, order);
    if (bad >= 0)
        return blame_driver(k, bad, failed);
    for (bl_index i = 0; i < k->ngroup; i++) {
        bl_link_group *group = &k->group[i];
        bl_status status = group->solver->position(k, group, ahead);
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
            k->failure[0] ? k->failure : bl_status_text(status));
    bl_advise(k->ctx,
              "the drivers move the group beyond its reach; check its lengths and the range of its drivers, or drive another joint");
    bl_blame(k->ctx, k->failed_joint >= 0 ? k->model->joint[k->failed_joint].name : NULL, group->kind, t);
    return BL_E_NUMERIC;
}

/* ---- closed forms only: any time at once */

/* BL_AGAIN: solutions meet nearby, smaller steps are needed */
static bl_status solve_directly(bl_kinematics *k, double t, bl_kinematics_order order) {
    const bl_link_group *failed = NULL, *ignored = NULL;
    bl_status status = solve_groups(k, t, 0, order, &failed);
    if (status == BL_OK) {
        k->t = t;
        k->known = order;
        return BL_OK;
    }
    if (status > 0 && k->near_branch_point)
        return BL_AGAIN;
    double good = k->t, bad = t;
    while (status > 0) { /* bisect for the time of the failure */
        double middle = good + (bad - good) / 2;
        if (middle == good || middle == bad)
            break;
        const bl_link_group *now = NULL;
        if (solve_groups(k, middle, 0, order, &now) == BL_OK)
            good = middle;
        else {
            bad = middle;
            failed = now;
        }
    }
    solve_groups(k, bad, 0, order, &failed); /* for its message */
    bl_status reported = fail(k, failed, bad, status);
    solve_groups(k, k->t, 0, k->known, &ignored);
    return reported;
}

/* ---- following the motion */

static void save(bl_kinematics *k) {
    memcpy(k->kept, k->body, (size_t)k->model->nbody * sizeof *k->body);
    for (bl_index i = 0; i < k->nvariable; i++)
        k->kept_value[i] = k->measure[i].last;
    for (bl_index i = 0; i < k->ngroup; i++)
        k->group[i].kept_branch = k->group[i].branch;
}

static void restore(bl_kinematics *k) {
    memcpy(k->body, k->kept, (size_t)k->model->nbody * sizeof *k->body);
    for (bl_index i = 0; i < k->nvariable; i++)
        k->measure[i].last = k->kept_value[i];
    for (bl_index i = 0; i < k->ngroup; i++)
        k->group[i].branch = k->group[i].kept_branch;
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

/* Counts revolutions of the tracked angles after a step h. false: one of them changes so fast that half a revolution could have been
 * missed. */
static bool count_turns(bl_kinematics *k, double h) {
    k->turning = 0;
    for (bl_index d = 0; k->ntrack > 0 && d < k->ndriver; d++)
        if (k->model->variable[k->model->driver[d].variable].is_angle)
            k->turning = fmax(k->turning, fabs(k->driver[d].at[1]));
    for (bl_index i = 0; i < k->ntrack; i++) {
        bl_gradient g;
        bl_measure_at(k, k->track[i], &g);
        if (!(fabs(g.value - k->kept_value[k->track[i]]) < kinematics_farthest_turn))
            return false;
        k->measure[k->track[i]].last = g.value;
        k->turning = fmax(k->turning, fabs(rate_of(k, &g)));
    }
    return !(k->turning * fabs(h) > 2 * kinematics_farthest_turn);
}

/* approximate accelerations for predicting the next position, if none were requested */
static void guess_accelerations(bl_kinematics *k, double h) {
    for (bl_index b = 1; b < k->model->nbody; b++)
        for (int i = 0; i < 3; i++) {
            bl_body_motion *body = &k->body[b];
            body->acceleration[i] = (body->velocity[i] - k->kept[b].velocity[i]) / h;
            body->angular_acceleration[i] = (body->angular_velocity[i] - k->kept[b].angular_velocity[i]) / h;
        }
}

/* up to the last good step size, without a large change of any angle */
static double next_step(const bl_kinematics *k, double left) {
    double h = fabs(left);
    if (k->step > 0)
        h = fmin(h, k->step);
    if (k->turning > 0)
        h = fmin(h, 1 / k->turning);
    return h < fabs(left) ? copysign(h, left) : left;
}

/* to k->t + h; the last step computes the requested order, the others what the prediction needs */
static bl_status step_to(bl_kinematics *k, double t, double h, bl_kinematics_order order, const bl_link_group **failed) {
    save(k);
    double turning = k->turning;
    k->rough = order == BL_POSITIONS;
    bl_status status = solve_groups(k, t, h, order == BL_POSITIONS ? BL_VELOCITIES : order, failed);
    k->rough = false;
    if (status == BL_OK && !count_turns(k, h)) {
        status = BL_REJECTED;
        *failed = &k->group[0];
        snprintf(k->failure, sizeof k->failure, "an angle changes too fast for its revolutions to be counted");
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

/* rates at the present position that were not computed before */
static bl_status complete_rates(bl_kinematics *k, bl_kinematics_order order) {
    const bl_link_group *failed = NULL;
    save(k);
    bl_status status = solve_groups(k, k->t, 0, order, &failed);
    if (status != BL_OK) {
        restore(k);
        return fail(k, failed, k->t, status);
    }
    k->known = order;
    return BL_OK;
}

/* in steps that double while they succeed; after a failure it stays at the last good position */
static bl_status advance(bl_kinematics *k, double t, bl_kinematics_order order, const bl_link_group **failed) {
    double least = kinematics_least_step * (fabs(t) + fabs(k->t)) + 0.1 * kinematics_least_step * fabs(t - k->t);
    while (k->t != t) {
        if (bl_context_stopped(k->ctx))
            return BL_STOPPED;
        double left = t - k->t, h = next_step(k, left);
        bool last = h == left;
        bl_status status = step_to(k, last ? t : k->t + h, h, last ? order : BL_POSITIONS, failed);
        if (status < 0)
            return status;
        k->step = status == BL_OK ? 2 * fabs(h) : fabs(h) / 4;
        if (status != BL_OK && !(k->step > least)) {
            k->step = 0;
            return status;
        }
    }
    return BL_OK;
}

/* ---- positions where solutions meet and rates are 0 / 0, but the motion continues: passed, and interpolated from both sides */

/* time in which the fastest body rotates by kinematics_aside */
static double time_aside(const bl_kinematics *k) {
    double fastest = k->turning;
    for (bl_index b = 1; b < k->model->nbody; b++)
        for (int i = 0; i < 3; i++)
            fastest = fmax(fastest, fabs(k->body[b].angular_velocity[i]));
    return fastest > 0 ? kinematics_aside / fastest : 0;
}

/* removes a small error of orthonormality */
void bl_orthonormalize(double R[9]) {
    double *x = R, *y = R + 3, *z = R + 6, error = dot3(x, y);
    for (int i = 0; i < 3; i++) { /* symmetric to first order */
        double kept = x[i];
        x[i] -= error / 2 * y[i];
        y[i] -= error / 2 * kept;
    }
    double along_x = (3 - dot3(x, x)) / 2, along_y = (3 - dot3(y, y)) / 2;
    for (int i = 0; i < 3; i++) {
        x[i] *= along_x;
        y[i] *= along_y;
    }
    cross3(x, y, z);
}

/* x(t) = (4 (x(t - d) + x(t + d)) - x(t - 2 d) - x(t + 2 d)) / 6 up to d^4 */
static void interpolate_bodies(bl_kinematics *k) {
    for (bl_index b = 1; b < k->model->nbody; b++) {
        const bl_body_motion *x[4] = {&k->around[1][b], &k->around[2][b], &k->around[3][b], &k->around[4][b]};
        bl_body_motion *out = &k->body[b];
#define BETWEEN(field, n)         \
    for (int i = 0; i < (n); i++) \
    out->field[i] = (4 * (x[1]->field[i] + x[2]->field[i]) - x[0]->field[i] - x[3]->field[i]) / 6
        BETWEEN(position, 3);
        BETWEEN(rotation, 9);
        BETWEEN(velocity, 3);
        BETWEEN(angular_velocity, 3);
        BETWEEN(acceleration, 3);
        BETWEEN(angular_acceleration, 3);
#undef BETWEEN
        bl_orthonormalize(out->rotation);
    }
}

static bl_status pass_singular(bl_kinematics *k, double t, double d, const bl_link_group **failed) {
    size_t bytes = (size_t)k->model->nbody * sizeof *k->body;
    static const int step[4] = {-2, -1, 1, 2};
    for (int i = 0; i < 4; i++) {
        BL_TRY(advance(k, t + step[i] * d, BL_ACCELERATIONS, failed));
        memcpy(k->around[i + 1], k->body, bytes);
    }
    k->interpolated = true;
    k->t_beyond = k->t;
    k->t = t;
    bl_kinematics_eval_drivers(k, t, BL_ACCELERATIONS);
    interpolate_bodies(k);
    return BL_OK;
}

/* the start of the path: a position just before a singular one is a bad start for passing it */
static void save_start(bl_kinematics *k) {
    memcpy(k->around[0], k->body, (size_t)k->model->nbody * sizeof *k->body);
    for (bl_index i = 0; i < k->nvariable; i++)
        k->first_value[i] = k->measure[i].last;
    for (bl_index i = 0; i < k->ngroup; i++)
        k->group[i].first_branch = k->group[i].branch;
}

static void return_to_start(bl_kinematics *k, double t) {
    memcpy(k->body, k->around[0], (size_t)k->model->nbody * sizeof *k->body);
    for (bl_index i = 0; i < k->nvariable; i++)
        k->measure[i].last = k->first_value[i];
    for (bl_index i = 0; i < k->ngroup; i++)
        k->group[i].branch = k->group[i].first_branch;
    k->t = t;
    k->step = 0;
}

static void continue_beyond(bl_kinematics *k) {
    if (!k->interpolated)
        return;
    memcpy(k->body, k->around[4], (size_t)k->model->nbody * sizeof *k->body);
    k->t = k->t_beyond;
    k->known = BL_ACCELERATIONS;
    k->interpolated = false;
}

/* time at which the root of the group vanishes, extrapolated from a position just before */
static double dead_point(const bl_link_group *group, double t) {
    const bl_branch *b = &group->kept_branch;
    return b->scale > 0 && b->root < kinematics_dead_point * b->scale && b->rate != 0 ? t - b->root / b->rate : t;
}

static bl_status follow(bl_kinematics *k, double t, bl_kinematics_order order) {
    const bl_link_group *failed = NULL, *then = NULL;
    if (k->t == t)
        return order > k->known ? complete_rates(k, order) : BL_OK;
    continue_beyond(k);
    double begin = k->t, d = copysign(time_aside(k), t - begin);
    save_start(k);
    bl_status status = advance(k, t, order, &failed);
    if (status <= 0 || status == BL_STOPPED)
        return status;
    /* it cannot be reached; but perhaps both sides of it can */
    char failure[sizeof k->failure];
    bl_index joint = k->failed_joint;
    double reached = k->t, dead = dead_point(failed, reached);
    memcpy(failure, k->failure, sizeof failure);
    if (d != 0 && fabs(t - reached) <= fabs(d)) {
        return_to_start(k, begin);
        bl_status passed = pass_singular(k, t, d, &then);
        if (passed <= 0 || passed == BL_STOPPED)
            return passed;
        return_to_start(k, begin);
        advance(k, reached, order, &then);
    } else if (solve_groups(k, k->t, 0, order, &then) == BL_OK) /* with the requested rates */
        k->known = order;
    else
        restore(k);
    memcpy(k->failure, failure, sizeof failure);
    k->failed_joint = joint;
    return fail(k, failed, dead, status);
}

bl_status bl_kinematics_start(bl_kinematics *k) {
    const bl_link_group *failed = NULL;
    save(k);
    bl_status status = solve_groups(k, 0, 0, BL_ACCELERATIONS, &failed);
    if (status != BL_OK)
        return fail(k, failed, 0, status);
    k->known = BL_ACCELERATIONS;
    count_turns(k, 0);
    return BL_OK;
}

bl_status bl_kinematics_at(bl_kinematics *k, double t, bl_kinematics_order order) {
    if (!isfinite(t))
        return bl_fail(k->ctx, BL_E_ARG, NULL, "the time must be a finite number");
    if (k->follows || k->interpolated)
        return follow(k, t, order);
    /* close to a position where solutions meet the branch may change: closed forms follow the motion there, too */
    double before = k->t;
    bl_kinematics_order known = k->known;
    if (!k->near_branch_point) {
        bl_status status = solve_directly(k, t, order);
        if (status != BL_AGAIN && (status != BL_OK || !k->near_branch_point || t == before))
            return status;
    }
    const bl_link_group *failed = NULL;
    bl_status status = solve_groups(k, before, 0, known > BL_VELOCITIES ? known : BL_VELOCITIES, &failed);
    if (status != BL_OK)
        return fail(k, failed, before, status);
    k->t = before;
    save(k);
    return follow(k, t, order);
}

/* ---- results */

const bl_body_motion *bl_kinematics_body(const bl_kinematics *k, bl_index body) { return &k->body[body]; }

void bl_kinematics_variable(const bl_kinematics *k, bl_index variable, double out[3]) {
    bl_gradient g;
    const bl_measure *m = &k->measure[variable];
    if (m->driver >= 0) {
        memcpy(out, k->driver[m->driver].at, 3 * sizeof *out);
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
            *velocities = fmax(*velocities, fabs(rate_of(k, &g) - bl_row_driven(k, row, 1)) / scale);
        }
}

void bl_kinematics_summarize(const bl_kinematics *k, bl_kinematics_summary *summary) { BL_GIVE(bl_kinematics_summary, summary, &k->count); }
