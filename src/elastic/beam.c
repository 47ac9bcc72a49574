/* Element of a beam (docs/theory/beams.md), and its energy by interpolated directors (Simo 1985, Betsch and Steinmann 2002). With the
 * interpolated position P and directors d_i,
 *
 *     Gamma_i = d_i . P' - (d_i . P')_0,    K_1 = (d_3 . d_2' - d_2 . d_3') / 2 - ( )_0  and cyclic,
 *     U = 1/2 int Gamma^T diag(EA, GA2, GA3) Gamma + K^T diag(GJ, EI2, EI3) K dS.
 *
 * Each strain is a product of two of the vectors, a'.b or (a'.b - a.b')/2, and any two vectors have one strain in common. Functions whose
 * first argument is the dimension are compiled for each. */
#include "elastic/beam_rotations.h"
#include "elastic/beam_space.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { P, D1, D2, D3 }; /* vectors of a node */
enum { VALUE, SLOPE };  /* at a point */

typedef double fields[BL_BEAM_VECTORS][2][3]; /* vectors at a point and their derivatives by the arc length; the value of P is not used */

/* strain = slope a'.b - value a.b' */
typedef struct product {
    int a, b;
    double slope, value;
} product;

static const product in_space[] = {{P, D1, 1, 0}, {P, D2, 1, 0}, {P, D3, 1, 0}, {D2, D3, 0.5, 0.5}, {D3, D1, 0.5, 0.5}, {D1, D2, 0.5, 0.5}};
static const product in_plane[] = {{P, D1, 1, 0}, {P, D2, 1, 0}, {D1, D2, 0.5, 0.5}};
static const int plane_strain[] = {0, 1, 5}; /* among those in space */

INLINE const product *products(int dim) { return dim == 3 ? in_space : in_plane; }
INLINE int strain_count(int dim) { return dim == 3 ? 6 : 3; }

/* ---- interpolation */

/* Lagrange polynomials of nodes `at` within [-1, 1], and their derivatives */
static void lagrange(int nnode, const double *at, double xi, double *N, double *dN) {
    for (int a = 0; a < nnode; a++) {
        double value = 1, slope = 0;
        for (int b = 0; b < nnode; b++) {
            if (b == a)
                continue;
            slope = (slope * (xi - at[b]) + value) / (at[a] - at[b]);
            value *= (xi - at[b]) / (at[a] - at[b]);
        }
        N[a] = value;
        dN[a] = slope;
    }
}

static void gauss(int n, double *xi, double *weight) {
    static const double at[4][4] = {{0},
                                    {-0.57735026918962576451, 0.57735026918962576451},
                                    {-0.77459666924148337704, 0, 0.77459666924148337704},
                                    {-0.86113631159405257522, -0.33998104358485626480, 0.33998104358485626480, 0.86113631159405257522}};
    static const double of[4][4] = {{2},
                                    {1, 1},
                                    {5.0 / 9, 8.0 / 9, 5.0 / 9},
                                    {0.34785484513745385737, 0.65214515486254614263, 0.65214515486254614263, 0.34785484513745385737}};
    memcpy(xi, at[n - 1], (size_t)n * sizeof *xi);
    memcpy(weight, of[n - 1], (size_t)n * sizeof *weight);
}

static const double *vector_of(const bl_beam_element *e, const double *x, int node, int vector) {
    return x + (node * e->nvector + vector) * e->dim;
}

INLINE void at_point(int dim, const bl_beam_element *e, int p, const double *x, fields y) {
    memset(y, 0, sizeof(fields));
    for (int a = 0; a < e->nnode; a++, x += (dim + 1) * dim)
        for (int i = 0; i <= dim; i++)
            for (int k = 0; k < dim; k++) {
                if (i != P)
                    y[i][VALUE][k] += e->N[p][a] * x[i * dim + k];
                y[i][SLOPE][k] += e->dN[p][a] * x[i * dim + k];
            }
}

INLINE double dot(int dim, const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + (dim == 3 ? a[2] * b[2] : 0); }

