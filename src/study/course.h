/* course: a known motion: positions, velocities and accelerations as functions of time, prescribed by drivers or by a recording.
 *
 *     phi(q, t) = 0,   G v = b,   G a = c                                    with the rows of the drivers, or
 *     least |(g(q) - y) / s|, then of rates and second rates, on phi = 0     with y measured to s. */
#ifndef BL_STUDY_COURSE_H
#define BL_STUDY_COURSE_H

#include "kkt/kkt.h"
#include "model/model.h"
#include "study/recording.h"
#include "study/study.h"

typedef struct bl_course {
    bl_context *ctx;
    const bl_system *sys;
    const bl_model *model;
    const bl_recording *recording; /* NULL: drivers prescribe the motion */
    bl_state state;                /* at the current time */
    double *a;                     /* [nv] */
    bl_kkt *kkt;                   /* of all rows, at the state */
    bl_eval eval;
    bool singular;      /* the rank is lower here than elsewhere: velocities are not determined and are extrapolated */
    bl_index rank_most; /* largest rank so far */
    bl_index idle;      /* undetermined motions that move no mass */
    double off;         /* of a recording: largest |g(q) - y| / s so far, and its column */
    bl_index off_at;
    long steps;
    /* of mechanisms that roll (course_roll.c) */
    bool rolls;
    bl_state start;
    struct bl_simulation *sim; /* at the time of the state or later; NULL: not begun */
    double *row;               /* [np] */
    bl_state trial;            /* everything below is scratch */
    double *trial_a, *x, *y, *zero, *predicted, *scratch;
    double *matrix, *right, *work, *value; /* measurements: [f][columns], [max], workspace of least squares, [columns] */
    void *block;
} bl_course;

/* start: assembled at its time, copied. The recording (NULL: none) must outlive it. Refuses motions that are not determined and names them;
 * `lacks` is what they lack ("driver"). */
bl_status bl_course_create(const bl_system *sys, const bl_model *model, const bl_recording *recording, const bl_state *start,
                           const char *lacks, bl_course **course);
void bl_course_destroy(bl_course *course); /* NULL is fine */
/* Moves to a time, forward or backward, on its current branch. BL_E_NUMERIC: the mechanism cannot get there. */
bl_status bl_course_move(bl_course *course, double t);

/* course_roll.c: the trial state at a time, positions integrated. x must satisfy all rows: BL_E_ABILITY names one that it does not. */
bl_status bl_course_roll(bl_course *course, double t);
bl_status bl_course_contradiction(bl_course *course, const double *right, const double *x);

/* At the start: `open` motions [open][n] that neither constraints nor measurements determine. Without mass they are idle (a rod that spins
 * about its axis), else BL_E_ABILITY: they lack a driver or a measurement. */
bl_status bl_course_judge(bl_course *course, bl_index open, const double *motions, const char *lacks);

#endif
