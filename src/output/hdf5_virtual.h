/* hdf5_virtual: datasets whose elements stand in others of the same file, so that one set of numbers has two shapes. Their maps lie in one
 * global heap. The HDF Group, HDF5 File Format Specification 3.0 (III.E global heap; III.F its block for virtual datasets; selections in
 * the part on references). HDF5 since 1.10 reads them. */
#ifndef BL_HDF5_VIRTUAL_H
#define BL_HDF5_VIRTUAL_H

#include "output/hdf5_format.h"

/* A part of a virtual dataset: rows start, start + stride, ... of it, `block` in a row, are the first rows of a source [time][block][width]
 * (growing), or its `block` rows alone. */
typedef struct bl_h5_piece {
    const char *source; /* path in the file */
    uint64_t start, block;
} bl_h5_piece;

typedef struct bl_h5_virtual {
    bl_h5_type type;
    uint64_t stride;               /* rows of one time */
    int width;                     /* components; 1: no dimension */
    bool growing;                  /* one row of the source for every time */
    double missing;                /* of rows that are in no piece */
    uint64_t address;              /* of the header */
    bl_h5_bytes header;            /* as it stands in the file */
    bl_index sizes;                /* where its sizes stand */
    bl_index object, object_bytes; /* where its map stands in the heap */
    bl_index *count;               /* [2 pieces] where the number of times stands there */
    bl_index ncount, count_room;
} bl_h5_virtual;

typedef struct bl_h5_heap {
    bl_context *ctx;
    bl_h5_file *file;
    uint64_t address;
    bl_h5_bytes bytes;
    bl_index n, room;
    bl_h5_virtual *set;
} bl_h5_heap;

/* One more dataset, of pieces; which one: heap->n - 1. Rows in no piece are NaN; its `missing` may be set before bl_h5_heap_begin. */
bl_status bl_h5_heap_add(bl_h5_heap *heap, bl_h5_type type, uint64_t stride, int width, bool growing, bl_index npiece,
                         const bl_h5_piece *piece);
/* Behind the last one: space for the heap and the headers, which refer to it. Nothing is written yet. */
bl_status bl_h5_heap_begin(bl_h5_heap *heap);
/* Heap and headers for so many times, at least one. */
void bl_h5_heap_write(bl_h5_heap *heap, uint64_t times);
void bl_h5_heap_destroy(bl_h5_heap *heap);

#endif
