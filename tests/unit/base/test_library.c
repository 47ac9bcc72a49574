/* Libraries loaded on demand: what is there works, what is not is named. */
#include "base/library.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

typedef struct mathematics {
    double (*cosine)(double);
    double (*root)(double);
} mathematics;

static const char *const function[] = {"cos", "sqrt", NULL};

static void library__functions_are_found_in_order(void **state) {
    bl_library library = {"the mathematics", "libm.so.6", "none", function};
    mathematics table = {0};
    for (int i = 0; i < 2; i++)
        assert_int_equal(bl_library_load(*state, &library, &table), BL_OK);
    assert_true(table.cosine(1) == cos(1) && table.root(9) == 3);
}

static void library__what_is_missing_is_named(void **state) {
    static const char *const strange[] = {"cos", "no_such_function", NULL};
    mathematics table = {0};
    bl_library absent = {"SuperX", "libsuperx.so.7", "install libsuperx7, or choose klu", function};
    assert_int_equal(bl_library_load(*state, &absent, &table), BL_E_ABILITY);
    assert_non_null(strstr(bl_context_error(*state)->what, "SuperX"));
    assert_non_null(strstr(bl_context_error(*state)->what, "libsuperx.so.7"));
    assert_string_equal(bl_context_error(*state)->advice, absent.advice);
    bl_library older = {"the mathematics", "libm.so.6", "bring it up to date", strange};
    assert_int_equal(bl_library_load(*state, &older, &table), BL_E_ABILITY);
    assert_non_null(strstr(bl_context_error(*state)->what, "no_such_function"));
}

static int setup(void **state) { return bl_context_create(NULL, (bl_context **)state); }

static int teardown(void **state) {
    bl_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(library__functions_are_found_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(library__what_is_missing_is_named, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
