/* linear: a mechanism linearized about an equilibrium or a steady motion, x' = A x + B u, y = C x + D u: files, responses and figures.
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

/* Matrices by columns: A[i + nstate j], B[i + nstate j], C[i + noutput j], D[i + noutput j]. x, u, y are deviations
 * from the linearization point. */
typedef struct bl_linear_model {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    bl_index nstate, ninput, noutput;
    const char *const *state, *const *input, *const *output; /* names */
    const double *A, *B, *C, *D;
} bl_linear_model;

/* ---- files */

/* Writes the matrices in the format given by the ending of path: .m (a script for Octave and MATLAB), .json (one object), .mtx (Matrix
 * Market, one matrix per file: car.mtx becomes car.A.mtx, car.B.mtx, car.C.mtx, car.D.mtx; all or none). BL_E_ARG: another ending, or a
 * number that is not finite; BL_E_FILE. */
BL_API bl_status bl_linear_write(bl_context *ctx, const bl_linear_model *lin, const char *path);
/* Names of the files that bl_linear_write writes for path: file[size] receives the k-th. Returns their number; 0: unknown ending. */
BL_API bl_index bl_linear_file(const char *path, bl_index k, char *file, size_t size);
/* Members states, inputs, outputs, A, B, C, D (matrices as arrays of rows) of the open object. */
BL_API void bl_linear_json(const bl_linear_model *lin, bl_json *json);

/* ---- response to harmonic inputs: u = exp(i omega t) gives y = H exp(i omega t), H = C (i omega - A)^-1 B + D */

/* H[nomega][noutput][ninput][2]: real and imaginary part. At an undamped pole H is NaN, with a warning. omega in rad/s, not negative, in
 * any order. */
BL_API bl_status bl_linear_response(bl_context *ctx, const bl_linear_model *lin, bl_index nomega, const double *omega, double *H);

typedef struct bl_frequencies {
    bl_index n;
    double *omega; /* rad/s, ascending */
} bl_frequencies;

/* Logarithmically spaced frequencies from `from` to `to` (rad/s), with more around lightly damped poles and the notches between them. 0:
 * default, the decades around the eigenvalues, 60 per decade. A given count is used exactly, without more around poles. */
BL_API bl_status bl_linear_frequencies(bl_context *ctx, const bl_linear_model *lin, double from, double to, bl_index count,
                                       bl_frequencies *at);
BL_API void bl_frequencies_destroy(bl_context *ctx, bl_frequencies *at);

/* Phase of one pair (output, input) in degrees, unwrapped from one frequency to the next; NaN where H is NaN. phase[nomega]; omega
 * ascending. */
BL_API void bl_linear_phase(const bl_linear_model *lin, bl_index nomega, const double *H, bl_index output, bl_index input, double *phase);
/* A table: omega, frequency in Hz, then for every pair magnitude, phase in degrees, real and imaginary part. */
BL_API bl_status bl_linear_response_csv(bl_context *ctx, const bl_linear_model *lin, bl_index nomega, const double *omega, const double *H,
                                        const char *path);

/* ---- eigenvalues over a parameter */

/* Where a curve crosses the imaginary axis. */
typedef struct bl_mode_crossing {
    bl_index mode; /* column of the joined path */
    double value;  /* of the parameter */
    double omega;  /* |Im| there, rad/s; 0: divergence */
    bool unstable; /* beyond it; else it becomes stable again */
} bl_mode_crossing;

/* Points of a path; NaN: missing eigenvalue. The order of modes at a point is arbitrary, unless crossings are given. */
typedef struct bl_mode_path {
    size_t size;           /* sizeof this struct, or 0 (context.h) */
    const char *parameter; /* name */
    bl_index npoint, nmode;
    const double *value;   /* [npoint] */
    const double *re, *im; /* [npoint][nmode] */
    bool speed;            /* the parameter is an angular speed in rad/s: Campbell diagrams have its multiples */
    /* changes of stability, for figures, if known more exactly than from the points; then column k must be one curve; NULL: found */
    const bl_mode_crossing *crossing;
    bl_index ncrossing;
} bl_mode_path;

/* The same points, reordered so that column k is one curve, by the nearest continuation. re, im[npoint][nmode] */
BL_API bl_status bl_mode_path_join(bl_context *ctx, const bl_mode_path *path, double *re, double *im);

/* A table: the parameter, then real and imaginary part of every column. */
BL_API bl_status bl_mode_path_csv(bl_context *ctx, const bl_mode_path *path, const char *file);

/* Crossings of joined curves (the upper ones of conjugate pairs): crossing[most] receives the first ones by parameter, located between
 * points. Returns their total number. */
BL_API bl_index bl_mode_path_crossings(const bl_mode_path *joined, bl_index most, bl_mode_crossing *crossing);

/* ---- figures (SVG) */

/* Magnitude and phase of pairs over the frequency. pair[npair][2]: output, input; NULL: all, or the first ones if there are many. */
BL_API bl_status bl_linear_bode(bl_context *ctx, const bl_linear_model *lin, bl_index nomega, const double *omega, const double *H,
                                const bl_index *pair, bl_index npair, const char *path);
/* Curves of eigenvalues in the complex plane; a cross at the start of the path, a dot at its end, circles where stability changes. */
BL_API bl_status bl_linear_locus(bl_context *ctx, const bl_mode_path *modes, const char *path);
/* Frequencies over the parameter, colored by damping; if it is a speed, with its multiples 1x, 2x. */
BL_API bl_status bl_linear_campbell(bl_context *ctx, const bl_mode_path *modes, const char *path);

#ifdef __cplusplus
}
#endif
#endif
