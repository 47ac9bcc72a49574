/* The lowest modes of large systems by Lanczos iteration with (H - sigma M)^-1 M (docs/theory/modes.md, V5). The matrix is bordered by the
 * constraints, so that every vector satisfies them. sigma is 0 where H is positive definite, otherwise slightly below the lowest
 * eigenvalue, which a first pass finds. Counts of negative pivots (Sylvester) show whether eigenvalues were missed, as happens with
 * multiple ones; then the iteration starts again from another vector, and the spaces found are joined. */
#include "study/modes_private.h"

#include "sparse/eigen.h"
#include "study/linear_limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { FIRST_PASS = 8, MOST_DOUBLINGS = 40 };
static const double FIRST = 1e-8; /* sigma of the first pass, of the mean of H_jj / M_jj */
static const double BELOW = 0.1;  /* sigma after it, of the first eigenvalue that is not zero */

typedef struct search {
    bl_modes_problem *p;
    double sigma;
    double *space; /* [room][n] vectors found */
    bl_index used, room;
    double *value; /* of the last start */
    bool counts;   /* negative pivots are known */
} search;

static bl_status solve_shifted(void *user, double *x) {
    search *s = user;
    return bl_kkt_solve(s->p->kkt, x, NULL, x, NULL);
}

static bl_status apply_mass(void *user, const double *x, double *y) {
    const search *s = user;
    bl_modes_product(s->p->mass, s->p->M, x, y);
    return BL_OK;
}

static bl_status factor(search *s, double sigma) {
    s->sigma = sigma;
    return bl_kkt_factor(s->p->kkt, s->p->H, sigma, s->p->M, 0);
}

/* ---- the shift */

/* mean of H_jj / mean of M_jj: the order of magnitude of the highest eigenvalues */
static double mean_ratio(const bl_modes_problem *p) {
    double H = 0, M = 0;
    for (bl_index j = 0; j < p->n; j++) {
        for (bl_index k = p->sys->pat_K.ptr[j]; k < p->sys->pat_K.ptr[j + 1]; k++)
            H += p->sys->pat_K.idx[k] == j ? fabs(p->H[k]) : 0;
        for (bl_index k = p->mass->ptr[j]; k < p->mass->ptr[j + 1]; k++)
            M += p->mass->idx[k] == j ? fabs(p->M[k]) : 0;
    }
    return M > 0 && H > 0 ? H / M : 1;
}

/* factors H - sigma M with sigma below all eigenvalues, starting from a guess */
static bl_status go_below(search *s, double guess) {
    double sigma = guess;
    for (int k = 0; k < MOST_DOUBLINGS; k++, sigma *= 8) {
        bl_status status = factor(s, sigma);
        if (status < 0)
            return status;
        bl_context_clear_error(s->p->ctx);
        if (status == BL_OK && bl_kkt_negative(s->p->kkt) <= 0)
            return BL_OK;
    }
    bl_fail(s->p->ctx, BL_E_NUMERIC, NULL,
            "the eigenvalue solver found no usable shift: some motions have neither mass nor stiffness, or are unstable without mass");
    bl_advise(s->p->ctx, "give mass to everything that can move");
    return BL_E_NUMERIC;
}

/* computes some eigenpairs with the factored shift and appends them to the space */
static bl_status start(search *s, bl_index want, uint64_t seed, double tolerance) {
    bl_modes_problem *p = s->p;
    bl_index found = 0;
    BL_TRY(BL_RESERVE(p->ctx, s->space, s->room, (s->used + want) * p->n));
    bl_eigen ask = {.ctx = p->ctx,
                    .n = p->n,
                    .wanted = want,
                    .sigma = s->sigma,
                    .tolerance = tolerance,
                    .seed = seed,
                    .user = s,
                    .solve = solve_shifted,
                    .metric = apply_mass};
    BL_TRY(bl_eigen_nearest(&ask, s->value, s->space + (size_t)s->used * (size_t)p->n, &found));
    s->used += found;
    return BL_OK;
}

