/* The section `contacts` for time stepping (`simulate: {contact: stepping}`): shapes of bodies and laws between them. A body has shapes of
 * its own, those that it is made of, for contacts with `all` others; a pair named by itself has the shapes it lists.
 *
 * Bodies that joints connect are touched through handles: their mass center and points at a distance from it along their axes, whose
 * velocities are rows that never hold (joint/percussion_directions.c). */
#include "joint/joint.h"
#include "model/contact_shapes.h"
#include "model/model_limits.h"

#include "base/vector3.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool bl_contacts_step(const bl_reader *r) {
    if (r->contact_option)
        return strcmp(r->contact_option, "stepping") == 0;
    const bl_item *simulate = bl_section_last(r, "simulate");
    const bl_item *contact = simulate && simulate->kind == BL_ITEM_MAP ? bl_item_get(simulate, "contact") : NULL;
    return contact && contact->text && strcmp(contact->text, "stepping") == 0;
}

bl_status bl_refuse_gap(bl_reader *r, const bl_item *gap) {
    bl_fail(r->ctx, BL_E_MODEL, &gap->place,
            "contacts of variables belong to `contact: events`: `contact: stepping` follows shapes and stops");
    bl_advise(r->ctx, "leave out `contact: stepping`; bounds of one joint variable may be `stops`");
    return BL_E_MODEL;
}

/* ---- shapes */

static bl_status add_shape(bl_reader *r, const bl_contact_shape *shape) {
    bl_surfaces *s = r->model->surfaces;
    if (s->nshape == r->shape_capacity) { /* twice the room: the old array stays in the arena */
        bl_contact_shape *all;
        r->shape_capacity = r->shape_capacity ? 2 * r->shape_capacity : 16;
        BL_TRY(BL_ARENA_NEW(&r->model->arena, all, r->shape_capacity));
        if (s->nshape)
            memcpy(all, s->shape, (size_t)s->nshape * sizeof *all);
        s->shape = all;
    }
    s->shape[s->nshape++] = *shape;
    return BL_OK;
}

/* frame of a shape on its body: about the mass center, axes of the model configuration; the third axis is given or the first two */
static void set_frame(const bl_model *model, bl_contact_shape *shape, const double at[3], double axis[3][3]) {
    for (int k = 0; k < 3; k++) {
        shape->frame.at[k] = at[k] - model->body[shape->body].center[k];
        for (int i = 0; i < 3; i++)
            shape->frame.axes[3 * i + k] = axis[i][k];
    }
    if (model->dim == 2)
        shape->frame.at[2] = 0;
}

static void axes_along(const double direction[3], double axis[3][3]) {
    double across[3], length = norm3(direction);
    for (int k = 0; k < 3; k++)
        axis[2][k] = direction[k] / length;
    perpendicular3(axis[2], across);
    double by = 1 / norm3(across);
    for (int k = 0; k < 3; k++)
        axis[0][k] = by * across[k];
    cross3(axis[2], axis[0], axis[1]);
}

/* a capsule or cylinder from one point to another */
static void set_ends(const bl_model *model, bl_contact_shape *shape, const double from[3], const double to[3]) {
    double middle[3], along[3], axis[3][3];
    for (int k = 0; k < 3; k++) {
        middle[k] = 0.5 * (from[k] + to[k]);
        along[k] = to[k] - from[k];
    }
    axes_along(along, axis);
    shape->half[2] = 0.5 * norm3(along);
    set_frame(model, shape, middle, axis);
}

static void plain(double axis[3][3]) {
    memset(axis, 0, 9 * sizeof(double));
    axis[0][0] = axis[1][1] = axis[2][2] = 1;
}

/* a box in the plane is a polygon, in its own axes */
static bl_status set_box(bl_reader *r, bl_contact_shape *shape, const double size[3]) {
    if (r->model->dim == 3) {
        shape->what = BL_CONTACT_BOX;
        for (int k = 0; k < 3; k++)
            shape->half[k] = 0.5 * size[k];
        return BL_OK;
    }
    double(*corner)[2];
    BL_TRY(BL_ARENA_NEW(&r->model->arena, corner, 4));
    for (int k = 0; k < 4; k++) {
        corner[k][0] = (k == 0 || k == 3 ? -0.5 : 0.5) * size[0];
        corner[k][1] = (k < 2 ? -0.5 : 0.5) * size[1];
    }
    shape->what = BL_CONTACT_POLYGON;
    shape->ncorner = 4;
    shape->corner = (const double(*)[2])corner;
    return BL_OK;
}

