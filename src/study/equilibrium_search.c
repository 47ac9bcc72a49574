/* Descent to a stable equilibrium (docs/theory/equilibrium.md, Q7 and Q8): with H = V diag(w) V^T on the free motions,
 *
 *     z = V diag(1 / |w|) V^T R^T Q
 *
 * is Newton's step where H is positive definite, and decreases the potential where it is not. The step is shortened where the potential
 * would grow: the force along it at its end must not exceed study_descent_back of that at its start in the opposite direction. */
#include "study/equilibrium_private.h"
#include "study/linear_limits.h"
#include "study/motion_names.h"
#include "study/statics_limits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FREE = 7 };

/* ---- names of motions */

void bl_motion_words(const bl_system *sys, const double *x, char *text, size_t size) {
    enum { MOST = 3 };
    bl_index n = sys->nv + sys->nz, column[MOST];
    double much[MOST] = {0};
    if (sys->kind->motion_name && sys->kind->motion_name(sys, x, text, size))
        return;
    for (int k = 0; k < MOST; k++)
        column[k] = -1;
    for (bl_index j = 0; j < n; j++) {
        double value = fabs(x[j]) / (sys->col && sys->col[j].scale > 0 ? sys->col[j].scale : 1);
        int k = MOST;
        while (k > 0 && value > much[k - 1] * (1 + 1e-9))
            k--;
        for (int i = MOST - 1; i > k; i--) {
            much[i] = much[i - 1];
            column[i] = column[i - 1];
        }
        if (k < MOST) {
            much[k] = value;
            column[k] = j;
        }
    }
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < MOST && column[k] >= 0 && much[k] > 0.1 * much[0] && used < size; k++) {
        char name[96];
        bl_system_col_name(sys, column[k], name, sizeof name);
        used += (size_t)snprintf(text + used, size - used, "%s%s (%.3g)", used ? ", " : "", name, x[column[k]] / x[column[0]]);
    }
}

/* ---- spectrum */

bl_status bl_statics_move_full(bl_statics *s) { return s->full == s->kkt ? BL_OK : bl_kkt_move_to(s->full, &s->eval); }

bl_status bl_statics_spectrum(bl_statics *s, bool *symmetric) {
    BL_TRY(bl_statics_move_full(s));
    bl_index f = s->full->f;
    size_t m = (size_t)f;
    double most = 0, off = 0;
    BL_TRY(bl_kkt_tangent(s->sys, &s->eval, s->state.lambda, s->H));
    s->tangents++;
    s->factored = s->factored && s->full != s->kkt;
    bl_kkt_reduce(s->full, NULL, s->H, s->vector);
    BL_TRY(bl_check_finite(s->ctx, "tangent", *s->state.t, (bl_index)(m * m), s->vector));
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k <= i; k++) {
            double a = s->vector[i * m + k], b = s->vector[k * m + i];
            most = fmax(most, fmax(fabs(a), fabs(b)));
            off = fmax(off, fabs(a - b));
            s->vector[i * m + k] = s->vector[k * m + i] = (a + b) / 2;
        }
    *symmetric = s->symmetric = off <= study_asymmetric * most;
    s->known = true;
    if (f == 0)
        return BL_OK;
    if (!bl_dense_eigen_pair(f, s->vector, NULL, s->value, s->work, bl_dense_eigen_work(f), s->iwork))
        return bl_fail(s->ctx, BL_NO_CONVERGENCE, NULL, "the eigenvalues of the tangent do not converge");
    return BL_OK;
}

static double largest_value(const bl_statics *s) {
    bl_index f = s->full->f;
    return f ? fmax(fabs(s->value[0]), fabs(s->value[f - 1])) : 0;
}

/* ---- refusals */

bl_status bl_statics_refuse_free(bl_statics *s) {
    bl_index count = 0;
    double *x;
    char words[192], all[320] = "";
    size_t used = 0;
    if (s->found.found > 1 || s->locating) /* it had a stiffness before: a critical point of the path */
        return BL_SINGULAR;
    BL_TRY(BL_NEW(s->ctx, x, (size_t)s->n * MOST_FREE));
    s->factored = false;
    bl_status status = bl_kkt_free_motions(s->kkt, s->H, study_statics_free, MOST_FREE, x, &count);
    for (bl_index k = 0; status == BL_OK && k < count && used < sizeof all; k++) {
        status = bl_motion_of_bodies(s->model, s->sys, &s->eval, x + (size_t)k * (size_t)s->n, words, sizeof words);
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used ? "; " : "", words);
    }
    bl_free(s->ctx, x);
    if (status != BL_OK || count == 0)
        return status < 0 ? status : BL_SINGULAR;
    bl_fail(s->ctx, BL_E_NUMERIC, NULL, "the system is not fully supported: %d%s motion%s without stiffness: %s", (int)count,
            count == MOST_FREE ? " or more" : "", count == 1 ? "" : "s", all);
    bl_advise(s->ctx, "restrain these motions by supports, joints or springs; `biela modes` shows all motions of zero frequency");
    bl_blame(s->ctx, NULL, NULL, *s->state.t);
    return BL_E_NUMERIC;
}

