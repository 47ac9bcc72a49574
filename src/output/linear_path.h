/* linear_path: what the figures of eigenvalues over a parameter share. */
#ifndef BL_OUTPUT_LINEAR_PATH_H
#define BL_OUTPUT_LINEAR_PATH_H

#include "base/base.h"
#include "biela/linear.h"

bl_status bl_mode_path_check(bl_context *ctx, const bl_mode_path *path);
double bl_mode_path_largest(const bl_mode_path *path); /* |eigenvalue|; negative: there is none */
/* 1: right of the imaginary axis, -1: left of it, 0: on it within rounding */
int bl_mode_side(double re, double im, double largest);

/* Joined curves with points of their own where they cross the axis. Zeroed, then made; destroy accepts half-built ones. */
enum { BL_CROSSINGS_MOST = 64 };
typedef struct bl_joined {
    bl_mode_path path; /* its numbers stand in block */
    double *block;
    double largest;
    bl_index ncrossing;
    bl_mode_crossing crossing[BL_CROSSINGS_MOST];
} bl_joined;
bl_status bl_joined_make(bl_context *ctx, const bl_mode_path *path, const char *file, bl_joined *joined);
void bl_joined_destroy(bl_context *ctx, bl_joined *joined);

#endif
