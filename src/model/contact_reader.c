/* The section `contacts`: pairs of shapes of two bodies. Where they may touch: contact_places.c. */
#include "force/force.h"
#include "model/contact_shapes.h"

#include "base/vector3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const bl_touching_names[BL_TOUCHING_SHAPES] = {"point",    "sphere", "hole",      "plane",    "capsule", "box",
                                                           "cylinder", "disc",   "ellipsoid", "polyline", "profile"};

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

static void plain_axes(bl_touching_shape *s) {
    memset(s->axis, 0, sizeof s->axis);
    s->axis[0][0] = s->axis[1][1] = s->axis[2][2] = 1;
}

static bl_status read_normal(bl_reader *r, const bl_item *map, const char *owner, const char *key, bl_touching_shape *s) {
    const bl_item *item = bl_item_get(map, key);
    if (!item) {
        bl_fail(r->ctx, BL_E_MODEL, &map->place, "a %s needs '%s'", owner, key);
        bl_advise(r->ctx,
                  s->kind == BL_TOUCHING_PLANE ? "the normal points to the side of the other body: `normal: [0, %s1]`" : "`%s: [0, 0, 1]`",
                  s->kind == BL_TOUCHING_PLANE ? (r->model->dim == 3 ? "0, " : "") : key);
        return BL_E_MODEL;
    }
    BL_TRY(bl_item_direction(r, item, key, s->axis[0]));
    bl_touching_axes(r->model->dim, s->axis);
    return BL_OK;
}

static bl_status read_ends(bl_reader *r, const bl_item *map, const char *owner, bl_touching_shape *s) {
    double length = 0;
    BL_TRY(read_point(r, map, owner, "from", s->at));
    BL_TRY(read_point(r, map, owner, "to", s->to));
    BL_TRY(read_length(r, map, owner, "radius", s->kind == BL_TOUCHING_CAPSULE ? BL_NOT_NEGATIVE : BL_POSITIVE, &s->radius));
    for (int k = 0; k < 3; k++)
        length = hypot(length, s->to[k] - s->at[k]);
    if (!(length > 0))
        return bl_fail(r->ctx, BL_E_MODEL, &map->place, "%s: from and to are the same point", owner);
    for (int k = 0; k < 3; k++)
        s->axis[0][k] = (s->to[k] - s->at[k]) / length;
    s->size[0] = length;
    bl_touching_axes(r->model->dim, s->axis);
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
static bl_status read_turn(bl_reader *r, const bl_item *map, bl_touching_shape *s) {
    const bl_item *angle = bl_item_get(map, "angle");
    BL_TRY(bl_read_axes(r, bl_item_get(map, "axes"), s->axis));
    if (!angle)
        return BL_OK;
    double turn;
    if (r->model->dim == 3)
        return bl_fail(r->ctx, BL_E_MODEL, &angle->place, "'angle' can only be used in planar models; in space use 'axes'");
    BL_TRY(bl_item_number(r, angle, "angle", &turn));
    s->axis[0][0] = cos(turn), s->axis[0][1] = sin(turn);
    bl_touching_axes(2, s->axis);
    return BL_OK;
}

/* counterclockwise: positive */
static double enclosed(const bl_touching_shape *s) {
    double sum = 0;
    for (bl_index i = 0; i < s->npoint; i++) {
        const double *a = s->point[i], *b = s->point[(i + 1) % s->npoint];
        sum += 0.5 * (a[0] * b[1] - a[1] * b[0]);
    }
    return sum;
}

static double turn_at(const double a[3], const double b[3], const double c[3]) {
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
}

/* neighbors must differ, and the line must not turn back on itself or, if closed, cross itself */
static bl_status check_points(bl_reader *r, const bl_item *points, const bl_touching_shape *s) {
    bl_index n = s->npoint, nface = n - !s->closed;
    for (bl_index i = 0; i < nface; i++) {
        const double *a = s->point[i], *b = s->point[(i + 1) % n], *c = s->point[(i + 2) % n];
        double ab = hypot(b[0] - a[0], b[1] - a[1]), bc = hypot(c[0] - b[0], c[1] - b[1]);
        if (!(ab > 0)) {
            bl_fail(r->ctx, BL_E_MODEL, &points->value[(i + 1) % n]->place, "points %d and %d of a polyline are the same", (int)i + 1,
                    (int)((i + 1) % n) + 1);
            bl_advise(r->ctx, s->closed ? "leave out the last point: `closed: true` leads back to the first" : "leave out one of them");
            return BL_E_MODEL;
        }
        bool turns = s->closed || i + 2 < n;
        double along = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]);
        if (turns && bc > 0 && along < 0 && fabs(turn_at(a, b, c)) <= 1e-9 * ab * bc)
            return bl_fail(r->ctx, BL_E_MODEL, &points->value[(i + 1) % n]->place, "the polyline turns back on itself at point %d",
                           (int)((i + 1) % n) + 1);
        for (bl_index j = i + 2; s->closed && j < nface - (i == 0); j++) {
            const double *p = s->point[j], *q = s->point[(j + 1) % n];
            if (turn_at(a, b, p) * turn_at(a, b, q) < 0 && turn_at(p, q, a) * turn_at(p, q, b) < 0)
                return bl_fail(r->ctx, BL_E_MODEL, &points->value[j]->place, "the closed polyline crosses itself after points %d and %d",
                               (int)i + 1, (int)j + 1);
        }
    }
    return BL_OK;
}

