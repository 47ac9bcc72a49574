/* linear: what every file about linearized mechanisms asks first. */
#ifndef BL_BASE_LINEAR_H
#define BL_BASE_LINEAR_H

#include "base/base.h"
#include "biela/linear.h"

/* BL_E_ARG: a pointer is missing, or a number is not finite, with its place by names. */
bl_status bl_linear_check(bl_context *ctx, const bl_linear_model *lin);

#endif
