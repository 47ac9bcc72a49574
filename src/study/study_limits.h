/* study_limits: thresholds of the studies that a user's model can meet (base/limit.h). */
#ifndef BL_STUDY_LIMITS_H
#define BL_STUDY_LIMITS_H

#include "base/limit.h"

/* ---- assembly: assembly_positions.c, start*.c, algebraic.c, closure.c, check.c */

BL_LIMIT(study_closed, 1e-12, "|phi| / scale",
         "higher: starts keep gaps that a run shows as drift; lower: rounding never falls below it and iterations continue in vain",
         "property_study_closing")
BL_LIMIT(study_closed_enough, 1e-9, "|phi| / scale, where gaps no longer fall",
         "higher: a mechanism that does not close is accepted; lower: badly scaled ones that close to rounding are refused",
         "property_study_closing")
BL_LIMIT(study_longest_move, 0.35, "rad, or scale of a column, per step of the assembly",
         "higher: linear equations lead to another assembly; lower: more steps", "property_study_closing")
BL_LIMIT(study_start_settled, 1e-12, "change of a start, in scaled columns", "higher: starts depend on the coordinates; lower: rounding",
         "unit_study_start")
BL_LIMIT(
    study_start_least_mass, 1e-9, "mean mass, and mean mass x typical length^2 for inertias",
    "massless motions are determined by the least motion; higher: light bodies count as heavier than they are; lower: rounding decides",
    "unit_study_start")
BL_LIMIT(
    study_start_fast, 1e4, "requested rates",
    "motions so much faster, which change over study_start_beside, mean that the mechanism is at the limit of its reach: velocities there "
    "have no correct digit. Higher: such starts pass; lower: gears and screws are refused",
    "unit_study_start")
BL_LIMIT(study_start_beside, 1e-5, "rad, or typical length",
         "where velocities are compared with those of the start; higher: curvature; lower: rounding of a position known to 1e-7",
         "unit_study_start")
BL_LIMIT(study_start_changes, 0.1, "velocities, over study_start_beside",
         "higher: starts at the limit of the reach pass; lower: starts near it are refused", "unit_study_start")
BL_LIMIT(study_start_faster, 100, "requested rates", "as study_start_fast, for a warning: a few digits are lost", "unit_study_start")
BL_LIMIT(study_start_changes_some, 1e-3, "velocities, over study_start_beside", "as study_start_changes, for a warning", "unit_study_start")
BL_LIMIT(
    study_start_locked, 1e-5, "sine of the angle between the first and the third axis of three successive angles",
    "the configuration nearest to a given first angle far away is the one where it is undetermined, found to 1e-6; higher: good starts are "
    "refused; lower: meaningless ones pass",
    "unit_study_start")
BL_LIMIT(study_most_spread, 1e6, "entries of a dense matrix",
         "higher: time and memory of assemblies with closure; lower: gaps of dimensions are not spread evenly over large loops",
         "verify_study_closure")
BL_LIMIT(study_closure_pace, 0.1,
         "scales of columns, per step of the walk that distinguishes special geometry from singular configurations",
         "higher: the assembly fails on the walk; lower: it does not get far", "verify_study_closure")
BL_LIMIT(study_closure_reach, 0.25, "scales of columns, that the walk must reach",
         "higher: mechanisms with a short range of motion are not examined; lower: a singular configuration passes for special geometry",
         "verify_study_closure")
BL_LIMIT(study_assembly_rounds, 200, "Newton steps of an assembly",
         "higher: mechanisms that cannot be assembled take long; lower: starts far away are refused", "property_study_closing")
BL_LIMIT(study_assembly_rank, 1e-3, "largest singular value, below which others count as zero while gaps are as large",
         "higher: independent equations are left out; lower: equations that become dependent at the solution spoil the steps",
         "property_study_closing")
BL_LIMIT(study_settled_distance, 1e-12, "squared change of a start, in scaled columns",
         "higher: starts are not the nearest assembled ones; lower: the search for the nearest one is repeated for rounding",
         "unit_study_assemble")
