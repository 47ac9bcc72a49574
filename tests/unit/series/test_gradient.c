/* Derivatives recorded on the tape agree with those of the reverse sweep, also when they are taken twice, and know where they are zero;
 * programs compute what tapes compute, whatever was computed before. */
#include "series/expr.h"
#include "series/tape.h"
#include "support/testing.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NIN = 4, MOST = 512 };

static bl_status find_name(void *user, bl_tape *tape, const char *name, const bl_place *place, bl_index *node, const char **nearest) {
    (void)user;
    (void)place;
    (void)nearest;
    if (name[0] < 'a' || name[0] >= 'a' + NIN || name[1])
        return BL_AGAIN;
    *node = bl_tape_input(tape, name[0] - 'a');
    return BL_OK;
}

static bl_status find_table(void *user, const char *file, const bl_place *place, bl_index *n, const double **x, const double **y) {
    static const double at[] = {-2, -1, 0.5, 1, 3}, value[] = {0, 1, 1.5, 4, 3};
    (void)user;
    (void)file;
    (void)place;
    *n = 5;
    *x = at;
    *y = value;
    return BL_OK;
}

static const bl_expr_scope scope = {.name = find_name, .table = find_table};

static bl_index record(bl_context *ctx, bl_tape *tape, const char *text) {
    bl_index node = -1;
    assert_int_equal(bl_expr_parse(ctx, text, strlen(text), NULL, &scope, tape, &node), BL_OK);
    return node;
}

/* every operation, alone and inside others */
static const char *const texts[] = {
    "a + b*c - d/a",
    "a^3 + b^-2 + c^0.5 + d^1.5 + a^-1.5 + b^5",
    "a^b + 2^c",
    "-(a - b) + abs(a*b - 1) + sign(c)",
    "sqrt(a*a + b*b) * exp(-c) + log(d)",
    "sin(a*b) + cos(a*b)^2 + tan(c) + sin(c)*cos(c)",
    "asin(a/3) + acos(b/3) + atan(c) + atan2(a, b)",
    "sinh(a) + cosh(b) + tanh(c*d)",
    "min(a, b) * max(c, d) + floor(a)",
    "if(a < b, a*c, b*d) + (c >= d ? c : d^2)",
    "table(x, a) * table(x, b - 1) + table(x, 100)",
    "table(x, a, linear) * table(x, b - 1, cubic) + table(x, 100, linear)",
    "smoothstep(a, 0, 1, 3, 5) + mod(b, 0.7) + hypot(c, d)",
    "(a - b)*(a + b)/(c*d)",
    "7",
};
enum { NTEXT = sizeof texts / sizeof *texts };

static void finish(bl_tape *tape, bl_index n, const bl_index *node) {
    for (bl_index k = 0; k < n; k++)
        assert_int_equal(bl_tape_output(tape, node[k]), BL_OK);
    assert_int_equal(bl_tape_finish(tape), BL_OK);
    assert_true(bl_tape_work(tape) <= 4 * MOST * NTEXT);
}

static double work[4 * MOST * NTEXT], out[MOST], d_out[MOST * NIN];

static void recorded_derivatives__agree_with_the_reverse_sweep(void **state) {
    (void)state;
    static const double in[NIN] = {0.7, 1.3, 0.4, 2.1};
    for (int k = 0; k < NTEXT; k++) {
        bl_context *ctx = test_context(NULL);
        bl_tape *tape;
        bl_tape_gradients first, second;
        assert_int_equal(bl_tape_create(ctx, &tape), BL_OK);
        bl_index root = record(ctx, tape, texts[k]), keep[1 + NIN];
        for (bl_index i = 0; i < NIN; i++)
            bl_tape_input(tape, i); /* all there */
        assert_int_equal(bl_tape_differentiate(tape, 1, &root, &first), BL_OK);
        bl_index n = first.start[1];
        keep[0] = root;
        for (bl_index e = 0; e < n; e++)
            keep[1 + e] = first.node[e];
        assert_int_equal(bl_tape_differentiate(tape, n, first.node, &second), BL_OK);
        double recorded[NIN * NIN];
        for (bl_index e = 0; e < 1 + n; e++)
            assert_int_equal(bl_tape_output(tape, keep[e]), BL_OK);
        for (bl_index e = 0; e < second.start[n]; e++)
            assert_int_equal(bl_tape_output(tape, second.node[e]), BL_OK);
        assert_int_equal(bl_tape_finish(tape), BL_OK);
        bl_tape_jacobian(tape, in, out, d_out, work);
        for (bl_index i = 0, e = 0; i < NIN; i++) {
            bool present = e < n && first.input[e] == i;
            double found = present ? out[1 + e] : 0, expected = d_out[i];
            if (!(fabs(found - expected) <= 1e-13 * (1 + fabs(expected))))
                fail_msg("%s by input %d: %.17g, reverse sweep %.17g", texts[k], (int)i, found, expected);
            e += present;
        }
        for (bl_index e = 0; e < n; e++) { /* the second ones against the reverse sweep of the first */
            for (bl_index i = 0; i < NIN; i++)
                recorded[e * NIN + i] = 0;
            for (bl_index s = second.start[e]; s < second.start[e + 1]; s++)
                recorded[e * NIN + second.input[s]] = out[1 + n + s];
            for (bl_index i = 0; i < NIN; i++) {
                double expected = d_out[(1 + e) * NIN + i];
                if (!(fabs(recorded[e * NIN + i] - expected) <= 1e-12 * (1 + fabs(expected))))
                    fail_msg("%s, second by %d and %d: %.17g, %.17g", texts[k], (int)first.input[e], (int)i, recorded[e * NIN + i],
                             expected);
            }
        }
        bl_tape_gradients_destroy(tape, &first);
        bl_tape_gradients_destroy(tape, &second);
        bl_tape_destroy(tape);
        test_context_end(ctx);
    }
}

