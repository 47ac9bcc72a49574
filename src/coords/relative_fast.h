/* relative_fast: accelerations of plain trees in O(n), by kernels for several instruction sets (base/isa.h). */
#ifndef BL_RELATIVE_FAST_H
#define BL_RELATIVE_FAST_H

#include "base/isa.h"

typedef struct bl_fast_vector {
    double x[4]; /* the last one is 0 */
} bl_fast_vector;

/* A link that hangs by one turning axis or one ball, seen from that joint's point. Its own axes: the third one is the axis; of a ball those
 * of the model configuration. What a pass reads lies together: of long chains every number comes from a far memory. */
typedef struct bl_fast_link {
    bl_index parent, col, ball; /* of links in the order of the passes; ball -1: an axis */
    bl_index fork;              /* which fork it is; -1: nothing but the link after it hangs on it */
    bool next;                  /* it hangs on the link before it */
    bool round;                 /* the inertia is that of a body round about e */
    bool straight;              /* ... and the mass center lies on that axis through the joint */
} bl_fast_link;

typedef struct bl_fast_joint {
    double C[9];  /* the link's axes before it turns, in those of the parent; columns one after the other */
    double at[3]; /* from the parent's joint to this one, axes of the parent */
    double zero;
} bl_fast_joint;

typedef struct bl_fast_mass {
    double mr[3], m; /* mass times mass center, own axes; mass */
    union {
        double I[6]; /* inertia at the joint, own axes: xx yy zz xy yz zx */
        struct {
            double e[3], across, more; /* round: across + more e e^T */
            double reach;              /* straight: mr = reach e */
        };
    };
} bl_fast_mass;

typedef struct bl_fast_tree {
    bl_index n, nfork;
    bl_fast_link *link;
    bl_fast_joint *joint;
    bl_fast_mass *mass;
} bl_fast_tree;

/* What later passes read of a link; the rest goes from a link to the next one in registers. */
typedef struct bl_fast_motion {
    bl_fast_vector R[2], w, al, a; /* axes but for the last one */
} bl_fast_motion;

typedef struct bl_fast_answer {
    bl_fast_vector u, d; /* last axis; from the parent's joint to this one */
    bl_fast_vector U[2]; /* seen from the parent's joint */
    double D, push;
} bl_fast_answer;

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
    bl_fast_motion *motion;
    bl_fast_answer *answer;
    bl_fast_ball *ball;
    bl_fast_fork *fork;
} bl_fast_work;

/* (1 - cos p)/p^2, (p - sin p)/p^3, their derivatives by p, divided by p; x = p^2 */
void bl_turn_series(double x, double f[4]);
enum { BL_TURN_TERMS = 9 };
extern const double bl_turn_term[BL_TURN_TERMS][4]; /* their powers of x, enough up to x = 0.5 */

typedef struct bl_fast_kernels {
    /* q'' of the tree; gravity[3]; balls[9 nball]: where each stood when its q was last taken in. False: some motion moves no mass. */
    bool (*run)(const bl_fast_tree *tree, const double *gravity, const double *q, const double *v, const double *balls,
                const bl_fast_work *work, double *acceleration);
    /* forces that accelerations a take, M a - Q, of trees without balls */
    void (*demand)(const bl_fast_tree *tree, const double *gravity, const double *q, const double *v, const double *a,
                   const bl_fast_work *work, double *force);
} bl_fast_kernels;
BL_ISA_DECLARE(bl_fast_kernels);

#endif
