/* rows: the rank of the constraints at a configuration, the rows to compute with, the rows to name as redundant. */
#ifndef BL_ROW_CHOICE_H
#define BL_ROW_CHOICE_H

#include "sparse/elimination.h"

typedef struct bl_rows_ask {
    const bl_system *sys;
    const double *G;         /* on sys->pat_G */
    double tolerance;        /* pivots up to it, relative to the largest entry, count as zero */
    const uint8_t *col_last; /* [nv] columns that should stay independent where others can be pivots. NULL: none */
    const bl_index *slot;    /* [np] rows with an index < 0 are left out. NULL: none */
    bool loose;              /* the pivots are not used any further: less fill (bl_elimination_input) */
} bl_rows_ask;

/* row_order[np], col_order[nv]: pivots first. Allocates; for large systems about as much as G. */
bl_status bl_rows_choose(const bl_rows_ask *ask, bl_index *row_order, bl_index *col_order, bl_index *rank);
/* named[np - rank]: redundant rows by the rule of README.md, for the rank found by bl_rows_choose. BL_SINGULAR: a pivot is so near the
 * tolerance that they cannot be determined. Allocates. */
bl_status bl_rows_redundant(const bl_rows_ask *ask, bl_index rank, bl_index *named);
/* The elimination itself, of scaled rows and columns, for callers that need more of it: free with bl_elimination_free. */
bl_status bl_rows_eliminate(const bl_rows_ask *ask, bl_elimination *e);
/* priority[np]: position of each row in the order of that rule. Allocates. */
bl_status bl_rows_priority(const bl_system *sys, bl_index *priority);

/* inactive[np], in: before, out: one-sided rows without entries in G, which are no constraints there. Returns their number. */
bl_index bl_rows_inactive(const bl_system *sys, const double *G, uint8_t *inactive, bool *changed);

/* The rows that are computed with (kept); of the others, active ones are dropped as redundant. */
typedef struct bl_row_choice {
    bl_index np, r, nd, nout; /* all, kept, dropped, inactive */
    bl_index *slot;           /* [np] k >= 0: kept as k-th, -1 - k: left out as k-th, the dropped ones (k < nd) before the inactive ones */
    bl_index *kept, *dropped; /* [r], [nd + nout], in one array; each of the three groups ascends */
    uint8_t *inactive;        /* [np] */
    double *by;               /* [np] 1 / scale: the same value in the matrix and in right-hand sides, else constraints drift by rounding */
    void *block;
} bl_row_choice;

/* Keeps all rows. Replaces an old choice. */
bl_status bl_row_choice_create(const bl_system *sys, bl_row_choice *rows);
void bl_row_choice_free(bl_context *ctx, bl_row_choice *rows);
/* Notes which rows are inactive with these values of G; where they have changed, keeps all others and returns true. */
bool bl_row_choice_note(const bl_system *sys, const double *G, bl_row_choice *rows);
/* Keeps all active rows, dependent ones too. */
void bl_row_choice_keep_active(bl_row_choice *rows);
/* Keeps the first r of order[np], as bl_rows_choose leaves it. */
void bl_row_choice_keep(bl_row_choice *rows, const bl_index *order, bl_index r);
/* Renumbers: rows with an index >= 0 are kept. */
void bl_row_choice_number(bl_row_choice *rows);

#endif
