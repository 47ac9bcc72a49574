/* sweep: the pairs of shapes that are near, by sorting their bounds along one axis (sweep and prune). Bounds are larger than needed, so
 * that pairs stay the same for several steps; pairs keep what is remembered about them. */
#ifndef BL_SWEEP_H
#define BL_SWEEP_H

#include "contact/contact.h"

/* A pair of near shapes, one < other, and its memory: the points of the last step and the impulses there. */
typedef struct bl_contact_pair {
    bl_index one, other;
    int16_t law;
    uint8_t hint; /* of bl_box_box_hinted */
    uint8_t count;
    uint32_t number[BL_CONTACT_POINTS];
    double impulse[BL_CONTACT_POINTS][3]; /* global axes, on the second body */
    double at[BL_CONTACT_POINTS][3];      /* of the points: sum of the arms from both mass centers */
} bl_contact_pair;

typedef struct bl_sweep {
    bl_context *ctx;
    void *block;
    bl_index nshape, nplane, ngroup;
    const bl_contact_shape *shape;
    const int16_t *law;           /* [ngroup][ngroup] number of the law of a pair of groups; -1: no contact. Symmetric */
    const uint8_t *fixed;         /* [bodies] nothing that does not move touches its like */
    int axis;                     /* along which bounds are sorted */
    double (*low)[3], (*high)[3]; /* [nshape] enlarged bounds, of planes infinite */
    bl_index *order;              /* [nshape - nplane] by low */
    bl_index *plane;              /* [nplane] */
    double *sorted[6];            /* [nshape] low and high in that order: of the axis, then of the other two */
    bl_index npair, pair_room, found_room, old_room;
    bl_contact_pair *pair, *old; /* ascending in (one, other) */
    bl_index (*found)[2], *start;
    long rebuilt; /* how often pairs were searched */
} bl_sweep;

/* shape, law and fixed stay valid. Zeroed *sweep in; destroy accepts half-built ones. */
bl_status bl_sweep_create(bl_context *ctx, bl_index nshape, const bl_contact_shape *shape, bl_index ngroup, const int16_t *law,
                          const uint8_t *fixed, bl_sweep *sweep);
void bl_sweep_destroy(bl_sweep *sweep);
/* sweep->pair[npair]: every pair whose bounds, enlarged by margin[nshape], overlap, and some more. Searched again only if a shape has left
 * its enlarged bounds. Allocates only when there are more pairs than ever before. */
bl_status bl_sweep_update(bl_sweep *sweep, const bl_contact_solid *solid, const double *margin);

#endif
