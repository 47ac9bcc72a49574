/* What takes longer: the beam with algebraic variables through implicit methods, and equations that would never end. */
#include "support/scene.h"
#include "support/testing.h"

#include <string.h>

/* order 2 with 1e-4 s, 1/60 of the fastest period that the load excites: an error of 2e-6 found by halving */
static void beam__with_algebraic_variables_ends_at_its_reference(void **state) {
    (void)state;
    scene_case *cases;
    bl_index n = scene_cases_read("beam", &cases);
    for (bl_index i = 0; i < n; i++)
        for (bl_index r = 0; r < cases[i].nrow; r++)
            cases[i].tolerance[r] = 1e-5;
    scene_settings settings = {.formulation = "plain", .integrator = "trapezoidal", .step = 1e-4};
    scene_result result;
    scene_run("beam", &cases[0], &settings, &result);
    scene_expect("beam", &cases[0], &settings, &result);
    scene_result_free(&result);
    scene_cases_free(cases, n);
}

static void endless_sums__are_refused(void **state) {
    (void)state;
    static const char text[] = "equations:\n  states:\n    - {name: y, start: 1, rate: \"=sum(j, 1, 1e8, sum(k, 1, 1e8, 1))\"}\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    assert_int_equal(bl_model_read_text(ctx, "endless.yaml", text, sizeof text - 1, NULL, 0, &model), BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(ctx)->what, "more than 20000000 terms"));
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beam__with_algebraic_variables_ends_at_its_reference),
        cmocka_unit_test(endless_sums__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
