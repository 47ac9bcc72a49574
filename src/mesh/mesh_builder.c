/* Building a mesh: nodes, elements and sets in the order of input, one list per kind of element; bl_mesh_finish checks them and copies them
 * into the arena of the mesh. Meanwhile lists and mesh take twice the memory of the mesh. */
#include "mesh/geometry.h"
#include "mesh/mesh_limits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct bl_mesh_part { /* elements of one kind */
    const bl_element_kind *kind;
    bl_index count, room;
    bl_index *node, *label;
    bl_index *added; /* their numbers in the order of adding */
};

struct bl_mesh_named { /* a set */
    char *name;
    bl_set_what what;
    bl_index count, room, face_room;
    bl_index *item;
    uint8_t *face; /* NULL unless it is a set of faces */
};

enum { FACE_STRIDE = 8 }; /* a face is sorted as FACE_STRIDE * element + face */

void bl_mesh_builder_destroy(bl_mesh_builder *b) {
    bl_context *ctx = b->ctx;
    for (bl_index i = 0; i < b->npart; i++) {
        bl_free(ctx, b->part[i].node);
        bl_free(ctx, b->part[i].label);
        bl_free(ctx, b->part[i].added);
    }
    for (bl_index i = 0; i < b->nnamed; i++) {
        bl_free(ctx, b->named[i].name);
        bl_free(ctx, b->named[i].item);
        bl_free(ctx, b->named[i].face);
    }
    bl_free(ctx, b->part);
    bl_free(ctx, b->named);
    bl_free(ctx, b->x);
    bl_free(ctx, b->label);
    bl_hash_free(ctx, &b->names);
    *b = (bl_mesh_builder){.ctx = ctx, .place = b->place, .dim = b->dim};
}

/* ---- adding */

static bl_status resize(bl_context *ctx, void *array, size_t count, size_t size) {
    void *fresh = bl_resize(ctx, *(void **)array, count, size);
    if (!fresh)
        return BL_E_MEMORY;
    *(void **)array = fresh;
    return BL_OK;
}

static bl_index more_room(bl_index room, bl_index expected) {
    bl_index more = room ? 2 * room : expected ? expected : 64;
    return more < BL_MESH_MOST ? more : BL_MESH_MOST;
}

static bl_status node_room(bl_mesh_builder *b, bl_index room) {
    if (room <= b->node_room)
        return BL_OK;
    BL_TRY(resize(b->ctx, &b->x, (size_t)room, sizeof *b->x));
    BL_TRY(resize(b->ctx, &b->label, (size_t)room, sizeof *b->label));
    b->node_room = room;
    return BL_OK;
}

bl_status bl_mesh_expect(bl_mesh_builder *b, int64_t nodes, int64_t elements) {
    bool too_many = elements > BL_MESH_MOST;
    if (too_many || nodes > BL_MESH_MOST) {
        bl_fail(b->ctx, BL_E_MODEL, &b->place, "the mesh would have %" PRId64 " %s; the limit is %d", too_many ? elements : nodes,
                too_many ? "elements" : "nodes", BL_MESH_MOST);
        bl_advise(b->ctx, "choose a coarser mesh");
        return BL_E_MODEL;
    }
    b->expected = (bl_index)elements;
    return node_room(b, (bl_index)nodes);
}

bl_status bl_mesh_add_node(bl_mesh_builder *b, bl_index label, const double x[3]) {
    if (b->nnode == b->node_room) {
        if (b->nnode == BL_MESH_MOST)
            return bl_mesh_expect(b, (int64_t)b->nnode + 1, 0);
        BL_TRY(node_room(b, more_room(b->node_room, 0)));
    }
    for (int k = 0; k < 3; k++)
        if (!isfinite(x[k]))
            return bl_fail(b->ctx, BL_E_MODEL, &b->place, "coordinate %c of node %d is not a finite number", "xyz"[k],
                           (int)(label ? label : b->nnode + 1));
    memcpy(b->x[b->nnode], x, 3 * sizeof *x);
    b->label[b->nnode++] = label;
    return BL_OK;
}

