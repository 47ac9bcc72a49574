/* The study of decks: steps one after the other, each a model of its own whose nodes begin where those of the step before ended.
 *
 *     static, steady heat    equilibria at loads that grow with the time of the step
 *     frequency              modes about the undeformed place, or about the step before (perturbation)
 *     dynamic                alpha method with the increments of the deck
 *     transient heat         backward Euler with the increments of the deck (DIRECT), else a method that chooses its own */
#include "study/deck.h"

#include "base/crew.h"
#include "study/equilibrium.h"
#include "study/modes.h"
#include "study/run.h"
#include "study/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool bl_model_is_deck(const bl_model *model) { return model && model->deck; }

/* ---- from step to step */

/* histories go on where the elements keep their strain and their materials */
static bool goes_on(const bl_deck_run *r) {
    const bl_solid *now = &r->step->solid;
    return r->history && r->history_of && r->history_of->strain == now->strain && r->history_of->section == now->section &&
           r->history_bytes == r->sys->history_bytes;
}

static bool rests_undeformed(const bl_deck_step *step) { return step->what == BL_DECK_FREQUENCY && !step->perturbation; }

static bl_status begin_step(bl_deck_run *r, bl_index which) {
    r->which = which;
    r->step = &r->model->deck->step[which];
    r->increment = 0;
    BL_TRY(bl_deck_view(r->model, which, r->u, &r->arena, &r->view));
    BL_TRY(bl_fem_build(r->ctx, &r->view, &r->sys));
    if (r->options.threads > 1) {
        BL_TRY(bl_crew_create(r->ctx, r->options.threads, &r->crew));
        r->sys->crew = r->crew;
    }
    BL_TRY(bl_state_create(r->sys, 0, &r->state));
    BL_TRY(bl_eval_create(r->sys, 0, &r->eval));
    if (!rests_undeformed(r->step)) {
        bl_fem_set_nodes(r->sys, 0, r->u, r->v, &r->state);
        if (goes_on(r))
            memcpy(r->state.history, r->history, r->history_bytes);
        else if (r->history_of && r->history_bytes > 0)
            return bl_fail(r->ctx, BL_E_ABILITY, &r->step->place, "plastic strains cannot be taken over from a step with another NLGEOM");
    }
    r->made.unknowns = r->sys->nv + r->sys->nz;
    return BL_OK;
}

/* nodes and histories of a state of the step */
static bl_status keep(bl_deck_run *r, const bl_state *state) {
    bl_eval_at(&r->eval, state);
    BL_TRY(bl_fem_nodes(r->sys, &r->eval, 0, r->u, r->v));
    if (r->sys->history_bytes > 0) {
        bl_free(r->ctx, r->history);
        r->history = bl_alloc(r->ctx, r->sys->history_bytes, 1);
        if (!r->history)
            return BL_E_MEMORY;
        memcpy(r->history, state->history, r->sys->history_bytes);
    }
    r->history_bytes = r->sys->history_bytes;
    r->history_of = &r->step->solid;
    return BL_OK;
}

static void end_step(bl_deck_run *r) {
    if (r->sys) {
        bl_eval_destroy(r->sys, &r->eval);
        bl_state_destroy(r->sys, &r->state);
        r->sys->crew = NULL;
        bl_system_destroy(r->sys);
    }
    bl_crew_destroy(r->crew);
    bl_arena_destroy(&r->arena);
    r->sys = NULL;
    r->crew = NULL;
    r->eval = (bl_eval){0};
    r->state = (bl_state){0};
    r->arena = (bl_arena){.ctx = r->ctx};
}

static void progress(bl_deck_run *r, double t) {
    double now = bl_clock_seconds();
    if (!r->sink || !r->sink->progress || now - r->told < 0.1)
        return;
    r->told = now;
    r->sink->progress(r->sink->user, r->which + 1, r->made.nstep, t / r->step->time, now - r->began);
}

