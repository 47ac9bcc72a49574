/* Events that set numbers: times are exact and counted, values are those just before, everything happens once. Expected values are exact
 * solutions of a mass on a rail. */
#include "signal/signal.h"
#include "support/signals.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const coordinates[] = {"natural", "mixed", "reference", "relative"};
enum { NCOORDINATES = 4 };

#define MASS                                                                   \
    "dimension: 2\nbodies: [{name: c, mass: 1, center: [0, 0], inertia: 1}]\n" \
    "joints: [{name: j, type: prismatic, bodies: [ground, c], at: [0, 0], axis: [1, 0]}]\n"
#define PUSH(law) "forces: [{type: force, body: c, at: [0, 0], force: ['=" law "', 0]}]\n"

/* K7: x = 5 (t - 1)^2 / 2 up to t = 2, then v = 5 */
static void force_between_two_times__moves_the_mass_exactly(void **unused) {
    (void)unused;
    static const char *const integrators[] = {NULL, "dopri45", "dop853", "rk4", "radau", "ndf_auto", "genalpha", "series"};
    for (int c = 0; c < NCOORDINATES; c++)
        for (size_t k = 0; k < sizeof integrators / sizeof *integrators; k++) {
            test_signal_run run = {.text = MASS PUSH("F") "held: {F: 0}\nevents: [{at: 1, set: {F: 5}}, {at: 2, set: {F: 0}}]\n",
                                   .coordinates = coordinates[c],
                                   .integrator = integrators[k],
                                   .tolerance = 1e-9,
                                   .name = {"j.distance", "j.distance_rate", "F"},
                                   .at = {0.5, 1, 1.5, 2, 3},
                                   .nat = 5};
            if (integrators[k] && strcmp(integrators[k], "series") == 0 && c >= 2)
                continue; /* these coordinates have no power series */
            if (integrators[k] && (strcmp(integrators[k], "rk4") == 0 || strcmp(integrators[k], "genalpha") == 0))
                run.step = 0.03;
            test_signal_expect(&run);
            bool coarse = integrators[k] && strcmp(integrators[k], "genalpha") == 0; /* first order after a jump of the acceleration */
            double off = coarse ? 0.02 : 1e-8;
            test_signal_near(&run, 0, 0, 0, 1e-12);
            test_signal_near(&run, 2, 0, 5 * 0.25 / 2, off);
            test_signal_near(&run, 4, 0, 7.5, off);
            test_signal_near(&run, 4, 1, 5, off);
            test_signal_near(&run, 1, 2, 0, 0); /* samples at the time of an event are before it */
            test_signal_near(&run, 2, 2, 5, 0);
            assert_true(run.largest_energy_error < 1e-6);
        }
}

static void inputs_with_a_rate__are_ramps(void **unused) {
    (void)unused;
    for (int c = 0; c < NCOORDINATES; c++) {
        test_signal_run run = {.text = MASS PUSH("F") "inputs: {F: {value: 1, rate: 2}}\n",
                               .coordinates = coordinates[c],
                               .tolerance = 1e-10,
                               .name = {"j.distance", "F"},
                               .at = {1, 3},
                               .nat = 2};
        test_signal_expect(&run);
        test_signal_near(&run, 0, 0, 0.5 + 1.0 / 3, 1e-9);
        test_signal_near(&run, 1, 0, 4.5 + 9, 1e-8);
        test_signal_near(&run, 1, 1, 7, 1e-12);
        assert_true(run.largest_energy_error < 1e-7);
    }
}

/* values are those before the event, also of numbers that other events set at the same time */
static void simultaneous_events__see_the_values_before_and_happen_once(void **unused) {
    (void)unused;
    test_signal_run run = {.text = MASS "held: {a: 1, b: 2, n: 0, m: 0, last: 0}\n"
                                        "events:\n"
                                        "  - {every: 0.1, set: {a: =b, b: =a, n: =n + 1}}\n" /* a swap */
                                        "  - {every: 0.3, set: {m: =m + n}}\n"               /* 3 times 0.1 is not 0.3 */
                                        "  - {at: 0.6, set: {last: =10*n + m, n: 100}}\n",
                           .name = {"a", "b", "n", "m", "last"},
                           .at = {0.05, 0.25, 0.35, 0.59, 0.65, 0.95},
                           .nat = 6};
    test_signal_expect(&run);
    /* t = 0: n = 1, m = 0 + 0 */
    const double want[6][5] = {{2, 1, 1, 0, 0}, {2, 1, 3, 0, 0},    {1, 2, 4, 3, 0},
                               {1, 2, 6, 3, 0}, {2, 1, 100, 9, 63}, {1, 2, 103, 111, 63}};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 5; k++)
            test_signal_near(&run, i, k, want[i][k], 0);
}

