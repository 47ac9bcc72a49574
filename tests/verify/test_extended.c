/* The three examples on which extended methods are compared, as scenes of equations with the ramp start: errors of all eight families to
 * the digits of the published tables (half a unit of the fifth). Example 3 amplifies the error of Newton's iteration by 1e4, hence its
 * tolerance. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TIMES = 3, MOST_STATES = 3 };

typedef struct table_row {
    const char *method;
    double error[MOST_TIMES][MOST_STATES];
} table_row;

typedef struct run {
    int ntime, nstate, next;
    double value[MOST_TIMES][MOST_STATES];
} run;

static bl_status take(void *user, const bl_sample *sample) {
    run *r = user;
    assert_true(r->next < r->ntime);
    for (int i = 0; i < r->nstate; i++)
        r->value[r->next][i] = sample->variable[i];
    r->next++;
    return BL_OK;
}

static void exact_1(double t, double *y) { y[0] = y[1] = exp(-t); }

static void exact_2(double t, double *y) {
    double slow = exp(-t / 2), fast = exp(-20 * t), c = cos(20 * t), s = sin(20 * t);
    y[0] = (slow + fast * (c + s)) / 2;
    y[1] = (slow - fast * (c - s)) / 2;
    y[2] = -(slow + fast * (c - s)) / 2;
}

static void exact_3(double t, double *y) {
    y[0] = -exp(-2 * t) / 10002;
    y[1] = exp(-t);
}

static void compare(const char *scene, const char *options, double step, int ntime, const double *time, int nstate,
                    void (*exact)(double, double *), int nrow, const table_row *row) {
    char path[512], method[96];
    snprintf(path, sizeof path, SCENES "/%s.yaml", scene);
    for (int k = 0; k < nrow; k++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        run r = {.ntime = ntime, .nstate = nstate};
        bl_sink sink = {.user = &r, .sample = take};
        snprintf(method, sizeof method, "%s,start=ramp%s", row[k].method, options);
        bl_run_options run_options = {.integrator = method, .step = step, .until = time[ntime - 1], .at = time, .nat = ntime};
        assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_OK);
        bl_status status = bl_simulate(ctx, model, &run_options, &sink, 1, NULL);
        if (status != BL_OK)
            fail_msg("%s, %s: %s", scene, method, bl_context_error(ctx)->what);
        assert_int_equal(r.next, ntime);
        for (int n = 0; n < ntime; n++) {
            double y[MOST_STATES];
            exact(time[n], y);
            for (int i = 0; i < nstate; i++) {
                double error = fabs(r.value[n][i] - y[i]), wanted = row[k].error[n][i];
                if (!(fabs(error - wanted) <= 0.6e-4 * pow(10, floor(log10(wanted)))))
                    fail_msg("%s, %s: error of y%d at t = %g is %.4e, published %.4e", scene, method, i + 1, time[n], error, wanted);
            }
        }
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static void example_1__has_the_published_errors(void **state) {
    (void)state;
    static const double time[] = {5, 10, 20};
    static const table_row rows[] = {
        {"endf:3", {{1.8866e-7, 2.1497e-7}, {7.2092e-10, 7.3227e-10}, {3.2552e-14, 3.3536e-14}}},
        {"mendf:3", {{9.8028e-8, 2.5754e-8}, {6.6204e-10, 1.7505e-10}, {3.0057e-14, 7.9474e-15}}},
        {"ebdf:3", {{7.9715e-8, 2.7319e-7}, {1.4329e-9, 1.5083e-9}, {6.5299e-14, 6.8330e-14}}},
        {"mebdf:3", {{1.7398e-7, 1.5639e-7}, {1.1252e-9, 9.2237e-10}, {5.1083e-14, 4.1887e-14}}},
    };
    compare("extended_1", "", 0.2, 3, time, 2, exact_1, 4, rows);
}

static void example_2__has_the_published_errors(void **state) {
    (void)state;
    static const double time[] = {1, 5, 10};
#define ALL(x) \
    { x, x, x }
    static const table_row rows[] = {
        {"ebdf:3", {{3.7917e-4, 1.4307e-3, 9.0775e-4}, ALL(3.6443e-5), ALL(3.1059e-6)}},
        {"ebndf:3", {{2.5018e-4, 1.2405e-3, 7.5899e-4}, ALL(3.3574e-5), ALL(2.8632e-6)}},
        {"enbdf:3", {{1.1726e-4, 1.1036e-3, 6.2476e-4}, ALL(3.3307e-5), ALL(2.8314e-6)}},
        {"endf:3", {{4.6532e-5, 8.5423e-4, 4.2449e-4}, ALL(2.9899e-5), ALL(2.5425e-6)}},
        {"mebdf:3", {{7.0144e-5, 6.4172e-4, 2.4834e-4}, ALL(2.7327e-5), ALL(2.3204e-6)}},
        {"mebndf:3", {{1.8023e-5, 4.5880e-4, 1.0859e-4}, ALL(2.4341e-5), ALL(2.0679e-6)}},
        {"menbdf:3", {{1.5822e-3, 3.6462e-4, 3.2916e-5}, ALL(2.7694e-5), ALL(2.3595e-6)}},
        {"mendf:3", {{1.3052e-3, 2.1813e-4, 1.2826e-4}, ALL(2.4149e-5), ALL(2.0593e-6)}},
    };
    compare("extended_2", "", 0.2, 3, time, 3, exact_2, 8, rows);
}

static void example_3__has_the_published_errors(void **state) {
    (void)state;
    static const double time[] = {3, 5};
    static const table_row rows[] = {
        {"ebdf:4", {{2.6602e-10, 2.6713e-5}, {4.8660e-12, 3.6107e-6}}},   {"ebndf:4", {{2.4466e-10, 2.4569e-5}, {4.4751e-12, 3.3206e-6}}},
        {"enbdf:4", {{2.4277e-10, 2.4379e-5}, {4.4409e-12, 3.2953e-6}}},  {"endf:4", {{2.1752e-10, 2.1844e-5}, {3.9787e-12, 2.9524e-6}}},
        {"mebdf:4", {{1.9890e-10, 1.9975e-5}, {3.6390e-12, 2.7004e-6}}},  {"mebndf:4", {{1.7682e-10, 1.7758e-5}, {3.2348e-12, 2.4006e-6}}},
        {"menbdf:4", {{2.0120e-10, 2.0206e-5}, {3.6807e-12, 2.7313e-6}}}, {"mendf:4", {{1.7511e-10, 1.7587e-5}, {3.2032e-12, 2.3770e-6}}},
    };
    compare("extended_3", ",newton_tolerance=1e-14", 5.0 / 60, 2, time, 2, exact_3, 8, rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_1__has_the_published_errors),
        cmocka_unit_test(example_2__has_the_published_errors),
        cmocka_unit_test(example_3__has_the_published_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
