/* The result file: read back by HDF5, after a kill, on a full disk, without memory. */
#include "synthetic.h"

#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static const char *program; /* argv[0], to start a run that is killed */

static const char *partial(const char *name) {
    static char path[600];
    snprintf(path, sizeof path, "%s~partial", scratch(name));
    return path;
}

static bl_status run_to(bl_context *ctx, const char *path, long rows, bl_status outcome) {
    bl_sink sink = {0};
    bl_run_summary summary = synthetic_summary;
    summary.status = outcome;
    bl_status status = bl_sink_hdf5(ctx, path, &sink);
    if (status == BL_OK)
        status = synthetic_run(&sink, rows, summary);
    bl_sink_destroy(&sink);
    return status;
}

static void read_text(hid_t at, const char *name, char *text, size_t size) {
    hid_t attr = H5Aopen(at, name, H5P_DEFAULT);
    assert_true(attr >= 0);
    hid_t type = H5Aget_type(attr);
    memset(text, 0, size);
    assert_true(H5Tget_size(type) < size);
    assert_true(H5Aread(attr, type, text) >= 0);
    H5Tclose(type);
    H5Aclose(attr);
}

static double read_number(hid_t at, const char *name) {
    double value;
    hid_t attr = H5Aopen(at, name, H5P_DEFAULT);
    assert_true(attr >= 0);
    assert_true(H5Aread(attr, H5T_NATIVE_DOUBLE, &value) >= 0);
    H5Aclose(attr);
    return value;
}

/* rows of a dataset [time][item][component], all of which must follow the formula; items 0, width 1: without that dimension */
static long check_set(hid_t file, const char *name, int items, int width, int what, int first) {
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(set >= 0);
    hid_t space = H5Dget_space(set);
    hsize_t dims[3] = {0, 1, 1};
    assert_int_equal(H5Sget_simple_extent_dims(space, dims, NULL), 1 + (items > 0) + (width > 1));
    if (items > 0)
        assert_int_equal(dims[1], items);
    if (width > 1)
        assert_int_equal(dims[items > 0 ? 2 : 1], width);
    long rows = (long)dims[0], row = (items > 0 ? items : 1) * width;
    double *value = calloc((size_t)(rows * row + 1), sizeof *value);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    for (long n = 0; n < rows; n++)
        for (int i = 0; i < row; i++) {
            double wanted = synthetic_value(n, what, i / width, first + i % width);
            assert_memory_equal(&value[n * row + i], &wanted, sizeof wanted);
        }
    free(value);
    H5Sclose(space);
    H5Dclose(set);
    return rows;
}

