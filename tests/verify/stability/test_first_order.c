/* Published and derived figures of first-order methods: orders, error constants, angles, intervals. Angles of BDF: Hairer and Wanner,
 * Solving ODEs II, table V.2.1 (rounded there); NDF: Shampine and Reichelt (1997), table 1; extended families: Cash (1980, 1983) and
 * recomputed with two programs to 0.005 degrees. */
#include "integrate/integrate.h"
#include "study/stability_private.h"
#include "support/formulas.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bl_context *ctx;

static bl_stability_entry entry_of(const bl_formula *f) {
    bl_stability_entry entry = {0};
    assert_int_equal(bl_stability_of(ctx, f, 0, &entry), BL_OK);
    return entry;
}

static void expect(const char *what, int k, double found, double value, double tolerance) {
    if (!(fabs(found - value) <= tolerance))
        fail_msg("%s %d: %.9g, not %.9g", what, k, found, value);
}

static void bdf__orders_constants_and_angles(void **unused) {
    (void)unused;
    static const double angle[] = {0, 90, 90, 86.03, 73.35, 51.84, 17.84};
    for (int k = 1; k <= 6; k++) {
        bl_formula f;
        test_bdf(k, &f);
        bl_stability_entry e = entry_of(&f);
        assert_int_equal(e.order, k);
        assert_true(e.zero_stable);
        assert_true(e.a_stable == (k <= 2));
        assert_true(e.rho_infinity == 0 && isinf(e.real_interval));
        assert_true(isinf(e.imaginary_interval) == (k <= 2));
        expect("bdf", k, e.error_constant, -1.0 / (k + 1), 1e-14);
        expect("bdf", k, e.angle, angle[k], 0.005);
    }
}

static void bdf__seven_and_eight_steps_are_not_zero_stable(void **unused) {
    (void)unused;
    for (int k = 7; k <= 8; k++) {
        bl_formula f;
        test_bdf(k, &f);
        bl_stability_entry e = entry_of(&f);
        assert_int_equal(e.order, k);
        assert_false(e.zero_stable);
        assert_true(isnan(e.angle) && e.real_interval == 0);
        assert_non_null(strstr(e.zero_words, "outside the unit circle"));
    }
}

static void bdf__three_to_five_steps_grow_on_the_imaginary_axis(void **unused) {
    (void)unused;
    static const double rho[] = {1.0443, 1.1536, 1.2432}; /* at h/T = 0.2 */
    for (int k = 3; k <= 5; k++) {
        bl_formula f;
        bl_symbol s;
        double found, damping, period;
        test_bdf(k, &f);
        assert_int_equal(bl_symbol_create(ctx, &f, &s), BL_OK);
        bl_symbol_vibration(&s, 6.283185307179586 * 0.2, 0, &(bl_track){0}, &found, &damping, &period);
        expect("bdf", k, found, rho[k - 3], 5e-5);
    }
}

static void ndf__orders_constants_and_angles(void **unused) {
    (void)unused;
    static const double angle[] = {0, 90, 90, 80.42, 66.18}, constant[] = {0, -63 / 200.0, -1 / 6.0, -5947 / 60000.0, -109 / 960.0};
    for (int k = 1; k <= 4; k++) {
        bl_formula f;
        test_ndf(k, &f);
        bl_stability_entry e = entry_of(&f);
        assert_int_equal(e.order, k);
        assert_true(e.zero_stable && e.a_stable == (k <= 2));
        expect("ndf", k, e.error_constant, constant[k], 1e-14);
        expect("ndf", k, e.angle, angle[k], 0.005);
    }
}

/* EBDF, EBNDF, ENBDF, ENDF, then the modified ones */
static void extended__error_constants(void **unused) {
    (void)unused;
    static const double constant[4][8] = {
        {0.9166667, 0.8386076, 0.7995781, 0.7032393, 0.6666667, 0.5886076, 0.6666667, 0.5703279},
        {0.2133655, 0.1985507, 0.1850242, 0.1666667, 0.1489533, 0.1341385, 0.1560386, 0.1376812},
        {0.0891933, 0.0835373, 0.0762735, 0.0691984, 0.0597433, 0.0540873, 0.0654854, 0.0584103},
        {0.0476474, 0.0458113, 0.0428196, 0.0406749, 0.0306230, 0.0287869, 0.0335398, 0.0313951},
    };
    for (int k = 1; k <= 4; k++)
        for (int v = 0; v < 8; v++) {
            bl_formula f;
            bl_symbol s;
            int order;
            double found;
            test_extended(k, v & 2, v & 1, v & 4, &f);
            assert_int_equal(bl_symbol_create(ctx, &f, &s), BL_OK);
            bl_symbol_order(&s, &order, &found);
            assert_int_equal(order, k + 1);
            expect("extended", 10 * k + v, found, constant[k - 1][v], 0.6e-7);
        }
}

