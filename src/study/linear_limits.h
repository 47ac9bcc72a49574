/* linear_limits: thresholds of modes, linear models, responses, stability of methods and orderings that a user's model can meet
 * (base/limit.h). */
#ifndef BL_LINEAR_LIMITS_H
#define BL_LINEAR_LIMITS_H

#include "base/limit.h"

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
BL_LIMIT(study_rigid_elastic, 1e-13, "terms of x^T H x, of mechanisms with elastic bodies",
         "thin ones bend 1e10 times more easily than they stretch. Higher: their bending counts as rigid; lower: as study_rigid",
         "verify_elastic_beam_statics")
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
BL_LIMIT(study_steady_flow, 1e-12, "fastest rate",
         "higher: weak influence of positions on the rates of others is left out; lower: rounding couples them",
         "verify_study_modes_rolling")
BL_LIMIT(study_steady_same, 1e-6, "largest entries of the linearized equations",
         "higher: unsteady motions pass; lower: rounding is refused", "verify_study_modes")
BL_LIMIT(study_steady_longest, 0.2, "scales of columns, per step to a steady motion",
         "higher: another motion may be found; lower: more steps", "verify_study_modes")
BL_LIMIT(study_chart_slight, 1e-6, "largest row",
         "coordinates that measure less are not chosen; higher: named coordinates are skipped; lower: badly conditioned charts",
         "verify_study_charts")
BL_LIMIT(study_chart_turning, 1e-9, "fastest angular velocity",
         "higher: global angles of slowly rotating bodies are used; lower: rounding refuses them", "verify_study_charts")
BL_LIMIT(
    study_chart_together, 1e-6, "angular velocity",
    "differences below belong to one rotation. Higher: bodies that slowly turn against each other share axes; lower: rounding separates "
    "them",
    "verify_elastic_beam_whirl")
BL_LIMIT(study_modes_dense, 1500, "unknowns",
         "up to which modes are found with full matrices by default, and state-space matrices at all. Higher: time n^3; lower: modes of "
         "small models are found by iteration, and need ARPACK",
         "verify_study_modes")
BL_LIMIT(study_modes_direct, 1e-7, "largest eigenvalue",
         "lower modes are computed from the inverse. Higher: twice the time; lower: they have rounding errors of the largest",
         "verify_elastic_beam_modes")
BL_LIMIT(study_modes_definite, 1e-14, "largest pivot, squared", "higher: thin bodies need a shift; lower: rigid motions pass for soft ones",
         "verify_elastic_beam_modes")
BL_LIMIT(study_modes_shift, 1e-10, "sum of K_r over that of M_r: first shift where motions have no stiffness",
         "higher: their neighbors are less exact; lower: more attempts", "verify_elastic_beam_modes")
BL_LIMIT(study_modes_complex, 400, "degrees of freedom",
         "up to which full matrices of the motion with damping are tried. Higher: time n^3; lower: damped modes of small models are found "
         "from few undamped ones",
         "verify_study_modes")
BL_LIMIT(study_modes_starts, 6, "iterations from new vectors, until no mode is missing below the last",
         "higher: time; lower: modes of high multiplicity may be missing", "verify_study_modes")
BL_LIMIT(study_modes_multiple, 1e-6, "eigenvalue, distance within which the last ones may belong to an incomplete multiple one",
         "higher: missing modes near the last are not looked for; lower: members of an incomplete multiple eigenvalue count as missing",
         "verify_study_modes")
BL_LIMIT(study_modes_same_speed, 1e-9, "value of the parameter of a path",
         "a rate of the motion that equals it is the speed. Higher: other "
         "rates are taken for it; lower: rounding hides it",
         "verify_study_modes_cases")
BL_LIMIT(study_modes_crossings, 256, "changes of stability along a path", "more are not listed", "verify_study_modes_cases")
BL_LIMIT(study_steady_steps, 50, "Newton steps to a steady motion",
         "higher: motions that are not steady take long; lower: poor starts are refused", "verify_study_modes_cases")
BL_LIMIT(
    study_steady_rank, 1e-11, "largest singular value of the derivatives of accelerations",
    "smaller ones count as zero: the start is kept along them. Higher: soft directions are not corrected; lower: rounding moves the start",
    "verify_study_modes_cases")
BL_LIMIT(study_steady_rounding, 1e-9, "scales of columns, a step that no longer becomes shorter",
         "higher: the search ends early; lower: it works on rounding", "verify_study_modes_cases")
BL_LIMIT(study_steady_last, 1e-6, "scales of columns, the last step where accelerations remain",
         "higher: unsteady motions pass; lower: badly scaled ones are refused", "verify_study_modes_cases")
