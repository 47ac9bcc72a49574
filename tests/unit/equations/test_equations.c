/* Equations as a system: values against right-hand sides written by hand, what the system says of itself, names, rates, stops, known
 * solutions, memory. */
#include "equations/equations.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct setup {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_eval e;
} setup;

static void finish_opening(setup *s, bl_status status) {
    if (status != BL_OK)
        fail_msg("line %d: %s", bl_context_error(s->ctx)->line, bl_context_error(s->ctx)->what);
    assert_int_equal(bl_equations_build(s->ctx, s->model, &s->sys), BL_OK);
    assert_int_equal(bl_state_create(s->sys, 0, &s->state), BL_OK);
    assert_int_equal(bl_eval_create(s->sys, BL_ALL, &s->e), BL_OK);
    assert_int_equal(bl_equations_initial(s->sys, &s->state), BL_OK);
}

static void open_scene(setup *s, const char *scene) {
    char path[512];
    memset(s, 0, sizeof *s);
    s->ctx = test_context(NULL);
    snprintf(path, sizeof path, SCENES "/%s.yaml", scene);
    finish_opening(s, bl_model_read(s->ctx, path, NULL, 0, &s->model));
}

static void open_text(setup *s, const char *text) {
    memset(s, 0, sizeof *s);
    s->ctx = test_context(NULL);
    finish_opening(s, bl_model_read_text(s->ctx, "text.yaml", text, strlen(text), NULL, 0, &s->model));
}

static void close_setup(setup *s) {
    bl_eval_destroy(s->sys, &s->e);
    bl_state_destroy(s->sys, &s->state);
    bl_system_destroy(s->sys);
    bl_model_destroy(s->model);
    test_context_end(s->ctx);
}

static void shake(setup *s, test_random *random) {
    *s->state.t = test_random_unit(random);
    for (bl_index j = 0; j < s->sys->nv; j++) {
        s->state.q[j] += 0.1 * test_random_symmetric(random);
        s->state.v[j] += test_random_symmetric(random);
    }
    for (bl_index j = 0; j < s->sys->nz; j++)
        s->state.z[j] += 0.1 * test_random_symmetric(random);
}

static void evaluate(setup *s, uint32_t want) {
    bl_eval_at(&s->e, &s->state);
    assert_int_equal(bl_system_eval(s->sys, &s->e, want), BL_OK);
}

static void expect_near(const char *what, bl_index n, const double *found, const double *wanted) {
    double size = 1e-300;
    for (bl_index i = 0; i < n; i++)
        size = fmax(size, fabs(wanted[i]));
    for (bl_index i = 0; i < n; i++)
        if (!(fabs(found[i] - wanted[i]) <= 1e-13 * size))
            fail_msg("%s, component %d: %.17g, by hand %.17g", what, (int)i, found[i], wanted[i]);
}

/* entry (i, j) of a matrix */
static double entry(const bl_pattern *p, const double *value, bl_index i, bl_index j) {
    for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++)
        if (p->idx[k] == i)
            return value[k];
    return 0;
}

/* ---- by hand, from the test set's formulas */

static void chemistry__is_as_written_by_hand(void **state) {
    (void)state;
    test_random random = {test_seed(1)};
    setup s;
    open_scene(&s, "hires");
    shake(&s, &random);
    evaluate(&s, BL_F);
    const double *y = s.state.z;
    double f[8] = {-1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007,
                   1.71 * y[0] - 8.75 * y[1],
                   -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4],
                   8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3],
                   -1.745 * y[4] + 0.43 * (y[5] + y[6]),
                   -280 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6],
                   280 * y[5] * y[7] - 1.81 * y[6],
                   -280 * y[5] * y[7] + 1.81 * y[6]};
    expect_near("hires", 8, s.e.f, f);
    close_setup(&s);
    open_scene(&s, "robertson");
    shake(&s, &random);
    evaluate(&s, BL_F);
    y = s.state.z;
    double g[3] = {-0.04 * y[0] + 1e4 * y[1] * y[2], 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] * y[1], 3e7 * y[1] * y[1]};
    expect_near("robertson", 3, s.e.f, g);
    close_setup(&s);
}