/* of two vectors at a point, a of the set y and b of z */
INLINE double strain_of(int dim, const product *t, const fields y, const fields z) {
    return t->slope * dot(dim, y[t->a][SLOPE], z[t->b][VALUE]) - t->value * dot(dim, y[t->a][VALUE], z[t->b][SLOPE]);
}

INLINE void strains_of(int dim, const fields y, double *strain) {
    for (int s = 0; s < strain_count(dim); s++)
        strain[s] = strain_of(dim, &products(dim)[s], y, y);
}

INLINE void strains(int dim, const bl_beam_element *e, int p, const double *x, double *strain) {
    fields y;
    at_point(dim, e, p, x, y);
    strains_of(dim, y, strain);
    for (int s = 0; s < strain_count(dim); s++)
        strain[s] -= e->start[p][s];
}

void bl_beam_strains(const bl_beam_element *e, int point, const double *x, double *strain) {
    if (e->rotations)
        e->dim == 3 ? bl_beam_space_strains(e, point, x, strain) : bl_beam_rotations_strains(e, point, x, strain);
    else
        e->dim == 3 ? strains(3, e, point, x, strain) : strains(2, e, point, x, strain);
}

double bl_beam_turn(const bl_beam_element *e, const double *x) { return e->rotations && e->dim == 3 ? bl_beam_space_turn(e, x) : 0; }

/* ---- set-up */

/* Nodes on [-1, 1] as far apart as on the line: then the parameter is in proportion to the length, wherever the nodes are. */
static bl_status place_nodes(const bl_beam_element *e, const double *x, double *at) {
    double sum = 0, gap[BL_BEAM_NODES] = {0};
    for (int a = 1; a < e->nnode; a++) {
        const double *from = vector_of(e, x, a - 1, 0), *to = vector_of(e, x, a, 0);
        gap[a] = hypot(hypot(to[0] - from[0], to[1] - from[1]), e->dim == 3 ? to[2] - from[2] : 0);
        if (!(gap[a] > 0))
            return BL_E_MODEL;
        sum += gap[a];
    }
    at[0] = -1;
    for (int a = 1; a < e->nnode; a++)
        at[a] = at[a - 1] + 2 * gap[a] / sum;
    return BL_OK;
}

static double arc_rate(const bl_beam_element *e, const double *x, const double *dN) {
    double d[3] = {0, 0, 0};
    for (int a = 0; a < e->nnode; a++)
        for (int k = 0; k < e->dim; k++)
            d[k] += dN[a] * vector_of(e, x, a, 0)[k];
    return sqrt(dot(3, d, d));
}

bl_status bl_beam_element_make(const bl_beam_def *beam, int dim, bl_index which, bl_beam_element *e, double *x) {
    double at[BL_BEAM_NODES], xi[BL_BEAM_NODES], weight[BL_BEAM_NODES], N[BL_BEAM_NODES], dN[BL_BEAM_NODES];
    *e = (bl_beam_element){.dim = dim, .nnode = beam->degree + 1, .npoint = beam->degree, .nstrain = dim == 3 ? 6 : 3};
    e->rotations = beam->rotations;
    e->viscous = beam->damping[1] != 0;
    e->nvector = e->rotations ? dim : dim + 1;
    const bl_beam_node *node = beam->node + which * e->nnode;
    for (int a = 0; a < e->nnode; a++)
        for (int i = 0; i < e->nvector; i++)
            for (int k = 0; k < dim; k++)
                x[(a * e->nvector + i) * dim + k] = i == 0 ? node[a].at[k] : node[a].axes[bl_beam_axis(e, i)][k];
    for (int s = 0; s < e->nstrain; s++) {
        e->stiffness[s] = beam->stiffness[dim == 3 ? s : plane_strain[s]];
        e->viscosity[s] = beam->damping[1] * e->stiffness[s];
    }
    e->damping = beam->damping[0];
    e->inertia[0] = beam->mass[0];
    for (int i = 1; i < e->nvector; i++) /* of d2, d3 */
        e->inertia[i] = bl_beam_axis(e, i) > 0 ? beam->mass[bl_beam_axis(e, i)] : 0;
    if (e->rotations && dim == 2) /* |d1.| = |d2.|, at the nodes and as interpolated */
        e->inertia[1] = beam->mass[1];
    BL_TRY(place_nodes(e, x, at));
    gauss(e->nnode, xi, weight);
    for (int p = 0; p < e->nnode; p++) {
        lagrange(e->nnode, at, xi[p], N, dN);
        double length = weight[p] * arc_rate(e, x, dN);
        e->length += length;
        for (int a = 0; a < e->nnode; a++)
            for (int b = 0; b < e->nnode; b++)
                e->mass[a][b] += length * N[a] * N[b];
    }
    gauss(e->npoint, xi, weight);
    for (int p = 0; p < e->npoint; p++) {
        lagrange(e->nnode, at, xi[p], e->N[p], e->dN[p]);
        double rate = arc_rate(e, x, e->dN[p]);
        if (!(rate > 0))
            return BL_E_MODEL;
        e->weight[p] = weight[p] * rate;
        for (int a = 0; a < e->nnode; a++)
            e->dN[p][a] /= rate;
        double strain[BL_BEAM_STRAINS];
        bl_beam_strains(e, p, x, strain); /* less none so far */
        memcpy(e->start[p], strain, sizeof strain);
    }
    return BL_OK;
}

