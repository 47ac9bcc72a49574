/* Methods of second order on mechanisms: order 2 of positions by index3 and ggl, energy of constrained motion to rounding. */
#include "support/handmade.h"
#include "support/scene.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* largest error of the first two columns (positions) up to the time of row `last` */
static double position_error(const char *scene, const scene_case *whole, bl_index last, const char *formulation, const char *integrator,
                             double step) {
    scene_case c = *whole;
    scene_settings settings = {.formulation = formulation, .integrator = integrator, .step = step, .tolerance = 1e-8};
    scene_result result;
    double worst = 0;
    c.nrow = last + 1;
    scene_run(scene, &c, &settings, &result);
    for (bl_index r = 0; r < c.nrow; r++)
        for (bl_index k = 0; k < 2; k++)
            worst = fmax(worst, fabs(result.value[r * c.ncolumn + k] - c.value[r * c.ncolumn + k]));
    scene_result_free(&result);
    return worst;
}

/* Halving h divides errors by 4, modified by the next term: within 0.15 at these steps. */
static void positions__have_order_2(void **state) {
    (void)state;
    static const struct {
        const char *scene;
        bl_index last;
        double step;
    } scenes[] = {{"pendulum", 2, 0.005}, {"double_pendulum", 2, 0.0025}, {"four_bar", 1, 0.0005}};
    static const struct {
        const char *integrator, *formulation;
    } methods[] = {{"genalpha", "index3"}, {"hht", "index3"},
                   {"wbz", "index3"},      {"houbolt", "index3"},
                   {"wilson", "index3"},   {"collocation", "index3"},
                   {"central", "index3"},  {"energy_momentum", "index3"},
                   {"genalpha", "ggl"},    {"hht", "ggl"},
                   {"newmark", "ggl"},     {"wbz", "ggl"},
                   {"houbolt", "ggl"},     {"wilson", "ggl"},
                   {"collocation", "ggl"}};
    for (int s = 0; s < 3; s++) {
        scene_case *cases;
        bl_index n = scene_cases_read(scenes[s].scene, &cases);
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            double error[2];
            for (int half = 0; half < 2; half++)
                error[half] = position_error(scenes[s].scene, &cases[0], scenes[s].last, methods[k].formulation, methods[k].integrator,
                                             scenes[s].step / (1 + half));
            double order = log2(error[0] / error[1]);
            print_message("%-16s %-16s %-7s errors %.2e, %.2e: order %.3f\n", scenes[s].scene, methods[k].integrator,
                          methods[k].formulation, error[0], error[1], order);
            assert_near(order, 2, 0.15);
        }
        scene_cases_free(cases, n);
    }
}

/* ---- energy */

/* a closed loop with springs between bodies and to ground; step 0.02 is a thirtieth of the fastest oscillation */
static const char springs[] =
    "model: Four bar with springs\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "parameters: {damping: 0, push: 0}\n"
    "points: {O: [0, 0], A: [0, 1], B: [2, 2], C: [2, 0], S: [-1, 2]}\n"
    "bodies:\n"
    "  - {name: crank, rod: {from: O, to: A}, mass: 1}\n"
    "  - {name: coupler, rod: {from: A, to: B}, mass: 2}\n"
    "  - {name: rocker, rod: {from: C, to: B}, mass: 3}\n"
    "joints:\n"
    "  - {name: j1, type: revolute, bodies: [ground, crank], at: O}\n"
    "  - {name: j2, type: revolute, bodies: [crank, coupler], at: A}\n"
    "  - {name: j3, type: revolute, bodies: [coupler, rocker], at: B}\n"
    "  - {name: j4, type: revolute, bodies: [ground, rocker], at: C}\n"
    "forces:\n"
    "  - {type: spring, bodies: [ground, coupler], at: S, to: [1, 1.5], stiffness: 200, length: 1, damping: =damping}\n"
    "  - {type: spring, bodies: [crank, rocker], at: [0, 0.5], to: [2, 1], stiffness: 50, length: 0}\n"
    "  - {type: force, body: rocker, at: B, force: [=push, 0]}\n"
    "probes: {A: {body: crank, at: A}}\n"
    "simulate: {until: 20}\n";

