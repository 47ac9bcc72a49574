/* start_conflict, private: which joint, driver or entry of `initial:` prevents the assembly of a start. */
#ifndef BL_START_CONFLICT_H
#define BL_START_CONFLICT_H

#include "study/start.h"

/* repeats the solution with the entries and drivers now in use; BL_NO_CONVERGENCE with the worst equation if it fails */
typedef bl_status bl_start_try(bl_start *s, void *user, double *gap, bl_index *worst);

/* Fails with BL_E_NUMERIC. Solves without drivers and exact values, then adds one after the other: the first that makes it fail is named,
 * and whether it fails with that one alone; if it fails without any, the joint that does not close. */
bl_status bl_start_blame(bl_start *s, bl_start_try *again, void *user);
bl_status bl_start_not_finite(const bl_start *s, bl_index row);
/* After positions were found: refuses entries or drivers of the first or third of three successive angles if their axes are parallel. */
bl_status bl_start_locked(const bl_start *s);

#endif
