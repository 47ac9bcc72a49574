/* Nodes, elements and entities of Gmsh files: MSH file format versions 2.2 and 4.1 of the Gmsh reference manual (Geuzaine and Remacle 2009,
 * Int. J. Numer. Meth. Engng 79). Text and binary files differ in the representation of numbers, which the scan handles, and in 2.2 also in
 * the grouping of elements. */
#include "mesh/gmsh.h"

#include <stdio.h>

enum { POINT = 15 }; /* Gmsh's number for a point element */

/* ---- tables */

static bl_index find_group(const bl_gmsh *g, uint64_t key, int dim, bl_index tag) {
    for (bl_index i = bl_hash_find(&g->groups, key); i >= 0; i = bl_hash_next(&g->groups, i))
        if (g->group[i].dim == dim && g->group[i].tag == tag)
            return i;
    return -1;
}

bl_status bl_gmsh_group_of(bl_gmsh *g, int dim, bl_index tag, bl_index *group) {
    uint64_t key = bl_hash_mix(bl_hash_mix(BL_HASH_START, (uint64_t)dim), (uint64_t)tag);
    *group = find_group(g, key, dim, tag);
    if (*group >= 0)
        return BL_OK;
    BL_TRY(BL_RESERVE(g->scan.ctx, g->group, g->group_room, g->ngroup + 1));
    BL_TRY(bl_hash_put(g->scan.ctx, &g->groups, key));
    *group = g->ngroup++;
    g->group[*group] = (bl_gmsh_group){.spot = bl_scan_spot(&g->scan), .dim = dim, .tag = tag};
    return BL_OK;
}

static bl_index find_owner(const bl_gmsh *g, uint64_t key, int dim, bl_index tag, bl_index entity) {
    for (bl_index i = bl_hash_find(&g->owners, key); i >= 0; i = bl_hash_next(&g->owners, i))
        if (g->owner[i].dim == dim && g->owner[i].tag == tag && g->owner[i].entity == entity)
            return i;
    return -1;
}

/* *fresh: just created, without groups */
static bl_status owner_of(bl_gmsh *g, int64_t spot, int dim, bl_index tag, bl_index entity, bl_index *owner, bool *fresh) {
    uint64_t key = bl_hash_mix(bl_hash_mix(bl_hash_mix(BL_HASH_START, (uint64_t)dim), (uint64_t)tag), (uint64_t)entity);
    *owner = find_owner(g, key, dim, tag, entity);
    *fresh = *owner < 0;
    if (!*fresh)
        return BL_OK;
    BL_TRY(BL_RESERVE(g->scan.ctx, g->owner, g->owner_room, g->nowner + 1));
    BL_TRY(bl_hash_put(g->scan.ctx, &g->owners, key));
    *owner = g->nowner++;
    g->owner[*owner] = (bl_gmsh_owner){.spot = spot, .dim = dim, .tag = tag, .entity = entity, .first = g->nmember};
    return BL_OK;
}

/* Adds a group to the last owner. Tags of groups are negative if their elements are reversed. */
static bl_status add_member(bl_gmsh *g, bl_gmsh_owner *owner, bl_index tag) {
    bl_index group;
    BL_TRY(bl_gmsh_group_of(g, owner->dim, tag < 0 ? -tag : tag, &group));
    BL_TRY(BL_RESERVE(g->scan.ctx, g->member, g->member_room, g->nmember + 1));
    g->member[g->nmember++] = group;
    owner->count++;
    return BL_OK;
}

static bl_status add_node(bl_gmsh *g, int64_t spot, bl_index tag) {
    BL_TRY(BL_RESERVE(g->scan.ctx, g->node, g->node_room, g->nnode + 1));
    g->node[g->nnode++] = (bl_gmsh_node){.spot = spot, .tag = tag, .number = -1};
    return bl_go_on(g->scan.ctx);
}

