/* Validity of elements: the determinant of dx/dxi is compared with the product of the lengths of its columns, so that thin elements are
 * valid and flat ones are not. It must be positive at the quadrature points of the element and not negative at corners, where it may vanish
 * on purpose (collapsed edges, quarter points). Segments in the plane or in space may have any direction: for them the determinant is the
 * component of dx/dxi along the chord, so that middle nodes must be between the ends. */
#include "mesh/geometry.h"
#include "mesh/mesh_limits.h"

#include <math.h>

double bl_element_jacobian(int dim, int nnode, const double (*x)[3], const double (*dN)[3], double J[3][3]) {
    memset(J, 0, 9 * sizeof(double));
    for (int a = 0; a < nnode; a++)
        for (int k = 0; k < dim; k++)
            for (int m = 0; m < dim; m++)
                J[k][m] += x[a][k] * dN[a][m];
    return bl_determinant(dim, (const double(*)[3])J);
}

/* The kind of this shape that has nodes at corners only. */
static const bl_element_kind *linear_kind(bl_shape shape) {
    for (size_t i = 0; i < bl_element_kind_count; i++)
        if (bl_element_kinds[i]->shape == shape && bl_element_kinds[i]->nnode == bl_element_kinds[i]->ncorner)
            return bl_element_kinds[i];
    return NULL;
}

void bl_element_straight(const bl_element_kind *kind, double (*w)[8]) {
    const bl_element_kind *linear = linear_kind(kind->shape);
    for (int a = 0; a < kind->nnode; a++)
        linear->functions(kind->node[a], w[a], NULL);
}

/* The map of straight triangles and tetrahedra is linear: one point is sufficient. */
static bool is_linear(const bl_element_kind *kind) { return kind->nnode == kind->dim + 1; }

bl_status bl_validity_begin(bl_context *ctx, const bl_element_kind *kind, int dim, bl_validity *s) {
    bl_quadrature rule[2] = {{0}};
    *s = (bl_validity){.kind = kind, .dim = dim};
    if (bl_quadrature_of(kind->shape, kind->points, &rule[0]) != BL_OK ||
        bl_quadrature_of(kind->shape, kind->mass_points, &rule[1]) != BL_OK)
        return bl_fail(ctx, BL_E_ABILITY, NULL, "element %s has no quadrature rule", kind->kind.name);
    int nrule = memcmp(kind->points, kind->mass_points, sizeof kind->points) == 0 ? 1 : 2;
    bl_index most = rule[0].n + rule[1].n + kind->ncorner;
    BL_TRY(BL_NEW(ctx, s->dN, most));
    for (int r = 0; r < nrule; r++)
        for (bl_index i = 0; i < rule[r].n && !(is_linear(kind) && s->n == 1); i++)
            kind->functions(rule[r].at[i], NULL, s->dN[s->n++]);
    s->inner = s->n;
    for (int c = 0; c < kind->ncorner && !is_linear(kind); c++)
        kind->functions(kind->node[c], NULL, s->dN[s->n++]);
    return BL_OK;
}

void bl_validity_end(bl_context *ctx, bl_validity *s) {
    bl_free(ctx, s->dN);
    s->dN = NULL;
}

/* component of dx/dxi along the chord; *size: its length, at least that of rounding errors of the coordinates */
static double along_chord(const bl_validity *s, const double (*x)[3], const double (*dN)[3], double *size) {
    double chord[3], rate[3] = {0}, dot = 0, length = 0, scale = 0;
    for (int d = 0; d < 3; d++) {
        chord[d] = x[1][d] - x[0][d];
        scale = fmax(scale, fmax(fabs(x[0][d]), fabs(x[1][d])));
        for (int a = 0; a < s->kind->nnode; a++)
            rate[d] += x[a][d] * dN[a][0];
        dot += chord[d] * rate[d];
        length += chord[d] * chord[d];
    }
    *size = fmax(sqrt(rate[0] * rate[0] + rate[1] * rate[1] + rate[2] * rate[2]), mesh_short_segment * scale);
    return length > 0 ? dot / sqrt(length) : 0;
}

bool bl_element_valid(const bl_validity *s, const double (*x)[3], double *det, int *corner) {
    int dim = s->kind->dim;
    for (int i = 0; i < s->n; i++) {
        double J[3][3], lengths = 1;
        *corner = i < s->inner ? -1 : i - s->inner;
        if (dim == s->dim) {
            *det = bl_element_jacobian(dim, s->kind->nnode, x, (const double(*)[3])s->dN[i], J);
            for (int m = 0; m < dim; m++)
                lengths *= sqrt(J[0][m] * J[0][m] + J[1][m] * J[1][m] + J[2][m] * J[2][m]);
        } else
            *det = along_chord(s, x, (const double(*)[3])s->dN[i], &lengths);
        if (i < s->inner ? !(*det > mesh_flat * lengths) : !(*det >= -mesh_flat * lengths))
            return false;
    }
    return true;
}
