/* recorded: the course of a measured motion; for course.c. */
#ifndef BL_STUDY_RECORDED_H
#define BL_STUDY_RECORDED_H

#include "study/course.h"

/* At the trial state: positions that satisfy the constraints and fit the measurements. BL_NO_CONVERGENCE: not found from here. */
bl_status bl_recorded_close(bl_course *course);
/* ... velocities and accelerations. */
bl_status bl_recorded_rates(bl_course *course);
/* The first state, and whether the columns determine the motion. */
bl_status bl_recorded_begin(bl_course *course, const char *lacks);

#endif
