/* Adaptive implicit methods over models and coordinates: they finish, with errors near the tolerance. */
#ifndef BL_TEST_HOLD_H
#define BL_TEST_HOLD_H

#include <stdbool.h>
#include <stddef.h>

typedef struct hold_case {
    const char *scene, *text; /* name of a scene, or the text itself */
    double until;
    bool singular; /* passes a singular configuration, where rounding may prevent small tolerances */
} hold_case;

/* A four-bar linkage in space with skew axes, rotating; three of its equations are redundant. */
extern const char hold_bennett[];
extern const char hold_jack[];    /* a nut on a screw lifts a load in a guide */
extern const char hold_gimbals[]; /* a rotor off its center in two rings */

/* Runs the case by ggl (plain where there are no constraints) with every method and tolerance, and asserts that the run ends, that its
 * variables differ by at most 10 x steps x tolerance from those of another method in natural coordinates, and that a warning about
 * the tolerance comes once at most, and only below 1e-9. Methods end with NULL, tolerances with 0. `faults`: each is
 * printed, and their number is returned. */
int test_implicit_faults(const hold_case *c, const char *coordinates, const char *const *methods, const double *tolerances);
void test_implicit_holds(const hold_case *c, const char *coordinates, const char *const *methods, const double *tolerances);

#endif
