/* Smoothing: least squares over a body, (E9) in fields_private.h. Point values are split into a linear polynomial p(x), fitted in each
 * element, and a remainder, so that linear fields are reproduced with any quadrature rules:
 *
 *     b_a = int N_a p dV (rule of the mass) + int N_a (c* - p) dV (points where c* is known)
 *
 * p is in the span of the shape functions, so M^-1 of the first part is exactly p at the nodes. If an element has too few points for a
 * slope, p is constant. */
#include "fem/fem_limits.h"
#include "fem/fields_private.h"

#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

/* ---- the matrix */

static double measure(const bl_fem_part *part, const bl_fem_group *group, const bl_fem_rule *rule, bl_index k, const bl_element_work *w) {
    double g[BL_ELEMENT_UNKNOWNS];
    int nn = group->kind->nnode;
    const double(*dN)[3] = (const double(*)[3])(rule->dN + (size_t)k * (size_t)nn);
    return rule->weight[k] * bl_part_gradients(part, nn, (const double(*)[3])w->x, dN, g);
}

static void gather_element(const bl_fem_part *part, const bl_fem_group *group, bl_index e, bl_element_work *w) {
    const bl_index *node = group->node + (size_t)e * group->kind->nnode;
    for (int a = 0; a < group->kind->nnode; a++)
        memcpy(w->x[a], part->solid->mesh.x[node[a]], sizeof w->x[a]);
}

static void add_element(const bl_fem *fem, const bl_smooth *smooth, bl_index p, const bl_fem_group *group, bl_index e,
                        const bl_element_work *w) {
    int nn = group->kind->nnode;
    double m[BL_ELEMENT_NODES * BL_ELEMENT_NODES] = {0};
    for (bl_index k = 0; k < group->mass_rule.n; k++) {
        const double *N = group->mass_rule.N + (size_t)k * (size_t)nn;
        double weight = measure(&fem->part[p], group, &group->mass_rule, k, w);
        for (int a = 0; a < nn; a++)
            for (int b = 0; b < nn; b++)
                m[a * nn + b] += N[a] * N[b] * weight;
    }
    const bl_index *node = group->node + (size_t)e * (size_t)nn;
    for (int a = 0; a < nn; a++)
        for (int b = 0; b < nn; b++)
            smooth->M[bl_pattern_find(&smooth->pattern, fem->node0[p] + node[a], fem->node0[p] + node[b])] += m[a * nn + b];
}

/* one unknown per node */
static bl_status node_pattern(const bl_fem *fem, bl_pattern *pattern) {
    bl_index nnode = fem->node0[fem->npart], *first;
    BL_TRY(BL_NEW(fem->ctx, first, (size_t)nnode + 1));
    for (bl_index i = 0; i <= nnode; i++)
        first[i] = i;
    bl_status status = bl_fem_node_pattern(fem, first, false, pattern);
    bl_free(fem->ctx, first);
    return status;
}

bl_status bl_smooth_make(const bl_fem *fem, bl_smooth *smooth, bl_element_work *w) {
    if (smooth->M)
        return BL_OK;
    if (!smooth->pattern.ptr)
        BL_TRY(node_pattern(fem, &smooth->pattern));
    BL_TRY(BL_NEW(fem->ctx, smooth->M, (size_t)smooth->pattern.ptr[smooth->pattern.ncol] + 1));
    for (bl_index p = 0; p < fem->npart; p++)
        for (bl_index g = 0; g < fem->part[p].ngroup; g++)
            for (bl_index e = 0; e < fem->part[p].group[g].count; e++) {
                gather_element(&fem->part[p], &fem->part[p].group[g], e, w);
                add_element(fem, smooth, p, &fem->part[p].group[g], e, w);
            }
    return BL_OK;
}

void bl_smooth_destroy(bl_context *ctx, bl_smooth *smooth) {
    bl_free(ctx, (void *)smooth->pattern.ptr);
    bl_free(ctx, (void *)smooth->pattern.idx);
    bl_free(ctx, smooth->M);
    *smooth = (bl_smooth){0};
}

/* ---- one element */

/* the polynomial: sum of coefficient[i] times 1, (x - origin)/size, ...; for bars 1 and the coordinate along the chord */
typedef struct fit {
    int n; /* terms: 1, or 1 + dimension of the element */
    double origin[3], size;
    bool on_line;
    double chord[3];
    double coefficient[4][BL_SMOOTH_MOST];
} fit;

static void position_at(int nn, const double *N, const bl_element_work *w, double x[3]) {
    x[0] = x[1] = x[2] = 0;
    for (int a = 0; a < nn; a++)
        for (int i = 0; i < 3; i++)
            x[i] += N[a] * w->x[a][i];
}

