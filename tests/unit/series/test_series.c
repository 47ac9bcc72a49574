/* Tapes over power series: coefficients against Cauchy integrals in complex arithmetic, closed forms, and the Jacobian. */
#include "support/testing.h"

#include "series/expr.h"
#include "series/tape.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER = 12, STRIDE = ORDER + 1 };

static bl_status find_name(void *user, bl_tape *tape, const char *name, const bl_place *place, bl_index *node, const char **nearest) {
    (void)user;
    (void)place;
    (void)nearest;
    if (name[1] || name[0] < 'x' || name[0] > 'z')
        return BL_AGAIN;
    *node = bl_tape_input(tape, name[0] - 'x');
    return BL_OK;
}

static const double rows_x[] = {-1, 0, 1, 2.5, 3}, rows_y[] = {2, 0, 1, 4, 4.5};

static bl_status find_table(void *user, const char *file, const bl_place *place, bl_index *n, const double **x, const double **y) {
    (void)user;
    (void)file;
    (void)place;
    *n = 5;
    *x = rows_x;
    *y = rows_y;
    return BL_OK;
}

static bl_tape *parse(bl_context *ctx, const char *text) {
    bl_expr_scope scope = {.name = find_name, .table = find_table};
    bl_tape *tape;
    bl_index node;
    assert_int_equal(bl_tape_create(ctx, &tape), BL_OK);
    bl_tape_input(tape, 2); /* three inputs, used or not */
    if (bl_expr_parse(ctx, text, strlen(text), NULL, &scope, tape, &node) != BL_OK)
        fail_msg("%s: %s", text, bl_context_error(ctx)->what);
    assert_int_equal(bl_tape_output(tape, node), BL_OK);
    assert_int_equal(bl_tape_finish(tape), BL_OK);
    return tape;
}

/* the same twice by a recurrence that is kept, whose second run must not feel the first */
static void expand_by_recurrence(bl_context *ctx, const bl_tape *tape, double in[3][STRIDE], const double expected[STRIDE]) {
    bl_tape_recurrence *run;
    assert_int_equal(bl_tape_recurrence_create(ctx, tape, ORDER, NULL, &run), BL_OK);
    for (int again = 0; again < 2; again++) {
        for (int k = 0; k <= ORDER; k++) {
            for (int i = 0; i < 3; i++)
                if (bl_tape_recurrence_in(run, i))
                    bl_tape_recurrence_in(run, i)[k] = in[i][k];
            bl_tape_recurrence_next(run, k);
        }
        assert_memory_equal(expected, bl_tape_recurrence_out(run, 0), STRIDE * sizeof *expected);
    }
    bl_tape_recurrence_destroy(run);
}

/* coefficients of the text with x, y, z given as series; all at once and, again, one coefficient at a time */
static void expand(bl_context *ctx, const char *text, double in[3][STRIDE], double out[STRIDE]) {
    bl_tape *tape = parse(ctx, text);
    double *work = calloc(bl_tape_series_work(tape, ORDER), sizeof *work), again[STRIDE], hidden[3][STRIDE];
    bl_tape_series(tape, ORDER, in[0], out, work);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < STRIDE; k++)
            hidden[i][k] = NAN; /* coefficient k may not use later ones */
    memset(work, 0xff, bl_tape_series_work(tape, ORDER) * sizeof *work);
    for (int k = 0; k <= ORDER; k++) {
        for (int i = 0; i < 3; i++)
            hidden[i][k] = in[i][k];
        bl_tape_series_next(tape, ORDER, k, hidden[0], again, work);
    }
    assert_memory_equal(out, again, sizeof again);
    expand_by_recurrence(ctx, tape, in, out);
    free(work);
    bl_tape_destroy(tape);
}

static void assert_series(const char *text, const double *found, const double *expected, double tolerance) {
    for (int k = 0; k <= ORDER; k++)
        if (!(fabs(found[k] - expected[k]) <= tolerance * fmax(1, fabs(expected[k]))))
            fail_msg("%s: coefficient %d is %.17g, expected %.17g", text, k, found[k], expected[k]);
}

/* ---- every smooth operation */

typedef struct smooth_case {
    const char *text;
    double complex (*f)(double complex x, double complex y);
    double low, high;     /* of x_0; singular arguments are at least 0.4 away */
    double low_y, high_y; /* of y_0 */
} smooth_case;

#define F(name, formula)                                             \
    static double complex name(double complex x, double complex y) { \
        (void)y;                                                     \
        return formula;                                              \
    }
