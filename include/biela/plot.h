/* plot: curves of results, drawn by gnuplot. */
#ifndef BIELA_PLOT_H
#define BIELA_PLOT_H

#include "biela/result.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bl_plot_lengths { BL_PLOT_BY_SIZE, BL_PLOT_MILLIMETERS, BL_PLOT_METERS } bl_plot_lengths;

typedef struct bl_plot_options {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    /* The name of a quantity ("j1.angle"), a part ("j1"), "energy", "reactions", a pattern ("*.angle"), an expression
     * ("kinetic + potential"), or "Y:X", one against the other. */
    const char *const *what;
    bl_index nwhat;
    const char *against;     /* name or expression of the horizontal axis; NULL: time */
    bool limited;            /* only samples with from <= time <= to */
    double from, to;         /* may be infinite */
    bool log;                /* magnitudes on a logarithmic axis */
    bool radians;            /* angles; else degrees */
    bl_plot_lengths lengths; /* BL_PLOT_BY_SIZE: mm if the mechanism is smaller than 0.5 m */
    int width, height;       /* of the figure in pixels; 0: chosen by content */
    bool keep;               /* keep script and data beside the figure: FIGURE.gp, FIGURE.dat */
    const char *folder;      /* for temporary files; NULL or "": /tmp */
} bl_plot_options;

typedef struct bl_plot_curve {
    const char *name, *against; /* as in the file, or the expression; against NULL: time */
    const char *unit;           /* on its axis; "": none or not known */
    bl_index result, panel;
    long samples, points;     /* read; drawn */
    double smallest, largest; /* on its axis; NaN: no finite value */
} bl_plot_curve;

typedef struct bl_plot_report {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    bl_index ncurve, npanel;
    const bl_plot_curve *curve;
    const char *script, *data; /* kept; else NULL */
    void *own;
} bl_plot_report;

/* Draws to path, which ends in .svg, .pdf or .png. label[n]: names of the results in legends if there are several. BL_E_ARG: unknown
 * names (the message suggests the nearest), BL_E_ABILITY: gnuplot is not installed (with `keep` script and data are written anyway). */
BL_API bl_status bl_plot(bl_context *ctx, bl_result *const *results, const char *const *label, bl_index n, const bl_plot_options *options,
                         const char *path, bl_plot_report *report);
BL_API void bl_plot_report_destroy(bl_context *ctx, bl_plot_report *report);

/* Names that can be plotted, and their SI units ("": none); valid until bl_plot_names_destroy. */
typedef struct bl_plot_names {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    bl_index n;
    const char *const *name, *const *unit;
    void *own;
} bl_plot_names;
BL_API bl_status bl_plot_list(bl_context *ctx, bl_result *result, bl_plot_names *names);
BL_API void bl_plot_names_destroy(bl_context *ctx, bl_plot_names *names);

#ifdef __cplusplus
}
#endif
#endif