/* ---- forces */

INLINE double energy(int dim, const bl_beam_element *e, const double *x) {
    double sum = 0, strain[BL_BEAM_STRAINS];
    for (int p = 0; p < e->npoint; p++) {
        strains(dim, e, p, x, strain);
        for (int s = 0; s < strain_count(dim); s++)
            sum += 0.5 * e->weight[p] * e->stiffness[s] * strain[s] * strain[s];
    }
    return sum;
}

double bl_beam_energy(const bl_beam_element *e, const double *x) {
    if (e->rotations)
        return e->dim == 3 ? bl_beam_space_energy(e, x) : bl_beam_rotations_energy(e, x);
    return e->dim == 3 ? energy(3, e, x) : energy(2, e, x);
}

/* g += factor d(strain . n)/dy */
INLINE void add_gradient(int dim, const fields y, const double *n, double factor, fields g) {
    for (int s = 0; s < strain_count(dim); s++) {
        const product *t = &products(dim)[s];
        double slope = factor * n[s] * t->slope, value = factor * n[s] * t->value;
        for (int k = 0; k < dim; k++) {
            g[t->a][SLOPE][k] += slope * y[t->b][VALUE][k];
            g[t->a][VALUE][k] -= value * y[t->b][SLOPE][k];
            g[t->b][VALUE][k] += slope * y[t->a][SLOPE][k];
            g[t->b][SLOPE][k] -= value * y[t->a][VALUE][k];
        }
    }
}

/* f += the gradient g with respect to the vectors at a point */
INLINE void spread(int dim, const bl_beam_element *e, int p, const fields g, double *f) {
    for (int a = 0; a < e->nnode; a++, f += (dim + 1) * dim)
        for (int i = 0; i <= dim; i++)
            for (int k = 0; k < dim; k++)
                f[i * dim + k] += (i == P ? 0 : e->N[p][a] * g[i][VALUE][k]) + e->dN[p][a] * g[i][SLOPE][k];
}

/* section forces at a point at rates z (NULL: none); returns the power lost in the viscosity */
INLINE double section_forces(int dim, const bl_beam_element *e, int p, const fields y, const fields z, double *n) {
    double strain[BL_BEAM_STRAINS], lost = 0;
    strains_of(dim, y, strain);
    for (int s = 0; s < strain_count(dim); s++) {
        n[s] = e->stiffness[s] * (strain[s] - e->start[p][s]);
        if (!z)
            continue;
        double rate = strain_of(dim, &products(dim)[s], y, z) + strain_of(dim, &products(dim)[s], z, y);
        n[s] += e->viscosity[s] * rate;
        lost += e->weight[p] * e->viscosity[s] * rate * rate;
    }
    return lost;
}

