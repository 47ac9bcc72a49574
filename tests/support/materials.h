/* Materials for tests: made from a line of options, evaluated with all outputs, random states suitable for a plane. */
#ifndef BL_TEST_MATERIALS_H
#define BL_TEST_MATERIALS_H

#include "support/handmade.h"

#include "material/material.h"
#include "material/tensor.h"

/* "elastic", "E=1000,nu=0.3"; fails the test if it is an error. */
bl_material test_material(const char *kind, const char *options, bl_plane plane);
/* Every parameter of the kind with a reasonable value. */
bl_material test_material_sample(const bl_material_kind *kind, bl_plane plane);
const bl_strain_kind *test_strain(const char *name);
const char *test_plane_name(bl_plane plane);

typedef struct test_response {
    double tau[6], c[36], spin[18], trial[BL_MATERIAL_HISTORY_MOST], energy, dissipated;
    double F[9]; /* with the computed F22 and F33 */
} test_response;

/* Strain and law at F. theta: isotropic thermal strain. history NULL: none yet. Numbers not written stay NaN. */
bl_status test_respond(const bl_material *m, const bl_strain_kind *strain, const double F[9], double theta, const double *history,
                       test_response *out);

/* 1 + size times random numbers in the components of the plane, with a determinant above 0.2; F33 is NaN in plane stress, F22
 * too in bars, whose F is diagonal. */
void test_random_F(test_random *random, bl_plane plane, double size, double F[9]);
/* about the third axis in a plane; the identity in axisymmetry and in bars */
void test_random_rotation(test_random *random, bl_plane plane, double Q[9]);
/* R S R^T on six components of a stress */
void test_rotate(const double R[9], const double s[6], double out[6]);
/* A B with a NaN in 33 or 22 kept there */
void test_product(const double A[9], const double B[9], double C[9]);
double test_largest(const double *x, int n);

#endif
