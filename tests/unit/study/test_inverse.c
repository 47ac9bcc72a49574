/* Pieces of inverse dynamics: smoothing splines, tables with mistakes, energies over samples, forces within limits, memory. */
#include "study/inverse_private.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- smoothing */

static double curve(double t, int order) {
    return order == 0 ? sin(2 * t) + 0.3 * t * t : order == 1 ? 2 * cos(2 * t) + 0.6 * t : -4 * sin(2 * t) + 0.6;
}

/* through points h apart: error of order 6, of the second rate 4, at the ends too, however uneven the times */
static void interpolation__is_of_order_four_in_second_rates(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    double worst[3];
    for (int level = 0; level < 3; level++) {
        int n = 25 << level;
        double t[101], y[101];
        for (int i = 0; i <= n; i++) {
            t[i] = 3.0 * i / n + 0.02 * 3 * sin(20.0 * i / n);
            y[i] = curve(t[i], 0);
        }
        bl_smoothed s;
        assert_int_equal(bl_smoothed_create(ctx, n + 1, t, y, 0, &s), BL_OK);
        worst[level] = 0;
        for (double x = t[0]; x <= t[n]; x += 0.003) {
            double out[3];
            bl_smoothed_at(&s, x, out);
            worst[level] = fmax(worst[level], fabs(out[2] - curve(x, 2)));
        }
        bl_smoothed_destroy(&s);
    }
    if (!(worst[0] < 2e-2 && worst[1] < worst[0] / 10 && worst[2] < worst[1] / 10))
        fail_msg("errors of second rates %g %g %g", worst[0], worst[1], worst[2]);
    test_context_end(ctx);
}

/* a polynomial of degree 5 is not smoothed at all, whatever the noise */
static void polynomial__stays_as_it_is(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    double t[60], y[60];
    for (int i = 0; i < 60; i++) {
        t[i] = -1 + i / 30.0 + 0.005 * sin(i);
        y[i] = 1 + t[i] * (2 - t[i] * (1 + t[i] * (0.5 - t[i] * (0.25 + t[i]))));
    }
    for (int k = 0; k < 3; k++) {
        bl_smoothed s;
        assert_int_equal(bl_smoothed_create(ctx, 60, t, y, (double[]){0, 1e-3, NAN}[k], &s), BL_OK);
        for (bl_index i = 0; i < s.n; i++) {
            double x = s.t[i], second = -2 + x * (-3 + x * (3 + x * 20));
            if (!(fabs(s.x[3 * i + 2] - second) < 1e-6))
                fail_msg("noise %d: second rate at %g is off by %g", k, x, s.x[3 * i + 2] - second);
        }
        bl_smoothed_destroy(&s);
    }
    test_context_end(ctx);
}

/* the residual is the noise; derivatives are far better than differences; many rows are thinned where they add no information */
static void noise__is_what_is_left_over(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(5)};
    for (int many = 0; many < 2; many++) {
        int n = many ? 20000 : 400;
        double *t = malloc((size_t)n * sizeof *t), *y = malloc((size_t)n * sizeof *y), noise = 1e-3;
        for (int i = 0; i < n; i++) {
            double gauss = 0;
            for (int k = 0; k < 12; k++)
                gauss += test_random_unit(&random) - 0.5;
            t[i] = 5.0 * i / (n - 1);
            y[i] = curve(t[i], 0) + noise * gauss;
        }
        for (int given = 0; given < 2; given++) {
            bl_smoothed s;
            assert_int_equal(bl_smoothed_create(ctx, n, t, y, given ? noise : NAN, &s), BL_OK);
            double square = 0;
            bl_index count = 0;
            for (double x = 0.5; x < 4.5; x += 0.01, count++) {
                double out[3];
                bl_smoothed_at(&s, x, out);
                square += (out[2] - curve(x, 2)) * (out[2] - curve(x, 2));
            }
            if (given)
                assert_true(fabs(s.residual / noise - 1) < 2e-2);
            else
                assert_true(fabs(s.noise / noise - 1) < 0.1);
            if (!(sqrt(square / count) < 0.1)) /* differences: noise / h^2, 6 and more */
                fail_msg("%d rows: second rates are off by %g", n, sqrt(square / count));
            bl_smoothed_destroy(&s);
        }
        free(t);
        free(y);
    }
    test_context_end(ctx);
}

/* ---- tables */

