/* The study `modes`: small vibrations about an equilibrium or a steady motion (docs/theory/modes.md). */
#include "signal/signal.h"
#include "study/modes_private.h"

#include "base/sized.h"
#include "model/model.h"
#include "study/closure.h"
#include "study/linear_limits.h"
#include "study/run.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double bl_modes_dot(bl_index n, const double *x, const double *y) {
    double sum = 0;
    for (bl_index j = 0; j < n; j++)
        sum += x[j] * y[j];
    return sum;
}

void bl_modes_product(const bl_pattern *pattern, const double *A, const double *x, double *y) {
    memset(y, 0, (size_t)pattern->nrow * sizeof *y);
    bl_csc_multiply(pattern, A, x, y);
}

/* ---- the eigenproblem of a system */

void bl_modes_free(bl_modes_problem *p) {
    if (!p->ctx)
        return;
    if (!p->borrowed)
        bl_kkt_destroy(p->kkt);
    bl_free(p->ctx, p->block);
    bl_free(p->ctx, p->value);
    bl_free(p->ctx, p->shape);
    bl_free(p->ctx, p->massless);
    *p = (bl_modes_problem){0};
}

/* number of modes, and full or sparse matrices */
static bl_status plan(bl_modes_problem *p, bl_index count, bl_modes_method method, bool *dense) {
    bl_index n = p->n, least = n - p->sys->np; /* degrees of freedom if no constraint is redundant */
    p->wanted = count < 0 ? n : count > 0 ? count : BL_MODES_USUAL;
    /* forces of velocity rows have no potential: the sparse solver takes the tangent as symmetric */
    bool unsymmetric = p->sys->facts & BL_VELOCITY_ROWS;
    *dense = method == BL_MODES_LAPACK || unsymmetric || (method == BL_MODES_AUTO && n <= study_modes_dense);
    if (*dense)
        return BL_OK;
    bool most = p->wanted + 24 > least;
    if (most && method == BL_MODES_AUTO && n <= 2 * study_modes_dense) {
        *dense = true;
        return BL_OK;
    }
    if (!most)
        return BL_OK;
    bl_fail(p->ctx, BL_E_ABILITY, NULL, "the sparse solver (ARPACK) computes only a few of the modes, not %d of %d",
            (int)(count < 0 ? least : p->wanted), (int)least);
    bl_advise(p->ctx, "request fewer modes (--count), or use full matrices (LAPACK), which need %.3g GB of memory here",
              7e-9 * 8 * (double)n * (double)n);
    return BL_E_ABILITY;
}

bl_status bl_modes_solve(bl_modes_problem *p, bl_eval *eval, const double *lambda, double *H, bl_index count, bl_modes_method method,
                         const char *linsol) {
    const bl_system *sys = p->sys;
    bool dense, first = sys->nv == 0;
    p->n = sys->nv + sys->nz;
    bool mixed = sys->nv > 0 && sys->nz > 0;
    BL_TRY(plan(p, count, method, &dense));
    if (mixed && (!dense || !(sys->facts & BL_A_IDENTITY))) {
        bl_fail(p->ctx, BL_E_ABILITY, NULL, "modes need equations of one order: this model has %d of second order and %d of first order",
                (int)sys->nv, (int)sys->nz);
        if (sys->facts & BL_A_IDENTITY)
            bl_advise(p->ctx, "with states full matrices are needed (LAPACK): up to %.0f unknowns", study_modes_dense);
        return BL_E_ABILITY;
    }
    BL_TRY(bl_system_eval(sys, eval, BL_KC | (first ? 0 : BL_M)));
    BL_TRY(bl_kkt_tangent(sys, eval, lambda, H));
    p->mass = first ? &sys->pat_C : &sys->pat_M;
    p->M = first ? eval->C : eval->M;
    p->H = H;
    p->C = eval->C;
    bool large = p->n > 20000; /* a multifrontal solver may be faster than ldl: let `auto` predict it */
    bl_kkt_setup setup = {.linsol = linsol ? linsol : large ? NULL : "ldl", .dense_most = dense ? p->n : -1, .mass = p->mass};
    if (p->kkt && !dense) {
        bl_kkt_destroy(p->kkt);
        p->kkt = NULL;
    }
    if (p->kkt) { /* from the search for the equilibrium */
        BL_TRY(bl_system_eval(sys, eval, sys->np ? BL_G : 0));
        p->kkt->mass = p->mass;
        p->kkt->G = eval->G;
    } else {
        BL_TRY(bl_kkt_create(sys, &setup, &p->kkt));
        BL_TRY(bl_kkt_move_to(p->kkt, eval));
    }
    bool done = false;
    bl_index wanted = p->wanted;
    p->wanted = count < 0 ? 2 * p->n : wanted; /* complex modes are at most so many */
    if (mixed)
        return bl_modes_states(p);
    if (dense && p->kkt->f <= study_modes_complex)
        BL_TRY(bl_modes_complex(p, &done));
    p->wanted = done ? p->wanted : wanted;
    return done ? BL_OK : dense ? bl_modes_dense(p) : bl_modes_sparse(p);
}

