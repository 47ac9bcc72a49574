/* The switches of many laws: values, changes, times. */
#include "series/switches.h"

#include <float.h>
#include <math.h>
#include <string.h>

bl_status bl_switches_add(bl_context *ctx, bl_switches *s, const bl_tape *tape, bl_index noutput, bl_index ninput, const uint8_t *role) {
    if (s->nlaw == 0)
        s->analytic = true;
    s->ctx = ctx;
    bl_index room = s->law_room;
    BL_TRY(BL_RESERVE(ctx, s->law, room, s->nlaw + 1));
    BL_TRY(BL_RESERVE(ctx, s->first, s->law_room, s->nlaw + 1));
    bl_pieces *law = &s->law[s->nlaw];
    memset(law, 0, sizeof *law);
    s->first[s->nlaw++] = s->n;
    BL_TRY(bl_pieces_create(ctx, tape, noutput, ninput, role, law));
    s->analytic = s->analytic && law->analytic;
    if (law->count == 0)
        return BL_OK;
    bl_index n = s->n + law->count, more[3] = {s->room, s->room, s->room};
    BL_TRY(BL_RESERVE(ctx, s->of_event, more[0], n));
    BL_TRY(BL_RESERVE(ctx, s->event_of, more[1], n));
    BL_TRY(BL_RESERVE(ctx, s->law_of, more[2], n));
    s->room = more[0];
    for (bl_index k = 0; k < law->count; k++, s->n++) {
        s->law_of[s->n] = s->nlaw - 1;
        s->event_of[s->n] = law->at[k].of_time ? -1 : s->nevent;
        if (!law->at[k].of_time)
            s->of_event[s->nevent++] = s->n;
    }
    size_t nin = (size_t)bl_tape_inputs(law->sense), values = bl_tape_work(law->sense), series = bl_tape_series_work(law->sense, 1);
    size_t work = 3 * nin + 2 * (size_t)law->count + (values > series ? values : series), times = nin + bl_pieces_time_work(law);
    work = work > times ? work : times;
    work += (size_t)law->count + 1;
    s->work = s->work > work ? s->work : work;
    return BL_OK;
}

void bl_switches_destroy(bl_context *ctx, bl_switches *s) {
    for (bl_index l = 0; s->law && l < s->nlaw; l++)
        bl_pieces_destroy(ctx, &s->law[l]);
    bl_free(ctx, s->law);
    bl_free(ctx, s->first);
    bl_free(ctx, s->of_event);
    bl_free(ctx, s->event_of);
    bl_free(ctx, s->law_of);
    memset(s, 0, sizeof *s);
}

/* arguments of a law, [count], or with their time derivatives at constant state, [count][2]; in work */
static const double *arguments(const bl_switches *s, bl_index l, bl_law_inputs inputs, void *user, const double *kept, bool rates,
                               double *work) {
    const bl_pieces *law = &s->law[l];
    size_t nin = (size_t)bl_tape_inputs(law->sense);
    double *in = work, *pair = in + nin, *out = pair + 2 * nin, *rest = out + 2 * law->count;
    memset(in, 0, nin * sizeof *in);
    inputs(user, l, in);
    memcpy(in + law->ninput, kept + s->first[l], (size_t)law->count * sizeof *in);
    if (!rates) {
        bl_tape_eval(law->sense, in, out, rest);
        return out;
    }
    for (size_t i = 0; i < nin; i++) {
        pair[2 * i] = in[i];
        pair[2 * i + 1] = (bl_index)i == law->time;
    }
    bl_tape_series(law->sense, 1, pair, out, rest);
    return out;
}

void bl_switches_events(const bl_switches *s, bl_law_inputs inputs, void *user, const double *kept, double *event, double *work) {
    for (bl_index l = 0; l < s->nlaw; l++) {
        const bl_pieces *law = &s->law[l];
        bool any = false;
        for (bl_index k = 0; k < law->count && !any; k++)
            any = s->event_of[s->first[l] + k] >= 0;
        if (!any)
            continue;
        const double *value = arguments(s, l, inputs, user, kept, false, work);
        for (bl_index k = 0; k < law->count; k++) {
            bl_index i = s->first[l] + k;
            double piece = kept[i] != 0 ? kept[i] : bl_piece_of(&law->at[k], value[k]);
            if (s->event_of[i] >= 0)
                event[s->event_of[i]] = bl_piece_inside(&law->at[k], piece, value[k], NULL);
        }
    }
}

/* times of the next changes of a law */
static void find_next_times(const bl_switches *s, bl_index l, bl_law_inputs inputs, void *user, double t, double *kept, double *work) {
    const bl_pieces *law = &s->law[l];
    bool any = false;
    for (bl_index k = 0; k < law->count && !any; k++)
        any = law->at[k].of_time;
    if (!any)
        return;
    size_t nin = (size_t)bl_tape_inputs(law->sense);
    memset(work, 0, nin * sizeof *work);
    inputs(user, l, work);
    memcpy(work + law->ninput, kept + s->first[l], (size_t)law->count * sizeof *work);
    bl_pieces_next_times(law, work, t, kept + s->n + s->first[l], work + nin);
}

