/* stability: order and stability of integration methods from their coefficients. z = h lambda for y' = lambda y with first-order
 * methods; Omega = h w for u'' + 2 xi w u' + w^2 u = 0 with second-order ones, where z is the root of z^2 + 2 xi Omega z + Omega^2. */
#ifndef BIELA_STABILITY_H
#define BIELA_STABILITY_H

#include "biela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bl_stability_options {
    size_t size;               /* sizeof this struct, or 0 (context.h) */
    const char *const *method; /* "bdf:3", "hht:0.3", ... */
    bl_index nmethod;
    const double *at; /* h/T of the tables, positive, ascending; NULL: 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1 */
    bl_index nat;
    double xi;   /* physical damping ratio of tables, curves and omega_critical, 0 <= xi < 1 */
    bool region; /* trace the boundary of the stability region */
    /* frequencies of a model to mark, rad/s, positive, ascending (bl_modes), and the step for which they are marked; NULL: none */
    const double *omega;
    bl_index nomega;
    double step;
} bl_stability_options;

/* A part of the boundary of the stability region, in the z plane. */
typedef struct bl_stability_line {
    bl_index n;
    const double *re, *im;
    bool closed; /* the last point is the first */
} bl_stability_line;

/* At Omega = 2 pi h/T. rho: spectral radius. damping, period_error: of the principal root; NaN if there is no oscillation. */
typedef struct bl_stability_table {
    bl_index n;
    const double *h_over_T, *rho, *damping, *period_error;
} bl_stability_table;

/* One method. Infinite: no limit; NaN: does not apply. */
typedef struct bl_stability_entry {
    const char *name;             /* as given */
    const char *shape;            /* "multistep", "extended", "runge_kutta", "oscillator" */
    int promised_order;           /* documented order; 0: none */
    int order;                    /* found from the coefficients; -1: not consistent */
    double error_constant;        /* multistep: C_{p+1}/sigma(1); extended, runge_kutta: of the local error on y' = lambda y, in z^{p+1};
                                    * oscillator: C_{p+2} of its difference equation, sigma(1) = 1 */
    bool zero_stable;             /* root condition at z = 0 */
    char zero_words[192];         /* the reason, as text */
    bool a_stable;                /* stable in the left half plane; oscillator: for every Omega and xi */
    double angle;                 /* A(alpha) in degrees, to 0.005; 90: A-stable; NaN: no sector */
    double rho_infinity;          /* spectral radius for z -> infinity */
    double real_interval;         /* stable for -real_interval <= z <= 0; oscillator: NaN */
    double imaginary_interval;    /* z = i y stable for 0 <= y <= this; oscillator: xi = 0 */
    double omega_critical;        /* stable for Omega up to this, with the given xi */
    double omega_bifurcation;     /* where the principal pair becomes real; NaN: nowhere below 1000 */
    bl_stability_table at, curve; /* at the given h/T; for curves, 0.01 to 100 in equal ratios */
    bl_stability_table marks;     /* at the frequencies of the model, h/T = step omega / 2 pi */
    bl_index nline;               /* 0 unless the region was requested */
    const bl_stability_line *line;
} bl_stability_entry;

typedef struct bl_stability_report {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    double xi, step;
    bl_index nentry;
    const bl_stability_entry *entry;
    void *own;
} bl_stability_report;

/* Analyzes methods by their coefficients alone. BL_E_ARG: unknown method, parameter out of range; BL_E_ABILITY: no fixed formula. */
BL_API bl_status bl_stability_study(bl_context *ctx, const bl_stability_options *options, bl_stability_report *report);
BL_API void bl_stability_report_destroy(bl_context *ctx, bl_stability_report *report);
/* Spectral radius of one method at z (second-order methods: at |z|, xi = -Re z / |z|). */
BL_API bl_status bl_stability_radius(bl_context *ctx, const char *method, double re, double im, double *rho);
/* Figure (SVG by gnuplot) with four panels: regions, spectral radius, damping, period error. PATH.gp and PATH.dat (PATH without .svg)
 * are kept beside it, also if gnuplot is not installed (BL_E_ABILITY). */
BL_API bl_status bl_stability_figure(bl_context *ctx, const bl_stability_report *report, const char *path);

#ifdef __cplusplus
}
#endif
#endif
