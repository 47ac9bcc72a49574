/* Thresholds for singular configurations: when steps indicate one, and where a run restarts. docs/theory/singular.md lists them in one
 * table with those of the rank measure (kkt/kkt_limits.h) and of shorter steps (integrate). */
#ifndef BL_SINGULAR_LIMITS_H
#define BL_SINGULAR_LIMITS_H

#include "base/limit.h"

BL_LIMIT(
    singular_collapsed, 1e-2, "of the longest recent step",
    "shorter steps in a row suggest a singular configuration. Higher: fast motions are checked in vain (a check costs one rank); lower: "
    "more short steps are taken before the check",
    "verify_dynamics_passes")
BL_LIMIT(singular_patience, 12, "collapsed steps in a row",
         "after which the configuration is checked, and again after twice as many. Higher: short steps are taken in vain; lower: methods "
         "that restart with short steps are checked in vain",
         "verify_dynamics_passes")
BL_LIMIT(
    singular_crept, 200, "collapsed steps in a row of the last formulation tried",
    "then the run ends: at the limit of a mechanism's reach it would continue forever. Higher: such runs end late; lower: fast motions "
    "end there",
    "verify_dynamics_passes")
BL_LIMIT(singular_own_steps, 48, "shortened steps in a row with no singular configuration known",
         "more are due to the motion itself, and their states are kept for a restart. Higher: a restart is far back; lower: it may be too "
         "close to a singular configuration",
         "verify_dynamics_inversor")
BL_LIMIT(
    singular_cut, 0.2, "of the longest recent step",
    "shorter steps were shortened by the singular configuration, and a restart from their ends would fail again. Higher: fewer states are "
    "kept; lower: a restart may be too close",
    "verify_dynamics_inversor")
BL_LIMIT(
    singular_back, 3, "longest recent steps",
    "how far before the singular configuration another formulation starts, and how far after it hands back. Higher: it computes more of "
    "the motion; lower: the first one has already left its branch",
    "verify_dynamics_change_point")
BL_LIMIT(singular_ease, 100, "factor",
         "between tolerances tried where rounding does not allow that of the run. Higher: digits are lost; lower: more attempts",
         "verify_dynamics_inversor")
BL_LIMIT(singular_coarsest, 1e-6, "relative tolerance", "the largest one tried that way; beyond it another formulation takes over",
         "verify_dynamics_inversor")
BL_LIMIT(singular_fixed_tolerance, 1e-8, "relative tolerance",
         "the largest for an adaptive method that takes over from a fixed-step method, whose error is unknown",
         "verify_dynamics_formulations_singular")

#endif
