/* Stabilized index 2 by power series: the two-link robot (known solution) and the pendulum (elliptic functions), one expansion and many
 * steps. Numbers of the tables: computed independently with the corrected recursion, in Python; three digits or fewer are given, so they
 * are compared to 2%, small ones by factors. */
#include "msppa.h"

#include "study/run.h"
#include "study/simulation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

static const char pendulum[] = "equations:\n  states:\n    - {name: x, start: -1, rate_start: 0, mass: 1, force: 0}\n"
                               "    - {name: y, start: 0, rate_start: 0, mass: 1, force: -9.81}\n"
                               "  constraints:\n    - {name: rod, value: =(x^2 + y^2 - 1)/2}\n";

/* ---- a problem, its formulation and one expansion */

typedef struct bench {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_simulation *sim;
    bl_expansion ex;
    double *y;
    char label[96];
} bench;

static void expect(const bench *b, bl_status status) {
    if (status != BL_OK)
        fail_msg("%s: %s %s (%s)", b->label, bl_status_text(status), bl_context_error(b->ctx)->what, bl_context_error(b->ctx)->advice);
}

static void set_up_with(bench *b, const char *scene, const char *kind, const bl_simulation_setup *setup, int order) {
    char file[512];
    memset(b, 0, sizeof *b);
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene);
    snprintf(b->label, sizeof b->label, "%.20s in %s, %s", scene, kind, setup->formulation);
    assert_int_equal(bl_context_create(NULL, &b->ctx), BL_OK);
    if (strchr(scene, '\n'))
        expect(b, bl_model_read_text(b->ctx, "text", scene, strlen(scene), NULL, 0, &b->model));
    else
        expect(b, bl_model_read(b->ctx, file, NULL, 0, &b->model));
    expect(b, bl_run_prepare(b->ctx, b->model, kind, &b->sys, &b->state));
    expect(b, bl_simulation_create(b->sys, &b->state, setup, &b->sim));
    b->y = calloc((size_t)b->sim->form->ny, sizeof(double));
    expect(b, bl_expansion_create(b->sys, order, &b->ex));
    expect(b, b->sim->form->kind->to_y(b->sim->form, &b->sim->state, b->y));
}

static void set_up(bench *b, const char *scene, const char *kind, const char *formulation, int order) {
    bl_simulation_setup setup = {.formulation = formulation, .integrator = "series", .t_end = 10, .projection_tolerance = -1};
    set_up_with(b, scene, kind, &setup, order);
}

static void expand(bench *b, double t) { expect(b, b->sim->form->kind->expand(b->sim->form, t, b->y, &b->ex)); }

static void tear_down(bench *b) {
    free(b->y);
    bl_expansion_destroy(b->sys, &b->ex);
    bl_simulation_destroy(b->sim);
    bl_state_destroy(b->sys, &b->state);
    bl_system_destroy(b->sys);
    bl_model_destroy(b->model);
    assert_int_equal(bl_context_memory(b->ctx).live_blocks, 0);
    bl_context_destroy(b->ctx);
}

/* coefficient k of entry i of a vector of length n */
static double at(const double *x, bl_index n, int k, bl_index i) { return x[(size_t)k * (size_t)n + (size_t)i]; }

static double polynomial(const double *x, bl_index n, bl_index i, int last, double s) {
    double sum = 0;
    for (int k = last; k >= 0; k--)
        sum = at(x, n, k, i) + s * sum;
    return sum;
}

static void near_to(double value, double expected, double relative) {
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.10g, expected %.10g to %g", value, expected, relative);
}

static double factorial(int k) { return k < 2 ? 1 : k * factorial(k - 1); }

/* ---- one expansion */

static void robot__coefficients_are_those_of_sine_and_cosine(void **state) {
    (void)state;
    bench b;
    set_up(&b, "two_link_robot", "equations", "index2", 8);
    expand(&b, 0);
    assert_int_equal(b.ex.v_order, 8);
    for (int k = 0; k <= 8; k++) {
        double sine = k % 2 ? (k % 4 == 1 ? 1 : -1) / factorial(k) : 0, cosine = k % 2 ? 0 : (k % 4 ? -1 : 1) / factorial(k);
        assert_true(fabs(at(b.ex.q, 2, k, 0) - sine) < 1e-14 && fabs(at(b.ex.q, 2, k, 1) + 2 * sine) < 1e-14);
        assert_true(fabs(at(b.ex.v, 2, k, 0) - cosine) < 1e-14 && fabs(at(b.ex.v, 2, k, 1) + 2 * cosine) < 1e-14);
        if (k < 8)
            assert_true(fabs(b.ex.lambda[k] - cosine) < 1e-14 && fabs(b.ex.mu[k]) < 1e-14);
    }
    tear_down(&b);
}

