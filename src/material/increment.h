/* increment: common part of the corotational measures. Each point has axes Q that rotate with it; in these axes strain increments are added
 * and the law is evaluated as for small strains, so that plastic strain and back stress need not be rotated (M26) to (M28).
 *
 * A measure determines, from the deformation f = F F_n^-1 since the last accepted state, a strain increment in the axes of that state and
 * the rotation of the axes; the stress is Cauchy's in the rotated axes. */
#ifndef BL_INCREMENT_H
#define BL_INCREMENT_H

#include "material/law.h"

/* history: F - 1, quaternion of Q minus (1, 0, 0, 0), sum of the strain increments in the axes Q; all zero at the start */
enum { BL_INCREMENT_F = 0, BL_INCREMENT_Q = 9, BL_INCREMENT_STRAIN = 13, BL_INCREMENT_HISTORY = 19 };

typedef struct bl_increment {
    double f[9], J;        /* since the last accepted state; det F */
    double q[4], Q[9];     /* axes in the last accepted state */
    double strain[6];      /* sum in the last accepted state, then in the present one */
    const double *history; /* of the material */
} bl_increment;

/* BL_NOT_FINITE: J <= 0 */
bl_status bl_increment_begin(const double F[9], const double *history, bl_increment *increment);
/* The law, with increment->strain, in the rotated axes: stress and tangent (may be NULL) there; fills the trial history (may be NULL) with
 * F, q (the rotated axes) and the history of the law. The law is always evaluated in three dimensions. */
bl_status bl_increment_law(const bl_material *, const bl_increment *, const double F[9], const double q[4], const double thermal[6],
                           double *trial, double stress[6], double *tangent, double *energy, double *dissipated);

/* A measure in space; c[6][6] and spin[6][3] may be NULL. */
typedef bl_status bl_increment_measure(const bl_material *, const double F[9], const double thermal[6], const double *history,
                                       double *trial, double tau[6], double *c, double *spin, double *energy, double *dissipated);
/* The same with the material's plane: in plane stress by iteration on F33 (plane_stress.c), which is an output. */
bl_status bl_increment_at(bl_increment_measure *measure, const bl_material *, double F[9], const double thermal[6], const double *history,
                          double *trial, double tau[6], double *c, double *spin, double *energy, double *dissipated);

/* unit quaternions (scalar first) */
void bl_quaternion_product(const double a[4], const double b[4], double c[4]); /* normalized; c may be a or b */
void bl_quaternion_matrix(const double q[4], double R[9]);
void bl_quaternion_of(const double R[9], double q[4]); /* of a rotation matrix */

#endif
