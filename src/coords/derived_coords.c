#include "coords/derived_coords.h"

#include "base/hash.h"

#include "coords/reference.h"
#include "coords/relative.h"
#include "sparse/sparse.h"
#include "system/system_limits.h"

#include <math.h>
#include <string.h>

/* ---- the underlying mechanism */

static bl_derived *own_of(bl_system *sys) { return sys->own; }
static const bl_system *inner_of(const bl_system *sys) { return bl_derived_of(sys)->inner; }

/* The state of the mechanism in the model configuration. */
static bl_status initial_inner(const bl_system *sys, bl_state *inner) {
    *inner = (bl_state){0};
    BL_TRY(bl_state_create(inner_of(sys), 0, inner));
    return bl_coords_initial(inner_of(sys), inner);
}

static bl_status find_variables(bl_derived *on, const bl_system *sys) {
    BL_TRY(BL_ARENA_NEW(&on->arena, on->variable, sys->nvariable));
    bl_state inner;
    bl_status status = initial_inner(sys, &inner);
    if (status == BL_OK && sys->nvariable > 0) /* the history begins with them */
        memcpy(on->variable, inner.history, (size_t)sys->nvariable * sizeof *on->variable);
    bl_state_destroy(on->inner, &inner);
    return status;
}

bl_status bl_derived_build(bl_system *sys, const bl_coords_kind *kind, const bl_coords_choice *choice) {
    bl_derived *on = own_of(sys);
    on->coords = kind;
    on->arena.ctx = sys->ctx;
    BL_TRY(bl_mech_build(sys->ctx, choice, &on->inner));
    const bl_system *inner = on->inner;
    on->m = bl_mech(inner);
    on->inner_history = inner->history_bytes;
    sys->nbody = inner->nbody;
    sys->njoint = inner->njoint;
    sys->nvariable = inner->nvariable;
    sys->nprobe = inner->nprobe;
    sys->npush = inner->npush;
    sys->push = inner->push;
    sys->nspring = inner->nspring;
    sys->spring = inner->spring;
    sys->nevent = inner->nevent;
    sys->event = inner->event;
    sys->nu = inner->nu;
    sys->held = inner->held;
    sys->power_of_u = inner->power_of_u;
    sys->nsignal = inner->nsignal;
    sys->nload = inner->nload;
    sys->load_open = inner->load_open;
    sys->ncontact = inner->ncontact;
    sys->contact_at = inner->contact_at;
    sys->contact_event = inner->contact_event;
    return find_variables(on, sys);
}

void bl_derived_destroy(bl_system *sys) {
    bl_pattern *const pattern[] = {&sys->pat_G, &sys->pat_M, &sys->pat_K, &sys->pat_T, &sys->pat_W, &sys->pat_S};
    for (size_t k = 0; k < sizeof pattern / sizeof *pattern; k++)
        bl_pattern_free(sys->ctx, pattern[k]);
    bl_free(sys->ctx, own_of(sys)->S_slot);
    bl_system_destroy(own_of(sys)->inner);
    bl_arena_destroy(&own_of(sys)->arena);
}

bl_status bl_derived_room(const bl_system *sys, bl_eval *e, uint32_t fresh) {
    uint32_t inner = fresh & ~(uint32_t)(BL_T | BL_M | BL_MA_X | BL_FREE_ACC | BL_W);
    if (bl_derived_of(sys)->m->nfloating) /* masses of the mechanism that are copied change */
        inner |= BL_M | (fresh & BL_MA_X);
    bl_eval *in = e->own;
    BL_TRY(bl_eval_room(inner_of(sys), inner | (fresh & (BL_C | BL_W | BL_GV_X | BL_GTL_X | BL_WRENCH) ? BL_G : 0), in));
    e->field = in->field;
    return BL_OK;
}

/* ---- states */

static void copy_positions(const bl_derived *on, const bl_state *inner, bl_state *state) {
    for (const struct bl_copy *c = on->copy; c < on->copy + on->ncopy; c++)
        state->q[c->q] = inner->q[c->inner];
    memcpy(state->history, inner->history, on->inner_history);
}

bl_status bl_derived_initial(const bl_system *sys, bl_state *state) {
    bl_state inner;
    bl_status status = initial_inner(sys, &inner);
    if (status == BL_OK) {
        memset(state->q, 0, (size_t)sys->nq * sizeof(double));
        memset(state->v, 0, (size_t)sys->nv * sizeof(double));
        *state->t = 0;
        *state->work = 0;
        copy_positions(bl_derived_of(sys), &inner, state);
    }
    bl_state_destroy(inner_of(sys), &inner);
    return status;
}

