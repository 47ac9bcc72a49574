/* beam_rotations: the energy of an element in the plane that interpolates the angle of d1. Behind the functions of beam.h, with local
 * values [nnode][2][2]: position and d1 of each node. The angle between nodes in succession is below half a turn. */
#ifndef BL_ELASTIC_BEAM_ROTATIONS_H
#define BL_ELASTIC_BEAM_ROTATIONS_H

#include "elastic/beam.h"

void bl_beam_rotations_strains(const bl_beam_element *e, int point, const double *x, double *strain);
double bl_beam_rotations_energy(const bl_beam_element *e, const double *x);
/* as in beam.h, with v and C (NULL: none, not requested) of a viscous element */
double bl_beam_rotations_force(const bl_beam_element *e, const double *x, const double *v, double *f);
void bl_beam_rotations_tangent(const bl_beam_element *e, const double *x, const double *v, double *K, double *C);

#endif
