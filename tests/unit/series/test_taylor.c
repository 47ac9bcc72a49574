/* Arithmetic of power series against closed forms, identities, integer sequences and the tape. Multiple precision: test_taylor_mpfr.c. */
#include "support/testing.h"

#include "coords/mech_series_isa.h"
#include "series/tape.h"
#include "support/power_series.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER = 60, SIZE = ORDER + 1 };

static void assert_close(const char *what, int order, const double *found, const double *expected, double tolerance) {
    for (int k = 0; k <= order; k++)
        if (!(fabs(found[k] - expected[k]) <= tolerance * fabs(expected[k])))
            fail_msg("%s: coefficient %d is %.17g, expected %.17g", what, k, found[k], expected[k]);
}

/* Coefficients that are zero in exact arithmetic may come out as rounding of `size`. */
static void assert_within(const char *what, int order, const double *found, const double *expected, const double *size, double tolerance) {
    for (int k = 0; k <= order; k++)
        if (!(fabs(found[k] - expected[k]) <= tolerance * size[k]))
            fail_msg("%s: coefficient %d is %.17g, expected %.17g, size %.3g", what, k, found[k], expected[k], size[k]);
}

/* ---- closed forms; every sum has terms of one sign or one term, so that errors stay relative, a few per coefficient */

static void closed_forms__come_out_to_order_60(void **state) {
    (void)state;
    const double tolerance = 4 * SIZE * DBL_EPSILON;
    double t[SIZE] = {0, 1}, one_plus[SIZE] = {1, 1}, one_minus[SIZE] = {1, -1}, one[SIZE] = {1};
    double y[SIZE], other[SIZE], work[20 * SIZE], expected[SIZE], expected2[SIZE];
    long double factorial = 1, c;

    for (int k = 0; k <= ORDER; factorial *= ++k)
        expected[k] = (double)(1 / factorial);
    bl_taylor_exp(ORDER, t, y);
    assert_close("exp t", ORDER, y, expected, tolerance);

    for (int k = 0; k <= ORDER; k++)
        expected[k] = k ? (k % 2 ? 1.0 : -1.0) / k : 0;
    bl_taylor_log(ORDER, one_plus, y);
    assert_close("log(1 + t)", ORDER, y, expected, tolerance);

    for (int k = 0; k <= ORDER; k++)
        expected[k] = 1;
    bl_taylor_div(ORDER, one, one_minus, y);
    assert_close("1 / (1 - t)", ORDER, y, expected, 0);
    bl_taylor_div(ORDER, one_plus, one_plus, y);
    assert_close("a / a", ORDER, y, one, 0);

    factorial = 1;
    for (int k = 0; k <= ORDER; factorial *= ++k) {
        expected[k] = k % 2 ? (double)((k % 4 == 1 ? 1 : -1) / factorial) : 0;
        expected2[k] = k % 2 ? 0 : (double)((k % 4 == 0 ? 1 : -1) / factorial);
    }
    bl_taylor_sincos(ORDER, t, y, other);
    assert_close("sin t", ORDER, y, expected, tolerance);
    assert_close("cos t", ORDER, other, expected2, tolerance);
    for (int k = 0; k <= ORDER; k++) {
        expected[k] = fabs(expected[k]);
        expected2[k] = fabs(expected2[k]);
    }
    bl_taylor_sinhcosh(ORDER, t, y, other);
    assert_close("sinh t", ORDER, y, expected, tolerance);
    assert_close("cosh t", ORDER, other, expected2, tolerance);

    /* numbers of alternating permutations by Seidel's triangle: row sums of the row before, from alternate ends */
    long double row[SIZE + 1] = {1}, before[SIZE + 1];
    factorial = 1;
    for (int k = 0; k <= ORDER; factorial *= ++k) {
        expected[k] = k % 2 ? (double)(row[k] / factorial) : 0;
        expected2[k] = k % 4 == 3 ? -expected[k] : expected[k];
        memcpy(before, row, sizeof row);
        row[0] = 0;
        for (int i = 1; i <= k + 1; i++)
            row[i] = row[i - 1] + before[k + 1 - i];
    }
    assert_true(fabs(expected[7] - 17.0 / 315) < 1e-16);
    bl_taylor_tan(ORDER, t, y, work);
    assert_close("tan t", ORDER, y, expected, tolerance);
    bl_taylor_tanh(ORDER, t, y, work);
    assert_close("tanh t", ORDER, y, expected2, tolerance);

    c = 1; /* (2m)! / (4^m m!^2) / (2m + 1) */
    for (int k = 0; k <= ORDER; k++) {
        expected[k] = k % 2 ? (double)(c / k) : 0;
        expected2[k] = k % 2 ? (k % 4 == 1 ? 1.0 : -1.0) / k : 0;
        c *= k % 2 ? (long double)k / (k + 1) : 1;
    }
    bl_taylor_asin(ORDER, t, y, work);
    assert_close("asin t", ORDER, y, expected, tolerance);
    bl_taylor_atan(ORDER, t, y, work);
    assert_close("atan t", ORDER, y, expected2, tolerance);
    bl_taylor_atan2(ORDER, t, one, y, work);
    assert_close("atan2(t, 1)", ORDER, y, expected2, tolerance);
    for (int k = 0; k <= ORDER; k++)
        expected[k] = k ? -expected[k] : acos(0);
    bl_taylor_acos(ORDER, t, y, work);
    assert_close("acos t", ORDER, y, expected, tolerance);

    const double exponents[] = {-3.7, -1, -0.5, 0, 0.5, 1.0 / 3, 1, 2, 2.5, 7, 59, 1024, 1025};
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
        double p = exponents[i];
        char what[40];
        snprintf(what, sizeof what, "(1 + t)^%g", p);
        c = 1;
        for (int k = 0; k <= ORDER; k++) {
            expected[k] = (double)c;
            c *= (p - k) / (k + 1);
        }
        assert_true(bl_taylor_pow_work(ORDER, p) <= sizeof work / sizeof *work);
        bl_taylor_pow(ORDER, one_plus, p, y, work);
        assert_close(what, ORDER, y, expected, tolerance);
        if (p == 0.5) {
            bl_taylor_sqrt(ORDER, one_plus, y);
            assert_close("sqrt(1 + t)", ORDER, y, expected, tolerance);
        }
        other[0] = p;
        memset(other + 1, 0, ORDER * sizeof *other);
        bl_taylor_power(ORDER, one_plus, other, y, work);
        assert_close(what, ORDER, y, expected, tolerance);
    }
}

