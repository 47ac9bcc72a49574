/* Linear scenes compared with closed-form solutions: two degrees of freedom, an elastic bar, waves and diffusion on a line. */
#include "model/model.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

typedef struct record {
    void (*look)(const bl_sample *sample, void *user);
    void *user;
    long samples;
    double largest_energy_error, largest_kinetic;
} record;

static bl_status take(void *user, const bl_sample *sample) {
    record *r = user;
    r->samples++;
    r->largest_energy_error = fmax(r->largest_energy_error, fabs(sample->energy_error));
    r->largest_kinetic = fmax(r->largest_kinetic, sample->kinetic);
    r->look(sample, r->user);
    return BL_OK;
}

static record run(const char *scene, const bl_override *set, bl_index nset, const bl_run_options *options,
                  void (*look)(const bl_sample *, void *), void *user) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    record r = {.look = look, .user = user};
    bl_sink sink = {.user = &r, .sample = take};
    if (bl_model_read(ctx, path, set, nset, &model) != BL_OK || bl_simulate(ctx, model, options, &sink, 1, NULL) != BL_OK)
        fail_msg("%s: %s", scene, bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
    return r;
}

/* Modes (1, 1)/sqrt3 with w^2 = 2 and (1, -2)/sqrt6 with w^2 = 5, loads 10/sqrt3 and -20/sqrt6. */
static void bathe_exact(const bl_sample *s, void *user) {
    (void)user;
    double a = 10 / 3.0 / 2 * (1 - cos(sqrt(2) * s->t)), b = -20 / 6.0 / 5 * (1 - cos(sqrt(5) * s->t));
    assert_near(s->variable[0], a + b, 1e-8);
    assert_near(s->variable[1], a - 2 * b, 1e-8);
    assert_near(s->variable_rate[0], 10 / 3.0 / sqrt(2) * sin(sqrt(2) * s->t) - 20 / 6.0 / sqrt(5) * sin(sqrt(5) * s->t), 1e-7);
}

static void bathe__follows_the_sum_of_its_modes(void **unused) {
    (void)unused;
    static const char *const formulation[] = {"plain", "lagrange"};
    for (int k = 0; k < 2; k++) {
        record r = run("bathe_2dof", NULL, 0, &(bl_run_options){.formulation = formulation[k], .integrator = "dopri45", .tolerance = 1e-10},
                       bathe_exact, NULL);
        assert_int_equal(r.samples, 13);
        assert_true(r.largest_energy_error < 1e-7 * r.largest_kinetic);
    }
}

/* ---- damped and driven: modes do not decouple; the exact solution by the exponential of a matrix, a Taylor series with squaring
 *
 *     y = (d, v, sin 3t, cos 3t, 1),  y' = B y                                                                                  */
static void multiply7(const double *A, const double *B, double *out) {
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) {
            double sum = 0;
            for (int k = 0; k < 7; k++)
                sum += A[7 * i + k] * B[7 * k + j];
            out[7 * i + j] = sum;
        }
}

static void exponential7(const double *B, double t, double *E) {
    double term[49] = {0}, next[49];
    memset(E, 0, 49 * sizeof *E);
    for (int i = 0; i < 7; i++)
        E[8 * i] = term[8 * i] = 1;
    for (int k = 1; k < 25; k++) { /* of t / 1024 */
        multiply7(term, B, next);
        for (int i = 0; i < 49; i++) {
            term[i] = next[i] * t / 1024 / k;
            E[i] += term[i];
        }
    }
    for (int k = 0; k < 10; k++) {
        multiply7(E, E, next);
        memcpy(E, next, sizeof next);
    }
}

