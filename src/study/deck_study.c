/* The study of decks: steps one after the other, each a model of its own whose nodes begin where those of the step before ended.
 *
 *     static, steady heat          equilibria at loads that grow with the time of the step
 *     frequency                    modes about the undeformed configuration, or about the step before (perturbation)
 *     dynamic, transient heat      deck_motion.c */
#include "study/deck_private.h"

#include "base/crew.h"
#include "base/sized.h"
#include "study/equilibrium_private.h"
#include "study/modes_private.h"
#include "study/statics_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool bl_model_is_deck(const bl_model *model) { return model && model->deck; }

/* ---- from step to step */

/* histories are taken over where strain measure and materials of the elements stay the same */
static bool keeps_history(const bl_deck_run *r) {
    const bl_solid *now = &r->step->solid;
    return r->history && r->history_of && r->history_of->strain == now->strain && r->history_of->nsection == now->nsection &&
           r->history_bytes == r->sys->history_bytes - bl_fem_points_history(r->sys);
}

static bool starts_undeformed(const bl_deck_step *step) { return step->what == BL_DECK_FREQUENCY && !step->perturbation; }

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
    if (!starts_undeformed(r->step)) {
        bl_fem_set_nodes(r->sys, 0, r->u, r->v, &r->state);
        if (keeps_history(r))
            memcpy(r->state.history + bl_fem_points_history(r->sys), r->history, r->history_bytes);
        else if (r->history_of && r->history_bytes > 0)
            return bl_fail(r->ctx, BL_E_ABILITY, &r->step->place,
                           "plastic strains cannot be taken over from a step with a different NLGEOM setting or other materials");
    }
    r->made.unknowns = r->sys->nv + r->sys->nz;
    return BL_OK;
}

bl_status bl_deck_keep(bl_deck_run *r, const bl_state *state) {
    size_t first = bl_fem_points_history(r->sys), bytes = r->sys->history_bytes - first;
    bl_eval_at(&r->eval, state);
    BL_TRY(bl_fem_nodes(r->sys, &r->eval, 0, r->u, r->v));
    bl_free(r->ctx, r->history);
    r->history = bl_alloc(r->ctx, bytes, 1);
    if (!r->history)
        return BL_E_MEMORY;
    memcpy(r->history, state->history + first, bytes);
    r->history_bytes = bytes;
    r->history_of = &r->step->solid;
    return BL_OK;
}

static void end_step(bl_deck_run *r) {
    bl_run_release(r->sys, &r->state, &r->eval);
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
    if (!r->sink || !r->sink->progress || now - r->last_progress < 0.1)
        return;
    r->last_progress = now;
    r->sink->progress(r->sink->user, r->which + 1, r->made.nstep, t / r->step->time, now - r->began);
}

bl_status bl_deck_state(const bl_deck_run *r, bl_eval *eval, bl_state *state) {
    bl_eval_at(eval, state);
    if (!r->sys->kind->hold)
        return BL_OK;
    BL_TRY(r->sys->kind->hold(r->sys, eval, state));
    bl_eval_at(eval, state);
    return BL_OK;
}

bl_status bl_deck_increment_done(bl_deck_run *r, const bl_state *state, bool last) {
    r->increment++;
    r->made.increments++;
    r->made.t = r->step->begins + *state->t;
    BL_TRY(bl_deck_print_state(r, state, last));
    progress(r, *state->t);
    return BL_OK;
}

/* ---- increments */

bl_deck_clock bl_deck_clock_start(const bl_deck_step *step) { return (bl_deck_clock){.step = step, .dt = step->increment}; }

double bl_deck_clock_next(const bl_deck_clock *clock) {
    double t = clock->t + clock->dt;
    return t > clock->step->time - study_deck_last * clock->dt ? clock->step->time : t;
}

