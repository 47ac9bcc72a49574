/* Joints driven by motors in all coordinates and formulations: trees, loops, redundant joints, more positions than velocities, dry
 * friction. A rotor by its closed form; the others agree with each other. */
#include "support/motor_drive.h"
#include "support/motors.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VARIABLES = 8 };

typedef struct motion {
    bl_index nvariable;
    double variable[VARIABLES], rate[VARIABLES], z[2], energy_error;
} motion;

/* runs; BL_E_ABILITY where the combination is refused, with the reason in why */
static bl_status run(const bl_model *model, bl_context *ctx, const char *coordinates, const motor_drive *drive,
                     const bl_simulation_setup *setup, motion *end, char why[512]) {
    bl_system *sys = NULL;
    bl_state start = {0};
    bl_simulation *sim = NULL;
    bl_sample sample;
    bl_status status = motor_drive_create(ctx, model, coordinates, drive, &sys, &start);
    if (status == BL_OK)
        status = bl_simulation_create(sys, &start, setup, &sim);
    while (status == BL_OK && *sim->state.t < setup->t_end)
        status = bl_simulation_advance(sim);
    if (status == BL_OK)
        status = bl_simulation_sample(sim, setup->t_end, &sample);
    if (status == BL_OK) {
        end->nvariable = sys->nvariable < VARIABLES ? sys->nvariable : VARIABLES;
        memcpy(end->variable, sample.variable, (size_t)end->nvariable * sizeof(double));
        memcpy(end->rate, sample.variable_rate, (size_t)end->nvariable * sizeof(double));
        memcpy(end->z, sim->state.z, sizeof end->z);
        end->energy_error = sim->largest_energy_error;
    } else {
        snprintf(why, 512, "%s", bl_context_error(ctx)->what);
        bl_context_clear_error(ctx);
    }
    bl_simulation_destroy(sim);
    if (sys) {
        bl_state_destroy(sys, &start);
        bl_system_destroy(sys);
    }
    return status;
}

static const char *const coordinates[] = {"natural", "mixed", "reference", "reference:view=tangent", "relative"};
enum { COORDINATES = sizeof coordinates / sizeof *coordinates };

/* ---- the rotor */

