/* Kernels of law_isa.h; a vector holds one number of eight elements. */
#include "fem/law_isa.h"

#include "fem/lanes_isa.h"

/* column of B for u_i of a node: its nonzero rows, and the component of the gradient in each (engineering shear); row 33 of plane strain is
 * zero */
static const uint8_t ROW[3][3][3] = {{{0}}, {{0, 3}, {1, 3}}, {{0, 3, 5}, {1, 3, 4}, {2, 4, 5}}};
static const uint8_t GRADIENT[3][3][3] = {{{0}}, {{0, 1}, {1, 0}}, {{0, 1, 2}, {1, 0, 2}, {2, 1, 0}}};

static inline void deform_of(int dim, int nn, const bl_linear_rule *rule, int p, const unaligned *x, const unaligned *u, bl_law_lanes *at) {
    lanes g[BL_LINEAR_NODES * 3], H[3][3] = {{{0}}}, volume;
    mask valid = ~(mask){0};
    gradients(dim, nn, rule->dN + (size_t)p * (size_t)nn, rule->weight[p], x, g, &volume, &valid);
    for (int a = 0; a < nn; a++)
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++)
                H[i][j] += u[a * dim + i] * g[a * dim + j];
    for (int k = 0; k < nn * dim; k++)
        *(unaligned *)at->g[k] = g[k];
    for (int k = 0; k < 9; k++)
        *(unaligned *)at->H[k] = H[k / 3][k % 3];
    *(unaligned *)at->volume = volume;
}

/* grad N = F^-T Grad N */
static inline void push_forward_of(int dim, int nn, bl_law_lanes *at) {
    lanes inverse[9];
    for (int k = 0; k < 9; k++)
        inverse[k] = *(const unaligned *)at->inverse[k];
    for (int a = 0; a < nn; a++) {
        lanes reference[3];
        for (int j = 0; j < dim; j++)
            reference[j] = *(const unaligned *)at->g[a * dim + j];
        for (int j = 0; j < dim; j++) {
            lanes sum = inverse[j] * reference[0];
            for (int k = 1; k < dim; k++)
                sum += inverse[3 * k + j] * reference[k];
            *(unaligned *)at->g[a * dim + j] = sum;
        }
    }
}

static inline void forces_of(int dim, int nn, const bl_law_lanes *at, unaligned *f) {
    lanes tau[6];
    for (int r = 0; r < 6; r++)
        tau[r] = *(const unaligned *)at->tau[r];
    for (int a = 0; a < nn; a++)
        for (int i = 0; i < dim; i++) {
            lanes sum = f[a * dim + i];
            for (int k = 0; k < dim; k++)
                sum += tau[ROW[dim - 1][i][k]] * *(const unaligned *)at->g[a * dim + GRADIENT[dim - 1][i][k]];
            f[a * dim + i] = sum;
        }
}

static inline void stiffness_of(int dim, int nn, const bl_law_lanes *at, bool geometric, unaligned *K) {
    lanes g[BL_LINEAR_NODES * 3];
    for (int k = 0; k < nn * dim; k++)
        g[k] = *(const unaligned *)at->g[k];
    for (int b = 0; b < nn; b++) {
        lanes cB[6][3], tau_gradient[3];
        for (int j = 0; j < dim; j++)
            for (int r = 0; r < 6; r++) { /* rows that are zero in every B are not used below */
                lanes sum = *(const unaligned *)at->c[6 * r + ROW[dim - 1][j][0]] * g[b * dim + GRADIENT[dim - 1][j][0]];
                for (int k = 1; k < dim; k++)
                    sum += *(const unaligned *)at->c[6 * r + ROW[dim - 1][j][k]] * g[b * dim + GRADIENT[dim - 1][j][k]];
                cB[r][j] = sum;
            }
        for (int i = 0; i < dim && geometric; i++) {
            static const uint8_t PAIR[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
            lanes sum = *(const unaligned *)at->tau[PAIR[i][0]] * g[b * dim];
            for (int j = 1; j < dim; j++)
                sum += *(const unaligned *)at->tau[PAIR[i][j]] * g[b * dim + j];
            tau_gradient[i] = sum;
        }
        for (int a = 0; a <= b; a++, K += dim * dim) {
            for (int i = 0; i < dim; i++)
                for (int j = 0; j < dim; j++) {
                    lanes sum = K[i * dim + j];
                    for (int k = 0; k < dim; k++)
                        sum += g[a * dim + GRADIENT[dim - 1][i][k]] * cB[ROW[dim - 1][i][k]][j];
                    K[i * dim + j] = sum;
                }
            if (geometric) {
                lanes sum = g[a * dim] * tau_gradient[0];
                for (int i = 1; i < dim; i++)
                    sum += g[a * dim + i] * tau_gradient[i];
                for (int i = 0; i < dim; i++)
                    K[i * dim + i] += sum;
            }
        }
    }
}

/* sizes for which the compiler unrolls loops, and any other */
#define BY_SIZE(call, ...)                 \
    if (r->dim == 3 && r->nnode == 8)      \
        call(3, 8, __VA_ARGS__);           \
    else if (r->dim == 2 && r->nnode == 4) \
        call(2, 4, __VA_ARGS__);           \
    else if (r->dim == 3)                  \
        call(3, r->nnode, __VA_ARGS__);    \
    else                                   \
        call(r->dim, r->nnode, __VA_ARGS__)

static void deform(const bl_linear_rule *r, int p, const double *x, const double *u, bl_law_lanes *at) {
    BY_SIZE(deform_of, r, p, (const unaligned *)x, (const unaligned *)u, at);
}

static void push_forward(const bl_linear_rule *r, bl_law_lanes *at) { BY_SIZE(push_forward_of, at); }

static void forces(const bl_linear_rule *r, const bl_law_lanes *at, double *f) { BY_SIZE(forces_of, at, (unaligned *)f); }

static void stiffness(const bl_linear_rule *r, const bl_law_lanes *at, bool geometric, double *K) {
    if (geometric) {
        BY_SIZE(stiffness_of, at, true, (unaligned *)K);
    } else {
        BY_SIZE(stiffness_of, at, false, (unaligned *)K);
    }
}

const bl_fem_laws BL_ISA_NAME(bl_fem_laws) = {deform, push_forward, forces, stiffness};
