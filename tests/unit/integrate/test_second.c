/* Methods of second order: orders with damping, loads and states, dense output, restarts, factorizations, memory, refusals. */
#include "integrate/method_coefficients.h"
#include "support/handmade.h"
#include "support/stepping.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const all[] = {"newmark", "hht",     "wbz",         "genalpha",        "genalpha:0.2", "houbolt", "houbolt:central",
                                  "wilson",  "central", "collocation", "energy_momentum", "edmc1",        "edmc2",   "dimcd"};
enum { NALL = sizeof all / sizeof *all };

/* energy_momentum, edmc1, edmc2: here on linear systems only */
static bool wants_linear(const char *spec) { return spec[0] == 'e'; }

/* ---- a nonlinear system with a known solution: q = (sin t, exp(-t/2)), z = 1 / (1 + t) */

static void solution(double t, double *q, double *v, double *a) {
    double e = exp(-0.5 * t);
    q[0] = sin(t), v[0] = cos(t), a[0] = -sin(t);
    q[1] = e, v[1] = -0.5 * e, a[1] = 0.25 * e;
}

static int nonlinear_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user;
    double x[2], xd[2], xdd[2], zt = 1 / (1 + t);
    solution(t, x, xd, xdd);
    Q[0] = 2 * xdd[0] + 0.5 * xdd[1] - 9 * (sin(q[0]) - sin(x[0])) - 0.4 * (v[0] * (1 + q[1] * q[1]) - xd[0] * (1 + x[1] * x[1]));
    Q[1] = 0.5 * xdd[0] + xdd[1] - 3 * (pow(q[1], 3) - pow(x[1], 3)) + (q[0] - x[0]) + 0.7 * (z[0] - zt);
    f[0] = -z[0] * z[0] + 0.5 * (q[0] - x[0]) * v[1];
    return 0;
}

static const double nonlinear_M[] = {2, 0.5, 0.5, 1};
static const bl_function nonlinear = {.nq = 2, .nz = 1, .force = nonlinear_force, .M = nonlinear_M};

/* ---- a linear one with the same positions */

static const double linear_C[] = {0.4, 0.1, 0.1, 0.3}, linear_K[] = {9, -2, -2, 4};

static void linear_load(double t, double *F) {
    double x[2], xd[2], xdd[2];
    solution(t, x, xd, xdd);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            F[i] += nonlinear_M[2 * i + j] * xdd[j] + linear_C[2 * i + j] * xd[j] + linear_K[2 * i + j] * x[j];
}

static const test_linear linear = {.n = 2, .M = {2, 0.5, 0.5, 1}, .C = {0.4, 0.1, 0.1, 0.3}, .K = {9, -2, -2, 4}, .load = linear_load};

static const double q_start[] = {0, 1}, v_start[] = {1, -0.5}, z_start[] = {1};

static bl_function system_for(const char *spec) { return wants_linear(spec) ? test_linear_function(&linear, true) : nonlinear; }

typedef struct errors {
    double q, v, z, inside_q, inside_v;
} errors;

/* largest errors at the ends of steps, and inside them */
static errors errors_with(const char *spec, int n, double t_end, bool restart) {
    bl_context *ctx = test_context(NULL);
    test_stepping s;
    bl_function function = system_for(spec);
    errors e = {0};
    double q[2], v[2], a[2], y[6];
    test_stepping_begin(ctx, &function, "plain", spec, t_end, t_end / n, q_start, v_start, z_start, &s);
    while (s.integ->t < t_end) {
        assert_int_equal(bl_integrator_step(s.integ, NULL), BL_OK);
        solution(s.integ->t, q, v, a);
        for (int i = 0; i < 2; i++) {
            e.q = fmax(e.q, fabs(s.integ->y[i] - q[i]));
            e.v = fmax(e.v, fabs(s.integ->y[2 + i] - v[i]));
        }
        if (function.nz)
            e.z = fmax(e.z, fabs(s.integ->y[4] - 1 / (1 + s.integ->t)));
        for (int k = 1; k < 8; k++) {
            double t = s.integ->t_old + k / 8.0 * (s.integ->t - s.integ->t_old);
            assert_int_equal(s.integ->kind->dense(s.integ, t, y), BL_OK);
            solution(t, q, v, a);
            for (int i = 0; i < 2; i++) {
                e.inside_q = fmax(e.inside_q, fabs(y[i] - q[i]));
                e.inside_v = fmax(e.inside_v, fabs(y[2 + i] - v[i]));
            }
        }
        if (restart && s.integ->stats.steps == n / 2) {
            memcpy(y, s.integ->y, (size_t)s.integ->ny * sizeof *y);
            assert_int_equal(bl_integrator_start(s.integ, s.integ->t, y), BL_OK);
        }
    }
    assert_int_equal(s.integ->stats.steps, n);
    test_stepping_end(&s);
    test_context_end(ctx);
    return e;
}

