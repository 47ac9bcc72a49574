/* In the plane: polygons against lines and against each other, by separating edges; the edge of the other one is clipped. */
#include "contact/contact_private.h"

#include "base/vector3.h"

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
