/* The study `equilibrium`: model to system to equilibria, each a sample at its load. */
#include "study/equilibrium.h"

#include "fem/fem.h"
#include "model/model.h"
#include "study/closure.h"
#include "study/run.h"

#include <math.h>
#include <string.h>

typedef struct run {
    bl_context *ctx;
    const bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_statics *statics;
    bl_equilibrium_options options;
    bl_run_options run;
    bl_run_info info;
    bl_arena arena;
    bl_sink *sink;
    bl_index nsink, nbegun;
    uint32_t want;
    double *a; /* [nv] zeros */
    double begin, last_progress, last_t;
    double smallest, largest; /* increments */
    double drift, misfit;
    double energy, energy_error; /* at the first equilibrium; largest error of the balance since */
    double dissipated;
} run;

bl_status bl_equilibrium_check(bl_context *ctx, const bl_equilibrium_options *o) {
    if (!isfinite(o->from) || !isfinite(o->until))
        return bl_fail(ctx, BL_E_ARG, NULL, "from %g until %g is no path", o->from, o->until);
    if (!(o->tolerance >= 0 && o->tolerance <= 0.1))
        return bl_fail(ctx, BL_E_ARG, NULL, "tolerance %g is not above 0 and at most 0.1", o->tolerance);
    if (o->increments < 0 || o->iterations < 0 || o->points < 0)
        return bl_fail(ctx, BL_E_ARG, NULL, "increments, iterations and points must not be negative");
    if (o->arc_length && !(o->until > o->from)) {
        bl_fail(ctx, BL_E_ARG, NULL, "the length of a path needs a path: until %g is not above %g", o->until, o->from);
        bl_advise(ctx, "give --until, the load where it ends");
        return BL_E_ARG;
    }
    return BL_OK;
}

static bl_status resolve(run *r, const bl_equilibrium_options *given) {
    static const bl_equilibrium_options nothing = {0};
    r->options = given ? *given : nothing;
    BL_TRY(bl_equilibrium_check(r->ctx, &r->options));
    bl_run_options asked = {.coordinates = r->options.coordinates, .closure = r->options.closure};
    BL_TRY(bl_run_resolve(r->ctx, r->model, &asked, &r->run));
    r->run.linsol = r->options.linsol;
    r->run.until = r->options.until > r->options.from ? r->options.until : r->options.from;
    r->run.tolerance = r->options.tolerance > 0 ? r->options.tolerance : 1e-10;
    r->run.formulation = "equilibrium";
    r->run.integrator = r->options.arc_length ? "arc_length" : r->options.until > r->options.from ? "increments" : "none";
    r->run.step = 0;
    return BL_OK;
}

/* positions that go with drivers at the load where the path begins */
static bl_status prepare(run *r) {
    BL_TRY(bl_run_prepare_within(r->ctx, r->model, r->run.coordinates, r->run.closure, &r->sys, &r->state));
    if (r->model->nsolid && (r->want & BL_WANT_FIELDS))
        BL_TRY(bl_fem_choose_fields(r->sys, r->options.fields));
    BL_TRY(bl_closure_warn(r->sys, r->model, &r->state));
    *r->state.t = r->options.from;
    if (r->sys->np > 0 && r->options.from != 0) {
        bl_status status = bl_assemble_nearby(r->sys, &r->state);
        if (status > 0)
            return bl_fail(r->ctx, BL_E_NUMERIC, NULL, "assembly: cannot close the mechanism at t = %.9g", r->options.from);
        BL_TRY(status);
    }
    BL_TRY(BL_NEW(r->ctx, r->a, r->sys->nv));
    BL_TRY(bl_statics_create(r->sys, &r->state, &r->options, &r->statics));
    BL_TRY(bl_run_describe(r->model, r->sys, NULL, &r->run, &r->arena, &r->info));
    BL_TRY(bl_run_fields(r->model, r->sys, r->want, &r->arena, &r->info));
    BL_TRY(bl_run_scene(r->ctx, r->model, r->want, &r->arena, &r->info));
    r->info.linsol = r->options.linsol ? r->options.linsol : r->statics->kkt->dense ? "full matrices" : "auto";
    return BL_OK;
}

/* of meshes: what is stored and dissipated is the work done since the first equilibrium */
static void balance(run *r, bl_sample *sample) {
    const bl_system *sys = r->sys;
    if (!(sys->facts & BL_FINE) || !(sys->can & BL_CAN_ENERGY) || !(r->want & BL_WANT_ENERGIES))
        return;
    double energy = sample->potential + sample->dissipated - sample->work;
    r->energy = r->statics->found.found == 1 ? energy : r->energy;
    sample->energy_error = energy - r->energy;
    r->dissipated = sample->dissipated;
    r->energy_error = fmax(r->energy_error, fabs(sample->energy_error));
}