static double area_of(const double (*p)[3], bl_index n) {
    double sum = 0;
    for (bl_index i = 0; i < n; i++)
        sum += 0.5 * (p[i][0] * p[(i + 1) % n][1] - p[i][1] * p[(i + 1) % n][0]);
    return sum;
}

static bool is_convex(const double (*p)[2], bl_index n) {
    for (bl_index i = 0; i < n; i++) {
        const double *a = p[i], *b = p[(i + 1) % n], *c = p[(i + 2) % n];
        if (!((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) >= 0))
            return false;
    }
    return true;
}

/* about its middle; place: for messages */
static bl_status set_polygon(bl_reader *r, bl_contact_shape *shape, const double (*point)[3], bl_index n, const bl_place *place,
                             const char *owner) {
    double(*corner)[2], axis[3][3], middle[3] = {0};
    bool back = area_of(point, n) < 0;
    for (bl_index i = 0; i < n; i++)
        for (int k = 0; k < 2; k++)
            middle[k] += point[i][k] / (double)n;
    BL_TRY(BL_ARENA_NEW(&r->model->arena, corner, n));
    for (bl_index i = 0; i < n; i++)
        for (int k = 0; k < 2; k++)
            corner[i][k] = point[back ? n - 1 - i : i][k] - middle[k];
    shape->what = BL_CONTACT_POLYGON;
    shape->ncorner = n;
    shape->corner = (const double(*)[2])corner;
    plain(axis);
    set_frame(r->model, shape, middle, axis);
    if (is_convex(shape->corner, n))
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, place, "%s: polygons must be convex where `contact: stepping` finds contacts", owner);
    bl_advise(r->ctx, "divide the body into convex shapes: a contact for each");
    return BL_E_MODEL;
}

/* thin shapes, whose own size is zero: a share of their length says which overlap is small */
static void set_thin(bl_contact_shape *shape, double length) {
    if (!(bl_contact_size(shape) > 0))
        shape->size = model_thin_shape * length;
}

/* ---- shapes listed by a pair */

static bl_status refuse_kind(bl_reader *r, const bl_touching_shape *from) {
    bl_fail(r->ctx, BL_E_MODEL, &from->item->place, "`contact: stepping` has no contacts of a %s", bl_touching_names[from->kind]);
    bl_advise(r->ctx, r->model->dim == 2 ? "use points, discs, planes, capsules, boxes or convex closed polylines, or `contact: events`"
                                         : "use points, spheres, planes, capsules, boxes or cylinders, or `contact: events`");
    return BL_E_MODEL;
}

static bl_status shape_of(bl_reader *r, const bl_touching_shape *from, bl_index group, bl_contact_shape *shape) {
    double axis[3][3], reach = 0;
    bl_model *model = r->model;
    *shape = (bl_contact_shape){.body = from->body, .group = group, .radius = from->radius};
    memcpy(axis, from->axis, sizeof axis);
    for (int k = 0; k < 3; k++)
        reach = hypot(reach, from->at[k] - model->body[from->body].center[k]);
    switch (from->kind) {
    case BL_TOUCHING_POINT:
    case BL_TOUCHING_SPHERE:
        plain(axis);
        shape->what = BL_CONTACT_SPHERE;
        set_frame(model, shape, from->at, axis);
        set_thin(shape, reach > 0 ? reach : 1);
        return BL_OK;
    case BL_TOUCHING_PLANE:
        shape->what = BL_CONTACT_PLANE;
        axes_along(from->axis[0], axis);
        set_frame(model, shape, from->at, axis);
        return BL_OK;
    case BL_TOUCHING_CAPSULE:
    case BL_TOUCHING_CYLINDER:
        shape->what = from->kind == BL_TOUCHING_CAPSULE ? BL_CONTACT_CAPSULE : BL_CONTACT_CYLINDER;
        set_ends(model, shape, from->at, from->to);
        set_thin(shape, 2 * shape->half[2]);
        return BL_OK;
    case BL_TOUCHING_BOX: set_frame(model, shape, from->at, axis); return set_box(r, shape, from->size);
    case BL_TOUCHING_DISC:
        if (model->dim == 3)
            return refuse_kind(r, from);
        plain(axis);
        shape->what = BL_CONTACT_SPHERE;
        set_frame(model, shape, from->at, axis);
        return BL_OK;
    case BL_TOUCHING_POLYLINE:
        if (!from->closed || from->reversed != (area_of((const double(*)[3])from->point, from->npoint) > 0))
            return refuse_kind(r, from);
        return set_polygon(r, shape, (const double(*)[3])from->point, from->npoint, &from->item->place, "polyline");
    default: return refuse_kind(r, from);
    }
}

