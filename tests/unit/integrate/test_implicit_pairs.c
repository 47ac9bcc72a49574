/* rosenbrock23, trbdf2 and trapezoidal_auto: one step against the published formulas solved by another method, orders on equations of every
 * shape, estimates, dense output, stiff decay, matrices made, refusals, memory. */
#include "support/handmade.h"
#include "support/ode.h"
#include "support/stepping.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static const double ROOT2 = 1.4142135623730950488;

/* ---- equations of motion with states, everything coupled and of time; the mass constant, or of the positions */

enum { NQ = 2, NZ = 1, N = NQ + NZ, NY = 2 * NQ + NZ };

static const double mass[4] = {2, 0.3, 0.3, 1}, states[1] = {1.5};

static int force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user;
    double s = z ? z[0] : 0;
    Q[0] = -3 * q[0] - q[0] * q[0] * q[0] + 0.5 * q[1] - 0.2 * v[0] + s + sin(2 * t);
    Q[1] = -q[1] * (4 + v[0] * v[0]) - 0.4 * v[1] * v[0] + 0.3 * s * s;
    if (f)
        f[0] = -z[0] + q[0] * q[1] + 0.7 * v[1] + cos(t);
    return 0;
}

/* columns of n */
static int tangent_of(int n, const double *q, const double *v, const double *z, double *dx, double *dv) {
    dx[0] = -3 - 3 * q[0] * q[0];
    dx[n] = 0.5;
    dx[n + 1] = -(4 + v[0] * v[0]);
    dv[0] = -0.2;
    dv[1] = -2 * q[1] * v[0] - 0.4 * v[1];
    dv[n + 1] = -0.4 * v[0];
    if (n == N) {
        dx[2] = q[1];
        dx[n + 2] = q[0];
        dv[n + 2] = 0.7;
        dx[2 * n] = 1;
        dx[2 * n + 1] = 0.6 * z[0];
        dx[2 * n + 2] = -1;
    }
    return 0;
}

static int tangent(void *user, double t, const double *q, const double *v, const double *z, double *dx, double *dv) {
    (void)user, (void)t;
    return tangent_of(N, q, v, z, dx, dv);
}

static int tangent_alone(void *user, double t, const double *q, const double *v, const double *z, double *dx, double *dv) {
    (void)user, (void)t;
    return tangent_of(NQ, q, v, z, dx, dv);
}

static int moving_mass(void *user, double t, const double *q, double *M) {
    (void)user, (void)t;
    M[0] = 2 + q[1] * q[1];
    M[1] = M[2] = 0.3 * q[0];
    M[3] = 1 + q[0] * q[0];
    return 0;
}

static const bl_function constant_mass = {.nq = NQ, .nz = NZ, .force = force, .tangent = tangent, .M = mass, .A = states};
static const bl_function moving = {.nq = NQ, .force = force, .tangent = tangent_alone, .mass = moving_mass};
static const bl_function moving_with_state = {.nq = NQ, .nz = NZ, .force = force, .tangent = tangent, .mass = moving_mass, .A = states};
static const bl_function by_differences = {.nq = NQ, .nz = NZ, .force = force, .M = mass, .A = states};

/* algebraic: z of 0 = q1 - z - 0.1 z^3 + 0.5 cos t pulls back */
static int algebraic_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user;
    Q[0] = -2 * q[0] - 0.3 * v[0] - z[0];
    Q[1] = -q[1] + z[0] * z[0];
    f[0] = q[0] - z[0] - 0.1 * z[0] * z[0] * z[0] + 0.5 * cos(t);
    return 0;
}

static const double nothing[1] = {0};
static const bl_function algebraic = {.nq = NQ, .nz = NZ, .force = algebraic_force, .M = mass, .A = nothing};

static const double q0[2] = {0.7, -0.4}, v0[2] = {0.3, 0.9}, z0[1] = {0.6};

/* z of the start of `algebraic` */
static double consistent(void) {
    double z = 1;
    for (int i = 0; i < 50; i++)
        z -= (q0[0] - z - 0.1 * z * z * z + 0.5) / (-1 - 0.3 * z * z);
    return z;
}

/* ---- the published step of ode23s on B y' = F(t, y), all matrices full */

typedef struct first_order {
    int n;
    void (*F)(double t, const double *y, double *F);
    double B[NY][NY], J[NY][NY], T[NY];
} first_order;

