/* ordering: the square and rectangular matrices that the study `order` orders, and what factoring them costs. Private to order_study.c,
 * order_model.c and order_cost.c. */
#ifndef BL_STUDY_ORDERING_H
#define BL_STUDY_ORDERING_H

#include "order/order.h"
#include "study/study.h"

/* A matrix with data that orderings can use; memory from the report's arena. */
typedef struct bl_ordered_matrix {
    bl_pattern pattern;
    const uint8_t *row_mark, *col_mark; /* NULL: unknown */
    const bl_index *bundle;             /* of the columns; NULL: none */
    const double *sample;               /* [nsample][nnz] */
    bl_index nsample;
} bl_ordered_matrix;

typedef struct bl_order_problem {
    bl_context *ctx;
    bl_arena *arena;          /* of the report */
    bl_ordered_matrix full;   /* all rows x dependent columns */
    bl_ordered_matrix square; /* kept rows; no pattern (ptr NULL): the rank is too low for a square part */
    const bl_index *kept;     /* [square.nrow] rows of the full matrix in square; NULL: all, in order */
    const double *value;      /* of square, nonsingular */
    bl_index repetitions;     /* 0: chosen by their duration, < 0: no timings */
} bl_order_problem;

/* order_model.c: the dependent Jacobian of a model and its values at several configurations; fills the sizes of the report too. */
bl_status bl_order_jacobian(const bl_model *model, const bl_order_options *options, bl_order_problem *problem, bl_order_report *report);

/* order_study.c: makes the square part of the kept rows (ascending) of `full`, with values from `value` on `full`. */
bl_status bl_order_keep_rows(bl_order_problem *problem, bl_index nkept, const bl_index *kept, const double *value);

/* bl_order_run with all data of the matrix. */
bl_status bl_ordered_run(bl_context *ctx, const bl_ordered_matrix *matrix, const char *spec, bl_ordering *out);

/* Entries of L and U and operations (a multiplication with its subtraction counts as two) when the columns are eliminated in the
 * given order with the pivots of a maximum transversal. *fill = -1 when there is more than `most` of it, or too many operations. */
bl_status bl_order_symbolic(bl_context *ctx, const bl_pattern *pattern, const bl_index *col, bl_index most, bl_index *fill, double *flops);
/* The same for the bordered block form of a square matrix: inverses of blocks, border solved block by block, dense Schur complement. */
bl_status bl_order_block_flops(bl_context *ctx, const bl_pattern *pattern, const bl_ordering *ordering, bl_index *fill, double *flops);

/* Predicts and measures one ordering on the square part. What could not be done is appended to entry->note. */
bl_status bl_order_costs(const bl_order_problem *problem, const char *spec, bl_order_entry *entry);

#endif
