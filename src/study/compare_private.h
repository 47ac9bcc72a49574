/* compare: motions on common times, measured against each other; combinations run and judged. */
#ifndef BL_COMPARE_PRIVATE_H
#define BL_COMPARE_PRIVATE_H

#include "biela/compare.h"
#include "model/model.h"
#include "system/system.h"

/* One motion at the comparison times. A row: position, quaternion, velocity and angular velocity of every body, variables, probes, then
 * wrenches of joints. */
typedef struct bl_record {
    bl_index n;  /* times reached */
    double *row; /* [ntime][width] */
    bl_run_summary summary;
} bl_record;

/* Reference quantities that make differences relative. */
typedef struct bl_measure {
    const bl_model *model;
    bl_arena arena;
    const double *time; /* [ntime] */
    bl_index ntime, nbody, nvariable, nprobe, njoint, width;
    double until, length, speed, spin, force, moment;
    double *variable;  /* [nvariable] */
    bool reactions;    /* reactions are compared */
    uint8_t *left_out; /* [ntime][njoint] number of directions that are not compared: 0 .. 6 */
    double *direction; /* [ntime][njoint][6][6] orthonormal, force and moment in units of `force` and `moment` */
    bl_index undetermined, partial;
} bl_measure;

typedef struct bl_difference {
    double trajectory, reactions; /* reactions: 0 when not compared */
    char worst[96], worst_joint[96];
    double worst_time, worst_joint_time;
} bl_difference;

/* Sets the sizes. time must outlive the measure. */
void bl_measure_layout(bl_context *ctx, const bl_model *model, const double *time, bl_index ntime, double until, bl_measure *measure);
/* Scales from a motion. least[nvariable]: smallest scale of each variable (NULL: of a mechanism). */
bl_status bl_measure_scales(bl_measure *measure, const bl_record *record, const double *least);
/* Which reactions are determined along a motion; after the scales. */
bl_status bl_measure_determined(bl_measure *measure, const bl_record *record);
/* Directions q[njoint][n[njoint]][6] (force, moment) in which the joints' reactions are not determined at pose[nbody]; q and n zeroed. */
bl_status bl_measure_stress(const bl_measure *measure, const bl_pose *pose, double (*q)[6][6], uint8_t *n);
void bl_measure_destroy(bl_measure *measure);
double bl_rotation_between(const double *a, const double *b); /* angle of the rotation from one quaternion to the other */

bl_status bl_record_create(bl_context *ctx, const bl_measure *measure, bl_record *record);
void bl_record_destroy(bl_context *ctx, bl_record *record);
/* Stores the sample in the row of its time; samples at other times are ignored. */
void bl_record_take(const bl_measure *measure, const bl_sample *sample, bl_record *record);
void bl_record_compare(const bl_measure *measure, const bl_record *a, const bl_record *b, bl_difference *difference);

/* Passes a motion to the sink of the caller and measures the time spent there, which does not count as time of the method. */
typedef struct bl_motion {
    bl_sink to;       /* zeroed except for the size: none */
    double seconds;   /* spent in it so far */
    double since;     /* when the current call began */
    bl_status status; /* of the first call that failed */
} bl_motion;
/* Obtains the sink for a run with these options from the caller. */
bl_status bl_motion_begin(bl_motion *motion, const bl_compare_motions *motions, bl_context *ctx, const bl_run_options *options);
bl_sink bl_motion_sink(bl_motion *motion); /* not to be destroyed; `to` is */

/* ---- combinations */

enum { BL_COMPARE_INTERVALS = 50 };

typedef struct bl_combination {
    const char *coordinates, *formulation, *integrator; /* formulation NULL: the default of these coordinates */
    const char *reason;                                 /* why it cannot be tried; NULL: it can */
} bl_combination;

/* The outcome of one run. */
typedef enum bl_outcome { BL_RUN_DONE, BL_RUN_LATE, BL_RUN_REFUSED, BL_RUN_FAILED } bl_outcome;

/* memory owned by a report */
typedef struct bl_compare_holding {
    bl_arena arena; /* texts */
    bl_compare_entry *entry;
    bl_index room;
} bl_compare_holding;

/* A model in one kind of coordinates, built and assembled once: every run with these coordinates starts from it, in its context, so that
 * messages of runs are not those of the study. */
typedef struct bl_compare_start {
    const char *coordinates;
    bl_context *ctx;
    bl_system *sys;
    bl_state state;
    char warning[512]; /* the first one issued while it was built */
} bl_compare_start;

typedef struct bl_comparison {
    bl_context *ctx;
    const bl_model *model;
    const bl_compare_options *asked;
    bl_compare_report *report;
    bl_compare_holding *own;
    bl_arena *arena;         /* of the holding */
    bl_run_options middle;   /* resolved */
    bool every[3];           /* axes requested by the word `all`: then no others are varied */
    bool formulation_given;  /* by the call or the model */
    bl_compare_start *start; /* [nstart] */
    bl_index nstart, start_room;
    const bl_system *sys; /* of the middle: determines the defaults */
    double time[BL_COMPARE_INTERVALS + 1];
    const double *sampled; /* [nsampled] sample times including `time`, where the caller wants motions */
    bl_index nsampled;
    double limit;
    bl_measure measure;
    bl_record reference, run, last; /* last: with the previous step size */
    bl_error refusal;               /* of the last run that was refused or failed */
    char warning[512];              /* the first of the last run */
    char formulation[64];           /* of the last run */
} bl_comparison;

/* BL_OK: *what is the outcome (c->refusal holds the error message). Else the study ends: BL_STOPPED, BL_E_MEMORY. */
bl_status bl_compare_run(bl_comparison *c, const bl_combination *x, double tolerance, double step, double seconds, bl_record *record,
                         bl_outcome *what);
bl_status bl_compare_pass_error(bl_comparison *c); /* the error of an inner run becomes that of the study */
/* The start in coordinates (which outlive the comparison), built on first use. c->refusal holds the error message of a failure. */
bl_status bl_compare_start_in(bl_comparison *c, const char *coordinates, const bl_compare_start **start);
void bl_compare_starts_destroy(bl_comparison *c);
/* Finds the times at which motions are sampled. */
bl_status bl_compare_sampling(bl_comparison *c);
void bl_compare_fill_reference(bl_comparison *c, const bl_combination *x); /* report->reference_run */
/* One entry: run with tolerances or step sizes as its integrator requires, and compared within c->report->allowed. */
bl_status bl_compare_solve(bl_comparison *c, const bl_combination *x, bl_compare_entry *e);

#endif
