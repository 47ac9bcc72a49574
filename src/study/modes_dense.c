/* Modes by full matrices (docs/theory/modes.md, V2 to V4): K_r = R^T H R, M_r = R^T M R in scaled columns, LAPACK's dsygvd. Massless
 * motions, M_r N = 0, have no frequency: their stiffness determines how they follow the others,
 *
 *     z = (1 - N (N^T K_r N)^-1 N^T K_r) Y u,      Y: the others, with mass one.                                                */
#include "study/modes_private.h"

#include "base/vectors.h"
#include "study/linear_limits.h"
#include "system/system_limits.h"

#include <math.h>
#include <string.h>

enum { MOST_NAMED = 7, MOST_SHIFTS = 40 };

typedef struct pencil {
    bl_modes_problem *p;
    bl_index f;
    double *K, *M, *copy, *value, *work; /* [f][f], eigenvectors come in K */
    double largest;                      /* eigenvalue */
    bl_index *iwork;
    void *block;
} pencil;

static void reduce(pencil *e) {
    bl_kkt_reduce(e->p->kkt, NULL, e->p->H, e->K);
    bl_kkt_reduce(e->p->kkt, e->p->mass, e->p->M, e->M);
}

static bl_status make(pencil *e) {
    bl_kkt *kkt = e->p->kkt;
    size_t f = (size_t)kkt->f;
    e->f = kkt->f;
    BL_TRY(BL_NEW_ARRAYS(kkt->ctx, e->block, BL_ARRAY(e->K, f * f), BL_ARRAY(e->M, f * f), BL_ARRAY(e->copy, f * f), BL_ARRAY(e->value, f),
                         BL_ARRAY(e->work, bl_dense_eigen_work(e->f)), BL_ARRAY(e->iwork, 5 * f + 3)));
    reduce(e);
    return BL_OK;
}

/* replaces A by its symmetric part; returns the asymmetry relative to the largest entry */
static double symmetrize(bl_index n, double *A) {
    double most = 0, off = 0;
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t k = 0; k < i; k++) {
            double *a = &A[i * (size_t)n + k], *b = &A[k * (size_t)n + i];
            most = fmax(most, fmax(fabs(*a), fabs(*b)));
            off = fmax(off, fabs(*a - *b));
            *a = *b = (*a + *b) / 2;
        }
    for (size_t i = 0; i < (size_t)n; i++)
        most = fmax(most, fabs(A[i * (size_t)(n + 1)]));
    return most > 0 ? off / most : 0;
}

/* least of the Cholesky pivots of the copy relative to the largest; 0: it is not positive definite */
static double least_pivot(const pencil *e) {
    size_t f = (size_t)e->f;
    double least = INFINITY, most = 0;
    if (!bl_dense_llt(e->f, e->copy))
        return 0;
    for (size_t i = 0; i < f; i++) {
        double pivot = e->copy[i * (f + 1)] * e->copy[i * (f + 1)];
        least = fmin(least, pivot);
        most = fmax(most, pivot);
    }
    return most > 0 ? least / most : 0;
}

static bool has_mass(const pencil *e) {
    memcpy(e->copy, e->M, (size_t)e->f * (size_t)e->f * sizeof *e->copy);
    return least_pivot(e) > study_massless_pivot;
}

/* shapes of the lowest from their columns z[f] */
static bl_status store_modes(pencil *e, const double *z, const double *value, bl_index there) {
    bl_modes_problem *p = e->p;
    p->count = p->wanted < there ? p->wanted : there;
    BL_TRY(BL_NEW(p->ctx, p->value, p->count));
    BL_TRY(BL_NEW(p->ctx, p->shape, (size_t)p->count * (size_t)p->n));
    memcpy(p->value, value, (size_t)p->count * sizeof *value);
    for (bl_index k = 0; k < p->count; k++)
        bl_kkt_motion(p->kkt, z + (size_t)k * (size_t)e->f, p->shape + (size_t)k * (size_t)p->n);
    return BL_OK;
}

/* ---- massless motions */