static void terms_at(const fit *f, const double x[3], double term[4]) {
    term[0] = 1;
    if (f->on_line) {
        term[1] = 0;
        for (int i = 0; i < 3; i++)
            term[1] += (x[i] - f->origin[i]) * f->chord[i] / (f->size * f->size);
        return;
    }
    for (int i = 0; i + 1 < f->n; i++)
        term[i + 1] = (x[i] - f->origin[i]) / f->size;
}

static void value_at(const fit *f, int m, const double x[3], double *value) {
    double term[4];
    terms_at(f, x, term);
    for (int c = 0; c < m; c++) {
        value[c] = 0;
        for (int i = 0; i < f->n; i++)
            value[c] += term[i] * f->coefficient[i][c];
    }
}

/* A X = B by Cholesky; false: A is nearly singular */
static bool solve_small(int n, double A[4][4], int m, double B[4][BL_SMOOTH_MOST]) {
    for (int j = 0; j < n; j++) {
        double diagonal = A[j][j];
        for (int k = 0; k < j; k++)
            A[j][j] -= A[j][k] * A[j][k];
        if (!(A[j][j] > fem_smooth_fit * diagonal))
            return false;
        A[j][j] = sqrt(A[j][j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++)
                A[i][j] -= A[i][k] * A[j][k];
            A[i][j] /= A[j][j];
        }
    }
    for (int c = 0; c < m; c++) {
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < i; k++)
                B[i][c] -= A[i][k] * B[k][c];
            B[i][c] /= A[i][i];
        }
        for (int i = n - 1; i >= 0; i--) {
            for (int k = i + 1; k < n; k++)
                B[i][c] -= A[k][i] * B[k][c];
            B[i][c] /= A[i][i];
        }
    }
    return true;
}

/* weighted least squares at the points */
static bool fit_terms(int n, const bl_fem_group *group, const bl_element_work *w, int m, const double (*value)[BL_SMOOTH_MOST],
                      const double *weight, fit *f) {
    int nn = group->kind->nnode;
    double A[4][4] = {{0}};
    f->n = n;
    memset(f->coefficient, 0, sizeof f->coefficient);
    for (bl_index k = 0; k < group->rule.n; k++) {
        double x[3], term[4];
        position_at(nn, group->rule.N + (size_t)k * (size_t)nn, w, x);
        terms_at(f, x, term);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                A[i][j] += weight[k] * term[i] * term[j];
            for (int c = 0; c < m; c++)
                f->coefficient[i][c] += weight[k] * term[i] * value[k][c];
        }
    }
    return solve_small(n, A, m, f->coefficient);
}

static void center_of(const bl_fem_group *group, const bl_element_work *w, double x[3]) {
    double N[BL_ELEMENT_NODES], xi[3] = {0};
    const bl_element_kind *kind = group->kind;
    for (int c = 0; c < kind->ncorner; c++)
        for (int i = 0; i < 3; i++)
            xi[i] += kind->node[c][i] / kind->ncorner;
    kind->functions(xi, N, NULL);
    position_at(kind->nnode, N, w, x);
}

void bl_smooth_element(const bl_fem_part *part, const bl_fem_group *group, const bl_element_work *w, int m,
                       const double (*value)[BL_SMOOTH_MOST], double *b, double *center) {
    int nn = group->kind->nnode;
    double weight[BL_ELEMENT_POINTS], x[3], p[BL_SMOOTH_MOST], volume = 0;
    fit f;
    for (bl_index k = 0; k < group->rule.n; k++)
        volume += weight[k] = measure(part, group, &group->rule, k, w);
    int dim = group->kind->dim;
    center_of(group, w, f.origin);
    f.size = pow(volume, 1.0 / dim);
    f.on_line = part->bars;
    for (int i = 0; i < 3; i++)
        f.chord[i] = w->x[1][i] - w->x[0][i];
    if (!(group->rule.n > dim && fit_terms(dim + 1, group, w, m, value, weight, &f)))
        fit_terms(1, group, w, m, value, weight, &f);
    value_at(&f, m, f.origin, center);
    memset(b, 0, (size_t)nn * (size_t)m * sizeof *b);
    for (bl_index k = 0; k < group->mass_rule.n; k++) {
        const double *N = group->mass_rule.N + (size_t)k * (size_t)nn;
        double share = measure(part, group, &group->mass_rule, k, w);
        position_at(nn, N, w, x);
        value_at(&f, m, x, p);
        for (int a = 0; a < nn; a++)
            for (int c = 0; c < m; c++)
                b[a * m + c] += N[a] * p[c] * share;
    }
    for (bl_index k = 0; k < group->rule.n; k++) {
        const double *N = group->rule.N + (size_t)k * (size_t)nn;
        position_at(nn, N, w, x);
        value_at(&f, m, x, p);
        for (int a = 0; a < nn; a++)
            for (int c = 0; c < m; c++)
                b[a * m + c] += N[a] * (value[k][c] - p[c]) * weight[k];
    }
}

