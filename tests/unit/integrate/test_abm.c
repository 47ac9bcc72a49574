/* Adams-Bashforth-Moulton of variable order: formulas on irregular steps, error control, dense output, starts, refusals. */
#include "support/ode.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* ---- formulas */

static void power(double t, const double *y, double *rate, void *user) {
    (void)y;
    rate[0] = pow(1 + t, *(int *)user);
}

static double power_integral(double t, int m) { return (pow(1 + t, m + 1) - 1) / (m + 1); }

/* largest relative error of an increment of y' = (1 + t)^m over irregular steps, after the start, with formulas of order k at most */
static double irregular_error(int k, int m, int steps) {
    bl_context *ctx = test_context(NULL);
    test_random random = {.state = 17};
    test_ode ode;
    char spec[32];
    double y0 = 0, worst = 0;
    snprintf(spec, sizeof spec, "abm:%d", k);
    assert_int_equal(test_ode_create(ctx, 1, 1, power, &m, &ode), BL_OK);
    bl_integrator *integ = make(&ode, spec, (bl_step_control){.t_end = 100, .step = 0.01, .h_max = 1, .tolerance = 1e9}, &y0);
    for (int i = 0; i < steps; i++) {
        double before = integ->y[0];
        integ->h_next = 0.01 * (1 + test_random_unit(&random));
        assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
        double exact = power_integral(integ->t, m) - power_integral(integ->t_old, m);
        if (i > k + 1)
            worst = fmax(worst, fabs(integ->y[0] - before - exact) / exact);
    }
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    test_context_end(ctx);
    return worst;
}

/* The formula of order k predicts with a polynomial of degree k - 1 and corrects with one of degree k: polynomials of degree k are
 * integrated exactly whatever the steps are, those of degree k + 1 are not. Differences of order k lose digits: 4^k eps is a generous
 * bound for ratios of steps up to 2. */
static void formulas__are_exact_for_polynomials_on_irregular_steps(void **state) {
    (void)state;
    for (int k = 1; k <= 12; k++) {
        double exact = irregular_error(k, k, 40);
        if (!(exact < 1e-12 * k))
            fail_msg("order %d: an increment of degree %d is off by %.2e", k, k, exact);
    }
    for (int k = 1; k <= 4; k++)
        assert_true(irregular_error(k, k + 1, 40) > 1e-10);
}

/* ---- error control */

static void kepler(double t, const double *y, double *rate, void *user) {
    (void)t;
    (void)user;
    double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
    rate[0] = y[2];
    rate[1] = y[3];
    rate[2] = -y[0] / r3;
    rate[3] = -y[1] / r3;
}

/* Kepler's equation t = E - e sin E for eccentricity e, period 2 pi, from the pericenter */
static void kepler_exact(double t, double e, double *y) {
    double E = t;
    for (int i = 0; i < 60; i++)
        E -= (E - e * sin(E) - t) / (1 - e * cos(E));
    double b = sqrt(1 - e * e), rate = 1 / (1 - e * cos(E));
    y[0] = cos(E) - e;
    y[1] = b * sin(E);
    y[2] = -sin(E) * rate;
    y[3] = b * cos(E) * rate;
}

static const double PERIOD = 6.283185307179586;

static double kepler_error(const char *spec, double tolerance, double *inside, double *jump, long *evaluations) {
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    double y0[4], y[4], exact[4], worst = 0;
    kepler_exact(0, 0.6, y0);
    assert_int_equal(test_ode_create(ctx, 4, 1, kepler, NULL, &ode), BL_OK);
    bl_integrator *integ = make(&ode, spec, (bl_step_control){.t_end = 2 * PERIOD, .tolerance = tolerance}, y0);
    *inside = *jump = 0;
    while (integ->t < 2 * PERIOD) {
        double before[4];
        memcpy(before, integ->y, sizeof before);
        assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
        for (int k = 0; k <= 10; k++) {
            double t = k == 10 ? integ->t : integ->t_old + 0.1 * k * (integ->t - integ->t_old);
            assert_int_equal(integ->kind->dense(integ, t, y), BL_OK);
            kepler_exact(t, 0.6, exact);
            for (int i = 0; i < 4; i++) {
                *inside = fmax(*inside, fabs(y[i] - exact[i]));
                if (k == 0 || k == 10)
                    *jump = fmax(*jump, fabs(y[i] - (k ? integ->y[i] : before[i])));
            }
        }
        for (int i = 0; i < 4; i++)
            worst = fmax(worst, fabs(integ->y[i] - exact[i]));
    }
    *evaluations = ode.form.stats.evaluations;
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    test_context_end(ctx);
    return worst;
}

/* Two turns of an orbit of eccentricity 0.6: the error follows the tolerance over seven decades, the dense output is as good as the
 * steps and meets their ends, and smaller errors cost far less than with order 5. */
