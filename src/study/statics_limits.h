/* statics_limits: thresholds of equilibria, load paths and input decks that a user's model can meet (base/limit.h). */
#ifndef BL_STATICS_LIMITS_H
#define BL_STATICS_LIMITS_H

#include "base/limit.h"

#include <float.h>

/* ---- equilibrium: equilibrium_*.c */

BL_LIMIT(study_newton_falling, 0.03, "force out of balance, by which it falls from step to step",
         "higher: slow convergence is abandoned; lower: Newton's method continues in vain", "verify_study_equilibrium")
BL_LIMIT(study_newton_longest, 0.3, "rad, or size of the mechanism, per step",
         "higher: another equilibrium may be found; lower: more steps", "verify_study_equilibrium")
BL_LIMIT(study_newton_rolls, 0.02, "scales of columns, part of a step of what rolls",
         "higher: equilibria are reached with slip; lower: more parts", "verify_study_equilibrium")
BL_LIMIT(study_newton_small_closing, 1e-3, "scales of columns",
         "higher: the projection may lead to another assembly; lower: good steps are refused", "verify_study_equilibrium")
BL_LIMIT(study_newton_closed, 1e-9, "|phi| / scale", "higher: equilibria of open mechanisms pass; lower: rounding is refused",
         "verify_study_equilibrium")
BL_LIMIT(study_newton_suspect, 1e-13, "largest pivot", "higher: soft structures are examined as singular; lower: singular tangents pass",
         "verify_study_equilibrium")
BL_LIMIT(study_statics_kick, 0.05, "scales of columns",
         "displacement from an unstable equilibrium; higher: may jump over the next one; lower: more steps", "verify_study_equilibrium")
BL_LIMIT(study_statics_far, 1e3, "scales of columns",
         "higher: unsupported motions are recognized late; lower: large displacements are refused", "verify_study_equilibrium")
BL_LIMIT(study_statics_free, 1e-11, "stiffness of its terms", "higher: soft motions count as free; lower: rounding counts as stiffness",
         "verify_study_equilibrium")
BL_LIMIT(study_relax_near, 1e-4, "forces at the beginning of relaxation",
         "higher: Newton's method is tried too early; lower: relaxation takes long", "unit_study_relax")
BL_LIMIT(study_neutral, 1e-11, "largest eigenvalue of the reduced tangent in scaled columns",
         "smaller ones have no sign; higher: soft equilibria count as neutral; lower: rounding (1e-14) has a sign",
         "verify_study_equilibrium")
BL_LIMIT(study_negative, 1e-9, "largest eigenvalue of the reduced tangent in scaled columns",
         "higher: weak instability is missed; lower: rounding is unstable", "verify_study_equilibrium")
BL_LIMIT(
    study_neutral_elastic, 1e-13, "largest eigenvalue of the reduced tangent in scaled columns, of elastic bodies",
    "thin ones bend 1e10 times more easily than they stretch. Higher: soft or buckled bodies count as neutral; lower: rounding (1e-15) "
    "has a sign",
    "verify_elastic_beam_statics")
BL_LIMIT(study_stability_growing, 1e-9, "fastest frequency", "higher: slow growth counts as stable; lower: rounding counts as growth",
         "verify_study_equilibrium")
BL_LIMIT(study_stability_soft, 1e-9, "largest omega^2", "higher: soft motions are named neutral; lower: rounding has a stiffness",
         "verify_study_equilibrium")
BL_LIMIT(study_same_equilibrium, 1e-6, "size of the mechanism, and rad",
         "higher: equilibria near each other become one; lower: one is listed twice", "verify_study_equilibrium_cases")
BL_LIMIT(study_same_energy, 1e-9, "largest energy", "as study_same_equilibrium, for neutral equilibria, which may be anywhere",
         "verify_study_equilibrium_cases")
BL_LIMIT(study_path_turn, 0.3, "rad between tangents", "higher: sharp bends of paths are cut; lower: more steps",
         "verify_study_equilibrium_cases")
BL_LIMIT(study_path_off, 0.5, "displacement across the path, of that along it, in the first step of a branch",
         "higher: branches that begin along the path are missed; lower: the path is followed twice", "verify_study_equilibrium_cases")
BL_LIMIT(study_path_same, 1e-3, "first step", "higher: critical points near each other become one; lower: one is listed twice",
         "verify_study_equilibrium_cases")
BL_LIMIT(study_path_least_step, 1e-4, "first step",
         "higher: critical points near each other are not separated; lower: steps shrink in vain", "verify_study_equilibrium_cases")
BL_LIMIT(study_path_suspected, 8, "change of the last increment, per load",
         "higher: jumps to another branch pass; lower: stiffening structures are examined", "verify_study_equilibrium_cases")