static void stars__are_as_written_by_hand(void **state) {
    (void)state;
    test_random random = {test_seed(2)};
    setup s;
    open_scene(&s, "pleiades");
    static const double x0[] = {3, 3, -1, -3, 2, -2, 2}, y0[] = {3, -3, 2, 0, 0, -4, 4};
    expect_near("start x", 7, s.state.q, x0);
    expect_near("start y", 7, s.state.q + 7, y0);
    assert_true(s.state.v[5] == 1.75 && s.state.v[6] == -1.5 && s.state.v[7 + 3] == -1.25 && s.state.v[7 + 4] == 1);
    shake(&s, &random);
    evaluate(&s, BL_Q);
    double Q[14] = {0};
    const double *x = s.state.q, *y = x + 7;
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++)
            if (i != j) {
                double r = hypot(x[j] - x[i], y[j] - y[i]);
                Q[i] += (j + 1) * (x[j] - x[i]) / (r * r * r);
                Q[7 + i] += (j + 1) * (y[j] - y[i]) / (r * r * r);
            }
    expect_near("pleiades", 14, s.e.Q, Q);
    close_setup(&s);
}

/* the beam's C, D and v as matrices */
enum { N = 40 };
static void beam_matrices(double t, const double *th, double C[N][N], double D[N][N], double v[N]) {
    double phi = t <= acos(-1) ? 1.5 * sin(t) * sin(t) : 0, Fx = -phi, Fy = phi;
    memset(C, 0, N * sizeof *C);
    memset(D, 0, N * sizeof *D);
    for (int l = 0; l < N; l++) {
        double before = l > 0 ? th[l - 1] : -th[0], after = l + 1 < N ? th[l + 1] : th[N - 1];
        C[l][l] = l == 0 ? 1 : l == N - 1 ? 3 : 2;
        if (l > 0) {
            C[l][l - 1] = -cos(th[l] - th[l - 1]);
            D[l][l - 1] = -sin(th[l] - th[l - 1]);
        }
        if (l + 1 < N) {
            C[l][l + 1] = -cos(th[l + 1] - th[l]);
            D[l][l + 1] = sin(th[l + 1] - th[l]);
        }
        v[l] = pow(N, 4) * (before - 2 * th[l] + after) + N * N * (cos(th[l]) * Fy - sin(th[l]) * Fx);
    }
}

static void beam__is_as_written_by_hand(void **state) {
    (void)state;
    static double C[N][N], D[N][N], v[N], Q[N], f[N];
    test_random random = {test_seed(3)};
    setup s, ode;
    open_scene(&s, "beam");
    for (int later = 0; later < 2; later++) {
        shake(&s, &random);
        *s.state.t = later ? 4 : 1;
        evaluate(&s, BL_Q | BL_F);
        const double *w = s.state.z;
        beam_matrices(*s.state.t, s.state.q, C, D, v);
        memset(Q, 0, sizeof Q);
        memset(f, 0, sizeof f);
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                Q[i] += C[i][j] * v[j] + D[i][j] * w[j];
                f[i] += C[i][j] * w[j] - D[i][j] * v[j];
            }
            f[i] -= s.state.v[i] * s.state.v[i];
        }
        expect_near("beam, accelerations", N, s.e.Q, Q);
        expect_near("beam, algebraic equations", N, s.e.f, f);
    }
    /* with the w that solves C w = D v + th'^2 both files have the same accelerations */
    static double A[N][N], b[N];
    memcpy(A, C, sizeof A);
    for (int i = 0; i < N; i++) {
        b[i] = s.state.v[i] * s.state.v[i];
        for (int j = 0; j < N; j++)
            b[i] += D[i][j] * v[j];
    }
    for (int k = 0; k < N; k++)
        for (int i = k + 1; i < N; i++) {
            double factor = A[i][k] / A[k][k];
            for (int j = k; j < N; j++)
                A[i][j] -= factor * A[k][j];
            b[i] -= factor * b[k];
        }
    for (int i = N - 1; i >= 0; i--) {
        for (int j = i + 1; j < N; j++)
            b[i] -= A[i][j] * b[j];
        b[i] /= A[i][i];
    }
    for (int i = 0; i < N; i++) {
        Q[i] = 0;
        for (int j = 0; j < N; j++)
            Q[i] += C[i][j] * v[j] + D[i][j] * b[j];
    }
    open_scene(&ode, "beam_ode");
    memcpy(ode.state.q, s.state.q, N * sizeof(double));
    memcpy(ode.state.v, s.state.v, N * sizeof(double));
    *ode.state.t = *s.state.t;
    evaluate(&ode, BL_Q);
    expect_near("beam without w", N, ode.e.Q, Q);
    close_setup(&ode);
    close_setup(&s);
}

