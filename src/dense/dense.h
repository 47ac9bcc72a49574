/* dense: full matrices, column-major, the leading dimension their number of rows. The only room that uses LAPACK: for another library,
 * replace lapack.c and the files that name a LAPACK routine in their first lines. */
#ifndef BL_DENSE_H
#define BL_DENSE_H

#include "base/base.h"

/* Gauss elimination with complete pivoting of a[m][n] (column-major, destroyed), rows divided by
 * row_scale[m] and columns multiplied by col_scale[n] first (NULL: 1). Columns with col_last[j] != 0 are
 * used as pivots only if no other column has one above the threshold.
 * row_order[m], col_order[n]: pivots first, in order of elimination. *rank: pivots above tolerance x largest.
 * pivot[min(m,n)]: their absolute values, then the largest remaining entry, then zeros (may be NULL). */
void bl_rank_reveal(bl_index m, bl_index n, double *a, const double *row_scale, const double *col_scale, const uint8_t *col_last,
                    double tolerance, bl_index *row_order, bl_index *col_order, bl_index *rank, double *pivot);

/* A tolerance relative to the largest of a[count], from one relative to the larger of it and system_rank_least x size (0: unknown). A
 * tolerance of 1 or more means that all entries count as zero. */
double bl_rank_relative(size_t count, const double *a, double size, double tolerance);

/* Minimum-norm least-squares solution of A x = b by complete orthogonal decomposition: a[m][n] destroyed, b[max(m,n)] in: right-hand
 * side, out: x. A singular value below tolerance x the largest counts as zero (estimated). work: bl_least_norm_work(m, n) doubles. */
size_t bl_least_norm_work(bl_index m, bl_index n);
bl_status bl_least_norm(bl_context *ctx, bl_index m, bl_index n, double *a, double tolerance, double *b, bl_index *rank, double *work);

/* Orthonormal basis[n][n - rank] of all x with A x = 0 (basis has room for n x n), a[m][n] kept. Rank by QR with column pivoting: pivots
 * below tolerance x the largest count as zero. */
bl_status bl_null_space(bl_context *ctx, bl_index m, bl_index n, const double *a, double tolerance, double *basis, bl_index *rank);

/* LDU factorization of any m x n matrix by complete pivoting: A[row[i], col[j]] = (L D U)_ij, L[m][rank] unit lower and U[rank][n] unit
 * upper trapezoidal, no entry larger than 1; null spaces and solutions use the same elimination. The caller provides the memory. */
typedef struct bl_ldu {
    bl_index m, n, rank;
    bl_index *row, *col;    /* [m], [n]: pivots first */
    double *lu;             /* [m][n] column-major: L below the diagonal, D on it, U above it; remainder beyond the rank */
    double *top, *left_top; /* [rank][n - rank], [rank][m - rank]: A x = 0 for x[col] = [top; I] y, x^T A = 0 for x[row] with left_top */
    double *gram, *work, *part;
} bl_ldu;
typedef enum bl_ldu_solution { BL_LDU_BASIC, BL_LDU_MINIMUM_NORM } bl_ldu_solution;
/* block: bl_ldu_doubles(m, n) numbers, order: m + n. Called once; then factor any number of times. */
size_t bl_ldu_doubles(bl_index m, bl_index n);
void bl_ldu_place(bl_ldu *ldu, bl_index m, bl_index n, double *block, bl_index *order);
/* a[m][n] kept. Pivots up to tolerance x the largest entry count as zero (0: max(m, n) eps; 1e-11 is suitable for assembled systems). */
void bl_ldu_factor(bl_ldu *ldu, const double *a, double tolerance);
/* The same with the pivots of the last factors, which had rank m: false if an entry of L or U would exceed `most`; then call factor. */
bool bl_ldu_refactor(bl_ldu *ldu, const double *a, double most);
void bl_ldu_null(const bl_ldu *ldu, double *basis);      /* basis[n][n - rank] of A x = 0 */
void bl_ldu_left_null(const bl_ldu *ldu, double *basis); /* basis[m][m - rank] of x^T A = 0 */
/* x[n] with the least |A x - b|: zero beyond the pivots, or of minimum norm. */
void bl_ldu_solve(bl_ldu *ldu, bl_ldu_solution which, const double *b, double *x);
/* Basic solution x[m] of A^T x = b, b[n] in the range of A^T: only its entries at the pivots are read. */
void bl_ldu_solve_transposed(bl_ldu *ldu, const double *b, double *x);

