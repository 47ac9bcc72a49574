/* Motion of free bodies between contacts. Orientations turn by the exponential of a rotation vector; the state is the angular momentum in
 * global axes, which free motion does not change. In each half step the angular velocity is that of its middle, to first order:
 * omega' = -T (omega x L) with the inverse inertia T in space. */
#include "stepping/stepping_private.h"

#include "base/vector3.h"

#include <string.h>

/* of the size of a shape: gaps up to it count even where bodies are slow, because impacts can set them in motion in the same step */
static const double near_share = 0.05;

void bl_stepping_turn(double q[4], const double x[3]) {
    double square = 0.25 * dot3(x, x), cosine, sine; /* of half the angle; sine / angle */
    if (square < 1e-3) {
        sine = 0.5 * (1 - square / 6 * (1 - square / 20 * (1 - square / 42)));
        cosine = 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56)));
    } else {
        double angle = sqrt(square);
        sine = 0.5 * sin(angle) / angle;
        cosine = cos(angle);
    }
    const double u[3] = {sine * x[0], sine * x[1], sine * x[2]}, w = q[0];
    double across[3];
    cross3(u, q + 1, across);
    q[0] = cosine * w - dot3(u, q + 1);
    for (int k = 0; k < 3; k++)
        q[1 + k] = cosine * q[1 + k] + w * u[k] + across[k];
    double length = q[0] * q[0] + dot3(q + 1, q + 1), by = 1.5 - 0.5 * length; /* one step of Newton's method: length is nearly 1 */
    for (int k = 0; k < 4; k++)
        q[k] *= by;
}

void bl_stepping_axes(const double q[4], double e[9]) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    e[0] = 1 - 2 * (y * y + z * z), e[1] = 2 * (x * y + w * z), e[2] = 2 * (x * z - w * y);
    e[3] = 2 * (x * y - w * z), e[4] = 1 - 2 * (x * x + z * z), e[5] = 2 * (y * z + w * x);
    e[6] = 2 * (x * z + w * y), e[7] = 2 * (y * z - w * x), e[8] = 1 - 2 * (x * x + y * y);
}

/* sum_kl e_k J_kl e_l^T */
void bl_stepping_tensor(const bl_stepping *s, bl_index i, const double e[9], double t[6]) {
    const double *J = s->inverse[i];
    double f[9]; /* f_k = sum_l J_kl e_l */
    for (int k = 0; k < 3; k++) {
        f[k] = J[0] * e[k] + J[3] * e[3 + k] + J[4] * e[6 + k];
        f[3 + k] = J[3] * e[k] + J[1] * e[3 + k] + J[5] * e[6 + k];
        f[6 + k] = J[4] * e[k] + J[5] * e[3 + k] + J[2] * e[6 + k];
    }
    static const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
    for (int m = 0; m < 6; m++)
        t[m] = e[row[m]] * f[col[m]] + e[3 + row[m]] * f[3 + col[m]] + e[6 + row[m]] * f[6 + col[m]];
}

void bl_stepping_spin_of(const double t[6], const double L[3], double w[3]) {
    w[0] = t[0] * L[0] + t[3] * L[1] + t[4] * L[2];
    w[1] = t[3] * L[0] + t[1] * L[1] + t[5] * L[2];
    w[2] = t[4] * L[0] + t[5] * L[1] + t[2] * L[2];
}

/* rotation vector of free motion during h with angular velocity w and momentum L at its start */
static void free_turn(const double tensor[6], const double w[3], const double L[3], double h, double x[3]) {
    double across[3], rate[3];
    cross3(w, L, across);
    bl_stepping_spin_of(tensor, across, rate);
    for (int k = 0; k < 3; k++)
        x[k] = h * (w[k] - 0.5 * h * rate[k]);
}

/* a ball: its inertia is the same about all axes */
static void ball_to_middle(bl_stepping *s, bl_index i, double h, const double add_v[3]) {
    bl_cone_body *b = s->body + i;
    const double half = 0.5 * h, *w = s->w[i];
    bl_stepping_turn(s->turn[i], (const double[3]){half * w[0], half * w[1], half * w[2]});
    for (int k = 0; k < 3; k++) {
        s->at[i][k] += half * s->v[i][k];
        s->before[i][k] = w[k];
        s->v[i][k] += add_v[k];
        s->spin[i][k] += h * s->moment[i][k];
        b->v[k] = s->v[i][k];
        b->w[k] = b->by_inertia * s->spin[i][k];
    }
}

static void body_to_middle(bl_stepping *s, bl_index i, double h, const double add_v[3]) {
    bl_cone_body *b = s->body + i;
    double x[3];
    free_turn(b->tensor, s->w[i], s->spin[i], 0.5 * h, x); /* the tensor of the end of the last step */
    bl_stepping_turn(s->turn[i], x);
    bl_stepping_axes(s->turn[i], s->frame[i].axes);
    bl_stepping_tensor(s, i, s->frame[i].axes, b->tensor);
    bl_stepping_spin_of(b->tensor, s->spin[i], s->before[i]);
    for (int k = 0; k < 3; k++) {
        s->at[i][k] += 0.5 * h * s->v[i][k];
        s->v[i][k] += add_v[k];
        s->spin[i][k] += h * s->moment[i][k];
        b->v[k] = s->v[i][k];
    }
    bl_stepping_spin_of(b->tensor, s->spin[i], b->w);
}