/* chapter 5 of the source prints these, to its digits */
static void robot__order_three_is_as_printed(void **state) {
    (void)state;
    bench b;
    set_up(&b, "two_link_robot", "equations", "index2", 3);
    expand(&b, 0);
    static const double u[2][4] = {{0, 1, 0, -0.166666666666667}, {0, -2, 0, 0.333333333333333}};
    static const double v[2][4] = {{1, 0, -0.5, 0}, {-2, 0, 1, 0}}, lambda[] = {1, 0, -0.4999999999};
    for (int k = 0; k <= 3; k++)
        for (bl_index i = 0; i < 2; i++)
            assert_true(fabs(at(b.ex.q, 2, k, i) - u[i][k]) < 1e-14 && fabs(at(b.ex.v, 2, k, i) - v[i][k]) < 1e-10);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(b.ex.lambda[k] - lambda[k]) < 2e-10 && fabs(b.ex.mu[k]) < 1e-15);
    tear_down(&b);
}

static void robot__one_expansion_to_a_quarter_of_pi(void **state) {
    (void)state;
    static const struct {
        int order;
        double u, v, lambda;
    } table[] = {{3, 2.45e-3, 1.55e-2, 1.55e-2},
                 {5, 3.63e-5, 3.22e-4, 3.22e-4},
                 {7, 3.12e-7, 3.57e-6, 3.57e-6},
                 {9, 1.75e-9, 2.45e-8, 2.45e-8},
                 {11, 6.93e-12, 1.15e-10, 1.15e-10}};
    bench b;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int K = table[i].order;
        set_up(&b, "two_link_robot", "equations", "index2", K);
        expand(&b, 0);
        near_to(fabs(polynomial(b.ex.q, 2, 0, K, pi / 4) - sin(pi / 4)), table[i].u, 0.01);
        near_to(fabs(polynomial(b.ex.v, 2, 0, K, pi / 4) - cos(pi / 4)), table[i].v, 0.01);
        near_to(fabs(polynomial(b.ex.lambda, 1, 0, K - 1, pi / 4) - cos(pi / 4)), table[i].lambda, 0.01);
        tear_down(&b);
    }
    set_up(&b, "two_link_robot", "equations", "index2", 15);
    expand(&b, 0);
    assert_true(fabs(polynomial(b.ex.q, 2, 0, 15, pi / 4) - sin(pi / 4)) < 1e-15);
    assert_true(fabs(polynomial(b.ex.v, 2, 0, 15, pi / 4) - cos(pi / 4)) < 1e-14);
    assert_true(fabs(polynomial(b.ex.lambda, 1, 0, 14, pi / 4) - cos(pi / 4)) < 1e-13);
    tear_down(&b);
}

static void pendulum__coefficients_and_radius(void **state) {
    (void)state;
    static const double x[] = {-1, 0, 0, 0, 12.0295125, 0, 0, 0, -43.4127513}, y[] = {0, 0, -4.905, 0, 0, 0, 23.60190353, 0, 0};
    static const double lambda[] = {0, 0, 144.35415, 0, 0, 0, -694.60402};
    bench b;
    set_up(&b, pendulum, "equations", "index2", 40);
    expand(&b, 0);
    for (int k = 0; k <= 8; k++) {
        assert_true(fabs(at(b.ex.q, 2, k, 0) - x[k]) <= 1e-8 * fmax(1, fabs(x[k])));
        assert_true(fabs(at(b.ex.q, 2, k, 1) - y[k]) <= 1e-8 * fmax(1, fabs(y[k])));
        assert_true(k > 6 || fabs(b.ex.lambda[k] - lambda[k]) <= 1e-8 * fmax(1, fabs(lambda[k])));
    }
    double series[41];
    for (int k = 0; k <= 40; k++)
        series[k] = at(b.ex.q, 2, k, 0);
    bl_taylor_radius radius;
    bl_taylor_find_radius(40, series, &radius);
    near_to(radius.root, 0.76, 0.01);
    tear_down(&b);
}

