/* Integrators on plain differential equations: orders, dense output, step control, refusals. */
#include "support/ode.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

static void decay(double t, const double *y, double *rate, void *user) {
    (void)t;
    rate[0] = *(double *)user * y[0];
}

static void oscillator(double t, const double *y, double *rate, void *user) {
    double w = *(double *)user;
    (void)t;
    rate[0] = y[1];
    rate[1] = -w * w * y[0];
}

/* y' = y cos t, exact y0 exp(sin t): time dependent and not linear in t */
static void swell(double t, const double *y, double *rate, void *user) {
    (void)user;
    rate[0] = y[0] * cos(t);
}

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

/* dopri45 that records the relative error estimate of its last attempt: after a step that of the accepted one */
static double last_estimate;
static bl_status attempt_and_record(bl_integrator *integ, double h, double *error) {
    bl_status status = bl_integrator_dopri45.attempt(integ, h, error);
    last_estimate = *error * integ->control.tolerance;
    return status;
}

static double mean_estimate(double frequency, double tolerance) {
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    double y0[2] = {1, 0}, sum = 0;
    bl_integrator_kind recording = bl_integrator_dopri45;
    recording.attempt = attempt_and_record;
    assert_int_equal(test_ode_create(ctx, 2, 1e-6 / tolerance, oscillator, &frequency, &ode), BL_OK);
    bl_integrator *integ = make(&ode, "dopri45", (bl_step_control){.t_end = 10, .tolerance = tolerance}, y0);
    integ->kind = &recording;
    while (integ->t < 10) {
        assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
        sum += last_estimate;
    }
    double mean = sum / (double)integ->stats.steps;
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    test_context_end(ctx);
    return mean;
}

static long steps_taken(void (*f)(double, const double *, double *, void *), bl_index ny, double parameter, double tolerance) {
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    double y0[2] = {1, 0};
    assert_int_equal(test_ode_create(ctx, ny, 1e-6 / tolerance, f, &parameter, &ode), BL_OK);
    bl_integrator *integ = make(&ode, "dopri45", (bl_step_control){.t_end = 10, .tolerance = tolerance}, y0);
    run(integ);
    assert_true(integ->t == 10);
    long steps = integ->stats.steps;
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    test_context_end(ctx);
    return steps;
}

/* Published counts of the same pair and step control with rtol 1e-3, atol 1e-6 on [0, 10]. */
static void dopri45__takes_the_published_numbers_of_steps(void **state) {
    (void)state;
    const double rate[] = {-1, -2, -4, -8, -20, -100};
    const long decay_steps[] = {13, 19, 24, 36, 73, 314};
    const double frequency[] = {1, 2, 4, 8, 20, 100};
    const long oscillator_steps[] = {18, 31, 57, 109, 262, 1281};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(steps_taken(decay, 1, rate[i], 1e-3), decay_steps[i]);
        assert_int_equal(steps_taken(oscillator, 2, frequency[i], 1e-3), oscillator_steps[i]);
    }
    assert_int_equal(steps_taken(oscillator, 2, 100, 1e-2), 768);
    /* the mean of the error estimates, published with five digits; the first is 3.47793e-4 here, one unit of the last digit more */
    assert_true(fabs(mean_estimate(100, 1e-3) - 3.4778e-4) < 1.5e-8);
    assert_true(fabs(mean_estimate(100, 1e-2) - 3.2557e-3) < 1e-7);
}

/* Error at the end and largest error of the dense output with n equal steps. A huge tolerance keeps the adaptive method's step fixed. */
static void errors_with(const char *spec, int n, double *end, double *inside) {
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    double y0 = 1, t_end = 3, h = t_end / n, y;
    assert_int_equal(test_ode_create(ctx, 1, 1, swell, NULL, &ode), BL_OK);
    bl_integrator *integ = make(&ode, spec, (bl_step_control){.t_end = t_end, .step = h, .h_max = h, .tolerance = 1e9}, &y0);
    *inside = 0;
    while (integ->t < t_end) {
        assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
        for (int i = 1; i < 10; i++) {
            double t = integ->t_old + 0.1 * i * (integ->t - integ->t_old);
            assert_int_equal(integ->kind->dense(integ, t, &y), BL_OK);
            *inside = fmax(*inside, fabs(y - exp(sin(t))));
        }
        assert_int_equal(integ->kind->dense(integ, integ->t, &y), BL_OK);
        assert_float_equal(y, integ->y[0], 1e-14);
        assert_int_equal(integ->kind->dense(integ, integ->t_old, &y), BL_OK);
    }
    assert_int_equal(integ->stats.steps, n);
    *end = fabs(integ->y[0] - exp(sin(t_end)));
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    test_context_end(ctx);
}

/* Halving h must divide the error by 2^p; the next term of the expansion bends the measured order by O(h): 0.3 at these h.
 * Superconvergence at the end point only makes it larger, so the end is bounded from below. */
