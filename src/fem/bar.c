/* Bars and cables: segments in the plane or in space with axial stress only. With T the unit tangent and S the arc length in the reference
 * configuration, x' = T + du/dS, lambda = |x'|, t = x'/lambda,
 *
 *     f_a = int tau N_a,s t dV,     K_ab = int (c t t^T + tau 1) N_a,s N_b,s dV,     N,s = N,S / lambda,
 *
 * tau is the axial Kirchhoff stress and c its spatial tangent, from the material law with zero lateral stresses (BL_PLANE_BAR); dV = area
 * dS. Small strains: e = T . du/dS, t = T, and no geometric part of K. docs/theory/elements.md. */
#include "fem/part.h"

#include <math.h>
#include <string.h>

typedef struct point {
    double T[3], volume;
    double slope[BL_ELEMENT_NODES]; /* N_a,S */
    double h[3];                    /* du/dS */
    double e, squared;              /* T . h and h . h / 2 */
} point;

static bool point_geometry(const bl_fem_part *part, const bl_fem_group *group, bl_index k, bl_element_work *w, point *p) {
    int nn = group->kind->nnode;
    const double(*dN)[3] = (const double(*)[3])(group->rule.dN + (size_t)k * (size_t)nn);
    double size = bl_element_line(part->dim, nn, (const double(*)[3])w->x, dN, w->g, p->T);
    p->volume = group->rule.weight[k] * size * group->thickness;
    for (int a = 0; a < nn; a++)
        p->slope[a] = dN[a][0] / size;
    return p->volume > 0;
}

static void deform(const bl_fem_part *part, int nn, const double *u, point *p) {
    memset(p->h, 0, sizeof p->h);
    p->e = p->squared = 0;
    for (int i = 0; i < part->dim; i++) {
        for (int a = 0; a < nn; a++)
            p->h[i] += u[a * part->dim + i] * p->slope[a];
        p->e += p->T[i] * p->h[i];
        p->squared += 0.5 * p->h[i] * p->h[i];
    }
}

/* f_a += tau N_a,s t volume */
static void add_forces(int dim, int nn, const point *p, const double t[3], double factor, double *f) {
    for (int a = 0; a < nn; a++)
        for (int i = 0; i < dim; i++)
            f[a * dim + i] += factor * p->slope[a] * t[i];
}

/* K_ab += (along t t'^T + across 1) N_a,S N_b,S */
static void add_stiffness(int dim, int nn, const point *p, double along, const double t[3], const double to[3], double across, double *K) {
    size_t n = (size_t)(nn * dim);
    for (int a = 0; a < nn; a++)
        for (int b = 0; b < nn; b++)
            for (int i = 0; i < dim; i++)
                for (int j = 0; j < dim; j++)
                    K[(size_t)(a * dim + i) * n + (size_t)(b * dim + j)] +=
                        (along * t[i] * to[j] + (i == j ? across : 0)) * p->slope[a] * p->slope[b];
}

static double thermal_strain(const bl_fem_group *group, const bl_element_work *w, bl_index k) {
    if (!w->has_temperatures || !bl_material_expands(group->material))
        return 0;
    return bl_material_thermal_strain(group->material, bl_part_temperature(group, w, k));
}

static void begin(int n, bool tangent, bl_element_work *w) {
    memset(w->f, 0, (size_t)n * sizeof *w->f);
    if (tangent)
        memset(w->K, 0, (size_t)n * (size_t)n * sizeof *w->K);
    w->energy = w->dissipated = w->heating = 0;
}

