/* Who acts when. The stretch doubles while the formulation fails again without a step of its own in between. */
#include "study/relief.h"

#include "study/defaults.h"

#include <math.h>
#include <string.h>

static const char *const ladder[] = {"partition", "auglag:project=stage,alpha=1e7"};
enum { RUNGS = sizeof ladder / sizeof *ladder };
static const double NEAR = 1e-2;      /* smallest pivot of scaled rows, relative, beside a singular position */
static const double COLLAPSED = 1e-2; /* of the longest step of late */
enum { PATIENCE = 12 };               /* steps; methods that start anew with short ones take fewer */
enum { MOST_CREPT = 200 };    /* collapsed steps of the last on the ladder: at the end of a mechanism's reach it would creep for ever */
static const double BACK = 3; /* of the longest step of late, before and behind the place */
/* Other landings: so many steps before the place. A step from there has it well inside, whatever limits its length by as much. */
static const double LANDING[] = {0.5, 0.75, 0.35, 0.2, 0.1};
enum { LANDINGS = sizeof LANDING / sizeof *LANDING };
static const double EASE = 100, COARSEST = 1e-6; /* tolerances tried where none leads past at that of the run */
static const char ADVICE_BESIDE[] = "start beside it, or let a stop expression end the run before it";
static const double REGULAR = 0.2; /* of the longest step of late: shorter ones were cut by the place */

/* ---- states to go back to */

void bl_relief_forget(bl_simulation *sim) {
    sim->relief.remembered = 0;
    for (int i = 0; i < BL_PAST; i++)
        sim->relief.step[i] = -1;
}

bl_status bl_relief_create(bl_simulation *sim) {
    bl_relief *relief = &sim->relief;
    relief->steps = -1;
    relief->place = relief->reach = relief->landing = NAN;
    bl_relief_forget(sim);
    if (sim->singular != BL_PASS || sim->sys->np == 0)
        return BL_OK;
    BL_TRY(bl_state_create(sim->sys, 0, &relief->refused));
    BL_TRY(bl_state_create(sim->sys, 0, &relief->started));
    for (int i = 0; i < BL_PAST; i++)
        BL_TRY(bl_state_create(sim->sys, 0, &relief->past[i]));
    return BL_OK;
}

static void keep(bl_simulation *sim, double step) {
    bl_relief *relief = &sim->relief;
    long n = relief->remembered++;
    int recent = (int)(n % BL_RECENT), older = BL_RECENT;
    while (older < BL_PAST - 1 && n % (2L << (older - BL_RECENT)) == 0) /* n = odd x 2^k belongs to the k-th: never all at once */
        older++;
    bl_state_copy(sim->sys, &relief->past[recent], &sim->state);
    bl_state_copy(sim->sys, &relief->past[older], &sim->state);
    relief->step[recent] = relief->step[older] = step;
}

static double longest_step(const bl_relief *relief) {
    double longest = 0;
    for (int i = 0; i < BL_PAST; i++)
        longest = fmax(longest, relief->step[i]);
    return longest;
}

/* The state well before the place; *span: how far. No state is old enough just after the start: the present one serves. */
static const bl_state *well_before(const bl_simulation *sim, double *span) {
    const bl_relief *relief = &sim->relief;
    double t = *sim->state.t, longest = longest_step(relief);
    *span = BACK * (longest > 0 ? longest : fmin(sim->integ->h_next, bl_step_largest(sim->integ)));
    const bl_state *found = NULL, *oldest = &sim->state;
    for (int i = 0; i < BL_PAST; i++) {
        if (relief->step[i] < 0)
            continue;
        if (*relief->past[i].t < *oldest->t)
            oldest = &relief->past[i];
        if (*relief->past[i].t <= t - *span && (!found || *relief->past[i].t > *found->t))
            found = &relief->past[i];
    }
    return found ? found : oldest;
}

/* ---- who acts */