static void solve(int n, double A[NY][NY], double *b) {
    double a[NY][NY];
    memcpy(a, A, sizeof a);
    for (int i = 0; i < n; i++) {
        int p = i;
        for (int r = i + 1; r < n; r++)
            p = fabs(a[r][i]) > fabs(a[p][i]) ? r : p;
        for (int c = 0; c < n; c++) {
            double kept = a[i][c];
            a[i][c] = a[p][c];
            a[p][c] = kept;
        }
        double kept = b[i];
        b[i] = b[p];
        b[p] = kept;
        for (int r = i + 1; r < n; r++) {
            double m = a[r][i] / a[i][i];
            for (int c = i; c < n; c++)
                a[r][c] -= m * a[i][c];
            b[r] -= m * b[i];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int c = i + 1; c < n; c++)
            b[i] -= a[i][c] * b[c];
        b[i] /= a[i][i];
    }
}

static void multiply(int n, double A[NY][NY], const double *x, double *y) {
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++)
            y[i] += A[i][j] * x[j];
    }
}

static void published_step(first_order *s, double h, const double *y, double *y_new, double *error) {
    int n = s->n;
    double d = 1 / (2 + ROOT2), e32 = 6 + ROOT2, W[NY][NY], F0[NY], F1[NY], F2[NY], k1[NY], k2[NY], k3[NY], at[NY], B1[NY], B2[NY];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            W[i][j] = s->B[i][j] - h * d * s->J[i][j];
    s->F(0, y, F0);
    for (int i = 0; i < n; i++)
        k1[i] = F0[i] + h * d * s->T[i];
    solve(n, W, k1);
    for (int i = 0; i < n; i++)
        at[i] = y[i] + 0.5 * h * k1[i];
    s->F(0.5 * h, at, F1);
    multiply(n, s->B, k1, B1);
    for (int i = 0; i < n; i++)
        k2[i] = F1[i] - B1[i];
    solve(n, W, k2);
    for (int i = 0; i < n; i++) {
        k2[i] += k1[i];
        y_new[i] = y[i] + h * k2[i];
    }
    s->F(h, y_new, F2);
    multiply(n, s->B, k2, B2);
    for (int i = 0; i < n; i++)
        k3[i] = F2[i] - e32 * (B2[i] - F1[i]) - 2 * (B1[i] - F0[i]) + h * d * s->T[i];
    solve(n, W, k3);
    for (int i = 0; i < n; i++)
        error[i] = h / 6 * (k1[i] - 2 * k2[i] + k3[i]);
}

/* y = (q, v, z) */
static void motion(double t, const double *y, double *F) {
    memcpy(F, y + NQ, NQ * sizeof *F);
    force(NULL, t, y, y + NQ, y + 2 * NQ, F + NQ, F + 2 * NQ);
}

/* y' = (v, M(q)^-1 Q) */
static void moving_motion(double t, const double *y, double *F) {
    double M[4], Q[2];
    moving_mass(NULL, t, y, M);
    force(NULL, t, y, y + NQ, NULL, Q, NULL);
    double det = M[0] * M[3] - M[1] * M[2];
    memcpy(F, y + NQ, NQ * sizeof *F);
    F[NQ] = (M[3] * Q[0] - M[1] * Q[1]) / det;
    F[NQ + 1] = (M[0] * Q[1] - M[2] * Q[0]) / det;
}

/* derivatives of F at (0, y) by central differences extrapolated: errors of 1e-11 */
static void differentiate(first_order *s, const double *y) {
    double at[NY], a[NY], b[NY], c[NY], d[NY], e = 1e-3;
    for (int j = 0; j <= s->n; j++) {
        for (int k = 0; k < 4; k++) {
            static const double offsets[4] = {1, -1, 2, -2};
            double *into[4] = {a, b, c, d};
            memcpy(at, y, (size_t)s->n * sizeof *y);
            if (j < s->n)
                at[j] += offsets[k] * e;
            s->F(j < s->n ? 0 : offsets[k] * e, at, into[k]);
        }
        for (int i = 0; i < s->n; i++)
            *(j < s->n ? &s->J[i][j] : &s->T[i]) = (8 * (a[i] - b[i]) - (c[i] - d[i])) / (12 * e);
    }
}

static double norm(const bl_integrator *integ, const double *error, const double *y_new) {
    double most = 0;
    for (bl_index i = 0; i < integ->ny; i++)
        if (integ->form->weight[i] > 0)
            most = fmax(most, fabs(error[i]) / fmax(fmax(fabs(integ->y[i]), fabs(y_new[i])), integ->form->weight[i]));
    return most;
}