static bl_status part_of(bl_mesh_builder *b, const bl_element_kind *kind, struct bl_mesh_part **part) {
    for (bl_index i = 0; i < b->npart; i++)
        if (b->part[i].kind == kind) {
            *part = &b->part[i];
            return BL_OK;
        }
    BL_TRY(BL_RESERVE(b->ctx, b->part, b->part_room, b->npart + 1));
    *part = &b->part[b->npart++];
    (*part)->kind = kind;
    return BL_OK;
}

bl_status bl_mesh_add_element(bl_mesh_builder *b, const bl_element_kind *kind, bl_index label, const bl_index *node) {
    struct bl_mesh_part *part;
    if (kind->dim != b->dim && kind->dim != 1)
        return bl_fail(b->ctx, BL_E_MODEL, &b->place, "element %d is a %s, of dimension %d; the mesh has dimension %d",
                       (int)(label ? label : b->nelement + 1), kind->kind.name, kind->dim, b->dim);
    if (b->npart > 0 && kind->dim != b->part[0].kind->dim) {
        bl_fail(b->ctx, BL_E_MODEL, &b->place, "element %d is a %s, but the mesh has elements of dimension %d",
                (int)(label ? label : b->nelement + 1), kind->kind.name, b->part[0].kind->dim);
        bl_advise(b->ctx, "put bars and solids into separate bodies");
        return BL_E_MODEL;
    }
    if (b->nelement == BL_MESH_MOST)
        return bl_mesh_expect(b, 0, (int64_t)b->nelement + 1);
    BL_TRY(part_of(b, kind, &part));
    if (part->count == part->room) {
        bl_index room = more_room(part->room, b->npart == 1 ? b->expected : 0); /* most meshes have one kind */
        BL_TRY(resize(b->ctx, &part->node, (size_t)room, kind->nnode * sizeof *part->node));
        BL_TRY(resize(b->ctx, &part->label, (size_t)room, sizeof *part->label));
        BL_TRY(resize(b->ctx, &part->added, (size_t)room, sizeof *part->added));
        part->room = room;
    }
    memcpy(&part->node[(size_t)part->count * kind->nnode], node, kind->nnode * sizeof *node);
    part->label[part->count] = label;
    part->added[part->count++] = b->nelement++;
    return BL_OK;
}

static bl_status named_of(bl_mesh_builder *b, const char *name, bl_set_what what, struct bl_mesh_named **named) {
    uint64_t key = bl_hash_mix(BL_HASH_START, (uint64_t)what);
    for (const char *s = name; *s; s++)
        key = bl_hash_mix(key, (unsigned char)*s);
    for (bl_index i = bl_hash_find(&b->names, key); i >= 0; i = bl_hash_next(&b->names, i))
        if (b->named[i].what == what && strcmp(b->named[i].name, name) == 0) {
            *named = &b->named[i];
            return BL_OK;
        }
    BL_TRY(BL_RESERVE(b->ctx, b->named, b->named_room, b->nnamed + 1));
    char *copy = bl_strdup(b->ctx, name);
    if (!copy)
        return BL_E_MEMORY;
    *named = &b->named[b->nnamed++];
    **named = (struct bl_mesh_named){.name = copy, .what = what};
    return bl_hash_put(b->ctx, &b->names, key);
}

bl_status bl_mesh_add_to_set(bl_mesh_builder *b, const char *name, bl_set_what what, bl_index item, uint8_t face) {
    struct bl_mesh_named *named;
    BL_TRY(named_of(b, name, what, &named));
    BL_TRY(BL_RESERVE(b->ctx, named->item, named->room, named->count + 1));
    if (what == BL_SET_FACES) {
        BL_TRY(BL_RESERVE(b->ctx, named->face, named->face_room, named->count + 1));
        named->face[named->count] = face;
    }
    named->item[named->count++] = item;
    return BL_OK;
}

