/* In the plane: polygons against lines, capsules and each other, by separating edges; the edge of the other one is clipped. */
#include "contact/contact_private.h"

#include "base/vector3.h"

#include <string.h>

/* corner i in space */
static void corner_at(const bl_contact_solid *solid, bl_index i, double x[3]) {
    const double *c = solid->shape->corner[i % solid->shape->ncorner];
    bl_contact_outside(&solid->frame, (const double[3]){c[0], c[1], 0}, x);
    for (int k = 0; k < 3; k++)
        x[k] += solid->frame.at[k];
}

/* the two lowest corners */
int bl_polygon_plane(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *p) {
    bl_index lowest[2] = {-1, -1};
    double height[2] = {INFINITY, INFINITY}, at[3], local[3];
    for (bl_index i = 0; i < one->shape->ncorner; i++) {
        corner_at(one, i, at);
        bl_contact_inside(&other->frame, at, local);
        int slot = local[2] < height[0] ? 0 : local[2] < height[1] ? 1 : 2;
        if (slot == 0)
            height[1] = height[0], lowest[1] = lowest[0];
        if (slot < 2)
            height[slot] = local[2], lowest[slot] = i;
    }
    int n = 0;
    for (int k = 0; k < 2; k++) {
        corner_at(one, lowest[k], at);
        n += bl_ball_surface(at, 0, other->frame.axes + 6, height[k], margin, (uint32_t)lowest[k], p + n);
    }
    return n;
}

/* outward unit normal of edge i */
static void edge_normal(const bl_contact_solid *solid, bl_index i, double n[3]) {
    double a[3], b[3];
    corner_at(solid, i, a);
    corner_at(solid, i + 1, b);
    double x = b[0] - a[0], y = b[1] - a[1], by = 1 / sqrt(x * x + y * y);
    n[0] = y * by, n[1] = -x * by, n[2] = 0;
}

/* distance of the nearest corner of `other` from edge i */
static double separation(const bl_contact_solid *one, bl_index i, const bl_contact_solid *other, double n[3]) {
    double a[3], x[3], least = INFINITY;
    edge_normal(one, i, n);
    corner_at(one, i, a);
    for (bl_index j = 0; j < other->shape->ncorner; j++) {
        corner_at(other, j, x);
        least = fmin(least, n[0] * (x[0] - a[0]) + n[1] * (x[1] - a[1]));
    }
    return least;
}

static double best_edge(const bl_contact_solid *one, const bl_contact_solid *other, bl_index *edge) {
    double best = -INFINITY, n[3];
    for (bl_index i = 0; i < one->shape->ncorner; i++) {
        double s = separation(one, i, other, n);
        if (s > best) {
            best = s;
            *edge = i;
        }
    }
    return best;
}

/* the part between the ends of the reference edge of the other's edge that faces it most */
static int clip(const bl_contact_solid *one, bl_index edge, const bl_contact_solid *other, bool swapped, double margin,
                bl_contact_point *p) {
    double n[3], a[3], b[3], x[2][3], most = INFINITY;
    bl_index facing = 0;
    edge_normal(one, edge, n);
    corner_at(one, edge, a);
    corner_at(one, edge + 1, b);
    for (bl_index j = 0; j < other->shape->ncorner; j++) {
        double m[3];
        edge_normal(other, j, m);
        if (m[0] * n[0] + m[1] * n[1] < most) {
            most = m[0] * n[0] + m[1] * n[1];
            facing = j;
        }
    }
    corner_at(other, facing, x[0]);
    corner_at(other, facing + 1, x[1]);
    double length = sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]));
    const double along[2] = {(b[0] - a[0]) / length, (b[1] - a[1]) / length};
    double s[2], d[2];
    for (int k = 0; k < 2; k++) {
        s[k] = along[0] * (x[k][0] - a[0]) + along[1] * (x[k][1] - a[1]);
        d[k] = n[0] * (x[k][0] - a[0]) + n[1] * (x[k][1] - a[1]);
    }
    if (fmax(s[0], s[1]) < 0 || fmin(s[0], s[1]) > length) /* beside it: only corners are near */
        return 0;
    int count = 0;
    for (int k = 0; k < 2; k++) {
        double at = fmin(fmax(s[k], 0), length), span = s[1 - k] - s[k];
        double gap = span != 0 ? d[k] + (at - s[k]) / span * (d[1 - k] - d[k]) : d[k];
        if (gap > margin)
            continue;
        bl_contact_point *q = p + count++;
        q->gap = gap;
        q->number = (uint32_t)(2 * ((int)edge + (swapped ? 4096 : 0)) + k);
        for (int i = 0; i < 3; i++) {
            q->normal[i] = swapped ? -n[i] : n[i];
            q->at[i] = a[i] + (i < 2 ? along[i] * at : 0) + 0.5 * gap * n[i];
        }
    }
    return count;
}