/* the first attempt of size h, against the published one */
static void compare(const bl_function *function, const char *spec, first_order *s, double h, double close) {
    bl_context *ctx = test_context(NULL);
    test_stepping run;
    double y[NY], wanted[NY], error[NY] = {0}, found;
    test_stepping_begin(ctx, function, "plain", spec, 10, 0, q0, v0, z0, &run);
    memcpy(y, run.integ->y, sizeof *y * (size_t)s->n);
    published_step(s, h, y, wanted, error);
    assert_int_equal(run.integ->kind->attempt(run.integ, h, &found), BL_OK);
    for (int i = 0; i < s->n; i++)
        assert_near(run.integ->y_new[i], wanted[i], close);
    assert_near(found * run.integ->control.tolerance, norm(run.integ, error, wanted), close);
    test_stepping_end(&run);
    test_context_end(ctx);
}

/* T by a difference is off by 1e-8, which h d and h make 1e-10 and less; tangents by differences, and d(M a)/dq, are as much off */
static void rosenbrock23__takes_the_published_step(void **state) {
    (void)state;
    const double y[NY] = {q0[0], q0[1], v0[0], v0[1], z0[0]};
    first_order s = {.n = NY, .F = motion, .B = {{1}, {0, 1}, {0, 0, mass[0], mass[1]}, {0, 0, mass[2], mass[3]}, {0, 0, 0, 0, states[0]}}};
    differentiate(&s, y);
    for (double h = 0.4; h > 0.01; h /= 4) {
        compare(&constant_mass, "rosenbrock23", &s, h, 1e-9);
        compare(&by_differences, "rosenbrock23", &s, h, 1e-8);
        compare(&constant_mass, "rosenbrock23:jacobian=colored", &s, h, 1e-8);
    }
    s = (first_order){.n = 2 * NQ, .F = moving_motion, .B = {{1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}}};
    differentiate(&s, y);
    for (double h = 0.4; h > 0.01; h /= 4)
        compare(&moving, "rosenbrock23", &s, h, 1e-8);
}

/* y' = -y^3 + sin t: both stages by Newton's method here, to the last digit */
static void falling(double t, const double *y, double *rate, void *user) {
    (void)user;
    rate[0] = -y[0] * y[0] * y[0] + sin(t);
}

/* y = psi + c (-y^3 + sin t) */
static double implicit_value(double psi, double c, double t) {
    double y = psi;
    for (int i = 0; i < 60; i++)
        y -= (y - psi - c * (-y * y * y + sin(t))) / (1 + 3 * c * y * y);
    return y;
}

static void trbdf2__takes_the_published_step(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    bl_integrator *integ;
    double y0 = 1.3, h = 0.25, gamma = 2 - ROOT2, d = gamma / 2, w = ROOT2 / 4, error, y;
    assert_int_equal(test_ode_create(ctx, 1, 1, falling, NULL, &ode), BL_OK);
    bl_step_control control = {.t_end = 10, .step = h, .tolerance = 1e9}; /* solved as steps of constant size */
    assert_int_equal(bl_integrator_create(ctx, "trbdf2", &ode.form, &control, &integ), BL_OK);
    assert_int_equal(bl_integrator_start(integ, 0, &y0), BL_OK);
    assert_int_equal(integ->kind->attempt(integ, h, &error), BL_OK);
    double f0 = -y0 * y0 * y0, middle = implicit_value(y0 + h * d * f0, h * d, gamma * h), f1 = -pow(middle, 3) + sin(gamma * h);
    double end = implicit_value(y0 + h * w * (f0 + f1), h * d, h), f2 = -pow(end, 3) + sin(h);
    assert_near(integ->y_new[0], end, 1e-11); /* both stages to 1e-12 */
    /* BDF2 through y0, middle and end: (2 - gamma) end = middle / gamma - (1 - gamma)^2 / gamma y0 + (1 - gamma) h f2 (Bank et al.) */
    assert_near((2 - gamma) * end, middle / gamma - (1 - gamma) * (1 - gamma) / gamma * y0 + (1 - gamma) * h * f2, 1e-14);
    /* the other formula integrates quadratic rates exactly: weights (1 - w) / 3, w + 1/3, d / 3 */
    double third = y0 + h * ((1 - w) / 3 * f0 + (w + 1.0 / 3) * f1 + d / 3 * f2),
           estimate = (third - end) / (1 + 3 * h * d * middle * middle);
    /* the tangent is that of a guess of the middle, made by a difference */
    assert_near(error * 1e9, fabs(estimate) / y0, 0.1 * fabs(estimate));
    integ->t_old = 0;
    integ->kind->accept(integ);
    assert_int_equal(integ->kind->dense(integ, gamma * h, &y), BL_OK);
    assert_near(y, middle, 1e-11);
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    test_context_end(ctx);
}

