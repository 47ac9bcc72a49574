/* Poses of bodies, values of variables, probes and events: results for the user.
 *
 * R takes body axes to global axes: the present basis directions times their dual, orthonormalized. A slender rod represented by two
 * points has no spin: R is the smallest rotation of its direction, and the angular velocity has no component along it. */
#include "base/vector3.h"
#include "coords/coords_limits.h"
#include "coords/mechanism.h"
#include "model/law_inputs.h"

#include <math.h>
#include <string.h>

static double normalize(double *a) {
    double length = sqrt(dot3(a, a));
    for (int k = 0; length > 0 && k < 3; k++)
        a[k] /= length;
    return length;
}

/* present value of a seat's entity */
static void entity_now(const bl_mechanism *m, const double *x, bl_index seat, double *out) {
    bl_index base = m->entity[m->seat[seat].entity].base;
    for (int k = 0; k < 3; k++)
        out[k] = k < m->dim ? x[base + k] : 0;
}

void bl_basis_now(const bl_mechanism *m, bl_index body, const double *x, double origin[3], double d[3][3]) {
    const bl_basis *basis = &m->basis[body];
    entity_now(m, x, basis->origin, origin);
    for (bl_index k = 0; k < basis->n; k++) {
        if (basis->seat[k] < 0) {
            cross3(basis->cross_axis, d[basis->cross_of[k]], d[k]);
            continue;
        }
        entity_now(m, x, basis->seat[k], d[k]);
        if (!m->entity[m->seat[basis->seat[k]].entity].is_vector)
            for (int c = 0; c < 3; c++)
                d[k][c] -= origin[c];
    }
}

