/* Steps, events and impacts of the result file. */
#include "output/hdf5_journal.h"
#include "output/hdf5_layout.h"

#include <math.h>
#include <string.h>

enum { STEP_ROWS = 256 }; /* rows of a block if the number of steps is unknown: 8 kB in total, enough for short runs */

bl_status bl_h5_journal_begin(bl_h5_journal *j, long count) {
    bl_h5_recorder *r = &j->recorder;
    *r = (bl_h5_recorder){.ctx = j->ctx, .file = j->file};
    for (int q = 0; q < BL_STEP_QUANTITIES; q++)
        BL_TRY(bl_h5_add_series(r, 0, 1, bl_step_layout[q].unit, bl_step_layout[q].what));
    r->block_rows = count > 0 ? bl_h5_block_rows(r->row, count) : STEP_ROWS;
    BL_TRY(bl_h5_begin(r));
    bl_h5_header_begin(j->header);
    bl_h5_group(j->header, BL_STEP_QUANTITIES);
    for (int q = 0; q < BL_STEP_QUANTITIES; q++)
        bl_h5_link(j->header, bl_step_layout[q].name, q, r->series[q].address);
    return bl_h5_header_end(j->file, j->header, &j->steps);
}

bl_status bl_h5_journal_step(bl_h5_journal *j, const bl_step *step) {
    bl_h5_recorder *r = &j->recorder;
    const double value[BL_STEP_QUANTITIES] = {step->t, step->size, step->order, step->error};
    for (int q = 0; q < BL_STEP_QUANTITIES; q++)
        r->series[q].block[r->pending] = value[q];
    return bl_h5_end_row(r);
}

static bl_status keep_impact(bl_h5_journal *j, const bl_event_mark *mark) {
    BL_TRY(BL_RESERVE(j->ctx, j->impact, j->impact_room, j->nimpact + 1));
    bl_h5_impact *impact = &j->impact[j->nimpact++];
    *impact = (bl_h5_impact){.event = j->nevent - 1, .strike = *mark->strike};
    if (j->njoint == 0 || mark->nimpulse != j->njoint)
        return BL_OK;
    BL_TRY(BL_NEW(j->ctx, impact->joint, j->njoint));
    memcpy(impact->joint, mark->impulse, (size_t)j->njoint * sizeof *impact->joint);
    return BL_OK;
}

bl_status bl_h5_journal_event(bl_h5_journal *j, const bl_event_mark *mark) {
    BL_TRY(BL_RESERVE(j->ctx, j->event, j->room, j->nevent + 1));
    bl_h5_event *event = &j->event[j->nevent];
    *event = (bl_h5_event){.t = mark->t, .kind = mark->kind, .text = bl_strdup(j->ctx, mark->text), .part = bl_strdup(j->ctx, mark->part)};
    j->nevent++; /* counted first, so that it is freed after a failure */
    if (!event->text || !event->part)
        return BL_E_MEMORY;
    return mark->strike ? keep_impact(j, mark) : BL_OK;
}

/* ---- events as lists */

static bl_status add_list(bl_h5_journal *j, bl_h5_type type, size_t bytes, const void *all, uint64_t *address) {
    size_t length = bytes * (size_t)j->nevent;
    uint64_t at = bl_h5_take(j->file, length);
    bl_h5_write(j->file, at, all, length);
    bl_h5_header_begin(j->header);
    bl_h5_dataset_contiguous(j->header, type, j->nevent, bytes, at);
    return bl_h5_header_end(j->file, j->header, address);
}

static bl_status add_times(bl_h5_journal *j, uint64_t *address) {
    double *time;
    BL_TRY(BL_NEW(j->ctx, time, j->nevent));
    for (bl_index i = 0; i < j->nevent; i++)
        time[i] = j->event[i].t;
    bl_status status = add_list(j, BL_H5_NUMBER, sizeof *time, time, address);
    bl_free(j->ctx, time);
    return status;
}

typedef enum event_text { EVENT_KIND, EVENT_TEXT, EVENT_PART } event_text;

static const char *text_of(const bl_h5_event *event, event_text which) {
    return which == EVENT_KIND ? bl_event_kind_text(event->kind) : which == EVENT_TEXT ? event->text : event->part;
}

/* fixed length: that of the longest */
static bl_status add_texts(bl_h5_journal *j, event_text which, uint64_t *address) {
    size_t bytes = 1;
    for (bl_index i = 0; i < j->nevent; i++) {
        size_t length = strlen(text_of(&j->event[i], which));
        bytes = length > bytes ? length : bytes;
    }
    char *all;
    BL_TRY(BL_NEW(j->ctx, all, bytes * (size_t)j->nevent));
    for (bl_index i = 0; i < j->nevent; i++) {
        const char *text = text_of(&j->event[i], which);
        memcpy(all + bytes * (size_t)i, text, strlen(text));
    }
    bl_status status = add_list(j, BL_H5_TEXT, bytes, all, address);
    bl_free(j->ctx, all);
    return status;
}

