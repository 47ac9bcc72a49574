/* Check: size, rank and mobility of a model, and what is redundant or doubtful in it.
 *
 * The rank of G is determined with scaled rows and columns in the assembled configuration. Where rows depend on others, it is determined
 * again nearby, along the admissible motions: rows that depend on others only at the start make that configuration singular, not the rows
 * redundant. The joint that causes a redundancy is found on the twists of bodies (topology), where shared points cannot hide one. */
#include "study/check.h"

#include "base/sized.h"
#include "elastic/rigid.h"
#include "kkt/row_choice.h"
#include "linsol/linsol.h"
#include "order/order.h"
#include "study/closure.h"
#include "study/defaults.h"
#include "study/plan.h"
#include "study/run.h"
#include "study/study_limits.h"
#include "system/system_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- rank */

typedef struct ranking {
    bl_index active; /* rows at the start */
    double *direction;
    bl_index *row_order, *col_order;
    uint8_t *wanted;  /* columns preferred as independent */
    uint8_t *follows; /* rows that depend on others at the start */
} ranking;

/* equations that hold always: not those of contacts and stops */
static bl_index always(const bl_system *sys) {
    bl_index n = 0;
    for (bl_index r = 0; r < sys->np; r++)
        n += sys->row[r].law == BL_LAW_EQUAL;
    return n;
}

static bl_status rows_at(bl_checking *c, const bl_state *state, bl_rows_ask *ask) {
    const bl_system *sys = c->sys;
    bl_eval_at(&c->eval, state);
    BL_TRY(bl_system_eval(sys, &c->eval, BL_G));
    *ask = (bl_rows_ask){.sys = sys, .G = c->eval.G, .tolerance = bl_rank_tolerance(sys->closure), .loose = true};
    return bl_check_finite(c->ctx, "constraint Jacobian", *state->t, sys->pat_G.ptr[sys->nv], c->eval.G);
}

static bl_status rank_at(bl_checking *c, ranking *r, const bl_state *state, bl_index *rank) {
    bl_rows_ask ask;
    BL_TRY(rows_at(c, state, &ask));
    ask.col_last = r->wanted;
    return bl_rows_choose(&ask, r->row_order, r->col_order, rank);
}

/* x[nv]: scratch */
static bl_status scaled_distance(const bl_system *sys, const double *from, const double *to, double *x, double *largest) {
    *largest = 0;
    BL_TRY(bl_system_local(sys, from, to, x));
    for (bl_index j = 0; j < sys->nv; j++)
        *largest = fmax(*largest, fabs(x[j]) / sys->col[j].scale);
    return BL_OK;
}

/* x = a random combination of all admissible motions, the largest component 1 in scaled coordinates; another one for every seed */
static void mix_motions(const bl_checking *c, uint64_t seed, double *x) {
    const bl_elimination *e = &c->motions;
    double largest = 0;
    for (bl_index k = e->rank; k < e->n; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[e->col[k]] = (double)(seed >> 11) * 0x1p-52 - 1;
    }
    bl_elimination_motion(e, x);
    for (bl_index j = 0; j < e->n; j++)
        largest = fmax(largest, fabs(x[j]));
    for (bl_index j = 0; largest > 0 && j < e->n; j++)
        x[j] *= c->sys->col[j].scale / largest;
}

/* An assembled configuration near the start in c->regular; BL_NO_CONVERGENCE: none found. Attempts alternate between two lengths and use
 * different combinations of motions; drivers may hold the mechanism, so later attempts also let some time pass. */
