/* Frequencies compared with closed forms, in every kind of coordinates; many unknowns by ARPACK; motions as sums of modes compared with
 * exact ones. */
#include "biela/biela.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846, g = 9.81;
static const char *const every_kind[] = {"natural", "mixed", "reference", "relative"};

typedef struct study {
    bl_context *ctx;
    bl_model *model;
    bl_modes_report report;
} study;

static void find(const char *text, const bl_override *set, bl_index nset, const bl_modes_options *options, study *s) {
    char path[512];
    *s = (study){.ctx = test_context(NULL)};
    snprintf(path, sizeof path, "%s/%.200s.yaml", SCENES, text);
    bl_status status = strchr(text, '\n') ? bl_model_read_text(s->ctx, "text", text, strlen(text), set, nset, &s->model)
                                          : bl_model_read(s->ctx, path, set, nset, &s->model);
    if (status == BL_OK)
        status = bl_modes(s->ctx, s->model, options, NULL, 0, &s->report);
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(s->ctx)->what);
}

static void end(study *s) {
    bl_modes_report_destroy(s->ctx, &s->report);
    bl_model_destroy(s->model);
    test_context_end(s->ctx);
}

static void expect(const study *s, bl_index n, const double *omega, double tolerance) {
    assert_int_equal(s->report.nmode, n);
    for (bl_index k = 0; k < n; k++)
        assert_near(s->report.mode[k].omega, omega[k], tolerance * (1 + omega[k]));
}

static bool absent(const bl_context *ctx) {
    return bl_context_error(ctx)->status == BL_E_ABILITY && strstr(bl_context_error(ctx)->what, "ARPACK");
}

/* ---- mechanisms */

static void pendulum__swings_with_sqrt_of_g_over_l(void **unused) {
    (void)unused;
    static const char text[] = "model: pendulum\ndimension: 2\ngravity: [0, -9.81]\nparameters: {l: 1}\n"
                               "bodies: [{name: b, points: [{mass: 3, at: [=l, 0]}], carry: [{point: [=l, 0]}]}]\n"
                               "joints: [{name: A, type: revolute, bodies: [ground, b], at: [0, 0]}]\n";
    static const double length[] = {0.3, 1, 20};
    for (int c = 0; c < 4; c++)
        for (int i = 0; i < 3; i++) {
            study s;
            bl_override set = {"l", length[i]};
            find(text, &set, 1, &(bl_modes_options){.coordinates = every_kind[c]}, &s);
            expect(&s, 1, (const double[]){sqrt(g / length[i])}, 1e-10);
            assert_int_equal(s.report.dof, 1);
            end(&s);
        }
}

/* 2 (w^2)^2 terms: point masses m, m on l, l: w^2 = (2 -+ sqrt 2) g / l. Uniform rods: m l^2 [4/3 1/2; 1/2 1/3], m g l diag(3/2, 1/2) */
static void double_pendulums__have_their_two_frequencies(void **unused) {
    (void)unused;
    static const char points[] = "model: points\ndimension: 2\ngravity: [0, -9.81]\n"
                                 "bodies:\n"
                                 "  - {name: a, points: [{mass: 1, at: [0, -1]}], carry: [{point: [0, -1]}]}\n"
                                 "  - {name: b, points: [{mass: 1, at: [0, -2]}], carry: [{point: [0, -2]}]}\n"
                                 "joints:\n"
                                 "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                 "  - {name: B, type: revolute, bodies: [a, b], at: [0, -1]}\n";
    static const char rods[] = "model: rods\ndimension: 2\ngravity: [0, -9.81]\n"
                               "bodies:\n"
                               "  - {name: a, rod: {from: [0, 0], to: [0.6, -0.8]}, mass: 1}\n"
                               "  - {name: b, rod: {from: [0.6, -0.8], to: [0.6, -1.8]}, mass: 1}\n"
                               "joints:\n"
                               "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                               "  - {name: B, type: revolute, bodies: [a, b], at: [0.6, -0.8]}\n";
    double of_points[] = {sqrt((2 - sqrt(2)) * g), sqrt((2 + sqrt(2)) * g)}, of_rods[2];
    /* det(K - x M) = 0: (3/2 g - 4/3 x)(g/2 - x/3) - x^2/4 = 0 */
    double a = 4 / 9.0 - 0.25, b = -(0.5 + 4 / 6.0) * g, c = 0.75 * g * g, root = sqrt(b * b - 4 * a * c);
    of_rods[0] = sqrt((-b - root) / (2 * a));
    of_rods[1] = sqrt((-b + root) / (2 * a));
    assert_near(of_points[0], 2.3971993979, 1e-9);
    assert_near(of_rods[1], 7.1886708703, 1e-9);
    for (int k = 0; k < 4; k++) {
        study s;
        find(points, NULL, 0, &(bl_modes_options){.coordinates = every_kind[k]}, &s);
        expect(&s, 2, of_points, 1e-10);
        end(&s);
        find(rods, NULL, 0, &(bl_modes_options){.coordinates = every_kind[k]}, &s); /* it has to hang first */
        expect(&s, 2, of_rods, 1e-9);
        end(&s);
    }
}

