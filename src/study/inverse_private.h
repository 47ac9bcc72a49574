/* inverse, private: shared by the files of inverse dynamics. A course gives the motion of the mechanism, an effort the forces it
 * requires. */
#ifndef BL_INVERSE_PRIVATE_H
#define BL_INVERSE_PRIVATE_H

#include "biela/inverse.h"
#include "study/actuators.h"
#include "study/course.h"
#include "study/effort.h"
#include "study/run.h"

typedef struct bl_return {
    double t, near;  /* distance, relative to the largest excursions */
    double from, to; /* the evaluations before and after it, which are farther away */
} bl_return;

typedef struct bl_inverse_run {
    bl_context *ctx;
    const bl_model *model; /* as given */
    bl_model *variant;     /* without drivers, where a table gives the motion; NULL: not needed */
    const bl_model *moved; /* one of the two: whose motion it is */
    bl_inverse_options options;
    bl_run_options asked; /* options.run */
    bl_run run;           /* its model is `moved`, once that is known */
    bl_recording *recording;
    char *table_text; /* of a file that the call named */
    double begin;     /* first time */
    double evaluated; /* last time where forces were evaluated, once begun */
    bool begun;
    double *at; /* output times of a table */
    bool bounded;
    bl_index nactuator;
    bl_actuator *actuator;
    bl_held *held; /* [nheld] of actuators that are not drivers */
    bl_index nheld;
    bl_system *sys;
    bl_state state;
    bl_course *course;
    bl_effort *effort;
    bl_actuators energies, sums; /* integrals of each actuator's power; of its squared force, and last of all power not from potentials */
    double energy_start;
    double *first, *scale; /* [2 nvariable] variables and rates at the first sample; their units */
    bl_return *candidate;  /* where they come close to these again, by time */
    bl_index ncandidate;
    double near[3]; /* distances at the last samples */
    double near_t[3];
    double drift, misfit, energy_error;
    bl_inverse_summary found;
} bl_inverse_run;

/* ---- inverse_setup.c */
/* Table, actuators, system, first state: everything needed before the first sample. */
bl_status bl_inverse_prepare(bl_inverse_run *r);

/* ---- inverse_period.c */
bl_status bl_inverse_watch(bl_inverse_run *r);  /* at every evaluation, with the effort evaluated there */
bl_status bl_inverse_period(bl_inverse_run *r); /* at the end: period, and energies per period */

/* ---- inverse_check.c */
bl_status bl_inverse_check(bl_inverse_run *r);

#endif