BL_LIMIT(study_superposition_steps, 1e9, "steps of a modal response",
         "more are refused. Higher: runs that do not end; lower: long ones are refused", "unit_study_modes")

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
BL_LIMIT(study_steady_noise, 16, "roundings of positions times the largest stiffness over mass",
         "accelerations below are rounding. Higher: unsteady motions of stiff mechanisms pass; lower: steady ones are refused",
         "verify_elastic_beam_whirl")
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
BL_LIMIT(study_response_notch, 0.05, "minimum of a response, by which both neighbors are higher",
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
BL_LIMIT(study_stability_outside, 1e-7, "modulus of a root beyond 1, besides its error",
         "higher: weakly unstable formulas count as zero-stable; lower: formulas with few digits count as unstable", "unit_study_stability")
BL_LIMIT(study_stability_on_circle, 1e-6, "distance of a root from the unit circle",
         "a multiple root within it is unstable. Higher: damped double roots are refused; lower: rounding hides multiple roots",
         "unit_study_stability")
BL_LIMIT(study_stability_same, 1e-5, "distance of two roots that count as one",
         "a double root is known to the root of rounding. Higher: different roots are joined; lower: double roots count as two",
         "unit_study_stability")
BL_LIMIT(study_stability_same_second, 1e-3, "the same for methods of second order, near z = 0 but not at it", "as study_stability_same",
         "unit_study_stability")
BL_LIMIT(study_stability_cluster, 1e-4, "distance of roots at infinity that rounding has separated",
         "their mean is taken. Higher: different roots are joined; lower: multiple roots seem to be outside the circle",
         "unit_study_stability")
BL_LIMIT(study_stability_real, 1e-12, "imaginary part of a root, besides its error",
         "higher: slow oscillations count as real; lower: rounding oscillates", "unit_study_stability")
BL_LIMIT(study_stability_boundary, 1e-9, "growth of the other roots on the boundary of the region",
         "higher: curves inside the unstable region are drawn; lower: rounding interrupts the boundary", "unit_study_stability")
BL_LIMIT(study_stability_order, 1e-10, "residual of a condition of order, of its terms",
         "higher: formulas with few digits get too high an order; lower: rounding lowers it", "unit_study_stability")
BL_LIMIT(study_order_fill, 1e7, "entries of factors", "higher: memory and time; lower: large matrices are not counted", "unit_study_order")
BL_LIMIT(
    study_order_blocked, 1500, "columns",
    "larger matrices are not measured with the block solver: where blocks are weak, everything may become a full border. Higher: time; "
    "lower: no figures for larger mechanisms",
    "unit_study_order")
BL_LIMIT(study_order_dense, 1500, "rows and columns",
         "the rank of larger matrices is the structural one. Higher: time n^3; lower: redundant "
         "rows are not found",
         "unit_study_order")

/* ---- names of motions */

BL_LIMIT(study_names_worth, 0.1, "rate of the fastest variable",
         "higher: variables that take part are not named; lower: long lists of names", "verify_study_modes")
BL_LIMIT(study_names_by_variables, 0.05, "rate of the fastest body, in sizes and radians",
         "higher: motions are named by bodies where variables describe them; lower: by variables that hardly move", "verify_study_modes")
BL_LIMIT(study_names_zero, 1e-9, "rate of the fastest", "higher: slow variables do not count; lower: rounding counts as motion",
         "verify_study_modes")
BL_LIMIT(study_modes_no_motion, 1e-7, "displacement / (rotation times size)",
         "higher: small displacements of an animated mode are left out; lower: rounding is animated", "verify_study_modes")
BL_LIMIT(study_names_independent, 1e-6, "share of a motion that others do not contain",
         "higher: a motion is not named; lower: rounding is named as a motion", "verify_study_modes")
BL_LIMIT(study_names_translation, 1e-5, "share of a translation that free motions do not contain",
         "higher: other motions are called translations; lower: translations known to the root of rounding are not recognized",
         "verify_study_modes")
BL_LIMIT(study_names_rest, 1e-4, "share of a free motion besides its translations",
         "higher: rotations are not named; lower: rounding is named as a rotation", "verify_study_modes")
BL_LIMIT(study_response_zero, 4.5e-8, "largest entry of A in balanced states",
         "smaller poles count as zero: three times the square root of rounding, the error of a double pole. Higher: slow poles are "
         "left out of the range of frequencies; lower: rounding of rigid motions widens it",
         "verify_study_response")

#endif