BL_LIMIT(study_path_jump, 0.75, "displacement and unbalanced force of an increment twice as long",
         "higher: jumps to another branch pass; lower: stiffening structures are refused", "verify_study_equilibrium_cases")
BL_LIMIT(study_newton_rough, 1e-3, "relative error of iterative solutions, far from balance",
         "higher: more Newton steps; lower: more iterations in each", "verify_study_equilibrium")
BL_LIMIT(study_newton_exact, 1e-9, "relative error of iterative solutions, near balance",
         "higher: Newton's method converges slowly at the end; lower: iterations follow rounding", "verify_study_equilibrium")
BL_LIMIT(study_descent_back, 0.9, "force along a step at its start, which may act against it at its end",
         "higher: steps climb over to another equilibrium; lower: more steps", "verify_study_equilibrium")
BL_LIMIT(study_descent_flat, 0.5, "square of the forces, along motions without stiffness",
         "higher: unbounded motions are recognized late; lower: soft mechanisms count as unbounded", "verify_study_equilibrium")
BL_LIMIT(study_descent_shift, 1e-4, "mean stiffness, the first shift of a tangent that is not positive definite",
         "higher: short steps; lower: more factorizations", "verify_study_equilibrium")
BL_LIMIT(study_flow_thin, 1e-14, "largest stiffness, drag below which there is none",
         "higher: soft mechanisms converge slowly; lower: more steps", "verify_elastic_beam_statics")
BL_LIMIT(study_flow_margin, 1, "most negative stiffness, drag above what it needs",
         "higher: more steps; lower: steps far along unstable motions", "verify_elastic_beam_statics")
BL_LIMIT(study_flow_exact, 0.1, "drag, and forces at the start of a step, what may be left at its end",
         "higher: steps may end higher than they began; lower: more solutions for each", "verify_elastic_beam_statics")
BL_LIMIT(study_flow_iterations, 12, "solutions in a step", "higher: long steps diverge late; lower: steps are shorter than they could be",
         "verify_elastic_beam_statics")
BL_LIMIT(study_flow_thicker, 8, "factor on the drag after a step", "higher: more steps are refused; lower: more steps",
         "verify_elastic_beam_statics")
BL_LIMIT(study_relax_steps, 2000, "steps of dynamic relaxation",
         "higher: starts without equilibrium take long; lower: far ones are refused", "unit_study_relax")
BL_LIMIT(study_load_difference, 1e-5, "span of a path, over which derivatives by the load are taken, centered",
         "higher: third derivatives; lower: rounding. Errors are 1e-10", "verify_study_equilibrium_cases")
BL_LIMIT(study_branching_located, 1e-9, "step of a path", "higher: branching points are less exact; lower: rounding of eigenvalues",
         "verify_study_equilibrium_cases")
BL_LIMIT(study_statics_sparse, 100, "unknowns of a mechanism with elastic bodies",
         "above it steps to equilibria use sparse matrices. Higher: time n^3; lower: spectra beside them cost more than the steps",
         "verify_elastic_beam_statics")
BL_LIMIT(study_singular_located, 1e-5, "step of a path",
         "higher: singular points are less exact, by its square, since they are interpolated; lower: rounding near them",
         "verify_study_equilibrium_cases")
BL_LIMIT(
    study_singular_share, 0.05, "predicted determinant",
    "higher: curved paths are located less exactly; lower: equilibria of other assembly modes, where it is zero, are taken for the path",
    "verify_study_equilibrium_cases")
BL_LIMIT(study_limit_located, 1e-11, "step of a path", "higher: limit points are less exact; lower: rounding of tangents",
         "verify_study_equilibrium_cases")
BL_LIMIT(study_limit_level, 1e-9, "change of load per length, relative to the first increment, at a limit point",
         "higher: limit points are less exact; lower: rounding of tangents", "verify_study_equilibrium_cases")
BL_LIMIT(study_arc_on_sphere, 1e-7, "square of the arc length", "higher: steps differ from their length; lower: rounding is iterated on",
         "verify_study_equilibrium_cases")
BL_LIMIT(study_arc_displacement, 0.01, "scaled columns per degree of freedom, the least displacement that counts as a first increment",
         "a straight column does not move until it buckles. Higher: displacements hardly count in the arc length; lower: only they do",
         "verify_study_equilibrium_cases")
BL_LIMIT(study_arc_across, 1e-6, "motion without stiffness, its part across the path",
         "higher: branches tangent to the path are missed; lower: the path itself counts as a branch", "verify_study_equilibrium_cases")
BL_LIMIT(study_newton_iterations, 30, "steps of Newton's method for one equilibrium, by default",
         "higher: increments that fail take long; lower: slow convergence is given up", "verify_study_equilibrium")
