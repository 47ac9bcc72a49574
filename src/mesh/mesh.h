/* mesh: nodes, elements by kind, named sets of nodes, faces and elements. Geometry only; immutable once finished. */
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
    const bl_index *item; /* nodes or elements, ascending; for faces: their elements */
    const uint8_t *face;  /* for faces: number of the face of the element; else NULL */
} bl_mesh_set;

typedef struct bl_mesh {
    bl_arena arena; /* holds everything below */
    int dim; /* of space: all three coordinates are stored, the remaining ones are 0. Elements have this dimension, or all are segments */
    bl_index nnode, nelement, nblock, nset;
    double (*x)[3]; /* [nnode] */
    bl_mesh_block *block;
    bl_mesh_set *set;
    bl_index *label; /* [nnode] numbers of the nodes in the file; NULL: 1, 2, ... */
    bl_index *element_label;
} bl_mesh;

void bl_mesh_destroy(bl_mesh *mesh);                                                        /* accepts half-built ones */
const bl_mesh_set *bl_mesh_set_of(const bl_mesh *mesh, const char *name, bl_set_what what); /* NULL: none of this name and kind */
/* block of an element; *at: its index in the block */
const bl_mesh_block *bl_mesh_block_of(const bl_mesh *mesh, bl_index element, bl_index *at);
/* All faces that belong to one element only, in the order of elements. Storage from the mesh's arena, anew at every call. Linear in the
 * number of elements. A face of more than two elements is refused,
 * unless it is a node where segments of the plane or of space meet. */
bl_status bl_mesh_boundary(bl_mesh *mesh, bl_index *count, const bl_index **element, const uint8_t **face);
/* The element that contains a point, and its reference coordinates; -1: outside. Within 1e-9 of the element's size counts as inside; of
 * several elements the first one is returned. Compares the boxes of all elements, without memory or state: 30 to 100 ns per element and
 * point. */
bl_index bl_mesh_locate(const bl_mesh *mesh, const double at[3], double xi[3]);
/* The element nearest to a point outside, and about how far it is: at most its distance from the nearest node. */
bl_index bl_mesh_nearest(const bl_mesh *mesh, const double at[3], double *distance);
/* A mesh of segments in the plane or in space. */
static inline bool bl_mesh_of_bars(const bl_mesh *mesh) { return mesh->dim > 1 && mesh->nblock > 0 && mesh->block[0].kind->dim == 1; }
/* Volume (area, length) by the elements' own rules. */
double bl_mesh_volume(const bl_mesh *mesh);

/* ---- building a mesh. The builder starts as zeros with ctx and dim set; all input is copied. */

typedef struct bl_mesh_builder {
    bl_context *ctx;
    bl_place place;                                              /* of the mesh in the model, for messages */
    bl_place (*element_place)(const void *user, bl_index label); /* that of an element; NULL: as the mesh */
    const void *user;
    int dim;
    bl_index nnode, node_room, nelement;
    bl_index expected; /* elements */
    bool loose;        /* nodes without elements are allowed */
    double (*x)[3];
    bl_index *label;
    struct bl_mesh_part *part; /* elements and sets in the order of input: mesh_builder.c */
    bl_index npart, part_room;
    struct bl_mesh_named *named;
    bl_index nnamed, named_room;
    bl_hash names; /* of the sets */
} bl_mesh_builder;

/* Reserves memory; fails at once if there are too many (BL_MESH_MOST). */
bl_status bl_mesh_expect(bl_mesh_builder *b, int64_t nodes, int64_t elements);
bl_status bl_mesh_add_node(bl_mesh_builder *b, bl_index label, const double x[3]); /* label 0: none */
/* Nodes are numbered from 0 and may be added later. The kind must have the dimension of the mesh, or all elements are segments: bars. */
bl_status bl_mesh_add_element(bl_mesh_builder *b, const bl_element_kind *kind, bl_index label, const bl_index *node);
/* Adds to the set of this name and kind, which is created if it is new; for faces, `item` is the element (in the order of adding). */
bl_status bl_mesh_add_to_set(bl_mesh_builder *b, const char *name, bl_set_what what, bl_index item, uint8_t face);
/* Checks (nodes in range, every node used unless `loose`, no element inverted or degenerate: the message has its number) and returns the
 * mesh; the builder is empty afterwards, also after failure. Elements are sorted by kind, in the order of element_list.h; those of one kind
 * keep their order. The determinant of an element's map must be positive at the points of its rules and not negative in its corners,
 * where it may vanish (collapsed edges, quarter points). Coordinates beyond `dim` must be 0 except for rounding. */
bl_status bl_mesh_finish(bl_mesh_builder *b, bl_mesh *mesh);
void bl_mesh_builder_destroy(bl_mesh_builder *b);

/* More nodes or elements than this are refused before memory is allocated: indices have 32 bits, and a node has three unknowns. */
enum { BL_MESH_MOST = 20000000 };

/* ---- generators: kinds with parameters, one file each; to add one: copy rectangle.c, add a line to generator_list.h */

typedef struct bl_generator_kind {
    bl_kind kind;
    int dim;
    /* value[]: in the order of the kind's parameters; element: of the generator's dimension. The builder is new, with dim set. */
    bl_status (*generate)(bl_mesh_builder *, const bl_value *value, const bl_element_kind *element);
} bl_generator_kind;

#define BL_KIND(name) extern const bl_generator_kind bl_generator_##name;
#include "mesh/generator_list.h"
#undef BL_KIND
extern const bl_generator_kind *const bl_generator_kinds[];
extern const size_t bl_generator_kind_count;

/* Moves corners that are not on the boundary by up to `share` (0 to 0.5) of the distance to their nearest neighbor, by a fixed sequence of
 * pseudo-random numbers from the seed; boundaries do not move, and straight edges of quadratic elements stay straight. If an element would
 * be inverted, the displacement of its corners is halved, repeatedly if necessary. */
bl_status bl_mesh_distort(bl_mesh *mesh, double share, uint64_t seed);

/* ---- files */

/* Gmsh .msh 2.2 and 4.1, text and binary, from bytes in memory, into a new builder; name: used in messages, with line or byte. The
 * elements are those of the highest dimension, which must be b->dim (0: any) or 1: bars; nodes that none of them uses are left out; tags
 * become labels. Physical groups become sets, named by their number if they have no name: highest dimension: sets of elements; one less:
 * sets of faces and sets of nodes, a face between two elements being assigned to the one whose outward normal is that of the face; lower:
 * sets of nodes. */
bl_status bl_mesh_read_gmsh(bl_mesh_builder *b, const char *name, const unsigned char *bytes, size_t count);

#endif