int bl_polygon_polygon(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *p) {
    bl_index edge1 = 0, edge2 = 0;
    double s1 = best_edge(one, other, &edge1);
    if (s1 > margin)
        return 0;
    double s2 = best_edge(other, one, &edge2);
    if (s2 > margin)
        return 0;
    /* equal ones: always the first, so that numbers stay */
    if (s2 > s1 + 1e-6 * bl_contact_size(one->shape))
        return clip(other, edge2, one, true, margin, p);
    return clip(one, edge1, other, false, margin, p);
}

/* ---- capsules: the axis as a polygon of two corners, with the radius around it. Points are numbered by the corner they come from: 0 and 1
 * are ends of the axis, 2 + i corners of the polygon, so that numbers do not depend on the edge that separates. */

typedef struct axis_pair {
    double end[2][2], along[2], half, radius, margin;
    const bl_contact_solid *polygon;
} axis_pair;

static int add_point(const axis_pair *pair, const double on[2], const double n[2], double d, uint32_t number, bl_contact_point *p) {
    double gap = d - pair->radius;
    if (!(gap <= pair->margin))
        return 0;
    /* `on` of the axis, at the distance d from the polygon; n to the polygon */
    *p = (bl_contact_point){.gap = gap, .number = number, .normal = {n[0], n[1], 0}};
    for (int k = 0; k < 2; k++)
        p->at[k] = on[k] + (pair->radius + 0.5 * gap) * n[k];
    return 1;
}

/* the part of the axis between the ends of edge i, whose outward normal is m */
static int axis_on_edge(const axis_pair *pair, bl_index i, const double m[3], bl_contact_point *p) {
    double a[3], b[3], s[2], d[2];
    corner_at(pair->polygon, i, a);
    corner_at(pair->polygon, i + 1, b);
    const double length = sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1])), n[2] = {-m[0], -m[1]};
    const double along[2] = {-m[1], m[0]};
    for (int k = 0; k < 2; k++) {
        const double x = pair->end[k][0] - a[0], y = pair->end[k][1] - a[1];
        s[k] = along[0] * x + along[1] * y;
        d[k] = m[0] * x + m[1] * y;
    }
    if (fmax(s[0], s[1]) < 0 || fmin(s[0], s[1]) > length)
        return 0;
    int count = 0;
    for (int k = 0; k < 2; k++) {
        double to = fmin(fmax(s[k], 0), length), span = s[1 - k] - s[k], share = span != 0 ? (to - s[k]) / span : 0;
        double on[2];
        for (int j = 0; j < 2; j++)
            on[j] = pair->end[k][j] + share * (pair->end[1 - k][j] - pair->end[k][j]);
        bl_index corner = to > s[k] ? i : (i + 1) % pair->polygon->shape->ncorner;
        count += add_point(pair, on, n, d[k] + share * (d[1 - k] - d[k]), to == s[k] ? (uint32_t)k : (uint32_t)(2 + corner), p + count);
    }
    return count;
}

/* the part between the ends of the axis of the polygon's edge that faces it most; n: normal of the axis to the polygon */
static int edge_on_axis(const axis_pair *pair, const double n[2], bl_contact_point *p) {
    double most = INFINITY, m[3], x[2][3], s[2], d[2];
    bl_index facing = 0, ncorner = pair->polygon->shape->ncorner;
    for (bl_index i = 0; i < ncorner; i++) {
        edge_normal(pair->polygon, i, m);
        if (m[0] * n[0] + m[1] * n[1] < most) {
            most = m[0] * n[0] + m[1] * n[1];
            facing = i;
        }
    }
    for (int k = 0; k < 2; k++) {
        corner_at(pair->polygon, facing + k, x[k]);
        const double dx = x[k][0] - pair->end[0][0], dy = x[k][1] - pair->end[0][1];
        s[k] = pair->along[0] * dx + pair->along[1] * dy;
        d[k] = n[0] * dx + n[1] * dy;
    }
    const double length = 2 * pair->half;
    if (fmax(s[0], s[1]) < 0 || fmin(s[0], s[1]) > length)
        return 0;
    int count = 0;
    for (int k = 0; k < 2; k++) {
        double to = fmin(fmax(s[k], 0), length), span = s[1 - k] - s[k], share = span != 0 ? (to - s[k]) / span : 0;
        const double on[2] = {pair->end[0][0] + to * pair->along[0], pair->end[0][1] + to * pair->along[1]};
        uint32_t number = to == s[k] ? (uint32_t)(2 + (facing + k) % ncorner) : to > s[k] ? 0 : 1;
        count += add_point(pair, on, n, d[k] + share * (d[1 - k] - d[k]), number, p + count);
    }
    return count;
}

