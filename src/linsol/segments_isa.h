/* Substitution in narrow bands divided into parallel segments. */
#ifndef BL_SEGMENTS_ISA_H
#define BL_SEGMENTS_ISA_H

#include "base/isa.h"

enum { BL_SEGMENTS = 8, BL_SEGMENTS_WIDTH = 4 }; /* segments; most entries beside the diagonal */

/* Arrays of m rows, each with a number for every segment: y[m][8]; l[m + width][width][8], where l[i][j - 1] is in row i, column i - j, and
 * is zero before the segment and in the last rows; inverse[m][8] of the pivots; left and right [m][width][8]: T^-1 times the columns that
 * couple a segment with the separators before and after it. */
typedef struct bl_segment_factors {
    bl_index m;
    int width;
    const double *l, *inverse, *left, *right;
} bl_segment_factors;

typedef struct bl_segment_kernels {
    void (*substitute)(const bl_segment_factors *f, double *y); /* L D L^T y = y */
    /* y -= left before + right behind; before, behind [width][8] */
    void (*correct)(const bl_segment_factors *f, const double *before, const double *behind, double *y);
} bl_segment_kernels;

BL_ISA_DECLARE(bl_segment_kernels);

#endif
