/* cone_bodies: contacts with friction (cone.h) between rigid bodies, without a matrix: Gauss-Seidel over the contacts, impulses act on the
 * velocities of the two bodies at once. The normal law is u_n >= target, P_n >= 0, one of them zero or equal. */
#ifndef BL_CONE_BODIES_H
#define BL_CONE_BODIES_H

#include "base/isa.h"

/* A body: velocity of its mass center, angular velocity, inverse mass (0: its motion is given), inverse inertia in space: by_inertia for
 * all axes, or if that is negative xx, yy, zz, xy, xz, yz. */
typedef struct bl_cone_body {
    double v[3], by_mass, w[3], by_inertia, tensor[6], unused[2];
} bl_cone_body;

/* A contact: an impulse P acts on the second body, -P on the first. */
typedef struct bl_cone_contact {
    bl_index body[2];
    double mu, target; /* of u_n */
    double n[3];       /* unit normal, from the first body to the second */
    double r[2][3];    /* from the mass centers to the point */
    /* made by bl_cone_contact_prepare: D = by_n^-1 e e^T + by_s_k^-1 t_k t_k^T with e = n + g_k t_k */
    double t[2][3], by_n, g[2], by_s[2];
} bl_cone_contact;

/* Contacts of the same two bodies that follow each other, at most four: a run. Their normal impulses are found together, because one after
 * another leaves a face turned toward the last. The lanes of a block are the contacts of its run; those left over are 0. */
enum { BL_CONE_LANES = 4 };
typedef struct bl_cone_run {
    bl_index first, count, block; /* block: -1 if there is one contact */
} bl_cone_run;
typedef struct bl_cone_block {
    bl_index body[2];
    double n[3][BL_CONE_LANES], arm[2][3][BL_CONE_LANES]; /* normals; r x n about both mass centers */
    double D[BL_CONE_LANES][BL_CONE_LANES], by[BL_CONE_LANES], target[BL_CONE_LANES];
} bl_cone_block;
typedef struct bl_cone_blocks {
    bl_index nrun, nblock;
    bl_cone_run *run;     /* [contacts] */
    bl_cone_block *block; /* [contacts / 2] */
} bl_cone_blocks;

struct bl_cone_groups;

typedef struct bl_cone_sweeps {
    int most, done;                      /* forward and back count as two */
    int normal;                          /* even: at most so many of them first, for normal impulses alone */
    double tolerance;                    /* of velocities */
    double change;                       /* the largest change of a velocity at a contact in the last sweep */
    const bl_cone_blocks *blocks;        /* of the contacts without a group; NULL: one after another */
    double *work;                        /* [6 contacts + 12 bodies]: sweeps with momentum; NULL: plain sweeps */
    const struct bl_cone_groups *groups; /* of bodies that mechanisms connect (cone_groups.h); NULL: none */
    bl_index njoined;                    /* the last contacts, those with a side in a group */
} bl_cone_sweeps;

/* Tangents and the parts of D from bodies, n and r. */
void bl_cone_contact_prepare(const bl_cone_body *body, bl_cone_contact *contact);
/* P = (normal, two tangential) of an impulse in global axes, within the cone; and back. */
void bl_cone_contact_guess(const bl_cone_contact *contact, const double impulse[3], double P[3]);
void bl_cone_contact_impulse(const bl_cone_contact *contact, const double P[3], double impulse[3]);
/* Velocity of the second body relative to the first at the point, global axes. */
void bl_cone_contact_velocity(const bl_cone_body *body, const bl_cone_contact *contact, double u[3]);

/* Normal impulses are found first, with the friction of the guess: sweeps over all impulses at once let bodies that are not yet supported
 * turn, friction holds them in turned positions, and such stresses of a stack go very slowly.
 *
 * Velocities before the impulses in, after them out; P[n] guess in, impulses out. BL_NO_CONVERGENCE: `most` sweeps did not reach the
 * tolerance. Two calls with the same numbers have the same bits. Allocates nothing, records no error. */
bl_status bl_cone_bodies_solve(const bl_context *ctx, bl_index nbody, bl_cone_body *body, bl_index n, const bl_cone_contact *contact,
                               double (*P)[3], bl_cone_sweeps *sweeps);

/* Displacements that remove overlap, as impulses without friction on bodies at rest: contact[i].target is the displacement that the normal
 * direction needs at least. v and w of the bodies are the displacements. P[n]: out, in [i][0] sizes of the impulses. Uses groups, njoined,
 * blocks and most of *sweeps. */
void bl_cone_bodies_separate(const bl_context *ctx, bl_cone_body *body, bl_index n, const bl_cone_contact *contact, double (*P)[3],
                             const bl_cone_sweeps *sweeps);
/* Runs and blocks of n contacts that are prepared. */
void bl_cone_blocks_prepare(const bl_cone_body *body, bl_index n, const bl_cone_contact *contact, bl_cone_blocks *blocks);

/* one pass over the contacts, forward or back; returns the largest change of a velocity, squared */
typedef double bl_cone_pass(bl_cone_body *body, bl_index n, const bl_cone_contact *contact, const bl_cone_blocks *blocks, double (*P)[3],
                            bool back);
typedef struct bl_cone_kernels {
    bl_cone_pass *pass, *normal_pass; /* the second: normal impulses alone */
} bl_cone_kernels;
BL_ISA_DECLARE(bl_cone_kernels);

#endif