/* what is off the constraints is thrown off the branch beside the place, whatever the landing: the ladder's first leads past it */
static bool stays_closed(const bl_formulation *form) {
    return strncmp(ladder[0], form->kind->kind.name, strlen(ladder[0])) == 0 && !form->drifts;
}

static void exchange(bl_simulation *sim) {
    bl_relief *relief = &sim->relief;
    bl_simulation_exchange(sim, &relief->form, &relief->integ);
    relief->acts = !relief->acts;
    sim->restart_due = true;
}

/* whether the constraints are about to lose rank at the state; row: the one that depends most on others, or -1 */
static bl_status near_singular(bl_simulation *sim, bool *near, bl_index *row) {
    bl_formulation *form = sim->form;
    const bl_system *sys = sim->sys;
    bl_index *order = NULL, rank = 0;
    double kept = form->rank_tolerance;
    *near = false;
    BL_TRY(BL_NEW(sim->ctx, order, sys->np + sys->nv));
    bl_eval_at(&sim->eval, &sim->state);
    bl_status status = bl_system_eval(sys, &sim->eval, BL_G);
    bl_eval place = form->at_e; /* what the formulation knows of its own place stays */
    form->at_e = sim->eval;
    form->rank_tolerance = NEAR;
    if (status == BL_OK)
        status = bl_formulation_rank(form, NULL, order, order + sys->np, &rank);
    form->rank_tolerance = kept;
    sim->eval = form->at_e;
    form->at_e = place;
    bl_index kept_rows = sys->nv - form->freedoms,
             weakest = status == BL_OK && kept_rows > 0 ? order[rank < kept_rows ? rank : kept_rows - 1] : -1;
    bl_free(sim->ctx, order);
    *near = status == BL_OK && rank < sys->nv - form->freedoms;
    if (row)
        *row = weakest;
    return status;
}

bl_status bl_relief_due(bl_simulation *sim, bool *due) {
    bl_relief *relief = &sim->relief;
    *due = false;
    if (!relief->past[0].block || relief->remembered == 0)
        return BL_OK;
    bool last = relief->acts && !stays_closed(sim->form);
    double longest = last ? (relief->until - *relief->started.t) / (2 * BACK) : longest_step(relief);
    bool collapsed = relief->last_step < COLLAPSED * longest;
    relief->collapsed = collapsed ? relief->collapsed + 1 : last ? relief->collapsed : 0;
    if (last) {
        *due = relief->collapsed > MOST_CREPT;
        return BL_OK;
    }
    int looks = relief->collapsed / PATIENCE; /* after 1, 2, 4, ... times the patience: they may have begun far from the place */
    if (relief->collapsed % PATIENCE != 0 || looks == 0 || (looks & (looks - 1)) != 0)
        return BL_OK;
    bl_status status = near_singular(sim, due, NULL);
    return status > 0 ? BL_OK : status;
}

static void discard(bl_simulation *sim) {
    bl_integrator_destroy(sim->relief.integ);
    bl_formulation_destroy(sim->relief.form);
    sim->relief.integ = NULL;
    sim->relief.form = NULL;
}

void bl_relief_destroy(bl_simulation *sim) {
    discard(sim);
    for (int i = 0; i < BL_PAST; i++)
        bl_state_destroy(sim->sys, &sim->relief.past[i]);
    bl_state_destroy(sim->sys, &sim->relief.refused);
    bl_state_destroy(sim->sys, &sim->relief.started);
}

