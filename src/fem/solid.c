/* Internal forces and tangents of solids, in the configuration to which the strain measure refers its stress:
 *
 *     f_a = int tau grad N_a dV,     K_ab = int B_a^T c B_b dV + 1 int grad N_a . tau grad N_b dV,
 *
 * tau is the Kirchhoff stress, c its spatial tangent, grad with respect to present coordinates (small strains: reference coordinates, and
 * no geometric part), dV in the reference configuration. The axis of axisymmetric bodies is y, x is the radius: strain 33 is u_x / x, dV =
 * 2 pi x dA. Mean dilatation: small strains by B-bar (Hughes 1980), large ones by the pressure of the element's volume ratio (Simo, Taylor,
 * Pister 1985). docs/theory/elements.md. */
#include "fem/hourglass.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* an integration point */
typedef struct point {
    const double *N;
    double volume;                 /* reference */
    double radius;                 /* axisymmetric: reference */
    double H[9], F[9], inverse[9]; /* grad u, 1 + grad u and its inverse, by rows */
    double J;
} point;

static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}}; /* tensor indices of components */

static bool axisymmetric(const bl_fem_part *part) { return part->solid->plane == BL_PLANE_AXISYMMETRIC; }

double bl_part_point(const bl_fem_part *part, const bl_fem_group *group, bl_index k, bl_element_work *w) {
    int nn = group->kind->nnode;
    const double(*dN)[3] = (const double(*)[3])(group->rule.dN + (size_t)k * (size_t)nn);
    double det = group->hourglass > 0 && part->dim == 3 ? bl_hourglass_gradients((const double(*)[3])w->x, w->g) / group->rule.weight[k]
                                                        : bl_element_gradients(part->dim, nn, (const double(*)[3])w->x, dN, w->g);
    return group->rule.weight[k] * det * group->thickness;
}

/* w->g: gradients with respect to reference coordinates. False: degenerate */
static bool point_geometry(const bl_fem_part *part, const bl_fem_group *group, bl_index k, bl_element_work *w, point *p) {
    int nn = group->kind->nnode;
    p->N = group->rule.N + (size_t)k * (size_t)nn;
    p->volume = bl_part_point(part, group, k, w);
    p->radius = 0;
    if (axisymmetric(part)) {
        for (int a = 0; a < nn; a++)
            p->radius += p->N[a] * w->x[a][0];
        p->volume *= 2 * pi * p->radius;
    }
    return p->volume > 0;
}

/* grad u into H, F = 1 + H */
static void deform(const bl_fem_part *part, const bl_fem_group *group, const bl_element_work *w, point *p) {
    int dim = part->dim, nn = group->kind->nnode;
    memset(p->H, 0, sizeof p->H);
    for (int a = 0; a < nn; a++)
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++)
                p->H[3 * i + j] += w->u[a * dim + i] * w->g[a * dim + j];
    if (axisymmetric(part))
        for (int a = 0; a < nn; a++)
            p->H[8] += p->N[a] * w->u[a * dim] / p->radius;
    for (int k = 0; k < 9; k++)
        p->F[k] = p->H[k] + (k % 4 == 0);
}

static double invert3(const double F[9], double inverse[9]) {
    double c0 = F[4] * F[8] - F[5] * F[7], c1 = F[5] * F[6] - F[3] * F[8], c2 = F[3] * F[7] - F[4] * F[6];
    double det = F[0] * c0 + F[1] * c1 + F[2] * c2, inverse_det = 1 / det;
    const double result[9] = {c0 * inverse_det, (F[2] * F[7] - F[1] * F[8]) * inverse_det, (F[1] * F[5] - F[2] * F[4]) * inverse_det,
                              c1 * inverse_det, (F[0] * F[8] - F[2] * F[6]) * inverse_det, (F[2] * F[3] - F[0] * F[5]) * inverse_det,
                              c2 * inverse_det, (F[1] * F[6] - F[0] * F[7]) * inverse_det, (F[0] * F[4] - F[1] * F[3]) * inverse_det};
    memcpy(inverse, result, sizeof result);
    return det;
}

