/* topology_limits: thresholds of joints without coordinates (base/limit.h). Rows are scaled: velocities in units of a typical length, a
 * row to typical size 1. */
#ifndef BL_TOPOLOGY_LIMITS_H
#define BL_TOPOLOGY_LIMITS_H

#include "base/limit.h"

BL_LIMIT(topology_zero, 1e-15, "share of the largest entry of a reduced row",
         "higher: small entries of long chains are lost; lower: rounding fills the rows, and chains take longer", "unit_topology_blocks")
BL_LIMIT(topology_direction, 1e-7, "component of a unit direction, distance in typical lengths",
         "axes that agree to this are called parallel, concurrent, the same. Higher: axes that were meant to differ get a name; lower: "
         "mechanisms closed to 1e-9 of their size lose it",
         "verify_topology_exceptions")
BL_LIMIT(topology_takes_part, 1e-8, "coefficient in a dependence of scaled rows",
         "higher: joints far away in a loop are not named as part of a redundancy; lower: joints are named that take part by rounding",
         "unit_topology_topology")
BL_LIMIT(topology_turned_far, 0.5, "cosine of the angle by which a weld or slider is turned about its axis",
         "below it the row is that of the angle instead of the dot product, which vanishes half a turn away, too. Nearer to 1 or to 0: "
         "a start half a turn off closes in more steps",
         "unit_topology_twists")
BL_LIMIT(topology_slides, 1e-9, "angular part of a unit motion", "words only: a passive motion that turns less is called a slide",
         "verify_topology_exceptions")

#endif
