/* Physical groups become sets. Highest dimension: sets of elements. One less: sets of faces, matched with faces of elements by their
 * corners, and sets of their nodes. Lower: sets of nodes. A group without a name is named by its number. */
#include "mesh/gmsh.h"

/* ---- names */

static void mark_used(bl_gmsh *g) {
    for (bl_index e = 0; e < g->nelement; e++) {
        const bl_gmsh_owner *owner = &g->owner[g->element[e].owner];
        for (bl_index k = 0; k < owner->count; k++)
            g->group[g->member[owner->first + k]].used = true;
    }
}

/* Numbers of groups start at 1 in every dimension, and sets of nodes come from all dimensions below the highest: an unnamed group must not
 * be mistaken for another one. Two groups with the same name form one set. */
static bl_status check_number(const bl_gmsh *g, const bl_hash *names, const bool *unnamed, bl_index group) {
    const bl_gmsh_group *a = &g->group[group];
    uint64_t key = bl_hash_text(a->name);
    for (bl_index i = bl_hash_find(names, key); i >= 0; i = bl_hash_next(names, i)) {
        const bl_gmsh_group *b = &g->group[i];
        if (!b->used || strcmp(a->name, b->name) != 0 || !(unnamed[group] || unnamed[i]) || (a->dim == g->dim) != (b->dim == g->dim))
            continue;
        const bl_gmsh_group *nameless = unnamed[group] ? a : b, *other = unnamed[group] ? b : a;
        bl_scan_fail(&g->scan, nameless->spot,
                     "physical group %d of dimension %d has no name, and the set of group %d of dimension %d has the same number",
                     nameless->tag, nameless->dim, other->tag, other->dim);
        bl_advise(g->scan.ctx, "give the groups names, for example Physical Point(\"tip\", %d) = {...};", nameless->tag);
        return BL_E_MODEL;
    }
    return BL_OK;
}

static bl_status name_groups(bl_gmsh *g, bl_hash *names, bool *unnamed) {
    for (bl_index k = 0; k < g->ngroup; k++) {
        bl_gmsh_group *group = &g->group[k];
        unnamed[k] = !group->name;
        if (unnamed[k])
            group->name = bl_arena_printf(&g->arena, "%d", group->tag);
        if (!group->name)
            return BL_E_MEMORY;
        if (group->used)
            BL_TRY(check_number(g, names, unnamed, k));
        BL_TRY(bl_hash_put(g->scan.ctx, names, bl_hash_text(group->name)));
    }
    return BL_OK;
}

static bl_status find_names(bl_gmsh *g) {
    bl_context *ctx = g->scan.ctx;
    bl_hash names = {0};
    bool *unnamed;
    mark_used(g);
    BL_TRY(BL_NEW(ctx, unnamed, g->ngroup));
    bl_status status = name_groups(g, &names, unnamed);
    bl_hash_free(ctx, &names);
    bl_free(ctx, unnamed);
    return status;
}

/* ---- faces */

static bool in_group(const bl_gmsh *g, const bl_gmsh_element *e) { return g->owner[e->owner].count > 0; }
static bool is_side(const bl_gmsh *g, const bl_gmsh_element *e) { return bl_gmsh_dim(e->kind) == g->dim - 1 && in_group(g, e); }

/* corners in the order of the file; -1 for nodes that belong to no element */
static int corners_of(const bl_gmsh *g, const bl_gmsh_element *e, bl_index *corner) {
    int n = bl_gmsh_ncorner(e->kind);
    for (int k = 0; k < n; k++)
        corner[k] = g->node[g->corner[e->first + k]].number;
    return n;
}

/* Whether two faces with the same corners have the same orientation. */
static bool same_orientation(int n, const bl_index *a, const bl_index *b) {
    int shift = 0;
    while (n > 2 && shift < n - 1 && b[shift] != a[0])
        shift++;
    bool same = true;
    for (int k = 0; k < n; k++)
        same = same && a[k] == b[(k + shift) % n];
    return same;
}

/* A face between two elements is assigned to the one whose outward normal is that of the face in the file: then all faces of an oriented
 * surface belong to elements on the same side. */
static void match_face(bl_gmsh *g, const bl_hash *table, const bl_index *side, bl_index element, int face, int n, const bl_index *corner) {
    bl_gmsh_corners sorted = bl_gmsh_sorted(n, corner);
    uint64_t key = bl_gmsh_corners_key(&sorted);
    for (bl_index i = bl_hash_find(table, key); i >= 0; i = bl_hash_next(table, i)) {
        bl_gmsh_element *e = &g->element[side[i]];
        bl_index own[8];
        bl_gmsh_corners found = bl_gmsh_sorted(corners_of(g, e, own), own);
        if (!bl_gmsh_corners_same(&sorted, &found))
            continue;
        bool agrees = same_orientation(n, corner, own);
        if (e->element < 0 || (agrees && !e->agrees)) {
            e->element = element;
            e->face = (uint8_t)face;
            e->agrees = agrees;
        }
    }
}

