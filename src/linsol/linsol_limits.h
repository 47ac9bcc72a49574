/* Thresholds of linear solvers that a matrix of a model can meet (base/limit.h). Rows and columns are scaled to size one before. */
#ifndef BL_LINSOL_LIMITS_H
#define BL_LINSOL_LIMITS_H

#include "base/limit.h"

#include <float.h>

/* ---- scaling and symmetry */

BL_LIMIT(linsol_noise, 1e-13, "share of the largest entry of the matrix",
         "smaller entries are rounding and do not count when rows and columns are scaled. Higher: rows of small units keep a bad scale; "
         "lower: a row of rounding errors is scaled up to look like an equation",
         "conform_linsol_linsol")
BL_LIMIT(linsol_alike, 64 * DBL_EPSILON, "difference of mirrored entries, scaled by rows and columns",
         "a smaller difference is rounding and the matrix symmetric. Higher: L D L^T solves another matrix; lower: sums in another order "
         "make a symmetric matrix unsymmetric, and a slower solver is taken",
         "unit_linsol_libraries")
BL_LIMIT(linsol_diagonal, 16 * DBL_EPSILON, "scaled diagonal entry",
         "a row with a smaller one has none, and is eliminated behind its neighbors (ldl). Higher: masses count as missing and fill grows; "
         "lower: a rounding error becomes a pivot",
         "unit_linsol_libraries")

/* ---- pivots of direct solvers */

BL_LIMIT(linsol_decay, 1e-4, "pivot ratio of a refactorization, of that at the factorization",
         "below it new pivots are chosen: by then about four digits of the residual are lost. Higher: pivots are chosen more often, which "
         "costs time; lower: solutions lose digits",
         "unit_linsol_klu")
BL_LIMIT(linsol_decay_sparse, 1e-2, "pivot ratio of a refactorization, of that at the factorization",
         "the same for pivots of least fill (klu): from the beginning their columns may hold larger entries", "unit_linsol_klu")
BL_LIMIT(linsol_pivot_share, 0.5, "pivot, of the largest entry of its column",
         "a pivot of least fill reaches it (klu). Higher: more fill; lower: no less fill down to 0.1, and pivots fade sooner",
         "unit_linsol_klu")
BL_LIMIT(
    linsol_pivot_least, 1e-15, "pivot of a Schur complement",
    "a smaller one is rounding (block). Higher: matrices that have rank by complete pivoting are refused; lower: rounding is divided by",
    "unit_linsol_block")
BL_LIMIT(linsol_pivot_most, 0.5, "pivot of a diagonal block",
         "as large as growth may ask it to be before a block is delayed (block). Higher: borders grow; lower: growth stays",
         "unit_linsol_block")

/* ---- when a solution is refined: errors that one step of refinement takes back */

BL_LIMIT(linsol_refine_inverse, 1e-2, "pivot ratio",
         "below it a product with the inverse is refined once. Higher: solutions take twice as long; lower: two digits are lost unseen",
         "conform_linsol_linsol")
BL_LIMIT(linsol_refine_pivot, 0.1, "smallest pivot of the diagonal blocks",
         "below it block refines, unless a trial solution shows that nothing is lost. Higher: solutions take twice as long; lower: a digit "
         "is lost",
         "unit_linsol_block")
BL_LIMIT(linsol_refine_growth, 10, "largest number met in an elimination, entries being of size one",
         "above it solutions of block and ldl are refined. Higher: a digit is lost; lower: solutions take twice as long",
         "unit_linsol_block")
BL_LIMIT(linsol_residual_small, 1e-14, "residual of the trial solution, of its right-hand side",
         "up to it nothing was lost and block does not refine. Higher: digits are lost; lower: block refines for nothing",
         "unit_linsol_block")
BL_LIMIT(linsol_growth_block, 1e4, "largest number met in an elimination",
         "above it block asks for larger pivots. Higher: solutions lose digits; lower: borders grow", "unit_linsol_block")
BL_LIMIT(linsol_growth_ldl, 1e6, "largest number met in an elimination",
         "above it factors without pivoting are refused: one refinement gets too few digits right to converge. Higher: wrong solutions; "
         "lower: klu is taken where ldl would do",
         "unit_linsol_libraries")

/* ---- iterations */

BL_LIMIT(linsol_skew, 1e-6, "|u . A v - v . A u| for random u and v, of |A v| |u|",
         "a larger one shows that a product is not symmetric. Higher: iterations that cannot converge are begun; lower: products that add "
         "up elements in another order are refused",
         "unit_linsol_matrix_free")
BL_LIMIT(linsol_definite, 1e-8, "pivot of a diagonal block of a node, of its diagonal entry",
         "below it the block is not positive definite, and the sizes of its diagonal take its place in the preconditioner. Higher: a worse "
         "preconditioner; lower: rounding is divided by",
         "unit_linsol_iterative")

#endif
