/* Many samples, damaged files, no memory. */
#include "made_up.h"

#include <hdf5.h>
#include <sys/wait.h>

/* ---- thinned: 60000 samples of 300 s */

static const made_up many = {.rows = 60000, .until = 300, .spike = 41234};

static void frames__of_many_samples_stay_within_their_tolerance(void **state) {
    const double size = 7; /* of the scene */
    made_up m = many;
    m.scene = "{\"dimension\":2,\"size\":7,\"bodies\":[{},{}],\"joints\":[]}";
    assert_int_equal(made_up_write(*state, scratch("many.h5"), &m), BL_OK);
    assert_int_equal(report_of(*state, scratch("many.h5"), scratch("many.html")), BL_OK);
    reading r = reading_open(scratch("many.html"));
    reading_frames f = read_frames(&r);
    /* A circle of radius 2, half of 1e-4 of the size for positions, shared by three axes: chords of sqrt(8 e/2) s; quaternions turn half
     * as fast, with 1.25e-5: sqrt(8 1.25e-5 4) s is shorter. A step of the samples at most is lost in each. */
    double chord = sqrt(8 * 1.25e-5 * 4), step = many.until / (double)(many.rows - 1), swing = sqrt(8 * 0.5e-4 * size / sqrt(3) / 4.5);
    double least = many.until / fmax(chord, swing), most = many.until / (fmin(chord, swing) - step);
    assert_true((double)f.n > 0.5 * least && (double)f.n < 1.1 * most);
    size_t k = 0;
    double position = 0, angle = 0;
    for (long i = 0; i < many.rows; i++) {
        double t = made_up_time(&many, i), x[3], q[4];
        while (k + 2 < f.n && f.time[k + 1] < t)
            k++;
        double share = (t - f.time[k]) / (f.time[k + 1] - f.time[k]);
        for (size_t b = 0; b < BODIES; b++) {
            double p[7], norm = 0, distance = 0, dot = 0;
            made_up_pose(t, (int)b, x, q);
            for (int c = 0; c < 7; c++) {
                p[c] = (1 - share) * frame_value(&f, b, c, k) + share * frame_value(&f, b, c, k + 1);
                norm += c < 3 ? 0 : p[c] * p[c];
            }
            for (int c = 0; c < 3; c++)
                distance += (p[c] - x[c]) * (p[c] - x[c]);
            for (int c = 0; c < 4; c++)
                dot += p[3 + c] * q[c] / sqrt(norm);
            position = fmax(position, sqrt(distance));
            angle = fmax(angle, 2 * acos(fmin(1, fabs(dot))));
        }
    }
    assert_true(position < 0.5e-4 * size + 2e-6 * f.size); /* and what the numbers are rounded by */
    assert_true(angle < 0.5e-4 + 1e-5);
    const char *thinned = bl_json_member(r.run, "thinned");
    assert_true(member_number(thinned, "from") == 60000 && member_number(thinned, "frames") == (double)f.n);
    assert_true(member_number(thinned, "buckets") == 10000);
    frames_free(&f);
    reading_close(&r);
}

static void curves__of_many_samples_keep_their_peaks(void **state) {
    assert_int_equal(made_up_write(*state, scratch("many.h5"), &many), BL_OK);
    assert_int_equal(report_of(*state, scratch("many.h5"), scratch("many.html")), BL_OK);
    reading r = reading_open(scratch("many.html"));
    double *time, low = INFINITY, high = -INFINITY;
    size_t n;
    float *value = read_curve(&r, find_curve(&r, "j1.distance"), &time, &n);
    assert_true(n <= 20000 && n > 19990);
    size_t peak = 0, least = 0;
    for (size_t i = 0; i < n; i++) {
        peak = value[i] > value[peak] ? i : peak;
        least = value[i] < value[least] ? i : least;
        assert_true(i == 0 || time[i] >= time[i - 1]);
    }
    for (long i = 0; i < many.rows; i++) {
        low = fmin(low, made_up_variable(&many, i, 1));
        high = fmax(high, made_up_variable(&many, i, 1));
    }
    assert_true(value[peak] == (float)high && value[least] == (float)low);
    assert_true(high > 6 && fabs(time[peak] - made_up_time(&many, many.spike)) <= 1e-4 * many.until);
    assert_true(time[0] == 0 && time[n - 1] == many.until);
    free(value);
    free(time);
    reading_close(&r);
}