bl_status bl_derived_set_positions(const bl_system *sys, const bl_body_states *at, bl_state *state) {
    bl_state inner = {0};
    bl_status status = bl_state_create(inner_of(sys), 0, &inner);
    if (status == BL_OK)
        status = bl_coords_set_positions(inner_of(sys), at, &inner);
    if (status == BL_OK)
        copy_positions(bl_derived_of(sys), &inner, state);
    bl_state_destroy(inner_of(sys), &inner);
    return status;
}

bl_status bl_derived_set_velocities(const bl_system *sys, const bl_body_states *at, bl_state *state) {
    const bl_derived *on = bl_derived_of(sys);
    bl_state inner = {0};
    bl_status status = bl_state_create(on->inner, 0, &inner);
    if (status == BL_OK)
        status = bl_coords_set_positions(on->inner, at, &inner);
    if (status == BL_OK)
        status = bl_coords_set_velocities(on->inner, at, &inner);
    memset(state->v, 0, (size_t)sys->nv * sizeof(double));
    for (const struct bl_copy *c = on->copy; status == BL_OK && c < on->copy + on->ncopy; c++)
        state->v[c->v] = inner.v[c->inner];
    bl_state_destroy(on->inner, &inner);
    return status;
}

/* ---- rows and columns */

/* Equations are scaled by their gradient in the model configuration, as in the mechanism, whose scale is kept where the gradient is very
 * small (system_limits.h). */
static bl_status scale_rows(bl_system *sys, double length, bl_row *row) {
    sys->row_size = length;
    bl_eval e = {0};
    bl_state state = {0};
    bl_status status = bl_state_create(sys, 0, &state);
    if (status == BL_OK)
        status = bl_eval_create(sys, BL_G, &e);
    if (status == BL_OK)
        status = bl_coords_initial(sys, &state);
    if (status == BL_OK) {
        bl_eval_at(&e, &state);
        status = bl_system_eval(sys, &e, BL_G);
    }
    double *square = NULL;
    if (status == BL_OK)
        status = BL_NEW(sys->ctx, square, sys->np);
    for (bl_index j = 0; status == BL_OK && j < sys->nv; j++)
        for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++)
            square[sys->pat_G.idx[p]] += e.G[p] * e.G[p] * sys->col[j].scale * sys->col[j].scale;
    for (bl_index i = 0; status == BL_OK && i < sys->np; i++) {
        double scale = sqrt(square[i]) / length;
        row[i].scale = scale > system_row_slight * row[i].scale ? scale : row[i].scale;
    }
    bl_free(sys->ctx, square);
    bl_eval_destroy(sys, &e);
    bl_state_destroy(sys, &state);
    return status;
}

bl_status bl_derived_named(const bl_system *sys, const bl_model *model, bl_index *found) {
    bl_hash table = {0};
    bl_status status = BL_OK;
    for (bl_index i = 0; i < model->nindependent && status == BL_OK; i++) {
        found[i] = -1;
        status = bl_hash_put(sys->ctx, &table, bl_hash_text(model->independent[i]));
    }
    for (bl_index c = 0; c < sys->nv && model->nindependent > 0 && status == BL_OK; c++) {
        char name[96];
        bl_system_col_name(sys, c, name, sizeof name);
        for (bl_index i = bl_hash_find(&table, bl_hash_text(name)); i >= 0; i = bl_hash_next(&table, i))
            if (found[i] < 0 && strcmp(name, model->independent[i]) == 0)
                found[i] = c;
    }
    bl_hash_free(sys->ctx, &table);
    return status;
}

/* columns named in `independent:`; variables that are not columns here are ignored */
static bl_status find_independent(bl_system *sys, const bl_model *model, bl_arena *arena) {
    bl_index *found;
    BL_TRY(BL_ARENA_NEW(arena, found, model->nindependent));
    BL_TRY(bl_derived_named(sys, model, found));
    sys->independent = found;
    for (bl_index i = 0; i < model->nindependent; i++) {
        bool there = found[i] >= 0;
        if (there)
            found[sys->nindependent++] = found[i];
        if (there || bl_model_variable(model, model->independent[i]) >= 0)
            continue;
        const bl_place *place = model->independent_place ? &model->independent_place[i] : NULL;
        bl_fail(sys->ctx, BL_E_MODEL, place, "independent: '%s' is neither a variable nor a coordinate", model->independent[i]);
        bl_advise(
            sys->ctx,
            "name a joint variable (j1.angle), or a coordinate of a reference body: its mass center (rod.x), its orientation (rod.angle)");
        return BL_E_MODEL;
    }
    return BL_OK;
}

