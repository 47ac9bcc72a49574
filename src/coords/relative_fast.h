/* relative_fast: accelerations of plain trees in O(n), by kernels for several instruction sets (base/isa.h). */
#ifndef BL_RELATIVE_FAST_H
#define BL_RELATIVE_FAST_H

#include "base/isa.h"

typedef struct bl_fast_vector {
    double x[4]; /* the last one is 0 */
} bl_fast_vector;

/* A link that hangs by one turning axis or one ball, seen from that joint's point. Its own axes: the third one is the axis; of a ball those
 * of the model configuration. */
typedef struct bl_fast_link {
    bl_index parent, col, ball; /* of links in the order of the passes; ball -1: an axis */
    bl_index fork;              /* which fork it is; -1: nothing but the link after it hangs on it */
    bool next;                  /* it hangs on the link before it */
    bool round;                 /* the inertia is that of a body round about e */
    double zero;
    double C[9];     /* its axes before it turns, in those of the parent; columns one after the other */
    double at[3];    /* from the parent's joint to this one, axes of the parent */
    double mr[3], m; /* mass times mass centre, own axes; mass */
    union {
        double I[9]; /* inertia at the joint, own axes */
        struct {
            double e[3], across, more; /* round: across + more e e^T */
        };
    };
} bl_fast_link;

/* What later passes read of a link; the rest goes from a link to the next one in registers. */
typedef struct bl_fast_now {
    bl_fast_vector R[3], d; /* axes; from the parent's joint to this one */
    bl_fast_vector w, al, a;
    bl_fast_vector U[2]; /* seen from the parent's joint */
    double D, push;
} bl_fast_now;

typedef struct bl_fast_ball {
    bl_fast_vector T[3];    /* axes before it turned */
    bl_fast_vector G[3], h; /* alpha = -h - G a */
    double back;            /* of the inverse slope */
} bl_fast_ball;

/* of all that hangs on a link: inertia [A B; B^T M], and what it asks for where q'' = 0 */
typedef struct bl_fast_load {
    bl_fast_vector A[3], B[3], M[3], p[2];
} bl_fast_load;

typedef struct bl_fast_fork {
    bl_fast_load load; /* of the links that hang on it, but for the one after it */
    bl_fast_vector acc[2];
} bl_fast_fork;

typedef struct bl_fast_work {
    bl_fast_now *link;
    bl_fast_ball *ball;
    bl_fast_fork *fork;
} bl_fast_work;

/* (1 - cos p)/p^2, (p - sin p)/p^3, their derivatives by p, divided by p; x = p^2 */
void bl_turn_series(double x, double f[4]);
enum { BL_TURN_TERMS = 9 };
extern const double bl_turn_term[BL_TURN_TERMS][4]; /* their powers of x, enough up to x = 0.5 */

typedef struct bl_fast_kernels {
    /* q'' of n links, parents first; gravity[3]; balls[9 nball]: where each stood when its q was last taken in. False: some motion moves
     * no mass. */
    bool (*run)(bl_index n, bl_index nfork, const bl_fast_link *link, const double *gravity, const double *q, const double *v,
                const double *balls, const bl_fast_work *work, double *acceleration);
} bl_fast_kernels;
BL_ISA_DECLARE(bl_fast_kernels);

#endif