/* ---- conjugate gradients (Hestenes and Stiefel 1952) for several right-hand sides at once, each with its own coefficients */

size_t bl_mass_work(bl_index n, int m) { return (size_t)n * (3 * (size_t)m + 1); }

/* q = A p by columns (A is symmetric), and p . q of each right-hand side */
static inline void multiply(const bl_pattern *A, const double *values, bl_index first, bl_index n, const int m, const double *p, double *q,
                            double *product) {
    for (int c = 0; c < m; c++)
        product[c] = 0;
    for (bl_index j = 0; j < n; j++) {
        double sum[BL_SMOOTH_MOST] = {0};
        const double *own = p + (size_t)j * (size_t)m;
        for (bl_index k = A->ptr[first + j]; k < A->ptr[first + j + 1]; k++) {
            const double *from = p + (size_t)(A->idx[k] - first) * (size_t)m;
            for (int c = 0; c < m; c++)
                sum[c] += values[k] * from[c];
        }
        for (int c = 0; c < m; c++) {
            q[(size_t)j * (size_t)m + (size_t)c] = sum[c];
            product[c] += own[c] * sum[c];
        }
    }
}

/* Largest residual that is left, of its right-hand side, in the norm of the preconditioner; 0: all below fem_smooth_residual. */
static double remaining(int m, const double *rho, const double *start) {
    double most = 0;
    for (int c = 0; c < m; c++)
        if (rho[c] > fem_smooth_residual * start[c] || isnan(rho[c]))
            most = fmax(most, isnan(rho[c]) ? INFINITY : sqrt(rho[c] / start[c]));
    return most;
}

/* inlined with constant m, so that its loops unroll */
static inline double iterate(const bl_pattern *A, const double *values, bl_index first, bl_index n, const int m, double *X, double *work) {
    double *r = work, *p = r + (size_t)n * (size_t)m, *q = p + (size_t)n * (size_t)m, *inverse = q + (size_t)n * (size_t)m;
    double rho[BL_SMOOTH_MOST] = {0}, start[BL_SMOOTH_MOST], curvature[BL_SMOOTH_MOST], step[BL_SMOOTH_MOST], beta[BL_SMOOTH_MOST];
    for (bl_index j = 0; j < n; j++) {
        bl_index at = bl_pattern_find(A, first + j, first + j);
        inverse[j] = at >= 0 && values[at] > 0 ? 1 / values[at] : 0;
        for (int c = 0; c < m; c++) {
            size_t k = (size_t)j * (size_t)m + (size_t)c;
            r[k] = inverse[j] > 0 ? X[k] : 0;
            p[k] = inverse[j] * r[k];
            X[k] = 0;
            rho[c] += r[k] * p[k];
        }
    }
    memcpy(start, rho, sizeof start);
    for (int it = 0; it < fem_smooth_iterations; it++) {
        bool done = true;
        for (int c = 0; c < m; c++)
            done = done && !(rho[c] > fem_smooth_residual * start[c]);
        if (done)
            break;
        multiply(A, values, first, n, m, p, q, curvature);
        double before[BL_SMOOTH_MOST];
        for (int c = 0; c < m; c++) {
            step[c] = curvature[c] > 0 ? rho[c] / curvature[c] : 0;
            before[c] = rho[c];
            rho[c] = 0;
        }
        for (bl_index j = 0; j < n; j++)
            for (int c = 0; c < m; c++) {
                size_t k = (size_t)j * (size_t)m + (size_t)c;
                X[k] += step[c] * p[k];
                r[k] -= step[c] * q[k];
                rho[c] += r[k] * inverse[j] * r[k];
            }
        for (int c = 0; c < m; c++)
            beta[c] = before[c] > 0 ? rho[c] / before[c] : 0;
        for (bl_index j = 0; j < n; j++)
            for (int c = 0; c < m; c++) {
                size_t k = (size_t)j * (size_t)m + (size_t)c;
                p[k] = inverse[j] * r[k] + beta[c] * p[k];
            }
    }
    return remaining(m, rho, start);
}

double bl_mass_solve(const bl_pattern *A, const double *values, bl_index first, bl_index n, int m, double *X, double *work) {
    switch (m) {
    case 1: return iterate(A, values, first, n, 1, X, work);
    case 3: return iterate(A, values, first, n, 3, X, work);
    case 4: return iterate(A, values, first, n, 4, X, work);
    case 6: return iterate(A, values, first, n, 6, X, work);
    default: return iterate(A, values, first, n, m, X, work);
    }
}
