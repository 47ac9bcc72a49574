/* Multistep methods on scenes: a pulse on a string, with the total variation that numerical dispersion and damping leave, and a mass
 * rotating on a stiff spring with steps of a fifth of a revolution. */
#include "study/run.h"
#include "study/simulation.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>

typedef struct subject {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_simulation *sim;
} subject;

static void begin(subject *s, const char *scene, const bl_override *set, bl_index nset, const char *integrator, double t_end, double h) {
    char path[256];
    *s = (subject){.ctx = test_context(NULL)};
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_model_read(s->ctx, path, set, nset, &s->model), BL_OK);
    assert_int_equal(bl_run_prepare(s->ctx, s->model, "natural", &s->sys, &s->state), BL_OK);
    bl_simulation_setup setup = {.formulation = "plain", .integrator = integrator, .t_end = t_end, .step = h};
    if (bl_simulation_create(s->sys, &s->state, &setup, &s->sim) != BL_OK)
        fail_msg("%s: %s", integrator, bl_context_error(s->ctx)->what);
}

static void advance(subject *s, int steps) {
    for (int i = 0; i < steps; i++)
        if (bl_simulation_advance(s->sim) != BL_OK)
            fail_msg("t = %g: %s", *s->sim->state.t, bl_context_error(s->ctx)->what);
}

static void end(subject *s) {
    bl_simulation_destroy(s->sim);
    bl_state_destroy(s->sys, &s->state);
    bl_system_destroy(s->sys);
    bl_model_destroy(s->model);
    test_context_end(s->ctx);
}

/* ---- u_tt = u_xx on [0, 8], 400 linear elements, a pulse of height 1 on [3, 5]; 175 of 1400 steps to t = 16 */

static double variation(const subject *s) {
    const double *u = s->sim->state.q;
    double sum = fabs(u[0]) + fabs(u[398]);
    for (int i = 0; i < 398; i++)
        sum += fabs(u[i + 1] - u[i]);
    return sum;
}

/* Total variation at t = 2, three digits, start by the trapezoidal rule; the solution itself has 2, all modes without error have 15.30. */
static void pulse__keeps_the_tabulated_variation(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        double variation;
        long factors;
    } cases[] = {{"trapezoidal", 13.16, 1},    {"bdf_alpha:-0.5", 13.16, 1}, {"bdf_alpha:-0.475065", 3.70, 2},
                 {"bdf_alpha:-0.35", 2.63, 2}, {"bdf:2", 2.93, 2},           {"ebdf:3", 3.93, 3},
                 {"endf:3", 4.28, 3},          {"mendf:3", 4.33, 3}};
    const bl_override set[] = {{"N", 400}, {"shape", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        subject s;
        begin(&s, "wave_1d", set, 2, cases[i].spec, 16, 16.0 / 1400);
        bl_formulation_stats before = s.sim->form->stats;
        advance(&s, 175);
        assert_float_equal(*s.sim->state.t, 2, 1e-12);
        double got = variation(&s);
        long factors = s.sim->form->stats.factors + s.sim->form->stats.refactors - before.factors - before.refactors;
        print_message("%s: %.4f, %ld factorizations\n", cases[i].spec, got, factors);
        assert_float_equal(got, cases[i].variation, 0.0051);
        assert_int_equal(factors, cases[i].factors);
        end(&s);
    }
}

/* ---- m = 2, k = 15, l0 = 10, momentum (-20, 0): energy 100, angular momentum 200 */

