/* multistep: the engine of implicit formulas with constant step.
 *
 * A kind is its `formula` slot, a table of parameters and these slots. Parameters are found by name: `start` (absent: the formula needs
 * one value only), then BL_MULTISTEP_PARAMS. A family whose `start` offers `ramp` has its number of steps, k, as first parameter. */
#ifndef BL_MULTISTEP_H
#define BL_MULTISTEP_H

#include "integrate/implicit.h"
#include "integrate/method_coefficients.h"

/* choices: of "trapezoidal|ramp|richardson|exact", the first is the default */
#define BL_START_PARAM(words)                                                                                                              \
    {                                                                                                                                      \
        .name = "start", .type = BL_P_CHOICE, .choices = words,                                                                            \
        .help = "first values: by the trapezoidal rule, by formulas of increasing k, by Richardson extrapolation, from the known solution" \
    }
#define BL_MULTISTEP_PARAMS                                                                                                 \
    {.name = "guess",                                                                                                       \
     .type = BL_P_CHOICE,                                                                                                   \
     .choices = "extrapolated|last",                                                                                        \
     .help = "initial guess of Newton's method: the extrapolated past values where that predicts well, or the last value"}, \
        {.name = "newton_tolerance",                                                                                        \
         .type = BL_P_NUMBER,                                                                                               \
         .flags = BL_POSITIVE,                                                                                              \
         .fallback = 1e-12,                                                                                                 \
         .help = "largest relative update at which the iteration ends"},                                                    \
        BL_NEWTON_PARAMS

/* Refuses k outside 1..most; else *k is it. */
bl_status bl_multistep_steps(bl_context *ctx, const bl_integrator_kind *kind, const bl_value *value, int most, int *k);

bl_status bl_multistep_create(bl_integrator *integ);
bl_status bl_multistep_start(bl_integrator *integ);
bl_status bl_multistep_attempt(bl_integrator *integ, double h, double *error);
bl_status bl_multistep_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h);
void bl_multistep_accept(bl_integrator *integ);
bl_status bl_multistep_dense(const bl_integrator *integ, double t, double *y);
void bl_multistep_destroy(bl_integrator *integ);

/* All slots of a kind except `formula`; the first without `create`, for kinds with checks of their own. */
#define BL_MULTISTEP_STEPPING                                                                                                         \
    .start = bl_multistep_start, .attempt = bl_multistep_attempt, .next_step = bl_multistep_next_step, .accept = bl_multistep_accept, \
    .dense = bl_multistep_dense, .destroy = bl_multistep_destroy
#define BL_MULTISTEP_SLOTS .create = bl_multistep_create, BL_MULTISTEP_STEPPING

#endif
