/* The element that contains a point. Bounding boxes exclude nearly all elements; in the remaining ones x(xi) = point is solved by Newton's
 * method.
 *
 * With the deviations d_a of the nodes from their positions on straight edges, x(xi) = (linear map of the corners) + sum N_a d_a, and the
 * |N_a| of nodes other than corners sum to at most 3 (hexa20, at its center): the box of the corners, enlarged by 3 max |d_a|, contains the
 * element. */
#include "mesh/geometry.h"
#include "mesh/mesh_limits.h"

#include <float.h>
#include <math.h>

enum { BULGE = 3 };

/* ---- boxes */

typedef struct box {
    double low[3], high[3];
} box;

static box box_of(const double (*x)[3], const bl_index *node, int n, int dim) {
    box b = {{0}, {0}};
    for (int k = 0; k < dim; k++) {
        b.low[k] = b.high[k] = x[node[0]][k];
        for (int a = 1; a < n; a++) {
            double v = x[node[a]][k];
            b.low[k] = v < b.low[k] ? v : b.low[k];
            b.high[k] = v > b.high[k] ? v : b.high[k];
        }
    }
    return b;
}

/* whether the point is in the box, enlarged by a share of its size and by `more`, which may be NULL */
static bool contains(const box *b, int dim, double share, const double *more, const double at[3]) {
    for (int k = 0; k < dim; k++) {
        double margin = share * (b->high[k] - b->low[k]) + (more ? more[k] : 0) + 4 * DBL_EPSILON * fabs(at[k]);
        if (!(at[k] >= b->low[k] - margin && at[k] <= b->high[k] + margin))
            return false;
    }
    return true;
}

static bool box_contains(const bl_element_kind *kind, int dim, const double (*w)[8], const double (*x)[3], const bl_index *node,
                         const double at[3]) {
    bool straight = kind->nnode == kind->ncorner;
    box all = box_of(x, node, kind->nnode, dim);
    if (dim > kind->dim) { /* a line has no width: the margin is relative to its length */
        double most = fmax(fmax(all.high[0] - all.low[0], all.high[1] - all.low[1]), all.high[2] - all.low[2]);
        const double more[3] = {BULGE * most, BULGE * most, BULGE * most};
        return contains(&all, dim, 0, more, at);
    }
    if (!contains(&all, dim, straight ? 2 * mesh_inside : BULGE, NULL, at))
        return false;
    if (straight)
        return true;
    double bulge[3] = {0};
    for (int a = kind->ncorner; a < kind->nnode; a++)
        for (int k = 0; k < dim; k++) {
            double d = x[node[a]][k];
            for (int c = 0; c < kind->ncorner; c++)
                d -= w[a][c] * x[node[c]][k];
            bulge[k] = fmax(bulge[k], BULGE * fabs(d));
        }
    box of_corners = box_of(x, node, kind->ncorner, dim);
    return contains(&of_corners, dim, 2 * mesh_inside, bulge, at);
}

/* ---- reference coordinates of the point */

static bool inside(bl_shape shape, const double xi[3]) {
    double e = mesh_inside;
    switch (shape) {
    case BL_SEGMENT: return fabs(xi[0]) <= 1 + 2 * e;
    case BL_QUAD: return fabs(xi[0]) <= 1 + 2 * e && fabs(xi[1]) <= 1 + 2 * e;
    case BL_HEXA: return fabs(xi[0]) <= 1 + 2 * e && fabs(xi[1]) <= 1 + 2 * e && fabs(xi[2]) <= 1 + 2 * e;
    case BL_TRIANGLE: return xi[0] >= -e && xi[1] >= -e && xi[0] + xi[1] <= 1 + e;
    case BL_TETRA: return xi[0] >= -e && xi[1] >= -e && xi[2] >= -e && xi[0] + xi[1] + xi[2] <= 1 + e;
    case BL_WEDGE: return xi[0] >= -e && xi[1] >= -e && xi[0] + xi[1] <= 1 + e && fabs(xi[2]) <= 1 + 2 * e;
    case BL_SHAPES: break;
    }
    return false;
}

