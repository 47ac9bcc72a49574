/* Checks of `compare` on a valid mechanism: all possible combinations agree, for every kind, and the others have a reason. */
#ifndef BL_TEST_AGREEMENT_H
#define BL_TEST_AGREEMENT_H

#include "biela/biela.h"

/* Compares SCENES/scene.yaml. options as for bl_compare. Fails the test when a combination disagrees, fails, or is skipped for another
 * reason than a parameter without a default, or when a kind is missing. Returns how many agreed. */
bl_index test_agreement(const char *scene, const bl_compare_options *options);

/* Every scene with bodies in SCENES, by all coordinates in all their forms, each with its own default formulation: positions,
 * velocities and reactions agree. share: fraction of the time of the scene. Fails the test if one does not agree or is not tried. */
void test_every_scene_in_all_coordinates(double share, double tolerance);

#endif
