/* Which method is active, decided by counted work (stiffness.h). */
#include "study/stiffness.h"

#include "study/singular.h"
#include "study/study_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Work in evaluations of a rate, from counted instructions on 12 problems (docs/theory/stiffness.md): a residual of the equations of motion
 * includes its share of tangents, factorizations and solutions; for a residual of a rate those are counted as evaluations; a solution for
 * one order of a power series is an eighth. */
static const double RESIDUAL = 5, RATE_RESIDUAL = 1.3, ORDER_SOLUTION = 0.125;

enum { WINDOW = 8 };                        /* steps over which work per time is averaged */
enum { SIGNS = 15, CALM = 6 };              /* stiff steps before a change; non-stiff steps before these are forgotten (Hairer) */
enum { EARLY = 6, RARELY = 64, OFTEN = 8 }; /* steps between estimates that cost evaluations */
enum { TRIAL_ONE_STEP = 16, TRIAL_MULTISTEP = 48, TRIAL_EXPLICIT = 64 }; /* steps before a change is judged */
static const double MULTISTEP_TOLERANCE = 0.1; /* factor: their step errors add up to ten and more tolerances, those of others hardly */
static const double OFFSET = 1e-7;             /* relative offset of y for a difference of rates */

typedef struct progress {
    double t, work;
} progress;

typedef struct bl_stiffness {
    const char *formulation, *integrator; /* of the implicit pair */
    const char *linsol, *ordering;
    bl_formulation *form; /* the inactive pair; NULL: not created yet */
    bl_integrator *integ;
    bool implicit;      /* the implicit pair is active */
    bool due, disabled; /* a change is due; no more changes */
    long changes;
    double first_change; /* time */
    bool foreseen;       /* the first change was decided at the start */
    /* work */
    long evaluations, solves; /* counted up to the last step */
    progress now, mark[2];    /* current; at the last two marks */
    long steps;               /* since the last change */
    double per_step;          /* work of an explicit step */
    bool judged;              /* the implicit method was compared after its first steps */
    /* signs */
    int signs, calm;
    long wait, until_estimate;
    double pause;    /* no search for signs until this work is done */
    double reached;  /* h |lambda| of explicit steps when stability limited them */
    double expected; /* work per time of explicit steps at the last change */
    double h_before; /* implicit step at the last estimate */
    double pays;     /* study_stiff_pays, less after a return that did not pay off */
    /* a failure */
    bl_error failure;
    double failed;   /* time at which both were tried; NaN: none */
    bool oscillates; /* the mode last found is an oscillation */
    double *block, *w, *Jw, *rate, *y, *from;
    bl_index room;
} bl_stiffness;

static bl_status foresee(bl_simulation *sim);

/* Gravity alone causes no modes faster than the motion itself: those come from springs, dampers and first-order states (motors). */
static bool has_forces(const bl_system *sys) { return sys->nbody <= 1 || sys->size.forces > 0 || sys->nz > 0; }

bl_status bl_stiffness_create(bl_simulation *sim, const bl_simulation_setup *setup) {
    if (!setup->stiff_integrator || !sim->integ->kind->fast)
        return BL_OK;
    bl_stiffness *own;
    BL_TRY(BL_NEW(sim->ctx, own, 1));
    sim->stiffness = own;
    own->formulation = setup->stiff_formulation;
    own->integrator = setup->stiff_integrator;
    own->linsol = setup->linsol;
    own->ordering = setup->ordering;
    own->wait = own->until_estimate = has_forces(sim->sys) ? EARLY : RARELY;
    own->pays = study_stiff_pays;
    own->failed = NAN;
    own->now.t = own->mark[0].t = own->mark[1].t = *sim->state.t;
    own->room = sim->form->ny;
    BL_TRY(BL_NEW(sim->ctx, own->block, 5 * (size_t)own->room));
    own->w = own->block;
    own->Jw = own->w + own->room;
    own->rate = own->Jw + own->room;
    own->y = own->rate + own->room;
    own->from = own->y + own->room;
    own->per_step = sim->integ->kind->stages;
    if (has_forces(sim->sys))
        BL_TRY(foresee(sim));
    own->evaluations = sim->form->stats.evaluations;
    own->solves = sim->form->stats.solves;
    return BL_OK;
}

