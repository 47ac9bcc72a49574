/* Quasi-static paths under a growing load (docs/theory/equilibrium.md, Q9). Increments adapt to the number of iterations,
 *
 *     dt <- dt min(2, max(1/2, sqrt(5 / iterations))),
 *
 * and are halved after a failure, starting again from the last equilibrium; five failures in a row end the path there. */
#include "study/equilibrium_private.h"
#include "study/motion_names.h"
#include "study/statics_limits.h"
#include "study/study.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TARGET = 5, MOST_BISECTIONS = 48 };

/* ---- creation */

static bl_status make_arrays(bl_statics *s) {
    bl_context *ctx = s->ctx;
    const bl_system *sys = s->sys;
    size_t n = (size_t)s->n, np = (size_t)s->np, f = s->full ? n : 0;
    BL_TRY(BL_NEW_ARRAYS(ctx, s->block, BL_ARRAY(s->H, sys->pat_K.ptr[s->n]), BL_ARRAY(s->force, n), BL_ARRAY(s->rho, n), BL_ARRAY(s->x, n),
                         BL_ARRAY(s->y, n), BL_ARRAY(s->moved, n), BL_ARRAY(s->tangent, n), BL_ARRAY(s->last_tangent, n),
                         BL_ARRAY(s->load_rate, n), BL_ARRAY(s->lambda, np), BL_ARRAY(s->row_rate, np),
                         BL_ARRAY(s->q_start, sys->nq + sys->nz), BL_ARRAY(s->q_open, sys->nq)));
    if (f == 0)
        return BL_OK;
    if (s->full != s->kkt)
        BL_TRY(BL_NEW(ctx, s->near.x, BL_STATICS_NEAR * n));
    return BL_NEW_ARRAYS(ctx, s->eigen_block, BL_ARRAY(s->vector, f * f), BL_ARRAY(s->value, f),
                         BL_ARRAY(s->work, bl_dense_eigen_work((bl_index)f)), BL_ARRAY(s->iwork, 5 * f + 3));
}

/* Elastic bodies are long chains, whose factors are sparse: steps take n log n operations instead of n^3. Eigenvalues take full matrices,
 * which are not made for every step. */
static bl_status make_matrices(bl_statics *s) {
    const bl_system *sys = s->sys;
    bl_index unknowns = sys->nv + sys->nz;
    bl_kkt_setup setup = {.linsol = s->options.linsol};
    bool chain = !s->options.linsol && (sys->facts & BL_ELASTIC) && s->mechanism && sys->nz == 0 && !(sys->facts & BL_VELOCITY_ROWS) &&
                 (double)unknowns > study_statics_sparse && unknowns <= BL_KKT_DENSE_ROWS && sys->np <= 2 * BL_KKT_DENSE_ROWS;
    if (s->options.linsol || chain) /* a solver named by the caller is used also for small systems */
        setup.dense_most = -1;
    BL_TRY(bl_kkt_create(sys, &setup, &s->kkt));
    if (chain)
        return bl_kkt_create(sys, &(bl_kkt_setup){.dense_most = BL_KKT_DENSE_ROWS}, &s->full);
    s->full = s->kkt->dense ? s->kkt : NULL;
    return BL_OK;
}

static bl_status make(bl_statics *s, const bl_state *start) {
    const bl_system *sys = s->sys;
    if (!(sys->can & BL_CAN_TANGENT)) {
        bl_fail(s->ctx, BL_E_ABILITY, NULL, "an equilibrium needs derivatives of the forces, which %s does not provide",
                sys->kind->kind.name);
        return BL_E_ABILITY;
    }
    s->uses = BL_KC | (sys->np ? BL_G | BL_GTL_X : 0) | (sys->nu ? BL_U : 0);
    BL_TRY(bl_eval_create(sys, s->uses, &s->eval));
    s->eval.slow = true;
    bl_state *states[] = {&s->state, &s->kept, &s->best, &s->from};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        BL_TRY(bl_state_create(sys, 0, states[i]));
    BL_TRY(make_matrices(s));
    BL_TRY(make_arrays(s));
    bl_statics_restart(s, start);
    return BL_OK;
}

