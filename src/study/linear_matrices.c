/* A, B, C, D of a linearized mechanism. States: coordinates, drivers that are inputs, then speeds (rates of coordinates, fewer where rows
 * restrict velocities alone) and rates of drivers, then the states of the model; the input of a driver is its acceleration. Outputs are
 * differentiated along the direction of every state and input; positions, signals and, at rest, velocities exactly. */
#include "study/linear_io.h"

#include "model/law_inputs.h"
#include "signal/signal.h"
#include "study/linear_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct matrices {
    bl_linearize *l;
    const bl_linear_io *io;
    bl_arena *arena;
    bl_index f, fp, nd;        /* speeds, coordinates; drivers */
    bl_index np, nv;           /* states that are positions; velocities */
    bl_index *driver, *row;    /* [nd] and their rows */
    bl_direction driven, unit; /* room */
    double *p;                 /* [np] */
    double *A, *B, *C, *D, *y; /* y[2 noutput] */
    double *law;               /* workspace of laws: inputs, their derivatives along a direction, derivatives of the law, the tape's */
    double *signal;            /* [nsignal] of the model */
    bl_index n, nlaw;
} matrices;

/* ---- outputs */

static uint32_t quantity(bl_output_what what) {
    switch (what) {
    case BL_OUTPUT_VARIABLE:
    case BL_OUTPUT_VARIABLE_RATE: return BL_VARIABLES;
    case BL_OUTPUT_PROBE:
    case BL_OUTPUT_PROBE_RATE: return BL_PROBES;
    case BL_OUTPUT_BODY:
    case BL_OUTPUT_BODY_RATE: return BL_POSE;
    default: return BL_WRENCH;
    }
}

static bool is_position(bl_output_what what) { return what == BL_OUTPUT_VARIABLE || what == BL_OUTPUT_PROBE || what == BL_OUTPUT_BODY; }
static bool is_load(bl_output_what what) { return what == BL_OUTPUT_REACTION || what == BL_OUTPUT_DRIVER; }
static bool is_signal(bl_output_what what) { return what == BL_OUTPUT_SIGNAL; }

/* positions by their rates: their derivative along a motion used as v */
static double read_output(const bl_linear_output *o, const bl_eval *e) {
    switch (o->what) {
    case BL_OUTPUT_VARIABLE:
    case BL_OUTPUT_VARIABLE_RATE: return e->variable_rate[o->ref];
    case BL_OUTPUT_PROBE:
    case BL_OUTPUT_PROBE_RATE: return e->probe_rate[3 * o->ref + o->part];
    case BL_OUTPUT_BODY:
    case BL_OUTPUT_BODY_RATE: return e->pose[o->ref].velocity[o->part];
    case BL_OUTPUT_REACTION: return o->part < 3 ? e->wrench[o->ref].force[o->part] : e->wrench[o->ref].moment[o->part - 3];
    default: return e->driver_force[o->ref];
    }
}

typedef struct line {
    matrices *m;
    const bl_direction *d;
} line;

static bl_status outputs_beside(void *user, double s, double *out) {
    const line *k = user;
    matrices *m = k->m;
    uint32_t want = 0;
    for (bl_index i = 0; i < m->io->noutput; i++)
        want |= is_position(m->io->output[i].what) || is_signal(m->io->output[i].what) ? 0 : quantity(m->io->output[i].what);
    BL_TRY(bl_linearize_beside(m->l, k->d, s));
    BL_TRY(bl_system_eval(m->l->sys, &m->l->beside, want));
    for (bl_index i = 0; i < m->io->noutput; i++)
        out[i] = is_position(m->io->output[i].what) || is_signal(m->io->output[i].what) ? 0 : read_output(&m->io->output[i], &m->l->beside);
    return BL_OK;
}

/* exact derivatives of outputs of one kind along a motion x */
static bl_status outputs_exactly(matrices *m, const double *x, bool positions, double *out) {
    bl_linearize *l = m->l;
    uint32_t want = 0;
    for (bl_index i = 0; i < m->io->noutput; i++)
        if (!is_load(m->io->output[i].what) && !is_signal(m->io->output[i].what) && is_position(m->io->output[i].what) == positions)
            want |= quantity(m->io->output[i].what);
    bl_eval_at(&l->beside, &l->state);
    l->beside.v = x;
    BL_TRY(bl_system_eval(l->sys, &l->beside, want));
    for (bl_index i = 0; i < m->io->noutput; i++)
        if (!is_load(m->io->output[i].what) && !is_signal(m->io->output[i].what) && is_position(m->io->output[i].what) == positions)
            out[i] = read_output(&m->io->output[i], &l->beside);
    return BL_OK;
}

