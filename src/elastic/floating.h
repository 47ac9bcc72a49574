/* floating: inertia, gravity and stiffness of a body that deforms by a few shapes relative to a frame (docs/theory/floating_frame.md).
 *
 * Local values x: P, d_1 ... d_dim, eta_1 ... eta_n. The inner vectors y = (P, d_k, eta_m d_k) are linear in the positions of all
 * particles, so that their masses M^ are constant; y' = C v with C linear in x, and
 *
 *     M = C^T M^ C,     f = C^T (M^ (C a + C' v) - weight) + K eta + (a M + b K) eta'
 *
 * (the damping acts on eta' alone). Everything below follows from these products. With stiffening, K eta becomes the gradient of an energy
 * of degree four (floating.c). */
#ifndef BL_ELASTIC_FLOATING_H
#define BL_ELASTIC_FLOATING_H

#include "model/model.h"

typedef struct bl_floating {
    int dim;
    bl_index n, inner, local; /* inner vectors; local values */
    const bl_floating_def *def;
    double gravity[3];
    double *eta_mass; /* [n][n] sum_k M^ of eta_m d_k and eta_n d_k: the mass of eta for orthonormal d */
} bl_floating;

/* Refers to def; eta_mass comes from the arena. */
bl_status bl_floating_make(bl_arena *arena, const bl_floating_def *def, int dim, const double gravity[3], bl_floating *f);

/* Numbers of scratch memory that the functions below need. */
size_t bl_floating_work(const bl_floating *f);

/* Forces that the body opposes to its motion without its accelerations, f = C^T (M^ C' v - weight) + K eta + damping; returns the power
 * lost. */
double bl_floating_force(const bl_floating *f, const double *x, const double *v, double *out, double *work);
/* out += M a */
void bl_floating_inertia(const bl_floating *f, const double *x, const double *a, double *out, double *work);
/* M[local][local] */
void bl_floating_mass(const bl_floating *f, const double *x, double *M, double *work);
/* K[local][local] and C[local][local]: derivatives of bl_floating_force by x and by v; Ma (or NULL): of M a by x */
void bl_floating_tangent(const bl_floating *f, const double *x, const double *v, double *K, double *C, double *work);
void bl_floating_mass_slope(const bl_floating *f, const double *x, const double *a, double *Ma, double *work);
double bl_floating_kinetic(const bl_floating *f, const double *x, const double *v, double *work);
double bl_floating_potential(const bl_floating *f, const double *x, double *work); /* of weight and stiffness */

#endif
