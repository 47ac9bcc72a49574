/* *AMPLITUDE, and the variation of loads within a step: ramped, applied at once, or by an amplitude. As laws of the model. */
#include "model/deck_reader.h"

#include <math.h>
#include <string.h>

/* ---- amplitudes */

static bl_status add_point(bl_deck_reader *d, bl_deck_amplitude *a, const bl_place *place, double t, double value) {
    if (a->n && !(t > a->t[a->n - 1]))
        return bl_fail(d->ctx, BL_E_MODEL, place, "*AMPLITUDE: times must increase, found %g after %g", t, a->t[a->n - 1]);
    bl_index room = a->room;
    BL_TRY(BL_RESERVE(d->ctx, a->t, room, a->n + 1));
    BL_TRY(BL_RESERVE(d->ctx, a->value, a->room, a->n + 1));
    a->t[a->n] = t;
    a->value[a->n++] = value;
    return BL_OK;
}

static bl_status read_amplitude(bl_deck_reader *d, const bl_card *card) {
    static const char *const words[] = {"STEPTIME", "TOTALTIME"};
    const char *name;
    int which = 0;
    bool more;
    bl_deck_line line;
    BL_TRY(bl_card_need(d, card, "NAME", &name));
    BL_TRY(bl_card_choice(d, card, "TIME", words, 2, &which));
    for (bl_index k = 0; k < d->namplitude; k++)
        if (bl_deck_same(d->amplitude[k].name, name))
            return bl_fail(d->ctx, BL_E_MODEL, &card->place, "the amplitude %.80s is defined twice", name);
    BL_TRY(BL_RESERVE(d->ctx, d->amplitude, d->amplitude_room, d->namplitude + 1));
    bl_deck_amplitude *a = &d->amplitude[d->namplitude++];
    *a = (bl_deck_amplitude){.place = card->place, .total_time = which == 1, .name = bl_arena_text(d->keep, name, strlen(name))};
    if (!a->name)
        return BL_E_MEMORY;
    bl_line_begin(&line, d, card);
    BL_TRY(bl_line_need(&line, "times and factors"));
    for (more = true; more;) {
        for (int k = 0; k < line.n; k += 2) {
            double t, value;
            BL_TRY(bl_line_number(&line, k, "a time", &t));
            BL_TRY(bl_line_number(&line, k + 1, "a factor", &value));
            BL_TRY(add_point(d, a, &line.place, t, value));
        }
        BL_TRY(bl_line_next(&line, &more));
    }
    return BL_OK;
}

bl_status bl_deck_read_amplitudes(bl_deck_reader *d) {
    for (bl_index k = 0; k < d->ncard; k++)
        if (d->card[k].word->key == BL_KEY_AMPLITUDE)
            BL_TRY(read_amplitude(d, &d->card[k]));
    return BL_OK;
}

bl_status bl_deck_when_of(const bl_deck_reader *d, const bl_card *card, const char *amplitude, const char *delay, bl_deck_when *when) {
    const char *name = bl_card_value(card, amplitude), *later = bl_card_value(card, delay);
    *when = (bl_deck_when){.amplitude = -1};
    if (later && !name)
        return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*%s: TIME DELAY can only be used together with AMPLITUDE", card->name);
    if (later && !bl_deck_number(later, &when->delay))
        return bl_fail(d->ctx, BL_E_MODEL, &card->place, "*%s: TIME DELAY must be a number, found '%.40s'", card->name, later);
    if (!name)
        return BL_OK;
    for (bl_index k = 0; k < d->namplitude; k++)
        if (bl_deck_same(d->amplitude[k].name, name))
            when->amplitude = k;
    if (when->amplitude < 0)
        return bl_fail(d->ctx, BL_E_MODEL, &card->place, "there is no amplitude %.80s", name);
    return BL_OK;
}

/* offset between the time of the step and the time of the amplitude's table */
static double shift_of(const bl_deck_reader *d, const bl_deck_when *when, const bl_deck_step *step) {
    return (d->amplitude[when->amplitude].total_time ? step->begins : 0) - when->delay;
}

double bl_deck_factor(const bl_deck_reader *d, const bl_deck_when *when, const bl_deck_step *step, double t) {
    if (when->amplitude < 0)
        return 1;
    const bl_deck_amplitude *a = &d->amplitude[when->amplitude];
    double at = t + shift_of(d, when, step);
    bl_index k = 0;
    while (k < a->n && a->t[k] < at)
        k++;
    if (k == 0 || k == a->n)
        return a->value[k == 0 ? 0 : a->n - 1];
    double share = (at - a->t[k - 1]) / (a->t[k] - a->t[k - 1]);
    return a->value[k - 1] + share * (a->value[k] - a->value[k - 1]);
}