/* Halving h divides the largest error by 2^p (1 + O(h)): within 0.1 at these steps. The states of Houbolt's method are by BDF3, started at
 * order 2. */
static void every_method__has_its_order(void **state) {
    (void)state;
    for (int k = 0; k < NALL; k++)
        for (int restart = 0; restart < 2; restart++) {
            errors coarse = errors_with(all[k], 800, 4, restart), fine = errors_with(all[k], 1600, 4, restart);
            double q = log2(coarse.q / fine.q), v = log2(coarse.v / fine.v), z = fine.z > 0 ? log2(coarse.z / fine.z) : 2;
            double inside_q = log2(coarse.inside_q / fine.inside_q), inside_v = log2(coarse.inside_v / fine.inside_v);
            double order = strcmp(all[k], "edmc1") == 0 ? 1 : 2;
            print_message("%-16s%s orders of q %.3f, v %.3f, z %.3f; inside %.3f, %.3f\n", all[k], restart ? " restarted:" : ":", q, v, z,
                          inside_q, inside_v);
            assert_near(q, order, 0.1);
            assert_near(v, order, 0.1);
            assert_true(z > 1.9);
            assert_near(inside_q, order, 0.1);
            assert_near(inside_v, order, 0.1);
        }
}

/* u'' = -u + w - u'/10 with the algebraic state w^3 + w = u */
static int algebraic_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user, (void)t;
    Q[0] = -q[0] + z[0] - 0.1 * v[0];
    f[0] = z[0] * z[0] * z[0] + z[0] - q[0];
    return 0;
}

/* differences of three step sizes fall like the error */
static void algebraic_states__have_order_2_too(void **state) {
    (void)state;
    const double u = 1, rest = 0, w = 0.682327803828019, A = 0;
    const bl_function function = {.nq = 1, .nz = 1, .force = algebraic_force, .A = &A};
    for (int k = 0; k < NALL; k++) {
        double end[3][2];
        if (wants_linear(all[k]))
            continue;
        for (int n = 0; n < 3; n++) {
            bl_context *ctx = test_context(NULL);
            test_stepping s;
            test_stepping_begin(ctx, &function, "plain", all[k], 5, 0.02 / (1 << n), &u, &rest, &w, &s);
            test_stepping_run(&s);
            end[n][0] = s.integ->y[0];
            end[n][1] = s.integ->y[2];
            test_stepping_end(&s);
            test_context_end(ctx);
        }
        for (int i = 0; i < 2; i++)
            assert_near(log2((end[0][i] - end[1][i]) / (end[1][i] - end[2][i])), 2, 0.1);
    }
}

static void dense_output__meets_both_ends(void **state) {
    (void)state;
    for (int k = 0; k < NALL; k++) {
        bl_context *ctx = test_context(NULL);
        test_stepping s;
        bl_function function = system_for(all[k]);
        double y[6], before[6];
        test_stepping_begin(ctx, &function, "plain", all[k], 1, 0.1, q_start, v_start, z_start, &s);
        for (int n = 0; n < 5; n++) {
            size_t bytes = (size_t)s.integ->ny * sizeof *y;
            memcpy(before, s.integ->y, bytes);
            assert_int_equal(bl_integrator_step(s.integ, NULL), BL_OK);
            assert_int_equal(s.integ->kind->dense(s.integ, s.integ->t_old, y), BL_OK);
            for (bl_index i = 0; i < s.integ->ny; i++)
                assert_near(y[i], before[i], 1e-13);
            assert_int_equal(s.integ->kind->dense(s.integ, s.integ->t, y), BL_OK);
            for (bl_index i = 0; i < s.integ->ny; i++)
                assert_near(y[i], s.integ->y[i], 1e-13);
        }
        test_stepping_end(&s);
        test_context_end(ctx);
    }
}

