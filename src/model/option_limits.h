/* option_limits: which tolerances, steps and output intervals can be meant. One home, for the model file and for the options of a run. */
#ifndef BL_OPTION_LIMITS_H
#define BL_OPTION_LIMITS_H

#include "base/base.h"

/* Relative tolerances. Numbers carry 16 digits and a step rounds some ten to a hundred times: below 1e-14 it is rounding that is
 * controlled, and steps shrink for nothing. Above 0.1 not one digit is right. */
#define BL_TOLERANCE_LEAST 1e-14
#define BL_TOLERANCE_MOST 0.1
/* Absolute tolerances, in units of the coordinates: beyond the size of anything that SI measures in a machine, nothing is controlled. */
#define BL_ABSOLUTE_MOST 1e9
/* A step, as a share of the time to simulate: times are told apart by some steps of this. */
#define BL_STEP_LEAST_SHARE 4e-15
/* More outputs than this fill any disk. */
#define BL_MOST_OUTPUTS 1e9

/* Refuses a value (NaN: not given) that cannot be meant: BL_E_MODEL where place is given, else BL_E_ARG. name: tolerance, absolute, step,
 * every. until: of the run; NaN or 0: not known. */
bl_status bl_limit_check(bl_context *ctx, const bl_place *place, const char *name, double value, double until);

#endif
