/* Recording and running of tapes: derivatives against complex steps, structure, careful cases, tables, splicing, memory. */
#include "support/testing.h"

#include "series/tape_inner.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct op_case {
    bl_tape_op op;
    double low, high, low_b, high_b; /* where operands are drawn */
} op_case;

/* every smooth operation on a domain that avoids its poles */
static const op_case smooth[] = {
    {BL_TAPE_ADD, -3, 3, -3, 3},    {BL_TAPE_SUB, -3, 3, -3, 3},    {BL_TAPE_MUL, -3, 3, -3, 3},     {BL_TAPE_DIV, -3, 3, 0.3, 3},
    {BL_TAPE_DIV, -3, 3, -3, -0.3}, {BL_TAPE_POW, 0.2, 3, -3, 3},   {BL_TAPE_ATAN2, -3, 3, 0.2, 3},  {BL_TAPE_NEG, -3, 3, 0, 0},
    {BL_TAPE_SQRT, 0.1, 9, 0, 0},   {BL_TAPE_EXP, -5, 5, 0, 0},     {BL_TAPE_LOG, 0.1, 9, 0, 0},     {BL_TAPE_SIN, -9, 9, 0, 0},
    {BL_TAPE_COS, -9, 9, 0, 0},     {BL_TAPE_TAN, -1.4, 1.4, 0, 0}, {BL_TAPE_ASIN, -0.9, 0.9, 0, 0}, {BL_TAPE_ACOS, -0.9, 0.9, 0, 0},
    {BL_TAPE_ATAN, -5, 5, 0, 0},    {BL_TAPE_SINH, -4, 4, 0, 0},    {BL_TAPE_COSH, -4, 4, 0, 0},     {BL_TAPE_TANH, -4, 4, 0, 0},
};

static bool binary(bl_tape_op op) { return op <= BL_TAPE_POW || op == BL_TAPE_ATAN2; }

static double complex complex_op(bl_tape_op op, double complex a, double complex b) {
    switch (op) {
    case BL_TAPE_ADD: return a + b;
    case BL_TAPE_SUB: return a - b;
    case BL_TAPE_MUL: return a * b;
    case BL_TAPE_DIV: return a / b;
    case BL_TAPE_POW: return cexp(b * clog(a));
    case BL_TAPE_ATAN2: return catan(a / b);
    case BL_TAPE_NEG: return -a;
    case BL_TAPE_SQRT: return csqrt(a);
    case BL_TAPE_EXP: return cexp(a);
    case BL_TAPE_LOG: return clog(a);
    case BL_TAPE_SIN: return csin(a);
    case BL_TAPE_COS: return ccos(a);
    case BL_TAPE_TAN: return ctan(a);
    case BL_TAPE_ASIN: return casin(a);
    case BL_TAPE_ACOS: return cacos(a);
    case BL_TAPE_ATAN: return catan(a);
    case BL_TAPE_SINH: return csinh(a);
    case BL_TAPE_COSH: return ccosh(a);
    default: return ctanh(a);
    }
}

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance * (1 + fabs(expected))))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

static bl_tape *new_tape(bl_context *ctx) {
    bl_tape *tape;
    assert_int_equal(bl_tape_create(ctx, &tape), BL_OK);
    return tape;
}

static void close_tape(bl_tape *tape, bl_index node) {
    assert_int_equal(bl_tape_output(tape, node), BL_OK);
    assert_int_equal(bl_tape_finish(tape), BL_OK);
}

/* value and derivatives of a one-output tape with at most four inputs and 250 nodes */
static double run(const bl_tape *tape, const double *in, double *d) {
    double work[1000], again[1], out[1];
    assert_true(bl_tape_work(tape) <= 1000);
    bl_tape_eval(tape, in, again, work);
    bl_tape_jacobian(tape, in, out, d, work);
    assert_memory_equal(out, again, sizeof out);
    return out[0];
}

