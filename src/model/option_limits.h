/* option_limits: tolerances, steps and output intervals within the ranges of model_limits.h, for both the model file and the options of a
 * run. */
#ifndef BL_OPTION_LIMITS_H
#define BL_OPTION_LIMITS_H

#include "base/base.h"

/* Refuses a value (NaN: not given) outside its range: BL_E_MODEL if place is given, else BL_E_ARG. name: tolerance, absolute, step, every.
 * until: end time of the run; NaN or 0: unknown. */
bl_status bl_limit_check(bl_context *ctx, const bl_place *place, const char *name, double value, double until);

#endif
