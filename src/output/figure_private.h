/* figure: what the files of field figures share. Reading order: figure.c (what is shown, read from the file), figure_faces.c (faces of
 * cells on the outside), figure_draw.c (view, bands of colors, isolines), figure_curve.c (curves). */
#ifndef BL_FIGURE_PRIVATE_H
#define BL_FIGURE_PRIVATE_H

#include "biela/figure.h"
#include "output/faces.h"
#include "output/svg.h"

enum { BL_LEVELS_MOST = 40 };

/* One mesh of a figure. */
typedef struct bl_shown {
    const bl_run_mesh *mesh;
    bl_faces faces;
    double *displacement; /* [nnode][3]; NULL: none */
    double *value;        /* [nnode] or [ncell]; NULL: none */
    bool on_cells;
} bl_shown;

typedef struct bl_figure {
    bl_context *ctx;
    const bl_figure_options *options;
    bl_index nshown;
    bl_shown *shown;
    double factor;
    double low, high; /* of the values */
    int nlevel;       /* bands are one more */
    double level[BL_LEVELS_MOST + 2];
    char title[256], label[160], note[160];
} bl_figure;

bl_status bl_figure_draw(bl_figure *figure, const char *path);

/* Round numbers from low to high, about `count` steps apart; returns how many. level[BL_LEVELS_MOST + 2] */
int bl_round_levels(double low, double high, int count, double *level);

/* The name of the model, where the file has one. */
bl_status bl_figure_title(bl_context *ctx, bl_result *result, char *title, size_t size);
/* Which component of a field a word like "11", "x", "2" means; -1: none. */
int bl_component_of(const char *word, int components);
/* A curve y(x) with axes; NaN breaks it. */
bl_status bl_curve_draw(bl_context *ctx, const char *path, const char *title, const char *x_label, const char *y_label, bl_index n,
                        const double *x, const double *y);

#endif