static void discard(bl_simulation *sim) {
    bl_stiffness *own = sim->stiffness;
    bl_integrator_destroy(own->integ);
    bl_formulation_destroy(own->form);
    own->integ = NULL;
    own->form = NULL;
}

void bl_stiffness_destroy(bl_simulation *sim) {
    bl_stiffness *own = sim->stiffness;
    if (!own)
        return;
    discard(sim);
    bl_free(sim->ctx, own->block);
    bl_free(sim->ctx, own);
    sim->stiffness = NULL;
}

static bool is_multistep(const bl_integrator_kind *kind) { return kind != &bl_integrator_radau; }

/* ---- work */

static void count(bl_simulation *sim) {
    bl_stiffness *own = sim->stiffness;
    const bl_formulation_stats *stats = &sim->form->stats;
    double evaluations = (double)(stats->evaluations - own->evaluations), solves = (double)(stats->solves - own->solves), work;
    if (own->implicit)
        work = (sim->form->stage_of == BL_STAGE_MOTION ? RESIDUAL : RATE_RESIDUAL) * evaluations;
    else
        work = evaluations + (sim->integ->kind->kind.needs & BL_CAN_COEFFICIENT ? ORDER_SOLUTION * solves : 0);
    own->evaluations = stats->evaluations;
    own->solves = stats->solves;
    own->now.work += work;
    own->now.t = *sim->state.t;
    if (!own->implicit)
        own->per_step = own->per_step > 0 ? 0.9 * own->per_step + 0.1 * work : work;
    if (++own->steps % WINDOW == 0) {
        own->mark[0] = own->mark[1];
        own->mark[1] = own->now;
    }
}

/* work per time over the last one or two windows */
static double per_time(const bl_stiffness *own) {
    double span = own->now.t - own->mark[0].t;
    return span > 0 ? (own->now.work - own->mark[0].work) / span : INFINITY;
}

/* ---- the fastest mode */

static double norm(const bl_formulation *form, const double *y, const double *x) {
    double most = 0;
    for (bl_index i = 0; i < form->ny; i++)
        if (form->weight[i] > 0)
            most = fmax(most, fabs(x[i]) / fmax(fabs(y[i]), form->weight[i]));
    return most;
}

/* Jw[ny]: Jacobian of the rate at (t, y) times w, with own->rate known there. *growth = |Jw| / |w|; 0: w is no direction */
static bl_status jacobian_times(bl_stiffness *own, bl_formulation *form, double t, const double *y, const double *w, double *Jw,
                                double *growth) {
    double size = norm(form, y, w);
    *growth = 0;
    if (!(size > 0) || !isfinite(size))
        return BL_OK;
    double step = OFFSET / size;
    for (bl_index i = 0; i < form->ny; i++)
        own->y[i] = y[i] + step * w[i];
    BL_TRY(form->kind->rate(form, t, own->y, Jw));
    for (bl_index i = 0; i < form->ny; i++)
        Jw[i] = (Jw[i] - own->rate[i]) / step;
    *growth = norm(form, y, Jw) / size;
    return BL_OK;
}

/* |lambda| by power iteration from w with `pairs` of products: two at a time, since an oscillation alternates between positions and
 * velocities */
