/* Tables: each interpolation against what defines it, integrals of a trapezoid, knots and how smooth they are. */
#include "series/pieces.h"
#include "series/tape_inner.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

static const bl_tape_interpolation kinds[] = {BL_TABLE_LINEAR, BL_TABLE_MONOTONE, BL_TABLE_CUBIC};

static bl_tape *tape_by(bl_context *ctx, bl_tape_interpolation by, bl_index n, const double *x, const double *y) {
    bl_tape *tape;
    assert_int_equal(bl_tape_create(ctx, &tape), BL_OK);
    assert_int_equal(bl_tape_output(tape, bl_tape_table(tape, bl_tape_input(tape, 0), by, n, x, y)), BL_OK);
    assert_int_equal(bl_tape_finish(tape), BL_OK);
    return tape;
}

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance * (1 + fabs(expected))))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

static double value_at(const bl_tape *tape, double at, double *slope) {
    double value, work[64];
    bl_tape_jacobian(tape, &at, &value, slope, work);
    return value;
}

/* coefficients of the expansion about `at`: value, slope, half the second derivative, a sixth of the third */
static void expansion(const bl_tape *tape, double at, double out[4]) {
    double in[4] = {at, 1}, work[64];
    assert_true(bl_tape_series_work(tape, 3) <= 64);
    bl_tape_series(tape, 3, in, out, work);
}

static void linear__is_straight_between_rows(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    const double x[] = {-1, 0, 0.5, 3}, y[] = {2, -1, 4, 4};
    bl_tape *tape = tape_by(ctx, BL_TABLE_LINEAR, 4, x, y);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 8; k++) {
            double s = k / 8.0, d, secant = (y[i + 1] - y[i]) / (x[i + 1] - x[i]), c[4];
            double at = x[i] + s * (x[i + 1] - x[i]);
            assert_near(value_at(tape, at, &d), y[i] + s * (y[i + 1] - y[i]), 1e-15);
            assert_near(d, secant, 1e-15);
            expansion(tape, at, c);
            assert_near(c[1], secant, 1e-15);
            assert_true(c[2] == 0 && c[3] == 0);
        }
    double d;
    assert_true(value_at(tape, -9, &d) == 2 && d == 0);
    assert_true(value_at(tape, 9, &d) == 4 && d == 0);
    bl_tape_destroy(tape);
    test_context_end(ctx);
}

/* A not-a-knot spline of four and more rows is the cubic through them when there is one; three rows make a parabola, two a line. */
static void cubic__reproduces_polynomials(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(71)};
    for (int trial = 0; trial < 200; trial++) {
        int n = 2 + test_random_below(&random, 9), degree = n > 3 ? 3 : n - 1;
        double x[12], y[12], c[4] = {0}, d;
        for (int k = 0; k <= degree; k++)
            c[k] = 2 * test_random_unit(&random) - 1;
        for (int i = 0; i < n; i++) {
            x[i] = (i ? x[i - 1] : -1) + 0.05 + test_random_unit(&random);
            y[i] = c[0] + x[i] * (c[1] + x[i] * (c[2] + x[i] * c[3]));
        }
        bl_tape *tape = tape_by(ctx, BL_TABLE_CUBIC, n, x, y);
        double size = 1 + pow(fabs(x[n - 1]), 3);
        for (int k = 0; k < 50; k++) {
            double at = x[0] + (x[n - 1] - x[0]) * k / 50.0;
            /* slopes are differences of values over widths of 0.05 at least */
            assert_near(value_at(tape, at, &d), c[0] + at * (c[1] + at * (c[2] + at * c[3])), 1e-14 * size);
            assert_near(d, c[1] + at * (2 * c[2] + 3 * at * c[3]), 1e-12 * size);
        }
        for (int i = 1; i + 1 < n; i++)
            assert_int_equal(bl_tape_knot_smooth(tape, tape->nnode - 1, i) >= 2, true);
        bl_tape_destroy(tape);
    }
    test_context_end(ctx);
}

