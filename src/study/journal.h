/* journal: what a run reports besides samples. Steps and events go to the sinks that accept them; nothing is computed if none does.
 *
 * Events are found after each step by comparing counters of the simulation, so that the time loop does not depend on the journal: what
 * happened at the start of the step (restarts, handovers) and in it (singular configurations, events, warnings). */
#ifndef BL_STUDY_JOURNAL_H
#define BL_STUDY_JOURNAL_H

#include "study/simulation.h"

typedef struct bl_journal {
    bl_context *ctx;
    bl_sink *sink;
    bl_index nsink;
    bool steps, events; /* a sink accepts them */
    bl_index nwarning;  /* reported so far */
    long restarts, repartitions, projections, handovers, percussions, happened;
    bool handed_over, crosses, projected; /* the last step: by another formulation; ended at an event; ended with a projection */
    const bl_integrator *integ;
    const char *method;         /* its name */
    long count[BL_EVENT_KINDS]; /* of each kind, including those left out */
} bl_journal;

/* After the sinks have begun: passes on the warnings so far. */
bl_status bl_journal_begin(bl_journal *journal, bl_context *ctx, const bl_simulation *sim, bl_sink *sinks, bl_index nsink);
/* After an accepted step. */
bl_status bl_journal_step(bl_journal *journal, const bl_simulation *sim);
/* How the run ended, and what was left out. stopped_by: the stop expression, may be NULL. sim may be NULL. */
bl_status bl_journal_end(bl_journal *journal, const bl_simulation *sim, bl_status status, const char *stopped_by);

#endif