static void smooth_ops__match_complex_steps(void **state) {
    (void)state;
    test_random random = {test_seed(11)};
    bl_context *ctx = test_context(NULL);
    const double h = 1e-30;
    for (size_t c = 0; c < sizeof smooth / sizeof *smooth; c++) {
        const op_case *k = &smooth[c];
        bl_tape *tape = new_tape(ctx);
        bl_index a = bl_tape_input(tape, 0), b = bl_tape_input(tape, 1);
        close_tape(tape, binary(k->op) ? bl_tape_op2(tape, k->op, a, b) : bl_tape_op1(tape, k->op, a));
        assert_true(bl_tape_smooth(tape));
        assert_int_equal(bl_tape_inputs(tape), 2);
        assert_int_equal(bl_tape_depends(tape, 0, 1), binary(k->op));
        for (int trial = 0; trial < 50; trial++) {
            double in[2] = {k->low + (k->high - k->low) * test_random_unit(&random),
                            k->low_b + (k->high_b - k->low_b) * test_random_unit(&random)};
            double d[2], value = run(tape, in, d);
            /* the library's complex functions are good to a few units in the last place of the largest part */
            assert_near(value, creal(complex_op(k->op, in[0], in[1])), 1e-14);
            assert_near(d[0], cimag(complex_op(k->op, in[0] + h * I, in[1])) / h, 1e-13);
            assert_near(d[1], binary(k->op) ? cimag(complex_op(k->op, in[0], in[1] + h * I)) / h : 0, 1e-13);
        }
        bl_tape_destroy(tape);
    }
    test_context_end(ctx);
}

static double plain(bl_tape_op op, double a, double b) {
    switch (op) {
    case BL_TAPE_ABS: return a < 0 ? -a : a;
    case BL_TAPE_SIGN: return a < 0 ? -1 : a > 0;
    case BL_TAPE_MIN: return fmin(a, b);
    case BL_TAPE_MAX: return fmax(a, b);
    case BL_TAPE_FLOOR: return floor(a);
    case BL_TAPE_LESS: return a < b;
    case BL_TAPE_LESS_EQUAL: return !(a > b);
    case BL_TAPE_EQUAL: return !(a < b) && !(a > b);
    case BL_TAPE_AND: return a && b;
    case BL_TAPE_OR: return a || b;
    default: return !a;
    }
}

static void kinked_ops__follow_the_branch(void **state) {
    (void)state;
    test_random random = {test_seed(12)};
    bl_context *ctx = test_context(NULL);
    for (bl_tape_op op = BL_TAPE_ABS; op <= BL_TAPE_NOT; op++) {
        bool two = op == BL_TAPE_MIN || op == BL_TAPE_MAX || (op >= BL_TAPE_LESS && op <= BL_TAPE_OR);
        bl_tape *tape = new_tape(ctx);
        bl_index a = bl_tape_input(tape, 0), b = bl_tape_input(tape, 1);
        close_tape(tape, two ? bl_tape_op2(tape, op, a, b) : bl_tape_op1(tape, op, a));
        assert_false(bl_tape_smooth(tape));
        for (int trial = 0; trial < 60; trial++) {
            double in[2] = {test_random_below(&random, 5) - 2, test_random_below(&random, 5) - 2}, d[2];
            assert_true(run(tape, in, d) == plain(op, in[0], in[1])); /* ties and zeros too */
            in[0] += 0.25 + 0.5 * test_random_unit(&random);          /* now between the kinks, 0.03 away from all */
            in[1] += 0.03 + (in[0] - floor(in[0])) / 8;
            if (fabs(in[0] - in[1]) < 0.02)
                continue;
            assert_true(run(tape, in, d) == plain(op, in[0], in[1]));
            double h = 0.0078125; /* central differences are exact: pieces are linear */
            assert_near(d[0], (plain(op, in[0] + h, in[1]) - plain(op, in[0] - h, in[1])) / (2 * h), 1e-12);
            assert_near(d[1], two ? (plain(op, in[0], in[1] + h) - plain(op, in[0], in[1] - h)) / (2 * h) : 0, 1e-12);
        }
        bl_tape_destroy(tape);
    }
    test_context_end(ctx);
}

