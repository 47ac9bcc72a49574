/* hardening: the yield stress of J2 laws as a function of the equivalent plastic strain a, linear or by a table. */
#ifndef BL_HARDENING_H
#define BL_HARDENING_H

#include "material/law.h"

#include <math.h>

/* material->number of laws with hardening: yield stress, isotropic and kinematic modulus, choice of the tangent */
enum { BL_YIELD = BL_NUMBER_OWN, BL_ISOTROPIC, BL_KINEMATIC, BL_TANGENT_CHOICE };

/* of a symmetric tensor: xx yy zz xy yz zx */
static inline double norm6(const double s[6]) {
    return sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + 2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

double bl_yield_stress(const bl_material *m, double a, double *slope); /* slope may be NULL */
double bl_hardening_energy(const bl_material *m, double a);            /* int (yield stress - initial yield stress) da */
/* dg >= 0 with norm = stiff dg + sqrt(2/3) (yield stress at a + sqrt(2/3) dg), 0 if norm is smaller; *slope: of the yield stress there. */
double bl_flow(const bl_material *m, double norm, double a, double stiff, double *slope);

#endif
