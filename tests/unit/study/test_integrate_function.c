/* bl_integrate: a user's function by every method; times, events, stops, failures, tolerances, memory. */
#include "biela/function.h"
#include "integrate/integrate.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define UNUSED(x) (void)(x)

/* ---- records of visitors */

enum { MOST = 20000 };
typedef struct visits {
    long n, stop_after;
    double t[MOST], q[4], v[4], z[4], largest;
    int nq, nz;
    double (*error)(double t, const double *q, const double *v, const double *z);
} visits;

static int record(void *user, double t, const double *q, const double *v, const double *z) {
    visits *w = user;
    assert_true(w->n < MOST);
    w->t[w->n++] = t;
    memcpy(w->q, q, (size_t)w->nq * sizeof *q);
    memcpy(w->v, v, (size_t)w->nq * sizeof *q);
    memcpy(w->z, z, (size_t)w->nz * sizeof *q);
    if (w->error)
        w->largest = fmax(w->largest, w->error(t, q, v, z));
    return w->stop_after && w->n >= w->stop_after;
}

/* ---- an oscillator with an observer: q'' = -q - q^3/10 cannot be solved by hand, q'' = -q can; z' = v - z follows */

static int oscillator_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    UNUSED(user), UNUSED(t);
    Q[0] = -q[0];
    f[0] = v[0] - z[0];
    return 0;
}

static int oscillator_tangent(void *user, double t, const double *q, const double *v, const double *z, double *dx, double *dv) {
    UNUSED(user), UNUSED(t), UNUSED(q), UNUSED(v), UNUSED(z);
    dx[0] = -1; /* matrices are cleared before */
    dx[3] = -1;
    dv[1] = 1;
    return 0;
}

static int oscillator_exact(void *user, double t, double *q, double *v, double *z) {
    UNUSED(user);
    q[0] = cos(t);
    v[0] = -sin(t);
    z[0] = (cos(t) - sin(t) - exp(-t)) / 2;
    return 0;
}

static double oscillator_error(double t, const double *q, const double *v, const double *z) {
    double exact[3];
    oscillator_exact(NULL, t, exact, exact + 1, exact + 2);
    return fmax(fmax(fabs(q[0] - exact[0]), fabs(v[0] - exact[1])), fabs(z[0] - exact[2]));
}

static const bl_function oscillator = {.nq = 1,
                                       .nz = 1,
                                       .promise = BL_FN_NO_T | BL_FN_LINEAR | BL_FN_SMOOTH,
                                       .force = oscillator_force,
                                       .tangent = oscillator_tangent,
                                       .exact = oscillator_exact};
static const double one[] = {1}, zero[] = {0, 0};

/* Steps of 0.002: order 2 leaves errors of 1e-5 after five units of time, order 1 (edmc1, bdf:1) 1e-2. */
static void integrate__every_method_takes_a_user_function(void **unused) {
    UNUSED(unused);
    int followed = 0;
    for (size_t k = 0; k < bl_integrator_kind_count; k++) {
        const bl_integrator_kind *kind = bl_integrator_kinds[k];
        bl_context *ctx = test_context(NULL);
        visits w = {.nq = 1, .nz = 1, .error = oscillator_error};
        bl_integrate_options options = {.integrator = kind->kind.name, .until = 5, .tolerance = 1e-9, .step = 0.002};
        bl_status status = bl_integrate(ctx, &oscillator, &options, one, zero, zero, record, &w, NULL);
        if (status == BL_OK) {
            followed++;
            assert_near(w.t[0], 0, 0);
            assert_near(w.t[w.n - 1], 5, 0);
            if (!(w.largest < (kind->order >= 2 ? 5e-5 : 2e-2)))
                fail_msg("%s is off by %g", kind->kind.name, w.largest);
        } else if (status != BL_E_ABILITY && status != BL_E_ARG) { /* methods of one sort of system, or with coefficients of their own */
            fail_msg("%s: %s", kind->kind.name, bl_context_error(ctx)->what);
        } else {
            assert_true(bl_context_error(ctx)->what[0]);
        }
        test_context_end(ctx);
    }
    assert_true(followed >= 20);
}