static void check_names(hid_t file, const char *name, int n, const char *const *wanted) {
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(set), space = H5Dget_space(set);
    hsize_t count = 0;
    char text[1024] = "";
    size_t bytes = H5Tget_size(type);
    assert_int_equal(H5Sget_simple_extent_dims(space, &count, NULL), 1);
    assert_int_equal(count, n);
    assert_true(bytes * (size_t)n < sizeof text);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    for (int i = 0; i < n; i++) {
        assert_true(strlen(wanted[i]) <= bytes);
        assert_true(strncmp(text + (size_t)i * bytes, wanted[i], bytes) == 0);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
}

/* all datasets, which must have the same number of rows; returns it */
static long check_file(const char *path) {
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    static const struct {
        const char *name;
        int items, width, what, first;
    } set[] = {{"bodies/position", NBODY, 3, 1, 0},     {"bodies/quaternion", NBODY, 4, 2, 0},
               {"bodies/velocity", NBODY, 3, 3, 0},     {"bodies/angular_velocity", NBODY, 3, 4, 0},
               {"variables/value", NVARIABLE, 1, 5, 0}, {"variables/rate", NVARIABLE, 1, 6, 0},
               {"reactions/force", NJOINT, 3, 7, 0},    {"reactions/moment", NJOINT, 3, 8, 0},
               {"probes/position", NPROBE, 3, 9, 0},    {"probes/velocity", NPROBE, 3, 10, 0},
               {"energy/kinetic", 0, 1, 11, 0},         {"energy/potential", 0, 1, 11, 1},
               {"energy/dissipated", 0, 1, 11, 4},      {"energy/work", 0, 1, 11, 2},
               {"energy/error", 0, 1, 11, 3},           {"drift", 0, 1, 12, 0},
               {"velocity_drift", 0, 1, 12, 1},         {"contacts/gap", NCONTACT, 1, 13, 0},
               {"contacts/force", NCONTACT, 3, 14, 0},  {"contacts/sliding", NCONTACT, 2, 15, 0},
               {"contacts/point", NCONTACT, 3, 16, 0},  {"contacts/total", NCONTACT, 3, 17, 0}};
    long rows = check_set(file, "time", 0, 1, 0, 0);
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        assert_int_equal(check_set(file, set[i].name, set[i].items, set[i].width, set[i].what, set[i].first), rows);
    check_names(file, "bodies/names", NBODY, body_names);
    check_names(file, "variables/names", NVARIABLE, variable_names);
    check_names(file, "probes/names", NPROBE, probe_names);
    check_names(file, "reactions/names", NJOINT, joint_names);
    check_names(file, "contacts/names", NCONTACT, contact_names);
    assert_true(H5Lexists(file, "drivers", H5P_DEFAULT) == 0 && H5Lexists(file, "gears", H5P_DEFAULT) == 0);
    H5Fclose(file);
    return rows;
}

static void hdf5__reads_back_to_the_same_bits(void **state) {
    bl_context *ctx = *state;
    static const long rows[] = {1, 63, 64, 65, 5000};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(run_to(ctx, scratch("run.h5"), rows[i], BL_OK), BL_OK);
        assert_false(exists(partial("run.h5")));
        assert_int_equal(check_file(scratch("run.h5")), rows[i]);
    }
}

