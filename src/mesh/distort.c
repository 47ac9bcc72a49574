/* Distortion for tests: corners move at random, other nodes follow as on straight edges, u_a = sum w[a][c] u_c, so that straight edges stay
 * straight and curved ones keep their curvature. Corners on the boundary do not move. */
#include "mesh/geometry.h"

#include <math.h>

typedef struct distortion {
    bl_mesh *mesh;
    bl_context *ctx;
    double (*x)[3], (*u)[3]; /* [nnode] initial positions, displacements */
    double *nearest;         /* [nnode] distance to the nearest corner in an element; 0: fixed */
} distortion;

/* splitmix64 (Steele, Lea, Flood 2014), as a number in [-1, 1) */
static double draw(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static void find_nearest(distortion *d) {
    const bl_mesh *mesh = d->mesh;
    for (bl_index b = 0; b < mesh->nblock; b++) {
        const bl_mesh_block *block = &mesh->block[b];
        for (bl_index e = 0; e < block->count; e++) {
            const bl_index *node = &block->node[(size_t)e * block->kind->nnode];
            for (int i = 0; i < block->kind->ncorner; i++)
                for (int k = 0; k < i; k++) {
                    const double *p = mesh->x[node[i]], *q = mesh->x[node[k]];
                    double length = hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
                    double *a = &d->nearest[node[i]], *c = &d->nearest[node[k]];
                    *a = *a > 0 ? fmin(*a, length) : length;
                    *c = *c > 0 ? fmin(*c, length) : length;
                }
        }
    }
}

static void fix_boundary(distortion *d, const uint8_t *inner) {
    const bl_mesh *mesh = d->mesh;
    for (bl_index b = 0; b < mesh->nblock; b++) {
        const bl_mesh_block *block = &mesh->block[b];
        for (bl_index e = 0; e < block->count; e++)
            for (int f = 0; f < block->kind->nface; f++) {
                const bl_element_face *face = &block->kind->face[f];
                int n = face->kind ? face->kind->nnode : 1;
                for (int a = 0; a < n && !(inner[block->first + e] & (1u << f)); a++)
                    d->nearest[block->node[(size_t)e * block->kind->nnode + face->node[a]]] = 0;
            }
    }
}

/* displacements of nodes that are not corners, and positions of all nodes */
static void move(distortion *d) {
    const bl_mesh *mesh = d->mesh;
    double w[BL_ELEMENT_NODES][8];
    for (bl_index b = 0; b < mesh->nblock; b++) {
        const bl_mesh_block *block = &mesh->block[b];
        const bl_element_kind *kind = block->kind;
        bl_element_straight(kind, w);
        for (bl_index e = 0; e < block->count; e++) {
            const bl_index *node = &block->node[(size_t)e * kind->nnode];
            for (int a = kind->ncorner; a < kind->nnode; a++)
                for (int k = 0; k < mesh->dim; k++) {
                    double u = 0;
                    for (int c = 0; c < kind->ncorner; c++)
                        u += w[a][c] * d->u[node[c]][k];
                    d->u[node[a]][k] = u;
                }
        }
    }
    for (bl_index i = 0; i < mesh->nnode; i++)
        for (int k = 0; k < 3; k++)
            mesh->x[i][k] = d->x[i][k] + d->u[i][k];
}

/* Halves the displacements of the corners of inverted or degenerate elements; *count: how many there are. */
static bl_status halve_inverted(distortion *d, bl_index *count) {
    const bl_mesh *mesh = d->mesh;
    *count = 0;
    for (bl_index b = 0; b < mesh->nblock; b++) {
        const bl_mesh_block *block = &mesh->block[b];
        const bl_element_kind *kind = block->kind;
        double x[BL_ELEMENT_NODES][3], det;
        int corner;
        bl_validity s;
        BL_TRY(bl_validity_begin(d->ctx, kind, mesh->dim, &s));
        for (bl_index e = 0; e < block->count; e++) {
            const bl_index *node = &block->node[(size_t)e * kind->nnode];
            bl_element_gather(kind, (const double(*)[3])mesh->x, node, x);
            if (bl_element_valid(&s, (const double(*)[3])x, &det, &corner))
                continue;
            ++*count;
            for (int c = 0; c < kind->ncorner; c++)
                for (int k = 0; k < 3; k++)
                    d->u[node[c]][k] /= 2;
        }
        bl_validity_end(d->ctx, &s);
    }
    return BL_OK;
}

static bl_status distort(distortion *d, double share, uint64_t seed) {
    bl_mesh *mesh = d->mesh;
    uint8_t *inner;
    enum { ROUNDS = 60 }; /* then displacements are below rounding errors */
    BL_TRY(BL_NEW(d->ctx, d->x, mesh->nnode));
    BL_TRY(BL_NEW(d->ctx, d->u, mesh->nnode));
    BL_TRY(BL_NEW(d->ctx, d->nearest, mesh->nnode));
    BL_TRY(bl_mesh_inner_faces(mesh, &inner));
    memcpy(d->x, mesh->x, (size_t)mesh->nnode * sizeof *d->x);
    find_nearest(d);
    fix_boundary(d, inner);
    bl_free(d->ctx, inner);
    for (bl_index i = 0; i < mesh->nnode; i++)
        for (int k = 0; k < mesh->dim; k++)
            d->u[i][k] = share * d->nearest[i] / sqrt(mesh->dim) * draw(&seed);
    bl_index bad = 1;
    bl_status status = BL_OK;
    for (int round = 0; round < ROUNDS && bad > 0 && status == BL_OK; round++) {
        move(d);
        status = halve_inverted(d, &bad);
    }
    if (status != BL_OK || bad > 0)
        memcpy(mesh->x, d->x, (size_t)mesh->nnode * sizeof *d->x);
    return status;
}

bl_status bl_mesh_distort(bl_mesh *mesh, double share, uint64_t seed) {
    distortion d = {.mesh = mesh, .ctx = mesh->arena.ctx};
    if (!(share >= 0 && share <= 0.5))
        return bl_fail(d.ctx, BL_E_MODEL, NULL, "a mesh can be distorted by 0 to 0.5 of the distance between nodes, found %g", share);
    bl_status status = distort(&d, share, seed);
    bl_free(d.ctx, d.x);
    bl_free(d.ctx, d.u);
    bl_free(d.ctx, d.nearest);
    return status;
}
