/* The study `inverse`: a known motion, sample by sample, with the forces that it requires. */
#include "study/inverse_private.h"

#include "base/sized.h"
#include "model/variant.h"
#include "study/input_table.h"
#include "study/start_warnings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { EVALUATIONS = 200 }; /* times per run where forces are evaluated, at least */

/* ---- one sample */

/* describes a singular configuration by the joint whose constraints lose rank, or the motion that the actuators cannot control */
static bl_status describe_singular(bl_inverse_run *r, bl_singular_finding *found) {
    char names[256] = "";
    bl_index count;
    if (r->course->singular) {
        BL_TRY(bl_singular_describe(r->sys, r->model, &r->course->state, "the configuration", found));
        if (!found->is)
            snprintf(found->text, sizeof found->text, "the constraints do not determine the motion here");
        return BL_OK;
    }
    *found = (bl_singular_finding){.is = true};
    BL_TRY(bl_effort_unreached(r->effort, &count, names, sizeof names));
    snprintf(found->part, sizeof found->part, "%.*s", (int)strcspn(names, ";"), names);
    snprintf(found->text, sizeof found->text, "the actuators have no effect on %s here", names);
    return BL_OK;
}

static bl_status refuse_singular(bl_inverse_run *r, const bl_singular_finding *found) {
    double t = *r->course->state.t;
    bl_fail(r->ctx, BL_E_NUMERIC, NULL, "singular configuration at t = %.9g s: %.300s", t, found->text);
    bl_advise(
        r->ctx,
        "forces grow without bound near it: end the run before it, or choose other actuators (`singular: pass` continues, with NaN there)");
    bl_blame(r->ctx, found->part[0] ? found->part : NULL, NULL, t);
    return BL_E_NUMERIC;
}

/* the forces at the state of the course; NaN in singular configurations */
static bl_status find_forces(bl_inverse_run *r) {
    bl_effort *f = r->effort;
    bl_singular_policy policy;
    if (!r->course->singular)
        BL_TRY(bl_effort_at(f, &r->course->state, r->course->a));
    bool singular = r->course->singular || f->singular;
    for (bl_index k = 0; k < r->nactuator && singular; k++)
        f->u[k] = NAN;
    if (!singular)
        return BL_OK;
    BL_TRY(bl_run_singular(r->ctx, r->run.options.singular, NULL, &policy));
    bl_singular_finding found;
    bool first = r->found.singular++ == 0;
    if (first || policy == BL_REFUSE_SINGULAR)
        BL_TRY(describe_singular(r, &found));
    if (policy == BL_REFUSE_SINGULAR)
        return refuse_singular(r, &found);
    if (first)
        bl_warn(r->ctx, *r->course->state.t, found.part[0] ? found.part : NULL,
                "singular configuration: %.300s; the forces are undefined at this time", found.text);
    return BL_OK;
}

/* powers, energies, extremes */
static bl_status account(bl_inverse_run *r, double t) {
    bl_effort *f = r->effort;
    bl_eval *e = &f->base.at_e;
    if (f->singular || r->course->singular) { /* NaN: left out of extremes, means and energies */
        for (bl_index k = 0; k < r->nactuator; k++)
            r->energies.force[k] = r->energies.power[k] = NAN;
        return BL_OK;
    }
    BL_TRY(r->sys->facts & BL_POWER_OF_V ? r->sys->kind->power(r->sys, e) : bl_system_eval(r->sys, e, BL_Q));
    double all = e->power;
    for (bl_index k = 0; k < r->nactuator; k++) {
        bl_actuator_summary *s = &r->found.actuator[k];
        double u = f->u[k], power = u * f->rate[k];
        all += f->by_drivers ? power : 0;
        r->energies.force[k] = u;
        r->energies.power[k] = power;
        r->sums.power[k] = u * u;
        if (fabs(u) > fabs(s->largest) || isnan(s->largest_time)) {
            s->largest = u;
            s->largest_time = t;
        }
        if (fabs(power) > fabs(s->largest_power))
            s->largest_power = power;
        if (fabs(u) > s->limit * (1 + 1e-9) && isnan(s->over_time)) {
            s->over_time = t;
            bl_warn(r->ctx, t, s->name, "actuator '%s' needs %.6g, more than its limit of %.6g%s", s->name, u, s->limit,
                    f->beyond ? ": no other actuator can take over a part" : "");
        }
    }
    r->sums.power[r->nactuator] = all;
    bl_actuators_take(&r->energies, t, 0);
    bl_actuators_take(&r->sums, t, 0);
    r->found.residual = fmax(r->found.residual, f->residual);
    r->found.rank = f->by_drivers ? f->nactuator : f->rank_most;
    return BL_OK;
}

static bl_status emit(bl_inverse_run *r) {
    bl_effort *f = r->effort;
    bl_state *s = &r->course->state;
    bl_sample sample;
    double misfit = 0;
    bool known = !f->singular && !r->course->singular;
    for (bl_index k = 0; k < r->sys->nu; k++)
        s->u[k] = known ? f->u[k] : 0;
    BL_TRY(bl_simulation_fill_sample(r->sys, NULL, &f->base.at_e, s, known ? r->course->a : NULL, known ? f->lambda : NULL,
                                     r->run.want | BL_WANT_VARIABLES, &sample, &misfit));
    f->base.at_e.lambda = f->lambda;
    sample.actuator_force = r->energies.force;
    sample.actuator_power = r->energies.power;
    sample.actuator_energy = r->energies.energy;
    if (r->run.want & BL_WANT_DRIFT)
        r->drift = fmax(r->drift, sample.drift);
    if (r->run.want & BL_WANT_ENERGIES) {
        double energy = sample.kinetic + sample.potential;
        sample.work = r->sums.energy[r->nactuator];
        sample.energy_error = energy - sample.work - r->energy_start;
        r->energy_error = fmax(r->energy_error, fabs(sample.energy_error));
    }
    r->found.samples++;
    return r->run.want ? bl_run_sample(&r->run, &sample) : BL_OK;
}