static void extended__angles(void **unused) {
    (void)unused;
    static const double four[8] = {87.61, 87.685, 87.485, 87.54, 88.355, 88.41, 88.88, 88.93};
    static const double more[2][4] = {{80.21, 67.73, 48.82, 19.98}, {83.07, 74.48, 61.98, 42.87}};
    for (int k = 1; k <= 4; k++)
        for (int v = 0; v < 8; v++) {
            bl_formula f;
            test_extended(k, v & 2, v & 1, v & 4, &f);
            bl_stability_entry e = entry_of(&f);
            assert_true(e.zero_stable && e.rho_infinity < 1e-12);
            assert_true(e.a_stable == (k < 4));
            expect("extended", 10 * k + v, e.angle, k < 4 ? 90 : four[v], 0.005);
        }
    for (int m = 0; m < 2; m++)
        for (int k = 5; k <= 8; k++) {
            bl_formula f;
            test_extended(k, false, false, m, &f);
            bl_stability_entry e = entry_of(&f);
            assert_int_equal(e.order, k + 1);
            expect(m ? "mebdf" : "ebdf", k, e.angle, more[m][k - 5], 0.0055); /* printed with two decimals */
        }
}

static void bdf_alpha__angle_constant_and_limit(void **unused) {
    (void)unused;
    static const double alpha[] = {-0.5, -0.475065, -0.475, -0.445, -0.35, 0, 7 / 6.0, 1.17, 9.5};
    for (size_t i = 0; i < sizeof alpha / sizeof *alpha; i++) {
        bl_formula f;
        test_bdf_alpha(alpha[i], &f);
        bl_stability_entry e = entry_of(&f);
        assert_int_equal(e.order, 2);
        assert_true(e.a_stable);
        expect("bdf_alpha", (int)i, e.error_constant, (-2 - 3 * alpha[i]) / 6, 1e-14);
        expect("bdf_alpha", (int)i, e.rho_infinity, fabs(alpha[i]) / (1 + alpha[i]), 1e-14);
    }
    bl_formula f;
    test_bdf_alpha(-0.501, &f);
    assert_false(entry_of(&f).a_stable);
}

/* [-2 - 2a + z a +- sqrt(z^2 a^2 + 2 z (a + 1) + 1)] / [-3 - 2a + 2 z (1 + a)] */
static void bdf_alpha__roots_are_the_closed_form(void **unused) {
    (void)unused;
    test_random random = {test_seed(5)};
    for (int i = 0; i < 300; i++) {
        bl_formula f;
        bl_symbol s;
        bl_roots roots;
        double a = 3 * test_random_symmetric(&random);
        bl_complex z = 5 * (test_random_symmetric(&random) + I * (bl_complex)test_random_symmetric(&random));
        test_bdf_alpha(a, &f);
        assert_int_equal(bl_symbol_create(ctx, &f, &s), BL_OK);
        bl_symbol_roots(&s, z, &roots);
        bl_complex root = csqrtl(z * z * a * a + 2 * z * (a + 1) + 1), below = -3 - 2 * a + 2 * z * (1 + a);
        bl_complex first = (-2 - 2 * a + z * a + root) / below, second = (-2 - 2 * a + z * a - root) / below;
        if (roots.n != 2)
            continue; /* a zero root was removed: a = -1/2 */
        long double straight = fmaxl(cabsl(roots.r[0] - first), cabsl(roots.r[1] - second));
        long double crossed = fmaxl(cabsl(roots.r[1] - first), cabsl(roots.r[0] - second));
        assert_true(fminl(straight, crossed) < 1e-14L * (1 + cabsl(first) + cabsl(second)));
    }
}

