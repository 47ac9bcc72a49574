/* move: finite displacements. A mechanism moves from its start, step by step on its branch, until joint variables or coordinates of probes
 * have given values; if it cannot continue, the report explains why.
 *
 *     bl_move_target target = {"A.angle", 2.5};
 *     bl_move(ctx, model, &(bl_move_options){.target = &target, .ntarget = 1}, NULL, 0, &report, NULL);
 *     ... report.variable[i].value ...
 *     bl_move_report_destroy(ctx, &report);
 */
#ifndef BIELA_MOVE_H
#define BIELA_MOVE_H

#include "biela/biela.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bl_move_target {
    const char *name; /* "A.angle", "guide.distance", "P.x" */
    double value;     /* rad or m; angles include full revolutions */
} bl_move_target;

typedef struct bl_move_options {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    const bl_move_target *target;
    bl_index ntarget;
    long samples;            /* intervals of the path after which the sinks get a sample; 0: 100 */
    const char *coordinates; /* of the samples; NULL: the model's. The path does not depend on them. */
    double closure;          /* 0: the model's */
} bl_move_options;

typedef enum bl_move_end {
    BL_MOVE_DONE,
    BL_MOVE_DEAD_POINT,  /* a target has its extreme value: beyond it the mechanism cannot close */
    BL_MOVE_BRANCHES,    /* a singular configuration, from which more than one motion is possible */
    BL_MOVE_FIXED,       /* the constraints do not let a target move */
    BL_MOVE_CONTRADICTS, /* targets that cannot all be satisfied */
    BL_MOVE_STUCK,       /* it cannot close any farther, for none of these reasons */
    BL_MOVE_NONE         /* not started, or stopped on request */
} bl_move_end;

typedef struct bl_moved {
    const char *name;
    bool is_angle;
    double from, value; /* at the start, now */
    double wanted;      /* of targets; otherwise NaN */
} bl_moved;

/* The present configuration of the mechanism, also after a failure. Memory of the report. */
typedef struct bl_move_report {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    bl_move_end end;
    double share;      /* fraction of the path from the start to the targets, 0 to 1 */
    const char *joint; /* joint that is singular, or cannot close; NULL: none */
    bl_index mobility; /* degrees of freedom of the mechanism without drivers */
    bl_index free;     /* how many of these neither targets nor drivers determine: they moved with minimum energy */
    bl_index nreleased;
    const char *const *released; /* driven variables that had to be released; other drivers keep their value at the start */
    bl_index ntarget, nvariable, nbody, nprobe;
    const bl_moved *target, *variable; /* [ntarget], [nvariable] */
    const char *const *body;           /* [nbody] without ground */
    const bl_pose *pose;               /* [nbody] */
    const char *const *probe;          /* [nprobe] */
    const double *probe_at;            /* [nprobe][3] */
    const char *model_name;
    long steps, rejected;
    void *own;
} bl_move_report;

/* Samples have "times" from 0 to 1, the fraction of the path; rates are changes over the complete path. BL_E_ARG: unknown or duplicate
 * names. BL_E_ABILITY: no mechanism. BL_E_NUMERIC: it cannot continue; everything up to there has been passed to the sinks, and the
 * report is filled. report and summary may be NULL. */
BL_API bl_status bl_move(bl_context *ctx, const bl_model *model, const bl_move_options *options, bl_sink *sinks, bl_index nsink,
                         bl_move_report *report, bl_run_summary *summary);
BL_API void bl_move_report_destroy(bl_context *ctx, bl_move_report *report);
BL_API const char *bl_move_end_text(bl_move_end end); /* "dead point" */

#ifdef __cplusplus
}
#endif
#endif
