/* Faces that two elements share, found by a hash table of all faces; the key of a face is the ascending list of its corners. Time is linear
 * in the number of faces; the table takes 6 to 11 bytes per face. */
#include "mesh/geometry.h"

enum { FACE_CORNERS = 4, PER_ELEMENT = 8 }; /* a face is numbered PER_ELEMENT * element + face */

typedef struct corners {
    int n;
    bl_index node[FACE_CORNERS]; /* ascending */
} corners;

typedef struct table {
    const bl_mesh *mesh;
    uint8_t *inner;
    bl_index *face; /* [room] number of a face + 1, 0: free */
    uint64_t room;  /* a power of 2 */
} table;

static corners corners_of(const bl_mesh_block *block, bl_index at, int face) {
    const bl_element_face *f = &block->kind->face[face];
    const bl_index *node = &block->node[(size_t)at * block->kind->nnode];
    corners key = {.n = f->kind ? f->kind->ncorner : 1};
    for (int i = 0; i < key.n; i++) {
        bl_index v = node[f->node[i]];
        int k = i;
        for (; k > 0 && key.node[k - 1] > v; k--)
            key.node[k] = key.node[k - 1];
        key.node[k] = v;
    }
    return key;
}

static bool same_corners(const corners *a, const corners *b) {
    bool equal = a->n == b->n;
    for (int i = 0; i < a->n && equal; i++)
        equal = a->node[i] == b->node[i];
    return equal;
}

static bl_status add_face(table *t, const bl_mesh_block *block, bl_index at, int face) {
    const bl_mesh *mesh = t->mesh;
    corners key = corners_of(block, at, face);
    uint64_t hash = BL_HASH_START;
    for (int i = 0; i < key.n; i++)
        hash = bl_hash_mix(hash, (uint64_t)key.node[i]);
    bl_index element = block->first + at;
    for (uint64_t slot = hash & (t->room - 1);; slot = (slot + 1) & (t->room - 1)) {
        if (t->face[slot] == 0) {
            t->face[slot] = PER_ELEMENT * element + face + 1;
            return BL_OK;
        }
        bl_index other = (t->face[slot] - 1) / PER_ELEMENT, there;
        int other_face = (t->face[slot] - 1) % PER_ELEMENT;
        const bl_mesh_block *other_block = bl_mesh_block_of(mesh, other, &there);
        corners found = corners_of(other_block, there, other_face);
        if (!same_corners(&key, &found))
            continue;
        bool node = bl_mesh_of_bars(mesh); /* any number of bars may meet in a node */
        if ((t->inner[other] & (1u << other_face)) && !node) {
            bl_fail(mesh->arena.ctx, BL_E_MODEL, NULL,
                    "the mesh is not conforming: more than two elements share a face of elements %d and %d",
                    (int)bl_mesh_element_number(mesh, other), (int)bl_mesh_element_number(mesh, element));
            bl_advise(mesh->arena.ctx, "at most two elements may share a face; check the mesh for duplicate elements");
            return BL_E_MODEL;
        }
        t->inner[other] |= (uint8_t)(1u << other_face);
        t->inner[element] |= (uint8_t)(1u << face);
        return BL_OK;
    }
}

static bl_status add_all_faces(table *t) {
    const bl_mesh *mesh = t->mesh;
    for (bl_index b = 0; b < mesh->nblock; b++) {
        const bl_mesh_block *block = &mesh->block[b];
        for (bl_index e = 0; e < block->count; e++) {
            if (e % 4096 == 0)
                BL_TRY(bl_go_on(mesh->arena.ctx));
            for (int f = 0; f < block->kind->nface; f++)
                BL_TRY(add_face(t, block, e, f));
        }
    }
    return BL_OK;
}

bl_status bl_mesh_inner_faces(const bl_mesh *mesh, uint8_t **inner) {
    bl_context *ctx = mesh->arena.ctx;
    table t = {.mesh = mesh, .room = 16};
    uint64_t faces = 0;
    *inner = NULL;
    for (bl_index b = 0; b < mesh->nblock; b++)
        faces += (uint64_t)mesh->block[b].count * mesh->block[b].kind->nface;
    while (t.room < faces + faces / 3) /* at most three quarters full, if no two faces coincide */
        t.room *= 2;
    bl_status status = BL_NEW(ctx, t.inner, mesh->nelement);
    if (status == BL_OK)
        status = BL_NEW(ctx, t.face, t.room);
    if (status == BL_OK)
        status = add_all_faces(&t);
    bl_free(ctx, t.face);
    if (status == BL_OK)
        *inner = t.inner;
    else
        bl_free(ctx, t.inner);
    return status;
}

static bl_status list(bl_mesh *mesh, const uint8_t *inner, bl_index *count, const bl_index **element, const uint8_t **face) {
    for (int pass = 0; pass < 2; pass++) { /* count, then fill */
        bl_index n = 0, *e = NULL;
        uint8_t *f = NULL;
        if (pass == 1) {
            e = bl_arena_alloc(&mesh->arena, (size_t)*count, sizeof *e);
            f = e ? bl_arena_alloc(&mesh->arena, (size_t)*count, sizeof *f) : NULL;
            if (!f)
                return BL_E_MEMORY;
        }
        for (bl_index b = 0; b < mesh->nblock; b++)
            for (bl_index i = 0; i < mesh->block[b].count; i++)
                for (int k = 0; k < mesh->block[b].kind->nface; k++)
                    if (!(inner[mesh->block[b].first + i] & (1u << k))) {
                        if (pass == 1)
                            e[n] = mesh->block[b].first + i, f[n] = (uint8_t)k;
                        n++;
                    }
        *count = n;
        *element = e;
        *face = f;
    }
    return BL_OK;
}

bl_status bl_mesh_boundary(bl_mesh *mesh, bl_index *count, const bl_index **element, const uint8_t **face) {
    uint8_t *inner;
    *count = 0;
    *element = NULL;
    *face = NULL;
    BL_TRY(bl_mesh_inner_faces(mesh, &inner));
    bl_status status = list(mesh, inner, count, element, face);
    bl_free(mesh->arena.ctx, inner);
    return status;
}