static void car_axis__is_as_written_by_hand(void **state) {
    (void)state;
    test_random random = {test_seed(4)};
    setup s;
    open_scene(&s, "car_axis");
    shake(&s, &random);
    evaluate(&s, BL_M | BL_Q | BL_PHI | BL_G);
    double t = *s.state.t, k = 10 * 0.01 * 0.01 / 2, yb = 0.1 * sin(10 * t), xb = sqrt(1 - yb * yb);
    const double *q = s.state.q;
    double xl = q[0], yl = q[1], xr = q[2], yr = q[3], Ll = hypot(xl, yl), Lr = hypot(xr - xb, yr - yb);
    double Q[4] = {(0.5 - Ll) * xl / Ll, (0.5 - Ll) * yl / Ll - k, (0.5 - Lr) * (xr - xb) / Lr, (0.5 - Lr) * (yr - yb) / Lr - k};
    double phi[2] = {xl * xb + yl * yb, (xl - xr) * (xl - xr) + (yl - yr) * (yl - yr) - 1};
    double G[2][4] = {{xb, yb, 0, 0}, {2 * (xl - xr), 2 * (yl - yr), -2 * (xl - xr), -2 * (yl - yr)}};
    expect_near("forces", 4, s.e.Q, Q);
    expect_near("constraints", 2, s.e.phi, phi);
    for (int j = 0; j < 4; j++) {
        assert_true(fabs(entry(&s.sys->pat_M, s.e.M, j, j) - k) < 1e-17);
        for (int i = 0; i < 2; i++)
            assert_true(fabs(entry(&s.sys->pat_G, s.e.G, i, j) - G[i][j]) < 1e-14);
    }
    close_setup(&s);
}

static void points_on_a_sphere__are_as_written_by_hand(void **state) {
    (void)state;
    test_random random = {test_seed(5)};
    setup s;
    open_scene(&s, "fekete");
    double pi = acos(-1);
    for (int i = 1; i <= 20; i++) { /* the start, as the test set gives it */
        double a = i <= 3    ? 2 * pi * i / 3 + pi / 13
                   : i <= 10 ? 2 * pi * (i - 3) / 7 + pi / 29
                   : i <= 16 ? 2 * pi * (i - 10) / 6 + pi / 7
                             : 2 * pi * (i - 17) / 4 + pi / 17;
        double b = i <= 3 ? 3 * pi / 8 : i <= 10 ? pi / 8 : i <= 16 ? -2 * pi / 15 : -3 * pi / 10;
        assert_true(fabs(s.state.q[i - 1] - cos(a) * cos(b)) < 1e-15);
        assert_true(fabs(s.state.q[19 + i] - sin(a) * cos(b)) < 1e-15);
        assert_true(fabs(s.state.q[39 + i] - sin(b)) < 1e-15);
    }
    shake(&s, &random);
    evaluate(&s, BL_Q | BL_PHI);
    double Q[60], phi[20];
    for (int i = 0; i < 20; i++) {
        phi[i] = -1;
        for (int k = 0; k < 3; k++) {
            double p = s.state.q[20 * k + i];
            phi[i] += p * p;
            Q[20 * k + i] = -0.5 * s.state.v[20 * k + i];
            for (int j = 0; j < 20; j++) {
                double square = 0;
                for (int c = 0; c < 3; c++)
                    square += pow(s.state.q[20 * c + i] - s.state.q[20 * c + j], 2);
                Q[20 * k + i] += j == i ? 0 : (p - s.state.q[20 * k + j]) / square;
            }
        }
    }
    expect_near("forces", 60, s.e.Q, Q);
    expect_near("constraints", 20, s.e.phi, phi);
    close_setup(&s);
}

