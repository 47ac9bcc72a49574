/* Momenta of a complete model: of its rigid bodies by their poses, of its elastic bodies by bl_coords_momenta. */
#ifndef TEST_MOMENTA_H
#define TEST_MOMENTA_H

#include "biela/biela.h"

typedef struct test_momenta {
    double mass, center[3], p[3], spin[3]; /* spin: angular momentum about the mass center */
    double size, size_spin;                /* sums of magnitudes */
    double energy, kinetic, potential;
} test_momenta;

/* Runs a model given as text and calls visit at the start and after every step. Fails the test where the run fails. */
typedef struct test_course {
    const char *coordinates, *formulation, *integrator;
    double until, step, tolerance;
    /* momenta from M v in natural coordinates of free bodies: those that a method keeps whose velocities violate constraints */
    bool by_matrix;
} test_course;
typedef void (*test_momenta_visit)(double t, const test_momenta *now, void *user);
void test_momenta_run(const char *text, const test_course *course, test_momenta_visit visit, void *user);

#endif
