/* tire: its laws of slip, as nodes of a force's tape. */
#ifndef BL_TIRE_H
#define BL_TIRE_H

#include "force/force.h"

/* [0] along the wheel, [1] across it */
typedef struct bl_tire_slip {
    bool magic;
    double stiffness[2];     /* linear: force / load per unit of slip */
    double friction[2];      /* greatest force / load */
    double B[2], C[2], E[2]; /* magic formula; D is the friction */
    double speed;            /* below which slips are smoothed */
    bool rolls_freely;       /* no force along the wheel */
} bl_tire_slip;

/* Force / load along and across the wheel for the speed `ahead` of its center and the sliding velocity slide[2] of the contact point. */
void bl_tire_shares(bl_record *r, const bl_tire_slip *slip, bl_index ahead, const bl_index slide[2], bl_index share[2]);

#endif