static bl_status radius(bl_stiffness *own, bl_formulation *form, double t, const double *y, int pairs, double *lambda) {
    double first, second;
    *lambda = 0;
    BL_TRY(form->kind->rate(form, t, y, own->rate));
    for (int k = 0; k < pairs; k++) {
        memcpy(own->from, own->w, (size_t)form->ny * sizeof *own->w);
        BL_TRY(jacobian_times(own, form, t, y, own->w, own->Jw, &first));
        if (first == 0)
            return BL_OK;
        BL_TRY(jacobian_times(own, form, t, y, own->Jw, own->w, &second));
        *lambda = sqrt(first * second);
    }
    double sign = 0; /* that of lambda^2: positive for decay or growth, negative for an oscillation */
    for (bl_index i = 0; i < form->ny; i++) {
        double size = fmax(fabs(y[i]), form->weight[i]);
        sign += form->weight[i] > 0 ? own->from[i] / size * own->w[i] / size : 0;
    }
    own->oscillates = sign < 0;
    return isfinite(*lambda) ? BL_OK : BL_NOT_FINITE;
}

/* estimates |lambda| at the state by the viewer, so that later steps are not influenced */
static bl_status estimate_by_viewer(bl_simulation *sim, bl_stiffness *own, int pairs, double *lambda) {
    bl_formulation *viewer;
    BL_TRY(bl_formulation_sampler(sim->form, &sim->state, &viewer));
    viewer->history = sim->form->history;
    return radius(own, viewer, sim->integ->t, sim->integ->y, pairs, lambda);
}

/* a state where the rate cannot be evaluated gives no information */
static bl_status ignore_failure(bl_simulation *sim, bl_status status) {
    if (status > 0 || status == BL_E_NUMERIC) {
        bl_context_clear_error(sim->ctx);
        return BL_OK;
    }
    return status;
}

/* At the start: if the fastest mode would require very many explicit steps, the implicit method is tried first, at a small part of their
 * work. Later its steps would be limited for a while by lightly damped modes that the explicit steps excited. */
static bl_status foresee(bl_simulation *sim) {
    bl_stiffness *own = sim->stiffness;
    const bl_formulation *form = sim->form;
    double lambda, span = sim->integ->control.t_end - *sim->state.t;
    for (bl_index i = 0; i < form->ny; i++) /* irregular signs, to excite all modes */
        own->w[i] = form->weight[i] * (i * 7919 % 13 < 6 ? -1 : 1);
    /* the part of w that violates the constraints decays within three pairs */
    BL_TRY(ignore_failure(sim, estimate_by_viewer(sim, own, sim->sys->np > 0 ? 3 : 1, &lambda)));
    own->reached = sim->integ->kind->held[own->oscillates ? 0 : 1];
    own->expected = own->per_step * lambda / own->reached;
    own->due = own->foreseen = lambda * span > study_stiff_many_steps * own->reached;
    if (own->due)
        bl_log(sim->ctx, BL_LOG_INFO, "the fastest mode has a rate of %.3g /s: explicit methods would need about %.0f steps", lambda,
               lambda * span / own->reached);
    return BL_OK;
}

/* ---- explicit steps */

static void schedule_estimate(bl_stiffness *own, double ratio) {
    own->wait = ratio > 0.5 ? (own->wait < OFTEN ? own->wait : OFTEN) : own->wait < RARELY ? 2 * own->wait : RARELY;
    own->until_estimate = own->wait;
}

