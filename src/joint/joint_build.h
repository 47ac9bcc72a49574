/* build: how a joint kind turns its parameters into primitives, degrees of freedom and a picture. Geometry is in the global frame of the
 * model configuration; side 0 is the joint's first body, side 1 its second. */
#ifndef BL_JOINT_BUILD_H
#define BL_JOINT_BUILD_H

#include "joint/joint.h"

struct bl_build {
    const bl_model *model;
    const bl_joint_def *def;
    bl_joint_parts *parts;
};

/* On each side a point and a right-handed set of unit vectors: axis, w (the reference), n = axis x w. Both sides agree if the joint is
 * closed and its angle is zero. */
typedef struct bl_build_frame {
    double at[2][3], axis[2][3], w[2][3], n[2][3];
} bl_build_frame;

/* The value of a parameter by name; NULL if it was not given or the kind has no such parameter. */
const bl_value *bl_build_given(const bl_build *build, const char *name);

/* Reads at, at_b, axis, axis_b, reference, reference_b, if the kind has them. Defaults: at: the mass center of the second body; axis: z;
 * reference: any direction perpendicular to the axis; second body: the same in the given configuration, rotated from axis to axis_b by
 * the smallest rotation. Refuses zero vectors, a reference parallel to the axis and opposite axes. */
bl_status bl_build_frames(const bl_build *build, bl_build_frame *frame);

/* The points only; and one direction (unit length) by the name of its parameter, which must be given. */
void bl_build_points(const bl_build *build, double at[2][3]);
bl_status bl_build_direction(const bl_build *build, const char *name, double u[3]);

/* BL_E_MODEL with the joint's name, at the location of the value (NULL: of the joint). */
bl_status bl_build_refuse(const bl_build *build, const bl_value *value, const char *advice, const char *format, ...) BL_PRINTF(4, 5);

/* ---- primitives; `meaning` names the motion that the equation prevents, or the variable it defines; `part` numbers the joint's own
 * variables */
bl_prim *bl_build_prim(bl_build *build, bl_prim_what what, const char *meaning);
bl_mark bl_build_point(const bl_build *build, int side, const double at[3]);
bl_mark bl_build_vector(const bl_build *build, int side, const double u[3]);
void bl_build_coincide(bl_build *build, const double at[2][3]);
void bl_build_same(bl_build *build, const double u[2][3], const char *meaning);
void bl_build_dot(bl_build *build, const double u0[3], const double u1[3], const char *meaning); /* u0 . u1 = 0 */
void bl_build_plane(bl_build *build, const double at[2][3], const double normal[3], const char *meaning);
void bl_build_travel(bl_build *build, const double at[2][3], const double axis[3], int part, const char *meaning);
/* From a vector of the first body to one of the second about `axis`, fixed in the body on `side`. */
void bl_build_angle(bl_build *build, const double from[3], const double to[3], int side, const double axis[3], int part,
                    const char *meaning);
/* Sliding along and rotation about one axis, primitives and degrees of freedom: for cylindrical and screw. Variables 0 (angle), 1
 * (distance). */
void bl_build_cylinder(bl_build *build, const bl_build_frame *frame);

/* second - base = ratio (first - base) + offset between variables of other joints, base 0 if it is NULL, and the picture of it. Refuses a
 * variable that is used twice. The coefficient of `second` is 1: its force is the negative multiplier. */
bl_status bl_build_relation(bl_build *build, const bl_value *first, const bl_value *second, const bl_value *base, double ratio,
                            double offset, const char *meaning);

/* second = function(first) between variables of other joints, and the picture of it. */
bl_status bl_build_function(bl_build *build, const bl_value *first, const bl_value *second, const bl_profile *function,
                            const char *meaning);

/* Axes of a plane curve of the first body, in global directions: reference, and perpendicular to it in the plane of the curve (normal:
 * `axis`, in the plane z). Defaults: x, z. */
bl_status bl_build_curve_axes(const bl_build *build, double u[3], double w[3], double normal[3]);

/* ---- degrees of freedom; part -1: no variable measures it; axis NULL: spherical */
void bl_build_dof(bl_build *build, bl_joint_dof_what what, const double axis[3], const double at[3], int part);

/* ---- pictures: points of the frame and the directions named by `has` (BL_PICTURE_...) */
void bl_build_picture(bl_build *build, const bl_build_frame *frame, uint32_t has);

/* Unit vector perpendicular to the unit vector u; in the plane if dim is 2. */
void bl_build_perpendicular(int dim, const double u[3], double w[3]);

#endif
