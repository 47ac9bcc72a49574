/* All quantities of the equations from one tape: right-hand sides, masses and constraints are spliced, every derivative of the system
 * interface is recorded with them, with its structural pattern, and all are compiled to one program.
 *
 *     K = -d(Q, f)/d(q, z)        C = -d(Q, f)/dv in the columns of v, A in those of z
 *     (G v)_q, 2 (G v)_t, phi_tt  give  c = -((G v)_q v + 2 (G v)_t + phi_tt)
 *     d(G^T lambda)/dq, d(M a)/dq by differentiating the products
 *
 * Rows of contacts come last. A speed of sliding s(q, v) is linear in v: G = ds/dv, b = 0, c = -s_q v. Friction of a contact that slides
 * along d is -mu N d . G; mu N and d at the beginning are inputs. */
#include "equations/equations_limits.h"
#include "equations/plain.h"

#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

typedef struct entry {
    bl_index row, col, node;
} entry;

typedef struct entries {
    entry *at;
    bl_index n, room;
} entries;

typedef struct recording {
    bl_plain *p;
    bl_context *ctx;
    const bl_equations *e;
    bl_tape *tape;
    bl_index nv, nz, n, np, nvariable;
    bl_index t, *q, *v, *z, *a, *lambda, *piece, *rub; /* nodes of the inputs */
    bl_index *side; /* [nvariable] right-hand sides, then nodes of mass, constraints, exact, expressions */
    const bl_index *mass, *phi, *exact, *expression;
    bl_index *force;  /* [n] Q, then f */
    bl_index *column; /* [nvariable] */
    entries K, C, M, G, Ma_x, GTl_x, Gv_x;
    bl_index *b, *c, *phi_t; /* [np] */
    bl_index *event;
    /* outputs of the program */
    bl_index *out, nout, out_room, group_room;
    uint8_t *group;
} recording;

static bl_index zero(recording *r) { return bl_tape_const(r->tape, 0); }
static bl_index add(recording *r, bl_index a, bl_index b) { return bl_tape_op2(r->tape, BL_TAPE_ADD, a, b); }
static bl_index times(recording *r, bl_index a, bl_index b) { return bl_tape_op2(r->tape, BL_TAPE_MUL, a, b); }
static bl_index minus(recording *r, bl_index a) { return bl_tape_op1(r->tape, BL_TAPE_NEG, a); }

static bl_status put(recording *r, entries *list, bl_index row, bl_index col, bl_index node) {
    BL_TRY(BL_RESERVE(r->ctx, list->at, list->room, list->n + 1));
    list->at[list->n++] = (entry){row, col, node};
    return BL_OK;
}

/* ---- inputs */

enum { IN_T, IN_Q, IN_V, IN_Z, IN_A, IN_LAMBDA, IN_PIECE, IN_RUB, NIN };

static void input_starts(const recording *r, bl_index start[NIN + 1]) {
    bl_index count[NIN] = {1, r->nv, r->nv, r->nz, r->nv, r->np, r->p->switches.n, r->p->nrub};
    start[0] = 0;
    for (int k = 0; k < NIN; k++)
        start[k + 1] = start[k] + count[k];
}

/* the kind of an input, and its index among them */
static int input_kind(const recording *r, bl_index input, bl_index *which) {
    bl_index start[NIN + 1];
    input_starts(r, start);
    int kind = 0;
    while (input >= start[kind + 1])
        kind++;
    *which = input - start[kind];
    return kind;
}

static bl_status make_inputs(recording *r) {
    bl_index start[NIN + 1];
    input_starts(r, start);
    bl_index *node;
    BL_TRY(BL_ARENA_NEW(&r->p->arena, node, start[NIN]));
    for (bl_index i = 0; i < start[NIN]; i++)
        node[i] = bl_tape_input(r->tape, i);
    r->t = node[0];
    r->q = node + start[IN_Q];
    r->v = node + start[IN_V];
    r->z = node + start[IN_Z];
    r->a = node + start[IN_A];
    r->lambda = node + start[IN_LAMBDA];
    r->piece = node + start[IN_PIECE];
    r->rub = node + start[IN_RUB];
    return bl_tape_status(r->tape);
}

