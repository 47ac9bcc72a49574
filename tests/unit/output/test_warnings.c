/* Warnings: kept with the study they belong to, once each, and written by every sink that has a place for them. */
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
    bl_sink sink;
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
    bl_sink sink;
    assert_int_equal(bl_sink_hdf5(ctx, scratch("warned.h5"), &sink), BL_OK);
    bl_warn(ctx, 0.5, "j1", "a gap");
    bl_warn(ctx, NAN, NULL, "more");
    assert_int_equal(synthetic_run(&sink, 2, synthetic_summary), BL_OK);
    bl_sink_destroy(&sink);
    hid_t file = H5Fopen(scratch("warned.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    hid_t first = H5Gopen2(file, "warnings/1", H5P_DEFAULT), second = H5Gopen2(file, "warnings/2", H5P_DEFAULT);
    assert_true(first >= 0 && second >= 0);
    double time = 0;
    hid_t attr = H5Aopen(first, "time", H5P_DEFAULT);
    assert_true(H5Aread(attr, H5T_NATIVE_DOUBLE, &time) >= 0 && time == 0.5);
    H5Aclose(attr);
    assert_true(H5Aexists(first, "part") > 0 && H5Aexists(first, "text") > 0 && H5Aexists(second, "text") > 0);
    assert_true(H5Aexists(second, "part") == 0 && H5Aexists(second, "time") == 0);
    H5Gclose(first);
    H5Gclose(second);
    H5Fclose(file);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warnings__are_kept_once_until_the_next_study),
        cmocka_unit_test(warnings__reach_json),
        cmocka_unit_test(warnings__reach_the_result_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