/* the multipliers of the test set at its start balance the equations: M q'' + G^T lambda = f with its q'' and lambda */
static void andrews__balances_with_the_published_start(void **state) {
    (void)state;
    static const double a[7] = {14222.4439199541138705911625887, -10666.8329399655854029433719415, 0, 0, 0, 0, 0};
    static const double lambda[6] = {98.5668703962410896057654982170, -6.12268834425566265503114393122, 0, 0, 0, 0};
    setup s;
    open_scene(&s, "andrews_equations");
    evaluate(&s, BL_M | BL_Q | BL_G | BL_PHI | BL_C);
    double r[7] = {0}, c[6] = {0};
    bl_csc_multiply(&s.sys->pat_M, s.e.M, a, r);
    bl_csc_multiply_transposed(&s.sys->pat_G, s.e.G, lambda, r);
    for (int i = 0; i < 7; i++)
        assert_true(fabs(r[i] - s.e.Q[i]) < 1e-13);
    bl_csc_multiply(&s.sys->pat_G, s.e.G, a, c);
    for (int i = 0; i < 6; i++) {
        assert_true(fabs(s.e.phi[i]) < 1e-15);
        assert_true(fabs(c[i] - s.e.c[i]) < 1e-11);
    }
    close_setup(&s);
}

/* ---- what the system says of itself */

static void facts__are_those_of_the_equations(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t facts;
    } cases[] = {
        {"- {name: y, start: 0, rate: =-y}", BL_M_CONST | BL_CK_CONST | BL_SMOOTH | BL_IDENTITY | BL_A_IDENTITY},
        {"- {name: y, start: 0, rate: =-y + sin(t)}", BL_M_CONST | BL_CK_CONST | BL_SMOOTH | BL_IDENTITY | BL_A_IDENTITY | BL_Q_OF_T},
        {"- {name: y, start: 0, rate: =-t*y}", BL_M_CONST | BL_SMOOTH | BL_IDENTITY | BL_A_IDENTITY | BL_Q_OF_T},
        {"- {name: y, start: 0, rate: =-y + step(t - 1)}", BL_M_CONST | BL_CK_CONST | BL_SMOOTH | BL_IDENTITY | BL_A_IDENTITY | BL_Q_OF_T},
        {"- {name: y, start: 0, rate: =-sign(y)}", BL_M_CONST | BL_SMOOTH | BL_IDENTITY | BL_A_IDENTITY},
        {"- {name: y, start: 0, rate: =-y^2}", BL_M_CONST | BL_SMOOTH | BL_IDENTITY | BL_A_IDENTITY},
        {"- {name: x, start: 0, acceleration: =-x - x_rate}", BL_M_CONST | BL_CK_CONST | BL_SMOOTH | BL_IDENTITY | BL_Q_OF_V},
        {"- {name: x, start: 0, mass: 2, force: =-x}", BL_M_CONST | BL_CK_CONST | BL_SMOOTH},
        {"- {name: x, start: 0, mass: =2 + x, force: =-x}", BL_CK_CONST | BL_SMOOTH},
        {"- {name: y, start: 0, rate: =-y}\n    - {name: x, start: 0, mass: 2, force: =-x}",
         BL_M_CONST | BL_CK_CONST | BL_SMOOTH | BL_A_IDENTITY},
        {"- {name: y, start: 0, order: 1, mass: 2, force: =-y}", BL_M_CONST | BL_CK_CONST | BL_SMOOTH},
        {"- {name: y, start: 0, rate: =w}\n    - {name: w, algebraic: =w + y}", BL_M_CONST | BL_CK_CONST | BL_SMOOTH},
        {"- {name: x, start: 0, acceleration: 0}\n  constraints: [{value: =x}]", BL_M_CONST | BL_CK_CONST | BL_SMOOTH | BL_IDENTITY},
        {"- {name: x, start: 0, acceleration: 0}\n  constraints: [{value: =x - t}]",
         BL_M_CONST | BL_CK_CONST | BL_SMOOTH | BL_IDENTITY | BL_RHEONOMIC},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[512];
        setup s;
        snprintf(text, sizeof text, "equations:\n  states:\n    %s\n", cases[k].text);
        open_text(&s, text);
        if (s.sys->facts != (cases[k].facts | BL_FLAT))
            fail_msg("%s: facts %x, wanted %x", cases[k].text, s.sys->facts, cases[k].facts | BL_FLAT);
        close_setup(&s);
    }
}

static void patterns__hold_what_the_structure_has_and_no_more(void **state) {
    (void)state;
    setup s;
    open_scene(&s, "beam");
    bl_index n = 2 * N;
    assert_int_equal(s.sys->nv, N);
    assert_int_equal(s.sys->nz, N);
    /* th'': five diagonals of th, two of w; algebraic rows: five of th at most, three of w */
    assert_true(s.sys->pat_K.ptr[n] <= 15 * N);
    assert_int_equal(s.sys->pat_C.ptr[n], N); /* th'^2 in the algebraic rows; A is empty */
    close_setup(&s);
    open_scene(&s, "andrews_equations");
    assert_int_equal(s.sys->pat_M.ptr[7], 7 + 2 * 3);
    assert_int_equal(s.sys->pat_G.ptr[7], 2 * 3 + 4 * 4);
    close_setup(&s);
}