/* checks for signs that stability of a mode, not accuracy, limits the step */
static bl_status watch_explicit(bl_simulation *sim) {
    bl_stiffness *own = sim->stiffness;
    bl_integrator *integ = sim->integ;
    double h = integ->t - integ->t_old, lambda = 0, ratio, limit[2];
    if (own->now.work < own->pause && own->per_step / h < study_stiff_harder * own->expected)
        return BL_OK;
    bool free = !(integ->kind->kind.needs & BL_CAN_COEFFICIENT); /* the method provides a product with the Jacobian */
    if (--own->until_estimate > 0 && !(free && own->signs > 0))
        return BL_OK;
    bool known = false;
    if (!integ->kind->fast(integ, own->w, own->Jw, &known, limit))
        return BL_OK;
    if (known) {
        double size = norm(sim->form, integ->y, own->w);
        ratio = size > 0 ? h * norm(sim->form, integ->y, own->Jw) / (size * limit[0]) : 0;
    } else {
        BL_TRY(ignore_failure(sim, estimate_by_viewer(sim, own, 1, &lambda)));
        ratio = h * lambda / limit[own->oscillates ? 0 : 1];
    }
    if (!(ratio >= 1)) {
        if (++own->calm >= (known ? CALM : 1)) {
            own->signs = own->calm = 0;
            if (known)
                own->until_estimate = own->wait = EARLY;
            else
                schedule_estimate(own, ratio);
        }
        return BL_OK;
    }
    own->calm = 0;
    own->until_estimate = 1;
    own->signs += known ? 1 : SIGNS / 3;
    if (own->signs < SIGNS)
        return BL_OK;
    if (known) { /* a single product may overestimate the rate of an oscillation */
        BL_TRY(ignore_failure(sim, estimate_by_viewer(sim, own, 2, &lambda)));
        ratio = h * lambda / limit[own->oscillates ? 0 : 1];
    }
    own->signs = 0;
    /* every method may have to resolve an oscillation: the trial shall be a small part of the work */
    own->due = ratio >= 1 && (!own->oscillates || own->now.work > study_stiff_trial_work);
    own->reached = h * lambda;
    own->expected = own->per_step / h;
    if (own->due && own->changes > 0 && own->steps < TRIAL_EXPLICIT) /* the explicit method returned too soon */
        own->pays = fmax(0.5 * own->pays, study_stiff_least_pays);
    if (own->due)
        bl_log(sim->ctx, BL_LOG_INFO,
               "t = %.6g s: stability of a mode with rate %.3g /s, which is not part of the motion, limits steps to %.3g s", integ->t,
               lambda, h);
    return BL_OK;
}

/* ---- implicit steps */

/* estimates |lambda| by the explicit formulation at the state, in its own y; the work is not counted */
static bl_status radius_elsewhere(bl_simulation *sim, double *lambda) {
    bl_stiffness *own = sim->stiffness;
    bl_formulation *form = own->form;
    *lambda = 0;
    if (form->ny != own->room)
        return BL_OK;
    bl_formulation_forget(form);
    bl_status status = form->kind->review ? form->kind->review(form, &sim->state) : BL_OK;
    if (status != BL_OK && status != BL_RESTART)
        return status;
    if (form->ny != own->room)
        return BL_OK;
    double *y = own->integ->y; /* free to use: the method restarts when it returns */
    BL_TRY(form->kind->to_y(form, &sim->state, y));
    return radius(own, form, *sim->state.t, y, 2, lambda);
}

/* Cost per time of explicit steps here, at the smaller of their stability limit and the step that accuracy allows the implicit method; 0:
 * unknown. */
static bl_status explicit_work(bl_simulation *sim, double *work, double *lambda) {
    bl_stiffness *own = sim->stiffness;
    double h = sim->integ->t - sim->integ->t_old;
    *work = 0;
    BL_TRY(ignore_failure(sim, radius_elsewhere(sim, lambda)));
    if (*lambda > 0)
        *work = own->per_step / fmin(h, own->reached / *lambda);
    return BL_OK;
}