/* reports an unbounded motion, with the force along it per unit of the variable that moves most */
static bl_status refuse_runaway(bl_statics *s, const double *x) {
    char words[192];
    bl_motion_unit unit;
    double work = 0, size = bl_statics_largest(s, x);
    for (bl_index j = 0; j < s->n; j++)
        work += s->rho[j] * x[j];
    BL_TRY(bl_motion_of_bodies(s->model, s->sys, &s->eval, x, words, sizeof words));
    BL_TRY(bl_motion_measure(s->model, s->sys, &s->eval, x, &unit));
    size = unit.name[0] ? fabs(unit.rate) : size;
    bl_fail(s->ctx, BL_E_NUMERIC, NULL, "no equilibrium: %s moves without bound under %.4g%s along it", words,
            size > 0 ? fabs(work) / size : 0,
            !unit.name[0]   ? ""
            : unit.is_angle ? " N m"
                            : " N");
    bl_advise(s->ctx, "restrain this motion by a spring, a stop or a joint, or hold a variable (--hold)");
    bl_blame(s->ctx, unit.name[0] ? unit.name : NULL, NULL, bl_statics_shown(s, bl_statics_load(s, &s->state)));
    return BL_E_NUMERIC;
}

/* ---- descent */

typedef struct descent {
    double *z, *y;              /* [f] step, force */
    double slope;               /* force along the step, positive: downhill */
    double flat;                /* share of the force along motions without stiffness */
    bl_index negative, neutral; /* eigenvalues */
} descent;

static void find_direction(bl_statics *s, descent *d) {
    bl_index f = s->full->f;
    size_t m = (size_t)f;
    double largest = largest_value(s), least = fmax(bl_statics_neutral(s) * largest, DBL_MIN), sum = 0, flat = 0;
    bl_kkt_reduce_force(s->full, s->rho, d->y);
    memset(d->z, 0, m * sizeof *d->z);
    d->slope = 0;
    d->negative = d->neutral = 0;
    for (size_t k = 0; k < m; k++) {
        const double *v = s->vector + k * m;
        double along = 0, w = s->value[k];
        for (size_t i = 0; i < m; i++)
            along += v[i] * d->y[i];
        d->negative += w < -bl_statics_negative(s) * largest;
        sum += along * along;
        if (fabs(w) <= least) {
            d->neutral++;
            flat += along * along;
            if (fabs(along) <= s->options.tolerance * fmax(s->reference, DBL_MIN) + s->rounding)
                continue; /* no force acts along it: no motion */
        }
        double step = along / fmax(fabs(w), least), most = fabs(w) > least ? INFINITY : s->mechanism ? 1 : study_statics_far;
        step = fmin(fmax(step, -most), most); /* without stiffness a force does not determine the length */
        d->slope += along * step;
        for (size_t i = 0; i < m; i++)
            d->z[i] += step * v[i];
    }
    d->flat = sum > 0 ? flat / sum : 0;
}

/* unbalanced force along x at the state */
static double slope_along(const bl_statics *s, const double *x) {
    double sum = 0;
    for (bl_index j = 0; j < s->n; j++)
        sum += s->rho[j] * x[j];
    return sum;
}

/* moves by a fraction of x; slope_before: force along x at its start */
static bl_status go_down(bl_statics *s, double slope_before) {
    double share = 1, before = s->merit;
    memcpy(s->lambda, s->state.lambda, (size_t)s->np * sizeof *s->lambda);
    bl_state_copy(s->sys, &s->best, &s->state);
    for (int k = 0; k < study_descent_halvings; k++) {
        bl_status status = bl_statics_try(s, share);
        if (status < 0)
            return status;
        double slope = status == BL_OK ? slope_along(s, s->x) : -INFINITY;
        if (slope >= -study_descent_back * slope_before || (status == BL_OK && s->merit < 0.5 * before))
            return BL_OK;
        bl_context_clear_error(s->ctx);
        double secant = slope_before / (slope_before - slope); /* where the force along it vanishes */
        share *= isfinite(slope) ? fmin(fmax(secant, 0.1), 0.5) : 0.25;
    }
    return BL_NO_CONVERGENCE;
}

/* moves off an unstable equilibrium, along the motion with the most negative stiffness */
static bl_status kick(bl_statics *s) {
    bl_index f = s->full->f, at = 0;
    const double *v = s->vector;
    for (bl_index i = 1; i < f; i++)
        if (fabs(v[i]) > fabs(v[at]) * (1 + 1e-9))
            at = i;
    bl_kkt_motion(s->full, v, s->x);
    double by = study_statics_kick / fmax(bl_statics_largest(s, s->x), DBL_MIN) * (v[at] < 0 ? -1 : 1);
    for (bl_index j = 0; j < s->n; j++)
        s->x[j] *= by;
    memcpy(s->lambda, s->state.lambda, (size_t)s->np * sizeof *s->lambda);
    BL_TRY(bl_statics_move(s, s->x, 1));
    return bl_statics_evaluate(s);
}