static void integrator__has_its_order(const char *spec, double order, double dense) {
    double coarse, fine, coarse_inside, fine_inside;
    errors_with(spec, 40, &coarse, &coarse_inside);
    errors_with(spec, 80, &fine, &fine_inside);
    double measured = log2(coarse / fine), measured_inside = log2(coarse_inside / fine_inside);
    assert_true(measured > order - 0.3);
    assert_true(measured < order + 1.3);
    assert_float_equal(measured_inside, dense, 0.35);
}

static void rk4__has_order_4_and_dense_local_order_4(void **state) {
    (void)state;
    integrator__has_its_order("rk4", 4, 4);
}

static void dopri45__has_order_5_and_dense_local_order_5(void **state) {
    (void)state;
    integrator__has_its_order("dopri45", 5, 5);
}

/* One step on y' = lambda y is the stability function: polynomials known in closed form. */
static void integrators__have_their_stability_functions(void **state) {
    (void)state;
    const double z[] = {-0.7, 0.4, -2.5};
    for (int i = 0; i < 3; i++) {
        double z1 = z[i], r4 = 1 + z1 + z1 * z1 / 2 + pow(z1, 3) / 6 + pow(z1, 4) / 24;
        double r5 = r4 + pow(z1, 5) / 120 + pow(z1, 6) / 600;
        bl_context *ctx = test_context(NULL);
        test_ode ode;
        double y0 = 1, one = 1;
        assert_int_equal(test_ode_create(ctx, 1, 1, decay, &z1, &ode), BL_OK);
        bl_integrator *integ = make(&ode, "rk4", (bl_step_control){.t_end = 1, .step = one}, &y0);
        run(integ);
        assert_float_equal(integ->y[0], r4, 1e-14);
        bl_integrator_destroy(integ);
        integ = make(&ode, "dopri45", (bl_step_control){.t_end = 1, .step = one, .h_max = 1, .tolerance = 1e9}, &y0);
        run(integ);
        assert_float_equal(integ->y[0], r5, 1e-13);
        bl_integrator_destroy(integ);
        test_ode_destroy(&ode);
        test_context_end(ctx);
    }
}

/* ---- refusals */

typedef struct hole {
    double w, from, to;
    bl_status status;
} hole;

static void hole_oscillator(double t, const double *y, double *rate, void *user) { oscillator(t, y, rate, &((hole *)user)->w); }

static bl_status hole_refuse(double t, const double *y, void *user) {
    const hole *h = user;
    (void)y;
    return t > h->from && t < h->to ? h->status : BL_OK;
}

static void singular_instants__are_stepped_over_and_the_step_returns(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    hole h = {.w = 1, .from = 0.3999, .to = 0.4001, .status = BL_SINGULAR};
    const char *const spec[] = {"rk4", "bs23", "dopri45", "dop853"};
    for (int i = 0; i < 4; i++) {
        test_ode ode;
        double y0[2] = {1, 0};
        assert_int_equal(test_ode_create(ctx, 2, 1, hole_oscillator, &h, &ode), BL_OK);
        ode.refuse = hole_refuse;
        /* steps of 0.1 hit 0.4 exactly */
        bl_integrator *integ = make(&ode, spec[i], (bl_step_control){.t_end = 1, .step = 0.1, .h_max = 0.1, .tolerance = 1e-3}, y0);
        bl_status refusal = BL_OK;
        while (refusal == BL_OK)
            assert_int_equal(bl_integrator_step(integ, &refusal), BL_OK);
        assert_int_equal(refusal, BL_SINGULAR);
        assert_true(integ->h_next == 0.1);
        assert_true(fabs(integ->t - integ->t_old) < 0.1);
        run(integ);
        assert_float_equal(integ->y[0], cos(1), i == 1 ? 1e-3 / 24 : 1e-5); /* order 3: h^3 / 24 */
        assert_in_range(integ->stats.rejections, 1, 6);
        bl_integrator_destroy(integ);
        test_ode_destroy(&ode);
    }
    test_context_end(ctx);
}

static void refusals_without_end__fail_with_a_reason(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    const bl_status cause[] = {BL_SINGULAR, BL_NO_CONVERGENCE, BL_NOT_FINITE};
    const char *const spec[] = {"rk4", "bs23", "dopri45", "dop853", "abm"};
    for (int i = 0; i < 5; i++)
        for (int c = 0; c < 3; c++) {
            hole h = {.w = 1, .from = 0.35, .to = 100, .status = cause[c]};
            test_ode ode;
            double y0[2] = {1, 0};
            assert_int_equal(test_ode_create(ctx, 2, 1, hole_oscillator, &h, &ode), BL_OK);
            ode.refuse = hole_refuse;
            bl_integrator *integ = make(&ode, spec[i], (bl_step_control){.t_end = 1, .step = 0.1, .tolerance = 1e-3}, y0);
            bl_status status = BL_OK;
            while (status == BL_OK)
                status = bl_integrator_step(integ, NULL);
            assert_int_equal(status, BL_E_NUMERIC);
            assert_true(integ->t <= 0.35);
            assert_non_null(strstr(bl_context_error(ctx)->what, c == 0 ? "singular" : c == 1 ? "converge" : "finite"));
            bl_integrator_destroy(integ);
            test_ode_destroy(&ode);
        }
    test_context_end(ctx);
}

