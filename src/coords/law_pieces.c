/* Laws of forces, drivers and signals defined by pieces: the history holds the selected piece of each law, after the data kept for angles.
 * Laws are numbered: forces, drivers, signals. */
#include "coords/coords_limits.h"
#include "coords/mechanism.h"
#include "model/law_inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint8_t input_kind(const bl_mechanism *m, const bl_symbol *s) {
    switch (s->what) {
    case BL_SYM_HELD: return m->held[s->ref].what == BL_HELD_SIGNAL && !m->held[s->ref].varies ? BL_INPUT_CONSTANT : BL_INPUT_STATE;
    case BL_SYM_TIME: return BL_INPUT_TIME;
    case BL_SYM_PARAMETER: return BL_INPUT_CONSTANT;
    case BL_SYM_LOAD:
    case BL_SYM_REACTION: return BL_INPUT_UNKNOWN;
    default: return BL_INPUT_STATE;
    }
}

static bl_status add(bl_mechanism *m, const bl_tape *tape, bl_index ninput, const bl_symbol *input) {
    uint8_t *kinds;
    BL_TRY(BL_NEW(m->ctx, kinds, (size_t)ninput + 1));
    for (bl_index k = 0; k < ninput; k++)
        kinds[k] = input_kind(m, &input[k]);
    bl_status status = bl_switches_add(m->ctx, &m->switches, tape, -1, ninput, kinds);
    bl_free(m->ctx, kinds);
    return status;
}

static bl_status add_load(bl_mechanism *m, bl_load *load) {
    bl_index law = m->switches.nlaw;
    BL_TRY(add(m, load->record.tape, load->record.ninput, load->record.input));
    const bl_pieces *pieces = &m->switches.law[law];
    load->tape = pieces->tape ? pieces->tape : load->record.tape;
    load->piece = m->switches.first[law];
    load->npiece = pieces->count;
    return BL_OK;
}

bl_status bl_law_pieces_record(bl_mechanism *m) {
    const bl_model *model = m->model;
    for (bl_index l = 0; l < m->nload; l++)
        BL_TRY(add_load(m, &m->load[l]));
    for (bl_index d = 0; d < model->ndriver; d++) {
        const bl_law *law = &model->law[model->driver[d].law];
        BL_TRY(add(m, law->tape, law->ninput, law->input));
        size_t series = m->switches.law[m->nload + d].tape ? bl_tape_series_work(m->switches.law[m->nload + d].tape, 2) : 0;
        bl_index nin = 3 * (law->ninput + m->switches.law[m->nload + d].count);
        m->tape_work = m->tape_work > series ? m->tape_work : series;
        m->tape_in = m->tape_in > nin ? m->tape_in : nin;
    }
    for (bl_index i = 0; i < m->nsignal; i++)
        BL_TRY(add_load(m, &m->signal[i].load));
    const bl_switches *s = &m->switches;
    bl_index stops = model->nstop;
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(m->no_pieces, (size_t)s->n + 1),
                           BL_ARRAY(m->event, (size_t)(stops + s->nevent + bl_contact_events(model)) + 1)));
    memset(m->no_pieces, 0, ((size_t)s->n + 1) * sizeof *m->no_pieces);
    for (bl_index k = 0; k < stops; k++)
        m->event[k] = (bl_event_def){.what = BL_EVENT_STOP, .direction = model->stop[k].direction, .owner = k, .scale = 1};
    for (bl_index k = 0; k < s->nevent; k++) {
        bl_index i = s->of_event[k], l = s->law_of[i];
        bool kink = s->law[l].at[i - s->first[l]].kink;
        m->event[stops + k] = (bl_event_def){.what = kink ? BL_EVENT_KINK : BL_EVENT_SWITCH, .direction = -1, .owner = l, .scale = 1};
    }
    for (bl_index k = 0; k < bl_contact_events(model); k++)
        m->event[stops + s->nevent + k] =
            (bl_event_def){.what = BL_EVENT_CONTACT, .direction = -1, .owner = k / BL_CONTACT_EVENTS, .scale = 1};
    return BL_OK;
}

const double *bl_law_pieces_selected(const bl_mechanism *m, const unsigned char *history) {
    return history && m->switches.n ? (const double *)(const void *)history + m->first_piece : m->no_pieces;
}

static double *state_pieces(const bl_mechanism *m, bl_state *state) { return (double *)(void *)state->history + m->first_piece; }

/* ---- drivers as series in time */

const bl_tape *bl_driver_tape(const bl_mechanism *m, bl_index d) {
    const bl_pieces *pieces = &m->switches.law[m->nload + d];
    return pieces->tape ? pieces->tape : m->model->law[m->model->driver[d].law].tape;
}

/* signals that are held numbers, as far as their series is known; others have the values and rates of the model */
static void follow(const bl_mechanism *m, const bl_law *law, double t, const double *u, int known, int order, double *in) {
    for (bl_index i = 0; i < law->ninput; i++, in += order + 1) {
        bl_index held = law->input[i].what == BL_SYM_SIGNAL ? m->signal_held[law->input[i].ref] : -1;
        if (held < 0)
            continue;
        in[0] = bl_loads_held(m, held, t, u);
        for (int k = 1; k <= order; k++)
            in[k] = u && k <= known ? u[(size_t)k * (size_t)m->nheld + (size_t)held] : 0;
    }
}

void bl_driver_inputs(const bl_mechanism *m, bl_index d, double t, const double *piece, const double *u, int known, int order, double *in) {
    const bl_law *law = &m->model->law[m->model->driver[d].law];
    bl_law_read_series(m->model, law, &(bl_instant){.t = t}, order, in);
    follow(m, law, t, u, known, order, in);
    bl_switches_pieces(&m->switches, m->nload + d, piece, order, in);
}

