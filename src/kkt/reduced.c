/* Full matrices on the admissible motions, the null space of G (reduced.h). With S the scales of columns, D those of rows,
 *
 *     (D^-1 G S)^T P = Q [T11 T12; 0 0],   R = last columns of Q,   x = S R z + least,   D lambda from T.                       */
#include "kkt/reduced.h"

#include "system/system_limits.h"

#include <math.h>
#include <string.h>

static size_t square(bl_index n) { return (size_t)n * (size_t)n; }

bl_status bl_reduced_create(bl_kkt *kkt) {
    bl_reduced *s;
    bl_index n = kkt->n, np = kkt->np, least = n < np ? n : np;
    size_t tall = (size_t)n * (size_t)np;
    BL_TRY(BL_NEW(kkt->ctx, s, 1));
    kkt->reduced = s;
    s->n = n;
    s->np = np;
    s->nwork = bl_dense_qr_work(n, np > n ? np : n);
    size_t nn = square(n), mm = square(np);
    BL_TRY(BL_NEW_ARRAYS(kkt->ctx, s->block, BL_ARRAY(s->lu, nn), BL_ARRAY(s->half, nn), BL_ARRAY(s->column, n), BL_ARRAY(s->negative, n),
                         BL_ARRAY(s->rest, n), BL_ARRAY(s->moved, n), BL_ARRAY(s->z, n), BL_ARRAY(s->work, s->nwork), BL_ARRAY(s->qr, tall),
                         BL_ARRAY(s->tau, least), BL_ARRAY(s->ztau, least), BL_ARRAY(s->top, mm), BL_ARRAY(s->row_scale, np),
                         BL_ARRAY(s->row, np), BL_ARRAY(s->R, np ? nn : 0), BL_ARRAY(s->pivot, n), BL_ARRAY(s->order, np)));
    s->f = n;
    for (bl_index i = 0; i < np; i++)
        s->row_scale[i] = kkt->sys->row && kkt->sys->row[i].scale > 0 ? kkt->sys->row[i].scale : 1;
    return BL_OK;
}

void bl_reduced_destroy(bl_kkt *kkt) {
    bl_reduced *s = kkt->reduced;
    if (!s)
        return;
    bl_free(kkt->ctx, s->block);
    bl_free(kkt->ctx, s);
}

/* ---- the configuration */

/* T from the factors, and [T11 T12] = [T 0] Z where rows are dependent */
static void keep_top(bl_reduced *s) {
    memset(s->top, 0, square(s->np) * sizeof *s->top);
    for (bl_index j = 0; j < s->np; j++)
        for (bl_index i = 0; i <= j && i < s->rank; i++)
            s->top[(size_t)j * (size_t)s->np + (size_t)i] = s->qr[(size_t)j * (size_t)s->n + (size_t)i];
    if (s->rank < s->np && s->rank > 0)
        bl_dense_rz(s->rank, s->np, s->top, s->ztau, s->work, s->nwork);
}

bl_status bl_reduced_move_to(bl_kkt *kkt) {
    bl_reduced *s = kkt->reduced;
    const bl_system *sys = kkt->sys;
    const bl_pattern *G = &sys->pat_G;
    size_t n = (size_t)s->n, tall = n * (size_t)s->np;
    if (s->np == 0)
        return BL_OK;
    memset(s->qr, 0, tall * sizeof *s->qr);
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++)
            if (!kkt->positions || sys->row[G->idx[k]].level == BL_AT_POSITION)
                s->qr[(size_t)G->idx[k] * n + (size_t)j] = kkt->G[k] * kkt->scale[j] / s->row_scale[G->idx[k]];
    BL_TRY(bl_check_finite(kkt->ctx, "derivatives of constraints", NAN, (bl_index)tall, s->qr));
    double tolerance = bl_rank_relative(tall, s->qr, sys->row_size, bl_rank_tolerance(sys->closure));
    memset(s->order, 0, (size_t)s->np * sizeof *s->order);
    if (!bl_dense_qr_pivoted(s->n, s->np, s->qr, s->order, s->tau, s->work, s->nwork))
        return bl_fail(kkt->ctx, BL_SINGULAR, NULL,
                       "the QR factorization of the constraint Jacobian failed: an entry is not finite or too large");
    bl_index least = s->n < s->np ? s->n : s->np;
    for (s->rank = 0; s->rank < least && tolerance < 1; s->rank++)
        if (!(fabs(s->qr[(size_t)s->rank * (n + 1)]) > tolerance * fabs(s->qr[0])))
            break;
    keep_top(s);
    s->f = s->n - s->rank;
    memset(s->R, 0, n * (size_t)s->f * sizeof *s->R);
    for (bl_index k = 0; k < s->f; k++)
        s->R[(size_t)k * n + (size_t)(s->rank + k)] = 1;
    bl_dense_qr_multiply(s->n, s->f, s->rank, s->qr, s->tau, false, s->R, s->work, s->nwork);
    return BL_OK;
}

