/* Forces as power series: what each tape reads and acts on, prepared once as flat lists; the work of forces without potential. */
#include "coords/mech_series.h"

#include "model/law_inputs.h"
#include "series/taylor.h"

#include <string.h>

/* ---- set-up: every list is counted, then filled */

static void add_term(const bl_mechanism *m, bl_mech_series *s, bool write, bl_index row) {
    for (bl_index j = m->form_ptr[row]; j < m->form_ptr[row + 1]; j++)
        if (m->form_entry[j] < m->nfree) {
            if (write)
                s->rate_term[s->nrate_term] = (struct bl_lane_term){m->form_entry[j], m->form_coef[j]};
            s->nrate_term++;
        }
}

static void add_input(const bl_mechanism *m, bl_mech_series *s, bool write, const bl_load *load, const bl_symbol *y, double *in) {
    if (!in)
        return;
    if (y->what == BL_SYM_MARK || y->what == BL_SYM_VARIABLE) {
        bool mark = y->what == BL_SYM_MARK;
        s->x_read = s->x_read || !mark;
        if (write)
            s->read[s->nread] = (struct bl_series_read){
                .to = in, .from = mark ? &s->D[load->mark_dir[y->ref] * m->dim + y->part] : &s->x[m->gauge[y->ref].entry]};
        s->nread++;
    } else if (y->what == BL_SYM_RATE || y->what == BL_SYM_MARK_RATE) {
        bl_index from = s->nrate_term, entry = y->what == BL_SYM_RATE ? m->gauge[y->ref].entry : -1;
        if (entry < 0) {
            add_term(m, s, write, load->mark_dir[y->ref] * m->dim + y->part);
        } else if (entry < m->nfree) {
            if (write)
                s->rate_term[from] = (struct bl_lane_term){entry, 1};
            s->nrate_term++;
        }
        if (write)
            s->read_rate[s->nread_rate] = (struct bl_series_rate){.to = in, .first = from, .last = s->nrate_term};
        s->nread_rate++;
    } else if (y->what == BL_SYM_HELD && m->held[y->ref].varies) {
        if (write)
            s->read_held[s->nread_held] = (struct bl_series_held){.to = in, .held = y->ref};
        s->nread_held++;
    }
}

static void add_push(bl_mech_series *s, bool write, const bl_load *load, bl_index entry, double coef, const double *out, bl_index *work) {
    if (write) {
        bl_index at = -1;
        if (!load->conservative) {
            if (work[entry] < 0)
                s->work_entry[work[entry] = s->nwork++] = entry;
            at = work[entry];
        }
        bool no_potential = at >= 0 && load->potential_out < 0;
        s->push[s->npush] = (struct bl_series_push){.out = out, .entry = entry, .work = at, .no_potential = no_potential, .coef = coef};
    }
    s->npush++;
}

static void list_load(const bl_mechanism *m, bl_mech_series *s, bool write, bl_index l, bl_index *work) {
    const bl_load *load = &m->load[l];
    bl_tape_recurrence *recurrence = s->load[l];
    for (bl_index i = 0; i < load->record.ninput; i++)
        add_input(m, s, write, load, &load->record.input[i], bl_tape_recurrence_in(recurrence, i));
    for (bl_index i = 0; i < load->record.nmark; i++)
        for (int c = 0; load->mark_out[i] >= 0 && c < m->dim; c++) {
            bl_index row = load->mark_dir[i] * m->dim + c;
            for (bl_index f = m->form_ptr[row]; f < m->form_ptr[row + 1]; f++)
                if (m->form_entry[f] < m->nfree)
                    add_push(s, write, load, m->form_entry[f], m->form_coef[f], bl_tape_recurrence_out(recurrence, load->mark_out[i] + c),
                             work);
        }
    for (bl_index i = 0; i < load->record.nvar; i++)
        if (load->var_out[i] >= 0 && load->var_entry[i] < m->nfree)
            add_push(s, write, load, load->var_entry[i], 1, bl_tape_recurrence_out(recurrence, load->var_out[i]), work);
}

static void list_signal(const bl_mechanism *m, bl_mech_series *s, bool write, bl_index i) {
    const bl_load *load = &m->signal[i].load;
    for (bl_index k = 0; k < load->record.ninput; k++)
        add_input(m, s, write, load, &load->record.input[k], bl_tape_recurrence_in(s->load[m->nload + i], k));
}

static bool moves(const bl_mechanism *m, bl_index row) {
    for (bl_index f = m->form_ptr[row]; f < m->form_ptr[row + 1]; f++)
        if (m->form_entry[f] < m->nfree)
            return true;
    return false;
}

