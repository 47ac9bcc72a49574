/* Methods of variable step and order on backward differences: accuracy follows the tolerance, dense output, restarts, refusals, memory. */
#include "integrate/backward.h"
#include "support/ode.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {"ndf_auto", "bdf_auto", "mebdf_auto", "stiff_auto"};
enum { NKIND = sizeof kinds / sizeof *kinds };

/* y1' = y1 cos t, y2' = 50 (cos y1 - y2); y1 = exp(sin t) */
static void swell(double t, const double *y, double *rate, void *user) {
    (void)user;
    rate[0] = y[0] * cos(t);
    rate[1] = 50 * (cos(y[0]) - y[1]);
}

static const double swell_start[2] = {1, 0};

static bl_integrator *make(test_ode *ode, const char *spec, bl_step_control control, const double *y0) {
    bl_integrator *integ;
    assert_int_equal(bl_integrator_create(ode->form.ctx, spec, &ode->form, &control, &integ), BL_OK);
    assert_int_equal(bl_integrator_start(integ, 0, y0), BL_OK);
    return integ;
}

static void run(bl_integrator *integ) {
    while (integ->t < integ->control.t_end)
        assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
}

/* largest errors of y1 at the ends of steps and between them */
static void errors_with(const char *spec, double tolerance, double *end, double *inside, long *steps) {
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    double y[2], last[2], first[2];
    assert_int_equal(test_ode_create(ctx, 2, 1, swell, NULL, &ode), BL_OK);
    bl_integrator *integ = make(&ode, spec, (bl_step_control){.t_end = 6, .tolerance = tolerance}, swell_start);
    *end = *inside = 0;
    memcpy(last, swell_start, sizeof last);
    while (integ->t < 6) {
        assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
        *end = fmax(*end, fabs(integ->y[0] - exp(sin(integ->t))));
        for (int i = 1; i < 8; i++) {
            double t = integ->t_old + i / 8.0 * (integ->t - integ->t_old);
            assert_int_equal(integ->kind->dense(integ, t, y), BL_OK);
            *inside = fmax(*inside, fabs(y[0] - exp(sin(t))));
        }
        /* continuous: it ends where the step ends and begins where the last one ended */
        assert_int_equal(integ->kind->dense(integ, integ->t, y), BL_OK);
        assert_int_equal(integ->kind->dense(integ, integ->t_old, first), BL_OK);
        for (int i = 0; i < 2; i++) {
            assert_true(y[i] == integ->y[i]);
            assert_true(fabs(first[i] - last[i]) < 1e-12);
            last[i] = integ->y[i];
        }
    }
    *steps = integ->stats.steps;
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    test_context_end(ctx);
}

/* Local errors below the tolerance add up to a multiple of it: the solution grows and shrinks by e^2 at most, the steps count in tens.
 * Between steps the polynomial is as accurate as the formula. */
static void errors__follow_the_tolerance(void **state) {
    (void)state;
    for (int k = 0; k < NKIND; k++) {
        double end, inside, tolerance = 1e-3;
        long steps, before = 0;
        for (; tolerance > 1e-10; tolerance *= 1e-2) {
            errors_with(kinds[k], tolerance, &end, &inside, &steps);
            print_message("%s %.0e: %ld steps, error %.1e, between %.1e\n", kinds[k], tolerance, steps, end, inside);
            assert_true(end < 100 * tolerance);
            assert_true(inside < 100 * tolerance);
            assert_true(steps > before);
            before = steps;
        }
        assert_true(end < 1e-7);
    }
}

/* A restart forgets the past: order 1 and a step it can do. */
static void restarts__begin_with_order_1_and_keep_the_accuracy(void **state) {
    (void)state;
    for (int k = 0; k < NKIND; k++) {
        bl_context *ctx = test_context(NULL);
        test_ode ode;
        double keep[2];
        assert_int_equal(test_ode_create(ctx, 2, 1, swell, NULL, &ode), BL_OK);
        bl_integrator *integ = make(&ode, kinds[k], (bl_step_control){.t_end = 6, .tolerance = 1e-6}, swell_start);
        const bl_backward *backward = integ->own;
        for (int part = 1; part <= 3; part++) {
            while (integ->t < 1.5 * part)
                assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
            assert_true(backward->order > 2);
            double h = integ->h_next;
            memcpy(keep, integ->y, sizeof keep);
            assert_int_equal(bl_integrator_start(integ, integ->t, keep), BL_OK);
            assert_int_equal(backward->order, 1);
            assert_true(integ->h_next > 0 && integ->h_next <= h);
            long rejected = integ->stats.rejections;
            assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
            assert_int_equal(integ->stats.rejections, rejected);
        }
        run(integ);
        assert_true(fabs(integ->y[0] - exp(sin(6.0))) < 1e-4);
        bl_integrator_destroy(integ);
        test_ode_destroy(&ode);
        test_context_end(ctx);
    }
}

