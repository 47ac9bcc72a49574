/* Loads: recorded forces in terms of the coordinates. A force g on a mark gives F^T g; its derivatives are transformed from both sides.
 * The nonconservative power is  F.v + dV/dt ; for conservative forces it is found once to be zero. */
#include "coords/coords_limits.h"
#include "coords/mechanism.h"
#include "model/law_inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* the held number that replaces a force of the model, -1: none */
static bl_index replacement(const bl_mechanism *m, bl_index force) {
    for (bl_index k = 0; k < m->nheld; k++)
        if (m->held[k].what == BL_HELD_FORCE && m->held[k].ref == force && m->held[k].replaces)
            return k;
    return -1;
}

/* in addition to the forces of the model */
static bl_status record_actuator(bl_mechanism *m, bl_index k) {
    const bl_held *held = &m->held[k];
    if (held->what == BL_HELD_PARAMETER || held->what == BL_HELD_SIGNAL || held->replaces)
        return BL_OK;
    bl_record *record = &m->load[m->nload++].record;
    if (held->what == BL_HELD_FORCE)
        return bl_force_record(m->ctx, m->model, &m->model->force[held->ref], m->held, m->nheld, k, record);
    bl_force_def *def;
    BL_TRY(BL_ARENA_NEW(&m->arena, def, 1));
    *def = (bl_force_def){.name = m->model->variable[held->ref].name};
    return bl_force_record_actuator(m->ctx, m->model, def, m->held, m->nheld, k, record);
}

bl_status bl_loads_record(bl_mechanism *m) {
    const bl_model *model = m->model;
    BL_TRY(BL_ARENA_NEW(&m->arena, m->load, (size_t)(model->nforce + m->nheld)));
    for (bl_index i = 0; i < model->nforce; i++) {
        m->nload = i + 1; /* incremented before, so that a failed recording is freed */
        BL_TRY(bl_force_record(m->ctx, model, &model->force[i], m->held, m->nheld, replacement(m, i), &m->load[i].record));
    }
    for (bl_index k = 0; k < m->nheld; k++)
        BL_TRY(record_actuator(m, k));
    for (bl_load *load = m->load; load < m->load + m->nload; load++) {
        load->normal = -1;
        bool normal = load->record.normal.kept;
        for (bl_index k = 0; k < load->record.ninput; k++)
            normal = normal || load->record.input[k].what == BL_SYM_LOAD;
        if (normal)
            load->normal = m->nnormal++;
    }
    m->first_reaction = m->nnormal;
    m->nnormal += model->nreaction;
    m->first_contact_load = m->nnormal;
    return BL_OK;
}

/* Normal loads: the joint and the direction of each; then the reactions that laws read. */
static bl_status prepare_normals(bl_mechanism *m) {
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(m->normal, m->nnormal), BL_ARRAY(m->normal_open, m->nnormal + m->model->ncontact),
                           BL_ARRAY(m->friction_joint, bl_model_joints(m->model))));
    for (bl_index i = 0; i < m->nload; i++) {
        if (m->load[i].normal < 0)
            continue;
        const struct bl_normal_part *part = &m->load[i].record.normal;
        const bl_gauge *gauge = &m->gauge[part->variable];
        struct bl_normal *normal = &m->normal[m->load[i].normal];
        *normal = (struct bl_normal){.joint = gauge->joint, .axis = -1, .arm = part->arm, .whole_moment = part->whole_moment};
        if (m->dim == 3 || gauge->prim->what == BL_TRAVEL)
            BL_TRY(bl_direction_mark(m, &gauge->prim->c, &normal->axis));
    }
    for (bl_index k = 0; k < m->model->nreaction; k++) {
        const bl_reaction_def *reaction = &m->model->reaction[k];
        m->normal[m->first_reaction + k] =
            (struct bl_normal){.joint = reaction->joint, .axis = -1, .arm = reaction->part >= 3, .reaction = true, .part = reaction->part};
    }
    for (bl_index i = 0; i < m->nnormal; i++) {
        m->friction_joint[m->normal[i].joint] = true;
        for (bl_index h = 0; h < m->nshare; h++)
            m->friction_shared = m->friction_shared || m->share[h].joint == m->normal[i].joint;
    }
    return BL_OK;
}