static bl_index variable_node(const recording *r, bl_index variable) {
    bl_index column = r->column[variable];
    return column < r->nv ? r->q[column] : r->z[column - r->nv];
}

/* splices the model's tape */
static bl_status splice_model(recording *r) {
    const bl_equations *e = r->e;
    bl_index nvariable = r->nvariable;
    bl_arena *arena = &r->p->arena;
    bl_index *inputs;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(inputs, 1 + 2 * (size_t)nvariable + (size_t)r->p->switches.n),
                           BL_ARRAY(r->side, (size_t)bl_tape_outputs(e->tape) + 1), BL_ARRAY(r->force, r->n)));
    inputs[0] = r->t;
    for (bl_index i = 0; i < nvariable; i++) {
        inputs[1 + i] = variable_node(r, i);
        inputs[1 + nvariable + i] = r->column[i] < r->nv ? r->v[r->column[i]] : -1; /* other states have no recorded rates */
    }
    for (bl_index k = 0; k < r->p->switches.n; k++)
        inputs[1 + 2 * nvariable + k] = r->piece[k];
    BL_TRY(bl_tape_splice(r->tape, e->tape, inputs, r->side)); /* known solutions and expressions have no pieces */
    if (r->p->switches.n)
        BL_TRY(bl_tape_splice(r->tape, r->p->switches.law[0].tape, inputs, r->side));
    r->mass = r->side + nvariable;
    r->phi = r->mass + e->nmass;
    r->exact = r->phi + e->nconstraint;
    r->expression = r->exact + (e->exact ? nvariable : 0);
    for (bl_index i = 0; i < nvariable; i++)
        r->force[r->column[i]] = r->side[i];
    return BL_OK;
}

/* ---- forces and masses */

static bl_status record_forces(recording *r) {
    bl_tape_gradients d;
    BL_TRY(bl_tape_differentiate(r->tape, r->n, r->force, &d));
    bl_status status = BL_OK;
    for (bl_index i = 0; status == BL_OK && i < r->n; i++)
        for (bl_index k = d.start[i]; status == BL_OK && k < d.start[i + 1]; k++) {
            bl_index which, node = minus(r, d.node[k]);
            int kind = input_kind(r, d.input[k], &which);
            if (kind == IN_V)
                status = put(r, &r->C, i, which, node);
            else if (kind == IN_Q || kind == IN_Z)
                status = put(r, &r->K, i, kind == IN_Q ? which : r->nv + which, node);
        }
    bl_tape_gradients_destroy(r->tape, &d);
    return status;
}

static bl_status record_masses(recording *r) {
    const bl_equations *e = r->e;
    for (bl_index k = 0; k < e->nmass; k++) {
        bl_index i = r->column[e->mass[k].row], j = r->column[e->mass[k].column];
        if (i >= r->nv) {
            BL_TRY(put(r, &r->C, i, j, r->mass[k]));
            continue;
        }
        BL_TRY(put(r, &r->M, i, j, r->mass[k]));
        if (i != j)
            BL_TRY(put(r, &r->M, j, i, r->mass[k]));
    }
    return BL_OK;
}

/* derivatives of sum[m] with respect to positions, as rows of a list */
static bl_status by_positions(recording *r, bl_index m, const bl_index *sum, entries *list) {
    bl_tape_gradients d;
    BL_TRY(bl_tape_differentiate(r->tape, m, sum, &d));
    bl_status status = BL_OK;
    for (bl_index i = 0; status == BL_OK && i < m; i++)
        for (bl_index k = d.start[i]; status == BL_OK && k < d.start[i + 1]; k++) {
            bl_index which;
            if (input_kind(r, d.input[k], &which) == IN_Q)
                status = put(r, list, i, which, d.node[k]);
        }
    bl_tape_gradients_destroy(r->tape, &d);
    return status;
}

