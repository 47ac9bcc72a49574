/* Result files contain how they were made: the stored command line, executed by a shell, creates the same file again. */
#include "support/testing.h"

#include "biela/biela.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void read_texts(const char *path, char *command, size_t room, char *overrides, size_t other, double *reached) {
    bl_context *ctx = test_context(NULL);
    bl_result *r;
    if (bl_result_open(ctx, path, &r) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    assert_int_equal(bl_result_text(r, "command", command, room), BL_OK);
    assert_int_equal(bl_result_text(r, "overrides", overrides, other), BL_OK);
    const bl_quantity *tip;
    assert_int_equal(bl_result_quantity(r, "probes/position", &tip), BL_OK);
    assert_int_equal(bl_result_read(r, tip, bl_result_samples(r) - 1, 1, 0, 1, reached), BL_OK);
    bl_result_close(r);
    test_context_end(ctx);
}

static void origin__the_command_of_a_result_makes_it_again(void **state) {
    (void)state;
    char folder[] = "/tmp/biela_origin_XXXXXX", result[128], command[4096], again[4096], overrides[128];
    double first[3], second[3];
    assert_non_null(mkdtemp(folder));
    snprintf(result, sizeof result, "%s/it's \"a\" $(false) \\ file*\n.h5", folder);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl(BIELA_COMMAND, BIELA_COMMAND, "run", SCENES "/w3_chain.yaml", "--set", "n=3", "--until", "0.3", "-q", "-o", result,
              (char *)NULL);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    read_texts(result, command, sizeof command, overrides, sizeof overrides, first);
    assert_string_equal(overrides, "n=3");
    assert_int_equal(unlink(result), 0);
    assert_int_equal(system(command), 0);
    read_texts(result, again, sizeof again, overrides, sizeof overrides, second);
    assert_string_equal(again, command);
    assert_memory_equal(first, second, sizeof first);
    assert_int_equal(unlink(result), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(origin__the_command_of_a_result_makes_it_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
