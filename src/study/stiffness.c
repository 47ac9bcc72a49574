/* Who acts, by counted work. See stiffness.h. */
#include "study/stiffness.h"

#include "study/singular.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Work in evaluations of a rate, from counted instructions on 12 problems (docs/theory/stiffness.md): a residual of the equations of motion
 * comes with its share of tangents, factors and solutions; one of a rate has those counted as evaluations; a solution for one order of a
 * power series is an eighth. */
static const double RESIDUAL = 5, RATE_RESIDUAL = 1.3, ORDER_SOLUTION = 0.125;

enum { WINDOW = 8 };                        /* steps over which work per time is taken */
enum { SIGNS = 15, CALM = 6 };              /* steps that say stiff before it is believed; that say no before they are forgotten (Hairer) */
enum { EARLY = 6, RARELY = 64, OFTEN = 8 }; /* steps between looks that cost evaluations */
enum { TRIAL_ONE_STEP = 16, TRIAL_MULTISTEP = 48, TRIAL_EXPLICIT = 64 }; /* steps before a change is judged */
static const double PATIENCE = 2;    /* after a change that did not pay: until the work of the run is this many times as much */
static const double HARDER = 4;      /* ... or the motion this many times as stiff */
static const double FOLLOWED = 0.25; /* of h |lambda| at the limit of stability: an implicit step this short follows the mode */
static const double PAYS = 0.5;      /* share of the work at which explicit steps are expected to pay */
static const double LEAST_PAYS = 1.0 / 64;
static const double MANY_STEPS = 1500;         /* explicit ones, beside which a trial of the implicit method is nothing */
static const double TRIAL_WORK = 4000;         /* of the run, before a trial that may fail */
static const double MULTISTEP_TOLERANCE = 0.1; /* theirs: errors of a step add up to ten and more tolerances, those of others hardly */
static const double SLOWER = 0.25;             /* of the step: looks again */
static const double OFFSET = 1e-7;             /* of a place for a difference of rates, relative */

typedef struct look {
    double t, work;
} look;

typedef struct bl_stiffness {
    const char *formulation, *integrator; /* of the implicit pair */
    const char *linsol, *ordering;
    bl_formulation *form; /* the pair that does not act; NULL: not made yet */
    bl_integrator *integ;
    bool implicit; /* acts */
    bool due, off; /* a change; for good */
    long changes;
    double first_change; /* time */
    bool foreseen;       /* at the start */
    /* work */
    long evaluations, solves; /* counted up to the last step */
    look now, mark[2];        /* at present; at the last two marks */
    long steps;               /* since the last change */
    double per_step;          /* work of an explicit step */
    bool judged;              /* the implicit method was looked at after its first steps */
    /* signs */
    int signs, calm;
    long wait, until_look;
    double deaf;     /* signs are not looked for until this work is done */
    double reached;  /* h |lambda| of explicit steps when they were held */
    double expected; /* work per time of explicit steps at the last change */
    double h_look;   /* step at the last look while implicit */
    double pays;     /* PAYS, less after a return that did not pay */
    /* a failure */
    bl_error failure;
    double failed; /* time at which both were tried; NaN: none */
    bool turns;    /* the mode last found is an oscillation */
    double *block, *w, *Jw, *rate, *y, *from;
    bl_index room;
} bl_stiffness;

static bl_status foresee(bl_simulation *sim);

/* Weight alone moves a mechanism at the rates of the motion itself: fast modes that are not part of it come from springs and dampers. */
static bool has_forces(const bl_system *sys) { return sys->nbody <= 1 || sys->size.forces > 0; }

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
    own->wait = own->until_look = has_forces(sim->sys) ? EARLY : RARELY;
    own->pays = PAYS;
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

/* over the last one or two windows */
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

