/* Stability of an equilibrium by the eigenvalues of the reduced tangent (docs/theory/equilibrium.md, section 3), and its softest motions:
 * with masses, H x = omega^2 M x on the free motions, whose shapes do not depend on coordinates. */
#include "study/equilibrium_private.h"
#include "study/linear_limits.h"
#include "study/modes_private.h"
#include "study/motion_names.h"
#include "study/spectrum.h"
#include "study/start_warnings.h"
#include "study/statics_limits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VARIABLES = 4 }; /* that describe a configuration in a message */

double bl_statics_neutral(const bl_statics *s) { return s->sys->facts & BL_ELASTIC ? study_neutral_elastic : study_neutral; }

double bl_statics_negative(const bl_statics *s) { return s->sys->facts & BL_ELASTIC ? study_neutral_elastic : study_negative; }

/* motion k of the spectrum, its largest scaled entry 1, in x */
static void motion_of(const bl_statics *s, const double *vector, bl_index k, double *x) {
    bl_index f = s->full->f;
    bl_kkt_motion(s->full, vector + (size_t)k * (size_t)f, x);
    double most = bl_statics_largest(s, x);
    for (bl_index j = 0; j < s->n && most > 0; j++)
        x[j] /= most;
}

/* names the motions along which it is unstable; else those along which it is neutral */
static bl_status name_motions(bl_statics *s) {
    bl_index n = s->n, from = s->unstable > 0 ? 0 : s->first_neutral, count = s->unstable > 0 ? s->unstable : s->neutral;
    double *x;
    size_t used = 0, size = sizeof s->found.motions;
    s->found.motions[0] = '\0';
    if (count == 0)
        return BL_OK;
    BL_TRY(BL_NEW(s->ctx, x, (size_t)n * (size_t)count));
    bl_status status = BL_OK;
    for (bl_index k = 0; k < count; k++)
        motion_of(s, s->vector, from + k, x + (size_t)k * (size_t)n);
    if (s->unstable <= 0)
        status = bl_motions_apart(s->model, s->sys, &s->eval, count, x, s->found.motions, size);
    for (bl_index k = 0; s->unstable > 0 && status == BL_OK && k < count && used < size; k++) {
        char one[128];
        status = bl_motion_of_bodies(s->model, s->sys, &s->eval, x + (size_t)k * (size_t)n, one, sizeof one);
        used += (size_t)snprintf(s->found.motions + used, size - used, "%s%s", used ? "; " : "", one);
    }
    bl_free(s->ctx, x);
    return status;
}

/* whether H is symmetric, entry by entry */
static bool is_symmetric(const bl_statics *s) {
    const bl_pattern *K = &s->sys->pat_K;
    double most = 0, off = 0;
    for (bl_index j = 0; j < s->n; j++)
        for (bl_index k = K->ptr[j]; k < K->ptr[j + 1]; k++) {
            bl_index i = K->idx[k], low = K->ptr[i], high = K->ptr[i + 1];
            double by = s->kkt->scale[i] * s->kkt->scale[j], mirrored = 0;
            while (low < high) { /* rows ascend within a column */
                bl_index middle = (low + high) / 2;
                if (K->idx[middle] < j)
                    low = middle + 1;
                else
                    high = middle;
            }
            if (low < K->ptr[i + 1] && K->idx[low] == j)
                mirrored = s->H[low];
            most = fmax(most, by * fabs(s->H[k]));
            off = fmax(off, by * fabs(s->H[k] - mirrored));
        }
    return off <= study_asymmetric * most;
}

/* Sparse matrices: only solvers for symmetric matrices count negative pivots. Where the present one does not, another one counts. */
static bl_status count_negative(bl_statics *s) {
    if (s->factored) {
        s->unstable = bl_kkt_negative(s->kkt);
        s->sign = bl_kkt_sign(s->kkt);
    }
    if (s->unstable >= 0 || s->options.linsol || !s->mechanism)
        return BL_OK;
    if (s->np == 0) /* with constraints a tangent may be unsymmetric where the reduced one is not */
        s->symmetric = is_symmetric(s);
    if (!s->symmetric || s->np > 0)
        return BL_OK;
    if (!s->counter)
        BL_TRY(bl_kkt_create(s->sys, &(bl_kkt_setup){.linsol = "ldl", .dense_most = -1}, &s->counter));
    s->counter->sys = s->sys;
    BL_TRY(bl_kkt_move_to(s->counter, &s->eval));
    bl_status status = bl_kkt_factor(s->counter, s->H, 0, NULL, 0);
    s->unstable = status == BL_OK ? bl_kkt_negative(s->counter) : -1;
    if (status > 0)
        bl_context_clear_error(s->ctx);
    return status > 0 ? BL_OK : status;
}

