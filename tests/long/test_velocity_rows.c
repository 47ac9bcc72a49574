/* Rows of velocities over 1e5 steps: they stay at rounding where they are solved, projected or reduced in every step, within the tolerance
 * of the projection elsewhere; the motion stays near its closed solution. */
#include "support/bilinear.h"
#include "support/testing.h"

#include "model/model.h"
#include "sparse/sparse.h"
#include "study/run.h"
#include "study/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 100000 };

typedef struct drifts {
    double positions, velocities, angle, error;
} drifts;

static void measure(bl_simulation *sim, drifts *d) {
    double row[BILINEAR_ROWS] = {0};
    bl_eval_at(&sim->eval, &sim->state);
    assert_int_equal(bl_system_eval(sim->sys, &sim->eval, BL_PHI | BL_G | BL_B), BL_OK);
    bl_csc_multiply(&sim->sys->pat_G, sim->eval.G, sim->state.v, row);
    d->positions = fmax(d->positions, fabs(sim->eval.phi[0]));
    d->velocities = fmax(d->velocities, fabs(row[1]));
}

/* 1e5 steps of h; the end is compared with the closed solution */
static drifts run(test_bilinear def, void (*at)(double, double *, double *), const char *formulation, const char *integrator, double h) {
    bl_context *ctx = test_context(NULL);
    bl_simulation_setup setup = {
        .formulation = formulation, .integrator = integrator, .t_end = STEPS * h, .step = h, .h_max = h, .tolerance = 1e-7};
    bl_system *sys;
    bl_state start;
    bl_simulation *sim;
    drifts d = {0};
    double q[BILINEAR_N], v[BILINEAR_N];
    assert_int_equal(test_bilinear_create(ctx, &def, &sys, &start), BL_OK);
    assert_int_equal(bl_simulation_create(sys, &start, &setup, &sim), BL_OK);
    while (*sim->state.t < setup.t_end) {
        if (bl_simulation_advance(sim) != BL_OK)
            fail_msg("%s, %s: %s", formulation, integrator, bl_context_error(ctx)->what);
        measure(sim, &d);
    }
    at(setup.t_end, q, v);
    for (int i = 0; i < def.n; i++)
        d.error = fmax(d.error, fabs(sim->state.q[i] - q[i]));
    print_message("%s, %s: phi %.1e, G v - b %.1e, error %.1e\n", formulation, integrator, d.positions, d.velocities, d.error);
    bl_simulation_destroy(sim);
    bl_state_destroy(sys, &start);
    bl_system_destroy(sys);
    test_context_end(ctx);
    return d;
}

static const struct {
    const char *formulation, *integrator;
    double rows, error; /* of velocities of size 1 */
} runs[] = {
    {"partition", "rk4", 1e-14, 1e-8},   {"projection", "rk4", 1e-14, 1e-8}, {"index3", "genalpha", 1e-10, 3e-4},
    {"ggl", "genalpha", 1e-10, 3e-4},    {"index3", "bdf", 1e-10, 3e-4},     {"ali3p", "genalpha", 1e-12, 3e-4},
    {"lagrange", "rk4", 1e-12, 1e-8},    {"null_space", "rk4", 1e-12, 1e-8}, {"matrix_r", "rk4", 1e-12, 1e-8},
    {"range_space", "rk4", 1e-12, 1e-8}, {"baumgarte", "rk4", 1e-9, 1e-8},   {"penalty", "rk4", 1e-9, 1e-8},
    {"auglag", "rk4", 1e-9, 1e-8},       {"correction", "rk4", 1e-9, 1e-8},  {"partition:index=2", "rk4", 1e-14, 1e-8},
    {"index2", "series", 1e-12, 1e-8},
};

/* its direction never comes to rest */
static void rows__of_a_turning_blade_do_not_drift(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        drifts d = run(test_knife_edge(), test_knife_edge_at, runs[k].formulation, runs[k].integrator, 1e-3);
        assert_true(d.velocities < runs[k].rows);
        assert_true(d.positions < 1e-6);
        assert_true(d.error < runs[k].error);
    }
}

static void rows__of_the_sleigh_do_not_drift(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        drifts d = run(test_sleigh(), test_sleigh_at, runs[k].formulation, runs[k].integrator, 1e-4);
        assert_true(d.velocities < runs[k].rows);
        assert_true(d.positions < 1e-6);
        assert_true(d.error < runs[k].error);
    }
}