/* ---- outputs of controllers: laws of variables, probes and numbers, differentiated exactly; at rest only */

/* values of the model's signals at the state */
static bl_status find_signals(matrices *m) {
    bl_linearize *l = m->l;
    BL_TRY(BL_ARENA_NEW(m->arena, m->signal, l->model ? (size_t)l->model->nsignal + 1 : 1));
    bl_eval_at(&l->beside, &l->state);
    if (!l->outer)
        return bl_signal_values(l->sys, &l->beside, m->signal);
    for (bl_index k = 0; k < l->sys->nu; k++)
        if (l->sys->held[k].what == BL_HELD_SIGNAL)
            m->signal[l->sys->held[k].ref] = l->state.u[k];
    return BL_OK;
}

static double number_along(const matrices *m, bl_index signal, const bl_direction *d) {
    const bl_held *held = m->l->sys->held;
    return d->held >= 0 && held[d->held].what == BL_HELD_SIGNAL && held[d->held].ref == signal;
}

/* values of what a law reads, and their derivatives; e is at the state with v = 0, then v = x, then v = dv */
static bl_status inputs_along(matrices *m, const bl_law *law, const bl_direction *d, double *in, double *along) {
    bl_linearize *l = m->l;
    bl_eval *e = &l->beside;
    const double *v[3] = {l->state.v, d->x, d->dv};
    for (int pass = 0; pass < 3; pass++) {
        bl_eval_at(e, &l->state);
        e->v = v[pass];
        BL_TRY(bl_system_eval(l->sys, e, BL_VARIABLES | BL_PROBES));
        for (bl_index k = 0; k < law->ninput; k++) {
            const bl_symbol *s = &law->input[k];
            bool rate = s->what == BL_SYM_RATE || s->what == BL_SYM_PROBE_RATE,
                 probe = s->what == BL_SYM_PROBE || s->what == BL_SYM_PROBE_RATE;
            bool moves = rate || probe || s->what == BL_SYM_VARIABLE;
            const double *value = probe ? (rate || pass ? e->probe_rate : e->probe) + 3 * s->ref + s->part
                                        : (rate || pass ? e->variable_rate : e->variable) + s->ref;
            if (pass == 0 && s->what == BL_SYM_SIGNAL) {
                in[k] = m->signal[s->ref];
                along[k] = number_along(m, s->ref, d);
            } else if (pass == 0) {
                in[k] = moves ? *value : bl_symbol_value(l->model, s, &(bl_instant){.t = *l->state.t});
                along[k] = 0;
            } else if (moves && rate == (pass == 2)) {
                along[k] = *value;
            }
        }
    }
    return BL_OK;
}

static bl_status signals_along(matrices *m, const bl_direction *d, double *column) {
    const bl_model *model = m->l->model;
    for (bl_index i = 0; i < m->io->noutput; i++) {
        const bl_linear_output *o = &m->io->output[i];
        if (!is_signal(o->what))
            continue;
        if (model->signal[o->ref].what == BL_SIGNAL_STATE) {
            column[i] = number_along(m, o->ref, d);
            continue;
        }
        const bl_law *law = &model->law[model->signal[o->ref].law];
        double *in = m->law, *along = in + m->nlaw, *slope = along + m->nlaw, *work = slope + m->nlaw, value;
        BL_TRY(inputs_along(m, law, d, in, along));
        bl_tape_jacobian(law->tape, in, &value, slope, work);
        column[i] = 0;
        for (bl_index k = 0; k < law->ninput && k < bl_tape_inputs(law->tape); k++)
            column[i] += slope[k] * along[k];
    }
    return BL_OK;
}

static bl_status outputs(matrices *m, const bl_direction *d, double *column) {
    bl_index n = m->io->noutput;
    bool differ = false;
    memset(column, 0, (size_t)n * sizeof *column);
    if (n == 0)
        return BL_OK;
    for (bl_index i = 0; i < n; i++)
        differ = differ || is_load(m->io->output[i].what) || (!m->l->rest && !is_position(m->io->output[i].what));
    if (differ)
        BL_TRY(bl_difference(outputs_beside, &(line){m, d}, bl_linearize_step(m->l, d), n, column, m->y));
    BL_TRY(outputs_exactly(m, d->x, true, column));
    if (m->l->rest)
        BL_TRY(outputs_exactly(m, d->dv, false, column));
    return signals_along(m, d, column);
}

/* ---- one state or input */