static bl_status begin_search(bl_statics *s) {
    s->iterations = 0;
    s->step = 0;
    BL_TRY(bl_statics_evaluate(s));
    for (bl_index j = 0; j < s->n; j++)
        s->reference = fmax(s->reference, fabs(s->force[j]) * s->kkt->scale[j]);
    s->started = s->merit;
    return BL_OK;
}

static bl_status descend(bl_statics *s, descent *d) {
    int kicks = 0, flat = 0;
    bool symmetric = true;
    BL_TRY(begin_search(s));
    for (;;) {
        BL_TRY(bl_go_on(s->ctx));
        BL_TRY(bl_statics_spectrum(s, &symmetric));
        if (!symmetric)
            return BL_AGAIN; /* no potential to decrease */
        find_direction(s, d);
        bl_kkt_motion(s->full, d->z, s->x);
        if (d->negative == 0 && s->step > 0) /* the next Newton step estimates the error better than the last one */
            s->step = fmin(s->step, bl_statics_largest(s, s->x));
        bool balanced = bl_statics_balanced(s);
        if (balanced && (d->negative == 0 || kicks >= study_statics_kicks))
            return BL_OK;
        if (d->neutral > 0 && !balanced && !s->mechanism) {
            bl_status status = bl_statics_refuse_free(s);
            if (status != BL_SINGULAR)
                return status;
        }
        if (s->iterations == s->search_iterations)
            return BL_NO_CONVERGENCE;
        s->iterations++;
        s->found.iterations++;
        if (balanced) {
            kicks++;
            BL_TRY(kick(s));
            if (s->sys->facts & BL_ELASTIC) {
                bl_status status = bl_statics_flow(s);
                if (status < 0 || status == BL_STOPPED)
                    return status;
                bl_context_clear_error(s->ctx);
                s->fit = s->full != s->kkt;
            }
            continue;
        }
        flat = d->flat > study_descent_flat ? flat + 1 : 0;
        bl_status status = go_down(s, d->slope);
        if (status == BL_OK && (flat >= study_statics_runaway || s->traveled > study_statics_far))
            return refuse_runaway(s, s->x);
        BL_TRY(status);
    }
}

/* ---- sparse: no eigenvalues, but a shift of H that makes the step a descent */

/* x with (H + shift) x = force on the free motions; shift grows until the force along x is positive and x has positive stiffness */
static bl_status find_shifted(bl_statics *s, double *shift, double *slope) {
    double mean = bl_kkt_mean_stiffness(s->kkt, s->H);
    *shift = *shift > study_descent_shift_least * mean ? *shift / 10 : 0;
    for (int k = 0; k < study_descent_shifts; k++) {
        bl_status status = bl_kkt_factor(s->kkt, s->H, 0, NULL, *shift);
        if (status == BL_OK)
            status = bl_kkt_solve(s->kkt, s->rho, NULL, s->x, NULL);
        if (status < 0)
            return status;
        if (status == BL_OK) {
            memset(s->y, 0, (size_t)s->n * sizeof *s->y);
            bl_csc_multiply(&s->sys->pat_K, s->H, s->x, s->y);
            double length = bl_statics_length(s, s->x), stiffness = *shift * length * length;
            for (bl_index j = 0; j < s->n; j++)
                stiffness += s->y[j] * s->x[j];
            *slope = slope_along(s, s->x);
            bl_index negative = bl_kkt_negative(s->kkt);
            if (negative <= 0 && *slope > 0 && stiffness > 0 && isfinite(length))
                return BL_OK;
        }
        bl_context_clear_error(s->ctx);
        *shift = *shift > 0 ? 10 * *shift : study_descent_shift * mean;
    }
    return BL_NO_CONVERGENCE;
}

static bl_status descend_sparse(bl_statics *s) {
    double shift = 0, slope = 0;
    BL_TRY(begin_search(s));
    while (!bl_statics_balanced(s) && s->merit > 0) {
        BL_TRY(bl_go_on(s->ctx));
        if (s->iterations == s->search_iterations)
            return BL_NO_CONVERGENCE;
        s->iterations++;
        s->found.iterations++;
        BL_TRY(bl_kkt_tangent(s->sys, &s->eval, s->state.lambda, s->H));
        s->tangents++;
        s->factored = false;
        BL_TRY(find_shifted(s, &shift, &slope));
        BL_TRY(go_down(s, slope));
        if (s->traveled > study_statics_far)
            return refuse_runaway(s, s->x);
    }
    return BL_OK;
}

bl_status bl_statics_descend(bl_statics *s) {
    size_t f = (size_t)s->kkt->n;
    descent d = {0};
    bl_status status;
    if (s->full) {
        BL_TRY(BL_NEW(s->ctx, d.z, 2 * f));
        d.y = d.z + f;
        s->fit = s->full != s->kkt;
        status = descend(s, &d);
        s->fit = false;
        bl_free(s->ctx, d.z);
    } else {
        s->fit = true;
        status = descend_sparse(s);
        s->fit = false;
    }
    return status;
}
