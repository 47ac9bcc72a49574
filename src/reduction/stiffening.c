/* How stresses of shapes stiffen them: the cubic part of the stored energy of a mesh, with Green's strain e(u) + grad u^T grad u / 2 and
 * the stresses sigma(u) of the small strains e(u), is int sigma(u) : grad u^T grad u / 2. */
#include "reduction/reduction.h"

#include "fem/part.h"

#include <string.h>

typedef struct summing {
    const bl_fem_part *part;
    bl_index n;
    const double *shape;
    double *H, *S, *SH; /* [n][dim][dim] gradients (component, direction); stresses; their product */
    double *B;
} summing;

static bl_status tangent_of(const bl_solid *solid, const bl_material *material, double D[36]) {
    double stress[6], F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, no_thermal_strain[6] = {0};
    bl_material_point point = {.stress = stress, .tangent = D};
    return solid->strain->small ? bl_material_at(material, &point)
                                : solid->strain->at(material, F, no_thermal_strain, 1, NULL, NULL, stress, D, NULL, NULL);
}

static void set_gradients(const summing *s, int nn, const bl_index *node, const double *g, const double D[36]) {
    static const int voigt[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
    int dim = s->part->dim, square = dim * dim;
    size_t unknowns = (size_t)s->part->solid->mesh.nnode * (size_t)dim;
    memset(s->H, 0, (size_t)(s->n * square) * sizeof *s->H);
    for (bl_index m = 0; m < s->n; m++) {
        const double *u = s->shape + (size_t)m * unknowns;
        double *H = s->H + m * square, strain[6] = {0}, stress[6] = {0};
        for (int a = 0; a < nn; a++)
            for (int c = 0; c < dim; c++)
                for (int k = 0; k < dim; k++)
                    H[c * dim + k] += u[node[a] * dim + c] * g[a * dim + k];
        for (int c = 0; c < dim; c++)
            for (int k = 0; k < dim; k++)
                strain[voigt[c][k]] += H[c * dim + k];
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < 6; k++)
                stress[i] += D[6 * i + k] * strain[k];
        for (int c = 0; c < dim; c++)
            for (int k = 0; k < dim; k++)
                s->S[m * square + c * dim + k] = stress[voigt[c][k]];
    }
}

/* B_jmp += volume H_m S_j : H_p, p <= m */
static void add_point(const summing *s, double volume) {
    int dim = s->part->dim, square = dim * dim;
    for (bl_index j = 0; j < s->n; j++) {
        memset(s->SH, 0, (size_t)(s->n * square) * sizeof *s->SH);
        for (bl_index m = 0; m < s->n; m++)
            for (int c = 0; c < dim; c++)
                for (int k = 0; k < dim; k++)
                    for (int l = 0; l < dim; l++)
                        s->SH[m * square + c * dim + l] += volume * s->H[m * square + c * dim + k] * s->S[j * square + k * dim + l];
        for (bl_index m = 0; m < s->n; m++)
            for (bl_index p = 0; p <= m; p++) {
                double sum = 0;
                for (int i = 0; i < square; i++)
                    sum += s->SH[m * square + i] * s->H[p * square + i];
                s->B[(j * s->n + m) * s->n + p] += sum;
            }
    }
}

static bl_status add_group(bl_context *ctx, const summing *s, const bl_fem_group *group) {
    int nn = group->kind->nnode;
    double D[36] = {0}, x[BL_ELEMENT_NODES][3], g[BL_ELEMENT_UNKNOWNS];
    BL_TRY(tangent_of(s->part->solid, group->material, D));
    for (bl_index e = 0; e < group->count; e++) {
        const bl_index *node = group->node + (size_t)e * (size_t)nn;
        BL_TRY(bl_go_on(ctx));
        for (int a = 0; a < nn; a++)
            memcpy(x[a], s->part->solid->mesh.x[node[a]], sizeof x[a]);
        for (bl_index k = 0; k < group->rule.n; k++) {
            const double(*dN)[3] = (const double(*)[3])(group->rule.dN + (size_t)k * (size_t)nn);
            double det = bl_part_gradients(s->part, nn, (const double(*)[3])x, dN, g);
            set_gradients(s, nn, node, g, D);
            add_point(s, group->rule.weight[k] * det * (s->part->dim == 2 ? group->thickness : 1));
        }
    }
    return BL_OK;
}

bl_status bl_reduction_stiffening(bl_context *ctx, const bl_fem_part *part, bl_index n, const double *shape, double *B) {
    summing s = {.part = part, .n = n, .shape = shape, .B = B};
    size_t numbers = (size_t)n * (size_t)part->dim * (size_t)part->dim;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(s.H, numbers), BL_ARRAY(s.S, numbers), BL_ARRAY(s.SH, numbers)));
    bl_status status = BL_OK;
    for (bl_index k = 0; status == BL_OK && k < part->ngroup; k++)
        status = add_group(ctx, &s, &part->group[k]);
    for (bl_index j = 0; j < n; j++)
        for (bl_index m = 0; m < n; m++)
            for (bl_index p = 0; p < m; p++)
                B[(j * n + p) * n + m] = B[(j * n + m) * n + p];
    bl_free(ctx, block);
    return status;
}
