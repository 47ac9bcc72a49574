/* hdf5_fields: meshes and fields of a result file, and the group /VTKHDF that shows the same numbers to ParaView. Private to the HDF5
 * sink. */
#ifndef BL_HDF5_FIELDS_H
#define BL_HDF5_FIELDS_H

#include "output/hdf5_series.h"
#include "output/hdf5_virtual.h"

/* what /VTKHDF/Steps has for every time */
typedef enum bl_h5_step {
    BL_H5_STEP_ZERO,
    BL_H5_STEP_ZERO_LIST,
    BL_H5_STEP_PARTS,
    BL_H5_STEP_POINTS,
    BL_H5_STEP_CELLS,
    BL_H5_STEPS
} bl_h5_step;

/* datasets of a mesh */
typedef struct bl_h5_mesh {
    char *name; /* of its groups: / and % of the body's are %2F and %25 */
    uint64_t points, connectivity, offsets, types, material, set;
} bl_h5_mesh;

typedef struct bl_h5_fields {
    bl_context *ctx;
    const bl_run_info *info;
    bl_h5_recorder *recorder;
    bl_h5_bytes *header; /* work */
    bl_index first;      /* series of the first field */
    bl_index step;       /* and of the first of bl_h5_step */
    bl_h5_mesh *mesh;
    bl_h5_heap heap;
    bl_h5_bytes steps; /* header of the group, whose number of times changes */
    bl_index steps_count;
    uint64_t steps_address;
    uint64_t meshes, fields, materials, vtk; /* groups, and names of materials */
    bool shown;                              /* the group /VTKHDF can be read */
} bl_h5_fields;

/* Series of all fields, before bl_h5_begin. */
bl_status bl_h5_fields_series(bl_h5_fields *f);
/* Groups, behind it. time: header of the dataset of times. */
bl_status bl_h5_fields_groups(bl_h5_fields *f, uint64_t time);
void bl_h5_fields_gather(bl_h5_fields *f, const bl_sample *sample);
void bl_h5_fields_gathered(bl_h5_fields *f); /* behind bl_h5_end_row */
/* Behind bl_h5_flush. true: the group /VTKHDF is new, the root should name it. */
bool bl_h5_fields_flush(bl_h5_fields *f);
void bl_h5_fields_destroy(bl_h5_fields *f);

#endif
