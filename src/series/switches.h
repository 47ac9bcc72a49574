/* switches: all switches of a system's laws, for use by systems. The system keeps 2 n numbers in the history of a state: the pieces, then
 * the times of their next change where known; it provides the inputs of a law at a state. */
#ifndef BL_SWITCHES_H
#define BL_SWITCHES_H

#include "series/pieces.h"

typedef struct bl_switches {
    bl_context *ctx;
    bl_index nlaw, n, nevent; /* laws, switches, switches that depend on the state: events */
    bl_pieces *law;           /* [nlaw] */
    bl_index *first;          /* [nlaw] first switch of a law */
    bl_index *of_event;       /* [nevent] switch of an event */
    bl_index *event_of;       /* [n] event of a switch; -1: depends only on time */
    bl_index *law_of;         /* [n] */
    bool analytic;
    bl_index law_room, room;
    size_t work; /* doubles that the functions below need */
} bl_switches;

/* in[ninput] of a law at the state of user, without pieces */
typedef void (*bl_law_inputs)(void *user, bl_index law, double *in);

/* *s zeroed at first; laws are added in the order of their numbers. noutput, role: as in bl_pieces_create. */
bl_status bl_switches_add(bl_context *ctx, bl_switches *s, const bl_tape *tape, bl_index noutput, bl_index ninput, const uint8_t *role);
void bl_switches_destroy(bl_context *ctx, bl_switches *s); /* zeroed or incomplete is fine */
static inline size_t bl_switches_kept(const bl_switches *s) { return 2 * (size_t)s->n; }

/* event[nevent]: positive inside the piece. */
void bl_switches_events(const bl_switches *s, bl_law_inputs inputs, void *user, const double *kept, double *event, double *work);
/* Sets all pieces from their arguments; t: the time of the state. */
void bl_switches_hold(const bl_switches *s, bl_law_inputs inputs, void *user, double t, double *kept, double *work);
/* Changes the switch of an event (-1: those whose time is reached), then all that are no longer consistent. False: nothing changed. */
bool bl_switches_jump(const bl_switches *s, bl_law_inputs inputs, void *user, double t, double *kept, bl_index event, double *work);
/* Writes the pieces of a law after its inputs: in[ninput + count][order + 1], for its piecewise tape. kept NULL: none are held, zeros. */
void bl_switches_pieces(const bl_switches *s, bl_index law, const double *kept, int order, double *in);
double bl_switches_next_time(const bl_switches *s, const double *kept);
/* Sets the piece of an event with two sides to a blend, share -1 ... 1. False: it has more sides and is unchanged. */
bool bl_switches_blend(const bl_switches *s, double *kept, bl_index event, double share);

#endif