static bl_status read_side(bl_reader *r, const bl_item *map, bl_touching_shape *s) {
    static const char *const words[] = {"left", "right"}, *const closed[] = {"outside", "inside"};
    const bl_item *side = bl_item_get(map, "side");
    const char *const *word = s->closed ? closed : words, *given = word[0];
    if (side)
        BL_TRY(bl_item_text(r, side, "side", &given));
    if (strcmp(given, word[0]) != 0 && strcmp(given, word[1]) != 0)
        return bl_fail(r->ctx, BL_E_MODEL, &side->place, "side of %s polyline must be '%s' or '%s', found '%s'",
                       s->closed ? "a closed" : "a", word[0], word[1], given);
    bool second = strcmp(given, word[1]) == 0;
    s->reversed = s->closed ? (enclosed(s) > 0) != second : second;
    return BL_OK;
}

static bl_status read_points(bl_reader *r, const bl_item *map, bl_touching_shape *s) {
    const bl_item *points, *closed = bl_item_get(map, "closed");
    if (r->model->dim == 3)
        return bl_fail(r->ctx, BL_E_MODEL, &map->place, "a polyline can only be used in planar models");
    BL_TRY(bl_item_need(r, map, "a polyline", "points", &points));
    if (closed)
        BL_TRY(bl_item_flag(r, closed, "closed", &s->closed));
    int least = s->closed ? 3 : 2;
    if (points->kind != BL_ITEM_LIST || points->count < least)
        return bl_fail(r->ctx, BL_E_MODEL, &points->place, "points of a polyline must be a list of %d points or more", least);
    s->npoint = points->count;
    BL_TRY(BL_ARENA_NEW(&r->scratch, s->point, s->npoint));
    for (bl_index i = 0; i < s->npoint; i++)
        BL_TRY(bl_item_point(r, points->value[i], "points", s->point[i]));
    BL_TRY(check_points(r, points, s));
    return read_side(r, map, s);
}

static bl_status read_details(bl_reader *r, const bl_item *map, bl_touching_shape *s) {
    static const char *const keys[BL_TOUCHING_SHAPES][6] = {{"at"},
                                                            {"at", "radius"},
                                                            {"at", "radius"},
                                                            {"at", "normal"},
                                                            {"from", "to", "radius"},
                                                            {"at", "size", "angle", "axes"},
                                                            {"from", "to", "radius"},
                                                            {"at", "radius", "axis"},
                                                            {"at", "size", "angle", "axes"},
                                                            {"points", "closed", "side"},
                                                            {"at", "height", "from", "to", "side", "angle"}};
    size_t n = 0;
    const char *owner = bl_touching_names[s->kind];
    while (n < 6 && keys[s->kind][n])
        n++;
    BL_TRY(bl_item_map(r, map, owner));
    BL_TRY(bl_item_keys(r, map, owner, keys[s->kind], n, NULL));
    plain_axes(s);
    if (s->kind == BL_TOUCHING_CAPSULE || s->kind == BL_TOUCHING_CYLINDER)
        return read_ends(r, map, owner, s);
    if (s->kind == BL_TOUCHING_POLYLINE)
        return read_points(r, map, s);
    if (s->kind == BL_TOUCHING_PROFILE)
        return bl_contact_profile_read(r, map, s);
    BL_TRY(read_point(r, map, owner, "at", s->at));
    if (s->kind == BL_TOUCHING_SPHERE || s->kind == BL_TOUCHING_HOLE || s->kind == BL_TOUCHING_DISC)
        BL_TRY(read_length(r, map, owner, "radius", BL_POSITIVE, &s->radius));
    if (s->kind == BL_TOUCHING_PLANE)
        return read_normal(r, map, "plane", "normal", s);
    if (s->kind == BL_TOUCHING_DISC && r->model->dim == 3)
        return read_normal(r, map, "disc", "axis", s);
    if (s->kind == BL_TOUCHING_BOX || s->kind == BL_TOUCHING_ELLIPSOID) {
        BL_TRY(read_sizes(r, map, owner, "size", s->size));
        return read_turn(r, map, s);
    }
    return BL_OK;
}

