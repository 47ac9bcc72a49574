/* law: common part of isotropic solids: parameters, Lame's constants, checks of values, and the linear law, which is `elastic`,
 * `st_venant_kirchhoff`, `hypoelastic` or `hencky` depending on the strain measure. */
#ifndef BL_LAW_H
#define BL_LAW_H

#include "material/material.h"
#include "material/tensor.h"

/* A parameter table begins with these rows; those of a kind follow at BL_SOLID_OWN. */
#define BL_SOLID_PARAMS                                                                                        \
    {"E", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "N/m^2", "Young's modulus"},                        \
        {"nu", BL_P_NUMBER, 0, 0, NULL, NULL, "Poisson's ratio, above -1 and below 0.5"},                      \
        {"density", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "kg/m^3", "mass per reference volume"},             \
        {"expansion", BL_P_NUMBER, 0, 0, NULL, "1/K", "thermal strain per degree, equal in all directions"}, { \
        "reference_temperature", BL_P_NUMBER, 0, 0, NULL, "K", "temperature without thermal strain"            \
    }
enum { BL_SOLID_E, BL_SOLID_NU, BL_SOLID_DENSITY, BL_SOLID_EXPANSION, BL_SOLID_REFERENCE, BL_SOLID_OWN };

/* material->number of solids; lambda of plane stress: 2 lambda mu / (lambda + 2 mu) */
enum { BL_LAMBDA, BL_MU, BL_LAMBDA_PLANE, BL_NUMBER_OWN };

void bl_solid_lame(double E, double nu, bl_material *material);
bl_status bl_solid_prepare(bl_context *, const bl_value *value, bl_material *material);
double bl_solid_stiffness(const bl_material *);
/* stress = lambda tr(strain) 1 + 2 mu strain, in every plane; (M3), (M4) */
bl_status bl_linear_law(const bl_material *, bl_material_point *);

/* BL_OK if `holds`, else fails with "material KIND: NAME = VALUE must be RULE" at the file position of value[which]. */
bl_status bl_material_must(bl_context *, const bl_material *, const bl_value *value, bl_index which, bool holds, const char *rule,
                           const char *advice);

#endif
