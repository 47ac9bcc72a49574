/* Driven mechanisms solved by all methods of kinematics and compared. */
#ifndef TEST_DRIVEN_H
#define TEST_DRIVEN_H

#include "kinematics/kinematics_private.h"

enum { DRIVEN_SOLVERS = 3 };
extern const char *const driven_solver[DRIVEN_SOLVERS]; /* groups, newton, whole */

/* Of TESTS/verify/kinematics/models/NAME.yaml, or of a text; fails the test with the library's message. */
bl_model *driven_model(bl_context *ctx, const char *name);
bl_model *driven_text(bl_context *ctx, const char *text);
bl_kinematics *driven_begin(bl_context *ctx, const bl_model *model, const char *solver, bool turns);
void driven_at(bl_context *ctx, bl_kinematics *k, double t, bl_kinematics_order order); /* fails the test if t cannot be reached */

/* Largest differences of all bodies: positions (in sizes of the mechanism) and rotations; velocities; accelerations, the last two divided
 * by the largest there is. */
typedef struct driven_difference {
    double position, velocity, acceleration;
} driven_difference;
void driven_compare(const bl_kinematics *a, const bl_kinematics *b, driven_difference *worst);

/* Largest error of velocities and accelerations of all bodies at t against differences of positions and of velocities, with Richardson
 * extrapolation of steps h, h/2, h/4 (order 6); divided by the largest of each. */
void driven_differences(bl_context *ctx, bl_kinematics *k, double t, double h, driven_difference *worst);

#endif
