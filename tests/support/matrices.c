#include "support/matrices.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *reserve(size_t count, size_t size) {
    void *block = calloc(count ? count : 1, size);
    assert_non_null(block);
    return block;
}

test_matrix test_matrix_from(bl_context *ctx, bl_index n, const double *a, const uint8_t *keep) {
    test_matrix matrix = {.ctx = ctx, .n = n};
    size_t size = (size_t)n * (size_t)n;
    bl_index *row = reserve(size, sizeof *row), *col = reserve(size, sizeof *col), npair = 0;
    for (bl_index j = 0; j < n; j++)
        for (bl_index i = 0; i < n; i++)
            if (a[i + j * n] != 0 || (keep && keep[i + j * n])) {
                row[npair] = i;
                col[npair++] = j;
            }
    assert_int_equal(bl_pattern_build(ctx, n, n, npair, row, col, &matrix.pattern, NULL), BL_OK);
    matrix.values = reserve((size_t)npair, sizeof *matrix.values);
    for (bl_index k = 0; k < npair; k++)
        matrix.values[bl_pattern_find(&matrix.pattern, row[k], col[k])] = a[row[k] + col[k] * n];
    free(row);
    free(col);
    return matrix;
}

test_matrix test_matrix_random(bl_context *ctx, test_random *random, bl_index n, bl_index nnz) {
    double *a = reserve((size_t)n * (size_t)n, sizeof *a);
    bl_index *order = reserve((size_t)n, sizeof *order);
    for (bl_index i = 0; i < n; i++) {
        bl_index j = test_random_below(random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (bl_index k = n; k < nnz; k++) { /* one number per statement: compilers differ in the order within one */
        bl_index i = test_random_below(random, n), j = test_random_below(random, n);
        a[i + j * n] = test_random_symmetric(random);
    }
    for (bl_index i = 0; i < n; i++)
        a[i + order[i] * n] = 1 + test_random_unit(random);
    test_matrix matrix = test_matrix_from(ctx, n, a, NULL);
    free(a);
    free(order);
    return matrix;
}

void test_matrix_fill(test_matrix *matrix, test_random *random) {
    for (bl_index k = 0; k < matrix->pattern.ptr[matrix->n]; k++)
        matrix->values[k] *= 1 + 0.3 * test_random_symmetric(random);
}

void test_matrix_free(test_matrix *matrix) {
    bl_pattern_free(matrix->ctx, &matrix->pattern);
    free(matrix->values);
}

void test_matrix_dense(const test_matrix *matrix, double *a) {
    bl_index n = matrix->n;
    memset(a, 0, (size_t)n * (size_t)n * sizeof *a);
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = matrix->pattern.ptr[j]; k < matrix->pattern.ptr[j + 1]; k++)
            a[matrix->pattern.idx[k] + j * n] = matrix->values[k];
}

double test_matrix_residual(const test_matrix *matrix, bool transposed, const double *x, const double *b) {
    bl_index n = matrix->n;
    double *r = reserve((size_t)n, sizeof *r), *sum = reserve((size_t)n, sizeof *sum);
    double norm = 0, size_x = 0, size_b = 0, worst = 0;
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = matrix->pattern.ptr[j]; k < matrix->pattern.ptr[j + 1]; k++) {
            bl_index i = matrix->pattern.idx[k];
            bl_index to = transposed ? j : i, from = transposed ? i : j;
            r[to] += matrix->values[k] * x[from];
            sum[to] += fabs(matrix->values[k]);
        }
    for (bl_index i = 0; i < n; i++) {
        norm = fmax(norm, sum[i]);
        size_x = fmax(size_x, fabs(x[i]));
        size_b = fmax(size_b, fabs(b[i]));
        worst = fmax(worst, fabs(r[i] - b[i]));
        if (!isfinite(x[i]))
            worst = INFINITY;
    }
    free(r);
    free(sum);
    return worst > 0 ? worst / (norm * size_x + size_b) : 0;
}

