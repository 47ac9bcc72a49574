/* Scaled linear complementarity problems: rows and columns of A divided by the roots of their largest entries, which keeps solutions
 * complementary. Without it masses of very different size would make pivots meaningless. */
#include "complement/lcp_private.h"

#include "dense/dense.h"

#include <math.h>

bl_status bl_lcp_work_create(bl_context *ctx, bl_index n, bl_lcp_work *work) {
    size_t m = (size_t)n;
    *work = (bl_lcp_work){.ctx = ctx};
    BL_TRY(BL_NEW_ARRAYS(ctx, work->block, BL_ARRAY(work->scale_w, n), BL_ARRAY(work->scale_z, n), BL_ARRAY(work->A, m * m),
                         BL_ARRAY(work->b, n), BL_ARRAY(work->tableau, m * (2 * m + 2)), BL_ARRAY(work->z, n), BL_ARRAY(work->w, n),
                         BL_ARRAY(work->part, m * m), BL_ARRAY(work->rest, n), BL_ARRAY(work->factor, bl_ldu_doubles(n, n)),
                         BL_ARRAY(work->basis, n), BL_ARRAY(work->subset, n), BL_ARRAY(work->order, 2 * m)));
    work->n = n;
    return BL_OK;
}

void bl_lcp_work_destroy(bl_lcp_work *work) {
    bl_free(work->ctx, work->block);
    *work = (bl_lcp_work){0};
}

static double over_root(double largest) { return largest > 0 ? 1 / sqrt(largest) : 1; }

/* One pass by rows, one by columns: entries of the result are at most 1. */
static void balance(bl_index n, bl_lcp_work *s) {
    for (bl_index i = 0; i < n; i++) {
        double largest = 0;
        for (bl_index j = 0; j < n; j++)
            largest = fmax(largest, fabs(s->A[(size_t)n * (size_t)j + (size_t)i]));
        s->scale_w[i] = over_root(largest);
    }
    for (bl_index j = 0; j < n; j++) {
        double *column = s->A + (size_t)n * (size_t)j, largest = 0;
        for (bl_index i = 0; i < n; i++) {
            column[i] *= s->scale_w[i];
            largest = fmax(largest, fabs(column[i]));
        }
        s->scale_z[j] = largest > 0 ? 1 / largest : 1;
        for (bl_index i = 0; i < n; i++)
            column[i] *= s->scale_z[j];
    }
}

bl_status bl_lcp_scale(bl_index n, const double *A, const double *b, bl_lcp_work *s, double *size) {
    double sum = 0;
    for (size_t k = 0; k < (size_t)n * (size_t)n; k++)
        sum += 0 * (s->A[k] = A[k]);
    *size = 0;
    balance(n, s);
    for (bl_index i = 0; i < n; i++) {
        sum += 0 * b[i];
        s->b[i] = s->scale_w[i] * b[i];
        *size = fmax(*size, fabs(s->b[i]));
    }
    if (sum != 0) /* NaN: an entry was not finite */
        return BL_NOT_FINITE;
    for (bl_index i = 0; i<n && * size> 0; i++)
        s->b[i] /= *size;
    return BL_OK;
}

void bl_lcp_complement(bl_index n, const bl_lcp_work *s, const double *z, double *w) {
    for (bl_index i = 0; i < n; i++)
        w[i] = s->b[i];
    for (bl_index j = 0; j < n; j++)
        for (bl_index i = 0; i < n && z[j] != 0; i++)
            w[i] += s->A[(size_t)n * (size_t)j + (size_t)i] * z[j];
}

double bl_lcp_scaled_residual(bl_index n, const double *z, const double *w) {
    double worst = 0;
    for (bl_index i = 0; i < n; i++)
        worst = fmax(worst, fabs(fmin(z[i], w[i])));
    return worst;
}

double bl_lcp_residual(bl_index n, const double *A, const double *b, const double *z, bl_lcp_work *s) {
    double size;
    if (bl_lcp_scale(n, A, b, s, &size) != BL_OK)
        return INFINITY;
    for (bl_index i = 0; i < n; i++)
        s->z[i] = z[i] / s->scale_z[i] / (size > 0 ? size : 1);
    bl_lcp_complement(n, s, s->z, s->w);
    return bl_lcp_scaled_residual(n, s->z, s->w);
}

/* A_bb z_b = -b_b by factors of the subset alone: digits that the pivots of a tableau have lost come back */
double bl_lcp_solve_subset(bl_index n, bl_index count, bl_lcp_work *s, double tolerance) {
    bl_ldu ldu;
    for (bl_index j = 0; j < count; j++)
        for (bl_index i = 0; i < count; i++)
            s->part[(size_t)count * (size_t)j + (size_t)i] = s->A[(size_t)n * (size_t)s->subset[j] + (size_t)s->subset[i]];
    for (bl_index i = 0; i < count; i++)
        s->rest[i] = -s->b[s->subset[i]];
    bl_ldu_place(&ldu, count, count, s->factor, s->order);
    bl_ldu_factor(&ldu, s->part, tolerance);
    for (bl_index i = 0; i < n; i++)
        s->z[i] = 0;
    bl_ldu_solve(&ldu, BL_LDU_MINIMUM_NORM, s->rest, s->w);
    for (bl_index i = 0; i < count; i++)
        s->z[s->subset[i]] = s->w[i];
    double worst = 0; /* of its equations: not zero where they contradict each other */
    for (bl_index i = 0; i < count; i++) {
        double sum = -s->rest[i];
        for (bl_index j = 0; j < count; j++)
            sum += s->part[(size_t)count * (size_t)j + (size_t)i] * s->w[j];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}
