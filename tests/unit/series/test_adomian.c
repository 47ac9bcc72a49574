/* Adomian polynomials against the classical formulas in derivatives of N, the recurrences for one and for several unknowns, and the
 * property that A_k is affine in u_k. */
#include "support/testing.h"

#include "biela/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { K = 12, SIZE = K + 1 };

/* ---- nonlinearities with all their derivatives: d[m] = N^(m)(u) */

typedef void derivatives(double u, double d[SIZE]);

static void of_sine(double u, double d[SIZE]) {
    for (int m = 0; m <= K; m++)
        d[m] = m % 4 == 0 ? sin(u) : m % 4 == 1 ? cos(u) : m % 4 == 2 ? -sin(u) : -cos(u);
}

static void of_exponential(double u, double d[SIZE]) {
    for (int m = 0; m <= K; m++)
        d[m] = exp(u);
}

static void of_power(double u, double p, double d[SIZE]) {
    double factor = 1;
    for (int m = 0; m <= K; m++) {
        d[m] = factor == 0 ? 0 : factor * pow(u, p - m);
        factor *= p - m;
    }
}

static void of_square(double u, double d[SIZE]) { of_power(u, 2, d); }
static void of_cube(double u, double d[SIZE]) { of_power(u, 3, d); }
static void of_reciprocal(double u, double d[SIZE]) { of_power(u, -1, d); }
static void of_root(double u, double d[SIZE]) { of_power(u, 0.5, d); }

static const struct {
    const char *text;
    derivatives *of;
} nonlinear[] = {{"sin(u)", of_sine},  {"exp(u)", of_exponential}, {"u^2", of_square},        {"u*u", of_square},
                 {"u^3", of_cube},     {"u*u*u", of_cube},         {"1/u", of_reciprocal},    {"u^-1", of_reciprocal},
                 {"sqrt(u)", of_root}, {"u^0.5", of_root},         {"2*u^2 - u*u", of_square}};
enum { NONLINEAR = sizeof nonlinear / sizeof *nonlinear };

static const char *const u_only[] = {"u"};

static void random_series(test_random *random, double *u) {
    u[0] = 0.5 + test_random_unit(random);
    for (int k = 1; k <= K; k++)
        u[k] = test_random_symmetric(random) * pow(0.7, k);
}

static void assert_near(const char *text, int k, double found, double expected, double size) {
    if (!(fabs(found - expected) <= 1e-13 * size))
        fail_msg("%s: A_%d is %.17g, expected %.17g (terms of size %.3g)", text, k, found, expected, size);
}

static void classical_formulas__hold_to_fourth_order(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(51)};
    for (int trial = 0; trial < 10 * NONLINEAR; trial++) {
        const char *text = nonlinear[trial % NONLINEAR].text;
        double u[SIZE], d[SIZE], A[5];
        random_series(&random, u);
        nonlinear[trial % NONLINEAR].of(u[0], d);
        assert_int_equal(bl_adomian(ctx, text, u_only, 1, 4, u, A), BL_OK);
        const double terms[5][5] = {
            {d[0]},
            {u[1] * d[1]},
            {u[2] * d[1], u[1] * u[1] / 2 * d[2]},
            {u[3] * d[1], u[1] * u[2] * d[2], u[1] * u[1] * u[1] / 6 * d[3]},
            {u[4] * d[1], u[1] * u[3] * d[2], u[2] * u[2] / 2 * d[2], u[1] * u[1] * u[2] / 2 * d[3], pow(u[1], 4) / 24 * d[4]}};
        for (int k = 0; k <= 4; k++) {
            double sum = 0, size = 0;
            for (int i = 0; i < 5; i++) {
                sum += terms[k][i];
                size += fabs(terms[k][i]);
            }
            assert_near(text, k, A[k], sum, size);
        }
    }
    test_context_end(ctx);
}

