/* A run in memory (biela/samples.h): a sink that appends every sample to one array per quantity, and plays the run again to other sinks. */
#include "base/sized.h"
#include "output/samples_info.h"

#include <math.h>
#include <string.h>

enum { LEAST_ROOM = 16, EXPECTED_ROOM = 4096 }; /* samples for which there is room at first; at most, if their number is known */

/* A quantity: where bl_sample has its number or its pointer, and how many elements a sample has. */
typedef struct column {
    size_t from;  /* in bl_sample */
    size_t to;    /* in bl_sample_arrays */
    size_t count; /* in bl_run_info: a bl_index; 0: one number in the sample itself */
    size_t bytes; /* of an element */
    uint32_t want;
} column;

#define ONE(name, type, wanted) \
    { offsetof(bl_sample, name), offsetof(bl_sample_arrays, name), 0, sizeof(type), wanted }
#define MANY(name, number, type, wanted) \
    { offsetof(bl_sample, name), offsetof(bl_sample_arrays, name), offsetof(bl_run_info, number), sizeof(type), wanted }

static const column columns[] = {
    ONE(t, double, BL_WANT_TIME),
    ONE(side, int, BL_WANT_TIME),
    ONE(kinetic, double, BL_WANT_ENERGIES),
    ONE(potential, double, BL_WANT_ENERGIES),
    ONE(work, double, BL_WANT_ENERGIES),
    ONE(dissipated, double, BL_WANT_ENERGIES),
    ONE(energy_error, double, BL_WANT_ENERGIES),
    ONE(drift, double, BL_WANT_DRIFT),
    ONE(velocity_drift, double, BL_WANT_DRIFT),
    MANY(body, nbody, bl_pose, BL_WANT_BODIES),
    MANY(acceleration, nbody, bl_acceleration, BL_WANT_BODIES),
    MANY(variable, nvariable, double, BL_WANT_VARIABLES),
    MANY(variable_rate, nvariable, double, BL_WANT_VARIABLES),
    MANY(variable_acceleration, nvariable, double, BL_WANT_VARIABLES),
    MANY(probe, nprobe, double[3], BL_WANT_PROBES),
    MANY(probe_rate, nprobe, double[3], BL_WANT_PROBES),
    MANY(probe_acceleration, nprobe, double[3], BL_WANT_PROBES),
    MANY(reaction, njoint, bl_wrench, BL_WANT_REACTIONS),
    MANY(driver_force, ndriver, double, BL_WANT_REACTIONS),
    MANY(relation_force, njoint, double, BL_WANT_REACTIONS),
    MANY(relation_first, njoint, double, BL_WANT_REACTIONS),
    MANY(push, npush, bl_push, BL_WANT_FORCES),
    MANY(spring_length, nspring, double, BL_WANT_FORCES),
    MANY(spring_tension, nspring, double, BL_WANT_FORCES),
    MANY(actuator_force, nactuator, double, BL_WANT_REACTIONS),
    MANY(actuator_power, nactuator, double, BL_WANT_REACTIONS),
    MANY(actuator_energy, nactuator, double, BL_WANT_REACTIONS),
    MANY(signal, nsignal, double, BL_WANT_SIGNALS),
    MANY(contact, ncontact, bl_contact_sample, BL_WANT_CONTACTS),
    MANY(section, nsection, bl_section_sample, BL_WANT_SECTIONS),
};
enum { NCOLUMN = sizeof columns / sizeof *columns };

/* what tables and files read without asking whether it is there */
#define BL_WANT_PLAYED                                                                                                             \
    (BL_WANT_BODIES | BL_WANT_VARIABLES | BL_WANT_PROBES | BL_WANT_REACTIONS | BL_WANT_ENERGIES | BL_WANT_DRIFT | BL_WANT_FORCES | \
     BL_WANT_SIGNALS | BL_WANT_CONTACTS | BL_WANT_SECTIONS)

typedef struct kept_event {
    bl_event_mark mark;
    long samples, steps; /* before it */
} kept_event;

