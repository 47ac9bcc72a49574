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
    bl_index parent, col, ball; /* ball -1: an axis */
    bool round;                 /* the inertia is that of a body round about e */
    double zero;
    double C[9];               /* its axes before it turns, in those of the parent; columns one after the other */
    double at[3];              /* from the parent's joint to this one, axes of the parent */
    double mr[3], m;           /* mass times mass centre, own axes; mass */
    double I[9];               /* inertia at the joint, own axes */
    double e[3], across, more; /* round: across + more e e^T */
} bl_fast_link;

typedef struct bl_fast_now {
    bl_fast_vector R[3], T[3], d; /* axes; before a ball turned; from the parent's joint to this one */
    bl_fast_vector w, al, a;
    bl_fast_vector A[3], B[3], M[3], p[2]; /* of all that hangs here: inertia, and what it asks for where q'' = 0 */
    bl_fast_vector U[2], acc[2];           /* U: seen from the parent's joint */
    double D, push, back;                  /* back: of the inverse slope of a ball */
} bl_fast_now;

/* (1 - cos p)/p^2, (p - sin p)/p^3, their derivatives by p, divided by p; x = p^2 */
void bl_turn_series(double x, double f[4]);
enum { BL_TURN_TERMS = 9 };
extern const double bl_turn_term[BL_TURN_TERMS][4]; /* their powers of x, enough up to x = 0.5 */

typedef struct bl_fast_kernels {
    /* q'' of n links, parents first; gravity[3]; balls[9 nball]: where each stood when its q was last taken in. False: some motion moves
     * no mass. */
    bool (*run)(bl_index n, const bl_fast_link *link, const double *gravity, const double *q, const double *v, const double *balls,
                bl_fast_now *now, double *acceleration);
} bl_fast_kernels;
BL_ISA_DECLARE(bl_fast_kernels);

#endif