static bl_index entry_of(bl_load *load, bl_index entry) {
    bl_index e = 0;
    while (e < load->nentry && load->entry[e] != entry)
        e++;
    if (e == load->nentry)
        load->entry[load->nentry++] = entry;
    return e;
}

bl_status bl_loads_prepare(bl_mechanism *m, bl_load *load) {
    bl_record *r = &load->record;
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(load->mark_dir, r->nmark), BL_ARRAY(load->var_entry, r->nvar)));
    bl_index most = r->nvar + r->ninput;
    for (bl_index i = 0; i < r->nmark; i++) {
        BL_TRY(bl_direction_mark(m, &r->mark[i], &load->mark_dir[i]));
        most += m->form_ptr[(load->mark_dir[i] + 1) * m->dim] - m->form_ptr[load->mark_dir[i] * m->dim];
    }
    BL_TRY(BL_ARENA_NEW(&m->arena, load->entry, most));
    for (bl_index i = 0; i < r->nmark; i++)
        for (bl_index k = m->form_ptr[load->mark_dir[i] * m->dim]; k < m->form_ptr[(load->mark_dir[i] + 1) * m->dim]; k++)
            if (m->form_entry[k] < m->nfree)
                entry_of(load, m->form_entry[k]);
    for (bl_index i = 0; i < r->nvar; i++) {
        load->var_entry[i] = m->gauge[r->var[i]].entry;
        entry_of(load, load->var_entry[i]);
    }
    /* outputs of the tape: three per loaded mark, one per loaded variable, the potential */
    bl_index out = 0;
    for (bl_index i = 0; i < r->nmark; i++) {
        load->mark_out[i] = r->push_node[i][0] >= 0 ? out : -1;
        out += r->push_node[i][0] >= 0 ? 3 : 0;
    }
    for (bl_index i = 0; i < r->nvar; i++)
        load->var_out[i] = r->push_var_node[i] >= 0 ? out++ : -1;
    load->potential_out = r->potential_node >= 0 ? out++ : -1;
    for (bl_index i = 0; i < r->ninput; i++) {
        const bl_symbol *s = &r->input[i];
        if (s->what == BL_SYM_MARK_RATE || s->what == BL_SYM_RATE)
            load->reads_velocity = true;
        load->reads_time = load->reads_time || s->what == BL_SYM_TIME || (s->what == BL_SYM_HELD && m->held[s->ref].at);
        if (s->what == BL_SYM_HELD && m->held[s->ref].varies && load->potential_out >= 0)
            load->potential_varies = load->potential_varies || bl_tape_depends(load->tape, load->potential_out, i);
        if (s->what == BL_SYM_VARIABLE || s->what == BL_SYM_RATE)
            entry_of(load, m->gauge[s->ref].entry);
    }
    bl_index nin = bl_tape_inputs(load->tape) > r->ninput ? bl_tape_inputs(load->tape) : r->ninput, nout = bl_tape_outputs(load->tape);
    if (2 * nin > m->tape_in)
        m->tape_in = 2 * nin;
    if (2 * nout > m->tape_out)
        m->tape_out = 2 * nout;
    if (nin * nout > m->tape_d)
        m->tape_d = nin * nout;
    size_t work = bl_tape_work(load->tape), series = bl_tape_series_work(load->tape, 1);
    work = work > series ? work : series;
    if (work > m->tape_work)
        m->tape_work = work;
    return BL_OK;
}

double bl_loads_held(const bl_mechanism *m, bl_index held, double t, const double *u) {
    return u && !m->held[held].at ? u[held] : bl_held_now(&m->held[held], t);
}