static void integrate__known_solution_starts_a_method_exactly(void **unused) {
    UNUSED(unused);
    double error[2];
    for (int k = 0; k < 2; k++) { /* trapezoidal start: order 2 in the first steps spoils order 4 */
        bl_context *ctx = test_context(NULL);
        visits w = {.nq = 1, .nz = 1, .error = oscillator_error};
        bl_integrate_options options = {.integrator = k ? "bdf:k=4,start=exact" : "bdf:k=4,start=trapezoidal", .until = 2, .step = 0.02};
        bl_status status = bl_integrate(ctx, &oscillator, &options, one, zero, zero, record, &w, NULL);
        if (status != BL_OK)
            fail_msg("%s", bl_context_error(ctx)->what);
        error[k] = w.largest;
        test_context_end(ctx);
    }
    assert_true(error[1] < 0.2 * error[0]);
    assert_true(error[1] < 1e-6);
}

static void integrate__visits_exactly_the_times_asked_for(void **unused) {
    UNUSED(unused);
    static const double at[] = {0.5, 0.51, 1, 2.75, 3};
    bl_context *ctx = test_context(NULL);
    visits w = {.nq = 1, .nz = 1, .error = oscillator_error};
    bl_run_summary summary = {0};
    bl_integrate_options options = {.until = 3, .tolerance = 1e-8, .at = at, .nat = 5};
    assert_int_equal(bl_integrate(ctx, &oscillator, &options, one, NULL, zero, record, &w, &summary), BL_OK);
    assert_int_equal(w.n, 5);
    assert_memory_equal(w.t, at, sizeof at);
    assert_true(w.largest < 1e-6);
    assert_int_equal(summary.status, BL_OK);
    assert_near(summary.t, 3, 0);
    assert_true(summary.steps > 5 && summary.evaluations > 30);
    /* another start */
    w.n = 0;
    options = (bl_integrate_options){.from = 1, .until = 3, .tolerance = 1e-8, .at = at + 2, .nat = 3};
    double q, v, z;
    oscillator_exact(NULL, 1, &q, &v, &z);
    assert_int_equal(bl_integrate(ctx, &oscillator, &options, &q, &v, &z, record, &w, NULL), BL_OK);
    assert_int_equal(w.n, 3);
    assert_true(w.largest < 1e-6);
    test_context_end(ctx);
}

/* ---- constraints */

static int rod_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    UNUSED(user), UNUSED(t), UNUSED(q), UNUSED(v), UNUSED(z), UNUSED(f);
    Q[0] = 0;
    Q[1] = -9.81;
    return 0;
}