/* ---- along a path by sparse factors
 *
 * A motion that becomes unstable has passed a stiffness of zero, so it is among those nearest to it, the largest ones of H^-1: subspace
 * iteration from those of the last point finds them by a few solutions. A spectrum by full matrices is computed only where one of them is
 * unstable, where the determinant changes its sign, and at the end of the path. */

/* one round of the iteration: x <- H^-1 S^-2 x, orthonormal, by ascending stiffness; *least: the lowest. False: dependent, or singular. */
static bool iterate_near(bl_statics *s, double *least) {
    enum { M = BL_STATICS_NEAR };
    size_t n = (size_t)s->n;
    double A[M * M], B[M * M], w[M], *x = s->near.x;
    for (int k = 0; k < M; k++) {
        for (size_t j = 0; j < n; j++)
            s->y[j] = x[(size_t)k * n + j] / (s->kkt->scale[j] * s->kkt->scale[j]);
        if (bl_kkt_solve(s->kkt, s->y, NULL, x + (size_t)k * n, NULL) != BL_OK)
            return false;
    }
    for (int k = 0; k < M; k++) {
        memset(s->y, 0, n * sizeof *s->y);
        bl_csc_multiply(&s->sys->pat_K, s->H, x + (size_t)k * n, s->y);
        for (int i = 0; i < M; i++) {
            A[k * M + i] = B[k * M + i] = 0;
            for (size_t j = 0; j < n; j++) {
                double other = x[(size_t)i * n + j];
                A[k * M + i] += other * s->y[j];
                B[k * M + i] += other * x[(size_t)k * n + j] / (s->kkt->scale[j] * s->kkt->scale[j]);
            }
        }
    }
    for (int k = 0; k < M; k++)
        if (!isfinite(B[k * M + k]) || !(B[k * M + k] > 0))
            return false;
    for (int k = 0; k < M; k++)
        for (int i = 0; i < k; i++)
            A[k * M + i] = A[i * M + k] = (A[k * M + i] + A[i * M + k]) / 2;
    double *work = s->work; /* of larger matrices */
    if (!bl_dense_eigen_pair(M, A, B, w, work, bl_dense_eigen_work(s->full->n), s->iwork))
        return false;
    for (size_t j = 0; j < n; j++) {
        double turned[M] = {0};
        for (int k = 0; k < M; k++)
            for (int i = 0; i < M; i++)
                turned[k] += A[k * M + i] * x[(size_t)i * n + j];
        for (int k = 0; k < M; k++)
            x[(size_t)k * n + j] = turned[k];
    }
    *least = w[0];
    return true;
}

static bl_status is_still_stable(bl_statics *s, bool *stable) {
    enum { ROUNDS = 3, FIRST_ROUNDS = 8 };
    bl_statics_softer *near = &s->near;
    *stable = false;
    if (!near->x || !near->all || near->needed || !s->path || s->locating || !s->factored || !(s->kkt->n - s->kkt->r > BL_STATICS_NEAR) ||
        near->sign == 0 || bl_kkt_sign(s->kkt) != near->sign)
        return BL_OK;
    for (size_t i = 0; !near->started && i < BL_STATICS_NEAR * (size_t)s->n; i++)
        near->x[i] = s->kkt->scale[i % (size_t)s->n] * sin(1.7 * (double)(i + 1) * (double)(1 + i / (size_t)s->n));
    double least = 0;
    bool found = true;
    for (int k = 0; k < (near->started ? ROUNDS : FIRST_ROUNDS) && found; k++)
        found = iterate_near(s, &least);
    near->started = found;
    bl_context_clear_error(s->ctx);
    *stable = found && least > 0;
    return BL_OK;
}

