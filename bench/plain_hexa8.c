/* See plain_hexa8.h: eight points, gradients computed at every point, no explicit vector instructions. */
#include "plain_hexa8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
    bl_index x = *(const bl_index *)a, y = *(const bl_index *)b;
    return (x > y) - (x < y);
}

/* rows of nodes: neighbors of every node, sorted */
static int make_pattern(plain_hexa8 *p) {
    enum { MOST = 27 };
    bl_index(*neighbor)[MOST] = calloc((size_t)p->nnode, sizeof *neighbor), *count = calloc((size_t)p->nnode, sizeof *count);
    p->ptr = calloc((size_t)p->nnode + 1, sizeof *p->ptr);
    p->slot = malloc((size_t)p->nelement * 64 * sizeof *p->slot);
    if (!neighbor || !count || !p->ptr || !p->slot)
        return 0;
    for (bl_index e = 0; e < p->nelement; e++)
        for (int a = 0; a < 8; a++)
            for (int b = 0; b < 8; b++) {
                bl_index i = p->node[8 * e + a], j = p->node[8 * e + b], k = 0;
                while (k < count[i] && neighbor[i][k] != j)
                    k++;
                if (k == count[i])
                    neighbor[i][count[i]++] = j;
            }
    for (bl_index i = 0; i < p->nnode; i++) {
        qsort(neighbor[i], (size_t)count[i], sizeof **neighbor, compare);
        p->ptr[i + 1] = p->ptr[i] + count[i];
    }
    p->idx = malloc((size_t)p->ptr[p->nnode] * sizeof *p->idx);
    p->K = malloc((size_t)p->ptr[p->nnode] * sizeof *p->K);
    if (!p->idx || !p->K)
        return 0;
    for (bl_index i = 0; i < p->nnode; i++)
        memcpy(p->idx + p->ptr[i], neighbor[i], (size_t)count[i] * sizeof *p->idx);
    for (bl_index e = 0; e < p->nelement; e++)
        for (int a = 0; a < 8; a++)
            for (int b = 0; b < 8; b++) {
                bl_index i = p->node[8 * e + a], k = p->ptr[i];
                while (p->idx[k] != p->node[8 * e + b])
                    k++;
                p->slot[64 * (size_t)e + (size_t)(8 * a + b)] = k;
            }
    free(neighbor);
    free(count);
    return 1;
}

int plain_create(plain_hexa8 *p, const bl_mesh *mesh, double E, double nu) {
    static const int corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}};
    memset(p, 0, sizeof *p);
    p->nnode = mesh->nnode;
    p->nelement = mesh->nelement;
    p->x = (const double(*)[3])mesh->x;
    p->node = mesh->block[0].node;
    p->lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    p->mu = E / (2 * (1 + nu));
    double g = 1 / sqrt(3);
    for (int q = 0; q < 8; q++)
        for (int a = 0; a < 8; a++)
            for (int k = 0; k < 3; k++) {
                double value = corner[a][k] / 8.0;
                for (int j = 0; j < 3; j++)
                    value *= j == k ? 1 : 1 + g * corner[q][j] * corner[a][j];
                p->dN[q][a][k] = value;
            }
    return make_pattern(p);
}

void plain_destroy(plain_hexa8 *p) {
    free(p->ptr);
    free(p->idx);
    free(p->slot);
    free(p->K);
}

/* gradients of the shape functions at a point; returns the volume of the point */
static double gradients(const double dN[8][3], const double x[8][3], double g[8][3]) {
    double J[3][3] = {{0}}, I[3][3];
    for (int a = 0; a < 8; a++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                J[i][k] += x[a][i] * dN[a][k];
    double det = J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) - J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
                 J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            int a = (i + 1) % 3, b = (i + 2) % 3, c = (k + 1) % 3, d = (k + 2) % 3;
            I[k][i] = (J[a][c] * J[b][d] - J[a][d] * J[b][c]) / det;
        }
    for (int a = 0; a < 8; a++)
        for (int i = 0; i < 3; i++)
            g[a][i] = dN[a][0] * I[0][i] + dN[a][1] * I[1][i] + dN[a][2] * I[2][i];
    return det;
}

