/* Reference elements by name and by their number in files, and spatial gradients of their shape functions. */
#include "mesh/element.h"

#include <math.h>
#include <string.h>

#define BL_KIND(name) &bl_element_##name,
const bl_element_kind *const bl_element_kinds[] = {
#include "mesh/element_list.h"
};
#undef BL_KIND
const size_t bl_element_kind_count = sizeof bl_element_kinds / sizeof bl_element_kinds[0];

const bl_element_kind *bl_element_kind_by_name(const char *name) {
    for (size_t i = 0; i < bl_element_kind_count; i++)
        if (strcmp(bl_element_kinds[i]->kind.name, name) == 0)
            return bl_element_kinds[i];
    return NULL;
}

const bl_element_kind *bl_element_kind_by_gmsh(int type) {
    for (size_t i = 0; i < bl_element_kind_count; i++)
        if (bl_element_kinds[i]->gmsh == type)
            return bl_element_kinds[i];
    return NULL;
}

/* C: the cofactors, C[d][e] = d det(J) / d J[d][e], so that J^-T = C / det; returns det(J). */
static double cofactors(int dim, const double J[3][3], double C[3][3]) {
    if (dim == 1) {
        C[0][0] = 1;
    } else if (dim == 2) {
        C[0][0] = J[1][1];
        C[0][1] = -J[1][0];
        C[1][0] = -J[0][1];
        C[1][1] = J[0][0];
    } else {
        for (int d = 0; d < 3; d++)
            for (int e = 0; e < 3; e++) {
                int d1 = (d + 1) % 3, d2 = (d + 2) % 3, e1 = (e + 1) % 3, e2 = (e + 2) % 3;
                C[d][e] = J[d1][e1] * J[d2][e2] - J[d1][e2] * J[d2][e1];
            }
    }
    double det = 0;
    for (int e = 0; e < dim; e++)
        det += J[0][e] * C[0][e];
    return det;
}

double bl_element_gradients(int dim, int nnode, const double (*x)[3], const double (*dN)[3], double *g) {
    double J[3][3] = {{0}}, C[3][3]; /* J[d][e] = dx_d / dxi_e */
    for (int i = 0; i < nnode; i++)
        for (int d = 0; d < dim; d++)
            for (int e = 0; e < dim; e++)
                J[d][e] += x[i][d] * dN[i][e];
    double det = cofactors(dim, J, C);
    if (!(det > 0))
        return det;
    for (int d = 0; d < dim; d++)
        for (int e = 0; e < dim; e++)
            C[d][e] /= det;
    for (int i = 0; i < nnode; i++)
        for (int d = 0; d < dim; d++) {
            double sum = 0;
            for (int e = 0; e < dim; e++)
                sum += C[d][e] * dN[i][e];
            g[i * dim + d] = sum;
        }
    return det;
}

double bl_element_line(int dim, int nnode, const double (*x)[3], const double (*dN)[3], double *g, double *t) {
    double rate[3] = {0}; /* dx/dxi */
    for (int i = 0; i < nnode; i++)
        for (int d = 0; d < dim; d++)
            rate[d] += x[i][d] * dN[i][0];
    double size = sqrt(rate[0] * rate[0] + rate[1] * rate[1] + rate[2] * rate[2]);
    for (int d = 0; d < 3; d++)
        rate[d] /= size;
    for (int i = 0; i < nnode; i++)
        for (int d = 0; d < dim; d++)
            g[i * dim + d] = dN[i][0] / size * rate[d];
    if (t)
        memcpy(t, rate, sizeof rate);
    return size;
}
