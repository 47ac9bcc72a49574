/* Every mechanism among the scenes in every kind of coordinates, over the first part of its motion. The complete motions are in
 * tests/long. */
#include "support/agreement.h"
#include "support/testing.h"

static void every_scene__moves_alike_in_all_coordinates(void **state) {
    (void)state;
    test_every_scene_in_all_coordinates(0.04, 1e-7);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_scene__moves_alike_in_all_coordinates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
