/* relative_fast: accelerations of plain trees in O(n), by kernels for several instruction sets (base/isa.h). */
#ifndef BL_RELATIVE_FAST_H
#define BL_RELATIVE_FAST_H

#include "base/isa.h"

typedef struct bl_fast_vector {
    double x[4]; /* the last one is 0 (padding) */
} bl_fast_vector;

/* A link with one revolute or one spherical joint, expressed at that joint's point. In its own axes the third axis is the joint axis;
 * for a spherical joint they are those of the model configuration. Data that a pass reads together are stored together: in long chains
 * every number comes from distant memory. */
typedef struct bl_fast_link {
    bl_index parent, col, ball; /* indices in the order of the passes; ball -1: revolute */
    bl_index fork;              /* number of the fork; -1: only the next link is attached to it */
    bool next;                  /* its parent is the previous link */
    bool round;                 /* the inertia is symmetric about e */
    bool straight;              /* ... and the mass center is on that axis through the joint */
} bl_fast_link;

typedef struct bl_fast_joint {
    double C[9];  /* the link's axes before its rotation, in those of the parent; columns one after another */
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

/* Data of a link that later passes read; the rest passes from one link to the next in registers. */
typedef struct bl_fast_motion {
    bl_fast_vector R[2], w, al, a; /* axes except the last one */
} bl_fast_motion;

typedef struct bl_fast_response {
    bl_fast_vector u, d; /* last axis; vector from the parent's joint to this one */
    bl_fast_vector U[2]; /* referred to the parent's joint */
    double D, push;
} bl_fast_response;

typedef struct bl_fast_ball {
    bl_fast_vector T[3];    /* axes before its rotation */
    bl_fast_vector G[3], h; /* alpha = -h - G a */
    double back;            /* coefficient of the inverse derivative of the rotation vector */
} bl_fast_ball;

/* subtree of a link: inertia [A B; B^T M], and the wrench required where q'' = 0 */
typedef struct bl_fast_load {
    bl_fast_vector A[3], B[3], M[3], p[2];
} bl_fast_load;

typedef struct bl_fast_fork {
    bl_fast_load load; /* of its child subtrees except the next link */
    bl_fast_vector acc[2];
} bl_fast_fork;

typedef struct bl_fast_work {
    bl_fast_motion *motion;
    bl_fast_response *response;
    bl_fast_ball *ball;
    bl_fast_fork *fork;
} bl_fast_work;

/* (1 - cos p)/p^2, (p - sin p)/p^3, their derivatives by p, divided by p; x = p^2 */
void bl_turn_series(double x, double f[4]);
enum { BL_TURN_TERMS = 9 };
extern const double bl_turn_term[BL_TURN_TERMS][4]; /* coefficients of their powers of x, sufficient up to x = 0.5 */

typedef struct bl_fast_kernels {
    /* q'' of the tree; gravity[3]; balls[9 nball]: rotation of each when its q was last reset. False: some motion has no inertia. */
    bool (*run)(const bl_fast_tree *tree, const double *gravity, const double *q, const double *v, const double *balls,
                const bl_fast_work *work, double *acceleration);
    /* forces required for accelerations a, M a - Q, for trees without spherical joints */
    void (*demand)(const bl_fast_tree *tree, const double *gravity, const double *q, const double *v, const double *a,
                   const bl_fast_work *work, double *force);
} bl_fast_kernels;
BL_ISA_DECLARE(bl_fast_kernels);

#endif
