/* The section `matrices:` of a model as a constrained system: linear, without constraints. */
#ifndef BL_EQUATIONS_MATRICES_H
#define BL_EQUATIONS_MATRICES_H

#include "model/model.h"
#include "system/system.h"

/* Order 2: coordinates d; order 1: states y. The model must have matrices and outlive the system. */
bl_status bl_matrices_build(bl_context *ctx, const bl_model *model, bl_system **sys);
/* The state the model starts from. */
bl_status bl_matrices_initial(const bl_system *sys, bl_state *state);

#endif