/* ---- the second implementation of the recursion, and with the errors of the source */

/* relative to the largest of an order; rounding is that of the start, of size 1, where coefficients become small */
static void compare_with_msppa(const bench *b, const msppa *m, int order) {
    double size = 0;
    for (int k = 0; k <= order; k++) {
        bool last = k == order;
        const double made[] = {at(b->ex.q, 2, k, 0), at(b->ex.q, 2, k, 1),       at(b->ex.v, 2, k, 0),
                               at(b->ex.v, 2, k, 1), last ? 0 : b->ex.lambda[k], last ? 0 : b->ex.mu[k]};
        const double anew[] = {m->u[0][k], m->u[1][k], m->v[0][k], m->v[1][k], last ? 0 : m->lambda[k], last ? 0 : m->mu[k]};
        size *= 0.1;
        for (int i = 0; i < 6; i++)
            size = fmax(size, fabs(anew[i]));
        for (int i = 0; i < 6; i++)
            if (!(fabs(made[i] - anew[i]) <= 1e-10 * size + 1e-12))
                fail_msg("order %d, series %d: %g, anew %g", k, i, made[i], anew[i]);
    }
}

/* velocities that violate the constraint cause mu, and everything that follows is the same too */
static void violated_starts_expand_as_the_recursion_written_out_anew(void **state) {
    (void)state;
    static msppa m;
    bench b;
    for (int violated = 0; violated < 2; violated++) {
        memset(&m, 0, sizeof m);
        set_up(&b, "two_link_robot", "equations", "index2", 14);
        b.y[0] = m.u[0][0] = 0.3 * violated;
        b.y[1] = m.u[1][0] = -0.4 * violated;
        m.v[0][0] = b.y[2];
        m.v[1][0] = b.y[3];
        expand(&b, 0);
        msppa_expand(&m, msppa_robot, 14, (msppa_mistakes){false});
        assert_int_equal(fabs(b.ex.mu[0]) > 1e-3, violated);
        compare_with_msppa(&b, &m, 14);
        tear_down(&b);
        memset(&m, 0, sizeof m);
        set_up(&b, pendulum, "equations", "index2", 14);
        b.y[2] = m.v[0][0] = 0.2 * violated;
        b.y[3] = m.v[1][0] = 1.5 * violated;
        m.u[0][0] = -1;
        expand(&b, 0);
        msppa_expand(&m, msppa_pendulum, 14, (msppa_mistakes){false});
        if (violated)
            near_to(b.ex.mu[0], -0.2, 1e-14); /* G v / G G^T */
        compare_with_msppa(&b, &m, 14);
        tear_down(&b);
    }
}

static void mistakes_of_the_source_show(void **state) {
    (void)state;
    static msppa m;
    for (int order = 4; order <= 16; order += 4) {
        memset(&m, 0, sizeof m);
        m.u[0][0] = -1;
        msppa_expand(&m, msppa_pendulum, order, (msppa_mistakes){.old_s = true});
        assert_true(fabs(m.mu[0] + 1) < 1e-15);
        double error = 0;
        static const double exact[] = {-0.9988014, -0.0489459}; /* x, y at t = 0.1 */
        for (int i = 0; i < 2; i++)
            error = fmax(error, fabs(bl_taylor_value(order, m.u[i], 0.1) - exact[i]));
        near_to(error, 0.10, 0.05);
    }
    memset(&m, 0, sizeof m);
    m.v[0][0] = 1;
    m.v[1][0] = -2;
    msppa_expand(&m, msppa_robot, 4, (msppa_mistakes){.plus = true});
    double error = fmax(fabs(bl_taylor_value(4, m.v[0], pi / 4) - cos(pi / 4)), fabs(bl_taylor_value(4, m.v[1], pi / 4) + 2 * cos(pi / 4)));
    near_to(error, 1.14, 0.01);
    /* and not below order 4 */
    memset(&m, 0, sizeof m);
    m.v[0][0] = 1;
    m.v[1][0] = -2;
    msppa_expand(&m, msppa_robot, 3, (msppa_mistakes){.old_s = true, .plus = true});
    near_to(m.u[0][3], -1.0 / 6, 1e-14);
}

/* ---- many steps */

