/* The balances of a run against its tolerance. With E = T + V - W (kinetic energy; potential and dissipated energy; work of all other
 * forces), the energy exchanged
 *
 *     S = T(0) + max |V - V(0)| + max |W - W(0)|
 *
 * is an upper bound of T. N steps of a method that meets its tolerance change velocities by N tol times the sum of their values and scales,
 * so E by about x S + 2 x sqrt(S E_s) + x^2 E_s, x = N tol, where E_s is the kinetic energy of velocities as large as their scales. */
#include "study/balance.h"

#include "study/simulation.h"
#include "study/study_limits.h"

#include <math.h>
#include <string.h>

/* The error allowed is study_balance_many times that bound. An error above study_balance_large of the energy exchanged (or above
 * study_balance_coarse tolerances, where the tolerance is large) is reported however many steps were taken; above study_balance_worthless
 * of it the result is meaningless. */
enum { SOON = 32, OFTEN = 8 }; /* the first SOON steps are all checked, then every OFTEN-th one */
enum { INSIDE = 4 };           /* parts into which a suspect step is divided */

static double held(const bl_eval *e) { return e->potential + e->dissipated; }

/* ---- instability of explicit methods
 *
 * A z' = f. Where changes x of z between checks grow, check after check, although x . (change of f) < 0 means that the equations damp
 * them, the method makes them grow: its steps are too long. */

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
    if (!(along < 0 && last > 0 && b->moved > (1 + study_growth_least) * last)) {
        b->growing = 0;
        return BL_OK;
    }
    if (b->growing++ == 0) {
        b->from = last;
        b->from_t = sim->t_from;
    }
    if (b->growing < study_growth_checks || !(b->moved > study_growth * b->from))
        return BL_OK;
    bl_fail(sim->ctx, BL_E_NUMERIC, NULL,
            "the steps of %.4g s are too long for %s: from t = %.6g to %.6g changes between steps grow by a factor of %.3g although the "
            "equations damp them",
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
                "the constraints of formulation %s yield to loads by a relative %.2g, so accelerations cannot reach the tolerance %.2g; "
                "take a larger alpha",
                sim->form->spec, sim->form->compliance, b->tolerance);
    b->energy = b->energy && !(sys->np > 0 && sim->form->dof == 0); /* a prescribed motion: only its work could be wrong */
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

static bl_status meaningless(bl_simulation *sim, double t) {
    bl_advise(sim->ctx,
              "take a smaller tolerance or step, or another integrator or formulation; check for forces that become infinite there");
    bl_blame(sim->ctx, NULL, NULL, t);
    return BL_E_NUMERIC;
}

/* off: error of the balance; play: energy exchanged; floor: rounding error of the balance */
static bl_status judge_energy(bl_simulation *sim, double off, double play, double floor) {
    bl_run_balance *b = &sim->balance;
    double t = *sim->state.t, tolerance = b->tolerance, steps = (double)sim->integ->stats.steps;
    double many = isnan(tolerance) ? 0 : study_balance_many * tolerance * steps, share = fmin(many, 1);
    double least = share * (2 * sqrt(play * b->moving) + share * b->moving);
    bool gives = sim->form->kind->kind.gives & BL_COMPLIANT;                   /* compliant constraints, whose energy is not counted */
    double most = fmax(study_balance_large, study_balance_coarse * tolerance); /* fmax ignores NaN */
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
    /* fixed-step methods may damp by design and have no tolerance: only a gain counts */
    bool fixed = isnan(tolerance), slow = fixed && play < study_balance_slow * b->moving;
    double lost = fixed ? off - play : fabs(off) - study_balance_worthless * play;
    if (!isfinite(off) || (lost > least + floor && !slow)) {
        bl_fail(
            sim->ctx, BL_E_NUMERIC, NULL,
            "the energy balance fails: from t = %.9g to %.9g the motion %s %.3g J without cause; forces and motion have exchanged %.3g J",
            b->began, t, off < 0 ? "lost" : "gained", fabs(off), play);
        return meaningless(sim, b->began);
    }
    if (!b->energy_warned && !fixed) {
        b->energy_warned = true;
        bl_warn(sim->ctx, b->began, NULL,
                "the energy balance has an error of %.3g J, %.2g times the energy exchanged (%.3g J): more than the tolerance %.2g allows "
                "(%.2g); compare with a smaller tolerance or another formulation",
                off, fabs(off) / play, play, tolerance, allowed / play);
    }
    return BL_OK;
}

static void note_energies(bl_run_balance *b, double potential, double work) {
    b->most_potential = fmax(b->most_potential, fabs(potential - b->potential));
    b->most_work = fmax(b->most_work, fabs(work - b->work));
}

/* A long step may lead from rest to rest; inside it the energies are larger than at its ends. */
static bl_status sample_inside(bl_simulation *sim) {
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
    if (steps > SOON && steps < b->checked + OFTEN && *sim->state.t < sim->integ->control.t_end)
        return BL_OK;
    b->checked = steps;
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
        BL_TRY(sample_inside(sim));
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
                "the constraints no longer hold at t = %.9g: positions violate them by %.3g, and the smallest body measures %.3g", t, drift,
                b->length);
        return meaningless(sim, t);
    }
    if (!b->drift_warned) {
        b->drift_warned = true;
        bl_warn(sim->ctx, t, NULL,
                "positions drifted from the constraints by %.3g; the smallest body measures %.3g. Project them, or take a smaller "
                "tolerance or step",
                drift, b->length);
    }
    return BL_OK;
}
