/* The study `equilibrium`: builds the system of a model and outputs its equilibria, each as a sample at its load. */
#include "base/sized.h"
#include "signal/signal.h"
#include "study/equilibrium_private.h"
#include "study/equilibrium_starts.h"

#include "kkt/row_choice.h"
#include "model/model.h"
#include "study/closure.h"
#include "study/run.h"
#include "system/system_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAMED = 20 }; /* redundant rows in the log */

typedef struct run {
    bl_run run;
    bl_context *ctx;
    const bl_model *model; /* the given one, then its variant */
    bl_system *sys;
    bl_state state;
    bl_statics *statics;
    bl_equilibrium_options options;
    double *a; /* [nv] zeros */
    double last_t;
    double smallest, largest; /* increments */
    double drift, misfit;
    double energy, energy_error; /* at the first equilibrium; largest error of the balance since */
    double dissipated;
    /* variants of the model */
    bl_family family;
    bl_place parameter_place, *hold_place; /* in the model; line 0: in a call */
    bl_model *based, *varied;              /* with the parameter at the start of the path; with variables held; NULL: the one before */
    bl_index *held;
    double *held_value;
    bl_equilibrium_point point;
    bl_starts starts;
} run;

bl_status bl_equilibrium_check(bl_context *ctx, const bl_equilibrium_options *o) {
    if (o->starts < 0 || o->nhold < 0 || (o->nhold > 0 && !o->hold))
        return bl_fail(ctx, BL_E_ARG, NULL, "the numbers of starts and of held variables must not be negative");
    if (o->parameter && o->from == o->until)
        return bl_fail(ctx, BL_E_ARG, NULL, "a path over %s needs two different values, found %g and %g", o->parameter, o->from, o->until);
    if (o->starts > 0 && (o->parameter || o->until > o->from)) {
        bl_fail(ctx, BL_E_ARG, NULL, "a path begins at one equilibrium: it cannot have %d starts", (int)o->starts);
        bl_advise(ctx, "find equilibria first (--starts), then follow a path from one of them (initial:)");
        return BL_E_ARG;
    }
    if (o->branches && !o->parameter && !(o->until > o->from && o->arc_length)) {
        bl_fail(ctx, BL_E_ARG, NULL, "branches need a path to start from, and none is given");
        bl_advise(ctx, "give --path PARAMETER=FROM:TO, or --until with --arc-length");
        return BL_E_ARG;
    }
    if (!isfinite(o->from) || !isfinite(o->until))
        return bl_fail(ctx, BL_E_ARG, NULL, "the ends of a path must be finite numbers, found %g and %g", o->from, o->until);
    if (!(o->tolerance >= 0 && o->tolerance <= 0.1))
        return bl_fail(ctx, BL_E_ARG, NULL, "the tolerance must be above 0 and at most 0.1, found %g", o->tolerance);
    if (o->increments < 0 || o->iterations < 0 || o->points < 0)
        return bl_fail(ctx, BL_E_ARG, NULL, "increments, iterations and points must not be negative");
    if (o->arc_length && !o->parameter && !(o->until > o->from)) {
        bl_fail(ctx, BL_E_ARG, NULL, "arc length needs a path: until (%g) must be greater than from (%g)", o->until, o->from);
        bl_advise(ctx, "give --until, the load where the path ends");
        return BL_E_ARG;
    }
    return BL_OK;
}

/* options that the call leaves open are taken from the section of the model */
static bl_status take_section(run *r) {
    const bl_equilibrium_def *section = r->model->equilibrium;
    bl_equilibrium_options *o = &r->options;
    if (!section || o->plain)
        return BL_OK;
    o->tolerance = o->tolerance > 0 ? o->tolerance : section->tolerance;
    o->any = o->any || section->any;
    if (section->path && !o->parameter && !(o->until > o->from) && o->starts == 0) {
        o->parameter = section->path->parameter.name;
        r->parameter_place = section->path->parameter.place;
        o->from = section->path->from;
        o->until = section->path->to;
        o->branches = o->branches || section->path->branches;
        o->points = o->points > 0 ? o->points : section->path->points;
    }
    if (o->starts == 0 && !o->parameter && !(o->until > o->from))
        o->starts = section->starts;
    if (o->nhold > 0 || section->nhold == 0)
        return BL_OK;
    const char **names;
    BL_TRY(BL_ARENA_ARRAYS(&r->run.arena, BL_ARRAY(names, section->nhold), BL_ARRAY(r->hold_place, section->nhold)));
    for (bl_index i = 0; i < section->nhold; i++) {
        names[i] = section->hold[i].name;
        r->hold_place[i] = section->hold[i].place;
    }
    o->hold = names;
    o->nhold = section->nhold;
    return BL_OK;
}