/* (1 + t)^t: coefficients of x^x at 1, times k!, are 1, 0, 2, -3, 20, -90, 594, -4200, 34544 (OEIS A007113) */
static void series_exponent__gives_the_known_integers(void **state) {
    (void)state;
    const double known[] = {1, 0, 2, -3, 20, -90, 594, -4200, 34544};
    double base[9] = {1, 1}, exponent[9] = {0, 1}, y[9], work[18], factorial = 1;
    bl_taylor_power(8, base, exponent, y, work);
    for (int k = 0; k <= 8; factorial *= ++k)
        assert_true(fabs(y[k] * factorial - known[k]) <= 1e-13 * (1 + fabs(known[k])));
}

/* ---- composition and reversion */

static void compositions__count_partitions(void **state) {
    (void)state;
    /* exp(exp t - 1) has Bell numbers over k! (Bell's triangle) */
    double f[SIZE], g[SIZE], y[SIZE], direct[SIZE], expected[SIZE];
    long double factorial = 1, row[SIZE + 1] = {1}, before[SIZE + 1];
    for (int k = 0; k <= ORDER; factorial *= ++k) {
        f[k] = g[k] = (double)(1 / factorial);
        expected[k] = (double)(row[0] / factorial);
        memcpy(before, row, sizeof row);
        row[0] = before[k];
        for (int i = 1; i <= k + 1; i++)
            row[i] = row[i - 1] + before[i - 1];
    }
    g[0] = 0;
    assert_true(fabs(expected[5] - 52 / 120.0) < 1e-15);
    bl_taylor_compose(ORDER, f, g, y);
    assert_close("exp(exp t - 1), composed", ORDER, y, expected, 1e-13);
    bl_taylor_exp(ORDER, g, direct);
    assert_close("exp(exp t - 1)", ORDER, direct, expected, 1e-13);
}

static void reversion__gives_catalan_tree_and_arcsine(void **state) {
    (void)state;
    double u[SIZE] = {0, 1, -1}, y[SIZE], work[2 * SIZE], expected[SIZE] = {0, 1}, back[SIZE], size[SIZE], identity[SIZE] = {0, 1};
    for (int k = 2; k <= ORDER; k++)
        expected[k] = expected[k - 1] * (4 * k - 6) / k;
    bl_taylor_revert(ORDER, u, y, work);
    assert_close("inverse of t - t^2", ORDER, y, expected, 1e-13);
    bl_taylor_compose(ORDER, u, y, back); /* y - y^2 cancels all but t */
    bl_taylor_mul(ORDER, y, y, size);
    bl_taylor_add(ORDER, y, size, size);
    assert_within("t - t^2 of its inverse", ORDER, back, identity, size, 1e-13);

    double shifted[SIZE] = {7, 1};
    long double factorial = 1; /* t exp(-t) + 7; the inverse has k^(k-1) / k! (Cayley's trees), in powers of s - 7 */
    for (int k = 1; k <= ORDER; k++) {
        shifted[k] = (double)((k % 2 ? 1 : -1) / factorial);
        factorial *= k;
        expected[k] = (double)(powl(k, k - 1) / factorial);
    }
    expected[0] = 0;
    bl_taylor_revert(ORDER, shifted, y, work);
    assert_close("inverse of t exp(-t)", ORDER, y, expected, 1e-12);

    double t[SIZE] = {0, 1}, s[SIZE], c[SIZE];
    bl_taylor_sincos(30, t, s, c);
    bl_taylor_revert(30, s, y, work);
    bl_taylor_asin(30, t, expected, work);
    for (int k = 0; k <= 30; k++)
        assert_true(fabs(y[k] - expected[k]) < 1e-13);
    double flat[4] = {1, 0, 2, 3};
    bl_taylor_revert(3, flat, y, work);
    assert_false(isfinite(y[1])); /* no slope, no inverse */
}