/* Cholesky factorization of a small dense symmetric positive definite a[n][n] (lower triangle), and its solve.
 * BL_SINGULAR if a pivot is not positive: *bad is its index. */
bl_status bl_cholesky(bl_index n, double *a, bl_index *bad);
void bl_cholesky_solve(bl_index n, const double *l, double *x);

/* Small full matrices for many products: X[columns][room], room = bl_dense_room(rows), zeros after the rows. */
enum { BL_DENSE_ROWS = 8, BL_DENSE_COLUMNS = 4 };
static inline size_t bl_dense_room(size_t rows) { return (rows + BL_DENSE_ROWS - 1) / BL_DENSE_ROWS * BL_DENSE_ROWS; }
/* y[room] = X x, x[n]; by the instruction set of the context */
void bl_dense_multiply(const bl_context *ctx, size_t n, size_t room, const double *X, const double *x, double *y);
/* y = X^T x, x[room] with zeros after the rows. X and y are allocated for n columns rounded up to BL_DENSE_COLUMNS, zeros in X. */
void bl_dense_multiply_transposed(const bl_context *ctx, size_t n, size_t room, const double *X, const double *x, double *y);

/* ---- factors by LAPACK, in memory of the caller; pivots are counted from 1. No allocation. */

/* P A = L U of a[n][n] with partial pivoting. False: an exactly zero pivot. */
bool bl_dense_lu(bl_index n, double *a, bl_index *pivot);
void bl_dense_lu_solve(bl_index n, bl_index columns, const double *lu, const bl_index *pivot, bool transposed,
                       double *b); /* b[n][columns] */
/* The same for complex numbers as pairs of doubles. */
bool bl_dense_lu_complex(bl_index n, double *a, bl_index *pivot);
void bl_dense_lu_complex_solve(bl_index n, const double *lu, const bl_index *pivot, double *b);
/* Band: a[2 below + above + 1][n], entry (i, j) at row below + above + i - j. */
bool bl_dense_lu_band(bl_index n, bl_index below, bl_index above, double *a, bl_index *pivot);
void bl_dense_lu_band_solve(bl_index n, bl_index below, bl_index above, const double *lu, const bl_index *pivot, double *b);

/* T x = b in place for columns of b[rows_b][columns], T the upper or lower triangle of a[rows_a][] of order n */
typedef enum bl_triangle { BL_LOWER = 'L', BL_UPPER = 'U' } bl_triangle;
void bl_dense_triangle_solve(bl_triangle which, bool transposed, bl_index n, bl_index columns, const double *a, bl_index rows_a, double *b,
                             bl_index rows_b);

/* A P = Q R of A[m][n] with column pivoting; order[n] in: 0 free, otherwise first; out: permutation of columns, from 1. tau[min(m, n)].
 * work: bl_dense_qr_work(m, n) doubles or more. */
size_t bl_dense_qr_work(bl_index m, bl_index n);
bool bl_dense_qr_pivoted(bl_index m, bl_index n, double *a, bl_index *order, double *tau, double *work, size_t nwork);
/* x[m][columns] = Q x or Q^T x, Q of `reflectors` reflectors of a */
void bl_dense_qr_multiply(bl_index m, bl_index columns, bl_index reflectors, const double *a, const double *tau, bool transposed, double *x,
                          double *work, size_t nwork);
/* [R11 R12] = [T 0] Z of the first `rank` rows of a[n][n], and x[n] = Z x or Z^T x */
void bl_dense_rz(bl_index rank, bl_index n, double *a, double *tau, double *work, size_t nwork);
void bl_dense_rz_multiply(bl_index rank, bl_index n, const double *a, const double *tau, bool transposed, double *x, double *work,
                          size_t nwork);

