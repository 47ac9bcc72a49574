/* The study of finite displacements: goals from names, samples along the path in the requested coordinates, and a report. */
#include "study/move_private.h"

#include "base/sized.h"
#include "model/variant.h"
#include "study/run.h"
#include "study/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 100, MOST_SAMPLES = 1000000 };
static const double quarter_turn = 1.57079632679489661923;

typedef struct move_run {
    bl_run run; /* its model is `undriven`, once created */
    const bl_model *model;
    bl_model *undriven; /* for samples: without drivers, which do not act in a displacement */
    bl_move_options options;
    bl_linkage l;
    bl_displacement d;
    bl_system *sys;
    bl_state state;
    bl_eval eval;
    bl_pose *pose;
    double *x;    /* [n] rates of the bodies along the path */
    double *from; /* [nvariable] at the start */
    double largest_drift;
} move_run;

/* ---- targets */

bl_status bl_move_goals(const bl_linkage *l, const bl_move_target *target, bl_index ntarget, bl_goal *goal) {
    for (bl_index i = 0; i < ntarget; i++) {
        if (!target[i].name)
            return bl_fail(l->ctx, BL_E_ARG, NULL, "target %d has no name", (int)i + 1);
        if (!isfinite(target[i].value))
            return bl_fail(l->ctx, BL_E_ARG, NULL, "cannot move %s to %g: the target must be finite", target[i].name, target[i].value);
        goal[i] = (bl_goal){.to = target[i].value, .driver = -1};
        BL_TRY(bl_linkage_name(l, target[i].name, &goal[i].what));
        bl_index v = goal[i].what.variable;
        if (v >= 0 && l->model->variable[v].prim->what == BL_ANGLES && l->model->variable[v].part == 1 &&
            fabs(target[i].value) >= quarter_turn) {
            bl_fail(l->ctx, BL_E_ARG, NULL, "cannot move %s to %g rad: the second of three successive angles is between -pi/2 and pi/2",
                    target[i].name, target[i].value);
            bl_advise(l->ctx, "use the first and the third angle instead");
            return BL_E_ARG;
        }
        for (bl_index k = 0; k < i; k++)
            if (strcmp(goal[k].what.name, goal[i].what.name) == 0) {
                bl_fail(l->ctx, BL_E_ARG, NULL, "%s is given twice: %g and %g", target[i].name, target[k].value, target[i].value);
                bl_advise(l->ctx, "give each variable one target; to pass through an intermediate value, move twice");
                return BL_E_ARG;
            }
    }
    return BL_OK;
}

bl_status bl_move_linkage(bl_linkage *l, const bl_move_target *target, bl_index ntarget) {
    bl_displacement d = {0};
    bl_goal *goal = NULL;
    if (ntarget == 0)
        return BL_OK;
    BL_TRY(BL_NEW(l->ctx, goal, ntarget));
    bl_status status = bl_move_goals(l, target, ntarget, goal);
    if (status == BL_OK)
        status = bl_displacement_create(l, goal, ntarget, &d);
    if (status == BL_OK)
        status = bl_displacement_advance(&d, 1);
    if (status == BL_OK) {
        bl_linkage_go(l, d.base);
        status = bl_move_explain(&d);
    }
    bl_displacement_destroy(&d);
    bl_free(l->ctx, goal);
    return status;
}

static bl_move_end end_of(bl_way_end end) {
    switch (end) {
    case BL_WAY_DONE: return BL_MOVE_DONE;
    case BL_WAY_DEAD_POINT: return BL_MOVE_DEAD_POINT;
    case BL_WAY_BRANCHES: return BL_MOVE_BRANCHES;
    case BL_WAY_FIXED: return BL_MOVE_FIXED;
    case BL_WAY_CONTRADICTS: return BL_MOVE_CONTRADICTS;
    case BL_WAY_STUCK: return BL_MOVE_STUCK;
    case BL_WAY_OPEN: break;
    }
    return BL_MOVE_NONE;
}

const char *bl_move_end_text(bl_move_end end) {
    static const char *const text[] = {"done", "dead point", "branches meet", "fixed", "contradiction", "stuck", "none"};
    return end >= BL_MOVE_DONE && end <= BL_MOVE_NONE ? text[end] : "none";
}

/* ---- samples */

static bl_status prepare_samples(move_run *r) {
    bl_run *run = &r->run;
    if (run->nsink == 0)
        return BL_OK;
    run->model = r->undriven;
    BL_TRY(bl_coords_build(run->ctx, run->model, run->options.coordinates, &r->sys));
    r->sys->closure = r->l.closure;
    BL_TRY(bl_state_create(r->sys, 0, &r->state));
    BL_TRY(bl_coords_initial(r->sys, &r->state));
    BL_TRY(bl_eval_create(r->sys, BL_SEEN, &r->eval));
    BL_TRY(bl_run_describe(run, r->sys, NULL));
    run->info.formulation = run->info.integrator = run->info.linsol = run->info.ordering = "none";
    run->info.reactions = false;
    run->info.until = 1;
    run->info.step = 0;
    run->info.dof = r->d.mobility;
    run->info.samples = r->options.samples + 1;
    return bl_run_begin(run);
}