void bl_loads_inputs(const bl_mechanism *m, const bl_load *load, double t, const bl_mech_work *w, double *in) {
    const bl_record *r = &load->record;
    for (bl_index i = 0; i < r->ninput; i++) {
        const bl_symbol *s = &r->input[i];
        switch (s->what) {
        case BL_SYM_VARIABLE: in[i] = w->x[m->gauge[s->ref].entry]; break;
        case BL_SYM_RATE: in[i] = w->xd[m->gauge[s->ref].entry]; break;
        case BL_SYM_MARK: in[i] = w->D[load->mark_dir[s->ref] * m->dim + s->part]; break;
        case BL_SYM_MARK_RATE: in[i] = w->Dd[load->mark_dir[s->ref] * m->dim + s->part]; break;
        case BL_SYM_LOAD: in[i] = w->normal ? w->normal[load->normal] : 0; break;
        case BL_SYM_REACTION: in[i] = w->normal ? w->normal[m->first_reaction + s->ref] : 0; break;
        case BL_SYM_HELD: in[i] = bl_loads_held(m, s->ref, t, w->u); break;
        default: in[i] = bl_symbol_value(m->model, s, &(bl_instant){.t = t}); break;
        }
    }
}

void bl_loads_gather(const bl_mechanism *m, const bl_load *load, double t, const bl_mech_work *w, double *in) {
    bl_loads_inputs(m, load, t, w, in);
    for (bl_index k = 0; k < load->npiece; k++)
        in[load->record.ninput + k] = w->piece[load->piece + k];
}

void bl_loads_forces(const bl_mechanism *m, const bl_load *load, double t, bl_mech_work *w) {
    bl_loads_gather(m, load, t, w, w->tape_in);
    bl_tape_eval(load->tape, w->tape_in, w->tape_out, w->tape_work);
}

/* rate of each input during the motion; a potential does not depend on accelerations */
double bl_loads_input_rate(const bl_mechanism *m, const bl_load *load, bl_index i, const bl_mech_work *w) {
    const bl_symbol *s = &load->record.input[i];
    switch (s->what) {
    case BL_SYM_TIME: return 1;
    case BL_SYM_VARIABLE: return w->xd[m->gauge[s->ref].entry];
    case BL_SYM_MARK: return w->Dd[load->mark_dir[s->ref] * m->dim + s->part];
    case BL_SYM_HELD: return w->u_rate ? w->u_rate[s->ref] : 0;
    default: return 0;
    }
}

static double force_power(const bl_mechanism *m, const bl_load *load, const bl_mech_work *w, const double *out) {
    double power = 0;
    for (bl_index i = 0; i < load->record.nmark; i++)
        for (int k = 0; load->mark_out[i] >= 0 && k < m->dim; k++)
            power += out[load->mark_out[i] + k] * w->Dd[load->mark_dir[i] * m->dim + k];
    for (bl_index i = 0; i < load->record.nvar; i++)
        if (load->var_out[i] >= 0)
            power += out[load->var_out[i]] * w->xd[load->var_entry[i]];
    return power;
}

static double potential_rate(const bl_mechanism *m, const bl_load *load, double t, const bl_mech_work *w) {
    const bl_record *r = &load->record;
    if (load->potential_out < 0)
        return 0;
    double *value = w->tape_d, *in = w->tape_in; /* both are unused here */
    bl_loads_gather(m, load, t, w, value);
    for (bl_index i = r->ninput + load->npiece - 1; i >= 0; i--) {
        in[2 * i] = value[i];
        in[2 * i + 1] = i < r->ninput ? bl_loads_input_rate(m, load, i, w) : 0;
    }
    bl_tape_series(load->tape, 1, in, w->tape_out, w->tape_work);
    return w->tape_out[2 * load->potential_out + 1];
}

static double load_power(const bl_mechanism *m, const bl_load *load, double t, const bl_mech_work *w, const double *out) {
    double power = force_power(m, load, w, out);
    return power + potential_rate(m, load, t, w);
}

/* ---- between two configurations */

