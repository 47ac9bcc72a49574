/* Motions of elastic beams in the plane against reference motions (Reissner's model, elements of degree 2 and 3, generalized-alpha with
 * halved steps, extrapolated, by another program): an elastic double pendulum, a slider-crank with an elastic rod, a flying rod; by several
 * methods and in all coordinates; momenta and energy; stiff bodies beside rigid ones; reactions against statics. */
#include "study/run.h"
#include "study/simulation.h"
#include "support/every_way.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* what exact discrete gradients need */
#define DIRECTORS ""

static const double PI = 3.14159265358979323846;

typedef struct method {
    const char *coordinates, *formulation, *integrator;
    double tolerance, step;
} method;

/* what a sample has to be: time, then positions of probes */
typedef struct course {
    const double *value; /* [n][1 + 2 nprobe] */
    int n, nprobe, seen;
    double tolerance;
} course;

static void follow(const bl_sample *s, const test_ending *run, void *user) {
    course *c = user;
    for (int i = 0; i < c->n; i++) {
        const double *at = c->value + i * (1 + 2 * c->nprobe);
        if (fabs(s->t - at[0]) > 1e-9)
            continue;
        for (int p = 0; p < c->nprobe; p++)
            for (int k = 0; k < 2; k++)
                test_close(run, "a probe", s->probe[3 * p + k], at[1 + 2 * p + k], c->tolerance);
        c->seen++;
    }
}

static void run_by(const char *text, const method *m, double until, double every, test_sample_check *check, test_ending *end, void *user) {
    bl_run_options options = {.until = until,
                              .every = every,
                              .coordinates = m->coordinates,
                              .formulation = m->formulation,
                              .integrator = m->integrator,
                              .tolerance = m->tolerance,
                              .step = m->step};
    test_one_way(text, &options, *check, end, user);
}

/* ---- two rods, hinged */

#define ROD_OF_PENDULUM(name, from, to)                                                                                                  \
    "  - {name: " name ", beam: {from: [" from ", 0], to: [" to ", 0], elements: 8, degree: 2}, stiffness: {EA: 1e5, GA: 4e4, EI: 10}, " \
    "mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
static const char pendulum[] = "dimension: 2\ngravity: [0, -9.81]\nbodies:\n" ROD_OF_PENDULUM("upper", "0", "1")
    ROD_OF_PENDULUM("lower", "1", "2") "joints:\n  - {name: A, type: revolute, bodies: [ground, upper], at: [0, 0]}\n"
                                       "  - {name: B, type: revolute, bodies: [upper, lower], at: [1, 0]}\n"
                                       "probes: {hinge: {body: upper, at: [1, 0]}, tip: {body: lower, at: [2, 0]}}\n";
static const double pendulum_at[] = {0.25, 0.93230,  -0.36121, 1.92922,  -0.28220, 0.5, 0.43569,  -0.90024, 1.30466,  -1.39499,
                                     0.75, -0.09334, -0.99588, -0.74280, -1.75614, 1,   -0.92935, -0.36968, -1.67410, -1.03708};