static void linkages__swing_about_where_they_hang(void **unused) {
    (void)unused;
    for (int k = 0; k < 4; k++) {
        study s;
        find("four_bar", NULL, 0, &(bl_modes_options){.coordinates = every_kind[k]}, &s);
        expect(&s, 1, (const double[]){10.0018346993}, 1e-9);
        end(&s);
    }
    for (int k = 0; k < 2; k++) {
        study s;
        find(k ? "bricard_cut" : "bricard", NULL, 0, &(bl_modes_options){.coordinates = "natural"}, &s);
        expect(&s, 1, (const double[]){1.24284930785}, 1e-9);
        end(&s);
    }
}

static void vehicle__has_three_rigid_modes_named(void **unused) {
    (void)unused;
    static const double hertz[] = {0, 0, 0, 1.3660137411, 1.5895072116, 1.6891196461, 11.80267401, 11.81418959, 11.82303901, 11.83360944};
    study s;
    find("vehicle", NULL, 0, NULL, &s);
    assert_int_equal(s.report.nmode, 10);
    assert_int_equal(s.report.nrigid, 3);
    for (int k = 0; k < 10; k++)
        assert_near(s.report.mode[k].frequency, hertz[k], 2e-8);
    assert_non_null(strstr(s.report.rigid, "translation along x; translation along y; "));
    end(&s);
}

/* the rod with the torsion spring: H relative to its inertia, at the stable equilibrium and at the upright one */
static void torsion_spring__holds_or_not(void **unused) {
    (void)unused;
    static const char text[] = "model: rod\ndimension: 2\ngravity: [0, -9.81]\n"
                               "bodies: [{name: rod, rod: {from: [0, 0], to: [0, 1]}, mass: 1}]\n"
                               "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n"
                               "forces: [{type: rotational_spring, variable: A.angle, stiffness: 4, damping: 0.1}]\n";
    for (int k = 0; k < 4; k++) {
        study s;
        find(text, NULL, 0, &(bl_modes_options){.coordinates = every_kind[k]}, &s);
        double omega = sqrt(1.7034626852 * 3);
        expect(&s, 1, &omega, 1e-9);
        assert_near(s.report.mode[0].damping, 0.1 * 3 / 2 / omega, 1e-9);
        end(&s);
        find(text, NULL, 0, &(bl_modes_options){.coordinates = every_kind[k], .at = BL_MODES_AT_START, .damping = BL_MODES_UNDAMPED}, &s);
        assert_near(s.report.mode[0].eigenvalue, -0.905 * 3, 1e-9);
        assert_true(isnan(s.report.mode[0].omega));
        end(&s);
        find(text, NULL, 0, &(bl_modes_options){.coordinates = every_kind[k], .at = BL_MODES_AT_START}, &s); /* with its damper */
        assert_int_equal(s.report.nmode, 2);
        assert_near(s.report.mode[0].re, -0.15 + sqrt(0.0225 + 0.905 * 3), 1e-9);
        assert_near(s.report.mode[1].re, -0.15 - sqrt(0.0225 + 0.905 * 3), 1e-9);
        assert_int_equal(s.report.stability, BL_UNSTABLE);
        end(&s);
    }
}

/* ---- chains and lines */

/* 10 masses of 2 kg between 11 springs of 100 N/m */
static void chain_between_walls__has_sines(void **unused) {
    (void)unused;
    static const char text[] = "matrices:\n  size: 10\n  M: 2\n  K: {tridiagonal: {lower: -100, diagonal: 200}}\n";
    study s;
    find(text, NULL, 0, &(bl_modes_options){.scale = BL_MODES_LARGEST}, &s);
    assert_int_equal(s.report.nmode, 10);
    for (int j = 1; j <= 10; j++) {
        assert_near(s.report.mode[j - 1].omega, 2 * sqrt(50) * sin(j * PI / 22), 1e-12 * 14);
        const double *x = s.report.mode[j - 1].shape;
        double scale = 0;
        for (int i = 1; i <= 10; i++)
            scale = fmax(scale, fabs(sin(i * j * PI / 11)));
        for (int i = 1; i <= 10; i++)
            assert_near(fabs(x[i - 1]), fabs(sin(i * j * PI / 11)) / scale, 1e-12);
        assert_true(s.report.mode[j - 1].residual < 1e-12);
    }
    end(&s);
}

