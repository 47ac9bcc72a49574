/* What every shape has: bounds, reach, size; and the function of each pair of kinds. */
#include "contact/contact_private.h"

#include "base/vector3.h"

#include <string.h>

/* [one][other], one <= other; NULL: not supported */
static bl_contact_function *const function[BL_CONTACT_WHATS][BL_CONTACT_WHATS] = {
    [BL_CONTACT_SPHERE] = {[BL_CONTACT_SPHERE] = bl_sphere_sphere,
                           [BL_CONTACT_CAPSULE] = bl_sphere_capsule,
                           [BL_CONTACT_CYLINDER] = bl_sphere_cylinder,
                           [BL_CONTACT_BOX] = bl_sphere_box,
                           [BL_CONTACT_POLYGON] = bl_sphere_polygon,
                           [BL_CONTACT_PLANE] = bl_sphere_plane},
    [BL_CONTACT_CAPSULE] = {[BL_CONTACT_CAPSULE] = bl_capsule_capsule,
                            [BL_CONTACT_CYLINDER] = bl_capsule_cylinder,
                            [BL_CONTACT_BOX] = bl_capsule_box,
                            [BL_CONTACT_POLYGON] = bl_capsule_polygon,
                            [BL_CONTACT_PLANE] = bl_capsule_plane},
    [BL_CONTACT_CYLINDER] = {[BL_CONTACT_PLANE] = bl_cylinder_plane},
    [BL_CONTACT_BOX] = {[BL_CONTACT_BOX] = bl_box_box, [BL_CONTACT_PLANE] = bl_box_plane},
    [BL_CONTACT_POLYGON] = {[BL_CONTACT_POLYGON] = bl_polygon_polygon, [BL_CONTACT_PLANE] = bl_polygon_plane},
};
static const char *const names[BL_CONTACT_WHATS] = {"sphere", "capsule", "cylinder", "box", "polygon", "plane"};

const char *bl_contact_name(bl_contact_what what) { return names[what]; }

bool bl_contact_can(bl_contact_what one, bl_contact_what other) { return function[one][other] || function[other][one]; }

void bl_contact_place(const bl_contact_frame *body, const bl_contact_frame *local, bl_contact_frame *out) {
    double turned[3];
    bl_contact_outside(body, local->at, turned);
    for (int k = 0; k < 3; k++) {
        out->at[k] = body->at[k] + turned[k];
        bl_contact_outside(body, local->axes + 3 * k, out->axes + 3 * k);
    }
}

int bl_contact_points(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *point) {
    bl_contact_function *direct = function[one->shape->what][other->shape->what];
    if (direct)
        return direct(one, other, margin, point);
    bl_contact_function *swapped = function[other->shape->what][one->shape->what];
    int n = swapped ? swapped(other, one, margin, point) : 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            point[i].normal[k] = -point[i].normal[k];
    return n;
}

/* half the extent along each axis of space */
static void extent(const bl_contact_solid *solid, double half[3]) {
    const bl_contact_shape *s = solid->shape;
    const double *e = solid->frame.axes;
    for (int k = 0; k < 3; k++) {
        double across = sqrt(fmax(0, 1 - e[6 + k] * e[6 + k]));
        half[k] = s->what == BL_CONTACT_SPHERE     ? s->radius
                  : s->what == BL_CONTACT_CAPSULE  ? s->radius + s->half[2] * fabs(e[6 + k])
                  : s->what == BL_CONTACT_CYLINDER ? s->radius * across + s->half[2] * fabs(e[6 + k])
                  : s->what == BL_CONTACT_BOX      ? s->half[0] * fabs(e[k]) + s->half[1] * fabs(e[3 + k]) + s->half[2] * fabs(e[6 + k])
                                                   : INFINITY;
    }
}

void bl_contact_bounds(const bl_contact_solid *solid, double margin, double low[3], double high[3]) {
    const bl_contact_shape *s = solid->shape;
    if (s->what != BL_CONTACT_POLYGON) {
        double half[3];
        extent(solid, half);
        for (int k = 0; k < 3; k++) {
            low[k] = solid->frame.at[k] - half[k] - margin;
            high[k] = solid->frame.at[k] + half[k] + margin;
        }
        return;
    }
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY, high[k] = -INFINITY;
        for (bl_index i = 0; i < s->ncorner; i++) {
            double x = solid->frame.at[k] + solid->frame.axes[k] * s->corner[i][0] + solid->frame.axes[3 + k] * s->corner[i][1];
            low[k] = fmin(low[k], x - margin);
            high[k] = fmax(high[k], x + margin);
        }
    }
}

static double largest_corner(const bl_contact_shape *s) {
    double most = 0;
    for (bl_index i = 0; i < s->ncorner; i++)
        most = fmax(most, sqrt(s->corner[i][0] * s->corner[i][0] + s->corner[i][1] * s->corner[i][1]));
    return most;
}

double bl_contact_reach(const bl_contact_shape *s) {
    double own = s->what == BL_CONTACT_SPHERE     ? s->radius
                 : s->what == BL_CONTACT_CAPSULE  ? s->radius + s->half[2]
                 : s->what == BL_CONTACT_CYLINDER ? sqrt(s->radius * s->radius + s->half[2] * s->half[2])
                 : s->what == BL_CONTACT_BOX      ? norm3(s->half)
                 : s->what == BL_CONTACT_POLYGON  ? largest_corner(s)
                                                  : INFINITY;
    return own + norm3(s->frame.at);
}

/* of a polygon: the least distance of its center from an edge, or from a corner where it is outside */
static double polygon_size(const bl_contact_shape *s) {
    double least = largest_corner(s);
    for (bl_index i = 0; i < s->ncorner; i++) {
        const double *a = s->corner[i], *b = s->corner[(i + 1) % s->ncorner];
        double x = b[0] - a[0], y = b[1] - a[1], distance = (a[0] * y - a[1] * x) / sqrt(x * x + y * y);
        least = distance > 0 ? fmin(least, distance) : least;
    }
    return least;
}

double bl_contact_size(const bl_contact_shape *s) {
    if (s->size > 0)
        return s->size;
    switch (s->what) {
    case BL_CONTACT_SPHERE:
    case BL_CONTACT_CAPSULE: return s->radius;
    case BL_CONTACT_CYLINDER: return fmin(s->radius, s->half[2]);
    case BL_CONTACT_BOX: return fmin(s->half[0], fmin(s->half[1], s->half[2]));
    case BL_CONTACT_POLYGON: return polygon_size(s);
    case BL_CONTACT_PLANE:
    case BL_CONTACT_WHATS: break;
    }
    return INFINITY;
}
