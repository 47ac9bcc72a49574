/* profile: a number as a function of one variable, with two continuous derivatives: an expression of x, or pieces (the program of a cam,
 * a table). Immutable once made; evaluation needs no memory. */
#ifndef BL_PROFILE_H
#define BL_PROFILE_H

#include "series/tape.h"

/* On a piece, with u = (x - from) / width in [0, 1]: */
typedef enum bl_profile_what {
    BL_PROFILE_POLYNOMIAL, /* sum c_k u^k */
    BL_PROFILE_CYCLOIDAL,  /* c_0 + c_1 (u - sin(2 pi u) / (2 pi)) */
    BL_PROFILE_HARMONIC    /* c_0 + c_1 (1 - cos(pi u)) / 2; the second derivative jumps at its ends */
} bl_profile_what;

enum { BL_PROFILE_TERMS = 8, BL_PROFILE_WORK = 2048 /* doubles; longer expressions are refused */ };
typedef struct bl_profile_piece {
    bl_profile_what what;
    double from, width;
    double c[BL_PROFILE_TERMS];
} bl_profile_piece;

typedef struct bl_profile {
    const bl_tape *tape; /* of x, input 0; NULL: pieces. Analytic. */
    bl_index npiece;
    const bl_profile_piece *piece; /* ascending, without gaps */
    double period;                 /* 0: beyond its ends it continues straight */
    double gain;                   /* increase per period */
} bl_profile;

/* Value and derivatives: out[3]. */
void bl_profile_at(const bl_profile *f, double x, double out[3]);
/* The interval on which it is defined; an expression: -infinity, infinity. */
void bl_profile_range(const bl_profile *f, double *from, double *to);

/* A rise by `rise` from `start` on [from, from + width]; zero: a dwell. motion: the name of a motion in bl_profile_motions. */
extern const char *const bl_profile_motions[]; /* cycloidal, 3-4-5, 4-5-6-7, harmonic; NULL at the end */
void bl_profile_rise(int motion, double from, double width, double start, double rise, bl_profile_piece *piece);

/* The cubic spline through (x, y)[n], x increasing, as piece[n - 1]; periodic: y[n - 1] - y[0] is the gain, slope and curvature agree at
 * the ends; else not-a-knot. work[5 n]. n >= 2, periodic: n >= 4. */
void bl_profile_spline(bl_index n, const double *x, const double *y, bool periodic, double *work, bl_profile_piece *piece);

#endif