/* 1-D linear elements, both ends fixed: 6 a2/h^2 (1 - c)/(2 + c), lumped 2 a2/h^2 (1 - c), c = cos(j pi / n); of waves and of diffusion */
static void linear_elements__have_their_closed_eigenvalues(void **unused) {
    (void)unused;
    static const char wave[] = "parameters: {n: 100, h: =8/n, lumped: 0}\nmatrices:\n  size: =n-1\n"
                               "  M: {tridiagonal: {lower: \"=lumped > 0 ? 0 : h/6\", diagonal: \"=lumped > 0 ? h : 4*h/6\"}}\n"
                               "  K: {tridiagonal: {lower: =-1/h, diagonal: =2/h}}\n";
    static const char diffusion[] = "parameters: {n: 100, h: =8/n, lumped: 0}\nmatrices:\n  size: =n-1\n"
                                    "  M: {tridiagonal: {lower: \"=lumped > 0 ? 0 : h/6\", diagonal: \"=lumped > 0 ? h : 4*h/6\"}}\n"
                                    "  A: {tridiagonal: {lower: =1/h, diagonal: =-2/h}}\n";
    for (int lumped = 0; lumped < 2; lumped++)
        for (int order = 1; order <= 2; order++) {
            study s;
            bl_override set = {"lumped", lumped};
            find(order == 2 ? wave : diffusion, &set, 1, &(bl_modes_options){.count = -1}, &s);
            assert_int_equal(s.report.nmode, 99);
            assert_true(s.report.first_order == (order == 1));
            double h = 0.08, largest = 12 / (h * h);
            for (int j = 1; j < 100; j++) {
                double c = cos(j * PI / 100), value = lumped ? 2 / (h * h) * (1 - c) : 6 / (h * h) * (1 - c) / (2 + c);
                assert_near(s.report.mode[j - 1].eigenvalue, value, 1e-13 * largest);
            }
            if (!lumped && order == 2) {
                assert_near(s.report.mode[98].eigenvalue, 1873.61, 0.005);
                assert_near(s.report.mode[98].omega, 43.285, 0.0005);
                assert_near(s.report.mode[0].omega, 0.3927, 0.00005);
            }
            end(&s);
        }
}

static void free_chain__has_one_rigid_mode(void **unused) {
    (void)unused;
    static const char text[] = "parameters: {n: 60}\nmatrices:\n  size: =n\n  names: u\n"
                               "  K: {tridiagonal: {lower: -100, diagonal: \"=i == 1 or i == n ? 100 : 200\"}}\n";
    static const bl_modes_method method[] = {BL_MODES_LAPACK, BL_MODES_ARPACK};
    for (int k = 0; k < 2; k++) {
        study s = {.ctx = test_context(NULL)};
        bl_override set = {"n", k ? 3000 : 60};
        int n = k ? 3000 : 60;
        assert_int_equal(bl_model_read_text(s.ctx, "text", text, strlen(text), &set, 1, &s.model), BL_OK);
        bl_status status = bl_modes(s.ctx, s.model, &(bl_modes_options){.method = method[k], .count = 8}, NULL, 0, &s.report);
        if (status != BL_OK && absent(s.ctx)) {
            end(&s);
            skip();
        }
        assert_int_equal(status, BL_OK);
        assert_string_equal(s.report.method, k ? "arpack" : "lapack");
        assert_int_equal(s.report.nrigid, 1);
        assert_near(s.report.mode[0].omega, 0, 0);
        for (int j = 1; j < 8; j++)
            assert_near(s.report.mode[j].omega, 20 * sin(j * PI / (2 * n)), 1e-9 * s.report.mode[j].omega);
        for (int i = 0; i < 8; i++) /* orthonormal by the unit masses */
            for (int j = 0; j <= i; j++) {
                double sum = 0;
                for (int l = 0; l < n; l++)
                    sum += s.report.mode[i].shape[l] * s.report.mode[j].shape[l];
                assert_near(sum, i == j, 1e-10);
            }
        end(&s);
    }
}