struct bl_samples {
    bl_context *ctx;
    uint32_t want;
    bl_run_info info;
    bl_run_summary summary;
    bl_equilibrium_summary equilibrium; /* of the summary */
    bl_inverse_summary inverse;
    bl_arena arena; /* names, texts */
    bl_sample_arrays arrays;
    size_t row[NCOLUMN]; /* bytes of a sample; 0: not kept */
    void *block[NCOLUMN];
    double **field;              /* [nfield], NULL: none are kept */
    size_t *field_row;           /* [nfield] numbers */
    bl_equilibrium_point *point; /* NULL: none */
    bool points;
    size_t room;
    /* steps and events */
    double *step_t, *step_size, *step_error;
    int *step_order;
    long *step_samples; /* before the step */
    size_t step_room;
    kept_event *event;
    size_t event_room;
};

static const void *pointer_at(const void *object, size_t offset) {
    const void *pointer;
    memcpy(&pointer, (const char *)object + offset, sizeof pointer);
    return pointer;
}

static void set_pointer(void *object, size_t offset, const void *pointer) { memcpy((char *)object + offset, &pointer, sizeof pointer); }

/* the elements of a column in a sample; NULL: the sample has none */
static const void *elements(const column *c, const bl_sample *sample) {
    return c->count ? pointer_at(sample, c->from) : (const char *)sample + c->from;
}

static bl_status resize(bl_context *ctx, void *address, size_t count, size_t size) {
    void *block;
    memcpy(&block, address, sizeof block);
    block = bl_resize(ctx, block, count ? count : 1, size);
    if (!block)
        return BL_E_MEMORY;
    memcpy(address, &block, sizeof block);
    return BL_OK;
}

/* ---- samples */

/* The first sample decides which quantities there are. */
static bl_status first_sample(bl_samples *s, const bl_sample *sample) {
    for (int k = 0; k < NCOLUMN; k++) {
        const column *c = &columns[k];
        bl_index count = 1;
        if (c->count)
            memcpy(&count, (const char *)&s->info + c->count, sizeof count);
        bool known = s->info.reactions || !(c->want & (BL_WANT_REACTIONS | BL_WANT_ENERGIES));
        bool kept = known && (s->want & c->want) && count > 0 && elements(c, sample);
        s->row[k] = kept ? (size_t)count * c->bytes : 0;
    }
    s->points = sample->equilibrium;
    if (!sample->field || s->info.nfield == 0 || !(s->want & BL_WANT_FIELDS))
        return BL_OK;
    BL_TRY(BL_ARENA_ARRAYS(&s->arena, BL_ARRAY(s->field, s->info.nfield), BL_ARRAY(s->field_row, s->info.nfield)));
    for (bl_index i = 0; i < s->info.nfield; i++)
        s->field_row[i] = (size_t)s->info.field[i].items * (size_t)s->info.field[i].components;
    return BL_OK;
}

static bl_status make_room(bl_samples *s, size_t room) {
    for (int k = 0; k < NCOLUMN; k++)
        if (s->row[k]) {
            BL_TRY(resize(s->ctx, &s->block[k], room, s->row[k]));
            set_pointer(&s->arrays, columns[k].to, s->block[k]);
        }
    for (bl_index i = 0; s->field && i < s->info.nfield; i++)
        BL_TRY(resize(s->ctx, &s->field[i], room, s->field_row[i] * sizeof(double)));
    if (s->points)
        BL_TRY(resize(s->ctx, &s->point, room, sizeof *s->point));
    s->arrays.field = (const double *const *)s->field;
    s->room = room;
    return BL_OK;
}

static size_t first_room(const bl_run_info *info) {
    return info->samples > EXPECTED_ROOM ? EXPECTED_ROOM : info->samples > LEAST_ROOM ? (size_t)info->samples : LEAST_ROOM;
}

static void fill_nan(double *to, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = NAN;
}

