/* The integrator `series` through singular configurations: the flat configurations of N four-bars (IFToMM benchmark A02), and the change
 * point of a four-bar linkage on its curved branch; compared with long double on the branch. With adaptive steps, and with fixed steps of
 * which one ends exactly in the first singular configuration. */
#include "biela/biela.h"
#include "support/precise.h"
#include "support/testing.h"

#include <math.h>

#ifndef LOOPS
#define LOOPS 2, 10, 40 /* tests/long runs more */
#endif

enum { SAMPLES = 40 };

typedef struct branch {
    precise_branch exact;
    double error, energy;
} branch;

static bl_status compare(void *user, const bl_sample *sample) {
    branch *b = user;
    real x[2], v[2];
    precise_branch_to(&b->exact, sample->t);
    precise_branch_probe(&b->exact, x, v);
    b->error = fmax(b->error, (double)hypotl(sample->probe[0] - x[0], sample->probe[1] - x[1]));
    b->energy = fmax(b->energy, fabs(sample->energy_error));
    return BL_OK;
}

/* N = 0: the change point */
static branch run(int N, const bl_run_options *how) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_run_summary summary = {0};
    branch b = {.exact = precise_branch_start(N)};
    bl_run_options options = *how;
    double at[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        at[i] = 10.0 * (i + 1) / SAMPLES;
    options.until = 10;
    options.at = at;
    options.nat = SAMPLES;
    if (N > 0)
        assert_int_equal(bl_model_read(ctx, SCENES "/n_four_bar.yaml", &(bl_override){"N", N}, 1, &model), BL_OK);
    else
        assert_int_equal(bl_model_read(ctx, SCENES "/change_point_four_bar.yaml", NULL, 0, &model), BL_OK);
    bl_status status = bl_simulate(ctx, model, &options, &(bl_sink){.user = &b, .sample = compare}, 1, &summary);
    print_message("N = %d, %s, %s, tolerance %.0e: error %.1e m, energy %.1e J, %ld steps, %ld handovers\n", N, how->formulation,
                  how->integrator, how->tolerance, b.error, b.energy, summary.steps, summary.handovers);
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
    return b;
}

static const int loops[] = {LOOPS};
enum { NLOOPS = sizeof loops / sizeof *loops };
static const char *const formulations[] = {"partition", "lagrange"};

/* On another branch the tip has an error of about 1 m. */
static void flat_positions__are_passed_within_the_tolerance(void **state) {
    (void)state;
    for (int i = 0; i < NLOOPS; i++)
        for (int f = 0; f < 2; f++)
            for (double tolerance = 1e-8; tolerance > 1e-13; tolerance *= 1e-4) {
                branch b = run(loops[i], &(bl_run_options){.formulation = formulations[f], .integrator = "series", .tolerance = tolerance});
                assert_true(b.error < 300 * tolerance);
                assert_true(b.energy < 300 * tolerance * (loops[i] + 1));
            }
}

/* The crank rotates through 63 rad, and each rotation over the top amplifies earlier errors: about 100 tolerances. lagrange hands over to
 * partition and back at each passage; in one run of ten partition refuses the configuration of the handover, and the augmented Lagrangian
 * that leads past it then keeps the branch to about 1e-6 m, whatever the tolerance. */
static void change_points__are_passed_on_the_curved_branch(void **state) {
    (void)state;
    static const char *const order[] = {"series", "series:order=12", "series:order=16"};
    for (int f = 0; f < 2; f++)
        for (int k = 0; k < 3; k++)
            for (double tolerance = 1e-8; tolerance > 1e-13; tolerance *= 1e-2) {
                branch b = run(0, &(bl_run_options){.formulation = formulations[f], .integrator = order[k], .tolerance = tolerance});
                assert_true(b.error < (f ? fmax(3e3 * tolerance, 1e-5) : 1e3 * tolerance));
            }
}

static real flat_at(int N, real goal) {
    real t0 = 0, t1 = 2;
    for (int j = 0; j < 70; j++) {
        precise_branch b = precise_branch_start(N);
        real t = (t0 + t1) / 2;
        precise_branch_to(&b, t);
        *(b.y[0] < goal ? &t0 : &t1) = t;
    }
    return t0;
}

/* The error of fixed steps is controlled only by their length. lagrange is off the constraints by the tolerance of the scene, 1e-8, which a
 * passage amplifies. */
static void exact_hits__are_stepped_over(void **state) {
    (void)state;
    static const char *const order[] = {"series:order=12,steps=fixed", "series:order=16,steps=fixed", "series:order=24,steps=fixed"};
    for (int i = -1; i < NLOOPS; i++) {
        int N = i < 0 ? 0 : loops[i];
        real flat = flat_at(N, acosl(-1) / (N ? 2 : 1));
        for (int f = 0; f < 2; f++)
            for (int k = 0; k < 3; k++)
                for (int steps = N ? 24 : 96; steps <= (N ? 36 : 144); steps += N ? 12 : 48) {
                    branch b =
                        run(N, &(bl_run_options){.formulation = formulations[f], .integrator = order[k], .step = (double)(flat / steps)});
                    assert_true(b.error < (f ? 1e-3 : 1e-7));
                }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_positions__are_passed_within_the_tolerance),
        cmocka_unit_test(change_points__are_passed_on_the_curved_branch),
        cmocka_unit_test(exact_hits__are_stepped_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