/* ---- laws */

/* inputs of a law: coordinates first, if any, then time */
static bl_index ramp_node(bl_tape *tape, bl_index t, const bl_deck_step *step) {
    return bl_tape_op2(tape, BL_TAPE_MUL, t, bl_tape_const(tape, 1 / step->time));
}

static bl_index amplitude_node(const bl_deck_reader *d, bl_tape *tape, bl_index t, const bl_deck_when *when, const bl_deck_step *step) {
    const bl_deck_amplitude *a = &d->amplitude[when->amplitude];
    bl_index at = bl_tape_op2(tape, BL_TAPE_ADD, t, bl_tape_const(tape, shift_of(d, when, step)));
    if (a->n == 1)
        return bl_tape_const(tape, a->value[0]);
    return bl_tape_table(tape, at, BL_TABLE_LINEAR, a->n, a->t, a->value);
}

/* afterwards the tape is destroyed or owned by the model */
static bl_status keep(bl_deck_reader *d, bl_tape *tape, bl_index node, int ninput, const bl_symbol *input, const char *text,
                      const bl_place *place, bl_number_law *law) {
    bl_status status = bl_tape_status(tape);
    *law = (bl_number_law){-1, NAN};
    if (status != BL_OK || bl_tape_known(tape, node, &law->number)) {
        bl_tape_destroy(tape);
        return status;
    }
    status = bl_tape_output(tape, node);
    if (status == BL_OK)
        status = bl_tape_finish(tape);
    if (status == BL_OK)
        status = bl_laws_keep(d->r, ninput, input, text, place, tape, &law->law);
    if (status != BL_OK)
        bl_tape_destroy(tape);
    return status;
}

static const bl_symbol time_only = {BL_SYM_TIME, 0, 0};

bl_status bl_deck_ramp(bl_deck_reader *d, const bl_deck_step *step, bl_number_law *law) {
    bl_tape *tape;
    if (d->ramp.law < 0) {
        BL_TRY(bl_tape_create(d->ctx, &tape));
        bl_index node = ramp_node(tape, bl_tape_input(tape, 0), step);
        BL_TRY(keep(d, tape, node, 1, &time_only, "t / duration of the step", &step->place, &d->ramp));
    }
    *law = d->ramp;
    return BL_OK;
}

bl_status bl_deck_amplitude_law(bl_deck_reader *d, const bl_deck_when *when, const bl_deck_step *step, bl_number_law *law) {
    const bl_deck_amplitude *a = &d->amplitude[when->amplitude];
    bl_tape *tape;
    char text[128];
    snprintf(text, sizeof text, "amplitude %.80s", a->name);
    BL_TRY(bl_tape_create(d->ctx, &tape));
    bl_index node = amplitude_node(d, tape, bl_tape_input(tape, 0), when, step);
    return keep(d, tape, node, 1, &time_only, text, &a->place, law);
}

bl_status bl_deck_position_law(bl_deck_reader *d, const bl_deck_when *when, const bl_deck_step *step, bool ramps, double from, double to,
                               double offset, const double slope[3], const bl_place *place, bl_number_law *law) {
    bl_symbol input[4];
    bl_tape *tape;
    BL_TRY(bl_tape_create(d->ctx, &tape));
    bl_index sum = bl_tape_const(tape, offset), factor = bl_tape_const(tape, to);
    int n = 0;
    for (; n < d->dim; n++) {
        bl_index x = bl_tape_input(tape, n);
        input[n] = (bl_symbol){BL_SYM_POSITION, 0, n};
        sum = bl_tape_op2(tape, BL_TAPE_ADD, sum, bl_tape_op2(tape, BL_TAPE_MUL, bl_tape_const(tape, slope[n]), x));
    }
    bool in_time = when->amplitude >= 0 || (ramps && from != to);
    if (in_time) {
        bl_index t = bl_tape_input(tape, n);
        input[n++] = time_only;
        if (when->amplitude >= 0)
            factor = bl_tape_op2(tape, BL_TAPE_MUL, factor, amplitude_node(d, tape, t, when, step));
        else
            factor = bl_tape_op2(tape, BL_TAPE_ADD, bl_tape_const(tape, from),
                                 bl_tape_op2(tape, BL_TAPE_MUL, bl_tape_const(tape, to - from), ramp_node(tape, t, step)));
    }
    return keep(d, tape, bl_tape_op2(tape, BL_TAPE_MUL, factor, sum), n, input, "load proportional to a distance", place, law);
}