/* Jw[ny] of the rate at (t, y), `rate` there known, along w; BL_OK and 0: no direction */
static bl_status along(bl_stiffness *own, bl_formulation *form, double t, const double *y, const double *w, double *Jw, double *growth) {
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

/* |lambda| from the direction w by `pairs` of products: two at a time, since positions and velocities of an oscillation take turns */
static bl_status radius(bl_stiffness *own, bl_formulation *form, double t, const double *y, int pairs, double *lambda) {
    double first, second;
    *lambda = 0;
    BL_TRY(form->kind->rate(form, t, y, own->rate));
    for (int k = 0; k < pairs; k++) {
        memcpy(own->from, own->w, (size_t)form->ny * sizeof *own->w);
        BL_TRY(along(own, form, t, y, own->w, own->Jw, &first));
        if (first == 0)
            return BL_OK;
        BL_TRY(along(own, form, t, y, own->Jw, own->w, &second));
        *lambda = sqrt(first * second);
    }
    double turn = 0; /* lambda^2 > 0: decays */
    for (bl_index i = 0; i < form->ny; i++) {
        double size = fmax(fabs(y[i]), form->weight[i]);
        turn += form->weight[i] > 0 ? own->from[i] / size * own->w[i] / size : 0;
    }
    own->turns = turn < 0;
    return isfinite(*lambda) ? BL_OK : BL_NOT_FINITE;
}

/* at the state, by the viewer: looks leave no trace in the steps */
static bl_status look_by_viewer(bl_simulation *sim, bl_stiffness *own, int pairs, double *lambda) {
    bl_formulation *viewer;
    BL_TRY(bl_formulation_sampler(sim->form, &sim->state, &viewer));
    viewer->history = sim->form->history;
    return radius(own, viewer, sim->integ->t, sim->integ->y, pairs, lambda);
}

/* places that cannot be evaluated say nothing */
static bl_status forgive(bl_simulation *sim, bl_status status) {
    if (status > 0 || status == BL_E_NUMERIC) {
        bl_context_clear_error(sim->ctx);
        return BL_OK;
    }
    return status;
}

/* At the start: where the fastest mode asks for very many explicit steps, the implicit method is tried first, at a small part of their
 * work. Later its steps would be held for a while by what the explicit ones leave of hardly damped modes. */
static bl_status foresee(bl_simulation *sim) {
    bl_stiffness *own = sim->stiffness;
    const bl_formulation *form = sim->form;
    double lambda, span = sim->integ->control.t_end - *sim->state.t;
    for (bl_index i = 0; i < form->ny; i++) /* no mode is left out */
        own->w[i] = form->weight[i] * (i * 7919 % 13 < 6 ? -1 : 1);
    /* a direction off the constraints, where no motion goes, fades within three pairs */
    BL_TRY(forgive(sim, look_by_viewer(sim, own, sim->sys->np > 0 ? 3 : 1, &lambda)));
    own->reached = sim->integ->kind->held[own->turns ? 0 : 1];
    own->expected = own->per_step * lambda / own->reached;
    own->due = own->foreseen = lambda * span > MANY_STEPS * own->reached;
    if (own->due)
        bl_log(sim->ctx, BL_LOG_INFO, "the fastest mode has a rate of %.3g /s: explicit methods would take some %.0f steps", lambda,
               lambda * span / own->reached);
    return BL_OK;
}

/* ---- explicit steps */

static void look_again(bl_stiffness *own, double ratio) {
    own->wait = ratio > 0.5 ? (own->wait < OFTEN ? own->wait : OFTEN) : own->wait < RARELY ? 2 * own->wait : RARELY;
    own->until_look = own->wait;
}

/* one that says the step is held by a mode that is not seen */
static bl_status watch_explicit(bl_simulation *sim) {
    bl_stiffness *own = sim->stiffness;
    bl_integrator *integ = sim->integ;
    double h = integ->t - integ->t_old, lambda = 0, ratio, limit[2];
    if (own->now.work < own->deaf && own->per_step / h < HARDER * own->expected)
        return BL_OK;
    bool free = !(integ->kind->kind.needs & BL_CAN_COEFFICIENT); /* the method knows a product */
    if (--own->until_look > 0 && !(free && own->signs > 0))
        return BL_OK;
    bool known = false;
    if (!integ->kind->fast(integ, own->w, own->Jw, &known, limit))
        return BL_OK;
    if (known) {
        double size = norm(sim->form, integ->y, own->w);
        ratio = size > 0 ? h * norm(sim->form, integ->y, own->Jw) / (size * limit[0]) : 0;
    } else {
        BL_TRY(forgive(sim, look_by_viewer(sim, own, 1, &lambda)));
        ratio = h * lambda / limit[own->turns ? 0 : 1];
    }
    if (!(ratio >= 1)) {
        if (++own->calm >= (known ? CALM : 1)) {
            own->signs = own->calm = 0;
            if (known)
                own->until_look = own->wait = EARLY;
            else
                look_again(own, ratio);
        }
        return BL_OK;
    }
    own->calm = 0;
    own->until_look = 1;
    own->signs += known ? 1 : SIGNS / 3;
    if (own->signs < SIGNS)
        return BL_OK;
    if (known) { /* one product may mistake the turns of an oscillation for speed */
        BL_TRY(forgive(sim, look_by_viewer(sim, own, 2, &lambda)));
        ratio = h * lambda / limit[own->turns ? 0 : 1];
    }
    own->signs = 0;
    /* an oscillation may have to be followed whatever the method: the trial is to be a small part of the work */
    own->due = ratio >= 1 && (!own->turns || own->now.work > TRIAL_WORK);
    own->reached = h * lambda;
    own->expected = own->per_step / h;
    if (own->due && own->changes > 0 && own->steps < TRIAL_EXPLICIT) /* came back too soon */
        own->pays = fmax(0.5 * own->pays, LEAST_PAYS);
    if (own->due)
        bl_log(sim->ctx, BL_LOG_INFO, "t = %.6g: steps of %.3g s are held by a mode of rate %.3g /s that is not part of the motion",
               integ->t, h, lambda);
    return BL_OK;
}

/* ---- implicit steps */

/* the explicit formulation at the state, in y of its own; what it says is not counted */
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
    double *y = own->integ->y; /* of a method that starts anew when it comes back */
    BL_TRY(form->kind->to_y(form, &sim->state, y));
    return radius(own, form, *sim->state.t, y, 2, lambda);
}