/* clang-format off */
F(f_add, x + y)
F(f_sub, x - y)
F(f_mul, x * y)
F(f_div, x / y)
F(f_pow, cexp(y * clog(x)))
F(f_neg, -x)
F(f_sqrt, csqrt(x))
F(f_exp, cexp(x))
F(f_log, clog(x))
F(f_sin, csin(x))
F(f_cos, ccos(x))
F(f_tan, csin(x) / ccos(x))
F(f_asin, casin(x))
F(f_acos, cacos(x))
F(f_atan, catan(x))
F(f_atan2, catan(x / y))
F(f_sinh, csinh(x))
F(f_cosh, ccosh(x))
F(f_tanh, csinh(x) / ccosh(x))
F(f_scale, 3 * x - x / 7)
F(f_root3, cexp(clog(x) / 3))
F(f_fifth, x * x * x * x * x)
F(f_minus6, 1 / (x * x * x * x * x * x))
F(f_thirteenth, cexp(13 * clog(x)))
F(f_mix, cexp(csin(x * y)) / csqrt(1 + x * x) - catan(y) * ccosh(x) + clog(3 + x * x + y * y))
/* clang-format on */

static const smooth_case smooth[] = {
    {"x + y", f_add, -3, 3, -3, 3},
    {"x - y", f_sub, -3, 3, -3, 3},
    {"x * y", f_mul, -3, 3, -3, 3},
    {"x / y", f_div, -3, 3, 0.6, 3},
    {"x ^ y", f_pow, 0.6, 3, -3, 3},
    {"-x", f_neg, -3, 3, 0, 0},
    {"sqrt(x)", f_sqrt, 0.6, 4, 0, 0},
    {"exp(x)", f_exp, -3, 3, 0, 0},
    {"log(x)", f_log, 0.6, 4, 0, 0},
    {"sin(x)", f_sin, -6, 6, 0, 0},
    {"cos(x)", f_cos, -6, 6, 0, 0},
    {"tan(x)", f_tan, -0.9, 0.9, 0, 0},
    {"asin(x)", f_asin, -0.4, 0.4, 0, 0},
    {"acos(x)", f_acos, -0.4, 0.4, 0, 0},
    {"atan(x)", f_atan, -0.4, 0.4, 0, 0},
    {"atan(x)", f_atan, 0.5, 4, 0, 0},
    {"atan2(x, y)", f_atan2, -0.9, 0.9, 2, 3},
    {"sinh(x)", f_sinh, -3, 3, 0, 0},
    {"cosh(x)", f_cosh, -3, 3, 0, 0},
    {"tanh(x)", f_tanh, -3, 3, 0, 0},
    {"3*x - x/7", f_scale, -3, 3, 0, 0},
    {"x^(1/3)", f_root3, 0.6, 3, 0, 0},
    {"x^5", f_fifth, -2, 2, 0, 0},
    {"x^-6", f_minus6, 0.6, 2, 0, 0},
    {"x^13", f_thirteenth, 0.6, 1.5, 0, 0},
    {"exp(sin(x*y))/sqrt(1+x^2) - atan(y)*cosh(x) + log(3+x^2+y^2)", f_mix, -0.3, 0.3, -0.3, 0.3},
};

static double complex poly(const double *c, double complex t) {
    double complex sum = 0;
    for (int k = ORDER; k >= 0; k--)
        sum = sum * t + c[k];
    return sum;
}

static void smooth_ops__match_cauchy_integrals(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(31)};
    enum { POINTS = 128 };
    const double r = 0.5;
    for (size_t c = 0; c < sizeof smooth / sizeof *smooth; c++)
        for (int trial = 0; trial < 10; trial++) {
            const smooth_case *s = &smooth[c];
            double in[3][STRIDE] = {{0}}, found[STRIDE], largest = 0;
            in[0][0] = s->low + (s->high - s->low) * test_random_unit(&random);
            in[1][0] = s->low_y + (s->high_y - s->low_y) * test_random_unit(&random);
            for (int k = 1; k <= ORDER; k++) /* |x - x_0| < 0.4 for |t| <= 1 */
                for (int i = 0; i < 2; i++)
                    in[i][k] = 0.4 * ldexp(test_random_symmetric(&random), -k);
            expand(ctx, s->text, in, found);
            double complex value[POINTS];
            for (int j = 0; j < POINTS; j++) {
                double complex t = r * cexp(2 * acos(-1) * I * j / POINTS);
                value[j] = s->f(poly(in[0], t), poly(in[1], t));
                largest = fmax(largest, cabs(value[j]));
            }
            for (int k = 0; k <= ORDER; k++) { /* trapezoid rule: aliasing 2^-116, rounding of the values */
                double complex sum = 0;
                for (int j = 0; j < POINTS; j++)
                    sum += value[j] * cexp(-2 * acos(-1) * I * ((j * k) % POINTS) / POINTS);
                double expected = creal(sum) / POINTS, scaled = found[k] * pow(r, k);
                if (!(fabs(scaled - expected) <= 1e-13 * fmax(1, largest)))
                    fail_msg("%s: coefficient %d times r^k is %.17g, expected %.17g", s->text, k, scaled, expected);
            }
        }
    test_context_end(ctx);
}

