/* A run with accelerations and without reactions and energies, by all sinks: the same numbers under the names of docs/RESULT.md, and
 * nothing in place of what is missing. */
#include "synthetic.h"

#include <hdf5.h>

enum { ROWS = 5 };

static bl_run_info told(void) {
    bl_run_info info = synthetic_info;
    info.ncontact = 0; /* as a study without forces has none */
    info.accelerations = true;
    info.reactions = false;
    return info;
}

/* twist i of row n: quotients of small integers */
static double second(long n, int what, int i, int k) { return (double)(n * 1000 + (20 + what) * 100 + i * 10 + k) / 7; }

static void run(bl_sink *sink) {
    bl_run_info info = told();
    assert_int_equal(sink->begin(sink->user, &info), BL_OK);
    for (long n = 0; n < ROWS; n++) {
        synthetic_sample s;
        bl_acceleration acceleration[NBODY];
        double variable[NVARIABLE], probe[3 * NPROBE];
        for (int i = 0; i < NBODY; i++)
            for (int k = 0; k < 3; k++) {
                acceleration[i].acceleration[k] = second(n, 0, i, k);
                acceleration[i].angular_acceleration[k] = second(n, 1, i, k);
                probe[k] = second(n, 3, 0, k);
            }
        for (int i = 0; i < NVARIABLE; i++)
            variable[i] = second(n, 2, i, 0);
        bl_sample sample = *synthetic_row(&s, n);
        sample.acceleration = acceleration;
        sample.variable_acceleration = variable;
        sample.probe_acceleration = probe;
        sample.reaction = NULL;
        sample.kinetic = sample.potential = sample.work = sample.energy_error = NAN;
        assert_int_equal(sink->sample(sink->user, &sample), BL_OK);
    }
    assert_int_equal(sink->end(sink->user, &synthetic_summary), BL_OK);
    bl_sink_destroy(sink);
}

/* ---- CSV */

static void csv__has_accelerations_behind_the_rates(void **state) {
    bl_context *ctx = *state;
    bl_sink sink = {0};
    char line[8192];
    assert_int_equal(bl_sink_csv(ctx, scratch("a.csv"), &sink), BL_OK);
    run(&sink);
    FILE *file = fopen(scratch("a.csv"), "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_non_null(strstr(line, "crank/left.wz,crank/left.ax,crank/left.ay,crank/left.az,crank/left.awx,crank/left.awy,crank/left.awz,"));
    assert_non_null(strstr(line, ",j1.angle,j1.angle_rate,j1.angle_acceleration,j1.distance,"));
    assert_non_null(strstr(line, ",tip.vz,tip.ax,tip.ay,tip.az,drift,velocity_drift\n"));
    assert_null(strstr(line, "kinetic"));
    assert_null(strstr(line, "j1.fx"));
    for (long n = 0; n < ROWS; n++) {
        double value[128];
        int count = 0;
        assert_non_null(fgets(line, sizeof line, file));
        for (char *at = line; *at && *at != '\n'; at += *at == ',')
            value[count++] = strtod(at, &at);
        assert_int_equal(count, 1 + NBODY * 19 + NVARIABLE * 3 + NPROBE * 9 + 2);
        for (int k = 0; k < 3; k++) {
            assert_true(value[1 + 19 + 13 + k] == second(n, 0, 1, k));
            assert_true(value[1 + 19 + 16 + k] == second(n, 1, 1, k));
            assert_true(value[1 + 38 + 6 + 6 + k] == second(n, 3, 0, k));
        }
        assert_true(value[1 + 38 + 5] == second(n, 2, 1, 0));
        assert_true(value[count - 2] == synthetic_value(n, 12, 0, 0));
    }
    fclose(file);
}

/* ---- HDF5 */

static void expect_set(hid_t file, const char *name, int items, int width, int what) {
    double value[ROWS * NBODY * 3];
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(set >= 0);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    for (long n = 0; n < ROWS; n++)
        for (int i = 0; i < items; i++)
            for (int k = 0; k < width; k++)
                assert_true(value[(n * items + i) * width + k] == second(n, what, i, k));
    H5Dclose(set);
}

static void hdf5__has_accelerations_and_no_reactions(void **state) {
    bl_context *ctx = *state;
    bl_sink sink = {0};
    assert_int_equal(bl_sink_hdf5(ctx, scratch("a.h5"), &sink), BL_OK);
    run(&sink);
    hid_t file = H5Fopen(scratch("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    expect_set(file, "bodies/acceleration", NBODY, 3, 0);
    expect_set(file, "bodies/angular_acceleration", NBODY, 3, 1);
    expect_set(file, "variables/acceleration", NVARIABLE, 1, 2);
    expect_set(file, "probes/acceleration", NPROBE, 3, 3);
    assert_true(H5Lexists(file, "reactions", H5P_DEFAULT) == 0);
    assert_true(H5Lexists(file, "energy", H5P_DEFAULT) == 0);
    assert_true(H5Lexists(file, "velocity_drift", H5P_DEFAULT) > 0);
    H5Fclose(file);
}

/* ---- JSON */

static void collect(void *user, const char *text, size_t length) { strncat(user, text, length); }

static void json__has_accelerations_and_no_reactions(void **state) {
    bl_context *ctx = *state;
    bl_sink sink = {0};
    char *text = calloc(1, 1 << 16), number[80];
    assert_non_null(text);
    assert_int_equal(bl_sink_json(ctx, collect, text, &sink), BL_OK);
    run(&sink);
    assert_null(strstr(text, "\"reactions\""));
    assert_null(strstr(text, "\"energy\""));
    assert_non_null(strstr(text, "\"probe_accelerations\":{\"tip\":["));
    snprintf(number, sizeof number, "\"angular_acceleration\":[%.17g,", second(4, 1, 1, 0));
    assert_non_null(strstr(text, number));
    snprintf(number, sizeof number, "\"acceleration\":%.17g}", second(3, 2, 1, 0));
    assert_non_null(strstr(text, number));
    free(text);
}

static int setup(void **state) {
    *state = test_context(NULL);
    return 0;
}

static int teardown(void **state) {
    test_context_end(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(csv__has_accelerations_behind_the_rates, setup, teardown),
        cmocka_unit_test_setup_teardown(hdf5__has_accelerations_and_no_reactions, setup, teardown),
        cmocka_unit_test_setup_teardown(json__has_accelerations_and_no_reactions, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}
