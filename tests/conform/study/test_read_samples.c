/* Samples inside steps of power series: positions, accelerations, multipliers and reactions from the expansion compared with those of the
 * formulation in the same configuration, on trees and loops, in the plane and in space, with redundant rows, drivers and springs. */
#include "support/testing.h"

#include "biela/biela.h"
#include "study/run.h"
#include "study/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 12, SAMPLES = 16 };

typedef struct two_ways {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state, closed;
    bl_eval eval; /* by the formulation */
    bl_simulation *sim;
    double *a, *lambda;
    double off_a, off_lambda, off_reaction, off_q, off_v; /* the largest differences, relative to the largest component so far */
    double size_a, size_lambda, size_reaction;
} two_ways;

static void begin(two_ways *w, const char *scene, const char *formulation, double tolerance) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    memset(w, 0, sizeof *w);
    w->ctx = test_context(NULL);
    assert_int_equal(bl_model_read(w->ctx, path, NULL, 0, &w->model), BL_OK);
    assert_int_equal(bl_run_prepare(w->ctx, w->model, "natural", &w->sys, &w->state), BL_OK);
    bl_simulation_setup setup = {.formulation = formulation, .integrator = "series", .t_end = 10, .h_max = 1, .tolerance = tolerance};
    assert_int_equal(bl_simulation_create(w->sys, &w->state, &setup, &w->sim), BL_OK);
    assert_int_equal(bl_state_create(w->sys, 0, &w->closed), BL_OK);
    assert_int_equal(bl_eval_create(w->sys, BL_T | BL_G | BL_SEEN, &w->eval), BL_OK);
    w->a = calloc((size_t)(w->sys->nv + w->sys->np + 1), sizeof(double));
    w->lambda = w->a + w->sys->nv;
}

static void end(two_ways *w) {
    free(w->a);
    bl_eval_destroy(w->sys, &w->eval);
    bl_state_destroy(w->sys, &w->closed);
    bl_simulation_destroy(w->sim);
    bl_state_destroy(w->sys, &w->state);
    bl_system_destroy(w->sys);
    bl_model_destroy(w->model);
    test_context_end(w->ctx);
}

static void compare_motion(two_ways *w) {
    const bl_system *sys = w->sys;
    const bl_simulation *sim = w->sim;
    for (bl_index i = 0; i < sys->nv; i++) {
        w->size_a = fmax(w->size_a, fabs(w->a[i]) / sys->col[i].scale);
        w->off_a = fmax(w->off_a, fabs(w->a[i] - sim->a[i]) / sys->col[i].scale);
        w->off_q = fmax(w->off_q, fabs(w->closed.q[i] - sim->at.q[i]) / sys->col[i].scale);
        w->off_v = fmax(w->off_v, fabs(w->closed.v[i] - sim->at.v[i]) / sys->col[i].scale);
    }
    for (bl_index i = 0; i < sys->np; i++) {
        w->size_lambda = fmax(w->size_lambda, fabs(w->lambda[i]) * sys->row[i].scale);
        w->off_lambda = fmax(w->off_lambda, fabs(w->lambda[i] - sim->lambda[i]) * sys->row[i].scale);
    }
}

static void compare_reactions(two_ways *w, const bl_wrench *read, const bl_wrench *found) {
    for (bl_index j = 0; j < w->sys->njoint; j++)
        for (int k = 0; k < 3; k++) {
            w->size_reaction = fmax(w->size_reaction, fmax(fabs(found[j].force[k]), fabs(found[j].moment[k])));
            w->off_reaction = fmax(w->off_reaction, fabs(read[j].force[k] - found[j].force[k]));
            w->off_reaction = fmax(w->off_reaction, fabs(read[j].moment[k] - found[j].moment[k]));
        }
}

/* everything at one time of the last step, by both methods */
static void compare(two_ways *w, double t) {
    bl_simulation *sim = w->sim;
    bl_sample read, found;
    bl_formulation *viewer, *kept;
    double misfit;
    assert_int_equal(bl_simulation_sample(sim, t, &read), BL_OK);
    bl_state_copy(w->sys, &w->closed, &sim->at);
    assert_int_equal(bl_simulation_view_begin(sim, &kept), BL_OK);
    viewer = sim->form;
    assert_int_equal(viewer->kind->accelerations(viewer, &sim->at, w->a, w->lambda), BL_OK);
    assert_int_equal(viewer->kind->project(viewer, &w->closed, 1e-13), BL_OK);
    bl_simulation_view_end(sim, kept);
    compare_motion(w);
    assert_int_equal(bl_simulation_fill_sample(w->sys, NULL, &w->eval, &w->closed, w->a, w->lambda, BL_WANT_ALL, &found, &misfit), BL_OK);
    compare_reactions(w, read.reaction, found.reaction);
    assert_true(read.drift <= (kept->drifts ? sim->projection_tolerance : 1e-13));
}

/* The last terms of accelerations and multipliers are at most one tolerance where they are evaluated. The remainder is as large if
 * coefficients decay by half per power, and smaller for shorter steps. Reactions add forces of several rows. */
static const double A = 1, REACTION = 10;

static void samples__read_off_agree_with_the_formulation(void **state) {
    (void)state;
    static const struct {
        const char *scene, *formulation;
    } all[] = {{"bricard", "partition"},
               {"bricard", "lagrange"},
               {"four_bar", "partition"},
               {"four_bar", "lagrange"},
               {"andrews", "partition"},
               {"slider_crank", "partition"},
               {"spatial_slider_crank", "partition"},
               {"quick_return", "partition"},
               {"jansen_leg", "partition"},
               {"flyball_governor", "partition"},
               {"five_bar_pendulum", "lagrange"},
               {"double_pendulum", "lagrange"},
               {"meshed_arm", "partition"},
               {"meshed_arm", "lagrange"}}; /* in stiffer meshes rounding of positions shows in accelerations */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int k = 0; k < 2; k++) {
            two_ways w;
            double tolerance = k == 0 ? 1e-5 : 1e-8;
            begin(&w, all[i].scene, all[i].formulation, tolerance);
            long count = 0;
            for (int n = 0; n < STEPS && *w.sim->state.t < 10; n++) {
                assert_int_equal(bl_simulation_advance(w.sim), BL_OK);
                for (int s = 1; s < SAMPLES; s++, count++)
                    compare(&w, w.sim->t_from + s * (*w.sim->state.t - w.sim->t_from) / SAMPLES);
            }
            print_message("%-20s %-9s %5.0e: a %.1e, lambda %.1e, reactions %.1e, q %.1e, v %.1e; read: %ld places, %ld forces of %ld\n",
                          all[i].scene, all[i].formulation, tolerance, w.off_a / w.size_a, w.off_lambda / w.size_lambda,
                          w.off_reaction / w.size_reaction, w.off_q, w.off_v, w.sim->states_read, w.sim->forces_read, count);
            assert_true(w.off_a <= A * tolerance * w.size_a);
            assert_true(w.off_lambda <= A * tolerance * w.size_lambda);
            assert_true(w.off_reaction <= REACTION * tolerance * w.size_reaction);
            assert_true(w.off_q <= (w.sim->form->drifts ? 10 * tolerance : 1e-11));
            assert_true(2 * w.sim->forces_read > count);
            end(&w);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples__read_off_agree_with_the_formulation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