/* Replaces pieces that do not contain their argument; arguments may depend on other pieces, so this is repeated. */
static bool make_consistent(const bl_switches *s, bl_index l, bl_law_inputs inputs, void *user, double *kept, const double *settled,
                            double *work) {
    const bl_pieces *law = &s->law[l];
    bool any = false, changed = true;
    for (bl_index round = 0; changed && round <= law->count; round++) {
        const double *value = arguments(s, l, inputs, user, kept, false, work);
        changed = false;
        for (bl_index k = 0; k < law->count; k++) {
            double *piece = &kept[s->first[l] + k];
            bool wrong = *piece == 0 || (!(settled && settled[k] != 0) && bl_piece_inside(&law->at[k], *piece, value[k], NULL) < 0);
            if (!wrong)
                continue;
            double now = bl_piece_of(&law->at[k], value[k]);
            changed = changed || now != *piece;
            *piece = now;
        }
        any = any || changed;
    }
    return any;
}

/* at a boundary reached in time, take the piece that follows */
static void advance_at_boundary(const bl_switches *s, bl_index l, bl_law_inputs inputs, void *user, double *kept, double *work) {
    const bl_pieces *law = &s->law[l];
    const double *value = arguments(s, l, inputs, user, kept, true, work);
    for (bl_index k = 0; k < law->count; k++) {
        double *piece = &kept[s->first[l] + k], slope;
        if (!law->at[k].of_time || bl_piece_inside(&law->at[k], *piece, value[2 * k], &slope) != 0)
            continue;
        if (slope * value[2 * k + 1] < 0)
            *piece = bl_piece_next(&law->at[k], *piece, value[2 * k]);
    }
}

void bl_switches_hold(const bl_switches *s, bl_law_inputs inputs, void *user, double t, double *kept, double *work) {
    memset(kept, 0, (size_t)s->n * sizeof *kept);
    for (bl_index i = 0; i < s->n; i++)
        kept[s->n + i] = INFINITY;
    for (bl_index l = 0; l < s->nlaw; l++) {
        if (s->law[l].count == 0)
            continue;
        make_consistent(s, l, inputs, user, kept, NULL, work);
        advance_at_boundary(s, l, inputs, user, kept, work);
        make_consistent(s, l, inputs, user, kept, NULL, work);
        find_next_times(s, l, inputs, user, t, kept, work);
    }
}

/* Changes the switches of a law that are due (of an event; -1: by time), then all that are no longer consistent. *reached: a known time of
 * the law was reached. */
static bool change(const bl_switches *s, bl_index l, bl_law_inputs inputs, void *user, double t, double *kept, bl_index event, double *work,
                   bool *reached) {
    const bl_pieces *law = &s->law[l];
    double *settled = work + s->work - law->count; /* after the workspace of the other functions */
    const double *value = arguments(s, l, inputs, user, kept, false, work);
    bool changed = false;
    *reached = false;
    for (bl_index k = 0; k < law->count; k++) {
        bl_index i = s->first[l] + k;
        double next = kept[s->n + i];
        bool time_came = event < 0 && law->at[k].of_time && fabs(next) <= t;
        *reached = *reached || time_came;
        settled[k] = event >= 0 ? s->event_of[i] == event : time_came && next > 0;
        if (settled[k] != 0) {
            kept[i] = bl_piece_next(&law->at[k], kept[i], value[k]);
            changed = true;
        }
    }
    return make_consistent(s, l, inputs, user, kept, settled, work) || changed;
}

bool bl_switches_jump(const bl_switches *s, bl_law_inputs inputs, void *user, double t, double *kept, bl_index event, double *work) {
    bool any = false;
    for (bl_index l = 0; l < s->nlaw; l++) {
        bool reached, changed;
        if (s->law[l].count == 0)
            continue;
        changed = change(s, l, inputs, user, t, kept, event, work, &reached);
        if (changed || reached)
            find_next_times(s, l, inputs, user, t, kept, work);
        any = any || changed;
    }
    return any;
}

void bl_switches_pieces(const bl_switches *s, bl_index law, const double *kept, int order, double *in) {
    const bl_pieces *p = &s->law[law];
    size_t stride = (size_t)order + 1;
    in += (size_t)p->ninput * stride;
    memset(in, 0, (size_t)p->count * stride * sizeof *in);
    for (bl_index k = 0; kept && k < p->count; k++)
        in[(size_t)k * stride] = kept[s->first[law] + k];
}

double bl_switches_next_time(const bl_switches *s, const double *kept) {
    double first = INFINITY;
    for (bl_index i = 0; i < s->n; i++)
        if (s->event_of[i] < 0)
            first = fmin(first, fabs(kept[s->n + i]));
    return first;
}

bool bl_switches_blend(const bl_switches *s, double *kept, bl_index event, double share) {
    bl_index i = s->of_event[event], l = s->law_of[i];
    uint8_t what = s->law[l].at[i - s->first[l]].what;
    if (what == BL_PIECE_FLOOR || what == BL_PIECE_TABLE)
        return false;
    kept[i] = share == 0 ? DBL_MIN : share; /* 0 means not held */
    return true;
}
