/* Frequency responses against closed forms: oscillators, the quarter car, Jordan blocks; poles without damping; grids. */
#include "biela/linear.h"
#include "dense/dense.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};

static bl_linear_model model(bl_index n, bl_index ni, bl_index no, const double *A, const double *B, const double *C, const double *D) {
    return (bl_linear_model){0, n, ni, no, names, names + 4, names + 8, A, B, C, D};
}

/* CMPLX, which the C library's headers leave out for clang */
static double complex of_parts(double re, double im) { return re + im * I; }

static double complex response(bl_context *ctx, const bl_linear_model *lin, double omega) {
    double H[2];
    assert_int_equal(bl_linear_response(ctx, lin, 1, &omega, H), BL_OK);
    return of_parts(H[0], H[1]);
}

static void assert_close(double complex found, double complex expected, double tolerance) {
    if (!(cabs(found - expected) <= tolerance * (cabs(expected) + 1e-300)))
        fail_msg("%.17g %+.17g i, expected %.17g %+.17g i", creal(found), cimag(found), creal(expected), cimag(expected));
}

/* m x'' + c x' + k x = u: H = 1 / (k - m w^2 + i c w) for x, -w^2 H for x'' */
static void oscillator__has_its_response(void **state) {
    double m = 2, c = 0.3, k = 50;
    double A[] = {0, -k / m, 1, -c / m}, B[] = {0, 1 / m}, C[] = {1, -k / m, 0, -c / m}, D[] = {0, 1 / m};
    bl_linear_model lin = model(2, 1, 2, A, B, C, D);
    double omega[] = {0, 0.01, 1, 4.999, 5, 5.001, 20, 1e4}, H[8][2][2];
    assert_int_equal(bl_linear_response(*state, &lin, 8, omega, H[0][0]), BL_OK);
    for (int j = 0; j < 8; j++) {
        double w = omega[j];
        double complex x = 1 / (k - m * w * w + I * c * w);
        assert_close(of_parts(H[j][0][0], H[j][0][1]), x, 1e-13);
        if (w > 0) /* x'' = (u - c x' - k x) / m loses digits where the two terms cancel: at low frequency */
            assert_true(cabs(of_parts(H[j][1][0], H[j][1][1]) + w * w * x) < 1e-13 * (1 / m + k / m * cabs(x)));
    }
}

/* M13: road to body and to wheel, by Cramer's rule on the two equations of motion */
static void quarter_car__has_its_transfer_functions(void **state) {
    double M = 300, m = 40, k = 2e4, kt = 1.8e5, c = 1500;
    double A[16] = {0}, B[4] = {0, 0, 0, kt / m}, C[8] = {1, 0, 0, 1, 0, 0, 0, 0}, D[2] = {0, 0};
    A[0 + 4 * 2] = A[1 + 4 * 3] = 1;
    A[2 + 0] = -k / M, A[2 + 4] = k / M, A[2 + 8] = -c / M, A[2 + 12] = c / M;
    A[3 + 0] = k / m, A[3 + 4] = -(k + kt) / m, A[3 + 8] = c / m, A[3 + 12] = -c / m;
    bl_linear_model lin = model(4, 1, 2, A, B, C, D);
    for (double w = 0.1; w < 1000; w *= 1.07) {
        double complex s = I * w, q = k + c * s, H[2];
        double complex det = (M * s * s + q) * (m * s * s + q + kt) - q * q;
        assert_int_equal(bl_linear_response(*state, &lin, 1, &w, (double *)H), BL_OK);
        assert_close(H[0], kt * q / det, 1e-11); /* falls as 1/w^3 by cancellation between states of size 1/w^2 */
        assert_close(H[1], kt * (M * s * s + q) / det, 1e-12);
    }
    /* the poles are the eigenvalues of the table: 1/H vanishes there. Here: the denominator does */
    double complex s = -2.0767643486 + 7.5894939890 * I, q = k + c * s;
    assert_true(cabs((M * s * s + q) * (m * s * s + q + kt) - q * q) < 1e-8 * cabs(kt * q));
}

