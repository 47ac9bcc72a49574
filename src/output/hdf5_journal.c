/* Steps and events of the result file. */
#include "output/hdf5_journal.h"
#include "output/hdf5_layout.h"

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

bl_status bl_h5_journal_event(bl_h5_journal *j, const bl_event_mark *mark) {
    BL_TRY(BL_RESERVE(j->ctx, j->event, j->room, j->nevent + 1));
    bl_h5_event *event = &j->event[j->nevent];
    *event = (bl_h5_event){.t = mark->t, .kind = mark->kind, .text = bl_strdup(j->ctx, mark->text), .part = bl_strdup(j->ctx, mark->part)};
    j->nevent++; /* counted first, so that it is freed after a failure */
    return event->text && event->part ? BL_OK : BL_E_MEMORY;
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

bl_status bl_h5_journal_flush(bl_h5_journal *j, bool all, bool *moved) {
    if (j->steps)
        BL_TRY(bl_h5_flush(&j->recorder));
    /* lists are rewritten at a new address, only when a quarter is new, so that the abandoned space stays limited */
    *moved = j->nevent > j->written && (all || j->nevent - j->written > j->written / 4);
    return *moved ? write_events(j) : BL_OK;
}

void bl_h5_journal_destroy(bl_h5_journal *j) {
    bl_h5_recorder_destroy(&j->recorder);
    for (bl_index i = 0; i < j->nevent; i++) {
        bl_free(j->ctx, j->event[i].text);
        bl_free(j->ctx, j->event[i].part);
    }
    bl_free(j->ctx, j->event);
    *j = (bl_h5_journal){.ctx = j->ctx};
}