static void park_and_trapezoidal__properties(void **unused) {
    (void)unused;
    bl_formula f;
    test_park(&f);
    bl_stability_entry e = entry_of(&f);
    assert_true(e.order == 2 && e.a_stable && e.zero_stable && e.rho_infinity == 0);
    expect("park", 0, e.error_constant, -1 / 6.0, 1e-14);
    test_trapezoidal(&f);
    e = entry_of(&f);
    assert_true(e.order == 2 && e.a_stable && e.zero_stable && e.rho_infinity == 1 && isinf(e.imaginary_interval));
    expect("trapezoidal", 0, e.error_constant, -1 / 12.0, 1e-15);
}

/* Nystroem's midpoint rule is stable on the imaginary axis up to 1; Milne-Simpson up to sqrt(3); Adams-Bashforth 2 and 3 on the real axis
 * up to 1 and 6/11 (Hairer and Wanner, V.1) */
static void textbook_methods__intervals(void **unused) {
    (void)unused;
    bl_formula midpoint = {.shape = BL_FORMULA_MULTISTEP, .k = 2, .a = {-1, 0, 1}, .b = {0, 2, 0}};
    bl_stability_entry e = entry_of(&midpoint);
    assert_true(e.order == 2 && e.zero_stable && e.real_interval == 0);
    expect("midpoint", 0, e.imaginary_interval, 1, 1e-9);
    bl_formula milne = {.shape = BL_FORMULA_MULTISTEP, .k = 2, .a = {-1, 0, 1}, .b = {1 / 3.0L, 4 / 3.0L, 1 / 3.0L}};
    e = entry_of(&milne);
    assert_true(e.order == 4 && e.zero_stable && e.real_interval == 0);
    expect("milne", 0, e.imaginary_interval, sqrt(3), 1e-9);
    expect("milne", 0, e.error_constant, -1 / 180.0, 1e-14);
    bl_formula ab2 = {.shape = BL_FORMULA_MULTISTEP, .k = 2, .a = {0, -1, 1}, .b = {-0.5L, 1.5L, 0}};
    e = entry_of(&ab2);
    expect("ab2", 0, e.error_constant, 5 / 12.0, 1e-14);
    expect("ab2", 0, e.real_interval, 1, 1e-11);
    bl_formula ab3 = {.shape = BL_FORMULA_MULTISTEP, .k = 3, .a = {0, 0, -1, 1}, .b = {5 / 12.0L, -16 / 12.0L, 23 / 12.0L, 0}};
    e = entry_of(&ab3);
    expect("ab3", 0, e.real_interval, 6 / 11.0, 1e-11);
    /* two roots coincide at 1: formulas for y'' are not formulas for y' */
    bl_formula twice = {.shape = BL_FORMULA_MULTISTEP, .k = 2, .a = {1, -2, 1}, .b = {0, 0, 0}};
    e = entry_of(&twice);
    assert_false(e.zero_stable);
    assert_non_null(strstr(e.zero_words, "2 roots coincide at 1"));
}

static void study_of(const char *spec, bl_stability_report *report) {
    bl_stability_options options = {.method = &spec, .nmethod = 1, .region = true};
    assert_int_equal(bl_stability_study(ctx, &options, report), BL_OK);
}

/* real -2.7853, imaginary 2 sqrt 2; R(z) of Dormand and Prince: the exponential to z^5, then z^6/600; its limits on the axes recomputed
 * from that polynomial: 3.3066, 0.9972 (from |R(iy)| = 1: bisection by hand) */
static void runge_kutta__intervals(void **unused) {
    (void)unused;
    bl_stability_report report = {0};
    study_of("rk4", &report);
    const bl_stability_entry *e = report.entry;
    assert_true(e->order == 4 && e->promised_order == 4 && e->zero_stable && isnan(e->angle) && isinf(e->rho_infinity));
    expect("rk4", 0, e->error_constant, 1 / 120.0, 1e-15);
    expect("rk4", 0, e->real_interval, 2.785293563405282, 1e-10);
    expect("rk4", 0, e->imaginary_interval, 2 * sqrt(2), 1e-10);
    bl_stability_report_destroy(ctx, &report);
    study_of("dopri45", &report);
    e = report.entry;
    assert_true(e->order == 5 && e->zero_stable);
    expect("dopri45", 0, e->error_constant, 1 / 720.0 - 1 / 600.0, 1e-15);
    double x = e->real_interval, R = 1 - x + x * x / 2 - pow(x, 3) / 6 + pow(x, 4) / 24 - pow(x, 5) / 120 + pow(x, 6) / 600;
    expect("dopri45", 0, fabs(R), 1, 1e-10);
    expect("dopri45", 0, x, 3.3066, 1e-3);
    double y = e->imaginary_interval, re = 1 - y * y / 2 + pow(y, 4) / 24 - pow(y, 6) / 600, im = y - pow(y, 3) / 6 + pow(y, 5) / 120;
    expect("dopri45", 0, hypot(re, im), 1, 1e-12);
    assert_true(y > 0.5 && y < 1.5);
    bl_stability_report_destroy(ctx, &report);
}

