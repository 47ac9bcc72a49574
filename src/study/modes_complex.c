/* Complex modes (docs/theory/modes.md, section 7) of mechanisms with dampers or forces without potential: at rest from the reduced
 * matrices, in motion from the equations in named coordinates. Motions are scaled so that M_r = L L^T becomes 1: y = L^T z. */
#include "study/modes_private.h"

#include "study/linear_limits.h"
#include "study/spectrum.h"
#include "system/system_limits.h"

#include <math.h>
#include <string.h>

enum { MOST_NAMED = 7 };

typedef struct reduced {
    bl_modes_problem *p;
    size_t f;
    double *K, *C, *M; /* [f][f] */
    double *z;         /* [f] */
    void *block;
} reduced;

static bl_status make(reduced *r) {
    bl_kkt *kkt = r->p->kkt;
    size_t f = (size_t)kkt->f;
    r->f = f;
    BL_TRY(BL_NEW_ARRAYS(kkt->ctx, r->block, BL_ARRAY(r->K, f * f), BL_ARRAY(r->C, f * f), BL_ARRAY(r->M, f * f), BL_ARRAY(r->z, f)));
    bl_kkt_reduce(kkt, NULL, r->p->H, r->K);
    bl_kkt_reduce(kkt, &r->p->sys->pat_C, r->p->C, r->C);
    bl_kkt_reduce(kkt, r->p->mass, r->p->M, r->M);
    return BL_OK;
}

/* whether real modes do not suffice */
static bool is_wanted(const reduced *r) {
    size_t f = r->f;
    double most = 0, off = 0, damping = 0, mass = 0;
    for (size_t i = 0; i < f; i++)
        for (size_t k = 0; k < f; k++) {
            most = fmax(most, fabs(r->K[i * f + k]));
            off = fmax(off, fabs(r->K[i * f + k] - r->K[k * f + i]));
            damping = fmax(damping, fabs(r->C[i * f + k]));
            mass = fmax(mass, fabs(r->M[i * f + k]));
        }
    if (r->p->damping == BL_MODES_UNDAMPED)
        memset(r->C, 0, f * f * sizeof *r->C);
    if (off > study_asymmetric * most)
        return true;
    bool damped = damping > study_damped * sqrt(most * mass);
    return damped && (r->p->damping == BL_MODES_DAMPED || (r->p->damping == BL_MODES_DAMPING_AUTO && r->p->bodies));
}

/* ---- L L^T = M */

static void transpose(size_t f, double *A) {
    for (size_t i = 0; i < f; i++)
        for (size_t k = 0; k < i; k++) {
            double keep = A[i * f + k];
            A[i * f + k] = A[k * f + i];
            A[k * f + i] = keep;
        }
}

/* A = L^-1 A L^-T; L lower, f x f */
static void normalize(size_t f, const double *L, double *A) {
    bl_index n = (bl_index)f;
    for (int side = 0; side < 2; side++) {
        bl_dense_triangle_solve(BL_LOWER, false, n, n, L, n, A, n);
        transpose(f, A);
    }
}

static void negative(size_t n, double *A) {
    for (size_t i = 0; i < n; i++)
        A[i] = -A[i];
}

static bool is_rigid(void *user, const double *y) {
    reduced *r = user;
    bl_modes_problem *p = r->p;
    double *x;
    if (BL_NEW(p->ctx, x, p->n) != BL_OK)
        return false;
    memcpy(r->z, y, r->f * sizeof *y);
    bl_dense_triangle_solve(BL_LOWER, true, (bl_index)r->f, 1, r->M, (bl_index)r->f, r->z, (bl_index)r->f);
    bl_kkt_motion(p->kkt, r->z, x);
    bool is = bl_kkt_is_free(p->kkt, p->H, x, bl_modes_rigid_share(p));
    bl_free(p->ctx, x);
    return is;
}

/* ---- results: to_x converts y[f] to coordinates */

typedef void to_x(void *user, const double *y, double *x);