static bl_status read_position(bl_gmsh *g, double x[3]) {
    for (int k = 0; k < 3; k++)
        BL_TRY(bl_scan_number(&g->scan, "a coordinate of a node", &x[k]));
    return BL_OK;
}

/* The kind of a type number; of points NULL. */
static bl_status kind_of(const bl_gmsh *g, int64_t spot, bl_index type, const bl_element_kind **kind) {
    static const struct {
        bl_index type;
        const char *words, *advice;
    } known[] = {
        {7, "a pyramid of 5 nodes", "pyramids cannot be used: make a mesh of tetrahedra, or of hexahedra and wedges"},
        {14, "a pyramid of 14 nodes", "pyramids cannot be used: make a mesh of tetrahedra, or of hexahedra and wedges"},
        {19, "a pyramid of 13 nodes", "pyramids cannot be used: make a mesh of tetrahedra, or of hexahedra and wedges"},
        {13, "a wedge of 18 nodes", "set Mesh.SecondOrderIncomplete = 1: Gmsh then makes wedges of 15 nodes"},
    };
    *kind = type == POINT ? NULL : bl_element_kind_by_gmsh(type);
    if (*kind || type == POINT)
        return BL_OK;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (type == known[k].type) {
            bl_scan_fail(&g->scan, spot, "element type %d of Gmsh, %s, is not supported", type, known[k].words);
            bl_advise(g->scan.ctx, "%s", known[k].advice);
            return BL_E_MODEL;
        }
    bl_scan_fail(&g->scan, spot, "element type %d of Gmsh is not supported", type);
    bl_advise(g->scan.ctx,
              "supported are segments, triangles, quadrilaterals, tetrahedra, hexahedra and wedges of order 1 or 2 (Mesh.ElementOrder)");
    return BL_E_MODEL;
}

static bl_status add_element(bl_gmsh *g, int64_t spot, const bl_element_kind *kind, bl_index tag, bl_index owner) {
    bl_context *ctx = g->scan.ctx;
    BL_TRY(BL_RESERVE(ctx, g->element, g->element_room, g->nelement + 1));
    BL_TRY(BL_RESERVE(ctx, g->corner, g->corner_room, g->ncorner + bl_gmsh_nnode(kind)));
    g->element[g->nelement++] =
        (bl_gmsh_element){.spot = spot, .kind = kind, .tag = tag, .owner = owner, .first = g->ncorner, .element = -1};
    g->ncorner += bl_gmsh_nnode(kind);
    return bl_go_on(ctx);
}

/* ---- 2.2 */

/* a count is on a line of its own, also in binary files */
static bl_status read_count(bl_gmsh *g, const char *things, size_t bytes_each, bl_index *count) {
    bl_scan *s = &g->scan;
    char what[40];
    snprintf(what, sizeof what, "the number of %s", things);
    s->binary = false;
    bl_scan_record(s);
    int64_t spot = bl_scan_spot(s);
    BL_TRY(bl_scan_int(s, what, 0, BL_MESH_MOST, count));
    BL_TRY(bl_scan_record_end(s));
    s->binary = s->binary_file;
    return bl_scan_fits(s, spot, *count, bytes_each, things);
}

/* dimension and tag of the entity, then as many parameters as it has; points and volumes have none */
static bl_status skip_parameters(bl_gmsh *g) {
    bl_index dim, entity;
    BL_TRY(bl_scan_int(&g->scan, "the dimension of an entity", 0, 3, &dim));
    BL_TRY(bl_scan_int(&g->scan, "the tag of an entity", INT32_MIN, INT32_MAX, &entity));
    return bl_scan_skip(&g->scan, "a parameter of a node", dim % 3, sizeof(double));
}

