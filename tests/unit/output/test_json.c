/* The JSON writer and the JSON sink, read back by another reader (Python's json). */
#include "synthetic.h"

#include <locale.h>

typedef struct text {
    char *bytes;
    size_t length;
    int writes;
} text;

static void collect(void *user, const char *bytes, size_t length) {
    text *t = user;
    t->bytes = realloc(t->bytes, t->length + length + 1);
    memcpy(t->bytes + t->length, bytes, length);
    t->length += length;
    t->bytes[t->length] = '\0';
    t->writes++;
}

static void save(const char *path, const text *t) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fwrite(t->bytes, 1, t->length, file);
    assert_int_equal(fclose(file), 0);
}

static void check(const char *how, const char *path, long rows) {
    char command[1024];
    snprintf(command, sizeof command, "python3 '%s/unit/output/check.py' %s '%s' %ld", TESTS, how, path, rows);
    assert_int_equal(system(command), 0);
}

static void json__run_reads_back_to_the_same_bits(void **state) {
    (void)state;
    bl_context *ctx;
    bl_sink sink = {0};
    text t = {0};
    assert_int_equal(bl_context_create(NULL, &ctx), BL_OK);
    assert_int_equal(bl_sink_json(ctx, collect, &t, &sink), BL_OK);
    synthetic_sample s;
    assert_int_equal(sink.begin(sink.user, &synthetic_info), BL_OK);
    for (long n = 0; n < 50; n++)
        assert_int_equal(sink.sample(sink.user, synthetic_row(&s, n)), BL_OK);
    assert_int_equal(sink.end(sink.user, &synthetic_summary), BL_OK);
    bl_sink_destroy(&sink);
    assert_int_equal(bl_context_memory(ctx).live_blocks, 0);
    save(scratch("run.json"), &t);
    check("json", scratch("run.json"), 50);
    free(t.bytes);
    bl_context_destroy(ctx);
}

/* memory does not grow with the samples */
static void json__is_written_as_the_run_goes(void **state) {
    (void)state;
    bl_context *ctx;
    bl_sink sink = {0};
    text t = {0};
    synthetic_sample s;
    assert_int_equal(bl_context_create(NULL, &ctx), BL_OK);
    assert_int_equal(bl_sink_json(ctx, collect, &t, &sink), BL_OK);
    assert_int_equal(sink.begin(sink.user, &synthetic_info), BL_OK);
    size_t calls = bl_context_memory(ctx).calls;
    for (long n = 0; n < 2000; n++)
        assert_int_equal(sink.sample(sink.user, synthetic_row(&s, n)), BL_OK);
    assert_int_equal(bl_context_memory(ctx).calls, calls);
    assert_true(t.writes > 10);
    assert_int_equal(sink.end(sink.user, &synthetic_summary), BL_OK);
    bl_sink_destroy(&sink);
    save(scratch("long.json"), &t);
    check("json", scratch("long.json"), 2000);
    free(t.bytes);
    bl_context_destroy(ctx);
}

static void json__failure_carries_the_error(void **state) {
    (void)state;
    bl_context *ctx;
    bl_sink sink = {0};
    assert_int_equal(bl_context_create(NULL, &ctx), BL_OK);
    for (int begun = 0; begun < 2; begun++) {
        text t = {0};
        bl_run_summary summary = synthetic_summary;
        summary.status = BL_E_NUMERIC;
        summary.t = 2.5;
        assert_int_equal(bl_sink_json(ctx, collect, &t, &sink), BL_OK);
        if (begun)
            assert_int_equal(synthetic_run(&sink, 3, summary), BL_OK);
        else
            assert_int_equal(sink.end(sink.user, &summary), BL_OK);
        save(scratch("fail.json"), &t);
        check("strict", scratch("fail.json"), begun ? 3 : 0);
        assert_non_null(strstr(t.bytes, "\"status\":\"numerical failure\",\"error\":{\"what\":\"numerical failure\""));
        assert_non_null(strstr(t.bytes, begun ? "\"time\":2.5}" : "\"time\":null}"));
        free(t.bytes);
        bl_sink_destroy(&sink);
    }
    bl_context_destroy(ctx);
}

static void json__error_names_the_place(void **state) {
    (void)state;
    bl_context *ctx;
    assert_int_equal(bl_context_create(NULL, &ctx), BL_OK);
    bl_json json = {.ctx = ctx};
    bl_error error = {.status = BL_E_MODEL,
                      .what = "no body 'crnk'",
                      .advice = "did you mean 'crank'?",
                      .file = "m.yaml",
                      .line = 3,
                      .column = 14,
                      .part = "j1",
                      .time = NAN};
    bl_json_error(&json, NULL, &error);
    assert_string_equal(json.text, "{\"what\":\"no body 'crnk'\",\"advice\":\"did you mean 'crank'?\",\"file\":\"m.yaml\",\"line\":3,"
                                   "\"column\":14,\"part\":\"j1\",\"equation\":null,\"time\":null}");
    bl_json_destroy(&json);
    bl_context_destroy(ctx);
}

