/* option_limits: accepted ranges of tolerances, steps and output intervals, for both the model file and the options of a run. */
#ifndef BL_OPTION_LIMITS_H
#define BL_OPTION_LIMITS_H

#include "base/base.h"

/* Relative tolerances. Numbers have 16 digits and a step makes tens to hundreds of rounding errors: below 1e-14 the step size would be
 * controlled by rounding. Above 0.1 not one digit is correct. */
#define BL_TOLERANCE_LEAST 1e-14
#define BL_TOLERANCE_MOST 0.1
/* Absolute tolerances, in units of the coordinates: larger than any coordinate of a machine in SI units, so the error is not controlled. */
#define BL_ABSOLUTE_MOST 1e9
/* A step, as a fraction of the time to simulate: smaller steps would be lost in the rounding of t. */
#define BL_STEP_LEAST_SHARE 4e-15
/* More outputs than this exceed any disk. */
#define BL_MOST_OUTPUTS 1e9

/* Refuses a value (NaN: not given) outside its range: BL_E_MODEL if place is given, else BL_E_ARG. name: tolerance, absolute, step, every.
 * until: end time of the run; NaN or 0: unknown. */
bl_status bl_limit_check(bl_context *ctx, const bl_place *place, const char *name, double value, double until);

#endif