/* Butcher's counts of rooted trees: 1, 1, 2, 4, 9, 20, 48, 115. The chain y + h f(y + h/2 f(y + h/3 f(y + h/4 f))) has the stability
 * function of order 4, but b c^2 = 1/4, not 1/3: order 2. Kutta's rule of 3/8 has order 4. */
static void runge_kutta__order_on_nonlinear_problems(void **unused) {
    (void)unused;
    int conditions;
    bl_formula chain = {.shape = BL_FORMULA_RUNGE_KUTTA, .stages = 4, .weight = {0, 0, 0, 1}};
    chain.A[1][0] = 0.25L;
    chain.A[2][1] = 1 / 3.0L;
    chain.A[3][2] = 0.5L;
    assert_int_equal(bl_runge_kutta_order(&chain, &conditions), 2);
    bl_symbol s;
    int order;
    double constant;
    assert_int_equal(bl_symbol_create(ctx, &chain, &s), BL_OK);
    bl_symbol_order(&s, &order, &constant);
    assert_int_equal(order, 4);
    bl_stability_entry e = entry_of(&chain);
    assert_true(e.order == 2 && e.error_constant == 0);
    expect("chain", 0, e.imaginary_interval, 2 * sqrt(2), 1e-10);
    bl_formula kutta = {.shape = BL_FORMULA_RUNGE_KUTTA, .stages = 4, .weight = {0.125L, 0.375L, 0.375L, 0.125L}};
    kutta.A[1][0] = 1 / 3.0L;
    kutta.A[2][0] = -1 / 3.0L;
    kutta.A[2][1] = kutta.A[3][0] = kutta.A[3][2] = 1;
    kutta.A[3][1] = -1;
    assert_int_equal(bl_runge_kutta_order(&kutta, &conditions), 4);
    assert_int_equal(conditions, 1 + 1 + 2 + 4 + 9); /* those of order 5 fail */
    static const struct {
        const char *name;
        int order, conditions;
    } known[] = {{"rk4", 4, 17}, {"bs23", 3, 8}, {"dopri45", 5, 37}, {"dop853", 8, 200}, {"trbdf2", 2, 4}, {"rosenbrock23", 2, 4}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bl_formula f = {0};
        const bl_integrator_kind *kind = bl_integrator_kind_of(known[i].name);
        assert_int_equal(kind->formula(kind, ctx, NULL, &f), BL_OK);
        assert_int_equal(bl_runge_kutta_order(&f, &conditions), known[i].order);
        assert_int_equal(conditions, known[i].conditions);
        assert_int_equal(entry_of(&f).order, known[i].order);
    }
}

/* The implicit midpoint rule and Alexander's SDIRK of order 2 (1977), which is L-stable, have known R(z); trbdf2 and rosenbrock23 have that
 * of the latter, (1 + (1 - 2 d) z) / (1 - d z)^2 with d = 1 - 1/sqrt(2): the only one with their poles, order 2 and R = 0 at infinity. */