/* A_n = sum_m C(n, m) N^(m)(u_0), n C(n, m) = sum_{j=1..n-m+1} j u_j C(n-j, m-1): n A_n = sum j u_j dA_{n-j}/du_0 applied term by term
 * (Duan 2010), since d/du_0 turns N^(m) into N^(m+1) */
static void recurrence_of_the_coefficients__holds(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(52)};
    for (int trial = 0; trial < 10 * NONLINEAR; trial++) {
        const char *text = nonlinear[trial % NONLINEAR].text;
        double u[SIZE], d[SIZE], A[SIZE], C[SIZE][SIZE] = {{1}}, size[SIZE][SIZE] = {{1}};
        random_series(&random, u);
        nonlinear[trial % NONLINEAR].of(u[0], d);
        assert_int_equal(bl_adomian(ctx, text, u_only, 1, K, u, A), BL_OK);
        assert_near(text, 0, A[0], d[0], fabs(d[0]));
        for (int n = 1; n <= K; n++) {
            double sum = 0, total = 0;
            for (int m = 1; m <= n; m++) {
                for (int j = 1; j <= n - m + 1; j++) {
                    C[n][m] += j * u[j] * C[n - j][m - 1] / n;
                    size[n][m] += j * fabs(u[j]) * size[n - j][m - 1] / n;
                }
                sum += C[n][m] * d[m];
                total += size[n][m] * fabs(d[m]);
            }
            assert_near(text, n, A[n], sum, total);
        }
    }
    test_context_end(ctx);
}

/* ---- two unknowns */

/* n A_n = sum_{i=1..n} i (u_i dA_{n-i}/du_0 + v_i dA_{n-i}/dv_0), A_0 = N(u_0, v_0). The polynomials are kept as tables over derivatives
 * of N: coefficient [p][q] belongs to d^{p+q} N / du^p dv^q. */
static void recurrence_of_two_unknowns(int n_most, const double *u, const double *v, double (*d)(int p, int q, double u0, double v0),
                                       double *A, double *size) {
    static double C[SIZE][SIZE][SIZE], S[SIZE][SIZE][SIZE];
    memset(C, 0, sizeof C);
    memset(S, 0, sizeof S);
    C[0][0][0] = S[0][0][0] = 1;
    for (int n = 0; n <= n_most; n++) {
        A[n] = size[n] = 0;
        for (int p = 0; p <= n; p++)
            for (int q = 0; p + q <= n; q++) {
                for (int i = 1; i <= n; i++) {
                    if (p > 0) {
                        C[n][p][q] += i * u[i] * C[n - i][p - 1][q] / n;
                        S[n][p][q] += i * fabs(u[i]) * S[n - i][p - 1][q] / n;
                    }
                    if (q > 0) {
                        C[n][p][q] += i * v[i] * C[n - i][p][q - 1] / n;
                        S[n][p][q] += i * fabs(v[i]) * S[n - i][p][q - 1] / n;
                    }
                }
                A[n] += C[n][p][q] * d(p, q, u[0], v[0]);
                size[n] += S[n][p][q] * fabs(d(p, q, u[0], v[0]));
            }
    }
}

static double d_product(int p, int q, double u, double v) { return (p == 0 ? u : p == 1) * (q == 0 ? v : q == 1); }

static double d_product_of_functions(int p, int q, double u, double v) { /* sin(u) exp(-2 v) */
    return (p % 4 == 0 ? sin(u) : p % 4 == 1 ? cos(u) : p % 4 == 2 ? -sin(u) : -cos(u)) * pow(-2, q) * exp(-2 * v);
}

static double d_cosine_of_sum(int p, int q, double u, double v) { /* of the two-link robot */
    int m = (p + q) % 4;
    return m == 0 ? cos(u + v) : m == 1 ? -sin(u + v) : m == 2 ? -cos(u + v) : sin(u + v);
}

static double d_quotient(int p, int q, double u, double v) { /* u / v */
    return (p == 0 ? u : p == 1) * (q % 2 ? -1 : 1) * tgamma(q + 1) / pow(v, q + 1);
}

