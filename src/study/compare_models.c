/* The study `compare` of several models: each is solved by its own methods and sampled at common times; what has equal names is compared
 * with the first model (compare_quantities.h). */
#include "study/compare_quantities.h"

#include "base/sized.h"
#include "integrate/integrate.h"
#include "study/plan.h"
#include "study/run.h"
#include "study/study_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 200, STRESSES = 20 }; /* times by default; among them, those at which undetermined reactions are looked for */

typedef struct models_holding {
    bl_arena arena;
} models_holding;

typedef struct model_side {
    const bl_model *model;
    bl_traces traces;
    const bl_trace **partner; /* [quantities of the reference] NULL: none */
    double spent, spent_cpu;  /* in the sink, on undetermined reactions */
    bl_status status;         /* of the run */
} model_side;

typedef struct models_study {
    bl_context *ctx;
    const bl_compare_models_options *asked;
    bl_run_options given; /* for all models */
    bl_compare_models_report *report;
    bl_arena *arena;
    bl_compare_models_entry *entry; /* [nside] */
    model_side *side;
    bl_index nside, running;
    double *time; /* [samples + 1] */
    double *scale;
} models_study;

const char *bl_compared_kind_text(bl_compared_kind kind) {
    static const char *const text[] = {"length", "angle", "signal", "force", "moment"};
    return (size_t)kind < sizeof text / sizeof *text ? text[kind] : "unknown";
}

static double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static const char *name_of(const bl_model *model) {
    return model->name && model->name[0] ? model->name : model->file ? model->file : "model";
}

static bl_status copy(models_study *s, const char *text, const char **to) {
    *to = bl_arena_text(s->arena, text ? text : "", strlen(text ? text : ""));
    return *to ? BL_OK : BL_E_MEMORY;
}

/* ---- what the models have in common */

/* names without a partner, each once: those of a body or joint stand for all that is measured there */
static bl_status list_alone(models_study *s, const bl_traces *of, const bl_traces *in, bl_index *count, const char *const **names) {
    const char **name;
    BL_TRY(BL_ARENA_NEW(s->arena, name, of->n + 1));
    for (bl_index i = 0; i < of->n; i++) {
        const bl_trace *t = &of->trace[i];
        if (t->what != BL_TRACE_ORIENTATION && t->what != BL_TRACE_MOMENT && !bl_traces_find(in, t))
            BL_TRY(copy(s, t->name, &name[(*count)++]));
    }
    *names = name;
    return BL_OK;
}

static bl_status nothing_common(models_study *s, const model_side *other, const bl_traces *reference) {
    const bl_trace *a = reference->n ? reference->trace : NULL, *b = other->traces.n ? other->traces.trace : NULL;
    bl_fail(s->ctx, BL_E_MODEL, NULL,
            "'%s' and '%s' have no variable, probe, rigid body, signal or joint of the same name (the first ones are '%s' and '%s')",
            name_of(s->side[0].model), name_of(other->model), a ? a->name : "-", b ? b->name : "-");
    bl_advise(s->ctx, "give equal names to what is to be compared, for example to probes at the same points and to joints");
    return BL_E_MODEL;
}

static bl_status pair(models_study *s, bl_index k) {
    const bl_traces *reference = &s->side[0].traces;
    model_side *other = &s->side[k];
    bl_compare_models_entry *e = &s->entry[k];
    bl_compared *compared;
    BL_TRY(BL_ARENA_ARRAYS(s->arena, BL_ARRAY(other->partner, reference->n + 1), BL_ARRAY(compared, reference->n + 1)));
    for (bl_index i = 0; i < reference->n; i++) {
        const bl_trace *t = &reference->trace[i];
        other->partner[i] = bl_traces_find(&other->traces, t);
        if (!other->partner[i])
            continue;
        bl_compared *c = &compared[e->ncompared++];
        c->kind = (bl_compared_kind)t->kind;
        c->difference = c->time = c->scale = c->relative = NAN;
        c->part = t->what == BL_TRACE_POSITION      ? "position"
                  : t->what == BL_TRACE_ORIENTATION ? "orientation"
                  : t->what == BL_TRACE_FORCE       ? "force"
                  : t->what == BL_TRACE_MOMENT      ? "moment"
                                                    : "";
        BL_TRY(copy(s, t->name, &c->name));
        BL_TRY(copy(s, t->unit, &c->unit));
    }
    e->compared = compared;
    BL_TRY(list_alone(s, reference, &other->traces, &e->nonly_reference, &e->only_reference));
    BL_TRY(list_alone(s, &other->traces, reference, &e->nonly_here, &e->only_here));
    return e->ncompared ? BL_OK : nothing_common(s, other, reference);
}