static void offsets__shift_the_first_time(void **unused) {
    (void)unused;
    test_signal_run run = {.text = MASS "held: {n: 0}\nevents: [{every: 0.5, offset: 0.2, set: {n: =n + 1}}]\n",
                           .name = {"n"},
                           .at = {0.1, 0.3, 0.69, 0.71, 2},
                           .nat = 5};
    static const double want[] = {0, 1, 1, 2, 4};
    test_signal_expect(&run);
    for (int i = 0; i < 5; i++)
        test_signal_near(&run, i, 0, want[i], 0);
}

/* pushed by 1 N, x = t^2/2 reaches 1/2 at t = 1; then pulled back by 1 N, it returns there at t = 3 and is left alone */
static void events_of_the_motion__are_located(void **unused) {
    (void)unused;
    for (int c = 0; c < NCOORDINATES; c++) {
        test_signal_run run = {.text = MASS PUSH("F") "held: {F: 1, up: 0, down: 0, both: 0}\n"
                                                      "events:\n"
                                                      "  - {when: j.distance - 0.5, direction: up, set: {F: -1, up: =up + t}}\n"
                                                      "  - {when: j.distance - 0.5, direction: down, set: {F: 0, down: =down + t}}\n"
                                                      "  - {when: j.distance - 0.5, set: {both: =both + 1}}\n",
                               .coordinates = coordinates[c],
                               .tolerance = 1e-10,
                               .name = {"j.distance", "j.distance_rate", "up", "down", "both"},
                               .at = {0.9, 2, 3.5},
                               .nat = 3};
        test_signal_expect(&run);
        test_signal_near(&run, 0, 0, 0.405, 1e-10);
        test_signal_near(&run, 1, 0, 1, 1e-8); /* turns there */
        test_signal_near(&run, 1, 1, 0, 1e-8);
        test_signal_near(&run, 2, 0, 0, 1e-7);
        test_signal_near(&run, 2, 1, -1, 1e-8);
        test_signal_near(&run, 2, 2, 1, 1e-9);
        test_signal_near(&run, 2, 3, 3, 1e-8);
        test_signal_near(&run, 2, 4, 2, 0);
    }
}

/* an event may carry the function of another one, or its own, through zero */
static void events_caused_by_events__happen_at_the_same_time(void **unused) {
    (void)unused;
    test_signal_run run = {.text = MASS PUSH("F") "held: {F: 0, mode: 1, count: 0}\n"
                                                  "events:\n"
                                                  "  - {at: 1, set: {mode: 2}}\n"
                                                  "  - {when: mode - 1.5, direction: up, set: {F: 3, count: =count + 1}}\n",
                           .tolerance = 1e-10,
                           .name = {"j.distance", "F", "count"},
                           .at = {0.9, 1.1, 3},
                           .nat = 3};
    test_signal_expect(&run);
    test_signal_near(&run, 0, 1, 0, 0);
    test_signal_near(&run, 1, 1, 3, 0);
    test_signal_near(&run, 2, 0, 6, 1e-8);
    test_signal_near(&run, 2, 2, 1, 0);
}

static void event_that_changes_nothing__is_over(void **unused) {
    (void)unused;
    test_signal_run run = {.text = MASS PUSH("1") "held: {n: 7}\nevents: [{when: j.distance - 0.5, set: {n: 7}}]\n",
                           .tolerance = 1e-10,
                           .name = {"j.distance", "n"},
                           .at = {2},
                           .nat = 1};
    test_signal_expect(&run);
    test_signal_near(&run, 0, 0, 2, 1e-9);
}

static void stops__have_a_direction(void **unused) {
    (void)unused;
    /* x = sin t passes 1/2 upwards, then downwards at t = pi - pi/6 */
    test_signal_run run = {.text = MASS "forces: [{type: spring, bodies: [ground, c], at: [-1, 0], to: [0, 0], stiffness: 1, length: 1}]\n"
                                        "initial: {j.rate: 1}\nheld: {unused: 0}\n"
                                        "events: [{name: back, when: j.distance - 0.5, direction: down, stop: true}]\n",
                           .tolerance = 1e-11,
                           .name = {"j.distance"},
                           .at = {1, 4},
                           .nat = 2};
    assert_int_equal(test_signal_execute(&run), BL_EVENT);
    assert_true(fabs(run.summary.t - (3.14159265358979323846 - 0.5235987755982988)) < 1e-9);
    assert_string_equal(run.stopped_by, "back");
}

/* a damper that is switched on later, a potential that is not touched: the balance stays closed */
static void energy_balance__is_closed_over_events(void **unused) {
    (void)unused;
    for (int c = 0; c < NCOORDINATES; c++) {
        test_signal_run run = {
            .text = MASS "held: {d: 0, F: 0}\n"
                         "forces:\n"
                         "  - {type: spring, bodies: [ground, c], at: [-1, 0], to: [0, 0], stiffness: 10, length: 0.5, force: =d*xd}\n"
                         "  - {type: force, body: c, at: [0, 0], force: [=F, 0]}\n"
                         "events: [{at: 0.5, set: {d: 2}}, {every: 0.25, set: {F: =3 - F}}]\n",
            .coordinates = coordinates[c],
            .tolerance = 1e-9,
            .name = {"kinetic"},
            .at = {0.3, 0.6, 0.9, 1.2, 1.5, 2},
            .nat = 6};
        test_signal_expect(&run);
        assert_true(run.largest_energy_error < 1e-7);
    }
}

