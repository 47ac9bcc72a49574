/* Shared by all studies with samples. */
#include "study/run.h"

#include "base/crew.h"
#include "base/sized.h"
#include "equations/equations.h"
#include "equations/matrices.h"
#include "fem/fem.h"
#include "joint/joint.h"
#include "model/option_limits.h"
#include "signal/signal.h"
#include "study/closure.h"
#include "study/defaults.h"
#include "study/drivers.h"
#include "study/plan.h"
#include "study/sections.h"
#include "study/study_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *first_text(const char *a, const char *b, const char *c) { return a ? a : b ? b : c; }

static double first_number(double a, double b, double c) { return a > 0 ? a : b > 0 ? b : c; /* NaN is not > 0 */ }

static const char *const singular_words[] = {[BL_PASS] = "pass", [BL_STEP_OVER] = "step_over", [BL_REFUSE_SINGULAR] = "refuse"};

bl_status bl_run_singular(bl_context *ctx, const char *word, const bl_place *place, bl_singular_policy *policy) {
    enum { COUNT = sizeof singular_words / sizeof *singular_words };
    for (int i = 0; i < COUNT; i++)
        if (strcmp(word, singular_words[i]) == 0) {
            if (policy)
                *policy = (bl_singular_policy)i;
            return BL_OK;
        }
    bl_status status = place ? BL_E_MODEL : BL_E_ARG;
    bl_fail(ctx, status, place, "singular must be pass, step_over or refuse, found '%s'", word);
    const char *near = bl_nearest(word, singular_words, COUNT);
    if (near)
        bl_advise(ctx, "did you mean '%s'?", near);
    return status;
}

static bool is_auto(const char *coordinates) { return strcmp(coordinates, BL_DEFAULT_COORDINATES) == 0; }

bl_status bl_run_resolve(bl_context *ctx, const bl_model *model, const bl_run_options *given, bl_run_options *o) {
    static const bl_run_options nothing = {0};
    const bl_run_options *asked = given ? given : &nothing;
    const bl_settings *settings = &model->settings;
    *o = *asked;
    o->coordinates = model->matrices             ? "matrices"
                     : bl_model_of_meshes(model) ? "nodes"
                     : model->equations          ? "equations"
                                                 : first_text(asked->coordinates, settings->coordinates, BL_DEFAULT_COORDINATES);
    o->formulation = first_text(asked->formulation, settings->formulation, NULL); /* else chosen when the system is known (plan.h) */
    o->integrator = first_text(asked->integrator, settings->integrator, NULL);    /* likewise */
    if (o->integrator && strcmp(o->integrator, BL_AUTO_INTEGRATOR) == 0)
        o->integrator = NULL;
    o->linsol = first_text(asked->linsol, settings->linsol, NULL);
    o->ordering = first_text(asked->ordering, settings->ordering, NULL);
    o->singular = first_text(asked->singular, settings->singular, singular_words[BL_PASS]);
    BL_TRY(bl_run_singular(ctx, o->singular, asked->singular ? NULL : &settings->singular_at, NULL));
    BL_TRY(bl_model_check_closure(ctx, NULL, asked->closure));
    o->closure = asked->closure > 0 ? asked->closure : settings->closure;
    const double *number[] = {&asked->until, &asked->tolerance, &asked->step, &asked->every, &asked->absolute};
    const char *const name[] = {"until", "tolerance", "step", "every", "absolute"};
    for (int i = 0; i < 5; i++) {
        if (*number[i] < 0 || !isfinite(*number[i]))
            return bl_fail(ctx, BL_E_ARG, NULL, "%s must be finite and not negative, found %g", name[i], *number[i]);
        if (*number[i] > 0)
            BL_TRY(bl_limit_check(ctx, NULL, name[i], *number[i], i == 2 ? asked->until : 0));
    }
    o->until = first_number(asked->until, settings->until, 0);
    o->tolerance = first_number(asked->tolerance, settings->tolerance,
                                model->nsolid || model->nelastic ? BL_DEFAULT_TOLERANCE_MESH : BL_DEFAULT_TOLERANCE);
    if (is_auto(o->coordinates)) {
        BL_TRY(bl_plan_coordinates(ctx, model, o, &o->coordinates));
        bl_log(ctx, BL_LOG_INFO, "chosen coordinates: %s", o->coordinates);
    }
    o->absolute = first_number(asked->absolute, settings->absolute, 0);
    o->threads = asked->threads ? asked->threads : settings->threads ? settings->threads : 1;
    if (o->threads < 1 || o->threads > BL_CREW_MOST)
        return bl_fail(ctx, BL_E_ARG, NULL, "threads must be 1 to %d, found %d", BL_CREW_MOST, o->threads);
    o->step = first_number(asked->step, settings->step, 0);
    o->every = first_number(asked->every, settings->every, o->until / BL_DEFAULT_OUTPUTS);
    /* refuses runs that would never end; a step of the model longer than the requested run is shortened */
    if (o->step > 0 && o->step < o->until)
        BL_TRY(bl_limit_check(ctx, NULL, "step", o->step, o->until));
    if (!o->at && !o->every_step && o->until > 0)
        BL_TRY(bl_limit_check(ctx, NULL, "every", o->every, o->until));
    return BL_OK;
}