/* (s - a)^-4 of a chain, also where the block is hidden by a change of states */
static void jordan_block__has_powers(void **state) {
    enum { N = 4 };
    double A[N * N] = {0}, B[N] = {0, 0, 0, 1}, C[N] = {1, 0, 0, 0}, D[1] = {0.5}, a = -0.7;
    for (int i = 0; i < N; i++) {
        A[i * (N + 1)] = a;
        if (i > 0)
            A[i * N + i - 1] = 1;
    }
    bl_linear_model lin = model(N, 1, 1, A, B, C, D);
    for (double w = 0; w < 50; w = 1.5 * w + 0.1)
        assert_close(response(*state, &lin, w), 0.5 + 1 / cpow(I * w - a, 4), 1e-13);
    test_random random = {test_seed(7)};
    double v[N], vv = 0, T[N * N], AT[N * N], TAT[N * N], TB[N], CT[N];
    for (int i = 0; i < N; i++) {
        v[i] = test_random_symmetric(&random);
        vv += v[i] * v[i];
    }
    for (int i = 0; i < N * N; i++) /* a reflection: its own inverse */
        T[i] = (i % (N + 1) == 0) - 2 * v[i % N] * v[i / N] / vv;
    for (int i = 0; i < N; i++) {
        TB[i] = CT[i] = 0;
        for (int k = 0; k < N; k++) {
            TB[i] += T[i + N * k] * B[k];
            CT[i] += C[k] * T[k + N * i];
        }
        for (int j = 0; j < N; j++) {
            AT[i + N * j] = 0;
            for (int k = 0; k < N; k++)
                AT[i + N * j] += A[i + N * k] * T[k + N * j];
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            TAT[i + N * j] = 0;
            for (int k = 0; k < N; k++)
                TAT[i + N * j] += T[i + N * k] * AT[k + N * j];
        }
    lin = model(N, 1, 1, TAT, TB, CT, D);
    for (double w = 0; w < 50; w = 1.5 * w + 0.1)
        assert_close(response(*state, &lin, w), 0.5 + 1 / cpow(I * w - a, 4), 1e-12);
}

/* random stable systems against a full complex elimination */
static void random_systems__agree_with_elimination(void **state) {
    enum { MOST = 12 };
    test_random random = {test_seed(11)};
    for (int trial = 0; trial < 60; trial++) {
        int n = 1 + test_random_below(&random, MOST), ni = 1 + test_random_below(&random, 3), no = 1 + test_random_below(&random, 3);
        double A[MOST * MOST], B[MOST * 3], C[3 * MOST], D[9], w = pow(10, 2 * test_random_symmetric(&random)), H[18];
        for (int k = 0; k < n * n; k++)
            A[k] = test_random_symmetric(&random) * pow(10, 2 * test_random_symmetric(&random)) - (k % (n + 1) == 0) * 3;
        for (int k = 0; k < 3 * n; k++) {
            B[k] = test_random_symmetric(&random);
            C[k] = test_random_symmetric(&random);
        }
        for (int k = 0; k < 9; k++)
            D[k] = test_random_symmetric(&random);
        static const char *const many[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"};
        bl_linear_model lin = {0, n, ni, no, many, many, many, A, B, C, D};
        assert_int_equal(bl_linear_response(*state, &lin, 1, &w, H), BL_OK);
        for (int u = 0; u < ni; u++) {
            double complex M[MOST][MOST + 1];
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++)
                    M[i][j] = (i == j) * I * w - A[i + n * j];
                M[i][n] = B[i + n * u];
            }
            for (int k = 0; k < n; k++) {
                int p = k;
                for (int i = k; i < n; i++)
                    p = cabs(M[i][k]) > cabs(M[p][k]) ? i : p;
                for (int j = 0; j <= n; j++) {
                    double complex kept = M[k][j];
                    M[k][j] = M[p][j];
                    M[p][j] = kept;
                }
                for (int i = 0; i < n; i++)
                    for (int j = n; i != k && j >= k; j--)
                        M[i][j] -= M[i][k] / M[k][k] * M[k][j];
            }
            for (int o = 0; o < no; o++) {
                double complex sum = D[o + no * u];
                double size = fabs(D[o + no * u]);
                for (int k = 0; k < n; k++) {
                    sum += C[o + no * k] * M[k][n] / M[k][k];
                    size += cabs(C[o + no * k] * M[k][n] / M[k][k]);
                }
                assert_true(cabs(of_parts(H[2 * (o * ni + u)], H[2 * (o * ni + u) + 1]) - sum) < 1e-9 * size);
            }
        }
    }
}

/* ---- poles without damping */

