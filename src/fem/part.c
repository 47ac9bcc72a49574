/* Parts: elements sorted into groups of one kind and one material, shape functions at integration points, masses, laws on meshes. */
#include "fem/fem_limits.h"
#include "fem/hourglass.h"
#include "model/law_inputs.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- groups */

static bl_status make_rule(bl_arena *arena, const bl_element_kind *kind, const int points[3], bl_fem_rule *rule) {
    bl_quadrature q;
    if (bl_quadrature_of(kind->shape, points, &q) != BL_OK)
        return BL_E_ABILITY;
    size_t count = (size_t)q.n * kind->nnode;
    rule->n = q.n;
    rule->weight = q.weight;
    rule->at = q.at;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(rule->N, count), BL_ARRAY(rule->dN, count)));
    for (bl_index k = 0; k < q.n; k++)
        kind->functions(q.at[k], rule->N + (size_t)k * kind->nnode, rule->dN + (size_t)k * kind->nnode);
    rule->T = rule->N;
    return BL_OK;
}

/* Interpolates temperatures one degree lower than displacements, as strains are: in hexa20 trilinear through the 2 x 2 x 2 points of its
 * reduced rule */
static bl_status lower_temperatures(bl_arena *arena, const bl_element_kind *kind, bl_fem_rule *rule) {
    bl_quadrature reduced;
    double N[BL_ELEMENT_NODES], *T = bl_arena_alloc(arena, (size_t)rule->n * kind->nnode, sizeof *T);
    if (!T)
        return BL_E_MEMORY;
    BL_TRY(bl_quadrature_of(kind->shape, kind->reduced_points, &reduced));
    for (bl_index g = 0; g < reduced.n; g++) {
        kind->functions(reduced.at[g], N, NULL);
        for (bl_index k = 0; k < rule->n; k++) {
            double factor = 1; /* (1 + 3 x g)/2 in every direction, g = +- 1/sqrt 3 */
            for (int i = 0; i < 3; i++)
                factor *= 0.5 * (1 + 3 * rule->at[k][i] * reduced.at[g][i]);
            for (int a = 0; a < kind->nnode; a++)
                T[(size_t)k * kind->nnode + (size_t)a] += factor * N[a];
        }
    }
    rule->T = T;
    return BL_OK;
}

static bl_status refuse_points(bl_context *ctx, const bl_solid *solid, const bl_element_kind *kind, int points) {
    bl_fail(ctx, BL_E_MODEL, &solid->place, "%s: elements %s have no quadrature rule with %d points", solid->name, kind->kind.name, points);
    bl_advise(ctx, "choose 1 to 5 points per direction for segments, quadrilaterals and hexahedra; 1, 3, 6, 7 or 12 for triangles; 1, 4 or "
                   "15 for tetrahedra");
    return BL_E_MODEL;
}

static bl_status make_rules(bl_context *ctx, bl_fem_part *part, const bl_section_def *section, bl_fem_group *group) {
    const bl_solid *solid = part->solid;
    const bl_element_kind *kind = group->kind;
    const int *points = section->points[0] > 0 ? section->points : solid->points[0] > 0 ? solid->points : kind->points;
    bl_status status = make_rule(&part->arena, kind, points, &group->rule);
    if (status == BL_E_ABILITY)
        return refuse_points(ctx, solid, kind, points[0]);
    BL_TRY(status);
    if (section->lower_temperatures && kind == &bl_element_hexa20)
        BL_TRY(lower_temperatures(&part->arena, kind, &group->rule));
    return make_rule(&part->arena, kind, section->mass_points[0] > 0 ? section->mass_points : kind->mass_points, &group->mass_rule);
}

/* ---- colors */