/* the smallest nonzero eigenvalue of the first pass; 0: all are zero */
static double least_elastic(const search *s) {
    const bl_modes_problem *p = s->p;
    double least = 0;
    for (bl_index k = 0; k < s->used; k++) {
        double value = fabs(s->value[k]);
        if (!bl_kkt_is_free(p->kkt, p->H, s->space + (size_t)k * (size_t)p->n, fmin(study_rigid, bl_modes_rigid_share(p))) &&
            (least == 0 || value < least))
            least = value;
    }
    return least;
}

static bl_status choose_shift(search *s) {
    bl_modes_problem *p = s->p;
    bl_status status = factor(s, 0);
    if (status < 0)
        return status;
    bl_index negative = status == BL_OK ? bl_kkt_negative(p->kkt) : -1;
    s->counts = negative >= 0;
    if (status == BL_OK && negative <= 0 && bl_kkt_pivots(p->kkt) > study_modes_regular)
        return BL_OK;
    bl_context_clear_error(p->ctx);
    double guess = -FIRST * mean_ratio(p);
    for (int pass = 0; pass < 2; pass++) {
        bl_index want = p->wanted < FIRST_PASS ? p->wanted : FIRST_PASS;
        BL_TRY(go_below(s, guess));
        s->counts = bl_kkt_negative(p->kkt) >= 0;
        BL_TRY(start(s, want, 1, 1e-4));
        double least = least_elastic(s), sigma = s->sigma;
        s->used = 0;
        if (least == 0 || (fabs(sigma) >= 1e-3 * least && fabs(sigma) <= least))
            return BL_OK;
        guess = -BELOW * least;
    }
    return go_below(s, guess);
}

/* ---- check for missing eigenvalues */

/* number of missing eigenvalues below the last one found; 0: none, or unknown */
static bl_status count_missing(search *s, bl_index *missing) {
    bl_modes_problem *p = s->p;
    *missing = 0;
    if (!s->counts || p->count == 0)
        return BL_OK;
    bl_index last = p->count - 1;
    double at = p->value[last], gap = study_modes_multiple * fmax(fabs(at), fabs(s->sigma)), sigma = s->sigma;
    /* the last ones may belong to an incomplete multiple eigenvalue: count below it */
    while (last >= 0 && p->value[last] > at - 4 * gap)
        last--;
    double tau = last >= 0 && p->count > 1 ? (p->value[last] + at) / 2 : at + gap;
    bl_index there = last >= 0 && p->count > 1 ? last + 1 : p->count;
    if (there == p->count)
        return BL_OK;
    bl_status status = bl_kkt_factor(p->kkt, p->H, tau, p->M, 0);
    bl_index below = status == BL_OK ? bl_kkt_negative(p->kkt) : -1;
    if (status < 0)
        return status;
    bl_context_clear_error(p->ctx);
    if (below > there)
        *missing = below - there;
    return factor(s, sigma);
}

bl_status bl_modes_sparse(bl_modes_problem *p) {
    search s = {.p = p};
    bl_index want = p->wanted, missing = 0, most = p->n - 1 < 2 * want + 64 ? p->n - 1 : 2 * want + 64;
    p->method = "arpack";
    bl_status status = BL_NEW(p->ctx, s.value, most);
    if (status == BL_OK)
        status = choose_shift(&s);
    for (int k = 0; status == BL_OK && k < study_modes_starts; k++) {
        bl_index more = want + (k ? missing + 2 : 2);
        more = more < most ? more : most;
        status = start(&s, more, (uint64_t)k + 2, 0);
        if (status == BL_OK)
            status = bl_modes_ritz(p, s.space, s.used);
        if (status == BL_OK) { /* continue with the Ritz vectors of the joined space */
            s.used = p->count;
            memcpy(s.space, p->shape, (size_t)p->count * (size_t)p->n * sizeof *s.space);
            status = count_missing(&s, &missing);
        }
        if (missing == 0)
            break;
    }
    if (status == BL_OK && missing > 0)
        bl_warn(p->ctx, NAN, NULL, "%d of the lowest eigenvalues were not found: the table is incomplete", (int)missing);
    if (status == BL_OK && p->count > want)
        p->count = want;
    bl_free(p->ctx, s.space);
    bl_free(p->ctx, s.value);
    return status > 0 && status != BL_STOPPED ? BL_E_NUMERIC : status;
}

