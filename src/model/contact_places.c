/* Where two shapes may touch: each place becomes a one-sided constraint of its own, whose geometry is one of the kinds of
 * joint/touch_list.h. Planes touch corners, rims and ends; other shapes touch part by part: a corner or ball of one against every part of
 * the other, edges against edges. */
#include "force/force.h"
#include "joint/joint.h"
#include "model/contact_shapes.h"

#include <math.h>
#include <string.h>

/* a point or a part of a surface, with its axes */
typedef struct surface {
    bl_index body;
    double point[3], axis[3][3];
} surface;

static surface surface_at(const bl_touching_shape *s, const double point[3]) {
    surface out = {.body = s->body};
    memcpy(out.point, point, sizeof out.point);
    memcpy(out.axis, s->axis, sizeof out.axis);
    return out;
}

static void fill(const bl_contact_pair *p, const bl_touch_kind *touch, const surface *a, const surface *b, const double *number,
                 bl_contact_def *contact) {
    const surface *side[2] = {a, b};
    contact->restitution = p->restitution;
    contact->friction = p->friction;
    contact->sticking = p->sticking;
    contact->touch = touch;
    memcpy(contact->number, number, BL_TOUCH_NUMBERS * sizeof *number);
    contact->curve = p->curve;
    contact->deepest = p->deepest;
    for (int k = 0; k < 2; k++) {
        contact->body[k] = side[k]->body;
        memcpy(contact->point[k], side[k]->point, sizeof side[k]->point);
        memcpy(contact->axis[k], side[k]->axis, sizeof side[k]->axis);
    }
}

static bl_status add_compliant(bl_reader *r, const bl_contact_pair *p, const char *name, const bl_touch_kind *touch, const surface *a,
                               const surface *b, const double *number) {
    bl_force_def force = {.name = name, .place = *p->place, .kind = &bl_force_compliant_contact};
    bl_contact_def *contact;
    BL_TRY(BL_ARENA_NEW(&r->model->arena, contact, 1));
    *contact = (bl_contact_def){.name = name, .place = *p->place, .force = -1, .group = -1, .near = {-1, -1, -1, -1, -1, -1}, .solid = -1};
    fill(p, touch, a, b, number, contact);
    memcpy(force.value, p->value, sizeof force.value);
    force.contact = contact;
    return bl_compliant_add(r, &force);
}

/* made: NULL, or receives the contact, NULL if it is compliant */
static bl_status add(bl_reader *r, bl_contact_pair *p, const bl_touch_kind *touch, const surface *a, const surface *b, const double *number,
                     bl_contact_def **made) {
    bl_contact_def *contact;
    bl_joint_def *joint;
    const char *name = p->parts > 1 ? bl_arena_printf(&r->model->arena, "%s.%d", p->name, ++p->part) : p->name;
    if (made)
        *made = NULL; /* one that yields is a force */
    if (!name)
        return BL_E_MEMORY;
    if (p->parts > 1)
        BL_TRY(bl_contacts_claim(r, name, p->place));
    if (p->compliant || bl_compliant_yields(r, name, p->place, p->value))
        return add_compliant(r, p, name, touch, a, b, number);
    BL_TRY(bl_contacts_add(r, name, p->place, &bl_joint_contact, &contact, &joint));
    fill(p, touch, a, b, number, contact);
    memcpy(joint->body, contact->body, sizeof joint->body);
    contact->group = r->model->dim == 2 && p->parts > 1 ? p->group : -1;
    if (made)
        *made = contact;
    return BL_OK;
}

/* ---- planes, balls and holes */

