/* study_limits: thresholds of starts, checks, runs and comparisons that a user's model can meet (base/limit.h). Others: statics_limits.h,
 * linear_limits.h, inverse_limits.h, displacement_limits.h, singular_limits.h. */
#ifndef BL_STUDY_LIMITS_H
#define BL_STUDY_LIMITS_H

#include "base/limit.h"

#include <float.h>

/* ---- contacts.c, contact_impact.c, contact_modes.c */

BL_LIMIT(study_contact_step, 1e-3, "s",
         "step of `contact: stepping` where none is given. Higher: impacts are late and overlap visible; lower: slower",
         "verify_study_contact_steps")
BL_LIMIT(study_steps_gain, 1e-3, "of the impulses times velocities of all contacts so far",
         "energy that contacts of time steps may gain without a warning. Higher: gains by restitution with friction pass; lower: what is "
         "left by sweeps that end early is reported",
         "verify_study_contact_steps")
BL_LIMIT(study_contact_handles, 3000, "velocities of mechanisms that contacts change",
         "full matrices of them. Higher: memory of 72 MB and more; lower: long chains in piles are refused", "verify_study_contact_steps")
BL_LIMIT(
    study_contact_sticks, 1e-6, "of the largest friction",
    "a contact of a time step with less friction sticks, in results. Higher: slow sliding shows as sticking; lower: rounding as sliding",
    "verify_study_contact_steps")
BL_LIMIT(
    study_contact_overlap, 0.1, "of the size of the smaller shape, or of the typical size of a variable",
    "bodies that start deeper inside each other in time steps are refused. Higher: they jump apart at the start; lower: positions written "
    "with few digits are refused",
    "verify_study_contact_steps")
BL_LIMIT(study_contact_rest, 1e-6, "m/s, rad/s; not above the tolerance",
         "a rebound slower than this is rest, a contact that slides slower may stick. Higher: the last bounces are lost; lower: many more "
         "of them are computed, each a restart",
         "verify_study_contacts")
BL_LIMIT(study_contact_height, 1e-3, "of the tolerance, in scales of coordinates",
         "a bounce lower than this is rest. Higher: the last bounces are lost; lower: bounces within rounding and within the error of "
         "projections are computed, each a restart",
         "verify_study_contacts")
BL_LIMIT(
    study_contact_height_least, 1e-14, "in scales of coordinates",
    "the height of bounces that are rest at the smallest tolerances. Higher: bounces are lost that their tolerance asks for; lower: the "
    "gap of a flight is rounding, its end is found late, and bounces never end",
    "verify_study_contact_digits")
BL_LIMIT(study_contact_reversed, 1e-3, "of the speed of rest",
         "a contact halts when it slides backwards faster. Higher: halting is seen late; lower: contacts whose friction is at its limit "
         "without sliding halt by rounding",
         "verify_study_contacts")
BL_LIMIT(study_contact_approach, 1e-3, "of the speed of rest",
         "contacts that touch and approach each other faster have an impact. Higher: they penetrate; lower: rounding counts as an impact",
         "verify_study_contacts")
BL_LIMIT(study_contact_closed, 1e-9, "typical length",
         "gaps down to it count as closed: contacts that close at the same time have one impact. "
         "Higher: impacts that follow each other become one; lower: rounding separates simultaneous impacts",
         "verify_study_contacts")
BL_LIMIT(study_contact_inside, 1e-7, "typical length",
         "contacts that start deeper inside each other are refused. Higher: a start in penetration passes; lower: rounded coordinates are "
         "refused",
         "verify_study_contacts")
BL_LIMIT(
    study_contact_behind, 1e-4, "typical length",
    "an open contact with a face that ends, deeper behind it than this, is that of a point beside the body, not inside. Higher: faces hold "
    "points that come from behind; lower: points that entered by the error of the method fall through",
    "verify_study_contact_shapes")
BL_LIMIT(study_contact_alike, 1e-5, "of the speed of sliding",
         "contacts whose rows of sliding are as close as this stick together. Higher: contacts on different lines share "
         "friction; lower: of two corners on one line one slides alone",
         "verify_study_contact_shapes")
BL_LIMIT(study_contact_turn, 0.5, "rad",
         "between probes for contacts that close and open again bodies turn less. Higher: a corner that grazes something between two "
         "probes may be missed; lower: more probes in steps without events",
         "property_study_contact_scenes")