/* What explicit steps would cost per time here, at their limit of stability, or the steps that accuracy allows the implicit method; 0: not
 * known. */
static bl_status explicit_work(bl_simulation *sim, double *work, double *lambda) {
    bl_stiffness *own = sim->stiffness;
    double h = sim->integ->t - sim->integ->t_old;
    *work = 0;
    BL_TRY(forgive(sim, radius_elsewhere(sim, lambda)));
    if (*lambda > 0)
        *work = own->per_step / fmin(h, own->reached / *lambda);
    return BL_OK;
}

/* after the first steps of the implicit method, which begins with short ones and a low order: whether it pays */
static bl_status judge(bl_simulation *sim) {
    bl_stiffness *own = sim->stiffness;
    long least = is_multistep(sim->integ->kind) ? TRIAL_MULTISTEP : TRIAL_ONE_STEP;
    double h = sim->integ->t - sim->integ->t_old, work, instead, lambda;
    if (own->steps < least || (own->steps < 3 * least && own->steps % WINDOW != 0))
        return BL_OK;
    bool growing = h > 1.5 * own->h_look;
    own->h_look = h;
    if (growing && own->steps < 3 * least)
        return BL_OK;
    BL_TRY(explicit_work(sim, &instead, &lambda));
    work = per_time(own);
    own->judged = true;
    if (instead == 0 || work <= instead)
        return BL_OK;
    own->due = true;
    /* as stiff as it was, and steps as short as the mode: it has to be followed. Else that phase of the motion is over, or the motion is
     * faster than the mode for a while, as in the jump of a relaxation oscillation */
    if (instead > 0.5 * own->expected && h * lambda > FOLLOWED * own->reached)
        own->deaf = PATIENCE * own->now.work;
    bl_log(sim->ctx, BL_LOG_INFO, "t = %.6g: %s costs %.3g times as much as %s", *sim->state.t, sim->integ->kind->kind.name, work / instead,
           own->integ->kind->kind.name);
    return BL_OK;
}

