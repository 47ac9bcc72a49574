/* Every integrator with a formula follows it: the values of a linear problem satisfy the recurrence whose roots the stability study finds.
 * y' = lambda y with complex lambda as two real equations; u'' + 2 xi w u' + w^2 u = 0 for second-order methods. */
#include "study/stability_private.h"
#include "support/ode.h"
#include "support/stepping.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 36 };

static void multiply(double t, const double *y, double *rate, void *user) {
    const bl_complex lambda = *(const bl_complex *)user, product = lambda * (y[0] + I * (bl_complex)y[1]);
    (void)t;
    rate[0] = (double)creall(product);
    rate[1] = (double)cimagl(product);
}

/* values of y' = z y with steps of 1 */
static void first_order_values(bl_context *ctx, const char *spec, bl_complex z, bl_complex *value) {
    test_ode ode;
    bl_integrator *integ = NULL;
    double y0[2] = {1, 0.5};
    assert_int_equal(test_ode_create(ctx, 2, 1e-20, multiply, &z, &ode), BL_OK);
    bl_step_control control = {.t_end = STEPS + 1, .step = 1, .h_max = 1, .tolerance = 1e9};
    bl_status status = bl_integrator_create(ctx, spec, &ode.form, &control, &integ);
    if (status != BL_OK)
        fail_msg("%s: %s", spec, bl_context_error(ctx)->what);
    assert_int_equal(bl_integrator_start(integ, 0, y0), BL_OK);
    for (int n = 0; n < STEPS; n++) {
        value[n] = integ->y[0] + I * (bl_complex)integ->y[1];
        assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
        assert_true(fabs(integ->t - n - 1) < 1e-9);
    }
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
}

/* the same if tangents are part of the formula: with equations whose tangents are exact to the last digit */
static int multiply_states(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)q;
    (void)v;
    (void)Q;
    multiply(t, z, f, user);
    return 0;
}

static int multiply_tangent(void *user, double t, const double *q, const double *v, const double *z, double *dx, double *dv) {
    const bl_complex lambda = *(const bl_complex *)user;
    (void)t;
    (void)q;
    (void)v;
    (void)z;
    (void)dv;
    dx[0] = dx[3] = (double)creall(lambda);
    dx[1] = (double)cimagl(lambda);
    dx[2] = -dx[1];
    return 0;
}

static void linear_values(bl_context *ctx, const char *spec, bl_complex z, bl_complex *value) {
    bl_function function = {
        .user = &z, .nz = 2, .promise = BL_FN_NO_T | BL_FN_LINEAR, .force = multiply_states, .tangent = multiply_tangent};
    const double y0[3] = {1, 0.5};
    test_stepping s;
    test_stepping_begin(ctx, &function, "plain", spec, STEPS + 1, 1, y0, y0, y0, &s);
    s.integ->control.tolerance = 1e9;
    s.integ->control.h_max = 1;
    assert_int_equal(bl_integrator_start(s.integ, 0, y0), BL_OK);
    for (int n = 0; n < STEPS; n++) {
        value[n] = s.integ->y[0] + I * (bl_complex)s.integ->y[1];
        assert_int_equal(bl_integrator_step(s.integ, NULL), BL_OK);
        assert_true(fabs(s.integ->t - n - 1) < 1e-9);
    }
    test_stepping_end(&s);
}

/* displacements with steps of 1 */
static void second_order_values(bl_context *ctx, const char *spec, double Omega, double xi, bl_complex *value) {
    test_linear linear = {.n = 1, .M = {1}, .C = {2 * xi * Omega}, .K = {Omega * Omega}};
    bl_function function = test_linear_function(&linear, true);
    test_stepping s;
    test_stepping_begin(ctx, &function, "plain", spec, STEPS + 1, 1, (const double[]){1}, (const double[]){0.3}, NULL, &s);
    for (int n = 0; n < STEPS; n++) {
        value[n] = s.integ->y[0];
        assert_int_equal(bl_integrator_step(s.integ, NULL), BL_OK);
        assert_true(fabs(s.integ->t - n - 1) < 1e-9);
    }
    test_stepping_end(&s);
}

/* residual of sum c_i v_{n+i} = 0, c from the roots, relative to the terms; from `start` on, after the starting values */
static double recurrence_error(const bl_roots *roots, int start, const bl_complex *value) {
    bl_complex c[BL_SYMBOL_POWERS + 1] = {1};
    double worst = 0;
    for (int i = 0; i < roots->n; i++) {
        for (int j = i + 1; j > 0; j--)
            c[j] = c[j - 1] - roots->r[i] * c[j];
        c[0] = -roots->r[i] * c[0];
    }
    for (int n = start; n + roots->n < STEPS; n++) {
        bl_complex sum = 0;
        long double size = 1e-6L; /* values that have decayed below are meaningless: undamped modes keep the rounding errors of the start */
        for (int i = 0; i <= roots->n; i++) {
            sum += c[i] * value[n + i];
            size += cabsl(c[i] * value[n + i]);
        }
        worst = fmax(worst, (double)(cabsl(sum) / size));
    }
    return worst;
}

