/* A mass on a rotating spring (m = 2, k = 15, free length 10; Armero and Romero 2001 and many before): how methods change energy and
 * angular momentum with long steps. Exact: E = 100, J = 200. */
#include "support/handmade.h"
#include "support/testing.h"

#include "biela/biela.h"

#include <math.h>
#include <string.h>

#include "spring.inc"

static const char model_text[] = "model: Rotating spring\n"
                                 "dimension: 2\n"
                                 "gravity: [0, 0]\n"
                                 "points: {O: [0, 0], P: [0, 10]}\n"
                                 "bodies:\n"
                                 "  - {name: mass, points: [{mass: 2, at: P}], carry: [{point: P}]}\n"
                                 "forces:\n"
                                 "  - {type: spring, bodies: [ground, mass], at: O, to: P, stiffness: 15, length: 10}\n"
                                 "probes: {P: {body: mass, at: P}}\n"
                                 "initial: {mass: {velocity: [-10, 0]}}\n"
                                 "simulate: {until: 1}\n";

typedef struct record {
    long samples;
    double d[2], p[2];
    double energy, momentum, length;     /* now */
    double energy_error, momentum_error; /* largest */
    double rise;                         /* largest growth of energy in a step */
    double longest;
    const double (*rows)[5]; /* to compare with; NULL: none */
    double h, worst;
    int hit;
} record;

static bl_status look(void *user, const bl_sample *s) {
    record *r = user;
    double before = r->energy;
    for (int k = 0; k < 2; k++) {
        r->d[k] = s->probe[k];
        r->p[k] = 2 * s->probe_rate[k];
    }
    r->energy = s->kinetic + s->potential;
    r->momentum = r->d[0] * r->p[1] - r->d[1] * r->p[0];
    r->length = hypot(r->d[0], r->d[1]);
    r->longest = fmax(r->longest, r->length);
    r->energy_error = fmax(r->energy_error, fabs(r->energy - 100));
    r->momentum_error = fmax(r->momentum_error, fabs(r->momentum - 200));
    if (r->samples++ > 0)
        r->rise = fmax(r->rise, r->energy - before);
    for (int i = 0; r->rows && i < 6; i++)
        if (r->rows[i][0] > 0 && fabs(s->t - r->rows[i][0] * r->h) < 1e-9 * s->t) {
            for (int k = 0; k < 2; k++)
                r->worst = fmax(r->worst, fmax(fabs(r->d[k] - r->rows[i][1 + k]), fabs(r->p[k] - r->rows[i][3 + k])));
            r->hit++;
        }
    return BL_OK;
}

static record run(const char *integrator, double h, double until, const double (*rows)[5]) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    record seen = {.rows = rows, .h = h};
    bl_sink sink = {.user = &seen, .sample = look};
    assert_int_equal(bl_model_read_text(ctx, "spring", model_text, sizeof model_text - 1, NULL, 0, &model), BL_OK);
    bl_run_options options = {.formulation = "plain", .integrator = integrator, .until = until, .step = h, .every_step = true};
    bl_status status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
    if (status != BL_OK)
        print_error("%s: %s\n", integrator, bl_context_error(ctx)->what);
    assert_int_equal(status, BL_OK);
    bl_model_destroy(model);
    test_context_end(ctx);
    return seen;
}

/* The steps of the alpha methods are chaotic: 50 of them amplify rounding by 1e5. The others conserve invariants and amplify it less. */
static void steps__are_those_of_the_reference(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof spring_runs / sizeof *spring_runs; k++) {
        double h = spring_runs[k].h;
        bool has_50 = spring_runs[k].row[5][0] == 50;
        record seen = run(spring_runs[k].spec, h, (has_50 ? 50 : 5) * h, spring_runs[k].row);
        print_message("%s, h = %g: worst %.2e\n", spring_runs[k].spec, h, seen.worst);
        assert_int_equal(seen.hit, has_50 ? 6 : 5);
        assert_true(seen.worst < 1e-9);
    }
}

static void energy_momentum__keeps_energy_and_angular_momentum(void **state) {
    (void)state;
    record seen = run("energy_momentum", 1, 2000, NULL);
    print_message("energy_momentum, 2000 steps of 1: E - 100 = %.2e, J - 200 = %.2e\n", seen.energy_error, seen.momentum_error);
    assert_true(seen.energy_error < 1e-10);
    assert_true(seen.momentum_error < 1e-10);
    seen = run("energy_momentum", 1.6775, 50 * 1.6775, NULL);
    assert_true(seen.energy_error < 1e-11);
    assert_true(seen.momentum_error < 1e-11);
}

/* relative equilibrium: the mass circles at the length l where J^2 / (m l^3) = k (l - 10), E = 90.1446 */
static void edmc1__loses_energy_down_to_the_relative_equilibrium(void **state) {
    (void)state;
    record seen = run("edmc1:0.11", 1, 2000, NULL);
    double l = seen.length;
    print_message("edmc1, 2000 steps of 1: E = %.6f, J - 200 = %.2e, longest %.4f\n", seen.energy, seen.momentum_error, seen.longest);
    assert_near(seen.energy, 90.1446, 5e-5);
    assert_true(seen.momentum_error < 1e-10);
    assert_true(seen.rise < 1e-11);
    assert_near(seen.longest, 11.51, 5e-3);
    assert_near(200 * 200 / (2 * l * l * l), 15 * (l - 10), 1e-6);
    seen = run("edmc1:0.11", 1.6775, 50 * 1.6775, NULL);
    assert_true(seen.rise < 1e-11);
    assert_true(seen.momentum_error < 1e-11);
}

/* methods that conserve neither invariant lose both; figures of the reference implementation */
static void alpha_methods__lose_energy_and_angular_momentum(void **state) {
    (void)state;
    record hht = run("hht:0.111,guess=last,newton=full,iterations=50", 1, 2000, NULL);
    record bdf = run("bdf_alpha:-0.445,guess=last,newton=full,iterations=50", 1, 2000, NULL);
    print_message("2000 steps of 1: hht E = %.3f, J = %.2f; bdf_alpha E = %.3f, J = %.2f\n", hht.energy, hht.momentum, bdf.energy,
                  bdf.momentum);
    assert_near(hht.energy, 8.84, 0.02);
    assert_near(hht.momentum, 59.8, 0.1);
    assert_near(bdf.energy, 7.3, 0.1);
    assert_near(bdf.momentum, 54, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps__are_those_of_the_reference),
        cmocka_unit_test(energy_momentum__keeps_energy_and_angular_momentum),
        cmocka_unit_test(edmc1__loses_energy_down_to_the_relative_equilibrium),
        cmocka_unit_test(alpha_methods__lose_energy_and_angular_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