/* ---- damage */

enum { MADE = 40, REFUSED, WRONG }; /* exit codes that nothing else has */

/* the report is refused, or its header is still JSON, its blocks have the right lengths and no text of the file ends a script */
static int report_damaged(bl_context *ctx) {
    bl_status status = report_of(ctx, scratch("bad.h5"), scratch("bad.html"));
    if (bl_context_memory(ctx).live_blocks != 0 || H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) > 0)
        return WRONG;
    if (status != BL_OK) /* with a reason, and no file */
        return status < 0 && bl_context_error(ctx)->what[0] && access(scratch("bad.html"), F_OK) != 0 ? REFUSED : WRONG;
    reading r = reading_open(scratch("bad.html"));
    reading_frames f = read_frames(&r);
    bool good = f.count == f.n * 7 * (size_t)BODIES;
    frames_free(&f);
    reading_close(&r);
    return good ? MADE : WRONG;
}

static void write_damaged(const char *good, size_t bytes, test_random *random) {
    enum { MOST_CHANGES = 8 };
    FILE *out = fopen(scratch("bad.h5"), "wb");
    char *bad = malloc(bytes);
    memcpy(bad, good, bytes);
    for (int c = 1 + test_random_below(random, MOST_CHANGES); c > 0; c--)
        bad[test_random_below(random, (int)bytes)] = (char)test_random_bits(random);
    assert_int_equal(fwrite(bad, 1, bytes, out), bytes);
    assert_int_equal(fclose(out), 0);
    free(bad);
}

/* Bytes of a result file changed at random. Each in its own process: HDF5 keeps memory of files that it could not close. */
static void damage__is_survived(void **state) {
    enum { FILES = 150 };
    static const char scene[] = "{\"dimension\":2,\"size\":3,\"bodies\":[{\"name\":\"b\"},{}],\"joints\":[]}";
    test_random random = {test_seed(21)};
    size_t bytes;
    int count[2] = {0};
    assert_int_equal(made_up_write(*state, scratch("good.h5"), &(made_up){.rows = 30, .until = 1, .scene = scene}), BL_OK);
    char *good = read_all(scratch("good.h5"), &bytes);
    for (int k = 0; k < FILES; k++) {
        int outcome = 0;
        write_damaged(good, bytes, &random);
        unlink(scratch("bad.html"));
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            _exit(report_damaged(*state));
        assert_true(child > 0 && waitpid(child, &outcome, 0) == child);
        if (!WIFEXITED(outcome) || (WEXITSTATUS(outcome) != MADE && WEXITSTATUS(outcome) != REFUSED))
            fail_msg("file %d: status %d", k, outcome);
        count[WEXITSTATUS(outcome) - MADE]++;
    }
    free(good);
    print_message("%d reports, %d refused\n", count[0], count[1]);
    assert_true(count[0] > 0 && count[1] > 0);
}

/* ---- memory */

static bl_status report_once(bl_context *ctx, void *user) { return report_of(ctx, user, scratch("memory.html")); }

static void report__survives_failing_memory(void **state) {
    char path[512];
    /* a mesh long enough for blocks of its own */
    static const char scene[] = "{\"bodies\":[{\"shapes\":[{\"kind\":\"mesh\",\"vertices\":["
                                "0.10000000,0.20000000,0.30000000,1.10000000,0.20000000,0.30000000,0.10000000,1.20000000,0.30000000],"
                                "\"triangles\":[0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,"
                                "0,1,2,0,1,2,0,1,2,0,1,2,0,1,2]}]},{}]}";
    snprintf(path, sizeof path, "%s", scratch("memory.h5"));
    assert_int_equal(made_up_write(*state, path, &(made_up){.rows = 5, .until = 1, .scene = scene}), BL_OK);
    assert_true(test_failing_allocations(report_once, path) > 30);
    assert_true(test_failing_once(report_once, path) > 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(frames__of_many_samples_stay_within_their_tolerance, setup, teardown),
        cmocka_unit_test_setup_teardown(curves__of_many_samples_keep_their_peaks, setup, teardown),
        cmocka_unit_test_setup_teardown(damage__is_survived, setup, teardown),
        cmocka_unit_test_setup_teardown(report__survives_failing_memory, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}
