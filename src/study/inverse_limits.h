/* inverse_limits: thresholds of inverse dynamics and measured motions that a user's model can meet (base/limit.h). */
#ifndef BL_INVERSE_LIMITS_H
#define BL_INVERSE_LIMITS_H

#include "base/limit.h"

/* ---- inverse dynamics: course.c, effort*.c, recorded.c, inverse*.c */

BL_LIMIT(study_course_correction, 0.02, "scales of columns, per step", "higher: a course may change its branch; lower: more steps",
         "verify_study_inverse")
BL_LIMIT(study_course_turn, 0.5, "rad per step", "higher: full revolutions are miscounted; lower: more steps", "verify_study_inverse")
BL_LIMIT(study_course_rolls, 1e-11, "scales of coordinates, tolerance of the path of what rolls",
         "higher: the path of what rolls is less exact; lower: more steps", "verify_study_inverse")
BL_LIMIT(study_course_contradicts, 1e-8, "largest velocity, by which drivers violate a constraint",
         "higher: contradicting drivers pass; lower: rounding is refused", "verify_study_inverse")
BL_LIMIT(study_course_least_step, 1e-9, "time between outputs", "higher: sharp bends end the study; lower: steps shrink in vain",
         "verify_study_inverse")
BL_LIMIT(study_course_no_mass, 1e-12, "largest entry of M in scaled columns",
         "higher: light bodies count as massless; lower: rounding counts as mass", "verify_study_inverse")
BL_LIMIT(study_effort_balanced, 1e-8, "largest term of the balance", "higher: motions without actuator pass; lower: rounding is refused",
         "verify_study_inverse")
BL_LIMIT(study_effort_rank, 1e-9, "largest entry of R^T B in weights",
         "higher: weak actuators count as none; lower: rounding counts as an actuator", "verify_study_inverse")
BL_LIMIT(study_effort_nothing, 1e-10, "length of gradients, relative to one",
         "higher: limits of forces are judged wrongly; lower: rounding keeps the search going", "verify_study_inverse")
BL_LIMIT(study_recorded_closed, 1e-13, "scales of columns", "higher: measured motions are followed less exactly; lower: rounding",
         "verify_study_inverse")
BL_LIMIT(study_recorded_flat, 1e-9, "scales of columns, where corrections no longer fall",
         "higher: contradictions in tables pass; lower: rounding is refused", "verify_study_inverse")
BL_LIMIT(study_recorded_rank, 1e-7, "share of a motion that measurements see",
         "higher: motions that are measured well count as unmeasured; lower: noise counts as a measurement", "verify_study_inverse")
BL_LIMIT(study_recorded_first_step, 0.3, "scales of columns, per correction at the first time",
         "higher: the start may change its branch; lower: more corrections", "verify_study_inverse")
BL_LIMIT(study_period_same, 1e-7, "largest excursion so far",
         "higher: motions that nearly repeat count as periodic; lower: tolerances of the motion hide the period", "verify_study_inverse")
BL_LIMIT(study_check_stuck, 1e-3, "run, that so many steps must pass",
         "higher: stiff runs are given up; lower: runs beside unbounded forces take long", "verify_study_inverse")
BL_LIMIT(study_check_visible, 1e-12, "m or rad", "higher: growth of deviations is not measured; lower: rounding is", "verify_study_inverse")
BL_LIMIT(study_inverse_ahead, 1e-3, "run, ahead of a singular start",
         "where the rank of actuators is found; higher: another singular configuration may be there; lower: singular to rounding there too",
         "verify_study_inverse")
BL_LIMIT(study_course_velocity, 3, "study_course_correction, of the velocity times the step",
         "higher: a course may change its branch; lower: more steps", "verify_study_inverse")
BL_LIMIT(study_effort_fit, 1e-13, "largest singular value of the active limits",
         "higher: active limits are left out; lower: rounding counts as a limit", "verify_study_inverse")
BL_LIMIT(study_effort_active, 1e-15, "multiplier of a limit", "higher: active limits are dropped; lower: rounding keeps limits active",
         "verify_study_inverse")
BL_LIMIT(study_effort_within, 1e-8, "limit of an actuator, by which it may be exceeded",
         "higher: limits are not kept; lower: rounding is refused", "verify_study_inverse")
BL_LIMIT(
    study_course_dense, 1500, "unknowns",
    "larger mechanisms are refused where full matrices are needed. Higher: time n^3 at every time; lower: models of usual size are refused",
    "verify_study_inverse")
BL_LIMIT(study_effort_rounds, 30, "rounds of the search for active limits, per unknown",
         "higher: searches that cycle take long; lower: forces within their limits are not found", "verify_study_inverse")
BL_LIMIT(study_recorded_iterations, 40, "corrections at one time",
         "higher: contradictions in tables take long; lower: fast motions are followed in shorter steps", "verify_study_inverse")
BL_LIMIT(study_recorded_begin, 200, "corrections at the first time",
         "higher: tables of another mechanism take long; lower: starts far from the first row are refused", "verify_study_inverse")
BL_LIMIT(study_recorded_noise, 1e-12, "1 + first value of a column",
         "the least noise assumed. Higher: exact columns weigh less; lower: exact columns hide all others", "verify_study_inverse")
BL_LIMIT(study_period_candidates, 32, "closest returns to the start that are examined",
         "higher: time; lower: of many near returns the exact one may be missed", "verify_study_inverse")
BL_LIMIT(study_check_patience, 200, "steps within study_check_stuck of the run",
         "higher: runs beside unbounded forces take long; lower: stiff runs are given up", "verify_study_inverse")

/* ---- measured motions: smoothing.c */

BL_LIMIT(study_smooth_strongest, 1e8, "strength of smoothing",
         "higher: rounding spoils the curve; lower: noisy tables with many rows get fewer knots instead", "verify_study_inverse")
BL_LIMIT(study_smooth_weakest, 1e-7, "strength of smoothing",
         "leaves residuals of its square; higher: exact tables are smoothed; lower: rounding", "verify_study_inverse")
BL_LIMIT(study_smooth_few_knots, 12, "knots of a spline",
         "with the strongest smoothing more knots are halved; with these the curve is accepted. Higher: rounding spoils the curve; lower: "
         "the curve cannot follow the motion",
         "verify_study_inverse")
BL_LIMIT(study_recorded_bytes, 256 << 20, "bytes of a table",
         "larger ones are refused. Higher: memory; lower: long measurements are refused", "unit_study_inverse")
BL_LIMIT(study_smooth_validated, 1e-6, "share of the measurements that smoothing does not reproduce",
         "below it cross-validation divides rounding by rounding. Higher: weak smoothing is not tried; lower: its result is a coincidence",
         "verify_study_inverse")
BL_LIMIT(study_period_located, 1e-14, "time, and s",
         "correction of the time of return below which it is found. Higher: periods are less exact; lower: rounding",
         "verify_study_inverse")

#endif