bl_status bl_gmsh_nodes2(bl_gmsh *g, bool parametric) {
    bl_scan *s = &g->scan;
    bl_index count, tag;
    BL_TRY(read_count(g, "nodes", s->binary_file ? 28 : 8, &count));
    for (bl_index k = 0; k < count; k++) {
        bl_scan_record(s);
        int64_t spot = bl_scan_spot(s);
        BL_TRY(bl_scan_int(s, "the tag of a node", 1, INT32_MAX, &tag));
        BL_TRY(add_node(g, spot, tag));
        BL_TRY(read_position(g, g->node[g->nnode - 1].x));
        if (parametric)
            BL_TRY(skip_parameters(g));
        BL_TRY(bl_scan_record_end(s));
    }
    return BL_OK;
}

/* Tags (of the physical group, of the entity, of partitions) and nodes of an element. */
static bl_status read_element2(bl_gmsh *g, int64_t spot, const bl_element_kind *kind, bl_index ntag, bl_index tag) {
    bl_scan *s = &g->scan;
    bl_index physical = 0, entity = 0, owner;
    bool fresh;
    if (ntag > 0)
        BL_TRY(bl_scan_int(s, "the tag of a physical group", -INT32_MAX, INT32_MAX, &physical));
    if (ntag > 1)
        BL_TRY(bl_scan_int(s, "the tag of an entity", INT32_MIN, INT32_MAX, &entity));
    if (ntag > 2)
        BL_TRY(bl_scan_skip(s, "a tag of an element", ntag - 2, 4));
    BL_TRY(owner_of(g, spot, bl_gmsh_dim(kind), physical, entity, &owner, &fresh));
    if (fresh && physical != 0)
        BL_TRY(add_member(g, &g->owner[owner], physical));
    BL_TRY(add_element(g, spot, kind, tag, owner));
    bl_index *node = g->corner + g->element[g->nelement - 1].first;
    for (int k = 0; k < bl_gmsh_nnode(kind); k++)
        BL_TRY(bl_scan_int(s, "the tag of a node of an element", 1, INT32_MAX, &node[k]));
    return bl_scan_record_end(s);
}

/* text: every element has its type; binary: one header for several elements */
bl_status bl_gmsh_elements2(bl_gmsh *g) {
    bl_scan *s = &g->scan;
    const bl_element_kind *kind;
    bl_index count, type, ntag, tag, n = 1;
    BL_TRY(read_count(g, "elements", 8, &count));
    for (bl_index left = count; left > 0; left -= n) {
        bl_scan_record(s);
        int64_t spot = bl_scan_spot(s);
        if (!s->binary)
            BL_TRY(bl_scan_int(s, "the tag of an element", 1, INT32_MAX, &tag));
        BL_TRY(bl_scan_int(s, "the type of an element", INT32_MIN, INT32_MAX, &type));
        BL_TRY(kind_of(g, spot, type, &kind));
        if (s->binary)
            BL_TRY(bl_scan_int(s, "the number of elements of one type", 1, left, &n));
        BL_TRY(bl_scan_int(s, "the number of tags of an element", 0, INT32_MAX, &ntag));
        BL_TRY(bl_scan_fits(s, spot, ntag, s->binary ? 4 : 2, "tags"));
        for (bl_index k = 0; k < n; k++) {
            if (s->binary) {
                spot = bl_scan_spot(s);
                BL_TRY(bl_scan_int(s, "the tag of an element", 1, INT32_MAX, &tag));
            }
            BL_TRY(read_element2(g, spot, kind, ntag, tag));
        }
    }
    return BL_OK;
}

/* ---- 4.1 */