bl_status bl_statics_judge(bl_statics *s) {
    s->unstable = -1;
    s->neutral = 0;
    s->sign = 0;
    s->symmetric = true;
    s->found.softest = NAN;
    s->found.motions[0] = '\0';
    if (!s->full) {
        if (s->factored)
            return count_negative(s);
        if (!s->mechanism || s->np > 0)
            return BL_OK;
        BL_TRY(bl_kkt_tangent(s->sys, &s->eval, s->state.lambda, s->H));
        s->tangents++;
        return count_negative(s);
    }
    if (!s->known) {
        bool stable;
        BL_TRY(is_still_stable(s, &stable));
        if (stable) {
            s->unstable = 0;
            s->sign = 1;
            return BL_OK;
        }
        s->near.all = false;
        BL_TRY(bl_statics_spectrum(s, &s->symmetric));
    }
    bl_index f = s->full->f;
    if (!s->symmetric || f == 0) {
        s->unstable = f == 0 ? 0 : -1;
        return BL_OK;
    }
    double largest = fmax(fabs(s->value[0]), fabs(s->value[f - 1]));
    s->unstable = 0;
    s->first_neutral = f;
    for (bl_index k = 0; k < f; k++) {
        s->unstable += s->value[k] < -bl_statics_negative(s) * largest;
        if (fabs(s->value[k]) > bl_statics_neutral(s) * largest)
            continue;
        s->first_neutral = s->neutral++ ? s->first_neutral : k;
    }
    s->sign = s->unstable % 2 ? -1 : 1;
    s->critical = s->value[s->watched < f ? s->watched : f - 1];
    s->found.softest = largest > 0 ? s->value[0] / largest : 0;
    if (s->near.x && !s->locating) {
        s->near.all = s->factored && s->unstable == 0 && s->neutral == 0;
        s->near.sign = s->near.all ? bl_kkt_sign(s->kkt) : 0;
    }
    return s->locating || s->unnamed ? BL_OK : name_motions(s);
}

/* ---- forces without potential: stability of small motions, L L^T = R^T M R, y = L^T z, y'' = -L^-1 (K y + C y') L^-T */

/* out[f][f] = -L^-1 A L^-T for a reduced A, which is overwritten */
static void to_mass_one(bl_index f, const double *L, double *A, double *out) {
    size_t m = (size_t)f;
    for (size_t k = 0; k < m; k++) /* columns: L^-1 A */
        for (size_t i = 0; i < m; i++) {
            double sum = A[k * m + i];
            for (size_t j = 0; j < i; j++)
                sum -= L[j * m + i] * A[k * m + j];
            A[k * m + i] = sum / L[i * m + i];
        }
    for (size_t i = 0; i < m; i++) /* rows: ... L^-T */
        for (size_t k = 0; k < m; k++) {
            double sum = -A[k * m + i];
            for (size_t j = 0; j < k; j++)
                sum -= L[j * m + k] * out[j * m + i];
            out[k * m + i] = sum / L[k * m + k];
        }
}

static bl_status name_growth(bl_statics *s, const double *L, const bl_spectrum *of, bl_index k, char *text, size_t size) {
    bl_index f = s->full->f;
    size_t m = (size_t)f;
    double *z = s->work;
    for (size_t i = m; i-- > 0;) { /* z = L^-T y */
        double sum = of->y_re[(size_t)k * m + i];
        for (size_t j = i + 1; j < m; j++)
            sum -= L[i * m + j] * z[j];
        z[i] = sum / L[i * m + i];
    }
    bl_kkt_motion(s->full, z, s->x);
    char words[96];
    BL_TRY(bl_motion_of_bodies(s->model, s->sys, &s->eval, s->x, words, sizeof words));
    if (of->im[k] > 0)
        snprintf(text, size, "%s, growing by %.4g /s at %.4g rad/s (flutter)", words, of->re[k], of->im[k]);
    else
        snprintf(text, size, "%s, growing by %.4g /s", words, of->re[k]);
    return BL_OK;
}

