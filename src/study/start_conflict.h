/* start_blame, private: which joint, driver or entry keeps a start from closing. */
#ifndef BL_START_CONFLICT_H
#define BL_START_CONFLICT_H

#include "study/start.h"

/* once more with what counts now: BL_NO_CONVERGENCE and the worst row where it does not close */
typedef bl_status bl_start_try(bl_start *s, void *user, double *gap, bl_index *worst);

/* Fails with BL_E_NUMERIC. Closes without drivers and exact values, then adds one after the other: the first with which it does not close
 * is named, and whether it closes with that one alone; without any, the joint that is open. */
bl_status bl_start_blame(bl_start *s, bl_start_try *again, void *user);
bl_status bl_start_not_finite(const bl_start *s, bl_index row);
/* Positions were found: refused where entries or drivers speak of the first or third of three successive angles whose axes are parallel. */
bl_status bl_start_locked(const bl_start *s);

#endif
