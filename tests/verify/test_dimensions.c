/* Sizes of the scenes in mixed coordinates: free coordinates, rows, nonzeros of the symbolic Jacobian with all free columns and with
 * the dependent ones only, rank. They follow from counting (bars with shared points and axes, two vectors per tether body, one smooth
 * row per angle); 198, 661, 209 and 181 are also printed in the literature on these models. */
#include "support/testing.h"

#include "biela/biela.h"

#include <stdio.h>

typedef struct dimensions {
    const char *scene;
    bl_index coordinates, rows, nonzeros, dependent_nonzeros, rank, dof;
} dimensions;

static void has_the_dimensions_of_its_source(void **state) {
    const dimensions *d = *state;
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, d->scene);
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_OK);
    bl_check_report report = {0};
    assert_int_equal(bl_check(ctx, model, &(bl_run_options){.coordinates = "mixed"}, &report), BL_OK);
    assert_int_equal(report.coordinates, d->coordinates);
    assert_int_equal(report.rows, d->rows);
    assert_int_equal(report.nonzeros, d->nonzeros);
    assert_int_equal(report.dependent_columns_nonzeros, d->dependent_nonzeros);
    assert_int_equal(report.rank, d->rank);
    assert_int_equal(report.mobility_rank, d->dof);
    bl_check_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    static dimensions pendulum = {"five_bar_pendulum", 35, 30, 203, 198, 30, 5}, tether = {"tether", 112, 84, 661, 615, 84, 28},
                      fix = {"bricard", 29, 30, 182, 181, 28, 1}, dup = {"bricard_cut", 35, 36, 209, 208, 34, 1};
    const struct CMUnitTest tests[] = {
        {"five_bar_pendulum__has_the_dimensions_of_its_source", has_the_dimensions_of_its_source, NULL, NULL, &pendulum},
        {"tether__has_the_dimensions_of_its_source", has_the_dimensions_of_its_source, NULL, NULL, &tether},
        {"bricard__has_the_dimensions_of_its_source", has_the_dimensions_of_its_source, NULL, NULL, &fix},
        {"bricard_cut__has_the_dimensions_of_its_source", has_the_dimensions_of_its_source, NULL, NULL, &dup},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
