/* chart: a frame with axes on a page, and curves in it. Shared by the figures of linearized mechanisms. */
#ifndef BL_OUTPUT_CHART_H
#define BL_OUTPUT_CHART_H

#include "output/svg.h"

#define BL_CHART_INK "#20262c"
#define BL_CHART_FAINT "#e3e6ea"

typedef struct bl_chart_axis {
    double low, high; /* range; of a logarithmic axis above 0 */
    bool log;
    double step; /* between labels; 0: chosen automatically */
    int count;   /* approximate number of labels; 0: as many as fit */
} bl_chart_axis;

typedef struct bl_chart {
    bl_svg *svg;
    double left, top, width, height; /* of the frame */
    bl_chart_axis x, y;
    const char *grid; /* attributes of the grid lines; NULL: default */
} bl_chart;

/* Begins a page with one chart and writes its title; the figure draws the grid. */
typedef struct bl_chart_page {
    double width, height, left, right, top, bottom; /* size of the page, margins around the frame */
} bl_chart_page;
bl_chart bl_chart_begin(bl_svg *svg, const bl_chart_page *page, bl_chart_axis x, bl_chart_axis y, const char *title);

double bl_chart_x(const bl_chart *chart, double x); /* position on the page, clamped far outside */
double bl_chart_y(const bl_chart *chart, double y);
bool bl_chart_inside(const bl_chart *chart, double x, double y);

void bl_chart_title(const bl_chart *chart, const char *title);
/* Grid lines; numbers on the left and, if numbers_below, below; then the frame. */
void bl_chart_grid(const bl_chart *chart, bool numbers_below);
/* The same axis in other units on the opposite side: labels of value x factor. */
void bl_chart_far_x(const bl_chart *chart, double factor);
void bl_chart_far_y(const bl_chart *chart, double factor);
void bl_chart_frame(const bl_chart *chart);
/* Axis titles at position `at` of the page; the y title is rotated. */
void bl_chart_name_x(const bl_chart *chart, double at, const char *name);
void bl_chart_name_y(const bl_chart *chart, double at, const char *name);

/* A curve clipped to the frame; NaN interrupts it. style: attributes of the path. */
void bl_chart_curve(const bl_chart *chart, bl_index n, const double *x, const double *y, const char *style);
/* Labels that do not overlap. A zeroed struct is ready to use. */
enum { BL_CHART_LABELS = 8 };
typedef struct bl_chart_labels {
    int n;
    double at[BL_CHART_LABELS][2];
} bl_chart_labels;
/* Moves y in steps until no label closer than `wide` in x overlaps; false: there are enough labels. */
bool bl_chart_place(bl_chart_labels *labels, double x, double *y, double wide, double step);
/* Text with a white outline, so that it is readable over lines. */
void bl_chart_note(bl_svg *svg, double x, double y, const char *anchor, const char *color, const char *text);

enum { BL_CHART_COLORS = 8 };
/* Attributes of the k-th curve: colors that are distinct also with impaired color vision (Okabe, Ito), then repeated with dashes. */
void bl_chart_line_style(bl_index k, double width, char *style, size_t size);
const char *bl_chart_color(bl_index k);

#endif