static void blow_up(double t, const double *y, double *rate, void *user) {
    (void)t;
    (void)user;
    rate[0] = y[0] * y[0]; /* y = 1 / (1 - t) */
}

static void a_pole__ends_the_run_before_it(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    double y0 = 1;
    assert_int_equal(test_ode_create(ctx, 1, 1, blow_up, NULL, &ode), BL_OK);
    bl_integrator *integ = make(&ode, "dopri45", (bl_step_control){.t_end = 2, .tolerance = 1e-6}, &y0);
    bl_status status = BL_OK;
    for (int i = 0; i < 100000 && status == BL_OK; i++)
        status = bl_integrator_step(integ, NULL);
    assert_int_equal(status, BL_E_NUMERIC);
    assert_float_equal(integ->t, 1, 1e-3);
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    test_context_end(ctx);
}

static void steps__allocate_nothing(void **state) {
    (void)state;
    const char *const spec[] = {"rk4", "bs23", "dopri45", "dop853", "abm"};
    for (int i = 0; i < 5; i++) {
        bl_context *ctx = test_context(NULL);
        test_ode ode;
        double y0[2] = {1, 0}, w = 3;
        assert_int_equal(test_ode_create(ctx, 2, 1, oscillator, &w, &ode), BL_OK);
        bl_integrator *integ = make(&ode, spec[i], (bl_step_control){.t_end = 5, .step = 0.01, .tolerance = 1e-6}, y0);
        size_t calls = bl_context_memory(ctx).calls;
        run(integ);
        assert_int_equal(bl_context_memory(ctx).calls, calls);
        bl_integrator_destroy(integ);
        test_ode_destroy(&ode);
        test_context_end(ctx);
    }
}

static void bad_choices__are_refused_with_a_reason(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    double w = 1;
    bl_integrator *integ;
    assert_int_equal(test_ode_create(ctx, 2, 1, oscillator, &w, &ode), BL_OK);
    bl_step_control control = {.t_end = 1, .step = 0.1, .tolerance = 1e-6};
    assert_int_equal(bl_integrator_create(ctx, "dopri54", &ode.form, &control, &integ), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->advice, "dopri45"));
    assert_int_equal(bl_integrator_create(ctx, "rk4:3", &ode.form, &control, &integ), BL_E_ARG);
    control.step = 0;
    assert_int_equal(bl_integrator_create(ctx, "rk4", &ode.form, &control, &integ), BL_E_ARG);
    control.tolerance = 0;
    assert_int_equal(bl_integrator_create(ctx, "dopri45", &ode.form, &control, &integ), BL_E_ARG);
    bl_formulation_kind other = *ode.form.kind;
    other.kind.gives = BL_CAN_STAGE;
    ode.form.kind = &other;
    control.step = 0.1;
    assert_int_equal(bl_integrator_create(ctx, "rk4", &ode.form, &control, &integ), BL_E_ABILITY);
    assert_non_null(strstr(bl_context_error(ctx)->what, "needs the rate"));
    assert_null(integ);
    test_ode_destroy(&ode);
    test_context_end(ctx);
}

static bl_status create_and_start(bl_context *ctx, void *user) {
    const char *spec = user;
    test_ode ode = {0};
    double w = 1, y0[2] = {1, 0};
    bl_integrator *integ = NULL;
    bl_status status = test_ode_create(ctx, 2, 1, oscillator, &w, &ode);
    if (status == BL_OK)
        status = bl_integrator_create(ctx, spec, &ode.form, &(bl_step_control){.t_end = 1, .step = 0.1, .tolerance = 1e-6}, &integ);
    if (status == BL_OK)
        status = bl_integrator_start(integ, 0, y0);
    if (status == BL_OK)
        status = bl_integrator_step(integ, NULL);
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    return status;
}

static void failing_allocations__are_survived(void **state) {
    (void)state;
    test_failing_allocations(create_and_start, "rk4");
    test_failing_allocations(create_and_start, "bs23");
    test_failing_allocations(create_and_start, "dopri45");
    test_failing_allocations(create_and_start, "dop853");
    test_failing_allocations(create_and_start, "abm");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dopri45__takes_the_published_numbers_of_steps),
        cmocka_unit_test(rk4__has_order_4_and_dense_local_order_4),
        cmocka_unit_test(dopri45__has_order_5_and_dense_local_order_5),
        cmocka_unit_test(integrators__have_their_stability_functions),
        cmocka_unit_test(singular_instants__are_stepped_over_and_the_step_returns),
        cmocka_unit_test(refusals_without_end__fail_with_a_reason),
        cmocka_unit_test(a_pole__ends_the_run_before_it),
        cmocka_unit_test(steps__allocate_nothing),
        cmocka_unit_test(bad_choices__are_refused_with_a_reason),
        cmocka_unit_test(failing_allocations__are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
