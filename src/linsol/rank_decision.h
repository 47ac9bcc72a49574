/* kept: rank decision of all linear solvers. Scales rows and columns, finds the largest nonsingular square part, and checks later whether
 * the other rows still depend on it. */
#ifndef BL_RANK_DECISION_H
#define BL_RANK_DECISION_H

#include "linsol/linsol.h"

typedef struct bl_kept {
    bl_context *ctx;
    bl_index n, rank;
    /* scaled A_ij = row_scale_i A_ij col_scale_j, powers of two, so that scaling causes no rounding */
    double *row_scale, *col_scale;
    bool scaled_before;        /* scales never grow again, so that a row that vanishes later is detected */
    bl_index *row, *col;       /* [n] kept ones first, [0, rank), then dropped ones; both parts ascending */
    bl_index *row_at, *col_at; /* [n] index among the kept, -1: dropped */
    double *work;              /* [4n] */
    void *block;
} bl_kept;

bl_status bl_kept_create(bl_context *ctx, bl_index n, bl_kept *kept);
void bl_kept_destroy(bl_kept *kept);
/* Keeps everything: rank = n. */
void bl_kept_all(bl_kept *kept);
/* Sets the scales from values; BL_NOT_FINITE if one is NaN or infinite. */
bl_status bl_kept_scale(bl_kept *kept, bool rescales, const bl_pattern *pattern, const double *values);
/* Finds rank and kept parts. dense: n x n workspace. A symmetric matrix keeps the same rows and columns. */
void bl_kept_reveal(bl_kept *kept, const bl_pattern *pattern, const double *values, double tolerance, double *dense);
/* The same with its own workspace, after a factorization of the full matrix gave a suspicious `pivot_ratio`. refuse: dependent rows are
 * refused, and in large matrices they are not searched for: BL_SINGULAR if the ratio is not above the tolerance. */
bl_status bl_kept_search(bl_kept *kept, const bl_pattern *pattern, const double *values, double tolerance, double pivot_ratio, bool refuse);
/* Drops these rows and the columns of the same numbers. */
void bl_kept_without(bl_kept *kept, bl_index count, const bl_index *rows);
/* The kept part as a matrix of order rank: ptr[rank + 1], idx[nnz], from[nnz] indices in the values, scale[nnz] factors of the entries. */
void bl_kept_plan(const bl_kept *kept, const bl_pattern *pattern, bl_index *ptr, bl_index *idx, bl_index *from, double *scale);
/* Fills stats after reveal; BL_SINGULAR with the dependent rows in the message if `refused`. */
bl_status bl_kept_report(const bl_kept *kept, bl_linsol_stats *stats, bool refused);
/* True if no dropped row, after elimination with the present values, is larger than limit (one random combination of the dropped
 * columns is tried). solve: solves with the kept part, zeros for dropped unknowns, on x[n]. */
bool bl_kept_dependent(const bl_kept *kept, const bl_pattern *pattern, const double *values, double limit, bl_linsol *solver,
                       bl_status (*solve)(bl_linsol *, bool transposed, bl_index nrhs, double *x));

#endif
