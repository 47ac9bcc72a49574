/* direct: the common part of direct solvers. It scales rows and columns, has the full matrix factored, decides about rank if pivots are
 * small (rank_decision.h), passes the kept rows and columns to the kind as a matrix of full rank, and transforms right-hand sides and
 * solutions.
 * The struct of a kind begins with bl_direct, and its descriptor has bl_direct_slots; superlu.c is an example. */
#ifndef BL_DIRECT_SOLVER_H
#define BL_DIRECT_SOLVER_H

#include "linsol/rank_decision.h"

enum { BL_DIRECT_GROUP = 8 }; /* right-hand sides passed to the kind at a time */

/* Requirements of a kind. TABLES: the kept part by columns, `ptr` to `values` below. MIRROR: the index of each mirrored entry, to detect
 * symmetric values. TRANSVERSAL: its library fails if n is 0 or the pattern has no full transversal, and is not called then. */
enum { BL_DIRECT_TABLES = 1, BL_DIRECT_MIRROR = 2, BL_DIRECT_TRANSVERSAL = 4 };

typedef struct bl_direct_slots {
    unsigned wants;
    /* The kept part, scaled in d->values (TABLES); may allocate. *ratio: smallest / largest pivot, 0 if one is zero. */
    bl_status (*factor)(bl_linsol *, const double *values, double *ratio);
    /* New values, everything else as at the last factor, no allocation of its own. bl_direct_load brings them to d->values. */
    bl_status (*refactor)(bl_linsol *, const double *values, double *ratio);
    bl_status (*solve)(bl_linsol *, bool transposed, bl_index nrhs, double *x); /* columns of length d->n, in place; for bl_direct_solve */
    void (*release)(bl_linsol *);                                               /* frees memory other than d->own; NULL: none */
    /* Rows that the last factor found dependent, for symmetric matrices too large to search; NULL: not available. */
    const bl_index *(*null_rows)(bl_linsol *, bl_index *count);
    /* After refactor: dropped rows still depend on the others, to this limit. NULL: by a trial solution. */
    bool (*dependent)(bl_linsol *, const double *values, double limit);
} bl_direct_slots;

typedef struct bl_direct {
    bl_kept kept;
    const bl_pattern *pattern;
    bl_deficient deficient;
    double tolerance;
    bl_index *given;             /* [kept.n] column order given by the caller, NULL: none */
    bl_index *mate;              /* [nnz] index of the mirrored entry, -1: none (MIRROR) */
    bool symmetric;              /* the values are symmetric; false without mate */
    bl_index n;                  /* kept.rank */
    bl_index *ptr, *idx, *from;  /* the kept part: [kept.n + 1], [nnz], [nnz] (TABLES) */
    double *scale, *values;      /* [nnz] scales, scaled values (TABLES) */
    bl_index *old_row, *old_col; /* [kept.n] kept rows and columns of the last factor */
    bool full;                   /* the part has a full transversal, or the kind does not need one */
    bool changed;                /* pattern of the part differs from that of the last factor, and of the last begin */
    bool begun;                  /* bl_direct_begin was called last: order and counts of the full matrix are known */
    double ratio;                /* of pivots, at the last factor */
    double decay;                /* fraction of it below which a refactorization needs new pivots; a kind may change it */
    double *x;                   /* [kept.n][GROUP], with slots->solve */
    double *full_matrix;         /* [kept.n][kept.n] scratch for the rank decision, if the kind has it; NULL: allocated when needed */
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

/* Scales new values into d->values: BL_NOT_FINITE; BL_SINGULAR if they were symmetric and no longer are. */
bl_status bl_direct_load(bl_linsol *solver, const double *values);
/* For forecasts: keeps everything and loads scaled values, as factor does first. *ready: the part can be factored, and an order computed
 * now is valid for the next factor. */
bl_status bl_direct_begin(bl_linsol *solver, const double *values, bool *ready);
/* Order of the part's columns, order[n]: the given one without dropped columns; else by the ordering `spec`. */
bl_status bl_direct_order(bl_linsol *solver, const char *spec, bl_index *order);
/* Smallest / largest |pivot[k * stride]|; 0 if one is zero or not finite; 1 if there are none. */
double bl_direct_ratio(bl_index n, const double *pivot, size_t stride);

#endif