/* ---- scenes: a disc that leans and loops, a rattleback, in natural coordinates */

typedef struct course {
    const char *formulation, *integrator;
    double rows, energy; /* relative to the velocities, to the energy */
} course;

static void measure_scene(bl_simulation *sim, double *row, drifts *d, double *energy) {
    const bl_system *sys = sim->sys;
    bl_eval_at(&sim->eval, &sim->state);
    assert_int_equal(bl_system_eval(sys, &sim->eval, BL_PHI | BL_G | BL_B | BL_ENERGY), BL_OK);
    memset(row, 0, (size_t)sys->np * sizeof *row);
    bl_csc_multiply(&sys->pat_G, sim->eval.G, sim->state.v, row);
    for (bl_index i = 0; i < sys->np; i++) {
        d->positions = fmax(d->positions, fabs(sim->eval.phi[i]));
        if (sys->row[i].level == BL_AT_VELOCITY)
            d->velocities = fmax(d->velocities, fabs(row[i] - sim->eval.b[i]));
    }
    *energy = sim->eval.kinetic + sim->eval.potential;
}

static void run_scene(const char *scene, const course *c, double h) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_system *sys;
    bl_state start;
    bl_simulation *sim;
    char path[512];
    double row[64], begun, now;
    drifts d = {0};
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_OK);
    assert_int_equal(bl_run_prepare_held(ctx, model, "natural", 0, NULL, 0, &sys, &start), BL_OK);
    assert_true(sys->np <= 64);
    bl_simulation_setup setup = {
        .formulation = c->formulation, .integrator = c->integrator, .t_end = STEPS * h, .step = h, .h_max = h, .tolerance = 1e-7};
    assert_int_equal(bl_simulation_create(sys, &start, &setup, &sim), BL_OK);
    measure_scene(sim, row, &d, &begun);
    while (*sim->state.t < setup.t_end) {
        if (bl_simulation_advance(sim) != BL_OK)
            fail_msg("%s, %s, %s: %s", scene, c->formulation, c->integrator, bl_context_error(ctx)->what);
        measure_scene(sim, row, &d, &now);
        d.error = fmax(d.error, fabs(now - begun) / begun);
    }
    print_message("%s, %s, %s: phi %.1e, G v - b %.1e, energy %.1e\n", scene, c->formulation, c->integrator, d.positions, d.velocities,
                  d.error);
    assert_true(d.velocities < c->rows);
    assert_true(d.positions < 1e-6);
    assert_true(d.error < c->energy);
    bl_simulation_destroy(sim);
    bl_run_release(sys, &start, NULL);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void rows__of_rolling_scenes_do_not_drift(void **state) {
    (void)state;
    static const course courses[] = {
        {"partition", "rk4", 1e-13, 1e-9},
        {"projection", "rk4", 1e-13, 1e-9},
        {"lagrange", "rk4", 1e-9, 1e-5}, /* positions may drift by the tolerance of the projection, 1e-7 m: m g / E = 100 / m */
        {"index3", "genalpha", 1e-9, 1e-4},
        {"ggl", "genalpha", 1e-9, 1e-4},
        {"index3", "bdf", 1e-9, 1e-4},
        {"ali3p", "genalpha", 1e-9, 1e-4},
        {"partition:index=2", "rk4", 1e-13, 1e-5},
        {"null_space", "rk4", 1e-9, 1e-5},
        {"matrix_r", "rk4", 1e-9, 1e-5},
        {"range_space", "rk4", 1e-9, 1e-5},
        {"baumgarte", "rk4", 1e-9, 1e-5},
        {"penalty", "rk4", 1e-9, 1e-5},
        {"auglag", "rk4", 1e-9, 1e-5},
        {"correction", "rk4", 1e-9, 1e-5},
    };
    for (size_t k = 0; k < sizeof courses / sizeof *courses; k++) {
        run_scene("rolling_disc", &courses[k], 1e-4);
        run_scene("rattleback", &courses[k], 1e-4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows__of_a_turning_blade_do_not_drift),
        cmocka_unit_test(rows__of_the_sleigh_do_not_drift),
        cmocka_unit_test(rows__of_rolling_scenes_do_not_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