/* ---- orders with equal steps */

typedef struct problem {
    const char *name;
    const bl_function *function;
    double end[NY];
} problem;

static void start_of(const bl_function *function, double *z) { z[0] = function == &algebraic ? consistent() : z0[0]; }

/* n equal steps to t = 2: a huge tolerance accepts them all */
static void run_equal(const bl_function *function, const char *formulation, const char *spec, int n, double *y) {
    bl_context *ctx = test_context(NULL);
    test_stepping s;
    double z[1], start[NY + 1];
    start_of(function, z);
    test_stepping_begin(ctx, function, formulation, spec, 2, 0, q0, v0, z, &s);
    s.integ->control.tolerance = 1e9;
    s.integ->control.step = s.integ->control.h_max = 2.0 / n;
    s.integ->h_next = 0;
    memcpy(start, s.integ->y, (size_t)s.integ->ny * sizeof *start);
    assert_int_equal(bl_integrator_start(s.integ, 0, start), BL_OK);
    test_stepping_run(&s);
    assert_int_equal(s.integ->stats.steps, n);
    memcpy(y, s.integ->y, (size_t)(2 * function->nq + function->nz) * sizeof *y);
    test_stepping_end(&s);
    test_context_end(ctx);
}

static double distance(const bl_function *function, const double *a, const double *b) {
    double most = 0;
    for (int i = 0; i < 2 * function->nq + function->nz; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* the end by radau at 1e-12 */
static void exact_end(const bl_function *function, double *y) {
    bl_context *ctx = test_context(NULL);
    test_stepping s;
    double z[1], start[NY + 1];
    start_of(function, z);
    test_stepping_begin(ctx, function, "plain", "radau", 2, 0, q0, v0, z, &s);
    s.integ->control.tolerance = 1e-12;
    s.integ->h_next = 0;
    memcpy(start, s.integ->y, (size_t)s.integ->ny * sizeof *start);
    assert_int_equal(bl_integrator_start(s.integ, 0, start), BL_OK);
    test_stepping_run(&s);
    memcpy(y, s.integ->y, (size_t)(2 * function->nq + function->nz) * sizeof *y);
    test_stepping_end(&s);
    test_context_end(ctx);
}

/* Order 2 in positions, velocities and states, with constant and moving mass, by the system's tangents and by differences, with algebraic
 * states; of rosenbrock23 also with tangents of other states. Measured orders are bent by the next term, O(h). */
static void methods__have_order_2_on_equations_of_every_shape(void **state) {
    (void)state;
    const problem list[] = {{"constant mass", &constant_mass, {0}},
                            {"by differences", &by_differences, {0}},
                            {"moving mass", &moving, {0}},
                            {"moving mass and a state", &moving_with_state, {0}},
                            {"an algebraic state", &algebraic, {0}}};
    static const char *const spec[] = {"rosenbrock23", "rosenbrock23:keep=7", "trbdf2", "trapezoidal_auto"};
    for (size_t p = 0; p < sizeof list / sizeof *list; p++) {
        double end[NY], y[NY];
        exact_end(list[p].function, end);
        for (size_t k = 0; k < sizeof spec / sizeof *spec; k++) {
            double error[3];
            for (int i = 0; i < 3; i++) {
                run_equal(list[p].function, "plain", spec[k], 100 << i, y);
                error[i] = distance(list[p].function, y, end);
            }
            double order = log2(error[1] / error[2]);
            print_message("%s, %s: error %.1e, order %.2f\n", list[p].name, spec[k], error[2], order);
            if (!(order > 1.85 && order < 2.3))
                fail_msg("%s, %s: order %.2f", list[p].name, spec[k], order);
        }
    }
}

/* one attempt from a point of the motion: estimates fall like h^3, and are of the size of the true error */
static void estimates__fall_like_h_3(void **state) {
    (void)state;
    const bl_function *const list[] = {&constant_mass, &moving, &moving_with_state};
    static const char *const spec[] = {"rosenbrock23", "trbdf2"};
    for (int p = 0; p < 3; p++)
        for (int k = 0; k < 2; k++) {
            bl_context *ctx = test_context(NULL);
            double error[2];
            for (int i = 0; i < 2; i++) {
                test_stepping s;
                test_stepping_begin(ctx, list[p], "plain", spec[k], 10, 0, q0, v0, z0, &s);
                assert_int_equal(s.integ->kind->attempt(s.integ, i ? 0.01 : 0.02, &error[i]), BL_OK);
                test_stepping_end(&s);
            }
            print_message("%d, %s: estimates of order %.2f\n", p, spec[k], log2(error[0] / error[1]));
            assert_near(log2(error[0] / error[1]), 3, 0.25);
            test_context_end(ctx);
        }
}

/* one step from the exact start: local errors of order 3 everywhere inside; continuous; slopes of trbdf2 too */
static void dense_output__has_order_2(void **state) {
    (void)state;
    static const char *const spec[] = {"rosenbrock23", "trbdf2"};
    for (int k = 0; k < 2; k++) {
        double worst[2] = {0};
        for (int i = 0; i < 2; i++) {
            bl_context *ctx = test_context(NULL);
            test_ode ode;
            bl_integrator *integ, *exact;
            double y0 = 1.3, h = i ? 0.02 : 0.04, y, wanted, before, after, e = 1e-5 * h;
            assert_int_equal(test_ode_create(ctx, 1, 1, falling, NULL, &ode), BL_OK);
            bl_step_control control = {.t_end = 1, .step = h, .h_max = h, .tolerance = 1e9},
                            fine = {.t_end = 1, .step = h, .tolerance = 1e-13};
            assert_int_equal(bl_integrator_create(ctx, spec[k], &ode.form, &control, &integ), BL_OK);
            assert_int_equal(bl_integrator_start(integ, 0, &y0), BL_OK);
            assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
            assert_int_equal(bl_integrator_create(ctx, "dop853", &ode.form, &fine, &exact), BL_OK);
            assert_int_equal(bl_integrator_start(exact, 0, &y0), BL_OK);
            for (int j = 0; j <= 20; j++) {
                double t = j == 20 ? integ->t : 0.05 * j * h;
                while (exact->t < t)
                    assert_int_equal(bl_integrator_step(exact, NULL), BL_OK);
                wanted = y0;
                if (t > 0)
                    assert_int_equal(exact->kind->dense(exact, t, &wanted), BL_OK);
                assert_int_equal(integ->kind->dense(integ, t, &y), BL_OK);
                worst[i] = fmax(worst[i], fabs(y - wanted));
                if (j == 0 || j == 20)
                    assert_near(y, j ? integ->y[0] : y0, 1e-15);
            }
            double middle = (2 - ROOT2) * h;
            assert_int_equal(integ->kind->dense(integ, middle, &y), BL_OK);
            assert_int_equal(integ->kind->dense(integ, middle - e, &before), BL_OK);
            assert_int_equal(integ->kind->dense(integ, middle + e, &after), BL_OK);
            assert_near((y - before) / e, (after - y) / e, 1e-3); /* e y'' and rounding 1e-16 / e */
            bl_integrator_destroy(exact);
            bl_integrator_destroy(integ);
            test_ode_destroy(&ode);
            test_context_end(ctx);
        }
        print_message("%s: dense output of local order %.2f\n", spec[k], log2(worst[0] / worst[1]));
        assert_near(log2(worst[0] / worst[1]), 3, 0.25);
    }
}

/* ---- stiff decay: y' = z y with steps of 1 */

static int decay_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)t, (void)q, (void)v, (void)Q;
    f[0] = *(double *)user * z[0];
    return 0;
}

