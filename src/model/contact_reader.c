/* Contacts: pairs of shapes of two bodies. Each place where they may touch becomes a one-sided constraint of its own, whose geometry is one
 * of the kinds of joint/touch_list.h: the corners of a box, the rims of a cylinder, the ends of a capsule on a plane. */
#include "force/force.h"
#include "joint/joint.h"
#include "joint/touch.h"
#include "model/reader.h"

#include "base/vector3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum shape_kind { POINT, SPHERE, HOLE, PLANE, CAPSULE, BOX, CYLINDER, DISC, ELLIPSOID, POLYLINE, SHAPES } shape_kind;
static const char *const shape_names[SHAPES] = {"point", "sphere",   "hole", "plane",     "capsule",
                                                "box",   "cylinder", "disc", "ellipsoid", "polyline"};

typedef struct shape {
    shape_kind kind;
    const bl_item *item;
    bl_index body;
    double at[3], to[3], radius, size[3], axis[3][3]; /* of a plane the normal is axis[0], of a disc its axis */
    bl_index npoint;
    double (*point)[3];
} shape;

typedef struct pair {
    const char *name;
    const bl_place *place;
    double restitution, friction, sticking;
    int parts, part; /* number of places, the present one */
    bool compliant;
    bl_value value[BL_MAX_PARAMS]; /* of its law */
} pair;

/* ---- shapes */

static bl_status read_length(bl_reader *r, const bl_item *map, const char *owner, const char *key, uint32_t flags, double *value) {
    const bl_item *item;
    BL_TRY(bl_item_need(r, map, owner, key, &item));
    BL_TRY(bl_item_number(r, item, key, value));
    return bl_item_range(r, &item->place, key, flags, *value);
}

static bl_status read_point(bl_reader *r, const bl_item *map, const char *owner, const char *key, double at[3]) {
    const bl_item *item;
    BL_TRY(bl_item_need(r, map, owner, key, &item));
    return bl_item_point(r, item, key, at);
}

