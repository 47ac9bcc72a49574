/* Thresholds of stepping that a mechanism can meet (base/limit.h). */
#ifndef BL_STEPPING_LIMITS_H
#define BL_STEPPING_LIMITS_H

#include "base/limit.h"

BL_LIMIT(
    stepping_resting, 4, "of the velocity that gravity adds in a step",
    "contacts that approach more slowly do not bounce. Higher: small bounces are lost; lower: bodies at rest rattle, their bounces being "
    "shorter than a step",
    "unit_stepping_bounces")
BL_LIMIT(stepping_overlap, 1e-4, "of the size of the smaller shape",
         "overlap below it is left. Higher: visible; lower: displacements in many steps, each of which lifts bodies a little",
         "unit_stepping_piles")
BL_LIMIT(stepping_tolerance, 1e-4, "of the velocity that gravity adds in a step",
         "change of velocities in the last sweep over contacts. Higher: piles creep; lower: more sweeps", "unit_stepping_piles")
BL_LIMIT(stepping_speed, 1e-3, "of the largest approaching velocity",
         "the least velocity that the tolerance is relative to: impacts are as accurate as their size. Higher: impacts lose digits; lower: "
         "sweeps for digits that nobody sees",
         "unit_stepping_bounces")

#endif
