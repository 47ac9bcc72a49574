/* Kernels of linear_isa.h: loops over lanes innermost, so that one instruction works on four or eight elements. */
#include "fem/linear_isa.h"

#include <string.h>

typedef double lanes[BL_LANES];

#define EACH_LANE for (int l = 0; l < BL_LANES; l++)

/* g[nnode][dim]: gradients by places; volume: weight det. Returns whether all determinants of the first `count` lanes are positive. */
static inline bool gradients(int dim, int nn, int count, const double (*dN)[3], double weight, const lanes *x, lanes *g, double *volume) {
    lanes J[3][3] = {{{0}}}, inverse[3][3], det;
    for (int a = 0; a < nn; a++)
        for (int i = 0; i < dim; i++)
            for (int k = 0; k < dim; k++) {
                double by = dN[a][k];
                EACH_LANE J[i][k][l] += x[a * dim + i][l] * by;
            }
    if (dim == 3) {
        EACH_LANE {
            double c0 = J[1][1][l] * J[2][2][l] - J[1][2][l] * J[2][1][l], c1 = J[1][2][l] * J[2][0][l] - J[1][0][l] * J[2][2][l],
                   c2 = J[1][0][l] * J[2][1][l] - J[1][1][l] * J[2][0][l];
            det[l] = J[0][0][l] * c0 + J[0][1][l] * c1 + J[0][2][l] * c2;
            double by = 1 / det[l];
            inverse[0][0][l] = c0 * by;
            inverse[1][0][l] = c1 * by;
            inverse[2][0][l] = c2 * by;
            inverse[0][1][l] = (J[0][2][l] * J[2][1][l] - J[0][1][l] * J[2][2][l]) * by;
            inverse[1][1][l] = (J[0][0][l] * J[2][2][l] - J[0][2][l] * J[2][0][l]) * by;
            inverse[2][1][l] = (J[0][1][l] * J[2][0][l] - J[0][0][l] * J[2][1][l]) * by;
            inverse[0][2][l] = (J[0][1][l] * J[1][2][l] - J[0][2][l] * J[1][1][l]) * by;
            inverse[1][2][l] = (J[0][2][l] * J[1][0][l] - J[0][0][l] * J[1][2][l]) * by;
            inverse[2][2][l] = (J[0][0][l] * J[1][1][l] - J[0][1][l] * J[1][0][l]) * by;
        }
    } else if (dim == 2) {
        EACH_LANE {
            det[l] = J[0][0][l] * J[1][1][l] - J[0][1][l] * J[1][0][l];
            double by = 1 / det[l];
            inverse[0][0][l] = J[1][1][l] * by;
            inverse[0][1][l] = -J[0][1][l] * by;
            inverse[1][0][l] = -J[1][0][l] * by;
            inverse[1][1][l] = J[0][0][l] * by;
        }
    } else {
        EACH_LANE {
            det[l] = J[0][0][l];
            inverse[0][0][l] = 1 / det[l];
        }
    }
    for (int a = 0; a < nn; a++)
        for (int i = 0; i < dim; i++) {
            lanes sum = {0};
            for (int k = 0; k < dim; k++) {
                double by = dN[a][k];
                EACH_LANE sum[l] += by * inverse[k][i][l];
            }
            memcpy(g[a * dim + i], sum, sizeof sum);
        }
    bool good = true;
    for (int l = 0; l < count; l++)
        good = good && det[l] > 0;
    EACH_LANE volume[l] = weight * det[l];
    return good;
}

static inline bool forces_of(int dim, int nn, const bl_linear_rule *rule, int count, const lanes *x, const lanes *u, lanes *f, lanes *g) {
    bool good = true;
    memset(f, 0, (size_t)(nn * dim) * sizeof *f);
    for (int p = 0; p < rule->npoint; p++) {
        lanes volume, H[3][3] = {{{0}}}, s[3][3];
        good = gradients(dim, nn, count, rule->dN + (size_t)p * (size_t)nn, rule->weight[p], x, g, volume) && good;
        for (int a = 0; a < nn; a++)
            for (int i = 0; i < dim; i++)
                for (int j = 0; j < dim; j++)
                    EACH_LANE H[i][j][l] += u[a * dim + i][l] * g[a * dim + j][l];
        lanes trace = {0};
        for (int i = 0; i < dim; i++)
            EACH_LANE trace[l] += H[i][i][l];
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++)
                EACH_LANE s[i][j][l] = (rule->mu * (H[i][j][l] + H[j][i][l]) + (i == j ? rule->lambda * trace[l] : 0)) * volume[l];
        for (int a = 0; a < nn; a++)
            for (int i = 0; i < dim; i++)
                for (int j = 0; j < dim; j++)
                    EACH_LANE f[a * dim + i][l] += s[i][j][l] * g[a * dim + j][l];
    }
    return good;
}

static inline bool stiffness_of(int dim, int nn, const bl_linear_rule *rule, int count, const lanes *x, lanes *K, lanes *g) {
    bool good = true;
    int dd = dim * dim, blocks = nn * (nn + 1) / 2;
    memset(K, 0, (size_t)(blocks * dd) * sizeof *K);
    for (int p = 0; p < rule->npoint; p++) {
        lanes volume;
        good = gradients(dim, nn, count, rule->dN + (size_t)p * (size_t)nn, rule->weight[p], x, g, volume) && good;
        lanes *to = K;
        for (int b = 0; b < nn; b++) {
            lanes scaled[3];
            for (int j = 0; j < dim; j++)
                EACH_LANE scaled[j][l] = g[b * dim + j][l] * volume[l];
            for (int a = 0; a <= b; a++, to += dd)
                for (int i = 0; i < dim; i++)
                    for (int j = 0; j < dim; j++)
                        EACH_LANE to[i * dim + j][l] += g[a * dim + i][l] * scaled[j][l];
        }
    }
    for (int k = 0; k < blocks; k++) {
        lanes *G = K + k * dd, was[9], trace = {0};
        memcpy(was, G, (size_t)dd * sizeof *was);
        for (int i = 0; i < dim; i++)
            EACH_LANE trace[l] += was[i * dim + i][l];
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++)
                EACH_LANE G[i * dim + j][l] =
                    rule->lambda * was[i * dim + j][l] + rule->mu * (was[j * dim + i][l] + (i == j ? trace[l] : 0));
    }
    return good;
}

/* sizes that compilers unroll, and any */
#define BY_SIZE(call)                                \
    if (r->dim == 3 && r->nnode == 8)                \
        return call(3, 8, r, count, x, LAST);        \
    if (r->dim == 2 && r->nnode == 4)                \
        return call(2, 4, r, count, x, LAST);        \
    if (r->dim == 3)                                 \
        return call(3, r->nnode, r, count, x, LAST); \
    return call(r->dim, r->nnode, r, count, x, LAST)

static bool forces(const bl_linear_rule *r, int count, const double *places, const double *values, double *out, double *scratch) {
    const lanes *x = (const lanes *)(const void *)places;
#define LAST (const lanes *)(const void *)values, (lanes *)(void *)out, (lanes *)(void *)scratch
    BY_SIZE(forces_of);
#undef LAST
}

static bool stiffness(const bl_linear_rule *r, int count, const double *places, double *out, double *scratch) {
    const lanes *x = (const lanes *)(const void *)places;
#define LAST (lanes *)(void *)out, (lanes *)(void *)scratch
    BY_SIZE(stiffness_of);
#undef LAST
}

const bl_fem_linear BL_ISA_NAME(bl_fem_linear) = {forces, stiffness};
