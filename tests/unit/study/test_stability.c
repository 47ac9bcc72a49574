/* The parts of the stability laboratory: roots of polynomials made from known roots, refusals, memory, figures. */
#include "biela/biela.h"
#include "study/stability_private.h"
#include "support/formulas.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void roots__of_a_polynomial_made_from_them(void **unused) {
    (void)unused;
    test_random random = {test_seed(21)};
    for (int trial = 0; trial < 400; trial++) {
        int n = 1 + test_random_below(&random, 10);
        bl_complex made[16], p[17] = {1};
        for (int i = 0; i < n; i++) {
            made[i] = 1.5L * (test_random_symmetric(&random) + I * (bl_complex)test_random_symmetric(&random));
            if (test_random_below(&random, 8) == 0)
                made[i] = 0;
            for (int j = i + 1; j > 0; j--)
                p[j] = p[j - 1] - made[i] * p[j];
            p[0] = -made[i] * p[0];
        }
        bl_roots roots;
        bl_polynomial_roots(p, n, 2e-18L, &roots);
        assert_int_equal(roots.n, n);
        assert_int_equal(roots.lost, 0);
        for (int i = 0; i < n; i++) { /* each found root is near a made one, by its own bound times a margin for clusters */
            long double near = INFINITY;
            for (int j = 0; j < n; j++)
                near = fminl(near, cabsl(roots.r[i] - made[j]));
            if (!(near <= 20 * roots.error[i] + 1e-17L))
                fail_msg("root %d of %d is off by %Lg, its bound is %Lg", i, n, near, roots.error[i]);
        }
    }
}

static void roots__leading_zeros_are_lost_to_infinity(void **unused) {
    (void)unused;
    bl_roots roots;
    bl_polynomial_roots((bl_complex[]){-6, 5, -1, 0, 0}, 4, 1e-18L, &roots);
    assert_int_equal(roots.n, 2);
    assert_int_equal(roots.lost, 2);
    assert_true(isinf((double)bl_roots_radius(&roots)));
    assert_false(bl_roots_stable(&roots, 0));
    bl_polynomial_roots((bl_complex[]){0, 0, 0}, 2, 1e-18L, &roots);
    assert_int_equal(roots.lost, 2);
}

static void double_roots__are_reported_as_uncertain(void **unused) {
    (void)unused;
    bl_roots roots;
    bl_polynomial_roots((bl_complex[]){1, 2, 1}, 2, 4e-15L, &roots);
    for (int i = 0; i < 2; i++) {
        assert_true(cabsl(roots.r[i] + 1) < 1e-8L);
        assert_true(roots.error[i] > 1e-8L && roots.error[i] < 1e-6L);
    }
    assert_true(bl_roots_stable(&roots, 0));
}

static bl_status study(bl_context *ctx, const char *method, bl_stability_report *report) {
    bl_stability_options options = {.method = &method, .nmethod = 1};
    return bl_stability_study(ctx, &options, report);
}

static void study__refusals_with_a_reason(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_stability_report report = {0};
    double rho;
    assert_int_equal(study(ctx, "rk5", &report), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->what, "there is no integrator 'rk5'"));
    assert_non_null(strstr(bl_context_error(ctx)->advice, "rk4"));
    assert_int_equal(study(ctx, "rk4:3", &report), BL_E_ARG);
    assert_int_equal(bl_stability_study(ctx, &(bl_stability_options){0}, &report), BL_E_ARG);
    const char *method = "rk4";
    bl_stability_options options = {.method = &method, .nmethod = 1, .xi = 1};
    assert_int_equal(bl_stability_study(ctx, &options, &report), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->what, "0 <= xi < 1, found 1"));
    options = (bl_stability_options){.method = &method, .nmethod = 1, .at = (const double[]){0.1, 0}, .nat = 2};
    assert_int_equal(bl_stability_study(ctx, &options, &report), BL_E_ARG);
    assert_int_equal(bl_stability_radius(ctx, "nothing", 0, 0, &rho), BL_E_ARG);
    assert_int_equal(bl_stability_radius(ctx, "rk4", -1, 0, &rho), BL_OK);
    assert_true(fabs(rho - 0.375) < 1e-15);
    bl_formula none = {.shape = BL_FORMULA_MULTISTEP, .k = 2, .a = {1, -1, 0}, .b = {0, 0, 1}};
    bl_symbol s;
    assert_int_equal(bl_symbol_create(ctx, &none, &s), BL_E_ARG);
    none.k = 0;
    assert_int_equal(bl_symbol_create(ctx, &none, &s), BL_E_ARG);
    test_context_end(ctx);
}

static void formulas__that_are_not_consistent_are_reported_so(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_formula f = {.shape = BL_FORMULA_MULTISTEP, .k = 1, .a = {-0.5L, 1}, .b = {0, 1}};
    bl_stability_entry e = {0};
    assert_int_equal(bl_stability_of(ctx, &f, 0, &e), BL_OK);
    assert_int_equal(e.order, -1);
    assert_true(isnan(e.error_constant));
    assert_non_null(strstr(e.zero_words, "not consistent"));
    test_context_end(ctx);
}

