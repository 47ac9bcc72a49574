/* Tolerances, steps and intervals that cannot be meant are refused with range and reason. */
#include "model/option_limits.h"

#include <math.h>
#include <string.h>

static bl_status check_tolerance(bl_context *ctx, bl_status status, const bl_place *place, double value) {
    if (value >= BL_TOLERANCE_LEAST && value <= BL_TOLERANCE_MOST)
        return BL_OK;
    bool low = value < BL_TOLERANCE_LEAST;
    bl_fail(ctx, status, place, "a tolerance of %g is %s: it must lie between %g and %g", value,
            low ? "below the rounding of numbers" : "so large that not one digit would be right", BL_TOLERANCE_LEAST, BL_TOLERANCE_MOST);
    bl_advise(ctx, low ? "1e-12 is about the smallest that makes sense" : "1e-6 is the default, 1e-3 is coarse");
    return status;
}

static bl_status check_step(bl_context *ctx, bl_status status, const bl_place *place, double step, double until) {
    if (!(until > 0))
        return BL_OK;
    if (step > until) {
        bl_fail(ctx, status, place, "a step of %g s is longer than the time to simulate, %g s", step, until);
        bl_advise(ctx, "a thousandth of it is the default of fixed-step methods; adaptive ones find their own");
        return status;
    }
    if (step < BL_STEP_LEAST_SHARE * until) {
        bl_fail(ctx, status, place, "a step of %g s is below the rounding of the time %g s: it must be at least %g s", step, until,
                BL_STEP_LEAST_SHARE * until);
        return status;
    }
    return BL_OK;
}

bl_status bl_limit_check(bl_context *ctx, const bl_place *place, const char *name, double value, double until) {
    bl_status status = place ? BL_E_MODEL : BL_E_ARG;
    if (isnan(value))
        return BL_OK;
    if (!(value > 0) || !isfinite(value))
        return bl_fail(ctx, status, place, "%s must be positive and finite, found %g", name, value);
    if (!strcmp(name, "tolerance"))
        return check_tolerance(ctx, status, place, value);
    if (!strcmp(name, "step"))
        return check_step(ctx, status, place, value, until);
    if (!strcmp(name, "absolute") && value > BL_ABSOLUTE_MOST) {
        bl_fail(ctx, status, place, "an absolute tolerance of %g controls nothing: it must not be above %g", value, BL_ABSOLUTE_MOST);
        bl_advise(ctx, "it counts in m, rad, m/s and rad/s; without it, tolerance times the size of each coordinate is taken");
        return status;
    }
    if (!strcmp(name, "every") && until > 0 && until / value > BL_MOST_OUTPUTS) {
        bl_fail(ctx, status, place, "an output every %g s until %g s is more than %g outputs", value, until, BL_MOST_OUTPUTS);
        bl_advise(ctx, "two hundred outputs are the default, --every-step gives one per step");
        return status;
    }
    return BL_OK;
}