bl_status bl_deck_clock_done(bl_context *ctx, bl_deck_clock *clock, double t) {
    const bl_deck_step *step = clock->step;
    clock->t = t;
    clock->done++;
    clock->easy++;
    if (!step->direct && clock->easy >= 2) {
        clock->dt *= 1.5;
        if (step->longest > 0 && clock->dt > step->longest)
            clock->dt = step->longest;
    }
    if (clock->done < step->increments || t >= step->time)
        return BL_OK;
    bl_fail(ctx, BL_E_NUMERIC, &step->place, "the step reached its limit of %d increments at %.6g of %.6g s", (int)clock->done, t,
            step->time);
    bl_advise(ctx, "allow more increments by *STEP, INC=, or give longer ones");
    return BL_E_NUMERIC;
}

bl_status bl_deck_clock_failed(bl_context *ctx, bl_deck_clock *clock, bl_status status) {
    const bl_deck_step *step = clock->step;
    double least = step->shortest > 0 ? step->shortest : study_deck_shortest * step->time;
    if (status < 0 || status == BL_STOPPED)
        return status;
    clock->easy = 0;
    clock->dt /= 2;
    if (!step->direct && clock->dt >= least) {
        bl_context_clear_error(ctx);
        return BL_OK;
    }
    bl_error was = *bl_context_error(ctx);
    bl_fail(ctx, BL_E_NUMERIC, &step->place, "the increment from %.6g to %.6g s did not converge%s%s", clock->t, clock->t + 2 * clock->dt,
            was.what[0] ? ": " : "", was.what);
    bl_advise(ctx, step->direct ? "leave out DIRECT, or give shorter increments"
                                : "the load may exceed what the structure can carry (a limit point); reduce it");
    return BL_E_NUMERIC;
}

/* ---- static */

/* Linear prediction from the last increment. Without it, where supports move, the elements next to them would be deformed by the full
 * motion before the others follow. */
typedef struct prediction {
    bl_index n;
    double *q, dt; /* [n] displacement of the last increment, and its time; 0: none yet */
} prediction;

static void predict(const prediction *f, double dt, double *q) {
    for (bl_index i = 0; i < f->n && f->dt > 0; i++)
        q[i] += dt / f->dt * f->q[i];
}

static void keep_displacement(prediction *f, double dt, const double *before, const double *after) {
    f->dt = dt;
    for (bl_index i = 0; i < f->n; i++)
        f->q[i] = after[i] - before[i];
}

/* from s->kept to t, with the prediction first and then without; loads of linear models act in one increment */
static bl_status settle_at(bl_deck_run *r, bl_statics *s, double t, double dt, const prediction *f) {
    bl_status status = BL_NO_CONVERGENCE;
    for (int ahead = f->dt > 0; ahead >= 0 && status > 0 && status != BL_STOPPED; ahead--) {
        bl_context_clear_error(r->ctx);
        bl_state_copy(r->sys, &s->state, &s->kept);
        *s->state.t = t;
        if (ahead)
            predict(f, dt, s->state.q);
        status = bl_statics_settle(s);
    }
    return status;
}

static bl_status march(bl_deck_run *r, bl_statics *s, prediction *f, double *before) {
    bl_deck_clock clock = bl_deck_clock_start(r->step);
    if (s->linear)
        clock.dt = r->step->time;
    while (clock.t < r->step->time) {
        double t = bl_deck_clock_next(&clock);
        BL_TRY(bl_go_on(r->ctx));
        double dt = t - clock.t;
        bl_status status = settle_at(r, s, t, dt, f);
        if (status != BL_OK) {
            if (status > 0 && status != BL_STOPPED)
                status = bl_deck_clock_failed(r->ctx, &clock, status);
            BL_TRY(status);
            continue;
        }
        memcpy(before, s->kept.q, (size_t)f->n * sizeof *before);
        BL_TRY(bl_statics_accept(s));
        keep_displacement(f, dt, before, s->kept.q);
        BL_TRY(bl_deck_increment_done(r, &s->kept, t >= r->step->time));
        s->factored = s->factored && s->linear; /* printing evaluated the system elsewhere */
        BL_TRY(bl_deck_clock_done(r->ctx, &clock, t));
    }
    return bl_deck_keep(r, &s->kept);
}

