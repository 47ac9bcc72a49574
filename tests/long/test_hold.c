/* Every scene by every adaptive implicit method in all kinds of coordinates, tolerances from 1e-4 to 1e-12: it finishes, with errors near
 * the tolerance, or with a warning that rounding keeps it from there. */
#include "support/hold.h"
#include "support/testing.h"

static const char *const methods[] = {"ndf_auto", "bdf_auto", "mebdf_auto", "stiff_auto", NULL};
static const double tolerances[] = {1e-4, 1e-6, 1e-9, 1e-12, 0};

static void scenes__are_followed_at_every_tolerance(void **state) {
    (void)state;
    static const hold_case cases[] = {
        {NULL, hold_bennett, 2, false},
        {NULL, hold_jack, 0.3, false},
        {NULL, hold_gimbals, 0.2, false},
        {"andrews", NULL, 0.01, false},
        {"bricard", NULL, 1, false},
        {"bricard_cut", NULL, 1, false},
        {"change_point_four_bar", NULL, 0.6, true},
        {"double_pendulum", NULL, 1, false},
        {"five_bar_pendulum", NULL, 0.5, false},
        {"flyball_governor", NULL, 0.2, false},
        {"four_bar", NULL, 0.5, false},
        {"heavy_top", NULL, 0.1, false},
        {"jansen_leg", NULL, 0.3, false},
        {"n_four_bar", NULL, 1, true},
        {"pendulum", NULL, 1, false},
        {"quick_return", NULL, 0.5, false},
        {"slewing_linkage", NULL, 0.5, false},
        {"slider_crank", NULL, 0.5, false},
        {"spatial_slider_crank", NULL, 0.5, false},
        {"spring_particle", NULL, 1, false},
        {"tether", NULL, 0.05, false},
        {"vehicle", NULL, 0.3, false},
        {"w3_chain", NULL, 0.3, false},
    };
    static const char *const coordinates[] = {"natural", "mixed", "reference", "reference:matrix", "reference:angles", "relative"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof coordinates / sizeof *coordinates; k++)
            test_implicit_holds(&cases[i], coordinates[k], methods, tolerances);
}

static void equations__are_followed_at_every_tolerance(void **state) {
    (void)state;
    static const hold_case cases[] = {
        {"andrews_equations", NULL, 0.01, false},
        {"car_axis", NULL, 0.5, false},
        {"fekete", NULL, 10, false},
        {"hires", NULL, 300, false},
        {"robertson", NULL, 40, false},
        {"pleiades", NULL, 1, false},
        {"beam", NULL, 0.02, false},
        {"beam_ode", NULL, 0.02, false},
        {"bathe_2dof", NULL, 3, false},
        {"bar_400", NULL, 1e-4, false},
        {"diffusion_1d", NULL, 0.1, false},
        {"extended_1", NULL, 1, false},
        {"extended_2", NULL, 1, false},
        {"oscillator", NULL, 10, false},
        {"rotating_spring", NULL, 2, false},
        {"second_order_2dof", NULL, 3, false},
        {"two_link_robot", NULL, 0.5, false},
        {"wave_1d", NULL, 0.1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        test_implicit_holds(&cases[i], "natural", methods, tolerances);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(scenes__are_followed_at_every_tolerance),
                                       cmocka_unit_test(equations__are_followed_at_every_tolerance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