/* the relief of the present rung, at the state */
static bl_status make(bl_simulation *sim) {
    bl_relief *relief = &sim->relief;
    bl_step_control control = sim->integ->control;
    if (!(sim->integ->kind->kind.gives & BL_ADAPTIVE)) { /* an unknown error is not to grow here */
        control.h_max = control.step;
        control.tolerance = fmin(control.tolerance, BL_RELIEF_TOLERANCE);
    }
    control.step = 0;
    control.step_overs = 0;
    BL_TRY(bl_formulation_create(sim->sys, ladder[relief->rung], sim->form->linsol_spec, NULL, &relief->form));
    BL_TRY(bl_formulation_setup(relief->form, &sim->state));
    /* a method of few long steps goes on, where the relief gives what it needs */
    bool same = sim->integ->kind == &bl_integrator_series && (relief->form->kind->kind.gives & BL_CAN_COEFFICIENT);
    return bl_integrator_create(sim->ctx, same ? "series" : BL_DEFAULT_INTEGRATOR, relief->form, &control, &relief->integ);
}

/* the first failure is the one to tell */
static bl_status refuse(bl_simulation *sim) {
    const bl_error *kept = &sim->relief.failure;
    sim->relief.hopeless = true;
    bl_fail(sim->ctx, kept->status, NULL, "%s", kept->what);
    bool in_use = strncmp(kept->advice, BL_ADVICE_PASS, strlen(BL_ADVICE_PASS)) == 0; /* else nobody would be here */
    bl_advise(sim->ctx, "%s", in_use ? ADVICE_BESIDE : kept->advice);
    bl_blame(sim->ctx, kept->part, kept->equation, kept->time);
    sim->relief.told = true;
    return BL_REJECTED;
}

/* the relief failed in its turn: back to where it started, one rung higher */
static bl_status climb(bl_simulation *sim) {
    bl_relief *relief = &sim->relief;
    if (*sim->state.t > relief->until)
        return BL_REJECTED; /* it got past the place: a failure of its own */
    exchange(sim);
    if (relief->rung + 1 >= RUNGS) {
        bl_state_copy(sim->sys, &sim->state, &relief->refused);
        sim->t_from = sim->integ->t_old;
        return refuse(sim);
    }
    relief->rung++;
    bl_state_copy(sim->sys, &sim->state, &relief->started);
    discard(sim);
    bl_status status = make(sim);
    if (status != BL_OK) {
        discard(sim);
        return status == BL_E_MEMORY ? status : refuse(sim);
    }
    return BL_OK;
}

static bl_status take_over(bl_simulation *sim) {
    bl_relief *relief = &sim->relief;
    bl_log(sim->ctx, BL_LOG_INFO, "formulation %s finds no step past a singular position: %s takes over from t = %.6g to %.6g",
           sim->form->kind->kind.name, relief->form->kind->kind.name, *sim->state.t, relief->until);
    relief->count++;
    exchange(sim);
    bl_relief_forget(sim);
    keep(sim, 0);
    sim->integ->h_next = 0;
    bl_context_clear_error(sim->ctx);
    return BL_OK;
}

/* ---- the same method by other landings */

/* the latest kept state not after t; -1: none */
static int kept_before(const bl_relief *relief, double t) {
    int found = -1;
    for (int i = 0; i < BL_PAST; i++)
        if (relief->step[i] >= 0 && *relief->past[i].t <= t && (found < 0 || *relief->past[i].t > *relief->past[found].t))
            found = i;
    return found;
}

void bl_relief_tighten(bl_simulation *sim) {
    static const char words[] = "passed the singular position near t = %.6g with a tolerance of %.1g: what rounding leaves of %.1g there";
    bl_relief *relief = &sim->relief;
    double *tolerance = &sim->integ->control.tolerance;
    if (!relief->eased)
        return;
    if (*sim->state.t > relief->place) {
        if (relief->warned)
            bl_log(sim->ctx, BL_LOG_INFO, words, relief->place, *tolerance, relief->tolerance);
        else
            bl_warn(sim->ctx, relief->place, NULL, words, relief->place, *tolerance, relief->tolerance);
        relief->warned = true; /* once a run */
    }
    *tolerance = relief->tolerance;
    relief->eased = false;
}