static void runge_kutta__may_be_diagonally_implicit(void **unused) {
    (void)unused;
    const long double d = 1 - sqrtl(0.5L);
    bl_formula midpoint = {.shape = BL_FORMULA_RUNGE_KUTTA, .order = 2, .stages = 1, .weight = {1}};
    midpoint.A[0][0] = 0.5L;
    bl_formula alexander = {.shape = BL_FORMULA_RUNGE_KUTTA, .order = 2, .stages = 2, .weight = {1 - d, d}};
    alexander.A[0][0] = alexander.A[1][1] = d;
    alexander.A[1][0] = 1 - d;
    bl_formula trbdf2, rosenbrock23;
    assert_int_equal(bl_integrator_trbdf2.formula(&bl_integrator_trbdf2, ctx, NULL, &trbdf2), BL_OK);
    assert_int_equal(bl_integrator_rosenbrock23.formula(&bl_integrator_rosenbrock23, ctx, NULL, &rosenbrock23), BL_OK);
    const bl_formula *const formula[] = {&midpoint, &alexander, &trbdf2, &rosenbrock23};
    static const double at[][2] = {{-0.3, 0.8}, {-4, 3}, {0, 2}, {-1e3, 1e2}, {1, 1}};
    for (int f = 0; f < 4; f++) {
        bl_symbol s;
        assert_int_equal(bl_symbol_create(ctx, formula[f], &s), BL_OK);
        for (int i = 0; i < 5; i++) {
            bl_complex z = at[i][0] + I * (bl_complex)at[i][1], pole = 1 - d * z;
            bl_complex R = f == 0 ? (1 + z / 2) / (1 - z / 2) : (1 + (1 - 2 * d) * z) / (pole * pole);
            bl_roots roots;
            bl_symbol_roots(&s, z, &roots);
            assert_int_equal(roots.n, 1);
            expect("root", f, (double)cabsl(roots.r[0] - R), 0, 1e-15);
        }
        bl_stability_entry e = entry_of(formula[f]);
        assert_true(e.order == 2 && e.zero_stable && e.a_stable && isinf(e.real_interval) && isinf(e.imaginary_interval));
        expect("rho at infinity", f, e.rho_infinity, f == 0, 1e-15);
        double third = f == 0 ? 0.25 : (double)(3 * d * d * (1 - 2 * d) + 4 * d * d * d); /* of R */
        expect("error constant", f, e.error_constant, 1 / 6.0 - third, 1e-15);
    }
}

/* every point of the boundary has spectral radius 1, and the radius crosses 1 there */
static void region__lines_are_where_the_radius_is_one(void **unused) {
    (void)unused;
    bl_arena arena = {.ctx = ctx};
    for (int which = 0; which < 6; which++) {
        bl_formula f;
        bl_symbol s;
        bl_index nline;
        const bl_stability_line *line;
        if (which < 3)
            test_bdf(2 + which, &f);
        else if (which == 3)
            test_extended(4, true, false, true, &f);
        else if (which == 4)
            test_hht(0.3, &f);
        else
            test_newmark(0, 0.5, &f);
        assert_int_equal(bl_symbol_create(ctx, &f, &s), BL_OK);
        assert_int_equal(bl_symbol_boundary(&s, &arena, &nline, &line), BL_OK);
        assert_true(nline >= 1);
        for (bl_index l = 0; l < nline; l++)
            for (bl_index i = 0; i < line[l].n; i++) {
                bl_roots roots;
                bl_symbol_roots(&s, line[l].re[i] + I * (bl_complex)line[l].im[i], &roots);
                /* central differences have a double root there, known to half the digits */
                assert_true(fabsl(bl_roots_radius(&roots) - 1) < (s.oscillator ? 1e-5L : 1e-8L));
            }
    }
    bl_arena_destroy(&arena);
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
        cmocka_unit_test(bdf__orders_constants_and_angles),
        cmocka_unit_test(bdf__seven_and_eight_steps_are_not_zero_stable),
        cmocka_unit_test(bdf__three_to_five_steps_grow_on_the_imaginary_axis),
        cmocka_unit_test(ndf__orders_constants_and_angles),
        cmocka_unit_test(extended__error_constants),
        cmocka_unit_test(extended__angles),
        cmocka_unit_test(bdf_alpha__angle_constant_and_limit),
        cmocka_unit_test(bdf_alpha__roots_are_the_closed_form),
        cmocka_unit_test(park_and_trapezoidal__properties),
        cmocka_unit_test(textbook_methods__intervals),
        cmocka_unit_test(runge_kutta__intervals),
        cmocka_unit_test(runge_kutta__order_on_nonlinear_problems),
        cmocka_unit_test(runge_kutta__may_be_diagonally_implicit),
        cmocka_unit_test(region__lines_are_where_the_radius_is_one),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
