/* The integrator `series` over the full time of five mechanisms, compared with long double: errors of positions and velocities relative to
 * their largest values, and violations of the constraints, at the level of rounding. */
#include "biela/biela.h"
#include "support/precise.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 40 };

typedef struct track {
    int dim, n;
    real x[SAMPLES][3], v[SAMPLES][3]; /* reference */
    double at[SAMPLES], got_x[SAMPLES][3], got_v[SAMPLES][3], drift, velocity_drift;
} track;

static bl_status on_sample(void *user, const bl_sample *sample) {
    track *k = user;
    if (k->n < SAMPLES)
        for (int j = 0; j < k->dim; j++) {
            k->got_x[k->n][j] = sample->probe[j];
            k->got_v[k->n][j] = sample->probe_rate[j];
        }
    k->n++;
    k->drift = fmax(k->drift, sample->drift);
    k->velocity_drift = fmax(k->velocity_drift, sample->velocity_drift);
    return BL_OK;
}

static void follow(track *k, const char *scene, double until) {
    precise_points p = strcmp(scene, "pendulum") == 0          ? precise_pendulum()
                       : strcmp(scene, "double_pendulum") == 0 ? precise_double_pendulum()
                       : strcmp(scene, "four_bar") == 0        ? precise_four_bar()
                                                               : precise_bricard();
    precise_andrews a = precise_andrews_start();
    bool squeezer = strcmp(scene, "andrews") == 0;
    k->dim = squeezer ? 2 : p.dim;
    for (int i = 0; i < SAMPLES; i++) {
        k->at[i] = until * (i + 1) / SAMPLES;
        if (squeezer) {
            precise_andrews_to(&a, k->at[i]);
            k->x[i][0] = 0.007L * cosl(a.y[0]);
            k->x[i][1] = 0.007L * sinl(a.y[0]);
            k->v[i][0] = -k->x[i][1] * a.y[7];
            k->v[i][1] = k->x[i][0] * a.y[7];
        } else {
            precise_points_to(&p, k->at[i]);
            memcpy(k->x[i], p.x[0], sizeof k->x[i]);
            memcpy(k->v[i], p.v[0], sizeof k->v[i]);
        }
    }
    assert_true((squeezer ? precise_andrews_drift(&a) : precise_points_drift(&p)) < 1e-15L);
}

static double error_of(const real (*want)[3], const double (*got)[3], int dim) {
    real size = 0, error = 0;
    for (int i = 0; i < SAMPLES; i++)
        for (int j = 0; j < dim; j++) {
            size = fmaxl(size, fabsl(want[i][j]));
            error = fmaxl(error, fabsl(want[i][j] - got[i][j]));
        }
    return (double)(error / size);
}

static void run(track *k, const char *scene, const char *formulation, const char *integrator, double tolerance, double projection,
                double until) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    char path[256];
    bl_run_summary summary = {0};
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_OK);
    k->n = 0;
    k->drift = k->velocity_drift = 0;
    bl_run_options options = {.formulation = formulation,
                              .integrator = integrator,
                              .tolerance = tolerance,
                              .until = until,
                              .at = k->at,
                              .nat = SAMPLES,
                              .projection_tolerance = projection};
    bl_status status = bl_simulate(ctx, model, &options, &(bl_sink){.user = k, .sample = on_sample}, 1, &summary);
    if (status != BL_OK)
        fail_msg("%s: %s", scene, bl_context_error(ctx)->what);
    assert_int_equal(k->n, SAMPLES);
    print_message("%s, %s, %s, tolerance %.0e: %ld steps, error %.1e of positions, %.1e of velocities, drift %.1e, %.1e\n", scene,
                  formulation, integrator, tolerance, summary.steps, error_of(k->x, k->got_x, k->dim), error_of(k->v, k->got_v, k->dim),
                  k->drift, k->velocity_drift);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static const struct {
    const char *scene;
    double until;
} cases[] = {{"pendulum", 10}, {"double_pendulum", 10}, {"four_bar", 5}, {"andrews", 0.05}, {"bricard", 10}};
enum { CASES = sizeof cases / sizeof *cases };

/* The full times: the double pendulum from 60 and 30 degrees amplifies an error by about 1e2 in 10 s, its chaos begins higher; the crank of
 * the four-bar linkage rotates through 60 rad, its rocker amplifies the rounding of that by 1e2, velocities by ten times more. Lagrange
 * projects onto the constraints where their violation has reached 1e-14, which is then amplified by 1e2; a few of these add up. */
static void five_mechanisms__follow_long_double_to_1e_12(void **state) {
    (void)state;
    static const char *const formulations[] = {"partition", "lagrange"};
    static track k;
    for (int i = 0; i < CASES; i++) {
        follow(&k, cases[i].scene, cases[i].until);
        for (int f = 0; f < 2; f++) {
            run(&k, cases[i].scene, formulations[f], "series", 1e-14, f ? 1e-14 : 0, cases[i].until);
            assert_true(error_of(k.x, k.got_x, k.dim) < (f ? 3e-12 : 1e-12));
            assert_true(error_of(k.v, k.got_v, k.dim) < (f ? 3e-11 : 1e-12));
            assert_true(k.drift < 1e-13 && k.velocity_drift < 1e-12);
        }
    }
}

/* A high order without projection: violations of the constraints consist of truncation and rounding. Ten rounding errors of accelerations
 * of 10 m/s^2 over 10 s give 1e-14 x 10^2 / 2 x 10 = 5e-12. */
static void constraints__drift_at_the_level_of_truncation(void **state) {
    (void)state;
    static track k;
    for (int i = 0; i < CASES; i++) {
        follow(&k, cases[i].scene, cases[i].until);
        run(&k, cases[i].scene, "lagrange", "series:order=30", 1e-14, -1, cases[i].until);
        assert_true(k.drift < 5e-12 && k.velocity_drift < 5e-12);
    }
}

/* Errors of a run follow the tolerance down to rounding: about 100 tolerances, since steps accumulate and motions amplify. */
static void errors__follow_the_tolerance(void **state) {
    (void)state;
    static track k;
    for (int i = 0; i < CASES; i++) {
        follow(&k, cases[i].scene, cases[i].until);
        for (double tolerance = 1e-6; tolerance > 1e-12; tolerance *= 1e-2) {
            run(&k, cases[i].scene, "partition", "series", tolerance, 0, cases[i].until);
            assert_true(error_of(k.x, k.got_x, k.dim) < 300 * tolerance);
            assert_true(k.drift < tolerance);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_mechanisms__follow_long_double_to_1e_12),
        cmocka_unit_test(constraints__drift_at_the_level_of_truncation),
        cmocka_unit_test(errors__follow_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