static int decay_tangent(void *user, double t, const double *q, const double *v, const double *z, double *dx, double *dv) {
    (void)t, (void)q, (void)v, (void)z, (void)dv;
    dx[0] = *(double *)user;
    return 0;
}

/* R = (1 + (sqrt(2) - 1) z) / (1 - d z)^2 of both methods is the only one of order 2 with this denominator that vanishes at infinity. The
 * trapezoidal rule, behind its first step, has R = (1 + z/2) / (1 - z/2), which goes to -1. */
static void stiff_modes__are_gone_after_a_step_but_with_the_trapezoidal_rule(void **state) {
    (void)state;
    static const char *const spec[] = {"rosenbrock23", "trbdf2", "trapezoidal_auto"};
    static const double at[] = {-0.3, -5, -1e3, -1e8, -1e14};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 5; i++) {
            bl_context *ctx = test_context(NULL);
            double z = at[i], d = 1 - ROOT2 / 2, R = (1 + (ROOT2 - 1) * z) / ((1 - d * z) * (1 - d * z)),
                   one[2] = {1, 0}; /* the state, no work */
            bl_function decay = {.user = &z, .nz = 1, .promise = BL_FN_NO_T | BL_FN_LINEAR, .force = decay_force, .tangent = decay_tangent};
            test_stepping s;
            test_stepping_begin(ctx, &decay, "plain", spec[k], 10, 1, one, one, one, &s);
            s.integ->control.tolerance = 1e9;
            s.integ->control.h_max = 1;
            assert_int_equal(bl_integrator_start(s.integ, 0, one), BL_OK);
            assert_int_equal(bl_integrator_step(s.integ, NULL), BL_OK);
            assert_near(s.integ->y[0], R, 1e-14); /* roundings of 1, a few dozen: R is 5e-14 at last */
            double first = s.integ->y[0];
            assert_int_equal(bl_integrator_step(s.integ, NULL), BL_OK);
            if (k == 2)
                R = (1 + z / 2) / (1 - z / 2);
            assert_near(s.integ->y[0], first * R, 1e-14);
            test_stepping_end(&s);
            test_context_end(ctx);
        }
}