/* gradients with respect to present coordinates: grad N = F^-T Grad N, in place */
static void move_gradients(int dim, int nn, const double inverse[9], double *g) {
    for (int a = 0; a < nn; a++) {
        double reference[3] = {0};
        for (int j = 0; j < dim; j++)
            reference[j] = g[a * dim + j];
        for (int j = 0; j < dim; j++) {
            double sum = 0;
            for (int k = 0; k < dim; k++)
                sum += inverse[3 * k + j] * reference[k];
            g[a * dim + j] = sum;
        }
    }
}

/* ---- averaged dilatation
 *
 * theta = sum phi_i theta_i is the dilatation J (small strains: tr e) projected on a few functions phi: 1, and for quadratic elements also
 * the coordinates (with a constant alone, conformal motions would cause no force). With H = int phi phi^T dV:
 *
 *     theta_i = H^-1 int phi J dV,     d theta_i = H^-1 int phi dJ dV = mean_i . du */

typedef struct dilatation {
    int n;              /* functions */
    double theta[4];    /* large strains */
    double inverse[16]; /* H^-1 */
} dilatation;

static int functions_of(const bl_element_kind *kind) { return kind->degree > 1 ? kind->dim + 1 : 1; }

/* coordinates relative to the center of the element's bounding box, scaled by its half width */
static void phi_at(const bl_fem_part *part, const bl_fem_group *group, bl_index k, const bl_element_work *w, double phi[4]) {
    int nn = group->kind->nnode;
    const double *N = group->rule.N + (size_t)k * (size_t)nn;
    phi[0] = 1;
    for (int i = 0; i < part->dim; i++) {
        double at = 0, low = w->x[0][i], high = low;
        for (int a = 0; a < nn; a++) {
            at += N[a] * w->x[a][i];
            low = fmin(low, w->x[a][i]);
            high = fmax(high, w->x[a][i]);
        }
        phi[i + 1] = (2 * at - low - high) / (high - low);
    }
}

/* div(N_a e_i) with respect to present coordinates */
static double divergence_of(const bl_fem_part *part, const bl_element_work *w, const point *p, int a, int i) {
    double sum = w->g[a * part->dim + i];
    if (i == 0 && axisymmetric(part)) /* N / r, r the present radius */
        sum += p->N[a] / (p->radius * p->F[8]);
    return sum;
}

/* inverse of a symmetric positive definite A[n][n], n <= 4, by Gauss-Jordan elimination */
static bool invert_small(int n, double *A, double *inverse) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            inverse[i * n + j] = i == j;
    for (int k = 0; k < n; k++) {
        double pivot = A[k * n + k];
        if (!(pivot > 0))
            return false;
        for (int j = 0; j < n; j++) {
            A[k * n + j] /= pivot;
            inverse[k * n + j] /= pivot;
        }
        for (int i = 0; i < n; i++) {
            double multiple = A[i * n + k];
            for (int j = 0; i != k && j < n; j++) {
                A[i * n + j] -= multiple * A[k * n + j];
                inverse[i * n + j] -= multiple * inverse[k * n + j];
            }
        }
    }
    return true;
}