static void push(const bl_mechanism *m, bl_index dir, const double *force, double *Q) {
    for (int k = 0; k < m->dim; k++) {
        bl_index row = dir * m->dim + k;
        for (bl_index f = m->form_ptr[row]; f < m->form_ptr[row + 1]; f++)
            if (m->form_entry[f] < m->nfree)
                Q[m->form_entry[f]] += m->form_coef[f] * force[k];
    }
}

/* vector between the ends of a spring at other coordinates q; fixed entries are taken from w->x */
static double span_at(const bl_mechanism *m, const bl_load *load, const double *q, const bl_mech_work *w, double *d) {
    const struct bl_spring_part *spring = &load->record.spring;
    double length = 0;
    for (int k = 0; k < m->dim; k++) {
        d[k] = 0;
        for (int end = 0; end < 2; end++) {
            double sign = end ? 1 : -1;
            if (spring->end[end] < 0) {
                d[k] += sign * spring->place[end][k];
                continue;
            }
            bl_index row = load->mark_dir[spring->end[end]] * m->dim + k;
            for (bl_index f = m->form_ptr[row]; f < m->form_ptr[row + 1]; f++)
                d[k] += sign * m->form_coef[f] * (m->form_entry[f] < m->nfree ? q[m->form_entry[f]] : w->x[m->form_entry[f]]);
        }
        length = hypot(length, d[k]);
    }
    return length;
}

/* K -= d, the derivative of the force in one row of directions by another */
static void add_slope(const bl_mechanism *m, const bl_load *load, bl_index force_row, bl_index row, double d, double *K) {
    for (bl_index a = m->form_ptr[force_row]; a < m->form_ptr[force_row + 1]; a++)
        for (bl_index b = m->form_ptr[row]; b < m->form_ptr[row + 1]; b++) {
            bl_index ra = m->form_entry[a], cb = m->form_entry[b], la = 0, lb = 0;
            if (ra >= m->nfree || cb >= m->nfree)
                continue;
            while (load->entry[la] != ra)
                la++;
            while (load->entry[lb] != cb)
                lb++;
            K[load->K_slot[la * load->nentry + lb]] -= d * m->form_coef[a] * m->form_coef[b];
        }
}

/* The spring of a load, which the tape evaluated at the midpoint m of d0 and d1, becomes (Gonzalez 1996; Armero and Romero 2001)
 *
 *     s m,   s = 2 k ((l1 + l0)/2 - L + chi (l1 - l0)/2) / (l1 + l0)          on its first end, with (d1 + d0)/2 = m
 *
 * which is (V(l1) - V(l0)) / (l1 - l0) along the mean of both directions, and dissipation. K assumes that d1 moves twice as far as m. */
static void replace_by_discrete_spring(const bl_mechanism *m, const bl_load *load, bl_eval *e, const bl_mech_work *w, uint32_t want) {
    const struct bl_spring_part *spring = &load->record.spring;
    double d0[3], d1[3], middle[3], force[2][3], k = spring->stiffness;
    double l0 = span_at(m, load, e->q_from, w, d0), l1 = span_at(m, load, e->q_to, w, d1), l = 0;
    for (int i = 0; i < m->dim; i++) {
        middle[i] = 0.5 * (d0[i] + d1[i]);
        l = hypot(l, middle[i]);
    }
    double sum = l0 + l1, mean = k * (0.5 * sum - spring->length + 0.5 * e->dissipation * (l1 - l0));
    double by_length = sum > 0 ? 2 * mean / sum : 0, by_tape = spring->length == 0 ? k : k * (l - spring->length) / l;
    for (int i = 0; i < m->dim; i++) {
        force[0][i] = (by_length - by_tape) * middle[i];
        force[1][i] = -force[0][i];
    }
    for (int end = 0; end < 2 && (want & BL_Q); end++)
        if (spring->end[end] >= 0)
            push(m, load->mark_dir[spring->end[end]], force[end], e->Q);
    if (!(want & BL_KC) || sum == 0)
        return;
    double along = l1 > 0 ? 2 * (k * (1 + e->dissipation) - by_length) / (sum * l1) : 0; /* 2 ds/dl1 / l1 */
    double along_tape = spring->length == 0 ? 0 : k * spring->length / (l * l * l);
    for (int i = 0; i < m->dim; i++)
        for (int j = 0; j < m->dim; j++) {
            double d = middle[i] * (along * d1[j] - along_tape * middle[j]) + (i == j ? by_length - by_tape : 0);
            for (int to = 0; to < 2; to++)
                for (int by = 0; by < 2; by++)
                    if (spring->end[to] >= 0 && spring->end[by] >= 0)
                        add_slope(m, load, load->mark_dir[spring->end[to]] * m->dim + i, load->mark_dir[spring->end[by]] * m->dim + j,
                                  to == by ? -d : d, e->K);
        }
}