static bl_status go_beside(bl_checking *c, ranking *r, int attempt) {
    const bl_system *sys = c->sys;
    double move = attempt % 2 ? study_beside_near : study_beside_far, until = c->model->settings.until;
    bl_state_copy(sys, &c->regular, &c->start);
    mix_motions(c, (uint64_t)(attempt / 2 + 1), r->direction);
    for (bl_index j = 0; j < sys->nv; j++)
        r->direction[j] *= move;
    BL_TRY(bl_system_retract(sys, c->regular.q, r->direction, c->regular.q));
    bool later = (sys->facts & BL_RHEONOMIC) && (c->dof == 0 || attempt >= study_beside_tries / 2);
    if (later)
        *c->regular.t += study_beside_time * move * (until > 0 ? until : 1);
    bl_status status = bl_assemble_beside(sys, r->follows, &c->regular);
    if (status > 0)
        bl_context_clear_error(c->ctx);
    double moved = 0;
    if (status == BL_OK)
        BL_TRY(scaled_distance(sys, c->start.q, c->regular.q, r->direction, &moved));
    if (status == BL_OK && c->dof > 0 && moved < (later ? study_beside_moved_later : study_beside_moved) * move)
        status = BL_NO_CONVERGENCE; /* the assembly returned to the start */
    return status > 0 ? BL_NO_CONVERGENCE : status;
}

static bl_status find_motions(bl_checking *c, const bl_state *state) {
    bl_rows_ask ask;
    BL_TRY(rows_at(c, state, &ask));
    bl_elimination_free(&c->motions);
    BL_TRY(bl_rows_eliminate(&ask, &c->motions));
    c->dof = c->sys->nv - c->motions.rank;
    return BL_OK;
}

/* Rank at the start and, where it is not full, near it; c->regular becomes the configuration with the largest rank. */
static bl_status find_rank(bl_checking *c, ranking *r) {
    const bl_system *sys = c->sys;
    bl_index rank = 0, start_rank = 0;
    int seen = 0, best = -1;
    BL_TRY(rank_at(c, r, &c->start, &start_rank));
    r->active = sys->np - bl_rows_inactive(sys, c->eval.G, r->follows, &(bool){false});
    memset(r->follows, 0, (size_t)sys->np);
    for (bl_index i = start_rank; i < sys->np; i++)
        r->follows[r->row_order[i]] = 1;
    BL_TRY(find_motions(c, &c->start));
    c->report->rank = start_rank;
    c->report->mobility_start = sys->nv - start_rank;
    bool movable = c->dof > 0 || (sys->facts & BL_RHEONOMIC);
    for (int k = 0; (start_rank < r->active || c->leave) && movable && k < study_beside_tries && seen < (c->glance ? 1 : 2); k++) {
        bl_status status = go_beside(c, r, k);
        if (status == BL_NO_CONVERGENCE)
            continue;
        BL_TRY(status);
        BL_TRY(rank_at(c, r, &c->regular, &rank));
        seen++;
        if (rank > c->report->rank || (c->leave && best < 0 && rank == start_rank)) {
            c->report->rank = rank;
            best = k;
        }
    }
    c->stuck = start_rank < r->active && c->dof > 0 && seen == 0;
    if (best >= 0 && !c->glance)
        BL_TRY(go_beside(c, r, best));
    else if (best < 0)
        bl_state_copy(sys, &c->regular, &c->start);
    if (best < 0 && c->glance)
        rank = start_rank;
    else
        BL_TRY(rank_at(c, r, &c->regular, &rank));
    c->report->redundant = r->active - rank;
    c->report->mobility_rank = c->report->mobility_position = sys->nv - rank;
    for (bl_index k = 0; k < rank; k++)
        c->report->mobility_position += sys->row[r->row_order[k]].level == BL_AT_VELOCITY;
    for (bl_index k = 0; k < rank; k++) /* pivots: the dependent columns */
        c->report->dependent_columns_nonzeros += sys->pat_G.ptr[r->col_order[k] + 1] - sys->pat_G.ptr[r->col_order[k]];
    return best >= 0 ? find_motions(c, &c->regular) : BL_OK;
}

