/* Equations as a constrained system: workspaces, evaluation by the program, names. A workspace keeps computed groups until the inputs they
 * depend on change, so that quantities requested one after the other share their work. */
#include "dense/dense.h"
#include "equations/equations_limits.h"
#include "equations/plain.h"

#include "sparse/sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct workspace {
    double *in, *work;
    uint32_t done;     /* groups computed from `in` */
    double *rate;      /* [nz] */
    double *switching; /* workspace of the switches */
    bl_plain_contacts contacts;
    void *block; /* holds the arrays */
} workspace;

static const bl_plain *own_of(const bl_system *sys) { return sys->own; }

/* ---- evaluation */

enum { GROUPS = BL_M | BL_Q | BL_F | BL_PHI | BL_G | BL_B | BL_C | BL_KC | BL_MA_X | BL_GTL_X | BL_GV_X | BL_EVENTS | BL_CONTACTS };
static const uint32_t c_values = UINT32_C(1) << BL_PLAIN_C_VALUES;

/* Copies changed inputs; groups that depend on them are no longer done. */
static void update_inputs(const bl_plain *p, const bl_eval *e, workspace *w, uint32_t groups) {
    const bl_system *sys = p->sys;
    bool contacts = sys->ncontact > 0;
    if (contacts)
        bl_plain_contacts_inputs(p, e, &w->contacts, groups & BL_GTL_X);
    const double *from[] = {&e->t,
                            e->q,
                            e->v,
                            e->z,
                            groups & BL_MA_X ? e->a : NULL,
                            !(groups & BL_GTL_X) ? NULL
                            : contacts           ? w->contacts.lambda
                                                 : e->lambda,
                            bl_plain_pieces(p, e->history),
                            w->contacts.rub};
    const bl_index count[] = {1, sys->nv, sys->nv, sys->nz, sys->nv, sys->np, p->switches.n, p->nrub};
    double *in = w->in;
    for (int kind = 0; kind < 8; in += count[kind++]) {
        size_t bytes = (size_t)count[kind] * sizeof *in;
        if (!from[kind] || !(p->groups[kind] & (groups | w->done)) || memcmp(in, from[kind], bytes) == 0)
            continue;
        memcpy(in, from[kind], bytes);
        w->done &= ~p->groups[kind];
    }
}

static bl_status check(const bl_system *sys, const char *what, double t, bl_index first, bl_index n, const double *x) {
    bl_index i = bl_first_not_finite(n, x);
    if (i < 0)
        return BL_OK;
    const bl_plain *p = own_of(sys);
    const char *name = p->model->variable[p->variable[first + i]].name;
    bl_fail(sys->ctx, BL_NOT_FINITE, NULL, "the %s of %s is %s at t = %.9g", what, name, isnan(x[i]) ? "not a number" : "infinite", t);
    bl_blame(sys->ctx, name, what, t);
    return BL_NOT_FINITE;
}

/* rates of first-order states from A; NaN for algebraic states */
static void first_rates(const bl_plain *p, const double *f, double *rate) {
    bl_index nz = p->sys->nz;
    for (bl_index i = 0; i < nz; i++)
        rate[i] = p->A_diagonal ? f[i] * p->A_diagonal[i] : p->A_factor ? f[i] : NAN;
    if (p->A_factor)
        bl_dense_lu_solve(nz, 1, p->A_factor, p->A_pivot, false, rate);
}

static void variables(const bl_plain *p, bl_eval *e, const workspace *w) {
    const bl_system *sys = p->sys;
    for (bl_index j = 0; j < sys->nv; j++) {
        e->variable[p->variable[j]] = e->q[j];
        e->variable_rate[p->variable[j]] = e->v[j];
    }
    for (bl_index j = 0; j < sys->nz; j++) {
        e->variable[p->variable[sys->nv + j]] = e->z[j];
        e->variable_rate[p->variable[sys->nv + j]] = w->rate[j];
    }
}

/* ---- switches */

typedef struct law_source {
    const bl_plain *p;
    const bl_eval *e;
} law_source;

static void law_inputs(void *user, bl_index law, double *in) {
    const law_source *at = user;
    const bl_plain *p = at->p;
    const bl_system *sys = p->sys;
    bl_index nvariable = p->model->nvariable;
    (void)law; /* there is only one */
    in[0] = at->e->t;
    for (bl_index j = 0; j < sys->nv; j++) {
        in[1 + p->variable[j]] = at->e->q[j];
        in[1 + nvariable + p->variable[j]] = at->e->v[j];
    }
    for (bl_index j = 0; j < sys->nz; j++)
        in[1 + p->variable[sys->nv + j]] = at->e->z[j];
}