/* Jacobi's cd(u | 1/2), by descending Landen transformations (Abramowitz, Stegun 16.4) */
static double cd(double u) {
    enum { N = 8 };
    double a[N + 1] = {1}, c[N + 1] = {sqrt(0.5)}, b = sqrt(0.5), phi, before = 0;
    for (int n = 0; n < N; n++) {
        c[n + 1] = (a[n] - b) / 2;
        a[n + 1] = (a[n] + b) / 2;
        b = sqrt(a[n] * b);
    }
    phi = ldexp(a[N] * u, N);
    for (int n = N; n > 0; n--) {
        before = phi;
        phi = (phi + asin(c[n] * sin(phi) / a[n])) / 2;
    }
    (void)before;
    double sn = sin(phi);
    return cos(phi) / sqrt(1 - sn * sn / 2);
}

static void exact_pendulum(double t, double *u, double *lambda) {
    double phi = -2 * asin(cd(sqrt(9.81) * t) / sqrt(2));
    u[0] = sin(phi);
    u[1] = -cos(phi);
    *lambda = -3 * 9.81 * u[1]; /* |v|^2 = -2 g y from rest at y = 0 */
}

static void exact_robot(double t, double *u, double *lambda) {
    u[0] = sin(t);
    u[1] = -2 * sin(t);
    *lambda = cos(t);
}

typedef struct errors {
    double u, lambda, phi, rate;
} errors;

/* to t = 10 in n steps by the recursion alone, without projections */
static errors many_steps(const char *scene, void (*exact)(double, double *, double *), int order, int n) {
    bench b;
    errors e = {0};
    set_up(&b, scene, "equations", "index2", order);
    double h = 10.0 / n, u[2], v[2], right[2], lambda;
    bl_eval place = {0};
    expect(&b, bl_eval_create(b.sys, BL_ALL, &place));
    for (int step = 0; step < n; step++) {
        expand(&b, step * h);
        bl_expansion_at(b.sys, &b.ex, order, h, u, v, NULL, NULL, NULL, NULL);
        memcpy(b.y, u, sizeof u);
        memcpy(b.y + 2, v, sizeof v);
        exact((step + 1) * h, right, &lambda);
        e.u = fmax(e.u, fmax(fabs(u[0] - right[0]), fabs(u[1] - right[1])));
        e.lambda = fmax(e.lambda, fabs(polynomial(b.ex.lambda, 1, 0, order - 1, h) - lambda));
        bl_eval_at(&place, &b.state);
        place.t = (step + 1) * h;
        place.q = u;
        place.v = v;
        place.have = place.constant;
        expect(&b, bl_system_eval(b.sys, &place, BL_PHI | BL_G));
        e.phi = fmax(e.phi, fabs(place.phi[0]));
        e.rate = fmax(e.rate, fabs(place.G[0] * v[0] + place.G[1] * v[1]));
    }
    bl_eval_destroy(b.sys, &place);
    tear_down(&b);
    return e;
}

static void robot__many_steps_have_the_order(void **state) {
    (void)state;
    static const struct {
        int order;
        double error[4];
    } table[] = {{3, {4.31e-2, 5.36e-3, 6.66e-4, 8.29e-5}},
                 {4, {4.14e-3, 2.56e-4, 1.59e-5, 9.9e-7}},
                 {6, {1.58e-5, 2.44e-7, 3.80e-9, 5.9e-11}},
                 {8, {3.53e-8, 1.36e-10, 5.3e-13}}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double before = 0;
        for (int j = 0; j < 4; j++) {
            double expected = table[i].error[j], error = many_steps("two_link_robot", exact_robot, table[i].order, 25 << j).u;
            if (expected > 1e-10)
                near_to(error, expected, 0.02);
            else
                assert_true(error <= fmax(1.5 * expected, 1e-12)); /* rounding becomes visible */
            if (j > 0 && expected > 1e-10)
                assert_true(fabs(log2(before / error) - table[i].order) < 0.25);
            before = error;
        }
    }
}