static bl_status formula_of(bl_context *ctx, bl_arena *arena, const char *spec, bl_formula *formula) {
    const bl_integrator_kind *kind = bl_integrator_kind_of(spec);
    const char *colon = strchr(spec, ':');
    bl_value value[BL_MAX_PARAMS];
    BL_TRY(bl_kind_options(ctx, arena, &kind->kind, colon ? colon + 1 : NULL, value));
    memset(formula, 0, sizeof *formula);
    return kind->formula(kind, ctx, value, formula);
}

/* false: there is no such member */
static bool check(bl_context *ctx, const char *spec) {
    /* left half-plane, near the imaginary axis, small and large */
    static const double at[][2] = {{-0.3, 0.8}, {-0.02, 0.35}, {-1.5, 0.4}, {0, 0.6}};
    bl_arena arena = {.ctx = ctx};
    bl_formula formula;
    bl_symbol s;
    double worst = 0;
    bl_status status = formula_of(ctx, &arena, spec, &formula);
    if (status == BL_OK) {
        int order;
        double constant;
        assert_int_equal(bl_symbol_create(ctx, &formula, &s), BL_OK);
        bl_symbol_order(&s, &order, &constant);
        if (order != formula.order && formula.order > 0)
            fail_msg("%s: order %d, it promises %d", spec, order, formula.order);
        for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
            bl_complex z = at[i][0] + I * (bl_complex)at[i][1], value[STEPS];
            bl_roots roots;
            bl_symbol_roots(&s, z, &roots);
            if (s.oscillator)
                second_order_values(ctx, spec, (double)cabsl(z), (double)(-creall(z) / cabsl(z)), value);
            else if (bl_integrator_kind_of(spec)->kind.needs & BL_CAN_SHIFT)
                linear_values(ctx, spec, z, value);
            else
                first_order_values(ctx, spec, z, value);
            double error = recurrence_error(&roots, formula.k + 4, value);
            if (!(error < 1e-11))
                fail_msg("%s at z = %g%+gi: the steps leave the recurrence of the formula by %g", spec, at[i][0], at[i][1], error);
            worst = fmax(worst, error);
        }
        print_message("%s: %.1e\n", spec, worst);
    }
    bl_arena_destroy(&arena);
    return status == BL_OK;
}

static void integrators__step_as_their_formulas_say(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    int found = 0;
    for (size_t i = 0; i < bl_integrator_kind_count; i++) {
        const bl_integrator_kind *kind = bl_integrator_kinds[i];
        const bl_param *first = kind->kind.params;
        char spec[96];
        if (!kind->formula)
            continue;
        found++;
        if (first && first->type == BL_P_TEXT) { /* given coefficients: Adams-Moulton of order 3 */
            snprintf(spec, sizeof spec, "%s:a=0;-1;1,b=-1/12;8/12;5/12", kind->kind.name);
            assert_true(check(ctx, spec));
        } else if (first && first->type == BL_P_INTEGER) { /* families: all members */
            int members = 0;
            for (int k = 1; k <= 12; k++) {
                snprintf(spec, sizeof spec, "%s:%d", kind->kind.name, k);
                members += check(ctx, spec);
            }
            assert_true(members >= 4);
        } else {
            assert_true(check(ctx, kind->kind.name));
        }
    }
    assert_true(found >= 20);
    test_context_end(ctx);
}

/* parameters other than the defaults */
static void parameters__reach_the_formula(void **unused) {
    (void)unused;
    static const char *const specs[] = {"bdf_alpha:-0.45",  "bdf_alpha:1.17", "bdf_alpha:-0.6", "newmark:0.2,0.5", "newmark:0.3,0.6",
                                        "hht:0.05",         "hht:0.3",        "wbz:-0.2",       "genalpha:0",      "genalpha:1",
                                        "collocation:0.17", "wilson:2",       "edmc1:0.3",      "edmc2:0.25"};
    bl_context *ctx = test_context(NULL);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        if (!check(ctx, specs[i]))
            fail_msg("%s: %s", specs[i], bl_context_error(ctx)->what);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(integrators__step_as_their_formulas_say),
                                       cmocka_unit_test(parameters__reach_the_formula)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
