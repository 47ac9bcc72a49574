/* The tangent of the balance of forces, and the motions that have no stiffness. */
#include "kkt/kkt.h"
#include "kkt/kkt_limits.h"

#include <math.h>
#include <string.h>

bl_status bl_kkt_tangent(const bl_system *sys, bl_eval *eval, const double *lambda, double *H) {
    bl_index n = sys->nv + sys->nz;
    bool curved = sys->np > 0 && !(sys->zero & BL_GTL_X);
    BL_TRY(bl_system_eval(sys, eval, BL_KC));
    memcpy(H, eval->K, (size_t)sys->pat_K.ptr[n] * sizeof *H);
    if (!curved)
        return BL_OK;
    eval->lambda = lambda;
    eval->have &= ~(uint32_t)(BL_GTL_X | BL_WRENCH | BL_LOADS);
    BL_TRY(bl_system_eval(sys, eval, BL_GTL_X));
    for (bl_index k = 0; k < sys->pat_K.ptr[n]; k++)
        H[k] += eval->GTl_x[k];
    return BL_OK;
}

/* |x^T A x| / sum |x_i A_ij x_j|; 0 where A x = 0 */
static double stiffness_share(const bl_pattern *pattern, const double *A, const double *x) {
    double sum = 0, size = 0;
    for (bl_index j = 0; j < pattern->ncol; j++)
        for (bl_index k = pattern->ptr[j]; k < pattern->ptr[j + 1]; k++) {
            double term = x[pattern->idx[k]] * A[k] * x[j];
            sum += term;
            size += fabs(term);
        }
    return size > 0 ? fabs(sum) / size : 0;
}

bool bl_kkt_is_free(const bl_kkt *kkt, const double *H, const double *x, double share) {
    const bl_pattern *K = &kkt->sys->pat_K;
    double sum = 0, length = 0;
    if (stiffness_share(K, H, x) <= share)
        return true;
    for (bl_index j = 0; j < kkt->n; j++) {
        length += x[j] / kkt->scale[j] * (x[j] / kkt->scale[j]);
        for (bl_index k = K->ptr[j]; k < K->ptr[j + 1]; k++)
            sum += x[K->idx[k]] * H[k] * x[j];
    }
    return fabs(sum) <= kkt_no_stiffness * bl_kkt_mean_stiffness(kkt, H) * length;
}

/* ---- motions without stiffness: subspace iteration with H + shift, whose lowest modes they are by far */

enum { ROUNDS = 8, MORE = 4 }; /* more vectors than requested: they converge faster */

typedef struct iteration {
    bl_kkt *kkt;
    const double *H;
    bl_index n, count;
    double *X, *Y;            /* [count][n] */
    double *A, *B, *w, *work; /* [count][count], values */
    bl_index *iwork;
    void *block;
} iteration;

double bl_kkt_mean_stiffness(const bl_kkt *kkt, const double *H) {
    const bl_pattern *K = &kkt->sys->pat_K;
    double sum = 0;
    for (bl_index j = 0; j < kkt->n; j++)
        for (bl_index k = K->ptr[j]; k < K->ptr[j + 1]; k++)
            if (K->idx[k] == j)
                sum += fabs(H[k]) * kkt->scale[j] * kkt->scale[j];
    return sum > 0 ? sum / kkt->n : 1;
}

/* pseudo-random numbers in [-1, 1), the same in every run */
static double scrambled(uint64_t k) {
    k = (k + 1) * 0x9E3779B97F4A7C15u;
    k = (k ^ (k >> 30)) * 0xBF58476D1CE4E5B9u;
    k = (k ^ (k >> 27)) * 0x94D049BB133111EBu;
    return (double)(int64_t)(k ^ (k >> 31)) * 0x1p-63;
}

static double scaled_dot(const bl_kkt *kkt, const double *x, const double *y) {
    double sum = 0;
    for (bl_index j = 0; j < kkt->n; j++)
        sum += x[j] / kkt->scale[j] * (y[j] / kkt->scale[j]);
    return sum;
}

/* Y = lowest of the motions (H + shift)^-1 X, by Rayleigh-Ritz; *found: all of them are still independent */
static bl_status iterate_once(iteration *s, bool *found) {
    bl_kkt *kkt = s->kkt;
    size_t n = (size_t)s->n, m = (size_t)s->count;
    for (size_t k = 0; k < m; k++) {
        for (size_t j = 0; j < n; j++)
            s->Y[k * n + j] = s->X[k * n + j] / (kkt->scale[j] * kkt->scale[j]);
        BL_TRY(bl_kkt_solve(kkt, s->Y + k * n, NULL, s->Y + k * n, NULL));
        double size = sqrt(scaled_dot(kkt, s->Y + k * n, s->Y + k * n));
        for (size_t j = 0; j < n; j++)
            s->Y[k * n + j] /= size > 0 ? size : 1;
    }
    for (size_t i = 0; i < m; i++) { /* X is scratch here: H Y */
        memset(s->X + i * n, 0, n * sizeof *s->X);
        bl_csc_multiply(&kkt->sys->pat_K, s->H, s->Y + i * n, s->X + i * n);
    }
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < m; k++) {
            double sum = 0;
            for (size_t j = 0; j < n; j++)
                sum += s->Y[k * n + j] * s->X[i * n + j];
            s->A[i * m + k] = sum;
            s->B[i * m + k] = scaled_dot(kkt, s->Y + k * n, s->Y + i * n);
        }
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < i; k++)
            s->A[k * m + i] = s->A[i * m + k] = (s->A[i * m + k] + s->A[k * m + i]) / 2;
    *found = bl_dense_eigen_pair(s->count, s->A, s->B, s->w, s->work, bl_dense_eigen_work(s->count), s->iwork);
    if (!*found)
        return BL_OK;
    memset(s->X, 0, m * n * sizeof *s->X);
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < m; k++)
            for (size_t j = 0; j < n; j++)
                s->X[i * n + j] += s->A[i * m + k] * s->Y[k * n + j];
    return BL_OK;
}

