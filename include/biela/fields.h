/* fields: meshes and the numbers on their nodes and cells, as runs hand them out (bl_run_info, bl_sample). Cells have the types and the
 * orders of nodes of VTK files. */
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
    const uint8_t *type;        /* [ncell] types of VTK */
    const bl_index *offset;     /* [ncell + 1] where the nodes of each cell begin */
    const bl_index *node;       /* [offset[ncell]] from 0, in the order of VTK */
    const bl_index *node_label; /* [nnode] numbers in the file that it was read from; NULL: 1, 2, ... */
    const bl_index *cell_label; /* [ncell] likewise */
    const bl_index *material;   /* [ncell] of bl_run_info.material, from 0 */
    bl_index nset;
    const bl_run_set *set;
} bl_run_mesh;

/* A field: `components` numbers for every node or cell of a mesh. */
typedef struct bl_field {
    const char *name;        /* "displacement", "stress", ... */
    const char *unit;        /* NULL: that of the user */
    const char *description; /* in words */
    bl_index mesh;           /* of bl_run_info.mesh; left of the sinks: of the solids of a model */
    bool on_cells;           /* else on nodes */
    bl_index items;
    int components; /* 1; 3: a vector, in the plane too; 6 and 4: symmetric tensors 11, 22, 33, 12 (, 23, 13) */
} bl_field;

#ifdef __cplusplus
}
#endif

#endif
