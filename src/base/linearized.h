/* linear: what every file about linearized mechanisms asks first. */
#ifndef BL_LINEARIZED_H
#define BL_LINEARIZED_H

#include "base/base.h"
#include "biela/linear.h"

/* BL_E_ARG: a pointer is missing, or a number is not finite, with its place by names. */
bl_status bl_linear_check(bl_context *ctx, const bl_linear_model *lin);
/* BL_E_ARG: there is no pair of an output and an input, for a response written to path. */
bl_status bl_linear_check_pairs(bl_context *ctx, const bl_linear_model *lin, const char *path);

#endif