static void errors__are_proportional_to_the_tolerance(void **state) {
    (void)state;
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    int n = 0;
    for (int d = 4; d <= 11; d++, n++) {
        double inside, jump, inside5, jump5;
        long evaluations, evaluations5;
        double error = kepler_error("abm", pow(10, -d), &inside, &jump, &evaluations);
        assert_true(inside <= 2 * error);
        assert_true(jump < 1e-13);
        kepler_error("dopri45", pow(10, -d), &inside5, &jump5, &evaluations5);
        assert_true(evaluations < (d < 7 ? 1.1 : d < 9 ? 0.7 : 0.4) * (double)evaluations5);
        sx += -d;
        sy += log10(error);
        sxx += (double)(d * d);
        sxy += -d * log10(error);
    }
    double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    print_message("error ~ tolerance^%.2f\n", slope);
    assert_float_equal(slope, 1, 0.15);
}

/* ---- counts */

static void decay(double t, const double *y, double *rate, void *user) {
    (void)t;
    (void)user;
    rate[0] = -y[0];
}

static void oscillator(double t, const double *y, double *rate, void *user) {
    (void)t;
    (void)user;
    rate[0] = y[1];
    rate[1] = -y[0];
}

/* An accepted step costs two evaluations, a rejected one costs one; the start one. */
static void steps__cost_two_evaluations(void **state) {
    (void)state;
    for (int d = 3; d <= 9; d += 3)
        for (int p = 0; p < 2; p++) {
            bl_context *ctx = test_context(NULL);
            test_ode ode;
            double y0[2] = {1, 0};
            assert_int_equal(test_ode_create(ctx, 1 + p, 1e-3, p ? oscillator : decay, NULL, &ode), BL_OK);
            bl_integrator *integ = make(&ode, "abm", (bl_step_control){.t_end = 10, .tolerance = pow(10, -d)}, y0);
            run(integ);
            assert_int_equal(ode.form.stats.evaluations, 1 + 2 * integ->stats.steps + integ->stats.rejections);
            assert_float_equal(integ->y[0], p ? cos(10) : exp(-10), 5 * pow(10, -d));
            bl_integrator_destroy(integ);
            test_ode_destroy(&ode);
            test_context_end(ctx);
        }
}

static void swell(double t, const double *y, double *rate, void *user) {
    (void)user;
    rate[0] = y[0] * cos(t);
}

/* Steps and evaluations of the program STEP of the book (netlib, ode; error constants to full precision, constant weight 10, first step
 * 0.001) on y' = y cos t until t passes 18, tolerances 1e-2 to 1e-12. A step that fails after h was doubled makes it forget how many equal
 * steps there were; ours remembers: hence one step of difference. */
static void steps__are_those_of_shampine_and_gordon(void **state) {
    (void)state;
    static const long steps[] = {33, 53, 71, 88, 110, 141, 167, 214, 236, 276, 321};
    static const long evaluations[] = {71, 111, 148, 179, 224, 285, 339, 434, 478, 557, 649};
    for (int d = 2; d <= 12; d++) {
        bl_context *ctx = test_context(NULL);
        test_ode ode;
        double y0 = 1;
        assert_int_equal(test_ode_create(ctx, 1, 10, swell, NULL, &ode), BL_OK);
        bl_step_control control = {.t_end = 1000, .h_max = 1000, .step = 0.001, .tolerance = pow(10, -d)};
        bl_integrator *integ = make(&ode, "abm", control, &y0);
        while (integ->t < 18)
            assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
        assert_in_range(integ->stats.steps, steps[d - 2] - 1, steps[d - 2] + 1);
        assert_in_range(ode.form.stats.evaluations, evaluations[d - 2] - 2, evaluations[d - 2] + 2);
        bl_integrator_destroy(integ);
        test_ode_destroy(&ode);
        test_context_end(ctx);
    }
}

/* ---- starts */

/* One orbit; every 20 steps the run is started again: at the same state (moved by `nudge`), or as at a new state. */
static long evaluations_with_starts(double nudge, bool starts) {
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    double y0[4], y[4];
    kepler_exact(0, 0.6, y0);
    assert_int_equal(test_ode_create(ctx, 4, 1, kepler, NULL, &ode), BL_OK);
    bl_integrator *integ = make(&ode, "abm", (bl_step_control){.t_end = PERIOD, .tolerance = 1e-8}, y0);
    size_t calls = bl_context_memory(ctx).calls;
    while (integ->t < PERIOD) {
        assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
        if (starts && integ->stats.steps % 20 == 0) {
            memcpy(y, integ->y, sizeof y);
            y[0] += nudge;
            assert_int_equal(bl_integrator_start(integ, integ->t, y), BL_OK);
        }
    }
    assert_float_equal(integ->y[0], y0[0], 1e-5 + 1e2 * nudge);
    assert_int_equal(bl_context_memory(ctx).calls, calls);
    long evaluations = ode.form.stats.evaluations;
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    test_context_end(ctx);
    return evaluations;
}

/* A projection that moves y by less than a step may err does not cost the order; a jump does, and the step shrinks to what order 1
 * can do. */
static void starts__at_the_same_state_keep_the_order(void **state) {
    (void)state;
    long without = evaluations_with_starts(0, false), same = evaluations_with_starts(0, true);
    long near = evaluations_with_starts(1e-9, true), far = evaluations_with_starts(1e-5, true);
    print_message("evaluations: %ld without starts, %ld at the same state, %ld near it, %ld at another state\n", without, same, near, far);
    assert_true(same <= without + without / 40 + 1);
    assert_true(near < 1.3 * (double)without);
    assert_true(far > 1.3 * (double)without);
    assert_true(far < 4 * without);
}

