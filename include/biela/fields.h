/* fields: meshes and values on their nodes and cells, as passed to sinks (bl_run_info, bl_sample). Cells have the types and node orders of
 * VTK files. */
#ifndef BIELA_FIELDS_H
#define BIELA_FIELDS_H

#include "biela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A named set of nodes or cells. */
typedef struct bl_run_set {
    const char *name;
    bool of_cells;
    bl_index count;
    const bl_index *item; /* [count] ascending, from 0 */
} bl_run_set;

/* The mesh of a body or scalar field, in its reference configuration. */
typedef struct bl_run_mesh {
    const char *name; /* of the body or field */
    int dim;
    bl_index nnode, ncell;
    const double (*x)[3];       /* [nnode] */
    const uint8_t *type;        /* [ncell] VTK cell types */
    const bl_index *offset;     /* [ncell + 1] first node of each cell */
    const bl_index *node;       /* [offset[ncell]] from 0, in VTK order */
    const bl_index *node_label; /* [nnode] numbers in the mesh file; NULL: 1, 2, ... */
    const bl_index *cell_label; /* [ncell] likewise */
    const bl_index *material;   /* [ncell] index into bl_run_info.material */
    bl_index nset;
    const bl_run_set *set;
} bl_run_mesh;

/* A field: `components` numbers for every node or cell of a mesh. */
typedef struct bl_field {
    const char *name;        /* "displacement", "stress", ... */
    const char *unit;        /* NULL: chosen by the user */
    const char *description; /* a short text */
    bl_index mesh;           /* index into bl_run_info.mesh; before that list is made, into the solids of the model */
    bool on_cells;           /* else on nodes */
    bl_index items;
    int components; /* 1; 3: a vector, also in the plane; 6 and 4: symmetric tensors 11, 22, 33, 12 (, 23, 13) */
} bl_field;

#ifdef __cplusplus
}
#endif

#endif
