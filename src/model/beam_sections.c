/* Cross sections of beams: area, moments of inertia, torsion constant and shear factors, by shape or as numbers.
 *
 * Torsion: circles and tubes polar; rectangles by the series of Saint-Venant; I: the sum of b t^3 / 3 over center lines of thin walls.
 * Shear factors: Cowper (1966) with nu = 0: rectangle 5/6, circle 6/7, tube 6 s / (7 s + 20 m^2) with
 * m = inner / outer and s = (1 + m^2)^2, which tends to 1/2 of thin tubes. I: along d2 the web (between the center lines of the
 * flanges), along d3 5/6 of the flanges. */
#include "model/beam_reader.h"
#include "model/model_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

double bl_beam_rectangle_torsion(double height, double width) {
    const double all = 1.03692775514336992633 * 31 / 32; /* sum of 1 / n^5 over odd n */
    double a = fmax(height, width), b = fmin(height, width), rest = 0;
    for (int n = 1; n * pi * a / (2 * b) < 40; n += 2) /* 1 - tanh x = 2 / (e^2x + 1) */
        rest += 2 / (exp(n * pi * a / b) + 1) / pow(n, 5);
    return a * b * b * b * (1.0 / 3 - 64 / pow(pi, 5) * (b / a) * (all - rest));
}

bl_status bl_beam_pair_read(bl_reader *r, const bl_item *node, const char *what, bool zero, double value[2]) {
    bool list = node->kind == BL_ITEM_LIST;
    if (list && r->model->dim == 2) {
        bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s must be one number in the plane, found a list", what);
        bl_advise(r->ctx, "two numbers are for spatial models (dimension: 3)");
        return BL_E_MODEL;
    }
    if (list)
        BL_TRY(bl_item_numbers(r, node, what, 2, value));
    else
        BL_TRY(bl_item_number(r, node, what, &value[0]));
    value[1] = list ? value[1] : value[0];
    for (int k = 0; k < 2; k++)
        BL_TRY(bl_item_range(r, list ? &node->value[k]->place : &node->place, what, zero ? BL_NOT_NEGATIVE : BL_POSITIVE, value[k]));
    return BL_OK;
}

/* ---- shapes */

typedef enum shape { RECTANGLE, CIRCLE, TUBE, I_SECTION, SHAPES } shape;
static const struct {
    const char *name, *sizes;
    int n;
} shapes[SHAPES] = {{"rectangle", "[height, width]", 2},
                    {"circle", "diameter", 1},
                    {"tube", "[outer, inner]", 2},
                    {"i", "[height, width, web, flange]", 4}};

static bl_status read_sizes(bl_reader *r, const bl_item *node, shape which, double size[4]) {
    const char *name = shapes[which].name;
    if (which == CIRCLE) {
        BL_TRY(bl_item_number(r, node, name, &size[0]));
        return bl_item_range(r, &node->place, name, BL_POSITIVE, size[0]);
    }
    if (node->kind != BL_ITEM_LIST || node->count != shapes[which].n)
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s must be %s", name, shapes[which].sizes);
    BL_TRY(bl_item_numbers(r, node, name, shapes[which].n, size));
    for (int k = 0; k < shapes[which].n; k++)
        BL_TRY(bl_item_range(r, &node->value[k]->place, name, BL_POSITIVE, size[k]));
    return BL_OK;
}

static void make_round(double outer, double inner, bl_beam_section *s) {
    double m = inner / outer, sum = (1 + m * m) * (1 + m * m);
    s->area = pi / 4 * (outer - inner) * (outer + inner);
    s->I[0] = s->I[1] = s->area * (outer * outer + inner * inner) / 16;
    s->torsion = 2 * s->I[0];
    s->shear[0] = s->shear[1] = 6 * sum / (7 * sum + 20 * m * m);
    s->outline[0] = outer;
    s->outline[1] = inner;
    s->round = true;
}

static void make_rectangle(double height, double width, bl_beam_section *s) {
    s->area = height * width;
    s->I[0] = s->area * width * width / 12;
    s->I[1] = s->area * height * height / 12;
    s->torsion = bl_beam_rectangle_torsion(height, width);
    s->shear[0] = s->shear[1] = 5.0 / 6;
    s->outline[0] = height;
    s->outline[1] = width;
}

static void make_i(const double size[4], bl_beam_section *s) {
    double height = size[0], width = size[1], web = size[2], flange = size[3], clear = height - 2 * flange, apart = height - flange;
    s->area = 2 * width * flange + clear * web;
    s->I[0] = (2 * flange * width * width * width + clear * web * web * web) / 12;
    s->I[1] = (width * height * height * height - (width - web) * clear * clear * clear) / 12;
    s->torsion = (2 * width * flange * flange * flange + apart * web * web * web) / 3;
    s->shear[0] = apart * web / s->area;
    s->shear[1] = 5.0 / 6 * 2 * width * flange / s->area;
    s->outline[0] = height;
    s->outline[1] = width;
}