/* parasitic roots may be larger than the principal one: damping and period follow the latter */
static void principal_root__is_followed_past_parasitic_ones(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_formula f;
    bl_symbol s;
    double rho, damping, period;
    test_bdf_alpha(9.5, &f);
    assert_int_equal(bl_symbol_create(ctx, &f, &s), BL_OK);
    bl_symbol_vibration(&s, 0.6283185307179586, 0, &(bl_track){0}, &rho, &damping, &period);
    /* closed form of the root that begins at 1 */
    bl_complex z = 0.6283185307179586L * I, a = 9.5L;
    bl_complex r = (-2 - 2 * a + z * a - csqrtl(z * z * a * a + 2 * z * (a + 1) + 1)) / (-3 - 2 * a + 2 * z * (1 + a));
    bl_complex other = (-2 - 2 * a + z * a + csqrtl(z * z * a * a + 2 * z * (a + 1) + 1)) / (-3 - 2 * a + 2 * z * (1 + a));
    assert_true(cabsl(other) > cabsl(r));
    assert_true(fabsl(rho - cabsl(other)) < 1e-12L);
    long double bar = hypotl(logl(cabsl(r)), cargl(r));
    assert_true(fabsl(damping + logl(cabsl(r)) / bar) < 1e-12L);
    assert_true(fabsl(period - (0.6283185307179586L / bar - 1)) < 1e-12L);
    test_context_end(ctx);
}

/* frequencies of a model are points on the same curves */
static void marks__lie_on_the_curves(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_stability_report report = {0};
    const char *method[] = {"hht:0.3", "bdf:2"};
    const double omega[] = {0.5, 3, 40}, h = 0.2,
                 at[] = {0.5 * 0.2 / 6.283185307179586, 3 * 0.2 / 6.283185307179586, 40 * 0.2 / 6.283185307179586};
    bl_stability_options options = {.method = method, .nmethod = 2, .at = at, .nat = 3, .omega = omega, .nomega = 3, .step = h};
    assert_int_equal(bl_stability_study(ctx, &options, &report), BL_OK);
    assert_true(report.step == h);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) {
            const bl_stability_table *asked = &report.entry[k].at, *marks = &report.entry[k].marks;
            assert_int_equal(marks->n, 3);
            assert_true(fabs(marks->h_over_T[i] - asked->h_over_T[i]) < 1e-15);
            assert_true(fabs(marks->rho[i] - asked->rho[i]) < 1e-13 && fabs(marks->damping[i] - asked->damping[i]) < 1e-13);
            assert_true(fabs(marks->period_error[i] - asked->period_error[i]) < 1e-12);
        }
    bl_stability_report_destroy(ctx, &report);
    options.step = 0;
    assert_int_equal(bl_stability_study(ctx, &options, &report), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->what, "a positive step size"));
    options.step = 1;
    options.omega = (const double[]){1, 0, 2};
    assert_int_equal(bl_stability_study(ctx, &options, &report), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->what, "frequency 0"));
    test_context_end(ctx);
}

/* with physical damping the exact solution has the damping xi: so has the method for small steps */
static void damping__tends_to_the_physical_one(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_stability_report report = {0};
    const char *method = "rk4";
    bl_stability_options options = {.method = &method, .nmethod = 1, .xi = 0.1, .at = (const double[]){0.01}, .nat = 1};
    assert_int_equal(bl_stability_study(ctx, &options, &report), BL_OK);
    assert_true(report.xi == 0.1 && report.entry->at.n == 1);
    assert_true(fabs(report.entry->at.damping[0] - 0.1) < 1e-6 && fabs(report.entry->at.period_error[0]) < 1e-6);
    bl_stability_report_destroy(ctx, &report);
    bl_formula f;
    bl_symbol s;
    double rho, damping, period;
    test_hht(0.1, &f);
    assert_int_equal(bl_symbol_create(ctx, &f, &s), BL_OK);
    bl_symbol_vibration(&s, 0.01, 0.1, &(bl_track){0}, &rho, &damping, &period);
    assert_true(fabs(damping - 0.1) < 1e-4 && fabs(period) < 1e-4);
    test_context_end(ctx);
}

/* ---- memory */

static bl_status whole(bl_context *ctx, void *user) {
    (void)user;
    const char *method = "rk4";
    bl_stability_options options = {.method = &method, .nmethod = 1, .region = true};
    bl_stability_report report = {0};
    bl_status status = bl_stability_study(ctx, &options, &report);
    bl_stability_report_destroy(ctx, &report);
    return status;
}