/* the same system, promised to be linear or found out by Newton's iteration: 60 steps that leave at most 1e-12 over */
static void linear_and_nonlinear_paths__agree(void **state) {
    (void)state;
    const char *const jacobian[] = {"", "jacobian=colored", "jacobian=dense,newton=full", "newton=line_search", "guess=last"};
    for (int k = 0; k < NALL; k++)
        for (int j = 0; j < (strcmp(all[k], "dimcd") == 0 ? 1 : 5) && !wants_linear(all[k]);
             j++) { /* dimcd has one kind of iteration only */
            double y[2][5];
            for (int promise = 0; promise < 2; promise++) {
                bl_context *ctx = test_context(NULL);
                test_stepping s;
                bl_function function = test_linear_function(&linear, promise);
                char spec[96];
                snprintf(spec, sizeof spec, "%s%s%s", all[k], strchr(all[k], ':') || !jacobian[j][0] ? (jacobian[j][0] ? "," : "") : ":",
                         jacobian[j]);
                test_stepping_begin(ctx, &function, "plain", spec, 3, 0.05, q_start, v_start, NULL, &s);
                test_stepping_run(&s);
                memcpy(y[promise], s.integ->y, sizeof y[promise]);
                test_stepping_end(&s);
                test_context_end(ctx);
            }
            for (int i = 0; i < 5; i++)
                assert_near(y[0][i], y[1][i], 6e-11);
        }
}

/* The last step ends at t_end although 0.07 does not divide 2 exactly in binary; it must not cost a matrix. */
static void linear_systems__are_factored_once(void **state) {
    (void)state;
    for (int k = 0; k < NALL; k++) {
        bl_context *ctx = test_context(NULL);
        test_stepping s;
        bl_function function = test_linear_function(&linear, true);
        test_stepping_begin(ctx, &function, "plain", all[k], 2.1, 0.07, q_start, v_start, NULL, &s);
        bl_formulation_stats before = s.form->stats;
        test_stepping_run(&s);
        long factors = s.form->stats.factors + s.form->stats.refactors - before.factors - before.refactors;
        assert_int_equal(s.integ->stats.steps, 30);
        /* Houbolt's method has a matrix of its own behind that of its start */
        assert_int_equal(factors, strncmp(all[k], "houbolt", 7) == 0 ? 2 : 1);
        assert_int_equal(s.form->stats.solves - before.solves, 30);
        test_stepping_end(&s);
        test_context_end(ctx);
    }
}

static int hardening_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user, (void)t, (void)v, (void)z, (void)f;
    Q[0] = -q[0] - 2 * q[0] * q[0] * q[0];
    return 0;
}

/* forces of positions alone and a constant mass: one evaluation and one solution per step, whatever the force; energy within h^2 */
static void central_differences__are_explicit(void **state) {
    (void)state;
    const double one = 1, zero = 0;
    bl_context *ctx = test_context(NULL);
    test_stepping s;
    bl_function function = {.nq = 1, .force = hardening_force, .promise = BL_FN_NO_V | BL_FN_NO_T};
    test_stepping_begin(ctx, &function, "plain", "central", 100, 0.01, &one, &zero, NULL, &s);
    bl_formulation_stats before = s.form->stats;
    test_stepping_run(&s);
    double q = s.integ->y[0], v = s.integ->y[1];
    assert_int_equal(s.integ->stats.steps, 10000);
    assert_in_range(s.form->stats.evaluations - before.evaluations, 10000, 10010); /* and a few for the matrix */
    assert_int_equal(s.form->stats.solves - before.solves, 10000);
    assert_near(0.5 * (v * v + q * q + q * q * q * q), 1, 1e-3);
    test_stepping_end(&s);
    test_context_end(ctx);
}