static bl_status resolve(run *r) {
    BL_TRY(take_section(r));
    BL_TRY(bl_equilibrium_check(r->ctx, &r->options));
    bl_run_options asked = {.coordinates = r->options.coordinates, .closure = r->options.closure};
    BL_TRY(bl_run_resolve(r->ctx, r->model, &asked, &r->run.options));
    bool path = r->options.parameter || r->options.until > r->options.from;
    r->run.options.linsol = r->options.linsol;
    r->run.options.until = path ? r->options.until : r->options.from;
    r->run.options.tolerance = r->options.tolerance > 0 ? r->options.tolerance : 1e-10;
    r->run.options.formulation = "equilibrium";
    r->run.options.integrator = r->options.arc_length || r->options.parameter ? "arc_length"
                                : path                                        ? "increments"
                                : r->options.starts > 0                       ? "starts"
                                                                              : "none";
    r->run.options.step = 0;
    return BL_OK;
}

/* ---- the variant of the model: a parameter at the start of its path, variables held at their start values */

static bl_status open_family(run *r) {
    const bl_place *place = r->parameter_place.line > 0 ? &r->parameter_place : NULL;
    if (!r->options.parameter)
        return BL_OK;
    if (r->model->nbody < 2) {
        bl_fail(r->ctx, BL_E_ABILITY, place, "a path over a parameter needs bodies: this model has none");
        bl_advise(r->ctx, "write the load as an expression of t and follow it: --until 1 --arc-length");
        return BL_E_ABILITY;
    }
    BL_TRY(bl_family_open(r->ctx, r->model, r->options.parameter, place, &r->family));
    BL_TRY(bl_model_revalue(r->ctx, r->model, &(bl_override){r->options.parameter, r->options.from}, 1, &r->based));
    r->family.coordinates = r->run.options.coordinates;
    r->family.closure = r->run.options.closure;
    r->family.held.value = r->options.from;
    r->model = r->based;
    return BL_OK;
}

static bl_status find_variable(run *r, bl_index i) {
    const char *name = r->options.hold[i] ? r->options.hold[i] : "";
    const bl_place *place = r->hold_place ? &r->hold_place[i] : NULL;
    const bl_model *model = r->model;
    r->held[i] = bl_model_variable(model, name);
    if (r->held[i] >= 0)
        return BL_OK;
    bl_status status = bl_fail(r->ctx, place ? BL_E_MODEL : BL_E_ARG, place, "there is no variable '%s' to hold", name);
    const char **names;
    BL_TRY(BL_NEW(r->ctx, names, model->nvariable));
    for (bl_index k = 0; k < model->nvariable; k++)
        names[k] = model->variable[k].name;
    const char *nearest = bl_nearest(name, names, (size_t)model->nvariable);
    if (nearest)
        bl_advise(r->ctx, "did you mean '%s'?", nearest);
    bl_free(r->ctx, names);
    return status;
}

/* values of held variables at the start of the unchanged model */
static bl_status read_held(run *r) {
    double *variable;
    BL_TRY(BL_ARENA_NEW(&r->run.arena, variable, r->model->nvariable));
    BL_TRY(bl_run_start(r->ctx, r->model, r->run.options.coordinates, r->run.options.closure, NULL, variable));
    for (bl_index i = 0; i < r->options.nhold; i++)
        r->held_value[i] = variable[r->held[i]];
    return BL_OK;
}

