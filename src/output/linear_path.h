/* linear_path: shared by the figures of eigenvalues over a parameter. */
#ifndef BL_OUTPUT_LINEAR_PATH_H
#define BL_OUTPUT_LINEAR_PATH_H

#include "biela/linear.h"
#include "output/svg.h"

/* 1: right of the imaginary axis, -1: left of it, 0: on it within tolerance */
int bl_mode_side(double re, double im, double largest);

/* Eigenvalues joined into curves, with additional points where they cross the imaginary axis. */
enum { BL_CROSSINGS_MOST = 64 };
typedef struct bl_joined {
    bl_mode_path path; /* its arrays are in block */
    void *block;
    double *x, *y; /* [npoint] workspace for one curve */
    double largest;
    bl_index ncrossing;
    bl_mode_crossing crossing[BL_CROSSINGS_MOST];
} bl_joined;
/* Eigenvalue k at point p; false: missing. */
bool bl_joined_at(const bl_joined *joined, bl_index p, bl_index k, double *re, double *im);
/* Joins the curves into a zeroed `joined`, draws the figure that contains it, and frees it. */
bl_status bl_joined_draw(bl_context *ctx, const bl_mode_path *path, const char *file, bl_joined *joined, bl_text_writer *draw,
                         void *figure);

#endif