void test_singular_values(bl_index m, bl_index n, const double *a, double *s) {
    size_t size = (size_t)m * (size_t)n, nwork = 10 * (size_t)(m + n) + 10;
    double *copy = reserve(size, sizeof *copy), *work = reserve(nwork, sizeof *work), none;
    memcpy(copy, a, size * sizeof *a);
    assert_int_equal(LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'N', 'N', m, n, copy, m, s, &none, 1, &none, 1, work, (int)nwork), 0);
    free(copy);
    free(work);
}

void test_pseudo_inverse(bl_index n, const double *a, double tolerance, bool transposed, const double *b, double *x) {
    size_t size = (size_t)n * (size_t)n, nwork = 20 * (size_t)n + 10;
    double *copy = reserve(size, sizeof *copy), *u = reserve(size, sizeof *u), *vt = reserve(size, sizeof *vt);
    double *work = reserve(nwork, sizeof *work), *s = reserve((size_t)n, sizeof *s);
    memcpy(copy, a, size * sizeof *a);
    assert_int_equal(LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', n, n, copy, n, s, u, n, vt, n, work, (int)nwork), 0);
    memset(x, 0, (size_t)n * sizeof *x);
    for (bl_index k = 0; k < n && s[k] > tolerance * s[0]; k++) {
        double c = 0;
        for (bl_index i = 0; i < n; i++)
            c += (transposed ? vt[k + i * n] : u[i + k * n]) * b[i];
        for (bl_index i = 0; i < n; i++)
            x[i] += (transposed ? u[i + k * n] : vt[k + i * n]) * c / s[k];
    }
    free(copy), free(u), free(vt), free(work), free(s);
}

test_kkt test_kkt_random(bl_context *ctx, test_random *random, bl_index nv, bl_index np, bl_index rank) {
    test_kkt kkt = {.nv = nv, .np = np, .rank = rank};
    bl_index n = nv + np;
    double *M = kkt.M = reserve((size_t)(nv * nv), sizeof *M), *G = kkt.G = reserve((size_t)(np * nv), sizeof *G);
    double *a = reserve((size_t)n * (size_t)n, sizeof *a);
    uint8_t *keep = reserve((size_t)n * (size_t)n, 1);
    for (bl_index i = 0; i < nv; i++) {
        M[i + i * nv] = 1 + test_random_unit(random);
        if (i)
            M[i + (i - 1) * nv] = M[i - 1 + i * nv] = 0.4 * test_random_symmetric(random);
    }
    /* independent rows touch a few neighboring columns, one of them alone, so that they are well conditioned */
    for (bl_index r = 0; r < rank; r++) {
        bl_index first = (bl_index)((int64_t)r * nv / rank);
        G[r + first * np] = 2 + test_random_unit(random);
        for (int k = 0; k < 4; k++)
            G[r + test_random_below(random, nv) * np] += 0.4 * test_random_symmetric(random);
    }
    /* the others are sums of two of them (of one when there is no second) */
    for (bl_index r = rank; r < np; r++) {
        bl_index one = rank ? test_random_below(random, rank) : 0, two = rank ? test_random_below(random, rank) : 0;
        double c = test_random_symmetric(random);
        for (bl_index j = 0; j < nv && rank; j++)
            G[r + j * np] = G[one + j * np] + c * G[two + j * np];
    }
    for (bl_index j = 0; j < nv; j++) {
        for (bl_index i = 0; i < nv; i++)
            a[i + j * n] = M[i + j * nv];
        for (bl_index r = 0; r < np; r++)
            a[nv + r + j * n] = a[j + (nv + r) * n] = G[r + j * np];
    }
    kkt.matrix = test_matrix_from(ctx, n, a, keep);
    free(a);
    free(keep);
    return kkt;
}

void test_kkt_free(test_kkt *kkt) {
    test_matrix_free(&kkt->matrix);
    free(kkt->M);
    free(kkt->G);
}