/* entries for positions; those for velocities do not matter here, and held variables cannot have any */
static bl_status initial_positions(run *r, bl_variant_ask *ask) {
    const bl_model *model = r->model;
    bl_initial *entry;
    BL_TRY(BL_ARENA_NEW(&r->run.arena, entry, model->ninitial));
    for (bl_index i = 0; i < model->ninitial; i++) {
        bl_initial_what what = model->initial[i].what;
        bool held = false;
        for (bl_index k = 0; k < r->options.nhold; k++)
            held = held || (what == BL_INITIAL_VARIABLE && model->initial[i].ref == r->held[k]);
        if (!held && (what == BL_INITIAL_VARIABLE || what == BL_INITIAL_POSITION || what == BL_INITIAL_ORIENTATION))
            entry[ask->ninitial++] = model->initial[i];
    }
    ask->initial = entry;
    ask->begin = true;
    return BL_OK;
}

static bl_status hold_variables(run *r) {
    bl_index n = r->options.nhold;
    if (n == 0)
        return BL_OK;
    if (r->model->nbody < 2)
        return bl_fail(r->ctx, BL_E_ABILITY, NULL, "variables can be held only in mechanisms: this model has no bodies");
    BL_TRY(BL_ARENA_ARRAYS(&r->run.arena, BL_ARRAY(r->held, n), BL_ARRAY(r->held_value, n)));
    for (bl_index i = 0; i < n; i++)
        BL_TRY(find_variable(r, i));
    BL_TRY(read_held(r));
    r->family.ask = (bl_variant_ask){.hold = r->held, .value = r->held_value, .nhold = n};
    BL_TRY(initial_positions(r, &r->family.ask));
    BL_TRY(bl_model_vary(r->ctx, r->model, &r->family.ask, &r->varied));
    r->model = r->varied;
    return BL_OK;
}

/* positions that satisfy the drivers at the load where the path begins */
static bl_status prepare(run *r) {
    bool over = r->options.parameter != NULL;
    BL_TRY(open_family(r));
    BL_TRY(hold_variables(r));
    BL_TRY(bl_run_prepare_held(r->ctx, r->model, r->run.options.coordinates, r->run.options.closure, over ? &r->family.held : NULL, over,
                               &r->sys, &r->state));
    BL_TRY(bl_signal_timeless(r->ctx, r->model, "equilibria"));
    BL_TRY(bl_run_choose_fields(&r->run, r->sys, r->options.fields));
    r->family.fields = r->options.fields;
    BL_TRY(bl_closure_warn(r->sys, r->model, &r->state));
    r->family.first = r->sys;
    if (!over)
        *r->state.t = r->options.from;
    if (r->sys->np > 0 && r->options.from != 0 && !over) {
        bl_status status = bl_assemble_nearby(r->sys, &r->state);
        if (status > 0)
            return bl_fail(r->ctx, BL_E_NUMERIC, NULL, "the mechanism cannot be assembled at t = %.9g, where the path begins",
                           r->options.from);
        BL_TRY(status);
    }
    BL_TRY(BL_NEW(r->ctx, r->a, r->sys->nv));
    BL_TRY(bl_statics_create_over(r->sys, over ? &r->family : NULL, &r->state, &r->options, &r->statics));
    r->statics->model = r->model;
    r->run.model = r->model;
    BL_TRY(bl_run_describe(&r->run, r->sys, NULL));
    r->run.info.load = r->options.parameter;
    r->run.info.linsol = r->options.linsol ? r->options.linsol : r->statics->kkt->dense ? "full matrices" : "auto";
    return BL_OK;
}

/* for meshes: stored plus dissipated energy equals the work done since the first equilibrium */
static void balance(run *r, bl_sample *sample) {
    const bl_system *sys = r->sys;
    if (!(sys->facts & BL_FINE) || sys->nbody > 1 || !(sys->can & BL_CAN_ENERGY) || !(r->run.want & BL_WANT_ENERGIES))
        return;
    double energy = sample->potential + sample->dissipated - sample->work;
    r->energy = r->statics->found.found == 1 ? energy : r->energy;
    sample->energy_error = energy - r->energy;
    r->dissipated = sample->dissipated;
    r->energy_error = fmax(r->energy_error, fabs(sample->energy_error));
}

