/* Bushing: six springs and dampers (in the plane three) between frames of two bodies. With the displacement d of the second point from the
 * first along the axes of the first frame, and the components a of the rotation vector between the frames:
 *
 *     force p - k d - c d',     moment q - K a - C a' as forces on the components of a
 *
 * applied so that their power is that of d' and a' exactly. Potential sum k d^2 / 2 - p d + K a^2 / 2 - q a. Rotations < 180 degrees. */
#include "force/ops.h"
#include "force/rotation_vector.h"

#include "base/vector3.h"
#include "force/force_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const bl_param params[] = {
    {"body_a", BL_P_BODY, 0, 0, NULL, NULL, "first body, whose axes are used (default: ground)"},
    {"body_b", BL_P_BODY, 0, 0, NULL, NULL, "second body (default: ground)"},
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "where it connects the bodies"},
    {"at_b", BL_P_POINT, 0, 0, NULL, "m", "the point on the second body, if different from `at`"},
    {"axis", BL_P_VECTOR, 0, 0, NULL, NULL, "direction of the first axis, fixed in the first body (default: x)"},
    {"reference", BL_P_VECTOR, BL_SPACE_ONLY, 0, NULL, NULL,
     "direction of the second axis (its component perpendicular to the first; default: y, or z if the first axis is y)"},
    {"stiffness", BL_P_NUMBERS, BL_NOT_NEGATIVE, 0, NULL, "N/m", "force per displacement, along each axis or one number for all"},
    {"rotational_stiffness", BL_P_NUMBERS, BL_NOT_NEGATIVE, 0, NULL, "N m/rad",
     "moment per angle, about each axis or one number for all; in the plane one number"},
    {"damping", BL_P_NUMBERS, BL_NOT_NEGATIVE, 0, NULL, "N s/m", "force per velocity, along each axis or one number for all"},
    {"rotational_damping", BL_P_NUMBERS, BL_NOT_NEGATIVE, 0, NULL, "N m s/rad",
     "moment per angular velocity, about each axis or one number for all; in the plane one number"},
    {"preload", BL_P_NUMBERS, 0, 0, NULL, "N", "force on the second body without displacement, along each axis"},
    {"rotational_preload", BL_P_NUMBERS, 0, 0, NULL, "N m", "moment on the second body without rotation, about each axis"},
    {0},
};
enum {
    BODY_A,
    BODY_B,
    AT,
    AT_B,
    AXIS,
    REFERENCE,
    STIFFNESS,
    ROTATIONAL_STIFFNESS,
    DAMPING,
    ROTATIONAL_DAMPING,
    PRELOAD,
    ROTATIONAL_PRELOAD
};

/* one number for each of n directions; a single number counts for all, unless each must be given (preloads) */
static bl_status spread(const bl_record *r, int which, int n, bool each, double out[3]) {
    const bl_value *value = &r->def->value[which];
    int count = value->given ? (int)value->number : 0;
    out[0] = out[1] = out[2] = 0;
    if (count > 0 && count != n && (each || count != 1)) {
        char what[96];
        snprintf(what, sizeof what, "%s needs %d number%s%s, found %d", params[which].name, n, n == 1 ? "" : "s",
                 each || n == 1 ? "" : ", or one", count);
        return bl_record_refuse(r, value, what, n == 1 ? "in the plane there is one rotation" : "give one number for each axis");
    }
    for (int k = 0; k < n && count > 0; k++)
        out[k] = value->vector[count == 1 ? 0 : k];
    return BL_OK;
}

/* axes of the frame, global in the given configuration, as rows; in the plane the third is z */
static bl_status read_axes(const bl_record *r, double axes[3][3]) {
    const bl_value *value = r->def->value;
    double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3];
    if (value[AXIS].given)
        memcpy(x, value[AXIS].vector, sizeof x);
    if (r->model->dim == 2) {
        y[0] = -x[1];
        y[1] = x[0];
    } else if (value[REFERENCE].given) {
        memcpy(y, value[REFERENCE].vector, sizeof y);
    } else if (fabs(x[1]) > 0.9) {
        y[1] = 0;
        y[2] = 1;
    }
    cross3(x, y, z);
    double size = sqrt(dot3(z, z));
    if (!(size > force_reference_across))
        return bl_record_refuse(r, &value[REFERENCE], "the reference is parallel to the axis", "choose a reference across the axis");
    for (int k = 0; k < 3; k++)
        z[k] /= size;
    cross3(z, x, y);
    memcpy(axes[0], x, sizeof x);
    memcpy(axes[1], y, sizeof y);
    memcpy(axes[2], z, sizeof z);
    return BL_OK;
}

/* axes fixed in a body: components and rates as nodes */
static void record_axes(bl_record *r, bl_index body, const double axes[3][3], bl_index u[3][3], bl_index ud[3][3]) {
    for (int i = 0; i < 3; i++) {
        if (r->model->dim == 2 && i == 2) {
            u[2][0] = u[2][1] = ud[2][0] = ud[2][1] = ud[2][2] = bl_node(r, 0);
            u[2][2] = bl_node(r, 1);
            continue;
        }
        bl_index mark = bl_record_mark(r, bl_model_mark_vector(r->model, body, axes[i]));
        bl_record_position(r, mark, u[i]);
        bl_record_velocity(r, mark, ud[i]);
    }
}