/* w->divergence[i]: int phi_i dJ/du for each unknown; w->mean = H^-1 times that */
static bl_status average(const bl_fem_part *part, const bl_fem_group *group, bl_element_work *w, dilatation *d, bl_index *at) {
    int dim = part->dim, nn = group->kind->nnode, n = nn * dim;
    bool small = part->solid->strain->small;
    double H[16] = {0}, integral[4] = {0}, phi[4];
    *d = (dilatation){.n = functions_of(group->kind)};
    memset(w->divergence, 0, (size_t)(d->n * n) * sizeof *w->divergence);
    memset(w->mean, 0, (size_t)(d->n * n) * sizeof *w->mean);
    for (bl_index k = 0; k < group->rule.n; k++) {
        point p;
        *at = k;
        if (!point_geometry(part, group, k, w, &p))
            return BL_NOT_FINITE;
        double J = 1;
        if (small)
            p.F[8] = 1;
        else {
            deform(part, group, w, &p);
            J = invert3(p.F, p.inverse);
            if (!(J > 0))
                return BL_NOT_FINITE;
            move_gradients(dim, nn, p.inverse, w->g);
        }
        phi_at(part, group, k, w, phi);
        for (int i = 0; i < d->n; i++) {
            for (int j = 0; j < d->n; j++)
                H[i * d->n + j] += phi[i] * phi[j] * p.volume;
            integral[i] += phi[i] * J * p.volume;
            for (int a = 0; a < nn; a++)
                for (int c = 0; c < dim; c++)
                    w->divergence[i * n + a * dim + c] += phi[i] * divergence_of(part, w, &p, a, c) * J * p.volume;
        }
    }
    if (!invert_small(d->n, H, d->inverse)) /* too few points for the functions */
        return BL_NOT_FINITE;
    for (int i = 0; i < d->n; i++)
        for (int j = 0; j < d->n; j++) {
            double factor = d->inverse[i * d->n + j];
            d->theta[i] += factor * integral[j];
            for (int k = 0; k < n; k++)
                w->mean[i * n + k] += factor * w->divergence[j * n + k];
        }
    return BL_OK;
}

/* the averaged dilatation at a point: theta for large strains, its linear part in u for small ones */
static double averaged(const bl_fem_part *part, const bl_fem_group *group, const dilatation *d, bl_index k, int n, const bl_element_work *w,
                       bool small) {
    double phi[4], sum = 0;
    phi_at(part, group, k, w, phi);
    for (int i = 0; i < d->n; i++) {
        double theta = d->theta[i];
        if (small) {
            theta = 0;
            for (int j = 0; j < n; j++)
                theta += w->mean[i * n + j] * w->u[j];
        }
        sum += phi[i] * theta;
    }
    return sum;
}

/* ---- one point */

/* B[6][nn dim]: strains 11, 22, 33, 12, 23, 13 by nodal displacements (engineering shear) */
static void strains_of_nodes(const bl_fem_part *part, const bl_fem_group *group, const dilatation *bbar, bl_index at, bl_element_work *w,
                             const point *p) {
    int dim = part->dim, nn = group->kind->nnode, n = nn * dim;
    double *B = w->B;
    memset(B, 0, 6 * (size_t)n * sizeof *B);
    for (int a = 0; a < nn; a++) {
        const double *g = w->g + a * dim;
        int from = a * dim;
        for (int i = 0; i < dim; i++)
            B[i * n + from + i] = g[i];
        if (dim > 1) {
            B[3 * n + from] = g[1];
            B[3 * n + from + 1] = g[0];
        }
        if (dim > 2) {
            B[4 * n + from + 1] = g[2];
            B[4 * n + from + 2] = g[1];
            B[5 * n + from] = g[2];
            B[5 * n + from + 2] = g[0];
        }
        if (axisymmetric(part))
            B[2 * n + from] = p->N[a] / (p->radius * p->F[8]);
    }
    double phi[4];
    phi_at(part, group, at, w, phi);
    for (int k = 0; bbar && k < n; k++) {
        double mean = 0;
        for (int i = 0; i < bbar->n; i++)
            mean += phi[i] * w->mean[i * n + k];
        double more = (mean - (B[k] + B[n + k] + B[2 * n + k])) / 3;
        B[k] += more;
        B[n + k] += more;
        B[2 * n + k] += more;
    }
}

static void add_forces(int n, const double *B, const double tau[6], double volume, double *f) {
    double s[6];
    for (int r = 0; r < 6; r++)
        s[r] = tau[r] * volume;
    for (int k = 0; k < n; k++) {
        double sum = 0;
        for (int r = 0; r < 6; r++)
            sum += B[r * n + k] * s[r];
        f[k] += sum;
    }
}