/* {sphere: {at: C, radius: 0.1}} */
bl_status bl_touching_read(bl_reader *r, const bl_item *item, bl_index body, bl_touching_shape *s) {
    *s = (bl_touching_shape){.item = item, .body = body};
    BL_TRY(bl_item_map(r, item, "a shape"));
    if (item->count != 1)
        return bl_fail(r->ctx, BL_E_MODEL, &item->place, "a shape is one of its kinds with its dimensions: {sphere: {at: C, radius: 0.1}}");
    for (s->kind = BL_TOUCHING_POINT; s->kind < BL_TOUCHING_SHAPES && strcmp(item->key[0]->text, bl_touching_names[s->kind]) != 0;)
        s->kind++;
    if (s->kind < BL_TOUCHING_SHAPES)
        return read_details(r, item->value[0], s);
    bl_fail(r->ctx, BL_E_MODEL, &item->key[0]->place, "there is no shape '%s'", item->key[0]->text);
    const char *near = bl_nearest(item->key[0]->text, bl_touching_names, BL_TOUCHING_SHAPES);
    if (near)
        bl_advise(r->ctx, "did you mean '%s'?", near);
    return BL_E_MODEL;
}

/* ---- the section */

/* of a list of two, else NULL: refused later */
static const bl_item *pair_shape(const bl_item *entry, int k) {
    const bl_item *shapes = bl_item_get(entry, "shapes");
    return shapes && shapes->kind == BL_ITEM_LIST && shapes->count == 2 ? shapes->value[k] : NULL;
}

bl_status bl_touching_body(bl_reader *r, const bl_item *name, const bl_item *shape, bl_index *body) {
    const bl_item *at = shape && shape->kind == BL_ITEM_MAP && shape->count == 1 ? bl_item_get(shape->value[0], "at") : NULL;
    const char *text;
    double point[3];
    BL_TRY(bl_item_text(r, name, "between", &text));
    if (!at || bl_names_find(&r->beams, text) < 0)
        return bl_item_body(r, name, "between", body);
    BL_TRY(bl_item_point(r, at, "at", point));
    return bl_item_body_at(r, name, "between", point, body);
}

static bl_status read_bodies(bl_reader *r, const bl_item *entry, const char *name, bl_index body[2]) {
    const bl_item *between;
    BL_TRY(bl_item_need(r, entry, "a contact", "between", &between));
    if (between->kind != BL_ITEM_LIST || between->count != 2) {
        bl_fail(r->ctx, BL_E_MODEL, &between->place, "between must be a list of two bodies: [first, second]");
        bl_advise(r->ctx, "for contacts of all bodies set `simulate: {contact: stepping}`");
        return BL_E_MODEL;
    }
    const bl_item *other = between->value[1];
    if (other->kind == BL_ITEM_TEXT && strcmp(other->text, "all") == 0 && bl_names_find(&r->bodies, "all") < 0) {
        bl_fail(r->ctx, BL_E_MODEL, &other->place, "contacts with all bodies are those of `contact: stepping`");
        bl_advise(r->ctx, "set `simulate: {contact: stepping}`, or list the pairs");
        return BL_E_MODEL;
    }
    for (int k = 0; k < 2; k++)
        BL_TRY(bl_touching_body(r, between->value[k], pair_shape(entry, k), &body[k]));
    if (body[0] == body[1])
        return bl_fail(r->ctx, BL_E_MODEL, &between->value[1]->place, "contact '%s' is between body '%s' and itself", name,
                       r->model->body[body[0]].name);
    return BL_OK;
}

/* rigid, or the law of a compliant contact with its values */
static bl_status read_law(bl_reader *r, const bl_item *entry, bl_contact_pair *p) {
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
    bl_touching_shape s[2];
    bl_contact_pair p = {.place = &entry->place};
    BL_TRY(bl_item_map(r, entry, "a contact"));
    if ((given = bl_item_get(entry, "name")))
        BL_TRY(bl_item_keep(r, given, "name", &p.name));
    else if (!(p.name = bl_arena_printf(&r->model->arena, "contact%d", (int)++*number)))
        return BL_E_MEMORY;
    r->part = p.name;
    BL_TRY(bl_contacts_claim(r, p.name, given ? &given->place : &entry->place));
    if (bl_item_get(entry, "gap")) {
        BL_TRY(bl_contact_of_variables(r, entry, p.name));
        r->part = NULL;
        return BL_OK;
    }
    BL_TRY(read_bodies(r, entry, p.name, body));
    BL_TRY(read_law(r, entry, &p));
    BL_TRY(bl_contacts_restitution(r, entry, &p.restitution));
    BL_TRY(bl_contacts_friction(r, entry, &p.friction, &p.sticking));
    BL_TRY(bl_item_need(r, entry, "a contact", "shapes", &shapes));
    if (shapes->kind != BL_ITEM_LIST || shapes->count != 2)
        return bl_fail(r->ctx, BL_E_MODEL, &shapes->place, "shapes must be a list of two: one of each body");
    for (int k = 0; k < 2; k++)
        BL_TRY(bl_touching_read(r, shapes->value[k], body[k], &s[k]));
    BL_TRY(bl_contact_places(r, &p, s));
    r->part = NULL;
    return BL_OK;
}

bl_status bl_read_contacts(bl_reader *r) {
    bl_index number = 0;
    return bl_contacts_step(r) ? bl_read_surfaces(r) : bl_section_each(r, "contacts", read_contact, &number);
}