/* ---- calculus */

static void calculus__undoes_itself_and_moves_centers(void **state) {
    (void)state;
    test_random random = {test_seed(41)};
    for (int trial = 0; trial < 50; trial++) {
        int order = trial < 5 ? trial : test_random_below(&random, SIZE);
        double u[SIZE], y[SIZE], rate, again, h = test_random_symmetric(&random), size[SIZE];
        for (int k = 0; k <= order; k++)
            u[k] = test_random_symmetric(&random);
        memcpy(y, u, sizeof y);
        bl_taylor_integrate(order, y, 3, y);
        assert_true(y[0] == 3);
        bl_taylor_differentiate(order, y, y);
        if (order > 0)
            assert_close("derivative of the integral", order - 1, y, u, 2 * DBL_EPSILON);
        double t = 0.9 * test_random_symmetric(&random), value = bl_taylor_value_rate(order, u, t, &rate);
        assert_true(value == bl_taylor_value(order, u, t));
        bl_taylor_differentiate(order, u, y);
        again = order > 0 ? bl_taylor_value(order - 1, y, t) : 0;
        double bound = 0, power = 1;
        for (int k = 0; k <= order; k++, power *= fabs(t))
            bound += (k + 1) * (k + 1) * power * 4 * DBL_EPSILON;
        assert_true(fabs(rate - again) <= bound * (order + 1));
        /* the same polynomial around another center, and back */
        double there[SIZE], back[SIZE];
        bl_taylor_shift(order, u, h, there);
        for (int k = 0; k <= order; k++)
            size[k] = fabs(u[k]);
        bl_taylor_shift(order, size, fabs(h), size); /* the running magnitude: all terms positive */
        double sum = 0;
        power = 1;
        for (int k = 0; k <= order; k++, power *= fabs(t))
            sum += size[k] * power;
        assert_true(fabs(bl_taylor_value(order, there, t) - bl_taylor_value(order, u, h + t)) <= 8 * (order + 1) * DBL_EPSILON * sum);
        bl_taylor_shift(order, there, -h, back);
        bl_taylor_shift(order, size, fabs(h), size);
        assert_within("shift there and back", order, back, u, size, 8 * (order + 1) * DBL_EPSILON);
    }
    double t3[4] = {0, 0, 0, 1}; /* (2 + s)^3 */
    const double cube[4] = {8, 12, 6, 1};
    bl_taylor_shift(3, t3, 2, t3);
    assert_memory_equal(t3, cube, sizeof cube);
}

/* ---- identities on random series */

