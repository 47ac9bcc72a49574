/* Motions along the border of a switch. With s the switching function and m of [-1, 1] the blend of both branches, s' is affine in m:
 *
 *     s' = s'(0) + m ds'/dm = 0    gives m;  |m| > 1: the motion leaves the border. */
#include "study/sliding.h"

#include "study/events.h"
#include "study/study_limits.h"

#include <math.h>
#include <string.h>

enum { MOST_SLIDING = 8 };
static const double AHEAD = 1e-5; /* of a step: distance for differences of event functions */

bl_status bl_sliding_create(bl_simulation *sim) {
    bl_index n = sim->sys->nevent;
    BL_TRY(BL_NEW(sim->ctx, sim->share, 5 * (size_t)n + 1));
    sim->rate = sim->share + n;
    sim->share_now = sim->rate + n;
    sim->share_t = sim->share_now + n;
    sim->share_mid = sim->share_t + n;
    for (bl_index i = 0; i < n; i++)
        sim->share[i] = BL_SLIDES_NOT;
    BL_TRY(BL_NEW(sim->ctx, sim->warned_of, (size_t)n + 1));
    return BL_OK;
}

void bl_sliding_destroy(bl_simulation *sim) {
    bl_free(sim->ctx, sim->share);
    bl_free(sim->ctx, sim->warned_of);
    bl_free(sim->ctx, sim->ahead_y);
}

static double last_step(const bl_simulation *sim) {
    double h = sim->integ->t - sim->integ->t_old, span = fabs(sim->integ->control.t_end - *sim->state.t);
    return fmax(h > 0 ? h : 1e-3 * span, 1e-6 * fmax(span, fabs(*sim->state.t)));
}

static bl_status raw(bl_simulation *sim, const bl_state *state, double *event) {
    bl_eval_at(&sim->eval, state);
    BL_TRY(bl_system_eval(sim->sys, &sim->eval, BL_EVENTS));
    memcpy(event, sim->eval.event, (size_t)sim->sys->nevent * sizeof *event);
    return BL_OK;
}

/* sim->rate: rates of all event functions with the branches of the state, by differences slightly ahead. Values at the state:
 * sim->event. */
static bl_status rates(bl_simulation *sim, bl_state *state) {
    bl_formulation *form = sim->form;
    double ahead = AHEAD * last_step(sim), t = *state->t;
    if (!sim->ahead_y || sim->ahead_ny < form->ny) {
        double *y = bl_resize(sim->ctx, sim->ahead_y, 2 * (size_t)form->ny, sizeof *y);
        if (!y)
            return BL_E_MEMORY;
        sim->ahead_y = y;
        sim->ahead_ny = form->ny;
    }
    double *y = sim->ahead_y, *slope = y + form->ny;
    bl_formulation_stats counted = form->stats;
    bl_formulation_forget(form);
    BL_TRY(form->kind->to_y(form, state, y));
    BL_TRY(form->kind->rate(form, t, y, slope));
    for (bl_index i = 0; i < form->ny; i++)
        y[i] += ahead * slope[i];
    memcpy(sim->beyond.history, state->history, sim->sys->history_bytes);
    BL_TRY(form->kind->from_y(form, t + ahead, y, &sim->beyond));
    bl_formulation_forget(form);
    form->stats = counted;
    BL_TRY(raw(sim, state, sim->event));
    BL_TRY(raw(sim, &sim->beyond, sim->rate));
    for (bl_index i = 0; i < sim->sys->nevent; i++)
        sim->rate[i] = (sim->rate[i] - sim->event[i]) / ahead;
    form->history = state->history;
    return BL_OK;
}

/* sign of an event function for the blend m: it is s on the side m > 0 and -s on the other */
static double side(double m) { return m > 0 ? 1 : -1; }

static void warn(bl_simulation *sim, bl_index event) {
    char name[96] = "a law";
    if (sim->warned_of[event])
        return;
    sim->warned_of[event] = true;
    if (sim->sys->kind->event_name)
        sim->sys->kind->event_name(sim->sys, event, name, sizeof name);
    bl_warn(
        sim->ctx, *sim->state.t, name,
        "%s pushes the motion back from both sides of its jump at t = %.6g s and would switch forever: from now on it takes the "
        "intermediate value that keeps the motion at the jump; smooth the jump (tanh), or use friction or joint_friction for dry friction",
        name, *sim->state.t);
}