BL_LIMIT(study_contact_probes, 1e5, "probes in a step",
         "not more are made. Higher: a step with many revolutions takes long; lower: a corner that grazes something may be missed in it",
         "property_study_contact_scenes")
BL_LIMIT(study_contact_bent, 0.25, "of the change of the rate, times the time between probes",
         "beside a surface that ends, functions whose tangents meet higher have no zero between two probes. Higher: more probes near "
         "edges; lower: a corner that cuts an edge may be missed",
         "property_study_contact_scenes")
BL_LIMIT(study_contact_ahead, 1e-6, "of the step",
         "beside surfaces that end the rates of event functions are differences over this time. Higher: what is bent counts as falling; "
         "lower: rounding decides whether it falls or rises",
         "property_study_contact_scenes")
BL_LIMIT(
    study_contact_most, 300, "contacts of a model",
    "more are refused where each event is located. Higher: full matrices of their impulses take long; lower: models that would run are "
    "refused",
    "verify_study_contacts")
BL_LIMIT(
    study_contact_rank, 1e-10, "share of the largest pivot",
    "speeds of contacts that come to rest: rows with smaller pivots depend on others. Higher: some contacts creep with the speed of rest; "
    "lower: impulses of redundant contacts are amplified",
    "verify_study_sticking")
BL_LIMIT(
    study_contact_load, 1e-10, "of the largest normal load",
    "friction of joints that may stick: normal loads whose change is smaller belong to their reactions. Higher: a joint near its limit "
    "slips or sticks by chance; lower: rounding of reactions never settles",
    "verify_study_sticking")
BL_LIMIT(
    study_contact_painleve, 0.1, "of the response to a normal force without friction",
    "a contact that slides and whose normal force moves it less than this is named where no forces were found. Higher: an innocent contact "
    "is blamed; lower: the message names no contact",
    "property_study_contact_scenes")
BL_LIMIT(study_contact_exchange, 1e-11, "of the energy that an impact exchanges",
         "a smaller change of energy is 0. Higher: small losses are not reported; lower: rounding is reported as loss or gain",
         "verify_study_contact_results")
BL_LIMIT(study_contact_halt, 1e-6, "of the largest speed",
         "the approach from which an impact without collision is extrapolated to none. Higher: other contacts may open in it; lower: it is "
         "not told from none",
         "verify_study_contacts")
BL_LIMIT(study_contact_gain, 1e-9, "of the energy of the impact", "a larger gain by Newton's law is reported", "verify_study_contacts")

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
BL_LIMIT(study_assembly_stuck, 8, "Newton steps in a row that do not reduce the gaps",
         "higher: mechanisms that cannot be assembled take long; lower: starts whose gaps grow at first are refused",
         "property_study_closing")
BL_LIMIT(study_settled_rounds, 60, "steps toward the nearest assembled configuration",
         "higher: slow searches take long; lower: starts are not the nearest assembled ones", "unit_study_assemble")
BL_LIMIT(study_start_rounds, 100, "the same for poses of bodies, with the guesses of `initial:`", "as study_settled_rounds",
         "unit_study_start")
BL_LIMIT(study_start_canceled, 1e-13, "sum of the sizes of the terms of a coefficient",
         "smaller coefficients have canceled and are left out. Higher: small ones are lost; lower: rounding fills the equations",
         "unit_study_start")
BL_LIMIT(study_closure_trials, 40, "residuals examined one after the other for a gap between small and large ones",
         "higher: time; lower: coarse dimensions of mechanisms with many weak constraints are not recognized", "verify_study_closure")
BL_LIMIT(study_closure_walks, 4, "walks in different directions, until one goes far enough",
         "higher: time; lower: mechanisms that are blocked in one direction are not examined", "verify_study_closure")
BL_LIMIT(study_closure_steps, 30, "steps of a walk, which ends at study_closure_reach, usually after three",
         "higher: mechanisms that hardly move take long; lower: short steps do not get there", "verify_study_closure")
BL_LIMIT(study_beside_tries, 8, "configurations tried near the start, the second half of them later in time",
         "higher: time; lower: a singular start may not be recognized", "unit_study_check")