/* each node stores the colors of its blocks; a block takes the first color that none of its nodes has */
static bl_status color_blocks(bl_context *ctx, bl_fem_part *part, bl_fem_group *group) {
    bl_index share = (group->count / BL_FEM_BLOCKS + BL_LANES - 1) / BL_LANES * BL_LANES, count[BL_FEM_COLORS + 1] = {0};
    group->in_block = share > BL_FEM_BLOCK ? share : BL_FEM_BLOCK;
    bl_index nblock = group->nblock = (group->count + group->in_block - 1) / group->in_block;
    size_t nn = group->kind->nnode;
    uint64_t *colors_of_node;
    uint8_t *color;
    BL_TRY(BL_ARENA_ARRAYS(&part->arena, BL_ARRAY(group->block, nblock), BL_ARRAY(group->color, BL_FEM_COLORS + 1)));
    BL_TRY(BL_NEW(ctx, colors_of_node, part->solid->mesh.nnode));
    if (BL_NEW(ctx, color, nblock) != BL_OK) {
        bl_free(ctx, colors_of_node);
        return BL_E_MEMORY;
    }
    for (bl_index b = 0; b < nblock; b++) {
        size_t size = (size_t)group->in_block * nn, from = (size_t)b * size, to = from + size, all = (size_t)group->count * nn;
        uint64_t used = 0;
        to = to < all ? to : all;
        for (size_t k = from; k < to; k++)
            used |= colors_of_node[group->node[k]];
        int c = 0;
        while (c < BL_FEM_COLORS - 1 && (used >> c & 1))
            c++;
        for (size_t k = from; k < to; k++)
            colors_of_node[group->node[k]] |= (uint64_t)1 << c;
        color[b] = (uint8_t)c;
        count[c]++;
    }
    for (int c = 0; c < BL_FEM_COLORS; c++) {
        group->color[c + 1] = group->color[c] + count[c];
        group->ncolor = count[c] ? c + 1 : group->ncolor;
        count[c] = group->color[c];
    }
    for (bl_index b = 0; b < nblock; b++)
        group->block[count[color[b]]++] = b;
    bl_free(ctx, colors_of_node);
    bl_free(ctx, color);
    return BL_OK;
}

/* Chooses the kernel for eight elements: isotropic linear elements with small strains, or any law whose stress rotates with the material
 * point and whose tangent is symmetric; without averaged dilatation, not axisymmetric. */
static bl_status choose_lane_kernel(bl_fem_part *part, bl_fem_group *group) {
    const bl_solid *solid = part->solid;
    const bl_material *material = group->material;
    if (!solid->strain || group->bbar || solid->plane == BL_PLANE_AXISYMMETRIC || solid->stressed || solid->strain->spin ||
        !bl_material_symmetric(material, solid->strain) || group->kind->dim != part->dim || group->kind->nnode > BL_LINEAR_NODES ||
        material->elastic.n > 0)
        return BL_OK;
    double *weight;
    BL_TRY(BL_ARENA_NEW(&part->arena, weight, group->rule.n));
    for (bl_index k = 0; k < group->rule.n; k++)
        weight[k] = group->rule.weight[k] * group->thickness;
    group->linear = (bl_linear_rule){.dim = part->dim,
                                     .nnode = group->kind->nnode,
                                     .npoint = (int)group->rule.n,
                                     .dN = (const double(*)[3])group->rule.dN,
                                     .weight = weight,
                                     .hourglass = group->hourglass,
                                     .gauss2 = group->kind == &bl_element_hexa8 && group->rule.n == 8};
    group->linear.nshape = group->hourglass > 0 ? bl_hourglass_shapes(part->dim, group->kind->nnode, group->linear.shape) : 0;
    if (solid->strain->small && (material->gives & BL_MATERIAL_LINEAR) && group->nhistory == 0) {
        double stress[6], D[36];
        bl_material_point point = {.stress = stress, .tangent = D};
        BL_TRY(bl_material_at(material, &point));
        group->in_lanes = true;
        group->linear.lambda = part->dim == 1 ? D[0] : D[1]; /* in one dimension K = lambda G */
        group->linear.mu = part->dim == 1 ? 0 : D[21];
    } else
        group->by_law = group->hourglass == 0;
    return BL_OK;
}