/* Values, slopes and second derivatives meet at every row inside; third ones at the second row and the last but one. */
static void cubic__is_a_spline(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(72)};
    enum { N = 10 };
    for (int trial = 0; trial < 50; trial++) {
        double x[N], y[N];
        for (int i = 0; i < N; i++) {
            x[i] = (i ? x[i - 1] : 0) + 0.2 + test_random_unit(&random);
            y[i] = 2 * test_random_unit(&random) - 1;
        }
        bl_tape *tape = tape_by(ctx, BL_TABLE_CUBIC, N, x, y);
        for (int i = 1; i + 1 < N; i++) {
            double left[4], right[4], middle = 0.5 * (x[i - 1] + x[i]), h = x[i] - middle;
            expansion(tape, middle, left);
            expansion(tape, x[i], right);
            assert_near(right[0], y[i], 1e-15);
            assert_near(left[0] + h * (left[1] + h * (left[2] + h * left[3])), right[0], 1e-12);
            assert_near(left[1] + h * (2 * left[2] + 3 * h * left[3]), right[1], 1e-11);
            assert_near(left[2] + 3 * h * left[3], right[2], 1e-10);
            bool same = i == 1 || i == N - 2;
            if (same)
                assert_near(left[3], right[3], 1e-9);
            assert_int_equal(bl_tape_knot_smooth(tape, 1, i), same ? 3 : 2);
        }
        bl_tape_destroy(tape);
    }
    test_context_end(ctx);
}

/* A velocity that rises to 2 in 1 s, stays 2 s and falls in 1 s covers 6; smooth curves through the same rows bulge. */
static void trapezoid__covers_its_area_when_linear(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    const double x[] = {0, 1, 3, 4}, y[] = {0, 2, 2, 0};
    const double area[] = {6, 6 + 4.0 / 9, 64.0 / 9}; /* monotone: slopes 8/3 and 0 at the ends; cubic: the parabola (4 x - x^2) 2/3 */
    for (int k = 0; k < 3; k++) {
        bl_tape *tape = tape_by(ctx, kinds[k], 4, x, y);
        double sum = 0;
        for (int i = 0; i < 3; i++) { /* two Gauss points make a cubic exact */
            double middle = 0.5 * (x[i] + x[i + 1]), half = 0.5 * (x[i + 1] - x[i]), d;
            for (int side = -1; side <= 1; side += 2)
                sum += half * value_at(tape, middle + side * half / sqrt(3), &d);
        }
        assert_near(sum, area[k], 1e-14);
        bl_tape_destroy(tape);
    }
    test_context_end(ctx);
}

static void knots__are_listed_with_their_smoothness(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    /* rows 1, 2 and 3 lie on one line; the monotone curve begins flat, since its three-point slope there is 0 */
    const double x[] = {0, 1, 2, 3, 4, 5.5}, y[] = {0, 0.1, 0.4, 0.7, 2, 1};
    const int smooth[3][6] = {{0, 0, 3, 0, 0, 0}, {1, 1, 1, 1, 1, 0}, {0, 3, 2, 2, 3, 0}};
    for (int k = 0; k < 3; k++) {
        bl_tape *tape = tape_by(ctx, kinds[k], 6, x, y);
        bl_index tables = 0;
        for (bl_index i = 0; i < tape->nnode; i++) {
            if (tape->node[i].op != BL_TAPE_TABLE)
                continue;
            tables++;
            for (bl_index j = 0; j < 6; j++)
                assert_int_equal(bl_tape_knot_smooth(tape, i, j), smooth[k][j]);
        }
        assert_int_equal(tables, 1);
        /* the same knots as events see them */
        const uint8_t does[1] = {BL_INPUT_TIME};
        bl_pieces pieces = {0};
        assert_int_equal(bl_pieces_create(ctx, tape, -1, 1, does, &pieces), BL_OK);
        assert_int_equal(pieces.count, 1);
        assert_int_equal(pieces.at[0].nknot, 6);
        assert_true(pieces.at[0].kink);
        assert_memory_equal(pieces.at[0].knot, x, sizeof x);
        bl_pieces_destroy(ctx, &pieces);
        bl_tape_destroy(tape);
    }
    test_context_end(ctx);
}