static bl_status equations_hold(const bl_system *sys, bl_eval *e, bl_state *state) {
    const bl_plain *p = own_of(sys);
    if (!e) { /* no pieces, all contacts open */
        memset(state->history, 0, sys->history_bytes);
        return BL_OK;
    }
    const workspace *w = e->own;
    bl_switches_hold(&p->switches, law_inputs, &(law_source){p, e}, *state->t, (double *)(void *)state->history, w->switching);
    return BL_OK;
}

static bl_status equations_next_time(const bl_system *sys, const bl_state *state, double *t) {
    *t = bl_switches_next_time(&own_of(sys)->switches, (const double *)(const void *)state->history);
    return BL_OK;
}

static bl_status equations_jump(const bl_system *sys, bl_eval *e, bl_state *state, bl_index event) {
    const bl_plain *p = own_of(sys);
    const workspace *w = e->own;
    bl_index which = event < 0 ? -1 : event - p->model->nstop;
    bool changed =
        bl_switches_jump(&p->switches, law_inputs, &(law_source){p, e}, *state->t, (double *)(void *)state->history, which, w->switching);
    return changed ? BL_OK : BL_AGAIN;
}

static bool equations_blend(const bl_system *sys, bl_state *state, bl_index event, double share) {
    const bl_plain *p = own_of(sys);
    return bl_switches_blend(&p->switches, (double *)(void *)state->history, event - p->model->nstop, share);
}

static void equations_event_name(const bl_system *sys, bl_index event, char *name, size_t nname) {
    const bl_plain *p = own_of(sys);
    const bl_pieces *law = &p->switches.law[0];
    if (event >= sys->contact_event && sys->ncontact) {
        snprintf(name, nname, "contact '%s'", sys->contact[(event - sys->contact_event) / BL_CONTACT_EVENTS].name);
        return;
    }
    bl_index k = event < p->model->nstop ? 0 : p->switches.of_event[event - p->model->nstop];
    for (bl_index i = 0; i < p->model->nvariable; i++)
        if (bl_tape_depends(law->tape, i, law->ninput + k)) {
            snprintf(name, nname, "the equation of %s", p->model->variable[i].name);
            return;
        }
    snprintf(name, nname, "a mass or a constraint");
}

static bl_status equations_eval(const bl_system *sys, bl_eval *e, uint32_t want) {
    const bl_plain *p = own_of(sys);
    workspace *w = e->own;
    uint32_t gaps = sys->ncontact && (want & (BL_EVENTS | BL_CONTACTS)) ? BL_PHI : 0;
    uint32_t groups = (want & GROUPS) | gaps | (want & BL_KC ? c_values : 0) | (want & BL_VARIABLES && sys->nz ? BL_F : 0);
    update_inputs(p, e, w, groups);
    bl_tape_program_run(p->program, w->in, groups & ~w->done, w->done, w->work);
    w->done |= groups;
    const struct {
        uint32_t quantity;
        double *out;
    } result[] = {{BL_Q, e->Q},         {BL_F, e->f},       {BL_M, e->M},         {BL_PHI, e->phi}, {BL_G, e->G},
                  {BL_B, e->b},         {BL_C, e->c},       {BL_KC, e->K},        {c_values, e->C}, {BL_MA_X, e->Ma_x},
                  {BL_GTL_X, e->GTl_x}, {BL_GV_X, e->Gv_x}, {BL_EVENTS, e->event}};
    for (size_t k = 0; k < sizeof result / sizeof *result; k++)
        if (groups & result[k].quantity)
            bl_tape_program_take(p->program, bl_plain_group(result[k].quantity), w->work, result[k].out);
    if (sys->ncontact)
        bl_plain_contacts_rows(p, e, &w->contacts, groups);
    if (sys->ncontact && (want & BL_CONTACTS)) {
        bl_tape_program_take(p->program, bl_plain_group(BL_CONTACTS), w->work, w->contacts.speed);
        bl_plain_contacts_show(p, e, &w->contacts);
    }
    if (sys->ncontact && (want & BL_EVENTS))
        bl_plain_contacts_events(p, e, &w->contacts);
    if (want & BL_LOADS)
        bl_plain_contacts_loads(p, e);
    if (groups & BL_Q)
        BL_TRY(check(sys, "right-hand side", e->t, 0, sys->nv, e->Q));
    if (groups & BL_F)
        BL_TRY(check(sys, "right-hand side", e->t, sys->nv, sys->nz, e->f));
    if ((want & BL_EVENTS) && p->switches.nevent)
        bl_switches_events(&p->switches, law_inputs, &(law_source){p, e}, bl_plain_pieces(p, e->history), e->event + p->model->nstop,
                           w->switching);
    if (want & BL_VARIABLES) {
        first_rates(p, e->f, w->rate);
        variables(p, e, w);
    }
    return BL_OK;
}

