/* The state of a tree for given positions and velocities of the bodies. Axes with variables take their values; C of a spherical joint
 * takes the remaining rotation between the bodies, sliding axes without variables the remaining distance, a revolute axis without
 * variable (in the plane) the remaining angle. */
#include "coords/coords_limits.h"
#include "coords/relative.h"

#include "base/vector3.h"
#include "coords/turn.h"

#include <math.h>
#include <string.h>

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* out = A^T B */
static void transposed_times(const double *A, const double *B, double *out) {
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            out[3 * j + i] = dot3(A + 3 * i, B + 3 * j);
}

/* out = A B^T */
static void times_transposed(const double *A, const double *B, double *out) {
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            out[3 * j + i] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}

static double amount_of(const bl_tree_axis *axis, const double *q) { return axis->sign * (q[axis->col] - axis->zero); }

/* rotation of a link's spherical joint, and of a revolute axis without variable */
static void set_turns(const bl_tree *t, const bl_link *link, const double *rel, double angle, double *q, double *ball) {
    double before[9], after[9], C[9], next[9];
    const bl_tree_axis *ball_axis = NULL, *axis = t->axis + link->first;
    memcpy(before, identity, sizeof before);
    memcpy(after, identity, sizeof after);
    for (const bl_tree_axis *a = axis; a < axis + link->count; a++) {
        if (a->what == BL_BALL)
            ball_axis = a;
        if (a->what != BL_TURN)
            continue;
        if (a->var < 0) /* in the plane, and the only one */
            q[a->col] = a->zero + a->sign * a->axis[2] * angle;
        bl_turn_about(a->axis, amount_of(a, q), C);
        double *side = ball_axis ? after : before;
        bl_turn_times_matrix(side, C, next);
        memcpy(side, next, sizeof next);
    }
    if (!ball_axis)
        return;
    transposed_times(before, rel, next);
    times_transposed(next, after, ball + 9 * ball_axis->ball);
    memset(q + ball_axis->col, 0, 3 * sizeof *q);
}

/* center of the link as its axes give it; u[k]: direction of each sliding axis */
static void link_center(const bl_tree *t, const bl_link *link, const double *q, const double *balls, const double *R, const double *from,
                        double center[3], double (*u)[3]) {
    double Q[9], o[3], C[9], next[9], at[3], moved[3];
    memcpy(Q, R, sizeof Q);
    memcpy(o, from, sizeof o);
    for (bl_index k = 0; k < link->count; k++) {
        const bl_tree_axis *a = &t->axis[link->first + k];
        bl_turn_times(Q, a->axis, u[k]);
        if (a->what == BL_SLIDE) {
            for (int c = 0; c < 3; c++)
                o[c] += amount_of(a, q) * u[k][c];
            continue;
        }
        bl_turn_times(Q, a->at, at);
        if (a->what == BL_BALL)
            memcpy(C, balls + 9 * a->ball, sizeof C);
        else
            bl_turn_about(a->axis, amount_of(a, q), C);
        bl_turn_times_matrix(Q, C, next);
        memcpy(Q, next, sizeof Q);
        bl_turn_times(Q, a->at, moved);
        for (int c = 0; c < 3; c++)
            o[c] += at[c] - moved[c];
    }
    bl_turn_times(Q, link->to_parent, moved);
    for (int c = 0; c < 3; c++)
        center[c] = o[c] + moved[c];
}

static void set_link(const bl_tree *t, const bl_link *link, const bl_body_states *at, double *q, double *balls) {
    static const bl_pose ground = {.quaternion = {1, 0, 0, 0}};
    const bl_pose *child = &at->pose[link->body];
    bl_index parent_body = link->parent < 0 ? 0 : t->link[link->parent].body;
    const bl_pose *parent = link->parent < 0 ? &ground : &at->pose[parent_body];
    double Rp[9], Rc[9], rel[9], center[3], u[BL_MAX_JOINT_DOF][3];
    bl_pose_axes(parent, Rp);
    bl_pose_axes(child, Rc);
    transposed_times(Rp, Rc, rel);
    for (const bl_tree_axis *a = t->axis + link->first; a < t->axis + link->first + link->count; a++)
        if (a->what != BL_BALL)
            q[a->col] = a->var >= 0 ? at->variable[a->var] : a->zero;
    double angle = t->on.m->dim == 2 ? at->angle[link->body] - (link->parent < 0 ? 0 : at->angle[parent_body]) : 0;
    set_turns(t, link, rel, angle, q, balls);
    link_center(t, link, q, balls, Rp, parent->position, center, u);
    for (bl_index k = 0; k < link->count; k++) {
        const bl_tree_axis *a = &t->axis[link->first + k];
        for (int c = 0; c < 3 && a->what == BL_SLIDE && a->var < 0; c++)
            q[a->col] += a->sign * u[k][c] * (child->position[c] - center[c]);
    }
}

