/* Every scene follows its reference (published, or integrated independently in minimal coordinates: tests/reference) with both
 * formulations, satisfies its energy balance, and the formulations agree. The run tolerance is 1e-10 relative, so that the error of the run
 * stays below the tolerance of the reference for these motions. */
#include "support/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *const formulations[] = {"lagrange", "partition"};

/* Adaptive steps of the index-1 equations decrease toward the singular configurations of the parallelogram, where the constraints become
 * dependent; fixed steps of 2.5 ms (fourth order: error 5e-8 by step halving) step over them. Partition steps over them by itself. */
static scene_settings settings_for(const char *scene, int f) {
    if (strcmp(scene, "n_four_bar") == 0 && f == 0)
        return (scene_settings){.formulation = formulations[f], .tolerance = 1e-10, .integrator = "rk4", .step = 0.0025};
    return (scene_settings){.formulation = formulations[f], .tolerance = 1e-10};
}

/* both runs are within one tolerance of the exact motion */
static void expect_agreement(const char *scene, const scene_case *c, const scene_result *a, const scene_result *b) {
    for (bl_index r = 0; r < c->nrow; r++)
        for (bl_index k = 0; k < c->ncolumn; k++) {
            double apart = fabs(a->value[r * c->ncolumn + k] - b->value[r * c->ncolumn + k]);
            if (!(apart <= 2 * c->tolerance[r] * c->scale[k]))
                fail_msg("%s, %s: %s differs by %g at t = %g", scene, c->name, c->column[k], apart, c->t[r]);
        }
}

static void follows_reference(void **state) {
    const char *scene = *state;
    scene_case *cases;
    bl_index n = scene_cases_read(scene, &cases);
    for (bl_index i = 0; i < n; i++) {
        if (cases[i].is_long)
            continue;
        scene_result result[2];
        for (int f = 0; f < 2; f++) {
            scene_settings settings = settings_for(scene, f);
            scene_run(scene, &cases[i], &settings, &result[f]);
            scene_expect(scene, &cases[i], &settings, &result[f]);
        }
        expect_agreement(scene, &cases[i], &result[0], &result[1]);
        for (int f = 0; f < 2; f++)
            scene_result_free(&result[f]);
    }
    scene_cases_free(cases, n);
}

/* the reference of Bricard's mechanism in the other coordinates, and with its
 * loop closed by equations */
static void bricard_other_coordinates(void **state) {
    const char *scene = *state;
    scene_case *cases;
    bl_index n = scene_cases_read("bricard", &cases);
    for (int f = 0; f < 2; f++) {
        scene_settings settings = {.coordinates = "mixed", .formulation = formulations[f], .tolerance = 1e-10};
        scene_result result;
        scene_run(scene, &cases[0], &settings, &result);
        scene_expect(scene, &cases[0], &settings, &result);
        scene_result_free(&result);
    }
    scene_cases_free(cases, n);
}

/* a scene whose load has coordinates of its own, besides others in each kind */
static void mixture_other_coordinates(void **state) {
    static const char *const kinds[] = {"mixed", "reference:matrix", "relative"};
    const char *scene = *state;
    scene_case *cases;
    bl_index n = scene_cases_read(scene, &cases);
    for (int k = 0; k < 3; k++) {
        scene_settings settings = {.coordinates = kinds[k], .tolerance = 1e-10};
        scene_result result;
        scene_run(scene, &cases[0], &settings, &result);
        scene_expect(scene, &cases[0], &settings, &result);
        scene_result_free(&result);
    }
    scene_cases_free(cases, n);
}

/* A step of relative local error `tolerance` changes the energy by about that fraction of the kinetic energy, so a run by at most the
 * number of steps times it. Loose tolerances, redundant rows and drift together must not violate that. */
static void energy_error_shrinks_with_the_tolerance(void **state) {
    const char *scene = *state;
    scene_case *cases;
    bl_index n = scene_cases_read(strcmp(scene, "bricard_cut") == 0 ? "bricard" : scene, &cases);
    for (int f = 0; f < 2; f++)
        for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= 0.01) {
            scene_settings settings = {.formulation = formulations[f], .tolerance = tolerance};
            scene_result result;
            scene_run(scene, &cases[0], &settings, &result);
            double bound = tolerance * (double)result.summary.steps * result.largest_kinetic;
            print_message("%s, %s, tolerance %.0e: energy error %.1e J of %.1e, %ld steps\n", scene, settings.formulation, tolerance,
                          result.largest_energy_error, bound, result.summary.steps);
            if (!(result.largest_energy_error <= bound))
                fail_msg("%s, %s, tolerance %g: energy error %g J, allowed %g J", scene, settings.formulation, tolerance,
                         result.largest_energy_error, bound);
            scene_result_free(&result);
        }
    scene_cases_free(cases, n);
}

#define SHRINKS(scene) \
    { #scene "__energy_error_shrinks_with_the_tolerance", energy_error_shrinks_with_the_tolerance, NULL, NULL, #scene }
#define FOLLOWS(scene) \
    { #scene "__follows_its_reference", follows_reference, NULL, NULL, #scene }

int main(void) {
    const struct CMUnitTest tests[] = {
        FOLLOWS(pendulum),
        FOLLOWS(double_pendulum),
        FOLLOWS(four_bar),
        FOLLOWS(change_point_four_bar),
        FOLLOWS(slider_crank),
        FOLLOWS(friction_slider_crank),
        FOLLOWS(five_bar_pendulum),
        FOLLOWS(tether),
        FOLLOWS(bricard),
        FOLLOWS(n_four_bar),
        FOLLOWS(andrews),
        FOLLOWS(flyball_governor),
        FOLLOWS(cart_pendulum_pid),
        FOLLOWS(active_suspension),
        FOLLOWS(motor_leg),
        FOLLOWS(sampled_pd),
        FOLLOWS(cam_roller),
        FOLLOWS(cam_program),
        FOLLOWS(tautochrone),
        FOLLOWS(relay_hysteresis),
        FOLLOWS(spatial_slider_crank),
        FOLLOWS(heavy_top),
        FOLLOWS(w3_chain),
        FOLLOWS(vehicle),
        FOLLOWS(slewing_linkage),
        FOLLOWS(jansen_leg),
        FOLLOWS(quick_return),
        FOLLOWS(half_shaft),
        FOLLOWS(planetary_gearbox),
        FOLLOWS(satellite),
        FOLLOWS(lane_change),
        FOLLOWS(wheel_over_bump),
        FOLLOWS(sleigh),
        FOLLOWS(turntable_ball),
        FOLLOWS(rolling_disc),
        FOLLOWS(rattleback),
        FOLLOWS(two_wheel_cart),
        SHRINKS(pendulum),
        SHRINKS(double_pendulum),
        SHRINKS(four_bar),
        SHRINKS(slider_crank),
        SHRINKS(five_bar_pendulum),
        SHRINKS(bricard),
        SHRINKS(bricard_cut),
        SHRINKS(andrews),
        SHRINKS(spatial_slider_crank),
        SHRINKS(heavy_top),
        SHRINKS(w3_chain),
        SHRINKS(vehicle),
        SHRINKS(slewing_linkage),
        SHRINKS(satellite),
        {"slewing_linkage__follows_its_reference_beside_other_coordinates", mixture_other_coordinates, NULL, NULL, "slewing_linkage"},
        {"bricard__mixed_coordinates_give_the_same_motion", bricard_other_coordinates, NULL, NULL, "bricard"},
        {"bricard__closed_by_equations_gives_the_same_motion", bricard_other_coordinates, NULL, NULL, "bricard_cut"},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
