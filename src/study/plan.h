/* plan: what is taken when nobody says: coordinates, formulation, integrator. The only place that decides. Candidates are all kinds
 * that know their cost (bl_coords_kind.price, bl_formulation_kind.cost, bl_integrator_kind.effort) and fit each other and the system; the
 * cheapest is taken, by predictions that no clock enters (docs/theory/plan.md). The linear solver is chosen by `auto` of linsol, when its
 * matrix is known. */
#ifndef BL_STUDY_PLAN_H
#define BL_STUDY_PLAN_H

#include "formulation/formulation.h"
#include "integrate/integrate.h"
#include "study/study.h"

/* Coordinates of a model ("auto"), said in the log. Options are those of the run, as far as somebody said. */
bl_status bl_plan_coordinates(bl_context *ctx, const bl_model *model, const bl_run_options *options, const char **coordinates);
/* What was asked for; NULL: the cheapest for this system, said in the log. formulation: as asked. */
const char *bl_plan_integrator(const bl_system *sys, const char *asked, const char *formulation, double tolerance);
/* ... and one that takes every system, where things are to be compared. */
const char *bl_plan_general_integrator(const bl_system *sys, const char *asked, const char *formulation);
/* integrator may be NULL */
const char *bl_plan_formulation(const bl_system *sys, const char *asked, const char *integrator, double tolerance);
/* ... and one that holds constraints to rounding while that does not cost too much, where things are to be compared. */
const char *bl_plan_general_formulation(const bl_system *sys, const char *asked, const char *integrator);
/* What takes over where the motion is stiff, when nobody asked for an integrator: NULL where there is none. formulation: as asked. */
const char *bl_plan_stiff_integrator(const bl_system *sys, const char *formulation);

#endif