static bl_status store_modes(bl_modes_problem *p, const bl_spectrum *s, to_x *turn, void *user) {
    size_t n = (size_t)p->n, f = (size_t)s->f;
    bl_index all = s->nrigid + s->count, count = p->wanted < all ? p->wanted : all;
    p->is_complex = true;
    p->rate = fmax(p->rate, s->unit);
    p->nzero = s->nzero;
    p->count = count;
    BL_TRY(BL_NEW(p->ctx, p->value, count));
    BL_TRY(BL_NEW(p->ctx, p->shape, (size_t)count * n));
    BL_TRY(BL_NEW_ARRAYS(p->ctx, p->block, BL_ARRAY(p->re, count), BL_ARRAY(p->im, count), BL_ARRAY(p->off, count),
                         BL_ARRAY(p->shape_im, (size_t)count * n)));
    for (bl_index k = 0; k < count; k++) {
        double *re = p->shape + (size_t)k * n, *im = p->shape_im + (size_t)k * n;
        if (k < s->nrigid) {
            turn(user, s->rigid + (size_t)k * f, re);
            continue;
        }
        size_t i = (size_t)(k - s->nrigid);
        p->re[k] = s->re[i];
        p->im[k] = s->im[i];
        p->off[k] = s->residual[i];
        p->value[k] = s->im[i] != 0 ? s->re[i] * s->re[i] + s->im[i] * s->im[i] : NAN;
        turn(user, s->y_re + i * f, re);
        turn(user, s->y_im + i * f, im);
    }
    p->nrigid = s->nrigid < count ? s->nrigid : count;
    return BL_OK;
}

static void from_normal(void *user, const double *y, double *x) {
    reduced *r = user;
    memcpy(r->z, y, r->f * sizeof *y);
    bl_dense_triangle_solve(BL_LOWER, true, (bl_index)r->f, 1, r->M, (bl_index)r->f, r->z, (bl_index)r->f);
    bl_kkt_motion(r->p->kkt, r->z, x);
}

static bl_status solve(reduced *r) {
    bl_spectrum s = {0};
    normalize(r->f, r->M, r->K);
    normalize(r->f, r->M, r->C);
    negative(r->f * r->f, r->K);
    negative(r->f * r->f, r->C);
    bl_status status = bl_spectrum_find(r->p->ctx, (bl_index)r->f, r->K, r->C, is_rigid, r, &s);
    if (status == BL_OK)
        status = store_modes(r->p, &s, from_normal, r);
    bl_spectrum_free_all(r->p->ctx, &s);
    return status;
}

/* ---- massless motions: eigenvectors of M as coordinates, those with mass first and scaled to mass one */

static void from_vectors(void *user, const double *y, double *x) {
    reduced *r = user;
    memset(r->z, 0, r->f * sizeof *r->z);
    for (size_t k = 0; k < r->f; k++)
        for (size_t i = 0; i < r->f; i++)
            r->z[i] += y[k] * r->M[k * r->f + i];
    bl_kkt_motion(r->p->kkt, r->z, x);
}

/* A = V^T A V; room[f] */
static void transform(size_t f, const double *V, double *A, double *room, double *half) {
    bl_spectrum_project(f, A, f, V, f, V, room, half);
    memcpy(A, half, f * f * sizeof *A);
}

static bl_status keep_massless(reduced *r, size_t with) {
    bl_modes_problem *p = r->p;
    double *y;
    p->nmassless = (bl_index)(r->f - with) - p->sys->nz; /* states have no mass, but rates */
    p->nmassless = p->nmassless > 0 ? p->nmassless : 0;
    p->massless_kept = p->nmassless < MOST_NAMED ? p->nmassless : MOST_NAMED;
    BL_TRY(BL_NEW(p->ctx, p->massless, (size_t)p->massless_kept * (size_t)p->n));
    BL_TRY(BL_NEW(p->ctx, y, r->f));
    for (bl_index k = 0; k < p->massless_kept; k++) {
        y[with + (size_t)k] = 1;
        from_vectors(r, y, p->massless + (size_t)k * (size_t)p->n);
        y[with + (size_t)k] = 0;
    }
    bl_free(p->ctx, y);
    return BL_OK;
}