bl_status bl_sliding_judge(bl_simulation *sim, bl_index event) {
    const bl_system_kind *kind = sim->sys->kind;
    if (!kind->blend || !sim->share)
        return BL_OK;
    BL_TRY(rates(sim, &sim->state));
    if (!(sim->rate[event] < 0))
        return BL_OK;
    double rate[2];
    for (int k = 0; k < 2; k++) {
        if (!kind->blend(sim->sys, &sim->state, event, k == 0 ? 1 : -1))
            return BL_OK; /* a switch without two sides: frequent events are detected by their count */
        BL_TRY(rates(sim, &sim->state));
        rate[k] = sim->rate[event];
    }
    bool back = rate[0] < study_slide_tie * fabs(rate[1]) && rate[1] < study_slide_tie * fabs(rate[0]);
    if (!back || !(rate[0] + rate[1] < 0)) { /* the motion returned or crossed */
        kind->blend(sim->sys, &sim->state, event, rate[0] >= 0 ? 1 : -1);
        return BL_OK;
    }
    if (sim->nsliding >= MOST_SLIDING)
        return BL_OK;
    warn(sim, event);
    sim->nsliding++;
    sim->share[event] = sim->share_now[event] = sim->share_mid[event] = fmax(fmin((rate[1] - rate[0]) / (rate[1] + rate[0]), 1), -1);
    sim->share_t[event] = NAN;
    kind->blend(sim->sys, &sim->state, event, sim->share[event]);
    bl_status status = bl_sliding_adjust(sim); /* together with others that slide */
    sim->slide_h = study_slide_first * last_step(sim);
    return status;
}

/* m[n] of the sliding switches which[n] at a state, such that each s' is -pull s; the branches of the state are not changed */
static bl_status solve(bl_simulation *sim, bl_state *state, double pull, bl_index *which, double *m, bl_index *n) {
    const bl_system *sys = sim->sys;
    double A[MOST_SLIDING][MOST_SLIDING + 1];
    *n = 0;
    for (bl_index i = 0; i < sys->nevent; i++)
        if (bl_slides(sim, i) && *n < MOST_SLIDING)
            which[(*n)++] = i;
    BL_TRY(rates(sim, state));
    for (bl_index i = 0; i < *n; i++) {
        double own = side(sim->share[which[i]]);
        A[i][*n] = -own * (sim->rate[which[i]] + pull * sim->event[which[i]]);
        m[i] = sim->share[which[i]];
    }
    double base[MOST_SLIDING];
    for (bl_index i = 0; i < *n; i++)
        base[i] = side(m[i]) * sim->rate[which[i]];
    for (bl_index j = 0; j < *n; j++) {
        double other = m[j] > 0 ? m[j] - 1 : m[j] + 1;
        sys->kind->blend(sys, state, which[j], other);
        bl_status status = rates(sim, state);
        sys->kind->blend(sys, state, which[j], m[j]);
        BL_TRY(status);
        for (bl_index i = 0; i < *n; i++)
            A[i][j] = (side(i == j ? other : m[i]) * sim->rate[which[i]] - base[i]) / (other - m[j]);
    }
    for (bl_index k = 0; k < *n; k++) { /* Gauss with row pivots */
        bl_index best = k;
        for (bl_index i = k + 1; i < *n; i++)
            best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        if (A[best][k] == 0)
            return BL_OK;
        for (bl_index j = 0; j <= *n; j++) {
            double kept = A[k][j];
            A[k][j] = A[best][j];
            A[best][j] = kept;
        }
        for (bl_index i = 0; i < *n; i++)
            for (bl_index j = *n; i != k && j >= k; j--)
                A[i][j] -= A[k][j] * (A[i][k] / A[k][k]);
    }
    for (bl_index i = 0; i < *n; i++)
        m[i] += A[i][*n] / A[i][i];
    return BL_OK;
}

