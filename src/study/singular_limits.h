/* Thresholds of singular positions: when steps show one, where a run starts again. docs/theory/singular.md has them in one table with those
 * of the measure (kkt/kkt_limits.h) and of shorter steps (integrate). */
#ifndef BL_SINGULAR_LIMITS_H
#define BL_SINGULAR_LIMITS_H

#include "base/limit.h"

BL_LIMIT(
    singular_collapsed, 1e-2, "of the longest recent step",
    "steps below it in a row raise the suspicion of a singular position. Higher: steep motions are looked at for nothing (a look costs one "
    "rank); lower: more steps creep",
    "verify_dynamics_passes")
BL_LIMIT(
    singular_cut, 0.2, "of the longest recent step",
    "shorter steps were cut by the position, and their ends are no states to start from again. Higher: fewer states are kept; lower: a "
    "start may lie too near",
    "verify_dynamics_inversor")
BL_LIMIT(
    singular_back, 3, "longest recent steps",
    "how far before the position another formulation starts, and how far behind it hands back. Higher: more of the motion is its; lower: "
    "the first one is off its branch already",
    "verify_dynamics_change_point")
BL_LIMIT(
    singular_ease, 100, "factor",
    "between tolerances tried where rounding leaves too little of that of the run. Higher: digits are given away; lower: more attempts",
    "verify_dynamics_inversor")
BL_LIMIT(singular_coarsest, 1e-6, "relative tolerance", "the largest one tried so; beyond, another formulation acts",
         "verify_dynamics_inversor")
BL_LIMIT(singular_fixed_tolerance, 1e-8, "relative tolerance",
         "the largest of an adaptive method that acts for one of fixed steps, whose error is not known",
         "verify_dynamics_formulations_singular")

#endif
