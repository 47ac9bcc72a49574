/* The page: blocks that come back as they were, names that stay text, a file that appears whole or not at all. */
#include "reading.h"

#include "report/page.h"

static bl_status open_page(bl_context *ctx, const char *title, bl_page *page) {
    bl_report_options o = reading_options();
    return bl_page_begin(ctx, scratch("page.html"), o.page, o.page_bytes, title, page);
}

static void block__comes_back(void **state) {
    static const size_t counts[] = {0, 1, 2, 3, 4, 5, 1000, 32768, 70001}, widths[] = {1, 4, 8};
    test_random random = {test_seed(11)};
    bl_page page;
    unsigned char *data = malloc(70001 * 8);
    for (size_t i = 0; i < 70001 * 8; i++)
        data[i] = (unsigned char)(i % 3 ? test_random_bits(&random) : 0);
    char id[32][BL_BLOCK_ID];
    int n = 0;
    assert_int_equal(open_page(*state, "blocks", &page), BL_OK);
    for (int w = 0; w < 3; w++)
        for (int c = 0; c < 9; c++)
            assert_int_equal(bl_page_block(&page, data, counts[c], widths[w], id[n++]), BL_OK);
    assert_int_equal(bl_page_end(&page, "{}", 2), BL_OK);
    bl_page_destroy(&page);
    char *text = read_all(scratch("page.html"), NULL);
    n = 0;
    for (int w = 0; w < 3; w++)
        for (int c = 0; c < 9; c++, n++) {
            size_t count;
            void *out = read_elements(text, id[n], widths[w], &count);
            assert_int_equal(count, counts[c]);
            assert_memory_equal(out, data, count * widths[w]);
            free(out);
        }
    free(text);
    free(data);
}

static void page__is_the_template_with_title_and_data(void **state) {
    bl_page page;
    assert_int_equal(open_page(*state, "a<b> & \xFF\x1B \xC3\xBC", &page), BL_OK);
    assert_int_equal(bl_page_end(&page, "{\"a\":1}", 7), BL_OK);
    bl_page_destroy(&page);
    char *text = read_all(scratch("page.html"), NULL);
    assert_string_equal(text, "<!doctype html><title>a&lt;b&gt; &amp; ?? \xC3\xBC</title>\n"
                              "<script type=\"application/json\" id=\"biela\">{\"a\":1}</script>\n\n<p>end</p>\n");
    free(text);
}

static void header__never_ends_its_script(void **state) {
    static const char raw[] = "{\"n\":\"</script><script>x()</script><!-- \xE2\x80\xA8 \xE2\x80\xA9 \xFF \xC3\xBC \xED\xA0\x80\"}";
    static const char wanted[] = "{\"n\":\"\\u003c/script>\\u003cscript>x()\\u003c/script>\\u003c!-- \\u2028 \\u2029 \xEF\xBF\xBD "
                                 "\xC3\xBC \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"}";
    bl_page page;
    assert_int_equal(open_page(*state, "", &page), BL_OK);
    assert_int_equal(bl_page_end(&page, raw, sizeof raw - 1), BL_OK);
    bl_page_destroy(&page);
    char *text = read_all(scratch("page.html"), NULL), *header = read_header(text);
    assert_string_equal(header, wanted);
    free(header);
    free(text);
}

static void page__that_is_not_ended_leaves_no_file(void **state) {
    bl_page page;
    char id[BL_BLOCK_ID], partial[600];
    unlink(scratch("page.html"));
    snprintf(partial, sizeof partial, "%s~partial", scratch("page.html"));
    assert_int_equal(open_page(*state, "", &page), BL_OK);
    assert_int_equal(bl_page_block(&page, "abcd", 1, 4, id), BL_OK);
    bl_page_destroy(&page);
    assert_true(access(scratch("page.html"), F_OK) != 0 && access(partial, F_OK) != 0);
}

static void template__that_is_damaged_is_refused(void **state) {
    static const char *const bad[] = {"", "no marks", "<!--biela:data--><!--biela:title-->", "<!--biela:title-->"};
    unsigned char packed[256];
    for (int i = 0; i < 4; i++) {
        bl_page page;
        uLongf bytes = sizeof packed;
        compress(packed, &bytes, (const unsigned char *)bad[i], strlen(bad[i]));
        assert_int_equal(bl_page_begin(*state, scratch("page.html"), packed, bytes, "", &page), BL_E_ARG);
        bl_page_destroy(&page);
        assert_int_equal(bl_page_begin(*state, scratch("page.html"), packed, bytes / 2, "", &page), BL_E_ARG);
        bl_page_destroy(&page);
    }
    bl_page page;
    assert_int_equal(bl_page_begin(*state, scratch("page.html"), "plain text", 10, "", &page), BL_E_ARG);
    bl_page_destroy(&page);
}