/* K += B^T (c volume) B */
static void add_material(int n, const double *B, const double c[36], double volume, double *CB, double *K) {
    memset(CB, 0, 6 * (size_t)n * sizeof *CB);
    for (int r = 0; r < 6; r++)
        for (int s = 0; s < 6; s++) {
            double factor = c[6 * r + s] * volume;
            if (factor == 0)
                continue;
            const double *from = B + s * n;
            double *to = CB + r * n;
            for (int k = 0; k < n; k++)
                to[k] += factor * from[k];
        }
    for (int r = 0; r < 6; r++) {
        const double *row = CB + r * n;
        for (int i = 0; i < n; i++) {
            double factor = B[r * n + i];
            if (factor == 0)
                continue;
            double *to = K + (size_t)i * (size_t)n;
            for (int j = 0; j < n; j++)
                to[j] += factor * row[j];
        }
    }
}

/* K_ab += 1 (grad N_a . tau grad N_b) volume */
static void add_geometric(const bl_fem_part *part, int nn, const bl_element_work *w, const point *p, const double tau[6], double *K) {
    int dim = part->dim, n = nn * dim;
    const double s[9] = {tau[0], tau[3], tau[5], tau[3], tau[1], tau[4], tau[5], tau[4], tau[2]};
    for (int b = 0; b < nn; b++) {
        double tau_gradient[3] = {0};
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++)
                tau_gradient[i] += s[3 * i + j] * w->g[b * dim + j] * p->volume;
        for (int a = 0; a < nn; a++) {
            double sum = 0;
            for (int i = 0; i < dim; i++)
                sum += w->g[a * dim + i] * tau_gradient[i];
            for (int i = 0; i < dim; i++)
                K[(size_t)(a * dim + i) * (size_t)n + (size_t)(b * dim + i)] += sum;
            if (axisymmetric(part)) {
                double r = p->radius * p->F[8];
                K[(size_t)(a * dim) * (size_t)n + (size_t)(b * dim)] += p->N[a] * p->N[b] / (r * r) * tau[2] * p->volume;
            }
        }
    }
}

/* thermal strain relative to the reference temperature */
static void thermal_strain(const bl_fem_group *group, const bl_element_work *w, bl_index k, double thermal[6]) {
    memset(thermal, 0, 6 * sizeof *thermal);
    if (w->has_temperatures && bl_material_expands(group->material))
        thermal[0] = thermal[1] = thermal[2] = bl_material_thermal_strain(group->material, bl_part_temperature(group, w, k));
}

/* rate of the thermal strain, the same in all directions */
static double thermal_strain_rate(const bl_fem_group *group, const bl_element_work *w, const point *p, bl_index k) {
    double rate = 0, step = 1e-3; /* K: tables are piecewise linear */
    if (!w->has_temperatures || !bl_material_expands(group->material))
        return 0;
    for (int a = 0; a < group->kind->nnode; a++)
        rate += p->N[a] * w->temperature_rate[a];
    if (group->material->expansion_by.n == 0 || rate == 0)
        return group->material->expansion * rate;
    double T = bl_part_temperature(group, w, k);
    return (bl_material_thermal_strain(group->material, T + step) - bl_material_thermal_strain(group->material, T - step)) / (2 * step) *
           rate;
}

/* Computed from grad u itself: from 1 + grad u, strains of 1e-8 would have only eight digits. */
static bl_status small_strain(const bl_material *material, const double H[9], const double thermal[6], const double *history, double *trial,
                              double *stress, double *tangent, double *energy, double *dissipated) {
    bl_material_point law = {.strain = {H[0] - thermal[0], H[4] - thermal[1], H[8] - thermal[2], H[1] + H[3], H[5] + H[7], H[2] + H[6]},
                             .history = history,
                             .trial = trial,
                             .stress = stress,
                             .tangent = tangent,
                             .energy = energy,
                             .dissipated = dissipated};
    return bl_material_at(material, &law);
}