/* ---- shapes that bodies are made of */

static bl_status own_shape(bl_reader *r, bl_index body, const bl_appearance *from, bl_index *added) {
    bl_contact_shape shape = {.body = body, .radius = from->radius};
    bl_model *model = r->model;
    const bl_body *of = &model->body[body];
    double axis[3][3];
    memcpy(axis, from->axes, sizeof axis);
    if (!from->turned || model->dim == 2) {
        if (from->kind != BL_APPEARANCE_BOX && from->kind != BL_APPEARANCE_DISC)
            plain(axis);
    }
    switch (from->kind) {
    case BL_APPEARANCE_SPHERE:
        plain(axis);
        shape.what = BL_CONTACT_SPHERE;
        set_frame(model, &shape, from->at[0], axis);
        break;
    case BL_APPEARANCE_ROD:
        shape.what = BL_CONTACT_CAPSULE;
        set_ends(model, &shape, from->at[0], from->at[1]);
        set_thin(&shape, 2 * shape.half[2]);
        break;
    case BL_APPEARANCE_CYLINDER:
    case BL_APPEARANCE_WHEEL:
        if (model->dim == 2) {
            plain(axis);
            shape.what = BL_CONTACT_SPHERE;
            set_frame(model, &shape, from->at[0], axis);
            break;
        }
        shape.what = BL_CONTACT_CYLINDER;
        set_ends(model, &shape, from->at[0], from->at[1]);
        set_thin(&shape, from->radius);
        break;
    case BL_APPEARANCE_DISC:
        shape.what = model->dim == 2 ? BL_CONTACT_SPHERE : BL_CONTACT_CYLINDER;
        shape.half[2] = 0.5 * from->thickness;
        set_frame(model, &shape, from->at[0], axis);
        set_thin(&shape, from->radius);
        break;
    case BL_APPEARANCE_BOX:
        set_frame(model, &shape, from->at[0], axis);
        BL_TRY(set_box(r, &shape, from->size));
        break;
    case BL_APPEARANCE_POLYGON:
        if (model->dim == 3)
            return BL_OK;
        BL_TRY(set_polygon(r, &shape, from->point, from->npoint, &of->place, of->name));
        break;
    default: return BL_OK;
    }
    ++*added;
    return add_shape(r, &shape);
}

/* whether the same laws with `all` hold for the own shapes of two bodies */
static bool alike(const bl_surfaces *s, bl_index a, bl_index b) {
    for (bl_index k = 0; k < s->nlaw; k++)
        if (s->law[k].without && s->law[k].without[a] != s->law[k].without[b])
            return false;
    return true;
}

static bool takes_part(const bl_surfaces *s, bl_index body) {
    for (bl_index k = 0; k < s->nlaw; k++)
        if (s->law[k].without && !s->law[k].without[body])
            return true;
    return false;
}