static bl_status read_shape(bl_reader *r, const bl_item *node, shape which, bl_beam_section *s) {
    double size[4] = {0};
    BL_TRY(read_sizes(r, node, which, size));
    switch (which) {
    case RECTANGLE: make_rectangle(size[0], size[1], s); return BL_OK;
    case CIRCLE: make_round(size[0], 0, s); return BL_OK;
    case TUBE:
        if (size[1] >= size[0]) {
            bl_fail(r->ctx, BL_E_MODEL, &node->value[1]->place, "the inner diameter of the tube, %g, is not smaller than the outer one, %g",
                    size[1], size[0]);
            bl_advise(r->ctx, "write tube: [outer, inner], two diameters; a full section is `circle`");
            return BL_E_MODEL;
        }
        make_round(size[0], size[1], s);
        return BL_OK;
    default:
        if (size[2] > size[1] || 2 * size[3] >= size[0]) {
            bool web = size[2] > size[1];
            bl_fail(r->ctx, BL_E_MODEL, &node->value[web ? 2 : 3]->place,
                    web ? "the web of the section is %g thick, more than its width, %g"
                        : "two flanges of %g do not fit into the height of the section, %g",
                    size[web ? 2 : 3], size[web ? 1 : 0]);
            bl_advise(r->ctx, "write i: [height, width, web, flange]: the last two are thicknesses");
            return BL_E_MODEL;
        }
        make_i(size, s);
        return BL_OK;
    }
}

/* ---- numbers */

/* A, I, and in space J */
static bl_status read_numbers(bl_reader *r, const bl_item *node, bl_beam_section *s) {
    const bl_item *area, *I;
    BL_TRY(bl_item_need(r, node, "a section", "A", &area));
    BL_TRY(bl_item_number(r, area, "A", &s->area));
    BL_TRY(bl_item_range(r, &area->place, "A", BL_POSITIVE, s->area));
    BL_TRY(bl_item_need(r, node, "a section", "I", &I));
    BL_TRY(bl_beam_pair_read(r, I, "I", false, s->I));
    s->shear[0] = s->shear[1] = 1;
    if (r->model->dim == 2 || bl_item_get(node, "J"))
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &node->place, "a section in space needs 'J', its torsion constant");
    bl_advise(r->ctx, "give a shape (rectangle, circle, tube, i) to have it computed");
    return BL_E_MODEL;
}

/* no section has a torsion constant above its polar moment */
static bl_status read_torsion(bl_reader *r, const bl_item *node, bl_beam_section *s) {
    double most = s->I[0] + s->I[1];
    if (r->model->dim == 2) {
        bl_fail(r->ctx, BL_E_MODEL, &node->place, "'J' of a section can only be used in spatial models (dimension: 3)");
        return BL_E_MODEL;
    }
    BL_TRY(bl_item_number(r, node, "J", &s->torsion));
    BL_TRY(bl_item_range(r, &node->place, "J", BL_POSITIVE, s->torsion));
    if (s->torsion <= most * (1 + model_inertia_digits))
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &node->place, "no section can have the torsion constant J = %g: it is larger than I2 + I3 = %g", s->torsion,
            most);
    bl_advise(r->ctx, "J = I2 + I3 holds for circles and tubes; all other sections have less");
    return BL_E_MODEL;
}

bl_status bl_beam_section_read(bl_reader *r, const bl_item *node, const char *what, bl_beam_section *section) {
    static const char *const keys[] = {"rectangle", "circle", "tube", "i", "A", "I", "J", "shear"};
    const bl_item *J, *shear, *one = NULL;
    int which = SHAPES;
    *section = (bl_beam_section){0};
    BL_TRY(bl_item_map(r, node, "section"));
    BL_TRY(bl_item_keys(r, node, "a section", keys, sizeof keys / sizeof *keys, NULL));
    for (int k = 0; k < SHAPES; k++) {
        const bl_item *found = bl_item_get(node, shapes[k].name);
        if (found && one)
            return bl_fail(r->ctx, BL_E_MODEL, &found->place, "the section is described twice, as %s and as %s", shapes[which].name,
                           shapes[k].name);
        which = found ? k : which;
        one = found ? found : one;
    }
    for (int k = 4; k < 6 && one; k++)
        if (bl_item_get(node, keys[k]))
            return bl_fail(r->ctx, BL_E_MODEL, &bl_item_get(node, keys[k])->place, "the section is described twice, as %s and by '%s'",
                           shapes[which].name, keys[k]);
    if (!one && !bl_item_get(node, "A") && !bl_item_get(node, "I")) {
        bl_fail(r->ctx, BL_E_MODEL, &node->place, "the section of %s has no shape", what);
        bl_advise(r->ctx, "write section: {rectangle: [height, width]}, or circle, tube, i, or numbers: {A: ..., I: ...}");
        return BL_E_MODEL;
    }
    BL_TRY(one ? read_shape(r, one, (shape)which, section) : read_numbers(r, node, section));
    if ((J = bl_item_get(node, "J")))
        BL_TRY(read_torsion(r, J, section));
    if ((shear = bl_item_get(node, "shear")))
        BL_TRY(bl_beam_pair_read(r, shear, "shear", false, section->shear));
    return BL_OK;
}