static void chain_rule__holds_over_shared_nodes_and_many_outputs(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_tape *tape = new_tape(ctx);
    bl_index x = bl_tape_input(tape, 0), y = bl_tape_input(tape, 1), z = bl_tape_input(tape, 3);
    bl_index xy = bl_tape_op2(tape, BL_TAPE_MUL, x, y), s = bl_tape_op1(tape, BL_TAPE_SIN, xy);
    bl_index f = bl_tape_op2(tape, BL_TAPE_ADD, bl_tape_op2(tape, BL_TAPE_MUL, s, s), bl_tape_op2(tape, BL_TAPE_DIV, xy, z));
    assert_int_equal(bl_tape_output(tape, f), BL_OK);
    assert_int_equal(bl_tape_output(tape, y), BL_OK);
    assert_int_equal(bl_tape_output(tape, bl_tape_op1(tape, BL_TAPE_EXP, s)), BL_OK);
    assert_int_equal(bl_tape_output(tape, bl_tape_const(tape, 7)), BL_OK);
    assert_int_equal(bl_tape_output(tape, y), BL_OK);
    assert_int_equal(bl_tape_finish(tape), BL_OK);
    assert_int_equal(bl_tape_inputs(tape), 4);
    double X = 0.7, Y = -1.3, Z = 2.1, in[4] = {X, Y, 99, Z}, out[5], d[5][4], work[200];
    bl_tape_jacobian(tape, in, out, d[0], work);
    double S = sin(X * Y), C = cos(X * Y);
    double expected[5][4] = {{2 * S * C * Y + Y / Z, 2 * S * C * X + X / Z, 0, -X * Y / Z / Z},
                             {0, 1, 0, 0},
                             {exp(S) * C * Y, exp(S) * C * X, 0, 0},
                             {0, 0, 0, 0},
                             {0, 1, 0, 0}};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 4; j++) {
            assert_near(d[i][j], expected[i][j], 1e-15);
            if (!bl_tape_depends(tape, i, j))
                assert_true(d[i][j] == 0);
            assert_int_equal(bl_tape_depends(tape, i, j), expected[i][j] != 0);
        }
    assert_near(out[0], S * S + X * Y / Z, 1e-15);
    double value = 0;
    assert_true(bl_tape_constant(tape, 3, &value) && value == 7);
    assert_false(bl_tape_constant(tape, 0, &value));
    bl_tape_destroy(tape);
    test_context_end(ctx);
}

static void recording__folds_shares_and_drops(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_tape *tape = new_tape(ctx);
    bl_index x = bl_tape_input(tape, 0), y = bl_tape_input(tape, 1);
    bl_index zero = bl_tape_const(tape, 0), one = bl_tape_const(tape, 1), two = bl_tape_const(tape, 2);
    assert_int_equal(bl_tape_op2(tape, BL_TAPE_ADD, x, zero), x);
    assert_int_equal(bl_tape_op2(tape, BL_TAPE_ADD, zero, x), x);
    assert_int_equal(bl_tape_op2(tape, BL_TAPE_SUB, x, zero), x);
    assert_int_equal(bl_tape_op2(tape, BL_TAPE_SUB, x, x), zero);
    assert_int_equal(bl_tape_op2(tape, BL_TAPE_MUL, one, x), x);
    assert_int_equal(bl_tape_op2(tape, BL_TAPE_MUL, x, zero), zero);
    assert_int_equal(bl_tape_op2(tape, BL_TAPE_MUL, zero, x), zero);
    assert_int_equal(bl_tape_op2(tape, BL_TAPE_DIV, x, one), x);
    assert_int_equal(bl_tape_op2(tape, BL_TAPE_DIV, zero, x), zero);
    assert_int_equal(bl_tape_op2(tape, BL_TAPE_POW, x, zero), one);
    assert_int_equal(bl_tape_op2(tape, BL_TAPE_POW, x, one), x);
    assert_int_equal(bl_tape_op2(tape, BL_TAPE_POW, x, two), bl_tape_op2(tape, BL_TAPE_MUL, x, x));
    assert_int_equal(bl_tape_op1(tape, BL_TAPE_NEG, bl_tape_op1(tape, BL_TAPE_NEG, x)), x);
    assert_int_equal(bl_tape_op2(tape, BL_TAPE_MUL, x, y), bl_tape_op2(tape, BL_TAPE_MUL, y, x));
    assert_int_equal(bl_tape_op1(tape, BL_TAPE_SIN, x), bl_tape_op1(tape, BL_TAPE_SIN, x));
    assert_int_equal(bl_tape_if(tape, one, x, y), x);
    assert_int_equal(bl_tape_if(tape, zero, x, y), y);
    assert_int_equal(bl_tape_if(tape, x, y, two), bl_tape_if(tape, x, y, two));
    bl_index branch[500];
    for (int i = 0; i < 500; i++) { /* many that differ in the last operand only share buckets, never nodes */
        branch[i] = bl_tape_if(tape, x, y, bl_tape_const(tape, i));
        for (int j = 0; j < i; j++)
            assert_int_not_equal(branch[i], branch[j]);
    }
    const double rows[] = {0, 1, 3}, others[] = {0, 1, 4};
    assert_int_equal(bl_tape_table(tape, x, BL_TABLE_MONOTONE, 3, rows, rows), bl_tape_table(tape, x, BL_TABLE_MONOTONE, 3, rows, rows));
    assert_int_not_equal(bl_tape_table(tape, x, BL_TABLE_MONOTONE, 3, rows, rows),
                         bl_tape_table(tape, x, BL_TABLE_MONOTONE, 3, rows, others));
    double value;
    assert_true(bl_tape_known(tape, bl_tape_op1(tape, BL_TAPE_COS, two), &value) && value == cos(2));
    assert_true(bl_tape_known(tape, bl_tape_op2(tape, BL_TAPE_POW, two, two), &value) && value == 4);
    assert_false(bl_tape_known(tape, x, &value));
    close_tape(tape, bl_tape_op2(tape, BL_TAPE_ADD, y, two));
    assert_int_equal(tape->nnode, 3); /* y, 2, the sum */
    assert_int_equal(bl_tape_inputs(tape), 2);
    assert_false(bl_tape_depends(tape, 0, 0));
    bl_tape_destroy(tape);

    tape = new_tape(ctx); /* thousands of equal and different nodes through the growing hash */
    x = bl_tape_input(tape, 0);
    bl_index sum = bl_tape_const(tape, 0);
    for (int i = 0; i < 3000; i++)
        sum = bl_tape_op2(tape, BL_TAPE_ADD, sum, bl_tape_op2(tape, BL_TAPE_MUL, x, bl_tape_const(tape, 2 + i % 1500)));
    close_tape(tape, sum);
    assert_int_equal(tape->nnode, 1 + 1500 + 1500 + 2999);
    double *work = malloc(bl_tape_work(tape) * sizeof *work), in[1] = {3}, d[1], out[1];
    bl_tape_jacobian(tape, in, out, d, work);
    assert_true(d[0] == 2 * (1499 * 1500 / 2 + 2 * 1500) && out[0] == 3 * d[0]);
    free(work);
    bl_tape_destroy(tape);
    test_context_end(ctx);
}