/* K -= dF/dx, C -= dF/dv on the entries the force depends on */
static void tangent(const bl_mechanism *m, const bl_load *load, const bl_mech_work *w, bl_eval *e) {
    const bl_record *r = &load->record;
    bl_index nin = bl_tape_inputs(load->tape);
    bl_tape_jacobian(load->tape, w->tape_in, w->tape_out, w->tape_d, w->tape_work);
    for (bl_index o = 0; o < r->nmark + r->nvar; o++) {
        bool var_o = o >= r->nmark;
        bl_index first = var_o ? load->var_out[o - r->nmark] : load->mark_out[o];
        for (int k = 0; first >= 0 && k < (var_o ? 1 : m->dim); k++)
            for (bl_index i = 0; i < nin && i < r->ninput; i++) {
                double d = w->tape_d[(first + k) * nin + i];
                const bl_symbol *s = &r->input[i];
                bool rate = s->what == BL_SYM_MARK_RATE || s->what == BL_SYM_RATE,
                     var_i = s->what == BL_SYM_VARIABLE || s->what == BL_SYM_RATE;
                if (d == 0 || (!var_i && s->what != BL_SYM_MARK && s->what != BL_SYM_MARK_RATE))
                    continue;
                double *target = rate ? e->C : e->K;
                bl_index row_begin = var_o ? 0 : m->form_ptr[load->mark_dir[o] * m->dim + k];
                bl_index row_end = var_o ? 1 : m->form_ptr[load->mark_dir[o] * m->dim + k + 1];
                bl_index col_begin = var_i ? 0 : m->form_ptr[load->mark_dir[s->ref] * m->dim + s->part];
                bl_index col_end = var_i ? 1 : m->form_ptr[load->mark_dir[s->ref] * m->dim + s->part + 1];
                for (bl_index a = row_begin; a < row_end; a++)
                    for (bl_index b = col_begin; b < col_end; b++) {
                        bl_index ra = var_o ? load->var_entry[o - r->nmark] : m->form_entry[a];
                        bl_index cb = var_i ? m->gauge[s->ref].entry : m->form_entry[b];
                        if (ra >= m->nfree || cb >= m->nfree)
                            continue;
                        bl_index la = 0, lb = 0;
                        while (load->entry[la] != ra)
                            la++;
                        while (load->entry[lb] != cb)
                            lb++;
                        target[load->K_slot[la * load->nentry + lb]] -= d * (var_o ? 1 : m->form_coef[a]) * (var_i ? 1 : m->form_coef[b]);
                    }
            }
    }
}

/* generalized forces of the outputs of a tape, from derivatives `d` that are `stride` apart */
static void add_derivatives(const bl_mechanism *m, const bl_load *load, const double *d, bl_index stride, double *Q) {
    const bl_record *r = &load->record;
    for (bl_index i = 0; i < r->nmark; i++) {
        double force[3] = {0, 0, 0};
        for (int k = 0; load->mark_out[i] >= 0 && k < m->dim; k++)
            force[k] = d[(load->mark_out[i] + k) * stride];
        if (load->mark_out[i] >= 0)
            push(m, load->mark_dir[i], force, Q);
    }
    for (bl_index i = 0; i < r->nvar; i++)
        if (load->var_out[i] >= 0)
            Q[load->var_entry[i]] += d[load->var_out[i] * stride];
}

