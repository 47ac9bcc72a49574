/* Rolling: a disc, a ball or an ellipsoid of the second body touches a plane (a line) of the first and does not slip on it. The gap is an
 * equation between positions, slip one between velocities in each direction of the plane (touch.h). */
#include "joint/joint_build.h"
#include "joint/joint_limits.h"
#include "joint/touch.h"

#include "base/vector3.h"

#include <math.h>
#include <string.h>

static const bl_param params[] = {
    {"disc", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "m", "radius of a disc; in the plane of a circle (default: no disc)"},
    {"ball", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "m", "radius of a ball (default: no ball)"},
    {"ellipsoid", BL_P_NUMBERS, 0, 0, NULL, "m",
     "semi-axes of an ellipsoid along reference, across, along axis; in the plane two of an ellipse (default: none)"},
    {"tire", BL_P_NUMBER, BL_SPACE_ONLY, 0, NULL, "m", "radius of the section of a round rim within the radius of the disc (default: 0)"},
    {"center", BL_P_POINT, 0, 0, NULL, "m", "its center, on the second body (default: the mass center)"},
    {"axis", BL_P_VECTOR, BL_SPACE_ONLY, 0, NULL, NULL, "axis of a disc (required); third direction of an ellipsoid (default: z)"},
    {"reference", BL_P_VECTOR, 0, 0, NULL, NULL, "first direction of an ellipsoid (default: x)"},
    {"normal", BL_P_VECTOR, 0, 0, NULL, NULL, "normal of the plane, in the first body, toward the second (default: z; in the plane y)"},
    {"through", BL_P_POINT, BL_OF_FIRST, 0, NULL, "m", "a point in the plane (default: where the second body touches it)"},
    {0},
};
enum { DISC, BALL, ELLIPSOID, TIRE, CENTER, AXIS, REFERENCE, NORMAL, THROUGH };

typedef struct shape {
    const bl_touch_kind *kind;
    const bl_value *value; /* the parameter that defines it */
    double number[BL_TOUCH_NUMBERS], size;
    double center[3], axis[3][3], normal[3], through[3];
} shape;

/* ---- parameters */

static bl_status read_disc(bl_build *build, shape *s) {
    const bl_value *value = build->def->value;
    bool space = build->model->dim == 3;
    s->kind = space ? &bl_touch_plane_disc : &bl_touch_plane_ball;
    s->size = s->number[0] = value[DISC].number;
    if (!space)
        return BL_OK;
    if (!value[AXIS].given)
        return bl_build_refuse(build, &value[DISC], "add `axis: [x, y, z]`; a ball needs no axis", "a disc needs an axis");
    if (!(value[TIRE].number >= 0 && value[TIRE].number < s->size))
        return bl_build_refuse(build, &value[TIRE], "the disc is as large as its tire at the outside, so choose a smaller section",
                               "tire = %g must be at least 0 and less than the radius of the disc, %g", value[TIRE].number, s->size);
    s->number[1] = value[TIRE].number;
    s->number[0] -= value[TIRE].number;
    return BL_OK;
}

static bl_status read_ellipsoid(bl_build *build, shape *s) {
    const bl_value *value = &build->def->value[ELLIPSOID];
    int dim = build->model->dim;
    s->kind = &bl_touch_plane_ellipsoid;
    memcpy(s->number, value->vector, sizeof s->number);
    for (int k = 0; k < dim; k++) {
        s->size = fmax(s->size, s->number[k]);
        if (!((int)value->number == dim && s->number[k] > 0))
            return bl_build_refuse(build, value, "give one length for each axis, as in `ellipsoid: [0.2, 0.1, 0.1]`",
                                   "ellipsoid needs %d positive semi-axes", dim);
    }
    return BL_OK;
}

static bl_status read_shape(bl_build *build, shape *s) {
    const bl_value *value = build->def->value;
    int given = 0;
    *s = (shape){0};
    for (int k = DISC; k <= ELLIPSOID; k++)
        if (value[k].given) {
            given++;
            s->value = &value[k];
        }
    if (given != 1)
        return bl_build_refuse(build, s->value, "give one of disc, ball and ellipsoid",
                               given ? "more than one shape rolls" : "nothing says what shape rolls");
    s->kind = &bl_touch_plane_ball;
    s->size = s->number[0] = value[BALL].number;
    if (value[DISC].given)
        return read_disc(build, s);
    return value[ELLIPSOID].given ? read_ellipsoid(build, s) : BL_OK;
}

/* right-handed: of a disc the axis first, otherwise reference, across, axis */
static bl_status read_axes(bl_build *build, shape *s) {
    double u[3], w[3], axis[3];
    BL_TRY(bl_build_curve_axes(build, u, w, axis));
    bool disc = s->kind == &bl_touch_plane_disc;
    memcpy(s->axis[disc ? 1 : 0], u, sizeof u);
    memcpy(s->axis[disc ? 2 : 1], w, sizeof w);
    memcpy(s->axis[disc ? 0 : 2], axis, sizeof axis);
    return BL_OK;
}

