/* Forces between two configurations whose work is exactly the difference of the stored energy, for laws that are linear in Green's strain
 * (St. Venant and Kirchhoff) or in small strains: with F_m the mean of F in the two configurations,
 *
 *     f_a = int F_m S(E*) Grad N_a dV,     E* = (E_0 + E_1)/2 + chi/2 (E_1 - E_0),
 *
 * since E_1 - E_0 = sym(F_m^T (F_1 - F_0)). Energy and both momenta are conserved (Simo and Tarnow 1992); chi > 0 dissipates energy (Armero
 * and Romero 2001). */
#include "fem/part.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

/* Green's strain of F = 1 + H with engineering shear, computed from H to avoid cancellation near F = 1; small: the part linear in H */
static void strain_of(const double H[9], bool small, double e[6]) {
    static const unsigned char first[6] = {0, 1, 2, 0, 1, 0}, second[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        int i = first[k], j = second[k];
        double sum = H[3 * i + j] + H[3 * j + i];
        for (int m = 0; m < 3 && !small; m++)
            sum += H[3 * m + i] * H[3 * m + j];
        e[k] = k < 3 ? 0.5 * sum : sum;
    }
}

/* around: N_a / radius of axisymmetric bodies, whose hoop strain is u_x / x; else NULL */
static void displacement_gradient(int dim, int nn, const double *u, const double *g, const double *around, double H[9]) {
    memset(H, 0, 9 * sizeof *H);
    for (int a = 0; a < nn; a++) {
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++)
                H[3 * i + j] += u[a * dim + i] * g[a * dim + j];
        H[8] += around ? u[a * dim] * around[a] : 0;
    }
}

/* B[6][n]: derivative of Green's strain at F = 1 + H by the nodal displacements */
static void strains_of_nodes(int dim, int nn, const double H[9], bool small, const double *g, const double *around, double *B) {
    static const unsigned char first[6] = {0, 1, 2, 0, 1, 0}, second[6] = {0, 1, 2, 1, 2, 2};
    int n = nn * dim;
    memset(B, 0, 6 * (size_t)n * sizeof *B);
    for (int r = 0; r < 6; r++) {
        int i = first[r], j = second[r];
        for (int a = 0; a < nn; a++) {
            double gi = i < dim ? g[a * dim + i] : 0, gj = j < dim ? g[a * dim + j] : 0;
            for (int k = 0; k < dim; k++) {
                double Fi = (k == i) + (small ? 0 : H[3 * k + i]), Fj = (k == j) + (small ? 0 : H[3 * k + j]);
                B[r * n + a * dim + k] = r < 3 ? Fi * gi : Fi * gj + Fj * gi;
            }
        }
    }
    for (int a = 0; around && a < nn; a++)
        B[2 * n + a * dim] = (1 + (small ? 0 : H[8])) * around[a];
}

/* around[a] = N_a / radius; returns the radius */
static double hoop_functions(const bl_fem_group *group, bl_index k, const bl_element_work *w, double *around) {
    const double *N = group->rule.N + (size_t)k * group->kind->nnode;
    double radius = 0;
    for (int a = 0; a < group->kind->nnode; a++)
        radius += N[a] * w->x[a][0];
    for (int a = 0; a < group->kind->nnode; a++)
        around[a] = N[a] / radius;
    return radius;
}

bl_status bl_part_solid_between(const bl_fem_part *part, const bl_fem_group *group, uint32_t want, double chi, bl_element_work *w,
                                bl_index *at) {
    int dim = part->dim, nn = group->kind->nnode, n = nn * dim;
    bool small = part->solid->strain->small, tangent = want & BL_PART_TANGENT;
    bool axisymmetric = part->solid->plane == BL_PLANE_AXISYMMETRIC;
    double *B1 = w->CB, hoop[BL_ELEMENT_NODES];
    const double *around = axisymmetric ? hoop : NULL;
    if (part->bars)
        return bl_part_bar_between(part, group, want, chi, w, at);
    memset(w->f, 0, (size_t)n * sizeof *w->f);
    if (tangent)
        memset(w->K, 0, (size_t)n * (size_t)n * sizeof *w->K);
    w->energy = w->dissipated = w->heating = 0;
    for (bl_index k = 0; k < group->rule.n; k++) {
        double H0[9], H1[9], Hm[9], e0[6], e1[6], S[6], D[36];
        const double(*dN)[3] = (const double(*)[3])(group->rule.dN + (size_t)k * (size_t)nn);
        double det = bl_element_gradients(dim, nn, (const double(*)[3])w->x, dN, w->g);
        double volume = group->rule.weight[k] * det * group->thickness;
        *at = k;
        if (axisymmetric)
            volume *= 2 * pi * hoop_functions(group, k, w, hoop);
        displacement_gradient(dim, nn, w->u_from, w->g, around, H0);
        displacement_gradient(dim, nn, w->u_to, w->g, around, H1);
        strain_of(H0, small, e0);
        strain_of(H1, small, e1);
        bl_material_point law = {.stress = S, .tangent = D};
        for (int r = 0; r < 6; r++)
            law.strain[r] = 0.5 * ((1 - chi) * e0[r] + (1 + chi) * e1[r]);
        for (int r = 0; r < 9; r++)
            Hm[r] = 0.5 * (H0[r] + H1[r]);
        BL_TRY(bl_material_at(group->material, &law));
        strains_of_nodes(dim, nn, Hm, small, w->g, around, w->B);
        for (int i = 0; i < n; i++)
            for (int r = 0; r < 6; r++)
                w->f[i] += w->B[r * n + i] * S[r] * volume;
        if (!tangent)
            continue;
        strains_of_nodes(dim, nn, H1, small, w->g, around, B1); /* d u_to = 2 du of the mid-configuration, and d E* = (1 + chi)/2 d E_1 */
        for (int j = 0; j < n; j++) {
            double DB[6] = {0};
            for (int r = 0; r < 6; r++)
                for (int s = 0; s < 6; s++)
                    DB[r] += D[6 * r + s] * B1[s * n + j] * (1 + chi) * volume;
            for (int i = 0; i < n; i++)
                for (int r = 0; r < 6; r++)
                    w->K[(size_t)i * (size_t)n + (size_t)j] += w->B[r * n + i] * DB[r];
        }
        const double s[9] = {S[0], S[3], S[5], S[3], S[1], S[4], S[5], S[4], S[2]};
        for (int a = 0; a < nn && !small; a++)
            for (int b = 0; b < nn; b++) {
                double sum = 0;
                for (int i = 0; i < dim; i++)
                    for (int j = 0; j < dim; j++)
                        sum += w->g[a * dim + i] * s[3 * i + j] * w->g[b * dim + j] * volume;
                for (int i = 0; i < dim; i++)
                    w->K[(size_t)(a * dim + i) * (size_t)n + (size_t)(b * dim + i)] += sum;
                if (around)
                    w->K[(size_t)(a * dim) * (size_t)n + (size_t)(b * dim)] += around[a] * S[2] * around[b] * volume;
            }
    }
    return BL_OK;
}

