/* What formulations refuse because of its size, with the size, the limit and a way that has no such limit; a little smaller is accepted. */
#include "support/testing.h"

#include "biela/biela.h"

#include <stdio.h>
#include <string.h>

/* n masses between springs, two natural coordinates each; their state includes the work of forces, one more number */
static bl_status run_chain(bl_context *ctx, double n, const char *formulation, const char *integrator) {
    bl_model *model = NULL;
    bl_run_options options = {
        .formulation = formulation, .integrator = integrator, .coordinates = "natural", .until = 1e-9, .step = 1e-9, .every = 1e-9};
    assert_int_equal(bl_model_read(ctx, SCENES "/mass_chain.yaml", &(bl_override){"n", n}, 1, &model), BL_OK);
    bl_status status = bl_simulate(ctx, model, &options, NULL, 0, NULL);
    bl_model_destroy(model);
    return status;
}

static void expect(double n, const char *formulation, const char *integrator, const char *what, const char *advice) {
    bl_context *ctx = test_context(NULL);
    assert_int_equal(run_chain(ctx, n, formulation, integrator), BL_E_ABILITY);
    print_message("%s\n", bl_context_error(ctx)->what);
    assert_non_null(strstr(bl_context_error(ctx)->what, what));
    assert_non_null(strstr(bl_context_error(ctx)->advice, advice));
    test_context_end(ctx);
}

static void full_matrices__of_implicit_methods_are_limited(void **unused) {
    (void)unused;
    expect(1251, "partition", "ndf_auto", "5005 unknowns, more than the limit of 5000", "ggl");
    bl_context *ctx = test_context(NULL);
    assert_int_equal(run_chain(ctx, 100, "partition", "bdf:1"), BL_OK);
    test_context_end(ctx);
}

/* n masses with 2n coordinates and n constraints: n n + 2 2n n + n n entries */
static void full_matrices__of_a_partition_are_limited(void **unused) {
    (void)unused;
    char what[80];
    snprintf(what, sizeof what, "need %.1f GB, more than the limit of 1.0 GB", 8e-9 * 6 * 5000 * 5000);
    expect(5000, "partition:dense=100000", NULL, what, "remove the option dense");
}

static void full_matrices__of_orthogonal_choices_are_limited(void **unused) {
    (void)unused;
    expect(5600, "partition:independent=svd", NULL, "more than the limit of 1.0 GB", "gauss"); /* 2n x 2n */
    expect(8000, "partition:independent=qr", NULL, "more than the limit of 1.0 GB", "gauss");  /* n x 2n */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_matrices__of_implicit_methods_are_limited),
        cmocka_unit_test(full_matrices__of_a_partition_are_limited),
        cmocka_unit_test(full_matrices__of_orthogonal_choices_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