INLINE double force(int dim, const bl_beam_element *e, const double *x, const double *v, double *f) {
    double lost = 0;
    memset(f, 0, (size_t)bl_beam_local(e) * sizeof *f);
    for (int p = 0; p < e->npoint; p++) {
        double n[BL_BEAM_STRAINS];
        fields y, z, g = {{{0}}};
        at_point(dim, e, p, x, y);
        if (v)
            at_point(dim, e, p, v, z);
        lost += section_forces(dim, e, p, y, v ? z : NULL, n);
        add_gradient(dim, y, n, e->weight[p], g);
        spread(dim, e, p, g, f);
    }
    return lost;
}

double bl_beam_force(const bl_beam_element *e, const double *x, const double *v, double *f) {
    v = e->viscous ? v : NULL;
    if (e->rotations)
        return e->dim == 3 ? bl_beam_space_force(e, x, v, f) : bl_beam_rotations_force(e, x, v, f);
    return e->dim == 3 ? force(3, e, x, v, f) : force(2, e, x, v, f);
}

/* ---- tangents */

/* At a point: derivatives of the strains by the vectors of the nodes. Any two vectors a, b have one strain in common: its derivatives by a
 * at the nodes are by[a][b], those by b are by[b][a]. */
typedef struct gradients {
    double by[BL_BEAM_VECTORS][BL_BEAM_VECTORS][BL_BEAM_NODES][3];
} gradients;

/* g = sum over strains of factor c_s times their derivatives, added or not */
INLINE void gradients_of(int dim, const bl_beam_element *e, int p, const fields y, const double *c, double factor, bool add, gradients *g) {
    for (int s = 0; s < strain_count(dim); s++) {
        const product *t = &products(dim)[s];
        const double slope = factor * c[s] * t->slope, value = factor * c[s] * t->value;
        double(*by_a)[3] = g->by[t->a][t->b], (*by_b)[3] = g->by[t->b][t->a];
        for (int a = 0; a < e->nnode; a++)
            for (int k = 0; k < dim; k++) {
                double N = e->N[p][a], dN = e->dN[p][a];
                by_a[a][k] = (add ? by_a[a][k] : 0) + slope * dN * y[t->b][VALUE][k] - value * N * y[t->b][SLOPE][k];
                by_b[a][k] = (add ? by_b[a][k] : 0) + slope * N * y[t->a][SLOPE][k] - value * dN * y[t->a][VALUE][k];
            }
    }
}

/* block += left right^T */
INLINE void add_product(int dim, const double *left, const double *right, double block[3][3]) {
    for (int k = 0; k < dim; k++)
        for (int l = 0; l < dim; l++)
            block[k][l] += left[k] * right[l];
}

/* K = sum over points and strains of left right^T: of vectors i and j their common strain, of i and i all strains of i */
INLINE void set_outer(int dim, const bl_beam_element *e, const gradients *left, const gradients *right, double *restrict K) {
    const int node = (dim + 1) * dim, n = e->nnode * node;
    for (int a = 0; a < e->nnode; a++)
        for (int i = 0; i <= dim; i++)
            for (int b = 0; b < e->nnode; b++)
                for (int j = 0; j <= dim; j++) {
                    double block[3][3] = {{0}}, *to = K + (a * node + i * dim) * n + b * node + j * dim;
                    for (int p = 0; p < e->npoint; p++)
                        if (i != j)
                            add_product(dim, left[p].by[i][j][a], right[p].by[j][i][b], block);
                        else
                            for (int other = 0; other <= dim; other++)
                                if (other != i)
                                    add_product(dim, left[p].by[i][other][a], right[p].by[i][other][b], block);
                    for (int k = 0; k < dim; k++)
                        for (int l = 0; l < dim; l++)
                            to[k * n + l] = block[k][l];
                }
}

static const double ones[BL_BEAM_STRAINS] = {1, 1, 1, 1, 1, 1};