/* after the first steps of the implicit method, which starts with short steps and low order: does it pay off? */
static bl_status judge(bl_simulation *sim) {
    bl_stiffness *own = sim->stiffness;
    long least = is_multistep(sim->integ->kind) ? TRIAL_MULTISTEP : TRIAL_ONE_STEP;
    double h = sim->integ->t - sim->integ->t_old, work, instead, lambda;
    if (own->steps < least || (own->steps < 3 * least && own->steps % WINDOW != 0))
        return BL_OK;
    bool growing = h > 1.5 * own->h_before;
    own->h_before = h;
    if (growing && own->steps < 3 * least)
        return BL_OK;
    BL_TRY(explicit_work(sim, &instead, &lambda));
    work = per_time(own);
    own->judged = true;
    if (instead == 0 || work <= instead)
        return BL_OK;
    own->due = true;
    /* As stiff as before, and steps as short as the mode requires: the mode has to be resolved. Otherwise the stiff phase is over, or the
     * motion is faster than the mode for a while, as in the jump of a relaxation oscillation. */
    if (instead > 0.5 * own->expected && h * lambda > study_stiff_followed * own->reached)
        own->pause = study_stiff_patience * own->now.work;
    bl_log(sim->ctx, BL_LOG_INFO, "t = %.6g s: %s costs %.3g times as much as %s", *sim->state.t, sim->integ->kind->kind.name,
           work / instead, own->integ->kind->kind.name);
    return BL_OK;
}

static bl_status watch_implicit(bl_simulation *sim) {
    bl_stiffness *own = sim->stiffness;
    double h = sim->integ->t - sim->integ->t_old, instead, lambda;
    bool fell = h < study_stiff_slower * own->h_before;
    if (--own->until_estimate > 0 && !fell)
        return BL_OK;
    own->h_before = h;
    own->wait = fell ? OFTEN : own->wait < RARELY ? 2 * own->wait : RARELY;
    own->until_estimate = own->wait;
    BL_TRY(explicit_work(sim, &instead, &lambda));
    if (instead == 0 || instead >= own->pays * per_time(own)) {
        own->signs = 0;
        return BL_OK;
    }
    own->until_estimate = 1;
    own->due = ++own->signs >= 3;
    if (own->due)
        bl_log(sim->ctx, BL_LOG_INFO, "t = %.6g s: explicit steps of %.3g s would be stable", *sim->state.t, own->per_step / instead);
    return BL_OK;
}

bl_status bl_stiffness_note(bl_simulation *sim) {
    bl_stiffness *own = sim->stiffness;
    if (!own || own->disabled || sim->singular.handed_over || own->due)
        return BL_OK;
    count(sim);
    bl_status status = !own->implicit ? watch_explicit(sim) : own->judged ? watch_implicit(sim) : judge(sim);
    own->evaluations = sim->form->stats.evaluations; /* estimates do not count as steps */
    own->solves = sim->form->stats.solves;
    return status;
}

/* ---- changes */

static bl_status make(bl_simulation *sim) {
    bl_stiffness *own = sim->stiffness;
    bl_step_control control = sim->integ->control;
    control.step = 0;
    if (is_multistep(bl_integrator_kind_of(own->integrator)))
        control.tolerance *= MULTISTEP_TOLERANCE;
    BL_TRY(bl_formulation_create(sim->sys, own->formulation, own->linsol, own->ordering, &own->form));
    BL_TRY(bl_formulation_setup(own->form, &sim->state));
    if (sim->singular_policy == BL_PASS && sim->sys->np > 0 && (own->form->kind->kind.gives & BL_CAN_RATE))
        BL_TRY(bl_near_singular_begin(own->form, fabs(sim->projection_tolerance)));
    return bl_integrator_create(sim->ctx, own->integrator, own->form, &control, &own->integ);
}

static void exchange(bl_simulation *sim) {
    bl_stiffness *own = sim->stiffness;
    double h = sim->integ->t - sim->integ->t_old;
    bl_simulation_exchange(sim, &own->form, &own->integ);
    own->implicit = !own->implicit;
    sim->integ->h_next = h > 0 ? h : 0;
    own->due = own->judged = false;
    own->steps = 0;
    own->mark[0] = own->mark[1] = own->now;
    own->signs = own->calm = 0;
    own->wait = own->until_estimate = own->implicit ? OFTEN : EARLY;
    own->h_before = 0;
    bl_singular_forget(sim);
}