/* ---- checks */

static bl_index node_number(const bl_mesh_builder *b, bl_index i) { return b->label[i] ? b->label[i] : i + 1; }

static bl_index element_number(const struct bl_mesh_part *part, bl_index i) { return part->label[i] ? part->label[i] : part->added[i] + 1; }

/* in the plane z is 0, on a line y and z */
static bl_status check_plane(bl_mesh_builder *b) {
    double low[3], high[3], size = 0;
    for (int k = 0; k < b->dim; k++) {
        low[k] = high[k] = b->x[0][k];
        for (bl_index i = 1; i < b->nnode; i++) {
            low[k] = fmin(low[k], b->x[i][k]);
            high[k] = fmax(high[k], b->x[i][k]);
        }
        size = fmax(size, high[k] - low[k]);
    }
    for (bl_index i = 0; i < b->nnode; i++)
        for (int k = b->dim; k < 3; k++) {
            if (!(fabs(b->x[i][k]) <= mesh_off_plane * size))
                return bl_fail(b->ctx, BL_E_MODEL, &b->place, "node %d has %c = %g; in a mesh of dimension %d it must be 0",
                               (int)node_number(b, i), "xyz"[k], b -> x[i][k], b -> dim);
            b->x[i][k] = 0;
        }
    return BL_OK;
}

static bl_status check_nodes(bl_mesh_builder *b, uint8_t *used) {
    for (bl_index p = 0; p < b->npart; p++) {
        const struct bl_mesh_part *part = &b->part[p];
        int nnode = part->kind->nnode;
        for (bl_index e = 0; e < part->count; e++)
            for (int a = 0; a < nnode; a++) {
                bl_index i = part->node[(size_t)e * nnode + a];
                if (i < 0 || i >= b->nnode)
                    return bl_fail(b->ctx, BL_E_MODEL, &b->place, "element %d (%s) has a node number %" PRId64 "; there are %d nodes",
                                   (int)element_number(part, e), part->kind->kind.name, (int64_t)i + 1, (int)b->nnode);
                used[i] = 1;
            }
    }
    for (bl_index i = 0; i < b->nnode; i++)
        if (!used[i] && !b->loose)
            return bl_fail(b->ctx, BL_E_MODEL, &b->place, "node %d belongs to no element", (int)node_number(b, i));
    return BL_OK;
}

static bl_status refuse_shape(bl_mesh_builder *b, const struct bl_mesh_part *part, bl_index e, double det, int corner) {
    char where[64] = "at a quadrature point";
    if (corner >= 0)
        snprintf(where, sizeof where, "at node %d", (int)node_number(b, part->node[(size_t)e * part->kind->nnode + corner]));
    bl_place place = b->element_place ? b->element_place(b->user, element_number(part, e)) : b->place;
    bl_fail(b->ctx, BL_E_MODEL, &place, "element %d (%s) is %s: the determinant of its map is %.3g %s; it must be positive",
            (int)element_number(part, e), part->kind->kind.name, det < 0 ? "inverted" : "degenerate", det, where);
    bl_advise(b->ctx, "check the order and the positions of its nodes");
    return BL_E_MODEL;
}

static bl_status check_part(bl_mesh_builder *b, const struct bl_mesh_part *part, const bl_validity *s) {
    double x[BL_ELEMENT_NODES][3], det;
    int corner;
    for (bl_index e = 0; e < part->count; e++) {
        if (e % 4096 == 0)
            BL_TRY(bl_go_on(b->ctx));
        bl_element_gather(part->kind, (const double(*)[3])b->x, &part->node[(size_t)e * part->kind->nnode], x);
        if (!bl_element_valid(s, (const double(*)[3])x, &det, &corner))
            return refuse_shape(b, part, e, det, corner);
    }
    return BL_OK;
}

