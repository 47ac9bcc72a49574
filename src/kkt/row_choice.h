/* rows: the rank of the constraints at a configuration, the rows to compute with, the rows to name as redundant. */
#ifndef BL_ROW_CHOICE_H
#define BL_ROW_CHOICE_H

#include "sparse/elimination.h"

typedef struct bl_rows_ask {
    const bl_system *sys;
    const double *G;         /* on sys->pat_G */
    double tolerance;        /* pivots up to it, relative to the largest entry, count as zero */
    const uint8_t *col_last; /* [nv] columns that shall stay free where others can be pivots. NULL: none */
    const bl_index *place;   /* [np] rows with place < 0 are left out. NULL: none */
    bool loose;              /* the pivots are not used any further: less fill (bl_elimination_input) */
} bl_rows_ask;

/* row_order[np], col_order[nv]: pivots first. Allocates; for large systems about what G needs. */
bl_status bl_rows_choose(const bl_rows_ask *ask, bl_index *row_order, bl_index *col_order, bl_index *rank);
/* named[np - rank]: redundant rows by the rule, for the rank found by bl_rows_choose. BL_SINGULAR: a pivot is so near the
 * tolerance that they cannot be found. Allocates. */
bl_status bl_rows_redundant(const bl_rows_ask *ask, bl_index rank, bl_index *named);
/* The elimination itself, of scaled rows and columns, for callers that want more of it: free with bl_elimination_free. */
bl_status bl_rows_eliminate(const bl_rows_ask *ask, bl_elimination *e);
/* priority[np]: number of a row in the order of the rule. Allocates. */
bl_status bl_rows_priority(const bl_system *sys, bl_index *priority);

/* The rows that are computed with (kept); all others are dropped as redundant. */
typedef struct bl_row_choice {
    bl_index np, r, nd;       /* all, kept, dropped */
    bl_index *place;          /* [np] k >= 0: kept as k-th, -1 - k: dropped as k-th */
    bl_index *kept, *dropped; /* [r], [nd], ascending, in one array */
    double *by;               /* [np] 1 / scale: the same in a matrix and beside it, else constraints drift by rounding */
    void *block;
} bl_row_choice;

/* All rows kept. Takes the place of an old choice. */
bl_status bl_row_choice_create(const bl_system *sys, bl_row_choice *rows);
void bl_row_choice_free(bl_context *ctx, bl_row_choice *rows);
/* Keeps the first r of order[np], as bl_rows_choose leaves it. */
void bl_row_choice_keep(bl_row_choice *rows, const bl_index *order, bl_index r);
/* Numbers anew: rows with place >= 0 are kept. */
void bl_row_choice_number(bl_row_choice *rows);

#endif