/* outputs that act on free entries; a potential only if work is computed from it */
static bl_status make_recurrence(const bl_mechanism *m, const bl_load *load, int order, bl_tape_recurrence **recurrence) {
    bool *wanted;
    BL_TRY(BL_NEW(m->ctx, wanted, (size_t)bl_tape_outputs(load->tape) + 1));
    for (bl_index i = 0; i < load->record.nmark; i++)
        for (int c = 0; load->mark_out[i] >= 0 && c < m->dim; c++)
            wanted[load->mark_out[i] + c] = moves(m, load->mark_dir[i] * m->dim + c);
    for (bl_index i = 0; i < load->record.nvar; i++)
        if (load->var_out[i] >= 0)
            wanted[load->var_out[i]] = true;
    if (load->potential_out >= 0)
        wanted[load->potential_out] = !load->conservative;
    bl_status status = bl_tape_recurrence_create(m->ctx, load->tape, order, wanted, recurrence);
    bl_free(m->ctx, wanted);
    return status;
}

bl_status bl_series_forces_create(const bl_mechanism *m, bl_mech_series *s) {
    BL_TRY(BL_NEW(m->ctx, s->load, (size_t)m->nload + (size_t)m->nsignal + 1));
    for (bl_index l = 0; l < m->nload; l++)
        BL_TRY(make_recurrence(m, &m->load[l], s->order, &s->load[l]));
    for (bl_index i = 0; i < m->nsignal; i++)
        BL_TRY(bl_tape_recurrence_create(m->ctx, m->signal[i].load.tape, s->order, NULL, &s->load[m->nload + i]));
    for (bl_index l = 0; l < m->nload; l++)
        list_load(m, s, false, l, NULL);
    for (bl_index i = 0; i < m->nsignal; i++)
        list_signal(m, s, false, i);
    BL_TRY(BL_NEW(m->ctx, s->read, (size_t)s->nread + 1));
    BL_TRY(BL_NEW(m->ctx, s->read_rate, (size_t)s->nread_rate + 1));
    BL_TRY(BL_NEW(m->ctx, s->rate_term, (size_t)s->nrate_term + 1));
    BL_TRY(BL_NEW(m->ctx, s->read_held, (size_t)s->nread_held + 1));
    BL_TRY(BL_NEW(m->ctx, s->push, (size_t)s->npush + 1));
    BL_TRY(BL_NEW(m->ctx, s->work_entry, (size_t)m->nfree + 1));
    BL_TRY(BL_NEW(m->ctx, s->work_of, (size_t)m->nfree + 1));
    for (bl_index i = 0; i < m->nfree; i++)
        s->work_of[i] = -1;
    s->nread = s->nread_rate = s->nrate_term = s->npush = s->nread_held = 0;
    for (bl_index l = 0; l < m->nload; l++)
        list_load(m, s, true, l, s->work_of);
    for (bl_index i = 0; i < m->nsignal; i++)
        list_signal(m, s, true, i);
    bl_elastic_series_list(m, s);
    s->work_room = bl_series_padded(s->nwork);
    size_t numbers = (size_t)s->work_room * ((size_t)s->order + 2);
    BL_TRY(BL_NEW(m->ctx, s->work_force, 3 * numbers + 1));
    s->work_rate = s->work_force + numbers;
    s->force_no_potential = m->elastic_damped ? s->work_rate + numbers : NULL;
    for (bl_index i = 0; i < s->npush && !s->force_no_potential; i++)
        s->force_no_potential = s->push[i].no_potential ? s->work_rate + numbers : NULL;
    return BL_OK;
}

void bl_series_forces_destroy(const bl_mechanism *m, bl_mech_series *s) {
    for (bl_index l = 0; s->load && l < m->nload + m->nsignal; l++)
        bl_tape_recurrence_destroy(s->load[l]);
    void *blocks[] = {s->load, s->read, s->read_rate, s->rate_term, s->read_held, s->push, s->work_entry, s->work_of, s->work_force};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        bl_free(m->ctx, blocks[i]);
}

/* ---- one order */

/* constant entries: orders 0 and 1; higher orders remain zero */
static void begin_load(const bl_mechanism *m, const bl_load *load, bl_tape_recurrence *run, double t, const double *piece,
                       const double *u) {
    for (bl_index k = 0; k < load->npiece; k++) {
        double *in = bl_tape_recurrence_in(run, load->record.ninput + k);
        if (in)
            in[0] = piece[load->piece + k];
    }
    for (bl_index i = 0; i < load->record.ninput; i++) {
        const bl_symbol *y = &load->record.input[i];
        double *in = bl_tape_recurrence_in(run, i);
        if (!in)
            continue;
        if (y->what == BL_SYM_HELD)
            in[0] = bl_loads_held(m, y->ref, t, u);
        else if (y->what == BL_SYM_TIME || y->what == BL_SYM_PARAMETER)
            in[0] = bl_symbol_value(m->model, y, &(bl_instant){.t = t});
        if (y->what == BL_SYM_TIME)
            in[1] = 1;
    }
}