static bl_status find_equilibria(bl_deck_run *r, bl_statics *s) {
    prediction f = {.n = s->linear ? 0 : r->sys->nv};
    BL_TRY(BL_NEW(r->ctx, f.q, 2 * (size_t)f.n + 1));
    bl_status status = march(r, s, &f, f.q + f.n);
    bl_free(r->ctx, f.q);
    return status;
}

/* stresses at the end, where all nodes are prescribed */
static bl_status evaluate_end(bl_deck_run *r) {
    *r->state.t = r->step->time;
    BL_TRY(bl_deck_state(r, &r->eval, &r->state));
    if (r->sys->kind->accept) {
        bl_eval_at(&r->eval, &r->state);
        bl_status status = r->sys->kind->accept(r->sys, &r->eval, &r->state);
        if (status != BL_OK && status != BL_RESTART)
            return status;
    }
    BL_TRY(bl_deck_increment_done(r, &r->state, true));
    return bl_deck_keep(r, &r->state);
}

static bl_status run_static(bl_deck_run *r) {
    if (r->made.unknowns == 0)
        return evaluate_end(r);
    bl_equilibrium_options options = {.until = r->step->time,
                                      .tolerance = r->options.tolerance > 0 ? r->options.tolerance : 1e-8,
                                      .linsol = r->options.linsol,
                                      .any = true};
    bl_statics *s = NULL;
    bl_status status = bl_statics_create(r->sys, &r->state, &options, &s);
    if (status == BL_OK)
        status = find_equilibria(r, s);
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
        status = bl_deck_state(r, &eval, &r->state);
    }
    if (status == BL_OK) {
        status = BL_NEW(r->ctx, H, (size_t)r->sys->pat_K.ptr[r->sys->nv] + 1);
    }
    bl_index wanted = r->step->nmode < r->sys->nv ? r->step->nmode : r->sys->nv;
    if (status == BL_OK)
        status = bl_modes_solve(&p, &eval, r->state.lambda, H, wanted, BL_MODES_AUTO, r->options.linsol);
    if (status == BL_OK)
        status = bl_deck_print_modes(r, p.count < wanted ? p.count : wanted, p.value, p.shape, p.mass, p.M);
    bl_modes_free(&p);
    bl_free(r->ctx, H);
    bl_eval_destroy(r->sys, &eval);
    return status;
}

/* ---- all steps */

static bl_status run_step(bl_deck_run *r, bl_index which) {
    BL_TRY(begin_step(r, which));
    if (r->made.unknowns == 0 && (r->step->what == BL_DECK_FREQUENCY || r->step->what == BL_DECK_DYNAMIC))
        return bl_fail(r->ctx, BL_E_MODEL, &r->step->place, "all nodes are prescribed: the step has no unknowns");
    switch (r->step->what) {
    case BL_DECK_STATIC: return run_static(r);
    case BL_DECK_FREQUENCY: return run_frequency(r);
    case BL_DECK_DYNAMIC: return bl_deck_move(r);
    case BL_DECK_HEAT: break;
    }
    return r->step->steady ? run_static(r) : bl_deck_move(r);
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
        if (status < 0 && bl_context_error(r->ctx)->line == 0) { /* add the number of the step */
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
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_run_deck needs a model read from an input deck with steps");
    bl_deck_sink own;
    bl_deck_run r = {.ctx = ctx, .model = model, .sink = sink ? &own : NULL, .arena.ctx = ctx, .began = bl_clock_seconds()};
    BL_TRY(BL_TAKE(ctx, bl_deck_options, options, &r.options));
    BL_TRY(BL_TAKE(ctx, bl_deck_sink, sink, &own));
    BL_TRY(BL_FITS(ctx, bl_deck_summary, summary));
    r.made.nstep = model->deck->nstep;
    r.last_progress = r.began;
    bl_context_clear_warnings(ctx);
    bl_status status = run(&r);
    if (sink && own.end) {
        bl_status ended = own.end(own.user, status);
        status = status == BL_OK ? ended : status;
    }
    r.made.status = status;
    r.made.wall_seconds = bl_clock_seconds() - r.began;
    BL_GIVE(bl_deck_summary, summary, &r.made);
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
    BL_CLEAR(bl_deck_sink, sink);
}