/* two rods on spherical joints in space, held by springs */
static const char spatial[] = "model: Rods in space with springs\n"
                              "dimension: 3\n"
                              "gravity: [0, 0, -9.81]\n"
                              "points: {O: [0, 0, 0], A: [1, 0, 0], B: [1, 1, 0]}\n"
                              "bodies:\n"
                              "  - {name: first, box: {center: [0.5, 0, 0], size: [1, 0.2, 0.1]}, mass: 2}\n"
                              "  - {name: second, box: {center: [1, 0.5, 0], size: [0.1, 1, 0.2]}, mass: 1}\n"
                              "joints:\n"
                              "  - {name: j1, type: spherical, bodies: [ground, first], at: O}\n"
                              "  - {name: j2, type: revolute, bodies: [first, second], at: A, axis: [0, 0, 1]}\n"
                              "forces:\n"
                              "  - {type: spring, bodies: [ground, first], at: [0, 0, 2], to: A, stiffness: 60, length: 1}\n"
                              "  - {type: spring, bodies: [ground, second], at: [2, 2, 1], to: B, stiffness: 80, length: 0.5}\n"
                              "probes: {B: {body: second, at: B}}\n"
                              "simulate: {until: 20}\n";

/* three masses in free flight, joined by springs */
static const char flight[] = "model: Three masses\n"
                             "dimension: 3\n"
                             "gravity: [0, 0, 0]\n"
                             "points: {A: [1, 0, 0], B: [0, 1.2, 0], C: [0, 0, 0.8]}\n"
                             "bodies:\n"
                             "  - {name: a, points: [{mass: 1, at: A}], carry: [{point: A}]}\n"
                             "  - {name: b, points: [{mass: 2, at: B}], carry: [{point: B}]}\n"
                             "  - {name: c, points: [{mass: 3, at: C}], carry: [{point: C}]}\n"
                             "forces:\n"
                             "  - {type: spring, bodies: [a, b], at: A, to: B, stiffness: 30, length: 1}\n"
                             "  - {type: spring, bodies: [b, c], at: B, to: C, stiffness: 40, length: 1}\n"
                             "  - {type: spring, bodies: [c, a], at: C, to: A, stiffness: 50, length: 1}\n"
                             "probes: {A: {body: a, at: A}, B: {body: b, at: B}, C: {body: c, at: C}}\n"
                             "initial: {a: {velocity: [0, 1, 2]}, b: {velocity: [1, 0, -1]}, c: {velocity: [-0.5, 1, 0]}}\n"
                             "simulate: {until: 20}\n";

typedef struct record {
    long samples;
    double first, last, smallest, largest; /* total energy */
    double balance;                        /* largest |energy - work - start| */
    double rise, drift, kinetic;           /* largest */
    double momentum[6], momentum_error;    /* linear and angular, of the three masses */
} record;

static bl_status look(void *user, const bl_sample *s) {
    record *r = user;
    double energy = s->kinetic + s->potential;
    if (r->samples == 0)
        r->first = r->last = r->smallest = r->largest = energy;
    r->rise = fmax(r->rise, energy - r->last);
    r->last = energy;
    r->smallest = fmin(r->smallest, energy);
    r->largest = fmax(r->largest, energy);
    r->balance = fmax(r->balance, fabs(s->energy_error));
    r->drift = fmax(r->drift, s->drift);
    r->kinetic = fmax(r->kinetic, s->kinetic);
    r->samples++;
    return BL_OK;
}

static bl_status look_at_masses(void *user, const bl_sample *s) {
    record *r = user;
    double now[6] = {0};
    for (int i = 0; i < 3; i++) {
        const double *x = s->probe + 3 * i, *v = s->probe_rate + 3 * i;
        double turn[3];
        test_cross(x, v, turn);
        for (int k = 0; k < 3; k++) {
            now[k] += (i + 1) * v[k];
            now[3 + k] += (i + 1) * turn[k];
        }
    }
    for (int k = 0; k < 6; k++) {
        if (r->samples == 0)
            r->momentum[k] = now[k];
        r->momentum_error = fmax(r->momentum_error, fabs(now[k] - r->momentum[k]));
    }
    return look(user, s);
}

static bl_status try_run(bl_context *ctx, const char *text, const bl_override *set, bl_index nset, const bl_run_options *options,
                         record *seen) {
    bl_model *model = NULL;
    bl_sink sink = {.user = seen, .sample = text == flight ? look_at_masses : look};
    bl_status status = bl_model_read_text(ctx, "test", text, strlen(text), set, nset, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, options, &sink, 1, NULL);
    bl_model_destroy(model);
    return status;
}

static record run(const char *text, const char *formulation, const char *integrator, double step, double until, const bl_override *set,
                  bl_index nset) {
    bl_context *ctx = test_context(NULL);
    record seen = {0};
    bl_run_options options = {.formulation = formulation, .integrator = integrator, .step = step, .until = until, .every_step = true};
    bl_status status = try_run(ctx, text, set, nset, &options, &seen);
    if (status != BL_OK)
        print_error("%s: %s\n", integrator, bl_context_error(ctx)->what);
    assert_int_equal(status, BL_OK);
    test_context_end(ctx);
    return seen;
}