static bl_status record_mass_changes(recording *r) {
    bl_index *sum;
    BL_TRY(BL_NEW(r->ctx, sum, r->nv));
    for (bl_index i = 0; i < r->nv; i++)
        sum[i] = zero(r);
    for (bl_index k = 0; k < r->M.n; k++) {
        const entry *m = &r->M.at[k];
        if (!bl_tape_known(r->tape, m->node, NULL))
            sum[m->row] = add(r, sum[m->row], times(r, m->node, r->a[m->col]));
    }
    bl_status status = bl_tape_status(r->tape);
    if (status == BL_OK)
        status = by_positions(r, r->nv, sum, &r->Ma_x);
    bl_free(r->ctx, sum);
    return status;
}

/* ---- constraints */

/* G, and the partial derivative of phi with respect to time */
static bl_status record_gradients(recording *r) {
    bl_tape_gradients d;
    BL_TRY(BL_ARENA_ARRAYS(&r->p->arena, BL_ARRAY(r->b, r->np), BL_ARRAY(r->c, r->np), BL_ARRAY(r->phi_t, r->np)));
    BL_TRY(bl_tape_differentiate(r->tape, r->np, r->phi, &d));
    bl_status status = BL_OK;
    for (bl_index i = 0; status == BL_OK && i < r->np; i++) {
        bool speed = bl_plain_is_speed(r->p, i);
        r->phi_t[i] = zero(r);
        for (bl_index k = d.start[i]; status == BL_OK && k < d.start[i + 1]; k++) {
            bl_index which;
            int kind = input_kind(r, d.input[k], &which);
            if (kind == IN_T)
                r->phi_t[i] = d.node[k];
            else if (kind == (speed ? IN_V : IN_Q))
                status = put(r, &r->G, i, which, d.node[k]);
        }
        r->b[i] = minus(r, r->phi_t[i]);
    }
    bl_tape_gradients_destroy(r->tape, &d);
    return status;
}

/* c = -((G v)_q v + 2 (G v)_t + phi_tt), and (G v)_q itself; of a speed s that is -s_q v */
static bl_status record_second(recording *r, bl_index *Gv) {
    bl_index np = r->np;
    bl_tape_gradients d, dt = {0};
    for (bl_index i = 0; i < np; i++)
        Gv[i] = zero(r);
    for (bl_index k = 0; k < r->G.n; k++)
        Gv[r->G.at[k].row] = add(r, Gv[r->G.at[k].row], times(r, r->G.at[k].node, r->v[r->G.at[k].col]));
    for (bl_index i = 0; i < np; i++)
        if (bl_plain_is_speed(r->p, i))
            Gv[i] = r->phi[i];
    BL_TRY(bl_tape_status(r->tape));
    BL_TRY(bl_tape_differentiate(r->tape, np, Gv, &d));
    bl_status status = bl_tape_differentiate(r->tape, np, r->phi_t, &dt);
    for (bl_index i = 0; status == BL_OK && i < np; i++) {
        bl_index sum = zero(r), which;
        for (bl_index k = d.start[i]; status == BL_OK && k < d.start[i + 1]; k++) {
            int kind = input_kind(r, d.input[k], &which);
            if (kind == IN_T)
                sum = add(r, sum, times(r, bl_tape_const(r->tape, 2), d.node[k]));
            if (kind != IN_Q)
                continue;
            sum = add(r, sum, times(r, d.node[k], r->v[which]));
            status = put(r, &r->Gv_x, i, which, d.node[k]);
        }
        for (bl_index k = dt.start[i]; k < dt.start[i + 1]; k++)
            if (input_kind(r, dt.input[k], &which) == IN_T)
                sum = add(r, sum, dt.node[k]);
        r->c[i] = minus(r, sum);
    }
    bl_tape_gradients_destroy(r->tape, &d);
    bl_tape_gradients_destroy(r->tape, &dt);
    return status == BL_OK ? bl_tape_status(r->tape) : status;
}

static bl_status record_reactions(recording *r, bl_index *sum) {
    for (bl_index j = 0; j < r->nv; j++)
        sum[j] = zero(r);
    for (bl_index k = 0; k < r->G.n; k++)
        if (!bl_tape_known(r->tape, r->G.at[k].node, NULL))
            sum[r->G.at[k].col] = add(r, sum[r->G.at[k].col], times(r, r->G.at[k].node, r->lambda[r->G.at[k].row]));
    BL_TRY(bl_tape_status(r->tape));
    return by_positions(r, r->nv, sum, &r->GTl_x);
}

