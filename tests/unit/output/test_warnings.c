/* Warnings: kept with the study they belong to, once each, and written by every sink that can store them. */
#include "synthetic.h"

#include "base/base.h"

#include <hdf5.h>

static void warnings__are_kept_once_until_the_next_study(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    const bl_warning *warning;
    bl_index more;
    bl_warn(ctx, 0.5, "j1", "the gap is %g m", 0.25);
    bl_warn(ctx, 0.75, "j1", "the gap is %g m", 0.25); /* the same, later */
    bl_warn(ctx, NAN, NULL, "about everything");
    assert_int_equal(bl_context_warnings(ctx, &warning, &more), 2);
    assert_int_equal(more, 0);
    assert_true(warning[0].time == 0.5 && isnan(warning[1].time));
    assert_string_equal(warning[0].part, "j1");
    assert_string_equal(warning[0].text, "the gap is 0.25 m");
    assert_string_equal(warning[1].part, "");
    bl_context_clear_warnings(ctx);
    assert_int_equal(bl_context_warnings(ctx, &warning, NULL), 0);
    for (int i = 0; i < 100; i++)
        bl_warn(ctx, i, NULL, "number %d", i);
    bl_index kept = bl_context_warnings(ctx, &warning, &more);
    assert_true(kept > 0);
    assert_int_equal(kept + more, 100);
    for (bl_index i = 0; i < kept; i++)
        assert_true(warning[i].time == i);
    test_context_end(ctx);
}

static void keep_text(void *user, const char *bytes, size_t length) {
    char *text = user;
    strncat(text, bytes, length);
}

static void warnings__reach_json(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    static char text[65536];
    text[0] = '\0';
    bl_sink sink = {0};
    assert_int_equal(bl_sink_json(ctx, keep_text, text, &sink), BL_OK);
    bl_warn(ctx, 0.5, "j1", "a \"gap\"");
    bl_warn(ctx, NAN, NULL, "more");
    assert_int_equal(synthetic_run(&sink, 2, synthetic_summary), BL_OK);
    assert_non_null(strstr(text, "\"warnings\":[{\"time\":0.5,\"part\":\"j1\",\"text\":\"a \\\"gap\\\"\"},"
                                 "{\"time\":null,\"part\":null,\"text\":\"more\"}]"));
    bl_sink_destroy(&sink);
    test_context_end(ctx);
}

static void warnings__reach_the_result_file(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_sink sink = {0};
    assert_int_equal(bl_sink_hdf5(ctx, scratch("warned.h5"), &sink), BL_OK);
    bl_warn(ctx, 0.5, "j1", "a gap");
    bl_warn(ctx, NAN, NULL, "more");
    assert_int_equal(synthetic_run(&sink, 2, synthetic_summary), BL_OK);
    bl_sink_destroy(&sink);
    hid_t file = H5Fopen(scratch("warned.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    double time[2];
    hid_t set = H5Dopen2(file, "warnings/time", H5P_DEFAULT);
    assert_true(set >= 0 && H5Sget_simple_extent_npoints(H5Dget_space(set)) == 2);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, time) >= 0);
    assert_true(time[0] == 0.5 && isnan(time[1]));
    H5Dclose(set);
    static const char *const name[] = {"warnings/part", "warnings/text"};
    for (int i = 0; i < 2; i++) {
        char text[2 * 1024] = "";
        set = H5Dopen2(file, name[i], H5P_DEFAULT);
        hid_t type = H5Dget_type(set);
        size_t bytes = H5Tget_size(type);
        assert_true(set >= 0 && 2 * bytes < sizeof text);
        assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
        assert_true(text[0] != '\0' && (text[bytes] != '\0') == (i == 1)); /* the second one belongs to no part */
        H5Tclose(type);
        H5Dclose(set);
    }
    H5Fclose(file);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warnings__are_kept_once_until_the_next_study),
        cmocka_unit_test(warnings__reach_json),
        cmocka_unit_test(warnings__reach_the_result_file),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}