static void integer_powers__are_exact_for_any_base(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    const double bases[] = {-3, -1, 0, 2, 5};
    for (int n = -9; n <= 13; n++) {
        bl_tape *tape = new_tape(ctx);
        bl_index x = bl_tape_input(tape, 0);
        close_tape(tape, bl_tape_op2(tape, BL_TAPE_POW, x, bl_tape_const(tape, n)));
        for (int b = 0; b < 5; b++) {
            double base = bases[b], up = 1, below = 1, d[1] = {0}; /* base^|n| and base^(|n|-1), exact in double */
            for (int i = 0; i < abs(n); i++) {
                below = up;
                up *= base;
            }
            double value = run(tape, &base, d);
            if (n >= 0) {
                assert_true(value == up);
                assert_near(d[0], n * below, n > 4 ? 2e-16 : 0);
            } else if (base != 0) {
                assert_near(value, 1 / up, 1e-16);
                assert_near(d[0], n / up / base, 1e-15);
            } else {
                assert_true(isinf(value) && !isfinite(d[0]));
            }
        }
        bl_tape_destroy(tape);
    }
    test_context_end(ctx);
}

static void poles__give_no_trap(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_tape *tape = new_tape(ctx);
    bl_index x = bl_tape_input(tape, 0), y = bl_tape_input(tape, 1);
    bl_index node[] = {bl_tape_op1(tape, BL_TAPE_SQRT, x), bl_tape_op2(tape, BL_TAPE_DIV, y, x), bl_tape_op2(tape, BL_TAPE_POW, x, y),
                       bl_tape_op1(tape, BL_TAPE_SQRT, bl_tape_op2(tape, BL_TAPE_MUL, x, x)), bl_tape_op2(tape, BL_TAPE_ATAN2, x, x)};
    for (int i = 0; i < 5; i++)
        assert_int_equal(bl_tape_output(tape, node[i]), BL_OK);
    assert_int_equal(bl_tape_finish(tape), BL_OK);
    double in[2] = {0, 1.5}, out[5], d[5][2], work[100];
    bl_tape_jacobian(tape, in, out, d[0], work);
    assert_true(out[0] == 0 && isinf(d[0][0]) && d[0][1] == 0);
    assert_true(isinf(out[1]) && !isfinite(d[1][0]));
    assert_true(out[2] == 0 && d[2][0] == 0 && d[2][1] == 0); /* 0^1.5 has the derivative 0 */
    assert_true(out[3] == 0 && d[3][0] == 0);
    bl_tape_destroy(tape);
    test_context_end(ctx);
}

