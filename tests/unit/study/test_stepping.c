/* Stepping allocates nothing: malloc itself is counted, below the context and in the libraries. Only a step in which the formulation
 * chose rows, columns or pivots anew may allocate. */
#include "coords/coords.h"
#include "study/simulation.h"
#include "study/study.h"
#include "support/counted_malloc.h"
#include "support/testing.h"

#include <stdio.h>
#include <stdlib.h>

static void run(const char *scene, const char *coordinates, const char *formulation, const char *integrator, const char *linsol,
                double until) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_system *sys;
    bl_state state = {0};
    bl_simulation *sim;
    char file[512];
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_model_read(ctx, file, NULL, 0, &model), BL_OK);
    assert_int_equal(bl_coords_build(ctx, model, coordinates, &sys), BL_OK);
    assert_int_equal(bl_state_create(sys, 0, &state), BL_OK);
    assert_int_equal(bl_coords_initial(sys, &state), BL_OK);
    assert_int_equal(bl_assemble_positions(sys, model, &state), BL_OK);
    assert_int_equal(bl_assemble_velocities(sys, model, &state), BL_OK);
    bl_simulation_setup setup = {
        .formulation = formulation, .integrator = integrator, .linsol = linsol, .t_end = until, .tolerance = 1e-6, .step = 0.01};
    assert_int_equal(bl_simulation_create(sys, &state, &setup, &sim), BL_OK);
    assert_true(!MALLOC_COUNTED || malloc_calls > 0);    /* the counter counts */
    assert_int_equal(bl_simulation_advance(sim), BL_OK); /* BLAS may set itself up at its first call */
    long steps = 0, quiet = 0;
    while (*sim->state.t < until) {
        long before = malloc_calls, chosen = sim->form->stats.repartitions + sim->form->stats.factors;
        size_t own = bl_context_memory(ctx).calls;
        assert_int_equal(bl_simulation_advance(sim), BL_OK);
        steps++;
        if (sim->form->stats.repartitions + sim->form->stats.factors != chosen)
            continue;
        quiet++;
        if (malloc_calls != before || bl_context_memory(ctx).calls != own)
            fail_msg("%s, %s, %s, %s: %ld allocations in the step to t = %g", scene, formulation, integrator, linsol, malloc_calls - before,
                     *sim->state.t);
    }
    assert_true(quiet > steps / 2); /* most steps choose nothing */
    bl_simulation_destroy(sim);
    bl_state_destroy(sys, &state);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void stepping__allocates_nothing(void **unused) {
    (void)unused;
    static const char *const formulations[] = {"partition", "partition:index=2", "lagrange"};
    static const char *const solvers[] = {"dense", "klu", "block"};
    for (int f = 0; f < 3; f++)
        for (int s = 0; s < 3; s++) {
            run("bricard", "natural", formulations[f], s ? "dopri45" : "rk4", solvers[s], 3);
            run("spatial_slider_crank", "mixed", formulations[f], "dopri45", solvers[s], 1);
            run("spatial_slider_crank", "mixed", formulations[f], s ? "dop853" : "abm", solvers[s], 1);
            run("flyball_governor", "natural", formulations[f], "dopri45", solvers[s], 0.02);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stepping__allocates_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