/* ---- refusals */

static bl_status hole(double t, const double *y, void *user) {
    (void)y;
    (void)user;
    return t > 3.9999 && t < 4.0001 ? BL_SINGULAR : BL_OK;
}

static void singular_instants__are_stepped_over(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    double y0[2] = {1, 0};
    assert_int_equal(test_ode_create(ctx, 2, 1, oscillator, NULL, &ode), BL_OK);
    ode.refuse = hole;
    /* the start doubles to steps of 1/32, which hit 4 exactly */
    bl_integrator *integ = make(&ode, "abm", (bl_step_control){.t_end = 10, .step = 1.0 / 1024, .h_max = 1.0 / 32, .tolerance = 1e-6}, y0);
    for (bl_status refusal = BL_OK; refusal != BL_SINGULAR;) {
        assert_true(integ->t < 5);
        if (integ->t < 4 && integ->t + integ->h_next > 3.99)
            integ->h_next = 4 - integ->t;
        assert_int_equal(bl_integrator_step(integ, &refusal), BL_OK);
    }
    assert_true(integ->t < 4 && integ->h_next > 0.01); /* the step comes back */
    run(integ);
    assert_float_equal(integ->y[0], cos(10), 1e-6);
    assert_in_range(integ->stats.rejections, 1, 5);
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    test_context_end(ctx);
}

static void nan_after(double t, const double *y, double *rate, void *user) {
    oscillator(t, y, rate, NULL);
    if (t > *(double *)user)
        rate[1] = NAN;
}

static void not_a_number__ends_the_run_with_a_reason(void **state) {
    (void)state;
    static const char *const spec[] = {"dopri45", "dop853", "abm"};
    for (int k = 0; k < 3; k++)
        for (int at = 0; at < 3; at++) {
            bl_context *ctx = test_context(NULL);
            test_ode ode;
            double y0[2] = {1, 0}, when = 0.5 + 0.1 * at;
            assert_int_equal(test_ode_create(ctx, 2, 1, nan_after, &when, &ode), BL_OK);
            bl_integrator *integ = make(&ode, spec[k], (bl_step_control){.t_end = 10, .tolerance = 1e-6}, y0);
            bl_status status = BL_OK;
            while (status == BL_OK)
                status = bl_integrator_step(integ, NULL);
            assert_int_equal(status, BL_E_NUMERIC);
            assert_non_null(strstr(bl_context_error(ctx)->what, "finite"));
            /* up to there the results are good */
            assert_float_equal(integ->t, when, 1e-12);
            assert_float_equal(integ->y[0], cos(when), 1e-5);
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

static void a_pole__ends_the_run_with_the_step_size_under_run(void **state) {
    (void)state;
    static const char *const spec[] = {"dop853", "abm"};
    for (int k = 0; k < 2; k++) {
        bl_context *ctx = test_context(NULL);
        test_ode ode;
        double y0 = 1;
        assert_int_equal(test_ode_create(ctx, 1, 1, blow_up, NULL, &ode), BL_OK);
        bl_integrator *integ = make(&ode, spec[k], (bl_step_control){.t_end = 2, .tolerance = 1e-6}, &y0);
        bl_status status = BL_OK;
        for (int i = 0; i < 100000 && status == BL_OK; i++)
            status = bl_integrator_step(integ, NULL);
        assert_int_equal(status, BL_E_NUMERIC);
        assert_non_null(strstr(bl_context_error(ctx)->what, "step size became too small at t = "));
        assert_float_equal(integ->t, 1, 1e-3);
        bl_integrator_destroy(integ);
        test_ode_destroy(&ode);
        test_context_end(ctx);
    }
}

static void orders_out_of_range__are_refused(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    bl_integrator *integ;
    assert_int_equal(test_ode_create(ctx, 1, 1, decay, NULL, &ode), BL_OK);
    bl_step_control control = {.t_end = 1, .tolerance = 1e-6};
    assert_int_equal(bl_integrator_create(ctx, "abm:13", &ode.form, &control, &integ), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->what, "1 to 12"));
    assert_int_equal(bl_integrator_create(ctx, "abm:order=0", &ode.form, &control, &integ), BL_E_ARG);
    assert_null(integ);
    test_ode_destroy(&ode);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas__are_exact_for_polynomials_on_irregular_steps),
        cmocka_unit_test(errors__are_proportional_to_the_tolerance),
        cmocka_unit_test(steps__cost_two_evaluations),
        cmocka_unit_test(steps__are_those_of_shampine_and_gordon),
        cmocka_unit_test(starts__at_the_same_state_keep_the_order),
        cmocka_unit_test(singular_instants__are_stepped_over),
        cmocka_unit_test(not_a_number__ends_the_run_with_a_reason),
        cmocka_unit_test(a_pole__ends_the_run_with_the_step_size_under_run),
        cmocka_unit_test(orders_out_of_range__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
