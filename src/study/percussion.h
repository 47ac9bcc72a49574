/* percussion: where the rate of a driver jumps, velocities jump with it. Of all velocities that satisfy the constraints, G v = b, the new
 * ones change least in the norm of masses:
 *
 *     M (v+ - v-) + G^T P = 0,   G v+ = b+          P: impulses of the constraints
 */
#ifndef BL_STUDY_PERCUSSION_H
#define BL_STUDY_PERCUSSION_H

#include "kkt/kkt.h"

struct bl_simulation;

typedef struct bl_percussion {
    long count;
    double t;      /* of the last one */
    char part[96]; /* its driver, and the message about it */
    char text[256];
    /* made at the first one */
    const bl_system *inner; /* without states: they have no mass */
    bl_kkt *kkt;
    bl_state state;
    bl_eval eval;
    double *b;              /* [np] before */
    double *zero, *x, *rhs; /* [entries of K], [nv], [np] */
    void *block;
} bl_percussion;

/* Before signals change: rates of the drivers. */
bl_status bl_percussion_before(struct bl_simulation *sim);
/* After it, at the same state: new velocities if the rate of a driver jumped. Their energy is not counted here. */
bl_status bl_percussion_after(struct bl_simulation *sim);
void bl_percussion_destroy(struct bl_simulation *sim);

#endif
