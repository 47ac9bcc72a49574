/* direct: the shell of direct solvers. It scales rows and columns, has everything factored, decides about rank where pivots are small
 * (rank_decision.h), hands over the kept rows and columns as a matrix of full rank and carries right-hand sides in and solutions out. A
 * kind's own struct begins with bl_direct, and its descriptor names its bl_direct_slots; superlu.c shows how it is used. */
#ifndef BL_DIRECT_SOLVER_H
#define BL_DIRECT_SOLVER_H

#include "linsol/rank_decision.h"

enum { BL_DIRECT_GROUP = 8 }; /* so many right-hand sides are handed over at a time */

/* What a kind wants. TABLES: the kept part by columns, ptr to values below. MIRROR: entries beside their mirror images, to find symmetric
 * values. TRANSVERSAL: its library goes wrong where n is 0 or the pattern has no full transversal: it is not called then. */
enum { BL_DIRECT_TABLES = 1, BL_DIRECT_MIRROR = 2, BL_DIRECT_TRANSVERSAL = 4 };

typedef struct bl_direct_slots {
    unsigned wants;
    /* The kept part, scaled in d->values (TABLES); may allocate. *ratio: smallest / largest pivot, 0 when one is zero. */
    bl_status (*factor)(bl_linsol *, const double *values, double *ratio);
    /* New values, everything else as at the last factor, no allocation of its own. bl_direct_load brings them to d->values. */
    bl_status (*refactor)(bl_linsol *, const double *values, double *ratio);
    bl_status (*solve)(bl_linsol *, bool transposed, bl_index nrhs, double *x); /* columns of length d->n, in place; for bl_direct_solve */
    void (*release)(bl_linsol *);                                               /* what the kind made besides d->own; NULL: nothing */
    /* Rows that the last factor found dependent by itself, for symmetric matrices too large to search; NULL: it cannot say. */
    const bl_index *(*null_rows)(bl_linsol *, bl_index *count);
    /* After refactor: dropped rows still depend on the others, to this limit. NULL: by a trial solution. */
    bool (*dependent)(bl_linsol *, const double *values, double limit);
} bl_direct_slots;

typedef struct bl_direct {
    bl_kept kept;
    const bl_pattern *pattern;
    bl_deficient deficient;
    double tolerance;
    bl_index *given;             /* [kept.n] column order from outside, NULL: none */
    bl_index *mate;              /* [nnz] place of the mirrored entry, -1: none (MIRROR) */
    bool symmetric;              /* the values are; false without mate */
    bl_index n;                  /* kept.rank */
    bl_index *ptr, *idx, *from;  /* the kept part: [kept.n + 1], [nnz], [nnz] (TABLES) */
    double *by, *values;         /* [nnz] scales, scaled values (TABLES) */
    bl_index *old_row, *old_col; /* [kept.n] what the last factor kept */
    bool full;                   /* the part has a full transversal, or the kind does not need one */
    bool changed;                /* pattern of the part differs from that of the last factor, and of the last begin */
    bool begun;                  /* the last thing done was begin: order and counts of everything are known */
    double ratio;                /* of pivots, at the last factor */
    double decay;                /* share of it at which a refactorization wants new pivots; a kind may set another */
    double *x;                   /* [kept.n][GROUP], with slots->solve */
    double *full_matrix;         /* [kept.n][kept.n] scratch of a kind that has it, for the search of rank; NULL: it is made */
    void *block;
    void *own; /* arrays of the kind, freed by the shell */
} bl_direct;

/* ---- phases of bl_linsol_kind */
bl_status bl_direct_analyze(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                            double rank_tolerance);
bl_status bl_direct_factor(bl_linsol *solver, const double *values);
bl_status bl_direct_refactor(bl_linsol *solver, const double *values);
bl_status bl_direct_solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x);
void bl_direct_destroy(bl_linsol *solver);

/* ---- for kinds */

/* New values to d->values: BL_NOT_FINITE, BL_SINGULAR when they were symmetric and are not any more. */
bl_status bl_direct_load(bl_linsol *solver, const double *values);
/* For forecasts: everything is kept and its scaled values loaded, as factor begins. *ready: the part can be factored, and an order made now
 * will serve the next factor. */
bl_status bl_direct_begin(bl_linsol *solver, const double *values, bool *ready);
/* Order of the part's columns, order[n]: what was given, without dropped columns; else what the ordering `spec` says. */
bl_status bl_direct_order(bl_linsol *solver, const char *spec, bl_index *order);
/* Smallest / largest |pivot[k * stride]|; 0 when one is zero or not finite; 1 when there is none. */
double bl_direct_ratio(bl_index n, const double *pivot, size_t stride);

#endif
