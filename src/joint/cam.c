/* Cam: a disc of variable radius on the first body and a follower on the second, always in contact: a knife edge, a roller, or a flat face.
 * The radius is base + lift(angle), the angle measured on the cam from `reference` about the axis. In space the disc is a cylinder along
 * its axis, and other joints keep the follower upright. */
#include "base/vector3.h"
#include "joint/joint_build.h"
#include "joint/joint_limits.h"

#include <math.h>
#include <string.h>

static const bl_param params[] = {
    {"center", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "origin of the radius, in the first body: usually the bearing of the cam"},
    {"base", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "m", "radius of the cam without lift"},
    {"lift", BL_P_PROFILE, BL_REQUIRED, 0, NULL, "m",
     "what is added to the base radius at the angle x of the cam: an expression of x, segments, a periodic table"},
    {"follower", BL_P_CHOICE, 0, 0, "knife|roller|flat", NULL, "what touches the cam"},
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "the edge, the center of the roller or a point of the face, on the second body"},
    {"radius", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "m", "of the roller (no default)"},
    {"normal", BL_P_VECTOR, 0, 0, NULL, NULL, "flat: direction perpendicular to the face, away from the cam (default: from center to at)"},
    {"reference", BL_P_VECTOR, 0, 0, NULL, NULL, "direction of angle 0, in the first body (default: x)"},
    {"axis", BL_P_VECTOR, BL_SPACE_ONLY, 0, NULL, NULL, "axis of the cam (default: z)"},
    {0},
};
enum { CENTER, BASE, LIFT, FOLLOWER, AT, RADIUS, NORMAL };
enum { KNIFE, ROLLER, FLAT };
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
static bl_status check_shape(const bl_build *build, const bl_curve *curve, int follower, double roller) {
    const bl_value *value = build->def->value;
    for (int i = 0; i < TESTED; i++) {
        double s = turn * i / TESTED, r[3], bend = bl_curve_bend(curve, s);
        bl_profile_at(curve->radius, s, r);
        if (!(curve->base + r[0] > 0))
            return bl_build_refuse(build, &value[LIFT], "increase base", "the radius of the cam is %g m at %g degrees",
                                   curve->base + r[0], degrees(i));
        if (follower == ROLLER && !(1 + bend * roller > 0))
            return bl_build_refuse(build, &value[RADIUS], "use a smaller roller or a larger base radius",
                                   "the roller is too large: at %g degrees the cam is hollow with a radius of %g m", degrees(i), -1 / bend);
        if (follower == FLAT && !(bend > 0))
            return bl_build_refuse(build, &value[LIFT], "use a larger base radius or a roller",
                                   "the cam is hollow at %g degrees: a flat follower cannot touch it there", degrees(i));
    }
    return BL_OK;
}

static bl_status face_normal(const bl_build *build, const double center[3], const double at[3], const double axis[3], double n[3]) {
    if (build->def->value[NORMAL].given)
        return bl_build_direction(build, "normal", n);
    double along = 0;
    for (int k = 0; k < 3; k++)
        n[k] = at[k] - center[k];
    along = dot3(n, axis);
    for (int k = 0; k < 3; k++)
        n[k] -= along * axis[k];
    double length = sqrt(dot3(n, n));
    if (!(length > joint_direction))
        return bl_build_refuse(build, &build->def->value[AT], "give its normal", "the face goes through the center of the cam");
    for (int k = 0; k < 3; k++)
        n[k] /= length;
    return BL_OK;
}

static bl_status cam_build(bl_build *build) {
    const bl_value *value = build->def->value;
    const double *center = value[CENTER].vector, *at = value[AT].vector;
    int follower = (int)value[FOLLOWER].number;
    double u[3], w[3], axis[3], n[3];
    bl_curve curve = {.radius = value[LIFT].profile[0], .base = value[BASE].number};
    if (follower == ROLLER && !value[RADIUS].given)
        return bl_build_refuse(build, NULL, "add the radius of the roller", "radius is missing");
    if (follower != ROLLER && value[RADIUS].given)
        return bl_build_refuse(build, &value[RADIUS], "write follower: roller", "only a roller has a radius");
    if (follower != FLAT && value[NORMAL].given)
        return bl_build_refuse(build, &value[NORMAL], "write follower: flat", "only a flat follower has a normal");
    BL_TRY(bl_build_curve_axes(build, u, w, axis));
    BL_TRY(check_closed(build, curve.radius, curve.base));
    BL_TRY(check_shape(build, &curve, follower, value[RADIUS].number));
    bl_prim *prim = bl_build_prim(build, follower == FLAT ? BL_ON_FACE : BL_ON_CURVE, "leaving the cam");
    prim->a = bl_build_point(build, 0, center);
    prim->b = bl_build_point(build, 1, at);
    prim->curve = curve;
    prim->value = follower == ROLLER ? value[RADIUS].number : 0;
    bl_mark *axes = &prim->c;
    if (follower == FLAT) {
        BL_TRY(face_normal(build, center, at, axis, n));
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
