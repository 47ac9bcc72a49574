/* limits: every tolerance by which rank is decided, its unit and its reason. What depends on which: docs/theory/mobility.md.
 *
 * Ranks are taken on scaled matrices: rows divided by the size of their gradient, columns multiplied by the size of their coordinate, so
 * that entries have no unit and a perturbation of the dimensions by a share e of the size of the mechanism changes them by about e. */
#ifndef BL_SYSTEM_LIMITS_H
#define BL_SYSTEM_LIMITS_H

/* ---- constraints: what of a row is new, as a share of the largest pivot */

/* Rounding of coordinates, times the length of loops, stays below; the digits that people type stay above. */
#define BL_RANK 1e-9
/* The user's `closure`: dimensions agree to this share of the size of the mechanism. Several dimensions make up one loop, and their errors
 * add up: rows count as dependent below this many times it. */
#define BL_CLOSURE_SUM 10
#define BL_CLOSURE_MOST 1e-3 /* 10 times more would take rows of sound mechanisms for dependent ones */
/* Of rows that count as dependent, how far they may be violated along a motion, as a multiple of the rank tolerance: a loop that misses by
 * e in one position misses by a few e in others. Beyond it they contradict each other. */
#define BL_MISFIT_MOST 10
#define BL_VIOLATED 1e-6 /* the same without `closure`: larger than any drift, smaller than any meant dimension */

/* Rows once kept are solved with, however near they come: their solvers give up only at this share of the rank tolerance; for stages,
 * whose matrices hold masses and stiffnesses in units of the step, at this. */
#define BL_RANK_KEPT 1e-3
#define BL_RANK_STAGE 1e-6

/* A row is measured by its gradient in the model configuration, unless that is below this share of what it is when everything it connects
 * may move: such a gradient is an error of the dimensions, or rounding, and would be blown up to 1. */
#define BL_ROW_SLIGHT 0.1
/* Both of which may be nothing but rounding (of a vector 1 and the typical length): two bodies that share two points of the plane make a
 * third joint between them an identity. */
#define BL_ROW_NOTHING 1e-12
/* Ranks are relative to the largest entry, or, where all are slight, to this share of what scaled rows measure (bl_system.row_size). */
#define BL_RANK_LEAST 0.5

/* ---- nearly dependent rows: where a mechanism is locked only by the digits of its dimensions */

#define BL_NEARLY 1e-1     /* rows of which less is new are looked at */
#define BL_NEARLY_GAP 5    /* between the largest of those and the smallest of all others */
#define BL_NEARLY_GROWS 10 /* beside the start they are as dependent, up to this factor; at a singular position they become independent */

/* ---- assembly: least-norm steps of rows and conditions */

#define BL_CLOSING_RANK 1e-9  /* singular values below this share of the largest never count; above it those below the present gap do not */
#define BL_SETTLING_RANK 1e-8 /* the same where the change is made least: conditions of `initial:` are not as well scaled */
#define BL_CLOSING_CLEAR 1e-3 /* pivots of unit rows above it: they are independent beyond doubt, and normal equations do */
#define BL_CLOSING_INDEPENDENT 1e-6 /* sparse: a pivot above it is one, */
#define BL_CLOSING_DEPENDENT 1e-13  /* below it is none, between them orthogonal factors decide */
#define BL_CLOSING_CONSISTENT 1e-11 /* what a row that depends on others may be off by */

/* ---- what moves no mass */

#define BL_MASSLESS 1e-12 /* eigenvalues or pivots of masses below this share of the largest */

/* Share of the largest pivot below which what is new of a row counts as nothing. closure: 0, or of the user. */
static inline double bl_rank_tolerance(double closure) { return BL_CLOSURE_SUM * closure > BL_RANK ? BL_CLOSURE_SUM * closure : BL_RANK; }
/* What rows that count as dependent may be off by, |phi| / scale. */
static inline double bl_misfit_most(double closure) {
    double most = BL_MISFIT_MOST * bl_rank_tolerance(closure);
    return closure > 0 && most > BL_VIOLATED ? most : BL_VIOLATED;
}

#endif