void bl_kkt_least(bl_kkt *kkt, const double *c, double *x) {
    bl_reduced *s = kkt->reduced;
    memset(x, 0, (size_t)s->n * sizeof *x);
    if (s->np == 0)
        return;
    for (bl_index i = 0; i < s->rank; i++)
        x[i] = c[s->order[i] - 1] / s->row_scale[s->order[i] - 1];
    bl_dense_triangle_solve(BL_UPPER, true, s->rank, 1, s->qr, s->n, x, s->n);
    bl_dense_qr_multiply(s->n, 1, s->rank, s->qr, s->tau, false, x, s->work, s->nwork);
    for (bl_index j = 0; j < s->n; j++)
        x[j] *= kkt->scale[j];
}

void bl_reduced_multipliers(bl_kkt *kkt, const double *Q, double *lambda) {
    bl_reduced *s = kkt->reduced;
    double *y = s->column, *mu = s->row;
    if (s->np == 0)
        return;
    for (bl_index j = 0; j < s->n; j++)
        y[j] = Q[j] * kkt->scale[j];
    bl_dense_qr_multiply(s->n, 1, s->rank, s->qr, s->tau, true, y, s->work, s->nwork);
    memset(mu, 0, (size_t)s->np * sizeof *mu);
    memcpy(mu, y, (size_t)s->rank * sizeof *mu);
    bl_dense_triangle_solve(BL_UPPER, false, s->rank, 1, s->top, s->np, mu, s->np);
    if (s->rank < s->np && s->rank > 0)
        bl_dense_rz_multiply(s->rank, s->np, s->top, s->ztau, true, mu, s->work, s->nwork);
    for (bl_index i = 0; i < s->np; i++)
        lambda[s->order[i] - 1] = mu[i] / s->row_scale[s->order[i] - 1];
}

/* ---- matrices on the motions */

void bl_kkt_motion(const bl_kkt *kkt, const double *z, double *x) {
    const bl_reduced *s = kkt->reduced;
    size_t n = (size_t)s->n;
    if (s->np == 0) {
        for (size_t j = 0; j < n; j++)
            x[j] = kkt->scale[j] * z[j];
        return;
    }
    memset(x, 0, n * sizeof *x);
    for (bl_index k = 0; k < s->f; k++)
        for (size_t j = 0; j < n; j++)
            x[j] += s->R[(size_t)k * n + j] * z[k];
    for (size_t j = 0; j < n; j++)
        x[j] *= kkt->scale[j];
}

void bl_kkt_reduce_force(const bl_kkt *kkt, const double *Q, double *y) {
    const bl_reduced *s = kkt->reduced;
    size_t n = (size_t)s->n;
    for (bl_index k = 0; k < s->f; k++) {
        double sum = 0;
        for (size_t j = 0; s->np && j < n; j++)
            sum += s->R[(size_t)k * n + j] * kkt->scale[j] * Q[j];
        y[k] = s->np ? sum : kkt->scale[k] * Q[k];
    }
}

/* half[f][n] = S A S R */
static void products(const bl_kkt *kkt, const bl_pattern *pattern, const double *A) {
    const bl_reduced *s = kkt->reduced;
    size_t n = (size_t)s->n;
    for (bl_index k = 0; k < s->f; k++) {
        double *y = s->half + (size_t)k * n;
        const double *R = s->R + (size_t)k * n;
        memset(y, 0, n * sizeof *y);
        for (size_t j = 0; j < n; j++)
            s->column[j] = kkt->scale[j] * R[j];
        bl_csc_multiply(pattern, A, s->column, y);
        for (size_t j = 0; j < n; j++)
            y[j] *= kkt->scale[j];
    }
}