static bl_status equations_exact(const bl_system *sys, double t, double *q, double *v, double *z) {
    const bl_plain *p = own_of(sys);
    size_t nv = (size_t)sys->nv, nz = (size_t)sys->nz;
    double *work;
    BL_TRY(BL_NEW(sys->ctx, work, bl_tape_program_work(p->solution) + 2 * nv + nz));
    double *out = work + bl_tape_program_work(p->solution);
    bl_tape_program_start(p->solution, work);
    bl_tape_program_run(p->solution, &t, 1, 0, work);
    bl_tape_program_take(p->solution, 0, work, out);
    memcpy(q, out, nv * sizeof *q);
    memcpy(v, out + nv, nv * sizeof *v);
    memcpy(z, out + 2 * nv, nz * sizeof *z);
    bl_free(sys->ctx, work);
    return BL_OK;
}

/* ---- workspaces */

static bl_status equations_eval_create(const bl_system *sys, bl_eval *e) {
    const bl_plain *p = own_of(sys);
    size_t inputs = 1 + 3 * (size_t)sys->nv + (size_t)sys->nz + (size_t)sys->np + (size_t)p->switches.n + (size_t)p->nrub;
    size_t np = sys->ncontact ? (size_t)sys->np : 0;
    workspace *w;
    BL_TRY(BL_NEW(sys->ctx, w, 1));
    e->own = w;
    BL_TRY(BL_NEW_ARRAYS(sys->ctx, w->block, BL_ARRAY(w->in, inputs), BL_ARRAY(w->work, bl_tape_program_work(p->program)),
                         BL_ARRAY(w->rate, sys->nz), BL_ARRAY(w->switching, p->switches.work), BL_ARRAY(w->contacts.gap, sys->ncontact),
                         BL_ARRAY(w->contacts.speed, np), BL_ARRAY(w->contacts.lambda, np), BL_ARRAY(w->contacts.rub, p->nrub)));
    bl_tape_program_start(p->program, w->work);
    return BL_OK;
}

static bl_status equations_eval_room(const bl_system *sys, bl_eval *e, uint32_t fresh) {
    static const uint32_t matrices[] = {BL_M, BL_G, BL_KC, BL_MA_X, BL_GTL_X, BL_GV_X};
    const bl_plain *p = own_of(sys);
    const workspace *w = e->own;
    double *const out[] = {e->M, e->G, e->K, e->Ma_x, e->GTl_x, e->Gv_x};
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++) {
        int group = bl_plain_group(matrices[k]);
        bool constant = bl_tape_program_constant(p->program, group);
        if (matrices[k] == BL_KC)
            constant = constant && bl_tape_program_constant(p->program, BL_PLAIN_C_VALUES);
        if (sys->ncontact && (matrices[k] & (BL_G | BL_GTL_X | BL_GV_X))) /* rows that do not hold are zero */
            constant = false;
        if (!constant || !(fresh & matrices[k]))
            continue;
        bl_tape_program_take(p->program, group, w->work, out[k]);
        e->constant |= matrices[k];
    }
    if (fresh & BL_KC)
        bl_tape_program_take(p->program, BL_PLAIN_C_VALUES, w->work, e->C); /* A is set from the beginning */
    return BL_OK;
}

static void equations_eval_destroy(const bl_system *sys, bl_eval *e) {
    workspace *w = e->own;
    if (!w)
        return;
    bl_free(sys->ctx, w->block);
    bl_free(sys->ctx, w);
    e->own = NULL;
}

/* ---- names */

