/* equations: the `equations:` section of a model as a constrained system. Second-order states are q with v = q', first-order and algebraic
 * ones z, each in the order of the file. */
#ifndef BL_EQUATIONS_H
#define BL_EQUATIONS_H

#include "model/model.h"
#include "system/system.h"

/* The model must have equations and outlive the system. */
bl_status bl_equations_build(bl_context *ctx, const bl_model *model, bl_system **sys);
/* The initial state of the file at t = 0. It may violate constraints and algebraic equations. */
bl_status bl_equations_initial(const bl_system *sys, bl_state *state);

#endif
