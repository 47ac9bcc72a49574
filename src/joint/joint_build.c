/* Frames of a joint from its parameters, and primitives from frames. The second body's frame is the first's, rotated from axis a to axis
 * b by the smallest rotation: x + s x x + s x (s x x) / (1 + a.b), s = a x b. */
#include "joint/joint_build.h"
#include "base/vector3.h"
#include "joint/joint_limits.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- small vectors */

static void copy(const double a[3], double b[3]) {
    for (int k = 0; k < 3; k++)
        b[k] = a[k];
}

/* false if the vector is too short to define a direction */
static bool normalize(double u[3]) {
    double size = sqrt(dot3(u, u));
    if (!(size > joint_direction) || !isfinite(size))
        return false;
    for (int k = 0; k < 3; k++)
        u[k] /= size;
    return true;
}

/* unit vector along the component of x perpendicular to the unit vector u; false if x is parallel to u */
static bool perpendicular_part(const double x[3], const double u[3], double w[3]) {
    double along = dot3(x, u);
    for (int k = 0; k < 3; k++)
        w[k] = x[k] - along * u[k];
    return sqrt(dot3(w, w)) > joint_reference_across && normalize(w);
}

void bl_build_perpendicular(int dim, const double u[3], double w[3]) {
    if (dim == 2 && u[2] == 0) {
        double x = u[0];
        w[0] = -u[1];
        w[1] = x;
        w[2] = 0;
        return;
    }
    /* the global axis farthest from u avoids cancellation */
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(u[k]) < fabs(u[least]))
            least = k;
    double e[3] = {0};
    e[least] = 1;
    perpendicular_part(e, u, w);
}

/* x rotated by the smallest rotation that takes unit vector a to unit vector b */
static void carry(const double a[3], const double b[3], const double x[3], double y[3]) {
    double s[3], first[3], second[3], c = dot3(a, b);
    cross3(a, b, s);
    cross3(s, x, first);
    cross3(s, first, second);
    for (int k = 0; k < 3; k++)
        y[k] = x[k] + first[k] + second[k] / (1 + c);
}

/* ---- parameters */

const bl_value *bl_build_given(const bl_build *build, const char *name) {
    const bl_param *table = build->def->kind->kind.params;
    for (bl_index i = 0; table && table[i].type != BL_P_END; i++)
        if (!strcmp(table[i].name, name))
            return build->def->value[i].given ? &build->def->value[i] : NULL;
    return NULL;
}

bl_status bl_build_refuse(const bl_build *build, const bl_value *value, const char *advice, const char *format, ...) {
    bl_context *ctx = build->model->ctx;
    char what[120];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    bl_fail(ctx, BL_E_MODEL, value ? &value->place : &build->def->place, "joint %s: %s", build->def->name, what);
    bl_advise(ctx, "%s", advice);
    bl_blame(ctx, build->def->name, NULL, NAN);
    return BL_E_MODEL;
}

void bl_build_points(const bl_build *build, double at[2][3]) {
    const bl_value *first = bl_build_given(build, "at"), *second = bl_build_given(build, "at_b");
    const bl_index *body = build->def->body;
    bl_index carrier = body[1] > 0 ? body[1] : body[0];
    copy(first ? first->vector : second ? second->vector : build->model->body[carrier].center, at[0]);
    copy(second ? second->vector : at[0], at[1]);
    if (build->model->dim == 2)
        at[0][2] = at[1][2] = 0;
}

bl_status bl_build_direction(const bl_build *build, const char *name, double u[3]) {
    const bl_value *value = bl_build_given(build, name);
    if (!value)
        return bl_build_refuse(build, NULL, "add the parameter", "%s is missing", name);
    copy(value->vector, u);
    if (build->model->dim == 2)
        u[2] = 0;
    if (!normalize(u))
        return bl_build_refuse(build, value, "a direction needs a component that is not zero", "%s has length zero", name);
    return BL_OK;
}

/* component of a reference perpendicular to the axis */
static bl_status reference_across(const bl_build *build, const char *name, const double axis[3], double w[3]) {
    double x[3];
    BL_TRY(bl_build_direction(build, name, x));
    if (!perpendicular_part(x, axis, w))
        return bl_build_refuse(build, bl_build_given(build, name), "choose a reference that is not parallel to the axis",
                               "the reference is parallel to the axis");
    return BL_OK;
}

