/* Random formulas: the results of the stability study hold at random points. Backward differentiation formulas of k steps with a random
 * multiple of the next difference (as in NDF), so that angles and intervals have all sizes; then formulas with random coefficients, for
 * which nothing may fail. */
#include "study/stability_private.h"
#include "support/formulas.h"
#include "support/testing.h"

#include <math.h>

static const double DEGREE = 3.14159265358979323846 / 180;

/* a distance from 1e-3 to 1e4, logarithmically distributed */
static double distance(test_random *random) { return pow(10, -3 + 7 * test_random_unit(random)); }

/* between BDF and NDF, and beyond */
static void blend(int k, double share, bl_formula *f) {
    bl_formula bdf, ndf;
    test_bdf(k, &bdf);
    test_ndf(k, &ndf);
    *f = ndf;
    for (int j = 0; j <= k + 1; j++)
        f->a[j] = (1 - (long double)share) * (j > 0 ? bdf.a[j - 1] : 0) + (long double)share * ndf.a[j];
}

static void stable_places__are_stable(void **unused) {
    (void)unused;
    test_random random = {test_seed(31)};
    bl_context *ctx = test_context(NULL);
    int sectors = 0;
    for (int trial = 0; trial < 16; trial++) {
        int k = 1 + test_random_below(&random, 4);
        double share = 4 * test_random_symmetric(&random);
        bl_formula f;
        bl_symbol s;
        bl_stability_entry e = {0};
        blend(k, share, &f);
        assert_int_equal(bl_stability_of(ctx, &f, 0, &e), BL_OK);
        assert_int_equal(bl_symbol_create(ctx, &f, &s), BL_OK);
        assert_true(e.order >= k); /* the next difference does not reduce the order */
        if (!e.zero_stable)
            assert_true(e.real_interval == 0 && isnan(e.angle));
        for (int i = 0; i < 100; i++) {
            double far = distance(&random);
            if (far < e.real_interval * (1 - 1e-9))
                assert_true(bl_symbol_stable(&s, -far));
            if (far < e.imaginary_interval * (1 - 1e-9))
                assert_true(bl_symbol_stable(&s, I * (bl_complex)far));
            if (!isnan(e.angle)) {
                double angle = (e.angle - 0.005) * DEGREE * test_random_unit(&random);
                if (!bl_symbol_stable(&s, far * (-cosl(angle) + I * sinl(angle))))
                    fail_msg("%d steps, share %.17g: unstable at distance %g and %g degrees, the angle is %g", k, share, far,
                             angle / DEGREE, e.angle);
            }
        }
        if (!isnan(e.angle) && e.angle < 89.9) { /* and a point slightly outside is not */
            double angle = (e.angle + 0.005) * DEGREE;
            assert_true(isfinite(bl_symbol_interval(&s, -cosl(angle) + I * sinl(angle))));
            sectors++;
        }
        if (isfinite(e.real_interval) && e.real_interval > 0)
            assert_false(bl_symbol_stable(&s, -e.real_interval * 1.0001L));
    }
    assert_true(sectors >= 2);
    test_context_end(ctx);
}

static void random_numbers__break_nothing(void **unused) {
    (void)unused;
    test_random random = {test_seed(32)};
    bl_context *ctx = test_context(NULL);
    bl_arena arena = {.ctx = ctx};
    for (int trial = 0; trial < 24; trial++) {
        bl_formula f = {.shape = trial % 2 ? BL_FORMULA_MULTISTEP : BL_FORMULA_EXTENDED, .k = 1 + test_random_below(&random, 8)};
        bl_symbol s;
        bl_stability_entry e = {0};
        bl_index nline;
        const bl_stability_line *line;
        for (int j = 0; j <= f.k + 1; j++) {
            if (j <= f.k) {
                f.a[j] = test_random_symmetric(&random);
                f.b[j] = test_random_below(&random, 3) ? test_random_symmetric(&random) : 0;
            }
            f.p1[j] = test_random_symmetric(&random);
            f.p2[j] = test_random_symmetric(&random);
        }
        f.g = test_random_symmetric(&random);
        f.g_ahead = test_random_symmetric(&random);
        assert_int_equal(bl_stability_of(ctx, &f, 0.05, &e), BL_OK);
        assert_int_equal(bl_symbol_create(ctx, &f, &s), BL_OK);
        assert_true(e.order == -1 || e.order >= 1);
        assert_true(e.rho_infinity >= 0 && e.real_interval >= 0 && e.omega_critical >= 0);
        assert_int_equal(bl_symbol_boundary(&s, &arena, &nline, &line), BL_OK);
        for (bl_index l = 0; l < nline; l++)
            for (bl_index i = 0; i < line[l].n; i++)
                assert_true(isfinite(line[l].re[i]) && isfinite(line[l].im[i]));
    }
    bl_arena_destroy(&arena);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stable_places__are_stable), cmocka_unit_test(random_numbers__break_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