static bl_status emit(move_run *r) {
    bl_linkage *l = &r->l;
    bl_sample sample;
    double misfit = 0;
    if (r->run.nsink == 0 || r->run.nbegun < r->run.nsink || r->d.s == r->run.sampled)
        return BL_OK;
    bl_linkage_go(l, r->d.base);
    bool moves = r->d.slope > 0 && r->d.end != BL_WAY_DEAD_POINT && r->d.end != BL_WAY_BRANCHES;
    for (bl_index j = 0; j < l->n; j++)
        r->x[j] = moves ? r->d.direction[j] / r->d.slope : 0;
    bl_linkage_poses(l, r->x, r->pose);
    bl_body_states at = {r->pose, bl_linkage_angles(l, l->at), bl_linkage_variables(l, l->at)};
    *r->state.t = r->d.s;
    BL_TRY(bl_coords_set_positions(r->sys, &at, &r->state));
    bl_status status = bl_assemble_nearby(r->sys, &r->state);
    if (status < 0)
        return status;
    BL_TRY(bl_coords_set_velocities(r->sys, &at, &r->state));
    *r->state.t = r->d.s;
    BL_TRY(bl_simulation_fill_sample(r->sys, NULL, &r->eval, &r->state, NULL, NULL,
                                     BL_WANT_ALL & ~(uint32_t)(BL_WANT_FIELDS | BL_WANT_FORCES), &sample, &misfit));
    sample.reaction = NULL;
    r->largest_drift = fmax(r->largest_drift, sample.drift);
    return bl_run_sample(&r->run, &sample);
}

/* ---- the study */

static bl_status prepare(move_run *r, const bl_move_options *o) {
    bl_context *ctx = r->run.ctx;
    bl_run_options *run = &r->run.options;
    bl_goal *goal;
    r->options = *o;
    if (o->samples < 0 || o->samples > MOST_SAMPLES)
        return bl_fail(ctx, BL_E_ARG, NULL, "the number of samples must be 1 to %d, found %ld", MOST_SAMPLES, o->samples);
    r->options.samples = r->run.nsink == 0 ? 1 : o->samples ? o->samples : SAMPLES;
    BL_TRY(bl_run_resolve(ctx, r->model, &(bl_run_options){.coordinates = o->coordinates, .closure = o->closure}, run));
    BL_TRY(bl_linkage_create(ctx, r->model, o->closure, &r->l));
    BL_TRY(BL_ARENA_ARRAYS(&r->run.arena, BL_ARRAY(goal, o->ntarget), BL_ARRAY(r->pose, r->model->nbody), BL_ARRAY(r->x, r->l.n),
                           BL_ARRAY(r->from, r->model->nvariable)));
    memcpy(r->from, bl_linkage_variables(&r->l, r->l.at), (size_t)r->model->nvariable * sizeof *r->from);
    BL_TRY(bl_move_goals(&r->l, o->target, o->ntarget, goal));
    BL_TRY(bl_displacement_create(&r->l, goal, o->ntarget, &r->d));
    return bl_model_vary(ctx, r->model, &(bl_variant_ask){.release = true}, &r->undriven);
}

static bl_status march(move_run *r) {
    BL_TRY(prepare_samples(r));
    BL_TRY(emit(r));
    for (long i = 1; i <= r->options.samples && r->d.end == BL_WAY_OPEN; i++) {
        BL_TRY(bl_displacement_advance(&r->d, i == r->options.samples ? 1 : (double)i / (double)r->options.samples));
        BL_TRY(emit(r));
        bl_run_progress(&r->run, r->d.s, 1);
    }
    if (r->d.ngoal > 0)
        bl_linkage_go(&r->l, r->d.base);
    return bl_move_explain(&r->d);
}

static bl_status copy_text(bl_arena *arena, const char *text, const char **out) {
    *out = text ? bl_arena_text(arena, text, strlen(text)) : NULL;
    return *out || !text ? BL_OK : BL_E_MEMORY;
}

static bl_status fill_moved(move_run *r, bl_arena *a, bl_move_report *report) {
    const bl_model *model = r->model;
    bl_moved *target, *variable;
    BL_TRY(BL_ARENA_ARRAYS(a, BL_ARRAY(target, r->d.ngoal), BL_ARRAY(variable, model->nvariable)));
    for (bl_index i = 0; i < r->d.ngoal; i++) {
        const bl_goal *goal = &r->d.goal[i];
        bl_gradient g;
        bl_linkage_quantity(&r->l, &goal->what, &g);
        target[i] = (bl_moved){NULL, goal->what.is_angle, goal->from, g.value, goal->to};
        BL_TRY(copy_text(a, goal->what.name, &target[i].name));
    }
    for (bl_index v = 0; v < model->nvariable; v++) {
        variable[v] = (bl_moved){NULL, model->variable[v].is_angle, r->from[v], bl_linkage_variables(&r->l, r->l.at)[v], NAN};
        BL_TRY(copy_text(a, model->variable[v].name, &variable[v].name));
    }
    report->target = target;
    report->variable = variable;
    report->ntarget = r->d.ngoal;
    report->nvariable = model->nvariable;
    return BL_OK;
}

