/* What the structural graph and the structural diagram have in common: sets of links, lines between links, colours, words. */
#ifndef BL_OUTPUT_STRUCTURE_FIGURE_H
#define BL_OUTPUT_STRUCTURE_FIGURE_H

#include "biela/structure.h"
#include "output/flow.h"

typedef enum bl_figure_line { BL_LINE_FREEDOM, BL_LINE_INPUT, BL_LINE_FIXED, BL_LINE_VIA } bl_figure_line;

/* lines between two links: from line[begin] to line[end - 1] */
typedef struct bl_figure_bundle {
    bl_index a, b; /* a <= b */
    bl_index begin, end;
} bl_figure_bundle;

/* a group, or a set that is left over; the frame is the first one */
typedef struct bl_figure_cluster {
    const bl_index *link;
    bl_index nlink, layer;
    int sort;
    char label[80];
} bl_figure_cluster;

typedef struct bl_figure {
    bl_context *ctx;
    bl_arena arena;
    const bl_chain *chain;
    const bl_structure_report *report;
    bl_index nbundle, nline, ncluster;
    bl_figure_bundle *bundle;
    uint8_t *line; /* bl_figure_line */
    bl_figure_cluster *cluster;
    bl_index *cluster_of; /* [nlink] */
    bool marks;           /* pairs with the frame have a mark of their own each: one node would have lines everywhere */
    bl_flow flow;
    struct bl_figure_stop { /* where a line leaves a row or enters one */
        double x, y;
        bl_index number;
        bool enters;
    } * stop;
    bl_index nstop, stop_room, other[2];
    bl_status status;
} bl_figure;

bl_status bl_figure_collect(bl_figure *figure);

void bl_figure_destroy(bl_figure *figure);

/* Notes where the edge goes on in another row; what stands at its other end is told there by number. */
bl_status bl_figure_note_stops(bl_figure *figure, const bl_flow_edge *edge, bl_index from_number, bl_index to_number);
void bl_figure_put_stops(const bl_figure *figure, bl_svg *svg);

/* colours of a sort */
const char *bl_figure_ink(int sort);
const char *bl_figure_paper(int sort);
double bl_figure_text_width(const char *text, double size);

/* Heading above `flow`, which starts below it; what names the figure. */
enum { BL_FIGURE_LEFT = 24, BL_FIGURE_TOP = 66 };
void bl_figure_heading(const bl_figure *figure, bl_svg *svg, const char *what);
/* Entries side by side, in a new line where one is full. */
typedef struct bl_figure_legend {
    bl_svg *svg; /* NULL: only measures */
    double left, right, x, y;
} bl_figure_legend;
/* Room for one entry; its picture is 26 wide and ends at *x + 26, its middle is at *y. */
void bl_figure_legend_entry(bl_figure_legend *legend, const char *text, double *x, double *y);
void bl_figure_legend_sorts(const bl_figure *figure, bl_figure_legend *legend);
double bl_figure_page_width(const bl_figure *figure);

#endif