/* y' = -1e6 (y - cos t) - sin t, started off the slow motion: steps follow what is seen, explicit ones are 3e-6 at most. The estimate of
 * rosenbrock23 falls to order 2 there, h^2 / 13 (its stages are of order 1): a few hundred steps. */
static void fall_to_cosine(double t, const double *y, double *rate, void *user) {
    (void)user;
    rate[0] = -1e6 * (y[0] - cos(t)) - sin(t);
}

static void stiff_equations__are_followed_with_steps_of_the_slow_motion(void **state) {
    (void)state;
    static const char *const spec[] = {"rosenbrock23", "trbdf2"};
    for (int k = 0; k < 2; k++) {
        bl_context *ctx = test_context(NULL);
        test_ode ode;
        bl_integrator *integ;
        double y0 = 2;
        assert_int_equal(test_ode_create(ctx, 1, 1, fall_to_cosine, NULL, &ode), BL_OK);
        assert_int_equal(bl_integrator_create(ctx, spec[k], &ode.form, &(bl_step_control){.t_end = 20, .tolerance = 1e-3}, &integ), BL_OK);
        assert_int_equal(bl_integrator_start(integ, 0, &y0), BL_OK);
        while (integ->t < 20)
            assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
        print_message("%s: %ld steps, error %.1e\n", spec[k], integ->stats.steps, fabs(integ->y[0] - cos(20)));
        assert_true(integ->stats.steps < 500 && integ->stats.h_largest > 0.03);
        assert_near(integ->y[0], cos(20), 1e-2);
        bl_integrator_destroy(integ);
        test_ode_destroy(&ode);
        test_context_end(ctx);
    }
}

/* ---- matrices: one tangent and one factorization for each step size where they are constant, sparse ones however large */

enum { RODS = 20000 };

/* beads on a string of springs; the first one is pulled */
static int string_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user, (void)z, (void)f;
    for (int i = 0; i < RODS; i++)
        Q[i] = (i + 1 < RODS ? q[i + 1] : 0) - 2 * q[i] + (i > 0 ? q[i - 1] : 0) - 0.1 * v[i];
    Q[0] += sin(t);
    return 0;
}

static int string_tangent(void *user, double t, const double *q, const double *v, const double *z, double *dx, double *dv) {
    (void)user, (void)t, (void)q, (void)v, (void)z;
    for (int i = 0, k = 0; i < RODS; i++) {
        if (i > 0)
            dx[k++] = 1;
        dx[k++] = -2;
        if (i + 1 < RODS)
            dx[k++] = 1;
        dv[i] = -0.1;
    }
    return 0;
}

static void linear_systems__take_one_tangent_and_one_factorization_for_a_step_size(void **state) {
    (void)state;
    static const char *const spec[] = {"rosenbrock23", "trbdf2", "trapezoidal_auto"};
    static bl_index ptr[RODS + 1], idx[3 * RODS], diagonal_ptr[RODS + 1], diagonal[RODS];
    static double zero[RODS];
    bl_index count = 0;
    for (bl_index i = 0; i < RODS; i++) {
        ptr[i] = count;
        if (i > 0)
            idx[count++] = i - 1;
        idx[count++] = i;
        if (i + 1 < RODS)
            idx[count++] = i + 1;
        diagonal_ptr[i] = diagonal[i] = i;
    }
    ptr[RODS] = count;
    diagonal_ptr[RODS] = RODS;
    bl_function string = {.nq = RODS,
                          .promise = BL_FN_LINEAR,
                          .force = string_force,
                          .tangent = string_tangent,
                          .pattern_x = {ptr, idx},
                          .pattern_v = {diagonal_ptr, diagonal}};
    double middle[3];
    for (int k = 0; k < 3; k++) {
        bl_context *ctx = test_context(NULL);
        test_stepping s;
        test_stepping_begin(ctx, &string, "plain", spec[k], 3, 0, zero, zero, NULL, &s);
        s.integ->control.tolerance = 1e-3;
        long sizes = 0;
        double h = 0;
        while (s.integ->t < 3) {
            assert_int_equal(bl_integrator_step(s.integ, NULL), BL_OK);
            double now = s.integ->t - s.integ->t_old;
            sizes += fabs(now - h) > 1e-9 * h;
            h = now;
        }
        const bl_formulation_stats *stats = &s.form->stats;
        middle[k] = s.integ->y[0];
        print_message("%s: %ld steps of %ld sizes, %ld rejected, %ld factorizations, first bead at %.5f\n", spec[k], s.integ->stats.steps,
                      sizes, s.integ->stats.rejections, stats->factors + stats->refactors, middle[k]);
        assert_int_equal(stats->tangents, 1);
        /* trapezoidal_auto begins with the other rule */
        assert_in_range(stats->factors + stats->refactors, 1, sizes + s.integ->stats.rejections + (k == 2));
        assert_true(sizes < s.integ->stats.steps);
        test_stepping_end(&s);
        test_context_end(ctx);
    }
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    assert_true(used.ru_maxrss < 1 << 20); /* 1 GB: a full matrix has 3.2 */
    assert_near(middle[0], middle[1], 1e-2);
    assert_near(middle[2], middle[1], 1e-2);
}