/* columns of R: images of the body axes for the present directions d of a basis with n directions (initially basis->d) */
static void rotation(const bl_mechanism *m, const bl_basis *basis, const double d[3][3], double R[3][3]) {
    bl_index n = basis->n;
    if (n == 0) {
        memset(R, 0, 9 * sizeof(double));
        R[0][0] = R[1][1] = R[2][2] = 1;
        return;
    }
    if (m->dim == 2) {
        const double *a = basis->d[0], *b = d[0];
        double c = a[0] * b[0] + a[1] * b[1], s = a[0] * b[1] - a[1] * b[0], size = 1 / sqrt(c * c + s * s);
        memset(R, 0, 9 * sizeof(double));
        R[0][0] = R[1][1] = c * size;
        R[1][0] = s * size;
        R[0][1] = -R[1][0];
        R[2][2] = 1;
        return;
    }
    if (n == 3) {
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                R[i][j] = 0;
                for (int k = 0; k < 3; k++)
                    R[i][j] += d[k][i] * basis->dual[k][j];
            }
    } else { /* frames constructed in the same way initially and now; R takes one to the other */
        double then[3][3], now[3][3];
        memcpy(then[0], basis->d[0], sizeof then[0]);
        memcpy(now[0], d[0], sizeof now[0]);
        normalize(then[0]);
        normalize(now[0]);
        double second_then[3], second_now[3];
        if (n == 2) {
            memcpy(second_then, basis->d[1], sizeof second_then);
            memcpy(second_now, d[1], sizeof second_now);
        } else { /* smallest rotation: its axis is the common perpendicular */
            double axis[3];
            cross3(then[0], now[0], axis);
            if (normalize(axis) < 1e-300) {
                double other[3] = {fabs(then[0][0]) < 0.6, fabs(then[0][0]) >= 0.6, 0};
                cross3(then[0], other, axis);
                normalize(axis);
            }
            memcpy(second_then, axis, sizeof axis);
            memcpy(second_now, axis, sizeof axis);
        }
        for (int side = 0; side < 2; side++) {
            double(*f)[3] = side ? now : then, *second = side ? second_now : second_then;
            cross3(f[0], second, f[2]);
            normalize(f[2]);
            cross3(f[2], f[0], f[1]);
        }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                R[i][j] = now[0][i] * then[0][j] + now[1][i] * then[1][j] + now[2][i] * then[2][j];
    }
    /* constraint drift makes R slightly non-orthogonal: one step to the nearest rotation, R (3 - R^T R) / 2 */
    double S[3][3], T[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            S[i][j] = (i == j ? 1.5 : 0) - 0.5 * (R[0][i] * R[0][j] + R[1][i] * R[1][j] + R[2][i] * R[2][j]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            T[i][j] = R[i][0] * S[0][j] + R[i][1] * S[1][j] + R[i][2] * S[2][j];
    memcpy(R, T, sizeof T);
}

/* the largest component is found first to avoid cancellation */
static void to_quaternion(const double R[3][3], double q[4]) {
    double trace = R[0][0] + R[1][1] + R[2][2];
    double w[4] = {trace, R[0][0], R[1][1], R[2][2]};
    int big = 0;
    for (int i = 1; i < 4; i++)
        if (w[i] > w[big])
            big = i;
    if (big == 0) {
        q[0] = 1 + trace, q[1] = R[2][1] - R[1][2], q[2] = R[0][2] - R[2][0], q[3] = R[1][0] - R[0][1];
    } else {
        int i = big - 1, j = (i + 1) % 3, k = (i + 2) % 3;
        q[0] = R[k][j] - R[j][k];
        q[1 + i] = 1 + 2 * R[i][i] - trace;
        q[1 + j] = R[i][j] + R[j][i];
        q[1 + k] = R[i][k] + R[k][i];
    }
    double length = sqrt(q[0] * q[0] + dot3(q + 1, q + 1));
    for (int i = 0; i < 4; i++)
        q[i] /= length;
}

/* the history holds the last values of the variables, then the last quaternions: revolutions and signs are those nearest to them */
static const double *last_variable(const bl_eval *e) {
    const bl_mech_work *w = e->own;
    return w->expected ? w->expected : (const double *)(const void *)e->history;
}
static const double *last_quaternion(const bl_mechanism *m, const bl_eval *e) {
    return (const double *)(const void *)e->history + m->model->nvariable;
}

/* the quaternion of the rotation with the sign nearest to the last one */
static void turn_of(const bl_mechanism *m, const bl_eval *e, bl_index body, bl_pose *pose) {
    const bl_mech_work *w = e->own;
    to_quaternion((const double(*)[3])w->rotation[body], pose->quaternion);
    if (!e->history)
        return;
    const double *last = last_quaternion(m, e) + 4 * body;
    if (last[0] * pose->quaternion[0] + dot3(last + 1, pose->quaternion + 1) < 0)
        for (int k = 0; k < 4; k++)
            pose->quaternion[k] = -pose->quaternion[k];
}

void bl_poses(const bl_system *sys, bl_eval *e) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_work *w = e->own;
    memset(&e->pose[0], 0, sizeof e->pose[0]);
    e->pose[0].quaternion[0] = 1;
    w->rotation[0][0][0] = w->rotation[0][1][1] = w->rotation[0][2][2] = 1;
    for (bl_index b = 1; b < m->model->nbody; b++) {
        const bl_basis *basis = &m->basis[b];
        bl_pose *pose = &e->pose[b];
        double o[3], od[3], d[3][3] = {{0}}, dd[3][3] = {{0}};
        if (bl_mesh_of(m, b)) {
            bl_mesh_pose(m, w, b, pose, w->rotation[b]);
            turn_of(m, e, b, pose);
            continue;
        }
        bl_basis_now(m, b, w->x, o, d);
        bl_basis_now(m, b, w->xd, od, dd);
        for (int c = 0; c < 3; c++) {
            pose->position[c] = o[c];
            pose->velocity[c] = od[c];
            for (bl_index k = 0; k < basis->n; k++) {
                double xi = -dot3(basis->dual[k], m->seat[basis->origin].s);
                pose->position[c] += xi * d[k][c];
                pose->velocity[c] += xi * dd[k][c];
            }
        }
        rotation(m, basis, d, w->rotation[b]);
        turn_of(m, e, b, pose);
        /* omega = 1/2 sum D^k x D_k' with the reciprocal directions D^k = R dual_k; for a rod r x r' / r.r */
        double omega[3] = {0, 0, 0};
        bl_index n = m->dim == 2 && basis->n ? 1 : basis->n;
        if (n == 3) {
            for (bl_index k = 0; k < 3; k++) {
                double dual[3], v[3];
                for (int c = 0; c < 3; c++)
                    dual[c] = dot3(w->rotation[b][c], basis->dual[k]);
                cross3(dual, dd[k], v);
                for (int c = 0; c < 3; c++)
                    omega[c] += 0.5 * v[c];
            }
        } else if (n > 0) {
            double v[3];
            cross3(d[0], dd[0], v);
            for (int c = 0; c < 3; c++)
                omega[c] = v[c] / dot3(d[0], d[0]);
            if (n == 2) { /* spin about the first direction from the second: d1' = omega x d1 */
                double carried[3], rest[3], across[3];
                cross3(omega, d[1], carried);
                for (int c = 0; c < 3; c++)
                    rest[c] = dd[1][c] - carried[c];
                cross3(d[0], d[1], across);
                double spin = dot3(rest, across) / dot3(across, across);
                for (int c = 0; c < 3; c++)
                    omega[c] += spin * d[0][c];
            }
        }
        memcpy(pose->angular_velocity, omega, sizeof omega);
    }
}