static void identities__hold_on_random_series(void **state) {
    (void)state;
    test_random random = {test_seed(42)};
    for (int trial = 0; trial < 200; trial++) {
        int n = test_random_below(&random, SIZE);
        double u[SIZE], v[SIZE], a[SIZE], b[SIZE], c[SIZE], s[SIZE], y[SIZE], size[SIZE], other[SIZE], work[2 * SIZE], one[SIZE] = {1};
        double shrink = 0.2 + 0.5 * test_random_unit(&random); /* |u - u_0| < 1 for |t| <= 1: what the functions below need */
        u[0] = 1.5 + test_random_unit(&random);
        v[0] = test_random_symmetric(&random);
        for (int k = 1; k <= n; k++) {
            u[k] = 0.5 * pow(shrink, k) * test_random_symmetric(&random);
            v[k] = pow(shrink, k) * test_random_symmetric(&random);
        }
        for (int k = 0; k <= n; k++) /* where errors of the results below live: on |t| <= 1 everything is of the size 100 */
            size[k] = 100 * (k + 1) * DBL_EPSILON * (k + 1);
        bl_taylor_sincos(n, v, s, c);
        bl_taylor_mul(n, s, s, a);
        bl_taylor_mul(n, c, c, b);
        bl_taylor_add(n, a, b, y);
        assert_within("sin^2 + cos^2", n, y, one, size, 1);
        bl_taylor_tan(n, v, a, work);
        bl_taylor_mul(n, a, c, y);
        if (v[0] > -0.5 && v[0] < 0.5)
            assert_within("tan cos", n, y, s, size, 10);
        bl_taylor_sinhcosh(n, v, s, c);
        bl_taylor_mul(n, s, s, a);
        bl_taylor_mul(n, c, c, b);
        bl_taylor_sub(n, b, a, y);
        assert_within("cosh^2 - sinh^2", n, y, one, size, 10);
        bl_taylor_exp(n, v, y);
        bl_taylor_add(n, s, c, a);
        assert_within("sinh + cosh", n, a, y, size, 1);
        bl_taylor_tanh(n, v, a, work);
        bl_taylor_mul(n, a, c, y);
        assert_within("tanh cosh", n, y, s, size, 10);
        bl_taylor_log(n, u, a);
        bl_taylor_exp(n, a, y);
        assert_within("exp log u", n, y, u, size, 1);
        bl_taylor_exp(n, v, a);
        bl_taylor_log(n, a, y);
        assert_within("log exp v", n, y, v, size, 10);
        bl_taylor_div(n, v, u, a);
        bl_taylor_mul(n, a, u, y);
        assert_within("(v / u) u", n, y, v, size, 1);
        bl_taylor_sqrt(n, u, a);
        bl_taylor_mul(n, a, a, y);
        assert_within("sqrt^2", n, y, u, size, 1);
        bl_taylor_pow(n, u, 1 / 3.0, a, NULL);
        bl_taylor_pow(n, a, 3, y, work);
        assert_within("cube of the cube root", n, y, u, size, 1);
        bl_taylor_pow(n, u, -2.5, a, NULL);
        bl_taylor_pow(n, u, 2.5, b, NULL);
        bl_taylor_mul(n, a, b, y);
        assert_within("u^-2.5 u^2.5", n, y, one, size, 10);
        bl_taylor_scale(n, 0.3, v, b); /* inside (-0.9, 0.9) */
        bl_taylor_asin(n, b, a, work);
        bl_taylor_sincos(n, a, y, c);
        assert_within("sin asin", n, y, b, size, 1);
        bl_taylor_acos(n, b, y, work);
        bl_taylor_add(n, a, y, y);
        double quarter[SIZE] = {acos(0)};
        assert_within("asin + acos", n, y, quarter, size, 1);
        bl_taylor_scale(n, 0.5, v, b);
        bl_taylor_atan(n, b, a, work);
        bl_taylor_tan(n, a, y, work);
        assert_within("tan atan", n, y, b, size, 10);
        bl_taylor_sincos(n, v, s, c); /* the angle of u (cos v, sin v) is v */
        bl_taylor_mul(n, u, s, a);
        bl_taylor_mul(n, u, c, b);
        bl_taylor_atan2(n, a, b, y, work);
        assert_within("atan2(u sin v, u cos v)", n, y, v, size, 10);
        bl_taylor_power(n, u, v, a, work); /* u^v = exp(v log u) */
        bl_taylor_log(n, u, b);
        bl_taylor_mul(n, v, b, other);
        bl_taylor_exp(n, other, y);
        assert_within("u^v", n, a, y, size, 10);
    }
}

/* A function composed from its series around u_0 is the function of the series. */
static void composition__agrees_with_the_direct_recurrence(void **state) {
    (void)state;
    test_random random = {test_seed(43)};
    for (int trial = 0; trial < 100; trial++) {
        int n = test_random_below(&random, 41);
        double u[SIZE], center[SIZE] = {0, 1}, f[SIZE], y[SIZE], z[SIZE], size[SIZE], h[SIZE], work[20 * SIZE], other[SIZE];
        u[0] = center[0] = 0.5 + 0.4 * test_random_unit(&random);
        for (int k = 1; k <= n; k++)
            u[k] = pow(0.5, k) * test_random_symmetric(&random);
        for (int which = 0; which < 8; which++) {
            for (int pass = 0; pass < 2; pass++) {
                const double *from = pass == 0 ? center : u;
                double *to = pass == 0 ? f : z;
                switch (which) {
                case 0: bl_taylor_exp(n, from, to); break;
                case 1: bl_taylor_log(n, from, to); break;
                case 2: bl_taylor_sincos(n, from, to, other); break;
                case 3: bl_taylor_sqrt(n, from, to); break;
                case 4: bl_taylor_pow(n, from, -1.7, to, work); break;
                case 5: bl_taylor_atan(n, from, to, work); break;
                case 6: bl_taylor_pow(n, from, 11, to, work); break;
                default: bl_taylor_asin(n, from, to, work); break;
                }
            }
            bl_taylor_compose(n, f, u, y);
            for (int k = 0; k <= n; k++) { /* running magnitude: the same sums with all signs positive */
                f[k] = fabs(f[k]);
                h[k] = fabs(u[k]);
            }
            bl_taylor_compose(n, f, h, size);
            assert_within("composed", n, y, z, size, 20 * (n + 1) * DBL_EPSILON);
        }
    }
}

/* ---- special arguments */