/* A square grid has double frequencies, of which an iteration from one vector may find only one: 4 sin^2 + 4 sin^2 */
static int ascending(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static void membrane__keeps_multiple_frequencies_orthogonal(void **unused) {
    (void)unused;
    enum { N = 42, COUNT = 14 };
    char file[] = "/tmp/biela_membrane_XXXXXX", text[200];
    int fd = mkstemp(file);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    assert_non_null(out);
    fprintf(out, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", N * N, N * N, N * N + 2 * N * (N - 1));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int at = i * N + j + 1;
            fprintf(out, "%d %d 4\n", at, at);
            if (j + 1 < N)
                fprintf(out, "%d %d -1\n", at + 1, at);
            if (i + 1 < N)
                fprintf(out, "%d %d -1\n", at + N, at);
        }
    fclose(out);
    snprintf(text, sizeof text, "matrices: {K: {file: %s}}\n", file);
    double exact[400];
    for (int i = 1; i <= 20; i++)
        for (int j = 1; j <= 20; j++)
            exact[20 * (i - 1) + j - 1] = 2 * hypot(sin(i * PI / 2 / (N + 1)), sin(j * PI / 2 / (N + 1)));
    qsort(exact, 400, sizeof *exact, ascending);
    study s = {.ctx = test_context(NULL)};
    bl_status status = bl_model_read_text(s.ctx, "./text", text, strlen(text), NULL, 0, &s.model);
    if (status == BL_OK)
        status = bl_modes(s.ctx, s.model, &(bl_modes_options){.count = COUNT}, NULL, 0, &s.report);
    remove(file);
    if (status != BL_OK && absent(s.ctx)) {
        end(&s);
        skip();
    }
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(s.ctx)->what);
    assert_string_equal(s.report.method, "arpack"); /* 1764 unknowns */
    for (int k = 0; k < COUNT; k++) {
        assert_near(s.report.mode[k].omega, exact[k], 1e-10);
        for (int j = 0; j < k; j++) {
            double sum = 0;
            for (int l = 0; l < N * N; l++)
                sum += s.report.mode[k].shape[l] * s.report.mode[j].shape[l];
            assert_near(sum, 0, 1e-10);
        }
    }
    end(&s);
}

/* constraints: a hanging chain of 60 rods by both, in natural coordinates */
static void constrained_modes__are_the_same_by_both_methods(void **unused) {
    (void)unused;
    char text[12000];
    size_t used = (size_t)snprintf(text, sizeof text, "model: chain\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n");
    for (int i = 0; i < 60; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "  - {name: r%d, rod: {from: [0, %d], to: [0, %d]}, mass: 1}\n", i, -i,
                                 -i - 1);
    used += (size_t)snprintf(text + used, sizeof text - used, "joints:\n");
    for (int i = 0; i < 60; i++) {
        char first[16] = "ground";
        if (i > 0)
            snprintf(first, sizeof first, "r%d", i - 1);
        used += (size_t)snprintf(text + used, sizeof text - used, "  - {name: j%d, type: revolute, bodies: [%s, r%d], at: [0, %d]}\n", i,
                                 first, i, -i);
    }
    study dense, sparse = {0};
    find(text, NULL, 0, &(bl_modes_options){.coordinates = "natural", .count = 6}, &dense);
    sparse.ctx = test_context(NULL);
    assert_int_equal(bl_model_read_text(sparse.ctx, "text", text, strlen(text), NULL, 0, &sparse.model), BL_OK);
    bl_modes_options options = {.coordinates = "natural", .count = 6, .method = BL_MODES_ARPACK};
    bl_status status = bl_modes(sparse.ctx, sparse.model, &options, NULL, 0, &sparse.report);
    if (status == BL_OK) {
        for (int k = 0; k < 6; k++)
            assert_near(sparse.report.mode[k].omega, dense.report.mode[k].omega, 1e-9);
        /* a rope of length L has j_k / 2 sqrt(g / L), j zeros of Bessel's function; rods approximate it */
        assert_near(sparse.report.mode[0].omega, 2.404825558 / 2 * sqrt(g / 60), 2e-3 * sparse.report.mode[0].omega);
        assert_near(sparse.report.mode[1].omega, 5.520078110 / 2 * sqrt(g / 60), 2e-3 * sparse.report.mode[1].omega);
    } else {
        assert_true(absent(sparse.ctx));
    }
    end(&dense);
    end(&sparse);
}

/* ---- responses by modes */

typedef struct record {
    long samples;
    double t, *u, *v;
    bl_index n;
    void (*look)(const bl_sample *sample);
} record;

static bl_status take(void *user, const bl_sample *sample) {
    record *r = user;
    r->samples++;
    r->t = sample->t;
    if (r->look)
        r->look(sample);
    if (r->u)
        memcpy(r->u, sample->variable, (size_t)r->n * sizeof(double));
    return BL_OK;
}

