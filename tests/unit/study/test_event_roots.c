/* First changes of sign of functions with known roots. */
#include "study/event_roots.h"

#include "support/testing.h"

#include <float.h>
#include <math.h>

typedef struct task {
    int what;
    double p, q;
    long calls;
} task;

enum { LINE, PAIR, TOUCH, WAVE, KINK, FINE_WAVE, NOISY, TWO, STEP, CUBE, TINY_PART };

static bl_status value(void *user, double x, double *f) {
    task *t = user;
    t->calls++;
    f[0] = f[1] = 1;
    switch (t->what) {
    case LINE: f[0] = x - t->p; break;
    case PAIR: f[0] = (x - t->p) * (x - t->p - t->q); break;
    case TOUCH: f[0] = (x - t->p) * (x - t->p) + t->q; break;
    case WAVE: f[0] = cos(t->p * x + t->q); break;
    case KINK: f[0] = fabs(x - t->p) - t->q; break;
    case FINE_WAVE: f[0] = exp(x) * sin(t->p * (x + 1) + t->q); break;
    case NOISY: f[0] = x - t->p + 1e-13 * sin(1e9 * x); break;
    case TWO:
        f[0] = sin(x - t->p - t->q);
        f[1] = exp(x) - exp(t->p);
        break;
    case STEP: f[0] = x < t->p ? -1 : 1; break;
    case CUBE: f[0] = (x - t->p) * (x - t->p) * (x - t->p); break;
    case TINY_PART: f[0] = 1e6 + (x - t->p) - 1e6; break;
    }
    return BL_OK;
}

static double first(task t, bl_index *which) {
    bl_context *ctx = test_context(NULL);
    bl_event_roots *roots;
    double start[2], x;
    assert_int_equal(bl_event_roots_create(ctx, 2, &roots), BL_OK);
    value(&t, -1, start);
    t.calls = 0;
    assert_int_equal(bl_event_roots_first(roots, value, &t, start, NULL, 0, &x, which), BL_OK);
    bl_event_roots_destroy(roots);
    test_context_end(ctx);
    assert_true(t.calls < 1500);
    return x;
}

static void expect(task t, double root, double tolerance) {
    bl_index which;
    double x = first(t, &which);
    if (which != 0 || !(fabs(x - root) <= tolerance))
        fail_msg("function %d (%g, %g): %.17g of function %d, not %.17g", t.what, t.p, t.q, x, (int)which, root);
    double behind[2], start[2]; /* just behind: the sign has changed */
    value(&t, x, behind);
    value(&t, -1, start);
    assert_true(start[0] * behind[0] <= 0);
}

static void expect_none(task t) {
    bl_index which;
    double x = first(t, &which);
    if (which >= 0)
        fail_msg("function %d (%g, %g): a change at %.17g", t.what, t.p, t.q, x);
}

static void simple_roots__are_found_to_rounding(void **state) {
    (void)state;
    test_random random = {test_seed(71)};
    for (int k = 0; k < 200; k++) {
        double p = test_random_symmetric(&random);
        expect((task){.what = LINE, .p = p}, p, 4 * DBL_EPSILON);
        expect((task){.what = CUBE, .p = p}, p, 1e-5); /* rounding of 1e-16 is 5e-6 from it */
        expect((task){.what = TINY_PART, .p = p}, p, 3e-10);
    }
    expect_none((task){.what = LINE, .p = 1.0001});
    expect_none((task){.what = LINE, .p = -1.0001});
}

/* A pair of roots e apart dips by e^2 / 4, above rounding for e > 1e-6. */
static void close_pairs__are_not_missed(void **state) {
    (void)state;
    test_random random = {test_seed(72)};
    for (int k = 0; k < 200; k++) {
        double p = 0.99 * test_random_symmetric(&random), e = pow(10, -1 - 4.7 * test_random_unit(&random));
        if (p + e < 0.999)
            expect((task){.what = PAIR, .p = p, .q = e}, p, 1e-14 / e);
    }
}

static void touching_zero__is_no_change(void **state) {
    (void)state;
    test_random random = {test_seed(73)};
    for (int k = 0; k < 100; k++) {
        double p = test_random_symmetric(&random);
        expect_none((task){.what = TOUCH, .p = p, .q = 0});
        expect_none((task){.what = TOUCH, .p = p, .q = 1e-10});
        if (fabs(p) < 0.99)
            expect((task){.what = TOUCH, .p = p, .q = -1e-8}, p - 1e-4, 1e-11);
    }
}

static void the_first_of_many__is_found(void **state) {
    (void)state;
    test_random random = {test_seed(74)};
    double pi = acos(-1);
    for (int k = 0; k < 200; k++) {
        double w = pow(10, 2.3 * test_random_unit(&random)), shift = 3 * test_random_symmetric(&random);
        /* cos(w x + shift) = 0 behind -1 */
        double m = ceil((-w + shift) / pi - 0.5), root = ((m + 0.5) * pi - shift) / w;
        if (root < 1 && root + 1 > 1e-9)
            expect((task){.what = WAVE, .p = w, .q = shift}, root, 1e-13);
        else if (root > 1)
            expect_none((task){.what = WAVE, .p = w, .q = shift});
        double phase = 0.01 + 3 * test_random_unit(&random); /* sin(w (x + 1) + phase) */
        root = (pi - phase) / w - 1;
        if (root < 1)
            expect((task){.what = FINE_WAVE, .p = w, .q = phase}, root, 1e-13);
    }
}