static void equations_row_name(const bl_system *sys, bl_index row, char *part, size_t npart, char *equation, size_t nequation) {
    const bl_equation_row *c = &own_of(sys)->model->equations->constraint[row];
    snprintf(part, npart, c->contact < 0 ? "constraint '%s'" : "contact '%s'", c->name);
    snprintf(equation, nequation, "%s = 0", c->text[0] == '=' ? c->text + 1 : c->text);
}

static void equations_load_name(const bl_system *sys, bl_index load, char *name, size_t nname) {
    for (bl_index c = 0; c < sys->ncontact; c++)
        if (sys->contact[c].load == load)
            snprintf(name, nname, "contact '%s'", sys->contact[c].name);
}

static void equations_col_name(const bl_system *sys, bl_index col, char *name, size_t nname) {
    const bl_plain *p = own_of(sys);
    snprintf(name, nname, "%s", p->model->variable[p->variable[col]].name);
}

static void equations_destroy(bl_system *sys) {
    bl_plain *p = sys->own;
    bl_context *ctx = sys->ctx;
    bl_tape_program_destroy(p->program);
    bl_tape_program_destroy(p->solution);
    bl_switches_destroy(ctx, &p->switches);
    bl_pattern *const pattern[] = {&p->M, &p->C, &p->K, &p->G};
    for (int k = 0; k < 4; k++)
        bl_pattern_free(ctx, pattern[k]);
    bl_free(ctx, p->A_factor);
    bl_arena_destroy(&p->arena);
}

/* ---- building */

static const bl_system_kind equations_kind = {.kind = {.name = "equations", .help = "equations of a model without bodies"},
                                              .eval = equations_eval,
                                              .eval_create = equations_eval_create,
                                              .eval_room = equations_eval_room,
                                              .eval_destroy = equations_eval_destroy,
                                              .series = bl_plain_series,
                                              .expansion_create = bl_plain_expansion_create,
                                              .expansion_destroy = bl_plain_expansion_destroy,
                                              .not_analytic = bl_plain_not_analytic,
                                              .hold = equations_hold,
                                              .next_time = equations_next_time,
                                              .jump = equations_jump,
                                              .blend = equations_blend,
                                              .event_name = equations_event_name,
                                              .row_name = equations_row_name,
                                              .col_name = equations_col_name,
                                              .load_name = equations_load_name,
                                              .destroy = equations_destroy};

static bl_status lay_out(bl_plain *p) {
    const bl_model *model = p->model;
    const bl_equations *e = model->equations;
    bl_system *sys = p->sys;
    for (bl_index i = 0; i < model->nvariable; i++)
        *(e->order[i] == 2 ? &sys->nv : &sys->nz) += 1;
    sys->nq = sys->nv;
    sys->np = e->nconstraint;
    sys->nvariable = model->nvariable;
    sys->nevent = model->nstop;
    size_t n = (size_t)sys->nv + (size_t)sys->nz;
    bl_col *col;
    BL_TRY(BL_ARENA_ARRAYS(&p->arena, BL_ARRAY(col, n), BL_ARRAY(p->variable, n)));
    bl_index at[2] = {0, sys->nv};
    for (bl_index i = 0; i < model->nvariable; i++) {
        bl_index j = at[e->order[i] != 2]++;
        p->variable[j] = i;
        col[j] = (bl_col){.what = BL_COL_STATE, .order = e->order[i], .owner = i, .scale = e->scale[i]};
    }
    sys->col = col;
    return bl_plain_contacts_lay_out(p);
}

/* 1 / A, or its factors, to compute rates of first-order states */
static bl_status invert_A(bl_plain *p, const double *C) {
    const bl_system *sys = p->sys;
    bl_index nv = sys->nv, nz = sys->nz;
    bool diagonal = true;
    BL_TRY(BL_ARENA_NEW(&p->arena, p->A_diagonal, nz));
    for (bl_index j = 0; j < nz; j++)
        p->A_diagonal[j] = NAN;
    for (bl_index j = nv; j < nv + nz; j++)
        for (bl_index k = p->C.ptr[j]; k < p->C.ptr[j + 1]; k++) {
            if (p->C.idx[k] != j)
                diagonal = false;
            else if (C[k] != 0)
                p->A_diagonal[j - nv] = 1 / C[k];
        }
    if (diagonal)
        return BL_OK;
    p->A_diagonal = NULL;
    if (nz > equations_coupled)
        return BL_OK;
    size_t m = (size_t)nz;
    BL_TRY(BL_ARENA_NEW(&p->arena, p->A_pivot, m));
    BL_TRY(BL_NEW(sys->ctx, p->A_factor, m * m));
    for (bl_index j = nv; j < nv + nz; j++)
        for (bl_index k = p->C.ptr[j]; k < p->C.ptr[j + 1]; k++)
            p->A_factor[(size_t)(j - nv) * m + (size_t)(p->C.idx[k] - nv)] = C[k];
    if (!bl_dense_lu(nz, p->A_factor, p->A_pivot)) {
        bl_free(sys->ctx, p->A_factor); /* singular */
        p->A_factor = NULL;
    }
    return BL_OK;
}

