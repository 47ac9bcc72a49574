/* singular: past positions in which the constraints lose rank (docs/theory/singular.md). In this order, until one leads past:
 *
 *   1. step over     stages too near are refused (kkt/rank_margin.h), the step is tried a little shorter: stages fall on both sides
 *   2. land          the same method goes back and ends a step where the next one has the position well inside
 *   3. ease          the same with larger tolerances, where rounding leaves too little of that of the run
 *   4. hand over     another formulation acts, from some steps before the position to some behind it
 *   5. refuse        with the first failure and the state in which it happened
 *
 * 2 and 3 are for formulations that keep positions on the constraints: those that are off are thrown off their branch the more the nearer
 * the position, whatever the landing. Only a state is handed over, so 4 costs a restart of the method and nothing else. */
#ifndef BL_SINGULAR_H
#define BL_SINGULAR_H

#include "study/simulation.h"

/* Shorter steps tried with the policy `pass`. Where the zone that is too near is narrow beside the step, one of the first has no stage in
 * it; where it is not, steps would creep up to it. */
enum { BL_SINGULAR_STEP_OVERS = 8 };

bl_status bl_singular_create(bl_simulation *sim);
void bl_singular_destroy(bl_simulation *sim);
/* Keeps an accepted state to go back to; forgets all, after an event or another change of what moves. No allocation. */
void bl_singular_remember(bl_simulation *sim);
void bl_singular_forget(bl_simulation *sim);
/* After a step that was refused for `why` near a singular position: the state is an earlier one and a step may be tried again.
 * BL_REJECTED: the policy forbids it, the position is not singular, or nothing leads past; the error stands as it was. Allocates. */
bl_status bl_singular_begin(bl_simulation *sim, bl_status why);
/* The tolerance of the run again, for the method that acts: before another takes its place. A position
 * passed with a larger one is logged. */
void bl_singular_restore_tolerance(bl_simulation *sim);
/* Between steps: whether they collapsed beside a singular position. Off the constraints the motion is wild there, and error control follows
 * it closely. Allocates when they did. */
bl_status bl_singular_due(bl_simulation *sim, bool *due);
/* Between steps after a handover: hands back when the stretch is over and the position is regular; *done says so. */
bl_status bl_singular_hand_back(bl_simulation *sim, bool *done);

/* ---- singular_past.c, for singular.c */

double bl_singular_longest_step(const bl_singular *singular);                    /* of those kept */
void bl_singular_keep(bl_simulation *sim, double step);                          /* the state */
const bl_state *bl_singular_well_before(const bl_simulation *sim, double *span); /* the position; *span: how far */
void bl_singular_note_position(bl_simulation *sim);                              /* another one than before, or the same seen from nearer */
bl_status bl_singular_land(bl_simulation *sim, bool *tries); /* 2 and 3 of the list; *tries: the state is an earlier one */
bool bl_singular_stays_closed(const bl_formulation *form);   /* its steps end on the constraints */

#endif
