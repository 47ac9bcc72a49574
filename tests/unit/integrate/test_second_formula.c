/* The amplification matrices that second-order methods give to the stability laboratory carry on what the integrators themselves carry. */
#include "base/kind.h"
#include "integrate/method_coefficients.h"
#include "support/handmade.h"
#include "support/stepping.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

static const char *const specs[] = {
    "newmark",   "newmark:0.3,0.6", "hht:0.05", "hht:0.3", "wbz:-0.1",        "genalpha:0.8", "genalpha:0.1",
    "houbolt",   "collocation",     "wilson",   "central", "energy_momentum", "edmc1:0.3",    "edmc1:chi1=0.4,chi2=0.1",
    "edmc2:0.5", "edmc2:0",         "dimcd"};
enum { NSPEC = sizeof specs / sizeof *specs, STEPS = 12 };

static void formula_of(bl_context *ctx, const char *spec, bl_formula *formula) {
    const bl_integrator_kind *kind = bl_integrator_kind_of(spec);
    bl_arena arena = {.ctx = ctx};
    bl_value value[BL_MAX_PARAMS];
    const char *colon = strchr(spec, ':');
    assert_int_equal(bl_kind_options(ctx, &arena, &kind->kind, colon ? colon + 1 : NULL, value), BL_OK);
    assert_int_equal(kind->formula(kind, ctx, value, formula), BL_OK);
    assert_int_equal(formula->shape, BL_FORMULA_OSCILLATOR);
    bl_arena_destroy(&arena);
}

static void amplification__is_what_the_integrator_does(void **state) {
    (void)state;
    for (int k = 0; k < NSPEC; k++)
        for (int damped = 0; damped < 2; damped++) {
            bl_context *ctx = test_context(NULL);
            double h = 0.4, w = 2.3, xi = damped ? 0.15 : 0, q[STEPS + 1], v[STEPS + 1], A[36];
            test_linear oscillator = {.n = 1, .M = {1}, .C = {2 * xi * w}, .K = {w * w}};
            bl_function function = test_linear_function(&oscillator, true);
            test_stepping s;
            q[0] = 0.7, v[0] = -0.4;
            test_stepping_begin(ctx, &function, "plain", specs[k], 100, h, q, v, NULL, &s);
            for (int n = 1; n <= STEPS; n++) {
                assert_int_equal(bl_integrator_step(s.integ, NULL), BL_OK);
                q[n] = s.integ->y[0];
                v[n] = s.integ->y[1];
            }
            bl_formula formula;
            formula_of(ctx, specs[k], &formula);
            formula.amplify(&formula, h * w, xi, A);
            /* memory: (d, h v[, h^2 a]), or as many positions as there are steps */
            bool positions = formula.k > 1;
            double x[6] = {q[0], h * v[0], -h * h * (w * w * q[0] + 2 * xi * w * v[0])}, next[6];
            int first = positions ? formula.k : 0;
            for (int i = 0; positions && i < formula.n; i++)
                x[i] = q[first - i];
            for (int n = first + 1; n <= STEPS; n++) {
                for (int i = 0; i < formula.n; i++) {
                    next[i] = 0;
                    for (int j = 0; j < formula.n; j++)
                        next[i] += A[i * formula.n + j] * x[j];
                }
                memcpy(x, next, sizeof x);
                assert_near(x[0], q[n], 1e-12);
                if (!positions)
                    assert_near(x[1], h * v[n], 1e-12);
            }
            test_stepping_end(&s);
            test_context_end(ctx);
        }
}

/* largest growth of the memory over many steps at a huge h omega */
static double radius_at_infinity(const char *spec) {
    bl_context *ctx = test_context(NULL);
    bl_formula f;
    formula_of(ctx, spec, &f);
    test_context_end(ctx);
    enum { MANY = 4000 };
    double A[36], x[6] = {0.3, 0.7, -0.2}, next[6], grown = 0;
    f.amplify(&f, 1e7, 0, A);
    for (int n = 0; n < 2 * MANY; n++) {
        double size = 0;
        for (int i = 0; i < f.n; i++) {
            next[i] = 0;
            for (int j = 0; j < f.n; j++)
                next[i] += A[i * f.n + j] * x[j];
            size = fmax(size, fabs(next[i]));
        }
        if (size < 1e-200)
            return 0;
        for (int i = 0; i < f.n; i++)
            x[i] = next[i] / size;
        grown += n >= MANY ? log(size) : 0;
    }
    return exp(grown / MANY);
}

/* Closed forms: (1 - alpha)/(1 + alpha), (1 + alpha)/(1 - alpha), rho itself, (1 - chi)/(1 + chi), 0; collocation 0.3924 and Wilson 0.7784
 * (Hilber and Hughes 1978). A defective double eigenvalue lets the growth approach the radius only like 1/n. */
static void high_frequencies__are_damped_as_published(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        double radius;
    } facts[] = {{"hht:0.05", 0.904762},  {"hht:0.3", 0.538462},    {"wbz:-0.1", 0.818182}, {"genalpha:0.8", 0.8},
                 {"genalpha:0.3", 0.3},   {"edmc1:0.11", 0.801802}, {"energy_momentum", 1}, {"wilson", 0.7784},
                 {"collocation", 0.3924}, {"houbolt", 0},           {"edmc2:0.5", 0}};
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++) {
        double radius = radius_at_infinity(facts[k].spec);
        print_message("%s: %.4f\n", facts[k].spec, radius);
        assert_near(radius, facts[k].radius, 2e-3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amplification__is_what_the_integrator_does),
        cmocka_unit_test(high_frequencies__are_damped_as_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
