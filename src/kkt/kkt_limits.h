/* Thresholds of kkt that a mechanism can meet (base/limit.h). */
#ifndef BL_KKT_LIMITS_H
#define BL_KKT_LIMITS_H

#include "base/limit.h"

BL_LIMIT(kkt_near_singular, 1e-2, "smallest pivot of scaled rows, of the largest",
         "rows whose pivot is below it are about to become dependent: a step that failed there failed at a singular configuration. "
         "Higher: other failures are taken for singular ones, and another formulation is tried in vain; "
         "lower: a singular configuration is not recognized",
         "verify_dynamics_passes")
BL_LIMIT(kkt_no_stiffness, 1e-13, "of the mean stiffness of a coordinate",
         "stiffness below it is rounding: the motion counts as free. Higher: soft springs are ignored; lower: rounding counts as stiffness",
         "unit_kkt_kkt")
BL_LIMIT(kkt_free_shift, 1e-10, "of the mean stiffness of a coordinate",
         "added when motions without stiffness are sought by iteration. Higher: soft motions mix with them; lower: factors of a singular "
         "matrix are rounding",
         "unit_kkt_kkt")
BL_LIMIT(kkt_spread_exact, 1e-14, "of the right-hand side",
         "residual where the iteration for reactions of many redundant constraints ends: rounding of the products is not much smaller. "
         "Higher: reactions lose digits; lower: iterations without effect",
         "conform_kkt_rows")
BL_LIMIT(kkt_singular_saddle, 1.4210854715202004e-14, "pivot of scaled rows, of the largest",
         "64 roundings. Higher: soft but supported systems count as unsupported; lower: rounding counts as support", "unit_kkt_kkt")

#endif