BL_LIMIT(study_settled_step, 1e-10, "scaled columns, a step toward the nearest assembled configuration",
         "higher: starts are not the nearest assembled ones; lower: steps follow rounding", "unit_study_assemble")
BL_LIMIT(study_settled_shortest, 1e-9, "scaled columns, longest step allowed after failures",
         "higher: the search ends before the nearest configuration; lower: more steps without progress", "unit_study_assemble")
BL_LIMIT(study_velocities_closed, 1e-13, "1 + largest scaled velocity", "higher: velocities violate G v = b; lower: rounding is corrected",
         "unit_study_assemble")
BL_LIMIT(study_algebraic_rounds, 60, "Newton steps", "higher: equations without solution take long; lower: poor initial values are refused",
         "verify_equations")
BL_LIMIT(study_algebraic_stalled, 1e-9, "relative change of algebraic variables, where residuals no longer fall",
         "higher: equations without solution pass; lower: rounding is refused", "verify_equations")
BL_LIMIT(study_beside_far, 0.1, "scales of columns, from the start to a configuration where the rank is compared",
         "higher: cannot be assembled there; lower: a singular start still looks singular", "unit_study_check")
BL_LIMIT(study_beside_near, 0.02, "the same, in every second attempt", "as study_beside_far", "unit_study_check")
BL_LIMIT(study_beside_moved, 0.1, "that distance, which must remain after assembly",
         "higher: good configurations are refused; lower: the start itself is taken for another configuration", "unit_study_check")
BL_LIMIT(study_beside_moved_later, 0.01, "the same, where time passes too", "as study_beside_moved", "unit_study_check")
BL_LIMIT(study_beside_time, 0.1, "that distance, as a share of the run",
         "higher: drivers lead too far away; lower: drivers hold the mechanism at the start", "unit_study_check")

/* ---- balance of energy and momentum: balance.c, momentum.c */

BL_LIMIT(study_balance_large, 0.1, "largest energy or momentum",
         "higher: wrong motions go unreported; lower: coarse tolerances are reported", "verify_study_balance")
BL_LIMIT(study_balance_many, 100, "tolerances per step",
         "error that is allowed. Higher: wrong motions go unreported; lower: methods whose errors add up are reported",
         "verify_study_balance")
BL_LIMIT(study_balance_coarse, 10, "tolerances", "as study_balance_large, where tolerances are large", "verify_study_balance")
BL_LIMIT(study_balance_worthless, 0.5, "largest energy",
         "higher: worthless answers are only warned of; lower: inaccurate ones count as worthless", "verify_study_balance")
BL_LIMIT(study_balance_lasts, 0.02, "run", "higher: short faults are missed; lower: starts at rest, where energies are small, are reported",
         "verify_study_balance")
BL_LIMIT(study_balance_grave, 2, "largest energy", "higher: short faults are missed; lower: starts at rest are reported",
         "verify_study_balance")
BL_LIMIT(study_balance_rounding, 1e-11, "energies or momenta that are added",
         "higher: small faults are missed; lower: rounding is reported", "verify_study_balance")
BL_LIMIT(study_balance_slow, 1e-4, "largest energy of motion so far",
         "higher: fixed steps of slow motions are not judged; lower: they are judged by energies that are too small",
         "verify_study_balance")
BL_LIMIT(study_balance_suspect, 1e-2, "largest energy, as the ends of steps show it",
         "higher: faults inside steps are missed; lower: more steps are sampled inside", "verify_study_balance")
BL_LIMIT(study_drift, 1e-3, "smallest scale of a coordinate",
         "higher: drift goes unreported; lower: formulations that drift within their tolerance are reported", "verify_study_balance")
BL_LIMIT(study_drift_yielding, 1e-2, "smallest scale of a coordinate, of formulations with compliant constraints", "as study_drift",
         "verify_study_balance")
BL_LIMIT(study_drift_apart, 1, "smallest scale of a coordinate",
         "higher: runs continue with bodies apart by their own size; lower: they end too early", "verify_study_balance")
BL_LIMIT(study_drift_tolerances, 1e3, "tolerances", "as study_drift, where tolerances are large", "verify_study_balance")
BL_LIMIT(study_growth, 100, "times the distance of two motions when it began to grow",
         "higher: instability of explicit steps is reported late; lower: motions that grow by themselves are reported",
         "verify_study_balance")