static void special_arguments__give_values_or_nan(void **state) {
    (void)state;
    double y[9], z[9], work[20 * 9], zero[9] = {0}, line[9] = {0, 1}, negative[9] = {-1, 1}, tiny[9] = {1e-300, 1}, outside[9] = {2, 1};
    double nan[9] = {NAN, 1}, infinite[9] = {INFINITY, 1};
    bl_taylor_sqrt(8, zero, y);
    assert_memory_equal(y, zero, sizeof y);
    bl_taylor_sqrt(8, line, y);
    assert_true(y[0] == 0 && !isfinite(y[1]));
    bl_taylor_pow(8, zero, 2.5, y, NULL);
    assert_memory_equal(y, zero, sizeof y);
    bl_taylor_pow(8, zero, 0, y, NULL);
    assert_true(y[0] == 1 && y[1] == 0 && y[8] == 0);
    for (int n = 1; n <= 40; n++) { /* t^n; nothing is divided by the base */
        const double *const bases[] = {line, tiny};
        for (int b = 0; b < 2; b++) {
            bl_taylor_pow(8, bases[b], n, y, work);
            for (int k = 0; k <= 8; k++) {
                double expected = k == n ? 1 : k == n - 1 ? n * bases[b][0] : 0;
                assert_true(fabs(y[k] - expected) <= 1e-15 * expected);
            }
        }
    }
    double even[9] = {0, 0, 4};
    bl_taylor_pow(8, even, 1.5, y, NULL); /* 8 t^3 */
    assert_true(y[3] == 8 && y[2] == 0 && y[4] == 0 && y[8] == 0);
    bl_taylor_pow(8, line, 2.5, y, NULL);
    assert_true(y[2] == 0 && isnan(y[3]));
    bl_taylor_pow(8, line, INFINITY, y, NULL);
    bl_taylor_pow(8, line, NAN, z, NULL);
    assert_true(y[8] == 0 && isnan(z[8]));
    /* no value at all: NaN from the first coefficient on */
    const double *const bad[] = {negative, negative, negative, outside, outside, nan, nan, infinite};
    for (int i = 0; i < 8; i++) {
        switch (i) {
        case 0: bl_taylor_pow(8, bad[i], 1 / 3.0, y, NULL); break;
        case 1: bl_taylor_sqrt(8, bad[i], y); break;
        case 2: bl_taylor_pow(8, bad[i], 0.3, y, NULL); break;
        case 3: bl_taylor_asin(8, bad[i], y, work); break;
        case 4: bl_taylor_acos(8, bad[i], y, work); break;
        case 5: bl_taylor_exp(8, bad[i], y); break;
        case 6: bl_taylor_pow(8, bad[i], 5, y, work); break;
        default: bl_taylor_sincos(8, bad[i], y, z); break;
        }
        for (int k = 0; k <= 8; k++)
            assert_true(isnan(y[k]));
    }
    bl_taylor_div(8, line, zero, y);
    assert_true(isnan(y[0]) && !isfinite(y[1]));
    bl_taylor_log(8, negative, y);
    assert_true(isnan(y[0]));
    bl_taylor_log(8, line, y);
    assert_false(isfinite(y[0]) || isfinite(y[2]));
    bl_taylor_atan2(8, zero, zero, y, work); /* a point at rest in the origin has the angle of atan2 */
    assert_memory_equal(y, zero, sizeof y);
    /* order 0 is arithmetic of numbers */
    bl_taylor_mul(0, outside, negative, y);
    bl_taylor_compose(0, outside, negative, z);
    assert_true(y[0] == -2 && z[0] == 2);
    bl_taylor_revert(0, outside, y, work);
    assert_true(y[0] == 0);
}

/* ---- radius of convergence */

/* The pendulum of length 1 let go from the horizontal: x'' = -lambda x, y'' = -lambda y - g, lambda = x'^2 + y'^2 - g y. */
static void pendulum(double *x, double *y, double *lambda) {
    const double g = 9.81;
    double xd[SIZE] = {0}, yd[SIZE] = {0}, xx[SIZE], yy[SIZE], lx[SIZE], ly[SIZE];
    x[0] = -1;
    y[0] = 0;
    for (int k = 0; k <= ORDER; k++) {
        bl_taylor_mul_next(xd, xd, xx, k);
        bl_taylor_mul_next(yd, yd, yy, k);
        lambda[k] = xx[k] + yy[k] - g * y[k];
        bl_taylor_mul_next(lambda, x, lx, k);
        bl_taylor_mul_next(lambda, y, ly, k);
        if (k == ORDER)
            break;
        xd[k + 1] = -lx[k] / (k + 1);
        yd[k + 1] = (-ly[k] - (k == 0 ? g : 0)) / (k + 1);
        x[k + 1] = xd[k] / (k + 1);
        y[k + 1] = yd[k] / (k + 1);
    }
}

