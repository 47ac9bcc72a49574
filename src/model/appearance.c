/* Appearance of bodies and ground. Shapes that define the mass are drawn too; `shape:` adds others for drawing only, as primitives or as
 * files of triangles. Mass, center and inertia do not depend on it. */
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FROM = 1, CENTER = 2, RADIUS = 4, MAY_HAVE_RADIUS = 8, PLANE = 16 };

/* primitives of `shape:` and their keys */
static const struct {
    const char *name;
    bl_appearance_kind kind;
    unsigned has;
    const char *key[4];
} words[] = {{"rod", BL_APPEARANCE_ROD, FROM | MAY_HAVE_RADIUS | PLANE, {"from", "to", "radius"}},
             {"box", BL_APPEARANCE_BOX, CENTER | PLANE, {"center", "size", "axes"}},
             {"cylinder", BL_APPEARANCE_CYLINDER, FROM | RADIUS, {"from", "to", "radius"}},
             {"sphere", BL_APPEARANCE_SPHERE, CENTER | RADIUS, {"center", "radius"}},
             {"disc", BL_APPEARANCE_DISC, CENTER | RADIUS | PLANE, {"center", "radius", "axis", "thickness"}},
             {"wheel", BL_APPEARANCE_WHEEL, FROM | RADIUS, {"from", "to", "radius"}},
             {"polygon", BL_APPEARANCE_POLYGON, PLANE, {"points"}}};
enum { WORDS = sizeof words / sizeof *words };

/* ---- parts of primitives */

static bl_status read_ends(bl_reader *r, const bl_item *node, const char *what, bl_appearance *appearance) {
    const bl_item *from, *to;
    BL_TRY(bl_item_need(r, node, what, "from", &from));
    BL_TRY(bl_item_need(r, node, what, "to", &to));
    BL_TRY(bl_item_point(r, from, "from", appearance->at[0]));
    BL_TRY(bl_item_point(r, to, "to", appearance->at[1]));
    double length = 0;
    for (int k = 0; k < 3; k++)
        length = hypot(length, appearance->at[1][k] - appearance->at[0][k]);
    if (!(length > 0) || !isfinite(length))
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "the %s has no length: 'from' and 'to' are the same point", what);
    return BL_OK;
}

/* positive; unchanged if not given */
static bl_status read_length(bl_reader *r, const bl_item *node, const char *what, const char *key, bool needed, double *value) {
    const bl_item *number = bl_item_get(node, key);
    if (!number && !needed)
        return BL_OK;
    BL_TRY(bl_item_need(r, node, what, key, &number));
    BL_TRY(bl_item_number(r, number, key, value));
    return bl_item_range(r, &number->place, key, BL_POSITIVE, *value);
}

static bl_status read_sizes(bl_reader *r, const bl_item *node, const char *what, bl_appearance *appearance) {
    const bl_item *sizes;
    BL_TRY(bl_item_need(r, node, what, "size", &sizes));
    BL_TRY(bl_item_vector(r, sizes, "size", appearance->size));
    for (int k = 0; k < r->model->dim; k++)
        BL_TRY(bl_item_range(r, &sizes->value[k]->place, "size", BL_POSITIVE, appearance->size[k]));
    appearance->turned = bl_item_get(node, "axes") != NULL;
    return bl_read_axes(r, bl_item_get(node, "axes"), appearance->axes);
}

static bl_status read_disc(bl_reader *r, const bl_item *node, bl_appearance *appearance) {
    const bl_item *axis = bl_item_get(node, "axis");
    if (axis && r->model->dim == 2)
        return bl_fail(r->ctx, BL_E_MODEL, &axis->place, "'axis' of a disc can only be used in spatial models (dimension: 3)");
    appearance->axes[2][2] = 1;
    appearance->turned = axis != NULL;
    if (axis)
        BL_TRY(bl_item_direction(r, axis, "axis", appearance->axes[2]));
    return read_length(r, node, "disc", "thickness", false, &appearance->thickness);
}

typedef struct corners {
    bl_index n;
    double (*point)[3];
} corners;

