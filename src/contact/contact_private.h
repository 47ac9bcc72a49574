/* Functions of one pair of kinds each: points of two shapes whose gap is at most the margin. */
#ifndef BL_CONTACT_PRIVATE_H
#define BL_CONTACT_PRIVATE_H

#include "contact/contact.h"

typedef int bl_contact_function(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *point);

bl_contact_function bl_sphere_sphere, bl_sphere_capsule, bl_sphere_cylinder, bl_sphere_box, bl_sphere_polygon, bl_sphere_plane;
bl_contact_function bl_capsule_capsule, bl_capsule_cylinder, bl_capsule_box, bl_capsule_polygon, bl_capsule_plane, bl_cylinder_plane;
bl_contact_function bl_box_box, bl_box_plane, bl_polygon_polygon, bl_polygon_plane;

/* Two balls: one point or none. */
int bl_ball_ball(const double a[3], double ra, const double b[3], double rb, double margin, uint32_t number, bl_contact_point *point);
/* A ball and a point q on or in another body, whose surface has the outward unit normal n and the distance d to the center of the ball. */
int bl_ball_surface(const double a[3], double ra, const double n[3], double d, double margin, uint32_t number, bl_contact_point *point);
/* A ball and a box: nearest surface, also from inside. */
int bl_ball_box(const double a[3], double ra, const bl_contact_solid *box, double margin, uint32_t number, bl_contact_point *point);
int bl_ball_cylinder(const double a[3], double ra, const bl_contact_solid *cylinder, double margin, uint32_t number, bl_contact_point *p);
/* Coordinates of x in a frame. */
void bl_contact_inside(const bl_contact_frame *frame, const double x[3], double local[3]);
void bl_contact_outside(const bl_contact_frame *frame, const double local[3], double x[3]); /* direction, without the origin */
/* Keeps, of n points, those four that hold the shapes best: the deepest, then those that span most. */
int bl_contact_reduce(int n, bl_contact_point *point);

#endif
