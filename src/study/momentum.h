/* momentum: of parts of a model that are not connected to the ground. Joints, gears, drivers and forces act between bodies as action and
 * reaction: a connected part without the ground conserves its momentum, except for its weight, and its angular momentum about its own mass
 * center. docs/theory/balance.md, section 2. */
#ifndef BL_STUDY_MOMENTUM_H
#define BL_STUDY_MOMENTUM_H

#include "system/system.h"

struct bl_model;
struct bl_simulation;

typedef struct bl_part {
    double mass, first[3];  /* first: momentum at the start */
    double spin[3];         /* angular momentum about the mass center, at the start */
    double most, most_spin; /* largest sums of |m v| and of |r x m v| + |I w| so far */
    double began[2];        /* last time before each became too inaccurate; NaN: it is accurate */
    bool warned;
    const char *name; /* of its first body */
} bl_part;

typedef struct bl_momentum {
    const struct bl_model *model;
    bl_index n;                         /* parts; 0: nothing is conserved */
    bl_part *part;                      /* [n] */
    bl_index *of;                       /* [bodies] part of each; -1: connected to the ground */
    struct bl_elastic_momenta *elastic; /* [elastic bodies] at the last check; NULL: there are none */
    bool begun;
    double start, last;
    long checked; /* step of the last check */
} bl_momentum;

/* Finds the parts of a model; *momentum is zeroed before. */
bl_status bl_momentum_find(bl_context *ctx, const struct bl_model *model, bl_momentum *momentum);
void bl_momentum_free(bl_context *ctx, bl_momentum *momentum);
/* After an accepted step: compares with the values of the first call, and warns. */
bl_status bl_momentum_step(struct bl_simulation *sim);

#endif