/* K += B^T spin (curl N)/2, for stresses that do not simply rotate with the material point */
static bl_status add_spin(const bl_fem_part *part, const bl_fem_group *group, const bl_material *material, const point *p,
                          const double thermal[6], const double *history, bl_element_work *w) {
    int dim = part->dim, nn = group->kind->nnode, n = nn * dim;
    double spin[18];
    BL_TRY(part->solid->strain->spin(material, p->F, thermal, history, spin));
    for (int b = 0; b < nn; b++) {
        const double g[3] = {w->g[b * dim], dim > 1 ? w->g[b * dim + 1] : 0, dim > 2 ? w->g[b * dim + 2] : 0};
        const double curl[3][3] = {{0, g[2], -g[1]}, {-g[2], 0, g[0]}, {g[1], -g[0], 0}}; /* of N e_j, [j] */
        for (int j = 0; j < dim; j++)
            for (int r = 0; r < 6; r++) {
                double factor = 0;
                for (int k = 0; k < 3; k++)
                    factor += 0.5 * spin[3 * r + k] * curl[j][k] * p->volume;
                for (int i = 0; factor != 0 && i < n; i++)
                    w->K[(size_t)i * (size_t)n + (size_t)(b * dim + j)] += w->B[r * n + i] * factor;
            }
    }
    return BL_OK;
}

/* Cauchy stress; the thickness in plane stress and the area of bars have changed as the law determined */
static void store_stress(const bl_solid *solid, const double tau[6], const point *p, double stress[6]) {
    double J = solid->strain->small ? 1 : p->J;
    if (!solid->strain->small && (solid->plane == BL_PLANE_STRESS || solid->plane == BL_PLANE_BAR))
        J *= solid->plane == BL_PLANE_BAR ? p->F[4] * p->F[8] : p->F[8];
    for (int r = 0; r < 6; r++)
        stress[r] = tau[r] / J;
}

/* H^T H / 2, with engineering shear */
static double square(const point *p, int r) {
    int i = pair[r][0], j = pair[r][1];
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += 0.5 * p->H[3 * k + i] * p->H[3 * k + j];
    return (i == j ? 1 : 2) * sum;
}

/* sym(H), plus H^T H / 2 for large strains */
static void store_strain(const point *p, bool small, double strain[6]) {
    for (int r = 0; r < 6; r++) {
        int i = pair[r][0], j = pair[r][1];
        strain[r] = (i == j ? 0.5 : 1) * (p->H[3 * i + j] + p->H[3 * j + i]) + (small ? 0 : square(p, r));
    }
}

/* Green's strain minus these squares is the small strain: they are added to the thermal strain, which laws subtract */
static void cancel_quadratic_part(const point *p, double thermal[6]) {
    for (int r = 0; r < 6; r++)
        thermal[r] += square(p, r);
}

/* Growth rate of stored plus dissipated energy per volume caused by the rate of an isotropic thermal strain: for small strains from the
 * stress; for large ones by differences, since laws differ in the strain from which they subtract it. */
static bl_status heating(const bl_solid *solid, const bl_material *material, const double tau[6], const double F[9],
                         const double thermal[6], double ratio, const double *history, double rate, double *power) {
    static const double STEP = 1e-5; /* of the strain: truncation error 1e-10, rounding error 1e-11 of moduli */
    *power = 0;
    if (rate == 0)
        return BL_OK;
    if (solid->strain->small) {
        *power = -(tau[0] + tau[1] + tau[2]) * rate;
        return BL_OK;
    }
    for (int side = -1; side <= 1; side += 2) {
        double moved[6], at[9], stress[6], stored = 0, lost = 0;
        memcpy(at, F, sizeof at);
        for (int k = 0; k < 6; k++)
            moved[k] = thermal[k] + (k < 3 ? side * STEP : 0);
        BL_TRY(solid->strain->at(material, at, moved, ratio, history, NULL, stress, NULL, &stored, &lost));
        *power += side * (stored + lost) * rate / (2 * STEP);
    }
    return BL_OK;
}