static bl_status record_constraints(recording *r) {
    bl_index *scratch;
    BL_TRY(BL_NEW(r->ctx, scratch, (size_t)r->np + (size_t)r->nv));
    bl_status status = record_second(r, scratch);
    if (status == BL_OK)
        status = record_reactions(r, scratch + r->np);
    bl_free(r->ctx, scratch);
    return status;
}

/* ---- friction of contacts that slide */

/* (s_k + small side_k) / |s + small side|: where there are two speeds the direction follows them */
static bl_index direction(recording *r, const bl_contact *contact, const bl_index *rub, int k) {
    bl_tape *tape = r->tape;
    bl_index along[2], small = bl_tape_const(tape, equations_sliding_begins * bl_system_smallest(r->p->sys)),
                       size = bl_tape_const(tape, 1e-300); /* of a contact that does not slide */
    if (contact->nslip == 1)
        return rub[1];
    for (int l = 0; l < 2; l++) {
        along[l] = add(r, r->phi[contact->slip[l]], times(r, small, rub[1 + l]));
        size = add(r, size, times(r, along[l], along[l]));
    }
    return bl_tape_op2(tape, BL_TAPE_DIV, along[k], bl_tape_op1(tape, BL_TAPE_SQRT, size));
}

static void record_friction(recording *r) {
    const bl_plain *p = r->p;
    for (bl_index i = 0; i < r->G.n && p->nrub; i++) {
        const entry *G = &r->G.at[i];
        bl_index of = p->contact_of_row[G->row];
        if (of < 0 || of % 3 == 0)
            continue;
        const bl_index *rub = r->rub + of / 3 * 3;
        bl_index force = times(r, rub[0], direction(r, &p->contact[of / 3], rub, (int)(of % 3) - 1));
        r->force[G->col] = bl_tape_op2(r->tape, BL_TAPE_SUB, r->force[G->col], times(r, force, G->node));
    }
}

/* ---- events */

static bl_status record_events(recording *r) {
    const bl_model *model = r->p->model;
    BL_TRY(BL_ARENA_NEW(&r->p->arena, r->event, model->nstop));
    for (bl_index k = 0; k < model->nstop; k++) {
        const bl_law *law = &model->law[model->stop[k].law];
        bl_index *inputs;
        BL_TRY(BL_NEW(r->ctx, inputs, law->ninput));
        for (bl_index i = 0; i < law->ninput; i++) {
            const bl_symbol *s = &law->input[i];
            switch (s->what) {
            case BL_SYM_TIME: inputs[i] = r->t; break;
            case BL_SYM_PARAMETER: inputs[i] = bl_tape_const(r->tape, model->parameter[s->ref].value); break;
            case BL_SYM_VARIABLE: inputs[i] = variable_node(r, s->ref); break;
            case BL_SYM_RATE: inputs[i] = r->v[r->column[s->ref]]; break;
            case BL_SYM_EXPRESSION: inputs[i] = r->expression[s->ref]; break;
            default: inputs[i] = zero(r); break; /* the reader creates no others */
            }
        }
        bl_status status = bl_tape_splice(r->tape, law->tape, inputs, &r->event[k]);
        bl_free(r->ctx, inputs);
        BL_TRY(status);
    }
    return BL_OK;
}

/* ---- the program */

static bl_status output(recording *r, int group, bl_index node) {
    BL_TRY(BL_RESERVE(r->ctx, r->out, r->out_room, r->nout + 1));
    BL_TRY(BL_RESERVE(r->ctx, r->group, r->group_room, r->nout + 1));
    r->out[r->nout] = node;
    r->group[r->nout++] = (uint8_t)group;
    return BL_OK;
}

static bl_status outputs(recording *r, uint32_t quantity, bl_index n, const bl_index *node) {
    for (bl_index i = 0; i < n; i++)
        BL_TRY(output(r, bl_plain_group(quantity), node[i]));
    return BL_OK;
}

