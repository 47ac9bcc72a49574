/* Radau IIA: coefficients against their definition, measured orders, stiffness, dense output, energy, refusals, memory. */
#include "integrate/radau.h"

#include "equations/function_private.h"
#include "study/simulation.h"
#include "support/ode.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

/* B(2s-1), C(s), A^-1 A = I, A^-1 T = T D, T^-1 T = I; the error weights vanish on polynomials up to degree s but for f(y0):
 * with y = t^k, Z_i = c_i^k (h = 1), sum error_i c_i^k = 0 for k > 1, and -real / real ... = -1 for k = 1 */
static void tables__satisfy_their_definition(void **state) {
    (void)state;
    for (int s = 3; s <= 7; s += 2) {
        bl_radau m;
        bl_radau_make(s, &m);
        const double *b = m.A[s - 1]; /* stiffly accurate */
        assert_true(m.c[s - 1] == 1);
        for (int k = 1; k <= 2 * s - 1; k++) {
            double sum = 0;
            for (int i = 0; i < s; i++)
                sum += b[i] * pow(m.c[i], k - 1);
            assert_float_equal(sum, 1.0 / k, 1e-15);
        }
        for (int i = 0; i < s; i++)
            for (int k = 1; k <= s; k++) {
                double sum = 0;
                for (int j = 0; j < s; j++)
                    sum += m.A[i][j] * pow(m.c[j], k - 1);
                assert_float_equal(sum, pow(m.c[i], k) / k, 1e-15);
            }
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++) {
                double one = 0, other = 0, left = 0, right;
                for (int k = 0; k < s; k++) {
                    one += m.inverse[i][k] * m.A[k][j];
                    other += m.T_inverse[i][k] * m.T[k][j];
                    left += m.inverse[i][k] * m.T[k][j];
                }
                int p = (j - 1) / 2;
                if (j == 0)
                    right = m.T[i][0] * m.real;
                else if (j % 2)
                    right = m.T[i][j] * m.alpha[p] - m.T[i][j + 1] * m.beta[p];
                else
                    right = m.T[i][j - 1] * m.beta[p] + m.T[i][j] * m.alpha[p];
                assert_float_equal(one, i == j, 1e-13);
                assert_float_equal(other, i == j, 1e-12);
                assert_float_equal(left, right, 1e-12);
            }
        for (int k = 1; k <= s; k++) {
            double sum = 0;
            for (int i = 0; i < s; i++)
                sum += m.error[i] * pow(m.c[i], k);
            assert_float_equal(sum, k == 1 ? -1 : 0, 1e-13);
        }
    }
}

/* ---- systems of a user's functions */

typedef struct spring {
    double w, damping;
} spring;

static int spring_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    const spring *s = user;
    (void)t, (void)z, (void)f;
    Q[0] = -s->w * s->w * q[0] - s->damping * v[0];
    return 0;
}

static int spring_tangent(void *user, double t, const double *q, const double *v, const double *z, double *dx, double *dv) {
    const spring *s = user;
    (void)t, (void)q, (void)v, (void)z;
    dx[0] = -s->w * s->w;
    dv[0] = -s->damping;
    return 0;
}

static int spring_energy(void *user, double t, const double *q, const double *v, double *kinetic, double *potential, double *power) {
    const spring *s = user;
    (void)t;
    *kinetic = v[0] * v[0] / 2;
    *potential = s->w * s->w * q[0] * q[0] / 2;
    *power = -s->damping * v[0] * v[0];
    return 0;
}

static bl_status simulate(bl_context *ctx, const bl_function *fn, const char *integrator, const bl_simulation_setup *given,
                          const double *q0, const double *z0, bl_simulation **sim, bl_system **sys, bl_state *start) {
    bl_simulation_setup setup = *given;
    setup.formulation = "plain";
    setup.integrator = integrator;
    BL_TRY(bl_function_build(ctx, fn, sys));
    BL_TRY(bl_state_create(*sys, 0, start));
    for (bl_index i = 0; i < fn->nq; i++)
        start->q[i] = q0[i];
    for (bl_index i = 0; i < fn->nz; i++)
        start->z[i] = z0[i];
    return bl_simulation_create(*sys, start, &setup, sim);
}

static void finish(bl_simulation *sim, bl_system *sys, bl_state *start) {
    bl_simulation_destroy(sim);
    if (sys)
        bl_state_destroy(sys, start);
    bl_system_destroy(sys);
}