static bl_status watch_implicit(bl_simulation *sim) {
    bl_stiffness *own = sim->stiffness;
    double h = sim->integ->t - sim->integ->t_old, instead, lambda;
    bool fell = h < SLOWER * own->h_look;
    if (--own->until_look > 0 && !fell)
        return BL_OK;
    own->h_look = h;
    own->wait = fell ? OFTEN : own->wait < RARELY ? 2 * own->wait : RARELY;
    own->until_look = own->wait;
    BL_TRY(explicit_work(sim, &instead, &lambda));
    if (instead == 0 || instead >= own->pays * per_time(own)) {
        own->signs = 0;
        return BL_OK;
    }
    own->until_look = 1;
    own->due = ++own->signs >= 3;
    if (own->due)
        bl_log(sim->ctx, BL_LOG_INFO, "t = %.6g: explicit steps of %.3g s would be stable", *sim->state.t, own->per_step / instead);
    return BL_OK;
}

/* ---- */

bl_status bl_stiffness_note(bl_simulation *sim) {
    bl_stiffness *own = sim->stiffness;
    if (!own || own->off || sim->singular.handed_over || own->due)
        return BL_OK;
    count(sim);
    bl_status status = !own->implicit ? watch_explicit(sim) : own->judged ? watch_implicit(sim) : judge(sim);
    own->evaluations = sim->form->stats.evaluations; /* looks are not steps */
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
    own->wait = own->until_look = own->implicit ? OFTEN : EARLY;
    own->h_look = 0;
    bl_singular_forget(sim);
}

/* the other pair at the state. BL_REJECTED: it cannot be had */
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
    own->off = status != BL_OK && !own->form;
    if (status != BL_OK)
        return status == BL_E_MEMORY ? status : BL_REJECTED;
    const char *from = sim->integ->kind->kind.name;
    exchange(sim);
    if (own->changes++ == 0)
        own->first_change = *sim->state.t;
    bl_log(sim->ctx, BL_LOG_INFO, "t = %.6g: %s takes over from %s (formulation %s)", *sim->state.t, sim->integ->kind->kind.name, from,
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
        own->deaf = PATIENCE * own->now.work;
        return BL_OK;
    }
    return status;
}

static void tell(bl_simulation *sim, const bl_error *kept) {
    bl_fail(sim->ctx, kept->status, NULL, "%s", kept->what);
    bl_advise(sim->ctx, "%s", kept->advice);
    bl_blame(sim->ctx, kept->part, kept->equation, kept->time);
}

bl_status bl_stiffness_rescue(bl_simulation *sim, bool *done) {
    bl_stiffness *own = sim->stiffness;
    double t = *sim->state.t;
    *done = false;
    if (!own || own->off || sim->singular.handed_over || sim->singular.reported || own->failed == t)
        return BL_OK;
    own->failure = *bl_context_error(sim->ctx);
    /* a place that the formulation refuses, as a singular position, is no matter of the method */
    bl_status told = sim->form->kind->explain ? sim->form->kind->explain(sim->form) : BL_OK;
    if (told != BL_OK)
        return told == BL_E_MEMORY ? told : BL_OK;
    own->failed = t;
    bl_status status = change(sim);
    *done = status == BL_OK;
    if (*done) {
        if (!own->implicit)
            own->deaf = PATIENCE * own->now.work;
        sim->integ->h_next = 0;
        bl_context_clear_error(sim->ctx);
    } else if (status == BL_REJECTED) {
        tell(sim, &own->failure);
        status = BL_OK;
    }
    return status;
}

void bl_stiffness_failed(bl_simulation *sim) {
    bl_stiffness *own = sim->stiffness;
    if (own && own->failed == *sim->state.t)
        tell(sim, &own->failure);
}

long bl_stiffness_words(const bl_simulation *sim, char *words, size_t nwords) {
    const bl_stiffness *own = sim->stiffness;
    const char *now = sim->integ->kind->kind.name;
    if (!own || own->changes == 0) {
        snprintf(words, nwords, "%s", now);
        return 0;
    }
    const char *other = own->integ->kind->kind.name, *first = own->implicit ? other : now, *second = own->implicit ? now : other;
    char until[48] = "";
    if (!own->foreseen)
        snprintf(until, sizeof until, "%s until %.6g s, then ", first, own->first_change);
    if (own->changes == 1)
        snprintf(words, nwords, "%s%s", until, second);
    else
        snprintf(words, nwords, "%s%s and %s in turn (%ld changes)", until, second, first, own->changes);
    return own->changes;
}
