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
    /* at the end of the last step: displacements of all nodes, histories and the solid they belong to */
    size_t nfull;
    double *u, *v;
    unsigned char *history;
    size_t history_bytes;
    const bl_solid *history_of;
    /* the current step */
    bl_index which;
    const bl_deck_step *step;
    bl_arena arena;
    bl_model view;
    bl_system *sys;
    struct bl_crew *crew;
    bl_state state;
    bl_eval eval; /* of tables */
    bl_index increment;
    const double *origin; /* of mode shapes: displacements to subtract; NULL: none */
    /* buffers for tables */
    bl_index *label;
    double *value;
    bl_index label_room, value_room;
} bl_deck_run;

/* Increments as in CalculiX: those of the deck (DIRECT), or the first one twice and then each 1.5 times as long as the one before, up to
 * the longest; halved where one fails. */
typedef struct bl_deck_clock {
    const bl_deck_step *step;
    double t, dt; /* reached; of the next increment */
    bl_index done, easy;
} bl_deck_clock;
bl_deck_clock bl_deck_clock_start(const bl_deck_step *step);
double bl_deck_clock_next(const bl_deck_clock *clock); /* the time at the end of the next increment */
/* BL_E_NUMERIC with a message: too many increments. */
bl_status bl_deck_clock_done(bl_context *ctx, bl_deck_clock *clock, double t);
/* After an increment that failed with a positive status. BL_OK: try again with a shorter one; else the error. */
bl_status bl_deck_clock_failed(bl_context *ctx, bl_deck_clock *clock, bl_status status);

/* eval at the state, whose history selects the active branch of piecewise laws */
bl_status bl_deck_state(const bl_deck_run *r, bl_eval *eval, bl_state *state);
/* Counts and prints a finished increment. */
bl_status bl_deck_increment_done(bl_deck_run *r, const bl_state *state, bool last);
/* Keeps nodes and histories of a state at the end of the step. */
bl_status bl_deck_keep(bl_deck_run *r, const bl_state *state);
/* ---- deck_motion.c: dynamic steps, transient heat */
bl_status bl_deck_move(bl_deck_run *r);

/* Prints the tables requested for an increment. last: the step ends with it. */
bl_status bl_deck_print_state(bl_deck_run *r, const bl_state *state, bool last);
/* Prints frequencies, participation factors, and shapes (phi^T M phi = 1) where displacements are requested. */
bl_status bl_deck_print_modes(bl_deck_run *r, bl_index n, const double *eigenvalue, const double *shape, const bl_pattern *mass,
                              const double *M);

#endif