/* Steps of a reference implementation, with the last value as Newton's guess (the equations of a step have several roots). */
static void rotating_spring__takes_the_reference_steps(void **state) {
    (void)state;
    static const double table[2][6][5] = {{{1, -8.08982683382531, 8.08982683382531, -12.35930733530124, -7.640692664698761},
                                           {2, -10.69855450244759, 2.18659837624895, 1.595238441687973, -15.93799056110983},
                                           {3, -8.186532936881688, -5.948899741923491, 8.788188180795222, -16.98043261138123},
                                           {4, -2.839324394792212, -11.19684232440642, 12.78476380386067, -4.724255034189842},
                                           {5, 3.755455248181314, -9.89899388514386, 13.7613913771645, 9.762211497534418},
                                           {50, -10.61171626252605, -0.1256392306033055, -0.1036685270728217, -13.39616459254036}},
                                          {{1, -9.893765501802163, 5.89792280286269, -3.591691211450763, -9.78140613326333},
                                           {2, -7.404602493225917, -6.507268276782408, 9.690096262404607, -19.78708908361772},
                                           {3, 0.1188607493013799, -11.98116682135044, 8.987165883495067, 4.925239727747481},
                                           {4, 9.478206595959113, 1.8810234312774, 13.11672162007953, 28.11425236683753},
                                           {5, 8.767307987945467, 10.26272082925276, -13.23397144121079, -5.184030699642255},
                                           {0}}};
    static const double h[] = {1, 1.6775};
    for (int run = 0; run < 2; run++) {
        subject s;
        begin(&s, "rotating_spring", NULL, 0, "bdf_alpha:-0.445,guess=last,newton=full,newton_tolerance=1e-12", 50 * h[run], h[run]);
        int at = 0;
        for (int row = 0; row < 6 && table[run][row][0] > 0; row++) {
            const double *want = table[run][row];
            advance(&s, (int)want[0] - at);
            at = (int)want[0];
            double got[4] = {s.sim->state.q[0], s.sim->state.q[1], 2 * s.sim->state.v[0], 2 * s.sim->state.v[1]};
            for (int c = 0; c < 4; c++)
                assert_float_equal(got[c], want[1 + c], 1e-9); /* Newton there ended at about 1e-10; errors double in about ten steps */
        }
        end(&s);
    }
}

/* over 2000 steps bdf_alpha loses energy and momentum alike, to 7.3 and 54 (two digits) */
static void rotating_spring__is_damped_as_published(void **state) {
    (void)state;
    subject s;
    begin(&s, "rotating_spring", NULL, 0, "bdf_alpha:-0.445,guess=last", 2000, 1);
    advance(&s, 2000);
    const double *q = s.sim->state.q, *v = s.sim->state.v;
    double stretch = hypot(q[0], q[1]) - 10, energy = v[0] * v[0] + v[1] * v[1] + 7.5 * stretch * stretch;
    double momentum = 2 * (q[0] * v[1] - q[1] * v[0]);
    assert_float_equal(energy, 7.3, 0.06);
    assert_float_equal(momentum, 54, 0.6);
    end(&s);
}

/* ---- Robertson's reaction, after its transient with a step that does not resolve it: the quadratic equations of a step have two
 * solutions, and the one with negative y2 must not be used. At t = 0.4 (0.98517, 3.3864e-5, 1.4794e-2), Hindmarsh's example. */

static void robertson__stays_positive_and_reaches_the_known_values(void **state) {
    (void)state;
    static const char *const specs[] = {"bdf:2",  "bdf:3,start=ramp", "mebdf:3,start=ramp", "mendf:3,start=ramp",
                                        "endf:2", "bdf_alpha:-0.2",   "bdf:2,guess=last"};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        subject s;
        begin(&s, "robertson", NULL, 0, specs[i], 0.4, 0.01);
        for (int step = 0; step < 40; step++) {
            advance(&s, 1);
            assert_true(s.sim->state.z[1] > 0);
        }
        const double *z = s.sim->state.z;
        print_message("%s: %.6f %.5e %.5e, %.1f iterations per step\n", specs[i], z[0], z[1], z[2],
                      (double)s.sim->form->stats.newton_iterations / 40);
        assert_float_equal(z[0], 0.98517, 1e-4);
        assert_float_equal(z[1], 3.3864e-5, 2e-8);
        assert_float_equal(z[2], 1.4794e-2, 1e-4);
        end(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pulse__keeps_the_tabulated_variation),
        cmocka_unit_test(robertson__stays_positive_and_reaches_the_known_values),
        cmocka_unit_test(rotating_spring__takes_the_reference_steps),
        cmocka_unit_test(rotating_spring__is_damped_as_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
