/* LAPACK under descriptive names: all its calls for factorizations of other rooms. Leading dimensions are numbers of rows, at least 1. */
#include "dense/dense.h"

#include <complex.h>
#include <lapacke.h>

_Static_assert(sizeof(lapack_int) == sizeof(bl_index), "pivots are handed to LAPACK as they are");

enum { BLOCK = 32, SVD_BLOCK = 64 }; /* block sizes for LAPACK */
enum { FEW = 12 };                   /* columns up to which reflectors are applied one by one: measured on 112 rows */

static lapack_int lead(bl_index rows) { return rows > 0 ? rows : 1; }
static char trans(bool transposed) { return transposed ? 'T' : 'N'; }

/* ---- LU */

bool bl_dense_lu(bl_index n, double *a, bl_index *pivot) { return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, a, lead(n), pivot) == 0; }

void bl_dense_lu_solve(bl_index n, bl_index columns, const double *lu, const bl_index *pivot, bool transposed, double *b) {
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, trans(transposed), n, columns, lu, lead(n), pivot, b, lead(n));
}

static lapack_complex_double *pairs(double *a) { return (lapack_complex_double *)(void *)a; }

bool bl_dense_lu_complex(bl_index n, double *a, bl_index *pivot) {
    return LAPACKE_zgetrf_work(LAPACK_COL_MAJOR, n, n, pairs(a), lead(n), pivot) == 0;
}

void bl_dense_lu_complex_solve(bl_index n, const double *lu, const bl_index *pivot, double *b) {
    LAPACKE_zgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, (const lapack_complex_double *)(const void *)lu, lead(n), pivot, pairs(b), lead(n));
}

bool bl_dense_lu_band(bl_index n, bl_index below, bl_index above, double *a, bl_index *pivot) {
    return LAPACKE_dgbtrf_work(LAPACK_COL_MAJOR, n, n, below, above, a, 2 * below + above + 1, pivot) == 0;
}

void bl_dense_lu_band_solve(bl_index n, bl_index below, bl_index above, const double *lu, const bl_index *pivot, double *b) {
    LAPACKE_dgbtrs_work(LAPACK_COL_MAJOR, 'N', n, below, above, 1, lu, 2 * below + above + 1, pivot, b, lead(n));
}

void bl_dense_triangle_solve(bl_triangle which, bool transposed, bl_index n, bl_index columns, const double *a, bl_index rows_a, double *b,
                             bl_index rows_b) {
    if (n > 0 && columns > 0)
        LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, (char)which, trans(transposed), 'N', n, columns, a, rows_a, b, rows_b);
}

/* ---- orthogonal factors */

size_t bl_dense_qr_work(bl_index m, bl_index n) {
    return (size_t)BLOCK * ((size_t)m + 1) + 2 * (size_t)n + (size_t)BLOCK * ((size_t)n + 1) + 65 * 64 + 1;
}

bool bl_dense_qr_pivoted(bl_index m, bl_index n, double *a, bl_index *order, double *tau, double *work, size_t nwork) {
    return LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, m, n, a, lead(m), order, tau, work, (lapack_int)nwork) == 0;
}

void bl_dense_qr_multiply(bl_index m, bl_index columns, bl_index reflectors, const double *a, const double *tau, bool transposed, double *x,
                          double *work, size_t nwork) {
    /* for few columns, apply one reflector after the other: forming blocks costs more. The minimum workspace selects that. */
    bool few = columns <= FEW;
    if (reflectors > 0 && columns > 0)
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', trans(transposed), m, columns, reflectors, a, lead(m), tau, x, lead(m), work,
                            few ? lead(columns) : (lapack_int)nwork);
}

void bl_dense_rz(bl_index rank, bl_index n, double *a, double *tau, double *work, size_t nwork) {
    LAPACKE_dtzrzf_work(LAPACK_COL_MAJOR, rank, n, a, lead(n), tau, work, (lapack_int)nwork);
}

void bl_dense_rz_multiply(bl_index rank, bl_index n, const double *a, const double *tau, bool transposed, double *x, double *work,
                          size_t nwork) {
    LAPACKE_dormrz_work(LAPACK_COL_MAJOR, 'L', trans(transposed), n, 1, rank, n - rank, a, lead(n), tau, x, lead(n), work,
                        (lapack_int)nwork);
}

/* ---- Cholesky */

bool bl_dense_llt(bl_index n, double *a) { return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, a, lead(n)) == 0; }

void bl_dense_llt_solve(bl_index n, const double *l, double *b) {
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, l, lead(n), b, lead(n));
}

/* ---- singular values and eigenvalues */

size_t bl_dense_svd_work(bl_index m, bl_index n) {
    size_t least = (size_t)(m < n ? m : n), most = (size_t)(m < n ? n : m);
    return 4 * least * least + 7 * least + SVD_BLOCK * (most + least) + 1;
}

bool bl_dense_svd(bl_index m, bl_index n, double *a, double *sigma, double *U, double *VT, double *work, size_t nwork, bl_index *iwork) {
    return LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'A', m, n, a, lead(m), sigma, U, lead(m), VT, lead(n), work, (lapack_int)nwork, iwork) ==
           0;
}

bool bl_dense_svd_right(bl_index m, bl_index n, double *a, double *sigma, double *VT, double *work, size_t nwork) {
    return LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'N', 'A', m, n, a, lead(m), sigma, NULL, 1, VT, lead(n), work, (lapack_int)nwork) == 0;
}

size_t bl_dense_eigen_work(bl_index n) { return 1 + 6 * (size_t)n + 2 * (size_t)n * (size_t)n; }

bool bl_dense_eigen_pair(bl_index n, double *a, double *b, double *value, double *work, size_t nwork, bl_index *iwork) {
    lapack_int niwork = 3 + 5 * n;
    if (!b)
        return LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, a, lead(n), value, work, (lapack_int)nwork, iwork, niwork) == 0;
    return LAPACKE_dsygvd_work(LAPACK_COL_MAJOR, 1, 'V', 'L', n, a, lead(n), b, lead(n), value, work, (lapack_int)nwork, iwork, niwork) ==
           0;
}

bool bl_dense_eigenvalues(bl_index n, double *a, double *re, double *im, double *work, size_t nwork) {
    return LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', n, a, lead(n), re, im, NULL, 1, NULL, 1, work, (lapack_int)nwork) == 0;
}

bool bl_dense_eigen_general(bl_index n, double *a, double *re, double *im, double *vector, double *work, size_t nwork) {
    return LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'V', n, a, lead(n), re, im, NULL, 1, vector, lead(n), work, (lapack_int)nwork) == 0;
}

bool bl_dense_eigen_pencil(bl_index n, double *a, double *b, double *re, double *im, double *below, double *vector, double *work,
                           size_t nwork) {
    return LAPACKE_dggev_work(LAPACK_COL_MAJOR, 'N', 'V', n, a, lead(n), b, lead(n), re, im, below, NULL, 1, vector, lead(n), work,
                              (lapack_int)nwork) == 0;
}

bool bl_dense_eigenvalues_complex(bl_index n, double *a, double *value, double *work, size_t npairs, double *reals) {
    lapack_complex_double none[1];
    return LAPACKE_zgeev_work(LAPACK_COL_MAJOR, 'N', 'N', n, pairs(a), lead(n), pairs(value), none, 1, none, 1, pairs(work),
                              (lapack_int)npairs, reals) == 0;
}