static void known_series__come_out(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    double t[3][STRIDE] = {{0, 1}}, found[STRIDE], factorial = 1;
    double e[STRIDE], minus_log[STRIDE] = {0}, geometric[STRIDE], cubes[STRIDE];
    for (int k = 0; k <= ORDER; k++) {
        e[k] = 1 / factorial;
        factorial *= k + 1;
        minus_log[k] = k ? 1.0 / k : 0;
        geometric[k] = 1;
        cubes[k] = (k + 1) * (k + 2) / 2.0;
    }
    const double tangent[STRIDE] = {0, 1, 0, 1.0 / 3, 0, 2.0 / 15, 0, 17.0 / 315, 0, 62.0 / 2835, 0, 1382.0 / 155925, 0};
    const double arcsine[STRIDE] = {0, 1, 0, 1.0 / 6, 0, 3.0 / 40, 0, 15.0 / 336, 0, 105.0 / 3456, 0, 945.0 / 42240, 0};
    const double one[STRIDE] = {1}, itself[STRIDE] = {0, 1};
    const struct {
        const char *text;
        const double *expected;
    } cases[] = {{"exp(x)", e},
                 {"-log(1-x)", minus_log},
                 {"1/(1-x)", geometric},
                 {"(1-x)^-3", cubes},
                 {"tan(x)", tangent},
                 {"asin(x)", arcsine},
                 {"sin(x)^2 + cos(x)^2", one},
                 {"cosh(x)^2 - sinh(x)^2", one},
                 {"sqrt(1+x)^2 - x", one},
                 {"atan2(sin(x+2.5), cos(x+2.5)) - 2.5", itself},
                 {"atan2(sin(x-2.8), cos(x-2.8)) + 2.8", itself},
                 {"log(exp(x))", itself},
                 {"acos(cos(x+1)) - 1", itself},
                 {"tanh(x)*cosh(x) - sinh(x) + x", itself}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expand(ctx, cases[i].text, t, found);
        assert_series(cases[i].text, found, cases[i].expected, 1e-14);
    }
    test_context_end(ctx);
}

/* ---- powers at awkward bases */

static void integer_powers__are_products_at_any_base(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    const double bases[][4] = {{0, 1, 0, 0}, {0, 0, 3, -1}, {-2, 1, 0, 0}, {1e-20, 1, 1, 0}, {-1, 0, 2, 5}, {0, 0, 0, 0}, {3, -2, 1, 1}};
    for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
        for (int n = 2; n <= 16; n++) {
            double in[3][STRIDE] = {{0}}, expected[STRIDE] = {1}, absolute[STRIDE] = {1}, found[STRIDE];
            char text[16];
            memcpy(in[0], bases[b], sizeof bases[b]);
            for (int i = 0; i < n; i++) /* integers below 2^53 but for the fourth base, where terms do not cancel */
                for (int k = ORDER; k >= 0; k--) {
                    double sum = 0, size = 0;
                    for (int j = 0; j <= k; j++) {
                        sum += in[0][j] * expected[k - j];
                        size += fabs(in[0][j]) * absolute[k - j];
                    }
                    expected[k] = sum;
                    absolute[k] = size;
                }
            snprintf(text, sizeof text, "x^%d", n);
            expand(ctx, text, in, found);
            for (int k = 0; k <= ORDER; k++)
                if (!(fabs(found[k] - expected[k]) <= 1e-14 * absolute[k]))
                    fail_msg("%s, base %d: coefficient %d is %.17g, expected %.17g", text, (int)b, k, found[k], expected[k]);
            in[1][0] = n; /* the same exponent as a variable that does not vary */
            if (bases[b][0] == 0 || fabs(bases[b][0]) >= 1) {
                expand(ctx, "x^y", in, found);
                for (int k = 0; k <= ORDER; k++)
                    if (!(fabs(found[k] - expected[k]) <= 1e-11 * absolute[k]))
                        fail_msg("x^y, base %d, y = %d: coefficient %d is %.17g, expected %.17g", (int)b, n, k, found[k], expected[k]);
            }
        }
    test_context_end(ctx);
}

