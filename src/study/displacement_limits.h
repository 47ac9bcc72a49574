/* displacement_limits: thresholds of finite displacements, rates and pictures that a user's model can meet (base/limit.h). */
#ifndef BL_DISPLACEMENT_LIMITS_H
#define BL_DISPLACEMENT_LIMITS_H

#include "base/limit.h"

/* ---- displacements and pictures: move_messages.c, rates.c, scene_points.c */

BL_LIMIT(study_move_singular, 1e-6, "rank tolerance in a singular configuration found on the way",
         "which is known to the root of rounding; higher: joints that are not redundant are named; lower: none is found",
         "verify_study_move")
BL_LIMIT(study_rates_fixed, 1e-12, "transmission ratio, in sizes",
         "higher: large mechanical advantages are reported as infinite; lower: rounding makes a finite one", "verify_study_rates")
BL_LIMIT(study_scene_same, 1e-9, "size of the model", "higher: close points of a body are drawn as one; lower: rounding doubles points",
         "unit_study_scene")

/* ---- finite displacements: displacement*.c, move*.c, rates.c */

BL_LIMIT(study_way_independent, 1e-7, "share of a gradient that must be independent",
         "higher: targets near dead points count as fixed; lower: rounding counts as a motion", "verify_study_move")
BL_LIMIT(study_way_probe, 1e-2, "rad, or lengths",
         "a small motion that shows what joints do to second order; higher: third order; lower: rounding", "verify_study_move")
BL_LIMIT(study_way_changes, 1e-8, "sizes, over study_way_probe", "higher: slight motions count as none; lower: rounding counts as motion",
         "verify_study_move")
BL_LIMIT(study_way_farthest, 0.3, "rad, or lengths, per step", "higher: may change the branch; lower: more steps", "verify_study_move")
BL_LIMIT(study_way_shortest, 1e-10, "rad, or lengths", "higher: narrow passages end the displacement; lower: steps shrink in vain",
         "verify_study_move")
BL_LIMIT(study_way_corrects, 0.1, "step, correction by the assembly", "higher: may end on another branch; lower: more steps",
         "verify_study_move")
BL_LIMIT(study_way_touching, 0.25, "larger end of the singular values", "higher: dead points pass for branches; lower: branches are missed",
         "verify_study_move")
BL_LIMIT(study_way_around, 4e-3, "length of the path",
         "distance from a singular configuration at which it is classified; higher: too far away; lower: assemblies there are inaccurate",
         "verify_study_move")
BL_LIMIT(study_way_runs_away, 100, "length of the path", "higher: targets at infinity are recognized late; lower: long paths end",
         "verify_study_move")
BL_LIMIT(study_way_steps, 20000, "steps of a displacement", "higher: endless displacements take long; lower: long ones are refused",
         "verify_study_move")
BL_LIMIT(study_way_first_step, 0.05, "rad, or lengths", "higher: the first step is repeated; lower: more steps", "verify_study_move")
BL_LIMIT(study_way_asks, 1e-14, "value of a goal, or its unit",
         "higher: small displacements are ignored; lower: rounding is a displacement", "verify_study_move")
BL_LIMIT(study_way_closed, 1e-13, "sizes, gaps", "higher: steps leave gaps; lower: rounding is corrected in vain", "verify_study_move")
BL_LIMIT(study_way_closed_enough, 1e-11, "sizes, where gaps no longer fall",
         "higher: steps leave gaps; lower: configurations closed up to rounding are refused", "verify_study_move")
BL_LIMIT(study_way_level, 1e-9, "share of s in the direction of the path, below which s does not change",
         "higher: dead points are found too early; lower: rounding gives the direction", "verify_study_move")
BL_LIMIT(study_way_pivot, 1e-13, "pivots of unit rows", "higher: nearly dependent joints end an iteration; lower: least-norm steps explode",
         "verify_study_move")
BL_LIMIT(study_way_follows, 1e-12, "sizes, error of a step where motions of least energy are followed",
         "higher: the end depends on the steps; lower: more steps, and rounding", "verify_study_move")
BL_LIMIT(study_way_predicts, 1e-4, "sizes, error of a step where the goals determine the configuration",
         "higher: assembly may change the branch; lower: more steps", "verify_study_move")
BL_LIMIT(study_way_loosens, 1e-3, "ds / length, in units of its column",
         "below it study_way_follows grows. Higher: the end depends on the steps; lower: steps follow rounding of directions",
         "verify_study_move")
BL_LIMIT(study_way_crawls, 1e-6, "rad, or lengths, of successive steps", "higher: narrow passages end the motion; lower: it ends late",
         "verify_study_move")
BL_LIMIT(study_way_idles, 1e-5, "ds / length, in units of its column", "higher: slow goals end the motion; lower: endless ones go on",
         "verify_study_move")
BL_LIMIT(study_way_lands, 1e-10, "length of the path, over which the rest is assembled at the requested value",
         "higher: motions of least energy are left; lower: more steps", "verify_study_move")
BL_LIMIT(study_way_lands_determined, 1e-4, "the same, where the goals determine the configuration",
         "higher: assembly may change the branch; lower: more steps", "verify_study_move")
BL_LIMIT(study_way_same, 1e-12, "s, between a dead point and the end", "higher: values out of reach count as reached; lower: rounding",
         "verify_study_move")
BL_LIMIT(study_way_extreme, 1e-14, "ds / length, in units of its column, at a dead point",
         "higher: dead points are less exact; lower: rounding", "verify_study_move")
BL_LIMIT(study_way_beside, 1e-5, "rad, or lengths, over which the smallest singular value is differentiated",
         "higher: curvature; lower: rounding", "verify_study_move")
BL_LIMIT(study_way_branches_to, 1e-9, "s, between a bifurcation and the requested value",
         "higher: values beyond a bifurcation count as reached; lower: a requested bifurcation is refused", "verify_study_move")
BL_LIMIT(study_move_agrees, 1e-8, "sizes", "higher: contradicting targets pass; lower: rounding is refused", "verify_study_move")
BL_LIMIT(study_rates_none, 1e-7, "share of a gradient or a motion",
         "higher: small ratios are reported as none; lower: positions known to the root of rounding make some", "verify_study_rates")
BL_LIMIT(study_way_iterations, 12, "Newton steps that close the joints after a step",
         "higher: steps that fail cost more; lower: shorter steps", "verify_study_move")
BL_LIMIT(study_way_crawling, 400, "steps in a row below study_way_crawls",
         "higher: motions that are stuck end late; lower: narrow passages end them", "verify_study_move")
BL_LIMIT(
    study_way_coordinates, 600, "coordinates of all bodies",
    "larger mechanisms are refused: steps use full matrices. Higher: time n^3 in every step; lower: mechanisms of usual size are refused",
    "unit_study_move")
BL_LIMIT(study_way_named, 0.05, "rate of the fastest variable",
         "higher: variables that take part are not named; lower: long lists of names", "verify_study_move")
BL_LIMIT(study_way_at_rest, 1e-3, "rate of the fastest body", "higher: slow bodies are not blamed; lower: bodies at rest are",
         "verify_study_move")
BL_LIMIT(study_way_dead_located, 1e-3, "study_way_shortest",
         "interval in which a dead point is located. Higher: it is less exact; lower: bisection of rounding", "verify_study_move")
BL_LIMIT(study_way_rounding, 1e-15, "rad or m",
         "difference to a target below which it is reached. Higher: targets are reached less exactly; lower: bisection of rounding",
         "verify_study_move")

#endif