bl_status bl_part_solid(const bl_fem_part *part, const bl_fem_group *group, uint32_t want, const double *history, double *trial,
                        bl_element_work *w, bl_index *at) {
    const bl_solid *solid = part->solid;
    const bl_strain_kind *strain = solid->strain;
    int dim = part->dim, nn = group->kind->nnode, n = nn * dim;
    bool mean = group->bbar, small = strain->small, tangent = want & BL_PART_TANGENT;
    dilatation d = {0};
    if (part->bars)
        return bl_part_bar(part, group, want, history, trial, w, at);
    memset(w->f, 0, (size_t)n * sizeof *w->f);
    if (tangent)
        memset(w->K, 0, (size_t)n * (size_t)n * sizeof *w->K);
    w->energy = w->dissipated = w->heating = 0;
    if (mean)
        BL_TRY(average(part, group, w, &d, at));
    for (bl_index k = 0; k < group->rule.n; k++) {
        point p;
        double tau[6], c[36], thermal[6], energy = 0, dissipated = 0, ratio = 0;
        *at = k;
        if (!point_geometry(part, group, k, w, &p))
            return BL_NOT_FINITE;
        deform(part, group, w, &p);
        if (mean && small) {
            double more = (averaged(part, group, &d, k, n, w, true) - (p.H[0] + p.H[4] + p.H[8])) / 3;
            p.H[0] += more;
            p.H[4] += more;
            p.H[8] += more;
        }
        if (!small) {
            p.J = invert3(p.F, p.inverse);
            if (mean)
                ratio = averaged(part, group, &d, k, n, w, false);
            if (!(p.J > 0) || (mean && !(ratio > 0)))
                return BL_NOT_FINITE;
        }
        thermal_strain(group, w, k, thermal);
        bl_material at_temperature;
        const bl_material *material = bl_part_material(group, w, k, &at_temperature);
        if (solid->stressed)
            cancel_quadratic_part(&p, thermal);
        size_t own = (size_t)k * (size_t)group->nhistory;
        const double *before = history ? history + own : NULL;
        double *after = trial ? trial + own : NULL, *stored_energy = want & BL_PART_ENERGY ? &energy : NULL,
               *lost = stored_energy ? &dissipated : NULL;
        BL_TRY(small ? small_strain(material, p.H, thermal, before, after, tau, tangent ? c : NULL, stored_energy, lost)
                     : strain->at(material, p.F, thermal, ratio, before, after, tau, tangent ? c : NULL, stored_energy, lost));
        if (stored_energy) {
            double power;
            BL_TRY(heating(solid, material, tau, p.F, thermal, ratio, before, thermal_strain_rate(group, w, &p, k), &power));
            w->heating += power * p.volume;
        }
        if (want & BL_PART_STRESS) {
            store_stress(solid, tau, &p, w->stress[k]);
            store_strain(&p, small, w->strain[k]);
            w->point_energy[k] = energy;
            w->volume[k] = p.volume;
        }
        if (group->hourglass > 0)
            bl_part_hourglass(part, group, tangent, w->g, p.volume, w);
        if (small)
            p.F[8] = 1; /* radii do not change */
        else
            move_gradients(dim, nn, p.inverse, w->g);
        strains_of_nodes(part, group, mean && small ? &d : NULL, k, w, &p);
        add_forces(n, w->B, tau, p.volume, w->f);
        if (tangent) {
            add_material(n, w->B, c, p.volume, w->CB, w->K);
            if (!small)
                add_geometric(part, nn, w, &p, tau, w->K);
            if (strain->spin)
                BL_TRY(add_spin(part, group, material, &p, thermal, before, w));
        }
        w->energy += energy * p.volume;
        w->dissipated += dissipated * p.volume;
    }
    bool averaged_pressure = tangent && mean && !small && (group->material->gives & BL_MATERIAL_DILATATION);
    for (int f = 0; averaged_pressure && f < d.n; f++) /* tangent of the averaged pressure: bulk int theta' theta' dV */
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                w->K[(size_t)i * (size_t)n + (size_t)j] += group->material->bulk * w->divergence[f * n + i] * w->mean[f * n + j];
    return BL_OK;
}

