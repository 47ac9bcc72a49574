/* The study `assemble`: assembles the mechanism from a rough configuration and outputs one sample. The formulation computes accelerations
 * and reactions; where they are not determined (massless motions, singular configurations) the sample contains everything else. */
#include "base/sized.h"
#include "study/closure.h"
#include "study/input_table.h"
#include "study/plan.h"
#include "study/run.h"
#include "study/simulation.h"

#include <string.h>

typedef struct assembly_run {
    bl_run run;
    bl_system *sys;
    bl_state state;
    bl_eval eval;
    bl_formulation *form;
    double *a, *lambda;
    bool accelerated;
} assembly_run;

/* failures after which the sample can still be shown, without accelerations */
static bool concerns_accelerations(bl_status status) { return status > 0 || status == BL_E_MODEL || status == BL_E_NUMERIC; }

static bl_status find_accelerations(assembly_run *r) {
    const bl_system *sys = r->sys;
    bl_run_options *o = &r->run.options;
    BL_TRY(BL_ARENA_ARRAYS(&r->run.arena, BL_ARRAY(r->a, sys->nv), BL_ARRAY(r->lambda, sys->np)));
    o->integrator = bl_plan_integrator(sys, o->integrator, o->formulation, o->tolerance);
    o->formulation = bl_plan_formulation(sys, o->formulation, NULL, o->tolerance);
    BL_TRY(bl_formulation_create(sys, o->formulation, o->linsol, o->ordering, &r->form));
    bl_status status = r->form->kind->setup(r->form, &r->state);
    if (status == BL_OK)
        status = r->form->kind->accelerations(r->form, &r->state, r->a, r->lambda);
    r->accelerated = status == BL_OK;
    if (!concerns_accelerations(status))
        return status;
    const bl_error *error = bl_context_error(r->run.ctx);
    bl_warn(r->run.ctx, 0, NULL, "the sample has no accelerations and no reactions: %s",
            error->status == status ? error->what : bl_status_text(status));
    bl_context_clear_error(r->run.ctx);
    return BL_OK;
}

static bl_status output_sample(assembly_run *r, bl_run_summary *summary) {
    bl_run *run = &r->run;
    bl_sample sample;
    BL_TRY(bl_eval_create(r->sys, BL_SEEN, &r->eval));
    BL_TRY(find_accelerations(r));
    BL_TRY(bl_run_describe(run, r->sys, r->form));
    run->info.integrator = "none";
    run->info.until = run->info.step = 0;
    run->info.samples = 1;
    if (r->accelerated)
        r->eval.load = r->form->at_e.load;
    BL_TRY(bl_simulation_fill_sample(r->sys, r->form, &r->eval, &r->state, r->accelerated ? r->a : NULL, r->accelerated ? r->lambda : NULL,
                                     run->want | (BL_WANT_ALL & ~(uint32_t)(BL_WANT_FIELDS | BL_WANT_FORCES)), &sample,
                                     &summary->largest_misfit));
    summary->largest_drift = sample.drift;
    BL_TRY(bl_run_begin(run));
    return bl_run_sample(run, &sample);
}

bl_status bl_assemble(bl_context *ctx, const bl_model *model, const bl_run_options *options, bl_sink *sinks, bl_index nsink,
                      bl_run_summary *summary) {
    assembly_run r = {0};
    bl_run_summary made = {0};
    bl_run_options asked;
    BL_TRY(BL_TAKE(ctx, bl_run_options, options, &asked));
    BL_TRY(bl_inputs_refuse(ctx, asked.inputs, "bl_assemble"));
    BL_TRY(BL_FITS(ctx, bl_run_summary, summary));
    BL_TRY(bl_run_open(&r.run, "bl_assemble", ctx, model, sinks, nsink));
    const bl_run_options *o = &r.run.options;
    bl_status status = bl_run_resolve(ctx, model, &asked, &r.run.options);
    if (status == BL_OK)
        status = bl_run_prepare_held(ctx, model, o->coordinates, o->closure, NULL, 0, &r.sys, &r.state);
    if (status == BL_OK)
        status = bl_closure_warn(r.sys, model, &r.state);
    if (status == BL_OK)
        status = output_sample(&r, &made);
    made.status = bl_run_refused(ctx, model, &asked, status);
    status = bl_run_close(&r.run, 0, &made, summary);
    bl_formulation_destroy(r.form);
    bl_run_release(r.sys, &r.state, &r.eval);
    return status;
}