/* where the inner derivative vanishes, the second derivative of a root does not */
static void second_derivatives__are_right_where_first_ones_vanish(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double at, second;
    } cases[] = {{"sqrt(4 + a*a)", 0, 0.5},
                 {"(4 + a*a)^0.5", 0, 0.5},
                 {"(1 + a^2)^-1.5", 0, -3},
                 {"asin(a*a)", 0, 2},
                 {"acos(0.5 + a^4)", 0, 0},
                 {"hypot(a - 1, 2)", 1, 0.5},
                 {"sqrt(a)", 4, -1.0 / 32},
                 {"acos(0.5 - a*a)", 0, 2.309401076758503058},
                 {"(2 + a*a)^(1 + a*a)", 0, 4.7725887222397812377}};
    bl_context *ctx = test_context(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bl_tape *tape;
        bl_tape_gradients d[2] = {{0}};
        double at[1] = {cases[i].at}, found, room[MOST], slope[1];
        assert_int_equal(bl_tape_create(ctx, &tape), BL_OK);
        bl_index node = record(ctx, tape, cases[i].text);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(bl_tape_differentiate(tape, 1, &node, &d[k]), BL_OK);
            node = d[k].start[1] ? d[k].node[0] : bl_tape_const(tape, 0);
        }
        finish(tape, 1, &node);
        assert_true(bl_tape_work(tape) <= MOST);
        bl_tape_jacobian(tape, at, &found, slope, room);
        if (!(fabs(found - cases[i].second) < 1e-13))
            fail_msg("%s: %.17g, expected %.17g", cases[i].text, found, cases[i].second);
        for (int k = 0; k < 2; k++)
            bl_tape_gradients_destroy(tape, &d[k]);
        bl_tape_destroy(tape);
    }
    test_context_end(ctx);
}

static void derivatives__are_left_out_where_they_are_zero(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int inputs; /* bits */
    } cases[] = {
        {"a*b", 3},     {"a - a + c", 4}, {"sign(a)*b", 2}, {"floor(a) + (b < c)", 0}, {"if(a > b, c, c)", 4}, {"if(a > b, c, d)", 12},
        {"0*a + d", 8}, {"max(a, a)", 1}, {"3", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bl_context *ctx = test_context(NULL);
        bl_tape *tape;
        bl_tape_gradients d;
        assert_int_equal(bl_tape_create(ctx, &tape), BL_OK);
        bl_index root = record(ctx, tape, cases[k].text);
        assert_int_equal(bl_tape_differentiate(tape, 1, &root, &d), BL_OK);
        int inputs = 0;
        for (bl_index e = 0; e < d.start[1]; e++)
            inputs |= 1 << d.input[e];
        if (inputs != cases[k].inputs)
            fail_msg("%s: derivatives by %x, wanted %x", cases[k].text, inputs, cases[k].inputs);
        bl_tape_gradients_destroy(tape, &d);
        bl_tape_destroy(tape);
        test_context_end(ctx);
    }
}

static void uses__separate_smooth_from_rough(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_tape *tape;
    assert_int_equal(bl_tape_create(ctx, &tape), BL_OK);
    bl_index root = record(ctx, tape, "a*sin(b) + abs(b*c) + 0*d");
    uint8_t use[NIN] = {0};
    assert_int_equal(bl_tape_uses(tape, 1, &root, use), BL_OK);
    assert_int_equal(use[0], BL_USES_INPUT);
    assert_int_equal(use[1], BL_USES_INPUT | BL_USES_ROUGHLY);
    assert_int_equal(use[2], BL_USES_INPUT | BL_USES_ROUGHLY);
    assert_int_equal(use[3], 0);
    bl_tape_destroy(tape);
    test_context_end(ctx);
}

