/* What the code assumes of floating-point numbers and a compiler's flags can spoil (docs/ARCHITECTURE.md, rule "Numbers"). */
#include "support/testing.h"

#include <fenv.h>
#include <float.h>
#include <math.h>

/* through volatile, so that the operation is done when the program runs */
static double seen(double x) {
    volatile double y = x;
    return y;
}

static void products__are_rounded_before_they_are_added(void **state) {
    (void)state;
    double a = seen(1 + 0x1p-30), product = seen(a * a); /* exactly 1 + 2^-29 + 2^-60: the last term is lost */
    assert_true(product == 1 + 0x1p-29);
    double contracted = fma(a, a, -product), plain = a * a - product;
    assert_true(contracted == 0x1p-60);
    assert_true(plain == 0);
}

static void doubles__round_to_nearest_in_their_own_width(void **state) {
    (void)state;
    assert_int_equal(fegetround(), FE_TONEAREST);
    double one = seen(1), half = seen(0x1p-53);
    assert_true(one + half == 1);                               /* a tie goes to the even neighbor */
    assert_true(one + (half + seen(0x1p-80)) == 1 + 0x1p-52);   /* just above the tie */
    assert_true((one + seen(0x1p-60)) - one == 0);              /* nothing is kept in wider registers */
    assert_true(seen(DBL_MAX) * seen(2) / seen(2) == INFINITY); /* nor in a wider exponent */
}

static void subnormal_numbers__are_not_flushed(void **state) {
    (void)state;
    double small = seen(DBL_MIN) / seen(4);
    assert_true(small > 0);
    assert_true(small * 4 == DBL_MIN);
    assert_true(seen(1.5 * DBL_MIN) - seen(DBL_MIN) == 0.5 * DBL_MIN);
}

static void nan_and_infinity__arrive_without_a_trap(void **state) {
    (void)state;
    double zero = seen(0), nan = zero / zero, infinite = seen(1) / zero;
    assert_true(isnan(nan) && nan != nan && !(nan < 1) && !(nan > 1));
    assert_true(isinf(infinite) && infinite > DBL_MAX);
    assert_true(isnan(infinite - infinite) && isnan(sqrt(seen(-1))));
    assert_true(signbit(seen(-0.0)) && seen(-0.0) == 0);
}

static void long_double__holds_every_double(void **state) {
    (void)state;
    volatile long double wide = 1 + (long double)DBL_EPSILON;
    assert_true((double)wide == 1 + DBL_EPSILON);
    assert_true(LDBL_MANT_DIG >= DBL_MANT_DIG && LDBL_MAX_EXP >= DBL_MAX_EXP);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products__are_rounded_before_they_are_added),
        cmocka_unit_test(doubles__round_to_nearest_in_their_own_width),
        cmocka_unit_test(subnormal_numbers__are_not_flushed),
        cmocka_unit_test(nan_and_infinity__arrive_without_a_trap),
        cmocka_unit_test(long_double__holds_every_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
