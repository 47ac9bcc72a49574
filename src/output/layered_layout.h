/* layered_layout: boxes in layers from left to right, wrapped into rows of the page, and edges between them. An edge that skips layers has
 * a lane of its own in each of them, so that no edge crosses a box. */
#ifndef BL_LAYERED_LAYOUT_H
#define BL_LAYERED_LAYOUT_H

#include "output/svg.h"

typedef struct bl_layout_box {
    bl_index layer;
    double width, height, head, foot; /* head and foot: space for text above and below */
    double x, y;                      /* out: left and top, below the head */
    bool flipped;                     /* out: upside down */
} bl_layout_box;

typedef struct bl_layout_end {
    bl_index box;
    double x, y; /* in the box, before flipping */
} bl_layout_end;

typedef struct bl_layout_edge {
    bl_layout_end from, to;  /* in a later layer */
    double thick;            /* width beyond that of a single line */
    bl_index lane, nsegment; /* private, like the rest */
    double shift[2];
} bl_layout_edge;

typedef struct bl_layout {
    bl_index nbox, nedge;
    bl_layout_box *box;
    bl_layout_edge *edge;
    double left, top, most_width;
    double spread_gap, spread_room; /* distance of edges that end at the same point, and their largest total width */
    double width, height;           /* out: right and bottom of the drawing */
    bl_index nrow;                  /* out */
    struct bl_layout_private *own;
} bl_layout;

/* Layers are numbered from 0, none is empty. Memory is from the arena. */
bl_status bl_layout_make(bl_arena *arena, bl_layout *layout);
/* Position of an end on the page. */
void bl_layout_end_point(const bl_layout *layout, const bl_layout_end *end, double *x, double *y);
/* SVG path data of an edge, shifted by `beside` to its right; it ends on a circle of radius `stop` around its end point. */
void bl_layout_path(const bl_layout *layout, const bl_layout_edge *edge, double beside, double stop, bl_svg *svg);
/* Calls visit where an edge leaves one row and enters the next. */
void bl_layout_breaks(const bl_layout *layout, const bl_layout_edge *edge, void (*visit)(void *user, bool enters, double x, double y),
                      void *user);

#endif