/* ---- at an evaluation point */

typedef struct evaluation {
    const bl_mechanism *m;
    const bl_eval *e;
} evaluation;

static void law_inputs(void *user, bl_index l, double *in) {
    const evaluation *at = user;
    const bl_mechanism *m = at->m;
    bl_index drivers = m->model->ndriver;
    if (l < m->nload)
        bl_loads_inputs(m, &m->load[l], at->e->t, at->e->own, in);
    else if (l >= m->nload + drivers)
        bl_loads_inputs(m, &m->signal[l - m->nload - drivers].load, at->e->t, at->e->own, in);
    else
        bl_law_read(m->model, &m->model->law[m->model->driver[l - m->nload].law],
                    &(bl_instant){.t = at->e->t, .signal = bl_signal_law_values(m, at->e)}, in);
}

void bl_law_pieces_events(const bl_mechanism *m, bl_eval *e) {
    const bl_mech_work *w = e->own;
    if (m->switches.nevent)
        bl_switches_events(&m->switches, law_inputs, &(evaluation){m, e}, bl_law_pieces_selected(m, e->history), e->event + m->model->nstop,
                           w->switching);
}

bl_status bl_law_pieces_hold(const bl_system *sys, bl_eval *e, bl_state *state) {
    const bl_mechanism *m = bl_mech(sys);
    if (m->switches.n == 0)
        return BL_OK;
    if (!e) {
        memset(state_pieces(m, state), 0, (size_t)m->switches.n * sizeof(double));
        return BL_OK;
    }
    const bl_mech_work *w = e->own;
    BL_TRY(bl_system_eval(sys, e, BL_EVENTS)); /* makes room for it where a study has not asked for events before */
    bl_switches_hold(&m->switches, law_inputs, &(evaluation){m, e}, *state->t, state_pieces(m, state), w->switching);
    return BL_OK;
}

bl_status bl_law_pieces_next_time(const bl_system *sys, const bl_state *state, double *t) {
    const bl_mechanism *m = bl_mech(sys);
    *t = bl_switches_next_time(&m->switches, bl_law_pieces_selected(m, state->history));
    return BL_OK;
}

/* value and rate of a driver on both sides of a switch: an error if one of them jumps */
static bl_status check_driver(const bl_mechanism *m, bl_index d, double t, const double before[2], const double after[2]) {
    const bl_driver *driver = &m->model->driver[d];
    const bl_law *law = &m->model->law[driver->law];
    const char *name = m->model->variable[driver->variable].name;
    for (int k = 0; k < 2; k++) {
        double size = fmax(fabs(before[k]), fabs(after[k])), jump = after[k] - before[k];
        if (!(fabs(jump) > coords_driver_jump * (size + m->length)))
            continue;
        bl_fail(m->ctx, BL_E_MODEL, &law->place, "the driver of %s jumps at t = %.9g: its %s changes from %.9g to %.9g", name, t,
                k == 0 ? "value" : "rate", before[k], after[k]);
        bl_advise(m->ctx, k == 0 ? "no mass can follow a jump: let it rise over a short time, for instance with smoothstep"
                                 : "the velocity would jump: round off the corner, for instance with smoothstep or a smooth table");
        bl_blame(m->ctx, name, "driver", t);
        return BL_E_MODEL;
    }
    return BL_OK;
}

static void drive(const bl_mechanism *m, bl_index d, double t, const double *piece, const bl_eval *e, double out[2]) {
    const bl_mech_work *w = e->own;
    bl_driver_inputs(m, d, t, piece, e->u, e->u_order, 1, w->tape_in);
    bl_tape_series(bl_driver_tape(m, d), 1, w->tape_in, out, w->tape_work);
}

bl_status bl_law_pieces_jump(const bl_system *sys, bl_eval *e, bl_state *state, bl_index event) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_work *w = e->own;
    const bl_switches *s = &m->switches;
    double *pieces = state_pieces(m, state);
    if (s->n == 0)
        return BL_AGAIN;
    BL_TRY(bl_system_eval(sys, e, BL_EVENTS));
    for (bl_index d = 0; d < m->model->ndriver; d++)
        drive(m, d, *state->t, pieces, e, w->driven + 2 * d);
    if (!bl_switches_jump(s, law_inputs, &(evaluation){m, e}, *state->t, pieces, event < 0 ? -1 : event - m->model->nstop, w->switching))
        return BL_AGAIN;
    for (bl_index d = 0; d < m->model->ndriver; d++) {
        double after[2];
        drive(m, d, *state->t, pieces, e, after);
        BL_TRY(check_driver(m, d, *state->t, w->driven + 2 * d, after));
    }
    return BL_OK;
}

bool bl_law_pieces_blend(const bl_system *sys, bl_state *state, bl_index event, double share) {
    const bl_mechanism *m = bl_mech(sys);
    return bl_switches_blend(&m->switches, state_pieces(m, state), event - m->model->nstop, share);
}

void bl_law_pieces_name(const bl_system *sys, bl_index event, char *name, size_t nname) {
    const bl_mechanism *m = bl_mech(sys);
    bl_index l = event < m->model->nstop ? -1 : m->event[event].owner;
    if (l >= 0 && l < m->nload) {
        const bl_force_def *def = m->load[l].record.def;
        snprintf(name, nname, "%s '%s'", def->kind->kind.name, def->name ? def->name : "");
    } else if (l >= m->nload + m->model->ndriver) {
        snprintf(name, nname, "the rate of state '%s'", m->signal[l - m->nload - m->model->ndriver].def.name);
    } else if (l >= m->nload) {
        snprintf(name, nname, "driver of %s", m->model->variable[m->model->driver[l - m->nload].variable].name);
    } else {
        snprintf(name, nname, "a stop expression");
    }
}