/* own shapes of the bodies that take part in a contact with `all`, and their groups, before those of listed shapes */
static bl_status own_shapes(bl_reader *r) {
    bl_model *model = r->model;
    bl_surfaces *s = model->surfaces;
    bl_index listed = s->nshape;
    BL_TRY(BL_ARENA_NEW(&model->arena, s->own_body, model->nbody));
    for (bl_index b = 1; b < model->nbody; b++) {
        const bl_body *body = &model->body[b];
        bl_index added = 0, group = 0;
        if (!takes_part(s, b))
            continue;
        while (group < s->nown && !alike(s, b, s->own_body[group]))
            group++;
        if (group == s->nown)
            s->own_body[s->nown++] = b;
        for (bl_index k = 0; k < body->nappearance; k++)
            BL_TRY(own_shape(r, b, &body->appearance[k], &added));
        for (bl_index i = s->nshape - added; i < s->nshape; i++)
            s->shape[i].group = group;
        if (added)
            continue;
        bl_fail(r->ctx, BL_E_MODEL, &body->place, "body '%s' has no shape of its own that could touch others", body->name);
        bl_advise(r->ctx, "give it one (rod, box, cylinder, sphere, disc, or `shape:`), or write `except: [%s]` in the contact",
                  body->name);
        return BL_E_MODEL;
    }
    for (bl_index i = 0; i < listed; i++)
        s->shape[i].group += s->nown;
    for (bl_index k = 0; k < s->nlaw; k++)
        for (int side = 0; side < 2; side++)
            if (s->law[k].group[side] >= 0)
                s->law[k].group[side] += s->nown;
    s->ngroup += s->nown;
    return BL_OK;
}

/* ---- the section */

static bool is_all(const bl_item *item) { return item->kind == BL_ITEM_TEXT && strcmp(item->text, "all") == 0; }

static bl_status add_law(bl_reader *r, const bl_item *entry, bl_index *number, bl_surface_law **out) {
    bl_surfaces *s = r->model->surfaces;
    const bl_item *name = bl_item_get(entry, "name");
    bl_surface_law law = {.place = entry->place, .group = {-1, -1}};
    if (name)
        BL_TRY(bl_item_keep(r, name, "name", &law.name));
    else if (!(law.name = bl_arena_printf(&r->model->arena, "contact%d", (int)++*number)))
        return BL_E_MEMORY;
    for (bl_index i = 0; i < s->nlaw; i++)
        if (strcmp(s->law[i].name, law.name) == 0)
            return bl_fail(r->ctx, BL_E_MODEL, name ? &name->place : &entry->place, "there are two contacts with the name '%s'", law.name);
    if (s->nlaw == r->surface_law_capacity) {
        bl_surface_law *all;
        r->surface_law_capacity = r->surface_law_capacity ? 2 * r->surface_law_capacity : 8;
        BL_TRY(BL_ARENA_NEW(&r->model->arena, all, r->surface_law_capacity));
        if (s->nlaw)
            memcpy(all, s->law, (size_t)s->nlaw * sizeof *all);
        s->law = all;
    }
    if (s->nlaw >= model_surface_laws)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "more than %.0f contacts are listed one by one: use `between: all`",
                       model_surface_laws);
    *out = &s->law[s->nlaw++];
    **out = law;
    return BL_OK;
}

