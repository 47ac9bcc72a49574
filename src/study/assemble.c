/* The study `assemble`: the mechanism closed from a rough configuration, and one sample of it. The formulation gives accelerations and
 * with them reactions; where they are not determined (motions without mass, singular positions) all the rest is still told. */
#include "study/closure.h"
#include "study/plan.h"
#include "study/run.h"
#include "study/simulation.h"

#include <string.h>

typedef struct assembly_run {
    bl_context *ctx;
    const bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_eval eval;
    bl_formulation *form;
    bl_run_options options;
    bl_run_info info;
    bl_arena arena;
    double *a, *lambda;
    bool accelerated;
} assembly_run;

/* failures that concern the accelerations alone */
static bool concerns_accelerations(bl_status status) { return status > 0 || status == BL_E_MODEL || status == BL_E_NUMERIC; }

static bl_status find_accelerations(assembly_run *r) {
    const bl_system *sys = r->sys;
    BL_TRY(BL_NEW(r->ctx, r->a, sys->nv + sys->np));
    r->lambda = r->a + sys->nv;
    r->options.integrator = bl_plan_integrator(sys, r->options.integrator, r->options.formulation, r->options.tolerance);
    r->options.formulation = bl_plan_formulation(sys, r->options.formulation, NULL, r->options.tolerance);
    BL_TRY(bl_formulation_create(sys, r->options.formulation, r->options.linsol, r->options.ordering, &r->form));
    bl_status status = r->form->kind->setup(r->form, &r->state);
    if (status == BL_OK)
        status = r->form->kind->accelerations(r->form, &r->state, r->a, r->lambda);
    r->accelerated = status == BL_OK;
    if (!concerns_accelerations(status))
        return status;
    const bl_error *error = bl_context_error(r->ctx);
    bl_warn(r->ctx, 0, NULL, "no reactions: %s", error->status == status ? error->what : bl_status_text(status));
    bl_context_clear_error(r->ctx);
    return BL_OK;
}

static bl_status hand_out(assembly_run *r, bl_sink *sinks, bl_index nsink, bl_index *nbegun, bl_run_summary *summary) {
    bl_sample sample;
    uint32_t want = bl_sinks_want(sinks, nsink);
    BL_TRY(bl_eval_create(r->sys, BL_SEEN, &r->eval));
    BL_TRY(find_accelerations(r));
    BL_TRY(bl_run_describe(r->model, r->sys, r->form, &r->options, &r->arena, &r->info));
    BL_TRY(bl_run_fields(r->model, r->sys, want, &r->arena, &r->info));
    BL_TRY(bl_run_scene(r->ctx, r->model, want, &r->arena, &r->info));
    r->info.integrator = "none";
    r->info.until = r->info.step = 0;
    r->info.samples = 1;
    if (r->accelerated)
        r->eval.load = r->form->at_e.load;
    BL_TRY(bl_simulation_look(r->sys, r->form, &r->eval, &r->state, r->accelerated ? r->a : NULL, r->accelerated ? r->lambda : NULL,
                              want | (BL_WANT_ALL & ~(uint32_t)(BL_WANT_FIELDS | BL_WANT_FORCES)), &sample, &summary->largest_misfit));
    summary->largest_drift = sample.drift;
    BL_TRY(bl_sinks_begin(sinks, nsink, &r->info, nbegun));
    return bl_sinks_sample(sinks, nsink, &sample);
}

bl_status bl_assemble(bl_context *ctx, const bl_model *model, const bl_run_options *options, bl_sink *sinks, bl_index nsink,
                      bl_run_summary *summary) {
    if (!ctx || !model || nsink < 0 || (nsink > 0 && !sinks))
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_assemble needs a context, a model and its sinks");
    assembly_run r = {.ctx = ctx, .model = model, .arena.ctx = ctx};
    bl_run_summary made = {0};
    bl_index nbegun = 0;
    double begin = bl_clock_seconds();
    bl_context_clear_warnings(ctx);
    bl_status status = bl_run_resolve(ctx, model, options, &r.options);
    if (status == BL_OK)
        status = bl_run_prepare_within(ctx, model, r.options.coordinates, r.options.closure, &r.sys, &r.state);
    if (status == BL_OK)
        status = bl_closure_warn(r.sys, model, &r.state);
    if (status == BL_OK)
        status = hand_out(&r, sinks, nsink, &nbegun, &made);
    status = bl_run_refused(ctx, model, options, status);
    made.status = status;
    made.wall_seconds = bl_clock_seconds() - begin;
    status = bl_sinks_end(sinks, nbegun, &made);
    if (summary)
        *summary = made;
    bl_formulation_destroy(r.form);
    if (r.sys) {
        bl_eval_destroy(r.sys, &r.eval);
        bl_state_destroy(r.sys, &r.state);
        bl_system_destroy(r.sys);
    }
    bl_free(ctx, r.a);
    bl_arena_destroy(&r.arena);
    return status;
}
