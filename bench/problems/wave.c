/* Wave: u_tt = u_xx on [0, 8], ends held, 100 linear elements with consistent mass, pulse 1 on [3, 5] at rest, until 16. The end value is
 * the exact solution of the semi-discrete equations M d'' + K d = 0 by its modes sin(j pi i / n),
 * w_j^2 = 6 / h^2 (1 - cos) / (2 + cos); errors are relative to the largest displacement and velocity. */
#include "problem.h"

#include <math.h>
#include <string.h>

enum { ELEMENTS = 100, N = ELEMENTS - 1 };
static const double h = 8.0 / ELEMENTS;

static void start(double *y) {
    memset(y, 0, 2 * N * sizeof *y);
    for (int i = 1; i <= N; i++)
        y[i - 1] = i * h >= 3 && i * h <= 5;
}

static void end_value(double *y) {
    const long double pi = 3.141592653589793238462643383279502884L, dx = 8.0L / ELEMENTS;
    double y0[2 * N];
    long double sum[2 * N] = {0};
    start(y0);
    for (int j = 1; j <= N; j++) {
        long double c = cosl(j * pi / ELEMENTS), w = sqrtl(6 / (dx * dx) * (1 - c) / (2 + c)), b = 0;
        for (int i = 1; i <= N; i++)
            b += 2.0L / ELEMENTS * y0[i - 1] * sinl(i * j * pi / ELEMENTS);
        for (int i = 1; i <= N; i++) {
            sum[i - 1] += b * cosl(16 * w) * sinl(i * j * pi / ELEMENTS);
            sum[N + i - 1] -= b * w * sinl(16 * w) * sinl(i * j * pi / ELEMENTS);
        }
    }
    for (int i = 0; i < 2 * N; i++)
        y[i] = (double)sum[i];
}

static double pull(const double *d, int i) { return ((i ? d[i - 1] : 0) - 2 * d[i] + (i < N - 1 ? d[i + 1] : 0)) / h; } /* -K d */

static void force(double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)t, (void)v, (void)z, (void)f;
    for (int i = 0; i < N; i++)
        Q[i] = pull(q, i);
}

static void tangent(double t, const double *q, const double *v, const double *z, ivp_matrix *J, ivp_matrix *dv) {
    (void)t, (void)q, (void)v, (void)z, (void)dv;
    for (int i = 0; i < N; i++) {
        ivp_add(J, i, i, -2 / h);
        if (i)
            ivp_add(J, i, i - 1, 1 / h), ivp_add(J, i - 1, i, 1 / h);
    }
}

static void mass(const double *q, ivp_matrix *M) {
    (void)q;
    for (int i = 0; i < N; i++) {
        ivp_add(M, i, i, 4 * h / 6);
        if (i)
            ivp_add(M, i, i - 1, h / 6), ivp_add(M, i - 1, i, h / 6);
    }
}

static void explicit_rate(double t, const double *y, double *rate) {
    (void)t;
    static double pivot[N]; /* reciprocal, of the mass matrix over h / 6, found once */
    if (pivot[0] == 0) {
        pivot[0] = 0.25;
        for (int i = 1; i < N; i++)
            pivot[i] = 1 / (4 - pivot[i - 1]);
    }
    double *a = rate + N;
    const double scale = 6 / h;
    memcpy(rate, y + N, N * sizeof *rate);
    for (int i = 0; i < N; i++)
        a[i] = scale * pull(y, i);
    for (int i = 1; i < N; i++)
        a[i] -= pivot[i - 1] * a[i - 1];
    a[N - 1] *= pivot[N - 1];
    for (int i = N - 2; i >= 0; i--)
        a[i] = (a[i] - a[i + 1]) * pivot[i];
}

static void implicit_start(double *x, double *xd) {
    start(x);
    explicit_rate(0, x, xd);
}

static void residual(double t, const double *x, const double *xd, double *r) {
    (void)t;
    const double *d = x, *v = x + N, *a = xd + N;
    for (int i = 0; i < N; i++) {
        r[i] = xd[i] - v[i];
        r[N + i] = h / 6 * ((i ? a[i - 1] : 0) + 4 * a[i] + (i < N - 1 ? a[i + 1] : 0)) - pull(d, i);
    }
}

static void residual_jacobian(double t, const double *x, const double *xd, double c, ivp_matrix *J) {
    (void)t, (void)x, (void)xd;
    for (int i = 0; i < N; i++) {
        ivp_add(J, i, i, c), ivp_add(J, i, N + i, -1), ivp_add(J, N + i, N + i, c * 4 * h / 6), ivp_add(J, N + i, i, 2 / h);
        for (int k = i - 1; k <= i + 1; k += 2)
            if (k >= 0 && k < N)
                ivp_add(J, N + i, N + k, c * h / 6), ivp_add(J, N + i, k, -1 / h);
    }
}

static const double size[2 * N] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
};

const ivp ivp_wave = {.name = "wave",
                      .what = "pulse on a string, 100 elements, oscillatory",
                      .nq = N,
                      .t_end = 16,
                      .size = size,
                      .least = 1,
                      .start = start,
                      .end_value = end_value,
                      .force = force,
                      .tangent = tangent,
                      .linear = true,
                      .mass = mass,
                      .mass_constant = true,
                      .explicit_rate = explicit_rate,
                      .nx = 2 * N,
                      .implicit_start = implicit_start,
                      .residual = residual,
                      .residual_jacobian = residual_jacobian};
