/* The state of reference coordinates for given positions and velocities of the bodies. Points and vectors come from the mechanism;
 * parameters of an orientation follow from the axes: if C is kept, it takes all of the rotation. */
#include "coords/reference.h"

#include "base/vector3.h"
#include "coords/turn.h"

#include <math.h>
#include <string.h>

/* parameters of a body whose C is constant */
static void write_orientation(const bl_oriented *b, const bl_pose *pose, double angle, double *o) {
    double R[9];
    switch (bl_orientation_stored(b->kind)) {
    case 1: o[0] = angle; break;
    case 4: memcpy(o, pose->quaternion, 4 * sizeof *o); break;
    default: bl_pose_axes(pose, R); memcpy(o, R, sizeof R);
    }
}

static void set_orientation(const bl_reference_system *r, const bl_oriented *b, const bl_body_states *at, bl_state *state) {
    double R[9];
    if (b->kept < 0) {
        write_orientation(b, &at->pose[b->body], at->angle[b->body], state->q + b->o_q);
        return;
    }
    double *kept = (double *)(void *)(state->history + r->on.inner_history) + 9 * b->kept;
    bl_pose_axes(&at->pose[b->body], R);
    bl_turn_times_matrix(R, b->used->kept, kept); /* o as at the start */
}

bl_status bl_reference_set_positions(const bl_system *sys, const bl_body_states *at, bl_state *state) {
    const bl_reference_system *r = bl_ref(sys);
    BL_TRY(r->on.coords->initial(sys, state));
    BL_TRY(bl_derived_set_positions(sys, at, state));
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++)
        set_orientation(r, b, at, state);
    return BL_OK;
}

/* the minimum-norm o' with E o' = w: E^T (E E^T)^-1 w */
static void rates_of(const bl_orientation *kind, const double *o, const double w[3], double *rate) {
    double E[3 * BL_MOST_PARAMETERS], A[3][4];
    int n = kind->n;
    bl_orientation_spin(kind, o, E);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            A[i][j] = 0;
            for (int k = 0; k < n; k++)
                A[i][j] += E[i * n + k] * E[j * n + k];
        }
        A[i][3] = w[i];
    }
    for (int p = 0; p < 3; p++) { /* Gauss-Jordan; E E^T is positive definite */
        for (int j = 3; j >= p; j--)
            A[p][j] /= A[p][p];
        for (int i = 0; i < 3; i++)
            for (int j = 3; i != p && j >= p; j--)
                A[i][j] -= A[i][p] * A[p][j];
    }
    for (int k = 0; k < n; k++)
        rate[k] = E[k] * A[0][3] + E[n + k] * A[1][3] + E[2 * n + k] * A[2][3];
}

static void write_spin(const bl_oriented *b, const bl_pose *pose, const double *q, double *v) {
    const double *turning = pose->angular_velocity;
    double R[9], w[3];
    if (b->kind->nspin == 1) {
        v[b->o] = turning[2];
        return;
    }
    bl_pose_axes(pose, R);
    for (int k = 0; k < 3; k++)
        w[k] = dot3(R + 3 * k, turning);
    if (b->kind->rate) /* the spin is the velocity */
        memcpy(v + b->o, w, sizeof w);
    else
        rates_of(b->kind, q + b->o_q, w, v + b->o);
}

bl_status bl_reference_set_velocities(const bl_system *sys, const bl_body_states *at, bl_state *state) {
    const bl_reference_system *r = bl_ref(sys);
    BL_TRY(bl_derived_set_velocities(sys, at, state));
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++)
        write_spin(b, &at->pose[b->body], state->q, state->v);
    return BL_OK;
}

/* bodies with axes of their own whose rotation is in q alone */
bl_index bl_reference_can_write(const bl_system *sys, const uint8_t *chosen) {
    const bl_reference_system *r = bl_ref(sys);
    const bl_oriented *b = r->body, *end = b + r->nbody;
    for (bl_index i = 1; i < sys->nbody; i++) { /* they are in the order of the model */
        while (b < end && b->body < i)
            b++;
        if (chosen[i] && !(b < end && b->body == i && b->kept < 0))
            return i;
    }
    return -1;
}

void bl_reference_write(const bl_system *sys, const uint8_t *chosen, const bl_pose *pose, const double *angle, double *q, double *v) {
    const bl_reference_system *r = bl_ref(sys);
    int dim = r->on.m->dim;
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        const bl_pose *at = &pose[b->body];
        if (!chosen[b->body])
            continue;
        memcpy(q + b->q, at->position, (size_t)dim * sizeof *q);
        memcpy(v + b->col, at->velocity, (size_t)dim * sizeof *v);
        write_orientation(b, at, angle[b->body], q + b->o_q);
        write_spin(b, at, q, v);
    }
}
