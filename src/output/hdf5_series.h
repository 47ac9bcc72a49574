/* hdf5_series: numbers that grow in time, as datasets [time][item][component] of a result file. Rows are gathered in memory, one block of
 * rows for all series; a full block goes to the file as chunks. */
#ifndef BL_HDF5_SERIES_H
#define BL_HDF5_SERIES_H

#include "output/hdf5_format.h"

/* ---- B-tree of the chunks of a dataset, which come in ascending order; only its right edge is in memory */

enum { BL_H5_LEVELS = 5, BL_H5_FANOUT = 64 }; /* 64: entries of a node, where the superblock says nothing else */
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
/* Where count chunks come next: begins another leaf unless they fit in the newest one. first: of the first one, or less. */
bl_status bl_h5_index_room(bl_h5_file *file, bl_h5_index *index, bl_index count, const bl_h5_key *first);
bl_status bl_h5_index_append(bl_h5_file *file, bl_h5_index *index, const bl_h5_key *key, uint64_t child);
/* Writes the right edge; bound: behind all chunks. */
void bl_h5_index_write(const bl_h5_file *file, const bl_h5_index *index, const bl_h5_key *bound);

/* ---- series */

/* One component of some items: a chunk of every block. */
typedef struct bl_h5_column {
    uint64_t now, leaving, spare; /* space of a full chunk: of the one that is being filled, left by the one before, free */
    bl_index waits, wait;         /* blocks until deflating is tried again; how many the next time */
} bl_h5_column;

typedef struct bl_h5_series {
    bl_h5_type type;               /* numbers, or integers, which stand in the block bit by bit */
    bl_index items;                /* 0: no dimension of items */
    int width;                     /* components; 1: no dimension */
    size_t row;                    /* numbers of one row */
    double *block;                 /* [block_rows][row] */
    bool lent;                     /* block is not its own: block_rows is 1, and whoever puts the row gives it */
    bl_index chunk_items, ncolumn; /* ncolumn: of items x components */
    bl_h5_column *column;
    bl_h5_index index;
    bl_index kept;      /* entries of the newest leaf that stand for full blocks */
    uint64_t address;   /* of the header */
    bl_h5_bytes header; /* as it stands in the file */
    bl_h5_spots spots;
} bl_h5_series;

typedef struct bl_h5_recorder {
    bl_context *ctx;
    bl_h5_file *file; /* may be that of several recorders, whose rows are counted apart */
    bl_index nseries, capacity;
    bl_h5_series *series;
    size_t row;          /* numbers of one row of all */
    bl_index block_rows; /* also the chunk */
    bl_index pending;    /* rows in the blocks */
    uint64_t blocks;     /* full ones, in the file */
    double *chunk;       /* a chunk before it is written */
    unsigned char *shuffled, *deflated;
    size_t most_chunk; /* bytes */
    struct bl_h5_deflate *deflate;
} bl_h5_recorder;

/* Rows in a block for so many numbers in a row; samples: how many rows there will be, 0: unknown. */
bl_index bl_h5_block_rows(size_t row, long samples);
/* One more series, its header not yet written: recorder->series[nseries - 1]. what: a description; unit may be NULL. */
bl_status bl_h5_add_series(bl_h5_recorder *r, bl_index items, int width, const char *unit, const char *what);
/* Behind the last one. */
bl_status bl_h5_begin(bl_h5_recorder *r);
/* A row was put in all blocks, at `pending`: counts it, and writes the blocks when they are full. */
bl_status bl_h5_end_row(bl_h5_recorder *r);
/* Everything to the file, which then reads up to the last row. */
bl_status bl_h5_flush(bl_h5_recorder *r);
void bl_h5_recorder_destroy(bl_h5_recorder *r);

#endif
