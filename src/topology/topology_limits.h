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
BL_LIMIT(topology_independent, 1e-12, "square of a motion, its part that others do not contain",
         "higher: passive motions are missed; lower: rounding counts as a passive motion", "verify_topology_exceptions")

/* ---- effort of searches */

BL_LIMIT(topology_search, 2e5, "sets of links examined for structural groups",
         "then the groups found without a search are reported. Higher: time; lower: groups of large mechanisms are not divided",
         "verify_topology_structure")
BL_LIMIT(topology_locked_links, 300, "links of a group",
         "in larger groups parts that cannot move are not looked for. Higher: time n^2; lower: such parts are not reported",
         "verify_topology_structure")
BL_LIMIT(topology_trials, 100, "joints whose order is changed to find smaller groups",
         "higher: time; lower: groups of overconstrained mechanisms are larger than necessary", "verify_topology_exceptions")
BL_LIMIT(topology_trial_rows, 1500, "constraint equations", "with more no such trial is made. As topology_trials",
         "verify_topology_exceptions")
BL_LIMIT(topology_choices, 2000, "choices of driven joints that are compared", "higher: long lists; lower: choices are left out",
         "unit_topology_inputs")
BL_LIMIT(topology_choices_least, 20, "choices, however large the mechanism", "higher: time; lower: large mechanisms get hardly any choice",
         "unit_topology_inputs")
BL_LIMIT(topology_choices_work, 8e6, "links, pairs and inputs of all choices together", "higher: time; lower: choices are left out",
         "unit_topology_inputs")
BL_LIMIT(topology_result_links, 1000, "links", "with more the matrix of the structure is not made. Higher: memory n^2",
         "verify_topology_structure")
BL_LIMIT(topology_loop_pairs, 1.6e7, "pairs of all loops together", "with more the loops are counted, not listed. Higher: memory",
         "verify_topology_structure")

#endif
