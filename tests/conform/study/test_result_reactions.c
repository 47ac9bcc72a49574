/* Reactions in result files: of power series, whose samples are evaluated from the expansion, compared with those of another method,
 * formulation and a smaller tolerance, whose samples solve the equations at every output time. */
#include "support/testing.h"

#include "biela/biela.h"
#include "biela/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SAMPLES = 41 };

typedef struct run_way {
    const char *formulation, *integrator;
    double tolerance;
} run_way;

static void run(const char *scene, double until, const run_way *way, const char *file) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_sink sink = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_OK);
    assert_int_equal(bl_sink_hdf5(ctx, file, &sink), BL_OK);
    bl_run_options options = {.coordinates = "natural",
                              .formulation = way->formulation,
                              .integrator = way->integrator,
                              .tolerance = way->tolerance,
                              .until = until,
                              .every = until / (SAMPLES - 1)};
    bl_status status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
    if (status != BL_OK)
        fail_msg("%s: %s", scene, bl_context_error(ctx)->what);
    bl_sink_destroy(&sink);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* values of a quantity, all samples; freed by the caller */
static double *numbers(bl_result *result, const char *name, size_t *count) {
    const bl_quantity *quantity;
    assert_int_equal(bl_result_quantity(result, name, &quantity), BL_OK);
    assert_int_equal(bl_result_samples(result), SAMPLES);
    *count = SAMPLES * (size_t)quantity->items * (size_t)quantity->components;
    double *value = malloc(*count * sizeof *value);
    assert_int_equal(bl_result_read(result, quantity, 0, SAMPLES, 0, quantity->items, value), BL_OK);
    return value;
}

/* largest difference, relative to the largest number */
static double apart(bl_result *a, bl_result *b, const char *name) {
    size_t count, other;
    double *x = numbers(a, name, &count), *y = numbers(b, name, &other), most = 0, size = 0;
    assert_int_equal(count, other);
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    free(x);
    free(y);
    return size > 0 ? most / size : 0;
}

/* tolerances: errors of the motion accumulate over the steps, of which there are at most so many, for stable motions */
static const double MANY = 100;

static void reactions__of_power_series_are_those_of_another_method(void **state) {
    (void)state;
    static const struct {
        const char *scene;
        double until;
    } all[] = {{"bricard", 2}, {"four_bar", 1}, {"andrews", 0.03}, {"slider_crank", 1}};
    static const run_way series = {"partition", "series", 1e-9}, other = {"lagrange", "dop853", 1e-12};
    char first[64], second[64];
    snprintf(first, sizeof first, "/tmp/biela_reactions_%ld_a.h5", (long)getpid());
    snprintf(second, sizeof second, "/tmp/biela_reactions_%ld_b.h5", (long)getpid());
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        run(all[i].scene, all[i].until, &series, first);
        run(all[i].scene, all[i].until, &other, second);
        bl_context *ctx = test_context(NULL);
        bl_result *a, *b;
        assert_int_equal(bl_result_open(ctx, first, &a), BL_OK);
        assert_int_equal(bl_result_open(ctx, second, &b), BL_OK);
        double position = apart(a, b, "bodies/position"), force = apart(a, b, "reactions/force"), moment = apart(a, b, "reactions/moment");
        print_message("%-13s positions %.1e, forces %.1e, moments %.1e\n", all[i].scene, position, force, moment);
        assert_true(position < MANY * series.tolerance && force < MANY * series.tolerance && moment < MANY * series.tolerance);
        bl_result_close(a);
        bl_result_close(b);
        test_context_end(ctx);
    }
    remove(first);
    remove(second);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(reactions__of_power_series_are_those_of_another_method)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