static bool is_word_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/* whether a message names the kind of a spec */
static bool names(const char *text, const char *spec) {
    size_t length = strcspn(spec, ":");
    for (const char *at = text; length > 0 && *at; at++)
        if (strncmp(at, spec, length) == 0 && (at == text || !is_word_letter(at[-1])) && !is_word_letter(at[length]))
            return true;
    return false;
}

bl_status bl_run_refused(bl_context *ctx, const bl_model *model, const bl_run_options *given, bl_status status) {
    static const bl_run_options nothing = {0};
    const bl_run_options *asked = given ? given : &nothing;
    const bl_settings *settings = &model->settings;
    const struct {
        const char *asked, *settings;
        const bl_place *place;
    } word[] = {{asked->integrator, settings->integrator, &settings->integrator_at},
                {asked->formulation, settings->formulation, &settings->formulation_at},
                {asked->linsol, settings->linsol, &settings->linsol_at},
                {asked->ordering, settings->ordering, &settings->ordering_at},
                {asked->coordinates, settings->coordinates, &settings->coordinates_at}};
    bl_error why = *bl_context_error(ctx);
    if ((status != BL_E_ARG && status != BL_E_ABILITY) || why.status != status || why.line > 0)
        return status;
    const bl_place *place = NULL;
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        if (word[i].asked && names(why.what, word[i].asked))
            return status;
        if (!place && !word[i].asked && word[i].settings && names(why.what, word[i].settings))
            place = word[i].place;
    }
    if (!place)
        return status;
    bl_fail(ctx, BL_E_MODEL, place, "%s", why.what);
    if (why.advice[0])
        bl_advise(ctx, "%s", why.advice);
    bl_blame(ctx, why.part, why.equation, why.time);
    return BL_E_MODEL;
}

bl_status bl_run_prepare(bl_context *ctx, const bl_model *model, const char *coordinates, bl_system **sys, bl_state *state) {
    return bl_run_prepare_held(ctx, model, coordinates, 0, NULL, 0, sys, state);
}

static bl_status keep_first(void *user, const char *part, const char *text) {
    char *advice = user;
    (void)part;
    if (advice[0] == '\0')
        snprintf(advice, sizeof((bl_error *)0)->advice, "%s", text);
    return BL_OK;
}

/* After a start that cannot be assembled: if inexact dimensions lock the mechanism in the given configuration, that is the reason. */
static bl_status advise_closure(bl_system *sys, const bl_model *model, bl_state *state) {
    bl_error kept = *bl_context_error(sys->ctx);
    char advice[sizeof kept.advice] = "";
    bl_log_pause(sys->ctx, true);
    bl_status status = bl_coords_initial(sys, state);
    if (status == BL_OK)
        status = bl_closure_examine(sys, model, state, keep_first, advice);
    bl_log_pause(sys->ctx, false);
    if (status == BL_E_MEMORY || (status != BL_OK && bl_context_error(sys->ctx)->status == BL_E_MEMORY))
        return BL_E_MEMORY;
    bl_fail_again(sys->ctx, kept.status, &kept);
    if (status == BL_OK && advice[0])
        bl_advise(sys->ctx, "%s", advice);
    return kept.status;
}

