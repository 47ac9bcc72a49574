/* Scenes of free bodies in contact, made by hand. */
#ifndef BL_TEST_BODIES_H
#define BL_TEST_BODIES_H

#include "stepping/stepping.h"
#include "support/testing.h"

enum { TEST_BODIES = 600 };
/* body 0 is the ground; all shapes are in group 0 with law 0 */
typedef struct test_bodies {
    bl_stepping_body body[TEST_BODIES];
    bl_contact_shape shape[TEST_BODIES];
    bl_stepping_law law;
    bl_stepping_scene scene;
    bl_stepping_options options;
    bl_stepping run;
} test_bodies;

/* nothing but the ground; gravity along -y in the plane, along -z in space */
void test_bodies_begin(test_bodies *t, bool plane, double gravity, double friction, double restitution);
void test_bodies_wall(test_bodies *t, const double at[3], const double normal[3]); /* of the ground */
/* each returns the number of the body */
bl_index test_bodies_ball(test_bodies *t, double mass, double radius, double x, double y, double z);
bl_index test_bodies_box(test_bodies *t, double mass, const double half[3], double x, double y, double z);
/* in the plane */
bl_index test_bodies_disc(test_bodies *t, double mass, double radius, double x, double y);
bl_index test_bodies_polygon(test_bodies *t, double mass, double inertia, bl_index ncorner, const double (*corner)[2], double x, double y);
void test_bodies_turn(test_bodies *t, bl_index body, const double axis[3], double angle); /* axis: unit */
void test_bodies_start(bl_context *ctx, test_bodies *t);
void test_bodies_steps(test_bodies *t, double h, long n);
void test_bodies_end(test_bodies *t);
/* force on a body by all contacts with lower numbers (up) in the last step, along a direction */
double test_bodies_support(const test_bodies *t, bl_index body, double h, const double direction[3]);

#endif
