/* Mechanisms that move only because of their dimensions, one of which has an error: each moves as the exact one does, except for a
 * difference of the order of the error, or reports which joint locks it by how much; with a suitable closure it moves, with every
 * formulation. All errors from 1e-14 to 1e-2 in all coordinates: tests/long/test_closure.c. */
#include "formulation/formulation.h"
#include "support/closure_cases.h"
#include "support/overconstrained.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

static const char *const coordinates[] = {"natural", "reference", "relative"};

static void every_error__moves_or_is_named(void **state) {
    (void)state;
    static const double off[] = {1e-14, 1e-11, 1e-8, 1e-6, 1e-4, 1e-2};
    for (int m = 0; m < test_noverconstrained; m++)
        for (size_t k = 0; k < sizeof off / sizeof *off; k++)
            test_closure_case(&test_overconstrained_list[m], off[k], coordinates[(k + (size_t)m) % 3]);
}

/* Bricard, a corner displaced by 1e-6 m: every formulation that accepts the coordinates moves as with exact dimensions, and the drift does
 * not include the violation of redundant rows */
static void every_formulation__moves_with_a_closure(void **state) {
    (void)state;
    static char exact_text[TEST_OVERCONSTRAINED_TEXT], text[TEST_OVERCONSTRAINED_TEXT];
    const test_overconstrained *bricard = &test_overconstrained_list[0];
    test_overconstrained_write(bricard, 0, exact_text);
    test_overconstrained_write(bricard, 1e-6, text);
    int tried = 0;
    for (int c = 0; c < 2; c++)
        for (size_t k = 0; k < bl_formulation_kind_count; k++) {
            const char *name = bl_formulation_kinds[k]->kind.name;
            test_fall exact, taken;
            if (strcmp(name, "plain") == 0 || strcmp(name, "direct") == 0) /* no constraints */
                continue;
            /* fixed steps, the same for both, if the error of the motion itself is not controlled */
            const char *integrator = strcmp(name, "ali3p") == 0 ? "trapezoidal" : NULL;
            test_fall_run(exact_text, coordinates[c], name, integrator, 0, 0.3, &exact);
            if (exact.status == BL_E_ABILITY)
                continue;
            test_fall_run(text, coordinates[c], name, integrator, 1e-5, 0.3, &taken);
            double apart = hypot(hypot(exact.P[0] - taken.P[0], exact.P[1] - taken.P[1]), exact.P[2] - taken.P[2]);
            if (exact.status != BL_OK || taken.status != BL_OK || taken.named || taken.others > exact.others || !(apart < 2e-5) ||
                taken.dof != 1 || !(taken.drift < 1e-6) || !(taken.misfit > 1e-9 && taken.misfit < 1e-5))
                fail_msg("%s, %s: %s; %g m apart, %d degrees of freedom, drift %g, misfit %g: %s%s", coordinates[c], name, exact.error,
                         apart, (int)taken.dof, taken.drift, taken.misfit, taken.error, taken.text);
            tried++;
        }
    assert_true(tried >= 20);
}

/* driven at a revolute joint, exact or displaced: the driver's rate is not a contradiction, whatever the scale of its row with slender
 * rods */
static void driven__starts_with_a_closure(void **state) {
    (void)state;
    static char exact_text[TEST_OVERCONSTRAINED_TEXT], text[TEST_OVERCONSTRAINED_TEXT];
    static const char driver[] = "drivers: [{variable: j1.angle, value: '=0.2*t'}]\n";
    const test_overconstrained *bricard = &test_overconstrained_list[0];
    test_overconstrained_write(bricard, 0, exact_text);
    test_overconstrained_write(bricard, 1e-6, text);
    assert_true(strlen(text) + sizeof driver < sizeof text);
    strcat(exact_text, driver);
    strcat(text, driver);
    for (size_t c = 0; c < sizeof coordinates / sizeof *coordinates; c++) {
        test_fall exact, taken;
        test_fall_run(exact_text, coordinates[c], NULL, NULL, 0, 0.3, &exact);
        test_fall_run(text, coordinates[c], NULL, NULL, 1e-5, 0.3, &taken);
        double apart = hypot(hypot(exact.P[0] - taken.P[0], exact.P[1] - taken.P[1]), exact.P[2] - taken.P[2]);
        if (exact.status != BL_OK || taken.status != BL_OK || !(apart < 2e-5))
            fail_msg("%s: %s; %s; %g m apart", coordinates[c], exact.error, taken.error, apart);
    }
}

/* A regular four-bar of 1 m at the end of a chain of 180 m: small compared with the whole, and no reason for warnings, in any
 * coordinates. */
static void small_loop_of_a_long_chain__is_no_error(void **state) {
    (void)state;
    static const char text[] =
        "model: tip\n"
        "dimension: 2\n"
        "points: [{repeat: {count: 202, index: i, do: [{name: P$i, at: [=i*0.9, \"=0.4*mod(i, 2)\"]}]}}]\n"
        "bodies:\n"
        "  - {repeat: {count: 200, index: i, from: 1, do: [{name: rod$i, rod: {from: P$(i-1), to: P$i}, mass: 1}]}}\n"
        "  - {name: side, rod: {from: P200, to: [180.3, 0.8]}, mass: 1}\n"
        "  - {name: back, rod: {from: [180.3, 0.8], to: [178.9, 1.2]}, mass: 1}\n"
        "  - {name: up, rod: {from: [178.9, 1.2], to: P199}, mass: 1}\n"
        "joints:\n"
        "  - {name: j1, type: revolute, bodies: [ground, rod1], at: P0}\n"
        "  - {repeat: {count: 199, index: i, from: 2, do: [{name: j$i, type: revolute, bodies: [rod$(i-1), rod$i], "
        "at: P$(i-1)}]}}\n"
        "  - {name: s1, type: revolute, bodies: [rod200, side], at: P200}\n"
        "  - {name: s2, type: revolute, bodies: [side, back], at: [180.3, 0.8]}\n"
        "  - {name: s3, type: revolute, bodies: [back, up], at: [178.9, 1.2]}\n"
        "  - {name: s4, type: revolute, bodies: [up, rod200], at: P199}\n";
    for (size_t k = 0; k < sizeof coordinates / sizeof *coordinates; k++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_check_report report = {0};
        assert_int_equal(bl_model_read_text(ctx, "tip", text, strlen(text), NULL, 0, &model), BL_OK);
        assert_int_equal(bl_check(ctx, model, &(bl_run_options){.coordinates = coordinates[k]}, &report), BL_OK);
        assert_int_equal(report.mobility_rank, 201);
        for (bl_index i = 0; i < report.nfinding; i++)
            if (report.finding[i].level == BL_FINDING_WARNING)
                fail_msg("%s: %s", coordinates[k], report.finding[i].text);
        bl_check_report_destroy(ctx, &report);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_loop_of_a_long_chain__is_no_error),
        cmocka_unit_test(every_error__moves_or_is_named),
        cmocka_unit_test(every_formulation__moves_with_a_closure),
        cmocka_unit_test(driven__starts_with_a_closure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