/* logs the redundant constraint equations, found by the same rule as in other studies */
static bl_status log_redundant(run *r, bl_statics *s) {
    bl_index count = s->np - s->kkt->r, *named;
    bl_log(r->ctx, BL_LOG_INFO, "equilibrium: %d coordinates, %d constraint equations of rank %d, %d degrees of freedom", (int)s->n,
           (int)s->np, (int)s->kkt->r, (int)s->kkt->f);
    if (count <= 0 || !bl_logs(r->ctx, BL_LOG_INFO))
        return BL_OK;
    BL_TRY(BL_NEW(r->ctx, named, count));
    bl_rows_ask ask = {.sys = s->sys, .G = s->kkt->G, .tolerance = bl_rank_tolerance(s->sys->closure)};
    bl_status status = bl_rows_redundant(&ask, s->kkt->r, named);
    for (bl_index i = 0; status == BL_OK && i < count && i < MOST_NAMED; i++) {
        char part[96], equation[128];
        bl_system_row_name(s->sys, named[i], part, sizeof part, equation, sizeof equation);
        bl_log(r->ctx, BL_LOG_INFO, "equilibrium: redundant equation: %s, %s", part, equation);
    }
    if (status == BL_OK && count > MOST_NAMED)
        bl_log(r->ctx, BL_LOG_INFO, "equilibrium: and %d more redundant equations", (int)(count - MOST_NAMED));
    bl_free(r->ctx, named);
    if (status > 0)
        bl_context_clear_error(r->ctx);
    return status < 0 ? status : BL_OK;
}

/* properties of the equilibrium that is reported; softest motions unless it is a point of a path */
static bl_status describe_point(run *r, bl_statics *s, double load) {
    bl_equilibrium_point *p = &r->point;
    bool path = r->options.parameter || r->options.until > r->options.from;
    *p = (bl_equilibrium_point){.load = load,
                                .branch = s->branch,
                                .unstable = s->found.unstable,
                                .neutral = s->found.neutral,
                                .conservative = s->found.conservative,
                                .residual = s->found.residual};
    if (s->now) { /* where a motion changes sides, counts are rounding */
        p->critical = true;
        p->what = s->now->what;
        p->unstable = -1;
        p->neutral = 0;
        return BL_OK;
    }
    snprintf(p->motions, sizeof p->motions, "%s", s->found.motions);
    if (!p->conservative) {
        BL_TRY(bl_statics_judge_motion(s, p));
        s->found.unstable = p->unstable;
        s->found.neutral = p->neutral;
        snprintf(s->found.motions, sizeof s->found.motions, "%s", p->motions);
    }
    return path ? BL_OK : bl_statics_softest(s, &p->nsoft, p->soft);
}

/* sinks begin with the first equilibrium, when the number of degrees of freedom is known */
static bl_status output_equilibrium(bl_statics *s, void *user) {
    run *r = user;
    double t = bl_statics_shown(s, bl_statics_load(s, &s->kept)), misfit = 0;
    bl_sample sample;
    if (r->run.nbegun == 0 && r->run.nsink > 0) {
        r->run.info.dof = s->kkt->f - (s->sys->nv ? s->sys->nz : 0);
        BL_TRY(log_redundant(r, s));
        BL_TRY(bl_run_begin(&r->run));
    } else if (s->found.found > 1) {
        double step = fabs(t - r->last_t);
        r->smallest = r->smallest > 0 ? fmin(r->smallest, step) : step;
        r->largest = fmax(r->largest, step);
    }
    r->last_t = t;
    if (r->run.want) {
        BL_TRY(bl_statics_use_load(s, &s->kept));
        BL_TRY(describe_point(r, s, t));
        BL_TRY(bl_simulation_fill_sample(s->sys, NULL, &s->eval, &s->kept, r->a, s->kept.lambda, r->run.want, &sample, &misfit));
        sample.t = r->starts.nfound > 0 ? (double)r->starts.shown : t;
        sample.equilibrium = &r->point;
        if (r->run.want & BL_WANT_DRIFT)
            r->drift = fmax(r->drift, sample.drift);
        r->misfit = fmax(r->misfit, misfit);
        balance(r, &sample);
        BL_TRY(bl_run_sample(&r->run, &sample));
        bl_eval_at(&s->eval, &s->kept);
        s->factored = s->factored && s->linear; /* the sample evaluated the system elsewhere */
    }
    bl_run_progress(&r->run, t, r->run.options.until);
    return BL_OK;
}