bl_status bl_run_prepare_held(bl_context *ctx, const bl_model *model, const char *coordinates, double closure, const bl_held *held,
                              bl_index nheld, bl_system **sys, bl_state *state) {
    if (nheld > 0 && (model->matrices || bl_model_of_meshes(model) || model->equations))
        return bl_fail(ctx, BL_E_ABILITY, NULL, "actuators and inputs need bodies: this model has none");
    if (model->matrices) {
        BL_TRY(bl_matrices_build(ctx, model, sys));
        BL_TRY(bl_state_create(*sys, 0, state));
        return bl_matrices_initial(*sys, state);
    }
    if (bl_model_of_meshes(model)) {
        BL_TRY(bl_fem_build(ctx, model, sys));
        BL_TRY(bl_state_create(*sys, 0, state));
        BL_TRY(bl_fem_initial(*sys, state));
        BL_TRY(bl_start_equilibrium(*sys, model, state));
        BL_TRY(bl_start_modes(*sys, model, state));
        return bl_assemble_algebraic(*sys, state);
    }
    if (model->equations) {
        BL_TRY(bl_equations_build(ctx, model, sys));
        BL_TRY(bl_state_create(*sys, 0, state));
        BL_TRY(bl_equations_initial(*sys, state));
        BL_TRY(bl_assemble_positions(*sys, model, state));
        BL_TRY(bl_assemble_velocities(*sys, model, state));
        return bl_assemble_algebraic(*sys, state);
    }
    bl_driver_watch drivers;
    bl_status status = bl_driver_watch_create(ctx, model, &drivers);
    if (status == BL_OK)
        status = bl_drivers_finite(&drivers, 0);
    bl_driver_watch_destroy(&drivers);
    BL_TRY(status);
    coordinates = first_text(coordinates, model->settings.coordinates, BL_DEFAULT_COORDINATES_LOOPS);
    BL_TRY(bl_signal_build(ctx, model, is_auto(coordinates) ? BL_DEFAULT_COORDINATES_LOOPS : coordinates, held, nheld, sys));
    (*sys)->closure = closure > 0 ? closure : model->settings.closure;
    BL_TRY(bl_state_create(*sys, 0, state));
    BL_TRY(bl_coords_initial(*sys, state));
    status = bl_assemble_positions(*sys, model, state);
    if (status == BL_OK)
        status = bl_closure_misfit(*sys, model, state);
    if (status == BL_OK && model->rests)
        status = bl_model_refuse_following(ctx, model, "a start in equilibrium is");
    if (status == BL_OK && model->rests)
        status = bl_model_refuse_reactions(ctx, model, "a start in equilibrium is");
    if (status == BL_OK && model->rests)
        return bl_start_equilibrium(*sys, model, state);
    if (status == BL_OK)
        status = bl_signal_start(*sys, state);
    if (status == BL_OK)
        status = bl_assemble_velocities(*sys, model, state);
    return status == BL_E_NUMERIC ? advise_closure(*sys, model, state) : status;
}

void bl_run_release(bl_system *sys, bl_state *state, bl_eval *eval) {
    if (!sys)
        return;
    if (eval)
        bl_eval_destroy(sys, eval);
    if (state)
        bl_state_destroy(sys, state);
    bl_system_destroy(sys);
}