static void undamped_pole__is_named(void **state) {
    double A[] = {0, -4, 1, 0}, B[] = {0, 1}, C[] = {1, 0}, D[] = {0}, w = 2;
    bl_linear_model lin = model(2, 1, 1, A, B, C, D);
    assert_true(isnan(creal(response(*state, &lin, w))));
    const bl_warning *warning;
    bl_index n = bl_context_warnings(*state, &warning, NULL);
    assert_int_equal(n, 1);
    assert_non_null(strstr(warning[0].text, "infinite at 2 rad/s"));
    assert_non_null(strstr(warning[0].text, "'e'"));
    assert_string_equal(warning[0].part, "i");
    assert_close(response(*state, &lin, 2.0001), 1 / (4 - 2.0001 * 2.0001), 1e-11); /* beside it: large, and right */
    double K[] = {0, -200. / 3, 1, 0};
    lin.A = K;
    assert_true(isnan(creal(response(*state, &lin, sqrt(200. / 3))))); /* the root of no double is exact */
}

/* chain of masses between walls: infinite at each of its frequencies, and finite and right halfway between */
static void poles__are_the_eigenvalues(void **state) {
    enum { N = 6 };
    double A[4 * N * N] = {0}, B[2 * N] = {0}, C[2 * N] = {0}, D[1] = {0}, w[N], H[2];
    static const char *const many[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"};
    for (int i = 0; i < N; i++) {
        A[i + 2 * N * (N + i)] = 1;
        A[N + i + 2 * N * i] = -2 * 36;
        if (i > 0)
            A[N + i + 2 * N * (i - 1)] = A[N + i - 1 + 2 * N * i] = 36;
        w[i] = 12 * sin((i + 1) * PI / (2 * N + 2));
    }
    B[N] = C[0] = 1;
    bl_linear_model lin = {0, 2 * N, 1, 1, many, many, many, A, B, C, D};
    for (int k = 0; k < N; k++) {
        assert_int_equal(bl_linear_response(*state, &lin, 1, &w[k], H), BL_OK);
        assert_true(isnan(H[0]));
        if (k == 0)
            continue;
        double at = (w[k] + w[k - 1]) / 2, exact = 0; /* sum over the modes, of mass 1 */
        for (int j = 1; j <= N; j++)
            exact += 2. / (N + 1) * pow(sin(j * PI / (N + 1)), 2) / (w[j - 1] * w[j - 1] - at * at);
        assert_close(response(*state, &lin, at), exact, 1e-11);
    }
}

/* a free mass moves without end under a constant force; its acceleration does not */
static void rigid_motion__is_infinite_only_where_it_shows(void **state) {
    double A[16] = {0}, B[8] = {0}, C[12] = {0}, D[6] = {0};
    A[0 + 4 * 1] = 1;                                        /* x' = v, v' = u1 / 3 */
    A[2 + 4 * 3] = 1, A[3 + 4 * 2] = -25, A[3 + 4 * 3] = -1; /* apart from it an oscillator under u2 */
    B[1] = 1. / 3, B[4 + 3] = 1;
    C[0] = 1, C[1 + 3 * 2] = 1; /* outputs x, y, acceleration of the mass */
    D[2] = 1. / 3;
    bl_linear_model lin = model(4, 2, 3, A, B, C, D);
    double w = 0, H[3][2][2];
    assert_int_equal(bl_linear_response(*state, &lin, 1, &w, H[0][0]), BL_OK);
    assert_true(isnan(H[0][0][0]) && isnan(H[0][0][1]));
    assert_true(H[0][1][0] == 0 && H[1][0][0] == 0);
    assert_true(fabs(H[1][1][0] - 0.04) < 1e-10 && fabs(H[1][1][1]) < 1e-10);
    assert_true(fabs(H[2][0][0] - 1. / 3) < 1e-15 && H[2][1][0] == 0);
}

/* two equal oscillators, symmetric drive: the other mode is not excited, also when states are mixed */
static void unexcited_pole__does_not_hide_the_value(void **state) {
    double k = 9, kc = 3.5; /* modes: 9 (together), 9 + 7 = 16 (against each other) */
    double A[16] = {0}, B[] = {0, 0, 1, 1}, C[] = {1, 0, 0, 0}, D[] = {0};
    A[0 + 4 * 2] = A[1 + 4 * 3] = 1;
    A[2] = A[3 + 4] = -(k + kc), A[2 + 4] = A[3] = kc;
    bl_linear_model lin = model(4, 1, 1, A, B, C, D);
    assert_close(response(*state, &lin, 4), 1 / (9. - 16), 1e-9);
    assert_true(isnan(creal(response(*state, &lin, 3))));
}

/* ---- sizes of nothing */

static void no_states__leave_d(void **state) {
    double D[] = {1, 2, 3, 4}, H[2][2][2][2], omega[] = {0, 7};
    bl_linear_model lin = model(0, 2, 2, NULL, NULL, NULL, D);
    bl_frequencies at;
    assert_int_equal(bl_linear_response(*state, &lin, 2, omega, H[0][0][0]), BL_OK);
    for (int k = 0; k < 2; k++)
        assert_true(H[k][0][0][0] == 1 && H[k][0][1][0] == 3 && H[k][1][0][0] == 2 && H[k][1][1][0] == 4 && H[k][1][1][1] == 0);
    assert_int_equal(bl_linear_frequencies(*state, &lin, 0, 0, 0, &at), BL_OK);
    assert_true(at.n > 10 && at.omega[0] > 0 && at.omega[at.n - 1] > at.omega[0]);
    bl_frequencies_destroy(*state, &at);
    double A[] = {-1};
    lin = model(1, 0, 0, A, NULL, NULL, NULL);
    assert_int_equal(bl_linear_response(*state, &lin, 2, omega, NULL), BL_OK);
}

static void nonsense__is_refused(void **state) {
    double A[] = {NAN}, B[] = {1}, w = 1, H[2];
    bl_linear_model lin = model(1, 1, 1, A, B, B, B);
    assert_int_equal(bl_linear_response(*state, &lin, 1, &w, H), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(*state)->what, "matrix A"));
    A[0] = -1;
    w = -1;
    assert_int_equal(bl_linear_response(*state, &lin, 1, &w, H), BL_E_ARG);
    w = INFINITY;
    assert_int_equal(bl_linear_response(*state, &lin, 1, &w, H), BL_E_ARG);
    bl_frequencies at;
    assert_int_equal(bl_linear_frequencies(*state, &lin, 10, 1, 0, &at), BL_E_ARG);
    assert_int_equal(bl_linear_frequencies(*state, &lin, -1, 1, 0, &at), BL_E_ARG);
    assert_int_equal(bl_linear_frequencies(*state, &lin, 1, 10, 1, &at), BL_E_ARG);
    assert_int_equal(bl_linear_frequencies(*state, &lin, 1, NAN, 5, &at), BL_E_ARG);
}

