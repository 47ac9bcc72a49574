/* Power series of an element whose stress is linear in Green's strain, four integration points at a time (series_isa.h):
 *
 *     E_k = sym(H_k) + 1/2 sum_j H_j^T H_{k-j},     P_k = S_k + sum_j H_j S_{k-j} */
#include "fem/series_isa.h"

#include "base/lanes.h"

#include <string.h>

enum { FOUR = sizeof(bl_four) / sizeof(double), NODES = 27 };
_Static_assert((int)FOUR == (int)BL_SERIES_POINTS, "padding of points");

#define INLINE static inline __attribute__((always_inline))

/* tensor indices of strains */
static const unsigned char first[6] = {0, 1, 2, 0, 1, 0}, second[6] = {0, 1, 2, 1, 2, 2}, first_2[3] = {0, 1, 0}, second_2[3] = {0, 1, 1};
INLINE int row_of(int dim, int s) { return dim == 3 ? first[s] : first_2[s]; }
INLINE int column_of(int dim, int s) { return dim == 3 ? second[s] : second_2[s]; }
/* component of the symmetric tensor */
INLINE int strain_at(int dim, int i, int j) {
    static const unsigned char at[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}}, at_2[2][2] = {{0, 2}, {2, 1}};
    return dim == 3 ? at[i][j] : at_2[i][j];
}
INLINE int strains(int dim) { return dim == 3 ? 6 : 3; }

INLINE const bl_four *from(const double *x) { return (const bl_four *)x; }
INLINE bl_four *to(double *x) { return (bl_four *)x; }

INLINE void gradients_of(int dim, const bl_series_element *e, const double *u, double *H) {
    size_t n = e->points;
    for (size_t p = 0; p < n; p += FOUR) {
        bl_four h[9] = {0};
        const double *g = e->g + p;
        for (int a = 0; a < e->nnode; a++)
            for (int j = 0; j < dim; j++, g += n)
                for (int i = 0; i < dim; i++)
                    h[i * dim + j] += u[a * dim + i] * *from(g);
        for (int c = 0; c < dim * dim; c++)
            *to(H + (size_t)c * n + p) = h[c];
    }
}

/* S = factor volume D E */
INLINE void apply_law(int dim, const bl_series_element *e, size_t p, double factor, const bl_four *E, double *S) {
    bl_four volume = factor * *from(e->volume + p);
    for (int r = 0; r < strains(dim); r++) {
        bl_four sum = {0};
        for (int s = 0; s < strains(dim); s++)
            sum += e->D[r * strains(dim) + s] * E[s];
        *to(S + (size_t)r * e->points + p) = volume * sum;
    }
}

/* E = the symmetric part of H, with engineering shear */
INLINE void linear_part(int dim, const bl_series_element *e, size_t p, const double *H, bl_four *E) {
    for (int s = 0; s < strains(dim); s++) {
        int i = row_of(dim, s), j = column_of(dim, s);
        const double *at = H + p + (size_t)(i * dim + j) * e->points, *across = H + p + (size_t)(j * dim + i) * e->points;
        E[s] = *from(at);
        if (i != j)
            E[s] += *from(across);
    }
}

/* E += half A^T B + half B^T A, with engineering shear */
INLINE void add_products(int dim, const bl_series_element *e, size_t p, double half, const double *A, const double *B, bl_four *E) {
    size_t n = e->points;
    for (int m = 0; m < dim; m++) {
        bl_four a[3], b[3];
        for (int i = 0; i < dim; i++) {
            a[i] = *from(A + (size_t)(m * dim + i) * n + p);
            b[i] = half * *from(B + (size_t)(m * dim + i) * n + p);
        }
        for (int s = 0; s < strains(dim); s++) {
            int i = row_of(dim, s), j = column_of(dim, s);
            E[s] += i == j ? 2 * (a[i] * b[i]) : 2 * (a[i] * b[j] + a[j] * b[i]);
        }
    }
}

