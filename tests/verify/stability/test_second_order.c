/* Second-order methods on u'' + 2 xi w u' + w^2 u = 0: closed forms of the generalized-alpha family (Chung and Hulbert 1993; Hughes, The
 * Finite Element Method, chapter 9), limits of collocation methods (Hilber and Hughes 1978), published spectral radii. */
#include "study/stability_private.h"
#include "support/formulas.h"
#include "support/testing.h"

#include <math.h>

static bl_context *ctx;

static bl_stability_entry entry_of(const bl_formula *f, double xi) {
    bl_stability_entry entry = {0};
    assert_int_equal(bl_stability_of(ctx, f, xi, &entry), BL_OK);
    return entry;
}

static void expect(const char *what, double found, double value, double tolerance) {
    if (!(fabs(found - value) <= tolerance))
        fail_msg("%s: %.12g, not %.12g", what, found, value);
}

/* sum a_i r^i + Omega^2 sum b_i r^i at the roots found */
static void generalized_alpha__roots_solve_the_difference_equation(void **unused) {
    (void)unused;
    test_random random = {test_seed(6)};
    for (int trial = 0; trial < 300; trial++) {
        double am = test_random_symmetric(&random), af = test_random_symmetric(&random), b = test_random_unit(&random),
               g = test_random_unit(&random), Omega = 5 * test_random_unit(&random);
        double a_row[4] = {am, 1 - 3 * am, -2 + 3 * am, 1 - am};
        double b_row[4] = {-g * af + af / 2 + b * af, 2 * g * af - 3 * b * af - g + b + 0.5, b * (3 * af - 2) + (g + 0.5) * (1 - af),
                           b * (1 - af)};
        bl_formula f;
        bl_symbol s;
        bl_roots roots;
        test_generalized_alpha(am, af, b, g, &f);
        assert_int_equal(bl_symbol_create(ctx, &f, &s), BL_OK);
        bl_symbol_roots(&s, I * (bl_complex)Omega, &roots);
        assert_int_equal(roots.n + roots.lost, 3);
        for (int i = 0; i < roots.n; i++) {
            bl_complex sum = 0, r = 1;
            long double size = 0;
            for (int j = 0; j < 4; j++, r *= roots.r[i]) {
                sum += (a_row[j] + Omega * Omega * b_row[j]) * r;
                size += fabsl((a_row[j] + Omega * Omega * b_row[j])) * cabsl(r);
            }
            /* the matrix has entries of the size 1 / (1 - am + ...): rounding of its terms */
            double pivot = fabs(1 - am + (1 - af) * b * Omega * Omega);
            assert_true(cabsl(sum) <= 1e-12L * (1 + size) * (1 + 1 / pivot) * (1 + 1 / pivot));
        }
    }
}

/* C3 = 1/2 - gamma - am + af; when that is 0, C4 = 1/12 - af/2 + gamma af - beta */
static void generalized_alpha__order_and_error_constant(void **unused) {
    (void)unused;
    test_random random = {test_seed(7)};
    for (int trial = 0; trial < 60; trial++) {
        double af = 0.5 * test_random_unit(&random), am = af - 0.5 * test_random_unit(&random), g = 0.5 - am + af;
        double b = 0.25 + (af - am) / 2 + 0.2 * test_random_unit(&random);
        bl_formula f;
        bl_symbol s;
        int order;
        double constant;
        test_generalized_alpha(am, af, b, g, &f);
        assert_int_equal(bl_symbol_create(ctx, &f, &s), BL_OK);
        bl_symbol_order(&s, &order, &constant);
        assert_int_equal(order, 2);
        expect("C4", constant, 1 / 12.0 - af / 2 + g * af - b, 1e-6);
        double off = 0.05 + 0.2 * test_random_unit(&random);
        test_generalized_alpha(am, af, b, g + off, &f);
        assert_int_equal(bl_symbol_create(ctx, &f, &s), BL_OK);
        bl_symbol_order(&s, &order, &constant);
        assert_int_equal(order, 1);
        expect("C3", constant, -off, 1e-6);
    }
}

