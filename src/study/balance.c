/* The balances of a run against its tolerance. With E = T + V - W (kinetic; potential, with what materials dissipated; work of all else),
 * the energy in play
 *
 *     S = T(0) + max |V - V(0)| + max |W - W(0)|
 *
 * bounds what T can be. N steps of a method that keeps its tolerance change velocities by N tol times them and their scales, so E by about
 * x S + 2 x sqrt(S E_s) + x^2 E_s, x = N tol, where E_s is the kinetic energy of velocities as large as their scales. */
#include "study/balance.h"

#include "study/simulation.h"
#include "study/study_limits.h"

#include <math.h>
#include <string.h>

/* What the balance may be off by, in units of that bound, is BL_BALANCE_MANY. Above study_balance_large of the energy in play (or
 * study_balance_coarse tolerances, where those are large) it is said however many steps were taken; above study_balance_worthless of it
 * the answer is worthless. */
static const double MANY = BL_BALANCE_MANY;
/* Drift relative to the smallest scale of a coordinate: where it is reported, also of formulations whose constraints yield; where
 * bodies are apart by their own size. Tolerances, where those are large. */
enum { SOON = 32, OFTEN = 8 }; /* steps: every one at first, then every eighth */
enum { INSIDE = 4 };           /* parts of a step that is looked into */

static double held(const bl_eval *e) { return e->potential + e->dissipated; }

/* ---- growth of what should fade
 *
 * A z' = f. Where changes x of z between looks grow, look after look, although x . (change of f) < 0 says that the equations let them
 * fade, it is the method that makes them grow: its steps are too long. */

enum { LOOKS = 12 }; /* in a row */

static bl_status growth_begin(bl_simulation *sim) {
    bl_run_balance *b = &sim->balance;
    const bl_system *sys = sim->sys;
    if (sys->nz == 0 || !(sys->facts & BL_FINE) || !isnan(b->tolerance))
        return BL_OK;
    BL_TRY(BL_NEW(sim->ctx, b->z, 2 * (size_t)sys->nz));
    b->f = b->z + sys->nz;
    bl_eval_at(&sim->eval, &sim->state);
    BL_TRY(bl_system_eval(sys, &sim->eval, BL_F));
    memcpy(b->z, sim->state.z, (size_t)sys->nz * sizeof *b->z);
    memcpy(b->f, sim->eval.f, (size_t)sys->nz * sizeof *b->f);
    return BL_OK;
}

static bl_status growth_step(bl_simulation *sim) {
    bl_run_balance *b = &sim->balance;
    const bl_system *sys = sim->sys;
    double along = 0, square = 0, last = b->moved;
    if (!b->z)
        return BL_OK;
    bl_eval_at(&sim->eval, &sim->state);
    BL_TRY(bl_system_eval(sys, &sim->eval, BL_F));
    for (bl_index i = 0; i < sys->nz; i++) {
        double x = sim->state.z[i] - b->z[i];
        along += x * (sim->eval.f[i] - b->f[i]);
        square += x * x;
    }
    memcpy(b->z, sim->state.z, (size_t)sys->nz * sizeof *b->z);
    memcpy(b->f, sim->eval.f, (size_t)sys->nz * sizeof *b->f);
    b->moved = sqrt(square);
    if (!(along < 0 && last > 0 && b->moved > study_growth_rate * last)) {
        b->growing = 0;
        return BL_OK;
    }
    if (b->growing++ == 0) {
        b->from = last;
        b->from_t = sim->t_from;
    }
    if (b->growing < LOOKS || !(b->moved > study_growth * b->from))
        return BL_OK;
    bl_fail(sim->ctx, BL_E_NUMERIC, NULL,
            "the steps of %.4g s are too long for %s: from t = %.6g to %.6g changes grow to %.3g times what they were, while their rates "
            "let them fade",
            sim->integ->control.step, sim->integ->kind->kind.name, b->from_t, *sim->state.t, b->moved / b->from);
    bl_advise(sim->ctx, "take shorter steps, or an implicit method (trbdf2, radau, ndf_auto)");
    bl_blame(sim->ctx, NULL, NULL, b->from_t);
    return BL_E_NUMERIC;
}