void bl_loads_by_held(const bl_system *sys, bl_eval *e) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_work *w = e->own;
    memset(e->Q_u, 0, (size_t)m->nheld * (size_t)m->nfree * sizeof(double));
    for (bl_load *load = m->load; load < m->load + m->nload; load++) {
        bool reads = false;
        for (bl_index i = 0; i < load->record.ninput; i++)
            reads = reads || load->record.input[i].what == BL_SYM_HELD;
        if (!reads)
            continue;
        bl_loads_gather(m, load, e->t, w, w->tape_in);
        bl_tape_jacobian(load->tape, w->tape_in, w->tape_out, w->tape_d, w->tape_work);
        for (bl_index i = 0; i < load->record.ninput; i++)
            if (load->record.input[i].what == BL_SYM_HELD)
                add_derivatives(m, load, w->tape_d + i, bl_tape_inputs(load->tape), e->Q_u + load->record.input[i].ref * m->nfree);
    }
}

bl_status bl_loads_eval(const bl_system *sys, bl_eval *e, uint32_t want) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_work *w = e->own;
    bl_index nK = sys->pat_K.ptr[m->nfree];
    if (want & BL_Q)
        memcpy(e->Q, m->Q_gravity, (size_t)m->nfree * sizeof(double));
    if (want & BL_KC) {
        memset(e->K, 0, (size_t)nK * sizeof(double));
        memset(e->C, 0, (size_t)nK * sizeof(double));
    }
    if (want & BL_ENERGY) {
        e->potential = m->potential_constant;
        for (bl_index i = 0; i < m->nfree; i++)
            e->potential -= m->Q_gravity[i] * e->q[i];
    }
    if (want & BL_Q)
        e->power = 0;
    for (bl_index l = 0; l < m->nload; l++) {
        const bl_load *load = &m->load[l];
        const bl_record *r = &load->record;
        bl_loads_gather(m, load, e->t, w, w->tape_in);
        if (want & (BL_Q | BL_ENERGY)) {
            bl_tape_eval(load->tape, w->tape_in, w->tape_out, w->tape_work);
            for (bl_index i = 0; (want & BL_Q) && i < r->nmark; i++)
                if (load->mark_out[i] >= 0)
                    push(m, load->mark_dir[i], w->tape_out + load->mark_out[i], e->Q);
            for (bl_index i = 0; (want & BL_Q) && i < r->nvar; i++)
                if (load->var_out[i] >= 0)
                    e->Q[load->var_entry[i]] += w->tape_out[load->var_out[i]];
            if ((want & BL_ENERGY) && load->potential_out >= 0)
                e->potential += w->tape_out[load->potential_out];
            if ((want & BL_Q) && !load->conservative)
                e->power += load_power(m, load, e->t, w, w->tape_out);
        }
        if (want & BL_KC) {
            bl_loads_gather(m, load, e->t, w, w->tape_in);
            tangent(m, load, w, e);
        }
        if (e->q_from && r->spring.whole && (want & (BL_Q | BL_KC)))
            replace_by_discrete_spring(m, load, e, w, want);
    }
    BL_TRY(bl_elastic_eval(sys, e, want));
    bl_floating_eval(sys, e, want & (BL_Q | BL_KC));
    if (m->ncontact_rub && (want & (BL_Q | BL_KC)))
        bl_contact_friction(sys, e, want);
    return BL_OK;
}

bl_status bl_loads_build(bl_mechanism *m) {
    for (bl_index i = 0; i < m->nload; i++)
        BL_TRY(bl_loads_prepare(m, &m->load[i]));
    return m->nnormal ? prepare_normals(m) : BL_OK;
}

/* ---- properties of forces, found once at random configurations near the model configuration */

