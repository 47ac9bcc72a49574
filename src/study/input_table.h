/* input_table: inputs of a model that follow a table during a motion (biela/inputs.h). */
#ifndef BL_STUDY_INPUT_TABLE_H
#define BL_STUDY_INPUT_TABLE_H

#include "biela/inputs.h"
#include "study/simulation.h"

/* A table with the inputs of its columns. Zeroed: none. */
typedef struct bl_input_table {
    bl_inputs of;    /* arrays belong to the caller */
    bl_index *input; /* [ninput] inputs of the model; from the arena */
    bl_index row;    /* last one found: where the next search begins */
} bl_input_table;

/* A copy, with arrays from the arena, of a table that a caller will free; given NULL: *copy is NULL. */
bl_status bl_inputs_keep(bl_arena *arena, const bl_inputs *given, const bl_inputs **copy);
/* Refuses options with a table: `function` has no motion that could follow it. */
bl_status bl_inputs_refuse(bl_context *ctx, const bl_inputs *given, const char *function);

/* Checks a table against the model; given NULL: none. BL_E_ARG: unknown or repeated inputs, times that do not increase. */
bl_status bl_input_table_create(bl_arena *arena, const bl_model *model, const bl_inputs *given, bl_input_table *table);
bool bl_input_table_has(const bl_input_table *table, bl_index input);
/* At the start of a motion: the inputs get their values there. Of an input that a driver reads only the rate may differ; velocities are
 * then assembled again. */
bl_status bl_input_table_begin(const bl_input_table *table, const bl_model *model, const bl_system *sys, bl_state *state);
/* Before a step: at the time of a row the inputs change; the step will not go beyond the next one. Between rows the state has the numbers
 * of the last one, also if it was restored. */
bl_status bl_input_table_follow(bl_input_table *table, bl_simulation *sim);

#endif