/* ---- the study */

static bl_status prepare(bl_modes_own *own, const bl_modes_options *options) {
    bl_run_options asked = {.coordinates = options->coordinates, .closure = options->closure};
    BL_TRY(bl_run_resolve(own->ctx, own->model, &asked, &own->run));
    BL_TRY(bl_run_prepare_held(own->ctx, own->model, own->run.coordinates, own->run.closure, own->io.held, own->io.nheld, &own->sys,
                               &own->start));
    const bl_system *sys = own->sys;
    BL_TRY(bl_signal_timeless(own->ctx, own->model, "modes"));
    own->linear = (sys->facts & BL_CK_CONST) && (sys->facts & BL_FLAT) && (sys->facts & BL_M_CONST) && sys->np == 0;
    BL_TRY(bl_state_create(sys, 0, &own->reference));
    BL_TRY(bl_state_create(sys, 0, &own->moved));
    BL_TRY(bl_eval_create(sys, BL_KC | (sys->nv ? BL_M : 0) | (sys->np ? BL_G | BL_GTL_X : 0), &own->eval));
    bl_state_copy(sys, &own->reference, &own->start);
    memset(own->reference.v, 0, (size_t)sys->nv * sizeof(double));
    BL_TRY(BL_NEW(own->ctx, own->d, 4 * ((size_t)sys->nv + (size_t)sys->nz)));
    return BL_NEW(own->ctx, own->H, sys->pat_K.ptr[sys->nv + sys->nz]);
}

static void own_destroy(bl_modes_own *own) {
    if (!own)
        return;
    bl_context *ctx = own->ctx;
    bl_statics_destroy(own->statics);
    bl_modes_free(&own->problem);
    bl_linearize_destroy(own->lin);
    if (own->sys) {
        bl_state_destroy(own->sys, &own->reference);
        bl_state_destroy(own->sys, &own->moved);
    }
    bl_run_release(own->sys, &own->start, &own->eval);
    bl_free(ctx, own->H);
    bl_free(ctx, own->d);
    bl_arena_destroy(&own->arena);
    bl_free(ctx, own);
}

/* ---- what is requested: by the call, then by the section of the model */

static bl_status read_at(bl_modes_own *own, const bl_named *at, bl_modes_ask *ask) {
    static const char *const words[] = {"equilibrium", "start", "steady"};
    char *end;
    for (int k = 0; k < 3; k++)
        if (strcmp(at->name, words[k]) == 0) {
            ask->at = (bl_modes_at)(BL_MODES_AT_EQUILIBRIUM + k);
            return BL_OK;
        }
    ask->at = BL_MODES_AT_TIME;
    ask->time = strtod(at->name, &end);
    if (end != at->name && *end == '\0')
        return BL_OK;
    bl_fail(own->ctx, BL_E_MODEL, &at->place, "at: must be equilibrium, start, steady or a time, found '%s'", at->name);
    const char *nearest = bl_nearest(at->name, words, 3);
    if (nearest)
        bl_advise(own->ctx, "did you mean '%s'?", nearest);
    return BL_E_MODEL;
}

