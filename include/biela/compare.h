/* compare: one model solved in many ways, and whether the answers agree.
 *
 * A reference run at a hundredth of the tolerance, checked by a second one of different kinds, shows how sensitive the motion is; every
 * other combination of coordinates, formulation and integrator is measured against it. */
#ifndef BIELA_COMPARE_H
#define BIELA_COMPARE_H

#include "biela/biela.h" /* bl_model */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bl_compare_motions bl_compare_motions;

/* Fields that are NULL or 0 take the model's choice, then the default. Of coordinates, formulation and integrator those that are "all" are
 * varied and no others: coordinates in every form (natural, natural:switching, ..., reference:angles, relative), each with its own default
 * formulation unless one is said. */
typedef struct bl_compare_options {
    const char *coordinates, *formulation, *integrator, *linsol, *ordering; /* the middle: what the other axes keep while one is varied */
    double until, tolerance;
    double step;  /* fixed-step methods take this step; 0: halved until two successive answers agree */
    double limit; /* seconds of the clock for one combination; 0: 10. The reference may take ten times as long */
    bool all;     /* every combination instead of one axis at a time */
    /* what is tried; none: every kind there is */
    const char *const *coordinates_tried, *const *formulations_tried, *const *integrators_tried;
    bl_index ncoordinates_tried, nformulations_tried, nintegrators_tried;
    /* before each combination, "" at the end; may be NULL */
    void (*progress)(void *user, bl_index done, bl_index total, const char *combination);
    void *progress_user;
    const bl_compare_motions *motions; /* may be NULL */
} bl_compare_options;

typedef enum bl_agreement {
    BL_AGREED,
    BL_DISAGREED,
    BL_SKIPPED,         /* over its limit of time, or a parameter without a default */
    BL_REFUSED,         /* the kinds do not fit, not this model, or a singular position that the formulation says it refuses */
    BL_AGREEMENT_FAILED /* ended early with a numerical failure, or does not converge */
} bl_agreement;
const char *bl_agreement_text(bl_agreement agreement); /* "agreed", "disagreed", "skipped", "refused", "failed" */

/* One combination. Numbers that are not known are NaN or 0. */
typedef struct bl_compare_entry {
    const char *coordinates, *formulation, *integrator;
    bl_agreement agreement;
    double trajectory, reactions; /* largest difference to the reference, relative: positions and velocities; NaN: not compared */
    /* differences that count as agreement: the report's, and for fixed steps twice the error that successive halvings show; NaN: unknown */
    double allowed, allowed_reactions;
    char worst[96]; /* what differs most: a body, variable, probe, joint */
    double worst_time;
    double drift, energy_error;
    double tolerance, step; /* used; step 0: adaptive */
    long steps, evaluations;
    double wall_seconds; /* of the run compared, without finding its step, building the model and writing the motion */
    char reason[512];    /* of everything but agreement */
} bl_compare_entry;

/* Takes the motions behind the numbers, sampled as often as a run by itself would be. A combination may need several runs: tolerances are
 * refined, steps halved. The last one that came to its end is the one compared. */
struct bl_compare_motions {
    void *user;
    bl_status (*begin)(void *user, bl_context *ctx, const bl_run_options *options, bl_sink *sink); /* a sink for one run */
    bl_status (*done)(void *user); /* that run came to its end, and its sink is destroyed */
    /* the last one done belongs to report->entry[entry], which agreed or disagreed, or is the reference (-1) */
    bl_status (*keep)(void *user, bl_index entry, const bl_compare_entry *of);
};

typedef struct bl_compare_report {
    const char *model_name;
    double until, tolerance; /* until: an event of the reference may end it earlier */
    /* the reference, and the run that checked it (NULL: none could) */
    const char *reference, *check;
    double reference_tolerance;
    bl_compare_entry reference_run;                       /* what it took; differences are NaN */
    double reference_trajectory, reference_reactions;     /* how far the two differ */
    double sensitivity;                                   /* that over the tolerance of the reference, at least 1 */
    double allowed, allowed_reactions;                    /* differences that count as agreement; NaN: not compared */
    bl_index joints, joints_undetermined, joints_partial; /* reactions left out: all of a joint's, some directions */
    double length, force, moment;                         /* what differences of positions and reactions are relative to */
    bl_index nentry, agreed, disagreed, skipped, refused, failed;
    const bl_compare_entry *entry;
    void *own;
} bl_compare_report;

/* Runs the combinations. BL_OK also when some disagree or fail: look at report->disagreed and report->failed. BL_STOPPED: asked to; the
 * entries made so far are there. Negative: nothing could be compared. The report is to be destroyed in every case. */
bl_status bl_compare(bl_context *ctx, const bl_model *model, const bl_compare_options *options, bl_compare_report *report);
void bl_compare_report_destroy(bl_context *ctx, bl_compare_report *report);

#ifdef __cplusplus
}
#endif
#endif