/* a pulse on 400 linear elements by all 399 modes: at t = 2 the total variation is 15.30, where 2 would be exact */
static void pulse__varies_as_published(void **unused) {
    (void)unused;
    study s;
    double u[401] = {0}, variation = 0;
    record r = {.u = u + 1, .n = 399};
    bl_sink sink = {.user = &r, .sample = take};
    bl_override set[] = {{"N", 400}, {"shape", 3}};
    find("wave_1d", set, 2, &(bl_modes_options){.count = -1}, &s);
    assert_int_equal(bl_modes_answer(s.ctx, &s.report, &(bl_modes_answer_options){.until = 2, .every = 2}, &sink, 1, NULL), BL_OK);
    for (int i = 0; i < 400; i++)
        variation += fabs(u[i + 1] - u[i]);
    assert_near(r.t, 2, 0);
    assert_near(variation, 15.30, 0.005);
    end(&s);
}

/* modes (1, 1)/sqrt3 with 2 and (1, -2)/sqrt6 with 5, loads 10/sqrt3 and -20/sqrt6: constant, so exact */
static void look_at_bathe(const bl_sample *s) {
    double a = 10 / 3.0 / 2 * (1 - cos(sqrt(2) * s->t)), b = -20 / 6.0 / 5 * (1 - cos(sqrt(5) * s->t));
    assert_near(s->variable[0], a + b, 1e-13);
    assert_near(s->variable[1], a - 2 * b, 1e-13);
    assert_near(s->variable_rate[0], 10 / 3.0 / sqrt(2) * sin(sqrt(2) * s->t) - 20 / 6.0 / sqrt(5) * sin(sqrt(5) * s->t), 1e-13);
}

static void bathe__answers_exactly(void **unused) {
    (void)unused;
    study s;
    record r = {.look = look_at_bathe};
    bl_sink sink = {.user = &r, .sample = take};
    bl_run_summary summary = {0};
    find("bathe_2dof", NULL, 0, NULL, &s);
    expect(&s, 2, (const double[]){sqrt(2), sqrt(5)}, 1e-14);
    assert_int_equal(bl_modes_answer(s.ctx, &s.report, &(bl_modes_answer_options){.until = 3.36, .every = 0.28}, &sink, 1, &summary),
                     BL_OK);
    assert_int_equal(r.samples, 13);
    assert_int_equal(summary.steps, 12);
    end(&s);
}

/* Two equal oscillators, one of them damped: of all combinations those that the damper does not couple, with its ratio c / (2 m w) and 0,
 * in every kind of coordinates. */
static void multiple_modes__are_those_that_damping_separates(void **state) {
    (void)state;
    static const char text[] =
        "dimension: 2\nbodies:\n  - {name: a, mass: 1, center: [0, 0], inertia: 1}\n  - {name: b, mass: 1, center: [0, 1], inertia: 1}\n"
        "joints:\n  - {name: a, type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}\n"
        "  - {name: b, type: prismatic, bodies: [ground, b], at: [0, 1], axis: [1, 0]}\nforces:\n"
        "  - {type: rotational_spring, variable: a.distance, stiffness: 9}\n"
        "  - {type: rotational_spring, variable: b.distance, stiffness: 9, damping: 0.3}\n";
    for (int k = 0; k < 4; k++) {
        study s;
        find(text, NULL, 0, &(bl_modes_options){.coordinates = every_kind[k], .damping = BL_MODES_UNDAMPED}, &s);
        assert_int_equal(s.report.nmode, 2);
        assert_int_equal(s.report.mode[1].group, 1);
        for (int i = 0; i < 2; i++) {
            assert_near(s.report.mode[i].omega, 3, 1e-12);
            assert_near(s.report.mode[i].damping, i ? 0.05 : 0, 1e-12);
        }
        end(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiple_modes__are_those_that_damping_separates),
        cmocka_unit_test(pendulum__swings_with_sqrt_of_g_over_l),
        cmocka_unit_test(double_pendulums__have_their_two_frequencies),
        cmocka_unit_test(linkages__swing_about_where_they_hang),
        cmocka_unit_test(vehicle__has_three_rigid_modes_named),
        cmocka_unit_test(torsion_spring__holds_or_not),
        cmocka_unit_test(chain_between_walls__has_sines),
        cmocka_unit_test(linear_elements__have_their_closed_eigenvalues),
        cmocka_unit_test(free_chain__has_one_rigid_mode),
        cmocka_unit_test(membrane__keeps_multiple_frequencies_orthogonal),
        cmocka_unit_test(constrained_modes__are_the_same_by_both_methods),
        cmocka_unit_test(pulse__varies_as_published),
        cmocka_unit_test(bathe__answers_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