static int rod(void *user, double t, const double *q, double *phi) {
    UNUSED(user), UNUSED(t);
    phi[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

static const bl_function pendulum = {.nq = 2, .np = 1, .promise = BL_FN_NO_V | BL_FN_STATIC, .force = rod_force, .constraint = rod};

/* Closed solution: theta = 2 asin(sin(pi/4) sn(K - sqrt(g) t | 1/2)); (sin, -cos) at t = 1 by mpmath with 30 digits. */
static void integrate__constrained_function_follows_the_elliptic_functions(void **unused) {
    UNUSED(unused);
    static const struct {
        const char *integrator, *formulation;
        double step, tolerance;
    } cases[] = {{"dopri45", "lagrange", 0, 1e-7}, {"dopri45", "partition", 0, 1e-7}, {"dopri45", NULL, 0, 1e-7},
                 {"bdf:3", "ggl", 0.001, 1e-5},    {"bdf:3", NULL, 0.001, 1e-5},      {"genalpha:0.8", "index3", 0.001, 1e-4},
                 {"hht:0.05", NULL, 0.001, 1e-4}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bl_context *ctx = test_context(NULL);
        visits w = {.nq = 2};
        bl_run_summary summary = {0};
        bl_integrate_options options = {
            .integrator = cases[k].integrator, .formulation = cases[k].formulation, .until = 1, .step = cases[k].step, .tolerance = 1e-9};
        if (bl_integrate(ctx, &pendulum, &options, (const double[]){1, 0}, NULL, NULL, record, &w, &summary) != BL_OK)
            fail_msg("%s: %s", cases[k].integrator, bl_context_error(ctx)->what);
        assert_near(w.q[0], -0.986291751131875, cases[k].tolerance);
        assert_near(w.q[1], -0.165010853125541, cases[k].tolerance);
        assert_true(summary.largest_drift < 1e-8);
        test_context_end(ctx);
    }
}

static void integrate__refuses_a_start_off_the_constraints(void **unused) {
    UNUSED(unused);
    bl_context *ctx = test_context(NULL);
    bl_integrate_options options = {.until = 1};
    const bl_error *e = bl_context_error(ctx);
    assert_int_equal(bl_integrate(ctx, &pendulum, &options, (const double[]){1, 0.1}, NULL, NULL, NULL, NULL, NULL), BL_E_ARG);
    assert_non_null(strstr(e->what, "violates constraint 1: the error of its position is 0.01"));
    assert_int_equal(bl_integrate(ctx, &pendulum, &options, (const double[]){1, 0}, (const double[]){0.5, 2}, NULL, NULL, NULL, NULL),
                     BL_E_ARG);
    assert_non_null(strstr(e->what, "the error of its velocity is 1"));
    test_context_end(ctx);
}

/* ---- what ends a run early */

static int bad_after(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    UNUSED(q), UNUSED(v), UNUSED(Q);
    f[0] = 1 + 0 * z[0];
    f[1] = t > 0.5 ? NAN : z[0];
    return t > 0.5 ? *(int *)user : 0;
}

/* the part before 0.5 has been visited, the last good state too, and the message names function, value and time */
static void integrate__keeps_what_was_computed_before_a_failure(void **unused) {
    UNUSED(unused);
    static const char *const names[] = {"prey", "predator"};
    static const char *const method[] = {"dopri45", "dop853", "bdf:3"};
    static const struct {
        int answer;
        const char *word;
    } end[] = {{0, "predator"}, {0, "not a number"}, {1, "is not defined"}, {-1, "failed"}};
    for (size_t m = 0; m < 3; m++)
        for (size_t k = 0; k < 4; k++) {
            bl_context *ctx = test_context(NULL);
            int answer = end[k].answer;
            bl_function fn = {.user = &answer, .nz = 2, .force = bad_after, .name = names};
            visits w = {.nz = 2};
            bl_run_summary summary = {0};
            bl_integrate_options options = {.integrator = method[m], .until = 1, .step = 0.01};
            assert_int_equal(bl_integrate(ctx, &fn, &options, NULL, NULL, zero, record, &w, &summary), BL_E_NUMERIC);
            const bl_error *e = bl_context_error(ctx);
            if (!strstr(e->what, end[k].word))
                fail_msg("%s: '%s' does not say '%s'", method[m], e->what, end[k].word);
            assert_true(e->time > 0.4 && e->time < 0.7);
            assert_int_equal(summary.status, BL_E_NUMERIC);
            assert_true(w.n > 1 && w.t[w.n - 1] == summary.t && summary.t <= 0.5 && summary.t > 0.3);
            assert_near(w.z[0], summary.t, 1e-6);
            test_context_end(ctx);
        }
}

/* a stage beyond 1.05 is refused; the solution stays below 1 */
static int fenced(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    UNUSED(t), UNUSED(q), UNUSED(v), UNUSED(Q);
    if (z[0] > 1.05) {
        ++*(int *)user;
        return 1;
    }
    f[0] = 100 * (1 - z[0]);
    return 0;
}

static void integrate__a_refused_state_shortens_the_step(void **unused) {
    UNUSED(unused);
    bl_context *ctx = test_context(NULL);
    int refused = 0;
    bl_function fn = {.user = &refused, .nz = 1, .force = fenced};
    visits w = {.nz = 1};
    bl_integrate_options options = {.until = 0.2, .step = 0.1, .tolerance = 1e-8};
    assert_int_equal(bl_integrate(ctx, &fn, &options, NULL, NULL, zero, record, &w, NULL), BL_OK);
    assert_true(refused > 0);
    assert_near(w.z[0], 1 - exp(-20), 1e-7);
    test_context_end(ctx);
}

static int passes(void *user, double t, const double *q, const double *v, const double *z, double *event) {
    UNUSED(user), UNUSED(t), UNUSED(v), UNUSED(z);
    event[0] = q[0] - 0.5;
    return 0;
}

static void integrate__ends_at_an_event_or_when_the_visitor_says_so(void **unused) {
    UNUSED(unused);
    bl_context *ctx = test_context(NULL);
    bl_function fn = oscillator;
    fn.event = passes;
    fn.nevent = 1;
    visits w = {.nq = 1, .nz = 1};
    bl_run_summary summary = {0};
    bl_integrate_options options = {.until = 5, .tolerance = 1e-10};
    assert_int_equal(bl_integrate(ctx, &fn, &options, one, NULL, zero, record, &w, &summary), BL_EVENT);
    assert_near(summary.t, acos(0.5), 1e-8);
    assert_near(w.t[w.n - 1], summary.t, 0);
    w = (visits){.nq = 1, .nz = 1, .stop_after = 4};
    assert_int_equal(bl_integrate(ctx, &oscillator, &options, one, NULL, zero, record, &w, &summary), BL_STOPPED);
    assert_int_equal(w.n, 4);
    bl_context_stop(ctx);
    w = (visits){.nq = 1, .nz = 1};
    assert_int_equal(bl_integrate(ctx, &oscillator, &options, one, NULL, zero, record, &w, &summary), BL_STOPPED);
    assert_int_equal(w.n, 1);
    test_context_end(ctx);
}

static void integrate__nonsense_is_refused(void **unused) {
    UNUSED(unused);
    bl_context *ctx = test_context(NULL);
    static const double back[] = {2, 1}, outside[] = {11};
    static const struct {
        bl_integrate_options options;
        const char *word;
    } bad[] = {{{.until = 0}, "from < until"},
               {{.from = 3, .until = 2}, "from < until"},
               {{.until = 1, .tolerance = -1}, "tolerance"},
               {{.until = 1, .tolerance = 1e-20}, "rounding"},
               {{.until = 1, .absolute = NAN}, "absolute"},
               {{.until = 1, .step = -1}, "step"},
               {{.until = 1, .nat = 3}, "list of times"},
               {{.until = 3, .at = back, .nat = 2}, "increase"},
               {{.until = 3, .at = outside, .nat = 1}, "increase"},
               {{.until = 3, .integrator = "dopri54"}, "dopri54"},
               {{.until = 3, .formulation = "planar"}, "planar"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_true(bl_integrate(ctx, &oscillator, &bad[i].options, one, NULL, zero, NULL, NULL, NULL) < 0);
        if (!strstr(bl_context_error(ctx)->what, bad[i].word))
            fail_msg("'%s' does not say '%s'", bl_context_error(ctx)->what, bad[i].word);
    }
    bl_integrate_options fine = {.until = 1};
    assert_int_equal(bl_integrate(ctx, &oscillator, &fine, NULL, NULL, zero, NULL, NULL, NULL), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->what, "q0 is missing"));
    assert_int_equal(bl_integrate(ctx, &oscillator, &fine, one, NULL, (const double[]){INFINITY}, NULL, NULL, NULL), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->what, "z0[0]"));
    assert_int_equal(bl_integrate(ctx, NULL, &fine, one, NULL, zero, NULL, NULL, NULL), BL_E_ARG);
    test_context_end(ctx);
}

/* ---- tolerance */

static void integrate__absolute_tolerance_counts_for_every_component(void **unused) {
    UNUSED(unused);
    long steps[3];
    for (int k = 0; k < 3; k++) {
        bl_context *ctx = test_context(NULL);
        static const double small[] = {1e-6, 1e-6};
        bl_function fn = oscillator;
        if (k == 2)
            fn.scale = small;
        visits w = {.nq = 1, .nz = 1};
        bl_run_summary summary = {0};
        const double tiny[] = {1e-6}; /* a motion far below the default scale of 1 */
        bl_integrate_options options = {.until = 5, .tolerance = 1e-6, .absolute = k == 1 ? 1e-12 : 0};
        assert_int_equal(bl_integrate(ctx, &fn, &options, tiny, NULL, zero, record, &w, &summary), BL_OK);
        steps[k] = summary.steps;
        if (k > 0)
            assert_near(w.q[0], 1e-6 * cos(5), 1e-10);
        test_context_end(ctx);
    }
    assert_true(steps[1] > 2 * steps[0]);
    assert_int_equal(steps[1], steps[2]); /* tolerance x scale is the same number */
}

/* ---- sparse patterns and singular A */

typedef struct line {
    int n;
    long calls;
} line;

/* a reacting line, u_i' = n^2/100 (u_{i-1} - 2 u_i + u_{i+1}) + u_i (1 - u_i) */
static int line_force(void *user, double t, const double *q, const double *v, const double *u, double *Q, double *f) {
    UNUSED(t), UNUSED(q), UNUSED(v), UNUSED(Q);
    line *l = user;
    l->calls++;
    for (int i = 0; i < l->n; i++)
        f[i] = 0.01 * l->n * l->n * ((i > 0 ? u[i - 1] : u[i]) - 2 * u[i] + (i < l->n - 1 ? u[i + 1] : u[i])) + u[i] * (1 - u[i]);
    return 0;
}

/* Three colors are enough for three diagonals: derivatives cost a few calls, not n. Both find the same. */
static void integrate__a_pattern_saves_calls_for_derivatives(void **unused) {
    UNUSED(unused);
    enum { N = 60 };
    bl_index ptr[N + 1], idx[3 * N], at = 0;
    double start[N], end[2][4];
    long calls[2];
    for (int j = 0; j < N; j++) {
        ptr[j] = at;
        for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < N; i++)
            idx[at++] = i;
        start[j] = exp(-0.01 * j * j);
    }
    ptr[N] = at;
    for (int k = 0; k < 2; k++) {
        bl_context *ctx = test_context(NULL);
        line l = {.n = N};
        bl_function fn = {.user = &l, .nz = N, .force = line_force};
        if (k)
            fn.pattern_x = (bl_csc){ptr, idx};
        visits w = {.nz = 4};
        bl_integrate_options options = {.integrator = "bdf:2", .until = 1, .step = 0.01};
        if (bl_integrate(ctx, &fn, &options, NULL, NULL, start, record, &w, NULL) != BL_OK)
            fail_msg("%s", bl_context_error(ctx)->what);
        calls[k] = l.calls;
        memcpy(end[k], w.z, sizeof end[k]);
        test_context_end(ctx);
    }
    for (int i = 0; i < 4; i++)
        assert_near(end[0][i], end[1][i], 1e-7);
    assert_true(calls[1] + 50 < calls[0]);
}