static bl_status rank_and_motions(bl_checking *c) {
    const bl_system *sys = c->sys;
    bl_arena arena = {.ctx = c->ctx};
    ranking r = {0};
    r.direction = bl_arena_alloc(&arena, (size_t)sys->nv, sizeof *r.direction);
    r.row_order = bl_arena_alloc(&arena, (size_t)sys->np, sizeof *r.row_order);
    r.col_order = bl_arena_alloc(&arena, (size_t)sys->nv, sizeof *r.col_order);
    r.wanted = bl_arena_alloc(&arena, (size_t)sys->nv, sizeof *r.wanted);
    r.follows = bl_arena_alloc(&arena, (size_t)sys->np, sizeof *r.follows);
    bl_status status = r.direction && r.row_order && r.col_order && r.wanted && r.follows ? BL_OK : BL_E_MEMORY;
    for (bl_index k = 0; status == BL_OK && k < sys->nindependent; k++)
        r.wanted[sys->independent[k]] = 1;
    for (bl_index j = 0; status == BL_OK && sys->nindependent == 0 && j < sys->nv; j++) /* as the partition does */
        r.wanted[j] = sys->col[j].what == BL_COL_ANGLE || sys->col[j].what == BL_COL_DISTANCE;
    if (status == BL_OK)
        status = find_rank(c, &r);
    bl_arena_destroy(&arena);
    return status;
}

/* ---- models without bodies */

static bl_status add_plain(bl_checking *c, bl_index col, int level, const char *text) {
    bl_check_report *report = c->report;
    BL_TRY(BL_RESERVE(c->ctx, report->finding, c->room, report->nfinding + 1));
    bl_finding *finding = &report->finding[report->nfinding++];
    finding->level = level;
    bl_system_col_name(c->sys, col, finding->part, sizeof finding->part);
    snprintf(finding->text, sizeof finding->text, "%s", text);
    return BL_OK;
}

static bl_status find_plain(bl_checking *c) {
    const bl_system *sys = c->sys;
    bl_eval_at(&c->eval, &c->start);
    BL_TRY(bl_system_eval(sys, &c->eval, (sys->nv ? BL_Q | BL_M : 0) | (sys->nz ? BL_F : 0)));
    for (bl_index j = 0; j < sys->nv; j++) {
        double mass = 0;
        for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++)
            mass = fmax(mass, fabs(c->eval.M[k]));
        if (mass == 0)
            BL_TRY(add_plain(c, j, BL_FINDING_WARNING, "has no mass: its acceleration is not determined"));
    }
    bl_index algebraic = 0, first = -1;
    for (bl_index j = sys->nv; j < sys->nv + sys->nz; j++)
        if (sys->col[j].order == 0) {
            first = first < 0 ? j : first;
            algebraic++;
        }
    char text[128] = "is algebraic (no equation contains its rate): an implicit method is needed";
    if (algebraic > 1)
        snprintf(text, sizeof text, "and %d more are algebraic (no equation contains their rates): an implicit method is needed",
                 algebraic - 1);
    return algebraic ? add_plain(c, first, BL_FINDING_NOTE, text) : BL_OK;
}

static bl_status examine_plain(bl_checking *c) {
    const bl_system *sys = c->sys;
    bl_check_report *report = c->report;
    report->variables = c->model->nvariable;
    report->coordinates = sys->nq + sys->nz;
    report->rows = report->rank = always(sys);
    report->contacts = sys->ncontact;
    for (bl_index p = 0; sys->np && p < sys->pat_G.ptr[sys->nv]; p++)
        report->nonzeros += sys->row[sys->pat_G.idx[p]].law == BL_LAW_EQUAL;
    report->mobility_count = report->mobility_rank = report->mobility_start = report->mobility_position = sys->nv - report->rows;
    return find_plain(c);
}

static bl_status make_room(bl_checking *c) {
    const bl_system *sys = c->sys;
    BL_TRY(bl_state_create(sys, 0, &c->regular));
    BL_TRY(bl_eval_create(sys, BL_G, &c->eval));
    c->length = bl_checking_length(sys);
    return BL_OK;
}

bl_status bl_checking_prepare(bl_checking *c, const char *coordinates, double closure) {
    BL_TRY(bl_model_check_closure(c->ctx, NULL, closure));
    bl_status status = bl_run_prepare_held(c->ctx, c->model, coordinates, closure, NULL, 0, &c->own, &c->start);
    c->sys = c->own; /* also after a failure, to be destroyed */
    BL_TRY(status);
    return make_room(c);
}

