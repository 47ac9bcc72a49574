/* A plate of 359 552 unknowns by auto: factored and solved within bounded memory. */
#include "support/grids.h"

#include <float.h>
#include <sys/resource.h>

static void auto__takes_a_plate_of_360000(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_grid g = test_grid_make(424, 2, 0);
    bl_linsol *solver;
    assert_int_equal(bl_linsol_create(ctx, "auto", &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, &g.pattern, NULL, BL_REFUSE, 1e-12), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, g.values), BL_OK);
    assert_true(test_grid_residual(solver, &g, false) <= 1000 * DBL_EPSILON); /* diagonally dominant: hardly any growth */
    assert_int_equal(bl_linsol_refactor(solver, g.values), BL_OK);
    assert_true(test_grid_residual(solver, &g, true) <= 1000 * DBL_EPSILON);
    bl_linsol_destroy(solver);
    test_grid_free(&g);
    test_context_end(ctx);
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    assert_true(use.ru_maxrss < 2 * 1024 * 1024); /* kB: 33 million entries of L are 400 MB; copies of the matrix on top */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(auto__takes_a_plate_of_360000)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
