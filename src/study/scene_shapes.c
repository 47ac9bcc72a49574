/* Shapes of a scene: the appearance of bodies and ground as JSON. */
#include "study/scene.h"

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

void bl_scene_shapes(bl_json *json, const bl_body *body) {
    static const char *const word[BL_APPEARANCES] = {
        [BL_APPEARANCE_ROD] = "rod",         [BL_APPEARANCE_BOX] = "box",       [BL_APPEARANCE_CYLINDER] = "cylinder",
        [BL_APPEARANCE_SPHERE] = "sphere",   [BL_APPEARANCE_DISC] = "disc",     [BL_APPEARANCE_WHEEL] = "wheel",
        [BL_APPEARANCE_POLYGON] = "polygon", [BL_APPEARANCE_POINTS] = "points", [BL_APPEARANCE_MESH] = "mesh",
    };
    bl_json_open(json, "shapes", '[');
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
    bl_json_close(json, ']');
}