/* With one point, quad4 and hexa8 have hourglass modes. */
static bl_status set_hourglass_modulus(bl_fem_part *part, bl_fem_group *group) {
    static const double SHARE =
        0.05; /* share of the stiffness: bending stays soft, and hourglass modes do not grow (Flanagan, Belytschko) */
    const bl_solid *solid = part->solid;
    double h[4][8], stress[6], D[36], share = solid->hourglass < 0 ? SHARE : solid->hourglass;
    if (!solid->strain || group->rule.n != 1 || share == 0 || bl_hourglass_shapes(part->dim, group->kind->nnode, h) == 0)
        return BL_OK;
    double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, no_thermal_strain[6] = {0};
    bl_material_point point = {.stress = stress, .tangent = D};
    BL_TRY(solid->strain->small ? bl_material_at(group->material, &point)
                                : solid->strain->at(group->material, F, no_thermal_strain, 1, NULL, NULL, stress, D, NULL, NULL));
    group->hourglass = share * D[0];
    return BL_OK;
}

/* section of each element: the last one that contains it */
static bl_status find_sections(bl_context *ctx, const bl_solid *solid, bl_index *section) {
    for (bl_index e = 0; e < solid->mesh.nelement; e++)
        section[e] = -1;
    for (bl_index s = 0; s < solid->nsection; s++) {
        const bl_mesh_set *set = solid->section[s].set;
        for (bl_index k = 0; set && k < set->count; k++)
            section[set->item[k]] = s;
        for (bl_index e = 0; !set && e < solid->mesh.nelement; e++)
            section[e] = s;
    }
    for (bl_index e = 0; e < solid->mesh.nelement; e++)
        if (section[e] < 0)
            return bl_fail(ctx, BL_E_MODEL, &solid->place, "%s: element %d belongs to no section and has no material", solid->name,
                           (int)(solid->mesh.element_label ? solid->mesh.element_label[e] : e + 1));
    return BL_OK;
}

static bl_status add_group(bl_context *ctx, bl_fem_part *part, const bl_mesh_block *block, bl_index section, const bl_index *of) {
    bl_index count = 0, at = 0;
    for (bl_index e = 0; e < block->count; e++)
        count += of[block->first + e] == section;
    if (count == 0)
        return BL_OK;
    const bl_solid *solid = part->solid;
    bl_fem_group *group = &part->group[part->ngroup++];
    int nn = block->kind->nnode;
    const bl_section_def *own = &solid->section[section];
    *group = (bl_fem_group){.kind = block->kind, .material = &own->material, .count = count, .bbar = solid->bbar || own->bbar};
    group->thickness = own->thickness > 0 ? own->thickness : solid->thickness;
    group->element = bl_arena_alloc(&part->arena, (size_t)count, sizeof *group->element);
    bl_index *node = NULL; /* if the group is only a part of the block; else the nodes of the mesh are used */
    if (count < block->count)
        node = bl_arena_alloc(&part->arena, (size_t)count * (size_t)nn, sizeof *node);
    if (!group->element || (count < block->count && !node))
        return BL_E_MEMORY;
    for (bl_index e = 0; e < block->count; e++)
        if (of[block->first + e] == section) {
            group->element[at] = block->first + e;
            if (node)
                memcpy(node + (size_t)at * (size_t)nn, block->node + (size_t)e * (size_t)nn, (size_t)nn * sizeof *node);
            at++;
        }
    group->node = node ? node : block->node;
    BL_TRY(make_rules(ctx, part, own, group));
    group->nhistory = group->material->kind->nhistory + (solid->strain ? solid->strain->nhistory : 0);
    group->history = part->nhistory;
    part->nhistory += (size_t)count * (size_t)group->rule.n * (size_t)group->nhistory;
    BL_TRY(set_hourglass_modulus(part, group));
    BL_TRY(choose_lane_kernel(part, group));
    return color_blocks(ctx, part, group);
}

static bool constant_law(const bl_number_law *law) { return law->law < 0; }

