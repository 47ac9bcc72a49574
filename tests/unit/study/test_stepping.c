/* Stepping allocates nothing: malloc itself is counted, below the context and in the libraries. Only a step in which the formulation
 * chose rows, columns or pivots anew may allocate. */
#include "coords/coords.h"
#include "study/run.h"
#include "study/simulation.h"
#include "study/study.h"
#include "support/counted_malloc.h"
#include "support/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    bl_simulation_setup setup = {.formulation = formulation,
                                 .integrator = integrator,
                                 .linsol = linsol,
                                 .t_end = until,
                                 .tolerance = 1e-6,
                                 .step = 0.01,
                                 .watched = true};
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
    assert_true(quiet > (strncmp(integrator, "series", 6) == 0 ? 2 : steps / 2)); /* most steps choose nothing, long ones more often */
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
            run("friction_slider_crank", "natural", formulations[f], s ? "dopri45" : "rk4", solvers[s], 0.2);
        }
    static const char *const others[] = {"baumgarte", "projection", "projection:identity,stage", "correction:3",
                                         "penalty",   "auglag",     "auglag:project=stage"};
    for (size_t f = 0; f < sizeof others / sizeof *others; f++)
        for (int s = 0; s < 2; s++) {
            run("bricard", "natural", others[f], s ? "dopri45" : "rk4", solvers[s], 3);
            run("spatial_slider_crank", "mixed", others[f], s ? "dop853" : "abm", solvers[s], 1);
            run("friction_slider_crank", "mixed", others[f], "dopri45", solvers[s], 0.1);
        }
}

/* power series */
static void series__allocate_nothing(void **unused) {
    (void)unused;
    static const char *const formulations[] = {"partition", "lagrange"};
    static const char *const solvers[] = {"dense", "klu", "block"};
    for (int f = 0; f < 2; f++)
        for (int s = 0; s < 3; s++) {
            run("bricard", "natural", formulations[f], "series", solvers[s], 10);
            run("spatial_slider_crank", "natural", formulations[f], "series:order=12", solvers[s], 1);
            run("heavy_top", "natural", formulations[f], "series", solvers[s], 0.2);
            run("four_bar", "natural", formulations[f], "series:order=16,steps=fixed", solvers[s], 1);
        }
}

/* ---- implicit methods */

enum { WARM_UP = 12 }; /* the matrices of a start and of the method are analyzed one by one as they come up */

/* After the first steps nothing is allocated, new pivots included: the solvers named in `solvers` keep the room for them. */
static bool run_implicit(const char *scene, const char *formulation, const char *integrator, const char *linsol, int steps) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_system *sys;
    bl_state state = {0};
    bl_simulation *sim;
    char file[512];
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_model_read(ctx, file, NULL, 0, &model), BL_OK);
    assert_int_equal(bl_run_prepare(ctx, model, "natural", &sys, &state), BL_OK);
    bl_simulation_setup setup = {
        .formulation = formulation, .integrator = integrator, .linsol = linsol, .t_end = 0.002 * (steps + WARM_UP), .tolerance = 1e-5};
    if (!(bl_integrator_kind_of(integrator)->kind.gives & BL_ADAPTIVE))
        setup.step = 0.002;
    bl_status status = bl_simulation_create(sys, &state, &setup, &sim);
    if (status != BL_OK && (status != BL_E_ABILITY || !bl_context_error(ctx)->advice[0]))
        fail_msg("%s, %s, %s, %s: %s", scene, formulation, integrator, linsol, bl_context_error(ctx)->what);
    for (int k = 0; sim && *sim->state.t < setup.t_end; k++) {
        long before = malloc_calls;
        size_t own = bl_context_memory(ctx).calls;
        if (bl_simulation_advance(sim) != BL_OK)
            fail_msg("%s, %s, %s, %s: %s", scene, formulation, integrator, linsol, bl_context_error(ctx)->what);
        if (k >= WARM_UP && (malloc_calls != before || bl_context_memory(ctx).calls != own))
            fail_msg("%s, %s, %s, %s: %ld allocations, %ld of them ours, in the step to t = %g", scene, formulation, integrator, linsol,
                     malloc_calls - before, (long)(bl_context_memory(ctx).calls - own), *sim->state.t);
    }
    bl_simulation_destroy(sim);
    bl_state_destroy(sys, &state);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    test_context_end(ctx);
    return status == BL_OK;
}

/* superlu, ldl and mumps allocate in every factorization by nature */
static void implicit_stepping__allocates_nothing(void **unused) {
    (void)unused;
    static const char *const solvers[] = {"dense", "klu", "block"};
    int ran = 0;
    for (size_t k = 0; k < bl_integrator_kind_count; k++) {
        const bl_integrator_kind *kind = bl_integrator_kinds[k];
        const char *spec = kind == &bl_integrator_multistep ? "multistep:a=1/2;-2;3/2,b=0;0;1" : kind->kind.name;
        if (!(kind->kind.needs & BL_CAN_STAGE))
            continue;
        for (int s = 0; s < 3; s++) {
            ran += run_implicit("second_order_2dof", "plain", spec, solvers[s], 60);
            ran += run_implicit("bricard", "index3", spec, solvers[s], 60);
            ran += run_implicit("bricard", "index3:reduce=nullspace", spec, solvers[s], 60);
            ran += run_implicit("bricard", "ggl", spec, solvers[s], 60);
            ran += run_implicit("bricard", "ali3p", spec, solvers[s], 60);
        }
    }
    assert_true(ran > 3 * 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stepping__allocates_nothing),
        cmocka_unit_test(series__allocate_nothing),
        cmocka_unit_test(implicit_stepping__allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