/* Robertson's reaction; as a DAE the third equation is the sum of concentrations */
static int robertson(void *user, double t, const double *q, const double *v, const double *y, double *Q, double *f) {
    UNUSED(t), UNUSED(q), UNUSED(v), UNUSED(Q);
    f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    f[1] = 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] * y[1];
    f[2] = user ? y[0] + y[1] + y[2] - 1 : 3e7 * y[1] * y[1];
    return 0;
}

/* At t = 40 (Hairer and Wanner, Solving ODEs II, IV.10): 0.7158270688, 9.185534765e-6, 0.2841637457. */
static void integrate__singular_A_makes_algebraic_equations(void **unused) {
    UNUSED(unused);
    static const double start[] = {1, 0, 0}, scale[] = {1, 1e-4, 1}, A[] = {1, 1, 0};
    static const bl_index ptr[] = {0, 1, 2, 2}, idx[] = {0, 1};
    for (int dae = 0; dae < 2; dae++) {
        bl_context *ctx = test_context(NULL);
        bl_function fn = {.user = dae ? &dae : NULL, .nz = 3, .force = robertson, .scale = scale};
        if (dae) {
            fn.A = A;
            fn.pattern_A = (bl_csc){ptr, idx};
        }
        visits w = {.nz = 3};
        bl_integrate_options options = {.integrator = "ndf_auto", .until = 40, .tolerance = 1e-8, .step_max = 10};
        if (bl_integrate(ctx, &fn, &options, NULL, NULL, start, record, &w, NULL) != BL_OK)
            fail_msg("%s", bl_context_error(ctx)->what);
        assert_near(w.z[0], 0.7158270688, 2e-6);
        assert_near(w.z[1], 9.185534765e-6, 5e-11);
        assert_near(w.z[2], 0.2841637457, 2e-6);
        test_context_end(ctx);
    }
}