static bl_status plane_with_points(bl_reader *r, bl_contact_pair *p, const bl_touching_shape *plane, const bl_touching_shape *other) {
    surface a = surface_at(plane, plane->at);
    bl_outline o;
    int n = 0;
    BL_TRY(bl_touching_outline(r, other, &o));
    for (int i = 0; i < o.n; i++)
        n += o.feature[i].kind == BL_FEATURE_CORNER;
    p->parts = n;
    for (int i = 0; i < o.n; i++) {
        const bl_feature *f = &o.feature[i];
        double number[BL_TOUCH_NUMBERS] = {f->radius};
        surface b = surface_at(other, f->at);
        if (f->kind == BL_FEATURE_CORNER)
            BL_TRY(add(r, p, &bl_touch_plane_ball, &a, &b, number, NULL));
    }
    return BL_OK;
}

static bl_status plane_with(bl_reader *r, bl_contact_pair *p, const bl_touching_shape *plane, const bl_touching_shape *other) {
    surface a = surface_at(plane, plane->at), b = surface_at(other, other->at);
    double number[BL_TOUCH_NUMBERS] = {other->radius};
    if (other->kind == BL_TOUCHING_ELLIPSOID) {
        for (int k = 0; k < r->model->dim; k++)
            number[k] = 0.5 * other->size[k];
        return add(r, p, &bl_touch_plane_ellipsoid, &a, &b, number, NULL);
    }
    if (r->model->dim == 2 || (other->kind != BL_TOUCHING_CYLINDER && other->kind != BL_TOUCHING_DISC))
        return plane_with_points(r, p, plane, other);
    p->parts = other->kind == BL_TOUCHING_CYLINDER ? 2 : 1;
    for (int end = 0; end < p->parts; end++) {
        b = surface_at(other, end ? other->to : other->at);
        BL_TRY(add(r, p, &bl_touch_plane_disc, &a, &b, number, NULL));
    }
    return BL_OK;
}

static bl_status round_with(bl_reader *r, bl_contact_pair *p, const bl_touching_shape *first, const bl_touching_shape *other) {
    surface a = surface_at(first, first->at), b = surface_at(other, other->at);
    double number[BL_TOUCH_NUMBERS] = {first->radius, other->radius};
    return add(r, p, &bl_touch_ball_ball, &a, &b, number, NULL);
}

/* in a round hole only corners and ends can touch */
static bl_status hole_with(bl_reader *r, bl_contact_pair *p, const bl_touching_shape *hole, const bl_touching_shape *other) {
    surface a = surface_at(hole, hole->at);
    bl_outline o;
    BL_TRY(bl_touching_outline(r, other, &o));
    for (int i = 0; i < o.n; i++)
        p->parts += o.feature[i].kind == BL_FEATURE_CORNER;
    for (int i = 0; i < o.n; i++) {
        const bl_feature *f = &o.feature[i];
        surface b = surface_at(other, f->at);
        double number[BL_TOUCH_NUMBERS] = {hole->radius, f->radius};
        if (f->kind != BL_FEATURE_CORNER)
            continue;
        if (!(f->radius < hole->radius)) {
            bl_fail(r->ctx, BL_E_MODEL, &other->item->place, "contact '%s': the hole with a radius of %g m has no room for one of %g m",
                    p->name, hole->radius, f->radius);
            bl_advise(r->ctx, "the radius of the hole must be larger");
            return BL_E_MODEL;
        }
        BL_TRY(add(r, p, &bl_touch_hole_ball, &a, &b, number, NULL));
    }
    return BL_OK;
}

/* ---- height profiles */

static surface part(const bl_touching_shape *s, const bl_feature *f);
static surface inward(const bl_touching_shape *s, const bl_feature *f, int dim);

static bl_status keep_curve(bl_reader *r, bl_contact_pair *p, const bl_curve *curve) {
    bl_curve *kept;
    BL_TRY(BL_ARENA_NEW(&r->model->arena, kept, 1));
    *kept = *curve;
    p->curve = kept;
    return BL_OK;
}

