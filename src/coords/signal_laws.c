/* Signals of a mechanism: laws that act on nothing, such as the rates of states beside the bodies. They are recorded like forces, so that
 * they read marks and variables as coordinates, and their derivatives follow from the tape and from the forms of the marks. */
#include "coords/mechanism.h"
#include "sparse/sparse.h"

#include <string.h>

static bl_status find_values(bl_mechanism *m) {
    bl_index n = m->model->nsignal;
    BL_TRY(BL_ARENA_NEW(&m->arena, m->signal_held, (size_t)n + 1));
    for (bl_index i = 0; i < n; i++)
        m->signal_held[i] = -1;
    for (bl_index k = 0; k < m->nheld; k++)
        if (m->held[k].what == BL_HELD_SIGNAL)
            m->signal_held[m->held[k].ref] = k;
    return BL_OK;
}

bl_status bl_signal_laws_record(bl_mechanism *m) {
    const bl_model *model = m->model;
    const bl_coords_choice *choice = m->choice;
    BL_TRY(find_values(m));
    BL_TRY(BL_ARENA_NEW(&m->arena, m->signal, (size_t)choice->nsignal + 1));
    for (bl_index i = 0; i < choice->nsignal; i++) {
        const bl_signal_def *def = &model->signal[choice->signal[i]];
        bl_signal_law *s = &m->signal[i];
        m->nsignal = i + 1; /* incremented before, so that a failed recording is freed */
        s->def = (bl_force_def){.name = def->name, .place = def->place};
        s->load.normal = -1;
        s->followed = bl_model_driver_reading(model, 0, choice->signal[i]) >= 0;
        BL_TRY(bl_force_record_value(m->ctx, model, &s->def, m->held, m->nheld, def->law, &s->load.record));
    }
    return BL_OK;
}

void bl_signal_laws_destroy(bl_mechanism *m) {
    for (bl_index i = 0; i < m->nsignal; i++)
        bl_tape_destroy(m->signal[i].load.record.tape);
    bl_free(m->ctx, m->signal_slope);
}

/* entries of x that an input moves by: a variable, or the form of a mark */
static bl_index terms(const bl_mechanism *m, const bl_load *load, const bl_symbol *s, bl_index *first) {
    *first = -1;
    if (s->what == BL_SYM_VARIABLE || s->what == BL_SYM_RATE)
        return m->gauge[s->ref].entry < m->nfree;
    if (s->what != BL_SYM_MARK && s->what != BL_SYM_MARK_RATE)
        return 0;
    bl_index row = load->mark_dir[s->ref] * m->dim + s->part;
    *first = m->form_ptr[row];
    return m->form_ptr[row + 1] - *first;
}

bl_status bl_signal_laws_build(bl_mechanism *m, bl_system *sys) {
    bl_index count = 0, first;
    for (bl_index i = 0; i < m->nsignal; i++) {
        bl_load *load = &m->signal[i].load;
        BL_TRY(bl_loads_prepare(m, load));
        for (bl_index k = 0; k < load->record.ninput; k++)
            count += terms(m, load, &load->record.input[k], &first);
    }
    bl_index *row, *col, *slot;
    BL_TRY(BL_NEW(m->ctx, m->signal_slope, (size_t)count + 1));
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(row, count), BL_ARRAY(col, count), BL_ARRAY(slot, count)));
    bl_index n = 0;
    for (bl_index i = 0; i < m->nsignal; i++) {
        bl_signal_law *s = &m->signal[i];
        s->first = n;
        for (bl_index k = 0; k < s->load.record.ninput; k++) {
            const bl_symbol *y = &s->load.record.input[k];
            bl_index nterm = terms(m, &s->load, y, &first);
            for (bl_index j = 0; j < nterm; j++) {
                bl_index entry = first < 0 ? m->gauge[y->ref].entry : m->form_entry[first + j];
                if (entry >= m->nfree)
                    continue;
                row[n] = entry;
                col[n] = i;
                m->signal_slope[n++] = (struct bl_signal_slope){.input = k,
                                                                .coef = first < 0 ? 1 : m->form_coef[first + j],
                                                                .rate = y->what == BL_SYM_RATE || y->what == BL_SYM_MARK_RATE};
            }
        }
        s->n = n - s->first;
    }
    BL_TRY(bl_pattern_build(m->ctx, m->nfree, m->nsignal, n, row, col, &sys->pat_S, slot));
    for (bl_index k = 0; k < n; k++)
        m->signal_slope[k].slot = slot[k];
    return BL_OK;
}

/* f' = f_q v + f_u u' + f_t of laws without velocities */
static void eval_rates(const bl_mechanism *m, bl_eval *e) {
    const bl_mech_work *w = e->own;
    for (bl_index i = 0; i < m->nsignal; i++) {
        const bl_load *load = &m->signal[i].load;
        double value;
        e->signal_rate[i] = 0;
        if (!m->signal[i].followed)
            continue;
        bl_loads_gather(m, load, e->t, w, w->tape_in);
        bl_tape_jacobian(load->tape, w->tape_in, &value, w->tape_d, w->tape_work);
        for (bl_index k = 0; k < load->record.ninput; k++)
            e->signal_rate[i] += w->tape_d[k] * bl_loads_input_rate(m, load, k, w);
    }
}

void bl_signal_laws_eval(const bl_system *sys, bl_eval *e, uint32_t want) {
    const bl_mechanism *m = bl_mech(sys);
    const bl_mech_work *w = e->own;
    if (want & BL_SIGNAL_RATE)
        eval_rates(m, e);
    if (!(want & (BL_SIGNALS | BL_SIGNAL_X)))
        return;
    if (want & BL_SIGNAL_X) {
        size_t n = (size_t)sys->pat_S.ptr[m->nsignal];
        memset(e->signal_x, 0, n * sizeof(double));
        memset(e->signal_v, 0, n * sizeof(double));
        memset(e->signal_u, 0, (size_t)m->nheld * (size_t)m->nsignal * sizeof(double));
    }
    for (bl_index i = 0; i < m->nsignal; i++) {
        const bl_signal_law *s = &m->signal[i];
        const bl_record *r = &s->load.record;
        double value;
        bl_loads_gather(m, &s->load, e->t, w, w->tape_in);
        if (!(want & BL_SIGNAL_X)) {
            bl_tape_eval(s->load.tape, w->tape_in, &e->signal[i], w->tape_work);
            continue;
        }
        bl_tape_jacobian(s->load.tape, w->tape_in, &value, w->tape_d, w->tape_work);
        if (want & BL_SIGNALS)
            e->signal[i] = value;
        for (const struct bl_signal_slope *d = m->signal_slope + s->first; d < m->signal_slope + s->first + s->n; d++)
            (d->rate ? e->signal_v : e->signal_x)[d->slot] += d->coef * w->tape_d[d->input];
        for (bl_index k = 0; k < r->ninput; k++)
            if (r->input[k].what == BL_SYM_HELD)
                e->signal_u[r->input[k].ref * m->nsignal + i] = w->tape_d[k];
    }
}

const double *bl_signal_law_values(const bl_mechanism *m, const bl_eval *e) {
    const bl_mech_work *w = e->own;
    for (bl_index i = 0; i < m->model->nsignal; i++)
        w->signal[i] = m->signal_held[i] >= 0 ? bl_loads_held(m, m->signal_held[i], e->t, w->u) : m->model->signal[i].value;
    return m->model->nsignal ? w->signal : NULL;
}
