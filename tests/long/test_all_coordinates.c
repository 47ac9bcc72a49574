/* Every mechanism among the scenes by every kind of coordinates, over the full time of the scene. Chains of rods multiply errors by a
 * million in ten seconds, so the tolerance is small. */
#include "support/agreement.h"
#include "support/testing.h"

static void every_scene__moves_alike_in_all_coordinates(void **state) {
    (void)state;
    test_every_scene_in_all_coordinates(1, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_scene__moves_alike_in_all_coordinates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