static void double_pendulum__has_its_reference_motion(void **state) {
    static const method methods[] = {
        {"natural", NULL, NULL, 0, 0},           {"natural", "ggl", "trbdf2", 1e-4, 0},   {"mixed", "index3", "genalpha", 0, 5e-4},
        {"reference", "index3", "hht", 0, 5e-4}, {"relative", "ggl", "newmark", 0, 5e-4}, {"natural", "lagrange", "dopri45", 1e-5, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        course c = {pendulum_at, 4, 2, 0, 1e-4};
        test_ending end;
        test_sample_check check = follow;
        run_by(pendulum, &methods[i], 1, 0.25, &check, &end, &c);
        test_no_warning(&end);
        assert_int_equal(c.seen, 4);
        test_close(&end, "the energy error", end.energy_error, 0, methods[i].integrator ? 1e-3 : 1e-2); /* of 30 J in motion */
    }
}

/* ---- a rigid crank at a constant rate, an elastic rod, a slider */

static const char slider_crank[] =
    "dimension: 2\nbodies:\n  - {name: crank, rod: {from: [0, 0], to: [0.1, 0]}, mass: 0.1}\n"
    "  - {name: rod, beam: {from: [0.1, 0], to: [0.6, 0], elements: 8, degree: 2}, stiffness: {EA: 2e5, GA: 8e4, EI: 20}, "
    "mass_per_length: {rhoA: 0.5, rhoI: 5e-5}}\n"
    "  - {name: slider, mass: 0.25, center: [0.6, 0], inertia: 0.001}\njoints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
    "  - {name: B, type: revolute, bodies: [crank, rod], at: [0.1, 0]}\n"
    "  - {name: C, type: revolute, bodies: [rod, slider], at: [0.6, 0]}\n"
    "  - {name: D, type: prismatic, bodies: [ground, slider], at: [0.6, 0], axis: [1, 0]}\n"
    "drivers: [{variable: A.angle, value: =40*t}]\n"
    "probes: {pin: {body: rod, at: [0.1, 0]}, middle: {body: rod, at: [0.35, 0]}, end: {body: rod, at: [0.6, 0]}}\n";
static const double slider_at[4][2] = {{0.48984, 1.7906e-3}, {0.40005, -2.170e-4}, {0.48989, -1.364e-3}, {0.60001, -3.289e-4}};

typedef struct deflection {
    double slider, across; /* tolerances */
    int seen;
} deflection;

static void deflect(const bl_sample *s, const test_ending *run, void *user) {
    deflection *d = user;
    int quarter = (int)lround(s->t * 80 / PI);
    if (quarter < 1 || quarter > 4 || fabs(s->t - quarter * PI / 80) > 1e-9)
        return;
    const double *a = s->probe, *m = s->probe + 3, *b = s->probe + 6;
    double across = ((b[0] - a[0]) * (m[1] - a[1]) - (b[1] - a[1]) * (m[0] - a[0])) / hypot(b[0] - a[0], b[1] - a[1]);
    test_close(run, "the slider", b[0], slider_at[quarter - 1][0], d->slider);
    test_close(run, "the deflection", across, slider_at[quarter - 1][1], d->across);
    d->seen++;
}

static void slider_crank__deflects_as_its_reference(void **state) {
    static const method methods[] = {{"natural", "ggl", "trbdf2", 1e-4, 0},
                                     {"reference", "ggl", "trbdf2", 1e-4, 0},
                                     {"relative", "index3", "genalpha", 0, 2.5e-5},
                                     {"natural", "ggl", "bdf_alpha", 0, 2.5e-5},
                                     {"mixed", "lagrange", "dopri45", 1e-6, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        deflection d = {1e-5, 5e-6, 0};
        test_ending end;
        test_sample_check check = deflect;
        run_by(slider_crank, &methods[i], PI / 20, PI / 80, &check, &end, &d);
        test_no_warning(&end);
        assert_int_equal(d.seen, 4);
        test_close(&end, "the energy error", end.energy_error, 0, 1e-3); /* of 4 J */
    }
    /* with default settings, within a percent of the largest deflection */
    deflection d = {2e-4, 2e-5, 0};
    test_ending end;
    test_sample_check check = deflect;
    run_by(slider_crank, &(method){0}, PI / 20, PI / 80, &check, &end, &d);
    assert_int_equal(d.seen, 4);
}

/* ---- a rod flying in the plane, pushed at its lower end for 2.5 s */

static const char flying[] =
    "dimension: 2\nbodies:\n  - {name: rod, beam: {from: [6, 0], to: [0, 8], elements: 20, degree: 2" DIRECTORS "}, "
    "stiffness: {EA: 1e4, GA: 1e4, EI: 500}, mass_per_length: {rhoA: 1, rhoI: 10}}\nevents: [{at: 2.5, set: {on: 0}}]\nheld: {on: 1}\n"
    "forces:\n  - {type: force, body: rod, at: [6, 0], force: [=8*on, 0]}\n  - {type: torque, body: rod.from, torque: =-80*on}\n"
    "probes: {low: {body: rod, at: [6, 0]}, high: {body: rod, at: [0, 8]}}\n";
static const double flying_at[] = {2.5,     4.4302, -0.7850, 5.9453,  8.9704, 5,       5.6206, 4.7638,
                                   15.4081, 4.2649, 7.5,     15.5422, 8.9966, 15.7555, -0.9736};

static void flying_rod__has_its_reference_motion(void **state) {
    static const method methods[] = {{"natural", "ggl", "trbdf2", 1e-5, 0}, {"natural", "index3", "energy_momentum", 0, 1e-3}};
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        course c = {flying_at, 3, 2, 0, 2e-3};
        test_ending end;
        test_sample_check check = follow;
        run_by(flying, &methods[i], 7.5, 2.5, &check, &end, &c);
        assert_true(c.seen >= 3);
        test_close(&end, "the energy", end.kinetic + end.potential, 90.38, 2e-2);
        test_close(&end, "the energy error", end.energy_error, 0, 1e-3);
    }
}

/* ---- a free bent frame that spins: momenta of the coordinates, t^T M v with the rates t of a rigid motion, and the energy */

static const char bent[] =
    "dimension: 2\nbodies:\n  - {name: bend, beam: {along: [[0, 0], [1, 0], [1, 0.7]], elements: [4, 3], degree: 2%s}, "
    "stiffness: {EA: 1e4, GA: 5e3, EI: 3}, mass_per_length: {rhoA: 1, rhoI: 1e-3}}\n"
    "initial: {bend.0: {velocity: [1, -2], angular_velocity: 6}}\n";

static void momenta(const bl_system *sys, bl_eval *e, const bl_state *at, double out[3]) {
    bl_eval_at(e, at);
    assert_int_equal(bl_system_eval(sys, e, BL_M), BL_OK);
    memset(out, 0, 3 * sizeof *out);
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index p = sys->pat_M.ptr[j]; p < sys->pat_M.ptr[j + 1]; p++) {
            bl_index i = sys->pat_M.idx[p];
            const bl_col *col = &sys->col[i];
            double mv = e->M[p] * at->v[j];
            if (col->what == BL_COL_POINT)
                out[col->part] += mv;
            out[2] += (col->part ? at->q[i - 1] : -at->q[i + 1]) * mv; /* x, y of a point or vector are successive */
        }
}

