/* elimination: rank, dependent rows and null vectors of a sparse matrix. Time and memory grow with the entries of its factors, which for
 * chains, independent loops and trees are about as many as in the matrix. */
#ifndef BL_ELIMINATION_H
#define BL_ELIMINATION_H

#include "system/system.h"

typedef struct bl_elimination_input {
    const bl_pattern *pattern;
    const double *value;
    const double *row_scale, *col_scale; /* rows are divided, columns multiplied by their scales. NULL: 1 */
    const uint8_t *col_last;             /* [ncol] columns used as pivots only if no other has one above the threshold. NULL: none */
    const uint8_t *row_late;             /* [nrow] the same for rows: they never displace others. NULL: none */
    const uint8_t *row_out;              /* [nrow] rows that are ignored: they count as zero. NULL: none */
    double tolerance;                    /* pivots up to tolerance x largest count as zero, */
    double size;                         /* largest: of the entries, and at least system_rank_least x size */
    double share; /* > 0: pivots also for later matrices: each at least this fraction of its column, regardless of other columns, with least
                   * fill counting zeros as entries */
    bool loose;   /* only rank and null vectors are needed: pivots may be an eighth of the largest remaining entry; else they are
                   * half of it, so that their columns express the others with small factors */
    double budget; /* > 0: gives up, with a meaningless rank, after inspecting this many entries */
} bl_elimination_input;

typedef struct bl_elimination_entry {
    double value;
    bl_index row, col;
    bl_index left, right, up, down; /* neighbors in the row and in the column, -1: none */
} bl_elimination_entry;

/* A[row[i], col[j]] = L U: rows after the pivots depend on those before, columns after them are free. */
typedef struct bl_elimination {
    bl_context *ctx;
    bl_index m, n, rank;
    bl_index *row, *col; /* [m], [n]: pivots first, in order of elimination; then the others, ascending */
    double *pivot;       /* [min(m, n)] their values */
    double largest;      /* entry of the scaled matrix */
    double tolerance;    /* relative to it */
    double left;         /* largest remaining entry after the pivots */
    bl_elimination_entry *entry;
    bl_index nentry, room, spare;          /* spare: list of free entries, linked by `right` */
    bl_index *row_first, *row_count;       /* [m] of the remaining matrix; for a pivot: its row of U */
    bl_index *col_first, *col_count;       /* [n]; for a pivot: its column of L, multipliers */
    bl_index *row_position, *l_ptr, *l_of; /* L by rows, built on first use */
    double *l_value;
    void *block, *l_block;
} bl_elimination;

/* Storage from ctx: free with bl_elimination_free, also after failure. Entries that are not finite are never pivots. */
bl_status bl_elimination_run(bl_context *ctx, const bl_elimination_input *in, bl_elimination *out);
void bl_elimination_free(bl_elimination *e);

/* Keeps at most `most` pivots: rows and columns of later ones count as remaining. */
void bl_elimination_limit(bl_elimination *e, bl_index most);
/* x[n] in scaled columns: entries of free columns are given, those of pivots are computed such that A x = 0. */
void bl_elimination_motion(const bl_elimination *e, double *x);
/* named[m - rank]: rows that depend on rows before them, where row i is number priority[i] of all (0 to m - 1; NULL: number i),
 * ascending in it. They depend only on the matrix and the order, not on the choice of pivots. */
bl_status bl_elimination_redundant(bl_elimination *e, const bl_index *priority, bl_index *named);

#endif