static void pendulum__many_steps_have_the_order(void **state) {
    (void)state;
    static const struct {
        int order, observed;
        double error[4];
    } table[] = {{3, 3, {5.2e-1, 1.02e-1, 1.35e-2, 1.70e-3}},  {4, 5, {9.5e-2, 3.47e-3, 1.09e-4, 3.27e-6}},
                 {5, 5, {1.78e-2, 6.87e-4, 2.27e-5, 7.18e-7}}, {6, 7, {2.64e-3, 2.21e-5, 1.75e-7, 1.35e-9}},
                 {7, 7, {4.0e-4, 3.89e-6, 3.20e-8, 2.53e-10}}, {8, 9, {2.94e-5, 6.64e-8, 1.24e-10, 1e-12}},
                 {10, 11, {1.25e-7, 1.19e-10, 1e-12, 1e-12}}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double error[4];
        for (int j = 0; j < 4; j++) {
            double expected = table[i].error[j];
            error[j] = many_steps(pendulum, exact_pendulum, table[i].order, 100 << j).u;
            if (expected > 1e-10)
                near_to(error[j], expected, 0.02);
            else
                assert_true(error[j] <= 3 * expected);
        }
        if (table[i].order < 8)
            assert_true(fabs(log2(error[2] / error[3]) - table[i].observed) < 0.25);
        else
            assert_true(log2(error[0] / error[1]) > table[i].observed - 1.5);
    }
    near_to(many_steps(pendulum, exact_pendulum, 14, 100).u, 1.8e-10, 0.05);
    assert_true(many_steps(pendulum, exact_pendulum, 14, 200).u < 3e-12);
    assert_true(many_steps(pendulum, exact_pendulum, 20, 100).u < 3e-12);
}

static void pendulum__constraints_drift_slowly(void **state) {
    (void)state;
    errors coarse = many_steps(pendulum, exact_pendulum, 4, 200), fine = many_steps(pendulum, exact_pendulum, 8, 400);
    near_to(coarse.phi, 2.6e-4, 0.03);
    near_to(coarse.rate, 4.6e-4, 0.03);
    near_to(fine.phi, 2.0e-11, 0.1);
    near_to(fine.rate, 1.7e-10, 0.1);
    near_to(many_steps(pendulum, exact_pendulum, 8, 200).lambda, 1.5e-6, 0.05);
}

/* ---- the integrator */

static double run_integrator(const char *scene, void (*exact)(double, double *, double *), const char *integrator, double h,
                             double projection) {
    bench b;
    bl_simulation_setup setup = {
        .formulation = "index2", .integrator = integrator, .t_end = 10, .step = h, .projection_tolerance = projection};
    set_up_with(&b, scene, "equations", &setup, 3);
    double u[2], lambda, worst = 0;
    while (*b.sim->state.t < 10 - 1e-9) {
        expect(&b, bl_simulation_advance(b.sim));
        exact(*b.sim->state.t, u, &lambda);
        worst = fmax(worst, fmax(fabs(b.sim->state.q[0] - u[0]), fabs(b.sim->state.q[1] - u[1])));
    }
    tear_down(&b);
    return worst;
}

static void the_integrator_steps_as_the_recursion_does(void **state) {
    (void)state;
    near_to(run_integrator("two_link_robot", exact_robot, "series:order=4,steps=fixed", 0.2, -1), 2.56e-4, 0.02);
    near_to(run_integrator(pendulum, exact_pendulum, "series:order=6,steps=fixed", 0.05, -1), 2.21e-5, 0.02);
    /* with projection the error has the same size: the drift was not larger */
    assert_true(run_integrator(pendulum, exact_pendulum, "series:order=6,steps=fixed", 0.05, 1e-12) < 2 * 2.21e-5);
    /* steps by the tolerance of 1e-6 per step, about 50 of them */
    assert_true(run_integrator(pendulum, exact_pendulum, "series", 0, 0) < 5e-5);
}

/* ---- if the constraints are satisfied, all recursions give the same motion */

static double column_scale(const bench *b, bl_index i) { return b->sys->col[i].scale; }

/* S and r with |q_k|, |v_k| <= S r^-k */
static void majorant(const bench *b, int order, double *S, double *r) {
    double size[MOST] = {0};
    bl_index nv = b->sys->nv;
    for (int k = 0; k < order; k++)
        for (bl_index i = 0; i < nv; i++)
            size[k] = fmax(size[k], fmax(fabs(at(b->ex.q, nv, k, i)), fabs(at(b->ex.v, nv, k, i))) / column_scale(b, i));
    *S = fmax(size[0], 1e-3);
    *r = 1e3;
    for (int k = 1; k < order; k++)
        *r = fmin(*r, pow(*S / fmax(size[k], 1e-30), 1.0 / k));
}