/* q'' = -q: linear, so the iteration is exact and the step may be held fixed by a huge tolerance */
static double oscillator_error(const char *integrator, int n, double w) {
    bl_context *ctx = test_context(NULL);
    bl_system *sys = NULL;
    bl_state start = {0};
    bl_simulation *sim = NULL;
    spring s = {.w = w};
    bl_function fn = {.user = &s, .nq = 1, .promise = BL_FN_LINEAR | BL_FN_NO_T, .force = spring_force, .tangent = spring_tangent};
    bl_simulation_setup setup = {.t_end = 8, .step = 8.0 / n, .h_max = 8.0 / n, .tolerance = 1e9};
    assert_int_equal(simulate(ctx, &fn, integrator, &setup, (double[]){1}, NULL, &sim, &sys, &start), BL_OK);
    while (*sim->state.t < 8)
        assert_int_equal(bl_simulation_advance(sim), BL_OK);
    assert_int_equal(sim->integ->stats.steps, n);
    double error = hypot(sim->state.q[0] - cos(8 * w), sim->state.v[0] / w + sin(8 * w));
    finish(sim, sys, &start);
    test_context_end(ctx);
    return error;
}

static void radau__has_the_orders_5_9_and_13(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        int order, n;
        double w;
    } all[] = {{"radau:5", 5, 64, 1}, {"radau:9", 9, 10, 1}, {"radau:13", 13, 12, 3}};
    for (int i = 0; i < 3; i++) {
        double coarse = oscillator_error(all[i].spec, all[i].n, all[i].w), fine = oscillator_error(all[i].spec, 2 * all[i].n, all[i].w);
        double order = log2(coarse / fine);
        print_message("%s: errors %.2e, %.2e, order %.2f\n", all[i].spec, coarse, fine, order);
        assert_true(fabs(order - all[i].order) < 0.35);
    }
}

/* |R(i w h)| <= 1 for every w h, and nothing is left of the fastest vibrations after a step */
static void radau__is_stable_on_the_imaginary_axis(void **state) {
    (void)state;
    const char *const spec[] = {"radau:5", "radau:9", "radau:13"};
    for (int i = 0; i < 3; i++) {
        for (double w = 0.5; w < 1000; w *= 1.7) /* h = 1: error at most that of a solution that decays */
            assert_true(oscillator_error(spec[i], 8, w) < 2.0001);
        assert_true(fabs(oscillator_error(spec[i], 8, 1e7) - 1) < 1e-3); /* what remains is the exact solution of length 1 */
    }
}

/* ---- y' = -1e6 (y - cos t) - sin t (Prothero and Robinson 1974), through the rate. Stiff components do not enter the error estimate,
 * and inside a step the polynomial has order s: so h_max is chosen for h^4 = tolerance. */

static void prothero(double t, const double *y, double *rate, void *user) {
    (void)user;
    rate[0] = -1e6 * (y[0] - cos(t)) - sin(t);
}

static void radau__follows_a_stiff_equation_and_its_dense_output_too(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        double tolerance = pow(10, -4 - 2 * k), h_max = 3 * pow(tolerance, 0.25), y0 = 1, worst = 0, end = 0, y;
        bl_context *ctx = test_context(NULL);
        test_ode ode;
        bl_integrator *integ;
        assert_int_equal(test_ode_create(ctx, 1, 1, prothero, NULL, &ode), BL_OK);
        assert_int_equal(
            bl_integrator_create(ctx, "radau", &ode.form, &(bl_step_control){.t_end = 10, .h_max = h_max, .tolerance = tolerance}, &integ),
            BL_OK);
        assert_int_equal(bl_integrator_start(integ, 0, &y0), BL_OK);
        while (integ->t < 10) {
            assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
            end = fmax(end, fabs(integ->y[0] - cos(integ->t)));
            for (int i = 1; i < 8; i++) {
                double t = integ->t_old + i * (integ->t - integ->t_old) / 8;
                assert_int_equal(integ->kind->dense(integ, t, &y), BL_OK);
                worst = fmax(worst, fabs(y - cos(t)));
            }
        }
        print_message("tolerance %.0e: %ld steps, error %.1e, inside %.1e\n", tolerance, integ->stats.steps, end, worst);
        assert_true(end < 10 * tolerance);
        assert_true(worst < 100 * tolerance);
        assert_true((double)integ->stats.steps < 10 / h_max + 20);
        bl_integrator_destroy(integ);
        test_ode_destroy(&ode);
        test_context_end(ctx);
    }
}

/* ---- Robertson's reaction in the form with an algebraic state: A singular */

static int robertson(void *user, double t, const double *q, const double *v, const double *y, double *Q, double *f) {
    (void)user, (void)t, (void)q, (void)v, (void)Q;
    f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    f[1] = 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] * y[1];
    f[2] = y[0] + y[1] + y[2] - 1;
    return 0;
}

