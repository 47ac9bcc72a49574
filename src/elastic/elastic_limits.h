/* Thresholds of elements that a model can reach. */
#ifndef BL_ELASTIC_LIMITS_H
#define BL_ELASTIC_LIMITS_H

#include "base/limit.h"

BL_LIMIT(
    elastic_most_turn, 2.967, "rad, 170 degrees",
    "rotations of nodes from the middle of an element, and of two nodes about the middle from each other, in space: elements that turn "
    "more are refused, since beyond half a turn the shorter way is the opposite one. Higher: an iteration may step over half a turn "
    "unnoticed; lower: coarse meshes are refused that could be solved",
    "unit_elastic_beam_space")

#endif