static void agree(const char *scene, const char *kind, const char *other, double tolerance) {
    enum { ORDER = 12 };
    bench a, b;
    double S, r, largest = 0;
    set_up(&a, scene, kind, "index2", ORDER);
    set_up(&b, scene, kind, other, ORDER);
    /* q, v, work: partition has fewer of them in its own y */
    expand(&a, 0);
    expand(&b, 0);
    majorant(&b, ORDER, &S, &r);
    bl_index nv = a.sys->nv, np = a.sys->np;
    for (int k = 0; k <= ORDER; k++) {
        double bound = tolerance * S * pow(r, -k);
        for (bl_index i = 0; i < nv; i++) {
            double q = fabs(at(a.ex.q, nv, k, i) - at(b.ex.q, nv, k, i)) / column_scale(&a, i);
            double v = k < ORDER ? fabs(at(a.ex.v, nv, k, i) - at(b.ex.v, nv, k, i)) / column_scale(&a, i) : 0;
            if (!(q <= bound && v <= bound))
                fail_msg("%.60s in %s, %s: order %d of column %d differs by %g, %g of %g", scene, kind, other, k, (int)i, q, v, bound);
        }
        for (bl_index i = 0; i < np && k < ORDER; i++)
            largest = fmax(largest, fabs(at(a.ex.mu, np, k, i)) * a.sys->row[i].scale * pow(r, k) / S);
    }
    if (!(largest < tolerance))
        fail_msg("%.60s in %s: mu %g", scene, kind, largest);
    for (int k = 0; k <= ORDER - 2; k++)
        assert_true(fabs(a.ex.work[k] - b.ex.work[k]) <= tolerance * pow(r, -k) * 1e3);
    tear_down(&a);
    tear_down(&b);
}

/* a driven crank with a swinging rod and a damped spring */
static const char driven[] =
    "gravity: [0, -9.81, 0]\npoints: {A: [0, 0, 0], B: [0.4, 0, 0], C: [0.4, -0.7, 0.2]}\n"
    "bodies:\n  - {name: crank, rod: {from: A, to: B}, mass: 2}\n  - {name: rod, rod: {from: B, to: C}, mass: 1}\n"
    "joints:\n  - {name: j1, type: revolute, bodies: [ground, crank], at: A, axis: [0, 0, 1]}\n"
    "  - {name: j2, type: spherical, bodies: [crank, rod], at: B}\n"
    "drivers:\n  - {variable: j1.angle, value: =0.3*sin(4*t)+t^2/5}\n"
    "forces:\n  - {type: spring, bodies: [ground, rod], at: [1, -1, 0], to: C, stiffness: 30, damping: 3, length: 0.5}\n";

static void formulations_give_the_same_series(void **state) {
    (void)state;
    static const struct {
        const char *scene, *kind;
    } all[] = {{"two_link_robot", "equations"}, {pendulum, "equations"},       {"andrews_equations", "equations"},
               {"car_axis", "equations"},       {"bricard", "natural"},        {"bricard", "mixed"},
               {"flyball_governor", "natural"}, {"flyball_governor", "mixed"}, {"andrews", "mixed"},
               {"vehicle", "natural"},          {driven, "natural"},           {driven, "mixed"},
               {"slider_crank", "mixed"},       {"oscillator", "equations"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool free = strcmp(all[i].scene, "oscillator") == 0;
        agree(all[i].scene, all[i].kind, free ? "plain" : "lagrange", 1e-9);
        if (!free)
            agree(all[i].scene, all[i].kind, "partition", 1e-9);
    }
}

/* Off the constraints positions and velocities differ: forces must then read the velocities. The residual of the polynomials in q' = v -
 * G^T mu, M v' = Q - G^T lambda, evaluated by other code, decreases with the order. */
static double missed(bench *b, double s, double *rows) {
    const bl_system *sys = b->sys;
    bl_index nv = sys->nv, np = sys->np;
    int K = b->ex.order, last = b->ex.v_order;
    double *x = calloc((size_t)(5 * nv + np), sizeof *x), *q = x, *v = q + nv, *a = v + nv, *r = a + nv, *flow = r + nv, *gv = flow + nv;
    bl_eval e = {0};
    expect(b, bl_eval_create(sys, BL_ALL, &e));
    bl_expansion_at(sys, &b->ex, K, s, q, v, a, NULL, NULL, NULL);
    bl_eval_at(&e, &b->sim->state);
    e.t = b->ex.t + s;
    e.q = q;
    e.v = v;
    e.have = e.constant;
    expect(b, bl_system_eval(sys, &e, BL_PHI | BL_G | BL_M | BL_Q | BL_B));
    double worst = 0;
    for (bl_index j = 0; j < nv; j++) {
        for (int k = K; k > 0; k--)
            flow[j] = k * at(b->ex.q, nv, k, j) + s * flow[j];
        flow[j] -= v[j];
        r[j] -= e.Q[j];
        for (bl_index p = sys->pat_M.ptr[j]; p < sys->pat_M.ptr[j + 1]; p++)
            r[sys->pat_M.idx[p]] += e.M[p] * a[j];
        for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++) {
            r[j] += e.G[p] * polynomial(b->ex.lambda, np, sys->pat_G.idx[p], last - 1, s);
            flow[j] += e.G[p] * polynomial(b->ex.mu, np, sys->pat_G.idx[p], K - 1, s);
            gv[sys->pat_G.idx[p]] += e.G[p] * v[j];
        }
        worst = fmax(worst, fabs(flow[j]));
    }
    for (bl_index j = 0; j < nv; j++)
        worst = fmax(worst, fabs(r[j]));
    for (bl_index i = 0; i < np; i++) {
        rows[2 * i] = e.phi[i];
        rows[2 * i + 1] = gv[i] - e.b[i];
    }
    free(x);
    bl_eval_destroy(sys, &e);
    return worst;
}