/* E(t) - work stays constant within the order of the method; exactly for energy_momentum */
static void work__balances_the_energy(void **state) {
    (void)state;
    for (int k = 0; k < NALL; k++) {
        double error[2];
        for (int n = 0; n < 2; n++) {
            bl_context *ctx = test_context(NULL);
            test_stepping s;
            bl_function function = test_linear_function(&linear, true);
            test_stepping_begin(ctx, &function, "plain", all[k], 4, n ? 0.01 : 0.02, q_start, v_start, NULL, &s);
            double start[3], now[3];
            function.energy((void *)&linear, 0, s.integ->y, s.integ->y + 2, &start[0], &start[1], &start[2]);
            error[n] = 0;
            while (s.integ->t < 4) {
                assert_int_equal(bl_integrator_step(s.integ, NULL), BL_OK);
                function.energy((void *)&linear, s.integ->t, s.integ->y, s.integ->y + 2, &now[0], &now[1], &now[2]);
                error[n] = fmax(error[n], fabs(now[0] + now[1] - s.integ->y[4] - start[0] - start[1]));
            }
            test_stepping_end(&s);
            test_context_end(ctx);
        }
        print_message("%-16s energy off by %.2e and %.2e\n", all[k], error[0], error[1]);
        if (strcmp(all[k], "energy_momentum") == 0)
            assert_true(error[0] < 1e-13 && error[1] < 1e-13);
        else
            assert_true(log2(error[0] / error[1]) > (strcmp(all[k], "edmc1") == 0 ? 0.9 : 1.85));
    }
}

static void steps__allocate_nothing(void **state) {
    (void)state;
    for (int k = 0; k < NALL; k++) {
        bl_context *ctx = test_context(NULL);
        test_stepping s;
        bl_function function = system_for(all[k]);
        double y[6];
        test_stepping_begin(ctx, &function, "plain", all[k], 4, 0.1, q_start, v_start, z_start, &s);
        for (int n = 0; n < 4; n++)
            assert_int_equal(bl_integrator_step(s.integ, NULL), BL_OK);
        size_t calls = bl_context_memory(ctx).calls;
        while (s.integ->t < 4) {
            assert_int_equal(bl_integrator_step(s.integ, NULL), BL_OK);
            assert_int_equal(s.integ->kind->dense(s.integ, s.integ->t - 0.01, y), BL_OK);
        }
        assert_int_equal(bl_context_memory(ctx).calls, calls);
        test_stepping_end(&s);
        test_context_end(ctx);
    }
}

static bl_status a_few_steps(bl_context *ctx, void *user) {
    const char *spec = user;
    test_stepping s;
    bl_function function = system_for(spec);
    BL_TRY(test_stepping_try(ctx, &function, "plain", spec, 1, 0.1, q_start, v_start, z_start, &s));
    bl_status status = BL_OK;
    for (int n = 0; n < 4 && status == BL_OK; n++)
        status = bl_integrator_step(s.integ, NULL);
    test_stepping_end(&s);
    return status;
}

static void failing_allocations__are_survived(void **state) {
    (void)state;
    for (int k = 0; k < NALL; k++)
        test_failing_allocations(a_few_steps, (void *)all[k]);
}

/* ---- refusals */

/* The force has a pole at q = 1.2; or is not a number from t = 0.5 on. */
static int refusing_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)v;
    (void)z;
    (void)f;
    Q[0] = *(int *)user == 0 && t > 0.5 ? NAN : -q[0];
    return *(int *)user == 1 && t > 0.5;
}