bl_status bl_build_frames(const bl_build *build, bl_build_frame *frame) {
    int dim = build->model->dim;
    double z[3] = {0, 0, 1}, x[3];
    memset(frame, 0, sizeof *frame);
    bl_build_points(build, frame->at);

    if (bl_build_given(build, "axis")) {
        BL_TRY(bl_build_direction(build, "axis", frame->axis[0]));
    } else if (dim == 3 && bl_build_given(build, "reference")) {
        BL_TRY(bl_build_direction(build, "reference", x));
        if (!perpendicular_part(z, x, frame->axis[0]))
            bl_build_perpendicular(3, x, frame->axis[0]);
    } else {
        copy(z, frame->axis[0]);
    }
    copy(frame->axis[0], frame->axis[1]);
    const bl_value *axis_b = bl_build_given(build, "axis_b");
    if (axis_b) {
        BL_TRY(bl_build_direction(build, "axis_b", frame->axis[1]));
        if (dot3(frame->axis[0], frame->axis[1]) < joint_opposite_axes - 1)
            return bl_build_refuse(build, axis_b, "reverse one of them", "axis and axis_b point in opposite directions");
    }

    bool first = bl_build_given(build, "reference"), second = bl_build_given(build, "reference_b");
    if (first)
        BL_TRY(reference_across(build, "reference", frame->axis[0], frame->w[0]));
    if (second)
        BL_TRY(reference_across(build, "reference_b", frame->axis[1], frame->w[1]));
    if (!first && second)
        carry(frame->axis[1], frame->axis[0], frame->w[1], frame->w[0]);
    else if (!first && dim == 2 && frame->axis[0][2] != 0)
        frame->w[0][0] = 1;
    else if (!first)
        bl_build_perpendicular(dim, frame->axis[0], frame->w[0]);
    if (!second)
        carry(frame->axis[0], frame->axis[1], frame->w[0], frame->w[1]);
    for (int side = 0; side < 2; side++)
        cross3(frame->axis[side], frame->w[side], frame->n[side]);
    return BL_OK;
}

/* ---- primitives */

bl_mark bl_build_point(const bl_build *build, int side, const double at[3]) {
    return bl_model_mark_point(build->model, build->def->body[side], at);
}

bl_mark bl_build_vector(const bl_build *build, int side, const double u[3]) {
    return bl_model_mark_vector(build->model, build->def->body[side], u);
}

bl_prim *bl_build_prim(bl_build *build, bl_prim_what what, const char *meaning) {
    bl_prim *prim = &build->parts->prim[build->parts->nprim++];
    *prim = (bl_prim){.what = what, .var = {-1, -1, -1}, .meaning = meaning};
    return prim;
}

void bl_build_coincide(bl_build *build, const double at[2][3]) {
    bl_prim *prim = bl_build_prim(build, BL_COINCIDE, "moving the points apart");
    prim->a = bl_build_point(build, 0, at[0]);
    prim->b = bl_build_point(build, 1, at[1]);
}

void bl_build_same(bl_build *build, const double u[2][3], const char *meaning) {
    bl_prim *prim = bl_build_prim(build, BL_SAME, meaning);
    prim->a = bl_build_vector(build, 0, u[0]);
    prim->b = bl_build_vector(build, 1, u[1]);
}

void bl_build_dot(bl_build *build, const double u0[3], const double u1[3], const char *meaning) {
    bl_prim *prim = bl_build_prim(build, BL_DOT, meaning);
    prim->a = bl_build_vector(build, 0, u0);
    prim->b = bl_build_vector(build, 1, u1);
}

static bl_prim *along(bl_build *build, bl_prim_what what, const double at[2][3], const double axis[3], const char *meaning) {
    bl_prim *prim = bl_build_prim(build, what, meaning);
    prim->a = bl_build_point(build, 0, at[0]);
    prim->b = bl_build_point(build, 1, at[1]);
    prim->c = bl_build_vector(build, 0, axis);
    return prim;
}

void bl_build_plane(bl_build *build, const double at[2][3], const double normal[3], const char *meaning) {
    along(build, BL_PLANE, at, normal, meaning);
}

void bl_build_travel(bl_build *build, const double at[2][3], const double axis[3], int part, const char *meaning) {
    along(build, BL_TRAVEL, at, axis, meaning)->var[0] = build->def->first_var + part;
}