/* ---- one run */

static bl_status take_begin(void *user, const bl_run_info *info) {
    models_study *s = user;
    bl_compare_models_entry *e = &s->entry[s->running];
    BL_TRY(copy(s, info->coordinates, &e->coordinates));
    BL_TRY(copy(s, info->formulation, &e->formulation));
    BL_TRY(copy(s, info->integrator, &e->integrator));
    e->unknowns = info->nv > 0 ? info->nv : info->nvariable; /* first-order equations have states alone */
    e->tolerance = info->tolerance;
    e->step = info->step;
    return BL_OK;
}

static bl_status take_sample(void *user, const bl_sample *sample) {
    models_study *s = user;
    model_side *side = &s->side[s->running];
    bl_index k = side->traces.ntime, apart = s->report->samples / STRESSES > 0 ? s->report->samples / STRESSES : 1;
    if (k > s->report->samples || sample->t != s->time[k]) /* of an event that ended the run */
        return BL_OK;
    double wall = bl_clock_seconds(), cpu = cpu_seconds();
    bl_status status = bl_traces_take(s->ctx, &side->traces, sample, k % apart == 0);
    side->spent += bl_clock_seconds() - wall;
    side->spent_cpu += cpu_seconds() - cpu;
    return status;
}

static bl_index count_elements(const bl_model *model) {
    bl_index n = 0;
    for (bl_index i = 0; i < model->nelastic; i++)
        n += model->elastic[i].beam ? model->elastic[i].beam->nelement : 0;
    for (bl_index i = 0; i < model->nsolid; i++)
        n += model->solid[i].mesh.nelement;
    return n;
}