static void pendulum__has_the_published_coefficients_and_radius(void **state) {
    (void)state;
    double x[SIZE], y[SIZE], lambda[SIZE];
    pendulum(x, y, lambda);
    const struct {
        double found, expected;
    } known[] = {{x[4], 12.0295125},  {x[8], -43.4127513},    {y[2], -4.905},
                 {y[6], 23.60190353}, {lambda[2], 144.35415}, {lambda[6], -694.60402}};
    for (int i = 0; i < 6; i++)
        assert_true(fabs(known[i].found - known[i].expected) <= 1e-8 * fabs(known[i].expected));
    for (int k = 0; k <= ORDER; k++)
        assert_true((k % 4 == 0 || x[k] == 0) && (k % 4 == 2 || y[k] == 0));
    /* poles of second order at K (1 + i) / sqrt g, K = K(1/2) = Gamma(1/4)^2 / (4 sqrt pi) */
    double quarter = tgamma(0.25), K = quarter * quarter / (4 * sqrt(acos(-1))), R = sqrt(2 / 9.81) * K;
    bl_taylor_radius radius;
    bl_taylor_find_radius(40, x, &radius);
    assert_true(fabs(radius.root - 0.76) < 0.01);
    for (int order = 24; order <= ORDER; order++) { /* wherever the zeros lie */
        const double *const series[] = {x, y, lambda};
        for (int i = 0; i < 3; i++) {
            bl_taylor_find_radius(order, series[i], &radius);
            if (!(fabs(radius.fitted / R - 1) < 0.01) || !(fabs(radius.power - 1) < 0.35) || !(radius.root > 0.6 && radius.root < R))
                fail_msg("series %d to order %d: R = %g (root %g), power %g, expected %g", i, order, radius.fitted, radius.root,
                         radius.power, R);
        }
    }
}

static void radius__is_found_at_poles_branches_and_pairs(void **state) {
    (void)state;
    double u[SIZE], v[SIZE], work[SIZE];
    bl_taylor_radius r;
    double two_minus[SIZE] = {2, -1}, circle[SIZE] = {1, 0, 0.25}, tilted[SIZE] = {1, -1, 0.8}; /* roots of the last: |t| = sqrt(1/0.8) */
    const struct {
        const double *base;
        double p, R;
    } cases[] = {
        {two_minus, -1, 2}, {two_minus, -3, 2}, {two_minus, 0.5, 2},         {two_minus, -0.5, 2},          {circle, -1, 2},
        {circle, 0.5, 2},   {circle, -2, 2},    {tilted, -1, sqrt(1 / 0.8)}, {tilted, -2.5, sqrt(1 / 0.8)}, {tilted, 0.5, sqrt(1 / 0.8)}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int order = 30; order <= ORDER; order += 3) {
            /* a binomial coefficient is k^power (1 + power (power + 1) / (2 k) + ...), k halved for powers of t^2; a fit of 1/k by
             * k and log k leaves 2 / order^2 and 4 / order of it */
            bool waves = cases[i].base == tilted;
            double power = -cases[i].p - 1, off = power * (power + 1) / 2 * (cases[i].base == circle ? 2 : 1);
            double R_error = 1e-9 + 3 * fabs(off) / (order * order), power_error = 1e-9 + 6 * fabs(off) / order;
            bl_taylor_pow(order, cases[i].base, cases[i].p, u, NULL);
            bl_taylor_find_radius(order, u, &r);
            /* the root test is off by a power of k */
            bool rough = !(fabs(log(r.root / cases[i].R)) < (1 + fabs(power)) * log(order) / order);
            if (waves) /* Gegenbauer polynomials: the recurrence is exact */
                R_error = power_error = 1e-6;
            if (rough || !(fabs(r.fitted / cases[i].R - 1) <= R_error && fabs(r.power - power) <= power_error))
                fail_msg("case %d, order %d: R %g, root %g, power %g", (int)i, order, r.fitted, r.root, r.power);
        }
    bl_taylor_log(ORDER, two_minus, u);
    bl_taylor_find_radius(ORDER, u, &r);
    assert_true(fabs(r.fitted - 2) < 1e-6 && fabs(r.power + 1) < 1e-5);
    double t[SIZE] = {0, 1};
    bl_taylor_tan(ORDER, t, u, work);
    bl_taylor_find_radius(ORDER, u, &r);
    assert_true(fabs(r.fitted - acos(0)) < 1e-9 && fabs(r.root / acos(0) - 1) < 0.02);
    bl_taylor_exp(ORDER, t, v); /* entire: the root test grows like k / e */
    bl_taylor_find_radius(ORDER, v, &r);
    assert_true(r.root > 20 && r.fitted > 20);
    /* a polynomial, a constant, nothing: infinite; one late coefficient: itself */
    double polynomial[SIZE] = {1, 2, 3}, late[SIZE] = {1};
    bl_taylor_find_radius(ORDER, polynomial, &r);
    assert_true(isinf(r.root) && isinf(r.fitted));
    bl_taylor_find_radius(0, polynomial, &r);
    assert_true(isinf(r.root) && isinf(r.fitted));
    late[40] = ldexp(1, -40);
    bl_taylor_find_radius(ORDER, late, &r);
    assert_true(fabs(r.root - 2) < 1e-12 && r.fitted == r.root);
    late[40] = NAN;
    bl_taylor_find_radius(ORDER, late, &r); /* any result: it must return */
}

