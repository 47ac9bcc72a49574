#include "support/formulas.h"

#include <math.h>
#include <string.h>

/* Gauss elimination with row pivoting; A[n][n] and b[n] are overwritten, b becomes the solution */
static void solve(int n, long double *A, long double *b) {
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabsl(A[i * n + k]) > fabsl(A[pivot * n + k]))
                pivot = i;
        for (int j = 0; j < n; j++) {
            long double x = A[k * n + j];
            A[k * n + j] = A[pivot * n + j];
            A[pivot * n + j] = x;
        }
        long double x = b[k];
        b[k] = b[pivot];
        b[pivot] = x;
        for (int i = 0; i < n; i++) {
            long double factor = i == k ? 0 : A[i * n + k] / A[k * n + k];
            for (int j = k; j < n && i != k; j++)
                A[i * n + j] -= factor * A[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = 0; k < n; k++)
        b[k] /= A[k * n + k];
}

/* row[0..m] += weight * nabla^m of the newest value, which stands at row[newest] */
static void add_difference(int m, long double weight, int newest, long double *row) {
    long double binomial = 1;
    for (int s = 0; s <= m; s++) {
        row[newest - s] += (s % 2 ? -1 : 1) * weight * binomial;
        binomial = binomial * (m - s) / (s + 1);
    }
}

static const long double kappa[5] = {0, -37 / 200.0L, -1 / 9.0L, -0.0823L, -0.0415L};

/* on y_{n-1}, ..., y_{n+k} */
static void backward_row(int k, bool ndf, long double *row) {
    long double gamma = 0;
    memset(row, 0, (BL_FORMULA_STEPS + 2) * sizeof *row);
    for (int m = 1; m <= k; m++) {
        add_difference(m, 1.0L / m, k + 1, row);
        gamma += 1.0L / m;
    }
    if (ndf)
        add_difference(k + 1, -kappa[k] * gamma, k + 1, row);
}

void test_bdf(int k, bl_formula *f) {
    long double row[BL_FORMULA_STEPS + 2];
    backward_row(k, false, row);
    *f = (bl_formula){.shape = BL_FORMULA_MULTISTEP, .order = k, .k = k};
    memcpy(f->a, row + 1, (size_t)(k + 1) * sizeof *row);
    f->b[k] = 1;
}

void test_ndf(int k, bl_formula *f) {
    long double row[BL_FORMULA_STEPS + 2];
    backward_row(k, true, row);
    *f = (bl_formula){.shape = BL_FORMULA_MULTISTEP, .order = k, .k = k + 1};
    memcpy(f->a, row, (size_t)(k + 2) * sizeof *row);
    f->b[k + 1] = 1;
}

void test_extended(int k, bool ndf1, bool ndf2, bool modified, bl_formula *f) {
    enum { MOST = 12 };
    int n = k + 2; /* unknowns a_0..a_{k-1}, b_k, b_{k+1}; conditions C_0 .. C_{k+1} with a_k = 1 */
    long double A[MOST * MOST], x[MOST], gamma = 0;
    *f = (bl_formula){.shape = BL_FORMULA_EXTENDED, .order = k + 1, .k = k};
    backward_row(k, ndf1, f->p1);
    backward_row(k, ndf2, f->p2);
    for (int q = 0; q < n; q++) {
        for (int j = 0; j < k; j++)
            A[q * n + j] = powl(j, q);
        A[q * n + k] = q ? -q * powl(k, q - 1) : 0;
        A[q * n + k + 1] = q ? -q * powl(k + 1, q - 1) : 0;
        x[q] = -powl(k, q);
    }
    solve(n, A, x);
    for (int j = 0; j < k; j++)
        f->a[j] = x[j];
    f->a[k] = 1;
    for (int m = 1; m <= k; m++)
        gamma += 1.0L / m;
    f->g = modified ? 1 / gamma : x[k];
    f->g_first = modified ? x[k] - 1 / gamma : 0;
    f->g_ahead = x[k + 1];
}

void test_bdf_alpha(double alpha, bl_formula *f) {
    long double a = alpha;
    *f = (bl_formula){.shape = BL_FORMULA_MULTISTEP, .order = 2, .k = 2, .a = {0.5L + a, -2 - 2 * a, 1.5L + a}, .b = {0, -a, 1 + a}};
}

void test_trapezoidal(bl_formula *f) {
    *f = (bl_formula){.shape = BL_FORMULA_MULTISTEP, .order = 2, .k = 1, .a = {-1, 1}, .b = {0.5L, 0.5L}};
}

void test_park(bl_formula *f) {
    *f = (bl_formula){.shape = BL_FORMULA_MULTISTEP, .order = 2, .k = 3, .a = {-0.1L, 0.6L, -1.5L, 1}, .b = {0, 0, 0, 0.6L}};
}

/* ---- second order, h = 1, M = 1, C = 2 xi Omega, K = Omega^2: the step from each unit vector of the memory */

enum { AM, AF, BETA, GAMMA };