static void what_is_not_finite_or_refused__ends_with_a_reason(void **state) {
    (void)state;
    const double one = 1, zero = 0;
    for (int how = 0; how < 2; how++)
        for (int k = 0; k < NALL; k++) {
            if (wants_linear(all[k]))
                continue;
            bl_context *ctx = test_context(NULL);
            test_stepping s;
            bl_function function = {.nq = 1, .force = refusing_force, .user = &how};
            test_stepping_begin(ctx, &function, "plain", all[k], 1, 0.1, &one, &zero, NULL, &s);
            bl_status status = BL_OK;
            while (status == BL_OK && s.integ->t < 1)
                status = bl_integrator_step(s.integ, NULL);
            assert_int_equal(status, BL_E_NUMERIC);
            assert_true(s.integ->t <= 0.5 + 1e-9);
            assert_true(s.integ->t > 0.3);
            assert_true(strlen(bl_context_error(ctx)->what) > 20);
            for (bl_index i = 0; i < s.integ->ny; i++)
                assert_true(isfinite(s.integ->y[i]));
            test_stepping_end(&s);
            test_context_end(ctx);
        }
}

/* refuses once, after t = 0.5 */
static int once_refusing_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)v;
    (void)z;
    (void)f;
    int *left = user;
    Q[0] = -q[0];
    return t > 0.52 && *left > 0 ? (*left)--, 1 : 0;
}

static void a_refused_step__is_halved_and_the_step_returns(void **state) {
    (void)state;
    const double one = 1, zero = 0;
    for (int k = 0; k < NALL; k++) {
        if (wants_linear(all[k]))
            continue;
        bl_context *ctx = test_context(NULL);
        test_stepping s;
        int left = 1;
        bl_function function = {.nq = 1, .force = once_refusing_force, .user = &left};
        double y[4], worst = 0;
        test_stepping_begin(ctx, &function, "plain", all[k], 3, 0.02, &one, &zero, NULL, &s);
        while (s.integ->t < 3) {
            assert_int_equal(bl_integrator_step(s.integ, NULL), BL_OK);
            double middle = 0.5 * (s.integ->t + s.integ->t_old);
            assert_int_equal(s.integ->kind->dense(s.integ, middle, y), BL_OK);
            worst = fmax(worst, fmax(fabs(s.integ->y[0] - cos(s.integ->t)), fabs(s.integ->y[1] + sin(s.integ->t))));
            worst = fmax(worst, fmax(fabs(y[0] - cos(middle)), fabs(y[1] + sin(middle))));
        }
        assert_int_equal(left, 0);
        assert_int_equal(s.integ->stats.rejections, 1);
        assert_near(s.integ->stats.h_smallest, 0.01, 1e-12);
        assert_int_equal(s.integ->stats.steps, 151);
        assert_true(worst < 1e-3); /* 3 h^2 */
        test_stepping_end(&s);
        test_context_end(ctx);
    }
}

static void bad_parameters__are_refused_with_a_reason(void **state) {
    (void)state;
    static const struct {
        const char *spec, *word;
    } bad[] = {{"newmark:0,0.5", "beta"},
               {"newmark:-1", "beta"},
               {"newmark:0.25,0", "gamma"},
               {"hht:-0.3", "alpha"},
               {"hht:0.9", "alpha"},
               {"wbz:0.1", "alpha"},
               {"wbz:-2", "alpha"},
               {"genalpha:1.2", "rho"},
               {"genalpha:-0.1", "rho"},
               {"genalpha:rho=0.5,am=0", "rho"},
               {"genalpha:am=1", "am"},
               {"wilson:0.9", "theta"},
               {"collocation:theta=0", "theta"},
               {"edmc1:2", "chi"},
               {"edmc1:-0.1", "chi"},
               {"edmc2:-1", "alpha"},
               {"houbolt:euler", "start"},
               {"central:3", "guess"}};
    const double one = 1, zero = 0;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        bl_context *ctx = test_context(NULL);
        test_stepping s;
        static const test_linear mass = {.n = 1, .M = {1}, .K = {1}};
        bl_function function = test_linear_function(&mass, true);
        bl_status status = test_stepping_try(ctx, &function, "plain", bad[k].spec, 1, 0.1, &one, &zero, NULL, &s);
        if (status != BL_E_ARG || !strstr(bl_context_error(ctx)->what, bad[k].word))
            print_error("%s: %d %s\n", bad[k].spec, status, bl_context_error(ctx)->what);
        assert_int_equal(status, BL_E_ARG);
        assert_non_null(strstr(bl_context_error(ctx)->what, bad[k].word));
        test_context_end(ctx);
    }
}

