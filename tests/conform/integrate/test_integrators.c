/* Every integrator of the list has its documented orders, restarts when requested, and does not allocate memory in steps. */
#include "support/ode.h"
#include "support/testing.h"

#include <math.h>

/* y1' = y1 cos t, y2' = y1 - y2 + t; the first has the exact solution exp(sin t) */
static void equations(double t, const double *y, double *rate, void *user) {
    (void)user;
    rate[0] = y[0] * cos(t);
    rate[1] = y[0] - y[1] + t;
}

/* the kind with parameters if they are required */
static const char *spec_of(const bl_integrator_kind *kind) {
    return kind == &bl_integrator_multistep ? "multistep:a=1/2;-2;3/2,b=0;0;1" : kind->kind.name;
}

/* Largest errors of the first component at the ends of steps and inside, with n equal steps: a huge tolerance keeps adaptive methods at
 * that size */
static void errors_with(const bl_integrator_kind *kind, int n, double *end, double *inside) {
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    double y0[2] = {1, 0}, t_end = 3, h = t_end / n, y[2];
    bl_integrator *integ;
    assert_int_equal(test_ode_create(ctx, 2, 1, equations, NULL, &ode), BL_OK);
    assert_int_equal(bl_integrator_create(ctx, spec_of(kind), &ode.form,
                                          &(bl_step_control){.t_end = t_end, .step = h, .h_max = h, .tolerance = 1e9}, &integ),
                     BL_OK);
    assert_int_equal(bl_integrator_start(integ, 0, y0), BL_OK);
    size_t calls = bl_context_memory(ctx).calls;
    *inside = *end = 0;
    while (integ->t < t_end) {
        assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
        for (int i = 0; i <= 10 && (kind->kind.gives & BL_DENSE); i++) {
            double t = integ->t_old + 0.1 * i * (integ->t - integ->t_old);
            assert_int_equal(kind->dense(integ, t, y), BL_OK);
            *inside = fmax(*inside, fabs(y[0] - exp(sin(t))));
        }
        *end = fmax(*end, fabs(integ->y[0] - exp(sin(integ->t))));
        /* a restart in the middle changes nothing for one-step methods and must not spoil the others */
        if (integ->stats.steps == n / 2) {
            double keep[2] = {integ->y[0], integ->y[1]};
            assert_int_equal(bl_integrator_start(integ, integ->t, keep), BL_OK);
        }
    }
    assert_int_equal(bl_context_memory(ctx).calls, calls);
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    test_context_end(ctx);
}

/* Halving h divides the error by 2^order, modified by the next term of the expansion; the end may be better. Methods of high order reach
 * rounding early: the finest pair of step sizes above it is used. */
static void integrators__have_the_orders_they_state(void **state) {
    (void)state;
    for (size_t k = 0; k < bl_integrator_kind_count; k++) {
        const bl_integrator_kind *kind = bl_integrator_kinds[k];
        if ((kind->kind.gives & (BL_VARIABLE_ORDER | BL_SECOND_ORDER)) || (kind->kind.needs & (BL_CAN_COEFFICIENT | BL_FULL_STATE)))
            continue; /* equal steps are not meaningful for the first, the others need a system */
        double order = 0, dense = 0, end, inside, end_coarse = 0, inside_coarse = 0;
        for (int n = 5; n <= 80; n *= 2) {
            errors_with(kind, n, &end, &inside);
            if (n > 5 && end > 3e-13)
                order = log2(end_coarse / end);
            if (n > 5 && inside > 3e-13)
                dense = log2(inside_coarse / inside);
            end_coarse = end;
            inside_coarse = inside;
        }
        print_message("%s: order %.2f, stated %d; inside steps %.2f, stated %d + 1\n", kind->kind.name, order, kind->order, dense,
                      kind->dense_order);
        assert_true(order > kind->order - 0.3);
        /* includes errors at the ends of steps */
        if (kind->kind.gives & BL_DENSE)
            assert_true(dense > fmin(kind->dense_order + 1, kind->order) - 0.35);
    }
}

/* Adaptive methods: the error at the end and inside the steps is a small multiple of the tolerance, and decreases with it. */
static void adaptive_integrators__follow_their_tolerance(void **state) {
    (void)state;
    for (size_t k = 0; k < bl_integrator_kind_count; k++) {
        const bl_integrator_kind *kind = bl_integrator_kinds[k];
        if (!(kind->kind.gives & BL_ADAPTIVE) || !(kind->kind.needs & BL_CAN_RATE))
            continue;
        double worst[2] = {0};
        for (int i = 0; i < 2; i++) {
            double tolerance = i ? 1e-9 : 1e-5, y0[2] = {1, 0}, y[2];
            bl_context *ctx = test_context(NULL);
            test_ode ode;
            bl_integrator *integ;
            assert_int_equal(test_ode_create(ctx, 2, 1, equations, NULL, &ode), BL_OK);
            bl_step_control control = {.t_end = 3, .tolerance = tolerance};
            assert_int_equal(bl_integrator_create(ctx, kind->kind.name, &ode.form, &control, &integ), BL_OK);
            assert_int_equal(bl_integrator_start(integ, 0, y0), BL_OK);
            size_t calls = bl_context_memory(ctx).calls;
            while (integ->t < 3) {
                assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
                for (int j = 0; j <= 4; j++) {
                    double t = j == 4 ? integ->t : integ->t_old + 0.25 * j * (integ->t - integ->t_old);
                    assert_int_equal(kind->dense(integ, t, y), BL_OK);
                    worst[i] = fmax(worst[i], fabs(y[0] - exp(sin(t))));
                }
            }
            assert_int_equal(bl_context_memory(ctx).calls, calls);
            assert_true(worst[i] < 50 * tolerance);
            bl_integrator_destroy(integ);
            test_ode_destroy(&ode);
            test_context_end(ctx);
        }
        print_message("%s: errors %.1e and %.1e with tolerances 1e-5 and 1e-9\n", kind->kind.name, worst[0], worst[1]);
        assert_true(worst[1] < worst[0]); /* h_max alone may make the first step small */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(integrators__have_the_orders_they_state),
                                       cmocka_unit_test(adaptive_integrators__follow_their_tolerance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