bl_status bl_checking_borrow(bl_checking *c, const bl_system *sys, const bl_state *start) {
    c->sys = sys;
    BL_TRY(bl_state_create(sys, 0, &c->start));
    bl_state_copy(sys, &c->start, start);
    return make_room(c);
}

bl_status bl_checking_rank(bl_checking *c) { return rank_and_motions(c); }

double bl_checking_length(const bl_system *sys) {
    double length = 1;
    for (bl_index j = sys->nv - 1; j >= 0; j--)
        if (sys->col[j].what == BL_COL_POINT)
            length = sys->col[j].scale;
    return length;
}

void bl_checking_destroy(bl_checking *c) {
    bl_dependencies_destroy(&c->dependencies);
    bl_twists_destroy(&c->twists);
    bl_elimination_free(&c->motions);
    bl_free(c->ctx, c->massless);
    if (c->sys) {
        bl_eval_destroy(c->sys, &c->eval);
        bl_state_destroy(c->sys, &c->start);
        bl_state_destroy(c->sys, &c->regular);
        bl_system_destroy(c->own);
    }
}

static void count_signals(const bl_model *model, bl_check_report *report) {
    for (bl_index i = 0; i < model->nsignal; i++)
        if (!model->signal[i].hidden)
            switch ((bl_signal_what)model->signal[i].what) {
            case BL_SIGNAL_INPUT: report->inputs++; break;
            case BL_SIGNAL_HELD: report->held++; break;
            case BL_SIGNAL_STATE: report->states++; break;
            case BL_SIGNAL_OUTPUT: report->outputs++; break;
            case BL_SIGNAL_DELAY: break;
            }
    report->events = model->naction;
}

/* ---- elastic bodies */

static void count_bodies(const bl_model *model, bl_check_report *report) {
    report->elastic = model->nelastic;
    for (bl_index b = 1; b < model->nbody; b++) {
        report->bodies += model->body[b].what == BL_BODY_RIGID;
        report->frames += model->body[b].what == BL_BODY_FRAME;
    }
    report->bodies += model->nelastic;
}

static bool has_meshes(const bl_model *model) {
    bool has = false;
    for (bl_index b = 1; b < model->nbody; b++)
        has = has || model->body[b].what == BL_BODY_MESH;
    return has;
}

/* what is left of the mobility if elastic bodies do not deform */
static bl_status elastic_mobility(bl_checking *c) {
    bl_rigid_model rigid;
    bl_twists twists = {0};
    bl_dependencies found = {0};
    bl_pose *pose = NULL;
    if (c->model->nelastic == 0)
        return BL_OK;
    bl_status status = bl_rigid_model_create(c->ctx, c->model, &rigid);
    if (status == BL_OK)
        status = BL_NEW(c->ctx, pose, rigid.model.nbody);
    if (status == BL_OK) {
        bl_rigid_model_gather(&rigid, c->model, c->eval.pose, pose);
        status = bl_twists_build(c->ctx, &rigid.model, pose, c->length, &twists);
    }
    if (status == BL_OK)
        status = bl_dependencies_find(&twists, bl_rank_tolerance(c->sys->closure), &found);
    if (status == BL_OK)
        c->report->mobility_elastic = c->report->mobility_position - (twists.width - found.rank - c->report->idle);
    bl_dependencies_destroy(&found);
    bl_twists_destroy(&twists);
    bl_free(c->ctx, pose);
    bl_rigid_model_destroy(&rigid);
    return status;
}

/* ---- methods that the model names */