static void recurrence_of_several_unknowns__holds(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(53)};
    static const char *const names[] = {"u", "v"};
    static const struct {
        const char *text;
        double (*d)(int p, int q, double u, double v);
    } cases[] = {{"u*v", d_product}, {"sin(u)*exp(-2*v)", d_product_of_functions}, {"cos(u + v)", d_cosine_of_sum}, {"u/v", d_quotient}};
    for (int trial = 0; trial < 40; trial++) {
        double w[2 * SIZE], A[SIZE], expected[SIZE], size[SIZE];
        random_series(&random, w);
        random_series(&random, w + SIZE);
        assert_int_equal(bl_adomian(ctx, cases[trial % 4].text, names, 2, K, w, A), BL_OK);
        recurrence_of_two_unknowns(K, w, w + SIZE, cases[trial % 4].d, expected, size);
        for (int k = 0; k <= K; k++)
            assert_near(cases[trial % 4].text, k, A[k], expected[k], size[k]);
        /* the printed A_3 of two unknowns */
        const double *u = w, *v = w + SIZE;
        double N[4][4];
        for (int p = 0; p <= 3; p++)
            for (int q = 0; p + q <= 3; q++)
                N[p][q] = cases[trial % 4].d(p, q, u[0], v[0]);
        double A3 = u[1] * u[2] * N[2][0] + v[1] * v[2] * N[0][2] + (u[1] * v[2] + u[2] * v[1]) * N[1][1] + pow(u[1], 3) / 6 * N[3][0] +
                    pow(v[1], 3) / 6 * N[0][3] + u[1] * u[1] * v[1] / 2 * N[2][1] + u[1] * v[1] * v[1] / 2 * N[1][2] + u[3] * N[1][0] +
                    v[3] * N[0][1];
        assert_near(cases[trial % 4].text, 3, A[3], A3, size[3]);
    }
    test_context_end(ctx);
}

/* A_k(u_k) = A_k(0) + sum_i dN/du_i(u_0) u_{i,k}: what makes the equations of a power-series method linear */
static void last_coefficient__enters_linearly(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(54)};
    static const char *const names[] = {"x", "y"};
    const char *text = "exp(sin(x)*y)/sqrt(x + y) - y^3*atan2(x, y)";
    for (int trial = 0; trial < 20; trial++) {
        int k = 1 + test_random_below(&random, K);
        double w[2 * SIZE], packed[2 * SIZE], with[SIZE], without[SIZE], twice[SIZE], zero[2][2];
        random_series(&random, w);
        random_series(&random, w + SIZE);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j <= k; j++)
                packed[i * (k + 1) + j] = w[i * SIZE + j];
        assert_int_equal(bl_adomian(ctx, text, names, 2, k, packed, with), BL_OK);
        for (int i = 0; i < 2; i++)
            packed[i * (k + 1) + k] *= 2;
        assert_int_equal(bl_adomian(ctx, text, names, 2, k, packed, twice), BL_OK);
        for (int i = 0; i < 2; i++)
            packed[i * (k + 1) + k] = 0;
        assert_int_equal(bl_adomian(ctx, text, names, 2, k, packed, without), BL_OK);
        double slope = 0, direction[2];
        for (int i = 0; i < 2; i++) { /* dN/du_i from A_1 */
            for (int j = 0; j < 2; j++) {
                zero[j][0] = w[j * SIZE];
                zero[j][1] = i == j;
            }
            assert_int_equal(bl_adomian(ctx, text, names, 2, 1, zero[0], direction), BL_OK);
            slope += direction[1] * w[i * SIZE + k];
        }
        double size = fabs(with[k]) + fabs(without[k]) + 1;
        assert_near(text, k, with[k] - without[k], slope, 10 * size);
        assert_near(text, k, twice[k] - with[k], slope, 10 * size);
    }
    test_context_end(ctx);
}