static void driven_exact(const bl_sample *s, void *user) {
    (void)user;
    double det = 2 * 1 - 0.3 * 0.3, inverse[2][2] = {{1 / det, -0.3 / det}, {-0.3 / det, 2 / det}};
    double K[2][2] = {{60, -20}, {-20, 40}}, C[2][2] = {{0.22, -0.025}, {-0.025, 0.13}}, B[49] = {0}, E[49];
    B[2] = B[7 + 3] = 1;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 2; k++) {
                B[7 * (2 + i) + j] -= inverse[i][k] * K[k][j];
                B[7 * (2 + i) + 2 + j] -= inverse[i][k] * C[k][j];
            }
        B[7 * (2 + i) + 4] = inverse[i][0];       /* sin 3t on the first */
        B[7 * (2 + i) + 6] = inverse[i][1] * 0.5; /* 0.5 on the second */
    }
    B[7 * 4 + 5] = 3;
    B[7 * 5 + 4] = -3;
    exponential7(B, s->t, E);
    const double start[] = {0.1, -0.05, 0, 0.3, 0, 1, 1};
    for (int i = 0; i < 2; i++) {
        double d = 0, v = 0;
        for (int k = 0; k < 7; k++) {
            d += E[7 * i + k] * start[k];
            v += E[7 * (2 + i) + k] * start[k];
        }
        assert_near(s->variable[i], d, 1e-9);
        assert_near(s->variable_rate[i], v, 1e-8);
    }
}

static void second_order__damped_and_driven_follows_the_exponential(void **unused) {
    (void)unused;
    record r = run("second_order_2dof", NULL, 0, &(bl_run_options){.integrator = "dopri45", .tolerance = 1e-10}, driven_exact, NULL);
    assert_int_equal(r.samples, 41);
    assert_true(r.largest_energy_error < 1e-8); /* work of load and damper compared with energies */
}

/* ---- one line of elements: the sine shape is a mode of the discrete problem */

static double sine_eigenvalue(double N) {
    double h = 8 / N, c = cos(PI / N);
    return 6 / (h * h) * (1 - c) / (2 + c);
}

static void wave_exact(const bl_sample *s, void *user) {
    double N = *(double *)user, w = sqrt(sine_eigenvalue(N));
    for (int i = 1; i < (int)N; i++) {
        assert_near(s->variable[i - 1], cos(w * s->t) * sin(PI * i / N), 1e-6);
        assert_near(s->variable_rate[i - 1], -w * sin(w * s->t) * sin(PI * i / N), 1e-6);
    }
}

static void diffusion_exact(const bl_sample *s, void *user) {
    double N = *(double *)user, r = sine_eigenvalue(N);
    for (int i = 1; i < (int)N; i++) {
        assert_near(s->variable[i - 1], exp(-r * s->t) * sin(PI * i / N), 1e-6);
        assert_near(s->variable_rate[i - 1], -r * exp(-r * s->t) * sin(PI * i / N), 1e-4); /* errors times the largest rate */
    }
}

static void sine__moves_and_decays_as_the_discrete_mode(void **unused) {
    (void)unused;
    double N = 40;
    bl_override set[] = {{"N", N}};
    bl_run_options options = {.integrator = "dopri45", .tolerance = 1e-9, .until = 8, .every = 1};
    record r = run("wave_1d", set, 1, &options, wave_exact, &N);
    assert_int_equal(r.samples, 9);
    assert_true(r.largest_energy_error < 1e-7 * r.largest_kinetic);
    assert_int_equal(run("diffusion_1d", set, 1, &options, diffusion_exact, &N).samples, 9);
}

/* Largest and smallest eigenvalues of (K, M) with 100 elements: 1873.61 and 0.1542, as printed for linear elements with consistent mass;
 * the frequencies of the wave are their roots, 43.285 and 0.3927. */
static void wave__matrices_have_the_known_spectrum(void **unused) {
    (void)unused;
    static const char *const scene[] = {"wave_1d", "diffusion_1d"};
    for (int k = 0; k < 2; k++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene[k]);
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_OK);
        const bl_matrices *m = model->matrices;
        const bl_square *K = k ? &m->A : &m->K;
        int n = m->n;
        assert_int_equal(n, 99);
        double *a = calloc((size_t)(2 * n * n + n), sizeof *a), *b = a + n * n, *w = b + n * n;
        for (int j = 0; j < n; j++) {
            for (bl_index p = K->ptr[j]; p < K->ptr[j + 1]; p++)
                a[j * n + K->idx[p]] = (k ? -1 : 1) * K->value[p];
            for (bl_index p = m->M.ptr[j]; p < m->M.ptr[j + 1]; p++)
                b[j * n + m->M.idx[p]] = m->M.value[p];
        }
        assert_int_equal(LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'N', 'L', n, a, n, b, n, w), 0);
        assert_near(w[n - 1], 1873.61, 0.005);
        assert_near(w[0], 0.1542, 0.00005);
        assert_near(sqrt(w[n - 1]), 43.285, 0.0005);
        free(a);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* initial shapes 2 and 3, by their definitions */
