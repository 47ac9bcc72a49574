/* Tolerances, steps and intervals outside their range are refused with the range and the reason. */
#include "model/option_limits.h"
#include "model/model_limits.h"

#include <math.h>
#include <string.h>

static bl_status check_tolerance(bl_context *ctx, bl_status status, const bl_place *place, double value) {
    if (value >= model_tolerance_least && value <= model_tolerance_most)
        return BL_OK;
    bool low = value < model_tolerance_least;
    bl_fail(ctx, status, place, "a tolerance of %g is %s: it must be between %g and %g", value,
            low ? "below the rounding errors" : "so large that not one digit would be correct", model_tolerance_least,
            model_tolerance_most);
    bl_advise(ctx, low ? "1e-12 is about the smallest useful tolerance" : "1e-6 is the default, 1e-3 is coarse");
    return status;
}

static bl_status check_step(bl_context *ctx, bl_status status, const bl_place *place, double step, double until) {
    if (!(until > 0))
        return BL_OK;
    if (step > until) {
        bl_fail(ctx, status, place, "a step of %g s is longer than the time to simulate, %g s", step, until);
        bl_advise(ctx, "the default of fixed-step methods is a thousandth of that time; adaptive methods choose their own steps");
        return status;
    }
    if (step < model_step_least * until) {
        bl_fail(ctx, status, place, "a step of %g s is too small to advance the time up to %g s: it must be at least %g s", step, until,
                model_step_least * until);
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
    if (!strcmp(name, "absolute") && value > model_absolute_most) {
        bl_fail(ctx, status, place, "an absolute tolerance of %g is too large to control the error: it must be at most %g", value,
                model_absolute_most);
        bl_advise(ctx, "it is in m, rad, m/s and rad/s; the default is tolerance times the typical size of each coordinate");
        return status;
    }
    if (!strcmp(name, "every") && until > 0 && until / value > model_outputs_most) {
        bl_fail(ctx, status, place, "an output every %g s until %g s is more than %g outputs", value, until, model_outputs_most);
        bl_advise(ctx, "the default is 200 outputs; --every-step gives one per step");
        return status;
    }
    return BL_OK;
}