static bl_status take_sample(void *user, const bl_sample *sample) {
    bl_samples *s = user;
    size_t n = (size_t)s->arrays.samples;
    if (n == 0)
        BL_TRY(first_sample(s, sample));
    if (n == s->room)
        BL_TRY(make_room(s, n ? 2 * n : first_room(&s->info)));
    for (int k = 0; k < NCOLUMN; k++) {
        if (!s->row[k])
            continue;
        char *to = (char *)s->block[k] + n * s->row[k];
        const void *from = elements(&columns[k], sample);
        if (from)
            memcpy(to, from, s->row[k]);
        else
            fill_nan((double *)(void *)to, s->row[k] / sizeof(double));
    }
    for (bl_index i = 0; s->field && i < s->info.nfield; i++) {
        double *to = s->field[i] + n * s->field_row[i];
        if (sample->field && sample->field[i])
            memcpy(to, sample->field[i], s->field_row[i] * sizeof *to);
        else
            fill_nan(to, s->field_row[i]);
    }
    if (s->points)
        s->point[n] = sample->equilibrium ? *sample->equilibrium : (bl_equilibrium_point){.load = sample->t, .unstable = -1};
    s->arrays.samples++;
    return BL_OK;
}

/* ---- steps and events */

static bl_status take_step(void *user, const bl_step *step) {
    bl_samples *s = user;
    bl_sample_arrays *a = &s->arrays;
    size_t n = (size_t)a->steps;
    if (n == s->step_room) {
        size_t room = n ? 2 * n : LEAST_ROOM;
        BL_TRY(resize(s->ctx, &s->step_t, room, sizeof *s->step_t));
        BL_TRY(resize(s->ctx, &s->step_size, room, sizeof *s->step_size));
        BL_TRY(resize(s->ctx, &s->step_error, room, sizeof *s->step_error));
        BL_TRY(resize(s->ctx, &s->step_order, room, sizeof *s->step_order));
        BL_TRY(resize(s->ctx, &s->step_samples, room, sizeof *s->step_samples));
        s->step_room = room;
        a->step_t = s->step_t;
        a->step_size = s->step_size;
        a->step_error = s->step_error;
        a->step_order = s->step_order;
    }
    s->step_t[n] = step->t;
    s->step_size[n] = step->size;
    s->step_error[n] = step->error;
    s->step_order[n] = step->order;
    s->step_samples[n] = a->samples;
    a->steps++;
    return BL_OK;
}

static bl_status take_event(void *user, const bl_event_mark *mark) {
    bl_samples *s = user;
    size_t n = (size_t)s->arrays.events;
    if (n == s->event_room) {
        BL_TRY(resize(s->ctx, &s->event, n ? 2 * n : LEAST_ROOM, sizeof *s->event));
        s->event_room = n ? 2 * n : LEAST_ROOM;
    }
    kept_event *e = &s->event[n];
    *e = (kept_event){.mark = *mark, .samples = s->arrays.samples, .steps = s->arrays.steps};
    BL_TRY(bl_keep_text(&s->arena, &e->mark.text));
    BL_TRY(bl_keep_text(&s->arena, &e->mark.part));
    if (mark->strike) {
        bl_strike *strike;
        BL_TRY(BL_ARENA_NEW(&s->arena, strike, 1));
        *strike = *mark->strike;
        e->mark.strike = strike;
    }
    if (mark->nimpulse > 0) {
        bl_wrench *impulse;
        BL_TRY(BL_ARENA_NEW(&s->arena, impulse, mark->nimpulse));
        memcpy(impulse, mark->impulse, (size_t)mark->nimpulse * sizeof *impulse);
        e->mark.impulse = impulse;
    }
    s->arrays.events++;
    return BL_OK;
}

/* ---- begin and end */

static void discard(bl_samples *s) {
    bl_context *ctx = s->ctx;
    for (int k = 0; k < NCOLUMN; k++)
        bl_free(ctx, s->block[k]);
    for (bl_index i = 0; s->field && i < s->info.nfield; i++)
        bl_free(ctx, s->field[i]);
    bl_free(ctx, s->point);
    bl_free(ctx, s->step_t);
    bl_free(ctx, s->step_size);
    bl_free(ctx, s->step_error);
    bl_free(ctx, s->step_order);
    bl_free(ctx, s->step_samples);
    bl_free(ctx, s->event);
    bl_arena_destroy(&s->arena);
    *s = (bl_samples){.ctx = ctx, .want = s->want, .arena.ctx = ctx};
}