void bl_series_forces_begin(const bl_mechanism *m, bl_mech_series *s, double t, const double *piece, const double *u) {
    for (bl_index l = 0; l < m->nload; l++)
        begin_load(m, &m->load[l], s->load[l], t, piece, u);
    for (bl_index i = 0; i < m->nsignal; i++)
        begin_load(m, &m->signal[i].load, s->load[m->nload + i], t, piece, u);
}

void bl_series_forces_hold(const bl_mechanism *m, bl_mech_series *s, int k, const double *u) {
    (void)m;
    for (bl_index i = 0; i < s->nread_held; i++)
        s->read_held[i].to[k] = u ? u[s->read_held[i].held] : k == 0 ? s->read_held[i].to[0] : 0;
}

/* positions of order k from D and x, rates of the order below from v */
void bl_series_forces_take(bl_mech_series *s, int k, const double *v) {
    for (bl_index i = 0; i < s->nread; i++) {
        const struct bl_series_read *r = &s->read[i];
        r->to[k] = *r->from;
    }
    if (k == 0)
        return;
    for (bl_index i = 0; i < s->nread_rate; i++) {
        const struct bl_series_rate *r = &s->read_rate[i];
        double sum = 0;
        for (bl_index j = r->first; j < r->last; j++)
            sum += s->rate_term[j].coef * v[s->rate_term[j].lane];
        r->to[k - 1] = sum;
    }
}

void bl_series_forces_push(const bl_mechanism *m, bl_mech_series *s, int k, double *Q) {
    for (bl_index l = 0; l < m->nload; l++)
        bl_tape_recurrence_next(s->load[l], k);
    double *F = s->work_force + (size_t)k * (size_t)s->work_room;
    double *no_potential = s->force_no_potential ? s->force_no_potential + (size_t)k * (size_t)s->work_room : NULL;
    memset(F, 0, (size_t)s->nwork * sizeof *F);
    if (no_potential)
        memset(no_potential, 0, (size_t)s->nwork * sizeof *no_potential);
    for (bl_index i = 0; i < s->npush; i++) {
        const struct bl_series_push *p = &s->push[i];
        double force = p->coef * p->out[k];
        Q[p->entry] += force;
        if (p->work >= 0)
            F[p->work] += force;
        if (p->no_potential)
            no_potential[p->work] += force;
    }
}

void bl_series_signals(const bl_mechanism *m, bl_mech_series *s, int k, double *signal) {
    for (bl_index i = 0; i < m->nsignal; i++) {
        bl_tape_recurrence_next(s->load[m->nload + i], k);
        signal[i] = bl_tape_recurrence_out(s->load[m->nload + i], 0)[k];
    }
}

/* work_{k+1} += (F . v)_k / (k + 1) + V_{k+1} of each nonconservative force; after the last order the remaining products, only of forces
 * without V: for the others F . v and V largely cancel, coefficient by coefficient */
void bl_series_forces_work(const bl_mechanism *m, bl_mech_series *s, int order, size_t nv, const double *v, double *work) {
    size_t room = (size_t)s->work_room;
    int last = order - 2;
    for (int k = 0; s->nwork && k < last; k++) {
        double *u = s->work_rate + (size_t)k * room;
        for (bl_index i = 0; i < s->nwork; i++)
            u[i] = v[(size_t)k * nv + (size_t)s->work_entry[i]];
    }
    for (int k = 0; s->nwork && k < last; k++)
        work[k + 1] += s->kernels->cauchy_sum(room, k + 1, s->work_force, s->work_rate + (size_t)k * room) / (k + 1);
    for (int k = last; s->force_no_potential && k <= 2 * last - 2; k++) {
        int first = k - last + 1; /* F_first v_{last - 1} ... F_{last - 1} v_first */
        work[k + 1] += s->kernels->cauchy_sum(room, last - first, s->force_no_potential + (size_t)first * room,
                                              s->work_rate + (size_t)(last - 1) * room) /
                       (k + 1);
    }
    for (bl_index l = 0; l < m->nload; l++) {
        bl_index out = m->load[l].conservative ? -1 : m->load[l].potential_out;
        const double *potential = out >= 0 ? bl_tape_recurrence_out(s->load[l], out) : NULL;
        for (int k = 0; potential && k < last; k++)
            work[k + 1] += potential[k + 1];
    }
}