static void log_warnings(void *user, bl_log_level level, const char *text) {
    if (level == BL_LOG_WARNING)
        strncat(user, text, 400);
}

static void unstable_parameters__are_warned_of(void **state) {
    (void)state;
    static const struct {
        const char *spec, *word; /* NULL: no warning */
    } cases[] = {{"newmark", NULL},
                 {"hht", NULL},
                 {"hht:0.05", NULL},
                 {"wbz", NULL},
                 {"genalpha:0", NULL},
                 {"genalpha:1", NULL},
                 {"wilson", NULL},
                 {"collocation", NULL},
                 {"newmark:0.2", "4.47214"},
                 {"newmark:0.3,0.4", "grow"},
                 {"newmark:0.36,0.7", "order 1"},
                 {"hht:0.4", "1/3"},
                 {"wilson:1.2", "not stable"},
                 {"collocation:0.35", "not stable"}};
    const double one = 1, zero = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char said[2048] = "";
        bl_context *ctx;
        bl_context_options options = {.log = log_warnings, .log_user = said, .log_level = BL_LOG_WARNING};
        assert_int_equal(bl_context_create(&options, &ctx), BL_OK);
        test_stepping s;
        static const test_linear mass = {.n = 1, .M = {1}, .K = {1}};
        bl_function function = test_linear_function(&mass, true);
        test_stepping_begin(ctx, &function, "plain", cases[k].spec, 1, 0.1, &one, &zero, NULL, &s);
        if (cases[k].word ? !strstr(said, cases[k].word) : said[0])
            print_error("%s: %s\n", cases[k].spec, said);
        assert_true(cases[k].word ? strstr(said, cases[k].word) != NULL : !said[0]);
        test_stepping_end(&s);
        bl_context_destroy(ctx);
    }
}

static void systems_a_method_cannot_take__are_refused_with_a_reason(void **state) {
    (void)state;
    static const struct {
        const char *spec, *formulation, *word;
    } cases[] = {{"energy_momentum", "plain", "discrete gradient"},
                 {"edmc1", "plain", "discrete gradient"},
                 {"edmc2", "plain", "linear"},
                 {"hht", "lagrange", "equations of motion"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bl_context *ctx = test_context(NULL);
        test_stepping s;
        bl_function function = strcmp(cases[k].formulation, "plain") == 0 ? nonlinear : test_linear_function(&linear, true);
        bl_status status = test_stepping_try(ctx, &function, cases[k].formulation, cases[k].spec, 1, 0.1, q_start, v_start, z_start, &s);
        assert_int_equal(status, BL_E_ABILITY);
        if (!strstr(bl_context_error(ctx)->what, cases[k].word))
            print_error("%s: %s\n", cases[k].spec, bl_context_error(ctx)->what);
        assert_non_null(strstr(bl_context_error(ctx)->what, cases[k].word));
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method__has_its_order),
        cmocka_unit_test(algebraic_states__have_order_2_too),
        cmocka_unit_test(dense_output__meets_both_ends),
        cmocka_unit_test(linear_and_nonlinear_paths__agree),
        cmocka_unit_test(linear_systems__are_factored_once),
        cmocka_unit_test(central_differences__are_explicit),
        cmocka_unit_test(work__balances_the_energy),
        cmocka_unit_test(steps__allocate_nothing),
        cmocka_unit_test(failing_allocations__are_survived),
        cmocka_unit_test(what_is_not_finite_or_refused__ends_with_a_reason),
        cmocka_unit_test(a_refused_step__is_halved_and_the_step_returns),
        cmocka_unit_test(bad_parameters__are_refused_with_a_reason),
        cmocka_unit_test(unstable_parameters__are_warned_of),
        cmocka_unit_test(systems_a_method_cannot_take__are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
