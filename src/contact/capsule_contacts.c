/* Capsules and cylinders: a ball at the nearest point of the axis, and balls at its ends, so that parallel ones do not roll off. */
#include "contact/contact_limits.h"
#include "contact/contact_private.h"

#include "base/vector3.h"

/* the point s of an axis */
static void on_axis(const bl_contact_solid *solid, double s, double at[3]) {
    for (int k = 0; k < 3; k++)
        at[k] = solid->frame.at[k] + s * solid->frame.axes[6 + k];
}

static double within(double x, double most) { return fmin(fmax(x, -most), most); }

/* one point of each axis, at s and t */
static int capsule_point(const bl_contact_solid *one, double s, const bl_contact_solid *other, double t, double margin, uint32_t number,
                         bl_contact_point *p) {
    double a[3], b[3];
    on_axis(one, s, a);
    on_axis(other, t, b);
    return bl_ball_ball(a, one->shape->radius, b, other->shape->radius, margin, number, p);
}

/* nearest points of two segments (Ericson, Real-Time Collision Detection, 2005, section 5.1.9); parallel ones: both ends of what they
 * share */
int bl_capsule_capsule(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *p) {
    const double *d1 = one->frame.axes + 6, *d2 = other->frame.axes + 6, half1 = one->shape->half[2], half2 = other->shape->half[2];
    double r[3];
    for (int k = 0; k < 3; k++)
        r[k] = one->frame.at[k] - other->frame.at[k];
    double c = dot3(d1, r), f = dot3(d2, r), b = dot3(d1, d2), denominator = 1 - b * b;
    if (denominator > 1e-4) {
        double s = within((b * f - c) / denominator, half1), t = b * s + f;
        if (fabs(t) > half2) {
            t = within(t, half2);
            s = within(b * t - c, half1);
        }
        return capsule_point(one, s, other, t, margin, 0, p);
    }
    /* the second axis on the first: from `begin` to `end` */
    double sign = b < 0 ? -1 : 1, middle = -c, begin = fmax(middle - half2, -half1), end = fmin(middle + half2, half1);
    if (begin >= end) {
        double s = begin >= half1 ? half1 : -half1;
        return capsule_point(one, s, other, within(sign * (s - middle), half2), margin, 0, p);
    }
    int n = capsule_point(one, begin, other, within(b * begin + f, half2), margin, 0, p);
    return n + capsule_point(one, end, other, within(b * end + f, half2), margin, 1, p + n);
}

/* ---- a capsule and a solid that is flat in places: the nearest point of the axis; where it lies along a face, both ends of the part
 * over it */

/* a ball on the axis of the capsule against the other shape */
typedef int ball_function(const double a[3], double ra, const bl_contact_solid *other, double margin, uint32_t number, bl_contact_point *p);
/* nearest point of the other shape to x, in its frame */
typedef void nearest_function(const bl_contact_shape *shape, const double x[3], double on[3]);
/* narrows [*low, *high] to the part of the axis c + s e over the flat or straight place nearest to c; false: there is none */
typedef bool over_function(const bl_contact_shape *shape, const double c[3], const double e[3], double *low, double *high);

typedef struct solid_functions {
    ball_function *ball;
    nearest_function *nearest;
    over_function *over;
} solid_functions;

/* derivative of half the squared distance from the axis point s, with respect to s: increases with s */
static double slope(const solid_functions *f, const bl_contact_shape *shape, const double center[3], const double axis[3], double s) {
    double x[3], on[3], sum = 0;
    for (int k = 0; k < 3; k++)
        x[k] = center[k] + s * axis[k];
    f->nearest(shape, x, on);
    for (int k = 0; k < 3; k++)
        sum += (x[k] - on[k]) * axis[k];
    return sum;
}

static int capsule_solid(const solid_functions *f, const bl_contact_solid *one, const bl_contact_solid *other, double margin,
                         bl_contact_point *p) {
    const double half = one->shape->half[2], radius = one->shape->radius;
    double center[3], axis[3], at[3], low = -half, high = half;
    bl_contact_inside(&other->frame, one->frame.at, center);
    for (int k = 0; k < 3; k++)
        axis[k] = dot3(other->frame.axes + 3 * k, one->frame.axes + 6);
    int n = 0;
    for (int side = 0; side < 2; side++) {
        on_axis(one, side ? half : -half, at);
        n += f->ball(at, radius, other, margin, (uint32_t)side, p + n);
    }
    if (slope(f, other->shape, center, axis, low) >= 0 || slope(f, other->shape, center, axis, high) <= 0)
        return n; /* an end is nearest */
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high);
        *(slope(f, other->shape, center, axis, middle) < 0 ? &low : &high) = middle;
    }
    double nearest = 0.5 * (low + high), x[3], begin = -half, end = half;
    for (int k = 0; k < 3; k++)
        x[k] = center[k] + nearest * axis[k];
    begin -= nearest, end -= nearest;
    int last = 0;
    double s[2] = {nearest, nearest};
    if (f->over(other->shape, x, axis, &begin, &end) && end - begin > 1e-6 * half) {
        last = 1; /* the nearest point instead of the end that it is nearer to */
        s[0] = nearest + (fabs(begin) < fabs(end) ? 0 : begin);
        s[1] = nearest + (fabs(begin) < fabs(end) ? end : 0);
    }
    for (int k = 0; k <= last; k++) {
        if (!(s[k] > -half && s[k] < half))
            continue;
        on_axis(one, s[k], at);
        n += f->ball(at, radius, other, margin, (uint32_t)(2 + k), p + n);
    }
    return n;
}

