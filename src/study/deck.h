/* deck, private: a run of a deck, and its tables. */
#ifndef BL_STUDY_DECK_H
#define BL_STUDY_DECK_H

#include "biela/deck.h"
#include "fem/fem.h"
#include "model/deck.h"

struct bl_crew;

typedef struct bl_deck_run {
    bl_context *ctx;
    const bl_model *model;
    bl_deck_options options;
    bl_deck_sink *sink;
    bl_deck_summary made;
    double began, told; /* wall clock */
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
    /* room of tables */
    bl_index *label;
    double *value;
    bl_index label_room, value_room;
} bl_deck_run;

/* What the step prints behind an increment at t of the step, of a state of its system. last: the step ends. */
bl_status bl_deck_print_state(bl_deck_run *r, const bl_state *state, bool last);
bl_status bl_deck_print_modes(bl_deck_run *r, const bl_system *sys, bl_index n, const double *eigenvalue, const double *shape,
                              const bl_pattern *mass, const double *M);

#endif