/* the derivative of a linear table jumps where the table has a kink */
static void knots__of_derivatives_are_one_less_smooth(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    const double x[] = {0, 1, 3, 4}, y[] = {0, 2, 2, 0};
    const int inside[] = {-1, 0, 3}; /* the spline is one parabola */
    for (int k = 0; k < 3; k++) {
        bl_tape *tape;
        assert_int_equal(bl_tape_create(ctx, &tape), BL_OK);
        bl_index root = bl_tape_table(tape, bl_tape_input(tape, 0), kinds[k], 4, x, y);
        bl_tape_gradients made = {0};
        assert_int_equal(bl_tape_differentiate(tape, 1, &root, &made), BL_OK);
        assert_int_equal(bl_tape_output(tape, made.node[0]), BL_OK);
        bl_tape_gradients_destroy(tape, &made);
        assert_int_equal(bl_tape_finish(tape), BL_OK);
        const uint8_t does[1] = {BL_INPUT_TIME};
        bl_pieces pieces = {0};
        assert_int_equal(bl_pieces_create(ctx, tape, -1, 1, does, &pieces), BL_OK);
        assert_int_equal(pieces.count, 1);
        assert_int_equal(pieces.at[0].nknot, 4);
        assert_false(pieces.at[0].kink); /* beyond the ends the table is constant: its slope jumps there */
        bl_pieces_destroy(ctx, &pieces);
        assert_int_equal(bl_tape_knot_smooth(tape, tape->nnode - 1, 1), inside[k]);
        assert_int_equal(bl_tape_knot_smooth(tape, tape->nnode - 1, 0), -1);
        bl_tape_destroy(tape);
    }
    test_context_end(ctx);
}

/* equal data by different words are different tables, by the same word one */
static void tables__are_shared_by_data_and_word(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    const double x[] = {0, 1, 3, 4}, y[] = {0, 2, 2, 0};
    bl_tape *tape;
    assert_int_equal(bl_tape_create(ctx, &tape), BL_OK);
    bl_index at = bl_tape_input(tape, 0), node[3];
    for (int k = 0; k < 3; k++)
        node[k] = bl_tape_table(tape, at, kinds[k], 4, x, y);
    assert_true(node[0] != node[1] && node[1] != node[2]);
    for (int k = 0; k < 3; k++)
        assert_int_equal(bl_tape_table(tape, at, kinds[k], 4, x, y), node[k]);
    assert_int_equal(bl_tape_table(tape, at, BL_TABLE_MONOTONE, 4, x, y), node[1]);
    bl_tape_destroy(tape);
    test_context_end(ctx);
}

static bl_status record(bl_context *ctx, void *user) {
    (void)user;
    const double x[] = {0, 1, 3, 4, 7}, y[] = {0, 2, 2, 0, 1};
    bl_tape *tape;
    BL_TRY(bl_tape_create(ctx, &tape));
    bl_index at = bl_tape_input(tape, 0);
    bl_status status = BL_OK;
    for (int k = 0; k < 3 && status == BL_OK; k++)
        status = bl_tape_output(tape, bl_tape_table(tape, at, kinds[k], 5, x, y));
    if (status == BL_OK)
        status = bl_tape_finish(tape);
    bl_tape_destroy(tape);
    return status;
}

static void recording__survives_failing_allocations(void **state) {
    (void)state;
    assert_true(test_failing_allocations(record, NULL) > 3);
    assert_true(test_failing_once(record, NULL) > 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear__is_straight_between_rows),
        cmocka_unit_test(cubic__reproduces_polynomials),
        cmocka_unit_test(cubic__is_a_spline),
        cmocka_unit_test(trapezoid__covers_its_area_when_linear),
        cmocka_unit_test(knots__are_listed_with_their_smoothness),
        cmocka_unit_test(knots__of_derivatives_are_one_less_smooth),
        cmocka_unit_test(tables__are_shared_by_data_and_word),
        cmocka_unit_test(recording__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
