/* The parts of one step. */
#ifndef BL_STEPPING_PRIVATE_H
#define BL_STEPPING_PRIVATE_H

#include "stepping/stepping.h"

/* positions, axes, inverse inertia and free velocities at the mid point, margins of shapes */
void bl_stepping_to_middle(bl_stepping *s, double h);
void bl_stepping_place_shapes(bl_stepping *s, double h);
/* velocities and momenta from the impulses, positions at the end */
void bl_stepping_to_end(bl_stepping *s, double h);
/* s->contact: points that act in this step. *scale: the velocity that the accuracy of the step is relative to */
bl_status bl_stepping_find(bl_stepping *s, double h, double *scale);
/* impulses of the step into the memory of the pairs */
void bl_stepping_remember(bl_stepping *s);
/* removes overlap by displacements */
void bl_stepping_separate(bl_stepping *s, double h);
/* inverse inertia in space, and angular velocity of the momentum, for an orientation */
void bl_stepping_tensor(const bl_stepping *s, bl_index i, const double axes[9], double tensor[6]);
void bl_stepping_spin_of(const double tensor[6], const double momentum[3], double w[3]);
/* q turned by x (a rotation vector, global axes); columns of the rotation of a quaternion */
void bl_stepping_turn(double q[4], const double x[3]);
void bl_stepping_axes(const double q[4], double axes[9]);

#endif
