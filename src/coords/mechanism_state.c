/* The state of a mechanism for given positions and velocities of its bodies: points and vectors follow from the body that owns them. */
#include "base/vector3.h"
#include "coords/mechanism.h"

#include <math.h>
#include <string.h>

void bl_pose_axes(const bl_pose *pose, double R[9]) {
    double w = pose->quaternion[0], x = pose->quaternion[1], y = pose->quaternion[2], z = pose->quaternion[3];
    double now[9] = {1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 2 * (x * y - w * z),    1 - 2 * (x * x + z * z),
                     2 * (y * z + w * x),     2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)};
    memcpy(R, now, sizeof now);
}

static void rotate(const double R[9], const double s[3], double out[3]) {
    for (int c = 0; c < 3; c++)
        out[c] = R[c] * s[0] + R[3 + c] * s[1] + R[6 + c] * s[2];
}

/* seats of a body: positions or velocities of their entities. Entities are set by their first seat. */
static void set_entities(const bl_mechanism *m, const bl_pose *poses, const uint8_t *chosen, bool moving, double *x) {
    for (bl_index i = m->nseat - 1; i >= 0; i--) {
        const bl_seat *seat = &m->seat[i];
        const bl_entity *e = &m->entity[seat->entity];
        if (e->fixed || seat->body == 0 || (chosen && !chosen[seat->body]))
            continue;
        const bl_pose *pose = &poses[seat->body];
        double R[9], s[3], v[3];
        bl_pose_axes(pose, R);
        rotate(R, seat->s, s);
        cross3(pose->angular_velocity, s, v);
        for (int c = 0; c < m->dim; c++)
            x[e->base + c] = moving ? v[c] + (e->is_vector ? 0 : pose->velocity[c]) : s[c] + (e->is_vector ? 0 : pose->position[c]);
    }
}

bl_status bl_mech_set_positions(const bl_system *sys, const bl_body_states *at, bl_state *state) {
    const bl_mechanism *m = bl_mech(sys);
    double *history = (double *)(void *)state->history;
    BL_TRY(m->coords->initial(sys, state));
    set_entities(m, at->pose, NULL, false, state->q);
    for (bl_index v = 0; v < sys->nvariable; v++) {
        if (m->gauge[v].entry >= 0)
            state->q[m->gauge[v].entry] = at->variable[v];
        history[v] = at->variable[v];
    }
    for (bl_index b = 0; b < sys->nbody; b++)
        memcpy(history + sys->nvariable + 4 * b, at->pose[b].quaternion, 4 * sizeof(double));
    memcpy(history + sys->nvariable + 4 * sys->nbody, state->q, (size_t)m->nfree * sizeof(double));
    return BL_OK;
}

bl_status bl_mech_measure(const bl_system *sys, const bl_state *state, bl_eval *e) {
    BL_TRY(bl_eval_create(sys, BL_SEEN, e));
    bl_eval_at(e, state);
    BL_TRY(bl_mech_eval(sys, e, BL_POSE));
    bl_gauges_geometry(sys, e);
    return BL_OK;
}

/* rates of variables that are coordinates follow from the geometry */
bl_status bl_mech_set_velocities(const bl_system *sys, const bl_body_states *at, bl_state *state) {
    const bl_mechanism *m = bl_mech(sys);
    bl_eval e = {0};
    memset(state->v, 0, (size_t)m->nfree * sizeof(double));
    set_entities(m, at->pose, NULL, true, state->v);
    bl_status status = bl_mech_measure(sys, state, &e);
    if (status == BL_OK) {
        for (bl_index v = 0; v < sys->nvariable; v++)
            if (m->gauge[v].entry >= 0)
                state->v[m->gauge[v].entry] = e.variable_rate[v];
    }
    bl_eval_destroy(sys, &e);
    return status;
}

/* points and vectors that a chosen body shares with another one follow from both */
bl_index bl_mech_can_write(const bl_system *sys, const uint8_t *chosen) {
    const bl_mechanism *m = bl_mech(sys);
    for (bl_index i = 0; i < m->nseat; i++) {
        const bl_seat *seat = &m->seat[i], *mate = seat->mate >= 0 ? &m->seat[seat->mate] : seat;
        if (mate->body != seat->body && (chosen[seat->body] || chosen[mate->body]))
            return chosen[seat->body] ? seat->body : mate->body;
    }
    return -1;
}

void bl_mech_write(const bl_system *sys, const uint8_t *chosen, const bl_pose *pose, const double *angle, double *q, double *v) {
    (void)angle;
    set_entities(bl_mech(sys), pose, chosen, false, q);
    set_entities(bl_mech(sys), pose, chosen, true, v);
}
