/* Thresholds of complement that a mechanism can meet (base/limit.h). */
#ifndef BL_COMPLEMENT_LIMITS_H
#define BL_COMPLEMENT_LIMITS_H

#include "base/limit.h"

BL_LIMIT(
    complement_pivot, 1e-11, "of the largest entry of a pivot column of the scaled matrix",
    "smaller entries of a pivot column count as zero. Higher: contacts whose normals nearly coincide count as insoluble; lower: rounding "
    "becomes a pivot, and forces become huge",
    "unit_complement_complement")
BL_LIMIT(complement_sign, 1e-9, "of the largest entry of the scaled right-hand side",
         "an unknown down to this below zero counts as zero, and solutions closer than it are one. Higher: contacts that pull slightly are "
         "accepted; lower: solutions on the border between two states are lost to rounding",
         "unit_complement_complement")

#endif