/* Evaluates the initial state for the scales of constraints, from their gradients, and for A. */
static bl_status evaluate_start(bl_plain *p) {
    bl_system *sys = p->sys;
    const bl_equations *e = p->model->equations;
    bl_row *row;
    BL_TRY(BL_ARENA_NEW(&p->arena, row, sys->np));
    bl_state state;
    bl_eval eval = {0};
    BL_TRY(bl_state_create(sys, 0, &state));
    bl_status status = bl_eval_create(sys, BL_G | BL_KC, &eval);
    if (status == BL_OK)
        status = bl_equations_initial(sys, &state);
    if (status == BL_OK) {
        for (bl_index i = 0; i < sys->ncontact; i++) /* all rows of contacts count */
            bl_contact_states(sys, state.history)[i].mode = BL_CONTACT_STICK;
        bl_eval_at(&eval, &state);
        status = bl_system_eval(sys, &eval, BL_G);
    }
    for (bl_index i = 0; status == BL_OK && i < sys->np; i++)
        row[i] = (bl_row){.what = BL_ROW_EQUATION, .law = BL_LAW_EQUAL, .owner = -1, .partner = -1};
    for (bl_index j = 0; status == BL_OK && j < sys->nv; j++)
        for (bl_index k = p->G.ptr[j]; k < p->G.ptr[j + 1]; k++)
            row[p->G.idx[k]].scale = fmax(row[p->G.idx[k]].scale, fabs(eval.G[k]));
    for (bl_index i = 0; status == BL_OK && i < sys->np; i++) {
        if (!isnan(e->constraint[i].scale))
            row[i].scale = e->constraint[i].scale;
        if (!(row[i].scale > 0) || !isfinite(row[i].scale))
            row[i].scale = 1;
    }
    bl_plain_contacts_laws(p, row);
    sys->row = row;
    if (status == BL_OK)
        status = invert_A(p, eval.C);
    bl_eval_destroy(sys, &eval);
    bl_state_destroy(sys, &state);
    return status;
}

static bl_status build(bl_plain *p) {
    BL_TRY(lay_out(p));
    BL_TRY(bl_plain_record(p));
    bool series = (p->sys->facts & BL_SMOOTH) && (p->sys->nz == 0 || p->constant_A) && p->sys->ncontact == 0;
    p->sys->can = BL_CAN_MASS | BL_CAN_TANGENT | (series ? BL_CAN_SERIES : 0);
    if (p->solution) {
        p->kind = equations_kind;
        p->kind.exact = equations_exact;
        p->sys->kind = &p->kind;
    }
    return evaluate_start(p);
}

bl_status bl_equations_build(bl_context *ctx, const bl_model *model, bl_system **sys) {
    *sys = NULL;
    if (!model->equations)
        return bl_fail(ctx, BL_E_ARG, NULL, "the model has no equations");
    BL_TRY(bl_system_create(ctx, &equations_kind, sizeof(bl_plain), sys));
    bl_plain *p = (*sys)->own;
    p->sys = *sys;
    p->arena.ctx = ctx;
    p->model = model;
    return bl_system_made(build(p), sys);
}

bl_status bl_equations_initial(const bl_system *sys, bl_state *state) {
    const bl_plain *p = own_of(sys);
    const bl_equations *e = p->model->equations;
    *state->t = 0;
    *state->work = 0;
    for (bl_index j = 0; j < sys->nv; j++) {
        state->q[j] = e->start[p->variable[j]];
        state->v[j] = e->rate_start[p->variable[j]];
    }
    for (bl_index j = 0; j < sys->nz; j++)
        state->z[j] = e->start[p->variable[sys->nv + j]];
    memset(state->lambda, 0, (size_t)sys->np * sizeof *state->lambda);
    return BL_OK;
}
