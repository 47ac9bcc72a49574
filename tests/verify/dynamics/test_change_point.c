/* A four-bar linkage through its change point on a curved branch: ten passages in 10 s. Off the constraints the two branches are close
 * together there, and energy does not distinguish them; only the independent solution does (tests/reference). */
#include "support/scene.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

typedef struct claim {
    const char *formulation;
    double factor, floor; /* error <= factor x tolerance + floor, of positions in m; also of the energy in J */
} claim;

/* The angle grows to 63 rad, and each rotation over the top amplifies earlier errors: the error of a good run is about 1e3 tolerances.
 * Orders below 5 (ggl, index3: at most 5, mostly 2 to 4) add their own. Compliant rows leave a floor of load / penalty. */
static const claim claims[] = {
    {"partition", 3e3, 0},
    {"partition:index=2", 3e4, 1e-4},
    {"lagrange", 3e4, 0},
    {"baumgarte", 3e4, 0},
    {"projection", 3e4, 0},
    {"projection:at=stage", 3e3, 0},
    {"correction", 3e4, 0},
    {"matrix_r", 3e4, 0},
    {"matrix_r:qr", 3e4, 0},
    {"matrix_r:svd", 3e4, 0},
    {"range_space", 3e4, 0},
    {"null_space", 3e4, 0},
    {"penalty", 3e4, 5e-3},
    {"auglag", 3e4, 1e-4},
    {"auglag:project=step", 3e4, 1e-4},
    {"auglag:project=stage", 3e3, 2e-3},
    {"ggl", 3e5, 0},
    {"index3", 3e6, 0},
};

static void change_points__are_passed_on_the_smooth_branch(void **state) {
    (void)state;
    scene_case *cases;
    bl_index n = scene_cases_read("change_point_four_bar", &cases);
    assert_int_equal(n, 1);
    for (size_t k = 0; k < sizeof claims / sizeof *claims; k++) {
        double first = 0, error = 0;
        for (double tolerance = 1e-6; tolerance > 0.5e-9; tolerance *= 0.1) {
            scene_settings settings = {.formulation = claims[k].formulation, .tolerance = tolerance};
            scene_result result;
            scene_run("change_point_four_bar", &cases[0], &settings, &result);
            error = result.worst * cases[0].tolerance[0];
            first = first > 0 ? first : error;
            print_message("%s, tolerance %.0e: error %.1e, energy %.1e J, %ld steps, %ld handovers\n", settings.formulation, tolerance,
                          error, result.largest_energy_error, result.summary.steps, result.summary.handovers);
            double most = claims[k].factor * tolerance + claims[k].floor;
            if (!(error <= most) || !(result.largest_energy_error <= most))
                fail_msg("%s, tolerance %g: off by %g at t = %g (%s), energy by %g J, allowed %g", settings.formulation, tolerance, error,
                         result.worst_time, result.worst_column, result.largest_energy_error, most);
            scene_result_free(&result);
        }
        assert_true(error < 0.1 * first + claims[k].floor); /* tolerances a factor of 1000 apart */
    }
    scene_cases_free(cases, n);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(change_points__are_passed_on_the_smooth_branch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