void bl_balance_end(bl_simulation *sim) { bl_free(sim->ctx, sim->balance.z); }

/* ---- energy */

bl_status bl_balance_begin(bl_simulation *sim) {
    bl_run_balance *b = &sim->balance;
    const bl_system *sys = sim->sys;
    bl_balance_end(sim);
    *b = (bl_run_balance){
        .energy = sys->can & BL_CAN_ENERGY, .start = *sim->state.t, .last = *sim->state.t, .began = NAN, .length = INFINITY};
    b->tolerance = sim->integ->kind->kind.gives & BL_ADAPTIVE ? sim->integ->control.tolerance : NAN;
    BL_TRY(growth_begin(sim));
    for (bl_index j = 0; j < sys->nv; j++)
        b->length = fmin(b->length, sys->col[j].scale);
    if (sim->form->compliance > b->tolerance)
        bl_warn(sim->ctx, NAN, NULL,
                "the penalty of formulation %s passes on %.2g of each load: accelerations cannot be right to the tolerance of %.2g; "
                "take a larger alpha",
                sim->form->spec, sim->form->compliance, b->tolerance);
    b->energy = b->energy && !(sys->np > 0 && sim->form->dof == 0); /* a prescribed motion: work alone could be wrong */
    if (!b->energy)
        return BL_OK;
    bl_eval_at(&sim->eval, &sim->state);
    BL_TRY(bl_system_eval(sys, &sim->eval, BL_ENERGY));
    b->kinetic = sim->eval.kinetic;
    b->potential = held(&sim->eval);
    b->work = *sim->state.work;
    for (bl_index j = 0; j < sys->nv; j++)
        sim->a[j] = sys->col[j].scale;
    bl_eval_at(&sim->eval, &sim->state);
    sim->eval.v = sim->a;
    BL_TRY(bl_system_eval(sys, &sim->eval, BL_ENERGY));
    b->moving = sim->eval.kinetic;
    return BL_OK;
}

static bl_status worthless(bl_simulation *sim, double t) {
    bl_advise(sim->ctx, "take a smaller tolerance or step, another integrator or formulation; look for laws that become infinite there");
    bl_blame(sim->ctx, NULL, NULL, t);
    return BL_E_NUMERIC;
}

/* off: of the balance; play: energy in play; floor: what rounding makes of it */
static bl_status judge_energy(bl_simulation *sim, double off, double play, double floor) {
    bl_run_balance *b = &sim->balance;
    double t = *sim->state.t, tolerance = b->tolerance, steps = (double)sim->integ->stats.steps;
    double many = isnan(tolerance) ? 0 : MANY * tolerance * steps, share = fmin(many, 1);
    double least = share * (2 * sqrt(play * b->moving) + share * b->moving);
    bool gives = sim->form->kind->kind.gives & BL_COMPLIANT;                   /* springs in its constraints, which no balance knows */
    double most = fmax(study_balance_large, study_balance_coarse * tolerance); /* fmax takes what is no NaN */
    double allowed = (isnan(tolerance) || gives ? most : fmin(most, many)) * play + least + floor;
    if (fabs(off) <= allowed) {
        b->began = NAN;
        return BL_OK;
    }
    if (isnan(b->began))
        b->began = b->last;
    double t_end = sim->integ->control.t_end;
    bool grave = !isfinite(off) || (fabs(off) > study_balance_grave * play + least + floor && steps > SOON);
    if (!grave && t < t_end && t - b->began < study_balance_lasts * (t_end - b->start))
        return BL_OK;
    /* fixed steps may damp by design, and promise nothing: what they gain counts */
    bool fixed = isnan(tolerance), slow = fixed && play < study_balance_slow * b->moving;
    double lost = fixed ? off - play : fabs(off) - study_balance_worthless * play;
    if (!isfinite(off) || (lost > least + floor && !slow)) {
        bl_fail(sim->ctx, BL_E_NUMERIC, NULL,
                "the energy balance is lost: from t = %.9g to %.9g the motion %s %.3g J, beside %.3g J in play", b->began, t,
                off < 0 ? "lost" : "gained", fabs(off), play);
        return worthless(sim, b->began);
    }
    if (!b->energy_warned && !fixed) {
        b->energy_warned = true;
        bl_warn(sim->ctx, b->began, NULL,
                "the energy balance is off by %.3g J, %.2g of the energy in play (%.3g J): more than a tolerance of %.2g explains (%.2g); "
                "compare with a smaller tolerance or another formulation",
                off, fabs(off) / play, play, tolerance, allowed / play);
    }
    return BL_OK;
}