/* C[b][a] = A^T K B for columns A[a], B[b] of length f; KB[f] is scratch */
static void project(size_t f, const double *K, size_t na, const double *A, size_t nb, const double *B, double *KB, double *C) {
    for (size_t k = 0; k < nb; k++) {
        for (size_t i = 0; i < f; i++)
            KB[i] = bl_dot(f, K + i * f, B + k * f); /* K is symmetric */
        for (size_t i = 0; i < na; i++)
            C[k * na + i] = bl_dot(f, A + i * f, KB);
    }
}

static bl_status keep_massless(pencil *e, const double *N, bl_index count) {
    bl_modes_problem *p = e->p;
    p->nmassless = count;
    p->massless_kept = count < MOST_NAMED ? count : MOST_NAMED;
    BL_TRY(BL_NEW(p->ctx, p->massless, (size_t)p->massless_kept * (size_t)p->n));
    for (bl_index k = 0; k < p->massless_kept; k++)
        bl_kkt_motion(p->kkt, N + (size_t)k * (size_t)e->f, p->massless + (size_t)k * (size_t)p->n);
    return BL_OK;
}

typedef struct split {
    size_t n, y;                          /* motions without and with mass */
    double *Knn, *Kny, *Kyy, *z, *column; /* [n][n], [y][n], [y][y], [y][f], [f] */
    bl_index *pivot;
} split;

static bl_status refuse_loose(pencil *e) {
    char words[192];
    BL_TRY(bl_modes_name(e->p, e->p->massless, e->p->massless_kept, words, sizeof words));
    bl_fail(e->p->ctx, BL_E_NUMERIC, NULL, "motions with neither mass nor stiffness are undetermined: %s", words);
    bl_advise(e->p->ctx, "give mass to everything that can move, or support it by springs");
    return BL_E_NUMERIC;
}

/* V: eigenvectors of M, the first n of which have no mass */
static bl_status condense(pencil *e, split *s, double *V, const double *mass) {
    size_t f = (size_t)e->f, n = s->n, y = s->y;
    double *N = V, *Y = V + n * f;
    for (size_t k = 0; k < y; k++)
        for (size_t i = 0; i < f; i++)
            Y[k * f + i] /= sqrt(mass[n + k]);
    project(f, e->K, n, N, n, N, s->column, s->Knn);
    project(f, e->K, n, N, y, Y, s->column, s->Kny);
    project(f, e->K, y, Y, y, Y, s->column, s->Kyy);
    double most = 0, least = INFINITY;
    bool regular = bl_dense_lu((bl_index)n, s->Knn, s->pivot);
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(s->Knn[i * (n + 1)]));
        least = fmin(least, fabs(s->Knn[i * (n + 1)]));
    }
    if (!regular || !(least > system_massless * most))
        return refuse_loose(e);
    double *solved = s->z; /* Knn^-1 Kny[y][n]; overwritten by Y u later */
    memcpy(solved, s->Kny, n * y * sizeof *solved);
    bl_dense_lu_solve((bl_index)n, (bl_index)y, s->Knn, s->pivot, false, solved);
    for (size_t k = 0; k < y; k++)
        for (size_t i = 0; i < y; i++)
            s->Kyy[k * y + i] -= bl_dot(n, s->Kny + i * n, solved + k * n);
    symmetrize((bl_index)y, s->Kyy);
    memcpy(s->Kny, solved, n * y * sizeof *solved);
    if (!bl_dense_eigen_pair((bl_index)y, s->Kyy, NULL, e->value, e->work, bl_dense_eigen_work(e->f), e->iwork))
        return bl_fail(e->p->ctx, BL_E_NUMERIC, NULL, "the eigenvalues do not converge");
    memset(s->z, 0, y * f * sizeof *s->z);
    for (size_t k = 0; k < y; k++) {
        const double *u = s->Kyy + k * y;
        double *z = s->z + k * f;
        for (size_t i = 0; i < y; i++)
            for (size_t j = 0; j < f; j++)
                z[j] += u[i] * Y[i * f + j];
        for (size_t i = 0; i < n; i++) {
            double follows = 0;
            for (size_t l = 0; l < y; l++)
                follows += s->Kny[l * n + i] * u[l];
            for (size_t j = 0; j < f; j++)
                z[j] -= follows * N[i * f + j];
        }
    }
    e->largest = e->value[y - 1];
    return store_modes(e, s->z, e->value, (bl_index)y);
}