/* energies are of the order of 100 J and exchange tens of J; positions satisfy the constraints */
static void energy_momentum__keeps_the_energy_of_constrained_mechanisms(void **state) {
    (void)state;
    const char *const text[] = {springs, spatial};
    for (int i = 0; i < 2; i++) {
        double h = i ? 0.01 : 0.02; /* the rods rotate with up to 60 rad/s */
        record seen = run(text[i], "index3", "energy_momentum", h, 1000 * h, NULL, 0);
        print_message("energy %.6f J, off by %.2e over %ld steps; drift %.1e\n", seen.first, seen.largest - seen.smallest, seen.samples,
                      seen.drift);
        assert_true(seen.samples == 1001);
        assert_true(seen.largest - seen.smallest < 1e-10);
        assert_true(seen.drift < 1e-12);
        /* results of other methods with the same steps */
        record hht = run(text[i], "index3", "hht", h, 1000 * h, NULL, 0);
        assert_true(hht.largest - hht.smallest > 1e-3);
    }
}

/* Scenes in natural coordinates: loops, redundant rows, singular configurations, springs, a spinning top; adaptive steps. The energy error
 * is the rounding of its parts: 1e-10 of the largest kinetic energy. */
static void scenes__keep_their_energy_balance_to_rounding(void **state) {
    (void)state;
    static const struct {
        const char *scene;
        double step, until;
    } scenes[] = {{"slider_crank", 0.005, 2},  {"spatial_slider_crank", 0.005, 2}, {"bricard", 0.01, 5},     {"flyball_governor", 0.005, 2},
                  {"n_four_bar", 0.01, 2},     {"heavy_top", 0.001, 0.2},          {"andrews", 2e-5, 0.005}, {"pendulum", 0.05, 10},
                  {"double_pendulum", 0.01, 5}};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        record seen = {0};
        char file[256];
        snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scenes[k].scene);
        bl_sink sink = {.user = &seen, .sample = look};
        bl_run_options options = {.coordinates = "natural",
                                  .formulation = "index3",
                                  .integrator = "energy_momentum",
                                  .step = scenes[k].step,
                                  .until = scenes[k].until,
                                  .every_step = true};
        assert_int_equal(bl_model_read(ctx, file, NULL, 0, &model), BL_OK);
        bl_status status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
        if (status != BL_OK)
            print_error("%s: %s\n", scenes[k].scene, bl_context_error(ctx)->what);
        assert_int_equal(status, BL_OK);
        print_message("%s: balance %.2e of %.3g J, drift %.1e\n", scenes[k].scene, seen.balance, seen.kinetic, seen.drift);
        assert_true(seen.balance < 1e-10 * fmax(seen.kinetic, 1e-3));
        assert_true(seen.drift < 1e-11);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* dampers dissipate energy in every step, a constant force does work at the midpoint: both are accounted for to rounding */
static void energy_momentum__balances_dampers_and_loads(void **state) {
    (void)state;
    const bl_override damped[] = {{"damping", 3}}, pushed[] = {{"push", 7}}, both[] = {{"damping", 3}, {"push", 7}};
    record seen = run(springs, "index3", "energy_momentum", 0.02, 5, damped, 1);
    print_message("damped: from %.4f to %.4f J, balance %.2e\n", seen.first, seen.last, seen.balance);
    assert_true(seen.rise <= 1e-11);
    assert_true(seen.last < seen.first - 1);
    assert_true(seen.balance < 1e-10);
    seen = run(springs, "index3", "energy_momentum", 0.02, 5, pushed, 1);
    assert_true(seen.largest - seen.smallest > 1);
    assert_true(seen.balance < 1e-10);
    seen = run(springs, "index3", "energy_momentum", 0.02, 5, both, 2);
    assert_true(seen.balance < 1e-10);
}

static void free_flight__keeps_linear_and_angular_momentum(void **state) {
    (void)state;
    record keeping = run(flight, "plain", "energy_momentum", 0.1, 100, NULL, 0);
    print_message("energy_momentum: energy off by %.2e, momenta by %.2e\n", keeping.largest - keeping.smallest, keeping.momentum_error);
    assert_true(keeping.largest - keeping.smallest < 1e-10);
    assert_true(keeping.momentum_error < 1e-10);
    record losing = run(flight, "plain", "edmc1:0.2", 0.1, 100, NULL, 0);
    print_message("edmc1: energy from %.6f to %.6f, rise %.2e, momenta off by %.2e\n", losing.first, losing.last, losing.rise,
                  losing.momentum_error);
    assert_true(losing.rise < 1e-11);
    assert_true(losing.last < losing.first - 0.1);
    assert_true(losing.momentum_error < 1e-10);
    /* if only springs dissipate, rods are suitable as well */
    record rods = run(springs, "index3", "edmc1:chi1=0.2,chi2=0", 0.02, 5, NULL, 0);
    assert_true(rods.rise < 1e-10);
    assert_true(rods.last < rods.first - 0.1);
}