void bl_statics_restart(bl_statics *s, const bl_state *start) {
    const bl_system *sys = s->sys;
    bl_state_copy(sys, &s->state, start);
    memset(s->state.v, 0, (size_t)sys->nv * sizeof(double));
    memset(s->state.lambda, 0, (size_t)sys->np * sizeof(double));
    bl_statics_set_load(s, &s->state, s->options.from);
    memcpy(s->q_start, s->state.q, (size_t)sys->nq * sizeof(double));
    memcpy(s->q_start + sys->nq, s->state.z, (size_t)sys->nz * sizeof(double));
    bl_state_copy(sys, &s->kept, &s->state);
    s->reference = s->rounding = s->traveled = s->step = 0;
    s->factored = false;
}

bl_status bl_statics_create(const bl_system *sys, const bl_state *start, const bl_equilibrium_options *options, bl_statics **out) {
    return bl_statics_create_over(sys, NULL, start, options, out);
}

bl_status bl_statics_create_over(const bl_system *sys, const bl_family *family, const bl_state *start,
                                 const bl_equilibrium_options *options, bl_statics **out) {
    bl_statics *s;
    *out = NULL;
    BL_TRY(BL_NEW(sys->ctx, s, 1));
    *out = s;
    s->ctx = sys->ctx;
    s->sys = sys;
    s->n = sys->nv + sys->nz;
    s->np = sys->np;
    s->options = *options;
    s->load_name = "t";
    if (family) {
        s->family = family;
        s->load_name = family->model->parameter[family->parameter].name;
        s->sense = options->until < options->from ? -1 : 1;
        s->options.from = s->sense * options->from;
        s->options.until = s->sense * options->until;
        s->options.arc_length = true;
        s->at = options->from;
    }
    s->search_iterations = options->iterations > 0 ? options->iterations : (int)study_descent_iterations;
    s->options.iterations = options->iterations > 0 ? options->iterations : (int)study_newton_iterations;
    s->options.points = options->points > 0 ? options->points : (long)study_path_points;
    s->options.tolerance = options->tolerance > 0 ? options->tolerance : 1e-10;
    s->rolls = bl_system_rolls(sys);
    s->mechanism = sys->np > 0 || (sys->facts & BL_REVOLUTIONS_ONLY);
    s->linear = (sys->facts & BL_CK_CONST) && (sys->facts & BL_FLAT) && sys->np == 0;
    s->unstable = -1;
    s->found = (bl_equilibrium_summary){.size = sizeof s->found, .t = NAN, .unstable = -1, .softest = NAN};
    return make(s, start);
}

void bl_statics_destroy(bl_statics *s) {
    if (!s)
        return;
    bl_context *ctx = s->ctx;
    if (s->full != s->kkt)
        bl_kkt_destroy(s->full);
    bl_kkt_destroy(s->kkt);
    bl_kkt_destroy(s->counter);
    bl_free(ctx, s->near.x);
    bl_eval_destroy(s->sys, &s->eval);
    for (bl_index k = 0; k < s->nseed; k++) {
        bl_state_destroy(s->sys, &s->seed[k].state);
        bl_free(ctx, s->seed[k].x);
    }
    bl_state *states[] = {&s->state, &s->kept, &s->best, &s->from, &s->side.low, &s->side.high};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        bl_state_destroy(s->sys, states[i]);
    bl_statics_release_member(s);
    bl_statics_branch_free(s);
    bl_free(ctx, s->block);
    bl_free(ctx, s->eigen_block);
    bl_free(ctx, s);
}

/* ---- an equilibrium */

/* power of loads and supports at a state that moves by s->x per unit of load */
static bl_status power_at(bl_statics *s, const bl_state *state, double *power) {
    bl_eval_at(&s->eval, state);
    s->eval.v = s->x;
    BL_TRY(bl_system_eval(s->sys, &s->eval, BL_Q));
    *power = s->eval.power;
    return BL_OK;
}

/* Work of loads and of moving supports from the kept state to this one, by the trapezoidal rule, exact where forces are linear in between.
 * Only for meshes: elsewhere velocities would add other forces. */
static bl_status add_work(bl_statics *s) {
    const bl_system *sys = s->sys;
    double dt = *s->state.t - *s->kept.t, before, after;
    if (s->found.found == 0 || dt == 0 || !(sys->facts & BL_FINE) || sys->nbody > 1 || !(sys->can & BL_CAN_ENERGY))
        return BL_OK;
    for (bl_index j = 0; j < sys->nv; j++)
        s->x[j] = (s->state.q[j] - s->kept.q[j]) / dt;
    BL_TRY(power_at(s, &s->kept, &before));
    BL_TRY(power_at(s, &s->state, &after));
    *s->state.work = *s->kept.work + 0.5 * dt * (before + after);
    return BL_OK;
}

