/* move, private: shared by the studies of displacements. */
#ifndef BL_MOVE_PRIVATE_H
#define BL_MOVE_PRIVATE_H

#include "biela/move.h"
#include "study/displacement.h"

/* Goals of targets; refuses unknown names, names given twice and values that are not finite. goal[ntarget]. */
bl_status bl_move_goals(const bl_linkage *l, const bl_move_target *target, bl_index ntarget, bl_goal *goal);
/* Reports why it ended early, as an error: BL_E_NUMERIC; BL_OK: it reached its targets, or had none. */
bl_status bl_move_explain(bl_displacement *d);
/* To the end, without samples. */
bl_status bl_move_linkage(bl_linkage *l, const bl_move_target *target, bl_index ntarget);
/* A joint with constraints that are redundant in the configuration of the linkage but not in `other`, and the joints they depend on: "D",
 * and "A, B and C". Empty: none. */
bl_status bl_move_dependent(bl_linkage *l, const double *other, char *part, size_t npart, char *others, size_t nothers);

#endif