/* a[n][n] = L L^T, lower triangle. False: not positive definite. */
bool bl_dense_llt(bl_index n, double *a);
void bl_dense_llt_solve(bl_index n, const double *l, double *b);

/* A = U S V^T, complete U[m][m] and VT[n][n]; a[m][n] destroyed. iwork[8 min(m, n)], work: bl_dense_svd_work. False: no convergence. */
size_t bl_dense_svd_work(bl_index m, bl_index n);
bool bl_dense_svd(bl_index m, bl_index n, double *a, double *sigma, double *U, double *VT, double *work, size_t nwork, bl_index *iwork);
/* only VT[n][n], by QR iteration: m <= n */
bool bl_dense_svd_right(bl_index m, bl_index n, double *a, double *sigma, double *VT, double *work, size_t nwork);

/* A x = value B x of symmetric a[n][n] and positive definite b[n][n] (lower triangles): eigenvalues ascending, vectors as columns of a with
 * x^T B x = 1; b destroyed. By divide and conquer. False: B is not positive definite. work: bl_dense_eigen_work(n), iwork[5 n + 3]. b NULL:
 * B = 1. */
size_t bl_dense_eigen_work(bl_index n);
bool bl_dense_eigen_pair(bl_index n, double *a, double *b, double *value, double *work, size_t nwork, bl_index *iwork);
/* Craig and Bampton's component modes (AIAA J. 6 (1968)) of symmetric K[n][n] and M[n][n]: T[nb + nmode][n], by columns, first the static
 * responses to unit displacements of the boundary, [1; -K_ii^-1 K_ib], then the nmode lowest modes with fixed boundary and unit modal mass.
 * Allocates. BL_SINGULAR: the component can move with fixed boundary, or has no mass inside. */
bl_status bl_dense_component(bl_context *ctx, bl_index n, const double *K, const double *M, bl_index nb, const bl_index *boundary,
                             bl_index nmode, double *T);
/* Eigenvalues of any a[n][n], destroyed. work: at least 4 n. */
bool bl_dense_eigenvalues(bl_index n, double *a, double *re, double *im, double *work, size_t nwork);
/* ... and vectors: vector[n][n]; for a conjugate pair, real and imaginary part of the vector of the first eigenvalue. */
bool bl_dense_eigen_general(bl_index n, double *a, double *re, double *im, double *vector, double *work, size_t nwork);
/* A x = lambda B x of any a[n][n], b[n][n], both destroyed: lambda = (re + i im) / below, below 0: infinite. Vectors as above. work: at
 * least 8 n. */
bool bl_dense_eigen_pencil(bl_index n, double *a, double *b, double *re, double *im, double *below, double *vector, double *work,
                           size_t nwork);
/* Complex numbers as pairs; work: at least 2 n pairs, reals[2 n] */
bool bl_dense_eigenvalues_complex(bl_index n, double *a, double *value, double *work, size_t npairs, double *reals);

/* ---- one matrix, many shifts */

/* A = T H T^-1, H zero below its subdiagonal: a[n][n] becomes H, by rows; b[n][nb] becomes T^-1 b, c[nc][n] c T. T is a scaling times an
 * orthogonal matrix. False: LAPACK fails. */
size_t bl_dense_hessenberg_work(bl_index n, bl_index nb, bl_index nc);
bool bl_dense_hessenberg(bl_index n, double *a, bl_index nb, double *b, bl_index nc, double *c, double *work, size_t nwork);
/* (s - H) x = b in place for x[columns][n], s = re + i im, complex numbers as pairs; lu[n][n] pairs. Returns the smallest pivot in absolute
 * value; 0: no solution, x is destroyed. n^2 operations. */
double bl_dense_hessenberg_solve(bl_index n, const double *h, double re, double im, bl_index columns, double *x, double *lu);

/* The file of the shared library that BLAS comes from; false: it is part of this program or library. */
bool bl_dense_blas_file(char *path, size_t size);

#endif
