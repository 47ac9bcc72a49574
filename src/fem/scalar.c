/* Scalar fields: f_a = int grad N_a . k grad u + N_a (c v . grad u + a u - s(u)) dV with conductivity k, convection velocity v, heat
 * capacity per volume c, absorption a, source s. */
#include "fem/part.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct scalar_point {
    const double *N;
    double volume, x[3], u, gradient[3];
} scalar_point;

static bool point_geometry(const bl_fem_part *part, const bl_fem_group *group, bl_index k, bl_element_work *w, scalar_point *p) {
    int nn = group->kind->nnode, dim = part->dim;
    *p = (scalar_point){.N = group->rule.N + (size_t)k * (size_t)nn};
    const double(*dN)[3] = (const double(*)[3])(group->rule.dN + (size_t)k * (size_t)nn);
    p->volume = group->rule.weight[k] * bl_part_gradients(part, nn, (const double(*)[3])w->x, dN, w->g) * group->thickness;
    for (int a = 0; a < nn; a++) {
        p->u += p->N[a] * w->u[a];
        for (int i = 0; i < 3; i++)
            p->x[i] += p->N[a] * w->x[a][i];
        for (int i = 0; i < dim; i++)
            p->gradient[i] += w->g[a * dim + i] * w->u[a];
    }
    if (part->solid->plane == BL_PLANE_AXISYMMETRIC)
        p->volume *= 2 * pi * p->x[0];
    return p->volume > 0;
}

bl_status bl_part_scalar(const bl_fem_part *part, const bl_fem_group *group, uint32_t want, bl_element_work *w, bl_index *at) {
    const bl_solid *solid = part->solid;
    const bl_material *material = group->material;
    int dim = part->dim, nn = group->kind->nnode;
    bool tangent = want & BL_PART_TANGENT;
    memset(w->f, 0, (size_t)nn * sizeof *w->f);
    if (tangent)
        memset(w->K, 0, (size_t)nn * (size_t)nn * sizeof *w->K);
    w->energy = w->dissipated = w->heating = 0;
    for (bl_index k = 0; k < group->rule.n; k++) {
        scalar_point p;
        double flux[6] = {0}, slope[36] = {0}, energy = 0, v[3], source_slope;
        *at = k;
        if (!point_geometry(part, group, k, w, &p))
            return BL_NOT_FINITE;
        bl_material_point m = {.u = p.u, .stress = flux, .tangent = slope, .energy = &energy};
        memcpy(m.gradient, p.gradient, sizeof m.gradient);
        BL_TRY(bl_material_at(material, &m));
        for (int i = 0; (want & BL_PART_STRESS) && i < 3; i++)
            w->stress[k][i] = -flux[i];
        if (want & BL_PART_STRESS)
            w->volume[k] = p.volume;
        double convected = 0;
        for (int i = 0; i < dim; i++) {
            v[i] = material->capacity * bl_part_law(part->model, &solid->convection[i], w->t, p.x, p.u, NULL, w);
            convected += v[i] * p.gradient[i];
        }
        double a = bl_part_law(part->model, &solid->absorption, w->t, p.x, p.u, NULL, w);
        double s = bl_part_law(part->model, &solid->source, w->t, p.x, p.u, &source_slope, w);
        w->energy += (energy + 0.5 * a * p.u * p.u) * p.volume;
        for (int i = 0; i < nn; i++) {
            const double *g = w->g + i * dim;
            double sum = p.N[i] * (convected + a * p.u - s);
            for (int j = 0; j < dim; j++)
                sum += g[j] * flux[j];
            w->f[i] += sum * p.volume;
            for (int b = 0; tangent && b < nn; b++) {
                const double *gb = w->g + b * dim;
                double entry = p.N[i] * (a - source_slope) * p.N[b];
                for (int j = 0; j < dim; j++) {
                    entry += p.N[i] * v[j] * gb[j] + g[j] * slope[9 + j] * p.N[b];
                    for (int l = 0; l < dim; l++)
                        entry += g[j] * slope[3 * j + l] * gb[l];
                }
                w->K[i * nn + b] += entry * p.volume;
            }
        }
    }
    return BL_OK;
}
