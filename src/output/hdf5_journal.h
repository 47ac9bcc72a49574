/* hdf5_journal: /steps, /events and /impacts of the result file. Steps have a recorder of their own, since their number differs from that
 * of samples; events are few, kept in memory and written as lists whenever there are enough new ones. */
#ifndef BL_HDF5_JOURNAL_H
#define BL_HDF5_JOURNAL_H

#include "output/hdf5_series.h"

typedef struct bl_h5_event {
    double t;
    bl_event_kind kind;
    char *text, *part;
} bl_h5_event;

/* an impact or a percussion, which is event number `event` */
typedef struct bl_h5_impact {
    bl_index event;
    bl_strike strike;
    bl_wrench *joint; /* [njoint]; NULL: not known */
} bl_h5_impact;

typedef struct bl_h5_journal {
    bl_context *ctx;
    bl_h5_file *file;
    bl_h5_bytes *header;     /* workspace */
    bl_h5_recorder recorder; /* time, size, order, error of steps */
    uint64_t steps, events;  /* groups; 0: none (yet) */
    bl_index nevent, room, written;
    bl_h5_event *event;
    uint64_t impacts; /* group; 0: none */
    bl_index njoint, nimpact, impact_room;
    bl_h5_impact *impact;
} bl_h5_journal;

/* *journal zeroed except for ctx, file, header and njoint. count: expected number of steps; 0: unknown. */
bl_status bl_h5_journal_begin(bl_h5_journal *journal, long count);
bl_status bl_h5_journal_step(bl_h5_journal *journal, const bl_step *step);
bl_status bl_h5_journal_event(bl_h5_journal *journal, const bl_event_mark *mark);
/* Writes steps to the file, and events if enough of them are new, or with `all`. *moved: the groups of events and impacts have new
 * addresses. */
bl_status bl_h5_journal_flush(bl_h5_journal *journal, bool all, bool *moved);
void bl_h5_journal_destroy(bl_h5_journal *journal);

#endif
