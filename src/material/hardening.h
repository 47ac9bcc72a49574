/* hardening: the yield stress of J2 laws as a function of the equivalent plastic strain a, linear or by a table. */
#ifndef BL_HARDENING_H
#define BL_HARDENING_H

#include "material/law.h"

/* material->number of laws with hardening: yield stress, isotropic and kinematic modulus, choice of the tangent */
enum { BL_YIELD = BL_NUMBER_OWN, BL_ISOTROPIC, BL_KINEMATIC, BL_TANGENT_CHOICE };

double bl_yield_stress(const bl_material *m, double a, double *slope); /* slope may be NULL */
double bl_hardening_energy(const bl_material *m, double a);            /* int (yield stress - initial yield stress) da */
/* dg >= 0 with norm = stiff dg + sqrt(2/3) (yield stress at a + sqrt(2/3) dg), 0 if norm is smaller; *slope: of the yield stress there. */
double bl_flow(const bl_material *m, double norm, double a, double stiff, double *slope);

#endif