static bl_status without_mass(reduced *r) {
    size_t f = r->f, with = 0;
    bl_context *ctx = r->p->ctx;
    bl_spectrum s = {0};
    double *value, *room, *V, *work;
    bl_index *iwork;
    void *block = NULL;
    size_t nwork = bl_dense_eigen_work((bl_index)f);
    bl_kkt_reduce(r->p->kkt, r->p->mass, r->p->M, r->M);
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(value, f), BL_ARRAY(room, f), BL_ARRAY(V, f * f), BL_ARRAY(work, nwork),
                         BL_ARRAY(iwork, 5 * f + 3)));
    bl_status status = BL_OK;
    if (!bl_dense_eigen_pair((bl_index)f, r->M, NULL, value, work, nwork, iwork))
        status = bl_fail(ctx, BL_E_NUMERIC, NULL, "the eigenvalues of the mass matrix do not converge");
    if (status == BL_OK) {
        for (size_t k = 0; k < f; k++) { /* reversed: largest masses first */
            double mass = value[f - 1 - k];
            bool has = mass > system_massless * value[f - 1];
            with += has;
            for (size_t i = 0; i < f; i++)
                V[k * f + i] = r->M[(f - 1 - k) * f + i] / (has ? sqrt(mass) : 1);
        }
        memcpy(r->M, V, f * f * sizeof *V);
        transform(f, r->M, r->K, room, V);
        transform(f, r->M, r->C, room, V);
        status = keep_massless(r, with);
    }
    if (status == BL_OK)
        status = bl_spectrum_massless(ctx, (bl_index)f, (bl_index)with, r->K, r->C, &s);
    if (status == BL_OK)
        status = store_modes(r->p, &s, from_vectors, r);
    bl_spectrum_free_all(ctx, &s);
    bl_free(ctx, block);
    return status;
}

bl_status bl_modes_complex(bl_modes_problem *p, bool *done) {
    reduced r = {.p = p};
    *done = false;
    if (p->kkt->f == 0 || p->sys->nv == 0)
        return BL_OK;
    bl_status status = make(&r);
    if (status == BL_OK && is_wanted(&r)) {
        double least = INFINITY, most = 0;
        bool regular = bl_dense_llt((bl_index)r.f, r.M);
        for (size_t i = 0; i < r.f && regular; i++) {
            least = fmin(least, r.M[i * (r.f + 1)]);
            most = fmax(most, r.M[i * (r.f + 1)]);
        }
        *done = true;
        p->method = "lapack";
        status = regular && least * least > study_massless_pivot * most * most ? solve(&r) : without_mass(&r);
    }
    bl_free(p->ctx, r.block);
    return status;
}

bl_status bl_modes_states(bl_modes_problem *p) {
    reduced r = {.p = p};
    p->method = "lapack";
    if (p->damping == BL_MODES_UNDAMPED) {
        bl_fail(p->ctx, BL_E_ABILITY, NULL, "a model with states has no undamped modes: rates of states are first-order equations");
        bl_advise(p->ctx, "leave out --undamped");
        return BL_E_ABILITY;
    }
    bl_status status = make(&r);
    if (status == BL_OK)
        status = without_mass(&r);
    bl_free(p->ctx, r.block);
    return status;
}

/* ---- about a motion: equations in the chart of l */

typedef struct moving {
    bl_linearize *l;
    double *L, *z; /* [fp][fp] of X^T M X; [fp] */
} moving;

static void from_chart(void *user, const double *y, double *x) {
    const moving *m = user;
    bl_linearize *l = m->l;
    memcpy(m->z, y, (size_t)l->fp * sizeof *y);
    bl_dense_triangle_solve(BL_LOWER, true, l->fp, 1, m->L, l->fp, m->z, l->fp);
    memset(x, 0, (size_t)l->n * sizeof *x);
    for (bl_index k = 0; k < l->fp; k++)
        for (bl_index j = 0; j < l->n; j++)
            x[j] += m->z[k] * l->direction[k].x[j];
}

/* out[n][m] = Lm^T from[n][m] Ln^-T by columns, m rows and n columns; room[m][n] */
static void transform_chart(size_t m, const double *Lm, size_t n, const double *Ln, const double *from, double *room, double *out) {
    for (size_t k = 0; k < n; k++) /* (Lm^T from)^T by columns */
        for (size_t i = 0; i < m; i++) {
            double sum = 0;
            for (size_t l = i; l < m; l++)
                sum += Lm[i * m + l] * from[k * m + l];
            room[i * n + k] = sum;
        }
    bl_dense_triangle_solve(BL_LOWER, false, (bl_index)n, (bl_index)m, Ln, (bl_index)n, room, (bl_index)n); /* Ln^-1 (Lm^T from)^T */
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < m; i++)
            out[k * m + i] = room[i * n + k];
}

