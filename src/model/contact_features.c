/* Parts of the surface of a shape: flat faces, rounded edges and corners. Each part is smooth and ends where the next one begins: a circle
 * is one corner, a capsule in the plane two faces and two corners. */
#include "model/contact_shapes.h"

#include "base/vector3.h"

#include <math.h>
#include <string.h>

enum { FREE = 2 }; /* of a cone: no bound */

void bl_touching_axes(int dim, double (*axis)[3]) {
    double other[3] = {fabs(axis[0][0]) < 0.6, fabs(axis[0][0]) >= 0.6, 0};
    if (dim == 2) {
        axis[1][0] = -axis[0][1], axis[1][1] = axis[0][0], axis[1][2] = 0;
    } else {
        cross3(axis[0], other, axis[1]);
        double length = sqrt(dot3(axis[1], axis[1]));
        for (int k = 0; k < 3; k++)
            axis[1][k] /= length;
    }
    cross3(axis[0], axis[1], axis[2]);
}

/* at + sum along[k] axis[k] */
static void shift(const bl_touching_shape *s, const double along[3], double at[3]) {
    memcpy(at, s->at, 3 * sizeof *at);
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            at[c] += along[k] * s->axis[k][c];
}

static void set_axis(bl_feature *f, int k, double sign, const double axis[3]) {
    for (int c = 0; c < 3; c++)
        f->axis[k][c] = sign * axis[c];
}

static bl_feature *add(bl_outline *o, bl_feature_kind kind, double radius) {
    bl_feature *f = &o->feature[o->n++];
    *f = (bl_feature){.kind = kind, .radius = radius, .cone = {FREE, FREE, FREE}};
    for (int k = 0; k < BL_FEATURE_NEAR; k++)
        f->near[k] = -1;
    return f;
}

static void add_near(bl_feature *f, int near) {
    for (int k = 0; k < BL_FEATURE_NEAR; k++)
        if (f->near[k] < 0) {
            f->near[k] = near;
            return;
        }
}

static void join(bl_outline *o, int a, int b) {
    add_near(&o->feature[a], b);
    add_near(&o->feature[b], a);
}

static bl_status room(bl_reader *r, bl_outline *o, bl_index n) { return BL_ARENA_NEW(&r->scratch, o->feature, n); }

/* ---- shapes */

static bl_status ball(bl_reader *r, const bl_touching_shape *s, bl_outline *o) {
    BL_TRY(room(r, o, 1));
    bl_feature *f = add(o, BL_FEATURE_CORNER, s->radius);
    memcpy(f->at, s->at, sizeof f->at);
    memcpy(f->axis, s->axis, sizeof f->axis);
    return BL_OK;
}

/* ends first; then the side: in the plane a face on either side */
static bl_status capsule(bl_reader *r, const bl_touching_shape *s, bl_outline *o) {
    int dim = r->model->dim;
    BL_TRY(room(r, o, 4));
    for (int end = 0; end < 2; end++) {
        bl_feature *f = add(o, BL_FEATURE_CORNER, s->radius);
        memcpy(f->at, end ? s->to : s->at, sizeof f->at);
        set_axis(f, 0, end ? 1 : -1, s->axis[0]);
        bl_touching_axes(dim, f->axis);
        f->cone[0] = 0;
    }
    for (int side = 0; side < (dim == 2 ? 2 : 1); side++) {
        bl_feature *f = add(o, dim == 2 ? BL_FEATURE_FACE : BL_FEATURE_EDGE, dim == 2 ? 0 : s->radius);
        for (int k = 0; k < 3; k++)
            f->at[k] = 0.5 * (s->at[k] + s->to[k]);
        memcpy(f->axis, s->axis, sizeof f->axis);
        if (dim == 2) {
            set_axis(f, 0, side ? -1 : 1, s->axis[1]);
            bl_touching_axes(dim, f->axis);
            for (int k = 0; k < 3; k++)
                f->at[k] += s->radius * f->axis[0][k];
        }
        f->half[0] = 0.5 * s->size[0];
        join(o, o->n - 1, 0);
        join(o, o->n - 1, 1);
    }
    return BL_OK;
}

static int box_corner(int dim, const int sign[3]) {
    return 2 * dim + (dim == 3 ? 12 : 0) + (sign[0] > 0) + 2 * (sign[1] > 0) + (dim == 3 ? 4 * (sign[2] > 0) : 0);
}

static int box_face(int k, int sign) { return 2 * k + (sign > 0); }