typedef struct place {
    double x[9];
} place;

static bl_status keep_place(void *user, const bl_sample *s) {
    memcpy(((place *)user)->x, s->probe, sizeof(place));
    return BL_OK;
}

static place end_of_flight(const char *integrator, double step) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    place end = {0};
    bl_sink sink = {.user = &end, .sample = keep_place};
    bl_run_options options = {.formulation = "plain", .integrator = integrator, .step = step, .tolerance = 1e-12, .until = 2, .every = 2};
    assert_int_equal(bl_model_read_text(ctx, "test", flight, strlen(flight), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_simulate(ctx, model, &options, &sink, 1, NULL), BL_OK);
    bl_model_destroy(model);
    test_context_end(ctx);
    return end;
}

/* against dopri45 with tolerance 1e-12 */
static void nonlinear_energy_methods__have_their_orders(void **state) {
    (void)state;
    const char *const integrator[] = {"energy_momentum", "edmc1"};
    place exact = end_of_flight("dopri45", 0);
    for (int i = 0; i < 2; i++) {
        double error[2] = {0};
        for (int half = 0; half < 2; half++) {
            place end = end_of_flight(integrator[i], 0.005 / (1 + half));
            for (int k = 0; k < 9; k++)
                error[half] = fmax(error[half], fabs(end.x[k] - exact.x[k]));
        }
        double order = log2(error[0] / error[1]);
        print_message("%s: errors %.2e, %.2e: order %.3f\n", integrator[i], error[0], error[1], order);
        assert_near(order, i ? 1 : 2, 0.1);
    }
}

