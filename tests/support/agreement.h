/* What `compare` must say of a sound mechanism: whatever can be tried agrees, by every kind, and whatever cannot says why. */
#ifndef BL_TEST_AGREEMENT_H
#define BL_TEST_AGREEMENT_H

#include "biela/biela.h"

/* Compares SCENES/scene.yaml. options as for bl_compare. Fails the test when a combination disagrees, fails, or is skipped for another
 * reason than a parameter without a default, or when a kind is missing. Returns how many agreed. */
bl_index test_agreement(const char *scene, const bl_compare_options *options);

/* Every scene with bodies, whatever SCENES holds, by all coordinates in all their forms, each with its own default formulation: positions,
 * velocities and reactions agree. share: of the time the scene asks for. Fails the test when one does not, or is not tried. */
void test_every_scene_in_all_coordinates(double share, double tolerance);

#endif
