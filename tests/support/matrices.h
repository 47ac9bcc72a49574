/* Random sparse matrices and dense reference algebra for the tests of linear solvers. */
#ifndef BL_TEST_MATRICES_H
#define BL_TEST_MATRICES_H

#include "sparse/sparse.h"
#include "support/testing.h"

typedef struct test_matrix {
    bl_context *ctx;
    bl_index n;
    bl_pattern pattern;
    double *values; /* on the pattern */
} test_matrix;

/* From a full matrix a[n*n], column-major: nonzeros, and the zeros where keep[n*n] (may be NULL) says so, make the pattern. */
test_matrix test_matrix_from(bl_context *ctx, bl_index n, const double *a, const uint8_t *keep);
/* About `nnz` random entries plus a random transversal of larger ones, so that it is seldom singular. */
test_matrix test_matrix_random(bl_context *ctx, test_random *random, bl_index n, bl_index nnz);
void test_matrix_fill(test_matrix *matrix, test_random *random); /* new values on the same pattern */
void test_matrix_free(test_matrix *matrix);

void test_matrix_dense(const test_matrix *matrix, double *a);
/* |b - A x| / (|A| |x| + |b|) in the maximum norm; transposed: A^T */
double test_matrix_residual(const test_matrix *matrix, bool transposed, const double *x, const double *b);
/* largest and smallest singular value by LAPACK; rank counts those above 1e-9 of the largest */
void test_singular_values(bl_index m, bl_index n, const double *a, double *s);
/* x = A^+ b (transposed: (A^+)^T b) by singular values above tolerance x the largest */
void test_pseudo_inverse(bl_index n, const double *a, double tolerance, bool transposed, const double *b, double *x);

/* [M G^T; G 0] with M = random symmetric positive definite tridiagonal[nv], G[np x nv] of rank `rank`, sparse. */
typedef struct test_kkt {
    bl_index nv, np, rank;
    double *M, *G; /* dense, column-major */
    test_matrix matrix;
} test_kkt;
test_kkt test_kkt_random(bl_context *ctx, test_random *random, bl_index nv, bl_index np, bl_index rank);
void test_kkt_free(test_kkt *kkt);

#endif