static void failed(models_study *s, bl_compare_models_entry *e) {
    const bl_error *error = bl_context_error(s->ctx);
    e->agreement = BL_AGREEMENT_FAILED;
    snprintf(e->reason, sizeof e->reason, "%s", error->what[0] ? error->what : bl_status_text(error->status));
    for (char *at = e->reason; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    bl_context_clear_error(s->ctx);
}

/* A failure of the reference ends the study, one of another model is reported. */
static bl_status run_model(models_study *s, bl_index k) {
    model_side *side = &s->side[k];
    bl_compare_models_entry *e = &s->entry[k];
    bl_run_options o = s->given;
    bl_run_summary summary = {.size = sizeof summary};
    bl_sink sink = {.size = sizeof sink,
                    .user = s,
                    .begin = take_begin,
                    .sample = take_sample,
                    .want = BL_WANT_BODIES | BL_WANT_VARIABLES | BL_WANT_PROBES | BL_WANT_REACTIONS | BL_WANT_SIGNALS | BL_WANT_ENERGIES |
                            BL_WANT_DRIFT};
    o.until = s->report->until;
    o.at = s->time;
    o.nat = s->report->samples + 1;
    s->running = k;
    double cpu = cpu_seconds();
    side->status = bl_simulate(s->ctx, side->model, &o, &sink, 1, &summary);
    e->cpu_seconds = cpu_seconds() - cpu - side->spent_cpu;
    e->wall_seconds = summary.wall_seconds - side->spent;
    e->elements = count_elements(side->model);
    e->steps = summary.steps;
    e->evaluations = summary.evaluations;
    e->drift = summary.largest_drift;
    e->energy_error = side->model->equations || side->model->matrices ? NAN : summary.largest_energy_error;
    e->end = summary.t;
    if (summary.method_changes) /* integrator auto */
        BL_TRY(copy(s, summary.method, &e->integrator));
    bl_index undetermined = 0;
    for (bl_index j = 0; j < side->model->njoint; j++)
        undetermined += side->traces.left_out[j] != 0;
    e->undetermined = undetermined;
    if (side->status == BL_E_MEMORY || side->status == BL_STOPPED || (side->status < 0 && k == 0))
        return side->status;
    if (side->status < 0)
        failed(s, e);
    return BL_OK;
}

/* ---- judgment */

static bool is_reaction(bl_compared_kind kind) { return kind == BL_COMPARED_FORCE || kind == BL_COMPARED_MOMENT; }

static void judge(models_study *s, bl_compare_models_entry *e) {
    const bl_compared *most = NULL;
    for (int kind = 0; kind < BL_COMPARED_KINDS; kind++) {
        const bl_compared *c = e->worst[kind] >= 0 ? &e->compared[e->worst[kind]] : NULL;
        double allowed = is_reaction((bl_compared_kind)kind) ? s->report->agree_reactions : s->report->agree;
        if (c && allowed > 0 && c->relative > allowed && (!most || c->relative > most->relative))
            most = c;
    }
    e->agreement = most ? BL_DISAGREED : BL_AGREED;
    if (most)
        snprintf(e->reason, sizeof e->reason, "%s%s%s differs by %.3g%% of its largest value, more than %.3g%%, at t = %.6g s", most->name,
                 most->part[0] ? ", " : "", most->part, 100 * most->relative,
                 100 * (is_reaction(most->kind) ? s->report->agree_reactions : s->report->agree), most->time);
}

/* up to the shortest end */
static bl_index common_times(const models_study *s) {
    bl_index n = s->report->samples + 1;
    for (bl_index k = 0; k < s->nside; k++)
        if (s->side[k].status >= 0 && s->side[k].traces.ntime < n)
            n = s->side[k].traces.ntime;
    return n;
}

static void compare_with(models_study *s, bl_index k, bl_index ntime) {
    const bl_traces *reference = &s->side[0].traces;
    const model_side *side = &s->side[k];
    bl_compare_models_entry *e = &s->entry[k];
    bl_compared *c = (bl_compared *)e->compared; /* of this study, no longer changed after it */
    for (bl_index i = 0; i < reference->n; i++) {
        const bl_trace *t = &reference->trace[i];
        if (!side->partner[i])
            continue;
        c->scale = s->scale[i];
        bl_traces_compare(reference, t, &side->traces, side->partner[i], s->time, ntime, c);
        bl_index *worst = &e->worst[t->kind];
        if (!isnan(c->relative) && (*worst < 0 || c->relative > e->compared[*worst].relative))
            *worst = (bl_index)(c - e->compared);
        c++;
    }
    judge(s, e);
}

static void count(bl_compare_models_report *r, const bl_compare_models_entry *e) {
    bl_index *const counter = e->agreement == BL_AGREED ? &r->agreed : e->agreement == BL_DISAGREED ? &r->disagreed : &r->failed;
    ++*counter;
}

/* ---- the study */

static bl_status refuse(bl_context *ctx, const char *what, const char *advice) {
    bl_fail(ctx, BL_E_ARG, NULL, "%s", what);
    bl_advise(ctx, "%s", advice);
    return BL_E_ARG;
}

static bl_status check_model(models_study *s, const bl_model *model) {
    if (!model->deck)
        return BL_OK;
    bl_fail(s->ctx, BL_E_ABILITY, NULL, "'%s' is a deck, whose steps are an analysis of their own: it cannot be compared with other models",
            name_of(model));
    bl_advise(s->ctx, "use its mesh in a model: `mesh: {file: DECK.inp}`");
    return BL_E_ABILITY;
}

/* options of all models, and until when they are compared */
static bl_status prepare(models_study *s, const bl_model *const *model) {
    const bl_compare_models_options *o = s->asked;
    bl_compare_models_report *r = s->report;
    if (!(o->agree >= 0) || !(o->agree_reactions >= 0) || !isfinite(o->agree) || !isfinite(o->agree_reactions) || o->samples < 0)
        return refuse(s->ctx, "relative differences and the number of samples must be finite and not negative", "0 stands for the default");
    r->agree = o->agree > 0 ? o->agree : study_compare_agree;
    r->agree_reactions = o->agree_reactions;
    r->samples = o->samples > 0 ? o->samples : SAMPLES;
    r->until = INFINITY;
    s->given = o->run ? *o->run : (bl_run_options){0};
    s->given.size = sizeof s->given;
    s->given.at = NULL;
    s->given.nat = 0;
    s->given.every = 0;
    s->given.every_step = false;
    BL_TRY(BL_ARENA_ARRAYS(s->arena, BL_ARRAY(s->side, s->nside), BL_ARRAY(s->entry, s->nside), BL_ARRAY(s->time, r->samples + 1)));
    for (bl_index k = 0; k < s->nside; k++) {
        model_side *side = &s->side[k];
        side->model = model[k];
        BL_TRY(check_model(s, model[k]));
        bl_run_options resolved;
        BL_TRY(bl_run_refused(s->ctx, model[k], &s->given, bl_run_resolve(s->ctx, model[k], &s->given, &resolved)));
        BL_TRY(bl_run_check_times(s->ctx, &resolved));
        BL_TRY(bl_traces_create(s->arena, model[k], r->samples + 1, &side->traces));
        r->until = fmin(r->until, resolved.until);
        bl_compare_models_entry *e = &s->entry[k];
        e->drift = e->energy_error = e->wall_seconds = e->cpu_seconds = e->end = NAN;
        e->coordinates = e->formulation = e->integrator = "";
        for (int kind = 0; kind < BL_COMPARED_KINDS; kind++)
            e->worst[kind] = -1;
        BL_TRY(copy(s, name_of(model[k]), &e->model_name));
    }
    for (bl_index k = 0; k <= r->samples; k++)
        s->time[k] = k < r->samples ? r->until * k / r->samples : r->until; /* not beyond by rounding */
    for (bl_index k = 1; k < s->nside; k++)
        BL_TRY(pair(s, k));
    return BL_ARENA_NEW(s->arena, s->scale, s->side[0].traces.n + 1);
}

static bl_status study(models_study *s, const bl_model *const *model) {
    bl_compare_models_report *r = s->report;
    BL_TRY(prepare(s, model));
    r->entry = s->entry;
    for (bl_index k = 0; k < s->nside; k++) {
        if (s->asked->progress)
            s->asked->progress(s->asked->progress_user, k, s->nside, s->entry[k].model_name);
        BL_TRY(run_model(s, k));
        r->nentry = k + 1;
    }
    bl_index ntime = common_times(s);
    if (ntime <= r->samples)
        r->until = s->time[ntime > 0 ? ntime - 1 : 0];
    bl_traces_scales(&s->side[0].traces, ntime, s->scale);
    for (bl_index k = 1; k < s->nside; k++) {
        if (s->entry[k].agreement != BL_AGREEMENT_FAILED)
            compare_with(s, k, ntime);
        count(r, &s->entry[k]);
    }
    return BL_OK;
}

bl_status bl_compare_models(bl_context *ctx, const bl_model *const *model, bl_index nmodel, const bl_compare_models_options *options,
                            bl_compare_models_report *report) {
    bl_compare_models_options asked;
    bl_run_options run;
    bl_compare_models_report made = {.size = sizeof made};
    models_holding *own;
    if (!ctx || !model || nmodel < 2 || !report)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_compare_models needs a context, two models or more and a report");
    BL_TRY(BL_TAKE(ctx, bl_compare_models_options, options, &asked));
    BL_TRY(BL_TAKE(ctx, bl_run_options, asked.run, &run));
    BL_TRY(BL_FITS(ctx, bl_compare_models_report, report));
    asked.run = asked.run ? &run : NULL;
    BL_GIVE(bl_compare_models_report, report, &made);
    BL_TRY(BL_NEW(ctx, own, 1));
    own->arena.ctx = ctx;
    made.own = own;
    models_study s = {.ctx = ctx, .asked = &asked, .report = &made, .arena = &own->arena, .nside = nmodel};
    bl_status status = study(&s, model);
    BL_GIVE(bl_compare_models_report, report, &made);
    return status;
}

void bl_compare_models_report_destroy(bl_context *ctx, bl_compare_models_report *report) {
    models_holding *own = report->own;
    if (own)
        bl_arena_destroy(&own->arena);
    bl_free(ctx, own);
    BL_CLEAR(bl_compare_models_report, report);
}
