/* Thresholds of complement that a mechanism can meet (base/limit.h). */
#ifndef BL_COMPLEMENT_LIMITS_H
#define BL_COMPLEMENT_LIMITS_H

#include "base/limit.h"

BL_LIMIT(complement_immobile, 1e-10, "of the mobility of the bodies of a contact",
         "directions in which a mechanism moves less by an impulse are those in which it cannot move. Higher: heavy mechanisms are not "
         "moved; lower: rounding moves what is held, with impulses without bound",
         "unit_complement_cone_groups")
BL_LIMIT(
    complement_coulomb_settled, 1e-13, "of the largest force",
    "a sweep that changes less ends the iteration that guesses the modes of contacts, and directions of sliding. Higher: directions in "
    "space lose digits; lower: sweeps without effect",
    "unit_complement_coulomb")
BL_LIMIT(
    complement_coulomb_sign, 1e-10, "of the largest force, or speed, of the problem",
    "forces and speeds down to this below zero count as zero: a contact that neither presses nor opens may be either. Higher: contacts "
    "pull slightly, or open backwards; lower: rounding decides that no combination of modes is possible",
    "unit_complement_coulomb")
BL_LIMIT(
    complement_coulomb_loose, 1e-7, "of the largest force, or speed, of the problem",
    "the same in a second search, where none is possible with that. Higher: as above; lower: contacts that depend on each other by the "
    "constraints of a mechanism, whose velocities satisfy these to the tolerance of a run, have no solution",
    "unit_complement_coulomb")
BL_LIMIT(
    complement_coulomb_coupled, 1e-12, "of the diagonal",
    "contacts that act on each other less are solved apart. Higher: impulses are lost on their way through heavy bodies; lower: rounding "
    "couples contacts, and too many combinations remain to try",
    "unit_complement_coulomb")
BL_LIMIT(
    complement_coulomb_still, 1e-6, "of the largest speed",
    "contacts that slip slower in the guess are first taken to stick. Higher: slow ones are tried in vain; lower: of contacts that share "
    "friction one carries all it can",
    "unit_complement_coulomb")
BL_LIMIT(complement_coulomb_rank, 1e-11, "of the largest singular value",
         "below it forces are redundant and get the least norm. Higher: contacts that are nearly dependent share forces; lower: rounding "
         "becomes a large force",
         "unit_complement_coulomb")
BL_LIMIT(complement_coulomb_residual, 1e-8, "of the largest right-hand side",
         "speeds of closed contacts down to it count as zero where forces are redundant. Higher: contacts penetrate each other; lower: "
         "contacts that depend on each other through rounded geometry have no solution",
         "unit_complement_coulomb")
BL_LIMIT(complement_coulomb_same, 1e-6, "of the largest speed",
         "solutions that differ less are one. Higher: different motions count as one; lower: one motion is reported as two",
         "unit_complement_coulomb")
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
