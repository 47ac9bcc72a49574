/* What the counters of a run mean: on systems where every count is known beforehand, for every integrator. */
#include "biela/function.h"
#include "integrate/integrate.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

typedef struct counted {
    long force, tangent;
} counted;

/* 2 q1'' + q1' + 6 q1 - 2 q2 = 0, q2'' - 2 q1 + 4 q2 = 0 */
static int force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)t, (void)z, (void)f;
    ((counted *)user)->force++;
    Q[0] = -6 * q[0] + 2 * q[1] - v[0];
    Q[1] = 2 * q[0] - 4 * q[1];
    return 0;
}

static int tangent(void *user, double t, const double *q, const double *v, const double *z, double *dx, double *dv) {
    (void)t, (void)q, (void)v, (void)z;
    ((counted *)user)->tangent++;
    memcpy(dx, (const double[]){-6, 2, 2, -4}, 4 * sizeof *dx);
    memcpy(dv, (const double[]){-1, 0, 0, 0}, 4 * sizeof *dv);
    return 0;
}

static const double mass[] = {2, 0, 0, 1}, at_start[] = {1, 0.5};

static bl_run_summary linear(const char *integrator, int steps, counted *calls) {
    bl_context *ctx = test_context(NULL);
    bl_run_summary summary = {0};
    *calls = (counted){0};
    bl_function fn = {.user = calls, .nq = 2, .promise = BL_FN_LINEAR | BL_FN_NO_T, .force = force, .tangent = tangent, .M = mass};
    bl_integrate_options options = {.integrator = integrator, .until = 1, .step = 1.0 / steps};
    if (bl_integrate(ctx, &fn, &options, at_start, NULL, NULL, NULL, NULL, &summary) != BL_OK)
        fail_msg("%s: %s", integrator, bl_context_error(ctx)->what);
    test_context_end(ctx);
    return summary;
}

/* for every method: steps and evaluations as the user sees them, one tangent for constant matrices */
static void counters__count_calls_of_the_user_function(void **unused) {
    (void)unused;
    for (size_t k = 0; k < bl_integrator_kind_count; k++) {
        const bl_integrator_kind *kind = bl_integrator_kinds[k];
        counted calls;
        if (kind->kind.needs & BL_CAN_COEFFICIENT)
            continue; /* a user's function has no power series */
        bl_run_summary s = linear(kind == &bl_integrator_multistep ? "multistep:a=1/2;-2;3/2,b=0;0;1" : kind->kind.name, 50, &calls);
        if (s.evaluations != calls.force || s.tangents != calls.tangent)
            fail_msg("%s: %ld evaluations of %ld, %ld tangents of %ld", kind->kind.name, s.evaluations, calls.force, s.tangents,
                     calls.tangent);
        assert_true((kind->kind.gives & BL_ADAPTIVE) || (s.steps == 50 && s.rejections == 0));
        assert_int_equal(s.tangents, kind->kind.needs & BL_CAN_STAGE ? 1 : 0);
        assert_int_equal(s.restarts, 0);
        assert_true(s.solves > 0 && s.factorizations > 0);
        assert_true(s.h_smallest > 0 && s.h_smallest <= s.h_largest && s.h_largest <= 1);
    }
}

/* explicit: s stages, one evaluation at the start (and one shared by neighbors), M is factored once and solved with each time */
static void counters__of_explicit_methods_follow_from_stages(void **unused) {
    (void)unused;
    static const struct {
        const char *name;
        int stages, accepted; /* of every attempt, of accepted steps in addition */
    } method[] = {{"rk4", 4, 0}, {"dopri45", 6, 0}, {"dop853", 11, 1}};
    for (size_t k = 0; k < 3; k++) {
        counted calls;
        bl_run_summary s = linear(method[k].name, 50, &calls);
        assert_int_equal(s.evaluations, 1 + method[k].stages * (s.steps + s.rejections) + method[k].accepted * s.steps);
        assert_int_equal(s.solves, s.evaluations);
        assert_int_equal(s.factorizations, 1);
        assert_int_equal(s.refactorizations + s.newton_iterations + s.tangents, 0);
    }
}

/* Linear with constant step: every solve of a step is one residual and one right-hand side, and the matrices are as many as the method
 * has different leading coefficients. One evaluation and one matrix (M) more find the accelerations at the start. */