/* J d = r by Cramer's rule */
static void solve(int dim, const double J[3][3], double det, const double r[3], double d[3]) {
    for (int m = 0; m < dim; m++) {
        double A[3][3];
        memcpy(A, J, sizeof A);
        for (int k = 0; k < dim; k++)
            A[k][m] = r[k];
        d[m] = bl_determinant(dim, (const double(*)[3])A) / det;
    }
}

/* On a line: the nearest point by Gauss-Newton iteration; true if it is the given point. */
static bool find_on_line(const bl_element_kind *kind, int dim, const double (*x)[3], const double at[3], double xi[3]) {
    double N[BL_ELEMENT_NODES], dN[BL_ELEMENT_NODES][3];
    xi[0] = xi[1] = xi[2] = 0;
    for (int step = 0; step < mesh_locate_steps; step++) {
        double r[3] = {at[0], at[1], at[2]}, rate[3] = {0}, size = 0, dot = 0, off = 0;
        kind->functions(xi, N, dN);
        for (int k = 0; k < dim; k++) {
            for (int a = 0; a < kind->nnode; a++) {
                r[k] -= N[a] * x[a][k];
                rate[k] += dN[a][0] * x[a][k];
            }
            size += rate[k] * rate[k];
            dot += rate[k] * r[k];
            off += r[k] * r[k];
        }
        double d = dot / size;
        if (!isfinite(d) || fabs(xi[0]) > 8)
            return false;
        if (fabs(d) < mesh_inside / 8)
            return sqrt(off) <= 2 * mesh_inside * sqrt(size) && inside(kind->shape, xi);
        xi[0] += fmax(-1, fmin(1, d));
    }
    return false;
}

/* Newton's method from xi, in steps of at most half the element; true if it converged */
static bool newton(const bl_element_kind *kind, const double (*x)[3], const double at[3], double xi[3]) {
    double N[BL_ELEMENT_NODES], dN[BL_ELEMENT_NODES][3], J[3][3];
    for (int step = 0; step < mesh_locate_steps; step++) {
        double r[3] = {at[0], at[1], at[2]}, d[3] = {0}, length = 0;
        kind->functions(xi, N, dN);
        for (int a = 0; a < kind->nnode; a++)
            for (int k = 0; k < kind->dim; k++)
                r[k] -= N[a] * x[a][k];
        double det = bl_element_jacobian(kind->dim, kind->nnode, x, (const double(*)[3])dN, J);
        if (det == 0)
            return false;
        solve(kind->dim, (const double(*)[3])J, det, r, d);
        for (int m = 0; m < kind->dim; m++)
            length = fmax(length, fabs(d[m]));
        if (!isfinite(length))
            return false;
        for (int m = 0; m < kind->dim; m++) {
            xi[m] += length > 1 ? d[m] / length : d[m];
            if (fabs(xi[m]) > 8)
                return false;
        }
        if (length < mesh_inside / 8) /* quadratic convergence: the remaining error is below rounding */
            return true;
    }
    return false;
}

/* Starts at the center, which suffices unless the element is strongly distorted; then halfway to each corner. */
static bool find(const bl_element_kind *kind, const double (*x)[3], const double at[3], double xi[3]) {
    double center[3] = {0};
    for (int c = 0; c < kind->ncorner; c++)
        for (int m = 0; m < 3; m++)
            center[m] += kind->node[c][m] / kind->ncorner;
    int starts = kind->nnode == kind->dim + 1 ? 0 : kind->ncorner;
    for (int s = -1; s < starts; s++) {
        for (int m = 0; m < 3; m++)
            xi[m] = s < 0 ? center[m] : (center[m] + kind->node[s][m]) / 2;
        if (newton(kind, x, at, xi) && inside(kind->shape, xi))
            return true;
    }
    return false;
}