/* ---- Rayleigh-Ritz */

/* Gram-Schmidt in the metric of M, twice; the first *kept vectors remain */
static void orthonormalize(const bl_modes_problem *p, double *X, bl_index given, double *Mx, bl_index *kept) {
    size_t n = (size_t)p->n;
    *kept = 0;
    for (bl_index k = 0; k < given; k++) {
        double *x = X + (size_t)k * n, *to = X + (size_t)*kept * n;
        bl_modes_product(p->mass, p->M, x, Mx);
        double before = bl_modes_dot(p->n, x, Mx), after = before;
        for (int twice = 0; twice < 2 && before > 0; twice++) {
            for (bl_index i = 0; i < *kept; i++) {
                const double *other = X + (size_t)i * n;
                bl_modes_product(p->mass, p->M, x, Mx);
                double along = bl_modes_dot(p->n, other, Mx);
                for (size_t j = 0; j < n; j++)
                    x[j] -= along * other[j];
            }
            bl_modes_product(p->mass, p->M, x, Mx);
            after = bl_modes_dot(p->n, x, Mx);
        }
        if (!(before > 0) || !(after > study_modes_dependent * before))
            continue;
        double by = 1 / sqrt(after);
        for (size_t j = 0; j < n; j++)
            to[j] = by * x[j];
        ++*kept;
    }
}

bl_status bl_modes_ritz(bl_modes_problem *p, double *X, bl_index given) {
    bl_context *ctx = p->ctx;
    size_t n = (size_t)p->n;
    double *A = NULL, *y = NULL, *shape = NULL;
    bl_index *iwork = NULL, m = 0;
    bl_status status = BL_NEW(ctx, y, n);
    if (status == BL_OK)
        orthonormalize(p, X, given, y, &m);
    size_t k = (size_t)m;
    if (status == BL_OK)
        status = BL_NEW(ctx, A, k * k + k + bl_dense_eigen_work(m));
    if (status == BL_OK)
        status = BL_NEW(ctx, iwork, 5 * k + 3);
    if (status == BL_OK)
        status = BL_NEW(ctx, shape, k * n);
    if (status == BL_OK) {
        double *value = A + k * k;
        for (size_t i = 0; i < k; i++) {
            bl_modes_product(&p->sys->pat_K, p->H, X + i * n, y);
            for (size_t j = 0; j < k; j++)
                A[i * k + j] = bl_modes_dot(p->n, X + j * n, y);
        }
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < i; j++)
                A[i * k + j] = A[j * k + i] = (A[i * k + j] + A[j * k + i]) / 2;
        if (m > 0 && !bl_dense_eigen_pair(m, A, NULL, value, value + k, bl_dense_eigen_work(m), iwork))
            status = bl_fail(ctx, BL_E_NUMERIC, NULL, "the eigenvalues do not converge");
        for (size_t i = 0; i < k && status == BL_OK; i++)
            for (size_t l = 0; l < k; l++)
                for (size_t j = 0; j < n; j++)
                    shape[i * n + j] += A[i * k + l] * X[l * n + j];
    }
    bl_free(ctx, p->shape);
    bl_free(ctx, p->value);
    p->shape = shape;
    p->value = NULL;
    p->count = m;
    if (status == BL_OK)
        status = BL_NEW(ctx, p->value, k);
    if (status == BL_OK)
        memcpy(p->value, A + k * k, k * sizeof *p->value);
    bl_free(ctx, A);
    bl_free(ctx, y);
    bl_free(ctx, iwork);
    return status;
}