/* a right-handed set of unit vectors, the first given */
static void complete_axes(int dim, shape *s) {
    double(*axis)[3] = s->axis;
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

static void plain_axes(shape *s) {
    memset(s->axis, 0, sizeof s->axis);
    s->axis[0][0] = s->axis[1][1] = s->axis[2][2] = 1;
}

static bl_status read_normal(bl_reader *r, const bl_item *map, const char *owner, const char *key, shape *s) {
    const bl_item *item = bl_item_get(map, key);
    if (!item) {
        bl_fail(r->ctx, BL_E_MODEL, &map->place, "a %s needs '%s'", owner, key);
        bl_advise(r->ctx, s->kind == PLANE ? "the normal points to the side of the other body: `normal: [0, %s1]`" : "`%s: [0, 0, 1]`",
                  s->kind == PLANE ? (r->model->dim == 3 ? "0, " : "") : key);
        return BL_E_MODEL;
    }
    BL_TRY(bl_item_direction(r, item, key, s->axis[0]));
    complete_axes(r->model->dim, s);
    return BL_OK;
}

static bl_status read_ends(bl_reader *r, const bl_item *map, const char *owner, shape *s) {
    double length = 0;
    BL_TRY(read_point(r, map, owner, "from", s->at));
    BL_TRY(read_point(r, map, owner, "to", s->to));
    BL_TRY(read_length(r, map, owner, "radius", s->kind == CAPSULE ? BL_NOT_NEGATIVE : BL_POSITIVE, &s->radius));
    for (int k = 0; k < 3; k++)
        length = hypot(length, s->to[k] - s->at[k]);
    if (!(length > 0))
        return bl_fail(r->ctx, BL_E_MODEL, &map->place, "%s: from and to are the same point", owner);
    for (int k = 0; k < 3; k++)
        s->axis[0][k] = (s->to[k] - s->at[k]) / length;
    s->size[0] = length;
    complete_axes(r->model->dim, s);
    return BL_OK;
}

static bl_status read_sizes(bl_reader *r, const bl_item *map, const char *owner, const char *key, double size[3]) {
    const bl_item *item;
    BL_TRY(bl_item_need(r, map, owner, key, &item));
    BL_TRY(bl_item_vector(r, item, key, size));
    for (int k = 0; k < r->model->dim; k++)
        BL_TRY(bl_item_range(r, &item->place, key, BL_POSITIVE, size[k]));
    return BL_OK;
}

/* edges of a box, or axes of an ellipsoid: turned by an angle in the plane, along two directions in space */
static bl_status read_turn(bl_reader *r, const bl_item *map, shape *s) {
    const bl_item *angle = bl_item_get(map, "angle");
    BL_TRY(bl_read_axes(r, bl_item_get(map, "axes"), s->axis));
    if (!angle)
        return BL_OK;
    double turn;
    if (r->model->dim == 3)
        return bl_fail(r->ctx, BL_E_MODEL, &angle->place, "'angle' can only be used in planar models; in space use 'axes'");
    BL_TRY(bl_item_number(r, angle, "angle", &turn));
    s->axis[0][0] = cos(turn), s->axis[0][1] = sin(turn);
    complete_axes(2, s);
    return BL_OK;
}

static bl_status read_points(bl_reader *r, const bl_item *map, shape *s) {
    const bl_item *points;
    BL_TRY(bl_item_need(r, map, "a polyline", "points", &points));
    if (points->kind != BL_ITEM_LIST || points->count < 2)
        return bl_fail(r->ctx, BL_E_MODEL, &points->place, "points of a polyline must be a list of two points or more");
    s->npoint = points->count;
    BL_TRY(BL_ARENA_NEW(&r->scratch, s->point, s->npoint));
    for (bl_index i = 0; i < s->npoint; i++)
        BL_TRY(bl_item_point(r, points->value[i], "points", s->point[i]));
    return BL_OK;
}

static bl_status read_details(bl_reader *r, const bl_item *map, shape *s) {
    static const char *const keys[SHAPES][6] = {{"at"},
                                                {"at", "radius"},
                                                {"at", "radius"},
                                                {"at", "normal"},
                                                {"from", "to", "radius"},
                                                {"at", "size", "angle", "axes"},
                                                {"from", "to", "radius"},
                                                {"at", "radius", "axis"},
                                                {"at", "size", "angle", "axes"},
                                                {"points"}};
    size_t n = 0;
    const char *owner = shape_names[s->kind];
    while (n < 6 && keys[s->kind][n])
        n++;
    BL_TRY(bl_item_map(r, map, owner));
    BL_TRY(bl_item_keys(r, map, owner, keys[s->kind], n, NULL));
    plain_axes(s);
    if (s->kind == CAPSULE || s->kind == CYLINDER)
        return read_ends(r, map, owner, s);
    if (s->kind == POLYLINE)
        return read_points(r, map, s);
    BL_TRY(read_point(r, map, owner, "at", s->at));
    if (s->kind == SPHERE || s->kind == HOLE || s->kind == DISC)
        BL_TRY(read_length(r, map, owner, "radius", BL_POSITIVE, &s->radius));
    if (s->kind == PLANE)
        return read_normal(r, map, "plane", "normal", s);
    if (s->kind == DISC && r->model->dim == 3)
        return read_normal(r, map, "disc", "axis", s);
    if (s->kind == BOX || s->kind == ELLIPSOID) {
        BL_TRY(read_sizes(r, map, owner, "size", s->size));
        return read_turn(r, map, s);
    }
    return BL_OK;
}

/* {sphere: {at: C, radius: 0.1}} */
static bl_status read_shape(bl_reader *r, const bl_item *item, bl_index body, shape *s) {
    *s = (shape){.item = item, .body = body};
    BL_TRY(bl_item_map(r, item, "a shape"));
    if (item->count != 1)
        return bl_fail(r->ctx, BL_E_MODEL, &item->place, "a shape is one of its kinds with its dimensions: {sphere: {at: C, radius: 0.1}}");
    for (s->kind = POINT; s->kind < SHAPES && strcmp(item->key[0]->text, shape_names[s->kind]) != 0;)
        s->kind++;
    if (s->kind < SHAPES)
        return read_details(r, item->value[0], s);
    bl_fail(r->ctx, BL_E_MODEL, &item->key[0]->place, "there is no shape '%s'", item->key[0]->text);
    const char *near = bl_nearest(item->key[0]->text, shape_names, SHAPES);
    if (near)
        bl_advise(r->ctx, "did you mean '%s'?", near);
    return BL_E_MODEL;
}

/* ---- places where two shapes may touch */

typedef struct surface {
    const shape *of;
    double point[3];
} surface;

static void fill(const pair *p, const bl_touch_kind *touch, const surface *a, const surface *b, const double *number,
                 bl_contact_def *contact) {
    contact->restitution = p->restitution;
    contact->friction = p->friction;
    contact->sticking = p->sticking;
    contact->touch = touch;
    memcpy(contact->number, number, 3 * sizeof *number);
    const surface *side[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        contact->body[k] = side[k]->of->body;
        memcpy(contact->point[k], side[k]->point, sizeof side[k]->point);
        memcpy(contact->axis[k], side[k]->of->axis, sizeof side[k]->of->axis);
    }
}

static bl_status add(bl_reader *r, pair *p, const bl_touch_kind *touch, const surface *a, const surface *b, const double *number) {
    bl_contact_def *contact;
    bl_joint_def *joint;
    const char *name = p->parts > 1 ? bl_arena_printf(&r->model->arena, "%s.%d", p->name, ++p->part) : p->name;
    if (!name)
        return BL_E_MEMORY;
    if (p->compliant) {
        bl_force_def force = {.name = name, .place = *p->place, .kind = &bl_force_compliant_contact};
        BL_TRY(BL_ARENA_NEW(&r->model->arena, contact, 1));
        *contact = (bl_contact_def){.name = name, .place = *p->place, .force = -1, .group = -1};
        fill(p, touch, a, b, number, contact);
        memcpy(force.value, p->value, sizeof force.value);
        force.contact = contact;
        return bl_compliant_add(r, &force);
    }
    BL_TRY(bl_contacts_add(r, name, p->place, &bl_joint_contact, &contact, &joint));
    fill(p, touch, a, b, number, contact);
    memcpy(joint->body, contact->body, sizeof joint->body);
    if (r->model->dim == 2 && p->parts > 1 && touch == &bl_touch_plane_ball)
        contact->group = r->ncontact - p->part;
    return BL_OK;
}

static surface at(const shape *s, const double point[3]) {
    surface out = {.of = s};
    memcpy(out.point, point, sizeof out.point);
    return out;
}

/* corner i of a box */
static surface corner(const shape *s, int dim, int i) {
    surface out = at(s, s->at);
    for (int k = 0; k < dim; k++)
        for (int c = 0; c < 3; c++)
            out.point[c] += ((i >> k) & 1 ? 0.5 : -0.5) * s->size[k] * s->axis[k][c];
    return out;
}

/* points of B, rounded by its radius, against a surface of A */
static int rounded_points(const shape *s, int dim) {
    switch (s->kind) {
    case POINT:
    case SPHERE: return 1;
    case DISC: return dim == 2;
    case CAPSULE: return 2;
    case BOX: return 1 << dim;
    case POLYLINE: return (int)s->npoint;
    default: return 0;
    }
}

static surface rounded_point(const shape *s, int dim, int i) {
    if (s->kind == BOX)
        return corner(s, dim, i);
    if (s->kind == POLYLINE)
        return at(s, s->point[i]);
    return at(s, s->kind == CAPSULE && i ? s->to : s->at);
}

static bl_status plane_with(bl_reader *r, pair *p, const shape *plane, const shape *other) {
    int dim = r->model->dim, n = rounded_points(other, dim);
    surface a = at(plane, plane->at);
    double number[3] = {other->radius, 0, 0};
    p->parts = n > 0 ? n : other->kind == CYLINDER ? 2 : 1;
    for (int i = 0; i < n; i++) {
        surface b = rounded_point(other, dim, i);
        BL_TRY(add(r, p, &bl_touch_plane_ball, &a, &b, number));
    }
    for (int end = 0; n == 0 && other->kind != ELLIPSOID && end < p->parts; end++) {
        surface b = at(other, end ? other->to : other->at);
        BL_TRY(add(r, p, &bl_touch_plane_disc, &a, &b, number));
    }
    if (other->kind != ELLIPSOID)
        return BL_OK;
    for (int k = 0; k < dim; k++)
        number[k] = 0.5 * other->size[k];
    surface b = at(other, other->at);
    return add(r, p, &bl_touch_plane_ellipsoid, &a, &b, number);
}

static bl_status round_with(bl_reader *r, pair *p, const shape *first, const shape *other) {
    int dim = r->model->dim, n = rounded_points(other, dim);
    surface a = at(first, first->at);
    double number[3] = {first->radius, other->radius, 0};
    p->parts = n;
    if (first->kind == HOLE && !(other->radius < first->radius))
        return bl_fail(r->ctx, BL_E_MODEL, &other->item->place, "contact '%s': the hole with a radius of %g m has no room for one of %g m",
                       p->name, first->radius, other->radius);
    for (int i = 0; i < n; i++) {
        surface b = rounded_point(other, dim, i);
        BL_TRY(add(r, p, first->kind == HOLE ? &bl_touch_hole_ball : &bl_touch_ball_ball, &a, &b, number));
    }
    return BL_OK;
}

static bl_status refuse_pair(bl_reader *r, const pair *p, const shape *s) {
    bl_fail(r->ctx, BL_E_MODEL, p->place, "contact '%s': %s and %s cannot touch each other%s", p->name, shape_names[s[0].kind],
            shape_names[s[1].kind], r->model->dim == 2 ? " in the plane" : "");
    bl_advise(r->ctx, "planes touch all shapes but planes and holes; spheres touch spheres, holes and points");
    return BL_E_MODEL;
}

static bl_status add_places(bl_reader *r, pair *p, const shape *s) {
    int dim = r->model->dim;
    for (int k = 0; k < 2; k++) {
        const shape *a = &s[k], *b = &s[1 - k];
        bool pointed = rounded_points(b, dim) > 0;
        bool solid = dim == 3 && (b->kind == CYLINDER || b->kind == DISC);
        if (a->kind == PLANE && (pointed || solid || b->kind == ELLIPSOID))
            return plane_with(r, p, a, b);
        if (a->kind == HOLE && (b->kind == SPHERE || b->kind == POINT || (dim == 2 && b->kind == DISC)))
            return round_with(r, p, a, b);
    }
    for (int k = 0; k < 2; k++) {
        const shape *a = &s[k], *b = &s[1 - k];
        bool round = a->kind == SPHERE || (dim == 2 && a->kind == DISC);
        if (round && (b->kind == SPHERE || b->kind == POINT || (dim == 2 && b->kind == DISC)))
            return round_with(r, p, a, b);
    }
    return refuse_pair(r, p, s);
}

/* ---- the section */

static bl_status read_coefficients(bl_reader *r, const bl_item *entry, pair *p) {
    const bl_item *friction = bl_item_get(entry, "friction"), *sticking = bl_item_get(entry, "static");
    BL_TRY(bl_contacts_restitution(r, entry, &p->restitution));
    if (friction) {
        BL_TRY(bl_item_number(r, friction, "friction", &p->friction));
        BL_TRY(bl_item_range(r, &friction->place, "friction", BL_NOT_NEGATIVE, p->friction));
    }
    p->sticking = p->friction;
    if (!sticking)
        return BL_OK;
    BL_TRY(bl_item_number(r, sticking, "static", &p->sticking));
    BL_TRY(bl_item_range(r, &sticking->place, "static", BL_NOT_NEGATIVE, p->sticking));
    if (p->sticking >= p->friction)
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &sticking->place, "static = %g is less than friction = %g", p->sticking, p->friction);
    bl_advise(r->ctx, "static is the coefficient at rest: friction starts to slide there and is then smaller or the same");
    return BL_E_MODEL;
}