static bl_status judge_spectrum(bl_statics *s, const double *L, const bl_spectrum *of, bl_equilibrium_point *p) {
    size_t used = 0, size = sizeof p->motions;
    p->unstable = 0;
    p->neutral = of->nrigid;
    p->motions[0] = '\0';
    for (bl_index k = 0; k < of->count; k++) {
        if (!(of->re[k] > study_stability_growing * of->unit))
            continue;
        char one[192];
        BL_TRY(name_growth(s, L, of, k, one, sizeof one));
        p->unstable++;
        if (used < size)
            used += (size_t)snprintf(p->motions + used, size - used, "%s%s", used ? "; " : "", one);
    }
    return BL_OK;
}

/* with states beside the motions: from the eigenvalues of both together */
static bl_status judge_states(bl_statics *s, bl_equilibrium_point *p) {
    const bl_system *sys = s->sys;
    size_t used = 0, size = sizeof p->motions;
    double most = 0;
    bl_modes_problem m = {.ctx = s->ctx,
                          .sys = sys,
                          .kkt = s->full,
                          .borrowed = true,
                          .mass = &sys->pat_M,
                          .H = s->H,
                          .M = s->eval.M,
                          .C = s->eval.C,
                          .n = s->n,
                          .wanted = 2 * s->n};
    bl_status status = bl_modes_states(&m);
    for (bl_index k = 0; status == BL_OK && k < m.count; k++)
        most = fmax(most, hypot(m.re[k], m.im[k]));
    p->unstable = 0;
    p->neutral = m.nrigid;
    p->motions[0] = '\0';
    for (bl_index k = m.nrigid; status == BL_OK && k < m.count; k++) {
        char words[96];
        if (!(m.re[k] > study_stability_growing * most))
            continue;
        bl_motion_words(sys, m.shape + (size_t)k * (size_t)m.n, words, sizeof words);
        p->unstable++;
        if (used < size)
            used += (size_t)snprintf(p->motions + used, size - used,
                                     m.im[k] > 0 ? "%s%s, growing by %.4g /s at %.4g rad/s (flutter)" : "%s%s, growing by %.4g /s",
                                     used ? "; " : "", words, m.re[k], m.im[k]);
    }
    bl_modes_free(&m);
    return status;
}

bl_status bl_statics_judge_motion(bl_statics *s, bl_equilibrium_point *p) {
    bl_index f = s->full ? s->full->f : 0, bad;
    size_t m = (size_t)f;
    double *L;
    bl_spectrum found = {0};
    bool states = s->sys->nv > 0 && s->sys->nz > 0 && (s->sys->facts & BL_A_IDENTITY);
    if (!s->full || f == 0 || (s->sys->nz > 0 && !states) || (s->symmetric && !states))
        return BL_OK;
    BL_TRY(bl_statics_evaluate(s));
    BL_TRY(bl_statics_move_full(s));
    BL_TRY(bl_kkt_tangent(s->sys, &s->eval, s->state.lambda, s->H));
    s->factored = false;
    BL_TRY(bl_system_eval(s->sys, &s->eval, BL_M | BL_KC));
    if (states)
        return judge_states(s, p);
    BL_TRY(BL_NEW(s->ctx, L, 4 * m * m));
    double *A = L + m * m, *S = A + m * m, *D = S + m * m;
    bl_kkt_reduce(s->full, &s->sys->pat_M, s->eval.M, L);
    bl_status status = bl_cholesky(f, L, &bad);
    if (status == BL_OK) {
        bl_kkt_reduce(s->full, NULL, s->H, A);
        to_mass_one(f, L, A, S);
        bl_kkt_reduce(s->full, &s->sys->pat_C, s->eval.C, A);
        to_mass_one(f, L, A, D);
        status = bl_spectrum_find(s->ctx, f, S, D, NULL, NULL, &found);
        if (status == BL_OK)
            status = judge_spectrum(s, L, &found, p);
        bl_spectrum_free_all(s->ctx, &found);
    } else {
        status = BL_OK; /* massless motions: `biela modes` condenses them */
    }
    bl_free(s->ctx, L);
    return status;
}

/* ---- singular configurations */

