/* hdf5_journal: /steps and /events of the result file. Steps are rows of a recorder of their own, since there are more or fewer of them
 * than samples; events are few, stand in memory and are written as lists whenever enough new ones came. */
#ifndef BL_HDF5_JOURNAL_H
#define BL_HDF5_JOURNAL_H

#include "output/hdf5_series.h"

typedef struct bl_h5_event {
    double t;
    bl_event_kind kind;
    char *text, *part;
} bl_h5_event;

typedef struct bl_h5_journal {
    bl_context *ctx;
    bl_h5_file *file;
    bl_h5_bytes *header;     /* work */
    bl_h5_recorder recorder; /* time, size, order, error of steps */
    uint64_t steps, events;  /* their groups; 0: there is none (yet) */
    bl_index nevent, room, written;
    bl_h5_event *event;
} bl_h5_journal;

/* *journal cleared but for ctx, file and header. count: how many steps there will be; 0: unknown. */
bl_status bl_h5_journal_begin(bl_h5_journal *journal, long count);
bl_status bl_h5_journal_step(bl_h5_journal *journal, const bl_step *step);
bl_status bl_h5_journal_event(bl_h5_journal *journal, const bl_event_mark *mark);
/* Steps to the file, and events where enough of them are new, or `all`. *moved: the group of events is a new one. */
bl_status bl_h5_journal_flush(bl_h5_journal *journal, bool all, bool *moved);
void bl_h5_journal_destroy(bl_h5_journal *journal);

#endif
