/* singular: passes configurations in which the constraints lose rank (docs/theory/singular.md). Tries in this order:
 *
 *   1. step over     stages that are too close fail (kkt/rank_margin.h); the step is retried slightly shorter, with stages on both sides
 *   2. land          the same method goes back and ends a step so that the next one has the configuration well inside
 *   3. ease          the same with larger tolerances, where rounding does not allow that of the run
 *   4. hand over     another formulation takes over, from some steps before the configuration to some after it
 *   5. refuse        with the first failure and the state in which it happened
 *
 * 2 and 3 are for formulations that keep positions on the constraints: with drift, a motion leaves its branch the more, the closer it
 * comes, wherever the step lands. Only a state is handed over, so 4 costs one restart of the method. */
#ifndef BL_SINGULAR_H
#define BL_SINGULAR_H

#include "study/simulation.h"

/* Shorter steps tried with the policy `pass`. If the zone that is too close is narrow compared with the step, one of the first has no stage
 * in it; if it is not, more attempts would only shrink the steps. */
enum { BL_SINGULAR_STEP_OVERS = 8 };

bl_status bl_singular_create(bl_simulation *sim);
void bl_singular_destroy(bl_simulation *sim);
/* Stores an accepted state to go back to; discards all of them, after an event or another change of the equations. No allocation. */
void bl_singular_remember(bl_simulation *sim);
void bl_singular_forget(bl_simulation *sim);
/* After a step that failed with `why`: goes back to an earlier state, from which a step may be tried. BL_REJECTED: the policy forbids it,
 * the configuration is not singular, or nothing leads past it; the error is unchanged. Allocates. */
bl_status bl_singular_begin(bl_simulation *sim, bl_status why);
/* Restores the tolerance of the run in the active method, before another replaces it. Logs a configuration passed with a larger one. */
void bl_singular_restore_tolerance(bl_simulation *sim);
/* Between steps: whether their size collapsed near a singular configuration. With drift the motion varies rapidly there and error control
 * follows it. Allocates when they did. */
bl_status bl_singular_due(bl_simulation *sim, bool *due);
/* Between steps after a handover: hands back when the stretch is over and the configuration is regular; *done: handed back. */
bl_status bl_singular_hand_back(bl_simulation *sim, bool *done);

/* ---- singular_past.c, for singular.c */

double bl_singular_longest_step(const bl_singular *singular);                    /* of those kept */
void bl_singular_keep(bl_simulation *sim, double step);                          /* the state */
const bl_state *bl_singular_well_before(const bl_simulation *sim, double *span); /* the configuration; *span: by how much time */
void bl_singular_note_position(bl_simulation *sim);                              /* a new one, or a better time of the last one */
bl_status bl_singular_land(bl_simulation *sim, bool *tries); /* 2 and 3 of the list; *tries: the state is an earlier one */
bool bl_singular_stays_closed(const bl_formulation *form);   /* its steps end on the constraints */

#endif
