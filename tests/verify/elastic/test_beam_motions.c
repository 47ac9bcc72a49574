/* Motions of elastic beams in the plane against reference motions (Reissner's model, elements of degree 2 and 3, generalized-alpha with
 * halved steps, extrapolated, by another program): an elastic double pendulum, a slider-crank with an elastic rod, a flying rod; by several
 * methods and in all coordinates; momenta and energy; stiff bodies beside rigid ones; reactions against statics. */
#include "elastic/beam.h"
#include "support/every_way.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    static const method methods[] = {{"natural", NULL, NULL, 0, 0},
                                     {"natural", "ggl", "trbdf2", 1e-4, 0},
                                     {"mixed", "index3", "genalpha", 0, 5e-4},
                                     {"reference", "index3", "hht", 0, 5e-4},
                                     {"relative", "ggl", "newmark", 0, 5e-4},
                                     {"natural", "lagrange", "dopri45", 1e-6, 0},
                                     {"natural", "projection", "dopri45", 1e-6, 0},
                                     {"natural", "partition", "dopri45", 1e-6, 0}};
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
    "dimension: 2\nbodies:\n  - {name: rod, beam: {from: [6, 0], to: [0, 8], elements: 20, degree: 2%s}, "
    "stiffness: {EA: 1e4, GA: 1e4, EI: 500}, mass_per_length: {rhoA: 1, rhoI: 10}}\nevents: [{at: 2.5, set: {on: 0}}]\nheld: {on: 1}\n"
    "forces:\n  - {type: force, body: rod, at: [6, 0], force: [=8*on, 0]}\n  - {type: torque, body: rod.from, torque: =-80*on}\n"
    "probes: {low: {body: rod, at: [6, 0]}, high: {body: rod, at: [0, 8]}}\n";
static const double flying_at[] = {2.5,     4.4302, -0.7850, 5.9453,  8.9704, 5,       5.6206, 4.7638,
                                   15.4081, 4.2649, 7.5,     15.5422, 8.9966, 15.7555, -0.9736};

typedef struct flight {
    course way;
    bl_beam_def beam;
    bl_beam_node node[20 * 3];
    double p[2], spin, energy, rounding, turning; /* after 2.5 s: of the first sample there; tolerance of the angular momentum */
    bool begun;
} flight;

/* momenta from positions and velocities of the frames */
static void momenta(const flight *f, const bl_sample *s, double p[2], double *spin) {
    p[0] = p[1] = *spin = 0;
    for (bl_index k = 0; k < f->beam.nelement; k++) {
        bl_beam_element e;
        double start[BL_BEAM_LOCAL], x[BL_BEAM_LOCAL], v[BL_BEAM_LOCAL];
        assert_int_equal(bl_beam_element_make(&f->beam, 2, k, &e, start), BL_OK);
        for (int a = 0; a < e.nnode; a++) {
            const bl_pose *pose = &s->body[2 * k + a];
            double turn = 2 * atan2(pose->quaternion[3], pose->quaternion[0]), w = pose->angular_velocity[2];
            for (int i = 0; i < e.nvector; i++) {
                const double *d = start + (a * e.nvector + i) * 2;
                double at[2] = {cos(turn) * d[0] - sin(turn) * d[1], sin(turn) * d[0] + cos(turn) * d[1]};
                double *to = x + (a * e.nvector + i) * 2, *rate = v + (a * e.nvector + i) * 2;
                to[0] = i ? at[0] : pose->position[0], to[1] = i ? at[1] : pose->position[1];
                rate[0] = i ? -w * at[1] : pose->velocity[0], rate[1] = i ? w * at[0] : pose->velocity[1];
            }
        }
        for (int a = 0; a < e.nnode; a++)
            for (int b = 0; b < e.nnode; b++)
                for (int i = 0; i < e.nvector; i++) {
                    const double *r = x + (a * e.nvector + i) * 2, *u = v + (b * e.nvector + i) * 2;
                    double m = e.inertia[i] * e.mass[a][b];
                    *spin += m * (r[0] * u[1] - r[1] * u[0]);
                    for (int c = 0; c < 2 && i == 0; c++)
                        p[c] += m * u[c];
                }
    }
}

static void fly(const bl_sample *s, const test_ending *run, void *user) {
    flight *f = user;
    double p[2], spin;
    follow(s, run, &f->way);
    momenta(f, s, p, &spin);
    double now = fmin(s->t, 2.5);
    test_close(run, "the momentum along x", p[0], 8 * now, f->rounding);
    test_close(run, "the momentum along y", p[1], 0, f->rounding);
    if (s->t < 2.5 + 1e-9) /* where the push ends the method starts again, from velocities that satisfy the constraints */
        return;
    double energy = s->kinetic + s->potential;
    test_close(run, "the angular momentum", spin, -189.27457, f->turning);
    test_close(run, "the energy", energy, 90.38, fmax(2e-2, 60 * f->turning));
    if (f->begun) {
        test_close(run, "the change of angular momentum", spin, f->spin, f->rounding);
        test_close(run, "the change of energy", energy, f->energy, f->rounding);
    }
    f->begun = true;
    f->spin = spin;
    f->energy = energy;
}

static void make_beam(flight *f) {
    f->beam = (bl_beam_def){.degree = 2, .nelement = 20, .node = f->node, .stiffness = {1e4, 1e4, 0, 0, 0, 500}, .mass = {1, 10, 0}};
    for (int k = 0; k < 20; k++)
        for (int a = 0; a < 3; a++) {
            double share = (2 * k + a) / 40.0;
            f->node[3 * k + a] = (bl_beam_node){.at = {6 - 6 * share, 8 * share}, .axes = {{-0.6, 0.8}, {-0.8, -0.6}, {0, 0, 1}}};
        }
}

static void flying_rod__conserves_momenta_and_energy(void **state) {
    char text[1024];
    flight f = {.way = {flying_at, 3, 2, 0, 2e-3}, .rounding = 1e-10, .turning = 1e-2}; /* order 2 while it is pushed */
    test_ending end;
    test_sample_check check = fly;
    (void)state;
    make_beam(&f);
    snprintf(text, sizeof text, flying, "");
    bl_run_options steps = {.until = 7.5, .every_step = true, .integrator = "energy_momentum", .step = 0.02};
    test_one_way(text, &steps, check, &end, &f); /* between the ends of steps samples are interpolated */
    /* the same motion by a method with error control */
    f = (flight){.way = {flying_at, 3, 2, 0, 1e-3}, .rounding = 1e-3, .turning = 1e-3};
    make_beam(&f);
    run_by(text, &(method){"natural", "ggl", "trbdf2", 1e-5, 0}, 7.5, 2.5, &check, &end, &f);
    assert_int_equal(f.way.seen, 3);
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
        cmocka_unit_test(double_pendulum__has_its_reference_motion),
        cmocka_unit_test(slider_crank__deflects_as_its_reference),
        cmocka_unit_test(flying_rod__conserves_momenta_and_energy),
        cmocka_unit_test(stiff_coupler__moves_as_a_rigid_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