static bl_status increment_done(bl_deck_run *r, const bl_state *state, bool last) {
    r->increment++;
    r->made.increments++;
    r->made.t = r->step->begins + *state->t;
    BL_TRY(bl_deck_print_state(r, state, last));
    progress(r, *state->t);
    return BL_OK;
}

/* ---- static */

typedef struct path {
    bl_deck_run *run;
    bool whole; /* the first equilibrium is the last */
} path;

static bl_status visit(bl_statics *s, void *user) {
    path *p = user;
    bl_deck_run *r = p->run;
    if (s->found.found == 1 && !p->whole) /* where the step begins */
        return BL_OK;
    bool last = *s->kept.t >= r->step->time;
    BL_TRY(increment_done(r, &s->kept, last));
    s->factored = s->factored && s->linear; /* the place was looked at by others */
    return last ? keep(r, &s->kept) : BL_OK;
}

/* equal increments, none longer than the first of the deck; automatic ones are no more than the step may have */
static bl_index increments_of(const bl_deck_step *step) {
    double n = ceil(step->time / step->increment - 1e-9);
    if (!step->direct && n > step->increments)
        n = step->increments;
    return n < 1 ? 1 : (bl_index)n;
}

static bl_status run_static(bl_deck_run *r) {
    const bl_deck_step *step = r->step;
    bool linear = r->sys->facts & BL_CK_CONST;
    bl_equilibrium_options options = {.from = linear ? step->time : 0,
                                      .until = step->time,
                                      .increments = increments_of(step),
                                      .tolerance = r->options.tolerance > 0 ? r->options.tolerance : 1e-10,
                                      .linsol = r->options.linsol,
                                      .any = true,
                                      .points = INT32_MAX};
    path p = {r, linear};
    bl_statics *s = NULL;
    *r->state.t = options.from;
    bl_status status = bl_statics_create(r->sys, &r->state, &options, &s);
    if (status == BL_OK)
        status = bl_statics_follow(s, visit, &p);
    if (s)
        r->made.iterations += s->found.iterations;
    bl_statics_destroy(s);
    return status;
}

/* ---- frequency */

static bl_status run_frequency(bl_deck_run *r) {
    bl_modes_problem p = {.ctx = r->ctx, .sys = r->sys};
    bl_eval eval = {0};
    double *H = NULL;
    bl_status status = bl_eval_create(r->sys, BL_KC | BL_M, &eval);
    if (status == BL_OK) {
        bl_eval_at(&eval, &r->state);
        status = BL_NEW(r->ctx, H, (size_t)r->sys->pat_K.ptr[r->sys->nv] + 1);
    }
    bl_index wanted = r->step->nmode < r->sys->nv ? r->step->nmode : r->sys->nv;
    if (status == BL_OK)
        status = bl_modes_solve(&p, &eval, r->state.lambda, H, wanted, BL_MODES_AUTO, r->options.linsol);
    if (status == BL_OK)
        status = bl_deck_print_modes(r, r->sys, p.count < wanted ? p.count : wanted, p.value, p.shape, p.mass, p.M);
    bl_modes_free(&p);
    bl_free(r->ctx, H);
    bl_eval_destroy(r->sys, &eval);
    return status;
}

/* ---- in time */

static bl_status march(bl_deck_run *r, bl_simulation *sim, bool every) {
    double until = r->step->time;
    while (*sim->state.t < until) {
        BL_TRY(bl_go_on(r->ctx));
        bl_status status = bl_simulation_advance(sim);
        if (status != BL_OK)
            return status;
        bool last = *sim->state.t >= until;
        if (every || last)
            BL_TRY(increment_done(r, &sim->state, last));
        else
            progress(r, *sim->state.t);
    }
    return keep(r, &sim->state);
}