static bl_status create_methods(const bl_checking *c) {
    const bl_settings *s = &c->model->settings;
    const char *options;
    const bl_order_kind *ordering;
    bl_linsol *solver = NULL;
    bl_formulation *form = NULL;
    if (s->ordering)
        BL_TRY(bl_order_find(c->ctx, s->ordering, &ordering, &options));
    if (s->linsol)
        BL_TRY(bl_linsol_create(c->ctx, s->linsol, &solver));
    bl_linsol_destroy(solver);
    if (!s->integrator && !s->formulation)
        return BL_OK;
    double tolerance = s->tolerance > 0 ? s->tolerance : BL_DEFAULT_TOLERANCE, until = s->until > 0 ? s->until : 1;
    bl_step_control control = {.tolerance = tolerance, .absolute = tolerance, .step = s->step > 0 ? s->step : until, .t_end = until};
    const char *integrator = bl_plan_integrator(c->sys, s->integrator, s->formulation, tolerance);
    BL_TRY(bl_formulation_create(c->sys, bl_plan_formulation(c->sys, s->formulation, integrator, tolerance), NULL, NULL, &form));
    bl_status status = bl_integrator_check(c->ctx, integrator, form, &control);
    bl_formulation_destroy(form);
    return status;
}

/* Unknown names, options out of range and combinations that no run accepts. */
static bl_status check_methods(const bl_checking *c) {
    bl_log_pause(c->ctx, true); /* a run shows its choices and warnings */
    bl_status status = create_methods(c);
    bl_log_pause(c->ctx, false);
    return bl_run_refused(c->ctx, c->model, NULL, status);
}

static bl_status examine(bl_checking *c, const bl_run_options *options) {
    const bl_model *model = c->model;
    bl_check_report *report = c->report;
    count_signals(model, report);
    BL_TRY(bl_checking_prepare(c, options ? options->coordinates : NULL, options ? options->closure : 0));
    BL_TRY(check_methods(c));
    const bl_system *sys = c->sys;
    if (model->nbody == 0)
        return examine_plain(c);
    count_bodies(model, report);
    report->joints = model->njoint;
    report->variables = model->nvariable;
    report->coordinates = sys->nq;
    report->rows = always(sys);
    for (bl_index p = 0; p < sys->pat_G.ptr[sys->nv]; p++)
        report->nonzeros += sys->row[sys->pat_G.idx[p]].law == BL_LAW_EQUAL;
    for (bl_index k = 0; k < model->ncontact; k++) {
        bool surfaces = model->contact[k].touch || model->contact[k].nform;
        report->contacts += surfaces;
        report->stops += !surfaces && !model->contact[k].percussion;
    }
    report->mobility_count = bl_topology_count(model);
    BL_TRY(bl_checking_rank(c));
    bl_eval_at(&c->eval, &c->regular);
    BL_TRY(bl_system_eval(sys, &c->eval, BL_POSE));
    BL_TRY(bl_twists_create(c->ctx, model, c->length, &c->twists));
    c->twists.velocities = true;
    BL_TRY(bl_twists_at(&c->twists, c->eval.pose, NULL));
    BL_TRY(bl_dependencies_find(&c->twists, bl_rank_tolerance(sys->closure), &c->dependencies));
    report->overconstraint = c->dependencies.ndependent;
    if (!has_meshes(model)) /* whose nodes have no twists */
        report->idle = c->twists.width - c->dependencies.rank + bl_topology_shapes(model) - report->mobility_position;
    BL_TRY(elastic_mobility(c));
    BL_TRY(bl_checking_massless(c));
    return bl_check_findings(c);
}

bl_status bl_check(bl_context *ctx, const bl_model *model, const bl_run_options *options, bl_check_report *report) {
    if (!ctx || !model || !report)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_check needs a context, a model and a report");
    bl_run_options own;
    bl_check_report made = {.size = sizeof made};
    BL_TRY(BL_TAKE(ctx, bl_run_options, options, &own));
    BL_TRY(BL_FITS(ctx, bl_check_report, report));
    bl_checking c = {.ctx = ctx, .model = model, .report = &made};
    bl_context_clear_warnings(ctx);
    bl_status status = examine(&c, &own);
    bl_checking_destroy(&c);
    if (status != BL_OK)
        bl_check_report_destroy(ctx, &made);
    BL_GIVE(bl_check_report, report, &made);
    return status;
}

void bl_check_report_destroy(bl_context *ctx, bl_check_report *report) {
    bl_free(ctx, report->finding);
    BL_CLEAR(bl_check_report, report);
}