void plain_stiffness(plain_hexa8 *p) {
    memset(p->K, 0, (size_t)p->ptr[p->nnode] * sizeof *p->K);
    for (bl_index e = 0; e < p->nelement; e++) {
        const bl_index *node = p->node + 8 * (size_t)e, *slot = p->slot + 64 * (size_t)e;
        double x[8][3], g[8][3], K[8][8][9];
        memset(K, 0, sizeof K);
        for (int a = 0; a < 8; a++)
            memcpy(x[a], p->x[node[a]], sizeof x[a]);
        for (int q = 0; q < 8; q++) {
            double volume = gradients(p->dN[q], x, g), lambda = p->lambda * volume, mu = p->mu * volume;
            for (int a = 0; a < 8; a++)
                for (int b = 0; b < 8; b++) {
                    double shear = mu * (g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2]);
                    for (int i = 0; i < 3; i++) {
                        for (int j = 0; j < 3; j++)
                            K[a][b][3 * i + j] += lambda * g[a][i] * g[b][j] + mu * g[a][j] * g[b][i];
                        K[a][b][4 * i] += shear;
                    }
                }
        }
        for (int a = 0; a < 8; a++)
            for (int b = 0; b < 8; b++)
                for (int k = 0; k < 9; k++)
                    p->K[slot[8 * a + b]][k] += K[a][b][k];
    }
}

void plain_forces(const plain_hexa8 *p, const double *u, double *f) {
    memset(f, 0, 3 * (size_t)p->nnode * sizeof *f);
    for (bl_index e = 0; e < p->nelement; e++) {
        const bl_index *node = p->node + 8 * (size_t)e;
        double x[8][3], g[8][3], v[8][3], force[8][3] = {{0}};
        for (int a = 0; a < 8; a++) {
            memcpy(x[a], p->x[node[a]], sizeof x[a]);
            memcpy(v[a], u + 3 * (size_t)node[a], sizeof v[a]);
        }
        for (int q = 0; q < 8; q++) {
            double volume = gradients(p->dN[q], x, g), H[3][3] = {{0}}, s[3][3];
            for (int a = 0; a < 8; a++)
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++)
                        H[i][j] += v[a][i] * g[a][j];
            double pressure = p->lambda * (H[0][0] + H[1][1] + H[2][2]);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    s[i][j] = volume * (p->mu * (H[i][j] + H[j][i]) + (i == j ? pressure : 0));
            for (int a = 0; a < 8; a++)
                for (int i = 0; i < 3; i++)
                    force[a][i] += s[i][0] * g[a][0] + s[i][1] * g[a][1] + s[i][2] * g[a][2];
        }
        for (int a = 0; a < 8; a++)
            for (int i = 0; i < 3; i++)
                f[3 * (size_t)node[a] + (size_t)i] += force[a][i];
    }
}

void plain_product(const plain_hexa8 *p, const double *u, double *f) {
    for (bl_index i = 0; i < p->nnode; i++) {
        double sum[3] = {0};
        for (bl_index k = p->ptr[i]; k < p->ptr[i + 1]; k++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    sum[r] += p->K[k][3 * r + c] * u[3 * (size_t)p->idx[k] + (size_t)c];
        memcpy(f + 3 * (size_t)i, sum, sizeof sum);
    }
}

void plain_masses(const plain_hexa8 *p, double density, double *m) {
    static const int corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}};
    memset(m, 0, (size_t)p->nnode * sizeof *m);
    double at = 1 / sqrt(3), g[8][3], x[8][3];
    for (bl_index e = 0; e < p->nelement; e++) {
        for (int a = 0; a < 8; a++)
            memcpy(x[a], p->x[p->node[8 * e + a]], sizeof x[a]);
        for (int q = 0; q < 8; q++) {
            double mass = density * gradients(p->dN[q], x, g);
            for (int a = 0; a < 8; a++)
                m[p->node[8 * e + a]] += mass / 8 * (1 + at * corner[q][0] * corner[a][0]) * (1 + at * corner[q][1] * corner[a][1]) *
                                         (1 + at * corner[q][2] * corner[a][2]);
        }
    }
}
