/* Text for terminals: what they would act on is gone, everything else stays; messages have been through it. */
#include "support/testing.h"

#include "base/base.h"

#include <stdio.h>
#include <string.h>

static void expect(const char *text, const char *keep, const char *clean) {
    char copy[256];
    snprintf(copy, sizeof copy, "%s", text);
    bl_text_clean(copy, keep);
    assert_string_equal(copy, clean);
    bl_text_clean(copy, keep);
    assert_string_equal(copy, clean); /* once is enough */
}

static void text_clean__takes_what_a_terminal_acts_on(void **state) {
    (void)state;
    expect("", NULL, "");
    expect("joint 'a', 3 m", NULL, "joint 'a', 3 m");
    expect("\x1b[31mred\x1b[0m", NULL, "?[31mred?[0m");
    expect("a\nb\tc\rd\x7f", NULL, "a?b?c?d?");
    expect("a\nb\tc\rd", "\n\t", "a\nb\tc?d");
    expect("\xc2\x9b"
           "31m",
           NULL, "?31m");                                   /* CSI as one C1 character */
    expect("\xc2\x80\xc2\x9f\xc2\xa0", NULL, "??\xc2\xa0"); /* U+0080, U+009F; U+00A0 is a space */
    expect("a\xe2\x80\xae"
           "b\xe2\x81\xa9",
           NULL, "a?b?");                  /* turning the direction of writing */
    expect("x\xe2\x80\xa8y", NULL, "x?y"); /* line separator */
    expect("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\xa7", NULL, "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\xa7");
    expect("\xff\xfe", NULL, "??");
    expect("\xc0\x9b", NULL, "??");       /* overlong ESC */
    expect("\xed\xa0\x80", NULL, "???");  /* surrogate */
    expect("end\xe2\x82", NULL, "end??"); /* cut in the middle */
}

static char logged[256];
static void keep_log(void *user, bl_log_level level, const char *message) {
    (void)user, (void)level;
    snprintf(logged, sizeof logged, "%s", message);
}

static void messages__are_clean_whatever_they_quote(void **state) {
    (void)state;
    bl_context *ctx;
    assert_int_equal(bl_context_create(&(bl_context_options){.log = keep_log}, &ctx), BL_OK);
    bl_fail(ctx, BL_E_MODEL, &(bl_place){"a\x1b.yaml", 1, 2}, "bad '%s'", "\x1b]0;title\x07");
    bl_advise(ctx, "not '%s'", "a\nb");
    bl_blame(ctx, "j\x9b", "e\r", 0);
    const bl_error *error = bl_context_error(ctx);
    assert_string_equal(error->what, "bad '?]0;title?'");
    assert_string_equal(error->advice, "not 'a?b'");
    assert_string_equal(error->file, "a?.yaml");
    assert_string_equal(error->part, "j?");
    assert_string_equal(error->equation, "e?");
    bl_log(ctx, BL_LOG_WARNING, "about '%s'", "\x1b[2J");
    assert_string_equal(logged, "about '?[2J'");
    bl_warn(ctx, 0, "p\x1b", "near '%s'", "\x08");
    const bl_warning *warning;
    assert_int_equal(bl_context_warnings(ctx, &warning, NULL), 1);
    assert_string_equal(warning->text, "near '?'");
    assert_string_equal(warning->part, "p?");
    bl_context_destroy(ctx);
}

static void go_on__ends_when_asked(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    assert_int_equal(bl_go_on(ctx), BL_OK);
    bl_context_stop(ctx);
    assert_int_equal(bl_go_on(ctx), BL_STOPPED);
    bl_context_resume(ctx);
    assert_int_equal(bl_go_on(ctx), BL_OK);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_clean__takes_what_a_terminal_acts_on),
        cmocka_unit_test(messages__are_clean_whatever_they_quote),
        cmocka_unit_test(go_on__ends_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
