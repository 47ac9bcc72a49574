#include "support/reference.h"
#include "support/matrices.h"

#include <math.h>
#include <string.h>

static const int dim_of[BL_SHAPES] = {[BL_SEGMENT] = 1, [BL_TRIANGLE] = 2, [BL_QUAD] = 2, [BL_TETRA] = 3, [BL_HEXA] = 3, [BL_WEDGE] = 3};

/* P_n(x) and its slope by the recurrence of three terms */
static long double legendre(int n, long double x, long double *slope) {
    long double p0 = 1, p1 = x;
    for (int k = 2; k <= n; k++) {
        long double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
        p0 = p1;
        p1 = p2;
    }
    *slope = n * (x * p1 - p0) / (x * x - 1);
    return p1;
}

void test_gauss(int n, double *x, double *w) {
    for (int i = 0; i < n; i++) {
        long double at = -cosl(3.14159265358979323846L * (i + 0.75L) / (n + 0.5L)), slope;
        for (int k = 0; k < 30; k++) {
            long double value = legendre(n, at, &slope);
            at -= value / slope;
        }
        legendre(n, at, &slope);
        x[i] = (double)at;
        w[i] = (double)(2 / ((1 - at * at) * slope * slope));
    }
}

/* (u, v, w) of [0, 1]^3 to the reference element; returns the determinant */
static double collapse(bl_shape shape, const double u[3], double xi[3]) {
    for (int d = 0; d < 3; d++)
        xi[d] = d < dim_of[shape] ? 2 * u[d] - 1 : 0;
    if (shape == BL_TRIANGLE || shape == BL_WEDGE || shape == BL_TETRA) {
        xi[0] = u[0];
        xi[1] = u[1] * (1 - u[0]);
    }
    if (shape == BL_TETRA)
        xi[2] = u[2] * (1 - u[0]) * (1 - u[1]);
    switch (shape) {
    case BL_SEGMENT: return 2;
    case BL_QUAD: return 4;
    case BL_HEXA: return 8;
    case BL_TRIANGLE: return 1 - u[0];
    case BL_WEDGE: return 2 * (1 - u[0]);
    default: return (1 - u[0]) * (1 - u[0]) * (1 - u[1]);
    }
}

bl_index test_reference_rule(bl_shape shape, int n, double (*at)[3], double *weight) {
    double x[8], w[8];
    test_gauss(n, x, w);
    int dim = dim_of[shape], count = 0, n1 = dim > 1 ? n : 1, n2 = dim > 2 ? n : 1;
    for (int k = 0; k < n2; k++)
        for (int j = 0; j < n1; j++)
            for (int i = 0; i < n; i++, count++) {
                double u[3] = {(1 + x[i]) / 2, (1 + x[j]) / 2, (1 + x[k]) / 2};
                weight[count] = collapse(shape, u, at[count]) * w[i] / 2 * (dim > 1 ? w[j] / 2 : 1) * (dim > 2 ? w[k] / 2 : 1);
            }
    return count;
}

void test_reference_point(bl_shape shape, test_random *random, double xi[3]) {
    double u[3];
    for (int d = 0; d < 3; d++)
        u[d] = test_random_unit(random);
    collapse(shape, u, xi);
}

bool test_reference_holds(bl_shape shape, const double xi[3], double slack) {
    bool triangle = shape == BL_TRIANGLE || shape == BL_WEDGE, tetra = shape == BL_TETRA;
    double sum = 0;
    for (int d = 0; d < 3; d++) {
        if (d >= dim_of[shape]) {
            if (xi[d] != 0)
                return false;
        } else if (tetra || (triangle && d < 2)) {
            sum += xi[d];
            if (!(xi[d] >= -slack))
                return false;
        } else if (!(fabs(xi[d]) <= 1 + slack))
            return false;
    }
    return sum <= 1 + slack;
}

double test_reference_volume(bl_shape shape) {
    static const double volume[BL_SHAPES] = {
        [BL_SEGMENT] = 2, [BL_TRIANGLE] = 0.5, [BL_QUAD] = 4, [BL_TETRA] = 1.0 / 6, [BL_HEXA] = 8, [BL_WEDGE] = 1,
    };
    return volume[shape];
}

bl_index test_strain_rank(const bl_element_kind *kind, const int points[3], const double (*x)[3]) {
    static double B[6 * BL_ELEMENT_POINTS * 3 * BL_ELEMENT_NODES], s[3 * BL_ELEMENT_NODES];
    static const int shear[3][2] = {{0, 1}, {1, 2}, {0, 2}};
    bl_quadrature rule;
    assert_int_equal(bl_quadrature_of(kind->shape, points, &rule), BL_OK);
    int dim = kind->dim, nshear = dim == 1 ? 0 : dim == 2 ? 1 : 3, nstrain = dim + nshear;
    bl_index rows = nstrain * rule.n, cols = dim * kind->nnode;
    memset(B, 0, sizeof B);
    for (bl_index p = 0; p < rule.n; p++) {
        double dN[BL_ELEMENT_NODES][3], g[BL_ELEMENT_NODES * 3];
        kind->functions(rule.at[p], NULL, dN);
        double det = bl_element_gradients(dim, kind->nnode, x, (const double(*)[3])dN, g);
        assert_true(det > 0);
        double root = sqrt(det * rule.weight[p]);
        for (int i = 0; i < kind->nnode; i++) {
            for (int d = 0; d < dim; d++)
                B[p * nstrain + d + rows * (i * dim + d)] = root * g[i * dim + d];
            for (int e = 0; e < nshear; e++) {
                B[p * nstrain + dim + e + rows * (i * dim + shear[e][0])] = root * g[i * dim + shear[e][1]];
                B[p * nstrain + dim + e + rows * (i * dim + shear[e][1])] = root * g[i * dim + shear[e][0]];
            }
        }
    }
    test_singular_values(rows, cols, B, s);
    bl_index rank = 0, most = rows < cols ? rows : cols;
    while (rank < most && s[rank] > 1e-6 * s[0])
        rank++;
    return rank;
}