static bl_status match_faces(bl_gmsh *g, const bl_hash *table, const bl_index *side) {
    for (bl_index i = 0; i < g->noriginal; i++) {
        const bl_gmsh_element *e = &g->element[g->original[i]];
        bl_index node[BL_ELEMENT_NODES], corner[8];
        BL_TRY(bl_go_on(g->scan.ctx));
        bl_gmsh_nodes_of(g, e, node);
        for (int f = 0; f < e->kind->nface; f++) {
            const bl_element_face *face = &e->kind->face[f];
            int n = bl_gmsh_ncorner(face->kind);
            for (int k = 0; k < n; k++)
                corner[k] = node[face->node[k]];
            match_face(g, table, side, e->element, f, n, corner);
        }
    }
    return BL_OK;
}

/* a table of only the faces in the file, which are few */
static bl_status fill_table(bl_gmsh *g, bl_hash *table, bl_index *side) {
    for (bl_index e = 0; e < g->nelement; e++) {
        if (!is_side(g, &g->element[e]))
            continue;
        bl_index corner[8];
        bl_gmsh_corners sorted = bl_gmsh_sorted(corners_of(g, &g->element[e], corner), corner);
        side[table->n] = e;
        BL_TRY(bl_hash_put(g->scan.ctx, table, bl_gmsh_corners_key(&sorted)));
    }
    return BL_OK;
}

static bl_status find_faces(bl_gmsh *g) {
    bl_context *ctx = g->scan.ctx;
    bl_index count = 0, *side;
    bl_hash table = {0};
    for (bl_index e = 0; e < g->nelement; e++)
        count += is_side(g, &g->element[e]);
    BL_TRY(BL_NEW(ctx, side, count));
    bl_status status = fill_table(g, &table, side);
    if (status == BL_OK && count > 0)
        status = match_faces(g, &table, side);
    bl_hash_free(ctx, &table);
    bl_free(ctx, side);
    return status;
}

/* ---- sets */

static bl_status add_face(const bl_gmsh *g, bl_mesh_builder *b, const char *name, const bl_gmsh_element *e) {
    bl_index node[BL_ELEMENT_NODES];
    const bl_gmsh_element *element = &g->element[g->original[e->element - g->first]];
    const bl_element_face *face = &element->kind->face[e->face];
    bl_gmsh_nodes_of(g, element, node);
    BL_TRY(bl_mesh_add_to_set(b, name, BL_SET_FACES, e->element, e->face));
    for (int k = 0; k < bl_gmsh_nnode(face->kind); k++)
        BL_TRY(bl_mesh_add_to_set(b, name, BL_SET_NODES, node[face->node[k]], 0));
    return BL_OK;
}

static bl_status add_node_list(const bl_gmsh *g, bl_mesh_builder *b, const char *name, const bl_gmsh_element *e) {
    for (int k = 0; k < bl_gmsh_nnode(e->kind); k++) {
        const bl_gmsh_node *node = &g->node[g->corner[e->first + k]];
        if (node->number < 0)
            return bl_scan_fail(&g->scan, e->spot, "node %d of physical group '%.100s' belongs to no element of dimension %d", node->tag,
                                name, g->dim);
        BL_TRY(bl_mesh_add_to_set(b, name, BL_SET_NODES, node->number, 0));
    }
    return BL_OK;
}

static bl_status add_to_sets(const bl_gmsh *g, bl_mesh_builder *b, const bl_gmsh_element *e) {
    const bl_gmsh_owner *owner = &g->owner[e->owner];
    for (bl_index k = 0; k < owner->count; k++) {
        const char *name = g->group[g->member[owner->first + k]].name;
        if (owner->dim == g->dim)
            BL_TRY(bl_mesh_add_to_set(b, name, BL_SET_ELEMENTS, e->element, 0));
        else if (owner->dim < g->dim - 1)
            BL_TRY(add_node_list(g, b, name, e));
        else if (e->element >= 0)
            BL_TRY(add_face(g, b, name, e));
        else
            return bl_scan_fail(&g->scan, e->spot, "element %d of physical group '%.100s' is not a face of an element of dimension %d",
                                e->tag, name, g->dim);
    }
    return BL_OK;
}

bl_status bl_gmsh_sets(bl_gmsh *g, bl_mesh_builder *b) {
    BL_TRY(find_names(g));
    BL_TRY(find_faces(g));
    for (bl_index e = 0; e < g->nelement; e++) {
        BL_TRY(bl_go_on(b->ctx));
        BL_TRY(add_to_sets(g, b, &g->element[e]));
    }
    return BL_OK;
}