static void first_order_masses__sit_in_the_matrix_C_from_the_beginning(void **state) {
    (void)state;
    setup s;
    open_text(&s, "equations:\n  states:\n"
                  "    - {name: x, start: 1, acceleration: =-3*x_rate + y}\n"
                  "    - {name: y, start: 2, order: 1, mass: 4, force: =-5*x_rate - y}\n"
                  "    - {name: z, start: 3, order: 1, mass: 2, force: =y}\n    - {name: w, start: 7, algebraic: =w - z}\n"
                  "  mass: [{row: y, column: z, value: 1}]\n");
    const bl_pattern *C = &s.sys->pat_C;
    assert_int_equal(s.sys->nv, 1);
    assert_int_equal(s.sys->nz, 3);
    assert_true(entry(C, s.e.C, 1, 1) == 4 && entry(C, s.e.C, 2, 2) == 2 && entry(C, s.e.C, 1, 2) == 1);
    assert_true(entry(C, s.e.C, 2, 1) == 0 && entry(C, s.e.C, 3, 3) == 0); /* first-order entries are not mirrored */
    evaluate(&s, BL_KC);
    assert_true(entry(C, s.e.C, 0, 0) == 3 && entry(C, s.e.C, 1, 0) == 5);
    assert_true(entry(&s.sys->pat_K, s.e.K, 0, 1) == -1 && entry(&s.sys->pat_K, s.e.K, 3, 3) == -1 &&
                entry(&s.sys->pat_K, s.e.K, 3, 2) == 1);
    assert_int_equal(s.sys->col[0].order, 2);
    assert_int_equal(s.sys->col[1].order, 1);
    assert_int_equal(s.sys->col[3].order, 0);
    close_setup(&s);
    /* a mass of zero says the same as `algebraic` */
    open_text(&s, "equations:\n  states: [{name: y, start: 1, order: 1, mass: 0, force: =y - t}, {name: z, start: 1, rate: =y}]\n");
    assert_int_equal(s.sys->col[0].order, 0);
    assert_int_equal(s.sys->col[1].order, 1);
    close_setup(&s);
}

static void variables__come_with_rates(void **state) {
    (void)state;
    setup s;
    open_text(&s, "equations:\n  states:\n    - {name: y, start: 2, order: 1, mass: 4, force: =-y}\n"
                  "    - {name: x, start: 1, rate_start: 5, acceleration: 0}\n    - {name: w, algebraic: =w - y}\n");
    evaluate(&s, BL_VARIABLES);
    assert_true(s.e.variable[0] == 2 && s.e.variable_rate[0] == -0.5);
    assert_true(s.e.variable[1] == 1 && s.e.variable_rate[1] == 5);
    assert_true(s.e.variable[2] == 0 && isnan(s.e.variable_rate[2])); /* nothing tells it */
    close_setup(&s);
    /* coupled: [4 1; 2 3] z' = (-2, 4) */
    open_text(&s, "equations:\n  states:\n    - {name: y, start: 2, order: 1, mass: 4, force: =-y}\n"
                  "    - {name: z, start: 4, order: 1, mass: 3, force: =z}\n"
                  "  mass: [{row: y, column: z, value: 1}, {row: z, column: y, value: 2}]\n");
    evaluate(&s, BL_VARIABLES);
    assert_true(fabs(s.e.variable_rate[0] + 1) < 1e-15 && fabs(s.e.variable_rate[1] - 2) < 1e-15);
    close_setup(&s);
}

static void names__are_those_of_the_file(void **state) {
    (void)state;
    setup s;
    char name[64], equation[64];
    open_scene(&s, "fekete");
    bl_system_col_name(s.sys, 20, name, sizeof name);
    assert_string_equal(name, "y[1]");
    bl_system_row_name(s.sys, 4, name, sizeof name, equation, sizeof equation);
    assert_string_equal(name, "constraint 'sphere[5]'");
    assert_string_equal(equation, "x[i]^2 + y[i]^2 + z[i]^2 - 1 = 0");
    assert_true(fabs(s.sys->row[0].scale - 2 * fabs(sin(3 * acos(-1) / 8))) < 1e-14); /* the largest of 2 p */
    close_setup(&s);
}