/* ---- eight elements */

/* the law at a point of lane l: stress and tangent times volume, into the lanes */
static bl_status law_in_lane(const bl_fem_part *part, const bl_fem_group *group, uint32_t want, const double *before, double *after, int l,
                             bl_law_lanes *at, double energy[2]) {
    static const double no_thermal_strain[6];
    bool small = part->solid->strain->small, tangent = want & BL_PART_TANGENT;
    double H[9], F[9], inverse[9], tau[6], c[36], stored = 0, lost = 0, volume = at->volume[l];
    double *stored_energy = want & BL_PART_ENERGY ? &stored : NULL;
    if (!(volume > 0))
        return BL_NOT_FINITE;
    for (int k = 0; k < 9; k++) {
        H[k] = at->H[k][l];
        F[k] = H[k] + (k % 4 == 0);
    }
    if (!small && !(invert3(F, inverse) > 0))
        return BL_NOT_FINITE;
    BL_TRY(small ? small_strain(group->material, H, no_thermal_strain, before, after, tau, tangent ? c : NULL, stored_energy,
                                stored_energy ? &lost : NULL)
                 : part->solid->strain->at(group->material, F, no_thermal_strain, 0, before, after, tau, tangent ? c : NULL, stored_energy,
                                           stored_energy ? &lost : NULL));
    for (int r = 0; r < 6; r++)
        at->tau[r][l] = tau[r] * volume;
    for (int k = 0; k < 36 && tangent; k++)
        at->c[k][l] = c[k] * volume;
    for (int k = 0; k < 9 && !small; k++)
        at->inverse[k][l] = inverse[k];
    energy[0] += stored * volume;
    energy[1] += lost * volume;
    return BL_OK;
}

bl_status bl_part_solid_lanes(const bl_fem_part *part, const bl_fem_group *group, const bl_fem_laws *kernels, uint32_t want, int count,
                              const double *history, double *trial, bl_element_work *w, double energy[2], int *lane, bl_index *failed) {
    const bl_linear_rule *rule = &group->linear;
    bool small = part->solid->strain->small, tangent = want & BL_PART_TANGENT;
    size_t n = (size_t)(rule->nnode * rule->dim), stride = (size_t)group->rule.n * (size_t)group->nhistory;
    bl_law_lanes at;
    memset(w->lane_f, 0, n * BL_LANES * sizeof *w->lane_f);
    if (tangent)
        memset(w->lane_K, 0, (size_t)(rule->nnode * (rule->nnode + 1) / 2 * rule->dim * rule->dim) * BL_LANES * sizeof *w->lane_K);
    memset(at.tau, 0, sizeof at.tau); /* for lanes without an element */
    memset(at.c, 0, sizeof at.c);
    memset(at.inverse, 0, sizeof at.inverse);
    for (int p = 0; p < rule->npoint; p++) {
        kernels->deform(rule, p, w->lane_x, w->lane_u, &at);
        for (int l = 0; l < count; l++) {
            size_t own = (size_t)l * stride + (size_t)p * (size_t)group->nhistory;
            *lane = l;
            *failed = p;
            BL_TRY(law_in_lane(part, group, want, history ? history + own : NULL, trial ? trial + own : NULL, l, &at, energy));
        }
        if (!small)
            kernels->push_forward(rule, &at);
        kernels->forces(rule, &at, w->lane_f);
        if (tangent)
            kernels->stiffness(rule, &at, !small, w->lane_K);
    }
    return BL_OK;
}
