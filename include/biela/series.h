/* series: Adomian polynomials, the power-series coefficients of a nonlinear expression; motions as power series.
 *
 *     double u[] = {0.5, 1, 0, 0.25}, A[4];                     u(t) = 0.5 + t + 0.25 t^3
 *     bl_adomian(ctx, "sin(u)", &(const char *){"u"}, 1, 3, u, A);
 *
 * A_k is coefficient k of N(u(t)), a polynomial in u_1, ..., u_k: A_0 = N(u_0), A_1 = u_1 N'(u_0), A_2 = u_2 N' + u_1^2 N'' / 2, ... */
#ifndef BIELA_SERIES_H
#define BIELA_SERIES_H

#include "biela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bl_model;

/* A[order + 1] of the expression `text` (as in model files, without tables) of the unknowns name[n], for coefficients u[n][order + 1].
 * BL_E_MODEL: a syntax error, with its column; BL_E_ARG: a name is repeated or reserved; BL_NOT_FINITE: some A_k is NaN or infinite, since
 * N has no such derivative at u_0. For abs, min, max and conditions the lowest coefficients that differ choose the branch. */
BL_API bl_status bl_adomian(bl_context *ctx, const char *text, const char *const *name, bl_index n, int order, const double *u, double *A);

/* ---- the motion of a model as a power series about its start, q(t) = sum q_k (t - t0)^k */

enum { BL_SERIES_LEAST_ORDER = 2, BL_SERIES_MOST_ORDER = 60, BL_SERIES_USUAL_ORDER = 8 };

typedef struct bl_series_options {
    size_t size;                                               /* sizeof this struct, or 0 (context.h) */
    const char *coordinates, *formulation, *linsol, *ordering; /* NULL: the model's coordinates; index2, or plain without constraints */
    int order;                                                 /* highest power of positions; 0: BL_SERIES_USUAL_ORDER */
} bl_series_options;

/* multipliers: lambda of M v' = Q - G^T lambda, mu of q' = v - G^T mu */
typedef enum bl_series_what { BL_SERIES_POSITION, BL_SERIES_VELOCITY, BL_SERIES_STATE, BL_SERIES_LAMBDA, BL_SERIES_MU } bl_series_what;
BL_API const char *bl_series_what_text(bl_series_what what); /* "position", "velocity", "state", "lambda", "mu" */

typedef struct bl_series_component {
    bl_series_what what;
    const char *name;          /* of the coordinate or of the constraint */
    int order;                 /* for velocities and multipliers one or two less than the report's */
    const double *coefficient; /* [order + 1] */
    double radius; /* of convergence, estimated; infinite: a polynomial; NaN: for mu, which is only rounding if the start is consistent */
} bl_series_component;

typedef struct bl_series_report {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    const char *model_name, *coordinates, *formulation;
    double t; /* of the start */
    int order;
    double radius; /* smallest of positions and states */
    bl_index ncomponent;
    const bl_series_component *component; /* all positions, then all velocities, ... */
    void *own;
} bl_series_report;

/* Expands the motion about the assembled start. BL_E_ARG: order out of range, unknown names; BL_E_ABILITY: a force is not analytic, or the
 * kinds do not support series; BL_E_NUMERIC: the start is singular, or some coefficient is not finite. */
BL_API bl_status bl_series_study(bl_context *ctx, const struct bl_model *model, const bl_series_options *options, bl_series_report *report);
BL_API void bl_series_report_destroy(bl_context *ctx, bl_series_report *report);
/* Writes the series as a function in C, void motion(double t, double *position, double *velocity, double *state, double *lambda,
 * double *mu), that evaluates those that are not NULL by Horner's rule. */
BL_API bl_status bl_series_write_c(bl_context *ctx, const bl_series_report *report,
                                   void (*write)(void *user, const char *text, size_t length), void *user);

#ifdef __cplusplus
}
#endif
#endif