/* ---- constraints: a pendulum of length 1 */

static int weight_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user, (void)t, (void)q, (void)v, (void)z, (void)f;
    Q[0] = 0;
    Q[1] = -9.81;
    return 0;
}

static int rod(void *user, double t, const double *q, double *phi) {
    (void)user, (void)t;
    phi[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1);
    return 0;
}

static int rod_jacobian(void *user, double t, const double *q, double *G) {
    (void)user, (void)t;
    G[0] = q[0];
    G[1] = q[1];
    return 0;
}

static const bl_function pendulum = {.nq = 2,
                                     .np = 1,
                                     .promise = BL_FN_NO_V | BL_FN_NO_T | BL_FN_LINEAR | BL_FN_STATIC,
                                     .force = weight_force,
                                     .constraint = rod,
                                     .jacobian = rod_jacobian};

/* the state after n equal steps to t = 1 from rest at (1, 0) */
static void swing(const char *formulation, const char *spec, int n, double tolerance, double *y) {
    bl_context *ctx = test_context(NULL);
    test_stepping s;
    const double q[2] = {1, 0}, v[2] = {0, 0};
    double start[NY];
    test_stepping_begin(ctx, &pendulum, formulation, spec, 1, 0, q, v, NULL, &s);
    s.integ->control.tolerance = tolerance;
    s.integ->control.step = s.integ->control.h_max = 1.0 / n;
    s.integ->h_next = 0;
    memcpy(start, s.integ->y, (size_t)s.integ->ny * sizeof *start);
    assert_int_equal(bl_integrator_start(s.integ, 0, start), BL_OK);
    test_stepping_run(&s);
    memcpy(y, s.integ->y, 4 * sizeof *y);
    test_stepping_end(&s);
    test_context_end(ctx);
}