/* K += factor sum n_s B_s, B_s the second derivative of strain s */
INLINE void add_geometric(int dim, const bl_beam_element *e, int p, const double *n, double factor, double *K) {
    const int node = (dim + 1) * dim, size = node * e->nnode;
    for (int s = 0; s < strain_count(dim); s++) {
        const product *t = &products(dim)[s];
        for (int a = 0; a < e->nnode; a++)
            for (int b = 0; b < e->nnode; b++) {
                double w = factor * n[s] * (t->slope * e->dN[p][a] * e->N[p][b] - t->value * e->N[p][a] * e->dN[p][b]);
                int i = a * node + t->a * dim, j = b * node + t->b * dim;
                for (int k = 0; k < dim; k++) {
                    K[(i + k) * size + j + k] += w;
                    K[(j + k) * size + i + k] += w;
                }
            }
    }
}

INLINE void tangent(int dim, const bl_beam_element *e, const double *x, const double *v, double *K, double *C) {
    double n[BL_BEAM_POINTS][BL_BEAM_STRAINS];
    gradients g[BL_BEAM_POINTS], stiff[BL_BEAM_POINTS], viscous[BL_BEAM_POINTS];
    for (int p = 0; p < e->npoint; p++) {
        fields y, z;
        at_point(dim, e, p, x, y);
        gradients_of(dim, e, p, y, ones, 1, false, &g[p]);
        gradients_of(dim, e, p, y, e->stiffness, e->weight[p], false, &stiff[p]);
        if (C)
            gradients_of(dim, e, p, y, e->viscosity, e->weight[p], false, &viscous[p]);
        if (v) { /* the rate of strain depends on the configuration too */
            at_point(dim, e, p, v, z);
            gradients_of(dim, e, p, z, e->viscosity, e->weight[p], true, &stiff[p]);
        }
        section_forces(dim, e, p, y, v ? z : NULL, n[p]);
    }
    set_outer(dim, e, g, stiff, K);
    for (int p = 0; p < e->npoint; p++)
        add_geometric(dim, e, p, n[p], e->weight[p], K);
    if (C)
        set_outer(dim, e, g, viscous, C);
}

void bl_beam_tangent(const bl_beam_element *e, const double *x, const double *v, double *K, double *C) {
    if (C && !e->viscous)
        memset(C, 0, (size_t)bl_beam_local(e) * (size_t)bl_beam_local(e) * sizeof *C);
    v = e->viscous ? v : NULL;
    C = e->viscous ? C : NULL;
    if (e->rotations)
        e->dim == 3 ? bl_beam_space_tangent(e, x, v, K, C) : bl_beam_rotations_tangent(e, x, v, K, C);
    else
        e->dim == 3 ? tangent(3, e, x, v, K, C) : tangent(2, e, x, v, K, C);
}

/* The mean of the section forces at both ends, on the gradient of the strains in the middle: (y1 - y0)^T B (y0 + y1)/2 = e1 - e0. */
INLINE void between(int dim, const bl_beam_element *e, const double *x0, const double *x1, double chi, double *f, double *K) {
    double n[BL_BEAM_POINTS][BL_BEAM_STRAINS];
    gradients left[BL_BEAM_POINTS], right[BL_BEAM_POINTS];
    for (int p = 0; p < e->npoint; p++) {
        double e0[BL_BEAM_STRAINS], e1[BL_BEAM_STRAINS];
        fields y0, y1, middle, g = {{{0}}};
        at_point(dim, e, p, x0, y0);
        at_point(dim, e, p, x1, y1);
        strains_of(dim, y0, e0);
        strains_of(dim, y1, e1);
        for (int s = 0; s < strain_count(dim); s++)
            n[p][s] = e->stiffness[s] * (0.5 * (e0[s] + e1[s]) - e->start[p][s] + 0.5 * chi * (e1[s] - e0[s]));
        for (int i = 0; i <= dim; i++)
            for (int k = 0; k < dim; k++) {
                middle[i][VALUE][k] = 0.5 * (y0[i][VALUE][k] + y1[i][VALUE][k]);
                middle[i][SLOPE][k] = 0.5 * (y0[i][SLOPE][k] + y1[i][SLOPE][k]);
            }
        add_gradient(dim, middle, n[p], e->weight[p], g);
        spread(dim, e, p, g, f);
        if (!K)
            continue;
        gradients_of(dim, e, p, middle, ones, 1, false, &left[p]);
        gradients_of(dim, e, p, y1, e->stiffness, e->weight[p] * (1 + chi), false, &right[p]);
    }
    if (!K)
        return;
    set_outer(dim, e, left, right, K);
    for (int p = 0; p < e->npoint; p++)
        add_geometric(dim, e, p, n[p], e->weight[p], K);
}