static void stops__see_states_rates_and_expressions(void **state) {
    (void)state;
    setup s;
    open_text(&s, "parameters: {limit: 2}\nequations:\n  states: [{name: u, count: 2, start: [3, 5], rate_start: 7, acceleration: 0}]\n"
                  "  expressions: {total: \"=u[1] + u[2]\"}\n"
                  "simulate: {until: 1, stop: [\"u[2] - limit\", \"u_rate[1] + u.rate[2]\", =total*t, \"sum(j, 1, 2, u[j]) - 1\"]}\n");
    *s.state.t = 10;
    evaluate(&s, BL_EVENTS);
    assert_int_equal(s.sys->nevent, 4);
    assert_true(s.e.event[0] == 3 && s.e.event[1] == 14 && s.e.event[2] == 80 && s.e.event[3] == 7);
    close_setup(&s);
}

static void known_solutions__obey_their_equations(void **state) {
    (void)state;
    static const char *const scenes[] = {"extended_1", "extended_2", "extended_3", "oscillator"};
    for (int k = 0; k < 4; k++) {
        setup s;
        open_scene(&s, scenes[k]);
        assert_non_null(s.sys->kind->exact);
        double q[4], v[4], z[4], q1[4], v1[4], z1[4], q0[4], v0[4], z0[4], h = 1e-5, t = 0.3;
        assert_int_equal(s.sys->kind->exact(s.sys, 0, q, v, z), BL_OK);
        for (bl_index j = 0; j < s.sys->nv; j++)
            assert_true(q[j] == s.state.q[j] && v[j] == s.state.v[j]);
        for (bl_index j = 0; j < s.sys->nz; j++)
            assert_true(fabs(z[j] - s.state.z[j]) < 1e-16);
        assert_int_equal(s.sys->kind->exact(s.sys, t, s.state.q, s.state.v, s.state.z), BL_OK);
        assert_int_equal(s.sys->kind->exact(s.sys, t + h, q1, v1, z1), BL_OK);
        assert_int_equal(s.sys->kind->exact(s.sys, t - h, q0, v0, z0), BL_OK);
        *s.state.t = t;
        evaluate(&s, BL_Q | BL_F);
        for (bl_index j = 0; j < s.sys->nv; j++) {
            assert_true(fabs((q1[j] - q0[j]) / (2 * h) - s.state.v[j]) < 1e-8);
            assert_true(fabs((v1[j] - v0[j]) / (2 * h) - s.e.Q[j]) < 1e-8);
        }
        for (bl_index j = 0; j < s.sys->nz; j++) /* third derivatives up to 20^3 */
            assert_true(fabs((z1[j] - z0[j]) / (2 * h) - s.e.f[j]) < 1e-6);
        close_setup(&s);
    }
    setup s;
    open_scene(&s, "hires");
    assert_null(s.sys->kind->exact);
    close_setup(&s);
}

/* ---- what goes wrong */

static void sides_that_are_no_numbers__are_blamed_by_name(void **state) {
    (void)state;
    setup s;
    open_text(&s, "equations:\n  states:\n    - {name: x, start: 1, acceleration: 1}\n    - {name: root, start: 1, rate: =sqrt(root)}\n");
    s.state.z[0] = -1;
    bl_eval_at(&s.e, &s.state);
    assert_int_equal(bl_system_eval(s.sys, &s.e, BL_Q | BL_F), BL_NOT_FINITE);
    assert_string_equal(bl_context_error(s.ctx)->part, "root");
    assert_non_null(strstr(bl_context_error(s.ctx)->what, "not a number"));
    close_setup(&s);
}

/* derivatives at corners where a factor is infinite and the other zero */
static void corners__have_finite_derivatives(void **state) {
    (void)state;
    setup s;
    open_text(&s, "equations:\n  states:\n"
                  "    - {name: x, start: 0, rate_start: 0, acceleration: \"=-sqrt(x_rate^2 + y_rate^2)*x_rate\"}\n"
                  "    - {name: y, start: 0, rate_start: 0, acceleration: \"=y > 0 ? sqrt(y) : 0\"}\n"
                  "    - {name: z, start: 0, rate: \"=abs(z)*z^1.5 + max(z, x)\"}\n");
    evaluate(&s, BL_KC);
    for (bl_index k = 0; k < s.sys->pat_C.ptr[3]; k++)
        assert_true(isfinite(s.e.C[k]));
    for (bl_index k = 0; k < s.sys->pat_K.ptr[3]; k++)
        assert_true(isfinite(s.e.K[k]));
    close_setup(&s);
}

