/* linearized: checks of a linearized mechanism before it is written. */
#ifndef BL_LINEARIZED_H
#define BL_LINEARIZED_H

#include "base/base.h"
#include "biela/linear.h"

/* BL_E_ARG: a pointer is missing, or a number is not finite; the message names its row and column. */
bl_status bl_linear_check(bl_context *ctx, const bl_linear_model *lin);
/* BL_E_ARG: no input or no output, so there is no response to write to path. */
bl_status bl_linear_check_pairs(bl_context *ctx, const bl_linear_model *lin, const char *path);

#endif
