/* Elastic bodies of a scene as JSON: which bodies are their frames, what their sections look like, and how these lie at the frames. */
#include "study/scene.h"

#include "elastic/beam.h"
#include "study/displacement_limits.h"

#include <math.h>

enum { DIRECTION_DIGITS = 9 }; /* pictures need no more; a third of the text */

static const bl_beam_node *node_of(const bl_beam_def *beam, bl_index element, int local) {
    return &beam->node[(size_t)element * (size_t)(beam->degree + 1) + (size_t)local];
}

static bool same_axes(const bl_beam_node *a, const bl_beam_node *b) {
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            if (fabs(a->axes[i][k] - b->axes[i][k]) > study_scene_same)
                return false;
    return true;
}

/* d1 and d2 */
static void put_axes(bl_json *json, const bl_beam_node *node) {
    bl_json_open(json, NULL, '[');
    for (int i = 0; i < 2; i++) {
        bl_json_open(json, NULL, '[');
        for (int k = 0; k < 3; k++)
            bl_json_digits(json, NULL, node->axes[i][k], DIRECTION_DIGITS);
        bl_json_close(json, ']');
    }
    bl_json_close(json, ']');
}

/* the first element after `first` that does not continue the axes of the one before it: there is a corner */
static bl_index piece_end(const bl_beam_def *beam, bl_index first) {
    bl_index end = first + 1;
    while (end < beam->nelement && same_axes(node_of(beam, end - 1, beam->degree), node_of(beam, end, 0)))
        end++;
    return end;
}

static bool is_straight(const bl_beam_def *beam, bl_index first, bl_index end) {
    for (bl_index e = first; e < end; e++)
        for (int a = 0; a <= beam->degree; a++)
            if (!same_axes(node_of(beam, first, 0), node_of(beam, e, a)))
                return false;
    return true;
}

static void put_piece(bl_json *json, const bl_elastic_def *elastic, bl_index first, bl_index end) {
    const bl_beam_def *beam = elastic->beam;
    bool straight = is_straight(beam, first, end);
    bl_json_open(json, NULL, '{');
    bl_json_integer(json, "first", (long)elastic->frame - 1 + (long)first * beam->degree);
    bl_json_integer(json, "count", (long)(end - first) * beam->degree + 1);
    bl_json_open(json, "axes", '[');
    put_axes(json, node_of(beam, first, 0));
    for (bl_index e = first; e < end && !straight; e++)
        for (int a = 1; a <= beam->degree; a++)
            put_axes(json, node_of(beam, e, a));
    bl_json_close(json, ']');
    bl_json_close(json, '}');
}

/* of its elements and of what is attached to its nodes */
static double mass_of(const bl_model *model, const bl_elastic_def *elastic) {
    double mass = 0;
    for (bl_index i = elastic->frame; i < elastic->frame + elastic->nframe; i++)
        mass += model->body[i].mass;
    for (bl_index e = 0; e < elastic->beam->nelement; e++) {
        bl_beam_element element;
        double x[BL_BEAM_LOCAL];
        if (bl_beam_element_make(elastic->beam, model->dim, e, &element, x) == BL_OK)
            mass += elastic->beam->mass[0] * element.length;
    }
    return mass;
}

static void put_beam(bl_json *json, const bl_model *model, const bl_elastic_def *elastic) {
    const bl_beam_def *beam = elastic->beam;
    bl_json_number(json, "mass", mass_of(model, elastic));
    bl_json_integer(json, "degree", beam->degree);
    if (beam->outline[0] > 0 && beam->round) {
        bl_json_number(json, "diameter", beam->outline[0]);
    } else if (beam->outline[0] > 0) {
        bl_json_number(json, "height", beam->outline[0]);
        if (beam->outline[1] > 0)
            bl_json_number(json, "width", beam->outline[1]);
    }
    bl_json_open(json, "pieces", '[');
    for (bl_index e = 0; e < beam->nelement;) {
        bl_index end = piece_end(beam, e);
        put_piece(json, elastic, e, end);
        e = end;
    }
    bl_json_close(json, ']');
}

void bl_scene_elastic(bl_json *json, const bl_model *model) {
    static const char *const word[] = {[BL_ELASTIC_BEAM] = "beam", [BL_ELASTIC_MESH] = "mesh", [BL_ELASTIC_FLOATING] = "floating"};
    if (model->nelastic == 0)
        return;
    bl_json_open(json, "elastic", '[');
    for (bl_index i = 0; i < model->nelastic; i++) {
        const bl_elastic_def *elastic = &model->elastic[i];
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "name", elastic->name);
        bl_json_text(json, "kind", word[elastic->what]);
        bl_json_integer(json, "first", (long)elastic->frame - 1);
        bl_json_integer(json, "count", (long)elastic->nframe);
        if (elastic->beam)
            put_beam(json, model, elastic);
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
}