BL_LIMIT(study_growth_rate, 1.001, "from sample to sample", "higher: slow instability is missed; lower: rounding counts as growth",
         "verify_study_balance")

/* ---- laws of drivers: drivers.c */

BL_LIMIT(study_driver_jump, 1e3, "change that the next derivative explains",
         "higher: small jumps of rates are missed; lower: steep laws are taken for jumps", "verify_driven")
BL_LIMIT(study_driver_pole_near, 1e-3, "time to the pole when it was first seen",
         "higher: runs end long before the pole; lower: steps shrink for long before it", "verify_driven")
BL_LIMIT(study_driver_pole_agrees, 0.01, "time to the pole", "higher: a bend passes for a pole; lower: poles are recognized late",
         "verify_driven")
BL_LIMIT(study_driver_pole_sure, 1e-9, "time to the pole when it was first seen",
         "higher: smoothed poles count as poles; lower: rounding of the law", "verify_driven")
BL_LIMIT(study_driver_slope_least, 0.05, "1 / (1 + order of the pole)",
         "higher: weak poles are missed; lower: exponential growth counts as a pole", "verify_driven")
BL_LIMIT(study_driver_slope_most, 0.95, "1 / (1 + order of the pole)", "lower: weak poles are missed; higher: curved laws count as poles",
         "verify_driven")
BL_LIMIT(study_driver_visible, 1e-9, "largest value beside a jump", "higher: small jumps are not named; lower: rounding is a jump",
         "unit_study_start_words")
BL_LIMIT(study_driver_grown, 1e6, "1 + value a little earlier, when a run failed",
         "higher: poles and roots are not named as its cause; lower: steep laws are", "unit_study_start_words")
BL_LIMIT(study_driver_growing, 1e3, "the same, a thousand spacings of t before", "as study_driver_grown", "unit_study_start_words")

/* ---- events and explicit steps: events.c, event_roots.c, critical.c */

BL_LIMIT(study_event_located, 1e-13, "time, or length of the step",
         "higher: events are located less exactly; lower: rounding of dense output", "conform_study_events")
BL_LIMIT(study_event_crowded, 1e-9, "time span, in which a run ends after study_event_most_crowded events",
         "higher: fast switching is refused; lower: runs that do not advance go on", "conform_study_switches")
BL_LIMIT(study_event_most_crowded, 1000, "events", "higher: runs that do not advance go on for long; lower: fast switching is refused",
         "conform_study_switches")
BL_LIMIT(study_event_resolved, 1e-14, "largest Chebyshev coefficient, the last ones",
         "higher: events between samples are missed; lower: rounding is never below it and intervals are halved in vain",
         "unit_study_event_roots")
BL_LIMIT(study_event_plateau, 1e-9, "largest Chebyshev coefficient, below which coefficients that no longer fall are rounding",
         "higher: kinks pass for rounding; lower: inexact functions are halved in vain", "unit_study_event_roots")
BL_LIMIT(study_critical_offset, 1e-6, "scale of the unknowns, over which forces are differentiated",
         "higher: forces are not linear; lower: rounding", "verify_stability_second_order")
BL_LIMIT(study_critical_safe, 0.8, "critical step", "higher: steps chosen by default may be unstable; lower: more steps",
         "verify_stability_second_order")

/* ---- inverse dynamics: course.c, effort*.c, recorded.c, inverse*.c */

BL_LIMIT(study_course_correction, 0.02, "scales of columns, per step", "higher: a course may change its branch; lower: more steps",
         "verify_study_inverse")
BL_LIMIT(study_course_turn, 0.5, "rad per step", "higher: full revolutions are miscounted; lower: more steps", "verify_study_inverse")
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
BL_LIMIT(study_period_near, 0.3, "largest excursion so far",
         "higher: more candidates are examined; lower: fast returns are missed between samples", "verify_study_inverse")
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

/* ---- equilibrium: equilibrium_*.c */