/* The run loop may put a value equal to rounding in place of y. */
static void small_changes_of_y__do_no_harm(void **state) {
    (void)state;
    for (int k = 0; k < NKIND; k++) {
        bl_context *ctx = test_context(NULL);
        test_ode ode;
        assert_int_equal(test_ode_create(ctx, 2, 1, swell, NULL, &ode), BL_OK);
        bl_integrator *integ = make(&ode, kinds[k], (bl_step_control){.t_end = 6, .tolerance = 1e-8}, swell_start);
        while (integ->t < 6) {
            assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
            integ->y[0] *= 1 + 4e-16;
            integ->y[1] *= 1 - 4e-16;
        }
        assert_true(fabs(integ->y[0] - exp(sin(6.0))) < 1e-6);
        bl_integrator_destroy(integ);
        test_ode_destroy(&ode);
        test_context_end(ctx);
    }
}

/* ---- refusals */

typedef struct hole {
    double from, to;
    bl_status status;
} hole;

static bl_status hole_refuse(double t, const double *y, void *user) {
    const hole *h = user;
    (void)y;
    return t > h->from && t < h->to ? h->status : BL_OK;
}

static void singular_instants__are_stepped_over(void **state) {
    (void)state;
    for (int k = 0; k < NKIND; k++) {
        bl_context *ctx = test_context(NULL);
        test_ode ode;
        hole h = {.from = 2.9, .to = 2.9001, .status = BL_SINGULAR};
        assert_int_equal(test_ode_create(ctx, 2, 1, swell, &h, &ode), BL_OK);
        ode.refuse = hole_refuse;
        bl_integrator *integ = make(&ode, kinds[k], (bl_step_control){.t_end = 6, .tolerance = 1e-6}, swell_start);
        run(integ);
        assert_true(fabs(integ->y[0] - exp(sin(6.0))) < 1e-4);
        bl_integrator_destroy(integ);
        test_ode_destroy(&ode);
        test_context_end(ctx);
    }
}

static void refusals_without_end__fail_with_a_reason(void **state) {
    (void)state;
    const bl_status cause[] = {BL_SINGULAR, BL_NO_CONVERGENCE, BL_NOT_FINITE};
    const char *const word[] = {"singular", "converge", "finite"};
    for (int k = 0; k < NKIND; k++)
        for (int c = 0; c < 3; c++) {
            bl_context *ctx = test_context(NULL);
            test_ode ode;
            hole h = {.from = 0.35, .to = 100, .status = cause[c]};
            assert_int_equal(test_ode_create(ctx, 2, 1, swell, &h, &ode), BL_OK);
            ode.refuse = hole_refuse;
            bl_integrator *integ = make(&ode, kinds[k], (bl_step_control){.t_end = 1, .tolerance = 1e-4}, swell_start);
            bl_status status = BL_OK;
            for (int i = 0; i < 10000 && status == BL_OK; i++)
                status = bl_integrator_step(integ, NULL);
            assert_int_equal(status, BL_E_NUMERIC);
            assert_true(integ->t <= 0.35);
            assert_non_null(strstr(bl_context_error(ctx)->what, word[c]));
            /* what was accepted is still there */
            double y[2];
            assert_int_equal(integ->kind->dense(integ, integ->t, y), BL_OK);
            assert_true(isfinite(y[0]) && isfinite(y[1]));
            bl_integrator_destroy(integ);
            test_ode_destroy(&ode);
            test_context_end(ctx);
        }
}

static void blow_up(double t, const double *y, double *rate, void *user) {
    (void)t;
    (void)user;
    rate[0] = y[0] * y[0]; /* y = 1 / (1 - t) */
}

/* log y is not a number once a guess becomes negative */
static void fragile(double t, const double *y, double *rate, void *user) {
    (void)t;
    (void)user;
    rate[0] = log(y[0]) - 1; /* y falls to 0 in finite time */
}