/* the next larger tolerance for this place; false: no larger one would be of use */
static bool ease(bl_simulation *sim) {
    bl_relief *relief = &sim->relief;
    bl_step_control *control = &sim->integ->control;
    if (control->tolerance * EASE > COARSEST)
        return false;
    if (!relief->eased) {
        relief->eased = true;
        relief->tolerance = control->tolerance;
    }
    control->tolerance *= EASE;
    relief->landings = 0;
    return true;
}

static void note_place(bl_simulation *sim) {
    bl_relief *relief = &sim->relief;
    if (fabs(*sim->state.t - relief->place) <= relief->reach) { /* the same, seen from nearer */
        relief->place = fmax(relief->place, *sim->state.t);
        return;
    }
    bl_relief_tighten(sim);
    relief->place = *sim->state.t;
    relief->reach = longest_step(relief);
    relief->landings = 0;
    relief->hopeless = false;
}

/* A place that steps crept up to is tried again by the same method from before it, so that it lies well inside a step; where rounding
 * leaves too little of the tolerance there, with a larger one. *tries: the state is an earlier one. */
static bl_status land_otherwise(bl_simulation *sim, bool *tries) {
    bl_relief *relief = &sim->relief;
    *tries = false;
    if (!stays_closed(sim->form) || !(sim->integ->kind->kind.gives & BL_ADAPTIVE) || !(relief->reach > 0))
        return BL_OK;
    int from = -1;
    while (from < 0 && (relief->landings < LANDINGS || ease(sim))) {
        relief->landing = relief->place - LANDING[relief->landings++] * relief->reach;
        from = kept_before(relief, relief->landing);
    }
    if (from < 0) {
        bl_relief_tighten(sim);
        relief->landing = NAN;
        return BL_OK;
    }
    bl_state_copy(sim->sys, &sim->state, &relief->past[from]);
    for (int i = 0; i < BL_PAST; i++) /* those behind it are no past of it */
        if (*relief->past[i].t > *sim->state.t)
            relief->step[i] = -1;
    bl_status status = sim->form->kind->review ? sim->form->kind->review(sim->form, &sim->state) : BL_OK;
    if (status < 0)
        return status;
    relief->collapsed = 0;
    sim->integ->control.t_stop = relief->landing;
    sim->integ->h_next = 0;
    *tries = true;
    return BL_OK;
}

void bl_relief_remember(bl_simulation *sim) {
    bl_relief *relief = &sim->relief;
    if (!relief->past[0].block)
        return;
    if (*sim->state.t >= relief->place + LANDING[0] * relief->reach) /* left behind */
        bl_relief_tighten(sim);
    /* steps that a place cuts short are no past to start from; many in a row, with no place known, are the motion's own */
    relief->last_step = sim->integ->t - sim->integ->t_old;
    bool cut = relief->last_step < REGULAR * longest_step(relief);
    relief->cut = cut ? relief->cut + 1 : 0;
    if (cut && (relief->cut <= 4 * PATIENCE || fabs(*sim->state.t - relief->place) <= relief->reach))
        return;
    keep(sim, relief->last_step);
}

/* why it is called, in the words of who refused; steps that only collapsed refused nothing */
static bl_status keep_failure(bl_simulation *sim) {
    bl_relief *relief = &sim->relief;
    bl_error *kept = &relief->failure;
    if (bl_context_error(sim->ctx)->status == BL_OK) {
        bl_fail(sim->ctx, BL_E_NUMERIC, NULL, "steps fall to %.3g s beside a singular position near t = %.9g", relief->last_step,
                *sim->state.t);
        bl_blame(sim->ctx, NULL, NULL, *sim->state.t);
        bl_advise(sim->ctx, "%s", ADVICE_BESIDE);
    }
    *kept = *bl_context_error(sim->ctx);
    bl_status told = sim->form->kind->explain ? sim->form->kind->explain(sim->form) : BL_OK;
    if (told == BL_E_NUMERIC)
        *kept = *bl_context_error(sim->ctx);
    if (told == BL_E_MEMORY || kept->part[0])
        return told == BL_E_MEMORY ? told : BL_OK;
    bl_index row = -1;
    bool near;
    bl_status status = near_singular(sim, &near, &row);
    if (row >= 0)
        bl_system_row_name(sim->sys, row, kept->part, sizeof kept->part, kept->equation, sizeof kept->equation);
    return status == BL_E_MEMORY ? status : BL_OK;
}

