/* Elements with one point: quad4 and hexa8 have hourglass modes, which cause no strain at that point. They get a stiffness of their own
 * (Flanagan and Belytschko 1981; docs/theory/elements.md (E13)):
 *
 *     gamma_a = h_a - sum_i (h . x_i) dN_a/dx_i,     f_a = kappa gamma_a (gamma . u),
 *     kappa = share (lambda + 2 mu) V |grad N|^2 / (dim nodes)
 *
 * h: products of the signs of the corners in two or three directions. gamma vanishes for linear fields, so that neither rigid motions nor
 * finite rotations nor the patch test are disturbed; the energy, also that of gamma . (x + u), is independent of rotations. */
#include "fem/hourglass.h"

#include <math.h>
#include <string.h>

int bl_hourglass_shapes(int dim, int nnode, double h[4][8]) {
    static const int sign[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}};
    if (!((dim == 2 && nnode == 4) || (dim == 3 && nnode == 8)))
        return 0;
    for (int a = 0; a < nnode; a++) {
        const int *s = sign[a];
        h[0][a] = s[0] * s[1];
        h[1][a] = s[1] * s[2];
        h[2][a] = s[0] * s[2];
        h[3][a] = s[0] * s[1] * s[2];
    }
    return dim == 2 ? 1 : 4;
}

double bl_hourglass_gradients(const double x[][3], double *g) {
    static const int two[3] = {2, 2, 2};
    bl_quadrature rule;
    double sum[24] = {0}, volume = 0, N[8], dN[8][3];
    bl_quadrature_of(bl_element_hexa8.shape, two, &rule);
    for (bl_index p = 0; p < rule.n; p++) {
        bl_element_hexa8.functions(rule.at[p], N, dN);
        double det = bl_element_gradients(3, 8, x, (const double(*)[3])dN, g);
        if (!(det > 0))
            return det;
        for (int k = 0; k < 24; k++)
            sum[k] += rule.weight[p] * det * g[k];
        volume += rule.weight[p] * det;
    }
    for (int k = 0; k < 24; k++)
        g[k] = sum[k] / volume;
    return volume;
}

/* gamma[..][nnode]; returns kappa */
static double make_shapes(const bl_fem_part *part, const bl_fem_group *group, const double *g, double volume, const bl_element_work *w,
                          int nshape, double gamma[4][8]) {
    int dim = part->dim, nn = group->kind->nnode, n = nn * dim;
    double slopes = 0;
    for (int k = 0; k < n; k++)
        slopes += g[k] * g[k];
    for (int s = 0; s < nshape; s++) {
        double h[8];
        memcpy(h, gamma[s], sizeof h);
        for (int i = 0; i < dim; i++) {
            double along = 0;
            for (int a = 0; a < nn; a++)
                along += h[a] * w->x[a][i];
            for (int a = 0; a < nn; a++)
                gamma[s][a] -= along * g[a * dim + i];
        }
    }
    return group->hourglass * volume * slopes / n;
}

void bl_part_hourglass_shapes(const bl_fem_part *part, const bl_fem_group *group, const double *g, double volume, const bl_element_work *w,
                              double shape[4][8]) {
    int nshape = bl_hourglass_shapes(part->dim, group->kind->nnode, shape);
    double scale = sqrt(make_shapes(part, group, g, volume, w, nshape, shape));
    for (int s = 0; s < 4; s++)
        for (int a = 0; a < 8; a++)
            shape[s][a] = s < nshape && a < group->kind->nnode ? scale * shape[s][a] : 0;
}

void bl_part_hourglass(const bl_fem_part *part, const bl_fem_group *group, bool tangent, const double *g, double volume,
                       bl_element_work *w) {
    int dim = part->dim, nn = group->kind->nnode, n = nn * dim;
    double shape[4][8];
    int nshape = bl_hourglass_shapes(dim, nn, shape);
    double kappa = make_shapes(part, group, g, volume, w, nshape, shape);
    for (int s = 0; s < nshape; s++) {
        const double *gamma = shape[s];
        for (int i = 0; i < dim; i++) {
            double q = 0;
            for (int a = 0; a < nn; a++)
                q += gamma[a] * w->u[a * dim + i];
            for (int a = 0; a < nn; a++) {
                w->f[a * dim + i] += kappa * gamma[a] * q;
                for (int b = 0; tangent && b < nn; b++)
                    w->K[(size_t)(a * dim + i) * (size_t)n + (size_t)(b * dim + i)] += kappa * gamma[a] * gamma[b];
            }
            w->energy += 0.5 * kappa * q * q;
        }
    }
}