static void newmark__critical_step_with_damping(void **unused) {
    (void)unused;
    static const double cases[][3] = {{0, 0.5, 0},   {0.2, 0.5, 0}, {1 / 6.0, 0.5, 0}, {1 / 12.0, 0.5, 0},
                                      {0.1, 0.6, 0}, {0, 0.6, 0},   {0.1, 0.6, 0.1},   {0, 0.7, 0.3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double b = cases[i][0], g = cases[i][1], xi = cases[i][2], x = xi * (g - 0.5);
        bl_formula f;
        test_newmark(b, g, &f);
        bl_stability_entry e = entry_of(&f, xi);
        expect("Omega critical", e.omega_critical, (x + sqrt(g / 2 - b + x * x)) / (g / 2 - b), 1e-6);
        assert_false(e.a_stable);
    }
    bl_formula f;
    test_newmark(0.2, 0.5, &f);
    expect("beta 0.2", entry_of(&f, 0).omega_critical, 4.47214, 5e-6);
    test_newmark(0.3, 0.49, &f); /* grows from the first step on */
    assert_true(entry_of(&f, 0).omega_critical == 0);
}

static void newmark__bifurcation(void **unused) {
    (void)unused;
    static const double cases[][2] = {{0.3, 0.6}, {0.35, 0.8}, {0.5, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double b = cases[i][0], g = cases[i][1], left = (g + 0.5) * (g + 0.5) / 4 - b;
        bl_formula f;
        test_newmark(b, g, &f);
        expect("Omega bifurcation", entry_of(&f, 0).omega_bifurcation, 1 / sqrt(left), 1e-6);
    }
    bl_formula f;
    test_newmark(0.3, 0.6, &f);
    expect("0.3, 0.6", entry_of(&f, 0).omega_bifurcation, 20, 1e-6);
    test_newmark(0.25, 0.5, &f);
    assert_true(isnan(entry_of(&f, 0).omega_bifurcation));
}

static void limits__spectral_radius_at_infinity(void **unused) {
    (void)unused;
    bl_formula f;
    for (int i = 0; i <= 10; i += 2) {
        double alpha = i / 30.0, rho = i / 10.0;
        test_hht(alpha, &f);
        bl_stability_entry e = entry_of(&f, 0);
        expect("hht", e.rho_infinity, (1 - alpha) / (1 + alpha), 1e-7);
        assert_true(e.a_stable && e.order == 2 && e.zero_stable);
        test_wbz(-alpha, &f);
        expect("wbz", entry_of(&f, 0).rho_infinity, (1 - alpha) / (1 + alpha), 1e-7);
        test_chung_hulbert(rho, &f);
        e = entry_of(&f, 0);
        expect("chung_hulbert", e.rho_infinity, rho, 1e-6);
        assert_true(e.a_stable && e.order == 2);
        test_edmc1(rho, &f);
        e = entry_of(&f, 0);
        expect("edmc1", e.rho_infinity, (1 - rho) / (1 + rho), 1e-7);
        assert_int_equal(e.order, rho > 0 ? 1 : 2);
    }
    test_hht(0.05, &f);
    expect("hht 0.05", entry_of(&f, 0).rho_infinity, 0.904762, 5e-7);
    test_hht(0.3, &f);
    expect("hht 0.3", entry_of(&f, 0).rho_infinity, 0.538462, 5e-7);
    test_edmc1(0.11, &f);
    expect("edmc1 0.11", entry_of(&f, 0).rho_infinity, 0.80, 5e-3);
    test_houbolt(&f);
    assert_true(entry_of(&f, 0).rho_infinity < 1e-9 && entry_of(&f, 0).a_stable && entry_of(&f, 0).order == 2);
    test_edmc2(0.5, &f);
    assert_true(entry_of(&f, 0).rho_infinity < 1e-9 && entry_of(&f, 0).a_stable && entry_of(&f, 0).order == 2);
    test_edmc2(0, &f);
    expect("edmc2 0", entry_of(&f, 0).rho_infinity, 1, 1e-9);
    test_collocation(1 / 6.0, 0.5, 1.4, &f);
    expect("wilson 1.4", entry_of(&f, 0).rho_infinity, 0.7784, 5e-5);
    test_collocation(0.16, 0.5, 1.514951, &f);
    expect("collocation", entry_of(&f, 0).rho_infinity, 0.3924, 5e-5);
}

/* gamma = 1/2, theta >= 1: theta / (2 (theta + 1)) >= beta >= (2 theta^2 - 1) / (4 (2 theta^3 - 1)), sharp to a few percent */
static void collocation__unconditional_between_the_limits(void **unused) {
    (void)unused;
    static const double theta[] = {1.2, 1.515, 2};
    for (size_t i = 0; i < sizeof theta / sizeof *theta; i++) {
        double t = theta[i], high = t / (2 * (t + 1)), low = (2 * t * t - 1) / (4 * (2 * t * t * t - 1));
        bl_formula f;
        test_collocation((low + high) / 2, 0.5, t, &f);
        assert_true(isinf(entry_of(&f, 0).omega_critical));
        test_collocation(1.001 * low, 0.5, t, &f);
        assert_true(isinf(entry_of(&f, 0).omega_critical));
        test_collocation(0.97 * low, 0.5, t, &f);
        assert_true(isfinite(entry_of(&f, 0).omega_critical));
        test_collocation(1.03 * high, 0.5, t, &f);
        assert_true(isfinite(entry_of(&f, 0).omega_critical));
    }
}

/* unconditional iff am <= af <= 1/2 and beta >= 1/4 + (af - am)/2 */
static void generalized_alpha__unconditional_stability(void **unused) {
    (void)unused;
    static const double sample[][2] = {{0, 0}, {-0.2, 0.1}, {0.1, 0.4}, {0.3, 0.45}, {-0.5, 0}};
    for (size_t i = 0; i < sizeof sample / sizeof *sample; i++) {
        double am = sample[i][0], af = sample[i][1], g = 0.5 - am + af, b = 0.25 + (af - am) / 2;
        bl_formula f;
        test_generalized_alpha(am, af, 1.001 * b, g, &f);
        assert_true(entry_of(&f, 0).a_stable);
        test_generalized_alpha(am, af, 0.99 * b, g, &f);
        assert_true(isfinite(entry_of(&f, 0).omega_critical));
    }
    bl_formula f;
    test_generalized_alpha(0.1, 0, 0.4, 0.4, &f); /* am > af */
    assert_false(entry_of(&f, 0).a_stable);
}

static int begin(void **unused) {
    (void)unused;
    ctx = test_context(NULL);
    return 0;
}

static int end(void **unused) {
    (void)unused;
    test_context_end(ctx);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generalized_alpha__roots_solve_the_difference_equation),
        cmocka_unit_test(generalized_alpha__order_and_error_constant),
        cmocka_unit_test(newmark__critical_step_with_damping),
        cmocka_unit_test(newmark__bifurcation),
        cmocka_unit_test(limits__spectral_radius_at_infinity),
        cmocka_unit_test(collocation__unconditional_between_the_limits),
        cmocka_unit_test(generalized_alpha__unconditional_stability),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
