/* Shapes of a scene as JSON: the appearance of bodies and ground, and shapes of contacts by time stepping, where they are not the same. */
#include "study/scene.h"

#include "contact/contact.h"

#include <math.h>

static void put_point(bl_json *json, const char *key, const double at[3]) { bl_json_numbers(json, key, at, 3); }

static void put_list(bl_json *json, const char *key, bl_index n, const double (*point)[3]) {
    bl_json_open(json, key, '[');
    for (bl_index i = 0; i < n; i++)
        put_point(json, NULL, point[i]);
    bl_json_close(json, ']');
}

enum { FILE_DIGITS = 9 }; /* enough for a number of 4 bytes, as in STL files; half the text */

static void put_mesh(bl_json *json, const bl_appearance *look) {
    bl_json_open(json, "vertices", '[');
    for (bl_index i = 0; i < look->npoint; i++)
        for (int k = 0; k < 3; k++)
            bl_json_digits(json, NULL, look->point[i][k], FILE_DIGITS);
    bl_json_close(json, ']');
    bl_json_open(json, "triangles", '[');
    for (bl_index i = 0; i < look->ntriangle; i++)
        for (int k = 0; k < 3; k++)
            bl_json_number(json, NULL, look->triangle[i][k]);
    bl_json_close(json, ']');
}

static void put_axes(bl_json *json, const double axes[3][3]) {
    bl_json_open(json, "axes", '[');
    for (int k = 0; k < 3; k++)
        put_point(json, NULL, axes[k]);
    bl_json_close(json, ']');
}

static void put_details(bl_json *json, const bl_appearance *look) {
    switch (look->kind) {
    case BL_APPEARANCE_ROD:
    case BL_APPEARANCE_CYLINDER:
    case BL_APPEARANCE_WHEEL:
        put_point(json, "from", look->at[0]);
        put_point(json, "to", look->at[1]);
        break;
    case BL_APPEARANCE_BOX:
        put_point(json, "center", look->at[0]);
        put_point(json, "size", look->size);
        if (look->turned)
            put_axes(json, look->axes);
        break;
    case BL_APPEARANCE_SPHERE: put_point(json, "center", look->at[0]); break;
    case BL_APPEARANCE_DISC:
        put_point(json, "center", look->at[0]);
        if (look->turned)
            put_point(json, "axis", look->axes[2]);
        if (look->thickness > 0)
            bl_json_number(json, "thickness", look->thickness);
        break;
    case BL_APPEARANCE_POLYGON: put_list(json, "points", look->npoint, look->point); break;
    case BL_APPEARANCE_POINTS:
        put_list(json, "points", look->npoint, look->point);
        bl_json_numbers(json, "masses", look->mass, look->npoint);
        break;
    case BL_APPEARANCE_MESH: put_mesh(json, look); break;
    case BL_APPEARANCES: break;
    }
    if (look->radius > 0)
        bl_json_number(json, "radius", look->radius);
}

static void put_appearances(bl_json *json, const bl_body *body) {
    static const char *const word[BL_APPEARANCES] = {
        [BL_APPEARANCE_ROD] = "rod",         [BL_APPEARANCE_BOX] = "box",       [BL_APPEARANCE_CYLINDER] = "cylinder",
        [BL_APPEARANCE_SPHERE] = "sphere",   [BL_APPEARANCE_DISC] = "disc",     [BL_APPEARANCE_WHEEL] = "wheel",
        [BL_APPEARANCE_POLYGON] = "polygon", [BL_APPEARANCE_POINTS] = "points", [BL_APPEARANCE_MESH] = "mesh",
    };
    for (bl_index i = 0; i < body->nappearance; i++) {
        const bl_appearance *look = &body->appearance[i];
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "kind", word[look->kind]);
        put_details(json, look);
        if (look->color[0])
            bl_json_text(json, "color", look->color);
        if (look->picture)
            bl_json_flag(json, "picture", true);
        bl_json_close(json, '}');
    }
}

/* ---- shapes that contacts list */

/* whether the body looks like that already: something about the same center */
static bool is_shown(const bl_body *body, const bl_contact_shape *shape) {
    const double close = 1e-6 * bl_contact_reach(shape);
    for (bl_index i = 0; i < body->nappearance; i++) {
        const bl_appearance *look = &body->appearance[i];
        bool ends = look->kind == BL_APPEARANCE_ROD || look->kind == BL_APPEARANCE_CYLINDER || look->kind == BL_APPEARANCE_WHEEL;
        double away = 0;
        for (int k = 0; k < 3; k++)
            away =
                fmax(away, fabs((ends ? 0.5 * (look->at[0][k] + look->at[1][k]) : look->at[0][k]) - body->center[k] - shape->frame.at[k]));
        if (away <= close && look->kind != BL_APPEARANCE_POLYGON && look->kind != BL_APPEARANCE_POINTS && look->kind != BL_APPEARANCE_MESH)
            return true;
    }
    return false;
}