static const char rod[] =
    "model: rod\ndimension: 2\nbodies: [{name: rod, rod: {from: [0, 0], to: [0, -1]}, mass: 1}]\n"
    "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}]\nprobes: {tip: {body: rod, at: [0, -1]}}\n";

static bl_status read(bl_context *ctx, const bl_model *model, const char *text) {
    bl_recording *rec;
    bl_status status = bl_recording_create(ctx, model, "table.csv", text, strlen(text), NULL, 0, 0, &rec);
    bl_recording_destroy(rec);
    return status;
}

static void tables__are_refused_with_their_line(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    assert_int_equal(bl_model_read_text(ctx, "rod", rod, strlen(rod), NULL, 0, &model), BL_OK);
    static const struct {
        const char *text, *what;
        int line;
    } bad[] = {
        {"", "empty", 0},
        {"0, 1\n1, 2\n", "headings", 1},
        {"t, B.angle\n0, 1\n", "no column of the table", 1},
        {"s, A.angle\n0, 1\n", "no time column", 1},
        {"t, A.angle\n0, 1\n1, 2\n", "2 rows", 0},
        {"t, A.angle\n0, 1\n1, \n2, 1\n3, 1\n4, 1\n5, 1\n", "column 'A.angle' is empty", 3},
        {"t, A.angle\n0, 1\n1\n2, 1\n3, 1\n4, 1\n5, 1\n", "has 1 fields", 3},
        {"t, A.angle\n0, 1\n1, x\n2, 1\n3, 1\n4, 1\n5, 1\n", "not a finite number", 3},
        {"t, A.angle\n0, 1\n1, nan\n2, 1\n3, 1\n4, 1\n5, 1\n", "not a finite number", 3},
        {"t, A.angle\n0, 1\n1, 1\n1, 1\n3, 1\n4, 1\n5, 1\n", "time must increase", 4},
        {"t, A.angle\n0, 1, 2\n", "more fields", 2},
        {"t, A.angle, A.angle\n0, 1, 2\n", "measure the same", 1},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(read(ctx, model, bad[k].text), BL_E_MODEL);
        const bl_error *error = bl_context_error(ctx);
        if (!strstr(error->what, bad[k].what) || error->line != bad[k].line)
            fail_msg("%d: '%s' in line %d, not '%s' in line %d", (int)k, error->what, error->line, bad[k].what, bad[k].line);
    }
    assert_int_equal(read(ctx, model, "\xef\xbb\xbf# measured\nTIME;\"A.angle\";note\n0;1;x\n1;1;\n2;1;y\n3;1;\n4;1;\n5;1;z\n"), BL_OK);
    assert_int_equal(read(ctx, model, "t\ttip.x\ttip.y\n0\t0\t-1\n1\t0\t-1\n2\t0\t-1\n3\t0\t-1\n4\t0\t-1\n5\t0\t-1\n"), BL_OK);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- energies */

/* powers that are cubics are integrated exactly from the third sample on, a jump begins anew */
static void energy__is_exact_for_cubics(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_actuators a;
    static const double t[] = {0, 0.1, 0.25, 0.3, 0.6, 1, 1.1};
    assert_int_equal(bl_actuators_create(ctx, 1, &a), BL_OK);
    for (int k = 0; k < 7; k++) {
        a.power[0] = 1 + t[k] * (2 + t[k] * (3 - 4 * t[k]));
        bl_actuators_take(&a, t[k], 0);
        if (k >= 3)
            assert_true(fabs(a.energy[0] - t[k] * (1 + t[k] * (1 + t[k] * (1 - t[k])))) < 1e-14);
    }
    double before = a.energy[0];
    a.power[0] = 7;
    bl_actuators_take(&a, 1.1, 1);
    assert_true(a.energy[0] == before);
    bl_actuators_take(&a, 1.3, 0);
    assert_true(fabs(a.energy[0] - before - 7 * 0.2) < 1e-14);
    bl_actuators_destroy(&a);
    test_context_end(ctx);
}

/* ---- limits */

/* u1 + u2 + 2 u3 = b: random limits; no other forces within them have a lesser sum of squares */
static void limits__least_of_all_that_keep_them(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(11)};
    int impossible = 0;
    for (int k = 0; k < 300; k++) {
        double A[3] = {1, 1, 2}, weight[3], limit[3], u[3], b = 6 * test_random_symmetric(&random), least = 0, sum = 0, reach = 0;
        bool possible;
        for (int i = 0; i < 3; i++) {
            weight[i] = 0.2 + test_random_unit(&random);
            limit[i] = 0.1 + 2 * test_random_unit(&random);
            sum += A[i] * A[i] / weight[i];
            reach += A[i] * limit[i];
        }
        for (int i = 0; i < 3; i++)
            u[i] = A[i] / weight[i] * b / sum;
        assert_int_equal(bl_least_bounded(ctx, 1, 3, A, weight, limit, u, &possible), BL_OK);
        assert_int_equal(possible, fabs(b) <= reach);
        impossible += !possible;
        if (!possible)
            continue;
        assert_true(fabs(u[0] + u[1] + 2 * u[2] - b) < 1e-9);
        for (int i = 0; i < 3; i++) {
            assert_true(fabs(u[i]) <= limit[i] * (1 + 1e-8));
            least += weight[i] * u[i] * u[i];
        }
        for (int trial = 0; trial < 200; trial++) {
            double v[3], other = 0;
            v[0] = limit[0] * test_random_symmetric(&random);
            v[1] = limit[1] * test_random_symmetric(&random);
            v[2] = (b - v[0] - v[1]) / 2;
            for (int i = 0; i < 3; i++)
                other += weight[i] * v[i] * v[i];
            assert_true(fabs(v[2]) > limit[2] || other > least - 1e-9);
        }
    }
    assert_true(impossible > 10 && impossible < 200);
    test_context_end(ctx);
}

