/* The slider-crank and the double pendulum with elastic rods, and their reference motions, for tests that build the rods in other ways. */
#ifndef TEST_ROD_TEXTS_H
#define TEST_ROD_TEXTS_H

#include "support/every_way.h"

#include <stddef.h>

/* After quarters of a turn: the slider, the deflection of the middle of the rod across the line between its ends. Beams of Reissner's model
 * by another program, extrapolated: within 1e-5 and 5e-6 m. */
extern const double rod_slider_crank[4][2];
/* Deflection of m across the line from a to b, in the plane. */
double rod_deflection(const double *a, const double *m, const double *b);

/* Double pendulum of rods of length 1 (EA 1e5, GA 4e4, EI 10, rho A 1) from rest along x, with probes hinge, tip, and the middles of
 * both: as beams; as meshes of quad8 (count elements each); as floating frames, `pieces` (even) per rod, each of a mesh of
 * `count` (even) quad8 with a third interface in its middle and `modes` modes. */
void rod_pendulum_of_beams(int count, char *text, size_t size);
void rod_pendulum_of_solids(int count, char *text, size_t size);
void rod_pendulum_of_frames(int pieces, int count, int modes, char *text, size_t size);

/* Deflections of both rods at output times k/20. */
typedef struct rod_record {
    int count;
    double across[32][2], end[32][4]; /* hinge and tip */
} rod_record;
void rod_take_pendulum(const bl_sample *sample, const test_ending *run, void *record);
/* largest difference of deflections, over the largest of them */
double rod_difference(const rod_record *of, const rod_record *by);

#endif