/* names of the section as arrays of texts and positions in the file */
static bl_status list(bl_modes_own *own, bl_index n, const bl_named *named, const char *const **name, const bl_place *const **place) {
    const char **text;
    const bl_place **where;
    BL_TRY(BL_ARENA_ARRAYS(&own->arena, BL_ARRAY(text, n + 1), BL_ARRAY(where, n + 1)));
    for (bl_index i = 0; i < n; i++) {
        text[i] = named[i].name;
        where[i] = &named[i].place;
    }
    *name = text;
    *place = where;
    return BL_OK;
}

static bl_status read_ask(bl_modes_own *own, const bl_modes_options *options, bl_modes_ask *ask) {
    const bl_linearize_def *section = own->model->linearize;
    bl_linear_names names = {.input = options->input, .output = options->output, .ninput = options->ninput, .noutput = options->noutput};
    *ask = (bl_modes_ask){.options = options, .at = options->at, .time = options->time, .linear = options->linear};
    if (ask->at == BL_MODES_AT_DEFAULT && section && section->at.name)
        BL_TRY(read_at(own, &section->at, ask));
    ask->at = ask->at == BL_MODES_AT_DEFAULT ? BL_MODES_AT_EQUILIBRIUM : ask->at;
    if (!isfinite(ask->time) || ask->time < 0)
        return bl_fail(own->ctx, BL_E_ARG, NULL, "modes: the time must be finite and not negative, found %g", ask->time);
    if (section && names.ninput == 0)
        BL_TRY(list(own, names.ninput = section->ninput, section->input, &names.input, &names.input_place));
    if (section && names.noutput == 0)
        BL_TRY(list(own, names.noutput = section->noutput, section->output, &names.output, &names.output_place));
    ask->linear = ask->linear || names.ninput + names.noutput > 0;
    return bl_linear_resolve(own->ctx, own->model, &names, &own->arena, &own->io);
}

/* ---- state-space matrices */

/* inputs or outputs are named: failing to compute the matrices is an error; otherwise they are left out */
static bool matrices_needed(const bl_modes_own *own) { return own->io.ninput + own->io.noutput > 0; }

static bl_status make_matrices(bl_modes_own *own, bl_modes_report *report) {
    if (own->sys->nv + own->sys->nz > study_modes_dense) {
        bl_fail(own->ctx, BL_E_ABILITY, NULL,
                "the model is too large for state-space matrices, which are full: %d unknowns, the limit is %.0f",
                (int)(own->sys->nv + own->sys->nz), study_modes_dense);
        bl_advise(own->ctx, "request modes without inputs and outputs, or use a coarser model");
        return BL_E_ABILITY;
    }
    if (!own->lin) {
        BL_TRY(bl_linearize_create(own->sys, own->model, &own->lin));
        own->lin->loads = own->io.loads;
        BL_TRY(bl_linearize_at(own->lin, &own->reference, true));
        BL_TRY(bl_linearize_chart(own->lin, own->io.first, own->io.nfirst));
        BL_TRY(bl_linearize_differentiate(own->lin));
    }
    BL_TRY(bl_linear_matrices(own->lin, &own->io, &own->arena, &own->model_of));
    report->linear = &own->model_of;
    return BL_OK;
}

static bl_status find_matrices(bl_modes_own *own, bl_modes_report *report) {
    bl_status status = make_matrices(own, report);
    if (status != BL_E_ABILITY || matrices_needed(own))
        return status;
    bl_log(own->ctx, BL_LOG_INFO, "no state-space matrices: %s", bl_context_error(own->ctx)->what);
    bl_context_clear_error(own->ctx);
    return BL_OK;
}