BL_LIMIT(study_newton_progress, 0.1, "smallest force out of balance so far, by which a new one must be smaller",
         "higher: slow convergence is searched along the step; lower: Newton's method continues in vain", "verify_study_equilibrium")
BL_LIMIT(study_newton_patience, 5, "steps without progress, before shorter ones are tried from the best state",
         "higher: divergence is noticed late; lower: forces that rise before they fall cost a search", "verify_study_equilibrium")
BL_LIMIT(study_newton_halvings, 12, "halvings of a step that does not reduce the forces",
         "higher: failures take long; lower: stiffening structures are given up", "verify_study_equilibrium")
BL_LIMIT(study_descent_iterations, 300, "steps of the descent to the first equilibrium, by default",
         "higher: starts without equilibrium take long; lower: far ones are refused", "verify_study_equilibrium")
BL_LIMIT(study_descent_halvings, 20, "shortenings of a step of the descent",
         "higher: failures take long; lower: narrow valleys of the potential end the descent", "verify_study_equilibrium")
BL_LIMIT(study_descent_shifts, 20, "shifts of a tangent, each ten times the last",
         "higher: tangents that are no numbers take long; lower: strongly negative stiffness ends the descent", "verify_study_equilibrium")
BL_LIMIT(study_descent_shift_least, 1e-6, "mean stiffness, below which a shift is no longer kept for the next step",
         "higher: the first tangent of a step is often not positive definite; lower: steps stay short", "verify_study_equilibrium")
BL_LIMIT(study_statics_kicks, 5, "unstable equilibria left on the way to a stable one",
         "higher: potentials without minimum take long; lower: an unstable equilibrium is reported as the end of the descent",
         "verify_study_equilibrium")
BL_LIMIT(study_statics_runaway, 8, "steps in a row along motions without stiffness",
         "higher: unbounded motions are recognized late; lower: flat stretches of a potential count as unbounded",
         "verify_study_equilibrium")
BL_LIMIT(study_path_parts, 10, "increments of a path, by default, if none is shortened",
         "higher: more equilibria; lower: critical points close together may pass unnoticed", "verify_study_equilibrium_cases")
BL_LIMIT(study_path_longer, 4, "default increments, the longest one",
         "higher: critical points close together may pass unnoticed; lower: more equilibria", "verify_study_equilibrium_cases")
BL_LIMIT(study_path_failures, 5, "increments in a row that fail, each half as long",
         "higher: ends of paths take long; lower: sharp bends end a path", "verify_study_equilibrium_cases")
BL_LIMIT(study_path_points, 10000, "equilibria of a path, by default", "higher: endless paths take long; lower: long ones are cut",
         "verify_study_equilibrium_cases")
BL_LIMIT(study_path_end, 1e-6, "increment, left at the end of a path",
         "higher: the last increment is longer than given; lower: tiny ones that rounding leaves", "verify_study_equilibrium_cases")

/* ---- input decks: deck_*.c */

BL_LIMIT(study_deck_iterations, 20, "Newton steps of an increment", "higher: increments that diverge take long; lower: they are halved",
         "unit_study_deck")
BL_LIMIT(study_deck_converged, 1e-10, "displacement of an increment, the last correction",
         "higher: increments are inexact; lower: rounding is iterated on", "unit_study_deck")
BL_LIMIT(study_deck_same, 1e-9, "length of an increment", "higher: factors of another length are used; lower: rounding of t factors again",
         "unit_study_deck")
BL_LIMIT(study_deck_last, 1e-6, "increment, left at the end of a step", "higher: the last increment is longer than given; lower: tiny ones",
         "unit_study_deck")
BL_LIMIT(study_deck_shortest, 1e-6, "time of a step, where the deck gives no shortest increment",
         "higher: steps are given up early; lower: increments shrink in vain", "unit_study_deck")
BL_LIMIT(study_newton_force_rounding, 16 * DBL_EPSILON, "largest term of the balance",
         "forces out of balance below it are rounding. Higher: equilibria are less exact; lower: stiff structures do not converge",
         "verify_study_equilibrium")
BL_LIMIT(study_newton_step_rounding, 8 * DBL_EPSILON, "size of the coordinates",
         "corrections below it are rounding. Higher: equilibria are less exact; lower: Newton's method continues in vain",
         "verify_study_equilibrium")
BL_LIMIT(study_newton_rounded, 64 * DBL_EPSILON, "size of the coordinates",
         "a correction below it ends the search although forces are out of balance: no better configuration can be stored. Higher: "
         "stiff structures end too early; lower: they end with an error",
         "verify_study_equilibrium")

#endif