static bl_status write_events(bl_h5_journal *j) {
    static const struct {
        const char *name;
        event_text which;
    } texts[] = {{"kind", EVENT_KIND}, {"text", EVENT_TEXT}, {"part", EVENT_PART}};
    uint64_t address[4];
    BL_TRY(add_times(j, &address[0]));
    for (int k = 0; k < 3; k++)
        BL_TRY(add_texts(j, texts[k].which, &address[k + 1]));
    bl_h5_header_begin(j->header);
    bl_h5_group(j->header, 4);
    bl_h5_link(j->header, "time", 0, address[0]);
    for (int k = 0; k < 3; k++)
        bl_h5_link(j->header, texts[k].name, k + 1, address[k + 1]);
    BL_TRY(bl_h5_header_end(j->file, j->header, &j->events));
    j->written = j->nevent;
    return BL_OK;
}

/* ---- impacts as arrays */

/* numbers of impact i from `to` on */
static void fill_impact(const bl_h5_journal *j, bl_index i, bl_impact_what what, double *to) {
    const bl_h5_impact *impact = &j->impact[i];
    switch (what) {
    case BL_IMPACT_EVENT: to[0] = impact->event; return;
    case BL_IMPACT_TIME: to[0] = j->event[impact->event].t; return;
    case BL_IMPACT_IMPULSE: memcpy(to, impact->strike.impulse, sizeof impact->strike.impulse); return;
    case BL_IMPACT_SPEED: memcpy(to, impact->strike.speed, sizeof impact->strike.speed); return;
    case BL_IMPACT_LOST: to[0] = impact->strike.lost; return;
    case BL_IMPACT_KINETIC: memcpy(to, impact->strike.kinetic, sizeof impact->strike.kinetic); return;
    default: break;
    }
    for (bl_index k = 0; k < j->njoint; k++, to += 3) {
        static const bl_wrench unknown = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
        const bl_wrench *joint = impact->joint ? &impact->joint[k] : &unknown;
        memcpy(to, what == BL_IMPACT_JOINT_FORCE ? joint->force : joint->moment, 3 * sizeof *to);
    }
}

static bl_status add_impacts(bl_h5_journal *j, bl_impact_what what, uint64_t *address) {
    const bl_impact_dataset *dataset = &bl_impact_layout[what];
    uint64_t size[3] = {(uint64_t)j->nimpact}, row = (uint64_t)dataset->width;
    int rank = 1;
    if (dataset->of_joints)
        row *= size[rank++] = (uint64_t)j->njoint;
    if (dataset->width > 1)
        size[rank++] = (uint64_t)dataset->width;
    size_t length = (size_t)(size[0] * row) * sizeof(double);
    double *all;
    BL_TRY(BL_NEW(j->ctx, all, size[0] * row));
    for (bl_index i = 0; i < j->nimpact; i++)
        fill_impact(j, i, what, all + (uint64_t)i * row);
    uint64_t at = bl_h5_take(j->file, length);
    bl_h5_write(j->file, at, all, length);
    bl_free(j->ctx, all);
    bl_h5_header_begin(j->header);
    bl_h5_dataset_array(j->header, BL_H5_NUMBER, rank, size, at);
    if (dataset->unit)
        bl_h5_attribute_text(j->header, "unit", dataset->unit, 0);
    bl_h5_attribute_text(j->header, "description", dataset->what, 0);
    return bl_h5_header_end(j->file, j->header, address);
}

static bl_status write_impacts(bl_h5_journal *j) {
    uint64_t address[BL_IMPACT_QUANTITIES] = {0};
    if (j->nimpact == 0)
        return BL_OK;
    for (int q = 0; q < BL_IMPACT_QUANTITIES; q++)
        if (!bl_impact_layout[q].of_joints || j->njoint > 0)
            BL_TRY(add_impacts(j, (bl_impact_what)q, &address[q]));
    bl_h5_header_begin(j->header);
    bl_h5_group(j->header, BL_IMPACT_QUANTITIES);
    int64_t order = 0;
    for (int q = 0; q < BL_IMPACT_QUANTITIES; q++)
        if (address[q])
            bl_h5_link(j->header, bl_impact_layout[q].name, order++, address[q]);
    return bl_h5_header_end(j->file, j->header, &j->impacts);
}

bl_status bl_h5_journal_flush(bl_h5_journal *j, bool all, bool *moved) {
    if (j->steps)
        BL_TRY(bl_h5_flush(&j->recorder));
    /* lists are rewritten at a new address, only when a quarter is new, so that the abandoned space stays limited */
    *moved = j->nevent > j->written && (all || j->nevent - j->written > j->written / 4);
    if (*moved)
        BL_TRY(write_impacts(j));
    return *moved ? write_events(j) : BL_OK;
}

void bl_h5_journal_destroy(bl_h5_journal *j) {
    bl_h5_recorder_destroy(&j->recorder);
    for (bl_index i = 0; i < j->nevent; i++) {
        bl_free(j->ctx, j->event[i].text);
        bl_free(j->ctx, j->event[i].part);
    }
    bl_free(j->ctx, j->event);
    for (bl_index i = 0; i < j->nimpact; i++)
        bl_free(j->ctx, j->impact[i].joint);
    bl_free(j->ctx, j->impact);
    *j = (bl_h5_journal){.ctx = j->ctx};
}
