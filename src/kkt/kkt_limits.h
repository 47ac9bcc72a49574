/* Thresholds of kkt that a mechanism can meet. */
#ifndef BL_KKT_LIMITS_H
#define BL_KKT_LIMITS_H

#include "base/limit.h"

BL_LIMIT(
    kkt_near_singular, 1e-2, "smallest pivot of scaled rows, of the largest",
    "rows whose pivot is below it are about to become dependent: a step that failed there failed at a singular position. Higher: other "
    "failures are taken for singular ones, and another formulation is tried for nothing; lower: a singular position is not recognized",
    "verify_dynamics_passes")

#endif