static bl_status add_corner(bl_reader *r, const bl_item *entry, void *user) {
    corners *all = user;
    return bl_item_point(r, entry, "a point of the polygon", all->point[all->n++]);
}

static bl_status read_polygon(bl_reader *r, const bl_item *node, bl_appearance *appearance) {
    const bl_item *points;
    bl_index count = 0;
    BL_TRY(bl_item_need(r, node, "polygon", "points", &points));
    BL_TRY(bl_each_count(r, points, "points", &count));
    if (count < 3)
        return bl_fail(r->ctx, BL_E_MODEL, &points->place, "a polygon needs at least three points, found %d", (int)count);
    corners all = {.point = bl_arena_alloc(&r->model->arena, (size_t)count, sizeof *all.point)};
    if (!all.point)
        return BL_E_MEMORY;
    BL_TRY(bl_each(r, points, "points", add_corner, &all));
    appearance->npoint = all.n;
    appearance->point = (const double(*)[3])all.point;
    return BL_OK;
}

static bl_status read_primitive(bl_reader *r, const bl_item *node, int which, bl_appearance *appearance) {
    const char *what = words[which].name;
    unsigned has = words[which].has;
    size_t nkey = 0;
    while (nkey < 4 && words[which].key[nkey])
        nkey++;
    appearance->kind = words[which].kind;
    BL_TRY(bl_item_map(r, node, what));
    BL_TRY(bl_item_keys(r, node, what, words[which].key, nkey, NULL));
    if (r->model->dim == 2 && !(has & PLANE)) {
        bl_fail(r->ctx, BL_E_MODEL, &node->place, "a %s can only be drawn in spatial models (dimension: 3)", what);
        bl_advise(r->ctx, "planar models have rod, box, disc and polygon");
        return BL_E_MODEL;
    }
    if (has & FROM)
        BL_TRY(read_ends(r, node, what, appearance));
    if (has & CENTER) {
        const bl_item *center;
        BL_TRY(bl_item_need(r, node, what, "center", &center));
        BL_TRY(bl_item_point(r, center, "center", appearance->at[0]));
    }
    if (has & (RADIUS | MAY_HAVE_RADIUS))
        BL_TRY(read_length(r, node, what, "radius", has & RADIUS, &appearance->radius));
    switch (appearance->kind) {
    case BL_APPEARANCE_BOX: return read_sizes(r, node, what, appearance);
    case BL_APPEARANCE_DISC: return read_disc(r, node, appearance);
    case BL_APPEARANCE_POLYGON: return read_polygon(r, node, appearance);
    default: return BL_OK;
    }
}

/* ---- one entry of `shape:` */

static bl_status read_color(bl_reader *r, const bl_item *node, char color[8]) {
    const char *text = "";
    if (node && !bl_item_null(node))
        BL_TRY(bl_item_text(r, node, "color", &text));
    if (node && (strlen(text) != 7 || text[0] != '#' || strspn(text + 1, "0123456789abcdefABCDEF") != 6)) {
        bl_fail(r->ctx, BL_E_MODEL, &node->place, "color must be \"#rrggbb\", with six hexadecimal digits, found %s%s%s",
                bl_item_null(node) ? "" : "'", bl_item_null(node) ? "nothing" : text, bl_item_null(node) ? "" : "'");
        bl_advise(r->ctx, "write `color: \"#d9480f\"`, with the quotes: without them YAML reads # as the start of a comment");
        return BL_E_MODEL;
    }
    memcpy(color, text, node ? 8 : 1);
    return BL_OK;
}

static bl_status read_file(bl_reader *r, const bl_item *entry, const bl_item *file, bl_appearance *appearance) {
    bl_appearance_frame place = {.scale = 1};
    const bl_item *at = bl_item_get(entry, "at");
    if (r->model->dim == 2) {
        bl_fail(r->ctx, BL_E_MODEL, &file->place, "shapes from files can only be drawn in spatial models (dimension: 3)");
        bl_advise(r->ctx, "in planar models use a polygon");
        return BL_E_MODEL;
    }
    if (at)
        BL_TRY(bl_item_point(r, at, "at", place.at));
    BL_TRY(bl_read_axes(r, bl_item_get(entry, "axes"), place.axes));
    BL_TRY(read_length(r, entry, "a shape from a file", "scale", false, &place.scale));
    appearance->kind = BL_APPEARANCE_MESH;
    return bl_read_appearance_file(r, file, &place, appearance);
}