/* force p - k x - c x' on one measure; its potential */
static bl_index element(bl_record *r, double k, double c, double p, bl_index x, bl_index xd) {
    bl_index force = bl_node(r, p);
    if (k != 0)
        force = bl_node_sub(r, force, bl_node_scale(r, k, x));
    if (c != 0)
        force = bl_node_sub(r, force, bl_node_scale(r, c, xd));
    if (k != 0 || p != 0)
        bl_record_potential(r, bl_node_mul(r, x, bl_node_sub(r, bl_node_scale(r, 0.5 * k, x), bl_node(r, p))));
    return force;
}

static bl_status bushing_record(bl_record *r) {
    const bl_value *value = r->def->value;
    int dim = r->model->dim, turns = dim == 3 ? 3 : 1;
    bl_index a = bl_value_body(&value[BODY_A]), b = bl_value_body(&value[BODY_B]);
    double axes[3][3], k[3], c[3], p[3], K[3], C[3], q[3];
    if (a == b)
        return bl_record_refuse(r, &value[AT], "both frames are on the same body", "give two different bodies: bodies: [a, b]");
    BL_TRY(read_axes(r, axes));
    BL_TRY(spread(r, STIFFNESS, dim, false, k));
    BL_TRY(spread(r, DAMPING, dim, false, c));
    BL_TRY(spread(r, PRELOAD, dim, true, p));
    BL_TRY(spread(r, ROTATIONAL_STIFFNESS, turns, false, K));
    BL_TRY(spread(r, ROTATIONAL_DAMPING, turns, false, C));
    BL_TRY(spread(r, ROTATIONAL_PRELOAD, turns, true, q));

    bl_index pa[3], pb[3], va[3], vb[3], e[3][3], ed[3][3], f[3][3], fd[3][3], d[3], v[3], wa[3], wb[3], w[3];
    bl_index on_a = bl_record_mark(r, bl_model_mark_point(r->model, a, value[AT].vector));
    bl_index on_b = bl_record_mark(r, bl_model_mark_point(r->model, b, value[AT_B].given ? value[AT_B].vector : value[AT].vector));
    bl_record_position(r, on_a, pa);
    bl_record_position(r, on_b, pb);
    bl_record_velocity(r, on_a, va);
    bl_record_velocity(r, on_b, vb);
    bl_node_sub3(r, pb, pa, d);
    bl_node_sub3(r, vb, va, v);
    record_axes(r, a, axes, e, ed);
    record_axes(r, b, axes, f, fd);

    bl_index force[3], back[3], arm[3], bend[3], moment[3], against[3], rate[3], along[3] = {bl_node(r, 0), bl_node(r, 0), bl_node(r, 0)};
    for (int i = 0; i < dim; i++) {
        bl_index x = bl_node_dot(r, e[i], d), xd = bl_node_add(r, bl_node_dot(r, e[i], v), bl_node_dot(r, ed[i], d));
        along[i] = element(r, k[i], c[i], p[i], x, xd);
    }
    for (int j = 0; j < 3; j++) {
        force[j] = bl_node_mul(r, along[0], e[0][j]);
        for (int i = 1; i < dim; i++)
            force[j] = bl_node_add(r, force[j], bl_node_mul(r, along[i], e[i][j]));
    }
    bl_node_turn turn;
    bl_node_turn_between(r, e, f, &turn);
    bl_node_angular_velocity(r, e, ed, wa);
    bl_node_angular_velocity(r, f, fd, wb);
    bl_node_sub3(r, wb, wa, w);
    bl_node_turn_rate(r, &turn, w, rate);
    for (int i = 0; i < 3; i++) {
        int of = i - (3 - turns); /* in the plane the only rotation is about the third axis */
        bend[i] = of < 0 ? bl_node(r, 0) : element(r, K[of], C[of], q[of], turn.angle[i], rate[i]);
    }
    bl_node_turn_moment(r, &turn, bend, moment);

    bl_record_push(r, on_b, force);
    bl_record_torque(r, b, moment);
    bl_node_neg3(r, force, back); /* on the first body at the second point: the axes along which d is measured rotate with it */
    bl_record_push(r, on_a, back);
    bl_node_cross(r, d, back, arm);
    bl_node_sub3(r, arm, moment, against);
    bl_record_torque(r, a, against);
    return BL_OK;
}

static bool any(const bl_value *value) {
    for (int k = 0; value->given && k < (int)value->number; k++)
        if (value->vector[k] != 0)
            return true;
    return false;
}

static bl_status bushing_picture(const bl_model *model, const bl_force_def *def, bl_force_picture *out) {
    const bl_value *value = def->value;
    (void)model;
    out->drawn = BL_DRAWN_BUSHING;
    out->body[0] = bl_value_body(&value[BODY_A]);
    out->body[1] = bl_value_body(&value[BODY_B]);
    memcpy(out->at[0], value[AT].vector, sizeof out->at[0]);
    memcpy(out->at[1], value[AT_B].given ? value[AT_B].vector : value[AT].vector, sizeof out->at[1]);
    out->has_axis = true;
    out->axis[0] = 1;
    if (value[AXIS].given)
        memcpy(out->axis, value[AXIS].vector, sizeof out->axis);
    if (any(&value[STIFFNESS]) || any(&value[ROTATIONAL_STIFFNESS]) || any(&value[PRELOAD]) || any(&value[ROTATIONAL_PRELOAD]))
        out->free = 0;
    out->damped = any(&value[DAMPING]) || any(&value[ROTATIONAL_DAMPING]);
    return BL_OK;
}

const bl_force_kind bl_force_bushing = {
    .kind = {"bushing", "springs and dampers along and about three axes between two bodies", params, 0, 0},
    .record = bushing_record,
    .picture = bushing_picture,
};