static void roots_at_the_ends__are_changes_once(void **state) {
    (void)state;
    expect((task){.what = LINE, .p = 1}, 1, 0);
    expect((task){.what = LINE, .p = 1 - 1e-16}, 1, 1e-15);
    expect_none((task){.what = LINE, .p = -1}); /* leaves zero */
    expect((task){.what = PAIR, .p = -1, .q = 0.5}, -0.5, 1e-14);
    expect((task){.what = LINE, .p = -1 + 1e-15}, -1 + 1e-15, 4e-16);
}

static void kinks_and_noise__do_no_harm(void **state) {
    (void)state;
    test_random random = {test_seed(75)};
    for (int k = 0; k < 50; k++) {
        double p = 0.9 * test_random_symmetric(&random), q = 0.05 * test_random_unit(&random) + 0.01;
        expect((task){.what = KINK, .p = p, .q = q}, p - q, 1e-14);
        expect((task){.what = STEP, .p = p}, p, 1e-14);
        expect((task){.what = NOISY, .p = p}, p, 3e-13);
        expect_none((task){.what = KINK, .p = p, .q = -q});
    }
}

static void earliest_of_two_functions__is_reported(void **state) {
    (void)state;
    bl_index which;
    for (double e = 1e-1; e > 1e-13; e *= 0.1) {
        double x = first((task){.what = TWO, .p = 0.3, .q = e}, &which);
        assert_int_equal(which, 1);
        assert_true(fabs(x - 0.3) < 1e-14);
        x = first((task){.what = TWO, .p = 0.3, .q = -e}, &which);
        assert_int_equal(which, 0);
        assert_true(fabs(x - 0.3 + e) < 1e-14);
    }
}

static bl_status refuse(void *user, double x, double *f) {
    (void)user;
    (void)f;
    return x < 0 ? BL_SINGULAR : BL_OK;
}

static void refusals__are_passed_on(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_event_roots *roots;
    double start[2] = {1, 1}, x;
    bl_index which;
    assert_int_equal(bl_event_roots_create(ctx, 2, &roots), BL_OK);
    assert_int_equal(bl_event_roots_first(roots, refuse, NULL, start, NULL, 0, &x, &which), BL_SINGULAR);
    bl_event_roots_destroy(roots);
    test_context_end(ctx);
}

static bl_status create_only(bl_context *ctx, void *user) {
    (void)user;
    bl_event_roots *roots;
    BL_TRY(bl_event_roots_create(ctx, 3, &roots));
    bl_event_roots_destroy(roots);
    return BL_OK;
}

/* ---- brackets */

static double line(double x, double r) { return (r - x) * (1 + 3 * x); }
static double curve(double x, double r) { return exp(-4 * x) - exp(-4 * r); }
static double cube(double x, double r) { return (r - x) * (r - x) * (r - x); }
static double jump(double x, double r) { return x < r ? 1e-3 : -1e6; }
static double kink(double x, double r) { return (r - x) * (x < r ? 1 : 1e-6); }

/* To 1e-13 of the interval halving needs 44 values: smooth functions (eight on average) at most half of that, others twice. */
static void brackets__hold_the_change_and_close_fast(void **state) {
    (void)state;
    static double (*const f[])(double, double) = {line, curve, cube, jump, kink};
    static const int most[] = {22, 22, 88, 88, 88};
    const double finest = 1e-13;
    for (int i = 0; i < 5; i++)
        for (int k = 1; k < 200; k++) {
            double r = fmod(0.6180339887498949 * k, 1), x;
            int calls = 0;
            bl_bracket b;
            bl_bracket_begin(&b, 0, f[i](0, r), 1, f[i](1, r));
            while (bl_bracket_next(&b, finest, &x)) {
                assert_true(x > b.lo && x < b.hi);
                bl_bracket_take(&b, x, f[i](x, r));
                assert_true(++calls <= most[i]);
            }
            assert_true(b.lo <= r + finest && b.hi >= r - finest); /* values are rounded */
            assert_true(b.hi - b.lo <= finest || f[i](b.hi, r) == 0);
        }
}

static void creation__survives_failing_allocations(void **state) {
    (void)state;
    assert_int_equal(test_failing_allocations(create_only, NULL), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_roots__are_found_to_rounding),
        cmocka_unit_test(close_pairs__are_not_missed),
        cmocka_unit_test(touching_zero__is_no_change),
        cmocka_unit_test(the_first_of_many__is_found),
        cmocka_unit_test(roots_at_the_ends__are_changes_once),
        cmocka_unit_test(kinks_and_noise__do_no_harm),
        cmocka_unit_test(earliest_of_two_functions__is_reported),
        cmocka_unit_test(refusals__are_passed_on),
        cmocka_unit_test(brackets__hold_the_change_and_close_fast),
        cmocka_unit_test(creation__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