static bl_status read_bodies(bl_reader *r, const bl_item *entry, const char *name, bl_index body[2]) {
    const bl_item *between;
    BL_TRY(bl_item_need(r, entry, "a contact", "between", &between));
    if (between->kind != BL_ITEM_LIST || between->count != 2)
        return bl_fail(r->ctx, BL_E_MODEL, &between->place, "between must be a list of two bodies: [first, second]");
    for (int k = 0; k < 2; k++)
        BL_TRY(bl_item_body(r, between->value[k], "between", &body[k]));
    if (body[0] == body[1])
        return bl_fail(r->ctx, BL_E_MODEL, &between->value[1]->place, "contact '%s' is between body '%s' and itself", name,
                       r->model->body[body[0]].name);
    return BL_OK;
}

/* rigid, or the law of a compliant contact with its values */
static bl_status read_law(bl_reader *r, const bl_item *entry, pair *p) {
    static const char *const keys[] = {"name", "between", "shapes", "law", "restitution", "friction", "static"};
    static const char *const laws[] = {"rigid", "hunt_crossley"};
    const bl_item *law = bl_item_get(entry, "law"), *key = bl_compliant_key(entry, &bl_force_compliant_contact);
    const char *word = laws[0];
    BL_TRY(bl_item_keys(r, entry, "a contact", keys, sizeof keys / sizeof *keys, bl_force_compliant_contact.kind.params));
    if (law)
        BL_TRY(bl_item_text(r, law, "law", &word));
    p->compliant = strcmp(word, laws[1]) == 0;
    if (p->compliant)
        return bl_compliant_read(r, entry, "a contact", &bl_force_compliant_contact, keys, sizeof keys / sizeof *keys, p->value);
    if (strcmp(word, laws[0]) != 0) {
        const char *near = bl_nearest(word, laws, 2);
        bl_fail(r->ctx, BL_E_MODEL, &law->place, "law must be rigid or hunt_crossley, found '%s'", word);
        if (near)
            bl_advise(r->ctx, "did you mean '%s'?", near);
        return BL_E_MODEL;
    }
    if (!key)
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &key->place, "a rigid contact has neither stiffness nor damping");
    bl_advise(r->ctx, "write `law: hunt_crossley` for a contact that yields");
    return BL_E_MODEL;
}

