/* Thresholds of linear solvers that a matrix of a model can meet (base/limit.h). Rows and columns are first scaled to size one. */
#ifndef BL_LINSOL_LIMITS_H
#define BL_LINSOL_LIMITS_H

#include "base/limit.h"

#include <float.h>

/* ---- scaling and symmetry */

BL_LIMIT(
    linsol_noise, 1e-13, "share of the largest entry of the matrix",
    "smaller entries are rounding errors and are ignored when rows and columns are scaled. Higher: rows in small units keep a bad scale; "
    "lower: a row of rounding errors is scaled up and treated as an equation",
    "conform_linsol_linsol")
BL_LIMIT(linsol_alike, 64 * DBL_EPSILON, "difference of mirrored entries, scaled by rows and columns",
         "a smaller difference is a rounding error and the matrix is symmetric. Higher: L D L^T solves another matrix; lower: a different "
         "order of summation makes a symmetric matrix unsymmetric, and a slower solver is used",
         "unit_linsol_libraries")
BL_LIMIT(
    linsol_diagonal, 16 * DBL_EPSILON, "scaled diagonal entry",
    "a smaller one counts as missing, and the row is eliminated after its neighbors (ldl). Higher: masses count as missing and fill grows; "
    "lower: a rounding error becomes a pivot",
    "unit_linsol_libraries")

/* ---- pivots of direct solvers */

BL_LIMIT(linsol_decay, 1e-4, "pivot ratio of a refactorization, of that at the factorization",
         "below it new pivots are chosen: by then about four digits of the residual are lost. Higher: pivots are chosen more often, which "
         "costs time; lower: solutions lose digits",
         "unit_linsol_klu")
BL_LIMIT(linsol_decay_sparse, 1e-2, "pivot ratio of a refactorization, of that at the factorization",
         "the same for pivots of least fill (klu), whose columns may have larger entries from the start", "unit_linsol_klu")
BL_LIMIT(linsol_pivot_share, 0.5, "pivot, of the largest entry of its column",
         "pivots of least fill are at least this large (klu). Higher: more fill; lower: no less fill down to 0.1, and pivots decay sooner",
         "unit_linsol_klu")
BL_LIMIT(linsol_pivot_least, 1e-15, "pivot of a Schur complement",
         "a smaller one is a rounding error (block). Higher: matrices of full rank by complete pivoting are refused; lower: division by "
         "rounding errors",
         "unit_linsol_block")
BL_LIMIT(linsol_pivot_most, 0.5, "pivot of a diagonal block",
         "largest pivot that may be required to limit growth, before a block is delayed (block). Higher: borders grow; lower: growth is "
         "not reduced",
         "unit_linsol_block")

/* ---- when a solution is refined: errors that one refinement step removes */

BL_LIMIT(
    linsol_refine_inverse, 1e-2, "pivot ratio",
    "below it a product with the inverse is refined once. Higher: solutions take twice as long; lower: two digits are lost without notice",
    "conform_linsol_linsol")
BL_LIMIT(linsol_refine_pivot, 0.1, "smallest pivot of the diagonal blocks",
         "below it block refines, unless a trial solution shows that nothing is lost. Higher: solutions take twice as long; lower: a digit "
         "is lost",
         "unit_linsol_block")
BL_LIMIT(linsol_refine_growth, 10, "largest number met in an elimination, entries being of size one",
         "above it solutions of block and ldl are refined. Higher: a digit is lost; lower: solutions take twice as long",
         "unit_linsol_block")
BL_LIMIT(linsol_residual_small, 1e-14, "residual of the trial solution, of its right-hand side",
         "up to it no accuracy was lost and block does not refine. Higher: digits are lost; lower: block refines needlessly",
         "unit_linsol_block")
BL_LIMIT(linsol_growth_block, 1e4, "largest number met in an elimination",
         "above it block requires larger pivots. Higher: solutions lose digits; lower: borders grow", "unit_linsol_block")
BL_LIMIT(linsol_growth_ldl, 1e6, "largest number met in an elimination",
         "above it factors without pivoting are refused: refinement would not converge. Higher: wrong solutions; lower: klu is used where "
         "ldl would be sufficient",
         "unit_linsol_libraries")

/* ---- iterations */

BL_LIMIT(linsol_skew, 1e-6, "|u . A v - v . A u| for random u and v, of |A v| |u|",
         "a larger one shows that a product is not symmetric. Higher: iterations that cannot converge are started; lower: products that "
         "sum elements in another order are refused",
         "unit_linsol_matrix_free")
BL_LIMIT(linsol_definite, 1e-8, "pivot of a diagonal block of a node, of its diagonal entry",
         "below it the block is not positive definite, and the preconditioner uses the absolute values of its diagonal instead. Higher: a "
         "worse preconditioner; lower: division by rounding errors",
         "unit_linsol_iterative")

#endif