static bl_status fill_report(move_run *r, bl_arena *a, bl_move_report *report) {
    const bl_model *model = r->model;
    const char **body, **probe, **released;
    bl_pose *pose;
    double *at;
    BL_TRY(BL_ARENA_ARRAYS(a, BL_ARRAY(body, model->nbody), BL_ARRAY(pose, model->nbody), BL_ARRAY(probe, model->nprobe),
                           BL_ARRAY(at, 3 * model->nprobe), BL_ARRAY(released, r->d.nreleased)));
    bl_linkage_poses(&r->l, NULL, r->pose);
    for (bl_index b = 1; b < model->nbody; b++) {
        BL_TRY(copy_text(a, model->body[b].name, &body[b - 1]));
        pose[b - 1] = r->pose[b];
    }
    for (bl_index p = 0; p < model->nprobe; p++) {
        BL_TRY(copy_text(a, model->probe[p].name, &probe[p]));
        bl_mark_now(r->pose, &model->probe[p].mark, at + 3 * p);
    }
    for (bl_index i = 0; i < r->d.nreleased; i++)
        BL_TRY(copy_text(a, model->variable[model->driver[r->d.released[i]].variable].name, &released[i]));
    report->end = end_of(r->d.end);
    report->share = r->d.s;
    BL_TRY(copy_text(a, r->d.hinge >= 0 ? model->joint[r->d.hinge].name : NULL, &report->joint));
    report->mobility = r->d.mobility;
    report->free = r->d.free;
    report->nreleased = r->d.nreleased;
    report->released = released;
    report->nbody = model->nbody - 1;
    report->nprobe = model->nprobe;
    report->body = body;
    report->pose = pose;
    report->probe = probe;
    report->probe_at = at;
    BL_TRY(copy_text(a, model->name ? model->name : model->file, &report->model_name));
    report->steps = r->d.steps;
    report->rejected = r->d.rejected;
    return fill_moved(r, a, report);
}

static bl_status make_report(move_run *r, bl_move_report *report) {
    bl_arena *a = NULL;
    if (!r->undriven)
        return BL_OK;
    BL_TRY(BL_NEW(r->run.ctx, a, 1));
    a->ctx = r->run.ctx;
    report->own = a;
    return fill_report(r, a, report);
}

void bl_move_report_destroy(bl_context *ctx, bl_move_report *report) {
    if (report->own)
        bl_arena_destroy(report->own);
    bl_free(ctx, report->own);
    BL_CLEAR(bl_move_report, report);
    report->end = BL_MOVE_NONE;
}

static void move_destroy(move_run *r) {
    bl_run_release(r->sys, &r->state, &r->eval);
    bl_model_unvary(r->undriven);
    bl_displacement_destroy(&r->d);
    bl_linkage_destroy(&r->l);
}

bl_status bl_move(bl_context *ctx, const bl_model *model, const bl_move_options *options, bl_sink *sinks, bl_index nsink,
                  bl_move_report *report, bl_run_summary *summary) {
    bl_move_options own;
    bl_move_report reached = {.size = sizeof reached, .end = BL_MOVE_NONE};
    BL_TRY(BL_TAKE(ctx, bl_move_options, options, &own));
    BL_TRY(BL_FITS(ctx, bl_move_report, report));
    BL_TRY(BL_FITS(ctx, bl_run_summary, summary));
    if (!options || own.ntarget < 0 || (own.ntarget > 0 && !own.target))
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_move needs options with targets");
    move_run r = {.model = model};
    BL_GIVE(bl_move_report, report, &reached);
    BL_TRY(bl_run_open(&r.run, "bl_move", ctx, model, sinks, nsink));
    r.d.ctx = r.l.ctx = r.d.arena.ctx = r.l.arena.ctx = r.l.k.arena.ctx = ctx;
    bl_status status = prepare(&r, &own);
    if (status == BL_OK)
        status = march(&r);
    if (status == BL_OK || status == BL_E_NUMERIC || status == BL_STOPPED) {
        if (status == BL_STOPPED)
            bl_linkage_go(&r.l, r.d.base);
        bl_status made = report ? make_report(&r, &reached) : BL_OK;
        status = made == BL_OK ? status : made;
        BL_GIVE(bl_move_report, report, &reached);
    }
    bl_run_summary made = {.status = status,
                           .t = r.d.s,
                           .steps = r.d.steps,
                           .rejections = r.d.rejected,
                           .factorizations = r.d.factors,
                           .largest_drift = r.largest_drift,
                           .largest_energy_error = NAN};
    status = bl_run_close(&r.run, 0, &made, summary);
    move_destroy(&r);
    return status;
}
