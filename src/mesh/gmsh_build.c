/* Builds nodes and elements of a mesh from the contents of a Gmsh file. Elements of the highest dimension become the mesh; nodes that none
 * of them uses (centers of circles) are left out. A plane surface may have either orientation in Gmsh: if all elements of an entity are
 * clockwise, they are reversed; if only some are, they are kept, and the builder refuses them. */
#include "mesh/gmsh.h"
#include "mesh/mesh_limits.h"

#include <math.h>
#include <stdlib.h>

/* ---- dimension and entities */

static bl_status check_dimension(bl_gmsh *g, bl_mesh_builder *b) {
    static const char *const words[] = {"points", "segments", "surfaces", "volumes"};
    for (bl_index e = 0; e < g->nelement; e++) {
        int dim = bl_gmsh_dim(g->element[e].kind);
        g->dim = dim > g->dim ? dim : g->dim;
    }
    bl_place place = {g->scan.name, 0, 0};
    if (g->dim == 0)
        return bl_fail(b->ctx, BL_E_MODEL, &place, "the file contains no elements except points");
    if (b->dim == 0)
        b->dim = g->dim;
    g->space = b->dim;
    if (g->dim == b->dim || g->dim == 1)
        return BL_OK;
    bl_fail(b->ctx, BL_E_MODEL, &place, "the file contains only %s, but a mesh of dimension %d needs %s", words[g->dim], b->dim,
            words[b->dim]);
    if (g->dim < b->dim)
        bl_advise(b->ctx, "in Gmsh: mesh with -%d, and put the %s in a physical group, or save all elements (-save_all)", b->dim,
                  words[b->dim]);
    return BL_E_MODEL;
}

static bl_status check_entities(const bl_gmsh *g) {
    for (bl_index k = 0; g->has_entities && k < g->nowner; k++)
        if (!g->owner[k].declared)
            return bl_scan_fail(&g->scan, g->owner[k].spot, "elements belong to entity %d of dimension %d, which is missing in $Entities",
                                g->owner[k].tag, g->owner[k].dim);
    return BL_OK;
}

/* ---- nodes by their tags */

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bl_index tag_at(const uint64_t *sorted, bl_index at) { return (bl_index)(sorted[at] >> 32); }

/* Tags in the upper and node indices in the lower 32 bits, ascending: the time of a search does not depend on the tags. */
static bl_status sort_tags(const bl_gmsh *g, uint64_t *sorted) {
    bool ordered = true;
    for (bl_index k = 0; k < g->nnode; k++) {
        sorted[k] = (uint64_t)g->node[k].tag << 32 | (uint64_t)k;
        ordered = ordered && (k == 0 || sorted[k] > sorted[k - 1]);
    }
    if (!ordered)
        qsort(sorted, (size_t)g->nnode, sizeof *sorted, ascending);
    for (bl_index k = 1; k < g->nnode; k++)
        if (tag_at(sorted, k) == tag_at(sorted, k - 1)) {
            const bl_gmsh_node *second = &g->node[sorted[k] & UINT32_MAX];
            return bl_scan_fail(&g->scan, second->spot, "node %d is given twice", second->tag);
        }
    return BL_OK;
}

/* index of the node of a tag, -1: there is none */
static bl_index find_tag(const bl_gmsh *g, const uint64_t *sorted, bl_index tag) {
    bl_index low = 0, high = g->nnode - 1;
    if (high < 0 || tag < tag_at(sorted, 0) || tag > tag_at(sorted, high))
        return -1;
    if (tag_at(sorted, high) - tag_at(sorted, 0) == high) /* no gaps */
        low = high = tag - tag_at(sorted, 0);
    while (low < high) {
        bl_index middle = low + (high - low) / 2;
        if (tag_at(sorted, middle) < tag)
            low = middle + 1;
        else
            high = middle;
    }
    return tag_at(sorted, low) == tag ? (bl_index)(sorted[low] & UINT32_MAX) : -1;
}

/* in place: tags of nodes to their indices */
static bl_status tags_to_indices(bl_gmsh *g, const uint64_t *sorted) {
    for (bl_index e = 0; e < g->nelement; e++) {
        const bl_gmsh_element *element = &g->element[e];
        bl_index *node = g->corner + element->first;
        BL_TRY(bl_go_on(g->scan.ctx));
        for (int k = 0; k < bl_gmsh_nnode(element->kind); k++) {
            bl_index at = find_tag(g, sorted, node[k]);
            if (at < 0)
                return bl_scan_fail(&g->scan, element->spot, "element %d has node %d, which is missing in $Nodes", element->tag, node[k]);
            node[k] = at;
        }
    }
    return BL_OK;
}

