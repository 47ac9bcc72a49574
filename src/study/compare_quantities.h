/* compare: what models of one mechanism have in common, by name, and how far it is apart along their motions. */
#ifndef BL_COMPARE_QUANTITIES_H
#define BL_COMPARE_QUANTITIES_H

#include "biela/compare.h"
#include "model/model.h"

typedef enum bl_trace_what {
    BL_TRACE_VARIABLE,
    BL_TRACE_PROBE,
    BL_TRACE_POSITION, /* mass center of a rigid body */
    BL_TRACE_ORIENTATION,
    BL_TRACE_SIGNAL,
    BL_TRACE_FORCE, /* reaction of a joint */
    BL_TRACE_MOMENT
} bl_trace_what;

/* A named quantity of a model: `width` numbers of every sample, those of a row from `at` on. */
typedef struct bl_trace {
    const char *name, *unit;
    uint8_t what, kind; /* bl_trace_what, bl_compared_kind */
    bl_index index;     /* in the sample: variable, probe, body without ground, joint, signal shown */
    bl_index at;
    int width;
} bl_trace;

/* The quantities of a model, and its motion at common times. */
typedef struct bl_traces {
    const bl_model *model;
    bl_index n, width, ntime; /* traces; numbers of a row; times reached */
    bl_trace *trace;
    const bl_trace **sorted; /* [n] by kind of quantity and name */
    double *row;             /* [most times][width] */
    uint8_t *left_out;       /* [njoint] components of reactions that were not determined at some time: bits fx .. mz */
} bl_traces;

/* Lists the quantities and makes room for times; texts are the model's. */
bl_status bl_traces_create(bl_arena *arena, const bl_model *model, bl_index times, bl_traces *traces);
const bl_trace *bl_traces_find(const bl_traces *traces, const bl_trace *like); /* the one of equal name and kind, or NULL */
/* Stores a sample as the next row. stresses: also finds which reactions the constraints do not determine there. */
bl_status bl_traces_take(bl_context *ctx, bl_traces *traces, const bl_sample *sample, bool stresses);

/* scale[traces->n]: the largest values of the quantities over the first ntime rows, or what stands for values near 0. */
void bl_traces_scales(const bl_traces *reference, bl_index ntime, double *scale);
/* The largest difference of a quantity over the first ntime rows, for times time[ntime]; found->scale is given. */
void bl_traces_compare(const bl_traces *reference, const bl_trace *a, const bl_traces *other, const bl_trace *b, const double *time,
                       bl_index ntime, bl_compared *found);

#endif