/* tag, box (of points: the position), physical groups, what bounds it */
static bl_status read_entity(bl_gmsh *g, int dim) {
    bl_scan *s = &g->scan;
    bl_index tag, owner, physical;
    int64_t count;
    bool fresh;
    bl_scan_record(s);
    int64_t spot = bl_scan_spot(s);
    BL_TRY(bl_scan_int(s, "the tag of an entity", INT32_MIN, INT32_MAX, &tag));
    BL_TRY(owner_of(g, spot, dim, tag, 0, &owner, &fresh));
    bl_gmsh_owner *o = &g->owner[owner];
    if (o->declared)
        return bl_scan_fail(s, spot, "entity %d of dimension %d is given twice", tag, dim);
    o->declared = true;
    o->first = g->nmember;
    BL_TRY(bl_scan_skip(s, "a coordinate of an entity", dim == 0 ? 3 : 6, sizeof(double)));
    BL_TRY(bl_scan_size(s, "the number of physical groups of an entity", 0, INT32_MAX, &count));
    BL_TRY(bl_scan_fits(s, spot, count, s->binary ? 4 : 2, "physical groups"));
    for (int64_t k = 0; k < count; k++) {
        BL_TRY(bl_scan_int(s, "the tag of a physical group", -INT32_MAX, INT32_MAX, &physical));
        if (physical == 0)
            return bl_scan_fail(s, spot, "entity %d of dimension %d is in physical group 0, but tags of groups start with 1", tag, dim);
        BL_TRY(add_member(g, o, physical));
    }
    if (dim > 0) {
        BL_TRY(bl_scan_size(s, "the number of entities that bound one", 0, INT32_MAX, &count));
        BL_TRY(bl_scan_skip(s, "the tag of a bounding entity", count, 4));
    }
    BL_TRY(bl_go_on(s->ctx));
    return bl_scan_record_end(s);
}

bl_status bl_gmsh_entities4(bl_gmsh *g) {
    bl_scan *s = &g->scan;
    int64_t count[4];
    s->binary = s->binary_file;
    bl_scan_record(s);
    int64_t spot = bl_scan_spot(s);
    for (int dim = 0; dim < 4; dim++)
        BL_TRY(bl_scan_size(s, "the number of entities", 0, INT32_MAX, &count[dim]));
    BL_TRY(bl_scan_record_end(s));
    for (int dim = 0; dim < 4; dim++) {
        BL_TRY(bl_scan_fits(s, spot, count[dim], s->binary ? 36 : 10, "entities"));
        for (int64_t k = 0; k < count[dim]; k++)
            BL_TRY(read_entity(g, dim));
    }
    return BL_OK;
}

/* number of blocks, total count, smallest and largest tag; the last two are not used */
static bl_status read_head4(bl_gmsh *g, size_t bytes_of_block, size_t bytes_each, const char *things, int64_t *blocks, int64_t *total) {
    bl_scan *s = &g->scan;
    char what[40];
    snprintf(what, sizeof what, "the number of %s", things);
    s->binary = s->binary_file;
    bl_scan_record(s);
    int64_t spot = bl_scan_spot(s);
    BL_TRY(bl_scan_size(s, "the number of blocks", 0, INT32_MAX, blocks));
    BL_TRY(bl_scan_size(s, what, 0, BL_MESH_MOST, total));
    BL_TRY(bl_scan_skip(s, "the smallest and the largest tag", 2, 8));
    BL_TRY(bl_scan_record_end(s));
    BL_TRY(bl_scan_fits(s, spot, *blocks, bytes_of_block, "blocks"));
    return bl_scan_fits(s, spot, *total, bytes_each, things);
}

static bl_status read_node_block(bl_gmsh *g, int64_t most) {
    bl_scan *s = &g->scan;
    bl_index dim, entity, parametric, first = g->nnode;
    int64_t count, tag;
    bl_scan_record(s);
    int64_t spot = bl_scan_spot(s);
    BL_TRY(bl_scan_int(s, "the dimension of an entity", 0, 3, &dim));
    BL_TRY(bl_scan_int(s, "the tag of an entity", INT32_MIN, INT32_MAX, &entity));
    BL_TRY(bl_scan_int(s, "the mark of parametric nodes", 0, 1, &parametric));
    BL_TRY(bl_scan_size(s, "the number of nodes in a block", 0, most, &count));
    BL_TRY(bl_scan_record_end(s));
    bl_index extra = parametric ? dim : 0;
    BL_TRY(bl_scan_fits(s, spot, count, s->binary ? (size_t)(8 * (4 + extra)) : (size_t)(2 * (4 + extra)), "nodes"));
    for (int64_t k = 0; k < count; k++) {
        bl_scan_record(s);
        spot = bl_scan_spot(s);
        BL_TRY(bl_scan_size(s, "the tag of a node", 1, INT32_MAX, &tag));
        BL_TRY(add_node(g, spot, (bl_index)tag));
    }
    for (int64_t k = 0; k < count; k++) {
        bl_scan_record(s);
        BL_TRY(read_position(g, g->node[first + k].x));
        BL_TRY(bl_scan_skip(s, "a parameter of a node", extra, sizeof(double)));
        BL_TRY(bl_scan_record_end(s));
    }
    return BL_OK;
}