bl_status bl_statics_accept(bl_statics *s) {
    const bl_system *sys = s->sys;
    BL_TRY(bl_statics_judge(s));
    BL_TRY(add_work(s));
    if (sys->kind->accept) {
        bl_eval_at(&s->eval, &s->state);
        /* the trial history belongs to the forces at this state */
        BL_TRY(bl_system_eval(sys, &s->eval, (sys->nv ? BL_Q : 0) | (sys->nz ? BL_F : 0)));
        bl_status status = sys->kind->accept(sys, &s->eval, &s->state);
        if (status != BL_OK && status != BL_RESTART)
            return status;
    }
    bl_state_copy(sys, &s->kept, &s->state);
    double size = s->reference;
    for (bl_index j = 0; s->np && j < s->n; j++)
        size = fmax(size, fabs(s->force[j]) * s->kkt->scale[j]);
    if (s->residual <= s->rounding) /* the residual is rounding of forces that cancel, as at the start of the search */
        size = fmax(size, s->rounding / DBL_EPSILON);
    s->found.found++;
    s->found.t = bl_statics_shown(s, bl_statics_load(s, &s->state));
    s->found.residual = size > 0 ? s->residual / size : s->residual;
    s->found.unstable = s->unstable;
    s->found.neutral = s->neutral;
    s->found.conservative = s->symmetric;
    bl_system_col_name(sys, s->worst, s->found.worst, sizeof s->found.worst);
    return BL_OK;
}

bl_status bl_statics_fail(bl_statics *s, bl_status why, const char *advice) {
    char worst[96] = "", reason[sizeof((bl_error *)0)->what + 2] = "";
    if (why < 0 || why == BL_STOPPED)
        return why;
    const bl_error *error = bl_context_error(s->ctx);
    if (error->status == why && why != BL_NO_CONVERGENCE)
        snprintf(reason, sizeof reason, ": %s", error->what);
    bl_system_col_name(s->sys, s->worst, worst, sizeof worst);
    double size = fmax(s->reference, DBL_MIN), load = bl_statics_shown(s, bl_statics_load(s, &s->state));
    if (s->found.found == 0)
        bl_fail(s->ctx, BL_E_NUMERIC, NULL,
                "no equilibrium at %s = %.9g: after %ld iterations the unbalanced force on %s is %.3g times the acting forces%s",
                s->load_name, load, s->found.iterations, worst, s->residual / size, reason);
    else
        bl_fail(s->ctx, BL_E_NUMERIC, NULL,
                "no equilibrium beyond %s = %.9g: %.0f increments in a row failed, the last to %.9g (the unbalanced force on %s is %.3g "
                "times the acting forces)%s",
                s->load_name, s->found.t, study_path_failures, load, worst, s->residual / size, reason);
    bl_advise(s->ctx, "%s", advice);
    bl_blame(s->ctx, NULL, worst, load);
    return BL_E_NUMERIC;
}

/* the first one, from the start */
static bl_status begin(bl_statics *s) {
    bl_status status;
    bool flowed = false, could = (s->kkt->dense || s->np) && !s->linear && s->sys->nz == 0, downhill = could && !s->options.any;
    if (!s->mechanism || !downhill) {
        status = bl_statics_settle(s);
        if (status == BL_OK && downhill)
            status = bl_statics_judge(s);
        if (status < 0 || status == BL_STOPPED || !could || (status == BL_OK && (!downhill || s->unstable <= 0)))
            return status;
        bl_context_clear_error(s->ctx);
        bl_state_copy(s->sys, &s->state, &s->kept);
    }
    if (s->sys->facts & BL_ELASTIC) {
        status = bl_statics_flow(s);
        if (status < 0 || status == BL_STOPPED)
            return status;
        bl_context_clear_error(s->ctx);
        flowed = status == BL_OK;
        if (!flowed)
            bl_state_copy(s->sys, &s->state, &s->kept);
    }
    status = bl_statics_descend(s);
    if (status == BL_AGAIN) { /* forces without potential */
        if (!flowed)
            bl_state_copy(s->sys, &s->state, &s->kept);
        status = bl_statics_settle(s);
    }
    if (status <= 0 || status == BL_STOPPED || !s->mechanism)
        return status;
    bl_log(s->ctx, BL_LOG_INFO, "Newton's method does not converge; trying dynamic relaxation");
    bl_context_clear_error(s->ctx);
    bl_state_copy(s->sys, &s->state, &s->kept);
    BL_TRY(bl_statics_relax(s));
    status = bl_statics_descend(s);
    return status == BL_AGAIN ? bl_statics_settle(s) : status;
}

