/* floating: inertia, gravity and stiffness of a body that deforms by a few shapes relative to a frame (docs/theory/floating_frame.md).
 *
 * Local values x: P, d_1 ... d_dim, eta_1 ... eta_n. The inner vectors y = (P, d_k, eta_m d_k) are linear in the positions of all
 * particles, so that their masses M^ are constant; y' = C v with C linear in x, and
 *
 *     M = C^T M^ C,     f = C^T (M^ (C a + C' v) - weight) + K eta + (a M + b K) eta'
 *
 * (the damping acts on eta' alone). Everything below follows from these products. With stiffening, K eta becomes the gradient of an energy
 * of degree four (floating_stretch.c). */
#ifndef BL_ELASTIC_FLOATING_H
#define BL_ELASTIC_FLOATING_H

#include "model/model.h"

/* Vectors over the shapes have `room` numbers, zeros after the first n (dense.h); y_0 = P, y_k = d_k, k, l = 1 ... dim. */
typedef struct bl_floating {
    int dim;
    bl_index n, local; /* shapes; local values */
    size_t room;
    const bl_context *ctx;
    const bl_floating_def *def;
    double gravity[3];
    double *frame;                    /* [1 + dim][1 + dim] masses of the frame's vectors: M^ of y_k, y_l */
    double *lead;                     /* [1 + dim][dim][room]: of y_k, eta_m d_l; columns padded for products */
    double *pairs;                    /* [n][dim][dim][room]: of eta_m d_k, eta_p d_l */
    double *eta_mass;                 /* [n][room] sum over k of those of eta_m d_k, eta_p d_k: the mass of eta for orthonormal axes */
    double *stiffness;                /* [n][room] */
    double *stiffening, *flexibility; /* [n][n][room] B_jmp at p, j, m; [n][room]; NULL: none */
} bl_floating;

/* What all functions need of one configuration, besides the local values: masses of the vectors e_0 = P, e_k = d_k + sum eta_m (eta_m d_k)
 * that move with the frame. */
typedef struct bl_floating_place {
    double *J; /* [1 + dim][1 + dim] of e_k, e_l */
    double *H; /* [1 + dim][dim][room] of e_k, eta_p d_l */
} bl_floating_place;

/* Refers to def; arrays come from the arena. */
bl_status bl_floating_make(bl_arena *arena, const bl_floating_def *def, int dim, const double gravity[3], bl_floating *f);

/* Numbers of memory that a place needs, and of scratch memory that the other functions need. */
size_t bl_floating_place_room(const bl_floating *f);
size_t bl_floating_work(const bl_floating *f);

/* memory[bl_floating_place_room]; work as below */
bl_floating_place bl_floating_place_in(const bl_floating *f, double *memory);
void bl_floating_move(const bl_floating *f, const double *x, bl_floating_place at, double *work);

/* Forces that the body opposes to its motion, out = M a + C^T (M^ C' v - weight) + K eta + damping; a NULL: without M a. Returns the power
 * lost. */
double bl_floating_force(const bl_floating *f, bl_floating_place at, const double *x, const double *v, const double *a, double *out,
                         double *work);
/* The power lost alone; work as above. */
double bl_floating_loss(const bl_floating *f, const double *v, double *work);
/* out += M a */
void bl_floating_inertia(const bl_floating *f, bl_floating_place at, const double *x, const double *a, double *out, double *work);
/* M[local][local] */
void bl_floating_mass(const bl_floating *f, bl_floating_place at, const double *x, double *M, double *work);
/* K[local][local] and C[local][local]: derivatives of bl_floating_force (without a) by x and by v; Ma: of M a by x */
void bl_floating_tangent(const bl_floating *f, bl_floating_place at, const double *x, const double *v, double *K, double *C, double *work);
void bl_floating_mass_slope(const bl_floating *f, bl_floating_place at, const double *x, const double *a, double *Ma, double *work);
double bl_floating_kinetic(const bl_floating *f, bl_floating_place at, const double *x, const double *v, double *work);
double bl_floating_potential(const bl_floating *f, bl_floating_place at, const double *x, double *work); /* of weight and stiffness */

/* ---- floating_stretch.c: stiffening. eta[room]; work of bl_floating_stretch_work numbers */
size_t bl_floating_stretch_work(const bl_floating *f);
void bl_floating_stretch_force(const bl_floating *f, const double *eta, double *out, double *work);   /* out[n] += */
void bl_floating_stretch_stiffness(const bl_floating *f, const double *eta, double *K, double *work); /* K[local][local] += */
double bl_floating_stretch_energy(const bl_floating *f, const double *eta, double *work);             /* beyond eta^T K eta / 2 */

#endif
