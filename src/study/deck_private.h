/* deck, private: a run of a deck, and its tables. */
#ifndef BL_DECK_PRIVATE_H
#define BL_DECK_PRIVATE_H

#include "biela/deck.h"
#include "fem/fem.h"
#include "model/deck_model.h"

struct bl_crew;

typedef struct bl_deck_run {
    bl_context *ctx;
    const bl_model *model;
    bl_deck_options options;
    bl_deck_sink *sink;
    bl_deck_summary made;
    double began, last_progress; /* wall clock */
    /* at the end of the last step: all nodes, histories and what they belong to */
    size_t nfull;
    double *u, *v;
    unsigned char *history;
    size_t history_bytes;
    const bl_solid *history_of;
    /* the step under way */
    bl_index which;
    const bl_deck_step *step;
    bl_arena arena;
    bl_model view;
    bl_system *sys;
    struct bl_crew *crew;
    bl_state state;
    bl_eval eval; /* of tables */
    bl_index increment;
    const double *origin; /* of shapes: where the nodes stand without them; NULL: displacements are printed as they are */
    /* room of tables */
    bl_index *label;
    double *value;
    bl_index label_room, value_room;
} bl_deck_run;

/* Increments as CalculiX takes them: those of the deck (DIRECT), or the first one twice and then each half again as long as the one before,
 * up to the longest; halved where one fails. */
typedef struct bl_deck_clock {
    const bl_deck_step *step;
    double t, dt; /* reached; of the next increment */
    bl_index done, easy;
} bl_deck_clock;
bl_deck_clock bl_deck_clock_start(const bl_deck_step *step);
double bl_deck_clock_next(const bl_deck_clock *clock); /* the time at the end of the next increment */
/* BL_E_NUMERIC with a message: too many increments. */
bl_status bl_deck_clock_done(bl_context *ctx, bl_deck_clock *clock, double t);
/* After an increment that failed with a positive status: BL_OK: try again; else why not. */
bl_status bl_deck_clock_failed(bl_context *ctx, bl_deck_clock *clock, bl_status status);

/* eval at the state, whose history says on which pieces laws stand */
bl_status bl_deck_state(const bl_deck_run *r, bl_eval *eval, bl_state *state);
/* The end of an increment: counted, printed. */
bl_status bl_deck_increment_done(bl_deck_run *r, const bl_state *state, bool last);
/* Nodes and histories of a state at the end of the step. */
bl_status bl_deck_keep(bl_deck_run *r, const bl_state *state);
/* ---- deck_motion.c: dynamic steps, transient heat */
bl_status bl_deck_move(bl_deck_run *r);

/* What the step prints behind an increment at t of the step, of a state of its system. last: the step ends. */
bl_status bl_deck_print_state(bl_deck_run *r, const bl_state *state, bool last);
/* Frequencies, participation, and shapes (phi^T M phi = 1) where displacements are to be printed. */
bl_status bl_deck_print_modes(bl_deck_run *r, bl_index n, const double *eigenvalue, const double *shape, const bl_pattern *mass,
                              const double *M);

#endif
