/* course: a motion that is known: where a mechanism is at a time, how fast it moves and how it accelerates. Drivers say it, or a recording.
 *
 *     phi(q, t) = 0,   G v = b,   G a = c                                    with the rows of the drivers, or
 *     least |(g(q) - y) / s|, then of rates and second rates, on phi = 0     with y measured to s. */
#ifndef BL_STUDY_COURSE_H
#define BL_STUDY_COURSE_H

#include "kkt/kkt.h"
#include "model/model.h"
#include "study/recording.h"
#include "study/study.h"

enum { BL_COURSE_DENSE = 1500 }; /* unknowns up to which motions are found by full matrices where others will not do */

typedef struct bl_course {
    bl_context *ctx;
    const bl_system *sys;
    const bl_model *model;
    const bl_recording *recording; /* NULL: drivers say the motion */
    bl_state state;                /* at the time it was last moved to */
    double *a;                     /* [nv] */
    bl_kkt *kkt;                   /* of all rows, at the state */
    bl_eval eval;
    bool singular;      /* rows have less rank here than elsewhere: velocities go on as before, they are not determined */
    bl_index rank_most; /* of rows, so far */
    bl_index idle;      /* motions that nothing determines, and that move no mass */
    double off;         /* of a recording: largest |g(q) - y| / s so far, and of which column */
    bl_index off_at;
    long steps;
    bl_state trial; /* everything below is scratch */
    double *trial_a, *x, *y, *zero, *turn, *place;
    double *matrix, *right, *work, *value; /* of measurements: [f][columns], [max], of least squares, [columns] */
    void *block;
} bl_course;

/* start: assembled at its time, copied. The recording (NULL: none) must outlive it. Refuses motions that are not determined, by name:
 * `lacks` is what they lack ("driver"). */
bl_status bl_course_create(const bl_system *sys, const bl_model *model, const bl_recording *recording, const bl_state *start,
                           const char *lacks, bl_course **course);
void bl_course_destroy(bl_course *course); /* NULL is fine */
/* Moves to a time, forwards or back, on the branch it is on. BL_E_NUMERIC: the mechanism cannot get there. */
bl_status bl_course_move(bl_course *course, double t);

/* At the start: `open` motions [open][n] that neither rows nor measurements determine. Without mass they are idle (a rod that spins about
 * itself), else they lack something: BL_E_ABILITY. */
bl_status bl_course_judge(bl_course *course, bl_index open, const double *motions, const char *lacks);

#endif