static void forces_read_velocities_off_the_constraints(const char *scene, const char *kind) {
    bench b;
    set_up(&b, scene, kind, "index2", 12);
    bl_index nv = b.sys->nv, np = b.sys->np;
    for (bl_index i = 0; i < nv; i++) {
        b.y[i] += 1e-3 * sin(3.0 * (double)i);
        b.y[nv + i] += 1e-2 * cos(2.0 * (double)i);
    }
    expand(&b, 0);
    double largest = 0, *rows = calloc(4 * (size_t)np, sizeof *rows);
    for (bl_index i = 0; i < np; i++)
        largest = fmax(largest, fabs(b.ex.mu[i]));
    assert_true(largest > 1e-4);
    double at_start = missed(&b, 0, rows), s = 1e-4;
    while (missed(&b, s, rows + 2 * np) < 1e-5 && s < 0.1)
        s *= 1.2;
    double far = missed(&b, s, rows + 2 * np), half = missed(&b, s / 2, rows + 2 * np);
    if (!(at_start < 1e-9 && (half < far * 0x1p-9 || half < 1e-9)))
        fail_msg("%s misses %g, at %g s %g, at half of it %g", b.label, at_start, s, far, half);
    for (bl_index i = 0; i < 2 * np; i++) /* violations are propagated unchanged */
        if (!(fabs(rows[i] - rows[2 * np + i]) < 1e-7))
            fail_msg("%s: violation %d was %g, is %g", b.label, (int)i, rows[i], rows[2 * np + i]);
    free(rows);
    tear_down(&b);
}

static void violated_starts_meet_the_equations(void **state) {
    (void)state;
    static const char *const kinds[] = {"natural", "mixed"};
    for (int i = 0; i < 2; i++) {
        forces_read_velocities_off_the_constraints(driven, kinds[i]);
        forces_read_velocities_off_the_constraints("flyball_governor", kinds[i]);
    }
    forces_read_velocities_off_the_constraints("car_axis", "equations");
    forces_read_velocities_off_the_constraints("andrews", "mixed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robot__coefficients_are_those_of_sine_and_cosine),
        cmocka_unit_test(robot__order_three_is_as_printed),
        cmocka_unit_test(robot__one_expansion_to_a_quarter_of_pi),
        cmocka_unit_test(pendulum__coefficients_and_radius),
        cmocka_unit_test(violated_starts_expand_as_the_recursion_written_out_anew),
        cmocka_unit_test(mistakes_of_the_source_show),
        cmocka_unit_test(robot__many_steps_have_the_order),
        cmocka_unit_test(pendulum__many_steps_have_the_order),
        cmocka_unit_test(pendulum__constraints_drift_slowly),
        cmocka_unit_test(the_integrator_steps_as_the_recursion_does),
        cmocka_unit_test(formulations_give_the_same_series),
        cmocka_unit_test(violated_starts_meet_the_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