/* corners and circles; found[corner] */
static bl_status profile_corners(bl_reader *r, bl_contact_pair *p, const bl_touching_shape *profile, const bl_touching_shape *other,
                                 const bl_outline *o, bl_index *found) {
    surface a = surface_at(profile, profile->at);
    BL_TRY(keep_curve(r, p, &profile->curve));
    for (int i = 0; i < o->n; i++) {
        const bl_feature *f = &o->feature[i];
        double number[BL_TOUCH_NUMBERS] = {f->radius, f->cone[0], 1};
        surface b = inward(other, f, 2);
        bl_contact_def *made = NULL;
        found[i] = -1;
        if (f->kind != BL_FEATURE_CORNER)
            continue;
        bool ends = f->cone[0] < 2;
        BL_TRY(bl_contact_profile_fits(r, p, profile, f->radius));
        found[i] = r->ncontact;
        number[2] = other->radius > 0 ? other->radius : fmax(other->size[0], 1e-3 * fabs(profile->curve.to - profile->curve.from));
        BL_TRY(add(r, p, ends ? &bl_touch_curve_corner : &bl_touch_curve_ball, &a, &b, number, &made));
        made->solid = found[i]; /* there is no place beside a profile: behind it is inside */
    }
    return BL_OK;
}

static void add_near(bl_contact_def *contact, bl_index other);

/* faces with crests; rounded ends of a face continue it */
static bl_status profile_faces(bl_reader *r, bl_contact_pair *p, const bl_touching_shape *profile, const bl_touching_shape *other,
                               const bl_outline *o, const bl_index *found) {
    surface a = surface_at(profile, profile->at);
    double first = profile->curve.from;
    bl_curve crest;
    while (bl_contact_profile_crest(&profile->curve, &first, &crest)) {
        BL_TRY(keep_curve(r, p, &crest));
        for (int j = 0; j < o->n; j++) {
            const bl_feature *f = &o->feature[j];
            double number[BL_TOUCH_NUMBERS] = {f->half[0]};
            surface b = part(other, f);
            bl_contact_def *made;
            if (f->kind != BL_FEATURE_FACE)
                continue;
            bl_index c = r->ncontact;
            BL_TRY(add(r, p, &bl_touch_curve_face, &a, &b, number, &made));
            for (int k = 0; k < BL_FEATURE_NEAR && f->near[k] >= 0; k++)
                if (other->kind == BL_TOUCHING_CAPSULE && found[f->near[k]] >= 0) {
                    add_near(&r->contact[c], found[f->near[k]]);
                    add_near(&r->contact[found[f->near[k]]], c);
                }
        }
    }
    return BL_OK;
}

static bl_status profile_with(bl_reader *r, bl_contact_pair *p, const bl_touching_shape *profile, const bl_touching_shape *other) {
    bl_outline o;
    bl_index *found;
    double first = profile->curve.from;
    bl_curve crest;
    int corners = 0, faces = 0;
    BL_TRY(bl_touching_outline(r, other, &o));
    for (int i = 0; i < o.n; i++) {
        corners += o.feature[i].kind == BL_FEATURE_CORNER;
        faces += o.feature[i].kind == BL_FEATURE_FACE;
    }
    p->parts = corners;
    while (faces > 0 && bl_contact_profile_crest(&profile->curve, &first, &crest))
        p->parts += faces;
    BL_TRY(BL_ARENA_NEW(&r->scratch, found, o.n));
    BL_TRY(profile_corners(r, p, profile, other, &o, found));
    BL_TRY(profile_faces(r, p, profile, other, &o, found));
    p->curve = NULL;
    return BL_OK;
}

/* ---- part by part */

static surface part(const bl_touching_shape *s, const bl_feature *f) {
    surface out = {.body = s->body};
    memcpy(out.point, f->at, sizeof out.point);
    memcpy(out.axis, f->axis, sizeof out.axis);
    return out;
}

