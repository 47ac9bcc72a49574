/* Cam: a disc of variable radius on the first body and a follower on the second, always in contact: a knife edge, a roller, or a flat face.
 * The radius is base + lift(angle), the angle measured on the cam from `reference` about the axis. In space the disc is a cylinder along
 * its axis, and other joints keep the follower upright. */
#include "joint/joint_build.h"
#include "joint/joint_limits.h"

#include <math.h>
#include <string.h>

static const bl_param params[] = {
    {"center", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "origin of the radius, in the first body: usually the bearing of the cam"},
    {"base", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "m", "radius of the cam without lift"},
    {"lift", BL_P_PROFILE, BL_REQUIRED, 0, NULL, "m",
     "what is added to the base radius at the angle x of the cam: an expression of x, segments, a periodic table"},
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "the edge, the center of the roller or a point of the face, on the second body"},
    {"roller", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "m", "radius of a roller about `at` (default: a knife edge)"},
    {"face", BL_P_VECTOR, 0, 0, NULL, NULL, "normal of a flat face through `at`, away from the cam (default: a knife edge)"},
    {"reference", BL_P_VECTOR, 0, 0, NULL, NULL, "direction of angle 0, in the first body (default: x)"},
    {"axis", BL_P_VECTOR, BL_SPACE_ONLY, 0, NULL, NULL, "axis of the cam (default: z)"},
    {0},
};
enum { CENTER, BASE, LIFT, AT, ROLLER, FACE };
enum { TESTED = 720 }; /* angles at which the shape is checked */

static const double turn = 6.28318530717958647692;

/* the angle in degrees, for messages */
static double degrees(int i) { return 360.0 * i / TESTED; }

static bl_status check_closed(const bl_build *build, const bl_profile *lift, double base) {
    const bl_value *value = &build->def->value[LIFT];
    double start[3], end[3], from, to;
    bl_profile_range(lift, &from, &to);
    if (!lift->tape && !(fabs(to - from - turn) <= joint_profile_closed * turn))
        return bl_build_refuse(build, value, "the angles of the segments, or of the table, must add up to 2*pi rad, a full revolution",
                               "the lift covers %g of 360 degrees", (to - from) * 360 / turn);
    if (!lift->tape && lift->period == 0)
        return bl_build_refuse(build, value, "write lift: {table: ..., periodic: true}", "the table of the lift does not repeat");
    bl_profile_at(lift, 0, start);
    bl_profile_at(lift, turn, end);
    for (int k = 0; k < 2; k++)
        if (!(fabs(end[k] - start[k]) <= joint_profile_closed * (base + fabs(start[k]))))
            return bl_build_refuse(build, value, "after a full revolution the lift must be what it was at the start",
                                   k == 0 ? "the lift at 360 degrees differs from that at 0 by %g m"
                                          : "the slope of the lift at 360 degrees differs from that at 0 by %g m/rad",
                                   end[k] - start[k]);
    return BL_OK;
}

/* radius, curvature: whether the follower can touch the cam everywhere */
static bl_status check_shape(const bl_build *build, const bl_curve *curve) {
    const bl_value *value = build->def->value;
    for (int i = 0; i < TESTED; i++) {
        double s = turn * i / TESTED, r[3], bend = bl_curve_bend(curve, s);
        bl_profile_at(curve->radius, s, r);
        if (!(curve->base + r[0] > 0))
            return bl_build_refuse(build, &value[LIFT], "increase base", "the radius of the cam is %g m at %g degrees", curve->base + r[0],
                                   degrees(i));
        if (value[ROLLER].given && !(1 + bend * value[ROLLER].number > 0))
            return bl_build_refuse(build, &value[ROLLER], "use a smaller roller or a larger base radius",
                                   "the roller is too large: at %g degrees the cam is hollow with a radius of %g m", degrees(i), -1 / bend);
        if (value[FACE].given && !(bend > 0))
            return bl_build_refuse(build, &value[LIFT], "use a larger base radius or a roller",
                                   "the cam is hollow at %g degrees: a flat follower cannot touch it there", degrees(i));
    }
    return BL_OK;
}

static bl_status cam_build(bl_build *build) {
    const bl_value *value = build->def->value;
    const double *center = value[CENTER].vector, *at = value[AT].vector;
    bool face = value[FACE].given;
    double u[3], w[3], axis[3], n[3];
    bl_curve curve = {.radius = value[LIFT].profile[0], .base = value[BASE].number};
    if (face && value[ROLLER].given)
        return bl_build_refuse(build, &value[FACE], "a follower has either a roller or a flat face", "roller and face are given");
    BL_TRY(bl_build_curve_axes(build, u, w, axis));
    BL_TRY(check_closed(build, curve.radius, curve.base));
    BL_TRY(check_shape(build, &curve));
    bl_prim *prim = bl_build_prim(build, face ? BL_ON_FACE : BL_ON_CURVE, "leaving the cam");
    prim->a = bl_build_point(build, 0, center);
    prim->b = bl_build_point(build, 1, at);
    prim->curve = curve;
    prim->value = value[ROLLER].given ? value[ROLLER].number : 0;
    bl_mark *axes = &prim->c;
    if (face) {
        BL_TRY(bl_build_direction(build, "face", n));
        *axes++ = bl_build_vector(build, 1, n);
    }
    axes[0] = bl_build_vector(build, 0, u);
    axes[1] = bl_build_vector(build, 0, w);
    bl_joint_picture *picture = &build->parts->picture;
    memcpy(picture->at[0], center, sizeof picture->at[0]);
    memcpy(picture->at[1], at, sizeof picture->at[1]);
    memcpy(picture->axis[0], axis, sizeof axis);
    memcpy(picture->reference[0], u, sizeof u);
    picture->has = BL_PICTURE_AXIS | BL_PICTURE_REFERENCE;
    picture->length = prim->value;
    picture->curve = curve;
    return BL_OK;
}

const bl_joint_kind bl_joint_cam = {
    .kind = {"cam", "a disc of variable radius and a follower with a knife edge, a roller or a flat face", params, 0,
             BL_IN_PLANE | BL_IN_SPACE},
    .forbids_2d = 1,
    .forbids_3d = 1,
    .nbody = 2,
    .letter = 'K',
    .closes_only = true,
    .build = cam_build,
};