static void radau__solves_algebraic_equations_beside_stiff_ones(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_system *sys = NULL;
    bl_state start = {0};
    bl_simulation *sim = NULL;
    const double A[] = {1, 0, 0, 0, 1, 0, 0, 0, 0}, scale[] = {1e-8, 1e-13, 1};
    bl_function fn = {.nz = 3, .force = robertson, .A = A, .scale = scale};
    bl_simulation_setup setup = {.t_end = 1e11, .tolerance = 1e-6};
    assert_int_equal(simulate(ctx, &fn, "radau", &setup, NULL, (double[]){1, 0, 0}, &sim, &sys, &start), BL_OK);
    while (*sim->state.t < 1e11)
        assert_int_equal(bl_simulation_advance(sim), BL_OK);
    /* IVP test set */
    assert_true(fabs(sim->state.z[0] / 0.2083340149701255e-7 - 1) < 1e-5);
    assert_true(fabs(sim->state.z[1] / 0.8333360770334713e-13 - 1) < 1e-5);
    assert_true(fabs(sim->state.z[2] - 0.9999999791665050) < 1e-9);
    assert_true(sim->integ->stats.steps < 400);
    finish(sim, sys, &start);
    test_context_end(ctx);
}

/* z = 1e3 v^2 beside q'' = -q with v0 = 1: a first guess that stops the motion would throw z far off */
static int squared(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user, (void)t;
    Q[0] = -q[0];
    f[0] = z[0] - 1e3 * v[0] * v[0];
    return 0;
}

static void radau__starts_in_full_motion(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_system *sys = NULL;
    bl_state start = {0};
    bl_simulation *sim = NULL;
    bl_function fn = {.nq = 1, .nz = 1, .force = squared, .A = (double[]){0}};
    bl_simulation_setup setup = {.formulation = "plain", .integrator = "radau", .t_end = 2, .tolerance = 1e-7};
    assert_int_equal(bl_function_build(ctx, &fn, &sys), BL_OK);
    assert_int_equal(bl_state_create(sys, 0, &start), BL_OK);
    start.v[0] = 1;
    start.z[0] = 1e3;
    assert_int_equal(bl_simulation_create(sys, &start, &setup, &sim), BL_OK);
    while (*sim->state.t < 2)
        assert_int_equal(bl_simulation_advance(sim), BL_OK);
    assert_float_equal(sim->state.q[0], sin(2), 1e-6);
    assert_float_equal(sim->state.z[0], 1e3 * cos(2) * cos(2), 1e-3);
    assert_true(sim->integ->stats.rejections < 4);
    finish(sim, sys, &start);
    test_context_end(ctx);
}

/* the work of the damper is integrated by the same collocation: energy balance to the order of the method */
static void radau__keeps_the_energy_balance_of_damped_motion(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_system *sys = NULL;
    bl_state start = {0};
    bl_simulation *sim = NULL;
    spring s = {.w = 3, .damping = 0.7};
    bl_function fn = {.user = &s, .nq = 1, .force = spring_force, .tangent = spring_tangent, .energy = spring_energy};
    bl_simulation_setup setup = {.t_end = 5, .tolerance = 1e-8};
    assert_int_equal(simulate(ctx, &fn, "radau", &setup, (double[]){1}, NULL, &sim, &sys, &start), BL_OK);
    while (*sim->state.t < 5)
        assert_int_equal(bl_simulation_advance(sim), BL_OK);
    double energy = (sim->state.v[0] * sim->state.v[0] + 9 * sim->state.q[0] * sim->state.q[0]) / 2;
    assert_true(energy < 1);
    assert_float_equal(energy - *sim->state.work, 4.5, 1e-7);
    finish(sim, sys, &start);
    test_context_end(ctx);
}

/* a chain of springs: sparse and full matrices are solved by different code and give the same */
enum { CHAIN = 60 };

static int chain_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user, (void)t, (void)v, (void)z, (void)f;
    for (int i = 0; i < CHAIN; i++)
        Q[i] = 50 * ((i ? q[i - 1] : 0) - 2 * q[i] + (i < CHAIN - 1 ? q[i + 1] : 0)) - q[i] * q[i] * q[i];
    return 0;
}