static bl_status boundary(bl_context *ctx, void *user) {
    bl_symbol s;
    bl_arena arena = {.ctx = ctx};
    bl_index nline;
    const bl_stability_line *line;
    bl_status status = bl_symbol_create(ctx, user, &s);
    if (status == BL_OK)
        status = bl_symbol_boundary(&s, &arena, &nline, &line);
    bl_arena_destroy(&arena);
    return status;
}

static void memory__every_allocation_may_fail(void **unused) {
    (void)unused;
    bl_formula f;
    assert_true(test_failing_allocations(whole, NULL) > 10);
    test_newmark(0, 0.5, &f);
    assert_true(test_failing_allocations(boundary, &f) > 3);
}

/* ---- figures */

static char *read_all(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    char *text = calloc(1, 1 << 20);
    size_t n = fread(text, 1, (1 << 20) - 1, file);
    text[n] = '\0';
    fclose(file);
    return text;
}

typedef struct drawing {
    const char *path;
    const bl_stability_report *report;
} drawing;

static void study_two(bl_context *ctx, bl_stability_report *report) {
    static const char *const methods[] = {"rk4", "dopri45"};
    bl_stability_options options = {.method = methods, .nmethod = 2, .region = true};
    assert_int_equal(bl_stability_study(ctx, &options, report), BL_OK);
}

/* without gnuplot: done when it is missed */
static bl_status draw_in_vain(bl_context *ctx, void *user) {
    const drawing *d = user;
    bl_status status = bl_stability_figure(ctx, d->report, d->path);
    if (status != BL_E_ABILITY)
        return status;
    bl_context_clear_error(ctx);
    return BL_OK;
}

static void figure__data_and_script_stay_without_gnuplot(void **unused) {
    (void)unused;
    char folder[] = "/tmp/biela_stability_XXXXXX", path[64], script[64], data[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/two.svg", folder);
    snprintf(script, sizeof script, "%s/two.gp", folder);
    snprintf(data, sizeof data, "%s/two.dat", folder);
    char *kept = strdup(getenv("PATH") ? getenv("PATH") : "");
    setenv("PATH", "/nowhere", 1);
    bl_context *ctx = test_context(NULL);
    bl_stability_report report = {0};
    study_two(ctx, &report);
    drawing d = {path, &report};
    assert_int_equal(bl_stability_figure(ctx, &report, path), BL_E_ABILITY);
    assert_int_equal(bl_context_error(ctx)->status, BL_E_ABILITY);
    assert_non_null(strstr(bl_context_error(ctx)->what, "gnuplot is not installed"));
    assert_non_null(strstr(bl_context_error(ctx)->advice, "gnuplot two.gp"));
    assert_true(test_failing_allocations(draw_in_vain, &d) > 3);
    bl_stability_report_destroy(ctx, &report);
    test_context_end(ctx);
    setenv("PATH", kept, 1);
    free(kept);
    char *text = read_all(script);
    assert_non_null(text);
    assert_non_null(strstr(text, "set output './'.'two.svg'"));
    assert_non_null(strstr(text, "title 'dopri45'"));
    free(text);
    text = read_all(data);
    assert_non_null(text);
    assert_non_null(strstr(text, "# rk4: h/T"));
    free(text);
    assert_int_not_equal(access(path, F_OK), 0);
    unlink(script);
    unlink(data);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left */
}

static void figure__is_drawn_by_gnuplot(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    char good[] = "/tmp/biela it's_XXXXXX", path[64]; /* blanks and quotes */
    bl_stability_report report = {0};
    study_two(ctx, &report);
    assert_non_null(mkdtemp(good));
    snprintf(path, sizeof path, "%s/two.svg", good);
    bl_status status = bl_stability_figure(ctx, &report, path);
    if (status == BL_E_ABILITY)
        print_message("gnuplot is not installed\n");
    else {
        assert_int_equal(status, BL_OK);
        char *text = read_all(path);
        assert_non_null(text);
        assert_non_null(strstr(text, "<svg"));
        assert_non_null(strstr(text, "stability regions"));
        assert_non_null(strstr(text, "</svg>"));
        free(text);
    }
    static const char *const names[] = {"svg", "gp", "dat"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/two.%s", good, names[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(good), 0);
    bl_stability_report_destroy(ctx, &report);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots__of_a_polynomial_made_from_them),
        cmocka_unit_test(roots__leading_zeros_are_lost_to_infinity),
        cmocka_unit_test(double_roots__are_reported_as_uncertain),
        cmocka_unit_test(study__refusals_with_a_reason),
        cmocka_unit_test(formulas__that_are_not_consistent_are_reported_so),
        cmocka_unit_test(principal_root__is_followed_past_parasitic_ones),
        cmocka_unit_test(marks__lie_on_the_curves),
        cmocka_unit_test(damping__tends_to_the_physical_one),
        cmocka_unit_test(memory__every_allocation_may_fail),
        cmocka_unit_test(figure__data_and_script_stay_without_gnuplot),
        cmocka_unit_test(figure__is_drawn_by_gnuplot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