static void nearest_in_box(const bl_contact_shape *shape, const double x[3], double on[3]) {
    for (int k = 0; k < 3; k++)
        on[k] = within(x[k], shape->half[k]);
}

static bool over_box(const bl_contact_shape *shape, const double c[3], const double e[3], double *low, double *high) {
    int face = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(c[k]) - shape->half[k] > fabs(c[face]) - shape->half[face])
            face = k;
    if (fabs(e[face]) > contact_inclined)
        return false;
    for (int k = 0; k < 3; k++) { /* |c_k + s e_k| <= half_k */
        if (k == face || e[k] == 0)
            continue;
        double s = (-copysign(shape->half[k], e[k]) - c[k]) / e[k], t = (copysign(shape->half[k], e[k]) - c[k]) / e[k];
        *low = fmax(*low, s);
        *high = fmin(*high, t);
    }
    return true;
}

static void nearest_in_cylinder(const bl_contact_shape *shape, const double x[3], double on[3]) {
    double radial = hypot(x[0], x[1]), share = radial > shape->radius ? shape->radius / radial : 1;
    on[0] = share * x[0];
    on[1] = share * x[1];
    on[2] = within(x[2], shape->half[2]);
}

static bool over_cylinder(const bl_contact_shape *shape, const double c[3], const double e[3], double *low, double *high) {
    double across = e[0] * e[0] + e[1] * e[1], beyond = hypot(c[0], c[1]) - shape->radius;
    if (fabs(c[2]) - shape->half[2] > beyond) { /* the flat ends */
        double b = (c[0] * e[0] + c[1] * e[1]) / across, inside = shape->radius * shape->radius - c[0] * c[0] - c[1] * c[1];
        double root = b * b + inside / across;
        if (fabs(e[2]) > contact_inclined || !(root > 0))
            return false;
        *low = fmax(*low, -b - sqrt(root));
        *high = fmin(*high, -b + sqrt(root));
        return true;
    }
    if (across > contact_inclined * contact_inclined) /* straight along the axis */
        return false;
    *low = fmax(*low, (-copysign(shape->half[2], e[2]) - c[2]) / e[2]);
    *high = fmin(*high, (copysign(shape->half[2], e[2]) - c[2]) / e[2]);
    return true;
}

int bl_capsule_box(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *p) {
    static const solid_functions box = {bl_ball_box, nearest_in_box, over_box};
    return capsule_solid(&box, one, other, margin, p);
}

int bl_capsule_cylinder(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *p) {
    static const solid_functions cylinder = {bl_ball_cylinder, nearest_in_cylinder, over_cylinder};
    return capsule_solid(&cylinder, one, other, margin, p);
}

int bl_capsule_plane(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *p) {
    int n = 0;
    for (int side = 0; side < 2; side++) {
        double at[3], local[3];
        on_axis(one, side ? one->shape->half[2] : -one->shape->half[2], at);
        bl_contact_inside(&other->frame, at, local);
        n += bl_ball_surface(at, one->shape->radius, other->frame.axes + 6, local[2], margin, (uint32_t)side, p + n);
    }
    return n;
}

/* The lowest point of the lower rim, two more of it at 120 degrees (on which it stands), the lowest of the other rim (on which it lies). */
int bl_cylinder_plane(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *p) {
    const double *axis = one->frame.axes + 6, *normal = other->frame.axes + 6, along = dot3(axis, normal);
    const double side = along > 0 ? -1 : 1, radius = one->shape->radius;
    double down[3], across[3], length = 0;
    for (int k = 0; k < 3; k++)
        down[k] = along * axis[k] - normal[k];
    length = norm3(down);
    for (int k = 0; k < 3; k++) /* upright: any direction that belongs to the body */
        down[k] = length > 1e-9 ? down[k] / length : one->frame.axes[k];
    cross3(axis, down, across);
    int n = 0;
    for (int i = 0; i < 4; i++) {
        const double share[4][2] = {{1, 0}, {-0.5, 0.86602540378443865}, {-0.5, -0.86602540378443865}, {1, 0}};
        double at[3], local[3];
        on_axis(one, (i == 3 ? -side : side) * one->shape->half[2], at);
        for (int k = 0; k < 3; k++)
            at[k] += radius * (share[i][0] * down[k] + share[i][1] * across[k]);
        bl_contact_inside(&other->frame, at, local);
        n += bl_ball_surface(at, 0, normal, local[2], margin, (uint32_t)i, p + n);
    }
    return n;
}