/* ---- frequencies */

/* the largest of |H| over the grid is the peak of the closed form, 1 / (2 k zeta sqrt(1 - zeta^2)), however light the damping */
static void default_frequencies__see_every_peak(void **state) {
    const double damping[] = {0.3, 0.05, 1e-2, 1e-4, 1e-7};
    for (int trial = 0; trial < 5; trial++) {
        double zeta = damping[trial], w0 = 7.3, A[] = {0, -w0 * w0, 1, -2 * zeta * w0}, B[] = {0, w0 * w0}, C[] = {1, 0}, D[] = {0};
        bl_linear_model lin = model(2, 1, 1, A, B, C, D);
        bl_frequencies at;
        assert_int_equal(bl_linear_frequencies(*state, &lin, 0, 0, 0, &at), BL_OK);
        double *H = malloc(2 * (size_t)at.n * sizeof *H), peak = 0;
        assert_int_equal(bl_linear_response(*state, &lin, at.n, at.omega, H), BL_OK);
        for (bl_index k = 0; k < at.n; k++) {
            assert_true(k == 0 || at.omega[k] > at.omega[k - 1]);
            peak = fmax(peak, hypot(H[2 * k], H[2 * k + 1]));
        }
        double exact = 1 / (2 * zeta * sqrt(1 - zeta * zeta));
        assert_true(fabs(peak / exact - 1) < 1e-3 + 1e-9 / zeta);
        assert_true(at.omega[0] <= w0 / 2 && at.omega[at.n - 1] >= 2 * w0 && at.n < 1000);
        free(H);
        bl_frequencies_destroy(*state, &at);
    }
}