/* ---- critical points */

static bl_status keep_seed(bl_statics *s, bl_critical_what what, const double *x) {
    bl_statics_seed *seed = &s->seed[s->nseed];
    *seed = (bl_statics_seed){.what = what};
    BL_TRY(BL_NEW(s->ctx, seed->x, 2 * s->n + 1));
    s->nseed++; /* from here on bl_statics_destroy frees it */
    seed->along = seed->x + s->n;
    memcpy(seed->x, x, (size_t)s->n * sizeof *x);
    BL_TRY(bl_system_local(s->sys, s->from.q, s->state.q, seed->along));
    for (bl_index i = 0; i < s->sys->nz; i++)
        seed->along[s->sys->nv + i] = s->state.z[i] - s->from.z[i];
    seed->along[s->n] = bl_statics_load(s, &s->state) - bl_statics_load(s, &s->from);
    BL_TRY(bl_state_create(s->sys, 0, &seed->state));
    bl_state_copy(s->sys, &seed->state, &s->state);
    return BL_OK;
}

bl_status bl_statics_note(bl_statics *s, bl_critical_what what, const double *x) {
    bl_index k = s->found.npoint++;
    bl_critical_point point = {.what = what, .t = bl_statics_shown(s, bl_statics_load(s, &s->state)), .branch = s->branch};
    double most = bl_statics_largest(s, x), *motion = s->y;
    if (k < BL_MOST_CRITICAL) {
        BL_TRY(keep_seed(s, what, x));
        motion = s->seed[s->nseed - 1].x;
    }
    for (bl_index j = 0; j < s->n; j++)
        motion[j] = most > 0 ? x[j] / most : 0;
    BL_TRY(bl_statics_use_load(s, &s->state));
    bl_eval_at(&s->eval, &s->state);
    BL_TRY(bl_motion_of_bodies(s->model, s->sys, &s->eval, motion, point.motion, sizeof point.motion));
    if (k < BL_MOST_CRITICAL)
        s->found.point[k] = point;
    static const char *const word[] = {"limit", "branching", "singular"};
    bl_log(s->ctx, BL_LOG_INFO, "%s point at %s = %.9g: %s", word[what], s->load_name, point.t, point.motion);
    return BL_OK;
}

/* the motion without stiffness, in x */
static void critical_motion(bl_statics *s) {
    bl_index f = s->full ? s->full->f : 0;
    if (f > 0) {
        bl_kkt_motion(s->full, s->vector + (size_t)(s->watched < f ? s->watched : f - 1) * (size_t)f, s->x);
        return;
    }
    memset(s->x, 0, (size_t)s->n * sizeof *s->x);
    for (int round = 0; round < 3; round++) { /* inverse iteration with the factors near it */
        for (bl_index j = 0; j < s->n; j++)
            s->y[j] = (round ? s->x[j] : (j % 7) - 3.1) / (s->kkt->scale[j] * s->kkt->scale[j]);
        if (bl_kkt_solve(s->kkt, s->y, NULL, s->x, NULL) != BL_OK)
            return;
        double size = bl_statics_length(s, s->x);
        for (bl_index j = 0; j < s->n && size > 0; j++)
            s->x[j] /= size;
    }
}

/* Bisection on the number of unstable motions or the sign of the determinant; false position on the eigenvalue that changes its sign, where
 * it is known. */