static void free_frame__keeps_momenta_and_energy(void **state) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_system *sys = NULL;
    bl_state start = {0};
    bl_eval e = {0};
    bl_simulation *sim;
    char text[1024];
    double first[3], now[3], energy = NAN;
    (void)state;
    snprintf(text, sizeof text, bent, DIRECTORS);
    assert_int_equal(bl_model_read_text(ctx, "bent", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_run_prepare_held(ctx, model, "natural", 0, NULL, 0, &sys, &start), BL_OK);
    bl_simulation_setup setup = {.integrator = "energy_momentum", .formulation = "index3", .step = 0.02, .t_end = 4};
    assert_int_equal(bl_simulation_create(sys, &start, &setup, &sim), BL_OK);
    assert_int_equal(bl_eval_create(sys, BL_M | BL_ENERGY, &e), BL_OK);
    while (*sim->state.t < 4 - 1e-9) {
        assert_int_equal(bl_simulation_advance(sim), BL_OK);
        momenta(sys, &e, &sim->state, now);
        assert_int_equal(bl_system_eval(sys, &e, BL_ENERGY), BL_OK);
        if (isnan(energy)) {
            energy = bl_eval_energy(&e);
            memcpy(first, now, sizeof first);
        }
        for (int k = 0; k < 3; k++)
            assert_true(fabs(now[k] - first[k]) < 1e-10);
        assert_true(fabs(bl_eval_energy(&e) - energy) < 1e-10 * fabs(energy));
    }
    bl_simulation_destroy(sim);
    bl_eval_destroy(sys, &e);
    bl_state_destroy(sys, &start);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- a stiff body moves as a rigid one: angle and reactions of a four-bar linkage */

#define FOUR_BAR(coupler)                                                                                                               \
    "dimension: 2\ngravity: [0, -9.81]\npoints: {A: [0, 0], B: [0, 0.2], C: [0.4, 0.45], D: [0.5, 0]}\nbodies:\n"                       \
    "  - {name: crank, rod: {from: A, to: B}, mass: 0.5}\n" coupler "  - {name: rocker, rod: {from: C, to: D}, mass: 0.8}\njoints:\n"   \
    "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n  - {name: B, type: revolute, bodies: [crank, coupler], at: B}\n"   \
    "  - {name: C, type: revolute, bodies: [coupler, rocker], at: C}\n  - {name: D, type: revolute, bodies: [ground, rocker], at: D}\n" \
    "initial: {A.rate: 12}\n"

static void stiff_coupler__moves_as_a_rigid_one(void **state) {
    static const char rigid[] = FOUR_BAR("  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n");
    static const char elastic[] = FOUR_BAR("  - {name: coupler, beam: {from: B, to: C, elements: 4, degree: 2}, "
                                           "stiffness: {EA: 1e8, GA: 1e8, EI: 1e5}, "
                                           "mass_per_length: {rhoA: =1/sqrt(0.4^2+0.25^2), rhoI: 1e-9}, damping: {stiffness: 2e-5}}\n");
    bl_run_options options = {.until = 0.2, .every = 0.2, .tolerance = 1e-8}, stiff = {.until = 0.2, .every = 0.2, .tolerance = 1e-5};
    test_ending a, b;
    (void)state;
    stiff.integrator = "trbdf2";
    test_one_way(rigid, &options, NULL, &a, NULL);
    test_one_way(elastic, &stiff, NULL, &b, NULL);
    for (int v = 0; v < 4; v++)
        test_close(&b, "an angle", b.variable[v], a.variable[v], 1e-4);
    for (int j = 0; j < 4; j++)
        for (int k = 0; k < 2; k++)
            test_close(&b, "a reaction", b.reaction[j].force[k], a.reaction[j].force[k], 1e-2); /* of 100 N */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_pendulum__has_its_reference_motion), cmocka_unit_test(slider_crank__deflects_as_its_reference),
        cmocka_unit_test(flying_rod__has_its_reference_motion),      cmocka_unit_test(free_frame__keeps_momenta_and_energy),
        cmocka_unit_test(stiff_coupler__moves_as_a_rigid_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