void bl_beam_between(const bl_beam_element *e, const double *x0, const double *x1, double chi, double *f, double *K) {
    memset(f, 0, (size_t)bl_beam_local(e) * sizeof *f);
    e->dim == 3 ? between(3, e, x0, x1, chi, f, K) : between(2, e, x0, x1, chi, f, K);
}

/* ---- power series: of each point, y[order + 1] and n[order + 1]; of viscous elements then the rates and viscous forces likewise */

typedef struct series_point {
    fields y;
    double n[BL_BEAM_STRAINS]; /* section forces */
} series_point;

size_t bl_beam_series_room(const bl_beam_element *e, int order) {
    size_t points = (size_t)e->npoint * (e->viscous ? 2 : 1);
    return points * ((size_t)order + 1) * sizeof(series_point) / sizeof(double);
}

static series_point *series_of(double *room, int order, int p) { return (series_point *)(void *)room + (size_t)p * ((size_t)order + 1); }

static void take_fields(const bl_beam_element *e, int p, const double *x, fields y) {
    e->dim == 3 ? at_point(3, e, p, x, y) : at_point(2, e, p, x, y);
}

void bl_beam_series_take(const bl_beam_element *e, int order, int k, const double *x, double *room) {
    for (int p = 0; p < e->npoint; p++)
        take_fields(e, p, x, series_of(room, order, p)[k].y);
}

/* f += coefficient k of the section forces n of `forces` times the gradients of the strains at y */
INLINE void series_spread(int dim, const bl_beam_element *e, int p, int k, const series_point *at, const series_point *forces, double *f) {
    fields g = {{{0}}};
    for (int j = 0; j <= k; j++)
        add_gradient(dim, at[k - j].y, forces[j].n, e->weight[p], g);
    spread(dim, e, p, g, f);
}

INLINE void series_force(int dim, const bl_beam_element *e, int order, int k, double *room, double *f) {
    for (int p = 0; p < e->npoint; p++) {
        series_point *at = series_of(room, order, p);
        for (int s = 0; s < strain_count(dim); s++) {
            double strain = k == 0 ? -e->start[p][s] : 0;
            for (int j = 0; j <= k; j++)
                strain += strain_of(dim, &products(dim)[s], at[j].y, at[k - j].y);
            at[k].n[s] = e->stiffness[s] * strain;
        }
        series_spread(dim, e, p, k, at, at, f);
    }
}

INLINE void series_viscous(int dim, const bl_beam_element *e, int order, int k, double *room, double *f) {
    for (int p = 0; p < e->npoint; p++) {
        series_point *at = series_of(room, order, p), *rates = series_of(room, order, e->npoint + p);
        for (int s = 0; s < strain_count(dim); s++) {
            double rate = 0;
            for (int j = 0; j <= k; j++)
                rate +=
                    strain_of(dim, &products(dim)[s], at[j].y, rates[k - j].y) + strain_of(dim, &products(dim)[s], rates[k - j].y, at[j].y);
            rates[k].n[s] = e->viscosity[s] * rate;
        }
        series_spread(dim, e, p, k, at, rates, f);
    }
}

void bl_beam_series_force(const bl_beam_element *e, int order, int k, double *room, double *f) {
    memset(f, 0, (size_t)bl_beam_local(e) * sizeof *f);
    e->dim == 3 ? series_force(3, e, order, k, room, f) : series_force(2, e, order, k, room, f);
}

void bl_beam_series_viscous(const bl_beam_element *e, int order, int k, const double *v, double *room, double *f) {
    memset(f, 0, (size_t)bl_beam_local(e) * sizeof *f);
    for (int p = 0; p < e->npoint; p++)
        take_fields(e, p, v, series_of(room, order, e->npoint + p)[k].y);
    e->dim == 3 ? series_viscous(3, e, order, k, room, f) : series_viscous(2, e, order, k, room, f);
}