/* "A.angle = 1.57, B.angle = 0" */
static bl_status name_position(bl_statics *s, char *text, size_t size) {
    size_t used = 0;
    bl_eval_at(&s->eval, &s->kept);
    BL_TRY(bl_system_eval(s->sys, &s->eval, BL_VARIABLES));
    for (bl_index i = 0; i < s->model->nvariable && i < MOST_VARIABLES && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s = %.6g", i ? ", " : "", s->model->variable[i].name, s->eval.variable[i]);
    return BL_OK;
}

bl_status bl_statics_refuse_singular(bl_statics *s) {
    bl_singular_finding found;
    char position[256] = "";
    if (!s->model || s->model->nbody < 2 || s->kkt->r == s->np) /* full rank: regular */
        return BL_OK;
    BL_TRY(bl_singular_describe(s->sys, s->model, &s->kept, "the position of the equilibrium", &found));
    if (!found.is)
        return BL_OK;
    BL_TRY(name_position(s, position, sizeof position));
    bl_fail(s->ctx, BL_E_NUMERIC, NULL, "%.300s (%s)", found.text, position);
    bl_advise(s->ctx, "stiffness, stability and reactions are not meaningful where constraints lose rank: change a length a little, add a "
                      "spring that keeps the mechanism away from there, or hold a variable (--hold)");
    bl_blame(s->ctx, found.part[0] ? found.part : NULL, NULL, bl_statics_shown(s, bl_statics_load(s, &s->kept)));
    return BL_E_NUMERIC;
}

/* ---- the softest motions */

static bl_status describe(bl_statics *s, const double *vector, double eigenvalue, bl_index k, bl_soft_motion *soft) {
    bl_motion_unit unit;
    double stiffness = 0;
    motion_of(s, vector, k, s->x);
    *soft = (bl_soft_motion){.eigenvalue = eigenvalue};
    BL_TRY(bl_motion_of_bodies(s->model, s->sys, &s->eval, s->x, soft->motion, sizeof soft->motion));
    BL_TRY(bl_motion_measure(s->model, s->sys, &s->eval, s->x, &unit));
    memset(s->y, 0, (size_t)s->n * sizeof *s->y);
    bl_csc_multiply(&s->sys->pat_K, s->H, s->x, s->y);
    for (bl_index j = 0; j < s->n; j++)
        stiffness += s->x[j] * s->y[j];
    soft->is_angle = unit.is_angle;
    soft->stiffness = stiffness / (unit.rate * unit.rate);
    return BL_OK;
}

bl_status bl_statics_softest(bl_statics *s, bl_index *count, bl_soft_motion soft[BL_MOST_SOFT]) {
    bl_index f = s->full ? s->full->f : 0;
    *count = 0;
    if (!s->full || f == 0 || s->sys->nv == 0 || !s->symmetric)
        return BL_OK;
    size_t m = (size_t)f;
    double *A;
    BL_TRY(bl_statics_evaluate(s));
    bool symmetric;
    BL_TRY(bl_statics_spectrum(s, &symmetric)); /* H at the state; its eigenvalues are used without masses */
    BL_TRY(BL_NEW(s->ctx, A, 2 * m * m + m));
    double *B = A + m * m, *w = B + m * m;
    bl_status status = bl_system_eval(s->sys, &s->eval, BL_M);
    bool masses = status == BL_OK && s->sys->nz == 0;
    if (masses) {
        bl_kkt_reduce(s->full, NULL, s->H, A);
        bl_kkt_reduce(s->full, &s->sys->pat_M, s->eval.M, B);
        for (size_t i = 0; i < m; i++)
            for (size_t k = 0; k < i; k++) {
                A[i * m + k] = A[k * m + i] = (A[i * m + k] + A[k * m + i]) / 2;
                B[i * m + k] = B[k * m + i] = (B[i * m + k] + B[k * m + i]) / 2;
            }
        masses = bl_dense_eigen_pair(f, A, B, w, s->work, bl_dense_eigen_work(f), s->iwork);
    }
    const double *value = masses ? w : s->value;
    double largest = fmax(fabs(value[0]), fabs(value[f - 1]));
    for (bl_index k = 0; status == BL_OK && k < f && *count < BL_MOST_SOFT; k++)
        if (s->neutral == 0 || fabs(value[k]) > study_stability_soft * largest)
            status = describe(s, masses ? A : s->vector, masses ? w[k] : NAN, k, &soft[(*count)++]);
    bl_free(s->ctx, A);
    return status;
}
