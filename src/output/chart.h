/* chart: a frame with axes on a page, and curves in it. Shared by the figures of linearized mechanisms. */
#ifndef BL_OUTPUT_CHART_H
#define BL_OUTPUT_CHART_H

#include "output/svg.h"

#define BL_CHART_INK "#20262c"
#define BL_CHART_FAINT "#e3e6ea"

typedef struct bl_chart_axis {
    double low, high; /* of the numbers; of a logarithmic one above 0 */
    bool log;
    double step; /* between labels; 0: found */
    int count;   /* of labels, about; 0: as many as there is room for */
} bl_chart_axis;

typedef struct bl_chart {
    bl_svg *svg;
    double left, top, width, height; /* of the frame */
    bl_chart_axis x, y;
    const char *grid; /* attributes of its lines; NULL: the usual ones */
} bl_chart;

/* A page with one chart in it: the page is begun, its title written; the grid is left to the figure. */
typedef struct bl_chart_page {
    double width, height, left, right, top, bottom; /* of the page, and around the frame */
} bl_chart_page;
bl_chart bl_chart_begin(bl_svg *svg, const bl_chart_page *page, bl_chart_axis x, bl_chart_axis y, const char *title);

double bl_chart_x(const bl_chart *chart, double x); /* on the page, at most far outside */
double bl_chart_y(const bl_chart *chart, double y);
bool bl_chart_inside(const bl_chart *chart, double x, double y);

void bl_chart_title(const bl_chart *chart, const char *title);
/* Lines of the grid; numbers left and below (unless hidden), then the frame. */
void bl_chart_grid(const bl_chart *chart, bool numbers_below);
/* The same axis in other units on the far side: labels of value x factor. */
void bl_chart_far_x(const bl_chart *chart, double factor);
void bl_chart_far_y(const bl_chart *chart, double factor);
void bl_chart_frame(const bl_chart *chart);
/* Names of the axes; those of y stand upright at `at` on the page. */
void bl_chart_name_x(const bl_chart *chart, double at, const char *name);
void bl_chart_name_y(const bl_chart *chart, double at, const char *name);

/* A curve inside the frame; NaN breaks it. look: attributes of the path. */
void bl_chart_curve(const bl_chart *chart, bl_index n, const double *x, const double *y, const char *look);
/* Labels that keep clear of one another. Zeroed ones are ready to use. */
enum { BL_CHART_LABELS = 8 };
typedef struct bl_chart_labels {
    int n;
    double at[BL_CHART_LABELS][2];
} bl_chart_labels;
/* Moves y by steps away from labels less than `wide` beside it; false: there are enough labels. */
bool bl_chart_place(bl_chart_labels *labels, double x, double *y, double wide, double step);
/* Text with a white rim, so that it can be read across lines. */
void bl_chart_note(bl_svg *svg, double x, double y, const char *anchor, const char *color, const char *text);

enum { BL_CHART_COLORS = 8 };
/* Colors that people with impaired color vision tell apart (Okabe, Ito), then again with dashes: attributes of the k-th curve. */
void bl_chart_line_style(bl_index k, double width, char *look, size_t size);
const char *bl_chart_color(bl_index k);

#endif
