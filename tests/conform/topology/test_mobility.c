/* Mobility of all mechanisms among the scenes: equations on twists (structure) and rows in coordinates (check) share only the model, and
 * must agree, after adding passive degrees of freedom, which coordinates may leave out. */
#include "biela/biela.h"
#include "support/testing.h"

#include <stdio.h>

static const char *const scenes[] = {"andrews",
                                     "bricard",
                                     "bricard_cut",
                                     "change_point_four_bar",
                                     "double_pendulum",
                                     "five_bar_pendulum",
                                     "flyball_governor",
                                     "four_bar",
                                     "friction_slider_crank",
                                     "heavy_top",
                                     "n_four_bar",
                                     "pendulum",
                                     "slewing_linkage",
                                     "slider_crank",
                                     "spatial_slider_crank",
                                     "spring_particle",
                                     "tether",
                                     "vehicle",
                                     "w3_chain",
                                     "w4_chain"};

static void scenes__have_the_mobility_of_check(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        char file[512];
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        bl_check_report check = {0};
        bl_chain chain = {0};
        bl_structure_report report = {0};
        bl_structure_exceptions found = {0};
        snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scenes[i]);
        assert_int_equal(bl_model_read(ctx, file, NULL, 0, &model), BL_OK);
        assert_int_equal(bl_structure_of_model(ctx, model, NULL, &chain, &report, &found), BL_OK);
        assert_int_equal(bl_check(ctx, model, NULL, &check), BL_OK);
        assert_int_equal(found.mobility_count - report.inputs, check.mobility_count);
        assert_int_equal(found.mobility_rank - report.inputs, check.mobility_rank + check.idle);
        assert_int_equal(found.mobility_start - found.mobility_rank, check.mobility_start - check.mobility_rank);
        assert_int_equal(found.repeated, check.overconstraint);
        bl_check_report_destroy(ctx, &check);
        bl_structure_exceptions_destroy(ctx, &found);
        bl_structure_report_destroy(ctx, &report);
        bl_chain_destroy(ctx, &chain);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes__have_the_mobility_of_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
