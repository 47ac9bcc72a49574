/* fem: meshed bodies and scalar fields as a constrained system without rows. Supports are eliminated: what they prescribe enters Q.
 * Right of the waist nobody knows elements. */
#ifndef BL_FEM_H
#define BL_FEM_H

#include "model/model.h"
#include "system/system.h"

/* The model must have solids and outlive the system. */
bl_status bl_fem_build(bl_context *ctx, const bl_model *model, bl_system **sys);
/* The start of the file at t = 0; modes as starts are set by whoever finds them (bl_fem_start_mode). */
bl_status bl_fem_initial(const bl_system *sys, bl_state *state);
/* Of the system's fields those named in `choice`, separated by commas, are kept; NULL or "all": all, "none". Before any evaluation. */
bl_status bl_fem_choose_fields(bl_system *sys, const char *choice);

#endif
