/* ndf_auto and bdf_auto are ode15s: published numbers of steps exactly, and every step of three runs. Source of the counts: E. Alberdi
 * Celaya's thesis on integrators for semidiscretized finite elements (Universidad del Pais Vasco), chapter 4, recomputed independently. */
#include "integrate/backward.h"
#include "support/ode.h"
#include "support/testing.h"
#include "verify/integrate/ode15s_steps.h"

#include <math.h>
#include <string.h>

static bool near(double a, double b, double within) { return fabs(a - b) <= within; }

typedef void (*equations)(double, const double *, double *, void *);

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

typedef struct run {
    bl_context *ctx;
    test_ode ode;
    bl_integrator *integ;
} run;

static void begin(run *r, const char *spec, equations f, void *user, bl_index ny, const double *y0, double t_end, double tolerance) {
    r->ctx = test_context(NULL);
    assert_int_equal(test_ode_create(r->ctx, ny, 1e-6 / tolerance, f, user, &r->ode), BL_OK);
    bl_step_control control = {.t_end = t_end, .tolerance = tolerance};
    assert_int_equal(bl_integrator_create(r->ctx, spec, &r->ode.form, &control, &r->integ), BL_OK);
    assert_int_equal(bl_integrator_start(r->integ, 0, y0), BL_OK);
}

static void end(run *r) {
    bl_integrator_destroy(r->integ);
    test_ode_destroy(&r->ode);
    test_context_end(r->ctx);
}

/* the estimate of the step just accepted, relative: constant of its order x new difference */
static double estimate(const bl_integrator *integ) {
    const bl_backward *backward = integ->own;
    double most = 0;
    for (bl_index i = 0; i < integ->ny; i++)
        most = fmax(most, fabs(backward->d[i]) * backward->inverse[i]);
    return most * backward->error_constant[backward->order_dense];
}

static void count(const char *spec, equations f, bl_index ny, double parameter, double tolerance, long *steps, long *failed, double *mean) {
    run r;
    double y0[2] = {1, 0}, sum = 0;
    begin(&r, spec, f, &parameter, ny, y0, 10, tolerance);
    while (r.integ->t < 10) {
        assert_int_equal(bl_integrator_step(r.integ, NULL), BL_OK);
        sum += estimate(r.integ);
    }
    *steps = r.integ->stats.steps;
    *failed = r.integ->stats.rejections;
    *mean = sum / (double)*steps;
    end(&r);
}

static void ode15s__takes_the_published_numbers_of_steps(void **state) {
    (void)state;
    const double rate[] = {-1, -2, -4, -8, -20, -100}, frequency[] = {1, 2, 4, 8, 20, 100};
    const long ndf_decays[] = {42, 55, 62, 68, 75, 80}, bdf_decays[] = {42, 55, 64, 70, 74, 78};
    const long ndf_swings[] = {46, 81, 151, 291, 711, 3515}, bdf_swings[] = {51, 82, 146, 281, 689, 3406};
    long steps, failed;
    double mean;
    for (int i = 0; i < 6; i++) {
        count("ndf_auto", decay, 1, rate[i], 1e-3, &steps, &failed, &mean);
        assert_int_equal(steps, ndf_decays[i]);
        if (i == 0)
            assert_int_equal(failed, 1);
        count("bdf_auto", decay, 1, rate[i], 1e-3, &steps, &failed, &mean);
        assert_int_equal(steps, bdf_decays[i]);
        count("ndf_auto", oscillator, 2, frequency[i], 1e-3, &steps, &failed, &mean);
        assert_int_equal(steps, ndf_swings[i]);
        count("bdf_auto", oscillator, 2, frequency[i], 1e-3, &steps, &failed, &mean);
        assert_int_equal(steps, bdf_swings[i]);
        if (i == 0)
            assert_int_equal(failed, 2);
    }
    /* the mean of the error estimates, published with five digits */
    assert_true(near(mean, 2.1186e-4, 1e-8));
    count("bdf_auto", oscillator, 2, 100, 1e-2, &steps, &failed, &mean);
    assert_int_equal(steps, 1973);
}