static void hdf5__tells_model_combination_and_statistics(void **state) {
    bl_context *ctx = *state;
    char text[256];
    assert_int_equal(run_to(ctx, scratch("facts.h5"), 3, BL_EVENT), BL_OK);
    hid_t file = H5Fopen(scratch("facts.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    static const char *const pairs[][2] = {{"biela_version", BIELA_VERSION},
                                           {"model_name", "synth\x01\n"},
                                           {"coordinates", "natural"},
                                           {"formulation", "lagrange"},
                                           {"integrator", "dopri45"},
                                           {"linsol", "klu"},
                                           {"ordering", "amd"},
                                           {"status", "event"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        read_text(file, pairs[i][0], text, sizeof text);
        assert_string_equal(text, pairs[i][1]);
    }
    assert_true(read_number(file, "tolerance") == 1e-6);
    assert_true(read_number(file, "degrees_of_freedom") == 2);
    hid_t group = H5Gopen2(file, "statistics", H5P_DEFAULT);
    static const struct {
        const char *name;
        double value;
    } counter[] = {{"steps", 101},
                   {"rejections", 2},
                   {"restarts", 3},
                   {"bounded", 4},
                   {"evaluations", 604},
                   {"newton_iterations", 21},
                   {"tangents", 22},
                   {"factorizations", 5},
                   {"refactorizations", 606},
                   {"solves", 707},
                   {"projections", 8},
                   {"repartitions", 9},
                   {"handovers", 10},
                   {"method_changes", 11},
                   {"sample_evaluations", 12},
                   {"sample_factorizations", 13},
                   {"sample_solves", 14}};
    for (size_t i = 0; i < sizeof counter / sizeof *counter; i++)
        assert_true(read_number(group, counter[i].name) == counter[i].value);
    assert_true(read_number(group, "wall_seconds") == 0.125);
    assert_true(isnan(read_number(group, "largest_energy_error")));
    read_text(group, "method", text, sizeof text);
    assert_string_equal(text, "series until 0.013 s, then ndf_auto");
    read_text(group, "sliding_method", text, sizeof text);
    assert_string_equal(text, "dopri45");
    H5Gclose(group);
    hid_t set = H5Dopen2(file, "model", H5P_DEFAULT);
    hid_t type = H5Dget_type(set);
    assert_int_equal(H5Tget_size(type), sizeof model_source - 1);
    memset(text, 0, sizeof text);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    assert_string_equal(text, model_source);
    H5Tclose(type);
    H5Dclose(set);
    H5Fclose(file);
}

static void hdf5__replaces_in_one_move_and_keeps_failed_runs(void **state) {
    bl_context *ctx = *state;
    struct stat before, after;
    char text[200];
    assert_int_equal(run_to(ctx, scratch("a.h5"), 3, BL_OK), BL_OK);
    assert_int_equal(stat(scratch("a.h5"), &before), 0);
    /* a run without any row keeps the older result */
    assert_int_equal(run_to(ctx, scratch("a.h5"), 0, BL_E_NUMERIC), BL_OK);
    assert_int_equal(stat(scratch("a.h5"), &after), 0);
    assert_true(before.st_ino == after.st_ino);
    assert_false(exists(partial("a.h5")));
    /* a run that failed in the middle replaces it */
    assert_int_equal(run_to(ctx, scratch("a.h5"), 2, BL_E_NUMERIC), BL_OK);
    assert_int_equal(check_file(scratch("a.h5")), 2);
    hid_t file = H5Fopen(scratch("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    read_text(file, "status", text, sizeof text);
    assert_string_equal(text, "numerical failure");
    H5Fclose(file);
}

static void hdf5__unwritable_path_is_a_file_error_with_the_path(void **state) {
    bl_context *ctx = *state;
    const char *path = scratch("no/such/folder/x.h5");
    assert_int_equal(run_to(ctx, path, 3, BL_OK), BL_E_FILE);
    assert_non_null(strstr(bl_context_error(ctx)->what, path));
    assert_non_null(strstr(bl_context_error(ctx)->what, "No such file or directory"));
    assert_int_equal(run_to(ctx, "/dev/null", 3, BL_OK), BL_E_FILE);
    struct stat at;
    assert_int_equal(stat("/dev/null", &at), 0);
    assert_true(S_ISCHR(at.st_mode));
    assert_false(exists("/dev/null~partial"));
    assert_int_equal(mkdir(scratch("folder.h5"), 0777), 0);
    assert_int_equal(run_to(ctx, scratch("folder.h5"), 3, BL_OK), BL_E_FILE);
    assert_false(exists(partial("folder.h5")));
}

static void hdf5__full_disk_is_reported_and_the_old_file_stays(void **state) {
    bl_context *ctx = *state;
    struct rlimit old, small;
    struct stat before, after;
    assert_int_equal(run_to(ctx, scratch("full.h5"), 3, BL_OK), BL_OK);
    assert_int_equal(stat(scratch("full.h5"), &before), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    void (*was)(int) = signal(SIGXFSZ, SIG_IGN);
    for (rlim_t limit = 100; limit < 2000000; limit *= 4) { /* during begin, in the middle */
        small.rlim_cur = limit;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        bl_status status = run_to(ctx, scratch("full.h5"), 20000, BL_OK);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_int_equal(status, BL_E_FILE);
        assert_non_null(strstr(bl_context_error(ctx)->what, scratch("full.h5")));
        assert_int_equal(stat(scratch("full.h5"), &after), 0);
        assert_true(before.st_ino == after.st_ino && before.st_size == after.st_size);
        if (exists(partial("full.h5")))
            check_file(partial("full.h5")); /* as of the last flush */
    }
    signal(SIGXFSZ, was);
    /* and the library still works */
    assert_int_equal(run_to(ctx, scratch("full.h5"), 300, BL_OK), BL_OK);
    assert_int_equal(check_file(scratch("full.h5")), 300);
}

/* the program that is killed: writes rows forever, far faster than they are flushed */
static int endless(const char *path) {
    bl_context *ctx;
    bl_sink sink = {0};
    synthetic_sample s;
    if (bl_context_create(NULL, &ctx) != BL_OK || bl_sink_hdf5(ctx, path, &sink) != BL_OK ||
        sink.begin(sink.user, &synthetic_info) != BL_OK)
        return 1;
    for (long n = 0;; n++) {
        if (sink.sample(sink.user, synthetic_row(&s, n)) != BL_OK)
            return 1;
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
}

static void pause_for(double seconds) {
    nanosleep(&(struct timespec){.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)}, NULL);
}

static void hdf5__killed_run_reads_up_to_the_last_flush(void **state) {
    (void)state;
    static const double lives[] = {0.5, 1.7, 3.3};
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            execl(program, program, "endless", scratch("killed.h5"), (char *)NULL);
            _exit(127);
        }
        for (int n = 0; n < 1000 && !exists(partial("killed.h5")); n++)
            pause_for(0.01);
        pause_for(lives[i]);
        int status;
        assert_int_equal(waitpid(child, &status, WNOHANG), 0);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_false(exists(scratch("killed.h5")));
        long rows = check_file(partial("killed.h5"));
        if (lives[i] > 1.5)
            assert_true(rows > 0);
        char text[200];
        hid_t file = H5Fopen(partial("killed.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
        read_text(file, "status", text, sizeof text);
        assert_string_equal(text, "running");
        H5Fclose(file);
        unlink(partial("killed.h5"));
    }
}

static bl_status run_without_memory(bl_context *ctx, void *user) {
    (void)user;
    bl_status status = run_to(ctx, scratch("memory.h5"), 300, BL_OK);
    assert_int_equal(exists(scratch("memory.h5")), status == BL_OK);
    assert_false(exists(partial("memory.h5")));
    return status;
}

static void hdf5__failing_memory_leaves_nothing(void **state) {
    (void)state;
    assert_true(test_failing_allocations(run_without_memory, NULL) > 3);
}

static void hdf5__stepping_allocates_nothing(void **state) {
    bl_context *ctx = *state;
    bl_sink sink = {0};
    synthetic_sample s;
    assert_int_equal(bl_sink_hdf5(ctx, scratch("steps.h5"), &sink), BL_OK);
    assert_int_equal(sink.begin(sink.user, &synthetic_info), BL_OK);
    size_t calls = bl_context_memory(ctx).calls;
    for (long n = 0; n < 1000; n++)
        assert_int_equal(sink.sample(sink.user, synthetic_row(&s, n)), BL_OK);
    assert_int_equal(bl_context_memory(ctx).calls, calls);
    bl_sink_destroy(&sink); /* without end: the data remain in the partial file */
    assert_false(exists(scratch("steps.h5")));
    assert_int_equal(check_file(partial("steps.h5")), 1000);
}

static int setup(void **state) {
    bl_context *ctx;
    bl_status status = bl_context_create(NULL, &ctx);
    *state = ctx;
    return status;
}

static int teardown(void **state) {
    int leaks = bl_context_memory(*state).live_blocks != 0;
    bl_context_destroy(*state);
    return leaks;
}

int main(int argc, char **argv) {
    program = argv[0];
    if (argc == 3 && strcmp(argv[1], "endless") == 0)
        return endless(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hdf5__reads_back_to_the_same_bits, setup, teardown),
        cmocka_unit_test_setup_teardown(hdf5__tells_model_combination_and_statistics, setup, teardown),
        cmocka_unit_test_setup_teardown(hdf5__replaces_in_one_move_and_keeps_failed_runs, setup, teardown),
        cmocka_unit_test_setup_teardown(hdf5__unwritable_path_is_a_file_error_with_the_path, setup, teardown),
        cmocka_unit_test_setup_teardown(hdf5__full_disk_is_reported_and_the_old_file_stays, setup, teardown),
        cmocka_unit_test(hdf5__killed_run_reads_up_to_the_last_flush),
        cmocka_unit_test(hdf5__failing_memory_leaves_nothing),
        cmocka_unit_test_setup_teardown(hdf5__stepping_allocates_nothing, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}
