/* start_warnings: describes special starts of a run: massless motions and singular configurations. */
#ifndef BL_START_WARNINGS_H
#define BL_START_WARNINGS_H

#include "study/simulation.h"
#include "study/study.h"

/* After accelerations at the start could not be found: if a motion moves no mass, the error names body, axis and remedy. */
void bl_start_massless(const bl_system *sys, const bl_model *model, const bl_state *start);
/* Whether the constraints lose rank only in this configuration, with the joint and the degrees of freedom: "WHAT is singular: ...". */
typedef struct bl_singular_finding {
    bool is;
    char part[96], text[768];
} bl_singular_finding;
bl_status bl_singular_describe(const bl_system *sys, const bl_model *model, const bl_state *state, const char *what,
                               bl_singular_finding *found);
/* If the constraints lose rank only in the starting configuration: a warning with joint and degrees of freedom, like that of `check`; an
 * error if the policy refuses singular configurations. */
bl_status bl_start_singular(const bl_system *sys, const bl_model *model, const bl_state *start, bl_singular_policy policy);
/* Advice for a body that can rotate about an axis without moving mass. */
const char *bl_start_lacks(const bl_model *model, bl_index body);

#endif
