/* Beam by directors (Simo 1985; Betsch and Steinmann 2002). With the interpolated position P and directors d_i,
 *
 *     Gamma_i = d_i . P' - (d_i . P')_0,    K_1 = (d_3 . d_2' - d_2 . d_3') / 2 - ( )_0  and cyclic,
 *     U = 1/2 int Gamma^T diag(EA, GA2, GA3) Gamma + K^T diag(GJ, EI2, EI3) K dS.
 *
 * Each strain is a sum of products of two of the vectors y = (P', d_i, d_i') at a point: e = 1/2 y^T B y - e_0. */
#include "elastic/beam.h"

#include <math.h>
#include <string.h>

/* vectors at a point */
enum { SLOPE, D1, D2, D3, D1_SLOPE, D2_SLOPE, D3_SLOPE };

typedef struct product {
    int strain, a, b;
    double coef;
} product;

static const product in_space[] = {
    {0, D1, SLOPE, 1},      {1, D2, SLOPE, 1},       {2, D3, SLOPE, 1},      {3, D3, D2_SLOPE, 0.5},  {3, D2, D3_SLOPE, -0.5},
    {4, D1, D3_SLOPE, 0.5}, {4, D3, D1_SLOPE, -0.5}, {5, D2, D1_SLOPE, 0.5}, {5, D1, D2_SLOPE, -0.5},
};
static const product in_plane[] = {{0, D1, SLOPE, 1}, {1, D2, SLOPE, 1}, {2, D2, D1_SLOPE, 0.5}, {2, D1, D2_SLOPE, -0.5}};
static const int plane_strain[] = {0, 1, 5}; /* among those in space */

static const product *products(const bl_beam_element *e, int *n) {
    *n = e->dim == 3 ? (int)(sizeof in_space / sizeof *in_space) : (int)(sizeof in_plane / sizeof *in_plane);
    return e->dim == 3 ? in_space : in_plane;
}

typedef double fields[BL_BEAM_FIELDS][3];

/* ---- interpolation */

