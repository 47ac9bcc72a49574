/* Every scene by every adaptive implicit method in all kinds of coordinates, tolerances from 1e-4 to 1e-12: it finishes, with errors near
 * the tolerance, or with a warning that rounding keeps it from there. `long_hold NAME...` runs the cases of these names alone. */
#include "support/hold.h"
#include "support/testing.h"

#include <string.h>
#include <time.h>

static const char *const methods[] = {"ndf_auto", "bdf_auto", "mebdf_auto", "stiff_auto", NULL};
static const double tolerances[] = {1e-4, 1e-6, 1e-9, 1e-12, 0};

static char **chosen; /* names; NULL: all */

static bool is_chosen(const hold_case *c) {
    const char *name = c->scene ? c->scene : c->text + strlen("model: ");
    bool any = !chosen || !*chosen;
    for (char **w = chosen; w && *w; w++)
        any = any || (strlen(*w) == strcspn(name, "\n") && strncmp(name, *w, strlen(*w)) == 0);
    return any;
}

/* number of faults of one case; prints it with the time it takes */
static int check_case(const hold_case *c, const char *coordinates) {
    clock_t begin = clock();
    int faults = test_implicit_faults(c, coordinates, methods, tolerances);
    print_message("%.*s, %s: %.1f s, %d faults\n", (int)strcspn(c->scene ? c->scene : c->text, "\n"), c->scene ? c->scene : c->text,
                  coordinates, (double)(clock() - begin) / CLOCKS_PER_SEC, faults);
    return faults;
}

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
    int faults = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof coordinates / sizeof *coordinates && is_chosen(&cases[i]); k++)
            faults += check_case(&cases[i], coordinates[k]);
    assert_int_equal(faults, 0);
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
    int faults = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        faults += is_chosen(&cases[i]) ? check_case(&cases[i], "natural") : 0;
    assert_int_equal(faults, 0);
}

int main(int argc, char **argv) {
    chosen = argc > 1 ? argv + 1 : NULL;
    const struct CMUnitTest tests[] = {cmocka_unit_test(scenes__are_followed_at_every_tolerance),
                                       cmocka_unit_test(equations__are_followed_at_every_tolerance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
