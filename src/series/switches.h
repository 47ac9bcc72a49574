/* switches: all switches of a system's laws, for who makes a system. The maker keeps 2 n numbers in the history of a state: the pieces,
 * then the times of their next change where these are known; it says what the inputs of a law are at a place. */
#ifndef BL_SWITCHES_H
#define BL_SWITCHES_H

#include "series/pieces.h"

typedef struct bl_switches {
    bl_context *ctx;
    bl_index nlaw, n, nevent; /* laws, switches, those of the state: events */
    bl_pieces *law;           /* [nlaw] */
    bl_index *first;          /* [nlaw] first switch of a law */
    bl_index *of_event;       /* [nevent] switch of an event */
    bl_index *event_of;       /* [n] event of a switch; -1: of time alone */
    bl_index *law_of;         /* [n] */
    bool analytic;
    bl_index law_room, room;
    size_t work; /* doubles that the functions below need */
} bl_switches;

/* in[ninput] of a law at the place of user, without pieces */
typedef void (*bl_law_inputs)(void *user, bl_index law, double *in);

/* Zeroed; laws are added one by one, in the order of their numbers. noutput: as bl_pieces_create has it. */
bl_status bl_switches_add(bl_context *ctx, bl_switches *s, const bl_tape *tape, bl_index noutput, bl_index ninput, const uint8_t *does);
void bl_switches_destroy(bl_context *ctx, bl_switches *s); /* zeroed, or half made, is fine */
static inline size_t bl_switches_kept(const bl_switches *s) { return 2 * (size_t)s->n; }

/* event[nevent]: positive inside the piece. */
void bl_switches_events(const bl_switches *s, bl_law_inputs inputs, void *user, const double *kept, double *event, double *work);
/* All pieces as their arguments have them; t: the time of the place. */
void bl_switches_hold(const bl_switches *s, bl_law_inputs inputs, void *user, double t, double *kept, double *work);
/* The switch of an event (-1: those whose time has come) changes, and what is wrong then. False: nothing changed. */
bool bl_switches_jump(const bl_switches *s, bl_law_inputs inputs, void *user, double t, double *kept, bl_index event, double *work);
/* Pieces of a law behind its inputs: in[ninput + count][order + 1], as its tape by pieces reads them. kept NULL: none are held, zeros. */
void bl_switches_pieces(const bl_switches *s, bl_index law, const double *kept, int order, double *in);
double bl_switches_next_time(const bl_switches *s, const double *kept);
/* The piece of an event with two sides between them: share -1 ... 1. False: it has more, and stays. */
bool bl_switches_blend(const bl_switches *s, double *kept, bl_index event, double share);

#endif