bl_status bl_statics_branching(bl_statics *s, bl_statics_advance *advance, bl_index unstable_before, int sign_before) {
    bl_equilibrium_summary found = s->found;
    bl_index unstable = s->unstable, neutral = s->neutral;
    int sign = s->sign;
    bool counted = unstable_before >= 0 && unstable >= 0;
    bl_status status = BL_OK;
    double low = 0, high = 1, at_low = 0, at_high = 0;
    s->watched = counted ? (unstable < unstable_before ? unstable : unstable_before) : 0;
    s->locating = true;
    bool smooth = s->full && counted;
    if (smooth) {
        status = advance(s, 0);
        at_low = s->critical;
        if (status == BL_OK)
            status = advance(s, 1);
        at_high = s->critical;
        smooth = status == BL_OK && at_low * at_high < 0;
    }
    for (int k = 0; k < MOST_BISECTIONS && high - low > study_branching_located && status >= 0; k++) {
        double middle = (low + high) / 2;
        if (smooth && k % 3 != 2)
            middle = fmin(fmax(low - at_low * (high - low) / (at_high - at_low), low + 0.01 * (high - low)), high - 0.01 * (high - low));
        status = advance(s, middle);
        if (status != BL_OK)
            break;
        bool before = smooth ? s->critical * at_low > 0 : counted ? s->unstable == unstable_before : s->sign == sign_before;
        if (before) {
            low = middle;
            at_low = s->critical;
        } else {
            high = middle;
            at_high = s->critical;
        }
    }
    if (status >= 0 && status != BL_STOPPED) {
        critical_motion(s);
        s->found = found;
        bl_context_clear_error(s->ctx);
        status = bl_statics_note(s, BL_BRANCHING_POINT, s->x);
        found = s->found;
    }
    found.iterations = s->found.iterations;
    s->found = found;
    s->unstable = unstable;
    s->neutral = neutral;
    s->sign = sign;
    s->watched = 0;
    s->locating = false;
    bl_state_copy(s->sys, &s->state, &s->kept);
    return status;
}

/* ---- the path */

/* Increments shrink toward TARGET iterations, but only while that reduces the number: laws with an inconsistent tangent converge as slowly
 * in short increments. */
typedef struct pace {
    long shrunk_at; /* iterations of the previous increment if they made this one shorter; else 0 */
    long slow;      /* number of iterations that a shorter increment did not reduce; 0: none yet */
} pace;

static double growth(pace *p, long iterations) {
    double by = fmin(2, fmax(0.5, sqrt((double)TARGET / (double)(iterations > 0 ? iterations : 1))));
    if (p->shrunk_at > 0 && 5 * iterations > 4 * p->shrunk_at)
        p->slow = iterations;
    if (by < 1 && iterations <= 2 * p->slow)
        by = 1;
    p->shrunk_at = by < 1 ? iterations : 0;
    return by;
}

/* for bl_statics_branching: the current step goes from s->from to the kept state */
static bl_status part_of_increment(bl_statics *s, double share) {
    bl_state_copy(s->sys, &s->state, &s->from);
    *s->state.t = *s->from.t + share * (*s->kept.t - *s->from.t);
    BL_TRY(bl_statics_settle(s));
    return bl_statics_judge(s);
}

static bl_status fail_at_limit(bl_statics *s) {
    char words[192];
    bl_motion_words(s->sys, s->moved, words, sizeof words);
    bl_fail(s->ctx, BL_E_NUMERIC, NULL,
            "the path ends near t = %.9g, at a limit point: the next equilibrium, at t = %.9g, is far away (it moves %s)", s->found.t,
            *s->state.t, words);
    bl_advise(s->ctx, "--arc-length follows the path past limit points");
    bl_blame(s->ctx, NULL, NULL, s->found.t);
    return BL_E_NUMERIC;
}

/* An increment whose displacement is much larger than before, and stays as large when the increment is halved, has passed a limit point and
 * reached another path. */
typedef struct jump {
    double rate;        /* displacement per load of the last increment; 0: none yet */
    double moved, load; /* of a suspect increment, twice as long: displacement, unbalanced force at its start; 0: none */
} jump;

static bl_status is_jump(bl_statics *s, jump *j, double dt, bool *found) {
    const bl_system *sys = s->sys;
    BL_TRY(bl_system_local(sys, s->kept.q, s->state.q, s->moved));
    for (bl_index i = 0; i < sys->nz; i++)
        s->moved[sys->nv + i] = s->state.z[i] - s->kept.z[i];
    double moved = bl_statics_length(s, s->moved);
    *found = !s->linear && j->rate > 0 && moved > study_path_suspected * j->rate * dt;
    if (*found && j->moved > 0) /* halved already: unless it now moves less, or the load itself jumps */
        *found = moved > study_path_jump * j->moved && s->started < study_path_jump * j->load;
    j->moved = *found ? moved : 0;
    j->load = s->started;
    j->rate = *found ? j->rate : moved / dt;
    return BL_OK;
}