bl_status bl_run_start(bl_context *ctx, const bl_model *model, const char *coordinates, double closure, bl_pose *pose, double *variable) {
    bl_system *sys = NULL;
    bl_state state = {0};
    bl_eval eval = {0};
    bl_status status = bl_run_prepare_held(ctx, model, coordinates, closure, NULL, 0, &sys, &state);
    if (status == BL_OK)
        status = bl_eval_create(sys, BL_SEEN, &eval);
    if (status == BL_OK) {
        bl_eval_at(&eval, &state);
        status = bl_system_eval(sys, &eval, BL_POSE | BL_VARIABLES);
    }
    if (status == BL_OK && pose)
        memcpy(pose, eval.pose, (size_t)model->nbody * sizeof *pose);
    if (status == BL_OK && variable)
        memcpy(variable, eval.variable, (size_t)model->nvariable * sizeof *variable);
    bl_run_release(sys, &state, &eval);
    return status;
}

bl_status bl_run_crew(bl_context *ctx, const bl_run_options *o, bl_system *sys, bl_crew **crew) {
    *crew = NULL;
    if (o->threads <= 1)
        return BL_OK;
    BL_TRY(bl_crew_create(ctx, o->threads, crew));
    sys->crew = *crew;
    return BL_OK;
}

bl_status bl_run_check_times(bl_context *ctx, const bl_run_options *o) {
    if (!(o->until > 0)) {
        bl_fail(ctx, BL_E_ARG, NULL, "the end time of the simulation is missing");
        bl_advise(ctx, "give --until, or write `simulate: {until: 10}` in the model");
        return BL_E_ARG;
    }
    for (bl_index i = 0; i < o->nat; i++)
        if (!(o->at[i] >= 0 && o->at[i] <= o->until) || (i > 0 && !(o->at[i] > o->at[i - 1])))
            return bl_fail(ctx, BL_E_ARG, NULL, "output times must increase and be between 0 and %g s: %g s does not", o->until, o->at[i]);
    return BL_OK;
}

double bl_run_output_time(const bl_run_options *o, long k) {
    if (o->at)
        return k < o->nat ? o->at[k] : INFINITY;
    double t = (double)k * o->every;
    return t >= o->until - study_same_time * o->every ? (t - o->every < o->until - study_same_time * o->every ? o->until : INFINITY) : t;
}

long bl_run_samples(const bl_run_options *o) {
    if (o->every_step)
        return 0;
    double count = o->at ? o->nat : floor(o->until / o->every + 1 - study_same_time) + 1; /* one at the start, one at the end */
    return count > 0 && count < 1e15 ? (long)count : 0;
}

/* joints that are only a relation between two variables */
static bl_status list_gears(const bl_model *model, bl_arena *arena, bl_run_info *info, double **first) {
    bl_index *gear;
    double *ratio;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(gear, model->njoint), BL_ARRAY(ratio, model->njoint), BL_ARRAY(*first, model->njoint)));
    for (bl_index j = 0; j < model->njoint; j++) {
        const bl_joint_def *joint = &model->joint[j];
        if (joint->kind->nbody != 0)
            continue;
        for (bl_index k = 0; k < bl_param_count(joint->kind->kind.params); k++)
            if (strcmp(joint->kind->kind.params[k].name, "ratio") == 0)
                ratio[info->ngear] = joint->value[k].number;
        if (joint->prim->what == BL_FUNCTION)
            ratio[info->ngear] = NAN;
        gear[info->ngear++] = j;
    }
    info->gear = gear;
    info->gear_ratio = ratio;
    return BL_OK;
}

static bl_status name_elastic(const bl_model *model, bl_arena *arena, bl_run_info *info) {
    const char **name;
    bl_index *first, *frames;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(name, model->nelastic), BL_ARRAY(first, model->nelastic), BL_ARRAY(frames, model->nelastic)));
    for (bl_index i = 0; i < model->nelastic; i++) {
        name[i] = model->elastic[i].name;
        first[i] = model->elastic[i].frame - 1;
        frames[i] = model->elastic[i].nframe;
    }
    info->nelastic = model->nelastic;
    info->elastic = name;
    info->elastic_first = first;
    info->elastic_frames = frames;
    return BL_OK;
}