bl_status bl_gmsh_nodes4(bl_gmsh *g) {
    int64_t blocks, total, spot = bl_scan_spot(&g->scan);
    BL_TRY(read_head4(g, g->scan.binary_file ? 20 : 8, g->scan.binary_file ? 32 : 8, "nodes", &blocks, &total));
    for (int64_t k = 0; k < blocks; k++)
        BL_TRY(read_node_block(g, total - g->nnode));
    if (g->nnode != total)
        return bl_scan_fail(&g->scan, spot, "%lld nodes are announced, but the blocks contain %d", (long long)total, g->nnode);
    return BL_OK;
}

static bl_status read_element_block(bl_gmsh *g, int64_t most) {
    bl_scan *s = &g->scan;
    const bl_element_kind *kind;
    bl_index dim, entity, type, owner;
    int64_t count, tag;
    bool fresh;
    bl_scan_record(s);
    int64_t spot = bl_scan_spot(s);
    BL_TRY(bl_scan_int(s, "the dimension of an entity", 0, 3, &dim));
    BL_TRY(bl_scan_int(s, "the tag of an entity", INT32_MIN, INT32_MAX, &entity));
    BL_TRY(bl_scan_int(s, "the type of an element", INT32_MIN, INT32_MAX, &type));
    BL_TRY(kind_of(g, spot, type, &kind));
    if (dim != bl_gmsh_dim(kind))
        return bl_scan_fail(s, spot, "elements of type %d have dimension %d, but their entity has %d", type, bl_gmsh_dim(kind), dim);
    BL_TRY(owner_of(g, spot, dim, entity, 0, &owner, &fresh));
    BL_TRY(bl_scan_size(s, "the number of elements in a block", 0, most, &count));
    BL_TRY(bl_scan_record_end(s));
    BL_TRY(bl_scan_fits(s, spot, count, (size_t)((s->binary ? 8 : 2) * (1 + bl_gmsh_nnode(kind))), "elements"));
    for (int64_t k = 0; k < count; k++) {
        bl_scan_record(s);
        spot = bl_scan_spot(s);
        BL_TRY(bl_scan_size(s, "the tag of an element", 1, INT32_MAX, &tag));
        BL_TRY(add_element(g, spot, kind, (bl_index)tag, owner));
        bl_index *node = g->corner + g->element[g->nelement - 1].first;
        for (int i = 0; i < bl_gmsh_nnode(kind); i++) {
            BL_TRY(bl_scan_size(s, "the tag of a node of an element", 1, INT32_MAX, &tag));
            node[i] = (bl_index)tag;
        }
        BL_TRY(bl_scan_record_end(s));
    }
    return BL_OK;
}

bl_status bl_gmsh_elements4(bl_gmsh *g) {
    int64_t blocks, total, spot = bl_scan_spot(&g->scan);
    BL_TRY(read_head4(g, g->scan.binary_file ? 20 : 8, g->scan.binary_file ? 16 : 4, "elements", &blocks, &total));
    for (int64_t k = 0; k < blocks; k++)
        BL_TRY(read_element_block(g, total - g->nelement));
    if (g->nelement != total)
        return bl_scan_fail(&g->scan, spot, "%lld elements are announced, but the blocks contain %d", (long long)total, g->nelement);
    return BL_OK;
}
