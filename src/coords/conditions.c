/* Entries of `initial:` as linear conditions on increments of q, or on v, at a place. */
#include "coords/mechanism.h"

#include <math.h>
#include <string.h>

typedef struct list {
    bl_arena *arena;
    bl_condition *out;
    bl_index n, room;
} list;

static bl_condition *append(list *l, const bl_initial *entry, bl_index nonzeros, double target) {
    if (l->n == l->room) {
        bl_index room = l->room ? 2 * l->room : 16;
        bl_condition *fresh = bl_arena_alloc(l->arena, (size_t)room, sizeof *fresh);
        if (!fresh)
            return NULL;
        if (l->n)
            memcpy(fresh, l->out, (size_t)l->n * sizeof *fresh);
        l->out = fresh;
        l->room = room;
    }
    bl_index *col = bl_arena_alloc(l->arena, (size_t)nonzeros, sizeof *col);
    double *coef = bl_arena_alloc(l->arena, (size_t)nonzeros, sizeof *coef);
    if (!col || !coef)
        return NULL;
    bl_condition *c = &l->out[l->n++];
    *c = (bl_condition){.entry = entry, .n = 0, .col = col, .coef = coef, .target = target};
    return c;
}

/* component k of a form shall change by, or move with, target */
static bl_status form_condition(const bl_mechanism *m, list *l, const bl_initial *entry, const bl_form *f, int k, double target) {
    bl_condition *c = append(l, entry, f->n[k], target);
    if (!c)
        return BL_E_MEMORY;
    for (bl_index i = 0; i < f->n[k]; i++)
        if (f->entry[k][i] < m->nfree) {
            ((bl_index *)c->col)[c->n] = f->entry[k][i];
            ((double *)c->coef)[c->n++] = f->coef[k][i];
        }
    return BL_OK;
}

static double form_now(const bl_form *f, int k, const double *x) {
    double sum = 0;
    for (bl_index i = 0; i < f->n[k]; i++)
        sum += f->coef[k][i] * x[f->entry[k][i]];
    return sum;
}

/* columns that carry the body's basis: all that its pose depends on */
static void mark_columns(const bl_mechanism *m, bl_index body, bool *mine) {
    const bl_basis *basis = &m->basis[body];
    for (bl_index k = -1; body > 0 && k < basis->n; k++) {
        bl_index seat = k < 0 ? basis->origin : basis->seat[k];
        if (seat < 0)
            continue;
        bl_index base = m->entity[m->seat[seat].entity].base;
        for (bl_index c = base; c < base + m->dim && c < m->nfree; c++)
            mine[c] = true;
    }
}

/* The rate of a variable is linear in the velocities: one unit velocity after the other gives its gradient. */
static bl_status variable_condition(const bl_system *sys, bl_eval *e, list *l, const bl_initial *entry, bool positions) {
    const bl_mechanism *m = bl_mech(sys);
    BL_TRY(bl_system_eval(sys, e, BL_POSE | BL_VARIABLES));
    double target = positions ? entry->value[0] - e->variable[entry->ref] : entry->value[0];
    bl_index own = m->gauge[entry->ref].entry;
    bl_condition *c = append(l, entry, own >= 0 ? 1 : m->nfree, target);
    if (!c)
        return BL_E_MEMORY;
    bl_index *col = (bl_index *)c->col;
    double *coef = (double *)c->coef;
    if (own >= 0) {
        col[0] = own;
        coef[0] = 1;
        c->n = 1;
        return BL_OK;
    }
    const double *v = e->v;
    double *unit = bl_arena_alloc(l->arena, (size_t)m->nfree, sizeof *unit);
    bool *mine = bl_arena_alloc(l->arena, (size_t)m->nfree, sizeof *mine);
    if (!unit || !mine)
        return BL_E_MEMORY;
    const bl_prim *prim = m->gauge[entry->ref].prim;
    mark_columns(m, prim->a.body, mine); /* the other marks of a primitive are on the same two bodies */
    mark_columns(m, prim->b.body, mine);
    e->v = unit;
    for (bl_index j = 0; j < m->nfree; j++) {
        if (!mine[j])
            continue;
        unit[j] = 1;
        e->have &= BL_OF_POSITION;
        BL_TRY(bl_system_eval(sys, e, BL_POSE | BL_VARIABLES));
        if (fabs(e->variable_rate[entry->ref]) > 1e-14) {
            col[c->n] = j;
            coef[c->n++] = e->variable_rate[entry->ref];
        }
        unit[j] = 0;
    }
    e->v = v;
    e->have &= BL_OF_POSITION;
    return BL_OK;
}

