/* Shared by the structural graph and the structural diagram: sets of links, lines between links, colors, text. */
#ifndef BL_OUTPUT_STRUCTURE_FIGURE_H
#define BL_OUTPUT_STRUCTURE_FIGURE_H

#include "biela/structure.h"
#include "output/layered_layout.h"

typedef enum bl_structure_line { BL_LINE_DOF, BL_LINE_INPUT, BL_LINE_FIXED, BL_LINE_VIA } bl_structure_line;

/* lines between two links: from line[begin] to line[end - 1] */
typedef struct bl_structure_bundle {
    bl_index a, b; /* a <= b */
    bl_index begin, end;
} bl_structure_bundle;

/* a group, or a set of unsolved links; the frame is the first one */
typedef struct bl_structure_cluster {
    const bl_index *link;
    bl_index nlink, layer;
    int category;
    char label[80];
} bl_structure_cluster;

struct bl_structure_legend;
/* The specific parts of the two figures; each has a bl_structure_figure as its first member. */
struct bl_structure_figure;
typedef struct bl_structure_drawing {
    const char *name;                                /* "structural graph" */
    const char *defs;                                /* patterns and arrowheads, SVG */
    double most_width, spread_gap, spread_room;      /* parameters of the layout */
    bl_status (*make)(struct bl_structure_figure *); /* boxes and edges of the layout */
    bl_status (*note_stops)(struct bl_structure_figure *);
    void (*draw)(const struct bl_structure_figure *, bl_svg *);
    void (*legend)(const struct bl_structure_figure *, struct bl_structure_legend *);
} bl_structure_drawing;

typedef struct bl_structure_figure {
    const bl_structure_drawing *drawing;
    bl_context *ctx;
    bl_arena arena;
    const bl_chain *chain;
    const bl_structure_report *report;
    bl_index nbundle, nline, ncluster;
    bl_structure_bundle *bundle;
    uint8_t *line; /* bl_structure_line */
    bl_structure_cluster *cluster;
    bl_index *cluster_of; /* [nlink] */
    bool marks;           /* each pair with the frame has a mark of its own, since a single frame node would have lines everywhere */
    bl_layout layout;
    struct bl_structure_stop { /* point where a line leaves or enters a row */
        double x, y;
        bl_index number;
        bool enters;
    } * stop;
    bl_index nstop, stop_room, other[2];
    bl_status status;
} bl_structure_figure;

/* Records where the edge continues in another row; labels there show the number of its other end. */
bl_status bl_structure_note_stops(bl_structure_figure *figure, const bl_layout_edge *edge, bl_index from_number, bl_index to_number);

/* colors of a category */
const char *bl_structure_ink(int category);
const char *bl_structure_paper(int category);
double bl_structure_text_width(const char *text, double size);

/* Entries side by side, wrapped into lines. */
typedef struct bl_structure_legend {
    bl_svg *svg; /* NULL: only measures */
    double left, right, x, y;
} bl_structure_legend;
/* Position of one entry; its symbol is 26 wide and ends at *x + 26, its middle is at *y. */
void bl_structure_legend_entry(bl_structure_legend *legend, const char *text, double *x, double *y);
void bl_structure_legend_categories(const bl_structure_figure *figure, bl_structure_legend *legend);

/* Lays out and writes a figure; on entry only `drawing` is set. */
bl_status bl_structure_write(bl_context *ctx, const bl_chain *chain, const bl_structure_report *report, const char *path,
                             bl_structure_figure *figure);

#endif