/* S = b D E' with E' = B(u) v. B is affine in u, and its linear part is symmetric: d(B(u) v)/du = B of grad v in place of F. */
bl_status bl_part_solid_viscous(const bl_fem_part *part, const bl_fem_group *group, double b, const double *v, bl_element_work *w,
                                double *C, double *lost) {
    int dim = part->dim, nn = group->kind->nnode, n = nn * dim;
    memset(w->f, 0, (size_t)n * sizeof *w->f);
    if (C) {
        memset(w->K, 0, (size_t)n * (size_t)n * sizeof *w->K);
        memset(C, 0, (size_t)n * (size_t)n * sizeof *C);
    }
    *lost = 0;
    for (bl_index k = 0; k < group->rule.n; k++) {
        double H[9], Hv[9], S[6], D[36], rate[6] = {0}, viscous[6] = {0};
        const double(*dN)[3] = (const double(*)[3])(group->rule.dN + (size_t)k * (size_t)nn);
        double det = bl_element_gradients(dim, nn, (const double(*)[3])w->x, dN, w->g);
        double volume = group->rule.weight[k] * det * group->thickness;
        bl_material_point law = {.stress = S, .tangent = D};
        BL_TRY(bl_material_at(group->material, &law));
        displacement_gradient(dim, nn, w->u, w->g, NULL, H);
        displacement_gradient(dim, nn, v, w->g, NULL, Hv);
        strains_of_nodes(dim, nn, H, false, w->g, NULL, w->B);
        for (int r = 0; r < 6; r++)
            for (int i = 0; i < n; i++)
                rate[r] += w->B[r * n + i] * v[i];
        for (int r = 0; r < 6; r++)
            for (int s = 0; s < 6; s++)
                viscous[r] += b * D[6 * r + s] * rate[s];
        for (int r = 0; r < 6; r++) {
            *lost += viscous[r] * rate[r] * volume;
            for (int i = 0; i < n; i++)
                w->f[i] += w->B[r * n + i] * viscous[r] * volume;
        }
        if (!C)
            continue;
        for (int c = 0; c < 9; c++)
            Hv[c] -= c % 4 == 0;
        strains_of_nodes(dim, nn, Hv, false, w->g, NULL, w->CB);
        for (int j = 0; j < n; j++) {
            double DB[6] = {0}, DV[6] = {0};
            for (int r = 0; r < 6; r++)
                for (int s = 0; s < 6; s++) {
                    DB[r] += b * D[6 * r + s] * w->B[s * n + j] * volume;
                    DV[r] += b * D[6 * r + s] * w->CB[s * n + j] * volume;
                }
            for (int i = 0; i < n; i++)
                for (int r = 0; r < 6; r++) {
                    C[(size_t)i * (size_t)n + (size_t)j] += w->B[r * n + i] * DB[r];
                    w->K[(size_t)i * (size_t)n + (size_t)j] += w->B[r * n + i] * DV[r];
                }
        }
        const double s[9] = {viscous[0], viscous[3], viscous[5], viscous[3], viscous[1], viscous[4], viscous[5], viscous[4], viscous[2]};
        for (int a = 0; a < nn; a++)
            for (int c = 0; c < nn; c++) {
                double sum = 0;
                for (int i = 0; i < dim; i++)
                    for (int j = 0; j < dim; j++)
                        sum += w->g[a * dim + i] * s[3 * i + j] * w->g[c * dim + j] * volume;
                for (int i = 0; i < dim; i++)
                    w->K[(size_t)(a * dim + i) * (size_t)n + (size_t)(c * dim + i)] += sum;
            }
    }
    return BL_OK;
}