BL_LIMIT(study_newton_falling, 0.97, "force out of balance, from step to step",
         "higher: Newton's method continues in vain; lower: slow convergence is abandoned", "verify_study_equilibrium")
BL_LIMIT(study_newton_longest, 0.3, "rad, or size of the mechanism, per step",
         "higher: another equilibrium may be found; lower: more steps", "verify_study_equilibrium")
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
BL_LIMIT(study_path_off, 0.5, "cosine to the direction across the path",
         "higher: branches are taken for the path; lower: the path is followed twice", "verify_study_equilibrium_cases")
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
BL_LIMIT(study_relax_steps, 2000, "steps of dynamic relaxation",
         "higher: starts without equilibrium take long; lower: far ones are refused", "unit_study_relax")
BL_LIMIT(study_load_difference, 1e-5, "span of a path, over which derivatives by the load are taken, centered",
         "higher: third derivatives; lower: rounding. Errors are 1e-10", "verify_study_equilibrium_cases")
BL_LIMIT(study_branching_located, 1e-9, "step of a path", "higher: branching points are less exact; lower: rounding of eigenvalues",
         "verify_study_equilibrium_cases")
BL_LIMIT(study_singular_located, 1e-9, "step of a path", "higher: singular points are less exact; lower: rounding of determinants",
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

/* ---- modes and linearization: modes_*.c, linearize*.c, spectrum.c */

BL_LIMIT(study_asymmetric, 1e-7, "largest entry of the reduced stiffness",
         "higher: forces without potential get real modes; lower: rounding makes modes complex", "verify_study_modes")
BL_LIMIT(study_damped, 1e-13, "sqrt(K_r M_r)", "higher: weak damping is left out; lower: rounding makes modes complex",
         "verify_study_modes")
BL_LIMIT(study_massless_pivot, 1e-11, "largest pivot of M, squared",
         "higher: light bodies are examined for massless motions; lower: massless motions spoil the modes", "verify_study_modes")
BL_LIMIT(study_rigid, 1e-12, "terms of x^T H x", "higher: soft modes count as rigid; lower: rounding gives rigid motions a frequency",
         "verify_study_modes")
BL_LIMIT(study_rigid_rows, 1e-10, "the same with multipliers found by iteration", "as study_rigid", "verify_study_modes")
BL_LIMIT(study_repeated, 1e-8, "eigenvalue", "higher: close modes are reported as repeated; lower: rounding separates repeated ones",
         "verify_study_modes")
BL_LIMIT(study_no_growth, 1e-11, "largest eigenvalue",
         "real parts below are neither growth nor decay; higher: slow growth is missed; lower: rounding is growth", "verify_study_modes")
BL_LIMIT(study_modes_coupled, 1e-6, "damping of the modes themselves",
         "higher: coupling that modes leave out goes unreported; lower: rounding is reported", "unit_study_modes")
BL_LIMIT(study_out_of_balance, 1e-6, "forces", "higher: modes of configurations out of balance; lower: equilibria of a run are refused",
         "verify_study_modes")
BL_LIMIT(study_stands, 1e-6, "scales of columns per s", "higher: slow motions count as rest; lower: what a run leaves counts as motion",
         "verify_study_modes")
BL_LIMIT(study_cyclic, 1e-8, "largest entries of the linearized equations",
         "higher: weak dependence on an angle is left out; lower: rounding makes motions unsteady", "verify_study_modes")
BL_LIMIT(study_steady_same, 1e-6, "largest entries of the linearized equations",
         "higher: unsteady motions pass; lower: rounding is refused", "verify_study_modes")
BL_LIMIT(study_steady_longest, 0.2, "scales of columns, per step to a steady motion",
         "higher: another motion may be found; lower: more steps", "verify_study_modes")
BL_LIMIT(study_chart_slight, 1e-6, "largest row",
         "coordinates that measure less are not chosen; higher: named coordinates are skipped; lower: badly conditioned charts",
         "verify_study_charts")
BL_LIMIT(study_chart_turning, 1e-9, "fastest angular velocity",
         "higher: global angles of slowly rotating bodies are used; lower: rounding refuses them", "verify_study_charts")

/* ---- check and start warnings: findings.c, start_warnings.c, structure_study.c */

BL_LIMIT(
    study_check_same_point, 1e-9, "typical size of a body",
    "joints closer than this have the same point; higher: different joints are reported as duplicates; lower: rounding hides duplicates",
    "unit_study_check")
BL_LIMIT(study_check_no_inertia, 1e-12, "mass x typical size^2",
         "higher: light bodies are reported as idle; lower: rounding counts as inertia", "unit_study_check")
BL_LIMIT(study_check_spin_rank, 1e-6, "largest moment of inertia, squared",
         "higher: slender bodies with two different moments are missed; lower: points count as rods", "unit_study_check")
BL_LIMIT(study_check_spin, 1e-9, "largest moment of inertia",
         "higher: thick rods count as slender; lower: rounding counts as axial inertia", "unit_study_check")
BL_LIMIT(study_check_idle, 1e-9, "resistance of the joints to a rotation, relative",
         "higher: weakly constrained rotations count as free; lower: rounding counts as a constraint", "unit_study_check")
BL_LIMIT(study_start_slender, 1e-6, "square of the moments of inertia",
         "higher: thick bodies get the advice for rods; lower: rounding hides rods", "unit_study_start_words")
BL_LIMIT(study_structure_dense, 1e6, "entries of the Jacobian",
         "higher: the structure of large models takes long; lower: redundancy in a singular start is taken as permanent",
         "verify_topology_exceptions")

/* ---- runs: integrate_function.c, simulation.c */

BL_LIMIT(study_function_start, 1e-5, "scale of an equation",
         "higher: starts that violate the constraints pass; lower: starts with few digits are refused", "unit_study_integrate_function")
BL_LIMIT(study_dense_closed, 1e-13, "|phi| / scale, of samples inside steps",
         "higher: samples drift more than steps, for formulations that satisfy constraints to rounding; lower: samples cost an assembly",
         "conform_study_read_samples")
BL_LIMIT(study_dense_velocity, 1e-3, "projection tolerance, of velocities of samples inside steps",
         "higher: velocities of samples drift; lower: samples cost an assembly", "conform_study_read_samples")

/* ---- default methods: plan.c, stiffness.c */

BL_LIMIT(study_plan_drift_saves, 0.25, "share of the predicted cost",
         "that formulations with drift and projection must save against those that satisfy constraints to rounding; higher: slower runs; "
         "lower: drift for little gain",
         "unit_study_plan")
BL_LIMIT(study_plan_shape_saves, 0.1, "share of the predicted cost",
         "that natural coordinates must save on a tree: their cost also depends on its shape, which is not counted; higher: relative "
         "coordinates where natural ones are faster; lower: natural ones on wide trees, which are slow",
         "unit_study_plan")
BL_LIMIT(study_plan_series_saves, 0.1, "share of the predicted cost",
         "that relative coordinates must save with loops or piecewise laws: power series pass singular configurations in natural ones; "
         "higher: slower runs; lower: handovers at singular configurations",
         "unit_study_plan")
BL_LIMIT(study_stiff_patience, 2, "work of the run so far",
         "before the next attempt after a change of method that did not pay off; higher: stiffness is found late; lower: useless changes",
         "verify_study_stiffness")
BL_LIMIT(study_stiff_harder, 4, "stiffness at the last attempt", "as study_stiff_patience, where the motion becomes stiffer",
         "verify_study_stiffness")
BL_LIMIT(study_stiff_followed, 0.25, "h |lambda| at the stability limit",
         "implicit steps above it resolve the mode; higher: useless changes are repeated; lower: stiff phases are taken for oscillations",
         "verify_study_stiffness")
BL_LIMIT(study_stiff_pays, 0.5, "work of the implicit method",
         "at which explicit steps are expected to pay off; higher: the methods alternate often; lower: implicit steps last too long",
         "verify_study_stiffness")
BL_LIMIT(study_stiff_least_pays, 1.0 / 64, "work of the implicit method",
         "to which study_stiff_pays falls after returns that did not pay off; higher: the methods alternate often; lower: no return",
         "verify_study_stiffness")
BL_LIMIT(study_stiff_many_steps, 1500, "explicit steps",
         "compared with which a trial of the implicit method is cheap; higher: stiff runs start slowly; lower: trials in short runs",
         "verify_study_stiffness")
BL_LIMIT(study_stiff_trial_work, 4000, "evaluations",
         "of the run before a trial on an oscillation, which may fail; higher: trials come late; lower: trials cost a notable share",
         "verify_study_stiffness")
BL_LIMIT(study_stiff_slower, 0.25, "step at the last estimate",
         "shorter implicit steps are compared at once; higher: more estimates; lower: ends of stiff phases are noticed late",
         "verify_study_stiffness")

/* ---- motion between steps: residual.c, turns.c */

BL_LIMIT(study_residual_sign, 0.01, "component, change of its mean rate over a step",
         "higher: errors inside steps are missed; lower: more steps are checked", "verify_study_residual")
BL_LIMIT(study_residual_record, 1.5, "largest change that passed a check", "higher: errors are found late; lower: more steps are checked",
         "verify_study_residual")
BL_LIMIT(study_residual_uneven, 0.25, "mean rate of a fixed step",
         "higher: errors inside fixed steps are missed; lower: more rates per check", "verify_study_residual")
BL_LIMIT(study_residual_half, 0.5, "change of a component over a fixed step",
         "an error above it means that steps do not resolve the motion; higher: coarse steps pass; lower: usable steps are reported",
         "verify_study_residual")
BL_LIMIT(study_residual_large, 0.1, "component", "higher: wrong steps pass; lower: coarse tolerances are reported", "verify_study_residual")
BL_LIMIT(study_residual_coarse, 10, "tolerances", "as study_residual_large, where tolerances are large", "verify_study_residual")
BL_LIMIT(study_residual_small, 1e-6, "typical size of a component",
         "smaller components are not judged by themselves; higher: errors of small components are missed; lower: rounding is reported",
         "verify_study_residual")
BL_LIMIT(study_residual_off, 0.1, "tolerance, violation of the constraints at checks",
         "its effect on a rate is below the error of dense output; higher: that error is exceeded; lower: checks cost more",
         "verify_study_residual")
BL_LIMIT(study_residual_peak, 2, "mean rate of a step",
         "a larger rate suggests a pole, near which it exceeds 2.8; higher: poles are missed; lower: more searches",
         "verify_study_residual")
BL_LIMIT(study_residual_pole, 0.75, "exponent p of growth like distance^-p",
         "between p = 1/2, which is integrable, and p = 1, which is not; higher: poles are missed; lower: steep laws are refused",
         "verify_study_residual")
BL_LIMIT(study_turns_far, 2.5, "rad per step",
         "angles are known to 0.5 rad, so that rotations up to it stay below half a revolution; higher: revolutions are miscounted; lower: "
         "more evaluations",
         "verify_study_turns")
BL_LIMIT(study_turns_settled, 0.5, "rad, change of an angle when points are doubled",
         "higher: revolutions are miscounted; lower: more evaluations", "verify_study_turns")

/* ---- sliding along jumps of laws: sliding.c */

BL_LIMIT(study_slide_most_off, 0.01, "half of the jump, error of the blend at the end of a step",
         "higher: the motion leaves the border; lower: shorter steps", "conform_study_sliding")
BL_LIMIT(study_slide_least_off, 1e-4, "half of the jump",
         "smaller errors of the blend are not corrected, since a restart costs more; higher: the motion drifts off; lower: more restarts",
         "conform_study_sliding")
BL_LIMIT(study_slide_pull, 2, "intervals between corrections, in which a distance from the border vanishes",
         "higher: the motion stays off the border; lower: it oscillates about it", "conform_study_sliding")
BL_LIMIT(study_slide_most_pull, 0.05, "half of the jump, correction toward the border",
         "higher: forces of corrections are visible; lower: the motion stays off the border", "conform_study_sliding")
BL_LIMIT(study_slide_first, 0.05, "last step, until the first correction",
         "higher: the motion leaves the border at first; lower: more restarts", "conform_study_sliding")
BL_LIMIT(study_slide_longer, 2, "time between the last corrections", "higher: steps that fail the check; lower: steps grow slowly",
         "conform_study_sliding")

/* ---- measured motions: smoothing.c */

BL_LIMIT(study_smooth_strongest, 1e8, "strength of smoothing",
         "higher: rounding spoils the curve; lower: noisy tables with many rows get fewer knots instead", "verify_study_inverse")
BL_LIMIT(study_smooth_weakest, 1e-7, "strength of smoothing",
         "leaves residuals of its square; higher: exact tables are smoothed; lower: rounding", "verify_study_inverse")

/* ---- eigenvalues and responses: modes_*.c, spectrum.c, linear*.c, response*.c */

BL_LIMIT(study_modes_rounding, 1e-13, "largest eigenvalue, squared",
         "higher: weak growth of close eigenvalues is missed; lower: rounding is growth", "verify_study_modes")
BL_LIMIT(study_modes_regular, 1e-11, "largest pivot of the tangent",
         "higher: soft structures cost a second pass; lower: rigid motions spoil the iteration", "verify_study_modes")
BL_LIMIT(study_modes_dependent, 1e-10, "squared length of a vector in the mass metric",
         "higher: close modes are lost; lower: rounding counts as a mode", "verify_study_modes")
BL_LIMIT(study_modes_located, 1e-13, "range of the parameter", "higher: changes of stability are located coarsely; lower: rounding",
         "verify_study_modes_cases")
BL_LIMIT(study_steady_rest, 1e-9, "fastest rate", "higher: slow motions count as rest; lower: rounding counts as motion",
         "verify_study_modes_cases")
BL_LIMIT(study_steady_exact, 1e-14, "accelerations", "higher: the search for a steady motion ends early; lower: it works on rounding",
         "verify_study_modes_cases")
BL_LIMIT(study_steady_settled, 1e-13, "scales of columns, last step of Newton's method",
         "higher: the search for a steady motion ends early; lower: it works on rounding", "verify_study_modes_cases")
BL_LIMIT(study_linear_massless, 1e-12, "largest pivot",
         "higher: mechanisms with light bodies are refused; lower: massless motions spoil the state equations", "verify_study_charts")
BL_LIMIT(study_linear_drives, 1e-8, "rate of the driver, violation of other constraints",
         "higher: drivers that cannot move pass; lower: rounding is refused", "verify_study_charts")
BL_LIMIT(study_spectrum_zero, 1e-12, "largest singular value",
         "higher: slow modes count as rigid; lower: rounding gives rigid motions a frequency", "unit_study_spectrum")
BL_LIMIT(study_spectrum_doubtful, 1e-9, "largest singular value",
         "between study_spectrum_zero and this the model decides; higher: more such checks; lower: rigid motions get a frequency",
         "unit_study_spectrum")
BL_LIMIT(study_spectrum_undamped, 1e-14, "largest frequency", "higher: weak damping is left out; lower: rounding counts as damping",
         "unit_study_spectrum")
BL_LIMIT(study_spectrum_real, 1e-14, "largest eigenvalue",
         "higher: slow oscillations count as decay; lower: rounding makes double eigenvalues a pair", "unit_study_spectrum")
BL_LIMIT(study_spectrum_infinite, 1e-10, "1 / lambda, in units of the fastest motion",
         "higher: fast modes of light bodies are left out; lower: massless motions get a frequency", "unit_study_spectrum")
BL_LIMIT(study_spectrum_pencil_zero, 1e-7, "lambda, in units of the fastest motion",
         "higher: slow modes count as rigid; lower: rounding, the root of which double eigenvalues show, gives them a frequency",
         "unit_study_spectrum")
BL_LIMIT(study_response_pole, 30, "roundings of |A| times its order",
         "higher: responses near weakly damped poles are infinite; lower: rounding is reported as a response", "verify_study_response")
BL_LIMIT(study_response_residue, 1000, "roundings of |c| |b| times the order",
         "higher: weak resonances are missed; lower: uncoupled motions resonate", "verify_study_response")
BL_LIMIT(study_response_undamped, 1e-9, "frequency of a pole", "higher: narrow peaks are cut; lower: points at the rounding of a pole",
         "verify_study_response")
BL_LIMIT(study_response_flank, 1e-4, "frequency of an undamped pole, distance of the nearest point",
         "higher: curves end far from the pole; lower: more points", "verify_study_response")
BL_LIMIT(study_response_notch, 1.05, "minimum of a response, of both neighbors",
         "higher: notches are drawn too shallow; lower: more points", "verify_study_response")

/* ---- methods and orderings: stability_region.c, order_cost.c */

BL_LIMIT(study_stability_slack, 1e-14, "growth per step that counts as none",
         "higher: weakly unstable methods count as stable; lower: rounding is instability", "unit_study_stability")
BL_LIMIT(study_stability_near, 0.05, "h |lambda| of the first sample",
         "higher: short stability intervals count as 0; lower: rounding hides weak growth", "unit_study_stability")
BL_LIMIT(study_stability_far, 1e5, "h |lambda| up to which rays are sampled",
         "higher: more time; lower: long stability intervals count as infinite", "unit_study_stability")
BL_LIMIT(study_order_flops, 1e9, "operations", "higher: tables of orderings take long; lower: large matrices are not measured",
         "unit_study_order")

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

/* ---- compare: compare*.c */

BL_LIMIT(study_compare_most, 1e-2, "relative difference", "higher: wrong motions agree; lower: sensitive motions cannot be compared",
         "verify_study_compare_fixed")
BL_LIMIT(study_compare_margin, 10, "tolerances, times the sensitivity of the motion",
         "higher: wrong motions agree; lower: constants of methods make them disagree", "verify_study_compare_fixed")
BL_LIMIT(study_compare_reference, 0.01, "tolerance, of the reference",
         "higher: the reference is no better than what it judges; lower: it takes long", "verify_study_compare_fixed")
BL_LIMIT(study_compare_least_tolerance, 1e-13, "relative",
         "lower: methods work on rounding; higher: inaccurate methods get no second attempt", "verify_study_compare_fixed")
BL_LIMIT(study_compare_error, 0.25e-2, "relative error of a fixed step, by its own estimate",
         "higher: coarse steps are judged; lower: methods of low order take long", "verify_study_compare_fixed")
BL_LIMIT(study_compare_converging, 1.6, "ratio of errors when the step is halved, order 0.7",
         "higher: methods of order 1 do not settle; lower: noise counts as convergence", "verify_study_compare_fixed")
BL_LIMIT(study_compare_dependent, 1e-6, "relative, of reactions",
         "higher: determined reactions are left out; lower: the tolerance of samples makes undetermined ones count",
         "unit_study_compare_motion")
BL_LIMIT(study_compare_seconds, 10, "s, per combination", "higher: slow combinations take long; lower: they are skipped",
         "verify_study_compare_fixed")
BL_LIMIT(study_compare_sensitive, 0.1, "study_compare_most, as difference of the two reference runs",
         "higher: motions are compared beyond their predictability; lower: sensitive motions are refused", "verify_study_compare_fixed")
BL_LIMIT(study_compare_settled, 0.05, "allowed difference, of two successive results",
         "higher: coarse steps are judged; lower: more halvings", "verify_study_compare_fixed")
BL_LIMIT(study_compare_stalled, 0.7, "difference before a halving",
         "higher: methods that stall run long; lower: slow convergence counts as none", "verify_study_compare_fixed")

/* ---- names of motions */
BL_LIMIT(study_names_worth, 0.1, "rate of the fastest variable",
         "higher: variables that take part are not named; lower: long lists of names", "verify_study_modes")
BL_LIMIT(study_names_by_variables, 0.05, "rate of the fastest body, in sizes and radians",
         "higher: motions are named by bodies where variables describe them; lower: by variables that hardly move", "verify_study_modes")
BL_LIMIT(study_names_zero, 1e-9, "rate of the fastest", "higher: slow variables do not count; lower: rounding counts as motion",
         "verify_study_modes")
BL_LIMIT(study_modes_no_motion, 1e-9, "displacement / (rotation times size)",
         "higher: small displacements of an animated mode are left out; lower: rounding is animated", "verify_study_modes")

#endif