/* Positions of order 2 on the constraint to rounding, velocities too where they are kept on theirs (ggl); stages of a rate by all. */
static void trbdf2__has_order_2_with_constraints(void **state) {
    (void)state;
    double exact[4];
    swing("lagrange", "dop853", 200, 1e-13, exact);
    static const struct {
        const char *formulation, *spec;
    } list[] = {
        {"ggl", "trbdf2"}, {"index3", "trbdf2"}, {"lagrange", "trbdf2"}, {"lagrange", "rosenbrock23"}, {"lagrange", "trapezoidal_auto"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        double error[2][2], y[4];
        for (int j = 0; j < 2; j++) {
            swing(list[i].formulation, list[i].spec, 100 << j, 1e9, y);
            error[j][0] = hypot(y[0] - exact[0], y[1] - exact[1]);
            error[j][1] = hypot(y[2] - exact[2], y[3] - exact[3]);
            if (i < 2)
                assert_near(hypot(y[0], y[1]), 1, 1e-11);
            if (i == 0)
                assert_near(y[0] * y[2] + y[1] * y[3], 0, 1e-10);
        }
        double order = log2(error[0][0] / error[1][0]), order_v = log2(error[0][1] / error[1][1]);
        print_message("%s, %s: errors %.1e, %.1e, orders %.2f, %.2f\n", list[i].formulation, list[i].spec, error[1][0], error[1][1], order,
                      order_v);
        assert_true(order > 1.85);
        assert_true(order_v > 1.85);
    }
}

/* The estimate of a step is that of the step, not of the gradients in tangents made long before: the same attempt with fresh ones differs
 * by what they change of the iteration. */
static void estimates__do_not_feel_the_age_of_tangents(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_stepping old, fresh;
    const double q[2] = {1, 0}, v[2] = {0, 0};
    double error[2];
    test_stepping_begin(ctx, &pendulum, "ggl", "trbdf2", 1, 0, q, v, NULL, &old);
    double made[2] = {1, 0}; /* where they were */
    for (long tangents = 0; hypot(old.integ->y[0] - made[0], old.integ->y[1] - made[1]) < 0.15;) {
        assert_true(old.integ->t < 0.9);
        assert_int_equal(bl_integrator_step(old.integ, NULL), BL_OK);
        if (old.form->stats.tangents > tangents)
            memcpy(made, old.integ->y, sizeof made);
        tangents = old.form->stats.tangents;
    }
    for (double h = 2e-3; h > 1e-6; h *= 0.1) {
        assert_int_equal(old.integ->kind->attempt(old.integ, h, &error[0]), BL_OK);
        test_stepping_begin(ctx, &pendulum, "ggl", "trbdf2", 1, 0, old.integ->y, old.integ->y + 2, NULL, &fresh);
        assert_int_equal(fresh.integ->kind->attempt(fresh.integ, h, &error[1]), BL_OK);
        print_message("h = %.0e: estimates %.2e, %.2e\n", h, error[0], error[1]);
        assert_near(error[0], error[1], 0.3 * error[1] + 0.1); /* in tolerances */
        test_stepping_end(&fresh);
    }
    test_stepping_end(&old);
    test_context_end(ctx);
}

/* ---- refusals, memory */

static void methods__that_need_a_differential_equation_say_so(void **state) {
    (void)state;
    static const char *const spec[] = {"rosenbrock23", "trapezoidal_auto"}, *const formulation[] = {"ggl", "index3"};
    for (int i = 0; i < 4; i++) {
        bl_context *ctx = test_context(NULL);
        test_stepping s;
        const double q[2] = {1, 0}, v[2] = {0, 0};
        assert_int_equal(test_stepping_try(ctx, &pendulum, formulation[i / 2], spec[i % 2], 1, 0, q, v, NULL, &s), BL_E_ABILITY);
        assert_non_null(strstr(bl_context_error(ctx)->what, "without constraints"));
        assert_non_null(strstr(bl_context_error(ctx)->advice, "lagrange"));
        test_context_end(ctx);
    }
}

typedef struct trial {
    const bl_function *function;
    const char *spec;
} trial;

static bl_status create_and_step(bl_context *ctx, void *user) {
    const trial *t = user;
    test_stepping s;
    BL_TRY(test_stepping_try(ctx, t->function, t->function->np ? "ggl" : "plain", t->spec, 1, 0, q0, v0, z0, &s));
    size_t calls = bl_context_memory(ctx).calls;
    bl_status status = BL_OK;
    for (int i = 0; i < 20 && status == BL_OK; i++) {
        status = bl_integrator_step(s.integ, NULL);
        if (i == 0)
            calls = bl_context_memory(ctx).calls; /* solvers may choose their memory with their first matrix */
    }
    assert_int_equal(bl_context_memory(ctx).calls, calls);
    test_stepping_end(&s);
    return status;
}

static void failing_allocations__are_survived_and_steps_allocate_nothing(void **state) {
    (void)state;
    trial list[] = {
        {&constant_mass, "rosenbrock23"}, {&moving, "rosenbrock23:keep=3"}, {&constant_mass, "trbdf2"}, {&moving, "trapezoidal_auto"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        test_failing_allocations(create_and_step, &list[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rosenbrock23__takes_the_published_step),
        cmocka_unit_test(trbdf2__takes_the_published_step),
        cmocka_unit_test(methods__have_order_2_on_equations_of_every_shape),
        cmocka_unit_test(estimates__fall_like_h_3),
        cmocka_unit_test(dense_output__has_order_2),
        cmocka_unit_test(stiff_modes__are_gone_after_a_step_but_with_the_trapezoidal_rule),
        cmocka_unit_test(stiff_equations__are_followed_with_steps_of_the_slow_motion),
        cmocka_unit_test(linear_systems__take_one_tangent_and_one_factorization_for_a_step_size),
        cmocka_unit_test(trbdf2__has_order_2_with_constraints),
        cmocka_unit_test(estimates__do_not_feel_the_age_of_tangents),
        cmocka_unit_test(methods__that_need_a_differential_equation_say_so),
        cmocka_unit_test(failing_allocations__are_survived_and_steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