static void what_it_cannot_keep__is_refused_with_a_reason(void **state) {
    (void)state;
    static const char angles[] = "model: Pendulum with a spring on its angle\n"
                                 "dimension: 2\n"
                                 "coordinates: mixed\n"
                                 "points: {O: [0, 0], A: [1, 0]}\n"
                                 "bodies: [{name: rod, rod: {from: O, to: A}, mass: 1}]\n"
                                 "joints: [{name: j, type: revolute, bodies: [ground, rod], at: O}]\n"
                                 "forces: [{type: rotational_spring, variable: j.angle, stiffness: 5}]\n"
                                 "simulate: {until: 1}\n";
    static const struct {
        const char *text, *formulation, *integrator, *word;
    } cases[] = {{angles, "index3", "energy_momentum", "quadratic constraints"},
                 {springs, "index3", "edmc1", "point masses"},
                 {springs, "index3", "edmc2", "linear"},
                 {springs, "ggl", "energy_momentum", "moves them separately"},
                 {springs, "ggl", "central", "central"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bl_context *ctx = test_context(NULL);
        record seen = {0};
        bl_run_options options = {.formulation = cases[k].formulation, .integrator = cases[k].integrator, .step = 0.01, .until = 1};
        bl_status status = try_run(ctx, cases[k].text, NULL, 0, &options, &seen);
        if (status != BL_E_ABILITY || !strstr(bl_context_error(ctx)->what, cases[k].word))
            print_error("%s: %d, %s\n", cases[k].integrator, status, bl_context_error(ctx)->what);
        assert_int_equal(status, BL_E_ABILITY);
        assert_non_null(strstr(bl_context_error(ctx)->what, cases[k].word));
        assert_true(strlen(bl_context_error(ctx)->advice) > 10);
        test_context_end(ctx);
    }
}

typedef struct short_run {
    const char *text, *formulation, *integrator;
} short_run;

static bl_status a_short_run(bl_context *ctx, void *user) {
    const short_run *r = user;
    record seen = {0};
    bl_run_options options = {.formulation = r->formulation, .integrator = r->integrator, .step = 0.01, .until = 0.03, .every = 0.03};
    return try_run(ctx, r->text, NULL, 0, &options, &seen);
}

static void failing_allocations__are_survived(void **state) {
    (void)state;
    short_run runs[] = {{springs, "index3", "energy_momentum"}, {flight, "plain", "edmc1"}, {springs, "ggl", "hht"}};
    for (int k = 0; k < 3; k++)
        test_failing_allocations(a_short_run, &runs[k]);
}

/* normal to the constraints the trapezoidal rule propagates (v, a) with a double eigenvalue -1: rounding grows from step to step */
static void newmark__is_warned_of_and_unstable_on_index3(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    record seen = {0};
    bl_run_options options = {.formulation = "index3", .integrator = "newmark", .step = 0.01, .until = 20, .every_step = true};
    bl_status status = try_run(ctx, springs, NULL, 0, &options, &seen);
    assert_true(status != BL_OK || seen.largest - seen.smallest > 1e3);
    test_context_end(ctx);
    record dissipative = run(springs, "index3", "genalpha:0.9", 0.01, 20, NULL, 0);
    assert_true(dissipative.largest - dissipative.smallest < 5);
}

/* ---- events */

/* a mass on a spring, extended by 1 and released: length 10 is reached at pi / (2 sqrt(k/m)) */
static const char radial[] = "model: Radial oscillation\n"
                             "dimension: 2\n"
                             "gravity: [0, 0]\n"
                             "points: {O: [0, 0], P: [0, 11]}\n"
                             "bodies: [{name: mass, points: [{mass: 2, at: P}], carry: [{point: P}]}]\n"
                             "forces: [{type: spring, bodies: [ground, mass], at: O, to: P, stiffness: 15, length: 10}]\n"
                             "probes: {P: {body: mass, at: P}}\n"
                             "simulate: {until: 2, stop: P.y - 10}\n";

static void events__are_found_with_the_order_of_the_method(void **state) {
    (void)state;
    const char *const integrator[] = {"newmark", "hht",     "wbz",         "genalpha",        "houbolt",
                                      "wilson",  "central", "collocation", "energy_momentum", "edmc1"};
    double exact = 0.5 * acos(-1) / sqrt(7.5);
    for (int i = 0; i < 10; i++) {
        double error[2];
        for (int half = 0; half < 2; half++) {
            bl_context *ctx = test_context(NULL);
            bl_model *model = NULL;
            bl_run_summary summary = {0};
            bl_run_options options = {.formulation = "plain", .integrator = integrator[i], .step = 0.004 / (1 + half)};
            assert_int_equal(bl_model_read_text(ctx, "test", radial, strlen(radial), NULL, 0, &model), BL_OK);
            assert_int_equal(bl_simulate(ctx, model, &options, NULL, 0, &summary), BL_EVENT);
            error[half] = fabs(summary.t - exact);
            bl_model_destroy(model);
            test_context_end(ctx);
        }
        print_message("%s: event off by %.2e, %.2e\n", integrator[i], error[0], error[1]);
        assert_true(error[0] < 1e-3);
        assert_true(error[1] < (strcmp(integrator[i], "edmc1") == 0 ? 0.6 : 0.35) * error[0]);
    }
}

/* Times accumulate rounding: 9500 sums of 5/9500 are 1e-12 short of 5, and a step of that length would have accelerations of noise divided
 * by its square (energies of 1e5 J). */
static void equal_steps__leave_no_sliver_at_the_end(void **state) {
    (void)state;
    static const char *const integrators[] = {"collocation", "wilson", "hht", "rk4"};
    for (int i = 0; i < 4; i++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_run_summary summary = {0};
        assert_int_equal(bl_model_read(ctx, SCENES "/four_bar.yaml", NULL, 0, &model), BL_OK);
        bl_run_options options = {
            .formulation = i < 3 ? "index3" : "partition", .integrator = integrators[i], .step = 5.0 / 9500, .until = 5};
        assert_int_equal(bl_simulate(ctx, model, &options, NULL, 0, &summary), BL_OK);
        assert_int_equal(summary.steps, 9500);
        assert_true(summary.largest_energy_error < 0.02);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions__have_order_2),
        cmocka_unit_test(energy_momentum__keeps_the_energy_of_constrained_mechanisms),
        cmocka_unit_test(scenes__keep_their_energy_balance_to_rounding),
        cmocka_unit_test(energy_momentum__balances_dampers_and_loads),
        cmocka_unit_test(free_flight__keeps_linear_and_angular_momentum),
        cmocka_unit_test(nonlinear_energy_methods__have_their_orders),
        cmocka_unit_test(what_it_cannot_keep__is_refused_with_a_reason),
        cmocka_unit_test(events__are_found_with_the_order_of_the_method),
        cmocka_unit_test(failing_allocations__are_survived),
        cmocka_unit_test(equal_steps__leave_no_sliver_at_the_end),
        cmocka_unit_test(newmark__is_warned_of_and_unstable_on_index3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
