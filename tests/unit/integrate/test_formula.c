/* Coefficients of the multistep formulas: order conditions, error constants, tables of the literature. */
#include "integrate/method_coefficients.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>

/* conditions are sums of terms up to 9^10 / 10!, taken in long double */
static const long double round_off = 1e-15L;

static void assert_near(long double got, long double wanted, long double allowed) {
    if (!(fabsl(got - wanted) <= allowed))
        fail_msg("%.20Lg instead of %.20Lg", got, wanted);
}

static void assert_order(const bl_formula *formula, int order) {
    assert_int_equal(formula->order, order);
    for (int q = 0; q <= order; q++)
        assert_near(bl_formula_condition(formula, q), 0, round_off * 10);
    assert_true(fabsl(bl_formula_condition(formula, order + 1)) > 1e-3L);
}

/* C = C_{k+1} / sigma(1) = -1 / (k + 1) */
static void bdf__has_order_k_and_error_constant_of_theory(void **state) {
    (void)state;
    for (int k = 1; k <= 8; k++) {
        bl_formula formula;
        bl_formula_bdf(k, &formula);
        assert_int_equal(formula.shape, BL_FORMULA_MULTISTEP);
        assert_int_equal(formula.k, k);
        assert_order(&formula, k);
        assert_near(bl_formula_condition(&formula, k + 1), -1.0L / (k + 1), round_off * 10);
        long double sum = 0;
        for (int j = 1; j <= k; j++)
            sum += 1.0L / j;
        assert_near(formula.a[k], sum, round_off);
        assert_near(bl_formula_gamma(k), sum, round_off);
        for (int j = 0; j <= k; j++)
            assert_true(formula.b[j] == (j == k));
    }
}

/* sum_{m=1..k} (1/m) nabla^m, built from the differences themselves */
static void bdf__is_the_sum_of_backward_differences(void **state) {
    (void)state;
    for (int k = 1; k <= 8; k++) {
        bl_formula formula;
        bl_formula_bdf(k, &formula);
        for (int unit = 0; unit <= k; unit++) { /* y = 1 at one step alone gives its coefficient */
            long double d[9] = {0}, sum = 0;
            d[unit] = 1;
            for (int m = 1; m <= k; m++) {
                for (int j = k; j >= m; j--)
                    d[j] -= d[j - 1];
                sum += d[k] / m;
            }
            assert_near(formula.a[unit], sum, round_off * 100);
        }
    }
}

/* Shampine and Reichelt (1997), table 1, written as (k+1)-step formulas; C = -1/(k+1) - kappa gamma_k */
static void ndf__has_the_published_coefficients(void **state) {
    (void)state;
    static const long double a[5][6] = {
        {0},
        {37.0L / 200, -137.0L / 100, 237.0L / 200},
        {-1.0L / 6, 1, -5.0L / 2, 5.0L / 3},
        {9053.0L / 60000, -14053.0L / 15000, 24053.0L / 10000, -54053.0L / 15000, 119053.0L / 60000},
        {-83.0L / 960, 131.0L / 192, -211.0L / 96, 371.0L / 96, -851.0L / 192, 2083.0L / 960},
    };
    static const long double constant[5] = {0, -63.0L / 200, -1.0L / 6, -5947.0L / 60000, -109.0L / 960};
    static const double gain[5] = {0, 0.26, 0.26, 0.26, 0.12}; /* of the step beside BDF, to the percent */
    for (int k = 1; k <= 4; k++) {
        bl_formula formula;
        bl_formula_ndf(k, &formula);
        assert_int_equal(formula.shape, BL_FORMULA_MULTISTEP);
        assert_int_equal(formula.k, k + 1);
        assert_order(&formula, k);
        for (int j = 0; j <= k + 1; j++) {
            assert_near(formula.a[j], a[k][j], round_off);
            assert_true(formula.b[j] == (j == k + 1));
        }
        assert_near(formula.a[k + 1], (1 - bl_formula_kappa(k)) * bl_formula_gamma(k), round_off);
        assert_near(bl_formula_condition(&formula, k + 1), constant[k], round_off);
        assert_float_equal(powl(-1 / ((k + 1) * constant[k]), 1.0L / (k + 1)) - 1, gain[k], 0.005);
    }
    assert_true(bl_formula_kappa(5) == 0);
}