/* one pattern for the entries of all lists; the values of each list on it become a group */
static bl_status matrix(recording *r, bl_index nrow, bl_index ncol, bl_index nlist, entries *const *list, const int *group,
                        bl_pattern *pattern) {
    size_t total = 0;
    for (bl_index k = 0; k < nlist; k++)
        total += (size_t)list[k]->n;
    bl_index *row;
    BL_TRY(BL_NEW(r->ctx, row, 3 * total));
    bl_index *col = row + total, *slot = col + total, at = 0;
    for (bl_index k = 0; k < nlist; k++)
        for (bl_index i = 0; i < list[k]->n; i++, at++) {
            row[at] = list[k]->at[i].row;
            col[at] = list[k]->at[i].col;
        }
    bl_status status = bl_pattern_build(r->ctx, nrow, ncol, at, row, col, pattern, slot);
    bl_index *node = NULL, nonzeros = status == BL_OK ? pattern->ptr[ncol] : 0;
    if (status == BL_OK)
        status = BL_NEW(r->ctx, node, nonzeros);
    at = 0;
    for (bl_index k = 0; status == BL_OK && k < nlist; k++) {
        for (bl_index i = 0; i < nonzeros; i++)
            node[i] = zero(r);
        for (bl_index i = 0; i < list[k]->n; i++, at++)
            node[slot[at]] = list[k]->at[i].node;
        for (bl_index i = 0; status == BL_OK && i < nonzeros; i++)
            status = output(r, group[k], node[i]);
    }
    bl_free(r->ctx, node);
    bl_free(r->ctx, row);
    return status;
}

static bl_status make_outputs(recording *r) {
    bl_plain *p = r->p;
    bl_system *sys = p->sys;
    BL_TRY(outputs(r, BL_Q, r->nv, r->force));
    BL_TRY(outputs(r, BL_F, r->nz, r->force + r->nv));
    for (bl_index i = 0; i < r->np; i++) {
        bool speed = bl_plain_is_speed(p, i);
        BL_TRY(output(r, bl_plain_group(BL_PHI), speed ? zero(r) : r->phi[i]));
        if (sys->ncontact)
            BL_TRY(output(r, bl_plain_group(BL_CONTACTS), speed ? r->phi[i] : zero(r)));
    }
    BL_TRY(outputs(r, BL_B, r->np, r->b));
    BL_TRY(outputs(r, BL_C, r->np, r->c));
    BL_TRY(outputs(r, BL_EVENTS, p->model->nstop, r->event));
    BL_TRY(matrix(r, r->n, r->n, 1, (entries *const[]){&r->M}, (const int[]){bl_plain_group(BL_M)}, &p->M));
    BL_TRY(matrix(r, r->n, r->n, 1, (entries *const[]){&r->C}, (const int[]){BL_PLAIN_C_VALUES}, &p->C));
    BL_TRY(matrix(r, r->np, r->nv, 2, (entries *const[]){&r->G, &r->Gv_x}, (const int[]){bl_plain_group(BL_G), bl_plain_group(BL_GV_X)},
                  &p->G));
    BL_TRY(matrix(r, r->n, r->n, 3, (entries *const[]){&r->K, &r->Ma_x, &r->GTl_x},
                  (const int[]){bl_plain_group(BL_KC), bl_plain_group(BL_MA_X), bl_plain_group(BL_GTL_X)}, &p->K));
    sys->pat_M = p->M;
    sys->pat_C = p->C;
    sys->pat_K = p->K;
    sys->pat_G = p->G;
    return bl_tape_program_create(r->tape, r->nout, r->out, r->group, &p->program);
}

static bl_status make_solution(recording *r) {
    if (!r->e->exact)
        return BL_OK;
    bl_tape_gradients d;
    r->nout = 0;
    BL_TRY(bl_tape_differentiate(r->tape, r->nvariable, r->exact, &d));
    bl_index *node = NULL, n = 2 * r->nv + r->nz;
    bl_status status = BL_NEW(r->ctx, node, n);
    for (bl_index i = 0; status == BL_OK && i < r->nvariable; i++) {
        bl_index column = r->column[i];
        node[column < r->nv ? column : r->nv + column] = r->exact[i];
        if (column < r->nv)
            node[r->nv + column] = d.start[i] < d.start[i + 1] ? d.node[d.start[i]] : zero(r);
    }
    for (bl_index i = 0; status == BL_OK && i < n; i++)
        status = output(r, 0, node[i]);
    bl_tape_gradients_destroy(r->tape, &d);
    bl_free(r->ctx, node);
    return status == BL_OK ? bl_tape_program_create(r->tape, r->nout, r->out, r->group, &r->p->solution) : status;
}

