/* start_words: what is special about the configuration a run starts from, named. */
#ifndef BL_START_WARNINGS_H
#define BL_START_WARNINGS_H

#include "study/simulation.h"
#include "study/study.h"

/* After accelerations at the start could not be found: where a motion moves no mass, the error names body, axis and what to give it. */
void bl_start_massless(const bl_system *sys, const bl_model *model, const bl_state *start);
/* Whether the constraints lose rank at a place only, with the names of the joint and its degrees of freedom: "WHAT is singular: ...". */
typedef struct bl_singular_finding {
    bool is;
    char part[96], text[768];
} bl_singular_finding;
bl_status bl_singular_describe(const bl_system *sys, const bl_model *model, const bl_state *place, const char *what,
                               bl_singular_finding *found);
/* Where the constraints lose rank in the starting position only: a warning with joint and dof, as `check` gives it; an error where
 * singular positions are refused. */
bl_status bl_start_singular(const bl_system *sys, const bl_model *model, const bl_state *start, bl_singular_policy policy);
/* What a body lacks that can turn about an axis without moving mass. */
const char *bl_start_lacks(const bl_model *model, bl_index body);

#endif