static bl_status without_mass(pencil *e) {
    size_t f = (size_t)e->f;
    bl_context *ctx = e->p->ctx;
    split s = {0};
    double *mass = NULL;
    if (!bl_dense_eigen_pair(e->f, e->M, NULL, e->value, e->work, bl_dense_eigen_work(e->f), e->iwork))
        return bl_fail(ctx, BL_E_NUMERIC, NULL, "the eigenvalues of the mass matrix do not converge");
    double most = e->value[f - 1];
    while (s.n < f && e->value[s.n] <= system_massless * most)
        s.n++;
    s.y = f - s.n;
    BL_TRY(keep_massless(e, e->M, (bl_index)s.n));
    if (s.y == 0) {
        bl_fail(ctx, BL_E_MODEL, NULL, "nothing that can move has mass, so there are no modes");
        bl_advise(ctx, "give masses to the bodies");
        return BL_E_MODEL;
    }
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(mass, f), BL_ARRAY(s.Knn, s.n * s.n), BL_ARRAY(s.Kny, s.n * s.y), BL_ARRAY(s.Kyy, s.y * s.y),
                         BL_ARRAY(s.column, f), BL_ARRAY(s.z, s.y * f), BL_ARRAY(s.pivot, s.n)));
    memcpy(mass, e->value, f * sizeof *mass);
    bl_status status = condense(e, &s, e->M, mass);
    bl_free(ctx, block);
    return status;
}

static bl_status solve(pencil *e) {
    bl_modes_problem *p = e->p;
    symmetrize(e->f, e->M);
    double off = symmetrize(e->f, e->K);
    if (off > study_asymmetric) {
        bl_fail(p->ctx, BL_E_ABILITY, NULL,
                "modes need forces with a potential, but the tangent stiffness is not symmetric: entries differ by %.2g of the largest",
                off);
        bl_advise(p->ctx, "forces that rotate with bodies or depend on several variables may have no potential");
        return BL_E_ABILITY;
    }
    if (e->f == 0)
        return store_modes(e, e->K, e->value, 0);
    if (!has_mass(e))
        return without_mass(e);
    if (!bl_dense_eigen_pair(e->f, e->K, e->M, e->value, e->work, bl_dense_eigen_work(e->f), e->iwork))
        return bl_fail(p->ctx, BL_E_NUMERIC, NULL, "the eigenvalues do not converge");
    e->largest = e->value[e->f - 1];
    return store_modes(e, e->K, e->value, e->f);
}

/* ---- eigenvalues far below the largest
 *
 * LAPACK finds them with an error of rounding of the largest one. In a thin beam that is the shear of a light cross section against its
 * rotary inertia, 1e13 to 1e21 times the bending: the lowest modes would be rounding errors. They are the largest eigenvalues of
 *
 *     M_r z = mu (K_r - sigma M_r) z,     omega^2 = sigma + 1 / mu,     sigma below all eigenvalues                     (V4a)
 *
 * which has the rounding errors of stiffnesses, whatever the masses. */

static bool is_free(const pencil *e, const double *shape) { return bl_kkt_is_free(e->p->kkt, e->p->H, shape, bl_modes_rigid_share(e->p)); }

/* an eigenvalue that is not zero */
static bool is_inaccurate(const pencil *e) {
    const bl_modes_problem *p = e->p;
    for (bl_index k = 0; k < p->count; k++)
        if (fabs(p->value[k]) < study_modes_direct * e->largest && !is_free(e, p->shape + (size_t)k * (size_t)p->n))
            return true;
    return false;
}

/* K <- K - sigma M, if that is positive definite */
static bool shift(pencil *e, double sigma) {
    size_t n = (size_t)e->f * (size_t)e->f;
    for (size_t i = 0; i < n; i++)
        e->copy[i] = e->K[i] - sigma * e->M[i];
    if (!(least_pivot(e) > study_modes_definite))
        return false;
    for (size_t i = 0; i < n; i++)
        e->K[i] -= sigma * e->M[i];
    return true;
}