static double quarter_period(double k) { /* K(k) by the arithmetic-geometric mean */
    double a = 1, b = sqrt(1 - k * k);
    for (int i = 0; i < 30; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return acos(-1) / (2 * a);
}

/* phi'' = -sin phi around (angle, speed) */
static void swing(double angle, double speed, double *phi, double *sine) {
    double rate[SIZE] = {speed}, cosine[SIZE];
    phi[0] = angle;
    for (int k = 0; k <= ORDER; k++) {
        bl_taylor_sincos_next(phi, sine, cosine, k);
        if (k < ORDER) {
            rate[k + 1] = -sine[k] / (k + 1);
            phi[k + 1] = rate[k] / (k + 1);
        }
    }
}

/* Let go at `widest`, the motion has singularities at K(k) +- i K(k'), k = sin(widest / 2): logarithms in phi, poles of second order in
 * sin phi. Beside the bottom and the turning point they are a complex pair. */
static void swinging_pendulum__shows_its_complex_singularities(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int quarter = 2; quarter <= 4; quarter++) {
            double widest = 1 + 0.5 * i, k = sin(widest / 2), K = quarter_period(k), t = K * quarter / 4;
            double phi[SIZE], sine[SIZE], angle = widest, speed = 0, R = hypot(K - t, quarter_period(cos(widest / 2)));
            for (int step = 0; step < 4; step++) {
                swing(angle, speed, phi, sine);
                angle = bl_taylor_value_rate(ORDER, phi, t / 4, &speed);
            }
            swing(angle, speed, phi, sine);
            for (int order = 44; order <= ORDER; order += 4) {
                bl_taylor_radius logarithm, pole;
                bl_taylor_find_radius(order, phi, &logarithm);
                bl_taylor_find_radius(order, sine, &pole);
                if (!(fabs(logarithm.fitted / R - 1) < 0.003 && fabs(logarithm.power + 1) < 0.1 && fabs(pole.fitted / R - 1) < 0.006 &&
                      fabs(pole.power - 1) < 0.25))
                    fail_msg("from %g, %d quarters, order %d: R %g %g, powers %g %g, expected %g, -1 and 1", widest, quarter, order,
                             logarithm.fitted, pole.fitted, logarithm.power, pole.power, R);
            }
        }
}

/* ---- many series at once: the kernels of mechanisms */

enum { LANES = 40, MOST = 20 };

static void coefficients_of(size_t room, size_t lane, const double *many, double *one) {
    for (int k = 0; k <= MOST; k++)
        one[k] = many[(size_t)k * room + lane];
}

static void check_kernels(const bl_series_kernels *kernels, test_random *random, size_t mixed, size_t room) {
    static _Alignas(64) double A[(MOST + 1) * LANES], B[(MOST + 1) * LANES], L[(MOST + 1) * LANES], sum[2 * LANES];
    double all = 0;
    for (size_t i = 0; i < (MOST + 1) * room; i++) {
        A[i] = test_random_symmetric(random);
        B[i] = test_random_symmetric(random);
        L[i] = test_random_symmetric(random);
    }
    for (int k = 1; k <= MOST; k++) {
        double tolerance = (k + 1) * (k + 1) * DBL_EPSILON, x[MOST + 1], y[MOST + 1], l[MOST + 1], z[MOST + 1];
        kernels->sum_phi(mixed, room, k, A, B, sum);
        for (size_t lane = 0; lane < room; lane++) {
            coefficients_of(room, lane, A, x);
            coefficients_of(room, lane, lane < mixed ? A : B, y);
            bl_taylor_mul(k, x, y, z);
            assert_true(fabs(sum[lane] - (z[k] - x[0] * y[k] - x[k] * y[0])) <= 3 * tolerance);
        }
        kernels->sum_Q(mixed, room, k, L, A, B, sum);
        all = 0;
        for (size_t lane = 0; lane < room; lane++) {
            coefficients_of(room, lane, L, l);
            coefficients_of(room, lane, A, x);
            coefficients_of(room, lane, lane < mixed ? A : B, y);
            bl_taylor_mul(k, l, y, z);
            assert_true(fabs(sum[lane] - (z[k] - l[k] * y[0])) <= 2 * tolerance);
            bl_taylor_mul(k, l, x, z);
            assert_true(lane < mixed || fabs(sum[room + lane] - (z[k] - l[k] * x[0])) <= 2 * tolerance);
            all += z[k];
        }
        assert_true(fabs(kernels->cauchy_sum(room, k + 1, L, A + (size_t)k * room) - all) <= (double)(room * room) * tolerance);
    }
}

