/* See solids.h. */
#include "support/solids.h"

#include <stdio.h>
#include <string.h>

static const char *const plane_word[] = {"none", "strain", "stress", "axisymmetric", "bar"};

/* planes of bodies: from, and up to but not */
static void planes_of(const bl_element_kind *element, int dim, int *from, int *to) {
    *from = element->dim == 1 ? BL_PLANE_BAR : dim == 2 ? BL_PLANE_STRAIN : BL_PLANE_NONE;
    *to = element->dim == 1 ? BL_PLANE_BAR + 1 : dim == 2 ? BL_PLANE_AXISYMMETRIC + 1 : BL_PLANE_NONE + 1;
}

static void visit_bodies(const bl_element_kind *element, int dim, void (*visit)(const solid_case *, void *), void *user, long *count,
                         long *refused) {
    int from, to;
    planes_of(element, dim, &from, &to);
    for (size_t s = 0; s < bl_strain_kind_count; s++)
        for (size_t m = 0; m < bl_material_kind_count; m++)
            for (int plane = from; plane < to; plane++)
                for (int bbar = 0; bbar < 2; bbar++) {
                    solid_case c = {.element = element,
                                    .strain = bl_strain_kinds[s],
                                    .material = bl_material_kinds[m],
                                    .plane = (bl_plane)plane,
                                    .bbar = bbar,
                                    .dim = dim,
                                    .cells = 2,
                                    .distort = 0.2};
                    bool splits = c.strain->small || (c.material->kind.gives & BL_MATERIAL_DILATATION);
                    if (bl_material_refuses(c.material, c.strain, c.plane) ||
                        (bbar && (plane == BL_PLANE_STRESS || plane == BL_PLANE_BAR || !splits))) {
                        ++*refused;
                        continue;
                    }
                    snprintf(c.name, sizeof c.name, "%s in dimension %d, %s strain, %s%s%s%s", element->kind.name, dim, c.strain->kind.name,
                             c.material->kind.name, plane ? ", plane " : "", plane ? plane_word[plane] : "", bbar ? ", B-bar" : "");
                    ++*count;
                    visit(&c, user);
                }
}

static void visit_fields(const bl_element_kind *element, int dim, void (*visit)(const solid_case *, void *), void *user, long *count,
                         long *refused) {
    for (size_t m = 0; m < bl_material_kind_count; m++)
        for (int order = 0; order < 3; order++) {
            solid_case c = {.element = element, .material = bl_material_kinds[m], .dim = dim, .order = order, .cells = 2, .distort = 0.2};
            if (!(c.material->kind.needs & BL_OF_GRADIENT) || bl_material_refuses(c.material, NULL, BL_PLANE_NONE)) {
                ++*refused;
                continue;
            }
            snprintf(c.name, sizeof c.name, "%s in dimension %d, field of %s, order %d", element->kind.name, dim, c.material->kind.name,
                     order);
            ++*count;
            visit(&c, user);
        }
}

long solid_cases(void (*visit)(const solid_case *c, void *user), void *user, long *refused) {
    long count = 0, not_allowed = 0;
    for (size_t e = 0; e < bl_element_kind_count; e++) {
        const bl_element_kind *element = bl_element_kinds[e];
        for (int dim = element->dim; dim <= (element->dim == 1 ? 3 : element->dim); dim++) {
            visit_bodies(element, dim, visit, user, &count, &not_allowed);
            visit_fields(element, dim, visit, user, &count, &not_allowed);
        }
    }
    if (refused)
        *refused = not_allowed;
    return count;
}

/* a value for every parameter that is required, and for some more */
static size_t material_text(const bl_material_kind *kind, char *text, size_t room) {
    static const struct {
        const char *name;
        double value;
    } known[] = {{"E", 1000},         {"nu", 0.3},    {"density", 2},    {"yield", 20}, {"hardening", 100},
                 {"conductivity", 3}, {"tension", 5}, {"stiffness", 40}, {"area", 1}};
    size_t used = (size_t)snprintf(text, room, "{type: %s", kind->kind.name);
    for (bl_index i = 0; i < bl_param_count(kind->kind.params); i++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (strcmp(kind->kind.params[i].name, known[k].name) == 0)
                used += (size_t)snprintf(text + used, room - used, ", %s: %g", known[k].name, known[k].value);
    return used + (size_t)snprintf(text + used, room - used, "}");
}

size_t solid_text(const solid_case *c, char *text, size_t room) {
    static const char *const shape[] = {"segment: {to: 2, n: %d}", "rectangle: {from: [1, 0], to: [2.5, 2], n: [%d, %d]}",
                                        "box: {to: [2, 1, 1.5], n: [%d, %d, %d]}"};
    static const char *const line[] = {"segment: {from: [0.3, -0.2], to: [2.1, 0.9], n: %d, grading: 1.7}",
                                       "segment: {from: [0.3, -0.2, 0.1], to: [2.1, 0.9, 0.7], n: %d, grading: 1.7}"};
    static const char *const equation[] = {"stationary", "diffusion", "wave"};
    char material[400], mesh[200];
    material_text(c->material, material, sizeof material);
    bool bars = solid_of_bars(c);
    snprintf(mesh, sizeof mesh, bars ? line[solid_dim(c) - 2] : shape[c->element->dim - 1], c->cells, c->cells, c->cells);
    size_t used = (size_t)snprintf(
        text, room,
        "dimension: %d\nmaterials: {stuff: %s}\n%s:\n  - {name: part, mesh: {%s, element: %s, distort: [%g, 7]}, material: stuff",
        solid_dim(c), material, c->strain ? "bodies" : "fields", mesh, c->element->kind.name, bars ? 0 : c->distort);
    if (bars) /* distorted they would not be straight */
        used += (size_t)snprintf(text + used, room - used, ", area: %g", solid_area(c));
    if (c->strain)
        used += (size_t)snprintf(text + used, room - used, ", strain: %s", c->strain->kind.name);
    else
        used += (size_t)snprintf(text + used, room - used, ", equation: %s", equation[c->order]);
    if (c->plane && c->plane != BL_PLANE_BAR)
        used += (size_t)snprintf(text + used, room - used, ", plane: %s", plane_word[c->plane]);
    if (c->bbar)
        used += (size_t)snprintf(text + used, room - used, ", bbar: true");
    return used + (size_t)snprintf(text + used, room - used, "}\n%s", c->more ? c->more : "");
}

void solid_build(bl_context *ctx, const solid_case *c, bl_model **model, bl_system **sys) {
    char text[2000];
    size_t length = solid_text(c, text, sizeof text);
    bl_status status = bl_model_read_text(ctx, "solid", text, length, NULL, 0, model);
    if (status == BL_OK)
        status = bl_fem_build(ctx, *model, sys);
    if (status != BL_OK)
        fail_msg("%s: %s (line %d)\n%s", c->name, bl_context_error(ctx)->what, bl_context_error(ctx)->line, text);
}