static void classify(bl_fem_part *part) {
    const bl_solid *solid = part->solid;
    bool averaged = false, hourglass = false;
    part->linear = part->symmetric = true;
    for (bl_index g = 0; g < part->ngroup; g++) {
        const bl_material *material = part->group[g].material;
        part->linear = part->linear && (material->gives & BL_MATERIAL_LINEAR) && part->group[g].nhistory == 0;
        part->symmetric = part->symmetric && (part->bars ? solid->strain != NULL || bl_material_symmetric(material, NULL)
                                                         : bl_material_symmetric(material, solid->strain));
        averaged = averaged || part->group[g].bbar;
        hourglass = hourglass || part->group[g].hourglass > 0;
    }
    part->green = solid->strain == &bl_strain_green;
    part->polynomial = part->linear && solid->strain && !solid->stressed && (solid->strain->small || part->green) && !averaged;
    part->discrete = part->polynomial && !hourglass;
    if (solid->strain)
        part->linear = part->linear && solid->strain->small;
    for (int i = 0; i < 3 && !solid->strain; i++)
        if (!constant_law(&solid->convection[i]) || solid->convection[i].number != 0)
            part->symmetric = false;
    if (!solid
             ->strain) /* sources that depend on position and time only leave the system linear at fixed t; those that depend on u do not */
        part->linear = part->linear && constant_law(&solid->source) && constant_law(&solid->absorption) &&
                       constant_law(&solid->convection[0]) && constant_law(&solid->convection[1]) && constant_law(&solid->convection[2]);
}

static double diagonal_of_box(const bl_mesh *mesh) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (bl_index i = 0; i < mesh->nnode; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], mesh->x[i][k]);
            high[k] = fmax(high[k], mesh->x[i][k]);
        }
    return hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
}

static bl_status list_thicknesses(bl_fem_part *part, const bl_index *section) {
    const bl_solid *solid = part->solid;
    bool own = false;
    for (bl_index s = 0; s < solid->nsection; s++)
        own = own || solid->section[s].thickness > 0;
    if (!own)
        return BL_OK;
    BL_TRY(BL_ARENA_NEW(&part->arena, part->thickness, solid->mesh.nelement));
    for (bl_index e = 0; e < solid->mesh.nelement; e++) {
        double thickness = solid->section[section[e]].thickness;
        part->thickness[e] = thickness > 0 ? thickness : solid->thickness;
    }
    return BL_OK;
}

/* x is the radius */
static bl_status check_radii(bl_context *ctx, const bl_fem_part *part) {
    const bl_solid *solid = part->solid;
    for (bl_index b = 0; solid->plane == BL_PLANE_AXISYMMETRIC && b < solid->mesh.nblock; b++)
        for (bl_index e = 0; e < solid->mesh.block[b].count; e++)
            for (int a = 0; a < solid->mesh.block[b].kind->nnode; a++) {
                bl_index node = solid->mesh.block[b].node[(size_t)e * solid->mesh.block[b].kind->nnode + (size_t)a];
                bl_index element = solid->mesh.block[b].first + e;
                if (!(solid->mesh.x[node][0] < -fem_negative_radius * part->length))
                    continue;
                bl_fail(ctx, BL_E_MODEL, &solid->place,
                        "%s is axisymmetric, so x is the radius and must not be negative; element %d has a node (%d) at x = %.6g",
                        solid->name, (int)(solid->mesh.element_label ? solid->mesh.element_label[element] : element + 1),
                        (int)(solid->mesh.label ? solid->mesh.label[node] : node + 1), solid->mesh.x[node][0]);
                bl_advise(ctx, "mesh only the half at x >= 0; the axis of rotation is y");
                return BL_E_MODEL;
            }
    return BL_OK;
}