typedef struct appearances {
    bl_appearance *appearance;
    bl_index n;
} appearances;

static bl_status add_appearance(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const of_files[] = {"scale", "at", "axes"};
    const char *keys[WORDS + 5] = {"file", "color", "scale", "at", "axes"};
    appearances *all = user;
    bl_appearance *appearance = &all->appearance[all->n];
    const bl_item *file = bl_item_get(entry, "file"), *primitive = NULL;
    int which = -1;
    appearance->picture = true;
    for (int k = 0; k < WORDS; k++)
        keys[5 + k] = words[k].name;
    BL_TRY(bl_item_map(r, entry, "a shape"));
    BL_TRY(bl_item_keys(r, entry, "a shape", keys, WORDS + 5, NULL));
    for (int k = 0; k < WORDS; k++) {
        const bl_item *node = bl_item_get(entry, words[k].name);
        if (node && (which >= 0 || file)) {
            bl_fail(r->ctx, BL_E_MODEL, &node->place, "a shape can have only one form, found both '%s' and '%s'", words[k].name,
                    file ? "file" : words[which].name);
            bl_advise(r->ctx, "give several shapes as a list: `shape: [{rod: ...}, {disc: ...}]`");
            return BL_E_MODEL;
        }
        if (node) {
            which = k;
            primitive = node;
        }
    }
    if (!primitive && !file) {
        bl_fail(r->ctx, BL_E_MODEL, &entry->place,
                "a shape needs a primitive (rod, box, cylinder, sphere, disc, wheel, polygon) or a file");
        bl_advise(r->ctx, "write `shape: {wheel: {from: A, to: B, radius: 0.3}}` or `shape: {file: part.stl, scale: 0.001}`");
        return BL_E_MODEL;
    }
    for (int k = 0; k < 3 && primitive; k++) {
        const bl_item *node = bl_item_get(entry, of_files[k]);
        if (node)
            return bl_fail(r->ctx, BL_E_MODEL, &node->place,
                           "'%s' can only be used with 'file'; the position of a %s is given by its own keys", of_files[k],
                           words[which].name);
    }
    BL_TRY(read_color(r, bl_item_get(entry, "color"), appearance->color));
    BL_TRY(primitive ? read_primitive(r, primitive, which, appearance) : read_file(r, entry, file, appearance));
    all->n++;
    return BL_OK;
}

/* ---- all shapes of a body */

bl_status bl_read_appearance(bl_reader *r, const bl_item *shape, bl_index nown, const bl_appearance *own, bl_body *body) {
    bl_index count = 0;
    if (shape)
        BL_TRY(bl_each_count(r, shape, NULL, &count));
    if (nown + count == 0)
        return BL_OK;
    appearances all = {.appearance = bl_arena_alloc(&r->model->arena, (size_t)nown + (size_t)count, sizeof *all.appearance), .n = nown};
    if (!all.appearance)
        return BL_E_MEMORY;
    if (nown > 0)
        memcpy(all.appearance, own, (size_t)nown * sizeof *own);
    if (shape)
        BL_TRY(bl_each(r, shape, NULL, add_appearance, &all));
    body->appearance = all.appearance;
    body->nappearance = all.n;
    return BL_OK;
}

bl_status bl_read_ground(bl_reader *r) {
    const bl_item *ground = bl_section_last(r, "ground"), *shape;
    if (!ground)
        return BL_OK;
    BL_TRY(bl_item_map(r, ground, "ground"));
    BL_TRY(bl_item_keys(r, ground, "ground", (const char *const[]){"shape"}, 1, NULL));
    BL_TRY(bl_item_need(r, ground, "ground", "shape", &shape));
    return bl_read_appearance(r, shape, 0, NULL, &r->model->body[0]);
}