/* conservative chains of random masses and springs: the grid hits each pole, and there the response is infinite, not large */
static void poles_of_the_grid__are_infinite(void **state) {
    enum { MOST = 14 };
    test_random random = {test_seed(21)};
    for (int trial = 0; trial < 30; trial++) {
        int f = 1 + test_random_below(&random, MOST), n = 2 * f;
        double A[4 * MOST * MOST] = {0}, B[2 * MOST] = {0}, C[2 * MOST] = {0}, D[1] = {0}, k[MOST + 1], m[MOST];
        const char *many[2 * MOST];
        for (int i = 0; i < n; i++)
            many[i] = "x";
        for (int i = 0; i <= f; i++)
            k[i] = 100 * (0.5 + test_random_unit(&random));
        for (int i = 0; i < f; i++)
            m[i] = 2 * (0.5 + test_random_unit(&random));
        for (int i = 0; i < f; i++) {
            A[i + n * (f + i)] = 1;
            A[f + i + n * i] = -(k[i] + k[i + 1]) / m[i];
            if (i > 0)
                A[f + i + n * (i - 1)] = k[i] / m[i];
            if (i + 1 < f)
                A[f + i + n * (i + 1)] = k[i + 1] / m[i];
        }
        B[f] = 1 / m[0];
        C[0] = 1;
        bl_linear_model lin = {0, n, 1, 1, many, many, many, A, B, C, D};
        bl_frequencies at;
        assert_int_equal(bl_linear_frequencies(*state, &lin, 0, 0, 0, &at), BL_OK);
        double *H = malloc(2 * (size_t)at.n * sizeof *H);
        assert_int_equal(bl_linear_response(*state, &lin, at.n, at.omega, H), BL_OK);
        /* of modes that live far from the first mass its response has a residue below rounding */
        double K[MOST * MOST] = {0}, M[MOST * MOST] = {0}, w[MOST], work[1 + 6 * MOST + 2 * MOST * MOST];
        bl_index iwork[5 * MOST + 3];
        for (int i = 0; i < f; i++) {
            M[i * (f + 1)] = m[i];
            K[i * (f + 1)] = k[i] + k[i + 1];
            if (i > 0)
                K[(i - 1) * f + i] = -k[i];
        }
        assert_true(bl_dense_eigen_pair(f, K, M, w, work, sizeof work / sizeof *work, iwork));
        int infinite = 0, surely = 0;
        for (int i = 0; i < f; i++)
            surely += K[i * f] * K[i * f] > 1e-9;
        for (bl_index j = 0; j < at.n; j++) {
            infinite += isnan(H[2 * j]);
            assert_false(hypot(H[2 * j], H[2 * j + 1]) > 1e7); /* flanks end 1e-4 from a pole */
        }
        assert_true(surely <= infinite && infinite <= f);
        assert_true(f > 4 || surely == f);
        free(H);
        bl_frequencies_destroy(*state, &at);
    }
}

/* zeros of rigid motions do not extend the range; given frequencies are kept */
static void frequencies__are_those_asked_for(void **state) {
    double A[16] = {0}, B[4] = {0, 0, 1, 0}, C[4] = {1, 0, 0, 0}, D[1] = {0};
    A[0 + 4 * 2] = A[1 + 4 * 3] = 1;
    A[2] = A[3 + 4] = -50, A[2 + 4] = A[3] = 50; /* two masses and a spring, free: 0, 0, +-10 i */
    bl_linear_model lin = model(4, 1, 1, A, B, C, D);
    bl_frequencies at;
    assert_int_equal(bl_linear_frequencies(*state, &lin, 0, 0, 0, &at), BL_OK);
    assert_true(at.omega[0] == 1 && at.omega[at.n - 1] == 100);
    bl_frequencies_destroy(*state, &at);
    assert_int_equal(bl_linear_frequencies(*state, &lin, 2, 200, 3, &at), BL_OK);
    assert_true(at.n == 3 && at.omega[0] == 2 && fabs(at.omega[1] - 20) < 1e-13 && at.omega[2] == 200);
    bl_frequencies_destroy(*state, &at);
}

