/* events: what interrupts a motion. The table of events is the system's (bl_system.event): functions whose change of sign ends the run
 * or changes the branch of a law, and times given in advance (next_time). The loop of simulation.c
 *
 *     sets t_stop, steps, finds the first event in the step, puts the state there; samples there are those before;
 *     crosses: jump, forget, armed anew, one restart.
 *
 * An event is armed by the sign its function takes when it leaves zero, never by a threshold on its value. Theory:
 * docs/theory/events.md. */
#ifndef BL_STUDY_EVENTS_H
#define BL_STUDY_EVENTS_H

#include "study/simulation.h"

/* event_hit where no function changed its sign: a time known in advance was reached, what slides needs another blend */
enum { BL_HIT_TIME = -1, BL_HIT_SLIDING = -2 };

/* At the state of a simulation whose method has not started yet: laws take their pieces, events their signs. */
bl_status bl_events_create(bl_simulation *sim);
void bl_events_destroy(bl_simulation *sim);

/* Before a step: the next time that is known in advance becomes t_stop. */
bl_status bl_events_ahead(bl_simulation *sim);
/* A held branch was carried on to where it is no number: for one step nobody holds any, laws are taken as they are written. False: nobody
 * did. bl_events_hold takes them up again. */
bool bl_events_let_go(bl_simulation *sim);
bl_status bl_events_hold(bl_simulation *sim);
/* After a step: BL_EVENT: the first event in it, event_hit (-1: a time) and the state put there; else BL_OK. */
bl_status bl_events_find(bl_simulation *sim);
/* Whether the event just found ends the run. */
bool bl_events_stop(const bl_simulation *sim);
/* What happens at an event that does not: the state, or pieces of laws, change; the method has to start anew. BL_AGAIN: nothing did. */
bl_status bl_events_cross(bl_simulation *sim);

#endif