/* u' = N(u) by the decomposition: (k + 1) u_{k+1} = A_k. u' = u^2, u(0) = 1 gives 1 / (1 - t); u' = exp(-u) gives log(1 + t) */
static void decomposition__solves_differential_equations(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    double u[SIZE] = {1}, w[SIZE] = {0}, A[SIZE];
    for (int k = 0; k < K; k++) { /* orders grow by one: layouts of one unknown are the same */
        assert_int_equal(bl_adomian(ctx, "u^2", u_only, 1, k, u, A), BL_OK);
        u[k + 1] = A[k] / (k + 1);
        assert_int_equal(bl_adomian(ctx, "exp(-u)", u_only, 1, k, w, A), BL_OK);
        w[k + 1] = A[k] / (k + 1);
        assert_true(fabs(u[k + 1] - 1) < 1e-14);
        assert_true(fabs(w[k + 1] - (k % 2 ? -1.0 : 1.0) / (k + 1)) < 1e-14);
    }
    test_context_end(ctx);
}

/* ---- mistakes and memory */

static void mistakes__are_reported(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    double u[4] = {0, 1}, A[2];
    static const char *const good[] = {"u", "speed"}, *const twice[] = {"u", "u"}, *const taken[] = {"sin"}, *const empty[] = {""};
    assert_int_equal(bl_adomian(ctx, "u + sped", good, 2, 1, u, A), BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(ctx)->advice, "speed"));
    assert_int_equal(bl_context_error(ctx)->column, 5);
    assert_int_equal(bl_adomian(ctx, "u +", good, 1, 1, u, A), BL_E_MODEL);
    assert_int_equal(bl_adomian(ctx, "u", twice, 2, 1, u, A), BL_E_ARG);
    assert_int_equal(bl_adomian(ctx, "u", taken, 1, 1, u, A), BL_E_ARG);
    assert_int_equal(bl_adomian(ctx, "u", empty, 1, 1, u, A), BL_E_ARG);
    assert_int_equal(bl_adomian(ctx, "u", good, 1, -1, u, A), BL_E_ARG);
    assert_int_equal(bl_adomian(ctx, NULL, good, 1, 1, u, A), BL_E_ARG);
    assert_int_equal(bl_adomian(ctx, "u", good, 1, 1, NULL, A), BL_E_ARG);
    assert_int_equal(bl_adomian(ctx, "u", good, 1, 1, u, NULL), BL_E_ARG);
    assert_int_equal(bl_adomian(ctx, "u", NULL, 1, 1, u, A), BL_E_ARG);
    assert_int_equal(bl_adomian(ctx, "sqrt(u)", good, 1, 1, u, A), BL_NOT_FINITE);
    assert_true(A[0] == 0 && !isfinite(A[1]));
    assert_int_equal(bl_adomian(ctx, "3*pi", NULL, 0, 1, NULL, A), BL_OK); /* no unknown at all */
    assert_true(fabs(A[0] - 3 * acos(-1)) < 1e-15 && A[1] == 0);
    test_context_end(ctx);
}

static bl_status body(bl_context *ctx, void *user) {
    double u[6] = {1, 2, 3, 4, 5, 6}, A[3];
    static const char *const names[] = {"u", "v"};
    (void)user;
    return bl_adomian(ctx, "sin(u)*cos(u) + v^3/(1 + u^2) - sinh(v)*cosh(v)", names, 2, 2, u, A);
}

static void failing_allocations__give_everything_back(void **state) {
    (void)state;
    assert_true(test_failing_allocations(body, NULL) > 3);
    assert_true(test_failing_once(body, NULL) > 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classical_formulas__hold_to_fourth_order),     cmocka_unit_test(recurrence_of_the_coefficients__holds),
        cmocka_unit_test(recurrence_of_several_unknowns__holds),        cmocka_unit_test(last_coefficient__enters_linearly),
        cmocka_unit_test(decomposition__solves_differential_equations), cmocka_unit_test(mistakes__are_reported),
        cmocka_unit_test(failing_allocations__give_everything_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
