/* move, private: what the studies of displacements share. */
#ifndef BL_MOVE_PRIVATE_H
#define BL_MOVE_PRIVATE_H

#include "biela/move.h"
#include "study/displacement.h"

/* Goals of targets; refuses unknown names, names given twice and values that are not finite. goal[ntarget]. */
bl_status bl_move_goals(const bl_linkage *l, const bl_move_target *target, bl_index ntarget, bl_goal *goal);
/* Why it ended before its end, as an error: BL_E_NUMERIC; BL_OK: it did not, or was not asked to go anywhere. */
bl_status bl_move_explain(bl_displacement *d);
/* To the end, without samples. */
bl_status bl_move_linkage(bl_linkage *l, const bl_move_target *target, bl_index ntarget);
bl_move_end bl_move_end_of(bl_way_end end);
/* Joints whose equations follow from those of others at the place of the linkage and not at `other`: "D", and "A, B and C". Empty: none. */
bl_status bl_move_dependent(bl_linkage *l, const double *other, char *part, size_t npart, char *others, size_t nothers);

#endif