bl_index bl_mesh_locate(const bl_mesh *mesh, const double at[3], double xi[3]) {
    double x[BL_ELEMENT_NODES][3], w[BL_ELEMENT_NODES][8];
    const double(*all)[3] = (const double(*)[3])mesh->x;
    for (bl_index b = 0; b < mesh->nblock; b++) {
        const bl_mesh_block *block = &mesh->block[b];
        const bl_element_kind *kind = block->kind;
        bl_element_straight(kind, w);
        for (bl_index e = 0; e < block->count; e++) {
            const bl_index *node = &block->node[(size_t)e * kind->nnode];
            if (!box_contains(kind, mesh->dim, (const double(*)[8])w, all, node, at))
                continue;
            bl_element_gather(kind, all, node, x);
            if (kind->dim < mesh->dim ? find_on_line(kind, mesh->dim, (const double(*)[3])x, at, xi)
                                      : find(kind, (const double(*)[3])x, at, xi))
                return block->first + e;
        }
    }
    xi[0] = xi[1] = xi[2] = 0;
    return -1;
}

/* ---- the nearest element */

enum { NEAREST_STEPS = 40 };

/* back into the reference element, along the axes; in simplices then toward the corner at the origin */
static void clamp(bl_shape shape, int dim, double xi[3]) {
    bool simplex = shape == BL_TRIANGLE || shape == BL_TETRA, wedge = shape == BL_WEDGE;
    int simple = simplex ? dim : wedge ? 2 : 0;
    double sum = 0;
    for (int k = 0; k < dim; k++)
        xi[k] = fmin(1, fmax(k < simple ? 0 : -1, xi[k]));
    for (int k = 0; k < simple; k++)
        sum += xi[k];
    for (int k = 0; k < simple && sum > 1; k++)
        xi[k] /= sum;
}

/* distance from an element by steps along the gradient of its square, scaled by the size of the map, and clamped */
static double distance_from(const bl_element_kind *kind, int dim, const double (*x)[3], const double at[3]) {
    double N[BL_ELEMENT_NODES], dN[BL_ELEMENT_NODES][3], xi[3] = {0}, best = INFINITY;
    for (int a = 0; a < kind->nnode; a++) { /* from the nearest node */
        double d = hypot(hypot(x[a][0] - at[0], x[a][1] - at[1]), x[a][2] - at[2]);
        if (d < best) {
            best = d;
            memcpy(xi, kind->node[a], sizeof xi);
        }
    }
    for (int step = 0; step < NEAREST_STEPS; step++) {
        double r[3] = {-at[0], -at[1], -at[2]}, J[3][3] = {{0}}, size = 0;
        kind->functions(xi, N, dN);
        for (int a = 0; a < kind->nnode; a++)
            for (int k = 0; k < dim; k++) {
                r[k] += N[a] * x[a][k];
                for (int j = 0; j < kind->dim; j++)
                    J[k][j] += dN[a][j] * x[a][k];
            }
        best = fmin(best, hypot(hypot(r[0], r[1]), dim > 2 ? r[2] : 0));
        for (int k = 0; k < dim; k++)
            for (int j = 0; j < kind->dim; j++)
                size += J[k][j] * J[k][j];
        for (int j = 0; j < kind->dim; j++) {
            double slope = 0;
            for (int k = 0; k < dim; k++)
                slope += J[k][j] * r[k];
            xi[j] -= slope / size;
        }
        clamp(kind->shape, kind->dim, xi);
    }
    return best;
}

bl_index bl_mesh_nearest(const bl_mesh *mesh, const double at[3], double *distance) {
    bl_index found = 0;
    *distance = INFINITY;
    for (bl_index b = 0; b < mesh->nblock; b++)
        for (bl_index e = 0; e < mesh->block[b].count; e++) {
            const bl_element_kind *kind = mesh->block[b].kind;
            double x[BL_ELEMENT_NODES][3];
            bl_element_gather(kind, (const double(*)[3])mesh->x, mesh->block[b].node + (size_t)e * kind->nnode, x);
            double d = distance_from(kind, mesh->dim, (const double(*)[3])x, at);
            if (d < *distance) {
                *distance = d;
                found = mesh->block[b].first + e;
            }
        }
    return found;
}
