/* Kernels of linear_isa.h: a vector holds one number of eight elements, so that one instruction processes two, four or eight of them. */
#include "fem/linear_isa.h"

#include "fem/lanes_isa.h"

#include <string.h>

static inline bool all_of(const mask *valid, int count) {
    bool all = true;
    for (int l = 0; l < count; l++)
        all = all && (*valid)[l];
    return all;
}

/* ---- hexa8 with two points per direction: shape functions are products, so that sums by directions take half the operations */

/* the node with the smaller (0) or larger (1) coordinate in every direction */
static const uint8_t CORNER[2][2][2] = {{{0, 1}, {3, 2}}, {{4, 5}, {7, 6}}};     /* [z][y][x] */
static const double NEAR = 0.78867513459481288225, FAR = 0.21132486540518711775; /* (1 +- 1/sqrt 3)/2: linear functions at Gauss points */

/* The corner whose coordinate in direction k is `at`, and those in the next two directions. */
static inline int corner(int k, int at, int next, int last) {
    return k == 0 ? CORNER[last][next][at] : k == 1 ? CORNER[next][at][last] : CORNER[at][last][next];
}

/* d[k][p][q]: derivative of component i with respect to reference coordinate k, at points p, q in the next two directions (cyclic); it is
 * the same at both points of direction k */
static inline void slopes(const unaligned *v, int i, lanes d[3][2][2]) {
    for (int k = 0; k < 3; k++) {
        lanes along[2][2], once[2][2];
        for (int n = 0; n < 2; n++)
            for (int m = 0; m < 2; m++)
                along[n][m] = 0.5 * (v[corner(k, 1, n, m) * 3 + i] - v[corner(k, 0, n, m) * 3 + i]);
        for (int m = 0; m < 2; m++) {
            once[0][m] = NEAR * along[0][m] + FAR * along[1][m];
            once[1][m] = FAR * along[0][m] + NEAR * along[1][m];
        }
        for (int n = 0; n < 2; n++) {
            d[k][n][0] = NEAR * once[n][0] + FAR * once[n][1];
            d[k][n][1] = FAR * once[n][0] + NEAR * once[n][1];
        }
    }
}

/* f of component i: nodal forces from the forces s conjugate to the slopes d; the transpose of slopes() */
static inline void from_slopes(lanes s[3][2][2], int i, lanes *f) {
    for (int k = 0; k < 3; k++) {
        lanes once[2][2];
        for (int n = 0; n < 2; n++) {
            once[n][0] = NEAR * s[k][n][0] + FAR * s[k][n][1];
            once[n][1] = FAR * s[k][n][0] + NEAR * s[k][n][1];
        }
        for (int m = 0; m < 2; m++) {
            lanes low = 0.5 * (NEAR * once[0][m] + FAR * once[1][m]), high = 0.5 * (FAR * once[0][m] + NEAR * once[1][m]);
            f[corner(k, 1, 0, m) * 3 + i] += low;
            f[corner(k, 0, 0, m) * 3 + i] -= low;
            f[corner(k, 1, 1, m) * 3 + i] += high;
            f[corner(k, 0, 1, m) * 3 + i] -= high;
        }
    }
}

/* C = cofactors of J, so that J^-1 = C^T / det */
static inline void cofactors(lanes J[3][3], lanes C[3][3], lanes *det) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            int a = (i + 1) % 3, b = (i + 2) % 3, c = (k + 1) % 3, d = (k + 2) % 3;
            C[i][k] = J[a][c] * J[b][d] - J[a][d] * J[b][c];
        }
    *det = J[0][0] * C[0][0] + J[0][1] * C[0][1] + J[0][2] * C[0][2];
}

/* Mean gradients of a hexa8, g[8][3], and its volume: int dN_a/dx_i dV = sum over points of cofactors times slopes. With gradients at the
 * center only, warped elements would not reproduce linear fields. */
static inline void mean_gradients(double weight, const unaligned *x, lanes *g, lanes *volume, mask *valid) {
    lanes dx[3][3][2][2], conjugate[3][3][2][2], J[3][3], C[3][3], det, sum = {0};
    for (int i = 0; i < 3; i++) {
        slopes(x, i, dx[i]);
        memset(conjugate[i], 0, sizeof conjugate[i]);
    }
    for (int p = 0; p < 8; p++) {
        int at[3] = {p & 1, p >> 1 & 1, p >> 2};
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                J[i][k] = dx[i][k][at[(k + 1) % 3]][at[(k + 2) % 3]];
        cofactors(J, C, &det);
        sum += det;
        *valid &= det > 0;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                conjugate[i][k][at[(k + 1) % 3]][at[(k + 2) % 3]] += C[i][k];
    }
    for (int k = 0; k < 24; k++)
        g[k] = (lanes){0};
    for (int i = 0; i < 3; i++)
        from_slopes(conjugate[i], i, g);
    for (int k = 0; k < 24; k++)
        g[k] /= sum;
    *volume = weight / 8 * sum; /* the weight of the only point is 8 */
}