static bl_status find_nodes(bl_gmsh *g) {
    uint64_t *sorted;
    BL_TRY(BL_NEW(g->scan.ctx, sorted, g->nnode));
    bl_status status = sort_tags(g, sorted);
    if (status == BL_OK)
        status = tags_to_indices(g, sorted);
    bl_free(g->scan.ctx, sorted);
    return status;
}

/* ---- nodes of the mesh: those of its elements, in the order of the file */

static bool is_top(const bl_gmsh *g, const bl_gmsh_element *e) { return bl_gmsh_dim(e->kind) == g->dim; }

/* Coordinates beyond the dimension of the mesh must be 0 except for rounding: as in the builder, but with the line in the file. */
static bl_status check_plane(const bl_gmsh *g, const bl_gmsh_node *node, double size) {
    static const char *const words[] = {"", "on the x axis, y = z = 0", "in the plane z = 0"};
    for (int k = g->space; k < 3; k++)
        if (fabs(node->x[k]) > mesh_off_plane * size)
            return bl_scan_fail(&g->scan, node->spot, "node %d has %c = %.6g, but a mesh of dimension %d must be %s", node->tag, "xyz"[k],
                                node -> x[k], g -> space, words[g->space]);
    return BL_OK;
}

/* marks nodes of elements of the highest dimension by number 0, and counts both */
static void mark_nodes(bl_gmsh *g, bl_index *nodes, bl_index *elements) {
    *nodes = *elements = 0;
    for (bl_index e = 0; e < g->nelement; e++) {
        const bl_gmsh_element *element = &g->element[e];
        if (!is_top(g, element))
            continue;
        ++*elements;
        for (int k = 0; k < element->kind->nnode; k++)
            g->node[g->corner[element->first + k]].number = 0;
    }
    for (bl_index i = 0; i < g->nnode; i++)
        *nodes += g->node[i].number == 0;
}

/* longest edge of the bounding box of marked nodes */
static double size_of(const bl_gmsh *g) {
    double size = 0;
    for (int k = 0; k < g->space; k++) {
        double low = INFINITY, high = -INFINITY;
        for (bl_index i = 0; i < g->nnode; i++)
            if (g->node[i].number == 0) {
                low = fmin(low, g->node[i].x[k]);
                high = fmax(high, g->node[i].x[k]);
            }
        size = fmax(size, high - low);
    }
    return size;
}

static bl_status add_nodes(bl_gmsh *g, bl_mesh_builder *b) {
    bl_index nodes, elements;
    mark_nodes(g, &nodes, &elements);
    BL_TRY(bl_mesh_expect(b, nodes, elements));
    double size = size_of(g);
    for (bl_index i = 0; i < g->nnode; i++) {
        bl_gmsh_node *node = &g->node[i];
        if (node->number < 0)
            continue;
        BL_TRY(bl_go_on(b->ctx));
        BL_TRY(check_plane(g, node, size));
        node->number = b->nnode;
        BL_TRY(bl_mesh_add_node(b, node->tag, node->x));
    }
    return BL_OK;
}

/* ---- orientation */

/* twice the area between the corners, or the length of a segment; negative: reversed */
static double measure(const bl_gmsh *g, const bl_gmsh_element *e) {
    const bl_index *node = g->corner + e->first;
    const double *origin = g->node[node[0]].x;
    double sum = 0;
    if (g->dim == 1)
        return g->node[node[1]].x[0] - origin[0];
    for (int k = 1; k + 1 < e->kind->ncorner; k++) {
        const double *p = g->node[node[k]].x, *q = g->node[node[k + 1]].x;
        sum += (p[0] - origin[0]) * (q[1] - origin[1]) - (p[1] - origin[1]) * (q[0] - origin[0]);
    }
    return sum;
}

static void find_orientation(bl_gmsh *g) {
    for (bl_index e = 0; g->dim < 3 && g->dim == g->space && e < g->nelement; e++) { /* bars may have any direction */
        const bl_gmsh_element *element = &g->element[e];
        if (!is_top(g, element))
            continue;
        double area = measure(g, element);
        g->owner[element->owner].forward += area > 0;
        g->owner[element->owner].backward += area < 0;
    }
}