static void box_faces(const bl_touching_shape *s, int dim, bl_outline *o) {
    for (int k = 0; k < dim; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            bl_feature *f = add(o, BL_FEATURE_FACE, 0);
            double along[3] = {0, 0, 0};
            along[k] = 0.5 * sign * s->size[k];
            shift(s, along, f->at);
            set_axis(f, 0, sign, s->axis[k]);
            if (dim == 2)
                bl_touching_axes(2, f->axis);
            for (int t = 1; t < dim && dim == 3; t++) /* right-handed */
                set_axis(f, t, t == 1 ? sign : 1, s->axis[(k + t) % 3]);
            for (int t = 1; t < dim; t++)
                f->half[t - 1] = 0.5 * s->size[(k + t) % dim];
        }
}

/* edge along axis k, between the faces of the other two */
static void box_edges(const bl_touching_shape *s, bl_outline *o) {
    for (int k = 0; k < 3; k++)
        for (int which = 0; which < 4; which++) {
            int i = (k + 1) % 3, j = (k + 2) % 3, sign[2] = {which & 1 ? 1 : -1, which & 2 ? 1 : -1};
            bl_feature *f = add(o, BL_FEATURE_EDGE, 0);
            double along[3] = {0, 0, 0};
            along[i] = 0.5 * sign[0] * s->size[i];
            along[j] = 0.5 * sign[1] * s->size[j];
            shift(s, along, f->at);
            set_axis(f, 0, sign[0] * sign[1], s->axis[k]);
            set_axis(f, 1, sign[0], s->axis[i]);
            set_axis(f, 2, sign[1], s->axis[j]);
            f->cone[0] = f->cone[1] = 0;
            f->half[0] = 0.5 * s->size[k];
            join(o, o->n - 1, box_face(i, sign[0]));
            join(o, o->n - 1, box_face(j, sign[1]));
        }
}

/* edges and corners of the box that meet: an edge lies between two corners */
static void join_box_corner(bl_outline *o, int dim, int corner, const int sign[3]) {
    if (dim == 2) {
        join(o, corner, box_face(0, sign[0]));
        join(o, corner, box_face(1, sign[1]));
        return;
    }
    for (int k = 0; k < 3; k++)
        join(o, corner, 6 + 4 * k + (sign[(k + 1) % 3] > 0) + 2 * (sign[(k + 2) % 3] > 0));
}