static void branch_not_taken__does_no_harm(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_tape *tape = new_tape(ctx);
    bl_index x = bl_tape_input(tape, 0), zero = bl_tape_const(tape, 0);
    /* x > 0 ? sqrt(x) + log(x) : 2 x */
    bl_index bad = bl_tape_op2(tape, BL_TAPE_ADD, bl_tape_op1(tape, BL_TAPE_SQRT, x), bl_tape_op1(tape, BL_TAPE_LOG, x));
    bl_index good = bl_tape_op2(tape, BL_TAPE_MUL, x, bl_tape_const(tape, 2));
    close_tape(tape, bl_tape_if(tape, bl_tape_op2(tape, BL_TAPE_LESS, zero, x), bad, good));
    double d[1], points[] = {-3, 0};
    for (int i = 0; i < 2; i++) {
        assert_true(run(tape, &points[i], d) == 2 * points[i]);
        assert_true(d[0] == 2);
    }
    double one = 1;
    assert_true(run(tape, &one, d) == 1 && d[0] == 1.5);
    bl_tape_destroy(tape);
    test_context_end(ctx);
}

static bl_tape *table_tape(bl_context *ctx, bl_index n, const double *x, const double *y) {
    bl_tape *tape = new_tape(ctx);
    close_tape(tape, bl_tape_table(tape, bl_tape_input(tape, 0), BL_TABLE_MONOTONE, n, x, y));
    return tape;
}

static void table__is_monotone_and_passes_through_its_rows(void **state) {
    (void)state;
    test_random random = {test_seed(13)};
    bl_context *ctx = test_context(NULL);
    enum { N = 12 };
    for (int trial = 0; trial < 50; trial++) {
        double x[N], y[N], d[1];
        x[0] = y[0] = 0;
        for (int i = 1; i < N; i++) {
            double r = test_random_unit(&random);
            x[i] = x[i - 1] + 0.01 + test_random_unit(&random);
            y[i] = y[i - 1] + (test_random_below(&random, 4) ? r * r * r * 10 : 0);
        }
        bl_tape *tape = table_tape(ctx, N, x, y);
        for (int i = 0; i < N; i++)
            assert_near(run(tape, &x[i], d), y[i], 1e-15);
        double previous = -1e-12, end = x[N - 1];
        for (int i = 0; i + 1 < N; i++) {
            double w = x[i + 1] - x[i], secant = (y[i + 1] - y[i]) / w, h = 1e-4 * w, unused[1];
            for (int j = 0; j <= 100; j++) {
                double at = j == 100 ? x[i + 1] : x[i] + w * j / 100, low = at - h, high = at + h, value = run(tape, &at, d);
                assert_true(value >= previous - 1e-13 * y[N - 1] && d[0] >= -1e-12 * (1 + secant));
                previous = value;
                /* central differences inside a piece: |third derivative| <= 48 secant / w^2, rounding eps y / h */
                double error = 8e-8 * secant + 4e-16 * y[N - 1] / h;
                if (j > 0 && j < 100)
                    assert_true(fabs(d[0] - (run(tape, &high, unused) - run(tape, &low, unused)) / (2 * h)) <= error);
            }
        }
        for (int i = 1; i + 1 < N; i++) { /* slopes meet at the rows: |second derivative| <= 18 secant / w on both sides */
            double h = 1e-9, low = x[i] - h, before[1], bend = 0;
            for (int j = i; j <= i + 1; j++)
                bend = fmax(bend, 18 * (y[j] - y[j - 1]) / ((x[j] - x[j - 1]) * (x[j] - x[j - 1])));
            run(tape, &low, before);
            run(tape, &x[i], d);
            assert_true(fabs(d[0] - before[0]) <= h * bend + 1e-12 * (1 + fabs(d[0])));
        }
        double beyond[] = {-5, end + 3, -INFINITY, INFINITY};
        for (int i = 0; i < 4; i++) {
            assert_true(run(tape, &beyond[i], d) == (beyond[i] < 0 ? y[0] : y[N - 1]));
            assert_true(d[0] == 0);
        }
        bl_tape_destroy(tape);
    }
    test_context_end(ctx);
}

