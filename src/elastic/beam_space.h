/* beam_space: the energy of an element in space that interpolates rotations relative to its middle. Behind the functions of beam.h, with
 * local values [nnode][3][3]: position, d2 and d3 of each node. */
#ifndef BL_ELASTIC_BEAM_SPACE_H
#define BL_ELASTIC_BEAM_SPACE_H

#include "elastic/beam.h"

void bl_beam_space_strains(const bl_beam_element *e, int point, const double *x, double *strain);
double bl_beam_space_turn(const bl_beam_element *e, const double *x);
/* as in beam.h, with v and C (NULL: none, not requested) of a viscous element */
double bl_beam_space_energy(const bl_beam_element *e, const double *x);
double bl_beam_space_force(const bl_beam_element *e, const double *x, const double *v, double *f);
void bl_beam_space_tangent(const bl_beam_element *e, const double *x, const double *v, double *K, double *C);

#endif
