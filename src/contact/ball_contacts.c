/* A ball against everything: the nearest point of the other surface. */
#include "contact/contact_private.h"

#include "base/vector3.h"

#include <string.h>

void bl_contact_inside(const bl_contact_frame *f, const double x[3], double local[3]) {
    const double d[3] = {x[0] - f->at[0], x[1] - f->at[1], x[2] - f->at[2]};
    for (int k = 0; k < 3; k++)
        local[k] = dot3(f->axes + 3 * k, d);
}

void bl_contact_outside(const bl_contact_frame *f, const double local[3], double x[3]) {
    const double *e = f->axes;
    for (int k = 0; k < 3; k++)
        x[k] = e[k] * local[0] + e[3 + k] * local[1] + e[6 + k] * local[2];
}

int bl_ball_ball(const double a[3], double ra, const double b[3], double rb, double margin, uint32_t number, bl_contact_point *p) {
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, square = dot3(d, d), sum = ra + rb + margin;
    if (!(square <= sum * sum))
        return 0;
    double length = sqrt(square), by = length > 0 ? 1 / length : 0;
    p->gap = length - ra - rb;
    for (int k = 0; k < 3; k++) {
        p->normal[k] = length > 0 ? d[k] * by : k == 0; /* the same center: any direction */
        p->at[k] = a[k] + (ra + 0.5 * p->gap) * p->normal[k];
    }
    p->number = number;
    return 1;
}

int bl_ball_surface(const double a[3], double ra, const double n[3], double d, double margin, uint32_t number, bl_contact_point *p) {
    p->gap = d - ra;
    if (!(p->gap <= margin))
        return 0;
    for (int k = 0; k < 3; k++) {
        p->normal[k] = -n[k];
        p->at[k] = a[k] - n[k] * (ra + 0.5 * p->gap);
    }
    p->number = number;
    return 1;
}

int bl_sphere_sphere(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *p) {
    return bl_ball_ball(one->frame.at, one->shape->radius, other->frame.at, other->shape->radius, margin, 0, p);
}

int bl_sphere_capsule(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *p) {
    const double *axis = other->frame.axes + 6, half = other->shape->half[2];
    double local[3], at[3];
    bl_contact_inside(&other->frame, one->frame.at, local);
    double s = fmin(fmax(local[2], -half), half);
    for (int k = 0; k < 3; k++)
        at[k] = other->frame.at[k] + s * axis[k];
    return bl_ball_ball(one->frame.at, one->shape->radius, at, other->shape->radius, margin, 0, p);
}

int bl_sphere_plane(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *p) {
    double local[3];
    bl_contact_inside(&other->frame, one->frame.at, local);
    return bl_ball_surface(one->frame.at, one->shape->radius, other->frame.axes + 6, local[2], margin, 0, p);
}

/* From a point `local` to the nearest point of a box |x_k| <= half_k, k < dimensions: outward normal and signed distance, in its frame. */
static double box_distance(const double local[3], const double half[3], int dimensions, double n[3]) {
    double square = 0, depth = -INFINITY;
    int face = 0;
    memset(n, 0, 3 * sizeof *n);
    for (int k = 0; k < dimensions; k++) {
        double beyond = fabs(local[k]) - half[k];
        if (beyond > depth) {
            depth = beyond;
            face = k;
        }
        if (beyond > 0) {
            n[k] = copysign(beyond, local[k]);
            square += beyond * beyond;
        }
    }
    if (square > 0) {
        double distance = sqrt(square);
        for (int k = 0; k < dimensions; k++)
            n[k] /= distance;
        return distance;
    }
    n[face] = copysign(1, local[face]);
    return depth;
}

int bl_ball_box(const double a[3], double ra, const bl_contact_solid *box, double margin, uint32_t number, bl_contact_point *p) {
    double local[3], n[3], normal[3];
    bl_contact_inside(&box->frame, a, local);
    double d = box_distance(local, box->shape->half, 3, n);
    if (!(d - ra <= margin))
        return 0;
    bl_contact_outside(&box->frame, n, normal);
    return bl_ball_surface(a, ra, normal, d, margin, number, p);
}

int bl_sphere_box(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *p) {
    return bl_ball_box(one->frame.at, one->shape->radius, other, margin, 0, p);
}

/* the cylinder is a box in (distance from the axis, height) */
int bl_ball_cylinder(const double a[3], double ra, const bl_contact_solid *cylinder, double margin, uint32_t number, bl_contact_point *p) {
    double local[3], n[3], normal[3];
    bl_contact_inside(&cylinder->frame, a, local);
    double radial = sqrt(local[0] * local[0] + local[1] * local[1]);
    const double at[3] = {radial, local[2], 0}, half[3] = {cylinder->shape->radius, cylinder->shape->half[2], 0};
    double d = box_distance(at, half, 2, n), cosine = radial > 0 ? local[0] / radial : 1, sine = radial > 0 ? local[1] / radial : 0;
    bl_contact_outside(&cylinder->frame, (const double[3]){n[0] * cosine, n[0] * sine, n[1]}, normal);
    return bl_ball_surface(a, ra, normal, d, margin, number, p);
}

int bl_sphere_cylinder(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *p) {
    return bl_ball_cylinder(one->frame.at, one->shape->radius, other, margin, 0, p);
}

/* in the plane: the edge farthest outside, or its nearer end */
int bl_sphere_polygon(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *p) {
    const bl_contact_shape *s = other->shape;
    double local[3], normal[3], n[3] = {0}, best = -INFINITY;
    bl_index edge = 0;
    bl_contact_inside(&other->frame, one->frame.at, local);
    for (bl_index i = 0; i < s->ncorner; i++) {
        const double *a = s->corner[i], *b = s->corner[(i + 1) % s->ncorner];
        double x = b[0] - a[0], y = b[1] - a[1], by = 1 / sqrt(x * x + y * y);
        double distance = ((local[0] - a[0]) * y - (local[1] - a[1]) * x) * by;
        if (distance > best) {
            best = distance;
            edge = i;
            n[0] = y * by, n[1] = -x * by;
        }
    }
    const double *a = s->corner[edge], *b = s->corner[(edge + 1) % s->ncorner];
    double along_a = (local[0] - a[0]) * (b[0] - a[0]) + (local[1] - a[1]) * (b[1] - a[1]);
    double along_b = (local[0] - b[0]) * (b[0] - a[0]) + (local[1] - b[1]) * (b[1] - a[1]);
    if (best > 0 && (along_a < 0 || along_b > 0)) { /* beside the edge: its corner */
        const double *corner = along_a < 0 ? a : b;
        n[0] = local[0] - corner[0], n[1] = local[1] - corner[1];
        best = sqrt(n[0] * n[0] + n[1] * n[1]);
        n[0] /= best, n[1] /= best;
    }
    bl_contact_outside(&other->frame, n, normal);
    return bl_ball_surface(one->frame.at, one->shape->radius, normal, best, margin, 0, p);
}
