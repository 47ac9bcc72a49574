/* Instruction sets: which one a context takes, and who decides. */
#include "base/isa.h"
#include "support/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep_words(void *user, bl_log_level level, const char *text) {
    if (level == BL_LOG_WARNING)
        snprintf(user, 256, "%s", text);
}

static bl_isa made_with(const char *value, char *words) {
    words[0] = '\0';
    if (value)
        setenv("BIELA_ISA", value, 1);
    else
        unsetenv("BIELA_ISA");
    bl_context *ctx;
    assert_int_equal(bl_context_create(&(bl_context_options){.log = keep_words, .log_user = words}, &ctx), BL_OK);
    bl_isa isa = bl_context_isa(ctx);
    bl_context_destroy(ctx);
    unsetenv("BIELA_ISA");
    return isa;
}

static void isa__is_the_widest_of_the_machine_by_default(void **unused) {
    (void)unused;
    char words[256];
    bl_isa isa = made_with(NULL, words), empty = made_with("", words);
    assert_true(bl_isa_available(isa));
    for (bl_isa wider = isa + 1; wider < BL_ISA_COUNT; wider++)
        assert_false(bl_isa_available(wider));
    assert_int_equal(empty, isa);
    assert_string_equal(words, "");
}

static void isa__is_what_the_environment_names(void **unused) {
    (void)unused;
    char words[256];
    for (bl_isa isa = BL_ISA_PLAIN; isa < BL_ISA_COUNT; isa++) {
        bl_isa made = made_with(bl_isa_name(isa), words);
        if (bl_isa_available(isa)) {
            assert_int_equal(made, isa);
            assert_string_equal(words, "");
        } else {
            assert_true(bl_isa_available(made));
            assert_non_null(strstr(words, bl_isa_name(made)));
        }
    }
    bl_isa widest = made_with(NULL, words);
    assert_int_equal(made_with("sse9", words), widest);
    assert_non_null(strstr(words, "BIELA_ISA=sse9"));
}

static void isa__of_a_context_changes_only_to_one_that_is_there(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    for (bl_isa isa = BL_ISA_PLAIN; isa <= BL_ISA_COUNT; isa++) {
        bl_isa before = bl_context_isa(ctx);
        bool there = isa < BL_ISA_COUNT && bl_isa_available(isa);
        assert_int_equal(bl_context_use_isa(ctx, isa), there);
        assert_int_equal(bl_context_isa(ctx), there ? isa : before);
    }
    assert_int_equal(bl_context_isa(NULL), BL_ISA_PLAIN);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(isa__is_the_widest_of_the_machine_by_default),
        cmocka_unit_test(isa__is_what_the_environment_names),
        cmocka_unit_test(isa__of_a_context_changes_only_to_one_that_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