static const struct {
    const char *name;
    bool ndf1, ndf2, modified;
} family[8] = {{"ebdf", false, false, false}, {"ebndf", false, true, false}, {"enbdf", true, false, false}, {"endf", true, true, false},
               {"mebdf", false, false, true}, {"mebndf", false, true, true}, {"menbdf", true, false, true}, {"mendf", true, true, true}};

/* C_{k+2} of the corrector with exact predictors (Cash 1980) and be_k - 1/gamma_k of the modified ones */
static void corrector__has_order_k_plus_1_and_published_constants(void **state) {
    (void)state;
    static const long double constant[9] = {0,
                                            5.0L / 12,
                                            17.0L / 138,
                                            111.0L / 1970,
                                            394.0L / 12505,
                                            690.0L / 34811,
                                            2515.0L / 186578,
                                            12145.0L / 1253418,
                                            270172.0L / 37211841};
    static const long double first[9] = {0,
                                         1.0L / 2,
                                         20.0L / 69,
                                         468.0L / 2167,
                                         11088.0L / 62525,
                                         104400.0L / 681301,
                                         89200.0L / 653023,
                                         9427600.0L / 75831789,
                                         361345600.0L / 3146467889.0L};
    for (int k = 1; k <= 8; k++)
        for (int type = 0; type <= 1; type++) {
            bl_formula formula;
            bl_formula_extended(k, false, false, type, &formula);
            assert_int_equal(formula.shape, BL_FORMULA_EXTENDED);
            assert_int_equal(formula.k, k);
            assert_true(formula.a[k] == 1);
            assert_order(&formula, k + 1);
            assert_near(bl_formula_condition(&formula, k + 2), constant[k], round_off);
            assert_near(formula.g_first, type ? first[k] : 0, round_off);
            if (type)
                assert_near(formula.g, 1 / bl_formula_gamma(k), round_off);
        }
}

/* a few rows as Cash (1980) prints them, so that a table wrong in the same way twice is seen */
static void corrector__has_the_published_rows(void **state) {
    (void)state;
    bl_formula formula;
    bl_formula_extended(2, false, false, false, &formula);
    assert_near(formula.a[0], 5.0L / 23, round_off);
    assert_near(formula.a[1], -28.0L / 23, round_off);
    assert_near(formula.g, 22.0L / 23, round_off);
    assert_near(formula.g_ahead, -4.0L / 23, round_off);
    bl_formula_extended(3, false, false, false, &formula);
    assert_near(formula.a[2], -279.0L / 197, round_off);
    assert_near(formula.g, 150.0L / 197, round_off);
    assert_near(formula.g_ahead, -18.0L / 197, round_off);
}

static void predictors__are_bdf_and_ndf(void **state) {
    (void)state;
    for (int k = 1; k <= 4; k++)
        for (int f = 0; f < 8; f++) {
            bl_formula formula, bdf, ndf;
            bl_formula_bdf(k, &bdf);
            bl_formula_ndf(k, &ndf);
            bl_formula_extended(k, family[f].ndf1, family[f].ndf2, family[f].modified, &formula);
            for (int j = 0; j <= k + 1; j++) {
                long double b = j ? bdf.a[j - 1] : 0;
                assert_true(formula.p1[j] == (family[f].ndf1 ? ndf.a[j] : b));
                assert_true(formula.p2[j] == (family[f].ndf2 ? ndf.a[j] : b));
            }
        }
}

