/* hdf5_virtual: datasets whose elements are stored in other datasets of the same file, so that the same numbers have two shapes. Their
 * maps are in one global heap. The HDF Group, HDF5 File Format Specification 3.0 (III.E global heap; III.F its block for virtual datasets;
 * selections in the part on references). HDF5 since 1.10 reads them. */
#ifndef BL_HDF5_VIRTUAL_H
#define BL_HDF5_VIRTUAL_H

#include "output/hdf5_format.h"

/* A part of a virtual dataset. Growing: its `block` rows from start, start + stride, ... on are the times of a source [time][block][width];
 * else its `block` rows from start on are the source. */
typedef struct bl_h5_piece {
    const char *source; /* path in the file */
    uint64_t start, block;
} bl_h5_piece;

typedef struct bl_h5_virtual {
    bl_h5_type type;
    uint64_t stride;               /* rows of one time */
    int width;                     /* components; 1: no dimension */
    bool growing;                  /* one row of the source for every time */
    double missing;                /* value of rows that are in no piece */
    uint64_t address;              /* of the header */
    bl_h5_bytes header;            /* as in the file */
    bl_index sizes;                /* offset of the sizes in the header */
    bl_index object, object_bytes; /* offset of its map in the heap, and its length */
    bl_index *count;               /* [2 pieces] offsets of the number of times in the heap */
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

/* Adds a dataset of pieces, number heap->n - 1. Rows in no piece are NaN; `missing` may be changed before bl_h5_heap_begin. */
bl_status bl_h5_heap_add(bl_h5_heap *heap, bl_h5_type type, uint64_t stride, int width, bool growing, bl_index npiece,
                         const bl_h5_piece *piece);
/* After the last dataset was added: allocates space for the heap and the headers. Nothing is written yet. */
bl_status bl_h5_heap_begin(bl_h5_heap *heap);
/* Writes heap and headers for this number of times, at least one. */
void bl_h5_heap_write(bl_h5_heap *heap, uint64_t times);
void bl_h5_heap_destroy(bl_h5_heap *heap);

#endif