/* ---- programs */

/* All texts as outputs of five groups; a program evaluated for sets in random order, with changed inputs in between, gives the tape's
 * numbers. */
static void programs__compute_what_tapes_compute(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_tape *tape;
    bl_tape_program *program;
    test_random random = {test_seed(7)};
    bl_index node[NTEXT];
    uint8_t group[NTEXT];
    double in[NIN] = {0.7, 1.3, 0.4, 2.1}, values[MOST], found[NTEXT];
    assert_int_equal(bl_tape_create(ctx, &tape), BL_OK);
    for (int k = 0; k < NTEXT; k++) {
        node[k] = record(ctx, tape, texts[k]);
        group[k] = k == NTEXT - 1 ? 31 : (uint8_t)(k % 4);
    }
    assert_int_equal(bl_tape_program_create(tape, NTEXT, node, group, &program), BL_OK);
    finish(tape, NTEXT, node);
    assert_true(bl_tape_program_work(program) <= MOST);
    assert_true(bl_tape_program_constant(program, 31));
    assert_false(bl_tape_program_constant(program, 0));
    bl_tape_program_start(program, values);
    uint32_t done = 0;
    for (int round = 0; round < 200; round++) {
        if (test_random_below(&random, 3) == 0) {
            in[test_random_below(&random, NIN)] = 0.5 + test_random_unit(&random);
            done = 0;
        }
        uint32_t want = (uint32_t)test_random_below(&random, 16) | UINT32_C(1) << 31;
        bl_tape_program_run(program, in, want & ~done, done, values);
        done |= want;
        bl_tape_eval(tape, in, out, work);
        for (int g = 0; g < 32; g++) {
            if (!(want >> g & 1))
                continue;
            bl_index n = bl_tape_program_take(program, g, values, found), at = 0;
            for (int k = 0; k < NTEXT; k++)
                if (group[k] == g) {
                    assert_true(fabs(found[at] - out[k]) <= 4 * DBL_EPSILON * fabs(out[k])); /* powers may be made of roots */
                    at++;
                }
            assert_int_equal(at, n);
        }
    }
    bl_tape_program_destroy(program);
    bl_tape_destroy(tape);
    test_context_end(ctx);
}

static bl_status make_all(bl_context *ctx, void *user) {
    (void)user;
    bl_tape *tape = NULL;
    bl_tape_program *program = NULL;
    bl_tape_gradients d = {0};
    bl_index node[NTEXT];
    uint8_t group[NTEXT] = {0};
    bl_status status = bl_tape_create(ctx, &tape);
    for (int k = 0; status == BL_OK && k < NTEXT; k++)
        status = bl_expr_parse(ctx, texts[k], strlen(texts[k]), NULL, &scope, tape, &node[k]);
    if (status == BL_OK)
        status = bl_tape_differentiate(tape, NTEXT, node, &d);
    if (status == BL_OK)
        status = bl_tape_program_create(tape, NTEXT, node, group, &program);
    if (tape)
        bl_tape_gradients_destroy(tape, &d);
    bl_tape_program_destroy(program);
    bl_tape_destroy(tape);
    return status;
}

static void gradients_and_programs__survive_failing_memory(void **state) {
    (void)state;
    print_message("%ld allocations\n", test_failing_allocations(make_all, NULL));
}

static void wrong_nodes__are_refused(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_tape *tape;
    bl_tape_gradients d;
    bl_tape_program *program;
    bl_index node = 99;
    uint8_t group = 40;
    assert_int_equal(bl_tape_create(ctx, &tape), BL_OK);
    assert_int_equal(bl_tape_differentiate(tape, 1, &node, &d), BL_E_ARG);
    assert_int_equal(bl_tape_program_create(tape, 1, &node, &group, &program), BL_E_ARG);
    node = bl_tape_input(tape, 0);
    assert_int_equal(bl_tape_program_create(tape, 1, &node, &group, &program), BL_E_ARG);
    bl_tape_destroy(tape);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_derivatives__agree_with_the_reverse_sweep),
        cmocka_unit_test(second_derivatives__are_right_where_first_ones_vanish),
        cmocka_unit_test(derivatives__are_left_out_where_they_are_zero),
        cmocka_unit_test(uses__separate_smooth_from_rough),
        cmocka_unit_test(programs__compute_what_tapes_compute),
        cmocka_unit_test(gradients_and_programs__survive_failing_memory),
        cmocka_unit_test(wrong_nodes__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
