/* topology_limits: thresholds of joints without coordinates (base/limit.h). Rows are scaled: velocities in units of a typical length, a
 * row to typical size 1. */
#ifndef BL_TOPOLOGY_LIMITS_H
#define BL_TOPOLOGY_LIMITS_H

#include "base/limit.h"

BL_LIMIT(topology_zero, 1e-15, "relative to the largest entry of a reduced row",
         "higher: small entries of long chains are lost; lower: rounding errors fill the rows, and long chains are slower",
         "unit_topology_blocks")
BL_LIMIT(topology_direction, 1e-7, "component of a unit direction, distance in typical lengths",
         "axes that agree to this are reported as parallel, concurrent or identical. Higher: different axes are reported, too; lower: "
         "axes of mechanisms assembled to 1e-9 of their size are not",
         "verify_topology_exceptions")
BL_LIMIT(topology_takes_part, 1e-8, "coefficient in a linear dependence of scaled rows",
         "higher: joints far away in a loop are not named as part of a redundancy; lower: joints are named that take part by rounding only",
         "unit_topology_topology")
BL_LIMIT(topology_turned_far, 0.5, "cosine of the angle by which a fixed or prismatic joint is rotated about its axis",
         "below it the row is that of the angle instead of the dot product, which vanishes at 180 degrees, too. Closer to 1 or to 0: a "
         "start with an error of 180 degrees takes more steps to assemble",
         "unit_topology_twists")
BL_LIMIT(topology_slides, 1e-9, "angular part of a unit motion", "wording only: a passive motion with less rotation is called sliding",
         "verify_topology_exceptions")

#endif