static void counters__of_implicit_methods_follow_from_the_formula(void **unused) {
    (void)unused;
    static const struct {
        const char *name;
        int solves, matrices; /* per step; of the method itself */
        int starts, ramp;     /* first steps with one solve; matrices of those alone */
    } method[] = {{"trapezoidal", 1, 1, 0, 0},
                  {"bdf:2,start=trapezoidal", 1, 1, 1, 1},
                  {"bdf:4,start=trapezoidal", 1, 1, 3, 1},
                  {"newmark", 1, 1, 0, 0},
                  {"hht:0.1", 1, 1, 0, 0},
                  {"wbz", 1, 1, 0, 0},
                  {"genalpha:0.5", 1, 1, 0, 0},
                  {"wilson", 1, 1, 0, 0},
                  {"collocation", 1, 1, 0, 0},
                  {"central", 1, 1, 0, 0},
                  {"dimcd", 1, 1, 0, 0},
                  {"energy_momentum", 1, 1, 0, 0},
                  {"edmc1", 1, 1, 0, 0},
                  {"ebdf:2", 3, 2, 1, 1},
                  {"mebdf:2", 3, 1, 1, 1},
                  {"ebndf:2", 3, 3, 1, 1},
                  {"mendf:2", 3, 2, 2, 1}};
    for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
        counted calls;
        bl_run_summary s = linear(method[k].name, 50, &calls);
        long solves = method[k].starts + (50 - method[k].starts) * method[k].solves;
        long matrices = method[k].matrices + method[k].ramp + 1;
        if (s.newton_iterations != solves || s.evaluations != solves + 1 || s.solves != solves + 1 ||
            s.factorizations + s.refactorizations != matrices)
            fail_msg("%s: %ld iterations, %ld evaluations, %ld solves for %ld; %ld + %ld matrices for %ld", method[k].name,
                     s.newton_iterations, s.evaluations, s.solves, solves, s.factorizations, s.refactorizations, matrices);
    }
}

/* derivatives by differences are evaluations too: one at the state, one for each of two columns of q and of v */
static void counters__differences_are_evaluations(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_run_summary s = {0};
    counted calls = {0};
    bl_function fn = {.user = &calls, .nq = 2, .promise = BL_FN_NO_T, .force = force, .M = mass};
    bl_integrate_options options = {.integrator = "newmark", .until = 1, .step = 0.1};
    assert_int_equal(bl_integrate(ctx, &fn, &options, at_start, NULL, NULL, NULL, NULL, &s), BL_OK);
    assert_true(s.tangents >= 1 && s.tangents < s.steps);
    assert_int_equal(s.evaluations, calls.force);
    assert_int_equal(s.evaluations, 1 + s.newton_iterations + 5 * s.tangents);
    test_context_end(ctx);
}

/* the number of samples changes no counter of the motion */
static int count_visit(void *user, double t, const double *q, const double *v, const double *z) {
    (void)t, (void)q, (void)v, (void)z;
    ++*(int *)user;
    return 0;
}

static int ring(void *user, double t, const double *q, double *phi) {
    (void)user, (void)t;
    phi[0] = q[0] * q[0] + q[1] * q[1] - 1.25;
    return 0;
}

static void counters__do_not_depend_on_the_number_of_samples(void **unused) {
    (void)unused;
    static const char *const methods[][2] = {{"dopri45", "lagrange"}, {"dopri45", "partition"}, {"bdf:2", "ggl"}, {"hht", "index3"}};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        bl_run_summary seen[2] = {{0}};
        for (int w = 0; w < 2; w++) {
            bl_context *ctx = test_context(NULL);
            counted calls = {0};
            int visits = 0;
            double at[300];
            for (int i = 0; i < 300; i++)
                at[i] = (i + 0.3) / 300;
            bl_function fn = {.user = &calls, .nq = 2, .np = 1, .promise = BL_FN_STATIC, .force = force, .M = mass, .constraint = ring};
            bl_integrate_options options = {.integrator = methods[k][0], .formulation = methods[k][1], .until = 1, .step = 0.02};
            options.at = at + (w ? 0 : 299);
            options.nat = w ? 300 : 1;
            assert_int_equal(bl_integrate(ctx, &fn, &options, at_start, NULL, NULL, count_visit, &visits, &seen[w]), BL_OK);
            assert_int_equal(visits, options.nat);
            test_context_end(ctx);
        }
        assert_int_equal(seen[0].evaluations, seen[1].evaluations);
        assert_int_equal(seen[0].projections, seen[1].projections);
        if (k == 1) /* positions are closed starting from the last sample: a few iterations more or less */
            continue;
        assert_int_equal(seen[0].newton_iterations, seen[1].newton_iterations);
        assert_int_equal(seen[0].factorizations + seen[0].refactorizations, seen[1].factorizations + seen[1].refactorizations);
        assert_int_equal(seen[0].solves, seen[1].solves);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters__count_calls_of_the_user_function),
        cmocka_unit_test(counters__of_explicit_methods_follow_from_stages),
        cmocka_unit_test(counters__of_implicit_methods_follow_from_the_formula),
        cmocka_unit_test(counters__differences_are_evaluations),
        cmocka_unit_test(counters__do_not_depend_on_the_number_of_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