static void table__reproduces_monotone_parabolas(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    double x[] = {1, 1.5, 2.25, 3, 4, 5}, y[6], d[1];
    for (int i = 0; i < 6; i++)
        y[i] = x[i] * x[i];
    bl_tape *tape = table_tape(ctx, 6, x, y);
    for (int i = 0; i < 400; i++) {
        double at = 1 + i * 0.01;
        assert_near(run(tape, &at, d), at * at, 1e-14);
        assert_near(d[0], 2 * at, 1e-13);
    }
    bl_tape_destroy(tape);
    tape = table_tape(ctx, 2, x, y); /* two rows: a line */
    double at = 1.25;
    assert_near(run(tape, &at, d), 1.625, 1e-15);
    assert_near(d[0], 2.5, 1e-15);
    bl_tape_destroy(tape);
    tape = table_tape(ctx, 1, x, y);
    assert_true(run(tape, &at, d) == 1 && d[0] == 0);
    bl_tape_destroy(tape);

    const double falling[] = {1, 3, 2}, broken[] = {1, NAN, 2};
    for (int i = 0; i < 3; i++) { /* refused, and the refusal sticks */
        tape = new_tape(ctx);
        assert_int_equal(bl_tape_table(tape, bl_tape_input(tape, 0), BL_TABLE_MONOTONE, i == 2 ? 0 : 3, i ? x : falling, i ? broken : y),
                         -1);
        assert_int_equal(bl_tape_const(tape, 1), -1);
        assert_int_equal(bl_tape_finish(tape), BL_E_ARG);
        bl_tape_destroy(tape);
    }
    test_context_end(ctx);
}

static void splice__computes_the_same(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    const double tx[] = {0, 1, 2}, ty[] = {0, 1, 4};
    bl_tape *inner = new_tape(ctx);
    bl_index x = bl_tape_input(inner, 0), y = bl_tape_input(inner, 1);
    bl_index f = bl_tape_if(inner, bl_tape_op2(inner, BL_TAPE_LESS, x, y), bl_tape_op2(inner, BL_TAPE_MUL, x, y),
                            bl_tape_table(inner, bl_tape_op1(inner, BL_TAPE_SQRT, x), BL_TABLE_MONOTONE, 3, tx, ty));
    assert_int_equal(bl_tape_output(inner, f), BL_OK);
    assert_int_equal(bl_tape_output(inner, x), BL_OK);
    assert_int_equal(bl_tape_finish(inner), BL_OK);

    bl_tape *outer = new_tape(ctx);
    bl_index u = bl_tape_input(outer, 0), v = bl_tape_input(outer, 1), nodes[2];
    bl_index swapped[2] = {bl_tape_op2(outer, BL_TAPE_ADD, u, v), u};
    assert_int_equal(bl_tape_splice(outer, inner, swapped, nodes), BL_OK);
    assert_int_equal(nodes[1], swapped[0]);
    bl_index first = nodes[0];
    assert_int_equal(bl_tape_splice(outer, inner, swapped, nodes), BL_OK);
    assert_int_equal(nodes[0], first); /* shared, tables too */
    close_tape(outer, first);
    double points[2][2] = {{0.5, 1.5}, {0.5, -0.1}}, d[2], e[4], out[2], work[100];
    for (int i = 0; i < 2; i++) {
        double in[2] = {points[i][0] + points[i][1], points[i][0]};
        bl_tape_jacobian(inner, in, out, e, work);
        assert_true(run(outer, points[i], d) == out[0]);
        assert_near(d[0], e[0] + e[1], 1e-15);
        assert_near(d[1], e[0], 1e-15);
    }
    bl_tape_destroy(outer);

    outer = new_tape(ctx); /* constants in, a constant out */
    bl_index known[2] = {bl_tape_const(outer, 2), bl_tape_const(outer, 3)};
    assert_int_equal(bl_tape_splice(outer, inner, known, nodes), BL_OK);
    close_tape(outer, nodes[0]);
    double value;
    assert_true(bl_tape_constant(outer, 0, &value) && value == 6);
    assert_int_equal(outer->nnode, 1);
    assert_true(run(outer, NULL, d) == 6);
    bl_tape_destroy(outer);

    outer = new_tape(ctx);
    bl_index missing[2] = {bl_tape_const(outer, 2), -1};
    assert_int_equal(bl_tape_splice(outer, inner, missing, nodes), BL_E_ARG);
    assert_int_equal(bl_tape_finish(outer), BL_E_ARG);
    bl_tape_destroy(outer);
    bl_tape_destroy(inner);
    test_context_end(ctx);
}