BL_LIMIT(study_algebraic_halvings, 30, "halvings of a Newton step that does not reduce the residual",
         "higher: equations without solution take long; lower: poor initial values are refused", "verify_equations")
BL_LIMIT(study_algebraic_rank, 1e-14, "largest pivot of the algebraic equations",
         "below it they do not determine their variables. Higher: badly scaled equations are refused; lower: variables are rounding",
         "verify_equations")

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
BL_LIMIT(study_growth_least, 1e-3, "growth from sample to sample", "higher: slow instability is missed; lower: rounding counts as growth",
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
BL_LIMIT(study_driver_slope, 0.05, "distance of 1 / (1 + order of the pole) from 0 and from 1",
         "higher: weak poles are missed; lower: exponential growth and curved laws count as poles", "verify_driven")
BL_LIMIT(study_driver_visible, 1e-9, "largest value beside a jump", "higher: small jumps are not named; lower: rounding is a jump",
         "unit_study_start_words")
BL_LIMIT(study_driver_grown, 1e6, "1 + value a little earlier, when a run failed",
         "higher: poles and roots are not named as its cause; lower: steep laws are", "unit_study_start_words")
BL_LIMIT(study_driver_growing, 1e3, "the same, a thousand spacings of t before", "as study_driver_grown", "unit_study_start_words")
BL_LIMIT(study_driver_agreed, 8, "consecutive estimates that agree on a pole that is near",
         "higher: poles are recognized late; lower: a bend passes for a pole", "verify_driven")
BL_LIMIT(study_driver_seen, 500, "the same at any distance", "as study_driver_agreed", "verify_driven")

/* ---- steppers: stepper.c */

BL_LIMIT(study_open_span, 10, "s",
         "length of a motion without a known end, a tenth of which is the longest step. Higher: longer steps, "
         "which may step over short events; lower: more steps where nothing happens",
         "unit_study_stepper")
BL_LIMIT(study_jump_part, 0.2, "rad, or smallest length of the mechanism",
         "largest change of a variable from one assembly to the next on the "
         "way to a given value. Higher: other branches may be reached; lower: more assemblies",
         "unit_study_stepper")
BL_LIMIT(study_jump_most, 1000, "assemblies", "of one way. Higher: long ways take long; lower: parts become too long", "unit_study_stepper")

/* ---- events and explicit steps: events.c, event_roots.c, critical.c */

BL_LIMIT(study_event_located, 1e-13, "time, or length of the step",
         "higher: events are located less exactly; lower: rounding of dense output", "conform_study_events")
BL_LIMIT(study_event_crowded, 1e-4, "time span, in which a run ends after study_event_most_crowded events",
         "at this rate a run would have 1e7 of them. Higher: fast switching is refused; lower: runs that hardly advance go on for hours",
         "conform_study_switches")
BL_LIMIT(study_event_many, 1e-3, "time span, in which as many events give a warning, and study_event_most_many end the run",
         "higher: controllers that switch fast by design give a warning; lower: it comes late", "verify_signal_cases")
BL_LIMIT(study_event_most_crowded, 1000, "events", "higher: runs that do not advance go on for long; lower: fast switching is refused",
         "conform_study_switches")
BL_LIMIT(study_event_most_many, 5000, "events", "higher: runs that hardly advance go on for long; lower: fast switching is refused",
         "verify_signal_cases")
BL_LIMIT(study_event_resolved, 1e-14, "largest Chebyshev coefficient, the last ones",
         "higher: events between samples are missed; lower: rounding is never below it and intervals are halved in vain",
         "unit_study_event_roots")
BL_LIMIT(study_event_plateau, 1e-9, "largest Chebyshev coefficient, below which coefficients that no longer fall are rounding",
         "higher: kinks pass for rounding; lower: inexact functions are halved in vain", "unit_study_event_roots")
BL_LIMIT(study_critical_offset, 1e-6, "scale of the unknowns, over which forces are differentiated",
         "higher: forces are not linear; lower: rounding", "verify_stability_second_order")
BL_LIMIT(study_critical_margin, 0.25,
         "step chosen by default, by which it is below the critical one, whose frequency is a few percent too low",
         "higher: more steps; lower: steps chosen by default may be unstable", "verify_stability_second_order")

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
BL_LIMIT(study_turns_margin, 0.25, "rotation in a step up to which revolutions need not be counted, by which it is below half a revolution",
         "rates are known at a few points of the step. Higher: more evaluations; lower: revolutions are miscounted", "verify_study_turns")
BL_LIMIT(study_turns_settled, 0.5, "rad, change of an angle when points are doubled",
         "higher: revolutions are miscounted; lower: more evaluations", "verify_study_turns")

/* ---- sliding along jumps of laws: sliding.c */

BL_LIMIT(
    study_slide_most_off, 0.01, "half of the jump, error of the blend at the end of a step",
    "bounds the accuracy of sliding motions, whatever the tolerance, to a few thousandths. Higher: the motion leaves the border; lower: "
    "shorter steps",
    "conform_study_sliding")
BL_LIMIT(study_slide_least_off, 1e-4, "half of the jump",
         "smaller errors of the blend are not corrected, since a restart costs more; higher: the motion drifts off; lower: more restarts",
         "conform_study_sliding")
BL_LIMIT(study_slide_pull, 2, "intervals between corrections, in which a distance from the border vanishes",
         "as study_slide_most_off. Higher: the motion stays off the border; lower: it oscillates about it", "conform_study_sliding")
BL_LIMIT(study_slide_most_pull, 0.05, "half of the jump, correction toward the border",
         "higher: forces of corrections are visible; lower: the motion stays off the border", "conform_study_sliding")
BL_LIMIT(study_slide_tie, 1e-9, "rate of a switching function, relative to that on the other side of its border",
         "a force that equals dry friction exactly neither starts nor ends sliding by its rounding error. Higher: slow departures are "
         "delayed; lower: laws switch at one instant without end",
         "conform_signal_events")
BL_LIMIT(study_slide_first, 0.05, "last step, until the first correction",
         "higher: the motion leaves the border at first; lower: more restarts", "conform_study_sliding")
BL_LIMIT(study_slide_grows, 1, "time between the last corrections, by which the next one may be longer",
         "higher: steps that fail the check; lower: steps grow slowly", "conform_study_sliding")

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
BL_LIMIT(study_compare_order, 0.5, "order of convergence when the step is halved",
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
BL_LIMIT(study_compare_halvings, 30, "halvings of a fixed step", "higher: time; lower: methods of low order are not judged",
         "verify_study_compare_fixed")
BL_LIMIT(study_compare_failures, 6, "halvings of a first step that fails",
         "higher: methods that cannot run take long; lower: methods that need short steps count as failed", "verify_study_compare_fixed")
BL_LIMIT(study_compare_stalls, 5, "halvings without convergence",
         "higher: methods that stall run long; lower: slow convergence counts as none", "verify_study_compare_fixed")
BL_LIMIT(study_compare_doubts, 2, "halvings at which a large difference does not fall",
         "higher: wrong methods run long; lower: methods are judged before their errors fall", "verify_study_compare_fixed")
BL_LIMIT(study_compare_agree, 1e-2, "relative difference of two models",
         "default of what counts as agreement. Higher: wrong models agree; lower: elastic bodies described in two ways, by beams and by "
         "meshes, disagree",
         "verify_study_compare_models")
BL_LIMIT(study_compare_small, 1e-3, "largest value of the same kind of quantity",
         "smaller quantities are compared relative to this. Higher: errors of small quantities go unnoticed; lower: rounding and the "
         "tolerance of methods count where a quantity is zero",
         "unit_study_compare_models")
BL_LIMIT(study_compare_nothing, 1e-6, "extent of the mechanism, rad",
         "the same for mechanisms that hardly move or turn. Higher: errors of small motions go unnoticed; lower: rounding counts where "
         "nothing turns",
         "unit_study_compare_models")
BL_LIMIT(study_compare_component, 1e-6, "of a direction of self-stress of length 1",
         "higher: undetermined components of reactions are compared; lower: rounding makes determined ones count as undetermined",
         "unit_study_compare_models")
BL_LIMIT(study_yield_depth, 0.01, "extent of the motion, rad",
         "depth of contacts at the first stiffness. Higher: the first motions are too soft to say anything; lower: the last ones take long",
         "verify_study_compare_contacts")
BL_LIMIT(study_yield_fit, 0.01, "difference of restitutions",
         "an impact whose speed gives the law another restitution ends the comparison. Higher: motions are compared that do not converge; "
         "lower: the comparison ends earlier",
         "verify_study_compare_contacts")
BL_LIMIT(study_yield_dead, 0.01, "restitution",
         "what stands for 0, which the law does not reach. Higher: motions differ by rebounds; lower: the damping is stiff",
         "verify_study_compare_contacts")
BL_LIMIT(study_yield_slow, 1e-2, "speed of the fastest impact of a contact",
         "slower impacts count as rest. Higher: rebounds of restitution 0 remain; lower: the damping is stiff",
         "verify_study_compare_contacts")
BL_LIMIT(study_yield_creep, 1e-3, "largest speed of a body",
         "speed over which friction changes its sign, at the first stiffness. Higher: what sticks creeps; lower: stiff friction",
         "verify_study_compare_contacts")
BL_LIMIT(study_yield_tolerances, 100, "tolerances",
         "smaller distances count as converged. Higher: wrong motions converge; lower: errors of the methods count",
         "verify_study_compare_contacts")
BL_LIMIT(study_compare_dense, 300, "constraint equations of all joints",
         "with more, all reactions of joints with redundant constraints are left out, not only the undetermined parts. Higher: time n^3; "
         "lower: determined reactions are left out",
         "unit_study_compare_motion")

BL_LIMIT(
    study_input_same, 1e-12, "relative to its value, at least 1",
    "an input that a driver follows may be set to a value so near to its present one. Higher: a jump of a driver goes unnoticed; lower: a "
    "value that a program computed itself is refused for its rounding",
    "verify_signal_drive")
BL_LIMIT(
    study_percussion_least, 1e-12, "of the rate of a driver",
    "a smaller jump of it is rounding and no percussion. Higher: velocities keep an error; lower: settings that change nothing are logged",
    "verify_signal_drive")

/* ---- rounding, times and names */

BL_LIMIT(study_gap_rounding, 1e-15, "size of the gaps, in scales",
         "smaller gaps of positions and velocities at the start are rounding. Higher: starts are less exact; lower: corrections that "
         "change nothing",
         "unit_study_assemble")
BL_LIMIT(study_same_time, 1e-9, "interval between outputs, or step",
         "times nearer to each other are the same: an end that is a multiple of the interval but for rounding has no sample of its "
         "own. Higher: a last short interval is missed; lower: the end is sampled twice",
         "unit_study_stepping")
BL_LIMIT(study_restart_closed, 1e-12, "|phi| / scale",
         "to which positions are corrected where a formulation takes over. Higher: motions begin beside the constraints; lower: "
         "corrections that are rounding",
         "verify_dynamics_formulations_singular")
BL_LIMIT(study_residual_rounded, 1e4, "roundings of the time",
         "that differences of the dense output must span. Higher: short steps are not checked; lower: rounding counts as an error",
         "verify_study_residual")
BL_LIMIT(study_growth_checks, 12, "consecutive checks",
         "during which changes must grow before an explicit method is called unstable. Higher: the message comes late; lower: "
         "transients are reported",
         "verify_study_balance")
BL_LIMIT(study_event_width, 1e-13, "step",
         "first width in which a located event is refined. Higher: more evaluations; lower: a search in rounding", "unit_study_event_roots")
BL_LIMIT(study_algebraic_rounding, 16 * DBL_EPSILON, "size of an unknown",
         "changes below it are rounding. Higher: algebraic variables start less exactly; lower: Newton's method continues in vain",
         "verify_equations")
BL_LIMIT(study_driver_apart, 2e3, "roundings of the time",
         "between which a jump of a driver is looked for. Higher: steep drivers count as jumping; lower: rounding of the time hides a jump",
         "unit_study_start_words")
BL_LIMIT(study_driver_earlier, 1e-3, "time",
         "since which a driver that grows beyond bounds has grown. Higher: oscillating drivers are named; lower: poles are not recognized",
         "unit_study_start_words")
BL_LIMIT(study_rather_turns, 0.1, "velocity of a body, in sizes",
         "an angular velocity above it: a message says that the body turns, not that it moves. Higher: screws are named as "
         "translations; lower: rounding as a rotation",
         "unit_study_check")

#endif