bl_status bl_run_names(bl_run *run) {
    const bl_model *model = run->model;
    bl_index nbody = model->nbody > 0 ? model->nbody - 1 : 0, *moved;
    const char **body, **variable, **probe, **joint, **driver;
    bool *is_angle;
    BL_TRY(BL_ARENA_ARRAYS(&run->arena, BL_ARRAY(body, nbody), BL_ARRAY(variable, model->nvariable), BL_ARRAY(is_angle, model->nvariable),
                           BL_ARRAY(probe, model->nprobe), BL_ARRAY(joint, model->njoint), BL_ARRAY(driver, model->ndriver),
                           BL_ARRAY(moved, model->ndriver)));
    for (bl_index i = 0; i < model->ndriver; i++) {
        driver[i] = model->driver[i].name;
        moved[i] = model->driver[i].variable;
    }
    for (bl_index i = 0; i < nbody; i++)
        body[i] = model->body[i + 1].name;
    for (bl_index i = 0; i < model->nvariable; i++) {
        variable[i] = model->variable[i].name;
        is_angle[i] = model->variable[i].is_angle;
    }
    for (bl_index i = 0; i < model->nprobe; i++)
        probe[i] = model->probe[i].name;
    for (bl_index i = 0; i < model->njoint; i++)
        joint[i] = model->joint[i].name;
    run->info = (bl_run_info){.model_name = model->name,
                              .model_file = model->file,
                              .model_source = model->source,
                              .model_source_bytes = model->source_bytes,
                              .dim = model->dim,
                              .nbody = nbody,
                              .body = body,
                              .nvariable = model->nvariable,
                              .variable = variable,
                              .is_angle = is_angle,
                              .nprobe = model->nprobe,
                              .probe = probe,
                              .njoint = model->njoint,
                              .joint = joint,
                              .ndriver = model->ndriver,
                              .driver = driver,
                              .driver_variable = moved};
    BL_TRY(list_gears(model, &run->arena, &run->info, &run->relation_first));
    BL_TRY(name_elastic(model, &run->arena, &run->info));
    BL_TRY(bl_sections_name(model, &run->arena, &run->info));
    BL_TRY(BL_ARENA_NEW(&run->arena, run->section, run->info.nsection));
    return bl_run_scene(run);
}

/* signals of the system, if it has any, then quantities of the model */
static bl_status name_signals(const bl_model *model, bool signals, bl_arena *arena, bl_run_info *info) {
    const char **name, **unit;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(name, model->nsignal + model->nquantity), BL_ARRAY(unit, model->nsignal + model->nquantity)));
    for (bl_index i = 0; signals && i < model->nsignal; i++)
        if (!model->signal[i].hidden) {
            name[info->nsignal] = model->signal[i].name;
            unit[info->nsignal++] = model->signal[i].unit ? model->signal[i].unit : "";
        }
    for (bl_index i = 0; i < model->nquantity; i++) {
        name[info->nsignal] = model->quantity[i].name;
        unit[info->nsignal++] = model->quantity[i].unit;
    }
    info->signal = name;
    info->signal_unit = unit;
    return BL_OK;
}

bl_status bl_run_name_quantities(bl_run *run) {
    return run->model->nquantity ? name_signals(run->model, false, &run->arena, &run->info) : BL_OK;
}

/* all but percussions, which come last */
static bl_index contacts_shown(const bl_system *sys) {
    bl_index n = 0;
    while (n < sys->ncontact && !sys->contact[n].percussion)
        n++;
    return n;
}

/* stops and contacts of the system, then those of time stepping */
static bl_status name_contacts(const bl_model *model, const bl_system *sys, bl_arena *arena, bl_run_info *info) {
    bl_index n = contacts_shown(sys), nlaw = model->surfaces ? model->surfaces->nlaw : 0;
    const char **name;
    bool *is_angle;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(name, n + nlaw), BL_ARRAY(is_angle, n + nlaw)));
    for (bl_index i = 0; i < n; i++) {
        name[i] = sys->contact[i].name;
        is_angle[i] = sys->contact[i].is_angle;
    }
    for (bl_index k = n; k < n + nlaw; k++)
        name[k] = model->surfaces->law[k - n].name;
    info->ncontact = n + nlaw;
    info->contact = name;
    info->contact_is_angle = is_angle;
    return BL_OK;
}

