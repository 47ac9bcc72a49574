/* Formulas against the same arithmetic in C; names that are unknown; failing allocations. */
#include "biela/formula.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {"P3.x", "P3.y", "A.angle", "kinetic"};

static bl_index find(void *user, const char *name, const char **nearest) {
    (void)user;
    for (bl_index i = 0; i < 4; i++)
        if (strcmp(names[i], name) == 0)
            return 10 * i;
    *nearest = bl_nearest(name, names, 4);
    return -1;
}

static const bl_formula_scope scope = {.find = find};

static void formula__is_the_arithmetic_it_says(void **state) {
    bl_formula *f;
    const bl_index *input;
    assert_int_equal(bl_formula_create(*state, "sqrt(P3.y^2 + P3.x^2) - 2*P3.y", &scope, &f), BL_OK);
    assert_int_equal(bl_formula_inputs(f, &input), 2);
    assert_int_equal(input[0], 10);
    assert_int_equal(input[1], 0);
    for (int i = 0; i < 20; i++) {
        double x = 0.3 * i - 2, y = cos(i), value = bl_formula_value(f, (const double[]){y, x}), wanted = sqrt(y * y + x * x) - 2 * y;
        assert_true(fabs(value - wanted) <= 8e-16 * (fabs(wanted) + 2 * fabs(y)) + 1e-300); /* four roundings */
    }
    bl_formula_destroy(f);
}

static void formula__of_numbers_alone_has_no_inputs(void **state) {
    bl_formula *f;
    const bl_index *input;
    assert_int_equal(bl_formula_create(*state, "2*3 + 1", &scope, &f), BL_OK);
    assert_int_equal(bl_formula_inputs(f, &input), 0);
    assert_true(bl_formula_value(f, NULL) == 7);
    bl_formula_destroy(f);
}

static void formula__names_what_is_unknown_and_what_was_meant(void **state) {
    bl_formula *f;
    assert_int_equal(bl_formula_create(*state, "1 + P3.z", &scope, &f), BL_E_ARG);
    assert_null(f);
    const bl_error *error = bl_context_error(*state);
    assert_non_null(strstr(error->what, "unknown name 'P3.z'"));
    assert_non_null(strstr(error->what, "character 5"));
    assert_non_null(strstr(error->advice, "P3.x"));
    assert_true(error->file[0] == '\0' && error->line == 0);
    static const char *const bad[] = {"", "1 +", "P3.x P3.y", "(", "sqrt", "table(/etc/passwd)", "`id`", "P3.x; 1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(bl_formula_create(*state, bad[i], &scope, &f), BL_E_ARG);
}

static bl_status make(bl_context *ctx, void *user) {
    bl_formula *f;
    (void)user;
    bl_status status = bl_formula_create(ctx, "kinetic*hypot(P3.x, P3.y) + A.angle^2", &scope, &f);
    bl_formula_destroy(f);
    return status;
}

static void formula__survives_failing_allocations(void **state) {
    (void)state;
    test_failing_allocations(make, NULL);
    test_failing_once(make, NULL);
}

static int setup(void **state) {
    *state = test_context(NULL);
    return 0;
}

static int teardown(void **state) {
    test_context_end(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formula__is_the_arithmetic_it_says),
        cmocka_unit_test(formula__of_numbers_alone_has_no_inputs),
        cmocka_unit_test(formula__names_what_is_unknown_and_what_was_meant),
        cmocka_unit_test(formula__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
