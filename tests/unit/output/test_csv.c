/* The CSV sink, read back by another reader (Python's csv); files appear only when they are complete. */
#include "synthetic.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char *partial(const char *name) {
    static char path[600];
    snprintf(path, sizeof path, "%s~partial", scratch(name));
    return path;
}

static bl_status run_to(bl_context *ctx, const char *path, long rows, bl_status outcome) {
    bl_sink sink = {0};
    bl_run_summary summary = synthetic_summary;
    summary.status = outcome;
    bl_status status = bl_sink_csv(ctx, path, &sink);
    if (status == BL_OK)
        status = synthetic_run(&sink, rows, summary);
    bl_sink_destroy(&sink);
    return status;
}

static void csv__reads_back_to_the_same_bits(void **state) {
    bl_context *ctx = *state;
    assert_int_equal(run_to(ctx, scratch("run.csv"), 40, BL_OK), BL_OK);
    assert_false(exists(partial("run.csv")));
    char command[1024];
    snprintf(command, sizeof command, "python3 '%s/unit/output/check.py' csv '%s' 40", TESTS, scratch("run.csv"));
    assert_int_equal(system(command), 0);
}

static void csv__grows_beside_its_name_and_replaces_in_one_move(void **state) {
    bl_context *ctx = *state;
    bl_sink sink = {0};
    synthetic_sample s;
    struct stat before, during, after;
    assert_int_equal(run_to(ctx, scratch("a.csv"), 3, BL_OK), BL_OK);
    assert_int_equal(stat(scratch("a.csv"), &before), 0);
    assert_int_equal(bl_sink_csv(ctx, scratch("a.csv"), &sink), BL_OK);
    assert_int_equal(sink.begin(sink.user, &synthetic_info), BL_OK);
    assert_int_equal(sink.sample(sink.user, synthetic_row(&s, 0)), BL_OK);
    assert_int_equal(stat(scratch("a.csv"), &during), 0);
    assert_true(during.st_ino == before.st_ino && during.st_size == before.st_size);
    assert_true(exists(partial("a.csv")));
    assert_int_equal(stat(partial("a.csv"), &during), 0);
    assert_int_equal(sink.end(sink.user, &synthetic_summary), BL_OK);
    assert_int_equal(stat(scratch("a.csv"), &after), 0);
    assert_true(after.st_ino == during.st_ino);
    assert_false(exists(partial("a.csv")));
    bl_sink_destroy(&sink);
}

static void csv__numerical_failure_keeps_what_was_computed(void **state) {
    bl_context *ctx = *state;
    assert_int_equal(run_to(ctx, scratch("failed.csv"), 5, BL_E_NUMERIC), BL_OK);
    assert_true(exists(scratch("failed.csv")));
    assert_int_equal(run_to(ctx, scratch("none.csv"), 0, BL_E_NUMERIC), BL_OK);
    assert_false(exists(scratch("none.csv")));
    assert_false(exists(partial("none.csv")));
}

static void csv__unwritable_path_is_a_file_error_with_the_path(void **state) {
    bl_context *ctx = *state;
    const char *path = scratch("no/such/folder/x.csv");
    assert_int_equal(run_to(ctx, path, 3, BL_OK), BL_E_FILE);
    assert_non_null(strstr(bl_context_error(ctx)->what, path));
    assert_int_not_equal(bl_context_error(ctx)->advice[0], 0);
    assert_int_equal(mkdir(scratch("folder.csv"), 0777), 0);
    assert_int_equal(run_to(ctx, scratch("folder.csv"), 3, BL_OK), BL_E_FILE);
    assert_non_null(strstr(bl_context_error(ctx)->what, scratch("folder.csv")));
    assert_false(exists(partial("folder.csv")));
    assert_int_equal(run_to(ctx, "", 3, BL_OK), BL_E_ARG);
}

static void csv__devices_are_written_in_place(void **state) {
    bl_context *ctx = *state;
    struct stat at;
    assert_int_equal(run_to(ctx, "/dev/null", 3, BL_OK), BL_OK);
    assert_int_equal(stat("/dev/null", &at), 0);
    assert_true(S_ISCHR(at.st_mode));
    assert_false(exists("/dev/null~partial"));
}

static void csv__full_disk_is_reported_and_the_old_file_stays(void **state) {
    bl_context *ctx = *state;
    struct rlimit old, small;
    struct stat before, after;
    assert_int_equal(run_to(ctx, scratch("full.csv"), 3, BL_OK), BL_OK);
    assert_int_equal(stat(scratch("full.csv"), &before), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 20000;
    void (*was)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bl_status status = run_to(ctx, scratch("full.csv"), 1000, BL_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, was);
    assert_int_equal(status, BL_E_FILE);
    assert_non_null(strstr(bl_context_error(ctx)->what, "File too large"));
    assert_int_equal(stat(scratch("full.csv"), &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_size == after.st_size);
}

static void csv__two_runs_do_not_write_the_same_file(void **state) {
    bl_context *ctx = *state;
    bl_sink sink = {0};
    synthetic_sample s;
    assert_int_equal(bl_sink_csv(ctx, scratch("shared.csv"), &sink), BL_OK);
    assert_int_equal(sink.begin(sink.user, &synthetic_info), BL_OK);
    assert_int_equal(sink.sample(sink.user, synthetic_row(&s, 0)), BL_OK);
    pid_t other = fork();
    if (other == 0) {
        bl_status status = run_to(ctx, scratch("shared.csv"), 3, BL_OK);
        _exit(status == BL_E_FILE && strstr(bl_context_error(ctx)->what, "another run") ? 0 : 1);
    }
    int code;
    assert_int_equal(waitpid(other, &code, 0), other);
    assert_int_equal(code, 0);
    assert_int_equal(sink.end(sink.user, &synthetic_summary), BL_OK);
    assert_true(exists(scratch("shared.csv")));
    bl_sink_destroy(&sink);
}

static bl_status run_without_memory(bl_context *ctx, void *user) {
    (void)user;
    bl_status status = run_to(ctx, scratch("memory.csv"), 300, BL_OK);
    assert_int_equal(exists(scratch("memory.csv")), status == BL_OK);
    assert_false(exists(partial("memory.csv")));
    return status;
}

static void csv__failing_memory_leaves_nothing(void **state) {
    (void)state;
    assert_true(test_failing_allocations(run_without_memory, NULL) > 3);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(csv__reads_back_to_the_same_bits, setup, teardown),
        cmocka_unit_test_setup_teardown(csv__grows_beside_its_name_and_replaces_in_one_move, setup, teardown),
        cmocka_unit_test_setup_teardown(csv__numerical_failure_keeps_what_was_computed, setup, teardown),
        cmocka_unit_test_setup_teardown(csv__unwritable_path_is_a_file_error_with_the_path, setup, teardown),
        cmocka_unit_test_setup_teardown(csv__devices_are_written_in_place, setup, teardown),
        cmocka_unit_test_setup_teardown(csv__full_disk_is_reported_and_the_old_file_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(csv__two_runs_do_not_write_the_same_file, setup, teardown),
        cmocka_unit_test(csv__failing_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}