/* ---- facts */

static bool known(const recording *r, const entries *list) {
    for (bl_index k = 0; k < list->n; k++)
        if (!bl_tape_known(r->tape, list->at[k].node, NULL))
            return false;
    return true;
}

/* whether A is the identity, and M too if `all` */
static bool identity(const recording *r, bool all) {
    bl_index ones = 0;
    double value;
    for (bl_index k = 0; k < r->e->nmass; k++) {
        const bl_equation_mass *m = &r->e->mass[k];
        if (!all && r->column[m->row] < r->nv)
            continue;
        if (m->row != m->column || !bl_tape_known(r->tape, r->mass[k], &value) || value != 1)
            return false;
        ones++;
    }
    return ones == (all ? r->n : r->nz);
}

static bl_status find_facts(recording *r) {
    bl_plain *p = r->p;
    bl_system *sys = p->sys;
    bl_index start[NIN + 1];
    input_starts(r, start);
    uint8_t *use;
    BL_TRY(BL_NEW(r->ctx, use, 2 * (size_t)start[NIN]));
    uint8_t *of_phi = use + start[NIN];
    bl_status status = bl_tape_uses(r->tape, r->n, r->force, use);
    if (status == BL_OK)
        status = bl_tape_uses(r->tape, r->np, r->phi, of_phi);
    bool smooth = true, rough_state = p->switches.nevent > 0;
    for (bl_index i = 0; status == BL_OK && i < start[NIN]; i++) {
        smooth = smooth && !((use[i] | of_phi[i]) & BL_USES_ROUGHLY);
        rough_state = rough_state || (i > 0 && use[i] & BL_USES_ROUGHLY);
    }
    sys->facts = BL_FLAT | (smooth ? BL_SMOOTH : 0) | (sys->ncontact ? BL_INEQUALITIES : 0) | (sys->nload ? BL_Q_OF_LAMBDA : 0);
    for (bl_index i = 0; i < r->np; i++)
        sys->facts |= bl_plain_is_speed(p, i) ? BL_VELOCITY_ROWS : 0;
    if (use[0])
        sys->facts |= BL_Q_OF_T;
    if (of_phi[0])
        sys->facts |= BL_RHEONOMIC;
    for (bl_index k = 0; k < r->C.n; k++)
        if (r->C.at[k].row < r->nv)
            sys->facts |= BL_Q_OF_V;
    if (known(r, &r->M))
        sys->facts |= BL_M_CONST;
    if (known(r, &r->K) && known(r, &r->C) && !rough_state)
        sys->facts |= BL_CK_CONST;
    p->constant_A = true;
    for (bl_index k = 0; k < r->C.n; k++)
        if (r->C.at[k].row >= r->nv && r->C.at[k].col >= r->nv)
            p->constant_A = p->constant_A && bl_tape_known(r->tape, r->C.at[k].node, NULL);
    if (identity(r, true))
        sys->facts |= BL_IDENTITY;
    if (r->nz && identity(r, false))
        sys->facts |= BL_A_IDENTITY;
    bl_free(r->ctx, use);
    return status;
}

/* finds the inputs of each group, so that a workspace knows which groups a change invalidates */
static bl_status find_reads(recording *r) {
    bl_plain *p = r->p;
    bl_index start[NIN + 1];
    input_starts(r, start);
    bl_index *root;
    uint8_t *use;
    BL_TRY(BL_NEW(r->ctx, root, r->nout));
    bl_status status = BL_NEW(r->ctx, use, start[NIN]);
    for (int g = 0; status == BL_OK && g < 32; g++) {
        bl_index n = 0;
        memset(use, 0, (size_t)start[NIN]);
        for (bl_index k = 0; k < r->nout; k++)
            if (r->group[k] == g)
                root[n++] = r->out[k];
        if (n)
            status = bl_tape_uses(r->tape, n, root, use);
        for (int kind = 0; kind < NIN; kind++)
            for (bl_index i = start[kind]; n && i < start[kind + 1]; i++)
                if (use[i])
                    p->groups[kind] |= UINT32_C(1) << g;
    }
    bl_free(r->ctx, root);
    bl_free(r->ctx, use);
    return status;
}

