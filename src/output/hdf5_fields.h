/* hdf5_fields: meshes and fields of a result file, and the group /VTKHDF, which presents the same data to ParaView. Private to the HDF5
 * sink. */
#ifndef BL_HDF5_FIELDS_H
#define BL_HDF5_FIELDS_H

#include "output/hdf5_series.h"
#include "output/hdf5_virtual.h"

/* series in /VTKHDF/Steps, with one row per time */
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
    char *name; /* of its groups: the body's name with / and % as %2F and %25 */
    uint64_t points, connectivity, offsets, types, material, set;
} bl_h5_mesh;

typedef struct bl_h5_fields {
    bl_context *ctx;
    const bl_run_info *info;
    bl_h5_recorder *recorder;
    bl_h5_bytes *header; /* workspace */
    bl_index first;      /* series of the first field */
    bl_index step;       /* series of the first bl_h5_step */
    bl_h5_mesh *mesh;
    bl_h5_heap heap;
    bl_h5_bytes steps; /* header of the group Steps, whose number of times changes */
    bl_index steps_count;
    uint64_t steps_address;
    uint64_t meshes, fields, materials, vtk; /* groups; names of materials */
    bool shown;                              /* the group /VTKHDF is in the file */
} bl_h5_fields;

/* Adds the series of all fields; before bl_h5_begin. */
bl_status bl_h5_fields_series(bl_h5_fields *f);
/* Writes the groups; after bl_h5_begin. time: header of the dataset of times. */
bl_status bl_h5_fields_groups(bl_h5_fields *f, uint64_t time);
void bl_h5_fields_gather(bl_h5_fields *f, const bl_sample *sample);
void bl_h5_fields_gathered(bl_h5_fields *f); /* after bl_h5_end_row */
/* After bl_h5_flush. true: the group /VTKHDF is new and must be linked in the root group. */
bool bl_h5_fields_flush(bl_h5_fields *f);
void bl_h5_fields_destroy(bl_h5_fields *f);

#endif