static void given_to_middle(bl_stepping *s, bl_index i, double h) {
    bl_cone_body *b = s->body + i;
    const double half = 0.5 * h, *w = s->w[i];
    bl_stepping_turn(s->turn[i], (const double[3]){half * w[0], half * w[1], half * w[2]});
    bl_stepping_axes(s->turn[i], s->frame[i].axes);
    for (int k = 0; k < 3; k++) {
        s->at[i][k] += half * s->v[i][k];
        b->v[k] = s->old[i][k] = s->v[i][k];
        b->w[k] = s->before[i][k] = w[k];
    }
}

void bl_stepping_to_middle(bl_stepping *s, double h) {
    for (bl_index i = 0; i < s->scene.nbody; i++) {
        bl_cone_body *b = s->body + i;
        if (s->joined[i])
            continue;
        if (b->by_mass == 0) {
            given_to_middle(s, i, h);
        } else {
            double add_v[3];
            memcpy(s->old[i], s->v[i], sizeof s->v[i]);
            for (int k = 0; k < 3; k++)
                add_v[k] = h * (s->scene.gravity[k] + b->by_mass * s->force[i][k]);
            if (s->round[i] > 0)
                ball_to_middle(s, i, h, add_v);
            else
                body_to_middle(s, i, h, add_v);
        }
        memcpy(s->frame[i].at, s->at[i], sizeof s->at[i]);
    }
}

void bl_stepping_join(bl_stepping *s, bl_index i, const double at[3], const double turn[4], const double before[6], const double after[6]) {
    bl_cone_body *b = s->body + i;
    memcpy(s->at[i], at, sizeof s->at[i]);
    memcpy(s->frame[i].at, at, sizeof s->at[i]);
    memcpy(s->turn[i], turn, sizeof s->turn[i]);
    bl_stepping_axes(turn, s->frame[i].axes);
    memcpy(s->old[i], before, sizeof s->old[i]);
    memcpy(s->before[i], before + 3, sizeof s->before[i]);
    memcpy(b->v, after, sizeof b->v);
    memcpy(b->w, after + 3, sizeof b->w);
}

void bl_stepping_place_shapes(bl_stepping *s, double h) {
    for (bl_index j = 0; j < s->scene.nshape; j++) {
        const bl_contact_shape *shape = s->scene.shape + j;
        bl_index i = shape->body;
        const bl_cone_body *b = s->body + i;
        if (s->ball[j]) { /* axes do not matter */
            memcpy(s->solid[j].frame.at, s->at[i], sizeof s->at[i]);
            s->margin[j] = fmax(near_share * s->size[j], 0.5 * h * norm3(b->v));
            continue;
        }
        if (s->round[i] > 0)
            bl_stepping_axes(s->turn[i], s->frame[i].axes);
        bl_contact_place(s->frame + i, &shape->frame, &s->solid[j].frame);
        if (shape->what == BL_CONTACT_PLANE)
            s->margin[j] = 0.5 * h * norm3(b->v);
        else
            s->margin[j] = fmax(near_share * s->size[j], 0.5 * h * (norm3(b->v) + norm3(b->w) * s->reach[j]));
    }
}

/* Velocities of the last sweep carry the rounding of all changes: they are made again from the impulses, so that momentum is exact. */
static void take_impulses(bl_stepping *s, bl_index i) {
    bl_cone_body *b = s->body + i;
    if (b->by_mass == 0)
        return;
    for (int k = 0; k < 3; k++) {
        b->v[k] = s->v[i][k] + b->by_mass * s->push[i][k];
        s->spin[i][k] += s->push[i][3 + k];
        b->w[k] = b->by_inertia * s->spin[i][k];
    }
    if (!(s->round[i] > 0))
        bl_stepping_spin_of(b->tensor, s->spin[i], b->w);
}

void bl_stepping_to_end(bl_stepping *s, double h) {
    const double half = 0.5 * h;
    for (bl_index i = 0; i < s->scene.nbody; i++) {
        bl_cone_body *b = s->body + i;
        double x[3];
        if (s->joined[i])
            continue;
        take_impulses(s, i);
        if (b->by_mass > 0 && !(s->round[i] > 0))
            free_turn(b->tensor, b->w, s->spin[i], half, x);
        else
            for (int k = 0; k < 3; k++)
                x[k] = half * b->w[k];
        bl_stepping_turn(s->turn[i], x);
        for (int k = 0; k < 3; k++) {
            s->v[i][k] = b->v[k];
            s->w[i][k] = b->w[k];
            s->at[i][k] += half * b->v[k];
        }
        if (b->by_mass == 0 || s->round[i] > 0)
            continue;
        bl_stepping_axes(s->turn[i], s->frame[i].axes);
        bl_stepping_tensor(s, i, s->frame[i].axes, b->tensor);
        bl_stepping_spin_of(b->tensor, s->spin[i], s->w[i]);
    }
}
