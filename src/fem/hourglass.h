/* hourglass: what holds the motions that one point does not see. Private to this room. */
#ifndef BL_FEM_HOURGLASS_H
#define BL_FEM_HOURGLASS_H

#include "fem/part.h"

/* h[..][nnode]: patterns of signs; returns how many there are: 1 for quad4, 4 for hexa8, 0 for others */
int bl_hourglass_shapes(int dim, int nnode, double h[4][8]);
/* g[8][3]: mean gradients of a hexa8 with corners x; returns its volume, NaN or not positive where it is inverted at a point. At its middle
 * alone warped elements would not keep linear fields. */
double bl_hourglass_gradients(const double x[][3], double *g);
/* Adds to w->f, w->K, w->energy. g[nnode][dim]: gradients by reference places at the only point, volume that of the element. */
void bl_part_hourglass(const bl_fem_part *part, const bl_fem_group *group, bool tangent, const double *g, double volume,
                       bl_element_work *w);

#endif