/* a corner as the second body has its axes inward */
static surface inward(const bl_touching_shape *s, const bl_feature *f, int dim) {
    surface out = part(s, f);
    bool three = dim == 3 && f->cone[2] < 2;
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            out.axis[k][c] = (three || k < 2 ? -1 : 1) * f->axis[three && k > 0 ? 3 - k : k][c];
    return out;
}

/* The kind for a part of the first shape and one of the second, and its numbers; NULL: they do not touch. */
static const bl_touch_kind *kind_of(const bl_feature *f, const bl_feature *g, double number[BL_TOUCH_NUMBERS]) {
    bool rounded = f->radius + g->radius > 0;
    memset(number, 0, BL_TOUCH_NUMBERS * sizeof *number);
    if (f->kind == BL_FEATURE_EDGE && g->kind == BL_FEATURE_EDGE && !rounded) {
        const double both[] = {f->half[0], g->half[0]};
        memcpy(number, both, sizeof both);
        return &bl_touch_sharp_edges;
    }
    if (f->kind == BL_FEATURE_EDGE && g->kind == BL_FEATURE_EDGE) {
        const double all[] = {f->radius, g->radius, f->half[0], g->half[0], f->cone[0], f->cone[1]};
        memcpy(number, all, sizeof all);
        return &bl_touch_edge_edge;
    }
    if (g->kind != BL_FEATURE_CORNER)
        return NULL;
    const double face[] = {g->radius, f->half[0], f->half[1], g->cone[0], g->cone[1], g->cone[2]};
    const double edge[] = {f->radius, g->radius, f->half[0], f->cone[0], f->cone[1]};
    const double corner[] = {f->radius, g->radius, f->cone[0], f->cone[1], f->cone[2], g->cone[0], g->cone[1], g->cone[2]};
    const double round[] = {f->radius, g->radius};
    switch (f->kind) {
    case BL_FEATURE_FACE: memcpy(number, face, sizeof face); return &bl_touch_face_ball;
    case BL_FEATURE_EDGE: memcpy(number, edge, sizeof edge); return rounded ? &bl_touch_edge_ball : NULL;
    case BL_FEATURE_CORNER: memcpy(number, corner, sizeof corner); return rounded ? &bl_touch_corner_ball : NULL;
    case BL_FEATURE_END: memcpy(number, round, sizeof round); return &bl_touch_end_ball;
    case BL_FEATURE_RIM: memcpy(number, round, sizeof round); return g->radius > 0 ? &bl_touch_rim_ball : NULL;
    }
    return NULL;
}

/* the contacts of all parts of two shapes: found[part of the first][part of the second], -1: none */
typedef struct meeting {
    const bl_touching_shape *shape;
    bl_outline outline[2];
    bl_index *found;
} meeting;

static bl_index *found_at(const meeting *m, int i, int j) { return &m->found[(size_t)i * (size_t)m->outline[1].n + (size_t)j]; }

/* which of the two is the first body of the contact: the one with the face or edge; 1: the second shape */
static const bl_touch_kind *order(const meeting *m, int i, int j, double number[BL_TOUCH_NUMBERS], int *first) {
    const bl_feature *f = &m->outline[0].feature[i], *g = &m->outline[1].feature[j];
    const bl_touch_kind *touch = kind_of(f, g, number);
    *first = touch == NULL;
    return touch ? touch : kind_of(g, f, number);
}

/* the first contact of a corner with a face of the other shape */
static bl_index first_face(const meeting *m, int first, int i, int j) {
    int k = 0;
    while (m->outline[first].feature[k].kind != BL_FEATURE_FACE)
        k++;
    return first ? *found_at(m, i, k) : *found_at(m, k, j);
}

