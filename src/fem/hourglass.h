/* hourglass: stiffness against hourglass modes of elements with one integration point. Private to this room. */
#ifndef BL_FEM_HOURGLASS_H
#define BL_FEM_HOURGLASS_H

#include "fem/part.h"

/* h[..][nnode]: sign patterns; returns how many there are: 1 for quad4, 4 for hexa8, 0 for others */
int bl_hourglass_shapes(int dim, int nnode, double h[4][8]);
/* g[8][3]: mean gradients of a hexa8 with corners x; returns its volume, NaN or not positive if it is inverted at a point. With gradients
 * at the center only, warped elements would not reproduce linear fields. */
double bl_hourglass_gradients(const double x[][3], double *g);
/* shape[..][nnode]: sqrt(kappa) gamma, so that f = sum shape (shape . u); unused ones are zero. g, volume as below. */
void bl_part_hourglass_shapes(const bl_fem_part *part, const bl_fem_group *group, const double *g, double volume, const bl_element_work *w,
                              double shape[4][8]);
/* Adds to w->f, w->K, w->energy. g[nnode][dim]: gradients with respect to reference coordinates at the only point; volume: of the element.
 */
void bl_part_hourglass(const bl_fem_part *part, const bl_fem_group *group, bool tangent, const double *g, double volume,
                       bl_element_work *w);

#endif