static void rotor__follows_the_closed_form_in_all_coordinates(void **state) {
    (void)state;
    static const char text[] = "model: rotor\n"
                               "gravity: [0, 0, 0]\n"
                               "bodies:\n"
                               "  - {name: rotor, mass: 1, center: [0, 0, 0], inertia: [0.006, 0.006, 0.01]}\n"
                               "joints:\n"
                               "  - {name: shaft, type: revolute, bodies: [ground, rotor], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                               "measure: [shaft.angle]\n"
                               "simulate: {until: 1}\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    double rate, current;
    motors_exact(0.01, 0.01, 1, &rate, &current);
    if (bl_model_read_text(ctx, "rotor.yaml", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    for (int c = 0; c < COORDINATES; c++)
        for (size_t f = 0; f < bl_formulation_kind_count; f++) {
            const bl_formulation_kind *kind = bl_formulation_kinds[f];
            bl_simulation_setup setup = {.formulation = kind->kind.name, .integrator = "dop853", .t_end = 1, .tolerance = 1e-10};
            motion end;
            char why[512];
            if (!(kind->kind.gives & BL_CAN_RATE))
                continue;
            bl_status status = run(model, ctx, coordinates[c], &(motor_drive){.strength = 1}, &setup, &end, why);
            if (status == BL_E_ABILITY && kind->index == 0)
                continue; /* of constraints, or where there is no M^-1 x */
            if (status != BL_OK)
                fail_msg("%s, %s: %s", coordinates[c], kind->kind.name, why);
            print_message("%s, %s: rate off by %.1e, current by %.1e\n", coordinates[c], kind->kind.name, end.rate[0] - rate,
                          end.z[0] - current);
            double most = kind->kind.gives & BL_COMPLIANT ? 3e-8 : 3e-9;
            assert_true(fabs(end.rate[0] - rate) < most * rate && fabs(end.z[0] - current) < most * current);
        }
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- mechanisms */

static double off(bl_index n, const double *a, const double *b) {
    double size = 1, most = 0;
    for (bl_index i = 0; i < n; i++)
        size = fmax(size, fabs(b[i]));
    for (bl_index i = 0; i < n; i++)
        most = fmax(most, isnan(a[i]) ? INFINITY : fabs(a[i] - b[i]));
    return most / size;
}

/* every formulation, and options that change what it solves */
static const char *const formulations[] = {"lagrange",
                                           "lagrange:mass=recursion",
                                           "partition",
                                           "partition:index=2",
                                           "partition:state=independent",
                                           "partition:dense=0",
                                           "plain",
                                           "direct",
                                           "index3",
                                           "index3:reduce=nullspace",
                                           "ggl",
                                           "ggl:reduce=nullspace",
                                           "baumgarte",
                                           "projection",
                                           "projection:at=stage",
                                           "correction",
                                           "penalty",
                                           "auglag",
                                           "auglag:project=stage",
                                           "ali3p",
                                           "matrix_r",
                                           "range_space",
                                           "null_space"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

/* the first fits, else the method in increments where positions are no vectors */
static bl_status run_best(const bl_model *model, bl_context *ctx, const char *in, const motor_drive *drive, const char *formulation,
                          motion *end, double *most, char why[512]) {
    const bl_formulation_kind *kind = bl_formulation_kind_of(formulation);
    bool rate = kind->kind.gives & BL_CAN_RATE;
    bl_simulation_setup setup = {
        .formulation = formulation, .integrator = rate ? "dopri45" : "ndf_auto", .t_end = 0.2, .tolerance = rate ? 1e-9 : 1e-7};
    *most = rate ? 2e-7 : 2e-5;
    bl_status status = run(model, ctx, in, drive, &setup, end, why);
    if (status != BL_E_ABILITY || rate || !strstr(why, "as many positions as velocities"))
        return status;
    setup.integrator = "genalpha";
    setup.step = 2e-4;
    *most = 3e-4;
    return run(model, ctx, in, drive, &setup, end, why);
}

static void expect_agreement(const char *scene, int least) {
    char path[256], why[512];
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    const motor_drive drive = {.strength = 3, .filtered = 0.02};
    motion reference, end;
    int runs = 0;
    snprintf(path, sizeof path, SCENES "/%s.yaml", scene);
    if (bl_model_read(ctx, path, NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    bl_simulation_setup best = {.formulation = "partition", .integrator = "dop853", .t_end = 0.2, .tolerance = 1e-11};
    assert_int_equal(run(model, ctx, "relative", &drive, &best, &reference, why), BL_OK);
    for (int c = 0; c < COORDINATES; c++)
        for (int f = 0; f < FORMULATIONS; f++) {
            double most;
            if (TEST_SANITIZED && f % COORDINATES != c)
                continue;
            bl_status status = run_best(model, ctx, coordinates[c], &drive, formulations[f], &end, &most, why);
            if (status == BL_E_ABILITY) {
                assert_null(strstr(why, "state"));
                continue;
            }
            if (status != BL_OK)
                fail_msg("%s, %s, %s: %s", scene, coordinates[c], formulations[f], why);
            runs++;
            double of_s = off(end.nvariable, end.variable, reference.variable), of_rate = off(end.nvariable, end.rate, reference.rate),
                   of_z = off(2, end.z, reference.z);
            if (!(of_s < most && of_rate < most && of_z < most && end.energy_error < 10 * most))
                fail_msg("%s, %s, %s: variables off by %.1e, rates by %.1e, states by %.1e, energy by %.1e", scene, coordinates[c],
                         formulations[f], of_s, of_rate, of_z, end.energy_error);
        }
    print_message("%s: %d combinations agree\n", scene, runs);
    assert_true(runs >= (TEST_SANITIZED ? least / COORDINATES - 4 : least));
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void mechanisms__agree_in_all_coordinates_and_formulations(void **state) {
    (void)state;
    expect_agreement("double_pendulum", 90);       /* relative: a tree without constraints */
    expect_agreement("four_bar", 90);              /* relative: a loop */
    expect_agreement("bricard", 90);               /* redundant, in space */
    expect_agreement("friction_slider_crank", 70); /* normal loads */
}

/* a rate that becomes not a number ends the run with the name of its state */
static void broken_rates__are_named(void **state) {
    (void)state;
    char why[512];
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    if (bl_model_read(ctx, SCENES "/double_pendulum.yaml", NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    for (int c = 0; c < COORDINATES; c++)
        for (int f = 0; f < FORMULATIONS; f++) {
            bool rate = bl_formulation_kind_of(formulations[f])->kind.gives & BL_CAN_RATE;
            bl_simulation_setup setup = {
                .formulation = formulations[f], .integrator = rate ? "dopri45" : "genalpha", .t_end = 0.2, .tolerance = 1e-6, .step = 1e-3};
            motion end;
            bl_status status = run(model, ctx, coordinates[c], &(motor_drive){.strength = 1, .broken = 0.1}, &setup, &end, why);
            if (status == BL_E_ABILITY)
                continue;
            assert_int_equal(status, BL_E_NUMERIC);
            if (rate && !strstr(why, "rate of filter is not a finite number"))
                fail_msg("%s, %s: %s", coordinates[c], formulations[f], why);
        }
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rotor__follows_the_closed_form_in_all_coordinates),
                                       cmocka_unit_test(mechanisms__agree_in_all_coordinates_and_formulations),
                                       cmocka_unit_test(broken_rates__are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
