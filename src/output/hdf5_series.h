/* hdf5_series: time series as growing datasets [time][item][component] of a result file. Rows are collected in memory, one block of rows
 * per series; full blocks are written as chunks. */
#ifndef BL_HDF5_SERIES_H
#define BL_HDF5_SERIES_H

#include "output/hdf5_format.h"

/* ---- B-tree of the chunks of a dataset, appended in ascending order; only its right edge is in memory */

enum { BL_H5_LEVELS = 5, BL_H5_FANOUT = 64 }; /* 64: entries of a node, the default of the format */
typedef struct bl_h5_key {
    uint32_t bytes, mask;
    uint64_t at[3]; /* first element of the chunk */
} bl_h5_key;
typedef struct bl_h5_index {
    int rank, depth; /* depth 0: no chunk yet */
    size_t node_bytes;
    bl_index used[BL_H5_LEVELS]; /* entries of the newest node of each level */
    uint64_t address[BL_H5_LEVELS];
    unsigned char *image[BL_H5_LEVELS];
} bl_h5_index;

bl_status bl_h5_index_create(bl_context *ctx, int rank, bl_h5_index *index);
void bl_h5_index_destroy(bl_context *ctx, bl_h5_index *index);
/* Before count chunks are appended: begins another leaf unless they fit in the newest one. first: at most the key of the first chunk. */
bl_status bl_h5_index_room(bl_h5_file *file, bl_h5_index *index, bl_index count, const bl_h5_key *first);
bl_status bl_h5_index_append(bl_h5_file *file, bl_h5_index *index, const bl_h5_key *key, uint64_t child);
/* Writes the right edge; bound: key after the last chunk. */
void bl_h5_index_write(const bl_h5_file *file, const bl_h5_index *index, const bl_h5_key *bound);

/* ---- series */

/* One component of some items: one chunk per block. */
typedef struct bl_h5_column {
    uint64_t now, leaving, spare; /* space for a full chunk: of the current chunk, in use until the next flush, free */
    bl_index waits, wait;         /* blocks until deflating is tried again; the next such number */
} bl_h5_column;

typedef struct bl_h5_series {
    bl_h5_type type;               /* numbers, or integers, whose bits are stored in the block */
    bl_index items;                /* 0: no dimension of items */
    int width;                     /* components; 1: no dimension */
    size_t row;                    /* numbers of one row */
    double *block;                 /* [block_rows][row] */
    bool borrowed;                 /* block belongs to the caller, who sets it for each row; block_rows is 1 */
    bl_index chunk_items, ncolumn; /* ncolumn: of items x components */
    bl_h5_column *column;
    bl_h5_index index;
    bl_index kept;      /* entries of the newest leaf for full blocks */
    uint64_t address;   /* of the header */
    bl_h5_bytes header; /* as in the file */
    bl_h5_offsets offsets;
} bl_h5_series;

typedef struct bl_h5_recorder {
    bl_context *ctx;
    bl_h5_file *file; /* may be shared by recorders with different numbers of rows */
    bl_index nseries, capacity;
    bl_h5_series *series;
    size_t row;          /* numbers in one row of all series */
    bl_index block_rows; /* also rows of a chunk */
    bl_index pending;    /* rows in the blocks */
    uint64_t blocks;     /* full blocks in the file */
    double *chunk;       /* a chunk before it is written */
    unsigned char *shuffled, *deflated;
    size_t most_chunk; /* bytes */
    struct bl_h5_deflate *deflate;
} bl_h5_recorder;

/* Rows of a block, for `row` numbers per row; samples: expected number of rows, 0: unknown. */
bl_index bl_h5_block_rows(size_t row, long samples);
/* Adds a series, recorder->series[nseries - 1], whose header is not yet written. what: a description; unit may be NULL. */
bl_status bl_h5_add_series(bl_h5_recorder *r, bl_index items, int width, const char *unit, const char *what);
/* After the last series was added. */
bl_status bl_h5_begin(bl_h5_recorder *r);
/* Call after a row was stored at index `pending` of all blocks: counts it, and writes the blocks when they are full. */
bl_status bl_h5_end_row(bl_h5_recorder *r);
/* Writes everything, so that the file is readable up to the last row. */
bl_status bl_h5_flush(bl_h5_recorder *r);
void bl_h5_recorder_destroy(bl_h5_recorder *r);

#endif
