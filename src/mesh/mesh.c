/* Queries of a finished mesh: sets, blocks, volume. Faces: boundary.c; points: locate.c. */
#include "mesh/geometry.h"

void bl_mesh_destroy(bl_mesh *mesh) {
    bl_arena_destroy(&mesh->arena);
    *mesh = (bl_mesh){.arena.ctx = mesh->arena.ctx};
}

const bl_mesh_set *bl_mesh_set_of(const bl_mesh *mesh, const char *name, bl_set_what what) {
    for (bl_index i = 0; i < mesh->nset; i++)
        if (mesh->set[i].what == what && strcmp(mesh->set[i].name, name) == 0)
            return &mesh->set[i];
    return NULL;
}

const bl_mesh_block *bl_mesh_block_of(const bl_mesh *mesh, bl_index element, bl_index *at) {
    const bl_mesh_block *block = mesh->block;
    while (element >= block->first + block->count)
        block++;
    *at = element - block->first;
    return block;
}

/* sum of det(dx/dxi) by the quadrature of the mass, which is exact for it; summed in batches, so that rounding errors grow with the square
 * root of the number of elements */
static double block_volume(const bl_mesh *mesh, const bl_mesh_block *block) {
    enum { BATCH = 1024 };
    const bl_element_kind *kind = block->kind;
    bl_quadrature rule = {0};
    double dN[BL_ELEMENT_NODES][3], x[BL_ELEMENT_NODES][3], J[3][3], g[3 * BL_ELEMENT_NODES], volume = 0;
    (void)bl_quadrature_of(kind->shape, kind->mass_points, &rule); /* exists: the mesh was checked with it */
    for (bl_index i = 0; i < rule.n; i++) {
        double all = 0, batch = 0;
        kind->functions(rule.at[i], NULL, dN);
        for (bl_index e = 0; e < block->count; e++) {
            bl_element_gather(kind, (const double(*)[3])mesh->x, &block->node[(size_t)e * kind->nnode], x);
            batch += kind->dim == mesh->dim
                         ? bl_element_jacobian(kind->dim, kind->nnode, (const double(*)[3])x, (const double(*)[3])dN, J)
                         : bl_element_line(mesh->dim, kind->nnode, (const double(*)[3])x, (const double(*)[3])dN, g, NULL);
            if (e % BATCH == BATCH - 1 || e == block->count - 1) {
                all += batch;
                batch = 0;
            }
        }
        volume += rule.weight[i] * all;
    }
    return volume;
}

double bl_mesh_volume(const bl_mesh *mesh) {
    double volume = 0;
    for (bl_index b = 0; b < mesh->nblock; b++)
        volume += block_volume(mesh, &mesh->block[b]);
    return volume;
}
