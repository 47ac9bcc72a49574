/* Thresholds of sparse elimination that a matrix of a model can meet (base/limit.h). */
#ifndef BL_SPARSE_LIMITS_H
#define BL_SPARSE_LIMITS_H

#include "base/limit.h"

BL_LIMIT(sparse_canceled, 1e-15, "share of the largest entry",
         "an entry that cancels to less is zero. Higher: small entries of valid rows vanish; lower: rounding errors fill the factors",
         "unit_sparse_elimination")
BL_LIMIT(
    sparse_combination, 1e-8, "entry of a combination of rows, of its largest",
    "a smaller one is a rounding error: the row is not involved. In assembled configurations rows are dependent up to about 1e-12, and "
    "some digits are lost in elimination. Higher: rows that are involved are not named; lower: rows are named that are not involved",
    "unit_sparse_elimination")
BL_LIMIT(sparse_restarts, 300, "restarts of the Lanczos iteration for eigenvalues",
         "then those that converged are returned; none is an error. Higher: iterations that stall take long; lower: close eigenvalues are "
         "missing",
         "unit_sparse_eigen")

#endif
