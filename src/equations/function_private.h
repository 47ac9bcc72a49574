/* A user's functions as a constrained system. */
#ifndef BL_FUNCTION_PRIVATE_H
#define BL_FUNCTION_PRIVATE_H

#include "biela/function.h"
#include "system/system.h"

/* Checks sizes, patterns and functions; copies everything except what `user` points to. The values of A are in every eval->C from the
 * start. Without `tangent` the system lacks BL_CAN_TANGENT. */
bl_status bl_function_build(bl_context *ctx, const bl_function *function, bl_system **sys);

#endif
