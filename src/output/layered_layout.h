/* flow: boxes in layers from left to right, in rows where a page is full, and the edges between them. An edge that passes over layers has a
 * lane of its own in each of them, so that no edge runs through a box. */
#ifndef BL_LAYERED_LAYOUT_H
#define BL_LAYERED_LAYOUT_H

#include "output/svg.h"

typedef struct bl_flow_box {
    bl_index layer;
    double width, height, head, foot; /* head and foot: room for words above and below */
    double x, y;                      /* out: left and top, below the head */
    bool flipped;                     /* out: what was at the top is at the bottom */
} bl_flow_box;

typedef struct bl_flow_end {
    bl_index box;
    double x, y; /* in the box; y as if it were not flipped */
} bl_flow_end;

typedef struct bl_flow_edge {
    bl_flow_end from, to;    /* in a later layer */
    double thick;            /* how much more than one line it is */
    bl_index lane, nsegment; /* private, as the rest */
    double shift[2];
} bl_flow_edge;

typedef struct bl_flow {
    bl_index nbox, nedge;
    bl_flow_box *box;
    bl_flow_edge *edge;
    double left, top, most_width;
    double spread_gap, spread_room; /* edges that end at the same place lie so far apart, together not wider than that */
    double width, height;           /* out: right and bottom end of what was laid out */
    bl_index nrow;                  /* out */
    struct bl_flow_private *own;
} bl_flow;

/* Layers count from 0, none is empty. Storage from the arena. */
bl_status bl_flow_lay_out(bl_arena *arena, bl_flow *flow);
/* Where an end lies on the page. */
void bl_layout_place(const bl_flow *flow, const bl_flow_end *end, double *x, double *y);
/* The way of an edge as path data, `beside` to its right. stop: radius of a circle around its end, where it ends. */
void bl_flow_path(const bl_flow *flow, const bl_flow_edge *edge, double beside, double stop, bl_svg *svg);
/* Calls visit where an edge leaves one row and enters the next. */
void bl_flow_breaks(const bl_flow *flow, const bl_flow_edge *edge, void (*visit)(void *user, bool enters, double x, double y), void *user);

#endif