static bl_status add_parts(bl_reader *r, bl_contact_pair *p, meeting *m) {
    int dim = r->model->dim, first;
    double number[BL_TOUCH_NUMBERS];
    bl_contact_def *made;
    for (int i = 0; i < m->outline[0].n; i++)
        for (int j = 0; j < m->outline[1].n; j++) {
            const bl_touch_kind *touch = order(m, i, j, number, &first);
            *found_at(m, i, j) = -1;
            if (!touch)
                continue;
            const bl_feature *f = &m->outline[first].feature[first ? j : i], *g = &m->outline[1 - first].feature[first ? i : j];
            surface a = part(&m->shape[first], f), b = part(&m->shape[1 - first], g);
            if (g->kind == BL_FEATURE_CORNER)
                b = inward(&m->shape[1 - first], g, dim);
            *found_at(m, i, j) = r->ncontact;
            bool flat = f->kind == BL_FEATURE_FACE || f->kind == BL_FEATURE_END;
            p->deepest = flat ? g->radius + (m->shape[first].kind == BL_TOUCHING_CAPSULE ? m->shape[first].radius : 0) : 0;
            BL_TRY(add(r, p, touch, &a, &b, number, &made));
            if (!made)
                *found_at(m, i, j) = -1;
            else if (m->outline[first].convex && f->kind == BL_FEATURE_FACE)
                made->solid = first_face(m, first, i, j);
        }
    return BL_OK;
}

static void add_near(bl_contact_def *contact, bl_index other) {
    size_t k = 0;
    while (k < sizeof contact->near / sizeof *contact->near && contact->near[k] >= 0)
        k++;
    if (k < sizeof contact->near / sizeof *contact->near)
        contact->near[k] = other;
}

/* contacts of neighboring parts, if the surface is rounded there: a sharp corner has none */
static void link(bl_reader *r, const meeting *m) {
    for (int i = 0; i < m->outline[0].n; i++)
        for (int j = 0; j < m->outline[1].n; j++) {
            bl_index c = *found_at(m, i, j);
            for (int k = 0; k < BL_FEATURE_NEAR && c >= 0; k++) {
                int left = m->outline[0].feature[i].near[k], right = m->outline[1].feature[j].near[k];
                if (left >= 0 && *found_at(m, left, j) >= 0)
                    add_near(&r->contact[c], *found_at(m, left, j));
                if (right >= 0 && *found_at(m, i, right) >= 0)
                    add_near(&r->contact[c], *found_at(m, i, right));
            }
        }
}

static bl_status part_by_part(bl_reader *r, bl_contact_pair *p, const bl_touching_shape *shape) {
    meeting m = {.shape = shape};
    double number[BL_TOUCH_NUMBERS];
    int first;
    for (int k = 0; k < 2; k++)
        BL_TRY(bl_touching_outline(r, &shape[k], &m.outline[k]));
    BL_TRY(BL_ARENA_NEW(&r->scratch, m.found, (bl_index)(m.outline[0].n * m.outline[1].n)));
    for (int i = 0; i < m.outline[0].n; i++)
        for (int j = 0; j < m.outline[1].n; j++)
            p->parts += order(&m, i, j, number, &first) != NULL;
    BL_TRY(add_parts(r, p, &m));
    link(r, &m);
    return BL_OK;
}

/* ---- which pairs */

static bool is_ball(const bl_touching_shape *s, int dim) {
    return s->kind == BL_TOUCHING_POINT || s->kind == BL_TOUCHING_SPHERE || (dim == 2 && s->kind == BL_TOUCHING_DISC);
}

static bool has_parts(const bl_touching_shape *s, int dim) {
    return is_ball(s, dim) || s->kind == BL_TOUCHING_CAPSULE || s->kind == BL_TOUCHING_BOX ||
           s->kind == (dim == 2 ? BL_TOUCHING_POLYLINE : BL_TOUCHING_CYLINDER);
}