/* the same as an appearance; none for points and planes */
static bool appearance_of(const bl_body *body, const bl_contact_shape *shape, bl_appearance *look) {
    const double *e = shape->frame.axes;
    *look = (bl_appearance){.radius = shape->radius, .turned = true};
    for (int k = 0; k < 3; k++) {
        double at = body->center[k] + shape->frame.at[k];
        bool ends = shape->what == BL_CONTACT_CAPSULE || shape->what == BL_CONTACT_CYLINDER;
        look->at[0][k] = at - (ends ? shape->half[2] * e[6 + k] : 0);
        look->at[1][k] = at + (ends ? shape->half[2] * e[6 + k] : 0);
        look->size[k] = 2 * shape->half[k];
        for (int i = 0; i < 3; i++)
            look->axes[i][k] = e[3 * i + k];
    }
    switch (shape->what) {
    case BL_CONTACT_SPHERE: look->kind = BL_APPEARANCE_SPHERE; return shape->radius > 0;
    case BL_CONTACT_CAPSULE: look->kind = BL_APPEARANCE_ROD; return true;
    case BL_CONTACT_CYLINDER: look->kind = BL_APPEARANCE_CYLINDER; return true;
    case BL_CONTACT_BOX: look->kind = BL_APPEARANCE_BOX; return true;
    case BL_CONTACT_POLYGON: look->kind = BL_APPEARANCE_POLYGON; return true;
    case BL_CONTACT_PLANE:
    case BL_CONTACT_WHATS: break;
    }
    return false;
}

/* corners of a polygon, or of a capsule in the plane: of its round ends */
static void put_outline(bl_json *json, const bl_contact_shape *shape, const bl_appearance *look) {
    enum { ROUND = 9 };
    double at[3] = {0};
    bl_json_open(json, "points", '[');
    for (bl_index i = 0; i < shape->ncorner; i++) {
        for (int k = 0; k < 3; k++)
            at[k] = look->at[0][k] + shape->corner[i][0] * look->axes[0][k] + shape->corner[i][1] * look->axes[1][k];
        put_point(json, NULL, at);
    }
    for (int i = 0; shape->ncorner == 0 && i < 2 * ROUND; i++) {
        const double *axis = look->axes[2], angle = 3.14159265358979323846 * (i % ROUND) / (ROUND - 1), along = sin(angle),
                     across = cos(angle), sign = i < ROUND ? shape->radius : -shape->radius;
        at[0] = look->at[i < ROUND][0] + sign * (along * axis[0] + across * axis[1]);
        at[1] = look->at[i < ROUND][1] + sign * (along * axis[1] - across * axis[0]);
        put_point(json, NULL, at);
    }
    bl_json_close(json, ']');
}

static void put_listed(bl_json *json, bool plane, const bl_body *body, const bl_contact_shape *shape) {
    static const char *const word[BL_CONTACT_WHATS] = {[BL_CONTACT_SPHERE] = "sphere",
                                                       [BL_CONTACT_CAPSULE] = "rod",
                                                       [BL_CONTACT_CYLINDER] = "cylinder",
                                                       [BL_CONTACT_BOX] = "box",
                                                       [BL_CONTACT_POLYGON] = "polygon"};
    bl_appearance look;
    if (!appearance_of(body, shape, &look) || is_shown(body, shape))
        return;
    bool outlined = shape->what == BL_CONTACT_POLYGON || (plane && shape->what == BL_CONTACT_CAPSULE);
    bl_json_open(json, NULL, '{');
    bl_json_text(json, "kind", outlined ? "polygon" : word[shape->what]);
    if (outlined)
        put_outline(json, shape, &look);
    else
        put_details(json, &look);
    bl_json_close(json, '}');
}

void bl_scene_shapes(bl_json *json, const bl_model *model, bl_index body) {
    const bl_surfaces *surfaces = model->surfaces;
    bl_json_open(json, "shapes", '[');
    if (body < model->nbody)
        put_appearances(json, &model->body[body]);
    for (bl_index i = 0; surfaces && i < surfaces->nshape; i++)
        if (surfaces->shape[i].body == body && surfaces->shape[i].group >= surfaces->nown)
            put_listed(json, model->dim == 2, &model->body[body], &surfaces->shape[i]);
    bl_json_close(json, ']');
}

/* ---- contacts that list planes */

static bool has_group(const bl_surface_law *law, const bl_contact_shape *shape) {
    return shape->group == law->group[0] || shape->group == law->group[1];
}

/* the body whose shapes are a group */
static bl_index body_of(const bl_surfaces *s, bl_index group) {
    for (bl_index i = 0; i < s->nshape; i++)
        if (s->shape[i].group == group)
            return s->shape[i].body;
    return 0;
}

void bl_scene_surfaces(bl_json *json, const bl_model *model) {
    const bl_surfaces *s = model->surfaces;
    for (bl_index k = 0; s && k < s->nlaw; k++) {
        const bl_surface_law *law = &s->law[k];
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "name", law->name);
        bl_json_text(json, "kind", "surfaces");
        if (law->group[0] >= 0)
            bl_json_integer(json, "a", (long)body_of(s, law->group[0]) - 1);
        if (law->group[1] >= 0)
            bl_json_integer(json, "b", (long)body_of(s, law->group[1]) - 1);
        bl_json_open(json, "planes", '[');
        for (bl_index i = 0; i < s->nshape; i++) {
            const bl_contact_shape *shape = &s->shape[i];
            double at[3];
            if (shape->what != BL_CONTACT_PLANE || !has_group(law, shape))
                continue;
            for (int c = 0; c < 3; c++)
                at[c] = model->body[shape->body].center[c] + shape->frame.at[c];
            bl_json_open(json, NULL, '{');
            bl_json_integer(json, "body", (long)shape->body - 1);
            put_point(json, "at", at);
            put_point(json, "normal", shape->frame.axes + 6);
            bl_json_close(json, '}');
        }
        bl_json_close(json, ']');
        if (law->without) {
            bl_json_open(json, "except", '[');
            for (bl_index b = 1; b < model->nbody; b++)
                if (law->without[b])
                    bl_json_integer(json, NULL, (long)b - 1);
            bl_json_close(json, ']');
        }
        bl_json_close(json, '}');
    }
}
