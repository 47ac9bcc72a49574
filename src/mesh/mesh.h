/* mesh: nodes, elements by kind, named sets of nodes, faces and elements. Geometry alone; immutable once finished. */
#ifndef BL_MESH_H
#define BL_MESH_H

#include "base/hash.h"
#include "mesh/element.h"

/* elements of one kind, numbered first, first + 1, ... among all */
typedef struct bl_mesh_block {
    const bl_element_kind *kind;
    bl_index count, first;
    const bl_index *node; /* [count][kind->nnode] */
} bl_mesh_block;

typedef enum bl_set_what { BL_SET_NODES, BL_SET_FACES, BL_SET_ELEMENTS } bl_set_what;

typedef struct bl_mesh_set {
    const char *name;
    bl_set_what what;
    bl_index count;
    const bl_index *item; /* nodes or elements, ascending; of faces: their elements */
    const uint8_t *face;  /* of faces: which one of the element's; else NULL */
} bl_mesh_set;

typedef struct bl_mesh {
    bl_arena arena; /* holds everything below */
    int dim;        /* of space: all three coordinates are there, those beyond are 0. Elements have it too, or all are segments */
    bl_index nnode, nelement, nblock, nset;
    double (*x)[3]; /* [nnode] */
    bl_mesh_block *block;
    bl_mesh_set *set;
    bl_index *label; /* [nnode] numbers of the nodes in a file; NULL: 1, 2, ... */
    bl_index *element_label;
} bl_mesh;

void bl_mesh_destroy(bl_mesh *mesh);                                                        /* accepts half-built ones */
const bl_mesh_set *bl_mesh_set_of(const bl_mesh *mesh, const char *name, bl_set_what what); /* NULL: none of this name and kind */
/* block and number in it of an element */
const bl_mesh_block *bl_mesh_block_of(const bl_mesh *mesh, bl_index element, bl_index *at);
/* All faces that belong to one element only, in the order of elements. Storage from the mesh's arena, anew at every call. Linear in the
 * number of elements. A face of more than two elements is refused,
 * unless it is a node where segments of the plane or of space meet. */
bl_status bl_mesh_boundary(bl_mesh *mesh, bl_index *count, const bl_index **element, const uint8_t **face);
/* The element that holds a point, and where in it; -1: outside. Within 1e-9 of the element's size counts as inside; of several the first.
 * The boxes of all elements are compared, without memory or state: 30 to 100 ns per element and point. */
bl_index bl_mesh_locate(const bl_mesh *mesh, const double at[3], double xi[3]);
/* In the plane or in space, made of segments. */
static inline bool bl_mesh_of_bars(const bl_mesh *mesh) { return mesh->dim > 1 && mesh->nblock > 0 && mesh->block[0].kind->dim == 1; }
/* Volume (area, length) by the elements' own rules. */
double bl_mesh_volume(const bl_mesh *mesh);

/* ---- making one. Zeroed builder with ctx and dim set; everything given is copied. */

typedef struct bl_mesh_builder {
    bl_context *ctx;
    bl_place place;                                              /* of the mesh in the model, for messages */
    bl_place (*element_place)(const void *user, bl_index label); /* ... of an element; NULL: that of the mesh */
    const void *user;
    int dim;
    bl_index nnode, node_room, nelement;
    bl_index expected; /* elements */
    bool loose;        /* nodes that no element has may be there */
    double (*x)[3];
    bl_index *label;
    struct bl_mesh_part *part; /* elements as they come, sets as they come: mesh_builder.c */
    bl_index npart, part_room;
    struct bl_mesh_named *named;
    bl_index nnamed, named_room;
    bl_hash names; /* of the sets */
} bl_mesh_builder;

/* Room for as many as will come: fails at once where there are too many (BL_MESH_MOST). */
bl_status bl_mesh_expect(bl_mesh_builder *b, int64_t nodes, int64_t elements);
bl_status bl_mesh_add_node(bl_mesh_builder *b, bl_index label, const double x[3]); /* label 0: none */
/* Nodes from 0; they may come later. The kind must have the dimension of the mesh, or all are segments: bars. */
bl_status bl_mesh_add_element(bl_mesh_builder *b, const bl_element_kind *kind, bl_index label, const bl_index *node);
/* Adds to the set of this name and kind, begun when it is new; of faces `item` are elements (in the order they were added). */
bl_status bl_mesh_add_to_set(bl_mesh_builder *b, const char *name, bl_set_what what, bl_index item, uint8_t face);
/* Checks (nodes in range, every node used unless `loose`, no element inverted or degenerate: named with its number) and gives the mesh;
 * the builder is empty afterwards, also after failure. Elements are sorted by kind, in the order of element_list.h; those of one kind
 * keep their order. The determinant of an element's map must be positive at the points of its rules and not negative in its corners,
 * where it may vanish (collapsed edges, quarter points). Coordinates beyond `dim` must be 0 but for rounding. */
bl_status bl_mesh_finish(bl_mesh_builder *b, bl_mesh *mesh);
void bl_mesh_builder_destroy(bl_mesh_builder *b);

/* More nodes or elements than this are refused with the number before memory is asked for: indices are 32 bits, unknowns three a node. */
enum { BL_MESH_MOST = 20000000 };

/* ---- generators: kinds with parameters, one file each; to add one: copy rectangle.c, add a line to generator_list.h */

typedef struct bl_generator_kind {
    bl_kind kind;
    int dim;
    /* value[]: by the kind's table; element: what to fill it with, of the generator's dimension. The builder is new, with dim set. */
    bl_status (*generate)(bl_mesh_builder *, const bl_value *value, const bl_element_kind *element);
} bl_generator_kind;

#define BL_KIND(name) extern const bl_generator_kind bl_generator_##name;
#include "mesh/generator_list.h"
#undef BL_KIND
extern const bl_generator_kind *const bl_generator_kinds[];
extern const size_t bl_generator_kind_count;

/* Moves corners that are on no boundary by up to `share` (0 to 0.5) of the distance to their nearest neighbor, by a fixed sequence of
 * pseudo-random numbers from the seed; boundaries stay where they are, and straight edges of quadratic elements straight. Where an element
 * would be inverted, its corners move half as far, and again. */
bl_status bl_mesh_distort(bl_mesh *mesh, double share, uint64_t seed);

/* ---- files */

/* Gmsh .msh 2.2 and 4.1, text and binary, of bytes in memory, into a new builder; name stands in messages, with line or byte. The
 * elements are those of the highest dimension, which must be b->dim (0: whatever it is) or 1: bars; nodes that none of them has are left
 * out; tags become labels. Physical groups become sets, named by their number where they have no name: of the highest dimension sets of
 * elements; one less sets of faces and sets of nodes, a face between two elements going to the one whose outward normal is the face's
 * own; below, sets of nodes. */
bl_status bl_mesh_read_gmsh(bl_mesh_builder *b, const char *name, const unsigned char *bytes, size_t count);

#endif