/* share of the change from `now` to `end` at which `to` is reached; at least 1e-3 */
static double part_of(double now, double end, double to) { return fmax((to - now) / (end - now), 1e-3); }

double bl_sliding_longest(const bl_simulation *sim) { return sim->nsliding ? (1 + study_slide_grows) * sim->slide_h : INFINITY; }

bl_status bl_sliding_check(bl_simulation *sim, double *t) {
    bl_index which[MOST_SLIDING], n;
    double m[MOST_SLIDING], from = sim->integ->t_old, h = *sim->state.t - from, part = INFINITY;
    *t = INFINITY;
    if (sim->nsliding == 0)
        return BL_OK;
    BL_TRY(solve(sim, &sim->state, 0, which, m, &n));
    for (bl_index i = 0; i < n; i++) {
        double used = sim->share_mid[which[i]], now = sim->share_now[which[i]], off = m[i] - used;
        if (fabs(off) > study_slide_least_off ||
            fabs(sim->share[which[i]] - used) > study_slide_least_off) /* the correction acts for one step */
            part = fmin(part, 1);
        if (fabs(off) > study_slide_most_off)
            part = fmin(part, part_of(now, m[i], used + (off > 0 ? study_slide_most_off : -study_slide_most_off)));
        if (fabs(m[i]) > 1 + study_slide_tie && m[i] != now) /* time when it leaves the border */
            part = fmin(part, part_of(now, m[i], m[i] > 0 ? 1 : -1));
    }
    if (part == INFINITY)
        sim->slide_h = fmax(sim->slide_h, h);
    if (part < INFINITY)
        *t = part >= 1 ? *sim->state.t : from + part * h;
    return BL_OK;
}

/* the value to hold from now on: the mean over the next step, extrapolated from the change so far */
static double middle(bl_simulation *sim, bl_index event, double m) {
    double t = *sim->state.t, slope = (m - sim->share_now[event]) / (t - sim->share_t[event]);
    double reach = fmin(sim->integ->h_next > 0 ? sim->integ->h_next : last_step(sim), study_slide_most_off / fabs(slope));
    sim->share_now[event] = m;
    sim->share_t[event] = t;
    return isfinite(slope) && slope != 0 ? fmax(fmin(m + 0.5 * slope * reach, 1), -1) : m;
}

bl_status bl_sliding_adjust(bl_simulation *sim) {
    const bl_system *sys = sim->sys;
    bl_index which[MOST_SLIDING], n;
    double m[MOST_SLIDING];
    BL_TRY(solve(sim, &sim->state, 0, which, m, &n));
    double now[MOST_SLIDING];
    memcpy(now, m, sizeof now);
    double since = last_step(sim); /* the last correction */
    for (bl_index i = 0; i < n; i++)
        if (*sim->state.t > sim->share_t[which[i]])
            since = fmin(since, *sim->state.t - sim->share_t[which[i]]);
    sim->slide_h = since;
    BL_TRY(solve(sim, &sim->state, 1 / (study_slide_pull * since), which, m, &n));
    for (bl_index i = 0; i < n; i++) {
        double pull = fmax(fmin(m[i] - now[i], study_slide_most_pull), -study_slide_most_pull), held;
        if (!(fabs(now[i]) < 1 + study_slide_tie)) {
            held = now[i] > 0 ? 1 : -1;
            sim->share[which[i]] = BL_SLIDES_NOT;
            sim->nsliding--;
        } else {
            sim->share_mid[which[i]] = middle(sim, which[i], fmax(fmin(now[i], 1), -1));
            held = sim->share[which[i]] = fmax(fmin(sim->share_mid[which[i]] + pull, 1), -1);
        }
        sys->kind->blend(sys, &sim->state, which[i], held);
    }
    return BL_OK;
}

bl_status bl_sliding_resume(bl_simulation *sim) {
    for (bl_index i = 0; sim->nsliding > 0 && i < sim->sys->nevent; i++)
        if (bl_slides(sim, i)) {
            sim->sys->kind->blend(sim->sys, &sim->state, i, sim->share[i]);
            sim->share_t[i] = NAN; /* its change so far means nothing any more */
        }
    return sim->nsliding > 0 ? bl_sliding_adjust(sim) : BL_OK;
}
