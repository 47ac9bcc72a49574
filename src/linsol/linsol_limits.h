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

BL_LIMIT(linsol_rank_refused, 128, "order of a matrix",
         "where dependent rows would only be refused, larger matrices are judged by the ratio of their pivots, not by complete pivoting. "
         "Higher: time n^3; lower: pivots of an order chosen for little fill underestimate the rank of more matrices",
         "conform_linsol_linsol")
BL_LIMIT(linsol_rank_dense, 1500, "order of a matrix",
         "dependent rows of larger ones are found by sparse elimination instead of complete pivoting. Higher: time n^3; lower: the choice "
         "of pivots is limited to those of little fill",
         "unit_linsol_klu")

/* ---- memory */

BL_LIMIT(linsol_band_entries, 128 << 20, "entries of a band, 8 bytes each",
         "larger bands are refused. Higher: a machine without that memory starts to swap; lower: bands that fit are refused",
         "unit_linsol_large")
BL_LIMIT(linsol_factor_entries, 2.5e8, "predicted entries of factors, 12 bytes each",
         "larger ones are not computed by default: an iteration is used instead (auto). Higher: memory; lower: iterations that may fail",
         "unit_linsol_iterative")
BL_LIMIT(
    linsol_mumps_tries, 8, "attempts, each with twice the memory",
    "MUMPS cannot predict what exchanged pivots need. Higher: a failure is noticed late; lower: matrices with many exchanges are refused",
    "unit_linsol_libraries")

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
BL_LIMIT(linsol_incomplete_pivot, 1e-8, "pivot of incomplete factors, of its diagonal entry",
         "a smaller one is a breakdown, or a rounding error of single precision. Higher: the diagonal is raised without need, which costs "
         "iterations; lower: the preconditioner is dominated by rounding errors",
         "unit_linsol_iterative")
BL_LIMIT(linsol_shift_first, 1e-3, "share by which the diagonal is raised after a breakdown, then doubled",
         "higher: a worse preconditioner; lower: more incomplete factorizations", "unit_linsol_iterative")
BL_LIMIT(linsol_shift_last, 1e6, "share by which the diagonal is raised at most",
         "beyond it the diagonal blocks themselves are not positive definite, and the matrix is refused. Lower: matrices with large "
         "entries beside the diagonal are refused",
         "unit_linsol_iterative")
BL_LIMIT(linsol_iterations, 10000, "iterations of one solution, unless `most` is given",
         "then the solution fails with a message; small matrices are given fewer. Higher: iterations that stall take long; lower: "
         "badly conditioned systems fail that would converge",
         "unit_linsol_iterative")
BL_LIMIT(linsol_petsc_reduction, 1e-12, "residual, of that at the start of an iteration",
         "up to it recursive residuals are reliable; then the true one is computed. Higher: more restarts; lower: iterations on an error "
         "that is rounding",
         "unit_linsol_petsc")
BL_LIMIT(linsol_petsc_rounding, 1e-3, "residual, of the right-hand side",
         "the largest that rounding may cause, for condition numbers up to 1e12. Higher: iterations that stall count as converged; lower: "
         "badly conditioned systems fail",
         "unit_linsol_petsc")

/* ---- rounding */

BL_LIMIT(linsol_product_rounding, 8 * DBL_EPSILON, "entries of a row, times the solution",
         "a residual below it is rounding of the product: no smaller one can be reached. Higher: iterations end early; lower: they "
         "fail although nothing can be gained",
         "unit_linsol_iterative")
BL_LIMIT(linsol_rounding_left, 1e-2, "of the right-hand side",
         "a larger residual is not excused by rounding: the solution is as large as the matrix is singular. Higher: solutions of equations "
         "that have none; lower: nearly singular matrices are refused",
         "unit_linsol_iterative")
BL_LIMIT(linsol_own_scale, DBL_EPSILON, "largest entry of the column",
         "smaller diagonal entries do not scale their row. Higher: weakly supported unknowns lose their scale; lower: rows are "
         "scaled by rounding",
         "unit_linsol_iterative")
BL_LIMIT(linsol_block_two, 0.1, "determinant of a block of two rows of size one",
         "below it the pivots of complete pivoting are found. Higher: time; lower: a determinant underestimates the pivots",
         "unit_linsol_block")
BL_LIMIT(linsol_block_three, 0.05, "determinant of a block of three rows of size one",
         "below it the block is delayed, or factored by complete pivoting. Higher: borders grow; lower: digits are lost",
         "unit_linsol_block")

#endif