static void shape_start(const bl_sample *s, void *user) {
    int shape = *(int *)user;
    if (s->t > 0)
        return;
    for (int i = 1; i < 80; i++) {
        double x = i * 0.1, wanted = shape == 2 ? (i <= 60 ? x / 6 : (8 - x) / 2) : i >= 30 && i <= 50;
        assert_near(s->variable[i - 1], wanted, 1e-12);
    }
}

static void shapes__start_as_described(void **unused) {
    (void)unused;
    for (int shape = 2; shape <= 3; shape++) {
        bl_override set[] = {{"N", 80}, {"shape", shape}};
        run("wave_1d", set, 2, &(bl_run_options){.until = 0.01}, shape_start, &shape);
        run("diffusion_1d", set, 2, &(bl_run_options){.until = 0.01}, shape_start, &shape);
    }
}

/* The free end of the bar: t until the wave returns at 2, then 4 - t; the elements smear the front over a few of them. */
static void bar_end(const bl_sample *s, void *user) {
    int n = *(int *)user;
    assert_near(s->variable[n - 1], s->t < 2 ? s->t : 4 - s->t, 0.02);
    assert_near(s->work, s->variable[n - 1], 1e-5); /* of the force 1 */
}

/* The trapezoidal rule as specified in the scene: it conserves the energy balance of a linear system to rounding. */
static void bar__trapezoidal_rule_keeps_energy_and_follows_the_wave(void **unused) {
    (void)unused;
    int n = 400;
    record r = run("bar_400", NULL, 0, &(bl_run_options){.every = 0.5}, bar_end, &n);
    assert_int_equal(r.samples, 8);
    assert_true(r.largest_energy_error < 3e-12); /* 1400 steps; 1.3e-12 to 2.5e-12 by different linear solvers */
}

/* Newmark's trapezoidal rule on Bathe's example: the printed table, d1 and d2 of 12 steps (Bathe, Finite Element Procedures, 9.2.4). */
static void bathe_table(const bl_sample *s, void *user) {
    static const double table[13][2] = {{0, 0},        {0.00673, 0.364}, {0.0505, 1.35}, {0.189, 2.68}, {0.485, 4.00},
                                        {0.961, 4.95}, {1.58, 5.34},     {2.23, 5.13},   {2.76, 4.48},  {3.00, 3.64},
                                        {2.85, 2.90},  {2.28, 2.44},     {1.40, 2.31}};
    int k = (*(int *)user)++;
    for (int i = 0; i < 2; i++) {
        double wanted = table[k][i], digit = wanted == 0 ? 1e-12 : pow(10, floor(log10(wanted)) - 2);
        assert_near(s->variable[i], wanted, digit);
    }
}

static void bathe__newmark_reproduces_the_printed_table(void **unused) {
    (void)unused;
    int at = 0;
    run("bathe_2dof", NULL, 0, NULL, bathe_table, &at);
    assert_int_equal(at, 13);
}

static void bar__end_moves_with_the_wave(void **unused) {
    (void)unused;
    int n = 100;
    bl_override set[] = {{"N", n}};
    record r = run("bar_400", set, 1, &(bl_run_options){.integrator = "dopri45", .tolerance = 1e-7, .every = 0.5}, bar_end, &n);
    assert_int_equal(r.samples, 8);
    assert_true(r.largest_energy_error < 1e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bathe__follows_the_sum_of_its_modes),
        cmocka_unit_test(second_order__damped_and_driven_follows_the_exponential),
        cmocka_unit_test(sine__moves_and_decays_as_the_discrete_mode),
        cmocka_unit_test(wave__matrices_have_the_known_spectrum),
        cmocka_unit_test(shapes__start_as_described),
        cmocka_unit_test(bar__end_moves_with_the_wave),
        cmocka_unit_test(bar__trapezoidal_rule_keeps_energy_and_follows_the_wave),
        cmocka_unit_test(bathe__newmark_reproduces_the_printed_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