static void starts_so_far(void *user, bl_index done) {
    run *r = user;
    bl_run_progress(&r->run, done, r->options.starts);
}

/* from many starts: finds all equilibria, then reports them in the order of their energy */
static bl_status from_many_starts(run *r) {
    BL_TRY(bl_starts_search(&r->starts, r->statics, r->model, &r->state, r->options.starts, starts_so_far, r));
    for (bl_index k = 0; k < r->starts.nfound; k++) {
        r->starts.shown = k + 1;
        BL_TRY(bl_starts_show(&r->starts, r->statics, k));
        BL_TRY(output_equilibrium(r->statics, r));
    }
    return BL_OK;
}

/* warnings about the last equilibrium */
static void warn(run *r) {
    const bl_equilibrium_summary *found = &r->statics->found;
    if (found->found == 0)
        return;
    bool one = r->options.starts == 0; /* of several, each reports its own stability */
    if (one && found->unstable > 0)
        bl_warn(r->ctx, found->t, NULL, "the equilibrium is unstable along %d motion%s: %s", (int)found->unstable,
                found->unstable == 1 ? "" : "s", found->motions);
    else if (one && found->neutral > 0)
        bl_warn(r->ctx, found->t, NULL, "the equilibrium is neutral along %d motion%s, whose position is that of the start: %s",
                (int)found->neutral, found->neutral == 1 ? "" : "s", found->motions);
    if (!found->conservative && found->unstable < 0 && r->statics->full)
        bl_warn(r->ctx, found->t, NULL,
                "stability is unknown: forces have no potential here, and some motions have no mass; `biela modes` shows more");
    if (r->sys->nload > 0)
        bl_warn(r->ctx, found->t, NULL, "dry friction is ignored: it acts only on moving contacts");
}

static void summarize(run *r, bl_run_summary *summary) {
    const bl_statics *s = r->statics;
    summary->t = r->options.from;
    if (!s)
        return;
    summary->t = s->found.found ? s->found.t : r->options.from;
    summary->steps = s->found.found;
    summary->rejections = s->found.refused;
    summary->newton_iterations = s->found.iterations;
    summary->tangents = s->tangents;
    if (s->kkt) {
        summary->factorizations = s->kkt->factors;
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
    run r = {.ctx = ctx, .model = model};
    bl_equilibrium_summary none = {.size = sizeof none, .t = NAN, .unstable = -1, .softest = NAN, .conservative = true};
    BL_TRY(BL_TAKE(ctx, bl_equilibrium_options, options, &r.options));
    BL_TRY(BL_FITS(ctx, bl_run_summary, summary));
    BL_TRY(BL_FITS(ctx, bl_equilibrium_summary, found));
    BL_TRY(bl_run_open(&r.run, "bl_equilibrium", ctx, model, sinks, nsink));
    bl_status status = resolve(&r);
    if (status == BL_OK)
        status =
            bl_run_refused(ctx, model, &(bl_run_options){.coordinates = r.options.coordinates, .linsol = r.options.linsol}, prepare(&r));
    if (status == BL_OK)
        status = r.options.starts > 0 ? from_many_starts(&r) : bl_statics_follow(r.statics, output_equilibrium, &r);
    if (r.statics)
        warn(&r);
    bl_run_summary made = {.status = status};
    summarize(&r, &made);
    made.equilibrium = r.statics ? &r.statics->found : &none;
    status = bl_run_close(&r.run, 0, &made, summary);
    if (summary)
        summary->equilibrium = NULL;
    BL_GIVE(bl_equilibrium_summary, found, made.equilibrium);
    bl_starts_free(&r.starts, r.statics);
    bl_statics_destroy(r.statics);
    bl_run_release(r.sys, &r.state, NULL);
    bl_model_unvary(r.varied);
    bl_model_destroy(r.based);
    bl_free(ctx, r.a);
    return status;
}