/* gradients at the points of the rule; elements with hourglass stiffness use mean gradients at their only point */
static inline void gradients_at(int dim, int nn, const bl_linear_rule *rule, int p, const unaligned *x, lanes *g, lanes *volume,
                                mask *valid) {
    if (dim == 3 && nn == 8 && rule->nshape > 0)
        mean_gradients(rule->weight[0], x, g, volume, valid);
    else
        gradients(dim, nn, rule->dN + (size_t)p * (size_t)nn, rule->weight[p], x, g, volume, valid);
}

/* (E13) of pattern s: gamma[nnode] and kappa, from the gradients g at the only point and its volume */
static inline void hourglass(int dim, int nn, const bl_linear_rule *rule, int s, const unaligned *x, const lanes *g, const lanes *volume,
                             lanes *gamma, lanes *kappa) {
    lanes slopes = {0};
    for (int a = 0; a < nn; a++)
        gamma[a] = rule->shape[s][a] + (lanes){0};
    for (int i = 0; i < dim; i++) {
        lanes along = {0};
        for (int a = 0; a < nn; a++)
            along += rule->shape[s][a] * x[a * dim + i];
        for (int a = 0; a < nn; a++) {
            gamma[a] -= along * g[a * dim + i];
            slopes += g[a * dim + i] * g[a * dim + i];
        }
    }
    *kappa = rule->hourglass / (nn * dim) * *volume * slopes;
}

static inline bool forces_of(int dim, int nn, const bl_linear_rule *rule, int count, const unaligned *x, const unaligned *u, unaligned *f,
                             unaligned *stored) {
    mask valid = ~(mask){0};
    lanes g[BL_LINEAR_NODES * 3], sum[BL_LINEAR_NODES * 3];
    for (int k = 0; k < nn * dim; k++)
        sum[k] = (lanes){0};
    for (int p = 0; p < rule->npoint; p++) {
        lanes volume, H[3][3] = {{{0}}}, s[3][3], trace = {0};
        gradients_at(dim, nn, rule, p, x, g, &volume, &valid);
        for (int a = 0; a < nn; a++)
            for (int i = 0; i < dim; i++)
                for (int j = 0; j < dim; j++)
                    H[i][j] += u[a * dim + i] * g[a * dim + j];
        for (int i = 0; i < dim; i++)
            trace += H[i][i];
        lanes shear = rule->mu * volume, spherical = rule->lambda * volume * trace;
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++)
                s[i][j] = i == j ? 2 * shear * H[i][i] + spherical : shear * (H[i][j] + H[j][i]);
        for (int a = 0; a < nn; a++)
            for (int i = 0; i < dim; i++)
                for (int j = 0; j < dim; j++)
                    sum[a * dim + i] += s[i][j] * g[a * dim + j];
    }
    if (rule->nshape > 0) {
        lanes volume;
        gradients_at(dim, nn, rule, 0, x, g, &volume, &valid);
        for (int s = 0; s < rule->nshape; s++) {
            lanes gamma[8], kappa;
            hourglass(dim, nn, rule, s, x, g, &volume, gamma, &kappa);
            for (int i = 0; i < dim; i++) {
                lanes q = {0};
                for (int a = 0; a < nn; a++)
                    q += gamma[a] * u[a * dim + i];
                for (int a = 0; a < nn; a++)
                    sum[a * dim + i] += kappa * gamma[a] * q;
            }
        }
    }
    lanes twice = {0};
    for (int k = 0; k < nn * dim; k++) {
        f[k] = sum[k];
        twice += sum[k] * u[k];
    }
    *stored = 0.5 * twice;
    return all_of(&valid, count);
}

/* ---- hexa8 with two points per direction */

