/* compare: motions on common times, measured against each other. */
#ifndef BL_STUDY_COMPARE_H
#define BL_STUDY_COMPARE_H

#include "biela/compare.h"
#include "model/model.h"

/* One motion at the times asked for. A row: position and quaternion of every body, variables, probes, then wrenches of joints. */
typedef struct bl_record {
    bl_index n;  /* times reached */
    double *row; /* [ntime][width] */
    bl_run_summary summary;
} bl_record;

/* What differences are relative to. */
typedef struct bl_measure {
    const bl_model *model;
    bl_arena arena;
    const double *time; /* [ntime] */
    bl_index ntime, nbody, nvariable, nprobe, njoint, width;
    double until, length, force, moment;
    double *variable;  /* [nvariable] */
    bool reactions;    /* compared at all */
    uint8_t *left_out; /* [ntime][njoint] directions to be left out: 0 .. 6 */
    double *direction; /* [ntime][njoint][6][6] orthonormal, force and moment in units of `force` and `moment` */
    bl_index undetermined, partial;
} bl_measure;

typedef struct bl_difference {
    double trajectory, reactions; /* reactions: 0 when not compared */
    char worst[96], worst_joint[96];
    double worst_time, worst_joint_time;
} bl_difference;

/* Sizes. time lives as long as the measure. */
void bl_measure_layout(bl_context *ctx, const bl_model *model, const double *time, bl_index ntime, double until, bl_measure *measure);
/* Scales from a motion. least[nvariable]: smallest scale of each variable (NULL: of a mechanism). */
bl_status bl_measure_scales(bl_measure *measure, const bl_record *record, const double *least);
/* Which reactions are determined along a motion; after the scales. */
bl_status bl_measure_determined(bl_measure *measure, const bl_record *record);
void bl_measure_destroy(bl_measure *measure);

bl_status bl_record_create(bl_context *ctx, const bl_measure *measure, bl_record *record);
void bl_record_destroy(bl_context *ctx, bl_record *record);
/* The sample becomes the row of its time; others are ignored. */
void bl_record_take(const bl_measure *measure, const bl_sample *sample, bl_record *record);
void bl_record_compare(const bl_measure *measure, const bl_record *a, const bl_record *b, bl_difference *difference);

#endif
