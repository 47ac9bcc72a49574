/* The structure of a model: its kinematic chain by counting, corrected by ranks in the assembled configuration. Constraints that are
 * redundant there may be so only there: then the mechanism is moved slightly, without its drivers, and examined again (check.c). */
#include "biela/structure.h"

#include "base/sized.h"
#include "coords/coords.h"
#include "study/check.h"
#include "study/run.h"
#include "study/study_limits.h"
#include "system/system_limits.h"
#include "topology/exceptions.h"

#include <string.h>

typedef struct examination {
    bl_context *ctx;
    const bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_eval eval;
    bl_model undriven;
    bl_check_report report;
    bl_checking beside;
    bl_arena arena;
    bl_exceptions_input in;
} examination;

static bl_status copy_poses(examination *x, const bl_system *sys, bl_eval *eval, const bl_state *state, const bl_pose **out) {
    bl_pose *pose;
    BL_TRY(BL_ARENA_NEW(&x->arena, pose, x->model->nbody));
    bl_eval_at(eval, state);
    BL_TRY(bl_system_eval(sys, eval, BL_POSE | BL_VARIABLES));
    memcpy(pose, eval->pose, (size_t)x->model->nbody * sizeof *pose);
    *out = pose;
    return BL_OK;
}

/* positions only: velocities may not exist and are not needed */
static bl_status assemble_model(examination *x, bool *closed) {
    const char *coordinates = x->model->settings.coordinates;
    bool automatic = !coordinates || !strcmp(coordinates, "auto");
    *closed = false;
    BL_TRY(bl_coords_build(x->ctx, x->model, automatic ? "natural" : coordinates, &x->sys));
    x->sys->closure = x->model->settings.closure;
    BL_TRY(bl_state_create(x->sys, 0, &x->state));
    BL_TRY(bl_eval_create(x->sys, BL_SEEN, &x->eval));
    BL_TRY(bl_coords_initial(x->sys, &x->state));
    bl_status status = bl_assemble_positions(x->sys, x->model, &x->state);
    if (status == BL_E_MODEL || status == BL_E_NUMERIC)
        return BL_OK;
    BL_TRY(status);
    *closed = true;
    x->in = (bl_exceptions_input){.model = x->model, .length = bl_checking_length(x->sys), .tolerance = bl_rank_tolerance(x->sys->closure)};
    BL_TRY(copy_poses(x, x->sys, &x->eval, &x->state, &x->in.start));
    x->in.regular = x->in.start;
    return BL_OK;
}

static bl_status depends_at_start(const examination *x, bool *depends) {
    bl_twists twists;
    bl_dependencies found = {0};
    bl_status status = bl_twists_build(x->ctx, x->model, x->in.start, x->in.length, &twists);
    if (status == BL_OK)
        status = bl_dependencies_find(&twists, x->in.tolerance, &found);
    *depends = found.ndependent > 0;
    bl_dependencies_destroy(&found);
    bl_twists_destroy(&twists);
    return status;
}

/* The same model without drivers, starting at the values that they prescribe. */
static bl_status remove_drivers(examination *x) {
    const bl_model *model = x->model;
    bl_initial *initial = bl_arena_alloc(&x->arena, (size_t)model->ninitial + (size_t)model->ndriver, sizeof *initial);
    bl_index n = 0;
    if (!initial)
        return BL_E_MEMORY;
    for (bl_index i = 0; i < model->ninitial; i++) {
        bl_initial_what what = model->initial[i].what;
        if (what == BL_INITIAL_VARIABLE || what == BL_INITIAL_POSITION || what == BL_INITIAL_ORIENTATION)
            initial[n++] = model->initial[i];
    }
    for (bl_index d = 0; d < model->ndriver; d++)
        initial[n++] = (bl_initial){.what = BL_INITIAL_VARIABLE,
                                    .ref = model->driver[d].variable,
                                    .value = {x->eval.variable[model->driver[d].variable]},
                                    .place = model->driver[d].place};
    x->undriven = *model;
    x->undriven.ndriver = 0;
    x->undriven.initial = initial;
    x->undriven.ninitial = n;
    return BL_OK;
}

static bl_status examine_beside(examination *x) {
    BL_TRY(remove_drivers(x));
    x->beside = (bl_checking){.ctx = x->ctx, .model = &x->undriven, .report = &x->report, .leave = true};
    bl_status status = bl_checking_prepare(&x->beside, NULL, 0);
    if (status == BL_OK)
        status = bl_checking_rank(&x->beside);
    if (status == BL_E_MODEL || status == BL_E_NUMERIC ||
        status > 0) { /* no neighboring configuration was found: redundancy here is assumed to be permanent */
        bl_context_clear_error(x->ctx);
        x->in.stuck = true;
        return BL_OK;
    }
    BL_TRY(status);
    x->in.stuck = x->beside.stuck;
    return copy_poses(x, x->beside.sys, &x->beside.eval, &x->beside.regular, &x->in.regular);
}

static bl_status examine(examination *x, bl_chain *chain, bl_structure_exceptions *exceptions) {
    bool closed = false, depends = false;
    BL_TRY(assemble_model(x, &closed));
    if (!closed)
        return bl_exceptions_open(x->ctx, chain, exceptions);
    BL_TRY(depends_at_start(x, &depends));
    x->in.large = (double)x->sys->np * (double)x->sys->nv > study_structure_dense;
    if (depends && !x->in.large)
        BL_TRY(examine_beside(x));
    bl_chain_pair *pair;
    BL_TRY(BL_ARENA_NEW(chain->own, pair, chain->npair));
    for (bl_index p = 0; p < chain->npair; p++)
        pair[p] = chain->pair[p];
    chain->pair = pair;
    return bl_exceptions_find(x->ctx, &x->in, chain, pair, exceptions);
}

static void release(examination *x) {
    if (x->beside.ctx)
        bl_checking_destroy(&x->beside);
    bl_run_release(x->sys, &x->state, &x->eval);
    bl_check_report_destroy(x->ctx, &x->report);
    bl_arena_destroy(&x->arena);
}

bl_status bl_structure_of_model(bl_context *ctx, const bl_model *model, const bl_structure_options *options, bl_chain *chain,
                                bl_structure_report *report, bl_structure_exceptions *exceptions) {
    if (!ctx || !model || !chain || !report)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_structure_of_model needs a context, a model, a chain and a report");
    BL_TRY(BL_FITS(ctx, bl_chain, chain));
    BL_TRY(BL_FITS(ctx, bl_structure_report, report));
    BL_TRY(BL_FITS(ctx, bl_structure_exceptions, exceptions));
    bl_chain own = {.size = sizeof own};
    bl_structure_exceptions made = {.size = sizeof made};
    BL_CLEAR(bl_structure_report, report);
    bl_status status = bl_chain_of_model(ctx, model, &own);
    if (status == BL_OK) {
        examination x = {.ctx = ctx, .model = model, .arena = {.ctx = ctx}};
        status = examine(&x, &own, &made);
        release(&x);
    }
    if (status == BL_OK)
        status = bl_structure(ctx, &own, options, report);
    if (status != BL_OK || !exceptions)
        bl_structure_exceptions_destroy(ctx, &made);
    if (status != BL_OK)
        bl_chain_destroy(ctx, &own);
    BL_GIVE(bl_chain, chain, &own);
    BL_GIVE(bl_structure_exceptions, exceptions, &made);
    return status;
}