/* L L^T = X^T (M + extra / scale^2) X for count motions, dv of the last directions or x of the first ones */
static bl_status metric(bl_modes_problem *p, const bl_linearize *l, bool velocities, double extra, double *Mx, double *L) {
    bl_index count = velocities ? l->f : l->fp;
    const bl_direction *d = velocities ? l->direction + l->fp : l->direction;
    for (bl_index k = 0; k < count; k++) {
        bl_modes_product(&l->sys->pat_M, l->eval.M, velocities ? d[k].dv : d[k].x, Mx);
        for (bl_index j = 0; j < l->n && extra > 0; j++)
            Mx[j] += extra * (velocities ? d[k].dv : d[k].x)[j] / (l->kkt->scale[j] * l->kkt->scale[j]);
        for (bl_index i = 0; i < count; i++)
            L[(size_t)k * (size_t)count + (size_t)i] = bl_modes_dot(p->n, velocities ? d[i].dv : d[i].x, Mx);
    }
    if (count > 0 && !bl_dense_llt(count, L))
        return bl_fail(p->ctx, BL_E_NUMERIC, NULL, "the mass matrix is not positive definite");
    return BL_OK;
}

/* mean of M_jj scale_j^2: motions that velocity rows forbid may have no mass */
static double mean_mass(const bl_linearize *l) {
    const bl_pattern *M = &l->sys->pat_M;
    double sum = 0;
    for (bl_index j = 0; j < l->n; j++)
        for (bl_index k = M->ptr[j]; k < M->ptr[j + 1]; k++)
            sum += M->idx[k] == j ? l->eval.M[k] * l->kkt->scale[j] * l->kkt->scale[j] : 0;
    return sum / (l->n > 0 ? l->n : 1);
}

bl_status bl_modes_moving(bl_modes_problem *p, bl_linearize *l) {
    size_t f = (size_t)l->f, fp = (size_t)l->fp, n = (size_t)l->n;
    moving m = {.l = l};
    bl_spectrum s = {0};
    double *S, *D, *flow, *lift, *Lv, *room, *Mx;
    void *block = NULL;
    bool pairs = l->whole == l->kkt; /* speeds are the rates of coordinates */
    p->method = "lapack";
    p->kkt = l->kkt;
    p->borrowed = true;
    BL_TRY(BL_NEW_ARRAYS(p->ctx, block, BL_ARRAY(S, fp * f), BL_ARRAY(D, f * f), BL_ARRAY(flow, fp * fp), BL_ARRAY(lift, f * fp),
                         BL_ARRAY(m.L, fp * fp), BL_ARRAY(Lv, f * f), BL_ARRAY(room, fp * fp), BL_ARRAY(m.z, fp), BL_ARRAY(Mx, n)));
    bl_status status = metric(p, l, false, pairs ? 0 : mean_mass(l), Mx, m.L);
    if (status == BL_OK && pairs)
        memcpy(Lv, m.L, f * f * sizeof *Lv);
    else if (status == BL_OK)
        status = metric(p, l, true, 0, Mx, Lv);
    if (status == BL_OK && f > 0) {
        transform_chart(f, Lv, fp, m.L, l->stiff, room, S);
        transform_chart(f, Lv, f, Lv, l->damp, room, D);
        if (pairs) {
            status = bl_spectrum_find(p->ctx, l->f, S, D, NULL, NULL, &s);
        } else {
            transform_chart(fp, m.L, fp, m.L, l->flow, room, flow);
            transform_chart(fp, m.L, f, Lv, l->lift, room, lift);
            for (size_t j = 0; j < n; j++)
                p->rate = fmax(p->rate, fabs(l->state.v[j]) / l->kkt->scale[j]);
            status = bl_spectrum_states(p->ctx, l->fp, l->f, flow, lift, S, D, p->rate, &s);
        }
    }
    if (status == BL_OK)
        status = store_modes(p, &s, from_chart, &m);
    bl_spectrum_free_all(p->ctx, &s);
    bl_free(p->ctx, block);
    return status;
}
