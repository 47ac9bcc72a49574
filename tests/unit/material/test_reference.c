/* Stresses against tests/reference/materials.txt, made from energies alone, from the projected form of plane-stress plasticity and from
 * matrix functions (the script beside it). */
#include "support/materials.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bl_plane plane_of(const char *word) {
    return !strcmp(word, "space")    ? BL_PLANE_NONE
           : !strcmp(word, "strain") ? BL_PLANE_STRAIN
           : !strcmp(word, "stress") ? BL_PLANE_STRESS
                                     : BL_PLANE_AXISYMMETRIC;
}

static void every_stress__is_that_of_the_table(void **unused) {
    (void)unused;
    FILE *file = fopen(TESTS "/reference/materials.txt", "r");
    assert_non_null(file);
    char line[1024];
    int laws = 0, points = 0;
    double worst = 0;
    while (fgets(line, sizeof line, file)) {
        char kind[64], strain[64], plane[64], options[256];
        assert_int_equal(sscanf(line, "law %63s %63s %63s %255s", kind, strain, plane, options), 4);
        bl_material m = test_material(kind, options, plane_of(plane));
        double history[BL_MATERIAL_HISTORY_MOST] = {0};
        laws++;
        while (fgets(line, sizeof line, file) && strncmp(line, "end", 3) != 0) {
            double number[15];
            char *at = line;
            test_response out;
            for (int k = 0; k < 15; k++)
                number[k] = strtod(at, &at);
            if (m.plane == BL_PLANE_STRESS)
                number[8] = NAN;
            assert_int_equal(test_respond(&m, test_strain(strain), number, 0, history, &out), BL_OK);
            memcpy(history, out.trial, sizeof out.trial);
            double size = test_largest(number + 9, 6);
            for (int k = 0; k < 6; k++) {
                worst = fmax(worst, fabs(out.tau[k] - number[9 + k]) / size);
                assert_near(out.tau[k], number[9 + k], 1e-12 * size); /* F = 1 + e with e of 1e-2 loses two digits */
            }
            points++;
        }
    }
    fclose(file);
    printf("    %d laws, %d places, worst %.2g\n", laws, points, worst);
    assert_true(laws == 20 && points > 80);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_stress__is_that_of_the_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
