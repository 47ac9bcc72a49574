/* momentum: of parts of a model that nothing connects with the ground. Joints, gears, drivers and forces act between bodies, action against
 * reaction: a part of the graph they make without the ground keeps its momentum, but for its weight, and its angular momentum about its own
 * mass center. docs/theory/balance.md, section 2. */
#ifndef BL_STUDY_MOMENTUM_H
#define BL_STUDY_MOMENTUM_H

#include "system/system.h"

struct bl_model;
struct bl_simulation;

typedef struct bl_part {
    double mass, first[3];  /* first: momentum less that of the weight since the start */
    double spin[3];         /* angular momentum about the mass center, at the start */
    double most, most_spin; /* largest sums of |m v| and of |r x m v| + |I w| so far */
    double began[2];        /* when each was last in order before it was not; NaN: it is */
    bool warned;
    const char *name; /* of its first body */
} bl_part;

typedef struct bl_momentum {
    const struct bl_model *model;
    bl_index n;    /* parts; 0: nothing is kept */
    bl_part *part; /* [n] */
    bl_index *of;  /* [bodies] part of each; -1: connected with the ground */
    bool begun;
    double start, last;
    long looked;
} bl_momentum;

/* Finds the parts of a model; *momentum is zeroed before. */
bl_status bl_momentum_find(bl_context *ctx, const struct bl_model *model, bl_momentum *momentum);
void bl_momentum_free(bl_context *ctx, bl_momentum *momentum);
/* After an accepted step: compares with what the first call found, and warns. */
bl_status bl_momentum_step(struct bl_simulation *sim);

#endif