static double random_fraction(uint64_t *seed) {
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

static void random_configuration(const bl_mechanism *m, uint64_t *seed, bl_mech_work *w) {
    for (bl_index i = 0; i < m->nfree; i++) {
        w->x[i] = m->x_start[i] + 0.2 * m->col[i].scale * random_fraction(seed);
        w->xd[i] = m->col[i].scale * random_fraction(seed);
    }
    for (bl_index row = 0; row < m->ndir * m->dim; row++) {
        w->D[row] = w->Dd[row] = 0;
        for (bl_index i = m->form_ptr[row]; i < m->form_ptr[row + 1]; i++) {
            w->D[row] += m->form_coef[i] * w->x[m->form_entry[i]];
            w->Dd[row] += m->form_coef[i] * w->xd[m->form_entry[i]];
        }
    }
}

/* its power equals the loss of its potential */
static bool is_conservative(const bl_mechanism *m, const bl_load *load, double t, const bl_mech_work *w) {
    bl_loads_gather(m, load, t, w, w->tape_in);
    bl_tape_eval(load->tape, w->tape_in, w->tape_out, w->tape_work);
    double pushed = force_power(m, load, w, w->tape_out), lost = potential_rate(m, load, t, w);
    return fabs(pushed + lost) <= coords_conservative * (fabs(pushed) + fabs(lost));
}

/* The rates are used as the displacement between two configurations around this one: for a quadratic potential the gradient in the
 * middle gives the exact difference. Only the inputs of the law are displaced: the configuration is kept for the other forces. */
static bool is_quadratic(const bl_mechanism *m, const bl_load *load, double t, const bl_mech_work *w) {
    const bl_record *r = &load->record;
    double slope = potential_rate(m, load, t, w), end[2];
    for (int side = 0; side < 2; side++) {
        double shift = side == 0 ? -0.5 : 0.5;
        bl_loads_gather(m, load, t, w, w->tape_in);
        for (bl_index i = 0; i < r->ninput; i++)
            if (r->input[i].what != BL_SYM_TIME)
                w->tape_in[i] += shift * bl_loads_input_rate(m, load, i, w);
        bl_tape_eval(load->tape, w->tape_in, w->tape_out, w->tape_work);
        end[side] = w->tape_out[load->potential_out];
    }
    return fabs(end[1] - end[0] - slope) <= coords_conservative * (fabs(end[0]) + fabs(end[1]) + fabs(slope));
}

/* Signals of the model take random values, too: a damper that an event switches on later must not count as conservative. */
static void random_signals(const bl_mechanism *m, uint64_t *seed, double *u) {
    for (bl_index k = 0; k < m->nheld; k++)
        u[k] = m->held[k].value + (m->held[k].what == BL_HELD_SIGNAL ? fmax(1, fabs(m->held[k].value)) * random_fraction(seed) : 0);
}

/* All forces are tested at the same few configurations: each costs an evaluation of the complete mechanism. */
bl_status bl_loads_find_conservative(bl_mechanism *m, bl_mech_work *w) {
    uint64_t seed = 88172645463325252u; /* fixed: results must be reproducible */
    double *u = NULL;
    for (bl_index k = 0; k < m->nheld && !u; k++)
        if (m->held[k].what == BL_HELD_SIGNAL)
            BL_TRY(BL_NEW(m->ctx, u, m->nheld));
    w->u = u;
    for (bl_index l = 0; l < m->nload; l++) {
        /* a law of several pieces may lose energy in one that these configurations do not meet */
        m->load[l].conservative = m->load[l].potential_out >= 0 && !m->load[l].potential_varies && bl_tape_smooth(m->load[l].record.tape);
        m->load[l].discrete = true;
    }
    for (int trial = 0; trial < 3; trial++) {
        double t = 0.7 + trial;
        random_configuration(m, &seed, w);
        if (u)
            random_signals(m, &seed, u);
        for (bl_index l = 0; l < m->nload; l++) {
            bl_load *load = &m->load[l];
            if (load->potential_out < 0)
                continue;
            load->conservative = load->conservative && is_conservative(m, load, t, w);
            load->discrete = load->discrete && (load->record.spring.whole || is_quadratic(m, load, t, w));
        }
    }
    w->u = NULL;
    bl_free(m->ctx, u);
    return BL_OK;
}