static bl_status build_and_look(bl_context *ctx, void *user) {
    bl_model *model = NULL;
    bl_system *sys = NULL;
    bl_eval e = {0};
    bl_state state = {0};
    char path[512];
    snprintf(path, sizeof path, SCENES "/%s.yaml", (const char *)user);
    bl_status status = bl_model_read(ctx, path, NULL, 0, &model);
    if (status == BL_OK)
        status = bl_equations_build(ctx, model, &sys);
    if (status == BL_OK)
        status = bl_state_create(sys, 0, &state);
    if (status == BL_OK)
        status = bl_eval_create(sys, BL_ALL, &e);
    if (status == BL_OK)
        status = bl_equations_initial(sys, &state);
    if (status == BL_OK) {
        bl_eval_at(&e, &state);
        status = bl_system_eval(sys, &e, BL_M | BL_Q | BL_F | BL_PHI | BL_G | BL_B | BL_C | BL_KC | BL_GTL_X | BL_GV_X | BL_VARIABLES);
    }
    if (status == BL_OK && sys->kind->exact)
        status = sys->kind->exact(sys, 1, state.q, state.v, state.z);
    if (sys) {
        bl_eval_destroy(sys, &e);
        bl_state_destroy(sys, &state);
    }
    bl_system_destroy(sys);
    bl_model_destroy(model);
    return status;
}

static void building__survives_failing_memory(void **state) {
    (void)state;
    static const char *const scenes[] = {"car_axis", "extended_2", "andrews_equations"};
    for (int k = 0; k < 3; k++)
        print_message("%s: %ld allocations\n", scenes[k], test_failing_allocations(build_and_look, (void *)(uintptr_t)scenes[k]));
}

static void evaluation__allocates_nothing(void **state) {
    (void)state;
    test_allocator allocator = {0};
    bl_context *ctx = test_context(&allocator);
    bl_model *model;
    bl_system *sys;
    bl_eval e = {0};
    bl_state at;
    assert_int_equal(bl_model_read(ctx, SCENES "/andrews_equations.yaml", NULL, 0, &model), BL_OK);
    assert_int_equal(bl_equations_build(ctx, model, &sys), BL_OK);
    assert_int_equal(bl_state_create(sys, 0, &at), BL_OK);
    assert_int_equal(bl_eval_create(sys, BL_ALL, &e), BL_OK);
    assert_int_equal(bl_equations_initial(sys, &at), BL_OK);
    long calls = allocator.calls;
    for (int k = 0; k < 10; k++) {
        at.q[0] += 0.01;
        bl_eval_at(&e, &at);
        e.a = at.v;
        assert_int_equal(bl_system_eval(sys, &e, BL_M | BL_Q | BL_PHI | BL_G | BL_B | BL_C | BL_KC | BL_MA_X | BL_GTL_X | BL_GV_X), BL_OK);
    }
    assert_int_equal(allocator.calls, calls);
    bl_eval_destroy(sys, &e);
    bl_state_destroy(sys, &at);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chemistry__is_as_written_by_hand),
        cmocka_unit_test(stars__are_as_written_by_hand),
        cmocka_unit_test(beam__is_as_written_by_hand),
        cmocka_unit_test(car_axis__is_as_written_by_hand),
        cmocka_unit_test(points_on_a_sphere__are_as_written_by_hand),
        cmocka_unit_test(andrews__balances_with_the_published_start),
        cmocka_unit_test(facts__are_those_of_the_equations),
        cmocka_unit_test(patterns__hold_what_the_structure_has_and_no_more),
        cmocka_unit_test(first_order_masses__sit_in_the_matrix_C_from_the_beginning),
        cmocka_unit_test(variables__come_with_rates),
        cmocka_unit_test(names__are_those_of_the_file),
        cmocka_unit_test(stops__see_states_rates_and_expressions),
        cmocka_unit_test(known_solutions__obey_their_equations),
        cmocka_unit_test(sides_that_are_no_numbers__are_blamed_by_name),
        cmocka_unit_test(corners__have_finite_derivatives),
        cmocka_unit_test(building__survives_failing_memory),
        cmocka_unit_test(evaluation__allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
