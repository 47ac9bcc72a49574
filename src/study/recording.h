/* recording: a measured motion from a table with headings: time in one column, variables or coordinates of probes in others. */
#ifndef BL_STUDY_RECORDING_H
#define BL_STUDY_RECORDING_H

#include "model/model.h"
#include "study/smoothing.h"

enum { BL_RECORDING_LEAST = 6 }; /* rows that a spline of degree 5 needs */

typedef struct bl_recorded {
    const char *heading;
    bl_index variable; /* of the model; -1: a probe's */
    bl_index probe;
    int part; /* 0 x, 1 y, 2 z */
    bl_smoothed curve;
} bl_recorded;

typedef struct bl_recording {
    bl_context *ctx;
    const char *file; /* for messages */
    bl_index n, ncolumn;
    double *t;
    double *y; /* [ncolumn][n] as measured */
    bl_recorded *column;
    bl_arena arena;
} bl_recording;

/* Reads the text of a table. map: quantity of each heading, [nmap]; none: headings that are names of variables, or of probes with .x, .y,
 * .z; other columns are ignored. noise: of every column, as in bl_smoothed_create. BL_E_MODEL with the line of an error. */
bl_status bl_recording_create(bl_context *ctx, const bl_model *model, const char *file, const char *text, size_t bytes,
                              const bl_column_def *map, bl_index nmap, double noise, bl_recording **recording);
void bl_recording_destroy(bl_recording *recording); /* NULL is fine */

#endif