static bl_status find(bl_modes_own *own, const bl_modes_options *options, bl_modes_report *report) {
    bl_modes_ask ask;
    if (!isfinite(options->amplitude) || options->amplitude < 0)
        return bl_fail(own->ctx, BL_E_ARG, NULL, "the amplitude must be finite and not negative, found %g", options->amplitude);
    bl_equilibrium_options how;
    BL_TRY(BL_TAKE(own->ctx, bl_equilibrium_options, options->equilibrium, &how));
    how.linsol = options->linsol;
    BL_TRY(bl_equilibrium_check(own->ctx, &how));
    BL_TRY(read_ask(own, options, &ask));
    BL_TRY(bl_run_refused(own->ctx, own->model, &(bl_run_options){.coordinates = options->coordinates}, prepare(own, options)));
    BL_TRY(bl_modes_find_configuration(own, &ask, &how, report));
    bl_modes_problem *p = &own->problem;
    bl_eval_at(&own->eval, &own->reference);
    *p = (bl_modes_problem){.ctx = own->ctx, .sys = own->sys, .damping = options->damping, .kkt = p->kkt};
    p->bodies = !own->model->matrices && !bl_model_of_meshes(own->model) && !own->model->equations;
    if (report->moving) {
        p->n = own->sys->nv;
        p->wanted = options->count < 0 ? 2 * p->n : options->count > 0 ? options->count : BL_MODES_USUAL;
        p->mass = &own->sys->pat_M;
        p->M = own->lin->eval.M;
        BL_TRY(bl_modes_moving(p, own->lin));
    } else {
        BL_TRY(bl_modes_solve(p, &own->eval, own->reference.lambda, own->H, options->count, options->method, options->linsol));
    }
    BL_TRY(bl_modes_describe(own, options, report));
    return ask.linear ? find_matrices(own, report) : BL_OK;
}

static bl_status begin(bl_context *ctx, const bl_model *model, bl_modes_report *report, bl_modes_own **own) {
    *report = (bl_modes_report){.size = sizeof *report};
    BL_TRY(BL_NEW(ctx, *own, 1));
    (*own)->ctx = ctx;
    (*own)->model = model;
    (*own)->arena.ctx = ctx;
    report->own = *own;
    return BL_OK;
}

bl_status bl_modes_from(bl_context *ctx, const bl_model *model, const bl_modes_options *options, const bl_modes_own *from, bool trusted,
                        bl_modes_report *report) {
    bl_modes_own *own;
    BL_TRY(begin(ctx, model, report, &own));
    own->from = from;
    own->trusted = trusted;
    own->along = true;
    bl_status status = find(own, options, report);
    if (status != BL_OK)
        bl_modes_report_destroy(ctx, report);
    return status;
}

bl_status bl_modes_at_state(bl_context *ctx, const bl_model *model, const bl_modes_options *options, const bl_state *state,
                            bl_modes_report *report) {
    bl_modes_own *own;
    bl_modes_options at = *options;
    at.at = BL_MODES_AT_TIME;
    at.time = *state->t;
    BL_TRY(begin(ctx, model, report, &own));
    own->present = state;
    bl_status status = find(own, &at, report);
    own->present = NULL;
    if (status != BL_OK)
        bl_modes_report_destroy(ctx, report);
    return status;
}

bl_status bl_modes(bl_context *ctx, const bl_model *model, const bl_modes_options *given, bl_sink *sinks, bl_index nsink,
                   bl_modes_report *report) {
    bl_modes_options options;
    bl_modes_report found;
    bl_run run;
    bl_modes_own *own;
    if (!report)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_modes needs a report");
    BL_TRY(BL_TAKE(ctx, bl_modes_options, given, &options));
    BL_TRY(BL_FITS(ctx, bl_modes_report, report));
    BL_TRY(bl_run_open(&run, "bl_modes", ctx, model, sinks, nsink));
    bl_status status = begin(ctx, model, &found, &own);
    if (status == BL_OK)
        status = find(own, &options, &found);
    if (status == BL_OK && nsink > 0)
        status = bl_modes_show(own, &options, &found, &run);
    bl_run_summary made = {.status = status, .t = found.nmode, .steps = found.nmode};
    status = bl_run_close(&run, 0, &made, NULL);
    if (status != BL_OK)
        bl_modes_report_destroy(ctx, &found);
    BL_GIVE(bl_modes_report, report, &found);
    return status;
}

void bl_modes_report_destroy(bl_context *ctx, bl_modes_report *report) {
    (void)ctx;
    own_destroy(report->own);
    BL_CLEAR(bl_modes_report, report);
}
