/* journal: what a run tells beside samples. Steps and events go to the sinks that take them; nothing is asked where none does.
 *
 * Events are found after each step by looking at the counters of the simulation, so that the loop itself knows nothing of them: what
 * happened at the start of the step (a method started anew, others took over) and in it (singular positions, events, warnings). */
#ifndef BL_STUDY_JOURNAL_H
#define BL_STUDY_JOURNAL_H

#include "study/simulation.h"

typedef struct bl_journal {
    bl_context *ctx;
    bl_sink *sink;
    bl_index nsink;
    bool steps, events; /* somebody takes them */
    bl_index nwarning;  /* told so far */
    long restarts, repartitions, projections, handovers;
    bool handed_over, crosses, projected; /* another formulation led the last step; it ended at an event; and on the constraints */
    const bl_integrator *integ;
    const char *method;         /* its name */
    long count[BL_EVENT_KINDS]; /* of each kind, those left out too */
} bl_journal;

/* Behind the begin of the sinks: the warnings there are. */
bl_status bl_journal_begin(bl_journal *journal, bl_context *ctx, const bl_simulation *sim, bl_sink *sinks, bl_index nsink);
/* After an accepted step. */
bl_status bl_journal_step(bl_journal *journal, const bl_simulation *sim);
/* How the run ended, and what was left out. stopped_by: the stop expression, may be NULL. sim may be NULL. */
bl_status bl_journal_end(bl_journal *journal, const bl_simulation *sim, bl_status status, const char *stopped_by);

#endif