bl_status bl_part_bar(const bl_fem_part *part, const bl_fem_group *group, uint32_t want, const double *history, double *trial,
                      bl_element_work *w, bl_index *at) {
    const bl_strain_kind *strain = part->solid->strain;
    int dim = part->dim, nn = group->kind->nnode;
    bool small = strain->small, tangent = want & BL_PART_TANGENT;
    begin(nn * dim, tangent, w);
    for (bl_index k = 0; k < group->rule.n; k++) {
        point p;
        double tau[6], c[36], energy = 0, dissipated = 0, t[3], J = 1, lambda = 1, across;
        *at = k;
        if (!point_geometry(part, group, k, w, &p))
            return BL_NOT_FINITE;
        deform(part, nn, w->u, &p);
        double expansion = thermal_strain(group, w, k), thermal[6] = {expansion, expansion, expansion};
        bl_material at_temperature;
        const bl_material *material = bl_part_material(group, w, k, &at_temperature);
        if (part->solid->stressed)
            thermal[0] += p.squared; /* Green's strain without its quadratic part is the small strain */
        size_t own = (size_t)k * (size_t)group->nhistory;
        const double *before = history ? history + own : NULL;
        double *after = trial ? trial + own : NULL, *stored = want & BL_PART_ENERGY ? &energy : NULL, *lost = stored ? &dissipated : NULL;
        if (small) {
            bl_material_point law = {.strain = {p.e - thermal[0]}, .history = before, .trial = after, .stress = tau};
            law.tangent = tangent ? c : NULL;
            law.energy = stored;
            law.dissipated = lost;
            memcpy(t, p.T, sizeof t);
            BL_TRY(bl_material_at(material, &law));
            across = law.strain[1] + expansion;
        } else {
            lambda = sqrt(1 + 2 * (p.e + p.squared));
            if (!(lambda > 0))
                return BL_NOT_FINITE;
            for (int i = 0; i < 3; i++)
                t[i] = (p.T[i] + p.h[i]) / lambda;
            double F[9] = {1 + 2 * (p.e + p.squared) / (1 + lambda), 0, 0, 0, 1, 0, 0, 0, 1};
            BL_TRY(strain->at(material, F, thermal, 0, before, after, tau, tangent ? c : NULL, stored, lost));
            J = F[0] * F[4] * F[8];
            across = 0.5 * (F[4] * F[4] - 1);
        }
        if (want & BL_PART_STRESS) {
            memset(w->stress[k], 0, sizeof w->stress[k]);
            memset(w->strain[k], 0, sizeof w->strain[k]);
            w->stress[k][0] = tau[0] / J;
            w->strain[k][0] = small ? p.e : p.e + p.squared;
            w->strain[k][1] = w->strain[k][2] = across;
            memcpy(w->along[k][0], p.T, sizeof p.T);
            memcpy(w->along[k][1], t, sizeof t);
            w->point_energy[k] = energy;
            w->volume[k] = p.volume;
        }
        add_forces(dim, nn, &p, t, tau[0] / lambda * p.volume, w->f);
        if (tangent) {
            double factor = p.volume / (lambda * lambda);
            add_stiffness(dim, nn, &p, c[0] * factor, t, t, small ? 0 : tau[0] * factor, w->K);
        }
        w->energy += energy * p.volume;
        w->dissipated += dissipated * p.volume;
    }
    return BL_OK;
}

/* f_a = int S(E*) N_a,S x'_m dV, E* = (E_0 + E_1)/2 + chi/2 (E_1 - E_0): conserving_forces.c along a bar */
bl_status bl_part_bar_between(const bl_fem_part *part, const bl_fem_group *group, uint32_t want, double chi, bl_element_work *w,
                              bl_index *at) {
    int dim = part->dim, nn = group->kind->nnode;
    bool small = part->solid->strain->small, tangent = want & BL_PART_TANGENT;
    begin(nn * dim, tangent, w);
    for (bl_index k = 0; k < group->rule.n; k++) {
        point p, to;
        double S[6], D[36], middle[3], end[3];
        *at = k;
        if (!point_geometry(part, group, k, w, &p))
            return BL_NOT_FINITE;
        to = p;
        deform(part, nn, w->u_from, &p);
        deform(part, nn, w->u_to, &to);
        for (int i = 0; i < 3; i++) {
            middle[i] = p.T[i] + (small ? 0 : 0.5 * (p.h[i] + to.h[i]));
            end[i] = p.T[i] + (small ? 0 : to.h[i]);
        }
        double e0 = p.e + (small ? 0 : p.squared), e1 = to.e + (small ? 0 : to.squared);
        bl_material_point law = {.strain = {0.5 * ((1 - chi) * e0 + (1 + chi) * e1)}, .stress = S, .tangent = D};
        BL_TRY(bl_material_at(group->material, &law));
        add_forces(dim, nn, &p, middle, S[0] * p.volume, w->f);
        if (tangent) /* d u_to = 2 du of the mid-configuration, and d E* = (1 + chi)/2 d E_1 */
            add_stiffness(dim, nn, &p, D[0] * (1 + chi) * p.volume, middle, end, small ? 0 : S[0] * p.volume, w->K);
    }
    return BL_OK;
}
