/* lanes_isa: common parts of kernels for eight elements. Included by files that are compiled for several instruction sets. */
#ifndef BL_LANES_ISA_H
#define BL_LANES_ISA_H

#include "fem/linear_isa.h"

#include <stdint.h>

typedef double lanes __attribute__((vector_size(BL_LANES * sizeof(double))));
/* the same in arrays of double without alignment */
typedef double unaligned __attribute__((vector_size(BL_LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

typedef int64_t mask __attribute__((vector_size(BL_LANES * sizeof(int64_t)))); /* per lane: 0 false, -1 true */

/* g[nnode][dim]: gradients with respect to coordinates; *volume: weight det. Clears lanes of *valid whose determinant is not positive. */
static inline void gradients(int dim, int nn, const double (*dN)[3], double weight, const unaligned *x, lanes *g, lanes *volume,
                             mask *valid) {
    lanes J[3][3] = {{{0}}}, inverse[3][3], det;
    for (int a = 0; a < nn; a++)
        for (int i = 0; i < dim; i++)
            for (int k = 0; k < dim; k++)
                J[i][k] += x[a * dim + i] * dN[a][k];
    if (dim == 3) {
        lanes c0 = J[1][1] * J[2][2] - J[1][2] * J[2][1], c1 = J[1][2] * J[2][0] - J[1][0] * J[2][2],
              c2 = J[1][0] * J[2][1] - J[1][1] * J[2][0];
        det = J[0][0] * c0 + J[0][1] * c1 + J[0][2] * c2;
        lanes inverse_det = 1 / det;
        inverse[0][0] = c0 * inverse_det;
        inverse[1][0] = c1 * inverse_det;
        inverse[2][0] = c2 * inverse_det;
        inverse[0][1] = (J[0][2] * J[2][1] - J[0][1] * J[2][2]) * inverse_det;
        inverse[1][1] = (J[0][0] * J[2][2] - J[0][2] * J[2][0]) * inverse_det;
        inverse[2][1] = (J[0][1] * J[2][0] - J[0][0] * J[2][1]) * inverse_det;
        inverse[0][2] = (J[0][1] * J[1][2] - J[0][2] * J[1][1]) * inverse_det;
        inverse[1][2] = (J[0][2] * J[1][0] - J[0][0] * J[1][2]) * inverse_det;
        inverse[2][2] = (J[0][0] * J[1][1] - J[0][1] * J[1][0]) * inverse_det;
    } else if (dim == 2) {
        det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
        lanes inverse_det = 1 / det;
        inverse[0][0] = J[1][1] * inverse_det;
        inverse[0][1] = -J[0][1] * inverse_det;
        inverse[1][0] = -J[1][0] * inverse_det;
        inverse[1][1] = J[0][0] * inverse_det;
    } else {
        det = J[0][0];
        inverse[0][0] = 1 / det;
    }
    for (int a = 0; a < nn; a++)
        for (int i = 0; i < dim; i++) {
            lanes sum = dN[a][0] * inverse[0][i];
            for (int k = 1; k < dim; k++)
                sum += dN[a][k] * inverse[k][i];
            g[a * dim + i] = sum;
        }
    *volume = weight * det;
    *valid &= det > 0;
}

#endif