/* ---- marks from poses */

void bl_pose_mark(const bl_eval *e, const bl_mark *mark, double *at, double *rate) {
    const bl_mech_work *w = e->own;
    const bl_pose *pose = &e->pose[mark->body];
    double s[3];
    if (!mark->is_vector && bl_mesh_of(w->m, mark->body)) {
        bl_mesh_mark_now(w, mark, at, rate);
        return;
    }
    for (int i = 0; i < 3; i++)
        s[i] = dot3(w->rotation[mark->body][i], mark->s);
    cross3(pose->angular_velocity, s, rate);
    for (int i = 0; i < 3; i++) {
        at[i] = s[i] + (mark->is_vector ? 0 : pose->position[i]);
        rate[i] += mark->is_vector ? 0 : pose->velocity[i];
    }
}

void bl_pose_marks(const bl_eval *e, const bl_prim *prim, bl_prim_motion *at) {
    for (int m = 0, n = bl_prim_marks(prim); m < n; m++)
        bl_pose_mark(e, &prim->mark[m], at->mark[m].r, at->mark[m].rate);
}

void bl_pose_read(const bl_eval *e, const bl_prim *prim, int part, bl_prim_motion *at, bl_prim_reading *reading) {
    bl_pose_marks(e, prim, at);
    at->turning[0] = e->pose[prim->a.body].angular_velocity;
    at->turning[1] = e->pose[prim->b.body].angular_velocity;
    bl_prim_read(prim, part, at, reading);
}

void bl_gauges_geometry(const bl_system *sys, bl_eval *e) {
    const bl_mechanism *m = bl_mech(sys);
    bl_prim_motion at = {0};
    for (bl_index i = 0; i < m->model->nvariable; i++) {
        const bl_gauge *g = &m->gauge[i];
        bl_prim_reading reading;
        bl_pose_read(e, g->prim, g->part, &at, &reading);
        bool turns = m->model->variable[i].is_angle && last_variable(e);
        e->variable[i] = turns ? bl_nearest_turn(reading.value, last_variable(e)[i]) : reading.value;
        e->variable_rate[i] = reading.rate;
    }
}

void bl_gauges(const bl_system *sys, bl_eval *e) {
    const bl_mechanism *m = bl_mech(sys);
    const bl_mech_work *w = e->own;
    bl_gauges_geometry(sys, e);
    for (bl_index i = 0; i < m->model->nvariable; i++)
        if (m->gauge[i].entry >= 0) {
            e->variable[i] = w->x[m->gauge[i].entry];
            e->variable_rate[i] = w->xd[m->gauge[i].entry];
        }
}

bl_status bl_probes_events(const bl_system *sys, bl_eval *e, uint32_t want) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_work *w = e->own;
    for (bl_index i = 0; (want & BL_PROBES) && i < m->model->nprobe; i++)
        bl_pose_mark(e, &m->model->probe[i].mark, e->probe + 3 * i, e->probe_rate + 3 * i);
    const bl_instant now = {.t = e->t,
                            .variable = e->variable,
                            .rate = e->variable_rate,
                            .probe = e->probe,
                            .probe_rate = e->probe_rate,
                            .signal = (want & BL_EVENTS) && m->model->nstop ? bl_signal_law_values(m, e) : NULL};
    for (bl_index i = 0; (want & BL_EVENTS) && i < m->model->nstop; i++) {
        const bl_law *law = &m->model->law[m->model->stop[i].law];
        bl_law_read(m->model, law, &now, w->tape_in);
        bl_tape_eval(law->tape, w->tape_in, &e->event[i], w->tape_work);
    }
    if (want & BL_EVENTS)
        bl_law_pieces_events(m, e);
    return BL_OK;
}