static void note_energies(bl_run_balance *b, double potential, double work) {
    b->most_potential = fmax(b->most_potential, fabs(potential - b->potential));
    b->most_work = fmax(b->most_work, fabs(work - b->work));
}

/* A long step may lead from rest to rest: between its ends the energies are larger. */
static bl_status look_inside(bl_simulation *sim) {
    double from = sim->t_from, h = *sim->state.t - from;
    for (int k = 1; k < INSIDE && h > 0; k++) {
        bl_status status = bl_simulation_dense(sim, from + k * h / INSIDE, &sim->at);
        if (status == BL_OK) {
            bl_eval_at(&sim->eval, &sim->at);
            status = bl_system_eval(sim->sys, &sim->eval, BL_ENERGY);
        }
        if (status < 0)
            return status;
        if (status == BL_OK && isfinite(held(&sim->eval)) && isfinite(*sim->at.work))
            note_energies(&sim->balance, held(&sim->eval), *sim->at.work);
    }
    return BL_OK;
}

bl_status bl_balance_step(bl_simulation *sim) {
    bl_run_balance *b = &sim->balance;
    long steps = sim->integ->stats.steps;
    if (steps > SOON && steps < b->looked + OFTEN && *sim->state.t < sim->integ->control.t_end)
        return BL_OK;
    b->looked = steps;
    BL_TRY(growth_step(sim));
    if (sim->unsampled & BL_WANT_DRIFT && sim->sys->np > 0)
        BL_TRY(bl_simulation_drift(sim));
    bool shown = sim->unsampled & BL_WANT_ENERGIES && sim->sys->can & BL_CAN_ENERGY;
    if (!b->energy && !shown)
        return BL_OK;
    bl_eval *e = &sim->eval;
    bl_eval_at(e, &sim->state);
    BL_TRY(bl_system_eval(sim->sys, e, BL_ENERGY));
    double work = *sim->state.work, off = bl_eval_energy(e) - work - sim->energy_start;
    double end = e->kinetic + fabs(held(e)) + fabs(work);
    if (shown)
        sim->largest_energy_error = fmax(sim->largest_energy_error, fabs(off)), sim->dissipated = e->dissipated;
    if (!b->energy)
        return BL_OK;
    note_energies(b, held(e), work);
    double play = b->kinetic + b->most_potential + b->most_work;
    if (fabs(off) > study_balance_suspect * play) {
        BL_TRY(look_inside(sim));
        play = b->kinetic + b->most_potential + b->most_work;
    }
    bl_status status = judge_energy(sim, off, play, study_balance_rounding * (play + end));
    b->last = *sim->state.t;
    return status;
}

bl_status bl_balance_drift(bl_simulation *sim, double t, double drift) {
    bl_run_balance *b = &sim->balance;
    double tolerance = b->tolerance, least = sim->form->kind->kind.gives & BL_COMPLIANT ? study_drift_yielding : study_drift;
    if (sim->sys->nbody < 2 || drift <= fmax(least, study_drift_tolerances * tolerance) * b->length)
        return BL_OK;
    if (!(drift <= study_drift_apart * b->length)) {
        bl_fail(sim->ctx, BL_E_NUMERIC, NULL,
                "the constraints are lost at t = %.9g: positions are off by %.3g, the smallest body measures %.3g", t, drift, b->length);
        return worthless(sim, t);
    }
    if (!b->drift_warned) {
        b->drift_warned = true;
        bl_warn(sim->ctx, t, NULL,
                "positions drifted from the constraints by %.3g, beside a smallest length of %.3g; project them, or take a "
                "smaller tolerance or step",
                drift, b->length);
    }
    return BL_OK;
}