/* ---- the plane */

/* distance of the center from the plane where the shape touches it */
static double reach(const shape *s) {
    double along, square = 0;
    if (s->kind == &bl_touch_plane_ball)
        return s->number[0];
    along = dot3(s->normal, s->axis[0]);
    if (s->kind == &bl_touch_plane_disc)
        return s->number[0] * sqrt(fmax(0, 1 - along * along)) + s->number[1];
    for (int k = 0; k < 3; k++)
        square += s->number[k] * s->number[k] * dot3(s->normal, s->axis[k]) * dot3(s->normal, s->axis[k]);
    return sqrt(square);
}

static bl_status read_plane(bl_build *build, shape *s) {
    const bl_value *value = build->def->value;
    double across[3], gap = 0;
    s->normal[build->model->dim - 1] = 1;
    if (value[NORMAL].given)
        BL_TRY(bl_build_direction(build, "normal", s->normal));
    memcpy(s->center, value[CENTER].given ? value[CENTER].vector : build->model->body[build->def->body[1]].center, sizeof s->center);
    cross3(s->normal, s->axis[0], across);
    if (s->kind == &bl_touch_plane_disc && !(sqrt(dot3(across, across)) > joint_disc_lies))
        return bl_build_refuse(build, &value[AXIS], "its rim then touches everywhere: use a planar joint, or tilt the disc",
                               "the disc lies flat on the plane: its axis is parallel to the normal");
    for (int k = 0; k < 3; k++)
        s->through[k] = s->center[k] - reach(s) * s->normal[k];
    if (!value[THROUGH].given)
        return BL_OK;
    for (int k = 0; k < 3; k++)
        gap += s->normal[k] * (s->through[k] - value[THROUGH].vector[k]);
    memcpy(s->through, value[THROUGH].vector, sizeof s->through);
    if (!(fabs(gap) <= joint_touch_off * s->size))
        return bl_build_refuse(build, &value[THROUGH], "move the body or the plane; the normal points to the side of the body",
                               "the body is %.4g m %s the plane in the given configuration, more than its size of %.4g m", fabs(gap),
                               gap > 0 ? "above" : "below", s->size);
    return BL_OK;
}

/* ---- primitives */

static void fill(bl_build *build, const shape *s, bl_prim *prim) {
    double plane[3][3];
    bl_mark axis[2][3], point[2] = {bl_build_point(build, 0, s->through), bl_build_point(build, 1, s->center)};
    memcpy(plane[0], s->normal, sizeof plane[0]);
    bl_build_perpendicular(build->model->dim, s->normal, plane[1]);
    cross3(plane[0], plane[1], plane[2]);
    for (int j = 0; j < 3; j++) {
        axis[0][j] = bl_build_vector(build, 0, plane[j]);
        axis[1][j] = bl_build_vector(build, 1, s->axis[j]);
    }
    bl_touch_fill(prim, build->model->dim, s->kind, s->number, point, axis);
}

static bl_status rolling_build(bl_build *build) {
    static const char *const slip[] = {"slipping on the plane", "slipping on the plane, second direction"};
    shape s;
    BL_TRY(read_shape(build, &s));
    BL_TRY(read_axes(build, &s));
    BL_TRY(read_plane(build, &s));
    fill(build, &s, bl_build_prim(build, BL_TOUCH, "leaving the plane"));
    for (int k = 0; k < build->model->dim - 1; k++) {
        bl_prim *prim = bl_build_prim(build, BL_SLIP, slip[k]);
        prim->tangent = (int8_t)k;
        fill(build, &s, prim);
    }
    bl_joint_picture *picture = &build->parts->picture;
    for (int k = 0; k < 3; k++)
        picture->at[0][k] = s.center[k] - reach(&s) * s.normal[k];
    memcpy(picture->at[1], s.center, sizeof picture->at[1]);
    memcpy(picture->axis[0], s.normal, sizeof s.normal);
    picture->has = BL_PICTURE_AXIS | BL_PICTURE_PLANE;
    if (build->model->dim == 2) { /* along the line */
        bl_build_perpendicular(2, s.normal, picture->axis[0]);
        picture->has = BL_PICTURE_AXIS;
    }
    return BL_OK;
}

const bl_joint_kind bl_joint_rolling = {
    .kind = {"rolling", "a disc, a ball or an ellipsoid rolls on a plane without slip", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .forbids_2d = 1,
    .forbids_3d = 1,
    .slips_2d = 1,
    .slips_3d = 2,
    .nbody = 2,
    .letter = 'K',
    .closes_only = true,
    .build = rolling_build,
};