static void phase__falls_behind_poles_and_rises_behind_zeros(void **state) {
    /* two masses and a spring, one held by another: x1 over u1 has poles about a zero */
    double A[16] = {0}, B[4] = {0, 0, 1, 0}, C[8] = {1, 0, 0, 1, 0, 0, 0, 0}, D[2] = {0};
    A[0 + 4 * 2] = A[1 + 4 * 3] = 1;
    A[2] = -200, A[2 + 4] = A[3] = 100, A[3 + 4] = -100; /* poles 6.18, 16.18; zero 10 */
    bl_linear_model lin = model(4, 1, 2, A, B, C, D);
    bl_frequencies at;
    assert_int_equal(bl_linear_frequencies(*state, &lin, 0, 0, 0, &at), BL_OK);
    double *H = malloc(4 * (size_t)at.n * sizeof *H), *phase = malloc((size_t)at.n * sizeof *phase);
    assert_int_equal(bl_linear_response(*state, &lin, at.n, at.omega, H), BL_OK);
    bl_linear_phase(&lin, at.n, H, 0, 0, phase);
    for (bl_index k = 0; k < at.n; k++) {
        double w = at.omega[k], golden = (sqrt(5) - 1) / 2, low = 10 * golden, high = 10 / golden;
        if (!isnan(phase[k]) && fabs(w - 10) > 1e-9)
            assert_true(fabs(phase[k] - (w < low ? 0 : w < 10 ? -180 : w < high ? 0 : -180)) < 1e-6);
    }
    bl_linear_phase(&lin, at.n, H, 1, 0, phase); /* no zero: down twice */
    assert_true(fabs(phase[at.n - 1] + 360) < 1e-6);
    free(H);
    free(phase);
    bl_frequencies_destroy(*state, &at);
}

/* (s + 1)^-6: six quarter turns */
static void phase__goes_on_beyond_a_turn(void **state) {
    enum { N = 6, COUNT = 200 };
    double A[N * N] = {0}, B[N] = {0, 0, 0, 0, 0, 1}, C[N] = {1}, D[1] = {0}, *H = malloc(2 * COUNT * sizeof *H), phase[COUNT];
    for (int i = 0; i < N; i++) {
        A[i * (N + 1)] = -1;
        if (i > 0)
            A[i * N + i - 1] = 1;
    }
    bl_linear_model lin = {0, N, 1, 1, names, names, names, A, B, C, D};
    bl_frequencies at;
    assert_int_equal(bl_linear_frequencies(*state, &lin, 0.001, 1000, COUNT, &at), BL_OK);
    assert_int_equal(bl_linear_response(*state, &lin, at.n, at.omega, H), BL_OK);
    bl_linear_phase(&lin, at.n, H, 0, 0, phase);
    for (bl_index k = 0; k < at.n; k++)
        assert_true(fabs(phase[k] + 6 * atan(at.omega[k]) * 180 / PI) < 1e-6);
    free(H);
    bl_frequencies_destroy(*state, &at);
}

/* ---- memory */

static bl_status everything(bl_context *ctx, void *unused) {
    (void)unused;
    double A[] = {0, 0, 0, 0, 0, -4, 0, 1, 0}, B[] = {1, 0, 1}, C[] = {1, 1, 0}, D[] = {0}, H[4], omega[] = {0, 2};
    bl_linear_model lin = model(3, 1, 1, A, B, C, D);
    bl_frequencies at;
    bl_status status = bl_linear_frequencies(ctx, &lin, 0, 0, 0, &at);
    if (status == BL_OK)
        status = bl_linear_response(ctx, &lin, 2, omega, H);
    bl_frequencies_destroy(ctx, &at);
    return status;
}

static void failing_allocations__are_clean(void **unused) {
    (void)unused;
    assert_true(test_failing_allocations(everything, NULL) > 8);
    test_failing_once(everything, NULL);
}

static int begin(void **state) { return (*state = test_context(NULL)) ? 0 : -1; }
static int end(void **state) {
    test_context_end(*state);
    return 0;
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {TEST(oscillator__has_its_response),
                                       TEST(quarter_car__has_its_transfer_functions),
                                       TEST(jordan_block__has_powers),
                                       TEST(random_systems__agree_with_elimination),
                                       TEST(undamped_pole__is_named),
                                       TEST(poles__are_the_eigenvalues),
                                       TEST(rigid_motion__is_infinite_only_where_it_shows),
                                       TEST(unexcited_pole__does_not_hide_the_value),
                                       TEST(no_states__leave_d),
                                       TEST(nonsense__is_refused),
                                       TEST(default_frequencies__see_every_peak),
                                       TEST(poles_of_the_grid__are_infinite),
                                       TEST(frequencies__are_those_asked_for),
                                       TEST(phase__falls_behind_poles_and_rises_behind_zeros),
                                       TEST(phase__goes_on_beyond_a_turn),
                                       cmocka_unit_test(failing_allocations__are_clean)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