/* ---- the run */

static bl_status evaluate(bl_inverse_run *r, double t) {
    if (bl_context_stopped(r->ctx))
        return BL_STOPPED;
    BL_TRY(bl_course_move(r->course, t));
    BL_TRY(find_forces(r));
    r->evaluated = t;
    BL_TRY(account(r, t));
    return bl_inverse_watch(r);
}

/* from the last evaluation to an output time: where outputs are far apart, the integrals need evaluations between them */
static bl_status evaluate_until(bl_inverse_run *r, double t) {
    double from = r->begun ? r->evaluated : r->begin, way = t - from;
    long parts = (long)ceil(way / (r->run.options.until - r->begin) * EVALUATIONS - 1e-6);
    if (!r->begun) {
        BL_TRY(evaluate(r, from));
        r->begun = true;
        BL_TRY(bl_system_eval(r->sys, &r->effort->base.at_e, BL_ENERGY));
        r->energy_start = r->effort->base.at_e.kinetic + r->effort->base.at_e.potential;
    }
    if (t == from)
        return BL_OK;
    for (long k = 1; k < parts; k++)
        BL_TRY(evaluate(r, from + way * (double)k / (double)parts));
    return evaluate(r, t);
}

static bl_status march(bl_inverse_run *r) {
    double t;
    for (long n = 0; (t = bl_run_output_time(&r->run.options, n)) <= r->run.options.until; n++) {
        BL_TRY(evaluate_until(r, t));
        if (r->options.check && !r->course->singular) {
            BL_TRY(bl_effort_check(r->effort));
            r->found.local = fmax(r->found.local, r->effort->shift);
        }
        BL_TRY(emit(r));
        bl_run_progress(&r->run, t, r->run.options.until);
    }
    return BL_OK;
}

/* *span: duration of the motion */
static void summarize(bl_inverse_run *r, bl_run_summary *summary, double *span) {
    summary->t = r->begin;
    summary->largest_drift = r->drift;
    summary->largest_energy_error = r->energy_error;
    if (!r->course)
        return;
    *span = r->energies.points > 0 ? r->energies.t[r->energies.points - 1] - r->begin : 0;
    summary->t = r->begin + *span;
    summary->steps = r->course->steps;
    if (r->course->kkt) {
        summary->factorizations = r->course->kkt->factors;
        summary->solves = r->course->kkt->solves;
    }
    r->found.misfit = r->course->off;
    for (bl_index k = 0; r->recording && k < r->recording->ncolumn; k++)
        r->found.smoothed = fmax(r->found.smoothed, r->recording->column[k].curve.residual);
    for (bl_index k = 0; k < r->found.nactuator && r->energies.energy; k++) {
        r->found.actuator[k].energy = r->energies.energy[k];
        r->found.actuator[k].rms = *span > 0 ? sqrt(fmax(r->sums.energy[k], 0) / *span) : fabs(r->energies.force[k]);
    }
}

static void destroy(bl_inverse_run *r) {
    bl_effort_destroy(r->effort);
    bl_course_destroy(r->course);
    bl_run_release(r->sys, &r->state, NULL);
    bl_actuators_destroy(&r->energies);
    bl_actuators_destroy(&r->sums);
    bl_recording_destroy(r->recording);
    bl_model_unvary(r->variant);
    bl_free(r->ctx, r->table_text);
    bl_free(r->ctx, r->at);
}

bl_status bl_inverse(bl_context *ctx, const bl_model *model, const bl_inverse_options *options, bl_sink *sinks, bl_index nsink,
                     bl_run_summary *summary, bl_inverse_summary *found) {
    bl_inverse_run r = {.ctx = ctx, .model = model, .found = {.size = sizeof r.found, .period = NAN, .deviation_rate = NAN}};
    bl_run_summary made = {0};
    double span = 0;
    BL_TRY(BL_TAKE(ctx, bl_inverse_options, options, &r.options));
    BL_TRY(BL_TAKE(ctx, bl_run_options, r.options.run, &r.asked));
    BL_TRY(bl_inputs_refuse(ctx, r.asked.inputs, "bl_inverse"));
    BL_TRY(BL_FITS(ctx, bl_run_summary, summary));
    BL_TRY(BL_FITS(ctx, bl_inverse_summary, found));
    BL_GIVE(bl_inverse_summary, found, &r.found);
    BL_TRY(bl_run_open(&r.run, "bl_inverse", ctx, model, sinks, nsink));
    bl_status status = bl_run_refused(ctx, model, &r.asked, bl_inverse_prepare(&r));
    if (status == BL_OK)
        status = bl_run_begin(&r.run);
    if (status == BL_OK)
        status = march(&r);
    summarize(&r, &made, &span);
    if (status == BL_OK)
        status = bl_inverse_period(&r);
    if (status == BL_OK && r.options.check)
        status = bl_inverse_check(&r);
    made.status = status;
    made.inverse = &r.found;
    status = bl_run_close(&r.run, span, &made, summary);
    if (summary)
        summary->inverse = NULL;
    BL_GIVE(bl_inverse_summary, found, &r.found);
    if (!found)
        bl_inverse_summary_destroy(ctx, &r.found);
    destroy(&r);
    return status;
}

void bl_inverse_summary_destroy(bl_context *ctx, bl_inverse_summary *found) {
    if (!found)
        return;
    bl_free(ctx, found->actuator);
    found->actuator = NULL;
    found->nactuator = 0;
}