/* ---- memory */

static char table_path[] = "/tmp/biela_inverse_XXXXXX";

static bl_status whole_study(bl_context *ctx, void *user) {
    static const char text[] =
        "model: two\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies: [{name: rod, rod: {from: [0, 0], to: [0, -1]}, mass: 1}, {name: s, mass: 1, center: [1, 0], inertia: 1}]\n"
        "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}, "
        "{name: G, type: prismatic, bodies: [ground, s], at: [1, 0], axis: [1, 0]}]\n"
        "drivers: [{variable: A.angle, value: =sin(t)}, {variable: G.distance, value: =t^2}]\n"
        "forces: [{type: joint_friction, joint: G, coefficient: 0.1, velocity: 0.1}]\n%s\n";
    char model_text[1024];
    bool by_table = *(int *)user == 2;
    snprintf(model_text, sizeof model_text, text,
             *(int *)user == 0
                 ? ""
                 : "inverse: {bounded: true, actuators: [{variable: A.angle, limit: 1}, {variable: G.distance, limit: 100}]}");
    bl_model *model = NULL;
    bl_status status = bl_model_read_text(ctx, "two", model_text, strlen(model_text), NULL, 0, &model);
    bl_inverse_options options = {
        .run = &(bl_run_options){.until = 0.1, .every = 0.05}, .check = *(int *)user == 1, .table = by_table ? table_path : NULL};
    bl_inverse_summary found = {0};
    if (status == BL_OK)
        status = bl_inverse(ctx, model, &options, NULL, 0, NULL, &found);
    bl_inverse_summary_destroy(ctx, &found);
    bl_model_destroy(model);
    return status;
}

static void failing_allocations__come_back_as_no_memory(void **state) {
    (void)state;
    FILE *file = fdopen(mkstemp(table_path), "w");
    assert_non_null(file);
    fprintf(file, "t,A.angle,G.distance\n");
    for (int k = 0; k <= 10; k++)
        fprintf(file, "%g,%.6f,%.6f\n", 0.01 * k, sin(0.01 * k), 1e-4 * k * k);
    fclose(file);
    for (int which = 0; which < 3; which++) {
        long failed = 0;
        for (long k = 1;; k += 1 + k / 15) { /* call paths repeat: of the later allocations only some fail */
            test_allocator allocator = {.fail_at = k};
            if (!test_run_failing(whole_study, &which, &allocator))
                break;
            failed++;
        }
        assert_true(failed > 50);
    }
    remove(table_path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpolation__is_of_order_four_in_second_rates),
        cmocka_unit_test(polynomial__stays_as_it_is),
        cmocka_unit_test(noise__is_what_is_left_over),
        cmocka_unit_test(tables__are_refused_with_their_line),
        cmocka_unit_test(energy__is_exact_for_cubics),
        cmocka_unit_test(limits__least_of_all_that_keep_them),
        cmocka_unit_test(failing_allocations__come_back_as_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