/* sinks are begun with the first equilibrium, when the number of freedoms is known */
static bl_status hand_out(bl_statics *s, void *user) {
    run *r = user;
    double t = *s->kept.t, now = bl_clock_seconds(), misfit = 0;
    bl_sample sample;
    if (s->found.found == 1) {
        r->info.freedoms = s->kkt->f;
        BL_TRY(bl_sinks_begin(r->sink, r->nsink, &r->info, &r->nbegun));
    } else {
        double step = fabs(t - r->last_t);
        r->smallest = r->smallest > 0 ? fmin(r->smallest, step) : step;
        r->largest = fmax(r->largest, step);
    }
    r->last_t = t;
    if (r->want) {
        BL_TRY(bl_simulation_look(s->sys, NULL, &s->eval, &s->kept, r->a, s->kept.lambda, r->want, &sample, &misfit));
        if (r->want & BL_WANT_DRIFT)
            r->drift = fmax(r->drift, sample.drift);
        r->misfit = fmax(r->misfit, misfit);
        balance(r, &sample);
        BL_TRY(bl_sinks_sample(r->sink, r->nsink, &sample));
        bl_eval_at(&s->eval, &s->kept);
        s->factored = s->factored && s->linear; /* the place was looked at by others */
    }
    for (bl_index i = 0; i < r->nsink && now - r->last_progress > 0.1; i++)
        if (r->sink[i].progress)
            r->sink[i].progress(r->sink[i].user, t, r->run.until, now - r->begin);
    r->last_progress = now - r->last_progress > 0.1 ? now : r->last_progress;
    return BL_OK;
}

/* what a user should know about the last one */
static void warn(run *r) {
    const bl_equilibrium_summary *found = &r->statics->found;
    if (found->found == 0)
        return;
    if (found->unstable > 0)
        bl_warn(r->ctx, found->t, NULL, "the equilibrium is unstable along %d motion%s: %s", (int)found->unstable,
                found->unstable == 1 ? "" : "s", found->motions);
    else if (found->neutral > 0)
        bl_warn(r->ctx, found->t, NULL, "the equilibrium is neutral along %d motion%s, where the start decides: %s", (int)found->neutral,
                found->neutral == 1 ? "" : "s", found->motions);
    if (r->sys->nload > 0)
        bl_warn(r->ctx, found->t, NULL, "dry friction is ignored: it pushes only where something moves");
}

static void summarise(run *r, bl_status status, bl_run_summary *summary) {
    const bl_statics *s = r->statics;
    *summary = (bl_run_summary){.status = status, .t = r->options.from, .wall_seconds = bl_clock_seconds() - r->begin};
    if (!s)
        return;
    summary->t = s->found.found ? s->found.t : r->options.from;
    summary->steps = s->found.found;
    summary->rejections = s->found.refused;
    summary->newton_iterations = s->found.iterations;
    summary->tangents = s->tangents;
    if (s->kkt) {
        summary->factorisations = s->kkt->factors;
        summary->solves = s->kkt->solves;
    }
    summary->h_smallest = r->smallest;
    summary->h_largest = r->largest;
    summary->largest_drift = r->drift;
    summary->largest_misfit = r->misfit;
    summary->largest_energy_error = r->energy_error;
    summary->dissipated = r->dissipated;
}

bl_status bl_equilibrium(bl_context *ctx, const bl_model *model, const bl_equilibrium_options *options, bl_sink *sinks, bl_index nsink,
                         bl_run_summary *summary, bl_equilibrium_summary *found) {
    if (!ctx || !model || nsink < 0 || (nsink > 0 && !sinks))
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_equilibrium needs a context, a model and its sinks");
    run r = {.ctx = ctx, .model = model, .sink = sinks, .nsink = nsink, .begin = bl_clock_seconds(), .arena.ctx = ctx};
    bl_equilibrium_summary none = {.t = NAN, .unstable = -1, .softest = NAN};
    r.want = bl_sinks_want(sinks, nsink);
    r.last_progress = r.begin;
    bl_context_clear_warnings(ctx);
    bl_status status = resolve(&r, options);
    if (status == BL_OK)
        status =
            bl_run_refused(ctx, model, &(bl_run_options){.coordinates = r.options.coordinates, .linsol = r.options.linsol}, prepare(&r));
    if (status == BL_OK)
        status = bl_statics_follow(r.statics, hand_out, &r);
    if (r.statics)
        warn(&r);
    bl_run_summary made;
    summarise(&r, status, &made);
    made.equilibrium = r.statics ? &r.statics->found : &none;
    status = bl_sinks_end(sinks, r.nbegun, &made);
    if (found)
        *found = *made.equilibrium;
    made.equilibrium = NULL;
    if (summary)
        *summary = made;
    bl_statics_destroy(r.statics);
    if (r.sys) {
        bl_state_destroy(r.sys, &r.state);
        bl_system_destroy(r.sys);
    }
    bl_free(ctx, r.a);
    bl_arena_destroy(&r.arena);
    return status;
}
