/* size: predicted cost of a run, before anything is set up. Counts of the model, then times set by the builder of the system; formulations
 * and integrators read both in their `cost` and `effort`, and study/plan.c compares. Times are ns of one core of the machine on which the
 * constants were fitted (bench/README.md): only their ratios decide, so the same model gets the same choice everywhere. */
#ifndef BL_SIZE_H
#define BL_SIZE_H

#include "base/base.h"

typedef struct bl_size {
    /* of the model */
    bl_index dim, bodies;
    bl_index dof;   /* a lower bound: redundant joints are counted as if independent */
    bl_index loops; /* joints beyond those of a spanning tree, and their equations: */
    bl_index loop_equations;
    bl_index forces;
    bool rotary_joints_only; /* every joint is revolute or spherical */
    /* of the coordinates, ns: with all constraint equations, and with dependent coordinates eliminated */
    double rate[2];   /* one evaluation of rates */
    double expand[2]; /* one expansion of order BL_SIZE_ORDER; 0: there is none */
    double entry[2];  /* an entry of matrices that couple all degrees of freedom with all bodies: in a rate, in an expansion */
    double setup;     /* building, assembly, set-up */
    bool full;        /* the mass matrix couples all degrees of freedom */
} bl_size;

enum { BL_SIZE_ORDER = 15 };
/* Work of an expansion of order K relative to that of BL_SIZE_ORDER: one evaluation, solutions in proportion to K, sums to its square. */
static inline double bl_size_order_work(int order) { return 8 + order + 0.01 * order * order; }
static inline double bl_size_order_share(int order) { return bl_size_order_work(order) / bl_size_order_work(BL_SIZE_ORDER); }

#endif