static void wrong_calls__are_reported_by_finish(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    for (int i = 0; i < 5; i++) {
        bl_tape *tape = new_tape(ctx);
        bl_index x = bl_tape_input(tape, 0), bad = 0;
        switch (i) {
        case 0: bad = bl_tape_op1(tape, BL_TAPE_SIN, 5); break;
        case 1: bad = bl_tape_op1(tape, BL_TAPE_ADD, x); break;
        case 2: bad = bl_tape_op2(tape, BL_TAPE_SIN, x, x); break;
        case 3: bad = bl_tape_input(tape, -1); break;
        default: bad = bl_tape_if(tape, x, x, -1); break;
        }
        assert_int_equal(bad, -1);
        assert_int_equal(bl_tape_output(tape, x), BL_E_ARG);
        assert_int_equal(bl_tape_status(tape), BL_E_ARG);
        assert_int_equal(bl_tape_finish(tape), BL_E_ARG);
        bl_tape_destroy(tape);
    }
    bl_tape *tape = new_tape(ctx);
    assert_int_equal(bl_tape_finish(tape), BL_OK); /* empty */
    assert_int_equal(bl_tape_const(tape, 1), -1);
    bl_tape_destroy(tape);
    bl_tape_destroy(NULL);
    test_context_end(ctx);
}

static bl_status record_much(bl_context *ctx, void *user) {
    (void)user;
    const double tx[] = {0, 1, 2}, ty[] = {0, 1, 4};
    bl_tape *tape = NULL, *outer = NULL;
    bl_status status = bl_tape_create(ctx, &tape);
    if (status == BL_OK)
        status = bl_tape_create(ctx, &outer);
    if (status == BL_OK) {
        bl_index x = bl_tape_input(tape, 0), sum = bl_tape_table(tape, x, BL_TABLE_MONOTONE, 3, tx, ty);
        for (int i = 0; i < 40; i++)
            sum = bl_tape_op1(tape, BL_TAPE_SIN, bl_tape_op2(tape, BL_TAPE_ADD, sum, bl_tape_const(tape, i)));
        bl_tape_output(tape, sum);
        bl_tape_output(tape, bl_tape_op2(tape, BL_TAPE_POW, x, bl_tape_const(tape, 7)));
        status = bl_tape_finish(tape);
    }
    if (status == BL_OK) {
        bl_index x = bl_tape_input(outer, 0), out[2];
        bl_tape_splice(outer, tape, &x, out);
        bl_tape_output(outer, out[0]);
        status = bl_tape_finish(outer);
    }
    bl_tape_destroy(tape);
    bl_tape_destroy(outer);
    return status;
}

static void recording__survives_failing_allocations(void **state) {
    (void)state;
    assert_true(test_failing_allocations(record_much, NULL) > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_ops__match_complex_steps),
        cmocka_unit_test(kinked_ops__follow_the_branch),
        cmocka_unit_test(chain_rule__holds_over_shared_nodes_and_many_outputs),
        cmocka_unit_test(recording__folds_shares_and_drops),
        cmocka_unit_test(integer_powers__are_exact_for_any_base),
        cmocka_unit_test(poles__give_no_trap),
        cmocka_unit_test(branch_not_taken__does_no_harm),
        cmocka_unit_test(table__is_monotone_and_passes_through_its_rows),
        cmocka_unit_test(table__reproduces_monotone_parabolas),
        cmocka_unit_test(splice__computes_the_same),
        cmocka_unit_test(wrong_calls__are_reported_by_finish),
        cmocka_unit_test(recording__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