static bl_status check(bl_mesh_builder *b) {
    if (b->dim < 1 || b->dim > 3)
        return bl_fail(b->ctx, BL_E_ARG, &b->place, "a mesh has dimension 1, 2 or 3, not %d", b->dim);
    if (b->nnode == 0 || b->nelement == 0)
        return bl_fail(b->ctx, BL_E_MODEL, &b->place, "the mesh has no %s", b->nnode ? "elements" : "nodes");
    BL_TRY(check_plane(b));
    uint8_t *used;
    BL_TRY(BL_NEW(b->ctx, used, b->nnode));
    bl_status status = check_nodes(b, used);
    bl_free(b->ctx, used);
    for (bl_index p = 0; p < b->npart && status == BL_OK; p++) {
        bl_validity s;
        status = bl_validity_begin(b->ctx, b->part[p].kind, b->dim, &s);
        if (status == BL_OK)
            status = check_part(b, &b->part[p], &s);
        bl_validity_end(b->ctx, &s);
    }
    return status;
}

/* ---- finishing */

static size_t index_in_list(const bl_element_kind *kind) {
    size_t i = 0;
    while (i < bl_element_kind_count && bl_element_kinds[i] != kind)
        i++;
    return i;
}

static void sort_parts(bl_mesh_builder *b) {
    for (bl_index i = 1; i < b->npart; i++)
        for (bl_index k = i; k > 0 && index_in_list(b->part[k].kind) < index_in_list(b->part[k - 1].kind); k--) {
            struct bl_mesh_part other = b->part[k];
            b->part[k] = b->part[k - 1];
            b->part[k - 1] = other;
        }
}

static void *keep(bl_mesh *mesh, const void *data, size_t count, size_t size) {
    void *copy = bl_arena_alloc(&mesh->arena, count, size);
    if (copy)
        memcpy(copy, data, count * size);
    return copy;
}

/* numbers of nodes or elements, stored if any are given; the default is the position in the list */
static bl_status keep_labels(bl_mesh *mesh, bl_index **to, const bl_index *label, bl_index n, bl_index first, bl_index all) {
    bool any = *to != NULL;
    for (bl_index i = 0; i < n && !any; i++)
        any = label[i] != 0;
    if (!any)
        return BL_OK;
    if (!*to) {
        *to = bl_arena_alloc(&mesh->arena, (size_t)all, sizeof **to);
        if (!*to)
            return BL_E_MEMORY;
        for (bl_index i = 0; i < all; i++)
            (*to)[i] = i + 1;
    }
    for (bl_index i = 0; i < n; i++)
        if (label[i])
            (*to)[first + i] = label[i];
    return BL_OK;
}

static bl_status keep_elements(bl_mesh_builder *b, bl_mesh *mesh) {
    BL_TRY(BL_ARENA_NEW(&mesh->arena, mesh->block, b->npart));
    for (bl_index p = 0; p < b->npart; p++) {
        struct bl_mesh_part *part = &b->part[p];
        bl_mesh_block *block = &mesh->block[mesh->nblock];
        *block = (bl_mesh_block){.kind = part->kind, .count = part->count, .first = mesh->nelement};
        block->node = keep(mesh, part->node, (size_t)part->count * part->kind->nnode, sizeof *part->node);
        if (!block->node)
            return BL_E_MEMORY;
        BL_TRY(keep_labels(mesh, &mesh->element_label, part->label, part->count, block->first, b->nelement));
        mesh->nblock++;
        mesh->nelement += part->count;
        bl_free(b->ctx, part->node); /* copied, no longer needed */
        part->node = NULL;
    }
    return BL_OK;
}

static bl_status check_item(bl_mesh_builder *b, const bl_mesh *mesh, const struct bl_mesh_named *named, bl_index i, bl_index most) {
    bl_index item = named->item[i], at;
    if (item < 0 || item >= most)
        return bl_fail(b->ctx, BL_E_MODEL, &b->place, "set '%s' has %s number %" PRId64 "; there are %d", named->name,
                       named->what == BL_SET_NODES ? "a node" : "an element", (int64_t)item + 1, (int)most);
    if (named->what != BL_SET_FACES)
        return BL_OK;
    const bl_element_kind *kind = bl_mesh_block_of(mesh, item, &at)->kind;
    if (named->face[i] >= kind->nface)
        return bl_fail(b->ctx, BL_E_MODEL, &b->place, "set '%s' has face %d of element %d, a %s with %d faces", named->name,
                       named->face[i] + 1, (int)bl_mesh_element_number(mesh, item), kind->kind.name, kind->nface);
    return BL_OK;
}

