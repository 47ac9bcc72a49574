/* Coordinates of bodies that rotate, for charts about a motion (linearize.h). In axes d_k that turn with one of them, the carrier C,
 * positions r and small rotations of the bodies that rotate as C does are constant in a steady motion. With b_k directions of such a body
 * that were d_k where the chart was chosen, e the axis of the rotation and O a point of it:
 *
 *     d_k . (r - r_C),     (d_j . b_i - d_i . b_j) / 2,     and of C itself  d_k . (r_C - O),  d_k . e,  the angle about e.
 *
 * In fixed axes the direction d of a body along its angular velocity is constant, and so are differences of angles about these. With u, w
 * perpendicular to d the rate of such an angle is (w . u' - u . w') / 2. */
#include "base/vector3.h"
#include "coords/coords.h"
#include "study/linear_limits.h"
#include "study/linearize.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* ---- which bodies rotate together */

static bool together(const double *w, const double *of, double slow) {
    return fabs(w[0] - of[0]) <= slow && fabs(w[1] - of[1]) <= slow && fabs(w[2] - of[2]) <= slow;
}

/* mark[3] <- the directions of a body that are g[3] now */
static void fix(const bl_pose *pose, bl_index body, const double g[3][3], bl_mark mark[3]) {
    const double *q = pose[body].quaternion, back[4] = {q[0], -q[1], -q[2], -q[3]};
    for (int k = 0; k < 3; k++) {
        mark[k] = (bl_mark){.body = body, .is_vector = true};
        turn3(back, g[k], mark[k].s);
    }
}

/* the first one, meshes last: their poses are means over their nodes */
static bl_index carrier_of(const bl_linearize *l, const bl_pose *pose, bl_index body) {
    const double *w = pose[body].angular_velocity, slow = study_chart_together * norm3(w);
    for (bl_index b = 1; b < l->sys->nbody; b++)
        if (b != body && l->carried[b].by == b && together(w, pose[b].angular_velocity, slow))
            return b;
    return body;
}

/* g[0] = axis, g[1] and g[2] perpendicular to it */
static void along_axis(const double *axis, double g[3][3]) {
    memcpy(g[0], axis, sizeof g[0]);
    perpendicular3(g[0], g[1]);
    double length = norm3(g[1]);
    for (int k = 0; k < 3; k++)
        g[1][k] /= length;
    cross3(g[0], g[1], g[2]);
}