/* ---- data kept between steps */

/* Upper bound of the rotation of a body between the coordinates `last` and `now`, or, if `last` is NULL, of its angular velocity for
 * rates `now`: R is the sum of d_k dual_k^T over the directions d_k of the body, so the norm of its change is at most the sum of |change
 * of d_k| |dual_k|, and sqrt(2) times the angular velocity where they span space. In the plane the first direction is enough. */
static double body_change(const bl_mechanism *m, bl_index body, const double *last, const double *now) {
    const bl_basis *basis = &m->basis[body];
    double change[3] = {0, 0, 0}, sum = 0;
    bl_index n = m->dim == 2 && basis->n ? 1 : basis->n;
    if (bl_mesh_of(m, body))
        return bl_mesh_change(m, body, last, now);
    for (bl_index k = 0; k < n; k++) {
        if (basis->seat[k] < 0) {
            change[k] = change[basis->cross_of[k]];
        } else {
            const bl_entity *tip = &m->entity[m->seat[basis->seat[k]].entity], *origin = &m->entity[m->seat[basis->origin].entity];
            double moved[3] = {0, 0, 0};
            for (int c = 0; c < m->dim; c++) { /* fixed entries do not move */
                moved[c] = tip->fixed ? 0 : now[tip->base + c] - (last ? last[tip->base + c] : 0);
                if (!tip->is_vector && !origin->fixed)
                    moved[c] -= now[origin->base + c] - (last ? last[origin->base + c] : 0);
            }
            change[k] = sqrt(dot3(moved, moved));
        }
        sum += change[k] * sqrt(dot3(basis->dual[k], basis->dual[k]));
    }
    return n == 3 ? sqrt(0.5) * sum : sum;
}

/* Three successive angles may change by any amount while the bodies hardly rotate. */
static bool angles_jump(const bl_mechanism *m) {
    for (bl_index i = 0; i < m->model->nvariable; i++)
        if (m->gauge[i].prim->what == BL_ANGLES)
            return true;
    return false;
}

/* an angle depends on at most two bodies */
double bl_mech_turning(const bl_system *sys, bl_eval *e) {
    const bl_mechanism *m = bl_mech(sys);
    double most = 0, next = 0;
    if (angles_jump(m))
        return INFINITY;
    for (bl_index b = 1; b < m->model->nbody; b++) {
        double rate = body_change(m, b, NULL, e->v);
        next = fmax(next, fmin(rate, most));
        most = fmax(most, rate);
    }
    return most + next;
}

bool bl_mech_has_turned(const bl_system *sys, const bl_state *state) {
    const bl_mechanism *m = bl_mech(sys);
    const double *last = (const double *)(const void *)state->history + m->model->nvariable + 4 * m->model->nbody;
    bool count = angles_jump(m);
    for (bl_index b = 1; b < m->model->nbody && !count; b++)
        count = !(body_change(m, b, last, state->q) < coords_turn_seen);
    return count;
}

/* Revolutions of angles and signs of quaternions are those nearest to the last counted values: called at every accepted step, counts
 * when some body has rotated far enough since. History: variables, quaternions, coordinates of the last count. */
bl_status bl_mech_accept(const bl_system *sys, bl_eval *e, bl_state *state) {
    const bl_mechanism *m = bl_mech(sys);
    double *history = (double *)(void *)state->history, *last = history + m->model->nvariable + 4 * m->model->nbody;
    if (e->unseen || !bl_mech_has_turned(sys, state))
        return BL_OK;
    BL_TRY(bl_system_eval(sys, e, BL_POSE | BL_VARIABLES));
    memcpy(history, e->variable, (size_t)m->model->nvariable * sizeof(double));
    for (bl_index b = 0; b < m->model->nbody; b++)
        memcpy(history + m->model->nvariable + 4 * b, e->pose[b].quaternion, 4 * sizeof(double));
    memcpy(last, state->q, (size_t)m->nfree * sizeof(double));
    return BL_OK;
}