static bl_status read_law(bl_reader *r, const bl_item *entry, bl_surface_law *law) {
    static const char *const keys[] = {"name", "between", "except", "shapes", "restitution", "friction"};
    const bl_item *friction = bl_item_get(entry, "friction"), *sticking = bl_item_get(entry, "static"), *yields = bl_item_get(entry, "law");
    if (yields) {
        bl_fail(r->ctx, BL_E_MODEL, &yields->place,
                "contacts that yield belong to `contact: events`: those of `contact: stepping` are rigid");
        bl_advise(r->ctx, "leave out 'law' and its parameters");
        return BL_E_MODEL;
    }
    if (sticking) {
        bl_fail(r->ctx, BL_E_MODEL, &sticking->place,
                "`contact: stepping` has one coefficient of friction: 'static' belongs to `contact: events`");
        bl_advise(r->ctx, "leave out 'static'");
        return BL_E_MODEL;
    }
    BL_TRY(bl_item_keys(r, entry, "a contact", keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(bl_contacts_restitution(r, entry, &law->restitution));
    if (!friction)
        return BL_OK;
    BL_TRY(bl_item_number(r, friction, "friction", &law->friction));
    return bl_item_range(r, &friction->place, "friction", BL_NOT_NEGATIVE, law->friction);
}

static bl_status read_listed(bl_reader *r, const bl_item *shape, const bl_item *name, bl_index group) {
    bl_touching_shape read;
    bl_contact_shape made;
    bl_index body;
    BL_TRY(bl_touching_body(r, name, shape, &body));
    BL_TRY(bl_touching_read(r, shape, body, &read));
    BL_TRY(shape_of(r, &read, group, &made));
    return add_shape(r, &made);
}

static bl_status check_kinds(bl_reader *r, const bl_item *shapes, const bl_contact_shape *one, const bl_contact_shape *other) {
    if (bl_contact_can(one->what, other->what))
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &shapes->place, "`contact: stepping` has no contacts of a %s with a %s", bl_contact_name(one->what),
            bl_contact_name(other->what));
    bl_advise(r->ctx, "use capsules, boxes or spheres");
    return BL_E_MODEL;
}

/* a name, or the beginning of names before `*` */
static bool matches(const char *pattern, const char *name) {
    size_t n = strlen(pattern);
    return n > 0 && pattern[n - 1] == '*' ? strncmp(pattern, name, n - 1) == 0 : strcmp(pattern, name) == 0;
}

static bl_status read_except(bl_reader *r, const bl_item *entry, bl_surface_law *law) {
    const bl_item *except = bl_item_get(entry, "except");
    uint8_t *without;
    BL_TRY(BL_ARENA_NEW(&r->model->arena, without, r->model->nbody));
    law->without = without;
    for (bl_index b = 1; b < r->model->nbody; b++) /* frames have no shapes of their own */
        without[b] = r->model->body[b].what != BL_BODY_RIGID;
    if (!except)
        return BL_OK;
    if (except->kind != BL_ITEM_LIST)
        return bl_fail(r->ctx, BL_E_MODEL, &except->place, "except must be a list of bodies: [crank, rod*]");
    for (bl_index i = 0; i < except->count; i++) {
        const char *pattern;
        bl_index body, found = 0;
        BL_TRY(bl_item_text(r, except->value[i], "except", &pattern));
        for (bl_index b = 1; b < r->model->nbody; b++) {
            const bl_body *one = &r->model->body[b];
            bool frame = one->what == BL_BODY_FRAME; /* the name of a beam means all of its frames */
            if (matches(pattern, one->name) || (frame && matches(pattern, r->model->elastic[one->elastic].name)))
                without[b] = 1, found++;
        }
        if (!found)
            BL_TRY(bl_item_body(r, except->value[i], "except", &body)); /* the message */
    }
    return BL_OK;
}

/* `all` where a body belongs */
static bl_status refuse_all_first(bl_reader *r, const bl_item *between) {
    bl_fail(r->ctx, BL_E_MODEL, &between->value[0]->place, "between: 'all' is the second of two");
    bl_advise(r->ctx, "`between: [body, all]`, or `between: all` for all of them with each other");
    return BL_E_MODEL;
}

/* `between: all` */
static bl_status read_all(bl_reader *r, const bl_item *entry, bl_surface_law *law) {
    const bl_item *shapes = bl_item_get(entry, "shapes");
    if (shapes)
        return bl_fail(r->ctx, BL_E_MODEL, &shapes->place, "contacts between all bodies are those of their own shapes: leave out 'shapes'");
    return read_except(r, entry, law);
}

/* `between: [one, all]`: shapes of the first, or its own */
static bl_status read_with_all(bl_reader *r, const bl_item *entry, const bl_item *between, bl_surface_law *law) {
    const bl_item *shapes = bl_item_get(entry, "shapes");
    bl_surfaces *s = r->model->surfaces;
    const char *body;
    BL_TRY(bl_item_text(r, between->value[0], "between", &body));
    if (bl_names_find(&r->beams, body) < 0)
        BL_TRY(bl_item_body(r, between->value[0], "between", &(bl_index){0}));
    BL_TRY(read_except(r, entry, law));
    law->group[0] = s->ngroup++;
    if (!shapes) {
        bl_fail(r->ctx, BL_E_MODEL, &entry->place, "a contact with all bodies needs 'shapes' of '%s'", body);
        bl_advise(r->ctx, "`shapes: [{plane: {at: ..., normal: ...}}]`: as many as you like, all of '%s'", body);
        return BL_E_MODEL;
    }
    if (shapes->kind != BL_ITEM_LIST || shapes->count < 1)
        return bl_fail(r->ctx, BL_E_MODEL, &shapes->place, "shapes must be a list, found something else");
    for (bl_index i = 0; i < shapes->count; i++)
        BL_TRY(read_listed(r, shapes->value[i], between->value[0], law->group[0]));
    return BL_OK;
}

static bl_status read_pair(bl_reader *r, const bl_item *entry, const bl_item *between, bl_surface_law *law) {
    bl_surfaces *s = r->model->surfaces;
    bl_index body[2];
    const bl_item *shapes = bl_item_get(entry, "shapes");
    bool two = shapes && shapes->kind == BL_ITEM_LIST && shapes->count == 2;
    for (int k = 0; k < 2; k++)
        BL_TRY(bl_touching_body(r, between->value[k], two ? shapes->value[k] : NULL, &body[k]));
    if (body[0] == body[1])
        return bl_fail(r->ctx, BL_E_MODEL, &between->value[1]->place, "contact '%s' is between body '%s' and itself", law->name,
                       r->model->body[body[0]].name);
    BL_TRY(bl_item_need(r, entry, "a contact", "shapes", &shapes));
    if (shapes->kind != BL_ITEM_LIST || shapes->count != 2)
        return bl_fail(r->ctx, BL_E_MODEL, &shapes->place, "shapes must be a list of two: one of each body");
    for (int k = 0; k < 2; k++) {
        law->group[k] = s->ngroup++;
        BL_TRY(read_listed(r, shapes->value[k], between->value[k], law->group[k]));
    }
    return check_kinds(r, shapes, &s->shape[s->nshape - 2], &s->shape[s->nshape - 1]);
}

static bl_status read_contact(bl_reader *r, const bl_item *entry, void *user) {
    const bl_item *between;
    bl_surface_law *law = NULL;
    BL_TRY(bl_item_map(r, entry, "a contact"));
    if (bl_item_get(entry, "gap"))
        return bl_refuse_gap(r, bl_item_get(entry, "gap"));
    BL_TRY(bl_item_need(r, entry, "a contact", "between", &between));
    BL_TRY(add_law(r, entry, user, &law));
    r->part = law->name;
    BL_TRY(read_law(r, entry, law));
    bool list = between->kind == BL_ITEM_LIST && between->count == 2;
    if (is_all(between))
        BL_TRY(read_all(r, entry, law));
    else if (!list)
        return bl_fail(r->ctx, BL_E_MODEL, &between->place, "between must be a list of two bodies: [first, second], [first, all] or all");
    else if (is_all(between->value[0]))
        return refuse_all_first(r, between);
    else if (is_all(between->value[1]))
        BL_TRY(read_with_all(r, entry, between, law));
    else if (bl_item_get(entry, "except"))
        return bl_fail(r->ctx, BL_E_MODEL, &bl_item_get(entry, "except")->place, "'except' belongs to contacts with `all` bodies");
    else
        BL_TRY(read_pair(r, entry, between, law));
    r->part = NULL;
    return BL_OK;
}

static bl_status check_meeting(bl_reader *r, const bl_surface_law *law, const bl_contact_shape *one, const bl_contact_shape *other) {
    if (one->body == other->body || bl_contact_can(one->what, other->what))
        return BL_OK;
    const char *name = r->model->body[other->body].name;
    bl_fail(r->ctx, BL_E_MODEL, &law->place, "`contact: stepping` has no contacts of a %s with a %s: '%s' and '%s'",
            bl_contact_name(one->what), bl_contact_name(other->what), r->model->body[one->body].name, name);
    bl_advise(r->ctx, "give one of them other shapes, or write `except: [%s]`", name);
    return BL_E_MODEL;
}

/* of the laws with `all`: every pair of kinds that can meet must be supported. Of each kind two bodies stand for all */
static bl_status check_all_kinds(bl_reader *r) {
    const bl_surfaces *s = r->model->surfaces;
    for (const bl_surface_law *law = s->law; law < s->law + s->nlaw; law++) {
        const bl_contact_shape *found[2 * BL_CONTACT_WHATS] = {NULL};
        for (bl_index i = 0; law->without && i < s->nshape; i++) {
            const bl_contact_shape *shape = s->shape + i, **of = found + 2 * (int)shape->what;
            bool own = shape->group < s->nown && !law->without[shape->body];
            int place = !own || of[1] || (of[0] && of[0]->body == shape->body) ? -1 : of[0] ? 1 : 0;
            if (place >= 0)
                of[place] = shape;
        }
        for (int a = 0; a < 2 * BL_CONTACT_WHATS && law->without; a++) {
            for (int b = 0; b < a && found[a] && law->group[0] < 0; b++)
                if (found[b])
                    BL_TRY(check_meeting(r, law, found[b], found[a]));
            for (bl_index i = 0; i < s->nshape && found[a] && law->group[0] >= 0; i++)
                if (s->shape[i].group == law->group[0])
                    BL_TRY(check_meeting(r, law, s->shape + i, found[a]));
        }
    }
    return BL_OK;
}

bl_status bl_read_surfaces(bl_reader *r) {
    bl_index number = 0;
    BL_TRY(BL_ARENA_NEW(&r->model->arena, r->model->surfaces, 1));
    BL_TRY(bl_section_each(r, "contacts", read_contact, &number));
    BL_TRY(own_shapes(r));
    return check_all_kinds(r);
}

/* ---- handles of bodies that joints connect */

static bl_status add_handle(bl_reader *r, bl_index body, const double at[3]) {
    enum { AT }; /* joint/percussion_directions.c */
    bl_contact_def *contact;
    bl_joint_def *joint;
    BL_TRY(bl_contacts_add(r, r->model->body[body].name, &r->model->body[body].place, &bl_joint_percussion, &contact, &joint));
    contact->percussion = true;
    joint->body[0] = 0;
    joint->body[1] = body;
    joint->value[AT].given = true;
    memcpy(joint->value[AT].vector, at, 3 * sizeof *at);
    r->model->surfaces->nhandle++;
    return BL_OK;
}

/* bodies that no joint moves need inertia about every axis */
static bl_status check_inertia(bl_reader *r, const bl_body *body) {
    const double(*J)[3] = body->inertia;
    double xy = J[0][0] * J[1][1] - J[0][1] * J[0][1], zz = J[2][2];
    double det = zz * xy - J[0][0] * J[1][2] * J[1][2] - J[1][1] * J[0][2] * J[0][2] + 2 * J[0][1] * J[0][2] * J[1][2];
    double size = J[0][0] + J[1][1] + zz, rounding = 1e-14 * size * size * size;
    bool given = r->model->dim == 2 ? zz > 0 : J[0][0] > 0 && xy > 0 && det > rounding;
    if (given && body->mass > 0)
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &body->place, "body '%s' is free, but can %s without moving any mass", body->name,
            body->mass > 0 ? "turn" : "move");
    bl_advise(r->ctx, "`contact: stepping` needs its mass and moments of inertia above 0: give them (of a rod: `axial`)");
    return BL_E_MODEL;
}

