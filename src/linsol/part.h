/* part: the shell around a library that factors square matrices of full rank. It scales, finds the rank, hands over the kept part and
 * carries right-hand sides in and solutions out. A kind's own struct begins with bl_part; superlu.c shows how it is used. */
#ifndef BL_PART_H
#define BL_PART_H

#include "linsol/kept.h"

enum { BL_PART_GROUP = 8 }; /* so many right-hand sides are handed over at a time */

typedef struct bl_part_slots {
    /* The part of order n > 0, with values and a full transversal; may allocate. *ratio: smallest / largest pivot, 0 when one is zero. */
    bl_status (*factor)(bl_linsol *, double *ratio);
    bl_status (*refactor)(bl_linsol *, double *ratio); /* new values, the rest as at the last factor; no allocation of its own */
    bl_status (*solve)(bl_linsol *, bool transposed, bl_index nrhs, double *x); /* columns of length n, in place */
    void (*release)(bl_linsol *);                                               /* everything that factor made; the part is still there */
    /* Rows that the last factor found dependent by itself, for symmetric matrices too large to search; NULL: it cannot say. */
    const bl_index *(*null_rows)(bl_linsol *, bl_index *count);
} bl_part_slots;

typedef struct bl_part {
    const bl_part_slots *slots;
    bl_kept kept;
    const bl_pattern *pattern;
    bl_deficient deficient;
    double tolerance;
    bl_index *given;             /* [kept.n] column order from outside, NULL: none */
    bl_index *mate;              /* [nnz] place of the mirrored entry, -1: none. Only where asked for */
    bool symmetric;              /* the values are; false without mate */
    bl_index n;                  /* kept.rank */
    bl_index *ptr, *idx, *from;  /* the part: [kept.n + 1], [nnz], [nnz] */
    double *by, *values;         /* [nnz] scales, scaled values */
    bl_index *old_row, *old_col; /* [kept.n] what the last factor kept */
    bool full;                   /* the part has a full transversal: libraries go wrong without */
    bool changed;                /* pattern of the part differs from that of the last factor, and of the last begin */
    bool begun;                  /* the last thing done was begin: order and counts of everything are known */
    double ratio;                /* of pivots, at the last factor */
    double *x;                   /* [kept.n][GROUP] */
} bl_part;

/* `mirrored`: look for symmetry. The slots are kept. */
bl_status bl_part_analyse(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                          double rank_tolerance, bool mirrored);
void bl_part_release(bl_linsol *solver); /* slots stay */
/* Everything is kept and its scaled values loaded, as factor begins: for forecasts. *ready: the part has a full transversal, and an order
 * made now will serve the next factor. */
bl_status bl_part_begin(bl_linsol *solver, const double *values, bool *ready);
/* Order of the part's columns, order[n]: what was given, without dropped columns; else what the ordering `spec` says. */
bl_status bl_part_order(bl_linsol *solver, const char *spec, bl_index *order);
/* The slots of bl_linsol_kind. */
bl_status bl_part_factor(bl_linsol *solver, const double *values);
bl_status bl_part_refactor(bl_linsol *solver, const double *values);
bl_status bl_part_solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x);

#endif
