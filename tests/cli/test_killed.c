/* The command killed in the middle of a run (kill -9): the partial file opens and contains what was flushed; the next run is not
 * affected. */
#include "support/testing.h"

#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t start(const char *result, const char *until) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl(BIELA_COMMAND, "biela", "run", SCENES "/pendulum.yaml", "--until", until, "--every", "0.01", "--quiet", "-o", result,
              (char *)NULL);
        _exit(127);
    }
    return child;
}

static double *read_set(hid_t file, const char *name, hsize_t *rows, hsize_t *width) {
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(set >= 0);
    hid_t space = H5Dget_space(set);
    hsize_t dims[3] = {0, 1, 1};
    assert_true(H5Sget_simple_extent_dims(space, dims, NULL) > 0);
    *rows = dims[0];
    *width = dims[1] * dims[2];
    double *value = calloc(*rows * *width + 1, sizeof *value);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    return value;
}

static void killed_run__leaves_a_readable_partial_file(void **state) {
    (void)state;
    char folder[] = "/tmp/biela_killed_XXXXXX", result[64], partial[80];
    assert_non_null(mkdtemp(folder));
    snprintf(result, sizeof result, "%s/pendulum.h5", folder);
    snprintf(partial, sizeof partial, "%s~partial", result);
    pid_t child = start(result, "1e7");
    nanosleep(&(struct timespec){.tv_sec = 2, .tv_nsec = 500000000}, NULL);
    int status;
    assert_int_equal(waitpid(child, &status, WNOHANG), 0);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(access(result, F_OK) != 0);

    hid_t file = H5Fopen(partial, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    hsize_t rows, probe_rows, width;
    double *t = read_set(file, "time", &rows, &width), *p = read_set(file, "probes/position", &probe_rows, &width);
    assert_true(rows > 10);
    assert_int_equal(width, 3);
    if (probe_rows < rows)
        rows = probe_rows;
    for (hsize_t n = 0; n < rows; n++) {
        assert_true(fabs(t[n] - 0.01 * (double)n) < 1e-9 * (1 + t[n]));
        assert_true(fabs(hypot(p[3 * n], p[3 * n + 1]) - 1) < 1e-6); /* on its circle */
    }
    /* steps are consecutive and extend at least to the last sample flushed with them */
    hsize_t steps, sizes;
    double *end = read_set(file, "steps/time", &steps, &width), *size = read_set(file, "steps/size", &sizes, &width);
    steps = sizes < steps ? sizes : steps;
    assert_true(steps > 10);
    for (hsize_t n = 0; n < steps; n++)
        assert_true(fabs(end[n] - size[n] - (n ? end[n - 1] : 0)) <= 1e-9 * end[n]);
    assert_true(end[steps - 1] >= t[rows - 1] - 0.01);
    free(end);
    free(size);
    free(t);
    free(p);
    H5Fclose(file);

    child = start(result, "1");
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(access(partial, F_OK) != 0);
    assert_int_equal(unlink(result), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(killed_run__leaves_a_readable_partial_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
