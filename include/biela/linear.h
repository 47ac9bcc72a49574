/* linear: a mechanism linearized about a place or a steady motion, x' = A x + B u, y = C x + D u, as files, responses and figures.
 *
 *     bl_linear_write(ctx, &lin, "car.m");
 *     bl_frequencies at;
 *     bl_linear_frequencies(ctx, &lin, 0, 0, 0, &at);
 *     double *H = malloc((size_t)at.n * lin.noutput * lin.ninput * 2 * sizeof *H);
 *     bl_linear_response(ctx, &lin, at.n, at.omega, H);
 *     bl_linear_bode(ctx, &lin, at.n, at.omega, H, NULL, 0, "car.svg");
 *     bl_frequencies_destroy(ctx, &at);
 */
#ifndef BIELA_LINEAR_H
#define BIELA_LINEAR_H

#include "biela/json.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Matrices by columns: A[i + nstate j], B[i + nstate j], C[i + noutput j], D[i + noutput j]. Deviations from the place: x = 0 there. */
typedef struct bl_linear_model {
    bl_index nstate, ninput, noutput;
    const char *const *state, *const *input, *const *output; /* names */
    const double *A, *B, *C, *D;
} bl_linear_model;

/* ---- files */

/* Writes the matrices in the form that the ending of path names: .m (a script for Octave and MATLAB), .json (one object), .mtx (Matrix
 * Market, one matrix per file: car.mtx becomes car.A.mtx, car.B.mtx, car.C.mtx, car.D.mtx; all of them or none). BL_E_ARG: another ending,
 * or a number that is not finite; BL_E_FILE. */
bl_status bl_linear_write(bl_context *ctx, const bl_linear_model *lin, const char *path);
/* Names of the files that bl_linear_write makes of path: file[size] receives the k-th. Returns how many there are; 0: the ending is none of
 * the three. */
bl_index bl_linear_file(const char *path, bl_index k, char *file, size_t size);
/* Members states, inputs, outputs, A, B, C, D (matrices as arrays of rows) of the object that is open. */
void bl_linear_json(const bl_linear_model *lin, bl_json *json);

/* ---- response to harmonic inputs: u = exp(i omega t) gives y = H exp(i omega t), H = C (i omega - A)^-1 B + D */

/* H[nomega][noutput][ninput][2]: real and imaginary part. Where a pair has an undamped pole H is NaN and a warning names it.
 * omega in rad/s, not negative, in any order. */
bl_status bl_linear_response(bl_context *ctx, const bl_linear_model *lin, bl_index nomega, const double *omega, double *H);

typedef struct bl_frequencies {
    bl_index n;
    double *omega; /* rad/s, ascending */
} bl_frequencies;

/* About `count` frequencies in equal ratios from `from` to `to` (rad/s), and between them as many as it takes to see the peaks of lightly
 * damped poles and the notches between them. What is 0 takes the default: the decades around the eigenvalues, 60 per decade. A count that
 * is given is taken as it is, without more around poles. */
bl_status bl_linear_frequencies(bl_context *ctx, const bl_linear_model *lin, double from, double to, bl_index count, bl_frequencies *at);
void bl_frequencies_destroy(bl_context *ctx, bl_frequencies *at);

/* Phase of one pair (output, input) in degrees, unwrapped from one frequency to the next; NaN where H is. phase[nomega]; omega ascends. */
void bl_linear_phase(const bl_linear_model *lin, bl_index nomega, const double *H, bl_index output, bl_index input, double *phase);
/* A table: omega, frequency in Hz, then of every pair magnitude, phase in degrees, real and imaginary part. */
bl_status bl_linear_response_csv(bl_context *ctx, const bl_linear_model *lin, bl_index nomega, const double *omega, const double *H,
                                 const char *path);

/* ---- eigenvalues over a parameter */

/* Where a curve crosses the imaginary axis. */
typedef struct bl_mode_crossing {
    bl_index mode; /* column of the joined path */
    double value;  /* of the parameter */
    double omega;  /* |Im| there, rad/s; 0: divergence */
    bool unstable; /* behind it; else it becomes stable again */
} bl_mode_crossing;

/* Points of a path; NaN where an eigenvalue is missing. The order of modes at a point does not matter, unless crossings are given. */
typedef struct bl_mode_path {
    const char *parameter; /* name */
    bl_index npoint, nmode;
    const double *value;   /* [npoint] */
    const double *re, *im; /* [npoint][nmode] */
    bool speed;            /* the parameter is an angular speed in rad/s: Campbell diagrams have its multiples */
    /* where stability changes, for figures, if it is known better than from the points: column k is one curve then; NULL: found */
    const bl_mode_crossing *crossing;
    bl_index ncrossing;
} bl_mode_path;

/* The same points in an order in which column k is one curve, by the nearest continuation. re, im[npoint][nmode] */
bl_status bl_mode_path_join(bl_context *ctx, const bl_mode_path *path, double *re, double *im);
/* A table: the parameter, then real and imaginary part of every column. */
bl_status bl_mode_path_csv(bl_context *ctx, const bl_mode_path *path, const char *file);

/* A table: the parameter, then real and imaginary part of every column. */
bl_status bl_mode_path_csv(bl_context *ctx, const bl_mode_path *path, const char *file);

/* Of joined curves, of a conjugate pair the upper one: crossing[most] receives the first ones by parameter, located between points.
 * Returns how many there are. */
bl_index bl_mode_path_crossings(const bl_mode_path *joined, bl_index most, bl_mode_crossing *crossing);

/* ---- figures (SVG) */

/* Magnitude and phase of pairs over the frequency. pair[npair][2]: output, input; NULL: all, of many the first. */
bl_status bl_linear_bode(bl_context *ctx, const bl_linear_model *lin, bl_index nomega, const double *omega, const double *H,
                         const bl_index *pair, bl_index npair, const char *path);
/* Curves of eigenvalues in the complex plane; a cross where the parameter begins, a dot where it ends, circles where stability changes. */
bl_status bl_linear_locus(bl_context *ctx, const bl_mode_path *modes, const char *path);
/* Frequencies over the parameter, by color how they are damped; of a speed with its multiples 1x, 2x. */
bl_status bl_linear_campbell(bl_context *ctx, const bl_mode_path *modes, const char *path);

#ifdef __cplusplus
}
#endif
#endif