/* every byte string becomes valid UTF-8; valid text is not changed */
static void json__any_bytes_make_a_valid_string(void **state) {
    (void)state;
    bl_context *ctx;
    assert_int_equal(bl_context_create(NULL, &ctx), BL_OK);
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"plain", "\"plain\""},
        {"a\"b\\c/d", "\"a\\\"b\\\\c/d\""},
        {"\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\""},
        {"\xC3\xBC \xE2\x82\xAC \xF0\x9F\x98\x80", "\"\xC3\xBC \xE2\x82\xAC \xF0\x9F\x98\x80\""},
        {"\xC0\xAF", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},                                   /* overlong slash */
        {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},                   /* surrogate */
        {"\xF4\x90\x80\x80x", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDx\""}, /* above U+10FFFF */
        {"\xE2\x82", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},                                   /* truncated */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bl_json json = {.ctx = ctx};
        bl_json_text(&json, NULL, cases[i].in);
        assert_string_equal(json.text, cases[i].out);
        bl_json_destroy(&json);
    }
    unsigned seed = 20240611;
    print_message("seed %u\n", seed);
    bl_json json = {.ctx = ctx};
    bl_json_open(&json, NULL, '{');
    bl_json_open(&json, "times", '[');
    for (int n = 0; n < 2000; n++) {
        char bytes[16] = {0};
        for (int k = 0; k < 15; k++) {
            seed = seed * 1664525u + 1013904223u;
            bytes[k] = (char)(seed >> 24 ? seed >> 24 : 1);
        }
        bl_json_text(&json, NULL, bytes);
    }
    bl_json_close(&json, ']');
    bl_json_close(&json, '}');
    assert_int_equal(json.status, BL_OK);
    save(scratch("bytes.json"), &(text){.bytes = json.text, .length = json.length});
    check("strict", scratch("bytes.json"), 2000);
    bl_json_destroy(&json);
    bl_context_destroy(ctx);
}

static void json__numbers_survive_and_infinite_ones_are_null(void **state) {
    (void)state;
    bl_context *ctx;
    assert_int_equal(bl_context_create(NULL, &ctx), BL_OK);
    setlocale(LC_NUMERIC, "de_DE.UTF-8"); /* a locale with a decimal comma, if it is installed */
    static const double value[] = {0, -0.0, 0.1, 1e300, -5e-324, 1.7976931348623157e308, 123456789, NAN, INFINITY, -INFINITY};
    bl_json json = {.ctx = ctx};
    bl_json_numbers(&json, NULL, value, 10);
    setlocale(LC_NUMERIC, "C");
    const char *at = json.text + 1;
    for (int i = 0; i < 10; i++) {
        char *end;
        if (isfinite(value[i])) {
            double back = strtod(at, &end);
            assert_memory_equal(&back, &value[i], sizeof back);
            at = end + 1;
        } else {
            assert_memory_equal(at, "null", 4);
            at += 5;
        }
    }
    bl_json_destroy(&json);
    bl_context_destroy(ctx);
}

/* as the C library writes them */
static void json__whole_numbers_are_written_as_others(void **state) {
    (void)state;
    bl_context *ctx;
    assert_int_equal(bl_context_create(NULL, &ctx), BL_OK);
    for (double size = 1; size < 1e18; size *= 10)
        for (int k = -12; k <= 12; k++) {
            double value = k % 3 ? size + k : k < 0 ? -size - k / 4.0 : -size;
            char wanted[40];
            bl_json json = {.ctx = ctx};
            snprintf(wanted, sizeof wanted, "%.17g", value);
            bl_json_number(&json, NULL, value);
            assert_string_equal(json.text, wanted);
            bl_json_destroy(&json);
            for (int digits = 1; digits <= 17; digits++) {
                bl_json_digits(&json, NULL, value / 7, digits);
                snprintf(wanted, sizeof wanted, "%.*g", digits, value / 7);
                assert_string_equal(json.text, wanted);
                bl_json_destroy(&json);
            }
        }
    bl_context_destroy(ctx);
}

static bl_status run_without_memory(bl_context *ctx, void *user) {
    (void)user;
    bl_sink sink = {0};
    text t = {0};
    bl_status status = bl_sink_json(ctx, collect, &t, &sink);
    if (status == BL_OK)
        status = synthetic_run(&sink, 20, synthetic_summary);
    if (t.length) { /* all or nothing */
        save(scratch("memory.json"), &t);
        check("strict", scratch("memory.json"), 0);
    }
    bl_sink_destroy(&sink);
    free(t.bytes);
    return status;
}

static void json__failing_memory_leaves_valid_text_and_no_leak(void **state) {
    (void)state;
    assert_true(test_failing_allocations(run_without_memory, NULL) >= 2); /* the sink, its text */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json__run_reads_back_to_the_same_bits),     cmocka_unit_test(json__is_written_as_the_run_goes),
        cmocka_unit_test(json__failure_carries_the_error),           cmocka_unit_test(json__error_names_the_place),
        cmocka_unit_test(json__any_bytes_make_a_valid_string),       cmocka_unit_test(json__numbers_survive_and_infinite_ones_are_null),
        cmocka_unit_test(json__whole_numbers_are_written_as_others), cmocka_unit_test(json__failing_memory_leaves_valid_text_and_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}
