/* tests/reference/stability.json: results of another implementation for amplification matrices, reproduced from the coefficients: those
 * given in the tests, and those of the integrators. */
#include "integrate/integrate.h"
#include "study/stability_private.h"
#include "support/formulas.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void make(const char *method, double p, bl_formula *f) {
    static const char *const extended[8] = {"ebdf", "ebndf", "enbdf", "endf", "mebdf", "mebndf", "menbdf", "mendf"};
    for (int v = 0; v < 8; v++)
        if (!strcmp(method, extended[v])) {
            test_extended((int)p, v & 2, v & 1, v & 4, f);
            return;
        }
    if (!strcmp(method, "bdf_alpha"))
        test_bdf_alpha(p, f);
    else if (!strcmp(method, "trapezoidal"))
        test_trapezoidal(f);
    else if (!strcmp(method, "hht"))
        test_hht(p, f);
    else if (!strcmp(method, "houbolt"))
        test_houbolt(f);
    else if (!strcmp(method, "wilson"))
        test_collocation(1 / 6.0, 0.5, p, f);
    else if (!strcmp(method, "collocation"))
        test_collocation(0.16, 0.5, p, f);
    else if (!strcmp(method, "edmc1"))
        test_edmc1(p, f);
    else if (!strcmp(method, "edmc2"))
        test_edmc2(p, f);
    else
        fail_msg("no method %s", method);
}

/* the same from the integrator of that name */
static void make_by_name(bl_context *ctx, const char *method, double p, bl_formula *f) {
    const bl_integrator_kind *kind = bl_integrator_kind_of(method);
    assert_non_null(kind);
    assert_non_null(kind->formula);
    char options[32];
    bl_value value[BL_MAX_PARAMS];
    bl_arena arena = {.ctx = ctx};
    snprintf(options, sizeof options, !strcmp(method, "collocation") ? "theta=%.7g" : "%.7g", p);
    bool none = !strcmp(method, "trapezoidal") || !strcmp(method, "houbolt");
    assert_int_equal(bl_kind_options(ctx, &arena, &kind->kind, none ? NULL : options, value), BL_OK);
    memset(f, 0, sizeof *f);
    assert_int_equal(kind->formula(kind, ctx, value, f), BL_OK);
    bl_arena_destroy(&arena);
}

/* the largest spectral radius for Omega from `first` to 1e4 in equal ratios */
static double largest(const bl_symbol *s, double first) {
    double most = 0, rho;
    for (int i = 0; i <= 600; i++) {
        bl_roots roots;
        bl_symbol_roots(s, I * (bl_complex)(first * pow(1e4 / first, i / 600.0)), &roots);
        rho = (double)bl_roots_radius(&roots);
        most = rho > most ? rho : most;
    }
    return most;
}

static void check_radius(bl_context *ctx, const bl_formula *f, const char *method, double parameter, double value) {
    bl_symbol s;
    assert_int_equal(bl_symbol_create(ctx, f, &s), BL_OK);
    /* the grids began where the radius is largest, at Omega = 0.01 (extended) and 0.001; -0.6 grows to |a|/(1 + a) = 1.5 */
    double found = largest(&s, strcmp(method, "bdf_alpha") ? 0.01 : 0.001), tolerance = value > 1.1 ? 1e-6 : 3e-14;
    if (!(fabs(found - value) < tolerance))
        fail_msg("%s %g: largest radius %.16g, not %.16g", method, parameter, found, value);
}

static void check_vibration(bl_context *ctx, const bl_formula *f, const char *method, const double *fact) {
    double rho, damping, period;
    bl_symbol s;
    assert_int_equal(bl_symbol_create(ctx, f, &s), BL_OK);
    bl_symbol_vibration(&s, 6.283185307179586 * fact[1], 0, &(bl_track){0}, &rho, &damping, &period);
    if (!(fabs(damping - fact[2]) < 0.6e-6 && fabs(period - fact[3]) < 0.6e-6)) /* six decimals */
        fail_msg("%s %g at %g: %.7f %.7f, not %.6f %.6f", method, fact[0], fact[1], damping, period, fact[2], fact[3]);
}

static void check_line(bl_context *ctx, const char *line, int *rho_facts, int *vibration_facts) {
    char method[32];
    double fact[4];
    bl_formula f, named;
    if (sscanf(line, " {\"method\": \"%31[^\"]\", \"parameter\": %lf, \"largest_rho\": %lf", method, &fact[0], &fact[1]) == 3) {
        make(method, fact[0], &f);
        make_by_name(ctx, method, fact[0], &named);
        check_radius(ctx, &f, method, fact[0], fact[1]);
        check_radius(ctx, &named, method, fact[0], fact[1]);
        ++*rho_facts;
    } else if (sscanf(line, " {\"method\": \"%31[^\"]\", \"parameter\": %lf, \"h_over_T\": %lf, \"damping\": %lf, \"period_error\": %lf",
                      method, &fact[0], &fact[1], &fact[2], &fact[3]) == 5) {
        make(method, fact[0], &f);
        make_by_name(ctx, method, fact[0], &named);
        check_vibration(ctx, &f, method, fact);
        check_vibration(ctx, &named, method, fact);
        ++*vibration_facts;
    }
}

static void facts__amplification_as_measured_elsewhere(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    FILE *file = fopen(TESTS "/reference/stability.json", "r");
    assert_non_null(file);
    char line[512];
    int rho_facts = 0, vibration_facts = 0;
    while (fgets(line, sizeof line, file))
        check_line(ctx, line, &rho_facts, &vibration_facts);
    fclose(file);
    assert_int_equal(rho_facts, 31);
    assert_int_equal(vibration_facts, 24);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(facts__amplification_as_measured_elsewhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