static bool forces_of_hexa8(const bl_linear_rule *rule, int count, const unaligned *x, const unaligned *u, unaligned *f,
                            unaligned *stored) {
    lanes dx[3][3][2][2], du[3][3][2][2], conjugate[3][3][2][2];
    mask valid = ~(mask){0};
    for (int i = 0; i < 3; i++) {
        slopes(x, i, dx[i]);
        slopes(u, i, du[i]);
        memset(conjugate[i], 0, sizeof conjugate[i]);
    }
    for (int p = 0; p < 8; p++) {
        int at[3] = {p & 1, p >> 1 & 1, p >> 2};
        lanes J[3][3], C[3][3], H[3][3], s[3][3];
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                J[i][k] = dx[i][k][at[(k + 1) % 3]][at[(k + 2) % 3]];
        lanes det;
        cofactors(J, C, &det);
        lanes by_det = rule->weight[0] / det;
        valid &= det > 0;
        for (int i = 0; i < 3; i++) /* H det */
            for (int j = 0; j < 3; j++) {
                lanes sum = du[i][0][at[1]][at[2]] * C[j][0];
                sum += du[i][1][at[2]][at[0]] * C[j][1];
                sum += du[i][2][at[0]][at[1]] * C[j][2];
                H[i][j] = sum;
            }
        lanes shear = rule->mu * by_det, spherical = rule->lambda * by_det * (H[0][0] + H[1][1] + H[2][2]);
        for (int i = 0; i < 3; i++) /* stress weight */
            for (int j = 0; j < 3; j++)
                s[i][j] = i == j ? 2 * shear * H[i][i] + spherical : shear * (H[i][j] + H[j][i]);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                conjugate[i][k][at[(k + 1) % 3]][at[(k + 2) % 3]] += s[i][0] * C[0][k] + s[i][1] * C[1][k] + s[i][2] * C[2][k];
    }
    lanes sum[24] = {{0}}, twice = {0};
    for (int i = 0; i < 3; i++)
        from_slopes(conjugate[i], i, sum);
    for (int k = 0; k < 24; k++) {
        f[k] = sum[k];
        twice += sum[k] * u[k];
    }
    *stored = 0.5 * twice;
    return all_of(&valid, count);
}

/* ---- stiffness: gradients at all points first, then block after block */

static inline bool stiffness_of(int dim, int nn, const bl_linear_rule *rule, int count, const unaligned *x, unaligned *K) {
    lanes g[BL_LINEAR_NODES * 3], volume;
    int dd = dim * dim, n = nn * dim;
    mask valid = ~(mask){0};
    unaligned *at = K + nn * (nn + 1) / 2 * dd; /* [npoint][2][nnode dim]: gradients, and times volume */
    for (int p = 0; p < rule->npoint; p++) {
        gradients_at(dim, nn, rule, p, x, g, &volume, &valid);
        for (int k = 0; k < n; k++) {
            at[2 * p * n + k] = g[k];
            at[(2 * p + 1) * n + k] = g[k] * volume;
        }
    }
    lanes gamma[4][8], kappa = {0};
    if (rule->nshape > 0)
        gradients_at(dim, nn, rule, 0, x, g, &volume, &valid);
    for (int s = 0; s < rule->nshape; s++)
        hourglass(dim, nn, rule, s, x, g, &volume, gamma[s], &kappa);
    for (int b = 0; b < nn; b++)
        for (int a = 0; a <= b; a++, K += dd) {
            lanes G[9], trace = {0};
            for (int k = 0; k < dd; k++)
                G[k] = (lanes){0};
            for (int p = 0; p < rule->npoint; p++) {
                const unaligned *ga = at + 2 * p * n + a * dim, *gb = at + (2 * p + 1) * n + b * dim;
                for (int i = 0; i < dim; i++)
                    for (int j = 0; j < dim; j++)
                        G[i * dim + j] += ga[i] * gb[j];
            }
            for (int i = 0; i < dim; i++)
                trace += G[i * dim + i];
            trace *= rule->mu;
            for (int s = 0; s < rule->nshape; s++)
                trace += kappa * gamma[s][a] * gamma[s][b];
            for (int i = 0; i < dim; i++)
                for (int j = 0; j < dim; j++) {
                    lanes sum = rule->lambda * G[i * dim + j] + rule->mu * G[j * dim + i];
                    K[i * dim + j] = i == j ? sum + trace : sum;
                }
        }
    return all_of(&valid, count);
}

/* sizes for which the compiler unrolls loops, and any other */
#define BY_SIZE(call)                                \
    if (r->dim == 3 && r->nnode == 8)                \
        return call(3, 8, r, count, x, LAST);        \
    if (r->dim == 2 && r->nnode == 4)                \
        return call(2, 4, r, count, x, LAST);        \
    if (r->dim == 3)                                 \
        return call(3, r->nnode, r, count, x, LAST); \
    return call(r->dim, r->nnode, r, count, x, LAST)

static bool forces(const bl_linear_rule *r, int count, const double *coordinates, const double *values, double *out, double *stored) {
    const unaligned *x = (const unaligned *)coordinates;
    if (r->gauss2)
        return forces_of_hexa8(r, count, x, (const unaligned *)values, (unaligned *)out, (unaligned *)stored);
#define LAST (const unaligned *)values, (unaligned *)out, (unaligned *)stored
    BY_SIZE(forces_of);
#undef LAST
}

static bool stiffness(const bl_linear_rule *r, int count, const double *coordinates, double *out) {
    const unaligned *x = (const unaligned *)coordinates;
#define LAST (unaligned *)out
    BY_SIZE(stiffness_of);
#undef LAST
}

const bl_fem_linear BL_ISA_NAME(bl_fem_linear) = {forces, stiffness};
