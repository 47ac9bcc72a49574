/* coulomb: a few contacts at one instant, with forces p and accelerations u or with impulses and velocities,
 *
 *     u = D p + b,      0 <= u_N  |  p_N - least >= 0   (one of the two is zero)
 *     sliding along d   p_T = -mu p_N d
 *     not yet sliding   |p_T| <= mu0 p_N where u_T = 0,  p_T = -mu p_N u_T / |u_T| elsewhere
 *
 * D symmetric and not negative; it is singular where forces are redundant, which then have the least norm. A guess by Gauss-Seidel
 * gives the mode of each contact, a linear system for these modes the answer to rounding; where the signs of that are wrong, all
 * combinations of modes are tried, or of many contacts those that Lemke's method finds. */
#ifndef BL_COULOMB_H
#define BL_COULOMB_H

#include "base/base.h"

typedef enum bl_coulomb_mode { BL_COULOMB_OPEN, BL_COULOMB_SLIDE, BL_COULOMB_STICK } bl_coulomb_mode;

typedef struct bl_coulomb_contact {
    int nslip;                 /* components of sliding: 0, 1, 2 */
    bool sliding;              /* along side, a unit vector */
    double side[2];            /* in: of sliding contacts; out: of those whose mode is SLIDE */
    double friction, sticking; /* mu, mu0 >= mu */
    double least;              /* force from before: p_N does not fall below it */
    bl_index group;            /* contacts of a group, with one direction of sliding, stick together: they share friction. -1: none */
    uint8_t mode;              /* out: bl_coulomb_mode */
    double slack;              /* out: its forces down to this below zero, or beyond the limit of friction, count as valid */
    bl_index first;            /* index of its normal component in p and u; components of sliding follow. Set by bl_coulomb_place */
} bl_coulomb_contact;

typedef struct bl_coulomb {
    bl_context *ctx;
    bl_index n, m; /* contacts, components of the present problem */
    bl_index n_most, m_most;
    bl_coulomb_contact *contact; /* [n_most] */
    double *D, *b, *p, *u;       /* [m][m] by columns, [m] */
    double rounded;              /* b is rounded like numbers of this size, of which it is a sum; 0: like itself */
    int solutions;               /* found by the last call: 2 where they are known not to be unique */
    double *other;               /* [m] u of the second one */
    bool redundant;              /* some force was not unique */
    double *A, *x, *trial, *guessed, *work;
    size_t nwork;
    struct bl_coulomb *part;   /* contacts that act on each other, one such set at a time; NULL in itself */
    bl_index *part_of, *place; /* [n_most], [m_most] of a contact; of a component among those of all */
    double fast, little;       /* the largest speed of all parts; what counts as zero, relative to it */
    bl_index *unknown;
    uint8_t *try_mode;
    struct bl_lcp_work *lcp; /* NULL: too many contacts */
    double *lcp_A, *lcp_b, *lcp_z;
    bl_index *lcp_start; /* of the unknowns of each contact */
    void *block;
} bl_coulomb;

bl_status bl_coulomb_create(bl_context *ctx, bl_index contacts, bl_coulomb **out);
void bl_coulomb_destroy(bl_coulomb *c); /* NULL is fine */
/* After contact[n] have their nslip: sets first of each and m. */
void bl_coulomb_place(bl_coulomb *c, bl_index n);
/* Fills p, u and the modes. BL_NO_CONVERGENCE: no combination of modes satisfies the equations. Allocates nothing. */
bl_status bl_coulomb_solve(bl_coulomb *c);
/* Entry of D that couples a contact that slides along its side with its own normal force: positive, or there is no solution or two
 * (Painleve). */
double bl_coulomb_sliding_entry(const bl_coulomb *c, bl_index i);

/* Forces p of a part by Lemke's method, of contacts in the plane; false: it found none. */
bool bl_coulomb_lemke(bl_coulomb *c);

#endif