static void rotate(const double *axis, const double *s, double *out) {
    double angle = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double c = cos(angle), k = angle > 0 ? sin(angle) / angle : 1, h = angle > 0 ? (1 - c) / (angle * angle) : 0.5;
    double along = axis[0] * s[0] + axis[1] * s[1] + axis[2] * s[2];
    for (int i = 0; i < 3; i++) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        out[i] = c * s[i] + k * (axis[a] * s[b] - axis[b] * s[a]) + h * along * axis[i];
    }
}

/* every direction of the body's basis turns */
static bl_status turn_conditions(const bl_mechanism *m, list *l, const bl_initial *entry, const double *x, bool positions) {
    const bl_basis *basis = &m->basis[entry->mark.body];
    for (bl_index k = 0; k < basis->n; k++) {
        if (basis->seat[k] < 0)
            continue;
        bl_form f;
        BL_TRY(bl_form_basis(m, basis, k, &f));
        double now[3] = {0, 0, 0}, target[3];
        for (int c = 0; c < m->dim; c++)
            now[c] = form_now(&f, c, x);
        if (positions) {
            rotate(entry->value, basis->d[k], target);
            for (int c = 0; c < 3; c++)
                target[c] -= now[c];
        } else {
            for (int c = 0; c < 3; c++) {
                int a = (c + 1) % 3, b = (c + 2) % 3;
                target[c] = entry->value[a] * now[b] - entry->value[b] * now[a];
            }
        }
        for (int c = 0; c < m->dim; c++)
            BL_TRY(form_condition(m, l, entry, &f, c, target[c]));
    }
    return BL_OK;
}

bl_status bl_mech_conditions(const bl_system *sys, bl_eval *e, bool positions, bl_arena *arena, bl_condition **out, bl_index *n) {
    const bl_mechanism *m = bl_mech(sys);
    const bl_model *model = m->model;
    list l = {.arena = arena};
    BL_TRY(bl_system_eval(sys, e, BL_PHI)); /* brings the directions up to date */
    const double *x = ((bl_mech_work *)e->own)->x;
    for (bl_index i = 0; i < model->ninitial; i++) {
        const bl_initial *entry = &model->initial[i];
        switch (entry->what) {
        case BL_INITIAL_VARIABLE:
        case BL_INITIAL_RATE:
            if ((entry->what == BL_INITIAL_VARIABLE) == positions)
                BL_TRY(variable_condition(sys, e, &l, entry, positions));
            break;
        case BL_INITIAL_POSITION:
        case BL_INITIAL_VELOCITY:
            if ((entry->what == BL_INITIAL_POSITION) == positions) {
                bl_form f;
                bl_form_clear(&f);
                BL_TRY(bl_form_mark(m, &entry->mark, &f));
                for (int k = 0; k < m->dim; k++)
                    BL_TRY(form_condition(m, &l, entry, &f, k, entry->value[k] - (positions ? form_now(&f, k, x) : 0)));
            }
            break;
        case BL_INITIAL_ORIENTATION:
        case BL_INITIAL_ANGULAR_VELOCITY:
            if ((entry->what == BL_INITIAL_ORIENTATION) == positions)
                BL_TRY(turn_conditions(m, &l, entry, x, positions));
            break;
        }
    }
    for (bl_index i = 0; i < l.n; i++) {
        double sum = 0;
        for (bl_index k = 0; k < l.out[i].n; k++)
            sum += pow(l.out[i].coef[k] * m->col[l.out[i].col[k]].scale, 2);
        l.out[i].scale = sqrt(sum);
    }
    *out = l.out;
    *n = l.n;
    return BL_OK;
}