static bl_status box(bl_reader *r, const bl_touching_shape *s, bl_outline *o) {
    int dim = r->model->dim;
    BL_TRY(room(r, o, dim == 2 ? 8 : 26));
    box_faces(s, dim, o);
    if (dim == 3)
        box_edges(s, o);
    for (int i = 0; i < 1 << dim; i++) {
        int sign[3] = {i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
        bl_feature *f = add(o, BL_FEATURE_CORNER, 0);
        double along[3] = {0.5 * sign[0] * s->size[0], 0.5 * sign[1] * s->size[1], dim == 3 ? 0.5 * sign[2] * s->size[2] : 0};
        shift(s, along, f->at);
        bool swapped = dim == 3 && sign[0] * sign[1] * sign[2] < 0; /* right-handed */
        for (int k = 0; k < 3; k++)
            set_axis(f, swapped && k > 0 ? 3 - k : k, sign[k], s->axis[k]);
        if (dim == 2) {
            for (int c = 0; c < 3; c++)
                f->axis[0][c] = sqrt(0.5) * (sign[0] * s->axis[0][c] + sign[1] * s->axis[1][c]);
            bl_touching_axes(2, f->axis);
        }
        for (int k = 0; k < (dim == 2 ? 1 : 3); k++)
            f->cone[k] = dim == 2 ? -sqrt(0.5) : 0;
        join_box_corner(o, dim, box_corner(dim, sign), sign);
    }
    o->convex = true;
    return BL_OK;
}

static bl_status cylinder(bl_reader *r, const bl_touching_shape *s, bl_outline *o) {
    BL_TRY(room(r, o, 5));
    bl_feature *side = add(o, BL_FEATURE_EDGE, s->radius);
    for (int k = 0; k < 3; k++)
        side->at[k] = 0.5 * (s->at[k] + s->to[k]);
    memcpy(side->axis, s->axis, sizeof side->axis);
    side->half[0] = 0.5 * s->size[0];
    for (int end = 0; end < 2; end++)
        for (int rim = 0; rim < 2; rim++) {
            bl_feature *f = add(o, rim ? BL_FEATURE_RIM : BL_FEATURE_END, s->radius);
            memcpy(f->at, end ? s->to : s->at, sizeof f->at);
            set_axis(f, 0, end ? 1 : -1, s->axis[0]);
            bl_touching_axes(3, f->axis);
            if (rim) {
                join(o, o->n - 1, 0);
                join(o, o->n - 1, o->n - 2);
            }
        }
    o->convex = true;
    return BL_OK;
}

/* ---- polylines */

static void unit_between(const double a[3], const double b[3], double out[3], double *length) {
    *length = hypot(b[0] - a[0], b[1] - a[1]);
    for (int k = 0; k < 3; k++)
        out[k] = (b[k] - a[k]) / *length;
}

/* The corner between two faces, whose normals are on the free side; none where that is concave. */
static void polyline_corner(bl_outline *o, const double at[3], int before, int after) {
    const double *n = o->feature[before].axis[0], *m = o->feature[after].axis[0];
    double turn = (n[0] * m[1] - n[1] * m[0]), straight = dot3(n, m), sum[3] = {n[0] + m[0], n[1] + m[1], 0};
    /* the free normal of the next face, against the direction in which faces follow each other */
    double along[3] = {o->feature[after].at[0] - at[0], o->feature[after].at[1] - at[1], 0};
    bool convex = dot3(n, along) < 0, flat = fabs(turn) < 1e-9 && straight > 0;
    if (flat) {
        join(o, before, after);
        return;
    }
    if (!convex) {
        o->convex = false;
        return;
    }
    bl_feature *f = add(o, BL_FEATURE_CORNER, 0);
    double size = hypot(sum[0], sum[1]);
    memcpy(f->at, at, sizeof f->at);
    for (int k = 0; k < 3; k++)
        f->axis[0][k] = sum[k] / size;
    bl_touching_axes(2, f->axis);
    f->cone[0] = -0.5 * size; /* cosine of half the angle between the normals */
    join(o, o->n - 1, before);
    join(o, o->n - 1, after);
}

/* the end of a polyline that is open: half a circle */
static void polyline_end(bl_outline *o, const double at[3], int face) {
    bl_feature *f = add(o, BL_FEATURE_CORNER, 0);
    double length;
    memcpy(f->at, at, sizeof f->at);
    unit_between(o->feature[face].at, at, f->axis[0], &length);
    bl_touching_axes(2, f->axis);
    f->cone[0] = 0;
    join(o, o->n - 1, face);
}

static bl_status polyline(bl_reader *r, const bl_touching_shape *s, bl_outline *o) {
    int nface = (int)s->npoint - !s->closed;
    BL_TRY(room(r, o, 2 * s->npoint));
    o->convex = s->closed;
    for (int i = 0; i < nface; i++) {
        const double *a = s->point[i], *b = s->point[(i + 1) % s->npoint];
        bl_feature *f = add(o, BL_FEATURE_FACE, 0);
        double along[3], length;
        unit_between(a, b, along, &length);
        f->half[0] = 0.5 * length;
        for (int k = 0; k < 3; k++)
            f->at[k] = 0.5 * (a[k] + b[k]);
        f->axis[0][0] = s->reversed ? along[1] : -along[1];
        f->axis[0][1] = s->reversed ? -along[0] : along[0];
        bl_touching_axes(2, f->axis);
    }
    for (int i = s->closed ? 0 : 1; i < nface; i++)
        polyline_corner(o, s->point[i], (i + nface - 1) % nface, i);
    if (!s->closed) {
        polyline_end(o, s->point[0], 0);
        polyline_end(o, s->point[s->npoint - 1], nface - 1);
    }
    return BL_OK;
}

bl_status bl_touching_outline(bl_reader *r, const bl_touching_shape *shape, bl_outline *out) {
    *out = (bl_outline){.n = 0};
    switch (shape->kind) {
    case BL_TOUCHING_POINT:
    case BL_TOUCHING_SPHERE: return ball(r, shape, out);
    case BL_TOUCHING_DISC: return r->model->dim == 2 ? ball(r, shape, out) : BL_OK;
    case BL_TOUCHING_CAPSULE: return capsule(r, shape, out);
    case BL_TOUCHING_BOX: return box(r, shape, out);
    case BL_TOUCHING_CYLINDER: return r->model->dim == 3 ? cylinder(r, shape, out) : BL_OK;
    case BL_TOUCHING_POLYLINE: return polyline(r, shape, out);
    default: return BL_OK;
    }
}