bl_status bl_fem_part_create(bl_context *ctx, const bl_model *model, const bl_solid *solid, bl_fem_part *part) {
    bl_index *section;
    *part = (bl_fem_part){.model = model, .solid = solid, .arena = {.ctx = ctx}, .dim = solid->mesh.dim};
    part->ncomponent = solid->strain ? part->dim : 1;
    part->bars = bl_mesh_of_bars(&solid->mesh);
    part->length = diagonal_of_box(&solid->mesh);
    part->series = BL_ISA_PICK(ctx, bl_fem_series_kernels);
    BL_TRY(BL_ARENA_NEW(&part->arena, part->group, (size_t)solid->mesh.nblock * (size_t)solid->nsection));
    BL_TRY(check_radii(ctx, part));
    BL_TRY(BL_NEW(ctx, section, solid->mesh.nelement));
    bl_status status = find_sections(ctx, solid, section);
    for (bl_index b = 0; status == BL_OK && b < solid->mesh.nblock; b++)
        for (bl_index s = 0; status == BL_OK && s < solid->nsection; s++)
            status = add_group(ctx, part, &solid->mesh.block[b], s, section);
    if (status == BL_OK)
        status = list_thicknesses(part, section);
    bl_free(ctx, section);
    classify(part);
    return status;
}

void bl_fem_part_destroy(bl_fem_part *part) {
    if (part->arena.ctx)
        bl_arena_destroy(&part->arena);
    *part = (bl_fem_part){0};
}

/* ---- masses */

void bl_part_mass(const bl_fem_part *part, const bl_fem_group *group, bl_element_work *w, double *m, bool lumped) {
    int nn = group->kind->nnode;
    const bl_fem_rule *rule = &group->mass_rule;
    double full[BL_ELEMENT_NODES * BL_ELEMENT_NODES] = {0}, total = 0, trace = 0;
    for (bl_index k = 0; k < rule->n; k++) {
        const double *N = rule->N + (size_t)k * (size_t)nn;
        const double(*dN)[3] = (const double(*)[3])(rule->dN + (size_t)k * (size_t)nn);
        double factor = rule->weight[k] * bl_part_gradients(part, nn, (const double(*)[3])w->x, dN, w->g) * group->thickness *
                        (part->solid->order == 1 ? group->material->capacity : group->material->density);
        if (part->solid->plane == BL_PLANE_AXISYMMETRIC) {
            double radius = 0;
            for (int a = 0; a < nn; a++)
                radius += N[a] * w->x[a][0];
            factor *= 2 * pi * radius;
        }
        for (int a = 0; a < nn; a++)
            for (int b = 0; b < nn; b++)
                full[a * nn + b] += N[a] * N[b] * factor;
    }
    if (!lumped) {
        memcpy(m, full, (size_t)nn * (size_t)nn * sizeof *m);
        return;
    }
    for (int a = 0; a < nn; a++) {
        m[a] = full[a * nn + a];
        trace += m[a];
        for (int b = 0; b < nn; b++)
            total += full[a * nn + b];
    }
    for (int a = 0; a < nn; a++) { /* row sums, or the diagonal scaled to the element's mass (Hinton, Rock, Zienkiewicz 1976) */
        double row = 0;
        for (int b = 0; b < nn; b++)
            row += full[a * nn + b];
        m[a] = group->kind->row_sum ? row : m[a] * total / trace;
    }
}

/* ---- laws */

double bl_part_law(const bl_model *model, const bl_number_law *law, double t, const double x[3], double u, double *slope_u,
                   bl_element_work *w) {
    if (slope_u)
        *slope_u = 0;
    if (law->law < 0)
        return law->number;
    const bl_law *l = &model->law[law->law];
    bl_index of_u = -1;
    bl_law_read(model, l, &(bl_instant){.t = t, .place = x, .field = u}, w->law_in);
    for (bl_index k = 0; k < l->ninput; k++)
        if (l->input[k].what == BL_SYM_FIELD)
            of_u = k;
    double out;
    if (!slope_u || of_u < 0) {
        bl_tape_eval(l->tape, w->law_in, &out, w->law_work);
        return out;
    }
    double *slopes = w->law_in + l->ninput;
    bl_tape_jacobian(l->tape, w->law_in, &out, slopes, w->law_work);
    *slope_u = slopes[of_u];
    return out;
}
