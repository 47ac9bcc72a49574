/* parts: bundles of unknowns (a link has three) and bundles of equations that contain them (a pin has two), split into the smallest parts
 * that can be solved one after the other. Only counts matter, as in a block triangular form whose blocks consist of complete bundles. */
#ifndef BL_PARTS_H
#define BL_PARTS_H

#include "base/base.h"

typedef struct bl_parts_input {
    bl_index nnode, nedge;
    const bl_index *room;   /* [nnode] unknowns of each node */
    const bl_index *weight; /* [nedge] equations of each edge */
    const bl_index *ptr;    /* [nedge + 1] */
    const bl_index *node;   /* node[ptr[e]] .. node[ptr[e+1]-1]: nodes of edge e, each once; may be empty */
} bl_parts_input;

typedef struct bl_parts {
    bl_index npart;
    bl_index *part;    /* [nnode] its part; a part depends only on those with smaller numbers */
    bl_index *units;   /* [ptr[nedge]] number of equations of an edge that fix unknowns of that node */
    bl_index *spare;   /* [nnode] unknowns that no equation fixes */
    bl_index *surplus; /* [nedge] equations without an unknown. Earlier edges have priority */
    bl_index nspare, nsurplus;
    bl_index *begin, *slot; /* indices in `node` where a node occurs: slot[begin[n]] .. slot[begin[n+1]-1] */
    bl_index *edge;         /* [ptr[nedge]] the edge of an index in `node` */
    void *block;
} bl_parts;

/* Assigns equations to unknowns by shortest augmenting paths; the strong components of "the equations that fix u contain w" are the parts.
 * Storage from ctx: free with bl_parts_free, also after failure. */
bl_status bl_parts_find(bl_context *ctx, const bl_parts_input *in, bl_parts *out);
void bl_parts_free(bl_context *ctx, bl_parts *parts);

#endif