/* Sorted, without duplicates. final: numbers of elements in the mesh by the order of adding; NULL: the same. */
static bl_status keep_set(bl_mesh_builder *b, bl_mesh *mesh, struct bl_mesh_named *named, const bl_index *final) {
    bl_index most = named->what == BL_SET_NODES ? mesh->nnode : mesh->nelement;
    bool sorted = true, faces = named->what == BL_SET_FACES;
    for (bl_index i = 0; i < named->count; i++) {
        bl_index *item = &named->item[i];
        if (final && named->what != BL_SET_NODES && *item >= 0 && *item < most)
            *item = final[*item];
        BL_TRY(check_item(b, mesh, named, i, most));
        if (faces)
            *item = FACE_STRIDE * *item + named->face[i];
        sorted = sorted && (i == 0 || item[-1] <= *item);
    }
    if (!sorted)
        bl_sort_indices(named->item, (size_t)named->count);
    bl_index n = bl_drop_repeated(named->item, named->count);
    bl_index *item = bl_arena_alloc(&mesh->arena, (size_t)n, sizeof *item);
    uint8_t *face = faces ? bl_arena_alloc(&mesh->arena, (size_t)n, sizeof *face) : NULL;
    char *name = bl_arena_text(&mesh->arena, named->name, strlen(named->name));
    if (!item || !name || (faces && !face))
        return BL_E_MEMORY;
    for (bl_index i = 0; i < n; i++) {
        item[i] = faces ? named->item[i] / FACE_STRIDE : named->item[i];
        if (faces)
            face[i] = (uint8_t)(named->item[i] % FACE_STRIDE);
    }
    mesh->set[mesh->nset++] = (bl_mesh_set){.name = name, .what = named->what, .count = n, .item = item, .face = face};
    return BL_OK;
}

static bl_status keep_sets(bl_mesh_builder *b, bl_mesh *mesh) {
    bl_index *final = NULL;
    bl_status status = BL_OK;
    BL_TRY(BL_ARENA_NEW(&mesh->arena, mesh->set, b->nnamed));
    if (b->npart > 1) {
        BL_TRY(BL_NEW(b->ctx, final, b->nelement));
        for (bl_index p = 0; p < b->npart; p++)
            for (bl_index i = 0; i < b->part[p].count; i++)
                final[b->part[p].added[i]] = mesh->block[p].first + i;
    }
    for (bl_index i = 0; i < b->nnamed && status == BL_OK; i++)
        status = keep_set(b, mesh, &b->named[i], final);
    bl_free(b->ctx, final);
    return status;
}

static bl_status finish(bl_mesh_builder *b, bl_mesh *mesh) {
    BL_TRY(check(b));
    sort_parts(b);
    mesh->x = keep(mesh, b->x, (size_t)b->nnode, sizeof *b->x);
    if (!mesh->x)
        return BL_E_MEMORY;
    mesh->dim = b->dim;
    mesh->nnode = b->nnode;
    BL_TRY(keep_labels(mesh, &mesh->label, b->label, b->nnode, 0, b->nnode));
    BL_TRY(keep_elements(b, mesh));
    return keep_sets(b, mesh);
}

bl_status bl_mesh_finish(bl_mesh_builder *b, bl_mesh *mesh) {
    *mesh = (bl_mesh){.arena.ctx = b->ctx};
    bl_status status = finish(b, mesh);
    bl_mesh_builder_destroy(b);
    if (status != BL_OK)
        bl_mesh_destroy(mesh);
    return status;
}