static void kernels__take_many_series_as_one_by_one(void **state) {
    (void)state;
    test_random random = {test_seed(44)};
    for (int isa = 0; isa < BL_ISA_COUNT; isa++)
        for (size_t room = 4; room <= LANES && bl_isa_available(isa); room += 4)
            for (size_t mixed = 0; mixed <= room; mixed += 4)
                check_kernels(BL_ISA_TABLE(isa, bl_series_kernels), &random, mixed, room);
}

/* ---- the tape gives the same, bit by bit */

static void tape__runs_on_these_functions(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(45)};
    static const bl_tape_op unary[] = {BL_TAPE_SQRT, BL_TAPE_EXP,  BL_TAPE_LOG,  BL_TAPE_SIN,  BL_TAPE_COS,  BL_TAPE_TAN,
                                       BL_TAPE_ASIN, BL_TAPE_ACOS, BL_TAPE_ATAN, BL_TAPE_SINH, BL_TAPE_COSH, BL_TAPE_TANH};
    static const bl_tape_op binary[] = {BL_TAPE_ADD, BL_TAPE_SUB, BL_TAPE_MUL, BL_TAPE_DIV, BL_TAPE_POW, BL_TAPE_ATAN2};
    enum { UNARY = sizeof unary / sizeof *unary, BINARY = sizeof binary / sizeof *binary, OUTPUTS = UNARY + BINARY + 3 };
    static double in[2 * SIZE], out[OUTPUTS * SIZE];
    for (int trial = 0; trial < 20; trial++) {
        int n = test_random_below(&random, SIZE), stride = n + 1;
        double *u = in, *v = in + stride, expected[OUTPUTS][SIZE], work[20 * SIZE];
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < stride; k++)
                in[i * stride + k] = k ? pow(0.6, k) * test_random_symmetric(&random) : 0.1 + 0.8 * test_random_unit(&random);
        bl_tape *tape;
        assert_int_equal(bl_tape_create(ctx, &tape), BL_OK);
        bl_index a = bl_tape_input(tape, 0), b = bl_tape_input(tape, 1);
        for (int i = 0; i < UNARY; i++)
            bl_tape_output(tape, bl_tape_op1(tape, unary[i], a));
        for (int i = 0; i < BINARY; i++)
            bl_tape_output(tape, bl_tape_op2(tape, binary[i], a, b));
        const double exponent[3] = {13, -2, 2.25};
        for (int i = 0; i < 3; i++)
            bl_tape_output(tape, bl_tape_op2(tape, BL_TAPE_POW, a, bl_tape_const(tape, exponent[i])));
        assert_int_equal(bl_tape_finish(tape), BL_OK);
        double *space = calloc(bl_tape_series_work(tape, n), sizeof *space);
        bl_tape_series(tape, n, in, out, space);
        bl_taylor_sqrt(n, u, expected[0]);
        bl_taylor_exp(n, u, expected[1]);
        bl_taylor_log(n, u, expected[2]);
        bl_taylor_sincos(n, u, expected[3], expected[4]);
        bl_taylor_tan(n, u, expected[5], work);
        bl_taylor_asin(n, u, expected[6], work);
        bl_taylor_acos(n, u, expected[7], work);
        bl_taylor_atan(n, u, expected[8], work);
        bl_taylor_sinhcosh(n, u, expected[9], expected[10]);
        bl_taylor_tanh(n, u, expected[11], work);
        bl_taylor_add(n, u, v, expected[12]);
        bl_taylor_sub(n, u, v, expected[13]);
        bl_taylor_mul(n, u, v, expected[14]);
        bl_taylor_div(n, u, v, expected[15]);
        bl_taylor_power(n, u, v, expected[16], work);
        bl_taylor_atan2(n, u, v, expected[17], work);
        for (int i = 0; i < 3; i++)
            bl_taylor_pow(n, u, exponent[i], expected[18 + i], work);
        for (int i = 0; i < OUTPUTS; i++)
            for (int k = 0; k <= n; k++)
                if (out[i * stride + k] != expected[i][k])
                    fail_msg("output %d, coefficient %d of %d: %.17g on the tape, %.17g", i, k, n, out[i * stride + k], expected[i][k]);
        free(space);
        bl_tape_destroy(tape);
    }
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms__come_out_to_order_60),
        cmocka_unit_test(series_exponent__gives_the_known_integers),
        cmocka_unit_test(compositions__count_partitions),
        cmocka_unit_test(reversion__gives_catalan_tree_and_arcsine),
        cmocka_unit_test(calculus__undoes_itself_and_moves_centers),
        cmocka_unit_test(identities__hold_on_random_series),
        cmocka_unit_test(composition__agrees_with_the_direct_recurrence),
        cmocka_unit_test(special_arguments__give_values_or_nan),
        cmocka_unit_test(pendulum__has_the_published_coefficients_and_radius),
        cmocka_unit_test(radius__is_found_at_poles_branches_and_pairs),
        cmocka_unit_test(swinging_pendulum__shows_its_complex_singularities),
        cmocka_unit_test(kernels__take_many_series_as_one_by_one),
        cmocka_unit_test(tape__runs_on_these_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