/* Lagrange polynomials of equidistant nodes on [-1, 1], and their derivatives */
static void lagrange(int nnode, double xi, double *N, double *dN) {
    for (int a = 0; a < nnode; a++) {
        double at = -1 + 2.0 * a / (nnode - 1), value = 1, slope = 0;
        for (int b = 0; b < nnode; b++) {
            double other = -1 + 2.0 * b / (nnode - 1);
            if (b == a)
                continue;
            slope = (slope * (xi - other) + value) / (at - other);
            value *= (xi - other) / (at - other);
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

static void at_point(const bl_beam_element *e, int p, const double *x, fields y) {
    memset(y, 0, sizeof(fields));
    for (int a = 0; a < e->nnode; a++)
        for (int i = 0; i < e->nvector; i++) {
            const double *value = vector_of(e, x, a, i);
            for (int k = 0; k < e->dim; k++) {
                if (i > 0)
                    y[D1 + i - 1][k] += e->N[p][a] * value[k];
                y[i == 0 ? SLOPE : D1_SLOPE + i - 1][k] += e->dN[p][a] * value[k];
            }
        }
}

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* strains at vectors y, and their rates where those change at z */
static void strains_of(const bl_beam_element *e, const fields y, double *strain) {
    int n;
    const product *list = products(e, &n);
    memset(strain, 0, BL_BEAM_STRAINS * sizeof *strain);
    for (const product *t = list; t < list + n; t++)
        strain[t->strain] += t->coef * dot(y[t->a], y[t->b]);
}

static void strain_rates_of(const bl_beam_element *e, const fields y, const fields z, double *rate) {
    int n;
    const product *list = products(e, &n);
    memset(rate, 0, BL_BEAM_STRAINS * sizeof *rate);
    for (const product *t = list; t < list + n; t++)
        rate[t->strain] += t->coef * (dot(y[t->a], z[t->b]) + dot(z[t->a], y[t->b]));
}

void bl_beam_strains(const bl_beam_element *e, int point, const double *x, double *strain) {
    fields y;
    at_point(e, point, x, y);
    strains_of(e, y, strain);
    for (int s = 0; s < e->nstrain; s++)
        strain[s] -= e->start[point][s];
}

/* ---- set-up */

static double arc_rate(const bl_beam_element *e, const double *x, const double *dN) {
    double d[3] = {0, 0, 0};
    for (int a = 0; a < e->nnode; a++)
        for (int k = 0; k < e->dim; k++)
            d[k] += dN[a] * vector_of(e, x, a, 0)[k];
    return sqrt(dot(d, d));
}

bl_status bl_beam_element_make(const bl_beam_def *beam, int dim, bl_index which, bl_beam_element *e, double *x) {
    double xi[BL_BEAM_NODES], weight[BL_BEAM_NODES], N[BL_BEAM_NODES], dN[BL_BEAM_NODES];
    *e = (bl_beam_element){.dim = dim, .nnode = beam->degree + 1, .npoint = beam->degree, .nvector = dim + 1, .nstrain = dim == 3 ? 6 : 3};
    const bl_beam_node *node = beam->node + which * e->nnode;
    for (int a = 0; a < e->nnode; a++)
        for (int i = 0; i < e->nvector; i++)
            for (int k = 0; k < dim; k++)
                x[(a * e->nvector + i) * dim + k] = i == 0 ? node[a].at[k] : node[a].axes[i - 1][k];
    for (int s = 0; s < e->nstrain; s++) {
        e->stiffness[s] = beam->stiffness[dim == 3 ? s : plane_strain[s]];
        e->viscosity[s] = beam->damping[1] * e->stiffness[s];
    }
    e->damping = beam->damping[0];
    e->inertia[0] = beam->mass[0];
    for (int i = 2; i < e->nvector; i++)
        e->inertia[i] = beam->mass[i - 1];
    gauss(e->nnode, xi, weight);
    for (int p = 0; p < e->nnode; p++) {
        lagrange(e->nnode, xi[p], N, dN);
        double length = weight[p] * arc_rate(e, x, dN);
        e->length += length;
        for (int a = 0; a < e->nnode; a++)
            for (int b = 0; b < e->nnode; b++)
                e->mass[a][b] += length * N[a] * N[b];
    }
    if (!(e->length > 0))
        return BL_E_MODEL;
    gauss(e->npoint, xi, weight);
    for (int p = 0; p < e->npoint; p++) {
        lagrange(e->nnode, xi[p], e->N[p], e->dN[p]);
        double rate = arc_rate(e, x, e->dN[p]);
        if (!(rate > 0))
            return BL_E_MODEL;
        e->weight[p] = weight[p] * rate;
        for (int a = 0; a < e->nnode; a++)
            e->dN[p][a] /= rate;
        fields y;
        at_point(e, p, x, y);
        strains_of(e, y, e->start[p]);
    }
    return BL_OK;
}

/* ---- forces */

/* g += factor d(strain . n)/dy */
static void add_gradient(const bl_beam_element *e, const fields y, const double *n, double factor, fields g) {
    int count;
    const product *list = products(e, &count);
    for (const product *t = list; t < list + count; t++) {
        double c = factor * t->coef * n[t->strain];
        for (int k = 0; k < e->dim; k++) {
            g[t->a][k] += c * y[t->b][k];
            g[t->b][k] += c * y[t->a][k];
        }
    }
}

/* f += the gradient g with respect to the vectors at a point */
static void spread(const bl_beam_element *e, int p, const fields g, double *f) {
    for (int a = 0; a < e->nnode; a++)
        for (int i = 0; i < e->nvector; i++) {
            double *to = f + (a * e->nvector + i) * e->dim;
            for (int k = 0; k < e->dim; k++) {
                if (i > 0)
                    to[k] += e->N[p][a] * g[D1 + i - 1][k];
                to[k] += e->dN[p][a] * g[i == 0 ? SLOPE : D1_SLOPE + i - 1][k];
            }
        }
}

double bl_beam_energy(const bl_beam_element *e, const double *x) {
    double sum = 0, strain[BL_BEAM_STRAINS];
    for (int p = 0; p < e->npoint; p++) {
        bl_beam_strains(e, p, x, strain);
        for (int s = 0; s < e->nstrain; s++)
            sum += 0.5 * e->weight[p] * e->stiffness[s] * strain[s] * strain[s];
    }
    return sum;
}

/* section forces at a point; returns the power lost in the viscosity */
static double section_forces(const bl_beam_element *e, int p, const fields y, const double *v, double *n) {
    double strain[BL_BEAM_STRAINS], rate[BL_BEAM_STRAINS], lost = 0;
    strains_of(e, y, strain);
    for (int s = 0; s < e->nstrain; s++)
        n[s] = e->stiffness[s] * (strain[s] - e->start[p][s]);
    if (!v || e->viscosity[0] == 0)
        return 0;
    fields z;
    at_point(e, p, v, z);
    strain_rates_of(e, y, z, rate);
    for (int s = 0; s < e->nstrain; s++) {
        n[s] += e->viscosity[s] * rate[s];
        lost += e->weight[p] * e->viscosity[s] * rate[s] * rate[s];
    }
    return lost;
}

double bl_beam_force(const bl_beam_element *e, const double *x, const double *v, double *f) {
    double lost = 0;
    memset(f, 0, (size_t)bl_beam_local(e) * sizeof *f);
    for (int p = 0; p < e->npoint; p++) {
        double n[BL_BEAM_STRAINS];
        fields y, g = {{0}};
        at_point(e, p, x, y);
        lost += section_forces(e, p, y, v, n);
        add_gradient(e, y, n, e->weight[p], g);
        spread(e, p, g, f);
    }
    return lost;
}

/* ---- tangents */

typedef struct section_matrix { /* with respect to the vectors at a point */
    double at[BL_BEAM_FIELDS][BL_BEAM_FIELDS][3][3];
} section_matrix;

/* H += sum over strains of factor c_s left_s right_s^T, left and right the gradients of strain s at two sets of vectors */
static void add_outer(const bl_beam_element *e, const fields left, const fields right, const double *c, double factor, section_matrix *H) {
    int n;
    const product *list = products(e, &n);
    for (const product *t = list; t < list + n; t++)
        for (const product *u = list; u < list + n; u++) {
            if (u->strain != t->strain)
                continue;
            double w = factor * c[t->strain] * t->coef * u->coef;
            const double *lb = left[t->b], *la = left[t->a], *rb = right[u->b], *ra = right[u->a];
            for (int i = 0; i < e->dim && w != 0; i++)
                for (int j = 0; j < e->dim; j++) {
                    H->at[t->a][u->a][i][j] += w * lb[i] * rb[j];
                    H->at[t->a][u->b][i][j] += w * lb[i] * ra[j];
                    H->at[t->b][u->a][i][j] += w * la[i] * rb[j];
                    H->at[t->b][u->b][i][j] += w * la[i] * ra[j];
                }
        }
}

/* H += factor sum n_s B_s */
static void add_geometric(const bl_beam_element *e, const double *n, double factor, section_matrix *H) {
    int count;
    const product *list = products(e, &count);
    for (const product *t = list; t < list + count; t++)
        for (int k = 0; k < e->dim; k++) {
            H->at[t->a][t->b][k][k] += factor * t->coef * n[t->strain];
            H->at[t->b][t->a][k][k] += factor * t->coef * n[t->strain];
        }
}

/* K += H with respect to the vectors of the nodes */
static void spread_matrix(const bl_beam_element *e, int p, const section_matrix *H, double *K) {
    int n = bl_beam_local(e);
    for (int i = 0; i < e->nvector; i++)
        for (int j = 0; j < e->nvector; j++) {
            const int fi[2] = {i == 0 ? SLOPE : D1_SLOPE + i - 1, i == 0 ? -1 : D1 + i - 1};
            const int fj[2] = {j == 0 ? SLOPE : D1_SLOPE + j - 1, j == 0 ? -1 : D1 + j - 1};
            for (int s = 0; s < 2 && fi[s] >= 0; s++)
                for (int t = 0; t < 2 && fj[t] >= 0; t++) {
                    const double *Na = s ? e->N[p] : e->dN[p], *Nb = t ? e->N[p] : e->dN[p];
                    for (int a = 0; a < e->nnode; a++)
                        for (int b = 0; b < e->nnode; b++) {
                            double w = Na[a] * Nb[b];
                            double *to = K + (a * e->nvector + i) * e->dim * n + (b * e->nvector + j) * e->dim;
                            for (int k = 0; k < e->dim; k++)
                                for (int l = 0; l < e->dim; l++)
                                    to[k * n + l] += w * H->at[fi[s]][fj[t]][k][l];
                        }
                }
        }
}

void bl_beam_tangent(const bl_beam_element *e, const double *x, const double *v, double *K, double *C) {
    size_t bytes = (size_t)bl_beam_local(e) * (size_t)bl_beam_local(e) * sizeof *K;
    memset(K, 0, bytes);
    if (C)
        memset(C, 0, bytes);
    for (int p = 0; p < e->npoint; p++) {
        double n[BL_BEAM_STRAINS];
        section_matrix H = {{{{{0}}}}};
        fields y;
        at_point(e, p, x, y);
        section_forces(e, p, y, v, n);
        add_outer(e, y, y, e->stiffness, e->weight[p], &H);
        add_geometric(e, n, e->weight[p], &H);
        if (v && e->viscosity[0] != 0) { /* the rate of strain depends on the configuration too */
            fields z;
            at_point(e, p, v, z);
            add_outer(e, y, z, e->viscosity, e->weight[p], &H);
        }
        spread_matrix(e, p, &H, K);
        if (!C || e->viscosity[0] == 0)
            continue;
        memset(&H, 0, sizeof H);
        add_outer(e, y, y, e->viscosity, e->weight[p], &H);
        spread_matrix(e, p, &H, C);
    }
}

/* The mean of the section forces at both ends, on the gradient of the strains in the middle: (y1 - y0)^T B (y0 + y1)/2 = e1 - e0. */
void bl_beam_between(const bl_beam_element *e, const double *x0, const double *x1, double chi, double *f, double *K) {
    int local = bl_beam_local(e);
    memset(f, 0, (size_t)local * sizeof *f);
    if (K)
        memset(K, 0, (size_t)local * (size_t)local * sizeof *K);
    for (int p = 0; p < e->npoint; p++) {
        double e0[BL_BEAM_STRAINS], e1[BL_BEAM_STRAINS], n[BL_BEAM_STRAINS];
        fields y0, y1, middle, g = {{0}};
        at_point(e, p, x0, y0);
        at_point(e, p, x1, y1);
        strains_of(e, y0, e0);
        strains_of(e, y1, e1);
        for (int s = 0; s < e->nstrain; s++)
            n[s] = e->stiffness[s] * (0.5 * (e0[s] + e1[s]) - e->start[p][s] + 0.5 * chi * (e1[s] - e0[s]));
        for (int i = 0; i < BL_BEAM_FIELDS; i++)
            for (int k = 0; k < 3; k++)
                middle[i][k] = 0.5 * (y0[i][k] + y1[i][k]);
        add_gradient(e, middle, n, e->weight[p], g);
        spread(e, p, g, f);
        if (!K)
            continue;
        section_matrix H = {{{{{0}}}}};
        add_outer(e, middle, y1, e->stiffness, e->weight[p] * (1 + chi), &H);
        add_geometric(e, n, e->weight[p], &H);
        spread_matrix(e, p, &H, K);
    }
}

/* ---- power series: of each point, y[order + 1] and n[order + 1] */

typedef struct series_point {
    fields y;
    double n[BL_BEAM_STRAINS]; /* section forces */
} series_point;

size_t bl_beam_series_room(const bl_beam_element *e, int order) {
    return (size_t)e->npoint * ((size_t)order + 1) * sizeof(series_point) / sizeof(double);
}

static series_point *series_of(double *room, int order, int p) { return (series_point *)(void *)room + (size_t)p * ((size_t)order + 1); }

void bl_beam_series_take(const bl_beam_element *e, int order, int k, const double *x, double *room) {
    for (int p = 0; p < e->npoint; p++)
        at_point(e, p, x, series_of(room, order, p)[k].y);
}

void bl_beam_series_force(const bl_beam_element *e, int order, int k, double *room, double *f) {
    int count;
    const product *list = products(e, &count);
    memset(f, 0, (size_t)bl_beam_local(e) * sizeof *f);
    for (int p = 0; p < e->npoint; p++) {
        series_point *at = series_of(room, order, p);
        fields g = {{0}};
        for (int s = 0; s < BL_BEAM_STRAINS; s++)
            at[k].n[s] = k == 0 && s < e->nstrain ? -e->stiffness[s] * e->start[p][s] : 0;
        for (const product *t = list; t < list + count; t++)
            for (int j = 0; j <= k; j++)
                at[k].n[t->strain] += e->stiffness[t->strain] * t->coef * dot(at[j].y[t->a], at[k - j].y[t->b]);
        for (int j = 0; j <= k; j++)
            add_gradient(e, at[k - j].y, at[j].n, e->weight[p], g);
        spread(e, p, g, f);
    }
}