static bl_status iterate(iteration *s) {
    bl_context *ctx = s->kkt->ctx;
    size_t n = (size_t)s->n, m = (size_t)s->count;
    BL_TRY(BL_NEW_ARRAYS(ctx, s->block, BL_ARRAY(s->X, m * n), BL_ARRAY(s->Y, m * n), BL_ARRAY(s->A, m * m), BL_ARRAY(s->B, m * m),
                         BL_ARRAY(s->w, m), BL_ARRAY(s->work, bl_dense_eigen_work(s->count)), BL_ARRAY(s->iwork, 5 * m + 3)));
    for (size_t i = 0; i < m * n; i++)
        s->X[i] = scrambled(i) * s->kkt->scale[i % n];
    for (int round = 0; round < ROUNDS; round++) {
        bool found;
        BL_TRY(bl_go_on(ctx));
        BL_TRY(iterate_once(s, &found));
        if (!found) { /* fewer are independent: start again with that many */
            if (s->count == 1)
                return BL_OK;
            s->count = m = m - 1;
            for (size_t i = 0; i < m * n; i++)
                s->X[i] = scrambled(i) * s->kkt->scale[i % n];
            round = -1;
        }
    }
    return BL_OK;
}

/* the motion, from k on, with the largest scaled entry, and the index of that entry */
static bl_index largest_entry(const bl_kkt *kkt, bl_index k, bl_index count, const double *x, bl_index *at) {
    bl_index found_at = k;
    *at = 0;
    for (bl_index i = k; i < count; i++)
        for (bl_index j = 0; j < kkt->n; j++) {
            double value = fabs(x[(size_t)i * (size_t)kkt->n + (size_t)j]) / kkt->scale[j];
            if (value > (1 + 1e-9) * fabs(x[(size_t)found_at * (size_t)kkt->n + (size_t)*at]) / kkt->scale[*at]) {
                *at = j;
                found_at = i;
            }
        }
    return found_at;
}

static void exchange(bl_index n, double *x, double *y) {
    for (bl_index j = 0; j < n && x != y; j++) {
        double value = x[j];
        x[j] = y[j];
        y[j] = value;
    }
}

/* Sorts the motions by the entry that only they have: the one that is 1 in its scale. */
static void sort(const bl_kkt *kkt, bl_index count, double *x) {
    size_t n = (size_t)kkt->n;
    bl_index sorted = 0;
    for (bl_index j = 0; j < kkt->n && sorted < count; j++) {
        bl_index found_at = -1, some = 0;
        for (bl_index i = 0; i < count; i++) {
            double value = x[(size_t)i * n + (size_t)j] / kkt->scale[j];
            some += value != 0;
            if (value == 1 && i >= sorted)
                found_at = i;
        }
        if (found_at >= 0 && some == 1) {
            exchange(kkt->n, x + (size_t)found_at * n, x + (size_t)sorted * n);
            sorted++;
        }
    }
}

void bl_kkt_separate(const bl_kkt *kkt, bl_index count, double *x) {
    size_t n = (size_t)kkt->n;
    for (bl_index k = 0; k < count; k++) {
        bl_index at, found_at = largest_entry(kkt, k, count, x, &at);
        double *here = x + (size_t)k * n;
        exchange(kkt->n, x + (size_t)found_at * n, here);
        double by = here[at] / kkt->scale[at];
        for (size_t j = 0; j < n && by != 0; j++)
            here[j] /= by;
        here[at] = kkt->scale[at];
        for (bl_index i = 0; i < count; i++) {
            double *other = x + (size_t)i * n, factor = other[at] / kkt->scale[at];
            if (i == k)
                continue;
            for (size_t j = 0; j < n; j++)
                other[j] -= factor * here[j];
            other[at] = 0;
        }
    }
    sort(kkt, count, x);
}

bl_status bl_kkt_free_motions(bl_kkt *kkt, const double *H, double share, bl_index most, double *x, bl_index *count) {
    iteration s = {.kkt = kkt, .H = H, .n = kkt->n};
    size_t n = (size_t)kkt->n;
    *count = 0;
    bl_index f = kkt->f;
    s.count = most + MORE < f ? most + MORE : f;
    if (s.count == 0)
        return BL_OK;
    bl_status status = bl_kkt_factor(kkt, H, 0, NULL, kkt_free_shift * bl_kkt_mean_stiffness(kkt, H));
    if (status == BL_OK)
        status = iterate(&s);
    for (bl_index k = 0; status == BL_OK && k < s.count && *count < most; k++)
        if (bl_kkt_is_free(kkt, H, s.X + (size_t)k * n, share))
            memcpy(x + (size_t)(*count)++ * n, s.X + (size_t)k * n, n * sizeof *x);
    if (status == BL_OK)
        bl_kkt_separate(kkt, *count, x);
    bl_free(kkt->ctx, s.block);
    return status;
}