static bl_status write_once(bl_context *ctx, void *user) {
    bl_page page;
    char id[BL_BLOCK_ID];
    bl_status status = open_page(ctx, "memory", &page);
    if (status == BL_OK)
        status = bl_page_block(&page, user, 100, 4, id);
    if (status == BL_OK)
        status = bl_page_end(&page, "{}", 2);
    bl_page_destroy(&page);
    return status;
}

static void page__survives_failing_memory(void **state) {
    (void)state;
    char data[400] = {1, 2, 3};
    assert_true(test_failing_allocations(write_once, data) > 5);
    assert_true(test_failing_once(write_once, data) > 5);
}

/* ---- JSON that comes from files */

static void walk__tells_json_from_what_is_none(void **state) {
    (void)state;
    static const char *const good[] = {"{}", " {\"a\": [1, -2.5e+10, 0.1, true, false, null, \"x\\u00e9\\n\", {}, []]} ",
                                       "{\"\":{\"\":\"\"}}"};
    static const char *const bad[] = {
        "",           "[]",         "{",           "{\"a\"}",         "{\"a\":}",          "{\"a\":1,}",     "{a:1}",
        "{\"a\":01}", "{\"a\":.5}", "{\"a\":1.}",  "{\"a\":1e}",      "{\"a\":\"}",        "{\"a\":nul}",    "{\"a\":[1,]}",
        "{} {}",      "{\"a\":+1}", "{\"a\":NaN}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"\n\"}", "{]"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(bl_json_check(good[i], strlen(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (bl_json_check(bad[i], strlen(bad[i])))
            fail_msg("%s is no JSON object", bad[i]);
    char deep[400] = "{\"a\":";
    memset(deep + 5, '[', 100);
    memset(deep + 105, ']', 100);
    strcpy(deep + 205, "}");
    assert_false(bl_json_check(deep, strlen(deep)));
    for (size_t n = 0; n < strlen(good[1]) - 2; n++) /* cut anywhere */
        assert_false(bl_json_check(good[1], n));
}

static void walk__finds_members(void **state) {
    (void)state;
    static const char text[] =
        "{ \"x\" : [ {\"name\": \"a\\\"]}\", \"k\": 1}, {\"name\":\"b\",\"k\":-2.5} , 7 ], \"size\": 3 , \"e\": [], \"t\": \"w\"}";
    assert_true(bl_json_check(text, sizeof text - 1));
    const char *first = bl_json_first(bl_json_member(text, "x")), *second = bl_json_next(first), *third = bl_json_next(second);
    assert_true(bl_json_value(bl_json_member(first, "k")) == 1);
    assert_true(bl_json_value(bl_json_member(second, "k")) == -2.5);
    assert_true(bl_json_is(bl_json_member(second, "name"), "b") && !bl_json_is(bl_json_member(second, "name"), "bb"));
    assert_true(bl_json_value(third) == 7);
    assert_null(bl_json_next(third));
    assert_true(bl_json_value(bl_json_member(text, "size")) == 3);
    assert_null(bl_json_first(bl_json_member(text, "e")));
    assert_null(bl_json_member(text, "siz"));
    assert_null(bl_json_member(NULL, "x"));
    assert_true(isnan(bl_json_value(bl_json_member(text, "t"))) && isnan(bl_json_value(NULL)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(block__comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(page__is_the_template_with_title_and_data, setup, teardown),
        cmocka_unit_test_setup_teardown(header__never_ends_its_script, setup, teardown),
        cmocka_unit_test_setup_teardown(page__that_is_not_ended_leaves_no_file, setup, teardown),
        cmocka_unit_test_setup_teardown(template__that_is_damaged_is_refused, setup, teardown),
        cmocka_unit_test(page__survives_failing_memory),
        cmocka_unit_test(walk__tells_json_from_what_is_none),
        cmocka_unit_test(walk__finds_members),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}