static bl_status begin(void *user, const bl_run_info *info) {
    bl_samples *s = user;
    discard(s);
    BL_TRY(bl_run_info_copy(&s->arena, info, &s->info));
    s->arrays.info = &s->info;
    return BL_OK;
}

static bl_status end(void *user, const bl_run_summary *summary) {
    bl_samples *s = user;
    s->summary = *summary;
    BL_TRY(bl_keep_text(&s->arena, &s->summary.stopped_by));
    if (summary->equilibrium) {
        s->equilibrium = *summary->equilibrium;
        s->summary.equilibrium = &s->equilibrium;
    }
    if (summary->inverse) {
        const bl_inverse_summary *given = summary->inverse;
        s->inverse = *given;
        BL_TRY(BL_ARENA_NEW(&s->arena, s->inverse.actuator, given->nactuator));
        if (given->nactuator > 0)
            memcpy(s->inverse.actuator, given->actuator, (size_t)given->nactuator * sizeof *given->actuator);
        s->summary.inverse = &s->inverse;
    }
    s->arrays.summary = &s->summary;
    return BL_OK;
}

bl_status bl_samples_create(bl_context *ctx, uint32_t want, bl_samples **out, bl_sink *sink) {
    bl_samples *s;
    if (!out || !sink)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_samples_create needs pointers that receive the samples and their sink");
    *out = NULL;
    BL_TRY(BL_FITS(ctx, bl_sink, sink));
    BL_CLEAR(bl_sink, sink);
    BL_TRY(BL_NEW(ctx, s, 1));
    s->ctx = s->arena.ctx = ctx;
    s->want = want ? want | BL_WANT_TIME : BL_WANT_ALL & ~(uint32_t)BL_WANT_FIELDS;
    bl_sink made = {.size = sizeof made,
                    .user = s,
                    .begin = begin,
                    .sample = take_sample,
                    .end = end,
                    .step = take_step,
                    .event = take_event,
                    .want = s->want};
    BL_GIVE(bl_sink, sink, &made);
    *out = s;
    return BL_OK;
}

void bl_samples_destroy(bl_samples *s) {
    if (!s)
        return;
    bl_context *ctx = s->ctx;
    discard(s);
    bl_free(ctx, s);
}

/* ---- read */

const bl_sample_arrays *bl_samples_arrays(const bl_samples *s) { return &s->arrays; }

const bl_event_mark *bl_samples_event(const bl_samples *s, long k) { return k >= 0 && k < s->arrays.events ? &s->event[k].mark : NULL; }

const bl_equilibrium_point *bl_samples_equilibrium(const bl_samples *s, long k) {
    return s->points && k >= 0 && k < s->arrays.samples ? &s->point[k] : NULL;
}

/* ---- play */

/* Sample n; field[nfield] is filled. Numbers that were not kept are NaN. */
static bl_sample sample_of(const bl_samples *s, long n, const double **field) {
    bl_sample sample = {.kinetic = NAN,
                        .potential = NAN,
                        .work = NAN,
                        .dissipated = NAN,
                        .energy_error = NAN,
                        .drift = NAN,
                        .velocity_drift = NAN,
                        .equilibrium = bl_samples_equilibrium(s, n)};
    for (int k = 0; k < NCOLUMN; k++) {
        const char *at = (const char *)s->block[k] + (size_t)n * s->row[k];
        if (s->row[k] && columns[k].count)
            set_pointer(&sample, columns[k].from, at);
        else if (s->row[k])
            memcpy((char *)&sample + columns[k].from, at, columns[k].bytes);
    }
    for (bl_index i = 0; s->field && i < s->info.nfield; i++)
        field[i] = s->field[i] + (size_t)n * s->field_row[i];
    sample.field = s->field ? field : NULL;
    return sample;
}