static void step_generalized_alpha(const double *p, double C, double K, const double *x, double *y) {
    double d = x[0], v = x[1], a = x[2];
    double dp = d + v + (0.5 - p[BETA]) * a, vp = v + (1 - p[GAMMA]) * a, af = p[AF];
    double a1 =
        (-p[AM] * a - C * ((1 - af) * vp + af * v) - K * ((1 - af) * dp + af * d)) / (1 - p[AM] + (1 - af) * (p[GAMMA] * C + p[BETA] * K));
    y[0] = dp + p[BETA] * a1;
    y[1] = vp + p[GAMMA] * a1;
    y[2] = a1;
}

static void step_houbolt(const double *p, double C, double K, const double *x, double *y) {
    (void)p;
    y[0] = (5 * x[0] - 4 * x[1] + x[2] + C * (18 * x[0] - 9 * x[1] + 2 * x[2]) / 6) / (2 + 11 * C / 6 + K);
    y[1] = x[0];
    y[2] = x[1];
}

enum { C_BETA, C_GAMMA, THETA };

static void step_collocation(const double *p, double C, double K, const double *x, double *y) {
    double d = x[0], v = x[1], a = x[2], b = p[C_BETA], g = p[C_GAMMA], th = p[THETA];
    double ath = -(C * (v + th * (1 - g) * a) + K * (d + th * v + th * th * (0.5 - b) * a)) / (1 + C * th * g + K * th * th * b);
    double a1 = a + (ath - a) / th;
    y[0] = d + v + (0.5 - b) * a + b * a1;
    y[1] = v + (1 - g) * a + g * a1;
    y[2] = a1;
}

static void step_edmc1(const double *p, double C, double K, const double *x, double *y) {
    long double up = (1 + p[0]) / 2, down = (1 - p[0]) / 2;
    /* v1 + C d1 + K up d1 = v0 + C d0 - K down d0; d1 - up v1 = d0 + down v0 */
    long double A[4] = {C + K * up, 1, 1, -up}, b[2] = {x[1] + (C - K * down) * x[0], x[0] + down * x[1]};
    solve(2, A, b);
    y[0] = (double)b[0];
    y[1] = (double)b[1];
}

static void step_edmc2(const double *p, double C, double K, const double *x, double *y) {
    long double a = p[0];
    /* unknowns d1, v1, dt, vt */
    long double A[16] = {C + K / 2, 1, K / 2, 0, 1, -0.5L, 0, -0.5L, -a * K, 0, a * K, 1, 0, a, 1, -a};
    long double b[4] = {x[1] + C * x[0], x[0], x[1], x[0]};
    solve(4, A, b);
    y[0] = (double)b[0];
    y[1] = (double)b[1];
}

typedef void step(const double *p, double C, double K, const double *x, double *y);

static void columns(step *one, const bl_formula *f, double Omega, double xi, double *A) {
    double x[6], y[6] = {0};
    for (int j = 0; j < f->n; j++) {
        memset(x, 0, sizeof x);
        x[j] = 1;
        one(f->parameter, 2 * xi * Omega, Omega * Omega, x, y);
        for (int i = 0; i < f->n; i++)
            A[i * f->n + j] = y[i];
    }
}

#define AMPLIFY(name) \
    static void amplify_##name(const bl_formula *f, double Omega, double xi, double *A) { columns(step_##name, f, Omega, xi, A); }
AMPLIFY(generalized_alpha)
AMPLIFY(houbolt)
AMPLIFY(collocation)
AMPLIFY(edmc1)
AMPLIFY(edmc2)

void test_generalized_alpha(double am, double af, double beta, double gamma, bl_formula *f) {
    *f = (bl_formula){.shape = BL_FORMULA_OSCILLATOR, .n = 3, .parameter = {am, af, beta, gamma}, .amplify = amplify_generalized_alpha};
}

void test_newmark(double beta, double gamma, bl_formula *f) { test_generalized_alpha(0, 0, beta, gamma, f); }

void test_hht(double alpha, bl_formula *f) { test_generalized_alpha(0, alpha, (1 + alpha) * (1 + alpha) / 4, 0.5 + alpha, f); }

void test_wbz(double alpha, bl_formula *f) { test_generalized_alpha(alpha, 0, (1 - alpha) * (1 - alpha) / 4, 0.5 - alpha, f); }

void test_chung_hulbert(double r, bl_formula *f) {
    double am = (2 * r - 1) / (r + 1), af = r / (r + 1);
    test_generalized_alpha(am, af, (1 - am + af) * (1 - am + af) / 4, 0.5 - am + af, f);
}

void test_houbolt(bl_formula *f) { *f = (bl_formula){.shape = BL_FORMULA_OSCILLATOR, .n = 3, .amplify = amplify_houbolt}; }

void test_collocation(double beta, double gamma, double theta, bl_formula *f) {
    *f = (bl_formula){.shape = BL_FORMULA_OSCILLATOR, .n = 3, .parameter = {beta, gamma, theta}, .amplify = amplify_collocation};
}

void test_edmc1(double chi, bl_formula *f) {
    *f = (bl_formula){.shape = BL_FORMULA_OSCILLATOR, .n = 2, .parameter = {chi}, .amplify = amplify_edmc1};
}

void test_edmc2(double alpha, bl_formula *f) {
    *f = (bl_formula){.shape = BL_FORMULA_OSCILLATOR, .n = 2, .parameter = {alpha}, .amplify = amplify_edmc2};
}
