/* Every mechanism that moves only because of its dimensions, one of them off by 1e-14, 1e-13, ..., 1e-2, in all coordinates. */
#include "support/closure_cases.h"
#include "support/overconstrained.h"
#include "support/testing.h"

#include <math.h>

static void every_error_in_all_coordinates__moves_or_is_named(void **state) {
    (void)state;
    static const char *const coordinates[] = {"natural", "mixed", "reference", "reference:matrix", "reference:angles", "relative"};
    for (int m = 0; m < test_noverconstrained; m++)
        for (int k = 14; k >= 2; k--)
            for (size_t c = 0; c < sizeof coordinates / sizeof *coordinates; c++)
                test_closure_case(&test_overconstrained_list[m], pow(10, -k), coordinates[c]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_error_in_all_coordinates__moves_or_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