bl_status bl_read_handles(bl_reader *r) {
    bl_model *model = r->model;
    bl_surfaces *s = model->surfaces;
    if (!s)
        return BL_OK;
    BL_TRY(BL_ARENA_NEW(&model->arena, s->handle, model->nbody));
    for (bl_index b = 0; b < model->nbody; b++) /* elements connect frames as joints do */
        s->handle[b] = (bl_handle){.first = -1, .joined = model->body[b].what != BL_BODY_RIGID};
    for (bl_index j = 0; j < model->njoint; j++)
        for (int k = 0; k < 2; k++)
            if (model->joint[j].body[k] > 0)
                s->handle[model->joint[j].body[k]].joined = true;
    for (bl_index b = 1; b < model->nbody; b++)
        if (!s->handle[b].joined)
            BL_TRY(check_inertia(r, &model->body[b]));
    for (bl_index i = 0; i < s->nshape; i++) {
        bl_handle *handle = &s->handle[s->shape[i].body];
        double reach = bl_contact_reach(&s->shape[i]);
        handle->touched = true;
        handle->lever = fmax(handle->lever, isfinite(reach) ? reach : norm3(s->shape[i].frame.at));
    }
    for (bl_index b = 1; b < model->nbody; b++) {
        bl_handle *handle = &s->handle[b];
        const double *center = model->body[b].center;
        if (!handle->joined || !handle->touched)
            continue;
        handle->lever = handle->lever > 0 ? handle->lever : 1;
        handle->first = r->ncontact;
        BL_TRY(add_handle(r, b, center));
        for (int k = 0; k < (model->dim == 3 ? 3 : 1); k++) {
            double at[3] = {center[0], center[1], center[2]};
            at[k] += handle->lever;
            BL_TRY(add_handle(r, b, at));
        }
    }
    return BL_OK;
}
