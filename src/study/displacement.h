/* displacement, private: a linkage led along its branch until quantities have given values (docs/theory/displacement.md).
 *
 *     bl_displacement_create(&linkage, goal, ngoal, &d);
 *     while (status == BL_OK && d.s < 1)
 *         status = bl_displacement_advance(&d, next);          d.s grows from 0 to 1, every goal is from + s (to - from)
 *
 * The way is a curve (x, s); its length in small motions x of the bodies is the step, so that dead points, where s turns back, are places
 * like others. Motions that neither joints nor goals determine are those of least energy. */
#ifndef BL_STUDY_DISPLACEMENT_H
#define BL_STUDY_DISPLACEMENT_H

#include "study/linkage.h"

typedef struct bl_goal {
    bl_reading what;
    double from, to;
    double alone;    /* share of its gradient that the joints leave: 0 where no motion moves it */
    bool follows;    /* from the others and the joints: looked at in the end */
    bl_index driver; /* it holds what this one drives; -1: asked for */
} bl_goal;

typedef enum bl_way_end {
    BL_WAY_OPEN,
    BL_WAY_DONE,
    BL_WAY_DEAD_POINT, /* a goal has its extreme value */
    BL_WAY_BRANCHES,   /* a singular position, where more than one motion goes on */
    BL_WAY_FIXED,      /* joints do not let a goal move */
    BL_WAY_CONTRADICTS,
    BL_WAY_STUCK /* none of them: it does not close any farther */
} bl_way_end;

typedef struct bl_displacement {
    bl_context *ctx;
    bl_linkage *l;
    bl_arena arena;
    bl_index ngoal, ncondition;
    bl_goal *goal;           /* [ngoal + ndriver] as asked for, then drivers that hold */
    bl_index *condition;     /* [ncondition] goals that are equations */
    bl_index nreleased;      /* drivers that hold nothing, */
    bl_index *released;      /* [nreleased] */
    bl_index mobility, free; /* motions that joints leave at the start; of these, those that nothing asks for */
    bl_index rank, *chosen;  /* rows of joints that count, chosen anew at each place */
    double stretch;          /* s per unit of its column */
    double s, slope;         /* how far, and ds / length of the way */
    double *direction;       /* [n] of unit length */
    double h, sharp;         /* next length to try; smallest singular value of all equations */
    long steps, rejected, factors, crawled;
    double idle; /* length of the way over which s hardly moved */
    bl_way_end end;
    const bl_goal *standing; /* FIXED: which */
    double *goal_start;      /* [size] the place at the start */
    bl_index hinge;          /* DEAD_POINT, BRANCHES, STUCK: a joint to name, -1: none */
    /* work */
    double *a, *tau, *work, *b; /* equations as columns [n + 1][m], and what their factors need */
    bl_index *order;
    size_t nwork;
    double *base, *first, *trial, *k[7]; /* places; RK */
    double *side[4], side_h[4];          /* beside a singular position: place, s, slope, direction, and lengths of the way */
    double *tried, *x;                   /* [n] */
    double trial_s, trial_slope, error, correction;
} bl_displacement;

/* goal[ngoal]: what and to; the rest is filled. BL_OK with end FIXED, CONTRADICTS, DEAD_POINT or BRANCHES: it cannot even begin. *d is
 * zeroed by the call; destroy also after failure. */
bl_status bl_displacement_create(bl_linkage *l, const bl_goal *goal, bl_index ngoal, bl_displacement *d);
void bl_displacement_destroy(bl_displacement *d);
/* From the present place until s = until <= 1, or as far as it goes: then d->end is no longer OPEN. */
bl_status bl_displacement_advance(bl_displacement *d, double until);

/* ---- displacement.c */

/* Factors of the equations at the place of the linkage: chosen rows, then conditions; curve: with the column of s; masses: on y. */
bl_status bl_displacement_factor(bl_displacement *d, bool curve, bool masses);
/* What of row[n] is new beside the equations factored last (no curve), a share of its length. */
double bl_displacement_new(bl_displacement *d, const double *row);
/* x[n] of least length (masses: energy) for rhs[m] of the equations factored last, without curve. False: they are dependent. */
bool bl_displacement_least(bl_displacement *d, bool masses, const double *rhs, double *x);
/* Smallest singular value of what was factored. */
double bl_displacement_smallest(bl_displacement *d);
/* place and *s onto all equations, with the least change; curve: s may change, too. *moved: how far. BL_NO_CONVERGENCE: it does not
 * close. */
bl_status bl_displacement_close(bl_displacement *d, bool curve, double *place, double *s, double *moved);
/* d->tried[n], d->trial_slope: direction of the way at the place of the linkage, along ref (NULL: s grows). */
bl_status bl_displacement_direction(bl_displacement *d, const double *ref);
/* h along the way from d->base: d->trial, trial_s, trial_slope, tried, error, correction. The linkage stands there. */
bl_status bl_displacement_reach(bl_displacement *d, double h);

/* ---- displacement_plan.c */

/* Motion number i of those that joints and conditions leave at the place of the linkage, of length `far`; d->tried[n]. */
bl_status bl_displacement_motion(bl_displacement *d, bl_index i, double far);
/* A goal that no motion moves at first: d->end becomes FIXED, DEAD_POINT (away from what is asked for) or BRANCHES (toward it). */
bl_status bl_displacement_standing(bl_displacement *d, const bl_goal *goal);

#endif