void bl_build_angle(bl_build *build, const double from[3], const double to[3], int side, const double axis[3], int part,
                    const char *meaning) {
    bl_prim *prim = bl_build_prim(build, BL_ANGLE, meaning);
    prim->a = bl_build_vector(build, 0, from);
    prim->b = bl_build_vector(build, 1, to);
    prim->c = bl_build_vector(build, side, axis);
    prim->var[0] = build->def->first_var + part;
}

void bl_build_cylinder(bl_build *build, const bl_build_frame *frame) {
    bl_build_same(build, frame->axis, "tilting the axis");
    bl_build_plane(build, frame->at, frame->w[0], "moving across the axis");
    bl_build_plane(build, frame->at, frame->n[0], "moving across the axis, second direction");
    bl_build_angle(build, frame->w[0], frame->w[1], 0, frame->axis[0], 0, "angle about the axis");
    bl_build_travel(build, frame->at, frame->axis[0], 1, "distance along the axis");
    bl_build_dof(build, BL_TURN, frame->axis[0], frame->at[0], 0);
    bl_build_dof(build, BL_SLIDE, frame->axis[0], frame->at[0], 1);
}

static bl_status different(bl_build *build, const bl_value *const of[], int n) {
    const bl_param *table = build->def->kind->kind.params;
    for (int k = 1; k < n; k++)
        for (int i = 0; i < k; i++)
            if (of[i]->ref == of[k]->ref)
                return bl_build_refuse(build, of[k], "a relation needs different variables; to prescribe one use a driver",
                                       "%s and %s are the same variable", table[of[i] - build->def->value].name,
                                       table[of[k] - build->def->value].name);
    return BL_OK;
}

bl_status bl_build_relation(bl_build *build, const bl_value *first, const bl_value *second, const bl_value *base, double ratio,
                            double offset, const char *meaning) {
    const bl_value *of[3] = {first, second, base};
    BL_TRY(different(build, of, base ? 3 : 2));
    bl_prim *prim = bl_build_prim(build, BL_LINEAR, meaning);
    bl_joint_picture *picture = &build->parts->picture;
    const double coef[3] = {-ratio, 1, ratio - 1};
    picture->relation = true;
    picture->ratio = ratio;
    for (int k = 0; k < 3 && of[k]; k++) {
        prim->var[k] = picture->variable[k] = of[k]->ref;
        prim->coef[k] = coef[k];
    }
    prim->value = offset;
    return BL_OK;
}

bl_status bl_build_function(bl_build *build, const bl_value *first, const bl_value *second, const bl_profile *function,
                            const char *meaning) {
    BL_TRY(different(build, (const bl_value *const[]){first, second}, 2));
    bl_prim *prim = bl_build_prim(build, BL_FUNCTION, meaning);
    bl_joint_picture *picture = &build->parts->picture;
    prim->profile = function;
    prim->var[0] = picture->variable[0] = first->ref;
    prim->var[1] = picture->variable[1] = second->ref;
    prim->coef[0] = -1;
    prim->coef[1] = 1;
    picture->relation = true;
    picture->ratio = 1;
    return BL_OK;
}

bl_status bl_build_curve_axes(const bl_build *build, double u[3], double w[3], double normal[3]) {
    double x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
    copy(z, normal);
    copy(x, u);
    if (build->model->dim == 3 && bl_build_given(build, "axis"))
        BL_TRY(bl_build_direction(build, "axis", normal));
    if (bl_build_given(build, "reference"))
        BL_TRY(reference_across(build, "reference", normal, u));
    else if (!perpendicular_part(x, normal, u))
        bl_build_perpendicular(3, normal, u);
    cross3(normal, u, w);
    return BL_OK;
}

/* ---- degrees of freedom */

void bl_build_dof(bl_build *build, bl_joint_dof_what what, const double axis[3], const double at[3], int part) {
    bl_joint_dof *dof = &build->parts->dof[build->parts->ndof++];
    *dof = (bl_joint_dof){.what = what, .var = part < 0 ? -1 : build->def->first_var + part};
    bl_mark point = bl_build_point(build, 0, at);
    copy(point.s, dof->at);
    if (axis)
        copy(axis, dof->axis);
}

/* ---- pictures */

void bl_build_picture(bl_build *build, const bl_build_frame *frame, uint32_t has) {
    bl_joint_picture *out = &build->parts->picture;
    out->has = has;
    memcpy(out->at, frame->at, sizeof out->at);
    memcpy(out->axis, frame->axis, sizeof out->axis);
    memcpy(out->reference, frame->w, sizeof out->reference);
}
