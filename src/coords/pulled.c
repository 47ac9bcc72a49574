/* See pulled.h. */
#include "coords/pulled.h"

#include "base/hash.h"

#include "coords/reference.h"
#include "coords/relative.h"
#include "sparse/sparse.h"
#include "system/limits.h"

#include <math.h>
#include <string.h>

bl_status bl_pulled_scale_rows(bl_system *sys, double length, bl_row *row) {
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
        row[i].scale = scale > BL_ROW_SLIGHT * row[i].scale ? scale : row[i].scale;
    }
    bl_free(sys->ctx, square);
    bl_eval_destroy(sys, &e);
    bl_state_destroy(sys, &state);
    return status;
}

bl_status bl_pulled_named(const bl_system *sys, const bl_model *model, bl_index *found) {
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

bl_status bl_pulled_independent(bl_system *sys, const bl_model *model, bl_arena *arena) {
    bl_index *found = bl_arena_alloc(arena, (size_t)model->nindependent + 1, sizeof *found);
    if (!found)
        return BL_E_MEMORY;
    BL_TRY(bl_pulled_named(sys, model, found));
    sys->independent = found;
    for (bl_index i = 0; i < model->nindependent; i++) {
        bool there = found[i] >= 0;
        if (there)
            found[sys->nindependent++] = found[i];
        if (there || bl_model_variable(model, model->independent[i]) >= 0)
            continue;
        const bl_place *place = model->independent_place ? &model->independent_place[i] : NULL;
        bl_fail(sys->ctx, BL_E_MODEL, place, "independent: '%s' is neither a variable nor a coordinate", model->independent[i]);
        bl_advise(sys->ctx,
                  "name a joint's variable (j1.angle), or what a reference body has: its mass centre (rod.x), its orientation (rod.angle)");
        return BL_E_MODEL;
    }
    return BL_OK;
}

void bl_pulled_hand_out(const bl_system *sys, bl_eval *e, const bl_eval *in, uint32_t want) {
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
    if (want & BL_EVENTS)
        memcpy(e->event, in->event, (size_t)sys->nevent * sizeof(double));
    if ((want & BL_FORCES) && sys->npush > 0)
        memcpy(e->push, in->push, (size_t)sys->npush * sizeof *e->push);
    if ((want & BL_FORCES) && sys->nspring > 0) {
        memcpy(e->spring_length, in->spring_length, (size_t)sys->nspring * sizeof(double));
        memcpy(e->spring_tension, in->spring_tension, (size_t)sys->nspring * sizeof(double));
    }
}

void bl_pulled_forces(bl_system *sys, const bl_system *inner) {
    sys->npush = inner->npush;
    sys->push = inner->push;
    sys->nspring = inner->nspring;
    sys->spring = inner->spring;
}

/* ---- turns */

void bl_pulled_count(const bl_mechanism *m, const bl_index *psi_of, const double *start, const double *psi_start, bool *done,
                     bl_counted *counted, bl_index *n) {
    for (bl_index i = 0; m->dim == 2 && i < m->nangle; i++) {
        bl_index variable = m->angle[i];
        const bl_prim *prim = m->gauge[variable].prim;
        bl_index a = psi_of[prim->a.body], b = psi_of[prim->b.body];
        if (done[variable] || prim->what != BL_ANGLE || a < -1 || b < -1)
            continue;
        double sign = prim->c.s[2] < 0 ? -1 : 1, apart = (b >= 0 ? psi_start[b] : 0) - (a >= 0 ? psi_start[a] : 0);
        counted[(*n)++] = (bl_counted){.variable = variable, .a = a, .b = b, .zero = start[variable] - sign * apart, .sign = sign};
        done[variable] = true;
    }
}

bl_status bl_pulled_angles(bl_system *sys, const bl_mechanism *m, const bool *done, bl_arena *arena) {
    bl_index *angle = bl_arena_alloc(arena, (size_t)m->nangle + 1, sizeof *angle);
    if (!angle)
        return BL_E_MEMORY;
    sys->angle = angle;
    for (bl_index i = 0; i < m->nangle; i++)
        if (!done[m->angle[i]])
            angle[sys->nangle++] = m->angle[i];
    for (bl_index i = 0; i < m->model->nvariable; i++) /* coordinates of the mechanism, found here by nearness */
        sys->turns_in_laws = sys->turns_in_laws || (m->model->variable[i].is_angle && m->gauge[i].entry >= 0);
    return BL_OK;
}

void bl_pulled_expect(const bl_counted *counted, bl_index n, const double *psi, double *expected) {
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

/* ---- laws by pieces */

_Static_assert(offsetof(bl_centred_work, inner) == 0 && offsetof(bl_tree_work, inner) == 0, "evaluations begin with the mechanism's");

static const bl_system *inner_of(const bl_system *sys) { return (*(const bl_coords_slots *const *)sys->own)->inner(sys); }

/* the mechanism's evaluation, where laws are known */
static bl_status inner_at(const bl_system *sys, bl_eval *e, bl_eval **inner) {
    *inner = e ? e->own : NULL;
    return e ? bl_system_eval(sys, e, BL_EVENTS) : BL_OK;
}

bl_status bl_pulled_hold(const bl_system *sys, bl_eval *e, bl_state *state) {
    bl_eval *inner;
    BL_TRY(inner_at(sys, e, &inner));
    return inner_of(sys)->kind->hold(inner_of(sys), inner, state);
}

bl_status bl_pulled_jump(const bl_system *sys, bl_eval *e, bl_state *state, bl_index event) {
    bl_eval *inner;
    BL_TRY(inner_at(sys, e, &inner));
    return inner_of(sys)->kind->jump(inner_of(sys), inner, state, event);
}

bl_status bl_pulled_next_time(const bl_system *sys, const bl_state *state, double *t) {
    return inner_of(sys)->kind->next_time(inner_of(sys), state, t);
}

bool bl_pulled_blend(const bl_system *sys, bl_state *state, bl_index event, double share) {
    return inner_of(sys)->kind->blend(inner_of(sys), state, event, share);
}

void bl_pulled_event_name(const bl_system *sys, bl_index event, char *name, size_t nname) {
    inner_of(sys)->kind->event_name(inner_of(sys), event, name, nname);
}
