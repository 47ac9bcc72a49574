/* The problems of the IVP test set and a controlled mechanism, written as equations, end at their references (tests/reference), with
 * several formulations and methods. A run's tolerance is far enough below the reference's (1e-6 of the scale) for the problem's own
 * amplification of errors: about 10 for chemistry and points, 100 for Andrews and the Pleiades, whose stars pass each other closely. */
#include "support/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct trial {
    const char *scene, *reference, *formulation, *integrator;
    double tolerance;
} trial;

static void ends_at_reference(void **state) {
    const trial *t = *state;
    scene_case *cases;
    bl_index n = scene_cases_read(t->reference, &cases);
    for (bl_index i = 0; i < n; i++) {
        scene_settings settings = {.formulation = t->formulation, .integrator = t->integrator, .tolerance = t->tolerance};
        scene_result result;
        scene_run(t->scene, &cases[i], &settings, &result);
        scene_expect(t->scene, &cases[i], &settings, &result);
        scene_result_free(&result);
    }
    scene_cases_free(cases, n);
}

static const trial trials[] = {
    {"hires", "hires", "plain", "dop853", 1e-9},
    {"hires", "hires", "plain", "ndf_auto", 1e-10},
    {"robertson", "robertson", "plain", "ndf_auto", 1e-9},
    {"pleiades", "pleiades", "plain", "dop853", 1e-10},
    {"pleiades", "pleiades", "plain", "dopri45", 1e-10},
    {"beam", "beam", "plain", "radau", 1e-8},
    {"beam_ode", "beam", "plain", "dop853", 1e-8},
    {"car_axis", "car_axis", "lagrange", "dop853", 1e-9},
    {"car_axis", "car_axis", "partition", "dop853", 1e-9},
    {"car_axis", "car_axis", "ggl", "ndf_auto", 1e-10},
    {"fekete", "fekete", "lagrange", "dop853", 1e-8},
    {"fekete", "fekete", "ggl", "ndf_auto", 1e-7},
    {"andrews_equations", "andrews_equations", "partition", "dop853", 1e-10},
    {"andrews_equations", "andrews_equations", "lagrange", "dop853", 1e-10},
    {"hires", "hires", "plain", "series", 1e-11},
    {"pleiades", "pleiades", "plain", "series", 1e-11},
    {"car_axis", "car_axis", "lagrange", "series", 1e-10},
    {"car_axis", "car_axis", "partition", "series", 1e-10},
    {"fekete", "fekete", "lagrange", "series", 1e-8},
    {"andrews_equations", "andrews_equations", "partition", "series", 1e-10},
    {"andrews_equations", "andrews_equations", "lagrange", "series", 1e-10},
    {"controlled_pendulum", "controlled_pendulum", NULL, NULL, 1e-10},
    {"controlled_pendulum", "controlled_pendulum", "lagrange", "dop853", 1e-9},
    {"controlled_pendulum", "controlled_pendulum", "partition", "series", 1e-10},
    {"controlled_pendulum", "controlled_pendulum", "partition", "radau", 1e-9},
    {"controlled_pendulum", "controlled_pendulum", "ggl", "ndf_auto", 1e-10},
    {"controlled_pendulum", "controlled_pendulum", "index2", "series", 1e-10},
    {"controlled_pendulum", "controlled_pendulum", "null_space", "abm", 1e-10},
};
enum { NTRIAL = sizeof trials / sizeof *trials };

int main(void) {
    struct CMUnitTest tests[NTRIAL];
    for (size_t k = 0; k < NTRIAL; k++)
        tests[k] =
            (struct CMUnitTest){.name = trials[k].scene, .test_func = ends_at_reference, .initial_state = (void *)(uintptr_t)&trials[k]};
    return _cmocka_run_group_tests("equations", tests, NTRIAL, NULL, NULL);
}