/* The mirror image of node k: xi and eta are exchanged; for segments the ends. */
static int mirror(const bl_element_kind *kind, int k) {
    const double *at = kind->node[k];
    double image[2] = {kind->dim == 1 ? -at[0] : at[1], kind->dim == 1 ? 0 : at[0]};
    for (int i = 0; i < kind->nnode; i++)
        if (kind->node[i][0] == image[0] && kind->node[i][1] == image[1])
            return i;
    return k;
}

void bl_gmsh_nodes_of(const bl_gmsh *g, const bl_gmsh_element *e, bl_index *node) {
    const bl_element_kind *kind = e->kind;
    const bl_gmsh_owner *owner = &g->owner[e->owner];
    bool reversed = owner->backward > 0 && owner->forward == 0;
    for (int k = 0; k < kind->nnode; k++) {
        int from = reversed ? mirror(kind, k) : k;
        node[k] = g->node[g->corner[e->first + (kind->gmsh_order ? kind->gmsh_order[from] : from)]].number;
    }
}

/* ---- elements, each once: version 2.2 repeats those that are in several physical groups */

bl_gmsh_corners bl_gmsh_sorted(int n, const bl_index *node) {
    bl_gmsh_corners c = {.n = n};
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && c.node[k - 1] > node[i]; k--)
            c.node[k] = c.node[k - 1];
        c.node[k] = node[i];
    }
    return c;
}

uint64_t bl_gmsh_corners_key(const bl_gmsh_corners *c) {
    uint64_t key = BL_HASH_START;
    for (int i = 0; i < c->n; i++)
        key = bl_hash_mix(key, (uint64_t)c->node[i]);
    return key;
}

bool bl_gmsh_corners_same(const bl_gmsh_corners *a, const bl_gmsh_corners *b) {
    return a->n == b->n && memcmp(a->node, b->node, (size_t)a->n * sizeof *a->node) == 0;
}

/* the element of the mesh with the same corners, or NULL */
static const bl_gmsh_element *find_original(const bl_gmsh *g, const bl_hash *table, uint64_t key, const bl_gmsh_corners *corners) {
    for (bl_index i = bl_hash_find(table, key); i >= 0; i = bl_hash_next(table, i)) {
        const bl_gmsh_element *other = &g->element[g->original[i]];
        bl_index node[BL_ELEMENT_NODES];
        bl_gmsh_nodes_of(g, other, node);
        bl_gmsh_corners found = bl_gmsh_sorted(other->kind->ncorner, node);
        if (bl_gmsh_corners_same(corners, &found))
            return other;
    }
    return NULL;
}

static bl_status add_element(bl_gmsh *g, bl_mesh_builder *b, bl_hash *table, bl_index at) {
    bl_gmsh_element *e = &g->element[at];
    bl_index node[BL_ELEMENT_NODES];
    bl_gmsh_nodes_of(g, e, node);
    bl_gmsh_corners corners = bl_gmsh_sorted(e->kind->ncorner, node);
    uint64_t key = bl_gmsh_corners_key(&corners);
    const bl_gmsh_element *other = find_original(g, table, key, &corners);
    if (other && (other->owner == e->owner || other->kind != e->kind))
        return bl_scan_fail(&g->scan, e->spot, "element %d has the same corners as element %d", e->tag, other->tag);
    if (other) {
        e->element = other->element;
        return BL_OK;
    }
    e->element = b->nelement;
    BL_TRY(bl_hash_put(b->ctx, table, key));
    g->original[g->noriginal++] = at;
    return bl_mesh_add_element(b, e->kind, e->tag, node);
}

static bl_status add_elements(bl_gmsh *g, bl_mesh_builder *b) {
    bl_hash table = {0};
    bl_status status = BL_NEW(b->ctx, g->original, g->nelement);
    g->first = b->nelement;
    for (bl_index e = 0; status == BL_OK && e < g->nelement; e++) {
        if (is_top(g, &g->element[e]))
            status = add_element(g, b, &table, e);
        if (status == BL_OK)
            status = bl_go_on(b->ctx);
    }
    bl_hash_free(b->ctx, &table);
    return status;
}

bl_status bl_gmsh_build(bl_gmsh *g, bl_mesh_builder *b) {
    BL_TRY(check_dimension(g, b));
    BL_TRY(check_entities(g));
    BL_TRY(find_nodes(g));
    BL_TRY(add_nodes(g, b));
    find_orientation(g);
    BL_TRY(add_elements(g, b));
    return bl_gmsh_sets(g, b);
}