static bl_status run_in_time(bl_deck_run *r) {
    const bl_deck_step *step = r->step;
    char method[64];
    bool heat = step->what == BL_DECK_HEAT, fixed = !heat || step->direct;
    if (heat)
        snprintf(method, sizeof method, step->direct ? "bdf:1" : "radau");
    else
        snprintf(method, sizeof method, "hht:alpha=%.17g", -step->alpha);
    bl_index n = increments_of(step);
    bl_simulation_setup setup = {.formulation = "plain",
                                 .integrator = method,
                                 .linsol = r->options.linsol,
                                 .t_end = step->time,
                                 .step = fixed ? step->time / (double)n : step->increment,
                                 .tolerance = 1e-6,
                                 .unsampled = ~(uint32_t)0};
    bl_simulation *sim = NULL;
    *r->state.t = 0;
    bl_status status = bl_simulation_create(r->sys, &r->state, &setup, &sim);
    if (status == BL_OK)
        status = march(r, sim, fixed);
    if (sim) {
        bl_run_summary sum = {0};
        bl_simulation_summary(sim, &sum);
        r->made.iterations += sum.newton_iterations;
    }
    bl_simulation_destroy(sim);
    return status;
}

/* ---- all steps */

static bl_status run_step(bl_deck_run *r, bl_index which) {
    BL_TRY(begin_step(r, which));
    switch (r->step->what) {
    case BL_DECK_STATIC: return run_static(r);
    case BL_DECK_FREQUENCY: return run_frequency(r);
    case BL_DECK_DYNAMIC: return run_in_time(r);
    case BL_DECK_HEAT: break;
    }
    return r->step->steady ? run_static(r) : run_in_time(r);
}

static bl_status run(bl_deck_run *r) {
    const bl_deck *deck = r->model->deck;
    bl_status status = BL_OK;
    int nc = deck->step[0].solid.strain ? r->model->dim : 1;
    r->nfull = (size_t)r->model->solid[0].mesh.nnode * (size_t)nc;
    BL_TRY(BL_NEW(r->ctx, r->u, r->nfull));
    BL_TRY(BL_NEW(r->ctx, r->v, r->nfull));
    if (deck->start)
        memcpy(r->u, deck->start, r->nfull * sizeof *r->u);
    if (deck->start_rate)
        memcpy(r->v, deck->start_rate, r->nfull * sizeof *r->v);
    for (bl_index k = 0; status == BL_OK && k < deck->nstep; k++) {
        status = run_step(r, k);
        if (status < 0 && bl_context_error(r->ctx)->line == 0) { /* which step it was */
            bl_error was = *bl_context_error(r->ctx);
            bl_fail(r->ctx, status, &r->step->place, "step %d: %s", (int)k + 1, was.what);
            bl_advise(r->ctx, "%s", was.advice);
            bl_blame(r->ctx, was.part, was.equation, was.time);
        }
        end_step(r);
        r->made.steps += status == BL_OK;
    }
    return status;
}

bl_status bl_run_deck(bl_context *ctx, const bl_model *model, const bl_deck_options *options, bl_deck_sink *sink,
                      bl_deck_summary *summary) {
    if (!ctx || !model)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_run_deck needs a context and a model");
    if (!model->deck)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_run_deck needs a model read from a deck, with steps");
    bl_deck_run r = {.ctx = ctx, .model = model, .sink = sink, .arena.ctx = ctx, .began = bl_clock_seconds()};
    if (options)
        r.options = *options;
    r.made.nstep = model->deck->nstep;
    r.told = r.began;
    bl_context_clear_warnings(ctx);
    bl_status status = run(&r);
    if (sink && sink->end) {
        bl_status ended = sink->end(sink->user, status);
        status = status == BL_OK ? ended : status;
    }
    r.made.status = status;
    r.made.wall_seconds = bl_clock_seconds() - r.began;
    if (summary)
        *summary = r.made;
    bl_free(ctx, r.u);
    bl_free(ctx, r.v);
    bl_free(ctx, r.history);
    bl_free(ctx, r.label);
    bl_free(ctx, r.value);
    bl_arena_destroy(&r.arena);
    return status;
}

void bl_deck_sink_destroy(bl_deck_sink *sink) {
    if (sink && sink->destroy)
        sink->destroy(sink->user);
    if (sink)
        *sink = (bl_deck_sink){0};
}