/* ---- memory */

static bl_status whole(bl_context *ctx, void *user) {
    bl_integrate_options *options = user;
    return bl_integrate(ctx, &pendulum, options, (const double[]){1, 0}, NULL, NULL, NULL, NULL, NULL);
}

static void integrate__survives_failing_allocations(void **unused) {
    UNUSED(unused);
    bl_integrate_options explicit_one = {.until = 0.02}, implicit = {.until = 0.02, .step = 0.01, .integrator = "bdf:2"};
    assert_true(test_failing_allocations(whole, &explicit_one) > 10);
    assert_true(test_failing_allocations(whole, &implicit) > 10);
}

/* ---- a request to stop that comes while a step is being solved: the iterative solver ends, and this is no failure */

typedef struct stopped {
    bl_context *ctx;
    double at;
} stopped;

static int stopping_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    const stopped *s = user;
    UNUSED(v), UNUSED(z), UNUSED(f);
    Q[0] = -q[0] - q[0] * q[0] * q[0];
    if (t > s->at)
        bl_context_stop(s->ctx);
    return 0;
}

static void integrate__stopped_inside_a_solution_says_so(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    stopped s = {ctx, 0.495};
    bl_function function = {.user = &s, .nq = 1, .force = stopping_force};
    bl_integrate_options options = {.until = 1, .integrator = "newmark", .linsol = "cg", .step = 0.01};
    double q = 1;
    bl_run_summary summary = {0};
    assert_int_equal(bl_integrate(ctx, &function, &options, &q, NULL, NULL, NULL, NULL, &summary), BL_STOPPED);
    assert_int_equal(summary.status, BL_STOPPED);
    assert_true(fabs(summary.t - 0.49) < 1e-9);
    assert_int_equal(summary.rejections, 1);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrate__every_method_takes_a_user_function),
        cmocka_unit_test(integrate__known_solution_starts_a_method_exactly),
        cmocka_unit_test(integrate__visits_exactly_the_times_asked_for),
        cmocka_unit_test(integrate__constrained_function_follows_the_elliptic_functions),
        cmocka_unit_test(integrate__refuses_a_start_off_the_constraints),
        cmocka_unit_test(integrate__keeps_what_was_computed_before_a_failure),
        cmocka_unit_test(integrate__a_refused_state_shortens_the_step),
        cmocka_unit_test(integrate__ends_at_an_event_or_when_the_visitor_says_so),
        cmocka_unit_test(integrate__nonsense_is_refused),
        cmocka_unit_test(integrate__absolute_tolerance_counts_for_every_component),
        cmocka_unit_test(integrate__a_pattern_saves_calls_for_derivatives),
        cmocka_unit_test(integrate__singular_A_makes_algebraic_equations),
        cmocka_unit_test(integrate__survives_failing_allocations),
        cmocka_unit_test(integrate__stopped_inside_a_solution_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