/* One step on y' = y with exact values behind it: y_n+k, in long double. */
static long double one_step(const bl_formula *formula, long double h) {
    int k = formula->k;
    long double y[BL_FORMULA_STEPS + 3], first = 0, second = 0, sum = 0; /* y[1 + j] is y_{n+j}, the newest of them at t = 0 */
    for (int j = -1; j < k; j++)
        y[1 + j] = expl(h * (j - k));
    for (int i = 0; i <= k; i++)
        first -= formula->p1[i] * y[i];
    first /= formula->p1[k + 1] - h;
    for (int i = 0; i < k; i++)
        second -= formula->p2[i] * y[i + 1];
    second -= formula->p2[k] * first;
    second /= formula->p2[k + 1] - h;
    for (int j = 0; j < k; j++)
        sum -= formula->a[j] * y[1 + j];
    sum += h * (formula->g_ahead * second + formula->g_first * first);
    return sum / (formula->a[k] - h * formula->g);
}

/* c_1, A_k and the constant of the local error: y(t) - y_{n+k} = h^{k+2} [(be_{k+1} A_k + gb_k c_1) f_y y^(k+1) + C_{k+2} y^(k+2)] */
static long double local_error_constant(const bl_formula *formula, int k, bool ndf1, bool ndf2) {
    long double gamma = bl_formula_gamma(k), kappa = bl_formula_kappa(k);
    bl_formula bdf;
    bl_formula_bdf(k, &bdf);
    long double c_bdf = -1 / ((k + 1) * gamma), c_ndf = (-1.0L / (k + 1) - kappa * gamma) / ((1 - kappa) * gamma);
    long double c1 = ndf1 ? c_ndf : c_bdf, before = bdf.a[k - 1];
    long double ahead = ndf2 ? c_ndf - c1 * (before + (k + 1) * kappa * gamma) / ((1 - kappa) * gamma) : c_bdf - c1 * before / gamma;
    return formula->g_ahead * ahead + formula->g_first * c1 + bl_formula_condition(formula, k + 2);
}

/* The constants of theory to the digits tabulated; and one step taken with the coefficients shows them: the error of one step on y' = y
 * is const h^{k+2} (1 + O(h)); two steps and Richardson leave about 10 h^2, with h where rounding (1e-19 / h^{k+2}) does not hide it. */
static void extended__has_the_tabulated_local_errors(void **state) {
    (void)state;
    static const double constant[5][8] = {
        {0},
        {0.9166667, 0.8386076, 0.7995781, 0.7032393, 0.6666667, 0.5886076, 0.6666667, 0.5703279},
        {0.2133655, 0.1985507, 0.1850242, 0.1666667, 0.1489533, 0.1341385, 0.1560386, 0.1376812},
        {0.0891933, 0.0835373, 0.0762735, 0.0691984, 0.0597433, 0.0540873, 0.0654854, 0.0584103},
        {0.0476474, 0.0458113, 0.0428196, 0.0406749, 0.0306230, 0.0287869, 0.0335398, 0.0313951},
    };
    static const long double step[5] = {0, 1e-3L, 2e-3L, 4e-3L, 8e-3L};
    for (int k = 1; k <= 4; k++)
        for (int f = 0; f < 8; f++) {
            bl_formula formula;
            bl_formula_extended(k, family[f].ndf1, family[f].ndf2, family[f].modified, &formula);
            long double theory = local_error_constant(&formula, k, family[f].ndf1, family[f].ndf2), taken[2];
            assert_near(theory, constant[k][f], 5.1e-8L);
            for (int i = 0; i < 2; i++) {
                long double h = step[k] / (1 + i);
                taken[i] = (1 - one_step(&formula, h)) / powl(h, k + 2);
            }
            assert_near(2 * taken[1] - taken[0], theory, 2e-3L * theory);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bdf__has_order_k_and_error_constant_of_theory),
        cmocka_unit_test(bdf__is_the_sum_of_backward_differences),
        cmocka_unit_test(ndf__has_the_published_coefficients),
        cmocka_unit_test(corrector__has_order_k_plus_1_and_published_constants),
        cmocka_unit_test(corrector__has_the_published_rows),
        cmocka_unit_test(predictors__are_bdf_and_ndf),
        cmocka_unit_test(extended__has_the_tabulated_local_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