static bl_status put_state(matrices *m, bl_index column, const bl_direction *d) {
    double *a = m->A + (size_t)column * (size_t)m->n;
    bl_index velocity = column - m->np; /* number among the velocities */
    memcpy(a, d->rate, (size_t)m->fp * sizeof *a);
    for (bl_index i = 0; i < m->fp; i++)
        if (velocity >= 0 && m->l->pair[i] == velocity && velocity < m->f)
            a[i] = 1;
    if (velocity >= m->f && velocity < m->nv)
        a[m->fp + velocity - m->f] = 1;
    memcpy(a + m->np, d->second, (size_t)m->f * sizeof *a);
    memcpy(a + m->np + m->nv, d->state_rate, (size_t)m->l->nz * sizeof *a);
    return outputs(m, d, m->C + (size_t)column * (size_t)m->io->noutput);
}

static bl_status find_row(matrices *m, bl_index k) {
    const bl_system *sys = m->l->sys;
    const bl_driver *driver = &m->l->model->driver[m->driver[k]];
    m->row[k] = -1;
    for (bl_index i = 0; i < sys->np; i++)
        if (sys->row[i].what == BL_ROW_DRIVER && sys->row[i].owner == m->driver[k])
            m->row[k] = i;
    if (m->row[k] >= 0)
        return BL_OK;
    bl_fail(m->l->ctx, BL_E_ABILITY, &driver->place, "driver '%s' is not an equation in these coordinates, so it cannot be an input",
            driver->name);
    bl_advise(m->l->ctx, "choose other coordinates, for example --coordinates natural");
    return BL_E_ABILITY;
}

/* G x = e, with e = 1 in the equation of the driver and 0 in all others; of a position velocity rows do not count */
static bl_status drive(matrices *m, bl_index k, bool velocity, double *x) {
    bl_linearize *l = m->l;
    double off = 0;
    memset(m->p, 0, (size_t)l->np * sizeof *m->p);
    m->p[m->row[k]] = 1;
    BL_TRY(velocity ? bl_linearize_solve_velocity(l, m->p, NULL, x) : bl_linearize_solve_position(l, m->p, NULL, x));
    memset(l->row, 0, (size_t)l->np * sizeof *l->row);
    bl_csc_multiply(&l->sys->pat_G, l->eval.G, x, l->row);
    for (bl_index i = 0; i < l->np; i++)
        if (velocity || l->sys->row[i].level == BL_AT_POSITION)
            off = fmax(off, fabs(l->row[i] - m->p[i]));
    if (off <= study_linear_drives)
        return BL_OK;
    const char *name = l->model->driver[m->driver[k]].name;
    bl_fail(l->ctx, BL_E_NUMERIC, NULL, "driver '%s' cannot move in this configuration: the other constraints fix its variable", name);
    return BL_E_NUMERIC;
}

static bl_status put_driver(matrices *m, bl_index k) {
    bl_direction *d = &m->driven;
    bl_linearize_clear(m->l, d);
    BL_TRY(drive(m, k, false, d->x));
    BL_TRY(bl_linearize_along(m->l, d, NULL));
    BL_TRY(put_state(m, m->fp + k, d));
    bl_linearize_clear(m->l, d);
    BL_TRY(drive(m, k, true, d->dv));
    BL_TRY(bl_linearize_along(m->l, d, NULL));
    return put_state(m, m->np + m->f + k, d);
}

static bl_status put_number(matrices *m, bl_index i) {
    bl_direction *d = &m->unit;
    bl_linearize_clear(m->l, d);
    bl_signal_of_state(m->l->outer, i, &d->held);
    BL_TRY(bl_linearize_along(m->l, d, NULL));
    return put_state(m, m->np + m->nv + i, d);
}

static bl_status put_input(matrices *m, bl_index i) {
    const bl_linear_input *in = &m->io->input[i];
    bl_direction *d = &m->unit;
    double *b = m->B + (size_t)i * (size_t)m->n;
    bl_linearize_clear(m->l, d);
    d->held = in->held;
    if (in->driver >= 0) {
        bl_index k = 0;
        while (m->driver[k] != in->driver)
            k++;
        memset(m->p, 0, (size_t)m->l->np * sizeof *m->p);
        m->p[m->row[k]] = 1;
        b[m->np + m->f + k] = 1;
        BL_TRY(bl_linearize_along(m->l, d, m->p));
    } else {
        BL_TRY(bl_linearize_along(m->l, d, NULL));
    }
    memcpy(b + m->np, d->second, (size_t)m->f * sizeof *b);
    memcpy(b + m->np + m->nv, d->state_rate, (size_t)m->l->nz * sizeof *b);
    return outputs(m, d, m->D + (size_t)i * (size_t)m->io->noutput);
}