/* contacts of the mechanism with the numbers that their rows have here */
static bl_status find_contacts(bl_system *sys, bl_derived *on) {
    bl_contact *contact;
    if (sys->ncontact == 0)
        return BL_OK;
    BL_TRY(BL_ARENA_NEW(&on->arena, contact, sys->ncontact));
    memcpy(contact, on->inner->contact, (size_t)sys->ncontact * sizeof *contact);
    bl_contact_find_rows(on->row, sys->np, on->m->model->njoint, sys->ncontact, contact);
    sys->contact = contact;
    return BL_OK;
}

bl_status bl_derived_finish(bl_system *sys) {
    bl_derived *on = own_of(sys);
    BL_TRY(scale_rows(sys, on->m->length, on->row));
    BL_TRY(find_contacts(sys, on));
    return find_independent(sys, on->m->model, &on->arena);
}

/* ---- results for the user */

void bl_derived_copy_results(const bl_system *sys, bl_eval *e, const bl_eval *in, uint32_t want) {
    if (want & BL_POSE)
        memcpy(e->pose, in->pose, (size_t)sys->nbody * sizeof *e->pose);
    if (want & BL_VARIABLES) {
        memcpy(e->variable, in->variable, (size_t)sys->nvariable * sizeof(double));
        memcpy(e->variable_rate, in->variable_rate, (size_t)sys->nvariable * sizeof(double));
    }
    if (want & BL_PROBES) {
        memcpy(e->probe, in->probe, 3 * (size_t)sys->nprobe * sizeof(double));
        memcpy(e->probe_rate, in->probe_rate, 3 * (size_t)sys->nprobe * sizeof(double));
    }
    if ((want & BL_SIGNALS) && sys->nsignal > 0)
        memcpy(e->signal, in->signal, (size_t)sys->nsignal * sizeof(double));
    if ((want & BL_SIGNAL_RATE) && sys->nsignal > 0)
        memcpy(e->signal_rate, in->signal_rate, (size_t)sys->nsignal * sizeof(double));
    if ((want & BL_SIGNAL_X) && sys->nsignal > 0)
        memcpy(e->signal_u, in->signal_u, (size_t)sys->nsignal * (size_t)sys->nu * sizeof(double));
    if (want & BL_EVENTS)
        memcpy(e->event, in->event, (size_t)sys->nevent * sizeof(double));
    if (want & BL_CONTACTS)
        bl_contacts_show(bl_derived_of(sys)->m, sys->contact, in, e->lambda, e->contact);
    if ((want & BL_FORCES) && sys->npush > 0)
        memcpy(e->push, in->push, (size_t)sys->npush * sizeof *e->push);
    if ((want & BL_FORCES) && sys->nspring > 0) {
        memcpy(e->spring_length, in->spring_length, (size_t)sys->nspring * sizeof(double));
        memcpy(e->spring_tension, in->spring_tension, (size_t)sys->nspring * sizeof(double));
    }
}

/* ---- revolutions */

bl_status bl_derived_count(bl_system *sys, const bl_index *psi_of, bool *done, bl_counted *counted, bl_index *n) {
    bl_derived *on = own_of(sys);
    const bl_mechanism *m = on->m;
    bl_index *angle;
    for (bl_index i = 0; m->dim == 2 && i < m->nangle; i++) {
        bl_index variable = m->angle[i];
        const bl_prim *prim = m->gauge[variable].prim;
        bl_index a = psi_of[prim->a.body], b = psi_of[prim->b.body];
        if (done[variable] || prim->what != BL_ANGLE || a < -1 || b < -1)
            continue;
        counted[(*n)++] =
            (bl_counted){.variable = variable, .a = a, .b = b, .zero = on->variable[variable], .sign = prim->c.s[2] < 0 ? -1 : 1};
        done[variable] = true;
    }
    BL_TRY(BL_ARENA_NEW(&on->arena, angle, m->nangle));
    sys->angle = angle;
    for (bl_index i = 0; i < m->nangle; i++)
        if (!done[m->angle[i]])
            angle[sys->nangle++] = m->angle[i];
    for (bl_index i = 0; i < m->model->nvariable; i++) /* coordinates of the mechanism, here measured modulo full revolutions */
        sys->revolutions_in_laws = sys->revolutions_in_laws || (m->model->variable[i].is_angle && m->gauge[i].entry >= 0);
    return BL_OK;
}

