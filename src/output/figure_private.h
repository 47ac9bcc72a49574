/* figure: shared by the files of field figures. Reading order: figure.c (choice of field and sample), figure_faces.c (outer faces of
 * cells), figure_draw.c (view, color bands, isolines), figure_curve.c (curves). */
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
    double *displacement; /* [nnode][3], from `rigid`; NULL: none */
    double (*rigid)[3];   /* [nnode] of a body of a mechanism: the mesh moved rigidly, as near to its nodes as possible; NULL: it is not */
    double *value;        /* [nnode] or [ncell]; NULL: none */
    bool on_cells;
} bl_shown;

typedef struct bl_figure {
    bl_context *ctx;
    const bl_figure_options *options;
    bl_index nshown;
    bl_shown *shown;
    double factor;
    double low, high; /* range of the values */
    int nlevel;       /* nlevel + 1 color bands */
    double level[BL_LEVELS_MOST + 2];
    char title[256], label[160], note[160];
} bl_figure;

bl_status bl_figure_draw(bl_figure *figure, const char *path);

/* Round numbers from low to high in about `count` steps; returns their number. level[BL_LEVELS_MOST + 2] */
int bl_round_levels(double low, double high, int count, double *level);

/* The name of the model, if the file has one. */
bl_status bl_figure_title(bl_context *ctx, bl_result *result, char *title, size_t size);
/* Index of the component that a word like "11", "x", "2" names; -1: none. */
int bl_component_of(const char *word, int components);
/* A curve y(x) with axes; NaN interrupts it. */
bl_status bl_curve_draw(bl_context *ctx, const char *path, const char *title, const char *x_label, const char *y_label, bl_index n,
                        const double *x, const double *y);

#endif