/* ---- names and room */

static bl_status name(matrices *m, bl_linear_model *out) {
    const char **state, **input, **output;
    BL_TRY(BL_ARENA_ARRAYS(m->arena, BL_ARRAY(state, m->n + 1), BL_ARRAY(input, m->io->ninput + 1), BL_ARRAY(output, m->io->noutput + 1)));
    for (bl_index k = 0; k < m->n; k++) {
        bool rate = k >= m->np;
        bl_index i = rate ? k - m->np : k, own = rate ? m->f : m->fp, held;
        char text[160];
        if (k >= m->np + m->nv)
            snprintf(text, sizeof text, "%s", m->l->model->signal[bl_signal_of_state(m->l->outer, k - m->np - m->nv, &held)].name);
        else if (i < own && rate)
            bl_linearize_speed_name(m->l, i, text, sizeof text);
        else if (i < own)
            bl_linearize_name(m->l, i, false, text, sizeof text);
        else
            snprintf(text, sizeof text, "%s%s", m->l->model->driver[m->driver[i - own]].name, rate ? "_rate" : "");
        if (!(state[k] = bl_arena_text(m->arena, text, strlen(text))))
            return BL_E_MEMORY;
    }
    for (bl_index i = 0; i < m->io->ninput; i++)
        input[i] = m->io->input[i].name;
    for (bl_index i = 0; i < m->io->noutput; i++)
        output[i] = m->io->output[i].name;
    *out = (bl_linear_model){.size = sizeof *out,
                             .nstate = m->n,
                             .ninput = m->io->ninput,
                             .noutput = m->io->noutput,
                             .state = state,
                             .input = input,
                             .output = output,
                             .A = m->A,
                             .B = m->B,
                             .C = m->C,
                             .D = m->D};
    return BL_OK;
}

static bl_status make(matrices *m) {
    bl_arena *arena = m->arena;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(m->driver, m->io->ninput), BL_ARRAY(m->row, m->io->ninput)));
    for (bl_index i = 0; i < m->io->ninput; i++)
        if (m->io->input[i].driver >= 0) {
            m->driver[m->nd] = m->io->input[i].driver;
            BL_TRY(find_row(m, m->nd++));
        }
    m->f = m->l->f;
    m->fp = m->l->fp;
    m->np = m->fp + m->nd;
    m->nv = m->f + m->nd;
    m->n = m->np + m->nv + m->l->nz;
    size_t work = 0;
    for (bl_index k = 0; m->l->model && k < m->l->model->nlaw; k++) {
        const bl_law *law = &m->l->model->law[k];
        work = bl_tape_work(law->tape) > work ? bl_tape_work(law->tape) : work;
        m->nlaw = law->ninput > m->nlaw ? law->ninput : m->nlaw;
        m->nlaw = bl_tape_inputs(law->tape) > m->nlaw ? bl_tape_inputs(law->tape) : m->nlaw;
    }
    size_t n = (size_t)m->n, ni = (size_t)m->io->ninput, no = (size_t)m->io->noutput;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(m->A, n * n), BL_ARRAY(m->B, n * ni), BL_ARRAY(m->C, no * n), BL_ARRAY(m->D, no * ni),
                           BL_ARRAY(m->y, 2 * no), BL_ARRAY(m->p, m->l->np), BL_ARRAY(m->law, 3 * (size_t)m->nlaw + work)));
    BL_TRY(find_signals(m));
    BL_TRY(bl_linearize_room(m->l, arena, &m->driven));
    return bl_linearize_room(m->l, arena, &m->unit);
}

bl_status bl_linear_matrices(bl_linearize *l, const bl_linear_io *io, bl_arena *arena, bl_linear_model *out) {
    matrices m = {.l = l, .io = io, .arena = arena};
    BL_TRY(make(&m));
    for (bl_index k = 0; k < m.fp; k++)
        BL_TRY(put_state(&m, k, &l->direction[k]));
    for (bl_index k = 0; k < m.f; k++)
        BL_TRY(put_state(&m, m.np + k, &l->direction[m.fp + k]));
    for (bl_index k = 0; k < l->nz; k++)
        BL_TRY(put_number(&m, k));
    for (bl_index k = 0; k < m.nd; k++)
        BL_TRY(put_driver(&m, k));
    for (bl_index i = 0; i < io->ninput; i++)
        BL_TRY(put_input(&m, i));
    return name(&m, out);
}
