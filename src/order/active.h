/* active: the part of a pattern not yet ordered, from which p3, p5 and mechanism remove rows with few entries. Rows are listed by their
 * count of entries in live columns; for small counts a heap holds the columns of such rows, best first: most entries in rows of that count,
 * then most entries in live rows, then smallest index. */
#ifndef BL_ORDER_ACTIVE_H
#define BL_ORDER_ACTIVE_H

#include "order/order.h"

enum { BL_ACTIVE_LEVELS = 6 }; /* counts that have a heap; above, columns are searched */

typedef struct bl_active_heap {
    bl_index size;
    bl_index *item, *at, *score; /* at: -1 when not in the heap; score: entries in rows of this count */
} bl_active_heap;

typedef struct bl_active {
    const bl_pattern *pattern;
    bl_index *row_ptr, *row_col;     /* rows of the pattern, columns ascending */
    bl_index *row_count, *col_count; /* entries in live columns, in live rows */
    uint8_t *row_live, *col_live;
    bl_index *head, *next, *prev; /* live rows by count */
    bl_index least, nlive;        /* no row has a smaller count; live rows */
    bl_index *scratch;            /* [max(nrow, ncol)] */
    bl_active_heap heap[BL_ACTIVE_LEVELS + 1];
    bool busiest_first; /* heap of count 1: by entries in live rows only */
    void (*moved)(void *user, bl_index row, bl_index from,
                  bl_index to); /* called if a count changes; to -1: the row is removed; may be NULL */
    void *user;
    bl_ordering *out;
    bl_index placed;         /* positions assigned to blocks */
    bl_index *border, *band; /* in order of insertion; sizes in out */
} bl_active;

/* *a is zeroed by the caller; its arrays are in the arena of the run; allocates out->block. */
bl_status bl_active_create(const bl_order_input *in, bl_ordering *out, bl_active *a);

bl_index bl_active_least(bl_active *a); /* smallest count of a live row, -1: none */
/* Live column with most entries in rows of this count, then in live rows, then smallest index; -1: none. */
bl_index bl_active_best(bl_active *a, bl_index count);
/* Live rows of this count, ascending, in a->scratch. */
bl_index bl_active_rows(bl_active *a, bl_index count);
/* Excludes a column from bl_active_best for this count (at most BL_ACTIVE_LEVELS) until bl_active_show. */
void bl_active_hide(bl_active *a, bl_index count, bl_index col);
void bl_active_show(bl_active *a, bl_index count, bl_index col);

void bl_active_drop_col(bl_active *a, bl_index col);
/* A column that is no longer live, or is dropped now, goes to the border; a row to the band. */
void bl_active_to_border(bl_active *a, bl_index col);
void bl_active_to_band(bl_active *a, bl_index row);
/* The next diagonal block: row[k] and col[k] at its k-th position; drops those still live. */
void bl_active_block(bl_active *a, bl_index size, const bl_index *row, const bl_index *col);
/* The remaining columns and rows go to border and band; fills out. */
void bl_active_finish(bl_active *a);

void bl_sort_index(bl_index n, bl_index *x);

#endif