/* changes to the other pair at the state. BL_REJECTED: it cannot be created */
static bl_status change(bl_simulation *sim) {
    bl_stiffness *own = sim->stiffness;
    bl_status status;
    if (!own->form) {
        status = make(sim);
        if (status != BL_OK)
            discard(sim);
    } else {
        bl_formulation_forget(own->form); /* laws may have taken other branches since */
        status = bl_formulation_setup(own->form, &sim->state);
    }
    own->disabled = status != BL_OK && !own->form;
    if (status != BL_OK)
        return status == BL_E_MEMORY ? status : BL_REJECTED;
    const char *from = sim->integ->kind->kind.name;
    exchange(sim);
    if (own->changes++ == 0)
        own->first_change = *sim->state.t;
    bl_log(sim->ctx, BL_LOG_INFO, "t = %.6g s: %s takes over from %s (formulation %s)", *sim->state.t, sim->integ->kind->kind.name, from,
           sim->form->kind->kind.name);
    return BL_OK;
}

bl_status bl_stiffness_change(bl_simulation *sim, bool *done) {
    bl_stiffness *own = sim->stiffness;
    *done = false;
    if (!own || !own->due || sim->singular.handed_over)
        return BL_OK;
    own->due = false;
    bl_status status = change(sim);
    *done = status == BL_OK;
    if (status == BL_REJECTED) {
        bl_context_clear_error(sim->ctx);
        own->pause = study_stiff_patience * own->now.work;
        return BL_OK;
    }
    return status;
}

static void restore_error(bl_simulation *sim, const bl_error *kept) {
    bl_fail(sim->ctx, kept->status, NULL, "%s", kept->what);
    bl_advise(sim->ctx, "%s", kept->advice);
    bl_blame(sim->ctx, kept->part, kept->equation, kept->time);
}

bl_status bl_stiffness_rescue(bl_simulation *sim, bool *done) {
    bl_stiffness *own = sim->stiffness;
    double t = *sim->state.t;
    *done = false;
    if (!own || own->disabled || sim->singular.handed_over || sim->singular.reported || own->failed == t)
        return BL_OK;
    own->failure = *bl_context_error(sim->ctx);
    /* where the formulation itself fails, as in a singular configuration, another method does not help */
    bl_status explained = sim->form->kind->explain ? sim->form->kind->explain(sim->form) : BL_OK;
    if (explained != BL_OK)
        return explained == BL_E_MEMORY ? explained : BL_OK;
    own->failed = t;
    bl_status status = change(sim);
    *done = status == BL_OK;
    if (*done) {
        if (!own->implicit)
            own->pause = study_stiff_patience * own->now.work;
        sim->integ->h_next = 0;
        bl_context_clear_error(sim->ctx);
    } else if (status == BL_REJECTED) {
        restore_error(sim, &own->failure);
        status = BL_OK;
    }
    return status;
}

void bl_stiffness_failed(bl_simulation *sim) {
    bl_stiffness *own = sim->stiffness;
    if (own && own->failed == *sim->state.t)
        restore_error(sim, &own->failure);
}

long bl_stiffness_describe(const bl_simulation *sim, char *text, size_t size) {
    const bl_stiffness *own = sim->stiffness;
    const char *now = sim->integ->kind->kind.name;
    if (!own || own->changes == 0) {
        snprintf(text, size, "%s", now);
        return 0;
    }
    const char *other = own->integ->kind->kind.name, *first = own->implicit ? other : now, *second = own->implicit ? now : other;
    char until[48] = "";
    if (!own->foreseen)
        snprintf(until, sizeof until, "%s until %.6g s, then ", first, own->first_change);
    if (own->changes == 1)
        snprintf(text, size, "%s%s", until, second);
    else
        snprintf(text, size, "%s%s alternating with %s (%ld changes)", until, second, first, own->changes);
    return own->changes;
}