static bl_status play_sample(const bl_samples *s, long n, const double **field, bl_sink *sinks, bl_index nsink) {
    bl_sample sample = sample_of(s, n, field);
    for (bl_index i = 0; i < nsink; i++)
        if (sinks[i].sample)
            BL_TRY(sinks[i].sample(sinks[i].user, &sample));
    return BL_OK;
}

static bl_status play_step(const bl_samples *s, long n, bl_sink *sinks, bl_index nsink) {
    bl_step step = {.t = s->step_t[n], .size = s->step_size[n], .order = s->step_order[n], .error = s->step_error[n]};
    for (bl_index i = 0; i < nsink; i++)
        if (sinks[i].step)
            BL_TRY(sinks[i].step(sinks[i].user, &step));
    return BL_OK;
}

static bl_status play_event(const bl_samples *s, long n, bl_sink *sinks, bl_index nsink) {
    for (bl_index i = 0; i < nsink; i++)
        if (sinks[i].event)
            BL_TRY(sinks[i].event(sinks[i].user, &s->event[n].mark));
    return BL_OK;
}

/* everything between begin and end, in the order in which it came */
static bl_status play_rows(const bl_samples *s, const double **field, bl_sink *sinks, bl_index nsink) {
    const bl_sample_arrays *a = &s->arrays;
    long sample = 0, step = 0, event = 0;
    for (;;) {
        if (event < a->events && s->event[event].samples <= sample && s->event[event].steps <= step)
            BL_TRY(play_event(s, event++, sinks, nsink));
        else if (step < a->steps && s->step_samples[step] <= sample)
            BL_TRY(play_step(s, step++, sinks, nsink));
        else if (sample < a->samples)
            BL_TRY(play_sample(s, sample++, field, sinks, nsink));
        else
            return BL_OK;
    }
}

static bl_status check_sinks(const bl_samples *s, const bl_sink *sinks, bl_index nsink) {
    for (bl_index i = 0; i < nsink; i++) {
        uint32_t want = (sinks[i].want ? sinks[i].want : BL_WANT_ALL) & BL_WANT_PLAYED;
        if (sinks[i].sample && (want & ~s->want))
            return bl_fail(s->ctx, BL_E_ARG, NULL, "bl_samples_play: the sink needs numbers that were not kept (%#x of bl_sink.want)",
                           (unsigned)(want & ~s->want));
    }
    return BL_OK;
}

/* to complete sinks */
static bl_status play(const bl_samples *s, const double **field, bl_sink *sinks, bl_index nsink) {
    bl_status status = BL_OK;
    bl_index begun = 0;
    for (; begun < nsink; begun++) {
        if (sinks[begun].begin)
            status = sinks[begun].begin(sinks[begun].user, &s->info);
        if (status != BL_OK)
            break;
    }
    if (status == BL_OK)
        status = play_rows(s, field, sinks, nsink);
    bl_run_summary summary = s->summary;
    if (status != BL_OK)
        summary.status = status;
    for (bl_index i = 0; i < begun; i++)
        if (sinks[i].end) {
            bl_status ended = sinks[i].end(sinks[i].user, &summary);
            if (status == BL_OK && ended != BL_OK)
                status = ended;
        }
    return status;
}

bl_status bl_samples_play(const bl_samples *s, bl_sink *sinks, bl_index nsink) {
    if (nsink < 0 || (nsink > 0 && !sinks))
        return bl_fail(s->ctx, BL_E_ARG, NULL, "bl_samples_play needs sinks");
    if (!s->arrays.summary)
        return bl_fail(s->ctx, BL_E_ARG, NULL, "bl_samples_play: no run has ended");
    bl_arena arena = {.ctx = s->ctx};
    bl_sink *complete;
    const double **field;
    bl_status status = bl_sized_sinks(&arena, sinks, nsink, &complete);
    if (status == BL_OK)
        status = check_sinks(s, complete, nsink);
    if (status == BL_OK)
        status = BL_ARENA_NEW(&arena, field, s->info.nfield);
    if (status == BL_OK)
        status = play(s, field, complete, nsink);
    bl_arena_destroy(&arena);
    return status;
}
