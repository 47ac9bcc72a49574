/* displacement, private: moves a linkage along its branch until quantities have given values (docs/theory/displacement.md).
 *
 *     bl_displacement_create(&linkage, goal, ngoal, &d);
 *     while (status == BL_OK && d.s < 1)
 *         status = bl_displacement_advance(&d, next);          d.s grows from 0 to 1, every goal is from + s (to - from)
 *
 * The path is a curve (x, s), parametrized by its length in small motions x of the bodies, so that dead points, where s has an extreme
 * value, are regular points of the curve. Motions that neither joints nor goals determine are those of least kinetic energy. */
#ifndef BL_STUDY_DISPLACEMENT_H
#define BL_STUDY_DISPLACEMENT_H

#include "study/linkage.h"

typedef struct bl_goal {
    bl_reading what;
    double from, to;
    double alone;    /* fraction of its gradient along admissible motions of the joints: 0 where no motion changes it */
    bool follows;    /* it depends on the others and the joints: compared at the end */
    bl_index driver; /* keeps the variable of this driver constant; -1: a requested goal */
} bl_goal;

typedef enum bl_way_end {
    BL_WAY_OPEN,
    BL_WAY_DONE,
    BL_WAY_DEAD_POINT, /* a goal has its extreme value */
    BL_WAY_BRANCHES,   /* a singular configuration, from which more than one motion continues */
    BL_WAY_FIXED,      /* the joints do not let a goal change */
    BL_WAY_CONTRADICTS,
    BL_WAY_STUCK /* none of these: it cannot be assembled any farther */
} bl_way_end;

typedef struct bl_displacement {
    bl_context *ctx;
    bl_linkage *l;
    bl_arena arena;
    bl_index ngoal, ncondition;
    bl_goal *goal;           /* [ngoal + ndriver] requested goals, then drivers that are kept constant */
    bl_index *condition;     /* [ncondition] goals that become equations */
    bl_index nreleased;      /* drivers that are not kept constant, */
    bl_index *released;      /* [nreleased] */
    bl_index mobility, free; /* degrees of freedom at the start; of these, those that no goal determines */
    bl_index rank, *chosen;  /* independent rows of the joints, chosen again in each configuration */
    double stretch;          /* s per unit of its column */
    double s, slope;         /* progress, and ds / length of the path */
    double *direction;       /* [n] of unit length */
    double h, sharp;         /* next step length to try; smallest singular value of all equations */
    long steps, rejected, factors, crawled;
    double idle; /* length of the path over which s hardly changed */
    bl_way_end end;
    const bl_goal *blocked; /* FIXED: the goal that cannot change */
    double *goal_start;     /* [size] the configuration at the start */
    bl_index hinge;         /* DEAD_POINT, BRANCHES, STUCK: a joint to name, -1: none */
    /* work */
    double *a, *tau, *work, *b; /* equations as columns [n + 1][m], and the arrays of their factorization */
    bl_index *order;
    size_t nwork;
    double *base, *first, *trial, *k[7]; /* configurations; Runge-Kutta stages */
    double *side[4], side_h[4];          /* near a singular configuration: configuration, s, slope, direction; path lengths */
    double *tried, *x;                   /* [n] */
    double trial_s, trial_slope, error, correction;
} bl_displacement;

/* goal[ngoal]: `what` and `to` are given, the rest is filled in. BL_OK with end FIXED, CONTRADICTS, DEAD_POINT or BRANCHES: the motion
 * cannot begin. *d is zeroed by the call; destroy also after failure. */
bl_status bl_displacement_create(bl_linkage *l, const bl_goal *goal, bl_index ngoal, bl_displacement *d);
void bl_displacement_destroy(bl_displacement *d);
/* From the present configuration until s = until <= 1, or as far as possible: then d->end is no longer OPEN. */
bl_status bl_displacement_advance(bl_displacement *d, double until);

/* ---- displacement.c */

/* Factors the equations in the configuration of the linkage: chosen rows, then conditions; curve: with the column of s; masses: in
 * mass-weighted unknowns. */
bl_status bl_displacement_factor(bl_displacement *d, bool curve, bool masses);
/* Fraction of row[n] that is linearly independent of the equations factored last (no curve). */
double bl_displacement_new_part(bl_displacement *d, const double *row);
/* x[n] of least length (masses: energy) for rhs[m] of the equations factored last, without curve. False: they are dependent. */
bool bl_displacement_least(bl_displacement *d, bool masses, const double *rhs, double *x);
/* Smallest singular value of the equations factored last. */
double bl_displacement_smallest(bl_displacement *d);
/* Moves `at` and *s onto all equations, with the least change; curve: s may change, too. *moved: the distance. BL_NO_CONVERGENCE: it
 * cannot be assembled. */
bl_status bl_displacement_assemble(bl_displacement *d, bool curve, double *at, double *s, double *moved);
/* d->tried[n], d->trial_slope: direction of the path in the configuration of the linkage, along ref (NULL: s grows). */
bl_status bl_displacement_direction(bl_displacement *d, const double *ref);
/* h along the path from d->base: sets d->trial, trial_s, trial_slope, tried, error, correction, and the linkage to the trial. */
bl_status bl_displacement_reach(bl_displacement *d, double h);

/* ---- displacement_plan.c */

/* Admissible motion i under joints and conditions in the configuration of the linkage, of length `far`; d->tried[n]. */
bl_status bl_displacement_motion(bl_displacement *d, bl_index i, double far);
/* A goal that no motion changes to first order: d->end becomes FIXED, DEAD_POINT (motions lead away from the requested value) or BRANCHES
 * (they lead toward it). */
bl_status bl_displacement_blocked(bl_displacement *d, const bl_goal *goal);

#endif