static void sparse_and_full_matrices__give_the_same_motion(void **state) {
    (void)state;
    double end[2][CHAIN], q0[CHAIN];
    bl_index ptr[CHAIN + 1], idx[3 * CHAIN], count = 0;
    for (bl_index j = 0; j < CHAIN; j++) {
        ptr[j] = count;
        for (bl_index i = j > 0 ? j - 1 : 0; i <= j + 1 && i < CHAIN; i++)
            idx[count++] = i;
        q0[j] = sin(0.3 * (double)j);
    }
    ptr[CHAIN] = count;
    for (int sparse = 0; sparse < 2; sparse++) {
        bl_context *ctx = test_context(NULL);
        bl_system *sys = NULL;
        bl_state start = {0};
        bl_simulation *sim = NULL;
        bl_function fn = {.nq = CHAIN, .promise = BL_FN_NO_V, .force = chain_force};
        if (sparse)
            fn.pattern_x = (bl_csc){ptr, idx};
        bl_simulation_setup setup = {.t_end = 1, .tolerance = 1e-9};
        assert_int_equal(simulate(ctx, &fn, "radau", &setup, q0, NULL, &sim, &sys, &start), BL_OK);
        while (*sim->state.t < 1)
            assert_int_equal(bl_simulation_advance(sim), BL_OK);
        memcpy(end[sparse], sim->state.q, sizeof end[sparse]);
        finish(sim, sys, &start);
        test_context_end(ctx);
    }
    for (int i = 0; i < CHAIN; i++)
        assert_float_equal(end[0][i], end[1][i], 1e-8);
}

/* ---- refusals and memory */

static void radau__refuses_other_orders_and_constraints(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    bl_integrator *integ;
    bl_step_control control = {.t_end = 1, .tolerance = 1e-6};
    assert_int_equal(test_ode_create(ctx, 1, 1, prothero, NULL, &ode), BL_OK);
    assert_int_equal(bl_integrator_create(ctx, "radau:7", &ode.form, &control, &integ), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->what, "5, 9 or 13"));
    bl_formulation_kind other = *ode.form.kind;
    other.kind.gives = BL_CAN_STAGE;
    ode.form.kind = &other;
    assert_int_equal(bl_integrator_create(ctx, "radau", &ode.form, &control, &integ), BL_E_ABILITY);
    test_ode_destroy(&ode);
    test_context_end(ctx);
}

static bl_status whole_run(bl_context *ctx, void *user) {
    bl_system *sys = NULL;
    bl_state start = {0};
    bl_simulation *sim = NULL;
    bl_function *fn = user;
    double q0[CHAIN] = {1};
    bl_status status = simulate(ctx, fn, "radau", &(bl_simulation_setup){.t_end = 0.5, .tolerance = 1e-4}, q0, NULL, &sim, &sys, &start);
    while (status == BL_OK && *sim->state.t < 0.5)
        status = bl_simulation_advance(sim);
    finish(sim, sys, &start);
    return status;
}

static void radau__survives_failing_memory(void **state) {
    (void)state;
    bl_index ptr[CHAIN + 1], idx[3 * CHAIN], count = 0;
    for (bl_index j = 0; j < CHAIN; j++) {
        ptr[j] = count;
        for (bl_index i = j > 0 ? j - 1 : 0; i <= j + 1 && i < CHAIN; i++)
            idx[count++] = i;
    }
    ptr[CHAIN] = count;
    bl_function sparse = {.nq = CHAIN, .promise = BL_FN_NO_V, .force = chain_force, .pattern_x = {ptr, idx}};
    spring s = {.w = 2};
    bl_function full = {.user = &s, .nq = 1, .force = spring_force, .tangent = spring_tangent};
    test_failing_allocations(whole_run, &sparse);
    test_failing_allocations(whole_run, &full);
}

static void radau__steps_without_allocating(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_system *sys = NULL;
    bl_state start = {0};
    bl_simulation *sim = NULL;
    spring s = {.w = 30};
    bl_function fn = {.user = &s, .nq = 1, .force = spring_force, .tangent = spring_tangent};
    bl_simulation_setup setup = {.t_end = 20, .tolerance = 1e-8};
    assert_int_equal(simulate(ctx, &fn, "radau", &setup, (double[]){1}, NULL, &sim, &sys, &start), BL_OK);
    size_t calls = bl_context_memory(ctx).calls;
    while (*sim->state.t < 20)
        assert_int_equal(bl_simulation_advance(sim), BL_OK);
    assert_int_equal(bl_context_memory(ctx).calls, calls);
    finish(sim, sys, &start);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables__satisfy_their_definition),
        cmocka_unit_test(radau__has_the_orders_5_9_and_13),
        cmocka_unit_test(radau__is_stable_on_the_imaginary_axis),
        cmocka_unit_test(radau__follows_a_stiff_equation_and_its_dense_output_too),
        cmocka_unit_test(radau__solves_algebraic_equations_beside_stiff_ones),
        cmocka_unit_test(radau__starts_in_full_motion),
        cmocka_unit_test(radau__keeps_the_energy_balance_of_damped_motion),
        cmocka_unit_test(sparse_and_full_matrices__give_the_same_motion),
        cmocka_unit_test(radau__refuses_other_orders_and_constraints),
        cmocka_unit_test(radau__survives_failing_memory),
        cmocka_unit_test(radau__steps_without_allocating),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