/* finds the switches of the equations, before recording */
static bl_status find_switches(recording *r) {
    bl_plain *p = r->p;
    const bl_equations *e = r->e;
    bl_index inputs = 1 + 2 * r->nvariable, stops = p->model->nstop;
    uint8_t *role;
    BL_TRY(BL_NEW(r->ctx, role, inputs));
    role[0] = BL_INPUT_TIME; /* the others are states; algebraic ones jump with the law, which then cannot be held */
    for (bl_index j = r->nv; j < r->n; j++)
        if (p->sys->col[j].order == 0)
            role[1 + p->variable[j]] = BL_INPUT_UNKNOWN;
    bl_status status = bl_switches_add(r->ctx, &p->switches, e->tape, r->nvariable + e->nmass + e->nconstraint, inputs, role);
    bl_free(r->ctx, role);
    BL_TRY(status);
    const bl_switches *s = &p->switches;
    BL_TRY(BL_ARENA_ARRAYS(&p->arena, BL_ARRAY(p->no_pieces, (size_t)s->n + 1),
                           BL_ARRAY(p->event, (size_t)(stops + s->nevent + BL_CONTACT_EVENTS * p->sys->ncontact) + 1)));
    memset(p->no_pieces, 0, ((size_t)s->n + 1) * sizeof *p->no_pieces);
    for (bl_index k = 0; k < stops; k++)
        p->event[k] = (bl_event_def){.what = BL_EVENT_STOP, .owner = k, .scale = 1};
    for (bl_index k = 0; k < s->nevent; k++) {
        bool kink = s->law[0].at[s->of_event[k]].kink;
        p->event[stops + k] =
            (bl_event_def){.what = kink ? BL_EVENT_KINK : BL_EVENT_SWITCH, .direction = -1, .owner = s->of_event[k], .scale = 1};
    }
    p->sys->nevent = stops + s->nevent;
    p->sys->event = p->event;
    p->sys->history_bytes = bl_switches_kept(s) * sizeof(double);
    bl_plain_contacts_events_begin(p);
    return BL_OK;
}

static bl_status record_all(recording *r) {
    BL_TRY(find_switches(r));
    BL_TRY(bl_tape_create(r->ctx, &r->tape));
    BL_TRY(make_inputs(r));
    BL_TRY(splice_model(r));
    BL_TRY(record_events(r));
    BL_TRY(record_masses(r));
    BL_TRY(record_gradients(r));
    record_friction(r);
    BL_TRY(record_forces(r));
    BL_TRY(record_mass_changes(r));
    BL_TRY(record_constraints(r));
    BL_TRY(find_facts(r));
    BL_TRY(make_outputs(r));
    BL_TRY(find_reads(r));
    return make_solution(r);
}

bl_status bl_plain_record(bl_plain *p) {
    bl_system *sys = p->sys;
    recording r = {.p = p,
                   .ctx = sys->ctx,
                   .e = p->model->equations,
                   .nv = sys->nv,
                   .nz = sys->nz,
                   .n = sys->nv + sys->nz,
                   .np = sys->np,
                   .nvariable = p->model->nvariable};
    BL_TRY(BL_ARENA_NEW(&p->arena, r.column, r.nvariable));
    for (bl_index j = 0; j < r.n; j++)
        r.column[p->variable[j]] = j;
    bl_status status = record_all(&r);
    bl_tape_destroy(r.tape);
    entries *const lists[] = {&r.K, &r.C, &r.M, &r.G, &r.Ma_x, &r.GTl_x, &r.Gv_x};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        bl_free(r.ctx, lists[k]->at);
    bl_free(r.ctx, r.out);
    bl_free(r.ctx, r.group);
    return status;
}
