/* plan: chooses the default coordinates, formulation and integrator; no other file does. Candidates are all kinds that can predict their
 * cost (bl_coords_kind.price, bl_formulation_kind.cost, bl_integrator_kind.effort) and fit each other and the system; the cheapest is
 * chosen, from counted work and never from measured times (docs/theory/plan.md). The linear solver is chosen by `auto` of linsol, when its
 * matrix is known. */
#ifndef BL_STUDY_PLAN_H
#define BL_STUDY_PLAN_H

#include "formulation/formulation.h"
#include "integrate/integrate.h"
#include "study/study.h"

struct bl_simulation_setup;

/* Coordinates of a model ("auto"), with the comparison in the log. Options are those of the run, unset ones NULL or 0. */
bl_status bl_plan_coordinates(bl_context *ctx, const bl_model *model, const bl_run_options *options, const char **coordinates);
/* The requested integrator, or the cheapest for this system (asked NULL), with the comparison in the log. formulation: as requested. */
const char *bl_plan_integrator(const bl_system *sys, const char *asked, const char *formulation, double tolerance);
/* ... and one that suits every system, for comparisons. */
const char *bl_plan_general_integrator(const bl_system *sys, const char *asked, const char *formulation);
/* integrator may be NULL */
const char *bl_plan_formulation(const bl_system *sys, const char *asked, const char *integrator, double tolerance);
/* ... and one that satisfies constraints to rounding unless that costs too much, for comparisons. */
const char *bl_plan_general_formulation(const bl_system *sys, const char *asked, const char *integrator);
/* The integrator for stiff motions, used when no integrator was requested; NULL: none. formulation: as requested. */
const char *bl_plan_stiff_integrator(const bl_system *sys, const char *formulation);

/* Contacts by time stepping: its integrator and step; refuses another integrator. */
bl_status bl_plan_stepping(bl_context *ctx, const bl_run_options *options, struct bl_simulation_setup *setup);
/* Sets formulation, integrator and the pair for stiff motions in the setup, as requested (NULL: chosen). */
void bl_plan_methods(const bl_system *sys, const char *formulation, const char *integrator, double tolerance,
                     struct bl_simulation_setup *setup);

#endif
