/* Power series of the forces of one element whose law is linear in Green's strain: products of the coefficients of H = sum u_a Grad N_a
 * (series_isa.c). With one integration point the forces against hourglass modes are added, which are linear in u (hourglass.c). */
#include "fem/hourglass.h"

#include <string.h>

enum { SHAPES = 4, SHAPE_NODES = 8 }; /* hourglass modes */

/* offsets of the tables in the memory of an element */
typedef struct tables {
    size_t D, volume, g, H, S, V, R, shape, along, total; /* R: viscous stresses; along: shape . u */
} tables;

static size_t padded(bl_index n) { return ((size_t)n + BL_SERIES_POINTS - 1) / BL_SERIES_POINTS * BL_SERIES_POINTS; }

static size_t take(size_t *total, size_t n) {
    size_t at = *total;
    *total += n;
    return at;
}

static tables layout(const bl_fem_part *part, const bl_fem_group *group, int order, bool viscous) {
    size_t n = padded(group->rule.n), dim = (size_t)part->dim, strains = dim == 3 ? 6 : 3, count = (size_t)order + 1;
    bool hourglass = group->hourglass > 0;
    tables t = {0};
    t.D = take(&t.total, strains * strains);
    t.volume = take(&t.total, n);
    t.g = take(&t.total, (size_t)group->kind->nnode * dim * n);
    t.H = take(&t.total, count * dim * dim * n);
    t.S = take(&t.total, count * strains * n);
    t.V = take(&t.total, viscous ? count * dim * dim * n : 0);
    t.R = take(&t.total, viscous ? count * strains * n : 0);
    t.shape = take(&t.total, hourglass ? SHAPES * SHAPE_NODES : 0);
    t.along = take(&t.total, hourglass ? count * SHAPES * dim : 0);
    return t;
}

static bl_series_element element_of(const bl_fem_part *part, const bl_fem_group *group, const tables *t, const double *room) {
    return (bl_series_element){.dim = part->dim,
                               .nnode = group->kind->nnode,
                               .nstrain = part->dim == 3 ? 6 : 3,
                               .points = padded(group->rule.n),
                               .g = room + t->g,
                               .volume = room + t->volume,
                               .D = room + t->D};
}

size_t bl_part_series_room(const bl_fem_part *part, const bl_fem_group *group, int order, bool viscous) {
    return layout(part, group, order, viscous).total;
}

bl_status bl_part_series_begin(const bl_fem_part *part, const bl_fem_group *group, int order, bool viscous, bl_element_work *w,
                               double *room) {
    static const int plane[3] = {0, 1, 3}, space[6] = {0, 1, 2, 3, 4, 5};
    tables t = layout(part, group, order, viscous);
    int dim = part->dim, nn = group->kind->nnode, strains = dim == 3 ? 6 : 3;
    const int *component = dim == 3 ? space : plane;
    size_t n = padded(group->rule.n);
    double stress[6], D[36];
    bl_material_point law = {.stress = stress, .tangent = D};
    BL_TRY(bl_material_at(group->material, &law));
    for (int r = 0; r < strains; r++)
        for (int s = 0; s < strains; s++)
            room[t.D + (size_t)(r * strains + s)] = D[6 * component[r] + component[s]];
    for (bl_index k = 0; k < group->rule.n; k++) {
        double volume = bl_part_point(part, group, k, w);
        if (!(volume > 0))
            return BL_NOT_FINITE;
        room[t.volume + (size_t)k] = volume;
        for (int i = 0; i < nn * dim; i++)
            room[t.g + (size_t)i * n + (size_t)k] = w->g[i];
    }
    if (group->hourglass > 0)
        bl_part_hourglass_shapes(part, group, w->g, room[t.volume], w, (double(*)[SHAPE_NODES])(room + t.shape));
    return BL_OK;
}

void bl_part_series_take(const bl_fem_part *part, const bl_fem_group *group, int order, bool viscous, int k, const double *u,
                         double *room) {
    tables t = layout(part, group, order, viscous);
    bl_series_element e = element_of(part, group, &t, room);
    int dim = e.dim;
    part->series->gradients(&e, u, room + t.H + (size_t)(k * dim * dim) * e.points);
    for (int s = 0; group->hourglass > 0 && s < SHAPES; s++)
        for (int i = 0; i < dim; i++) {
            double sum = 0;
            for (int a = 0; a < e.nnode; a++)
                sum += room[t.shape + (size_t)(s * SHAPE_NODES + a)] * u[a * dim + i];
            room[t.along + (size_t)((k * SHAPES + s) * dim + i)] = sum;
        }
}

void bl_part_series_force(const bl_fem_part *part, const bl_fem_group *group, int order, bool viscous, int k, double *room, double *f) {
    tables t = layout(part, group, order, viscous);
    bl_series_element e = element_of(part, group, &t, room);
    int dim = e.dim;
    memset(f, 0, (size_t)(e.nnode * dim) * sizeof *f);
    part->series->stress(&e, k, room + t.H, room + t.S);
    part->series->forces(&e, k, room + t.H, room + t.S, f);
    for (int s = 0; group->hourglass > 0 && s < SHAPES; s++)
        for (int a = 0; a < e.nnode; a++)
            for (int i = 0; i < dim; i++)
                f[a * dim + i] += room[t.shape + (size_t)(s * SHAPE_NODES + a)] * room[t.along + (size_t)((k * SHAPES + s) * dim + i)];
}

void bl_part_series_viscous(const bl_fem_part *part, const bl_fem_group *group, int order, int k, double b, const double *v, double *room,
                            double *f) {
    tables t = layout(part, group, order, true);
    bl_series_element e = element_of(part, group, &t, room);
    memset(f, 0, (size_t)(e.nnode * e.dim) * sizeof *f);
    part->series->gradients(&e, v, room + t.V + (size_t)(k * e.dim * e.dim) * e.points);
    part->series->viscous(&e, k, b, room + t.H, room + t.V, room + t.R);
    part->series->forces(&e, k, room + t.H, room + t.R, f);
}