bl_status bl_tree_set_positions(const bl_system *sys, const bl_body_states *at, bl_state *state) {
    const bl_tree *t = bl_tree_of(sys);
    BL_TRY(t->on.coords->initial(sys, state));
    BL_TRY(bl_derived_set_positions(sys, at, state));
    double *balls = (double *)(void *)(state->history + t->on.inner_history);
    for (bl_index i = 0; i < t->nlink; i++)
        set_link(t, &t->link[i], at, state->q, balls);
    return BL_OK;
}

/* v with sum S_k v_k = twist of the link relative to its parent, by orthogonalized columns (each twice) */
static void find_rates(double (*S)[6], bl_index n, double length, double twist[6], double *v) {
    double Q[6][6], U[6][6] = {{0}}, y[6];
    for (bl_index k = 0; k < n; k++) {
        for (int c = 0; c < 6; c++)
            Q[k][c] = S[k][c] / (c < 3 ? 1 : length);
        for (int pass = 0; pass < 2; pass++)
            for (bl_index i = 0; i < k; i++) {
                double along = dot3(Q[i], Q[k]) + dot3(Q[i] + 3, Q[k] + 3);
                U[i][k] += along;
                for (int c = 0; c < 6; c++)
                    Q[k][c] -= along * Q[i][c];
            }
        U[k][k] = sqrt(dot3(Q[k], Q[k]) + dot3(Q[k] + 3, Q[k] + 3));
        bool new = U[k][k] > coords_axes_in_line; /* of aligned axes only the first moves */
        for (int c = 0; c < 6; c++)
            Q[k][c] = new ? Q[k][c] / U[k][k] : 0;
        y[k] = 0;
        for (int c = 0; c < 6; c++)
            y[k] += Q[k][c] * twist[c] / (c < 3 ? 1 : length);
        U[k][k] = new ? U[k][k] : 1;
    }
    for (bl_index k = n - 1; k >= 0; k--) {
        v[k] = y[k];
        for (bl_index i = k + 1; i < n; i++)
            v[k] -= U[k][i] * v[i];
        v[k] /= U[k][k];
    }
}

bl_status bl_tree_set_velocities(const bl_system *sys, const bl_body_states *at, bl_state *state) {
    const bl_tree *t = bl_tree_of(sys);
    bl_eval e = {0};
    BL_TRY(bl_derived_set_velocities(sys, at, state));
    bl_status status = bl_eval_create(sys, 0, &e);
    if (status == BL_OK) {
        const bl_tree_work *w = e.own;
        bl_eval_at(&e, state);
        bl_tree_positions(sys, &e);
        for (bl_index i = 0; i < t->nlink; i++) {
            const bl_link *link = &t->link[i];
            static const bl_pose ground = {.quaternion = {1, 0, 0, 0}};
            const bl_pose *child = &at->pose[link->body], *parent = link->parent < 0 ? &ground : &at->pose[t->link[link->parent].body];
            double twist[6], carried[3];
            cross3(parent->angular_velocity, w->now[i].d, carried);
            for (int c = 0; c < 3; c++) {
                twist[c] = child->angular_velocity[c] - parent->angular_velocity[c];
                twist[3 + c] = child->velocity[c] - parent->velocity[c] - carried[c];
            }
            find_rates(w->S + link->col, link->ncol, t->on.m->length, twist, state->v + link->col);
        }
    }
    bl_eval_destroy(sys, &e);
    return status;
}
