/* gmsh: private to the reader of Gmsh files. Reading order: gmsh_scan.c (bytes to numbers), gmsh_sections.c (nodes, elements and entities
 * of versions 2.2 and 4.1), gmsh.c (sections of a file), gmsh_build.c (nodes and elements of the mesh), gmsh_sets.c (physical groups to
 * sets). */
#ifndef BL_GMSH_H
#define BL_GMSH_H

#include "mesh/mesh.h"

/* ---- scan: reads numbers and keeps track of the position in the file. Files are not trusted: for any bytes, a call returns a number
 * within its limits or fails with a message. `what`: name of the expected item in messages. */

typedef struct bl_scan {
    bl_context *ctx;
    const char *name; /* of the file */
    const unsigned char *bytes;
    size_t count, at;
    int64_t line;
    bool binary_file; /* messages show bytes instead of lines */
    bool binary;      /* the next number is binary */
} bl_scan;

/* present position for bl_scan_fail: a line, in binary files a byte */
int64_t bl_scan_spot(const bl_scan *s);
bl_status bl_scan_fail(const bl_scan *s, int64_t spot, const char *format, ...) BL_PRINTF(3, 4);
/* Text: skips blanks and line ends. Binary: does nothing. */
void bl_scan_record(bl_scan *s);
/* Text: the line must end here; continues with the next one. Binary: does nothing. */
bl_status bl_scan_record_end(bl_scan *s);
/* Integers from `low` to `high`, of 4 and 8 bytes in binary files; finite numbers. */
bl_status bl_scan_int(bl_scan *s, const char *what, int32_t low, int32_t high, bl_index *out);
bl_status bl_scan_size(bl_scan *s, const char *what, int64_t low, int64_t high, int64_t *out);
bl_status bl_scan_number(bl_scan *s, const char *what, double *out);
/* Skips n numbers of bytes_each bytes in binary files, n words of the line in text. */
bl_status bl_scan_skip(bl_scan *s, const char *what, int64_t n, size_t bytes_each);
/* Refuses a count that needs more bytes than are left, before memory is allocated. */
bl_status bl_scan_fits(const bl_scan *s, int64_t spot, int64_t n, size_t bytes_each, const char *what);

/* ---- contents of the file */

typedef struct bl_gmsh_node {
    int64_t spot;
    double x[3];
    bl_index tag, number; /* number: in the mesh, from 0; -1: unused */
} bl_gmsh_node;

typedef struct bl_gmsh_element {
    int64_t spot;
    const bl_element_kind *kind; /* NULL: a point */
    bl_index tag, owner;
    bl_index first;   /* of its nodes in bl_gmsh.corner: tags, then indices of bl_gmsh.node */
    bl_index element; /* highest dimension: number in the mesh; faces: their element; -1: none yet */
    uint8_t face;     /* faces: face of that element */
    bool agrees;      /* faces: with the same orientation */
} bl_gmsh_element;

/* a physical group */
typedef struct bl_gmsh_group {
    int64_t spot; /* that names it first */
    int dim;
    bl_index tag;
    const char *name; /* NULL: it has none */
    bool used;        /* an element belongs to it */
} bl_gmsh_group;

/* Elements belong to an owner: an entity (4.1), or a pair of physical group and entity (2.2). Its groups are member[first], ... */
typedef struct bl_gmsh_owner {
    int64_t spot; /* that names it first */
    int dim;
    bool declared;        /* 4.1: in $Entities */
    bl_index tag, entity; /* 4.1: only tag, that of the entity */
    bl_index first, count;
    bl_index forward, backward; /* plane elements: counterclockwise, clockwise */
} bl_gmsh_owner;

typedef struct bl_gmsh {
    bl_scan scan;
    bl_arena arena; /* names */
    int version;    /* 22 or 41 */
    bl_gmsh_node *node;
    bl_index nnode, node_room;
    bl_gmsh_element *element;
    bl_index nelement, element_room;
    bl_index *corner, ncorner, corner_room; /* all nodes of elements */
    bl_gmsh_group *group;
    bl_index ngroup, group_room;
    bl_gmsh_owner *owner;
    bl_index nowner, owner_room;
    bl_index *member, nmember, member_room; /* groups of owners */
    bl_hash groups, owners;                 /* by dimension and tags */
    bool has_nodes, has_elements, has_entities, has_names;
    /* set while the mesh is built */
    int dim, space;            /* highest dimension of elements; dimension of the mesh, which is higher for bars */
    bl_index *original;        /* index in `element` of the elements of the mesh, in their order */
    bl_index noriginal, first; /* first: number of the first of them in the mesh */
} bl_gmsh;

/* Index of a physical group, created if it is new. */
bl_status bl_gmsh_group_of(bl_gmsh *g, int dim, bl_index tag, bl_index *group);

/* ---- gmsh_sections.c: contents of $Nodes, $ParametricNodes, $Elements, $Entities */
bl_status bl_gmsh_nodes2(bl_gmsh *g, bool parametric);
bl_status bl_gmsh_elements2(bl_gmsh *g);
bl_status bl_gmsh_entities4(bl_gmsh *g);
bl_status bl_gmsh_nodes4(bl_gmsh *g);
bl_status bl_gmsh_elements4(bl_gmsh *g);

/* ---- gmsh_build.c */
bl_status bl_gmsh_build(bl_gmsh *g, bl_mesh_builder *b);
static inline int bl_gmsh_dim(const bl_element_kind *kind) { return kind ? kind->dim : 0; }
static inline int bl_gmsh_nnode(const bl_element_kind *kind) { return kind ? kind->nnode : 1; }
static inline int bl_gmsh_ncorner(const bl_element_kind *kind) { return kind ? kind->ncorner : 1; }
/* Nodes of an element of the highest dimension in the order of its kind, with positive orientation. */
void bl_gmsh_nodes_of(const bl_gmsh *g, const bl_gmsh_element *e, bl_index *node);
/* Corners in ascending order, and their hash key. */
typedef struct bl_gmsh_corners {
    int n;
    bl_index node[8];
} bl_gmsh_corners;
bl_gmsh_corners bl_gmsh_sorted(int n, const bl_index *node);
uint64_t bl_gmsh_corners_key(const bl_gmsh_corners *corners);
bool bl_gmsh_corners_same(const bl_gmsh_corners *a, const bl_gmsh_corners *b);

/* ---- gmsh_sets.c */
bl_status bl_gmsh_sets(bl_gmsh *g, bl_mesh_builder *b);

#endif