static void poles_and_values_not_finite__end_the_run_before_them(void **state) {
    (void)state;
    for (int k = 0; k < NKIND; k++)
        for (int c = 0; c < 2; c++) {
            bl_context *ctx = test_context(NULL);
            test_ode ode;
            double y0 = 1;
            assert_int_equal(test_ode_create(ctx, 1, 1, c ? fragile : blow_up, NULL, &ode), BL_OK);
            bl_integrator *integ = make(&ode, kinds[k], (bl_step_control){.t_end = 2, .tolerance = 1e-6}, &y0);
            bl_status status = BL_OK;
            for (int i = 0; i < 100000 && status == BL_OK; i++)
                status = bl_integrator_step(integ, NULL);
            assert_int_equal(status, BL_E_NUMERIC);
            assert_true(bl_context_error(ctx)->what[0]);
            assert_true(isfinite(integ->y[0]) && integ->t < 1.001);
            bl_integrator_destroy(integ);
            test_ode_destroy(&ode);
            test_context_end(ctx);
        }
}

static void bad_choices__are_refused_with_a_reason(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    bl_integrator *integ;
    assert_int_equal(test_ode_create(ctx, 2, 1, swell, NULL, &ode), BL_OK);
    bl_step_control control = {.t_end = 1, .tolerance = 1e-6};
    const char *const spec[] = {"ndf_auto:6", "bdf_auto:0", "mebdf_auto:10", "stiff_auto:0"};
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        assert_int_equal(bl_integrator_create(ctx, spec[i], &ode.form, &control, &integ), BL_E_ARG);
        assert_null(integ);
        assert_true(bl_context_error(ctx)->what[0]);
    }
    test_ode_destroy(&ode);
    test_context_end(ctx);
}

/* the given order is the highest one taken, and it is reached */
static void the_highest_order__is_kept(void **state) {
    (void)state;
    for (int k = 0; k < NKIND; k++)
        for (int order = 1; order <= 5; order++) {
            bl_context *ctx = test_context(NULL);
            test_ode ode;
            char spec[32];
            int most = 0;
            snprintf(spec, sizeof spec, "%s:%d", kinds[k], order);
            assert_int_equal(test_ode_create(ctx, 2, 1, swell, NULL, &ode), BL_OK);
            bl_integrator *integ = make(&ode, spec, (bl_step_control){.t_end = 3, .tolerance = 1e-7}, swell_start);
            const bl_backward *backward = integ->own;
            for (int i = 0; i < 300 && integ->t < 3; i++) {
                assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
                most = backward->order_dense > most ? backward->order_dense : most;
            }
            assert_int_equal(most, order);
            bl_integrator_destroy(integ);
            test_ode_destroy(&ode);
            test_context_end(ctx);
        }
}

/* ---- memory */

static void steps__allocate_nothing(void **state) {
    (void)state;
    for (int k = 0; k < NKIND; k++) {
        bl_context *ctx = test_context(NULL);
        test_ode ode;
        assert_int_equal(test_ode_create(ctx, 2, 1, swell, NULL, &ode), BL_OK);
        bl_integrator *integ = make(&ode, kinds[k], (bl_step_control){.t_end = 6, .tolerance = 1e-6}, swell_start);
        size_t calls = bl_context_memory(ctx).calls;
        run(integ);
        assert_int_equal(bl_context_memory(ctx).calls, calls);
        bl_integrator_destroy(integ);
        test_ode_destroy(&ode);
        test_context_end(ctx);
    }
}

static bl_status create_and_step(bl_context *ctx, void *user) {
    const char *spec = user;
    test_ode ode = {0};
    bl_integrator *integ = NULL;
    bl_status status = test_ode_create(ctx, 2, 1, swell, NULL, &ode);
    if (status == BL_OK)
        status = bl_integrator_create(ctx, spec, &ode.form, &(bl_step_control){.t_end = 1, .tolerance = 1e-6}, &integ);
    if (status == BL_OK)
        status = bl_integrator_start(integ, 0, swell_start);
    for (int i = 0; i < 20 && status == BL_OK; i++)
        status = bl_integrator_step(integ, NULL);
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    return status;
}

static void failing_allocations__are_survived(void **state) {
    (void)state;
    for (int k = 0; k < NKIND; k++) {
        char spec[16];
        snprintf(spec, sizeof spec, "%s", kinds[k]);
        assert_true(test_failing_allocations(create_and_step, spec) > 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors__follow_the_tolerance),
        cmocka_unit_test(restarts__begin_with_order_1_and_keep_the_accuracy),
        cmocka_unit_test(small_changes_of_y__do_no_harm),
        cmocka_unit_test(singular_instants__are_stepped_over),
        cmocka_unit_test(refusals_without_end__fail_with_a_reason),
        cmocka_unit_test(poles_and_values_not_finite__end_the_run_before_them),
        cmocka_unit_test(bad_choices__are_refused_with_a_reason),
        cmocka_unit_test(the_highest_order__is_kept),
        cmocka_unit_test(steps__allocate_nothing),
        cmocka_unit_test(failing_allocations__are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
