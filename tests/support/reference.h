/* Reference elements, independently of src/mesh: points inside, and quadrature by products of Gauss rules that are computed here, collapsed
 * to the simplex where the shape is one. */
#ifndef BL_TEST_REFERENCE_H
#define BL_TEST_REFERENCE_H

#include "mesh/element.h"
#include "support/testing.h"

enum { TEST_RULE_MOST = 512 };

/* n (at most 8) points and weights of Gauss-Legendre on [-1, 1] */
void test_gauss(int n, double *x, double *w);
/* n points per direction: exact for total degree 2 n - 3 and less. at, weight[TEST_RULE_MOST]; returns their number. */
bl_index test_reference_rule(bl_shape shape, int n, double (*at)[3], double *weight);

void test_reference_point(bl_shape shape, test_random *random, double xi[3]);
/* within the closed reference element, up to `slack` */
bool test_reference_holds(bl_shape shape, const double xi[3], double slack);
double test_reference_volume(bl_shape shape);

/* The rank of the strains [11, 22, 33, g12, g23, g13] (in the plane 11, 22, g12) at all points together, by the nodes' displacements: the
 * degrees of freedom less rigid motions less zero-energy modes. x[nnode][3]: no determinant may be zero or less. */
bl_index test_strain_rank(const bl_element_kind *kind, const int points[3], const double (*x)[3]);

#endif
