/* inputs: inputs of a model that follow a table during a motion (bl_run_options.inputs).
 *
 *     bl_inputs force = {.n = 3, .ninput = 1, .name = names, .t = t, .value = f};
 *     bl_simulate(ctx, model, &(bl_run_options){.until = 10, .inputs = &force}, sinks, nsink, NULL);
 *
 * Between rows an input is linear in time, or keeps the value of the last row; before the first row and after the last it has the value of
 * that row. Every row is the end of a step and takes effect after the events of its time. */
#ifndef BIELA_INPUTS_H
#define BIELA_INPUTS_H

#include "biela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bl_model;

typedef struct bl_inputs {
    size_t size;             /* sizeof this struct, or 0 (context.h) */
    bl_index n, ninput;      /* rows; columns without time */
    const char *const *name; /* [ninput] inputs of the model; the others keep their values */
    const double *t;         /* [n] increasing */
    const double *value;     /* [n][ninput] */
    bool hold;               /* values are held until the next row; false: linear between rows */
    void *own;               /* of a table that was read; else NULL */
} bl_inputs;

/* Reads a table for a model: a line of headings (the first is t or time, the others names of inputs), then lines of numbers, separated by
 * commas, semicolons, tabs or blanks; # begins a comment. BL_E_MODEL with file and line: an unknown input, times that do not increase, a
 * field that is not a number. *inputs, except its size, is overwritten; hold is false. */
BL_API bl_status bl_inputs_read(bl_context *ctx, const struct bl_model *model, const char *file, bl_inputs *inputs);
BL_API void bl_inputs_destroy(bl_context *ctx, bl_inputs *inputs);

#ifdef __cplusplus
}
#endif
#endif
