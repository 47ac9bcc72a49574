/* events: interruptions of a motion. The system has the table of events (bl_system.event): functions whose change of sign ends the run or
 * changes the branch of a law, and times known in advance (next_time). The loop of simulation.c
 *
 *     sets t_stop, takes a step, finds the first event in it, moves the state there (a sample there shows the state before the event);
 *     crosses the event: jump, forget, arm again, one restart of the method.
 *
 * An event is armed by the sign its function takes when it leaves zero, never by a threshold on its value. Theory:
 * docs/theory/events.md. */
#ifndef BL_STUDY_EVENTS_H
#define BL_STUDY_EVENTS_H

#include "study/simulation.h"

/* event_hit where no function changed its sign: a time known in advance was reached, or a sliding mode needs another blend */
enum { BL_HIT_TIME = -1, BL_HIT_SLIDING = -2 };

/* At the state of a simulation whose method has not started yet: selects the branches of laws and the signs of events. */
bl_status bl_events_create(bl_simulation *sim);
void bl_events_destroy(bl_simulation *sim);

/* The state was changed from outside: signs of events and the next known time are found anew. */
bl_status bl_events_arm(bl_simulation *sim);

/* Before a step: the next time that is known in advance becomes t_stop. */
bl_status bl_events_ahead(bl_simulation *sim);
/* A held branch was extended to where it is not a number: for one step no branch is held, and laws are evaluated as written. False: no
 * branch was held. bl_events_hold holds them again. */
bool bl_events_let_go(bl_simulation *sim);
bl_status bl_events_hold(bl_simulation *sim);
/* After a step: BL_EVENT: event_hit is the first event in it (-1: a time) and the state is moved there; else BL_OK. */
bl_status bl_events_find(bl_simulation *sim);
/* Whether the event just found ends the run. */
bool bl_events_stop(const bl_simulation *sim);
/* Applies an event that does not end the run: the state, or branches of laws, change; the method has to restart. BL_AGAIN: nothing
 * changed. */
bl_status bl_events_cross(bl_simulation *sim);
/* Numbers of the state were changed from outside (bl_signal_set_input): selects the branches of laws again; the method has to restart. */
bl_status bl_events_renew(bl_simulation *sim);

#endif