static void powers_at_zero__follow_the_leading_term(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    double in[3][STRIDE] = {{0, 0, 4}}, found[STRIDE], cube[STRIDE] = {0, 0, 0, 8}, zero[STRIDE] = {0};
    expand(ctx, "x^1.5", in, found); /* (4 t^2)^1.5 = 8 t^3 */
    assert_series("x^1.5", found, cube, 1e-15);
    double none[3][STRIDE] = {{0}};
    const char *const flat[] = {"x^1.5", "sqrt(x)", "x^7", "x^2000", "x^0.3", "asin(1+x) - asin(1)", "abs(x)", "hypot(x, y)"};
    for (size_t i = 0; i < sizeof flat / sizeof *flat; i++) {
        expand(ctx, flat[i], none, found);
        assert_series(flat[i], found, zero, 1e-15);
    }
    double line[3][STRIDE] = {{0, 1}};
    expand(ctx, "x^2.5", line, found); /* t^2.5 has two derivatives and no third */
    assert_true(found[0] == 0 && found[1] == 0 && found[2] == 0 && !isfinite(found[3]));
    const char *const poles[] = {"sqrt(x)", "1/x", "x^-1", "x^-2", "x^0.5", "x^-0.5", "log(x)", "y/x"};
    for (size_t i = 0; i < sizeof poles / sizeof *poles; i++) {
        expand(ctx, poles[i], line, found);
        assert_false(isfinite(found[2]));
    }
    test_context_end(ctx);
}

/* ---- not smooth: the polynomial of the branch equals the value a little later */

static void branches__continue_to_the_right(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(32)};
    const char *const texts[] = {"abs(x)",
                                 "min(x, y)",
                                 "max(x, y, z)",
                                 "sign(x + 10) * y",
                                 "floor(10.5 + z) + x",
                                 "x < 20 ? y*x : z",
                                 "if(x > 20, sqrt(-1 - x^2), x^3)",
                                 "step(x + 10) + ramp(y)",
                                 "table(f, x)",
                                 "table(f, y - x) * z",
                                 "table(f, x, linear)",
                                 "table(f, y - x, cubic) * z",
                                 "smoothstep(x, -20, 1, 20, 5)",
                                 "not (x < 20) or y > 20 ? log(-1 - y^2) : y"};
    for (int trial = 0; trial < 400; trial++) {
        const char *text = texts[trial % 14];
        double in[3][STRIDE] = {{0}}, found[STRIDE], value, again;
        for (int i = 0; i < 3; i++) /* cubics with many zeros; cubic of cubic has degree 9, times z 12 */
            for (int k = 0; k <= 3; k++)
                in[i][k] = test_random_below(&random, 3) ? test_random_below(&random, 7) - 3 : 0;
        if (strstr(text, "table"))
            in[0][0] += 0.4, in[1][0] += 0.1; /* off the rows: second derivatives jump there */
        expand(ctx, text, in, found);
        bl_tape *tape = parse(ctx, text);
        double work[400], at[3], t = 1.0 / 512;
        for (int i = 0; i < 3; i++)
            at[i] = creal(poly(in[i], t));
        bl_tape_eval(tape, at, &value, work);
        again = creal(poly(found, t));
        if (!(fabs(value - again) <= 1e-13 * fmax(1, fabs(value))))
            fail_msg("trial %d, %s: series gives %.17g, value is %.17g", trial, text, again, value);
        bl_tape_destroy(tape);
    }
    test_context_end(ctx);
}

/* ---- the first two coefficients are the value and the derivative along the direction */

static void order_one__is_the_jacobian_times_the_direction(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(33)};
    const char *const texts[] = {"x*y - z/(4 + x)",
                                 "exp(x)*sin(y)^3 - atan2(z, 5+x)",
                                 "(4+x)^y + (y-3)^7 + (z+5)^-3",
                                 "tanh(x*y*z) + tan(x/3)",
                                 "acos(x/4)*asin(y/4)",
                                 "table(f, x*y)",
                                 "abs(x - y)^1.5",
                                 "log(9 + x*y)/sqrt(9 + z) + sinh(x)*cosh(y)",
                                 "mod(x, 0.7)*z",
                                 "max(x, y)*min(y, z)",
                                 "x > y ? z^2 : sin(z)"};
    for (int trial = 0; trial < 550; trial++) {
        const char *text = texts[trial % 11];
        bl_tape *tape = parse(ctx, text);
        double in[3][STRIDE] = {{0}}, at[3], out[STRIDE], work[1000], value, d[3], along = 0, size = 0;
        for (int i = 0; i < 3; i++) {
            at[i] = in[i][0] = 2 * test_random_symmetric(&random);
            in[i][1] = test_random_symmetric(&random);
        }
        expand(ctx, text, in, out);
        bl_tape_jacobian(tape, at, &value, d, work);
        for (int i = 0; i < 3; i++) {
            along += d[i] * in[i][1];
            size += fabs(d[i] * in[i][1]);
        }
        if (!(fabs(out[0] - value) <= 1e-15 * fabs(value)) || !(fabs(out[1] - along) <= 1e-13 * (size + fabs(value))))
            fail_msg("%s: %.17g %.17g, expected %.17g %.17g", text, out[0], out[1], value, along);
        bl_tape_destroy(tape);
    }
    test_context_end(ctx);
}