static bl_status refuse_pair(bl_reader *r, const bl_contact_pair *p, const bl_touching_shape *s) {
    int dim = r->model->dim;
    bl_fail(r->ctx, BL_E_MODEL, p->place, "contact '%s': %s and %s cannot touch each other%s", p->name, bl_touching_names[s[0].kind],
            bl_touching_names[s[1].kind], dim == 2 ? " in the plane" : "");
    bl_advise(
        r->ctx,
        dim == 2 ? "planes touch all shapes but planes, holes and profiles; points, spheres, capsules, boxes and polylines touch each "
                   "other and profiles; all of these touch holes from inside"
                 : "planes touch all shapes but planes and holes; spheres and capsules touch each other and boxes; spheres touch "
                   "cylinders; points, spheres, capsules and boxes touch holes from inside. Several spheres or capsules may replace a box");
    return BL_E_MODEL;
}

/* A ball and a convex shape: its parts have one potential, which is continuous where one takes over from another. */
static bl_status can_yield(bl_reader *r, const bl_touching_shape *s, bool *can) {
    *can = false;
    for (int k = 0; k < 2; k++) {
        bl_outline o;
        const bl_touching_shape *other = &s[1 - k];
        if (!is_ball(&s[k], r->model->dim) || !(s[k].radius > 0))
            continue;
        BL_TRY(bl_touching_outline(r, other, &o));
        *can = *can || is_ball(other, r->model->dim) || other->kind == BL_TOUCHING_CAPSULE || o.convex;
    }
    return BL_OK;
}

static bl_status refuse_compliant(bl_reader *r, const bl_contact_pair *p, const bl_touching_shape *s) {
    bl_fail(r->ctx, BL_E_MODEL, p->place, "contact '%s': a compliant contact of %s and %s has no potential where their surfaces end",
            p->name, bl_touching_names[s[0].kind], bl_touching_names[s[1].kind]);
    bl_advise(r->ctx,
              "use a rigid contact; planes and holes, or a sphere with a box, a capsule, a cylinder or a convex closed polyline; several "
              "spheres may replace a shape with corners");
    return BL_E_MODEL;
}

/* in space a cylinder with anything but a ball has no closed form here */
static bool have_form(const bl_touching_shape *a, const bl_touching_shape *b, int dim) {
    if (!has_parts(a, dim) || !has_parts(b, dim))
        return false;
    if (is_ball(a, dim) && is_ball(b, dim))
        return a->radius + b->radius > 0;
    if (dim == 2 || is_ball(a, dim) || is_ball(b, dim))
        return true;
    return a->kind != BL_TOUCHING_CYLINDER && b->kind != BL_TOUCHING_CYLINDER;
}

bl_status bl_contact_places(bl_reader *r, bl_contact_pair *p, const bl_touching_shape s[2]) {
    int dim = r->model->dim;
    p->group = r->ncontact;
    for (int k = 0; k < 2; k++) {
        const bl_touching_shape *a = &s[k], *b = &s[1 - k];
        bool solid = dim == 3 && (b->kind == BL_TOUCHING_CYLINDER || b->kind == BL_TOUCHING_DISC);
        if (a->kind == BL_TOUCHING_PLANE && (has_parts(b, dim) || solid || b->kind == BL_TOUCHING_ELLIPSOID))
            return plane_with(r, p, a, b);
        if (a->kind == BL_TOUCHING_PROFILE && has_parts(b, dim))
            return p->compliant || r->nyield ? refuse_compliant(r, p, s) : profile_with(r, p, a, b);
        if (a->kind == BL_TOUCHING_HOLE && has_parts(b, dim) && b->kind != BL_TOUCHING_CYLINDER)
            return hole_with(r, p, a, b);
    }
    if (!have_form(&s[0], &s[1], dim))
        return refuse_pair(r, p, s);
    bool yields = true;
    if ((p->compliant || r->nyield) && !(is_ball(&s[0], dim) && is_ball(&s[1], dim)))
        BL_TRY(can_yield(r, s, &yields));
    if (!yields)
        return refuse_compliant(r, p, s);
    return is_ball(&s[0], dim) && is_ball(&s[1], dim) ? round_with(r, p, &s[0], &s[1]) : part_by_part(r, p, s);
}