/* Force elements on bodies, and springs. An element with several springs, on the variables of a joint, is named by these: "S.angle1". */
static bl_status name_forces(const bl_model *model, const bl_system *sys, bl_arena *arena, bl_run_info *info) {
    const char **push, **spring;
    bl_index *body;
    bool *is_angle;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(push, sys->npush), BL_ARRAY(body, sys->npush), BL_ARRAY(spring, sys->nspring),
                           BL_ARRAY(is_angle, sys->nspring)));
    for (bl_index i = 0; i < sys->npush; i++) {
        push[i] = model->force[sys->push[i].owner].name;
        body[i] = sys->push[i].body - 1;
    }
    for (bl_index i = 0; i < sys->nspring; i++) {
        bl_index owner = sys->spring[i].owner, variable = sys->spring[i].variable;
        bool several = (i > 0 && sys->spring[i - 1].owner == owner) || (i + 1 < sys->nspring && sys->spring[i + 1].owner == owner);
        const char *dot = variable >= 0 ? strrchr(model->variable[variable].name, '.') : NULL;
        spring[i] = several && dot ? bl_arena_printf(arena, "%s%s", model->force[owner].name, dot) : model->force[owner].name;
        is_angle[i] = variable >= 0 && model->variable[variable].is_angle;
        if (!spring[i])
            return BL_E_MEMORY;
    }
    info->npush = sys->npush;
    info->push = push;
    info->push_body = body;
    info->nspring = sys->nspring;
    info->spring = spring;
    info->spring_is_angle = is_angle;
    return BL_OK;
}

bl_status bl_run_describe(bl_run *run, const bl_system *sys, const bl_formulation *form) {
    const bl_run_options *options = &run->options;
    bl_run_info *info = &run->info;
    BL_TRY(bl_run_names(run));
    /* the requested solver, unless another one replaced it, and the one it chose */
    const bl_linsol *solver = form ? form->linsol : NULL;
    const char *kind = solver ? solver->kind->kind.name : options->linsol ? options->linsol : "none";
    bool asked = options->linsol && strncmp(options->linsol, kind, strlen(kind)) == 0;
    info->linsol = bl_arena_printf(&run->arena, solver && solver->uses ? "%s (%s)" : "%s", asked ? options->linsol : kind,
                                   solver ? solver->uses : NULL);
    if (!info->linsol)
        return BL_E_MEMORY;
    info->coordinates = options->coordinates;
    info->formulation = options->formulation;
    info->integrator = options->integrator;
    info->ordering = options->ordering ? options->ordering : "the solver's own";
    info->tolerance = options->tolerance;
    info->step = options->step;
    info->until = options->until;
    info->nq = sys->nq;
    info->nv = sys->nv;
    info->np = sys->np;
    info->dof = form ? form->dof : 0;
    info->reactions = true;
    BL_TRY(name_forces(run->model, sys, &run->arena, info));
    if (sys->ncontact > 0 || run->model->surfaces)
        BL_TRY(name_contacts(run->model, sys, &run->arena, info));
    if (bl_signal_has(sys))
        BL_TRY(name_signals(run->model, true, &run->arena, info));
    else
        BL_TRY(bl_run_name_quantities(run));
    BL_TRY(bl_quantities_prepare(run));
    return bl_run_fields(run, sys);
}

/* ---- a study from beginning to end */