static void begin(bl_linearize *l, const bl_pose *pose, bl_index body) {
    static const double global[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double *w = pose[body].angular_velocity, *v = pose[body].velocity;
    double size = norm3(w), along[3][3], arm[3];
    bl_carried *c = &l->carried[body];
    bl_index by = carrier_of(l, pose, body);
    *c = l->carried[by];
    c->by = by;
    cross3(w, v, arm);
    for (int k = 0; k < 3 && by == body; k++) {
        c->axis[k] = w[k] / size;
        c->center[k] = pose[body].position[k] + arm[k] / (size * size);
    }
    along_axis(c->axis, along);
    fix(pose, body, global, c->axes);
    fix(pose, body, along, c->spin);
    c->orbits = norm3(arm) > study_chart_together * size * size * l->kkt->scale[0];
}

bl_status bl_linearize_carry(bl_linearize *l) {
    const bl_pose *pose = l->beside.pose;
    double fastest = 0;
    bl_index nbody = l->sys->nbody;
    if (!l->carried)
        BL_TRY(BL_NEW(l->ctx, l->carried, nbody));
    memset(l->carried, 0, (size_t)nbody * sizeof *l->carried);
    l->rotates = false;
    for (bl_index b = 1; b < nbody; b++)
        fastest = fmax(fastest, norm3(pose[b].angular_velocity));
    for (int meshes = 0; meshes < 2 && !l->rest; meshes++)
        for (bl_index b = 1; b < nbody; b++)
            if ((l->model->body[b].what == BL_BODY_MESH) == (meshes == 1) &&
                norm3(pose[b].angular_velocity) > study_chart_turning * fastest) {
                begin(l, pose, b);
                l->rotates = true;
            }
    return BL_OK;
}

/* ---- points of meshes: columns that are no coordinates of a body */

/* the columns of its three components and the places of these in q; -1: there is none */
static void point_of(const bl_linearize *l, bl_index column, bl_index col[3], bl_index q[3]) {
    const bl_col *all = l->sys->col;
    for (int k = 0; k < 3; k++)
        col[k] = q[k] = -1;
    for (bl_index j = column - 2 < 0 ? 0 : column - 2; j < l->n && j <= column + 2; j++)
        if (all[j].bundle == all[column].bundle && all[j].part < 3) {
            col[all[j].part] = j;
            q[all[j].part] = bl_coords_place(l->sys, j);
        }
}

static void point_now(const bl_linearize *l, bl_index column, const bl_eval *e, const double *v, double r[3], double rate[3]) {
    bl_index col[3], q[3];
    point_of(l, column, col, q);
    for (int k = 0; k < 3; k++) {
        r[k] = q[k] >= 0 ? e->q[q[k]] : 0;
        rate[k] = col[k] >= 0 ? v[col[k]] : 0;
    }
}

bl_index bl_linearize_carrier_of_point(const bl_linearize *l, bl_index column) {
    const bl_pose *pose = l->beside.pose;
    double r[3], v[3], arm[3], carried[3];
    bl_index col[3], q[3];
    if (l->sys->col[column].what != BL_COL_POINT || l->sys->col[column].part != 0)
        return 0;
    point_of(l, column, col, q);
    for (int k = 0; k < l->model->dim; k++)
        if (col[k] < 0 || q[k] < 0)
            return 0;
    point_now(l, column, &l->beside, l->state.v, r, v);
    for (bl_index b = 1; b < l->sys->nbody; b++) {
        if (l->carried[b].by != b)
            continue;
        for (int k = 0; k < 3; k++)
            arm[k] = r[k] - pose[b].position[k];
        cross3(pose[b].angular_velocity, arm, carried);
        for (int k = 0; k < 3; k++)
            carried[k] += pose[b].velocity[k] - v[k];
        if (norm3(carried) <= study_chart_together * norm3(pose[b].angular_velocity) * fmax(norm3(arm), l->kkt->scale[column]))
            return b;
    }
    return 0;
}

/* ---- values and rates */

typedef struct moving {
    double at[3], rate[3];
} moving;

static moving direction(const bl_linearize *l, const bl_eval *e, const bl_mark *mark) {
    moving d;
    bl_coords_mark(l->sys, e, mark, d.at, d.rate);
    return d;
}

/* a . b and its rate */
static double product(const moving *a, const moving *b, double *rate) {
    *rate = dot3(a->rate, b->at) + dot3(a->at, b->rate);
    return dot3(a->at, b->at);
}

/* (d_j . b_i - d_i . b_j) / 2, (i, j, part) cyclic: the small rotation of b about d_part is positive */
static double turn(const bl_linearize *l, const bl_eval *e, const bl_mark *d, const bl_mark *b, int part, double *rate) {
    int i = (part + 1) % 3, j = (part + 2) % 3;
    moving di = direction(l, e, &d[i]), dj = direction(l, e, &d[j]), bi = direction(l, e, &b[i]), bj = direction(l, e, &b[j]);
    double one, other, value = (product(&dj, &bi, &one) - product(&di, &bj, &other)) / 2;
    *rate = (one - other) / 2;
    return value;
}

static double spin(const bl_linearize *l, const bl_eval *e, bl_index body) {
    moving u = direction(l, e, &l->carried[body].spin[1]), w = direction(l, e, &l->carried[body].spin[2]);
    return (dot3(w.at, u.rate) - dot3(u.at, w.rate)) / 2;
}

/* from the carrier (of itself: from the center of its rotation) */
static moving arm_of(const bl_linearize *l, const bl_chart_item *item, const bl_eval *e, const double *v) {
    const bl_carried *c = &l->carried[item->carrier];
    bool point = item->what == BL_CHART_CARRIED_POINT, own = !point && item->ref == item->carrier;
    const bl_pose *by = &e->pose[item->carrier];
    moving arm;
    if (point)
        point_now(l, item->ref, e, v, arm.at, arm.rate);
    for (int k = 0; k < 3; k++) {
        arm.at[k] = (point ? arm.at[k] : e->pose[item->ref].position[k]) - (own ? c->center[k] : by->position[k]);
        arm.rate[k] = (point ? arm.rate[k] : e->pose[item->ref].velocity[k]) - (own ? 0 : by->velocity[k]);
    }
    return arm;
}

/* angle of a body about its axis d, after the smallest rotation of d to the axis e: u -> u - (d + e) (u . e) / (1 + d . e) */
static double angle_about(const bl_linearize *l, bl_index body, const bl_eval *e) {
    const bl_carried *c = &l->carried[body];
    moving d = direction(l, e, &c->spin[0]), u = direction(l, e, &c->spin[1]);
    double g[3][3], by;
    along_axis(c->axis, g);
    by = dot3(u.at, c->axis) / (1 + dot3(d.at, c->axis));
    for (int k = 0; k < 3; k++)
        u.at[k] -= by * (d.at[k] + c->axis[k]);
    return atan2(dot3(u.at, g[2]), dot3(u.at, g[1]));
}

static double spin_value(const bl_linearize *l, const bl_chart_item *item, const bl_eval *e) {
    bool own = item->ref == item->carrier;
    return own ? 0 : remainder(angle_about(l, item->ref, e) - angle_about(l, item->carrier, e), 2 * PI);
}

static double look(const bl_linearize *l, const bl_chart_item *item, const bl_eval *e, const double *v, double *rate) {
    const bl_carried *c = &l->carried[item->carrier];
    moving d, other = {0};
    switch (item->what) {
    case BL_CHART_TILT:
        d = direction(l, e, &l->carried[item->ref].spin[0]);
        *rate = d.rate[item->part];
        return d.at[item->part];
    case BL_CHART_SPIN:
        *rate = spin(l, e, item->ref) - (item->ref == item->carrier ? 0 : spin(l, e, item->carrier));
        return spin_value(l, item, e);
    case BL_CHART_CARRIED_TURN: return turn(l, e, c->axes, l->carried[item->ref].axes, item->part, rate);
    case BL_CHART_AXIS: memcpy(other.at, c->axis, sizeof other.at); break;
    default: other = arm_of(l, item, e, v);
    }
    d = direction(l, e, &c->axes[item->part]);
    return product(&d, &other, rate);
}

bool bl_linearize_rotates(const bl_chart_item *item) {
    switch (item->what) {
    case BL_CHART_TILT:
    case BL_CHART_SPIN:
    case BL_CHART_CARRIED:
    case BL_CHART_CARRIED_TURN:
    case BL_CHART_CARRIED_POINT:
    case BL_CHART_AXIS: return true;
    default: return false;
    }
}

double bl_linearize_carried_rate(const bl_linearize *l, const bl_chart_item *item, const bl_eval *e, const double *v) {
    double rate;
    look(l, item, e, v, &rate);
    return rate;
}

double bl_linearize_carried_value(const bl_linearize *l, const bl_chart_item *item, const bl_eval *e) {
    double rate;
    return look(l, item, e, l->state.v, &rate);
}
