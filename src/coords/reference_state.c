/* The state of reference coordinates for given positions and velocities of the bodies. Points and vectors come from the mechanism;
 * parameters of an orientation follow from the axes: if C is kept, it takes all of the rotation. */
#include "coords/reference.h"

#include "base/vector3.h"
#include "coords/turn.h"

#include <math.h>
#include <string.h>

static void set_orientation(const bl_reference_system *r, const bl_oriented *b, const bl_body_states *at, bl_state *state) {
    double *o = state->q + b->o_q, R[9];
    const bl_pose *pose = &at->pose[b->body];
    bl_pose_axes(pose, R);
    if (b->kept >= 0) {
        double *kept = (double *)(void *)(state->history + r->on.inner_history) + 9 * b->kept;
        bl_turn_times_matrix(R, b->used->kept, kept);
        return; /* o as at the start */
    }
    switch (bl_orientation_stored(b->kind)) {
    case 1: o[0] = at->angle[b->body]; break;
    case 4: memcpy(o, pose->quaternion, 4 * sizeof *o); break;
    default: memcpy(o, R, sizeof R); break;
    }
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

bl_status bl_reference_set_velocities(const bl_system *sys, const bl_body_states *at, bl_state *state) {
    const bl_reference_system *r = bl_ref(sys);
    BL_TRY(bl_derived_set_velocities(sys, at, state));
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        const double *turning = at->pose[b->body].angular_velocity;
        double R[9], w[3];
        if (b->kind->nspin == 1) {
            state->v[b->o] = turning[2];
            continue;
        }
        bl_pose_axes(&at->pose[b->body], R);
        for (int k = 0; k < 3; k++)
            w[k] = dot3(R + 3 * k, turning);
        if (b->kind->rate) /* the spin is the velocity */
            memcpy(state->v + b->o, w, sizeof w);
        else
            rates_of(b->kind, state->q + b->o_q, w, state->v + b->o);
    }
    return BL_OK;
}