bl_status bl_run_open(bl_run *run, const char *function, bl_context *ctx, const bl_model *model, bl_sink *sinks, bl_index nsink) {
    if (!ctx || !model || nsink < 0 || (nsink > 0 && !sinks))
        return bl_fail(ctx, BL_E_ARG, NULL, "%s needs a context, a model and its sinks", function);
    double now = bl_clock_seconds();
    *run = (bl_run){.ctx = ctx, .model = model, .nsink = nsink, .arena.ctx = ctx};
    bl_status status = bl_sized_sinks(&run->arena, sinks, nsink, &run->sink);
    if (status != BL_OK) {
        bl_arena_destroy(&run->arena);
        return status;
    }
    run->started = run->last_progress = now;
    run->sampled = NAN;
    for (bl_index i = 0; i < nsink; i++)
        if (run->sink[i].sample)
            run->want |= run->sink[i].want ? run->sink[i].want : BL_WANT_ALL;
    if (run->want & BL_WANT_SECTIONS && run->model->nelastic)
        run->want |= BL_WANT_BODIES; /* from which they follow */
    if (run->want & BL_WANT_SIGNALS && run->model->nquantity)
        run->want |= BL_WANT_VARIABLES | BL_WANT_PROBES;
    bl_context_clear_warnings(ctx);
    return BL_OK;
}

bl_status bl_run_begin(bl_run *run) {
    for (run->nbegun = 0; run->nbegun < run->nsink; run->nbegun++) {
        bl_sink *sink = &run->sink[run->nbegun];
        if (sink->begin)
            BL_TRY(sink->begin(sink->user, &run->info));
    }
    return BL_OK;
}

void bl_run_relations(bl_run *run, bl_sample *sample) {
    if (!sample->relation_force || !run->relation_first)
        return;
    for (bl_index i = 0; i < run->info.ngear; i++) {
        bl_index j = run->info.gear[i];
        const bl_prim *prim = run->model->joint[j].prim;
        double ratio = run->info.gear_ratio[i], f[3];
        if (prim->what == BL_FUNCTION && sample->variable) {
            bl_profile_at(prim->profile, sample->variable[prim->var[0]], f);
            ratio = f[1];
        }
        run->relation_first[j] = -ratio * sample->relation_force[j];
    }
    sample->relation_first = run->relation_first;
}

void bl_run_sections(bl_run *run, bl_sample *sample) {
    if (!(run->want & BL_WANT_SECTIONS) || !run->section || run->info.nsection == 0 || !sample->body)
        return;
    bl_sections_measure(run->model, sample->body, run->section);
    sample->section = run->section;
}

bl_status bl_run_sample(bl_run *run, const bl_sample *sample) {
    bl_sample complete = *sample;
    bl_run_relations(run, &complete);
    bl_run_sections(run, &complete);
    bl_run_quantities(run, &complete);
    run->sampled = sample->t;
    for (bl_index i = 0; i < run->nsink; i++)
        if (run->sink[i].sample)
            BL_TRY(run->sink[i].sample(run->sink[i].user, &complete));
    return BL_OK;
}

bl_status bl_run_sample_last(bl_run *run, bl_status status, double t, bl_status (*emit)(void *user, double t), void *user) {
    if (status == BL_OK || status == BL_E_FILE || status == BL_E_MEMORY || run->nbegun < run->nsink || t <= run->sampled)
        return status;
    bl_error kept = *bl_context_error(run->ctx);
    bl_status last = emit(user, t);
    if (status >= 0)
        return last == BL_OK ? status : last;
    bl_fail_again(run->ctx, kept.status, &kept); /* the first failure is the one to report */
    return status;
}

void bl_run_progress(bl_run *run, double t, double until) {
    double now = bl_clock_seconds();
    if (now - run->last_progress < 0.1)
        return;
    run->last_progress = now;
    for (bl_index i = 0; i < run->nsink; i++)
        if (run->sink[i].progress)
            run->sink[i].progress(run->sink[i].user, t, until, now - run->started);
}

bl_status bl_run_close(bl_run *run, double span, bl_run_summary *made, bl_run_summary *summary) {
    made->size = sizeof *made;
    made->wall_seconds = bl_clock_seconds() - run->started;
    made->real_time_factor = made->wall_seconds > 0 ? span / made->wall_seconds : 0;
    for (bl_index i = 0; i < run->nbegun; i++)
        if (run->sink[i].end) {
            bl_status ended = run->sink[i].end(run->sink[i].user, made);
            if (ended < 0 && made->status >= 0)
                made->status = ended;
        }
    BL_GIVE(bl_run_summary, summary, made);
    bl_arena_destroy(&run->arena);
    return made->status;
}