INLINE void stress_of(int dim, const bl_series_element *e, int k, const double *H, double *S) {
    size_t n = e->points, order = (size_t)(dim * dim) * n;
    for (size_t p = 0; p < n; p += FOUR) {
        bl_four E[6];
        linear_part(dim, e, p, H + (size_t)k * order, E);
        for (int j = 0; 2 * j < k; j++) /* pairs of equal products */
            add_products(dim, e, p, 0.5, H + (size_t)j * order, H + (size_t)(k - j) * order, E);
        if (k % 2 == 0)
            add_products(dim, e, p, 0.25, H + (size_t)(k / 2) * order, H + (size_t)(k / 2) * order, E);
        apply_law(dim, e, p, 1, E, S + (size_t)k * (size_t)strains(dim) * n);
    }
}

INLINE void viscous_of(int dim, const bl_series_element *e, int k, double factor, const double *H, const double *V, double *S) {
    size_t n = e->points, order = (size_t)(dim * dim) * n;
    for (size_t p = 0; p < n; p += FOUR) {
        bl_four E[6];
        linear_part(dim, e, p, V + (size_t)k * order, E);
        for (int j = 0; j <= k; j++)
            add_products(dim, e, p, 0.5, H + (size_t)j * order, V + (size_t)(k - j) * order, E);
        apply_law(dim, e, p, factor, E, S + (size_t)k * (size_t)strains(dim) * n);
    }
}

INLINE void forces_of(int dim, const bl_series_element *e, int k, const double *H, const double *S, double *f) {
    size_t n = e->points, order = (size_t)(dim * dim) * n, stresses = (size_t)strains(dim) * n;
    bl_four sum[3 * NODES];
    memset(sum, 0, (size_t)(dim * e->nnode) * sizeof *sum);
    for (size_t p = 0; p < n; p += FOUR) {
        bl_four P[9], s[6];
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++)
                P[i * dim + j] = *from(S + (size_t)k * stresses + (size_t)strain_at(dim, i, j) * n + p);
        for (int l = 0; l <= k; l++) {
            const double *Hl = H + (size_t)l * order + p, *Sl = S + (size_t)(k - l) * stresses + p;
            for (int c = 0; c < strains(dim); c++)
                s[c] = *from(Sl + (size_t)c * n);
            for (int i = 0; i < dim; i++)
                for (int m = 0; m < dim; m++) {
                    bl_four h = *from(Hl + (size_t)(i * dim + m) * n);
                    for (int j = 0; j < dim; j++)
                        P[i * dim + j] += h * s[strain_at(dim, m, j)];
                }
        }
        const double *g = e->g + p;
        for (int a = 0; a < e->nnode; a++)
            for (int j = 0; j < dim; j++, g += n)
                for (int i = 0; i < dim; i++)
                    sum[a * dim + i] += P[i * dim + j] * *from(g);
    }
    for (int i = 0; i < dim * e->nnode; i++)
        f[i] += (sum[i][0] + sum[i][1]) + (sum[i][2] + sum[i][3]);
}

/* with loops of known length in the plane and in space */

static void gradients(const bl_series_element *e, const double *u, double *H) {
    e->dim == 3 ? gradients_of(3, e, u, H) : gradients_of(2, e, u, H);
}

static void stress(const bl_series_element *e, int k, const double *H, double *S) {
    e->dim == 3 ? stress_of(3, e, k, H, S) : stress_of(2, e, k, H, S);
}

static void viscous(const bl_series_element *e, int k, double factor, const double *H, const double *V, double *S) {
    e->dim == 3 ? viscous_of(3, e, k, factor, H, V, S) : viscous_of(2, e, k, factor, H, V, S);
}

static void forces(const bl_series_element *e, int k, const double *H, const double *S, double *f) {
    e->dim == 3 ? forces_of(3, e, k, H, S, f) : forces_of(2, e, k, H, S, f);
}

const bl_fem_series_kernels BL_ISA_NAME(bl_fem_series_kernels) = {gradients, stress, viscous, forces};