/* selects the branches of piecewise laws at the start */
static bl_status hold_branches(bl_statics *s) {
    const bl_system *sys = s->sys;
    if (!sys->kind->hold)
        return BL_OK;
    bl_eval_at(&s->eval, &s->state);
    BL_TRY(sys->kind->hold(sys, &s->eval, &s->state));
    bl_state_copy(sys, &s->kept, &s->state);
    return BL_OK;
}

/* an increment ends where a law changes its branch, so that loading followed by unloading is not skipped */
static bl_status stop_at_branch_change(const bl_statics *s, double *t) {
    double change = INFINITY;
    if (s->sys->kind->next_time)
        BL_TRY(s->sys->kind->next_time(s->sys, &s->kept, &change));
    if (change > *s->kept.t && change < *t)
        *t = change;
    return BL_OK;
}

static bl_status change_branches(bl_statics *s) {
    const bl_system *sys = s->sys;
    double change = INFINITY;
    if (sys->kind->next_time)
        BL_TRY(sys->kind->next_time(sys, &s->kept, &change));
    if (!(change <= *s->kept.t) || !sys->kind->jump)
        return BL_OK;
    bl_eval_at(&s->eval, &s->kept);
    bl_status status = sys->kind->jump(sys, &s->eval, &s->kept, -1);
    return status == BL_AGAIN ? BL_OK : status;
}

static bl_status march(bl_statics *s, bl_statics_visit *visit, void *user) {
    const bl_system *sys = s->sys;
    double until = s->options.until, span = until - s->options.from;
    double nominal = span / (s->options.increments > 0 ? s->options.increments : study_path_parts), dt = nominal;
    double most = s->options.increments > 0 || s->linear ? nominal : study_path_longer * nominal;
    int failures = 0;
    jump leap = {0};
    pace tempo = {0};
    while (*s->kept.t < until) {
        BL_TRY(bl_go_on(s->ctx));
        if (s->found.found >= s->options.points)
            return bl_fail(s->ctx, BL_E_NUMERIC, NULL, "the path reached its limit of %ld points at t = %.9g before its end",
                           s->found.found, s->found.t);
        double t = *s->kept.t + dt;
        if (t > until - study_path_end * dt)
            t = until;
        BL_TRY(stop_at_branch_change(s, &t));
        bl_state_copy(sys, &s->state, &s->kept);
        *s->state.t = t;
        bl_status status = bl_statics_settle(s);
        bool jumps = false;
        if (status == BL_OK)
            status = is_jump(s, &leap, t - *s->kept.t, &jumps);
        if (status < 0 || status == BL_STOPPED)
            return status;
        if (status != BL_OK || jumps) {
            s->found.refused++;
            if (++failures >= study_path_failures && jumps)
                return fail_at_limit(s);
            if (failures >= study_path_failures)
                return bl_statics_fail(s, status, "the load may have passed a limit point: --arc-length follows the path beyond it");
            dt = (t - *s->kept.t) / 2;
            bl_context_clear_error(s->ctx);
            continue;
        }
        failures = 0;
        bl_index unstable = s->unstable;
        int sign = s->sign;
        long iterations = s->iterations;
        bl_state_copy(sys, &s->from, &s->kept);
        BL_TRY(bl_statics_accept(s));
        bool changed = unstable >= 0 && s->unstable >= 0 ? unstable != s->unstable : sign * s->sign < 0;
        if (changed && !s->linear && !(sys->facts & BL_HISTORY && !(sys->facts & BL_REVOLUTIONS_ONLY)))
            BL_TRY(bl_statics_branching(s, part_of_increment, unstable, sign));
        BL_TRY(visit(s, user));
        BL_TRY(change_branches(s));
        dt = fmin(most, s->linear ? nominal : dt * growth(&tempo, iterations));
    }
    return BL_OK;
}

bl_status bl_statics_first(bl_statics *s) {
    BL_TRY(hold_branches(s));
    bl_status status = begin(s);
    if (status != BL_OK)
        return bl_statics_fail(
            s, status,
            "give a start nearer to the equilibrium, let loads grow with t (=10*t) and follow them (--until 1), or allow more iterations");
    BL_TRY(bl_statics_accept(s));
    return bl_statics_refuse_singular(s);
}

bl_status bl_statics_follow(bl_statics *s, bl_statics_visit *visit, void *user) {
    BL_TRY(bl_statics_first(s));
    BL_TRY(visit(s, user));
    if (!(s->options.until > s->options.from))
        return BL_OK;
    return s->options.arc_length ? bl_statics_arc(s, visit, user) : march(s, visit, user);
}