static double trace(const pencil *e, const double *A) {
    double sum = 0;
    for (size_t i = 0; i < (size_t)e->f; i++)
        sum += fabs(A[i * (size_t)(e->f + 1)]);
    return sum;
}

/* V4a; eigenvalues in e->value, ascending in mu, eigenvectors in e->M. Sigma begins with a guess. */
static bl_status invert(pencil *e, double guess, double *sigma, bool *found) {
    bl_context *ctx = e->p->ctx;
    reduce(e);
    symmetrize(e->f, e->K);
    symmetrize(e->f, e->M);
    double step = study_modes_shift * trace(e, e->K) / trace(e, e->M);
    *found = false;
    *sigma = guess;
    for (int k = 0; k < MOST_SHIFTS && !*found; k++) {
        *found = shift(e, *sigma);
        if (!*found)
            *sigma = *sigma > -step ? -step : 8 * *sigma;
    }
    if (!*found || bl_dense_eigen_pair(e->f, e->M, e->K, e->value, e->work, bl_dense_eigen_work(e->f), e->iwork))
        return BL_OK;
    return bl_fail(ctx, BL_E_NUMERIC, NULL, "the eigenvalues do not converge");
}

/* column and eigenvalue of mode k, from below */
static double inverse_value(const pencil *e, double sigma, bl_index k) { return sigma + 1 / e->value[e->f - 1 - k]; }

static void inverse_shape(const pencil *e, bl_index k, double *shape) {
    bl_index at = e->f - 1 - k;
    bl_kkt_motion(e->p->kkt, e->M + (size_t)at * (size_t)e->f, shape);
    for (bl_index j = 0; j < e->p->n; j++)
        shape[j] /= sqrt(e->value[at]);
}

/* Sigma for another pass: an elastic eigenvalue is known to rounding of the largest 1 / mu, which rigid motions raise. 0: not needed. */
static double better_shift(const pencil *e, double sigma, double *shape) {
    for (bl_index k = 0; k < e->p->count && e->value[e->f - 1 - k] > 0; k++) {
        double value = fabs(inverse_value(e, sigma, k));
        inverse_shape(e, k, shape);
        if (!is_free(e, shape))
            return -sigma >= 1e-3 * value && -sigma <= value ? 0 : fmin(1.1 * inverse_value(e, sigma, 0), 0) - 0.1 * value;
    }
    return 0;
}

/* replaces modes by those of V4a as long as these are the more accurate ones, and does not separate close ones */
static void take_inverse(pencil *e, double sigma) {
    bl_modes_problem *p = e->p;
    double limit = sqrt((inverse_value(e, sigma, 0) - sigma) * (e->largest - sigma));
    for (bl_index k = 0; k < p->count && e->value[e->f - 1 - k] > 0; k++) {
        double value = inverse_value(e, sigma, k);
        if (value - sigma > limit && value > (1 + study_repeated) * p->value[k - 1])
            return;
        p->value[k] = value;
        inverse_shape(e, k, p->shape + (size_t)k * (size_t)p->n);
    }
}

static bl_status sharpen(pencil *e) {
    double sigma, better, *shape;
    bool found;
    if (!is_inaccurate(e))
        return BL_OK;
    BL_TRY(invert(e, 0, &sigma, &found));
    if (!found)
        return BL_OK;
    BL_TRY(BL_NEW(e->p->ctx, shape, e->p->n));
    better = sigma < 0 ? better_shift(e, sigma, shape) : 0;
    bl_free(e->p->ctx, shape);
    if (better < 0)
        BL_TRY(invert(e, better, &sigma, &found));
    if (found)
        take_inverse(e, sigma);
    return BL_OK;
}

bl_status bl_modes_dense(bl_modes_problem *p) {
    pencil e = {.p = p};
    p->method = "lapack";
    bl_status status = make(&e);
    if (status == BL_OK)
        status = bl_check_finite(p->ctx, "tangent", NAN, e.f * e.f, e.K);
    if (status == BL_OK)
        status = bl_check_finite(p->ctx, "mass matrix", NAN, e.f * e.f, e.M);
    if (status == BL_OK)
        status = solve(&e);
    if (status == BL_OK && e.f > 0)
        status = sharpen(&e);
    bl_free(p->ctx, e.block);
    return status;
}