static bl_status read_contact(bl_reader *r, const bl_item *entry, void *user) {
    const bl_item *shapes, *given;
    bl_index body[2], *number = user;
    shape s[2];
    pair p = {.place = &entry->place};
    BL_TRY(bl_item_map(r, entry, "a contact"));
    if ((given = bl_item_get(entry, "name")))
        BL_TRY(bl_item_keep(r, given, "name", &p.name));
    else if (!(p.name = bl_arena_printf(&r->model->arena, "contact%d", (int)++*number)))
        return BL_E_MEMORY;
    r->part = p.name;
    BL_TRY(read_bodies(r, entry, p.name, body));
    BL_TRY(read_law(r, entry, &p));
    BL_TRY(read_coefficients(r, entry, &p));
    BL_TRY(bl_item_need(r, entry, "a contact", "shapes", &shapes));
    if (shapes->kind != BL_ITEM_LIST || shapes->count != 2)
        return bl_fail(r->ctx, BL_E_MODEL, &shapes->place, "shapes must be a list of two: one of each body");
    for (int k = 0; k < 2; k++)
        BL_TRY(read_shape(r, shapes->value[k], body[k], &s[k]));
    BL_TRY(add_places(r, &p, s));
    r->part = NULL;
    return BL_OK;
}

bl_status bl_read_contacts(bl_reader *r) {
    bl_index number = 0;
    return bl_section_each(r, "contacts", read_contact, &number);
}