bl_status bl_relief_begin(bl_simulation *sim, bl_status why) {
    bl_relief *relief = &sim->relief;
    bool near = why == BL_SINGULAR, lands;
    if (!relief->past[0].block || (why != BL_SINGULAR && why != BL_NO_CONVERGENCE && why != BL_REJECTED && !relief->acts))
        return BL_REJECTED;
    note_place(sim);
    if (!relief->acts) {
        if (relief->hopeless)
            return refuse(sim);
        relief->collapsed = 0;
        BL_TRY(keep_failure(sim));
        bl_status status = near ? BL_OK : near_singular(sim, &near, NULL);
        if (status == BL_E_MEMORY)
            return status;
        if (status != BL_OK || !near)
            return refuse(sim);
    }
    BL_TRY(land_otherwise(sim, &lands));
    if (lands) {
        bl_context_clear_error(sim->ctx);
        return BL_OK;
    }
    if (relief->acts) {
        BL_TRY(climb(sim));
        return take_over(sim);
    }
    bl_status status;
    double t = *sim->state.t, span;
    const bl_state *from = well_before(sim, &span);
    /* back after no step, or before it has moved as far as it was led: led on by pieces it would only gather errors */
    bool again = sim->integ->stats.steps == relief->steps || (relief->stretch > 0 && t - relief->until <= relief->stretch);
    relief->stretch = again ? 2 * relief->stretch : span;
    relief->until = t + relief->stretch;
    bl_state_copy(sim->sys, &sim->at, from);
    bl_state_copy(sim->sys, &relief->refused, &sim->state);
    bl_state_copy(sim->sys, &relief->started, &sim->at);
    bl_state_copy(sim->sys, &sim->state, &sim->at);
    if (relief->form) {
        status = bl_formulation_setup(relief->form, &sim->state);
    } else {
        if (stays_closed(sim->form))
            relief->rung = 1;
        status = make(sim);
    }
    if (status != BL_OK) {
        discard(sim);
        return status == BL_E_MEMORY ? status : refuse(sim);
    }
    return take_over(sim);
}

bl_status bl_relief_end(bl_simulation *sim, bool *done) {
    bl_relief *relief = &sim->relief;
    bl_formulation *form = relief->form; /* of the one that may come back */
    *done = false;
    if (!relief->acts || *sim->state.t < relief->until)
        return BL_OK;
    bl_formulation_stats counted = form->stats;
    bl_status status = form->kind->review ? form->kind->review(form, &sim->state) : BL_OK;
    if (status == BL_OK || status == BL_RESTART) {
        double *y = bl_resize(sim->ctx, sim->y, 2 * (size_t)form->ny, sizeof *y); /* y and its rate */
        if (!y)
            return BL_E_MEMORY;
        sim->y = y;
        sim->ny = 2 * form->ny;
        status = form->kind->to_y(form, &sim->state, y);
        if (status == BL_OK)
            status = form->kind->rate(form, *sim->state.t, y, y + form->ny);
    }
    form->stats = counted;
    if (status < 0 && status != BL_E_NUMERIC)
        return status;
    if (status != BL_OK) { /* still too near */
        relief->until = *sim->state.t + 0.5 * relief->stretch;
        bl_context_clear_error(sim->ctx);
        return BL_OK;
    }
    exchange(sim);
    relief->steps = sim->integ->stats.steps;
    *done = true;
    return BL_OK;
}