void bl_derived_expect(const bl_counted *counted, bl_index n, const double *psi, double *expected) {
    for (const bl_counted *c = counted; c < counted + n; c++)
        expected[c->variable] = c->zero + c->sign * ((c->b >= 0 ? psi[c->b] : 0) - (c->a >= 0 ? psi[c->a] : 0));
}

/* ---- patterns */

bl_status bl_pairs_add(bl_pairs *p, bl_index row, bl_index col) {
    BL_TRY(BL_RESERVE(p->ctx, p->row, p->row_room, p->n + 1));
    BL_TRY(BL_RESERVE(p->ctx, p->col, p->col_room, p->n + 1));
    p->row[p->n] = row;
    p->col[p->n++] = col;
    return BL_OK;
}

bl_status bl_pairs_build(bl_pairs *p, bl_index nrow, bl_index ncol, bl_pattern *pattern, bl_index **slot) {
    BL_TRY(BL_NEW(p->ctx, *slot, p->n + 1));
    return bl_pattern_build(p->ctx, nrow, ncol, p->n, p->row, p->col, pattern, *slot);
}

void bl_pairs_free(bl_pairs *p) {
    bl_free(p->ctx, p->row);
    bl_free(p->ctx, p->col);
    p->row = p->col = NULL;
}

/* ---- signals */

typedef struct signal_columns {
    bl_pairs pairs;
    bl_index signal;
} signal_columns;

static bl_status add_column(void *user, bl_index col) {
    signal_columns *s = user;
    return bl_pairs_add(&s->pairs, col, s->signal);
}

bl_status bl_derived_signals(bl_system *sys, bl_derived_columns columns) {
    bl_derived *on = own_of(sys);
    const bl_pattern *pat = &on->inner->pat_S;
    signal_columns s = {.pairs = {.ctx = sys->ctx}};
    BL_TRY(BL_ARENA_NEW(&on->arena, on->S_ptr, (size_t)pat->ptr[sys->nsignal] + 1));
    bl_status status = BL_OK;
    for (s.signal = 0; s.signal < sys->nsignal && status == BL_OK; s.signal++)
        for (bl_index p = pat->ptr[s.signal]; p < pat->ptr[s.signal + 1] && status == BL_OK; p++) {
            on->S_ptr[p] = s.pairs.n;
            status = columns(sys, pat->idx[p], add_column, &s);
        }
    if (status == BL_OK)
        status = bl_pairs_build(&s.pairs, sys->nv, sys->nsignal, &sys->pat_S, &on->S_slot);
    bl_pairs_free(&s.pairs);
    return status;
}

/* ---- laws by pieces */

_Static_assert(offsetof(bl_reference_work, inner) == 0 && offsetof(bl_tree_work, inner) == 0,
               "evaluations must begin with that of the mechanism");

/* the mechanism's evaluation at the same configuration: laws are evaluated there */
static bl_status inner_at(const bl_system *sys, bl_eval *e, bl_eval **inner) {
    *inner = e ? e->own : NULL;
    return e ? bl_system_eval(sys, e, BL_EVENTS) : BL_OK;
}

bl_status bl_derived_hold(const bl_system *sys, bl_eval *e, bl_state *state) {
    bl_eval *inner;
    BL_TRY(inner_at(sys, e, &inner));
    return inner_of(sys)->kind->hold(inner_of(sys), inner, state);
}

bl_status bl_derived_jump(const bl_system *sys, bl_eval *e, bl_state *state, bl_index event) {
    bl_eval *inner;
    BL_TRY(inner_at(sys, e, &inner));
    return inner_of(sys)->kind->jump(inner_of(sys), inner, state, event);
}

bl_status bl_derived_next_time(const bl_system *sys, const bl_state *state, double *t) {
    return inner_of(sys)->kind->next_time(inner_of(sys), state, t);
}

bool bl_derived_blend(const bl_system *sys, bl_state *state, bl_index event, double share) {
    return inner_of(sys)->kind->blend(inner_of(sys), state, event, share);
}

void bl_derived_event_name(const bl_system *sys, bl_index event, char *name, size_t nname) {
    inner_of(sys)->kind->event_name(inner_of(sys), event, name, nname);
}

void bl_derived_load_name(const bl_system *sys, bl_index load, char *name, size_t nname) {
    inner_of(sys)->kind->load_name(inner_of(sys), load, name, nname);
}