/* y' = f(y): (k+1) y_{k+1} = f_k feeds the output back, one coefficient at a time */
static void coefficients_one_by_one__solve_differential_equations(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    const double tangent[STRIDE] = {0, 1, 0, 1.0 / 3, 0, 2.0 / 15, 0, 17.0 / 315, 0, 62.0 / 2835, 0, 1382.0 / 155925, 0};
    double ones[STRIDE], e[STRIDE] = {1};
    for (int k = 0; k <= ORDER; k++) {
        ones[k] = 1;
        e[k] = k ? e[k - 1] / k : 1;
    }
    const struct {
        const char *text;
        const double *expected;
    } cases[] = {{"x^2", ones}, {"1 + x*x", tangent}, {"x", e}, {"exp(log(x))", e}, {"1/cos(atan(x))^2", tangent}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bl_tape *tape = parse(ctx, cases[i].text);
        double in[3][STRIDE] = {{cases[i].expected[0]}}, out[STRIDE], work[1000];
        assert_true(bl_tape_series_work(tape, ORDER) <= 1000);
        for (int k = 0; k < ORDER; k++) {
            bl_tape_series_next(tape, ORDER, k, in[0], out, work);
            in[0][k + 1] = out[k] / (k + 1);
        }
        assert_series(cases[i].text, in[0], cases[i].expected, 1e-13);
        bl_tape_destroy(tape);
    }
    test_context_end(ctx);
}

/* x sin y and x^3: with one of them requested, the other is not computed */
static void recurrences__make_what_is_wanted(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_tape *tape;
    assert_int_equal(bl_tape_create(ctx, &tape), BL_OK);
    bl_index x = bl_tape_input(tape, 0), y = bl_tape_input(tape, 1), square = bl_tape_op2(tape, BL_TAPE_MUL, x, x);
    bl_tape_output(tape, bl_tape_op2(tape, BL_TAPE_MUL, x, bl_tape_op1(tape, BL_TAPE_SIN, y)));
    bl_tape_output(tape, bl_tape_op2(tape, BL_TAPE_MUL, square, x));
    assert_int_equal(bl_tape_finish(tape), BL_OK);
    for (int w = 0; w < 2; w++) {
        bool wanted[2] = {w == 0, w == 1};
        bl_tape_recurrence *run;
        assert_int_equal(bl_tape_recurrence_create(ctx, tape, ORDER, wanted, &run), BL_OK);
        bl_tape_recurrence_in(run, 0)[0] = 2;
        bl_tape_recurrence_in(run, 0)[1] = 1;
        bl_tape_recurrence_in(run, 1)[1] = 1;
        for (int k = 0; k <= ORDER; k++)
            bl_tape_recurrence_next(run, k);
        const double *sine = bl_tape_recurrence_out(run, 0), *cube = bl_tape_recurrence_out(run, 1); /* (2 + t) sin t, (2 + t)^3 */
        const double expected[2][5] = {{0, 2, 1, -1.0 / 3, -1.0 / 6}, {8, 12, 6, 1, 0}};
        for (int k = 0; k < 5; k++) {
            assert_float_equal(sine[k], wanted[0] ? expected[0][k] : 0, 1e-15);
            assert_float_equal(cube[k], wanted[1] ? expected[1][k] : 0, 1e-15);
        }
        bl_tape_recurrence_destroy(run);
    }
    bl_tape_destroy(tape);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_ops__match_cauchy_integrals),
        cmocka_unit_test(known_series__come_out),
        cmocka_unit_test(integer_powers__are_products_at_any_base),
        cmocka_unit_test(powers_at_zero__follow_the_leading_term),
        cmocka_unit_test(branches__continue_to_the_right),
        cmocka_unit_test(order_one__is_the_jacobian_times_the_direction),
        cmocka_unit_test(coefficients_one_by_one__solve_differential_equations),
        cmocka_unit_test(recurrences__make_what_is_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