/* the nearest end of the axis and corner, if the shapes are nearest there: beyond the ends of all edges. Returns -1 if not. */
static int end_and_corner(const axis_pair *pair, double separation, bl_contact_point *p) {
    double least = INFINITY, nearest[2] = {0}, x[3];
    int end = 0;
    bl_index corner = 0;
    for (bl_index i = 0; i < pair->polygon->shape->ncorner; i++)
        for (int k = 0; k < 2; k++) {
            corner_at(pair->polygon, i, x);
            double d = hypot(x[0] - pair->end[k][0], x[1] - pair->end[k][1]);
            if (d < least) {
                least = d;
                end = k;
                corner = i;
                nearest[0] = x[0], nearest[1] = x[1];
            }
        }
    const double n[2] = {(nearest[0] - pair->end[end][0]) / least, (nearest[1] - pair->end[end][1]) / least};
    if (!(separation > 0) || (n[0] * pair->along[0] + n[1] * pair->along[1]) * (end ? 1 : -1) <= 0)
        return -1;
    for (int side = -1; side <= 1; side += 2) {
        corner_at(pair->polygon, corner + side + pair->polygon->shape->ncorner, x);
        if ((x[0] - nearest[0]) * n[0] + (x[1] - nearest[1]) * n[1] <= 0)
            return -1;
    }
    return add_point(pair, pair->end[end], n, least, (uint32_t)end, p);
}

/* edges of the polygon before the axis, unless they are worse: numbers stay */
int bl_capsule_polygon(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *p) {
    const double *axis = one->frame.axes + 6, half = one->shape->half[2];
    const bl_index ncorner = other->shape->ncorner;
    axis_pair pair = {.along = {axis[0], axis[1]}, .half = half, .radius = one->shape->radius, .margin = margin, .polygon = other};
    double best = -INFINITY, best_axis = -INFINITY, normal[3] = {0}, side[2] = {0}, m[3], x[3];
    bl_index edge = 0, corner = 0;
    int end = 0;
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 2; j++)
            pair.end[k][j] = one->frame.at[j] + (k ? half : -half) * axis[j];
    for (bl_index i = 0; i < ncorner; i++) {
        double d[2];
        edge_normal(other, i, m);
        corner_at(other, i, x);
        for (int k = 0; k < 2; k++)
            d[k] = m[0] * (pair.end[k][0] - x[0]) + m[1] * (pair.end[k][1] - x[1]);
        if (fmin(d[0], d[1]) > best) {
            best = fmin(d[0], d[1]);
            edge = i;
            end = d[1] < d[0];
            memcpy(normal, m, sizeof normal);
        }
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        const double n[2] = {-sign * axis[1], sign * axis[0]};
        double least = INFINITY;
        bl_index lowest = 0;
        for (bl_index i = 0; i < ncorner; i++) {
            corner_at(other, i, x);
            double d = n[0] * (x[0] - pair.end[0][0]) + n[1] * (x[1] - pair.end[0][1]);
            if (d < least) {
                least = d;
                lowest = i;
            }
        }
        if (least > best_axis) {
            best_axis = least;
            corner = lowest;
            memcpy(side, n, sizeof side);
        }
    }
    if (fmax(best, best_axis) - pair.radius > margin)
        return 0;
    int n = end_and_corner(&pair, fmax(best, best_axis), p);
    if (n >= 0)
        return n;
    const bool by_axis = best_axis > best + 1e-6 * bl_contact_size(other->shape);
    n = by_axis ? edge_on_axis(&pair, side, p) : axis_on_edge(&pair, edge, normal, p);
    if (n > 0)
        return n;
    if (!by_axis) /* beside the edge: the end that is deepest */
        return add_point(&pair, pair.end[end], (const double[2]){-normal[0], -normal[1]}, best, (uint32_t)end, p);
    corner_at(other, corner, x);
    const double along = axis[0] * (x[0] - one->frame.at[0]) + axis[1] * (x[1] - one->frame.at[1]), to = fmin(fmax(along, -half), half);
    const double on[2] = {one->frame.at[0] + to * axis[0], one->frame.at[1] + to * axis[1]};
    return add_point(&pair, on, side, best_axis, (uint32_t)(2 + corner), p);
}