void bl_kkt_reduce(const bl_kkt *kkt, const bl_pattern *pattern, const double *A, double *out) {
    const bl_reduced *s = kkt->reduced;
    const bl_pattern *of = pattern ? pattern : &kkt->sys->pat_K;
    size_t n = (size_t)s->n, f = (size_t)s->f;
    if (s->np == 0) {
        memset(out, 0, n * n * sizeof *out);
        for (bl_index j = 0; j < of->ncol; j++)
            for (bl_index k = of->ptr[j]; k < of->ptr[j + 1]; k++)
                out[(size_t)j * n + (size_t)of->idx[k]] = kkt->scale[of->idx[k]] * A[k] * kkt->scale[j];
        return;
    }
    products(kkt, of, A);
    for (size_t k = 0; k < f; k++)
        for (size_t i = 0; i < f; i++) {
            const double *R = s->R + i * n, *y = s->half + k * n;
            double sum = 0;
            for (size_t j = 0; j < n; j++)
                sum += R[j] * y[j];
            out[k * f + i] = sum;
        }
}

bl_status bl_reduced_factor(bl_kkt *kkt, const double *H, double sigma, const bl_pattern *mass, const double *M, double shift) {
    bl_reduced *s = kkt->reduced;
    size_t f = (size_t)s->f;
    bl_kkt_reduce(kkt, NULL, H, s->lu);
    if (M && sigma != 0) {
        double *with = NULL;
        BL_TRY(BL_NEW(kkt->ctx, with, f * f));
        bl_kkt_reduce(kkt, mass, M, with);
        for (size_t i = 0; i < f * f; i++)
            s->lu[i] -= sigma * with[i];
        bl_free(kkt->ctx, with);
    }
    for (size_t k = 0; k < f; k++)
        s->lu[k * (f + 1)] += shift;
    BL_TRY(bl_check_finite(kkt->ctx, "tangent", NAN, (bl_index)(f * f), s->lu));
    s->H = H;
    s->M = M;
    s->sigma = sigma;
    s->shift = shift;
    double least = INFINITY, most = 0;
    bool regular = f == 0 || bl_dense_lu(s->f, s->lu, s->pivot);
    for (size_t k = 0; k < f; k++) {
        least = fmin(least, fabs(s->lu[k * (f + 1)]));
        most = fmax(most, fabs(s->lu[k * (f + 1)]));
    }
    s->ratio = f == 0 ? 1 : regular && most > 0 ? least / most : 0;
    return s->ratio > 0 ? BL_OK : BL_SINGULAR;
}

/* Q -= (H - sigma M + shift) x */
static void subtract_product(const bl_kkt *kkt, const bl_pattern *mass, const double *x, double *Q) {
    const bl_reduced *s = kkt->reduced;
    double *negative = s->negative;
    for (bl_index j = 0; j < s->n; j++)
        negative[j] = -x[j];
    bl_csc_multiply(&kkt->sys->pat_K, s->H, negative, Q);
    for (bl_index j = 0; j < s->n; j++) {
        Q[j] += s->shift / (kkt->scale[j] * kkt->scale[j]) * negative[j];
        negative[j] *= -s->sigma;
    }
    if (s->M && s->sigma != 0)
        bl_csc_multiply(mass, s->M, negative, Q);
}

void bl_reduced_solve(bl_kkt *kkt, const bl_pattern *mass, const double *Q, const double *c, double *x, double *lambda) {
    bl_reduced *s = kkt->reduced;
    size_t n = (size_t)s->n;
    double *rest = s->rest, *moved = s->moved, *z = s->z;
    memcpy(rest, Q, n * sizeof *rest);
    memset(moved, 0, n * sizeof *moved);
    if (c && s->np) {
        bl_kkt_least(kkt, c, moved);
        subtract_product(kkt, mass, moved, rest);
    }
    bl_kkt_reduce_force(kkt, rest, z);
    if (s->f > 0)
        bl_dense_lu_solve(s->f, 1, s->lu, s->pivot, false, z);
    bl_kkt_motion(kkt, z, s->column);
    for (size_t j = 0; j < n; j++)
        moved[j] += s->column[j];
    if (lambda && s->np) {
        memcpy(rest, Q, n * sizeof *rest);
        subtract_product(kkt, mass, moved, rest);
        bl_reduced_multipliers(kkt, rest, lambda);
    }
    memcpy(x, moved, n * sizeof *x);
}

int bl_reduced_sign(const bl_kkt *kkt) {
    const bl_reduced *s = kkt->reduced;
    int sign = 1;
    if (!(s->ratio > 0))
        return 0;
    for (bl_index k = 0; k < s->f; k++) {
        sign = s->pivot[k] != k + 1 ? -sign : sign;
        sign = s->lu[(size_t)k * (size_t)(s->f + 1)] < 0 ? -sign : sign;
    }
    return sign;
}