/* a million samples: every time is offset + k T to the last bit */
static void times__do_not_drift(void **unused) {
    (void)unused;
    static const char text[] = MASS "held: {n: 0}\nevents: [{every: 0.001, offset: 0.0003, set: {n: =n + 1}}]\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_eval e = {0};
    assert_int_equal(bl_model_read_text(ctx, "clock", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_signal_build(ctx, model, "natural", NULL, 0, &sys), BL_OK);
    assert_int_equal(bl_state_create(sys, 0, &state), BL_OK);
    assert_int_equal(bl_coords_initial(sys, &state), BL_OK);
    assert_int_equal(bl_eval_create(sys, BL_SEEN, &e), BL_OK);
    bl_eval_at(&e, &state);
    assert_int_equal(sys->kind->hold(sys, &e, &state), BL_OK);
    for (long k = 0; k < 1000000; k++) {
        double t;
        assert_int_equal(sys->kind->next_time(sys, &state, &t), BL_OK);
        if (t != 0.0003 + (double)k * 0.001)
            fail_msg("time %ld is %.17g", k, t);
        *state.t = t;
        bl_eval_at(&e, &state);
        assert_int_equal(sys->kind->jump(sys, &e, &state, -1), BL_OK);
    }
    double value;
    bl_eval_at(&e, &state);
    assert_int_equal(bl_signal_values(sys, &e, &value), BL_OK);
    assert_true(value == 1000000);
    bl_eval_destroy(sys, &e);
    bl_state_destroy(sys, &state);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void values_that_are_no_numbers__end_the_run(void **unused) {
    (void)unused;
    test_signal_run run = {
        .text = MASS "held: {n: 0}\nevents: [{name: root, at: 1, set: {n: =sqrt(n - 1)}}]\n", .name = {"n"}, .at = {2}, .nat = 1};
    assert_int_equal(test_signal_execute(&run), BL_E_MODEL);
    assert_non_null(strstr(run.message, "root sets 'n' to a value that is not a number at t = 1"));
}

/* dry friction as a jump, F = sign(v) 1.5 N, under a force of 1 + 0.1 k N and a spring: it sticks while the force is at most 1.5 N, then
 * x'' = a_k - 2 x between samples */
static void sampled_forces__free_a_mass_that_sticks(void **unused) {
    (void)unused;
    for (int c = 0; c < NCOORDINATES; c++) {
        test_signal_run run = {
            .text = MASS PUSH("F - 2*j.distance - 1.5*sign(j.rate)") "held: {F: 0, n: 0}\n"
                                                                     "events: [{every: 0.1, set: {F: '=1 + 0.1*n', n: =n + 1}}]\n",
            .coordinates = coordinates[c],
            .tolerance = 1e-9,
            .name = {"j.distance", "j.distance_rate", "F"},
            .at = {0.3, 0.55, 1, 2, 3},
            .nat = 5};
        test_signal_expect(&run);
        double x = 0, v = 0, w = sqrt(2);
        for (int k = 6; k < 30; k++) {
            double rest = (0.1 * k - 0.5) / 2, a = x - rest, b = v / w;
            x = rest + a * cos(0.1 * w) + b * sin(0.1 * w);
            v = w * (b * cos(0.1 * w) - a * sin(0.1 * w));
            if (k == 9 || k == 19 || k == 29) {
                test_signal_near(&run, 2 + (k - 9) / 10, 0, x, 1e-7);
                test_signal_near(&run, 2 + (k - 9) / 10, 1, v, 1e-7);
            }
        }
        for (int i = 0; i < 2; i++)
            test_signal_near(&run, i, 0, 0, 1e-9);
        test_signal_near(&run, 1, 2, 1.5, 1e-12);
        assert_true(run.largest_energy_error < 1e-7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force_between_two_times__moves_the_mass_exactly),
        cmocka_unit_test(inputs_with_a_rate__are_ramps),
        cmocka_unit_test(simultaneous_events__see_the_values_before_and_happen_once),
        cmocka_unit_test(offsets__shift_the_first_time),
        cmocka_unit_test(events_of_the_motion__are_located),
        cmocka_unit_test(events_caused_by_events__happen_at_the_same_time),
        cmocka_unit_test(event_that_changes_nothing__is_over),
        cmocka_unit_test(stops__have_a_direction),
        cmocka_unit_test(energy_balance__is_closed_over_events),
        cmocka_unit_test(times__do_not_drift),
        cmocka_unit_test(values_that_are_no_numbers__end_the_run),
        cmocka_unit_test(sampled_forces__free_a_mass_that_sticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