/* The first step contains the rounding of a difference of rates, 1e-10 relative; all later ones follow from it. */
static void compare(const char *spec, equations f, bl_index ny, double parameter, const ode15s_step *step, size_t nstep) {
    run r;
    double y0[2] = {1, 0};
    begin(&r, spec, f, &parameter, ny, y0, 10, 1e-3);
    for (size_t i = 0; i < nstep; i++) {
        assert_int_equal(bl_integrator_step(r.integ, NULL), BL_OK);
        const bl_backward *backward = r.integ->own;
        assert_true(near(r.integ->t, step[i].t, 1e-8));
        assert_true(near(r.integ->t - r.integ->t_old, step[i].h, 1e-8));
        assert_int_equal(backward->order_dense, step[i].order);
        assert_true(near(estimate(r.integ), step[i].error, 1e-8 * 1e-3 + 1e-6 * step[i].error));
        assert_true(near(r.integ->y[0], step[i].y, 1e-8));
    }
    assert_true(r.integ->t == 10);
    end(&r);
}

static void ode15s__repeats_every_step(void **state) {
    (void)state;
    compare("ndf_auto", decay, 1, -1, ndf_decay, sizeof ndf_decay / sizeof *ndf_decay);
    compare("bdf_auto", decay, 1, -1, bdf_decay, sizeof bdf_decay / sizeof *bdf_decay);
    compare("bdf_auto", oscillator, 2, 1, bdf_oscillator, sizeof bdf_oscillator / sizeof *bdf_oscillator);
}

/* ---- linear elements on [0, 8], consistent mass, fixed ends: M u' = -K u and M u'' = -K u */

enum { ELEMENTS = 100, INNER = ELEMENTS - 1 };

/* a = -M^-1 K u with M = dx / 6 tridiagonal (1, 4, 1), K = 1 / dx (-1, 2, -1) */
static void accelerate(const double *u, double *a) {
    double dx = 8.0 / ELEMENTS, side = dx / 6, middle = 4 * side, upper[INNER];
    for (int i = 0; i < INNER; i++)
        a[i] = ((i > 0 ? u[i - 1] : 0) - 2 * u[i] + (i < INNER - 1 ? u[i + 1] : 0)) / dx;
    upper[0] = side / middle;
    a[0] /= middle;
    for (int i = 1; i < INNER; i++) {
        double pivot = middle - side * upper[i - 1];
        upper[i] = side / pivot;
        a[i] = (a[i] - side * a[i - 1]) / pivot;
    }
    for (int i = INNER - 2; i >= 0; i--)
        a[i] -= upper[i] * a[i + 1];
}

static void diffusion(double t, const double *y, double *rate, void *user) {
    (void)t;
    (void)user;
    accelerate(y, rate);
}

static void wave(double t, const double *y, double *rate, void *user) {
    (void)t;
    (void)user;
    memcpy(rate, y + INNER, INNER * sizeof *rate);
    accelerate(y, rate + INNER);
}

static long fem_steps(equations f, bl_index ny, int shape) {
    run r;
    double y0[2 * INNER] = {0};
    for (int i = 0; i < INNER; i++) {
        double x = 8.0 * (i + 1) / ELEMENTS;
        y0[i] = shape == 0 ? sin(acos(-1.0) * x / 8) : shape == 1 ? fmin(x / 6, (8 - x) / 2) : x > 3 - 1e-9 && x < 5 + 1e-9;
    }
    begin(&r, "ndf_auto", f, NULL, ny, y0, 16, 1e-3);
    while (r.integ->t < 16)
        assert_int_equal(bl_integrator_step(r.integ, NULL), BL_OK);
    long steps = r.integ->stats.steps;
    end(&r);
    return steps;
}

static void ode15s__takes_the_published_numbers_of_steps_on_elements(void **state) {
    (void)state;
    assert_int_equal(fem_steps(diffusion, INNER, 1), 58);
    assert_int_equal(fem_steps(diffusion, INNER, 2), 142);
    assert_int_equal(fem_steps(wave, 2 * INNER, 0), 32);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ode15s__takes_the_published_numbers_of_steps),
        cmocka_unit_test(ode15s__repeats_every_step),
        cmocka_unit_test(ode15s__takes_the_published_numbers_of_steps_on_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
